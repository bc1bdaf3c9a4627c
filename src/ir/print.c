// SPDX-License-Identifier: Apache-2.0
/* print: a function as text that func_parse reads back to the same text. doc/ir.md describes it.
 *
 * Values print as numbers in order of definition, or by their source name where they have one:
 * %acc, and from the second of that name on %acc.1, %acc.2 .. */
#include "ir/layout.h"

#include "ir/ir.h"

typedef struct Printer {
    Buf *out;
    const Func *fn;
    Map labels; /* Value -> its label, NUL-terminated */
    Map names;  /* name -> how many values have it so far, as a pointer into `counts` */
    int next_number;
    bool with_spans;
} Printer;

static bool is_name(Str name) {
    for (int i = 0; i < name.length; i++) {
        char c = name.data[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!is_letter && (i == 0 || c < '0' || c > '9')) return false;
    }
    return name.length > 0;
}

static void define(Printer *p, const Value *value) {
    Arena *arena = p->out->arena;
    Str label;
    if (!is_name(value->name)) {
        label = str_format(arena, "%%%d", p->next_number++);
    } else {
        int *count = map_get(&p->names, value->name);
        if (!count) {
            count = arena_new_of(arena, int);
            map_set(&p->names, value->name, count);
            label = str_format(arena, "%%%.*s", STR_ARG(value->name));
        } else {
            label = str_format(arena, "%%%.*s.%d", STR_ARG(value->name), *count);
        }
        ++*count;
    }
    map_set_pointer(&p->labels, value, (void *)(uintptr_t)label.data);
}

static void put_value(Printer *p, const Value *value) {
    const char *label = value ? map_get_pointer(&p->labels, value) : NULL;
    if (label)
        buf_puts(p->out, label);
    else
        buf_printf(p->out, "%%undefined.%d", value ? value->id : -1);
}

static void put_text(Buf *out, Str text) {
    buf_putc(out, '"');
    for (int i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == '"' || c == '\\')
            buf_printf(out, "\\%c", c);
        else if (c < 0x20 || c >= 0x7f)
            buf_printf(out, "\\%02x", c);
        else
            buf_putc(out, (char)c);
    }
    buf_putc(out, '"');
}

static void put_bits(Buf *out, const Type *type, uint64_t bits) {
    FloatKind kind;
    if (float_kind_of(type, &kind))
        float_print(out, kind, bits);
    else if (type_is_ptr(type))
        buf_printf(out, "0x%llx", (unsigned long long)bits);
    else
        buf_printf(out, "%lld", (long long)constant_to_int(type, bits));
}

static bool attr_is_shown(AttrKind kind, const Attr *attr) {
    switch (kind) {
    case ATTR_NONE:
    case ATTR_BITS:
    case NUM_ATTR_KINDS: return false;
    case ATTR_INT:
    case ATTR_INTS:
    case ATTR_TEXT:
    case ATTR_ICMP:
    case ATTR_FCMP:
    case ATTR_RMW:
    case ATTR_SPACE:
    case ATTR_SHUFFLE:
    case ATTR_VOTE:
    case ATTR_HINT: return true;
    case ATTR_OPT_INT:
    case ATTR_ROUNDING:
    case ATTR_CACHE:
    case ATTR_EVICT:
    case ATTR_SEM:
    case ATTR_SCOPE:
    case ATTR_PRECISION:
    case ATTR_UNIT: return attr->i != 0;
    }
    return false;
}

static void put_attr(Buf *out, const AttrInfo *info, const Attr *attr) {
    buf_printf(out, "%s = ", info->name);
    if (info->kind == ATTR_INT || info->kind == ATTR_OPT_INT) {
        buf_printf(out, "%lld", (long long)attr->i);
    } else if (info->kind == ATTR_TEXT) {
        put_text(out, attr->text);
    } else if (info->kind == ATTR_INTS) {
        for (int i = 0; i < attr->ints.count; i++)
            buf_printf(out, "%s%lld", i ? ", " : "[", (long long)attr->ints.data[i]);
        buf_puts(out, attr->ints.count ? "]" : "[]");
    } else {
        const char *word = attr_word(info->kind, attr->i);
        buf_puts(out, word ? word : "invalid");
    }
}

static void put_attrs(Printer *p, const Op *op) {
    int shown = 0;
    for (int i = 0; i < MAX_ATTRS; i++) {
        const AttrInfo *info = &op_infos[op->kind].attrs[i];
        if (!attr_is_shown(info->kind, &op->attrs[i])) continue;
        buf_puts(p->out, shown++ ? ", " : " {");
        put_attr(p->out, info, &op->attrs[i]);
    }
    if (op->barrier) buf_puts(p->out, shown++ ? ", barrier = 1" : " {barrier = 1");
    for (int list = 0; list < 2 && op->num_trips; list++) {
        buf_printf(p->out, "%s%s = [", shown++ ? ", " : " {", list ? "wait" : "scratch");
        for (int i = 0; i < op->num_trips; i++)
            buf_printf(p->out, i ? ", %d" : "%d", list ? op->trips[i].wait : op->trips[i].offset);
        buf_putc(p->out, ']');
    }
    if (shown) buf_putc(p->out, '}');
}

static void put_span(Printer *p, Span span) {
    if (!p->with_spans || !span.source) return;
    buf_puts(p->out, " loc(");
    put_text(p->out, span.source->name);
    buf_printf(p->out, ", %d, %d)", span.start, span.end);
}

static void put_region(Printer *p, const Region *region, int depth);

static void put_op(Printer *p, const Op *op, int depth) {
    Buf *out = p->out;
    buf_printf(out, "%*s", 2 * depth, "");
    for (int i = 0; i < op->num_results; i++) {
        define(p, &op->results[i]);
        if (i) buf_puts(out, ", ");
        put_value(p, &op->results[i]);
    }
    buf_printf(out, "%s%s", op->num_results ? " = " : "", op_infos[op->kind].name);
    for (int i = 0; i < op->num_operands; i++) {
        buf_puts(out, i ? ", " : " ");
        put_value(p, op->operands[i]);
    }
    if (op->kind == OP_CONSTANT) {
        buf_putc(out, ' ');
        put_bits(out, op->results[0].type, constant_bits(op));
    }
    put_attrs(p, op);
    for (int i = 0; i < op->num_results; i++) {
        buf_puts(out, i ? ", " : " : ");
        type_print(out, op->results[i].type);
    }
    put_span(p, op->span);
    for (int i = 0; i < op->num_regions; i++) put_region(p, op->regions[i], depth);
    buf_putc(out, '\n');
}

static void put_region(Printer *p, const Region *region, int depth) {
    for (int i = 0; i < region->num_args; i++) {
        buf_puts(p->out, i ? ", " : " (");
        define(p, region->args[i]);
        put_value(p, region->args[i]);
        buf_puts(p->out, ": ");
        type_print(p->out, region->args[i]->type);
    }
    buf_puts(p->out, region->num_args ? ") {\n" : " {\n");
    for (const Op *op = region->first; op; op = op->next) put_op(p, op, depth + 1);
    buf_printf(p->out, "%*s}", 2 * depth, "");
}

static void put_param(Printer *p, const Param *param, int index) {
    Buf *out = p->out;
    define(p, param->value);
    put_value(p, param->value);
    buf_puts(out, ": ");
    type_print(out, param->value->type);
    const char *separator = " {";
    if (param->divisible > 1)
        buf_printf(out, "%sdivisible = %d", separator, param->divisible), separator = ", ";
    if (param->is_unsigned) buf_printf(out, "%sunsigned = 1", separator), separator = ", ";
    if (param->source_index != index)
        buf_printf(out, "%ssource_index = %d", separator, param->source_index), separator = ", ";
    if (separator[0] == ',') buf_putc(out, '}');
}

static void put_list(Buf *out, const char *name, const uint32_t *items, int count) {
    buf_printf(out, "%s = [", name);
    for (int i = 0; i < count; i++) buf_printf(out, i ? ", %u" : "%u", items[i]);
    buf_putc(out, ']');
}

/* #0 = {reg = [..], lane = [..], warp = [..]}    #1 = shared {offset = [..], vector = 3} */
static void put_place(Buf *out, const Place *place) {
    const Layout *layout = &place->layout;
    buf_printf(out, "#%d = ", place->number);
    if (place->shared) {
        put_list(out, "shared {offset", place->swizzle.image, place->swizzle.bits);
        buf_printf(out, ", vector = %d", place->swizzle.vector);
    } else {
        put_list(out, "{reg", layout->column[KIND_REG], layout->num[KIND_REG]);
        put_list(out, ", lane", layout->column[KIND_LANE], layout->num[KIND_LANE]);
        put_list(out, ", warp", layout->column[KIND_WARP], layout->num[KIND_WARP]);
    }
    buf_puts(out, "}\n");
}

static void put_func_attrs(Printer *p, const Func *fn) {
    const char *separator = " {";
    if (fn->num_warps || fn->num_stages) {
        buf_printf(p->out, "%snum_warps = %d, num_stages = %d", separator, fn->num_warps,
                   fn->num_stages);
        separator = ", ";
    }
    if (fn->form == FORM_PLACED) buf_printf(p->out, "%sform = placed", separator), separator = ", ";
    if (func_has_threads(fn)) {
        const int *block = fn->block;
        buf_printf(p->out, "%sform = %s, block = [%d, %d, %d]", separator,
                   fn->form == FORM_THREAD ? "thread" : "spread", block[0], block[1], block[2]);
        separator = ", ";
    }
    if (fn->target.length) {
        buf_printf(p->out, "%starget = ", separator), separator = ", ";
        put_text(p->out, fn->target);
    }
    if (separator[0] == ',') buf_putc(p->out, '}');
}

static void put_func(Printer *p) {
    const Func *fn = p->fn;
    Buf *out = p->out;
    p->labels.arena = p->names.arena = out->arena;
    for (int i = 0; fn->form == FORM_PLACED && place_at(fn->types, i); i++)
        put_place(out, place_at(fn->types, i));
    buf_printf(out, "func @%.*s(", STR_ARG(fn->name));
    for (int i = 0; i < fn->num_params; i++) {
        if (i) buf_puts(out, ", ");
        put_param(p, &fn->params[i], i);
    }
    buf_putc(out, ')');
    put_func_attrs(p, fn);
    put_span(p, fn->span);
    buf_puts(out, " {\n");
    for (const Op *op = fn->body->first; op; op = op->next) put_op(p, op, 1);
    buf_puts(out, "}\n");
}

void func_print(Buf *out, const Func *fn, bool with_spans) {
    put_func(&(Printer){.out = out, .fn = fn, .with_spans = with_spans});
}

Str func_label(Arena *arena, const Func *fn, const Value *value) {
    Buf text = {.arena = arena}, label = {.arena = arena};
    Printer p = {.out = &text, .fn = fn};
    put_func(&p);
    p.out = &label;
    put_value(&p, value);
    return buf_str(&label);
}
