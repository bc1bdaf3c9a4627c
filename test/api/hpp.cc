// SPDX-License-Identifier: Apache-2.0
/* tern.hpp: what is moved stays usable, what fails throws with its place, a context outlives its
 * handles, each kind of argument arrives. */
#include "tern.hpp"

#include <cmath>
#include <cstdio>
#include <optional>

static int failed;
static void check(bool good, const char *what) {
    if (!good) failed++, std::printf("FAILED %s\n", what);
}

static const char text[] = "import triton\n"
                           "import triton.language as tl\n"
                           "@triton.jit\n"
                           "def scale(x, y, n, factor, flip, nothing, B: tl.constexpr):\n"
                           "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
                           "    v = tl.load(x + i, mask=i < n) * factor\n"
                           "    v = tl.where(flip, -v, v)\n"
                           "    tl.store(y + i, v, mask=i < n)\n"
                           "@triton.jit\n"
                           "def wrong(x):\n"
                           "    tl.store(x, unknown)\n";

template <class Call> static std::optional<tern::error> thrown(Call call) {
    try {
        call();
    } catch (const tern::error &error) {
        return error;
    }
    return std::nullopt;
}

static tern::kernel compile() { /* the context's own name is gone when it is used */
    tern::context context("interp");
    return context.load_text(text, "scale.py").compile("scale", "*fp32,*fp32,i32,fp32,i1,*i8,64");
}

static void test_launch(tern::context &context) {
    std::vector<float> x(100), y(100, 7);
    for (int i = 0; i < 100; i++) x[static_cast<std::size_t>(i)] = static_cast<float>(i);
    tern::module module = context.load_text(text, "scale.py");
    check(module.functions() == std::vector<std::string>{"scale", "wrong"}, "functions");
    tern::kernel kernel = module.compile("scale", "*fp32,*fp32,i32,fp32,i1,*i8,64");
    tern::buffer from = context.alloc_copy<float>(x), to = context.alloc_copy<float>(y);
    tern::buffer moved = std::move(to);
    check(moved.size_bytes() == 400 && !to.handle(), "moved");
    tern::launch(kernel, {2}, from, moved, 99, 0.5, true, nullptr);
    std::vector<float> got = moved.read<float>();
    for (std::size_t i = 0; i < 100; i++)
        check(got[i] == (i < 99 ? -static_cast<float>(i) / 2 : 7), "a value");
    float part[2];
    moved.read<float>(part, 50);
    check(part[0] == -25 && part[1] == -25.5f, "a part");
    tern::stream stream = context.create_stream();
    tern::launch(stream, kernel, {2, 1, 1}, from, moved, std::int64_t{3}, 2.0f, false,
                 tern_arg_buffer(nullptr));
    stream.synchronize();
    moved.read<float>(tern::span<float>(part, 2), 2);
    check(part[0] == 4 && part[1] == -1.5f, "on a stream");
    tern::buffer wrapped = context.wrap<float>(y);
    tern::launch(kernel, {2}, from, wrapped, 100, 1.0, 0, nullptr);
    context.synchronize();
    check(y[99] == 99, "the caller's memory");
    check(kernel.name() == "scale" && kernel.target() == "interp", "names");
    check(kernel.text(TERN_STAGE_PTX).empty() && !kernel.text(TERN_STAGE_IR).empty(), "texts");
}

static void test_errors(tern::context &context) {
    tern::module module = context.load_text(text, "scale.py");
    auto error = thrown([&] { module.compile("wrong", "*fp32"); });
    check(error && error->status() == TERN_ERROR_COMPILE && error->file() == "scale.py" &&
              error->line() == 11 && error->column() > 1,
          "the place of an error");
    error = thrown([&] { context.load_file("/nonexistent.py"); });
    check(error && error->status() == TERN_ERROR_SYSTEM && error->file().empty() &&
              std::string(error->what()).find("nonexistent") != std::string::npos,
          "a file that is not there");
    error = thrown([] { tern::context none("nothing"); });
    check(error && error->status() == TERN_ERROR_DEVICE, "a device that is not there");
    tern::buffer buffer = context.alloc(8);
    float four[4];
    error = thrown([&] { buffer.read<float>(four); });
    check(error && error->status() == TERN_ERROR_ARGUMENT, "more than is there");
    error = thrown([&] { buffer.read<float>(tern::span<float>(four, 1), SIZE_MAX / 2); });
    check(error && error->status() == TERN_ERROR_ARGUMENT, "an offset beyond all");
    tern::kernel kernel = module.compile("scale", "*fp32,*fp32,i32,fp32,i1,*i8,64");
    error = thrown([&] { tern::launch(kernel, {1}, buffer, buffer, 1); });
    check(error && error->status() == TERN_ERROR_ARGUMENT, "too few arguments");
}

#if defined(__cpp_lib_expected)
static void test_expected(tern::context &context) {
    tern::module module = context.load_text(text, "scale.py");
    auto kernel =
        tern::attempt([&] { return module.compile("scale", "*fp32,*fp32,i32,fp32,i1,*i8,64"); });
    static_assert(std::is_same_v<decltype(kernel), std::expected<tern::kernel, tern::error>>);
    check(kernel && kernel->name() == "scale", "a kernel that is expected");
    auto wrong = tern::attempt([&] { return module.compile("wrong", "*fp32"); });
    check(!wrong && wrong.error().line() == 11, "an error that is expected");
    auto nothing = tern::attempt([&] { context.synchronize(); });
    static_assert(std::is_same_v<decltype(nothing), std::expected<void, tern::error>>);
    check(nothing.has_value(), "nothing to return");
    tern::buffer buffer = context.alloc(8);
    auto few = tern::attempt([&] { tern::launch(*kernel, {1}, buffer, buffer, 1); });
    check(!few && few.error().status() == TERN_ERROR_ARGUMENT, "a launch that fails");
    bool passed = false;
    try {
        static_cast<void>(tern::attempt([]() -> int { throw 3; }));
    } catch (int) {
        passed = true;
    }
    check(passed, "what is none of tern's errors goes on");
}
#endif

int main() {
    tern::context context("interp");
    test_launch(context);
    test_errors(context);
#if defined(__cpp_lib_expected)
    test_expected(context);
#elif __cplusplus > 202002L && !defined(__clang__) && __GNUC__ >= 12
    check(false, "std::expected is here");
#endif
    check(compile().name() == "scale", "a kernel keeps its context");
    static_assert(!std::is_copy_constructible_v<tern::buffer>, "handles are not copied");
    static_assert(std::is_nothrow_move_constructible_v<tern::kernel>, "but moved");
    return failed != 0;
}
