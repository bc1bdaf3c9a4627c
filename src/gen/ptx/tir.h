// SPDX-License-Identifier: Apache-2.0
/* tir: what one thread of the block does, just above PTX. A list of instructions in program order;
 * each names the one value it defines (an index into the list), except variables, which are
 * assigned on the way into a loop or out of an arm. Pure ones are rows of isa.def.
 *
 * Building folds constants, merges equal pure instructions and keeps constants at the end of sums,
 * so that the registers of a tile differ by a constant that becomes part of the address:
 *
 *     (a + 4) + b -> (a + b) + 4        sext(a + 4) -> sext(a) + 4 where no carry can happen
 *
 * Known-zero bits say where none can. Registers: i1 in predicates; i8, i16, i32, f32 and f8 bits in
 * b32 (above the type's bits: anything); f16, bf16 in b16; i64, f64, pointers in b64. */
#ifndef TERN_PTX_TIR_H
#define TERN_PTX_TIR_H

#include "gen/ptx/isa.h"
#include "ir/ir.h"

typedef enum TirKind {
    TIR_NONE,
    TIR_PURE,    /* op: a row of isa.def; args */
    TIR_CONST,   /* imm */
    TIR_VAR,     /* a register assigned by TIR_SET */
    TIR_RESULT,  /* number imm of the results of args[0] */
    TIR_SPECIAL, /* text: "%tid.x" */
    TIR_PARAM,   /* text: name of the parameter's type; imm: which */
    TIR_ADDRESS, /* text: a symbol, imm: its space; its address there (b32) or generic (b64) */
    /* ---- with effects, in order ---- */
    TIR_LOAD,  /* text: "ld.global"; args: address, then defaults under a guard [, policy] */
    TIR_STORE, /* text: "st.global"; args: address, then values [, policy] */
    TIR_COPY, /* text: "cp.async.cg.shared.global", text2: its bytes; args: to, from [, bytes read];
                  imm: constants of the addresses, 32 bits of `to`, then of `from`; guard */
    TIR_ATOM, /* text: "atom.acq_rel.gpu.global.add.u32"; args: address, operands; 0 or 1 result */
    TIR_SHUFFLE, /* text: "shfl.sync.bfly.b32"; args: value, lane or mask; "redux.sync..": value */
    TIR_MMA,     /* text; args: a.., b.., c..; imm: registers of a, b in bytes 0 and 1 */
    TIR_WGMMA,   /* text; args: variables that are added to, in place, a as a descriptor or in imm
                    registers, descriptor b, whether they are added to (else the sum begins at 0);
                    text2: the immediates behind */
    TIR_SET,     /* args: variable, value */
    TIR_LABEL,   /* imm: number */
    TIR_BRANCH,  /* imm: label; guard */
    TIR_PLAIN,   /* text as it is: "bar.sync 0;" */
    TIR_READ,    /* text: "mov.u64"; text2: "%globaltimer": read each time */
    TIR_ASM,     /* the user's text; $n are results, then args */
    TIR_CALL     /* text: function; args: values of its parameters */
} TirKind;

typedef int Tir; /* an instruction's index; 0 is none */

typedef struct TirIns {
    uint8_t kind, class;
    bool live, in_register; /* set by tir_mark; in_register: a constant that needs one */
    bool guard_negated, pinned;
    bool in_braces;            /* one result is printed {r} too */
    bool has_policy;           /* the last argument is the cache's policy */
    uint16_t op;               /* TirOp, of TIR_PURE */
    uint8_t readers;           /* set by tir_mark; 2: or more */
    int num_args, num_results; /* results: the TIR_RESULT after this one */
    Tir *args;
    Tir guard;
    Tir mate; /* set by tir_mark: what it is added to, multiplied by .. as f16 or bf16; 0: none */
    uint64_t imm, zeros; /* zeros: bits known to be 0 */
    const char *text, *text2;
    const char *arg_text; /* TIR_ASM, TIR_CALL: operand letters */
    int reg, file, line, column;
    uint64_t hash;
    Tir next; /* in the bucket */
} TirIns;

/* What was made last, and is placed before another one. */
typedef struct TirMoved {
    Tir where, what;
} TirMoved;

/* Of 64 bits, x / y and x % y, made by both arms of a branch (elementwise.c). */
typedef struct TirDivision {
    Tir x, y, quotient, rest;
    bool is_signed;
    int scope; /* where the log ended */
} TirDivision;

typedef struct Tirs {
    Arena *arena;
    VEC(TirIns) list;
    Tir *buckets; /* of pure instructions, for merging */
    int num_buckets;
    VEC(Tir) log; /* what is in the buckets, oldest first; a scope's end takes its own out */
    VEC(TirDivision) divisions; /* likewise */
    int num_labels;
    Tir loop_start; /* what is made before is not the loop's that is being built; 0: in none */
    int source_file, line, column; /* given to new instructions; files are numbered from 1 */
    bool fold_approximate;         /* tests: also evaluate ex2, rcp.. (as if correctly rounded) */
    const char *file;              /* for .loc; NULL: no line information */
    const Tir *order;              /* set by tir_order: what is printed */
    int order_count;
    VEC(TirMoved) moved; /* by tir_walk, in the order of the places */
    int walked;          /* from here on tir_walk made the list; 0: nothing */
    int alive_at_heads;  /* 32-bit registers from turn to turn of a loop, at most */
} Tirs;

Tirs *tir_new(Arena *arena);

/* ---- pure ---- */
Tir tir_const(Tirs *b, RegClass class, uint64_t bits);
static inline Tir tir_i32(Tirs *b, int64_t value) {
    return tir_const(b, CLASS_B32, (uint32_t)value);
}
static inline Tir tir_i64(Tirs *b, int64_t value) {
    return tir_const(b, CLASS_B64, (uint64_t)value);
}
static inline Tir tir_bool(Tirs *b, bool value) { return tir_const(b, CLASS_PRED, value); }
Tir tir_f32(Tirs *b, float value);
Tir tir_f64(Tirs *b, double value);
Tir tir_1(Tirs *b, TirOp op, Tir x);
Tir tir_2(Tirs *b, TirOp op, Tir x, Tir y);
Tir tir_3(Tirs *b, TirOp op, Tir x, Tir y, Tir z);
Tir tir_select(Tirs *b, Tir condition, Tir x, Tir y); /* any class */
Tir tir_special(Tirs *b, RegClass class, const char *name, uint64_t zeros);
Tir tir_param(Tirs *b, RegClass class, const char *type, int index, uint64_t zeros);
Tir tir_address(Tirs *b, RegClass class, PtxSpace space, const char *symbol);
RegClass tir_class(const Tirs *b, Tir x);
bool tir_is(const Tirs *b, Tir x, TirOp op);
Tir tir_argument(const Tirs *b, Tir x, int index);
bool tir_is_const(const Tirs *b, Tir x, uint64_t *bits);
void tir_know_zeros(Tirs *b, Tir x, uint64_t zeros);
/* The low 32 bits of x, of CLASS_B64, computed in 32 bits as far as possible. */
Tir tir_narrow(Tirs *b, Tir x);
/* address = base + offset with the constant split off. */
Tir tir_split_offset(const Tirs *b, Tir address, int64_t *offset);
/* divide.c: x / c in words of so many bits, rounded towards 0; or 0: it is left as it is. power:
 * c is 2 to it, or -1. is_signed: x may be negative. zeros: bits of x known to be 0. */
Tir tir_quotient(Tirs *b, Tir x, uint64_t c, int power, int bits, bool is_signed, uint64_t zeros);

/* exp_sum.c: x / y, of f32, as div.full has it, where y is a power plus a constant; else 0. */
Tir tir_over_power(Tirs *b, Tir x, Tir y);

/* ---- with effects ---- */
TirIns *tir_ins(Tirs *b, TirKind kind, const char *text, int num_args, const Tir *args, Tir *index);
/* After tir_ins: gives it results; they are first, first + 1 ... */
Tir tir_results(Tirs *b, Tir index, RegClass class, int count);
void tir_plain(Tirs *b, const char *text);
Tir tir_var(Tirs *b, RegClass class);
void tir_set(Tirs *b, Tir variable, Tir value);
int tir_new_label(Tirs *b);
void tir_label(Tirs *b, int label);
void tir_branch(Tirs *b, int label, Tir guard, bool negated); /* guard 0: always */
/* Pure instructions made in a scope are not used after it. */
int tir_enter(Tirs *b);
void tir_leave(Tirs *b, int scope);

/* ---- ends ---- */
void tir_flush_powers(Tirs *b);    /* where nobody sees it; before tir_walk */
void tir_walk(Tirs *b);            /* carries addresses through loops; before tir_mark */
void tir_mark(Tirs *b);            /* finds what is live */
void tir_order(Tirs *b);           /* in which order, after tir_mark */
void tir_print(Tirs *b, Buf *out); /* body of the entry, declarations first */

#endif
