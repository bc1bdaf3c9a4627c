// SPDX-License-Identifier: Apache-2.0
/* Rows of scores that are scaled by an argument: their most is scaled once where the launch shows
 * that the number is above 0 and finite, and launches for which it is not get the other text. Held
 * against a softmax in double precision, on the simulated H200 in several orders and on the
 * interpreter; the wrong text's weights are too large for f16. */
#include "api/context.h"
#include "compile/kernel.h"
#include "ptx_mutate.h"
#include "sim_ptx.h"

#include <math.h>

enum { BM = 64, BN = 64, D = 64, TURNS = 3 };

static const char source[] =
    "import triton\n"
    "import triton.language as tl\n"
    "@triton.jit\n"
    "def scores(q, k, v, o, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr,\n"
    "           TURNS: tl.constexpr, ALSO: tl.constexpr):\n"
    "    row = tl.arange(0, BM)\n"
    "    key = tl.arange(0, BN)\n"
    "    depth = tl.arange(0, D)\n"
    "    at = row[:, None] * D + depth[None, :]\n"
    "    x = tl.load(q + at)\n"
    "    most = tl.full([BM], float('-inf'), tl.float32)\n"
    "    total = tl.zeros([BM], tl.float32)\n"
    "    acc = tl.zeros([BM, D], tl.float32)\n"
    "    scale *= 1.5\n"
    "    if ALSO:\n" /* not what launches are asked for */
    "        scale += 0.25\n"
    "    for i in range(0, TURNS * BN, BN):\n"
    "        there = (i + key[:, None]) * D + depth[None, :]\n"
    "        s = tl.dot(x, tl.trans(tl.load(k + there))) * scale\n"
    "        new = tl.maximum(most, tl.max(s, 1))\n"
    "        p = tl.math.exp2(s - new[:, None])\n"
    "        less = tl.math.exp2(most - new)\n"
    "        total = total * less + tl.sum(p, 1)\n"
    "        acc = tl.dot(p.to(tl.float16), tl.load(v + there), acc * less[:, None])\n"
    "        most = new\n"
    "    tl.store(o + at, acc / total[:, None])\n";

typedef struct Inputs {
    uint16_t q[BM * D], k[TURNS * BN * D], v[TURNS * BN * D];
    float o[BM * D];
} Inputs;

static uint64_t state = 88172645463325252u;

static void fill(uint16_t *data, int count) {
    for (int i = 0; i < count; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        data[i] = half_of((int)(state % 5) - 2);
    }
}

static double number_of(uint16_t half) { return float_decode(FLOAT_F16, half); }

static int wrong_in(const Inputs *in, double scale) {
    int wrong = 0;
    for (int i = 0; i < BM; i++) {
        double s[TURNS * BN], most = -INFINITY, total = 0;
        for (int n = 0; n < TURNS * BN; n++) {
            s[n] = 0;
            for (int d = 0; d < D; d++)
                s[n] += number_of(in->q[i * D + d]) * number_of(in->k[n * D + d]);
            s[n] *= scale;
            most = fmax(most, s[n]);
        }
        for (int n = 0; n < TURNS * BN; n++) total += s[n] = exp2(s[n] - most);
        for (int d = 0; d < D; d++) {
            double sum = 0;
            for (int n = 0; n < TURNS * BN; n++) sum += s[n] * number_of(in->v[n * D + d]);
            wrong += !(fabs(in->o[i * D + d] - sum / total) < 4e-3);
        }
    }
    return wrong;
}

static tern_context *opened(const char *device, uint64_t seed) {
    tern_open_options options = {.device = device, .cache_dir = "", .order_seed = seed};
    char words[512];
    tern_status status;
    return tern_open(&options, &status, words, sizeof words);
}

static tern_kernel *compiled(tern_context *context, bool also) {
    char signature[128];
    snprintf(signature, sizeof signature, "*fp16:16,*fp16:16,*fp16:16,*fp32:16,fp32,%d,%d,%d,%d,%s",
             BM, BN, D, TURNS, also ? "True" : "False");
    tern_module *module = tern_load_text(context, source, strlen(source), "scores.py");
    tern_options options = {.size = sizeof options, .num_warps = 4, .num_stages = 2};
    tern_kernel *kernel = module ? tern_compile(module, "scores", signature, &options) : NULL;
    if (!kernel) printf("%s\n", tern_message(context));
    tern_module_free(module);
    return kernel;
}

static void check_launch(tern_context *context, tern_kernel *kernel, Inputs *in, float scale,
                         double scaled) {
    tern_buffer *buffers[4];
    void *data[4] = {in->q, in->k, in->v, in->o};
    const size_t sizes[4] = {sizeof in->q, sizeof in->k, sizeof in->v, sizeof in->o};
    const uint32_t grid[3] = {1, 1, 1};
    tern_argument arguments[5];
    memset(in->o, 0x55, sizeof in->o);
    for (int i = 0; i < 4; i++) {
        buffers[i] = tern_alloc(context, sizes[i]);
        tern_write(buffers[i], 0, data[i], sizes[i]);
        arguments[i] = tern_arg_buffer(buffers[i]);
    }
    arguments[4] = tern_arg_float((double)scale);
    bool fine = tern_launch(NULL, kernel, grid, arguments, 5) == TERN_OK;
    tern_read(buffers[3], 0, in->o, sizeof in->o);
    int wrong = fine ? wrong_in(in, scaled) : -1;
    if (wrong) printf("scale %g: %d are wrong: %s\n", (double)scale, wrong, tern_message(context));
    CHECK(!wrong);
    for (int i = 0; i < 4; i++) tern_buffer_free(buffers[i]);
}

static void check_device(const char *device, uint64_t seed) {
    static const float scales[] = {0.5f, -0.5f, 0.25f, 0, -1};
    static Inputs in;
    fill(in.q, COUNT(in.q)), fill(in.k, COUNT(in.k)), fill(in.v, COUNT(in.v));
    tern_context *context = opened(device, seed);
    for (int also = 0; context && also < 2; also++) {
        tern_kernel *kernel = compiled(context, also);
        CHECK(kernel);
        for (int i = 0; kernel && i < COUNT(scales); i++)
            check_launch(context, kernel, &in, scales[i],
                         (double)scales[i] * 1.5 + (also ? 0.25 : 0));
        tern_kernel_free(kernel);
    }
    tern_close(context);
}

TEST(rows_scaled_by_an_argument) {
    check_device("interp", 0);
    for (uint64_t seed = 0; seed < 3; seed++) check_device("sim:h200", seed);
}

static bool allows(const tern_kernel *kernel, float scale) {
    uint64_t values[5] = {4096, 8192, 12288, 16384}; /* pointers that are apart */
    const uint64_t rooms[10] = {4096, 8192, 8192, 12288, 12288, 16384, 16384, 20480};
    const uint32_t grid[3] = {1, 1, 1};
    memcpy(&values[4], &scale, sizeof scale);
    return kernel_allows(kernel->compiled, values, rooms, grid);
}

TEST(launches_are_asked) {
    tern_context *sim = opened("sim:h200", 0);
    tern_kernel *kernel = sim ? compiled(sim, false) : NULL,
                *also = sim ? compiled(sim, true) : NULL;
    CHECK(kernel && also);
    if (!kernel || !also) return;
    const char *said = "rows scaled once";
    CHECK(strstr(tern_kernel_text(kernel, TERN_STAGE_FACTS), said));
    CHECK(!strstr(tern_kernel_text(also, TERN_STAGE_FACTS), said));
    CHECK(kernel->compiled->needs && allows(also, 0) && allows(also, -0.125f));
    CHECK(allows(kernel, 0.125f) && allows(kernel, 1e-38f) && allows(kernel, 2e38f));
    CHECK(!allows(kernel, 0) && !allows(kernel, -0.0f) && !allows(kernel, -0.125f));
    CHECK(!allows(kernel, INFINITY) && !allows(kernel, -INFINITY) && !allows(kernel, NAN));
    CHECK(!allows(kernel, 3e38f)); /* times 1.5 */
    CHECK(allows(kernel, 0.125f));
    tern_kernel_free(kernel), tern_kernel_free(also), tern_close(sim);
}

/* A text for others, whose launches tern does not see, takes nothing for granted. */
TEST(texts_for_others_are_not) {
    tern_context *sim = opened("sim:h200", 0);
    tern_module *module = sim ? tern_load_text(sim, source, strlen(source), "scores.py") : NULL;
    tern_options options = {.size = sizeof options, .text_only = true};
    tern_kernel *kernel =
        module ? tern_compile(module, "scores",
                              "*fp16:16,*fp16:16,*fp16:16,*fp32:16,fp32,64,64,64,3,False", &options)
               : NULL;
    CHECK(kernel && !kernel->compiled->needs);
    tern_kernel_free(kernel), tern_module_free(module), tern_close(sim);
}

TEST_MAIN()
