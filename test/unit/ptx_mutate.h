// SPDX-License-Identifier: Apache-2.0
/* Mutations of PTX: without any one of the instructions that order copies, products and barriers,
 * some seed of the simulator finds fault or the result, of small whole numbers, is wrong. */
#ifndef TERN_PTX_MUTATE_H
#define TERN_PTX_MUTATE_H

#include "base/base.h"
#include "base/float.h"
#include "test.h"

enum { MUTATION_SEEDS = 6 };

/* Of products: whole numbers of -2 to 2, so that sums are exact. */
static inline int small(void) {
    static uint64_t state = 88172645463325252u;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (int)(state * 2685821657736338717u >> 33) % 5 - 2;
}

static inline uint16_t half_of(int number) {
    return (uint16_t)float_encode(FLOAT_F16, number, FLOAT_NEAREST_EVEN);
}

/* Such a number as an f16, and itself: references read each many times. */
static inline uint16_t small_half(int8_t *number) {
    *number = (int8_t)small();
    return half_of(*number);
}

/* Does a launch with this seed fail, or leave another result? */
typedef bool Catches(const char *text, uint64_t seed, void *user);

static const char *const ordering[] = {"cp.async.wait",
                                       "cp.async.commit",
                                       "bar.sync",
                                       "bar.arrive",
                                       "bar.warp",
                                       "wgmma.fence",
                                       "wgmma.commit",
                                       "wgmma.wait",
                                       "fence.proxy",
                                       "mbarrier.",
                                       "cp.async.mbarrier",
                                       "fence.mbarrier",
                                       "cp.async.bulk.wait",
                                       "cp.async.bulk.commit",
                                       "barrier.cluster",
                                       "mapa",
                                       "st.async"};

static inline bool orders(const char *line) {
    const char *mbarrier = strstr(line, "mbarrier.");
    if (mbarrier && mbarrier < line + strcspn(line, "\n")) return true;
    for (int i = 0; i < COUNT(ordering); i++)
        if (!strncmp(line + strspn(line, "\t {"), ordering[i], strlen(ordering[i]))) return true;
    return false;
}

/* A wait is two lines: what it asks, and the branch back. */
static inline const char *behind(const char *line) {
    bool waits = !strncmp(line + strspn(line, "\t {"), "mbarrier.try_wait", 17);
    for (int lines = waits ? 2 : 1; lines; lines--) {
        const char *end = strchr(line, '\n');
        line = end ? end + 1 : line + strlen(line);
    }
    return line;
}

/* How many were removed in turn. */
static inline int each_order_is_missed(const char *text, Catches *catches, void *user) {
    Arena *arena = arena_new(NULL);
    int count = 0;
    for (uint64_t seed = 0; seed < MUTATION_SEEDS; seed++) CHECK(!catches(text, seed, user));
    for (const char *line = text, *next; *line; line = next) {
        const char *end = strchr(line, '\n');
        next = end ? end + 1 : line + strlen(line);
        if (!orders(line)) continue;
        Buf out = {.arena = arena};
        bool caught = false;
        buf_add(&out, text, (int)(line - text));
        buf_puts(&out, behind(line));
        for (uint64_t seed = 0; seed < MUTATION_SEEDS && !caught; seed++)
            caught = catches(out.data, seed, user);
        if (!caught)
            printf("nobody misses '%.*s', %d bytes in\n", (int)(end - line), line,
                   (int)(line - text));
        CHECK(caught);
        count++;
    }
    arena_free(arena);
    return count;
}

/* The last number of a line, in place of it another; at: where the line begins. */
static inline const char *renumbered(Arena *arena, const char *text, const char *at, long change,
                                     long factor) {
    const char *end = at + strcspn(at, ";"), *digit = end;
    while (digit > at && digit[-1] >= '0' && digit[-1] <= '9') digit--;
    long number = strtol(digit, NULL, 10);
    Buf out = {.arena = arena};
    buf_add(&out, text, (int)(digit - text));
    buf_printf(&out, "%ld%s", number * factor + change, end);
    return out.data;
}

static inline bool is_missed(const char *text, Catches *catches, void *user) {
    for (uint64_t seed = 0; seed < MUTATION_SEEDS; seed++)
        if (catches(text, seed, user)) return true;
    return false;
}

/* Of bulk copies and mbarriers: one copy less, other numbers of bytes and of arrivals. */
static inline int each_count_is_missed(const char *text, Catches *catches, void *user) {
    static const char *const words[] = {"cp.async.bulk", "expect_tx", "mbarrier.init"};
    Arena *arena = arena_new(NULL);
    int count = 0;
    for (const char *line = text, *next; *line; line = next) {
        const char *end = strchr(line, '\n'), *mutants[3] = {NULL, NULL, NULL};
        next = end ? end + 1 : line + strlen(line);
        Str here = {line, (int)(next - line)};
        for (int i = 0; i < COUNT(words); i++) {
            const char *found = strstr(line, words[i]);
            if (!found || found >= line + here.length) continue;
            if (i == 0)
                mutants[0] = str_format(arena, "%.*s%s", (int)(line - text), text, next).data;
            if (i == 1) mutants[0] = renumbered(arena, text, found, 0, 2);
            if (i > 0) mutants[1] = renumbered(arena, text, found, i == 1 ? -16 : 1, 1);
            if (i == 2) mutants[2] = renumbered(arena, text, found, -1, 1);
        }
        for (int i = 0; i < 3; i++) {
            if (!mutants[i]) continue;
            bool missed = is_missed(mutants[i], catches, user);
            if (!missed) printf("nobody misses change %d of '%.*s'\n", i, STR_ARG(here));
            CHECK(missed);
            count++;
        }
    }
    arena_free(arena);
    return count;
}

#endif
