// SPDX-License-Identifier: Apache-2.0
/* tern.hpp: tern.h for C++17: handles that close themselves, spans, exceptions.
 *
 *     tern::context context("cpu");
 *     tern::module module = context.load_file("softmax.py");
 *     tern::kernel kernel = module.compile("softmax_kernel", "*fp32:16,*fp32:16,i32,i32,i32,1024");
 *     tern::buffer x = context.alloc_copy<float>(values), y = context.alloc(bytes);
 *     tern::launch(kernel, {rows}, x, y, stride, stride, columns);
 *     y.read<float>(results);
 *
 * It is header only and adds nothing to what tern.h says: handle() gives the C handle for the rest.
 * Handles are moved, not copied; a context stays open as long as anything made through it. What fails
 * throws tern::error, which tern::attempt makes a std::expected of where C++23 has it; destructors do
 * not throw. The threads of tern.h's head hold here, too. */
#ifndef TERN_HPP
#define TERN_HPP

#include "tern.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#if __has_include(<expected>) && __cplusplus > 202002L
#include <expected>
#endif
#if __has_include(<span>) && __cplusplus >= 202002L
#include <span>
#endif

namespace tern {

/* ---- errors ---- */

class error : public std::runtime_error {
  public:
    error(tern_status status, const std::string &words)
        : std::runtime_error(words), status_(status) {}
    /* With the words of the context, and the place in the user's text where it is known. */
    error(tern_status status, const tern_context *context)
        : std::runtime_error(tern_message(context)), status_(status) {
        const char *file = nullptr;
        if (tern_message_place(context, &file, &line_, &column_) && file) file_ = file;
    }
    tern_status status() const noexcept { return status_; }
    const std::string &file() const noexcept { return file_; } /* empty: no place is known */
    int line() const noexcept { return line_; }                /* from 1 */
    int column() const noexcept { return column_; }

  private:
    tern_status status_;
    std::string file_;
    int line_ = 0, column_ = 0;
};

/* ---- spans ---- */

#if defined(__cpp_lib_span)
template <class T> using span = std::span<T>;
#else
/* As std::span of C++20, as far as it is needed here. */
template <class T> class span {
  public:
    constexpr span() noexcept = default;
    constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
    template <std::size_t N> constexpr span(T (&array)[N]) noexcept : data_(array), size_(N) {}
    template <class Container, class = std::enable_if_t<std::is_convertible_v<
                                   decltype(std::declval<Container &>().data()), T *>>>
    constexpr span(Container &&from) noexcept : data_(from.data()), size_(from.size()) {}
    constexpr T *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};
#endif

namespace detail {
using shared_context = std::shared_ptr<tern_context>;
inline void check(tern_status status, const shared_context &context) {
    if (status != TERN_OK) throw error(status, context.get());
}
template <class Handle> Handle *check(Handle *handle, const shared_context &context) {
    if (!handle) throw error(tern_message_status(context.get()), context.get());
    return handle;
}
/* A handle of a context, which is freed before the context may close. */
template <class Handle, void (*Free)(Handle *)> class owned {
  public:
    Handle *handle() const noexcept { return handle_.get(); }
    const shared_context &of() const noexcept { return context_; }

  protected:
    owned(Handle *handle, shared_context context)
        : context_(std::move(context)), handle_(check(handle, context_)) {}

  private:
    struct deleter {
        void operator()(Handle *handle) const noexcept { Free(handle); }
    };
    shared_context context_; /* before the handle: it goes after it */
    std::unique_ptr<Handle, deleter> handle_;
};
} // namespace detail

/* ---- memory ---- */

class buffer : public detail::owned<tern_buffer, tern_buffer_free> {
  public:
    buffer(tern_buffer *handle, detail::shared_context context)
        : owned(handle, std::move(context)) {}
    std::size_t size_bytes() const noexcept { return tern_buffer_size(handle()); }
    void *pointer() const noexcept { return tern_buffer_pointer(handle()); }
    /* From `offset` elements on; they must lie inside. */
    template <class T> void write(span<const T> from, std::size_t offset = 0) {
        static_assert(std::is_trivially_copyable_v<T>, "elements are copied as bytes");
        detail::check(tern_write(handle(), bytes<T>(offset), from.data(), from.size_bytes()), of());
    }
    template <class T> void read(span<T> to, std::size_t offset = 0) const {
        static_assert(std::is_trivially_copyable_v<T>, "elements are copied as bytes");
        detail::check(tern_read(handle(), bytes<T>(offset), to.data(), to.size_bytes()), of());
    }
    /* All that fits. */
    template <class T> std::vector<T> read() const {
        std::vector<T> all(size_bytes() / sizeof(T));
        read<T>(span<T>(all.data(), all.size()));
        return all;
    }
    void fill(unsigned char byte) { detail::check(tern_fill(handle(), byte), of()); }

  private:
    template <class T> std::size_t bytes(std::size_t offset) const {
        if (offset > SIZE_MAX / sizeof(T))
            throw error(TERN_ERROR_ARGUMENT, "an offset of more bytes than there are");
        return offset * sizeof(T);
    }
};

/* ---- kernels ---- */

class kernel : public detail::owned<tern_kernel, tern_kernel_free> {
  public:
    kernel(tern_kernel *handle, detail::shared_context context)
        : owned(handle, std::move(context)) {}
    std::string name() const { return tern_kernel_name(handle()); }
    std::string target() const { return tern_kernel_target(handle()); }
    std::string text(tern_stage stage) const { /* empty: its target has no such stage */
        const char *found = tern_kernel_text(handle(), stage);
        return found ? found : "";
    }
};

class module : public detail::owned<tern_module, tern_module_free> {
  public:
    module(tern_module *handle, detail::shared_context context) :owned(handle, std::move(context)) {
    }
    kernel compile(const std::string &function, const std::string &signature,
                   const tern_options &options = {}) const {
        return {tern_compile(handle(), function.c_str(), signature.c_str(), &options), of()};
    }
    std::vector<std::string> functions() const {
        std::vector<std::string> names;
        for (int i = 0; i < tern_module_num_functions(handle()); i++)
            names.emplace_back(tern_module_function(handle(), i)->name);
        return names;
    }
};

class stream : public detail::owned<tern_stream, tern_stream_free> {
  public:
    stream(tern_stream *handle, detail::shared_context context)
        : owned(handle, std::move(context)) {}
    void synchronize() { detail::check(tern_stream_synchronize(handle()), of()); }
};

/* ---- context ---- */

class context {
  public:
    explicit context(const tern_open_options &options = {}) {
        tern_status status = TERN_OK;
        char words[1024] = "";
        tern_context *opened = tern_open(&options, &status, words, sizeof words);
        if (!opened) throw error(status, words);
        context_ = detail::shared_context(opened, tern_close);
    }
    explicit context(const char *device) : context(of_device(device)) {}
    tern_context *handle() const noexcept { return context_.get(); }
    std::string device() const { return tern_device_name(handle()); }
    std::string description() const { return tern_device_description(handle()); }
    module load_file(const std::string &path) {
        return {tern_load_file(handle(), path.c_str()), context_};
    }
    module load_text(const std::string &text, const std::string &name = "<text>") {
        return {tern_load_text(handle(), text.data(), text.size(), name.c_str()), context_};
    }
    buffer alloc(std::size_t size_bytes) { return {tern_alloc(handle(), size_bytes), context_}; }
    template <class T> buffer alloc_copy(span<const T> from) {
        buffer made = alloc(from.size_bytes());
        made.write<T>(from);
        return made;
    }
    /* The memory stays the caller's. */
    template <class T> buffer wrap(span<T> memory) {
        return {tern_wrap(handle(), memory.data(), memory.size_bytes()), context_};
    }
    stream create_stream() { return {tern_stream_create(handle()), context_}; }
    void synchronize() { detail::check(tern_synchronize(handle()), context_); }

  private:
    static tern_open_options of_device(const char *device) {
        tern_open_options options = {};
        options.device = device;
        return options;
    }
    detail::shared_context context_;
};

/* ---- launching ---- */

struct grid {
    std::uint32_t x = 1, y = 1, z = 1;
};

/* What a kernel takes for a value of C++: buffers, integers, bool, floats, nullptr, and tern_argument
 * as it is. */
inline tern_argument argument(const buffer &value) { return tern_arg_buffer(value.handle()); }
inline tern_argument argument(const tern_argument &value) { return value; }
inline tern_argument argument(std::nullptr_t) { return tern_arg_buffer(nullptr); }
template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
tern_argument argument(T value) {
    if constexpr (std::is_floating_point_v<T>)
        return tern_arg_float(static_cast<double>(value));
    else
        return tern_arg_int(static_cast<std::int64_t>(value));
}

/* Enqueues; `on` NULL is the context's own stream. */
template <class... Arguments>
void launch_on(tern_stream *on, const kernel &what, grid size, const Arguments &...arguments) {
    const std::uint32_t sizes[3] = {size.x, size.y, size.z};
    const tern_argument list[sizeof...(arguments) + 1] = {argument(arguments)..., tern_argument{}};
    detail::check(
        tern_launch(on, what.handle(), sizes, list, static_cast<int>(sizeof...(arguments))),
        what.of());
}
template <class... Arguments>
void launch(const kernel &what, grid size, const Arguments &...arguments) {
    launch_on(nullptr, what, size, arguments...);
}
template <class... Arguments>
void launch(const stream &on, const kernel &what, grid size, const Arguments &...arguments) {
    launch_on(on.handle(), what, size, arguments...);
}

/* ---- C++23: errors as values ---- */

#if defined(__cpp_lib_expected)
/* What a call gives, or the error that it throws; all else that it throws goes on.
 *
 *     auto made = tern::attempt([&] { return module.compile("softmax_kernel", signature); });
 *     if (!made) return report(made.error().what(), made.error().line()); */
template <class Function>
std::expected<std::invoke_result_t<Function>, error> attempt(Function &&function) {
    try {
        if constexpr (std::is_void_v<std::invoke_result_t<Function>>) {
            std::forward<Function>(function)();
            return {};
        } else {
            return std::forward<Function>(function)();
        }
    } catch (const error &failed) {
        return std::unexpected(failed);
    }
}
#endif

} // namespace tern

#endif
