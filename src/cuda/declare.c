// SPDX-License-Identifier: Apache-2.0
/* declare: types as they are written, variables, initialisers. */
#include "cuda/front.h"

/* ---- scopes ---- */

void cu_bind(CuLower *l, CuName name) {
    CuScope *scope = (CuScope *)(uintptr_t)l->scope;
    CuName *copy = arena_new_of(l->arena, CuName);
    *copy = name;
    copy->next = scope->names;
    scope->names = copy;
}

const CuName *cu_find(const CuLower *l, Str name) {
    for (const CuScope *scope = l->scope; scope; scope = scope->outer)
        for (const CuName *n = scope->names; n; n = n->next)
            if (str_equal(n->name, name)) return n;
    return NULL;
}

static const CuDecl *declared(const CuLower *l, Str name, CuDeclKind kind) {
    const CuDecl *decl = map_get(&l->module->names, name);
    while (decl && decl->kind != kind) decl = decl->overload;
    return decl;
}

/* ---- specifiers ---- */

static const struct {
    const char *name;
    CuKind kind;
} named_types[] = {
    {"size_t", CU_ULONG}, {"ptrdiff_t", CU_LONG}, {"intptr_t", CU_LONG}, {"uintptr_t", CU_ULONG},
    {"int8_t", CU_SCHAR}, {"uint8_t", CU_UCHAR},  {"int16_t", CU_SHORT}, {"uint16_t", CU_USHORT},
    {"int32_t", CU_INT},  {"uint32_t", CU_UINT},  {"int64_t", CU_LONG},  {"uint64_t", CU_ULONG},
    {"uint", CU_UINT},    {"ushort", CU_USHORT},  {"ulong", CU_ULONG},
};

static const char *const words[] = {"void",  "bool",   "char",   "short",    "int", "long",
                                    "float", "double", "signed", "unsigned", "auto"};
static const char *const qualifiers[] = {
    "const",        "volatile",     "static",          "extern",
    "inline",       "register",     "constexpr",       "mutable",
    "typename",     "struct",       "class",           "union",
    "enum",         "__restrict__", "__restrict",      "restrict",
    "__shared__",   "__device__",   "__constant__",    "__host__",
    "__global__",   "__managed__",  "__forceinline__", "__noinline__",
    "__inline__",   "__align__",    "alignas",         "__launch_bounds__",
    "__attribute__"};

static bool is_one_of(const CuToken *t, const char *const *list, int count) {
    for (int i = 0; i < count; i++)
        if (t->kind == CU_NAME && str_is(t->text, list[i])) return true;
    return false;
}

static bool is_std(const CuToken *t) { return cu_is(t, "std") && cu_is(t->next, "::"); }

static bool names_type(const CuLower *l, const CuToken *t) {
    const CuName *found = cu_find(l, t->text);
    if (found) return found->kind == NAME_TYPE;
    if (declared(l, t->text, CU_DECL_TYPE)) return true;
    for (int i = 0; i < COUNT(named_types); i++)
        if (str_is(t->text, named_types[i].name)) return true;
    return cu_vector(l->arena, t->text) != NULL;
}

/* Types that there are in CUDA, but not here: so they are refused as types. */
static bool is_foreign(const CuToken *t) {
    static const char *const names[] = {
        "half",          "__half",        "half2",          "__half2",
        "__nv_bfloat16", "nv_bfloat16",   "__nv_bfloat162", "cudaTextureObject_t",
        "__nv_fp8_e4m3", "__nv_fp8_e5m2", "__int128"};
    return is_one_of(t, names, COUNT(names));
}

bool cu_starts_type(const CuLower *l) {
    const CuToken *t = l->at;
    if (t->kind != CU_NAME) return false;
    if (is_std(t)) t = t->next->next;
    return is_one_of(t, words, COUNT(words)) || is_one_of(t, qualifiers, COUNT(qualifiers)) ||
           is_foreign(t) || names_type(l, t);
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

static void take_attribute(CuLower *l, CuSpecifiers *s) {
    CuToken *t = l->at;
    s->is_static |= cu_is(t, "static");
    s->is_extern |= cu_is(t, "extern");
    s->is_shared |= cu_is(t, "__shared__");
    s->is_constant |= cu_is(t, "__constant__") || cu_is(t, "__managed__");
    s->is_device |= cu_is(t, "__device__");
    s->is_constexpr |= cu_is(t, "constexpr");
    s->is_typedef |= cu_is(t, "typedef");
    if (cu_is(t, "union") || cu_is(t, "class"))
        cu_unsupported(l, t->place, "'%.*s' in a kernel", STR_ARG(t->text));
    bool has_arguments =
        cu_is(t->next, "(") && (cu_is(t, "__align__") || cu_is(t, "alignas") ||
                                cu_is(t, "__launch_bounds__") || cu_is(t, "__attribute__"));
    if (has_arguments && (cu_is(t, "__align__") || cu_is(t, "alignas")))
        cu_unsupported(l, t->place, "'%.*s' in a kernel", STR_ARG(t->text));
    l->at = has_arguments ? cu_skip(t->next) : t->next;
}

static const CuType *named_type(CuLower *l) {
    CuToken *t = l->at;
    const CuName *found = cu_find(l, t->text);
    l->at = t->next;
    if (found) return found->val.type;
    const CuDecl *decl = declared(l, t->text, CU_DECL_TYPE);
    CuName name;
    if (decl) return cu_global(l, decl, &name) ? name.val.type : cu_type(CU_INT);
    for (int i = 0; i < COUNT(named_types); i++)
        if (str_is(t->text, named_types[i].name)) return cu_type(named_types[i].kind);
    return cu_vector(l->arena, t->text);
}

static const CuType *record_type(CuLower *l, Str name);

bool cu_specifiers(CuLower *l, CuSpecifiers *s) {
    Words w = {0};
    bool is_const = false, is_volatile = false;
    *s = (CuSpecifiers){.place = l->at->place};
    for (; !l->panic; s->place = cu_join(s->place, l->at->place)) {
        if (is_std(l->at)) l->at = l->at->next->next;
        CuToken *t = l->at;
        if (take_word(l, &w)) continue;
        if (cu_is(t, "const") || cu_is(t, "constexpr")) is_const = true;
        if (cu_is(t, "volatile")) is_volatile = true;
        if (is_foreign(t)) {
            cu_unsupported(l, t->place, "type '%.*s' in a kernel", STR_ARG(t->text));
            return false;
        }
        if (cu_is(t, "struct") && (cu_is(t->next, "{") || cu_is(t->next->next, "{"))) {
            bool named = t->next->kind == CU_NAME;
            l->at = named ? t->next->next : t->next;
            s->type = record_type(l, named ? t->next->text : STR("struct"));
            if (named)
                cu_bind(l, (CuName){.name = t->next->text, .kind = NAME_TYPE, .val.type = s->type});
        } else if (is_one_of(t, qualifiers, COUNT(qualifiers)) || cu_is(t, "typedef")) {
            take_attribute(l, s);
        } else if (!s->type && !w.count && t->kind == CU_NAME && names_type(l, t)) {
            s->type = named_type(l);
        } else {
            break;
        }
    }
    if (l->panic) return false;
    if (!s->type && !w.count) {
        cu_bad(l, l->at->place, "expected a type, saw '%.*s'", STR_ARG(l->at->text));
        return false;
    }
    if (w.count) s->type = type_of_words(l, &w, s->place);
    if (s->type) s->type = cu_qualified(l->arena, s->type, is_const, is_volatile);
    return !l->panic;
}

/* ---- declarators ---- */

static const CuType *arrays(CuLower *l, const CuType *of) {
    int64_t count = -1;
    if (!cu_accept(l, "[")) return of;
    CuPlace place = l->at->place;
    if (!cu_is(l->at, "]")) {
        if (!cu_constant(l, "the size of an array", &count)) return of;
        if (count < 1 || count > INT32_MAX) {
            cu_bad(l, place, "an array of %lld elements", (long long)count);
            return of;
        }
    }
    if (!cu_expect(l, "]", "after the size of an array") || !cu_enter(l)) return of;
    of = arrays(l, of);
    l->nested--;
    if (of->kind == CU_ARRAY && of->count < 0)
        cu_bad(l, place, "only the first size of an array may be left out");
    const CuType *type = cu_array(l->arena, of, count);
    if (count >= 0 && cu_size(type) >= INT32_MAX) cu_bad(l, place, "an array of 2 GB or more");
    return type;
}

static const CuType *pointers(CuLower *l, const CuType *type, bool *is_reference) {
    for (; !l->panic; l->at = l->at->next) {
        if (cu_is(l->at, "*"))
            type = cu_pointer(l->arena, type);
        else if (cu_is(l->at, "const") || cu_is(l->at, "volatile"))
            type = cu_qualified(l->arena, type, cu_is(l->at, "const"), cu_is(l->at, "volatile"));
        else if (cu_is(l->at, "&") || cu_is(l->at, "&&"))
            *is_reference = true;
        else if (!cu_is(l->at, "__restrict__") && !cu_is(l->at, "__restrict") &&
                 !cu_is(l->at, "restrict"))
            break;
    }
    return type;
}

bool cu_declarator(CuLower *l, const CuType *base, CuDeclarator *d) {
    *d = (CuDeclarator){0};
    d->type = base ? pointers(l, base, &d->is_reference) : NULL;
    if (cu_is(l->at, "(")) {
        cu_unsupported(l, l->at->place, "a pointer to a function or to an array in a kernel");
        return false;
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
    if (!s.type || !cu_declarator(l, s.type, &d)) {
        cu_bad(l, place, "'auto' where a type must be written");
        return cu_type(CU_INT);
    }
    if (d.name) cu_bad(l, d.name->place, "a name where only a type can stand");
    return d.type;
}

/* ---- structs ---- */

static const CuType *record_type(CuLower *l, Str name) {
    VEC(CuField) fields = {0};
    CuRecord *record = arena_new_of(l->arena, CuRecord);
    CuType *type = arena_new_of(l->arena, CuType);
    *record = (CuRecord){.name = name, .align = 1};
    *type = (CuType){.kind = CU_STRUCT, .record = record};
    if (!cu_expect(l, "{", "before the members")) return type;
    while (!l->panic && !cu_is(l->at, "}")) {
        CuSpecifiers s;
        CuDeclarator d;
        if (!cu_specifiers(l, &s)) break;
        do {
            if (!s.type || !cu_declarator(l, s.type, &d)) break;
            CuPlace place = d.name ? d.name->place : l->at->place;
            if (cu_is(l->at, "(") || cu_is(l->at, ":") || cu_is(l->at, "=") || !d.name ||
                d.is_reference) {
                cu_unsupported(l, place, "a struct with more than plain members in a kernel");
                break;
            }
            int64_t align = cu_align(d.type), size = cu_size(d.type);
            int64_t at = (record->size + align - 1) & -align;
            if (size >= INT32_MAX - at) cu_bad(l, place, "a struct of 2 GB or more");
            vec_push(l->arena, &fields, (CuField){d.name->text, d.type, at});
            record->size = at + size;
            if (align > record->align) record->align = align;
        } while (cu_accept(l, ","));
        cu_expect(l, ";", "after a member");
    }
    cu_accept(l, "}");
    record->size = (record->size + record->align - 1) & -record->align;
    record->fields = fields.data;
    record->num_fields = fields.count;
    if (!record->num_fields && !l->panic)
        cu_unsupported(l, l->at->place, "a struct without members");
    return type;
}

/* ---- initialisers ---- */

static void zero(CuLower *l, Value *at, const CuType *type) {
    if (type->kind == CU_ARRAY) {
        for (int64_t i = 0; i < type->count && !l->panic; i++)
            zero(l, cu_offset(l, at, i * cu_size(type->of), type->of), type->of);
    } else if (type->kind == CU_STRUCT) {
        for (int i = 0; i < type->record->num_fields; i++) {
            const CuField *f = &type->record->fields[i];
            zero(l, cu_offset(l, at, f->offset, f->type), f->type);
        }
    } else {
        const Type *ir = cu_ir(l->fn->types, type);
        cu_store_to(l, at, cu_plain(l->arena, type), build_constant_bits(&l->b, ir, 0));
    }
}

static void from_list(CuLower *l, Value *at, const CuType *type) {
    int64_t index = 0, count = type->kind == CU_ARRAY    ? type->count
                               : type->kind == CU_STRUCT ? type->record->num_fields
                                                         : 1;
    CuPlace place = l->at->place;
    if (!cu_enter(l)) return;
    cu_expect(l, "{", "before initial values");
    if (type->kind == CU_ARRAY && count > 65536)
        cu_unsupported(l, place, "an initialised array of more than 65536 elements");
    if (type->kind == CU_ARRAY || type->kind == CU_STRUCT) zero(l, at, type);
    for (; !l->panic && !cu_is(l->at, "}"); index++) {
        if (index == count) {
            cu_bad(l, l->at->place, "more initial values than '%.*s' has",
                   STR_ARG(cu_name(l->arena, type)));
            break;
        }
        const CuField *f = type->kind == CU_STRUCT ? &type->record->fields[index] : NULL;
        const CuType *of = type->kind == CU_ARRAY ? type->of : f ? f->type : type;
        int64_t offset = f ? f->offset : index * cu_size(of);
        cu_initialize(l, cu_offset(l, at, offset, of), of);
        if (!cu_accept(l, ",")) break;
    }
    if (index == 0 && type->kind != CU_ARRAY && type->kind != CU_STRUCT) zero(l, at, type);
    cu_expect(l, "}", "after initial values");
    l->nested--;
}

void cu_initialize(CuLower *l, Value *at, const CuType *type) {
    if (cu_is(l->at, "{")) {
        from_list(l, at, type);
        return;
    }
    CuVal val = cu_assignment(l);
    if (type->kind == CU_ARRAY) {
        cu_bad(l, val.place, "an array is initialised by values in braces");
        return;
    }
    const CuType *plain = cu_plain(l->arena, type);
    val = cu_convert(l, val, plain, "this initial value");
    if (l->panic) return;
    if (type->kind == CU_STRUCT)
        cu_copy(l, at, val.value, plain);
    else
        cu_store_to(l, at, plain, val.value);
}

/* ---- variables ---- */

/* T x[] = {1, 2, 3}: as many as there are values. */
static const CuType *counted(CuLower *l, const CuType *type) {
    if (type->kind != CU_ARRAY || type->count >= 0) return type;
    const CuToken *t = cu_is(l->at, "=") ? l->at->next : l->at;
    if (!cu_is(t, "{")) {
        cu_bad(l, l->at->place, "an array without a size and without initial values");
        return cu_array(l->arena, type->of, 1);
    }
    int64_t count = 0;
    for (t = t->next; !cu_is(t, "}") && t->kind != CU_END; count++) {
        while (!cu_is(t, ",") && !cu_is(t, "}") && t->kind != CU_END)
            t = cu_is(t, "{") || cu_is(t, "(") || cu_is(t, "[") ? cu_skip((CuToken *)(uintptr_t)t)
                                                                : t->next;
        if (cu_is(t, ",")) t = t->next;
    }
    return cu_array(l->arena, type->of, count ? count : 1);
}

static void shared_variable(CuLower *l, const CuSpecifiers *s, const CuDeclarator *d) {
    const CuType *type = d->type;
    Value *at;
    if (s->is_extern) {
        if (type->kind != CU_ARRAY || type->count >= 0)
            cu_bad(l, d->name->place, "dynamic shared memory is an array without a size");
        if (!l->panic && l->launch->shared_bytes < 1) {
            cu_bad(l, d->name->place, "'%.*s' is dynamic shared memory, and the launch has none",
                   STR_ARG(d->name->text));
            diag_help(l->diag, cu_span(d->name->place), "give its size: --shared BYTES");
        }
        if (l->panic) return;
        if (!l->dynamic) {
            l->dynamic =
                cu_alloc(l, cu_array(l->arena, cu_type(CU_CHAR_TYPE), l->launch->shared_bytes),
                         ALLOC_SHARED, d->name->text);
            alloc_set_align(l->dynamic->def, 16);
        }
        at = cu_offset(l, l->dynamic, 0, type);
        type = cu_array(l->arena, type->of, l->launch->shared_bytes / cu_size(type->of));
    } else {
        type = counted(l, type);
        at = map_get_pointer(&l->shared, d->name);
        if (!at) {
            at = cu_alloc(l, type, ALLOC_SHARED, d->name->text);
            map_set_pointer(&l->shared, d->name, at);
        }
    }
    if (cu_is(l->at, "=") || cu_is(l->at, "{"))
        cu_bad(l, l->at->place, "shared memory has no initial value");
    cu_bind(l,
            (CuName){.name = d->name->text, .val = {.type = type, .value = at, .is_place = true}});
}

static void reference(CuLower *l, const CuDeclarator *d) {
    if (!cu_expect(l, "=", "after a reference")) return;
    CuVal to = cu_assignment(l);
    if (!l->panic && !to.is_place) cu_unsupported(l, to.place, "a reference to a temporary");
    const CuType *type = d->type ? d->type : to.type;
    if (!l->panic && !cu_same(type, to.type))
        cu_bad(l, to.place, "a reference to '%.*s' is bound to '%.*s'",
               STR_ARG(cu_name(l->arena, type)), STR_ARG(cu_name(l->arena, to.type)));
    to.type = type;
    cu_bind(l, (CuName){.name = d->name->text, .val = to});
}

/* auto x = ..: the type of the value. */
static void deduced(CuLower *l, const CuSpecifiers *s, const CuDeclarator *d) {
    (void)s;
    if (!cu_expect(l, "=", "after 'auto' and a name")) return;
    CuVal val = cu_value(l, cu_assignment(l));
    if (l->panic) return;
    const CuType *type = cu_plain(l->arena, val.type);
    Value *at = cu_alloc(l, type, ALLOC_LOCAL, d->name->text);
    if (type->kind == CU_STRUCT)
        cu_copy(l, at, val.value, type);
    else
        cu_store_to(l, at, type, val.value);
    cu_bind(l,
            (CuName){.name = d->name->text, .val = {.type = type, .value = at, .is_place = true}});
}

static bool is_written_constant(const Value *value) {
    return value && value->def && value->def->kind == OP_CONSTANT;
}

static void variable(CuLower *l, const CuSpecifiers *s, const CuDeclarator *d) {
    const CuType *type = counted(l, d->type);
    if (type->kind == CU_VOID) cu_bad(l, d->name->place, "a variable of type void");
    if (s->is_static) cu_unsupported(l, d->name->place, "a static variable in a kernel");
    bool scalar = type->kind != CU_ARRAY && type->kind != CU_STRUCT;
    if (l->panic) return;
    if (scalar && type->is_const && cu_is(l->at, "=")) { /* a number known now is a constant */
        l->at = l->at->next;
        CuVal val = cu_convert(l, cu_assignment(l), cu_plain(l->arena, type), "this initial value");
        if (l->panic) return;
        CuName name = {.name = d->name->text, .kind = NAME_CONSTANT, .val = val};
        if (!is_written_constant(val.value)) {
            if (s->is_constexpr) cu_bad(l, val.place, "this is not known at compile time");
            Value *at = cu_alloc(l, type, ALLOC_LOCAL, d->name->text);
            cu_store_to(l, at, cu_plain(l->arena, type), val.value);
            name.kind = NAME_PLACE;
            name.val = (CuVal){.type = type, .value = at, .is_place = true};
        }
        cu_bind(l, name);
        return;
    }
    Value *at = cu_alloc(l, type, ALLOC_LOCAL, d->name->text);
    CuName name = {.name = d->name->text, .val = {.type = type, .value = at, .is_place = true}};
    if (cu_accept(l, "=") || cu_is(l->at, "{")) {
        cu_initialize(l, at, type);
    } else if (cu_accept(l, "(")) {
        if (type->kind == CU_STRUCT)
            cu_unsupported(l, l->at->place, "a constructor in a kernel");
        else
            cu_initialize(l, at, type);
        cu_expect(l, ")", "after the initial value");
    }
    cu_bind(l, name);
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
    if (!cu_specifiers(l, &s)) return;
    if (cu_accept(l, ";")) return; /* a struct alone */
    if (s.is_constant || s.is_device)
        cu_unsupported(l, s.place, "a __constant__ or __device__ variable");
    do {
        CuDeclarator d;
        if (!s.type && cu_accept(l, "&")) {
            d = (CuDeclarator){.is_reference = true, .name = l->at};
            l->at = l->at->next;
        } else if (!cu_declarator(l, s.type, &d)) {
            return;
        }
        if (!d.name || d.name->kind != CU_NAME) {
            cu_bad(l, l->at->place, "expected a name, saw '%.*s'", STR_ARG(l->at->text));
            return;
        }
        l->b.span = cu_span(d.name->place);
        if (s.is_typedef)
            cu_bind(l, (CuName){.name = d.name->text, .kind = NAME_TYPE, .val.type = d.type});
        else if (d.is_reference)
            reference(l, &d);
        else if (!s.type)
            deduced(l, &s, &d);
        else if (s.is_shared)
            shared_variable(l, &s, &d);
        else
            variable(l, &s, &d);
    } while (cu_accept(l, ","));
    cu_expect(l, ";", "after a declaration");
}

/* ---- what stands at the top of the file ---- */

static bool enumerator(CuLower *l, const CuDecl *decl, CuName *name) {
    int64_t value = -1;
    CuToken *t = decl->start;
    while (!cu_is(t, "{")) {
        if (cu_is(t, "class") || cu_is(t, "struct")) cu_unsupported(l, t->place, "'enum class'");
        t = t->next;
    }
    for (l->at = t->next; !l->panic;) {
        CuToken *at = l->at;
        l->at = at->next;
        value++;
        if (cu_accept(l, "=") && !cu_constant(l, "the value of an enumerator", &value))
            return false;
        if (value < INT32_MIN || value > INT32_MAX)
            cu_unsupported(l, at->place, "an enumerator that is no int");
        if (at == decl->at) break;
        if (!cu_expect(l, ",", "after an enumerator")) return false;
    }
    *name = (CuName){.name = decl->name,
                     .kind = NAME_CONSTANT,
                     .val = {.type = cu_type(CU_INT), .place = decl->at->place}};
    name->val.value = cu_int(l, name->val.type, value);
    return !l->panic;
}

static bool global_type(CuLower *l, const CuDecl *decl, CuName *name) {
    CuSpecifiers s;
    CuDeclarator d;
    *name = (CuName){.name = decl->name, .kind = NAME_TYPE};
    if (cu_is(decl->start, "enum")) {
        name->val.type = cu_type(CU_INT);
        return true;
    }
    if (cu_is(decl->start, "using")) {
        l->at = decl->at->next->next;
        name->val.type = cu_type_name(l);
        return !l->panic;
    }
    bool is_typedef = cu_is(decl->start, "typedef");
    if (is_typedef && cu_is(decl->start->next, "enum")) {
        name->val.type = cu_type(CU_INT);
        return true;
    }
    if (!cu_specifiers(l, &s)) return false;
    name->val.type = s.type;
    while (is_typedef && !l->panic && s.type) { /* typedef int a, *b; */
        if (!cu_declarator(l, s.type, &d)) return false;
        if (d.name == decl->at) name->val.type = d.type;
        if (d.name == decl->at || !cu_accept(l, ",")) break;
    }
    return !l->panic && name->val.type;
}

static bool global_variable(CuLower *l, const CuDecl *decl, CuName *name) {
    CuSpecifiers s;
    CuDeclarator d;
    if (!cu_specifiers(l, &s)) return false;
    bool is_const = s.type && s.type->is_const;
    if (s.is_constant || s.is_device || s.is_shared || !is_const) {
        cu_unsupported(l, decl->at->place,
                       "variable '%.*s', which is neither constant nor a kernel's own",
                       STR_ARG(decl->name));
        diag_help(l->diag, cu_span(decl->at->place), "pass a pointer to it as an argument");
        return false;
    }
    if (!cu_declarator(l, s.type, &d)) return false;
    while (d.name != decl->at) { /* const int a = 1, b = 2; */
        while (!cu_is(l->at, ",") && l->at->kind != CU_END)
            l->at = cu_is(l->at, "{") || cu_is(l->at, "(") ? cu_skip(l->at) : l->at->next;
        if (!cu_accept(l, ",") || !cu_declarator(l, s.type, &d)) return false;
    }
    if (!cu_is_number(d.type) || !cu_accept(l, "=")) {
        cu_unsupported(l, decl->at->place, "constant '%.*s' of type '%.*s' outside of a kernel",
                       STR_ARG(decl->name), STR_ARG(cu_name(l->arena, d.type)));
        return false;
    }
    CuVal val = cu_convert(l, cu_assignment(l), cu_plain(l->arena, d.type), "this initial value");
    if (!l->panic && !is_written_constant(val.value))
        cu_unsupported(l, val.place, "a constant that is not known at compile time");
    *name = (CuName){.name = decl->name, .kind = NAME_CONSTANT, .val = val};
    return !l->panic;
}

bool cu_global(CuLower *l, const CuDecl *decl, CuName *name) {
    CuToken *at = l->at;
    const CuScope *scope = l->scope;
    CuDecl *busy = (CuDecl *)(uintptr_t)decl;
    if (decl->is_template) {
        cu_unsupported(l, decl->at->place, "the template '%.*s' in a kernel", STR_ARG(decl->name));
        return false;
    }
    if (decl->is_busy) {
        cu_bad(l, decl->at->place, "'%.*s' is made of itself", STR_ARG(decl->name));
        return false;
    }
    if (!cu_enter(l)) return false;
    l->scope = l->globals;
    l->at = decl->start;
    busy->is_busy = true;
    bool fine = decl->kind == CU_DECL_ENUMERATOR ? enumerator(l, decl, name)
                : decl->kind == CU_DECL_TYPE     ? global_type(l, decl, name)
                                                 : global_variable(l, decl, name);
    busy->is_busy = false;
    if (fine) cu_bind(l, *name); /* into the globals */
    l->scope = scope;
    l->at = at;
    l->nested--;
    return fine;
}
