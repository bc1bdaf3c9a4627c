// SPDX-License-Identifier: Apache-2.0
/* pcg: numpy.random.default_rng's generator, PCG64 (M. O'Neill, "PCG: A Family of Simple Fast
 * Space-Efficient Statistically Good Algorithms", XSL-RR 128/64), seeded by NumPy's SeedSequence;
 * whole numbers below a bound by D. Lemire's method. The same seed draws what NumPy 2 draws. */
#include "exec/exec.h"

#include <stdlib.h>

enum { POOL = 4 };

typedef struct Pcg {
    uint128 state, step;
    bool has_half; /* of a number of 64 bits: its upper one */
    uint32_t half;
} Pcg;

static uint64_t draw(Pcg *pcg) {
    const uint128 factor = (uint128)2549297995355413924u << 64 | 4865540595714422341u;
    pcg->state = pcg->state * factor + pcg->step;
    uint64_t both = (uint64_t)(pcg->state >> 64) ^ (uint64_t)pcg->state;
    int turn = (int)(pcg->state >> 122);
    return both >> turn | both << (-turn & 63);
}

static uint32_t draw_half(Pcg *pcg) {
    if (pcg->has_half) {
        pcg->has_half = false;
        return pcg->half;
    }
    uint64_t both = draw(pcg);
    pcg->has_half = true, pcg->half = (uint32_t)(both >> 32);
    return (uint32_t)both;
}

/* ---- SeedSequence of one whole number ---- */

static uint32_t stir(uint32_t value, uint32_t *factor, uint32_t by) {
    value ^= *factor;
    *factor *= by;
    value *= *factor;
    return value ^ value >> 16;
}

static uint32_t mix(uint32_t x, uint32_t y) {
    uint32_t both = 0xca01f9ddu * x - 0x4973f715u * y;
    return both ^ both >> 16;
}

static void seed_with(Pcg *pcg, uint128 seed) {
    uint32_t pool[POOL], factor = 0x43b0d7e5u, words[8];
    for (int i = 0; i < POOL; i++) pool[i] = stir((uint32_t)(seed >> 32 * i), &factor, 0x931e8875u);
    for (int from = 0; from < POOL; from++)
        for (int to = 0; to < POOL; to++)
            if (from != to) pool[to] = mix(pool[to], stir(pool[from], &factor, 0x931e8875u));
    factor = 0x8b51f9ddu;
    for (int i = 0; i < COUNT(words); i++) words[i] = stir(pool[i % POOL], &factor, 0x58f38dedu);
    uint128 parts[2];
    for (int i = 0; i < 2; i++) {
        const uint32_t *w = words + 4 * i;
        uint64_t high = (uint64_t)w[1] << 32 | w[0], low = (uint64_t)w[3] << 32 | w[2];
        parts[i] = (uint128)high << 64 | low;
    }
    *pcg = (Pcg){.step = parts[1] << 1 | 1};
    draw(pcg);
    pcg->state += parts[0];
    draw(pcg);
}

/* ---- what is drawn ---- */

/* 0 to most. */
static uint64_t below(Pcg *pcg, uint64_t most) {
    if (!most) return 0;
    if (most == UINT64_MAX) return draw(pcg);
    if (most == UINT32_MAX) return draw_half(pcg);
    bool is_short = most < UINT32_MAX;
    int bits = is_short ? 32 : 64;
    uint64_t count = most + 1, all = is_short ? UINT32_MAX : UINT64_MAX;
    uint64_t least = (all - most) % count; /* of the lower half, so that all are as likely */
    for (;;) {
        uint128 product = (uint128)(is_short ? draw_half(pcg) : draw(pcg)) * count;
        if (((uint64_t)product & all) >= least) return (uint64_t)(product >> bits);
    }
}

/* The same as shuffles draw it: of as many bits as `most` has, until one fits. */
static uint64_t below_masked(Pcg *pcg, uint64_t most) {
    uint64_t mask = most, value;
    for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
    do value = (most >> 32 ? draw(pcg) : draw_half(pcg)) & mask;
    while (value > most);
    return value;
}

enum { PCG_DOUBLES, PCG_FLOATS, PCG_BELOW, PCG_SHUFFLED };

static void fill(void *generator, int what, uint64_t most, int64_t count, void *data) {
    Pcg *pcg = generator;
    double *doubles = data;
    float *floats = data;
    int64_t *integers = data;
    for (int64_t i = 0; i < count; i++)
        if (what == PCG_DOUBLES)
            doubles[i] = (double)(draw(pcg) >> 11) * 0x1p-53;
        else if (what == PCG_FLOATS)
            floats[i] = (float)(draw_half(pcg) >> 8) * 0x1p-24f;
        else
            integers[i] = what == PCG_BELOW ? (int64_t)below(pcg, most) : i;
    for (int64_t i = count - 1; i > 0 && what == PCG_SHUFFLED; i--) {
        int64_t other = (int64_t)below_masked(pcg, (uint64_t)i), swap = integers[i];
        integers[i] = integers[other], integers[other] = swap;
    }
}

/* ---- _numpy_pcg ---- */

static void pcg_free(Object *self) { free(self->payload); }
static const HostType pcg_type = {.name = "generator", .free = pcg_free};

static Object *new_pcg(Host *host, Object *const *args, const HostCall *call) {
    (void)call;
    Object *object = heap_host(host, &pcg_type, 0, NULL);
    Pcg *pcg = calloc(1, sizeof *pcg);
    if (!pcg) longjmp(host->script->no_memory, 1);
    object->payload = pcg;
    seed_with(pcg, args[0] ? (uint128)args[0]->integer : (uint128)clock_ns());
    return object;
}

static Object *drawn(Host *host, Object *const *args, const HostCall *call) {
    static const tern_dtype dtypes[] = {TERN_FLOAT64, TERN_FLOAT32, TERN_INT64, TERN_INT64};
    return numpy_drawn(host, args, &pcg_type, fill, call->id, dtypes[call->id]);
}

Object *numpy_pcg_open(Host *host) {
    static const Native rows[] = {NATIVE("generator", "seed?", new_pcg),
                                  {"doubles", "generator, count, most?", drawn, PCG_DOUBLES},
                                  {"floats", "generator, count, most?", drawn, PCG_FLOATS},
                                  {"below", "generator, count, most?", drawn, PCG_BELOW},
                                  {"shuffled", "generator, count, most?", drawn, PCG_SHUFFLED}};
    return host_module_of(host, "_numpy_pcg", rows, COUNT(rows));
}
