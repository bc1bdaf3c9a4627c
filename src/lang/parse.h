// SPDX-License-Identifier: Apache-2.0
/* parse: what the files of the parser share. Recursive descent; an error leaves the statement at
 * the top level by longjmp, so that the functions here either return a whole tree or not at all. */
#ifndef TERN_PARSE_H
#define TERN_PARSE_H

#include "lang/ast.h"
#include "lang/lex.h"

typedef VEC(Expr *) Exprs;
typedef VEC(Stmt *) Stmts;

typedef struct Parser {
    Arena *arena;
    const Source *source;
    Lexer lexer;
    Token token;  /* not consumed yet */
    int last_end; /* of the token before it */
    int code_end; /* of the last one that was not a newline or indentation */
    int depth;    /* of expressions */
    bool in_function, in_loop, in_async;
    jmp_buf *failed;
    Str complaint;
    Span complaint_span;
} Parser;

/* ---- parse.c ---- */

void advance(Parser *p);
bool at(const Parser *p, TokenKind kind);
bool take_if(Parser *p, TokenKind kind);
void expect(Parser *p, TokenKind kind, const char *where); /* "after 'if' condition" */
bool at_word(const Parser *p, const char *word);           /* a soft keyword */
Str expect_name(Parser *p, const char *what);
Str token_str(const Parser *p, Token token);
Span span_from(const Parser *p, int start); /* to the end of the last token */
Span token_span(const Parser *p);
_Noreturn void parse_fail(Parser *p, Span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void unexpected(Parser *p, const char *what); /* "expected WHAT, saw .." */

/* ---- parse_expr.c ---- */

Expr *expr_new(Parser *p, ExprKind kind, int start);
Expr *expr_done(Parser *p, Expr *expr); /* its span ends here; checks the height */
Expr *parse_named(Parser *p);           /* with := */
Expr *parse_test(Parser *p);            /* ternary, lambda, or .. */
Expr *parse_or_test(Parser *p);         /* without ternary and lambda */
Expr *parse_binary(Parser *p);          /* | and what binds tighter */
Expr *parse_arithmetic(Parser *p);      /* + - and what binds tighter */
Expr *parse_tests(Parser *p);           /* a, *b, c: a tuple when there is a comma */
Expr *parse_subject(Parser *p);         /* as parse_tests, with := */
Expr *parse_value(Parser *p);           /* of an assignment: parse_tests or yield */
Expr *parse_targets(Parser *p);         /* of for and del: a, b.c, *d */
Expr *parse_star_or_named(Parser *p);
void check_target(Parser *p, const Expr *expr, const char *how); /* "assign to" */
void set_items(Expr *expr, const Exprs *items);

/* ---- parse_atom.c ---- */

Expr *parse_primary(Parser *p); /* an atom with its calls, attributes, subscripts */
void parse_call_args(Parser *p, int *num_args, Argument **args); /* after '(', takes the ')' */

/* ---- parse_string.c ---- */

Expr *parse_strings(Parser *p);

/* ---- parse_def.c ---- */

Expr *parse_lambda(Parser *p);
Stmt *parse_def(Parser *p, int num_decorators, Expr **decorators, bool is_async);
Stmt *parse_class(Parser *p, int num_decorators, Expr **decorators);
void parse_type_params(Parser *p);

/* ---- parse_stmt.c, parse_block.c ---- */

Stmt *stmt_new(Parser *p, StmtKind kind, int start);
void parse_simple_line(Parser *p, Stmts *stmts);
void parse_statement(Parser *p, Stmts *stmts);
/* ':' and what follows; `header` (or NULL) is made to end with the ':'. */
Block parse_block(Parser *p, const char *after, Span *header);
bool at_match(const Parser *p); /* 'match' that is not just a name */
Stmt *parse_match(Parser *p);

#endif
