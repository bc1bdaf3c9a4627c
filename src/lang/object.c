// SPDX-License-Identifier: Apache-2.0
/* object: making compile-time values, asking what they are, and printing them as Python does. */
#include "lang/object.h"

#include <stdlib.h>
#include <math.h>
#include <stdio.h>

Object *object_new(Arena *arena, ObjectKind kind) {
    Object *object = arena_new_of(arena, Object);
    object->kind = kind;
    return object;
}

Object *object_none(Arena *arena) { return object_new(arena, OBJECT_NONE); }

Object *object_bool(Arena *arena, bool value) {
    Object *object = object_new(arena, OBJECT_BOOL);
    object->integer = value;
    return object;
}

Object *object_int(Arena *arena, int128 value) {
    Object *object = object_new(arena, OBJECT_INT);
    object->integer = value;
    return object;
}

Object *object_float(Arena *arena, double value) {
    Object *object = object_new(arena, OBJECT_FLOAT);
    object->number = value;
    return object;
}

Object *object_str(Arena *arena, Str text) {
    Object *object = object_new(arena, OBJECT_STR);
    object->text = text;
    return object;
}

Object *object_dtype(Arena *arena, LType type) {
    Object *object = object_new(arena, OBJECT_DTYPE);
    object->ltype = type;
    return object;
}

Object *object_sealed(Arena *arena, Object *container) {
    int64_t weight = 1;
    int height = 0;
    for (int i = 0; i < container->num_items; i++) {
        Object *item = container->items[i];
        if (!item) continue;
        item->is_frozen = true;
        weight += item->weight > 0 ? item->weight : 1;
        if (item->height >= height) height = item->height + 1;
    }
    container->height = height;
    container->weight = weight < MAX_OBJECT_WEIGHT ? (int)weight : MAX_OBJECT_WEIGHT;
    if (weight <= MAX_OBJECT_WEIGHT && height <= MAX_OBJECT_HEIGHT) return container;
    Object *opaque = object_new(arena, OBJECT_OPAQUE);
    opaque->text = STR("a value that is too large to know at compile time");
    return opaque;
}

Object *object_tuple(Arena *arena, int count, Object *const *items) {
    Object *object = object_new(arena, OBJECT_TUPLE);
    object->num_items = count;
    object->items = arena_array(arena, Object *, count);
    if (count) memcpy(object->items, items, (size_t)count * sizeof *items);
    return object_sealed(arena, object);
}

Object *object_error(Arena *arena) { return object_new(arena, OBJECT_ERROR); }

bool object_is_integral(const Object *object) {
    return object->kind == OBJECT_BOOL || object->kind == OBJECT_INT;
}

bool object_is_number(const Object *object) {
    return object_is_integral(object) || object->kind == OBJECT_FLOAT;
}

bool object_is_ascii(const Object *text) {
    for (int i = 0; i < text->text.length; i++)
        if ((unsigned char)text->text.data[i] >= 0x80) return false;
    return true;
}

double object_number(const Object *object) {
    return object->kind == OBJECT_FLOAT ? object->number : (double)object->integer;
}

bool object_is_known(const Object *object) {
    switch (object->kind) {
    case OBJECT_OPAQUE:
    case OBJECT_TENSOR:
    case OBJECT_BLOCK_POINTER:
    case OBJECT_DESCRIPTOR:
    case OBJECT_HOST:
    case OBJECT_ERROR: return false;
    case OBJECT_NONE:
    case OBJECT_BOOL:
    case OBJECT_INT:
    case OBJECT_FLOAT:
    case OBJECT_STR:
    case OBJECT_DTYPE:
    case OBJECT_TUPLE:
    case OBJECT_LIST:
    case OBJECT_DICT:
    case OBJECT_FUNCTION:
    case OBJECT_BUILTIN:
    case OBJECT_METHOD:
    case OBJECT_MODULE:
    case OBJECT_CLASS:
    case OBJECT_SLICE:
    case OBJECT_ELLIPSIS:
    case OBJECT_CONFIG:
    case OBJECT_RANGE: break;
    }
    for (int i = 0; i < object->num_items; i++)
        if (object->items[i] && !object_is_known(object->items[i])) return false;
    return true;
}

/* Of a range: known bounds, and does it hold anything? */
static bool range_truth(const Object *range, bool *truth) {
    if (range->num_items < 3) return false;
    for (int i = 0; i < 3; i++)
        if (!object_is_integral(range->items[i])) return false;
    int128 start = range->items[0]->integer, stop = range->items[1]->integer;
    *truth = range->items[2]->integer > 0 ? start < stop : start > stop;
    return true;
}

bool object_truth(const Object *object, bool *truth) {
    switch (object->kind) {
    case OBJECT_NONE: *truth = false; return true;
    case OBJECT_BOOL:
    case OBJECT_INT: *truth = object->integer != 0; return true;
    case OBJECT_FLOAT: *truth = object->number != 0; return true;
    case OBJECT_STR: *truth = object->text.length > 0; return true;
    case OBJECT_TUPLE:
    case OBJECT_LIST:
    case OBJECT_DICT: *truth = object->num_items > 0; return true;
    case OBJECT_RANGE: return range_truth(object, truth);
    case OBJECT_DTYPE:
    case OBJECT_FUNCTION:
    case OBJECT_BUILTIN:
    case OBJECT_METHOD:
    case OBJECT_MODULE:
    case OBJECT_CLASS:
    case OBJECT_SLICE:
    case OBJECT_ELLIPSIS:
    case OBJECT_CONFIG:
    case OBJECT_BLOCK_POINTER:
    case OBJECT_DESCRIPTOR: *truth = true; return true;
    case OBJECT_OPAQUE:
    case OBJECT_TENSOR:
    case OBJECT_HOST:
    case OBJECT_ERROR: return false;
    }
    return false;
}

const char *object_type_name(const Object *object) {
    switch (object->kind) {
    case OBJECT_NONE: return "None";
    case OBJECT_BOOL: return "bool";
    case OBJECT_INT: return "int";
    case OBJECT_FLOAT: return "float";
    case OBJECT_STR: return "str";
    case OBJECT_DTYPE: return object->text.length ? "torch dtype" : "dtype";
    case OBJECT_TUPLE:
        return object->of_class ? "aggregate" : object->names ? "named tuple" : "tuple";
    case OBJECT_LIST: return str_is(object->text, "set") ? "set" : "list";
    case OBJECT_DICT: return "dict";
    case OBJECT_FUNCTION:
        return object->function && object->function->is_jit ? "jit function" : "function";
    case OBJECT_BUILTIN: return "built-in function";
    case OBJECT_METHOD: return "method";
    case OBJECT_MODULE: return "module";
    case OBJECT_CLASS: return "class";
    case OBJECT_SLICE: return "slice";
    case OBJECT_ELLIPSIS: return "ellipsis";
    case OBJECT_CONFIG: return "triton.Config";
    case OBJECT_OPAQUE: return "host value";
    case OBJECT_TENSOR: return "tensor";
    case OBJECT_BLOCK_POINTER: return "block pointer";
    case OBJECT_DESCRIPTOR: return "tensor descriptor";
    case OBJECT_RANGE: return "range";
    case OBJECT_HOST: return "host object";
    case OBJECT_ERROR: return "error";
    }
    return "?";
}

/* ---- text ---- */

void int128_print(Buf *out, int128 value) {
    char digits[48];
    int at = sizeof digits;
    uint128 rest = value < 0 ? -(uint128)value : (uint128)value;
    do digits[--at] = (char)('0' + (int)(rest % 10));
    while (rest /= 10);
    if (value < 0) digits[--at] = '-';
    buf_add(out, digits + at, sizeof digits - (size_t)at);
}

/* The shortest decimal that reads back as the same double, laid out as Python's repr does. */
static void print_float(Buf *out, double value) {
    if (isnan(value)) {
        buf_puts(out, "nan");
        return;
    }
    if (isinf(value)) {
        buf_puts(out, value < 0 ? "-inf" : "inf");
        return;
    }
    char text[40];
    for (int precision = 0; precision < 17; precision++) {
        snprintf(text, sizeof text, "%.*e", precision, value);
        if (strtod(text, NULL) == value) break;
    }
    char digits[24];
    int count = 0;
    char *p = text;
    if (*p == '-') buf_putc(out, *p++);
    for (; *p != 'e'; p++)
        if (*p >= '0' && *p <= '9') digits[count++] = *p;
    int exponent = (int)strtol(p + 1, NULL, 10);
    if (exponent < -4 || exponent >= 16) {
        buf_putc(out, digits[0]);
        if (count > 1) buf_putc(out, '.'), buf_add(out, digits + 1, (size_t)count - 1);
        buf_printf(out, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
        return;
    }
    if (exponent < 0) {
        buf_puts(out, "0.");
        for (int i = -1; i > exponent; i--) buf_putc(out, '0');
        buf_add(out, digits, (size_t)count);
        return;
    }
    for (int i = 0; i <= exponent || i < count; i++) {
        if (i == exponent + 1) buf_putc(out, '.');
        buf_putc(out, i < count ? digits[i] : '0');
    }
    if (count <= exponent + 1) buf_puts(out, ".0");
}

/* A character beyond ASCII that cannot be seen: blanks, marks of direction, private ones. Those
 * that Unicode has not given yet are not known here. */
static bool print_escaped(Buf *out, Str text, int *at) {
    static const struct {
        int first, last;
    } unseen[] = {{0x80, 0xa0},     {0xad, 0xad},     {0x600, 0x605},     {0x61c, 0x61c},
                  {0x6dd, 0x6dd},   {0x70f, 0x70f},   {0x8e2, 0x8e2},     {0x1680, 0x1680},
                  {0x180e, 0x180e}, {0x2000, 0x200f}, {0x2028, 0x202f},   {0x205f, 0x206f},
                  {0x3000, 0x3000}, {0xd7fc, 0xd7ff}, {0xe000, 0xf8ff},   {0xfeff, 0xfeff},
                  {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe00ff}, {0xe01f0, 0x10ffff}};
    const unsigned char *c = (const unsigned char *)text.data + *at;
    int left = text.length - *at, bytes = c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
    if (c[0] < 0xc0 || bytes > left) return false;
    int code = c[0] & (bytes == 2 ? 31 : bytes == 3 ? 15 : 7);
    for (int i = 1; i < bytes; i++) code = code << 6 | (c[i] & 63);
    for (int i = 0; i < COUNT(unseen); i++) {
        if (code < unseen[i].first || code > unseen[i].last) continue;
        buf_printf(out, code < 0x100 ? "\\x%02x" : code < 0x10000 ? "\\u%04x" : "\\U%08x", code);
        *at += bytes - 1;
        return true;
    }
    return false;
}

static void print_quoted(Buf *out, Str text) {
    bool has_single = text.length && memchr(text.data, '\'', (size_t)text.length);
    bool has_double = text.length && memchr(text.data, '"', (size_t)text.length);
    char quote = has_single && !has_double ? '"' : '\'';
    buf_putc(out, quote);
    for (int i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == '\n')
            buf_puts(out, "\\n");
        else if (c == '\t')
            buf_puts(out, "\\t");
        else if (c == '\r')
            buf_puts(out, "\\r");
        else if (c == quote || c == '\\')
            buf_putc(out, '\\'), buf_putc(out, (char)c);
        else if (c < 0x20 || c == 0x7f)
            buf_printf(out, "\\x%02x", c);
        else if (c < 0x80 || !print_escaped(out, text, &i))
            buf_putc(out, (char)c);
    }
    buf_putc(out, quote);
}

static void print_items(Buf *out, const Object *object, const char *open, const char *close) {
    if (object->names) buf_printf(out, "%.*s", STR_ARG(object->text));
    buf_puts(out, open);
    for (int i = 0; i < object->num_items; i++) {
        if (i) buf_puts(out, ", ");
        if (object->names) buf_printf(out, "%.*s=", STR_ARG(object->names[i]));
        object_repr(out, object->items[i]);
    }
    if (object->kind == OBJECT_TUPLE && object->num_items == 1 && !object->names)
        buf_putc(out, ',');
    buf_puts(out, close);
}

static void print_dict(Buf *out, const Object *object) {
    buf_putc(out, '{');
    for (int i = 0; i + 1 < object->num_items; i += 2) {
        if (i) buf_puts(out, ", ");
        object_repr(out, object->items[i]);
        buf_puts(out, ": ");
        object_repr(out, object->items[i + 1]);
    }
    buf_putc(out, '}');
}

static void print_range(Buf *out, const Object *object) {
    buf_printf(out, "%.*s(", STR_ARG(object->text.length ? object->text : STR("range")));
    for (int i = 0; i < object->num_items && i < 3; i++) {
        if (i == 2 && object_is_integral(object->items[2]) && object->items[2]->integer == 1) break;
        if (i) buf_puts(out, ", ");
        object_repr(out, object->items[i]);
    }
    buf_putc(out, ')');
}

static void print_dtype(Buf *out, const Object *object, bool as_repr) {
    if (object->text.length) { /* of torch */
        buf_printf(out, "torch.%s", torch_dtype_name(object->ltype.dtype));
        return;
    }
    if (object->rank) buf_putc(out, '<');
    if (object->rank) {
        buf_putc(out, '[');
        for (int i = 0; i < object->rank; i++)
            buf_printf(out, "%s%d", i ? ", " : "", object->shape[i]);
        buf_puts(out, "], ");
    }
    const char *name = dtype_name(object->ltype.dtype);
    if (as_repr && !object->rank && !object->ltype.levels) {
        /* Triton's repr can be evaluated: fp16 is triton.language.float16 there. */
        buf_puts(out, "triton.language.");
        const char *word = str_starts(str_of(name), "fp")   ? "float"
                           : str_starts(str_of(name), "bf") ? "bfloat"
                                                            : "";
        buf_printf(out, "%s%s", word, name + (*word ? 2 : 0));
    } else {
        ltype_print(out, object->ltype);
    }
    if (object->rank) buf_putc(out, '>');
}

void object_repr(Buf *out, const Object *object) {
    switch (object->kind) {
    case OBJECT_NONE: buf_puts(out, "None"); return;
    case OBJECT_BOOL: buf_puts(out, object->integer ? "True" : "False"); return;
    case OBJECT_INT: int128_print(out, object->integer); return;
    case OBJECT_FLOAT: print_float(out, object->number); return;
    case OBJECT_STR: print_quoted(out, object->text); return;
    case OBJECT_DTYPE: print_dtype(out, object, true); return;
    case OBJECT_TUPLE: print_items(out, object, "(", ")"); return;
    case OBJECT_LIST:
        if (str_is(object->text, "set"))
            print_items(out, object, "{", "}");
        else
            print_items(out, object, "[", "]");
        return;
    case OBJECT_DICT: print_dict(out, object); return;
    case OBJECT_ELLIPSIS: buf_puts(out, "Ellipsis"); return;
    case OBJECT_RANGE: print_range(out, object); return;
    case OBJECT_SLICE: print_items(out, object, "slice(", ")"); return;
    case OBJECT_FUNCTION:
        buf_printf(out, "<function %.*s>",
                   STR_ARG(object->function ? object->function->def->name : object->text));
        return;
    case OBJECT_CONFIG:
    case OBJECT_BUILTIN:
    case OBJECT_METHOD:
    case OBJECT_MODULE:
    case OBJECT_CLASS:
    case OBJECT_OPAQUE:
    case OBJECT_TENSOR:
    case OBJECT_BLOCK_POINTER:
    case OBJECT_DESCRIPTOR:
    case OBJECT_HOST:
    case OBJECT_ERROR:
        buf_printf(out, "<%s", object_type_name(object));
        if (object->text.length) buf_printf(out, " %.*s", STR_ARG(object->text));
        buf_putc(out, '>');
        return;
    }
}

void object_print(Buf *out, const Object *object) {
    if (object->kind == OBJECT_STR)
        buf_add(out, object->text.data, (size_t)object->text.length);
    else if (object->kind == OBJECT_DTYPE)
        print_dtype(out, object, false);
    else
        object_repr(out, object);
}
