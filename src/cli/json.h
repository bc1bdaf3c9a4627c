// SPDX-License-Identifier: Apache-2.0
/* json: writes JSON. Commas are put where they belong; a number that JSON cannot say (nan, inf) is
 * null. The names differ from those of jansson, which reads it. */
#ifndef TERN_CLI_JSON_H
#define TERN_CLI_JSON_H

#include "base/base.h"

typedef struct Json {
    Buf out;
    bool need_comma;
} Json;

void json_open(Json *json, char bracket); /* '{' or '[' */
void json_close(Json *json, char bracket);
void json_key(Json *json, const char *key);
void json_text(Json *json, const char *text); /* NULL: null */
void json_str(Json *json, Str text);
void json_int(Json *json, int64_t value);
void json_number(Json *json, double value);
void json_bool(Json *json, bool value);
void json_none(Json *json);
void json_raw(Json *json, const char *text); /* JSON already */
/* The text so far, with a newline, to stdout. */
void json_print(Json *json);

#endif
