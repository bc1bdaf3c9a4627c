// SPDX-License-Identifier: Apache-2.0
/* builtin_map: tl.map_elementwise: a function of scalars over all lanes of tiles.
 *
 * The function is lowered once, with tiles in place of its scalars: what is elementwise means the
 * same. Where its `if` differs per lane both arms run and the values are selected
 * (lower_control.c); so nothing that has an effect, or that sees more than its own lane, may be in
 * it. */
#include "lang/lower.h"

enum { MAX_PACK = 64 };

bool map_allows(Lower *l, const Builtin *builtin, Span span) {
    static const char *const elementwise[] = {
        "where",         "minimum",    "maximum",  "clamp",  "abs",          "sigmoid",
        "fdiv",          "div_rn",     "fma",      "to",     "cast",         "cdiv",
        "add",           "sub",        "mul",      "umulhi", "static_print", "logical_and",
        "static_assert", "logical_or", "to_tensor"};
    if (builtin->kind == BUILTIN_STATIC || builtin->run == builtin_lanes) return true;
    if (!strcmp(builtin->module, "triton.language.extra.libdevice")) return true;
    for (int i = 0; i < COUNT(elementwise); i++)
        if (!strcmp(builtin->name, elementwise[i])) return true;
    lower_refused(l, span, "'%s' in map_elementwise is not supported", builtin->name);
    lower_help(l, "the function gets one element of each tensor and gives one of each result");
    return false;
}

Object *map_widen(Lower *l, Object *value) {
    if (object_is_number(value)) value = to_tensor(l, value, l->builder.span);
    if (is_tensor(value) && !is_block(value))
        return splat_to(l, value, tensor_rank(l->map), tensor_shape(l->map));
    if (value->kind != OBJECT_TUPLE && value->kind != OBJECT_LIST) return value;
    Object *wide = object_new(l->arena, value->kind);
    *wide = *value;
    wide->items = arena_array(l->arena, Object *, value->num_items + 1);
    for (int i = 0; i < value->num_items; i++) wide->items[i] = map_widen(l, value->items[i]);
    return wide;
}

/* ---- pack: the elements that lie side by side, as so many tiles ---- */

static Object *call_shape(Lower *l, const char *name, int count, Object **args, Span span) {
    Object callee = {.kind = OBJECT_BUILTIN,
                     .builtin = builtin_find("triton.language", str_of(name))};
    Span spans[] = {span, span};
    return lower_call_object(l, &callee, count, args, NULL, spans, span, NULL);
}

/* parts[i] gets the elements i, i + pack, i + 2 pack .. of the last dimension. */
static bool unpack(Lower *l, Object *tile, int pack, Object **parts, int stride, Span span) {
    if (is_error(tile)) return false;
    if (pack == 1) return parts[0] = tile, true;
    int rank = tensor_rank(tile), shape[MAX_RANK + 1];
    memcpy(shape, tensor_shape(tile), sizeof(int) * (size_t)rank);
    shape[rank - 1] /= 2, shape[rank] = 2;
    if (!tile_fits(l, rank + 1, shape, span)) return false;
    Object *pairs = reshape(l, tile, rank + 1, shape, span);
    Object *halves = call_shape(l, "split", 1, &pairs, span);
    if (is_error(halves)) return false;
    return unpack(l, halves->items[0], pack / 2, parts, 2 * stride, span) &&
           unpack(l, halves->items[1], pack / 2, parts + stride, 2 * stride, span);
}

static Object *packed(Lower *l, Object **parts, int pack, int stride, Span span) {
    if (pack == 1) return parts[0];
    Object *halves[] = {packed(l, parts, pack / 2, 2 * stride, span),
                        packed(l, parts + stride, pack / 2, 2 * stride, span)};
    return call_shape(l, "interleave", 2, halves, span);
}

/* ---- the call ---- */

/* The tensors, of one shape; false after a diagnostic. */
static bool take_tensors(Lower *l, const Call *call, Object **tensors) {
    const Object *given = call->args[1];
    int count = given->num_items;
    for (int i = 0; i < count; i++) {
        if (!is_tensor(given->items[i]) && !object_is_number(given->items[i])) {
            call_fail(l, call, 1, "map_elementwise needs tensors, got %s",
                      lower_type_text(l, given->items[i]));
            return false;
        }
        tensors[i] = to_tensor(l, given->items[i], call->spans[1]);
    }
    for (int turn = 0; turn < 2; turn++)
        for (int i = 1; i < count; i++)
            if (!broadcast_pair(l, &tensors[0], &tensors[i], call->span)) return false;
    return true;
}

static Object *collect(Lower *l, const Call *call, Object *result, int pack) {
    bool one = result->kind != OBJECT_TUPLE && result->kind != OBJECT_LIST;
    int count = one ? 1 : result->num_items;
    Object *const *items = one ? &result : result->items;
    if (!count || count % pack)
        return call_fail(l, call, 0,
                         "the function gives %d results, which %d elements do not share", count,
                         pack);
    Object **whole = arena_array(l->arena, Object *, count);
    for (int r = 0; r < count; r += pack) {
        for (int i = 0; i < pack; i++) {
            whole[r + i] = items[r + i];
            if (!is_tensor(whole[r + i]))
                return call_fail(l, call, 0, "the function must give numbers, not %s",
                                 lower_type_text(l, items[r + i]));
            if (!ltype_same(whole[r]->ltype, whole[r + i]->ltype))
                return call_fail(l, call, 0, "the packed results differ: %s and %s",
                                 lower_type_text(l, whole[r]), lower_type_text(l, whole[r + i]));
        }
        whole[r / pack] = packed(l, whole + r, pack, 1, call->span);
    }
    return one ? whole[0] : object_tuple(l->arena, count / pack, whole);
}

Object *builtin_map_elementwise(Lower *l, const Call *call) {
    Object *function = call->args[0];
    int count = call->args[1]->num_items;
    int64_t pack;
    if (function->kind != OBJECT_FUNCTION)
        return call_fail(l, call, 0, "'scalar_fn' must be a jit function, got %s",
                         lower_type_text(l, function));
    if (!count) return call_fail(l, call, WHOLE_CALL, "map_elementwise needs a tensor");
    Object **tensors = arena_array(l->arena, Object *, count);
    if (!arg_int(l, call, 2, &pack) || !take_tensors(l, call, tensors))
        return object_error(l->arena);
    int rank = tensor_rank(tensors[0]);
    if (pack < 1 || pack > MAX_PACK || (pack & (pack - 1)) ||
        pack > (rank ? tensor_shape(tensors[0])[rank - 1] : 1))
        return call_fail(l, call, 2,
                         "'pack' must be a power of two up to %d and to the last dimension, got "
                         "%lld",
                         MAX_PACK, (long long)pack);
    Object **parts = arena_array(l->arena, Object *, count * pack);
    Span *spans = arena_array(l->arena, Span, count * pack);
    for (int i = 0; i < count; i++)
        if (!unpack(l, tensors[i], (int)pack, parts + i * pack, 1, call->span))
            return object_error(l->arena);
    for (int i = 0; i < count * pack; i++) spans[i] = call->spans[1];
    const Object *outer = l->map;
    bool in_region = l->frame->in_region;
    l->map = rank ? parts[0] : outer;
    l->frame->in_region = true;
    Object *result =
        lower_call_object(l, function, (int)(count * pack), parts, NULL, spans, call->span, NULL);
    if (l->map && !is_error(result)) result = map_widen(l, result);
    l->map = outer;
    l->frame->in_region = in_region;
    return is_error(result) ? result : collect(l, call, result, (int)pack);
}
