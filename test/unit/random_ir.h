// SPDX-License-Identifier: Apache-2.0
/* random_ir: random functions over integers, and a direct evaluator of them. Tests use both to
 * check claims and rewrites against what the IR means.
 *
 * A function's outcome is what its prints show: a list of lanes. The evaluator knows the ops that
 * the generator makes and the ones passes make of them, and nothing else. */
#ifndef TERN_TEST_RANDOM_IR_H
#define TERN_TEST_RANDOM_IR_H

#include "ir/ir.h"
#include "test.h"

/* ---- random numbers: xorshift64* ---- */

static uint64_t random_state = 88172645463325252u;

__attribute__((unused)) static uint64_t random_bits(void) {
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * 2685821657736338717u;
}

static int random_below(int limit) { return (int)(random_bits() >> 33) % limit; }

/* ---- the evaluator ---- */

enum { MOST_LANES = 64, MOST_OUT = 1 << 16 };

typedef struct Evaluator {
    Arena *arena;
    uint64_t **lanes; /* by value id */
    int capacity;
    uint64_t program_id;
    bool wrapped; /* a sum, product or shift of i32, i64 left the signed range */
    bool rem_by_zero;
    void (*check)(struct Evaluator *e,
                  const Value *value); /* may be NULL; called at each definition */
    void *user;
    uint64_t out[MOST_OUT];
    int num_out;
} Evaluator;

static void define_lanes(Evaluator *e, const Value *value, const uint64_t *lanes) {
    e->lanes[value->id] = arena_array(e->arena, uint64_t, value->type->lanes);
    memcpy(e->lanes[value->id], lanes, sizeof *lanes * (size_t)value->type->lanes);
    if (e->check) e->check(e, value);
}

static void index_of(const Type *type, int lane, int *index) {
    for (int i = type->rank - 1; i >= 0; i--) {
        index[i] = lane % type->shape[i];
        lane /= type->shape[i];
    }
}

static int lane_of(const Type *type, const int *index) {
    int lane = 0;
    for (int i = 0; i < type->rank; i++) lane = lane * type->shape[i] + index[i];
    return lane;
}

/* The lane of the operand that lane `lane` of the result of a shape op is. */
static int source_lane(const Op *op, int lane) {
    const Type *to = op->results[0].type, *from = op->operands[0]->type;
    int index[MAX_RANK] = {0}, source[MAX_RANK] = {0};
    index_of(to, lane, index);
    switch ((int)op->kind) {
    case OP_SPLAT: return 0;
    case OP_BROADCAST:
        for (int i = 0; i < from->rank; i++) source[i] = from->shape[i] == 1 ? 0 : index[i];
        return lane_of(from, source);
    case OP_TRANS:
        for (int i = 0; i < from->rank; i++) source[op->attrs[0].ints.data[i]] = index[i];
        return lane_of(from, source);
    default: return lane; /* reshape, expand_dims, hint */
    }
}

static void note_wrap(Evaluator *e, const Op *op, const uint64_t *in) {
    const Type *type = op->operands[0]->type;
    if (!type_is_int(type) || type_bits(type) < 32 || op->num_operands != 2) return;
    int64_t a = constant_to_int(type, in[0]), b = constant_to_int(type, in[1]), r = 0;
    bool overflow = false;
    if (op->kind == OP_REM_S || op->kind == OP_REM_U) e->rem_by_zero |= b == 0;
    if (op->kind == OP_ADD)
        overflow = __builtin_add_overflow(a, b, &r);
    else if (op->kind == OP_SUB)
        overflow = __builtin_sub_overflow(a, b, &r);
    else if (op->kind == OP_MUL)
        overflow = __builtin_mul_overflow(a, b, &r);
    else if (op->kind == OP_SHL)
        overflow = b > 40 || b < 0 || __builtin_mul_overflow(a, (int64_t)1 << b, &r);
    else
        return;
    if (overflow || (type_bits(type) == 32 && r != (int32_t)r)) e->wrapped = true;
}

static void eval_region(Evaluator *e, const Region *region);

static void copy_values(Evaluator *e, Value *const *to, Value *const *from, int count) {
    uint64_t *saved[16];
    for (int i = 0; i < count; i++) saved[i] = e->lanes[from[i]->id];
    for (int i = 0; i < count; i++) define_lanes(e, to[i], saved[i]);
}

static void eval_for(Evaluator *e, const Op *op) {
    Region *body = op->regions[0];
    const Type *type = op->operands[0]->type;
    int64_t bound[3];
    Value *results[16];
    for (int i = 0; i < 3; i++) bound[i] = constant_to_int(type, e->lanes[op->operands[i]->id][0]);
    for (int i = 0; i < op->num_results; i++) results[i] = &op->results[i];
    copy_values(e, body->args + 1, op->operands + 3, op->num_results);
    for (int64_t i = bound[0]; bound[2] > 0 ? i < bound[1] : i > bound[1]; i += bound[2]) {
        uint64_t bits = (uint64_t)i & 0xffffffff;
        define_lanes(e, body->args[0], &bits);
        eval_region(e, body);
        copy_values(e, body->args + 1, region_yield(body)->operands, op->num_results);
    }
    copy_values(e, results, body->args + 1, op->num_results);
}

static void eval_if(Evaluator *e, const Op *op) {
    Value *results[16];
    Region *taken = op->regions[e->lanes[op->operands[0]->id][0] ? 0 : 1];
    for (int i = 0; i < op->num_results; i++) results[i] = &op->results[i];
    eval_region(e, taken);
    copy_values(e, results, region_yield(taken)->operands, op->num_results);
}

static void eval_print(Evaluator *e, const Op *op) {
    for (int i = 0; i < op->num_operands; i++)
        for (int k = 0; k < op->operands[i]->type->lanes && e->num_out < MOST_OUT; k++)
            e->out[e->num_out++] = e->lanes[op->operands[i]->id][k];
}

static void eval_op(Evaluator *e, const Op *op) {
    uint64_t lanes[MOST_LANES], in[3];
    if (op->kind == OP_FOR) eval_for(e, op);
    if (op->kind == OP_IF) eval_if(e, op);
    if (op->kind == OP_PRINT) eval_print(e, op);
    if (op->num_results != 1 || op->num_regions) return;
    const Type *type = op->results[0].type;
    for (int k = 0; k < type->lanes; k++) {
        if (op->kind == OP_CONSTANT)
            lanes[k] = op->attrs[0].bits;
        else if (op->kind == OP_ARANGE)
            lanes[k] = (uint32_t)(op->attrs[0].i + k);
        else if (op->kind == OP_PROGRAM_ID)
            lanes[k] = e->program_id;
        else if (op_has_trait(op, ELEMENTWISE)) {
            for (int i = 0; i < op->num_operands; i++)
                in[i] = e->lanes[op->operands[i]->id][type_is_tile(op->operands[i]->type) ? k : 0];
            note_wrap(e, op, in);
            if (!eval_lane(op, in, &lanes[k])) abort();
        } else
            lanes[k] = e->lanes[op->operands[0]->id][source_lane(op, k)];
    }
    define_lanes(e, &op->results[0], lanes);
}

static void eval_region(Evaluator *e, const Region *region) {
    for (const Op *op = region->first; op; op = op->next) eval_op(e, op);
}

__attribute__((unused)) static void eval_func(Evaluator *e, const Func *fn,
                                              const uint64_t *params) {
    e->lanes = arena_array(e->arena, uint64_t *, fn->num_values);
    e->num_out = 0;
    e->wrapped = e->rem_by_zero = false;
    for (int i = 0; i < fn->num_params; i++) define_lanes(e, fn->params[i].value, &params[i]);
    eval_region(e, fn->body);
}

/* ---- the generator ---- */

typedef struct Generator {
    Func *fn;
    Builder b;
    VEC(Value *) pool; /* values that are visible */
    bool small;        /* keep numbers small, so that sums rarely wrap */
    bool no_sign;      /* no op that looks at the sign of a sum: signed division, extension */
    int depth;
} Generator;

static const Type *shape_type(Generator *g, TypeKind lane, int shape) {
    static const int shapes[][3] = {{0},       {1, 16},   {1, 8},   {2, 4, 8},
                                    {2, 8, 4}, {2, 1, 8}, {2, 4, 1}};
    return type_tile(g->fn->types, type_scalar(lane), shapes[shape][0], &shapes[shape][1]);
}

static const Type *pointer_type(Generator *g) {
    const Type *tile = shape_type(g, TYPE_I32, random_below(7));
    const Type *elem = type_scalar(random_below(4) ? TYPE_F32 : TYPE_I8);
    return type_with_elem(g->fn->types, tile, type_ptr(g->fn->types, elem));
}

static const Type *random_type(Generator *g) {
    if (!g->no_sign && random_below(8) == 0) return pointer_type(g);
    TypeKind lane = random_below(5) ? TYPE_I32 : random_below(2) ? TYPE_I64 : TYPE_I1;
    return shape_type(g, lane, random_below(7));
}

static Value *generate(Generator *g, const Type *type, int depth);

static Value *remember(Generator *g, Value *value) {
    vec_push(g->fn->arena, &g->pool, value);
    return value;
}

static Value *from_pool(Generator *g, const Type *type) {
    int start = g->pool.count ? random_below(g->pool.count) : 0;
    for (int i = 0; i < g->pool.count; i++) {
        Value *value = g->pool.data[(start + i) % g->pool.count];
        if (value->type == type) return value;
    }
    return NULL;
}

static int64_t random_number(Generator *g) {
    static const int numbers[] = {0, 1, 2, 3, 4, 8, 16, 5, 7, 12, 15, 64, -1, -8, 6, 32};
    if (!g->small && random_below(6) == 0) return (int64_t)random_bits();
    return numbers[random_below(COUNT(numbers))];
}

static Value *pointer_leaf(Generator *g, const Type *type) {
    bool is_bytes = type_lane(type)->elem->kind == TYPE_I8;
    Value *param = g->fn->params[is_bytes ? 5 : 4 + 2 * random_below(2)].value;
    return type->rank ? build_splat(&g->b, param, type->rank, type->shape) : param;
}

static Value *leaf(Generator *g, const Type *type) {
    Value *pooled = random_below(3) ? from_pool(g, type) : NULL;
    if (pooled) return pooled;
    if (type_is_ptr(type)) return pointer_leaf(g, type);
    bool is_range = type->rank == 1 && type->elem->kind == TYPE_I32 && random_below(2);
    if (is_range) {
        int start = (int[]){0, 0, 0, 16, 8, 3, -8}[random_below(7)];
        return build_arange(&g->b, start, start + type->lanes);
    }
    if (type->kind == TYPE_I32 && random_below(4) == 0) return build_program_id(&g->b, 0);
    if (type->rank && random_below(2)) {
        Value *scalar = generate(g, type->elem, 0);
        return build_splat(&g->b, scalar, type->rank, type->shape);
    }
    return build_int(&g->b, type, random_number(g));
}

static Value *two_dimensional(Generator *g, const Type *type, int depth) {
    int choice = random_below(3);
    if (choice == 0) { /* x[:, None] or x[None, :], broadcast */
        int axis = random_below(2), keep = 1 - axis;
        const Type *row = type_tile(g->fn->types, type->elem, 1, &type->shape[keep]);
        return build_broadcast(&g->b, build_expand_dims(&g->b, generate(g, row, depth - 1), axis),
                               type->shape);
    }
    if (choice == 1) {
        const Type *turned =
            type_tile(g->fn->types, type->elem, 2, (int[]){type->shape[1], type->shape[0]});
        return build_trans(&g->b, generate(g, turned, depth - 1), (int[]){1, 0});
    }
    const Type *flat = type_tile(g->fn->types, type->elem, 1, &type->lanes);
    return build_reshape(&g->b, generate(g, flat, depth - 1), 2, type->shape);
}

static Value *boolean(Generator *g, const Type *type, int depth) {
    const Type *number = type_with_elem(g->fn->types, type, type_scalar(TYPE_I32));
    Value *a = generate(g, number, depth - 1), *b = generate(g, number, depth - 1);
    if (random_below(5) == 0)
        return build_2(&g->b, random_below(2) ? OP_AND : OP_OR, generate(g, type, depth - 1),
                       generate(g, type, depth - 1));
    return build_icmp(&g->b, random_below(10), a, b);
}

static Value *arithmetic(Generator *g, const Type *type, int depth) {
    static const OpKind kinds[] = {OP_ADD,   OP_ADD,   OP_ADD,   OP_SUB,   OP_MUL,
                                   OP_MUL,   OP_DIV_U, OP_REM_U, OP_AND,   OP_OR,
                                   OP_XOR,   OP_SHL,   OP_SHR_U, OP_SHR_S, OP_MIN_S,
                                   OP_MAX_S, OP_MIN_U, OP_MAX_U, OP_DIV_S, OP_REM_S};
    OpKind kind = kinds[random_below(COUNT(kinds) - (g->no_sign ? 2 : 0))];
    return build_2(&g->b, kind, generate(g, type, depth - 1), generate(g, type, depth - 1));
}

static Value *offset_pointer(Generator *g, const Type *type, int depth) {
    TypeKind lane = random_below(4) ? TYPE_I32 : TYPE_I64;
    const Type *offset = type_with_elem(g->fn->types, type, type_scalar(lane));
    return build_addptr(&g->b, generate(g, type, depth - 1), generate(g, offset, depth - 1));
}

static Value *cast(Generator *g, const Type *type, int depth) {
    bool to_wide = type_bits(type) == 64;
    const Type *from =
        type_with_elem(g->fn->types, type, type_scalar(to_wide ? TYPE_I32 : TYPE_I64));
    OpKind kind = !to_wide ? OP_TRUNC : random_below(4) ? OP_EXT_S : OP_EXT_U;
    return build_cast(&g->b, kind, generate(g, from, depth - 1), type_lane(type));
}

static Value *generate(Generator *g, const Type *type, int depth) {
    Value *value;
    if (depth <= 0) return leaf(g, type);
    int choice = random_below(12);
    if (choice == 0)
        value = leaf(g, type);
    else if (choice == 1 && type->rank == 2)
        value = two_dimensional(g, type, depth);
    else if (choice == 2) {
        bool is_scalar = random_below(3) == 0;
        const Type *condition = is_scalar
                                    ? type_scalar(TYPE_I1)
                                    : type_with_elem(g->fn->types, type, type_scalar(TYPE_I1));
        value = build_select(&g->b, generate(g, condition, depth - 1), generate(g, type, depth - 1),
                             generate(g, type, depth - 1));
    } else if (type_is_ptr(type))
        value = random_below(4) || type->rank != 2 ? offset_pointer(g, type, depth)
                                                   : two_dimensional(g, type, depth);
    else if (type_is_bool(type))
        value = boolean(g, type, depth);
    else if (choice == 3 && !g->no_sign)
        value = cast(g, type, depth);
    else if (choice == 4 && type->rank == 2)
        value = two_dimensional(g, type, depth);
    else
        value = arithmetic(g, type, depth);
    return remember(g, value);
}

static void show(Generator *g, Value *value) {
    Op *op = build_op(&g->b, OP_PRINT, 1, &value, 0, NULL, 0, NULL);
    op->attrs[0].text = STR("");
}

static void generate_ops(Generator *g, int count);

/* A region in which values made inside are forgotten afterwards. */
static Region *nested(Generator *g, Region *region, int count, const Type *const *types,
                      int num_yields) {
    Builder saved = g->b;
    int pool = g->pool.count;
    Value *yields[4];
    for (int i = 0; i < region->num_args; i++) remember(g, region->args[i]);
    g->b.region = region;
    g->depth++;
    generate_ops(g, count);
    for (int i = 0; i < num_yields; i++) yields[i] = generate(g, types[i], 2);
    build_yield(&g->b, num_yields, yields);
    g->depth--;
    g->b = saved;
    g->pool.count = pool;
    return region;
}

static void generate_for(Generator *g) {
    const Type *types[2], *i32 = type_scalar(TYPE_I32);
    Value *operands[5];
    int step = (int[]){1, 2, 4, 8, -4, -1}[random_below(6)],
        lower = (int[]){0, 8, 3}[random_below(3)];
    operands[0] = build_int(&g->b, i32, lower);
    operands[1] = build_int(&g->b, i32, lower + step * random_below(4));
    operands[2] = build_int(&g->b, i32, step);
    Region *body = region_new(g->fn);
    region_add_arg(g->fn, body, i32);
    for (int i = 0; i < 2; i++) {
        types[i] = random_type(g);
        operands[i + 3] = generate(g, types[i], 2);
        region_add_arg(g->fn, body, types[i]);
    }
    nested(g, body, 3, types, 2);
    Op *op = build_op(&g->b, OP_FOR, 5, operands, 2, types, 1, &body);
    for (int i = 0; i < 2; i++) remember(g, &op->results[i]);
}

static void generate_if(Generator *g) {
    const Type *types[1] = {random_type(g)};
    Value *condition = generate(g, type_scalar(TYPE_I1), 2);
    Region *regions[2];
    for (int i = 0; i < 2; i++) regions[i] = nested(g, region_new(g->fn), 2, types, 1);
    Op *op = build_op(&g->b, OP_IF, 1, &condition, 1, types, 2, regions);
    remember(g, &op->results[0]);
}

/* An address, of one or two offsets. */
static void generate_pointer(Generator *g) {
    Value *pointer = g->fn->params[4 + random_below(3)].value;
    const Type *offset = shape_type(g, random_below(4) ? TYPE_I32 : TYPE_I64, random_below(5));
    Value *address =
        offset->rank ? build_splat(&g->b, pointer, offset->rank, offset->shape) : pointer;
    for (int i = 1 + random_below(2); i > 0; i--)
        address = build_addptr(&g->b, address, generate(g, offset, 2));
    show(g, address);
}

static void generate_ops(Generator *g, int count) {
    for (int i = 0; i < count; i++) {
        int choice = random_below(10);
        if (choice == 2 && !g->no_sign) generate_pointer(g);
        if (choice == 0 && g->depth < 2)
            generate_for(g);
        else if (choice == 1 && g->depth < 2)
            generate_if(g);
        else {
            Value *value = generate(g, random_type(g), 3);
            if (random_below(3) == 0) show(g, value);
        }
    }
}

enum { RANDOM_PARAMS = 7 };

/* Parameters: four i32 and three pointers, most of them promised to be divisible. */
__attribute__((unused)) static Func *random_func(Arena *arena, bool small, bool no_sign) {
    static const int divisible[RANDOM_PARAMS] = {1, 16, 8, 2, 16, 4, 8};
    Func *fn = func_new(arena, types_new(arena), STR("random"));
    Generator g = {
        .fn = fn, .b = {.fn = fn, .region = fn->body}, .small = small, .no_sign = no_sign};
    for (int i = 0; i < RANDOM_PARAMS; i++) {
        const Type *type = i < 4 ? type_scalar(TYPE_I32)
                                 : type_ptr(fn->types, type_scalar(i == 5 ? TYPE_I8 : TYPE_F32));
        remember(&g, func_add_param(fn, type, STR(""), i));
        fn->params[i].divisible = divisible[i];
    }
    generate_ops(&g, 8);
    for (int i = 0; i < 3; i++) show(&g, g.pool.data[random_below(g.pool.count)]);
    build_yield(&g.b, 0, NULL);
    return fn;
}

__attribute__((unused)) static void random_params(const Func *fn, bool small, uint64_t *params) {
    for (int i = 0; i < fn->num_params; i++) {
        int64_t number = small ? random_below(200) - 50 : (int64_t)random_bits();
        params[i] = (uint32_t)((uint64_t)number * (uint64_t)fn->params[i].divisible);
    }
}

#endif
