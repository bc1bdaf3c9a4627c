// SPDX-License-Identifier: Apache-2.0
/* Every lane-by-lane row of isa.def, executed on edge values and random ones, gives what a second
 * evaluator (ptx_reference.h) gives, and what the compiler folds it to; lanes that are off keep
 * what they had. What the second evaluator leaves out is compared with C here. */
#include "ptx_reference.h"
#include "sim_ptx.h"

enum { ELEMENTS = 2048, TABLE = 0x96 /* of lop3, which takes a number */ };
static uint64_t inputs[MOST_LANE_OPERANDS][ELEMENTS], outputs[ELEMENTS];
static uint64_t random_state = 88172645463325252u;

static uint64_t random_bits(void) {
    random_state ^= random_state << 13, random_state ^= random_state >> 7,
        random_state ^= random_state << 17;
    return random_state * 0x2545F4914F6CDD1Du;
}

static uint64_t edge(char letter) {
    static const uint64_t ints[] = {0,
                                    1,
                                    2,
                                    31,
                                    32,
                                    33,
                                    63,
                                    64,
                                    127,
                                    128,
                                    255,
                                    0x7fff,
                                    0x8000,
                                    0xffff,
                                    0x7fffffff,
                                    0x80000000,
                                    0xffffffff,
                                    0x100000000,
                                    0x7fffffffffffffff,
                                    0x8000000000000000,
                                    0xffffffffffffffff,
                                    0xfffffffffffffffe};
    static const uint32_t floats[] = {
        0,          0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0x40200000, 0x7f800000,
        0xff800000, 0x7fc00000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff,
        0x4f000000, 0xcf000000, 0x5f000000, 0x477fe000, 0x477ff000, 0x33000000, 0x33000001,
        0x38800000, 0x387fe000, 0x3f801000, 0x3f803000, 0x42fe0000};
    static const uint16_t halves[] = {0,      0x8000, 0x3c00, 0xbc00, 1,      0x8001, 0x3ff, 0x400,
                                      0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x3555, 0x0f0f};
    uint64_t pick = random_bits();
    switch (letter) {
    case 'f': return floats[pick % COUNT(floats)];
    case 'd': {
        float x;
        memcpy(&x, &floats[pick % COUNT(floats)], sizeof x);
        double wide = (double)x * (pick & 64 ? 1 + 0x1p-40 : 1);
        uint64_t bits;
        memcpy(&bits, &wide, sizeof bits);
        return bits;
    }
    case 'h': return halves[pick % COUNT(halves)];
    case '#': return TABLE;
    case 'p': return pick >> 20 & 1;
    default: return ints[pick % COUNT(ints)];
    }
}

static uint64_t value_for(char letter) {
    uint64_t bits = random_bits() & 3 ? edge(letter) : random_bits();
    if (letter == '#') return TABLE;
    if (letter == 'f' && random_bits() % 4 == 0) { /* of ordinary size */
        float x = (float)((double)(int64_t)random_bits() * 0x1p-60);
        uint32_t low;
        memcpy(&low, &x, sizeof low);
        bits = low;
    }
    return letter == 'p'          ? bits & 1
           : letter == 'b'        ? bits & 0xff
           : letter == 'h'        ? bits & 0xffff
           : strchr("rf", letter) ? (uint32_t)bits
                                  : bits;
}

static const char *register_of(Arena *arena, char letter, int i) {
    if (letter == '#') return str_format(arena, "%d", TABLE).data;
    return str_format(arena, "%%%c%d",
                      letter == 'p'          ? 'p'
                      : strchr("hb", letter) ? 'h'
                      : strchr("ld", letter) ? 'd'
                                             : 'r',
                      i + 4)
        .data;
}

/* Loads the operands of thread i, computes under a guard that every fifth thread has off, stores.
 */
static const char *kernel_for(Arena *arena, const char *mnemonic, const char *operands, char result,
                              bool packs) {
    Buf out = {.arena = arena};
    int count = (int)strlen(operands);
    buf_puts(&out,
             "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmad.lo.s32 %r0, %r1, 64, %r0;\nrem.u32 "
             "%r1, %r0, 5;\nsetp.ne.s32 %p0, %r1, 0;\nmul.wide.u32 %d0, %r0, 8;\n");
    for (int i = 0; i < count; i++) {
        const char *name = register_of(arena, operands[i], i);
        if (operands[i] == '#') continue;
        buf_printf(&out, "ld.param.u64 %%d1, [param_%d];\nadd.s64 %%d1, %%d1, %%d0;\n", i);
        if (operands[i] == 'p')
            buf_printf(&out, "ld.global.b32 %%r2, [%%d1];\nsetp.ne.s32 %s, %%r2, 0;\n", name);
        else
            buf_printf(&out, "ld.global.b%d %s, [%%d1];\n",
                       strchr("hb", operands[i])   ? 16
                       : strchr("ld", operands[i]) ? 64
                                                   : 32,
                       name);
    }
    const char *to = result == 'b' ? "%b0" : register_of(arena, result, -1);
    if (result == 'b')
        buf_puts(&out, ".reg .b8 %b<4>;\nmov.b32 %r2, 77;\nmov.b32 {%b0, %b1, %b2, %b3}, %r2;\n");
    else if (result == 'p')
        buf_printf(&out, "setp.eq.s32 %s, 0, 0;\n", to);
    else
        buf_printf(&out, "mov.b%d %s, 77;\n", result == 'h' ? 16 : result == 'l' ? 64 : 32, to);
    buf_printf(&out, "@%%p0 %s %s, %s", mnemonic, to, packs ? "{" : "");
    for (int i = 0; i < count; i++)
        buf_printf(&out, "%s%s", i ? ", " : "", register_of(arena, operands[i], i));
    buf_printf(&out, "%s;\nld.param.u64 %%d1, [param_%d];\nadd.s64 %%d1, %%d1, %%d0;\n",
               packs ? "}" : "", count);
    if (result == 'b')
        buf_puts(&out, "mov.b32 %r2, {%b0, %b1, %b2, %b3};\nand.b32 %r2, %r2, "
                       "255;\nst.global.b32 [%d1], %r2;\n");
    else if (result == 'p')
        buf_printf(&out, "selp.b32 %%r2, 1, 0, %s;\nst.global.b32 [%%d1], %%r2;\n", to);
    else
        buf_printf(&out, "st.global.b%d [%%d1], %s;\n",
                   result == 'h'   ? 16
                   : result == 'l' ? 64
                                   : 32,
                   to);
    return entry_text(arena, count + 1, 64, out.data);
}

static const char *target = "sm_90a";
static uint64_t perturbed_by;

static bool run_op(const char *mnemonic, const char *operands, char result, bool packs) {
    Bench b = bench_new();
    int count = (int)strlen(operands);
    b.perturb = perturbed_by;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < ELEMENTS && !perturbed_by; k++) inputs[i][k] = value_for(operands[i]);
        bench_buffer(&b, inputs[i], sizeof inputs[i]);
    }
    memset(outputs, 0, sizeof outputs);
    bench_buffer(&b, outputs, sizeof outputs);
    const char *text = kernel_for(b.arena, mnemonic, operands, result, packs);
    const char *at = strstr(text, "sm_90a");
    if (strcmp(target, "sm_90a") != 0)
        text = str_format(b.arena, ".version 8.6\n.target %s%s", target, at + 6).data;
    bool fine = bench_says(&b, text, ELEMENTS / 64, NULL);
    arena_free(b.arena);
    return fine;
}

static char letter_of(uint8_t type, bool is_result) {
    bool is_float = !is_result && ptx_type_kind((PtxType)type) == PTX_FLOAT;
    if (ptx_type_kind((PtxType)type) == PTX_BYTE) return 'b';
    switch (ptx_type_class((PtxType)type)) {
    case CLASS_PRED: return 'p';
    case CLASS_B16: return 'h';
    case CLASS_B32: return is_float ? 'f' : 'r';
    case CLASS_B64: return is_float ? 'd' : 'l';
    case CLASS_NONE: break;
    }
    return 0;
}

static void show_difference(const PtxRow *row, int i, const char *by, uint64_t want) {
    printf("%s %llx %llx %llx: got %llx, %s says %llx\n", row->text,
           (unsigned long long)inputs[0][i], (unsigned long long)inputs[1][i],
           (unsigned long long)inputs[2][i], (unsigned long long)outputs[i], by,
           (unsigned long long)want);
    CHECK(!"equal");
}

TEST(all_rows) {
    int compared = 0;
    for (int r = 0; r < NUM_TIR_OPS; r++) {
        const PtxRow *row = &ptx_rows[r];
        char operands[MOST_LANE_OPERANDS + 1] = "", result = letter_of(row->types[0], true),
                                           first[64];
        for (int i = 0; i < row->num_operands; i++)
            operands[i] = letter_of(row->types[1 + i], false);
        if (r == TIR_LOP3) operands[3] = '#';
        target = row->least_sm > 90 ? "sm_100a" : "sm_90a";
        snprintf(first, sizeof first, "%.*s", (int)strcspn(row->text, " "), row->text);
        bool ran = run_op(first, operands, result, row->fold == FOLD_PACK);
        if (!ran) printf("%s\n", first);
        CHECK(ran);
        for (int i = 0; i < ELEMENTS && ran; i++) {
            uint64_t args[] = {inputs[0][i], inputs[1][i], inputs[2][i], inputs[3][i]}, want,
                     folded;
            bool off = i % 5 == 0, known = off || reference_eval((TirOp)r, args, &want);
            if (off) want = result == 'p' ? 1 : 77;
            if (known && outputs[i] != want) show_difference(row, i, "the reference", want);
            if (!off && ptx_eval((TirOp)r, args, &folded) && outputs[i] != folded)
                show_difference(row, i, "folding", folded);
            if (known && outputs[i] != want) break;
            compared += known && !off;
        }
    }
    CHECK(compared > 200 * ELEMENTS * 3 / 4); /* rows that the compiler emits */
}

/* ---- fma.rn.f16: against all 65536 numbers, in 113 bits ---- */

static double half_value(int bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
    double x = exponent ? ldexp(fraction | 0x400, exponent - 25) : ldexp(fraction, -24);
    return bits & 0x8000 ? -x : x;
}

static int nearest_half(Exact x) { /* the magnitude's bits; 0x7c00 from 65520 on */
    Exact a = x < 0 ? -x : x;
    if (a >= 65520) return 0x7c00;
    int low = 0, high = 0x7c00; /* half_value(high) would be 65536 */
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if ((Exact)half_value(middle) <= a)
            low = middle;
        else
            high = middle;
    }
    Exact below = a - (Exact)half_value(low),
          above = (high == 0x7c00 ? (Exact)65536 : (Exact)half_value(high)) - a;
    return below < above ? low : above < below ? high : low & 1 ? high : low;
}

TEST(fma_of_halves) {
    target = "sm_90a";
    CHECK(run_op("fma.rn.f16", "hhh", 'h', false));
    int finite = 0;
    for (int i = 0; i < ELEMENTS; i++) {
        bool plain = i % 5 != 0;
        for (int k = 0; k < 3; k++) plain = plain && (inputs[k][i] & 0x7c00) != 0x7c00;
        if (!plain) continue;
        Exact x = (Exact)half_value((int)inputs[0][i]) * (Exact)half_value((int)inputs[1][i]) +
                  (Exact)half_value((int)inputs[2][i]);
        int want = nearest_half(x);
        if (x == 0) continue; /* of which sign is another rule */
        CHECK((int)outputs[i] == (want | (x < 0 ? 0x8000 : 0)));
        finite++;
    }
    CHECK(finite > 500);
}

/* ---- approximations that are off on purpose ---- */

/* By -2 to 2 units in the last place, all of which come, and the same each time; numbers that are
 * next to 0 or infinity, and what is exact, stay. */
static void check_perturbed(const char *mnemonic, bool is_exact) {
    static uint64_t plain[ELEMENTS], first[ELEMENTS];
    int seen[5] = {0};
    CHECK(run_op(mnemonic, "f", 'r', false));
    memcpy(plain, outputs, sizeof outputs);
    perturbed_by = 7;
    CHECK(run_op(mnemonic, "f", 'r', false));
    memcpy(first, outputs, sizeof outputs);
    CHECK(run_op(mnemonic, "f", 'r', false));
    perturbed_by = 0;
    CHECK(memcmp(first, outputs, sizeof outputs) == 0);
    for (int i = 0; i < ELEMENTS; i++) {
        int64_t off = (int64_t)outputs[i] - (int64_t)plain[i];
        uint32_t magnitude = (uint32_t)plain[i] & 0x7fffffff;
        bool may = i % 5 && !is_exact && magnitude >= 0x00800002 && magnitude <= 0x7f7ffffd;
        CHECK(may ? off >= -2 && off <= 2 : off == 0);
        if (may && off >= -2 && off <= 2) seen[off + 2]++;
    }
    for (int i = 0; i < 5; i++) CHECK(is_exact ? seen[i] == 0 : seen[i] > 50);
}

TEST(approximations_off_on_purpose) {
    target = "sm_90a";
    check_perturbed("ex2.approx.ftz.f32", false);
    check_perturbed("sin.approx.ftz.f32", false);
    check_perturbed("neg.f32", true);
}

/* ---- what only users' assembly has ---- */

static int32_t as_signed(uint64_t x) { return (int32_t)(uint32_t)x; }

TEST(other_instructions) {
    CHECK(run_op("mul.wide.s32", "rr", 'l', false));
    for (int i = 1; i < ELEMENTS; i++)
        if (i % 5)
            CHECK(outputs[i] ==
                  (uint64_t)((int64_t)as_signed(inputs[0][i]) * as_signed(inputs[1][i])));
    CHECK(run_op("mul.hi.s32", "rr", 'r', false));
    for (int i = 1; i < ELEMENTS; i++)
        if (i % 5)
            CHECK(outputs[i] ==
                  (uint32_t)(((int64_t)as_signed(inputs[0][i]) * as_signed(inputs[1][i])) >> 32));
    CHECK(run_op("brev.b32", "r", 'r', false));
    for (int i = 1; i < ELEMENTS; i++)
        for (int bit = 0; i % 5 && bit < 32; bit++)
            CHECK((outputs[i] >> bit & 1) == (inputs[0][i] >> (31 - bit) & 1));
    CHECK(run_op("not.b64", "l", 'l', false));
    for (int i = 1; i < ELEMENTS; i++) CHECK(!(i % 5) || outputs[i] == ~inputs[0][i]);
    CHECK(run_op("abs.s32", "r", 'r', false));
    for (int i = 1; i < ELEMENTS; i++)
        CHECK(!(i % 5) ||
              outputs[i] == (uint32_t)(as_signed(inputs[0][i]) < 0 ? 0 - (uint32_t)inputs[0][i]
                                                                   : (uint32_t)inputs[0][i]));
    CHECK(run_op("mad.lo.s64", "lll", 'l', false));
    for (int i = 1; i < ELEMENTS; i++)
        CHECK(!(i % 5) || outputs[i] == inputs[0][i] * inputs[1][i] + inputs[2][i]);
}

TEST_MAIN()
