// SPDX-License-Identifier: Apache-2.0
/* parser: what read.c, call.c, declare.c and tokens.c share: a text's tokens, and what is known
 * while it is read. */
#ifndef TERN_PTX_PARSER_H
#define TERN_PTX_PARSER_H

#include "gen/ptx/read.h"

typedef enum TokenKind {
    TOKEN_END,
    TOKEN_WORD,
    TOKEN_NUMBER,
    TOKEN_STRING,
    TOKEN_PUNCTUATION
} TokenKind;

typedef struct Token {
    TokenKind kind;
    Str text;
    int start, line;
    uint64_t bits;
    char float_kind;
} Token;

typedef struct Register { /* one, or `count` that begin with the name and end in a number */
    RegClass class;       /* CLASS_NONE: the number `bits` */
    uint64_t bits;
    PtxKind declared;
    int32_t place;
    int count; /* -1: one */
} Register;

typedef struct ArgumentPart { /* what st.param wrote at an offset */
    int64_t offset;
    Word value;
    struct ArgumentPart *next;
} ArgumentPart;

typedef struct Formal { /* .param .b64 a, .param .align 8 .b8 a[16] */
    Str name;
    int bytes;     /* of an element */
    int64_t count; /* -1: no array */
} Formal;

typedef struct CallArgument {
    Formal formal;
    ArgumentPart *parts;
    struct CallArgument *of; /* of a function's parameter: what the call gives */
    bool is_result;          /* its parts are registers of their own */
} CallArgument;

typedef struct Function { /* its body is read anew where it is called */
    Formal result;        /* name.length 0: none */
    VEC(Formal) params;
    bool has_body;
    int at, line; /* of its '{' */
} Function;

enum {
    DEEPEST_SCOPE = 16,
    MOST_CALL_ARGUMENTS = 64,
    MOST_REGISTERS = 1 << 20,
    MOST_DIGITS = 7, /* of MOST_REGISTERS */
    MOST_INSTRUCTIONS = 1 << 22,
    STATIC_SHARED = 48 << 10, /* PTX ISA 5.1.7; more must be extern */
    MOST_PARAM_BYTES = 32764  /* PTX ISA 5.1.6.1: of all of an entry's from sm_70 on */
};

typedef struct Scope {
    Map names;  /* of Register */
    Map labels; /* to instruction + 1 */
    int num_arguments;
    int id;           /* from 1; 0 is the module's */
    bool is_function; /* `ret` goes to its end, and names around it are not seen */
} Scope;

typedef struct Fixup {
    int ins, depth; /* depth: of the scope that may have the label; 0: found */
    Str label;
    Span span;
} Fixup;

typedef struct PtxParser {
    Arena *arena;
    PtxProgram *program;
    Diag *diag;
    int at, line;
    int version; /* of PTX, times 10; 0: not said yet */
    Token token;
    Scope scopes[DEEPEST_SCOPE];
    int depth, num_scopes; /* depth: of scopes open */
    CallArgument arguments[MOST_CALL_ARGUMENTS];
    int num_arguments;
    VEC(Fixup) fixups;
    Map functions; /* of Function */
    int file, source_line, source_column;
    Map places; /* of .loc, as three numbers */
    int dynamic_shared;
    bool failed;
} PtxParser;

/* ---- tokens.c ---- */
bool ptx_fail(PtxParser *p, DiagKind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4))); /* false */
void ptx_advance(PtxParser *p);
bool ptx_is(const PtxParser *p, const char *text);
bool ptx_accept(PtxParser *p, const char *text);
bool ptx_expect(PtxParser *p, const char *text);
bool ptx_expect_word(PtxParser *p, Str *word);
bool ptx_expect_name(PtxParser *p, Str *name); /* a word that may name something */
bool ptx_expect_int(PtxParser *p, int64_t limit, int64_t *value);
bool ptx_expect_align(PtxParser *p, int64_t limit, int64_t *align);
bool ptx_refuse(PtxParser *p); /* what stands there */
int ptx_digit_of(char c);      /* 99: it is none */

/* ---- declare.c ---- */
const SimSymbol *ptx_find_symbol(const PtxParser *p, Str name);
bool ptx_is_free(PtxParser *p, Str name); /* in this scope; false after an error */
bool ptx_find_register(const PtxParser *p, Str name, Word *word);
bool ptx_has_zeros(const PtxParser *p, Str name); /* before a register's number */
int ptx_type_bytes(Str type);                     /* .b32: 4; 0: no type of a variable */
bool ptx_in_function(const PtxParser *p);
bool ptx_declare_registers(PtxParser *p);
bool ptx_declare_memory(PtxParser *p, PtxSpace space, bool is_extern);

/* ---- call.c ---- */
CallArgument *ptx_find_argument(PtxParser *p, Str name);
bool ptx_declare_argument(PtxParser *p);
bool ptx_store_argument(PtxParser *p, Statement *s, int line);
bool ptx_load_argument(PtxParser *p, Statement *s, CallArgument *argument, int line);
bool ptx_parse_call(PtxParser *p, Ins ins, int line);
bool ptx_parse_function(PtxParser *p, bool is_extern);

/* ---- read.c ---- */
Word ptx_new_register(PtxParser *p, RegClass class);
bool ptx_emit(PtxParser *p, const char *mnemonic, Word to, Word from, int line);
void ptx_add_ins(PtxParser *p, Ins ins, int line);
const char *ptx_move_of(Str mnemonic, bool *wide);
void ptx_open_scope(PtxParser *p);
bool ptx_close_scope(PtxParser *p);
void ptx_parse_in_body(PtxParser *p);

#endif
