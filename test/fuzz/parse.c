// SPDX-License-Identifier: Apache-2.0
/* Feeds broken Python to the parser and to what works on its trees without lowering: every name of
 * the file is evaluated, every kernel's configs are asked for, and the text is also taken for a
 * signature and for an expression. Beyond crashes, promises of ast.h are checked. */
#include "fuzz.h"
#include "lang/evaluate.h"

const char *const fuzz_globs[] = {"test/lang/syntax/*.py", "test/lang/kernels/*.py", "kernels/*.py",
                                  NULL};
const char *const fuzz_tokens[] = {"(",
                                   ")",
                                   "[",
                                   "]",
                                   "{",
                                   "}",
                                   ":",
                                   ",",
                                   ";",
                                   "\n    ",
                                   "\n\t",
                                   "\n",
                                   "\r\n",
                                   "\f",
                                   "\\\n",
                                   "@triton.jit\n",
                                   "def f(",
                                   "class A(",
                                   "if ",
                                   "elif x:",
                                   "else:",
                                   "for i in ",
                                   "while ",
                                   "try:",
                                   "except ",
                                   "finally:",
                                   "with ",
                                   "async ",
                                   "await ",
                                   "yield ",
                                   "lambda ",
                                   "match x:\n case ",
                                   "type X = ",
                                   "return ",
                                   "not ",
                                   "in ",
                                   "is ",
                                   "f'{",
                                   "}'",
                                   "f\"\"\"{x:{",
                                   "'",
                                   "\"",
                                   "\"\"\"",
                                   "rb'",
                                   "\\N{",
                                   "\\x4",
                                   "!r",
                                   ":=",
                                   "**",
                                   "//=",
                                   "->",
                                   "...",
                                   "0x",
                                   "1e999",
                                   "1__",
                                   "9j",
                                   "#",
                                   "\xc3\xa9",
                                   "\xe2\x80\x9c",
                                   "\xff",
                                   "import a.b as ",
                                   "from . import ",
                                   "*",
                                   "triton.Config({",
                                   "configs=",
                                   "range(",
                                   ".append(",
                                   "2**",
                                   "<<",
                                   "[0]*",
                                   "'%s'%",
                                   " = ",
                                   " += ",
                                   "X",
                                   "A",
                                   NULL};

static void check(bool promise, const char *words) {
    if (promise) return;
    fprintf(stderr, "broken promise: %s\n", words);
    abort();
}

static void check_expr(const Expr *expr, int depth) {
    if (!expr) return;
    check(expr->height <= MAX_EXPR_HEIGHT && depth <= MAX_EXPR_HEIGHT,
          "the tree is as high as it says");
    check(expr->span.start >= 0 && expr->span.start <= expr->span.end &&
              expr->span.end <= expr->span.source->text.length,
          "the span is inside the source");
    check_expr(expr->left, depth + 1), check_expr(expr->right, depth + 1),
        check_expr(expr->condition, depth + 1);
    for (int i = 0; i < expr->num_items; i++) check_expr(expr->items[i], depth + 1);
    for (int i = 0; i < expr->num_args; i++) check_expr(expr->args[i].value, depth + 1);
}

static void check_block(const Block *block) {
    int last = 0;
    for (int i = 0; i < block->count; i++) {
        const Stmt *stmt = block->stmts[i];
        check(stmt->span.start >= last && stmt->span.start <= stmt->span.end,
              "statements are in order");
        last = stmt->span.start;
        check_expr(stmt->value, 0);
        for (int k = 0; k < stmt->num_targets; k++) check_expr(stmt->targets[k], 0);
        if (stmt->function) check_block(&stmt->function->body);
        check_block(&stmt->body), check_block(&stmt->orelse), check_block(&stmt->finally);
    }
}

static void evaluate_names(Arena *arena, Module *module, const Block *body) {
    for (int i = 0; i < body->count && i < 40; i++) {
        const Stmt *stmt = body->stmts[i];
        if (stmt->kind != STMT_ASSIGN || stmt->targets[0]->kind != EXPR_NAME) continue;
        Diag diag = {.arena = arena};
        Object *value = module_lookup(arena, module, stmt->targets[0]->text, &diag);
        Buf text = {.arena = arena};
        if (value) object_repr(&text, value);
    }
}

static void fuzz_one(const char *data, size_t size) {
    Arena *arena = arena_new(NULL);
    Source *source = source_new(arena, STR("fuzz.py"), (Str){data, (int)size});
    Diag diag = {.arena = arena}, quiet = {.arena = arena};
    Ast *ast = ast_parse(arena, source, &diag);
    Buf out = {.arena = arena};
    check_block(&ast->body);
    ast_print(&out, ast);
    if (size < 2000) ast_parse_expr(arena, source, &quiet);
    Module *module = module_load(arena, source, (Str){0}, &(LangOptions){0}, &diag);
    if (module) evaluate_names(arena, module, &ast->body);
    for (int i = 0; module && i < module_num_functions(module) && i < 8; i++) {
        const JitFunction *function = module_function(module, i);
        Config *configs;
        Spec *specs = arena_array(arena, Spec, function->num_params + 1);
        function_configs(arena, module, function, &quiet, &configs);
        signature_parse(arena, function, source, &quiet, specs);
        function_heuristics(arena, module, function, NULL, 0, specs, &quiet);
    }
    diag_print(&diag, true, &out);
    arena_free(arena);
}
