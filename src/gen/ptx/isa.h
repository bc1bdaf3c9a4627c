// SPDX-License-Identifier: Apache-2.0
/* isa: PTX as one table (isa.def), for those that print it, fold it, read it and execute it. */
#ifndef TERN_PTX_ISA_H
#define TERN_PTX_ISA_H

#include "gen/ptx/number.h"

typedef enum RegClass { CLASS_PRED, CLASS_B16, CLASS_B32, CLASS_B64, CLASS_NONE } RegClass;

typedef enum PtxClass { /* of instructions, for the simulator's counters */
                        CLASS_INTEGER,
                        CLASS_FLOAT32,
                        CLASS_FLOAT64,
                        CLASS_FLOAT16,
                        CLASS_SPECIAL,
                        CLASS_CONVERT,
                        CLASS_MOVE,
                        CLASS_COMPARE,
                        CLASS_MEMORY,
                        CLASS_ACROSS,
                        CLASS_MMA,
                        CLASS_CONTROL,
                        NUM_CLASSES,
} PtxClass;

/* Generic addresses of what is not global memory, as the simulator has them; far from any address
 * of the host's. */
#define SHARED_WINDOW 0x7e00000000000000ull
#define LOCAL_WINDOW  0x7d00000000000000ull
#define PARAM_WINDOW  0x7c00000000000000ull /* of the kernel's parameters */
#define WINDOW_MASK   0xff00000000000000ull

/* TYPE(name, its C type in a meaning, class of register, what else than bits it may be) */
#define PTX_TYPES(TYPE)                                                                            \
    TYPE(none, int, NONE, BITS)                                                                    \
    TYPE(pred, bool, PRED, BITS)                                                                   \
    TYPE(u8, uint8_t, B16, BYTE)                                                                   \
    TYPE(s8, int8_t, B16, BYTE)                                                                    \
    TYPE(b16, uint16_t, B16, BITS)                                                                 \
    TYPE(u16, uint16_t, B16, INT)                                                                  \
    TYPE(s16, int16_t, B16, INT)                                                                   \
    TYPE(f16, uint16_t, B16, FLOAT)                                                                \
    TYPE(bf16, uint16_t, B16, OTHER)                                                               \
    TYPE(pair16, uint16_t, B16, OTHER)                                                             \
    TYPE(b32, uint32_t, B32, BITS)                                                                 \
    TYPE(u32, uint32_t, B32, INT)                                                                  \
    TYPE(s32, int32_t, B32, INT)                                                                   \
    TYPE(f32, float, B32, FLOAT)                                                                   \
    TYPE(bits32, uint32_t, B32, FLOAT)                                                             \
    TYPE(tf32, uint32_t, B32, OTHER)                                                               \
    TYPE(pair32, uint32_t, B32, OTHER)                                                             \
    TYPE(b64, uint64_t, B64, BITS)                                                                 \
    TYPE(u64, uint64_t, B64, INT)                                                                  \
    TYPE(s64, int64_t, B64, INT)                                                                   \
    TYPE(pair64, uint64_t, B64, OTHER)                                                             \
    TYPE(f64, double, B64, FLOAT)

#define TYPE(name, c, class, kind) typedef c C_##name;
PTX_TYPES(TYPE)
#undef TYPE

typedef enum PtxType {
#define TYPE(name, c, class, kind) PTX_##name,
    PTX_TYPES(TYPE)
#undef TYPE
} PtxType;

/* A register or number of one kind is no operand of another; bits are all but bytes, which lie in
 * registers of 16. */
typedef enum PtxKind { PTX_BITS, PTX_INT, PTX_FLOAT, PTX_OTHER, PTX_BYTE } PtxKind;

typedef enum PtxFold {
    FOLD_NONE,
    FOLD_ADD,
    FOLD_SUB,
    FOLD_MUL,
    FOLD_MULHI,
    FOLD_MULWIDE,
    FOLD_AND,
    FOLD_OR,
    FOLD_XOR,
    FOLD_NOT,
    FOLD_SHL,
    FOLD_SHR,
    FOLD_DIV, /* not by 0, nor where it overflows: PTX does not say what that gives */
    FOLD_REM,
    FOLD_EXTREME, /* min, max */
    FOLD_LESS,
    FOLD_ORDER, /* <, <=, >, >= of 64 bits */
    FOLD_COMPARE, /* f32 */
    FOLD_SELECT,
    FOLD_SEXT,
    FOLD_ZEXT,
    FOLD_LOW32,
    FOLD_LOW16,
    FOLD_WIDE16,
    FOLD_BFE,
    FOLD_PACK /* mov d, {a, b} */
} PtxFold;

typedef struct PtxRow {
    const char *name, *text; /* mnemonics */
    uint8_t types[5];        /* PtxType: of the result, of a, b, c, d */
    uint8_t num_operands, class, fold;
    int least_sm;
} PtxRow;

typedef enum TirOp { /* its values are places in ptx_rows */
#define PTX_LANE(name, text, d, a, b, c, class, sm, fold, meaning) TIR_##name,
#define PTX_LANE4(name, text, r, a, b, c, d, class, sm, meaning)   TIR_##name,
#include "gen/ptx/isa.def"
                     NUM_TIR_OPS
} TirOp;

extern const PtxRow ptx_rows[NUM_TIR_OPS];

/* ---- forms ---- */

typedef enum PtxSpace {
    SPACE_GENERIC,
    SPACE_GLOBAL,
    SPACE_SHARED,
    SPACE_LOCAL,
    SPACE_CLUSTER, /* shared memory of a block of the cluster */
    SPACE_PARAM, /* of the kernel: bulk copies read tensor maps there */
} PtxSpace;
typedef enum PtxOrder {
    ORDER_NONE,
    ORDER_VOLATILE,
    ORDER_ACQUIRE,
    ORDER_RELEASE,
    ORDER_BOTH
} PtxOrder;
typedef enum PtxShuffle { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_XOR, SHUFFLE_INDEX } PtxShuffle;
typedef enum PtxRegisters { REGISTERS_MORE, REGISTERS_FEWER } PtxRegisters;
typedef enum PtxVote { VOTE_ALL, VOTE_ANY, VOTE_UNIFORM, VOTE_BALLOT } PtxVote;

/* The type of what is in memory: bytes of an element, and what it is. */
#define PTX_MEMORY(bytes, number) ((bytes) << 4 | (number))

typedef enum PtxField {
    FIELD_none,
    FIELD_space,
    FIELD_order,
    FIELD_count,
    FIELD_type,
    FIELD_kind,
    NUM_PTX_FIELDS
} PtxField;

typedef enum PtxForm {
#define PTX_FORM(name, forms, class, sm) INS_##name,
#include "gen/ptx/isa.def"
    NUM_PTX_FORMS
} PtxForm;

typedef struct PtxMatch {
    PtxForm form;
    PtxClass class;
    int least_sm;
    uint8_t values[NUM_PTX_FIELDS];
} PtxMatch;

/* False: the mnemonic is of no form. */
bool ptx_match(Str mnemonic, PtxMatch *match);

RegClass ptx_type_class(PtxType type);
PtxKind ptx_type_kind(PtxType type);
/* What a register or number is, and what an operand is to be. */
bool ptx_kinds_agree(PtxKind one, PtxKind other);
/* selp.f32 and selp.b32 are one row, but what they take is not the same. */
PtxType ptx_type_in(Str mnemonic, PtxType type);
PtxType ptx_type_of(RegClass class, PtxNumber number);
const char *ptx_type_c(PtxType type); /* what a meaning takes it as */
enum { MOST_LANE_OPERANDS = 4 };
/* The meaning, of operands as they lie in registers. */
uint64_t ptx_meaning(TirOp op, const uint64_t args[MOST_LANE_OPERANDS]);
/* False: PTX does not say what it is. */
bool ptx_eval(TirOp op, const uint64_t args[MOST_LANE_OPERANDS], uint64_t *result);
/* A row's meaning as C text over a, b, c, d, and the names of its types. */
typedef struct PtxMeaning {
    const char *types[1 + MOST_LANE_OPERANDS], *text;
} PtxMeaning;
PtxMeaning ptx_meaning_text(TirOp op);

#endif
