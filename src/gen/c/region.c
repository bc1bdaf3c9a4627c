// SPDX-License-Identifier: Apache-2.0
/* region: walks the ops of a region in order. Scalars are written at once; tile ops wait until a
 * root asks for them; roots that can share a loop nest are collected in g->pending.
 *
 * Memory order: a waiting load is stored before a write that may touch what it reads; a pending
 * store is written before a load that may read it. In spread form lanes are threads, of which each
 * has its own order, and only a barrier orders those of two. */
#include "gen/c/abi.h"
#include "gen/c/c.h"

enum {
    LONG_NEST = 300, /* ops: take gcc some 0.1 s */
    LOAD_OPS = 4,    /* that a load counts as */
    OPS_TO_COUNT = 7 /* between two counts of what waits */
};

Str scalar_name(Gen *g, const Value *value) {
    if (value->def && value->def->kind == OP_CONSTANT)
        return constant_text(g, value->type, constant_bits(value->def));
    return text(g, "v%d", value->id);
}

int op_line(const Op *op) {
    int row = 0, column = 0;
    if (op->span.source) source_position(op->span.source, op->span.start, &row, &column);
    return row;
}

static void line_comment(Gen *g, const Op *op) {
    int row = op_line(op);
    if (row == 0 || row == g->last_line) return;
    g->last_line = row;
    Str source = source_line(op->span.source, row);
    while (source.length && (*source.data == ' ' || *source.data == '\t'))
        source.data++, source.length--;
    Buf clean = {.arena = g->arena};
    for (int i = 0; i < source.length && i < 100; i++) {
        char c = source.data[i];
        bool odd = c < ' ' || c == 127 || (c == '/' && i > 0 && source.data[i - 1] == '*') ||
                   c == '\\' || (c == '*' && i > 0 && source.data[i - 1] == '/');
        buf_putc(&clean, odd ? ' ' : c);
    }
    line(g, g->out, g->depth, "/* %d: %s */", row, clean.data ? clean.data : "");
}

/* ---- pending roots ---- */

void flush(Gen *g) {
    int count = g->pending.count;
    if (count == 0) return;
    Root *roots = arena_array(g->arena, Root, count);
    for (int i = 0; i < count; i++)
        roots[i] = (Root){.op = g->pending.data[i], .early = early_of(g, g->pending.data[i])};
    g->pending.count = 0;
    line_comment(g, roots[0].op);
    nest_write(g, roots, count);
}

static bool reaches_pending(Gen *g, const Value *value, int stamp) {
    ValueInfo *in = info(g, value);
    if (in->view || in->walk == stamp || !value->def) return false;
    in->walk = stamp;
    for (int i = 0; i < g->pending.count; i++)
        if (g->pending.data[i] == value->def) return true;
    if (!type_is_tile(value->type)) return false;
    for (int i = 0; i < value->def->num_operands; i++)
        if (reaches_pending(g, value->def->operands[i], stamp)) return true;
    return false;
}

static bool op_reaches_pending(Gen *g, const Op *op) {
    if (g->pending.count == 0) return false;
    int stamp = ++g->walk;
    for (int i = 0; i < op->num_operands; i++)
        if (reaches_pending(g, op->operands[i], stamp)) return true;
    return false;
}

void force(Gen *g, Value *value) {
    if (!type_is_tile(value->type) || info(g, value)->view) return;
    if (g->pending.count && reaches_pending(g, value, ++g->walk)) flush(g);
    if (info(g, value)->view) return;
    bool dedicated = false;
    for (int i = 0; i < info(g, value)->users.count; i++)
        dedicated = dedicated || info(g, value)->users.data[i]->kind == OP_YIELD;
    View *view = view_row_major(g, array_new(g, value->type, dedicated), value->type);
    Root root = {.value = value, .view = view, .is_home = true};
    nest_write(g, &root, 1);
    value_store_in(g, value, view);
    if (value->def) set_done(g, value->def);
}

static bool reaches_value(Gen *g, const Value *from, const Value *value, int stamp) {
    if (from == value) return true;
    ValueInfo *in = info(g, from);
    if (in->view || in->walk == stamp || !from->def || !type_is_tile(from->type)) return false;
    in->walk = stamp;
    for (int i = 0; i < from->def->num_operands; i++)
        if (reaches_value(g, from->def->operands[i], value, stamp)) return true;
    return false;
}

/* Ops that a value waits for, its own among them; a load takes as much text as some others. */
static int count_waiting(Gen *g, const Value *value, int stamp) {
    ValueInfo *in = info(g, value);
    if (in->view || in->walk == stamp || !value->def || !type_is_tile(value->type)) return 0;
    in->walk = stamp;
    int count = value->def->kind == OP_LOAD ? LOAD_OPS : 1;
    for (int i = 0; i < value->def->num_operands; i++)
        count += count_waiting(g, value->def->operands[i], stamp);
    return count;
}

/* A nest that grows long is written now: a C compiler takes more than twice as long for one that is
 * twice as long. */
static void cut_nest(Gen *g, Op *op) {
    if (!g->cuts_nests || ++g->num_waiting < LONG_NEST || is_cheap(g, op_result(op))) return;
    g->num_waiting -= OPS_TO_COUNT;
    if (count_waiting(g, op_result(op), ++g->walk) < LONG_NEST) return;
    force(g, op_result(op));
    g->num_waiting = 0;
}

bool are_threads(const Gen *g) { return g->fn->form == FORM_SPREAD; }

static bool load_is_waiting(Gen *g, Op *load) {
    if (is_done(g, load) || info(g, op_result(load))->view) return false;
    return info(g, op_result(load))->users.count > 0;
}

/* Accesses of parameters that are taken to be apart: each launch is asked. `same`: in place they
 * keep their order. */
void take_apart(Gen *g, const Op *from, const Op *to, bool same) {
    const Value *a = facts_base(g->known, access_pointer(from)),
                *b = facts_base(g->known, access_pointer(to));
    if (!g->needs || !a || !b || a == b || a->def || b->def) return;
    needs_add_never_meet(g->needs, a, from, b, to, same);
}

/* Lane by lane the same, if the parameters are. */
static bool are_same_lanes(Gen *g, const Value *from, const Value *to) {
    Disjoint apart = {.a = facts_base(g->known, from), .b = facts_base(g->known, to)};
    return type_is_tile(to->type) && disjoint_same(&apart, from, to) && !apart.num_equal;
}

/* Stores the waiting loads that `writer` might disturb. */
void before_write(Gen *g, const Op *writer) {
    for (int i = 0; i < g->loads.count; i++) {
        Op *load = g->loads.data[i];
        if (!load_is_waiting(g, load)) continue;
        if (writer->kind == OP_STORE) {
            const Value *from = load_pointer(load), *to = store_pointer(writer);
            if (!facts_lane_may_alias(g->known, from, to)) {
                bool fine = are_same_lanes(g, from, to) &&
                            reaches_value(g, store_value(writer), op_result(load), ++g->walk);
                take_apart(g, load, writer, fine);
                continue;
            }
            /* Lane by lane the store itself reads it first. */
            bool by_lanes = from == to || (are_threads(g) && !load_volatile(load));
            if (by_lanes && type_is_tile(to->type) &&
                reaches_value(g, store_value(writer), op_result(load), ++g->walk))
                continue;
        }
        force(g, op_result(load));
    }
}

/* Two stores in one nest: lane by lane they keep their order. */
static bool stores_may_meet(Gen *g, const Op *a, const Op *b) {
    const Value *x = store_pointer(a), *y = store_pointer(b);
    if (are_threads(g)) return false;
    bool may = facts_may_alias(g->known, x, y);
    if (!may) take_apart(g, a, b, are_same_lanes(g, x, y));
    return may;
}

static bool can_share(Gen *g, const Op *op) {
    if (op->kind != OP_STORE && op->kind != OP_REDUCE) return false;
    if (op->kind == OP_REDUCE && !region_single_op(op->regions[0])) return false;
    if (early_of(g, op)) return false;
    for (int i = 0; i < g->pending.count; i++) {
        const Op *other = g->pending.data[i];
        if (early_of(g, other)) return false;
        if (!type_same_shape(other->operands[0]->type, op->operands[0]->type)) return false;
        if (other->kind == OP_STORE && op->kind == OP_STORE && stores_may_meet(g, other, op))
            return false;
    }
    return true;
}

static void add_root(Gen *g, Op *op) {
    bool shares = can_share(g, op);
    if (!shares || op_reaches_pending(g, op)) flush(g);
    vec_push(g->arena, &g->pending, op);
    if (!can_share(g, op) && g->pending.count == 1 && op->kind != OP_STORE) flush(g);
}

/* ---- ops ---- */

void declare_scalar(Gen *g, Value *value, Str expression) {
    info(g, value)->declared = true;
    line(g, g->out, g->depth, "%s v%d = %.*s;", scalar_type(value->type->kind), value->id,
         STR_ARG(expression));
}

static void scalar_memory(Gen *g, Op *op) {
    const Value *has_mask = access_mask(op), *has_value = access_value(op);
    Str pointer = scalar_name(g, access_pointer(op));
    Str mask = has_mask ? scalar_name(g, has_mask) : STR("1");
    Str value = has_value ? scalar_name(g, has_value) : STR("0");
    TypeKind kind = type_lane(access_pointer(op)->type)->elem->kind;
    const char *memory = memory_type(kind, false), *code = kind_code(kind);
    inside_scalar(g, op, pointer, has_mask ? mask : STR(""));
    switch (op->kind) {
    case OP_LOAD: {
        const char *is_volatile = load_volatile(op) ? "volatile " : "";
        Str read = text(g, "*(const %s%s *)%.*s%s", is_volatile, memory, STR_ARG(pointer),
                        kind == TYPE_I1 ? " != 0" : "");
        Str other = load_other(op) ? scalar_name(g, load_other(op)) : STR("0");
        if (has_mask)
            read = text(g, "%.*s ? %.*s : %.*s", STR_ARG(mask), STR_ARG(read), STR_ARG(other));
        declare_scalar(g, op_result(op), read);
        return;
    }
    case OP_STORE:
        line(g, g->out, g->depth, "if (%.*s) *(%s *)%.*s = %.*s;", STR_ARG(mask), memory,
             STR_ARG(pointer), STR_ARG(value));
        return;
    case OP_ATOMIC_RMW:
        declare_scalar(g, op_result(op),
                       text(g, "%.*s ? t_atomic_%s_%s(%.*s, %.*s) : 0", STR_ARG(mask),
                            attr_word(ATTR_RMW, atomic_rmw_kind(op)), code, STR_ARG(pointer),
                            STR_ARG(value)));
        return;
    case OP_ATOMIC_CAS:
        declare_scalar(g, op_result(op),
                       text(g, "%st_atomic_cas_%s(%.*s, %.*s, %.*s)%s",
                            has_mask ? text(g, "%.*s ? ", STR_ARG(mask)).data : "", code,
                            STR_ARG(pointer), STR_ARG(scalar_name(g, atomic_cas_compare(op))),
                            STR_ARG(value), has_mask ? " : 0" : ""));
        return;
    case OP_BARRIER:
    case OP_MEET:
    case OP_STOW:
    case OP_FETCH:
#define OP(kind, ...) case OP_##kind:
#define MEMORY(...)
#include "ir/ops.def"
    case NUM_OP_KINDS: break;
    }
    BUG("'%s' does not access memory", op_info(op->kind)->name);
}

/* As a string of C. */
static Str escaped(Gen *g, Str words) {
    Buf out = {.arena = g->arena};
    buf_puts(&out, "");
    for (int i = 0; i < words.length; i++) buf_printf(&out, "\\%03o", (unsigned char)words.data[i]);
    return buf_str(&out);
}

int new_text(Gen *g, Str words) {
    const int *known = map_get(&g->known_texts, words);
    if (known) return *known;
    int *number = arena_new_of(g->arena, int);
    map_set(&g->known_texts, words, number);
    buf_printf(&g->asserts, "    \"%.*s\",\n", STR_ARG(escaped(g, words)));
    return *number = g->num_asserts++;
}

int new_assert(Gen *g, const Op *op) {
    Str words = assert_text(op);
    if (words.length > 1000) words.length = 1000;
    buf_puts(&g->asserts, "    \"");
    int row = 0, column = 0; /* in the kernel's own file; of another one the line alone */
    if (op->span.source) source_position(op->span.source, op->span.start, &row, &column);
    if (row && op->span.source == g->fn->span.source)
        buf_printf(&g->asserts, "%d:%d:", row, column);
    else if (row)
        buf_printf(&g->asserts, "line %d: ", row);
    buf_printf(&g->asserts, "%.*s\",\n", STR_ARG(escaped(g, words)));
    return g->num_asserts++;
}

/* Where in its array a lane of a stored tile is, at the counters i0, i1 .. */
static Str lane_text(Gen *g, Value *tile) {
    const View *view = info(g, tile)->view;
    Buf at = {.arena = g->arena};
    buf_printf(&at, "a%d[%lld", view->array->id, (long long)view->offset);
    for (int i = 0; i < tile->type->rank; i++)
        buf_printf(&at, " + i%d * %lld", i, (long long)view->strides[i]);
    buf_putc(&at, ']');
    return buf_str(&at);
}

static void write_print(Gen *g, Op *op) {
    Str words = print_text(op);
    if (words.length > 1000) words.length = 1000;
    const char *p = escaped(g, words).data;
    if (op->num_operands == 0)
        line(g, g->out, g->depth, "R->print(R, P, \"%s\", 0, 0, 0, 0, 0);", p);
    for (int k = 0; k < op->num_operands; k++) {
        Value *value = op->operands[k];
        const Type *type = value->type, *lane = type_lane(type);
        bool is_unsigned = print_unsigned_mask(op) >> k & 1;
        int d = g->depth, rank = type->rank;
        int what = (int)lane->kind | (is_unsigned ? PRINT_UNSIGNED : 0) |
                   (print_hex(op) ? PRINT_HEX : 0) |
                   (op->num_operands > 1 ? (k + 1) * PRINT_OPERAND : 0);
        line(g, g->out, d, "{");
        Buf index = {.arena = g->arena};
        for (int i = 0; i < rank; i++) {
            line(g, g->out, d + 1, "for (int i%d = 0; i%d < %d; i%d++)", i, i, type->shape[i], i);
            buf_printf(&index, "%si%d", i ? ", " : "", i);
        }
        for (int i = 0; i < rank; i++) buf_printf(&index, ", %d", type->shape[i]);
        Str x = rank == 0 ? scalar_name(g, value) : lane_text(g, value);
        line(g, g->out, d + 1,
             "{ %s x = %.*s; int at[] = {%s}; UL bits = 0; __builtin_memcpy(&bits, &x, sizeof x); "
             "R->print(R, P, \"%s\", %d, at, %d, %d, bits); }",
             scalar_type(lane->kind), STR_ARG(x), rank ? index.data : "0", p, rank, what,
             type_size_bytes(lane));
        line(g, g->out, d, "}");
    }
}

/* Of each lane that its mask has, all values at once. */
static void write_printf(Gen *g, Op *op) {
    Value *mask = op->num_operands ? op->operands[op->num_operands - 1] : NULL;
    if (mask && !type_is_tile(mask->type)) mask = NULL;
    int count = op->num_operands - (mask != NULL), rank = mask ? mask->type->rank : 0;
    Str format = escaped(g, printf_text(op));
    line(g, g->out, g->depth, "{");
    for (int i = 0; i < rank; i++)
        line(g, g->out, g->depth + 1, "for (int i%d = 0; i%d < %d; i%d++)", i, i,
             mask->type->shape[i], i);
    line(g, g->out, g->depth + 1, "%s{",
         mask ? text(g, "if (%.*s) ", STR_ARG(lane_text(g, mask))).data : "");
    line(g, g->out, g->depth + 2, "UL x[%d] = {0};", count + 1);
    for (int k = 0; k < count; k++) {
        Value *value = op->operands[k];
        Str lane = mask ? lane_text(g, value) : scalar_name(g, value);
        line(g, g->out, g->depth + 2, "%s x%d = %.*s; __builtin_memcpy(&x[%d], &x%d, sizeof x%d);",
             scalar_type(type_lane(value->type)->kind), k, STR_ARG(lane), k, k, k);
    }
    line(g, g->out, g->depth + 2, "R->print_format(R, \"%.*s\", x);", STR_ARG(format));
    line(g, g->out, g->depth + 1, "}");
    line(g, g->out, g->depth, "}");
}

static void write_histogram(Gen *g, Op *op) {
    Value *data = histogram_source(op), *r = op_result(op);
    force(g, data);
    if (histogram_mask(op)) force(g, histogram_mask(op));
    View *view = view_row_major(g, array_new(g, r->type, false), r->type);
    const View *from = info(g, data)->view,
               *mask = histogram_mask(op) ? info(g, histogram_mask(op))->view : NULL;
    int bins = r->type->lanes, d = g->depth;
    line(g, g->out, d, "for (int i = 0; i < %d; i++) a%d[i] = 0;", bins, view->array->id);
    line(g, g->out, d, "for (int i = 0; i < %d; i++) {", data->type->lanes);
    line(g, g->out, d + 1, "L x = a%d[%lld + i * %lld];", from->array->id, (long long)from->offset,
         (long long)from->strides[0]);
    Str on = mask ? text(g, " && a%d[%lld + i * %lld]", mask->array->id, (long long)mask->offset,
                         (long long)mask->strides[0])
                  : STR("");
    line(g, g->out, d + 1, "if (x >= 0 && x < %d%.*s) a%d[x]++;", bins, STR_ARG(on),
         view->array->id);
    line(g, g->out, d, "}");
    value_store_in(g, r, view);
}

View *row_major(Gen *g, Value *tile) {
    force(g, tile);
    View *view = info(g, tile)->view;
    if (view_is_row_major(view, tile->type)) return view;
    View *copy = view_row_major(g, array_new(g, tile->type, true), tile->type);
    Root root = {.value = tile, .view = copy};
    nest_write(g, &root, 1);
    return copy;
}

static void write_reshape(Gen *g, Op *op) {
    Value *a = op->operands[0], *r = op_result(op);
    if (!type_is_tile(r->type)) { /* a tile of one lane -> scalar */
        force(g, a);
        declare_scalar(
            g, r,
            text(g, "a%d[%lld]", info(g, a)->view->array->id, (long long)info(g, a)->view->offset));
        set_done(g, op);
        return;
    }
    if (!type_is_tile(a->type)) return; /* a scalar read as a tile: see nest.c */
    if (is_cheap_kind(op)) return;
    value_store_in(g, r, view_row_major(g, row_major(g, a)->array, r->type));
    set_done(g, op);
}

/* A permutation takes lanes by their number in the tile, so they lie in a row. */
static void permute_operand(Gen *g, Value *tile) {
    View *view = row_major(g, tile);
    if (view != info(g, tile)->view) value_store_in(g, tile, view);
}

static void write_join_split(Gen *g, Op *op) {
    if (op->kind == OP_JOIN) {
        Value *r = op_result(op), *a = op->operands[0];
        Array *array = array_new(g, r->type, false);
        for (int k = 0; k < 2; k++) {
            View *whole = view_row_major(g, array, r->type), *half = arena_new_of(g->arena, View);
            half->array = array, half->offset = k;
            for (int d = 0; d < a->type->rank; d++) half->strides[d] = whole->strides[d];
            if (!type_is_tile(a->type)) {
                Str x = scalar_name(g, op->operands[k]);
                line(g, g->out, g->depth, "a%d[%d] = %.*s;", array->id, k, STR_ARG(x));
                continue;
            }
            Root root = {.value = op->operands[k], .view = half};
            if (reaches_pending(g, op->operands[k], ++g->walk)) flush(g);
            nest_write(g, &root, 1);
        }
        value_store_in(g, r, view_row_major(g, array, r->type));
    } else {
        Value *a = op->operands[0];
        force(g, a);
        View *from = info(g, a)->view;
        for (int k = 0; k < 2; k++) {
            Value *r = &op->results[k];
            int64_t offset = from->offset + k * from->strides[a->type->rank - 1];
            if (!type_is_tile(r->type)) {
                declare_scalar(g, r, text(g, "a%d[%lld]", from->array->id, (long long)offset));
                continue;
            }
            View *half = arena_new_of(g->arena, View);
            *half = *from, half->offset = offset;
            value_store_in(g, r, half);
        }
    }
    set_done(g, op);
}

static bool has_tile(const Op *op) {
    for (int i = 0; i < op->num_operands; i++)
        if (type_is_tile(op->operands[i]->type)) return true;
    for (int i = 0; i < op->num_results; i++)
        if (type_is_tile(op->results[i].type)) return true;
    return false;
}

static void pending_before_load(Gen *g, const Op *load) {
    for (int i = 0; i < g->pending.count; i++) {
        const Op *other = g->pending.data[i];
        if (other->kind != OP_STORE) continue;
        if (facts_lane_may_alias(g->known, store_pointer(other), load_pointer(load))) {
            flush(g);
            return;
        }
        take_apart(g, other, load, false);
    }
}

/* Where memory of the program lies in the worker's scratch. */
static Str memory_text(Gen *g, const Op *op) {
    long long offset = scratch_take(g, alloc_bytes(op) + alloc_align(op), true);
    return text(g, "((UL)S + %lld + %d) & ~%dULL", offset, (int)alloc_align(op) - 1,
                (int)alloc_align(op) - 1);
}

void scalar_op_write(Gen *g, Op *op) {
    Str x[3];
    switch (op->kind) {
    case OP_CONSTANT:
    case OP_ASSUME:
    case OP_BARRIER: return;
    case OP_POISON: declare_scalar(g, op_result(op), STR("0")); return;
    case OP_FENCE: line(g, g->out, g->depth, "__atomic_thread_fence(__ATOMIC_SEQ_CST);"); return;
    case OP_PROGRAM_ID: declare_scalar(g, op_result(op), text(g, "P[%d]", grid_axis(op))); return;
    case OP_NUM_PROGRAMS:
        declare_scalar(g, op_result(op), text(g, "P[%d]", 3 + grid_axis(op)));
        return;
    case OP_LOAD:
    case OP_STORE:
    case OP_ATOMIC_RMW:
    case OP_ATOMIC_CAS: scalar_memory(g, op); return;
    case OP_ASSERT: {
        Str c = scalar_name(g, assert_condition(op)),
            m = assert_mask(op) ? scalar_name(g, assert_mask(op)) : STR("1");
        if (assert_always(op)) { /* exported kernels have no texts */
            line(g, g->out, g->depth, "if (!%.*s) return R->fail(R, KERNEL_ALIGNED, %d);",
                 STR_ARG(c), op_line(op));
            return;
        }
        line(g, g->out, g->depth, "if (!%.*s && %.*s) return R->fail_assert(R, %d, P, 0, 0);",
             STR_ARG(c), STR_ARG(m), new_assert(g, op));
        return;
    }
    case OP_CLOCK:
        declare_scalar(g, op_result(op),
                       str_is(clock_kind(op), "smid") ? STR("0") : text(g, "R->clock(R)"));
        return;
#define LANE(kind, ...) case OP_##kind:
#include "ir/ops.def"
        for (int i = 0; i < op->num_operands; i++) x[i] = scalar_name(g, op->operands[i]);
        declare_scalar(g, op_result(op), op_text(g, op, false, x));
        return;
    case OP_ALLOC:
        declare_scalar(g, op_result(op), memory_text(g, op));
        if (g->depth == 1) vec_push(g->arena, &g->allocs, op);
        return;
    case OP_ARANGE:
    case OP_RANK:
    case OP_MEET:
    case OP_STOW:
    case OP_FETCH:
    case OP_PRINT:
    case OP_PRINTF:
    case OP_INLINE_ASM:
#define SHAPE(kind, ...)   case OP_##kind:
#define THREAD(kind, ...)  case OP_##kind:
#define ACROSS(kind, ...)  case OP_##kind:
#define ASYNC(kind, ...)   case OP_##kind:
#define CONTROL(kind, ...) case OP_##kind:
#include "ir/ops.def"
    case NUM_OP_KINDS: break;
    }
    diag_refused(g->diag, op->span, "the cpu target does not support '%s' here",
                 op_info(op->kind)->name);
}

static void tile_op_write(Gen *g, Op *op) {
    switch (op->kind) {
    case OP_LOAD:
        pending_before_load(g, op);
        vec_push(g->arena, &g->loads, op);
        if (load_volatile(op)) force(g, op_result(op));
        return;
    case OP_STORE: before_write(g, op), add_root(g, op); return;
    case OP_ATOMIC_RMW:
    case OP_ATOMIC_CAS: before_write(g, op), add_root(g, op); return;
    case OP_REDUCE:
    case OP_SCAN:
    case OP_ASSERT: add_root(g, op); return;
    case OP_DOT:
        flush(g);
        dot_write(g, op);
        return;
    case OP_RESHAPE: write_reshape(g, op); return;
    case OP_JOIN:
    case OP_SPLIT: write_join_split(g, op); return;
#define PERMUTE(kind, ...) case OP_##kind:
#include "ir/ops.def"
        permute_operand(g, op->operands[0]);
        return;
    case OP_GATHER: force(g, op->operands[0]); return;
    case OP_HISTOGRAM:
        write_histogram(g, op);
        set_done(g, op);
        return;
    case OP_PRINT:
    case OP_PRINTF:
        flush(g);
        for (int i = 0; i < op->num_operands; i++) force(g, op->operands[i]);
        if (op->kind == OP_PRINT)
            write_print(g, op);
        else
            write_printf(g, op);
        set_done(g, op);
        return;
    case OP_SPLAT:
    case OP_BROADCAST:
    case OP_EXPAND_DIMS:
    case OP_TRANS:
#define LEAF(kind, ...) case OP_##kind:
#include "ir/ops.def"
        return; /* waits for a root */
#define LANE(kind, ...) case OP_##kind:
#include "ir/ops.def"
        cut_nest(g, op);
        return; /* so does this */
    case OP_CONVERT:
    case OP_BARRIER:
    case OP_MEET:
    case OP_STOW:
    case OP_FETCH:
    case OP_ASSUME:
    case OP_CLOCK:
    case OP_INLINE_ASM:
#define ASYNC(kind, ...)   case OP_##kind:
#define THREAD(kind, ...)  case OP_##kind:
#define CONTROL(kind, ...) case OP_##kind:
#include "ir/ops.def"
    case OP_ALLOC:
    case OP_FENCE:
    case NUM_OP_KINDS:
        diag_refused(g->diag, op->span, "the cpu target does not support '%s'",
                     op_info(op->kind)->name);
    }
}

static void op_write(Gen *g, Op *op) {
    if (op->kind == OP_INLINE_ASM) {
        assembly_write(g, op);
        return;
    }
    if (op->kind == OP_IF || op->kind == OP_FOR || op->kind == OP_WHILE) {
        flush(g);
        control_write(g, op);
        set_done(g, op);
        return;
    }
    if (has_tile(op) || op->kind == OP_PRINT || op->kind == OP_PRINTF) {
        tile_op_write(g, op);
        return;
    }
    if (is_done(g, op)) return; /* early */
    bool memory = op_has_trait(op, READS) || op_has_trait(op, WRITES);
    if (memory || op_reaches_pending(g, op)) flush(g);
    if (op_has_trait(op, WRITES) && op->kind != OP_ASSUME && op->kind != OP_ASSERT &&
        op->kind != OP_CLOCK && (op->kind != OP_BARRIER || are_threads(g)))
        before_write(g, op);
    if (op->kind != OP_CONSTANT) line_comment(g, op);
    scalar_op_write(g, op);
    set_done(g, op);
}

/* ---- regions ---- */

/* What waits outside waits behind it, too: the region may be that of a reduction in a nest. */
void region_write(Gen *g, Region *region) {
    Waiting roots = g->pending, loads = g->loads;
    g->pending = g->loads = (Waiting){0};
    int from = g->arrays.count;
    for (Op *op = region->first; op && op->kind != OP_YIELD; op = op->next) {
        op_write(g, op);
        arrays_release(g, from);
        if (diag_failed(g->diag)) return;
    }
    flush(g);
    g->pending = roots, g->loads = loads;
}

static bool is_within(const Op *op, const Region *region) {
    for (const Region *at = op->parent; at; at = at->owner ? at->owner->parent : NULL)
        if (at == region) return true;
    return false;
}

/* A cheap value from outside that was stored in the region is not stored on other paths. */
static void forget_stored(Gen *g, const Array *array, const Region *region) {
    for (int i = 0; i < array->values.count; i++) {
        Value *value = array->values.data[i];
        if (!value->def || is_within(value->def, region)) continue;
        info(g, value)->view = NULL;
        map_set_pointer(&g->done, value->def, NULL);
    }
}

void region_end(Gen *g, Region *region, int arrays_from) {
    if (region->last) set_done(g, region->last);
    int used = g->used.count;
    while (used > 0 && g->used.data[used - 1] >= arrays_from) used--;
    for (int i = used; i < g->used.count; i++) {
        const Array *array = g->arrays.data[g->used.data[i]];
        vec_push(g->arena, &g->free_blocks, (FreeBlock){array->offset, array->bytes});
    }
    for (int i = arrays_from; i < g->arrays.count; i++) forget_stored(g, g->arrays.data[i], region);
    g->used.count = used, g->arrays.count = arrays_from;
}
