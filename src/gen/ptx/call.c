// SPDX-License-Identifier: Apache-2.0
/* call: functions of PTX text and the .params of calls. A body is read anew where it is called;
 * vprintf and __assertfail are the executor's. */
#include "gen/ptx/parser.h"

/* Those of a function's text: not what stands around the call. */
CallArgument *ptx_find_argument(PtxParser *p, Str name) {
    int first = 0;
    for (int d = p->depth - 1; d >= 0 && !first; d--)
        if (p->scopes[d].is_function) first = p->scopes[d].num_arguments;
    for (int i = p->num_arguments - 1; i >= first; i--)
        if (str_equal(p->arguments[i].formal.name, name)) return &p->arguments[i];
    return NULL;
}

/* .align 8 .b8 name[16] */
static bool parse_formal(PtxParser *p, Formal *formal) {
    int64_t align;
    *formal = (Formal){.count = -1};
    if (ptx_accept(p, ".align") && !ptx_expect_align(p, 128, &align)) return false;
    formal->bytes = ptx_type_bytes(p->token.text);
    if (!formal->bytes) return ptx_refuse(p);
    ptx_advance(p);
    if (!ptx_expect_name(p, &formal->name)) return false;
    return !ptx_accept(p, "[") ||
           (ptx_expect_int(p, MOST_PARAM_BYTES, &formal->count) && ptx_expect(p, "]"));
}

/* Inside a scope: of the call that follows. */
bool ptx_declare_argument(PtxParser *p) {
    Formal formal;
    if (!parse_formal(p, &formal) || !ptx_is_free(p, formal.name)) return false;
    if (formal.bytes < 4 && formal.count < 0)
        return ptx_fail(p, DIAG_REFUSED, "a parameter of %d bytes %s", formal.bytes,
                        p->program->where);
    if (ptx_is(p, ",") || ptx_is(p, "<")) return ptx_refuse(p);
    if (p->num_arguments == MOST_CALL_ARGUMENTS)
        return ptx_fail(p, DIAG_REFUSED, "a call with so many arguments %s", p->program->where);
    p->arguments[p->num_arguments++] = (CallArgument){.formal = formal};
    return ptx_expect(p, ";");
}

/* st.param.v2.b64: one type, and at most a width. */
static bool is_param_form(Str mnemonic) {
    Str rest = {mnemonic.data + 8, mnemonic.length - 8};
    if (str_starts(rest, ".v2") || str_starts(rest, ".v4")) rest.data += 3, rest.length -= 3;
    return ptx_type_bytes(rest) > 0;
}

/* Whether st.param of this type takes the word: a register or a number of its kind. */
static bool param_takes(Str mnemonic, const Word *word) {
    const char *type = mnemonic.data + mnemonic.length;
    while (*--type != '.') continue;
    int bytes = ptx_type_bytes((Str){type, (int)(mnemonic.data + mnemonic.length - type)});
    bool is_float = memchr(type, 'f', 3) != NULL, is_bits = type[1] == 'b' && !is_float;
    if (word->in_brackets || word->negated) return false;
    if (word->kind == WORD_NUMBER) return is_bits || is_float == (word->float_kind != 0);
    if (word->kind != WORD_REGISTER) return false;
    int has = word->class == CLASS_B64 ? 8 : word->class == CLASS_B32 ? 4 : 2;
    if (bytes >= 4 ? has != bytes : has < bytes) return false;
    return is_bits || word->declared == PTX_BITS || is_float == (word->declared == PTX_FLOAT);
}

static ArgumentPart *part_at(PtxParser *p, CallArgument *argument, int64_t offset, bool adds) {
    ArgumentPart *part = argument->parts;
    while (part && part->offset != offset) part = part->next;
    if (part || !adds) return part;
    part = arena_new_of(p->arena, ArgumentPart);
    *part = (ArgumentPart){.offset = offset, .next = argument->parts};
    return argument->parts = part;
}

/* st.param.v2.b64 [name+8], {a, b} */
bool ptx_store_argument(PtxParser *p, Statement *s, int line) {
    CallArgument *argument =
        s->num_words > 1 && s->words[0].in_brackets ? ptx_find_argument(p, s->words[0].text) : NULL;
    bool wide = false;
    const char *move = ptx_move_of(s->mnemonic, &wide);
    if (!is_param_form(s->mnemonic)) return ptx_refuse(p);
    if (!argument && s->num_words && s->words[0].kind == WORD_REGISTER && s->words[0].in_brackets)
        return ptx_fail(p, DIAG_REFUSED, "a parameter's address in a register %s",
                        p->program->where);
    if (!argument)
        return ptx_fail(p, DIAG_ERROR, "'st.param' needs a .param of this scope and a value");
    for (int i = 1; i < s->num_words; i++) {
        if (!param_takes(s->mnemonic, &s->words[i]))
            return ptx_fail(p, DIAG_ERROR, "'%.*s' does not fit as an operand of '%.*s'",
                            STR_ARG(s->words[i].text), STR_ARG(s->mnemonic));
        int64_t offset = s->words[0].offset + (i - 1) * (wide ? 8 : 4);
        bool is_new = !part_at(p, argument, offset, false);
        ArgumentPart *part = part_at(p, argument, offset, true);
        s->words[i].group = 0;
        if (!argument->is_result) {
            part->value = s->words[i];
            continue;
        }
        if (!move) return ptx_refuse(p);
        if (is_new) part->value = ptx_new_register(p, wide ? CLASS_B64 : CLASS_B32);
        if (!ptx_emit(p, move, part->value, s->words[i], line)) return false;
    }
    return true;
}

/* ld.param of a call's result, or of a function's parameter. */
bool ptx_load_argument(PtxParser *p, Statement *s, CallArgument *argument, int line) {
    bool wide = false;
    const char *move = ptx_move_of(s->mnemonic, &wide);
    int count = s->num_words - 1;
    while (argument->of) argument = argument->of;
    if (!move) return ptx_refuse(p);
    for (int i = 0; i < count; i++) {
        const ArgumentPart *part =
            part_at(p, argument, s->words[count].offset + i * (wide ? 8 : 4), false);
        if (!part && argument->is_result)
            return ptx_fail(p, DIAG_REFUSED, "a value of '%.*s', which only a GPU gives, %s",
                            STR_ARG(argument->formal.name), p->program->where);
        if (!part)
            return ptx_fail(p, DIAG_ERROR, "nothing was given for this part of '%.*s'",
                            STR_ARG(argument->formal.name));
        s->words[i].group = 0;
        if (!ptx_emit(p, move, s->words[i], part->value, line)) return false;
    }
    return true;
}

/* The function's text is read here, with registers of its own. */
static bool inline_function(PtxParser *p, const Function *function, CallArgument *to, int count,
                            CallArgument **given) {
    if (p->num_arguments + count + 1 > MOST_CALL_ARGUMENTS)
        return ptx_fail(p, DIAG_REFUSED, "calls so deep %s", p->program->where);
    ptx_open_scope(p);
    if (p->failed) return false;
    int depth = p->depth, at = p->at, line = p->line;
    Token token = p->token;
    p->scopes[depth - 1].is_function = true;
    for (int i = 0; i < count; i++)
        p->arguments[p->num_arguments++] =
            (CallArgument){.formal = function->params.data[i], .of = given[i]};
    CallArgument *own = &p->arguments[p->num_arguments];
    if (to)
        p->arguments[p->num_arguments++] =
            (CallArgument){.formal = function->result, .is_result = true};
    p->at = function->at, p->line = function->line;
    ptx_advance(p);
    if (!ptx_expect(p, "{")) return false;
    while (!p->failed && !(p->depth == depth && ptx_is(p, "}"))) ptx_parse_in_body(p);
    if (p->failed) return false;
    map_set(&p->scopes[depth - 1].labels, STR("ret"),
            (void *)((uintptr_t)p->program->code.count + 1));
    if (to) to->parts = own->parts;
    if (!ptx_close_scope(p)) return false;
    p->at = at, p->line = line, p->token = token;
    return true;
}

static bool fits(PtxParser *p, const CallArgument *argument, const Formal *formal) {
    const Formal *is = &argument->formal;
    return (is->bytes == formal->bytes && is->count == formal->count) ||
           ptx_fail(p, DIAG_ERROR, "'%.*s' is not of the type of '%.*s'", STR_ARG(is->name),
                    STR_ARG(formal->name));
}

/* (arg, ..): how many; -1 after an error. */
static int parse_arguments(PtxParser *p, CallArgument **given, int most) {
    Str word;
    int count = 0;
    if (!ptx_expect(p, "(")) return -1;
    if (ptx_accept(p, ")")) return 0;
    do {
        Word reg;
        if (!ptx_expect_word(p, &word)) return -1;
        CallArgument *argument = ptx_find_argument(p, word);
        if (!argument && ptx_find_register(p, word, &reg))
            ptx_fail(p, DIAG_REFUSED, "a register as an argument %s", p->program->where);
        else if (!argument)
            ptx_fail(p, DIAG_ERROR, "there is no argument '%.*s'", STR_ARG(word));
        else if (!argument->parts)
            ptx_fail(p, DIAG_REFUSED, "argument '%.*s', which was given no value, %s",
                     STR_ARG(word), p->program->where);
        else if (count == most)
            ptx_fail(p, DIAG_ERROR, "too many arguments");
        else
            given[count++] = argument;
    } while (!p->failed && ptx_accept(p, ","));
    return !p->failed && ptx_expect(p, ")") ? count : -1;
}

/* What is called is declared, and takes what it is given. */
static bool is_declared_so(PtxParser *p, const Function *function, Str name, CallArgument **given,
                           int count, const CallArgument *to) {
    if (!function) return ptx_fail(p, DIAG_ERROR, "'%.*s' is not declared", STR_ARG(name));
    if (count != function->params.count)
        return ptx_fail(p, DIAG_ERROR, "a call with %d arguments of a function with %d", count,
                        function->params.count);
    if ((to != NULL) != (function->result.name.length > 0))
        return ptx_fail(p, DIAG_ERROR, "'%.*s' gives %s result", STR_ARG(name), to ? "no" : "a");
    for (int i = 0; i < count; i++)
        if (!fits(p, given[i], &function->params.data[i])) return false;
    return !to || fits(p, to, &function->result);
}

/* call (result), name, (arg, ..); after the word call */
bool ptx_parse_call(PtxParser *p, Ins ins, int line) {
    enum { MOST_GIVEN = 16 };
    Str name, word;
    CallArgument *given[MOST_GIVEN], *to = NULL;
    Span span = {p->program->text, p->token.start, p->token.start + p->token.text.length};
    if (ptx_accept(p, "(")) {
        if (!ptx_expect_word(p, &word)) return false;
        to = ptx_find_argument(p, word);
        if (!to) return ptx_fail(p, DIAG_ERROR, "there is no argument '%.*s'", STR_ARG(word));
        if (!ptx_expect(p, ")") || !ptx_expect(p, ",")) return false;
    }
    if (!ptx_expect_word(p, &name)) return false;
    int count = ptx_accept(p, ",") ? parse_arguments(p, given, MOST_GIVEN) : 0;
    const Function *function = map_get(&p->functions, name);
    if (count < 0 || !is_declared_so(p, function, name, given, count, to)) return false;
    if (function->has_body && ins.guard == NO_OPERAND)
        return ptx_expect(p, ";") && inline_function(p, function, to, count, given);
    bool print = str_is(name, "vprintf"), assertion = str_is(name, "__assertfail");
    if (!print && !assertion)
        return ptx_fail(p, DIAG_REFUSED, "a call of '%.*s' %s", STR_ARG(name), p->program->where);
    ins.class = CLASS_CONTROL, ins.op = print ? SIM_PRINT : SIM_ASSERT;
    if (to) to->is_result = true;
    Statement s = {
        .mnemonic = name, .span = span, .diag = p->diag, .program = p->program, .arena = p->arena};
    for (int i = 0; i < count; i++) s.words[s.num_words++] = given[i]->parts->value;
    p->failed = !operands_take(&s, &ins, print ? "ll" : "llrll");
    if (p->failed) return false;
    ptx_add_ins(p, ins, line);
    return ptx_expect(p, ";");
}

static bool function_param(PtxParser *p, Formal *formal) {
    if (ptx_is(p, ".reg")) return ptx_refuse(p);
    return ptx_expect(p, ".param") && parse_formal(p, formal);
}

static bool function_params(PtxParser *p, Function *function) {
    Formal formal;
    if (ptx_accept(p, ")")) return true;
    do {
        if (!function_param(p, &formal)) return false;
        vec_push(p->arena, &function->params, formal);
    } while (ptx_accept(p, ","));
    return ptx_expect(p, ")");
}

/* .func (.param .b64 result) name (.param .b64 a, ..) { .. }: bodies are read where they are
 * called. They were all found before the rest is read, which knows a version. */
bool ptx_parse_function(PtxParser *p, bool is_extern) {
    Function *function = arena_new_of(p->arena, Function);
    Str name;
    *function = (Function){0};
    if (ptx_accept(p, "(") && !ptx_accept(p, ")") &&
        (!function_param(p, &function->result) || !ptx_expect(p, ")")))
        return false;
    if (!ptx_expect_name(p, &name)) return false;
    if (ptx_accept(p, "(") && !function_params(p, function)) return false;
    (void)ptx_accept(p, ".noreturn");
    const Function *known = map_get(&p->functions, name);
    function->has_body = ptx_is(p, "{");
    if (!known || function->has_body) map_set(&p->functions, name, function);
    if (!function->has_body) {
        (void)ptx_accept(p, ";"); /* as ptxas, which can do without */
        return is_extern || !p->version || (known && known->has_body) ||
               ptx_fail(p, DIAG_ERROR, "'%.*s' has no body, and is not .extern", STR_ARG(name));
    }
    if (is_extern) return ptx_fail(p, DIAG_ERROR, "a body of an .extern function");
    function->at = p->token.start, function->line = p->token.line;
    for (int depth = 0; p->token.kind != TOKEN_END; ptx_advance(p)) {
        depth += ptx_is(p, "{") - ptx_is(p, "}");
        if (!depth) break;
    }
    return ptx_expect(p, "}");
}
