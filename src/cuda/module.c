// SPDX-License-Identifier: Apache-2.0
/* module: cuts a file at its top level into declarations, by balanced brackets, and finds their
 * names. Nothing is understood yet: most of a .cu file is for the host, and what no kernel reaches
 * need not be supported. Namespaces and `extern "C"` are looked through. */
#include "cuda/front.h"

CuToken *cu_skip(CuToken *open) {
    int depth = 0;
    for (CuToken *t = open; t->kind != CU_END; t = t->next) {
        if (cu_is(t, "(") || cu_is(t, "[") || cu_is(t, "{")) depth++;
        if (cu_is(t, ")") || cu_is(t, "]") || cu_is(t, "}")) depth--;
        if (depth == 0) return t->next;
    }
    while (open->kind != CU_END) open = open->next;
    return open;
}

static bool opens(const CuToken *t) { return cu_is(t, "(") || cu_is(t, "[") || cu_is(t, "{"); }

static void add(CuModule *m, CuDecl decl) {
    CuDecl *copy = arena_new_of(m->arena, CuDecl);
    *copy = decl;
    copy->overload = map_get(&m->names, decl.name);
    map_set(&m->names, decl.name, copy);
    if (!decl.is_kernel || decl.is_template || !decl.body) return;
    vec_push(m->arena, &m->kernel_decls, copy);
}

/* Behind the '>' of a list that begins at '<'. */
static CuToken *skip_angles(CuToken *t) {
    int depth = 0;
    for (; t->kind != CU_END && !cu_is(t, ";") && !cu_is(t, "{"); t = t->next) {
        while (cu_is(t, "(") || cu_is(t, "[")) t = cu_skip(t);
        if (cu_is(t, "<")) depth++;
        if (cu_is(t, ">")) depth--;
        if (cu_is(t, ">>")) depth -= 2;
        if (depth <= 0) return t->next;
    }
    return t;
}

/* The end of what begins at `t`: behind ';', or behind a function's body. */
static CuToken *end_of(CuToken *t) {
    while (t->kind != CU_END && !cu_is(t, ";") && !cu_is(t, "{"))
        t = cu_is(t, "(") || cu_is(t, "[") ? cu_skip(t) : t->next;
    if (cu_is(t, "{")) t = cu_skip(t);
    return cu_is(t, ";") ? t->next : t;
}

static bool takes_arguments(const CuToken *name) { /* what stands before '(' but names nothing */
    static const char *const words[] = {"__launch_bounds__", "__attribute__", "__align__",
                                        "alignas",           "decltype",      "__declspec",
                                        "noexcept"};
    for (int i = 0; i < COUNT(words); i++)
        if (cu_is(name, words[i])) return true;
    return false;
}

static CuToken *enumerators(CuModule *m, CuToken *start) {
    CuToken *t = start->next;
    if (t->kind == CU_NAME)
        add(m, (CuDecl){.kind = CU_DECL_TYPE, .name = t->text, .start = start, .at = t});
    while (t->kind != CU_END && !cu_is(t, "{") && !cu_is(t, ";")) t = t->next;
    if (!cu_is(t, "{")) return t;
    CuToken *end = cu_skip(t);
    for (t = t->next; t->kind == CU_NAME && t != end;) {
        add(m, (CuDecl){.kind = CU_DECL_ENUMERATOR, .name = t->text, .start = start, .at = t});
        while (t->kind != CU_END && !cu_is(t, ",") && !cu_is(t, "}"))
            t = opens(t) ? cu_skip(t) : t->next;
        if (cu_is(t, ",")) t = t->next;
    }
    return end;
}

/* typedef .. NAME; */
static CuToken *typedefs(CuModule *m, CuToken *start, bool is_template) {
    CuToken *t = start->next, *name = NULL;
    if (cu_is(t, "enum")) enumerators(m, t);
    for (; t->kind != CU_END && !cu_is(t, ";");
         t = cu_is(t, "{") || cu_is(t, "(") ? cu_skip(t) : t->next)
        if (t->kind == CU_NAME &&
            (cu_is(t->next, ";") || cu_is(t->next, "[") || cu_is(t->next, ",")))
            name = t;
    if (name)
        add(m, (CuDecl){.kind = CU_DECL_TYPE,
                        .name = name->text,
                        .start = start,
                        .at = name,
                        .is_template = is_template});
    return t;
}

static void variables(CuModule *m, CuToken *start, CuToken *end) {
    for (CuToken *t = start; t != end && t->kind != CU_END; t = opens(t) ? cu_skip(t) : t->next) {
        bool ends_name = cu_is(t->next, "=") || cu_is(t->next, ";") || cu_is(t->next, "[") ||
                         cu_is(t->next, ",") || cu_is(t->next, "{");
        if (t->kind != CU_NAME || !ends_name || t == start) continue;
        add(m, (CuDecl){.kind = CU_DECL_VARIABLE, .name = t->text, .start = start, .at = t});
        while (t->next != end && !cu_is(t->next, ",") && t->next->kind != CU_END)
            t = opens(t->next) ? cu_skip(t->next) : t->next;
        if (opens(t)) return; /* cu_skip went past the end */
    }
}

/* A function, or variables. */
static CuToken *function(CuModule *m, CuToken *start, bool is_template) {
    CuToken *end = end_of(start), *name = NULL;
    bool is_kernel = false;
    for (CuToken *t = start; t != end && t->kind != CU_END && !cu_is(t, "=") && !cu_is(t, "{");) {
        is_kernel |= cu_is(t, "__global__");
        if (t->kind == CU_NAME && takes_arguments(t) && cu_is(t->next, "(")) {
            t = cu_skip(t->next);
        } else if (t->kind == CU_NAME && cu_is(t->next, "(")) {
            name = t;
            break;
        } else if (t->kind == CU_NAME && cu_is(t->next, "<")) {
            t = skip_angles(t->next);
        } else {
            t = t->next;
        }
    }
    if (!name) {
        if (!is_template) variables(m, start, end);
        return end;
    }
    CuToken *body = cu_skip(name->next);
    while (body != end && body->kind != CU_END && !cu_is(body, "{") && !cu_is(body, ";"))
        body = body->next;
    add(m, (CuDecl){.kind = CU_DECL_FUNCTION,
                    .name = name->text,
                    .start = start,
                    .at = name,
                    .params = name->next,
                    .body = cu_is(body, "{") ? body : NULL,
                    .end = end,
                    .is_kernel = is_kernel,
                    .is_template = is_template});
    return end;
}

static CuToken *record(CuModule *m, CuToken *start, bool is_template) {
    CuToken *name = start->next;
    while (takes_arguments(name) && cu_is(name->next, "(")) name = cu_skip(name->next);
    CuToken *after = name->next;
    if (name->kind == CU_NAME && (cu_is(after, "{") || cu_is(after, ":"))) {
        add(m, (CuDecl){.kind = CU_DECL_TYPE,
                        .name = name->text,
                        .start = start,
                        .at = name,
                        .is_template = is_template});
        return end_of(start);
    }
    if (name->kind == CU_NAME && cu_is(after, ";")) return after;
    return function(m, start, is_template);
}

static CuToken *declaration(CuModule *m, CuToken *t) {
    bool is_template = false;
    while (cu_is(t, "template") && cu_is(t->next, "<")) {
        is_template = true;
        t = skip_angles(t->next);
    }
    if (cu_is(t, ";") || cu_is(t, "}") || cu_is(t, "{")) return t->next;
    if (cu_is(t, "extern") && t->next->kind == CU_STRING)
        return cu_is(t->next->next, "{") ? t->next->next->next : t->next->next;
    if (cu_is(t, "namespace")) {
        while (t->kind != CU_END && !cu_is(t, "{") && !cu_is(t, ";")) t = t->next;
        return t->kind == CU_END ? t : t->next;
    }
    if (cu_is(t, "using") && t->next->kind == CU_NAME && cu_is(t->next->next, "=")) {
        add(m, (CuDecl){.kind = CU_DECL_TYPE,
                        .name = t->next->text,
                        .start = t,
                        .at = t->next,
                        .is_template = is_template});
        return end_of(t);
    }
    if (cu_is(t, "using") || cu_is(t, "static_assert")) return end_of(t);
    if (cu_is(t, "typedef")) return typedefs(m, t, is_template);
    if (cu_is(t, "enum")) return enumerators(m, t);
    if (cu_is(t, "struct") || cu_is(t, "class") || cu_is(t, "union"))
        return record(m, t, is_template);
    return function(m, t, is_template);
}

/* What a signature calls the number that a parameter points to; empty: no pointer to a number. */
static Str pointee_of(const CuType *type) {
    static const char *const names[NUM_CU_KINDS] = {
        [CU_BOOL] = "i1",    [CU_CHAR_TYPE] = "i8", [CU_SCHAR] = "i8",  [CU_UCHAR] = "u8",
        [CU_SHORT] = "i16",  [CU_USHORT] = "u16",   [CU_INT] = "i32",   [CU_UINT] = "u32",
        [CU_LONG] = "i64",   [CU_ULONG] = "u64",    [CU_LLONG] = "i64", [CU_ULLONG] = "u64",
        [CU_FLOAT] = "fp32", [CU_DOUBLE] = "fp64"};
    if (type->kind != CU_POINTER || !names[type->of->kind]) return STR("");
    return str_of(names[type->of->kind]);
}

/* Parameters are read with the types that the file has; what cannot be read is said when the kernel
 * is compiled. */
static void describe(CuModule *m, const CuDecl *decl) {
    Diag quiet = {.arena = m->arena, .muted = true};
    Func *scratch = func_new(m->arena, types_new(m->arena), decl->name);
    CuLower l = {.arena = m->arena, .diag = &quiet, .module = m, .fn = scratch};
    CuScope globals = {0};
    l.b = (Builder){.fn = scratch, .region = scratch->body};
    CuSignature signature = {0};
    l.scope = l.globals = &globals;
    bool known = cu_signature(&l, decl, &signature);
    CuKernel kernel = {.name = decl->name, .span = cu_span(decl->at->place)};
    kernel.whole = cu_span(decl->start->place);
    if (decl->start->place.span.source == decl->end->place.span.source)
        kernel.whole.end = decl->end->place.span.start;
    CuParam *params = arena_array(m->arena, CuParam, signature.num_params);
    for (int i = 0; known && i < signature.num_params; i++)
        params[i] = (CuParam){signature.params[i].name, cu_name(m->arena, signature.params[i].type),
                              pointee_of(signature.params[i].type)};
    kernel.num_params = known ? signature.num_params : 0;
    kernel.params = params;
    vec_push(m->arena, &m->kernels, kernel);
}

CuModule *cu_load(Arena *arena, const Source *source, Str path, Diag *diag) {
    CuModule *m = arena_new_of(arena, CuModule);
    *m = (CuModule){.arena = arena, .names.arena = arena};
    m->tokens = cu_preprocess(arena, source, path, diag);
    if (!m->tokens) return NULL;
    for (CuToken *t = m->tokens; t->kind != CU_END;) {
        CuToken *next = declaration(m, t);
        t = next == t ? t->next : next;
    }
    for (int i = 0; i < m->kernel_decls.count; i++) describe(m, m->kernel_decls.data[i]);
    return m;
}

int cu_num_kernels(const CuModule *module) { return module->kernels.count; }

const CuKernel *cu_kernel(const CuModule *module, int index) {
    return &module->kernels.data[index];
}
