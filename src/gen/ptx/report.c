// SPDX-License-Identifier: Apache-2.0
/* report: device_print (lines as the interpreter writes them) through the driver's vprintf,
 * device_assert through its __assertfail, clocks, and the user's own PTX. */
#include "gen/ptx/gen.h"
#include "gen/ptx/inline.h"

/* A string in global memory; its generic address. */
static Tir string_address(Gen *g, const char *text) {
    const char *name = str_format(g->arena, "string_%d", g->num_strings++).data;
    buf_printf(&g->globals, ".global .align 1 .b8 %s[%d] = {", name, (int)strlen(text) + 1);
    for (const char *c = text; *c; c++) buf_printf(&g->globals, "%d, ", (unsigned char)*c);
    buf_puts(&g->globals, "0};\n");
    return tir_address(g->b, CLASS_B64, SPACE_GLOBAL, name);
}

static void call(Gen *g, const char *function, int count, const Tir *args, const char *result) {
    tir_ins(g->b, TIR_CALL, function, count, args, NULL)->text2 = result;
}

/* ---- print ---- */

/* Values of a printf call, laid out as C's variable arguments are. */
typedef struct Arguments {
    Gen *g;
    Tir depot;
    int bytes;
} Arguments;

static void add_argument(Arguments *a, Tir value) {
    bool wide = tir_class(a->g->b, value) == CLASS_B64;
    if (wide) a->bytes = (a->bytes + 7) & ~7;
    Tir address = tir_2(a->g->b, TIR_ADD64, a->depot, tir_i64(a->g->b, a->bytes));
    ptx_store_lanes(a->g, "st", address, type_scalar(wide ? TYPE_I64 : TYPE_I32), 1, 0, &value);
    a->bytes += wide ? 8 : 4;
}

/* The value as printf takes it, and its conversion. */
static const char *printable(Gen *g, const Type *lane, Tir *x, bool hex, bool is_unsigned) {
    int bits = type_bits(lane);
    if (hex || type_is_ptr(lane)) {
        if (ptx_class_of(lane) == CLASS_B16)
            *x = tir_1(g->b, TIR_WIDE16, *x);
        else if (bits < 32)
            *x = ptx_zero_extended(g, lane, *x);
        return bits == 64 ? "0x%016llx" : bits == 32 ? "0x%08x" : bits == 16 ? "0x%04x" : "0x%02x";
    }
    if (type_is_float(lane)) {
        if (lane->kind != TYPE_F64) *x = tir_1(g->b, TIR_F64_FROM_F32, ptx_to_f32(g, lane, *x));
        return "%f";
    }
    *x = is_unsigned ? ptx_zero_extended(g, lane, *x) : ptx_sign_extended(g, lane, *x);
    return bits == 64 ? is_unsigned ? "%llu" : "%lld" : is_unsigned ? "%u" : "%d";
}

static int digits(int number) {
    int count = 1;
    while (number >= 10) number /= 10, count++;
    return count;
}

static void add_escaped(Buf *out, Str text) {
    for (int i = 0; i < text.length; i++) {
        if (text.data[i] == '%') buf_putc(out, '%');
        if (text.data[i]) buf_putc(out, text.data[i]);
    }
}

static void print_lane(Gen *g, const Op *op, int operand, const Layout *layout, int reg,
                       Tir value) {
    Str prefix = print_text(op);
    bool hex = print_hex(op) != 0;
    bool is_unsigned = print_unsigned_mask(op) >> operand & 1;
    static const char *const ids[] = {"%ctaid.x", "%ctaid.y", "%ctaid.z"};
    Arguments a = {.g = g, .depot = tir_address(g->b, CLASS_B64, SPACE_LOCAL, "depot")};
    Buf format = {.arena = g->arena};
    buf_puts(&format, value ? "pid (%u, %u, %u) idx (" : "pid (%u, %u, %u)");
    for (int i = 0; i < 3; i++) add_argument(&a, tir_special(g->b, CLASS_B32, ids[i], 0));
    if (layout) {
        const Type *type = op->operands[operand]->type;
        TileShape shape = tile_shape(type);
        Tir image = tir_i32(g->b, layout_index(layout, (uint32_t)reg, 0, 0));
        Tir index = tir_2(g->b, TIR_XOR32, ptx_lane_index(g, layout), image);
        for (int d = 0; d < type->rank; d++) {
            Tir part = tir_2(g->b, TIR_SHR_U32, index, tir_i32(g->b, tile_bit_of_dim(&shape, d)));
            add_argument(&a, tir_2(g->b, TIR_AND32, part, tir_i32(g->b, type->shape[d] - 1)));
            buf_printf(&format, d ? ", %%%dd" : "%%%dd", digits(type->shape[d] - 1));
        }
    }
    if (value) buf_puts(&format, ")");
    add_escaped(&format, prefix);
    if (value) {
        if (op->num_operands > 1) buf_printf(&format, "(operand %d) ", operand);
        const char *conversion =
            printable(g, type_lane(op->operands[operand]->type), &value, hex, is_unsigned);
        buf_puts(&format, conversion);
        add_argument(&a, value);
    }
    buf_puts(&format, "\n");
    if (a.bytes > g->depot_bytes) g->depot_bytes = (a.bytes + 7) & ~7;
    call(g, "vprintf", 2, (Tir[]){string_address(g, format.data), a.depot}, "b32");
}

void ptx_print(Gen *g, const Op *op) {
    g->uses_printf = true;
    for (int i = 0; i < op->num_operands || i == 0; i++) {
        const Layout *layout = op->num_operands ? type_layout(op->operands[i]->type) : NULL;
        Tir *regs = op->num_operands ? ptx_regs_of(g, op->operands[i]) : NULL;
        Tir once = ptx_replica_guard(g, layout);
        int end = tir_new_label(g->b), scope = tir_enter(g->b);
        if (once) tir_branch(g->b, end, once, true);
        for (int r = 0; r < (layout ? layout_regs(layout) : 1); r++)
            print_lane(g, op, i, layout, r, regs ? regs[r] : 0);
        tir_leave(g->b, scope);
        tir_label(g->b, end);
    }
}

/* C's printf: its text as it is. */
void ptx_printf(Gen *g, const Op *op) {
    Arguments a = {.g = g, .depot = tir_address(g->b, CLASS_B64, SPACE_LOCAL, "depot")};
    g->uses_printf = true;
    for (int i = 0; i < op->num_operands; i++) add_argument(&a, ptx_scalar_of(g, op->operands[i]));
    if (a.bytes + 8 > g->depot_bytes) g->depot_bytes = (a.bytes + 15) & ~7;
    Tir format = string_address(g, str_c(g->arena, printf_text(op)));
    call(g, "vprintf", 2, (Tir[]){format, a.depot}, "b32");
    ptx_define_scalar(g, op_result(op), tir_i32(g->b, op->num_operands));
}

/* ---- assert ---- */

/* What a device says of a trap: it finds it in the text. */
static Str trap_text(Gen *g, const Op *op) {
    int line = 0, column = 0;
    if (op->span.source) source_position(op->span.source, op->span.start, &line, &column);
    Str text = assert_text(op);
    return str_format(g->arena, "trap; // line %d: %.*s", line, STR_ARG(text));
}

void ptx_assert(Gen *g, const Op *op) {
    bool always = assert_always(op) != 0;
    if (!always && !g->options->debug && g->fn->form != FORM_THREAD) return;
    const Value *condition = assert_condition(op), *mask = assert_mask(op);
    const Layout *layout = type_layout(condition->type);
    Tir *regs = ptx_regs_of(g, condition), *masks = mask ? ptx_regs_of(g, mask) : NULL;
    Tir failed = tir_bool(g->b, false);
    for (int r = 0; r < (layout ? layout_regs(layout) : 1); r++) {
        Tir bad = tir_1(g->b, TIR_NOT_P, regs[r]);
        if (masks) bad = tir_2(g->b, TIR_AND_P, bad, masks[r]);
        failed = tir_2(g->b, TIR_OR_P, failed, bad);
    }
    uint64_t bits;
    if (tir_is_const(g->b, failed, &bits) && !bits) return;
    int end = tir_new_label(g->b), line = 0, column = 0;
    if (always) { /* no call: with one in the text, products by wgmma wait for each other */
        tir_branch(g->b, end, failed, true);
        tir_plain(g->b, trap_text(g, op).data);
        tir_label(g->b, end);
        return;
    }
    g->uses_assert = true;
    int scope = tir_enter(g->b);
    const char *file = "";
    if (op->span.source) {
        source_position(op->span.source, op->span.start, &line, &column);
        file = str_c(g->arena, op->span.source->name);
    }
    tir_branch(g->b, end, failed, true);
    Str text = assert_text(op);
    Tir args[5] = {string_address(g, str_c(g->arena, text)), string_address(g, file),
                   tir_i32(g->b, line), string_address(g, str_c(g->arena, g->fn->name)),
                   tir_i64(g->b, 1)};
    call(g, "__assertfail", 5, args, NULL);
    tir_plain(g->b, "trap;");
    tir_leave(g->b, scope);
    tir_label(g->b, end);
}

/* ---- clocks ---- */

void ptx_clock(Gen *g, const Op *op) {
    Str kind = clock_kind(op);
    const Type *type = op_result(op)->type;
    Tir index;
    bool wide = !str_is(kind, "smid");
    const char *name = str_is(kind, "globaltimer") ? "%globaltimer" : wide ? "%clock64" : "%smid";
    TirIns *ins = tir_ins(g->b, TIR_READ, wide ? "mov.u64" : "mov.u32", 0, NULL, &index);
    ins->text2 = name;
    ins->pinned = true;
    Tir value = tir_results(g->b, index, wide ? CLASS_B64 : CLASS_B32, 1);
    if (wide && type_bits(type) == 32) value = tir_1(g->b, TIR_LOW32, value);
    if (!wide && type_bits(type) == 64) value = tir_1(g->b, TIR_ZEXT, value);
    /* Threads read at different times: all take the first one's. */
    Layout all = {.num = {0, LANE_BITS, g->warp_bits}};
    ptx_define_scalar(g, op_result(op), *ptx_broadcast_replicas(g, type, &value, &all));
}

/* ---- inline assembly ---- */

/* The text may only name registers that are there. */
static bool check_text(Str text, int registers) {
    for (int i = 0; i < text.length; i++) {
        if (!text.data[i]) return false;
        if (text.data[i] != '$') continue;
        if (i + 1 < text.length && text.data[i + 1] == '$') {
            i++;
            continue;
        }
        int n = 0, digits = 0;
        while (i + 1 < text.length && text.data[i + 1] >= '0' && text.data[i + 1] <= '9' &&
               digits++ < 4)
            n = n * 10 + (text.data[++i] - '0');
        if (!digits || n >= registers) return false;
    }
    return true;
}

/* The text with its numbers ("n") where it names them; print_asm knows the registers. */
static const char *text_with_numbers(Gen *g, const InlineAsm *read, Str text) {
    Buf out = {.arena = g->arena};
    for (int i = 0; i < text.length; i++) {
        bool is_name = text.data[i] == '$' && i + 1 < text.length;
        int n = 0, digits = 0;
        while (is_name && i + 1 + digits < text.length && text.data[i + 1 + digits] >= '0' &&
               text.data[i + 1 + digits] <= '9')
            n = n * 10 + (text.data[i + 1 + digits++] - '0');
        bool is_number = digits && read->at[n].class == CLASS_NONE;
        int length = is_number ? 0 : is_name && !digits ? 2 : 1 + digits;
        if (is_number) buf_printf(&out, "%lld", (long long)read->at[n].bits);
        buf_add(&out, text.data + i, (size_t)length);
        i += is_number ? digits : length - 1;
    }
    return str_c(g->arena, buf_str(&out));
}

static void asm_inputs(Gen *g, const AsmOperand *operand, const Tir *lanes, Tir *out) {
    for (int i = 0; i < operand->registers; i++) {
        Tir x = type_bits(operand->lane) < 32 && asm_class(operand->letter) != CLASS_NONE
                    ? ptx_pack_lanes(g, operand->lane, lanes + i * operand->each, operand->each)
                    : lanes[i];
        out[i] = operand->letter == 'h' ? tir_1(g->b, TIR_LOW16, x) : x;
    }
}

static void asm_outputs(Gen *g, const AsmOperand *operand, Tir first, int pack, Tir *lanes) {
    Tirs *b = g->b;
    int bits = type_bits(operand->lane);
    for (int i = 0; i < pack; i++) {
        Tir x = first + i / operand->each;
        if (operand->letter == 'h') x = tir_1(b, TIR_WIDE16, x);
        if (bits < 32) x = tir_2(b, TIR_SHR_U32, x, tir_i32(b, i % operand->each * bits));
        lanes[i] = ptx_class_of(operand->lane) == CLASS_B16 ? tir_1(b, TIR_LOW16, x) : x;
    }
}

/* One run of the text for `pack` registers' lanes. */
static void asm_run(Gen *g, const InlineAsm *read, const char *text, Tir **lanes) {
    int results = read->num_results, total_out = 0;
    for (int i = 0; i < results; i++) total_out += read->operands[i].registers;
    int total_in = read->num_registers - total_out;
    Tir *args = ptx_new_regs(g, total_in + 1), index;
    for (int i = results; i < read->num_operands; i++)
        asm_inputs(g, &read->operands[i], lanes[i], args + read->operands[i].first - total_out);
    TirIns *ins = tir_ins(g->b, TIR_ASM, text, total_in, args, &index);
    ins->pinned = true;
    Tir first = tir_results(g->b, index, CLASS_B32, total_out);
    for (int i = 0; i < results; i++) {
        const AsmOperand *operand = &read->operands[i];
        for (int k = 0; k < operand->registers; k++)
            g->b->list.data[first + operand->first + k].class = (uint8_t)asm_class(operand->letter);
        asm_outputs(g, operand, first + operand->first, read->pack, lanes[i]);
    }
}

void ptx_inline_asm(Gen *g, const Op *op) {
    InlineAsm read;
    if (!asm_read_constraints(g->arena, op, &read, g->diag)) return;
    if (!check_text(inline_asm_text(op), read.num_registers)) {
        diag_refused(g->diag, op->span, "inline assembly that names a register it has not");
        return;
    }
    const char *text = text_with_numbers(g, &read, inline_asm_text(op));
    int results = op->num_results, count = read.num_operands, pack = read.pack;
    const Layout *layout = results ? type_layout(op_result(op)->type) : NULL;
    int regs = layout ? layout_regs(layout) : 1;
    Tir **out = arena_array(g->arena, Tir *, results),
        **lanes = arena_array(g->arena, Tir *, count);
    for (int i = 0; i < results; i++) out[i] = ptx_new_regs(g, regs);
    for (int r = 0; r < regs; r += pack) {
        for (int i = 0; i < count; i++) {
            lanes[i] = ptx_new_regs(g, pack);
            if (i < results) continue;
            const Value *value = op->operands[i - results];
            Tir *from = ptx_regs_of(g, value);
            for (int k = 0; k < pack;
                 k++) /* a pack larger than what a thread has repeats the last */
                lanes[i][k] = from[!type_is_tile(value->type) ? 0
                                   : r + k < regs             ? r + k
                                                              : regs - 1];
        }
        asm_run(g, &read, text, lanes);
        for (int i = 0; i < results; i++)
            for (int k = 0; k < pack && r + k < regs; k++) out[i][r + k] = lanes[i][k];
    }
    for (int i = 0; i < results; i++) ptx_define(g, &op->results[i], out[i]);
}
