// SPDX-License-Identifier: Apache-2.0
/* call: what functions take, and their bodies, read anew for each call: functions of a kernel are
 * always inlined. */
#include "cuda/front.h"

/* ---- signatures ---- */

static CuToken *value_end(CuToken *t) {
    while (!cu_is(t, ",") && !cu_is(t, ")") && t->kind != CU_END) {
        bool opens = cu_is(t, "(") || cu_is(t, "{") || cu_is(t, "[");
        bool angle = t->kind == CU_NAME && cu_is(t->next, "<");
        CuToken *after = angle ? cu_skip_angles(t->next) : NULL;
        bool is_list = after && (cu_is(after, "(") || cu_is(after, "{") || cu_is(after, "::"));
        t = opens ? cu_skip(t) : is_list ? after : t->next;
    }
    return t;
}

static bool parameter(CuLower *l, CuSignature *signature, CuParamDecl *param) {
    CuSpecifiers s;
    CuDeclarator d;
    *param = (CuParamDecl){.name = STR(""), .place = l->at->place};
    if (!cu_specifiers(l, &s)) return false;
    if (cu_is(l->at, "...")) {
        cu_unsupported(l, l->at->place, "a function with any number of parameters");
        return false;
    }
    if (!cu_declarator(l, s.type, &d)) return false;
    if (d.is_pointer) {
        cu_unsupported(l, s.place, "a parameter of type 'auto *'");
        return false;
    }
    param->place = d.name ? d.name->place : s.place;
    if (d.name) param->name = d.name->text;
    param->type = d.type && d.type->kind == CU_ARRAY && !d.is_reference
                      ? cu_pointer(l->arena, d.type->of)
                      : d.type;
    param->is_reference = d.is_reference;
    param->is_moved = d.is_moved;
    if (cu_accept(l, "=")) {
        param->default_value = l->at;
        l->at = value_end(l->at);
    } else {
        signature->num_required++;
    }
    return true;
}

/* l->at: behind '('. */
bool cu_parameters(CuLower *l, CuSignature *signature) {
    VEC(CuParamDecl) params = {0};
    CuParamDecl param;
    bool none = cu_is(l->at, ")") || (cu_is(l->at, "void") && cu_is(l->at->next, ")"));
    if (none) l->at = cu_is(l->at, "void") ? l->at->next : l->at;
    while (!none) {
        if (cu_accept(l, "...")) {
            signature->is_variadic = true;
            break;
        }
        if (!parameter(l, signature, &param)) return false;
        vec_push(l->arena, &params, param);
        if (!cu_accept(l, ",")) break;
    }
    signature->num_params = params.count;
    signature->params = params.data;
    return cu_expect(l, ")", "after the parameters");
}

/* auto f(..) -> T; of a function that has none, NULL. */
const CuType *cu_trailing_type(CuLower *l, bool *is_reference) {
    while (cu_is(l->at, "const") || cu_is(l->at, "noexcept") || cu_is(l->at, "mutable") ||
           cu_is(l->at, "__device__") || cu_is(l->at, "__host__") || cu_is(l->at, "constexpr"))
        l->at = l->at->next;
    CuSpecifiers s;
    CuDeclarator d;
    if (!cu_accept(l, "->") || !cu_specifiers(l, &s) || !cu_declarator(l, s.type, &d)) return NULL;
    *is_reference = d.is_reference;
    return d.type;
}

static bool result_type(CuLower *l, const CuDecl *decl, CuSignature *signature) {
    CuSpecifiers s;
    CuDeclarator d;
    if (decl->record.length) {
        signature->result = cu_type(CU_VOID);
        return true;
    }
    bool converts = str_is(decl->name, "operator type");
    l->at = converts ? decl->at->next : decl->start;
    if (!cu_specifiers(l, &s) || !cu_result_declarator(l, s.type, &d)) return false;
    if (!converts && l->at != decl->at && !cu_is(l->at, "operator")) {
        cu_unsupported(l, decl->at->place, "the way in which '%.*s' is declared",
                       STR_ARG(decl->name));
        return false;
    }
    signature->result = d.type ? cu_plain(l->arena, d.type) : NULL;
    signature->is_reference = d.is_reference;
    if (d.is_reference) signature->result = d.type;
    return true;
}

bool cu_signature(CuLower *l, const CuDecl *decl, const CuScope *scope, CuSignature *signature) {
    CuToken *at = l->at;
    const CuScope *outer = l->scope;
    bool in_angles = l->in_angles;
    *signature = (CuSignature){.scope = scope};
    l->scope = scope;
    l->in_angles = false;
    bool fine = cu_enter(l) && result_type(l, decl, signature);
    l->at = decl->params->next;
    fine = fine && cu_parameters(l, signature);
    if (fine && !signature->result)
        signature->result = cu_trailing_type(l, &signature->is_reference);
    if (fine && signature->result) cu_complete(l, signature->result);
    l->nested -= !l->panic;
    l->in_angles = in_angles;
    l->scope = outer;
    l->at = at;
    return fine && !l->panic;
}

/* ---- what a constructor initialises ---- */

/* The '(' or '{' of what begins the field or base; NULL: none. */
static CuToken *init_of(const CuDecl *decl, Str name) {
    for (CuToken *t = decl->inits; t && t != decl->body && t->kind != CU_END;) {
        CuToken *word = t;
        while (t->kind == CU_NAME || cu_is(t, "::") || cu_is(t, "<")) {
            if (t->kind == CU_NAME) word = t;
            t = cu_is(t, "<") ? cu_skip_angles(t) : t->next;
        }
        if (!cu_is(t, "(") && !cu_is(t, "{")) return NULL;
        if (str_equal(word->text, name)) return t;
        t = cu_skip(t);
        if (cu_is(t, ",")) t = t->next;
    }
    return NULL;
}

static void init_object(CuLower *l, Value *at, const CuType *type, CuToken *open) {
    int count;
    CuVal *args;
    l->at = open->next;
    if (!cu_arguments(l, cu_is(open, "(") ? ")" : "}", &count, &args)) return;
    if (type->kind == CU_STRUCT)
        cu_construct(l, at, type, count, args, open->place);
    else if (count == 0)
        cu_zero(l, at, type);
    else if (count == 1)
        cu_initialize_from(l, at, type, args[0], "this initial value");
    else
        cu_bad(l, open->place, "'%.*s' begins as %d values", STR_ARG(cu_name(l->arena, type)),
               count);
}

static void init_field(CuLower *l, const CuVal *self, const CuField *f, CuToken *open) {
    const CuType *of = f->is_reference ? cu_pointer(l->arena, f->type) : f->type;
    Value *at = cu_offset(l, self->value, f->offset, of);
    bool list = cu_is(open, "{") && (f->type->kind == CU_ARRAY || f->type->kind == CU_STRUCT);
    if (f->is_reference) {
        l->at = open->next;
        CuVal to = cu_assignment(l);
        if (!l->panic && !to.is_place) cu_unsupported(l, to.place, "a reference to a temporary");
        if (!l->panic) cu_store_to(l, at, of, to.value);
    } else if (list) {
        l->at = open;
        cu_initialize(l, at, f->type);
    } else {
        init_object(l, at, f->type, open);
    }
}

static void read_inits(CuLower *l, const CuDecl *decl, const CuVal *self) {
    const CuRecord *record = self->type->record;
    CuToken *delegate = init_of(decl, record->decl->name);
    if (delegate) {
        init_object(l, self->value, self->type, delegate);
        return;
    }
    const CuVal fields = *self; /* const members are initialised, too */
    if (record->base && (!record->num_fields || record->fields[0].type->record != record->base)) {
        CuToken *open = record->base->decl ? init_of(decl, record->base->decl->name) : NULL;
        if (open) init_object(l, self->value, cu_base_of(l, *self, record->base).type, open);
    }
    for (int i = 0; i < record->num_fields && !l->panic; i++) {
        const CuField *f = &record->fields[i];
        bool is_base = record->base && i == 0 && f->type->record == record->base;
        Str name = is_base && record->base->decl ? record->base->decl->name : f->name;
        CuToken *open = name.length ? init_of(decl, name) : NULL;
        if (open)
            init_field(l, &fields, f, open);
        else
            cu_initialize_field(l, self->value, f);
    }
}

/* ---- inlining ---- */

static void bind_argument(CuLower *l, const CuParamDecl *param, CuVal val, CuScope *inside) {
    const CuScope *outer = l->scope;
    const CuType *type = param->type ? param->type : cu_plain(l->arena, val.type);
    if (!param->type && type->kind == CU_ARRAY && !param->is_reference)
        type = cu_pointer(l->arena, type->of);
    if (!param->type && param->is_reference) type = val.type;
    CuName name = {.name = param->name, .val = {.type = type, .is_place = true}};
    bool derives = type->kind == CU_STRUCT && val.type->kind == CU_STRUCT &&
                   cu_derives(val.type->record, type->record);
    bool has_address = val.is_place || val.type->kind == CU_STRUCT;
    bool array =
        type->kind == CU_ARRAY && val.type->kind == CU_ARRAY; /* of one size: see resolve */
    bool refers =
        param->is_reference && has_address && (derives || array || cu_same(type, val.type));
    if (refers) {
        name.val.value = derives ? cu_base_of(l, val, type->record).value : val.value;
    } else {
        const CuType *plain = cu_plain(l->arena, type);
        name.val.value = cu_alloc(l, plain, ALLOC_LOCAL, param->name);
        cu_initialize_from(l, name.val.value, plain, val, "this argument");
        if (l->panic) return;
    }
    name.val.place = param->place;
    l->scope = inside;
    cu_bind(l, name);
    l->scope = outer;
}

static bool is_recursion(const CuCall *call, const CuDecl *decl) {
    bool templated = decl->templates || (decl->owner && decl->owner->templates);
    for (; call && !templated; call = call->outer)
        if (call->decl == decl) return true;
    return false;
}

/* A constexpr function of numbers that are known: which way it goes is known, too. */
static bool ends_here(CuLower *l, const CuDecl *decl, int count, const CuVal *args) {
    static const char *const words[] = {"constexpr"};
    uint64_t bits;
    for (int i = 0; i < count; i++)
        if (!cu_is_number(args[i].type) || !value_is_constant(cu_value(l, args[i]).value, &bits))
            return false;
    return count && cu_says(decl->start, decl->params, words, 1);
}

static void bind_arguments(CuLower *l, const CuSignature *signature, CuScope *inside, int count,
                           CuVal *args) {
    for (int i = 0; i < signature->num_params && !l->panic; i++) {
        const CuParamDecl *param = &signature->params[i];
        CuVal val = i < count ? args[i] : (CuVal){0};
        if (i >= count && !param->default_value) {
            cu_bad(l, param->place, "nothing is given for this parameter");
        } else if (i >= count) {
            CuToken *at = l->at;
            const CuScope *scope = l->scope;
            l->at = param->default_value;
            l->scope = signature->scope;
            val = cu_assignment(l);
            l->scope = scope;
            l->at = at;
        }
        if (!l->panic) bind_argument(l, param, val, inside);
    }
}

static CuVal result_of(CuLower *l, const CuCall *call, CuPlace place) {
    if (!call->result || call->result->kind == CU_VOID)
        return (CuVal){.type = cu_type(CU_VOID), .place = place};
    if (call->is_reference) {
        const CuType *pointer = cu_pointer(l->arena, call->result);
        return (CuVal){.type = call->result,
                       .value = cu_load_from(l, call->result_at, pointer),
                       .is_place = true,
                       .place = place};
    }
    CuVal result = {
        .type = call->result, .value = call->result_at, .is_place = true, .place = place};
    CuVal value = cu_value(l, result);
    value.is_place = false;
    return value;
}

CuVal cu_inlined(CuLower *l, const CuDecl *decl, const CuSignature *signature, const CuVal *self,
                 int count, CuVal *args, CuPlace place) {
    CuScope inside = {.outer = signature->scope};
    CuCall call = {.decl = decl,
                   .result = signature->result,
                   .is_reference = signature->is_reference,
                   .self = self,
                   .outer = l->call,
                   .depth = l->call ? l->call->depth + 1 : 0};
    if (l->panic) return cu_poison(l, place);
    const CuType *result = signature->result;
    if (l->unevaluated && result && cu_is_number(result) && is_recursion(l->call, decl))
        return (CuVal){.type = result,
                       .value = build_constant_bits(&l->b, cu_ir(l->fn->types, result), 0),
                       .place = place};
    if (is_recursion(l->call, decl) && !ends_here(l, decl, count, args))
        return cu_unsupported(l, place, "recursion: '%.*s' calls itself", STR_ARG(decl->name));
    if (call.depth > CU_MAX_CALLS)
        return cu_unsupported(l, place, "calls that are nested more than %d deep", CU_MAX_CALLS);
    bind_arguments(l, signature, &inside, count, args);
    if (l->panic) return cu_poison(l, place);
    CuLower outer = *l;
    if (call.result && call.result->kind != CU_VOID)
        call.result_at = cu_alloc(l, cu_result_held(l, &call), ALLOC_LOCAL, decl->name);
    call.returned = cu_not_returned(l);
    l->scope = &inside;
    l->flags = (CuFlags){0};
    l->call = &call;
    l->in_angles = l->is_pattern = l->no_classes = false;
    Op *before = l->b.region->last;
    if (decl->record.length) read_inits(l, decl, self);
    l->at = decl->body;
    if (!l->panic) cu_body(l);
    if (l->is_host && !l->b.before) cu_say_here(l, decl, before, cu_span(place));
    l->call = outer.call;
    l->flags = outer.flags;
    l->scope = outer.scope;
    l->at = outer.at;
    l->in_angles = outer.in_angles;
    l->is_pattern = outer.is_pattern;
    l->no_classes = outer.no_classes;
    return l->panic ? cu_poison(l, place) : result_of(l, &call, place);
}

/* ---- calls ---- */

bool cu_arguments(CuLower *l, const char *end, int *count, CuVal **vals) {
    VEC(CuVal) list = {0};
    bool in_angles = l->in_angles;
    l->in_angles = false;
    while (!l->panic && !cu_is(l->at, end)) {
        bool is_list = cu_is(l->at, "{");
        if (is_list && !l->is_host)
            cu_unsupported(l, l->at->place, "a list in braces as an argument");
        CuVal val = is_list && l->is_host ? cu_list(l) : cu_assignment(l);
        vec_push(l->arena, &list, val);
        if (!cu_accept(l, ",")) break;
    }
    l->in_angles = in_angles;
    *count = list.count;
    *vals = list.data;
    return cu_expect(l, end, "after the arguments");
}

CuVal cu_call(CuLower *l, const CuCallee *callee, int count, CuVal *args) {
    CuSignature signature;
    const CuDecl *decl = cu_resolve(l, callee, count, args, &signature, false);
    if (!decl) return cu_poison(l, callee->place);
    if (decl->is_kernel)
        return cu_unsupported(l, callee->place,
                              l->is_host ? "a kernel that is called and not launched"
                                         : "a kernel that a kernel calls");
    if (decl->is_native) return cu_call_native(l, decl, &signature, count, args, callee->place);
    bool needs_object = callee->record && !decl->is_static;
    if (needs_object && !callee->self)
        return cu_bad(l, callee->place, "'%.*s' is called for no object", STR_ARG(decl->name));
    return cu_inlined(l, decl, &signature, needs_object ? callee->self : NULL, count, args,
                      callee->place);
}

/* What CUDA has built in; explicit: max<int>(a, b). */
static CuVal call_builtin(CuLower *l, Str name, CuArgs written, CuPlace place, int count,
                          CuVal *args) {
    CuVal result;
    for (int i = 0; i < count && !l->panic; i++) {
        if (args[i].type->kind != CU_STRUCT) args[i] = cu_value(l, args[i]);
        if (written.count == 1 && !written.data[0].is_value)
            args[i] = cu_convert(l, args[i], written.data[0].type, "this argument");
    }
    if (l->panic) return cu_poison(l, place);
    cu_builtin(l, name, place, count, args, &result);
    return result;
}

CuVal cu_call_library(CuLower *l, const char *name, int count, CuVal *args, CuPlace place) {
    CuCallee callee = {.name = str_of(name), .place = place};
    callee.first = cu_of_library(l, callee.name, CU_DECL_FUNCTION);
    if (!callee.first) BUG("no '%s' in the library", name);
    return cu_call(l, &callee, count, args);
}

CuVal cu_call_named(CuLower *l, CuToken *name, const CuName *found) {
    bool is_builtin = cu_builtin_exists(name->text);
    Str space = l->space;
    CuArgs written = {0};
    CuSignature signature;
    int count;
    CuVal *args;
    if (cu_is(l->at, "<") && !cu_template_args(l, &written)) return cu_poison(l, name->place);
    if (!found && cu_is_report(name->text)) return cu_report(l, name);
    if (!found && !is_builtin && cu_builtin_known(name->text))
        return cu_unsupported(l, name->place, "'%.*s' in a kernel", STR_ARG(name->text));
    if (!found && !is_builtin) return cu_undeclared(l, name->place, "function ", name->text);
    CuCallee callee = {
        .name = name->text, .space = space, .explicit_args = written, .place = name->place};
    if (found) callee.first = found->decl, callee.record = found->record, callee.self = found->self;
    if (found && cu_at_launch(l)) return cu_launch(l, &callee);
    if (found && l->is_host && found->decl->is_kernel && !cu_is(l->at, "("))
        return cu_kernel_value(l, name->place);
    cu_expect(l, "(", "after the name of a function");
    CuPlace end = l->at->place;
    if (l->panic || !cu_arguments(l, ")", &count, &args)) return cu_poison(l, name->place);
    CuPlace place = cu_join(name->place, cu_join(end, args && count ? args[count - 1].place : end));
    l->b.span = cu_span(place);
    if (!found) return call_builtin(l, name->text, written, place, count, args);
    callee.place = place;
    if (is_builtin && !found->record &&
        !found->decl->is_native) { /* overloads of the file beside the one of CUDA */
        const CuDecl *decl = cu_resolve(l, &callee, count, args, &signature, true);
        if (!decl || !signature.is_exact)
            return l->panic ? cu_poison(l, place)
                            : call_builtin(l, name->text, written, place, count, args);
    }
    return cu_call(l, &callee, count, args);
}
