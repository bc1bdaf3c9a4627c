// SPDX-License-Identifier: Apache-2.0
/* read: PTX text -> PtxProgram. The grammar is that of one kernel as our back end prints it, with
 * what users' inline assembly may add (scopes with registers of their own); all else is refused
 * with its place in the text. */
#include "gen/ptx/read.h"

#include "base/float.h"

#include <limits.h>

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

typedef struct CallArgument {
    Str name;
    Word value;
    bool set;
} CallArgument;

enum {
    DEEPEST_SCOPE = 16,
    MOST_CALL_ARGUMENTS = 16,
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
} Scope;

typedef struct Fixup {
    int ins, depth; /* depth: of the scope that may have the label; 0: found */
    Str label;
    Span span;
} Fixup;

typedef struct Parser {
    Arena *arena;
    PtxProgram *program;
    Diag *diag;
    int at, line;
    Token token;
    Scope scopes[DEEPEST_SCOPE];
    int depth; /* of scopes open */
    CallArgument arguments[MOST_CALL_ARGUMENTS];
    int num_arguments;
    VEC(Fixup) fixups;
    int file, source_line, source_column;
    int dynamic_shared;
    bool failed;
} Parser;

/* ---- tokens ---- */

static bool fail(Parser *p, DiagKind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool fail(Parser *p, DiagKind kind, const char *format, ...) {
    if (p->failed) return false;
    Span span = {p->program->text, p->token.start, p->token.start + p->token.text.length};
    va_list args;
    va_start(args, format);
    Buf words = {.arena = p->arena};
    buf_vprintf(&words, format, args);
    va_end(args);
    diag_add(p->diag, kind, span, "%s", words.data);
    p->failed = true;
    return false;
}

static bool is_word_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '%' || c == '.';
}

static void skip_space(Parser *p) {
    Str text = p->program->text->text;
    while (p->at < text.length) {
        char c = text.data[p->at], next = p->at + 1 < text.length ? text.data[p->at + 1] : 0;
        if (c == '\n')
            p->line++, p->at++;
        else if (c == ' ' || c == '\t' || c == '\r')
            p->at++;
        else if (c == '/' && next == '/')
            while (p->at < text.length && text.data[p->at] != '\n') p->at++;
        else if (c == '/' && next == '*') {
            p->at += 2;
            while (p->at < text.length && !(text.data[p->at] == '*' && p->at + 1 < text.length &&
                                            text.data[p->at + 1] == '/'))
                p->line += text.data[p->at++] == '\n';
            p->at += 2;
        } else
            return;
    }
    if (p->at > text.length) p->at = text.length;
}

static int digit_of(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : 99;
}

/* 12 0x1f 017 0b11, also with U behind; 0f3F800000 0d3FF0000000000000; false: not a number. */
static bool number_of(Token *token) {
    Str t = token->text;
    int base = 10, i = 0, digits = 0;
    if (t.length > 2 && t.data[0] == '0' && strchr("xXfFdD", t.data[1])) {
        base = 16, i = 2;
        if ((t.data[1] | 32) != 'x') token->float_kind = (char)(t.data[1] | 32);
    } else if (t.length > 2 && t.data[0] == '0' && (t.data[1] | 32) == 'b') {
        base = 2, i = 2;
    } else if (t.length > 1 && t.data[0] == '0' && t.data[1] != 'U') {
        base = 8, i = 1;
    }
    for (; i < t.length && digit_of(t.data[i]) < base; i++, digits++) {
        uint64_t digit = (uint64_t)digit_of(t.data[i]);
        if (token->bits > (UINT64_MAX - digit) / (uint64_t)base) return false;
        token->bits = token->bits * (uint64_t)base + digit;
    }
    if (token->float_kind) return i == t.length && digits == (token->float_kind == 'f' ? 8 : 16);
    if (i < t.length && t.data[i] == 'U') i++;
    return i == t.length && digits > 0;
}

/* 0.5: the bits of a double. */
static void decimal_of(Token *token) {
    double value;
    if (!float_parse(token->text, &value)) return;
    memcpy(&token->bits, &value, sizeof value);
    token->float_kind = '.';
}

static void advance(Parser *p) {
    skip_space(p);
    Str text = p->program->text->text;
    int start = p->at;
    p->token = (Token){.start = start, .line = p->line, .text = {text.data + start, 0}};
    if (p->at >= text.length) return;
    char c = text.data[p->at];
    if (is_word_char(c)) {
        for (;;) {
            while (p->at < text.length && is_word_char(text.data[p->at])) p->at++;
            if (p->at + 2 >= text.length || text.data[p->at] != ':' || text.data[p->at + 1] != ':')
                break;
            p->at += 2;
        }
        p->token.kind = TOKEN_WORD;
    } else if (c == '"') {
        p->at++;
        while (p->at < text.length && text.data[p->at] != '"' && text.data[p->at] != '\n') p->at++;
        p->at += p->at < text.length;
        p->token.kind = TOKEN_STRING;
    } else {
        p->at++;
        p->token.kind = TOKEN_PUNCTUATION;
    }
    p->token.text.length = p->at - start;
    bool is_version =
        memchr(p->token.text.data, '.', (size_t)p->token.text.length) != NULL; /* 8.0 */
    if (p->token.kind == TOKEN_WORD && c >= '0' && c <= '9' && is_version) decimal_of(&p->token);
    if (p->token.kind == TOKEN_WORD && c >= '0' && c <= '9' && !is_version) {
        p->token.kind = TOKEN_NUMBER;
        if (!number_of(&p->token))
            fail(p, DIAG_ERROR, "'%.*s' is no number", STR_ARG(p->token.text));
    }
}

static bool is(const Parser *p, const char *text) {
    return p->token.kind != TOKEN_STRING && p->token.kind != TOKEN_END &&
           str_is(p->token.text, text);
}

static bool accept(Parser *p, const char *text) {
    if (!is(p, text)) return false;
    advance(p);
    return true;
}

static bool expect(Parser *p, const char *text) {
    if (accept(p, text)) return true;
    if (p->token.kind == TOKEN_END)
        return fail(p, DIAG_ERROR, "expected '%s', saw the end of the text", text);
    return fail(p, DIAG_ERROR, "expected '%s', saw '%.*s'", text, STR_ARG(p->token.text));
}

static bool expect_word(Parser *p, Str *word) {
    if (p->token.kind != TOKEN_WORD)
        return fail(p, DIAG_ERROR, "expected a name, saw '%.*s'", STR_ARG(p->token.text));
    *word = p->token.text;
    advance(p);
    return true;
}

static bool expect_int(Parser *p, int64_t limit, int64_t *value) {
    bool fine =
        p->token.kind == TOKEN_NUMBER && !p->token.float_kind && p->token.bits <= (uint64_t)limit;
    if (!fine)
        return fail(p, DIAG_ERROR, "expected a number up to %lld, saw '%.*s'", (long long)limit,
                    STR_ARG(p->token.text));
    *value = (int64_t)p->token.bits;
    advance(p);
    return !p->failed;
}

static bool refuse(Parser *p) {
    return fail(p, DIAG_REFUSED, "'%.*s' %s", STR_ARG(p->token.text), p->program->where);
}

/* ---- names ---- */

static const SimSymbol *find_symbol(const PtxProgram *program, Str name) {
    for (int i = 0; i < program->symbols.count; i++)
        if (str_equal(program->symbols.data[i].name, name)) return &program->symbols.data[i];
    return NULL;
}

/* A name itself, or one of a row: %r12 is the 12th of `.reg .b32 %r<13>`. */
static const Register *register_named(const Map *names, Str name, int *index) {
    const Register *r = map_get(names, name);
    int start = name.length;
    *index = 0;
    if (r && r->count < 0) return r;
    while (digit_of(name.data[start - 1]) < 10) start--;
    int digits = name.length - start;
    if (!digits || digits > MOST_DIGITS || (digits > 1 && name.data[start] == '0')) return NULL;
    for (int i = start; i < name.length; i++) *index = *index * 10 + digit_of(name.data[i]);
    r = map_get(names, (Str){name.data, start});
    return r && *index < r->count ? r : NULL;
}

static bool find_register(const Parser *p, Str name, Word *word) {
    for (int d = p->depth - 1, index; d >= 0; d--) {
        const Register *r = register_named(&p->scopes[d].names, name, &index);
        if (!r) continue;
        if (r->class == CLASS_NONE) {
            word->kind = WORD_NUMBER, word->bits = r->bits;
            return true;
        }
        word->kind = r->class == CLASS_PRED ? WORD_PREDICATE : WORD_REGISTER;
        word->class = r->class, word->declared = r->declared;
        word->place = r->place + index * (r->class == CLASS_B64 ? 2 : 1);
        return true;
    }
    return false;
}

static int type_bytes(Str type) {
    static const char *const names[] = {".b8 .u8 .s8", ".b16 .u16 .s16 .f16 .bf16",
                                        ".b32 .u32 .s32 .f32", ".b64 .u64 .s64 .f64"};
    for (int i = 0; i < COUNT(names); i++) {
        const char *at = names[i];
        while (*at) {
            size_t length = strcspn(at, " ");
            if ((size_t)type.length == length && !memcmp(at, type.data, length)) return 1 << i;
            at += length + (at[length] == ' ');
        }
    }
    return 0;
}

static bool declare_registers(Parser *p) {
    PtxProgram *program = p->program;
    RegClass class = CLASS_PRED;
    PtxKind declared = PTX_BITS;
    if (!is(p, ".pred")) {
        int bytes = type_bytes(p->token.text);
        if (!bytes) return refuse(p);
        class = bytes <= 2 ? CLASS_B16 : bytes == 4 ? CLASS_B32 : CLASS_B64;
        char letter = p->token.text.data[p->token.text.length > 4 ? 2 : 1]; /* .bf16 */
        declared = bytes == 1      ? PTX_BYTE
                   : letter == 'b' ? PTX_BITS
                   : letter == 'f' ? PTX_FLOAT
                                   : PTX_INT;
    }
    advance(p);
    do {
        Str name;
        int64_t count = -1;
        if (!expect_word(p, &name)) return false;
        if (accept(p, "<") && (!expect_int(p, MOST_REGISTERS, &count) || !expect(p, ">")))
            return false;
        if (map_get(&p->scopes[p->depth - 1].names, name))
            return fail(p, DIAG_ERROR, "'%.*s' is declared twice", STR_ARG(name));
        int *total = class == CLASS_PRED ? &program->num_predicates : &program->num_places;
        Register *r = arena_new_of(p->arena, Register);
        *r = (Register){class, 0, declared, *total, (int)count};
        *total += (int)(count < 0 ? 1 : count) * (class == CLASS_B64 ? 2 : 1);
        if (*total > 2 * MOST_REGISTERS)
            return fail(p, DIAG_REFUSED, "more than %d registers %s", MOST_REGISTERS,
                        program->where);
        map_set(&p->scopes[p->depth - 1].names, name, r);
    } while (accept(p, ","));
    return expect(p, ";");
}

/* {1, 2}, or one number (count -1); bits of floats, too. Addresses of others are not known. */
static bool initial_values(Parser *p, Str name, int bytes, int64_t count, unsigned char *data) {
    if (count >= 0 && !expect(p, "{")) return false;
    for (int64_t i = 0; i == 0 || accept(p, ","); i++) {
        bool minus = accept(p, "-");
        if (i >= count && count >= 0)
            return fail(p, DIAG_ERROR, "more values than '%.*s' has elements", STR_ARG(name));
        if (p->token.kind != TOKEN_NUMBER || p->token.float_kind == '.') return refuse(p);
        uint64_t value = minus ? 0 - p->token.bits : p->token.bits;
        if (!minus && bytes < 8 && value >> (8 * bytes))
            return fail(p, DIAG_ERROR, "'%.*s' has more than %d bytes", STR_ARG(p->token.text),
                        bytes);
        memcpy(data + i * bytes, &value, (size_t)bytes);
        advance(p);
        if (count < 0) return !p->failed;
    }
    return expect(p, "}");
}

/* .align 16 .b8 name[n] */
static bool declare_memory(Parser *p, PtxSpace space, bool is_extern) {
    PtxProgram *program = p->program;
    int64_t align = 1, count = 0;
    Str name;
    if (accept(p, ".attribute")) { /* (.managed): all memory is the host's here */
        while (!is(p, ")") && p->token.kind != TOKEN_END) advance(p);
        if (!expect(p, ")")) return false;
    }
    if (accept(p, ".align") && !expect_int(p, 1024, &align)) return false;
    if (align < 1 || (align & (align - 1)))
        return fail(p, DIAG_ERROR, "an alignment is a power of two");
    int bytes = type_bytes(p->token.text);
    if (!bytes) return refuse(p);
    advance(p);
    if (!expect_word(p, &name)) return false;
    bool is_array = accept(p, "["), open = is_array && is_extern && accept(p, "]");
    if (!is_array)
        count = 1;
    else if (!open && (!expect_int(p, 1 << 24, &count) || !expect(p, "]")))
        return false;
    if (find_symbol(program, name))
        return fail(p, DIAG_ERROR, "'%.*s' is declared twice", STR_ARG(name));
    SimSymbol symbol = {.name = name,
                        .space = space,
                        .size = open ? (uint64_t)p->dynamic_shared : (uint64_t)(count * bytes)};
    int *used = space == SPACE_SHARED ? &program->shared_bytes : &program->local_bytes;
    if (space == SPACE_GLOBAL) {
        unsigned char *data = arena_alloc(p->arena, (size_t)symbol.size + 16);
        symbol.address = (uint64_t)(uintptr_t)data;
        if (accept(p, "=") && !initial_values(p, name, bytes, is_array ? count : -1, data))
            return false;
    } else {
        int64_t place = (*used + align - 1) & -align;
        if (space == SPACE_SHARED && !is_extern && place + (int64_t)symbol.size > STATIC_SHARED)
            return fail(p, DIAG_ERROR,
                        "shared memory that is declared with its size: at most %d bytes",
                        STATIC_SHARED);
        if (place + (int64_t)symbol.size > 1 << 24)
            return fail(p, DIAG_REFUSED, "more than 16 MB of shared or local memory %s",
                        program->where);
        symbol.address = (uint64_t)place + (space == SPACE_SHARED ? SHARED_BASE : 0);
        *used = (int)(place + (int64_t)symbol.size);
    }
    vec_push(p->arena, &program->symbols, symbol);
    return expect(p, ";");
}

/* ---- instructions ---- */

static bool parse_simple_word(Parser *p, Word *word) {
    bool minus = accept(p, "-");
    word->text = p->token.text;
    if (p->token.kind == TOKEN_NUMBER || p->token.float_kind) {
        word->kind = WORD_NUMBER, word->bits = p->token.bits,
        word->float_kind = p->token.float_kind;
        if (minus && word->float_kind && word->float_kind != '.')
            return fail(p, DIAG_ERROR, "'-' before a number given by its bits");
        if (minus && !word->float_kind && word->bits > 1ull << 63)
            return fail(p, DIAG_ERROR, "the number is too small");
        if (minus) word->bits = word->float_kind ? word->bits ^ 1ull << 63 : 0 - word->bits;
        advance(p);
        return !p->failed;
    }
    if (minus || p->token.kind != TOKEN_WORD)
        return fail(p, DIAG_ERROR, "expected an operand, saw '%.*s'", STR_ARG(p->token.text));
    const SimSymbol *symbol;
    if (find_register(p, word->text, word)) {
    } else if (str_is(word->text, "WARP_SZ")) {
        word->kind = WORD_NUMBER, word->bits = LANES;
    } else if ((symbol = find_symbol(p->program, word->text))) {
        word->kind = WORD_SYMBOL, word->space = symbol->space, word->bits = symbol->address;
    } else
        word->kind = word->text.data[0] == '%' ? WORD_SPECIAL : WORD_NAME;
    advance(p);
    return true;
}

/* [a], [a+4], [a+-4]; not [a-4], which no assembler takes. */
static bool parse_address(Parser *p, Word *word) {
    word->in_brackets = true;
    if (!parse_simple_word(p, word)) return false;
    while (accept(p, "+")) {
        int64_t part;
        bool minus = accept(p, "-");
        if (!expect_int(p, INT32_MAX, &part)) return false;
        word->offset += minus ? -part : part;
    }
    if (is(p, "-")) return fail(p, DIAG_ERROR, "a negative offset is written '+-', not '-'");
    if (is(p, ",")) return fail(p, DIAG_REFUSED, "coordinates of a texture, surface or tensor");
    return expect(p, "]");
}

static bool parse_operands(Parser *p, Statement *s) {
    int group = 0, groups = 0;
    while (!is(p, ";")) {
        if (s->num_words == COUNT(s->words)) return fail(p, DIAG_ERROR, "too many operands");
        Word *word = &s->words[s->num_words++];
        *word = (Word){0};
        if (!group && accept(p, "{")) group = ++groups;
        word->group = group;
        word->negated = accept(p, "!");
        if (accept(p, "[") ? !parse_address(p, word) : !parse_simple_word(p, word)) return false;
        if (group && accept(p, "}")) group = 0;
        if (is(p, ";")) break;
        word->before_bar = accept(p, "|");
        if (!word->before_bar && !expect(p, ",")) return false;
    }
    if (group) return fail(p, DIAG_ERROR, "'{' without '}'");
    return expect(p, ";");
}

static void add_ins(Parser *p, Ins ins, int line) {
    PtxProgram *program = p->program;
    ins.line = line, ins.file = (int16_t)p->file;
    ins.source_line = p->source_line, ins.source_column = p->source_column;
    vec_push(p->arena, &program->code, ins);
}

static CallArgument *find_argument(Parser *p, Str name) {
    for (int i = p->num_arguments - 1; i >= 0; i--)
        if (str_equal(p->arguments[i].name, name)) return &p->arguments[i];
    return NULL;
}

/* .param .b64 name; inside a scope: of the call that follows. */
static bool declare_argument(Parser *p) {
    Str name;
    if (type_bytes(p->token.text) < 4) return refuse(p);
    advance(p);
    if (!expect_word(p, &name)) return false;
    if (p->num_arguments == MOST_CALL_ARGUMENTS)
        return fail(p, DIAG_REFUSED, "a call with so many arguments %s", p->program->where);
    p->arguments[p->num_arguments++] = (CallArgument){.name = name};
    return expect(p, ";");
}

static bool store_argument(Parser *p, Statement *s) {
    CallArgument *argument =
        s->num_words == 2 && s->words[0].in_brackets ? find_argument(p, s->words[0].text) : NULL;
    if (!argument)
        return fail(p, DIAG_ERROR, "'st.param' needs a .param of this scope and a value");
    argument->value = s->words[1];
    argument->set = true;
    return true;
}

/* call (result), name, (arg, ..); after the word call */
static bool parse_call(Parser *p, Ins ins, int line) {
    Str name, word;
    Span span = {p->program->text, p->token.start, p->token.start + p->token.text.length};
    if (accept(p, "(") && (!expect_word(p, &word) || !expect(p, ")") || !expect(p, ",")))
        return false;
    if (!expect_word(p, &name)) return false;
    Statement s = {
        .mnemonic = name, .span = span, .diag = p->diag, .program = p->program, .arena = p->arena};
    if (accept(p, ",")) {
        if (!expect(p, "(")) return false;
        while (!is(p, ")")) {
            CallArgument *argument = expect_word(p, &word) ? find_argument(p, word) : NULL;
            if (p->failed) return false;
            if (!argument || !argument->set)
                return fail(p, DIAG_ERROR, "argument '%.*s' was given no value", STR_ARG(word));
            if (s.num_words == 16) return fail(p, DIAG_ERROR, "too many arguments");
            s.words[s.num_words++] = argument->value;
            if (!is(p, ")") && !expect(p, ",")) return false;
        }
        advance(p);
    }
    ins.class = CLASS_CONTROL;
    bool print = str_is(name, "vprintf"), assertion = str_is(name, "__assertfail");
    if (!print && !assertion)
        return fail(p, DIAG_REFUSED, "a call of '%.*s' %s", STR_ARG(name), p->program->where);
    ins.op = print ? SIM_PRINT : SIM_ASSERT;
    p->failed = !ptx_decode_call(&s, &ins, print ? "ll" : "llrll");
    if (p->failed) return false;
    add_ins(p, ins, line);
    return expect(p, ";");
}

static bool parse_branch(Parser *p, Ins ins, int line) {
    Str label;
    Span span = {p->program->text, p->token.start, p->token.start + p->token.text.length};
    if (!expect_word(p, &label)) return false;
    ins.op = SIM_BRANCH, ins.class = CLASS_CONTROL;
    vec_push(p->arena, &p->fixups, (Fixup){p->program->code.count, p->depth, label, span});
    add_ins(p, ins, line);
    return expect(p, ";");
}

static bool parse_guard(Parser *p, Ins *ins) {
    Word word = {0};
    ins->guard = NO_OPERAND;
    if (!accept(p, "@")) return true;
    ins->negated = accept(p, "!");
    if (p->token.kind != TOKEN_WORD || !find_register(p, p->token.text, &word) ||
        word.kind != WORD_PREDICATE)
        return fail(p, DIAG_ERROR, "expected a predicate after '@', saw '%.*s'",
                    STR_ARG(p->token.text));
    ins->guard = word.place;
    advance(p);
    return true;
}

/* What one lane can do by itself where there are no threads, and no memory that only they share.
 * Barriers: the lanes of a program have all done what stands before. */
static bool runs_anywhere(const Ins *ins) {
    if (ins_row(ins)) return true;
    switch ((SimOp)ins->op) {
    case SIM_LOAD:
    case SIM_STORE:
    case SIM_ATOMIC: return ins->space == SPACE_GLOBAL || ins->space == SPACE_GENERIC;
    case SIM_SPECIAL:
        return ins->kind >= SPECIAL_CTAID_X && ins->kind != SPECIAL_LANE &&
               ins->kind != SPECIAL_WARP;
    case SIM_PACK8:
    case SIM_UNPACK8:
    case SIM_UNPACK16:
    case SIM_UNPACK32:
    case SIM_FENCE:
    case SIM_BARRIER:
    case SIM_WARP_SYNC:
    case SIM_BRANCH:
    case SIM_END: return true;
    case SIM_LOAD_PARAM:
    case SIM_PRINT:
    case SIM_ASSERT:
    case SIM_RETURN:
    case SIM_TRAP:
    case SIM_COPIES:
    case SIM_ACROSS: return false;
    }
    return false;
}

static bool parse_instruction(Parser *p) {
    Ins ins = {0};
    int line = p->token.line, start = p->token.start;
    if (!parse_guard(p, &ins)) return false;
    Str mnemonic;
    if (!expect_word(p, &mnemonic)) return false;
    if (ins.guard == NO_OPERAND && accept(p, ":")) {
        Map *labels = &p->scopes[p->depth - 1].labels;
        if (map_get(labels, mnemonic))
            return fail(p, DIAG_ERROR, "label '%.*s' stands twice", STR_ARG(mnemonic));
        map_set(labels, mnemonic, (void *)((uintptr_t)p->program->code.count + 1));
        return true;
    }
    if (p->program->code.count >= MOST_INSTRUCTIONS)
        return fail(p, DIAG_REFUSED, "so long a kernel %s", p->program->where);
    if (str_is(mnemonic, "bra") || str_is(mnemonic, "bra.uni")) return parse_branch(p, ins, line);
    bool calls = !p->program->is_inline;
    if (calls && (str_is(mnemonic, "call") || str_is(mnemonic, "call.uni")))
        return parse_call(p, ins, line);
    Statement s = {.mnemonic = mnemonic, .diag = p->diag, .program = p->program, .arena = p->arena};
    if (!parse_operands(p, &s)) return false;
    s.span = (Span){p->program->text, start,
                    p->at < start
                        ? start
                        : (int)(mnemonic.data + mnemonic.length - p->program->text->text.data)};
    if (str_starts(mnemonic, "st.param.")) return store_argument(p, &s);
    if (!ptx_decode(&s, &ins)) {
        p->failed = true;
        return false;
    }
    if (p->program->is_inline && !runs_anywhere(&ins)) {
        Str what = ins.op == SIM_SPECIAL ? s.words[1].text : mnemonic;
        return fail(p, DIAG_REFUSED, "'%.*s' %s", STR_ARG(what), p->program->where);
    }
    add_ins(p, ins, line);
    return true;
}

static bool parse_place(Parser *p) {
    int64_t file = 0, line = 0, column = 0;
    bool fine = expect_int(p, INT16_MAX, &file) && expect_int(p, INT32_MAX, &line) &&
                expect_int(p, INT32_MAX, &column);
    p->file = (int)file, p->source_line = (int)line, p->source_column = (int)column;
    return fine;
}

/* .loc 1 24 5, function_name $L__info_string0+8, inlined_at 1 30 9: of an inlined function, where
 * it is called. */
static bool parse_loc(Parser *p) {
    Str name;
    int64_t offset;
    if (!parse_place(p)) return false;
    if (!accept(p, ",")) return true;
    if (!expect(p, "function_name") || !expect_word(p, &name)) return false;
    if (accept(p, "+") && !expect_int(p, INT32_MAX, &offset)) return false;
    return expect(p, ",") && expect(p, "inlined_at") && parse_place(p);
}

static void open_scope(Parser *p) {
    if (p->depth == DEEPEST_SCOPE)
        fail(p, DIAG_REFUSED, "scopes nested so deep %s", p->program->where);
    else
        p->scopes[p->depth++] = (Scope){
            .names.arena = p->arena, .labels.arena = p->arena, .num_arguments = p->num_arguments};
}

/* Branches to the scope's labels find them; the others look in the scope around it. */
static bool close_scope(Parser *p) {
    const Scope *scope = &p->scopes[p->depth - 1];
    for (int i = 0; i < p->fixups.count && !p->failed; i++) {
        Fixup *fixup = &p->fixups.data[i];
        if (fixup->depth != p->depth) continue;
        uintptr_t target = (uintptr_t)map_get(&scope->labels, fixup->label);
        if (target) p->program->code.data[fixup->ins].offset = (int64_t)target - 1;
        fixup->depth = target ? 0 : p->depth - 1;
        if (target || p->depth > 1) continue;
        diag_error(p->diag, fixup->span, "there is no label '%.*s'", STR_ARG(fixup->label));
        p->failed = true;
    }
    p->num_arguments = scope->num_arguments;
    p->depth--;
    return !p->failed;
}

static void parse_in_body(Parser *p) {
    bool is_directive = p->token.kind == TOKEN_WORD && p->token.text.data[0] == '.';
    if (accept(p, "{"))
        open_scope(p);
    else if (accept(p, "}"))
        close_scope(p);
    else if (accept(p, ".reg"))
        declare_registers(p);
    else if (is_directive && p->program->is_inline)
        refuse(p);
    else if (accept(p, ".shared"))
        declare_memory(p, SPACE_SHARED, false);
    else if (accept(p, ".local"))
        declare_memory(p, SPACE_LOCAL, false);
    else if (accept(p, ".loc"))
        parse_loc(p);
    else if (accept(p, ".pragma"))
        p->token.kind == TOKEN_STRING ? advance(p) : (void)refuse(p);
    else if (accept(p, ".param"))
        declare_argument(p);
    else if (p->token.kind == TOKEN_END)
        fail(p, DIAG_ERROR, "the body of the entry has no end");
    else if (is_directive)
        refuse(p);
    else if (!accept(p, ";"))
        parse_instruction(p);
}

/* ---- the module ---- */

/* .ptr .global .align 4: what the compiler knows of it. */
static bool pointer_of_param(Parser *p) {
    int64_t align;
    if (!accept(p, ".ptr")) return true;
    if (is(p, ".global") || is(p, ".shared") || is(p, ".local") || is(p, ".const")) advance(p);
    return !accept(p, ".align") || expect_int(p, 1 << 20, &align);
}

static bool parse_params(Parser *p) {
    if (!expect(p, "(")) return false;
    while (!is(p, ")")) {
        SimParam param = {0};
        int64_t align, count = 1;
        if (!expect(p, ".param")) return false;
        if (accept(p, ".align") && !expect_int(p, 1024, &align)) return false;
        param.bytes = type_bytes(p->token.text);
        if (!param.bytes) return refuse(p);
        advance(p);
        if (!pointer_of_param(p) || !expect_word(p, &param.name)) return false;
        param.is_array = accept(p, "[");
        if (param.is_array && (!expect_int(p, MOST_PARAM_BYTES, &count) || !expect(p, "]")))
            return false;
        param.bytes *= (int)count;
        vec_push(p->arena, &p->program->params, param);
        if (!is(p, ")") && !expect(p, ",")) return false;
    }
    advance(p);
    return true;
}

static bool parse_entry(Parser *p) {
    PtxProgram *program = p->program;
    if (program->code.count) return fail(p, DIAG_REFUSED, "a second entry %s", p->program->where);
    if (!expect_word(p, &program->name)) return false;
    if (is(p, "(") && !parse_params(p)) return false;
    while (!is(p, "{")) {
        if (is(p, ".minnctapersm")) { /* advice on how many registers to use: no register runs out
                                         here */
            int64_t blocks;
            advance(p);
            if (!expect_int(p, LANES, &blocks)) return false;
            continue;
        }
        bool is_most = is(p, ".maxntid");
        if (!is_most && !is(p, ".reqntid")) return refuse(p);
        advance(p);
        for (int i = 0; i < 3; i++) {
            int64_t size;
            if (!expect_int(p, LANES * MAX_WARPS, &size)) return false;
            if (size < 1) return fail(p, DIAG_ERROR, "a block of no threads");
            program->threads[i] = (uint32_t)size;
            if (!accept(p, ",")) break;
        }
        if (is_most)
            program->most_threads =
                (int)(program->threads[0] * program->threads[1] * program->threads[2]);
    }
    uint64_t threads = (uint64_t)program->threads[0] * program->threads[1] * program->threads[2];
    if (threads > LANES * MAX_WARPS)
        return fail(p, DIAG_ERROR, "a block of %llu threads; at most %d",
                    (unsigned long long)threads, LANES * MAX_WARPS);
    advance(p);
    open_scope(p);
    while (p->depth > 0 && !p->failed) parse_in_body(p);
    if (p->failed) return false;
    Ins end = {.op = SIM_END, .class = CLASS_CONTROL, .guard = NO_OPERAND};
    add_ins(p, end, p->line);
    return true;
}

static bool parse_file(Parser *p) {
    int64_t number;
    if (!expect_int(p, INT16_MAX, &number)) return false;
    if (p->token.kind != TOKEN_STRING || number != p->program->files.count + 1) return refuse(p);
    Str quoted = p->token.text;
    vec_push(p->arena, &p->program->files, (Str){quoted.data + 1, quoted.length - 2});
    advance(p);
    int64_t time, size;
    return !accept(p, ",") ||
           (expect_int(p, INT64_MAX, &time) && expect(p, ",") && expect_int(p, INT64_MAX, &size));
}

/* What debuggers read: .section .debug_str { .. } */
static bool skip_section(Parser *p) {
    Str name;
    if (!expect_word(p, &name) || !expect(p, "{")) return false;
    while (!is(p, "}") && p->token.kind != TOKEN_END && !p->failed) advance(p);
    return expect(p, "}");
}

static bool parse_target(Parser *p) {
    Str name = p->token.text;
    advance(p);
    if (!str_starts(name, "sm_")) return fail(p, DIAG_ERROR, "expected a target such as sm_90a");
    for (int i = 3; i < name.length && digit_of(name.data[i]) < 10 && p->program->sm < 1000; i++)
        p->program->sm = p->program->sm * 10 + digit_of(name.data[i]);
    return true;
}

static bool parse_top(Parser *p) {
    if (accept(p, ".version")) return advance(p), true;
    if (accept(p, ".target")) return parse_target(p);
    if (accept(p, ".address_size")) return expect(p, "64");
    if (accept(p, ".file")) return parse_file(p);
    if (accept(p, ".section")) return skip_section(p);
    (void)(accept(p, ".visible") || accept(p, ".weak"));
    if (accept(p, ".global") || accept(p, ".const")) return declare_memory(p, SPACE_GLOBAL, false);
    if (accept(p, ".shared")) return declare_memory(p, SPACE_SHARED, false);
    if (accept(p, ".extern")) {
        if (accept(p, ".shared")) return declare_memory(p, SPACE_SHARED, true);
        if (!accept(p, ".func")) return refuse(p);
        while (!is(p, ";") && p->token.kind != TOKEN_END) advance(p);
        return expect(p, ";");
    }
    if (accept(p, ".entry")) return parse_entry(p);
    return refuse(p);
}

static Parser *parser_new(Arena *arena, Str text, int dynamic_shared, const char *where,
                          Diag *diag) {
    PtxProgram *program = arena_new_of(arena, PtxProgram);
    *program = (PtxProgram){.arena = arena,
                            .where = where,
                            .text = source_new(arena, STR("<ptx>"), text),
                            .threads = {1, 1, 1},
                            .known_constants.arena = arena,
                            .known_mnemonics.arena = arena,
                            .smallest_shared = 4,
                            .smallest_global = 4};
    Parser *p = arena_new_of(arena, Parser);
    *p = (Parser){.arena = arena,
                  .program = program,
                  .diag = diag,
                  .line = 1,
                  .dynamic_shared = dynamic_shared};
    advance(p);
    return p;
}

PtxProgram *ptx_read(Arena *arena, Str text, int dynamic_shared, Diag *diag) {
    Parser *p = parser_new(arena, text, dynamic_shared, "on device 'sim'", diag);
    PtxProgram *program = p->program;
    while (!p->failed && p->token.kind != TOKEN_END)
        if (!parse_top(p)) p->failed = true;
    if (!p->failed && !program->code.count) fail(p, DIAG_ERROR, "no entry in the text");
    if (program->num_places == 0) program->num_places = 1;
    return p->failed || diag_failed(diag) ? NULL : program;
}

static void give_registers(Parser *p, PtxGiven *given, int count) {
    PtxProgram *program = p->program;
    open_scope(p);
    for (int i = 0; i < count; i++) {
        Register *r = arena_new_of(p->arena, Register);
        *r = (Register){given[i].class, given[i].bits, PTX_BITS, program->num_places, -1};
        given[i].place = program->num_places;
        program->num_places += given[i].class == CLASS_B64 ? 2 : 1;
        map_set(&p->scopes[0].names, str_format(p->arena, "$%d", i), r);
    }
}

PtxProgram *ptx_read_inline(Arena *arena, Str text, PtxGiven *given, int count, Diag *diag) {
    Parser *p = parser_new(arena, text, 0, "where there is no GPU", diag);
    p->program->is_inline = true;
    p->program->sm = INT_MAX;
    give_registers(p, given, count);
    while (!p->failed && p->token.kind != TOKEN_END) {
        parse_in_body(p);
        if (!p->depth) fail(p, DIAG_ERROR, "'}' without '{'");
    }
    if (!p->failed && p->depth > 1) fail(p, DIAG_ERROR, "'{' without '}'");
    if (p->failed || !close_scope(p)) return NULL;
    Ins end = {.op = SIM_END, .class = CLASS_CONTROL, .guard = NO_OPERAND};
    add_ins(p, end, p->line);
    return p->program;
}
