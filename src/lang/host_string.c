// SPDX-License-Identifier: Apache-2.0
/* host_string: methods of strings in host code: format, join, split, strip, replace. Files build
 * the text of inline assembly with them. NULL where Python's answer is not certain. */
#include "lang/module.h"

enum { LONGEST_STRING = 1 << 20 };

/* Python's blanks below U+0080. */
static bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f);
}

static Object *result_of(Host *host, Buf *out, Span span) {
    Str text = out->length ? buf_str(out) : STR("");
    if (text.length > LONGEST_STRING || !host_spend(host, span, 1 + text.length / 64)) return NULL;
    return object_str(host->arena, text);
}

/* The argument of a {field}: a name, a number, or the next one; formats and attributes are not
 * known. */
static const Object *field_value(Str field, int *next, int num_args, Object *const *args,
                                 const Str *names) {
    int index = 0, digits = 0;
    if (!field.length) index = (*next)++;
    for (int i = 0; i < field.length; i++) {
        if (field.data[i] < '0' || field.data[i] > '9' || digits++ > 3)
            index = -1;
        else if (index >= 0)
            index = index * 10 + (field.data[i] - '0');
        if (index < 0) break;
    }
    for (int i = 0, place = 0; i < num_args; i++) {
        bool named = names && names[i].length;
        if (named ? str_equal(names[i], field) : index == place++) return args[i];
    }
    return NULL;
}

static Object *call_format(Host *host, Str text, int num_args, Object *const *args,
                           const Str *names, Span span) {
    Buf out = {.arena = host->arena};
    int next = 0;
    for (int i = 0; i < text.length; i++) {
        char c = text.data[i];
        bool doubled = i + 1 < text.length && text.data[i + 1] == c;
        if ((c == '{' || c == '}') && doubled) i++;
        if (c == '}' && !doubled) return NULL;
        if (c != '{' || doubled) {
            buf_putc(&out, c);
            continue;
        }
        int start = ++i;
        while (i < text.length && text.data[i] != '}') i++;
        if (i == text.length) return NULL;
        const Object *value =
            field_value((Str){text.data + start, i - start}, &next, num_args, args, names);
        if (!value || !object_is_known(value) || out.length > LONGEST_STRING) return NULL;
        object_print(&out, value);
    }
    return result_of(host, &out, span);
}

static Object *call_join(Host *host, Str separator, Object *list, Span span) {
    int count;
    Object **items;
    Buf out = {.arena = host->arena};
    if (!host_items(host, list, &count, &items)) return NULL;
    for (int i = 0; i < count; i++) {
        if (items[i]->kind != OBJECT_STR || out.length > LONGEST_STRING) return NULL;
        if (i) buf_add(&out, separator.data, (size_t)separator.length);
        buf_add(&out, items[i]->text.data, (size_t)items[i]->text.length);
    }
    return result_of(host, &out, span);
}

static bool starts_at(Str text, int at, Str part) {
    return at + part.length <= text.length &&
           !memcmp(text.data + at, part.data, (size_t)part.length);
}

static Object *call_split(Host *host, Str text, const Object *separator, Span span) {
    VEC(Object *) parts = {0};
    if (separator && (separator->kind != OBJECT_STR || !separator->text.length)) return NULL;
    if (!host_spend(host, span, 1 + text.length / 8)) return NULL;
    for (int at = 0, start = 0; at <= text.length;) {
        bool end = at == text.length;
        bool cut =
            end || (separator ? starts_at(text, at, separator->text) : is_blank(text.data[at]));
        if (!cut) {
            at++;
            continue;
        }
        /* Without a separator runs of blanks count as one, and none at the ends. */
        if (separator || at > start)
            vec_push(host->arena, &parts,
                     object_str(host->arena, (Str){text.data + start, at - start}));
        at += end || !separator ? 1 : separator->text.length;
        start = at;
    }
    return host_list(host->arena, OBJECT_LIST, parts.count, parts.data);
}

static Object *call_replace(Host *host, Str text, Str old, Str new, Span span) {
    Buf out = {.arena = host->arena};
    if (!old.length) return NULL;
    for (int at = 0; at < text.length;) {
        bool found = starts_at(text, at, old);
        if (out.length > LONGEST_STRING) return NULL;
        if (found)
            buf_add(&out, new.data, (size_t) new.length);
        else
            buf_putc(&out, text.data[at]);
        at += found ? old.length : 1;
    }
    return result_of(host, &out, span);
}

static Str stripped(Str text, Str which) {
    while (text.length && !str_is(which, "rstrip") && is_blank(text.data[0]))
        text.data++, text.length--;
    while (text.length && !str_is(which, "lstrip") && is_blank(text.data[text.length - 1]))
        text.length--;
    return text;
}

Object *host_string_method(Host *host, const Object *self, Str name, int num_args,
                           Object *const *args, const Str *names, Span span) {
    if (str_is(name, "format")) return call_format(host, self->text, num_args, args, names, span);
    for (int i = 0; names && i < num_args; i++)
        if (names[i].length) return NULL;
    for (int i = 0; i < num_args; i++)
        if (!object_is_known(args[i])) return NULL;
    if (num_args == 0 && !object_is_ascii(self)) return NULL; /* there are more blanks in it */
    bool strips = str_is(name, "strip") || str_is(name, "lstrip") || str_is(name, "rstrip");
    if (strips && num_args == 0) return object_str(host->arena, stripped(self->text, name));
    if (str_is(name, "join") && num_args == 1) return call_join(host, self->text, args[0], span);
    if (str_is(name, "split") && num_args <= 1)
        return call_split(host, self->text, num_args ? args[0] : NULL, span);
    if (str_is(name, "replace") && num_args == 2 && args[0]->kind == OBJECT_STR &&
        args[1]->kind == OBJECT_STR)
        return call_replace(host, self->text, args[0]->text, args[1]->text, span);
    return NULL;
}
