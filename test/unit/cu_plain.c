// SPDX-License-Identifier: Apache-2.0
/* Kernels of test/cuda/plain.cu on each device that needs no GPU, against the same text compiled by
 * the compiler of this test. */
#include "test.h"
#include "tern.h"

#include <assert.h>
#include <math.h>
#include <stdalign.h>

typedef struct float4 {
    float x, y, z, w;
} float4;
typedef struct uchar4 {
    unsigned char x, y, z, w;
} uchar4;
static struct { int x, y, z; } threadIdx, blockIdx, blockDim = {32, 1, 1};
#define __global__ static
#define __device__
#define __constant__
static void atomicAdd(int *at, int by) { *at += by; }
#include "../cuda/plain.cu"

enum { N = 100, BLOCKS = 4 };

#define EACH_THREAD                                                                                \
    for (blockIdx.x = 0; blockIdx.x < BLOCKS; blockIdx.x++)                                        \
        for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++)

static tern_context *context;
static tern_module *module;

/* Of the d-th device. */
static bool on_device(int d) {
    static const char *const devices[] = {"sim", "interp", "cpu", NULL};
    tern_module_free(module);
    tern_close(context);
    context = NULL, module = NULL;
    if (!devices[d]) return false;
    context = tern_open(&(tern_open_options){.device = devices[d]}, NULL, NULL, 0);
    module = context ? tern_load_file(context, "test/cuda/plain.cu") : NULL;
    CHECK(module != NULL);
    return module != NULL;
}

#define ON_EACH_DEVICE for (int device = 0; on_device(device); device++)

static tern_kernel *compiled(const char *name, const char *signature) {
    tern_options options = {.block = {blockDim.x}, .verify = true};
    tern_kernel *kernel = tern_compile(module, name, signature, &options);
    if (!kernel) printf("%s\n", tern_message(context));
    CHECK(kernel != NULL);
    return kernel;
}

static void launch(const char *name, const tern_argument *arguments, int count) {
    tern_kernel *kernel = compiled(name, NULL);
    tern_status status =
        kernel ? tern_launch(NULL, kernel, (uint32_t[]){BLOCKS, 1, 1}, arguments, count)
               : TERN_ERROR_COMPILE;
    if (kernel && status) printf("%s\n", tern_message(context));
    CHECK(status == TERN_OK);
    tern_kernel_free(kernel);
}

static tern_buffer *filled(const void *data, size_t bytes) {
    tern_buffer *buffer = tern_alloc(context, bytes);
    CHECK(buffer && tern_write(buffer, 0, data, bytes) == TERN_OK);
    return buffer;
}

/* ---- structs as parameters ---- */

TEST(structs_are_passed_by_value) {
    float out[N] = {0}, want[N];
    int from[N];
    Point more[3] = {{1, 10}, {2, 20}, {3, 30}};
    Task task = {from, {0.5f, -1}, {{{1, 100}, {2, 200}}, {{3, 300}, {4, 400}}}, 3, true,
                 more, {-7, 0.125}};
    float4 weights = {0.25f, 2, 3, 4};
    uchar4 bytes = {1, 250, 3, 200};
    for (int i = 0; i < N; i++) from[i] = i * 3 % 17;
    EACH_THREAD tasks(want, task, weights, bytes, N);
    ON_EACH_DEVICE {
        tern_buffer *to = filled(out, sizeof out);
        tern_argument arguments[] = {tern_arg_buffer(to),
                                     tern_arg_buffer(filled(from, sizeof from)),
                                     tern_arg_float(task.origin.x),
                                     tern_arg_float(task.origin.y),
                                     tern_arg_float(1),
                                     tern_arg_float(100),
                                     tern_arg_float(2),
                                     tern_arg_float(200),
                                     tern_arg_float(3),
                                     tern_arg_float(300),
                                     tern_arg_float(4),
                                     tern_arg_float(400),
                                     tern_arg_int(3),
                                     tern_arg_int(1),
                                     tern_arg_buffer(filled(more, sizeof more)),
                                     tern_arg_int(-7),
                                     tern_arg_float(0.125),
                                     tern_arg_float(weights.x),
                                     tern_arg_float(2),
                                     tern_arg_float(3),
                                     tern_arg_float(4),
                                     tern_arg_int(1),
                                     tern_arg_int(250),
                                     tern_arg_int(3),
                                     tern_arg_int(200),
                                     tern_arg_int(N)};
        launch("tasks", arguments, sizeof arguments / sizeof *arguments);
        CHECK(tern_read(to, 0, out, sizeof out) == TERN_OK);
        for (int i = 0; i < N; i++) CHECK(out[i] == want[i]);
    }
}

TEST(a_struct_has_as_many_values_as_its_fields) {
    static const struct {
        const char *signature, *words;
    } cases[] = {
        {"*fp32, 1", "argument 'task' of kernel 'tasks': a 'Task' is 16 values, not 1"},
        {"*fp32, (*fp32, (fp32, fp32))", "argument 'task' of kernel 'tasks' has a pointer to fp32 "
                                         "where the source's 'Task' has one "
                                         "to i32"},
        {"*fp32, (*i32, (fp32, fp32))",
         "argument 'task' of kernel 'tasks': a 'Task' is 16 values, not 3"},
        {"(*fp32, i32)", "argument 'out' of kernel 'tasks': a 'float *' is 1 value, not 2"},
    };
    CHECK(on_device(1));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tern_options options = {.block = {32}};
        CHECK(!tern_compile(module, "tasks", cases[i].signature, &options));
        CHECK_STR(tern_message(context), cases[i].words);
    }
    tern_kernel *kernel = compiled("tasks", NULL);
    const tern_parameter *corner = tern_kernel_parameter(kernel, 6);
    CHECK(tern_kernel_num_parameters(kernel) == 26 && corner && corner->dtype == TERN_FLOAT32);
    CHECK_STR(corner ? corner->name : "", "task.2.0.1.0");
    tern_kernel_free(kernel);
    on_device(3);
}

/* ---- symbols ---- */

static void read_symbol(const char *name, void *to, size_t bytes) {
    tern_buffer *buffer = tern_module_symbol(module, name);
    if (!buffer) printf("%s\n", tern_message(context));
    CHECK(buffer && tern_buffer_size(buffer) == bytes && !tern_read(buffer, 0, to, bytes));
}

/* What they hold is what those of the C compiler hold. */
static void check_symbols(void) {
#define SAME(name)                                                                                 \
    do {                                                                                           \
        char bytes[sizeof name];                                                                   \
        read_symbol(#name, bytes, sizeof name);                                                    \
        CHECK(!memcmp(bytes, &name, sizeof name));                                                 \
    } while (0)
    SAME(coefficients);
    SAME(order);
    SAME(entries);
    SAME(hits);
    SAME(limit);
    SAME(squares);
    SAME(trail);
    SAME(last);
}

/* Twice, so that what the first launch left is there in the second. */
TEST(symbols_belong_to_the_module) {
    float out[N], want[N], first[4], second[4] = {8, 7, 6, 5};
    memcpy(first, coefficients, sizeof first);
    ON_EACH_DEVICE {
        check_symbols();
        for (int turn = 0; turn < 2; turn++) {
            tern_buffer *to = filled(out, sizeof out);
            launch("symbols", (tern_argument[]){tern_arg_buffer(to), tern_arg_int(N)}, 2);
            CHECK(tern_read(to, 0, out, sizeof out) == TERN_OK);
            EACH_THREAD symbols(want, N);
            for (int i = 0; i < N; i++) CHECK(out[i] == want[i]);
            check_symbols();
            memcpy(coefficients, second, sizeof second);
            tern_buffer *there = tern_module_symbol(module, "coefficients");
            CHECK(there && tern_write(there, 0, second, sizeof second) == TERN_OK);
        }
        hits = 0, last = -5;
        memset(trail, 0, sizeof trail);
        memcpy(coefficients, first, sizeof first);
    }
}

static const tern_options one = {.block = {1}};

static void refused(const char *text, const char *words) {
    context = tern_open(&(tern_open_options){.device = "interp"}, NULL, NULL, 0);
    tern_module *own = tern_load_text(context, text, strlen(text), "k.cu");
    CHECK(own && !tern_compile(own, "k", NULL, &one));
    const char *message = tern_message(context),
               *cure = strstr(message, "\nhelp: for devices cuda");
    CHECK((cure != NULL) == (strstr(words, "not supported") != NULL));
    CHECK(!strncmp(message, words, strlen(words)) &&
          strlen(words) == (cure ? (size_t)(cure - message) : strlen(message)));
    if (cure)
        CHECK_STR(cure, "\nhelp: for devices cuda and sim NVRTC compiles it: --builder nvrtc");
    tern_module_free(own);
    tern_close(context);
    context = NULL;
}

TEST(symbols_that_there_are_not) {
    refused("__device__ int f(int x) { return x; }\n"
            "__device__ float x = 1, y = x;\n__global__ void k(float *p) { *p = y; }\n",
            "k.cu:2:27: not supported: an initial value of 'y' that is not known at compile time\n"
            "   2 | __device__ float x = 1, y = x;\n"
            "     |                           ^");
    refused("int y;\n__global__ void k(int *p) { *p = y; }\n",
            "k.cu:1:5: not supported: variable 'y', which is neither constant nor a kernel's own\n"
            "   1 | int y;\n"
            "     |     ^\n"
            "k.cu:1:5: help: declare it '__device__' or '__constant__'");
    refused("__constant__ int y;\n__global__ void k(int *p) { y = *p; }\n",
            "k.cu:2:29: error: this is const\n"
            "   2 | __global__ void k(int *p) { y = *p; }\n"
            "     |                             ^");
    CHECK(on_device(1));
    CHECK(!tern_module_symbol(module, "third"));
    CHECK(!tern_module_symbol(module, "tasks"));
    CHECK_STR(tern_message(context), "no __device__ or __constant__ variable 'tasks' here");
    on_device(3);
}

/* ---- pieces of numbers ---- */

TEST(pieces_of_numbers_are_those_of_libm) {
    double in[N], out[N][8], want[N][8];
    static const double edges[] = {
        0,     -0.0,   INFINITY, -INFINITY, NAN, 5e-324, -3e-310, 2.2250738585072014e-308,
        1e-45, -1,     0.5,      -0.5,      1.5, 2.5,    -2.5,    8388609.5,
        1e300, -7e-320};
    for (int i = 0; i < N; i++)
        in[i] =
            i < (int)(sizeof edges / sizeof *edges) ? edges[i] : (i - 50) * exp2(i % 40 - 20) / 3;
    EACH_THREAD pieces(&want[0][0], in, N);
    ON_EACH_DEVICE {
        tern_buffer *to = filled(out, sizeof out), *from = filled(in, sizeof in);
        launch("pieces",
               (tern_argument[]){tern_arg_buffer(to), tern_arg_buffer(from), tern_arg_int(N)}, 3);
        CHECK(tern_read(to, 0, out, sizeof out) == TERN_OK);
        for (int i = 0; i < N; i++)
            for (int k = 0; k < 8; k++) {
                bool is_exponent = k == 1 || k == 3; /* C leaves it open where there is none */
                if (is_exponent && !isfinite(in[i])) continue;
                CHECK(out[i][k] == want[i][k] || (isnan(out[i][k]) && isnan(want[i][k])));
                CHECK(signbit(out[i][k]) == signbit(want[i][k]) || isnan(want[i][k]));
            }
    }
}

/* ---- lanes and parts ---- */

/* Kernels of (out, in, n), where out has `each` numbers for each of the N of in. */
static void same_as_c(const char *name, void (*kernel)(float *, const float *, int), int each,
                      int n) {
    enum { MOST = 12 * BLOCKS * 32 };
    static float out[MOST], want[MOST];
    float in[BLOCKS * 32];
    size_t bytes = sizeof *out * (size_t)each * BLOCKS * 32;
    for (int i = 0; i < BLOCKS * 32; i++) in[i] = (float)(i * 7 % 50 - 20);
    memset(want, 0, sizeof want);
    EACH_THREAD kernel(want, in, n);
    ON_EACH_DEVICE {
        memset(out, 0, sizeof out);
        tern_buffer *to = filled(out, bytes), *from = filled(in, sizeof in);
        launch(name, (tern_argument[]){tern_arg_buffer(to), tern_arg_buffer(from), tern_arg_int(n)},
               3);
        CHECK(tern_read(to, 0, out, bytes) == TERN_OK && !memcmp(out, want, bytes));
    }
}

TEST(some_lanes_of_each_eight) { same_as_c("lanes", lanes, 1, 6); }
TEST(asserts_in_a_text_of_many_parts) { same_as_c("parts", parts, 12, N); }

TEST_MAIN()
