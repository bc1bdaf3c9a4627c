// SPDX-License-Identifier: Apache-2.0
/* text: printf and what is like it: a format in the program's memory, each value checked against
 * its conversion. */
#include "host/host.h"

#include <stdio.h>
#include <stdlib.h>

static void text_add(Host *h, const char *data, size_t length) {
    Text *text = &h->text;
    if (text->length + length + 1 > text->capacity) {
        size_t capacity = (text->length + length + 1) * 2;
        char *grown = realloc(text->data, capacity);
        if (!grown) longjmp(h->oom, 1);
        text->data = grown;
        text->capacity = capacity;
    }
    if (length) memcpy(text->data + text->length, data, length);
    text->length += length;
    text->data[text->length] = 0;
}

enum { MOST_WIDTH = 4096 };

typedef struct Print {
    Host *h;
    const Call *call;
    int next; /* argument */
} Print;

typedef struct Conversion {
    char flags[8];
    int width, precision; /* -1: none */
    int bytes;            /* of an integer */
    char letter;
} Conversion;

static const Type *next_type(const Print *p) {
    return p->next < p->call->count ? p->call->op->operands[p->next]->type : NULL;
}

static bool too_few(const Print *p) {
    return host_fail(p->h, "printf has more conversions than values");
}

static bool star(Print *p, int *number) {
    if (!next_type(p)) return too_few(p);
    *number = (int)(uint32_t)p->call->args[p->next++];
    return true;
}

static bool number_at(Print *p, const char **at, int *number) {
    if (**at == '*') {
        (*at)++;
        return star(p, number);
    }
    for (*number = 0; **at >= '0' && **at <= '9' && *number < MOST_WIDTH; (*at)++)
        *number = *number * 10 + (**at - '0');
    return true;
}

/* Behind '%'. */
static bool conversion_at(Print *p, const char **at, Conversion *c) {
    *c = (Conversion){.width = -1, .precision = -1, .bytes = 4};
    size_t count = strspn(*at, "-+ #0");
    if (count >= sizeof c->flags) return host_fail(p->h, "a conversion of printf with many flags");
    memcpy(c->flags, *at, count);
    *at += count;
    bool has_width = **at == '*' || (**at >= '1' && **at <= '9');
    if (has_width && !number_at(p, at, &c->width)) return false;
    if (has_width && c->width < 0) {
        c->width = c->width > -MOST_WIDTH ? -c->width : MOST_WIDTH;
        c->flags[count < sizeof c->flags - 1 ? count : count - 1] = '-';
    }
    if (**at == '.') {
        ++*at;
        if (!number_at(p, at, &c->precision)) return false;
    }
    if (c->width > MOST_WIDTH || c->precision > MOST_WIDTH)
        return host_fail(p->h, "a conversion of printf wider than %d", MOST_WIDTH);
    for (; strchr("hlzjtqL", **at) && **at; ++*at) {
        if (**at == 'h') c->bytes = c->bytes == 2 ? 1 : 2;
        if (strchr("lzjtq", **at)) c->bytes = 8;
    }
    c->letter = **at;
    if (c->letter) ++*at;
    return true;
}

static void spec(const Conversion *c, const char *length, char *out, size_t size) {
    char width[16] = "", precision[16] = "";
    if (c->width >= 0) snprintf(width, sizeof width, "%d", c->width);
    if (c->precision >= 0) snprintf(precision, sizeof precision, ".%d", c->precision);
    snprintf(out, size, "%%%s%s%s%s%c", c->flags, width, precision, length, c->letter);
}

/* The conversion says how; it stands in no source of tern. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static bool print_string(Print *p, Conversion *c, uint64_t bits) {
    char format[64];
    uint64_t length;
    const char *text = memory_text(p->h, bits, &length);
    if (!text) return false;
    if (c->precision >= 0 && length > (uint64_t)c->precision) length = (uint64_t)c->precision;
    size_t pad = c->width > 0 && (uint64_t)c->width > length ? (size_t)c->width - length : 0;
    bool left = strchr(c->flags, '-') != NULL;
    c->flags[0] = 0, c->width = (int)pad, c->precision = -1, c->letter = 's';
    spec(c, "", format, sizeof format);
    char blanks[MOST_WIDTH + 1];
    snprintf(blanks, sizeof blanks, format, "");
    if (!left) text_add(p->h, blanks, pad);
    text_add(p->h, text, (size_t)length);
    if (left) text_add(p->h, blanks, pad);
    return true;
}

static bool print_value(Print *p, Conversion *c) {
    char format[64], out[MOST_WIDTH + 400];
    const Type *type = next_type(p);
    if (!type) return too_few(p);
    uint64_t bits = p->call->args[p->next++];
    bool is_float = type->kind == TYPE_F64, wants_float = strchr("fFeEgGaA", c->letter) != NULL;
    if (is_float != wants_float)
        return host_fail(p->h, "printf's conversion '%%%c' of %s", c->letter,
                         is_float ? "a floating-point number" : "an integer");
    if (c->letter == 's') return print_string(p, c, bits);
    double number;
    memcpy(&number, &bits, sizeof number);
    spec(c, wants_float || c->letter == 'c' ? "" : "ll", format, sizeof format);
    if (wants_float) {
        snprintf(out, sizeof out, format, number);
    } else if (c->letter == 'c') {
        snprintf(out, sizeof out, format, (int)(unsigned char)bits);
        if (!(bits & 255)) return text_add(p->h, "", 1), true;
    } else if (c->letter == 'p') {
        c->letter = 'x';
        snprintf(out, sizeof out, "0x%llx", (unsigned long long)bits);
    } else {
        bool is_signed = c->letter == 'd' || c->letter == 'i';
        int shift = 64 - 8 * (c->bytes == 8 && type_bits(type) == 32 && is_signed ? 4 : c->bytes);
        long long value =
            is_signed ? (int64_t)(bits << shift) >> shift : (long long)(bits << shift >> shift);
        snprintf(out, sizeof out, format, value);
    }
    text_add(p->h, out, strlen(out));
    return true;
}
#pragma GCC diagnostic pop

/* The format is argument `first`, the values follow; the text is in h->text. */
static bool formatted(Host *h, const Call *call, int first) {
    Print p = {h, call, first + 1};
    uint64_t length;
    const char *at = memory_text(h, call->args[first], &length);
    h->text.length = 0;
    text_add(h, "", 0);
    while (at && *at) {
        const char *percent = strchr(at, '%');
        text_add(h, at, percent ? (size_t)(percent - at) : strlen(at));
        if (!percent) break;
        at = percent + 1;
        if (*at == '%') {
            text_add(h, at++, 1);
            continue;
        }
        Conversion c;
        if (!conversion_at(&p, &at, &c)) return false;
        if (!c.letter || !strchr("diouxXeEfFgGaAcsp", c.letter))
            return host_fail(h, "printf's conversion '%%%c'", c.letter ? c.letter : ' ');
        if (!print_value(&p, &c)) return false;
    }
    return at != NULL;
}

bool native_printf(Host *h, Call *call) {
    if (!formatted(h, call, 0)) return false;
    call->result = h->text.length;
    host_write(h, 1, h->text.data, h->text.length);
    return true;
}

static bool file_of(Host *h, uint64_t file) {
    return file == 1 || file == 2 || host_fail(h, "a file that is neither stdout nor stderr");
}

bool native_fprintf(Host *h, Call *call) {
    if (!file_of(h, call->args[0]) || !formatted(h, call, 1)) return false;
    call->result = h->text.length;
    host_write(h, (int)call->args[0], h->text.data, h->text.length);
    return true;
}

bool native_fflush(Host *h, Call *call) {
    if (call->args[0] && !file_of(h, call->args[0])) return false;
    if (h->options->output) h->options->output(h->options->user, "", 0);
    return true;
}

static bool stored(Host *h, Call *call, uint64_t room) {
    uint64_t bytes = h->text.length + 1;
    call->result = h->text.length;
    if (bytes > room) bytes = room;
    if (!bytes) return true;
    char *to = memory_at(h, call->args[0], bytes, true, NULL);
    if (!to) return false;
    memcpy(to, h->text.data, bytes);
    to[bytes - 1] = 0;
    return true;
}

bool native_sprintf(Host *h, Call *call) {
    return formatted(h, call, 1) && stored(h, call, UINT64_MAX);
}

bool native_snprintf(Host *h, Call *call) {
    return formatted(h, call, 2) && stored(h, call, call->args[1]);
}

/* What std::cout writes: file, text, its length. */
bool native___tern_put(Host *h, Call *call) {
    uint64_t length = call->args[2];
    if (!file_of(h, call->args[0])) return false;
    const char *text = length ? memory_at(h, call->args[1], length, false, NULL) : "";
    if (text) host_write(h, (int)call->args[0], text, (size_t)length);
    return text != NULL;
}
