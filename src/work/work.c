// SPDX-License-Identifier: Apache-2.0
/* work: each program is evaluated as far as loop bounds and masks go; nothing is loaded and no lane
 * is computed. Where a pointer points and how the lanes of an index are spaced, facts say (opt.h).
 * What is known of a value, besides, is
 *
 *     a number   of its first lane, or of all of them       pid * 256, n
 *     a box      of a mask: in each dimension an interval of lanes that are on       offsets < n
 *
 * An `and` of masks is the intersection of boxes, so that the usual masks (one prefix a dimension)
 * are counted exactly and in time that does not depend on the lanes. What a mask that is no box
 * lets through counts as all lanes, and the result then says "at most".
 *
 * A floating-point operation: add, subtract, multiply, divide, minimum, maximum, each math function
 * 1; fma 2; dot 2 * M * N * K; reductions what their combine does; comparisons, selections,
 * conversions, rounding to whole numbers, sign changes 0. All lanes count, masked ones too: they
 * are computed. */
#include "work/work.h"
#include "ir/ir.h"
#include "opt/opt.h"

typedef enum KnownKind { UNKNOWN, FIRST, ALL, BOX } KnownKind;

typedef struct Known {
    KnownKind kind;          /* FIRST: number is the first lane's; ALL: each lane's */
    int64_t number;          /* sign-extended */
    int64_t first[MAX_RANK]; /* BOX */
    int64_t end[MAX_RANK];   /* BOX: after the last lane */
} Known;

typedef struct Counter {
    const Func *fn;
    const Facts *facts;
    const uint32_t *grid;
    const uint64_t *args;
    uint32_t program[3];
    Known *known;            /* by value id */
    const int64_t **numbers; /* by value id: into known, where there is one */
    Known *moving;           /* values on their way from a yield to arguments */
    Work *work;
    int64_t budget; /* ops that may still be evaluated */
    const char *why;
} Counter;

enum { BUDGET = 40000000 }; /* about a second */

static const Known nothing = {.kind = UNKNOWN};

static const Known *of(const Counter *c, const Value *value) { return &c->known[value->id]; }

static void know(Counter *c, const Value *value, Known known) {
    Known *to = &c->known[value->id];
    *to = known;
    c->numbers[value->id] = known.kind == FIRST || known.kind == ALL ? &to->number : NULL;
}

static Known number(int64_t value) { return (Known){.kind = ALL, .number = value}; }

/* What may be carried out of a region: of an index that counts along its lanes, the first one. */
static Known carried(Counter *c, const Value *value) {
    const Known *known = of(c, value);
    const Linear *form = facts_linear(c->facts, value);
    LinearNumbers numbers;
    if (known->kind != UNKNOWN || !type_is_int(value->type) || !form ||
        !linear_eval(form, value->type, c->numbers, &numbers))
        return *known;
    return (Known){.kind = FIRST, .number = numbers.first};
}

/* ---- boxes ---- */

static Known box_all(const Type *type, bool all) {
    Known r = {.kind = BOX};
    for (int d = 0; d < type->rank; d++) r.end[d] = all ? type->shape[d] : 0;
    return r;
}

static bool box_is_empty(const Known *k, const Type *type) {
    for (int d = 0; d < type->rank; d++)
        if (k->first[d] >= k->end[d]) return true;
    return false;
}

static uint64_t box_lanes(const Known *k, const Type *type) {
    uint64_t lanes = 1;
    for (int d = 0; d < type->rank; d++)
        lanes *= k->end[d] > k->first[d] ? (uint64_t)(k->end[d] - k->first[d]) : 0;
    return lanes;
}

static Known box_both(const Known *x, const Known *y, const Type *type) {
    Known r = {.kind = BOX};
    for (int d = 0; d < type->rank; d++) {
        r.first[d] = x->first[d] > y->first[d] ? x->first[d] : y->first[d];
        r.end[d] = x->end[d] < y->end[d] ? x->end[d] : y->end[d];
    }
    return r;
}

/* ---- ops: each gives what is known of the first result ---- */

/* Any op on ints that are the same in all lanes: by its definition. */
static Known eval_numbers(Counter *c, const Op *op) {
    const Type *type = op_result(op)->type;
    uint64_t in[3] = {0}, out = 0;
    for (int i = 0; i < op->num_operands; i++) {
        const Type *operand = op->operands[i]->type;
        if (of(c, op->operands[i])->kind != ALL || !type_is_int(operand)) return nothing;
        in[i] = (uint64_t)of(c, op->operands[i])->number;
        if (type_bits(operand) < 64) in[i] &= ((uint64_t)1 << type_bits(operand)) - 1;
    }
    if (!eval_lane(op, in, &out)) return nothing;
    if (type_is_bool(type)) return type->rank ? box_all(type, out & 1) : number(out & 1);
    return number(constant_to_int(type_lane(type), out));
}

static Known eval_broadcast(const Op *op, const Known *x) {
    const Type *from = op->operands[0]->type, *to = op_result(op)->type;
    if (x->kind != BOX) return *x;
    if (box_is_empty(x, from)) return box_all(to, false);
    Known r = *x;
    for (int d = 0; d < to->rank; d++)
        if (from->shape[d] != to->shape[d]) r.first[d] = 0, r.end[d] = to->shape[d];
    return r;
}

static Known eval_expand_dims(const Op *op, const Known *x) {
    const Type *to = op_result(op)->type;
    Known r = *x;
    int axis = (int)expand_dims_axis(op);
    if (x->kind != BOX) return r;
    for (int d = to->rank - 1; d > axis; d--)
        r.first[d] = x->first[d - 1], r.end[d] = x->end[d - 1];
    r.first[axis] = 0, r.end[axis] = box_is_empty(x, op->operands[0]->type) ? 0 : 1;
    return r;
}

static Known eval_reshape(const Op *op, const Known *x) {
    const Type *from = op->operands[0]->type, *to = op_result(op)->type;
    if (x->kind != BOX) return *x;
    if (to->rank && box_lanes(x, from) == (uint64_t)from->lanes) return box_all(to, true);
    return to->rank && box_is_empty(x, from) ? box_all(to, false) : nothing;
}

static Known eval_trans(const Op *op, const Known *x) {
    Known r = *x;
    Ints order = trans_order(op);
    for (int d = 0; d < order.count && x->kind == BOX; d++) {
        int64_t from = order.data[d];
        r.first[d] = x->first[from], r.end[d] = x->end[from];
    }
    return r;
}

static Known eval_splat(const Op *op, const Known *x) {
    const Type *type = op_result(op)->type;
    return type_is_bool(type) && x->kind == ALL ? box_all(type, x->number & 1) : *x;
}

static Known eval_and(const Op *op, const Known *x, const Known *y) {
    const Type *type = op_result(op)->type;
    if (x->kind == BOX && y->kind == BOX) return box_both(x, y, type);
    if (x->kind == BOX && box_is_empty(x, type)) return *x;
    return y->kind == BOX && box_is_empty(y, type) ? *y : nothing;
}

static Known eval_or(const Op *op, const Known *x, const Known *y) {
    const Type *type = op_result(op)->type;
    uint64_t all = (uint64_t)type->lanes;
    if (x->kind != BOX || y->kind != BOX) return nothing;
    if (box_is_empty(x, type) || box_lanes(y, type) == all) return *y;
    return box_is_empty(y, type) || box_lanes(x, type) == all ? *x : nothing;
}

/* The lanes i in [0, size) with base + stride * i < 0; stride is not 0. */
static void below_zero(int64_t base, int64_t stride, int64_t size, int64_t *first, int64_t *end) {
    *first = 0, *end = size;
    if (stride > 0) {
        int64_t last = base < 0 ? (-base - 1) / stride : -1; /* that is below zero */
        if (last < size) *end = last + 1;
    } else {
        int64_t last = base < 0 ? -1 : -(base / stride); /* that is not */
        *first = last < size ? last + 1 : size;
    }
}

/* a - b < 0 as a box; more than one dimension may not matter. */
static Known negative_lanes(const LinearNumbers *a, const LinearNumbers *b, bool or_equal,
                            const Type *type) {
    int64_t base, stride[MAX_RANK];
    int only = -1;
    if (__builtin_sub_overflow(a->first, b->first, &base) ||
        __builtin_sub_overflow(base, (int64_t)or_equal, &base) || base == INT64_MIN)
        return nothing;
    for (int d = 0; d < type->rank; d++) {
        if (__builtin_sub_overflow(a->stride[d], b->stride[d], &stride[d])) return nothing;
        if (!stride[d] || type->shape[d] == 1) continue;
        if (only >= 0) return nothing;
        only = d;
    }
    if (only < 0) return box_all(type, base < 0);
    Known r = box_all(type, true);
    below_zero(base, stride[only], type->shape[only], &r.first[only], &r.end[only]);
    return r;
}

static bool numbers_of(Counter *c, const Value *value, bool is_unsigned, LinearNumbers *result) {
    const Linear *form = facts_linear(c->facts, value);
    const Type *type = value->type;
    if (of(c, value)->kind == ALL)
        *result = (LinearNumbers){.first = of(c, value)->number};
    else if (!form || !linear_eval(form, type, c->numbers, result))
        return false;
    int64_t low = result->first;
    for (int d = 0; d < type->rank; d++)
        if (result->stride[d] < 0) low += result->stride[d] * (type->shape[d] - 1);
    return !is_unsigned || low >= 0;
}

static Known eval_icmp(Counter *c, const Op *op) {
    int64_t p = icmp_predicate(op);
    bool is_unsigned = p == ICMP_ULT || p == ICMP_ULE || p == ICMP_UGT || p == ICMP_UGE;
    bool or_equal = p == ICMP_SLE || p == ICMP_ULE || p == ICMP_SGE || p == ICMP_UGE;
    bool swap = p == ICMP_SGT || p == ICMP_UGT || p == ICMP_SGE || p == ICMP_UGE;
    LinearNumbers x, y;
    Known same = eval_numbers(c, op);
    if (same.kind != UNKNOWN || p == ICMP_EQ || p == ICMP_NE || !type_is_int(op->operands[0]->type))
        return same;
    if (!numbers_of(c, op->operands[0], is_unsigned, &x) ||
        !numbers_of(c, op->operands[1], is_unsigned, &y))
        return nothing;
    const Type *type = op_result(op)->type;
    return swap ? negative_lanes(&y, &x, or_equal, type) : negative_lanes(&x, &y, or_equal, type);
}

static Known eval_select(Counter *c, const Op *op) {
    const Known *condition = of(c, select_condition(op)), *x = of(c, select_a(op)),
                *y = of(c, select_b(op));
    const Type *type = select_condition(op)->type;
    if (condition->kind == ALL) return condition->number ? *x : *y;
    if (condition->kind != BOX) return nothing;
    if (box_lanes(condition, type) == (uint64_t)type->lanes) return *x;
    return box_is_empty(condition, type) ? *y : nothing;
}

static Known eval_same(const Op *op, const Known *x) {
    (void)op;
    return *x;
}

typedef Known EvaluateShape(const Op *op, const Known *x);
static EvaluateShape *const shapes[NUM_OP_KINDS] = {
    [OP_SPLAT] = eval_splat,
    [OP_BROADCAST] = eval_broadcast,
    [OP_EXPAND_DIMS] = eval_expand_dims,
    [OP_RESHAPE] = eval_reshape,
    [OP_TRANS] = eval_trans,
    [OP_CONVERT] = eval_same,
    [OP_HINT] = eval_same,
};

static Known evaluate(Counter *c, const Op *op) {
    const Type *type = op_result(op)->type;
    bool is_mask = type_is_bool(type) && type->rank;
    int64_t constant;
    if (!type_is_int(type)) return nothing;
    if (value_is_int(op_result(op), &constant))
        return is_mask ? box_all(type, constant & 1) : number(constant);
    if (op->kind == OP_PROGRAM_ID) return number(c->program[grid_axis(op)]);
    if (op->kind == OP_NUM_PROGRAMS) return number(c->grid[grid_axis(op)]);
    if (op->kind == OP_ARANGE) return (Known){.kind = FIRST, .number = arange_start(op)};
    if (op->kind == OP_ICMP) return eval_icmp(c, op);
    if (op->kind == OP_SELECT) return eval_select(c, op);
    if (shapes[op->kind]) return shapes[op->kind](op, of(c, op->operands[0]));
    if (is_mask && op->kind == OP_AND)
        return eval_and(op, of(c, op->operands[0]), of(c, op->operands[1]));
    if (is_mask && op->kind == OP_OR)
        return eval_or(op, of(c, op->operands[0]), of(c, op->operands[1]));
    return op_has_trait(op, ELEMENTWISE) ? eval_numbers(c, op) : nothing;
}

/* ---- counting ---- */

static uint64_t flops_of(OpKind kind) {
    TypeRule rule = op_info(kind)->rule;
    return rule == RULE_FLOAT3 ? 2 : rule == RULE_FLOAT2 || rule == RULE_MATH1;
}

static uint64_t flops_inside(const Region *region) {
    uint64_t flops = 0;
    for (const Op *op = region->first; op; op = op->next) flops += flops_of(op->kind);
    return flops;
}

static uint64_t flops_count(const Op *op) {
    const Type *type = op->num_results ? op_result(op)->type : NULL;
    if (op->kind == OP_DOT) {
        const Type *a = dot_a(op)->type;
        return 2 * (uint64_t)type->lanes * (uint64_t)a->shape[a->rank - 1];
    }
    if (op->kind == OP_REDUCE || op->kind == OP_SCAN) {
        const Type *from = op->operands[0]->type;
        int axis = fold_axis(op);
        uint64_t combines = (uint64_t)(from->lanes - from->lanes / from->shape[axis]);
        return combines * flops_inside(op->regions[0]);
    }
    return type ? flops_of(op->kind) * (uint64_t)type->lanes : 0;
}

static void count_access(Counter *c, const Op *op) {
    const Value *pointer = access_pointer(op), *mask = access_mask(op),
                *base = facts_base(c->facts, pointer);
    uint64_t lanes = (uint64_t)pointer->type->lanes;
    if (base && base->def) return; /* memory of the program */
    if (mask) {
        const Known *let = of(c, mask);
        if (let->kind == BOX)
            lanes = box_lanes(let, mask->type);
        else if (let->kind == ALL)
            lanes = let->number ? lanes : 0;
        else
            c->work->bytes_exact = false;
    }
    uint64_t bytes = lanes * (uint64_t)type_size_bytes(type_lane(pointer->type)->elem);
    int param = base ? base->index : c->fn->num_params;
    if (op->kind != OP_STORE) c->work->by_param[param].loaded += bytes;
    if (op->kind != OP_LOAD) c->work->by_param[param].stored += bytes;
}

/* ---- structure ---- */

static bool count_region(Counter *c, const Region *region);

static bool refuse(Counter *c, const char *why) {
    c->why = why;
    return false;
}

/* The values of a yield may be each other's arguments: all are read before one is written. */
static void carry(Counter *c, Value *const *to, Value *const *from, int count) {
    for (int i = 0; i < count; i++) c->moving[i] = carried(c, from[i]);
    for (int i = 0; i < count; i++) know(c, to[i], c->moving[i]);
}

static void results(Counter *c, const Op *op, Value *const *from) {
    for (int i = 0; i < op->num_results; i++) know(c, &op->results[i], carried(c, from[i]));
}

static bool count_for(Counter *c, const Op *op) {
    const Known *lower = of(c, for_lower(op)), *upper = of(c, for_upper(op)),
                *by = of(c, for_step(op));
    const Region *body = for_body(op);
    int count = for_count(op);
    if (lower->kind != ALL || upper->kind != ALL || by->kind != ALL)
        return refuse(c, "how often a loop runs depends on what was loaded");
    int64_t at = lower->number, end = upper->number, step = by->number;
    if (step == 0 || (for_unsigned(op) && (at < 0 || end < 0 || step < 0)))
        return refuse(c, "a loop without end");
    carry(c, body->args + 1, op->operands + FOR_BOUNDS, count);
    bool is_up = step > 0;
    for (; is_up ? at < end : at > end; at += step) {
        know(c, for_index(op), number(at));
        if (!count_region(c, body)) return false;
        carry(c, body->args + 1, region_yield(body)->operands, count);
        if (is_up ? at > INT64_MAX - step : at < INT64_MIN - step) break;
    }
    results(c, op, body->args + 1);
    return true;
}

static bool count_if(Counter *c, const Op *op) {
    const Known *condition = of(c, if_condition(op));
    if (condition->kind == ALL) {
        const Region *taken = op->regions[condition->number ? 0 : 1];
        if (!count_region(c, taken)) return false;
        results(c, op, region_yield(taken)->operands);
        return true;
    }
    c->work->bytes_exact = c->work->flops_exact = false; /* both arms: more than will happen */
    if (!count_region(c, op->regions[0]) || !count_region(c, op->regions[1])) return false;
    for (int i = 0; i < op->num_results; i++) know(c, &op->results[i], nothing);
    return true;
}

static bool count_while(Counter *c, const Op *op) {
    const Region *test = while_test(op), *body = while_body(op);
    carry(c, test->args, op->operands, op->num_operands);
    for (;;) {
        if (!count_region(c, test)) return false;
        const Op *yield = region_yield(test);
        const Known *go = of(c, while_condition(op));
        if (go->kind != ALL) return refuse(c, "how often a loop runs depends on what was loaded");
        if (!go->number) {
            results(c, op, yield->operands + 1);
            return true;
        }
        carry(c, body->args, yield->operands + 1, yield->num_operands - 1);
        if (!count_region(c, body)) return false;
        yield = region_yield(body);
        carry(c, test->args, yield->operands, yield->num_operands);
    }
}

static bool count_op(Counter *c, const Op *op) {
    if (op->kind == OP_FOR) return count_for(c, op);
    if (op->kind == OP_IF) return count_if(c, op);
    if (op->kind == OP_WHILE) return count_while(c, op);
    c->work->flops += flops_count(op);
    bool is_load = op->kind == OP_LOAD,
         is_atomic = op->kind == OP_ATOMIC_RMW || op->kind == OP_ATOMIC_CAS;
    if (is_load || is_atomic || op->kind == OP_STORE) count_access(c, op);
    if (op->kind == OP_INLINE_ASM) c->work->flops_exact = false;
    if (op->num_results == 1) know(c, op_result(op), evaluate(c, op));
    return true;
}

static bool count_region(Counter *c, const Region *region) {
    for (const Op *op = region->first; op; op = op->next) {
        if (--c->budget < 0) return refuse(c, "there is too much to count");
        if (!count_op(c, op)) return false;
    }
    return true;
}

static void set_params(Counter *c) {
    for (int i = 0; i < c->fn->num_params; i++) {
        const Param *param = &c->fn->params[i];
        const Type *type = param->value->type;
        if (type_is_int(type)) know(c, param->value, number(constant_to_int(type, c->args[i])));
    }
}

const char *work_count(Arena *arena, const Func *fn, const uint32_t grid[3], const uint64_t *args,
                       Work *work) {
    *work = (Work){.by_param = arena_array(arena, WorkBytes, fn->num_params + 1),
                   .bytes_exact = true,
                   .flops_exact = true};
    Counter c = {.fn = fn,
                 .grid = grid,
                 .args = args,
                 .work = work,
                 .budget = BUDGET,
                 .facts = facts_compute_linear(arena, fn),
                 .known = arena_array(arena, Known, fn->num_values),
                 .moving = arena_array(arena, Known, fn->num_values),
                 .numbers = arena_array(arena, const int64_t *, fn->num_values)};
    set_params(&c);
    for (c.program[2] = 0; c.program[2] < grid[2]; c.program[2]++)
        for (c.program[1] = 0; c.program[1] < grid[1]; c.program[1]++)
            for (c.program[0] = 0; c.program[0] < grid[0]; c.program[0]++)
                if (!count_region(&c, fn->body)) return c.why;
    return NULL;
}
