// SPDX-License-Identifier: Apache-2.0
/* global: what a name of a file stands for, found at its first use (see module.c for the rule). */
#include "lang/module.h"

#include <ctype.h>

static Object *opaque_global(Arena *arena, const char *what, Str name) {
    Object *opaque = object_new(arena, OBJECT_OPAQUE);
    opaque->text = str_format(arena, "%s '%.*s'", what, STR_ARG(name));
    return opaque;
}

/* The part of `value` that the target binds to `name`; NULL when the target does not have it. */
static Object *unpack(Module *module, const Expr *target, Object *value, Str name) {
    if (target->kind == EXPR_NAME) return str_equal(target->text, name) ? value : NULL;
    if (target->kind != EXPR_TUPLE && target->kind != EXPR_LIST) return NULL;
    bool known = value->kind == OBJECT_TUPLE || value->kind == OBJECT_LIST;
    for (int i = 0; i < target->num_items; i++) {
        Object *part = known && value->num_items == target->num_items
                           ? value->items[i]
                           : opaque_global(module->arena, "the value of", name);
        Object *found = unpack(module, target->items[i], part, name);
        if (found) return found;
    }
    return NULL;
}

static Object *assigned_value(Module *module, const Stmt *stmt, Str name, Diag *diag) {
    if (!stmt->value) return NULL;
    Object *value = host_evaluate(module->arena, module, stmt->value, NULL, diag);
    for (int i = 0; i < stmt->num_targets; i++) {
        Object *found = unpack(module, stmt->targets[i], value, name);
        if (found) return found;
    }
    return opaque_global(module->arena, "the value of", name);
}

Object *import_value(Module *module, const Stmt *stmt, const ImportName *name, Diag *diag) {
    if (stmt->kind == STMT_IMPORT) {
        Str path = name->path;
        /* import a.b.c binds a. */
        for (int i = 0; !name->has_alias && i < path.length; i++)
            if (path.data[i] == '.') path.length = i;
        return import_module(module, 0, path, diag);
    }
    /* from package import submodule */
    Str path = stmt->name.length ? str_format(module->arena, "%.*s.%.*s", STR_ARG(stmt->name),
                                              STR_ARG(name->path))
                                 : name->path;
    Object *base = import_module(module, stmt->level, stmt->name, diag);
    bool is_ours = stmt->level == 0 && builtin_module_exists(path);
    bool is_self = base->module == module; /* from . import submodule, in __init__.py */
    Object *value =
        is_ours || is_self ? NULL : import_attribute(module->arena, base, name->path, diag);
    if (value) return value;
    value = import_module(module, stmt->level, path, diag);
    if (value->kind != OBJECT_OPAQUE) return value;
    return opaque_global(module->arena, "the imported name", name->path);
}

static Object *definition_value(Module *module, const Definition *definition, Str name,
                                Diag *diag) {
    const Stmt *stmt = definition->stmt;
    switch (stmt->kind) {
    case STMT_ASSIGN:
    case STMT_ANN_ASSIGN: return assigned_value(module, stmt, name, diag);
    case STMT_FUNCTION: return module_function_of(module, stmt->function, NULL);
    case STMT_CLASS: return class_value(module, stmt, diag);
    case STMT_IMPORT:
    case STMT_FROM_IMPORT: return import_value(module, stmt, definition->name, diag);
    case STMT_AUG_ASSIGN:
    case STMT_FOR:
    case STMT_DELETE: return opaque_global(module->arena, "the value of", name);
    case STMT_EXPR:
    case STMT_RETURN:
    case STMT_IF:
    case STMT_WHILE:
    case STMT_PASS:
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_ASSERT:
    case STMT_RAISE:
    case STMT_GLOBAL:
    case STMT_NONLOCAL:
    case STMT_TRY:
    case STMT_WITH:
    case STMT_MATCH:
    case STMT_ERROR: break;
    }
    return NULL;
}

/* ---- names that are bound or changed step by step ---- */

bool expr_mentions(const Expr *expr, Str name) {
    if (!expr) return false;
    if (expr->kind == EXPR_NAME && str_equal(expr->text, name)) return true;
    if (expr_mentions(expr->left, name) || expr_mentions(expr->right, name) ||
        expr_mentions(expr->condition, name))
        return true;
    for (int i = 0; i < expr->num_items; i++)
        if (expr_mentions(expr->items[i], name)) return true;
    for (int i = 0; i < expr->num_args; i++)
        if (expr_mentions(expr->args[i].value, name)) return true;
    for (int i = 0; i < expr->num_clauses; i++)
        if (expr_mentions(expr->clauses[i].iterable, name)) return true;
    return false;
}

/* One step of the replay; false: what the name is after it cannot be known. */
static bool replay_step(Host *host, const Definition *definition, Str name) {
    const Stmt *top = definition->top;
    bool binds = top->kind == STMT_FUNCTION || top->kind == STMT_CLASS ||
                 top->kind == STMT_IMPORT || top->kind == STMT_FROM_IMPORT;
    Object *before = map_get(&host->vars->names, name);
    if (binds) {
        Object *value = definition_value(host->module, definition, name, host->diag);
        if (value) map_set(&host->vars->names, name, value);
        return value != NULL;
    }
    if (!host_run_statement(host, top)) return false;
    Object *after = map_get(&host->vars->names, name);
    /* kernel = libentry()(kernel): a wrapper that tern does not know, as with decorators. */
    bool wrapped = before && before->kind == OBJECT_FUNCTION && after &&
                   after->kind == OBJECT_OPAQUE && top->kind == STMT_ASSIGN &&
                   top->value->kind == EXPR_CALL;
    if (wrapped) map_set(&host->vars->names, name, before);
    return true;
}

/* Runs, in order, the statements of the file that have to do with the name, and only those. */
static Object *replay(Module *module, const Global *global, Str name, Diag *diag) {
    Vars vars = {.names = {.arena = module->arena}};
    Host host = {.arena = module->arena, .module = module, .diag = diag, .vars = &vars};
    const Stmt *last = NULL;
    for (int i = 0; i < global->definitions.count; i++) {
        const Definition *definition = &global->definitions.data[i];
        if (definition->top == last) continue;
        last = definition->top;
        if (!replay_step(&host, definition, name))
            return opaque_global(module->arena, "the value of", name);
    }
    Object *value = map_get(&vars.names, name);
    return value ? value : opaque_global(module->arena, "the value of", name);
}

static bool needs_replay(const Global *global, Str name) {
    if (global->changes) return true;
    if (global->definitions.count < 2) return false;
    for (int i = 0; i < global->definitions.count; i++) {
        const Definition *definition = &global->definitions.data[i];
        bool assigns =
            definition->stmt->kind == STMT_ASSIGN || definition->stmt->kind == STMT_ANN_ASSIGN;
        if (assigns && !definition->guard && expr_mentions(definition->stmt->value, name))
            return true;
    }
    return false;
}

/* ---- the binding in force ---- */

/* Does an import of a `try` work? What is not found may be there where Python runs. */
Likelihood import_likelihood(Module *module, const Stmt *stmt) {
    Diag quiet = {.arena = module->arena, .muted = true};
    Likelihood least = CERTAIN;
    for (int i = 0; i < stmt->num_names; i++) {
        const ImportName *name = &stmt->names[i];
        bool is_import = stmt->kind == STMT_IMPORT;
        Str path = is_import ? name->path : stmt->name;
        const Object *found = import_module(module, is_import ? 0 : stmt->level, path, &quiet);
        if (import_fails(found)) return NEVER;
        if (!is_import && found->kind != OBJECT_OPAQUE && !str_is(name->path, "*"))
            found = import_value(module, stmt, name, &quiet);
        if (import_fails(found)) return NEVER;
        if (found->kind == OBJECT_OPAQUE) least = LIKELY;
    }
    return least;
}

/* Does a `try` come to the end of its body? What is not known may raise. */
static Likelihood body_likelihood(Module *module, Block body) {
    Likelihood least = CERTAIN;
    for (int i = 0; i < body.count && least != NEVER; i++) {
        const Stmt *stmt = body.stmts[i];
        Likelihood one = CERTAIN;
        if (stmt->kind == STMT_IMPORT || stmt->kind == STMT_FROM_IMPORT)
            one = import_likelihood(module, stmt);
        else if (stmt->kind == STMT_EXPR || stmt->kind == STMT_ASSIGN) {
            Diag quiet = {.arena = module->arena, .muted = true};
            const Object *value = host_evaluate(module->arena, module, stmt->value, NULL, &quiet);
            if (value->kind == OBJECT_OPAQUE || value->kind == OBJECT_ERROR) one = LIKELY;
        } else if (stmt->kind != STMT_FUNCTION && stmt->kind != STMT_CLASS &&
                   stmt->kind != STMT_PASS)
            one = LIKELY;
        if (one < least) least = one;
    }
    return least;
}

static Likelihood arm_likelihood(Module *module, const Guard *guard) {
    bool is_first = guard->arm == 0, truth;
    if (guard->stmt->kind == STMT_MATCH) return NEVER;
    if (guard->stmt->kind == STMT_TRY) {
        Likelihood body = body_likelihood(module, guard->stmt->body);
        if (is_first) return body;
        return body == CERTAIN ? NEVER : body == NEVER ? CERTAIN : FALLBACK;
    }
    Diag quiet = {.arena = module->arena, .muted = true};
    Object *condition = host_evaluate(module->arena, module, guard->stmt->value, NULL, &quiet);
    if (condition->kind != OBJECT_OPAQUE && condition->kind != OBJECT_ERROR &&
        object_truth(condition, &truth))
        return truth == is_first ? CERTAIN : NEVER;
    return is_first ? LIKELY : FALLBACK;
}

Likelihood guard_likelihood(Module *module, const Guard *guard) {
    Likelihood least = CERTAIN;
    for (; guard; guard = guard->outer) {
        Likelihood one = arm_likelihood(module, guard);
        if (one < least) least = one;
    }
    return least;
}

/* The last that may have bound it is a case of `match`, and which one is not known. */
static bool is_matched(const Global *global) {
    for (int i = global->definitions.count - 1; i >= 0; i--) {
        const Guard *guard = global->definitions.data[i].guard;
        if (!guard) return false;
        for (; guard; guard = guard->outer)
            if (guard->stmt->kind == STMT_MATCH) return true;
    }
    return false;
}

static bool is_patched(const Module *module, const Global *global, Str name) {
    int count = global->definitions.count;
    const Definition *last = count > 1 ? &global->definitions.data[count - 1] : NULL;
    return last && !last->guard && stmt_patches(module, last->stmt, name);
}

/* Of bindings that may all be in force, the one found so far, from the last to the first. */
typedef struct Choice {
    Object *value;
    const Stmt *stmt;
    const Stmt *other; /* binds another value, and only a run would tell which it is */
} Choice;

static bool same_value(const Object *a, const Object *b) {
    if (a->kind != b->kind) return object_equal(a, b);
    if (a->kind == OBJECT_FUNCTION) return a->function->def == b->function->def;
    if (a->kind == OBJECT_BUILTIN) return a->builtin == b->builtin;
    if (a->kind == OBJECT_MODULE) return a->module == b->module && str_equal(a->text, b->text);
    return object_equal(a, b);
}

/* Is what comes before it of no account? What has a value goes before what has none, but an
 * assignment that is not conditional. */
static bool choose(Choice *choice, Object *value, const Definition *definition,
                   Likelihood likelihood) {
    const Stmt *stmt = definition->stmt;
    bool is_known = value && value->kind != OBJECT_OPAQUE;
    bool had_known = choice->value && choice->value->kind != OBJECT_OPAQUE;
    if (is_known && had_known && !choice->other && !same_value(choice->value, value))
        choice->other = stmt;
    if (value && !had_known && (is_known || !choice->value))
        choice->value = value, choice->stmt = stmt;
    bool assigns = stmt->kind == STMT_ASSIGN || stmt->kind == STMT_ANN_ASSIGN;
    return likelihood == CERTAIN && (is_known || (value && assigns && !definition->guard));
}

/* What `from package import *` binds: what the package's __all__ lists, else what has no _. */
static Object *starred_value(Module *module, const Stmt *stmt, Str name, Diag *diag) {
    Object *base = import_module(module, stmt->level, stmt->name, diag);
    if (base->kind == OBJECT_OPAQUE) return NULL;
    Str all = STR("__all__");
    const Object *listed = base->module && map_get(&base->module->globals, all)
                               ? module_lookup(module->arena, base->module, all, diag)
                               : NULL;
    if (listed && (listed->kind == OBJECT_LIST || listed->kind == OBJECT_TUPLE)) {
        bool is_listed = false;
        for (int i = 0; i < listed->num_items; i++)
            is_listed |=
                listed->items[i]->kind == OBJECT_STR && str_equal(listed->items[i]->text, name);
        if (!is_listed) return NULL;
    } else if (str_starts(name, "_") && !listed)
        return NULL;
    return import_attribute(module->arena, base, name, diag);
}

static Object *opaque_choice(Module *module, const Choice *choice, Str name) {
    int line, other, column;
    Span spans[] = {choice->stmt->span, choice->other->span};
    source_position(spans[0].source, spans[0].start, &line, &column);
    source_position(spans[1].source, spans[1].start, &other, &column);
    Object *opaque = opaque_global(module->arena, "", name);
    opaque->text =
        str_format(module->arena, "'%.*s', bound on line %d or line %d (only a run tells which),",
                   STR_ARG(name), other, line);
    return opaque;
}

/* The last binding whose conditions hold, statements and `from .. import *` in the order of the
 * text. Where a condition is not known and the values differ, so is the name. */
static Object *binding_in_force(Module *module, const Global *global, Str name, Diag *diag) {
    Choice choice = {0};
    int i = global ? global->definitions.count : 0, star = module->star_imports.count;
    while (i > 0 || star > 0) {
        const Definition *one = i > 0 ? &global->definitions.data[i - 1] : NULL;
        const Definition *starred = star > 0 ? &module->star_imports.data[star - 1] : NULL;
        bool is_star = !one || (starred && starred->stmt->span.start > one->stmt->span.start);
        if (is_star)
            star--, one = starred;
        else
            i--;
        Likelihood likelihood = guard_likelihood(module, one->guard);
        if (likelihood == NEVER) continue;
        Object *value = is_star ? starred_value(module, one->stmt, name, diag)
                                : definition_value(module, one, name, diag);
        if (choose(&choice, value, one, likelihood)) break;
    }
    return choice.other ? opaque_choice(module, &choice, name) : choice.value;
}

static Object *evaluate_global(Module *module, const Global *global, Str name, Diag *diag) {
    if (global->is_set_elsewhere) return opaque_global(module->arena, "the value of", name);
    if (is_matched(global)) {
        Object *opaque = opaque_global(module->arena, "", name);
        opaque->text = str_format(module->arena, "'%.*s', which a 'match' binds,", STR_ARG(name));
        return opaque;
    }
    if (is_patched(module, global, name)) {
        Global before = *global;
        before.definitions.count--;
        return evaluate_global(module, &before, name, diag);
    }
    if (needs_replay(global, name)) return replay(module, global, name, diag);
    return binding_in_force(module, global, name, diag);
}

/* Files may import * of each other, and a condition may ask for the name that it decides: what is
 * being looked for is not there yet, as for Python. Within one search each file answers once. */
static Object *starred_in_force(Module *module, Str name, Diag *diag) {
    Registry *registry = module->registry;
    Starred *starred = map_get(&module->starred, name);
    if (!module->star_imports.count) return NULL;
    if (!starred) {
        starred = arena_new_of(module->arena, Starred);
        map_set(&module->starred, name, starred);
    }
    if (!registry->search_depth) registry->search++;
    if (starred->search == registry->search || starred->is_final) return starred->value;
    starred->search = registry->search;
    registry->search_depth++;
    starred->value = binding_in_force(module, NULL, name, diag);
    starred->is_final = --registry->search_depth == 0;
    return starred->value;
}

/* A file that did not parse may have defined anything: its complaint explains a missing name. */
static void complain_of_unparsed(const Module *module, Str name, Diag *diag) {
    for (int i = 0; i < module->ast->body.count; i++) {
        const Stmt *stmt = module->ast->body.stmts[i];
        if (stmt->kind != STMT_ERROR) continue;
        Str text = span_text(stmt->span);
        if (text.length && memmem(text.data, (size_t)text.length, name.data, (size_t)name.length)) {
            diag_error(diag, stmt->complaint_span, "%.*s", STR_ARG(stmt->complaint));
            return;
        }
    }
}

Object *module_lookup(Arena *arena, Module *module, Str name, Diag *diag) {
    (void)arena; /* globals live as long as their module */
    Object *override = map_get(&module->overrides, name);
    if (override) return override;
    Global *global = map_get(&module->globals, name);
    if (global && global->value) return global->value;
    if (global && global->busy)
        return opaque_global(module->arena, "the value (defined by itself) of", name);
    Object *value = NULL;
    if (global) {
        global->busy = true;
        value = evaluate_global(module, global, name, diag);
        global->busy = false;
        if (value && value->kind != OBJECT_ERROR) global->value = value;
    }
    if (!global) value = starred_in_force(module, name, diag);
    bool is_unknown = global && (!value || value->kind == OBJECT_OPAQUE);
    override = is_unknown ? map_get(&module->registry->overrides, name) : NULL;
    if (override) return override;
    if (!value) value = builtin_attribute(module->arena, STR("builtins"), name);
    if (!value) complain_of_unparsed(module, name, diag);
    if (value && value->kind == OBJECT_OPAQUE && !value->global.length) value->global = name;
    return value;
}

/* Where the file of "FILE.py:NAME" ends; 0: the text is something else. */
static int end_of_file_name(Str text) {
    int colon = text.length - 1;
    while (colon > 0 && text.data[colon] != ':') colon--;
    bool is_name = colon + 1 < text.length;
    for (int i = colon + 1; i < text.length; i++) {
        char c = text.data[i];
        is_name &= isalnum((unsigned char)c) || c == '_' || c == '@' || (c & 0x80);
    }
    return is_name && colon > 0 && str_ends((Str){text.data, colon}, ".py") ? colon : 0;
}

/* The same function, for a caller who has seen what its decorators made of it. */
static Object *chosen(Arena *arena, const Object *function) {
    Object *object = object_new(arena, OBJECT_FUNCTION);
    *object = *function;
    object->function = arena_array(arena, FunctionObject, 1);
    *object->function = *function->function;
    object->function->is_chosen = true;
    return object;
}

/* NULL after diag_error. */
static Object *function_of_file(Module *module, const Source *text, int end, Diag *diag) {
    Str path = str_copy(module->arena, (Str){text->text.data, end});
    Str name = {text->text.data + end + 1, text->text.length - end - 1};
    Module *file = import_file(module, path, diag);
    const JitFunction *function = file ? module_find(file, name) : NULL;
    if (function)
        return chosen(module->arena, module_function_object(module->arena, file, function));
    Span span = {text, 0, text->text.length};
    if (file) diag_error(diag, span, "the file has no @triton.jit function '%.*s'", STR_ARG(name));
    if (!file) diag_error(diag, span, "'%.*s' cannot be read", STR_ARG(path));
    return NULL;
}

/* A function of Triton's own, as "triton.language.extra.libdevice.fmod"; NULL after diag_error. */
static Object *function_of_triton(Module *module, const Source *text, Diag *diag) {
    int dot = text->text.length - 1;
    while (text->text.data[dot] != '.') dot--;
    Str path = {text->text.data, dot},
        name = {text->text.data + dot + 1, text->text.length - dot - 1};
    Object *base = import_module(module, 0, path, diag);
    Object *value = base->kind == OBJECT_OPAQUE || base->kind == OBJECT_ERROR
                        ? NULL
                        : import_attribute(module->arena, base, name, diag);
    if (value && value->kind != OBJECT_OPAQUE && value->kind != OBJECT_ERROR) return value;
    diag_error(diag, (Span){text, 0, text->text.length}, "'%.*s' is not known",
               STR_ARG(text->text));
    return NULL;
}

static bool is_dotted(Str text) {
    for (int i = 0; i < text.length; i++)
        if (!isalnum((unsigned char)text.data[i]) && !strchr("_.", text.data[i])) return false;
    return text.length > 0 && text.data[text.length - 1] != '.';
}

/* As a tl.constexpr; NULL after diag_error. */
static Object *literal_value(Module *module, Str name, const Source *text, Diag *diag) {
    Expr *expr = ast_parse_expr(module->arena, text, diag);
    if (!expr) return NULL;
    Object *value = host_evaluate(module->arena, module, expr, NULL, diag);
    if (value->kind == OBJECT_ERROR) return NULL;
    if (!object_is_known(value)) {
        diag_error(diag, expr->span, "'%.*s' needs a literal value", STR_ARG(name));
        return NULL;
    }
    Object *wrapped = object_new(module->arena, value->kind);
    *wrapped = *value;
    wrapped->is_constexpr = true;
    return wrapped;
}

void module_forget(Module *module) {
    const Map *files = &module->registry->files;
    for (int k = -1; k < files->capacity; k++) {
        if (k >= 0 && !files->slots[k].used) continue;
        Module *file = k < 0 ? module : files->slots[k].value;
        file->starred = file->function_objects = (Map){.arena = file->arena}; /* and closures */
        for (int i = 0; i < file->globals.capacity; i++)
            if (file->globals.slots[i].used) ((Global *)file->globals.slots[i].value)->value = NULL;
    }
}

bool module_set_global(Module *module, Str name, const Source *text, Diag *diag) {
    int end = end_of_file_name(text->text), of_file = end_of_file_name(name);
    Module *owner = module;
    if (of_file) {
        Str path = str_copy(module->arena, (Str){name.data, of_file});
        owner = import_file(module, path, diag);
        name = (Str){name.data + of_file + 1, name.length - of_file - 1};
        if (!owner)
            diag_error(diag, (Span){text, 0, text->text.length}, "'%.*s' cannot be read",
                       STR_ARG(path));
        if (!owner) return false;
    }
    bool is_triton = str_starts(text->text, "triton.") && is_dotted(text->text);
    Object *value = end         ? function_of_file(module, text, end, diag)
                    : is_triton ? function_of_triton(module, text, diag)
                                : literal_value(owner, name, text, diag);
    if (!value) return false;
    module_forget(module);
    map_set(&owner->overrides, name, value);
    if (!of_file) map_set(&module->registry->overrides, name, value);
    return true;
}
