// SPDX-License-Identifier: Apache-2.0
/* module: a file, and its kernels. */
#include "cuda/front.h"

#include <stdlib.h>

/* What a signature calls the number that a parameter points to; empty: no pointer to a number. */
static Str pointee_of(const CuType *type) {
    static const char *const names[NUM_CU_KINDS] = {
        [CU_BOOL] = "i1",    [CU_CHAR_TYPE] = "i8", [CU_SCHAR] = "i8",  [CU_UCHAR] = "u8",
        [CU_SHORT] = "i16",  [CU_USHORT] = "u16",   [CU_INT] = "i32",   [CU_UINT] = "u32",
        [CU_LONG] = "i64",   [CU_ULONG] = "u64",    [CU_LLONG] = "i64", [CU_ULLONG] = "u64",
        [CU_FLOAT] = "fp32", [CU_DOUBLE] = "fp64",  [CU_HALF] = "fp16", [CU_BFLOAT] = "bf16"};
    if (type->kind != CU_POINTER || !names[type->of->kind]) return STR("");
    return str_of(names[type->of->kind]);
}

static CuPiece piece_of(const CuLower *l, const CuPart *part) {
    const CuType *number = part->type->kind == CU_POINTER ? part->type->of : part->type;
    return (CuPiece){.name = part->name,
                     .pointee = pointee_of(part->type),
                     .type = cu_ir(l->fn->types, part->type),
                     .is_unsigned = cu_is_integer(number) && !cu_is_signed(number),
                     .offset = (int)part->offset,
                     .bytes = (int)cu_size(part->type)};
}

static bool describe_param(CuLower *l, const CuParamDecl *from, CuParam *param) {
    CuParts parts = {0};
    if (!from->type || from->is_reference || !cu_parts(l, from, &parts)) return false;
    CuPiece *pieces = arena_array(l->arena, CuPiece, parts.count + 1);
    for (int i = 0; i < parts.count; i++) pieces[i] = piece_of(l, &parts.data[i]);
    *param = (CuParam){from->name, cu_name(l->arena, from->type), (int)cu_size(from->type),
                       parts.count, pieces};
    return true;
}

bool cu_is_full(const CuDecl *decl) {
    return decl->special && decl->templates && cu_is(decl->templates->next, ">");
}

/* What can be read; what cannot is said when the kernel is compiled. */
static CuKernel described(Arena *arena, const CuModule *m, const CuModule **library,
                          const CuDecl *decl, const char *args) {
    Diag quiet = {.arena = arena, .muted = true};
    Func *scratch = func_new(arena, types_new(arena), decl->name);
    CuLower l = {.arena = arena, .diag = &quiet, .module = m, .library = *library, .fn = scratch};
    CuScope globals = {0};
    l.b = (Builder){.fn = scratch, .region = scratch->body};
    l.scope = l.globals = &globals;
    l.shared.arena = l.known.arena = l.unpacked.arena = l.texts.arena = arena;
    CuSignature signature = {0};
    CuKernel kernel = {.name = decl->name,
                       .span = cu_span(decl->at->place),
                       .is_template = decl->templates && !args && !cu_is_full(decl),
                       .decl = decl,
                       .args = args};
    if (args) kernel.name = str_format(arena, "%.*s%s", STR_ARG(decl->name), args);
    kernel.whole = cu_span(decl->start->place);
    Span end = decl->end->place.span; /* a macro may make several on one line */
    if (decl->start->place.span.source == end.source && end.start > kernel.whole.end)
        kernel.whole.end = end.start;
    const CuScope *scope = kernel.is_template ? NULL : cu_kernel_scope(&l, &kernel, &decl);
    bool known = scope && cu_signature(&l, decl, scope, &signature);
    *library = l.library; /* for the next one */
    CuParam *params = arena_array(arena, CuParam, signature.num_params + 1);
    for (int i = 0; known && i < signature.num_params; i++)
        known = describe_param(&l, &signature.params[i], &params[i]);
    kernel.num_params = known ? signature.num_params : 0;
    kernel.params = params;
    kernel.is_known = known;
    return kernel;
}

/* namespace cg = cooperative_groups; using namespace a; using b::f; also in functions. */
static void find_aliases(CuModule *m) {
    for (const CuToken *t = m->tokens; t->kind != CU_END; t = t->next) {
        if (cu_is(t, "namespace") && t->next->kind == CU_NAME && cu_is(t->next->next, "="))
            map_set(&m->namespaces, t->next->text, m);
        bool names_all = cu_is(t, "using") && cu_is(t->next, "namespace");
        for (const CuToken *u = t; cu_is(t, "using") && u->kind != CU_END && !cu_is(u, ";");
             u = u->next)
            if (u->kind == CU_NAME && (names_all || cu_is(u->next, ";")))
                map_set(&m->used, u->text, m);
    }
}

/* `a and not b` is `a && !b`, `__const__` GNU's const. */
static void respelled(CuToken *t) {
    static const char *const words[][2] = {{"and", "&&"},   {"or", "||"},     {"not", "!"},
                                           {"xor", "^"},    {"bitand", "&"},  {"bitor", "|"},
                                           {"compl", "~"},  {"not_eq", "!="}, {"and_eq", "&="},
                                           {"or_eq", "|="}, {"xor_eq", "^="}};
    if (cu_is(t, "__const__") || cu_is(t, "__const")) t->text = STR("const");
    for (int i = 0; i < COUNT(words) && t->kind == CU_NAME; i++)
        if (str_is(t->text, words[i][0])) t->kind = CU_PUNCT, t->text = str_of(words[i][1]);
}

/* __extension__ and [[maybe_unused]] say nothing here. */
static CuToken *without_attributes(CuToken *tokens) {
    CuToken first = {.next = tokens};
    for (CuToken *t = &first; t->next && t->next->kind != CU_END;) {
        CuToken *next = t->next;
        respelled(next);
        bool opens =
            cu_is(next, "[") && cu_is(next->next, "[") && next->next->next->kind == CU_NAME;
        CuToken *end = opens ? cu_skip(next) : next->next;
        if (opens || cu_is(next, "__extension__"))
            t->next = end;
        else
            t = next;
    }
    return first.next;
}

CuModule *cu_load(Arena *arena, const Source *source, Str path, const CuOptions *options,
                  Diag *diag) {
    CuModule *m = arena_new_of(arena, CuModule);
    *m = (CuModule){.arena = arena,
                    .libraries = arena_new_of(arena, CuLibraries),
                    .source = source,
                    .path = path};
    m->namespaces.arena = m->used.arena = arena;
    if (options) m->options = *options;
    m->tokens = cu_preprocess(arena, source, path, options, &m->headers, diag);
    if (!m->tokens) return NULL;
    m->tokens = without_attributes(m->tokens);
    cu_outline(m, &m->decls, m->tokens);
    find_aliases(m);
    const CuModule *library = NULL;
    for (int i = 0; i < m->decls.in_order.count; i++) {
        const CuDecl *decl = m->decls.in_order.data[i];
        if (decl->is_kernel && decl->body)
            vec_push(arena, &m->kernels, described(arena, m, &library, decl, NULL));
    }
    return m;
}

int cu_num_kernels(const CuModule *module) { return module->kernels.count; }

const CuKernel *cu_kernel(const CuModule *module, int index) {
    return &module->kernels.data[index];
}

typedef VEC(const CuKernel *) Kernels;

static int line_of(const CuKernel *kernel) {
    int line = 0, column;
    if (kernel->span.source)
        source_position(kernel->span.source, kernel->span.start, &line, &column);
    return line;
}

/* "k" names ns::k, too; "k@7" the one that line 7 names. */
static bool is_named(Arena *arena, const CuModule *m, const CuKernel *kernel, Str name) {
    for (int i = 0; i < name.length; i++)
        if (name.data[i] == '@' && atoi(name.data + i + 1) == line_of(kernel)) name.length = i;
    if (str_equal(kernel->name, name)) return true;
    Str full = cu_full_name(arena, m, kernel);
    int before = full.length - name.length;
    return before >= 0 && str_ends(full, str_c(arena, name)) &&
           (!before || full.data[before - 1] == ':');
}

Str cu_kernel_name(Arena *arena, const CuModule *m, const CuKernel *kernel) {
    int alike = 0, same = 0; /* in other namespaces; overloads */
    Str full = cu_full_name(arena, m, kernel);
    for (int i = 0; i < m->kernels.count; i++) {
        const CuKernel *other = &m->kernels.data[i];
        if (other->decl == kernel->decl || !str_equal(other->name, kernel->decl->name)) continue;
        alike++;
        same += str_equal(cu_full_name(arena, m, other), full);
    }
    if (!alike) return kernel->decl->name;
    return same ? str_format(arena, "%.*s@%d", STR_ARG(full), line_of(kernel)) : full;
}

/* Of several of one name none is meant more than another, but one outside of all namespaces. */
static const CuKernel *only_one(Arena *arena, const CuModule *m, const Kernels *found, Str name,
                                Diag *diag) {
    int same = 0;
    const CuKernel *best = found->count ? found->data[0] : NULL;
    for (int i = 0; i < found->count; i++)
        if (str_equal(cu_full_name(arena, m, found->data[i]), name)) best = found->data[i], same++;
    if (found->count < 2 || same == 1) return best;
    cu_error(diag, best->decl->at->place, "there are %d kernels '%.*s'", found->count,
             STR_ARG(name));
    for (int i = 0; i < found->count; i++)
        diag_note(diag, found->data[i]->span, "'%.*s' is one of them",
                  STR_ARG(cu_kernel_name(arena, m, found->data[i])));
    return NULL;
}

const CuKernel *cu_find_kernel(Arena *arena, const CuModule *module, const char *name, Diag *diag) {
    Str word = {name, (int)strcspn(name, "<")};
    bool has_args = name[word.length] != 0;
    Kernels alike = {0}, others = {0}; /* others: templates without arguments, or the reverse */
    for (int i = 0; i < module->kernels.count; i++) {
        const CuKernel *kernel = &module->kernels.data[i];
        if (is_named(arena, module, kernel, word))
            vec_push(arena, kernel->is_template == has_args ? &alike : &others, kernel);
    }
    for (int i = 0; has_args && alike.count && i < others.count;
         i++) /* which one is C++'s to say */
        if (cu_is_full(others.data[i]->decl)) vec_push(arena, &alike, others.data[i]);
    if (!alike.count && others.count) {
        const CuKernel *other = others.data[0];
        cu_error(diag, other->decl->at->place,
                 has_args ? "kernel '%.*s' is no template" : "kernel '%.*s' is a template",
                 STR_ARG(other->name));
        if (!has_args)
            diag_help(diag, other->span, "name it with its arguments: '%.*s<..>'", STR_ARG(word));
        return NULL;
    }
    const CuKernel *best = only_one(arena, module, &alike, word, diag);
    if (!best || !has_args) return best;
    const CuModule *library = NULL;
    CuKernel *made = arena_new_of(arena, CuKernel);
    Str args = str_copy(arena, str_of(name + word.length));
    *made = described(arena, module, &library, best->decl, args.data);
    return made;
}
