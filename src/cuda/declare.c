// SPDX-License-Identifier: Apache-2.0
/* declare: types as they are written, and variables. */
#include "cuda/front.h"

/* ---- specifiers ---- */

static const char *const words[] = {"void",  "bool",   "char",   "short",    "int", "long",
                                    "float", "double", "signed", "unsigned", "auto"};
static const char *const qualifiers[] = {"const",
                                         "volatile",
                                         "static",
                                         "extern",
                                         "inline",
                                         "register",
                                         "constexpr",
                                         "mutable",
                                         "typename",
                                         "struct",
                                         "class",
                                         "union",
                                         "enum",
                                         "__restrict__",
                                         "__restrict",
                                         "restrict",
                                         "__shared__",
                                         "__device__",
                                         "__constant__",
                                         "__host__",
                                         "__global__",
                                         "__managed__",
                                         "__forceinline__",
                                         "__noinline__",
                                         "__inline__",
                                         "__align__",
                                         "alignas",
                                         "__launch_bounds__",
                                         "__attribute__",
                                         "typedef",
                                         "__grid_constant__"};

static bool is_one_of(const CuToken *t, const char *const *list, int count) {
    for (int i = 0; i < count; i++)
        if (t->kind == CU_NAME && str_is(t->text, list[i])) return true;
    return false;
}

/* Types that there are in CUDA, but not here: so they are refused as types. */
static bool is_foreign(const CuToken *t) {
    static const char *const names[] = {"texture",  "surface",     "__nv_fp8_e4m3", "__nv_fp8_e5m2",
                                        "__int128", "curandState", "curandState_t"};
    return is_one_of(t, names, COUNT(names));
}

/* decltype(x), and GNU's words for it. */
static bool is_type_of(const CuToken *t) {
    static const char *const names[] = {"decltype", "typeof", "__typeof", "__typeof__"};
    return is_one_of(t, names, COUNT(names)) && cu_is(t->next, "(");
}

bool cu_starts_type(CuLower *l) {
    const CuToken *t = l->at;
    if (cu_is(t, "::") && t->next->kind == CU_NAME) return cu_names_type(l);
    if (t->kind != CU_NAME || l->panic) return false;
    return is_one_of(t, words, COUNT(words)) || is_one_of(t, qualifiers, COUNT(qualifiers)) ||
           is_type_of(t) || cu_names_type(l) ||
           (is_foreign(t) && !cu_declared(l, t->text, CU_DECL_TYPE));
}

typedef struct Words {
    int longs, count;
    bool is_short, is_signed, is_unsigned, is_auto;
    CuKind kind;
    bool has_kind;
} Words;

static bool take_word(CuLower *l, Words *w) {
    static const CuKind kinds[] = {CU_VOID, CU_BOOL,      CU_CHAR_TYPE, NUM_CU_KINDS,
                                   CU_INT,  NUM_CU_KINDS, CU_FLOAT,     CU_DOUBLE};
    for (int i = 0; i < COUNT(words); i++) {
        if (!cu_is(l->at, words[i])) continue;
        w->is_short |= !strcmp(words[i], "short");
        w->longs += !strcmp(words[i], "long");
        w->is_signed |= !strcmp(words[i], "signed");
        w->is_unsigned |= !strcmp(words[i], "unsigned");
        w->is_auto |= !strcmp(words[i], "auto");
        if (i < COUNT(kinds) && kinds[i] != NUM_CU_KINDS) {
            if (w->has_kind) cu_bad(l, l->at->place, "two types in one declaration");
            w->kind = kinds[i], w->has_kind = true;
        }
        w->count++;
        l->at = l->at->next;
        return true;
    }
    return false;
}

static const CuType *type_of_words(CuLower *l, const Words *w, CuPlace place) {
    CuKind kind = w->has_kind ? w->kind : CU_INT;
    bool sized = w->is_short || w->longs, wrong = false;
    if (w->is_auto) return NULL;
    if (kind == CU_DOUBLE && w->longs) {
        cu_unsupported(l, place, "'long double' in a kernel");
        return cu_type(CU_DOUBLE);
    }
    wrong = (w->is_signed && w->is_unsigned) || (w->is_short && w->longs) || w->longs > 2;
    wrong |= kind != CU_INT && sized;
    wrong |= kind != CU_INT && kind != CU_CHAR_TYPE && (w->is_signed || w->is_unsigned);
    if (wrong) cu_bad(l, place, "this is no type of C");
    if (kind == CU_CHAR_TYPE)
        return cu_type(w->is_unsigned ? CU_UCHAR : w->is_signed ? CU_SCHAR : CU_CHAR_TYPE);
    if (kind != CU_INT) return cu_type(kind);
    int size = w->is_short ? CU_SHORT : w->longs == 2 ? CU_LLONG : w->longs ? CU_LONG : CU_INT;
    return cu_type((CuKind)(size + (w->is_unsigned ? 1 : 0)));
}

static void take_align(CuLower *l, CuSpecifiers *s) {
    int64_t align = 0;
    CuToken *open = l->at->next;
    l->at = open->next;
    if (cu_starts_type(l))
        align = cu_align(cu_type_name(l));
    else if (!cu_constant(l, "an alignment", &align))
        return;
    if (align < 0 || align > 1024 || (align & (align - 1)))
        cu_bad(l, open->place, "an alignment of %lld bytes", (long long)align);
    if (align > s->align) s->align = align;
    cu_expect(l, ")", "after an alignment");
}

static void take_attribute(CuLower *l, CuSpecifiers *s) {
    CuToken *t = l->at;
    s->is_static |= cu_is(t, "static");
    s->is_extern |= cu_is(t, "extern");
    s->is_shared |= cu_is(t, "__shared__");
    s->is_constant |= cu_is(t, "__constant__");
    s->is_device |= cu_is(t, "__device__") || cu_is(t, "__managed__");
    s->is_constexpr |= cu_is(t, "constexpr");
    s->is_typedef |= cu_is(t, "typedef");
    bool aligns = cu_is(t, "__align__") || cu_is(t, "alignas");
    if (aligns && cu_is(t->next, "(")) {
        take_align(l, s);
        return;
    }
    bool has_arguments =
        cu_is(t->next, "(") && (cu_is(t, "__launch_bounds__") || cu_is(t, "__attribute__"));
    l->at = has_arguments ? cu_skip(t->next) : t->next;
}

/* decltype(expression): it is not computed. */
static const CuType *type_of_expression(CuLower *l) {
    Builder outer;
    const CuType *type;
    bool is_gnu = !cu_is(l->at, "decltype");
    l->at = l->at->next->next;
    if (is_gnu && cu_starts_type(l)) {
        type = cu_type_name(l);
    } else {
        cu_begin(l, &outer);
        type = cu_expression(l).type;
        cu_end(l, &outer, NULL);
    }
    cu_expect(l, ")", "after an expression");
    return type;
}

/* enum { A, B = 4 } in a function. */
static const CuType *enum_here(CuLower *l) {
    int64_t value = -1;
    while (!l->panic && !cu_is(l->at, "{")) l->at = l->at->next;
    cu_expect(l, "{", "before enumerators");
    while (!l->panic && !cu_is(l->at, "}")) {
        CuToken *name = l->at;
        l->at = name->next;
        value++;
        if (cu_accept(l, "=") && !cu_constant(l, "the value of an enumerator", &value)) break;
        CuName bound = {.name = name->text, .kind = NAME_CONSTANT};
        bound.val = (CuVal){.type = cu_type(CU_INT), .place = name->place};
        bound.val.value = cu_int(l, cu_type(CU_INT), value);
        cu_bind(l, bound);
        if (!cu_accept(l, ",")) break;
    }
    cu_expect(l, "}", "after enumerators");
    return cu_type(CU_INT);
}

/* Behind `struct` and what it says of alignment. */
CuToken *cu_behind_alignment(CuToken *t) {
    for (t = t->next; cu_is(t, "alignas") || cu_is(t, "__align__") || cu_is(t, "__attribute__");)
        t = cu_is(t->next, "(") ? cu_skip(t->next) : t->next;
    return t;
}

static bool opens_body(CuToken *t) {
    t = cu_behind_alignment(t);
    return cu_is(t, "{") || (t->kind == CU_NAME && cu_is(t->next, "{"));
}

/* struct { .. }, union U { .. }, enum { .. } where it stands. */
static const CuType *body_here(CuLower *l) {
    CuToken *t = l->at, *first = cu_behind_alignment(t),
            *name = first->kind == CU_NAME ? first : NULL;
    if (cu_is(t, "enum")) return enum_here(l);
    int64_t align = cu_written_align(l, t, first);
    l->at = name ? name->next : first;
    const CuType *type =
        cu_record_here(l, name ? name->text : STR("struct"), cu_is(t, "union"), align);
    if (name && !l->panic)
        cu_bind(l, (CuName){.name = name->text, .kind = NAME_TYPE, .val.type = type});
    return type;
}

static const CuType *written_type(CuLower *l) {
    CuToken *at;
    const CuName *found = cu_name_at(l, &at);
    return found && found->kind == NAME_TYPE ? found->val.type : cu_type(CU_INT);
}

/* One more word of a type; false: it is none. */
static bool specifier(CuLower *l, CuSpecifiers *s, Words *w, bool *is_const, bool *is_volatile) {
    CuToken *t = l->at;
    bool has_type = s->type || w->count;
    if (take_word(l, w)) return true;
    *is_const |= cu_is(t, "const") || cu_is(t, "constexpr");
    *is_volatile |= cu_is(t, "volatile");
    if (!has_type && is_foreign(t) && !cu_declared(l, t->text, CU_DECL_TYPE)) {
        cu_unsupported(l, t->place, "type '%.*s' in a kernel", STR_ARG(t->text));
        return false;
    }
    bool is_body = cu_is(t, "struct") || cu_is(t, "union") || cu_is(t, "class") || cu_is(t, "enum");
    if (is_body && opens_body(t))
        s->type = body_here(l);
    else if (is_one_of(t, qualifiers, COUNT(qualifiers)))
        take_attribute(l, s);
    else if (!has_type && is_type_of(t))
        s->type = type_of_expression(l);
    else if (!has_type && (t->kind == CU_NAME || cu_is(t, "::")) && cu_names_type(l))
        s->type = written_type(l);
    else
        return false;
    return true;
}

bool cu_specifiers(CuLower *l, CuSpecifiers *s) {
    Words w = {0};
    bool is_const = false, is_volatile = false;
    *s = (CuSpecifiers){.place = l->at->place};
    while (!l->panic && specifier(l, s, &w, &is_const, &is_volatile))
        s->place = cu_join(s->place, l->at->place);
    if (l->panic) return false;
    if (!s->type && !w.count) {
        bool qualified = l->is_host && l->at->kind == CU_NAME && cu_is(l->at->next, "::");
        if (qualified)
            cu_unsupported(l, l->at->place, "'%.*s::%.*s' on the host", STR_ARG(l->at->text),
                           STR_ARG(l->at->next->next->text));
        else if (l->at->kind == CU_NAME && cu_is(l->at->next, "::") &&
                 !cu_declared(l, l->at->text, CU_DECL_TYPE) &&
                 !map_get(&l->module->namespaces, l->at->text))
            cu_unsupported(l, l->at->place, "'%.*s::%.*s' in a kernel", STR_ARG(l->at->text),
                           STR_ARG(l->at->next->next->text));
        else if (l->at->kind == CU_NAME && (l->at->next->kind == CU_NAME ||
                                            cu_is(l->at->next, "*") || cu_is(l->at->next, "&")))
            cu_undeclared(l, l->at->place, "type ", l->at->text);
        else
            cu_bad(l, l->at->place, "expected a type, saw '%.*s'", STR_ARG(l->at->text));
        return false;
    }
    if (w.count) s->type = type_of_words(l, &w, s->place);
    if (s->type) s->type = cu_qualified(l->arena, s->type, is_const, is_volatile);
    s->is_const = is_const;
    return !l->panic;
}

/* ---- declarators ---- */

/* [N], of a template's parameter N that is not known yet; [N + 1] says nothing about it. */
static bool pattern_count(CuLower *l, int64_t *count) {
    CuToken *t = l->at;
    bool alone = cu_is(t->next, "]"), depends = false;
    for (; l->is_pattern && t->kind != CU_END && !cu_is(t, "]"); t = t->next) {
        const CuName *found = t->kind == CU_NAME ? cu_find(l, t->text) : NULL;
        if (!found || !found->param) continue;
        *count = alone ? -1 - found->param : CU_ANY_COUNT;
        depends = true;
    }
    if (depends) l->at = t;
    return depends;
}

static const CuType *arrays(CuLower *l, const CuType *of) {
    int64_t count = -1;
    if (!cu_accept(l, "[")) return of;
    CuPlace place = l->at->place;
    if (!cu_is(l->at, "]") && !pattern_count(l, &count)) {
        bool in_angles = l->in_angles;
        l->in_angles = false;
        if (!cu_constant(l, "the size of an array", &count)) return of;
        l->in_angles = in_angles;
        if (count < 1 || count > INT32_MAX) {
            cu_bad(l, place, "an array of %lld elements", (long long)count);
            return of;
        }
    }
    if (!cu_expect(l, "]", "after the size of an array") || !cu_enter(l)) return of;
    of = arrays(l, of);
    l->nested--;
    if (of->kind == CU_ARRAY && of->count == -1)
        cu_bad(l, place, "only the first size of an array may be left out");
    const CuType *type = cu_array(l->arena, of, count);
    if (l->panic || cu_is_pattern(type)) return type;
    cu_complete(l, of);
    if (count >= 0 && cu_size(type) >= INT32_MAX) cu_bad(l, place, "an array of 2 GB or more");
    return type;
}

static const CuType *pointers(CuLower *l, const CuType *type, CuDeclarator *d) {
    for (; !l->panic; l->at = l->at->next) {
        bool is_const = cu_is(l->at, "const"), is_volatile = cu_is(l->at, "volatile");
        if (cu_is(l->at, "*") && type)
            type = cu_pointer(l->arena, type);
        else if (cu_is(l->at, "*"))
            d->is_pointer = true;
        else if ((is_const || is_volatile) && type)
            type = cu_qualified(l->arena, type, is_const, is_volatile);
        else if (cu_is(l->at, "&") || cu_is(l->at, "&&"))
            d->is_reference = true, d->is_moved = cu_is(l->at, "&&");
        else if (!is_const && !is_volatile && !cu_is(l->at, "__restrict__") &&
                 !cu_is(l->at, "__restrict") && !cu_is(l->at, "restrict"))
            break;
    }
    return type;
}

/* float (&a)[4], float (*p)[4]: what is in brackets is said of the array. */
static void grouped(CuLower *l, CuDeclarator *d) {
    CuToken *open = l->at, *inside = open->next;
    bool is_pointer = cu_is(inside, "*");
    if ((!is_pointer && !cu_is(inside, "&")) || !d->type) {
        cu_unsupported(l, open->place, "a declaration with brackets in a kernel");
        return;
    }
    l->at = inside->next;
    while (cu_accept(l, "const") || cu_accept(l, "__restrict__")) {
    }
    if (l->at->kind == CU_NAME) {
        d->name = l->at;
        l->at = l->at->next;
    }
    if (!cu_is(l->at, ")") || cu_is(l->at->next, "(")) {
        cu_unsupported(l, open->place, "a pointer to a function in a kernel");
        return;
    }
    l->at = l->at->next;
    d->type = arrays(l, d->type);
    if (is_pointer)
        d->type = cu_pointer(l->arena, d->type);
    else
        d->is_reference = true;
}

bool cu_result_declarator(CuLower *l, const CuType *base, CuDeclarator *d) {
    *d = (CuDeclarator){0};
    d->type = pointers(l, base, d);
    return !l->panic;
}

bool cu_declarator(CuLower *l, const CuType *base, CuDeclarator *d) {
    if (!cu_result_declarator(l, base, d)) return false;
    if (cu_is(l->at, "(")) {
        grouped(l, d);
        return !l->panic;
    }
    if (l->at->kind == CU_NAME) {
        d->name = l->at;
        l->at = l->at->next;
    }
    if (d->type) d->type = arrays(l, d->type);
    return !l->panic;
}

const CuType *cu_type_name(CuLower *l) {
    CuSpecifiers s;
    CuDeclarator d;
    if (!cu_specifiers(l, &s)) return cu_type(CU_INT);
    CuPlace place = s.place;
    if (!s.type) {
        cu_bad(l, place, "'auto' where a type must be written");
        return cu_type(CU_INT);
    }
    if (!cu_declarator(l, s.type, &d)) return cu_type(CU_INT);
    if (d.name) cu_bad(l, d.name->place, "a name where only a type can stand");
    return d.type;
}

/* ---- variables ---- */

bool cu_shared(CuLower *l, const CuSpecifiers *s, const CuDeclarator *d, CuName *name) {
    const CuType *type = d->type;
    Value *at;
    cu_complete(l, type);
    if (l->panic) return false;
    if (s->is_extern) {
        if (type->kind != CU_ARRAY || type->count >= 0)
            cu_bad(l, d->name->place, "dynamic shared memory is an array without a size");
        if (!l->panic && l->launch->shared_bytes < 1) {
            cu_bad(l, d->name->place, "'%.*s' is dynamic shared memory, and the launch has none",
                   STR_ARG(d->name->text));
            diag_help(l->diag, cu_span(d->name->place), "give its size: --shared BYTES");
        }
        if (l->panic) return false;
        if (!l->dynamic) {
            l->dynamic =
                cu_alloc(l, cu_array(l->arena, cu_type(CU_CHAR_TYPE), l->launch->shared_bytes),
                         ALLOC_SHARED, d->name->text);
            alloc_set_align(l->dynamic->def, 16);
        }
        at = cu_offset(l, l->dynamic, 0, type);
        type = cu_array(l->arena, type->of, l->launch->shared_bytes / cu_size(type->of));
    } else {
        type = cu_counted(l, type);
        at = map_get_pointer(&l->shared, d->name);
        if (!at) {
            at = cu_alloc(l, type, ALLOC_SHARED, d->name->text);
            map_set_pointer(&l->shared, d->name, at);
        }
    }
    if (cu_is(l->at, "=") || cu_is(l->at, "{"))
        cu_bad(l, l->at->place, "shared memory has no initial value");
    *name = (CuName){.name = d->name->text, .val = {.type = type, .value = at, .is_place = true}};
    return !l->panic;
}

static void bind_place(CuLower *l, const CuToken *name, const CuType *type, Value *at) {
    cu_bind(l, (CuName){.name = name->text, .val = {.type = type, .value = at, .is_place = true}});
}

static Value *own_memory(CuLower *l, const CuSpecifiers *s, const CuType *type, Str name) {
    Value *at = cu_alloc(l, type, ALLOC_LOCAL, name);
    bool is_alloc = at->def->kind == OP_ALLOC; /* else it is memory of cu_large */
    if (is_alloc && s->align > alloc_align(at->def)) alloc_set_align(at->def, s->align);
    if (!is_alloc && s->align > CU_LARGE_ALIGN)
        cu_unsupported(l, (CuPlace){l->b.span, NULL}, "a variable of %lld bytes with alignas(%d)",
                       (long long)cu_size(type), (int)s->align);
    return at;
}

/* T &x = y; auto &x = y, const T &x = 1. */
static void reference(CuLower *l, const CuSpecifiers *s, const CuDeclarator *d) {
    bool list = cu_accept(l, "{") || cu_accept(l, "(");
    if (!list && !cu_expect(l, "=", "after a reference")) return;
    CuVal to = cu_assignment(l);
    if (list) l->at = l->at->next;
    if (l->panic) return;
    const CuType *type = d->type ? d->type : cu_qualified(l->arena, to.type, s->is_const, false);
    bool derives = type->kind == CU_STRUCT && to.type->kind == CU_STRUCT &&
                   cu_derives(to.type->record, type->record);
    bool may_hold = type->is_const || d->is_moved;
    bool has_address = to.is_place || (to.type->kind == CU_STRUCT && may_hold);
    if (has_address && (derives || cu_same(type, to.type))) {
        if (to.is_place && to.type->is_const && !type->is_const)
            cu_bad(l, to.place, "this is const");
        if (derives) to = cu_base_of(l, to, type->record);
        bind_place(l, d->name, type, to.value);
    } else if (may_hold) { /* to a value that lives as long as the reference */
        Value *at = own_memory(l, s, cu_plain(l->arena, type), d->name->text);
        cu_initialize_from(l, at, type, to, "this initial value");
        bind_place(l, d->name, type, at);
    } else if (!to.is_place) {
        cu_unsupported(l, to.place, "a reference to a temporary");
    } else {
        cu_bad(l, to.place, "a reference to '%.*s' is bound to '%.*s'",
               STR_ARG(cu_name(l->arena, type)), STR_ARG(cu_name(l->arena, to.type)));
    }
}

bool cu_is_written(const Value *value) {
    return value && value->def && value->def->kind == OP_CONSTANT;
}

/* A number that is known now is a constant, else a variable that is const. */
static void constant(CuLower *l, const CuSpecifiers *s, const CuToken *name, const CuType *type,
                     CuVal val) {
    CuName bound = {.name = name->text, .kind = NAME_CONSTANT, .val = val};
    if (cu_is_written(val.value)) {
        cu_bind(l, bound);
        return;
    }
    if (s->is_constexpr) cu_bad(l, val.place, "this is not known at compile time");
    Value *at = own_memory(l, s, type, name->text);
    cu_store_to(l, at, cu_plain(l->arena, type), val.value);
    bind_place(l, name, type, at);
}

/* auto x = ..: the type of the value. */
static void deduced(CuLower *l, const CuSpecifiers *s, const CuDeclarator *d) {
    bool list = cu_is(l->at, "{") || cu_is(l->at, "(");
    CuToken *open = l->at;
    if (!list && !cu_expect(l, "=", "after 'auto' and a name")) return;
    if (list) l->at = open->next;
    CuVal val = cu_value(l, cu_assignment(l));
    if (list) cu_expect(l, cu_is(open, "(") ? ")" : "}", "after the initial value");
    if (l->panic) return;
    if (d->is_pointer && val.type->kind != CU_POINTER)
        cu_bad(l, val.place, "'auto *' of what is no pointer");
    const CuType *type = cu_plain(l->arena, val.type);
    if (type->kind == CU_VOID) cu_bad(l, val.place, "a variable of type void");
    bool scalar = type->kind != CU_ARRAY && type->kind != CU_STRUCT;
    if (l->panic) return;
    if (s->is_const) type = cu_qualified(l->arena, type, true, false);
    if (scalar && s->is_const) {
        constant(l, s, d->name, type, val);
        return;
    }
    Value *at = own_memory(l, s, type, d->name->text);
    cu_initialize_from(l, at, type, val, "this initial value");
    bind_place(l, d->name, type, at);
}

/* T x(1, 2) */
static void from_arguments(CuLower *l, Value *at, const CuType *type) {
    CuPlace place = l->at->place;
    int count;
    CuVal *args;
    if (!cu_arguments(l, ")", &count, &args)) return;
    if (type->kind == CU_STRUCT)
        cu_construct(l, at, type, count, args, place);
    else if (count != 1)
        cu_bad(l, place, "'%.*s' begins as %d values", STR_ARG(cu_name(l->arena, type)), count);
    else
        cu_initialize_from(l, at, type, args[0], "this initial value");
}

static void refuse_destructor(CuLower *l, const CuType *type, CuPlace place) {
    while (type->kind == CU_ARRAY) type = type->of;
    const CuDecl *decl = type->kind == CU_STRUCT ? type->record->decl : NULL;
    const CuDecl *end = decl && decl->members ? map_get(&decl->members->names, STR("~")) : NULL;
    if (end && end->body && !cu_is(end->body->next, "}"))
        cu_unsupported(l, place, "a destructor that does something");
}

static void variable(CuLower *l, const CuSpecifiers *s, const CuDeclarator *d) {
    const CuType *type = cu_counted(l, d->type);
    if (type->kind == CU_VOID) cu_bad(l, d->name->place, "a variable of type void");
    bool is_static = s->is_static && !type->is_const && !s->is_const;
    if (is_static && !l->is_host)
        cu_unsupported(l, d->name->place, "a static variable in a kernel");
    cu_complete(l, type);
    refuse_destructor(l, type, d->name->place);
    bool scalar = type->kind != CU_ARRAY && type->kind != CU_STRUCT;
    if (l->panic) return;
    bool list = cu_is(l->at, "{");
    if (scalar && type->is_const && (cu_is(l->at, "=") || list)) {
        l->at = l->at->next;
        if (!list && cu_is(l->at, "{")) l->at = l->at->next, list = true;
        CuVal val = cu_convert(l, cu_assignment(l), cu_plain(l->arena, type), "this initial value");
        if (list) cu_expect(l, "}", "after the initial value");
        if (!l->panic) constant(l, s, d->name, type, val);
        return;
    }
    Value *at = is_static ? map_get_pointer(&l->shared, d->name) : NULL;
    if (at) { /* its function was called before */
        while (!cu_is(l->at, ",") && !cu_is(l->at, ";") && l->at->kind != CU_END)
            l->at = cu_is(l->at, "(") || cu_is(l->at, "{") ? cu_skip(l->at) : l->at->next;
        bind_place(l, d->name, type, at);
        return;
    }
    CuAtTop top = {0};
    if (is_static) top = cu_at_top(l);
    at = own_memory(l, s, type, d->name->text);
    if (is_static) map_set_pointer(&l->shared, d->name, at);
    if (cu_accept(l, "=") || list)
        cu_initialize(l, at, type);
    else if (cu_accept(l, "("))
        from_arguments(l, at, type);
    else
        cu_initialize_empty(l, at, type);
    if (is_static) cu_at_top_end(l, &top);
    bind_place(l, d->name, type, at);
}

static void declared_name(CuLower *l, const CuSpecifiers *s, const CuDeclarator *d) {
    CuName shared;
    l->b.span = cu_span(d->name->place);
    if (s->is_typedef)
        cu_bind(l, (CuName){.name = d->name->text, .kind = NAME_TYPE, .val.type = d->type});
    else if (d->is_reference)
        reference(l, s, d);
    else if (!s->type)
        deduced(l, s, d);
    else if (s->is_shared && cu_shared(l, s, d, &shared))
        cu_bind(l, shared);
    else if (!s->is_shared)
        variable(l, s, d);
}

void cu_declaration(CuLower *l) {
    CuSpecifiers s;
    if (cu_is(l->at, "using") && cu_is(l->at->next->next, "=")) {
        CuToken *name = l->at->next;
        l->at = name->next->next;
        const CuType *type = cu_type_name(l);
        cu_bind(l, (CuName){.name = name->text, .kind = NAME_TYPE, .val.type = type});
        cu_expect(l, ";", "after a type");
        return;
    }
    if (cu_is(l->at, "using")) { /* namespaces are looked through */
        while (!cu_is(l->at, ";") && l->at->kind != CU_END) l->at = l->at->next;
        cu_expect(l, ";", "after 'using'");
        return;
    }
    if (!cu_specifiers(l, &s)) return;
    if (cu_accept(l, ";")) return; /* a struct alone */
    if (s.is_constant) cu_unsupported(l, s.place, "a __constant__ variable in a kernel");
    if (!s.type && cu_is(l->at, "[")) cu_unsupported(l, l->at->place, "structured bindings");
    do {
        CuDeclarator d;
        if (!cu_declarator(l, s.type, &d)) return;
        if (!d.name || d.name->kind != CU_NAME) {
            cu_bad(l, l->at->place, "expected a name, saw '%.*s'", STR_ARG(l->at->text));
            return;
        }
        declared_name(l, &s, &d);
    } while (cu_accept(l, ","));
    cu_expect(l, ";", "after a declaration");
}
