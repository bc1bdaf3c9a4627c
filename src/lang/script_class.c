// SPDX-License-Identifier: Apache-2.0
/* script_class: classes of a running script, their instances, and attributes of everything.
 *
 * An instance has its class in items[0] and its attributes, a dict, in items[1]. Classes stay until
 * the script ends. */
#include "lang/script.h"

/* ---- classes ---- */

static void class_print(Host *host, Object *self, Buf *out, bool as_repr) {
    (void)host, (void)as_repr;
    const Class *class = class_info(self);
    Str name = class->qualified.length ? class->qualified : class->name;
    Str module = class->module ? class->module->text : (Str){0};
    buf_printf(out, "<class '%.*s%s%.*s'>", STR_ARG(module), module.length ? "." : "",
               STR_ARG(name));
}

const HostType class_type = {.name = "type", .print = class_print};
const HostType instance_type = {.name = "object"};
/* A staticmethod can be called. */
static Object *property_call(Host *host, Object *self, const HostCall *call) {
    if (str_is(self->text, "staticmethod")) return host_invoke(host, self->items[0], call);
    host->span = call->span;
    return host_raise(host, CLASS_TYPE_ERROR, "'%.*s' object is not callable", STR_ARG(self->text));
}
const HostType property_type = {.name = "property", .call = property_call};
const HostType super_type = {.name = "super"};

static bool order_has(const Class *class, const Object *one) {
    for (int i = 0; i < class->num_order; i++)
        if (class->order[i] == one) return true;
    return false;
}

/* Is it a base before which another one comes? */
static bool is_early(const Class *class, const Object *one) {
    for (int i = 0; i < class->num_bases && class->bases[i] != one; i++)
        if (!order_has(class, class->bases[i]))
            for (int k = i + 1; k < class->num_bases; k++)
                if (class->bases[k] == one) return true;
    return false;
}

/* Does it come later in what is left of a base's order? */
static bool is_behind(const Class *class, const int *at, const Object *one) {
    for (int i = 0; i < class->num_bases; i++) {
        const Class *base = class_info(class->bases[i]);
        for (int k = at[i] + 1; k < base->num_order; k++)
            if (base->order[k] == one) return true;
    }
    return false;
}

/* Python's C3: the classes above merge, each before those above it. False: they cannot. */
static bool merge_order(Host *host, Class *class) {
    int left = 0, at[64] = {0}, num = class->num_bases;
    for (int i = 0; i < num; i++) left += class_info(class->bases[i])->num_order;
    class->order = arena_array(host->script->arena, Object *, left + 1);
    class->order[class->num_order++] = class->object;
    for (;;) {
        Object *head = NULL;
        bool any = false;
        for (int i = 0; i < num && !head; i++) {
            const Class *base = class_info(class->bases[i]);
            while (at[i] < base->num_order && order_has(class, base->order[at[i]])) at[i]++;
            if (at[i] == base->num_order) continue;
            any = true;
            head = base->order[at[i]];
            if (is_early(class, head) || is_behind(class, at, head)) head = NULL;
        }
        if (!any) return true;
        if (!head) return false;
        class->order[class->num_order++] = head;
    }
}

Object *class_new(Host *host, Str name, int num_bases, Object *const *bases) {
    Script *script = host->script;
    Object *object = heap_host(host, &class_type, 0, NULL);
    Class *class = arena_new_of(script->arena, Class);
    object->refs++; /* it stays */
    object->payload = class;
    *class = (Class){.name = str_copy(script->arena, name),
                     .object = object,
                     .num_bases = num_bases,
                     .bases = arena_array(script->arena, Object *, num_bases + 1),
                     .members = {.arena = script->arena}};
    for (int i = 0; i < num_bases; i++) {
        const Class *base = class_info(bases[i]);
        class->bases[i] = bases[i];
        class->is_exception |= base->is_exception;
        if (base->native > class->native) class->native = base->native;
        if (base->num_fields) {
            class->num_fields = base->num_fields, class->fields = base->fields;
            class->defaults = base->defaults, class->only_by_name = base->only_by_name;
        }
        class->is_tuple |= base->is_tuple;
        class->is_abc |= base->is_abc;
        class->is_dataclass |= base->is_dataclass;
    }
    if (num_bases > 60 || !merge_order(host, class))
        return host_raise(host, CLASS_TYPE_ERROR,
                          "Cannot create a consistent method resolution order (MRO) for bases");
    return object;
}

void classes_open(Host *host) {
    static const struct {
        const char *text;
        PythonClass base;
    } rows[] = {
#define PYTHON_CLASS(name, text, base) {text, CLASS_##base},
#include "lang/python_classes.def"
    };
    Script *script = host->script;
    for (int i = 0; i < NUM_PYTHON_CLASSES; i++) {
        Object *base = script->classes[rows[i].base];
        Object *object = class_new(host, str_of(rows[i].text), i > 0, &base);
        class_info(object)->native = (PythonClass)i;
        class_info(object)->is_native = true;
        class_info(object)->is_exception = i >= CLASS_BASE_EXCEPTION;
        script->classes[i] = object;
    }
}

static PythonClass native_class(const Object *object) {
    switch (object->kind) {
    case OBJECT_NONE: return CLASS_NONE;
    case OBJECT_BOOL: return CLASS_BOOL;
    case OBJECT_INT: return CLASS_INT;
    case OBJECT_FLOAT: return CLASS_FLOAT;
    case OBJECT_STR: return CLASS_STR;
    case OBJECT_TUPLE: return CLASS_TUPLE;
    case OBJECT_LIST: return is_set_object(object) ? CLASS_SET : CLASS_LIST;
    case OBJECT_DICT: return CLASS_DICT;
    case OBJECT_FUNCTION: return CLASS_FUNCTION;
    case OBJECT_BUILTIN:
        return str_is(object->text, "NotImplemented") ? CLASS_NOT_IMPLEMENTED : CLASS_NATIVE;
    case OBJECT_METHOD: return CLASS_METHOD;
    case OBJECT_MODULE: return CLASS_MODULE;
    case OBJECT_SLICE: return CLASS_SLICE;
    case OBJECT_ELLIPSIS: return CLASS_ELLIPSIS;
    case OBJECT_RANGE: return CLASS_RANGE;
    case OBJECT_DTYPE:
    case OBJECT_CLASS:
    case OBJECT_CONFIG:
    case OBJECT_OPAQUE:
    case OBJECT_TENSOR:
    case OBJECT_BLOCK_POINTER:
    case OBJECT_DESCRIPTOR:
    case OBJECT_HOST:
    case OBJECT_ERROR: break;
    }
    return CLASS_OTHER;
}

Object *class_of(Host *host, const Object *object) {
    Script *script = host->script;
    if (object->script_class) return object->script_class;
    if (object->kind != OBJECT_HOST) return script->classes[native_class(object)];
    if (object->type == &instance_type) return object->items[0];
    if (object->type == &class_type) return script->classes[CLASS_TYPE];
    if (object->type == &native_type) return script->classes[CLASS_NATIVE];
    if (object->type == &property_type)
        return script->classes[str_is(object->text, "staticmethod")  ? CLASS_STATIC_METHOD
                               : str_is(object->text, "classmethod") ? CLASS_CLASS_METHOD
                                                                     : CLASS_PROPERTY];
    if (object->type == &module_type) return script->classes[CLASS_MODULE];
    if (object->type == &iterator_type) return script->classes[CLASS_ITERATOR];
    Object *own = map_get_pointer(&script->modules, object->type); /* one of the type's own */
    if (own) return own;
    own = class_new(host, str_of(object->type->name), 1, &script->classes[CLASS_OBJECT]);
    class_info(own)->is_native = true;
    class_info(own)->native = CLASS_OTHER;
    class_info(own)->host_type = object->type;
    map_set_pointer(&script->modules, object->type, own);
    return own;
}

bool class_is(const Object *class, const Object *of) { return order_has(class_info(class), of); }

bool object_is_instance(Host *host, const Object *object, PythonClass class) {
    return class_is(class_of(host, object), host->script->classes[class]);
}

Object *class_member(const Object *class, Str name) {
    const Class *info = class_info(class);
    for (int i = 0; i < info->num_order; i++) {
        Object *member = map_get(&class_info(info->order[i])->members, name);
        if (member) return member;
    }
    return NULL;
}

static void class_set(Host *host, Object *class, Str name, Object *value) {
    if (!host_may_change(host, class, "a class")) return;
    host->script->class_changes++;
    Object *kept = value ? host_keep(host, value) : NULL;
    map_set(&class_info(class)->members, str_copy(host->script->arena, name), kept);
}

/* The fields of a NamedTuple or dataclass: those with annotations. */
static void add_fields(Host *host, Class *class, Block body) {
    Arena *arena = host->script->arena;
    int most = class->num_fields + body.count;
    Str *fields = arena_array(arena, Str, most + 1);
    Object **defaults = arena_array(arena, Object *, most + 1);
    bool *only_by_name = arena_array(arena, bool, most + 1), by_name = false;
    int count = class->num_fields;
    for (int i = 0; i < count; i++) fields[i] = class->fields[i], defaults[i] = class->defaults[i];
    for (int i = 0; i < count && class->only_by_name; i++) only_by_name[i] = class->only_by_name[i];
    for (int i = 0; i < body.count; i++) {
        const Stmt *stmt = body.stmts[i];
        if (stmt->kind != STMT_ANN_ASSIGN || stmt->targets[0]->kind != EXPR_NAME) continue;
        const Expr *type = stmt->annotation;
        if (type && type->kind == EXPR_SUBSCRIPT) type = type->left;
        if (type && str_is(type->text, "ClassVar")) continue;
        if (type && str_is(type->text, "KW_ONLY")) {
            by_name = true;
            continue;
        }
        Str name = stmt->targets[0]->text;
        int at = 0;
        while (at < count && !str_equal(fields[at], name)) at++;
        if (at == count) fields[count++] = name;
        defaults[at] = stmt->value ? map_get(&class->members, name) : NULL;
        only_by_name[at] = by_name;
    }
    class->only_by_name = only_by_name;
    class->num_fields = count, class->fields = fields, class->defaults = defaults;
}

static bool is_abstract(const Object *member) {
    if (member && member->kind == OBJECT_HOST && member->type == &property_type) {
        for (int i = 0; i < member->num_items; i++)
            if (member->items[i] && is_abstract(member->items[i])) return true;
        return false;
    }
    return member && member->kind == OBJECT_FUNCTION && member->function->is_abstract;
}

/* What no class of its order gives more than @abstractmethod, in the order of the names. */
static void note_abstract(Host *host, Class *class) {
    Object *names = heap_set(host);
    for (int i = 0; i < class->num_order; i++) {
        const Map *members = &class_info(class->order[i])->members;
        for (int k = 0; k < members->capacity; k++)
            if (members->slots[k].used && is_abstract(members->slots[k].value) &&
                is_abstract(class_member(class->object, members->slots[k].key)))
                set_put(host, names, object_str(host->arena, members->slots[k].key));
    }
    if (!names->num_items || !sort_items(host, names->num_items, names->items, NULL, false)) return;
    Buf text = {.arena = host->script->arena};
    for (int i = 0; i < names->num_items; i++)
        buf_printf(&text, "%s'%.*s'", i ? ", " : "", STR_ARG(names->items[i]->text));
    class->missing = buf_str(&text);
}

/* A class above; *base NULL: a name that says nothing here (Generic[T]). False: raised. */
static bool base_of(Host *host, const Argument *argument, Object **base, bool *is_tuple,
                    bool *is_abc) {
    *base = NULL;
    if (argument->name.length && !str_is(argument->name, "metaclass")) return true;
    Object *value = host_expr(host, argument->value);
    if (is_raised(host)) return false;
    bool is_class = value->kind == OBJECT_HOST && value->type == &class_type;
    Str name = is_class ? class_info(value)->name : STR("");
    bool is_plain = str_is(name, "type") || str_is(name, "ABCMeta");
    if (argument->stars || (argument->name.length && !is_plain))
        return host_refuse(host, "a metaclass but ABCMeta"), false;
    if (argument->name.length) return *is_abc |= str_is(name, "ABCMeta"), true;
    if (value->kind == OBJECT_STR && str_is(value->text, "NamedTuple")) return *is_tuple = true;
    if (value->kind == OBJECT_HOST && !strcmp(value->type->name, "annotation")) return true;
    if (!is_class)
        return host_refuse(host, "a class above this one that is no Python class"), false;
    const Class *info = class_info(value);
    bool plain = info->native == CLASS_OBJECT || info->is_exception || info->is_tuple;
    if (!plain)
        return host_refuse(host, "a class that inherits from '%.*s'", STR_ARG(info->name)), false;
    *base = value;
    return true;
}

/* What the body binds at its top, in order: members of an Enum are in the order of the text. */
static void note_names(Host *host, Class *class, Block body) {
    VEC(Object *) names = {0};
    for (int i = 0; i < body.count; i++) {
        const Stmt *stmt = body.stmts[i];
        if (stmt->kind != STMT_ASSIGN && stmt->kind != STMT_ANN_ASSIGN) continue;
        for (int k = 0; k < stmt->num_targets; k++)
            if (stmt->targets[k]->kind == EXPR_NAME)
                vec_push(host->arena, &names, object_str(host->arena, stmt->targets[k]->text));
    }
    Object *list = heap_list(host, OBJECT_TUPLE, names.count, names.data);
    map_set(&class->members, STR("__assigned__"), host_keep(host, list));
}

static void run_class_body(Host *host, Object *class, const Stmt *stmt) {
    Class *info = class_info(class);
    int count = stmt->slots->slots.count;
    Host body = *host;
    body.slots = arena_array(host->arena, Object *, count + 1);
    body.layout = stmt->slots;
    body.space = &info->members;
    body.function = class; /* whose methods are made here */
    body.outer = host;
    host->span = stmt->span;
    host->script->innermost = &body;
    for (int i = 0; i < count; i++) {
        const Slot *slot = &stmt->slots->slots.data[i];
        body.slots[i] = slot->from ? host_keep(host, host->slots[slot->from - 1]) : NULL;
        if (slot->is_cell && !slot->from)
            body.slots[i] = host_keep(host, heap_host(host, &cell_type, 1, NULL));
    }
    Object *result = NULL;
    script_block(&body, stmt->body, &result);
    host->script->innermost = host;
    for (int i = 0; i < count; i++) host_drop(host, body.slots[i]);
}

/* __init_subclass__ of the nearest class above, with the arguments that have names. */
static void init_subclass(Host *host, Object *class, const Stmt *stmt) {
    const Class *info = class_info(class);
    Object **args = arena_array(host->arena, Object *, stmt->num_args + 1);
    Str *names = arena_array(host->arena, Str, stmt->num_args + 1), no_name = {0};
    HostCall call = {.num_args = 1, .args = args, .names = names, .span = stmt->span};
    args[0] = class, names[0] = no_name;
    for (int i = 0; i < stmt->num_args; i++) {
        Str name = stmt->args[i].name;
        if (!name.length || str_is(name, "metaclass")) continue;
        names[call.num_args] = name;
        args[call.num_args++] = host_expr(host, stmt->args[i].value);
    }
    for (int i = 1; i < info->num_order && !is_raised(host); i++) {
        Object *hook = map_get(&class_info(info->order[i])->members, STR("__init_subclass__"));
        if (!hook) continue;
        bool wrapped = hook->kind == OBJECT_HOST && hook->type == &property_type;
        host_invoke(host, wrapped ? hook->items[0] : hook, &call);
        return;
    }
    if (call.num_args > 1 && !is_raised(host))
        host_raise(host, CLASS_TYPE_ERROR, "%.*s.__init_subclass__() takes no keyword arguments",
                   STR_ARG(info->name));
}

Object *class_statement(Host *host, const Stmt *stmt) {
    enum { MOST_BASES = 60 };
    Object *bases[MOST_BASES];
    int num_bases = 0;
    bool is_tuple = false, is_abc = false;
    if (!class_is_known(host, stmt->body)) return host->script->poison;
    for (int i = 0; i < stmt->num_args; i++) {
        if (num_bases == MOST_BASES) return host_refuse(host, "so many classes above one");
        if (!base_of(host, &stmt->args[i], &bases[num_bases], &is_tuple, &is_abc))
            return host->script->poison;
        num_bases += bases[num_bases] != NULL;
    }
    if (!num_bases)
        bases[num_bases++] = host->script->classes[is_tuple ? CLASS_TUPLE : CLASS_OBJECT];
    Object *class = class_new(host, stmt->name, num_bases, bases);
    if (is_raised(host)) return class;
    Class *info = class_info(class);
    info->is_tuple |= is_tuple, info->is_abc |= is_abc;
    info->qualified = stmt->slots->qualified;
    info->body = stmt->body;
    info->module = map_get(&host->module->space, STR("__name__"));
    run_class_body(host, class, stmt);
    if (is_raised(host)) return host->script->poison;
    if (is_tuple) add_fields(host, info, stmt->body);
    note_names(host, info, stmt->body);
    name_descriptors(host, class, map_get(&info->members, STR("__assigned__")));
    if (info->is_abc && !is_raised(host)) note_abstract(host, info);
    init_subclass(host, class, stmt);
    return is_raised(host) ? host->script->poison : class;
}

/* ---- instances ---- */

Object *instance_new(Host *host, Object *class) {
    Object *items[] = {class, heap_list(host, OBJECT_DICT, 0, NULL)};
    return heap_host(host, &instance_type, 2, items);
}

Object *special_call(Host *host, Object *object, const char *name, int num_args,
                     Object *const *args) {
    Object *method = class_member(object->items[0], str_of(name));
    if (!method || is_raised(host)) return NULL;
    Object **all = arena_array(host->arena, Object *, num_args + 1);
    all[0] = object;
    for (int i = 0; i < num_args; i++) all[i + 1] = args[i];
    return host_invoke_with(host, method, num_args + 1, all);
}

/* field(default=.., default_factory=..): items, either may be NULL. */
const HostType field_type = {.name = "Field"};
static Object *field_default(Host *host, Object *value) {
    if (!value || value->kind != OBJECT_HOST || value->type != &field_type) return value;
    return value->items[1] ? host_invoke_with(host, value->items[1], 0, NULL) : value->items[0];
}

static void too_many_fields(Host *host, const Class *class, const HostCall *call) {
    int most = 1, least = 1, given = 1;
    for (int i = 0; i < class->num_fields; i++) {
        if (class->only_by_name && class->only_by_name[i]) continue;
        most++;
        least += !class->defaults[i];
    }
    for (int i = 0; i < call->num_args; i++) given += !(call->names && call->names[i].length);
    Buf range = {.arena = host->arena};
    if (least < most) buf_printf(&range, "from %d to ", least);
    host_raise(host, CLASS_TYPE_ERROR,
               "%.*s.%s() takes %s%d positional argument%s but %d were given", STR_ARG(class->name),
               class->is_tuple ? "__new__" : "__init__", range.length ? range.data : "", most,
               most == 1 ? "" : "s", given);
}

/* The fields of a dataclass or NamedTuple from arguments. */
static Object **bind_fields(Host *host, const Class *class, const HostCall *call) {
    Object **values = arena_array(host->arena, Object *, class->num_fields + 1);
    int next = 0;
    for (int i = 0; i < call->num_args; i++) {
        bool named = call->names && call->names[i].length;
        while (!named && class->only_by_name && next < class->num_fields &&
               class->only_by_name[next])
            next++;
        int at = named ? i : next++;
        if (named)
            for (at = 0; at < class->num_fields && !str_equal(class->fields[at], call->names[i]);
                 at++) {
            }
        if (at >= class->num_fields && !named) return too_many_fields(host, class, call), NULL;
        if (at >= class->num_fields || values[at]) {
            host_raise(host, CLASS_TYPE_ERROR,
                       at < class->num_fields
                           ? "%.*s.%s() got multiple values for argument '%.*s'"
                           : "%.*s.%s() got an unexpected keyword argument '%.*s'",
                       STR_ARG(class->name), class->is_tuple ? "__new__" : "__init__",
                       STR_ARG(call->names[i]));
            return NULL;
        }
        values[at] = call->args[i];
    }
    for (int i = 0; i < class->num_fields; i++) {
        if (!values[i]) values[i] = field_default(host, class->defaults[i]);
        if (values[i] || is_raised(host)) continue;
        host_raise(host, CLASS_TYPE_ERROR,
                   "%.*s.__init__() missing 1 required positional argument: '%.*s'",
                   STR_ARG(class->name), STR_ARG(class->fields[i]));
        return NULL;
    }
    return is_raised(host) ? NULL : values;
}

static Object *fields_call(Host *host, Object *class, const HostCall *call) {
    const Class *info = class_info(class);
    Object **values = bind_fields(host, info, call);
    if (!values) return host->script->poison;
    if (info->is_tuple) {
        Object *tuple = heap_list(host, OBJECT_TUPLE, info->num_fields, values);
        tuple->names = info->fields, tuple->text = info->name, tuple->script_class = class;
        return tuple;
    }
    Object *instance = instance_new(host, class);
    for (int i = 0; i < info->num_fields; i++)
        dict_put(host, instance->items[1], object_str(host->arena, info->fields[i]), values[i]);
    special_call(host, instance, "__post_init__", 0, NULL);
    return is_raised(host) ? host->script->poison : instance;
}

/* object.__new__(cls): an instance without attributes. */
static Object *object_new_of(Host *host, Object *const *args, const HostCall *call) {
    (void)args;
    Object *class = call->num_args ? call->args[0] : NULL;
    bool fits = class && class->kind == OBJECT_HOST && class->type == &class_type &&
                (class_info(class)->native == CLASS_OBJECT || class_info(class)->is_exception);
    if (!fits) return host_refuse(host, "object.__new__ of this");
    return class_info(class)->is_exception ? exception_new(host, class, 0, NULL)
                                           : instance_new(host, class);
}
static const Native object_new_native = NATIVE("__new__", "..", object_new_of);

/* cls.__new__, where the file has one. */
static Object *own_new(Host *host, Object *class, Object *maker, const HostCall *call) {
    HostCall all = host_call_with(host, class, call);
    bool wrapped = maker->kind == OBJECT_HOST && maker->type == &property_type;
    return host_invoke(host, wrapped ? maker->items[0] : maker, &all);
}

Object *class_call(Host *host, Object *class, const HostCall *call) {
    const Class *info = class_info(class);
    if (info->host_type && info->host_type->make) return info->host_type->make(host, call);
    if (info->is_native && !info->is_exception) return builtins_class_call(host, info, call);
    Object *init = class_member(class, STR("__init__")),
           *maker = class_member(class, STR("__new__"));
    if (info->missing.length)
        return host_raise(host, CLASS_TYPE_ERROR,
                          "Can't instantiate abstract class %.*s without an implementation for "
                          "abstract method%s %.*s",
                          STR_ARG(info->name),
                          memchr(info->missing.data, ',', (size_t)info->missing.length) ? "s" : "",
                          STR_ARG(info->missing));
    if (!init && !maker && (info->is_dataclass || info->is_tuple))
        return fields_call(host, class, call);
    Object *instance = maker                ? own_new(host, class, maker, call)
                       : info->is_exception ? exception_new(host, class, call->num_args, call->args)
                                            : instance_new(host, class);
    if (is_raised(host)) return host->script->poison;
    if (maker && !class_is(class_of(host, instance), class)) return instance;
    if (!init && !maker && call->num_args && !info->is_exception)
        return host_raise(host, CLASS_TYPE_ERROR, "%.*s() takes no arguments", STR_ARG(info->name));
    /* enum.py: what it finds was made before. */
    bool is_found = maker && class_member(class, STR("_member_map_"));
    if (init && !is_found) {
        HostCall all = host_call_with(host, instance, call);
        host_invoke(host, init, &all);
    }
    return is_raised(host) ? host->script->poison : instance;
}

/* @dataclass(frozen=, order=, ..): __init__, __repr__ and __eq__ from the fields. */
Object *dataclass_of(Host *host, Object *class, int flags) {
    if (class->kind != OBJECT_HOST || class->type != &class_type)
        return host_refuse(host, "a dataclass of what is no class");
    Class *info = class_info(class);
    add_fields(host, info, info->body);
    for (int i = 0; i < info->num_fields; i++) { /* what a factory makes is no attribute of it */
        const Object *value = info->defaults[i];
        if (value && value->kind == OBJECT_HOST && value->type == &field_type)
            map_set(&info->members, info->fields[i],
                    value->items[0] ? host_keep(host, value->items[0]) : NULL);
        if (value && (value->kind == OBJECT_LIST || value->kind == OBJECT_DICT))
            return host_raise(host, CLASS_VALUE_ERROR,
                              "mutable default <class '%.*s'> for field %.*s is not allowed: use "
                              "default_factory",
                              STR_ARG(class_info(class_of(host, value))->name),
                              STR_ARG(info->fields[i]));
    }
    info->is_dataclass = true;
    info->dataclass_flags = flags;
    return class;
}

/* ---- attributes ---- */

Object *method_new(Host *host, Object *self, Object *function) {
    Object *items[] = {self, function};
    return heap_list(host, OBJECT_METHOD, 2, items);
}

/* What a class has, as its instance or (self NULL) itself sees it. */
static Object *as_seen(Host *host, Object *member, Object *self, Object *class) {
    if (member->kind == OBJECT_FUNCTION) return self ? method_new(host, self, member) : member;
    if (is_descriptor(member, "__get__"))
        return special_call(host, member, "__get__", 2,
                            (Object *[]){self ? self : host->script->none, class});
    if (member->kind != OBJECT_HOST || member->type != &property_type) return member;
    if (str_is(member->text, "staticmethod")) return host_hold(host, member->items[0]);
    if (str_is(member->text, "classmethod")) return method_new(host, class, member->items[0]);
    return self ? host_invoke_with(host, member->items[0], 1, &self) : member;
}

static Object *instance_get(Host *host, Object *object, Str name) {
    Object *class = object->items[0], *member = class_member(class, name);
    bool is_property = (member && member->kind == OBJECT_HOST && member->type == &property_type) ||
                       is_descriptor(member, "__set__");
    Object *own = is_property ? NULL : dict_find_text(object->items[1], name);
    if (!is_property && is_outside(host, object))
        host_was_read(host, WATCH_ATTRIBUTE, object, name, own);
    if (own) return host_hold(host, own);
    if (member) return as_seen(host, member, object, class);
    if (str_is(name, "__class__")) return class;
    bool first = (str_is(name, "code") && object_is_instance(host, object, CLASS_SYSTEM_EXIT)) ||
                 (str_is(name, "value") && object_is_instance(host, object, CLASS_STOP_ITERATION));
    if (first) {
        const Object *args = dict_find_text(object->items[1], STR("args"));
        return args && args->num_items ? host_hold(host, args->items[0]) : host->script->none;
    }
    if (class_info(class)->is_exception) {
        if (str_is(name, "__cause__") || str_is(name, "__context__")) return host->script->none;
        if (str_is(name, "__suppress_context__")) return host->script->booleans[0];
        if (str_is(name, "__traceback__")) return heap_host(host, &traceback_type, 0, NULL);
    }
    if (str_is(name, "__dict__"))
        return host_may_change(host, object, "what has __dict__") ? object->items[1] : NULL;
    Object *text = object_str(host->arena, name);
    return special_call(host, object, "__getattr__", 1, &text);
}

/* object.__init__, and that of exceptions, which keeps the arguments. */
static Object *object_init(Host *host, Object *const *args, const HostCall *call) {
    (void)args;
    Object *self = call->self;
    if (class_info(self->items[0])->is_exception)
        dict_put(host, self->items[1], object_str(host->arena, STR("args")),
                 heap_list(host, OBJECT_TUPLE, call->num_args, call->args));
    return object_none(host->arena);
}

/* object.__init_subclass__ */
static Object *object_nothing(Host *host, Object *const *args, const HostCall *call) {
    (void)args;
    if (!call->num_args) return host->script->none;
    return host_raise(host, CLASS_TYPE_ERROR, "%.*s.__init_subclass__() takes no keyword arguments",
                      STR_ARG(class_info(call->self)->name));
}

/* object.__setattr__: past the class's own. */
static Object *object_set(Host *host, Object *const *args, const HostCall *call) {
    Str name;
    Object *self = call->self;
    if (!host_text(host, args[0], "attribute name", &name)) return host->script->poison;
    if (host_may_change(host, self, "an object")) dict_put(host, self->items[1], args[0], args[1]);
    return is_raised(host) ? host->script->poison : host->script->none;
}
static Object *object_set_of(Host *host, Object *const *args, const HostCall *call) {
    HostCall inner = *call;
    inner.self = args[0];
    if (args[0]->kind != OBJECT_HOST || args[0]->type != &instance_type)
        return host_refuse(host, "object.__setattr__ of this");
    return object_set(host, args + 1, &inner);
}

static bool delete_own(Host *host, Object *object, Str name) {
    bool is_instance = object->kind == OBJECT_HOST && object->type == &instance_type;
    if (is_instance && !host_may_change(host, object, "an object")) return false;
    if (is_instance && dict_remove(host, object->items[1], object_str(host->arena, name)))
        return true;
    host_raise(host, CLASS_ATTRIBUTE_ERROR, "'%.*s' object has no attribute '%.*s'",
               STR_ARG(class_info(class_of(host, object))->name), STR_ARG(name));
    return false;
}

bool host_delete_attribute(Host *host, Object *object, Str name) {
    if (is_raised(host)) return false;
    Object *named[] = {object_str(host->arena, name)};
    bool is_instance = object->kind == OBJECT_HOST && object->type == &instance_type;
    Object *member = is_instance ? class_member(object->items[0], name) : NULL;
    if (member && member->kind == OBJECT_HOST && member->type == &property_type &&
        str_is(member->text, "property")) {
        if (member->num_items > 2 && member->items[2] && member->items[2]->kind != OBJECT_NONE)
            return host_invoke_with(host, member->items[2], 1, &object), !is_raised(host);
        host_raise(host, CLASS_ATTRIBUTE_ERROR, "property '%.*s' of '%.*s' object has no deleter",
                   STR_ARG(name), STR_ARG(class_info(object->items[0])->name));
        return false;
    }
    if (is_instance && special_call(host, object, "__delattr__", 1, named)) return !is_raised(host);
    return !is_raised(host) && delete_own(host, object, name);
}

/* object.__delattr__: past the class's own. */
static Object *object_delete(Host *host, Object *const *args, const HostCall *call) {
    Str name;
    if (!host_text(host, args[call->self ? 0 : 1], "attribute name", &name) ||
        !delete_own(host, call->self ? call->self : args[0], name))
        return host->script->poison;
    return host->script->none;
}

/* super().name: the next class after `owner` that has it, for self. */
static Object *super_get(Host *host, Object *super, Str name) {
    Object *owner = super->items[0], *self = super->items[1];
    bool of_class = self->type == &class_type;
    const Class *info = class_info(of_class ? self : self->items[0]);
    int i = 0;
    while (i < info->num_order && info->order[i] != owner) i++;
    for (i++; i < info->num_order; i++) {
        Object *member = map_get(&class_info(info->order[i])->members, name);
        if (member)
            return as_seen(host, member, of_class ? NULL : self, of_class ? self : self->items[0]);
    }
    static const Native init = NATIVE("__init__", "..", object_init),
                        set = NATIVE("__setattr__", "name, value", object_set),
                        delete = NATIVE("__delattr__", "name", object_delete),
                        nothing = NATIVE("__init_subclass__", "..", object_nothing);
    if (str_is(name, "__setattr__")) return native_new(host, &set, self);
    if (str_is(name, "__delattr__")) return native_new(host, &delete, self);
    if (str_is(name, "__new__")) return native_new(host, &object_new_native, NULL);
    if (str_is(name, "__init_subclass__"))
        return native_new(host, &nothing, of_class ? self : owner);
    return str_is(name, "__init__") ? native_new(host, &init, self) : NULL;
}

static Object *tuple_of_fields(Host *host, const Class *class) {
    Object *names = heap_list(host, OBJECT_LIST, 0, NULL);
    for (int i = 0; i < class->num_fields; i++)
        list_insert(host, names, i, object_str(host->arena, class->fields[i]));
    return heap_list(host, OBJECT_TUPLE, names->num_items, names->items);
}

static Object *tuple_make(Host *host, Object *const *args, const HostCall *call) {
    int count;
    Object **items;
    if (!host_items(host, args[0], &count, &items)) return host->script->poison;
    if (count != class_info(call->self)->num_fields)
        return host_raise(host, CLASS_TYPE_ERROR, "Expected %d arguments, got %d",
                          class_info(call->self)->num_fields, count);
    return host_invoke_with(host, call->self, count, items);
}

static Object *class_get(Host *host, Object *class, Str name) {
    const Class *info = class_info(class);
    Object *member = class_member(class, name);
    if (member) return as_seen(host, member, NULL, class);
    if (str_is(name, "__name__") || (str_is(name, "__qualname__") && info->is_native)) {
        Str last = info->name; /* of "dataclasses.FrozenInstanceError" the last part */
        for (int i = 0; i < info->name.length && info->is_native; i++)
            if (info->name.data[i] == '.')
                last = (Str){info->name.data + i + 1, info->name.length - i - 1};
        return object_str(host->arena, last);
    }
    if (str_is(name, "__qualname__"))
        return object_str(host->arena, info->qualified.length ? info->qualified : info->name);
    static const Native make = NATIVE("_make", "iterable", tuple_make);
    if (str_is(name, "_make") && info->is_tuple) return native_new(host, &make, class);
    if (str_is(name, "_fields") && info->is_tuple) return tuple_of_fields(host, info);
    if (str_is(name, "__bases__"))
        return heap_list(host, OBJECT_TUPLE, info->num_bases, info->bases);
    if (str_is(name, "__module__"))
        return info->module ? host_hold(host, info->module)
                            : object_str(host->arena, STR("builtins"));
    static const Native set = NATIVE("__setattr__", "self, name, value", object_set_of),
                        delete = NATIVE("__delattr__", "self, name", object_delete);
    if (str_is(name, "__new__")) return native_new(host, &object_new_native, NULL);
    if (str_is(name, "__setattr__")) return native_new(host, &set, NULL);
    if (str_is(name, "__delattr__")) return native_new(host, &delete, NULL);
    if (str_is(name, "__doc__")) {
        bool has_doc = info->body.count && info->body.stmts[0]->kind == STMT_EXPR &&
                       info->body.stmts[0]->value->kind == EXPR_STRING;
        return has_doc ? object_str(host->arena, info->body.stmts[0]->value->text)
                       : host->script->none;
    }
    if (str_is(name, "__mro__")) return heap_list(host, OBJECT_TUPLE, info->num_order, info->order);
    return class_method_of(host, class, name);
}

static Object *function_get(Host *host, Object *function, Str name) {
    const FunctionDef *def = function->function->def;
    if (str_is(name, "__qualname__") && !function->text.length)
        return object_str(host->arena, def->slots->qualified);
    if (str_is(name, "__name__") || str_is(name, "__qualname__"))
        return object_str(host->arena, function->text.length ? function->text : def->name);
    if (str_is(name, "__doc__") && function->function->documented)
        def = function->function->documented;
    bool has_doc = def->body.count && def->body.stmts[0]->kind == STMT_EXPR &&
                   def->body.stmts[0]->value->kind == EXPR_STRING;
    if (str_is(name, "__doc__"))
        return has_doc ? object_str(host->arena, def->body.stmts[0]->value->text)
                       : object_none(host->arena);
    if (str_is(name, "__module__"))
        return map_get(&function->function->module->space, STR("__name__"));
    return NULL;
}

/* property(get, set, delete): a copy with another of the three, id. */
static Object *add_accessor(Host *host, Object *const *args, const HostCall *call) {
    Object *items[3] = {0};
    for (int i = 0; i < call->self->num_items && i < 3; i++) items[i] = call->self->items[i];
    items[call->id] = args[0];
    Object *property = heap_host(host, &property_type, 3, items);
    property->text = call->self->text;
    return property;
}

static Object *property_get(Host *host, Object *property, Str name) {
    static const Native rows[] = {{"getter", "function", add_accessor, 0},
                                  {"setter", "function", add_accessor, 1},
                                  {"deleter", "function", add_accessor, 2}};
    static const char *const parts[] = {"fget", "fset", "fdel"};
    for (int i = 0; i < 3 && str_is(property->text, "property"); i++) {
        if (str_is(name, rows[i].name)) return native_new(host, &rows[i], property);
        if (!str_is(name, parts[i])) continue;
        Object *part = i < property->num_items ? property->items[i] : NULL;
        return part ? host_hold(host, part) : host->script->none;
    }
    return NULL;
}

static Object *tuple_as_dict(Host *host, Object *const *args, const HostCall *call) {
    Object *self = call->self, *dict = heap_list(host, OBJECT_DICT, 0, NULL);
    (void)args;
    for (int i = 0; i < self->num_items; i++)
        dict_put(host, dict, object_str(host->arena, self->names[i]), self->items[i]);
    return dict;
}

static Object *tuple_replace(Host *host, Object *const *args, const HostCall *call) {
    Object *self = call->self, **values = arena_array(host->arena, Object *, self->num_items + 1);
    (void)args;
    for (int i = 0; i < self->num_items; i++) values[i] = self->items[i];
    for (int i = 0; i < call->num_args; i++) {
        int at = 0;
        Str name = call->names ? call->names[i] : (Str){0};
        while (at < self->num_items && !str_equal(self->names[at], name)) at++;
        if (at == self->num_items)
            return host_raise(host, CLASS_VALUE_ERROR, "Got unexpected field names: ['%.*s']",
                              STR_ARG(name));
        values[at] = call->args[i];
    }
    Object *copy = heap_list(host, OBJECT_TUPLE, self->num_items, values);
    copy->names = self->names, copy->text = self->text, copy->script_class = self->script_class;
    return copy;
}

/* What a named tuple has besides its items: methods and properties of its class. */
static Object *named_tuple_get(Host *host, Object *object, Str name) {
    static const Native as_dict = NATIVE("_asdict", "", tuple_as_dict),
                        replace = NATIVE("_replace", "..", tuple_replace);
    Object *class = object->script_class, *member = class_member(class, name);
    if (member) return as_seen(host, member, object, class);
    if (!class_info(class)->is_tuple) return NULL; /* torch.Size */
    if (str_is(name, "_fields")) return tuple_of_fields(host, class_info(class));
    if (str_is(name, "_asdict")) return native_new(host, &as_dict, object);
    return str_is(name, "_replace") ? native_new(host, &replace, object) : NULL;
}

static Object *slice_indices(Host *host, Object *const *args, const HostCall *call) {
    int64_t length, start, stop, step;
    if (!host_int(host, args[0], "the length", &length)) return host->script->poison;
    if (length < 0) return host_raise(host, CLASS_VALUE_ERROR, "length should not be negative");
    if (!slice_ends(host, call->self, length, &start, &stop, &step)) return host->script->poison;
    Object *numbers[] = {object_int(host->arena, start), object_int(host->arena, stop),
                         object_int(host->arena, step)};
    return heap_list(host, OBJECT_TUPLE, 3, numbers);
}

Object *host_get(Host *host, Object *object, Str name) {
    if (is_raised(host)) return NULL;
    if (object->kind == OBJECT_MODULE && object->module) {
        Object *value = host_was_read(host, WATCH_NAME, &object->module->space, name,
                                      map_get(&object->module->space, name));
        return value ? host_hold(host, value) : NULL;
    }
    if (object->kind == OBJECT_MODULE) return builtin_attribute(host->arena, object->text, name);
    if (object->kind == OBJECT_HOST && object->type == &instance_type)
        return instance_get(host, object, name);
    if (object->kind == OBJECT_HOST && object->type == &class_type)
        return class_get(host, object, name);
    if (object->kind == OBJECT_HOST && object->type == &super_type)
        return super_get(host, object, name);
    if (object->kind == OBJECT_HOST && object->type == &property_type)
        return property_get(host, object, name);
    if (object->kind == OBJECT_HOST)
        return object->type->attribute ? object->type->attribute(host, object, name) : NULL;
    if (object->kind == OBJECT_FUNCTION) return function_get(host, object, name);
    if (object->kind == OBJECT_METHOD && object->num_items == 2)
        return str_is(name, "__self__") ? object->items[0] : host_get(host, object->items[1], name);
    if (object->kind == OBJECT_TUPLE && object->names)
        for (int i = 0; i < object->num_items; i++)
            if (str_equal(object->names[i], name)) return host_hold(host, object->items[i]);
    if (object->kind == OBJECT_TUPLE && object->script_class) {
        Object *found = named_tuple_get(host, object, name);
        if (found) return found;
    }
    if (object->is_constexpr && str_is(name, "value")) return object; /* tl.constexpr(..) */
    if (object->kind == OBJECT_STR) return str_method(host, object, name);
    static const Native indices = NATIVE("indices", "length", slice_indices);
    if (object->kind == OBJECT_SLICE && str_is(name, "indices"))
        return native_new(host, &indices, object);
    if (object->kind == OBJECT_SLICE || object->kind == OBJECT_RANGE) {
        static const char *const parts[] = {"start", "stop", "step"};
        for (int i = 0; i < 3; i++)
            if (str_is(name, parts[i])) return host_hold(host, object->items[i]);
    }
    if (object_is_number(object)) return number_method(host, object, name);
    if (object->kind == OBJECT_DICT && object->of_class && str_is(name, "default_factory"))
        return (Object *)(uintptr_t)object->of_class;
    Object *found = container_method(host, object, name);
    if (found) return found;
    bool lazy = object->kind == OBJECT_DTYPE || object->kind == OBJECT_RANGE;
    return lazy ? value_attribute(host->arena, object, name) : NULL;
}

Object *host_attribute(Host *host, Object *object, Str name) {
    Object *value = host_get(host, object, name);
    if (is_raised(host)) return host->script->poison;
    if (value) return value;
    if (str_is(name, "__class__")) return class_of(host, object);
    if (object->kind == OBJECT_OPAQUE) return host_refuse(host, "%.*s", STR_ARG(object->text));
    if (object->kind == OBJECT_MODULE ||
        (object->kind == OBJECT_HOST && object->type == &module_type)) {
        if (object->kind == OBJECT_MODULE && object->module)
            return host_raise(host, CLASS_ATTRIBUTE_ERROR, "module '%.*s' has no attribute '%.*s'",
                              STR_ARG(object->text), STR_ARG(name));
        return host_refuse(host, "'%.*s.%.*s'", STR_ARG(object->text), STR_ARG(name));
    }
    bool is_class = object->kind == OBJECT_HOST && object->type == &class_type;
    bool ours = object->kind == OBJECT_HOST && object->type != &instance_type && !is_class &&
                object->type != &super_type;
    Str class = class_info(is_class ? object : class_of(host, object))->name;
    if (!ours && python_has(host, object, name))
        return host_refuse(host, "'%.*s' of a %.*s", STR_ARG(name), STR_ARG(class));
    if (ours) return host_refuse(host, "'%.*s' of a %.*s", STR_ARG(name), STR_ARG(class));
    return host_raise(host, CLASS_ATTRIBUTE_ERROR, "%s'%.*s'%s has no attribute '%.*s'",
                      is_class ? "type object " : "", STR_ARG(class), is_class ? "" : " object",
                      STR_ARG(name));
}

bool host_set_attribute(Host *host, Object *object, Str name, Object *value) {
    if (is_raised(host)) return false;
    if (object->kind == OBJECT_HOST && object->type == &class_type) {
        class_set(host, object, name, value);
        return true;
    }
    if (object->kind == OBJECT_MODULE && object->module) {
        if (!host_may_do(host, "setting a name of a file")) return false;
        Object *old = map_get(&object->module->space, name);
        host_store(host, &old, value);
        map_set(&object->module->space, str_copy(host->script->arena, name), old);
        return true;
    }
    if (object->kind == OBJECT_HOST && object->type == &instance_type) {
        Object *member = class_member(object->items[0], name);
        Object *args[] = {object, value};
        if (member && member->kind == OBJECT_HOST && member->type == &property_type &&
            str_is(member->text, "property")) {
            if (member->num_items < 2 || !member->items[1] || member->items[1]->kind == OBJECT_NONE)
                host_raise(host, CLASS_ATTRIBUTE_ERROR,
                           "property '%.*s' of '%.*s' object has no setter", STR_ARG(name),
                           STR_ARG(class_info(object->items[0])->name));
            else
                host_invoke_with(host, member->items[1], 2, args);
            return !is_raised(host);
        }
        Object *named[] = {object_str(host->arena, name), value};
        if (is_descriptor(member, "__set__"))
            return special_call(host, member, "__set__", 2, args), !is_raised(host);
        if (special_call(host, object, "__setattr__", 2, named)) return !is_raised(host);
        const Class *info = class_info(object->items[0]);
        if (info->is_dataclass && info->dataclass_flags & DATACLASS_FROZEN)
            return host_raise(host, CLASS_FROZEN_INSTANCE_ERROR, "cannot assign to field '%.*s'",
                              STR_ARG(name)),
                   false;
        if (slots_forbid(object, name))
            return host_raise(host, CLASS_ATTRIBUTE_ERROR, "'%.*s' object has no attribute '%.*s'",
                              STR_ARG(info->name), STR_ARG(name)),
                   false;
        if (!host_may_change(host, object, "an object")) return false;
        return dict_put(host, object->items[1], named[0], value);
    }
    if (object->kind == OBJECT_HOST && object->type->set_attribute)
        return object->type->set_attribute(host, object, name, value);
    Str class = class_info(class_of(host, object))->name;
    if (object->kind == OBJECT_HOST || object->kind == OBJECT_FUNCTION ||
        object->kind == OBJECT_MODULE)
        host_refuse(host, "setting '%.*s' of a %.*s", STR_ARG(name), STR_ARG(class));
    else
        host_raise(host, CLASS_ATTRIBUTE_ERROR, "'%.*s' object has no attribute '%.*s'",
                   STR_ARG(class), STR_ARG(name));
    return false;
}
