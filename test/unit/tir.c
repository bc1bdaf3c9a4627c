// SPDX-License-Identifier: Apache-2.0
/* The thread IR is simplified while it is built: what is built means what was asked for, and the
 * bits that are known to be 0 are 0, for each integer op of isa.def and operands of each kind; and
 * what is known to become simpler does. */
#include "gen/ptx/tir.h"
#include "test.h"

/* Parameters: what the values of each have as zeros, from none to nearly all. */
static const struct {
    const char *name;
    uint64_t zeros;
} params[] = {
    {"any", 0},
    {"of8", 7},
    {"small", ~0xffull},
    {"half", ~0x3fffffffull},     /* below 2^30 */
    {"positive", ~0x7fffffffull}, /* below 2^31 */
    {"of16small", ~0xff0ull},
    {"bit", ~1ull},
};

static uint64_t random_state = 1;
static uint64_t random_bits(void) {
    random_state ^= random_state << 13, random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

static bool is_wide(RegClass class) { return class == CLASS_B64; }
static uint64_t mask_of(RegClass class) {
    return class == CLASS_PRED  ? 1
           : class == CLASS_B16 ? 0xffff
           : is_wide(class)     ? ~0ull
                                : 0xffffffffu;
}

static Tir param(Tirs *b, int which, RegClass class) {
    return tir_param(b, class, params[which].name, which, params[which].zeros & mask_of(class));
}

/* The value of x where parameter i is values[i]; false where PTX does not say. */
static bool value_of(const Tirs *b, Tir x, const uint64_t *values, uint64_t *result) {
    const TirIns *ins = &b->list.data[x];
    uint64_t bits[MOST_LANE_OPERANDS] = {0};
    if (ins->kind == TIR_CONST) return *result = ins->imm, true;
    if (ins->kind == TIR_PARAM)
        return *result = values[ins->imm] & mask_of((RegClass)ins->class), true;
    for (int i = 0; i < ins->num_args; i++)
        if (!value_of(b, ins->args[i], values, &bits[i])) return false;
    return ptx_eval((TirOp)ins->op, bits, result);
}

static void put(Buf *out, const Tirs *b, Tir x) {
    const TirIns *ins = &b->list.data[x];
    if (ins->kind == TIR_CONST) {
        int64_t number = is_wide((RegClass)ins->class) ? (int64_t)ins->imm
                         : ins->class == CLASS_B32     ? (int32_t)ins->imm
                                                       : (int64_t)ins->imm;
        buf_printf(out, "%lld", (long long)number);
    } else if (ins->kind == TIR_PARAM) {
        buf_puts(out, ins->text);
    } else {
        buf_printf(out, "%s(", ptx_rows[ins->op].name);
        for (int i = 0; i < ins->num_args; i++) {
            if (i) buf_puts(out, ", ");
            put(out, b, ins->args[i]);
        }
        buf_putc(out, ')');
    }
}

static bool is_number(PtxType type) {
    return ptx_type_class(type) == CLASS_PRED || type == PTX_b16 || type == PTX_u16 ||
           type == PTX_b32 || type == PTX_u32 || type == PTX_s32 || type == PTX_b64 ||
           type == PTX_u64 || type == PTX_s64;
}

static bool is_integer_op(TirOp op) {
    for (int i = 0; i <= ptx_rows[op].num_operands; i++)
        if (!is_number((PtxType)ptx_rows[op].types[i])) return false;
    return true;
}

/* Operands that a rule may look into: parameters, numbers, sums, products and shifts of them. */
static int operands(Tirs *b, RegClass class, Tir *out) {
    static const int64_t numbers[] = {
        0, 1, 2, 3, 7, 8, 31, 32, 63, 64, -1, -8, 1 << 6, (1 << 30), (1 << 30) - 1, INT32_MIN};
    int n = 0;
    if (class == CLASS_PRED) {
        out[n++] = tir_const(b, class, 0), out[n++] = tir_const(b, class, 1);
        out[n++] = param(b, 6, class), out[n++] = tir_1(b, TIR_NOT_P, param(b, 6, class));
        return n;
    }
    for (int i = 0; i < COUNT(numbers); i++) out[n++] = tir_const(b, class, (uint64_t)numbers[i]);
    for (int i = 0; i < COUNT(params); i++) out[n++] = param(b, i, class);
    if (class == CLASS_B16) return n;
    TirOp add = is_wide(class) ? TIR_ADD64 : TIR_ADD32,
          shl = is_wide(class) ? TIR_SHL64 : TIR_SHL32,
          mul = is_wide(class) ? TIR_MUL64 : TIR_MUL32;
    for (int i = 0; i < COUNT(params); i++) {
        Tir x = param(b, i, class);
        out[n++] = tir_2(b, add, x, tir_const(b, class, 5));
        out[n++] = tir_2(b, add, x, tir_const(b, class, (uint64_t)-24));
        out[n++] = tir_2(b, shl, x, tir_i32(b, 3));
        out[n++] = tir_2(b, mul, x, tir_const(b, class, 12));
    }
    if (is_wide(class)) {
        out[n++] = tir_1(b, TIR_SEXT, param(b, 0, CLASS_B32));
        out[n++] = tir_1(b, TIR_ZEXT, param(b, 4, CLASS_B32));
        for (int i = 1; i < 5; i++) /* rows of a block that begins at the first */
            for (int k = 0; k < 3; k++) {
                Tir row = tir_1(b, TIR_SEXT, param(b, k, CLASS_B32));
                Tir sum = tir_2(b, add, param(b, i, class), row);
                out[n++] = tir_2(b, add, sum, tir_const(b, class, (uint64_t)(8 * i)));
            }
    }
    return n;
}

enum { MOST_OPERANDS = 80, VALUES = 24 };

typedef struct Check {
    int wrong, checks;
} Check;

static void check(Check *c, Tirs *b, TirOp op, const Tir *args) {
    Tir built = tir_3(b, op, args[0], args[1], args[2]);
    uint64_t zeros = b->list.data[built].zeros;
    for (int turn = 0; turn < VALUES; turn++) {
        uint64_t values[COUNT(params)], bits[MOST_LANE_OPERANDS] = {0}, want, got;
        for (int i = 0; i < COUNT(params); i++) {
            static const uint64_t edges[] = {0, ~0ull, 1ull << 31, 1ull << 63, 0x7fffffff};
            values[i] = (turn < COUNT(edges) ? edges[turn] : random_bits()) & ~params[i].zeros;
        }
        bool known = true;
        for (int i = 0; i < ptx_rows[op].num_operands; i++)
            known = known && value_of(b, args[i], values, &bits[i]);
        if (!known || !ptx_eval(op, bits, &want) || !value_of(b, built, values, &got)) continue;
        c->checks++;
        if (want == got && !(got & zeros & mask_of(tir_class(b, built)))) continue;
        if (c->wrong++) continue;
        Buf text = {.arena = b->arena};
        buf_printf(&text, "%s of ", ptx_rows[op].name);
        for (int i = 0; i < ptx_rows[op].num_operands; i++)
            put(&text, b, args[i]), buf_puts(&text, ", ");
        buf_puts(&text, "is ");
        put(&text, b, built);
        printf("%s: want %llx, got %llx, zeros %llx\n", text.data, (unsigned long long)want,
               (unsigned long long)got, (unsigned long long)zeros);
    }
}

TEST(what_is_built_means_what_was_asked_for) {
    Check c = {0};
    for (TirOp op = 0; op < NUM_TIR_OPS; op++) {
        const PtxRow *row = &ptx_rows[op];
        if (!is_integer_op(op) || row->num_operands > 2) continue;
        Arena *arena = arena_new(NULL);
        Tirs *b = tir_new(arena);
        Tir x[MOST_OPERANDS], y[MOST_OPERANDS] = {0};
        int nx = operands(b, ptx_type_class((PtxType)row->types[1]), x), ny = 1;
        if (row->num_operands == 2) ny = operands(b, ptx_type_class((PtxType)row->types[2]), y);
        for (int i = 0; i < nx; i++)
            for (int k = 0; k < ny; k++) check(&c, b, op, (Tir[]){x[i], y[k], 0});
        arena_free(arena);
    }
    CHECK(c.wrong == 0);
    CHECK(c.checks > 300000);
}

TEST(selections_and_fields) {
    Check c = {0};
    static const TirOp selects[] = {TIR_SELECT16, TIR_SELECT32, TIR_SELECT64};
    Arena *arena = arena_new(NULL);
    Tirs *b = tir_new(arena);
    for (int s = 0; s < COUNT(selects); s++) {
        Tir x[MOST_OPERANDS], z[MOST_OPERANDS];
        int nx = operands(b, ptx_type_class((PtxType)ptx_rows[selects[s]].types[1]), x),
            nz = operands(b, CLASS_PRED, z);
        for (int i = 0; i < nx; i += 3)
            for (int k = 0; k < nx; k += 2)
                for (int j = 0; j < nz; j++) check(&c, b, selects[s], (Tir[]){x[i], x[k], z[j]});
    }
    for (int from = 0; from < 40; from += 3)
        for (int count = 0; count < 40; count += 3)
            for (int i = 0; i < COUNT(params); i++) {
                Tir args[] = {param(b, i, CLASS_B32), tir_i32(b, from), tir_i32(b, count)};
                check(&c, b, TIR_BFE_U32, args);
                check(&c, b, TIR_BFE_S32, args);
            }
    CHECK(c.wrong == 0 && c.checks > 10000);
    arena_free(arena);
}

/* ---- what becomes simpler ---- */

typedef struct Row {
    TirOp op;
    const char *x, *y; /* a parameter, a number, or a parameter, '+' and a number */
    const char *want;
    uint64_t zeros; /* of the result, in its 32 or 64 bits */
} Row;

static Tir operand(Tirs *b, const char *text, RegClass class) {
    char name[40];
    size_t length = strcspn(text, "+");
    if (*text == '-' || (*text >= '0' && *text <= '9'))
        return tir_const(b, class, (uint64_t)strtoll(text, NULL, 0));
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    Tir x = 0;
    for (int i = 0; i < COUNT(params); i++)
        if (!strcmp(params[i].name, name)) x = param(b, i, class);
    if (!text[length]) return x;
    return tir_2(b, is_wide(class) ? TIR_ADD64 : TIR_ADD32, x,
                 tir_const(b, class, (uint64_t)strtoll(text + length + 1, NULL, 0)));
}

static const Row rows[] = {
#include "tir_rows.h"
};

TEST(what_is_known_to_be_simpler_is) {
    for (int i = 0; i < COUNT(rows); i++) {
        const Row *row = &rows[i];
        const PtxRow *info = &ptx_rows[row->op];
        Arena *arena = arena_new(NULL);
        Tirs *b = tir_new(arena);
        Tir x = operand(b, row->x, ptx_type_class((PtxType)info->types[1]));
        Tir y = info->num_operands > 1 ? operand(b, row->y, ptx_type_class((PtxType)info->types[2]))
                                       : 0;
        Tir built = tir_2(b, row->op, x, y);
        uint64_t zeros = b->list.data[built].zeros & mask_of(tir_class(b, built));
        Buf text = {.arena = arena};
        put(&text, b, built);
        if (getenv("TERN_BLESS"))
            printf("    {TIR_%s, \"%s\", \"%s\", \"%s\", 0x%llx},\n", info->name, row->x, row->y,
                   text.data, (unsigned long long)zeros);
        else if (strcmp(text.data, row->want) || zeros != row->zeros)
            printf("%s of %s, %s: %llx\n", info->name, row->x, row->y, (unsigned long long)zeros),
                CHECK_STR(text.data, row->want), CHECK(zeros == row->zeros);
        arena_free(arena);
    }
}

/* Where it is read as a float; its bits are flipped where they are read. */
TEST(what_is_negated_is_negated_by_name) {
    Arena *arena = arena_new(NULL);
    Tirs *b = tir_new(arena);
    Tir x = param(b, 0, CLASS_B32), minus = tir_2(b, TIR_XOR32, x, tir_i32(b, INT32_MIN));
    Tir other = tir_2(b, TIR_XOR32, x, tir_i32(b, 1));
    const TirIns *list = b->list.data;
    for (int i = 0; i < 3; i++) {
        Tir fma = tir_3(b, TIR_FMA_F32, i == 0 ? minus : x, i == 1 ? minus : x, i == 2 ? minus : x);
        list = b->list.data;
        CHECK(tir_is(b, list[fma].args[i], TIR_NEG_F32) && list[list[fma].args[i]].args[0] == x &&
              list[fma].args[(i + 1) % 3] == x);
    }
    Tir sum = tir_2(b, TIR_ADD_F32, other, x), bits = tir_2(b, TIR_ADD32, minus, x);
    list = b->list.data;
    CHECK(list[sum].args[0] == other && list[bits].args[0] == minus);
    arena_free(arena);
}

/* Of two bf16 in a word, each is one instruction away from its f32. */
TEST(halves_of_a_word_are_widened_at_once) {
    Arena *arena = arena_new(NULL);
    Tirs *b = tir_new(arena);
    Tir word = param(b, 0, CLASS_B32), by = tir_i32(b, 16);
    for (int upper = 0; upper < 2; upper++) {
        Tir half = tir_1(b, TIR_LOW16, upper ? tir_2(b, TIR_SHR_U32, word, by) : word);
        Tir wide = tir_2(b, TIR_SHL32, tir_1(b, TIR_WIDE16, half), by);
        CHECK(tir_is(b, wide, upper ? TIR_AND32 : TIR_SHL32) && tir_argument(b, wide, 0) == word);
        uint64_t bits = 0;
        CHECK(tir_is_const(b, tir_argument(b, wide, 1), &bits));
        CHECK(bits == (upper ? 0xffff0000 : 16));
    }
    Tir other = tir_1(b, TIR_LOW16, tir_2(b, TIR_SHR_U32, word, tir_i32(b, 8)));
    Tir wide = tir_2(b, TIR_SHL32, tir_1(b, TIR_WIDE16, other), by);
    CHECK(tir_is(b, wide, TIR_SHL32) && tir_is(b, tir_argument(b, wide, 0), TIR_SHR_U32));
    arena_free(arena);
}

/* Whether a row of a block is above a column of it, and before the end, is asked in 32 bits. */
TEST(rows_of_a_block_are_compared_in_32_bits) {
    Arena *arena = arena_new(NULL);
    Tirs *b = tir_new(arena);
    Tir base = param(b, 4, CLASS_B64), row = tir_1(b, TIR_SEXT, param(b, 2, CLASS_B32)),
        column = tir_1(b, TIR_SEXT, param(b, 5, CLASS_B32)), any = param(b, 0, CLASS_B64);
    Tir x = tir_2(b, TIR_ADD64, base, row),
        y = tir_2(b, TIR_ADD64, tir_2(b, TIR_ADD64, base, column), tir_i64(b, 8));
    CHECK(tir_is(b, tir_2(b, TIR_GT_S64, x, y), TIR_GT_S32));
    CHECK(tir_is(b, tir_2(b, TIR_LE_S64, y, x), TIR_LE_S32));
    Tir end = tir_1(b, TIR_SEXT, param(b, 0, CLASS_B32));
    CHECK(tir_is(b, tir_2(b, TIR_LT_S64, y, end), TIR_GT_S32));
    CHECK(tir_is(b, tir_2(b, TIR_LT_S64, x, end), TIR_LT_S64));
    CHECK(tir_is(b, tir_2(b, TIR_LT_S64, y, any), TIR_LT_S64));
    Tir far = tir_2(b, TIR_ADD64, any, row), away = tir_2(b, TIR_ADD64, any, column);
    CHECK(tir_is(b, tir_2(b, TIR_GT_S64, far, away), TIR_GT_S64));
    arena_free(arena);
}

TEST(offsets_of_addresses_have_24_bits) {
    static const struct {
        int64_t offset;
        bool split;
    } cases[] = {{4, true},         {-4, true},         {(1 << 23) - 1, true},
                 {1 << 23, false},  {-(1 << 23), true}, {-(1 << 23) - 1, false},
                 {INT64_MAX, false}};
    Arena *arena = arena_new(NULL);
    Tirs *b = tir_new(arena);
    for (int wide = 0; wide < 2; wide++)
        for (int i = 0; i < COUNT(cases); i++) {
            RegClass class = wide ? CLASS_B64 : CLASS_B32;
            if (!wide && cases[i].offset == INT64_MAX) continue;
            int64_t offset = 99;
            Tir base = param(b, 0, class),
                sum = tir_2(b, wide ? TIR_ADD64 : TIR_ADD32, base,
                            tir_const(b, class, (uint64_t)cases[i].offset));
            Tir at = tir_split_offset(b, sum, &offset);
            CHECK(at == (cases[i].split ? base : sum));
            CHECK(offset == (cases[i].split ? cases[i].offset : 0));
        }
    int64_t offset = 99;
    CHECK(tir_split_offset(b, param(b, 0, CLASS_B64), &offset) == param(b, 0, CLASS_B64) &&
          !offset);
    arena_free(arena);
}

TEST(equal_ones_are_one) {
    Arena *arena = arena_new(NULL);
    Tirs *b = tir_new(arena);
    Tir x = param(b, 0, CLASS_B32), y = param(b, 1, CLASS_B32);
    Tir sum = tir_2(b, TIR_ADD32, x, y);
    CHECK(tir_2(b, TIR_ADD32, x, y) == sum && tir_2(b, TIR_SUB32, x, y) != sum);
    CHECK(tir_2(b, TIR_ADD32, y, x) != sum); /* in the order that was asked for */
    CHECK(tir_i32(b, 5) == tir_i32(b, 5) && tir_i32(b, 5) != tir_const(b, CLASS_B64, 5));
    CHECK(tir_special(b, CLASS_B32, "%tid.x", 0) == tir_special(b, CLASS_B32, "%tid.x", 0));
    CHECK(tir_special(b, CLASS_B32, "%tid.x", 0) != tir_special(b, CLASS_B32, "%tid.y", 0));
    CHECK(tir_2(b, TIR_MUL32, tir_i32(b, 7), x) == tir_2(b, TIR_MUL32, x, tir_i32(b, 7)));
    int scope = tir_enter(b);
    Tir inner = tir_2(b, TIR_XOR32, x, y);
    CHECK(tir_2(b, TIR_XOR32, x, y) == inner);
    tir_leave(b, scope);
    CHECK(tir_2(b, TIR_XOR32, x, y) != inner); /* it is not made on every way here */
    CHECK(tir_2(b, TIR_ADD32, x, y) == sum);
    /* More than there is room for at first: all are still found. */
    Tir many[5000];
    for (int i = 0; i < COUNT(many); i++) many[i] = tir_i32(b, 1000 + i);
    for (int i = 0; i < COUNT(many); i++) CHECK(tir_i32(b, 1000 + i) == many[i]);
    arena_free(arena);
}

/* ---- the order of printing ---- */

typedef struct Chains {
    RegClass class;
    bool loaded,
        in_loop; /* the first values are results of loads of four; a loop is around the stores */
} Chains;

/* Products of all registers first, then sums of all, then stores: is the first store printed
 * early? */
static bool goes_through_early(Chains c, int count) {
    Arena *arena = arena_new(NULL);
    Tirs *b = tir_new(arena);
    bool wide = is_wide(c.class);
    Tir base = tir_param(b, CLASS_B64, "u64", 0, 0), x[256], first = param(b, 0, c.class), load = 0;
    for (int i = 0; i < count; i++) {
        if (c.loaded && i % 4 == 0) {
            tir_ins(b, TIR_LOAD, "ld.global", 1, &base, &load);
            first = tir_results(b, load, c.class, 4);
        }
        Tir from = c.loaded ? first + i % 4 : first;
        x[i] = tir_2(b, wide ? TIR_XOR64 : TIR_XOR32, from, tir_const(b, c.class, (uint64_t)i + 1));
    }
    int label = tir_new_label(b);
    if (c.in_loop) tir_label(b, label);
    for (int i = 0; i < count && !c.in_loop; i++)
        x[i] = tir_2(b, wide ? TIR_MUL64 : TIR_MUL32, x[i], tir_const(b, c.class, 77));
    for (int i = 0; i < count; i++)
        tir_ins(b, TIR_STORE, "st.global", 2,
                (Tir[]){tir_2(b, TIR_ADD64, base, tir_i64(b, 8 * i)), x[i]}, NULL);
    if (c.in_loop) tir_branch(b, label, param(b, 6, CLASS_PRED), false);
    tir_mark(b);
    tir_order(b);
    int at = 0, stores = 0;
    for (int i = 0; i < b->order_count; i++) {
        bool is_store = b->list.data[b->order[i]].kind == TIR_STORE;
        if (is_store && !stores++) at = i;
    }
    CHECK(stores == count && (c.in_loop || at < b->order_count));
    arena_free(arena);
    return at < count;
}

TEST(many_registers_go_through_one_by_one) {
    static const struct {
        Chains chains;
        int most; /* so many go together; 0: any number */
    } cases[] = {
        {{CLASS_B32, false, false}, 37},
        {{CLASS_B64, false, false}, 19},
        {{CLASS_B32, true, false}, 0},
        {{CLASS_B32, false, true}, 0},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        int most = 0;
        while (most < 200 && !goes_through_early(cases[i].chains, most + 1)) most++;
        if (most == 200) most = 0;
        if (most != cases[i].most) printf("chains %d: %d\n", i, most);
        CHECK(most == cases[i].most);
        for (int n = most + 1; most && n < 120; n++) CHECK(goes_through_early(cases[i].chains, n));
    }
}

/* ---- addresses that move on ---- */

typedef struct Turns {
    int addresses;           /* of loads, in each turn */
    bool waits, index_twice; /* a barrier; the index moves in two places */
} Turns;

/* How many additions of 64 bits a loop over o, of loads at parameter + (o << 1), prints in it. */
static int additions_in_loop(Turns t) {
    Arena *arena = arena_new(NULL);
    Tirs *b = tir_new(arena);
    Tir o = tir_var(b, CLASS_B64);
    tir_set(b, o, tir_i64(b, 0));
    int head = tir_new_label(b), additions = 0;
    tir_label(b, head);
    for (int i = 0; i < t.addresses; i++) {
        Tir base = tir_param(b, CLASS_B64, "u64", i, 0), load;
        Tir at = tir_2(b, TIR_ADD64, base, tir_2(b, TIR_SHL64, o, tir_i32(b, 1)));
        tir_ins(b, TIR_LOAD, "ld.global", 1, &at, &load);
        Tir x = tir_results(b, load, CLASS_B32, 1);
        tir_ins(b, TIR_STORE, "st.shared", 2, (Tir[]){tir_i32(b, 4 * i), x}, NULL);
    }
    if (t.waits) tir_plain(b, "bar.sync 0;");
    if (t.index_twice) tir_set(b, o, tir_2(b, TIR_ADD64, o, tir_i64(b, 1)));
    tir_set(b, o, tir_2(b, TIR_ADD64, o, tir_i64(b, 64)));
    tir_branch(b, head, tir_param(b, CLASS_PRED, "u8", 9, 0), false);
    tir_walk(b);
    tir_mark(b);
    tir_order(b);
    bool inside = false;
    for (int i = 0; i < b->order_count; i++) {
        const TirIns *ins = &b->list.data[b->order[i]];
        inside |= ins->kind == TIR_LABEL;
        additions += inside && tir_is(b, b->order[i], TIR_ADD64);
        if (ins->kind == TIR_LOAD && !t.index_twice && t.addresses <= 4)
            CHECK(b->list.data[ins->args[0]].kind == TIR_VAR);
    }
    arena_free(arena);
    return additions;
}

TEST(addresses_are_carried) {
    CHECK(additions_in_loop((Turns){1, false, false}) == 1); /* the address; o is not needed */
    CHECK(additions_in_loop((Turns){4, false, false}) == 4);
    CHECK(additions_in_loop((Turns){5, false, false}) == 6); /* too many: all are made of o */
    CHECK(additions_in_loop((Turns){2, true, false}) == 2);  /* past a barrier, too */
    CHECK(additions_in_loop((Turns){2, false, true}) == 4);
}

/* ---- halves of a word ---- */

typedef enum With { EACH_OTHER, ONE_NUMBER, NOTHING } With;

typedef struct Halves {
    int by;
    With with;         /* is added to them */
    bool again, other; /* the shifted word is read, too; it is of another word */
} Halves;

/* What is printed of both halves of a word that is loaded. */
static const char *halves_printed(Arena *arena, Halves h) {
    Tirs *b = tir_new(arena);
    Buf out = {.arena = arena};
    Tir at = tir_param(b, CLASS_B64, "u64", 0, 0), number = param(b, 1, CLASS_B16), load;
    tir_ins(b, TIR_LOAD, "ld.global.v2.b32", 1, &at, &load);
    Tir words = tir_results(b, load, CLASS_B32, 2), low = tir_1(b, TIR_LOW16, words);
    Tir shifted = tir_2(b, TIR_SHR_U32, h.other ? words + 1 : words, tir_i32(b, h.by));
    Tir high = tir_1(b, TIR_LOW16, shifted), made[] = {low, high};
    for (int i = 0; i < 2 && h.with != NOTHING; i++)
        made[i] = tir_2(b, TIR_ADD_F16, i ? high : low,
                        h.with == ONE_NUMBER ? number
                        : i                  ? low
                                             : high);
    for (int i = 0; i < 2; i++)
        tir_ins(b, TIR_STORE, "st.global.b16", 2, (Tir[]){at, made[i]}, NULL);
    if (h.again) tir_ins(b, TIR_STORE, "st.global.b32", 2, (Tir[]){at, shifted}, NULL);
    tir_mark(b);
    tir_order(b);
    tir_print(b, &out);
    return str_c(arena, buf_str(&out));
}

TEST(halves_are_named_at_once) {
    static const Halves others[] = {{8, .again = false},
                                    {16, .again = true},
                                    {16, .other = true},
                                    {16, .with = NOTHING},
                                    {16, .with = ONE_NUMBER}};
    Arena *arena = arena_new(NULL);
    const char *text = halves_printed(arena, (Halves){.by = 16});
    CHECK(strstr(text, "\tmov.b32 {%h0, %h1}, %r0;\n"));
    CHECK(!strstr(text, "cvt.u16.u32") && !strstr(text, "shr.u32"));
    CHECK(strstr(text, "add.rn.f16 %h2, %h0, %h1;\n"));
    for (int i = 0; i < COUNT(others); i++) {
        text = halves_printed(arena, others[i]);
        CHECK(!strstr(text, "mov.b32 {") && strstr(text, "shr.u32"));
    }
    arena_free(arena);
}

TEST_MAIN()
