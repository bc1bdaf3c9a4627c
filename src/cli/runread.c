// SPDX-License-Identifier: Apache-2.0
#include "cli/runfile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

RunPoint *run_find(const RunFile *run, const char *key) {
    for (int i = 0; i < run->points.count; i++)
        if (!strcmp(run->points.data[i].key, key)) return &run->points.data[i];
    return NULL;
}

#ifdef TERN_HAVE_JANSSON
#include <jansson.h>

static bool fail(RunFile *run, int number, const char *words, Str *why) {
    *why = str_format(run->arena, "line %d: %s", number, words);
    return false;
}

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static const char *key_of(Arena *arena, const json_t *line) {
    Buf key = {.arena = arena};
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(line, "point"), name, value) {
        if (json_is_string(value))
            buf_printf(&key, "%s=%s ", name, json_string_value(value));
        else
            buf_printf(&key, "%s=%lld ", name, (long long)json_integer_value(value));
    }
    buf_puts(&key, text_of(line, "line"));
    return key.data;
}

static bool take_point(RunFile *run, const json_t *line, int number, Str *why) {
    const char *key = key_of(run->arena, line);
    RunPoint *point = run_find(run, key);
    if (!run->num_headers)
        return fail(run, number, "a point before the first line of a run file", why);
    if (!point) {
        vec_push(run->arena, &run->points, (RunPoint){.key = key});
        point = &run->points.data[run->points.count - 1];
    }
    run->device = str_c(run->arena, str_of(text_of(line, "device")));
    if (strcmp(text_of(line, "status"), "ok") != 0) {
        point->failed = str_c(run->arena, str_of(text_of(line, "why")));
        return true;
    }
    const char *doubts = text_of(line, "doubts");
    if (*doubts) {
        const char *copy = str_c(run->arena, str_of(doubts));
        vec_push(run->arena, &point->doubts, copy);
    }
    double median = json_number_value(json_object_get(line, "median_ms"));
    if (!(median > 0) || !isfinite(median)) return fail(run, number, "'median_ms' is no time", why);
    vec_push(run->arena, &point->medians, median);
    if (point->medians.count > run->num_processes) run->num_processes = point->medians.count;
    return true;
}

static bool take_line(RunFile *run, const json_t *line, int number, Str *why) {
    const json_t *version = json_object_get(line, "tern_run");
    if (json_is_true(json_object_get(line, "end"))) {
        run->has_end = true;
        return true;
    }
    if (json_object_get(line, "point")) return take_point(run, line, number, why);
    if (!json_is_integer(version))
        return fail(run, number, "this is no run file of tern bench", why);
    if (json_integer_value(version) != RUN_FORMAT) {
        *why = str_format(
            run->arena, "line %d: run file of format %lld (tern %s); this tern reads format %d",
            number, (long long)json_integer_value(version), text_of(line, "version"), RUN_FORMAT);
        return false;
    }
    run->num_headers++;
    run->has_end = false;
    run->is_interleaved = json_is_true(json_object_get(line, "interleaved"));
    return true;
}

bool run_read_line(RunFile *run, const char *text, size_t length, int number, Str *why) {
    json_error_t error;
    json_t *line = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (!line)
        return fail(run, number,
                    run->num_headers ? error.text : "this is no run file of tern bench", why);
    bool fine = json_is_object(line) ? take_line(run, line, number, why)
                                     : fail(run, number, "this is no run file of tern bench", why);
    json_decref(line);
    return fine;
}

static bool read_lines(RunFile *run, FILE *file, Str *why) {
    char *text = NULL;
    size_t capacity = 0;
    bool fine = true;
    ssize_t length;
    for (int number = 1; fine && (length = getline(&text, &capacity, file)) > 0; number++) {
        bool is_whole = text[length - 1] == '\n';
        fine = run_read_line(run, text, (size_t)length, number, why);
        if (!fine && !is_whole && run->num_headers) {
            run->cut =
                str_format(run->arena, "its last line (%d) is cut; %d points before it are used",
                           number, run->points.count)
                    .data;
            free(text);
            return true;
        }
    }
    free(text);
    return fine;
}

bool run_read(Arena *arena, const char *path, RunFile *run, Str *why) {
    *run = (RunFile){.arena = arena};
    FILE *file = fopen(path, "rb");
    if (!file) {
        *why = str_format(arena, "%s", strerror(errno));
        return false;
    }
    bool fine = read_lines(run, file, why);
    if (ferror(file)) fine = false, *why = str_format(arena, "%s", strerror(errno));
    fclose(file);
    if (!fine) return false;
    if (!run->num_headers) {
        *why = STR("this is no run file of tern bench");
        return false;
    }
    if (!run->has_end && !run->cut) run->cut = "it has no end: the benchmark was interrupted";
    return true;
}

#else

bool run_read_line(RunFile *run, const char *line, size_t length, int number, Str *why) {
    (void)run, (void)line, (void)length, (void)number;
    *why = STR("this tern was built without jansson and cannot read JSON (apt-get install "
               "libjansson-dev)");
    return false;
}

bool run_read(Arena *arena, const char *path, RunFile *run, Str *why) {
    (void)path;
    *run = (RunFile){.arena = arena};
    return run_read_line(run, "", 0, 0, why);
}
#endif
