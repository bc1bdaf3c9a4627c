// SPDX-License-Identifier: Apache-2.0
/* script_text: values as text: str(), repr(), format(), f-strings, '%', str.format. */
#include "lang/script.h"

#include <math.h>
#include <stdlib.h>

enum { LONGEST_TEXT = 1 << 28, MAX_WIDTH = 1 << 20 };

/* ---- str and repr ---- */

static bool text_of_special(Host *host, Object *object, const char *name, Buf *out) {
    if (!class_member(object->items[0], str_of(name))) return false;
    Object *text = special_call(host, object, name, 0, NULL);
    if (is_raised(host)) return true;
    if (text->kind != OBJECT_STR)
        host_raise(host, CLASS_TYPE_ERROR, "%s returned non-string (type %.*s)", name,
                   STR_ARG(class_info(class_of(host, text))->name));
    else
        buf_add(out, text->text.data, (size_t)text->text.length);
    return true;
}

static void print_exception(Host *host, Object *object, Buf *out, bool as_repr) {
    Object *args = dict_find_text(object->items[1], STR("args"));
    int count = args ? args->num_items : 0;
    if (!as_repr) {
        bool is_key = object_is_instance(host, object, CLASS_KEY_ERROR);
        if (count == 1)
            host_print(host, args->items[0], out, is_key);
        else if (count > 1)
            host_print(host, args, out, true);
        return;
    }
    buf_printf(out, "%.*s(", STR_ARG(class_info(object->items[0])->name));
    for (int i = 0; i < count; i++) {
        if (i) buf_puts(out, ", ");
        host_print(host, args->items[i], out, true);
    }
    buf_putc(out, ')');
}

static void print_instance(Host *host, Object *object, Buf *out, bool as_repr) {
    const Class *class = class_info(object->items[0]);
    if (!as_repr && text_of_special(host, object, "__str__", out)) return;
    if (class->is_exception && !class_member(object->items[0], STR("__repr__"))) {
        print_exception(host, object, out, as_repr);
        return;
    }
    if (text_of_special(host, object, "__repr__", out)) return;
    if (!class->is_dataclass) {
        buf_printf(out, "<__main__.%.*s object>", STR_ARG(class->name));
        return;
    }
    buf_printf(out, "%.*s(", STR_ARG(class->name));
    for (int i = 0; i < class->num_fields; i++) {
        Object *value = dict_find_text(object->items[1], class->fields[i]);
        buf_printf(out, "%s%.*s=", i ? ", " : "", STR_ARG(class->fields[i]));
        if (value) host_print(host, value, out, true);
    }
    buf_putc(out, ')');
}

static void print_items(Host *host, Object *object, Buf *out, const char *open, const char *close) {
    bool is_dict = object->kind == OBJECT_DICT;
    bool in_lines = object->names && str_starts(object->text, "torch.return_types.");
    if (object->names) buf_add(out, object->text.data, (size_t)object->text.length);
    buf_puts(out, open);
    if (in_lines) buf_putc(out, '\n');
    for (int i = 0; i < object->num_items && !is_raised(host); i++) {
        bool is_value = is_dict && i % 2;
        if (i) buf_puts(out, is_value ? ": " : in_lines ? ",\n" : ", ");
        if (object->names) buf_printf(out, "%.*s=", STR_ARG(object->names[i]));
        host_print(host, object->items[i], out, true);
        if (out->length > LONGEST_TEXT) longjmp(host->script->no_memory, 1);
    }
    if (object->kind == OBJECT_TUPLE && object->num_items == 1 && !object->names &&
        !object->text.length)
        buf_putc(out, ',');
    buf_puts(out, close);
}

static void print_container(Host *host, Object *object, Buf *out) {
    char here;
    if (&here < host->script->stack_end) {
        host_raise(host, CLASS_RECURSION_ERROR, "maximum recursion depth exceeded");
        return;
    }
    const char *open = object->kind == OBJECT_TUPLE ? "(" : object->kind == OBJECT_DICT ? "{" : "[";
    const char *close = object->kind == OBJECT_TUPLE  ? ")"
                        : object->kind == OBJECT_DICT ? "}"
                                                      : "]";
    bool is_named = object->kind == OBJECT_TUPLE && object->text.length && !object->names;
    if (is_named) { /* torch.Size([2, 3]) */
        buf_add(out, object->text.data, (size_t)object->text.length);
        open = "([", close = "])";
    }
    if (is_set_object(object)) open = "{", close = "}";
    if (is_set_object(object) && !object->num_items) open = "set(", close = ")";
    int height = object->height;
    if (height < 0) { /* it is being printed: it is inside itself */
        buf_printf(out, "%s...%s", open, close);
        return;
    }
    object->height = -1;
    print_items(host, object, out, open, close);
    object->height = height;
}

void host_print(Host *host, Object *object, Buf *out, bool as_repr) {
    if (is_raised(host)) return;
    switch (object->kind) {
    case OBJECT_TUPLE:
    case OBJECT_LIST:
    case OBJECT_DICT:
        if (object->of_class) { /* a defaultdict */
            buf_puts(out, "defaultdict(");
            host_print(host, (Object *)(uintptr_t)object->of_class, out, true);
            buf_puts(out, ", ");
        }
        print_container(host, object, out);
        if (object->of_class) buf_putc(out, ')');
        return;
    case OBJECT_METHOD:
        if (object->num_items < 2) break;
        buf_puts(out, "<bound method ");
        host_print(host, object->items[1], out, true);
        buf_putc(out, '>');
        return;
    case OBJECT_OPAQUE: host_refuse(host, "%.*s", STR_ARG(object->text)); return;
    case OBJECT_BUILTIN:
        if (!str_is(object->text, "NotImplemented")) break;
        buf_puts(out, "NotImplemented");
        return;
    case OBJECT_HOST:
        if (object->type == &instance_type)
            print_instance(host, object, out, as_repr);
        else if (object->type->print)
            object->type->print(host, object, out, as_repr);
        else
            buf_printf(out, "<%s object>", object->type->name);
        return;
    case OBJECT_NONE:
    case OBJECT_BOOL:
    case OBJECT_INT:
    case OBJECT_FLOAT:
    case OBJECT_STR:
    case OBJECT_DTYPE:
    case OBJECT_FUNCTION:
    case OBJECT_MODULE:
    case OBJECT_CLASS:
    case OBJECT_SLICE:
    case OBJECT_ELLIPSIS:
    case OBJECT_CONFIG:
    case OBJECT_TENSOR:
    case OBJECT_BLOCK_POINTER:
    case OBJECT_DESCRIPTOR:
    case OBJECT_RANGE:
    case OBJECT_ERROR: break;
    }
    if (as_repr)
        object_repr(out, object);
    else
        object_print(out, object);
}

Object *host_str(Host *host, Object *object) {
    if (object->kind == OBJECT_STR) return object;
    Buf out = {.arena = host->arena};
    host_print(host, object, &out, false);
    return is_raised(host) ? host->script->poison
                           : object_str(host->arena, out.length ? buf_str(&out) : STR(""));
}

Object *host_repr(Host *host, Object *object) {
    Buf out = {.arena = host->arena};
    host_print(host, object, &out, true);
    return is_raised(host) ? host->script->poison
                           : object_str(host->arena, out.length ? buf_str(&out) : STR(""));
}

/* ---- format specs: [[fill]align][sign][#][0][width][,][.precision][type] ---- */

typedef struct FormatSpec {
    Str fill;
    char align, sign, grouping, type;
    bool alternate, zeros, no_minus; /* no_minus: 'z', no -0.0 */
    int width, precision;            /* -1: not given */
} FormatSpec;

static bool parse_number(Str *text, int *number) {
    int value = 0, digits = 0;
    while (text->length && text->data[0] >= '0' && text->data[0] <= '9') {
        if (value <= MAX_WIDTH) value = value * 10 + (text->data[0] - '0');
        text->data++, text->length--, digits++;
    }
    if (digits) *number = value;
    return true;
}

static bool is_any(char c, const char *any) { return c && strchr(any, c); }

static bool take(Str *text, const char *any, char *found) {
    if (!text->length || !is_any(text->data[0], any)) return false;
    *found = text->data[0];
    text->data++, text->length--;
    return true;
}

static bool parse_spec(Str text, FormatSpec *spec) {
    char found;
    *spec = (FormatSpec){.fill = STR(" "), .width = -1, .precision = -1};
    Str first = text.length ? text_at(text, 0) : text;
    bool has_fill = text.length > first.length && is_any(text.data[first.length], "<>=^");
    if (has_fill) {
        spec->fill = first;
        spec->align = text.data[first.length];
        text.data += first.length + 1, text.length -= first.length + 1;
    } else {
        take(&text, "<>=^", &spec->align);
    }
    take(&text, "+- ", &spec->sign);
    spec->no_minus = take(&text, "z", &found);
    spec->alternate = take(&text, "#", &found);
    spec->zeros = take(&text, "0", &found);
    if (spec->zeros && !has_fill) spec->fill = STR("0");
    if (!parse_number(&text, &spec->width)) return false;
    take(&text, ",_", &spec->grouping);
    if (take(&text, ".", &found) && (!parse_number(&text, &spec->precision) || spec->precision < 0))
        return false;
    if (text.length == 1 && text.data[0]) spec->type = text.data[0], text.length = 0;
    return text.length == 0;
}

/* Pads `body` after its sign and prefix. */
static Object *padded(Host *host, const FormatSpec *spec, Str head, Str body, char align) {
    Buf out = {.arena = host->arena};
    int room = spec->width - text_length(head) - text_length(body);
    if (room < 0) room = 0;
    int left = align == '>' ? room : align == '^' ? room / 2 : 0, right = room - left;
    if (align == '=') left = room, right = 0;
    if (align == '=') buf_add(&out, head.data, (size_t)head.length);
    for (int i = 0; i < left; i++) buf_add(&out, spec->fill.data, (size_t)spec->fill.length);
    if (align != '=') buf_add(&out, head.data, (size_t)head.length);
    buf_add(&out, body.data, (size_t)body.length);
    for (int i = 0; i < right; i++) buf_add(&out, spec->fill.data, (size_t)spec->fill.length);
    return object_str(host->arena, out.length ? buf_str(&out) : STR(""));
}

/* A comma (or '_') between groups of digits before the point. */
static Str grouped(Arena *arena, Str digits, char separator, int size) {
    int whole = 0;
    while (whole < digits.length && strchr("0123456789abcdefABCDEF", digits.data[whole])) whole++;
    Buf out = {.arena = arena};
    for (int i = 0; i < digits.length; i++) {
        if (i && i < whole && (whole - i) % size == 0) buf_putc(&out, separator);
        buf_putc(&out, digits.data[i]);
    }
    return buf_str(&out);
}

/* Zeros before the digits, up to `width`, in groups, too: 0,001,234. */
static Str filled(Arena *arena, Str digits, const FormatSpec *spec, int width, int size) {
    Buf out = {.arena = arena};
    int whole = 0, groups = 0, tail = 0;
    while (whole < digits.length && digits.data[whole] != '.') whole++;
    for (int i = 0; i < whole; i++) groups += digits.data[i] == spec->grouping;
    int count = whole - groups, rest = digits.length - whole; /* digits before the point */
    while (count + (count - 1) / size + rest < width) count++, tail++;
    for (int i = 0, at = -tail; i < count; at++) {
        if (at >= 0 && digits.data[at] == spec->grouping) continue;
        if (i && (count - i) % size == 0) buf_putc(&out, spec->grouping);
        buf_putc(&out, at < 0 ? '0' : digits.data[at]);
        i++;
    }
    buf_add(&out, digits.data + whole, (size_t)rest);
    return buf_str(&out);
}

static Object *format_signed(Host *host, FormatSpec *spec, bool negative, const char *prefix,
                             Str digits, int group) {
    if (spec->grouping) digits = grouped(host->arena, digits, spec->grouping, group);
    const char *sign = negative ? "-" : spec->sign == '+' ? "+" : spec->sign == ' ' ? " " : "";
    Str head = str_format(host->arena, "%s%s", sign, prefix);
    if (spec->zeros && !spec->align) spec->align = '=';
    if (spec->zeros && spec->align == '=' && spec->grouping && str_is(spec->fill, "0") &&
        digits.data[0] <= '9')
        digits = filled(host->arena, digits, spec, spec->width - head.length, group);
    return padded(host, spec, head, digits, spec->align ? spec->align : '>');
}

static Object *format_int(Host *host, int128 value, FormatSpec *spec) {
    char digits[140];
    int at = sizeof digits, base = 10;
    const char *letters = "0123456789abcdef", *prefix = "";
    if (spec->type == 'b') base = 2, prefix = "0b";
    if (spec->type == 'o') base = 8, prefix = "0o";
    if (spec->type == 'x') base = 16, prefix = "0x";
    if (spec->type == 'X') base = 16, prefix = "0X", letters = "0123456789ABCDEF";
    if (spec->type == 'c') {
        Object *number = object_int(host->arena, value),
               *chr = map_get(&host->script->builtins, STR("chr"));
        if (spec->sign || spec->precision >= 0 || spec->alternate)
            return host_refuse(host, "this format 'c'");
        Object *text = host_invoke_with(host, chr, 1, &number);
        if (is_raised(host)) return text;
        return padded(host, spec, STR(""), text->text, spec->align ? spec->align : '>');
    }
    uint128 rest = value < 0 ? -(uint128)value : (uint128)value;
    do digits[--at] = letters[rest % (unsigned)base];
    while (rest /= (unsigned)base);
    if (spec->no_minus)
        return host_raise(host, CLASS_VALUE_ERROR,
                          "Negative zero coercion (z) not allowed in format specifier with integer "
                          "format code '%c'",
                          spec->type ? spec->type : 'd');
    if (spec->precision >= 0)
        return host_raise(host, CLASS_VALUE_ERROR,
                          "Precision not allowed in integer format specifier");
    Str text = {digits + at, (int)sizeof digits - at};
    return format_signed(host, spec, value < 0, spec->alternate ? prefix : "", text,
                         base == 10 ? 3 : 4);
}

/* A number that "%.*g" shows as `digits`, which leave no room for one after the point: 1.2e+05. */
static void put_whole(Buf *out, const char *digits, bool is_full, double value, int precision) {
    if (!is_full) {
        buf_printf(out, "%s.0", digits);
        return;
    }
    char text[900];
    snprintf(text, sizeof text, "%.*e", precision > 0 ? precision - 1 : 0, value);
    const char *exponent = strchr(text, 'e'), *end = exponent;
    while (memchr(text, '.', (size_t)(end - text)) && (end[-1] == '0' || end[-1] == '.')) end--;
    buf_printf(out, "%.*s%s", (int)(end - text), text, exponent);
}

static Object *format_float(Host *host, double value, FormatSpec *spec) {
    char type = spec->type ? spec->type : spec->precision >= 0 ? 'g' : 'r';
    int precision = spec->precision < 0 ? 6 : spec->precision;
    bool negative = signbit(value) && !isnan(value);
    double size = negative ? -value : value;
    Buf out = {.arena = host->arena};
    if (precision > 400) return host_refuse(host, "a format with more than 400 digits");
    if (spec->alternate && (!spec->type || type == 'r' || type == '%'))
        return host_refuse(host, "this '#' of a float's format");
    if (isnan(value) || isinf(value)) {
        bool upper = type == 'F' || type == 'E' || type == 'G';
        buf_puts(&out, isnan(value) ? upper ? "NAN" : "nan" : upper ? "INF" : "inf");
        if (type == '%') buf_putc(&out, '%');
    } else if (type == 'r') {
        const Object *number = object_float(host->arena, size);
        object_repr(&out, number);
    } else if (type == '%') {
        buf_printf(&out, "%.*f%%", precision, size * 100);
    } else {
        if (type == 'n') type = 'g';
        char c[] = {'%', '.', '*', type, 0}, with_point[] = {'%', '#', '.', '*', type, 0};
        char text[900];
        int length = snprintf(text, sizeof text, spec->alternate ? with_point : c, precision, size);
        /* Without a type there is a digit after the point, or an exponent. */
        if (!spec->type && !strpbrk(text, ".e"))
            put_whole(&out, text, length >= precision, size, precision);
        else
            buf_puts(&out, text);
    }
    bool is_zero = spec->no_minus;
    for (size_t i = 0; i < out.length; i++) is_zero &= !is_any(out.data[i], "123456789in");
    negative &= !is_zero;
    return format_signed(host, spec, negative, "", buf_str(&out), 3);
}

static Object *format_text(Host *host, Str text, FormatSpec *spec) {
    const char *what = spec->sign == ' '    ? "Space"
                       : spec->sign         ? "Sign"
                       : spec->no_minus     ? "Negative zero coercion (z)"
                       : spec->alternate    ? "Alternate form (#)"
                       : spec->align == '=' ? "'=' alignment"
                                            : NULL;
    if (what)
        return host_raise(host, CLASS_VALUE_ERROR, "%s not allowed in string format specifier",
                          what);
    if (spec->precision >= 0) {
        int bytes = 0;
        for (int i = 0; i < spec->precision && bytes < text.length; i++)
            bytes += text_at((Str){text.data + bytes, text.length - bytes}, 0).length;
        text.length = bytes;
    }
    return padded(host, spec, STR(""), text, spec->align ? spec->align : '<');
}

Object *host_format(Host *host, Object *object, Str text) {
    if (is_raised(host)) return host->script->poison;
    if (object->kind == OBJECT_HOST) {
        if (object->type == &instance_type && class_member(object->items[0], STR("__format__"))) {
            Object *argument = object_str(host->arena, text);
            return special_call(host, object, "__format__", 1, &argument);
        }
        Object *own = object->type->format ? object->type->format(host, object, text) : NULL;
        if (own || is_raised(host)) return own ? own : host->script->poison;
    }
    if (!text.length) return host_str(host, object);
    FormatSpec spec;
    bool ok = parse_spec(text, &spec), is_int = object_is_integral(object);
    bool is_number = is_int || object->kind == OBJECT_FLOAT;
    Str class = class_info(class_of(host, object))->name;
    if (!is_number && object->kind != OBJECT_STR)
        return host_raise(host, CLASS_TYPE_ERROR,
                          "unsupported format string passed to %.*s.__format__", STR_ARG(class));
    if (ok && (spec.width > MAX_WIDTH || spec.precision > MAX_WIDTH))
        return host_refuse(host, "a format of more than %d characters", MAX_WIDTH);
    if (!ok)
        return host_raise(host, CLASS_VALUE_ERROR,
                          "Invalid format specifier '%.*s' for object of type '%.*s'",
                          STR_ARG(text), STR_ARG(class));
    const char *types = object->kind == OBJECT_STR ? "s" : is_int ? "bcdoxXneEfFgG%" : "eEfFgGn%";
    if (spec.type && !strchr(types, spec.type))
        return host_raise(host, CLASS_VALUE_ERROR,
                          "Unknown format code '%c' for object of type '%.*s'", spec.type,
                          STR_ARG(class));
    char type = object->kind == OBJECT_STR ? 's' : spec.type;
    if (spec.grouping && type && !strchr(spec.grouping == '_' ? "boxXdeEfFgG%" : "deEfFgG%", type))
        return host_raise(host, CLASS_VALUE_ERROR, "Cannot specify '%c' with '%c'.", spec.grouping,
                          type);
    if (object->kind == OBJECT_STR) return format_text(host, object->text, &spec);
    bool as_float = !is_int || (spec.type && strchr("eEfFgG%", spec.type));
    return as_float ? format_float(host, object_number(object), &spec)
                    : format_int(host, object->integer, &spec);
}

/* ---- f-strings, str.format, '%' ---- */

static Object *converted(Host *host, Object *value, char conversion) {
    if (conversion == 'r' || conversion == 'a') {
        Object *shown = host_repr(host, value);
        bool is_ascii = is_raised(host) || text_length(shown->text) == shown->text.length;
        return conversion == 'r' || is_ascii ? shown
                                             : host_refuse(host, "'a' of characters beyond ASCII");
    }
    return conversion == 's' ? host_str(host, value) : value;
}

/* The spec of a replacement is what its items say; "!r" comes before it. */
static Str spec_of(Host *host, const Expr *item) {
    Buf spec = {.arena = host->arena};
    for (int i = 0; i < item->num_items && !is_raised(host); i++) {
        const Expr *part = item->items[i];
        Object *text = part->kind == EXPR_STRING ? NULL : host_expr(host, part->left);
        Str words = text ? host_str(host, text)->text : part->text;
        if (!is_raised(host)) buf_add(&spec, words.data, (size_t)words.length);
    }
    return spec.length ? buf_str(&spec) : STR("");
}

Object *script_fstring(Host *host, const Expr *expr) {
    Buf text = {.arena = host->arena};
    for (int i = 0; i < expr->num_items; i++) {
        const Expr *item = expr->items[i];
        if (item->kind == EXPR_STRING) {
            buf_add(&text, item->text.data, (size_t)item->text.length);
            continue;
        }
        Object *value = host_expr(host, item->left);
        if (is_raised(host)) return host->script->poison;
        Str options = item->text;
        char conversion = options.length > 1 && options.data[0] == '!' ? options.data[1] : 0;
        value = converted(host, value, conversion);
        value = host_format(host, value, spec_of(host, item));
        if (is_raised(host)) return value;
        buf_add(&text, value->text.data, (size_t)value->text.length);
    }
    return object_str(host->arena, text.length ? buf_str(&text) : STR(""));
}

static Object *field_of(Host *host, Str name, int *next, const HostCall *call) {
    int index = -1;
    bool number = true;
    for (int i = 0; i < name.length; i++) number &= name.data[i] >= '0' && name.data[i] <= '9';
    if (number && *next && (*next > 0) == (name.length > 0))
        return host_raise(host, CLASS_VALUE_ERROR,
                          name.length ? "cannot switch from automatic field numbering to manual "
                                        "field specification"
                                      : "cannot switch from manual field specification to "
                                        "automatic field numbering");
    if (!name.length) index = (*next)++;
    if (name.length && number) *next = -1;
    if (name.length && number) index = (int)strtol(str_c(host->arena, name), NULL, 10);
    for (int i = 0, at = 0; i < call->num_args; i++) {
        bool named = call->names && call->names[i].length;
        if (named ? str_equal(call->names[i], name) : index == at++) return call->args[i];
    }
    if (number)
        return host_raise(host, CLASS_INDEX_ERROR,
                          "Replacement index %d out of range for positional args tuple", index);
    Object *key = object_str(host->arena, name);
    host_raise_object(host, exception_new(host, host->script->classes[CLASS_KEY_ERROR], 1, &key));
    return host->script->poison;
}

Object *format_fields(Host *host, Str text, const HostCall *call) {
    Buf out = {.arena = host->arena};
    int next = 0;
    for (int i = 0; i < text.length; i++) {
        char c = text.data[i];
        bool doubled = i + 1 < text.length && text.data[i + 1] == c;
        if ((c == '{' || c == '}') && doubled) i++;
        if (c == '}' && !doubled)
            return host_raise(host, CLASS_VALUE_ERROR, "Single '}' encountered in format string");
        if (c != '{' || doubled) {
            buf_putc(&out, c);
            continue;
        }
        int start = ++i;
        while (i < text.length && text.data[i] != '}' && text.data[i] != '{') i++;
        if (i == text.length || text.data[i] == '{')
            return i == text.length
                       ? host_raise(host, CLASS_VALUE_ERROR, "expected '}' before end of string")
                       : host_refuse(host, "a field inside of a field's format");
        Str field = {text.data + start, i - start}, spec = STR("");
        const char *colon = field.length ? memchr(field.data, ':', (size_t)field.length) : NULL;
        if (colon) {
            spec = (Str){colon + 1, (int)(field.data + field.length - colon - 1)};
            field.length = (int)(colon - field.data);
        }
        char conversion = 0;
        if (field.length >= 2 && field.data[field.length - 2] == '!')
            conversion = field.data[field.length - 1], field.length -= 2;
        if (field.length && strcspn(str_c(host->arena, field), ".[") < (size_t)field.length)
            return host_refuse(host, "attributes and subscripts in the fields of str.format");
        Object *value = converted(host, field_of(host, field, &next, call), conversion);
        value = host_format(host, value, spec);
        if (is_raised(host)) return host->script->poison;
        buf_add(&out, value->text.data, (size_t)value->text.length);
    }
    return object_str(host->arena, out.length ? buf_str(&out) : STR(""));
}

/* One "%-8.3f": flags, width, precision as a spec of format(). */
static Object *percent_one(Host *host, Str options, char type, Object *value) {
    FormatSpec spec;
    Buf words = {.arena = host->arena};
    bool left = false, zeros = false, is_text = is_any(type, "sra"), alternate = false;
    char sign = 0;
    while (options.length && is_any(options.data[0], "-0+ #")) {
        left |= options.data[0] == '-';
        zeros |= options.data[0] == '0';
        alternate |= options.data[0] == '#';
        if (options.data[0] == '+' || (options.data[0] == ' ' && !sign)) sign = options.data[0];
        options.data++, options.length--;
    }
    if (type == 'c') { /* a character or its number */
        bool is_char = value->kind == OBJECT_STR && text_length(value->text) == 1;
        if (!is_char && !object_is_integral(value))
            return host_raise(host, CLASS_TYPE_ERROR, "%%c requires int or char");
        Object *chr = map_get(&host->script->builtins, STR("chr"));
        if (!is_char) value = host_invoke_with(host, chr, 1, &value);
        if (is_raised(host)) return value;
        type = 's', is_text = true;
    } else if (is_text) {
        value = converted(host, value, type);
        if (is_raised(host)) return value;
        type = 's';
    } else if (type == 'i' || type == 'u') {
        type = 'd';
    }
    if (!is_text && !object_is_number(value)) { /* what it is as a number, where it says so */
        bool is_fraction = is_any(type, "eEfFgG");
        Object *own = type == 'd' ? host_says(host, value, "__int__") : NULL;
        if (!own) own = host_says(host, value, is_fraction ? "__float__" : "__index__");
        if (own) value = host_invoke_with(host, own, 0, NULL);
        if (is_raised(host)) return value;
    }
    bool is_float = value->kind == OBJECT_FLOAT, whole = is_any(type, "xXo");
    if (!is_text && (!object_is_number(value) || (whole && is_float)))
        return host_raise(host, CLASS_TYPE_ERROR, "%%%c format: %s is required, not %.*s", type,
                          whole ? "an integer" : "a real number",
                          STR_ARG(class_info(class_of(host, value))->name));
    if (type == 'd' && is_float)
        value = host_invoke_with(host, host->script->classes[CLASS_INT], 1, &value);
    if (is_raised(host)) return value;
    if ((type == 'd' || whole) && memchr(options.data, '.', (size_t)options.length))
        return host_refuse(host, "this '%%' format");
    if (sign && !is_text) buf_putc(&words, sign);
    if (alternate && !is_text && type != 'd') buf_putc(&words, '#');
    Str text = str_format(host->arena, "%s%.*s%s%.*s%c",
                          left          ? "<"
                          : type == 's' ? ">"
                                        : "",
                          (int)words.length, words.data ? words.data : "",
                          zeros && !left && type != 's' ? "0" : "", STR_ARG(options), type);
    if (!parse_spec(text, &spec)) return host_refuse(host, "this '%%' format");
    return host_format(host, value, text);
}

Object *format_percent(Host *host, Str text, Object *values) {
    Buf out = {.arena = host->arena};
    int next = 0, count = values->kind == OBJECT_TUPLE ? values->num_items : 1;
    for (int i = 0; i < text.length; i++) {
        if (text.data[i] != '%') {
            buf_putc(&out, text.data[i]);
            continue;
        }
        if (i + 1 < text.length && text.data[i + 1] == '%') {
            buf_putc(&out, text.data[i++]);
            continue;
        }
        int start = i + 1, end = start;
        Object *named = NULL;
        if (start < text.length && text.data[start] == '(') { /* %(name)s */
            while (end < text.length && text.data[end] != ')') end++;
            if (values->kind != OBJECT_DICT)
                return host_raise(host, CLASS_TYPE_ERROR, "format requires a mapping");
            Object *key = object_str(host->arena, (Str){text.data + start + 1, end - start - 1});
            named = script_subscript(host, values, key);
            if (is_raised(host)) return named;
            start = end = end < text.length ? end + 1 : end;
        }
        while (end < text.length && is_any(text.data[end], "-+ #0123456789.")) end++;
        if (end == text.length || !is_any(text.data[end], "diurascxXofFeEgG"))
            return host_refuse(host, "this '%%' format");
        if (next == count && !named)
            return host_raise(host, CLASS_TYPE_ERROR, "not enough arguments for format string");
        Object *value = named ? named : values->kind == OBJECT_TUPLE ? values->items[next] : values;
        next += !named;
        value = percent_one(host, (Str){text.data + start, end - start}, text.data[end], value);
        if (is_raised(host)) return value;
        buf_add(&out, value->text.data, (size_t)value->text.length);
        i = end;
    }
    if (next < count && values->kind != OBJECT_DICT)
        return host_raise(host, CLASS_TYPE_ERROR,
                          "not all arguments converted during string formatting");
    return object_str(host->arena, out.length ? buf_str(&out) : STR(""));
}
