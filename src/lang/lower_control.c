// SPDX-License-Identifier: Apache-2.0
/* lower_control: run-time if, for and while become structured ops. Names that change inside are
 * results of the op; each must keep its exact type. */
#include "lang/lower.h"

/* ---- regions ---- */

typedef struct Place {
    Region *region;
    Op *before;
    Span span;
} Place;

static Place enter(Lower *l, Region *region) {
    Place place = {l->builder.region, l->builder.before, l->builder.span};
    l->builder.region = region;
    l->builder.before = NULL;
    if (++l->regions > MAX_REGIONS && !l->stopped) {
        lower_error(l, l->builder.span, "run-time ifs and loops are nested more than %d deep",
                    MAX_REGIONS);
        lower_help(l, "what follows an 'if' that may return counts as inside it");
        l->stopped = true;
    }
    return place;
}

static void leave(Lower *l, Place place) {
    l->regions--;
    l->builder.region = place.region;
    l->builder.before = place.before;
    l->builder.span = place.span;
}

typedef struct Values {
    int count, capacity;
    Value **data;
} Values;

static void add_values(Lower *l, Values *values, const Object *object) {
    Flat flat;
    if (!flatten(l, object, &flat)) return;
    for (int i = 0; i < flat.count; i++) vec_push(l->arena, values, flat.values[i]);
}

static void yield_values(Lower *l, Region *region, const Values *values) {
    Place place = enter(l, region);
    l->builder.span = place.span;
    build_yield(&l->builder, values->count, values->data);
    leave(l, place);
}

static const Type **types_of(Lower *l, const Values *values) {
    const Type **types = arena_array(l->arena, const Type *, values->count ? values->count : 1);
    for (int i = 0; i < values->count; i++) types[i] = values->data[i]->type;
    return types;
}

static Value **results_of(Lower *l, Op *op) {
    Value **results = arena_array(l->arena, Value *, op->num_results ? op->num_results : 1);
    for (int i = 0; i < op->num_results; i++) results[i] = &op->results[i];
    return results;
}

/* ---- if ---- */

typedef struct Arm {
    Region *region;
    Env env;
    bool returned;
    Object *result;
    Span result_span;
} Arm;

/* In map_elementwise a condition may differ per lane: both arms run, in place, and their values are
 * selected. The functions that are mapped have no effects. */
static Region *arm_region(Lower *l, const Value *condition) {
    return type_is_tile(condition->type) ? l->builder.region : region_new(l->fn);
}

static void run_arm(Lower *l, Arm *arm, const Value *condition, const Env *start,
                    const Block *block, Cont *rest) {
    Frame *frame = l->frame;
    arm->region = arm_region(l, condition);
    Place place = enter(l, arm->region);
    frame->env = env_copy(l, start);
    Cont cont = {.block = block, .next = rest};
    lower_run(l, &cont);
    arm->env = frame->env;
    arm->returned = frame->returned;
    arm->result = frame->result;
    arm->result_span = frame->result_span;
    frame->returned = false;
    frame->result = NULL;
    leave(l, place);
}

/* What a name is after the two arms; NULL when it is not usable any more. */
static Object *merge_name(Lower *l, const Stmt *stmt, Str text, const Binding *before, Binding *a,
                          Binding *b, bool *changes) {
    Object *left = a ? a->value : NULL, *right = b ? b->value : NULL;
    Object *old = before ? before->value : NULL;
    *changes = false;
    if (!left || !right) return NULL;
    if (same_values(left, right)) return left;
    if (holds_error(left) || holds_error(right)) return object_error(l->arena);
    if (old && !holds_tensor(old) && !(left != old && right != old)) {
        if (!holds_tensor(left) && !holds_tensor(right)) return left == old ? right : left;
        lower_error(l, left != old ? a->span : b->span,
                    "'%.*s' is a compile-time value (%s) before the run-time 'if': it cannot "
                    "become %s in one arm only",
                    STR_ARG(text), lower_type_text(l, old),
                    lower_type_text(l, left != old ? left : right));
        lower_note(l, stmt->span, "this condition is known at run time only");
        return object_error(l->arena);
    }
    if (same_shape_of_value(left, right)) {
        *changes = true;
        return left;
    }
    if (old && (left == old || right == old)) {
        Binding *changed = left == old ? b : a;
        lower_error(l, changed->span, "'%.*s' is %s before the 'if' but becomes %s in the '%s' arm",
                    STR_ARG(text), lower_type_text(l, old), lower_type_text(l, changed->value),
                    left == old ? "else" : "then");
        lower_note(l, before->span, "'%.*s' gets its type here", STR_ARG(text));
    } else {
        lower_error(l, b->span, "'%.*s' is %s in the 'then' arm but %s in the 'else' arm",
                    STR_ARG(text), lower_type_text(l, left), lower_type_text(l, right));
        lower_note(l, a->span, "in the 'then' arm it is set here");
    }
    if (is_tensor(left) && is_tensor(right)) lower_help(l, "cast one of them with .to(..)");
    return object_error(l->arena);
}

static Value **build_if(Lower *l, Value *condition, Arm *arms, const Values *left,
                        const Values *right) {
    if (type_is_tile(condition->type)) {
        Value **selected = arena_array(l->arena, Value *, left->count + 1);
        for (int i = 0; i < left->count; i++)
            selected[i] = build_select(&l->builder, condition, left->data[i], right->data[i]);
        return selected;
    }
    yield_values(l, arms[0].region, left);
    yield_values(l, arms[1].region, right);
    return results_of(l, build_op(&l->builder, OP_IF, 1, &condition, left->count, types_of(l, left),
                                  2, (Region *[]){arms[0].region, arms[1].region}));
}

void lower_if(Lower *l, const Stmt *stmt, Value *condition) {
    Frame *frame = l->frame;
    Env start = frame->env, merged;
    Arm arms[2];
    run_arm(l, &arms[0], condition, &start, &stmt->body, NULL);
    run_arm(l, &arms[1], condition, &start, &stmt->orelse, NULL);
    merged = env_copy(l, &arms[0].env);
    for (int i = 0; i < arms[1].env.count; i++)
        if (!env_find(&merged, arms[1].env.data[i].name))
            vec_push(l->arena, &merged, arms[1].env.data[i]);
    Values left = {0}, right = {0};
    VEC(int) changed = {0};
    for (int i = 0; i < merged.count; i++) {
        Binding *binding = &merged.data[i];
        Binding *a = env_find(&arms[0].env, binding->name),
                *b = env_find(&arms[1].env, binding->name);
        bool changes;
        if (l->map && a && b && a->value && b->value && !same_values(a->value, b->value))
            a->value = map_widen(l, a->value), b->value = map_widen(l, b->value);
        binding->value =
            merge_name(l, stmt, binding->name, env_find(&start, binding->name), a, b, &changes);
        if (!changes) continue;
        add_values(l, &left, a->value);
        add_values(l, &right, b->value);
        vec_push(l->arena, &changed, i);
    }
    frame->env = merged;
    Value **results = build_if(l, condition, arms, &left, &right);
    int next = 0;
    for (int i = 0; i < changed.count; i++) {
        Binding *binding = &merged.data[changed.data[i]];
        binding->value = unflatten(l, binding->value, results, &next);
        if (is_tensor(binding->value)) binding->value->value->name = binding->name;
    }
}

/* ---- an if that may return: what follows it runs in the arms, so the frame ends here ---- */

/* Compile-time results that differ become tensors. */
static Object *join_results(Lower *l, Arm *arms, Object **left, Object **right) {
    Object *a = *left, *b = *right;
    if (holds_error(a) || holds_error(b)) return object_error(l->arena);
    if (same_shape_of_value(a, b)) return a;
    bool sequences = (a->kind == OBJECT_TUPLE || a->kind == OBJECT_LIST) && a->kind == b->kind;
    if (sequences && a->num_items == b->num_items) {
        Object *joined[3];
        Object *const sources[3] = {a, b, a};
        for (int k = 0; k < 3; k++) {
            joined[k] = object_new(l->arena, a->kind);
            *joined[k] = *sources[k];
            joined[k]->items = arena_array(l->arena, Object *, a->num_items ? a->num_items : 1);
            memcpy(joined[k]->items, sources[k]->items, sizeof(Object *) * (size_t)a->num_items);
        }
        for (int i = 0; i < a->num_items; i++) {
            joined[2]->items[i] = join_results(l, arms, &joined[0]->items[i], &joined[1]->items[i]);
            if (is_error(joined[2]->items[i])) return joined[2]->items[i];
        }
        *left = joined[0], *right = joined[1];
        return joined[2];
    }
    Object *both[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        if (!object_is_number(both[k])) continue;
        Place place = enter(l, arms[k].region);
        both[k] = to_tensor(l, both[k], arms[k].result_span);
        leave(l, place);
    }
    if (same_shape_of_value(both[0], both[1])) {
        *left = both[0], *right = both[1];
        return both[0];
    }
    Object *poison = lower_error(l, arms[1].result_span, "return types differ: %s and %s",
                                 lower_type_text(l, both[0]), lower_type_text(l, both[1]));
    lower_note(l, arms[0].result_span, "the other return is here");
    return poison;
}

/* An arm that fell off the end gives nothing: some value of the other's type. */
static Object *poison_like(Lower *l, const Arm *arm, const Object *like) {
    Flat flat;
    int next = 0;
    if (!flatten(l, like, &flat)) return object_error(l->arena);
    Place place = enter(l, arm->region);
    for (int i = 0; i < flat.count; i++)
        flat.values[i] =
            op_result(build_op(&l->builder, OP_POISON, 0, NULL, 1, &flat.values[i]->type, 0, NULL));
    leave(l, place);
    return unflatten(l, like, flat.values, &next);
}

void lower_if_returning(Lower *l, const Stmt *stmt, Value *condition, Cont *rest) {
    Frame *frame = l->frame;
    Env start = frame->env;
    Arm arms[2];
    run_arm(l, &arms[0], condition, &start, &stmt->body, rest);
    run_arm(l, &arms[1], condition, &start, &stmt->orelse, rest);
    Object *results[2] = {arms[0].result, arms[1].result};
    bool nothing[2];
    for (int k = 0; k < 2; k++) nothing[k] = !results[k];
    for (int k = 0; k < 2; k++) {
        if (!nothing[k]) continue;
        if (nothing[!k] || is_none(results[!k]))
            results[k] = object_none(l->arena);
        else
            results[k] = poison_like(l, &arms[k], results[!k]);
    }
    for (int k = 0; k < 2 && l->map; k++) results[k] = map_widen(l, results[k]);
    Object *joined = join_results(l, arms, &results[0], &results[1]);
    Values left = {0}, right = {0};
    if (!is_error(joined)) {
        add_values(l, &left, results[0]);
        add_values(l, &right, results[1]);
    }
    Value **joined_values = build_if(l, condition, arms, &left, &right);
    int next = 0;
    frame->env = start;
    frame->returned = true;
    frame->result = is_error(joined) ? joined : unflatten(l, joined, joined_values, &next);
    frame->result_span = arms[arms[0].result ? 0 : 1].result_span;
}

Object *lower_ternary(Lower *l, const Expr *expr, Value *condition) {
    Arm arms[2] = {{0}};
    Object *values[2];
    const Expr *exprs[2] = {expr->left, expr->right};
    for (int k = 0; k < 2; k++) {
        arms[k].region = arm_region(l, condition);
        Place place = enter(l, arms[k].region);
        values[k] = lower_expr(l, exprs[k]);
        if (object_is_number(values[k])) values[k] = to_tensor(l, values[k], exprs[k]->span);
        if (l->map) values[k] = map_widen(l, values[k]);
        leave(l, place);
    }
    bool error = holds_error(values[0]) || holds_error(values[1]);
    if (!error && (!same_shape_of_value(values[0], values[1]))) {
        lower_error(l, expr->span,
                    "the arms of a run-time conditional expression differ: %s and %s",
                    lower_type_text(l, values[0]), lower_type_text(l, values[1]));
        if (is_tensor(values[0]) && is_tensor(values[1]))
            lower_help(l, "cast one of them with .to(..), or use tl.where");
        error = true;
    }
    Values left = {0}, right = {0};
    if (!error) add_values(l, &left, values[0]), add_values(l, &right, values[1]);
    Value **joined = build_if(l, condition, arms, &left, &right);
    int next = 0;
    return error ? object_error(l->arena) : unflatten(l, values[0], joined, &next);
}

/* ---- loops ---- */

typedef struct Carried {
    Str name;
    Object *before;
    Span span;
    int first, count; /* among the carried tensors */
} Carried;

typedef struct Loop {
    int num_carried;
    Carried *carried;
    Values inits;
    Env before;
} Loop;

/* Names that exist with tensors in them and are assigned somewhere in the body. */
static void find_carried(Lower *l, const Stmt *stmt, Loop *loop, const Str *skip) {
    Names names = {0};
    names_assigned(l, &stmt->body, &names);
    loop->before = l->frame->env;
    loop->carried = arena_array(l->arena, Carried, names.count ? names.count : 1);
    for (int i = 0; i < names.count; i++) {
        const Binding *binding = env_find(&loop->before, names.data[i]);
        if (!binding || !binding->value || !holds_tensor(binding->value)) continue;
        if (skip && str_equal(*skip, names.data[i])) continue;
        Object *before = l->map ? map_widen(l, binding->value) : binding->value;
        Carried *carried = &loop->carried[loop->num_carried++];
        *carried = (Carried){binding->name, before, binding->span, loop->inits.count, 0};
        add_values(l, &loop->inits, before);
        carried->count = loop->inits.count - carried->first;
    }
}

static void bind_carried(Lower *l, const Loop *loop, Value *const *values) {
    int next = 0;
    for (int i = 0; i < loop->num_carried; i++) {
        const Carried *carried = &loop->carried[i];
        Object *value = unflatten(l, carried->before, values, &next);
        env_set(l, &l->frame->env, carried->name, value, carried->span);
        for (int k = 0; k < carried->count; k++)
            if (carried->count == 1) values[carried->first + k]->name = carried->name;
    }
}

/* The values that the body leaves behind, checked. */
static void collect_carried(Lower *l, const Loop *loop, Values *values, bool *poisoned) {
    for (int i = 0; i < loop->num_carried; i++) {
        const Carried *carried = &loop->carried[i];
        Binding *after = env_find(&l->frame->env, carried->name);
        if (l->map && after && after->value) after->value = map_widen(l, after->value);
        if (after && after->value && same_shape_of_value(carried->before, after->value)) {
            add_values(l, values, after->value);
            continue;
        }
        poisoned[i] = true;
        Value **keep = loop->inits.data + carried->first;
        for (int k = 0; k < carried->count; k++) vec_push(l->arena, values, keep[k]);
        if (after && after->value && holds_error(after->value)) continue;
        if (!after || !after->value) {
            lower_error(l, after ? after->span : carried->span,
                        "'%.*s' is set in one arm of a run-time 'if' only, but the loop needs it "
                        "in the next turn",
                        STR_ARG(carried->name));
            continue;
        }
        lower_error(l, after->span, "'%.*s' is %s before the loop but becomes %s in it",
                    STR_ARG(carried->name), lower_type_text(l, carried->before),
                    lower_type_text(l, after->value));
        lower_note(l, carried->span, "'%.*s' gets its type here", STR_ARG(carried->name));
        if (is_tensor(carried->before) && is_tensor(after->value))
            lower_help(
                l, "a loop variable must keep its type and shape: start with the right one, as in "
                   "0.0 or tl.zeros(..), or cast with .to(..)");
    }
}

static void check_constants(Lower *l, const Loop *loop, const Str *skip) {
    for (int i = 0; i < loop->before.count; i++) {
        const Binding *before = &loop->before.data[i];
        if (!before->value || holds_tensor(before->value) || is_error(before->value)) continue;
        if (skip && str_equal(*skip, before->name)) continue;
        const Binding *after = env_find(&l->frame->env, before->name);
        if (!after || !after->value || after->value == before->value || holds_error(after->value))
            continue;
        if (!holds_tensor(after->value)) continue;
        lower_error(l, after->span,
                    "'%.*s' is a compile-time value (%s) and cannot be assigned in a loop",
                    STR_ARG(before->name), lower_type_text(l, before->value));
        lower_note(l, before->span, "it gets its value here");
        if (object_is_number(before->value))
            lower_help(l, "copy it to a variable before the loop, as in 'n = %.*s'",
                       STR_ARG(before->name));
    }
}

/* The environment after the loop: names first set inside are gone, carried ones are results. */
static void after_loop(Lower *l, const Loop *loop, Value *const *results, const bool *poisoned,
                       const Env *inside) {
    Frame *frame = l->frame;
    frame->env = env_copy(l, &loop->before);
    for (int i = 0; i < inside->count; i++)
        if (!env_find(&frame->env, inside->data[i].name)) {
            Binding gone = inside->data[i];
            gone.value = NULL;
            vec_push(l->arena, &frame->env, gone);
        }
    bind_carried(l, loop, results);
    for (int i = 0; i < loop->num_carried; i++)
        if (poisoned[i])
            env_set(l, &frame->env, loop->carried[i].name, object_error(l->arena),
                    loop->carried[i].span);
}

/* Carried values that the body leaves alone are not carried: drops argument and result k. */
static void keep_changed(const Values *inits, Region *const *regions, int num_regions,
                         int skip_args, Values *yields, Values *kept_inits, int *kept) {
    int count = 0;
    for (int k = 0; k < inits->count; k++) {
        Value *argument = regions[num_regions - 1]->args[skip_args + k];
        if (value_resolve(yields->data[k]) != argument)
            kept[count++] = k;
        else
            for (int r = 0; r < num_regions; r++)
                regions[r]->args[skip_args + k]->replaced = inits->data[k];
    }
    for (int i = 0; i < count; i++) {
        yields->data[i] = yields->data[kept[i]];
        kept_inits->data[i] = inits->data[kept[i]];
        for (int r = 0; r < num_regions; r++) {
            regions[r]->args[skip_args + i] = regions[r]->args[skip_args + kept[i]];
            regions[r]->args[skip_args + i]->index = skip_args + i;
        }
    }
    yields->count = kept_inits->count = count;
    for (int r = 0; r < num_regions; r++) regions[r]->num_args = skip_args + count;
}

static Value **spread_results(Lower *l, const Values *inits, Op *op, const int *kept) {
    Value **results = arena_array(l->arena, Value *, inits->count ? inits->count : 1);
    if (inits->count) memcpy(results, inits->data, sizeof(Value *) * (size_t)inits->count);
    for (int i = 0; i < op->num_results; i++) results[kept[i]] = &op->results[i];
    return results;
}

static bool loop_bounds(Lower *l, const Stmt *stmt, Object *range, Value **bounds, LType *type) {
    static const char *const names[] = {"lower bound", "upper bound", "step"};
    Object *parts[3];
    for (int i = 0; i < 3; i++) {
        Object *part = range->items[i];
        if (is_error(part)) return false;
        if (part->kind == OBJECT_FLOAT || (!is_tensor(part) && !object_is_number(part)) ||
            (is_tensor(part) && (is_block(part) || !ltype_is_int(part->ltype)))) {
            lower_error(l, stmt->value->span, "the %s of a loop must be an integer scalar, got %s",
                        names[i], lower_type_text(l, part));
            return false;
        }
        parts[i] = to_tensor(l, part, stmt->value->span);
        if (is_error(parts[i])) return false;
    }
    if (object_is_integral(range->items[2]) && range->items[2]->integer == 0) {
        lower_error(l, stmt->value->span, "the step of a loop must not be 0");
        return false;
    }
    integer_promote(parts[0]->ltype, parts[1]->ltype, type);
    integer_promote(*type, parts[2]->ltype, type);
    if (ltype_is(*type, DTYPE_BOOL)) *type = ltype_of(DTYPE_INT32);
    for (int i = 0; i < 3; i++) bounds[i] = cast(l, parts[i], *type, stmt->value->span)->value;
    return true;
}

void lower_for(Lower *l, const Stmt *stmt, Object *range) {
    Frame *frame = l->frame;
    Str target = stmt->targets[0]->text;
    LType type;
    Value *bounds[3];
    if (!loop_bounds(l, stmt, range, bounds, &type)) {
        Names names = {0};
        names_assigned(l, &stmt->body, &names);
        vec_push(l->arena, &names, target);
        names_poison(l, &names, stmt->span);
        return;
    }
    Loop loop = {0};
    find_carried(l, stmt, &loop, &target);
    Region *region = region_new(l->fn);
    Value *index = region_add_arg(l->fn, region, bounds[0]->type);
    index->name = target;
    for (int i = 0; i < loop.inits.count; i++)
        region_add_arg(l->fn, region, loop.inits.data[i]->type);
    Place place = enter(l, region);
    frame->env = env_copy(l, &loop.before);
    bind_carried(l, &loop, region->args + 1);
    env_set(l, &frame->env, target, tensor_new(l, index, type), stmt->targets[0]->span);
    frame->loops++;
    lower_body(l, &stmt->body);
    frame->loops--;
    Values yields = {0};
    bool *poisoned = arena_array(l->arena, bool, loop.num_carried + 1);
    collect_carried(l, &loop, &yields, poisoned);
    check_constants(l, &loop, &target);
    leave(l, place);
    int *kept = arena_array(l->arena, int, loop.inits.count + 1);
    Values operands = {0}, inits = {0};
    for (int i = 0; i < loop.inits.count; i++) vec_push(l->arena, &inits, loop.inits.data[i]);
    keep_changed(&loop.inits, &region, 1, 1, &yields, &inits, kept);
    yield_values(l, region, &yields);
    for (int i = 0; i < 3; i++) vec_push(l->arena, &operands, bounds[i]);
    for (int i = 0; i < inits.count; i++) vec_push(l->arena, &operands, inits.data[i]);
    Op *op = build_op(&l->builder, OP_FOR, operands.count, operands.data, inits.count,
                      types_of(l, &inits), 1, &region);
    for_set_unsigned(op, !ltype_is_signed(type));
    if (range->num_items > 3 && object_is_integral(range->items[3]) &&
        range->items[3]->integer > 0 && range->items[3]->integer < 1024)
        for_set_stages(op, (int64_t)range->items[3]->integer);
    Env inside = frame->env;
    after_loop(l, &loop, spread_results(l, &loop.inits, op, kept), poisoned, &inside);
    /* Python would keep the last index; in Triton it is not usable after the loop. */
    Binding *binding = env_find(&frame->env, target);
    if (binding) *binding = (Binding){target, NULL, stmt->targets[0]->span, true};
}

static Value *lower_while_condition(Lower *l, const Stmt *stmt) {
    Object *condition = lower_expr(l, stmt->value);
    bool truth;
    Value *runtime;
    if (is_error(condition)) return build_int(&l->builder, type_scalar(TYPE_I1), 0);
    if (lower_condition(l, condition, stmt->value->span, &truth, &runtime)) {
        if (runtime && type_is_tile(runtime->type))
            lower_refused(l, stmt->value->span,
                          "in map_elementwise a 'while' that may end at another turn for each "
                          "element is not supported");
        else if (runtime)
            return runtime;
        if (runtime) return build_int(&l->builder, type_scalar(TYPE_I1), 0);
        if (!truth) return build_int(&l->builder, type_scalar(TYPE_I1), 0);
        lower_error(l, stmt->value->span,
                    "this 'while' never ends: its condition is true at compile time");
        lower_help(l, "the condition must change at run time; there is no 'break' in a kernel");
    }
    return build_int(&l->builder, type_scalar(TYPE_I1), 0);
}

void lower_while(Lower *l, const Stmt *stmt) {
    Frame *frame = l->frame;
    if (stmt->orelse.count) {
        lower_error(l, stmt->span, "'else' of a loop is not supported");
        lower_help(l, "without 'break' it always runs: put it after the loop");
        return;
    }
    Stmt only = {.kind = STMT_EXPR, .value = stmt->value};
    Names inside_condition = {0};
    names_assigned(l, &(Block){1, (Stmt *[]){&only}}, &inside_condition);
    if (inside_condition.count) {
        lower_refused(l, stmt->value->span, "':=' in the condition of a 'while' is not supported");
        names_assigned(l, &stmt->body, &inside_condition);
        names_poison(l, &inside_condition, stmt->span);
        return;
    }
    Loop loop = {0};
    find_carried(l, stmt, &loop, NULL);
    Region *regions[2] = {region_new(l->fn), region_new(l->fn)};
    for (int r = 0; r < 2; r++)
        for (int i = 0; i < loop.inits.count; i++)
            region_add_arg(l->fn, regions[r], loop.inits.data[i]->type);
    Values forward = {0}, yields = {0}, inits = {0};
    bool *poisoned = arena_array(l->arena, bool, loop.num_carried + 1);
    Place place = enter(l, regions[0]);
    frame->env = env_copy(l, &loop.before);
    bind_carried(l, &loop, regions[0]->args);
    frame->loops++;
    Value *condition = lower_while_condition(l, stmt);
    for (int i = 0; i < loop.inits.count; i++) vec_push(l->arena, &inits, loop.inits.data[i]);
    leave(l, place);
    place = enter(l, regions[1]);
    frame->env = env_copy(l, &loop.before);
    bind_carried(l, &loop, regions[1]->args);
    lower_body(l, &stmt->body);
    frame->loops--;
    collect_carried(l, &loop, &yields, poisoned);
    check_constants(l, &loop, NULL);
    leave(l, place);
    int *kept = arena_array(l->arena, int, loop.inits.count + 1);
    keep_changed(&loop.inits, regions, 2, 0, &yields, &inits, kept);
    vec_push(l->arena, &forward, condition);
    for (int i = 0; i < inits.count; i++) vec_push(l->arena, &forward, regions[0]->args[i]);
    yield_values(l, regions[0], &forward);
    yield_values(l, regions[1], &yields);
    Op *op = build_op(&l->builder, OP_WHILE, inits.count, inits.data, inits.count,
                      types_of(l, &inits), 2, regions);
    Env inside = frame->env;
    after_loop(l, &loop, spread_results(l, &loop.inits, op, kept), poisoned, &inside);
}
