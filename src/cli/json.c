// SPDX-License-Identifier: Apache-2.0
#include "cli/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void before_value(Json *json) {
    if (json->need_comma) buf_putc(&json->out, ',');
    json->need_comma = true;
}

void json_open(Json *json, char bracket) {
    before_value(json);
    buf_putc(&json->out, bracket);
    json->need_comma = false;
}

void json_close(Json *json, char bracket) {
    buf_putc(&json->out, bracket);
    json->need_comma = true;
}

/* The length of the UTF-8 sequence at `text`, or 0 when there is none. */
static int utf8_length(const unsigned char *text) {
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    int length = text[0] < 0x80       ? 1
                 : text[0] >> 5 == 6  ? 2
                 : text[0] >> 4 == 14 ? 3
                 : text[0] >> 3 == 30 ? 4
                                      : 0;
    if (length <= 1) return length;
    unsigned code = text[0] & (0x7fu >> length);
    for (int i = 1; i < length; i++) {
        if (text[i] >> 6 != 2) return 0;
        code = code << 6 | (text[i] & 0x3f);
    }
    if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return 0;
    return length;
}

static void put_string(Buf *out, const char *text) {
    buf_putc(out, '"');
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        int length = utf8_length(at);
        if (*at == '"' || *at == '\\')
            buf_printf(out, "\\%c", *at);
        else if (*at == '\n')
            buf_puts(out, "\\n");
        else if (*at == '\t')
            buf_puts(out, "\\t");
        else if (*at < 0x20 || *at == 0x7f)
            buf_printf(out, "\\u%04x", *at);
        else if (length)
            buf_add(out, (const char *)at, (size_t)length);
        else
            buf_puts(out, "\\ufffd");
        at += length ? length : 1;
    }
    buf_putc(out, '"');
}

void json_key(Json *json, const char *key) {
    before_value(json);
    put_string(&json->out, key);
    buf_putc(&json->out, ':');
    json->need_comma = false;
}

void json_string(Json *json, const char *text) {
    if (!text) {
        json_null(json);
        return;
    }
    before_value(json);
    put_string(&json->out, text);
}

void json_int(Json *json, int64_t value) {
    before_value(json);
    buf_printf(&json->out, "%lld", (long long)value);
}

void json_number(Json *json, double value) {
    if (!isfinite(value)) {
        json_null(json);
        return;
    }
    char text[40];
    /* The shortest of these that reads back as the same number. */
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    before_value(json);
    buf_puts(&json->out, text);
}

void json_bool(Json *json, bool value) {
    before_value(json);
    buf_puts(&json->out, value ? "true" : "false");
}

void json_null(Json *json) {
    before_value(json);
    buf_puts(&json->out, "null");
}

void json_print(Json *json) {
    buf_putc(&json->out, '\n');
    fwrite(json->out.data, 1, json->out.length, stdout);
    json->out.length = 0;
    json->need_comma = false;
}

void json_raw(Json *json, const char *text) {
    before_value(json);
    buf_puts(&json->out, text);
}
