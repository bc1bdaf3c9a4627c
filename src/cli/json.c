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

void json_key(Json *json, const char *key) {
    before_value(json);
    buf_json(&json->out, str_of(key));
    buf_putc(&json->out, ':');
    json->need_comma = false;
}

void json_text(Json *json, const char *text) {
    if (!text) {
        json_none(json);
        return;
    }
    json_str(json, str_of(text));
}

void json_str(Json *json, Str text) {
    before_value(json);
    buf_json(&json->out, text);
}

void json_int(Json *json, int64_t value) {
    before_value(json);
    buf_printf(&json->out, "%lld", (long long)value);
}

void json_number(Json *json, double value) {
    if (!isfinite(value)) {
        json_none(json);
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

void json_none(Json *json) {
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
