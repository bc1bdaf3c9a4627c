// SPDX-License-Identifier: Apache-2.0
/* report: printf, assert and __trap, whose arguments are not only values: a format, a text. */
#include "cuda/front.h"
#include "base/format.h"

enum {
    MAX_TEXT = 4096,
    MAX_VALUES = 32
}; /* of a printf: CUDA programming guide, "Formatted Output" */

static int digit_of(char c) {
    int low = c | 0x20;
    return c >= '0' && c <= '9' ? c - '0' : low >= 'a' && low <= 'f' ? low - 'a' + 10 : 99;
}

/* What stands between the quotes, with its escapes done. False: one is unknown. */
static bool decoded(Str text, bool with_zeros, Buf *out) {
    static const char letters[] = "abfnrtv\\'\"?", values[] = "\a\b\f\n\r\t\v\\'\"?";
    for (int i = 1; i + 1 < text.length; i++) {
        char c = text.data[i];
        if (c != '\\') {
            buf_putc(out, c);
            continue;
        }
        c = text.data[++i];
        const char *letter = c ? strchr(letters, c) : NULL;
        int number = 0, base = c == 'x' ? 16 : 8, most = c == 'x' ? 2 : 3, count = 0;
        if (letter) {
            buf_putc(out, values[letter - letters]);
            continue;
        }
        if (c == 'x') i++;
        while (count < most && i + 1 < text.length && digit_of(text.data[i]) < base)
            number = number * base + digit_of(text.data[i++]), count++;
        if (!count || (number == 0 && !with_zeros) || number > 255) return false;
        buf_putc(out, (char)number);
        i--;
    }
    return true;
}

/* Strings that follow each other are one. */
bool cu_strings(CuLower *l, const char *what, Buf *out) {
    CuToken *t = l->at;
    for (; l->at->kind == CU_STRING; l->at = l->at->next)
        if (!decoded(l->at->text, l->is_host, out)) {
            cu_unsupported(l, l->at->place, "an escape in this string");
            return false;
        }
    buf_puts(out, "");
    if (t != l->at && out->length <= MAX_TEXT) return true;
    if (t == l->at)
        cu_unsupported(l, t->place, "%s that is not written here", what);
    else
        cu_unsupported(l, t->place, "a string of more than %d bytes", MAX_TEXT);
    return false;
}

CuVal cu_printed(CuLower *l, CuVal val) {
    val = cu_value(l, val);
    if (l->panic) return val;
    if (val.type->kind == CU_POINTER)
        val = cu_cast_to(l, val, cu_type(CU_ULLONG));
    else if (cu_is_float(val.type))
        val = cu_cast_to(l, val, cu_type(CU_DOUBLE));
    else if (cu_is_integer(val.type))
        val = cu_promoted(l, val);
    else
        cu_bad(l, val.place, "printf of '%.*s'", STR_ARG(cu_name(l->arena, val.type)));
    return val;
}

/* As the conversion reads it: a number of its size. */
static Value *value_for(CuLower *l, const FormatPiece *piece) {
    const Conversion *c = &piece->conversion;
    CuVal val = cu_printed(l, cu_assignment(l));
    if (l->panic) return NULL;
    if (cu_is_float(val.type) != conversion_is_float(c))
        cu_bad(l, val.place, "printf's conversion '%.*s' of %s", STR_ARG(piece->text),
               cu_is_float(val.type) ? "a floating-point number" : "an integer");
    else if (!cu_is_float(val.type) && (type_bits(val.value->type) == 64) != (c->bytes == 8))
        val = cu_cast_to(l, val, cu_type(c->bytes == 8 ? CU_LLONG : CU_INT));
    return val.value;
}

static void add_plain(Buf *out, Str text) {
    for (int i = 0; i < text.length; i++) {
        if (text.data[i] == '%') buf_putc(out, '%');
        buf_putc(out, text.data[i]);
    }
}

/* Strings among the values become a part of the text: %s is printed now. */
static CuVal print(CuLower *l, CuPlace place) {
    Buf format = {.arena = l->arena}, text = {.arena = l->arena};
    Value *values[MAX_VALUES];
    int count = 0;
    if (!cu_strings(l, "a format of printf", &format)) return cu_poison(l, place);
    buf_puts(&text, "");
    Str rest = buf_str(&format);
    for (FormatPiece piece; !l->panic && format_next(&rest, &piece);) {
        char letter = piece.conversion.letter;
        if (!piece.converts) {
            add_plain(&text, piece.text);
            continue;
        }
        if (!letter) cu_unsupported(l, place, "a conversion of printf that CUDA does not have");
        if (!l->panic && !cu_accept(l, ","))
            cu_bad(l, place, "printf has more conversions than values");
        if (l->panic) break;
        Buf inner = {.arena = l->arena};
        bool is_text = letter == 's' && piece.text.length == 2 && l->at->kind == CU_STRING;
        if (letter == 's' && !is_text)
            cu_unsupported(l, l->at->place, "a string of printf that is not written here");
        if (is_text && cu_strings(l, "a string", &inner)) {
            add_plain(&text, buf_str(&inner));
            continue;
        }
        buf_add(&text, piece.text.data, (size_t)piece.text.length);
        if (count == MAX_VALUES)
            cu_unsupported(l, place, "printf of more than %d values", MAX_VALUES);
        if (!l->panic) values[count++] = value_for(l, &piece);
    }
    if (cu_is(l->at, ",")) cu_bad(l, l->at->place, "printf has more values than conversions");
    cu_expect(l, ")", "after the values of printf");
    if (l->panic) return cu_poison(l, place);
    const Type *type = type_scalar(TYPE_I32);
    l->b.span = cu_span(place);
    Op *op = build_op(&l->b, OP_PRINTF, count, values, 1, &type, 0, NULL);
    printf_set_text(op, buf_str(&text));
    return (CuVal){.type = cu_type(CU_INT), .value = op_result(op), .place = place};
}

static CuVal assertion(CuLower *l, CuPlace place) {
    CuVal val = cu_assignment(l);
    Str text = l->panic ? STR("") : span_text(cu_span(val.place));
    Value *holds = cu_condition(l, val);
    cu_expect(l, ")", "after the condition of assert");
    if (l->panic) return cu_poison(l, place);
    Op *op = build_op(&l->b, OP_ASSERT, 1, &holds, 0, NULL, 0, NULL);
    assert_set_text(op, text);
    return (CuVal){.type = cu_type(CU_VOID), .place = place};
}

/* __trap() */
static CuVal trap(CuLower *l, CuPlace place) {
    Value *holds = build_int(&l->b, type_scalar(TYPE_I1), 0);
    if (!cu_expect(l, ")", "after '__trap('")) return cu_poison(l, place);
    Op *op = build_op(&l->b, OP_ASSERT, 1, &holds, 0, NULL, 0, NULL);
    assert_set_text(op, STR("__trap"));
    return (CuVal){.type = cu_type(CU_VOID), .place = place};
}

bool cu_is_report(Str name) {
    return str_is(name, "printf") || str_is(name, "assert") || str_is(name, "__trap");
}

CuVal cu_report(CuLower *l, CuToken *name) {
    if (!cu_expect(l, "(", "after the name of a function")) return cu_poison(l, name->place);
    bool in_angles = l->in_angles;
    l->in_angles = false;
    CuVal val = cu_is(name, "printf")   ? print(l, name->place)
                : cu_is(name, "assert") ? assertion(l, name->place)
                                        : trap(l, name->place);
    l->in_angles = in_angles;
    return val;
}
