// SPDX-License-Identifier: Apache-2.0
/* outline: loop nests of one text become one function. A kernel whose source was unrolled
 * (tl.static_range, a helper used many times) is written as many nests that differ in names and
 * numbers, and a C compiler takes as long for each copy as for the first.
 *
 *     { .. a12[i0 * 64 + l] .. v7 .. }
 *     { .. a19[i0 * 64 + l] .. v31 .. }
 *
 *     static void piece0(KernelRuntime *R, UL *H, int nt, float *p0, int p1) {
 *         .. p0[i0 * 64 + l] .. p1 ..
 *     }
 *     piece0(R, H, nt, a12, v7);
 *     piece0(R, H, nt, a19, v31);
 *
 * Names that a nest declares are numbered anew; names from outside become parameters, of the types
 * that they were declared with, by address if the nest assigns to them. In a long text numbers
 * that differ among the copies become parameters too: that makes a nest a little slower, as a
 * loop's bound is no constant then. Short texts stay as they are; in those of many nests each nest
 * becomes a function, so that a C compiler can be given parts of the text at the same time. */
#include "gen/c/c.h"
#include "gen/c/piece.h"

enum {
    SHORT_TEXT = 20000,
    PARTED_TEXT = 40000, /* takes gcc some 0.3 s */
    LONG_TEXT = 100000,
    SHORT_PIECE = 200,
    MOST_PARAMS = 40,
    MOST_NUMBERS = 12
};

typedef enum TokenKind { TOKEN_TEXT, TOKEN_LOCAL, TOKEN_OUTSIDE, TOKEN_NUMBER } TokenKind;

typedef struct Token {
    TokenKind kind;
    Str text;
    int name; /* LOCAL: its new number; OUTSIDE: which parameter */
} Token;

typedef struct OutsideName {
    Str text, type;
    bool is_assigned;
} OutsideName;

typedef struct Copy {
    int start, end; /* in the body */
    bool returns;
    VEC(Token) tokens;
    VEC(OutsideName) outside;
    int function;     /* it calls; -1: it stays */
    VEC(Str) numbers; /* arguments for what differs among the copies */
} Copy;

typedef struct Group {
    VEC(Copy *) copies;
} Group;

typedef struct Outline {
    Gen *g;
    Map types; /* name -> Str *: its type, of v1, a2, last3, next0 */
    Map groups;
    VEC(Group *) order;
    Buf *functions;
    int count;
    int least_copies; /* that are worth a function */
} Outline;

/* ---- scanning ---- */

static Str part(Str s, int from, int to) { return (Str){s.data + from, to - from}; }

static int digits_from(Str word, int at) {
    while (at < word.length && c_is_digit(word.data[at])) at++;
    return at;
}

/* One of the prefixes, then digits; may_pair: then perhaps _ and digits. */
static bool is_numbered(Str word, const char *const *prefixes, int count, bool may_pair) {
    for (int i = 0; i < count; i++) {
        int length = (int)strlen(prefixes[i]);
        if (word.length <= length || memcmp(word.data, prefixes[i], (size_t)length)) continue;
        int end = digits_from(word, length);
        if (may_pair && end > length && end + 1 < word.length && word.data[end] == '_')
            end = digits_from(word, end + 1);
        if (end > length && end == word.length) return true;
    }
    return false;
}

/* What the function declares around its nests, and its parameter with the program's place. */
static bool is_outside_name(Str word) {
    static const char *const prefixes[] = {"v", "a", "last", "next"};
    return str_is(word, "P") || is_numbered(word, prefixes, COUNT(prefixes), false);
}

/* What a nest may declare: v in the body of a reduce. */
static bool is_local_name(Str word) {
    static const char *const prefixes[] = {"u", "x", "w", "i", "k", "r", "c", "v", "nt", "step"};
    return is_numbered(word, prefixes, COUNT(prefixes), true);
}

static bool is_type_word(Str word) { /* of a declaration, when a name follows */
    static const char *const others[] = {"return", "else", "const", "volatile"};
    for (int i = 0; i < COUNT(others); i++)
        if (str_is(word, others[i])) return false;
    return c_is_letter(word.data[0]);
}

/* The C type of a number that may become a parameter; NULL: it stays as it is written. */
static const char *number_type(Str word) {
    int digits = digits_from(word, 0);
    char last = word.data[word.length - 1];
    bool has_point = false;
    for (int i = 0; i < word.length && !has_point; i++) has_point = word.data[i] == '.';
    if (has_point) return last == 'f' ? "float" : "double";
    bool is_octal = digits > 1 && word.data[0] == '0';
    if (digits == word.length) return digits < 10 && !is_octal ? "int" : NULL;
    bool is_long = digits == word.length - 2 && str_is(part(word, digits, word.length), "LL");
    return is_long && digits < 19 && !is_octal ? "L" : NULL;
}

/* Declarations: TYPE.. [*]NAME = or ;  */
static void note_types(Outline *o, Str s) {
    Str type = {0};
    int start = -1;
    for (int at = 0, end; at < s.length; at = end) {
        end = c_token_end(s, at);
        Str word = part(s, at, end);
        char c = s.data[at];
        if (c == ' ' || (c == '*' && start >= 0)) continue;
        if (!c_is_letter(c)) {
            start = -1;
            continue;
        }
        if (!is_outside_name(word) || start < 0) {
            if (start < 0) start = at;
            continue;
        }
        type = part(s, start, at);
        while (type.length && type.data[type.length - 1] == ' ') type.length--;
        Str *copy = arena_new_of(o->g->arena, Str);
        *copy = type;
        if (!str_is(type, "return") && !map_get(&o->types, word)) map_set(&o->types, word, copy);
        start = -1;
    }
}

/* What follows at `at` assigns to the name before it. */
static bool assigns(Str s, int at) {
    while (at < s.length && s.data[at] == ' ') at++;
    if (at + 1 >= s.length) return false;
    char c = s.data[at], d = s.data[at + 1];
    if (c == '=') return d != '=';
    return (strchr("+-*/%&|^", c) && d == '=') || (c == '+' && d == '+') || (c == '-' && d == '-');
}

/* ---- one nest ---- */

static int outside_of(Outline *o, Copy *copy, Str word, const Str *type) {
    for (int i = 0; i < copy->outside.count; i++)
        if (str_equal(copy->outside.data[i].text, word)) return i;
    vec_push(o->g->arena, &copy->outside, (OutsideName){word, *type, false});
    return copy->outside.count - 1;
}

typedef struct Locals {
    Map map; /* name -> its number + 1, as a pointer into numbers */
    int count;
    char numbers[1 << 12];
} Locals;

static int local_of(Locals *locals, Str word, bool declares) {
    char *known = map_get(&locals->map, word);
    if (known) return (int)(known - locals->numbers);
    if (!declares || locals->count + 1 >= COUNT(locals->numbers)) return -1;
    map_set(&locals->map, word, &locals->numbers[locals->count]);
    return locals->count++;
}

/* False: it cannot be a function. */
static bool scan_nest(Outline *o, Str s, Copy *copy) {
    Arena *arena = o->g->arena;
    Locals *locals = arena_new_of(arena, Locals);
    locals->map.arena = arena;
    bool after_word = false, line_start = true;
    for (int at = copy->start, end; at < copy->end; at = end) {
        end = c_token_end(s, at);
        Token token = {.kind = TOKEN_TEXT, .text = part(s, at, end)};
        char c = s.data[at];
        bool is_word = c_is_letter(c);
        if (line_start && c == ' ') continue;
        line_start = c == '\n';
        if (is_word && (is_local_name(token.text) || is_outside_name(token.text))) {
            const Str *type = map_get(&o->types, token.text);
            int local = local_of(locals, token.text, after_word && is_local_name(token.text));
            if (local >= 0)
                token.kind = TOKEN_LOCAL, token.name = local;
            else if (type) {
                token.kind = TOKEN_OUTSIDE, token.name = outside_of(o, copy, token.text, type);
                if (assigns(s, end)) copy->outside.data[token.name].is_assigned = true;
            } else
                return false;
        } else if (c_is_digit(c) && number_type(token.text))
            token.kind = TOKEN_NUMBER;
        if (str_is(token.text, "return")) copy->returns = true;
        if (c != ' ') after_word = is_type_word(token.text);
        vec_push(arena, &copy->tokens, token);
    }
    return copy->outside.count <= MOST_PARAMS;
}

/* Copies have one key; with numbers, what is the same to the last digit. */
static Str key_of(Outline *o, const Copy *copy, bool with_numbers) {
    Buf key = {.arena = o->g->arena};
    for (int i = 0; i < copy->outside.count; i++)
        buf_printf(&key, "%.*s %d,", STR_ARG(copy->outside.data[i].type),
                   copy->outside.data[i].is_assigned);
    for (int i = 0; i < copy->tokens.count; i++) {
        const Token *token = &copy->tokens.data[i];
        switch (token->kind) {
        case TOKEN_LOCAL: buf_printf(&key, "$%d", token->name); break;
        case TOKEN_OUTSIDE: buf_printf(&key, "@%d", token->name); break;
        case TOKEN_NUMBER:
            if (with_numbers)
                buf_add(&key, token->text.data, (size_t)token->text.length);
            else
                buf_printf(&key, "#%s", number_type(token->text));
            break;
        case TOKEN_TEXT: buf_add(&key, token->text.data, token->text.length); break;
        }
    }
    return buf_str(&key);
}

static void add_to_group(Outline *o, Str key, Copy *copy) {
    Group *group = map_get(&o->groups, key);
    if (!group) {
        group = arena_new_of(o->g->arena, Group);
        map_set(&o->groups, key, group);
        vec_push(o->g->arena, &o->order, group);
    }
    vec_push(o->g->arena, &group->copies, copy);
}

/* ---- functions ---- */

static bool differs_at(const Group *group, int i) {
    Str first = group->copies.data[0]->tokens.data[i].text;
    for (int k = 1; k < group->copies.count; k++)
        if (!str_equal(first, group->copies.data[k]->tokens.data[i].text)) return true;
    return false;
}

/* How many numbers differ; -1: too many, or where C wants a constant. */
static int varying_numbers(const Group *group) {
    const Copy *first = group->copies.data[0];
    int count = 0;
    bool constant = false;
    for (int i = 0; i < first->tokens.count; i++) {
        const Token *token = &first->tokens.data[i];
        if (str_is(token->text, "__builtin_shufflevector")) constant = true;
        if (str_is(token->text, "\n")) constant = false;
        if (token->kind != TOKEN_NUMBER || !differs_at(group, i)) continue;
        if (constant || ++count > MOST_NUMBERS) return -1;
    }
    return count;
}

static void write_tokens(Buf *out, const Group *group) {
    const Copy *first = group->copies.data[0];
    int numbers = 0, depth = 1;
    bool line_start = true;
    for (int i = 0; i < first->tokens.count; i++) {
        const Token *token = &first->tokens.data[i];
        depth += str_is(token->text, "{") - str_is(token->text, "}");
        if (line_start) buf_printf(out, "%*s", 4 * (depth - str_is(token->text, "{")), "");
        line_start = str_is(token->text, "\n");
        if (token->kind == TOKEN_LOCAL)
            buf_printf(out, "y%d", token->name);
        else if (token->kind == TOKEN_OUTSIDE)
            buf_printf(out, first->outside.data[token->name].is_assigned ? "(*p%d)" : "p%d",
                       token->name);
        else if (token->kind == TOKEN_NUMBER && differs_at(group, i))
            buf_printf(out, "n%d", numbers++);
        else
            buf_add(out, token->text.data, token->text.length);
    }
}

static void write_function(Outline *o, const Group *group) {
    Buf *out = o->functions;
    const Copy *first = group->copies.data[0];
    int count = 0;
    buf_printf(out, C_PIECE_START "%s piece%d(KernelRuntime *R, UL *H, int nt",
               first->returns ? "int" : "void", o->count);
    for (int i = 0; i < first->outside.count; i++) {
        const OutsideName *name = &first->outside.data[i];
        buf_printf(out, ", %.*s %sp%d", STR_ARG(name->type), name->is_assigned ? "*" : "", i);
    }
    for (int i = 0; i < first->tokens.count; i++)
        if (first->tokens.data[i].kind == TOKEN_NUMBER && differs_at(group, i))
            buf_printf(out, ", %s n%d", number_type(first->tokens.data[i].text), count++);
    buf_puts(out, ")" C_PIECE_BODY "    (void)R, (void)H, (void)nt;\n");
    write_tokens(out, group);
    buf_printf(out, "%s}\n", first->returns ? "    return 0;\n" : "");
    for (int k = 0; k < group->copies.count; k++) {
        Copy *copy = group->copies.data[k];
        copy->function = o->count;
        for (int i = 0; i < first->tokens.count; i++)
            if (first->tokens.data[i].kind == TOKEN_NUMBER && differs_at(group, i))
                vec_push(o->g->arena, &copy->numbers, copy->tokens.data[i].text);
    }
    o->count++;
}

static void write_groups(Outline *o) {
    VEC(Group *) again = {0};
    for (int i = 0; i < o->order.count; i++) {
        Group *group = o->order.data[i];
        if (group->copies.count < o->least_copies) continue;
        if (varying_numbers(group) >= 0)
            write_function(o, group);
        else
            vec_push(o->g->arena, &again, group);
    }
    o->order.count = 0;
    for (int i = 0; i < again.count; i++)
        for (int k = 0; k < again.data[i]->copies.count; k++) {
            Copy *copy = again.data[i]->copies.data[k];
            add_to_group(o, key_of(o, copy, true), copy);
        }
    for (int i = 0; i < o->order.count; i++)
        if (o->order.data[i]->copies.count >= o->least_copies) write_function(o, o->order.data[i]);
}

static void write_call(Buf *out, Str body, const Copy *copy) {
    for (int i = copy->start; body.data[i] == ' '; i++) buf_putc(out, ' ');
    buf_printf(out, "%spiece%d(R, H, nt", copy->returns ? "if (" : "", copy->function);
    for (int i = 0; i < copy->outside.count; i++)
        buf_printf(out, ", %s%.*s", copy->outside.data[i].is_assigned ? "&" : "",
                   STR_ARG(copy->outside.data[i].text));
    for (int i = 0; i < copy->numbers.count; i++)
        buf_printf(out, ", %.*s", STR_ARG(copy->numbers.data[i]));
    buf_puts(out, copy->returns ? ")) return 1;\n" : ");\n");
}

Str outline(Gen *g, Str before, Str body) {
    Outline o = {
        .g = g, .functions = &g->functions, .least_copies = body.length < PARTED_TEXT ? 2 : 1};
    Buf out = {.arena = g->arena};
    if (body.length < SHORT_TEXT) return body;
    o.types.arena = o.groups.arena = g->arena;
    static Str place = {"const int *", sizeof "const int *" - 1};
    map_set(&o.types, STR("P"), &place);
    note_types(&o, before);
    note_types(&o, body);
    Copy *copies = arena_array(g->arena, Copy, g->nests.count);
    for (int i = 0; i < g->nests.count; i++) {
        copies[i] = (Copy){.start = g->nests.data[i].start, .end = g->nests.data[i].end};
        copies[i].function = -1;
        if (copies[i].end - copies[i].start >= SHORT_PIECE && scan_nest(&o, body, &copies[i]))
            add_to_group(&o, key_of(&o, &copies[i], body.length < LONG_TEXT), &copies[i]);
    }
    write_groups(&o);
    int at = 0;
    for (int i = 0; i < g->nests.count; i++) {
        if (copies[i].function < 0) continue;
        buf_add(&out, body.data + at, copies[i].start - at);
        write_call(&out, body, &copies[i]);
        at = copies[i].end;
    }
    buf_add(&out, body.data + at, body.length - at);
    return buf_str(&out);
}
