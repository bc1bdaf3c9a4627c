// SPDX-License-Identifier: Apache-2.0
/* emit: what all texts of kernels have in common: parameters, addresses, and the lines of a graph.
 *
 *     @triton.jit
 *     def add(a_ptr, b_ptr, y_ptr, n0, COLS: tl.constexpr):
 *
 * Operands are a, b, c, d and, the result, y; loop k has index ik and size nk, operand a's stride
 * in it is a_sk. A stride that is 0 or 1 in a tile's dimension is part of the text and no
 * parameter. */
#include "tensor/plan.h"

#include <stdio.h>

typedef struct TypeText {
    const char *triton, *signature;
} TypeText;

static TypeText type_text(tern_dtype dtype) {
    switch (dtype) {
    case TERN_VOID: break;
    case TERN_BOOL: return (TypeText){"tl.int1", "i1"};
    case TERN_INT8: return (TypeText){"tl.int8", "i8"};
    case TERN_INT16: return (TypeText){"tl.int16", "i16"};
    case TERN_INT32: return (TypeText){"tl.int32", "i32"};
    case TERN_INT64: return (TypeText){"tl.int64", "i64"};
    case TERN_UINT8: return (TypeText){"tl.uint8", "u8"};
    case TERN_UINT16: return (TypeText){"tl.uint16", "u16"};
    case TERN_UINT32: return (TypeText){"tl.uint32", "u32"};
    case TERN_UINT64: return (TypeText){"tl.uint64", "u64"};
    case TERN_FLOAT8E4M3: return (TypeText){"tl.float8e4nv", "fp8e4nv"};
    case TERN_FLOAT8E5M2: return (TypeText){"tl.float8e5", "fp8e5"};
    case TERN_FLOAT8E4B15: return (TypeText){"tl.float8e4b15", "fp8e4b15"};
    case TERN_FLOAT16: return (TypeText){"tl.float16", "fp16"};
    case TERN_BFLOAT16: return (TypeText){"tl.bfloat16", "bf16"};
    case TERN_FLOAT32: return (TypeText){"tl.float32", "fp32"};
    case TERN_FLOAT64: return (TypeText){"tl.float64", "fp64"};
    }
    BUG("a type without a name: %d", (int)dtype);
}

const char *triton_type(tern_dtype dtype) { return type_text(dtype).triton; }
const char *signature_type(tern_dtype dtype) { return type_text(dtype).signature; }

void emit_line(Emitter *emitter, const char *format, ...) {
    va_list args;
    buf_puts(&emitter->text, emitter->indent);
    va_start(args, format);
    buf_vprintf(&emitter->text, format, args);
    va_end(args);
    buf_putc(&emitter->text, '\n');
}

/* ---- values ---- */

static bool is_float8(tern_dtype dtype) {
    return tern_dtype_is_float(dtype) && tern_dtype_size(dtype) == 1;
}

void emit_cast(Buf *text, const char *value, tern_dtype from, tern_dtype to) {
    if (from == to)
        buf_puts(text, value);
    else if (to == TERN_BOOL)
        buf_printf(text, "(%s%s != 0)", value, is_float8(from) ? ".to(tl.float32)" : "");
    else if (is_float8(from) || is_float8(to)) /* has conversions from and to fp32 only */
        buf_printf(text, "%s%s%s%s%s", value, from == TERN_FLOAT32 ? "" : ".to(tl.float32)",
                   to == TERN_FLOAT32 ? "" : ".to(", to == TERN_FLOAT32 ? "" : triton_type(to),
                   to == TERN_FLOAT32 ? "" : ")");
    else
        buf_printf(text, "%s.to(%s)", value, triton_type(to));
}

static bool is_letter(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Letters that are not part of a longer word, nor an attribute. */
void emit_formula(Buf *text, const char *formula, const char *const names[26]) {
    for (const char *at = formula; *at; at++) {
        bool alone = (at == formula || (!is_letter(at[-1]) && at[-1] != '.')) && !is_letter(at[1]);
        bool quoted = at > formula && at[-1] == '\'';
        if (*at >= 'a' && *at <= 'z' && alone && !quoted && names[*at - 'a'])
            buf_puts(text, names[*at - 'a']);
        else
            buf_putc(text, *at);
    }
}

enum { NAME_SIZE = 32 };

static void value_name(const Graph *graph, int value, const char *last, char name[NAME_SIZE]) {
    if (value < graph->num_inputs)
        snprintf(name, NAME_SIZE, "%c", 'a' + value);
    else if (value == graph->num_inputs + graph->num_nodes - 1)
        snprintf(name, NAME_SIZE, "%s", last);
    else
        snprintf(name, NAME_SIZE, "v%d", value - graph->num_inputs);
}

static tern_dtype value_type(const Graph *graph, int value) {
    return value < graph->num_inputs ? graph->inputs[value]
                                     : graph->nodes[value - graph->num_inputs].dtype;
}

static void emit_node(Emitter *emitter, const Graph *graph, int index, const char *last) {
    const Node *node = &graph->nodes[index];
    Buf *text = &emitter->text;
    char names[3][NAME_SIZE], name[NAME_SIZE];
    value_name(graph, graph->num_inputs + index, last, name);
    for (int i = 0; i < node->num_operands; i++) {
        char value[NAME_SIZE];
        tern_dtype from = value_type(graph, node->operands[i]);
        value_name(graph, node->operands[i], last, value);
        snprintf(names[i], NAME_SIZE, "%s", value);
        if (from == node->types[i]) continue;
        snprintf(names[i], NAME_SIZE, "%.12s_%s", value, type_text(node->types[i]).signature);
        buf_printf(text, "%s%s = ", emitter->indent, names[i]);
        emit_cast(text, value, from, node->types[i]);
        buf_putc(text, '\n');
    }
    buf_printf(text, "%s%s = ", emitter->indent, name);
    emit_formula(text, node->formula, (const char *[26]){names[0], names[1], names[2]});
    buf_putc(text, '\n');
    if (node->compute == node->dtype) return;
    buf_printf(text, "%s%s = ", emitter->indent, name);
    emit_cast(text, name, node->compute, node->dtype);
    buf_putc(text, '\n');
}

void emit_graph(Emitter *emitter, const Graph *graph, const char *name) {
    for (int i = 0; i < graph->num_nodes; i++) emit_node(emitter, graph, i, name);
}

/* ---- parameters and addresses ---- */

const char *operand_name(const Form *form, int operand) {
    static const char *const names[] = {"a", "b", "c", "d"};
    return operand == form->num_operands - 1 ? "y" : names[operand];
}

static StrideClass stride_class(const Form *form, const int tile_dims[TILE_DIMS], int operand,
                                int dim) {
    bool is_result = operand == form->num_operands - 1;
    if (is_result && form->flags & FORM_REDUCES && dim >= form->outer) return STRIDE_0;
    for (int i = 0; i < TILE_DIMS; i++)
        if (tile_dims[i] == dim)
            return (StrideClass)(form->operands[operand].classes >> (2 * i) & 3);
    return STRIDE_ANY;
}

bool operand_uses(const Form *form, int operand, int tile_dim) {
    return (form->operands[operand].classes >> (2 * tile_dim) & 3) != STRIDE_0;
}

static bool form_has_stride(const Form *form, const int tile_dims[TILE_DIMS], int operand,
                            int dim) {
    return stride_class(form, tile_dims, operand, dim) == STRIDE_ANY;
}

static void add_slot(Emitter *emitter, SlotKind kind, int operand, int dim) {
    emitter->plan->slots[emitter->plan->num_slots++] =
        (Slot){(uint8_t)kind, (uint8_t)operand, (uint8_t)dim};
}

void emit_head(Emitter *emitter, const char *name, bool has_p, bool has_q, const char *constants) {
    const Form *form = emitter->form;
    Buf *text = &emitter->text;
    buf_printf(text, "@triton.jit\ndef %s(", name);
    for (int i = 0; i < form->num_operands; i++) {
        bool is_number = form->operands[i].flags & OPERAND_IS_NUMBER;
        buf_printf(text, "%s%s, ", operand_name(form, i), is_number ? "" : "_ptr");
        add_slot(emitter, SLOT_OPERAND, i, 0);
    }
    if (has_p) buf_puts(text, "p, "), add_slot(emitter, SLOT_P, 0, 0);
    if (has_q) buf_puts(text, "q, "), add_slot(emitter, SLOT_Q, 0, 0);
    if (op_row(form->op)->kind == ROW_TAKE || op_row(form->op)->kind == ROW_PUT)
        buf_puts(text, "step, "), add_slot(emitter, SLOT_STEP, 0, 0);
    for (int d = 0; d < form->rank; d++) {
        buf_printf(text, "n%d, ", d);
        add_slot(emitter, SLOT_SIZE, 0, d);
    }
    for (int i = 0; i < form->num_operands; i++) {
        if (form->operands[i].flags & OPERAND_IS_NUMBER) continue;
        for (int d = 0; d < form->rank; d++)
            if (form_has_stride(form, emitter->tile_dims, i, d)) {
                buf_printf(text, "%s_s%d, ", operand_name(form, i), d);
                add_slot(emitter, SLOT_STRIDE, i, d);
            }
    }
    buf_printf(text, "%s):\n", constants);
}

void emit_address(Emitter *emitter, int operand) {
    const char *name = operand_name(emitter->form, operand);
    buf_printf(&emitter->text, "%s_ptr", name);
    for (int d = 0; d < emitter->form->rank; d++)
        switch (stride_class(emitter->form, emitter->tile_dims, operand, d)) {
        case STRIDE_0: break;
        case STRIDE_1: buf_printf(&emitter->text, " + i%d", d); break;
        case STRIDE_ANY: buf_printf(&emitter->text, " + i%d * %s_s%d", d, name, d); break;
        }
}

Str form_signature(Arena *arena, const Form *form, const Plan *plan, const char *constants) {
    Buf text = {.arena = arena};
    const char *integer = form->flags & FORM_WIDE ? "i64" : "i32";
    const char *even = form->flags & FORM_EVEN ? ":16" : "";
    for (int i = 0; i < plan->num_slots; i++) {
        const FormOperand *operand = &form->operands[plan->slots[i].operand];
        const char *type = type_text((tern_dtype)operand->dtype).signature;
        if (i) buf_putc(&text, ',');
        switch ((SlotKind)plan->slots[i].kind) {
        case SLOT_OPERAND:
            if (operand->flags & OPERAND_IS_NUMBER)
                buf_puts(&text, type);
            else
                buf_printf(&text, "*%s%s", type, operand->flags & OPERAND_IS_ALIGNED ? ":16" : "");
            break;
        case SLOT_P:
        case SLOT_Q: buf_puts(&text, type_text((tern_dtype)form->compute).signature); break;
        case SLOT_STEP: buf_puts(&text, "i64"); break;
        case SLOT_SIZE:
        case SLOT_STRIDE: buf_printf(&text, "%s%s", integer, even); break;
        }
    }
    buf_puts(&text, constants);
    return buf_str(&text);
}
