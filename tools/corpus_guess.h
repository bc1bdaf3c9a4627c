// SPDX-License-Identifier: Apache-2.0
/* corpus_guess: what a kernel's parameters might be, read from how the kernel and the file use
 * them.
 *
 * A pointer is what is loaded from, here or in a function that gets it; a descriptor has .load;
 * what is compared with 'text' is a string. The rest comes from names (BLOCK_M, eps) and from the
 * file: values at a launch, defaults, what a test is parametrised with. Each parameter gets a list
 * of candidates, likeliest first; corpus.c searches among them. */
#ifndef TERN_CORPUS_GUESS_H
#define TERN_CORPUS_GUESS_H

#include "lang/lang.h"

typedef struct Candidates {
    int count, chosen;
    const char *texts[96];
} Candidates;

typedef struct Evidence {              /* of one function of the file */
    Map pointers, descriptors, tuples; /* names -> 1 */
    Map literals;                      /* name -> Literals: compared with */
} Evidence;

typedef struct Literals {
    int count;
    const char *texts[16];
} Literals;

typedef struct Guesser {
    Arena *arena;
    Module *module;
    Evidence *functions; /* of each jit function of the file */
    Map values;          /* name -> Literals: what the file gives that name */
    const JitFunction *function;
    Evidence *evidence;
    Literals *launched; /* per parameter of the function at work; or NULL */
    bool changed;
} Guesser;

static bool contains(Str s, const char *part) {
    int n = (int)strlen(part);
    for (int i = 0; i + n <= s.length; i++)
        if (!strncasecmp(s.data + i, part, (size_t)n)) return true;
    return false;
}

static bool contains_any(Str name, const char *const *parts, int count) {
    for (int i = 0; i < count; i++)
        if (contains(name, parts[i])) return true;
    return false;
}

static void mark(Guesser *g, Map *map, Str name) {
    if (map_get(map, name)) return;
    map_set(map, name, (void *)(uintptr_t)1);
    g->changed = true;
}

static void add_text(Literals *list, const char *text) {
    for (int i = 0; i < list->count; i++)
        if (!strcmp(list->texts[i], text)) return;
    if (list->count < COUNT(list->texts)) list->texts[list->count++] = text;
}

static void add_literal(Guesser *g, Map *map, Str name, const char *text) {
    Literals *list = map_get(map, name);
    if (!list) map_set(map, name, list = arena_new_of(g->arena, Literals));
    add_text(list, text);
}

/* As in the signature: 64, "ieee", None, fp16; NULL for what is no literal. */
static const char *literal_text(Guesser *g, const Expr *e) {
    static const char *const dtypes[] = {"float32", "float16", "bfloat16", "float64",
                                         "int8",    "int32",   "int64",    "uint8"};
    switch ((int)e->kind) {
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_STRING:
        return str_c(g->arena,
                     (Str){e->span.source->text.data + e->span.start, e->span.end - e->span.start});
    case EXPR_TRUE: return "True";
    case EXPR_FALSE: return "False";
    case EXPR_NONE: return "None";
    case EXPR_ATTRIBUTE:
        for (int i = 0; i < COUNT(dtypes); i++)
            if (str_is(e->text, dtypes[i])) return dtypes[i];
        return NULL;
    default: return NULL;
    }
}

/* ---- inside jit functions ---- */

/* The base of an address: the leftmost name of a sum; p + i * s, (p + i)[:, None], p.to(..). */
static void mark_base(Guesser *g, const Expr *e) {
    while (e) {
        if (e->kind == EXPR_NAME) {
            mark(g, &g->evidence->pointers, e->text);
            return;
        }
        bool product_first =
            e->kind == EXPR_BINARY && e->left->kind == EXPR_BINARY && e->left->op == OPERATOR_MUL;
        if (e->kind == EXPR_TERNARY && e->right) mark_base(g, e->right);
        if (product_first)
            e = e->right;
        else if (e->kind == EXPR_BINARY || e->kind == EXPR_SUBSCRIPT || e->kind == EXPR_TERNARY ||
                 e->kind == EXPR_ATTRIBUTE || e->kind == EXPR_CALL) {
            bool is_module = e->kind == EXPR_ATTRIBUTE && e->left->kind == EXPR_NAME &&
                             str_is(e->left->text, "tl");
            if (is_module) return;
            if (e->kind == EXPR_CALL && e->num_args && e->left->kind == EXPR_ATTRIBUTE &&
                str_is(e->left->text, "multiple_of"))
                e = e->args[0].value; /* tl.multiple_of(p, 16) */
            else
                e = e->left;
        } else
            return;
    }
}

static bool takes_address(Str function) {
    static const char *const names[] = {"load",
                                        "store",
                                        "make_block_ptr",
                                        "make_tensor_descriptor",
                                        "atomic_add",
                                        "atomic_max",
                                        "atomic_min",
                                        "atomic_cas",
                                        "atomic_xchg",
                                        "atomic_and",
                                        "atomic_or",
                                        "atomic_xor",
                                        "_experimental_make_tensor_descriptor"};
    for (int i = 0; i < COUNT(names); i++)
        if (str_is(function, names[i])) return true;
    return false;
}

static int function_index(const Guesser *g, Str name) {
    for (int i = 0; i < module_num_functions(g->module); i++)
        if (str_equal(module_function(g->module, i)->name, name)) return i;
    return -1;
}

/* f(a, b) of another function of the file: its pointers are pointers here. */
static void visit_jit_call(Guesser *g, const Expr *call) {
    int index = call->left->kind == EXPR_NAME ? function_index(g, call->left->text) : -1;
    if (index < 0) return;
    const JitFunction *callee = module_function(g->module, index);
    for (int i = 0; i < call->num_args; i++) {
        int param = call->args[i].name.length ? -1 : i;
        for (int k = 0; k < callee->num_params && param < 0; k++)
            if (str_equal(callee->params[k].name, call->args[i].name)) param = k;
        if (param < 0 || param >= callee->num_params) continue;
        Str name = callee->params[param].name;
        const Expr *value = call->args[i].value;
        if (map_get(&g->functions[index].pointers, name)) mark_base(g, value);
        if (value->kind == EXPR_NAME && map_get(&g->functions[index].descriptors, name))
            mark(g, &g->evidence->descriptors, value->text);
        if (value->kind == EXPR_NAME && map_get(&g->functions[index].tuples, name))
            mark(g, &g->evidence->tuples, value->text);
    }
}

static void visit_call(Guesser *g, const Expr *e) {
    const Expr *callee = e->left;
    visit_jit_call(g, e);
    if (callee->kind != EXPR_ATTRIBUTE) return;
    const Expr *self = callee->left;
    bool of_module =
        self->kind != EXPR_NAME || str_is(self->text, "tl") || str_is(self->text, "language");
    bool is_access = str_is(callee->text, "load") || str_is(callee->text, "store") ||
                     str_is(callee->text, "gather");
    if (is_access && !of_module) mark(g, &g->evidence->descriptors, self->text);
    if (contains(callee->text, "experimental_descriptor") && e->num_args &&
        e->args[0].value->kind == EXPR_NAME)
        mark(g, &g->evidence->descriptors, e->args[0].value->text);
    if (!takes_address(callee->text) || !of_module) return;
    for (int i = 0; i < e->num_args; i++)
        if (i == 0 ? e->args[0].name.length == 0 || str_is(e->args[0].name, "base")
                   : str_is(e->args[i].name, "base") || str_is(e->args[i].name, "pointer"))
            mark_base(g, e->args[i].value);
}

static void visit_expr(Guesser *g, const Expr *e) {
    if (!e) return;
    if (e->kind == EXPR_CALL) visit_call(g, e);
    if (e->kind == EXPR_COMPARE && e->left->kind == EXPR_NAME)
        for (int i = 0; i < e->num_items; i++)
            if (literal_text(g, e->items[i]))
                add_literal(g, &g->evidence->literals, e->left->text, literal_text(g, e->items[i]));
    bool indexed = e->kind == EXPR_SUBSCRIPT && e->left->kind == EXPR_NAME && e->right &&
                   e->right->kind == EXPR_INT;
    if (indexed) mark(g, &g->evidence->tuples, e->left->text);
    visit_expr(g, e->left);
    visit_expr(g, e->right);
    visit_expr(g, e->condition);
    for (int i = 0; i < e->num_items; i++) visit_expr(g, e->items[i]);
    for (int i = 0; i < e->num_args; i++) visit_expr(g, e->args[i].value);
}

static void visit_block(Guesser *g, Block block) {
    for (int i = 0; i < block.count; i++) {
        const Stmt *s = block.stmts[i];
        bool is_alias =
            s->kind == STMT_ASSIGN && s->num_targets && s->targets[0]->kind == EXPR_NAME;
        if (is_alias && map_get(&g->evidence->pointers, s->targets[0]->text))
            mark_base(g, s->value);
        if (is_alias && s->value->kind == EXPR_NAME &&
            map_get(&g->evidence->descriptors, s->targets[0]->text))
            mark(g, &g->evidence->descriptors, s->value->text);
        if (s->kind == STMT_ASSIGN && s->num_targets && s->targets[0]->kind == EXPR_TUPLE &&
            s->value->kind == EXPR_NAME)
            mark(g, &g->evidence->tuples, s->value->text);
        visit_expr(g, s->value);
        for (int k = 0; k < s->num_targets; k++) visit_expr(g, s->targets[k]);
        visit_block(g, s->body);
        visit_block(g, s->orelse);
    }
}

/* ---- the rest of the file ---- */

/* parametrize("M, N", [(1, 2), ..]): the names get the values of each row. */
static void visit_parametrize(Guesser *g, const Expr *call) {
    if (call->num_args < 2 || call->args[0].value->kind != EXPR_STRING) return;
    const Expr *rows = call->args[1].value;
    if (rows->kind != EXPR_LIST && rows->kind != EXPR_TUPLE) return;
    Str names = call->args[0].value->text;
    for (int at = 0, column = 0; at < names.length; column++) {
        int start = at;
        while (at < names.length && names.data[at] != ',') at++;
        Str name = {names.data + start, at - start};
        at++;
        while (name.length && name.data[0] == ' ') name.data++, name.length--;
        while (name.length && name.data[name.length - 1] == ' ') name.length--;
        for (int i = 0; i < rows->num_items && i < 8; i++) {
            const Expr *row = rows->items[i];
            bool is_row = row->kind == EXPR_TUPLE || row->kind == EXPR_LIST;
            const Expr *value =
                is_row ? (column < row->num_items ? row->items[column] : NULL) : row;
            if (value && literal_text(g, value))
                add_literal(g, &g->values, name, literal_text(g, value));
        }
    }
}

static void gather_launch(Guesser *g, const Expr *call) {
    const Expr *callee = call->left->left;
    bool is_mine = (callee->kind == EXPR_NAME || callee->kind == EXPR_ATTRIBUTE) &&
                   str_equal(callee->text, g->function->name);
    for (int i = 0; is_mine && i < call->num_args; i++) {
        int param = call->args[i].name.length || call->args[i].stars ? -1 : i;
        for (int k = 0; k < g->function->num_params && param < 0; k++)
            if (str_equal(g->function->params[k].name, call->args[i].name)) param = k;
        if (param < 0 || param >= g->function->num_params || !g->launched) continue;
        const Expr *value = call->args[i].value;
        const char *text = literal_text(g, value);
        if (text) add_text(&g->launched[param], text);
        bool is_name = value->kind == EXPR_NAME;
        if (is_name && function_index(g, value->text) >= 0)
            add_text(&g->launched[param], str_c(g->arena, value->text));
        Literals *known = is_name ? map_get(&g->values, value->text) : NULL;
        for (int k = 0; known && k < known->count; k++)
            add_text(&g->launched[param], known->texts[k]);
    }
}

static void gather_expr(Guesser *g, const Expr *e) {
    if (!e) return;
    if (e->kind == EXPR_CALL && e->left->kind == EXPR_ATTRIBUTE &&
        str_is(e->left->text, "parametrize") && !g->function)
        visit_parametrize(g, e);
    if (e->kind == EXPR_CALL && !g->function)
        for (int i = 0; i < e->num_args; i++)
            if (e->args[i].name.length && literal_text(g, e->args[i].value))
                add_literal(g, &g->values, e->args[i].name, literal_text(g, e->args[i].value));
    if (e->kind == EXPR_CALL && g->function && e->left->kind == EXPR_SUBSCRIPT) gather_launch(g, e);
    gather_expr(g, e->left);
    gather_expr(g, e->right);
    gather_expr(g, e->condition);
    for (int i = 0; i < e->num_items; i++) gather_expr(g, e->items[i]);
    for (int i = 0; i < e->num_args; i++) gather_expr(g, e->args[i].value);
}

/* With no function at work: values of names. With one: what its launches pass. */
static void gather_block(Guesser *g, Block block) {
    for (int i = 0; i < block.count; i++) {
        const Stmt *s = block.stmts[i];
        if (s->kind == STMT_ASSIGN && !g->function && s->num_targets &&
            s->targets[0]->kind == EXPR_NAME && literal_text(g, s->value))
            add_literal(g, &g->values, s->targets[0]->text, literal_text(g, s->value));
        gather_expr(g, s->value);
        for (int k = 0; k < s->num_items; k++) gather_expr(g, s->items[k].value);
        for (int k = 0; k < s->num_decorators; k++) gather_expr(g, s->decorators[k]);
        if (s->function) {
            for (int k = 0; k < s->function->num_decorators; k++)
                gather_expr(g, s->function->decorators[k]);
            for (int k = 0; k < s->function->num_params && !g->function; k++) {
                const ParamDef *p = &s->function->params[k];
                const char *text = p->default_value ? literal_text(g, p->default_value) : NULL;
                if (text) add_literal(g, &g->values, p->name, text);
            }
            gather_block(g, s->function->body);
        }
        gather_block(g, s->body);
        gather_block(g, s->orelse);
        gather_block(g, s->finally);
    }
}

static Guesser *guesser_new(Arena *arena, Module *module) {
    Guesser *g = arena_new_of(arena, Guesser);
    int count = module_num_functions(module);
    g->arena = arena, g->module = module, g->values.arena = arena;
    g->functions = arena_array(arena, Evidence, count);
    gather_block(g, module_ast(module)->body);
    for (int i = 0; i < count; i++)
        g->functions[i].pointers.arena = g->functions[i].descriptors.arena =
            g->functions[i].tuples.arena = g->functions[i].literals.arena = arena;
    g->changed = true;
    for (int round = 0; g->changed && round < 12; round++) {
        g->changed = false;
        for (int i = 0; i < count; i++) {
            g->evidence = &g->functions[i];
            visit_block(g, module_function(module, i)->def->body);
        }
    }
    return g;
}

/* ---- candidates ---- */

static void propose(Candidates *c, const char *text) {
    for (int i = 0; i < c->count; i++)
        if (!strcmp(c->texts[i], text)) return;
    if (c->count < COUNT(c->texts)) c->texts[c->count++] = text;
}

static void propose_all(Candidates *c, const char *const *texts, int count) {
    for (int i = 0; i < count; i++) propose(c, texts[i]);
}

static bool looks_like_index(Str name) {
    static const char *const parts[] = {"idx",      "index",  "indices", "label", "target",
                                        "seqlen",   "offset", "lock",    "count", "table",
                                        "token_id", "expert", "hist",    "pos"};
    return contains_any(name, parts, COUNT(parts));
}

static bool looks_like_block(Str name) {
    static const char *const parts[] = {"block", "tile", "size", "dim"};
    return contains_any(name, parts, COUNT(parts)) || (name.length <= 3 && name.data[0] == 'B');
}

static bool looks_like_flag(Str name) {
    static const char *const parts[] = {
        "has_",    "use_",  "is_",    "with_",  "even_",   "do_",       "return_", "store_",
        "output_", "allow", "enable", "causal", "reverse", "transpose", "save",    "apply"};
    return contains_any(name, parts, COUNT(parts));
}

static bool looks_like_float(Str name) {
    static const char *const parts[] = {"eps",      "scale",     "alpha",       "beta",    "lambda",
                                        "prob",     "dropout_p", "temperature", "softcap", "gamma",
                                        "momentum", "slope",     "value"};
    return contains_any(name, parts, COUNT(parts)) || str_is(name, "p");
}

static void propose_constants(const Guesser *g, const JitParam *param, Candidates *c,
                              const Literals *launched) {
    static const char *const sizes[] = {"64", "32", "16", "128"},
                             *const flags[] = {"False", "True"}, *const numbers[] = {"2",    "1",
                                                                                     "4",    "8",
                                                                                     "3",    "16",
                                                                                     "64",   "32",
                                                                                     "128",  "256",
                                                                                     "1024", "0"},
                             *const others[] = {"False",    "True",       "None",   "float32",
                                                "float16",  "bfloat16",   "int32",  "int64",
                                                "uint8",    "float8e4nv", "1.0",    "\"\"",
                                                "\"ieee\"", "(64, 64)",   "(2, 2)", "(64,)",
                                                "(0, 1)",   "(1, 2)",     "()",     "[2, 2]"};
    Str name = param->name;
    const Literals *compared = map_get(&g->evidence->literals, name),
                   *known = map_get(&g->values, name);
    bool is_size = looks_like_block(name);
    if (launched) propose_all(c, launched->texts, launched->count);
    if (contains(name, "dtype") || contains(name, "type"))
        propose(c, "float32"), propose(c, "float16");
    else if (contains(name, "activation"))
        propose(c, "\"\"");
    else if (contains(name, "precision"))
        propose(c, "\"ieee\"");
    else if (looks_like_flag(name))
        propose_all(c, flags, 2);
    else if (is_size)
        propose_all(c, sizes, COUNT(sizes));
    else if (looks_like_float(name))
        propose(c, "1.0");
    if (compared) propose_all(c, compared->texts, compared->count);
    if (known) propose_all(c, known->texts, known->count);
    propose_all(c, numbers, COUNT(numbers));
    propose_all(c, others, COUNT(others));
    for (int i = 0; i < module_num_functions(g->module) && i < 12; i++)
        propose(c, str_c(g->arena, module_function(g->module, i)->name));
}

static void propose_types(const Guesser *g, const JitParam *param, Candidates *c,
                          const Literals *launched) {
    static const char
        *const pointers[] = {"*fp32:16", "*fp16:16", "*bf16:16",    "*i32:16", "*i64:16",
                             "*u8:16",   "*i8:16",   "*fp8e4nv:16", "*u32:16", "*fp64:16",
                             "*i1:16",   "None",     "**i32",       "*i16:16"},
               *const scalars[] = {"i32:16", "fp32", "i64", "u32",  "1",   "i1",
                                   "fp16",   "u8",   "u64", "None", "fp64"},
               *const descriptors[] = {"tensordesc<fp16[64,64]>",    "tensordesc<fp32[64,64]>",
                                       "tensordesc<fp16[64,32]>",    "tensordesc<fp16[32,64]>",
                                       "tensordesc<fp16[64]>",       "tensordesc<fp16[1,64,64]>",
                                       "tensordesc<fp16[1,64]>",     "tensordesc<fp16[16,16]>",
                                       "tensordesc<fp16[128,64]>",   "tensordesc<fp8e4nv[64,64]>",
                                       "tensordesc<u8[64,32]>",      "tensordesc<u8[1,1,1,2,256]>",
                                       "tensordesc<fp16[1,1,64,64]>"},
               *const tuples[] = {"(i32,i32)",         "(i32,i32,i32)",   "(*fp32,*fp32)",
                                  "(*fp32,i32)",       "(i32,)",          "()",
                                  "(*fp32,)",          "(i32,(i32,i32))", "(*fp32,*fp32,*fp32)",
                                  "(i32,i32,i32,i32)", "(*fp32,*i32,i32)"};
    Str name = param->name;
    bool is_stride = contains(name, "stride"),
         is_named_pointer = !is_stride && contains(name, "ptr");
    bool is_pointer = map_get(&g->evidence->pointers, name) || is_named_pointer,
         is_descriptor = map_get(&g->evidence->descriptors, name);
    bool is_float = looks_like_float(name) && !is_stride;
    for (int i = 0; launched && i < launched->count && !is_pointer; i++)
        if (!strcmp(launched->texts[i], "True") || !strcmp(launched->texts[i], "False"))
            propose(c, "i1");
        else if (strchr(launched->texts[i], '.') && !strchr(launched->texts[i], '"'))
            is_float = true;
    if (is_descriptor && (!is_pointer || is_named_pointer))
        propose_all(c, descriptors, COUNT(descriptors));
    if (map_get(&g->evidence->tuples, name) && !is_pointer) propose_all(c, tuples, COUNT(tuples));
    if (is_pointer && looks_like_index(name)) propose(c, "*i32:16");
    if (is_pointer) propose_all(c, pointers, COUNT(pointers));
    if (is_float) propose(c, "fp32");
    propose_all(c, scalars, COUNT(scalars));
    propose_all(c, pointers, COUNT(pointers));
    propose_all(c, descriptors, 3);
    propose_all(c, tuples, COUNT(tuples));
}

/* For each parameter; a count of 0 leaves it to its default. */
static Candidates *guesser_candidates(Guesser *g, int index) {
    g->function = module_function(g->module, index);
    g->evidence = &g->functions[index];
    Candidates *all = arena_array(g->arena, Candidates, g->function->num_params + 1);
    g->launched = arena_array(g->arena, Literals, g->function->num_params + 1);
    gather_block(g, module_ast(g->module)->body);
    for (int i = 0; i < g->function->num_params; i++) {
        const JitParam *param = &g->function->params[i];
        if (param->has_default) propose(&all[i], "");
        if (param->is_constexpr)
            propose_constants(g, param, &all[i], &g->launched[i]);
        else
            propose_types(g, param, &all[i], &g->launched[i]);
    }
    return all;
}

#endif
