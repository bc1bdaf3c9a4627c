// SPDX-License-Identifier: Apache-2.0
/* Mutations of PTX: without any one of the instructions that order copies, products and barriers,
 * some seed of the simulator finds fault or the result is wrong. */
#ifndef TERN_PTX_MUTATE_H
#define TERN_PTX_MUTATE_H

#include "base/base.h"
#include "test.h"

enum { MUTATION_SEEDS = 6 };

/* Does a launch with this seed fail, or leave another result? */
typedef bool Catches(const char *text, uint64_t seed, void *user);

static const char *const ordering[] = {"cp.async.wait", "cp.async.commit", "bar.sync",
                                       "wgmma.fence",   "wgmma.commit",    "wgmma.wait",
                                       "fence.proxy",   "mbarrier.",       "cp.async.mbarrier",
                                       "fence.mbarrier"};

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

#endif
