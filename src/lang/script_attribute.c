// SPDX-License-Identifier: Apache-2.0
/* script_attribute: attributes that Python gives objects by itself: what its own classes have,
 * descriptors, __slots__. */
#include "lang/script.h"

#include <math.h>

/* ---- what Python's own classes have ---- */

static bool has_word(const char *words, Str word) {
    for (const char *at = words; *at;) {
        size_t length = strcspn(at, " ");
        if (length == (size_t)word.length && !memcmp(at, word.data, length)) return true;
        at += length + (at[length] == ' ');
    }
    return false;
}

static bool class_has(const Object *class, Str name) {
    static const char *const rows[NUM_PYTHON_CLASSES] = {
#define PYTHON_ATTRIBUTES(class, names) [CLASS_##class] = names,
#include "lang/python_attributes.def"
    };
    const Class *info = class_info(class);
    for (int i = 0; i < info->num_order; i++) {
        const Class *above = class_info(info->order[i]);
        const char *words = above->is_native ? rows[above->native] : NULL;
        if (words && has_word(words, name)) return true;
    }
    return false;
}

bool python_has(Host *host, const Object *object, Str name) {
    return class_has(class_of(host, object), name);
}

/* str.lower: a method of a class of Python's, whose first argument is the object. */
static Object *unbound_call(Host *host, Object *self, const HostCall *call) {
    const Class *class = class_info(self->items[0]);
    bool is_given = call->num_args && !(call->names && call->names[0].length);
    if (!is_given)
        return host_raise(host, CLASS_TYPE_ERROR, "unbound method %.*s.%.*s() needs an argument",
                          STR_ARG(class->name), STR_ARG(self->text));
    if (!class_is(class_of(host, call->args[0]), self->items[0]))
        return host_raise(host, CLASS_TYPE_ERROR,
                          "descriptor '%.*s' for '%.*s' objects doesn't apply to a '%.*s' object",
                          STR_ARG(self->text), STR_ARG(class->name),
                          STR_ARG(class_info(class_of(host, call->args[0]))->name));
    HostCall rest = *call;
    rest.num_args--, rest.args++;
    if (rest.names) rest.names++;
    return host_invoke(host, host_attribute(host, call->args[0], self->text), &rest);
}
static void unbound_print(Host *host, Object *self, Buf *out, bool as_repr) {
    (void)host, (void)as_repr;
    buf_printf(out, "<method '%.*s' of '%.*s' objects>", STR_ARG(self->text),
               STR_ARG(class_info(self->items[0])->name));
}
static Object *unbound_get(Host *host, Object *self, Str name) {
    return str_is(name, "__name__") ? object_str(host->arena, self->text) : NULL;
}
static const HostType unbound_type = {.name = "method_descriptor",
                                      .call = unbound_call,
                                      .attribute = unbound_get,
                                      .print = unbound_print};

static Object *dict_fromkeys(Host *host, Object *const *args, const HostCall *call) {
    int count;
    Object **keys, *dict = heap_list(host, OBJECT_DICT, 0, NULL);
    (void)call;
    if (!host_items(host, args[0], &count, &keys)) return host->script->poison;
    for (int i = 0; i < count; i++)
        dict_put(host, dict, keys[i], args[1] ? args[1] : host->script->none);
    return is_raised(host) ? host->script->poison : dict;
}

Object *class_method_of(Host *host, Object *class, Str name) {
    static const Native from_keys = NATIVE("fromkeys", "iterable, value?", dict_fromkeys);
    static const char of_classes[] = "from_bytes fromhex maketrans fromkeys mro";
    const Class *info = class_info(class);
    if (info->is_native && info->native == CLASS_DICT && str_is(name, "fromkeys"))
        return native_new(host, &from_keys, NULL);
    bool is_method = info->is_native && info->native > CLASS_NONE && info->native < CLASS_SLICE &&
                     name.data[0] != '_' && class_has(class, name);
    if (!is_method) return NULL;
    if (has_word(of_classes, name))
        return host_refuse(host, "'%.*s' of %.*s", STR_ARG(name), STR_ARG(info->name));
    Object *unbound = heap_host(host, &unbound_type, 1, &class);
    unbound->text = str_copy(host->script->arena, name);
    return unbound;
}

static Object *int_bits(Host *host, Object *const *args, const HostCall *call) {
    int128 value = call->self->integer;
    uint128 left = value < 0 ? -(uint128)value : (uint128)value;
    int length = 0, ones = 0;
    (void)args;
    for (; left; left >>= 1) length++, ones += (int)(left & 1);
    return object_int(host->arena, call->id ? ones : length);
}

static Object *number_is_integer(Host *host, Object *const *args, const HostCall *call) {
    const Object *self = call->self;
    (void)args;
    bool whole = self->kind != OBJECT_FLOAT ||
                 (isfinite(self->number) && floor(self->number) == self->number);
    return host->script->booleans[whole];
}

Object *number_method(Host *host, Object *self, Str name) {
    bool is_whole = self->kind != OBJECT_FLOAT;
    if (str_is(name, "real") || (is_whole && str_is(name, "numerator")))
        return is_whole ? object_int(host->arena, self->integer) : self;
    if (str_is(name, "imag"))
        return is_whole ? object_int(host->arena, 0) : object_float(host->arena, 0);
    if (is_whole && str_is(name, "denominator")) return object_int(host->arena, 1);
    static const Native is_integer = NATIVE("is_integer", "", number_is_integer),
                        bits[] = {{"bit_length", "", int_bits, 0}, {"bit_count", "", int_bits, 1}};
    if (str_is(name, "is_integer")) return native_new(host, &is_integer, self);
    for (int i = 0; i < COUNT(bits) && self->kind != OBJECT_FLOAT; i++)
        if (str_is(name, bits[i].name)) return native_new(host, &bits[i], self);
    return NULL;
}

/* ---- descriptors ---- */

/* A member of a class that is an instance whose class has __get__, __set__ ..: what they do. */
bool is_descriptor(const Object *member, const char *hook) {
    return member && member->kind == OBJECT_HOST && member->type == &instance_type &&
           class_member(member->items[0], str_of(hook));
}

void name_descriptors(Host *host, Object *class, const Object *names) {
    for (int i = 0; i < names->num_items && !is_raised(host); i++) {
        Object *member = map_get(&class_info(class)->members, names->items[i]->text);
        if (is_descriptor(member, "__set_name__"))
            special_call(host, member, "__set_name__", 2, (Object *[]){class, names->items[i]});
    }
}

/* ---- classes ---- */

Object *host_own(Host *host, Object *object, const char *name) {
    bool is_instance = object->kind == OBJECT_HOST && object->type == &instance_type;
    Object *method = is_instance ? class_member(object->items[0], str_of(name)) : NULL;
    return method ? method_new(host, object, method) : NULL;
}

Object *host_says(Host *host, Object *object, const char *name) {
    Object *own = host_own(host, object, name);
    bool is_native = object->kind == OBJECT_HOST && object->type->attribute;
    return own || !is_native ? own : object->type->attribute(host, object, str_of(name));
}

Object *host_index(Host *host, Object *object) {
    Object *own = host_says(host, object, "__index__");
    return own ? host_invoke_with(host, own, 0, NULL) : object;
}

/* What would change what a class does, and does not here. */
bool class_is_known(Host *host, Block body) {
    static const char *const absent[] = {"__del__", "__getattribute__", "__delete__"};
    for (int i = 0; i < body.count; i++)
        for (int k = 0; k < COUNT(absent); k++) {
            const Stmt *stmt = body.stmts[i];
            if (stmt->kind != STMT_FUNCTION || !str_is(stmt->function->name, absent[k])) continue;
            host->span = stmt->span;
            host_refuse(host, "'%s' of a class", absent[k]);
            return false;
        }
    return true;
}

static bool slots_have(const Object *slots, Str name) {
    if (slots->kind == OBJECT_STR) return str_equal(slots->text, name);
    for (int i = 0; i < slots->num_items; i++)
        if (slots->items[i]->kind == OBJECT_STR && str_equal(slots->items[i]->text, name))
            return true;
    return false;
}

/* True: every class of the object has __slots__, and none names this attribute. */
bool slots_forbid(const Object *object, Str name) {
    const Class *info = class_info(object->items[0]);
    for (int i = 0; i < info->num_order; i++) {
        const Class *above = class_info(info->order[i]);
        if (above->is_native && above->native == CLASS_OBJECT) continue;
        const Object *slots = map_get(&above->members, STR("__slots__"));
        if (!slots || slots_have(slots, name)) return false;
    }
    return true;
}
