// SPDX-License-Identifier: Apache-2.0
/* Products that feed products, as in attention: the first is read, worked on lane by lane and
 * multiplied again out of registers, while the sums of the second are carried on, by signs that
 * depend on the first. Of small integers, so exact; for tiles, warps, turns and stages, on the
 * simulated H200 in several orders, on the interpreter, and on it as placed for the H200. Each
 * instruction that orders copies, products and barriers is needed; and ptxas has nothing to add,
 * unless one of those of wgmma is missing. */
#include "api/context.h"
#include "ptx_assemble.h"
#include "ptx_mutate.h"
#include "sim_ptx.h"

static const char source[] =
    "import triton\n"
    "import triton.language as tl\n"
    "@triton.jit\n"
    "def chained(q, k, v, o, turns, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):\n"
    "    row = tl.arange(0, BM)\n"
    "    key = tl.arange(0, BN)\n"
    "    depth = tl.arange(0, D)\n"
    "    x = tl.load(q + row[:, None] * D + depth[None, :])\n"
    "    pk = k + key[None, :] * D + depth[:, None]\n"
    "    pv = v + key[:, None] * D + depth[None, :]\n"
    "    acc = tl.zeros([BM, D], dtype=tl.float32)\n"
    "    for i in range(0, turns):\n"
    "        s = tl.dot(x, tl.load(pk))\n"
    "        sign = tl.where(tl.max(s, 1) > 12, 1.0, -1.0)\n"
    "        acc = acc * sign[:, None]\n"
    "        acc = tl.dot((s - 1).to(tl.float16), tl.load(pv), acc)\n"
    "        pk += BN * D\n"
    "        pv += BN * D\n"
    "    tl.store(o + row[:, None] * D + depth[None, :], acc)\n"
    "@triton.jit\n"
    "def signs(q, k, v, o, turns, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):\n"
    "    row = tl.arange(0, BM)\n"
    "    depth = tl.arange(0, D)\n"
    "    acc = tl.load(q + row[:, None] * D + depth[None, :]).to(tl.float32)\n"
    "    w = tl.load(k + depth[:, None] * D + depth[None, :])\n"
    "    for i in range(0, turns):\n"
    "        acc = tl.dot(tl.where(acc > 0, 1.0, -1.0).to(tl.float16), w, acc)\n"
    "    tl.store(o + row[:, None] * D + depth[None, :], acc)\n"
    "@triton.jit\n"
    "def pair(q, k, v, o, turns, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):\n"
    "    row = tl.arange(0, BM)\n"
    "    key = tl.arange(0, BN)\n"
    "    depth = tl.arange(0, D)\n"
    "    x = tl.load(q + row[:, None] * D + depth[None, :])\n"
    "    y = tl.load(q + (BM + row[:, None]) * D + depth[None, :])\n"
    "    pk = k + key[None, :] * D + depth[:, None]\n"
    "    pv = v + key[:, None] * D + depth[None, :]\n"
    "    a = tl.zeros([BM, D], dtype=tl.float32)\n"
    "    b = tl.zeros([BM, D], dtype=tl.float32)\n"
    "    for i in range(0, turns):\n"
    "        keys = tl.load(pk)\n"
    "        values = tl.load(pv)\n"
    "        a = tl.dot((tl.dot(x, keys) - 1).to(tl.float16), values, a)\n"
    "        b = tl.dot((tl.dot(y, keys) - 1).to(tl.float16), values, b)\n"
    "        pk += BN * D\n"
    "        pv += BN * D\n"
    "    tl.store(o + row[:, None] * D + depth[None, :], a - 2 * b)\n"
    "@triton.jit\n"
    "def nested(q, k, v, o, turns, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):\n"
    "    row = tl.arange(0, BM)\n"
    "    depth = tl.arange(0, D)\n"
    "    square = depth[:, None] * D + depth[None, :]\n"
    "    x = tl.load(q + row[:, None] * D + depth[None, :])\n"
    "    w = tl.load(k + square)\n"
    "    acc = tl.zeros([BM, D], dtype=tl.float32)\n"
    "    for i in range(0, turns):\n"
    "        s = tl.zeros([BM, D], dtype=tl.float32)\n"
    "        pv = v + square\n"
    "        for j in range(0, turns):\n"
    "            s = tl.dot(x, tl.load(pv), s)\n"
    "            pv += D * D\n"
    "        acc = tl.dot(tl.where(s > i, 1.0, -1.0).to(tl.float16), w, acc)\n"
    "    tl.store(o + row[:, None] * D + depth[None, :], acc)\n"
    "@triton.jit\n"
    "def deep(q, k, v, o, turns, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):\n"
    "    row = tl.arange(0, BM)\n"
    "    depth = tl.arange(0, D)\n"
    "    pq = q + row[:, None] * D + depth[None, :]\n"
    "    acc = tl.zeros([BM, D], dtype=tl.float32)\n"
    "    for i in range(0, turns):\n"
    "        m = row[:, None] < turns\n"
    "        for n in tl.static_range(BN):\n"
    "            m = (m & (row[:, None] > n - turns)) & (m & (row[:, None] > n - 2 * turns))\n"
    "        acc = tl.dot(tl.load(pq, mask=m, other=0.0), tl.load(k + depth[:, None] * D + "
    "depth[None, :] + i), acc)\n"
    "        pq += BM\n"
    "    tl.store(o + row[:, None] * D + depth[None, :], acc)\n";

static const char halves[] = /* of the turns, in two loops */
    "import triton\n"
    "import triton.language as tl\n"
    "@triton.jit\n"
    "def halved(q, k, v, o, turns, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):\n"
    "    row = tl.arange(0, BM)\n"
    "    key = tl.arange(0, BN)\n"
    "    depth = tl.arange(0, D)\n"
    "    x = tl.load(q + row[:, None] * D + depth[None, :])\n"
    "    acc = tl.zeros([BM, D], dtype=tl.float32)\n"
    "    half = turns // 2 * BN\n"
    "    for i in range(0, tl.multiple_of(half, BN), BN):\n"
    "        keys = tl.load(k + (i + key[:, None]) * D + depth[None, :])\n"
    "        acc = tl.dot((tl.dot(x, tl.trans(keys)) - 1).to(tl.float16), keys, acc)\n"
    "    for i in range(tl.multiple_of(half, BN), turns * BN, BN):\n"
    "        keys = tl.load(k + (i + key[:, None]) * D + depth[None, :])\n"
    "        acc = tl.dot((tl.dot(x, tl.trans(keys)) - 1).to(tl.float16), keys, acc)\n"
    "    tl.store(o + row[:, None] * D + depth[None, :], acc)\n";

static const char whole[] = /* tiles that stay where they are */
    "import triton\n"
    "import triton.language as tl\n"
    "@triton.jit\n"
    "def turned(q, k, v, o, turns, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):\n"
    "    row = tl.arange(0, BM)\n"
    "    key = tl.arange(0, BN)\n"
    "    depth = tl.arange(0, D)\n"
    "    x = tl.load(q + row[:, None] * D + depth[None, :])\n"
    "    pk = k + key[:, None] * D + depth[None, :]\n"
    "    acc = tl.zeros([BM, D], dtype=tl.float32)\n"
    "    for i in range(0, turns):\n"
    "        keys = tl.load(pk)\n"
    "        s = tl.dot(x, tl.trans(keys))\n"
    "        acc = tl.dot((s - 1).to(tl.float16), keys, acc)\n"
    "        pk += BN * D\n"
    "    tl.store(o + row[:, None] * D + depth[None, :], acc)\n"
    "@triton.jit\n"
    "def once(q, k, v, o, turns, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):\n"
    "    row = tl.arange(0, BM)\n"
    "    key = tl.arange(0, BN)\n"
    "    depth = tl.arange(0, D)\n"
    "    x = tl.load(q + row[:, None] * D + depth[None, :])\n"
    "    keys = tl.load(k + key[:, None] * D + depth[None, :])\n"
    "    values = tl.load(v + key[:, None] * D + depth[None, :])\n"
    "    acc = tl.zeros([BM, D], dtype=tl.float32)\n"
    "    s = tl.zeros([BM, BN], dtype=tl.float32)\n"
    "    for i in range(0, tl.cdiv(BN, 128)):\n"
    "        s = tl.dot(x, tl.trans(keys))\n"
    "        acc = tl.dot((s - 1).to(tl.float16), keys, acc)\n"
    "        acc = tl.dot((s + turns).to(tl.float16), values, acc)\n"
    "    more = tl.load(v + BN * D + key[:, None] * D + depth[None, :])\n"
    "    acc = tl.dot((s - 2).to(tl.float16), more, acc)\n"
    "    acc += tl.sum(values.to(tl.float32), 0)[None, :]\n"
    "    tl.store(o + row[:, None] * D + depth[None, :], acc)\n"
    "@triton.jit\n"
    "def decayed(q, k, v, o, turns, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):\n"
    "    row = tl.arange(0, BM)\n"
    "    key = tl.arange(0, BN)\n"
    "    depth = tl.arange(0, D)\n"
    "    x = tl.load(q + row[:, None] * D + depth[None, :])\n"
    "    pk = k + key[:, None] * D + depth[None, :]\n"
    "    acc = tl.zeros([BM, D], dtype=tl.float32)\n"
    "    for i in range(0, turns):\n"
    "        keys = tl.load(pk)\n"
    "        s = tl.dot(x, tl.trans(keys))\n"
    "        row_decay = tl.load(v + i * BM + row, mask=row < BM - i, other=1.0)\n"
    "        acc = (acc + tl.load(v + i)) * row_decay[:, None]\n"
    "        acc = tl.dot((s - 1).to(tl.float16), keys, acc)\n"
    "        pk += BN * D\n"
    "    tl.store(o + row[:, None] * D + depth[None, :], acc)\n"
    "@triton.jit\n"
    "def lessened(q, k, v, o, turns, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):\n"
    "    row = tl.arange(0, BM)\n"
    "    depth = tl.arange(0, D)\n"
    "    acc = tl.load(q + row[:, None] * D + depth[None, :]).to(tl.float32)\n"
    "    w = tl.load(k + depth[:, None] * D + depth[None, :])\n"
    "    for i in range(0, turns):\n"
    "        acc -= tl.dot(tl.where(acc > 0, 1.0, -1.0).to(tl.float16), w)\n"
    "    tl.store(o + row[:, None] * D + depth[None, :], acc)\n"
    "@triton.jit\n"
    "def scaled(q, k, v, o, turns, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):\n"
    "    row = tl.arange(0, BM)\n"
    "    key = tl.arange(0, BN)\n"
    "    depth = tl.arange(0, D)\n"
    "    by = tl.load(v + row)\n"
    "    pq = q + row[:, None] * D + depth[None, :]\n"
    "    pk = k + key[:, None] * D + depth[None, :]\n"
    "    acc = tl.zeros([BM, BN], dtype=tl.float32)\n"
    "    for i in range(0, turns):\n"
    "        x = tl.load(pq) * by[:, None]\n"
    "        acc += tl.dot(x, tl.trans(tl.load(pk)))\n"
    "        pq += 16\n"
    "        pk += BN * D\n"
    "    tl.store(o + row[:, None] * BN + key[None, :], acc)\n"
    "@triton.jit\n"
    "def chosen(q, k, v, o, turns, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):\n"
    "    row = tl.arange(0, BM)\n"
    "    key = tl.arange(0, BN)\n"
    "    depth = tl.arange(0, D)\n"
    "    x = tl.load(q + row[:, None] * D + depth[None, :])\n"
    "    one = tl.full([BM, BN], 1, tl.float16)\n"
    "    acc = tl.zeros([BM, D], dtype=tl.float32)\n"
    "    for i in range(0, turns * BN, BN):\n"
    "        s = tl.dot(x, tl.load(k + (i + key[None, :]) * D + depth[:, None]))\n"
    "        p = tl.where(s > 0, one, -one)\n"
    "        acc = tl.dot(p, tl.load(v + (i + key[:, None]) * D + depth[None, :]), acc)\n"
    "    tl.store(o + row[:, None] * D + depth[None, :], acc)\n";

static const char rows_of_words[] =
    "import triton\n"
    "import triton.language as tl\n"
    "@triton.jit\n"
    "def weighed(q, k, v, o, turns, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):\n"
    "    row = tl.arange(0, BM)\n"
    "    key = tl.arange(0, BN)\n"
    "    depth = tl.arange(0, D)\n"
    "    words = v.to(tl.pointer_type(tl.int32))\n"
    "    acc = tl.zeros([BM, D], dtype=tl.float32)\n"
    "    for i in range(0, turns):\n"
    "        at = i * BN + key\n"
    "        x = tl.load(q + i * 16 + row[:, None] * BN + key[None, :])\n"
    "        keys = tl.load(k + at[:, None] * D + depth[None, :])\n"
    "        word = tl.load(words + at, mask=at < turns * BN - 3, other=0)\n"
    "        by = (word >> 10 & 3).to(tl.float16)\n"
    "        acc = tl.dot(x, keys * by[:, None], acc)\n"
    "    tl.store(o + row[:, None] * D + depth[None, :], acc)\n"
    "@triton.jit\n"
    "def graded(q, k, v, o, turns, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):\n"
    "    row = tl.arange(0, BM)\n"
    "    key = tl.arange(0, BN)\n"
    "    depth = tl.arange(0, D)\n"
    "    x = tl.load(q + row[:, None] * D + depth[None, :])\n"
    "    y = tl.load(q + (BM - 1 - row[:, None]) * D + depth[None, :])\n"
    "    acc = tl.zeros([BM, D], dtype=tl.float32)\n"
    "    for i in range(0, turns * BN, BN):\n"
    "        keys = tl.load(k + (i + key[:, None]) * D + depth[None, :])\n"
    "        values = tl.load(v + (i + key[:, None]) * D + depth[None, :])\n"
    "        p = tl.where(tl.dot(x, tl.trans(keys)) > 0, 1.0, -1.0)\n"
    "        e = tl.dot(y, tl.trans(values)) * p\n"
    "        acc = tl.dot(e.to(tl.float16), keys, acc)\n"
    "    tl.store(o + row[:, None] * D + depth[None, :], acc)\n"
    "@triton.jit\n"
    "def summed(q, k, v, o, turns, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):\n"
    "    row = tl.arange(0, BM)\n"
    "    depth = tl.arange(0, D)\n"
    "    at = row[:, None] * D + depth[None, :]\n"
    "    x = tl.load(k + at, mask=row[:, None] < turns * 10, other=0).to(tl.float32)\n"
    "    till = tl.where(row[:, None] >= row[None, :], 1.0, 0.0)\n"
    "    below = tl.where(row[:, None] > row[None, :], 1.0, 0.0)\n"
    "    tl.store(o + at, tl.dot(till, x) * 4 + tl.dot(below, x))\n";

enum { MOST = 128, MOST_TURNS = 5 };

typedef struct Row {
    int bm, bn, d, warps;
} Row;

static const Row rows[] = {{64, 32, 32, 4},  {128, 16, 128, 4}, {64, 64, 16, 4},
                           {128, 32, 64, 8}, {128, 64, 32, 4},  {64, 64, 64, 8}};

/* The queries of a thread are too many for its registers: they are kept in shared memory. */
static bool is_kept(const Row *r) { return r->bm * r->d / (32 * r->warps) > 64; }

typedef struct Inputs {
    _Alignas(16) uint16_t q[MOST * MOST]; /* for copies of 16 bytes; so the others */
    uint16_t k[MOST * MOST * MOST_TURNS], v[MOST * MOST * MOST_TURNS];
    float o[MOST * MOST];
} Inputs;

/* Of a table: references read each number many times. */
static double number_of(uint16_t half) {
    static double numbers[1 << 16];
    static bool made;
    for (int i = 0; !made && i < COUNT(numbers); i++)
        numbers[i] = float_decode(FLOAT_F16, (uint64_t)i);
    made = true;
    return numbers[half];
}

static void make_inputs(Inputs *in) {
    for (int i = 0; i < COUNT(in->q); i++) in->q[i] = half_of(small());
    for (int i = 0; i < COUNT(in->k); i++) in->k[i] = half_of(small()), in->v[i] = half_of(small());
    memset(in->o, 0x55, sizeof in->o);
}

/* Elements that are not what they are to be. */
static int wrong_in(const Row *r, const Inputs *in, int turns) {
    int wrong = 0;
    for (int i = 0; i < r->bm; i++) {
        double sums[MOST] = {0}, s[MOST];
        for (int t = 0; t < turns * r->bn; t += r->bn) {
            double most = -INFINITY;
            for (int n = 0; n < r->bn; n++) {
                s[n] = 0;
                for (int d = 0; d < r->d; d++)
                    s[n] += number_of(in->q[i * r->d + d]) * number_of(in->k[(t + n) * r->d + d]);
                if (s[n] > most) most = s[n];
            }
            for (int d = 0; d < r->d; d++) {
                if (most <= 12) sums[d] = -sums[d];
                for (int n = 0; n < r->bn; n++)
                    sums[d] += (s[n] - 1) * number_of(in->v[(t + n) * r->d + d]);
            }
        }
        for (int d = 0; d < r->d; d++) wrong += (double)in->o[i * r->d + d] != sums[d];
    }
    return wrong;
}

/* Likewise, of kernels signs and lessened. */
static int wrong_steps(const Row *r, const Inputs *in, int turns, int step) {
    int wrong = 0;
    for (int i = 0; i < r->bm; i++) {
        double sums[MOST], next[MOST];
        for (int d = 0; d < r->d; d++) sums[d] = number_of(in->q[i * r->d + d]);
        for (int t = 0; t < turns; t++) {
            for (int d = 0; d < r->d; d++) {
                next[d] = sums[d];
                for (int n = 0; n < r->d; n++)
                    next[d] += step * (sums[n] > 0 ? 1 : -1) * number_of(in->k[n * r->d + d]);
            }
            memcpy(sums, next, sizeof sums);
        }
        for (int d = 0; d < r->d; d++) wrong += (double)in->o[i * r->d + d] != sums[d];
    }
    return wrong;
}

static int wrong_signs(const Row *r, const Inputs *in, int turns) {
    return wrong_steps(r, in, turns, 1);
}

static int wrong_lessened(const Row *r, const Inputs *in, int turns) {
    return wrong_steps(r, in, turns, -1);
}

/* Likewise, of kernel pair. */
static int wrong_pair(const Row *r, const Inputs *in, int turns) {
    int wrong = 0;
    for (int i = 0; i < r->bm; i++) {
        double sums[MOST] = {0};
        for (int n = 0; n < turns * r->bn; n++) {
            double both = -1 + 2; /* (x - 1) - 2 (y - 1) */
            for (int d = 0; d < r->d; d++)
                both += (number_of(in->q[i * r->d + d]) -
                         2 * number_of(in->q[(r->bm + i) * r->d + d])) *
                        number_of(in->k[n * r->d + d]);
            for (int d = 0; d < r->d; d++) sums[d] += both * number_of(in->v[n * r->d + d]);
        }
        for (int d = 0; d < r->d; d++) wrong += (double)in->o[i * r->d + d] != sums[d];
    }
    return wrong;
}

/* Likewise, of kernel turned. */
static int wrong_turned(const Row *r, const Inputs *in, int turns) {
    int wrong = 0;
    for (int i = 0; i < r->bm; i++) {
        double sums[MOST] = {0};
        for (int n = 0; n < turns * r->bn; n++) {
            double s = -1;
            for (int d = 0; d < r->d; d++)
                s += number_of(in->q[i * r->d + d]) * number_of(in->k[n * r->d + d]);
            for (int d = 0; d < r->d; d++) sums[d] += s * number_of(in->k[n * r->d + d]);
        }
        for (int d = 0; d < r->d; d++) wrong += (double)in->o[i * r->d + d] != sums[d];
    }
    return wrong;
}

/* Likewise, of kernel once. */
static int wrong_once(const Row *r, const Inputs *in, int turns) {
    int wrong = 0;
    for (int i = 0; i < r->bm; i++) {
        double sums[MOST] = {0};
        for (int n = 0; n < r->bn; n++) {
            double s = 0;
            for (int d = 0; d < r->d; d++)
                s += number_of(in->q[i * r->d + d]) * number_of(in->k[n * r->d + d]);
            for (int d = 0; d < r->d; d++)
                sums[d] += (s - 1) * number_of(in->k[n * r->d + d]) +
                           (s + turns + 1) * number_of(in->v[n * r->d + d]) +
                           (s - 2) * number_of(in->v[(r->bn + n) * r->d + d]);
        }
        for (int d = 0; d < r->d; d++) wrong += (double)in->o[i * r->d + d] != sums[d];
    }
    return wrong;
}

/* Likewise, of kernel decayed. */
static int wrong_decayed(const Row *r, const Inputs *in, int turns) {
    int wrong = 0;
    for (int i = 0; i < r->bm; i++) {
        double sums[MOST] = {0};
        for (int t = 0; t < turns; t++) {
            double by = i < r->bm - t ? number_of(in->v[t * r->bm + i]) : 1;
            for (int d = 0; d < r->d; d++) sums[d] = (sums[d] + number_of(in->v[t])) * by;
            for (int n = t * r->bn; n < (t + 1) * r->bn; n++) {
                double s = -1;
                for (int d = 0; d < r->d; d++)
                    s += number_of(in->q[i * r->d + d]) * number_of(in->k[n * r->d + d]);
                for (int d = 0; d < r->d; d++) sums[d] += s * number_of(in->k[n * r->d + d]);
            }
        }
        for (int d = 0; d < r->d; d++) wrong += (double)in->o[i * r->d + d] != sums[d];
    }
    return wrong;
}

/* Likewise, of kernel scaled. */
static int wrong_scaled(const Row *r, const Inputs *in, int turns) {
    int wrong = 0;
    for (int i = 0; i < r->bm; i++)
        for (int n = 0; n < r->bn; n++) {
            double sum = 0;
            for (int t = 0; t < turns; t++)
                for (int d = 0; d < r->d; d++)
                    sum += number_of(in->q[16 * t + i * r->d + d]) * number_of(in->v[i]) *
                           number_of(in->k[(t * r->bn + n) * r->d + d]);
            wrong += (double)in->o[i * r->bn + n] != sum;
        }
    return wrong;
}

/* Likewise, of kernel nested. */
static int wrong_nested(const Row *r, const Inputs *in, int turns) {
    int wrong = 0;
    for (int i = 0; i < r->bm; i++) {
        double sums[MOST] = {0}, s[MOST] = {0};
        for (int n = 0; n < turns * r->d; n++)
            for (int d = 0; d < r->d; d++)
                s[d] += number_of(in->q[i * r->d + n % r->d]) * number_of(in->v[n * r->d + d]);
        for (int t = 0; t < turns; t++)
            for (int n = 0; n < r->d; n++)
                for (int d = 0; d < r->d; d++)
                    sums[d] += (s[n] > t ? 1 : -1) * number_of(in->k[n * r->d + d]);
        for (int d = 0; d < r->d; d++) wrong += (double)in->o[i * r->d + d] != sums[d];
    }
    return wrong;
}

/* Likewise, of kernel weighed: each row by two bits of a word. */
static int wrong_weighed(const Row *r, const Inputs *in, int turns) {
    int wrong = 0;
    for (int i = 0; i < r->bm; i++)
        for (int d = 0; d < r->d; d++) {
            double sum = 0;
            for (int n = 0; n < turns * r->bn - 3; n++)
                sum += number_of(in->q[n / r->bn * 16 + i * r->bn + n % r->bn]) *
                       number_of(in->k[n * r->d + d]) * (in->v[2 * n] >> 10 & 3);
            wrong += (double)in->o[i * r->d + d] != sum;
        }
    return wrong;
}

/* Likewise, of kernel summed: sums of rows up to each one, four times, and up to the one before. */
static int wrong_summed(const Row *r, const Inputs *in, int turns) {
    int wrong = 0;
    for (int d = 0; d < r->d; d++) {
        double sum = 0;
        for (int i = 0; i < r->bm; i++) {
            double x = i < turns * 10 ? number_of(in->k[i * r->d + d]) : 0;
            wrong += (double)in->o[i * r->d + d] != 4 * (sum + x) + sum;
            sum += x;
        }
    }
    return wrong;
}

/* Likewise, of kernel chosen. */
static int wrong_chosen(const Row *r, const Inputs *in, int turns) {
    int wrong = 0;
    for (int i = 0; i < r->bm; i++) {
        double sums[MOST] = {0};
        for (int n = 0; n < turns * r->bn; n++) {
            double s = 0;
            for (int d = 0; d < r->d; d++)
                s += number_of(in->q[i * r->d + d]) * number_of(in->k[n * r->d + d]);
            for (int d = 0; d < r->d; d++)
                sums[d] += (s > 0 ? 1 : -1) * number_of(in->v[n * r->d + d]);
        }
        for (int d = 0; d < r->d; d++) wrong += (double)in->o[i * r->d + d] != sums[d];
    }
    return wrong;
}

/* Likewise, of kernel graded. */
static int wrong_graded(const Row *r, const Inputs *in, int turns) {
    int wrong = 0;
    for (int i = 0; i < r->bm; i++) {
        double sums[MOST] = {0};
        for (int n = 0; n < turns * r->bn; n++) {
            double s = 0, e = 0;
            for (int d = 0; d < r->d; d++) {
                s += number_of(in->q[i * r->d + d]) * number_of(in->k[n * r->d + d]);
                e += number_of(in->q[(r->bm - 1 - i) * r->d + d]) * number_of(in->v[n * r->d + d]);
            }
            for (int d = 0; d < r->d; d++)
                sums[d] += (s > 0 ? e : -e) * number_of(in->k[n * r->d + d]);
        }
        for (int d = 0; d < r->d; d++) wrong += (double)in->o[i * r->d + d] != sums[d];
    }
    return wrong;
}

typedef struct Subject {
    const char *name;
    int (*wrong)(const Row *r, const Inputs *in, int turns);
    const char *text; /* NULL: source */
} Subject;

static const Subject chained = {"chained", wrong_in, NULL}, signs = {"signs", wrong_signs, NULL},
                     pair = {"pair", wrong_pair, NULL}, nested = {"nested", wrong_nested, NULL},
                     turned = {"turned", wrong_turned, whole},
                     halved = {"halved", wrong_turned, halves}, once = {"once", wrong_once, whole},
                     decayed = {"decayed", wrong_decayed, whole},
                     lessened = {"lessened", wrong_lessened, whole},
                     scaled = {"scaled", wrong_scaled, whole},
                     chosen = {"chosen", wrong_chosen, whole},
                     weighed = {"weighed", wrong_weighed, rows_of_words},
                     summed = {"summed", wrong_summed, rows_of_words},
                     graded = {"graded", wrong_graded, rows_of_words};

static tern_kernel *compiled(tern_context *context, const Subject *subject, const Row *r,
                             int stages, const char *after) {
    char signature[128];
    snprintf(signature, sizeof signature, "*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32,%d,%d,%d", r->bm,
             r->bn, r->d);
    const char *text = subject->text ? subject->text : source;
    tern_module *module = tern_load_text(context, text, strlen(text), "chained.py");
    tern_options options = {
        .size = sizeof options, .num_warps = r->warps, .num_stages = stages, .print_after = after};
    tern_kernel *kernel = module ? tern_compile(module, subject->name, signature, &options) : NULL;
    if (!kernel) printf("%s\n", tern_message(context));
    tern_module_free(module);
    return kernel;
}

static bool without_maps; /* no boxes are copied */

static tern_context *opened(const char *device, uint64_t seed) {
    tern_open_options options = {.device = device, .cache_dir = "", .order_seed = seed};
    char words[512];
    tern_status status;
    tern_context *context = tern_open(&options, &status, words, sizeof words);
    if (context && without_maps) context->device.makes_maps = false;
    return context;
}

static void check_launch(tern_context *context, tern_kernel *kernel, const Subject *subject,
                         const Row *r, Inputs *in, int turns) {
    tern_buffer *buffers[4];
    const void *data[4] = {in->q, in->k, in->v, in->o};
    const size_t sizes[4] = {sizeof in->q, sizeof in->k, sizeof in->v, sizeof in->o};
    tern_argument arguments[5];
    memset(in->o, 0x55, sizeof in->o);
    for (int i = 0; i < 4; i++) {
        buffers[i] = tern_alloc(context, sizes[i]);
        tern_write(buffers[i], 0, data[i], sizes[i]);
        arguments[i] = tern_arg_buffer(buffers[i]);
    }
    arguments[4] = tern_arg_int(turns);
    bool fine = tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, 5) == TERN_OK;
    tern_read(buffers[3], 0, in->o, sizeof in->o);
    int wrong = fine ? subject->wrong(r, in, turns) : -1;
    if (wrong)
        printf("%s %dx%dx%d, %d warps, %d turns: %d are wrong: %s\n", subject->name, r->bm, r->bn,
               r->d, r->warps, turns, wrong, tern_message(context));
    CHECK(!wrong);
    for (int i = 0; i < 4; i++) tern_buffer_free(buffers[i]);
}

/* By products under way. */
static bool is_chained(const char *ir) {
    const char *second = strstr(ir, "dot %");
    second = second ? strstr(second + 1, "dot %") : NULL;
    return second && strstr(second, "async = 1") && strstr(ir, "ring {");
}

static void check_row(const Subject *subject, const Row *r, int stages, bool kept) {
    static Inputs in;
    make_inputs(&in);
    tern_context *sim = opened("sim:h200", (uint64_t)stages), *interp = opened("interp", 3);
    tern_kernel *kernel = sim ? compiled(sim, subject, r, stages, "apart") : NULL;
    CHECK(kernel && interp);
    if (!kernel || !interp) return;
    const char *ir = tern_kernel_text(kernel, TERN_STAGE_IR_AFTER);
    /* With one stage what a turn multiplies is in a ring of one slot, too: pass share. */
    CHECK(is_chained(ir));
    CHECK((strstr(ir, "ring {stages = 1}") != NULL) == (kept || stages == 1));
    tern_kernel *placed = kernel_from_ir(interp, ir, &(tern_options){0});
    CHECK(placed);
    for (int turns = 0; turns <= MOST_TURNS; turns += 1 + turns) {
        check_launch(sim, kernel, subject, r, &in, turns);
        if (placed) check_launch(interp, placed, subject, r, &in, turns);
    }
    tern_kernel_free(kernel), tern_kernel_free(placed);
    tern_close(sim), tern_close(interp);
}

TEST(products_of_products_are_exact) {
    for (int i = 0; i < COUNT(rows); i++)
        for (int stages = 1 + i % 2; stages <= 4; stages += 2)
            check_row(&chained, &rows[i], stages, is_kept(&rows[i]));
}

/* What the sums of two products leave of the registers is not enough for what both multiply. */
TEST(so_are_those_of_two_at_a_time) {
    static const Row both = {128, 32, 64, 4}, less = {64, 32, 64, 4};
    check_row(&pair, &both, 3, true);
    check_row(&pair, &less, 3, false);
}

/* What the next turn multiplies is made of halves, not narrowed: the loop carries these. */
TEST(halves_are_carried) {
    static const Row row = {64, 32, 32, 4}, eight = {128, 64, 64, 8};
    check_row(&chosen, &row, 2, false);
    check_row(&chosen, &eight, 2, false);
}

/* Rows and columns of one tile, which is copied once and stays where it is. */
TEST(tiles_are_read_both_ways) {
    static const Row wide = {64, 64, 16, 4}, eight = {128, 32, 64, 8};
    check_row(&turned, &rows[0], 3, false);
    check_row(&turned, &wide, 2, false);
    check_row(&turned, &eight, 4, false);
    tern_context *sim = opened("sim:h200", 0);
    tern_kernel *kernel = sim ? compiled(sim, &turned, &eight, 3, "apart") : NULL;
    CHECK(kernel);
    if (!kernel) return;
    const char *ir = tern_kernel_text(kernel, TERN_STAGE_IR_AFTER), *peek = strstr(ir, "peek ");
    CHECK(peek && !strstr(peek + 1, "peek "));
    CHECK(!strstr(tern_kernel_text(kernel, TERN_STAGE_PTX), "st.shared"));
    tern_kernel_free(kernel), tern_close(sim);
}

/* Without a loop tiles are copied to shared memory, too: those before the first product, then the
 * others; who else reads one gets it from there. */
TEST(tiles_are_brought_once) {
    static const Row wide = {64, 64, 64, 4}, eight = {128, 32, 64, 8}, masks = {64, 16, 64, 4};
    check_row(&once, &wide, 3, true);
    check_row(&once, &eight, 2, true);
    check_row(&once, &masks, 4, true);
    tern_context *sim = opened("sim:h200", 0);
    tern_kernel *kernel = sim ? compiled(sim, &once, &wide, 3, "waits") : NULL;
    CHECK(kernel);
    if (!kernel) return;
    const char *text = tern_kernel_text(kernel, TERN_STAGE_PTX);
    CHECK(strstr(text, "cp.async") && !strstr(text, "ld.global"));
    tern_kernel_free(kernel), tern_close(sim);
}

/* A number and a row of numbers are loaded before the turn's first product, not where they are
 * wanted. */
TEST(small_loads_begin_early) {
    static const Row eight = {128, 32, 64, 8};
    check_row(&decayed, &rows[0], 3, false);
    check_row(&decayed, &eight, 2, false);
    tern_context *sim = opened("sim:h200", 0);
    tern_kernel *kernel = sim ? compiled(sim, &decayed, &eight, 3, "waits") : NULL;
    CHECK(kernel);
    if (!kernel) return;
    const char *ir = tern_kernel_text(kernel, TERN_STAGE_IR_AFTER), *loop = strstr(ir, " for ");
    CHECK(loop && strstr(loop, "load ") < strstr(loop, "ready "));
    CHECK(loop && !strstr(strstr(loop, "dot "), "load "));
    tern_kernel_free(kernel), tern_close(sim);
}

/* What a product is taken from lies as the product does, and stays there. */
TEST(differences_stay_where_they_are) {
    static Inputs in;
    static const Row eight = {128, 32, 64, 8};
    make_inputs(&in);
    tern_context *sim = opened("sim:h200", 5);
    tern_kernel *kernel = sim ? compiled(sim, &lessened, &eight, 3, NULL) : NULL;
    CHECK(kernel);
    if (!kernel) return;
    for (int turns = 0; turns < 4; turns++)
        check_launch(sim, kernel, &lessened, &eight, &in, turns);
    const char *product = strstr(tern_kernel_text(kernel, TERN_STAGE_PTX), "wgmma.fence");
    const char *end = product ? strstr(product, "\nL") : NULL, *stores = NULL;
    CHECK(end && (!(stores = strstr(product, ".shared")) || stores > end));
    tern_kernel_free(kernel), tern_close(sim);
}

/* A that each turn makes anew, in the same registers, is not made while a product reads them. */
TEST(registers_of_a_are_left_alone) {
    static Inputs in;
    static const Row sizes[] = {{64, 64, 64, 4}, {128, 64, 32, 8}, {64, 32, 128, 4}};
    make_inputs(&in);
    for (int i = 0; i < COUNT(sizes); i++) {
        tern_context *sim = opened("sim:h200", (uint64_t)i);
        tern_kernel *kernel = sim ? compiled(sim, &scaled, &sizes[i], 3, NULL) : NULL;
        CHECK(kernel);
        if (!kernel) return;
        for (int turns = 0; turns < 5; turns++)
            check_launch(sim, kernel, &scaled, &sizes[i], &in, turns);
        tern_kernel_free(kernel), tern_close(sim);
    }
}

/* What the outer loop keeps lies where no ring of the inner one does. */
TEST(what_is_kept_around_a_ring) { check_row(&nested, &rows[0], 3, true); }

/* Of masks made of masks, each of which is read twice, each is made again once. */
TEST(masks_of_masks_stay_few) {
    static const Row row = {64, 24, 64, 4};
    static const Subject deep = {"deep", NULL, NULL};
    tern_context *sim = opened("sim:h200", 0);
    tern_kernel *kernel = sim ? compiled(sim, &deep, &row, 3, NULL) : NULL;
    CHECK(kernel);
    if (!kernel) return;
    const char *text = tern_kernel_text(kernel, TERN_STAGE_PTX);
    CHECK(strstr(text, "cp.async") && strlen(text) < 1 << 20);
    tern_kernel_free(kernel), tern_close(sim);
}

typedef struct Mutated {
    const Subject *subject;
    const Row *row;
    Inputs in;
    const CompiledKernel *kernel;
} Mutated;

static bool catches(const char *text, uint64_t seed, void *user) {
    Mutated *m = user;
    Bench b = bench_new();
    b.seed = seed, b.shared = m->kernel->facts.shared_bytes, b.broken = true;
    memset(m->in.o, 0x55, sizeof m->in.o);
    bench_buffer(&b, m->in.q, sizeof m->in.q);
    bench_buffer(&b, m->in.k, sizeof m->in.k);
    bench_buffer(&b, m->in.v, sizeof m->in.v);
    bench_buffer(&b, m->in.o, sizeof m->in.o);
    b.values[4] = MOST_TURNS;
    bench_maps(&b, m->kernel);
    bool runs = bench_run(&b, text, 1) && !b.failure.status;
    arena_free(b.arena);
    return !runs || m->subject->wrong(m->row, &m->in, MOST_TURNS);
}

typedef int Mutate(const char *text, Catches *catches, void *user);

static void check_mutated(const Subject *subject, const Row *r, int stages, Mutate *mutate,
                          int least) {
    static Mutated m;
    tern_context *context = opened("sim:h200", 0);
    tern_kernel *kernel = context ? compiled(context, subject, r, stages, NULL) : NULL;
    CHECK(kernel);
    if (!kernel) return;
    make_inputs(&m.in);
    m.subject = subject, m.row = r, m.kernel = kernel->compiled;
    CHECK(mutate(tern_kernel_text(kernel, TERN_STAGE_PTX), catches, &m) > least);
    tern_kernel_free(kernel);
    tern_close(context);
}

/* A product that needs nothing of another one's sums begins before these are waited for; each is
 * waited for all the same. */
TEST(products_begin_side_by_side) {
    static const Row eight = {128, 64, 64, 8};
    check_row(&graded, &rows[0], 3, false);
    check_row(&graded, &eight, 2, false);
    tern_context *sim = opened("sim:h200", 0);
    tern_kernel *kernel = sim ? compiled(sim, &graded, &eight, 3, "waits") : NULL;
    CHECK(kernel);
    if (!kernel) return;
    const char *ir = tern_kernel_text(kernel, TERN_STAGE_IR_AFTER), *loop = strstr(ir, " for ");
    const char *first = loop ? strstr(loop, " dot ") : NULL;
    CHECK(first && strstr(first + 1, " dot ") < strstr(first, "settle"));
    tern_kernel_free(kernel), tern_close(sim);
}

/* A row of numbers that a tile is multiplied by comes through the ring, behind the tiles; it needs
 * its wait as they do. */
TEST(rows_of_numbers_are_in_the_ring) {
    static const Row sizes[] = {{64, 64, 32, 4}, {128, 64, 64, 8}, {64, 32, 64, 4}};
    static Inputs in;
    make_inputs(&in);
    for (int i = 0; i < COUNT(sizes); i++) {
        tern_context *sim = opened("sim:h200", (uint64_t)i);
        tern_kernel *kernel = sim ? compiled(sim, &weighed, &sizes[i], 3, NULL) : NULL;
        CHECK(kernel);
        if (!kernel) return;
        const char *facts = tern_kernel_text(kernel, TERN_STAGE_FACTS);
        CHECK(strstr(facts, "a ring of 3 turns") && strstr(facts, "copies of v: 4 bytes"));
        CHECK(!strstr(facts, "loads of v"));
        for (int turns = 0; turns <= MOST_TURNS; turns++)
            check_launch(sim, kernel, &weighed, &sizes[i], &in, turns);
        tern_kernel_free(kernel), tern_close(sim);
    }
    for (int stages = 2; stages < 4; stages++)
        check_mutated(&weighed, &sizes[0], stages, each_order_is_missed, 6);
}

/* Outside of loops, too: all that two products read lies in shared memory behind one barrier, where
 * one tile is read by both; where that is too much room, each brings its own. */
TEST(two_products_share_a_tile) {
    static const struct {
        Row size;
        int barriers;
    } rows_of[] = {{{64, 64, 32, 4}, 1}, {{64, 64, 16, 4}, 1}, {{128, 64, 64, 4}, 3}};
    static Inputs in;
    make_inputs(&in);
    for (int i = 0; i < COUNT(rows_of); i++) {
        tern_context *sim = opened("sim:h200", (uint64_t)i);
        tern_kernel *kernel = sim ? compiled(sim, &summed, &rows_of[i].size, 3, NULL) : NULL;
        CHECK(kernel);
        if (!kernel) return;
        const char *text = tern_kernel_text(kernel, TERN_STAGE_PTX);
        int barriers = 0;
        while ((text = strstr(text, "bar.sync"))) barriers++, text++;
        CHECK(barriers == rows_of[i].barriers);
        for (int turns = 0; turns <= MOST_TURNS; turns++)
            check_launch(sim, kernel, &summed, &rows_of[i].size, &in, turns);
        tern_kernel_free(kernel), tern_close(sim);
    }
    check_mutated(&summed, &rows_of[0].size, 3, each_order_is_missed, 4);
}

TEST(each_wait_and_barrier_is_missed) {
    for (int stages = 2; stages < 5; stages++)
        check_mutated(&chained, &rows[0], stages, each_order_is_missed, 8);
}

/* What all turns multiply is brought to shared memory once, for all warps. */
TEST(so_are_those_of_what_is_kept) { check_mutated(&signs, &rows[0], 2, each_order_is_missed, 4); }

TEST(and_of_tiles_read_both_ways) { check_mutated(&turned, &rows[0], 3, each_order_is_missed, 6); }

/* Two warpgroups that are not in step: pass apart. */
TEST(and_of_warpgroups_apart) {
    without_maps = true;
    tern_context *sim = opened("sim:h200", 0);
    for (int stages = 2; stages < 5; stages++) {
        tern_kernel *kernel = sim ? compiled(sim, &chained, &rows[3], stages, NULL) : NULL;
        CHECK(kernel);
        if (!kernel) continue;
        const char *text = tern_kernel_text(kernel, TERN_STAGE_PTX);
        CHECK(strstr(text, ".reqntid 256, 1, 1\n"));
        CHECK((strstr(text, "mbarrier.arrive") != NULL) == (stages > 2));
        tern_kernel_free(kernel);
        check_mutated(&chained, &rows[3], stages, each_order_is_missed, 8);
    }
    tern_close(sim);
    check_mutated(&turned, &rows[3], 3, each_order_is_missed, 8);
    without_maps = false;
}

/* In eight warps four more fill the ring, with mbarriers between them; in four they do not, nor
 * where two blocks fit a multiprocessor without. */
static void check_roles(const Subject *subject, const Row *r, int stages) {
    tern_context *sim = opened("sim:h200", 0);
    tern_kernel *kernel = sim ? compiled(sim, subject, r, stages, NULL) : NULL;
    CHECK(kernel);
    if (!kernel) return;
    CHECK(strstr(tern_kernel_text(kernel, TERN_STAGE_PTX), ".reqntid 384, 1, 1\n"));
    CHECK(strstr(tern_kernel_text(kernel, TERN_STAGE_FACTS), "\nroles: "));
    bool has_boxes = strstr(tern_kernel_text(kernel, TERN_STAGE_FACTS), "(TMA)") != NULL;
    CHECK(has_boxes == !without_maps);
    CHECK(has_boxes == (kernel->compiled->facts.maps.count > 0));
    tern_kernel_free(kernel), tern_close(sim);
    check_row(subject, r, stages, false);
}

static void check_others(void) {
    static const Row eight = {128, 128, 32, 8};
    for (int stages = 2; stages < 5; stages++) check_roles(&chained, &eight, stages);
    check_roles(&halved, &eight, 3);
    check_mutated(&chained, &eight, 2, each_order_is_missed, 12);
}

TEST(and_where_others_fill_the_ring) {
    without_maps = true;
    check_others();
    without_maps = false;
}

/* One thread of them does, where they copy boxes of tensors. */
TEST(and_where_one_thread_does) {
    static const Row eight = {128, 128, 32, 8};
    check_others();
    check_mutated(&chained, &eight, 2, each_count_is_missed, 8);
}

static bool is_taken(const char *ptxas, const char *text) {
    char name[] = "/tmp/ptx_chained_XXXXXX";
    int file = mkstemp(name);
    bool written = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    CHECK(written);
    bool taken = written && assemble(ptxas, "sm_90a", name, false);
    if (file >= 0) close(file), unlink(name);
    return taken;
}

static void check_waits(const char *ptxas, const Row *row) {
    tern_context *context = opened("sim:h200", 0);
    tern_kernel *kernel = context ? compiled(context, &chained, row, 3, NULL) : NULL;
    CHECK(kernel);
    if (!kernel) return;
    const char *text = tern_kernel_text(kernel, TERN_STAGE_PTX);
    static const char *const parts[] = {"\twgmma.wait_group.sync.aligned 0;\n",
                                        "\twgmma.fence.sync.aligned;\n"};
    CHECK(is_taken(ptxas, text));
    for (int i = 0; i < COUNT(parts); i++) {
        const char *at = strstr(text, parts[i]);
        Buf out = {.arena = kernel->arena};
        CHECK(at);
        if (!at) continue;
        buf_add(&out, text, (int)(at - text));
        buf_puts(&out, at + strlen(parts[i]));
        CHECK(!is_taken(ptxas, out.data));
    }
    tern_kernel_free(kernel);
    tern_close(context);
}

/* Of the sizes that attention has: 255 registers, none of them in memory. */
TEST(ptxas_adds_no_wait) {
    static const Row wide[] = {{128, 128, 128, 8}, {128, 64, 128, 4}};
    const char *ptxas = ptxas_path();
    if (!ptxas) {
        SKIP("no ptxas");
        return;
    }
    for (int i = 0; i < COUNT(wide); i++) check_waits(ptxas, &wide[i]);
}

TEST_MAIN()
