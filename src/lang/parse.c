// SPDX-License-Identifier: Apache-2.0
/* parse: a file as a list of statements, and how to go on after one that does not parse.
 *
 * Host code is full of what tern never looks at, so a broken statement at the top level costs only
 * itself: it becomes STMT_ERROR and reading goes on at the next line at the left edge. */
#include "lang/parse.h"

/* ---- tokens ---- */

void advance(Parser *p) {
    p->last_end = p->token.end;
    if (p->token.kind > TOKEN_DEDENT) p->code_end = p->token.end;
    p->token = lexer_next(&p->lexer);
}

bool at(const Parser *p, TokenKind kind) { return p->token.kind == kind; }

bool take_if(Parser *p, TokenKind kind) {
    if (p->token.kind != kind) return false;
    advance(p);
    return true;
}

Str token_str(const Parser *p, Token token) {
    return (Str){p->source->text.data + token.start, token.end - token.start};
}

Span token_span(const Parser *p) { return (Span){p->source, p->token.start, p->token.end}; }

Span span_from(const Parser *p, int start) {
    return (Span){p->source, start, p->last_end < start ? start : p->last_end};
}

bool at_word(const Parser *p, const char *word) {
    return p->token.kind == TOKEN_NAME && str_is(token_str(p, p->token), word);
}

void parse_fail(Parser *p, Span span, const char *format, ...) {
    Buf text = {.arena = p->arena};
    va_list args;
    va_start(args, format);
    buf_vprintf(&text, format, args);
    va_end(args);
    p->complaint = buf_str(&text);
    p->complaint_span = span;
    longjmp(*p->failed, 1);
}

void unexpected(Parser *p, const char *what) {
    enum { LONGEST_SHOWN = 40 };
    Str text = token_str(p, p->token);
    TokenKind kind = p->token.kind;
    if (kind == TOKEN_ERROR)
        parse_fail(p, p->lexer.complaint_span, "%.*s", STR_ARG(p->lexer.complaint));
    if (kind == TOKEN_END || kind == TOKEN_NEWLINE || kind == TOKEN_INDENT || kind == TOKEN_DEDENT)
        parse_fail(p, token_span(p), "expected %s, saw %s", what, token_text(kind));
    if (kind == TOKEN_STRING) parse_fail(p, token_span(p), "expected %s, saw a string", what);
    bool cut = text.length > LONGEST_SHOWN;
    if (cut) text.length = LONGEST_SHOWN;
    parse_fail(p, token_span(p), "expected %s, saw '%.*s%s'", what, STR_ARG(text), cut ? ".." : "");
}

void expect(Parser *p, TokenKind kind, const char *where) {
    if (take_if(p, kind)) return;
    unexpected(p,
               str_format(p->arena, "'%s'%s%s", token_text(kind), *where ? " " : "", where).data);
}

Str expect_name(Parser *p, const char *what) {
    if (!at(p, TOKEN_NAME)) unexpected(p, what);
    Str name = token_str(p, p->token);
    advance(p);
    return name;
}

/* ---- a broken statement ---- */

static bool is_name_part(Str text, int i) {
    return i >= 0 && i < text.length && is_identifier_part((unsigned char)text.data[i]);
}

/* Is there a decorator line with the word jit, and a def after it? */
static bool holds_kernel(Str text) {
    bool decorated = false;
    for (int i = 0, end; i < text.length; i = end + 1) {
        end = i;
        while (end < text.length && text.data[end] != '\n') end++;
        while (i < end && (text.data[i] == ' ' || text.data[i] == '\t')) i++;
        Str line = {text.data + i, end - i};
        if (str_starts(line, "def ") && decorated) return true;
        if (!str_starts(line, "@")) continue;
        for (int k = 0; k + 3 <= line.length; k++)
            if (!memcmp(line.data + k, "jit", 3) && !is_name_part(line, k - 1) &&
                !is_name_part(line, k + 3))
                decorated = true;
    }
    return false;
}

static Stmt *broken_statement(Parser *p, int start, Diag *diag) {
    int offender = p->token.start > start ? p->token.start : start;
    int next = lexer_resync(&p->lexer, start, offender);
    Stmt *stmt = arena_new_of(p->arena, Stmt);
    stmt->kind = STMT_ERROR;
    stmt->span = (Span){p->source, start, next};
    stmt->complaint = p->complaint;
    stmt->complaint_span = p->complaint_span;
    if (holds_kernel((Str){p->source->text.data + start, next - start}))
        diag_error(diag, stmt->complaint_span, "%.*s", STR_ARG(stmt->complaint));
    lexer_init(&p->lexer, p->arena, p->source, next, p->source->text.length, false);
    p->token = lexer_next(&p->lexer);
    p->depth = 0;
    p->in_function = p->in_loop = p->in_async = false;
    return stmt;
}

/* One statement, or one line of simple ones. False: the complaint is set. */
static bool try_statement(Parser *p, Stmts *stmts) {
    jmp_buf failed;
    p->failed = &failed;
    if (setjmp(failed)) return false;
    if (at(p, TOKEN_INDENT))
        parse_fail(p, token_span(p), "this line is indented, but no block is open");
    parse_statement(p, stmts);
    return true;
}

static void parse_file(Parser *p, Diag *diag, Stmts *stmts) {
    while (!at(p, TOKEN_END)) {
        if (at(p, TOKEN_NEWLINE) || at(p, TOKEN_DEDENT)) {
            advance(p);
            continue;
        }
        int count = stmts->count, start = p->token.start;
        if (try_statement(p, stmts)) continue;
        stmts->count = count;
        vec_push(p->arena, stmts, broken_statement(p, start, diag));
    }
}

/* ---- the text as a whole ---- */

/* Length of the valid UTF-8 sequence at `at`, 0 when it is none. */
static int utf8_length(Str text, int start) {
    const unsigned char *s = (const unsigned char *)text.data + start;
    int left = text.length - start, length = s[0] < 0x80   ? 1
                                             : s[0] < 0xc2 ? 0
                                             : s[0] < 0xe0 ? 2
                                             : s[0] < 0xf0 ? 3
                                             : s[0] < 0xf5 ? 4
                                                           : 0;
    if (length > left) return 0;
    for (int i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0;
    if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
    return length;
}

static bool check_text(const Source *source, Diag *diag) {
    Str text = source->text;
    if (text.length > MAX_SOURCE_BYTES) {
        diag_error(diag, (Span){source, 0, 0}, "the source is larger than %d MB",
                   MAX_SOURCE_BYTES >> 20);
        return false;
    }
    for (int i = 0, length; i < text.length; i += length) {
        length = utf8_length(text, i);
        Span span = {source, i, i + 1};
        if (!text.data[i]) {
            diag_error(diag, span, "the source has a NUL byte");
            return false;
        }
        if (!length) {
            diag_error(diag, span, "byte 0x%02x is not valid UTF-8", (unsigned char)text.data[i]);
            return false;
        }
    }
    return true;
}

static Parser *parser_new(Arena *arena, const Source *source, bool inside) {
    Parser *p = arena_new_of(arena, Parser);
    p->arena = arena, p->source = source;
    lexer_init(&p->lexer, arena, source, 0, source->text.length, inside);
    p->token = lexer_next(&p->lexer);
    return p;
}

Ast *ast_parse(Arena *arena, const Source *source, Diag *diag) {
    Ast *ast = arena_new_of(arena, Ast);
    ast->source = source;
    if (!check_text(source, diag)) return ast;
    Stmts stmts = {0};
    parse_file(parser_new(arena, source, false), diag, &stmts);
    ast->body = (Block){stmts.count, stmts.data};
    return ast;
}

/* Apart from ast_parse_expr because of setjmp. */
static Expr *try_expr(Parser *p) {
    jmp_buf failed;
    p->failed = &failed;
    if (setjmp(failed)) return NULL;
    Expr *expr = parse_tests(p);
    if (!at(p, TOKEN_END)) unexpected(p, "the end of the expression");
    return expr;
}

Expr *ast_parse_expr(Arena *arena, const Source *source, Diag *diag) {
    if (!check_text(source, diag)) return NULL;
    Parser *p = parser_new(arena, source, true);
    Expr *expr = try_expr(p);
    if (!expr) diag_error(diag, p->complaint_span, "%.*s", STR_ARG(p->complaint));
    return expr;
}
