// SPDX-License-Identifier: Apache-2.0
#include "cli/range.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

typedef struct Reader {
    Arena *arena;
    const char *text, *at;
    Str *why;
} Reader;

static bool fail(Reader *r, const char *words) {
    *r->why = str_format(r->arena, "'%s': %s", r->text, words);
    return false;
}

static bool read_int(Reader *r, int64_t *value) {
    char *end;
    errno = 0;
    long long number = strtoll(r->at, &end, 10);
    if (end == r->at || isspace((unsigned char)*r->at)) {
        *r->why = str_format(r->arena, "'%s': expected an integer, saw '%s'", r->text, r->at);
        return false;
    }
    if (errno) return fail(r, "the number does not fit 64 bits");
    *value = number;
    r->at = end;
    return true;
}

/* 4096 or 2^12 or 2**12; *base is 0 where it is no power. */
static bool read_number(Reader *r, int64_t *value, int64_t *base) {
    int64_t exponent;
    *base = 0;
    if (!read_int(r, value)) return false;
    int skip = *r->at == '^' ? 1 : r->at[0] == '*' && r->at[1] == '*' ? 2 : 0;
    if (!skip) return true;
    r->at += skip;
    if (!read_int(r, &exponent)) return false;
    if (*value < 2 || exponent < 0)
        return fail(r, "a power needs a base from 2 and an exponent from 0");
    *base = *value;
    *value = 1;
    for (int64_t i = 0; i < exponent; i++)
        if (__builtin_mul_overflow(*value, *base, value))
            return fail(r, "the power does not fit 64 bits");
    return true;
}

static bool add(Reader *r, Range *range, int64_t value) {
    if (range->values.count == MOST_POINTS) return fail(r, "more than 4096 points");
    vec_push(r->arena, &range->values, value);
    return true;
}

static bool fill_factors(Reader *r, Range *range, int64_t low, int64_t high, int64_t factor) {
    range->is_log = true;
    if (low < 1) return fail(r, "a range by factors starts from 1");
    if (factor < 2) return fail(r, "a factor is 2 or more: the range would never end");
    for (int64_t value = low; value <= high;) {
        if (!add(r, range, value)) return false;
        if (__builtin_mul_overflow(value, factor, &value)) break;
    }
    return true;
}

static bool fill_steps(Reader *r, Range *range, int64_t low, int64_t high, int64_t step) {
    if (step < 1) return fail(r, "a step is 1 or more: the range would never end");
    for (int64_t value = low; value <= high;) {
        if (!add(r, range, value)) return false;
        if (__builtin_add_overflow(value, step, &value)) break;
    }
    return true;
}

static bool read_range(Reader *r, Range *range, int64_t low, int64_t low_base) {
    int64_t high, high_base, step = 1, ignored;
    if (!read_number(r, &high, &high_base)) return false;
    bool by_factor = low_base && low_base == high_base;
    if (by_factor) step = low_base;
    if (*r->at == ':') {
        by_factor = r->at[1] == '*';
        r->at += by_factor ? 2 : 1;
        if (!read_number(r, &step, &ignored)) return false;
    }
    if (*r->at) return fail(r, "nothing may follow a range");
    if (low > high) return fail(r, "the range ends before it starts");
    return by_factor ? fill_factors(r, range, low, high, step)
                     : fill_steps(r, range, low, high, step);
}

bool range_parse(Arena *arena, const char *text, Range *range, Str *why) {
    Reader r = {.arena = arena, .text = text, .at = text, .why = why};
    *range = (Range){0};
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_') length++;
    if (!length || text[length] != '=' || isdigit((unsigned char)text[0]))
        return fail(&r, "expected NAME=VALUES, as n=2^12..2^28");
    range->name = str_copy(arena, (Str){text, (int)length});
    r.at = text + length + 1;
    for (bool first = true;; first = false) {
        int64_t value, base;
        if (!read_number(&r, &value, &base)) return false;
        if (first && r.at[0] == '.' && r.at[1] == '.') {
            r.at += 2;
            return read_range(&r, range, value, base);
        }
        if (!add(&r, range, value)) return false;
        if (!*r.at) return true;
        if (*r.at != ',') return fail(&r, "expected ',' or '..' between values");
        r.at++;
    }
}
