// SPDX-License-Identifier: Apache-2.0
/* random: numbers as PyTorch draws them on a GPU: Philox 4x32-10, of which a thread has a sequence
 * of its own and takes four numbers (fp64: two) at a time. Which thread an element is of depends on
 * the GPU's number of multiprocessors; on other devices it is that of an H200, so that a program
 * draws the same everywhere.
 *
 *     element = turn * threads * EACH + part * threads + thread
 *     numbers = philox(key = seed, counter = [offset / 4 + turn, thread]), number `part` of it
 *
 * From ATen's distribution_nullary_kernel and curand_uniform.h, curand_normal.h of CUDA 13. */
#include "tensor/plan.h"
#include "tensor/tape.h"

#include <stdio.h>

static const char text[] =
    "import triton\nimport triton.language as tl\n\n\n"
    "@triton.jit\n"
    "def random(y_ptr, n, seed, turn, threads, IS_NORMAL: tl.constexpr, IS_DOUBLE: tl.constexpr,\n"
    "           COLS: tl.constexpr):\n"
    "    i = tl.program_id(0).to(tl.int64) * COLS + tl.arange(0, COLS)\n"
    "    EACH: tl.constexpr = 2 if IS_DOUBLE else 4\n"
    "    thread = (i % threads).to(tl.uint32)\n"
    "    part = i // threads % EACH\n"
    "    turn = turn + i // (threads * EACH)\n"
    "    low = turn.to(tl.uint32)\n"
    "    high = (turn >> 32).to(tl.uint32)\n"
    "    a, b, c, d = tl.philox(seed, low, high, thread, tl.zeros_like(thread))\n"
    "    if IS_DOUBLE:\n"
    "        u = (a.to(tl.uint64) ^ (b.to(tl.uint64) << 21)).to(tl.float64)\n"
    "        v = (c.to(tl.uint64) ^ (d.to(tl.uint64) << 21)).to(tl.float64)\n"
    "        u = u * 1.1102230246251565e-16 + 5.551115123125783e-17\n"
    "        if IS_NORMAL:\n"
    "            v = v * 2.220446049250313e-16 + 1.1102230246251565e-16\n"
    "            s = tl.sqrt(-2.0 * tl.log(u))\n"
    "            angle = v * 3.141592653589793\n"
    "            y = s * tl.where(part == 0, tl.sin(angle), tl.cos(angle))\n"
    "        else:\n"
    "            v = v * 1.1102230246251565e-16 + 5.551115123125783e-17\n"
    "            y = tl.where(part == 0, u, v)\n"
    "    elif IS_NORMAL:\n"
    "        u = tl.where(part < 2, a, c).to(tl.float32)\n"
    "        v = tl.where(part < 2, b, d).to(tl.float32)\n"
    "        u = u * 2.3283064e-10 + 1.1641532e-10\n"
    "        v = v * 1.46291807e-09 + 7.3145903e-10\n"
    "        s = tl.sqrt(-2.0 * tl.log(u))\n"
    "        y = s * tl.where(part % 2 == 0, tl.sin(v), tl.cos(v))\n"
    "    else:\n"
    "        x = tl.where(part < 2, tl.where(part == 0, a, b), tl.where(part == 2, c, d))\n"
    "        y = x.to(tl.float32) * 2.3283064e-10 + 1.1641532e-10\n"
    "    y = y.to(y_ptr.dtype.element_ty)\n"
    "    if not IS_NORMAL:\n"
    "        y = tl.where(y == 1.0, 0.0, y)\n"
    "    tl.store(y_ptr + i, y, mask=i < n)\n";

enum {
    COLS = 1024,
    BLOCK = 256,       /* threads: ATen's block_size_bound */
    PER_SM = 2048,     /* threads that are resident: sm_80, sm_90 */
    SMS_OF_H200 = 132, /* also of an H100 */
};

void tern_manual_seed(tern_session *session, uint64_t seed) {
    session->seed = seed;
    session->random_turn = 0;
}

static int64_t count_sms(tern_session *session) {
    tern_gpu gpu = {.multiprocessors = 0};
    bool known =
        session->is_cuda && !tern_context_gpu(session->context, &gpu) && gpu.multiprocessors > 0;
    return known ? gpu.multiprocessors : SMS_OF_H200;
}

static tern_status draw(tern_tensor *out, bool is_normal) {
    tern_session *session = out->session;
    bool is_double = out->dtype == TERN_FLOAT64;
    int64_t blocks = (out->numel + BLOCK - 1) / BLOCK, most = count_sms(session) * PER_SM / BLOCK;
    int64_t threads = (blocks < most ? blocks : most) * BLOCK, each = is_double ? 2 : 4;
    char signature[80];
    snprintf(signature, sizeof signature, "*%s,i64,i64,i64,i64,%s,%s,%d",
             signature_type(out->dtype), is_normal ? "True" : "False", is_double ? "True" : "False",
             COLS);
    tern_kernel *kernel = session_kernel(session, "random", text, signature);
    if (!kernel) return tern_message_status(session->context);
    tern_argument arguments[] = {tern_arg_buffer(out->storage->buffer), tern_arg_int(out->numel),
                                 tern_arg_int((int64_t)session->seed),
                                 tern_arg_int(session->random_turn), tern_arg_int(threads)};
    session->random_turn += (out->numel - 1) / (threads * each) + 1;
    int64_t programs = (out->numel + COLS - 1) / COLS;
    if (programs > INT32_MAX)
        return session_fail(session, TERN_ERROR_UNSUPPORTED, "%lld random numbers",
                            (long long)out->numel);
    return tern_launch(NULL, kernel, (uint32_t[]){(uint32_t)programs, 1, 1}, arguments, 5);
}

static tern_tensor *draw_new(tern_session *session, tern_dtype dtype, int rank,
                             const int64_t *shape, bool is_normal) {
    const char *name = is_normal ? "randn" : "rand";
    if (session->trace)
        return session_fail_null(session, TERN_ERROR_UNSUPPORTED,
                                 "%s: random numbers in a function that is traced", name);
    if (!tern_dtype_is_float(dtype) || !dtype_is_computed(dtype))
        return session_fail_null(session, TERN_ERROR_UNSUPPORTED, "\"%s\" not implemented for '%s'",
                                 name, torch_type_name(dtype));
    tern_tensor *out = tern_empty(session, dtype, rank, shape);
    if (!out || !out->numel) return out;
    tern_op_push(session->context, name, NULL, 0);
    tern_status status = draw(out, is_normal);
    tern_range_pop(session->context);
    if (!status) return out;
    tern_drop(out);
    return NULL;
}

tern_tensor *tern_rand(tern_session *session, tern_dtype dtype, int rank, const int64_t *shape) {
    return draw_new(session, dtype, rank, shape, false);
}

tern_tensor *tern_randn(tern_session *session, tern_dtype dtype, int rank, const int64_t *shape) {
    return draw_new(session, dtype, rank, shape, true);
}

tern_tensor *tern_dropout(tern_tensor *x, double p, bool is_training) {
    if (!tensor_is_live(x)) return NULL;
    if (!(p >= 0 && p <= 1))
        return session_fail_null(x->session, TERN_ERROR_ARGUMENT,
                                 "dropout probability has to be between 0 and 1, but got %g", p);
    if (!is_training || p == 0) return tape_alias(view_same(x), x);
    if (p == 1) return tern_mul_number(x, 0);
    tern_tensor *drawn = tern_rand(x->session, TERN_FLOAT32, x->rank, x->shape);
    tern_tensor *kept = tern_lt_number(drawn, 1 - p), *of_type = tern_to(kept, x->dtype);
    tern_tensor *scale = tern_mul_number(of_type, 1 / (1 - p));
    tern_tensor *out = scale ? tern_mul(x, scale) : NULL;
    tern_tensor *const made[] = {drawn, kept, of_type, scale};
    for (int i = 0; i < COUNT(made); i++) tern_drop(made[i]);
    return out;
}
