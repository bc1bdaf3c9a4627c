// SPDX-License-Identifier: Apache-2.0
/* watch: what a watched device finds in a kernel that it runs.
 *
 * A mark goes with a lane of a value, beside it, from where something begins to where it matters:
 *   - a NaN or an infinity, from the op that made it of operands that were none;
 *   - no value at all, from the load whose mask left the lane out and that has no `other`.
 * Nothing is said before a marked lane is stored, decides a branch or makes an address: so lanes
 * that a select or a mask drops later are no finding. A mark names an Origin, which keeps the
 * operands of the first time.
 *
 * Nothing here takes memory while a kernel runs but lanes: a program may run on a stack of its own,
 * from which an arena cannot unwind. */
#include "device/interp/interp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MOST_ORIGINS = 4096,
    SECTOR_BYTES = 32, /* the least that a GPU's memory moves */
    MOST_LOOKS = 8,    /* at the addresses of an access */
    LEAST_LANES = 32,
    WASTE = 4, /* times what is needed */
};

typedef struct Origin {
    const Op *op;
    const Op *passed; /* the first op after it in the file of the kernel, where op is not in it */
    tern_finding_kind kind;
    bool is_shared; /* stands for later ones too, for want of room: the operands are another's */
    int lane;
    uint64_t operands[3], result;
} Origin;

typedef struct AccessCount {
    const Op *op;
    uint64_t on, off; /* lanes, by the mask */
    uint64_t sectors, needed;
    int looks;
} AccessCount;

struct Watch {
    const CompiledKernel *kernel;
    Findings findings, shown; /* shown: with what is only known at the end */
    VEC(AccessCount) accesses;
    Map by_op;          /* to 1 + index */
    bool given_special; /* what was loaded already had a NaN or infinity */
    /* Of the launch that runs: */
    Owners *owners;
    Origin *origins;
    int num_origins;
};

/* A mark: which origin, from 1, of a lane without a value, and of a NaN or infinity. */
static uint64_t mark_of(uint32_t undefined, uint32_t special) {
    return (uint64_t)undefined << 32 | special;
}
static uint32_t mark_undefined(uint64_t mark) { return (uint32_t)(mark >> 32); }
static uint32_t mark_special(uint64_t mark) { return (uint32_t)mark; }

static uint64_t mark_get(const Lanes *lanes, int i) {
    return lanes->marks ? lane_of(lanes->marks, i) : 0;
}

static bool mark_set(Program *p, Lanes *lanes, int i, uint64_t mark) {
    if (!lanes->marks) {
        if (!mark) return true;
        if (!(lanes->marks = lanes_new(p, lanes->count, 8))) return false;
        memset(lanes->marks->data, 0, (size_t)lanes->count * 8);
    }
    lane_set(lanes->marks, i, mark);
    return true;
}

/* ---- a kernel, a launch ---- */

static void add_accesses(Arena *arena, Watch *w, const Region *region) {
    for (const Op *op = region->first; op; op = op->next) {
        bool is_access = op->kind == OP_LOAD || op->kind == OP_STORE || op->kind == OP_ATOMIC_RMW;
        if (is_access) {
            vec_push(arena, &w->accesses, (AccessCount){.op = op});
            map_set_pointer(&w->by_op, op, (void *)(uintptr_t)w->accesses.count);
        }
        for (int i = 0; i < op->num_regions; i++) add_accesses(arena, w, op->regions[i]);
    }
}

Watch *watch_new(Arena *arena, const CompiledKernel *kernel) {
    Watch *w = arena_new_of(arena, Watch);
    *w = (Watch){.kernel = kernel, .by_op.arena = arena};
    add_accesses(arena, w, kernel->ir->body);
    for (int i = 0; i < kernel->num_unused; i++) {
        Finding *found = finding_add(&w->findings, TERN_FOUND_UNUSED, kernel->unused[i]);
        if (found) snprintf(found->text, sizeof found->text, "nothing needs what this load gives");
    }
    return w;
}

static void launch_end(Watch *w) {
    owners_end(w->owners);
    free(w->origins);
    w->owners = NULL;
    w->origins = NULL;
}

bool watch_begin(Launch *launch) {
    Watch *w = launch->watch;
    w->num_origins = 0;
    w->origins = calloc(MOST_ORIGINS, sizeof *w->origins);
    bool fine = w->origins && owners_begin(launch, &w->owners);
    if (!fine) launch_end(w);
    return fine;
}

void watch_end(Launch *launch) {
    Watch *w = launch->watch;
    const Failure *failure = &launch->failure;
    Finding *found = failure->kind ? finding_add(&w->findings, failure->kind, failure->span) : NULL;
    if (found) {
        snprintf(found->text, sizeof found->text, "%s", failure->text);
        snprintf(found->where, sizeof found->where, "%s",
                 str_starts(str_of(failure->note), "in ") ? failure->note + 3 : failure->note);
    }
    owners_note(w->owners, &w->findings);
    launch_end(w);
}

Findings *watch_list(Launch *launch) { return &launch->watch->findings; }
Owners *watch_owners(Launch *launch) { return launch->watch->owners; }

static void say_not_checked(Findings *findings, const Watch *w, const char *words) {
    Span place = w->kernel->place;
    place.start += findings->count;
    Finding *found = finding_add(findings, TERN_NOT_CHECKED, place);
    if (found) snprintf(found->text, sizeof found->text, "%s", words);
}

const Findings *watch_findings(Watch *w) {
    w->shown = w->findings;
    for (int i = 0; i < w->accesses.count; i++) {
        const AccessCount *access = &w->accesses.data[i];
        if (access->sectors >= WASTE * access->needed && access->needed) {
            Finding *waste = finding_add(&w->shown, TERN_FOUND_UNCOALESCED, access->op->span);
            if (waste)
                snprintf(waste->text, sizeof waste->text,
                         "the lanes of this %s lie in %.1f times as many sectors of 32 bytes as "
                         "they would fill",
                         op_info(access->op->kind)->name,
                         (double)access->sectors / (double)access->needed);
        }
        /* Those of spread form are not the user's. */
        if (access->off || !access->on || w->kernel->ir->form == FORM_SPREAD) continue;
        Finding *found = finding_add(&w->shown, TERN_FOUND_MASK, access->op->span);
        if (found)
            snprintf(found->text, sizeof found->text,
                     "the mask of this %s never left out any of %llu lanes",
                     op_info(access->op->kind)->name, (unsigned long long)access->on);
    }
    if (w->given_special)
        say_not_checked(&w->shown, w,
                        "where a NaN or infinity comes from: the tensors that the kernel loads "
                        "already hold some");
    return &w->shown;
}

/* ---- origins ---- */

static bool is_own(const Watch *w, Span span) { return span.source == w->kernel->place.source; }

static uint32_t origin_add(Program *p, const Op *op, tern_finding_kind kind, int lane,
                           const uint64_t *operands, uint64_t result) {
    Watch *w = p->launch->watch;
    bool is_full = w->num_origins == MOST_ORIGINS;
    for (int i = w->num_origins; i > 0 && (is_full || !operands); i--) {
        Origin *known = &w->origins[i - 1];
        if (known->op != op || known->kind != kind) continue;
        known->is_shared = true;
        return (uint32_t)i;
    }
    if (is_full) return 0;
    Origin *origin = &w->origins[w->num_origins++];
    *origin = (Origin){.op = op, .kind = kind, .lane = lane, .result = result};
    if (operands) memcpy(origin->operands, operands, sizeof origin->operands);
    return (uint32_t)w->num_origins;
}

/* The place of an origin in the file of the kernel, where an op of tl.sum is not: then the first
 * op after it that is, or the one that uses it. */
static Span origin_span(const Watch *w, const Origin *origin, Span at) {
    if (is_own(w, origin->op->span)) return origin->op->span;
    return origin->passed ? origin->passed->span : at;
}

static void note_passing(Program *p, const Op *op, uint32_t special) {
    Watch *w = p->launch->watch;
    if (!special) return;
    Origin *origin = &w->origins[special - 1];
    if (!origin->passed && is_own(w, op->span)) origin->passed = op;
}

/* ---- words ---- */

static void say_value(const Type *type, uint64_t bits, char *text, size_t size) {
    if (type_is_float(type)) {
        double number = constant_to_double(type, bits);
        snprintf(text, size, isnan(number) ? "nan" : "%.9g", number);
    } else
        snprintf(text, size, "%lld", (long long)constant_to_int(type, bits));
}

static void say_sum(const Origin *origin, char *text, size_t size) {
    static const struct {
        OpKind kind;
        const char *sign;
    } signs[] = {{OP_FADD, "+"}, {OP_FSUB, "-"}, {OP_FMUL, "*"}, {OP_FDIV, "/"}};
    const Op *op = origin->op;
    char values[3][40] = {"", "", ""}, result[40];
    for (int i = 0; i < op->num_operands && i < 3; i++)
        say_value(type_lane(op->operands[i]->type), origin->operands[i], values[i],
                  sizeof values[i]);
    say_value(type_lane(op_result(op)->type), origin->result, result, sizeof result);
    for (int i = 0; i < COUNT(signs); i++)
        if (signs[i].kind == op->kind && !origin->is_shared) {
            snprintf(text, size, "%s %s %s = %s", values[0], signs[i].sign, values[1], result);
            return;
        }
    if (origin->is_shared) {
        snprintf(text, size, "%s makes %s", op_info(op->kind)->name, result);
        return;
    }
    int used = snprintf(text, size, "%s(", op_info(op->kind)->name);
    for (int i = 0; i < op->num_operands && i < 3 && op->kind != OP_DOT; i++)
        used += snprintf(text + used, size - (size_t)used, "%s%s", i ? ", " : "", values[i]);
    snprintf(text + used, size - (size_t)used, "%s) = %s", op->kind == OP_DOT ? ".." : "", result);
}

static void say_origin(Program *p, const Origin *origin, const char *what, Span at) {
    Watch *w = p->launch->watch;
    Finding *found = finding_add(&w->findings, origin->kind, origin_span(w, origin, at));
    int line = span_line(at);
    char lane[128];
    if (!found) return;
    if (origin->kind == TERN_FOUND_UNDEFINED)
        snprintf(found->text, sizeof found->text,
                 "a lane that the mask of this load leaves out has no value, for want of other=, "
                 "and %s in line %d",
                 what, line);
    else {
        char sum[200];
        say_sum(origin, sum, sizeof sum);
        snprintf(found->text, sizeof found->text, "%s%s%.*s, which %s in line %d", sum,
                 is_own(w, origin->op->span) || !origin->op->span.source ? "" : " in ",
                 is_own(w, origin->op->span) || !origin->op->span.source
                     ? 0
                     : origin->op->span.source->name.length,
                 origin->op->span.source ? origin->op->span.source->name.data : "", what, line);
    }
    program_say_program(p, found->where, 120);
    lane_words(p, op_result(origin->op)->type, origin->lane, lane, sizeof lane);
    if (!origin->is_shared) strcat(found->where, lane);
}

/* ---- marks through ops ---- */

static tern_finding_kind special_kind(const Type *type, uint64_t bits) {
    double number = constant_to_double(type, bits);
    return isnan(number) ? TERN_FOUND_NAN : isinf(number) ? TERN_FOUND_INFINITY : TERN_NOT_CHECKED;
}

/* The operand that a select took; else -1. */
static int taken(const Op *op, const uint64_t *bits) {
    return op->kind == OP_SELECT ? (bits[0] & 1 ? 1 : 2) : -1;
}

/* a & 0, a * 0 and a | 1 do not depend on a. */
static bool decides_alone(const Op *op, const Type *type, uint64_t bits) {
    if (op->kind == OP_AND || op->kind == OP_MUL) return bits == 0;
    return op->kind == OP_OR && type_is_bool(type) && (bits & 1);
}

static uint32_t merged_undefined(const Op *op, const uint64_t *bits, const uint64_t *marks) {
    int only = taken(op, bits);
    uint32_t undefined = 0;
    for (int i = 0; i < op->num_operands; i++) {
        uint32_t own = mark_undefined(marks[i]);
        if (only >= 0 && i != only && i != 0) continue;
        if (!own && decides_alone(op, type_lane(op->operands[i]->type), bits[i])) return 0;
        if (own && !undefined) undefined = own;
    }
    return undefined;
}

static uint32_t merged_special(Program *p, const Op *op, int lane, const uint64_t *bits,
                               const uint64_t *marks, uint64_t result) {
    const Type *type = type_lane(op_result(op)->type);
    tern_finding_kind kind = special_kind(type, result);
    int only = taken(op, bits), infinite = -1;
    if (kind == TERN_NOT_CHECKED) return 0;
    for (int i = 0; i < op->num_operands; i++) {
        const Type *from = type_lane(op->operands[i]->type);
        if ((only >= 0 && i != only) || !type_is_float(from)) continue;
        tern_finding_kind was = special_kind(from, bits[i]);
        if (was == TERN_FOUND_NAN) return mark_special(marks[i]);
        if (was == TERN_FOUND_INFINITY) infinite = i;
    }
    if (kind == TERN_FOUND_INFINITY && infinite >= 0) return mark_special(marks[infinite]);
    return origin_add(p, op, kind, lane, bits, result);
}

bool watch_lanes(Program *p, const Op *op, Lanes *out) {
    const Lanes *in[3] = {0};
    bool any = false, is_float = type_is_float(op_result(op)->type);
    for (int i = 0; i < op->num_operands; i++) {
        in[i] = operand(p, op, i);
        any |= in[i]->marks != NULL;
    }
    if (!any && !is_float) return true;
    for (int i = 0; i < out->count; i++) {
        uint64_t bits[3] = {0}, marks[3] = {0}, result = lane_get(out, i);
        for (int k = 0; k < op->num_operands; k++) {
            bits[k] = lane_of(in[k], i);
            marks[k] = mark_get(in[k], i);
        }
        uint32_t undefined = any ? merged_undefined(op, bits, marks) : 0;
        uint32_t special = is_float ? merged_special(p, op, i, bits, marks, result) : 0;
        note_passing(p, op, special);
        if (!mark_set(p, out, i, mark_of(undefined, special))) return false;
    }
    return true;
}

/* The first mark in a row of a, a column of b: element (m, n) of a product is of all of these. */
static uint64_t line_mark(const Lanes *lanes, int first, int step, int count, bool undefined) {
    for (int i = 0; i < count; i++) {
        uint64_t mark = mark_get(lanes, first + i * step);
        if (undefined ? mark_undefined(mark) : mark_special(mark)) return mark;
    }
    return 0;
}

bool watch_dot(Program *p, const Op *op, Lanes *out) {
    const Lanes *a = lanes_of(p, dot_a(op)), *b = lanes_of(p, dot_b(op)),
                *acc = lanes_of(p, dot_acc(op));
    const Type *a_type = dot_a(op)->type, *type = op_result(op)->type;
    int rank = a_type->rank, rows = a_type->shape[rank - 2], depth = a_type->shape[rank - 1],
        columns = type->shape[rank - 1];
    bool any = a->marks || b->marks || acc->marks, is_float = type_is_float(type);
    for (int i = 0; i < out->count && (any || is_float); i++) {
        int batch = i / (rows * columns), row = i / columns % rows, column = i % columns;
        uint64_t result = lane_get(out, i), start = lane_get(acc, i);
        uint32_t undefined = mark_undefined(mark_get(acc, i)), special = 0;
        int of_a = (batch * rows + row) * depth, of_b = batch * depth * columns + column;
        if (!undefined) undefined = mark_undefined(line_mark(a, of_a, 1, depth, true));
        if (!undefined) undefined = mark_undefined(line_mark(b, of_b, columns, depth, true));
        tern_finding_kind kind =
            is_float ? special_kind(type_lane(type), result) : TERN_NOT_CHECKED;
        if (kind) {
            special = mark_special(mark_get(acc, i));
            if (!special) special = mark_special(line_mark(a, of_a, 1, depth, false));
            if (!special) special = mark_special(line_mark(b, of_b, columns, depth, false));
            bool was = special_kind(type_lane(type), start) != TERN_NOT_CHECKED;
            if (!special && !was && !p->launch->watch->given_special)
                special = origin_add(p, op, kind, i, NULL, result);
        }
        note_passing(p, op, special);
        if (!mark_set(p, out, i, mark_of(undefined, special))) return false;
    }
    return true;
}

/* ---- marks in and out of memory ---- */

static bool is_on(const Lanes *mask, int i) { return !mask || (lane_get(mask, i) & 1); }

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* How many sectors the lanes lie in, however they are given to threads, and how many their distinct
 * elements would fill. */
static void count_sectors(AccessCount *access, const Lanes *pointers, const Lanes *mask) {
    int size = type_size_bytes(type_lane(access_pointer(access->op)->type)->elem), count = 0;
    uint64_t *addresses = malloc((size_t)pointers->count * sizeof *addresses);
    if (!addresses) return;
    for (int i = 0; i < pointers->count; i++)
        if (is_on(mask, i)) addresses[count++] = lane_get(pointers, i);
    uint64_t elements = 0, sectors = 0;
    if (count >= LEAST_LANES) {
        qsort(addresses, (size_t)count, sizeof *addresses, by_number);
        for (int i = 0; i < count; i++) {
            uint64_t before = i ? addresses[i - 1] : 0;
            elements += !i || addresses[i] != before;
            sectors += !i || addresses[i] / SECTOR_BYTES != before / SECTOR_BYTES;
        }
    }
    if (elements >= LEAST_LANES) {
        access->sectors += sectors;
        access->needed += (elements * (uint64_t)size + SECTOR_BYTES - 1) / SECTOR_BYTES;
    }
    free(addresses);
}

static void count_access(Program *p, const Op *op, const Lanes *pointers, const Lanes *mask) {
    Watch *w = p->launch->watch;
    const int *memory = p->launch->loaded->memory; /* of the program: on a GPU it lies otherwise */
    uintptr_t number = (uintptr_t)map_get_pointer(&w->by_op, op);
    if (!number) return;
    AccessCount *access = &w->accesses.data[number - 1];
    for (int i = 0; mask && i < pointers->count; i++)
        *(is_on(mask, i) ? &access->on : &access->off) += 1;
    bool is_own = memory && memory[access_pointer(op)->id];
    if (!is_own && access->looks < MOST_LOOKS && pointers->count >= LEAST_LANES) {
        access->looks++;
        count_sectors(access, pointers, mask);
    }
}

bool watch_load(Program *p, const Op *op, const Lanes *pointers, const Lanes *mask,
                const Lanes *other, Lanes *out) {
    Watch *w = p->launch->watch;
    const Type *type = type_lane(access_pointer(op)->type)->elem;
    count_access(p, op, pointers, mask);
    for (int i = 0; i < out->count; i++) {
        bool on = is_on(mask, i);
        uint64_t mark = on || !other ? 0 : mark_get(other, i);
        if (on && type_is_float(type) && special_kind(type, lane_get(out, i)))
            w->given_special = true;
        if (!on && !other && op->num_results)
            mark = mark_of(origin_add(p, op, TERN_FOUND_UNDEFINED, i, NULL, 0), 0);
        if (!mark_set(p, out, i, mark)) return false;
    }
    return true;
}

/* The store or atomic that a marked lane is an operand of. */
void watch_written(Program *p, const Op *op, const Lanes *values, const Lanes *mask) {
    Watch *w = p->launch->watch;
    const Lanes *pointers = lanes_of(p, access_pointer(op));
    const char *what = op->kind == OP_STORE ? "is stored" : "goes into the atomic";
    count_access(p, op, pointers, mask);
    if (!values->marks) return;
    for (int i = 0; i < pointers->count; i++) {
        uint64_t mark = mark_get(values, i);
        if (!mark || !is_on(mask, i)) continue;
        if (mark_undefined(mark))
            say_origin(p, &w->origins[mark_undefined(mark) - 1], what, op->span);
        else if (!w->given_special)
            say_origin(p, &w->origins[mark_special(mark) - 1], what, op->span);
    }
}

void watch_decides(Program *p, const Op *op, const Lanes *lanes, int lane, const char *what) {
    Watch *w = p->launch->watch;
    uint32_t undefined = mark_undefined(mark_get(lanes, lane));
    if (w && undefined) say_origin(p, &w->origins[undefined - 1], what, op->span);
}

void watch_wrapped(Program *p, const Op *op, int lane, int64_t missed, const Op *wrapped) {
    Finding *found = finding_add(&p->launch->watch->findings, TERN_FOUND_OVERFLOW, op->span);
    char words[128];
    if (!found) return;
    snprintf(
        found->text, sizeof found->text,
        "the offset of this %s does not fit its int and wrapped (the first to: %s in line %d): "
        "it goes %lld elements %s where it should",
        op_info(op->kind)->name, op_info(wrapped->kind)->name, span_line(wrapped->span),
        (long long)(missed < 0 ? -missed : missed), missed < 0 ? "past" : "before");
    program_say_program(p, found->where, 120);
    lane_words(p, access_pointer(op)->type, lane, words, sizeof words);
    strcat(found->where, words);
}
