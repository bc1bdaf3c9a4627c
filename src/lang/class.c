// SPDX-License-Identifier: Apache-2.0
/* class: the classes that kernels use: named tuples and aggregates.
 *
 *     class Pair(NamedTuple):          @triton.aggregate (or tl.core._aggregate)
 *         first: tl.tensor             class State:
 *         second: tl.constexpr             x: tl.tensor
 *
 * Both are fields in order, with defaults; an aggregate may inherit and have methods. Those that
 * are not jit (__init__, __getitem__ ..) Triton leaves to Python; here they are inlined too, with
 * numbers that stay numbers. Other classes, and aggregates with other special methods (__add__ ..),
 * are classes without fields: a kernel that makes one is told so. */
#include "lang/module.h"

static bool names_one_of(const Expr *expr, const char *a, const char *b) {
    if (expr && expr->kind == EXPR_CALL) expr = expr->left;
    bool named = expr && (expr->kind == EXPR_NAME || expr->kind == EXPR_ATTRIBUTE);
    return named && (str_is(expr->text, a) || str_is(expr->text, b));
}

/* triton.aggregate, tl.core._aggregate, or a file's own name for whichever there is. */
static bool is_aggregate_decorator(const Expr *expr) {
    return (expr->kind == EXPR_NAME || expr->kind == EXPR_ATTRIBUTE) &&
           (str_is(expr->text, "aggregate") || str_ends(expr->text, "_aggregate"));
}

static bool is_static(const FunctionDef *def) {
    for (int i = 0; i < def->num_decorators; i++)
        if (names_one_of(def->decorators[i], "staticmethod", "staticmethod")) return true;
    return false;
}

typedef struct Fields {
    VEC(Str) names;
    VEC(Object *) defaults;
} Fields;

static void add_field(Module *module, Fields *fields, Object *class, const Stmt *stmt) {
    Diag quiet = {.arena = module->arena, .muted = true};
    Str name = stmt->targets[0]->text;
    const Expr *annotation = stmt->annotation;
    vec_push(module->arena, &fields->names, name);
    vec_push(module->arena, &fields->defaults,
             stmt->value ? host_evaluate(module->arena, module, stmt->value, NULL, &quiet) : NULL);
    bool is_text =
        annotation && annotation->kind == EXPR_STRING && str_ends(annotation->text, "constexpr");
    if (is_text || names_one_of(annotation, "constexpr", "constexpr"))
        map_set(class->members, name, object_new(module->arena, OBJECT_ELLIPSIS));
}

/* A method; false for one that changes what making or using an instance means. */
static bool add_method(Module *module, Object *class, const FunctionDef *def) {
    bool is_special = str_starts(def->name, "__") && str_ends(def->name, "__");
    Object *function = module_function_of(module, def, NULL);
    static const char *const fine[] = {"__init__", "__getitem__", "__setitem__", "__repr__",
                                       "__str__"};
    for (int i = 0; i < COUNT(fine); i++) is_special &= !str_is(def->name, fine[i]);
    if (is_special) return false;
    function->function->is_method = true;
    if (!is_static(def)) {
        Object *method = object_new(module->arena, OBJECT_METHOD); /* bound when it is asked for */
        method->function = function->function;
        function = method;
    }
    map_set(class->members, def->name, function);
    return true;
}

/* What an aggregate inherits; false when a base is not an aggregate. */
static bool inherit(Module *module, Object *class, Fields *fields, const Stmt *stmt, Diag *diag) {
    for (int i = 0; i < stmt->num_args; i++) {
        if (!stmt->args[i].value) return false;
        const Object *base = host_evaluate(module->arena, module, stmt->args[i].value, NULL, diag);
        if (base->kind != OBJECT_CLASS || !base->names || !base->is_constexpr) return false;
        for (int k = 0; k < base->num_items; k++) {
            vec_push(module->arena, &fields->names, base->names[k]);
            vec_push(module->arena, &fields->defaults, base->items[k]);
        }
        for (int k = 0; k < base->members->capacity; k++)
            if (base->members->slots[k].used)
                map_set(class->members, base->members->slots[k].key, base->members->slots[k].value);
    }
    return true;
}

Object *class_value(Module *module, const Stmt *stmt, Diag *diag) {
    Object *class = object_new(module->arena, OBJECT_CLASS);
    Fields fields = {0};
    bool is_named_tuple = false, is_aggregate = false;
    class->text = stmt->name;
    class->members = arena_new_of(module->arena, Map);
    class->members->arena = module->arena;
    for (int i = 0; i < stmt->num_args; i++)
        is_named_tuple |= names_one_of(stmt->args[i].value, "NamedTuple", "NamedTuple");
    for (int i = 0; i < stmt->num_decorators; i++)
        is_aggregate |= is_aggregate_decorator(stmt->decorators[i]);
    if (!is_named_tuple && !is_aggregate) return class;
    bool fine = !is_aggregate || inherit(module, class, &fields, stmt, diag);
    for (int i = 0; i < stmt->body.count; i++) {
        const Stmt *part = stmt->body.stmts[i];
        if (part->kind == STMT_ANN_ASSIGN && part->targets[0]->kind == EXPR_NAME)
            add_field(module, &fields, class, part);
        if (part->kind == STMT_FUNCTION) fine &= add_method(module, class, part->function);
    }
    if (!fine) return class;
    class->is_constexpr = is_aggregate; /* tells the two apart */
    class->num_items = fields.names.count;
    class->names = fields.names.data ? fields.names.data : arena_array(module->arena, Str, 1);
    class->items = fields.defaults.data;
    return class;
}
