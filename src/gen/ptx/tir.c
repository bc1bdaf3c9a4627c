// SPDX-License-Identifier: Apache-2.0
/* tir: building the thread IR: folding, merging, known bits; see tir.h. */
#include "gen/ptx/tir.h"

Tirs *tir_new(Arena *arena) {
    Tirs *b = arena_new_of(arena, Tirs);
    b->arena = arena;
    b->num_buckets = 1024;
    b->buckets = arena_array(arena, Tir, b->num_buckets);
    vec_push(arena, &b->list, (TirIns){.class = CLASS_NONE}); /* 0 is none */
    return b;
}

static RegClass result_class(TirOp op) { return ptx_type_class((PtxType)ptx_rows[op].types[0]); }

static PtxFold fold_of(TirOp op) { return (PtxFold)ptx_rows[op].fold; }

/* The operands are signed numbers. */
static bool is_signed_op(TirOp op) {
    return ptx_rows[op].types[1] == PTX_s32 || ptx_rows[op].types[1] == PTX_s64;
}

bool tir_is(const Tirs *b, Tir x, TirOp op) {
    return b->list.data[x].kind == TIR_PURE && b->list.data[x].op == op;
}

RegClass tir_class(const Tirs *b, Tir x) { return (RegClass)b->list.data[x].class; }

bool tir_is_const(const Tirs *b, Tir x, uint64_t *bits) {
    const TirIns *ins = &b->list.data[x];
    if (ins->kind != TIR_CONST) return false;
    if (bits) *bits = ins->imm;
    return true;
}

void tir_know_zeros(Tirs *b, Tir x, uint64_t zeros) {
    TirIns *ins = &b->list.data[x];
    if (ins->kind != TIR_CONST) ins->zeros |= zeros;
}

/* ---- merging ---- */

static uint64_t hash_of(const TirIns *ins) {
    uint64_t h = hash_bytes(&ins->imm, sizeof(ins->imm),
                            ((uint64_t)ins->kind << 16 | ins->op) * 8 + ins->class);
    if (ins->num_args) h = hash_bytes(ins->args, sizeof(Tir) * (size_t)ins->num_args, h);
    return ins->text ? hash_bytes(ins->text, strlen(ins->text), h) : h;
}

static bool same(const TirIns *a, const TirIns *c) {
    if (a->hash != c->hash || a->kind != c->kind || a->op != c->op || a->class != c->class ||
        a->imm != c->imm)
        return false;
    if (a->num_args != c->num_args || !a->text != !c->text) return false;
    if (a->text && strcmp(a->text, c->text)) return false;
    return !a->num_args || !memcmp(a->args, c->args, sizeof(Tir) * (size_t)a->num_args);
}

static void grow_buckets(Tirs *b) {
    b->num_buckets *= 4;
    b->buckets = arena_array(b->arena, Tir, b->num_buckets);
    for (int i = 0; i < b->log.count; i++) {
        TirIns *ins = &b->list.data[b->log.data[i]];
        Tir *bucket = &b->buckets[ins->hash % (uint64_t)b->num_buckets];
        ins->next = *bucket;
        *bucket = b->log.data[i];
    }
}

/* An equal one made before; 0: none. */
static Tir find(const Tirs *b, TirIns *ins) {
    ins->hash = hash_of(ins);
    for (Tir x = b->buckets[ins->hash % (uint64_t)b->num_buckets]; x; x = b->list.data[x].next)
        if (same(&b->list.data[x], ins)) return x;
    return 0;
}

/* The instruction itself, or an equal one made before. */
static Tir merged(Tirs *b, TirIns *ins) {
    Tir before = find(b, ins);
    if (before) return before;
    if (b->log.count > 2 * b->num_buckets) grow_buckets(b);
    Tir *bucket = &b->buckets[ins->hash % (uint64_t)b->num_buckets];
    Tir index = b->list.count;
    ins->next = *bucket;
    *bucket = index;
    ins->file = b->source_file, ins->line = b->line, ins->column = b->column;
    Tir *args = arena_array(b->arena, Tir, ins->num_args ? ins->num_args : 1);
    for (int i = 0; i < ins->num_args; i++) args[i] = ins->args[i];
    ins->args = args;
    vec_push(b->arena, &b->list, *ins);
    vec_push(b->arena, &b->log, index);
    return index;
}

int tir_enter(Tirs *b) { return b->log.count; }

void tir_leave(Tirs *b, int scope) {
    while (b->log.count > scope) {
        Tir x = b->log.data[--b->log.count];
        TirIns *ins = &b->list.data[x];
        b->buckets[ins->hash % (uint64_t)b->num_buckets] = ins->next;
    }
    while (b->divisions.count && b->divisions.data[b->divisions.count - 1].scope >= scope)
        b->divisions.count--;
}

/* ---- leaves ---- */

static const int class_bits[] = {1, 16, 32, 64, 0};

static uint64_t class_mask(RegClass class) {
    return class == CLASS_B64 ? ~0ull : (1ull << class_bits[class]) - 1;
}

Tir tir_const(Tirs *b, RegClass class, uint64_t bits) {
    bits &= class_mask(class);
    TirIns ins = {.kind = TIR_CONST, .class = (uint8_t) class, .imm = bits, .zeros = ~bits};
    return merged(b, &ins);
}

Tir tir_f32(Tirs *b, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return tir_const(b, CLASS_B32, bits);
}

Tir tir_f64(Tirs *b, double value) { return tir_const(b, CLASS_B64, double_bits(value)); }

Tir tir_special(Tirs *b, RegClass class, const char *name, uint64_t zeros) {
    TirIns ins = {.kind = TIR_SPECIAL, .class = (uint8_t) class, .text = name, .zeros = zeros};
    return merged(b, &ins);
}

Tir tir_param(Tirs *b, RegClass class, const char *type, int index, uint64_t zeros) {
    TirIns ins = {.kind = TIR_PARAM,
                  .class = (uint8_t) class,
                  .text = type,
                  .imm = (uint64_t)index,
                  .zeros = zeros};
    return merged(b, &ins);
}

Tir tir_address(Tirs *b, RegClass class, PtxSpace space, const char *symbol) {
    /* Shared memory is declared with 16-byte alignment. */
    TirIns ins = {
        .kind = TIR_ADDRESS, .class = (uint8_t) class, .imm = space, .text = symbol, .zeros = 15};
    return merged(b, &ins);
}

/* ---- known bits ---- */

static int trailing(uint64_t zeros) { /* low bits known to be 0 */
    int n = 0;
    while (n < 64 && zeros >> n & 1) n++;
    return n;
}

static int leading(uint64_t zeros, int bits) { /* high bits known to be 0 */
    int n = 0;
    while (n < bits && zeros >> (bits - 1 - n) & 1) n++;
    return n;
}

static uint64_t low_mask(int n) { return n >= 64 ? ~0ull : (1ull << n) - 1; }

static uint64_t high_mask(int n, int bits) { return low_mask(bits) & ~low_mask(bits - n); }

static uint64_t zeros_of_sum(uint64_t x, uint64_t y, int bits) {
    uint64_t mask = low_mask(bits);
    if (!(~x & ~y & mask)) return x & y; /* no carry: an or */
    int low = trailing(x) < trailing(y) ? trailing(x) : trailing(y);
    int high_x = leading(x, bits), high_y = leading(y, bits);
    int high = (high_x < high_y ? high_x : high_y) - 1;
    return low_mask(low) | (high > 0 ? high_mask(high, bits) : 0);
}

static uint64_t zeros_of_product(uint64_t x, uint64_t y, int bits) {
    int low = trailing(x) + trailing(y);
    int used = 2 * bits - leading(x, bits) - leading(y, bits);
    uint64_t zeros = low_mask(low < bits ? low : bits);
    return used < bits ? zeros | high_mask(bits - used, bits) : zeros;
}

static uint64_t zeros_of_shift(TirOp op, uint64_t x, uint64_t amount, int bits) {
    bool left = fold_of(op) == FOLD_SHL, arithmetic = !left && is_signed_op(op);
    if (amount >= (uint64_t)bits) return arithmetic ? 0 : low_mask(bits);
    int n = (int)amount;
    if (left) return (x << n | low_mask(n)) & low_mask(bits);
    bool sign_is_zero = x >> (bits - 1) & 1;
    if (arithmetic && !sign_is_zero) return (x & low_mask(bits)) >> n & low_mask(bits - n - 1);
    return (x & low_mask(bits)) >> n | high_mask(n, bits);
}

/* An unsigned quotient is at most the dividend, a rest at most either. By a number of any sign, the
 * rest of one that is not negative is not, either, and no more than it. */
static uint64_t zeros_of_division(TirOp op, bool is_signed, uint64_t x, uint64_t y, int bits) {
    if (is_signed && fold_of(op) == FOLD_DIV) return 0;
    int high = leading(x, bits);
    if (!is_signed && fold_of(op) == FOLD_REM && leading(y, bits) > high) high = leading(y, bits);
    return high_mask(high, bits);
}

static uint64_t known_zeros(const Tirs *b, TirOp op, const Tir *args, RegClass class) {
    int bits = class_bits[class];
    uint64_t x = args[0] ? b->list.data[args[0]].zeros : 0;
    uint64_t y = args[1] ? b->list.data[args[1]].zeros : 0, amount = 0;
    if (class == CLASS_PRED) return 0;
    switch (fold_of(op)) {
    case FOLD_ADD: return zeros_of_sum(x, y, bits);
    case FOLD_MUL: return zeros_of_product(x, y, bits);
    case FOLD_AND: return x | y;
    case FOLD_OR:
    case FOLD_XOR:
    case FOLD_SELECT:
    case FOLD_EXTREME: return x & y;
    case FOLD_SHL:
    case FOLD_SHR:
        return tir_is_const(b, args[1], &amount) ? zeros_of_shift(op, x, amount, bits) : 0;
    case FOLD_SEXT: return x >> 31 & 1 ? x | ~low_mask(32) : x & low_mask(31);
    case FOLD_ZEXT: return x | ~low_mask(32);
    case FOLD_LOW32: return x & low_mask(32);
    case FOLD_WIDE16: return ~low_mask(16) & low_mask(32);
    case FOLD_DIV:
    case FOLD_REM: return zeros_of_division(op, is_signed_op(op), x, y, bits);
    case FOLD_BFE:
        return tir_is_const(b, args[2], &amount) && amount < 32
                   ? ~low_mask((int)amount) & low_mask(32)
                   : 0;
    case FOLD_NONE:
    case FOLD_SUB:
    case FOLD_MULHI:
    case FOLD_MULWIDE:
    case FOLD_NOT:
    case FOLD_LESS:
    case FOLD_ORDER:
    case FOLD_COMPARE:
    case FOLD_LOW16:
    case FOLD_PACK: return 0;
    }
    BUG("no such rule");
}

/* ---- folding ---- */

static bool commutes(TirOp op) {
    PtxFold fold = fold_of(op);
    return fold == FOLD_ADD || fold == FOLD_MUL || fold == FOLD_MULHI || fold == FOLD_MULWIDE ||
           fold == FOLD_AND || fold == FOLD_OR || fold == FOLD_XOR;
}

/* x = base + constant, both of x's class. */
static bool split_sum(const Tirs *b, Tir x, Tir *base, uint64_t *offset) {
    const TirIns *ins = &b->list.data[x];
    if (ins->kind != TIR_PURE || fold_of((TirOp)ins->op) != FOLD_ADD) return false;
    if (!tir_is_const(b, ins->args[1], offset)) return false;
    *base = ins->args[0];
    return true;
}

Tir tir_split_offset(const Tirs *b, Tir address, int64_t *offset) {
    uint64_t bits;
    Tir base;
    *offset = 0;
    if (!split_sum(b, address, &base, &bits)) return address;
    int64_t value = tir_class(b, address) == CLASS_B32 ? (int32_t)bits : (int64_t)bits;
    if (value < -(1 << 23) || value >= 1 << 23) return address; /* the immediate field: 24 bits */
    *offset = value;
    return base;
}

static TirIns pure(TirOp op, Tir *args) {
    return (TirIns){.kind = TIR_PURE,
                    .op = (uint16_t)op,
                    .class = (uint8_t)result_class(op),
                    .num_args = ptx_rows[op].num_operands,
                    .args = args};
}

static Tir raw(Tirs *b, TirOp op, Tir x, Tir y, Tir z) {
    Tir args[3] = {x, y, z};
    TirIns ins = pure(op, args);
    ins.zeros = known_zeros(b, op, args, result_class(op));
    return merged(b, &ins);
}

static int power_of_2(uint64_t x) { /* exponent, or -1 */
    if (!x || (x & (x - 1))) return -1;
    int n = 0;
    while (x >>= 1) n++;
    return n;
}

/* Sums: constants to the end, and together. */
static Tir fold_add(Tirs *b, TirOp op, Tir x, Tir y) {
    RegClass class = result_class(op);
    uint64_t c, d;
    Tir base;
    if (tir_is_const(b, y, &c)) {
        if (!c) return x;
        if (split_sum(b, x, &base, &d)) return tir_2(b, op, base, tir_const(b, class, c + d));
        return 0;
    }
    if (split_sum(b, x, &base, &c))
        return tir_2(b, op, tir_2(b, op, base, y), tir_const(b, class, c));
    if (split_sum(b, y, &base, &c))
        return tir_2(b, op, tir_2(b, op, x, base), tir_const(b, class, c));
    return 0;
}

/* The high half is taken from the whole product; so is the low half, if both are wanted. */
static Tir high_product(Tirs *b, Tir x, Tir y) {
    Tir whole = raw(b, TIR_MULWIDE_U32, x, y, 0);
    return tir_1(b, TIR_LOW32, tir_2(b, TIR_SHR_U64, whole, tir_i32(b, 32)));
}

static Tir low_product(Tirs *b, TirOp op, Tir x, Tir y) {
    Tir args[3] = {x, y, 0};
    TirIns ins = pure(TIR_MULWIDE_U32, args);
    Tir whole = op == TIR_MUL32 ? find(b, &ins) : 0;
    return whole ? tir_1(b, TIR_LOW32, whole) : 0;
}

/* Of two widened numbers: one instruction for the GPU. */
static Tir product_of_widened(Tirs *b, Tir x, Tir y) {
    if (!tir_is(b, x, TIR_SEXT) || !tir_is(b, y, TIR_SEXT)) return 0;
    uint64_t zeros = zeros_of_product(b->list.data[x].zeros, b->list.data[y].zeros, 64);
    Tir made = raw(b, TIR_MULWIDE_S32, b->list.data[x].args[0], b->list.data[y].args[0], 0);
    tir_know_zeros(b, made, zeros);
    return made;
}

static Tir fold_mul(Tirs *b, TirOp op, Tir x, Tir y) {
    RegClass class = result_class(op);
    bool wide = class == CLASS_B64;
    uint64_t c, d;
    Tir base;
    if (!tir_is_const(b, y, &c))
        return wide ? product_of_widened(b, x, y) : low_product(b, op, x, y);
    if (c == 0) return y;
    if (c == 1) return x;
    if (split_sum(b, x, &base, &d))
        return tir_2(b, wide ? TIR_ADD64 : TIR_ADD32, tir_2(b, op, base, y),
                     tir_const(b, class, c * d));
    int n = power_of_2(c);
    return n < 0 ? low_product(b, op, x, y)
                 : tir_2(b, wide ? TIR_SHL64 : TIR_SHL32, x, tir_i32(b, n));
}

/* A widened number times a power of two, one instruction for the GPU, with a sum behind it, too:
 * what else is known of the bits is not lost. Not of what a loop does not change: as two
 * instructions it stays outside. */
static Tir widened_product(Tirs *b, Tir x, int shift, uint64_t zeros) {
    const TirIns *wide = &b->list.data[x];
    uint64_t factor = 1;
    bool again = tir_is(b, x, TIR_MULWIDE_S32) || tir_is(b, x, TIR_MULWIDE_U32);
    if (again && !tir_is_const(b, wide->args[1], &factor)) return 0;
    if (!again && !tir_is(b, x, TIR_SEXT) && !tir_is(b, x, TIR_ZEXT)) return 0;
    if (shift > 30 || factor << shift > 1u << 30 || power_of_2(factor) < 0) return 0;
    if (wide->args[0] < b->loop_start) return 0;
    bool is_signed = tir_is(b, x, TIR_SEXT) || tir_is(b, x, TIR_MULWIDE_S32);
    Tir by = tir_i32(b, (int64_t)(factor << shift));
    Tir made =
        raw(b, is_signed ? TIR_MULWIDE_S32 : TIR_MULWIDE_U32, b->list.data[x].args[0], by, 0);
    tir_know_zeros(b, made, zeros);
    return made;
}

static Tir undone(const Tirs *b, Tir x, TirOp inverse) {
    return tir_is(b, x, inverse) ? b->list.data[x].args[0] : 0;
}

/* The low half of the word moved to the upper one, as bf16 becomes f32; of one that comes from
 * there, the word without its low half. */
static Tir upper_half(Tirs *b, Tir word) {
    const TirIns *ins = &b->list.data[word];
    uint64_t by;
    if (tir_is(b, word, TIR_SHR_U32) && tir_is_const(b, ins->args[1], &by) && by == 16)
        return tir_2(b, TIR_AND32, ins->args[0], tir_i32(b, -0x10000));
    return tir_2(b, TIR_SHL32, word, tir_i32(b, 16));
}

static Tir fold_shift(Tirs *b, TirOp op, Tir x, Tir y) {
    RegClass class = result_class(op);
    bool wide = class == CLASS_B64;
    uint64_t c, d;
    Tir base;
    if (!tir_is_const(b, y, &c)) return 0;
    if (c == 0) return x;
    if (fold_of(op) != FOLD_SHL) return 0;
    if (c >= (uint64_t)class_bits[class]) return tir_const(b, class, 0);
    if (op == TIR_SHL32 && c == 16) {
        Tir half = undone(b, x, TIR_WIDE16), word = half ? undone(b, half, TIR_LOW16) : 0;
        if (word) return upper_half(b, word);
    }
    if (split_sum(b, x, &base, &d))
        return tir_2(b, wide ? TIR_ADD64 : TIR_ADD32, tir_2(b, op, base, y),
                     tir_const(b, class, d << c));
    const TirIns *inner = &b->list.data[x];
    if (tir_is(b, x, op) && tir_is_const(b, inner->args[1], &d) && d < (uint64_t)class_bits[class])
        return tir_2(b, op, inner->args[0], tir_i32(b, (int64_t)(c + d)));
    if (op != TIR_SHL64) return 0;
    return widened_product(b, x, (int)c, known_zeros(b, op, (Tir[]){x, y, 0}, class));
}

static Tir fold_and(Tirs *b, TirOp op, Tir x, Tir y) {
    uint64_t c, mask = class_mask(result_class(op)), zeros = b->list.data[x].zeros;
    if (x == y) return x;
    if (!tir_is_const(b, y, &c)) return 0;
    if (c == 0) return y;
    return (~zeros & ~c & mask) == 0 ? x : 0; /* drops only zeros */
}

/* x is (word & mask) != 0. */
static bool asks_bits(const Tirs *b, Tir x, Tir *word, uint64_t *mask) {
    uint64_t zero;
    if (!tir_is(b, x, TIR_NE32) || !tir_is_const(b, tir_argument(b, x, 1), &zero) || zero)
        return false;
    *word = tir_argument(b, x, 0), *mask = UINT32_MAX;
    if (tir_is(b, *word, TIR_AND32) && tir_is_const(b, tir_argument(b, *word, 1), mask))
        *word = tir_argument(b, *word, 0);
    return true;
}

/* Whether a bit is set in one of two words, or parts of one, is asked once: any of many bytes. */
static Tir fold_any(Tirs *b, Tir x, Tir y) {
    Tir left, right, word;
    uint64_t mask, other;
    if (!asks_bits(b, x, &left, &mask) || !asks_bits(b, y, &right, &other)) return 0;
    if (left != right && mask != other) return 0;
    word = left == right ? left : tir_2(b, TIR_OR32, left, right);
    word = tir_2(b, TIR_AND32, word, tir_i32(b, (int64_t)(mask | other)));
    return tir_2(b, TIR_NE32, word, tir_i32(b, 0));
}

/* or, xor */
static Tir fold_or(Tirs *b, TirOp op, Tir x, Tir y) {
    RegClass class = result_class(op);
    bool is_xor = fold_of(op) == FOLD_XOR;
    uint64_t c, zeros = b->list.data[x].zeros;
    if (x == y) return is_xor ? tir_const(b, class, 0) : x;
    if (!tir_is_const(b, y, &c)) return op == TIR_OR_P ? fold_any(b, x, y) : 0;
    if (class == CLASS_PRED) return is_xor ? c ? tir_1(b, TIR_NOT_P, x) : x : c ? y : x;
    if (c == 0) return x;
    if ((~zeros & c & class_mask(class)) == 0)
        return tir_2(b, class == CLASS_B64 ? TIR_ADD64 : TIR_ADD32, x, y);
    return 0;
}

static Tir fold_divide(Tirs *b, TirOp op, Tir x, Tir y) {
    RegClass class = result_class(op);
    uint64_t c, zeros = b->list.data[x].zeros;
    bool wide = class == CLASS_B64, divides = fold_of(op) == FOLD_DIV;
    int bits = class_bits[class];
    if (!tir_is_const(b, y, &c)) return 0;
    int n = power_of_2(c);
    /* Signed: only when x is not negative and c is not the least number. */
    if (n >= 0 && (!is_signed_op(op) || (zeros >> (bits - 1) & 1 && n < bits - 1))) {
        if (divides) return tir_2(b, wide ? TIR_SHR_U64 : TIR_SHR_U32, x, tir_i32(b, n));
        return tir_2(b, wide ? TIR_AND64 : TIR_AND32, x, tir_const(b, class, c - 1));
    }
    bool is_signed = is_signed_op(op) && !(zeros >> (bits - 1) & 1);
    Tir result = tir_quotient(b, x, c, n, bits, is_signed, zeros);
    if (!result) return 0;
    if (!divides) {
        Tir product = tir_2(b, wide ? TIR_MUL64 : TIR_MUL32, result, y);
        result = tir_2(b, wide ? TIR_SUB64 : TIR_SUB32, x, product);
    }
    if (!is_signed) tir_know_zeros(b, result, zeros_of_division(op, false, zeros, ~c, bits));
    return result;
}

static Tir fold_widen(Tirs *b, TirOp op, Tir x) {
    uint64_t c;
    Tir base;
    if (!split_sum(b, x, &base, &c)) return 0;
    uint64_t zeros = b->list.data[base].zeros;
    bool carries = (~zeros & c & low_mask(32)) != 0;
    if (carries) {
        /* Neither a carry into the sign nor out of it when both are small. */
        if (!(zeros >> 31 & 1) || !(zeros >> 30 & 1) || c >= 1u << 30) return 0;
    } else if (fold_of(op) == FOLD_SEXT && c >> 31) {
        return 0;
    }
    return tir_2(b, TIR_ADD64, tir_1(b, op, base), tir_const(b, CLASS_B64, c));
}

/* base + c < y, where base, c and their sum are not negative, is max(y, 0) - base > c: the
 * registers of a tile then differ by an immediate of the comparison, which makes it cheap enough to
 * repeat. Where y is base + d, it is c < d. */
static Tir fold_less(Tirs *b, Tir x, Tir y) {
    uint64_t c = 0, d = 0;
    Tir base = x, other = y;
    bool is_sum = split_sum(b, x, &base, &c);
    split_sum(b, y, &other, &d);
    if (tir_is_const(b, y, NULL)) return 0;
    uint64_t high = b->list.data[base].zeros >> 30;
    if ((high & 3) != 3 || c >= 1u << 30) return 0;
    if (base == other && d < 1u << 30) return tir_bool(b, c < d);
    if (!is_sum) return 0;
    Tir left = tir_2(b, TIR_SUB32, tir_2(b, TIR_MAX_S32, y, tir_i32(b, 0)), base);
    return raw(b, TIR_GT_S32, left, tir_i32(b, (int64_t)c), 0);
}

static TirOp order_in_32_bits(TirOp op) {
    return op == TIR_LT_S64   ? TIR_LT_S32
           : op == TIR_LE_S64 ? TIR_LE_S32
           : op == TIR_GT_S64 ? TIR_GT_S32
                              : TIR_GE_S32;
}

/* A number below 2^bits. */
static bool is_below(const Tirs *b, Tir x, int bits) {
    return !(~b->list.data[x].zeros & ~low_mask(bits) & class_mask(tir_class(b, x)));
}

/* x = base + u + c, where u and c are small and the sum does not wrap: u + c in 32 bits; else 0. */
static Tir beyond(Tirs *b, Tir x, Tir base) {
    uint64_t c = 0;
    Tir sum = x;
    split_sum(b, x, &sum, &c);
    if (!tir_is(b, sum, TIR_ADD64) || c >= 1u << 30) return 0;
    const TirIns *ins = &b->list.data[sum];
    if (ins->args[0] != base && ins->args[1] != base) return 0;
    Tir u = ins->args[ins->args[0] == base];
    if (!is_below(b, u, 30)) return 0;
    return tir_2(b, TIR_ADD32, tir_1(b, TIR_LOW32, u), tir_i32(b, (int64_t)c));
}

/* Rows and columns of one block: base + u < base + v is u < v, which 32 bits hold. */
static Tir fold_of_one_base(Tirs *b, TirOp op, Tir x, Tir y) {
    uint64_t c;
    Tir sum = x;
    split_sum(b, x, &sum, &c);
    if (!tir_is(b, sum, TIR_ADD64)) return 0;
    for (int i = 0; i < 2; i++) {
        Tir base = b->list.data[sum].args[i];
        if (!is_below(b, base, 62)) continue;
        Tir u = beyond(b, x, base), v = u ? beyond(b, y, base) : 0;
        if (v) return tir_2(b, order_in_32_bits(op), u, v);
    }
    return 0;
}

/* As fold_less, where y is a number of 32 bits: so is what is left up to it. */
static Tir fold_order(Tirs *b, TirOp op, Tir x, Tir y) {
    uint64_t c;
    Tir base, alike = fold_of_one_base(b, op, x, y);
    if (alike || op != TIR_LT_S64 || !tir_is(b, y, TIR_SEXT) || !split_sum(b, x, &base, &c))
        return alike;
    if (!is_below(b, base, 62) || c >= 1u << 30) return 0;
    Tir left = tir_2(b, TIR_SUB64, tir_2(b, TIR_MAX_S64, y, base), base);
    return raw(b, TIR_GT_S32, tir_1(b, TIR_LOW32, left), tir_i32(b, (int64_t)c), 0);
}

/* max.f32 and min.f32 with a number are never NaN, nor beyond it. */
static bool number_bound(const Tirs *b, Tir x, TirOp op, float *bound) {
    uint64_t bits;
    for (int i = 0; i < 2 && tir_is(b, x, op); i++)
        if (tir_is_const(b, b->list.data[x].args[i], &bits)) {
            *bound = (float)float_decode(FLOAT_F32, bits);
            return !isnan(*bound);
        }
    return false;
}

static Tir fold_compare(Tirs *b, TirOp op, Tir x, Tir y) {
    float low = -INFINITY, high = INFINITY;
    uint64_t bits;
    if (!tir_is_const(b, y, &bits)) return 0;
    if (!number_bound(b, x, TIR_MAX_F32, &low) && !number_bound(b, x, TIR_MIN_F32, &high)) return 0;
    float with = (float)float_decode(FLOAT_F32, bits);
    bool above = low > with, below = high < with, never_less = low >= with,
         never_more = high <= with;
    if (op == TIR_EQ_F32 && (above || below)) return tir_bool(b, false);
    if (op == TIR_NE_F32 && (above || below)) return tir_bool(b, true);
    if ((op == TIR_LT_F32 && below) || (op == TIR_LE_F32 && never_more)) return tir_bool(b, true);
    if ((op == TIR_LT_F32 && never_less) || (op == TIR_LE_F32 && above)) return tir_bool(b, false);
    if ((op == TIR_GT_F32 && above) || (op == TIR_GE_F32 && never_less)) return tir_bool(b, true);
    if ((op == TIR_GT_F32 && never_more) || (op == TIR_GE_F32 && below)) return tir_bool(b, false);
    return 0;
}

/* Whether some bit of a part of a word is set is asked where it lies. */
static Tir part_in_place(Tirs *b, TirOp op, Tir x, Tir zero) {
    uint64_t mask = UINT32_MAX, by;
    Tir part = x;
    if (tir_is(b, x, TIR_AND32) && tir_is_const(b, tir_argument(b, x, 1), &mask))
        part = tir_argument(b, x, 0);
    if (!tir_is(b, part, TIR_SHR_U32) || !tir_is_const(b, tir_argument(b, part, 1), &by) || by > 31)
        return 0;
    Tir in_place = tir_i32(b, (int64_t)(uint32_t)(mask << by));
    return tir_2(b, op, tir_2(b, TIR_AND32, tir_argument(b, part, 0), in_place), zero);
}

/* A number with a bit that x does not have is not x. */
static Tir fold_equal(Tirs *b, TirOp op, Tir x, Tir y) {
    bool equal = op == TIR_EQ32 || op == TIR_EQ64, other = op == TIR_NE32 || op == TIR_NE64;
    uint64_t bits;
    Tir base;
    if (!equal && !other) return 0;
    /* base + c is y: lanes of one base subtract it once. */
    if (split_sum(b, x, &base, &bits) && !tir_is_const(b, base, NULL) &&
        !tir_is_const(b, y, NULL)) {
        bool wide = tir_class(b, x) == CLASS_B64;
        return tir_2(b, op, tir_2(b, wide ? TIR_SUB64 : TIR_SUB32, y, base),
                     tir_const(b, tir_class(b, x), bits));
    }
    if (!tir_is_const(b, y, &bits)) return 0;
    bool differs = bits & b->list.data[x].zeros & class_mask(tir_class(b, x));
    if (differs) return tir_bool(b, other);
    return !bits && tir_class(b, x) == CLASS_B32 ? part_in_place(b, op, x, y) : 0;
}

/* op(op^-1(y)) is y. */
Tir tir_argument(const Tirs *b, Tir x, int index) { return b->list.data[x].args[index]; }

static Tir fold(Tirs *b, TirOp op, Tir x, Tir y) {
    uint64_t c;
    Tir inner;
    switch (fold_of(op)) {
    case FOLD_ADD: return fold_add(b, op, x, y);
    case FOLD_SUB:
        if (tir_is_const(b, y, &c))
            return tir_2(b, op == TIR_SUB32 ? TIR_ADD32 : TIR_ADD64, x,
                         tir_const(b, result_class(op), 0 - c));
        return x == y ? tir_const(b, result_class(op), 0) : 0;
    case FOLD_MUL: return fold_mul(b, op, x, y);
    case FOLD_MULHI: return high_product(b, x, y);
    case FOLD_SHL:
    case FOLD_SHR: return fold_shift(b, op, x, y);
    case FOLD_AND: return fold_and(b, op, x, y);
    case FOLD_OR:
    case FOLD_XOR: return fold_or(b, op, x, y);
    case FOLD_DIV:
    case FOLD_REM: return fold_divide(b, op, x, y);
    case FOLD_EXTREME: return x == y ? x : 0;
    case FOLD_LESS: return fold_less(b, x, y);
    case FOLD_ORDER: return fold_order(b, op, x, y);
    case FOLD_COMPARE: return fold_compare(b, op, x, y);
    case FOLD_SEXT:
    case FOLD_ZEXT: return fold_widen(b, op, x);
    case FOLD_LOW32: inner = undone(b, x, TIR_SEXT); return inner ? inner : undone(b, x, TIR_ZEXT);
    case FOLD_LOW16: return undone(b, x, TIR_WIDE16);
    case FOLD_NOT: return undone(b, x, TIR_NOT_P);
    case FOLD_NONE: return fold_equal(b, op, x, y);
    case FOLD_MULWIDE:
    case FOLD_SELECT:
    case FOLD_WIDE16:
    case FOLD_BFE:
    case FOLD_PACK: return 0;
    }
    BUG("no such rule");
}

/* An f32 whose sign bit was flipped is negated by name, one without it the magnitude: assemblers
 * make that part of what reads it. */
static Tir signed_by_name(Tirs *b, Tir x) {
    uint64_t bits;
    const TirIns *ins = &b->list.data[x];
    if (!(tir_is(b, x, TIR_XOR32) || tir_is(b, x, TIR_AND32)) ||
        !tir_is_const(b, ins->args[1], &bits))
        return x;
    if (tir_is(b, x, TIR_XOR32) && bits == 0x80000000)
        return raw(b, TIR_NEG_F32, ins->args[0], 0, 0);
    return tir_is(b, x, TIR_AND32) && bits == 0x7fffffff ? raw(b, TIR_ABS_F32, ins->args[0], 0, 0)
                                                         : x;
}

Tir tir_3(Tirs *b, TirOp op, Tir x, Tir y, Tir z) {
    uint64_t bits[MOST_LANE_OPERANDS] = {0}, result;
    Tir args[3] = {x, y, z};
    int count = ptx_rows[op].num_operands, constants = 0;
    for (int i = 0; i < count; i++) {
        if (!args[i]) BUG("%s: operand %d is missing", ptx_rows[op].name, i);
        if (ptx_rows[op].types[i + 1] == PTX_f32) args[i] = signed_by_name(b, args[i]);
        constants += tir_is_const(b, args[i], &bits[i]);
    }
    x = args[0], y = args[1], z = args[2];
    if (constants == count && (b->fold_approximate || ptx_rows[op].class != CLASS_SPECIAL) &&
        ptx_eval(op, bits, &result))
        return tir_const(b, result_class(op), result);
    if (count == 2 && commutes(op) && tir_is_const(b, x, NULL)) {
        Tir t = x;
        x = y, y = t;
    }
    if (fold_of(op) == FOLD_SELECT) {
        uint64_t c;
        if (tir_is_const(b, z, &c)) return c ? x : y;
        if (x == y) return x;
    }
    Tir folded = count < 3 ? fold(b, op, x, y) : 0;
    return folded ? folded : raw(b, op, x, y, z);
}

Tir tir_1(Tirs *b, TirOp op, Tir x) { return tir_3(b, op, x, 0, 0); }
Tir tir_2(Tirs *b, TirOp op, Tir x, Tir y) { return tir_3(b, op, x, y, 0); }

/* depth: terms may be shared, and each is walked anew. */
static Tir narrowed(Tirs *b, Tir x, int depth) {
    enum { DEEPEST = 10 };
    const TirIns *ins = &b->list.data[x];
    uint64_t bits;
    if (tir_is_const(b, x, &bits)) return tir_i32(b, (int32_t)bits);
    TirOp op = (TirOp)ins->op;
    if (ins->kind == TIR_PURE && (op == TIR_MULWIDE_S32 || op == TIR_MULWIDE_U32))
        return tir_2(b, TIR_MUL32, ins->args[0], ins->args[1]);
    bool sums = op == TIR_ADD64 || op == TIR_SUB64 || op == TIR_MUL64;
    bool shifts = op == TIR_SHL64 && tir_is_const(b, ins->args[1], &bits);
    if (ins->kind != TIR_PURE || depth == DEEPEST || !(sums || shifts))
        return tir_1(b, TIR_LOW32, x);
    Tir first = ins->args[0], second = ins->args[1]; /* what is made moves ins */
    first = narrowed(b, first, depth + 1);
    if (sums) second = narrowed(b, second, depth + 1);
    return tir_2(b,
                 op == TIR_ADD64   ? TIR_ADD32
                 : op == TIR_SUB64 ? TIR_SUB32
                 : op == TIR_MUL64 ? TIR_MUL32
                                   : TIR_SHL32,
                 first, second);
}

Tir tir_narrow(Tirs *b, Tir x) { return narrowed(b, x, 0); }

Tir tir_select(Tirs *b, Tir condition, Tir x, Tir y) {
    switch (tir_class(b, x)) {
    case CLASS_B16: return tir_3(b, TIR_SELECT16, x, y, condition);
    case CLASS_B32: return tir_3(b, TIR_SELECT32, x, y, condition);
    case CLASS_B64: return tir_3(b, TIR_SELECT64, x, y, condition);
    case CLASS_PRED:
        return tir_2(b, TIR_OR_P, tir_2(b, TIR_AND_P, condition, x),
                     tir_2(b, TIR_AND_P, tir_1(b, TIR_NOT_P, condition), y));
    case CLASS_NONE: break;
    }
    BUG("select of nothing");
}

/* ---- with effects ---- */

TirIns *tir_ins(Tirs *b, TirKind kind, const char *text, int num_args, const Tir *args,
                Tir *index) {
    TirIns ins = {.kind = (uint8_t)kind,
                  .class = CLASS_NONE,
                  .text = text,
                  .num_args = num_args,
                  .file = b->source_file,
                  .line = b->line,
                  .column = b->column};
    ins.args = arena_array(b->arena, Tir, num_args ? num_args : 1);
    for (int i = 0; i < num_args; i++) ins.args[i] = args[i];
    vec_push(b->arena, &b->list, ins);
    if (index) *index = b->list.count - 1;
    return &b->list.data[b->list.count - 1];
}

Tir tir_results(Tirs *b, Tir index, RegClass class, int count) {
    Tir first = b->list.count;
    b->list.data[index].num_results = count;
    for (int i = 0; i < count; i++) {
        TirIns *ins = tir_ins(b, TIR_RESULT, NULL, 1, &index, NULL);
        ins->imm = (uint64_t)i;
        ins->class = (uint8_t) class;
    }
    return first;
}

void tir_plain(Tirs *b, const char *text) { tir_ins(b, TIR_PLAIN, text, 0, NULL, NULL); }

Tir tir_var(Tirs *b, RegClass class) {
    Tir index;
    tir_ins(b, TIR_VAR, NULL, 0, NULL, &index)->class = (uint8_t) class;
    return index;
}

void tir_set(Tirs *b, Tir variable, Tir value) {
    tir_ins(b, TIR_SET, NULL, 2, (Tir[]){variable, value}, NULL);
}

int tir_new_label(Tirs *b) { return ++b->num_labels; }

void tir_label(Tirs *b, int label) {
    tir_ins(b, TIR_LABEL, NULL, 0, NULL, NULL)->imm = (uint64_t)label;
}

void tir_branch(Tirs *b, int label, Tir guard, bool negated) {
    TirIns *ins = tir_ins(b, TIR_BRANCH, NULL, 0, NULL, NULL);
    ins->imm = (uint64_t)label;
    ins->guard = guard;
    ins->guard_negated = negated;
}
