// SPDX-License-Identifier: Apache-2.0
/* print: vprintf and __assertfail, which the driver provides on a GPU. Lanes print one after
 * another. */
#include "base/format.h"
#include "device/sim/sim.h"

#include <stdio.h>
#include <stdlib.h>

enum { FLUSH_AT = 64 << 10, LONGEST = 4096 };

void sim_flush_output(Machine *m) {
    if (m->output_length && m->device->print)
        m->device->print(m->device->print_user, m->output, m->output_length);
    m->output_length = 0;
}

static bool put(Machine *m, const char *text, size_t length) {
    if (m->output_capacity - m->output_length < length) {
        size_t capacity = (m->output_capacity + length) * 2;
        char *grown = realloc(m->output, capacity);
        if (!grown) return sim_fail_memory(m);
        m->output = grown, m->output_capacity = capacity;
    }
    if (length) memcpy(m->output + m->output_length, text, length);
    m->output_length += length;
    return true;
}

/* A string of the program's, which ends in 0 within its symbol; NULL: it does not. */
static const char *string_at(Machine *m, Warp *w, int lane, uint64_t address) {
    size_t left;
    const unsigned char *text = sim_readable(m, w, lane, address, &left);
    return text && memchr(text, 0, left) ? (const char *)text : NULL;
}

static uint64_t operand_at(const Machine *m, const Warp *w, const Ins *ins, int k, int lane) {
    return get_wide(source_of(m, w, ins->operands[k]), lane);
}

static bool print_lane(Machine *m, Warp *w, const Ins *ins, int lane) {
    const char *format = string_at(m, w, lane, operand_at(m, w, ins, 0, lane));
    uint64_t values = operand_at(m, w, ins, 1, lane), offset = 0;
    char line[LONGEST], text[CONVERSION_ROOM];
    size_t used = 0;
    if (!format)
        return sim_fail(m, w, ins, lane, "the format of vprintf is no string of the kernel");
    Str rest = str_of(format);
    for (FormatPiece piece; format_next(&rest, &piece);) {
        const Conversion *c = &piece.conversion;
        if (piece.converts) {
            size_t left, size = c->bytes == 8 ? 8 : 4;
            if (!c->letter || c->letter == 's')
                return sim_fail(m, w, ins, lane,
                                "a conversion of vprintf that 'sim' does not know, in '%.60s'",
                                format);
            offset = (offset + size - 1) & ~(uint64_t)(size - 1);
            const unsigned char *value = sim_readable(m, w, lane, values + offset, &left);
            uint64_t bits = 0;
            if (!value || left < size)
                return sim_fail(m, w, ins, lane, "vprintf reads its values past their end");
            memcpy(&bits, value, size);
            offset += size;
            piece.text = (Str){text, conversion_text(text, c, bits)};
        }
        if (used + (size_t)piece.text.length > sizeof line)
            return sim_fail(m, w, ins, lane, "vprintf prints more than %d bytes", LONGEST);
        memcpy(line + used, piece.text.data, (size_t)piece.text.length);
        used += (size_t)piece.text.length;
    }
    return put(m, line, used);
}

bool sim_print(Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    for (uint32_t left = lanes; left; left &= left - 1)
        if (!print_lane(m, w, ins, __builtin_ctz(left))) return false;
    if (m->output_length > FLUSH_AT) sim_flush_output(m);
    return true;
}

/* The compiler says behind it what it is for. */
bool sim_trap(Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    static const char start[] = "trap; // ";
    int lane = __builtin_ctz(lanes);
    Str line = source_line(m->program->text, ins->line);
    while (line.length && *line.data == '\t') line.data++, line.length--;
    if (!str_starts(line, start)) return sim_fail(m, w, ins, lane, "the kernel executed 'trap'");
    line.data += strlen(start), line.length -= (int)strlen(start);
    sim_fail(m, w, ins, lane, "assertion failed: %.*s", STR_ARG(line));
    return sim_fail_kind(m, TERN_NOT_CHECKED); /* as interp: it takes no such arguments */
}

bool sim_assert(Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    int lane = __builtin_ctz(lanes);
    const char *text = string_at(m, w, lane, operand_at(m, w, ins, 0, lane));
    return sim_fail(m, w, ins, lane, "assertion failed: %.400s",
                    text ? text : "(its text cannot be read)");
}
