// SPDX-License-Identifier: Apache-2.0
/* ast: a whole Python file as a tree, host code included. Made by parse.c; nothing is checked
 * beyond syntax. A top-level statement that does not parse becomes STMT_ERROR, whose complaint is
 * raised only when a kernel needs what it might have defined (or when it holds the kernel). */
#ifndef TERN_AST_H
#define TERN_AST_H

#include "base/base.h"
#include "base/diag.h"

enum { MAX_SOURCE_BYTES = 16 << 20 }; /* of one file or text, read, imported or parsed */

typedef enum ExprKind {
    EXPR_NAME,      /* text */
    EXPR_INT,       /* text: digits as written; value in `integer` when it fits, else too_large */
    EXPR_FLOAT,     /* number */
    EXPR_IMAGINARY, /* host only */
    EXPR_STRING,    /* text: decoded, adjacent literals joined */
    EXPR_BYTES,     /* host only */
    EXPR_FSTRING,   /* items: EXPR_STRING and EXPR_FORMAT */
    EXPR_FORMAT,    /* left: the value; text: conversion and format spec as written ("!r:>{w}"), or
                     * empty; items: the spec's parts, EXPR_STRING and EXPR_FORMAT */
    EXPR_TRUE,
    EXPR_FALSE,
    EXPR_NONE,
    EXPR_ELLIPSIS,
    EXPR_TUPLE,
    EXPR_LIST,
    EXPR_SET,     /* items; an item may be EXPR_STARRED */
    EXPR_DICT,    /* items: key, value, key, value..; key NULL: **value */
    EXPR_UNARY,   /* operator, left */
    EXPR_BINARY,  /* left operator right */
    EXPR_COMPARE, /* left; then operators[i] items[i]: a < b < c has two */
    EXPR_AND,
    EXPR_OR,            /* items, two or more */
    EXPR_NOT,           /* left */
    EXPR_TERNARY,       /* left if condition else right */
    EXPR_CALL,          /* left(args) */
    EXPR_ATTRIBUTE,     /* left.text */
    EXPR_SUBSCRIPT,     /* left[right]; a[i, :] has an EXPR_TUPLE on the right */
    EXPR_SLICE,         /* left:right:condition, each may be NULL */
    EXPR_STARRED,       /* *left */
    EXPR_LAMBDA,        /* function */
    EXPR_COMPREHENSION, /* left for clauses; text: "list", "set", "dict" (then right is the value)
                           or "generator" */
    EXPR_WALRUS,        /* text := left */
    EXPR_AWAIT,
    EXPR_YIELD,  /* host only; left may be NULL; text: "from" of yield from */
    EXPR_ABSENT, /* of newer Pythons, without a meaning here: refused where it is evaluated */
} ExprKind;

typedef enum Operator {
    OPERATOR_ADD,
    OPERATOR_SUB,
    OPERATOR_MUL,
    OPERATOR_DIV,
    OPERATOR_FLOORDIV,
    OPERATOR_MOD,
    OPERATOR_POW,
    OPERATOR_MATMUL,
    OPERATOR_SHL,
    OPERATOR_SHR,
    OPERATOR_AND,
    OPERATOR_OR,
    OPERATOR_XOR,
    OPERATOR_LT,
    OPERATOR_LE,
    OPERATOR_GT,
    OPERATOR_GE,
    OPERATOR_EQ,
    OPERATOR_NE,
    OPERATOR_IS,
    OPERATOR_IS_NOT,
    OPERATOR_IN,
    OPERATOR_NOT_IN,
    OPERATOR_NEG,
    OPERATOR_POS,
    OPERATOR_INVERT,
} Operator;

const char *operator_text(Operator op); /* "+" */

enum {
    MAX_EXPR_DEPTH = 200,   /* brackets, lambdas, unary operators .. inside each other */
    MAX_EXPR_HEIGHT = 1000, /* also counts chains: a + b + c .., a.b.c .. */
    MAX_ELIFS = 1000,
};

struct Slots; /* module.h */
typedef struct Expr Expr;
typedef struct Stmt Stmt;
typedef struct FunctionDef FunctionDef;

typedef struct Argument { /* of a call or of class bases */
    Str name;             /* empty: positional */
    int stars;            /* 1: *value, 2: **value */
    Expr *value;
    Span span;
} Argument;

typedef struct Clause { /* of a comprehension: for target in iterable if conditions */
    Expr *target, *iterable;
    int num_conditions;
    Expr **conditions;
} Clause;

struct Expr {
    ExprKind kind;
    Span span;
    int caret;  /* offset of the operator, for binary and compare; else span.start */
    int height; /* of the tree from here down: at most MAX_EXPR_HEIGHT, so walkers may recurse */
    Operator op;
    Str text;
    int64_t integer;
    bool too_large; /* the int literal needs more than 63 bits: evaluate `text` */
    double number;
    Expr *left, *right, *condition;
    int num_items;
    Expr **items;
    Operator *operators; /* EXPR_COMPARE: num_items of them */
    int num_args;
    Argument *args;
    int num_clauses;
    Clause *clauses;
    FunctionDef *function; /* of a lambda; of a script's generator expression: its frame */
    /* EXPR_NAME of a running script: 1 + its place in the frame; 0: found by its name; -1: so, but
     * not among those of the class around it. */
    int slot;
};

typedef enum StmtKind {
    STMT_EXPR,        /* value */
    STMT_ASSIGN,      /* targets[0] = targets[1] = .. = value */
    STMT_AUG_ASSIGN,  /* targets[0] op= value */
    STMT_ANN_ASSIGN,  /* targets[0]: annotation [= value] */
    STMT_RETURN,      /* value may be NULL */
    STMT_IF,          /* value, body, orelse (elif is an orelse of one STMT_IF) */
    STMT_FOR,         /* targets[0] in value, body, orelse */
    STMT_WHILE,       /* value, body, orelse */
    STMT_FUNCTION,    /* function */
    STMT_CLASS,       /* name, decorators, bases in args, body */
    STMT_IMPORT,      /* import names[i].path as names[i].alias */
    STMT_FROM_IMPORT, /* from (level dots)name import names; one name "*" */
    STMT_PASS,
    STMT_BREAK,
    STMT_CONTINUE,
    STMT_ASSERT, /* value, message may be NULL */
    STMT_RAISE,  /* value, message (from), both may be NULL */
    STMT_GLOBAL,
    STMT_NONLOCAL, /* names */
    STMT_DELETE,   /* targets */
    STMT_TRY,      /* body, handlers, orelse, finally */
    STMT_WITH,     /* items, body */
    STMT_MATCH,    /* host only: value, cases; body: the bodies of all of them, for walkers */
    STMT_ERROR,    /* did not parse; complaint */
} StmtKind;

typedef struct Block {
    int count;
    Stmt **stmts;
} Block;

typedef struct ImportName {
    Str path;  /* a.b.c, or the name after from .. import */
    Str alias; /* what is bound; of `import a.b.c` without `as`: "a" */
    bool has_alias;
    Span span;
} ImportName;

typedef struct Handler { /* except type as name: body */
    Expr *type;
    Str name;
    Block body;
} Handler;

typedef struct WithItem {
    Expr *value, *target; /* target may be NULL */
} WithItem;

typedef enum PatternKind {
    PATTERN_VALUE,    /* value: equal to it; None, True, False: is it */
    PATTERN_CAPTURE,  /* name (NULL: `_`); items: of `pattern as name`, or none */
    PATTERN_STAR,     /* *name, among the items of a sequence */
    PATTERN_SEQUENCE, /* items */
    PATTERN_MAPPING,  /* keys[i]: items[i]; name: of **rest, or NULL */
    PATTERN_CLASS,    /* value(items), words[i]: of those given by name */
    PATTERN_OR,       /* items */
} PatternKind;
typedef struct Pattern Pattern;
struct Pattern {
    PatternKind kind;
    Span span;
    Expr *value, *name; /* name: EXPR_NAME */
    int num_items;
    Pattern **items;
    Expr **keys;
    Str *words;
};
typedef struct MatchCase { /* case pattern if guard: body */
    Pattern *pattern;
    Expr *guard; /* may be NULL */
    Block body;
} MatchCase;

struct Stmt {
    StmtKind kind;
    Span span; /* of a compound statement: its first line up to the ':' */
    Operator op;
    int num_targets;
    Expr **targets;
    Expr *value, *annotation, *message;
    Block body, orelse, finally;
    FunctionDef *function;
    Str name; /* class; module of from-import */
    int level;
    int num_names;
    ImportName *names;
    int num_args;
    Argument *args;
    int num_decorators;
    Expr **decorators;
    int num_handlers;
    Handler *handlers;
    int num_items;
    WithItem *items;
    int num_cases;
    MatchCase *cases;
    struct Slots *slots; /* STMT_CLASS of a running script: resolve.c */
    Str complaint;       /* STMT_ERROR */
    Span complaint_span;
};

typedef enum ParamKind {
    PARAM_NORMAL,
    PARAM_POSITIONAL_ONLY,
    PARAM_KEYWORD_ONLY,
    PARAM_STAR,
    PARAM_STAR_STAR
} ParamKind;

typedef struct ParamDef {
    Str name;
    Span span;
    ParamKind kind;
    Expr *annotation, *default_value; /* may be NULL */
} ParamDef;

struct FunctionDef { /* def or lambda */
    Str name;        /* "<lambda>" for a lambda */
    Span span;       /* of the header: def .. ':' */
    Span name_span;
    Span whole; /* from `def` to the end of the body */
    int num_params;
    ParamDef *params;
    Expr *returns;
    int num_decorators;
    Expr **decorators;
    Block body;
    Expr *lambda_value; /* of a lambda; body is empty */
    bool is_async;
    bool is_generator;   /* has a yield; known once it is resolved */
    struct Slots *slots; /* of a running script: the variables of a call's frame, by resolve.c */
};

typedef struct Ast {
    const Source *source;
    Block body;
} Ast;

/* Parses a whole file. Syntax errors go to diag only when they make the rest unreadable; see
 * STMT_ERROR for the others. Never NULL. Nesting is limited (a clear error, no stack overflow). */
Ast *ast_parse(Arena *arena, const Source *source, Diag *diag);
/* One expression, e.g. from the command line; NULL after diag_error. */
Expr *ast_parse_expr(Arena *arena, const Source *source, Diag *diag);
void ast_print(Buf *out, const Ast *ast); /* tern show --stage ast: an indented tree */

#endif
