// SPDX-License-Identifier: Apache-2.0
/* pattern: "*{fp32,fp16}:16?,*{0}:16?,i32,{1024,2048}" -> the signatures it stands for.
 *
 * A pattern is a text with choices. A depth-first walk takes each choice in turn; `taken` has the
 * alternatives that the braces before a place took, which {0}, {1} .. name. Promises with a '?'
 * hold all together or not at all: two walks. */
#include "build/build.h"

enum { MAX_BRACES = 32 };

typedef struct Expand {
    Arena *arena;
    Texts *signatures;
    Str *why, taken[MAX_BRACES];
    int num_taken;
    bool promises, any_may_fail; /* of those with a '?' */
    char text[4096];             /* of the signature so far */
} Expand;

static bool walk(Expand *e, Str rest, int used);

static bool wrong(Expand *e, const char *words, Str at) {
    *e->why = str_format(e->arena, "%s at '%.*s'", words, STR_ARG(at));
    return false;
}

static bool put(Expand *e, Str text, int *used) {
    if (*used + text.length >= (int)sizeof e->text)
        return wrong(e, "a signature is too long", text);
    memcpy(e->text + *used, text.data, (size_t)text.length);
    *used += text.length;
    return true;
}

static Str skip(Str s, int n) { return (Str){s.data + n, s.length - n}; }

static bool is_number(Str s, int *number) {
    *number = 0;
    for (int i = 0; i < s.length; i++) {
        if (s.data[i] < '0' || s.data[i] > '9' || i > 3) return false;
        *number = *number * 10 + s.data[i] - '0';
    }
    return s.length > 0;
}

static int find(Str s, char c) {
    const char *at = memchr(s.data, c, (size_t)s.length);
    return at ? (int)(at - s.data) : -1;
}

/* rest begins behind a '{'. */
static bool braces(Expand *e, Str rest, int used) {
    int end = find(rest, '}'), number;
    if (end < 0) return wrong(e, "a '{' without '}'", rest);
    Str inside = {rest.data, end}, after = skip(rest, end + 1);
    if (find(inside, '{') >= 0) return wrong(e, "braces inside of braces", inside);
    if (is_number(inside, &number) && number < e->num_taken)
        return put(e, e->taken[number], &used) && walk(e, after, used);
    if (e->num_taken == MAX_BRACES) return wrong(e, "too many braces", rest);
    int mine = e->num_taken++;
    for (bool more = true; more;) {
        int comma = find(inside, ',');
        Str choice = {inside.data, comma < 0 ? inside.length : comma};
        if (!choice.length) return wrong(e, "an empty alternative", rest);
        more = comma >= 0;
        inside = skip(inside, more ? comma + 1 : inside.length);
        e->taken[mine] = choice;
        int with = used;
        if (!put(e, choice, &with) || !walk(e, after, with)) return false;
    }
    e->num_taken = mine;
    return true;
}

/* rest begins with a ':'; a promise with a '?' behind it is there only in the signature of all. */
static bool promise(Expand *e, Str rest, int used) {
    int length = 1;
    while (length < rest.length && rest.data[length] >= '0' && rest.data[length] <= '9') length++;
    bool may_fail = length > 1 && length < rest.length && rest.data[length] == '?';
    e->any_may_fail |= may_fail;
    if ((!may_fail || e->promises) && !put(e, (Str){rest.data, length}, &used)) return false;
    return walk(e, skip(rest, length + may_fail), used);
}

static bool walk(Expand *e, Str rest, int used) {
    while (rest.length) {
        char c = *rest.data;
        if (c == '{') return braces(e, skip(rest, 1), used);
        if (c == ':') return promise(e, rest, used);
        if (c == '}' || c == '?') return wrong(e, "unexpected", rest);
        if (!put(e, (Str){rest.data, 1}, &used)) return false;
        rest = skip(rest, 1);
    }
    if (e->signatures->count == MAX_FORMS) {
        *e->why = str_format(e->arena, "the pattern stands for more than %d signatures", MAX_FORMS);
        return false;
    }
    Str signature = str_copy(e->arena, (Str){e->text, used});
    vec_push(e->arena, e->signatures, signature.data);
    return true;
}

bool pattern_expand(Arena *arena, Str pattern, Texts *signatures, Str *why) {
    Expand *e = arena_new_of(arena, Expand);
    *e = (Expand){.arena = arena, .signatures = signatures, .why = why, .promises = true};
    if (!walk(e, pattern, 0)) return false;
    e->promises = false;
    return !e->any_may_fail || walk(e, pattern, 0);
}
