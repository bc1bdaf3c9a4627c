// SPDX-License-Identifier: Apache-2.0
/* outline: cuts a file, or the body of a class, into declarations, by balanced brackets, and finds
 * their names. Nothing is understood yet: most of a .cu file is for the host, and what no kernel
 * reaches need not be supported. Namespaces and `extern "C"` are looked through. */
#include "cuda/front.h"

typedef struct Outline {
    CuModule *m;
    CuDecls *decls;
    const CuDecl *owner; /* NULL: a file */
    CuToken *templates;  /* of the declaration that is read; NULL: none */
    int depth;           /* of classes in each other */
    VEC(Str) spaces;     /* of each '{' that is open: the namespace's name; empty: it is none */
} Outline;

enum { MAX_CLASSES = 50 }; /* in each other */
static void outlined(Outline *o, CuToken *from, const CuToken *end);

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

/* Behind the '>' of a list that begins at '<'. */
CuToken *cu_skip_angles(CuToken *t) {
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

static CuDecl *add(const Outline *o, CuDecl decl) {
    CuDecl *copy = arena_new_of(o->m->arena, CuDecl);
    *copy = decl;
    copy->owner = o->owner;
    copy->templates = o->templates;
    copy->space = o->owner ? o->owner->space : STR("");
    for (int i = o->spaces.count - 1; i >= 0 && !copy->space.length; i--)
        copy->space = o->spaces.data[i];
    copy->overload = map_get(&o->decls->names, decl.name);
    map_set(&o->decls->names, decl.name, copy);
    vec_push(o->m->arena, &o->decls->in_order, copy);
    return copy;
}

/* The end of what begins at `t`: behind ';', or behind a function's body. */
static CuToken *end_of(CuToken *t) {
    while (t->kind != CU_END && !cu_is(t, ";") && !cu_is(t, "{"))
        t = cu_is(t, "(") || cu_is(t, "[") ? cu_skip(t) : t->next;
    if (cu_is(t, "{")) t = cu_skip(t);
    return cu_is(t, ";") ? t->next : t;
}

/* Of what has no body: `int a = f({1, 2}), b;` ends with ';'. */
static CuToken *semicolon_of(CuToken *t) {
    while (t->kind != CU_END && !cu_is(t, ";") && !cu_is(t, "}"))
        t = opens(t) ? cu_skip(t) : t->next;
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

static CuToken *enumerators(const Outline *o, CuToken *start) {
    CuToken *t = start->next;
    if (cu_is(t, "class") || cu_is(t, "struct")) t = t->next;
    if (t->kind == CU_NAME)
        add(o, (CuDecl){.kind = CU_DECL_TYPE, .name = t->text, .start = start, .at = t});
    while (t->kind != CU_END && !cu_is(t, "{") && !cu_is(t, ";")) t = t->next;
    if (!cu_is(t, "{")) return t;
    CuToken *end = cu_skip(t);
    for (t = t->next; t->kind == CU_NAME && t != end;) {
        add(o, (CuDecl){.kind = CU_DECL_ENUMERATOR, .name = t->text, .start = start, .at = t});
        while (t->kind != CU_END && !cu_is(t, ",") && !cu_is(t, "}"))
            t = opens(t) ? cu_skip(t) : t->next;
        if (cu_is(t, ",")) t = t->next;
    }
    return end;
}

/* typedef struct A {..} A; is struct A {..}; and may have functions. */
static bool is_record_again(const CuToken *start) {
    CuToken *t = start->next, *name = t->next;
    if (!cu_is(t, "struct") && !cu_is(t, "class") && !cu_is(t, "union")) return false;
    if (name->kind != CU_NAME || !cu_is(name->next, "{")) return false;
    CuToken *again = cu_skip(name->next);
    return again->kind == CU_NAME && str_equal(again->text, name->text) && cu_is(again->next, ";");
}

/* typedef .. NAME; or typedef .. (*NAME)(..); */
static CuToken *typedefs(const Outline *o, CuToken *start) {
    CuToken *t = start->next, *name = NULL;
    if (cu_is(t, "enum")) enumerators(o, t);
    for (; t->kind != CU_END && !cu_is(t, ";"); t = cu_is(t, "<") ? cu_skip_angles(t)
                                                    : cu_is(t, "{") || cu_is(t, "(") ? cu_skip(t)
                                                                                     : t->next) {
        bool ends = cu_is(t->next, ";") || cu_is(t->next, "[") || cu_is(t->next, ",");
        CuToken *pointer = cu_is(t, "(") && cu_is(t->next, "*") ? t->next->next : NULL;
        if (t->kind == CU_NAME && ends) name = t;
        if (pointer && pointer->kind == CU_NAME && cu_is(pointer->next, ")"))
            add(o, (CuDecl){
                       .kind = CU_DECL_TYPE, .name = pointer->text, .start = start, .at = pointer});
        if (!name || t != name || cu_is(t->next, "[")) continue;
        add(o, (CuDecl){.kind = CU_DECL_TYPE, .name = t->text, .start = start, .at = t});
    }
    if (name && cu_is(name->next, "["))
        add(o, (CuDecl){.kind = CU_DECL_TYPE, .name = name->text, .start = start, .at = name});
    return cu_is(t, ";") ? t->next : t;
}

static bool says(const CuToken *from, const CuToken *to, const char *word) {
    for (const CuToken *t = from; t != to && t->kind != CU_END; t = t->next)
        if (cu_is(t, word)) return true;
    return false;
}

/* = Pair<A, B>::size: the comma is the template's. */
static CuToken *behind_arguments(CuToken *t) {
    if (t->kind != CU_NAME || !cu_is(t->next, "<")) return t->next;
    CuToken *after = cu_skip_angles(t->next);
    return cu_is(after, "::") || cu_is(after, "(") || cu_is(after, "{") ? after : t->next;
}

static void variables(const Outline *o, CuToken *start, CuToken *end) {
    bool is_static = false;
    for (CuToken *t = start; t != end && t->kind != CU_END;) {
        is_static |= cu_is(t, "static");
        bool ends_name = cu_is(t->next, "=") || cu_is(t->next, ";") || cu_is(t->next, "[") ||
                         cu_is(t->next, ",") || cu_is(t->next, "{") || cu_is(t->next, "(") ||
                         cu_is(t->next, ":");
        if (t->kind != CU_NAME || !ends_name || t == start || takes_arguments(t)) {
            CuToken *after = cu_is(t, "<") ? cu_skip_angles(t) : opens(t) ? cu_skip(t) : t->next;
            t = after;
            continue;
        }
        add(o, (CuDecl){.kind = CU_DECL_VARIABLE,
                        .name = t->text,
                        .start = start,
                        .at = t,
                        .is_static = is_static});
        while (t != end && !cu_is(t, ",") && t->kind != CU_END)
            t = opens(t) ? cu_skip(t) : behind_arguments(t);
    }
}

/* ---- functions ---- */

/* operator+ ( : its name; NULL: this is none. *after: at '('. */
static CuToken *operator_name(const Outline *o, CuToken *t, Str *name, CuToken **after) {
    if (!cu_is(t, "operator")) return NULL;
    CuToken *at = t->next;
    Buf text = {.arena = o->m->arena};
    buf_puts(&text, "operator");
    bool converts = at->kind == CU_NAME && !cu_is(at, "new") && !cu_is(at, "delete");
    if (cu_is(at, "(") && cu_is(at->next, ")")) {
        buf_puts(&text, "()");
        at = at->next->next;
    }
    for (; at->kind != CU_END && !cu_is(at, "(") && !cu_is(at, ";"); at = at->next)
        if (!converts) buf_add(&text, at->text.data, (size_t)at->text.length);
    *name = converts ? STR("operator type") : buf_str(&text);
    *after = at;
    return t;
}

typedef struct Head { /* of a function */
    CuToken *name, *params, *special;
    Str text;
    bool is_member_elsewhere; /* A::f */
} Head;

static bool function_head(const Outline *o, CuToken *start, const CuToken *end, Head *head) {
    *head = (Head){0};
    for (CuToken *t = start; t != end && t->kind != CU_END && !cu_is(t, "=") && !cu_is(t, "{");) {
        CuToken *after = t->next, *special = NULL;
        if (operator_name(o, t, &head->text, &head->params)) {
            head->name = t;
            return cu_is(head->params, "(");
        }
        if (t->kind == CU_NAME && takes_arguments(t) && cu_is(after, "(")) {
            t = cu_skip(after);
            continue;
        }
        if (t->kind == CU_NAME && cu_is(after, "<")) {
            special = after;
            after = cu_skip_angles(after);
        }
        if (t->kind == CU_NAME && cu_is(after, "(")) {
            if (after->next->kind == CU_NUMBER || cu_is(after->next, "(")) return false; /* n(1) */
            *head = (Head){t, after, special, t->text, head->is_member_elsewhere};
            return true;
        }
        head->is_member_elsewhere = cu_is(after, "::") && t->kind == CU_NAME;
        t = cu_is(after, "::") ? after->next : after;
        if (cu_is(after, "::") && cu_is(t, "~")) t = t->next;
    }
    return false;
}

/* Behind what a constructor initialises: a(1), b{2}. */
static CuToken *skip_inits(CuToken *t) {
    while (t->kind != CU_END) {
        while (t->kind == CU_NAME || cu_is(t, "::") || cu_is(t, "<"))
            t = cu_is(t, "<") ? cu_skip_angles(t) : t->next;
        if (!cu_is(t, "(") && !cu_is(t, "{")) return t;
        t = cu_skip(t);
        if (cu_is(t, "...")) t = t->next;
        if (!cu_is(t, ",")) return t;
        t = t->next;
    }
    return t;
}

/* A function, or variables. */
static CuToken *function(const Outline *o, CuToken *start) {
    Head head;
    CuToken *end = end_of(start);
    if (!function_head(o, start, end, &head)) {
        end = semicolon_of(start);
        variables(o, start, end);
        return end;
    }
    bool is_constructor =
        o->owner && str_equal(head.text, o->owner->name) && !cu_is(head.name, "operator");
    bool has_tilde = false;
    for (const CuToken *t = start; t != head.name && t->kind != CU_END; t = t->next)
        has_tilde = cu_is(t, "~");
    CuToken *body = cu_skip(head.params), *inits = NULL, *from = body;
    while (body->kind != CU_END && !cu_is(body, "{") && !cu_is(body, ";") && !cu_is(body, ":"))
        body = cu_is(body, "(") ? cu_skip(body) : body->next;
    if (cu_is(body, ":")) {
        inits = body->next;
        body = skip_inits(inits);
    }
    bool defaulted = cu_is(from, "=") && cu_is(from->next, "default");
    bool deleted = cu_is(from, "=") && cu_is(from->next, "delete");
    end = cu_is(body, "{") ? cu_skip(body) : body->kind == CU_END ? body : body->next;
    if (cu_is(body, "{") && cu_is(end, ";")) end = end->next;
    if (head.is_member_elsewhere) return end;
    add(o, (CuDecl){.kind = CU_DECL_FUNCTION,
                    .name = has_tilde ? STR("~") : head.text,
                    .start = start,
                    .at = head.name,
                    .params = head.params,
                    .body = cu_is(body, "{") ? body : NULL,
                    .end = end,
                    .inits = inits,
                    .special = head.special,
                    .record = is_constructor ? head.text : STR(""),
                    .is_static = says(start, head.name, "static"),
                    .is_explicit = says(start, head.name, "explicit"),
                    .is_default = defaulted,
                    .is_deleted = deleted,
                    .is_kernel = says(start, head.name, "__global__")});
    return end;
}

/* ---- classes ---- */

static CuToken *record(Outline *o, CuToken *start) {
    CuToken *name = start->next, *special = NULL;
    while (takes_arguments(name) && cu_is(name->next, "(")) name = cu_skip(name->next);
    CuToken *after = name->next;
    if (name->kind != CU_NAME) return function(o, start);
    if (cu_is(after, "<")) {
        special = after;
        after = cu_skip_angles(after);
    }
    if (cu_is(after, "final")) after = after->next;
    bool forward = cu_is(after, ";");
    if (!cu_is(after, "{") && !cu_is(after, ":") && !forward) return function(o, start);
    if (forward && (!o->templates || special)) return after->next;
    CuDecl *decl = add(o, (CuDecl){.kind = CU_DECL_TYPE,
                                   .name = name->text,
                                   .start = start,
                                   .at = name,
                                   .special = special});
    if (forward) return after->next;
    if (cu_is(after, ":")) decl->bases = after->next;
    while (after->kind != CU_END && !cu_is(after, "{") && !cu_is(after, ";")) after = after->next;
    if (!cu_is(after, "{")) return after;
    decl->body = after;
    CuToken *end = cu_skip(after);
    CuToken *templates = o->templates;
    o->templates = NULL;
    if (o->depth < MAX_CLASSES) {
        decl->members = arena_new_of(o->m->arena, CuDecls);
        decl->members->names.arena = o->m->arena;
        Outline inside = {.m = o->m, .decls = decl->members, .owner = decl, .depth = o->depth + 1};
        outlined(&inside, after->next, end);
    }
    bool again = end->kind == CU_NAME && str_equal(end->text, name->text);  /* of a typedef */
    if (!cu_is(end, ";") && !again) variables(o, start, semicolon_of(end)); /* struct {..} a; */
    o->templates = templates;
    return semicolon_of(end);
}

/* At '{': what stands in it is in that namespace. */
static CuToken *opened(Outline *o, CuToken *t, Str space) {
    vec_push(o->m->arena, &o->spaces, space);
    return t->next;
}

static CuToken *namespace(Outline *o, CuToken *t, bool is_inline) {
    Str space = STR("");
    for (; t->kind != CU_END && !cu_is(t, "{") && !cu_is(t, ";"); t = t->next) {
        bool names = cu_is(t, "::") || cu_is(t, "namespace");
        if (names && t->next->kind == CU_NAME)
            map_set(&o->m->namespaces, space = t->next->text, o->m);
    }
    if (cu_is(t, "{")) return opened(o, t, is_inline ? STR("") : space);
    return t->kind == CU_END ? t : t->next;
}

static CuToken *declaration(Outline *o, CuToken *t) {
    o->templates = NULL;
    while (cu_is(t, "template") && cu_is(t->next, "<")) {
        o->templates = t->next;
        t = cu_skip_angles(t->next);
    }
    if (cu_is(t, "template")) return semicolon_of(t); /* an instance that is asked for */
    if (cu_is(t, "{")) return opened(o, t, STR(""));
    if (cu_is(t, "}") && o->spaces.count) o->spaces.count--;
    if (cu_is(t, ";") || cu_is(t, "}")) return t->next;
    bool access = cu_is(t, "public") || cu_is(t, "private") || cu_is(t, "protected");
    if (access && cu_is(t->next, ":")) return t->next->next;
    if (cu_is(t, "friend")) return end_of(t);
    if (cu_is(t, "extern") && t->next->kind == CU_STRING)
        return cu_is(t->next->next, "{") ? opened(o, t->next->next, STR("")) : t->next->next;
    bool is_inline = cu_is(t, "inline") && cu_is(t->next, "namespace"); /* is looked through */
    if (is_inline || cu_is(t, "namespace")) return namespace(o, is_inline ? t->next : t, is_inline);
    if (cu_is(t, "using") && t->next->kind == CU_NAME && cu_is(t->next->next, "=")) {
        add(o, (CuDecl){.kind = CU_DECL_TYPE, .name = t->next->text, .start = t, .at = t->next});
        return semicolon_of(t);
    }
    if (cu_is(t, "using") || cu_is(t, "static_assert")) return semicolon_of(t);
    if (cu_is(t, "typedef") && is_record_again(t)) return record(o, t->next);
    if (cu_is(t, "typedef")) return typedefs(o, t);
    if (cu_is(t, "enum")) return enumerators(o, t);
    bool is_record = cu_is(t, "struct") || cu_is(t, "class") || cu_is(t, "union");
    return is_record ? record(o, t) : function(o, t);
}

static void outlined(Outline *o, CuToken *from, const CuToken *end) {
    for (CuToken *t = from; t != end && t->kind != CU_END;) {
        CuToken *next = declaration(o, t);
        t = next == t ? t->next : next;
    }
}

CuDecl *cu_outline_one(Arena *arena, const CuDecl *like, CuToken *from) {
    CuModule *scratch = arena_new_of(arena, CuModule);
    CuDecls *decls = arena_new_of(arena, CuDecls);
    *scratch = (CuModule){.arena = arena, .namespaces.arena = arena};
    *decls = (CuDecls){.names.arena = arena};
    Outline o = {.m = scratch, .decls = decls, .owner = like->owner};
    outlined(&o, from, NULL);
    return decls->in_order.count ? decls->in_order.data[0] : NULL;
}

void cu_outline(CuModule *module, CuDecls *decls, CuToken *from) {
    Outline o = {.m = module, .decls = decls};
    if (!decls->names.arena) decls->names.arena = module->arena;
    outlined(&o, from, NULL);
}
