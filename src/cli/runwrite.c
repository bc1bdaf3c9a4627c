// SPDX-License-Identifier: Apache-2.0
#include "cli/json.h"
#include "cli/runfile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

bool run_writer_open(RunWriter *writer, const Cli *cli, const char *folder, const char *name) {
    *writer = (RunWriter){.cli = cli, .to_stdout = cli->json};
    if (!folder) return true;
    if (!cli_make_folder(cli, folder)) return false;
    writer->path = str_format(cli->arena, "%s/%s", folder, name).data;
    writer->file = fopen(writer->path, "wb");
    if (writer->file) return true;
    cli_fail(cli, EXIT_SYSTEM, "cannot write %s: %s", writer->path, strerror(errno));
    return false;
}

void run_write_line(RunWriter *writer, const char *line) {
    if (writer->to_stdout) {
        fputs(line, stdout);
        fflush(stdout);
    }
    if (!writer->file || writer->failed) return;
    if (fputs(line, writer->file) != EOF && fflush(writer->file) == 0) return;
    writer->failed = true;
    cli_fail(writer->cli, EXIT_SYSTEM, "cannot write %s: %s; what follows is only printed",
             writer->path, strerror(errno));
}

bool run_writer_close(RunWriter *writer) {
    if (writer->file && fclose(writer->file) && !writer->failed) {
        writer->failed = true;
        cli_fail(writer->cli, EXIT_SYSTEM, "cannot write %s: %s", writer->path, strerror(errno));
    }
    writer->file = NULL;
    return !writer->failed;
}

static const char *finished(Json *json) {
    json_close(json, '}');
    buf_putc(&json->out, '\n');
    return json->out.data;
}

const char *run_header(Arena *arena, const Cli *cli, const char *operand, bool interleaved) {
    Json json = {.out.arena = arena};
    char when[32];
    time_t now = time(NULL);
    struct tm utc;
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    json_open(&json, '{');
    json_key(&json, "tern_run"), json_int(&json, RUN_FORMAT);
    json_key(&json, "version"), json_text(&json, tern_version());
    json_key(&json, "time"), json_text(&json, when);
    json_key(&json, "kernel"), json_text(&json, operand);
    json_key(&json, "interleaved"), json_bool(&json, interleaved);
    json_key(&json, "options"), json_open(&json, '[');
    for (int i = 0; i < cli->options.count; i++) {
        json_open(&json, '[');
        json_text(&json, cli->options.data[i].row->name);
        if (cli->options.data[i].value) json_text(&json, cli->options.data[i].value);
        json_close(&json, ']');
    }
    json_close(&json, ']');
    return finished(&json);
}

static const char *const evidence_words[] = {"none", "counted", "at most", "declared"};

static void put_timing(Json *json, const tern_timing *t) {
    const struct {
        const char *key;
        double value;
    } rows[] = {{"median_ms", t->median},
                {"mean_ms", t->mean},
                {"min_ms", t->min},
                {"max_ms", t->max},
                {"q20_ms", t->q20},
                {"q80_ms", t->q80},
                {"stdev_ms", t->stdev},
                {"host_ms", t->host_ms},
                {"cpu_ms", t->cpu_ms},
                {"floor_ms", t->floor_ms},
                {"launch_floor_ms", t->launch_floor_ms},
                {"stray_ms", t->stray_ms},
                {"clock_mhz", t->clock_mhz > 0 ? t->clock_mhz : (double)NAN}};
    for (int i = 0; i < COUNT(rows); i++)
        json_key(json, rows[i].key), json_number(json, rows[i].value);
    json_key(json, "num_samples"), json_int(json, (int64_t)t->num_samples);
    json_key(json, "outliers"), json_int(json, (int64_t)t->num_outliers);
    json_key(json, "discarded"), json_int(json, (int64_t)t->num_discarded);
    json_key(json, "cold_bytes"), json_int(json, (int64_t)t->cold_bytes);
    json_key(json, "cold_by"), json_text(json, !t->cold_bytes ? "hot"
                                               : t->is_filled ? "fill"
                                                              : "read");
    json_key(json, "gated"), json_bool(json, t->is_gated);
    json_key(json, "samples_ms"), json_open(json, '[');
    for (size_t i = 0; i < t->num_samples && t->samples; i++) json_number(json, t->samples[i]);
    json_close(json, ']');
}

const char *run_point(Arena *arena, const MeasureRequest *request, const char *line_name,
                      int process, const Measured *measured) {
    Json json = {.out.arena = arena};
    json_open(&json, '{');
    json_key(&json, "point"), json_open(&json, '{');
    for (int i = 0; i < request->num_variables; i++) {
        char *end;
        const char *text = request->variables[i].text;
        long long number = strtoll(text, &end, 10);
        json_key(&json, request->variables[i].name.data);
        if (*text && !*end)
            json_int(&json, number);
        else
            json_text(&json, text);
    }
    json_close(&json, '}');
    json_key(&json, "line"), json_text(&json, line_name);
    json_key(&json, "process"), json_int(&json, process);
    json_key(&json, "device"), json_text(&json, measured->device);
    if (measured->host[0]) json_key(&json, "host"), json_text(&json, measured->host);
    json_key(&json, "description"), json_text(&json, measured->description);
    json_key(&json, "kernel"), json_text(&json, measured->kernel);
    json_key(&json, "status"), json_text(&json, measured->exit_code ? "failed" : "ok");
    json_key(&json, "why"), json_text(&json, measured->words);
    json_key(&json, "trust"), json_text(&json, measured->trust.data);
    json_key(&json, "doubts"),
        json_text(&json, measured->doubts.length ? measured->doubts.data : "");
    if (measured->exit_code) return finished(&json);
    json_key(&json, "grid"), json_open(&json, '[');
    for (int i = 0; i < 3; i++) json_int(&json, measured->grid[i]);
    json_close(&json, ']');
    json_key(&json, "bytes"),
        json_number(&json, measured->bytes_by ? measured->bytes : (double)NAN);
    json_key(&json, "bytes_by"), json_text(&json, evidence_words[measured->bytes_by]);
    json_key(&json, "flops"),
        json_number(&json, measured->flops_by ? measured->flops : (double)NAN);
    json_key(&json, "flops_by"), json_text(&json, evidence_words[measured->flops_by]);
    json_key(&json, "share"), json_number(&json, measured->ceiling ? measured->share : (double)NAN);
    json_key(&json, "ceiling"), json_text(&json, measured->ceiling);
    put_timing(&json, &measured->timing);
    return finished(&json);
}
