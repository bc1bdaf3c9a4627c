// SPDX-License-Identifier: Apache-2.0
/* script_str: the methods of str in a running script. */
#include "lang/script.h"

enum { ALL = 1 << 30 };

static Object *text_of(Host *host, Str text) { return object_str(host->arena, text); }
static Object *text_made(Host *host, const Buf *out) {
    if (out->length > ALL) longjmp(host->script->no_memory, 1);
    return object_str(host->arena, out->length ? buf_str(out) : STR(""));
}
static Str part(Str text, int start, int end) { return (Str){text.data + start, end - start}; }

static bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f);
}
static bool is_ascii(Str text) { return text_length(text) == text.length; }

/* The first place at or after `from`, or the last before `end`; -1. */
static int find_in(Str text, Str what, int from, bool backwards) {
    int last = text.length - what.length;
    for (int i = backwards ? last : from; backwards ? i >= from : i <= last;
         i += backwards ? -1 : 1)
        if (!what.length || !memcmp(text.data + i, what.data, (size_t)what.length)) return i;
    return -1;
}

static Object *run_join(Host *host, Object *const *args, const HostCall *call) {
    Buf out = {.arena = host->arena};
    int count;
    Object **items;
    if (object_is_number(args[0]) || args[0]->kind == OBJECT_NONE)
        return host_raise(host, CLASS_TYPE_ERROR, "can only join an iterable");
    if (!host_items(host, args[0], &count, &items)) return host->script->poison;
    for (int i = 0; i < count; i++) {
        if (items[i]->kind != OBJECT_STR)
            return host_raise(host, CLASS_TYPE_ERROR,
                              "sequence item %d: expected str instance, %.*s found", i,
                              STR_ARG(class_info(class_of(host, items[i]))->name));
        if (out.length > ALL) longjmp(host->script->no_memory, 1);
        if (i) buf_add(&out, call->self->text.data, (size_t)call->self->text.length);
        buf_add(&out, items[i]->text.data, (size_t)items[i]->text.length);
    }
    return text_made(host, &out);
}

static Object *run_split(Host *host, Object *const *args, const HostCall *call) {
    Object *list = heap_list(host, OBJECT_LIST, 0, NULL);
    Str text = call->self->text, separator = {0};
    int64_t most = ALL;
    bool blanks = !args[0] || args[0]->kind == OBJECT_NONE;
    if (!blanks && !host_text(host, args[0], "sep", &separator)) return list;
    if (!blanks && !separator.length) return host_raise(host, CLASS_VALUE_ERROR, "empty separator");
    if (args[1] && !host_int(host, args[1], "maxsplit", &most)) return list;
    if (most < 0) most = ALL;
    int start = 0;
    if (!blanks) {
        for (int at; most-- > 0 && (at = find_in(text, separator, start, false)) >= 0;) {
            list_insert(host, list, list->num_items, text_of(host, part(text, start, at)));
            start = at + separator.length;
        }
        list_insert(host, list, list->num_items, text_of(host, part(text, start, text.length)));
        return list;
    }
    while (start < text.length) {
        while (start < text.length && is_blank(text.data[start])) start++;
        if (start == text.length) break;
        int end = start;
        while (end < text.length && (most <= 0 || !is_blank(text.data[end]))) end++;
        list_insert(host, list, list->num_items, text_of(host, part(text, start, end)));
        start = end;
        most--;
    }
    return list;
}

/* From the right: the parts come in order. */
static Object *run_rsplit(Host *host, Object *const *args, const HostCall *call) {
    int64_t most = ALL;
    Str text = call->self->text, separator = {0};
    bool blanks = !args[0] || args[0]->kind == OBJECT_NONE;
    if (!blanks && !host_text(host, args[0], "sep", &separator)) return host->script->poison;
    if (!blanks && !separator.length) return host_raise(host, CLASS_VALUE_ERROR, "empty separator");
    if (args[1] && !host_int(host, args[1], "maxsplit", &most)) return host->script->poison;
    if (most < 0 || most == ALL) return run_split(host, args, call);
    Object *list = heap_list(host, OBJECT_LIST, 0, NULL);
    int end = text.length;
    while (blanks && end && is_blank(text.data[end - 1])) end--;
    while (most-- > 0 && end > 0) {
        int at = blanks ? end : find_in(part(text, 0, end), separator, 0, true);
        while (blanks && at > 0 && !is_blank(text.data[at - 1])) at--;
        int from = blanks ? at : at + separator.length;
        if (blanks ? at == 0 : at < 0) break;
        list_insert(host, list, 0, text_of(host, part(text, from, end)));
        end = at;
        while (blanks && end && is_blank(text.data[end - 1])) end--;
    }
    if (!blanks || end > 0) list_insert(host, list, 0, text_of(host, part(text, 0, end)));
    return list;
}

static Object *run_expandtabs(Host *host, Object *const *args, const HostCall *call) {
    int64_t size = 8;
    int column = 0;
    Str text = call->self->text;
    Buf out = {.arena = host->arena};
    if (args[0] && !host_int(host, args[0], "tabsize", &size)) return host->script->poison;
    if (size > 1000) return host_refuse(host, "expandtabs() by more than 1000");
    for (int i = 0; i < text.length; i++) {
        char c = text.data[i];
        if (c != '\t') buf_putc(&out, c);
        for (int64_t k = c == '\t' && size > 0 ? size - column % size : 0; k > 0; k--, column++)
            buf_putc(&out, ' ');
        if (c != '\t') column += ((unsigned char)c & 0xc0) != 0x80;
        if (c == '\n' || c == '\r') column = 0;
    }
    return text_made(host, &out);
}

/* Python's other ends of lines are beyond ASCII. */
static bool ends_line(char c) { return (c >= '\n' && c <= '\r') || (c >= 0x1c && c <= 0x1e); }

static Object *run_splitlines(Host *host, Object *const *args, const HostCall *call) {
    Object *list = heap_list(host, OBJECT_LIST, 0, NULL);
    Str text = call->self->text;
    bool keeps = args[0] && script_truth(host, args[0]);
    for (int start = 0, i = 0; i <= text.length; i++) {
        if (i < text.length && !ends_line(text.data[i])) continue;
        bool is_line = i < text.length || i > start;
        int end = i;
        bool two = i + 1 < text.length && text.data[i] == '\r' && text.data[i + 1] == '\n';
        if (two) i++;
        if (keeps && i < text.length) end = i + 1;
        if (is_line)
            list_insert(host, list, list->num_items, text_of(host, part(text, start, end)));
        start = i + 1;
    }
    return list;
}

static Str stripped(Str text, const Str *which, bool left, bool right) {
#define IS_CUT(c)                                                                                  \
    (which ? which->length && memchr(which->data, (c), (size_t)which->length) != NULL : is_blank(c))
    while (left && text.length && IS_CUT(text.data[0])) text.data++, text.length--;
    while (right && text.length && IS_CUT(text.data[text.length - 1])) text.length--;
#undef IS_CUT
    return text;
}

static Object *strip(Host *host, Object *const *args, const HostCall *call, bool left, bool right) {
    Str which;
    bool given = args[0] && args[0]->kind != OBJECT_NONE;
    if (given && !host_text(host, args[0], "strip arg", &which)) return host->script->poison;
    if (given && !is_ascii(which)) return host_refuse(host, "strip() of characters beyond ASCII");
    return text_of(host, stripped(call->self->text, given ? &which : NULL, left, right));
}
static Object *run_strip(Host *host, Object *const *args, const HostCall *call) {
    return strip(host, args, call, true, true);
}
static Object *run_lstrip(Host *host, Object *const *args, const HostCall *call) {
    return strip(host, args, call, true, false);
}
static Object *run_rstrip(Host *host, Object *const *args, const HostCall *call) {
    return strip(host, args, call, false, true);
}

static Object *run_replace(Host *host, Object *const *args, const HostCall *call) {
    Buf out = {.arena = host->arena};
    Str text = call->self->text, old, new;
    int64_t most = ALL;
    if (!host_text(host, args[0], "replace() argument 1", &old) ||
        !host_text(host, args[1], "replace() argument 2", &new) ||
        (args[2] && !host_int(host, args[2], "count", &most)))
        return host->script->poison;
    if (most < 0) most = ALL;
    if (!old.length) { /* around each character */
        for (int i = 0; i <= text.length; i++) {
            bool is_start = i == text.length || ((unsigned char)text.data[i] & 0xc0) != 0x80;
            if (is_start && most-- > 0) buf_add(&out, new.data, (size_t) new.length);
            if (i < text.length) buf_putc(&out, text.data[i]);
            if (out.length > ALL / 4) longjmp(host->script->no_memory, 1);
        }
        return text_made(host, &out);
    }
    int start = 0;
    for (int at; most-- > 0 && (at = find_in(text, old, start, false)) >= 0;
         start = at + old.length) {
        buf_add(&out, text.data + start, (size_t)(at - start));
        buf_add(&out, new.data, (size_t) new.length);
        if (out.length > ALL / 4) longjmp(host->script->no_memory, 1);
    }
    buf_add(&out, text.data + start, (size_t)(text.length - start));
    return text_made(host, &out);
}

static int byte_of(Str text, int64_t character) {
    int at = 0;
    for (; character > 0 && at < text.length; at++)
        character -= at + 1 == text.length || ((unsigned char)text.data[at + 1] & 0xc0) != 0x80;
    return at;
}

/* text[start:end], in characters, as searches have it: NULL and None are the ends. *at: the byte
 * where it begins; -1: it begins behind the end, and so finds nothing. */
static bool window(Host *host, Object *start, Object *end, Str *text, int *at) {
    int64_t length = text_length(*text), bounds[2] = {0, length};
    Object *given[] = {start, end};
    for (int i = 0; i < 2; i++) {
        if (!given[i] || given[i]->kind == OBJECT_NONE) continue;
        if (!host_int(host, given[i], "a bound of a search", &bounds[i])) return false;
        if (bounds[i] < 0) bounds[i] = bounds[i] + length < 0 ? 0 : bounds[i] + length;
    }
    *at = bounds[0] > length ? -1 : byte_of(*text, bounds[0]);
    if (bounds[1] > length) bounds[1] = length;
    if (*at >= 0 && bounds[1] >= bounds[0])
        *text = part(*text, *at, byte_of(*text, bounds[1]));
    else
        *at = -1;
    return true;
}

/* One text or a tuple of them. */
static Object *starts_or_ends(Host *host, Object *const *args, const HostCall *call, bool ends) {
    Str text = call->self->text;
    int from;
    if (!window(host, args[1], args[2], &text, &from)) return host->script->poison;
    if (from < 0) return object_bool(host->arena, false);
    bool found = false;
    int count = args[0]->kind == OBJECT_TUPLE ? args[0]->num_items : 1;
    for (int i = 0; i < count && !found; i++) {
        Str one;
        Object *item = args[0]->kind == OBJECT_TUPLE ? args[0]->items[i] : args[0];
        if (item->kind != OBJECT_STR)
            return host_raise(
                host, CLASS_TYPE_ERROR, "%s first arg must be str or a tuple of str, not %.*s",
                ends ? "endswith" : "startswith", STR_ARG(class_info(class_of(host, item))->name));
        one = item->text;
        int at = ends ? text.length - one.length : 0;
        found = at >= 0 && one.length <= text.length &&
                !memcmp(text.data + at, one.data, (size_t)one.length);
    }
    return object_bool(host->arena, found);
}
static Object *run_startswith(Host *host, Object *const *args, const HostCall *call) {
    return starts_or_ends(host, args, call, false);
}
static Object *run_endswith(Host *host, Object *const *args, const HostCall *call) {
    return starts_or_ends(host, args, call, true);
}

static Object *find(Host *host, Object *const *args, const HostCall *call, bool back, bool must) {
    Str what, text = call->self->text;
    int from;
    if (!host_text(host, args[0], "the argument", &what) ||
        !window(host, args[1], args[2], &text, &from))
        return host->script->poison;
    int at = from < 0 ? -1 : find_in(text, what, 0, back);
    if (at < 0 && must) return host_raise(host, CLASS_VALUE_ERROR, "substring not found");
    return object_int(host->arena, at < 0 ? -1 : text_length(part(call->self->text, 0, from + at)));
}
static Object *run_find(Host *host, Object *const *args, const HostCall *call) {
    return find(host, args, call, false, false);
}
static Object *run_rfind(Host *host, Object *const *args, const HostCall *call) {
    return find(host, args, call, true, false);
}
static Object *run_index(Host *host, Object *const *args, const HostCall *call) {
    return find(host, args, call, false, true);
}
static Object *run_rindex(Host *host, Object *const *args, const HostCall *call) {
    return find(host, args, call, true, true);
}

static Object *run_count(Host *host, Object *const *args, const HostCall *call) {
    Str what, text = call->self->text;
    int count = 0, start = 0, from;
    if (!host_text(host, args[0], "the argument", &what) ||
        !window(host, args[1], args[2], &text, &from))
        return host->script->poison;
    if (from < 0) return object_int(host->arena, 0);
    if (!what.length) return object_int(host->arena, text_length(text) + 1);
    for (int at; (at = find_in(text, what, start, false)) >= 0; start = at + what.length) count++;
    return object_int(host->arena, count);
}

typedef enum Casing { UPPER, LOWER, CAPITAL, TITLE, SWAPPED } Casing;

static Object *cased(Host *host, const HostCall *call, Casing casing) {
    Str text = call->self->text;
    Buf out = {.arena = host->arena};
    bool in_word = false;
    if (!is_ascii(text)) return host_refuse(host, "upper and lower case beyond ASCII");
    for (int i = 0; i < text.length; i++) {
        char c = text.data[i];
        bool is_lower = c >= 'a' && c <= 'z', is_upper = c >= 'A' && c <= 'Z';
        bool upper = casing == UPPER || (casing == CAPITAL && i == 0) ||
                     (casing == TITLE && !in_word) || (casing == SWAPPED && is_lower);
        if (is_lower && upper) c = (char)(c - 32);
        if (is_upper && !upper) c = (char)(c + 32);
        in_word = is_lower || is_upper;
        buf_putc(&out, c);
    }
    return text_made(host, &out);
}
static Object *run_upper(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, cased(host, call, UPPER);
}
static Object *run_lower(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, cased(host, call, LOWER);
}
static Object *run_capitalize(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, cased(host, call, CAPITAL);
}
static Object *run_title(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, cased(host, call, TITLE);
}
static Object *run_swapcase(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, cased(host, call, SWAPPED);
}

static Object *justify(Host *host, Object *const *args, const HostCall *call, char align) {
    int64_t width;
    Str fill = STR(" "), text = call->self->text;
    Buf out = {.arena = host->arena};
    if (!host_int(host, args[0], "width", &width) ||
        (args[1] && !host_text(host, args[1], "the fill character", &fill)))
        return host->script->poison;
    if (text_length(fill) != 1)
        return host_raise(host, CLASS_TYPE_ERROR,
                          "The fill character must be exactly one character long");
    int64_t room = width - text_length(text);
    if (room <= 0) return call->self;
    if (room > ALL / 64) longjmp(host->script->no_memory, 1);
    /* str.center puts the odd one left when the width is odd. */
    int64_t left = align == '>' ? room : align == '^' ? room / 2 + (room & width & 1) : 0;
    for (int64_t i = 0; i < left; i++) buf_add(&out, fill.data, (size_t)fill.length);
    buf_add(&out, text.data, (size_t)text.length);
    for (int64_t i = left; i < room; i++) buf_add(&out, fill.data, (size_t)fill.length);
    return text_made(host, &out);
}
static Object *run_ljust(Host *host, Object *const *args, const HostCall *call) {
    return justify(host, args, call, '<');
}
static Object *run_rjust(Host *host, Object *const *args, const HostCall *call) {
    return justify(host, args, call, '>');
}
static Object *run_center(Host *host, Object *const *args, const HostCall *call) {
    return justify(host, args, call, '^');
}

static Object *run_zfill(Host *host, Object *const *args, const HostCall *call) {
    int64_t width;
    Str text = call->self->text;
    Buf out = {.arena = host->arena};
    if (!host_int(host, args[0], "width", &width)) return host->script->poison;
    if (width > ALL / 64) longjmp(host->script->no_memory, 1);
    bool sign = text.length && (text.data[0] == '-' || text.data[0] == '+');
    if (sign) buf_putc(&out, text.data[0]);
    for (int64_t i = text_length(text); i < width; i++) buf_putc(&out, '0');
    buf_add(&out, text.data + sign, (size_t)(text.length - sign));
    return text_made(host, &out);
}

static Object *all_chars(Host *host, const HostCall *call, bool (*fits)(char c)) {
    Str text = call->self->text;
    if (!is_ascii(text)) return host_refuse(host, "kinds of characters beyond ASCII");
    bool all = text.length > 0;
    for (int i = 0; i < text.length; i++) all &= fits(text.data[i]);
    return object_bool(host->arena, all);
}
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_alpha(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }
static bool is_alnum(char c) { return is_digit(c) || is_alpha(c); }
static Object *run_isdigit(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, all_chars(host, call, is_digit);
}
static Object *run_isalpha(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, all_chars(host, call, is_alpha);
}
static Object *run_isalnum(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, all_chars(host, call, is_alnum);
}
static Object *run_isspace(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, all_chars(host, call, is_blank);
}

static Object *run_isascii(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, object_bool(host->arena, is_ascii(call->self->text));
}
static Object *run_isidentifier(Host *host, Object *const *args, const HostCall *call) {
    Str text = call->self->text;
    (void)args;
    if (!is_ascii(text)) return host_refuse(host, "kinds of characters beyond ASCII");
    bool fits = text.length && !is_digit(text.data[0]);
    for (int i = 0; i < text.length; i++) fits &= is_alnum(text.data[i]) || text.data[i] == '_';
    return object_bool(host->arena, fits);
}
static Object *run_isprintable(Host *host, Object *const *args, const HostCall *call) {
    Str text = call->self->text;
    bool fits = true;
    (void)args;
    if (!is_ascii(text)) return host_refuse(host, "kinds of characters beyond ASCII");
    for (int i = 0; i < text.length; i++) fits &= text.data[i] >= ' ' && text.data[i] != 0x7f;
    return object_bool(host->arena, fits);
}
/* Capitals begin words, and nothing else. */
static Object *run_istitle(Host *host, Object *const *args, const HostCall *call) {
    Str text = call->self->text;
    bool any = false, in_word = false;
    (void)args;
    if (!is_ascii(text)) return host_refuse(host, "upper and lower case beyond ASCII");
    for (int i = 0; i < text.length; i++) {
        char c = text.data[i];
        bool is_upper = c >= 'A' && c <= 'Z';
        if (is_alpha(c) && is_upper == in_word) return object_bool(host->arena, false);
        in_word = is_alpha(c);
        any |= in_word;
    }
    return object_bool(host->arena, any);
}

static Object *parted(Host *host, Object *const *args, const HostCall *call, bool back) {
    Str what, text = call->self->text;
    if (!host_text(host, args[0], "the separator", &what)) return host->script->poison;
    if (!what.length) return host_raise(host, CLASS_VALUE_ERROR, "empty separator");
    int at = find_in(text, what, 0, back);
    Str none = STR(""), before = at < 0 ? back ? none : text : part(text, 0, at);
    Str after = at < 0 ? back ? text : none : part(text, at + what.length, text.length);
    Object *parts[] = {text_of(host, before), text_of(host, at < 0 ? none : what),
                       text_of(host, after)};
    return heap_list(host, OBJECT_TUPLE, 3, parts);
}
static Object *run_partition(Host *host, Object *const *args, const HostCall *call) {
    return parted(host, args, call, false);
}
static Object *run_rpartition(Host *host, Object *const *args, const HostCall *call) {
    return parted(host, args, call, true);
}

/* isupper, islower: some letter, and none of the other case. */
static Object *of_case(Host *host, const HostCall *call, char first, char last) {
    Str text = call->self->text;
    bool any = false;
    if (!is_ascii(text)) return host_refuse(host, "upper and lower case beyond ASCII");
    for (int i = 0; i < text.length; i++) {
        char c = text.data[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (is_letter && !(c >= first && c <= last)) return object_bool(host->arena, false);
        any |= is_letter;
    }
    return object_bool(host->arena, any);
}
static Object *run_isupper(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, of_case(host, call, 'A', 'Z');
}
static Object *run_islower(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, of_case(host, call, 'a', 'z');
}

static Object *cut_affix(Host *host, Object *const *args, const HostCall *call, bool ends) {
    Str text = call->self->text;
    Object *all[] = {args[0], NULL, NULL}, *found = starts_or_ends(host, all, call, ends);
    if (is_raised(host) || !found->integer) return is_raised(host) ? found : call->self;
    int length = args[0]->text.length;
    return text_of(host,
                   ends ? part(text, 0, text.length - length) : part(text, length, text.length));
}
static Object *run_removeprefix(Host *host, Object *const *args, const HostCall *call) {
    return cut_affix(host, args, call, false);
}
static Object *run_removesuffix(Host *host, Object *const *args, const HostCall *call) {
    return cut_affix(host, args, call, true);
}

static Object *run_format(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, format_fields(host, call->self->text, call);
}

static const Native methods[] = {
    NATIVE("join", "iterable", run_join),
    NATIVE("split", "sep?, maxsplit?", run_split),
    NATIVE("rsplit", "sep?, maxsplit?", run_rsplit),
    NATIVE("splitlines", "keepends?", run_splitlines),
    NATIVE("expandtabs", "tabsize?", run_expandtabs),
    NATIVE("casefold", "", run_lower),
    NATIVE("isascii", "", run_isascii),
    NATIVE("isdecimal", "", run_isdigit),
    NATIVE("isnumeric", "", run_isdigit),
    NATIVE("isidentifier", "", run_isidentifier),
    NATIVE("isprintable", "", run_isprintable),
    NATIVE("istitle", "", run_istitle),
    NATIVE("strip", "chars?", run_strip),
    NATIVE("lstrip", "chars?", run_lstrip),
    NATIVE("rstrip", "chars?", run_rstrip),
    NATIVE("replace", "old, new, count?", run_replace),
    NATIVE("startswith", "prefix, start?, end?", run_startswith),
    NATIVE("endswith", "suffix, start?, end?", run_endswith),
    NATIVE("find", "sub, start?, end?", run_find),
    NATIVE("rfind", "sub, start?, end?", run_rfind),
    NATIVE("index", "sub, start?, end?", run_index),
    NATIVE("rindex", "sub, start?, end?", run_rindex),
    NATIVE("count", "sub, start?, end?", run_count),
    NATIVE("upper", "", run_upper),
    NATIVE("lower", "", run_lower),
    NATIVE("capitalize", "", run_capitalize),
    NATIVE("title", "", run_title),
    NATIVE("swapcase", "", run_swapcase),
    NATIVE("ljust", "width, fillchar?", run_ljust),
    NATIVE("rjust", "width, fillchar?", run_rjust),
    NATIVE("center", "width, fillchar?", run_center),
    NATIVE("zfill", "width", run_zfill),
    NATIVE("isdigit", "", run_isdigit),
    NATIVE("isalpha", "", run_isalpha),
    NATIVE("isalnum", "", run_isalnum),
    NATIVE("isspace", "", run_isspace),
    NATIVE("partition", "sep", run_partition),
    NATIVE("rpartition", "sep", run_rpartition),
    NATIVE("isupper", "", run_isupper),
    NATIVE("islower", "", run_islower),
    NATIVE("removeprefix", "prefix", run_removeprefix),
    NATIVE("removesuffix", "suffix", run_removesuffix),
    NATIVE("format", "..", run_format),
};

Object *str_method(Host *host, Object *self, Str name) {
    for (int i = 0; i < COUNT(methods); i++)
        if (str_is(name, methods[i].name)) return native_new(host, &methods[i], self);
    return NULL;
}
