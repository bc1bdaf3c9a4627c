// SPDX-License-Identifier: Apache-2.0
/* parse: the text of a function back into IR. The text is hostile: sizes and depths are limited
 * here, types and structure are func_verify's. Stops at the first error. */
#include "ir/layout.h"
#include "ir/trips.h"

#include <limits.h>

enum { MAX_POINTER_LEVELS = 8, MAX_LIST = 1 << 12, MAX_PARAMS = 1 << 10, MAX_PLACES = 1 << 10 };

typedef struct Parser {
    Arena *arena;
    const Source *source;
    Diag *diag;
    const char *text;
    int at, end;
    Func *fn;
    Map values;  /* label -> Value */
    Map sources; /* name in loc(..) -> Source */
    int depth;
} Parser;

static bool fail_at(Parser *p, int start, int end, const char *what, Str detail) {
    Span span = {p->source, start, end > start ? end : start + 1};
    if (!diag_failed(p->diag)) diag_error(p->diag, span, what, STR_ARG(detail));
    return false;
}

static bool fail(Parser *p, const char *what) {
    return fail_at(p, p->at, p->at, "%.*s", str_of(what));
}

/* ---- characters ---- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static void skip_space(Parser *p) {
    for (; p->at < p->end; p->at++) {
        char c = p->text[p->at];
        bool is_place = c == '#' && p->at + 1 < p->end && is_digit(p->text[p->at + 1]);
        if (c == '#' && !is_place) {
            while (p->at < p->end && p->text[p->at] != '\n') p->at++;
            if (p->at == p->end) return;
        } else if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
            return;
        }
    }
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static char peek(Parser *p) {
    skip_space(p);
    return p->at < p->end ? p->text[p->at] : 0;
}

static bool accept(Parser *p, char c) {
    if (peek(p) != c || p->at >= p->end) return false;
    p->at++;
    return true;
}

static bool expect(Parser *p, char c) {
    if (accept(p, c)) return true;
    return fail_at(p, p->at, p->at, "expected '%.*s'", (Str){&c, 1});
}

static Str word(Parser *p) { /* empty when there is none */
    skip_space(p);
    int start = p->at;
    if (start < p->end && is_letter(p->text[start]))
        while (p->at < p->end && (is_letter(p->text[p->at]) || is_digit(p->text[p->at]))) p->at++;
    return (Str){p->text + start, p->at - start};
}

static bool accept_word(Parser *p, const char *wanted) {
    int saved = p->at;
    if (str_is(word(p), wanted)) return true;
    p->at = saved;
    return false;
}

/* What a constant may be: letters, digits, signs and a point. */
static Str literal(Parser *p) {
    skip_space(p);
    int start = p->at;
    for (; p->at < p->end; p->at++) {
        char c = p->text[p->at];
        if (!is_letter(c) && !is_digit(c) && c != '.' && c != '-' && c != '+') break;
    }
    return (Str){p->text + start, p->at - start};
}

/* Decimal with sign, or hexadecimal of at most 64 bits. */
static bool integer_of(Str text, bool *negative, uint64_t *magnitude) {
    int i = 0;
    *negative = text.length && text.data[0] == '-';
    if (*negative) i++;
    bool is_hex = text.length - i > 2 && text.data[i] == '0' && text.data[i + 1] == 'x';
    if (is_hex) i += 2;
    if (i >= text.length) return false;
    *magnitude = 0;
    for (; i < text.length; i++) {
        char c = text.data[i];
        unsigned digit = is_digit(c)                      ? (unsigned)(c - '0')
                         : is_hex && c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                                                          : 99;
        if (digit == 99 || __builtin_mul_overflow(*magnitude, is_hex ? 16u : 10u, magnitude) ||
            __builtin_add_overflow(*magnitude, digit, magnitude))
            return false;
    }
    return true;
}

static bool integer(Parser *p, int64_t least, int64_t most, int64_t *value) {
    skip_space(p);
    int start = p->at;
    bool negative;
    uint64_t magnitude;
    Str text = literal(p);
    if (!integer_of(text, &negative, &magnitude))
        return fail_at(p, start, p->at, "expected a number", text);
    bool fits = negative ? magnitude <= 1ull << 63 : magnitude <= INT64_MAX;
    if (fits) *value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    if (!fits || *value < least || *value > most)
        return fail_at(p, start, p->at, "number out of range: '%.*s'", text);
    return true;
}

static int hex_digit(char c) {
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool string(Parser *p, Str *text) {
    Buf out = {.arena = p->arena};
    if (!expect(p, '"')) return false;
    for (; p->at < p->end && p->text[p->at] != '"' && p->text[p->at] != '\n'; p->at++) {
        char c = p->text[p->at];
        if (c == '\\') {
            if (p->end - p->at < 3) return fail(p, "text is not closed");
            char next = p->text[p->at + 1];
            int high = hex_digit(next), low = hex_digit(p->text[p->at + 2]);
            if (next == '"' || next == '\\')
                c = next, p->at++;
            else if (high >= 0 && low >= 0)
                c = (char)(high * 16 + low), p->at += 2;
            else
                return fail(p, "expected '\\\"', '\\\\' or '\\' and two hexadecimal digits");
        }
        buf_putc(&out, c);
    }
    if (p->at >= p->end || p->text[p->at] != '"') return fail(p, "text is not closed");
    p->at++;
    *text = buf_str(&out);
    return true;
}

/* ---- types ---- */

static const struct {
    const char *text;
    TypeKind kind;
} scalar_names[] = {
#define TYPE_INT(kind, text, ...)   {text, TYPE_##kind},
#define TYPE_FLOAT(kind, text, ...) {text, TYPE_##kind},
#include "base/dtypes.def"
};

static const Type *type(Parser *p, int levels);

/* , #5 */
static bool place_of_type(Parser *p, const Place **place) {
    int64_t number;
    if (!accept(p, ',')) return true;
    int start = p->at;
    if (!expect(p, '#') || !integer(p, 0, INT_MAX, &number)) return false;
    *place = place_at(p->fn->types, (int)number);
    return *place || fail_at(p, start, p->at, "there is no such place", STR(""));
}

static const Type *tile_type(Parser *p) {
    int shape[MAX_RANK], rank = 0, start = p->at;
    int64_t lanes = 1;
    if (!expect(p, '<')) return NULL;
    while (p->at < p->end && is_digit(p->text[p->at])) {
        int64_t size = 0;
        for (; p->at < p->end && is_digit(p->text[p->at]); p->at++)
            if (size <= MAX_LANES) size = size * 10 + (p->text[p->at] - '0');
        if (p->at >= p->end || p->text[p->at] != 'x') return fail(p, "expected 'x'"), NULL;
        p->at++;
        if (rank == MAX_RANK) return fail(p, "tile has too many dimensions"), NULL;
        if (size < 1 || size > MAX_LANES / lanes)
            return fail_at(p, start, p->at, "tile has no lanes, or too many", STR("")), NULL;
        lanes *= size;
        shape[rank++] = (int)size;
    }
    if (rank == 0) return fail(p, "expected a dimension"), NULL;
    const Type *elem = type(p, 0);
    if (!elem) return NULL;
    if (elem->kind >= TYPE_TILE) return fail(p, "tile of tiles or rings"), NULL;
    const Place *place = NULL;
    if (!place_of_type(p, &place) || !expect(p, '>')) return NULL;
    return type_placed(p->fn->types, type_tile(p->fn->types, elem, rank, shape), place);
}

/* ring<tile<..>, ..> */
static const Type *ring_type(Parser *p) {
    const Type *parts[MAX_PARTS];
    int count = 0;
    if (!expect(p, '<')) return NULL;
    do {
        if (count == MAX_PARTS) return fail(p, "ring has too many parts"), NULL;
        if (!accept_word(p, "tile")) return fail(p, "expected a tile"), NULL;
        if (!(parts[count++] = tile_type(p))) return NULL;
    } while (accept(p, ','));
    return expect(p, '>') ? type_ring(p->fn->types, count, parts) : NULL;
}

static const Type *type(Parser *p, int levels) {
    skip_space(p);
    int start = p->at;
    Str name = word(p);
    for (int i = 0; i < COUNT(scalar_names); i++)
        if (str_is(name, scalar_names[i].text)) return type_scalar(scalar_names[i].kind);
    if (str_is(name, "tile")) return tile_type(p);
    if (str_is(name, "ring")) return ring_type(p);
    if (!str_is(name, "ptr"))
        return fail_at(p, start, p->at, "expected a type, saw '%.*s'", name), NULL;
    if (levels == MAX_POINTER_LEVELS) return fail(p, "too many levels of pointers"), NULL;
    if (!expect(p, '<')) return NULL;
    const Type *elem = type(p, levels + 1);
    if (!elem) return NULL;
    if (elem->kind >= TYPE_TILE) return fail(p, "pointer to a tile or ring"), NULL;
    return expect(p, '>') ? type_ptr(p->fn->types, elem) : NULL;
}

/* ---- values ---- */

static bool label(Parser *p, Str *text, Str *name) {
    if (!expect(p, '%')) return false;
    int start = p->at, point = -1;
    for (; p->at < p->end; p->at++) {
        char c = p->text[p->at];
        if (c == '.' && point < 0)
            point = p->at;
        else if (!is_letter(c) && !is_digit(c))
            break;
    }
    *text = (Str){p->text + start, p->at - start};
    *name = (Str){p->text + start, (point < 0 ? p->at : point) - start};
    if (name->length == 0) return fail(p, "expected the name of a value after '%'");
    if (is_digit(name->data[0])) *name = STR("");
    return true;
}

static bool define(Parser *p, Str text, Str name, Value *value) {
    if (map_get(&p->values, text))
        return fail_at(p, (int)(text.data - p->text), (int)(text.data - p->text) + text.length,
                       "value '%%%.*s' is defined twice", text);
    map_set(&p->values, text, value);
    value->name = name;
    return true;
}

static Value *use(Parser *p) {
    Str text, name;
    skip_space(p);
    int start = p->at;
    if (!label(p, &text, &name)) return NULL;
    Value *value = map_get(&p->values, text);
    if (!value) fail_at(p, start, p->at, "value '%%%.*s' is not defined", text);
    return value;
}

/* ---- attributes ---- */

/* `{` word `=`: attributes; else a region. */
static bool at_attributes(Parser *p) {
    int saved = p->at;
    bool found = accept(p, '{') && word(p).length && accept(p, '=');
    p->at = saved;
    return found;
}

static bool integers(Parser *p, int64_t least, int64_t most, int limit, Ints *list) {
    VEC(int64_t) items = {0};
    if (!expect(p, '[')) return false;
    while (peek(p) != ']') {
        int64_t item;
        if (items.count == limit) return fail(p, "list is too long");
        if (items.count && !expect(p, ',')) return false;
        if (!integer(p, least, most, &item)) return false;
        vec_push(p->arena, &items, item);
    }
    *list = (Ints){items.count, items.data};
    return expect(p, ']');
}

static bool attr_value(Parser *p, const AttrInfo *info, Attr *attr) {
    if (info->kind == ATTR_INT || info->kind == ATTR_OPT_INT)
        return integer(p, INT64_MIN, INT64_MAX, &attr->i);
    if (info->kind == ATTR_TEXT) return string(p, &attr->text);
    if (info->kind == ATTR_INTS) {
        return integers(p, INT64_MIN, INT64_MAX, MAX_LIST, &attr->ints);
    }
    skip_space(p);
    int start = p->at;
    Str text = word(p);
    attr->i = attr_from_word(info->kind, text);
    return attr->i >= 0 ||
           fail_at(p, start, p->at, "'%.*s' is not one of the attribute's words", text);
}

/* What `fence` writes on any op: barrier = 1, scratch = [0, 16], wait = [1, 0]. */
enum { FENCE_BARRIER, FENCE_SCRATCH, FENCE_WAIT, NUM_FENCES };

static int fence_index(Str name) {
    static const char *const names[NUM_FENCES] = {"barrier", "scratch", "wait"};
    for (int i = 0; i < NUM_FENCES; i++)
        if (str_is(name, names[i])) return i;
    return -1;
}

static bool fence_value(Parser *p, int index, Ints *value) {
    int64_t *one = arena_array(p->arena, int64_t, 1);
    if (index != FENCE_BARRIER)
        return integers(p, 0, index == FENCE_WAIT ? 1 : 1 << 24, MAX_TRIPS, value);
    *value = (Ints){1, one};
    return integer(p, 1, 1, one);
}

static bool attributes(Parser *p, OpKind kind, Attr *attrs, Ints *fences) {
    bool given[MAX_ATTRS + NUM_FENCES] = {false};
    const AttrInfo *infos = op_infos[kind].attrs;
    if (at_attributes(p)) {
        accept(p, '{');
        do {
            skip_space(p);
            int start = p->at;
            Str name = word(p);
            int index = 0, fence = fence_index(name);
            while (index < MAX_ATTRS && infos[index].name && !str_is(name, infos[index].name))
                index++;
            bool known = index < MAX_ATTRS && infos[index].name && infos[index].kind != ATTR_BITS;
            if (fence >= 0) index = MAX_ATTRS + fence;
            if (!known && fence < 0)
                return fail_at(p, start, p->at, "the op has no attribute '%.*s'", name);
            if (given[index])
                return fail_at(p, start, p->at, "attribute '%.*s' is given twice", name);
            given[index] = true;
            if (!expect(p, '=') || !(fence < 0 ? attr_value(p, &infos[index], &attrs[index])
                                               : fence_value(p, fence, &fences[fence])))
                return false;
        } while (accept(p, ','));
        if (!expect(p, '}')) return false;
    }
    if (fences[FENCE_SCRATCH].count != fences[FENCE_WAIT].count)
        return fail(p, "'scratch' and 'wait' are of the same trips");
    for (int i = 0; i < MAX_ATTRS; i++) {
        AttrKind k = infos[i].kind;
        bool needed = k == ATTR_INT || k == ATTR_INTS || k == ATTR_TEXT || k == ATTR_ICMP ||
                      k == ATTR_FCMP || k == ATTR_RMW || k == ATTR_SPACE || k == ATTR_SHUFFLE ||
                      k == ATTR_VOTE || k == ATTR_HINT;
        if (needed && !given[i])
            return fail_at(p, p->at, p->at, "attribute '%.*s' is missing", str_of(infos[i].name));
    }
    return true;
}

static bool read_constant(Parser *p, Str text, const Type *of, uint64_t *bits) {
    int start = (int)(text.data - p->text);
    FloatKind kind;
    bool negative, ok = false;
    uint64_t magnitude = 0;
    int width = type_bits(of);
    uint64_t most = width == 64 ? UINT64_MAX : (1ull << width) - 1;
    bool is_integer = integer_of(text, &negative, &magnitude);
    bool is_hex = text.length > 2 && text.data[1] == 'x';
    if (float_kind_of(of, &kind) && !(is_integer && is_hex)) {
        double value = 0;
        ok = true;
        if (str_is(text, "nan"))
            *bits = float_nan(kind);
        else if (str_is(text, "inf"))
            *bits = float_encode(kind, __builtin_inf(), FLOAT_NEAREST_EVEN);
        else if (str_is(text, "-inf"))
            *bits = float_encode(kind, -__builtin_inf(), FLOAT_NEAREST_EVEN);
        else if ((ok = float_parse(text, &value)))
            *bits = float_encode(kind, value, FLOAT_NEAREST_EVEN);
    } else if (is_integer) {
        ok = magnitude <= (negative ? (most >> 1) + 1 : most) && !(negative && width == 1);
        *bits = (negative ? 0 - magnitude : magnitude) & most;
    }
    return ok ||
           fail_at(p, start, start + text.length, "'%.*s' is not a constant of the type", text);
}

/* ---- where: in the source, on the machine ---- */

static bool location(Parser *p, Span *span) {
    Str name;
    int64_t start, end;
    if (!accept_word(p, "loc")) return true;
    if (!expect(p, '(') || !string(p, &name) || !expect(p, ',') ||
        !integer(p, 0, INT_MAX, &start) || !expect(p, ',') || !integer(p, start, INT_MAX, &end) ||
        !expect(p, ')'))
        return false;
    Source *source = map_get(&p->sources, name);
    if (!source) {
        source = source_new(p->arena, name, STR(""));
        map_set(&p->sources, name, source);
    }
    *span = (Span){source, (int)start, (int)end};
    return true;
}

/* ---- ops and regions ---- */

static bool region(Parser *p, Region *into);

typedef struct OpText {
    VEC(Str) labels;
    VEC(Str) names;
    VEC(Value *) operands;
    VEC(const Type *) types;
    VEC(Region *) regions;
    OpKind kind;
    Str constant;
    Attr attrs[MAX_ATTRS];
    Ints fences[NUM_FENCES];
    Span span;
} OpText;

static bool op_results(Parser *p, OpText *op) {
    if (peek(p) != '%') return true;
    do {
        Str text, name;
        if (!label(p, &text, &name)) return false;
        vec_push(p->arena, &op->labels, text);
        vec_push(p->arena, &op->names, name);
    } while (accept(p, ','));
    return expect(p, '=');
}

static bool op_name(Parser *p, OpText *op) {
    skip_space(p);
    int start = p->at;
    Str name = word(p);
    for (int i = 0; i < NUM_OP_KINDS; i++) {
        if (!str_is(name, op_infos[i].name)) continue;
        op->kind = (OpKind)i;
        return true;
    }
    return fail_at(p, start, p->at, name.length ? "there is no op '%.*s'" : "expected an op%.*s",
                   name);
}

static bool op_operands(Parser *p, OpText *op) {
    if (op->kind == OP_CONSTANT) op->constant = literal(p);
    /* On the op's own line: what follows on the next may be the next op's results. */
    while (p->at < p->end && (p->text[p->at] == ' ' || p->text[p->at] == '\t')) p->at++;
    if (p->at >= p->end || p->text[p->at] != '%') return true;
    do {
        Value *value = use(p);
        if (!value) return false;
        vec_push(p->arena, &op->operands, value);
    } while (accept(p, ','));
    return true;
}

static bool op_types(Parser *p, OpText *op) {
    if (accept(p, ':')) {
        do {
            const Type *of = type(p, 0);
            if (!of) return false;
            vec_push(p->arena, &op->types, of);
        } while (accept(p, ','));
    }
    if (op->types.count != op->labels.count)
        return fail(p, "the op needs as many types as it has results");
    return true;
}

static bool op_regions(Parser *p, OpText *op) {
    while (peek(p) == '(' || peek(p) == '{') {
        Region *nested = region_new(p->fn);
        if (op->regions.count >= op_infos[op->kind].num_regions)
            return fail(p, "the op has fewer regions");
        if (accept(p, '(')) {
            do {
                Str text, name;
                if (!label(p, &text, &name) || !expect(p, ':')) return false;
                const Type *of = type(p, 0);
                if (!of || !define(p, text, name, region_add_arg(p->fn, nested, of))) return false;
            } while (accept(p, ','));
            if (!expect(p, ')')) return false;
        }
        if (!region(p, nested)) return false;
        vec_push(p->arena, &op->regions, nested);
    }
    return true;
}

static bool op(Parser *p, Region *into) {
    OpText text = {0};
    skip_space(p);
    int start = p->at;
    if (!op_results(p, &text) || !op_name(p, &text) || !op_operands(p, &text) ||
        !attributes(p, text.kind, text.attrs, text.fences) || !op_types(p, &text))
        return false;
    text.span = (Span){p->source, start, p->at};
    if (!location(p, &text.span) || !op_regions(p, &text)) return false;
    if (text.kind == OP_CONSTANT) {
        if (text.types.count != 1) return fail(p, "a constant has one result");
        if (!read_constant(p, text.constant, text.types.data[0], &text.attrs[CONSTANT_bits].bits))
            return false;
    }
    Builder b = {.fn = p->fn, .region = into, .span = text.span};
    Op *made = build_op(&b, text.kind, text.operands.count, text.operands.data, text.types.count,
                        text.types.data, text.regions.count, text.regions.data);
    memcpy(made->attrs, text.attrs, sizeof made->attrs);
    made->barrier = text.fences[FENCE_BARRIER].count && text.fences[FENCE_BARRIER].data[0];
    made->num_trips = text.fences[FENCE_SCRATCH].count;
    made->trips = arena_array(p->arena, Trip, made->num_trips);
    for (int i = 0; i < made->num_trips; i++)
        made->trips[i] = (Trip){.offset = (int)text.fences[FENCE_SCRATCH].data[i],
                                .wait = text.fences[FENCE_WAIT].data[i] != 0};
    for (int i = 0; i < text.labels.count; i++)
        if (!define(p, text.labels.data[i], text.names.data[i], &made->results[i])) return false;
    return true;
}

static bool region(Parser *p, Region *into) {
    if (p->depth == MAX_DEPTH) return fail(p, "regions are nested too deeply");
    p->depth++;
    if (!expect(p, '{')) return false;
    while (!accept(p, '}')) {
        if (p->at >= p->end) return fail(p, "expected '}'");
        if (!op(p, into)) return false;
    }
    p->depth--;
    return true;
}

/* ---- the function ---- */

static bool named_int(Parser *p, const char *name, int64_t least, int *value) {
    int64_t number;
    if (!accept_word(p, name)) return false;
    if (!expect(p, '=') || !integer(p, least, INT_MAX, &number)) return false;
    *value = (int)number;
    return true;
}

static bool param(Parser *p) {
    Str text, name;
    int is_unsigned = 0, index = p->fn->num_params, divisible = 1;
    if (index == MAX_PARAMS) return fail(p, "too many parameters");
    if (!label(p, &text, &name) || !expect(p, ':')) return false;
    const Type *of = type(p, 0);
    if (!of) return false;
    if (accept(p, '{')) {
        do {
            if (!named_int(p, "divisible", 1, &divisible) &&
                !named_int(p, "unsigned", 0, &is_unsigned) &&
                !named_int(p, "source_index", 0, &index))
                return fail(p, "expected 'divisible', 'unsigned' or 'source_index'");
        } while (accept(p, ','));
        if (!expect(p, '}')) return false;
    }
    Value *value = func_add_param(p->fn, of, name, index);
    Param *added = &p->fn->params[p->fn->num_params - 1];
    added->is_unsigned = is_unsigned != 0;
    added->divisible = divisible;
    return define(p, text, name, value);
}

static bool columns(Parser *p, const char *name, uint32_t *items, int *count) {
    skip_space(p);
    int start = p->at;
    if (!str_is(word(p), name)) return fail_at(p, start, p->at, "expected '%.*s'", str_of(name));
    if (!expect(p, '=') || !expect(p, '[')) return false;
    for (*count = 0; peek(p) != ']'; ++*count) {
        int64_t item;
        if (*count == MAX_TILE_BITS) return fail(p, "list is too long");
        if (*count && !expect(p, ',')) return false;
        if (!integer(p, 0, (1 << MAX_TILE_BITS) - 1, &item)) return false;
        items[*count] = (uint32_t)item;
    }
    return expect(p, ']');
}

static bool register_place(Parser *p, const Place **place) {
    static const char *const names[NUM_KINDS] = {"reg", "lane", "warp"};
    Layout layout = {0};
    uint32_t all = 0;
    for (int kind = 0; kind < NUM_KINDS; kind++) {
        if (kind && !expect(p, ',')) return false;
        if (!columns(p, names[kind], layout.column[kind], &layout.num[kind])) return false;
        for (int i = 0; i < layout.num[kind]; i++) all |= layout.column[kind][i];
    }
    while (all >> layout.tile_bits) layout.tile_bits++;
    *place = place_registers(p->fn->types, &layout);
    return true;
}

static bool shared_place(Parser *p, const Place **place) {
    Swizzle swizzle = {0};
    int64_t vector;
    if (!columns(p, "offset", swizzle.image, &swizzle.bits) || !expect(p, ',')) return false;
    if (!accept_word(p, "vector")) return fail(p, "expected 'vector'");
    if (!expect(p, '=') || !integer(p, 0, swizzle.bits, &vector)) return false;
    swizzle.vector = (int)vector;
    if (!swizzle_invert(&swizzle)) return fail(p, "the offsets do not tell the tile's lanes apart");
    *place = place_shared(p->fn->types, &swizzle);
    return true;
}

/* #0 = .., #1 = .., each of them once. */
static bool places(Parser *p) {
    for (int i = 0; peek(p) == '#'; i++) {
        int start = p->at;
        int64_t number;
        const Place *place;
        if (i == MAX_PLACES) return fail(p, "too many places");
        if (!expect(p, '#') || !integer(p, 0, INT_MAX, &number) || !expect(p, '=')) return false;
        if (number != i) return fail_at(p, start, p->at, "places are numbered from 0", STR(""));
        bool shared = accept_word(p, "shared");
        if (!expect(p, '{') || !(shared ? shared_place : register_place)(p, &place)) return false;
        if (place->number != i)
            return fail_at(p, start, p->at, "%.*s",
                           str_format(p->arena, "the same place as #%d", place->number));
        if (!expect(p, '}')) return false;
    }
    return true;
}

/* [x, y, z] */
static bool block(Parser *p) {
    int64_t size;
    for (int i = 0; i < 3; i++) {
        if (!expect(p, i ? ',' : '[') || !integer(p, 1, MAX_BLOCK_THREADS, &size)) return false;
        p->fn->block[i] = (int)size;
    }
    return expect(p, ']');
}

static bool func_attribute(Parser *p) {
    if (named_int(p, "num_warps", 0, &p->fn->num_warps) ||
        named_int(p, "num_stages", 0, &p->fn->num_stages))
        return true;
    if (accept_word(p, "target")) return expect(p, '=') && string(p, &p->fn->target);
    if (accept_word(p, "block")) return expect(p, '=') && block(p);
    if (!accept_word(p, "form"))
        return fail(p, "expected 'num_warps', 'num_stages', 'form', 'block' or 'target'");
    if (!expect(p, '=')) return false;
    if (accept_word(p, "thread"))
        p->fn->form = FORM_THREAD;
    else if (accept_word(p, "spread"))
        p->fn->form = FORM_SPREAD;
    else if (accept_word(p, "placed"))
        p->fn->form = FORM_PLACED;
    else
        return fail(p, "expected 'placed', 'thread' or 'spread'");
    return true;
}

static bool function(Parser *p) {
    if (!places(p)) return false;
    skip_space(p);
    int start = p->at;
    if (!accept_word(p, "func")) return fail(p, "expected 'func'");
    if (!expect(p, '@')) return false;
    p->fn->name = word(p);
    if (!p->fn->name.length) return fail(p, "expected the function's name");
    p->fn->span = (Span){p->source, start, p->at};
    if (!expect(p, '(')) return false;
    if (!accept(p, ')')) {
        do {
            if (!param(p)) return false;
        } while (accept(p, ','));
        if (!expect(p, ')')) return false;
    }
    if (at_attributes(p)) {
        accept(p, '{');
        do {
            if (!func_attribute(p)) return false;
        } while (accept(p, ','));
        if (!expect(p, '}')) return false;
    }
    if (p->fn->form != FORM_PLACED && place_at(p->fn->types, 0))
        return fail(p, func_has_threads(p->fn) ? "places in thread or spread form"
                                               : "places in program form");
    if (!location(p, &p->fn->span) || !region(p, p->fn->body)) return false;
    skip_space(p);
    return p->at == p->end || fail(p, "text after the function");
}

Func *func_parse(Arena *arena, const Source *source, Diag *diag) {
    Parser p = {.arena = arena, .source = source, .diag = diag};
    p.text = source->text.data;
    p.end = source->text.length;
    p.values.arena = p.sources.arena = arena;
    p.fn = func_new(arena, types_new(arena), STR(""));
    p.fn->span = (Span){source, 0, 0};
    return function(&p) ? p.fn : NULL;
}
