// SPDX-License-Identifier: Apache-2.0
/* lower_expr: expressions in a jit function. Compile-time operands are computed as Python would;
 * and, or and conditional expressions visit only what their compile-time parts let through. */
#include "lang/lower.h"

#include <stdio.h>
#include <stdlib.h>

static Object *name(Lower *l, const Expr *expr) {
    Frame *frame = l->frame;
    const Binding *binding = env_find(&frame->env, expr->text);
    l->steps += frame->env.count / 64; /* the search is linear */
    if (binding && binding->value) return binding->value;
    if (frame->function->closure) {
        Object *object = map_get(frame->function->closure, expr->text);
        if (object) return object;
    }
    int before = l->diag->num_errors + l->diag->num_refused;
    Object *global = module_lookup(l->arena, frame->module, expr->text, l->diag);
    if (global) return global;
    if (l->diag->num_errors + l->diag->num_refused > before) return object_error(l->arena);
    lower_error(l, expr->span, "'%.*s' is not defined", STR_ARG(expr->text));
    if (binding && binding->is_index)
        lower_note(l, binding->span, "a loop's index is not known after the loop");
    else if (binding)
        lower_note(l, binding->span,
                   "'%.*s' is only assigned inside a run-time 'if', 'for' or 'while' "
                   "here: give it a value before",
                   STR_ARG(expr->text));
    else
        suggest_name(l, expr->text);
    return object_error(l->arena);
}

static Object *integer(Lower *l, const Expr *expr) {
    if (!expr->too_large) return object_int(l->arena, expr->integer);
    uint128 value = 0;
    Str text = expr->text;
    int base = 10, i = 0;
    if (text.length > 2 && text.data[0] == '0') {
        char c = (char)(text.data[1] | 32);
        base = c == 'x' ? 16 : c == 'o' ? 8 : c == 'b' ? 2 : 10;
        if (base != 10) i = 2;
    }
    for (; i < text.length; i++) {
        char c = text.data[i];
        if (c == '_') continue;
        int digit = c >= '0' && c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
        if (value > ((uint128)1 << 122))
            return lower_error(l, expr->span, "the integer literal needs more than 122 bits");
        value = value * (unsigned)base + (unsigned)digit;
    }
    return object_int(l->arena, (int128)value);
}

static Object *sequence(Lower *l, const Expr *expr, ObjectKind kind) {
    VEC(Object *) items = {0};
    for (int i = 0; i < expr->num_items; i++) {
        const Expr *item = expr->items[i];
        bool starred = item->kind == EXPR_STARRED;
        Object *value = lower_expr(l, starred ? item->left : item);
        if (!starred) {
            vec_push(l->arena, &items, value);
            continue;
        }
        if (is_error(value)) return value;
        if (value->kind != OBJECT_TUPLE && value->kind != OBJECT_LIST)
            return lower_error(l, item->span, "'*' needs a tuple, got %s",
                               lower_type_text(l, value));
        for (int j = 0; j < value->num_items; j++) vec_push(l->arena, &items, value->items[j]);
    }
    Object *object = object_tuple(l->arena, items.count, items.data);
    object->kind = kind;
    return object;
}

static Object *fstring(Lower *l, const Expr *expr) {
    Buf buf = {.arena = l->arena};
    buf_puts(&buf, "");
    for (int i = 0; i < expr->num_items; i++) {
        const Expr *item = expr->items[i];
        if (item->kind == EXPR_STRING) {
            buf_add(&buf, item->text.data, (size_t)item->text.length);
            continue;
        }
        Object *value = lower_expr(l, item->left);
        if (is_error(value)) return value;
        if (is_tensor(value)) {
            Object *poison = lower_error(
                l, item->span, "an f-string in a kernel can hold compile-time values only, got %s",
                lower_type_text(l, value));
            lower_help(l,
                       "tl.device_print(\"words\", value) prints what is known at run time only");
            return poison;
        }
        bool as_repr = str_is(item->text, "!r");
        if (item->text.length && !as_repr && !str_is(item->text, "!s"))
            return lower_refused(l, item->span, "format '%.*s' in an f-string is not supported",
                                 STR_ARG(item->text));
        if (as_repr)
            object_repr(&buf, value);
        else
            object_print(&buf, value);
    }
    return object_str(l->arena, buf_str(&buf));
}

/* The value at compile time, or the i1 to test at run time. False after a diagnostic. */
bool lower_condition(Lower *l, Object *condition, Span span, bool *truth, Value **runtime) {
    *runtime = NULL;
    if (is_error(condition)) return false;
    if (is_tensor(condition)) {
        if (!l->map && is_block(condition) && condition->value->type->lanes > 1) {
            lower_error(l, span,
                        "the truth of a tensor with more than one element is ambiguous: %s",
                        lower_type_text(l, condition));
            lower_help(l, "use tl.where, or reduce it to a scalar first, as in tl.sum or tl.max");
            return false;
        }
        if (!l->map && is_block(condition)) condition = reshape(l, condition, 0, NULL, span);
        condition = cast(l, condition, ltype_of(DTYPE_BOOL), span);
        if (is_error(condition)) return false;
        *runtime = condition->value;
        return true;
    }
    if (condition->kind == OBJECT_OPAQUE) return lower_unknown(l, condition, span), false;
    if (!object_is_integral(condition) && !is_none(condition)) {
        lower_error(l, span, "a condition must be a bool, an int, None or a scalar tensor, got %s",
                    lower_type_text(l, condition));
        return false;
    }
    return object_truth(condition, truth);
}

static Object *ternary(Lower *l, const Expr *expr) {
    bool truth;
    Value *runtime;
    if (!lower_condition(l, lower_expr(l, expr->condition), expr->condition->span, &truth,
                         &runtime))
        return object_error(l->arena);
    if (runtime) return lower_ternary(l, expr, runtime);
    return lower_expr(l, truth ? expr->left : expr->right);
}

static Object *and_or(Lower *l, const Expr *expr) {
    bool is_and = expr->kind == EXPR_AND, truth;
    Object *result = NULL, *value = NULL;
    for (int i = 0; i < expr->num_items; i++) {
        value = lower_expr(l, expr->items[i]);
        if (is_error(value)) return value;
        if (is_tensor(value)) {
            result = result ? logical(l, is_and, result, value, expr->span) : value;
            if (is_error(result)) return result;
            continue;
        }
        if (value->kind == OBJECT_OPAQUE) return lower_unknown(l, value, expr->items[i]->span);
        if (!object_truth(value, &truth))
            return lower_error(l, expr->items[i]->span, "%s has no truth value at compile time",
                               lower_type_text(l, value));
        if (truth != is_and) return value; /* decides, whatever the others are */
        /* Else it says nothing beside tensors, as in Triton: 'lanes and 2' is lanes. */
    }
    return result ? result : value;
}

static Object *comparison(Lower *l, const Expr *expr) {
    if (expr->num_items != 1) {
        Object *poison = lower_error(l, expr->span, "chained comparison is not supported");
        lower_help(l, "write it as two comparisons joined with '&' (or 'and' for scalars)");
        return poison;
    }
    Object *a = lower_expr(l, expr->left), *b = lower_expr(l, expr->items[0]);
    Operator op = expr->operators[0];
    if (is_error(a) || is_error(b)) return object_error(l->arena);
    l->caret = expr->caret;
    if (op == OPERATOR_IS || op == OPERATOR_IS_NOT) {
        bool same = a == b;
        bool is_sequence = a->kind == OBJECT_TUPLE || a->kind == OBJECT_LIST;
        if (!same && !is_tensor(a) && a->kind == b->kind && !is_sequence) same = object_equal(a, b);
        return object_bool(l->arena, same == (op == OPERATOR_IS));
    }
    return compare(l, op, a, b, expr->span);
}

static Object *comprehension(Lower *l, const Expr *expr) {
    if (!str_is(expr->text, "list") && !str_is(expr->text, "generator"))
        return lower_error(l, expr->span, "a %.*s comprehension is not supported in a kernel",
                           STR_ARG(expr->text));
    if (expr->num_clauses != 1 || expr->clauses[0].num_conditions)
        return lower_error(
            l, expr->span,
            "only a comprehension with one 'for' and no 'if' is supported in a kernel");
    const Clause *clause = &expr->clauses[0];
    Object *over = lower_expr(l, clause->iterable);
    if (is_error(over)) return over;
    if (over->kind != OBJECT_TUPLE && over->kind != OBJECT_LIST)
        return lower_error(l, clause->iterable->span,
                           "a comprehension in a kernel can run over a tuple only, got %s",
                           lower_type_text(l, over));
    Object **items = arena_array(l->arena, Object *, over->num_items ? over->num_items : 1);
    Env saved = env_copy(l, &l->frame->env);
    for (int i = 0; i < over->num_items; i++) {
        if (!lower_step(l, expr->span)) return object_error(l->arena);
        lower_assign(l, clause->target, over->items[i], clause->target->span);
        items[i] = lower_expr(l, expr->left);
    }
    l->frame->env = saved;
    return object_tuple(l->arena, over->num_items, items);
}

/* ---- subscripts ---- */

static bool slice_bound(Lower *l, Object *bound, int64_t absent, int64_t length, int64_t *at,
                        Span span) {
    if (!bound || is_none(bound)) return *at = absent, true;
    if (!object_is_integral(bound)) {
        lower_error(l, span, "a slice of a tuple needs compile-time ints, got %s",
                    lower_type_text(l, bound));
        return false;
    }
    int128 n = bound->integer < 0 ? bound->integer + length : bound->integer;
    *at = n < 0 ? 0 : n > length ? length : (int64_t)n;
    return true;
}

static Object *slice_tuple(Lower *l, Object *tuple, Object *slice, Span span) {
    int64_t start, stop;
    Object *step = slice->num_items > 2 ? slice->items[2] : NULL;
    if (step && !is_none(step) && !(object_is_integral(step) && step->integer == 1)) {
        if (object_is_integral(step) && step->integer == -1 && is_none(slice->items[0]) &&
            is_none(slice->items[1])) {
            Object *reversed = object_tuple(l->arena, tuple->num_items, tuple->items);
            for (int i = 0; i < tuple->num_items; i++)
                reversed->items[i] = tuple->items[tuple->num_items - 1 - i];
            return reversed;
        }
        return lower_refused(l, span, "a slice with this step is not supported");
    }
    if (!slice_bound(l, slice->items[0], 0, tuple->num_items, &start, span))
        return object_error(l->arena);
    if (!slice_bound(l, slice->items[1], tuple->num_items, tuple->num_items, &stop, span))
        return object_error(l->arena);
    if (stop < start) stop = start;
    Object *result = object_tuple(l->arena, (int)(stop - start), tuple->items + start);
    result->kind = tuple->kind;
    return result;
}

static Object *subscript(Lower *l, const Expr *expr) {
    Object *value = lower_expr(l, expr->left), *index = lower_expr(l, expr->right);
    if (is_error(value) || is_error(index)) return object_error(l->arena);
    if (is_tensor(value)) return subscript_tensor(l, value, index, expr->span);
    bool text = value->kind == OBJECT_STR;
    if (value->of_class) {
        Object *getter = value_attribute(l->arena, value, STR("__getitem__"));
        if (!getter)
            return lower_error(
                l, expr->span,
                "an aggregate without __getitem__ cannot be indexed: name its field");
        return lower_call_object(l, getter, 1, &index, NULL, &expr->right->span, expr->span, NULL);
    }
    if (value->kind == OBJECT_DICT) {
        for (int i = 0; i + 1 < value->num_items; i += 2)
            if (object_equal(value->items[i], index)) return value->items[i + 1];
        return lower_error(l, expr->right->span, "the dict has no such key");
    }
    if (value->kind == OBJECT_BUILTIN || value->kind == OBJECT_FUNCTION)
        return lower_error(l, expr->span,
                           "a kernel cannot launch another one: call jit functions without a grid");
    if (value->kind != OBJECT_TUPLE && value->kind != OBJECT_LIST && !text)
        return lower_error(l, expr->span, "%s cannot be indexed", lower_type_text(l, value));
    if (text && !object_is_ascii(value))
        return lower_refused(l, expr->span, "letters of text beyond ASCII are not supported");
    if (index->kind == OBJECT_SLICE && !text) return slice_tuple(l, value, index, expr->span);
    if (!object_is_integral(index))
        return lower_error(l, expr->right->span,
                           "the index of a tuple must be a compile-time int, got %s",
                           lower_type_text(l, index));
    int count = text ? value->text.length : value->num_items;
    int128 at = index->integer < 0 ? index->integer + count : index->integer;
    if (at < 0 || at >= count)
        return lower_error(l, expr->right->span, "index %lld is out of range for %d item%s",
                           (long long)index->integer, count, count == 1 ? "" : "s");
    if (text) return object_str(l->arena, (Str){value->text.data + at, 1});
    return value->items[at];
}

static Object *slice(Lower *l, const Expr *expr) {
    Object *object = object_new(l->arena, OBJECT_SLICE);
    const Expr *parts[] = {expr->left, expr->right, expr->condition};
    object->num_items = 3;
    object->items = arena_array(l->arena, Object *, 3);
    for (int i = 0; i < 3; i++)
        object->items[i] = parts[i] ? lower_expr(l, parts[i]) : object_none(l->arena);
    return object;
}

/* ---- attributes ---- */

static Object *method(Lower *l, Object *self, const Builtin *builtin) {
    Object *object = object_new(l->arena, OBJECT_METHOD);
    object->builtin = builtin;
    object->num_items = 1;
    object->items = arena_array(l->arena, Object *, 1);
    object->items[0] = self;
    return object;
}

static Object *type_object(Lower *l, const Object *tensor) {
    Object *type = object_dtype(l->arena, tensor->ltype);
    type->rank = tensor_rank(tensor);
    memcpy(type->shape, tensor_shape(tensor), sizeof(int) * (size_t)type->rank);
    return type;
}

static Object *tensor_attribute(Lower *l, Object *tensor, Str text, Span span) {
    int rank = tensor_rank(tensor);
    if (l->map && !str_is(text, "dtype") && !builtin_member(text))
        return lower_refused(l, span, "'.%.*s' in map_elementwise is not supported", STR_ARG(text));
    if (str_is(text, "shape")) return shape_object(l, rank, tensor_shape(tensor));
    if (str_is(text, "dtype")) return object_dtype(l->arena, tensor->ltype);
    if (str_is(text, "type")) return type_object(l, tensor);
    if (str_is(text, "numel")) return object_int(l->arena, tensor->value->type->lanes);
    if (str_is(text, "T")) {
        if (rank != 2)
            return lower_error(l, span, "'.T' needs two dimensions, got %s",
                               lower_shape_text(l, rank, tensor_shape(tensor)));
        return tensor_like(l, tensor, build_trans(&l->builder, tensor->value, (int[]){1, 0}));
    }
    const Builtin *builtin = builtin_member(text);
    if (builtin) return method(l, tensor, builtin);
    Object *poison = lower_error(l, span, "a tensor has no attribute '%.*s'", STR_ARG(text));
    if (str_is(text, "value"))
        lower_help(l, "'.value' is for compile-time values: this one is known at run time only");
    else
        suggest_member(l, text);
    return poison;
}

static Object *aggregate_attribute(Lower *l, Object *value, Str text, Span span) {
    bool block = value->kind == OBJECT_BLOCK_POINTER;
    static const char *const fields[] = {"base",    "shape",       "strides",
                                         "offsets", "block_shape", "order"};
    static const char *const descriptor[] = {"base", "shape", "strides", "block_shape"};
    if (str_is(text, "dtype"))
        return object_dtype(l->arena,
                            block ? value->items[0]->ltype : ltype_element(value->items[0]->ltype));
    if (str_is(text, "type") && block) return object_dtype(l->arena, value->items[0]->ltype);
    int count = block ? COUNT(fields) : COUNT(descriptor);
    for (int i = 0; i < count; i++)
        if (str_is(text, block ? fields[i] : descriptor[i])) return value->items[i];
    if (!block && str_is(text, "_padding")) return object_str(l->arena, value->text);
    const Builtin *builtin = builtin_find(block ? "block_pointer" : "tensor_descriptor", text);
    if (builtin) return method(l, value, builtin);
    return lower_error(l, span, "a %s has no attribute '%.*s'",
                       block ? "block pointer" : "tensor descriptor", STR_ARG(text));
}

Object *lower_attribute(Lower *l, Object *value, Str text, Span span) {
    if (is_error(value)) return value;
    if (is_tensor(value)) return tensor_attribute(l, value, text, span);
    if (value->kind == OBJECT_BLOCK_POINTER || value->kind == OBJECT_DESCRIPTOR)
        return aggregate_attribute(l, value, text, span);
    int before = l->diag->num_errors + l->diag->num_refused;
    if (value->kind == OBJECT_MODULE) {
        Object *found = value->module ? module_lookup(l->arena, value->module, text, l->diag)
                                      : builtin_attribute(l->arena, value->text, text);
        if (found) return found;
        if (l->diag->num_errors + l->diag->num_refused > before) return object_error(l->arena);
        if (value->module)
            return lower_error(l, span, "module has no attribute '%.*s'", STR_ARG(text));
        lower_error(l, span, "module '%.*s' has no attribute '%.*s'", STR_ARG(value->text),
                    STR_ARG(text));
        suggest_in_module(l, value->text, text);
        return object_error(l->arena);
    }
    if (str_is(text, "type") &&
        (object_is_number(value) || value->kind == OBJECT_STR || is_none(value))) {
        const Builtin *builtin = builtin_find("triton.language", STR("constexpr_type"));
        return builtin->run(
            l, &(Call){.builtin = builtin, .args = &value, .span = span, .spans = {span}});
    }
    /* A compile-time value is its own .value. */
    if (str_is(text, "value") && value->kind != OBJECT_CLASS && value->kind != OBJECT_OPAQUE)
        return value;
    if (value->names)
        for (int i = 0; i < value->num_items; i++)
            if (str_equal(value->names[i], text)) return value->items[i];
    Object *found = value_attribute(l->arena, value, text);
    if (found) return found;
    if (value->kind == OBJECT_OPAQUE) {
        Object *part = import_attribute(l->arena, value, text, l->diag);
        part->global = value->global;
        return part; /* whoever needs its value complains */
    }
    return lower_error(l, span, "%s has no attribute '%.*s'", lower_type_text(l, value),
                       STR_ARG(text));
}

/* ---- all of them ---- */

static Object *unsupported(Lower *l, const Expr *expr, const char *what, const char *help) {
    Object *poison = lower_error(l, expr->span, "%s is not supported in a kernel", what);
    if (help) lower_help(l, "%s", help);
    return poison;
}

static Object *visit(Lower *l, const Expr *expr) {
    switch (expr->kind) {
    case EXPR_NAME: return name(l, expr);
    case EXPR_INT: return integer(l, expr);
    case EXPR_FLOAT: return object_float(l->arena, expr->number);
    case EXPR_STRING: return object_str(l->arena, expr->text);
    case EXPR_FSTRING: return fstring(l, expr);
    case EXPR_TRUE: return object_bool(l->arena, true);
    case EXPR_FALSE: return object_bool(l->arena, false);
    case EXPR_NONE: return object_none(l->arena);
    case EXPR_ELLIPSIS: return object_new(l->arena, OBJECT_ELLIPSIS);
    case EXPR_TUPLE: return sequence(l, expr, OBJECT_TUPLE);
    case EXPR_LIST: return sequence(l, expr, OBJECT_TUPLE); /* one kind in a kernel */
    case EXPR_UNARY: {
        Object *operand = lower_expr(l, expr->left);
        return unary(l, expr->op, operand, expr->span);
    }
    case EXPR_BINARY: {
        Object *a = lower_expr(l, expr->left), *b = lower_expr(l, expr->right);
        l->caret = expr->caret;
        return binary(l, expr->op, a, b, expr->span);
    }
    case EXPR_COMPARE: return comparison(l, expr);
    case EXPR_AND:
    case EXPR_OR: return and_or(l, expr);
    case EXPR_NOT: return logical_not(l, lower_expr(l, expr->left), expr->span);
    case EXPR_TERNARY: return ternary(l, expr);
    case EXPR_CALL: return lower_call(l, expr);
    case EXPR_ATTRIBUTE:
        return lower_attribute(l, lower_expr(l, expr->left), expr->text, expr->span);
    case EXPR_SUBSCRIPT: return subscript(l, expr);
    case EXPR_SLICE: return slice(l, expr);
    case EXPR_COMPREHENSION: return comprehension(l, expr);
    case EXPR_WALRUS: {
        Object *value = lower_target_value(l, lower_expr(l, expr->left), expr->span);
        env_set(l, &l->frame->env, expr->text, value, expr->span);
        return value;
    }
    case EXPR_STARRED: return lower_error(l, expr->span, "'*' is not supported here");
    case EXPR_LAMBDA:
        return unsupported(l, expr, "lambda", "write a function decorated with @triton.jit");
    case EXPR_SET: return unsupported(l, expr, "a set", "a tuple is");
    case EXPR_DICT: return unsupported(l, expr, "a dict", "a NamedTuple is");
    case EXPR_YIELD: return unsupported(l, expr, "yield", "return a tuple");
    case EXPR_IMAGINARY: return unsupported(l, expr, "a complex number", "a tuple of two is");
    case EXPR_BYTES: return unsupported(l, expr, "a bytes literal", NULL);
    case EXPR_AWAIT: return unsupported(l, expr, "await", NULL);
    case EXPR_ABSENT: return unsupported(l, expr, "this syntax", NULL);
    case EXPR_FORMAT: break; /* a part of an f-string */
    }
    BUG("an expression of kind %d", expr->kind);
}

Object *lower_expr(Lower *l, const Expr *expr) {
    if (!lower_step(l, expr->span)) return object_error(l->arena);
    if (l->depth >= MAX_NESTING) {
        lower_error(l, expr->span, "expressions and calls are nested more than %d deep",
                    MAX_NESTING);
        l->stopped = true;
        return object_error(l->arena);
    }
    Span saved = l->builder.span;
    int caret = l->caret;
    l->builder.span = expr->span, l->caret = -1, l->depth++;
    Object *value = visit(l, expr);
    l->builder.span = saved, l->caret = caret, l->depth--;
    return value;
}
