// SPDX-License-Identifier: Apache-2.0
/* random: torch's generator on the CPU, MT19937 with the classic seeding, so that a script draws
 * the numbers that it draws with torch: uniform ones bit for bit, normal ones within rounding. */
#include "exec/exec.h"

#include <math.h>
#include <stdlib.h>

enum { WORDS = 624, SHIFT = 397 };

void torch_seed(Random *random, uint64_t seed) {
    *random = (Random){.is_seeded = true, .next = WORDS};
    random->state[0] = (uint32_t)seed;
    for (uint32_t i = 1; i < WORDS; i++) {
        uint32_t last = random->state[i - 1];
        random->state[i] = 1812433253u * (last ^ (last >> 30)) + i;
    }
}

static void refill(Random *random) {
    uint32_t *state = random->state;
    for (int i = 0; i < WORDS; i++) {
        uint32_t both = (state[i] & 0x80000000u) | (state[(i + 1) % WORDS] & 0x7fffffffu);
        state[i] = state[(i + SHIFT) % WORDS] ^ (both >> 1) ^ (both & 1 ? 0x9908b0dfu : 0);
    }
    random->next = 0;
}

static uint32_t draw(Random *random) {
    if (!random->is_seeded) torch_seed(random, (uint64_t)clock_ns());
    if (random->next == WORDS) refill(random);
    uint32_t x = random->state[random->next++];
    x ^= x >> 11;
    x ^= (x << 7) & 0x9d2c5680u;
    x ^= (x << 15) & 0xefc60000u;
    return x ^ (x >> 18);
}

static uint64_t draw_wide(Random *random) {
    uint64_t high = draw(random);
    return high << 32 | draw(random);
}

double torch_uniform(Random *random) {
    return (double)(draw_wide(random) & ((1ull << 53) - 1)) * 0x1p-53;
}

float torch_uniform_float(Random *random) {
    return (float)(draw(random) & ((1u << 24) - 1)) * 0x1p-24f;
}

uint64_t torch_below(Random *random, uint64_t bound) {
    return bound >> 32 ? draw_wide(random) % bound : draw(random) % bound;
}

static double normal_alone(Random *random) {
    if (random->has_normal) {
        random->has_normal = false;
        return random->normal;
    }
    double angle = 2 * 3.14159265358979323846 * torch_uniform(random);
    double radius = sqrt(-2 * log1p(-torch_uniform(random)));
    random->has_normal = true;
    random->normal = radius * sin(angle);
    return radius * cos(angle);
}

/* Eight uniform numbers give radii, the eight after them angles. */
static void normal_block(float *data) {
    for (int i = 0; i < 8; i++) {
        float radius = sqrtf(-2 * logf(1 - data[i])), angle = 2 * 3.14159274f * data[i + 8];
        data[i] = radius * cosf(angle);
        data[i + 8] = radius * sinf(angle);
    }
}

void torch_fill_normal(Random *random, float *to, int64_t count) {
    enum { BLOCK = 16 };
    if (count < BLOCK) {
        for (int64_t i = 0; i < count; i++) to[i] = (float)normal_alone(random);
        return;
    }
    for (int64_t i = 0; i < count; i++) to[i] = torch_uniform_float(random);
    for (int64_t i = 0; i + BLOCK <= count; i += BLOCK) normal_block(to + i);
    if (count % BLOCK == 0) return;
    float *last = to + count - BLOCK; /* the tail is drawn anew */
    for (int i = 0; i < BLOCK; i++) last[i] = torch_uniform_float(random);
    normal_block(last);
}

/* Likewise in double precision. */
static void normal_block_double(double *data) {
    for (int i = 0; i < 8; i++) {
        double radius = sqrt(-2 * log(1 - data[i]));
        double angle = 2 * 3.14159265358979323846 * data[i + 8];
        data[i] = radius * cos(angle);
        data[i + 8] = radius * sin(angle);
    }
}

void torch_fill_normal_double(Random *random, double *to, int64_t count) {
    enum { BLOCK = 16 };
    for (int64_t i = 0; i < count; i++)
        to[i] = count < BLOCK ? normal_alone(random) : torch_uniform(random);
    for (int64_t i = 0; i + BLOCK <= count; i += BLOCK) normal_block_double(to + i);
    if (count < BLOCK || count % BLOCK == 0) return;
    double *last = to + count - BLOCK;
    for (int i = 0; i < BLOCK; i++) last[i] = torch_uniform(random);
    normal_block_double(last);
}

/* ---- numpy.random's: the same generator and seeding, other numbers made of it ---- */

static double numpy_double(Random *random) {
    uint32_t high = draw(random) >> 5, low = draw(random) >> 6;
    return (high * 67108864.0 + low) / 9007199254740992.0;
}

/* Two numbers in the unit circle give two normal ones; the second is kept. */
static double numpy_normal(Random *random) {
    if (random->has_normal) {
        random->has_normal = false;
        return random->normal;
    }
    double x, y, square;
    do {
        x = 2.0 * numpy_double(random) - 1.0;
        y = 2.0 * numpy_double(random) - 1.0;
        square = x * x + y * y;
    } while (square >= 1.0 || square == 0.0);
    double factor = sqrt(-2.0 * log(square) / square);
    random->has_normal = true;
    random->normal = factor * x;
    return factor * y;
}

/* 0 to most: of as many bits as it has, drawn until one fits. */
static uint64_t numpy_below(Random *random, uint64_t most) {
    uint64_t mask = most, value;
    for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
    if (!most) return 0;
    do value = (most >> 32 ? draw_wide(random) : draw(random)) & mask;
    while (value > most);
    return value;
}

static void numpy_free(Object *self) { free(self->payload); }
static const HostType numpy_type = {.name = "generator", .free = numpy_free};

static Object *numpy_generator(Host *host, Object *const *args, const HostCall *call) {
    int64_t seed = 0;
    (void)call;
    if (args[0] && !host_int(host, args[0], "seed", &seed)) return host->script->poison;
    Object *object = heap_host(host, &numpy_type, 0, NULL);
    Random *random = calloc(1, sizeof *random);
    if (!random) longjmp(host->script->no_memory, 1);
    torch_seed(random, args[0] ? (uint64_t)seed : (uint64_t)clock_ns());
    object->payload = random;
    return object;
}

enum { NUMPY_DOUBLES, NUMPY_NORMALS, NUMPY_BELOW, NUMPY_SHUFFLED };

static void numpy_fill(void *generator, int what, uint64_t most, int64_t count, void *data) {
    Random *random = generator;
    double *doubles = data;
    int64_t *integers = data;
    for (int64_t i = 0; i < count; i++)
        if (what == NUMPY_DOUBLES)
            doubles[i] = numpy_double(random);
        else if (what == NUMPY_NORMALS)
            doubles[i] = numpy_normal(random);
        else
            integers[i] = what == NUMPY_BELOW ? (int64_t)numpy_below(random, most) : i;
    for (int64_t i = count - 1; i > 0 && what == NUMPY_SHUFFLED; i--) {
        int64_t other = (int64_t)numpy_below(random, (uint64_t)i), swap = integers[i];
        integers[i] = integers[other], integers[other] = swap;
    }
}

Object *numpy_drawn(Host *host, Object *const *args, const HostType *type, NumpyFill *fill,
                    int what, tern_dtype dtype) {
    int64_t count, most = 0;
    bool fits = args[0]->kind == OBJECT_HOST && args[0]->type == type;
    if (!fits || !host_may_do(host, "random numbers") ||
        !host_int(host, args[1], "count", &count) || count < 0 ||
        (args[2] && !host_int(host, args[2], "most", &most)))
        return is_raised(host) ? host->script->poison : host_refuse(host, "numpy.random of this");
    void *data = (uint64_t)count < PTRDIFF_MAX / 8 ? malloc((size_t)count * 8 + 8) : NULL;
    if (!data) longjmp(host->script->no_memory, 1);
    fill(args[0]->payload, what, (uint64_t)most, count, data);
    tern_tensor *tensor = tern_from(exec_of(host)->session, data, dtype, 1, &count);
    free(data);
    return tensor_wrap(host, tensor, false);
}

static Object *numpy_draw(Host *host, Object *const *args, const HostCall *call) {
    return numpy_drawn(host, args, &numpy_type, numpy_fill, call->id,
                       call->id >= NUMPY_BELOW ? TERN_INT64 : TERN_FLOAT64);
}

Object *numpy_random_open(Host *host) {
    static const Native rows[] = {
        NATIVE("generator", "seed?", numpy_generator),
        {"doubles", "generator, count, most?", numpy_draw, NUMPY_DOUBLES},
        {"normals", "generator, count, most?", numpy_draw, NUMPY_NORMALS},
        {"below", "generator, count, most?", numpy_draw, NUMPY_BELOW},
        {"shuffled", "generator, count, most?", numpy_draw, NUMPY_SHUFFLED}};
    return host_module_of(host, "_numpy_random", rows, COUNT(rows));
}
