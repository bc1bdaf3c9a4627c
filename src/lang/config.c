// SPDX-License-Identifier: Apache-2.0
/* config: what the decorators @triton.autotune and @triton.heuristics of a function say, by our own
 * evaluator. What cannot be evaluated is refused by name: the caller can say the values instead. */
#include "lang/module.h"

static const Expr *find_decorator(const FunctionDef *def, const char *name) {
    for (int i = 0; i < def->num_decorators; i++) {
        const Expr *decorator = def->decorators[i];
        if (decorator->kind != EXPR_CALL) continue;
        const Expr *callee = decorator->left;
        if ((callee->kind == EXPR_ATTRIBUTE || callee->kind == EXPR_NAME) &&
            str_is(callee->text, name))
            return decorator;
    }
    return NULL;
}

/* The argument called `name`, or the first positional one. */
static const Expr *decorator_argument(const Expr *decorator, const char *name) {
    for (int i = 0; i < decorator->num_args; i++)
        if (str_is(decorator->args[i].name, name)) return decorator->args[i].value;
    for (int i = 0; i < decorator->num_args; i++)
        if (decorator->args[i].name.length == 0 && decorator->args[i].stars == 0)
            return decorator->args[i].value;
    return NULL;
}

/* The value as a literal of the signature's grammar. */
static Str literal(Arena *arena, const Object *value) {
    Buf text = {.arena = arena};
    if (value->kind == OBJECT_DTYPE && !value->text.length)
        buf_puts(&text, dtype_name(value->ltype.dtype));
    else
        object_repr(&text, value);
    return buf_str(&text);
}

static Object *dict_find(const Object *dict, const char *key) {
    for (int i = 0; i + 1 < dict->num_items; i += 2)
        if (dict->items[i]->kind == OBJECT_STR && str_is(dict->items[i]->text, key))
            return dict->items[i + 1];
    return NULL;
}

static int option_int(const Object *options, const char *key) {
    const Object *value = dict_find(options, key);
    return value && object_is_integral(value) && value->integer > 0 && value->integer < 1024
               ? (int)value->integer
               : 0;
}

/* The first part of a value that is not known, NULL when all is. */
static const Object *unknown_part(const Object *value) {
    if (value->kind == OBJECT_OPAQUE) return value;
    for (int i = 0; i < value->num_items; i++) {
        const Object *found = value->items[i] ? unknown_part(value->items[i]) : NULL;
        if (found) return found;
    }
    return NULL;
}

/* False: *unknown is what Python would have to say. Options other than those that are ours to know
 * (num_ctas ..) do not matter here. */
static bool config_from(Arena *arena, const Object *object, Config *config,
                        const Object **unknown) {
    *unknown = object;
    if (object->kind != OBJECT_CONFIG || object->items[0]->kind != OBJECT_DICT) return false;
    const Object *kwargs = object->items[0];
    config->num_values = kwargs->num_items / 2;
    config->values = arena_array(arena, ConfigValue, config->num_values);
    for (int i = 0; i < config->num_values; i++) {
        const Object *key = kwargs->items[2 * i], *value = kwargs->items[2 * i + 1];
        *unknown = value;
        if (key->kind != OBJECT_STR || !object_is_known(value)) return false;
        config->values[i] = (ConfigValue){key->text, literal(arena, value)};
    }
    static const char *const ours[] = {"num_warps", "num_stages"};
    for (int i = 0; i < COUNT(ours); i++) {
        *unknown = dict_find(object->items[1], ours[i]);
        if (*unknown && !object_is_known(*unknown)) return false;
    }
    config->num_warps = option_int(object->items[1], "num_warps");
    config->num_stages = option_int(object->items[1], "num_stages");
    const Object *hook = dict_find(object->items[1], "pre_hook");
    config->has_pre_hook = hook && hook->kind != OBJECT_NONE;
    return true;
}

static Map *closure_of(Arena *arena, Module *module, const JitFunction *function) {
    Object *object = module_function_object(arena, module, function);
    return object->function->closure;
}

static const Expr *named_argument(const JitFunction *function, const char *name) {
    const Expr *decorator = find_decorator(function->def, "autotune");
    for (int i = 0; decorator && i < decorator->num_args; i++)
        if (str_is(decorator->args[i].name, name)) return decorator->args[i].value;
    return NULL;
}

/* The list as the file makes it, NULL after diag_error. */
static Object *evaluated_configs(Arena *arena, Module *module, const JitFunction *function,
                                 const Expr *decorator, const Expr **list, Diag *diag) {
    *list = decorator_argument(decorator, "configs");
    if (!*list) {
        diag_error(diag, decorator->span, "autotune needs configs");
        return NULL;
    }
    Object *value = host_evaluate(arena, module, *list, closure_of(arena, module, function), diag);
    return value->kind == OBJECT_ERROR ? NULL : value;
}

int function_configs(Arena *arena, Module *module, const JitFunction *function, Diag *diag,
                     Config **configs) {
    *configs = NULL;
    const Expr *decorator = find_decorator(function->def, "autotune");
    if (!decorator) return 0;
    const Expr *list;
    Object *value = evaluated_configs(arena, module, function, decorator, &list, diag);
    if (!value) return -1;
    const Object *unknown = value;
    bool ok = value->kind == OBJECT_LIST || value->kind == OBJECT_TUPLE;
    if (ok) *configs = arena_array(arena, Config, value->num_items + 1);
    for (int i = 0; ok && i < value->num_items; i++)
        ok = config_from(arena, value->items[i], &(*configs)[i], &unknown);
    if (ok) return value->num_items;
    const Object *part = unknown_part(unknown);
    Span span = part && part->span.source ? part->span : list->span;
    diag_refused(diag, span, "these configs cannot be evaluated without Python%s%.*s%s",
                 part ? ": " : "", STR_ARG(part ? part->text : (Str){0}),
                 part ? " is not known" : "");
    diag_help(diag, span, "give the constants of the kernel yourself");
    return -1;
}

/* autotune(configs, key, ..): the second positional argument. */
static const Expr *key_argument(const JitFunction *function) {
    const Expr *decorator = find_decorator(function->def, "autotune"),
               *named = named_argument(function, "key");
    if (named || !decorator || decorator->num_args < 2) return named;
    bool positional = !decorator->args[0].name.length && !decorator->args[1].name.length;
    return positional && !decorator->args[1].stars ? decorator->args[1].value : NULL;
}

int function_autotune_names(Arena *arena, Module *module, const JitFunction *function,
                            const char *argument, Diag *diag, Str **names) {
    const Expr *list =
        strcmp(argument, "key") ? named_argument(function, argument) : key_argument(function);
    *names = NULL;
    if (!list) return 0;
    Object *value = host_evaluate(arena, module, list, closure_of(arena, module, function), diag);
    if (value->kind == OBJECT_ERROR) return -1;
    if (value->kind == OBJECT_NONE) return 0;
    bool is_list = value->kind == OBJECT_LIST || value->kind == OBJECT_TUPLE;
    if (is_list) *names = arena_array(arena, Str, value->num_items + 1);
    for (int i = 0; is_list && i < value->num_items; i++) {
        is_list = value->items[i]->kind == OBJECT_STR;
        (*names)[i] = value->items[i]->text;
    }
    if (is_list) return value->num_items;
    diag_refused(diag, list->span,
                 "'%s' of autotune is no list of names that is known without Python", argument);
    return -1;
}

Str function_autotune_text(const JitFunction *function, const char *argument) {
    const Expr *value = named_argument(function, argument);
    Str text = value ? span_text(value->span) : (Str){0};
    return str_is(text, "None") ? (Str){0} : text;
}

/* What a lambda sees as `args`: a dict from names to what the caller knows. Tensors are there as
 * opaque values that are not None. */
static Object *argument_dict(Arena *arena, Module *module, const ConfigValue *arguments,
                             int num_arguments, Diag *diag) {
    VEC(Object *) pairs = {0};
    for (int i = 0; i < num_arguments; i++) {
        Source *source = source_new(arena, str_format(arena, "<%.*s>", STR_ARG(arguments[i].name)),
                                    arguments[i].text);
        Expr *expr = ast_parse_expr(arena, source, diag);
        if (!expr) return NULL;
        vec_push(arena, &pairs, object_str(arena, arguments[i].name));
        vec_push(arena, &pairs, host_evaluate(arena, module, expr, NULL, diag));
    }
    return host_list(arena, OBJECT_DICT, pairs.count, pairs.data);
}

/* ---- prune_configs_by ---- */

typedef struct Pruning {
    Arena *arena;
    Diag *diag;
    Span span;          /* of prune_configs_by */
    Object *arguments;  /* a dict by name; of tensors nothing is known */
    VEC(Object *) left; /* configs */
} Pruning;

typedef struct Keywords {
    VEC(Str) names; /* empty: by place */
    VEC(Object *) values;
} Keywords;

/* Those that the function can take: all where it has **kwargs. */
static void add_keywords(const Pruning *p, Keywords *keywords, const Object *function,
                         const Object *dict) {
    const FunctionDef *def = function->function->def;
    for (int i = 0; i + 1 < dict->num_items; i += 2) {
        Str name = dict->items[i]->text;
        bool takes = false, given = false;
        for (int k = 0; k < def->num_params; k++)
            takes |= str_equal(def->params[k].name, name) || def->params[k].kind == PARAM_STAR_STAR;
        for (int k = 0; k < keywords->names.count; k++)
            given |= str_equal(keywords->names.data[k], name);
        if (!takes || given) continue;
        vec_push(p->arena, &keywords->names, name);
        vec_push(p->arena, &keywords->values, dict->items[i + 1]);
    }
}

static Object *call_with(const Pruning *p, Object *function, const Keywords *keywords) {
    return host_call(p->arena, function, keywords->values.count, keywords->values.data,
                     keywords->names.data, p->span, p->diag);
}

static bool prune_refused(const Pruning *p, const char *what, const Object *result) {
    if (diag_failed(p->diag)) return false;
    bool has_place = result && result->kind == OBJECT_OPAQUE && result->span.source;
    diag_refused(p->diag, has_place ? result->span : p->span,
                 "%s of prune_configs_by cannot be evaluated without Python%s%.*s%s", what,
                 result && result->text.length ? ": " : "",
                 STR_ARG(result ? result->text : (Str){0}),
                 result && result->text.length ? " is not known" : "");
    return false;
}

static bool prune_early(Pruning *p, Object *function, const Object *configs) {
    Keywords keywords = {0};
    Object *list = host_list(p->arena, OBJECT_LIST, configs->num_items, configs->items);
    for (int i = 0; i < 2; i++) vec_push(p->arena, &keywords.names, (Str){0});
    vec_push(p->arena, &keywords.values, list);
    vec_push(p->arena, &keywords.values, p->arguments);
    add_keywords(p, &keywords, function, p->arguments);
    Object *result = call_with(p, function, &keywords);
    if (result->kind != OBJECT_LIST && result->kind != OBJECT_TUPLE)
        return prune_refused(p, "early_config_prune", result);
    p->left.count = 0;
    for (int i = 0; i < result->num_items; i++) {
        if (result->items[i]->kind != OBJECT_CONFIG)
            return prune_refused(p, "early_config_prune", result->items[i]);
        vec_push(p->arena, &p->left, result->items[i]);
    }
    return true;
}

/* Triton's all_kwargs(): the values, and the options with what they are where nothing is said. */
static bool estimate(const Pruning *p, Object *model, const Object *config, double *time) {
    static const struct {
        const char *name;
        int value;
    } defaults[] = {{"num_warps", 4}, {"num_stages", 3}, {"num_ctas", 1}};
    Keywords keywords = {0};
    Object *rest[2 * COUNT(defaults)];
    for (int i = 0; i < COUNT(defaults); i++) {
        rest[2 * i] = object_str(p->arena, str_of(defaults[i].name));
        rest[2 * i + 1] = object_int(p->arena, defaults[i].value);
    }
    add_keywords(p, &keywords, model, config->items[0]);
    add_keywords(p, &keywords, model, config->items[1]);
    add_keywords(p, &keywords, model, host_list(p->arena, OBJECT_DICT, COUNT(rest), rest));
    add_keywords(p, &keywords, model, p->arguments);
    Object *result = call_with(p, model, &keywords);
    if (!object_is_number(result)) return prune_refused(p, "perf_model", result);
    *time = object_number(result);
    return true;
}

/* A part of all configs, not of those that are left; or how many. */
static bool most_kept(const Pruning *p, const Object *rules, int num_configs, int *most) {
    const Object *top = dict_find(rules, "top_k");
    if (!top || (top->kind == OBJECT_FLOAT && top->number <= 1 && top->number >= 0)) {
        *most = top ? (int)(num_configs * top->number) : num_configs;
        return true;
    }
    *most = object_is_integral(top) && top->integer >= 0 && top->integer <= INT32_MAX
                ? (int)top->integer
                : -1;
    return *most >= 0 || prune_refused(p, "top_k", top);
}

/* Stable, as Python's sort is. */
static bool keep_fastest(Pruning *p, Object *model, int most) {
    double *times = arena_array(p->arena, double, p->left.count + 1);
    for (int i = 0; i < p->left.count; i++)
        if (!estimate(p, model, p->left.data[i], &times[i])) return false;
    for (int i = 1; i < p->left.count; i++)
        for (int k = i; k > 0 && times[k] < times[k - 1]; k--) {
            double time = times[k];
            Object *config = p->left.data[k];
            times[k] = times[k - 1], times[k - 1] = time;
            p->left.data[k] = p->left.data[k - 1], p->left.data[k - 1] = config;
        }
    p->left.count = most;
    return true;
}

static bool prune(Pruning *p, const Object *rules, const Object *configs) {
    Object *early = dict_find(rules, "early_config_prune"), *model = dict_find(rules, "perf_model");
    int most;
    for (int i = 0; i < configs->num_items; i++) vec_push(p->arena, &p->left, configs->items[i]);
    if (early && early->kind != OBJECT_NONE) {
        if (early->kind != OBJECT_FUNCTION) return prune_refused(p, "early_config_prune", early);
        if (!prune_early(p, early, configs)) return false;
    }
    if (!model || model->kind == OBJECT_NONE) return true;
    if (model->kind != OBJECT_FUNCTION) return prune_refused(p, "perf_model", model);
    if (!most_kept(p, rules, configs->num_items, &most)) return false;
    return p->left.count <= most || keep_fastest(p, model, most);
}

int function_pruned(Arena *arena, Module *module, const JitFunction *function,
                    const ConfigValue *arguments, int num_arguments, Diag *diag, int **left) {
    const Expr *decorator = find_decorator(function->def, "autotune"), *list,
               *text = named_argument(function, "prune_configs_by");
    Pruning p = {.arena = arena, .diag = diag};
    Map *closure = closure_of(arena, module, function);
    Object *configs =
        decorator ? evaluated_configs(arena, module, function, decorator, &list, diag) : NULL;
    if (!configs) return decorator ? -1 : 0;
    p.arguments = argument_dict(arena, module, arguments, num_arguments, diag);
    if (!p.arguments) return -1;
    Object *rules = text ? host_evaluate(arena, module, text, closure, diag) : NULL;
    if (rules && rules->kind == OBJECT_ERROR) return -1;
    bool has_rules = rules && rules->kind != OBJECT_NONE;
    p.span = text ? text->span : list->span;
    if (has_rules && rules->kind != OBJECT_DICT) return prune_refused(&p, "the dict", rules), -1;
    if (!has_rules) rules = host_list(arena, OBJECT_DICT, 0, NULL);
    if (!prune(&p, rules, configs)) return -1;
    *left = arena_array(arena, int, p.left.count + 1);
    for (int i = 0; i < p.left.count; i++) {
        int at = 0;
        while (at < configs->num_items && configs->items[at] != p.left.data[i]) at++;
        if (at == configs->num_items) return prune_refused(&p, "a new config", NULL), -1;
        (*left)[i] = at;
    }
    if (p.left.count) return p.left.count;
    diag_error(diag, p.span, "prune_configs_by leaves no config");
    return -1;
}

/* ---- heuristics ---- */

static bool param_index(const JitFunction *function, Str name, int *index) {
    for (*index = 0; *index < function->num_params; ++*index)
        if (str_equal(function->params[*index].name, name)) return true;
    return false;
}

static bool is_wanted(const JitFunction *function, const Spec *specs, int index,
                      const ConfigValue *arguments, int num_arguments) {
    for (int i = 0; i < num_arguments; i++)
        if (str_equal(arguments[i].name, function->params[index].name)) return false;
    return specs[index].kind == SPEC_DEFAULT;
}

static bool apply_heuristic(Arena *arena, const JitFunction *function, Object *name, Object *rule,
                            Object **args, Spec *specs, const ConfigValue *arguments,
                            int num_arguments, Span span, Diag *diag) {
    int index;
    if (name->kind != OBJECT_STR || !param_index(function, name->text, &index)) return true;
    if (!is_wanted(function, specs, index, arguments, num_arguments)) return true;
    Object *value =
        rule->kind == OBJECT_FUNCTION ? host_call(arena, rule, 1, args, NULL, span, diag) : NULL;
    if (value && value->kind == OBJECT_ERROR) return false;
    if (!value || !object_is_known(value)) {
        diag_refused(diag, span, "the heuristic for '%.*s' cannot be evaluated without Python",
                     STR_ARG(name->text));
        diag_help(diag, span, "give '%.*s' yourself", STR_ARG(name->text));
        return false;
    }
    specs[index] =
        (Spec){.kind = SPEC_CONSTANT, .divisible = 1, .text = literal(arena, value), .span = span};
    /* Later rules see earlier results, as in Triton. */
    Object *dict = args[0];
    Object **items = arena_array(arena, Object *, dict->num_items + 2);
    if (dict->num_items) memcpy(items, dict->items, (size_t)dict->num_items * sizeof *items);
    items[dict->num_items] = name;
    items[dict->num_items + 1] = value;
    args[0] = host_list(arena, OBJECT_DICT, dict->num_items + 2, items);
    return true;
}

bool function_heuristics(Arena *arena, Module *module, const JitFunction *function,
                         const ConfigValue *arguments, int num_arguments, Spec *specs, Diag *diag) {
    const Expr *decorator = find_decorator(function->def, "heuristics");
    if (!decorator) return true;
    const Expr *table = decorator_argument(decorator, "values");
    if (!table) return true;
    Object *rules = host_evaluate(arena, module, table, closure_of(arena, module, function), diag);
    if (rules->kind == OBJECT_ERROR) return false;
    if (rules->kind != OBJECT_DICT) {
        diag_refused(diag, table->span, "these heuristics cannot be evaluated without Python");
        return false;
    }
    Object *args[1] = {argument_dict(arena, module, arguments, num_arguments, diag)};
    if (!args[0]) return false;
    for (int i = 0; i + 1 < rules->num_items; i += 2)
        if (!apply_heuristic(arena, function, rules->items[i], rules->items[i + 1], args, specs,
                             arguments, num_arguments, table->span, diag))
            return false;
    return true;
}
