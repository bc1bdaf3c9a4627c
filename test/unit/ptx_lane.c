// SPDX-License-Identifier: Apache-2.0
/* Elementwise ops: each is lowered for constant operands, folded by the meaning of the PTX
 * instructions, and compared with what the IR says (eval_lane): exactly, or within the stated ulps.
 */
#include "base/float.h"
#include "gen/ptx/gen.h"
#include "gen/ptx/math.h"
#include "ir/ir.h"
#include "test.h"

static uint64_t state = 88172645463325252u;

static uint64_t random_bits(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state * 2685821657736338717u;
}

static const TypeKind int_kinds[] = {TYPE_I1, TYPE_I8, TYPE_I16, TYPE_I32, TYPE_I64};
static const TypeKind float_kinds[] = {TYPE_F8E4M3, TYPE_F8E5M2, TYPE_F8E4B15, TYPE_F16,
                                       TYPE_BF16,   TYPE_F32,    TYPE_F64};

static uint64_t mask_of(const Type *type) {
    return type_bits(type) == 64 ? ~0ull : (1ull << type_bits(type)) - 1;
}

/* Random bits with many special numbers among them. */
static uint64_t operand(const Type *type) {
    uint64_t bits = random_bits(), mask = mask_of(type);
    int width = type_bits(type);
    switch (random_bits() >> 40 & 7) {
    case 0: return 0;
    case 1: return bits & 7 & mask;
    case 2: return (0 - (bits & 7)) & mask;
    case 3: return (1ull << (width - 1)) & mask;
    case 4:
        return type_is_float(type)
                   ? constant_from_double(type, (double)(int64_t)(bits & 1023) / 8 - 60)
                   : bits & mask;
    default: return bits & mask;
    }
}

static Arch test_arch = {"sm_90a", 90, "8.0", 0};
static const GenOptions test_options = {.arch = "sm_90a"};

typedef struct Case {
    Arena *arena;
    Func *fn;
    Builder builder;
    Gen gen;
} Case;

static Case case_new(int arch) {
    Case c = {.arena = arena_new(NULL)};
    c.fn = func_new(c.arena, types_new(c.arena), STR("f"));
    c.builder = (Builder){.fn = c.fn, .region = c.fn->body};
    c.gen = (Gen){.arena = c.arena, .fn = c.fn, .options = &test_options};
    test_arch.number = arch;
    c.gen.arch = &test_arch;
    c.gen.b = tir_new(c.arena);
    c.gen.b->fold_approximate = true;
    return c;
}

/* The folded result; false: it did not fold to a constant (it has a loop). */
static bool lowered(Case *c, const Op *op, const uint64_t *in, uint64_t *out) {
    Tir args[3] = {0};
    for (int i = 0; i < op->num_operands; i++) {
        const Type *type = op->operands[i]->type;
        uint64_t garbage = ptx_class_of(type) == CLASS_B32 && type_bits(type) < 32
                               ? random_bits() << type_bits(type)
                               : 0;
        args[i] = tir_const(c->gen.b, ptx_class_of(type), in[i] | garbage);
    }
    if (!tir_is_const(c->gen.b, ptx_lane(&c->gen, op, args), out)) return false;
    *out &= mask_of(op_result(op)->type);
    return true;
}

static bool is_nan(const Type *type, uint64_t bits) {
    return type_is_float(type) && isnan(constant_to_double(type, bits));
}

static void check_op(Case *c, const Op *op, int rounds, const char *what) {
    for (int i = 0; i < rounds; i++) {
        uint64_t in[3] = {0}, got = 0, want = 0;
        for (int k = 0; k < op->num_operands; k++) in[k] = operand(op->operands[k]->type);
        if (!eval_lane(op, in, &want) || !lowered(c, op, in, &got)) continue;
        const Type *type = op_result(op)->type;
        if (got == want || (is_nan(type, got) && is_nan(type, want))) continue;
        if ((op->kind == OP_FMIN || op->kind == OP_FMAX || op->kind == OP_FREM) &&
            constant_to_double(type, got) == constant_to_double(type, want))
            continue; /* zeros */
        test_bad_checks++;
        printf("%s %s of %s: 0x%llx 0x%llx 0x%llx: got 0x%llx, want 0x%llx\n", what,
               op_info(op->kind)->name, type_str(c->arena, op->operands[0]->type).data,
               (unsigned long long)in[0], (unsigned long long)in[1], (unsigned long long)in[2],
               (unsigned long long)got, (unsigned long long)want);
        return;
    }
}

static Value *poison(Case *c, const Type *type) {
    return op_result(build_op(&c->builder, OP_POISON, 0, NULL, 1, &type, 0, NULL));
}

static Op *make(Case *c, OpKind kind, int count, const Type *from, const Type *to) {
    Value *args[3];
    for (int i = 0; i < count; i++) args[i] = poison(c, from);
    return build_op(&c->builder, kind, count, args, 1, &to, 0, NULL);
}

TEST(integers) {
    Case c = case_new(90);
    for (int t = 0; t < COUNT(int_kinds); t++) {
        const Type *type = type_scalar(int_kinds[t]);
        for (int k = 0; k < NUM_OP_KINDS; k++) {
            const OpInfo *info = op_info((OpKind)k);
            if (info->rule != RULE_INT1 && info->rule != RULE_INT2) continue;
            check_op(&c, make(&c, (OpKind)k, info->most_operands, type, type), 400, "int");
        }
        for (int p = 0; p < 10; p++) {
            Op *op = make(&c, OP_ICMP, 2, type, type_scalar(TYPE_I1));
            op->attrs[0].i = p;
            check_op(&c, op, 300, "int");
        }
    }
    arena_free(c.arena);
}

TEST(floats) {
    static const int archs[] = {75, 80, 90};
    static const OpKind two[] = {OP_FADD, OP_FSUB, OP_FMUL, OP_FMIN, OP_FMAX};
    static const OpKind one[] = {OP_FNEG, OP_FABS, OP_FLOOR, OP_CEIL, OP_TRUNC_F, OP_ROUND_EVEN};
    for (int a = 0; a < COUNT(archs); a++) {
        Case c = case_new(archs[a]);
        for (int t = 0; t < COUNT(float_kinds); t++) {
            const Type *type = type_scalar(float_kinds[t]);
            for (int k = 0; k < COUNT(two); k++)
                check_op(&c, make(&c, two[k], 2, type, type), 400, "float");
            for (int k = 0; k < COUNT(one); k++)
                check_op(&c, make(&c, one[k], 1, type, type), 300, "float");
            for (int nan = 0; nan < 2; nan++)
                for (int k = 3; k < 5; k++) {
                    Op *op = make(&c, two[k], 2, type, type);
                    op->attrs[0].i = nan;
                    check_op(&c, op, 400, "float");
                }
            Op *exact = make(&c, OP_FDIV, 2, type, type);
            exact->attrs[0].i = 1;
            check_op(&c, exact, 400, "float");
            for (int p = 0; p < 6; p++) {
                Op *op = make(&c, OP_FCMP, 2, type, type_scalar(TYPE_I1));
                op->attrs[0].i = p;
                check_op(&c, op, 300, "float");
            }
            bool fuses = type_bits(type) >= 32 || type->kind == TYPE_F16 ||
                         (type->kind == TYPE_BF16 && archs[a] >= 80);
            if (fuses) check_op(&c, make(&c, OP_FMA, 3, type, type), 4000, "float");
        }
        arena_free(c.arena);
    }
}

TEST(casts) {
    static const int archs[] = {75, 90};
    for (int a = 0; a < COUNT(archs); a++) {
        Case c = case_new(archs[a]);
        for (int t = 0; t < COUNT(float_kinds); t++) {
            const Type *f = type_scalar(float_kinds[t]);
            for (int u = 0; u < COUNT(float_kinds); u++) {
                const Type *to = type_scalar(float_kinds[u]);
                if (to == f) continue;
                for (int rounding = 0; rounding < 2; rounding++) {
                    Op *op = make(&c, OP_FTRUNC, 1, f, to);
                    op->attrs[0].i = rounding;
                    check_op(&c, op, 2000, rounding ? "toward zero" : "nearest");
                }
            }
            for (int u = 0; u < COUNT(int_kinds); u++) {
                const Type *to = type_scalar(int_kinds[u]);
                check_op(&c, make(&c, OP_F_TO_S, 1, f, to), 500, "to int");
                check_op(&c, make(&c, OP_F_TO_U, 1, f, to), 500, "to int");
                check_op(&c, make(&c, OP_S_TO_F, 1, to, f), 1000, "from int");
                check_op(&c, make(&c, OP_U_TO_F, 1, to, f), 1000, "from int");
                for (int v = 0; v < u; v++) {
                    const Type *narrow = type_scalar(int_kinds[v]);
                    check_op(&c, make(&c, OP_EXT_S, 1, narrow, to), 100, "int");
                    check_op(&c, make(&c, OP_EXT_U, 1, narrow, to), 100, "int");
                    check_op(&c, make(&c, OP_TRUNC, 1, to, narrow), 100, "int");
                }
            }
        }
        check_op(&c, make(&c, OP_BITCAST, 1, type_scalar(TYPE_I16), type_scalar(TYPE_F16)), 100,
                 "bits");
        check_op(&c, make(&c, OP_BITCAST, 1, type_scalar(TYPE_BF16), type_scalar(TYPE_I16)), 100,
                 "bits");
        arena_free(c.arena);
    }
}

/* ---- functions: ulps against libm in long double ---- */

static long double exact_of(OpKind kind, long double x) {
    switch ((int)kind) {
    case OP_EXP: return expl(x);
    case OP_EXP2: return exp2l(x);
    case OP_LOG: return logl(x);
    case OP_LOG2: return log2l(x);
    case OP_SIN: return sinl(x);
    case OP_COS: return cosl(x);
    case OP_TANH: return tanhl(x);
    case OP_ERF: return erfl(x);
    case OP_SQRT: return sqrtl(x);
    default: return 1 / sqrtl(x);
    }
}

static double ulps(long double got, long double want, bool is_f64) {
    if (isnan(want)) return isnan(got) ? 0 : 1e9;
    if (isnan(got)) return 1e9;
    long double limit = is_f64 ? 0x1.fffffffffffffp1023L : 0x1.fffffep127L;
    if (fabsl(want) > limit)
        return isinf(got) || fabsl(got) >= limit ? (got > 0) == (want > 0) ? 0 : 1e9 : 1e9;
    if (isinf(got)) return 1e9;
    int exponent, digits = is_f64 ? 53 : 24, least = is_f64 ? -1021 : -125;
    frexpl(want, &exponent);
    if (want == 0 || exponent < least) exponent = least;
    return (double)(fabsl(got - want) / ldexpl(1, exponent - digits));
}

typedef struct Sweep {
    OpKind kind;
    Accuracy accuracy;
    bool is_f64;
    double low, high;
} Sweep;

static double worst(const Sweep *sweep, int rounds, double *at) {
    double result = 0, low = sweep->low, high = sweep->high;
    OpKind kind = sweep->kind;
    bool is_f64 = sweep->is_f64, is_fast = sweep->accuracy == ACCURACY_FAST;
    Arena *arena = arena_new(NULL);
    Tirs *b = tir_new(arena);
    b->fold_approximate = true;
    for (int i = 0; i < rounds; i++) {
        double unit = (double)(random_bits() >> 11) * 0x1p-53, x = low + (high - low) * unit;
        if (i % 3 == 0) x *= ldexp(1, -(int)(random_bits() >> 58));
        if (i % 200 == 0)
            arena_free(arena), arena = arena_new(NULL), b = tir_new(arena),
                               b->fold_approximate = true;
        uint64_t bits;
        if (!is_f64) x = (double)(float)x;
        Tir y = math_function(b, kind, sweep->accuracy, is_f64,
                              is_f64 ? tir_f64(b, x) : tir_f32(b, (float)x));
        if (!tir_is_const(b, y, &bits)) return 1e9;
        double got = constant_to_double(type_scalar(is_f64 ? TYPE_F64 : TYPE_F32), bits);
        long double want = exact_of(kind, (long double)x);
        if (is_fast && kind == OP_EXP2 && want < 0x1p-126L) want = 0;
        double u = ulps((long double)got, want, is_f64);
        if (is_fast && kind == OP_EXP) u -= 1.2 * fabs(x);
        if (u > result) result = u, *at = x;
    }
    arena_free(arena);
    return result;
}

TEST(functions_are_within_their_stated_errors) {
    static const struct {
        OpKind kind;
        double low, high, f32, f64;
    } rows[] = {
        {OP_EXP, -104, 89, 2, 2},  {OP_EXP, -1, 1, 2, 2},       {OP_EXP2, -150, 128, 2, 2},
        {OP_LOG, 0, 10, 2, 2},     {OP_LOG, 0, 3e38, 2, 2},     {OP_LOG2, 0, 4, 3, 3},
        {OP_LOG2, 0, 3e38, 2, 2},  {OP_SIN, -10, 10, 2, 2},     {OP_COS, -10, 10, 2, 2},
        {OP_SIN, -1e5, 1e5, 2, 2}, {OP_COS, -3e38, 3e38, 2, 2}, {OP_SIN, -3e38, 3e38, 2, 2},
        {OP_COS, -1e7, 1e7, 2, 2}, {OP_SIN, 1e6, 1e9, 2, 2},    {OP_TANH, -10, 10, 3, 3},
        {OP_ERF, -5, 5, 3, 12},    {OP_TANH, -0.7, 0.7, 3, 3},  {OP_ERF, -1.5, 1.5, 3, 6},
    };
    for (int is_f64 = 0; is_f64 < 2; is_f64++)
        for (int i = 0; i < COUNT(rows); i++) {
            double at = 0, limit = is_f64 ? rows[i].f64 : rows[i].f32;
            Sweep sweep = {rows[i].kind, ACCURACY_PRECISE, is_f64, rows[i].low, rows[i].high};
            double error = worst(&sweep, 4000, &at);
            if (error <= limit) continue;
            test_bad_checks++;
            printf("%s f%d in [%g, %g]: %.2f ulp at %.17g, %.1f allowed\n",
                   op_info(rows[i].kind)->name, is_f64 ? 64 : 32, rows[i].low, rows[i].high, error,
                   at, limit);
        }
}

/* exp: the argument's product with log2(e) is rounded. exp2, and the roots: what the instruction
 * gives, which counts as exact here, and flushes. */
TEST(fast_functions_are_within_their_stated_errors) {
    static const struct {
        OpKind kind;
        double low, high, most;
    } rows[] = {
        {OP_EXP, -104, 89, 2},         {OP_EXP, -1, 1, 2},
        {OP_EXP2, -150, 128, 0.51},    {OP_SQRT, 1e-37, 3e38, 0.51},
        {OP_RSQRT, 1e-37, 3e38, 0.51},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        double at = 0;
        Sweep sweep = {rows[i].kind, ACCURACY_FAST, false, rows[i].low, rows[i].high};
        double error = worst(&sweep, 4000, &at);
        CHECK(error <= rows[i].most);
        if (error > rows[i].most) printf("%s: %g at %g\n", op_info(sweep.kind)->name, error, at);
    }
}

static float fast(OpKind kind, float x) {
    Arena *arena = arena_new(NULL);
    Tirs *b = tir_new(arena);
    b->fold_approximate = true;
    uint64_t bits = 0;
    CHECK(tir_is_const(b, math_function(b, kind, ACCURACY_FAST, false, tir_f32(b, x)), &bits));
    arena_free(arena);
    return (float)constant_to_double(type_scalar(TYPE_F32), bits);
}

TEST(fast_functions_flush_as_their_instructions_do) {
    CHECK(fast(OP_EXP2, -126.5f) == 0 && fast(OP_EXP2, -126) == 0x1p-126f);
    CHECK(fast(OP_EXP, -88) > 0 && fast(OP_EXP, -88) < 0x1p-126f && fast(OP_EXP, 88) != expf(88));
    CHECK(fast(OP_SQRT, 0x1p-127f) == 0 && fast(OP_SQRT, 0x1p-126f) == 0x1p-63f);
    CHECK(isinf(fast(OP_RSQRT, 0x1p-127f)) && fast(OP_RSQRT, 0x1p-126f) == 0x1p63f);
}

TEST_MAIN()
