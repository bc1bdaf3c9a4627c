// SPDX-License-Identifier: Apache-2.0
/* format: flags and lengths are those of CUDA's printf (programming guide, "Format Specifiers");
 * a width that is an argument (%*d) it does not have. */
#include "base/format.h"
#include "base/float.h"

#include <stdio.h>

static char at(Str s, int i) { return i < s.length ? s.data[i] : 0; }

static bool number_at(Str s, int *i, int *number) {
    for (*number = 0; at(s, *i) >= '0' && at(s, *i) <= '9'; ++*i)
        if (*number <= MAX_FIELD) *number = *number * 10 + (at(s, *i) - '0');
    return *number <= MAX_FIELD;
}

static bool is_one_of(char c, const char *letters) { return c && strchr(letters, c); }

/* Behind '%'; how long it is. */
static int conversion_at(Str s, Conversion *c) {
    int i = 0, count = 0, shorts = 0;
    *c = (Conversion){.width = -1, .precision = -1, .bytes = 4};
    while (is_one_of(at(s, i), "-+ #0")) {
        if (count == COUNT(c->flags) - 1) return i;
        c->flags[count++] = s.data[i++];
    }
    bool wide = at(s, i) >= '1' && at(s, i) <= '9';
    if (wide && !number_at(s, &i, &c->width)) return i;
    if (at(s, i) == '.') {
        i++;
        if (!number_at(s, &i, &c->precision)) return i;
    }
    for (; is_one_of(at(s, i), "hlzjt"); i++) {
        if (s.data[i] == 'h')
            c->bytes = ++shorts == 1 ? 2 : 1;
        else
            c->bytes = 8;
    }
    if (!is_one_of(at(s, i), "diouxXcpsfFeEgGaA")) return i;
    c->letter = s.data[i++];
    if (!is_one_of(c->letter, "diouxXc")) c->bytes = 8;
    return i;
}

bool format_next(Str *rest, FormatPiece *piece) {
    if (!rest->length) return false;
    int length = 0, skip = 0;
    *piece = (FormatPiece){.converts = rest->data[0] == '%' && at(*rest, 1) != '%'};
    if (piece->converts) {
        Str behind = {rest->data + 1, rest->length - 1};
        length = 1 + conversion_at(behind, &piece->conversion);
    } else if (rest->data[0] == '%') {
        length = skip = 1;
    } else {
        while (length < rest->length && rest->data[length] != '%') length++;
    }
    piece->text = (Str){rest->data, length};
    *rest = (Str){rest->data + length + skip, rest->length - length - skip};
    return true;
}

bool conversion_is_float(const Conversion *c) { return is_one_of(c->letter, "fFeEgGaA"); }

/* The conversion says how; it stands in no source of tern. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

int conversion_text(char out[CONVERSION_ROOM], const Conversion *c, uint64_t bits) {
    char spec[48], width[16] = "", precision[16] = "";
    bool is_int = is_one_of(c->letter, "diouxX"), is_signed = is_one_of(c->letter, "di");
    int shift = 64 - 8 * c->bytes;
    if (c->width >= 0) snprintf(width, sizeof width, "%d", c->width);
    if (c->precision >= 0) snprintf(precision, sizeof precision, ".%d", c->precision);
    snprintf(spec, sizeof spec, "%%%s%s%s%s%c", c->flags, width, precision, is_int ? "ll" : "",
             c->letter);
    if (conversion_is_float(c)) return snprintf(out, CONVERSION_ROOM, spec, bits_double(bits));
    if (c->letter == 'c') return snprintf(out, CONVERSION_ROOM, spec, (int)(bits & 255));
    if (c->letter == 'p') return snprintf(out, CONVERSION_ROOM, spec, (void *)(uintptr_t)bits);
    if (is_signed)
        return snprintf(out, CONVERSION_ROOM, spec, (long long)((int64_t)(bits << shift) >> shift));
    return snprintf(out, CONVERSION_ROOM, spec, (unsigned long long)(bits << shift >> shift));
}
#pragma GCC diagnostic pop
