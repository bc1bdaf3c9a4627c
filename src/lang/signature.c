// SPDX-License-Identifier: Apache-2.0
/* signature: "*fp32:16,*fp32:16,i32,1024" against a function's parameters.
 *
 * The grammar of triton.tools.compile: one entry for each parameter in order; a type, perhaps with
 * a hint (:16 divisible by 16, :1 equal to 1), or a constant. NAME=VALUE gives a parameter by name.
 * Commas inside brackets and quotes belong to the value: (*fp32, i32, 4) is a tuple's, and
 * tensordesc<fp16[64,32]> a tensor descriptor's. Parameters that get nothing are left at
 * SPEC_DEFAULT. */
#include "lang/object.h"

enum { DEEPEST_BRACKETS = 64 };

typedef struct Entry {
    Span span; /* without the blanks around it */
    Str name;  /* of NAME=VALUE, else empty */
    Span name_span;
    Str value;
    Span value_span;
} Entry;

typedef struct Reader {
    Arena *arena;
    const JitFunction *function;
    const Source *source;
    Diag *diag;
    Spec *specs;
    bool *given;
    bool failed;
} Reader;

static void complain(Reader *r, Span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void complain(Reader *r, Span span, const char *format, ...) {
    Buf text = {.arena = r->arena};
    va_list args;
    va_start(args, format);
    buf_vprintf(&text, format, args);
    va_end(args);
    diag_error(r->diag, span, "%s", text.data);
    r->failed = true;
}

static Span span_at(const Reader *r, int start, int end) { return (Span){r->source, start, end}; }

static bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
}
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static Span trim(const Reader *r, int start, int end) {
    const char *text = r->source->text.data;
    while (start < end && is_blank(text[start])) start++;
    while (end > start && is_blank(text[end - 1])) end--;
    return span_at(r, start, end);
}

/* Past a quoted string that starts at `at`; -1 when it does not end. */
static int skip_quoted(Str text, int at) {
    char quote = text.data[at++];
    for (; at < text.length; at++) {
        if (text.data[at] == '\\')
            at++;
        else if (text.data[at] == quote)
            return at + 1;
    }
    return -1;
}

/* Where the entry that starts at `start` ends: at a comma outside brackets and quotes. */
static int entry_end(Reader *r, int start) {
    Str text = r->source->text;
    char closers[DEEPEST_BRACKETS];
    int opened[DEEPEST_BRACKETS], depth = 0;
    for (int i = start; i < text.length; i++) {
        char c = text.data[i];
        if (c == ',' && !depth) return i;
        if (c == '\'' || c == '"') {
            int end = skip_quoted(text, i);
            if (end < 0) {
                complain(r, span_at(r, i, text.length), "the string is not closed");
                return -1;
            }
            i = end - 1;
        } else if (c == '(' || c == '[' || c == '{') {
            if (depth == DEEPEST_BRACKETS) {
                complain(r, span_at(r, i, i + 1), "brackets are nested more than %d deep",
                         DEEPEST_BRACKETS);
                return -1;
            }
            opened[depth] = i;
            closers[depth++] = c == '(' ? ')' : c == '[' ? ']' : '}';
        } else if (c == ')' || c == ']' || c == '}') {
            if (!depth || closers[--depth] != c) {
                complain(r, span_at(r, i, i + 1), "'%c' does not close anything", c);
                return -1;
            }
        }
    }
    if (depth) {
        int at = opened[depth - 1];
        complain(r, span_at(r, at, at + 1), "'%c' is not closed", text.data[at]);
        return -1;
    }
    return text.length;
}

static Entry split_entry(const Reader *r, Span span) {
    const char *text = r->source->text.data;
    Entry entry = {.span = span, .value_span = span};
    int at = span.start;
    while (at < span.end && (is_name_start(text[at]) || (at > span.start && is_digit(text[at]))))
        at++;
    int name_end = at;
    while (at < span.end && is_blank(text[at])) at++;
    bool named = name_end > span.start && at < span.end && text[at] == '=' &&
                 (at + 1 == span.end || text[at + 1] != '=');
    if (named) {
        entry.name_span = span_at(r, span.start, name_end);
        entry.name = span_text(entry.name_span);
        entry.value_span = trim(r, at + 1, span.end);
    }
    entry.value = span_text(entry.value_span);
    return entry;
}

static int param_index(const JitFunction *function, Str name) {
    for (int i = 0; i < function->num_params; i++)
        if (str_equal(function->params[i].name, name)) return i;
    return -1;
}

/* Without the hint: the offset of ':' in the text, or -1. */
static int hint_colon(Str text) {
    for (int i = 0; i < text.length; i++)
        if (text.data[i] == ':') return i;
    return -1;
}

static bool looks_like_constant(Str text) {
    char c = text.data[0];
    return is_digit(c) || strchr("+-.'\"([{", c) || str_is(text, "None") || str_is(text, "True") ||
           str_is(text, "False");
}

static void read_type(Reader *r, const JitParam *param, const Entry *entry, LType type,
                      Str type_text, Str hint, Spec *spec) {
    *spec = (Spec){.kind = SPEC_TYPE, .type = type_text, .divisible = 1, .span = entry->span};
    if (type.dtype == DTYPE_VOID && !type.levels) {
        complain(r, entry->value_span, "parameter '%.*s' cannot be void", STR_ARG(param->name));
        return;
    }
    if (!hint.data) return;
    Span hint_span = span_at(r, (int)(hint.data - r->source->text.data), entry->value_span.end);
    if (str_is(hint, "16")) {
        if (!type.levels && !dtype_is_int(type.dtype))
            complain(r, hint_span, "only integers and pointers can be divisible by 16, not %s",
                     dtype_name(type.dtype));
        spec->divisible = 16;
    } else if (str_is(hint, "1")) {
        if (type.levels || !dtype_is_int(type.dtype))
            complain(r, hint_span, "only an integer can be equal to 1, not %.*s",
                     STR_ARG(type_text));
        /* As in Triton: an argument that is always 1 is a constant of the kernel. */
        spec->kind = SPEC_CONSTANT, spec->text = STR("1");
    } else {
        complain(r, hint_span,
                 "expected the hint 16 (divisible by 16) or 1 (equal to 1), saw '%.*s'",
                 STR_ARG(hint));
    }
}

static void read_value(Reader *r, const JitParam *param, const Entry *entry, Spec *spec) {
    Str text = entry->value, head = text, hint = {0};
    if (!param->is_constexpr && (text.data[0] == '(' || str_starts(text, "tensordesc<"))) {
        *spec = (Spec){.kind = SPEC_TYPE, .type = text, .divisible = 1, .span = entry->span};
        return; /* its parts are read where the parameters are made */
    }
    int colon = hint_colon(text);
    if (colon >= 0) {
        Span head_span = trim(r, entry->value_span.start, entry->value_span.start + colon);
        Span hint_span = trim(r, entry->value_span.start + colon + 1, entry->value_span.end);
        head = span_text(head_span);
        hint = span_text(hint_span);
    }
    LType type;
    bool is_type = ltype_from_signature(head, &type);
    if (param->is_constexpr && is_type && (type.levels || colon >= 0)) {
        complain(r, entry->value_span,
                 "parameter '%.*s' is a constexpr: it needs a value, not the type '%.*s'",
                 STR_ARG(param->name), STR_ARG(text));
        return;
    }
    if (is_type && !param->is_constexpr) {
        read_type(r, param, entry, type, head, hint, spec);
        return;
    }
    if (!param->is_constexpr && !looks_like_constant(text)) {
        complain(r, entry->value_span, "unknown type '%.*s' of parameter '%.*s'", STR_ARG(text),
                 STR_ARG(param->name));
        diag_help(r->diag, entry->value_span,
                  "a type is like i32, u8, fp16, bf16, *fp32 or *fp32:16; a constant like 1024 or "
                  "'text'");
        return;
    }
    *spec = (Spec){.kind = SPEC_CONSTANT, .text = text, .divisible = 1, .span = entry->span};
}

/* Which parameter the entry is for, or -1 after a complaint. */
static int find_param(Reader *r, const Entry *entry, int *position, bool *saw_name) {
    const JitFunction *function = r->function;
    if (entry->name.length) {
        *saw_name = true;
        int index = param_index(function, entry->name);
        if (index < 0)
            complain(r, entry->name_span, "'%.*s' has no parameter '%.*s'", STR_ARG(function->name),
                     STR_ARG(entry->name));
        return index;
    }
    if (*saw_name) {
        complain(r, entry->span, "an entry without a name after one with a name");
        return -1;
    }
    if (*position == function->num_params) {
        complain(r, entry->span, "'%.*s' has %d parameter%s, and this is one more",
                 STR_ARG(function->name), function->num_params,
                 function->num_params == 1 ? "" : "s");
        *position += 1;
        return -1;
    }
    if (*position > function->num_params) return -1;
    return (*position)++;
}

bool signature_parse(Arena *arena, const JitFunction *function, const Source *signature, Diag *diag,
                     Spec *specs) {
    Reader r = {arena, function, signature,
                diag,  specs,    arena_array(arena, bool, function->num_params),
                false};
    for (int i = 0; i < function->num_params; i++)
        specs[i] = (Spec){.kind = SPEC_DEFAULT, .divisible = 1, .span = {signature, 0, 0}};
    Span all = trim(&r, 0, signature->text.length);
    if (all.start == all.end) return true;
    if (memchr(signature->text.data, 0, (size_t)signature->text.length)) {
        complain(&r, all, "the signature has a NUL byte");
        return false;
    }
    int position = 0;
    bool saw_name = false;
    for (int start = 0; start <= signature->text.length;) {
        int end = entry_end(&r, start);
        if (end < 0) return false;
        Entry entry = split_entry(&r, trim(&r, start, end));
        start = end + 1;
        if (entry.span.start == entry.span.end) {
            complain(&r, span_at(&r, entry.span.start, entry.span.start),
                     "expected a type or a constant, saw %s",
                     end == signature->text.length ? "the end of the signature" : "','");
            position++;
            continue;
        }
        int index = find_param(&r, &entry, &position, &saw_name);
        if (index < 0) continue;
        if (!entry.value.length) {
            complain(&r, entry.span, "expected a value after '='");
        } else if (r.given[index]) {
            complain(&r, entry.span, "parameter '%.*s' is given twice",
                     STR_ARG(function->params[index].name));
        } else {
            r.given[index] = true;
            read_value(&r, &function->params[index], &entry, &specs[index]);
        }
    }
    return !r.failed;
}
