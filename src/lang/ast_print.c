// SPDX-License-Identifier: Apache-2.0
/* ast_print: the tree as indented text, one node a line:
 *
 *     2:1 function scale(x, n: name tl.constexpr = ..)
 *       3:5 assign
 *         name y
 *         binary *
 *           name x
 *           int 2 */
#include "lang/ast.h"

typedef struct Printer {
    Buf *out;
    int depth;
} Printer;

static void print_expr(Printer *p, const char *label, const Expr *expr);
static void print_block(Printer *p, const char *label, const Block *block);

static void indent(Printer *p) {
    for (int i = 0; i < p->depth; i++) buf_puts(p->out, "  ");
}

static void put_quoted(Buf *out, Str text) {
    buf_putc(out, '"');
    for (int i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == '\n')
            buf_puts(out, "\\n");
        else if (c == '"' || c == '\\')
            buf_putc(out, '\\'), buf_putc(out, (char)c);
        else if (c < 0x20 || c == 0x7f)
            buf_printf(out, "\\x%02x", c);
        else
            buf_putc(out, (char)c);
    }
    buf_putc(out, '"');
}

static const char *expr_word(ExprKind kind) {
    switch (kind) {
    case EXPR_NAME: return "name";
    case EXPR_INT: return "int";
    case EXPR_FLOAT: return "float";
    case EXPR_IMAGINARY: return "imaginary";
    case EXPR_STRING: return "string";
    case EXPR_BYTES: return "bytes";
    case EXPR_FSTRING: return "fstring";
    case EXPR_FORMAT: return "format";
    case EXPR_TRUE: return "True";
    case EXPR_FALSE: return "False";
    case EXPR_NONE: return "None";
    case EXPR_ELLIPSIS: return "...";
    case EXPR_TUPLE: return "tuple";
    case EXPR_LIST: return "list";
    case EXPR_SET: return "set";
    case EXPR_DICT: return "dict";
    case EXPR_UNARY: return "unary";
    case EXPR_BINARY: return "binary";
    case EXPR_COMPARE: return "compare";
    case EXPR_AND: return "and";
    case EXPR_OR: return "or";
    case EXPR_NOT: return "not";
    case EXPR_TERNARY: return "ternary";
    case EXPR_CALL: return "call";
    case EXPR_ATTRIBUTE: return "attribute";
    case EXPR_SUBSCRIPT: return "subscript";
    case EXPR_SLICE: return "slice";
    case EXPR_STARRED: return "starred";
    case EXPR_LAMBDA: return "lambda";
    case EXPR_COMPREHENSION: return "comprehension";
    case EXPR_WALRUS: return "walrus";
    case EXPR_AWAIT: return "await";
    case EXPR_YIELD: return "yield";
    case EXPR_ABSENT: return "absent";
    }
    return "?";
}

static void put_detail(Buf *out, const Expr *expr) {
    switch (expr->kind) {
    case EXPR_NAME:
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_IMAGINARY:
    case EXPR_ATTRIBUTE:
    case EXPR_WALRUS:
    case EXPR_COMPREHENSION:
    case EXPR_YIELD:
        if (expr->text.length) buf_printf(out, " %.*s", STR_ARG(expr->text));
        break;
    case EXPR_FORMAT:
        if (!expr->text.length) break;
        buf_putc(out, ' ');
        put_quoted(out, expr->text);
        break;
    case EXPR_STRING:
    case EXPR_BYTES:
        buf_putc(out, ' ');
        put_quoted(out, expr->text);
        break;
    case EXPR_UNARY:
    case EXPR_BINARY: buf_printf(out, " %s", operator_text(expr->op)); break;
    case EXPR_COMPARE:
        for (int i = 0; i < expr->num_items; i++)
            buf_printf(out, " %s", operator_text(expr->operators[i]));
        break;
    case EXPR_FSTRING:
    case EXPR_TRUE:
    case EXPR_FALSE:
    case EXPR_NONE:
    case EXPR_ELLIPSIS:
    case EXPR_TUPLE:
    case EXPR_LIST:
    case EXPR_SET:
    case EXPR_DICT:
    case EXPR_AND:
    case EXPR_OR:
    case EXPR_NOT:
    case EXPR_TERNARY:
    case EXPR_CALL:
    case EXPR_SUBSCRIPT:
    case EXPR_SLICE:
    case EXPR_STARRED:
    case EXPR_LAMBDA:
    case EXPR_AWAIT:
    case EXPR_ABSENT: break;
    }
}

static void print_args(Printer *p, int count, const Argument *args) {
    for (int i = 0; i < count; i++) {
        Arena *arena = p->out->arena;
        const char *label = args[i].stars == 2 ? "** " : args[i].stars ? "* " : "";
        if (args[i].name.length) label = str_format(arena, "%.*s = ", STR_ARG(args[i].name)).data;
        print_expr(p, label, args[i].value);
    }
}

static void print_params(Printer *p, const FunctionDef *function) {
    static const char *const stars[] = {[PARAM_NORMAL] = "",
                                        [PARAM_POSITIONAL_ONLY] = "positional ",
                                        [PARAM_KEYWORD_ONLY] = "keyword ",
                                        [PARAM_STAR] = "*",
                                        [PARAM_STAR_STAR] = "**"};
    for (int i = 0; i < function->num_params; i++) {
        const ParamDef *param = &function->params[i];
        indent(p);
        buf_printf(p->out, "param %s%.*s\n", stars[param->kind], STR_ARG(param->name));
        p->depth++;
        if (param->annotation) print_expr(p, "annotation: ", param->annotation);
        if (param->default_value) print_expr(p, "default: ", param->default_value);
        p->depth--;
    }
}

static void print_expr(Printer *p, const char *label, const Expr *expr) {
    indent(p);
    if (!expr) {
        buf_printf(p->out, "%snothing\n", label);
        return;
    }
    buf_printf(p->out, "%s%s", label, expr_word(expr->kind));
    put_detail(p->out, expr);
    buf_putc(p->out, '\n');
    p->depth++;
    bool slice = expr->kind == EXPR_SLICE;
    if (expr->left || slice) print_expr(p, slice ? "from " : "", expr->left);
    if (expr->condition && !slice) print_expr(p, "if ", expr->condition);
    if (expr->right || slice) print_expr(p, slice ? "to " : "", expr->right);
    if (expr->condition && slice) print_expr(p, "step ", expr->condition);
    for (int i = 0; i < expr->num_items; i++) print_expr(p, "", expr->items[i]);
    print_args(p, expr->num_args, expr->args);
    for (int i = 0; i < expr->num_clauses; i++) {
        print_expr(p, "for ", expr->clauses[i].target);
        print_expr(p, "in ", expr->clauses[i].iterable);
        for (int k = 0; k < expr->clauses[i].num_conditions; k++)
            print_expr(p, "if ", expr->clauses[i].conditions[k]);
    }
    if (expr->function) {
        print_params(p, expr->function);
        print_expr(p, "", expr->function->lambda_value);
    }
    p->depth--;
}

static const char *stmt_word(StmtKind kind) {
    switch (kind) {
    case STMT_EXPR: return "expression";
    case STMT_ASSIGN: return "assign";
    case STMT_AUG_ASSIGN: return "augmented assign";
    case STMT_ANN_ASSIGN: return "annotated assign";
    case STMT_RETURN: return "return";
    case STMT_IF: return "if";
    case STMT_FOR: return "for";
    case STMT_WHILE: return "while";
    case STMT_FUNCTION: return "function";
    case STMT_CLASS: return "class";
    case STMT_IMPORT: return "import";
    case STMT_FROM_IMPORT: return "from";
    case STMT_PASS: return "pass";
    case STMT_BREAK: return "break";
    case STMT_CONTINUE: return "continue";
    case STMT_ASSERT: return "assert";
    case STMT_RAISE: return "raise";
    case STMT_GLOBAL: return "global";
    case STMT_NONLOCAL: return "nonlocal";
    case STMT_DELETE: return "delete";
    case STMT_TRY: return "try";
    case STMT_WITH: return "with";
    case STMT_MATCH: return "match";
    case STMT_ERROR: return "error";
    }
    return "?";
}

static void put_stmt_detail(Buf *out, const Stmt *stmt) {
    if (stmt->kind == STMT_AUG_ASSIGN) buf_printf(out, " %s=", operator_text(stmt->op));
    if (stmt->kind == STMT_FUNCTION)
        buf_printf(out, "%s %.*s", stmt->function->is_async ? " async" : "",
                   STR_ARG(stmt->function->name));
    if (stmt->kind == STMT_FROM_IMPORT || stmt->kind == STMT_CLASS) {
        buf_putc(out, ' ');
        for (int i = 0; i < stmt->level; i++) buf_putc(out, '.');
        buf_printf(out, "%.*s", STR_ARG(stmt->name));
    }
    if (stmt->kind == STMT_FROM_IMPORT) buf_puts(out, " import");
    for (int i = 0; i < stmt->num_names; i++) {
        buf_printf(out, "%s %.*s", i ? "," : "", STR_ARG(stmt->names[i].path));
        if (stmt->names[i].has_alias) buf_printf(out, " as %.*s", STR_ARG(stmt->names[i].alias));
    }
    if (stmt->kind == STMT_ERROR) buf_printf(out, ": %.*s", STR_ARG(stmt->complaint));
}

static void print_function(Printer *p, const FunctionDef *function) {
    for (int i = 0; i < function->num_decorators; i++) print_expr(p, "@ ", function->decorators[i]);
    print_params(p, function);
    if (function->returns) print_expr(p, "-> ", function->returns);
    print_block(p, NULL, &function->body);
}

static void print_stmt(Printer *p, const Stmt *stmt) {
    int line, column;
    indent(p);
    source_position(stmt->span.source, stmt->span.start, &line, &column);
    buf_printf(p->out, "%d:%d %s", line, column, stmt_word(stmt->kind));
    put_stmt_detail(p->out, stmt);
    buf_putc(p->out, '\n');
    p->depth++;
    if (stmt->function) print_function(p, stmt->function);
    for (int i = 0; i < stmt->num_decorators; i++) print_expr(p, "@ ", stmt->decorators[i]);
    print_args(p, stmt->num_args, stmt->args);
    for (int i = 0; i < stmt->num_targets; i++) print_expr(p, "", stmt->targets[i]);
    if (stmt->annotation) print_expr(p, "annotation: ", stmt->annotation);
    for (int i = 0; i < stmt->num_items; i++) {
        print_expr(p, "", stmt->items[i].value);
        if (stmt->items[i].target) print_expr(p, "as ", stmt->items[i].target);
    }
    if (stmt->value) print_expr(p, "", stmt->value);
    if (stmt->message) print_expr(p, "", stmt->message);
    print_block(p, NULL, &stmt->body);
    for (int i = 0; i < stmt->num_handlers; i++) {
        const Handler *handler = &stmt->handlers[i];
        indent(p);
        buf_printf(p->out, "except %.*s\n", STR_ARG(handler->name));
        p->depth++;
        if (handler->type) print_expr(p, "", handler->type);
        print_block(p, NULL, &handler->body);
        p->depth--;
    }
    print_block(p, "else", &stmt->orelse);
    print_block(p, "finally", &stmt->finally);
    p->depth--;
}

static void print_block(Printer *p, const char *label, const Block *block) {
    if (!block->count) return;
    if (label) {
        indent(p);
        buf_printf(p->out, "%s\n", label);
        p->depth++;
    }
    for (int i = 0; i < block->count; i++) print_stmt(p, block->stmts[i]);
    p->depth -= label != NULL;
}

void ast_print(Buf *out, const Ast *ast) {
    Printer p = {out, 0};
    buf_puts(out, "");
    for (int i = 0; i < ast->body.count; i++) print_stmt(&p, ast->body.stmts[i]);
}
