// SPDX-License-Identifier: Apache-2.0
/* script_match: which case of a match statement fits (parse_match.c makes the patterns). As in
 * Python, names are bound when their whole pattern fits, before its guard is asked. */
#include "lang/script.h"

typedef struct Capture {
    const Expr *name;
    Object *value;
} Capture;
typedef struct Match {
    Host *host;
    VEC(Capture) captures;
} Match;

static bool fits(Match *match, const Pattern *pattern, Object *subject);

static bool capture(Match *match, const Expr *name, Object *value) {
    if (name) vec_push(match->host->arena, &match->captures, ((Capture){name, value}));
    return true;
}

static bool fits_value(Match *match, const Expr *value, Object *subject) {
    Object *wanted = host_expr(match->host, value);
    if (is_raised(match->host)) return false;
    bool by_identity =
        value->kind == EXPR_NONE || value->kind == EXPR_TRUE || value->kind == EXPR_FALSE;
    if (by_identity && wanted->kind != subject->kind) return false;
    return script_equal(match->host, subject, wanted);
}

/* Strings are none, nor are sets. */
static bool is_sequence(const Object *object) {
    return (object->kind == OBJECT_LIST && !is_set_object(object)) ||
           object->kind == OBJECT_TUPLE || object->kind == OBJECT_RANGE;
}

static bool fits_sequence(Match *match, const Pattern *pattern, Object *subject) {
    Host *host = match->host;
    int count, wanted = pattern->num_items, star = -1;
    Object **items;
    if (!is_sequence(subject)) return false;
    for (int i = 0; i < wanted; i++)
        if (pattern->items[i]->kind == PATTERN_STAR) star = i;
    int64_t length = script_length(host, subject);
    if (star < 0 ? length != wanted : length < wanted - 1) return false;
    if (!host_items(host, subject, &count, &items)) return false;
    int taken = count - wanted + 1; /* by the star */
    for (int i = 0; i < wanted; i++) {
        if (i == star) {
            capture(match, pattern->items[i]->name, heap_list(host, OBJECT_LIST, taken, items + i));
            continue;
        }
        int at = star >= 0 && i > star ? i + taken - 1 : i;
        if (!fits(match, pattern->items[i], items[at])) return false;
    }
    return true;
}

static bool fits_mapping(Match *match, const Pattern *pattern, Object *subject) {
    Host *host = match->host;
    if (subject->kind != OBJECT_DICT) return false;
    Object **keys = arena_array(host->arena, Object *, pattern->num_items + 1);
    for (int i = 0; i < pattern->num_items; i++) {
        keys[i] = host_expr(host, pattern->keys[i]);
        Object *found = is_raised(host) ? NULL : dict_find(host, subject, keys[i]);
        if (!found || !fits(match, pattern->items[i], host_hold(host, found))) return false;
    }
    if (!pattern->name) return true;
    Object *rest = heap_list(host, OBJECT_DICT, 0, NULL);
    for (int i = 0; i + 1 < subject->num_items; i += 2)
        dict_put(host, rest, subject->items[i], subject->items[i + 1]);
    for (int i = 0; i < pattern->num_items; i++) dict_remove(host, rest, keys[i]);
    return capture(match, pattern->name, rest);
}

static Object *class_error(Host *host, const Object *class, int most, int given) {
    return host_raise(host, CLASS_TYPE_ERROR,
                      "%.*s() accepts %d positional sub-pattern%s (%d given)",
                      STR_ARG(class_info(class)->name), most, most == 1 ? "" : "s", given);
}

/* Of Point(a, b): the names of the attributes that these stand for; NULL: raised. */
static const Str *match_args(Host *host, const Object *class, int given) {
    const Class *info = class_info(class);
    Object *words = class_member(class, STR("__match_args__"));
    int most = words ? words->num_items : info->num_fields;
    if (words && words->kind != OBJECT_TUPLE)
        host_raise(host, CLASS_TYPE_ERROR, "%.*s.__match_args__ must be a tuple (got %.*s)",
                   STR_ARG(info->name), STR_ARG(class_info(class_of(host, words))->name));
    else if (given > most)
        class_error(host, class, most, given);
    if (is_raised(host) || !words) return info->fields;
    Str *names = arena_array(host->arena, Str, most + 1);
    for (int i = 0; i < most; i++)
        if (!host_text(host, words->items[i], "an item of __match_args__", &names[i])) return NULL;
    return names;
}

/* The attribute; NULL: it has none, or raised. */
static Object *attribute_if_there(Host *host, Object *subject, Str name) {
    Object *value = host_get(host, subject, name);
    if (is_raised(host) && !host->script->is_refused &&
        object_is_instance(host, host->script->raised, CLASS_ATTRIBUTE_ERROR)) {
        host_drop(host, take_raised(host));
        return NULL;
    }
    return is_raised(host) ? NULL : value;
}

static bool fits_class(Match *match, const Pattern *pattern, Object *subject) {
    Host *host = match->host;
    Object *class = host_expr(host, pattern->value);
    if (is_raised(host)) return false;
    if (class->kind != OBJECT_HOST || class->type != &class_type) {
        if (class->kind == OBJECT_OPAQUE)
            host_refuse(host, "%.*s", STR_ARG(class->text));
        else
            host_raise(host, CLASS_TYPE_ERROR, "called match pattern must be a class");
        return false;
    }
    if (!class_is(class_of(host, subject), class)) return false;
    int by_place = 0;
    while (by_place < pattern->num_items && !pattern->words[by_place].length) by_place++;
    const Class *info = class_info(class);
    bool whole = info->is_native && info->native >= CLASS_INT && info->native <= CLASS_SET;
    const Str *names = by_place && !whole ? match_args(host, class, by_place) : NULL;
    if (whole && by_place > 1) class_error(host, class, 1, by_place);
    for (int i = 0; i < pattern->num_items && !is_raised(host); i++) {
        Str name = i >= by_place ? pattern->words[i] : whole ? (Str){0} : names[i];
        Object *value = name.length ? attribute_if_there(host, subject, name) : subject;
        if (!value || !fits(match, pattern->items[i], value)) return false;
    }
    return !is_raised(host);
}

static bool fits(Match *match, const Pattern *pattern, Object *subject) {
    int before = match->captures.count;
    switch (pattern->kind) {
    case PATTERN_VALUE: return fits_value(match, pattern->value, subject);
    case PATTERN_CAPTURE:
        return (!pattern->num_items || fits(match, pattern->items[0], subject)) &&
               capture(match, pattern->name, subject);
    case PATTERN_STAR: return false; /* of a sequence only, which sees to it */
    case PATTERN_SEQUENCE: return fits_sequence(match, pattern, subject);
    case PATTERN_MAPPING: return fits_mapping(match, pattern, subject);
    case PATTERN_CLASS: return fits_class(match, pattern, subject);
    case PATTERN_OR:
        for (int i = 0; i < pattern->num_items && !is_raised(match->host); i++) {
            match->captures.count = before;
            if (fits(match, pattern->items[i], subject)) return true;
        }
        return false;
    }
    return false;
}

const MatchCase *script_match(Host *host, const Stmt *stmt) {
    Object *subject = host_expr(host, stmt->value);
    for (int i = 0; i < stmt->num_cases && !is_raised(host); i++) {
        const MatchCase *one = &stmt->cases[i];
        Match match = {.host = host};
        if (!fits(&match, one->pattern, subject) || is_raised(host)) continue;
        for (int k = 0; k < match.captures.count; k++)
            host_assign(host, match.captures.data[k].name, match.captures.data[k].value);
        if (is_raised(host)) break;
        bool is_it = !one->guard || script_truth(host, host_expr(host, one->guard));
        if (is_it && !is_raised(host)) return one;
    }
    return NULL;
}
