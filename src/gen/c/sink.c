// SPDX-License-Identifier: Apache-2.0
/* sink: whole numbers that a long program computes early go to where the first line reads them.
 * Scalars are written at once and tiles wait, so that a source that was unrolled leaves the indices
 * of many steps, and then the nests of these steps:
 *
 *     L v20 = v4 + 1LL;
 *     UL v21 = v1 + (UL)v20;
 *     L v22 = v4 + 2LL;                          L v20 = v4 + 1LL;
 *     UL v23 = v1 + (UL)v22;                     UL v21 = v1 + (UL)v20;
 *     piece3(R, H, nt, v21, a5);         ->      piece3(R, H, nt, v21, a5);
 *     piece3(R, H, nt, v23, a7);                 L v22 = v4 + 2LL;
 *                                                UL v23 = v1 + (UL)v22;
 *                                                piece3(R, H, nt, v23, a7);
 *
 * Then roll.c sees steps that follow each other. What is moved is pure and reads names that nobody
 * assigns to; no line leaves its block. Floats stay: a product is added in one instruction where
 * its sum is in the same block only, and roll makes blocks. */
#include "gen/c/c.h"

enum { LEAST_SUNK = 16 /* lines of a run, for which it is worth it */ };

typedef struct Line {
    int start, end; /* with the comments above it */
    int text;       /* where it begins itself */
    Str name;       /* of a number that waits; else no data */
    bool is_needed;
} Line;

typedef struct Sink {
    Gen *g;
    Str body;
    Map changing; /* names that are assigned to, or whose address is taken */
    VEC(Line) run;
    Map waiting; /* name -> Line * of the run */
    int kept;    /* bytes of the body that are in out */
    Buf out;
} Sink;

static Str word_at(Str s, int at) { return (Str){s.data + at, c_token_end(s, at) - at}; }

static bool is_value(Str word) {
    return word.length > 1 && word.data[0] == 'v' && c_digits_end(word, 1) == word.length;
}

/* A name after a word is declared; `&` before one takes its address: operators have spaces. */
static void note_changing(Sink *s) {
    bool after_type = false;
    for (int at = 0, next; at < s->body.length; at = next) {
        Str word = word_at(s->body, at);
        next = at + word.length;
        if (is_value(word)) {
            Str rest = {s->body.data + next, s->body.length - next};
            bool is_assigned = str_starts(rest, " = ") && !after_type;
            if (is_assigned || (at > 0 && s->body.data[at - 1] == '&'))
                map_set(&s->changing, word, s);
        }
        if (*word.data != ' ') after_type = c_is_letter(*word.data) && !str_is(word, "return");
    }
}

static int line_end(Str body, int at) {
    const char *end = memchr(body.data + at, '\n', (size_t)(body.length - at));
    return end ? (int)(end - body.data) + 1 : body.length;
}

/* Of operators, numbers, casts, values that stay, and the prelude's functions of scalars. */
static bool is_pure(Sink *s, int at, int end) {
    while (at < end) {
        Str word = word_at(s->body, at);
        at += word.length;
        bool is_known = str_is(word, "int") || str_is(word, "L") || str_is(word, "UL") ||
                        str_starts(word, "t_s_") ||
                        (is_value(word) && !map_get(&s->changing, word));
        if (c_is_letter(*word.data) ? !is_known : strchr("[]{}\"'\\", *word.data) != NULL)
            return false;
    }
    return true;
}

/* `int NAME = ..;`, or with L or UL. */
static Str number_name(Sink *s, int at, int end) {
    Str type = word_at(s->body, at);
    if (!str_is(type, "int") && !str_is(type, "L") && !str_is(type, "UL")) return (Str){0};
    at += type.length;
    if (s->body.data[at] != ' ') return (Str){0};
    Str name = word_at(s->body, at + 1), rest;
    at += 1 + name.length;
    rest = (Str){s->body.data + at, end - at};
    bool is_one = is_value(name) && str_starts(rest, " = ") && s->body.data[end - 2] == ';' &&
                  !map_get(&s->changing, name) && is_pure(s, at + 3, end - 2);
    return is_one ? name : (Str){0};
}

static void keep(Sink *s, int start, int end) {
    buf_add(&s->out, s->body.data + start, (size_t)(end - start));
}

/* Marks what the text reads of those that wait, and what these read. */
static void need(Sink *s, int at, int end, int *first) {
    while (at < end) {
        Str word = word_at(s->body, at);
        at += word.length;
        Line *line = is_value(word) ? map_get(&s->waiting, word) : NULL;
        if (!line || line->is_needed) continue;
        line->is_needed = true;
        int index = (int)(line - s->run.data);
        if (index < *first) *first = index;
        need(s, line->text, line->end, first);
    }
}

static void keep_needed(Sink *s, int first, int last) {
    for (int i = first; i < last; i++) {
        Line *line = &s->run.data[i];
        if (!line->is_needed) continue;
        keep(s, line->start, line->end);
        map_set(&s->waiting, line->name, NULL);
        line->is_needed = false;
    }
}

/* Writes the run, if much of it waits. */
static void end_run(Sink *s) {
    int sunk = 0, count = s->run.count;
    for (int i = 0; i < count; i++) sunk += s->run.data[i].name.data != NULL;
    if (sunk >= LEAST_SUNK) {
        keep(s, s->kept, s->run.data[0].start);
        s->waiting = (Map){.arena = s->g->arena};
        for (int i = 0; i < count; i++) {
            Line *line = &s->run.data[i];
            if (line->name.data) {
                map_set(&s->waiting, line->name, line);
                continue;
            }
            int first = i;
            need(s, line->text, line->end, &first);
            keep_needed(s, first, i);
            keep(s, line->start, line->end);
        }
        for (int i = 0; i < count; i++) {
            Line *line = &s->run.data[i];
            line->is_needed = line->name.data && map_get(&s->waiting, line->name);
        }
        keep_needed(s, 0, count);
        s->kept = s->run.data[count - 1].end;
    }
    s->run.count = 0;
}

Str sink(Gen *g, Str body) {
    Sink s = {.g = g, .body = body, .changing = {.arena = g->arena}, .out = {.arena = g->arena}};
    note_changing(&s);
    for (int start = 0, at = 0, end; at < body.length; at = end) {
        end = line_end(body, at);
        int text = at;
        while (body.data[text] == ' ') text++;
        if (body.data[text] == '/') continue; /* a comment goes with the line below it */
        bool is_statement = body.data[end - 2] == ';' && c_is_letter(body.data[text]);
        if (is_statement)
            vec_push(g->arena, &s.run, (Line){start, end, text, number_name(&s, text, end), false});
        else
            end_run(&s);
        start = end;
    }
    end_run(&s);
    keep(&s, s.kept, body.length);
    return buf_str(&s.out);
}
