// SPDX-License-Identifier: Apache-2.0
/* pp_condition: the value of what stands behind #if: integers of 64 bits, signed or not, as C has
 * them there; a name that is no macro is 0. And the macros that there are before the first line. */
#include "cuda/cu.h"
#include "cuda/pp.h"

typedef struct Number {
    uint64_t bits;
    bool is_unsigned;
} Number;

typedef struct Condition {
    CuPp *pp;
    CuToken *at;
    const CuToken *hash;
    int depth;
    bool skips; /* the value is not asked for: no division is wrong */
} Condition;

enum { MAX_NESTED = 200 };

static Number conditional(Condition *c);

static Number wrong(Condition *c, const char *what) {
    if (!c->pp->failed) cu_pp_fail(c->pp, c->at->kind == CU_END ? c->hash : c->at, "%s", what);
    return (Number){0};
}

static bool accept(Condition *c, const char *text) {
    if (!cu_is(c->at, text)) return false;
    c->at = c->at->next;
    return true;
}

static Number primary(Condition *c) {
    CuToken *t = c->at;
    CuNumber number;
    int64_t value;
    if (accept(c, "(")) {
        Number inner = conditional(c);
        return accept(c, ")") ? inner : wrong(c, "expected ')' in the condition");
    }
    if (t->kind == CU_END) return wrong(c, "expected a condition here");
    c->at = t->next;
    if (t->kind == CU_NAME) return (Number){str_is(t->text, "true"), false};
    if (t->kind == CU_CHAR && !cu_char(t->text, &value)) return (Number){(uint64_t)value, false};
    if (t->kind == CU_NUMBER) {
        const char *why = cu_number(c->pp->arena, t->text, &number);
        if (!why && !number.is_float)
            return (Number){number.integer, number.is_unsigned || number.integer >> 63};
    }
    c->at = t;
    return wrong(c, "expected an integer in the condition");
}

static Number unary(Condition *c) {
    if (++c->depth > MAX_NESTED) return wrong(c, "the condition is nested too deeply");
    Number value;
    if (accept(c, "!"))
        value = (Number){!unary(c).bits, false};
    else if (accept(c, "-"))
        value = unary(c), value.bits = 0 - value.bits;
    else if (accept(c, "~"))
        value = unary(c), value.bits = ~value.bits;
    else if (accept(c, "+"))
        value = unary(c);
    else
        value = primary(c);
    c->depth--;
    return value;
}

static const struct Operator {
    const char *text;
    int level;
} operators[] = {{"*", 10}, {"/", 10}, {"%", 10}, {"+", 9},  {"-", 9},  {"<<", 8},
                 {">>", 8}, {"<", 7},  {">", 7},  {"<=", 7}, {">=", 7}, {"==", 6},
                 {"!=", 6}, {"&", 5},  {"^", 4},  {"|", 3},  {"&&", 2}, {"||", 1}};

static Number divided(Condition *c, Number a, Number b, bool is_unsigned, bool remainder) {
    if (!b.bits) return c->skips ? a : wrong(c, "a division by 0 in the condition");
    if (is_unsigned) return (Number){remainder ? a.bits % b.bits : a.bits / b.bits, true};
    int64_t x = (int64_t)a.bits, y = (int64_t)b.bits;
    if (y == -1) return (Number){remainder ? 0 : 0 - a.bits, false};
    return (Number){(uint64_t)(remainder ? x % y : x / y), false};
}

static Number compared(const char *text, Number a, Number b, bool is_unsigned) {
    bool less = is_unsigned ? a.bits < b.bits : (int64_t)a.bits < (int64_t)b.bits;
    bool equal = a.bits == b.bits;
    bool result = !strcmp(text, "<")    ? less
                  : !strcmp(text, ">")  ? !less && !equal
                  : !strcmp(text, "<=") ? less || equal
                  : !strcmp(text, ">=") ? !less
                  : !strcmp(text, "==") ? equal
                                        : !equal;
    return (Number){result, false};
}

static Number combined(Condition *c, const struct Operator *op, Number a, Number b) {
    bool is_unsigned = a.is_unsigned || b.is_unsigned;
    uint64_t count = b.bits & 63;
    switch (op->level) {
    case 10:
        if (op->text[0] == '*') return (Number){a.bits * b.bits, is_unsigned};
        return divided(c, a, b, is_unsigned, op->text[0] == '%');
    case 9: return (Number){op->text[0] == '+' ? a.bits + b.bits : a.bits - b.bits, is_unsigned};
    case 8:
        if (op->text[0] == '<') return (Number){a.bits << count, a.is_unsigned};
        return (Number){a.is_unsigned ? a.bits >> count : (uint64_t)((int64_t)a.bits >> count),
                        a.is_unsigned};
    case 7:
    case 6: return compared(op->text, a, b, is_unsigned);
    case 5: return (Number){a.bits & b.bits, is_unsigned};
    case 4: return (Number){a.bits ^ b.bits, is_unsigned};
    case 3: return (Number){a.bits | b.bits, is_unsigned};
    }
    return (Number){op->level == 2 ? a.bits && b.bits : a.bits || b.bits, false};
}

static const struct Operator *operator_at(const Condition *c, int least) {
    for (int i = 0; i < COUNT(operators); i++)
        if (operators[i].level >= least && cu_is(c->at, operators[i].text)) return &operators[i];
    return NULL;
}

static Number binary(Condition *c, int least) {
    Number left = unary(c);
    const struct Operator *op;
    while (!c->pp->failed && (op = operator_at(c, least))) {
        bool outer = c->skips;
        c->at = c->at->next;
        if (op->level <= 2) c->skips |= (op->level == 2) == !left.bits;
        Number right = binary(c, op->level + 1);
        c->skips = outer;
        left = combined(c, op, left, right);
    }
    return left;
}

static Number conditional(Condition *c) {
    Number test = binary(c, 1);
    if (c->pp->failed || !accept(c, "?")) return test;
    if (++c->depth > MAX_NESTED) return wrong(c, "the condition is nested too deeply");
    bool outer = c->skips;
    c->skips = outer || !test.bits;
    Number yes = conditional(c);
    c->skips = outer || test.bits;
    if (!accept(c, ":")) return wrong(c, "expected ':' in the condition");
    Number no = conditional(c);
    c->skips = outer;
    c->depth--;
    return (Number){test.bits ? yes.bits : no.bits, yes.is_unsigned || no.is_unsigned};
}

/* defined X and defined(X) become 1 or 0 before macros are expanded. */
static CuToken *without_defined(CuPp *pp, CuToken *list, const CuToken *hash) {
    CuToken *first = NULL, **end = &first;
    for (CuToken *t = list; t->kind != CU_END; t = t->next) {
        CuToken *copy = *end = cu_pp_copy(pp, t);
        end = &copy->next;
        if (!cu_is(t, "defined")) continue;
        bool has_paren = cu_is(t->next, "(");
        t = has_paren ? t->next->next : t->next;
        if (t->kind != CU_NAME || (has_paren && !cu_is(t->next, ")"))) {
            cu_pp_fail(pp, t->kind == CU_END ? hash : t,
                       "expected the name of a macro after 'defined'");
            break;
        }
        copy->kind = CU_NUMBER;
        copy->text = map_get(&pp->macros, t->text) ? STR("1") : STR("0");
        if (has_paren) t = t->next;
    }
    *end = cu_pp_end(pp, list);
    return first;
}

bool cu_pp_condition(CuPp *pp, CuToken *list, const CuToken *hash) {
    CuToken *plain = without_defined(pp, list, hash);
    if (pp->failed) return false;
    Condition c = {.pp = pp, .at = cu_pp_expand_list(pp, plain), .hash = hash};
    if (pp->failed) return false;
    Number value = conditional(&c);
    if (!pp->failed && c.at->kind != CU_END)
        cu_pp_fail(pp, c.at, "'%.*s' after the condition", STR_ARG(c.at->text));
    return !pp->failed && value.bits != 0;
}

/* ---- macros that there are from the start: nvcc's own, those of <math.h>, <float.h> .. ---- */

static const CuDefine predefined[] = {
    {"__CUDACC__", "1"},
    {"__NVCC__", "1"},
    {"__CUDACC_VER_MAJOR__", "12"},
    {"__CUDACC_VER_MINOR__", "0"},
    {"__cplusplus", "201703L"},
    {"NULL", "nullptr"},
    {"M_E", "2.7182818284590452354"},
    {"M_LOG2E", "1.4426950408889634074"},
    {"M_LOG10E", "0.43429448190325182765"},
    {"M_LN2", "0.69314718055994530942"},
    {"M_LN10", "2.30258509299404568402"},
    {"M_PI", "3.14159265358979323846"},
    {"M_PI_2", "1.57079632679489661923"},
    {"M_PI_4", "0.78539816339744830962"},
    {"M_1_PI", "0.31830988618379067154"},
    {"M_2_PI", "0.63661977236758134308"},
    {"M_2_SQRTPI", "1.12837916709551257390"},
    {"M_SQRT2", "1.41421356237309504880"},
    {"M_SQRT1_2", "0.70710678118654752440"},
    {"CHAR_BIT", "8"},
    {"SCHAR_MIN", "(-128)"},
    {"SCHAR_MAX", "127"},
    {"UCHAR_MAX", "255"},
    {"SHRT_MIN", "(-32768)"},
    {"SHRT_MAX", "32767"},
    {"USHRT_MAX", "65535"},
    {"INT_MIN", "(-2147483647 - 1)"},
    {"INT_MAX", "2147483647"},
    {"UINT_MAX", "4294967295u"},
    {"LONG_MIN", "(-9223372036854775807l - 1)"},
    {"LONG_MAX", "9223372036854775807l"},
    {"ULONG_MAX", "18446744073709551615ul"},
    {"LLONG_MIN", "(-9223372036854775807ll - 1)"},
    {"LLONG_MAX", "9223372036854775807ll"},
    {"ULLONG_MAX", "18446744073709551615ull"},
    {"INT8_MAX", "127"},
    {"INT16_MAX", "32767"},
    {"INT32_MIN", "(-2147483647 - 1)"},
    {"INT32_MAX", "2147483647"},
    {"INT64_MAX", "9223372036854775807l"},
    {"UINT8_MAX", "255"},
    {"UINT16_MAX", "65535"},
    {"UINT32_MAX", "4294967295u"},
    {"UINT64_MAX", "18446744073709551615ul"},
    {"INT8_C(x)", "x"},
    {"INT16_C(x)", "x"},
    {"INT32_C(x)", "x"},
    {"INT64_C(x)", "x##l"},
    {"UINT8_C(x)", "x"},
    {"UINT16_C(x)", "x"},
    {"UINT32_C(x)", "x##u"},
    {"UINT64_C(x)", "x##ul"},
    {"SIZE_MAX", "18446744073709551615ul"},
    {"UINTPTR_MAX", "18446744073709551615ul"},
    {"FLT_MAX", "3.402823466e+38f"},
    {"FLT_MIN", "1.175494351e-38f"},
    {"FLT_EPSILON", "1.192092896e-07f"},
    {"DBL_MAX", "1.7976931348623157e+308"},
    {"DBL_MIN", "2.2250738585072014e-308"},
    {"DBL_EPSILON", "2.2204460492503131e-16"},
    {"INFINITY", "__builtin_inff()"},
    {"NAN", "__builtin_nanf()"},
    {"CUDART_INF_F", "__builtin_inff()"},
    {"CUDART_NAN_F", "__builtin_nanf()"},
    {"CUDART_PI_F", "3.141592654f"},
    {"CUDART_PI", "3.1415926535897931"},
    {"CUDART_VERSION", "12000"},
    {"CUDA_VERSION", "12000"},
};

/* Some ask which of CUDA's headers were read. */
static const CuDefine for_host[] = {
    {"__linux__", "1"},
    {"__x86_64__", "1"},
    {"__CUDA_RUNTIME_H__", "1"},
    {"__CUDA_RUNTIME_API_H__", "1"},
    {"__DRIVER_TYPES_H__", "1"},
    {"TORCH_CHECK(holds, ...)",
     "__tern_torch_check(bool(holds), \"TORCH_CHECK(\" #holds \") fails\")"},
    {"AT_ASSERT(holds, ...)", "__tern_torch_check(bool(holds), \"AT_ASSERT(\" #holds \") fails\")"},
    {"C10_CUDA_KERNEL_LAUNCH_CHECK()", "__tern_launch_check(0)"},
    {"C10_CUDA_CHECK(...)", "__tern_launch_check(__VA_ARGS__ + 0)"},
};
static const CuDefine for_device[] = {{"__CUDA_ARCH__", "900"}};

void cu_pp_constants(Buf *out) {
    for (int i = 0; i < COUNT(predefined); i++) {
        const CuDefine *d = &predefined[i];
        Str name = str_of(d->name);
        if (!str_starts(name, "_") && !str_starts(name, "CUDA") && !str_is(name, "NULL"))
            buf_printf(out, "#ifndef %s\n#define %s %s\n#endif\n", d->name, d->name, d->text);
    }
}

bool cu_is_define(const char *words) {
    static const char params[] =
        ",. _0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const char *letters = params + 3;
    size_t name = strspn(words, letters), end = strcspn(words, "="), all = strlen(words);
    if (!name || (words[0] >= '0' && words[0] <= '9')) return false;
    if (strpbrk(words, "\n\r") || words[all - 1] == '\\') return false;
    if (name == end) return true;
    return words[name] == '(' && name + 1 + strspn(words + name + 1, params) == end - 1 &&
           words[end - 1] == ')';
}

Str cu_define_text(Arena *arena, const char *words) {
    const char *equals = strchr(words, '=');
    if (!equals) return str_format(arena, "%s 1", words);
    return str_format(arena, "%.*s %s", (int)(equals - words), words, equals + 1);
}

/* A macro a line. */
static void define_all(CuPp *pp, Str name, Str text) {
    CuToken *t = cu_lex(pp->arena, source_new(pp->arena, name, text), pp->diag);
    while (t->kind != CU_END && !pp->failed) {
        CuToken *next = t->next;
        while (next->kind != CU_END && !next->line_start) next = next->next;
        t->line_start = false;
        cu_pp_define(pp, t);
        CuMacro *macro = map_get(&pp->macros, t->text);
        for (CuToken *b = macro ? macro->body : NULL; b && b->kind != CU_END; b = b->next)
            b->place = (CuPlace){0};
        if (macro) macro->place = (CuPlace){0};
        t = next;
    }
}

void cu_pp_predefine(CuPp *pp, const CuOptions *options) {
    Buf text = {.arena = pp->arena}, given = {.arena = pp->arena};
    bool is_host = options && options->is_host;
    const CuDefine *more = is_host ? for_host : for_device;
    for (int i = 0; i < (is_host ? COUNT(for_host) : COUNT(for_device)); i++)
        buf_printf(&text, "%s %s\n", more[i].name, more[i].text);
    for (int i = 0; i < COUNT(predefined); i++)
        buf_printf(&text, "%s %s\n", predefined[i].name, predefined[i].text);
    define_all(pp, STR("<built-in>"), buf_str(&text));
    for (int i = 0; options && i < options->num_defines; i++)
        buf_printf(&given, "%.*s\n", STR_ARG(cu_define_text(pp->arena, options->defines[i])));
    if (given.length) define_all(pp, STR("<command line>"), buf_str(&given));
    static const struct {
        const char *name;
        int of;
    } places[] = {{"__LINE__", OF_LINE}, {"__FILE__", OF_FILE}};
    for (int i = 0; i < COUNT(places); i++) {
        CuMacro *macro = arena_new_of(pp->arena, CuMacro);
        *macro = (CuMacro){.name = str_of(places[i].name), .of = places[i].of};
        map_set(&pp->macros, macro->name, macro);
    }
}
