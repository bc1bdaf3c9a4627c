// SPDX-License-Identifier: Apache-2.0
/* random: torch's generator on the CPU, MT19937 with the classic seeding, so that a script draws
 * the numbers that it draws with torch: uniform ones bit for bit, normal ones within rounding. */
#include "exec/exec.h"

#include <math.h>

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
