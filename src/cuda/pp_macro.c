// SPDX-License-Identifier: Apache-2.0
/* pp_macro: macros and their expansion, by hide sets: a token remembers the macros that it came out
 * of, and is not expanded by them again (Dave Prosser's algorithm, which C's wording was made
 * from). */
#include "cuda/pp.h"

bool cu_pp_fail(CuPp *pp, const CuToken *token, const char *format, ...) {
    Buf text = {.arena = pp->arena};
    va_list args;
    va_start(args, format);
    buf_vprintf(&text, format, args);
    va_end(args);
    cu_error(pp->diag, token->place, "%.*s", STR_ARG(buf_str(&text)));
    pp->failed = true;
    return false;
}

CuToken *cu_pp_copy(CuPp *pp, const CuToken *token) {
    if (++pp->num_tokens == CU_MAX_TOKENS)
        cu_pp_fail(pp, token, "macros expand to more than %d tokens", CU_MAX_TOKENS);
    CuToken *copy = arena_new_of(pp->arena, CuToken);
    *copy = *token;
    copy->next = NULL;
    return copy;
}

CuToken *cu_pp_end(CuPp *pp, const CuToken *like) {
    CuToken *end = arena_new_of(pp->arena, CuToken);
    *end = (CuToken){.kind = CU_END, .place = like->place, .text = STR(""), .next = end};
    return end;
}

/* ---- hide sets ---- */

static bool is_hidden(const CuHide *hide, Str name) {
    for (; hide; hide = hide->next)
        if (str_equal(hide->name, name)) return true;
    return false;
}

static const CuHide *hidden_too(CuPp *pp, const CuHide *hide, Str name) {
    if (is_hidden(hide, name)) return hide;
    CuHide *more = arena_new_of(pp->arena, CuHide);
    *more = (CuHide){name, hide};
    return more;
}

static const CuHide *hidden_by_both(CuPp *pp, const CuHide *a, const CuHide *b) {
    const CuHide *both = NULL;
    for (; a; a = a->next)
        if (is_hidden(b, a->name)) both = hidden_too(pp, both, a->name);
    return both;
}

/* ---- definitions ---- */

/* The tokens up to the end of the line. */
static CuToken *rest_of_line(CuPp *pp, CuToken *at) {
    CuToken *first = NULL, **end = &first;
    for (; at->kind != CU_END && !at->line_start; at = at->next, end = &(*end)->next)
        *end = cu_pp_copy(pp, at);
    *end = cu_pp_end(pp, at);
    return first;
}

static bool take_params(CuPp *pp, CuMacro *macro, CuToken **at) {
    VEC(Str) params = {0};
    CuToken *t = (*at)->next;
    for (; !cu_is(t, ")"); t = t->next) {
        if (params.count && !cu_is(t, ",")) break;
        if (params.count) t = t->next;
        macro->is_variadic = cu_is(t, "...");
        if (!macro->is_variadic && t->kind != CU_NAME) break;
        vec_push(pp->arena, &params, macro->is_variadic ? STR("__VA_ARGS__") : t->text);
        if (macro->is_variadic && !cu_is(t->next, ")")) break;
        if (t->next->line_start) break;
    }
    macro->params = params.data;
    macro->num_params = params.count;
    *at = t->next;
    return cu_is(t, ")") ||
           cu_pp_fail(pp, t,
                      "expected the names of parameters, then ')', in the definition of "
                      "macro '%.*s'",
                      STR_ARG(macro->name));
}

static bool same_body(const CuToken *a, const CuToken *b) {
    for (; a->kind != CU_END && b->kind != CU_END; a = a->next, b = b->next)
        if (a->kind != b->kind || !str_equal(a->text, b->text)) return false;
    return a->kind == b->kind;
}

void cu_pp_define(CuPp *pp, CuToken *at) {
    if (at->kind != CU_NAME || at->line_start) {
        cu_pp_fail(pp, at, "expected the name of a macro after '#define'");
        return;
    }
    CuMacro *macro = arena_new_of(pp->arena, CuMacro);
    *macro = (CuMacro){.name = at->text, .place = at->place};
    at = at->next;
    if (cu_is(at, "(") && !at->space_before && !at->line_start) {
        macro->is_function = true;
        if (!take_params(pp, macro, &at)) return;
    }
    macro->body = rest_of_line(pp, at);
    const CuMacro *old = map_get(&pp->macros, macro->name);
    if (old && (old->of != OF_TEXT || old->is_function != macro->is_function ||
                old->num_params != macro->num_params || !same_body(old->body, macro->body))) {
        diag_add(pp->diag, DIAG_WARNING, macro->place.span, "macro '%.*s' is defined anew",
                 STR_ARG(macro->name));
        if (old->place.span.source) diag_note(pp->diag, old->place.span, "it was defined here");
    }
    map_set(&pp->macros, macro->name, macro);
}

/* ---- arguments ---- */

typedef struct Argument {
    CuToken *tokens, *expanded; /* end with CU_END; expanded: NULL until asked for */
} Argument;

/* The tokens of one argument; *at is then ',' or ')'. */
static bool take_argument(CuPp *pp, CuToken **at, bool takes_commas, Argument *argument) {
    CuToken **end = &argument->tokens;
    int depth = 0;
    for (; depth || !(cu_is(*at, ")") || (cu_is(*at, ",") && !takes_commas)); *at = (*at)->next) {
        if ((*at)->kind == CU_END) return false;
        if (cu_is(*at, "(")) depth++;
        if (cu_is(*at, ")")) depth--;
        *end = cu_pp_copy(pp, *at);
        end = &(*end)->next;
    }
    *end = cu_pp_end(pp, *at);
    return true;
}

static bool take_arguments(CuPp *pp, const CuMacro *macro, CuToken *name, CuToken **at,
                           Argument *arguments) {
    int count = 0, fixed = macro->num_params - (macro->is_variadic ? 1 : 0);
    *at = name->next->next;
    for (bool more = true; more; more = cu_is(*at, ","), *at = more ? (*at)->next : *at) {
        Argument argument = {0};
        if (!take_argument(pp, at, macro->is_variadic && count == fixed, &argument))
            return cu_pp_fail(pp, name, "the arguments of macro '%.*s' have no ')'",
                              STR_ARG(macro->name));
        if (count < macro->num_params) arguments[count] = argument;
        count++;
    }
    bool none = count == 1 && macro->num_params == 0 ? true : count == fixed && macro->is_variadic;
    if (none && macro->is_variadic) arguments[fixed].tokens = cu_pp_end(pp, name);
    if (none || count == macro->num_params) return true;
    return cu_pp_fail(pp, name, "macro '%.*s' takes %d argument%s, not %d", STR_ARG(macro->name),
                      macro->num_params, macro->num_params == 1 ? "" : "s", count);
}

static Argument *argument_of(const CuMacro *macro, Argument *arguments, const CuToken *token) {
    for (int i = 0; i < macro->num_params && token->kind == CU_NAME; i++)
        if (str_equal(macro->params[i], token->text)) return &arguments[i];
    return NULL;
}

/* ---- # and ## ---- */

static CuToken *stringized(CuPp *pp, const CuToken *hash, const CuToken *list) {
    Buf text = {.arena = pp->arena};
    buf_putc(&text, '"');
    for (const CuToken *t = list; t->kind != CU_END; t = t->next) {
        if (t != list && t->space_before) buf_putc(&text, ' ');
        for (int i = 0; i < t->text.length; i++) {
            char c = t->text.data[i];
            bool quoted = t->kind == CU_STRING || t->kind == CU_CHAR;
            if (quoted && (c == '"' || c == '\\')) buf_putc(&text, '\\');
            buf_putc(&text, c);
        }
    }
    buf_putc(&text, '"');
    CuToken *token = cu_pp_copy(pp, hash);
    token->kind = CU_STRING;
    token->text = buf_str(&text);
    return token;
}

/* a ## b: one token, or none is made of them. */
static void paste(CuPp *pp, CuToken *left, const CuToken *right) {
    Str text = str_format(pp->arena, "%.*s%.*s", STR_ARG(left->text), STR_ARG(right->text));
    Diag quiet = {.arena = pp->arena};
    CuToken *made = cu_lex(pp->arena, source_new(pp->arena, STR("<pasted>"), text), &quiet);
    if (made->kind == CU_END || made->next->kind != CU_END) {
        cu_pp_fail(pp, left, "'%.*s' and '%.*s' make no token together", STR_ARG(left->text),
                   STR_ARG(right->text));
        return;
    }
    left->kind = made->kind;
    left->text = made->text;
}

typedef struct List {
    CuToken *first, **end, *last;
} List;

static void add(List *list, CuToken *token) {
    *list->end = list->last = token;
    list->end = &token->next;
}

static void add_copies(CuPp *pp, List *list, const CuToken *from, const CuToken *like) {
    for (const CuToken *t = from; t->kind != CU_END; t = t->next) {
        add(list, cu_pp_copy(pp, t));
        if (t == from) list->last->space_before = like->space_before;
    }
}

/* The body with arguments in place of parameters; without CU_END at its end. */
static List substituted(CuPp *pp, const CuMacro *macro, Argument *arguments) {
    List list = {0};
    list.end = &list.first;
    for (const CuToken *t = macro->body; t->kind != CU_END && !pp->failed; t = t->next) {
        Argument *argument = argument_of(macro, arguments, t);
        bool pasted_next = cu_is(t->next, "##");
        if (macro->is_function && cu_is(t, "#") && argument_of(macro, arguments, t->next)) {
            add(&list, stringized(pp, t, argument_of(macro, arguments, t->next)->tokens));
            t = t->next;
        } else if (cu_is(t, "##") && t->next->kind != CU_END && t != macro->body) {
            t = t->next;
            argument = argument_of(macro, arguments, t);
            const CuToken *right = argument ? argument->tokens : t;
            if (right->kind == CU_END) continue;
            if (list.last)
                paste(pp, list.last, right);
            else
                add(&list, cu_pp_copy(pp, right));
            if (argument) add_copies(pp, &list, right->next, right->next);
        } else if (argument && pasted_next) {
            add_copies(pp, &list, argument->tokens, t);
        } else if (argument) {
            if (!argument->expanded) argument->expanded = cu_pp_expand_list(pp, argument->tokens);
            add_copies(pp, &list, argument->expanded, t);
        } else {
            add(&list, cu_pp_copy(pp, t));
        }
    }
    return list;
}

/* ---- expansion ---- */

static CuToken *builtin_value(CuPp *pp, const CuMacro *macro, const CuToken *name) {
    int line = 0, column;
    Span span = cu_span(name->place);
    if (span.source) source_position(span.source, span.start, &line, &column);
    CuToken *token = cu_pp_copy(pp, name);
    token->kind = macro->of == OF_LINE ? CU_NUMBER : CU_STRING;
    token->text = macro->of == OF_LINE ? str_format(pp->arena, "%d", line)
                                       : str_format(pp->arena, "\"%.*s\"",
                                                    span.source ? span.source->name.length : 0,
                                                    span.source ? span.source->name.data : "");
    return token;
}

bool cu_pp_expand(CuPp *pp, CuToken **at) {
    CuToken *name = *at, *rest = name->next;
    if (name->kind != CU_NAME || pp->failed || is_hidden(name->hide, name->text)) return false;
    const CuMacro *macro = map_get(&pp->macros, name->text);
    if (!macro) return false;
    const CuHide *hide = name->hide;
    Argument *arguments = NULL;
    if (macro->of != OF_TEXT) {
        CuToken *value = builtin_value(pp, macro, name);
        value->next = rest;
        *at = value;
        return true;
    }
    if (macro->is_function) {
        if (!cu_is(rest, "(")) return false;
        arguments = arena_array(pp->arena, Argument, macro->num_params + 1);
        if (!take_arguments(pp, macro, name, &rest, arguments)) return false;
        hide = hidden_by_both(pp, hide, rest->hide);
        rest = rest->next;
    }
    hide = hidden_too(pp, hide, macro->name);
    CuExpansion *expansion = arena_new_of(pp->arena, CuExpansion);
    *expansion = (CuExpansion){macro->name, name->place.span, name->place.from};
    List list = substituted(pp, macro, arguments);
    for (CuToken *t = list.first; t; t = t->next) {
        for (const CuHide *h = hide; h; h = h->next) t->hide = hidden_too(pp, t->hide, h->name);
        if (!t->place.from) t->place.from = expansion;
        t->line_start = t == list.first && name->line_start;
    }
    if (list.first) list.first->space_before = name->space_before;
    if (list.last) list.last->next = rest;
    *at = list.first ? list.first : rest;
    return true;
}

CuToken *cu_pp_expand_list(CuPp *pp, CuToken *list) {
    List done = {0};
    done.end = &done.first;
    /* Expansion links into what follows: work on a copy. */
    List copy = {0};
    copy.end = &copy.first;
    for (CuToken *t = list; t->kind != CU_END; t = t->next) add(&copy, cu_pp_copy(pp, t));
    CuToken *end = cu_pp_end(pp, list);
    *copy.end = end;
    for (CuToken *t = copy.first; t != end && !pp->failed;) {
        if (cu_pp_expand(pp, &t)) continue;
        CuToken *next = t->next;
        add(&done, t);
        t = next;
    }
    *done.end = cu_pp_end(pp, end);
    return done.first;
}
