// SPDX-License-Identifier: Apache-2.0
/* call: functions of PTX text and the .params of calls. A body is read anew where it is called;
 * vprintf and __assertfail are the executor's. */
#include "gen/ptx/parser.h"

CallArgument *ptx_find_argument(PtxParser *p, Str name) {
    for (int i = p->num_arguments - 1; i >= 0; i--)
        if (str_equal(p->arguments[i].name, name)) return &p->arguments[i];
    return NULL;
}

/* .param .b64 name, .param .align 8 .b8 name[16]; inside a scope: of the call that follows. */
bool ptx_declare_argument(PtxParser *p) {
    Str name;
    int64_t align, size;
    bool is_aligned = ptx_accept(p, ".align");
    if (is_aligned && !ptx_expect_int(p, 16, &align)) return false;
    if (ptx_type_bytes(p->token.text) < (is_aligned ? 1 : 4)) return ptx_refuse(p);
    ptx_advance(p);
    if (!ptx_expect_word(p, &name)) return false;
    if (ptx_accept(p, "[") && (!ptx_expect_int(p, MOST_PARAM_BYTES, &size) || !ptx_expect(p, "]")))
        return false;
    if (p->num_arguments == MOST_CALL_ARGUMENTS)
        return ptx_fail(p, DIAG_REFUSED, "a call with so many arguments %s", p->program->where);
    p->arguments[p->num_arguments++] = (CallArgument){.name = name};
    return ptx_expect(p, ";");
}

/* st.param.v2.b64: one type, and at most a width. */
static bool is_param_form(Str mnemonic) {
    Str rest = {mnemonic.data + 8, mnemonic.length - 8};
    if (str_starts(rest, ".v2") || str_starts(rest, ".v4")) rest.data += 3, rest.length -= 3;
    return ptx_type_bytes(rest) > 0;
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
    if (!argument)
        return ptx_fail(p, DIAG_ERROR, "'st.param' needs a .param of this scope and a value");
    for (int i = 1; i < s->num_words; i++) {
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
                            STR_ARG(argument->name), p->program->where);
        if (!part)
            return ptx_fail(p, DIAG_ERROR, "nothing was given for this part of '%.*s'",
                            STR_ARG(argument->name));
        s->words[i].group = 0;
        if (!ptx_emit(p, move, s->words[i], part->value, line)) return false;
    }
    return true;
}

/* The function's text is read here, with registers of its own. */
static bool inline_function(PtxParser *p, const Function *function, Str result, int count,
                            CallArgument **given) {
    CallArgument *to = result.length ? ptx_find_argument(p, result) : NULL;
    if (count != function->params.count)
        return ptx_fail(p, DIAG_ERROR, "a call with %d arguments of a function with %d", count,
                        function->params.count);
    if (p->num_arguments + count + 1 > MOST_CALL_ARGUMENTS)
        return ptx_fail(p, DIAG_REFUSED, "calls so deep %s", p->program->where);
    ptx_open_scope(p);
    if (p->failed) return false;
    int depth = p->depth, at = p->at, line = p->line;
    Token token = p->token;
    p->scopes[depth - 1].is_function = true;
    for (int i = 0; i < count; i++)
        p->arguments[p->num_arguments++] =
            (CallArgument){.name = function->params.data[i], .of = given[i]};
    CallArgument *own = &p->arguments[p->num_arguments];
    if (function->result.length)
        p->arguments[p->num_arguments++] =
            (CallArgument){.name = function->result, .is_result = true};
    p->at = function->at, p->line = function->line;
    ptx_advance(p);
    if (!ptx_expect(p, "{")) return false;
    while (!p->failed && !(p->depth == depth && ptx_is(p, "}"))) ptx_parse_in_body(p);
    if (p->failed) return false;
    map_set(&p->scopes[depth - 1].labels, STR("ret"),
            (void *)((uintptr_t)p->program->code.count + 1));
    if (to && function->result.length) to->parts = own->parts;
    if (!ptx_close_scope(p)) return false;
    p->at = at, p->line = line, p->token = token;
    return true;
}

/* call (result), name, (arg, ..); after the word call */
bool ptx_parse_call(PtxParser *p, Ins ins, int line) {
    Str name, word, result = STR("");
    CallArgument *given[16];
    Span span = {p->program->text, p->token.start, p->token.start + p->token.text.length};
    if (ptx_accept(p, "(") &&
        (!ptx_expect_word(p, &result) || !ptx_expect(p, ")") || !ptx_expect(p, ",")))
        return false;
    if (!ptx_expect_word(p, &name)) return false;
    Statement s = {
        .mnemonic = name, .span = span, .diag = p->diag, .program = p->program, .arena = p->arena};
    if (ptx_accept(p, ",")) {
        if (!ptx_expect(p, "(")) return false;
        while (!ptx_is(p, ")")) {
            CallArgument *argument = ptx_expect_word(p, &word) ? ptx_find_argument(p, word) : NULL;
            if (p->failed) return false;
            if (!argument || !argument->parts)
                return ptx_fail(p, DIAG_ERROR, "argument '%.*s' was given no value", STR_ARG(word));
            if (s.num_words == COUNT(given)) return ptx_fail(p, DIAG_ERROR, "too many arguments");
            given[s.num_words] = argument;
            s.words[s.num_words++] = argument->parts->value;
            if (!ptx_is(p, ")") && !ptx_expect(p, ",")) return false;
        }
        ptx_advance(p);
    }
    const Function *function = map_get(&p->functions, name);
    if (function && ins.guard == NO_OPERAND)
        return ptx_expect(p, ";") && inline_function(p, function, result, s.num_words, given);
    ins.class = CLASS_CONTROL;
    bool print = str_is(name, "vprintf"), assertion = str_is(name, "__assertfail");
    if (!print && !assertion)
        return ptx_fail(p, DIAG_REFUSED, "a call of '%.*s' %s", STR_ARG(name), p->program->where);
    ins.op = print ? SIM_PRINT : SIM_ASSERT;
    CallArgument *given_back = print && result.length ? ptx_find_argument(p, result) : NULL;
    if (given_back) given_back->is_result = true;
    p->failed = !ptx_decode_call(&s, &ins, print ? "ll" : "llrll");
    if (p->failed) return false;
    ptx_add_ins(p, ins, line);
    return ptx_expect(p, ";");
}

static bool function_param(PtxParser *p, Str *name) {
    int64_t align, size;
    if (!ptx_expect(p, ".param")) return false;
    if (ptx_accept(p, ".align") && !ptx_expect_int(p, 16, &align)) return false;
    if (!ptx_type_bytes(p->token.text)) return ptx_refuse(p);
    ptx_advance(p);
    return ptx_expect_name(p, name) &&
           (!ptx_accept(p, "[") ||
            (ptx_expect_int(p, MOST_PARAM_BYTES, &size) && ptx_expect(p, "]")));
}

/* .func (.param .b64 result) name (.param .b64 a, ..) { .. }, or ';': bodies are read where
 * they are called. */
bool ptx_parse_function(PtxParser *p) {
    Function *function = arena_new_of(p->arena, Function);
    Str name;
    *function = (Function){0};
    if (ptx_accept(p, "(") && (!function_param(p, &function->result) || !ptx_expect(p, ")")))
        return false;
    if (!ptx_expect_name(p, &name)) return false;
    if (ptx_accept(p, "(")) {
        while (!ptx_is(p, ")")) {
            Str param;
            if (!function_param(p, &param)) return false;
            vec_push(p->arena, &function->params, param);
            if (!ptx_is(p, ")") && !ptx_expect(p, ",")) return false;
        }
        ptx_advance(p);
    }
    (void)ptx_accept(p, ".noreturn");
    if (!ptx_is(p, "{")) return ptx_expect(p, ";");
    function->at = p->token.start, function->line = p->token.line;
    map_set(&p->functions, name, function);
    for (int depth = 0; p->token.kind != TOKEN_END; ptx_advance(p)) {
        depth += ptx_is(p, "{") - ptx_is(p, "}");
        if (!depth) break;
    }
    return ptx_expect(p, "}");
}
