// SPDX-License-Identifier: Apache-2.0
/* template: parameters of templates, and the arguments that are written for them. An argument is a
 * type, a number that is known, or a function. */
#include "cuda/front.h"

/* ---- parameters ---- */

/* To the ',' or '>' that ends a parameter at `t`. */
static CuToken *param_end(CuToken *t) {
    while (t->kind != CU_END && !cu_is(t, ",") && !cu_is(t, ">") && !cu_is(t, ">>")) {
        bool opens = cu_is(t, "(") || cu_is(t, "[") || cu_is(t, "{");
        bool angle = cu_is(t->next, "<") && t->kind == CU_NAME && !cu_is(t, "typename");
        t = opens ? cu_skip(t) : angle ? cu_skip_angles(t->next) : t->next;
    }
    return t;
}

static bool one_param(CuLower *l, CuToken **at, CuTemplateParam *param) {
    CuToken *t = *at;
    *param = (CuTemplateParam){.name = STR(""), .place = t->place};
    if (cu_is(t, "template")) {
        cu_unsupported(l, t->place, "a template as the parameter of a template");
        return false;
    }
    bool pack_type = cu_is(t->next, "...");
    param->is_type = (cu_is(t, "typename") || cu_is(t, "class")) &&
                     (pack_type || t->next->kind != CU_NAME || !cu_is(t->next->next, "::"));
    if (!param->is_type) param->type = t;
    CuToken *end = param_end(t), *name = NULL;
    CuToken *pointer = t->kind == CU_NAME && cu_is(t->next, "(") ? t->next->next : NULL;
    if (pointer && cu_is(pointer, "*") && pointer->next->kind == CU_NAME) { /* float (*f)(float) */
        name = pointer->next;
        for (t = cu_skip(name->next->next); t != end && !cu_is(t, "=");) t = t->next;
    }
    for (; t != end && !cu_is(t, "="); t = t->next) {
        param->is_pack |= cu_is(t, "...");
        if (t->kind == CU_NAME) name = t;
        if (cu_is(t->next, "<") && t->kind == CU_NAME) {
            name = NULL;
            while (!cu_is(t->next, "=") && t->next != end) t = t->next, name = t;
            if (name->kind != CU_NAME) name = NULL;
        }
    }
    if (cu_is(t, "=")) param->value = t->next;
    bool unnamed = !name || name == *at || (param->type && name == param->type);
    if (!unnamed) param->name = name->text, param->place = name->place;
    *at = end;
    return true;
}

bool cu_template(CuLower *l, const CuDecl *decl, CuTemplate *t) {
    VEC(CuTemplateParam) params = {0};
    CuToken *at = decl->templates;
    *t = (CuTemplate){0};
    if (!at) return true;
    for (at = at->next; !cu_is(at, ">") && !cu_is(at, ">>") && at->kind != CU_END;) {
        CuTemplateParam param;
        if (!one_param(l, &at, &param)) return false;
        if (param.is_pack) {
            cu_unsupported(l, param.place, "a template with any number of parameters");
            return false;
        }
        vec_push(l->arena, &params, param);
        if (cu_is(at, ",")) at = at->next;
    }
    *t = (CuTemplate){params.count, params.data};
    return true;
}

/* ---- arguments ---- */

/* '>>' ends two lists. */
bool cu_close_angle(CuLower *l) {
    if (cu_accept(l, ">")) return true;
    if (!l->panic && (cu_is(l->at, ">>") || cu_is(l->at, ">=") || cu_is(l->at, ">>="))) {
        CuToken *rest = arena_new_of(l->arena, CuToken);
        *rest = *l->at;
        rest->text = (Str){rest->text.data + 1, rest->text.length - 1};
        l->at = rest;
        return true;
    }
    return cu_expect(l, ">", "after the arguments of a template");
}

static bool ends_argument(const CuToken *t) {
    return cu_is(t, ",") || cu_is(t, ">") || cu_is(t, ">>");
}

/* The name of a function, alone. */
static bool function_argument(CuLower *l, CuArg *arg) {
    CuToken *t = cu_is(l->at, "&") ? l->at->next : l->at;
    if (t->kind != CU_NAME || !ends_argument(t->next)) return false;
    const CuName *found = cu_find(l, t->text);
    const CuDecl *function = found && found->kind == NAME_FUNCTION ? found->decl : NULL;
    for (CuDeclKind kind = CU_DECL_TYPE; kind <= CU_DECL_ENUMERATOR && !found; kind++)
        if (cu_declared(l, t->text, kind)) return false;
    if (!found) function = cu_declared(l, t->text, CU_DECL_FUNCTION);
    if (!function || function->is_kernel || function->owner) return false;
    *arg = (CuArg){.type = cu_type(CU_VOID), .is_value = true, .function = function};
    arg->bits = (uint64_t)(uintptr_t)function; /* alike where it is the same one */
    l->at = t->next;
    return true;
}

static bool value_argument(CuLower *l, CuArg *arg) {
    if (function_argument(l, arg)) return true;
    if (l->is_pattern && l->at->kind == CU_NAME && ends_argument(l->at->next)) {
        const CuName *found = cu_find(l, l->at->text);
        if (found && found->param) {
            *arg = (CuArg){.type = found->val.type, .is_value = true, .param = found->param};
            l->at = l->at->next;
            return true;
        }
    }
    bool in_angles = l->in_angles;
    l->in_angles = true;
    CuVal val = cu_value(l, cu_conditional(l));
    l->in_angles = in_angles;
    if (l->panic) return false;
    if (val.type->kind == CU_STRUCT || !cu_is_written(val.value)) {
        if (!l->is_pattern) {
            cu_bad(l, val.place, "an argument of a template must be known at compile time");
            return false;
        }
        *arg = (CuArg){.type = cu_any_type(), .is_value = true, .param = -1};
        return true;
    }
    *arg = (CuArg){.type = val.type, .is_value = true, .bits = constant_bits(val.value->def)};
    return true;
}

bool cu_template_args(CuLower *l, CuArgs *args) {
    VEC(CuArg) list = {0};
    if (!cu_enter(l) || !cu_expect(l, "<", "before the arguments of a template")) return false;
    while (!l->panic && !cu_is(l->at, ">") && !cu_is(l->at, ">>")) {
        CuArg arg = {0};
        bool in_angles = l->in_angles;
        l->in_angles = false;
        bool is_type = cu_starts_type(l);
        if (is_type) arg.type = cu_type_name(l);
        l->in_angles = in_angles;
        if (!is_type && !value_argument(l, &arg)) break;
        vec_push(l->arena, &list, arg);
        if (!cu_accept(l, ",")) break;
    }
    *args = (CuArgs){list.count, list.data};
    l->nested--;
    return cu_close_angle(l);
}

bool cu_same_args(CuArgs a, CuArgs b) {
    if (a.count != b.count) return false;
    for (int i = 0; i < a.count; i++) {
        const CuArg *x = &a.data[i], *y = &b.data[i];
        if (x->is_value != y->is_value || x->param != y->param) return false;
        if (x->is_value ? x->bits != y->bits
                        : !cu_same(x->type, y->type) || x->type->is_const != y->type->is_const ||
                              x->type->is_volatile != y->type->is_volatile)
            return false;
    }
    return true;
}

Str cu_args_name(Arena *arena, Str name, CuArgs args) {
    Buf text = {.arena = arena};
    buf_add(&text, name.data, (size_t)name.length);
    buf_putc(&text, '<');
    for (int i = 0; i < args.count; i++) {
        const CuArg *arg = &args.data[i];
        if (i) buf_puts(&text, ", ");
        if (!arg->is_value) {
            Str type = cu_name(arena, arg->type);
            buf_add(&text, type.data, (size_t)type.length);
        } else if (arg->function) {
            buf_add(&text, arg->function->name.data, (size_t)arg->function->name.length);
        } else if (arg->type->kind == CU_BOOL) {
            buf_puts(&text, arg->bits ? "true" : "false");
        } else {
            buf_printf(&text, "%lld", (long long)arg->bits);
        }
    }
    buf_putc(&text, '>');
    return buf_str(&text);
}

/* ---- binding ---- */

/* A number becomes one of the parameter's type; calls of a function's name are of the function. */
static bool bind_value(CuLower *l, const CuTemplateParam *param, CuArg *arg, CuName *name) {
    if (arg->function) {
        name->kind = NAME_FUNCTION;
        name->decl = arg->function;
        return true;
    }
    CuToken *at = l->at;
    l->at = param->type;
    CuSpecifiers s;
    bool fine = cu_specifiers(l, &s);
    const CuType *type = fine && s.type ? cu_plain(l->arena, s.type) : arg->type;
    l->at = at;
    if (!fine) return false;
    if (type->kind == CU_POINTER || !cu_is_integer(type) || cu_is(param->type->next, "*")) {
        cu_unsupported(l, param->place, "a template's parameter that is no type and no integer");
        return false;
    }
    CuVal val = {.type = arg->type, .place = param->place};
    val.value = build_constant_bits(&l->b, cu_ir(l->fn->types, arg->type), arg->bits);
    val = cu_convert(l, val, type, "this argument of a template");
    if (l->panic) return false;
    arg->type = type;
    arg->bits = constant_bits(val.value->def);
    name->kind = NAME_CONSTANT;
    name->val = val;
    return true;
}

static bool default_arg(CuLower *l, const CuTemplateParam *param, CuArg *arg, CuScope *to) {
    CuToken *at = l->at;
    const CuScope *scope = l->scope;
    l->at = param->value;
    l->scope = to;
    bool fine = true;
    if (param->is_type)
        *arg = (CuArg){.type = cu_type_name(l)};
    else
        fine = value_argument(l, arg);
    l->scope = scope;
    l->at = at;
    return fine && !l->panic;
}

bool cu_bind_args(CuLower *l, const CuTemplate *t, CuArgs *args, CuScope *to, CuPlace place) {
    CuArg *all = arena_array(l->arena, CuArg, t->count + 1);
    const CuScope *scope = l->scope;
    if (args->count > t->count) {
        cu_bad(l, place, "%d arguments for a template with %d parameter%s", args->count, t->count,
               t->count == 1 ? "" : "s");
        return false;
    }
    for (int i = 0; i < t->count && !l->panic; i++) {
        const CuTemplateParam *param = &t->params[i];
        bool given = i < args->count && (args->data[i].type || args->data[i].is_value);
        CuName name = {.name = param->name, .kind = NAME_TYPE};
        if (given) all[i] = args->data[i];
        if (!given && !param->value)
            cu_bad(l, place, "no argument for '%.*s' of a template", STR_ARG(param->name));
        if (l->panic || (!given && !default_arg(l, param, &all[i], to))) break;
        if (all[i].is_value == param->is_type) {
            cu_bad(l, place, "the argument for '%.*s' of a template is %s", STR_ARG(param->name),
                   param->is_type ? "no type" : "a type");
            break;
        }
        l->scope = to;
        name.val = (CuVal){.type = all[i].type, .place = param->place};
        if (param->is_type || bind_value(l, param, &all[i], &name)) cu_bind(l, name);
        l->scope = scope;
    }
    l->scope = scope;
    *args = (CuArgs){t->count, all};
    return !l->panic;
}

void cu_bind_params(CuLower *l, const CuTemplate *t, CuScope *to) {
    const CuScope *scope = l->scope;
    l->scope = to;
    for (int i = 0; i < t->count; i++) {
        const CuTemplateParam *param = &t->params[i];
        CuName name = {.name = param->name, .kind = NAME_TYPE, .param = i + 1};
        name.val.type = cu_param_type(l->arena, i);
        if (!param->is_type) {
            name.kind = NAME_CONSTANT;
            name.val = cu_poison(l, param->place);
        }
        cu_bind(l, name);
    }
    l->scope = scope;
}
