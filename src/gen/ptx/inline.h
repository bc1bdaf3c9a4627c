// SPDX-License-Identifier: Apache-2.0
/* inline: an inline_asm op, read: which registers its constraints name, and, for targets that are
 * no GPU, the instructions of its text. */
#ifndef TERN_PTX_INLINE_H
#define TERN_PTX_INLINE_H

#include "gen/ptx/read.h"
#include "ir/ir.h"

typedef struct AsmOperand {
    const Value *value;
    const Type *lane;
    char letter;          /* r l h f d; n: a number in the text */
    int first, registers; /* of one run of the text: the number of the first, how many */
    int each;             /* lanes in a register */
} AsmOperand;

typedef struct InlineAsm {
    AsmOperand *operands; /* results first */
    int num_results, num_operands /* with the results */, num_registers;
    int pack;     /* lanes that one run of the text computes */
    PtxGiven *at; /* by register; places only after asm_read */
    PtxProgram *program;
} InlineAsm;

RegClass asm_class(char letter);
/* The constraints alone; false after a refusal. */
bool asm_read_constraints(Arena *arena, const Op *op, InlineAsm *read, Diag *diag);
/* Constraints and text. */
bool asm_read(Arena *arena, const Op *op, InlineAsm *read, Diag *diag);

#endif
