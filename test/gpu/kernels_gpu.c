// SPDX-License-Identifier: Apache-2.0
/* The kernels we ship, on a GPU and on interp with the same bytes: the results must agree, and what
 * lies behind each output must stay as it was. Sizes are ragged on purpose; every kernel runs with
 * several numbers of warps, with and without what the arguments allow the compiler to assume.
 *
 * TERN_TEST_DEVICE names another device than cuda to compare with interp. */
#include "test.h"

#include "gpu/child.h"
#include "tern.h"

enum { MOST_ARGS = 20, GUARD = 64 };

typedef enum ArgKind { ARG_END, ARG_IN, ARG_OUT, ARG_ZERO, ARG_INT, ARG_FLOAT } ArgKind;

typedef struct Arg {
    ArgKind kind;
    tern_dtype dtype;
    int64_t count; /* of elements; or the integer */
    double number;
} Arg;

#define IN(dtype, count)                                                                           \
    { ARG_IN, dtype, count, 0 }
#define OUT(dtype, count)                                                                          \
    { ARG_OUT, dtype, count, 0 } /* poisoned */
#define ZERO(dtype, count)                                                                         \
    { ARG_ZERO, dtype, count, 0 }
#define INT(value)                                                                                 \
    { ARG_INT, TERN_INT32, value, 0 }
#define FLOAT(value)                                                                               \
    { ARG_FLOAT, TERN_FLOAT32, 0, value }
#define F32 TERN_FLOAT32
#define F16 TERN_FLOAT16

typedef struct Case {
    const char *file, *function, *constants;
    uint32_t grid[3];
    double tolerance; /* of |difference| / (rms + |value|) */
    Arg args[MOST_ARGS];
} Case;

typedef struct Side { /* one device, with one module */
    tern_context *context;
    tern_module *module;
    tern_kernel *kernel;
    tern_buffer *buffers[MOST_ARGS];
    void *bytes[MOST_ARGS]; /* afterwards */
} Side;

static int count_args(const Case *c) {
    int count = 0;
    while (count < MOST_ARGS && c->args[count].kind != ARG_END) count++;
    return count;
}

static bool is_tensor(const Arg *arg) {
    return arg->kind == ARG_IN || arg->kind == ARG_OUT || arg->kind == ARG_ZERO;
}

static size_t size_of(const Arg *arg) {
    return ((size_t)arg->count + GUARD) * tern_dtype_size(arg->dtype);
}

static void signature_of(const Case *c, bool assume, char *out, size_t size) {
    int count = count_args(c);
    out[0] = 0;
    for (int i = 0; i < count; i++) {
        const Arg *arg = &c->args[i];
        const char *hint = "";
        if (assume && (is_tensor(arg) || (arg->kind == ARG_INT && arg->count % 16 == 0)))
            hint = ":16";
        if (assume && arg->kind == ARG_INT && arg->count == 1) hint = ":1";
        size_t at = strlen(out);
        snprintf(out + at, size - at, "%s%s%s%s", i ? "," : "", is_tensor(arg) ? "*" : "",
                 tern_dtype_name(arg->dtype), hint);
    }
    size_t at = strlen(out);
    snprintf(out + at, size - at, ",%s", c->constants);
}

/* Values near a normal distribution, the same on each side. */
static void fill_input(const Arg *arg, void *bytes, uint64_t seed) {
    size_t element = tern_dtype_size(arg->dtype);
    uint64_t state = seed * 2654435761u + 88172645463325252u;
    for (int64_t i = 0; i < arg->count; i++) {
        double sum = -2;
        for (int k = 0; k < 4; k++) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            sum += (double)(state >> 11) / 9007199254740992.0;
        }
        tern_element_set_double(arg->dtype, (char *)bytes + (size_t)i * element, sum * 1.7);
    }
}

static bool failed(const Side *side, const char *what) {
    test_bad_checks++;
    printf("%s on %s: %s\n", what, tern_device_name(side->context), tern_message(side->context));
    return false;
}

static bool run_side(Side *side, const Case *c, const char *signature, int warps) {
    tern_argument arguments[MOST_ARGS];
    int count = count_args(c), passed = 0;
    side->kernel =
        tern_compile(side->module, c->function, signature, &(tern_options){.num_warps = warps});
    if (!side->kernel) return failed(side, "compile");
    for (int i = 0; i < count; i++) {
        const Arg *arg = &c->args[i];
        if (is_tensor(arg)) {
            side->bytes[i] = malloc(size_of(arg));
            memset(side->bytes[i], arg->kind == ARG_ZERO ? 0 : 0x7f, size_of(arg));
            if (arg->kind == ARG_IN) fill_input(arg, side->bytes[i], (uint64_t)i + 1);
            side->buffers[i] = tern_alloc(side->context, size_of(arg));
            if (!side->buffers[i] || tern_write(side->buffers[i], 0, side->bytes[i], size_of(arg)))
                return failed(side, "write");
        }
        if (tern_kernel_parameter(side->kernel, i)->dtype == TERN_VOID) continue;
        arguments[passed++] = is_tensor(arg)           ? tern_arg_buffer(side->buffers[i])
                              : arg->kind == ARG_FLOAT ? tern_arg_float(arg->number)
                                                       : tern_arg_int(arg->count);
    }
    if (tern_launch(NULL, side->kernel, c->grid, arguments, passed)) return failed(side, "launch");
    if (tern_synchronize(side->context)) return failed(side, "run");
    for (int i = 0; i < count; i++)
        if (side->buffers[i] &&
            tern_read(side->buffers[i], 0, side->bytes[i], size_of(&c->args[i])))
            return failed(side, "read");
    return true;
}

static void forget(Side *side) {
    for (int i = 0; i < MOST_ARGS; i++) {
        tern_buffer_free(side->buffers[i]);
        free(side->bytes[i]);
        side->buffers[i] = NULL, side->bytes[i] = NULL;
    }
    tern_kernel_free(side->kernel);
    side->kernel = NULL;
}

/* The worst |difference| / (rms + |value|); infinite where one is NaN and the other is not. */
static double worst_difference(const Arg *arg, const char *got, const char *want) {
    size_t element = tern_dtype_size(arg->dtype);
    double squares = 0, worst = 0;
    for (int64_t i = 0; i < arg->count; i++) {
        double value = tern_element_double(arg->dtype, want + (size_t)i * element);
        if (isfinite(value)) squares += value * value / (double)arg->count;
    }
    for (int64_t i = 0; i < arg->count; i++) {
        size_t at = (size_t)i * element;
        if (memcmp(got + at, want + at, element) == 0) continue;
        double a = tern_element_double(arg->dtype, got + at);
        double b = tern_element_double(arg->dtype, want + at);
        if (isnan(a) && isnan(b)) continue;
        double difference = fabs(a - b) / (sqrt(squares) + fabs(b));
        if (!(difference <= worst)) worst = isnan(difference) ? INFINITY : difference;
    }
    return worst;
}

static void compare(const Case *c, const Side *got, const Side *want, const char *signature,
                    int warps) {
    for (int i = 0; c->args[i].kind != ARG_END && i < MOST_ARGS; i++) {
        const Arg *arg = &c->args[i];
        if (!is_tensor(arg)) continue;
        size_t used = (size_t)arg->count * tern_dtype_size(arg->dtype);
        double worst = worst_difference(arg, got->bytes[i], want->bytes[i]);
        bool behind = memcmp((char *)got->bytes[i] + used, (char *)want->bytes[i] + used,
                             size_of(arg) - used) == 0;
        if (worst <= c->tolerance && behind) continue;
        test_bad_checks++;
        printf("%s, argument %d, num_warps %d, %s: difference %.3g, allowed %.3g%s\n", c->function,
               i, warps, signature, worst, c->tolerance, behind ? "" : "; wrote behind the end");
    }
}

static tern_context *open_context(const char *device) {
    char words[2048];
    tern_context *context = tern_open(&(tern_open_options){.device = device, .timeout_ms = 60000},
                                      NULL, words, sizeof words);
    if (!context) printf("%s: %s\n", device, words);
    CHECK(context != NULL);
    return context;
}

static void run_cases(const char *test, const Case *cases, int num_cases) {
    static const int all_warps[] = {1, 2, 4, 8, 16, 32};
    const char *device = getenv("TERN_TEST_DEVICE");
    bool slow =
        getenv("TERN_TEST_HARMLESS") != NULL; /* under a checking tool: fewer, in this process */
    if (!slow && !in_child(test)) return;
    Side got = {.context = open_context(device ? device : "cuda")},
         want = {.context = open_context("interp")};
    for (int i = 0; i < num_cases && got.context && want.context; i++) {
        const Case *c = &cases[i];
        char signature[1024];
        got.module = tern_load_file(got.context, c->file);
        want.module = tern_load_file(want.context, c->file);
        if (!got.module || !want.module) {
            failed(got.module ? &want : &got, "load");
            break;
        }
        signature_of(c, false, signature, sizeof signature);
        bool known = run_side(&want, c, signature, 4);
        for (int k = 0; k < 12 && known; k++) {
            if (slow && all_warps[k / 2] != 1 && all_warps[k / 2] != 4) continue;
            signature_of(c, k % 2, signature, sizeof signature);
            if (run_side(&got, c, signature, all_warps[k / 2]))
                compare(c, &got, &want, signature, all_warps[k / 2]);
            forget(&got);
        }
        forget(&want);
        tern_module_free(got.module), tern_module_free(want.module);
    }
    tern_close(got.context);
    tern_close(want.context);
}

#define RUN(name, ...)                                                                             \
    TEST(name) {                                                                                   \
        static const Case cases[] = {__VA_ARGS__};                                                 \
        run_cases(#name, cases, (int)(sizeof cases / sizeof *cases));                              \
    }

RUN(vector_add,
    {"kernels/vector_add.py",
     "vector_add_kernel",
     "BLOCK=1024",
     {10, 1, 1},
     0,
     {IN(F32, 10003), IN(F32, 10003), OUT(F32, 10003), INT(10003)}},
    {"kernels/vector_add.py",
     "vector_add_kernel",
     "BLOCK=16",
     {64, 1, 1},
     0,
     {IN(F16, 1024), IN(F16, 1024), OUT(F16, 1024), INT(1024)}})

RUN(gelu,
    {"kernels/gelu.py",
     "gelu_kernel",
     "BLOCK=512",
     {8, 1, 1},
     1e-5,
     {IN(F32, 4001), OUT(F32, 4001), INT(4001)}},
    {"kernels/gelu.py",
     "gelu_kernel",
     "BLOCK=1024",
     {4, 1, 1},
     2e-3,
     {IN(F16, 4096), OUT(F16, 4096), INT(4096)}})

RUN(square, {"kernels/square.py",
             "square_kernel",
             "BLOCK=1024",
             {17, 1, 1},
             1e-6,
             {IN(F32, 17 * 781), OUT(F32, 17 * 781), INT(781), INT(781), INT(781)}})

RUN(softmax,
    {"kernels/softmax.py",
     "softmax_kernel",
     "BLOCK=1024",
     {13, 1, 1},
     1e-5,
     {IN(F32, 13 * 781), OUT(F32, 13 * 781), INT(781), INT(781), INT(781)}},
    {"kernels/softmax.py",
     "softmax_kernel",
     "BLOCK=1024",
     {8, 1, 1},
     1e-5,
     {IN(F32, 8 * 1024), OUT(F32, 8 * 1024), INT(1024), INT(1024), INT(1024)}},
    {"kernels/softmax.py",
     "softmax_kernel",
     "BLOCK=8192",
     {3, 1, 1},
     1e-5,
     {IN(F32, 3 * 5000), OUT(F32, 3 * 5000), INT(5000), INT(5000), INT(5000)}},
    {"kernels/softmax.py",
     "softmax_kernel",
     "BLOCK=16",
     {5, 1, 1},
     1e-5,
     {IN(F32, 5), OUT(F32, 5), INT(1), INT(1), INT(1)}},
    {"kernels/softmax.py",
     "softmax_kernel",
     "BLOCK=16384",
     {2, 1, 1},
     1e-5,
     {IN(F32, 2 * 12345), OUT(F32, 2 * 12345), INT(12345), INT(12345), INT(12345)}})

RUN(row_mean, {"kernels/row_mean.py",
               "row_mean_kernel",
               "BLOCK=256",
               {9, 1, 1},
               1e-5,
               {IN(F32, 9 * 1000), OUT(F32, 9), INT(1000), INT(1000)}})

RUN(mean, {"kernels/mean.py",
           "mean_kernel",
           "BLOCK=1024,PARTS=64",
           {5, 1, 1},
           1e-4,
           {IN(F32, 12345), ZERO(F32, 64), ZERO(TERN_INT32, 1), OUT(F32, 1), INT(12345)}})

RUN(layer_norm,
    {"kernels/layer_norm.py",
     "layer_norm_kernel",
     "BLOCK=1024",
     {7, 1, 1},
     2e-3,
     {IN(F16, 7 * 1000), OUT(F16, 7 * 1000), IN(F16, 1000), IN(F16, 1000), OUT(F32, 7), OUT(F32, 7),
      INT(1000), INT(1000), FLOAT(1e-5)}},
    {"kernels/layer_norm.py",
     "layer_norm_kernel",
     "BLOCK=8192",
     {2, 1, 1},
     1e-5,
     {IN(F32, 2 * 8192), OUT(F32, 2 * 8192), IN(F32, 8192), IN(F32, 8192), OUT(F32, 2), OUT(F32, 2),
      INT(8192), INT(8192), FLOAT(1e-5)}})

RUN(layer_norm_backward,
    {"kernels/layer_norm_backward.py",
     "layer_norm_backward_kernel",
     "BLOCK=1024",
     {3, 1, 1},
     2e-3,
     {IN(F16, 8 * 1000), IN(F16, 8 * 1000), IN(F16, 1000), IN(F32, 8), IN(F32, 8),
      OUT(F16, 8 * 1000), OUT(F32, 3 * 1000), OUT(F32, 3 * 1000), INT(1000), INT(8), INT(1000)}},
    {"kernels/layer_norm_backward.py",
     "sum_parts_kernel",
     "PARTS=16,BLOCK=64",
     {16, 1, 1},
     2e-3,
     {IN(F32, 19 * 1000), IN(F32, 19 * 1000), OUT(F16, 1000), OUT(F16, 1000), INT(19), INT(1000)}})

/* Which elements fall follows from the seed alone, so both sides drop the same. */
RUN(dropout, {"kernels/dropout.py",
              "dropout_kernel",
              "BLOCK=1024",
              {5, 1, 1},
              1e-6,
              {IN(F32, 5000), OUT(F32, 5000), INT(5000), FLOAT(0.5), INT(1234)}})

RUN(matmul,
    {"kernels/matmul.py",
     "matmul_kernel",
     "BM=32,BN=32,BK=32,GROUP=4",
     {12, 1, 1},
     1e-5,
     {IN(F32, 100 * 70), IN(F32, 70 * 90), OUT(F32, 100 * 90), INT(100), INT(90), INT(70), INT(70),
      INT(1), INT(90), INT(1), INT(90), INT(1)}},
    {"kernels/matmul.py",
     "matmul_kernel",
     "BM=64,BN=64,BK=32,GROUP=8",
     {4, 1, 1},
     2e-3,
     {IN(F16, 128 * 64), IN(F16, 64 * 128), OUT(F16, 128 * 128), INT(128), INT(128), INT(64),
      INT(64), INT(1), INT(128), INT(1), INT(128), INT(1)}})

TEST_MAIN()
