// SPDX-License-Identifier: Apache-2.0
/* work: each program is evaluated as far as addresses' origins, masks and loop bounds go; nothing
 * is loaded and no lane is computed. What is known of a value is
 *
 *     ints      base + sum over dimensions of stride * index          pid * 256 + arange
 *     masks     a box: in each dimension an interval of lanes         offsets < n
 *     pointers  which parameter they come from
 *
 * An `and` of masks is the intersection of boxes, so that the usual masks (one prefix a dimension)
 * are counted exactly and in time that does not depend on the lanes. What a mask that is no box
 * lets through counts as all lanes, and the result then says "at most".
 *
 * A floating-point operation: add, subtract, multiply, divide, minimum, maximum, each math function
 * 1; fma 2; dot 2 * M * N * K; reductions what their combine does; comparisons, selections,
 * conversions, rounding to whole numbers, sign changes 0. All lanes count, masked ones too: they are computed. */
#include "work/work.h"
#include "ir/ir.h"

typedef enum KnownKind { UNKNOWN, INTEGER, BOX, POINTER } KnownKind;

typedef struct Known {
    KnownKind kind;
    int param;           /* POINTER */
    int64_t base;        /* INTEGER; sign-extended */
    int64_t a[MAX_RANK]; /* INTEGER: strides; BOX: first lane */
    int64_t b[MAX_RANK]; /* BOX: after the last lane */
} Known;

typedef struct Counter {
    const Func *fn;
    const uint32_t *grid;
    const uint64_t *args;
    uint32_t program[3];
    Known *known; /* by value id */
    Work *work;
    int64_t budget; /* ops that may still be evaluated */
    const char *why;
} Counter;

enum { BUDGET = 40000000 }; /* about a second */

static const Known nothing = {.kind = UNKNOWN};

static Known *of(Counter *c, const Value *value) { return &c->known[value->id]; }

/* ---- ints ---- */

static bool is_uniform(const Known *k, const Type *type) {
    if (k->kind != INTEGER) return false;
    for (int d = 0; d < type->rank; d++)
        if (k->a[d] && type->shape[d] > 1) return false;
    return true;
}

static int64_t wrap(int64_t value, int bits) {
    if (bits >= 64) return value;
    uint64_t low = (uint64_t)value << (64 - bits);
    return (int64_t)low >> (64 - bits);
}

/* The least and greatest lane; false: they leave the type, or 2^61. */
static bool bounds(const Known *k, const Type *type, int64_t *low, int64_t *high) {
    const int64_t far = (int64_t)1 << 61;
    if (k->base > far || k->base < -far) return false;
    *low = *high = k->base;
    for (int d = 0; d < type->rank; d++) {
        if (k->a[d] > far / MAX_LANES / MAX_RANK || k->a[d] < -far / MAX_LANES / MAX_RANK)
            return false;
        int64_t reach = k->a[d] * (type->shape[d] - 1);
        if (reach < 0)
            *low += reach;
        else
            *high += reach;
    }
    int bits = type_bits(type);
    return bits >= 64 || (*low >= -((int64_t)1 << (bits - 1)) && *high < (int64_t)1 << (bits - 1));
}

/* As it is if no lane wraps around; a uniform one wraps. */
static Known settled(Known k, const Type *type) {
    int64_t low, high;
    if (type_is_bool(type))
        k.base &= 1;
    else if (is_uniform(&k, type))
        k.base = wrap(k.base, type_bits(type));
    else if (!bounds(&k, type, &low, &high))
        return nothing;
    return k;
}

static Known linear(const Known *x, const Known *y, int64_t sign) {
    Known r = {.kind = INTEGER,
               .base = (int64_t)((uint64_t)x->base + (uint64_t)y->base * (uint64_t)sign)};
    for (int d = 0; d < MAX_RANK; d++)
        r.a[d] = (int64_t)((uint64_t)x->a[d] + (uint64_t)y->a[d] * (uint64_t)sign);
    return r;
}

static Known scaled(const Known *x, int64_t by) {
    Known r = {.kind = INTEGER, .base = (int64_t)((uint64_t)x->base * (uint64_t)by)};
    for (int d = 0; d < MAX_RANK; d++) r.a[d] = (int64_t)((uint64_t)x->a[d] * (uint64_t)by);
    return r;
}

/* ---- boxes ---- */

static Known box_all(const Type *type, bool all) {
    Known r = {.kind = BOX};
    for (int d = 0; d < type->rank; d++) r.b[d] = all ? type->shape[d] : 0;
    return r;
}

static bool box_is_empty(const Known *k, const Type *type) {
    for (int d = 0; d < type->rank; d++)
        if (k->a[d] >= k->b[d]) return true;
    return false;
}

static uint64_t box_lanes(const Known *k, const Type *type) {
    uint64_t lanes = 1;
    for (int d = 0; d < type->rank; d++)
        lanes *= k->b[d] > k->a[d] ? (uint64_t)(k->b[d] - k->a[d]) : 0;
    return lanes;
}

static Known box_both(const Known *x, const Known *y, const Type *type) {
    Known r = {.kind = BOX};
    for (int d = 0; d < type->rank; d++) {
        r.a[d] = x->a[d] > y->a[d] ? x->a[d] : y->a[d];
        r.b[d] = x->b[d] < y->b[d] ? x->b[d] : y->b[d];
    }
    return r;
}

/* ---- ops: each gives what is known of the first result ---- */

typedef Known Evaluate(Counter *c, const Op *op, const Known *x, const Known *y);

static Known eval_constant(Counter *c, const Op *op, const Known *x, const Known *y) {
    (void)c, (void)x, (void)y;
    const Type *type = op_result(op)->type;
    if (!type_is_int(type)) return nothing;
    if (type_is_bool(type) && type->rank) return box_all(type, constant_bits(op) & 1);
    return (Known){.kind = INTEGER,
                   .base = type_is_bool(type)
                               ? (int64_t)(constant_bits(op) & 1)
                               : constant_to_int(type_lane(type), constant_bits(op))};
}

static Known eval_arange(Counter *c, const Op *op, const Known *x, const Known *y) {
    (void)c, (void)x, (void)y;
    return (Known){.kind = INTEGER, .base = arange_start(op), .a = {1}};
}

static Known eval_program_id(Counter *c, const Op *op, const Known *x, const Known *y) {
    (void)x, (void)y;
    return (Known){.kind = INTEGER, .base = c->program[grid_axis(op)]};
}

static Known eval_num_programs(Counter *c, const Op *op, const Known *x, const Known *y) {
    (void)x, (void)y;
    return (Known){.kind = INTEGER, .base = c->grid[grid_axis(op)]};
}

static Known eval_splat(Counter *c, const Op *op, const Known *x, const Known *y) {
    (void)c, (void)y;
    const Type *type = op_result(op)->type;
    return type_is_bool(type) && x->kind == INTEGER ? box_all(type, x->base) : *x;
}

static Known eval_broadcast(Counter *c, const Op *op, const Known *x, const Known *y) {
    (void)c, (void)y;
    const Type *from = op->operands[0]->type, *to = op_result(op)->type;
    if (x->kind == BOX && box_is_empty(x, from)) return box_all(to, false);
    Known r = *x;
    for (int d = 0; d < to->rank; d++) {
        if (from->shape[d] == to->shape[d]) continue;
        if (x->kind == BOX) r.a[d] = 0, r.b[d] = to->shape[d];
        if (x->kind == INTEGER) r.a[d] = 0;
    }
    return r;
}

static Known eval_expand_dims(Counter *c, const Op *op, const Known *x, const Known *y) {
    (void)c, (void)y;
    const Type *to = op_result(op)->type;
    Known r = *x;
    int axis = (int)expand_dims_axis(op);
    for (int d = to->rank - 1; d > axis; d--) r.a[d] = x->a[d - 1], r.b[d] = x->b[d - 1];
    bool empty = x->kind == BOX && box_is_empty(x, op->operands[0]->type);
    r.a[axis] = 0, r.b[axis] = empty ? 0 : 1;
    return r;
}

static Known eval_reshape(Counter *c, const Op *op, const Known *x, const Known *y) {
    (void)c, (void)y;
    const Type *from = op->operands[0]->type, *to = op_result(op)->type;
    if (x->kind == POINTER) return *x;
    if (x->kind == BOX && to->rank && box_lanes(x, from) == (uint64_t)from->lanes)
        return box_all(to, true);
    if (x->kind == BOX && to->rank && box_is_empty(x, from)) return box_all(to, false);
    if (!is_uniform(x, from)) return nothing;
    return (Known){.kind = INTEGER, .base = x->base};
}

static Known eval_trans(Counter *c, const Op *op, const Known *x, const Known *y) {
    (void)c, (void)y;
    Known r = *x;
    for (int d = 0; d < trans_order(op).count; d++) {
        int64_t from = trans_order(op).data[d];
        r.a[d] = x->a[from], r.b[d] = x->b[from];
    }
    return r;
}

static Known eval_same(Counter *c, const Op *op, const Known *x, const Known *y) {
    (void)c, (void)op, (void)y;
    return *x;
}

static Known eval_cast(Counter *c, const Op *op, const Known *x, const Known *y) {
    (void)c, (void)y;
    const Type *from = op->operands[0]->type, *to = op_result(op)->type;
    int64_t low, high;
    if (x->kind != INTEGER || type_is_bool(to)) return nothing;
    if (op->kind == OP_EXT_U && (!bounds(x, from, &low, &high) || low < 0)) return nothing;
    return settled(*x, to);
}

/* Any elementwise op on ints that are the same in all lanes: by its definition. */
static Known eval_uniform(Counter *c, const Op *op, const Known *x, const Known *y) {
    (void)c;
    const Type *type = op_result(op)->type;
    uint64_t in[2] = {(uint64_t)x->base, y ? (uint64_t)y->base : 0}, out = 0;
    for (int i = 0; i < op->num_operands && i < 2; i++) {
        const Type *operand = op->operands[i]->type;
        if (!is_uniform(i ? y : x, operand)) return nothing;
        if (type_bits(operand) < 64) in[i] &= ((uint64_t)1 << type_bits(operand)) - 1;
    }
    if (op->num_operands > 2 || !eval_lane(op, in, &out)) return nothing;
    if (type_is_bool(type))
        return type->rank ? box_all(type, out & 1) : (Known){.kind = INTEGER, .base = out & 1};
    return (Known){.kind = INTEGER, .base = wrap((int64_t)out, type_bits(type))};
}

static Known eval_add(Counter *c, const Op *op, const Known *x, const Known *y) {
    if (x->kind != INTEGER || y->kind != INTEGER) return eval_uniform(c, op, x, y);
    return settled(linear(x, y, op->kind == OP_SUB ? -1 : 1), op_result(op)->type);
}

static Known eval_mul(Counter *c, const Op *op, const Known *x, const Known *y) {
    const Type *type = op_result(op)->type;
    if (is_uniform(x, type) && y->kind == INTEGER) return settled(scaled(y, x->base), type);
    if (is_uniform(y, type) && x->kind == INTEGER) return settled(scaled(x, y->base), type);
    return eval_uniform(c, op, x, y);
}

static Known eval_and(Counter *c, const Op *op, const Known *x, const Known *y) {
    const Type *type = op_result(op)->type;
    if (x->kind == BOX && y->kind == BOX) return box_both(x, y, type);
    if (x->kind == BOX && box_is_empty(x, type)) return *x;
    if (y->kind == BOX && box_is_empty(y, type)) return *y;
    return eval_uniform(c, op, x, y);
}

static Known eval_or(Counter *c, const Op *op, const Known *x, const Known *y) {
    const Type *type = op_result(op)->type;
    if (x->kind == BOX && y->kind == BOX) {
        uint64_t all = (uint64_t)type->lanes;
        if (box_is_empty(x, type) || box_lanes(y, type) == all) return *y;
        if (box_is_empty(y, type) || box_lanes(x, type) == all) return *x;
    }
    return eval_uniform(c, op, x, y);
}

static int64_t floor_div(int64_t a, int64_t b) { /* b > 0 */
    int64_t q = a / b;
    return q * b > a ? q - 1 : q;
}

/* The lanes i in [0, size) with base + stride * i < 0. */
static void below_zero(int64_t base, int64_t stride, int64_t size, int64_t *first, int64_t *end) {
    int64_t count;
    *first = 0, *end = size;
    if (stride > 0) {
        count = base >= 0 ? 0 : floor_div(-base - 1, stride) + 1;
        *end = count < size ? count : size;
    } else if (stride < 0) {
        count = base < 0 ? 0 : floor_div(base, -stride) + 1;
        *first = count < size ? count : size;
    } else if (base >= 0)
        *end = 0;
}

/* difference < 0 as a box; more than one dimension may not matter. */
static Known negative_lanes(const Known *difference, const Type *type) {
    int only = -1;
    for (int d = 0; d < type->rank; d++) {
        if (!difference->a[d] || type->shape[d] == 1) continue;
        if (only >= 0) return nothing;
        only = d;
    }
    if (only < 0) return box_all(type, difference->base < 0);
    Known r = box_all(type, true);
    below_zero(difference->base, difference->a[only], type->shape[only], &r.a[only], &r.b[only]);
    return r;
}

static bool is_unsigned_predicate(int64_t p) {
    return p == ICMP_ULT || p == ICMP_ULE || p == ICMP_UGT || p == ICMP_UGE;
}

static Known eval_icmp(Counter *c, const Op *op, const Known *x, const Known *y) {
    const Type *in = op->operands[0]->type, *type = op_result(op)->type;
    int64_t predicate = icmp_predicate(op), low, high;
    if (x->kind != INTEGER || y->kind != INTEGER) return nothing;
    if (is_uniform(x, in) && is_uniform(y, in)) return eval_uniform(c, op, x, y);
    if (!bounds(x, in, &low, &high) || (is_unsigned_predicate(predicate) && low < 0))
        return nothing;
    if (!bounds(y, in, &low, &high) || (is_unsigned_predicate(predicate) && low < 0))
        return nothing;
    bool swap = predicate == ICMP_SGT || predicate == ICMP_UGT || predicate == ICMP_SGE ||
                predicate == ICMP_UGE;
    bool or_equal = predicate == ICMP_SLE || predicate == ICMP_ULE || predicate == ICMP_SGE ||
                    predicate == ICMP_UGE;
    if (predicate == ICMP_EQ || predicate == ICMP_NE) return nothing;
    Known difference = swap ? linear(y, x, -1) : linear(x, y, -1);
    difference.base -= or_equal;
    return negative_lanes(&difference, type);
}

static Known eval_select(Counter *c, const Op *op, const Known *x, const Known *y) {
    const Known *other = of(c, select_b(op));
    const Type *condition = select_condition(op)->type;
    if (x->kind == INTEGER && !condition->rank) return x->base ? *y : *other;
    if (x->kind == BOX && box_lanes(x, condition) == (uint64_t)condition->lanes) return *y;
    if (x->kind == BOX && box_is_empty(x, condition)) return *other;
    bool same = y->kind == POINTER && other->kind == POINTER && y->param == other->param;
    return same ? *y : nothing;
}

static Evaluate *const evaluates[NUM_OP_KINDS] = {
    [OP_CONSTANT] = eval_constant,
    [OP_ARANGE] = eval_arange,
    [OP_PROGRAM_ID] = eval_program_id,
    [OP_NUM_PROGRAMS] = eval_num_programs,
    [OP_SPLAT] = eval_splat,
    [OP_BROADCAST] = eval_broadcast,
    [OP_EXPAND_DIMS] = eval_expand_dims,
    [OP_RESHAPE] = eval_reshape,
    [OP_TRANS] = eval_trans,
    [OP_HINT] = eval_same,
    [OP_ADDPTR] = eval_same,
    [OP_EXT_S] = eval_cast,
    [OP_EXT_U] = eval_cast,
    [OP_TRUNC] = eval_cast,
    [OP_ADD] = eval_add,
    [OP_SUB] = eval_add,
    [OP_MUL] = eval_mul,
    [OP_AND] = eval_and,
    [OP_OR] = eval_or,
    [OP_ICMP] = eval_icmp,
    [OP_SELECT] = eval_select,
};

static Evaluate *evaluate_of(const Op *op) {
    TypeRule rule = op_info(op->kind)->rule;
    bool is_int = rule == RULE_INT1 || rule == RULE_INT2;
    return evaluates[op->kind] ? evaluates[op->kind] : is_int ? eval_uniform : NULL;
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
    const Value *pointer = access_pointer(op), *mask = access_mask(op);
    const Known *where = of(c, pointer);
    uint64_t lanes = (uint64_t)pointer->type->lanes;
    if (mask) {
        const Known *let = of(c, mask);
        if (let->kind == BOX)
            lanes = box_lanes(let, mask->type);
        else if (let->kind == INTEGER)
            lanes = let->base ? lanes : 0;
        else
            c->work->bytes_exact = false;
    }
    uint64_t bytes = lanes * (uint64_t)type_size_bytes(type_lane(pointer->type)->elem);
    int param = where->kind == POINTER ? where->param : c->fn->num_params;
    if (op->kind != OP_STORE) c->work->by_param[param].loaded += bytes;
    if (op->kind != OP_LOAD) c->work->by_param[param].stored += bytes;
}

/* ---- structure ---- */

static bool count_region(Counter *c, const Region *region);

static bool refuse(Counter *c, const char *why) {
    c->why = why;
    return false;
}

static void assign(Counter *c, Value *const *to, Value *const *from, int count) {
    for (int i = 0; i < count; i++) *of(c, to[i]) = *of(c, from[i]);
}

/* The values of a yield may be each other's arguments: all are read before one is written. */
static void carry(Counter *c, Value *const *to, Value *const *from, int count) {
    Known few[16];
    for (int at = 0; at < count && count <= COUNT(few); at++) few[at] = *of(c, from[at]);
    for (int i = 0; i < count; i++) *of(c, to[i]) = count <= COUNT(few) ? few[i] : nothing;
}

static void results(Counter *c, const Op *op, Value *const *from) {
    for (int i = 0; i < op->num_results; i++) c->known[op->results[i].id] = *of(c, from[i]);
}

static bool count_for(Counter *c, const Op *op) {
    const Known *lower = of(c, for_lower(op)), *upper = of(c, for_upper(op)),
                *by = of(c, for_step(op));
    const Region *body = for_body(op);
    int carried = for_count(op);
    if (lower->kind != INTEGER || upper->kind != INTEGER || by->kind != INTEGER)
        return refuse(c, "how often a loop runs depends on what was loaded");
    int64_t at = lower->base, end = upper->base, step = by->base;
    if (step == 0 || (for_unsigned(op) && (at < 0 || end < 0 || step < 0)))
        return refuse(c, "a loop without end");
    assign(c, body->args + 1, op->operands + FOR_BOUNDS, carried);
    for (; step > 0 ? at < end : at > end; at += step) {
        *of(c, for_index(op)) = (Known){.kind = INTEGER, .base = at};
        if (!count_region(c, body)) return false;
        carry(c, body->args + 1, region_yield(body)->operands, carried);
        if (step > 0 ? at > INT64_MAX - step : at < INT64_MIN - step) break;
    }
    for (int i = 0; i < op->num_results; i++) c->known[op->results[i].id] = *of(c, for_arg(op, i));
    return true;
}

static bool count_if(Counter *c, const Op *op) {
    const Known *condition = of(c, if_condition(op));
    if (condition->kind == INTEGER) {
        const Region *taken = op->regions[condition->base ? 0 : 1];
        if (!count_region(c, taken)) return false;
        results(c, op, region_yield(taken)->operands);
        return true;
    }
    c->work->bytes_exact = c->work->flops_exact = false; /* both arms: more than will happen */
    if (!count_region(c, op->regions[0]) || !count_region(c, op->regions[1])) return false;
    Value *const *x = region_yield(op->regions[0])->operands, *const *y =
                                                                  region_yield(op->regions[1])
                                                                      ->operands;
    for (int i = 0; i < op->num_results; i++) {
        const Known *a = of(c, x[i]), *b = of(c, y[i]);
        bool same = a->kind == POINTER && b->kind == POINTER && a->param == b->param;
        c->known[op->results[i].id] = same ? *a : nothing;
    }
    return true;
}

static bool count_while(Counter *c, const Op *op) {
    const Region *test = while_test(op), *body = while_body(op);
    assign(c, test->args, op->operands, op->num_operands);
    for (;;) {
        if (!count_region(c, test)) return false;
        const Op *yield = region_yield(test);
        const Known *go = of(c, while_condition(op));
        if (go->kind != INTEGER)
            return refuse(c, "how often a loop runs depends on what was loaded");
        if (!go->base) {
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
    for (int i = 0; i < op->num_results; i++) c->known[op->results[i].id] = nothing;
    Evaluate *evaluate = evaluate_of(op);
    if (!evaluate) return true;
    const Known *x = op->num_operands > 0 ? of(c, op->operands[0]) : NULL;
    const Known *y = op->num_operands > 1 ? of(c, op->operands[1]) : NULL;
    c->known[op_result(op)->id] = evaluate(c, op, x, y);
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
        Known k = nothing;
        if (type->kind == TYPE_PTR)
            k = (Known){.kind = POINTER, .param = i};
        else if (type_is_bool(type))
            k = (Known){.kind = INTEGER, .base = (int64_t)(c->args[i] & 1)};
        else if (type_is_int(type))
            k = (Known){.kind = INTEGER, .base = wrap((int64_t)c->args[i], type_bits(type))};
        *of(c, param->value) = k;
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
                 .known = arena_array(arena, Known, fn->num_values + 1)};
    set_params(&c);
    for (c.program[2] = 0; c.program[2] < grid[2]; c.program[2]++)
        for (c.program[1] = 0; c.program[1] < grid[1]; c.program[1]++)
            for (c.program[0] = 0; c.program[0] < grid[0]; c.program[0]++)
                if (!count_region(&c, fn->body)) return c.why;
    return NULL;
}
