// SPDX-License-Identifier: Apache-2.0
/* report: what was counted, as text beside the source and as JSON. Counts are exact for the PTX
 * that was executed; NVIDIA's assembler may merge, move or drop instructions, and nothing here says
 * how long anything takes. */
#include "device/sim/sim.h"

#include <stdio.h>
#include <stdlib.h>

typedef enum Row {
    ROW_LOAD,
    ROW_STORE,
    ROW_ATOMIC,
    ROW_COPY,
    ROW_BULK,
    ROW_SHARED_LOAD,
    ROW_SHARED_STORE,
    ROW_SHARED_ATOMIC,
    ROW_SHARED_COPY,
    NUM_ROWS
} Row;

typedef struct Line {
    int file, line;
    uint64_t issued, divergent, barriers;
    Count global, shared;
} Line;

typedef struct Summary {
    const Gpu *gpu;
    const PtxProgram *program;
    const Totals *totals;
    uint64_t issued, lanes, by_class[NUM_CLASSES], lanes_by_class[NUM_CLASSES];
    uint64_t branches, divergent, barriers;
    Count rows[NUM_ROWS];
    VEC(Line) lines;
    /* occupancy */
    PtxasUse assembled;
    bool knows_registers;
    int threads, by_threads, by_shared, by_registers, by_blocks, blocks;
} Summary;

static const char *const class_words[NUM_CLASSES] = {
    "integer", "float 32",   "float 64", "float 16",     "special function", "conversion",
    "move",    "comparison", "memory",   "across lanes", "tensor core",      "control"};
static const char *const row_words[NUM_ROWS] = {
    "loads",        "stores",        "atomics",        "async copies",       "bulk copies",
    "shared loads", "shared stores", "shared atomics", "shared async copies"};

static void add(Count *to, const Count *from) {
    to->issued += from->issued, to->lanes += from->lanes, to->requests += from->requests;
    to->sectors += from->sectors, to->lines += from->lines, to->useful_bytes += from->useful_bytes;
    to->ideal_sectors += from->ideal_sectors, to->wavefronts += from->wavefronts;
    to->ideal_wavefronts += from->ideal_wavefronts;
}

static Line *line_of(Arena *arena, Summary *s, const Ins *ins) {
    for (int i = s->lines.count - 1; i >= 0; i--)
        if (s->lines.data[i].file == ins->file && s->lines.data[i].line == ins->source_line)
            return &s->lines.data[i];
    vec_push(arena, &s->lines, (Line){.file = ins->file, .line = ins->source_line});
    return &s->lines.data[s->lines.count - 1];
}

static int by_place(const void *a, const void *b) {
    const Line *x = a, *y = b;
    return x->file != y->file ? x->file - y->file : x->line - y->line;
}

static int least(int a, int b) { return a < b ? a : b; }

int gpu_blocks_by_shared(const Gpu *gpu, int shared_bytes) {
    int unit = gpu->shared_unit;
    return gpu->shared_per_sm / ((shared_bytes + unit - 1) / unit * unit + gpu->shared_reserved);
}

/* Registers are handed out to warps in units of 256, 8 for each lane; each of the multiprocessor's
 * four parts has a quarter of them and holds whole warps. */
int gpu_blocks_by_registers(const Gpu *gpu, int registers, int warps) {
    int a_warp = (registers + 7) / 8 * 8 * LANES;
    return gpu->registers_per_sm / 4 / a_warp * 4 / warps;
}

/* 1 KiB that each block takes beside its own does not count where it has none. */
static int by_shared(const Gpu *gpu, int shared_bytes) {
    return shared_bytes ? gpu_blocks_by_shared(gpu, shared_bytes) : gpu->blocks_per_sm;
}

int gpu_blocks(const Gpu *gpu, int threads, int registers, int shared_bytes) {
    int blocks = least(gpu->blocks_per_sm, gpu->threads_per_sm / threads);
    blocks = least(blocks, by_shared(gpu, shared_bytes));
    if (registers <= 0) return blocks;
    return least(blocks, gpu_blocks_by_registers(gpu, registers, threads / LANES));
}

static void occupancy(Arena *arena, Summary *s) {
    const Gpu *gpu = s->gpu;
    const PtxProgram *p = s->program;
    s->threads = sim_threads(p);
    s->assembled = sim_assembled(arena, p, gpu->target);
    s->by_blocks = gpu->blocks_per_sm;
    s->by_threads = gpu->threads_per_sm / s->threads;
    s->by_shared = by_shared(gpu, p->shared_bytes);
    s->by_registers = -1;
    s->blocks = gpu_blocks(gpu, s->threads, s->assembled.registers, p->shared_bytes);
    s->knows_registers = s->assembled.registers > 0;
    if (!s->knows_registers) return;
    s->by_registers = gpu_blocks_by_registers(gpu, s->assembled.registers, s->threads / LANES);
}

static void summarise(Arena *arena, Summary *s) {
    const PtxProgram *p = s->program;
    for (int i = 0; i < p->code.count; i++) {
        const Ins *ins = &p->code.data[i];
        const Count *count = &s->totals->counts[i];
        if (!count->issued) continue;
        Line *line = line_of(arena, s, ins);
        s->issued += count->issued, s->lanes += count->lanes;
        s->by_class[ins->class] += count->issued, s->lanes_by_class[ins->class] += count->lanes;
        line->issued += count->issued;
        if (ins->op == SIM_BRANCH)
            s->branches += count->issued, s->divergent += count->divergent,
                line->divergent += count->divergent;
        if (ins->op == SIM_BARRIER) s->barriers += count->issued, line->barriers += count->issued;
        if (ins->op == SIM_COPY) { /* both a read of global memory and a write of shared memory */
            add(&s->rows[ROW_COPY], count), add(&s->rows[ROW_SHARED_COPY], count);
            add(&line->global, count), add(&line->shared, count);
            continue;
        }
        if (ins->op == SIM_BULK || ins->op == SIM_BULK_STORE) {
            add(&s->rows[ROW_BULK], count), add(&line->global, count);
            continue;
        }
        if (!count->requests) continue;
        bool shared = ins->space == SPACE_SHARED;
        Row row = ins->op == SIM_LOAD || ins->op == SIM_LDMATRIX    ? ROW_LOAD
                  : ins->op == SIM_STORE || ins->op == SIM_STMATRIX ? ROW_STORE
                                                                    : ROW_ATOMIC;
        add(&s->rows[row + (shared ? ROW_SHARED_LOAD : 0)], count);
        add(shared ? &line->shared : &line->global, count);
    }
    if (s->lines.count)
        qsort(s->lines.data, (size_t)s->lines.count, sizeof *s->lines.data, by_place);
    occupancy(arena, s);
}

static uint64_t num_blocks(const Totals *t) {
    return (uint64_t)t->grid[0] * t->grid[1] * t->grid[2];
}

static double ratio(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : 0; }

static Str source_text(const Summary *s, const Line *line) {
    const Source *source = s->program->kernel ? s->program->kernel->place.source : NULL;
    if (!source || line->file != 1 || line->line < 1 || line->line > source->num_lines)
        return (Str){0};
    return source_line(source, line->line);
}

/* ---- text ---- */

static const char *bytes_words(Arena *arena, uint64_t bytes) {
    if (bytes < 10000) return str_format(arena, "%llu B", (unsigned long long)bytes).data;
    if (bytes < 10240000) return str_format(arena, "%.1f KiB", (double)bytes / 1024).data;
    return str_format(arena, "%.1f MiB", (double)bytes / 1048576).data;
}

/* With 16 bytes a lane, which is the most, for all 32; atomics take one element a lane, bulk copies
 * a box. */
static unsigned long long least_requests(const Summary *s, int row) {
    const Count *c = &s->rows[row];
    return row == ROW_ATOMIC || row == ROW_BULK ? c->requests
                                                : (c->useful_bytes + 16 * LANES - 1) / (16 * LANES);
}

static void text_global(Buf *out, const Summary *s) {
    buf_puts(out,
             "\nglobal memory     requests  (least)   sectors  a request (least)    lines      "
             "moved     useful\n");
    for (int i = ROW_LOAD; i < ROW_SHARED_LOAD; i++) {
        const Count *c = &s->rows[i];
        if (!c->requests) continue;
        buf_printf(out, "  %-14s %9llu %8llu %9llu  %9.2f (%5.2f) %8llu %10s %10s  %.0f %%\n",
                   row_words[i], (unsigned long long)c->requests, least_requests(s, i),
                   (unsigned long long)c->sectors, ratio(c->sectors, c->requests),
                   ratio(c->ideal_sectors, c->requests), (unsigned long long)c->lines,
                   bytes_words(out->arena, c->sectors * 32),
                   bytes_words(out->arena, c->useful_bytes),
                   100 * ratio(c->useful_bytes, c->sectors * 32));
    }
}

static void text_shared(Buf *out, const Summary *s) {
    bool any = false;
    for (int i = ROW_SHARED_LOAD; i < NUM_ROWS; i++) any = any || s->rows[i].requests;
    if (!any) return;
    buf_puts(out, "\nshared memory     requests  wavefronts (least)  conflicts\n");
    for (int i = ROW_SHARED_LOAD; i < NUM_ROWS; i++) {
        const Count *c = &s->rows[i];
        if (c->requests)
            buf_printf(out, "  %-14s %9llu  %10llu %7llu  %9llu\n", row_words[i] + 7,
                       (unsigned long long)c->requests, (unsigned long long)c->wavefronts,
                       (unsigned long long)c->ideal_wavefronts,
                       (unsigned long long)(c->wavefronts - c->ideal_wavefronts));
    }
}

static void text_registers(Buf *out, const PtxasUse *a) {
    buf_printf(out, "%d registers a thread", a->registers);
    if (a->stack_bytes > 0) buf_printf(out, ", %d bytes of stack", a->stack_bytes);
    if (a->spill_stores > 0 || a->spill_loads > 0)
        buf_printf(out, ", spills: %d bytes stored, %d loaded", a->spill_stores, a->spill_loads);
    else if (a->spill_stores == 0)
        buf_puts(out, ", no spills");
    buf_puts(out, "\n");
}

static void text_occupancy(Buf *out, const Summary *s) {
    uint64_t blocks = num_blocks(s->totals),
             wave = (uint64_t)s->blocks * (uint64_t)s->gpu->multiprocessors;
    buf_printf(out, "\noccupancy on %s: a block has %d threads, %d bytes of shared memory, ",
               s->gpu->title, s->threads, s->program->shared_bytes);
    if (s->knows_registers)
        text_registers(out, &s->assembled);
    else
        buf_puts(out, "registers unknown (ptxas is not on PATH): they may allow fewer\n");
    buf_printf(
        out, "  blocks on a multiprocessor: %d by threads, %d by shared memory, %d by their number",
        s->by_threads, s->by_shared, s->by_blocks);
    if (s->knows_registers) buf_printf(out, ", %d by registers", s->by_registers);
    buf_printf(out, "\n  %s%d of %d warps a multiprocessor (%.0f %%)\n",
               s->knows_registers ? "" : "at most ", s->blocks * s->threads / LANES,
               s->gpu->threads_per_sm / LANES,
               100.0 * s->blocks * s->threads / s->gpu->threads_per_sm);
    uint64_t flight = s->totals->most_in_flight;
    buf_printf(out, "  bytes in flight%s: at most %s a warp, with all warps %s a multiprocessor\n",
               s->program->has_bulk ? ", bulk copies apart" : "", bytes_words(out->arena, flight),
               bytes_words(out->arena, flight * (uint64_t)(s->blocks * s->threads / LANES)));
    if (!wave) return;
    uint64_t rest = blocks % wave;
    buf_printf(out, "  %llu blocks, %llu at a time on %d multiprocessors: %.2f waves",
               (unsigned long long)blocks, (unsigned long long)wave, s->gpu->multiprocessors,
               ratio(blocks, wave));
    if (rest) buf_printf(out, ", the last one %.0f %% full", 100 * ratio(rest, wave));
    buf_puts(out, "\n");
}

static void text_lines(Buf *out, const Summary *s) {
    buf_puts(
        out,
        "\n line  instructions  requests  a request (least)  moved/useful  wavefronts (least)\n");
    for (int i = 0; i < s->lines.count; i++) {
        const Line *l = &s->lines.data[i];
        Str text = source_text(s, l);
        if (l->file > 1 && l->file <= s->program->files.count) {
            Str file = s->program->files.data[l->file - 1];
            text = str_format(out->arena, "(%.*s:%d)", STR_ARG(file), l->line);
        }
        if (l->file == 0) text = STR("(before the first line)");
        buf_printf(out, "%5d  %12llu ", l->line, (unsigned long long)l->issued);
        if (l->global.requests)
            buf_printf(out, "%9llu  %9.2f (%5.2f)  %11.2fx ",
                       (unsigned long long)l->global.requests,
                       ratio(l->global.sectors, l->global.requests),
                       ratio(l->global.ideal_sectors, l->global.requests),
                       ratio(l->global.sectors * 32, l->global.useful_bytes));
        else
            buf_printf(out, "%9s  %17s  %12s ", "", "", "");
        if (l->shared.requests)
            buf_printf(out, "%11llu %7llu", (unsigned long long)l->shared.wavefronts,
                       (unsigned long long)l->shared.ideal_wavefronts);
        else
            buf_printf(out, "%19s", "");
        buf_printf(out, " | %.*s\n", STR_ARG(text));
        if (l->divergent)
            buf_printf(out, "%*s | ^ %llu branches here split their warp\n", 80, "",
                       (unsigned long long)l->divergent);
    }
}

static void text(Buf *out, const Summary *s) {
    const Totals *t = s->totals;
    buf_printf(
        out, "counters of '%.*s' on sim:%s: %llu launch%s, grid %u x %u x %u, %d threads a block\n",
        STR_ARG(s->program->name), s->gpu->name, (unsigned long long)t->launches,
        t->launches == 1 ? "" : "es", t->grid[0], t->grid[1], t->grid[2], s->threads);
    buf_puts(out, "These are counts of the PTX as executed, not times: sim does not predict how "
                  "long a kernel takes.\n");
    if (t->race_limited)
        buf_puts(out,
                 "Races were looked for in a part of memory only: the launch was too large.\n");
    buf_puts(out, "\ninstructions      executed by warps  of 32 lanes on\n");
    for (int i = 0; i < NUM_CLASSES; i++)
        if (s->by_class[i])
            buf_printf(out, "  %-16s %16llu  %14.1f\n", class_words[i],
                       (unsigned long long)s->by_class[i],
                       ratio(s->lanes_by_class[i], s->by_class[i]));
    buf_printf(out, "  %-16s %16llu  %14.1f\n", "all", (unsigned long long)s->issued,
               ratio(s->lanes, s->issued));
    buf_printf(out, "  branches: %llu, of which %llu split their warp; barriers: %llu\n",
               (unsigned long long)s->branches, (unsigned long long)s->divergent,
               (unsigned long long)s->barriers);
    text_global(out, s);
    text_shared(out, s);
    text_occupancy(out, s);
    text_lines(out, s);
}

/* ---- JSON ---- */

static void json_global(Buf *out, const Count *c) {
    buf_printf(out,
               "\"requests\": %llu, \"sectors\": %llu, \"least_sectors\": %llu, \"lines\": %llu, "
               "\"moved_bytes\": %llu, \"useful_bytes\": %llu}",
               (unsigned long long)c->requests, (unsigned long long)c->sectors,
               (unsigned long long)c->ideal_sectors, (unsigned long long)c->lines,
               (unsigned long long)c->sectors * 32, (unsigned long long)c->useful_bytes);
}

static void json_shared(Buf *out, const Count *c) {
    buf_printf(out,
               "{\"requests\": %llu, \"wavefronts\": %llu, \"least_wavefronts\": %llu, "
               "\"bank_conflicts\": %llu, \"useful_bytes\": %llu}",
               (unsigned long long)c->requests, (unsigned long long)c->wavefronts,
               (unsigned long long)c->ideal_wavefronts,
               (unsigned long long)(c->wavefronts - c->ideal_wavefronts),
               (unsigned long long)c->useful_bytes);
}

static void json_occupancy(Buf *out, const Summary *s) {
    uint64_t blocks = num_blocks(s->totals),
             wave = (uint64_t)s->blocks * (uint64_t)s->gpu->multiprocessors;
    buf_printf(out,
               "\"occupancy\": {\"gpu\": \"%s\", \"multiprocessors\": %d, \"threads_a_block\": %d, "
               "\"shared_bytes\": %d, \"registers\": ",
               s->gpu->name, s->gpu->multiprocessors, s->threads, s->program->shared_bytes);
    const int known[] = {s->assembled.registers, s->assembled.stack_bytes,
                         s->assembled.spill_stores, s->assembled.spill_loads};
    static const char *const names[] = {
        "", ", \"stack_bytes\": ", ", \"spill_store_bytes\": ", ", \"spill_load_bytes\": "};
    for (int i = 0; i < COUNT(known); i++) {
        buf_puts(out, names[i]);
        if (known[i] >= 0)
            buf_printf(out, "%d", known[i]);
        else
            buf_puts(out, "null");
    }
    buf_printf(out,
               ", \"blocks_a_multiprocessor\": %d, \"by_threads\": %d, \"by_shared_memory\": %d, "
               "\"by_registers\": ",
               s->blocks, s->by_threads, s->by_shared);
    if (s->knows_registers)
        buf_printf(out, "%d", s->by_registers);
    else
        buf_puts(out, "null");
    buf_printf(out, ", \"in_flight_bytes_a_warp\": %llu",
               (unsigned long long)s->totals->most_in_flight);
    buf_printf(out, ", \"waves\": %.4f, \"blocks_in_last_wave\": %llu},\n ", ratio(blocks, wave),
               (unsigned long long)(wave ? blocks % wave : 0));
}

static void json_lines(Buf *out, const Summary *s) {
    buf_puts(out, "\"lines\": [");
    for (int i = 0; i < s->lines.count; i++) {
        const Line *l = &s->lines.data[i];
        buf_printf(out, "%s\n  {\"file\": ", i ? "," : "");
        buf_json(out, l->file > 0 && l->file <= s->program->files.count
                          ? s->program->files.data[l->file - 1]
                          : STR(""));
        buf_printf(out,
                   ", \"line\": %d, \"instructions\": %llu, \"divergent_branches\": %llu, "
                   "\"barriers\": %llu, \"global\": ",
                   l->line, (unsigned long long)l->issued, (unsigned long long)l->divergent,
                   (unsigned long long)l->barriers);
        buf_putc(out, '{'), json_global(out, &l->global);
        buf_puts(out, ", \"shared\": ");
        json_shared(out, &l->shared);
        buf_puts(out, "}");
    }
    buf_puts(out, "]");
}

static void json(Buf *out, const Summary *s) {
    static const char *const keys[NUM_ROWS] = {"loads",         "stores",         "atomics",
                                               "copies",        "bulk_copies",    "shared_loads",
                                               "shared_stores", "shared_atomics", "shared_copies"};
    const Totals *t = s->totals;
    buf_puts(out, "{\"kernel\": ");
    buf_json(out, s->program->name);
    buf_printf(out,
               ", \"device\": \"sim:%s\", \"launches\": %llu, \"grid\": [%u, %u, %u], "
               "\"predicts_time\": false, \"races_checked_everywhere\": %s,\n ",
               s->gpu->name, (unsigned long long)t->launches, t->grid[0], t->grid[1], t->grid[2],
               t->race_limited ? "false" : "true");
    buf_printf(out,
               "\"instructions\": %llu, \"lane_instructions\": %llu, \"branches\": %llu, "
               "\"divergent_branches\": %llu, \"barriers\": %llu,\n ",
               (unsigned long long)s->issued, (unsigned long long)s->lanes,
               (unsigned long long)s->branches, (unsigned long long)s->divergent,
               (unsigned long long)s->barriers);
    buf_puts(out, "\"by_class\": {");
    for (int i = 0; i < NUM_CLASSES; i++)
        buf_printf(out, "%s\"%s\": %llu", i ? ", " : "", class_words[i],
                   (unsigned long long)s->by_class[i]);
    buf_puts(out, "},\n ");
    for (int i = 0; i < NUM_ROWS; i++) {
        buf_printf(out, "\"%s\": ", keys[i]);
        if (i < ROW_SHARED_LOAD) {
            buf_printf(out, "{\"least_requests\": %llu, ", least_requests(s, i));
            json_global(out, &s->rows[i]);
        } else
            json_shared(out, &s->rows[i]);
        buf_puts(out, ",\n ");
    }
    json_occupancy(out, s);
    json_lines(out, s);
    buf_puts(out, "}");
}

Str sim_report(Arena *arena, const Gpu *gpu, const PtxProgram *program, const Totals *totals,
               bool as_json) {
    Summary s = {.gpu = gpu, .program = program, .totals = totals};
    Buf out = {.arena = arena};
    summarise(arena, &s);
    if (as_json)
        json(&out, &s);
    else
        text(&out, &s);
    return buf_str(&out);
}

/* ---- numbers ---- */

static const char *file_of(Arena *arena, const Summary *s, const Line *line) {
    bool is_known = line->file > 0 && line->file <= s->program->files.count;
    return is_known ? str_c(arena, s->program->files.data[line->file - 1]) : "";
}

static void put_lines(Arena *arena, const Summary *s, tern_counted *out) {
    tern_line_count *lines = arena_array(arena, tern_line_count, s->lines.count);
    for (int i = 0; i < s->lines.count; i++) {
        const Line *line = &s->lines.data[i];
        lines[i] = (tern_line_count){.file = file_of(arena, s, line),
                                     .line = line->line,
                                     .instructions = line->issued,
                                     .moved_bytes = line->global.sectors * 32,
                                     .least_moved_bytes = line->global.ideal_sectors * 32,
                                     .useful_bytes = line->global.useful_bytes,
                                     .wavefronts = line->shared.wavefronts,
                                     .least_wavefronts = line->shared.ideal_wavefronts};
        out->moved_bytes += lines[i].moved_bytes;
        out->least_moved_bytes += lines[i].least_moved_bytes;
        out->useful_bytes += lines[i].useful_bytes;
        out->wavefronts += lines[i].wavefronts;
        out->least_wavefronts += lines[i].least_wavefronts;
    }
    out->lines = lines;
    out->num_lines = s->lines.count;
}

void sim_count(Arena *arena, const Gpu *gpu, const PtxProgram *program, const Totals *totals,
               tern_counted *out) {
    Summary s = {.gpu = gpu, .program = program, .totals = totals};
    summarise(arena, &s);
    *out = (tern_counted){.gpu = gpu->name,
                          .multiprocessors = gpu->multiprocessors,
                          .threads_per_multiprocessor = gpu->threads_per_sm,
                          .threads = s.threads,
                          .shared_bytes = program->shared_bytes,
                          .registers = s.knows_registers ? s.assembled.registers : -1,
                          .stack_bytes = s.assembled.stack_bytes,
                          .spill_store_bytes = s.assembled.spill_stores,
                          .spill_load_bytes = s.assembled.spill_loads,
                          .by_threads = s.by_threads,
                          .by_shared = s.by_shared,
                          .by_number = s.by_blocks,
                          .by_registers = s.by_registers,
                          .blocks = s.blocks,
                          .launches = totals->launches,
                          .instructions = s.issued,
                          .tensor_instructions = s.by_class[CLASS_MMA]};
    put_lines(arena, &s, out);
}
