// SPDX-License-Identifier: Apache-2.0
/* builtin_memory: loads, stores, atomics. A lane that is masked off touches no memory and gives
 * `other`, or 0. The pointer of a load is broadcast to the mask; that of a store must already have
 * the full shape. */
#include "lang/lower.h"

static Object *poison(Lower *l) { return object_error(l->arena); }

static bool memory_words(Lower *l, const Call *call, int cache_arg, int evict_arg, bool is_store,
                         MemoryOptions *options) {
    static const struct {
        const char *word;
        int cache;
        bool load, store;
    } caches[] = {
        {"", CACHE_NONE, true, true},   {".ca", CACHE_CA, true, false},
        {".cg", CACHE_CG, true, true},  {".cs", CACHE_CS, true, true},
        {".cv", CACHE_CV, true, false}, {".wb", CACHE_WB, false, true},
        {".wt", CACHE_WT, false, true},
    };
    Str cache, evict;
    if (!arg_text(l, call, cache_arg, &cache) || !arg_text(l, call, evict_arg, &evict))
        return false;
    int found = -1;
    for (int i = 0; i < COUNT(caches); i++)
        if (str_is(cache, caches[i].word) && (is_store ? caches[i].store : caches[i].load))
            found = caches[i].cache;
    if (!cache.length) found = CACHE_NONE;
    if (found < 0) {
        call_fail(l, call, cache_arg, "unknown cache modifier '%.*s' of a %s: %s are possible",
                  STR_ARG(cache), is_store ? "store" : "load",
                  is_store ? "'.wb', '.cg', '.cs', '.wt'" : "'.ca', '.cg', '.cs', '.cv'");
        return false;
    }
    options->cache = found;
    if (!evict.length || str_is(evict, "evict_normal"))
        options->evict = EVICT_NORMAL;
    else if (str_is(evict, "evict_first"))
        options->evict = EVICT_FIRST;
    else if (str_is(evict, "evict_last"))
        options->evict = EVICT_LAST;
    else {
        call_fail(l, call, evict_arg,
                  "unknown eviction policy '%.*s': 'evict_first' and 'evict_last' are possible",
                  STR_ARG(evict));
        return false;
    }
    return true;
}

static bool outside_region(Lower *l, const char *what, Span span) {
    if (!l->frame->in_region) return true;
    lower_error(l, span, "%s is not possible in a combine function: it may run any number of times",
                what);
    return false;
}

static bool is_pointer_value(Lower *l, const Object *pointer, const char *what, Span span) {
    if (is_error(pointer)) return false;
    if (is_pointer(pointer)) return true;
    lower_error(l, span, "%s needs a pointer, got %s", what, lower_type_text(l, pointer));
    if (is_tensor(pointer))
        lower_help(l, "pass the tensor's address as a pointer parameter, as in '*fp32'");
    return false;
}

static bool is_boolean(Lower *l, const Object *mask, Span span) {
    if (ltype_is(mask->ltype, DTYPE_BOOL)) return true;
    lower_error(l, span, "the mask must be boolean, got %s", ltype_text(l, mask->ltype));
    lower_help(l, "compare, as in 'mask != 0'");
    return false;
}

/* None stays NULL, numbers become tensors. */
static bool optional_tensor(Lower *l, Object **object, Span span) {
    if (!*object || is_none(*object)) return *object = NULL, true;
    *object = to_tensor(l, *object, span);
    return !is_error(*object);
}

static bool fits_scalar(Lower *l, const Object *object, const char *what, Span span) {
    if (!object || !is_block(object)) return true;
    lower_error(l, span, "the %s is a tensor %s, but the pointer is a scalar", what,
                lower_shape_text(l, tensor_rank(object), tensor_shape(object)));
    lower_help(l, "add tl.arange(..) to the pointer to address one element for each lane");
    return false;
}

Object *load(Lower *l, Object *pointer, Object *mask, Object *other, MemoryOptions options,
             Span span) {
    if (!is_pointer_value(l, pointer, "tl.load", span) || !outside_region(l, "tl.load", span))
        return poison(l);
    if (!optional_tensor(l, &mask, span) || !optional_tensor(l, &other, span)) return poison(l);
    if (mask && !is_boolean(l, mask, span)) return poison(l);
    if (!mask && other) return lower_error(l, span, "'other' is given without 'mask'");
    if (is_block(pointer)) {
        if (mask && !broadcast_pair(l, &pointer, &mask, span)) return poison(l);
        if (other && !broadcast_pair(l, &pointer, &other, span)) return poison(l);
        if (mask && !broadcast_pair(l, &pointer, &mask, span)) return poison(l);
    } else if (!fits_scalar(l, mask, "mask", span) ||
               !fits_scalar(l, other, "value of 'other'", span)) {
        return poison(l);
    }
    LType type = ltype_element(pointer->ltype);
    if (other) {
        /* A boolean in memory is a byte: 'other' goes through it. */
        if (ltype_is(type, DTYPE_BOOL)) other = cast(l, other, ltype_of(DTYPE_INT8), span);
        other = cast(l, other, type, span);
        if (is_error(other)) return other;
    }
    Value *value = build_load(&l->builder, pointer->value, mask ? mask->value : NULL,
                              other ? other->value : NULL);
    load_set_cache(value->def, options.cache);
    load_set_evict(value->def, options.evict);
    load_set_volatile(value->def, options.is_volatile);
    load_set_ends(value->def, options.ends);
    return tensor_new(l, value, type);
}

static bool writable(Lower *l, const Object *pointer, const char *what, Span span) {
    if (!is_pointer_value(l, pointer, what, span) || !outside_region(l, what, span)) return false;
    if (!pointer->ltype.is_const) return true;
    lower_error(l, span, "%s to a constant pointer", what);
    return false;
}

/* Pointer, value and mask get one shape, which the pointer must have already. */
static bool one_shape(Lower *l, Object **pointer, Object **value, Object **mask, Span span) {
    Object *before = *pointer;
    if (!is_block(before))
        return fits_scalar(l, *value, "value", span) && fits_scalar(l, *mask, "mask", span);
    for (int turn = 0; turn < 2; turn++) {
        if (!broadcast_pair(l, pointer, value, span)) return false;
        if (*mask && !broadcast_pair(l, pointer, mask, span)) return false;
    }
    if (tensor_same_shape(before, *pointer)) return true;
    lower_error(l, span, "the pointer has shape %s, but %s is needed",
                lower_shape_text(l, tensor_rank(before), tensor_shape(before)),
                lower_shape_text(l, tensor_rank(*pointer), tensor_shape(*pointer)));
    lower_help(l,
               "the value or the mask is larger than the pointer: give the pointer all dimensions");
    return false;
}

Object *store(Lower *l, Object *pointer, Object *value, Object *mask, MemoryOptions options,
              Span span) {
    if (!writable(l, pointer, "tl.store", span)) return poison(l);
    value = to_tensor(l, value, span);
    if (is_error(value) || !optional_tensor(l, &mask, span)) return poison(l);
    if (mask && !is_boolean(l, mask, span)) return poison(l);
    if (!one_shape(l, &pointer, &value, &mask, span)) return poison(l);
    LType type = ltype_element(pointer->ltype);
    /* A boolean in memory is a byte, and the value becomes that byte: 3 stores 3. */
    if (ltype_is(type, DTYPE_BOOL)) type = ltype_of(DTYPE_INT8);
    value = cast(l, value, type, span);
    if (is_error(value)) return value;
    Op *op = build_store(&l->builder, pointer->value, value->value, mask ? mask->value : NULL);
    store_set_cache(op, options.cache);
    store_set_evict(op, options.evict);
    store_set_ends(op, options.ends);
    return object_none(l->arena);
}

/* ---- tl.load and tl.store ---- */

static bool boundary_given(const Object *check) {
    return !is_none(check) &&
           !((check->kind == OBJECT_TUPLE || check->kind == OBJECT_LIST) && !check->num_items);
}

Object *builtin_load(Lower *l, const Call *call) {
    MemoryOptions options = {0};
    bool is_volatile;
    if (!memory_words(l, call, 5, 6, false, &options) || !arg_bool(l, call, 7, &is_volatile))
        return poison(l);
    options.is_volatile = is_volatile;
    if (call->args[0]->kind == OBJECT_BLOCK_POINTER) {
        if (!outside_region(l, "tl.load", call->span)) return poison(l);
        return block_pointer_load(l, call, options);
    }
    if (call->args[0]->kind == OBJECT_DESCRIPTOR)
        return call_fail(l, call, 0, "a tensor descriptor is loaded with desc.load([..])");
    Str padding;
    if (!arg_text(l, call, 4, &padding)) return poison(l);
    if (boundary_given(call->args[3]) || padding.length)
        return call_fail(l, call, boundary_given(call->args[3]) ? 3 : 4,
                         "boundary_check and padding_option are for block pointers only: use "
                         "'mask' and 'other'");
    return load(l, call->args[0], call->args[1], call->args[2], options, call->span);
}

Object *builtin_store(Lower *l, const Call *call) {
    MemoryOptions options = {0};
    if (!memory_words(l, call, 4, 5, true, &options)) return poison(l);
    if (call->args[0]->kind == OBJECT_BLOCK_POINTER) return block_pointer_store(l, call, options);
    if (call->args[0]->kind == OBJECT_DESCRIPTOR)
        return call_fail(l, call, 0, "a tensor descriptor is stored with desc.store([..], value)");
    if (boundary_given(call->args[3]))
        return call_fail(l, call, 3, "boundary_check is for block pointers only: use 'mask'");
    return store(l, call->args[0], call->args[1], call->args[2], options, call->span);
}

Object *builtin_barrier(Lower *l, const Call *call) {
    if (!outside_region(l, "tl.debug_barrier", call->span)) return poison(l);
    build_op(&l->builder, OP_BARRIER, 0, NULL, 0, NULL, 0, NULL);
    return object_none(l->arena);
}

/* ---- atomics ---- */

static bool atomic_words(Lower *l, const Call *call, int arg, int *sem, int *scope) {
    Str text;
    if (!arg_text(l, call, arg, &text)) return false;
    *sem = !text.length ? SEM_ACQ_REL : attr_from_word(ATTR_SEM, text);
    if (*sem < 0) {
        call_fail(
            l, call, arg,
            "unknown memory semantic '%.*s': 'acquire', 'release', 'acq_rel' and 'relaxed' are "
            "possible",
            STR_ARG(text));
        return false;
    }
    if (!arg_text(l, call, arg + 1, &text)) return false;
    *scope = !text.length ? SCOPE_GPU : attr_from_word(ATTR_SCOPE, text);
    if (*scope >= 0) return true;
    call_fail(l, call, arg + 1, "unknown scope '%.*s': 'gpu', 'cta' and 'sys' are possible",
              STR_ARG(text));
    return false;
}

static Value *atomic_op(Lower *l, int kind, Value *pointer, Value *value, Value *mask, int sem,
                        int scope) {
    Value *operands[3] = {pointer, value, mask};
    Op *op = build_op(&l->builder, OP_ATOMIC_RMW, mask ? 3 : 2, operands, 1, &value->type, 0, NULL);
    atomic_rmw_set_kind(op, kind);
    atomic_rmw_set_sem(op, sem);
    atomic_rmw_set_scope(op, scope);
    return op_result(op);
}

/* max of floats orders like max of signed ints where the sign bit is clear, and like min of
 * unsigned ints where it is set; so each lane takes part in one of two atomics. */
static Object *float_extreme(Lower *l, bool is_max, Object *pointer, Object *value, Object *mask,
                             int sem, int scope, Span span) {
    bool wide = ltype_is(value->ltype, DTYPE_FLOAT64);
    LType as_int = ltype_of(wide ? DTYPE_INT64 : DTYPE_INT32),
          as_pointer = {as_int.dtype, 1, false};
    Object *bits = bitcast(l, value, as_int, span),
           *int_pointer = cast(l, pointer, as_pointer, span);
    Object *negative = compare(l, OPERATOR_LT, bits, object_int(l->arena, 0), span);
    Object *positive = unary(l, OPERATOR_INVERT, negative, span);
    Object *masks[2] = {positive, negative};
    if (mask)
        for (int i = 0; i < 2; i++) masks[i] = binary(l, OPERATOR_AND, mask, masks[i], span);
    Value *p = int_pointer->value, *v = bits->value;
    Value *up = atomic_op(l, is_max ? RMW_MAX_S : RMW_MIN_S, p, v, masks[0]->value, sem, scope);
    Value *down = atomic_op(l, is_max ? RMW_MIN_U : RMW_MAX_U, p, v, masks[1]->value, sem, scope);
    Object *old = tensor_new(l, build_select(&l->builder, positive->value, up, down), as_int);
    return bitcast(l, old, value->ltype, span);
}

static int atomic_kind(const char *what, LType type) {
    bool is_signed = ltype_is_signed(type);
    if (!strcmp(what, "add")) return ltype_is_float(type) ? RMW_FADD : RMW_ADD;
    if (!strcmp(what, "max")) return is_signed ? RMW_MAX_S : RMW_MAX_U;
    if (!strcmp(what, "min")) return is_signed ? RMW_MIN_S : RMW_MIN_U;
    return !strcmp(what, "and")   ? RMW_AND
           : !strcmp(what, "or")  ? RMW_OR
           : !strcmp(what, "xor") ? RMW_XOR
                                  : RMW_XCHG;
}

Object *atomic(Lower *l, const char *what, Object *pointer, Object *value, Object *mask, int sem,
               int scope, Span span) {
    const char *name = str_format(l->arena, "tl.atomic_%s", what).data;
    if (!writable(l, pointer, name, span)) return poison(l);
    LType type = ltype_element(pointer->ltype);
    bool half = ltype_is(type, DTYPE_FLOAT16) || ltype_is(type, DTYPE_BFLOAT16);
    bool bitwise = !strcmp(what, "and") || !strcmp(what, "or") || !strcmp(what, "xor");
    if (type.levels || (half && strcmp(what, "add")) || (!half && ltype_bits(type) < 32) ||
        (bitwise && ltype_is_float(type)))
        return lower_error(l, span, "%s does not support %s", name, ltype_text(l, type));
    value = to_tensor(l, value, span);
    if (is_error(value) || !optional_tensor(l, &mask, span)) return poison(l);
    if (mask && !is_boolean(l, mask, span)) return poison(l);
    if (!one_shape(l, &pointer, &value, &mask, span)) return poison(l);
    value = cast(l, value, type, span);
    if (is_error(value)) return value;
    bool extreme = !strcmp(what, "max") || !strcmp(what, "min");
    if (extreme && ltype_is_float(type))
        return float_extreme(l, !strcmp(what, "max"), pointer, value, mask, sem, scope, span);
    return tensor_like(l, value,
                       atomic_op(l, atomic_kind(what, type), pointer->value, value->value,
                                 mask ? mask->value : NULL, sem, scope));
}

Object *builtin_atomic(Lower *l, const Call *call) {
    int sem, scope;
    if (!atomic_words(l, call, 3, &sem, &scope)) return poison(l);
    return atomic(l, call->builtin->name + strlen("atomic_"), call->args[0], call->args[1],
                  call->args[2], sem, scope, call->span);
}

/* The operands are not cast in Triton; here a literal takes the element's type, as it must. */
Object *builtin_atomic_cas(Lower *l, const Call *call) {
    int sem, scope;
    Object *pointer = call->args[0], *nothing = NULL;
    if (!atomic_words(l, call, 3, &sem, &scope) ||
        !writable(l, pointer, "tl.atomic_cas", call->span))
        return poison(l);
    LType type = ltype_element(pointer->ltype);
    int bits = ltype_bits(type);
    if (bits != 16 && bits != 32 && bits != 64)
        return call_fail(l, call, 0, "tl.atomic_cas does not support %s", ltype_text(l, type));
    Object *parts[2];
    for (int i = 0; i < 2; i++) {
        Object *part = call->args[i + 1];
        if (!is_tensor(part) && !object_is_number(part))
            return call_fail(l, call, i + 1, "'cmp' and 'val' must be tensors or numbers, got %s",
                             lower_type_text(l, part));
        part = is_tensor(part) ? part : to_tensor(l, part, call->spans[i + 1]);
        if (is_error(part)) return part;
        if (ltype_bits(part->ltype) != bits && is_tensor(call->args[i + 1]))
            return call_fail(l, call, i + 1,
                             "tl.atomic_cas of %s needs a value of the same width, got %s",
                             ltype_text(l, type), ltype_text(l, part->ltype));
        part = cast(l, part, type, call->span);
        if (is_error(part) || !one_shape(l, &pointer, &part, &nothing, call->span))
            return poison(l);
        parts[i] = part;
    }
    Value *operands[3] = {pointer->value, parts[0]->value, parts[1]->value};
    Op *op = build_op(&l->builder, OP_ATOMIC_CAS, 3, operands, 1, &parts[1]->value->type, 0, NULL);
    atomic_cas_set_sem(op, sem);
    atomic_cas_set_scope(op, scope);
    return tensor_new(l, op_result(op), type);
}
