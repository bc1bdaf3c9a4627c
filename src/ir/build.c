// SPDX-License-Identifier: Apache-2.0
/* build: makes functions, regions and ops. What is built is not checked here: func_verify does. */
#include "ir/ir.h"

Func *func_new(Arena *arena, TypeTable *types, Str name) {
    Func *fn = arena_new_of(arena, Func);
    *fn = (Func){.arena = arena, .types = types, .name = name};
    fn->body = region_new(fn);
    return fn;
}

Value *func_add_param(Func *fn, const Type *type, Str name, int source_index) {
    Param *params = arena_array(fn->arena, Param, fn->num_params + 1);
    if (fn->num_params) memcpy(params, fn->params, sizeof *params * (size_t)fn->num_params);
    fn->params = params;
    Value *value = region_add_arg(fn, fn->body, type);
    value->name = name;
    params[fn->num_params++] =
        (Param){.value = value, .name = name, .source_index = source_index, .divisible = 1};
    return value;
}

Region *region_new(Func *fn) { return arena_new_of(fn->arena, Region); }

Value *region_add_arg(Func *fn, Region *region, const Type *type) {
    Value **args = arena_array(fn->arena, Value *, region->num_args + 1);
    if (region->num_args) memcpy(args, region->args, sizeof *args * (size_t)region->num_args);
    region->args = args;
    Value *value = arena_new_of(fn->arena, Value);
    *value =
        (Value){.type = type, .region = region, .index = region->num_args, .id = fn->num_values++};
    args[region->num_args++] = value;
    return value;
}

static void op_insert(Region *region, Op *op, Op *before) {
    op->parent = region;
    op->next = before;
    op->prev = before ? before->prev : region->last;
    if (op->prev)
        op->prev->next = op;
    else
        region->first = op;
    if (before)
        before->prev = op;
    else
        region->last = op;
}

Op *build_op(Builder *b, OpKind kind, int num_operands, Value *const *operands, int num_results,
             const Type *const *result_types, int num_regions, Region *const *regions) {
    Func *fn = b->fn;
    Op *op = arena_new_of(fn->arena, Op);
    *op = (Op){.kind = kind,
               .span = b->span,
               .num_operands = num_operands,
               .num_results = num_results,
               .num_regions = num_regions};
    op->operands = arena_array(fn->arena, Value *, num_operands);
    if (num_operands) memcpy(op->operands, operands, sizeof *operands * (size_t)num_operands);
    op->results = arena_array(fn->arena, Value, num_results);
    for (int i = 0; i < num_results; i++)
        op->results[i] =
            (Value){.type = result_types[i], .def = op, .index = i, .id = fn->num_values++};
    op->regions = arena_array(fn->arena, Region *, num_regions);
    for (int i = 0; i < num_regions; i++) {
        op->regions[i] = regions[i];
        regions[i]->owner = op;
    }
    op_insert(b->region, op, b->before);
    return op;
}

static Value *build_typed(Builder *b, OpKind kind, int count, Value *const *operands,
                          const Type *type) {
    return op_result(build_op(b, kind, count, operands, 1, &type, 0, NULL));
}

static uint64_t width_mask(const Type *type) {
    int width = type_bits(type);
    return width == 64 ? UINT64_MAX : (1ull << width) - 1;
}

Value *build_constant_bits(Builder *b, const Type *type, uint64_t bits) {
    Value *value = build_typed(b, OP_CONSTANT, 0, NULL, type);
    constant_set_bits(value->def, bits & width_mask(type));
    return value;
}

Value *build_int(Builder *b, const Type *type, int64_t number) {
    return build_constant_bits(b, type, (uint64_t)number);
}

Value *build_float(Builder *b, const Type *type, double number) {
    return build_constant_bits(b, type, constant_from_double(type, number));
}

Value *build_1(Builder *b, OpKind kind, Value *a) { return build_typed(b, kind, 1, &a, a->type); }

Value *build_2(Builder *b, OpKind kind, Value *a, Value *c) {
    return build_typed(b, kind, 2, (Value *[]){a, c}, a->type);
}

Value *build_3(Builder *b, OpKind kind, Value *a, Value *c, Value *d) {
    return build_typed(b, kind, 3, (Value *[]){a, c, d}, a->type);
}

Value *build_cast(Builder *b, OpKind kind, Value *a, const Type *lane) {
    return build_typed(b, kind, 1, &a, type_with_elem(b->fn->types, a->type, lane));
}

static Value *build_compare(Builder *b, OpKind kind, Value *a, Value *c) {
    const Type *type = type_with_elem(b->fn->types, a->type, type_scalar(TYPE_I1));
    return build_typed(b, kind, 2, (Value *[]){a, c}, type);
}

Value *build_icmp(Builder *b, int predicate, Value *a, Value *c) {
    Value *value = build_compare(b, OP_ICMP, a, c);
    icmp_set_predicate(value->def, predicate);
    return value;
}

Value *build_fcmp(Builder *b, int predicate, Value *a, Value *c) {
    Value *value = build_compare(b, OP_FCMP, a, c);
    fcmp_set_predicate(value->def, predicate);
    return value;
}

Value *build_select(Builder *b, Value *condition, Value *a, Value *c) {
    return build_typed(b, OP_SELECT, 3, (Value *[]){condition, a, c}, a->type);
}

Value *build_arange(Builder *b, int start, int end) {
    const Type *type = type_tile(b->fn->types, type_scalar(TYPE_I32), 1, (int[]){end - start});
    Value *value = build_typed(b, OP_ARANGE, 0, NULL, type);
    arange_set_start(value->def, start);
    arange_set_end(value->def, end);
    return value;
}

Value *build_program_id(Builder *b, int axis) {
    Value *value = build_typed(b, OP_PROGRAM_ID, 0, NULL, type_scalar(TYPE_I32));
    program_id_set_axis(value->def, axis);
    return value;
}

Value *build_num_programs(Builder *b, int axis) {
    Value *value = build_typed(b, OP_NUM_PROGRAMS, 0, NULL, type_scalar(TYPE_I32));
    num_programs_set_axis(value->def, axis);
    return value;
}

Value *build_splat(Builder *b, Value *scalar, int rank, const int *shape) {
    return build_typed(b, OP_SPLAT, 1, &scalar, type_tile(b->fn->types, scalar->type, rank, shape));
}

Value *build_broadcast(Builder *b, Value *a, const int *shape) {
    const Type *type = type_tile(b->fn->types, type_lane(a->type), a->type->rank, shape);
    return type == a->type ? a : build_typed(b, OP_BROADCAST, 1, &a, type);
}

Value *build_expand_dims(Builder *b, Value *a, int axis) {
    int shape[MAX_RANK + 1] = {0};
    for (int i = 0, from = 0; i <= a->type->rank; i++)
        shape[i] = i == axis ? 1 : a->type->shape[from++];
    const Type *type = type_tile(b->fn->types, type_lane(a->type), a->type->rank + 1, shape);
    Value *value = build_typed(b, OP_EXPAND_DIMS, 1, &a, type);
    expand_dims_set_axis(value->def, axis);
    return value;
}

Value *build_reshape(Builder *b, Value *a, int rank, const int *shape) {
    return build_typed(b, OP_RESHAPE, 1, &a,
                       type_tile(b->fn->types, type_lane(a->type), rank, shape));
}

Value *build_trans(Builder *b, Value *a, const int *order) {
    int rank = a->type->rank, shape[MAX_RANK] = {0};
    int64_t *copy = arena_array(b->fn->arena, int64_t, rank);
    for (int i = 0; i < rank; i++) {
        shape[i] = a->type->shape[order[i]];
        copy[i] = order[i];
    }
    Value *value =
        build_typed(b, OP_TRANS, 1, &a, type_tile(b->fn->types, type_lane(a->type), rank, shape));
    trans_set_order(value->def, (Ints){rank, copy});
    return value;
}

Value *build_addptr(Builder *b, Value *pointer, Value *offset) {
    return build_2(b, OP_ADDPTR, pointer, offset);
}

Value *build_load(Builder *b, Value *pointer, Value *mask, Value *other) {
    const Type *type = type_with_elem(b->fn->types, pointer->type, type_lane(pointer->type)->elem);
    return build_typed(b, OP_LOAD,
                       other  ? 3
                       : mask ? 2
                              : 1,
                       (Value *[]){pointer, mask, other}, type);
}

Op *build_fill(Builder *b, Value *ring, Value *turn, int part, const Op *load, Value *pointer,
               Value *mask) {
    Value *operands[4] = {ring, turn, pointer, mask};
    Op *fill = build_op(b, OP_FILL, mask ? 4 : 3, operands, 0, NULL, 0, NULL);
    fill->span = load->span;
    fill_set_part(fill, part), fill_set_width(fill, load_width(load));
    fill_set_ends(fill, load_ends(load));
    return fill;
}

Op *build_store(Builder *b, Value *pointer, Value *value, Value *mask) {
    return build_op(b, OP_STORE, mask ? 3 : 2, (Value *[]){pointer, value, mask}, 0, NULL, 0, NULL);
}

Op *build_yield(Builder *b, int count, Value *const *values) {
    return build_op(b, OP_YIELD, count, values, 0, NULL, 0, NULL);
}
