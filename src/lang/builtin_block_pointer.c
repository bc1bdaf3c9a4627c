// SPDX-License-Identifier: Apache-2.0
/* builtin_block_pointer: block pointers and tensor descriptors are aggregates of scalars; a load or
 * store of one is a masked access through pointers:
 *
 *     pointer = base + sum of offset[d] * stride[d]      a scalar
 *     lanes   = sum of arange(block[d]) * stride[d]      in 64 bits
 *     mask    = and of 0 <= offset[d] + arange(block[d]) < shape[d]   over the checked d */
#include "lang/lower.h"

static Object *poison(Lower *l) { return object_error(l->arena); }

static bool items_of(Lower *l, Object *value, const char *what, Span span, int *count,
                     Object *const **items) {
    static const char *const kinds = "a tuple of ints";
    if (value->kind == OBJECT_TUPLE || value->kind == OBJECT_LIST) {
        *count = value->num_items, *items = value->items;
        return true;
    }
    lower_error(l, span, "%s must be %s, got %s", what, kinds, lower_type_text(l, value));
    return false;
}

/* Each a scalar of the type given. */
static Object *scalars(Lower *l, Object *value, const char *what, DType dtype, Span span) {
    int count;
    Object *const *items, *converted[MAX_RANK];
    if (!items_of(l, value, what, span, &count, &items)) return poison(l);
    if (count > MAX_RANK)
        return lower_refused(l, span, "%s has %d dimensions, tern supports %d", what, count,
                             MAX_RANK);
    for (int i = 0; i < count; i++) {
        Object *item = items[i];
        if (!is_tensor(item) && !object_is_integral(item))
            return is_error(item) ? item
                                  : lower_error(l, span, "%s must hold integers, got %s", what,
                                                lower_type_text(l, item));
        item = is_tensor(item) ? item : to_tensor(l, item, span);
        if (is_error(item)) return item;
        if (is_block(item) || !ltype_is_int(item->ltype))
            return lower_error(l, span, "%s must hold integer scalars, got %s", what,
                               lower_type_text(l, item));
        converted[i] = cast(l, item, ltype_of(dtype), span);
    }
    return object_tuple(l->arena, count, converted);
}

static bool scalar_pointer(Lower *l, const Call *call) {
    const Object *base = call->args[0];
    if (is_pointer(base) && !is_block(base)) return true;
    call_fail(l, call, 0, "the base of '%s' must be a scalar pointer, got %s", call->builtin->name,
              lower_type_text(l, base));
    return false;
}

static bool lengths(Lower *l, const Call *call, int rank, const Object *const *parts, int count) {
    for (int i = 0; i < count; i++) {
        if (parts[i]->num_items == rank) continue;
        call_fail(l, call, WHOLE_CALL, "the arguments of '%s' differ in length: %d and %d",
                  call->builtin->name, rank, parts[i]->num_items);
        return false;
    }
    return true;
}

Object *builtin_make_block_ptr(Lower *l, const Call *call) {
    static const char *const names[] = {"shape", "strides", "offsets"};
    Object *parts[6] = {call->args[0]};
    int rank, block[MAX_RANK], count;
    Object *const *order;
    if (!scalar_pointer(l, call)) return poison(l);
    for (int i = 0; i < 3; i++) {
        parts[i + 1] = scalars(l, call->args[i + 1], names[i], DTYPE_INT64, call->spans[i + 1]);
        if (is_error(parts[i + 1])) return parts[i + 1];
    }
    if (!shape_argument(l, call->args[4], &rank, block, call->spans[4], "block_shape"))
        return poison(l);
    if (!rank) return call_fail(l, call, 4, "a block pointer needs at least one dimension");
    parts[4] = shape_object(l, rank, block);
    if (!items_of(l, call->args[5], "order", call->spans[5], &count, &order)) return poison(l);
    parts[5] = call->args[5];
    if (!lengths(l, call, rank, (const Object *const *)&parts[1], 5)) return poison(l);
    unsigned seen = 0;
    for (int i = 0; i < count; i++) {
        if (!object_is_integral(order[i]) || order[i]->integer < 0 || order[i]->integer >= rank ||
            seen >> (int)order[i]->integer & 1)
            return call_fail(l, call, 5, "'order' must be a permutation of 0 .. %d", rank - 1);
        seen |= 1u << (int)order[i]->integer;
    }
    Object *pointer = object_tuple(l->arena, 6, parts);
    pointer->kind = OBJECT_BLOCK_POINTER;
    pointer->span = call->span;
    return pointer;
}

Object *builtin_advance(Lower *l, const Call *call) {
    Object *pointer = call->args[0];
    if (pointer->kind != OBJECT_BLOCK_POINTER)
        return call_fail(l, call, 0, "'advance' needs a block pointer, got %s",
                         lower_type_text(l, pointer));
    Object *delta = scalars(l, call->args[1], "offsets", DTYPE_INT64, call->spans[1]),
           *offsets = pointer->items[3];
    if (is_error(delta)) return delta;
    if (delta->num_items != offsets->num_items)
        return call_fail(l, call, 1, "'advance' needs %d offsets, got %d", offsets->num_items,
                         delta->num_items);
    Object *moved = object_new(l->arena, OBJECT_BLOCK_POINTER);
    *moved = *pointer;
    moved->items = arena_array(l->arena, Object *, 6);
    memcpy(moved->items, pointer->items, sizeof(Object *) * 6);
    moved->items[3] = object_tuple(l->arena, offsets->num_items, offsets->items);
    for (int i = 0; i < offsets->num_items; i++)
        moved->items[3]->items[i] =
            binary(l, OPERATOR_ADD, offsets->items[i], delta->items[i], call->span);
    return moved;
}

/* ---- access ---- */

typedef struct Access {
    Object *pointers, *mask; /* mask NULL: nothing is checked */
} Access;

/* x[None, :, None]: a row along dimension d of `rank`. */
static Object *along(Lower *l, Object *row, int d, int rank) {
    for (int i = 0; i < d; i++) row = expand_dims(l, row, 0);
    for (int i = d + 1; i < rank; i++) row = expand_dims(l, row, i);
    return row;
}

static Access materialize(Lower *l, Object *base, Object *const *shape, Object *const *strides,
                          Object *const *offsets, int rank, const int *block, unsigned checked,
                          Span span) {
    Object *lanes = NULL, *zero = object_int(l->arena, 0);
    Access access = {base, NULL};
    for (int d = 0; d < rank; d++) {
        Object *start = binary(l, OPERATOR_MUL, offsets[d], strides[d], span);
        access.pointers = binary(l, OPERATOR_ADD, access.pointers, start, span);
    }
    for (int d = 0; d < rank; d++) {
        Object *row = tensor_new(l, build_arange(&l->builder, 0, block[d]), ltype_of(DTYPE_INT32));
        row = cast(l, row, ltype_of(DTYPE_INT64), span);
        Object *step = along(l, binary(l, OPERATOR_MUL, row, strides[d], span), d, rank);
        lanes = lanes ? binary(l, OPERATOR_ADD, lanes, step, span) : step;
        if (!(checked >> d & 1)) continue;
        Object *at = binary(l, OPERATOR_ADD, row, offsets[d], span);
        Object *inside = binary(l, OPERATOR_AND, compare(l, OPERATOR_GE, at, zero, span),
                                compare(l, OPERATOR_LT, at, shape[d], span), span);
        inside = along(l, inside, d, rank);
        access.mask = access.mask ? binary(l, OPERATOR_AND, access.mask, inside, span) : inside;
    }
    access.pointers = binary(l, OPERATOR_ADD, access.pointers, lanes, span);
    if (access.mask) access.mask = broadcast_to_shape(l, access.mask, rank, block, span);
    return access;
}

static bool checked_dimensions(Lower *l, const Call *call, int rank, unsigned *checked) {
    Object *value = call->args[3];
    Object *const *items = value->items;
    int count = value->num_items;
    *checked = 0;
    if (is_none(value)) return true;
    if (value->kind != OBJECT_TUPLE && value->kind != OBJECT_LIST)
        items = &call->args[3], count = 1;
    for (int i = 0; i < count; i++) {
        if (!object_is_integral(items[i]) || items[i]->integer < 0 || items[i]->integer >= rank) {
            call_fail(l, call, 3, "boundary_check must hold dimensions 0 .. %d", rank - 1);
            return false;
        }
        if (*checked >> (int)items[i]->integer & 1) {
            call_fail(l, call, 3, "boundary_check holds dimension %d twice",
                      (int)items[i]->integer);
            return false;
        }
        *checked |= 1u << (int)items[i]->integer;
    }
    return true;
}

static bool padding_value(Lower *l, Str padding, LType type, Object **other, Span span) {
    *other = NULL;
    if (!padding.length) return true;
    if (str_is(padding, "zero"))
        *other = ltype_is_float(type) ? object_float(l->arena, 0) : object_int(l->arena, 0);
    else if (str_is(padding, "nan") && ltype_is_float(type))
        *other = object_float(l->arena, __builtin_nan(""));
    else {
        lower_error(l, span,
                    str_is(padding, "nan")
                        ? "padding 'nan' of an integer block (option '%.*s')"
                        : "unknown padding option '%.*s': 'zero' and 'nan' are possible",
                    STR_ARG(padding));
        return false;
    }
    return true;
}

static int block_of(const Object *tuple, int *block) {
    for (int i = 0; i < tuple->num_items; i++) block[i] = (int)tuple->items[i]->integer;
    return tuple->num_items;
}

static Access block_access(Lower *l, const Call *call, unsigned checked) {
    Object *const *parts = call->args[0]->items;
    int block[MAX_RANK], rank = block_of(parts[4], block);
    return materialize(l, parts[0], parts[1]->items, parts[2]->items, parts[3]->items, rank, block,
                       checked, call->span);
}

Object *block_pointer_load(Lower *l, const Call *call, MemoryOptions options) {
    unsigned checked;
    Str padding;
    Object *other, *base = call->args[0]->items[0];
    if (!is_none(call->args[1]) || !is_none(call->args[2]))
        return call_fail(
            l, call, is_none(call->args[1]) ? 2 : 1,
            "'mask' and 'other' are not for block pointers: use boundary_check and padding_option");
    if (!checked_dimensions(l, call, call->args[0]->items[4]->num_items, &checked) ||
        !arg_text(l, call, 4, &padding))
        return poison(l);
    if (!padding_value(l, padding, ltype_element(base->ltype), &other, call->spans[4]))
        return poison(l);
    Access access = block_access(l, call, checked);
    return load(l, access.pointers, access.mask, access.mask ? other : NULL, options, call->span);
}

Object *block_pointer_store(Lower *l, const Call *call, MemoryOptions options) {
    unsigned checked;
    if (!is_none(call->args[2]))
        return call_fail(l, call, 2, "'mask' is not for block pointers: use boundary_check");
    if (!checked_dimensions(l, call, call->args[0]->items[4]->num_items, &checked))
        return poison(l);
    Access access = block_access(l, call, checked);
    return store(l, access.pointers, call->args[1], access.mask, options, call->span);
}

/* ---- tensor descriptors ---- */

enum { ALIGNMENT = 16 }; /* of a descriptor's base, and of its strides' bytes, as Triton asks */

/* Of a pointer: are its bytes a multiple, whatever is passed? */
static bool is_multiple(const Lower *l, const Value *value, int64_t of) {
    const Op *op = value->def;
    int64_t number;
    while (op && op->kind == OP_EXT_S) value = op->operands[0], op = value->def;
    for (int i = 0; !op && i < l->fn->num_params; i++)
        if (l->fn->params[i].value == value) return l->fn->params[i].divisible % of == 0;
    if (!op) return false;
    if (op->kind == OP_MUL)
        return is_multiple(l, op->operands[0], of) || is_multiple(l, op->operands[1], of);
    if (op->kind == OP_ADDPTR) {
        int bytes = type_size_bytes(value->type->elem);
        return is_multiple(l, addptr_pointer(op), of) &&
               is_multiple(l, addptr_offset(op), bytes < of ? of / bytes : 1);
    }
    return value_is_int(value, &number) && number % of == 0;
}

static Object *promised(Lower *l, const Object *object, int64_t multiple) {
    int64_t *values = arena_array(l->arena, int64_t, 1);
    Value *value = build_1(&l->builder, OP_HINT, object->value);
    *values = multiple;
    hint_set_kind(value->def, HINT_DIVISIBLE);
    hint_set_values(value->def, (Ints){1, values});
    return tensor_like(l, object, value);
}

/* What no signature says is tested where the descriptor is made, and then counted on: accesses
 * through it are wide. */
static void check_alignment(Lower *l, Object **base, Object *strides) {
    Builder *b = &l->builder;
    const Type *word = type_scalar(TYPE_I64);
    int bytes = type_size_bytes((*base)->value->type->elem), of = ALIGNMENT / bytes;
    Value *bits = NULL;
    if (l->frame->in_region) return; /* nothing is loaded there */
    if (!is_multiple(l, (*base)->value, ALIGNMENT)) {
        bits = build_cast(b, OP_BITCAST, (*base)->value, word);
        *base = promised(l, *base, ALIGNMENT);
    }
    for (int i = 0; i + 1 < strides->num_items; i++) {
        Object *stride = strides->items[i];
        if (is_multiple(l, stride->value, of)) continue;
        Value *step = build_2(b, OP_MUL, stride->value, build_int(b, word, bytes));
        bits = bits ? build_2(b, OP_OR, bits, step) : step;
        strides->items[i] = promised(l, stride, of);
    }
    if (!bits) return;
    Value *low = build_2(b, OP_AND, bits, build_int(b, word, ALIGNMENT - 1));
    Value *aligned = build_icmp(b, ICMP_EQ, low, build_int(b, word, 0));
    Op *op = build_op(b, OP_ASSERT, 1, &aligned, 0, NULL, 0, NULL);
    assert_set_text(op, STR("the base of a tensor descriptor and its strides but for the last must "
                            "be multiples of 16 bytes"));
    assert_set_always(op, true);
}

Object *builtin_make_descriptor(Lower *l, const Call *call) {
    int rank, block[MAX_RANK], count;
    Object *const *strides;
    Str padding;
    Object *other;
    if (!scalar_pointer(l, call)) return poison(l);
    if (!shape_argument(l, call->args[3], &rank, block, call->spans[3], "block_shape"))
        return poison(l);
    if (rank < 1 || rank > 5)
        return call_fail(l, call, 3, "a tensor descriptor has 1 to 5 dimensions, got %d", rank);
    Object *shape = scalars(l, call->args[1], "shape", DTYPE_INT32, call->spans[1]);
    if (is_error(shape) || !items_of(l, call->args[2], "strides", call->spans[2], &count, &strides))
        return poison(l);
    if (count && !(object_is_integral(strides[count - 1]) && strides[count - 1]->integer == 1))
        return call_fail(
            l, call, 2, "the last stride of a tensor descriptor must be the compile-time number 1");
    Object *steps = scalars(l, call->args[2], "strides", DTYPE_INT64, call->spans[2]);
    if (is_error(steps) || !arg_text(l, call, 4, &padding)) return poison(l);
    if (!padding_value(l, padding, ltype_element(call->args[0]->ltype), &other, call->spans[4]))
        return poison(l);
    Object *parts[4] = {call->args[0], shape, steps, shape_object(l, rank, block)};
    if (!lengths(l, call, rank, (const Object *const *)&parts[1], 2)) return poison(l);
    check_alignment(l, &parts[0], steps);
    Object *descriptor = object_tuple(l->arena, 4, parts);
    descriptor->kind = OBJECT_DESCRIPTOR;
    descriptor->text = padding;
    descriptor->span = call->span;
    return descriptor;
}

static bool descriptor_access(Lower *l, const Call *call, Access *access) {
    Object *descriptor = call->args[0];
    int block[MAX_RANK];
    if (descriptor->kind != OBJECT_DESCRIPTOR) {
        call_fail(l, call, 0, "'%s' needs a tensor descriptor, got %s", call->builtin->name,
                  lower_type_text(l, descriptor));
        return false;
    }
    int rank = block_of(descriptor->items[3], block);
    Object *given = call->args[1];
    for (int i = 0; i < given->num_items; i++)
        if (is_tensor(given->items[i]) && ltype_bits(given->items[i]->ltype) == 64) {
            call_fail(l, call, 1, "the offsets of a tensor descriptor must be int32, got %s",
                      ltype_text(l, given->items[i]->ltype));
            lower_help(l, "add .to(tl.int32), or use pointers for 64-bit offsets");
            return false;
        }
    Object *offsets = scalars(l, given, "offsets", DTYPE_INT64, call->spans[1]);
    if (is_error(offsets)) return false;
    if (offsets->num_items != rank) {
        call_fail(l, call, 1, "%d offsets are needed, got %d", rank, offsets->num_items);
        return false;
    }
    *access = materialize(l, descriptor->items[0], descriptor->items[1]->items,
                          descriptor->items[2]->items, offsets->items, rank, block,
                          (1u << rank) - 1, call->span);
    return true;
}

Object *builtin_descriptor_load(Lower *l, const Call *call) {
    Access access;
    Object *other;
    if (!descriptor_access(l, call, &access)) return poison(l);
    const Object *descriptor = call->args[0];
    padding_value(l, descriptor->text, ltype_element(descriptor->items[0]->ltype), &other,
                  call->span);
    return load(l, access.pointers, access.mask, other, (MemoryOptions){.ends = true}, call->span);
}

static bool block_value(Lower *l, const Call *call) {
    const Object *descriptor = call->args[0], *value = call->args[2];
    if (descriptor->kind != OBJECT_DESCRIPTOR) return true;
    int block[MAX_RANK], rank = block_of(descriptor->items[3], block);
    if (is_tensor(value) && tensor_rank(value) == rank &&
        !memcmp(tensor_shape(value), block, sizeof(int) * (size_t)rank))
        return true;
    call_fail(l, call, 2, "a block of shape %s is needed, got %s", lower_shape_text(l, rank, block),
              lower_type_text(l, value));
    return false;
}

Object *builtin_descriptor_store(Lower *l, const Call *call) {
    Access access;
    if (!block_value(l, call) || !descriptor_access(l, call, &access)) return poison(l);
    return store(l, access.pointers, call->args[2], access.mask, (MemoryOptions){.ends = true},
                 call->span);
}

Object *builtin_descriptor_atomic(Lower *l, const Call *call) {
    Access access;
    if (!block_value(l, call) || !descriptor_access(l, call, &access)) return poison(l);
    Object *old = atomic(l, call->builtin->name + strlen("atomic_"), access.pointers, call->args[2],
                         access.mask, SEM_RELAXED, SCOPE_GPU, call->span);
    return is_error(old) ? old : object_none(l->arena);
}
