// SPDX-License-Identifier: Apache-2.0
/* eval_lane against references: for integers the C types of each width, for floats the machine's
 * float, and for all the promises that ops.def makes in words. */
#include "ir/ir.h"
#include "test.h"

static uint64_t state = 99;
static uint64_t random_bits(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}

/* Small numbers and the ends of the ranges are more telling than random ones. */
static uint64_t telling_bits(void) {
    static const uint64_t ends[] = {0,
                                    1,
                                    2,
                                    3,
                                    7,
                                    31,
                                    32,
                                    63,
                                    64,
                                    ~0ull,
                                    ~1ull,
                                    1ull << 31,
                                    1ull << 63,
                                    0x7f,
                                    0x80,
                                    0x7fff,
                                    0x8000,
                                    0x7fffffff,
                                    0x7fffffffffffffff};
    uint64_t bits = random_bits();
    return bits & 1 ? bits >> 1 : ends[(bits >> 8) % COUNT(ends)];
}

typedef struct Lab {
    Arena *arena;
    Func *fn;
    Builder b;
} Lab;

static Lab lab_new(void) {
    Lab lab = {.arena = arena_new(NULL)};
    lab.fn = func_new(lab.arena, types_new(lab.arena), STR("lab"));
    lab.b = (Builder){.fn = lab.fn, .region = lab.fn->body};
    return lab;
}

static Op *op_of(Lab *lab, OpKind kind, TypeKind type, TypeKind result) {
    const OpInfo *info = op_info(kind);
    Value *operands[3];
    const Type *types[1] = {type_scalar(result)};
    for (int i = 0; i < info->least_operands; i++)
        operands[i] = build_constant_bits(&lab->b, type_scalar(type), 0);
    return build_op(&lab->b, kind, info->least_operands, operands, 1, types, 0, NULL);
}

static uint64_t eval(const Op *op, uint64_t a, uint64_t b, uint64_t c) {
    uint64_t in[3] = {a, b, c}, out = 0xdeadbeef;
    CHECK(eval_lane(op, in, &out));
    return out;
}

/* Of the ops that C or a loop over bits says otherwise than ops.def; *has is false for the others.
 */
#define INTEGER_REFERENCE(NAME, S, U, BITS)                                                        \
    static uint64_t NAME(OpKind kind, uint64_t x, uint64_t y, bool *has) {                         \
        U a = (U)x, b = (U)y;                                                                      \
        S sa = (S)a, sb = (S)b;                                                                    \
        bool is_least = a == (U)((U)1 << (BITS - 1)) && sb == -1;                                  \
        switch ((int)kind) {                                                                       \
        case OP_ADD: return (U)(a + b);                                                            \
        case OP_SUB: return (U)(a - b);                                                            \
        case OP_MUL: return (U)((uint64_t)a * (uint64_t)b);                                        \
        case OP_DIV_S: return b == 0 ? 0 : is_least ? a : (U)(sa / sb);                            \
        case OP_DIV_U: return b == 0 ? 0 : (U)(a / b);                                             \
        case OP_REM_S: return b == 0 || is_least ? 0 : (U)(sa % sb);                               \
        case OP_REM_U: return b == 0 ? 0 : (U)(a % b);                                             \
        case OP_AND: return (U)(a & b);                                                            \
        case OP_OR: return (U)(a | b);                                                             \
        case OP_XOR: return (U)(a ^ b);                                                            \
        case OP_SHL: return b >= BITS ? 0 : (U)((uint64_t)a << b);                                 \
        case OP_SHR_S: return (U)(b >= BITS ? (sa < 0 ? -1 : 0) : sa >> b);                        \
        case OP_SHR_U: return b >= BITS ? 0 : (U)(a >> b);                                         \
        case OP_MIN_S: return (U)(sa < sb ? sa : sb);                                              \
        case OP_MAX_S: return (U)(sa < sb ? sb : sa);                                              \
        case OP_MIN_U: return a < b ? a : b;                                                       \
        case OP_MAX_U: return a < b ? b : a;                                                       \
        case OP_POPCOUNT: {                                                                        \
            uint64_t ones = 0;                                                                     \
            for (int i = 0; i < BITS; i++) ones += a >> i & 1;                                     \
            return ones;                                                                           \
        }                                                                                          \
        case OP_CLZ: {                                                                             \
            uint64_t zeros = 0;                                                                    \
            for (int i = BITS - 1; i >= 0 && !(a >> i & 1); i--) zeros++;                          \
            return zeros;                                                                          \
        }                                                                                          \
        }                                                                                          \
        *has = false;                                                                              \
        return 0;                                                                                  \
    }
INTEGER_REFERENCE(reference_8, int8_t, uint8_t, 8)
INTEGER_REFERENCE(reference_16, int16_t, uint16_t, 16)
INTEGER_REFERENCE(reference_32, int32_t, uint32_t, 32)
INTEGER_REFERENCE(reference_64, int64_t, uint64_t, 64)

TEST(integers_compute_as_C_does) {
    Lab lab = lab_new();
    static const TypeKind types[] = {TYPE_I8, TYPE_I16, TYPE_I32, TYPE_I64};
    uint64_t (*const references[])(OpKind, uint64_t, uint64_t, bool *) = {
        reference_8, reference_16, reference_32, reference_64};
    int num_compared = 0;
    for (int kind = 0; kind < NUM_OP_KINDS; kind++) {
        TypeRule rule = op_info((OpKind)kind)->rule;
        if (rule != RULE_INT1 && rule != RULE_INT2) continue;
        for (int t = 0; t < COUNT(types); t++) {
            Op *op = op_of(&lab, (OpKind)kind, types[t], types[t]);
            uint64_t mask = UINT64_MAX >> (64 - type_bits(type_scalar(types[t])));
            int wrong = 0;
            bool has = true;
            for (int n = 0; n < 3000 && has; n++) {
                uint64_t a = telling_bits() & mask, b = telling_bits() & mask;
                uint64_t want = references[t]((OpKind)kind, a, b, &has);
                wrong += has && eval(op, a, b, 0) != want;
            }
            num_compared += has;
            if (wrong)
                printf("%s on %d bits\n", op_info((OpKind)kind)->name,
                       type_bits(type_scalar(types[t])));
            CHECK(wrong == 0);
        }
    }
    CHECK(num_compared == 19 * COUNT(types));
    arena_free(lab.arena);
}

TEST(the_high_half_of_a_product) {
    Lab lab = lab_new();
    Op *narrow = op_of(&lab, OP_MULHI_U, TYPE_I32, TYPE_I32),
       *wide = op_of(&lab, OP_MULHI_U, TYPE_I64, TYPE_I64);
    for (int n = 0; n < 3000; n++) {
        uint64_t a = telling_bits(), b = telling_bits();
        uint32_t a32 = (uint32_t)a, b32 = (uint32_t)b;
        CHECK(eval(narrow, a32, b32, 0) == (uint64_t)a32 * b32 >> 32);
        /* Long multiplication by halves. */
        uint64_t low = (a & 0xffffffff) * (b & 0xffffffff), m1 = (a >> 32) * (b & 0xffffffff);
        uint64_t m2 = (a & 0xffffffff) * (b >> 32),
                 carry = ((low >> 32) + (m1 & 0xffffffff) + (m2 & 0xffffffff)) >> 32;
        CHECK(eval(wide, a, b, 0) == (a >> 32) * (b >> 32) + (m1 >> 32) + (m2 >> 32) + carry);
    }
    arena_free(lab.arena);
}

static float as_float(uint64_t bits) {
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

static uint64_t of_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return isnan(value) ? 0x7fc00000 : bits;
}

static uint64_t telling_float(void) {
    static const float ends[] = {0.0f,   -0.0f, 1.0f,     -1.5f,     2.5f, 3.5f,
                                 1e-45f, 3e38f, INFINITY, -INFINITY, NAN,  0.5f};
    uint64_t bits = random_bits();
    return bits & 1 ? bits >> 32 : of_float(ends[(bits >> 8) % COUNT(ends)]);
}

TEST(f32_computes_as_the_machine_does) {
    Lab lab = lab_new();
    static const OpKind kinds[] = {OP_FADD,  OP_FSUB, OP_FMUL,    OP_FDIV,       OP_FREM, OP_FMA,
                                   OP_FLOOR, OP_CEIL, OP_TRUNC_F, OP_ROUND_EVEN, OP_SQRT};
    for (int k = 0; k < COUNT(kinds); k++) {
        Op *op = op_of(&lab, kinds[k], TYPE_F32, TYPE_F32);
        int wrong = 0;
        for (int n = 0; n < 5000; n++) {
            uint64_t x = telling_float(), y = telling_float(), z = telling_float();
            float a = as_float(x), b = as_float(y), c = as_float(z);
            float want = 0;
            switch ((int)kinds[k]) {
            case OP_FADD: want = a + b; break;
            case OP_FSUB: want = a - b; break;
            case OP_FMUL: want = a * b; break;
            case OP_FDIV: want = a / b; break;
            case OP_FREM: want = fmodf(a, b); break;
            case OP_FMA: want = fmaf(a, b, c); break;
            case OP_FLOOR: want = floorf(a); break;
            case OP_CEIL: want = ceilf(a); break;
            case OP_TRUNC_F: want = truncf(a); break;
            case OP_ROUND_EVEN: want = rintf(a); break;
            case OP_SQRT: want = sqrtf(a); break;
            }
            wrong += eval(op, x, y, z) != of_float(want);
        }
        if (wrong) printf("%s\n", op_info(kinds[k])->name);
        CHECK(wrong == 0);
    }
    arena_free(lab.arena);
}

/* libm's long double functions, rounded to float, are an independent reference to within one ulp of
 * the correctly rounded result; ours must be that result but for ties a double cannot tell. */
TEST(math_on_f32_is_rounded_from_more) {
    Lab lab = lab_new();
    static const OpKind kinds[] = {OP_EXP, OP_EXP2, OP_LOG, OP_LOG2, OP_SIN,
                                   OP_COS, OP_TANH, OP_ERF, OP_RSQRT};
    long double (*const references[])(long double) = {expl, exp2l, logl, log2l, sinl,
                                                      cosl, tanhl, erfl, NULL};
    for (int k = 0; k < COUNT(kinds); k++) {
        Op *op = op_of(&lab, kinds[k], TYPE_F32, TYPE_F32);
        int wrong = 0;
        for (int n = 0; n < 5000; n++) {
            uint64_t x = telling_float();
            long double a = as_float(x);
            long double want = references[k] ? references[k](a) : 1 / sqrtl(a);
            wrong += eval(op, x, 0, 0) != of_float((float)want);
        }
        CHECK(wrong <= 1);
    }
    arena_free(lab.arena);
}

TEST(least_and_largest_with_nan) {
    Lab lab = lab_new();
    Op *least = op_of(&lab, OP_FMIN, TYPE_F32, TYPE_F32),
       *largest = op_of(&lab, OP_FMAX, TYPE_F32, TYPE_F32);
    uint64_t one = of_float(1), two = of_float(2), nan = of_float(NAN), minus = of_float(-0.0f);
    CHECK(eval(least, one, two, 0) == one && eval(largest, one, two, 0) == two);
    CHECK(eval(least, nan, two, 0) == two && eval(largest, one, nan, 0) == one);
    CHECK(eval(least, 0, minus, 0) == minus && eval(least, minus, 0, 0) == minus);
    CHECK(eval(largest, 0, minus, 0) == 0 && eval(largest, minus, 0, 0) == 0);
    CHECK(eval(least, nan, nan, 0) == nan);
    least->attrs[0].i = largest->attrs[0].i = 1;
    CHECK(eval(least, nan, two, 0) == nan && eval(largest, one, nan, 0) == nan &&
          eval(least, one, two, 0) == one);
    arena_free(lab.arena);
}

TEST(comparisons) {
    Lab lab = lab_new();
    Op *op = op_of(&lab, OP_ICMP, TYPE_I32, TYPE_I1),
       *fop = op_of(&lab, OP_FCMP, TYPE_F32, TYPE_I1);
    for (int n = 0; n < 2000; n++) {
        uint32_t a = (uint32_t)telling_bits(), b = (uint32_t)telling_bits();
        int32_t sa = (int32_t)a, sb = (int32_t)b;
        bool want[] = {a == b, a != b, sa<sb, sa <= sb, sa> sb, sa >= sb, a<b, a <= b, a> b,
                       a >= b};
        for (int p = 0; p < COUNT(want); p++)
            op->attrs[0].i = p, CHECK(eval(op, a, b, 0) == want[p]);
        float x = as_float(telling_float()), y = as_float(telling_float());
        bool fwant[] = {x == y, x != y, x<y, x <= y, x> y, x >= y};
        for (int p = 0; p < COUNT(fwant); p++)
            fop->attrs[0].i = p, CHECK(eval(fop, of_float(x), of_float(y), 0) == fwant[p]);
    }
    arena_free(lab.arena);
}

TEST(casts) {
    Lab lab = lab_new();
    Op *op = op_of(&lab, OP_EXT_S, TYPE_I8, TYPE_I32);
    CHECK(eval(op, 0x80, 0, 0) == 0xffffff80);
    CHECK(eval(op_of(&lab, OP_EXT_S, TYPE_I1, TYPE_I8), 1, 0, 0) == 0xff);
    CHECK(eval(op_of(&lab, OP_EXT_U, TYPE_I8, TYPE_I64), 0x80, 0, 0) == 0x80);
    CHECK(eval(op_of(&lab, OP_TRUNC, TYPE_I64, TYPE_I16), 0x123456, 0, 0) == 0x3456);
    CHECK(eval(op_of(&lab, OP_TRUNC, TYPE_I32, TYPE_I1), 2, 0, 0) == 0);
    CHECK(eval(op_of(&lab, OP_S_TO_F, TYPE_I32, TYPE_F32), 0xffffffff, 0, 0) == of_float(-1));
    CHECK(eval(op_of(&lab, OP_U_TO_F, TYPE_I32, TYPE_F32), 0xffffffff, 0, 0) ==
          of_float(4294967296.0f));
    CHECK(eval(op_of(&lab, OP_S_TO_F, TYPE_I1, TYPE_F32), 1, 0, 0) == of_float(1));
    CHECK(eval(op_of(&lab, OP_S_TO_F, TYPE_I32, TYPE_F16), 65520, 0, 0) == 0x7c00);
    CHECK(eval(op_of(&lab, OP_FEXT, TYPE_F16, TYPE_F32), 0x3555, 0, 0) ==
          of_float(0.333251953125f));
    Op *narrow = op_of(&lab, OP_FTRUNC, TYPE_F32, TYPE_BF16);
    CHECK(eval(narrow, 0x3f808000, 0, 0) == 0x3f80 && eval(narrow, 0x3f818000, 0, 0) == 0x3f82);
    narrow->attrs[0].i = ROUND_RTZ;
    CHECK(eval(narrow, 0x3f81ffff, 0, 0) == 0x3f81 && eval(narrow, 0x7f7fffff, 0, 0) == 0x7f7f);
    CHECK(eval(op_of(&lab, OP_BITCAST, TYPE_F32, TYPE_I32), 0x3f800000, 0, 0) == 0x3f800000);
    arena_free(lab.arena);
}

TEST(floats_become_integers_toward_zero_and_saturate) {
    Lab lab = lab_new();
    Op *s32 = op_of(&lab, OP_F_TO_S, TYPE_F32, TYPE_I32),
       *u32 = op_of(&lab, OP_F_TO_U, TYPE_F32, TYPE_I32);
    Op *s8 = op_of(&lab, OP_F_TO_S, TYPE_F32, TYPE_I8),
       *u64 = op_of(&lab, OP_F_TO_U, TYPE_F32, TYPE_I64);
    CHECK(eval(s32, of_float(-1.9f), 0, 0) == 0xffffffff && eval(s32, of_float(1.9f), 0, 0) == 1);
    CHECK(eval(s32, of_float(3e9f), 0, 0) == 0x7fffffff &&
          eval(s32, of_float(-INFINITY), 0, 0) == 0x80000000);
    CHECK(eval(s32, of_float(NAN), 0, 0) == 0 && eval(u32, of_float(NAN), 0, 0) == 0);
    CHECK(eval(u32, of_float(3e9f), 0, 0) == 3000000000u && eval(u32, of_float(-0.9f), 0, 0) == 0);
    CHECK(eval(u32, of_float(-5), 0, 0) == 0 && eval(u32, of_float(1e20f), 0, 0) == 0xffffffff);
    CHECK(eval(s8, of_float(200), 0, 0) == 0x7f && eval(s8, of_float(-200), 0, 0) == 0x80);
    CHECK(eval(s8, of_float(-128), 0, 0) == 0x80 && eval(s8, of_float(-127.5f), 0, 0) == 0x81);
    CHECK(eval(u64, of_float(1e30f), 0, 0) == UINT64_MAX);
    CHECK(eval(u64, of_float(ldexpf(1, 63)), 0, 0) == 1ull << 63);
    arena_free(lab.arena);
}

TEST(addresses_count_elements) {
    Lab lab = lab_new();
    const Type *pointer = type_ptr(lab.fn->types, type_scalar(TYPE_F32));
    const Type *to_bool = type_ptr(lab.fn->types, type_scalar(TYPE_I1));
    Value *p = build_constant_bits(&lab.b, pointer, 0),
          *q = build_constant_bits(&lab.b, to_bool, 0);
    Value *i = build_int(&lab.b, type_scalar(TYPE_I32), 0);
    CHECK(eval(build_addptr(&lab.b, p, i)->def, 1000, 0xffffffff, 0) == 996);
    CHECK(eval(build_addptr(&lab.b, q, i)->def, 1000, 5, 0) == 1005);
    arena_free(lab.arena);
}

TEST(half_precision_rounds_once) {
    Lab lab = lab_new();
    Op *add = op_of(&lab, OP_FADD, TYPE_F16, TYPE_F16);
    CHECK(eval(add, 0x3c00, 0x1000, 0) == 0x3c00); /* 1 + 2^-11: a tie, to even */
    CHECK(eval(add, 0x3c01, 0x1000, 0) == 0x3c02);
    CHECK(eval(add, 0x3c00, 0x1001, 0) == 0x3c01);
    CHECK(eval(add, 0x7bff, 0x7bff, 0) == 0x7c00);
    arena_free(lab.arena);
}

TEST(every_elementwise_op_has_a_meaning) {
    Lab lab = lab_new();
    for (int kind = 0; kind < NUM_OP_KINDS; kind++) {
        const OpInfo *info = op_info((OpKind)kind);
        uint64_t in[3] = {0, 0, 0}, out;
        bool is_float = info->rule == RULE_FLOAT1 || info->rule == RULE_FLOAT2 ||
                        info->rule == RULE_FLOAT3 || info->rule == RULE_MATH1 ||
                        info->rule == RULE_FLOAT_WIDEN || kind == OP_FCMP ||
                        info->rule == RULE_FLOAT_NARROW || info->rule == RULE_FLOAT_TO_INT;
        bool to_float = info->rule == RULE_INT_TO_FLOAT || info->rule == RULE_FLOAT_WIDEN ||
                        info->rule == RULE_FLOAT_NARROW;
        if (kind == OP_ADDPTR || !(info->traits & ELEMENTWISE)) continue;
        Op *op = op_of(&lab, (OpKind)kind, is_float ? TYPE_F32 : TYPE_I32,
                       to_float ? TYPE_F64 : TYPE_I32);
        if (is_float && info->rule != RULE_FLOAT_TO_INT && kind != OP_FCMP && !to_float)
            op = op_of(&lab, (OpKind)kind, TYPE_F32, TYPE_F32);
        CHECK(eval_lane(op, in, &out));
    }
    Value *range = build_arange(&lab.b, 0, 4);
    uint64_t out;
    CHECK(!eval_lane(range->def, &out, &out));
    arena_free(lab.arena);
}

TEST_MAIN()
