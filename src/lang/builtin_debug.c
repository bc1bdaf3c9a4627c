// SPDX-License-Identifier: Apache-2.0
/* builtin_debug: hints, assertions, printing, and what asks about the machine. */
#include "lang/lower.h"

#include <stdlib.h>

static Object *poison(Lower *l) { return object_error(l->arena); }

Object *builtin_hint(Lower *l, const Call *call) {
    static const struct {
        const char *name;
        int kind;
    } kinds[] = {
        {"multiple_of", HINT_DIVISIBLE},
        {"max_contiguous", HINT_CONTIGUOUS},
        {"max_constancy", HINT_CONSTANT},
    };
    Object *x = call->args[0], *given = call->args[1];
    Object *const *items = given->items;
    int count = given->num_items, kind = 0;
    if (object_is_number(x)) return x; /* known at compile time: nothing to promise */
    if (!is_tensor(x))
        return call_fail(l, call, 0, "'%s' needs a tensor, got %s", call->builtin->name,
                         lower_type_text(l, x));
    if (given->kind != OBJECT_TUPLE && given->kind != OBJECT_LIST)
        items = &call->args[1], count = 1;
    int rank = tensor_rank(x) ? tensor_rank(x) : 1;
    if (count != rank)
        return call_fail(l, call, 1, "'%s' needs %d value%s, one for each dimension, got %d",
                         call->builtin->name, rank, rank == 1 ? "" : "s", count);
    int64_t *values = arena_array(l->arena, int64_t, rank);
    for (int i = 0; i < rank; i++) {
        if (!object_is_integral(items[i]) || items[i]->integer < 1 || items[i]->integer > INT32_MAX)
            return call_fail(l, call, 1,
                             "the values of '%s' must be compile-time ints from 1 up, got %s",
                             call->builtin->name, lower_type_text(l, items[i]));
        values[i] = (int64_t)items[i]->integer;
    }
    for (int i = 0; i < COUNT(kinds); i++)
        if (!strcmp(kinds[i].name, call->builtin->name)) kind = kinds[i].kind;
    if (ltype_is_float(x->ltype)) return x; /* nobody asks for facts of floats */
    Value *value = build_1(&l->builder, OP_HINT, x->value);
    hint_set_kind(value->def, kind);
    hint_set_values(value->def, (Ints){rank, values});
    return tensor_like(l, x, value);
}

Object *builtin_assume(Lower *l, const Call *call) {
    Object *condition = arg_tensor(l, call, 0);
    if (!condition) return poison(l);
    if (is_block(condition))
        return call_fail(l, call, 0, "'assume' needs a scalar, got %s",
                         lower_type_text(l, condition));
    condition = cast(l, condition, ltype_of(DTYPE_BOOL), call->span);
    if (is_error(condition)) return condition;
    build_op(&l->builder, OP_ASSUME, 1, &condition->value, 0, NULL, 0, NULL);
    return object_none(l->arena);
}

/* ---- at compile time ---- */

Object *builtin_static_assert(Lower *l, const Call *call) {
    const Object *condition = call->args[0];
    bool truth;
    if (is_tensor(condition) || !object_truth(condition, &truth))
        return call_fail(l, call, 0,
                         "the condition of static_assert is not known at compile time: %s",
                         lower_type_text(l, condition));
    if (truth) return object_none(l->arena);
    const Object *message = call->args[1];
    if (message->kind == OBJECT_STR && message->text.length)
        return call_fail(l, call, WHOLE_CALL, "static assertion failed: %.*s",
                         STR_ARG(message->text));
    return call_fail(l, call, WHOLE_CALL, "static assertion failed");
}

static void print_object(Lower *l, Buf *buf, const Object *object) {
    if (is_tensor(object))
        buf_puts(buf, lower_type_text(l, object));
    else
        object_print(buf, object);
}

/* As Python's print. The library prints nothing: the words go to the context's output. */
Object *builtin_static_print(Lower *l, const Call *call) {
    Buf buf = {.arena = l->arena};
    Str between = STR(" "), end = STR("\n");
    if (call->args[1]->kind != OBJECT_NONE && !arg_text(l, call, 1, &between)) return poison(l);
    if (call->args[2]->kind != OBJECT_NONE && !arg_text(l, call, 2, &end)) return poison(l);
    buf_puts(&buf, "");
    for (int i = 0; i < call->args[0]->num_items; i++) {
        if (i) buf_add(&buf, between.data, (size_t)between.length);
        print_object(l, &buf, call->args[0]->items[i]);
    }
    diag_add(l->diag, DIAG_PRINTED, call->span, "%s%.*s", buf.data, STR_ARG(end));
    return object_none(l->arena);
}

/* ---- at run time ---- */

Object *builtin_device_assert(Lower *l, const Call *call) {
    if (!l->options->debug) return object_none(l->arena);
    Object *condition = arg_tensor(l, call, 0), *mask = NULL;
    Str message;
    if (!condition || !arg_text(l, call, 1, &message)) return poison(l);
    if (l->frame->in_region)
        return lower_refused(l, call->span, "an assertion in a combine function is not supported");
    condition = cast(l, condition, ltype_of(DTYPE_BOOL), call->span);
    if (is_error(condition)) return condition;
    if (!is_none(call->args[2])) {
        mask = arg_mask(l, call, 2);
        if (!mask || !broadcast_pair(l, &condition, &mask, call->span)) return poison(l);
    }
    Value *operands[2] = {condition->value, mask ? mask->value : NULL};
    Op *op = build_op(&l->builder, OP_ASSERT, mask ? 2 : 1, operands, 0, NULL, 0, NULL);
    assert_set_text(op, message);
    return object_none(l->arena);
}

static Object *print_values(Lower *l, const Call *call, Str prefix, Object *const *items, int count,
                            bool hex) {
    if (l->frame->in_region)
        return lower_refused(l, call->span, "printing in a combine function is not supported");
    Value **operands = arena_array(l->arena, Value *, count + 1);
    int64_t unsigned_mask = 0;
    if (count > 60) return call_fail(l, call, WHOLE_CALL, "too many values to print");
    for (int i = 0; i < count; i++) {
        Object *item = items[i];
        if (is_error(item)) return item;
        if (!is_tensor(item) && !object_is_number(item))
            return call_fail(l, call, WHOLE_CALL,
                             "a value to print must be a tensor or a number, got %s",
                             lower_type_text(l, item));
        item = to_tensor(l, item, call->span);
        if (is_error(item)) return item;
        operands[i] = item->value;
        if (!ltype_is_signed(item->ltype)) unsigned_mask |= (int64_t)1 << i;
    }
    Op *op = build_op(&l->builder, OP_PRINT, count, operands, 0, NULL, 0, NULL);
    print_set_text(op, prefix);
    print_set_hex(op, hex);
    print_set_unsigned_mask(op, unsigned_mask);
    return object_none(l->arena);
}

/* As Triton prints it: " prefix: value". */
static Str print_prefix(Lower *l, Str text, bool has_values) {
    Buf buf = {.arena = l->arena};
    buf_puts(&buf, "");
    if (text.length > 2 || (has_values && text.length)) {
        if (text.data[0] != ' ') buf_putc(&buf, ' ');
    }
    while (has_values && text.length &&
           (text.data[text.length - 1] == ' ' || text.data[text.length - 1] == ':'))
        text.length--;
    buf_add(&buf, text.data, (size_t)text.length);
    if (has_values) buf_puts(&buf, ": ");
    return buf_str(&buf);
}

Object *builtin_device_print(Lower *l, const Call *call) {
    bool hex;
    const Object *prefix = call->args[0], *values = call->args[1];
    if (prefix->kind != OBJECT_STR)
        return call_fail(l, call, 0, "the prefix of device_print must be a string, got %s",
                         lower_type_text(l, prefix));
    if (!arg_bool(l, call, 2, &hex)) return poison(l);
    for (int i = 0; i < prefix->text.length; i++)
        if (prefix->text.data[i] < 32 || prefix->text.data[i] > 126)
            return call_fail(l, call, 0, "the prefix of device_print must be printable ASCII");
    return print_values(l, call, print_prefix(l, prefix->text, values->num_items > 0),
                        values->items, values->num_items, hex);
}

/* print("words", x, y): the strings are the prefix. The interpreter takes values alone, too, as
 * Triton's does (TRITON_INTERPRET=1). */
Object *builtin_print(Lower *l, const Call *call) {
    const Object *all = call->args[0];
    bool hex;
    if (!arg_bool(l, call, 5, &hex)) return poison(l);
    bool is_text = all->num_items && all->items[0]->kind == OBJECT_STR;
    const char *target = l->options->target;
    if (all->num_items && !is_text && target && !strcmp(target, "interp"))
        return print_values(l, call, STR(" "), all->items, all->num_items, hex);
    if (!is_text)
        return call_fail(l, call, 0, "the first argument of print in a kernel must be a string");
    return print_values(l, call, print_prefix(l, all->items[0]->text, all->num_items > 1),
                        all->items + 1, all->num_items - 1, hex);
}

/* All names of the function: tensors are operands, what is known at compile time is text. */
Object *builtin_breakpoint(Lower *l, const Call *call) {
    const Env *env = &l->frame->env;
    const char *target = l->options->target;
    if (!target || strcmp(target, "interp") != 0)
        return lower_refused(l, call->span,
                             "breakpoint() in a kernel, on %s (it is there on interp)",
                             target ? target : "this target");
    if (l->frame->in_region)
        return lower_refused(l, call->span, "breakpoint() in a combine function");
    Value **operands = arena_array(l->arena, Value *, env->count + 1);
    Buf names = {.arena = l->arena}, known = {.arena = l->arena};
    int64_t unsigned_mask = 0;
    int count = 0;
    for (int i = 0; i < env->count; i++) {
        const Object *value = env->data[i].value;
        if (!value || is_error(value)) continue;
        if (is_tensor(value) && count < 60) {
            if (!ltype_is_signed(value->ltype)) unsigned_mask |= (int64_t)1 << count;
            buf_printf(&names, "%.*s\n", STR_ARG(env->data[i].name));
            operands[count++] = value->value;
        } else if (object_is_number(value) || value->kind == OBJECT_STR) {
            buf_printf(&known, "%.*s=", STR_ARG(env->data[i].name));
            object_print(&known, value);
            buf_putc(&known, '\n');
        }
    }
    buf_puts(&names, known.length ? known.data : "");
    Op *op = build_op(&l->builder, OP_PRINT, count, operands, 0, NULL, 0, NULL);
    print_set_text(op, buf_str(&names));
    print_set_unsigned_mask(op, unsigned_mask);
    print_set_stops(op, true);
    return object_none(l->arena);
}

/* Executors know the texts that they can run; the front end keeps it as it is. */
Object *builtin_inline_asm(Lower *l, const Call *call) {
    Str text, constraints;
    bool pure;
    int64_t pack;
    if (!arg_text(l, call, 0, &text) || !arg_text(l, call, 1, &constraints) ||
        !arg_bool(l, call, 4, &pure) || !arg_int(l, call, 5, &pack))
        return poison(l);
    Object *inputs = call->args[2], *types = call->args[3];
    if (inputs->kind != OBJECT_TUPLE && inputs->kind != OBJECT_LIST)
        return call_fail(l, call, 2, "'args' must be a list of tensors, got %s",
                         lower_type_text(l, inputs));
    bool one = types->kind == OBJECT_DTYPE;
    if (!one && types->kind != OBJECT_TUPLE && types->kind != OBJECT_LIST)
        return call_fail(l, call, 3, "'dtype' must be a dtype or a tuple of dtypes");
    int count = inputs->num_items, num_types = one ? 1 : types->num_items;
    Object **args = arena_array(l->arena, Object *, count + 1);
    for (int i = 0; i < count; i++) {
        args[i] = to_tensor(l, inputs->items[i], call->spans[2]);
        if (is_error(args[i])) return args[i];
    }
    for (int turn = 0; turn < 2; turn++)
        for (int i = 1; i < count; i++)
            if (!broadcast_pair(l, &args[0], &args[i], call->span)) return poison(l);
    Value **operands = arena_array(l->arena, Value *, count + 1);
    for (int i = 0; i < count; i++) operands[i] = args[i]->value;
    const Type **result_types = arena_array(l->arena, const Type *, num_types + 1);
    LType *lanes = arena_array(l->arena, LType, num_types + 1);
    for (int i = 0; i < num_types; i++) {
        const Object *type = one ? types : types->items[i];
        if (type->kind != OBJECT_DTYPE || type->text.length)
            return call_fail(l, call, 3, "'dtype' must be a dtype or a tuple of dtypes");
        lanes[i] = type->ltype;
        result_types[i] = lane_type(l, type->ltype);
        if (count && is_block(args[0]))
            result_types[i] = type_with_elem(l->fn->types, args[0]->value->type, result_types[i]);
    }
    Op *op =
        build_op(&l->builder, OP_INLINE_ASM, count, operands, num_types, result_types, 0, NULL);
    inline_asm_set_text(op, text);
    inline_asm_set_constraints(op, constraints);
    inline_asm_set_pure(op, pure);
    inline_asm_set_pack(op, pack);
    Object **results = arena_array(l->arena, Object *, num_types + 1);
    for (int i = 0; i < num_types; i++) results[i] = tensor_new(l, &op->results[i], lanes[i]);
    return one ? results[0] : object_tuple(l->arena, num_types, results);
}

/* ---- the machine ---- */

Object *builtin_clock(Lower *l, const Call *call) {
    bool timer = !strcmp(call->builtin->name, "globaltimer");
    const Type *type = type_scalar(timer ? TYPE_I64 : TYPE_I32);
    Op *op = build_op(&l->builder, OP_CLOCK, 0, NULL, 1, &type, 0, NULL);
    clock_set_kind(op, str_of(call->builtin->name));
    return tensor_new(l, op_result(op), ltype_of(timer ? DTYPE_INT64 : DTYPE_INT32));
}

Object *builtin_num_warps(Lower *l, const Call *call) {
    int warps = l->fn->num_warps;
    return object_int(l->arena, !strcmp(call->builtin->name, "num_warps") ? warps : warps * 32);
}

/* Programmatic launch dependencies: without them there is nothing to wait for. */
Object *builtin_nothing(Lower *l, const Call *call) {
    (void)call;
    return object_none(l->arena);
}

Object *builtin_target(Lower *l, const Call *call) {
    const char *target = l->options->target ? l->options->target : "cpu",
               *name = call->builtin->name;
    bool cuda = !strncmp(target, "cuda", 4) || !strncmp(target, "sm_", 3);
    if (!strcmp(name, "is_cuda")) return object_bool(l->arena, cuda);
    if (!strcmp(name, "is_cpu")) return object_bool(l->arena, !cuda);
    if (strcmp(name, "cuda_capability_geq")) return object_bool(l->arena, false);
    int64_t major, minor;
    if (!arg_int(l, call, 0, &major) || !arg_int(l, call, 1, &minor)) return poison(l);
    const char *digits = cuda ? strpbrk(target, "0123456789") : NULL;
    long have = digits ? strtol(digits, NULL, 10) : 0;
    return object_bool(l->arena, cuda && have >= major * 10 + minor);
}
