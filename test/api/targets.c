// SPDX-License-Identifier: Apache-2.0
/* What a kernel hears about the target that it is compiled for, and what is said of a target that
 * there is not. */
#include "tern.h"
#include "test.h"

static const char source[] =
    "import triton\n"
    "import triton.language as tl\n"
    "from triton.language import target_info\n"
    "@triton.jit\n"
    "def ask(y, CUDA: tl.constexpr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):\n"
    "    tl.static_assert(target_info.is_cuda() == CUDA)\n"
    "    tl.static_assert(target_info.is_cpu() != CUDA)\n"
    "    tl.static_assert(target_info.cuda_capability_geq(8) == A)\n"
    "    tl.static_assert(target_info.cuda_capability_geq(8, 6) == B)\n"
    "    tl.static_assert(target_info.cuda_capability_geq(9, 0) == C)\n"
    "    tl.store(y, 1)\n";

TEST(a_kernel_hears_what_it_is_compiled_for) {
    static const struct {
        const char *target, *answers;
    } rows[] = {
        {"interp", "False,False,False,False"},     {"cpu:generic", "False,False,False,False"},
        {"cpu:avx512", "False,False,False,False"}, {"sm_75", "True,False,False,False"},
        {"sm_80", "True,True,False,False"},        {"sm_86", "True,True,True,False"},
        {"sm_89", "True,True,True,False"},         {"sm_100", "True,True,True,True"},
        {"sm_90a", "True,True,True,True"},         {"sm_120", "True,True,True,True"},
    };
    tern_context *context =
        tern_open(&(tern_open_options){.device = "interp", .cache_dir = ""}, NULL, NULL, 0);
    tern_module *module = tern_load_text(context, source, sizeof source - 1, "ask.py");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char signature[64];
        snprintf(signature, sizeof signature, "*i32,%s", rows[i].answers);
        tern_options options = {.size = sizeof options, .target = rows[i].target};
        tern_kernel *kernel = tern_compile(module, "ask", signature, &options);
        CHECK(kernel);
        if (!kernel) printf("%s: %s\n", rows[i].target, tern_message(context));
        if (kernel) CHECK_STR(tern_kernel_target(kernel), rows[i].target);
        tern_kernel_free(kernel);
    }
    tern_close(context);
}

TEST(options_are_checked) {
    static const struct {
        tern_options options;
        const char *words;
    } rows[] = {
        {{.num_warps = 3}, "num_warps is 1, 2, 4, 8, 16 or 32, not 3"},
        {{.num_warps = -1}, "num_warps is 1, 2, 4, 8, 16 or 32, not -1"},
        {{.num_warps = 64}, "num_warps is 1, 2, 4, 8, 16 or 32, not 64"},
        {{.num_stages = 65}, "num_stages is 1 to 64, not 65"},
        {{.num_stages = -1}, "num_stages is 1 to 64, not -1"},
        {{.config = 1}, "config 1 of 'ask', which has 0"},
        {{.config = -1}, "config -1 of 'ask', which has 0"},
    };
    static const char signature[] = "*i32,False,False,False,False";
    tern_context *context =
        tern_open(&(tern_open_options){.device = "interp", .cache_dir = ""}, NULL, NULL, 0);
    tern_module *module = tern_load_text(context, source, sizeof source - 1, "ask.py");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tern_options options = rows[i].options;
        options.size = sizeof options;
        CHECK(!tern_compile(module, "ask", signature, &options));
        CHECK_STR(tern_message(context), rows[i].words);
        CHECK(tern_message_status(context) == TERN_ERROR_ARGUMENT);
    }
    for (int warps = 1; warps <= 32; warps *= 2) {
        tern_options options = {.size = sizeof options, .num_warps = warps, .num_stages = 64};
        tern_kernel *kernel = tern_compile(module, "ask", signature, &options);
        CHECK(kernel && tern_kernel_num_warps(kernel) == warps &&
              tern_kernel_num_stages(kernel) == 64);
        tern_kernel_free(kernel);
    }
    tern_kernel *kernel = tern_compile(module, "ask", signature, NULL);
    CHECK(kernel && tern_kernel_num_warps(kernel) == 4 && tern_kernel_num_parameters(kernel) == 5);
    CHECK(!tern_kernel_parameter(kernel, -1) && !tern_kernel_parameter(kernel, 5));
    const tern_parameter *y = tern_kernel_parameter(kernel, 0),
                         *c = tern_kernel_parameter(kernel, 4);
    CHECK(y && y->dtype == TERN_INT32 && y->is_pointer && !y->constant && y->divisible == 1);
    CHECK(c && c->dtype == TERN_VOID && !c->is_pointer && c->constant);
    if (c) CHECK_STR(c->constant, "False");
    tern_options options = {.size = sizeof options, .target = "sm_9000"};
    CHECK(!tern_compile(module, "ask", "*i32,True,True,True,True", &options));
    CHECK(strstr(tern_message(context), "there is no GPU target 'sm_9000'"));
    options.target = "sm_90";
    CHECK(!tern_compile(module, "ask", "*i32,True,True,True,True", &options));
    CHECK(strstr(tern_message(context), "did you mean 'sm_90a'?"));
    options.target = "cpu:mips";
    CHECK(!tern_compile(module, "ask", signature, &options));
    CHECK(strstr(tern_message(context), "there is no CPU target 'cpu:mips'"));
    options.target = "interpreter";
    CHECK(!tern_compile(module, "ask", signature, &options));
    CHECK(strstr(tern_message(context), "there is no target 'interpreter'"));
    tern_close(context);
}

TEST(parameters_have_their_types) {
    static const struct {
        const char *type;
        tern_dtype dtype;
        int divisible;
    } rows[] = {
        {"i1", TERN_BOOL, 1},           {"i8", TERN_INT8, 1},
        {"u8", TERN_UINT8, 1},          {"i16", TERN_INT16, 1},
        {"u16", TERN_UINT16, 1},        {"i32:16", TERN_INT32, 16},
        {"u32", TERN_UINT32, 1},        {"i64:16", TERN_INT64, 16},
        {"u64", TERN_UINT64, 1},        {"fp16", TERN_FLOAT16, 1},
        {"bf16", TERN_BFLOAT16, 1},     {"fp32", TERN_FLOAT32, 1},
        {"fp64", TERN_FLOAT64, 1},      {"*i1", TERN_BOOL, 1},
        {"*u8:16", TERN_UINT8, 16},     {"*fp8e4nv", TERN_FLOAT8E4M3, 1},
        {"*fp8e5", TERN_FLOAT8E5M2, 1}, {"*fp64:16", TERN_FLOAT64, 16},
    };
    static const char text[] = "import triton\nimport triton.language as tl\n@triton.jit\n"
                               "def any(v, w):\n    pass\n";
    tern_context *context =
        tern_open(&(tern_open_options){.device = "interp", .cache_dir = ""}, NULL, NULL, 0);
    tern_module *module = tern_load_text(context, text, sizeof text - 1, "any.py");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char signature[64];
        snprintf(signature, sizeof signature, "%s,i32", rows[i].type);
        tern_kernel *kernel = tern_compile(module, "any", signature, NULL);
        const tern_parameter *v = kernel ? tern_kernel_parameter(kernel, 0) : NULL;
        bool fine = v && v->dtype == rows[i].dtype && v->divisible == rows[i].divisible &&
                    v->is_pointer == (rows[i].type[0] == '*') && !strcmp(v->name, "v");
        CHECK(fine);
        if (!fine) printf("%s: %s\n", rows[i].type, kernel ? "other facts" : tern_message(context));
        tern_kernel_free(kernel);
    }
    tern_close(context);
}

TEST_MAIN()
