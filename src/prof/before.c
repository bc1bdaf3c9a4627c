// SPDX-License-Identifier: Apache-2.0
/* before: the folded stacks of an earlier profile, "root;child;leaf NANOSECONDS" a line, as a tree
 * that a flame graph is held against. */
#include "prof/flame.h"

enum { MOST_BYTES = 1 << 28 };
static const int64_t most_ns = 1000000000000000000; /* in all: 30 years, far from an overflow */

ProfNode *prof_node_child(const ProfNode *node, Str frame) {
    for (int i = 0; node && i < node->children.count; i++)
        if (str_equal(node->children.data[i]->frame, frame)) return node->children.data[i];
    return NULL;
}

/* The number at the line's end; false: there is none, or it is too large. */
static bool split(Str line, Str *stack, int64_t *ns) {
    int at = line.length;
    *ns = 0;
    while (at && line.data[at - 1] >= '0' && line.data[at - 1] <= '9') at--;
    for (int i = at; i < line.length; i++) {
        *ns = *ns * 10 + (line.data[i] - '0');
        if (*ns > most_ns) return false;
    }
    if (at == line.length || at < 2 || line.data[at - 1] != ' ') return false;
    *stack = (Str){line.data, at - 1};
    return true;
}

/* What is deeper than a drawing can be counts for what it is inside of. */
static void add(Arena *arena, ProfNode *root, Str stack, int64_t ns) {
    ProfNode *node = root;
    node->ns += ns;
    for (int from = 0, depth = 0; from <= stack.length && depth < PROF_MOST_ROWS; depth++) {
        int to = from;
        while (to < stack.length && stack.data[to] != ';') to++;
        Str frame = {stack.data + from, to - from};
        ProfNode *child = prof_node_child(node, frame);
        if (!child) {
            child = arena_new_of(arena, ProfNode);
            child->frame = frame;
            vec_push(arena, &node->children, child);
        }
        node = child;
        node->ns += ns;
        from = to + 1;
    }
}

/* NULL: *bad is the line that is none. */
static const ProfNode *parse(Arena *arena, Str text, int *bad) {
    ProfNode *root = arena_new_of(arena, ProfNode);
    *bad = 0;
    for (int from = 0; from < text.length;) {
        Str stack;
        int to = from;
        int64_t ns;
        while (to < text.length && text.data[to] != '\n') to++;
        ++*bad;
        if (!split((Str){text.data + from, to - from}, &stack, &ns) || ns > most_ns - root->ns)
            return NULL;
        add(arena, root, stack, ns);
        from = to + 1;
    }
    return root;
}

tern_status tern_profile_before(tern_profile *profile, const char *folded_path) {
    Str text, why;
    int bad;
    if (setjmp(profile->no_memory)) return TERN_ERROR_NO_MEMORY;
    if (!file_read(profile->arena, folded_path, MOST_BYTES, &text, &why))
        return tern_fail(profile->context, TERN_ERROR_SYSTEM,
                         str_format(profile->arena, "%.*s", STR_ARG(why)).data);
    const ProfNode *before = parse(profile->arena, text, &bad);
    if (!before)
        return tern_fail(profile->context, TERN_ERROR_ARGUMENT,
                         str_format(profile->arena, "%s:%d: expected 'root;child;leaf NANOSECONDS'",
                                    folded_path, bad)
                             .data);
    profile->before = before;
    return TERN_OK;
}
