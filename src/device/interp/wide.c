// SPDX-License-Identifier: Apache-2.0
/* wide: what offsets would be if no integer were too small for them.
 *
 *     i = pid * 65536          int32: wraps from program 32768 on
 *     load x + i               far before x, and nothing says why
 *
 * Lanes that wrapped carry their true value beside them, from the op in which it happened through
 * additions, products, casts, loops and moves to the address; only there it is known whether it
 * matters: a sum may wrap and come back, a hash wraps on purpose and goes through a remainder. Of
 * all else no true value is kept: what comes from a division or from memory is what it is. */
#include "device/interp/interp.h"

/* ---- which ops go into an address ---- */

static bool may_wrap(const Op *op) {
    return op->kind == OP_ADD || op->kind == OP_SUB || op->kind == OP_MUL || op->kind == OP_SHL;
}

static bool hands_on(const Op *op) {
    return may_wrap(op) || op->kind == OP_EXT_S || op->kind == OP_EXT_U || op->kind == OP_TRUNC ||
           op->kind == OP_SELECT || op->kind == OP_MIN_S || op->kind == OP_MAX_S;
}

static bool moves(const Op *op) {
    static const bool known[NUM_OP_KINDS] = {
#define SHAPE(kind, ...) [OP_##kind] = true,
#include "ir/ops.def"
        [OP_HINT] = true,
    };
    return known[op->kind];
}

typedef VEC(const Value *) Values;

typedef struct Tracer {
    Arena *arena;
    bool *offsets;
    Values todo;
} Tracer;

static void trace(Tracer *t, const Value *value) {
    if (!value || t->offsets[value->id]) return;
    t->offsets[value->id] = true;
    vec_push(t->arena, &t->todo, value);
}

/* What flows into the index-th value that a loop carries, or that an `if` gives. */
static void trace_carried(Tracer *t, const Op *op, int index) {
    int first = op->kind == OP_FOR ? FOR_BOUNDS : op->kind == OP_WHILE ? 0 : -1;
    if (first >= 0 && first + index < op->num_operands) trace(t, op->operands[first + index]);
    for (int i = 0; i < op->num_regions; i++) {
        const Op *yield = op->regions[i]->last;
        int at = index + (op->kind == OP_WHILE && i == 0); /* behind the condition */
        if (yield && at < yield->num_operands) trace(t, yield->operands[at]);
    }
}

static void trace_on(Tracer *t, const Value *value) {
    const Op *op = value->def;
    if (!op) {
        const Op *owner = value->region->owner;
        int index = value->index - (owner && owner->kind == OP_FOR);
        if (owner && (owner->kind == OP_FOR || owner->kind == OP_WHILE) && index >= 0)
            trace_carried(t, owner, index);
    } else if (op->kind == OP_IF || op->kind == OP_FOR || op->kind == OP_WHILE)
        trace_carried(t, op, value->index);
    else if (hands_on(op) || moves(op))
        for (int i = 0; i < op->num_operands; i++) trace(t, op->operands[i]);
}

static void trace_region(Tracer *t, const Region *region) {
    for (const Op *op = region->first; op; op = op->next) {
        if (op->kind == OP_ADDPTR) trace(t, addptr_offset(op));
        for (int i = 0; i < op->num_regions; i++) trace_region(t, op->regions[i]);
    }
}

void wide_note(Arena *arena, Loaded *loaded) {
    const Func *fn = loaded->kernel->ir;
    Tracer t = {.arena = arena, .offsets = arena_array(arena, bool, fn->num_values + 1)};
    trace_region(&t, fn->body);
    for (int i = 0; i < t.todo.count; i++) trace_on(&t, t.todo.data[i]);
    loaded->offsets = t.offsets;
}

/* ---- true values ---- */

static int64_t plain(const Lanes *lanes, const Type *type, int i) {
    return constant_to_int(type, lane_of(lanes, i));
}

static int64_t truth(const Lanes *lanes, const Type *type, int i) {
    if (!lanes->wide) return plain(lanes, type, i);
    return (int64_t)lane_of(lanes->wide, i);
}

/* A value of which the high bit is one may be meant unsigned: then zero-extending it is right. */
static int64_t truth_extended(const Lanes *lanes, const Type *type, int i) {
    int64_t known = truth(lanes, type, i), bits = (int64_t)lane_of(lanes, i);
    return known == plain(lanes, type, i) ? bits : known;
}

/* False: not in 64 bits either. */
static bool true_result(const Op *op, Lanes *const *in, int i, int64_t *result) {
    const Type *type = type_lane(op->operands[op->num_operands - 1]->type);
    int64_t a = op->kind == OP_SELECT ? 0 : truth(in[0], type, i);
    int64_t b = truth(in[op->num_operands - 1], type, i);
    *result = a;
    if (op->kind == OP_ADD) return !__builtin_add_overflow(a, b, result);
    if (op->kind == OP_SUB) return !__builtin_sub_overflow(a, b, result);
    if (op->kind == OP_MUL) return !__builtin_mul_overflow(a, b, result);
    if (op->kind == OP_SHL)
        return b >= 0 && b < 62 && !__builtin_mul_overflow(a, (int64_t)1 << b, result);
    if (op->kind == OP_EXT_U) *result = truth_extended(in[0], type, i);
    if (op->kind == OP_MIN_S && b < a) *result = b;
    if (op->kind == OP_MAX_S && b > a) *result = b;
    if (op->kind == OP_SELECT) *result = lane_of(in[0], i) & 1 ? truth(in[1], type, i) : b;
    return true;
}

#define ANY_WRAPPED(EXPRESSION)                                                                    \
    for (int i = 0; i < out->count; i++) {                                                         \
        int64_t x = as[i * da], y = bs[i * db], r = (EXPRESSION);                                  \
        wrapped |= r != (int32_t)r;                                                                \
    }

/* Of int32 operands that are all true: whether a lane's result is not, by one loop over numbers. */
static bool any_wrapped(const Op *op, Lanes *const *in, const Lanes *out) {
    const int32_t *as = (const int32_t *)(const void *)in[0]->data,
                  *bs = (const int32_t *)(const void *)in[1]->data;
    int da = in[0]->count > 1, db = in[1]->count > 1;
    bool wrapped = false;
    if (out->size != 4 || op->kind == OP_SHL) return true; /* to be looked at */
    if (op->kind == OP_ADD) ANY_WRAPPED(x + y)
    if (op->kind == OP_SUB) ANY_WRAPPED(x - y)
    if (op->kind == OP_MUL) ANY_WRAPPED(x * y)
    return wrapped;
}

static const Op *wrapped_in(const Lanes *lanes, int i) {
    uint64_t address = lanes->wide ? lane_of(lanes->wide->marks, i) : 0;
    return (const Op *)(uintptr_t)address;
}

/* Where lane i of op's result began to be wrong: before op, if an operand that it takes was. */
static const Op *wrapped_first(const Op *op, Lanes *const *in, int i) {
    int left_out = op->kind != OP_SELECT ? -1 : lane_of(in[0], i) & 1 ? 2 : 1;
    for (int k = 0; k < op->num_operands; k++)
        if (k != left_out && wrapped_in(in[k], i)) return wrapped_in(in[k], i);
    return op;
}

/* The true values of a tile that gets some: at first what it is. */
static Lanes *wide_new(Program *p, const Lanes *lanes, const Type *type) {
    Lanes *wide = lanes_new(p, lanes->count, 8);
    Lanes *marks = wide ? lanes_new(p, lanes->count, 8) : NULL;
    if (!marks) return NULL;
    memset(marks->data, 0, (size_t)marks->count * 8);
    for (int i = 0; i < lanes->count; i++) lane_set(wide, i, (uint64_t)plain(lanes, type, i));
    wide->marks = marks;
    return wide;
}

bool wide_check(Program *p, const Op *op, Lanes *out) {
    const Type *type = type_lane(op_result(op)->type);
    if (!hands_on(op) || !type_is_int(type) || type_is_bool(type)) return true;
    Lanes *in[3] = {0}, *wide = NULL;
    bool any_wide = false;
    for (int i = 0; i < op->num_operands; i++) {
        in[i] = operand(p, op, i);
        any_wide |= in[i]->wide != NULL;
    }
    if (!any_wide && (!may_wrap(op) || out->size == 8 || !any_wrapped(op, in, out))) return true;
    for (int i = 0; i < out->count; i++) {
        int64_t now = constant_to_int(type, lane_get(out, i)), value;
        if (!true_result(op, in, i, &value) || value == now) continue;
        if (!wide && !(wide = out->wide = wide_new(p, out, type))) return false;
        lane_set(wide, i, (uint64_t)value);
        lane_set(wide->marks, i, (uint64_t)(uintptr_t)wrapped_first(op, in, i));
    }
    return true;
}

bool wide_addptr(Program *p, const Op *op, Lanes *out) {
    const Lanes *pointers = operand(p, op, 0), *offsets = operand(p, op, 1);
    const Type *type = type_lane(addptr_offset(op)->type);
    int64_t size = type_size_bytes(type_lane(op_result(op)->type)->elem);
    if (!(out->wide = wide_new(p, out, type_lane(op_result(op)->type)))) return false;
    for (int i = 0; i < out->count; i++) {
        const Op *wrapped =
            wrapped_in(pointers, i) ? wrapped_in(pointers, i) : wrapped_in(offsets, i);
        uint64_t base = lane_of(pointers->wide ? pointers->wide : pointers, i);
        lane_set(out->wide, i, base + (uint64_t)truth(offsets, type, i) * (uint64_t)size);
        lane_set(out->wide->marks, i, (uint64_t)(uintptr_t)wrapped);
    }
    return true;
}

int64_t wide_missed(const Lanes *pointers, int lane, int size, const Op **wrapped) {
    if (!pointers->wide) return 0;
    *wrapped = wrapped_in(pointers, lane);
    return (int64_t)(lane_get(pointers->wide, lane) - lane_get(pointers, lane)) / size;
}
