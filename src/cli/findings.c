// SPDX-License-Identifier: Apache-2.0
#include "cli/findings.h"
#include "cli/json.h"
#include "cli/parcel.h"

#include <stdio.h>

/* ---- the list ---- */

static bool same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

Found *found_add(FoundList *list, Found found) {
    for (int i = 0; i < list->found.count; i++) {
        Found *known = &list->found.data[i];
        bool same_place = found.file
                              ? same_text(known->file, found.file) && known->line == found.line
                              : !known->file && same_text(known->subject, found.subject);
        if (!same_text(known->name, found.name) || !same_place) continue;
        if (found.of_device && !same_text(known->device, found.device)) continue;
        known->times += found.times ? found.times : 1;
        return known;
    }
    if (!found.times) found.times = 1;
    vec_push(list->arena, &list->found, found);
    return &list->found.data[list->found.count - 1];
}

void found_not_checked(FoundList *list, const char *format, ...) {
    Buf words = {.arena = list->arena};
    va_list args;
    va_start(args, format);
    buf_vprintf(&words, format, args);
    va_end(args);
    for (int i = 0; i < list->not_checked.count; i++)
        if (!strcmp(list->not_checked.data[i], words.data)) return;
    vec_push(list->arena, &list->not_checked, words.data);
}

int found_count(const FoundList *list, bool advice) {
    int count = 0;
    for (int i = 0; i < list->found.count; i++) count += list->found.data[i].is_advice == advice;
    return count;
}

bool found_format(const char *name, FoundFormat *format) {
    static const char *const names[] = {"text", "json", "sarif", "github"};
    for (int i = 0; i < COUNT(names); i++)
        if (!strcmp(names[i], name)) {
            *format = (FoundFormat)i;
            return true;
        }
    return false;
}

/* ---- from another process ---- */

static void put_texts(Buf *out, const Texts *texts) {
    parcel_put(out, &texts->count, sizeof texts->count);
    for (int i = 0; i < texts->count; i++) parcel_put_text(out, texts->data[i]);
}

static bool take_texts(FoundList *list, Str *rest, Texts *texts) {
    int count;
    const char *text;
    if (!parcel_take(rest, &count, sizeof count)) return false;
    for (int i = 0; i < count; i++) {
        bool known = false;
        if (!parcel_take_text(list->arena, rest, &text) || !text) return false;
        for (int k = 0; k < texts->count; k++) known |= !strcmp(texts->data[k], text);
        if (!known) vec_push(list->arena, texts, text);
    }
    return true;
}

/* All texts of a Found, in the order in which they are sent. */
enum { NUM_TEXTS = 8 };
static void texts_of(Found *found, const char **texts[NUM_TEXTS]) {
    const char **all[NUM_TEXTS] = {&found->name,  &found->file, &found->subject, &found->words,
                                   &found->where, &found->cure, &found->device,  &found->point};
    memcpy(texts, all, sizeof all);
}

void found_put(Buf *out, FoundList *list) {
    const char **texts[NUM_TEXTS];
    parcel_put(out, &list->found.count, sizeof list->found.count);
    for (int i = 0; i < list->found.count; i++) {
        parcel_put(out, &list->found.data[i], sizeof(Found));
        texts_of(&list->found.data[i], texts);
        for (int k = 0; k < NUM_TEXTS; k++) parcel_put_text(out, *texts[k]);
    }
    put_texts(out, &list->not_checked);
    put_texts(out, &list->points);
    put_texts(out, &list->devices);
}

bool found_take(FoundList *list, Str *rest) {
    const char **texts[NUM_TEXTS];
    int count;
    if (!parcel_take(rest, &count, sizeof count)) return false;
    for (int i = 0; i < count; i++) {
        Found found;
        if (!parcel_take(rest, &found, sizeof found)) return false;
        texts_of(&found, texts);
        for (int k = 0; k < NUM_TEXTS; k++)
            if (!parcel_take_text(list->arena, rest, texts[k])) return false;
        found_add(list, found);
    }
    return take_texts(list, rest, &list->not_checked) && take_texts(list, rest, &list->points) &&
           take_texts(list, rest, &list->devices);
}

/* ---- text ---- */

enum { SOURCE_LIMIT = 16 << 20 };

/* The line of the user's text; empty: it cannot be read (any more). */
static Str line_of_file(Arena *arena, const Found *found) {
    Str text, why;
    if (!found->file || !file_read(arena, found->file, SOURCE_LIMIT, &text, &why)) return (Str){0};
    const Source *source = source_new(arena, str_of(found->file), text);
    return found->line <= source->num_lines ? source_line(source, found->line) : (Str){0};
}

static void text_found(Arena *arena, const Found *found) {
    if (found->file) printf("%s:%d:%d: ", found->file, found->line, found->column);
    printf("%s: %s [%s]\n", found->is_advice ? "advice" : "error", found->words, found->name);
    Str line = line_of_file(arena, found);
    if (line.length) {
        printf("%4d | %.*s\n", found->line, STR_ARG(line));
        printf("     | %*s^\n", found->column > 0 ? found->column - 1 : 0, "");
    }
    printf("     ");
    if (found->where[0]) printf("in %s, ", found->where);
    printf("on %s", found->device);
    if (found->seed) printf(" in order %llu", (unsigned long long)found->seed);
    printf(", with %s\n", found->point);
    if (found->cure[0]) printf("     cure: %s\n", found->cure);
}

static void text_items(const char *title, const char *const *items, int count) {
    printf("%s", title);
    for (int i = 0; i < count; i++) printf("%s%s", i ? "; " : "", items[i]);
    putchar('\n');
}

static void text_list(Arena *arena, const FoundList *list, bool quiet) {
    for (int advice = 0; advice < 2; advice++)
        for (int i = 0; i < list->found.count; i++)
            if (list->found.data[i].is_advice == (advice == 1))
                text_found(arena, &list->found.data[i]);
    if (quiet) return;
    int errors = found_count(list, false), advices = found_count(list, true);
    printf("%s: %d finding%s, %d piece%s of advice\n", list->kernel, errors, errors == 1 ? "" : "s",
           advices, advices == 1 ? "" : "s");
    text_items("checked on: ", list->devices.data, list->devices.count);
    text_items("with: ", list->points.data, list->points.count);
    if (list->not_checked.count) printf("not checked:\n");
    for (int i = 0; i < list->not_checked.count; i++) printf("  %s\n", list->not_checked.data[i]);
}

/* ---- JSON ---- */

static void json_found(Arena *arena, Json *json, const Found *found) {
    Str line = line_of_file(arena, found);
    json_open(json, '{');
    json_key(json, "kind"), json_text(json, found->name);
    json_key(json, "level"), json_text(json, found->is_advice ? "advice" : "error");
    json_key(json, "file"), json_text(json, found->file);
    json_key(json, "line"), json_int(json, found->line);
    json_key(json, "column"), json_int(json, found->column);
    json_key(json, "source"), json_text(json, line.length ? str_c(arena, line) : NULL);
    json_key(json, "words"), json_text(json, found->words);
    json_key(json, "where"), json_text(json, found->where);
    json_key(json, "device"), json_text(json, found->device);
    json_key(json, "order_seed"), json_int(json, (int64_t)found->seed);
    json_key(json, "point"), json_text(json, found->point);
    json_key(json, "launches"), json_int(json, found->times);
    json_key(json, "cure"), json_text(json, found->cure);
    json_close(json, '}');
}

static void json_texts(Json *json, const char *key, const char *const *items, int count) {
    json_key(json, key), json_open(json, '[');
    for (int i = 0; i < count; i++) json_text(json, items[i]);
    json_close(json, ']');
}

static void print_json(Arena *arena, const FoundList *lists, int count) {
    Json json = {.out.arena = arena};
    json_open(&json, '[');
    for (int i = 0; i < count; i++) {
        const FoundList *list = &lists[i];
        json_open(&json, '{');
        json_key(&json, "kernel"), json_text(&json, list->kernel);
        json_key(&json, "findings"), json_open(&json, '[');
        for (int k = 0; k < list->found.count; k++) json_found(arena, &json, &list->found.data[k]);
        json_close(&json, ']');
        json_texts(&json, "devices", list->devices.data, list->devices.count);
        json_texts(&json, "points", list->points.data, list->points.count);
        json_texts(&json, "not_checked", list->not_checked.data, list->not_checked.count);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_print(&json);
}

/* ---- SARIF: OASIS Static Analysis Results Interchange Format 2.1.0 ---- */

static void sarif_text(Json *json, const char *key, const char *text) {
    json_key(json, key), json_open(json, '{');
    json_key(json, "text"), json_text(json, text);
    json_close(json, '}');
}

/* Has one of that name come before lists[list].found.data[at]? */
static bool is_known_rule(const FoundList *lists, int list, int at) {
    const char *name = lists[list].found.data[at].name;
    for (int i = 0; i <= list; i++)
        for (int k = 0; k < (i == list ? at : lists[i].found.count); k++)
            if (!strcmp(lists[i].found.data[k].name, name)) return true;
    return false;
}

static void sarif_rules(Json *json, const FoundList *lists, int count) {
    json_key(json, "rules"), json_open(json, '[');
    for (int i = 0; i < count; i++)
        for (int k = 0; k < lists[i].found.count; k++) {
            const Found *found = &lists[i].found.data[k];
            if (is_known_rule(lists, i, k)) continue;
            json_open(json, '{');
            json_key(json, "id"), json_text(json, found->name);
            sarif_text(json, "help", found->cure[0] ? found->cure : found->name);
            json_close(json, '}');
        }
    json_close(json, ']');
}

static void sarif_result(Arena *arena, Json *json, const Found *found) {
    Buf words = {.arena = arena};
    buf_printf(&words, "%s (%s%son %s, with %s)", found->words, found->where,
               found->where[0] ? ", " : "", found->device, found->point);
    json_open(json, '{');
    json_key(json, "ruleId"), json_text(json, found->name);
    json_key(json, "level"), json_text(json, found->is_advice ? "note" : "error");
    sarif_text(json, "message", words.data);
    json_key(json, "locations"), json_open(json, '[');
    if (found->file) {
        json_open(json, '{');
        json_key(json, "physicalLocation"), json_open(json, '{');
        json_key(json, "artifactLocation"), json_open(json, '{');
        json_key(json, "uri"), json_text(json, found->file);
        json_close(json, '}');
        json_key(json, "region"), json_open(json, '{');
        json_key(json, "startLine"), json_int(json, found->line);
        json_key(json, "startColumn"), json_int(json, found->column);
        json_close(json, '}');
        json_close(json, '}');
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

static void print_sarif(Arena *arena, const FoundList *lists, int count) {
    Json json = {.out.arena = arena};
    json_open(&json, '{');
    json_key(&json, "$schema");
    json_text(&json, "https://json.schemastore.org/sarif-2.1.0.json");
    json_key(&json, "version"), json_text(&json, "2.1.0");
    json_key(&json, "runs"), json_open(&json, '[');
    json_open(&json, '{');
    json_key(&json, "tool"), json_open(&json, '{');
    json_key(&json, "driver"), json_open(&json, '{');
    json_key(&json, "name"), json_text(&json, "tern check");
    json_key(&json, "version"), json_text(&json, tern_version());
    sarif_rules(&json, lists, count);
    json_close(&json, '}');
    json_close(&json, '}');
    json_key(&json, "results"), json_open(&json, '[');
    for (int i = 0; i < count; i++)
        for (int k = 0; k < lists[i].found.count; k++)
            sarif_result(arena, &json, &lists[i].found.data[k]);
    json_close(&json, ']');
    json_close(&json, '}');
    json_close(&json, ']');
    json_close(&json, '}');
    json_print(&json);
}

/* ---- annotations: "::error file=a.py,line=3,col=5,title=race::words" ---- */

static void put_escaped(const char *text, bool is_property) {
    for (; *text; text++)
        if (*text == '%' || *text == '\n' || *text == '\r' ||
            (is_property && (*text == ',' || *text == ':')))
            printf("%%%02X", (unsigned char)*text);
        else
            putchar(*text);
}

static void print_github(const FoundList *lists, int count) {
    for (int i = 0; i < count; i++)
        for (int k = 0; k < lists[i].found.count; k++) {
            const Found *found = &lists[i].found.data[k];
            printf("::%s ", found->is_advice ? "notice" : "error");
            if (found->file) {
                printf("file="), put_escaped(found->file, true);
                printf(",line=%d,col=%d,", found->line, found->column);
            }
            printf("title="), put_escaped(found->name, true);
            printf("::"), put_escaped(found->words, false);
            printf(" (with "), put_escaped(found->point, false), printf(")");
            if (found->cure[0]) printf("; "), put_escaped(found->cure, false);
            putchar('\n');
        }
}

void found_print(Arena *arena, const FoundList *lists, int count, FoundFormat format, bool quiet) {
    switch (format) {
    case FOUND_TEXT:
        for (int i = 0; i < count; i++) text_list(arena, &lists[i], quiet);
        return;
    case FOUND_JSON: print_json(arena, lists, count); return;
    case FOUND_SARIF: print_sarif(arena, lists, count); return;
    case FOUND_GITHUB: print_github(lists, count); return;
    }
}
