// SPDX-License-Identifier: Apache-2.0
#include "base/cap.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    REGISTERS = 65536, /* of a multiprocessor, in four parts; given to warps by eights a thread */
    PARTS = 4,
    WARP = 32,
    SYSTEM_SHARED = 1024, /* bytes of shared memory that each block has besides */
    MOST_BLOCKS = 16,
    MOST_TEXT = 96 * 1024, /* bytes: a quarter of a second */
    MOST_LABELS = 256,
    LESS_STRAIGHT = 20, /* percent of the registers */
    LESS_ELSE = 4,
    FEW_SPILLED = 16, /* bytes that a second block is worth */
    SOME_TILES = 3,
    SOME_TILES_OF_TURNS = 2,
    SOME_LOADS = 4,       /* that might wait for each other */
    MOST_REGISTERS = 128, /* of a thread that are asked for */
};

static const char *find(const char *at, const char *end, const char *words) {
    return at ? memmem(at, (size_t)(end - at), words, strlen(words)) : NULL;
}

/* The number behind the words; -1: they do not stand there. */
static int number_behind(Str text, const char *words) {
    const char *end = text.data + text.length, *at = find(text.data, end, words);
    if (!at) return -1;
    int value = 0;
    for (at += strlen(words); at < end && *at >= '0' && *at <= '9' && value < 1 << 20; at++)
        value = value * 10 + (*at - '0');
    return value;
}

/* CUDA programming guide, "Technical specifications per compute capability". */
typedef struct Multiprocessor {
    int threads, shared; /* the last in bytes */
} Multiprocessor;

static Multiprocessor multiprocessor_of(Str ptx) {
    int number = number_behind(ptx, ".target sm_");
    if (number == 80 || number == 87)
        return (Multiprocessor){number == 80 ? 2048 : 1536, 164 << 10};
    if (number == 90 || number == 100) return (Multiprocessor){2048, 228 << 10};
    if (number == 86 || number == 89 || number == 120) return (Multiprocessor){1536, 100 << 10};
    return (Multiprocessor){1024, 64 << 10};
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$';
}

static Str word_at(const char *at, const char *end) {
    Str word = {at, 0};
    while (at + word.length < end && is_word(at[word.length])) word.length++;
    return word;
}

/* Whether it branches to what stands before. */
static bool has_loop(Str ptx) {
    Str labels[MOST_LABELS];
    int count = 0;
    const char *end = ptx.data + ptx.length;
    for (const char *line = ptx.data; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        if (!stop) stop = end;
        Str word = word_at(line, stop);
        if (word.length && line + word.length < stop && line[word.length] == ':') {
            if (count == MOST_LABELS) return true; /* not known */
            labels[count++] = word;
        }
        const char *bra = find(line, stop, "bra");
        const char *to = bra ? memchr(bra, ' ', (size_t)(stop - bra)) : NULL;
        word = to ? word_at(to + 1, stop) : (Str){0};
        for (int i = 0; i < count; i++)
            if (str_equal(labels[i], word)) return true;
        line = stop + 1;
    }
    return false;
}

static int blocks_with(int registers, int warps) {
    int each = (registers + 7) / 8 * 8 * WARP;
    return REGISTERS / PARTS / each * PARTS / warps;
}

/* Loads of global memory, and from how many addresses, but for what is added: so many tiles. */
typedef struct Loads {
    int count, addresses;
} Loads;

static Loads loads_in(Str ptx) {
    enum { MOST_ADDRESSES = 8 };
    Str known[MOST_ADDRESSES];
    Loads loads = {0, 0};
    const char *end = ptx.data + ptx.length;
    for (const char *at = ptx.data; (at = find(at, end, "ld.global")); at++, loads.count++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const char *place = find(at, stop ? stop : end, "[%");
        if (!place || loads.addresses == MOST_ADDRESSES) continue;
        Str word = word_at(place + 2, stop ? stop : end);
        int i = 0;
        while (i < loads.addresses && !str_equal(known[i], word)) i++;
        if (i == loads.addresses) known[loads.addresses++] = word;
    }
    return loads;
}

/* As many blocks as there are without being asked for, with all registers that they leave. */
static Cap same_blocks(int registers, int warps, int most) {
    int blocks = blocks_with(registers, warps), more = (registers + 7) / 8 * 8;
    if (blocks > most) blocks = most;
    while (more + 8 <= MOST_REGISTERS && blocks_with(more + 8, warps) >= blocks) more += 8;
    return (Cap){blocks, more, 0};
}

int caps_for(Str ptx, int registers, Cap caps[MOST_CAPS]) {
    const char *end = ptx.data + ptx.length;
    int threads = number_behind(ptx, "\n.reqntid "), count = 0;
    bool said = find(ptx.data, end, "\n.minnctapersm ") || find(ptx.data, end, "\n.maxnreg ");
    bool unseen = find(ptx.data, end, ".extern .shared") || find(ptx.data, end, ".local");
    if (ptx.length > MOST_TEXT || threads < WARP || threads % WARP || registers < 1) return 0;
    if (said || unseen || !find(ptx.data, end, ", 1, 1\n{")) return 0;
    Multiprocessor whole = multiprocessor_of(ptx);
    int warps = threads / WARP, shared = number_behind(ptx, "shared_memory[");
    int most = whole.shared / (SYSTEM_SHARED + (shared < 0 ? 0 : shared));
    if (most > whole.threads / threads) most = whole.threads / threads;
    if (most > MOST_BLOCKS) most = MOST_BLOCKS;
    int blocks = blocks_with(registers, warps) + 1, fewer = (registers + 7) / 8 * 8;
    bool straight = !find(ptx.data, end, "mma") && !has_loop(ptx);
    while (fewer > 0 && blocks_with(fewer, warps) < blocks) fewer -= 8;
    int less = straight ? LESS_STRAIGHT : LESS_ELSE;
    if (blocks >= 2 && blocks <= most && fewer * 100 >= registers * (100 - less))
        caps[count++] = (Cap){blocks, fewer, straight && blocks == 2 ? FEW_SPILLED : 0};
    Loads loads = loads_in(ptx);
    bool waits = loads.count >= SOME_LOADS &&
                 loads.addresses >= (straight ? SOME_TILES : SOME_TILES_OF_TURNS);
    if (waits && blocks > 1 && !find(ptx.data, end, "mma"))
        caps[count++] = same_blocks(registers, warps, most);
    return count;
}

Str cap_text(Arena *arena, Str ptx, Cap cap) {
    static const char before[] = ", 1, 1\n";
    const char *at = find(ptx.data, ptx.data + ptx.length, ", 1, 1\n{");
    if (!at) BUG("a cap of a text that says nothing of threads");
    at += sizeof before - 1;
    Str head = {ptx.data, (int)(at - ptx.data)}, rest = {at, ptx.length - head.length};
    return str_format(arena, "%.*s.minnctapersm %d\n%.*s", STR_ARG(head), cap.blocks,
                      STR_ARG(rest));
}

bool cap_pays(Cap cap, PtxasUse before, PtxasUse after) {
    return after.registers > 0 && after.registers <= cap.registers &&
           after.stack_bytes <= before.stack_bytes + cap.spilled &&
           after.spill_stores <= before.spill_stores + cap.spilled &&
           after.spill_loads <= before.spill_loads + cap.spilled;
}
