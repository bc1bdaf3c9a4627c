// SPDX-License-Identifier: Apache-2.0
#include "cli/gather.h"

#include <ctype.h>

const char gather_between[] = " \xc2\xb7 "; /* a middle dot */

enum { MOST_NAMED = 3 };

/* Past a number: "12", "0.25", "1.3e+02". */
static const char *after_number(const char *at) {
    while (isdigit((unsigned char)*at) || *at == '.') at++;
    if (*at == 'e' && (at[1] == '+' || at[1] == '-') && isdigit((unsigned char)at[2]))
        for (at += 2; isdigit((unsigned char)*at);) at++;
    return at;
}

static bool is_same_thing(const char *a, const char *b) {
    while (*a && *b) {
        bool number = isdigit((unsigned char)*a) && isdigit((unsigned char)*b);
        if (!number && *a != *b) return false;
        a = number ? after_number(a) : a + 1;
        b = number ? after_number(b) : b + 1;
    }
    return *a == *b;
}

static GatherRow *row_of(Gathered *gathered, const char *words) {
    for (int i = 0; i < gathered->rows.count; i++)
        if (is_same_thing(gathered->rows.data[i].words, words)) return &gathered->rows.data[i];
    vec_push(gathered->arena, &gathered->rows, (GatherRow){.words = words});
    return &gathered->rows.data[gathered->rows.count - 1];
}

static bool is_named(const GatherRow *row, const char *where) {
    for (int i = 0; i < row->where.count; i++)
        if (!strcmp(row->where.data[i], where)) return true;
    return false;
}

void gather_add(Gathered *gathered, const char *where, Str doubts) {
    const char *at = str_c(gathered->arena, doubts);
    while (*at) {
        const char *end = strstr(at, gather_between);
        int length = end ? (int)(end - at) : (int)strlen(at);
        GatherRow *row = row_of(gathered, str_c(gathered->arena, (Str){at, length}));
        if (!is_named(row, where)) {
            const char *copy = str_c(gathered->arena, str_of(where));
            vec_push(gathered->arena, &row->where, copy);
        }
        at += length + (end ? (int)strlen(gather_between) : 0);
    }
}

void gather_print(Buf *out, const Gathered *gathered, int num_points) {
    for (int i = 0; i < gathered->rows.count; i++) {
        const GatherRow *row = &gathered->rows.data[i];
        int count = row->where.count;
        buf_printf(out, "trust   %s (", row->words);
        for (int k = 0; k < count && k < MOST_NAMED && count < num_points; k++)
            buf_printf(out, "%s%s", k ? ", " : "", row->where.data[k]);
        if (count >= num_points)
            buf_printf(out, num_points == 1 ? "the point)\n" : "all %d points)\n", num_points);
        else
            buf_printf(out, "%s; %d of %d points)\n", count > MOST_NAMED ? ", .." : "", count,
                       num_points);
    }
}
