// SPDX-License-Identifier: Apache-2.0
/* read: PTX text -> instructions, for those that execute it (device/sim) and for inline assembly on
 * targets that are no GPU.
 *
 *     read.c     the text: scopes, labels, operands; what is not known is refused by name
 *     declare.c  registers and memory
 *     call.c     functions and the .params of calls
 *     tokens.c   words and numbers
 *     words.c    an instruction's words -> operands
 *     decode.c   one instruction's words -> Ins; isa.def has the lane-by-lane ones, isa.c asks it
 *
 * Registers have places: 32 words side by side for 32 bits (one for each lane of a warp), twice
 * that for 64, so that who executes lane by lane for 32 lanes finds them as it wants them. */
#ifndef TERN_PTX_READ_H
#define TERN_PTX_READ_H

#include "base/diag.h"
#include "gen/ptx/isa.h"

enum {
    LANES = 32,
    MAX_WARPS = 32,     /* of a block */
    SHARED_BASE = 1024, /* a shared address of 0 is nobody's */
    MAX_BARRIERS = 16,
    MOST_CLUSTER = 8, /* blocks that a cluster may have on any GPU that has them */
    ALL_COPIES = -1,  /* that a copy_wait may leave under way: none, committed or not */
};

/* What executes an instruction; before these: the rows of isa.def, lane by lane. */
typedef enum SimOp {
    SIM_SPECIAL = NUM_TIR_OPS, /* mov from a special register: kind */
    SIM_LOAD_PARAM,            /* offset: which; from_offset: in it */
    SIM_PACK8,
    SIM_UNPACK8, /* mov {a, b, c, d}, e */
    SIM_UNPACK16,
    SIM_UNPACK32, /* mov {a, b}, c */
    SIM_LOAD,
    SIM_STORE,
    SIM_ATOMIC,          /* a result: optional */
    SIM_CLUSTER_ADDRESS, /* operands: an address in shared memory, a rank in the cluster */
    SIM_SHUFFLE,
    SIM_VOTE,
    SIM_REDUX,
    SIM_ACTIVE,
    SIM_ELECT, /* results: a lane (may be missing), whether it is this one */
    SIM_LDMATRIX,
    SIM_STMATRIX,
    SIM_MMA,
    SIM_WGMMA, /* results: also what is added to; operands: descriptors, scale-d; number: which of
                  them is transposed, by bits; A in registers: its first, the others at the end */
    SIM_WGMMA_FENCE,
    SIM_WGMMA_COMMIT,
    SIM_WGMMA_WAIT, /* offset groups may be under way */
    SIM_COPY,
    SIM_COPY_COMMIT,
    SIM_COPY_WAIT, /* cp.async; wait: offset groups may be under way, ALL_COPIES: none,
                      committed or not */
    SIM_FENCE,
    SIM_PROXY_FENCE, /* kind 1: of mbarriers' beginnings only */
    SIM_MBARRIER,    /* kind; operands: address, then a count, bytes, a state or a parity */
    SIM_BULK, /* kind 0: of a box; operands: to, map, mbarrier, coordinates; 1: map, prefetched */
    SIM_BULK_STORE, /* of a box; operands: from, map, coordinates */
    SIM_BULK_GROUP, /* kind: BulkGroup; offset groups may be under way */
    SIM_SEND,       /* st.async: operands: to, values, mbarrier; from_offset: of that */
    SIM_PRINT,
    SIM_ASSERT,
    SIM_BRANCH, /* offset: instruction; from here on: what branches or waits */
    SIM_RETURN,
    SIM_TRAP,
    SIM_BARRIER,   /* kind 1: it goes on at once */
    SIM_REGISTERS, /* kind: PtxRegisters; offset: how many a thread is to have */
    SIM_WARP_SYNC,
    SIM_CLUSTER_ARRIVE, /* kind 1: relaxed */
    SIM_CLUSTER_WAIT,
    SIM_END, /* behind the last: nobody may come here */
} SimOp;

/* Who executes an op, for switches that name the others too: `case SIM_ACROSS:` is all of these. */
/* clang-format off */
#define SIM_COPIES SIM_COPY: case SIM_COPY_COMMIT: case SIM_COPY_WAIT: case SIM_PROXY_FENCE: case SIM_MBARRIER: case SIM_BULK: case SIM_BULK_STORE: \
    case SIM_BULK_GROUP: case SIM_SEND
#define SIM_ACROSS \
    SIM_SHUFFLE: case SIM_VOTE: case SIM_REDUX: case SIM_ACTIVE: case SIM_ELECT: case SIM_LDMATRIX: \
    case SIM_STMATRIX: case SIM_MMA: case SIM_WGMMA: case SIM_WGMMA_FENCE: case SIM_WGMMA_COMMIT: case SIM_WGMMA_WAIT
#define SIM_CONTROL \
    SIM_BRANCH: case SIM_RETURN: case SIM_TRAP: case SIM_BARRIER: case SIM_REGISTERS: case SIM_WARP_SYNC: case SIM_CLUSTER: case SIM_END
#define SIM_CLUSTER SIM_CLUSTER_ARRIVE: case SIM_CLUSTER_WAIT
#define SIM_OTHERS \
    SIM_SPECIAL: case SIM_LOAD_PARAM: case SIM_PACK8: case SIM_UNPACK8: case SIM_UNPACK16: case SIM_UNPACK32: case SIM_LOAD: \
    case SIM_STORE: case SIM_ATOMIC: case SIM_FENCE: case SIM_PRINT: case SIM_ASSERT: case SIM_CLUSTER_ADDRESS
/* clang-format on */

typedef enum SimSpecial {
    SPECIAL_TID_X,
    SPECIAL_TID_Y,
    SPECIAL_TID_Z,
    SPECIAL_NTID_X,
    SPECIAL_NTID_Y,
    SPECIAL_NTID_Z,
    SPECIAL_CTAID_X,
    SPECIAL_CTAID_Y,
    SPECIAL_CTAID_Z,
    SPECIAL_NCTAID_X,
    SPECIAL_NCTAID_Y,
    SPECIAL_NCTAID_Z,
    SPECIAL_LANE,
    SPECIAL_WARP,
    SPECIAL_SM,
    SPECIAL_CLOCK,
    SPECIAL_CLOCK64,
    SPECIAL_TIMER,
    SPECIAL_TIMER_LOW,
    SPECIAL_TIMER_HIGH,
    SPECIAL_CLUSTER_RANK, /* from here on: of clusters */
    SPECIAL_CLUSTER_SIZE,
    SPECIAL_CLUSTER_ID,
    SPECIAL_NUM_CLUSTERS,
    NUM_SPECIALS,
} SimSpecial;

typedef enum BulkGroup {
    BULK_COMMIT,
    BULK_WAIT_READ, /* what is stored may be written again */
    BULK_WAIT,      /* .. and it is in memory */
} BulkGroup;

typedef enum SimMbarrier {
    MBARRIER_INIT,
    MBARRIER_INVAL,
    MBARRIER_ARRIVE, /* a result: the state before; an operand: how often; number 1: bytes */
    MBARRIER_BYTES,  /* that are to come before the phase ends */
    MBARRIER_WAIT,   /* count 1: it may give up; number 1: of a parity, 0: of a state;
                        acquires: at the scope of the cluster */
    MBARRIER_COPIES, /* number 1: the arrival is one of those counted */
} SimMbarrier;

typedef enum SimMma {
    MMA_F16_K8,
    MMA_F16_K16,
    MMA_BF16_K16,
    MMA_TF32_K8,
    MMA_S8_K32,
    MMA_S8_K16,
    MMA_U8_K16,
    MMA_F64_K4,
    MMA_E4M3_K32, /* these by wgmma only */
    MMA_E5M2_K32,
} SimMma;

/* Operands: 32 and 64-bit registers by their place in units of 32 words, predicates by number; -1 -
 * n: the n-th place of the constants; NO_OPERAND. */
enum { NO_OPERAND = INT32_MIN };

typedef struct Ins {
    uint16_t op;
    uint8_t class, kind, number; /* kind: SimSpecial, PtxAtomic .. */
    uint8_t space, bytes,
        count;    /* of a memory access: bytes of an element, elements of the vector */
    bool negated; /* the guard */
    bool is_volatile, acquires, releases, sign_extends, wide_address;
    bool uses_loaded;           /* reads what a load from global memory gave */
    uint8_t predicate_operands; /* by bits */
    uint8_t num_results, num_operands;
    int32_t guard;
    const int32_t *results, *operands; /* of memory: address first */
    int64_t offset, from_offset;       /* from_offset: of a copy's source, its second operand */
    int32_t line;                      /* of the PTX text */
    int16_t file;                      /* from .loc; 0: not known */
    int32_t source_line, source_column;
} Ins;

/* The row of isa.def that it is; NULL: none, but one of SimOp. */
static inline const PtxRow *ins_row(const Ins *ins) {
    return ins->op < NUM_TIR_OPS ? &ptx_rows[ins->op] : NULL;
}

typedef struct SimSymbol {
    Str name;
    PtxSpace space;
    uint64_t address; /* shared: from SHARED_BASE; local: from 0; global: of the host */
    uint64_t size;
    bool is_writable; /* of global memory */
    int scope;        /* that it is declared in, while the text is read; 0: the module */
} SimSymbol;

#define PTX_GRID_WORKSPACE "%envreg" /* a symbol, where the text asks for it */

typedef struct SimParam {
    Str name;
    int bytes;
    int align;
    bool is_array; /* of bytes: a struct */
} SimParam;

/* Where a parameter is in their space. */
static inline uint64_t param_address(int index) { return (uint64_t)(index + 1) << 16; }
static inline bool param_is_map(const SimParam *param) { /* it may be a tensor map */
    return param->is_array && param->bytes == 128 && param->align % 64 == 0;
}

typedef struct PtxProgram {
    Arena *arena;
    const struct CompiledKernel *kernel; /* the executor's; NULL in tests of bare PTX */
    const char *where;                   /* for refusals: "on device 'sim'" */
    bool is_inline;                      /* no entry, and nothing that only a GPU has */
    Source *text;
    Str name;
    VEC(Ins) code;
    VEC(SimParam) params;
    VEC(SimSymbol) symbols;
    VEC(Str) files; /* by .file's number - 1 */
    VEC(uint32_t) constants;
    Map known_constants, known_mnemonics; /* while decoding */
    int num_places, num_predicates;       /* places: 32 words each */
    uint32_t threads[3];
    int most_threads; /* that .maxntid allows; 0: it does not stand there */
    int shared_bytes, local_bytes;
    int smallest_shared,
        smallest_global; /* bytes of the narrowest access: what races are checked by */
    bool synchronizes;   /* has an atomic that acquires or releases, or a fence */
    bool has_fences;
    bool has_wgmma, has_bulk;
    bool has_clusters;                /* something of them */
    int cluster;                      /* blocks, along x; 0: it does not stand there */
    bool is_explicit;                 /* .explicitcluster */
    int most_registers, least_blocks; /* .maxnreg, .minnctapersm; 0: it does not stand there */
    bool joins_returns; /* NVIDIA's compiler made it: each `return` is a jump to the last `ret` */
    int sm;             /* of .target: 90 */
    bool is_special;    /* sm_90a */
    int version;        /* of PTX, times 10 */
} PtxProgram;

/* dynamic_shared: bytes of `.extern .shared`. NULL after diag_error or diag_refused. */
PtxProgram *ptx_read(Arena *arena, Str text, int dynamic_shared, Diag *diag);

/* A register of inline assembly, by its number: $0 .. */
typedef struct PtxGiven {
    RegClass class; /* CLASS_NONE: the number `bits` stands for it */
    uint64_t bits;
    int32_t place; /* ptx_read_inline says it */
} PtxGiven;

/* Inline assembly by itself, as what one lane can execute without a GPU; ends in SIM_END. */
PtxProgram *ptx_read_inline(Arena *arena, Str text, PtxGiven *given, int count, Diag *diag);

/* ---- one instruction ---- */

typedef enum WordKind {
    WORD_REGISTER,
    WORD_PREDICATE,
    WORD_NUMBER,
    WORD_SPECIAL,
    WORD_SYMBOL,
    WORD_NAME
} WordKind;

typedef struct Word { /* one operand as written */
    WordKind kind;
    RegClass class;   /* of a register */
    PtxKind declared; /* .b32, .u32, .f32 */
    int32_t place;
    uint64_t bits;   /* of a number, as an integer of 64 bits; of a symbol: its address */
    char float_kind; /* of a number: 'f', 'd' (bits as they are), '.' (decimal, of a double) or 0 */
    bool negated;    /* !%p */
    int group;       /* which {..} it stands in, from 1; 0: none */
    bool before_bar; /* r|p */
    bool in_brackets;   /* an address */
    bool is_coordinate; /* behind a map's address, in its brackets */
    int64_t offset;     /* [a+4] */
    PtxSpace space;     /* of a symbol */
    Str text;
} Word;

enum { A_WORDS = 4 };      /* of A of wgmma in registers */
enum { MOST_WORDS = 137 }; /* wgmma m64n256: 128 accumulators, A in registers and 5 more */

typedef struct Statement {
    Str mnemonic;
    Word words[MOST_WORDS];
    int num_words;
    Span span;
    Diag *diag;
    PtxProgram *program;
    Arena *arena;
} Statement;

/* declare.c: of %envreg1 and 2; of a tensor map, else 0; the entry's name, or a parameter's. */
uint64_t ptx_grid_workspace(Statement *s);
uint64_t ptx_address_of_map(const PtxProgram *p, const Word *word);
bool ptx_is_of_entry(const PtxProgram *p, const Word *word);

/* ---- words.c: operands as written -> operands; false after a diagnostic ---- */
bool statement_refuse(Statement *s, const char *what); /* false: it is not supported */
bool word_mismatch(Statement *s, const Word *word);    /* false: it does not fit there */
int32_t constant_place(Statement *s, uint64_t bits, bool wide);
int32_t *operand_places(Statement *s, int count);
bool word_source(Statement *s, const Word *word, PtxType type, int32_t *operand);
bool word_symbol(Statement *s, const Word *word, PtxType type, int32_t *operand);
bool word_result(Statement *s, const Word *word, PtxType type, int32_t *place);
bool words_counted(Statement *s, int want);
/* The words from `first` are in braces of their own, if there are braces; then of `count` words. */
bool words_grouped(Statement *s, int first, int count, bool braces);
/* Sizes of the operands in order: '1' plain, '{' and a digit: so many in braces. */
bool words_grouped_as(Statement *s, const char *sizes);
bool words_plain(Statement *s); /* without braces */
/* All operands of an instruction by their types, results first. */
bool operands_take_types(Statement *s, Ins *ins, const PtxType *types, int count, int num_results);
/* The same by letters, a result in upper case: p, h 16 bits, r 32, u an int of 32, l 64. */
bool operands_take(Statement *s, Ins *ins, const char *letters);

/* ---- decode.c ---- */

bool ptx_decode(Statement *s, Ins *ins); /* false after a refusal */

#endif
