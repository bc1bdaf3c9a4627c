// SPDX-License-Identifier: Apache-2.0
/* print: device_print, printf and device_assert. The form of a line of device_print is Triton's:
 *
 *     pid (0, 0, 0) idx ( 3) x: 1.500000
 *
 * with each index as wide as the largest of its dimension, and "(operand 1) " before the value when
 * there are several. */
#include "base/format.h"
#include "device/interp/interp.h"

#include <stdio.h>
#include <stdlib.h>

enum { FLUSH_AT = 64 << 10 };

bool program_put(Program *p, const char *text, size_t length) {
    Launch *launch = p->launch;
    if (launch->output_capacity - launch->output_length < length) {
        size_t capacity = (launch->output_capacity + length) * 2;
        char *grown = realloc(launch->output, capacity);
        if (!grown) return program_fail(p, TERN_ERROR_NO_MEMORY, (Span){0}, "out of host memory");
        launch->output = grown, launch->output_capacity = capacity;
    }
    memcpy(launch->output + launch->output_length, text, length);
    launch->output_length += length;
    return true;
}

static int format_value(char *line, size_t room, const Type *type, uint64_t bits, bool hex,
                        bool is_unsigned) {
    if (hex || type_is_ptr(type))
        return snprintf(line, room, "0x%0*llx", type_size_bytes(type) * 2,
                        (unsigned long long)bits);
    if (type_is_float(type)) return snprintf(line, room, "%f", constant_to_double(type, bits));
    if (is_unsigned || type_is_bool(type))
        return snprintf(line, room, "%llu", (unsigned long long)bits);
    return snprintf(line, room, "%lld", (long long)constant_to_int(type, bits));
}

static int digits(int number) {
    int count = 1;
    while (number >= 10) number /= 10, count++;
    return count;
}

static int format_index(char *line, size_t room, const Type *type, int lane) {
    int index[MAX_RANK] = {0}, used = 0;
    for (int i = type->rank - 1; i >= 0; i--)
        index[i] = lane % type->shape[i], lane /= type->shape[i];
    for (int i = 0; i < type->rank; i++)
        used += snprintf(line + used, room - (size_t)used, i ? ", %*d" : "%*d",
                         digits(type->shape[i] - 1), index[i]);
    line[used] = 0;
    return used;
}

void lane_words(const Program *p, const Type *type, int lane, char *text, size_t size) {
    char index[128];
    const Func *fn = p->launch->loaded->kernel->ir;
    text[0] = 0;
    if (!type_is_tile(type)) return;
    if (fn->form == FORM_SPREAD) { /* lanes are threads in order */
        int x = fn->block[0], y = fn->block[1];
        snprintf(text, size, ", thread (%d, %d, %d)", lane % x, lane / x % y, lane / (x * y));
        return;
    }
    int used = 0;
    for (int i = 0, rest = type->lanes; i < type->rank; i++) {
        rest /= type->shape[i];
        used += snprintf(index + used, sizeof index - (size_t)used, i ? ", %d" : "%d",
                         lane / rest % type->shape[i]);
    }
    snprintf(text, size, ", lane [%s]", index);
}

static bool print_lane(Program *p, const Op *op, int k, int lane) {
    char line[1024];
    const Lanes *lanes = operand(p, op, k);
    const Type *type = op->operands[k]->type;
    int used = snprintf(line, sizeof line, "pid (%u, %u, %u) idx (", p->id[0], p->id[1], p->id[2]);
    used += format_index(line + used, sizeof line - (size_t)used, type, lane);
    used += snprintf(line + used, sizeof line - (size_t)used, ")");
    if (!program_put(p, line, (size_t)used)) return false;
    if (!program_put(p, print_text(op).data, (size_t)print_text(op).length)) return false;
    used = op->num_operands > 1 ? snprintf(line, sizeof line, "(operand %d) ", k) : 0;
    used +=
        format_value(line + used, sizeof line - (size_t)used, type_lane(type),
                     lane_get(lanes, lane), print_hex(op) != 0, (print_unsigned_mask(op) >> k) & 1);
    line[used++] = '\n';
    return program_put(p, line, (size_t)used);
}

bool exec_print(Program *p, const Op *op) {
    if (print_stops(op)) return exec_breakpoint(p, op);
    if (op->num_operands == 0) {
        char line[64];
        int used = snprintf(line, sizeof line, "pid (%u, %u, %u)", p->id[0], p->id[1], p->id[2]);
        if (!program_put(p, line, (size_t)used)) return false;
        if (!program_put(p, print_text(op).data, (size_t)print_text(op).length)) return false;
        if (!program_put(p, "\n", 1)) return false;
    }
    for (int k = 0; k < op->num_operands; k++) {
        for (int i = 0; i < operand(p, op, k)->count; i++) {
            if (!print_lane(p, op, k, i)) return false;
            if (p->launch->output_length > FLUSH_AT) program_flush(p);
        }
    }
    return true;
}

/* Of each lane all at once. */
bool exec_printf(Program *p, const Op *op) {
    bool lanes = op->num_operands && type_is_tile(op->operands[op->num_operands - 1]->type);
    const Lanes *mask = lanes ? operand(p, op, op->num_operands - 1) : NULL;
    char text[CONVERSION_ROOM];
    for (int i = 0; i < (mask ? mask->count : 1); i++) {
        if (mask && !(lane_get(mask, i) & 1)) continue;
        int next = 0;
        Str rest = printf_text(op);
        for (FormatPiece piece; format_next(&rest, &piece);) {
            if (piece.converts) {
                uint64_t bits = lane_get(operand(p, op, next++), i);
                piece.text = (Str){text, conversion_text(text, &piece.conversion, bits)};
            }
            if (!program_put(p, piece.text.data, (size_t)piece.text.length)) return false;
        }
        if (p->launch->output_length > FLUSH_AT) program_flush(p);
    }
    return true;
}

bool exec_assert(Program *p, const Op *op) {
    const Lanes *condition = lanes_of(p, assert_condition(op)),
                *mask = lanes_of(p, assert_mask(op));
    for (int i = 0; i < condition->count; i++) {
        if (condition->data[i] & 1) continue;
        if (mask && !(mask->data[i] & 1)) continue;
        program_fail(p, TERN_ERROR_KERNEL, op->span, "assertion failed: %.*s",
                     STR_ARG(assert_text(op)));
        char lane[128];
        lane_words(p, assert_condition(op)->type, i, lane, sizeof lane);
        if (condition->count > 1) program_note(p, "%s", lane);
        /* Nothing that the kernel does wrong: it takes no such arguments. */
        if (assert_always(op)) p->launch->failure.kind = TERN_NOT_CHECKED;
        return false;
    }
    return true;
}
