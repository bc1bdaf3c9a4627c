// SPDX-License-Identifier: Apache-2.0
/* inline: the constraints of inline assembly, one for each register, results first: "=r,=r,l". A
 * pack of lanes narrower than 32 bits shares registers: 4 of 8 bits lie in one r. */
#include "gen/ptx/inline.h"

#include "gen/ptx/gen.h"

enum { MOST_PACK = 16, MOST_REGISTERS_EACH = 16 };

RegClass asm_class(char letter) {
    return letter == 'n'                    ? CLASS_NONE
           : letter == 'l' || letter == 'd' ? CLASS_B64
           : letter == 'h'                  ? CLASS_B16
                                            : CLASS_B32;
}

/* The next of "=r, =r, r": its letter; 0 when it is another kind or there is none. */
static char next_constraint(Str text, int *at, bool output) {
    while (*at < text.length && strchr(" ,\n", text.data[*at])) ++*at;
    if (output && (*at >= text.length || text.data[(*at)++] != '=')) return 0;
    if (*at >= text.length || !strchr(output ? "rlhfd" : "rlhfdn", text.data[*at])) return 0;
    return text.data[(*at)++];
}

static bool operand_fits(AsmOperand *operand, int pack) {
    RegClass class = asm_class(operand->letter);
    int bits = type_bits(operand->lane), width = class == CLASS_B16 ? 16 : 32;
    uint64_t number;
    if (type_is_bool(operand->lane)) return false;
    operand->each = 1, operand->registers = pack;
    if (class == CLASS_NONE) return value_is_constant(operand->value, &number);
    if (bits >= 32) return class == (bits == 64 ? CLASS_B64 : CLASS_B32);
    if (class == CLASS_B64) return false;
    operand->registers = (pack * bits + width - 1) / width;
    operand->each = pack / operand->registers;
    return true;
}

static bool read_operand(const Op *op, InlineAsm *read, AsmOperand *operand, int *at) {
    Str text = inline_asm_constraints(op);
    bool output = operand < read->operands + read->num_results;
    operand->letter = next_constraint(text, at, output);
    if (!operand->letter || !operand_fits(operand, read->pack)) return false;
    if (operand->registers > MOST_REGISTERS_EACH) return false;
    operand->first = read->num_registers;
    read->num_registers += operand->registers;
    for (int k = 1; k < operand->registers; k++)
        if (next_constraint(text, at, output) != operand->letter) return false;
    return true;
}

static bool read_all(const Op *op, InlineAsm *read) {
    Str text = inline_asm_constraints(op);
    int pack = read->pack, at = 0;
    if (pack < 1 || pack > MOST_PACK || (pack & (pack - 1))) return false;
    for (int i = 0; i < read->num_operands; i++)
        if (!read_operand(op, read, &read->operands[i], &at)) return false;
    while (at < text.length && strchr(" ,\n", text.data[at])) at++;
    return at == text.length;
}

bool asm_read_constraints(Arena *arena, const Op *op, InlineAsm *read, Diag *diag) {
    int count = op->num_results + op->num_operands;
    *read = (InlineAsm){.operands = arena_array(arena, AsmOperand, count + 1),
                        .num_results = op->num_results,
                        .num_operands = count,
                        .pack = inline_asm_pack(op) > MOST_PACK ? 0 : (int)inline_asm_pack(op)};
    for (int i = 0; i < count; i++) {
        const Value *value =
            i < op->num_results ? &op->results[i] : op->operands[i - op->num_results];
        read->operands[i] = (AsmOperand){.value = value, .lane = type_lane(value->type)};
    }
    if (!read_all(op, read)) {
        diag_refused(diag, op->span, "inline assembly with the constraints \"%.*s\"",
                     STR_ARG(inline_asm_constraints(op)));
        return false;
    }
    read->at = arena_array(arena, PtxGiven, read->num_registers);
    for (int i = 0; i < count; i++) {
        const AsmOperand *operand = &read->operands[i];
        PtxGiven given = {.class = asm_class(operand->letter)};
        if (given.class == CLASS_NONE) {
            value_is_constant(operand->value, &given.bits);
            if (type_is_int(operand->lane))
                given.bits = (uint64_t)constant_to_int(operand->lane, given.bits);
        }
        for (int k = 0; k < operand->registers; k++) read->at[operand->first + k] = given;
    }
    return true;
}

/* $$1 as a word of its own: a name, where there is a GPU, that looks like an operand here. */
static bool names_an_operand(Str text) {
    for (int i = 0; i + 2 < text.length; i++) {
        char before = i ? text.data[i - 1] : ' ', digit = text.data[i + 2];
        if (memcmp(text.data + i, "$$", 2)) continue;
        bool begins = !strchr("_$%.", before) && !(before >= '0' && before <= '9') &&
                      !((before | 32) >= 'a' && (before | 32) <= 'z');
        if (begins && digit >= '0' && digit <= '9') return true;
        i++;
    }
    return false;
}

/* $$ is a $ of the text. */
static Str plain_text(Arena *arena, Str text) {
    Buf out = {.arena = arena};
    for (int i = 0; i < text.length; i++) {
        buf_putc(&out, text.data[i]);
        if (text.data[i] == '$' && i + 1 < text.length && text.data[i + 1] == '$') i++;
    }
    return buf_str(&out);
}

bool asm_read(Arena *arena, const Op *op, InlineAsm *read, Diag *diag) {
    if (!asm_read_constraints(arena, op, read, diag)) return false;
    if (!op->num_results) {
        diag_refused(diag, op->span, "inline assembly without a result where there is no GPU");
        return false;
    }
    if (names_an_operand(inline_asm_text(op))) {
        diag_refused(diag, op->span,
                     "inline assembly: a name that begins with '$' and a digit "
                     "where there is no GPU");
        return false;
    }
    Diag inner = {.arena = arena};
    Str text = plain_text(arena, inline_asm_text(op));
    read->program = ptx_read_inline(arena, text, read->at, read->num_registers, &inner);
    if (read->program) return true;
    const DiagEntry *first = &inner.entries.data[0];
    diag_refused(diag, op->span, "inline assembly: %.*s", STR_ARG(first->text));
    return false;
}
