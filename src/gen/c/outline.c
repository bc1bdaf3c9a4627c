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
 * becomes a function, so that a C compiler can be given parts of the text at the same time.
 *
 * In a long text ifs and loops of which there are copies become functions, too, when the nests in
 * them are calls already, inner ones first: what is left of `program` is one function, for which a
 * C compiler needs more than twice the time when it is twice as long. What it costs is one more
 * call for each of them that runs. */
#include "gen/c/c.h"
#include "gen/c/piece.h"

enum {
    SHORT_TEXT = 20000,
    PARTED_TEXT = 40000, /* takes gcc some 0.3 s */
    LONG_TEXT = 100000,
    SHORT_PIECE = 200,
    LONG_PIECE = 10000,
    FEW_PARAMS = 40,
    MOST_PARAMS = 1000, /* of a long piece, which has as many lines for each */
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
    bool is_assigned, is_passed; /* by address, to a function */
} OutsideName;

typedef struct Copy {
    Block block;
    int level;    /* 0: a nest; else above those of the blocks in it */
    bool in_loop; /* of the program */
    bool returns;
    Token *tokens;
    int num_tokens;
    VEC(OutsideName) outside;
    VEC(int) own;     /* locals that the function declares */
    VEC(Str) numbers; /* arguments for what differs among the copies */
    Str call;         /* what is written instead; empty: it stays */
} Copy;

typedef struct Group {
    VEC(Copy *) copies;
    int numbers[MOST_NUMBERS], num_numbers; /* tokens that differ, a parameter each */
} Group;

typedef struct Locals {
    Map map; /* name -> its number + 1, as a pointer into numbers */
    int count;
    char numbers[1 << 15];
} Locals;

typedef struct Scan {
    Locals locals;
    VEC(Token) tokens;
    bool line_start, after_word, after_address;
} Scan;

typedef struct Outline {
    Gen *g;
    Map types; /* name -> Str *: its type, of v1, a2, last3, next0 */
    Str body;
    Copy *copies; /* in the order of their starts */
    int num_copies;
    Map groups;
    VEC(Group *) order;
    Buf *functions;
    int count;
    Scan *scan; /* of one block after the other: it is large */
} Outline;

/* ---- scanning ---- */

static Str part(Str s, int from, int to) { return (Str){s.data + from, to - from}; }

/* One of the prefixes, then digits; may_pair: then perhaps _ and digits. */
static bool is_numbered(Str word, const char *const *prefixes, int count, bool may_pair) {
    for (int i = 0; i < count; i++) {
        if (*word.data != *prefixes[i]) continue;
        int length = (int)strlen(prefixes[i]);
        if (word.length <= length || memcmp(word.data, prefixes[i], (size_t)length)) continue;
        int end = c_digits_end(word, length);
        if (may_pair && end > length && end + 1 < word.length && word.data[end] == '_')
            end = c_digits_end(word, end + 1);
        if (end > length && end == word.length) return true;
    }
    return false;
}

/* What the function declares around its blocks, and its parameter with the program's place. */
static bool is_outside_name(Str word) {
    static const char *const prefixes[] = {"v", "a", "last", "next"};
    return str_is(word, "P") || is_numbered(word, prefixes, COUNT(prefixes), false);
}

/* What a block may declare. */
static bool is_local_name(Str word) {
    static const char *const prefixes[] = {"u", "x",  "w",    "i", "k", "r",    "c",
                                           "v", "nt", "step", "e", "n", "turn", "fresh"};
    return is_numbered(word, prefixes, COUNT(prefixes), true);
}

static bool is_type_word(Str word) { /* of a declaration, when a name follows */
    static const char *const others[] = {"return", "else", "const", "volatile"};
    for (int i = 0; i < COUNT(others); i++)
        if (str_is(word, others[i])) return false;
    return c_is_letter(word.data[0]);
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

/* ---- one block ---- */

static int outside_of(Outline *o, Copy *copy, Str word, const Str *type) {
    for (int i = 0; i < copy->outside.count; i++)
        if (str_equal(copy->outside.data[i].text, word)) return i;
    vec_push(o->g->arena, &copy->outside, (OutsideName){word, *type, false, false});
    return copy->outside.count - 1;
}

static int local_of(Locals *locals, Str word, bool declares) {
    char *known = map_get(&locals->map, word);
    if (known) return (int)(known - locals->numbers);
    if (!declares || locals->count + 1 >= COUNT(locals->numbers)) return -1;
    map_set(&locals->map, word, &locals->numbers[locals->count]);
    return locals->count++;
}

static int block_length(const Copy *copy) { return copy->block.end - copy->block.start; }

/* False: it cannot be a function. */
static bool scan_token(Outline *o, Copy *copy, Scan *scan, Str s, int at, int end) {
    Token token = {.kind = TOKEN_TEXT, .text = part(s, at, end)};
    char c = s.data[at];
    if (scan->line_start && c == ' ') return true;
    scan->line_start = c == '\n';
    bool is_local = is_local_name(token.text);
    if (c_is_letter(c) && (is_local || is_outside_name(token.text))) {
        const Str *type = map_get(&o->types, token.text);
        /* What a loop that runs once remembers is its own; in `L k1 = .., e1 = ..` is one type. */
        bool is_own = !copy->in_loop && str_starts(token.text, "last");
        bool declares = is_own || (is_local && (scan->after_word || c == 'e'));
        int known = scan->locals.count, local = local_of(&scan->locals, token.text, declares);
        if (local < 0 && (declares || !type)) return false;
        token.kind = local < 0 ? TOKEN_OUTSIDE : TOKEN_LOCAL;
        token.name = local < 0 ? outside_of(o, copy, token.text, type) : local;
        if (is_own && local == known) vec_push(o->g->arena, &copy->own, local);
        if (local < 0) {
            OutsideName *name = &copy->outside.data[token.name];
            name->is_assigned = name->is_assigned || assigns(s, end);
            name->is_passed = name->is_passed || scan->after_address;
        }
    } else if (c_is_digit(c) && c_number_type(token.text))
        token.kind = TOKEN_NUMBER;
    if (str_is(token.text, "return")) copy->returns = true;
    if (c != ' ') scan->after_word = is_type_word(token.text);
    scan->after_address = c == '&';
    vec_push(o->g->arena, &scan->tokens, token);
    return copy->outside.count <= (block_length(copy) < LONG_PIECE ? FEW_PARAMS : MOST_PARAMS);
}

static bool scan_text(Outline *o, Copy *copy, Scan *scan, Str s, int from, int to) {
    for (int at = from, end; at < to; at = end) {
        end = c_token_end(s, at);
        if (!scan_token(o, copy, scan, s, at, end)) return false;
    }
    return true;
}

/* The first block from *next on, which is moved on to it, that became a call; NULL: none is before
 * `end`. */
static const Copy *next_call(const Outline *o, int *next, int at, int end) {
    for (; *next < o->num_copies && o->copies[*next].block.start < end; ++*next)
        if (o->copies[*next].block.start >= at && o->copies[*next].call.length)
            return &o->copies[*next];
    return NULL;
}

/* False: it cannot be a function. */
static bool scan_block(Outline *o, Copy *copy) {
    Scan *scan = o->scan;
    scan->locals.map = (Map){.arena = o->g->arena};
    scan->locals.count = scan->tokens.count = 0;
    scan->line_start = true, scan->after_word = scan->after_address = false;
    int at = copy->block.start, next = (int)(copy - o->copies) + 1;
    for (const Copy *inner; (inner = next_call(o, &next, at, copy->block.end));
         at = inner->block.end)
        if (!scan_text(o, copy, scan, o->body, at, inner->block.start) ||
            !scan_text(o, copy, scan, inner->call, 0, inner->call.length))
            return false;
    if (!scan_text(o, copy, scan, o->body, at, copy->block.end)) return false;
    copy->num_tokens = scan->tokens.count;
    copy->tokens = arena_array(o->g->arena, Token, copy->num_tokens);
    memcpy(copy->tokens, scan->tokens.data, (size_t)copy->num_tokens * sizeof(Token));
    return true;
}

static bool is_pointer(const OutsideName *name) { return name->is_assigned || name->is_passed; }

/* Copies have one key; with numbers, what is the same to the last digit. */
static Str key_of(Outline *o, const Copy *copy, bool with_numbers) {
    Buf key = {.arena = o->g->arena};
    for (int i = 0; i < copy->outside.count; i++)
        buf_printf(&key, "%.*s %d,", STR_ARG(copy->outside.data[i].type),
                   is_pointer(&copy->outside.data[i]));
    for (int i = 0; i < copy->num_tokens; i++) {
        const Token *token = &copy->tokens[i];
        switch (token->kind) {
        case TOKEN_LOCAL: buf_printf(&key, "$%d", token->name); break;
        case TOKEN_OUTSIDE: buf_printf(&key, "@%d", token->name); break;
        case TOKEN_NUMBER:
            if (with_numbers)
                buf_add(&key, token->text.data, (size_t)token->text.length);
            else
                buf_printf(&key, "#%s", c_number_type(token->text));
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
    Str first = group->copies.data[0]->tokens[i].text;
    for (int k = 1; k < group->copies.count; k++)
        if (!str_equal(first, group->copies.data[k]->tokens[i].text)) return true;
    return false;
}

/* The parameter that a number which differs becomes, or would as the next one. */
static int number_param(const Group *group, int i) {
    for (int p = 0, same; p < group->num_numbers; p++) {
        for (same = 0; same < group->copies.count; same++) {
            const Token *tokens = group->copies.data[same]->tokens;
            if (!str_equal(tokens[i].text, tokens[group->numbers[p]].text)) break;
        }
        if (same == group->copies.count) return p;
    }
    return group->num_numbers;
}

/* False: too many differ, or where C wants a constant. */
static bool find_numbers(Group *group) {
    const Copy *first = group->copies.data[0];
    int differ = 0;
    bool constant = false;
    for (int i = 0; i < first->num_tokens; i++) {
        const Token *token = &first->tokens[i];
        if (str_is(token->text, "__builtin_shufflevector")) constant = true;
        if (str_is(token->text, "\n")) constant = false;
        if (token->kind != TOKEN_NUMBER || !differs_at(group, i)) continue;
        if (constant) return false;
        if (first->block.kind == BLOCK_NEST && ++differ > MOST_NUMBERS) return false;
        if (number_param(group, i) < group->num_numbers) continue;
        if (group->num_numbers == MOST_NUMBERS) return false;
        group->numbers[group->num_numbers++] = i;
    }
    return true;
}

/* A block changes a copy: its loops are to have it in a register. */
static bool is_copied(const Copy *copy, int i) {
    return copy->block.kind != BLOCK_NEST && copy->outside.data[i].is_assigned;
}

static void write_tokens(Buf *out, const Group *group) {
    const Copy *first = group->copies.data[0];
    int depth = 1;
    bool line_start = true;
    for (int i = 0; i < first->num_tokens; i++) {
        const Token *token = &first->tokens[i];
        depth += str_is(token->text, "{") - str_is(token->text, "}");
        if (line_start) buf_printf(out, "%*s", 4 * (depth - str_is(token->text, "{")), "");
        line_start = str_is(token->text, "\n");
        if (token->kind == TOKEN_LOCAL)
            buf_printf(out, "y%d", token->name);
        else if (token->kind == TOKEN_OUTSIDE && is_copied(first, token->name))
            buf_printf(out, "q%d", token->name);
        else if (token->kind == TOKEN_OUTSIDE)
            buf_printf(out, is_pointer(&first->outside.data[token->name]) ? "(*p%d)" : "p%d",
                       token->name);
        else if (token->kind == TOKEN_NUMBER && differs_at(group, i))
            buf_printf(out, "n%d", number_param(group, i));
        else
            buf_add(out, token->text.data, token->text.length);
    }
}

static void write_head(Outline *o, const Group *group) {
    Buf *out = o->functions;
    const Copy *first = group->copies.data[0];
    buf_printf(out, C_PIECE_START "%s piece%d(KernelRuntime *R, UL *H, int nt",
               first->returns ? "int" : "void", o->count);
    for (int i = 0; i < first->outside.count; i++) {
        const OutsideName *name = &first->outside.data[i];
        buf_printf(out, ", %.*s %sp%d", STR_ARG(name->type), is_pointer(name) ? "*" : "", i);
    }
    for (int i = 0; i < group->num_numbers; i++)
        buf_printf(out, ", %s n%d", c_number_type(first->tokens[group->numbers[i]].text), i);
    buf_puts(out, ")" C_PIECE_BODY "    (void)R, (void)H, (void)nt;\n");
}

/* The call, as a line of its own. */
static Str call_text(const Outline *o, const Copy *copy) {
    Buf out = {.arena = o->g->arena};
    for (int i = copy->block.start; o->body.data[i] == ' '; i++) buf_putc(&out, ' ');
    buf_printf(&out, "%spiece%d(R, H, nt", copy->returns ? "if (" : "", o->count);
    for (int i = 0; i < copy->outside.count; i++)
        buf_printf(&out, ", %s%.*s", is_pointer(&copy->outside.data[i]) ? "&" : "",
                   STR_ARG(copy->outside.data[i].text));
    for (int i = 0; i < copy->numbers.count; i++)
        buf_printf(&out, ", %.*s", STR_ARG(copy->numbers.data[i]));
    buf_puts(&out, copy->returns ? ")) return 1;\n" : ");\n");
    return buf_str(&out);
}

static void write_function(Outline *o, const Group *group) {
    Buf *out = o->functions;
    const Copy *first = group->copies.data[0];
    write_head(o, group);
    for (int i = 0; i < first->outside.count; i++)
        if (is_copied(first, i))
            buf_printf(out, "    %.*s q%d = *p%d;\n", STR_ARG(first->outside.data[i].type), i, i);
    for (int i = 0; i < first->own.count; i++)
        buf_printf(out, "    UL y%d = 0;\n", first->own.data[i]);
    write_tokens(out, group);
    for (int i = 0; i < first->outside.count; i++)
        if (is_copied(first, i)) buf_printf(out, "    *p%d = q%d;\n", i, i);
    buf_printf(out, "%s}\n", first->returns ? "    return 0;\n" : "");
    for (int k = 0; k < group->copies.count; k++) {
        Copy *copy = group->copies.data[k];
        for (int i = 0; i < group->num_numbers; i++)
            vec_push(o->g->arena, &copy->numbers, copy->tokens[group->numbers[i]].text);
        copy->call = call_text(o, copy);
    }
    o->count++;
}

static void write_groups(Outline *o, int least_copies) {
    VEC(Group *) again = {0};
    for (int i = 0; i < o->order.count; i++) {
        Group *group = o->order.data[i];
        if (group->copies.count < least_copies) continue;
        if (find_numbers(group))
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
        if (o->order.data[i]->copies.count >= least_copies) write_function(o, o->order.data[i]);
    o->order.count = 0;
}

/* Gives the highest level. */
static int find_blocks(Outline *o) {
    int highest = 0;
    o->num_copies = o->g->blocks.count;
    o->copies = arena_array(o->g->arena, Copy, o->num_copies);
    for (int i = o->num_copies - 1; i >= 0; i--) {
        Copy *copy = &o->copies[i];
        copy->block = o->g->blocks.data[i];
        copy->level = copy->block.kind != BLOCK_NEST;
        for (int k = i + 1; k < o->num_copies; k++) {
            Copy *inner = &o->copies[k];
            if (inner->block.start >= copy->block.end) break;
            if (copy->level <= inner->level) copy->level = inner->level + 1;
            inner->in_loop = inner->in_loop || copy->block.kind == BLOCK_LOOP;
        }
        if (highest < copy->level) highest = copy->level;
    }
    return highest;
}

/* No block of a level is within another. */
static void outline_level(Outline *o, int level) {
    int length = o->body.length;
    o->groups = (Map){.arena = o->g->arena};
    for (int i = 0; i < o->num_copies; i++) {
        Copy *copy = &o->copies[i];
        if (copy->level == level && block_length(copy) >= SHORT_PIECE && scan_block(o, copy))
            add_to_group(o, key_of(o, copy, length < LONG_TEXT), copy);
    }
    write_groups(o, level == 0 && length >= PARTED_TEXT ? 1 : 2);
}

Str outline(Gen *g, Str before, Str body) {
    Outline o = {.g = g, .body = body, .functions = &g->functions};
    Buf out = {.arena = g->arena};
    if (body.length < SHORT_TEXT) return body;
    o.scan = arena_new_of(g->arena, Scan);
    Str place = STR("const int *");
    o.types.arena = g->arena;
    map_set(&o.types, STR("P"), &place);
    note_types(&o, before);
    note_types(&o, body);
    int highest = find_blocks(&o), at = 0, next = 0;
    if (body.length < LONG_TEXT) highest = 0;
    for (int level = 0; level <= highest; level++) outline_level(&o, level);
    for (const Copy *copy; (copy = next_call(&o, &next, at, body.length)); at = copy->block.end) {
        buf_add(&out, body.data + at, copy->block.start - at);
        buf_add(&out, copy->call.data, copy->call.length);
    }
    buf_add(&out, body.data + at, body.length - at);
    return buf_str(&out);
}
