// SPDX-License-Identifier: Apache-2.0
/* The library as its users meet it: only tern.h, on device interp. What goes wrong is a status and
 * words, and the context stays usable. */
#include "tern.h"
#include "test.h"

static const char source[] = "import triton\n"
                             "import triton.language as tl\n"
                             "@triton.autotune(configs=[triton.Config({'BLOCK': 64}, num_warps=2), "
                             "triton.Config({'BLOCK': 128})], key=['n'])\n"
                             "@triton.jit\n"
                             "def scale(x, y, a, n, BLOCK: tl.constexpr, LAST: tl.constexpr = 7):\n"
                             "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
                             "    tl.store(y + i, tl.load(x + i, mask=i < n) * a, mask=i < n)\n"
                             "\n"
                             "@triton.jit\n"
                             "def show(x):\n"
                             "    tl.device_print('v', tl.load(x))\n";

static tern_context *context;

static tern_module *begin(void) {
    char why[1024];
    tern_status status;
    context = tern_open(&(tern_open_options){.device = "interp"}, &status, why, sizeof why);
    CHECK(context && status == TERN_OK);
    tern_module *module =
        context ? tern_load_text(context, source, sizeof source - 1, "scale.py") : NULL;
    CHECK(module);
    if (!module && context) printf("%s\n", tern_message(context));
    return module;
}

TEST(opening_says_what_is_wrong) {
    char why[256];
    tern_status status = TERN_OK;
    CHECK(!tern_open(&(tern_open_options){.device = "gpu9000"}, &status, why, sizeof why));
    CHECK(status == TERN_ERROR_DEVICE);
    CHECK(strstr(why, "no device 'gpu9000'"));
    CHECK(!tern_open(&(tern_open_options){.device = "interp:2"}, NULL, why, sizeof why));
    CHECK_STR(why, "device 'interp' takes no argument");
    CHECK(!tern_open(&(tern_open_options){.device = "gpu9000"}, NULL, why, 8));
    CHECK(strlen(why) == 7);
    CHECK(!tern_open(&(tern_open_options){.device = "gpu9000"}, NULL, NULL, 0));
    tern_close(NULL);
    CHECK_STR(tern_status_name(TERN_ERROR_KERNEL), "TERN_ERROR_KERNEL");
    CHECK(tern_status_name((tern_status)-99) != NULL);
}

TEST(devices_are_listed) {
    char *text = tern_devices(false), *json = tern_devices(true);
    CHECK(text && strstr(text, "interp   here"));
    CHECK(json && json[0] == '[' && strstr(json, "{\"name\": \"interp\", \"available\": true"));
    tern_free(text);
    tern_free(json);
}

TEST(devices_have_properties) {
    static const struct {
        const char *name;
        bool on_host, is_fast, checks;
    } rows[] = {{"interp", true, false, true},  {"sim:t4", true, false, true},
                {"cpu", true, true, false},     {"cpu:avx2", true, true, false},
                {"cuda:7", false, true, false}, {"simulator", false, false, false},
                {"", false, false, false},      {NULL, false, false, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK(tern_device_property(rows[i].name, TERN_DEVICE_ON_HOST) == rows[i].on_host);
        CHECK(tern_device_property(rows[i].name, TERN_DEVICE_IS_FAST) == rows[i].is_fast);
        CHECK(tern_device_property(rows[i].name, TERN_DEVICE_CHECKS_ACCESSES) == rows[i].checks);
    }
}

TEST(interp_is_no_gpu) {
    tern_context *own = tern_open(&(tern_open_options){.device = "interp"}, NULL, NULL, 0);
    tern_gpu gpu = {.warp_size = -1};
    CHECK(own && tern_context_gpu(own, &gpu) == TERN_ERROR_UNSUPPORTED && gpu.warp_size == -1);
    if (own) CHECK_STR(tern_message(own), "interp is no GPU");
    tern_close(own);
}

TEST(functions_configs_and_parameters) {
    tern_module *module = begin();
    if (!module) return;
    CHECK(tern_module_num_functions(module) == 2);
    const tern_function *function = tern_module_function(module, 0);
    CHECK_STR(function->name, "scale");
    CHECK(function->line == 5 && function->num_parameters == 6);
    CHECK(!strncmp(function->text, "def scale(x, y, a, n", 20));
    CHECK(!function->parameters[0].is_constexpr && function->parameters[4].is_constexpr);
    CHECK_STR(function->parameters[5].default_value, "7");
    CHECK(function->parameters[4].default_value == NULL && !function->parameters[4].has_default);
    CHECK(tern_module_function(module, 2) == NULL && tern_module_function(module, -1) == NULL);
    const tern_config *configs;
    CHECK(tern_module_configs(module, "scale", &configs) == 2);
    CHECK_STR(configs[1].values[0].name, "BLOCK");
    CHECK_STR(configs[1].values[0].text, "128");
    CHECK(configs[0].num_warps == 2);
    CHECK(tern_module_configs(module, "show", &configs) == 0);
    CHECK(tern_module_configs(module, "nothing", &configs) == TERN_ERROR_ARGUMENT);
    CHECK_STR(tern_message(context), "no @triton.jit function 'nothing' here, only: scale, show");

    tern_kernel *kernel =
        tern_compile(module, "scale", "*fp32:16,*fp32,fp32,i32:1", &(tern_options){.config = 1});
    CHECK(kernel);
    if (kernel) {
        CHECK(tern_kernel_num_parameters(kernel) == 6 && tern_kernel_num_warps(kernel) == 2);
        const tern_parameter *p = tern_kernel_parameter(kernel, 0);
        CHECK(p->is_pointer && p->dtype == TERN_FLOAT32 && p->divisible == 16 && !p->constant);
        for (int i = 3; i < 6; i++) CHECK(tern_kernel_parameter(kernel, i)->divisible == 1);
        CHECK_STR(tern_kernel_parameter(kernel, 3)->constant, "1");
        CHECK_STR(tern_kernel_parameter(kernel, 4)->constant, "64");
        CHECK_STR(tern_kernel_parameter(kernel, 5)->constant, "7");
        CHECK(strstr(tern_kernel_text(kernel, TERN_STAGE_FACTS), "constant: BLOCK = 64\n"));
        CHECK(strstr(tern_kernel_text(kernel, TERN_STAGE_IR), "func @scale("));
        CHECK(strstr(tern_kernel_text(kernel, TERN_STAGE_CONFIGS), "2: BLOCK=128\n"));
        CHECK(tern_kernel_text(kernel, TERN_STAGE_C) == NULL);
    }
    tern_close(context);
}

TEST(compile_errors_have_a_place) {
    tern_module *module = begin();
    if (!module) return;
    static const char bad[] = "import triton\nimport triton.language as tl\n@triton.jit\ndef "
                              "f(x):\n    tl.store(x, unknown)\n";
    tern_module *wrong = tern_load_text(context, bad, sizeof bad - 1, "bad.py");
    CHECK(wrong && !tern_compile(wrong, "f", "*fp32", NULL));
    const char *file;
    int line = 0, column = 0;
    CHECK(tern_message_place(context, &file, &line, &column));
    CHECK_STR(file, "bad.py");
    CHECK(line == 5 && column == 17);
    CHECK(!strncmp(tern_message(context), "bad.py:5:17: error: ", 20));
    /* Bad signatures and options; then the context still works. */
    CHECK(!tern_compile(module, "scale", "*fp32,*fp32,fp32", NULL));
    CHECK(!tern_compile(module, "scale", "*fp32,*fp32,fp32,i32,64,7,8", NULL));
    CHECK(!tern_compile(module, "scale", "*float,*fp32,fp32,i32,64", NULL));
    CHECK(!tern_compile(module, "scale", NULL, NULL));
    CHECK(
        !tern_compile(module, "scale", "*fp32,*fp32,fp32,i32,64", &(tern_options){.num_warps = 3}));
    CHECK_STR(tern_message(context), "num_warps is 1, 2, 4, 8, 16 or 32, not 3");
    CHECK(!tern_compile(module, "scale", "*fp32,*fp32,fp32,i32", &(tern_options){.config = 3}));
    CHECK_STR(tern_message(context), "config 3 of 'scale', which has 2");
    CHECK(tern_compile(module, "scale", "*fp32,*fp32,fp32,i32,64", NULL));
    CHECK(!tern_load_file(context, "no/such/file.py"));
    CHECK(strstr(tern_message(context), "no/such/file.py: "));
    tern_close(context);
}

TEST(kernels_outlive_their_module) {
    tern_module *module = begin();
    if (!module) return;
    tern_kernel *kernel = tern_compile(module, "scale", "*fp32,*fp32,fp32,i32,64", NULL);
    tern_module_free(module);
    float x[100], y[100];
    for (int i = 0; i < 100; i++) x[i] = (float)i;
    tern_buffer *bx = tern_wrap(context, x, sizeof x), *by = tern_alloc(context, sizeof y);
    tern_argument arguments[] = {tern_arg_buffer(bx), tern_arg_buffer(by), tern_arg_float(0.5),
                                 tern_arg_int(100)};
    CHECK(kernel && tern_launch(NULL, kernel, (uint32_t[]){2, 1, 1}, arguments, 4) == TERN_OK);
    CHECK(tern_read(by, 0, y, sizeof y) == TERN_OK);
    for (int i = 0; i < 100; i++) CHECK(y[i] == 0.5f * x[i]);
    /* Out of the kernel's bounds: an error, the context stays usable. */
    arguments[3] = tern_arg_int(101);
    CHECK(tern_launch(NULL, kernel, (uint32_t[]){2, 1, 1}, arguments, 4) == TERN_ERROR_KERNEL);
    CHECK(strstr(tern_message(context), "scale.py:7:"));
    arguments[3] = tern_arg_int(100);
    CHECK(tern_launch(NULL, kernel, (uint32_t[]){2, 1, 1}, arguments, 4) == TERN_OK);
    tern_kernel_free(kernel);
    tern_close(context);
}

TEST(tensor_descriptors_and_tuples) {
    if (!begin()) return;
    static const char text[] =
        "import triton\nimport triton.language as tl\n@triton.jit\ndef k(desc, parts):\n"
        "    y, (n, by) = parts\n    i = tl.arange(0, 4)\n"
        "    tl.store(y + i, tl.sum(desc.load([0, 0]), 1) * by, mask=i < n)\n";
    tern_module *module = tern_load_text(context, text, strlen(text), "desc.py");
    tern_buffer *x = tern_alloc(context, 48), *y = tern_alloc(context, 16);
    float in[12], out[4];
    for (int i = 0; i < 12; i++) in[i] = (float)i;
    tern_descriptor desc = {.base = x,
                            .dtype = TERN_FLOAT32,
                            .rank = 2,
                            .shape = {3, 4},
                            .strides = {4, 1},
                            .block = {4, 4}};
    char type[64], signature[128];
    CHECK(!tern_descriptor_error(&desc));
    CHECK(tern_descriptor_type(&desc, type, sizeof type) == 24);
    CHECK_STR(type, "tensordesc<fp32[4,4]:16>");
    CHECK(tern_descriptor_type(&desc, NULL, 0) == 24);
    snprintf(signature, sizeof signature, "%s,(*fp32:16,(i32,fp32))", type);
    tern_kernel *kernel = tern_compile(module, "k", signature, NULL);
    tern_argument arguments[2 * TERN_DESCRIPTOR_RANK + 3];
    int count = tern_descriptor_arguments(&desc, arguments);
    CHECK(count == 4);
    arguments[count++] = tern_arg_buffer(y);
    arguments[count++] = tern_arg_int(4);
    arguments[count++] = tern_arg_float(2);
    CHECK(x && y && tern_write(x, 0, in, sizeof in) == TERN_OK);
    CHECK(kernel && tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, count) == TERN_OK);
    CHECK(tern_read(y, 0, out, sizeof out) == TERN_OK);
    for (int i = 0; i < 4; i++) CHECK(out[i] == (i < 3 ? 2 * (float)(16 * i + 6) : 0));
    desc.offset = 8;
    CHECK_STR(tern_descriptor_error(&desc), "its base is not aligned to 16 bytes");
    desc.offset = 0, desc.strides[0] = 6;
    CHECK_STR(tern_descriptor_error(&desc), "its strides are not multiples of 16 bytes");
    desc.strides[0] = 4, desc.block[0] = 3;
    CHECK_STR(tern_descriptor_error(&desc), "its block is not of powers of two");
    desc.block[0] = 4, desc.rank = 6;
    CHECK_STR(tern_descriptor_error(&desc), "it has 1 to 5 dimensions");
    tern_close(context);
}

TEST(one_limit_on_the_size_of_a_source) {
    if (!begin()) return;
    size_t limit = 16 << 20;
    char *text = malloc(limit + 1);
    CHECK(text != NULL);
    if (!text) return;
    memset(text, '\n', limit + 1);
    char path[] = "/tmp/tern-large-XXXXXX";
    int descriptor = mkstemp(path);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    CHECK(file && fwrite(text, 1, limit + 1, file) == limit + 1 && !fclose(file));
    CHECK(!tern_load_text(context, text, limit + 1, "large.py"));
    CHECK_STR(tern_message(context), "a source text of 16777217 bytes: the limit is 16 MB");
    CHECK(!tern_load_file(context, path));
    CHECK(strstr(tern_message(context), ": larger than the limit of 16777216 bytes"));
    CHECK(tern_load_text(context, text, limit, "large.py"));
    remove(path);
    free(text);
    tern_close(context);
}

TEST(buffers_are_checked) {
    if (!begin()) return;
    char bytes[64];
    tern_buffer *buffer = tern_alloc(context, 64), *empty = tern_alloc(context, 0);
    CHECK(buffer && empty && tern_buffer_size(buffer) == 64);
    CHECK((uintptr_t)tern_buffer_pointer(buffer) % 256 == 0);
    const char *start = tern_buffer_pointer(buffer);
    size_t into = 0;
    CHECK(tern_buffer_at(context, start, NULL) == buffer);
    CHECK(tern_buffer_at(context, start + 63, &into) == buffer && into == 63);
    CHECK(!tern_buffer_at(context, start + 64, &into) && !tern_buffer_at(context, NULL, &into));
    CHECK(!tern_buffer_at(context, start - 1, &into) && into == 63);
    CHECK(tern_fill(buffer, 0x5a) == TERN_OK && tern_fill(empty, 1) == TERN_OK);
    CHECK(tern_read(buffer, 32, bytes, 32) == TERN_OK && bytes[31] == 0x5a);
    CHECK(tern_read(buffer, 33, bytes, 32) == TERN_ERROR_ARGUMENT);
    CHECK(tern_write(buffer, SIZE_MAX, bytes, 2) == TERN_ERROR_ARGUMENT);
    CHECK(tern_write(empty, 0, bytes, 0) == TERN_OK);
    CHECK(!tern_wrap(context, NULL, 4));
    CHECK(!tern_alloc(context, SIZE_MAX - 100));
    CHECK_STR(tern_message(context), "out of host memory");
    tern_buffer *many[100];
    for (int i = 0; i < 100; i++) many[i] = tern_alloc(context, 16);
    for (int i = 0; i < 100; i += 2) tern_buffer_free(many[i]);
    for (int i = 1; i < 100; i += 2) CHECK(tern_fill(many[i], (unsigned char)i) == TERN_OK);
    tern_buffer_free(NULL);
    tern_close(context);
}

static char heard[256];
static void hear(void *user, const char *text, size_t length) {
    CHECK(user == &heard);
    strncat(heard, text, length);
}

TEST(output_goes_where_it_should) {
    tern_module *module = begin();
    if (!module) return;
    tern_kernel *kernel = tern_compile(module, "show", "*i32", NULL);
    int32_t value = -5;
    tern_argument argument = tern_arg_buffer(tern_wrap(context, &value, sizeof value));
    CHECK(kernel && tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, &argument, 1) == TERN_OK);
    char *text = tern_take_output(context);
    CHECK_STR(text, "pid (0, 0, 0) idx () v: -5\n");
    tern_free(text);
    tern_set_output(context, hear, heard);
    CHECK(kernel && tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, &argument, 1) == TERN_OK);
    CHECK_STR(heard, "pid (0, 0, 0) idx () v: -5\n");
    CHECK(!tern_take_output(context));
    tern_close(context);
}

/* Also where the compilation then fails: it is how such a failure is looked into. */
TEST(static_print_is_output) {
    static const char say[] = "import triton\nimport triton.language as tl\n@triton.jit\n"
                              "def say(x, N: tl.constexpr):\n"
                              "    tl.static_print('N is', N)\n"
                              "    tl.static_print(N, x.dtype, sep='+', end='.\\n')\n"
                              "    tl.store(x, 1 // N)\n";
    tern_context *c = tern_open(&(tern_open_options){.device = "interp"}, NULL, NULL, 0);
    tern_module *module = c ? tern_load_text(c, say, strlen(say), "say.py") : NULL;
    CHECK(module != NULL);
    if (!module) return;
    CHECK(tern_compile(module, "say", "*i32,2", NULL) != NULL);
    char *text = tern_take_output(c);
    CHECK_STR(text, "N is 2\n2+pointer<int32>.\n");
    tern_free(text);
    CHECK(!tern_compile(module, "say", "*i32,0", NULL));
    CHECK_STR(text = tern_take_output(c), "N is 0\n0+pointer<int32>.\n");
    tern_free(text);
    tern_close(c);
}

/* By hand from tern.h, whose numbers programs are compiled with, and from torch's and NumPy's
 * docs. */
TEST(each_data_type_has_its_number_and_names) {
    static const struct {
        tern_dtype dtype;
        int number, size;
        const char *name, *torch, *numpy;
        bool is_float, is_signed;
    } rows[] = {
        {TERN_BOOL, 1, 1, "i1", "torch.bool", "np.bool_", false, false},
        {TERN_INT8, 2, 1, "i8", "torch.int8", "np.int8", false, true},
        {TERN_INT16, 3, 2, "i16", "torch.short", "np.int16", false, true},
        {TERN_INT32, 4, 4, "i32", "torch.int", "np.int32", false, true},
        {TERN_INT64, 5, 8, "i64", "torch.long", "np.int64", false, true},
        {TERN_UINT8, 6, 1, "u8", "torch.uint8", "np.uint8", false, false},
        {TERN_UINT16, 7, 2, "u16", "torch.uint16", "np.uint16", false, false},
        {TERN_UINT32, 8, 4, "u32", "torch.uint32", "np.uint32", false, false},
        {TERN_UINT64, 9, 8, "u64", "torch.uint64", "np.uint64", false, false},
        {TERN_FLOAT8E4M3, 10, 1, "fp8e4nv", "torch.float8_e4m3fn", "tl.float8e4nv", true, true},
        {TERN_FLOAT8E5M2, 11, 1, "fp8e5", "torch.float8_e5m2", "tl.float8e5", true, true},
        {TERN_FLOAT8E4B15, 12, 1, "fp8e4b15", "tl.float8e4b15", "f8e4b15", true, true},
        {TERN_FLOAT16, 13, 2, "fp16", "torch.half", "np.float16", true, true},
        {TERN_BFLOAT16, 14, 2, "bf16", "torch.bfloat16", "bfloat16", true, true},
        {TERN_FLOAT32, 15, 4, "fp32", "torch.float", "np.float32", true, true},
        {TERN_FLOAT64, 16, 8, "fp64", "torch.double", "np.float64", true, true},
    };
    const int count = (int)(sizeof rows / sizeof rows[0]);
    for (int i = 0; i < count; i++) {
        tern_dtype dtype = rows[i].dtype;
        CHECK((int)dtype == rows[i].number && (int)tern_dtype_size(dtype) == rows[i].size);
        CHECK_STR(tern_dtype_name(dtype), rows[i].name);
        CHECK(tern_dtype_from_name(rows[i].torch) == dtype);
        CHECK(tern_dtype_from_name(rows[i].numpy) == dtype);
        CHECK(tern_dtype_is_float(dtype) == rows[i].is_float);
        CHECK(tern_dtype_is_signed(dtype) == rows[i].is_signed);
    }
    CHECK(tern_dtype_size((tern_dtype)(count + 1)) == 0 && tern_dtype_size(TERN_VOID) == 0);
}

TEST(data_types) {
    CHECK(tern_dtype_from_name("float32") == TERN_FLOAT32 &&
          tern_dtype_from_name("torch.bfloat16") == TERN_BFLOAT16);
    CHECK(tern_dtype_from_name("fp8e4nv") == TERN_FLOAT8E4M3 &&
          tern_dtype_from_name("u16") == TERN_UINT16);
    CHECK(tern_dtype_from_name("float") == TERN_FLOAT32 &&
          tern_dtype_from_name("floa") == TERN_VOID);
    CHECK(tern_dtype_from_name("") == TERN_VOID && tern_dtype_from_name(" ") == TERN_VOID);
    for (int i = TERN_BOOL; i <= TERN_FLOAT64; i++) {
        tern_dtype dtype = (tern_dtype)i;
        char bytes[8] = {0};
        CHECK(tern_dtype_from_name(tern_dtype_name(dtype)) == dtype);
        tern_element_set_double(dtype, bytes, 1);
        CHECK(tern_element_double(dtype, bytes) == 1 && tern_element_int(dtype, bytes) == 1);
    }
    uint16_t half;
    tern_element_set_double(TERN_FLOAT16, &half, 65519.999);
    CHECK(half == 0x7bff);
    tern_element_set_double(TERN_FLOAT16, &half, 65520);
    CHECK(half == 0x7c00);
    tern_element_set_double(TERN_FLOAT16, &half, 1 + 0x1p-11); /* a tie: to even */
    CHECK(half == 0x3c00);
    int8_t small;
    tern_element_set_double(TERN_INT8, &small, 300);
    CHECK(small == 127);
    tern_element_set_double(TERN_INT8, &small, -1e30);
    CHECK(small == -128);
    tern_element_set_double(TERN_INT8, &small, NAN);
    CHECK(small == 0);
    tern_element_set_int(TERN_INT8, &small, 300);
    CHECK(small == 44);
    uint64_t large;
    tern_element_set_double(TERN_UINT64, &large, 1e30);
    CHECK(large == UINT64_MAX);
    CHECK(tern_element_double(TERN_UINT64, &large) == 0x1p64);
    float from[3] = {1.5f, -2.5f, 1e9f};
    int16_t to[3];
    tern_convert(TERN_FLOAT32, from, TERN_INT16, to, 3);
    CHECK(to[0] == 1 && to[1] == -2 && to[2] == 32767);
}

TEST_MAIN()
