// SPDX-License-Identifier: Apache-2.0
/* shrink: a kernel that differs, made smaller line by line while it keeps differing.
 *
 * Tried until nothing helps: dropping a line with its block, dropping half of the lines, taking a
 * block's lines out of it, a definition replaced by a load or by zeros, a dimension or a scalar
 * halved, one program, one warp. A kernel that is no longer right is rejected by interp, and so not
 * kept. */
#include "diff/diff.h"

typedef struct Shrink {
    Kernel *best;
    const char *device;
    int seconds, tries;
    Outcome *outcome;
} Shrink;

enum { MOST_TRIES = 600 };

static int same_badness(Verdict a, Verdict b) { return a == b || (a >= CRASHES && b >= CRASHES); }

static int attempt(Shrink *shrink, const Kernel *candidate) {
    static Outcome outcome;
    if (shrink->tries++ >= MOST_TRIES) return 0;
    outcome = (Outcome){0};
    run_kernel(candidate, shrink->device, shrink->seconds, &outcome);
    if (!same_badness(outcome.verdict, shrink->outcome->verdict)) return 0;
    *shrink->best = *candidate, *shrink->outcome = outcome;
    return 1;
}

static int block_end(const Kernel *k, int line) {
    int end = line + 1;
    while (end < k->num_lines && k->lines[end].indent > k->lines[line].indent) end++;
    return end;
}

static void remove_lines(Kernel *k, int from, int to) {
    memmove(&k->lines[from], &k->lines[to], sizeof(Line) * (size_t)(k->num_lines - to));
    k->num_lines -= to - from;
}

static int drop_lines(Shrink *shrink) {
    static Kernel candidate;
    int helped = 0;
    for (int size = shrink->best->num_lines / 2; size > 1; size /= 2)
        for (int from = shrink->best->num_lines - size; from >= 0; from -= size) {
            if (from + size > shrink->best->num_lines) continue;
            candidate = *shrink->best;
            remove_lines(&candidate, from, from + size);
            helped |= attempt(shrink, &candidate);
        }
    for (int i = shrink->best->num_lines - 1; i >= 0; i--) {
        if (i >= shrink->best->num_lines) continue;
        candidate = *shrink->best;
        remove_lines(&candidate, i, block_end(&candidate, i));
        helped |= attempt(shrink, &candidate);
    }
    return helped;
}

static int unwrap_blocks(Shrink *shrink) {
    static Kernel candidate;
    int helped = 0;
    for (int i = shrink->best->num_lines - 1; i >= 0; i--) {
        candidate = *shrink->best;
        int end = block_end(&candidate, i);
        if (end == i + 1) continue;
        for (int n = i + 1; n < end; n++) candidate.lines[n].indent--;
        remove_lines(&candidate, i, i + 1);
        helped |= attempt(shrink, &candidate);
    }
    return helped;
}

static int simplify_definitions(Shrink *shrink) {
    static Kernel candidate;
    int helped = 0;
    for (int i = shrink->best->num_lines - 1; i >= 0; i--) {
        int id = shrink->best->lines[i].defines;
        if (id < 0) continue;
        const Value *value = &shrink->best->values[id];
        char shape[200], lanes_text[80], forms[2][LINE_SIZE];
        Dim lanes = dim_one;
        for (int d = 0; d < value->shape.rank; d++) lanes = dim_times(lanes, value->shape.dims[d]);
        const char *name = kinds[value->kind].text;
        snprintf(forms[0], LINE_SIZE, "v%d = tl.zeros(%s, %s)", id,
                 shape_text(&value->shape, shape), kinds[value->kind].dtype);
        if (value->shape.rank)
            snprintf(forms[1], LINE_SIZE, "v%d = tl.load(i_%s + tl.reshape(tl.arange(0, %s), %s))",
                     id, name, dim_text(lanes, lanes_text), shape_text(&value->shape, shape));
        else
            snprintf(forms[1], LINE_SIZE, "v%d = tl.load(i_%s)", id, name);
        if (!value->shape.rank)
            snprintf(forms[0], LINE_SIZE, "v%d = tl.full((), 0, %s)", id, kinds[value->kind].dtype);
        int done = 0;
        for (int f = 0; f < 2; f++) done |= !strcmp(shrink->best->lines[i].text, forms[f]);
        for (int f = 0; f < 2 && !done; f++) {
            candidate = *shrink->best;
            memcpy(candidate.lines[i].text, forms[f], LINE_SIZE);
            done = attempt(shrink, &candidate);
            helped |= done;
        }
    }
    return helped;
}

static int simplify_numbers(Shrink *shrink) {
    static Kernel candidate;
    int helped = 0;
    for (int c = 0; c < NUM_CONSTS; c++)
        while (shrink->best->consts[c] > 1) {
            candidate = *shrink->best;
            candidate.consts[c] /= 2;
            if (!attempt(shrink, &candidate)) break;
            helped = 1;
        }
    candidate = *shrink->best, candidate.num_programs = 1;
    if (shrink->best->num_programs > 1) helped |= attempt(shrink, &candidate);
    candidate = *shrink->best, candidate.num_warps = 1;
    if (shrink->best->num_warps > 1) helped |= attempt(shrink, &candidate);
    for (int s = 0; s < 2; s++) {
        candidate = *shrink->best, candidate.scalars[s] = 0;
        if (shrink->best->scalars[s]) helped |= attempt(shrink, &candidate);
    }
    return helped;
}

void shrink_kernel(Kernel *kernel, const char *device, int seconds, Outcome *outcome) {
    Shrink shrink = {kernel, device, seconds, 0, outcome};
    int helped = 1;
    while (helped && shrink.tries < MOST_TRIES) {
        helped = drop_lines(&shrink);
        helped |= simplify_numbers(&shrink);
        helped |= unwrap_blocks(&shrink);
        helped |= simplify_definitions(&shrink);
    }
}
