// SPDX-License-Identifier: Apache-2.0
/* The interpreter's fast loops say what eval_lane says, bit for bit, on values that are easy to get
 * wrong: all pairs of signed zeros, denormals, infinities, NaNs, the ends of the integer ranges. */
#include "device/interp/interp.h"
#include "test.h"

static const uint64_t ints[] = {
    0,
    1,
    2,
    3,
    31,
    32,
    33,
    63,
    64,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    0x7fffffff,
    0x80000000u,
    0xffffffffu,
    0x100000000u,
    0x7fffffffffffffffu,
    0x8000000000000000u,
    0xffffffffffffffffu,
    123456789,
    0xfffffffffffffff0u,
    0x3f800000,
    0xbf800000u,
    0x3ff0000000000000u,
};
static const uint32_t floats[] = {
    0,          0x80000000u, 1,          0x80000001u, 0x007fffff, 0x00800000,
    0x3f800000, 0xbf800000u, 0x3f800001, 0x40490fdb,  0x7f7fffff, 0xff7fffffu,
    0x7f800000, 0xff800000u, 0x7fc00000, 0xffc00000u, 0x7f800001, 0x4b000001,
    0x4f000000, 0xcf000000u, 0x33800000, 0x3effffff,
};

static uint64_t sample(const Type *lane, int i) {
    if (lane->kind == TYPE_F32) return floats[i % COUNT(floats)];
    uint64_t bits = ints[i % COUNT(ints)];
    int width = type_bits(lane);
    return width == 64 ? bits : bits & (((uint64_t)1 << width) - 1);
}

static int compared;

/* `attr` is the predicate or flag of the op. */
static void compare(OpKind kind, const Type *lane, const Type *result_lane, int operands,
                    int64_t attr) {
    enum { SIDE = 27, COUNT_LANES = SIDE * SIDE };
    CompiledKernel kernel = {0};
    bool offsets[4] = {false};
    Loaded loaded = {.kernel = &kernel, .offsets = offsets};
    Launch launch = {.loaded = &loaded};
    Lanes *slots[4] = {0};
    Program p = {.launch = &launch, .slots = slots};
    Value values[4], *pointers[3] = {&values[0], &values[1], &values[2]};
    for (int i = 0; i < 4; i++) values[i] = (Value){.type = i == 3 ? result_lane : lane, .id = i};
    Op op = {.kind = kind,
             .num_operands = operands,
             .operands = pointers,
             .num_results = 1,
             .results = &values[3]};
    op.attrs[0].i = attr;
    for (int i = 0; i < operands; i++) {
        slots[i] = lanes_new(&p, COUNT_LANES, type_size_bytes(lane));
        for (int k = 0; k < COUNT_LANES; k++)
            lane_set(slots[i], k, sample(lane, i == 0 ? k / SIDE : k % SIDE));
    }
    bool ok = exec_lanes(&p, &op);
    CHECK(ok);
    for (int k = 0; ok && k < COUNT_LANES; k++) {
        uint64_t in[3] = {0}, want = 0;
        for (int i = 0; i < operands; i++) in[i] = lane_get(slots[i], k);
        if (!eval_lane(&op, in, &want)) BUG("no meaning");
        if (lane_get(slots[3], k) != want) {
            CHECK(lane_get(slots[3], k) == want);
            printf("  %s(%llx, %llx): %llx, want %llx\n", op_info(kind)->name,
                   (unsigned long long)in[0], (unsigned long long)in[1],
                   (unsigned long long)lane_get(slots[3], k), (unsigned long long)want);
            break;
        }
        compared++;
    }
    for (int i = 0; i < 4; i++) free(slots[i]);
}

TEST(integers) {
    static const OpKind kinds[] = {OP_ADD,   OP_SUB,   OP_MUL,   OP_DIV_S, OP_DIV_U, OP_REM_S,
                                   OP_REM_U, OP_AND,   OP_OR,    OP_XOR,   OP_SHL,   OP_SHR_S,
                                   OP_SHR_U, OP_MIN_S, OP_MAX_S, OP_MIN_U, OP_MAX_U};
    static const TypeKind types[] = {TYPE_I1, TYPE_I8, TYPE_I16, TYPE_I32, TYPE_I64};
    for (int i = 0; i < COUNT(kinds); i++)
        for (int k = 0; k < COUNT(types); k++)
            compare(kinds[i], type_scalar(types[k]), type_scalar(types[k]), 2, 0);
    for (int predicate = ICMP_EQ; predicate <= ICMP_UGE; predicate++)
        for (int k = 0; k < COUNT(types); k++)
            compare(OP_ICMP, type_scalar(types[k]), type_scalar(TYPE_I1), 2, predicate);
    CHECK(compared >= 729 * 100);
}

TEST(floats) {
    const Type *f32 = type_scalar(TYPE_F32);
    static const OpKind twos[] = {OP_FADD, OP_FSUB, OP_FMUL, OP_FDIV, OP_FMIN, OP_FMAX, OP_FREM};
    static const OpKind ones[] = {OP_FNEG, OP_FABS, OP_SQRT, OP_FLOOR, OP_CEIL, OP_ROUND_EVEN};
    for (int i = 0; i < COUNT(twos); i++) compare(twos[i], f32, f32, 2, 0);
    for (int i = 0; i < COUNT(ones); i++) compare(ones[i], f32, f32, 1, 0);
    for (int predicate = FCMP_OEQ; predicate <= FCMP_OGE; predicate++)
        compare(OP_FCMP, f32, type_scalar(TYPE_I1), 2, predicate);
}

TEST(casts) {
    compare(OP_EXT_S, type_scalar(TYPE_I32), type_scalar(TYPE_I64), 1, 0);
    compare(OP_EXT_U, type_scalar(TYPE_I32), type_scalar(TYPE_I64), 1, 0);
    compare(OP_TRUNC, type_scalar(TYPE_I64), type_scalar(TYPE_I32), 1, 0);
    compare(OP_TRUNC, type_scalar(TYPE_I64), type_scalar(TYPE_I1), 1, 0);
    compare(OP_S_TO_F, type_scalar(TYPE_I32), type_scalar(TYPE_F32), 1, 0);
    compare(OP_S_TO_F, type_scalar(TYPE_I64), type_scalar(TYPE_F32), 1, 0);
    compare(OP_FEXT, type_scalar(TYPE_BF16), type_scalar(TYPE_F32), 1, 0);
    compare(OP_FTRUNC, type_scalar(TYPE_F32), type_scalar(TYPE_BF16), 1, 0);
}

TEST_MAIN()
