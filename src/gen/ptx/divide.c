// SPDX-License-Identifier: Apache-2.0
/* divide: integers by constants, which assemblers divide as by any number, in some twenty
 * instructions through a float.
 *
 *     x / 128           (x + (x >> 31 >>u 25)) >> 7      x of any sign
 *     x / 3, x >= 0     mul.hi(x, 0xaaaaaaab) >> 1
 *     x % c             x - x / c * c
 *
 * c is not 0 or -1 and, where it is signed, not negative: those are left as they are. The factor is
 * 2^(w + s) / c, rounded up, for words of w bits and the least s for which what rounding adds stays
 * below one in the quotient; it may need w + 1 bits. (Granlund and Montgomery 1994; Warren,
 * Hacker's Delight, chapter 10.) */
#include "gen/ptx/tir.h"

typedef struct Word {
    Tirs *b;
    int bits;
} Word;

/* The row for words of 32 or 64 bits. */
#define OP_OF(w, name) ((w)->bits == 64 ? TIR_##name##64 : TIR_##name##32)

static Tir word(const Word *w, uint64_t value) {
    return tir_const(w->b, w->bits == 64 ? CLASS_B64 : CLASS_B32, value);
}

static Tir shifted(const Word *w, TirOp op, Tir x, int by) {
    return by ? tir_2(w->b, op, x, tir_i32(w->b, by)) : x;
}

static Tir sum(const Word *w, Tir x, Tir y) { return tir_2(w->b, OP_OF(w, ADD), x, y); }

/* ---- factors ---- */

typedef struct Factor {
    uint64_t value; /* without bit w */
    int shift;
    bool longer; /* bit w is set */
} Factor;

static bool fits(const Factor *f, uint64_t excess, int bits, int used) {
    int room = bits + f->shift - used; /* excess <= 2^room */
    return room >= 64 || excess <= 1ull << room;
}

/* used: bits of x. c has no more than bits - 1, and is no power of two. */
static Factor factor_of(uint64_t c, int bits, int used) {
    uint64_t quotient = 0, rest = 1; /* of 2^i / c */
    Factor f = {0};
    for (int i = 0; i < bits; i++) {
        rest *= 2, quotient *= 2;
        if (rest >= c) rest -= c, quotient++;
    }
    for (;; f.shift++) {
        f.value = quotient + 1;
        if (fits(&f, c - rest, bits, used)) return f;
        f.longer = c >> (f.shift + 1) == 0;
        rest *= 2, quotient *= 2;
        if (rest >= c) rest -= c, quotient++;
        if (!f.longer) continue;
        f.value = quotient + 1, f.shift++;
        return f;
    }
}

/* ---- quotients ---- */

static Tir by_unsigned(const Word *w, Tir x, uint64_t c, int used) {
    Factor f = factor_of(c, w->bits, used);
    Tir high = tir_2(w->b, w->bits == 64 ? TIR_MULHI_U64 : TIR_MULHI_U32, x, word(w, f.value));
    TirOp right = w->bits == 64 ? TIR_SHR_U64 : TIR_SHR_U32;
    if (!f.longer) return shifted(w, right, high, f.shift);
    Tir half = shifted(w, right, tir_2(w->b, OP_OF(w, SUB), x, high), 1);
    return shifted(w, right, sum(w, half, high), f.shift - 1);
}

static Tir by_signed(const Word *w, Tir x, uint64_t c) {
    bool wide = w->bits == 64;
    Factor f = factor_of(c, w->bits, w->bits - 1);
    Tir high = tir_2(w->b, wide ? TIR_MULHI_S64 : TIR_MULHI_S32, x, word(w, f.value));
    if (f.value >> (w->bits - 1)) high = sum(w, high, x); /* the factor was taken as negative */
    Tir sign = shifted(w, wide ? TIR_SHR_U64 : TIR_SHR_U32, x, w->bits - 1);
    return sum(w, shifted(w, wide ? TIR_SHR_S64 : TIR_SHR_S32, high, f.shift), sign);
}

/* By 2^n: towards 0. */
static Tir by_power(const Word *w, Tir x, int n) {
    bool wide = w->bits == 64;
    TirOp right = wide ? TIR_SHR_S64 : TIR_SHR_S32, logical = wide ? TIR_SHR_U64 : TIR_SHR_U32;
    Tir less = shifted(w, logical, shifted(w, right, x, w->bits - 1), w->bits - n);
    return shifted(w, right, sum(w, x, less), n);
}

Tir tir_quotient(Tirs *b, Tir x, uint64_t c, int power, int bits, bool is_signed, uint64_t zeros) {
    Word w = {b, bits};
    int used = bits;
    if (!c || c >> (bits - 1)) return 0;
    if (power >= 0) return is_signed ? by_power(&w, x, power) : 0;
    while (used > 1 && zeros >> (used - 1) & 1) used--;
    return is_signed ? by_signed(&w, x, c) : by_unsigned(&w, x, c, used);
}
