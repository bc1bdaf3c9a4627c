// SPDX-License-Identifier: Apache-2.0
/* why_print: what tern why says, as text and as JSON. */
#include "cli/json.h"
#include "cli/why.h"

#include <math.h>
#include <stdio.h>

/* What resources are counted in. */
static const struct {
    const char *name, *unit, *key;
} rows[WHY_NUM_RESOURCES] = {
    [WHY_MEMORY] = {"memory", "B", "memory"},
    [WHY_ARITHMETIC] = {"fp32", "FLOP", "arithmetic"},
    [WHY_TENSOR] = {"tensor cores", "FLOP", "tensor_cores"},
    [WHY_SHARED] = {"shared memory", " wavefronts", "shared_memory"},
    [WHY_ACCESSES] = {"accesses", "B", "accesses"},
};

/* Lines from which on an access is named: this many times what would do. */
static const double line_waste = 1.25;

static const char *scaled(char text[64], double value, const char *unit) {
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
    int at = 0;
    while (value >= 1000 && at < COUNT(prefixes) - 1) value /= 1000, at++;
    snprintf(text, 64, "%.3g %s%s", value, prefixes[at], unit);
    return text;
}

static const char *time_words(char text[32], double seconds) {
    if (seconds >= 1)
        snprintf(text, 32, "%.3g s", seconds);
    else if (seconds >= 1e-3)
        snprintf(text, 32, "%.3g ms", seconds * 1e3);
    else if (seconds >= 1e-6)
        snprintf(text, 32, "%.3g us", seconds * 1e6);
    else
        snprintf(text, 32, "%.3g ns", seconds * 1e9);
    return text;
}

/* ---- what it takes of a GPU ---- */

static void put_limits(const tern_counted *c) {
    const int by[] = {c->by_threads, c->by_shared, c->by_number, c->by_registers};
    static const char *const names[] = {"threads", "shared memory", "their number", "registers"};
    const char *between = "limited by ";
    for (int i = 0; i < COUNT(by); i++) {
        if (by[i] != c->blocks) continue;
        printf("%s%s", between, names[i]);
        between = " and ";
    }
}

static void print_block(const tern_counted *c) {
    printf("  block      %d threads, %d bytes of shared memory [c]; ", c->threads, c->shared_bytes);
    if (c->registers < 0)
        printf("registers and spills not known [?]: ptxas is not on PATH\n");
    else if (c->spill_store_bytes > 0 || c->spill_load_bytes > 0)
        printf("%d registers, spills of %d bytes stored and %d loaded a thread [a]\n", c->registers,
               c->spill_store_bytes, c->spill_load_bytes);
    else
        printf("%d registers, no spills [a]\n", c->registers);
}

static double occupancy(const tern_counted *c) {
    return (double)c->blocks * c->threads / c->threads_per_multiprocessor;
}

static void put_tail(const WhyVerdict *v, char letter) {
    if (v->tail.least < v->tail.most)
        printf("%.1f to", v->tail.least * 100);
    else
        printf("at most");
    printf(" %.1f %% idle at the end [%c]\n", v->tail.most * 100,
           v->is_tail_counted ? why_letter(WHY_HARDWARE) : letter);
}

static void print_occupancy(const Why *why) {
    const tern_counted *c = &why->counted;
    double at_a_time = (double)c->blocks * c->multiprocessors;
    printf("  occupancy  %s%d of %d threads a multiprocessor (%.0f %%): %d blocks, ",
           c->registers < 0 ? "at most " : "", c->blocks * c->threads,
           c->threads_per_multiprocessor, occupancy(c) * 100, c->blocks);
    put_limits(c);
    printf(" [%c]\n", c->registers < 0 ? 'c' : 'a');
    if (!c->blocks) return;
    printf("  waves      %.2f: %.0f blocks, %.0f at a time on %d multiprocessors; ",
           why_blocks(why) / at_a_time, why_blocks(why), at_a_time, c->multiprocessors);
    put_tail(&why->verdict, c->registers < 0 ? 'c' : 'a');
}

typedef struct Worst { /* the line that wastes most */
    const tern_line_count *line;
    uint64_t waste;
    double times;
} Worst;

static Worst worst(const tern_counted *c, bool of_shared) {
    Worst found = {0};
    for (int i = 0; i < c->num_lines; i++) {
        const tern_line_count *line = &c->lines[i];
        uint64_t took = of_shared ? line->wavefronts : line->moved_bytes,
                 least = of_shared ? line->least_wavefronts : line->least_moved_bytes;
        if (!least || took <= least || took - least <= found.waste) continue;
        found = (Worst){line, took - least, (double)took / (double)least};
    }
    return found;
}

static void print_executed(const Why *why) {
    const tern_counted *c = &why->counted;
    char moved[64], useful[64];
    if (!why->was_executed) {
        printf("  executed   no (%s): accesses and conflicts are not known [?]\n",
               why->not_executed);
        return;
    }
    if (why_scale(why) > 1)
        printf("  executed   of %.0f blocks the first %.0f, which stand for all:\n            ",
               why_blocks(why), why_blocks(why) / why_scale(why));
    else
        printf("  executed  ");
    printf(" %llu instructions of warps; %s of global memory moved for %s used [x]\n",
           (unsigned long long)c->instructions, scaled(moved, (double)c->moved_bytes, "B"),
           scaled(useful, (double)c->useful_bytes, "B"));
}

/* ---- what the device counted itself ---- */

static void put_part(const char **between, const char *name, double part) {
    if (isnan(part)) return;
    printf("%s%s %.0f %%", *between, name, part * 100);
    *between = ", ";
}

static void put_bytes(const char **between, double bytes, const char *words) {
    char text[64];
    if (isnan(bytes)) return;
    printf("%s%s %s", *between, scaled(text, bytes, "B"), words);
    *between = ", ";
}

static void put_counters(const Why *why, const tern_hardware *h) {
    static const char first[] = "  counters   ";
    const char *between = first;
    put_bytes(&between, h->read_bytes, "read");
    put_bytes(&between, h->written_bytes, "written");
    put_bytes(&between, h->cache_bytes, "through the L2 cache");
    if (!isnan(h->instructions) && h->cycles > 0) {
        printf("%s%.2f instructions a cycle", between, h->instructions / h->cycles);
        between = ", ";
    }
    put_part(&between, why->units ? "processors busy" : "multiprocessors busy", h->active);
    put_part(&between, "warps", h->warps);
    put_part(&between, "issue", h->issue);
    put_part(&between, "tensor cores", h->tensor);
    put_part(&between, "fp32", h->fma);
    if (between != first) puts(" [h]");
}

static void print_counters(const Why *why) {
    if (why->measured.has_hardware) put_counters(why, &why->measured.hardware);
    if (why->measured.not_counted.length)
        printf("  counters   %.*s [?]\n", STR_ARG(why->measured.not_counted));
}

/* ---- the table ---- */

static bool is_shown(const WhyResource *resource) { return resource->amount > 0; }

static void print_row(const Why *why, int kind) {
    const WhyResource *r = &why->facts.resources[kind];
    char amount[64], least[32], ceiling[64], unit[32];
    snprintf(unit, sizeof unit, "%s/s", rows[kind].unit);
    printf("  %-14s %-17s ", rows[kind].name, scaled(amount, r->amount, rows[kind].unit));
    if (r->ceiling > 0)
        printf("%-10s %6.1f %%   %-20s [%c]/[%c]\n", time_words(least, why_least(r)),
               why->verdict.shares[kind] * 100, scaled(ceiling, r->ceiling, unit),
               why_letter(r->amount_from), why_letter(r->ceiling_from));
    else
        printf("%-10s %8s   %-20s [%c]/[?]\n", "-", "-", "not known", why_letter(r->amount_from));
}

static void print_table(const Why *why) {
    printf("\n  %-14s %-17s %-10s %8s   %-20s\n", "resource", "work", "at least",
           why->is_model ? "of most" : "of time", "ceiling");
    for (int i = 0; i < WHY_NUM_RESOURCES; i++)
        if (is_shown(&why->facts.resources[i])) print_row(why, i);
    if (why->facts.resources[WHY_MEMORY].amount_from == WHY_UNKNOWN)
        puts("  bytes and operations rest on data that is loaded: not counted [?]");
}

/* ---- the verdict ---- */

static void put_resource(const Why *why, WhyKind kind) {
    const WhyResource *r = &why->facts.resources[kind];
    char amount[64], least[32];
    printf("%s take %s at least", scaled(amount, r->amount, rows[kind].unit),
           time_words(least, why_least(r)));
}

static void put_share(const Why *why, WhyKind kind) {
    put_resource(why, kind);
    if (!why->is_model) printf(", %.0f %% of the time", why->verdict.shares[kind] * 100);
}

static void put_idle(const WhyVerdict *v) {
    double most = 0;
    for (int i = 0; i < WHY_NUM_RESOURCES; i++) most = fmax(most, v->shares[i]);
    printf("nothing is busy for more than %.0f %% of the time", most * 100);
}

static void put_verdict(const Why *why) {
    const WhyVerdict *v = &why->verdict;
    char text[32];
    switch (v->bound) {
    case WHY_MEMORY:
    case WHY_ARITHMETIC:
    case WHY_TENSOR:
    case WHY_SHARED:
    case WHY_ACCESSES: put_share(why, v->bound); return;
    case WHY_CONFLICTS:
        put_share(why, WHY_SHARED);
        printf(", %.1f times what would do", why->facts.conflicts);
        return;
    case WHY_TAIL:
        printf("at most %.0f %% of the %s' time is idle at the end", v->tail.most * 100,
               why->units ? "threads" : "multiprocessors");
        return;
    case WHY_LAUNCH:
        if (why->is_model)
            printf("all that was counted takes %s at least, less than any launch",
                   time_words(text, v->seconds));
        else
            printf("timing nothing takes %.0f %% of the time",
                   why->facts.floor_s / why->facts.seconds * 100);
        return;
    case WHY_SPILLS:
        printf("each thread moves %.0f bytes of values to memory and back, and ",
               why->facts.spilled_bytes);
        put_idle(v);
        return;
    case WHY_BY_REGISTERS:
    case WHY_BY_SHARED_SIZE:
        printf("%d of %d threads a multiprocessor hide no latency, and ",
               why->counted.blocks * why->counted.threads, why->counted.threads_per_multiprocessor);
        put_idle(v);
        return;
    case WHY_LATENCY:
        put_idle(v);
        if (why->facts.is_small)
            printf("; %.0f of %d multiprocessors have a block", why_blocks(why),
                   why->counted.multiprocessors);
        return;
    case WHY_NO_BOUND: printf("neither bytes nor operations were counted"); return;
    }
}

static void print_advice(const Why *why) {
    const tern_counted *c = &why->counted;
    Worst access = worst(c, false), conflict = worst(c, true);
    if (access.line && access.times >= line_waste)
        printf("  line %d moves %.1f times the bytes that would do [x]: lanes side by side should "
               "access elements side by side\n",
               access.line->line, access.times);
    if (conflict.line && conflict.times >= line_waste)
        printf("  line %d has bank conflicts: %.1f times the wavefronts that would do [x]\n",
               conflict.line->line, conflict.times);
    bool wastes = access.line && access.times >= line_waste;
    if (wastes || (conflict.line && conflict.times >= line_waste))
        puts("  'tern view' draws which lane touches what there: the same arguments, small sizes");
    if (c->spill_store_bytes > 0)
        puts("  spills go through memory: fewer values at a time, smaller tiles or more warps");
    bool is_sparse =
        why->verdict.bound == WHY_BY_REGISTERS || why->verdict.bound == WHY_BY_SHARED_SIZE;
    if (why->has_counts &&
        (is_sparse || (why->verdict.bound == WHY_MEMORY && occupancy(c) < 0.5))) {
        printf("  few threads hide what memory takes: occupancy is ");
        put_limits(c);
        putchar('\n');
    }
}

static void print_verdict(const Why *why) {
    const WhyVerdict *v = &why->verdict;
    printf("\nbound by %s", why_name(v->bound));
    if (v->second != WHY_NO_BOUND) printf(" and %s", why_name(v->second));
    printf(": ");
    put_verdict(why);
    if (v->gain > 1.005 && isfinite(v->gain))
        printf("; without that at most %.3g times as fast\n", v->gain);
    else
        putchar('\n');
    print_advice(why);
    if (why->times < 2) return;
    printf("measured %d times:", why->times);
    for (int i = 0; i < COUNT(why->verdicts); i++)
        if (why->verdicts[i]) printf(" %s %d", why_name((WhyKind)i), why->verdicts[i]);
    putchar('\n');
}

static void print_legend(const Why *why) {
    static const char letters[] = "mcbdxaph?";
    bool used[128] = {0};
    for (int i = 0; i < WHY_NUM_RESOURCES; i++) {
        const WhyResource *r = &why->facts.resources[i];
        if (!is_shown(r)) continue;
        used[(int)why_letter(r->amount_from)] = used[(int)why_letter(r->ceiling_from)] = true;
    }
    if (!why->is_model) used['m'] = true;
    if (why->is_model) used['p'] = true;
    if (why->has_counts) used['c'] = true;
    if (why->has_counts) used[why->counted.registers >= 0 ? 'a' : '?'] = true;
    if (why->was_executed) used['x'] = true;
    if (why->measured.has_hardware) used['h'] = true;
    if (why->not_executed || why->measured.not_counted.length) used['?'] = true;
    const char *between = "";
    for (const char *at = letters; *at; at++) {
        if (!used[(int)*at]) continue;
        printf("%s[%c] %s", between, *at, why_legend(*at));
        between = " · ";
    }
    putchar('\n');
}

void why_print(const Why *why) {
    const tern_timing *t = &why->measured.timing;
    char text[32];
    printf("%s   grid %u", why->kernel, why->grid[0]);
    if (why->grid[1] > 1 || why->grid[2] > 1) printf(" x %u x %u", why->grid[1], why->grid[2]);
    printf("   %s (%s)\n", why->device, why->description);
    if (why->has_counts) {
        print_block(&why->counted);
        print_occupancy(why);
        print_executed(why);
    } else if (why->not_executed)
        printf("  block      not known [?]: %s\n", why->not_executed);
    if (why->is_model) {
        puts("  time       not known [?]: the device is not here, and sim does not predict it");
    } else {
        printf("  time       %s, noise %.1f %%, %zu samples [m]\n",
               time_words(text, why->facts.seconds), t->noise * 100, t->num_samples);
        if (why->units) {
            printf("  waves      %.2f: %.0f programs on %d threads; ", why_blocks(why) / why->units,
                   why_blocks(why), why->units);
            put_tail(&why->verdict, why_letter(WHY_COUNTED));
        }
        print_counters(why);
        if (why->measured.doubts.length)
            printf("  doubts     %.*s\n", STR_ARG(why->measured.doubts));
    }
    print_table(why);
    print_verdict(why);
    print_legend(why);
}

/* ---- JSON ---- */

static void json_letter(Json *json, const char *key, WhyFrom from) {
    json_key(json, key);
    json_text(json, (char[]){why_letter(from), 0});
}

static void json_known(Json *json, const char *key, int value) {
    json_key(json, key);
    if (value >= 0)
        json_int(json, value);
    else
        json_none(json);
}

static void json_hardware(Json *json, const tern_hardware *h) {
    const struct {
        const char *key;
        double value;
    } values[] = {{"read_bytes", h->read_bytes},
                  {"written_bytes", h->written_bytes},
                  {"cache_bytes", h->cache_bytes},
                  {"active", h->active},
                  {"warps", h->warps},
                  {"issue", h->issue},
                  {"tensor", h->tensor},
                  {"fma", h->fma},
                  {"cycles", h->cycles},
                  {"instructions", h->instructions}};
    json_key(json, "hardware"), json_open(json, '{');
    for (int i = 0; i < COUNT(values); i++)
        if (!isnan(values[i].value))
            json_key(json, values[i].key), json_number(json, values[i].value);
    json_close(json, '}');
}

static void json_resources(Json *json, const Why *why) {
    json_key(json, "resources"), json_open(json, '{');
    for (int i = 0; i < WHY_NUM_RESOURCES; i++) {
        const WhyResource *r = &why->facts.resources[i];
        if (!is_shown(r)) continue;
        json_key(json, rows[i].key), json_open(json, '{');
        json_key(json, "work"), json_number(json, r->amount);
        json_letter(json, "work_from", r->amount_from);
        json_key(json, "ceiling"), json_number(json, r->ceiling > 0 ? r->ceiling : NAN);
        json_letter(json, "ceiling_from", r->ceiling_from);
        json_key(json, "least_s"), json_number(json, r->ceiling > 0 ? why_least(r) : NAN);
        json_key(json, "share"), json_number(json, r->ceiling > 0 ? why->verdict.shares[i] : NAN);
        json_close(json, '}');
    }
    json_close(json, '}');
}

static void json_model(Json *json, const Why *why) {
    const tern_counted *c = &why->counted;
    json_key(json, "gpu"), json_text(json, c->gpu);
    json_key(json, "threads"), json_int(json, c->threads);
    json_key(json, "shared_bytes"), json_int(json, c->shared_bytes);
    json_known(json, "registers", c->registers);
    json_known(json, "spill_store_bytes", c->spill_store_bytes);
    json_known(json, "spill_load_bytes", c->spill_load_bytes);
    json_key(json, "blocks_a_multiprocessor"), json_int(json, c->blocks);
    json_key(json, "by_threads"), json_int(json, c->by_threads);
    json_key(json, "by_shared_memory"), json_int(json, c->by_shared);
    json_key(json, "by_number"), json_int(json, c->by_number);
    json_known(json, "by_registers", c->by_registers);
    json_key(json, "occupancy"), json_number(json, occupancy(c));
    json_key(json, "executed"), json_bool(json, why->was_executed);
    if (!why->was_executed) return;
    json_key(json, "instructions"), json_int(json, (int64_t)c->instructions);
    json_key(json, "moved_bytes"), json_int(json, (int64_t)c->moved_bytes);
    json_key(json, "least_moved_bytes"), json_int(json, (int64_t)c->least_moved_bytes);
    json_key(json, "useful_bytes"), json_int(json, (int64_t)c->useful_bytes);
    json_key(json, "wavefronts"), json_int(json, (int64_t)c->wavefronts);
    json_key(json, "least_wavefronts"), json_int(json, (int64_t)c->least_wavefronts);
}

void why_print_json(const Why *why) {
    Json json = {.out.arena = why->cli->arena};
    const WhyVerdict *v = &why->verdict;
    json_open(&json, '{');
    json_key(&json, "kernel"), json_text(&json, why->kernel);
    json_key(&json, "device"), json_text(&json, why->device);
    json_key(&json, "grid"), json_open(&json, '[');
    for (int i = 0; i < 3; i++) json_int(&json, why->grid[i]);
    json_close(&json, ']');
    json_key(&json, "time_s"), json_number(&json, why->is_model ? NAN : why->facts.seconds);
    json_key(&json, "tail"), json_number(&json, v->tail.most);
    if (why->has_counts) json_model(&json, why);
    if (why->measured.has_hardware) json_hardware(&json, &why->measured.hardware);
    json_resources(&json, why);
    json_key(&json, "bound"), json_text(&json, why_name(v->bound));
    json_key(&json, "second"),
        json_text(&json, v->second == WHY_NO_BOUND ? NULL : why_name(v->second));
    json_key(&json, "gain"), json_number(&json, v->gain);
    json_key(&json, "verdicts"), json_open(&json, '{');
    for (int i = 0; i < COUNT(why->verdicts); i++)
        if (why->verdicts[i])
            json_key(&json, why_name((WhyKind)i)), json_int(&json, why->verdicts[i]);
    json_close(&json, '}');
    json_close(&json, '}');
    json_print(&json);
}
