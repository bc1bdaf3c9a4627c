// SPDX-License-Identifier: Apache-2.0
/* parts: a long text as several, which are compiled at the same time.
 *
 *     prelude, micro-kernels                      in each part
 *     static void piece0(..) { .. }               in one part, without `static`
 *     static void piece1(..) { .. }               in one part
 *     static int program(..) { .. }  and the rest in the first part
 *
 * Each part declares the pieces of the others: pieces call pieces.
 *
 * A C compiler takes as long for a text as its functions do, and uses one core. How many parts
 * there are rests on the text alone, so that an object in the cache is the same on each machine. */
#include "device/cpu/cpu.h"
#include "gen/c/piece.h"

#include <stdlib.h>

/* The prelude and one more process cost 25 ms of a core; gcc takes as long for 4000 bytes of
 * pieces. */
enum { PART_BYTES = 10000, FEW_PARTS = 4, LARGE_PART_BYTES = 20000 };

typedef struct Piece {
    Str text;
    int head; /* bytes up to the body */
    int part;
} Piece;

static int find(Str text, int from, const char *word) {
    const char *at = memmem(text.data + from, (size_t)(text.length - from), word, strlen(word));
    return at ? (int)(at - text.data) : -1;
}

/* Those that follow each other from *start on, which is moved behind them. */
static int find_pieces(Arena *arena, Str text, int *start, Piece **pieces) {
    VEC(Piece) found = {0};
    for (int at = *start;
         at >= 0 && str_starts((Str){text.data + at, text.length - at}, C_PIECE_START);) {
        int body = find(text, at, C_PIECE_BODY), end = find(text, at, C_PIECE_END);
        if (body < 0 || end < body) break;
        end += (int)strlen(C_PIECE_END);
        vec_push(arena, &found, (Piece){{text.data + at, end - at}, body - at, 0});
        at = *start = end;
    }
    *pieces = found.data;
    return found.count;
}

static int by_length(const void *a, const void *b) {
    const Piece *const *x = a, *const *y = b;
    int more = (*y)->text.length - (*x)->text.length;
    return more ? more : (*x > *y) - (*x < *y);
}

/* Each piece, the longest first, to the part that has the least so far. */
static void share_out(Arena *arena, Piece *pieces, int count, int rest_bytes, int parts) {
    int bytes[MOST_PARTS] = {rest_bytes};
    Piece **order = arena_array(arena, Piece *, count);
    for (int i = 0; i < count; i++) order[i] = &pieces[i];
    qsort(order, (size_t)count, sizeof *order, by_length);
    for (int i = 0; i < count; i++) {
        int least = 0;
        for (int k = 1; k < parts; k++)
            if (bytes[k] < bytes[least]) least = k;
        order[i]->part = least;
        bytes[least] += order[i]->text.length;
    }
}

/* Small ones as long as there are few: as many as a laptop has cores. */
static int parts_of(int bytes) {
    int parts = bytes / PART_BYTES + 1;
    if (parts > FEW_PARTS) parts = bytes / LARGE_PART_BYTES + 1;
    if (parts > MOST_PARTS) parts = MOST_PARTS;
    return parts < FEW_PARTS && bytes >= FEW_PARTS * PART_BYTES ? FEW_PARTS : parts;
}

static Str part_text(Arena *arena, Str before, const Piece *pieces, int count, Str rest, int part) {
    Buf out = {.arena = arena};
    int hidden = (int)strlen(C_PIECE_START), kept = (int)strlen(C_PIECE_ATTRIBUTE);
    buf_add(&out, before.data, (size_t)before.length);
    for (int i = 0; i < count; i++) {
        Str text = pieces[i].text;
        bool is_here = pieces[i].part == part;
        if (is_here) buf_add(&out, text.data, (size_t)kept);
        buf_add(&out, text.data + hidden,
                (size_t)((is_here ? text.length : pieces[i].head) - hidden));
        if (!is_here) buf_puts(&out, ";\n");
    }
    if (part == 0) buf_add(&out, rest.data, (size_t)rest.length);
    return buf_str(&out);
}

int parts_split(Arena *arena, Str text, Str *parts) {
    int first = find(text, 0, "\n" C_PIECE_START) + 1, start = first;
    Piece *pieces = NULL;
    int count = first > 0 ? find_pieces(arena, text, &start, &pieces) : 0;
    int num_parts = parts_of(text.length - first);
    parts[0] = text;
    if (num_parts > count + 1) num_parts = count + 1;
    if (num_parts == 1) return 1;
    Str rest = {text.data + start, text.length - start};
    share_out(arena, pieces, count, rest.length, num_parts);
    for (int k = 0; k < num_parts; k++)
        parts[k] = part_text(arena, (Str){text.data, first}, pieces, count, rest, k);
    return num_parts;
}
