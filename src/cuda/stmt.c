// SPDX-License-Identifier: Apache-2.0
/* stmt: statements. The IR's control flow is structured, so a jump sets a flag, and what it jumps
 * over stands under `if (!flag)`:
 *
 *     for (..) {                    while (!broken && ..) {
 *         if (a) break;                 if (a) broken = true;
 *         rest;                         if (!broken) rest;
 *     }                             }
 *
 * Where one arm of an if always jumps, the rest of the block goes into the other arm, and no flag
 * is read. Flags are variables like others: those that nobody reads are gone after `promote`. */
#include "cuda/front.h"

typedef enum Ending {
    GOES_ON,
    MAY_JUMP, /* what follows asks the flags */
    ENDS,     /* what follows is not reached */
} Ending;

static Ending statement(CuLower *l, bool in_block);
static Ending items(CuLower *l);

/* ---- flags ---- */

static void set_flag(CuLower *l, Value *flag, bool on) {
    if (flag) cu_store_to(l, flag, cu_type(CU_BOOL), build_int(&l->b, type_scalar(TYPE_I1), on));
}

static Value *new_flag(CuLower *l) {
    Value *flag = cu_alloc(l, cu_type(CU_BOOL), ALLOC_LOCAL, STR(""));
    set_flag(l, flag, false);
    return flag;
}

/* 1 while none of the jumps was made. */
static Value *still_here(CuLower *l, bool with_continue) {
    Value *flags[] = {l->call->returned, l->flags.broken,
                      with_continue ? l->flags.continued : NULL};
    Value *any = NULL;
    for (int i = 0; i < COUNT(flags); i++) {
        if (!flags[i]) continue;
        Value *on = cu_load_from(l, flags[i], cu_type(CU_BOOL));
        any = any ? cu_op2(l, OP_OR, any, on) : on;
    }
    return cu_op2(l, OP_XOR, any, build_int(&l->b, type_scalar(TYPE_I1), 1));
}

/* Behind the statement that begins at `t`: of what is in brackets, and of compound ones, the
 * whole. */
static CuToken *statement_end(CuToken *t) {
    if (cu_is(t, "{")) return cu_skip(t);
    if (cu_is(t, "if") || cu_is(t, "for") || cu_is(t, "while") || cu_is(t, "switch")) {
        bool is_if = cu_is(t, "if");
        while (!cu_is(t, "(") && t->kind != CU_END) t = t->next;
        t = statement_end(cu_skip(t));
        return is_if && cu_is(t, "else") ? statement_end(t->next) : t;
    }
    if (cu_is(t, "do")) t = statement_end(t->next);
    while (!cu_is(t, ";") && !cu_is(t, "}") && t->kind != CU_END)
        t = cu_is(t, "(") || cu_is(t, "{") || cu_is(t, "[") ? cu_skip(t) : t->next;
    return cu_is(t, ";") ? t->next : t;
}

static bool mentions(const CuToken *from, const CuToken *to, const char *word) {
    for (; from != to && from->kind != CU_END; from = from->next)
        if (from->kind == CU_NAME && str_is(from->text, word)) return true;
    return false;
}

/* ---- if ---- */

static void empty_region(CuLower *l, Region **region) {
    Builder outer;
    *region = cu_begin(l, &outer);
    cu_end(l, &outer, NULL);
}

/* float(x), a::B<int>(x).f(); but int (*f)(int) is a declaration. */
static bool is_functional_cast(CuToken *t) {
    bool has_arguments = cu_is(t, "decltype") || cu_is(t, "__typeof__") || cu_is(t, "alignas") ||
                         cu_is(t, "__align__") || cu_is(t, "__attribute__");
    while (cu_is(t->next, "::") && t->next->next->kind == CU_NAME) t = t->next->next;
    CuToken *open = cu_is(t->next, "<") ? cu_skip_angles(t->next) : t->next, *inside = open->next;
    bool groups = (cu_is(inside, "*") || cu_is(inside, "&")) && inside->next->kind == CU_NAME &&
                  cu_is(inside->next->next, ")");
    return cu_is(open, "(") && !groups && !has_arguments;
}

static bool starts_declaration(CuLower *l) {
    return cu_starts_type(l) && !is_functional_cast(l->at);
}

/* The rest of the block goes where the if goes on. */
static Ending if_statement(CuLower *l, bool in_block) {
    CuScope scope = {.outer = l->scope};
    Builder outer;
    uint64_t known;
    cu_accept(l, "constexpr");
    cu_expect(l, "(", "after 'if'");
    if (starts_declaration(l))
        cu_unsupported(l, l->at->place, "a declaration in an if's condition");
    Value *condition = l->panic ? NULL : cu_condition(l, cu_expression(l));
    cu_expect(l, ")", "after the condition of 'if'");
    if (l->panic) return GOES_ON;
    if (value_is_constant(condition, &known)) { /* the other arm is not looked at */
        CuToken *no = statement_end(l->at);
        Ending ending = GOES_ON;
        if (known) ending = statement(l, false);
        if (l->panic) return ending;
        l->at = no;
        if (!cu_accept(l, "else")) return ending;
        if (!known) return statement(l, false);
        l->at = statement_end(l->at);
        return ending;
    }
    Region *regions[2];
    Ending endings[2] = {GOES_ON, GOES_ON};
    regions[0] = cu_begin(l, &outer);
    l->scope = &scope;
    endings[0] = statement(l, false);
    l->scope = scope.outer;
    cu_end(l, &outer, NULL);
    bool has_else = cu_accept(l, "else");
    regions[1] = cu_begin(l, &outer);
    scope.names = NULL;
    l->scope = &scope;
    if (has_else) endings[1] = statement(l, false);
    l->scope = scope.outer;
    if (in_block && endings[0] == ENDS && endings[1] == GOES_ON && !l->panic) {
        endings[1] = items(l);
        if (endings[1] == GOES_ON) endings[1] = MAY_JUMP; /* nothing of this block is left */
    }
    cu_end(l, &outer, NULL);
    cu_if(l, condition, regions[0], regions[1], NULL);
    if (endings[0] == ENDS && endings[1] == ENDS) return ENDS;
    return endings[0] == GOES_ON && endings[1] == GOES_ON ? GOES_ON : MAY_JUMP;
}

/* ---- loops ---- */

typedef struct Loop {
    CuFlags outer;
    bool jumps; /* its test asks the flags */
    CuToken *body_end;
} Loop;

static Loop begin_loop(CuLower *l, CuToken *body) {
    Loop loop = {.outer = l->flags, .body_end = statement_end(body)};
    bool returns = mentions(body, loop.body_end, "return");
    loop.jumps = returns || mentions(body, loop.body_end, "break");
    l->flags = (CuFlags){new_flag(l), new_flag(l)};
    return loop;
}

static Ending end_loop(CuLower *l, const Loop *loop, CuToken *body) {
    l->flags = loop->outer;
    return mentions(body, loop->body_end, "return") ? MAY_JUMP : GOES_ON;
}

/* The condition at l->at, up to `end`; nothing there: true. With flags: false once one is set. */
static Value *loop_test(CuLower *l, const Loop *loop, const char *end) {
    const Type *type = type_scalar(TYPE_I1);
    Value *go = NULL, *condition;
    Region *yes = NULL, *no;
    Builder outer;
    bool empty = cu_is(l->at, end);
    if (loop->jumps) {
        go = still_here(l, false);
        yes = cu_begin(l, &outer);
    }
    condition = empty ? build_int(&l->b, type, 1) : cu_condition(l, cu_expression(l));
    if (!loop->jumps) return condition;
    cu_end(l, &outer, condition);
    no = cu_begin(l, &outer);
    Value *off = build_int(&l->b, type, 0);
    cu_end(l, &outer, off);
    return cu_if(l, go, yes, no, type);
}

static void build_while(CuLower *l, Region *test, Region *body) {
    Region *regions[] = {test, body};
    build_op(&l->b, OP_WHILE, 0, NULL, 0, NULL, 2, regions);
}

/* The step of a for; tokens up to ')'. */
static void loop_step(CuLower *l, const Loop *loop, CuToken *step) {
    Builder outer;
    Value *go = NULL;
    Region *yes = NULL, *no;
    if (!step || cu_is(step, ")")) return;
    if (loop->jumps) {
        go = still_here(l, false);
        yes = cu_begin(l, &outer);
    }
    l->at = step;
    cu_expression(l);
    if (!l->panic && !cu_is(l->at, ")")) cu_expect(l, ")", "after the step of 'for'");
    if (!loop->jumps) return;
    cu_end(l, &outer, NULL);
    empty_region(l, &no);
    cu_if(l, go, yes, no, NULL);
}

static void loop_body(CuLower *l, CuToken *body) {
    CuScope scope = {.outer = l->scope};
    l->at = body;
    l->scope = &scope;
    set_flag(l, l->flags.continued, false);
    statement(l, false);
    l->scope = scope.outer;
}

/* ---- for (T x : range) ---- */

/* The ':' of what begins at '('; NULL: it is another loop. */
static CuToken *range_colon(CuToken *open) {
    CuToken *t = open->next;
    while (!cu_is(t, ";") && !cu_is(t, ")") && !cu_is(t, ":") && t->kind != CU_END)
        t = cu_is(t, "(") || cu_is(t, "{") || cu_is(t, "[") ? cu_skip(t) : t->next;
    return cu_is(t, ":") ? t : NULL;
}

/* Of an array, or of what has begin() and end() that are pointers. */
static CuVal range_end(CuLower *l, CuVal range, const char *name) {
    if (range.type->kind == CU_ARRAY && range.is_place) {
        CuVal count = {.type = cu_type(CU_LONG), .place = range.place};
        count.value = cu_int(l, count.type, strcmp(name, "end") ? 0 : range.type->count);
        return cu_binary_values(l, "+", cu_value(l, range), count);
    }
    CuVal *self = arena_new_of(l->arena, CuVal);
    *self = range;
    bool is_class = range.type->kind == CU_STRUCT && range.type->record->decl;
    const CuName *found = is_class ? cu_member(l, range.type->record, self, str_of(name)) : NULL;
    if (!found || found->kind != NAME_FUNCTION)
        return cu_unsupported(l, range.place, "a loop over '%.*s'",
                              STR_ARG(cu_name(l->arena, range.type)));
    CuCallee callee = {.name = found->name,
                       .first = found->decl,
                       .record = found->record,
                       .self = found->self,
                       .place = range.place};
    CuVal at = cu_value(l, cu_call(l, &callee, 0, NULL));
    if (!l->panic && at.type->kind != CU_POINTER)
        cu_unsupported(l, range.place, "a loop over what is no array");
    return at;
}

static void bind_element(CuLower *l, CuToken *declaration, CuVal element) {
    CuSpecifiers s;
    CuDeclarator d;
    l->at = declaration;
    if (!cu_specifiers(l, &s) || !cu_declarator(l, s.type, &d)) return;
    if (!d.name) cu_bad(l, element.place, "a loop over elements without a name");
    if (l->panic) return;
    const CuType *type = d.type ? d.type : cu_plain(l->arena, element.type);
    CuName name = {.name = d.name->text, .val = element};
    if (s.is_const) type = cu_qualified(l->arena, type, true, false);
    if (!d.is_reference) {
        name.val.value = cu_alloc(l, type, ALLOC_LOCAL, d.name->text);
        cu_initialize_from(l, name.val.value, cu_plain(l->arena, type), element, "this element");
    } else if (!cu_same(type, element.type)) {
        cu_bad(l, d.name->place, "a reference to '%.*s' is bound to '%.*s'",
               STR_ARG(cu_name(l->arena, type)), STR_ARG(cu_name(l->arena, element.type)));
    }
    name.val.type = type;
    cu_bind(l, name);
}

static Ending range_statement(CuLower *l, CuToken *open, CuToken *colon) {
    CuToken *declaration = open->next, *body = cu_skip(open);
    CuScope scope = {.outer = l->scope};
    Builder outer;
    l->at = colon->next;
    CuVal range = cu_expression(l);
    cu_expect(l, ")", "after what a loop is over");
    CuVal from = l->panic ? range : range_end(l, range, "begin");
    CuVal end = l->panic ? range : range_end(l, range, "end");
    if (l->panic) return GOES_ON;
    Value *cursor = cu_alloc(l, from.type, ALLOC_LOCAL, STR(""));
    cu_store_to(l, cursor, from.type, from.value);
    Loop loop = begin_loop(l, body);
    Region *test = cu_begin(l, &outer);
    Value *go = cu_icmp(l, ICMP_NE, cu_load_from(l, cursor, from.type), end.value);
    if (loop.jumps) go = cu_op2(l, OP_AND, go, still_here(l, false));
    cu_end(l, &outer, go);
    Region *turn = cu_begin(l, &outer);
    CuVal element = {.type = from.type->of, .is_place = true, .place = declaration->place};
    element.value = cu_load_from(l, cursor, from.type);
    CuVal next = {.type = from.type, .value = element.value, .place = range.place};
    CuVal one = {.type = cu_type(CU_LONG), .place = range.place};
    one.value = cu_int(l, one.type, 1);
    next = cu_binary_values(l, "+", next, one);
    if (!l->panic) cu_store_to(l, cursor, from.type, next.value);
    l->scope = &scope;
    bind_element(l, declaration, element);
    if (!l->panic) loop_body(l, body);
    l->scope = scope.outer;
    cu_end(l, &outer, NULL);
    build_while(l, test, turn);
    return end_loop(l, &loop, body);
}

static Ending for_statement(CuLower *l) {
    CuToken *colon = range_colon(l->at);
    if (colon && cu_is(l->at, "(")) return range_statement(l, l->at, colon);
    CuScope scope = {.outer = l->scope};
    CuToken *open = l->at, *step = NULL;
    Builder outer;
    if (!cu_expect(l, "(", "after 'for'")) return GOES_ON;
    l->scope = &scope;
    if (cu_starts_type(l)) {
        cu_declaration(l);
    } else if (!cu_accept(l, ";")) {
        cu_expression(l);
        cu_expect(l, ";", "after the start of 'for'");
    }
    CuToken *body = cu_skip(open);
    Loop loop = begin_loop(l, body);
    Region *test = cu_begin(l, &outer);
    Value *go = l->panic ? NULL : loop_test(l, &loop, ";");
    cu_expect(l, ";", "after the condition of 'for'");
    step = l->at;
    if (!go) go = build_int(&l->b, type_scalar(TYPE_I1), 0);
    cu_end(l, &outer, go);
    Region *turn = cu_begin(l, &outer);
    if (!l->panic) loop_body(l, body);
    CuToken *end = l->at;
    if (!l->panic) loop_step(l, &loop, step);
    cu_end(l, &outer, NULL);
    build_while(l, test, turn);
    if (!l->panic) l->at = end;
    l->scope = scope.outer;
    return end_loop(l, &loop, body);
}

static Ending while_statement(CuLower *l) {
    Builder outer;
    CuToken *open = l->at;
    if (!cu_expect(l, "(", "after 'while'")) return GOES_ON;
    CuToken *body = cu_skip(open);
    Loop loop = begin_loop(l, body);
    Region *test = cu_begin(l, &outer);
    Value *go = loop_test(l, &loop, ")");
    cu_expect(l, ")", "after the condition of 'while'");
    cu_end(l, &outer, go);
    Region *turn = cu_begin(l, &outer);
    if (!l->panic) loop_body(l, body);
    cu_end(l, &outer, NULL);
    build_while(l, test, turn);
    return end_loop(l, &loop, body);
}

/* The body stands before the test: in the test's region. */
static Ending do_statement(CuLower *l) {
    Builder outer;
    CuToken *body = l->at;
    Loop loop = begin_loop(l, body);
    Region *test = cu_begin(l, &outer), *turn;
    loop_body(l, body);
    cu_expect(l, "while", "after the body of 'do'");
    cu_expect(l, "(", "after 'while'");
    Value *go = l->panic ? build_int(&l->b, type_scalar(TYPE_I1), 0) : loop_test(l, &loop, ")");
    cu_expect(l, ")", "after the condition of 'while'");
    cu_end(l, &outer, go);
    empty_region(l, &turn);
    build_while(l, test, turn);
    cu_expect(l, ";", "after 'do .. while'");
    return end_loop(l, &loop, body);
}

/* ---- switch: from the label that fits on, each group of statements under `if (running)` ---- */

typedef struct Switch {
    CuVal value;
    Value *running, *matched; /* i1 in memory */
    bool has_default;
} Switch;

/* Behind 'case': whether the value is this one. */
static Value *fits_case(CuLower *l, const Switch *s) {
    int64_t value;
    CuPlace place = l->at->place;
    if (!cu_constant(l, "the value of a case", &value))
        return build_int(&l->b, type_scalar(TYPE_I1), 0);
    Value *is = cu_int(l, s->value.type, value);
    if (constant_to_int(is->type, constant_bits(is->def)) != value && cu_is_signed(s->value.type))
        cu_bad(l, place, "a case that the value cannot have");
    return cu_icmp(l, ICMP_EQ, s->value.value, is);
}

/* Behind 'default': whether the value is none of those before, nor of those after it. */
static Value *fits_default(CuLower *l, const Switch *s) {
    CuToken *here = l->at;
    Value *matched = cu_load_from(l, s->matched, cu_type(CU_BOOL));
    for (CuToken *t = here; !cu_is(t, "}") && t->kind != CU_END && !l->panic;) {
        if (cu_is(t, "switch")) t = statement_end(t);
        bool opens = cu_is(t, "{") || cu_is(t, "(") || cu_is(t, "[");
        if (cu_is(t, "case")) {
            l->at = t->next;
            matched = cu_op2(l, OP_OR, matched, fits_case(l, s));
        }
        if (!cu_is(t, "}")) t = opens ? cu_skip(t) : t->next;
    }
    l->at = here;
    return cu_op2(l, OP_XOR, matched, build_int(&l->b, type_scalar(TYPE_I1), 1));
}

static void label(CuLower *l, Switch *s) {
    const CuType *flag = cu_type(CU_BOOL);
    CuPlace place = l->at->place;
    Value *fits;
    if (cu_accept(l, "default")) {
        if (s->has_default) cu_bad(l, place, "a second 'default'");
        s->has_default = true;
        fits = fits_default(l, s);
    } else {
        cu_accept(l, "case");
        fits = fits_case(l, s);
        cu_store_to(l, s->matched, flag, cu_op2(l, OP_OR, cu_load_from(l, s->matched, flag), fits));
    }
    cu_expect(l, ":", "after a label");
    Value *running = cu_load_from(l, s->running, flag);
    cu_store_to(l, s->running, flag, cu_op2(l, OP_OR, running, fits));
}

static bool at_label(const CuLower *l) {
    return cu_is(l->at, "case") || (cu_is(l->at, "default") && cu_is(l->at->next, ":"));
}

static void group(CuLower *l, const Switch *s) {
    Builder outer;
    Region *no;
    Value *here =
        cu_op2(l, OP_AND, cu_load_from(l, s->running, cu_type(CU_BOOL)), still_here(l, true));
    Region *yes = cu_begin(l, &outer);
    items(l);
    cu_end(l, &outer, NULL);
    empty_region(l, &no);
    cu_if(l, here, yes, no, NULL);
}

static Ending switch_statement(CuLower *l) {
    CuScope scope = {.outer = l->scope};
    CuFlags outer = l->flags;
    Switch s = {0};
    cu_expect(l, "(", "after 'switch'");
    s.value = l->panic ? cu_poison(l, l->at->place) : cu_promoted(l, cu_expression(l));
    if (!l->panic && !cu_is_integer(s.value.type))
        cu_bad(l, s.value.place, "a switch over '%.*s'", STR_ARG(cu_name(l->arena, s.value.type)));
    cu_expect(l, ")", "after the value of 'switch'");
    CuToken *body = l->at, *end = statement_end(body);
    cu_expect(l, "{", "after 'switch (..)'");
    if (l->panic) return GOES_ON;
    s.running = new_flag(l), s.matched = new_flag(l);
    l->flags = (CuFlags){new_flag(l), outer.continued};
    l->scope = &scope;
    if (!at_label(l))
        cu_unsupported(l, l->at->place, "statements of a switch before its first label");
    while (!l->panic && !cu_is(l->at, "}") && l->at->kind != CU_END) {
        if (at_label(l))
            label(l, &s);
        else
            group(l, &s);
    }
    l->scope = scope.outer;
    l->flags = outer;
    cu_expect(l, "}", "after the cases");
    bool jumps = mentions(body, end, "return") || mentions(body, end, "continue");
    return jumps ? MAY_JUMP : GOES_ON;
}

/* ---- jumps ---- */

/* A function of type auto has that of the first value that it returns. */
static const CuType *auto_result(CuLower *l, CuCall *call, const CuVal *val) {
    if (!call->result && !l->panic) {
        const CuType *type = cu_plain(l->arena, val->type);
        if (type->kind == CU_ARRAY) type = cu_pointer(l->arena, type->of);
        call->result = type;
        if (type->kind != CU_VOID)
            call->result_at = cu_alloc(l, type, ALLOC_LOCAL, call->decl->name);
    }
    return call->result ? call->result : cu_type(CU_VOID);
}

static void store_result(CuLower *l, CuCall *call, CuPlace place) {
    CuVal val = {.place = place};
    if (cu_is(l->at, "{") && call->result && call->result->kind != CU_VOID && !call->is_reference) {
        cu_initialize(l, call->result_at, call->result);
        return;
    }
    l->wants_place = call->is_reference;
    val = cu_expression(l);
    l->wants_place = false;
    const CuType *type = l->panic ? cu_type(CU_VOID) : auto_result(l, call, &val);
    if (!l->panic && type->kind == CU_VOID && val.type->kind != CU_VOID)
        cu_bad(l, val.place, "a function of type void returns a value");
    if (l->panic || type->kind == CU_VOID) return;
    if (!call->is_reference) {
        cu_initialize_from(l, call->result_at, type, val, "this result");
        return;
    }
    bool derives = type->kind == CU_STRUCT && val.type->kind == CU_STRUCT &&
                   cu_derives(val.type->record, type->record);
    if (!val.is_place)
        cu_unsupported(l, val.place, "a reference to a temporary");
    else if (!derives && !cu_same(type, val.type))
        cu_bad(l, val.place, "a reference to '%.*s' is bound to '%.*s'",
               STR_ARG(cu_name(l->arena, type)), STR_ARG(cu_name(l->arena, val.type)));
    if (l->panic) return;
    cu_escapes(l, val.value);
    if (derives) val = cu_base_of(l, val, type->record);
    cu_store_to(l, call->result_at, cu_result_held(l, call), val.value);
}

static Ending return_statement(CuLower *l, CuPlace place) {
    CuCall *call = l->call;
    if (!cu_is(l->at, ";")) {
        store_result(l, call, place);
        if (l->panic) return GOES_ON;
    } else if (call->result && call->result->kind != CU_VOID) {
        cu_bad(l, place, "'%.*s' returns a value of type '%.*s'", STR_ARG(call->decl->name),
               STR_ARG(cu_name(l->arena, call->result)));
    }
    set_flag(l, call->returned, true);
    cu_expect(l, ";", "after 'return'");
    return ENDS;
}

static Ending jump(CuLower *l, CuToken *word) {
    Value *flag = cu_is(word, "break") ? l->flags.broken : l->flags.continued;
    if (!flag) cu_bad(l, word->place, "'%.*s' outside of a loop", STR_ARG(word->text));
    set_flag(l, flag, true);
    cu_expect(l, ";", "after a jump");
    return ENDS;
}

/* ---- all ---- */

static bool is_control(const CuToken *t) {
    static const char *const words[] = {"if",     "for",   "while",    "do",
                                        "switch", "break", "continue", "return"};
    for (int i = 0; i < COUNT(words); i++)
        if (cu_is(t, words[i])) return true;
    return false;
}

static bool is_refused_word(const CuToken *t) {
    static const char *const names[] = {"goto", "try", "throw", "co_return"};
    for (int i = 0; i < COUNT(names); i++)
        if (cu_is(t, names[i])) return true;
    return false;
}

static void static_assertion(CuLower *l) {
    int64_t holds;
    CuPlace place = l->at->place;
    cu_expect(l, "(", "after 'static_assert'");
    if (!l->panic && cu_constant(l, "what static_assert asks", &holds) && !holds)
        cu_bad(l, place, "static_assert fails");
    if (cu_accept(l, ",")) l->at = l->at->next;
    cu_expect(l, ")", "after 'static_assert(..'");
    cu_expect(l, ";", "after 'static_assert(..)'");
}

/* -1: all turns. What CUDA does not follow is 0. */
static int64_t turns_asked(CuLower *l, CuToken *asked) {
    CuToken *here = l->at;
    int64_t turns = -1;
    l->at = asked;
    if (asked->kind != CU_END && cu_constant(l, "what '#pragma unroll' asks", &turns))
        turns = turns < 1 || turns > INT32_MAX ? 0 : turns;
    l->at = here;
    return turns;
}

static Ending loop_statement(CuLower *l, const CuToken *word, Ending parse(CuLower *l)) {
    Ending ending = parse(l);
    Op *loop = l->b.region->last;
    if (word->unroll && !l->panic && loop && loop->kind == OP_WHILE)
        while_set_unroll(loop, turns_asked(l, word->unroll));
    return ending;
}

static Ending keyword_statement(CuLower *l, CuToken *t, bool in_block, bool *found) {
    *found = true;
    if (cu_accept(l, "if")) return if_statement(l, in_block);
    if (cu_accept(l, "for")) return loop_statement(l, t, for_statement);
    if (cu_accept(l, "while")) return loop_statement(l, t, while_statement);
    if (cu_accept(l, "do")) return loop_statement(l, t, do_statement);
    if (cu_accept(l, "switch")) return switch_statement(l);
    if (cu_accept(l, "return")) return return_statement(l, t->place);
    if (cu_accept(l, "break") || cu_accept(l, "continue")) return jump(l, t);
    if (cu_accept(l, "static_assert")) {
        static_assertion(l);
        return GOES_ON;
    }
    *found = false;
    return GOES_ON;
}

/* try {..} catch (..) {..}: nothing throws, and "throw" is refused: handlers are skipped. */
static Ending guarded(CuLower *l) {
    Ending ending = statement(l, true);
    while (cu_is(l->at, "catch") && cu_is(l->at->next, "(")) {
        CuToken *handler = cu_skip(l->at->next);
        l->at = handler;
        if (cu_is(handler, "{")) l->at = cu_skip(handler);
    }
    return ending;
}

static Ending statement(CuLower *l, bool in_block) {
    CuToken *t = l->at;
    bool found = false;
    Ending ending = GOES_ON;
    if (!cu_enter(l)) return GOES_ON;
    l->b.span = cu_span(t->place);
    if (cu_accept(l, "{")) {
        CuScope scope = {.outer = l->scope};
        l->scope = &scope;
        ending = items(l);
        l->scope = scope.outer;
        cu_expect(l, "}", "after a block");
        found = true;
    } else if (cu_accept(l, ";")) {
        found = true;
    } else if (cu_is_assembly(t)) {
        cu_assembly(l);
        found = true;
    } else if (l->is_host && cu_is(t, "try") && cu_is(t->next, "{")) {
        l->at = t->next;
        ending = guarded(l);
        found = true;
    } else if (is_refused_word(t)) {
        cu_unsupported(l, t->place, "'%.*s' in a kernel", STR_ARG(t->text));
        found = true;
    }
    if (!found) ending = keyword_statement(l, t, in_block, &found);
    if (!found && cu_is(t, "namespace")) { /* is looked through: see find_aliases */
        while (!cu_is(l->at, ";") && l->at->kind != CU_END) l->at = l->at->next;
        cu_expect(l, ";", "after a namespace");
    } else if (!found && (cu_is(t, "using") || starts_declaration(l))) {
        cu_declaration(l);
    } else if (!found) {
        cu_expression(l);
        cu_expect(l, ";", "after an expression");
    }
    l->nested--;
    return ending;
}

/* Names that a statement with an error would have declared, `T x = ..`: nothing is said of them
 * where they are used. */
static void forget_names(CuLower *l, const CuToken *start, const CuToken *end) {
    bool after_type = false, is_binding = false;
    for (const CuToken *t = start; t != end && t->kind != CU_END; t = t->next) {
        bool ends = cu_is(t->next, "=") || cu_is(t->next, ";") || cu_is(t->next, ",") ||
                    cu_is(t->next, "(") || cu_is(t->next, "{") || cu_is(t->next, "[") ||
                    (is_binding && cu_is(t->next, "]"));
        if (t->kind == CU_NAME && ends && (after_type || is_binding) && !cu_find(l, t->text))
            cu_bind(l, (CuName){.name = t->text, .kind = NAME_NONE});
        is_binding |= t == start->next && cu_is(start, "auto") && cu_is(t, "[");
        after_type = (t->kind == CU_NAME && !cu_is(t, "return") && !cu_is(t, "case")) ||
                     cu_is(t, ">") || (t == start->next && (cu_is(t, "*") || cu_is(t, "&")));
    }
}

/* After an error: on to the next statement of this block. */
static void recover(CuLower *l, CuToken *start) {
    l->panic = false;
    CuToken *end = statement_end(start);
    l->at = end == start ? start->next : end;
}

/* What stands behind a jump is not reached. */
static void skip_to_end(CuLower *l) {
    while (!cu_is(l->at, "}") && !at_label(l) && l->at->kind != CU_END)
        l->at = cu_is(l->at, "{") || cu_is(l->at, "(") ? cu_skip(l->at) : l->at->next;
}

/* The statements up to '}' or a label of a switch. */
static Ending items(CuLower *l) {
    Ending ending = GOES_ON;
    while (!cu_is(l->at, "}") && l->at->kind != CU_END && !at_label(l)) {
        CuToken *start = l->at;
        Builder before = l->b, outer;
        int depth = l->depth, nested = l->nested;
        const CuScope *scope = l->scope;
        Ending one = statement(l, true);
        if (l->panic) {
            if (l->diag->num_errors + l->diag->num_refused > DIAG_MAX_ERRORS) return ending;
            recover(l, start);
            l->b = before, l->depth = depth, l->nested = nested, l->scope = scope;
            forget_names(l, start, l->at);
            continue;
        }
        if (one == ENDS) {
            skip_to_end(l);
            return ENDS;
        }
        if (one == GOES_ON) continue;
        ending = MAY_JUMP;
        if (cu_is(l->at, "}") || at_label(l)) break;
        Value *here = still_here(l, true);
        Region *rest = cu_begin(l, &outer), *none;
        Ending after = items(l);
        cu_end(l, &outer, NULL);
        empty_region(l, &none);
        cu_if(l, here, rest, none, NULL);
        return after == ENDS ? MAY_JUMP : ending;
    }
    return ending;
}

/* ({ int a = f(); a * a; }), GNU's: the value is that of the last statement. */
CuVal cu_statements_value(CuLower *l) {
    CuVal val = {.type = cu_type(CU_VOID), .place = l->at->place};
    CuScope scope = {.outer = l->scope};
    if (!cu_enter(l)) return cu_poison(l, val.place);
    l->scope = &scope;
    cu_accept(l, "{");
    while (!l->panic && !cu_is(l->at, "}") && l->at->kind != CU_END) {
        CuToken *t = l->at, *first = cu_is(t, ";") ? t : statement_end(t);
        bool is_plain = !cu_is(t, "{") && first != t && !is_control(t) && !starts_declaration(l);
        if (is_plain && cu_is(first, "}")) {
            val = cu_value(l, cu_expression(l));
            val.is_place = false;
            cu_expect(l, ";", "after an expression");
        } else if (statement(l, true) != GOES_ON) {
            cu_unsupported(l, t->place, "a jump out of statements in an expression");
        }
    }
    l->scope = scope.outer;
    l->nested--;
    cu_expect(l, "}", "after statements in an expression");
    return val;
}

void cu_body(CuLower *l) {
    if (!cu_expect(l, "{", "before the body of a function")) return;
    items(l);
    cu_expect(l, "}", "after the body of a function");
}
