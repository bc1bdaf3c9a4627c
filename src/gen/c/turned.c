// SPDX-License-Identifier: Apache-2.0
/* turned: operands of dot that lie in memory by columns. Loaded as they lie, and turned in blocks
 * of 16 x 16 lanes of 32 bits, which 64 shuffles do, they cost a fraction of what gathering lanes
 * costs:
 *
 *     b = load(p)          p[0, n], p[1, n] .. neighbours
 * ->
 *     x = load(trans(p)),  b = trans(x)
 *
 * Narrow lanes are turned in the groups of 2 or 4 that matrix.c multiplies. */
#include "gen/c/c.h"

enum { SIDE = 16 };

/* Is it made of a tile of whole blocks by a change of its two dimensions? */
bool is_turned(Gen *g, const Value *value) {
    const Op *op = value->def;
    if (info(g, value)->view || !op || op->kind != OP_TRANS || value->type->rank != 2) return false;
    return trans_order(op).data[0] == 1 && value->type->shape[0] % SIDE == 0 &&
           value->type->shape[1] % SIDE == 0;
}

Value *turned_source(Gen *g, Value *value) {
    Op *op = value->def;
    if (info(g, value)->users.count == 1) set_done(g, op);
    return op->operands[0];
}

/* ---- loads ---- */

static bool lies_by_columns(const Facts *facts, const Op *op) {
    if (!op || op->kind != OP_LOAD || load_volatile(op)) return false;
    const Type *type = op->results[0].type;
    if (!type_is_tile(type) || type->rank != 2 || type->shape[0] % SIDE || type->shape[1] % SIDE)
        return false;
    const AxisFacts *axis = facts_axis(facts, load_pointer(op));
    return axis->contiguity[0] >= SIDE && axis->contiguity[1] < SIDE;
}

void turn_load(Func *fn, const Facts *facts, const Value *value) {
    static const int order[] = {1, 0};
    Op *op = value->def;
    if (value->replaced || !lies_by_columns(facts, op))
        return; /* once, whoever else multiplies it */
    Builder b = {fn, op->parent, op, op->span};
    Value *mask = load_mask(op) ? build_trans(&b, load_mask(op), order) : NULL,
          *other = load_other(op) ? build_trans(&b, load_other(op), order) : NULL,
          *x = build_load(&b, build_trans(&b, load_pointer(op), order), mask, other);
    op->results[0].replaced = build_trans(&b, x, order);
    op_remove(op);
}

/* ---- blocks ---- */

typedef struct Shuffle {
    int x, y; /* vectors; the lanes of y follow those of x */
    int lanes[SIDE];
} Shuffle;

static void shuffle_write(Gen *g, int stage, int to, const Shuffle *s) {
    Buf lanes = {.arena = g->arena};
    for (int i = 0; i < SIDE; i++) buf_printf(&lanes, "%s%d", i ? ", " : "", s->lanes[i]);
    line(g, &g->functions, 1, "vi32 x%d_%d = __builtin_shufflevector(x%d_%d, x%d_%d, %s);",
         stage + 1, to, stage, s->x, stage, s->y, lanes.data);
}

/* Within each four lanes: the first or second two (count 2) or one (count 1) of x and of y. */
static Shuffle unpack(int x, int y, int count, bool high) {
    Shuffle s = {.x = x, .y = y};
    for (int i = 0; i < SIDE; i++) {
        int four = i / 4 * 4, at = i % 4;
        int lane = count == 1 ? (high ? 2 : 0) + at / 2 : (high ? 2 : 0) + at % 2;
        bool second = count == 1 ? at % 2 : at / 2;
        s.lanes[i] = four + lane + (second ? SIDE : 0);
    }
    return s;
}

/* Fours of lanes: two of x, two of y. */
static Shuffle fours(int x, int y, int first, int next) {
    Shuffle s = {.x = x, .y = y};
    for (int i = 0; i < SIDE; i++)
        s.lanes[i] = (i / 4 % 2 ? next : first) * 4 + i % 4 + (i / 8 ? SIDE : 0);
    return s;
}

static void block_write(Gen *g) {
    Buf *out = &g->functions;
    line(g, out, 0, "static void turn_block(int *to, L ldt, const int *from, L ldf) {");
    for (int i = 0; i < SIDE; i++)
        line(g, out, 1, "vi32 x0_%d = *(const m_i32 *)(from + %d * ldf);", i, i);
    for (int i = 0; i < SIDE; i += 2)
        for (int high = 0; high < 2; high++) {
            Shuffle s = unpack(i, i + 1, 1, high);
            shuffle_write(g, 0, i + high, &s);
        }
    for (int q = 0; q < SIDE; q += 4)
        for (int j = 0; j < 4; j++) {
            Shuffle s = unpack(q + j / 2, q + j / 2 + 2, 2, j % 2);
            shuffle_write(g, 1, q + j, &s);
        }
    /* x2_[4 q + j] has, in four L of its lanes, column 4 L + j of rows 4 q to 4 q + 3. */
    for (int j = 0; j < 4; j++)
        for (int k = 0; k < 4; k++) {
            Shuffle s = fours(k / 2 * 8 + j, k / 2 * 8 + 4 + j, k % 2 * 2, k % 2 * 2 + 1);
            shuffle_write(g, 2, k * 4 + j, &s);
        }
    for (int j = 0; j < 4; j++)
        for (int column = 0; column < 4; column++) {
            int half = column / 2, at = column % 2;
            Shuffle s = fours(half * 4 + j, 8 + half * 4 + j, at, at + 2);
            shuffle_write(g, 3, column * 4 + j, &s);
        }
    for (int i = 0; i < SIDE; i++) line(g, out, 1, "*(m_i32 *)(to + %d * ldt) = x4_%d;", i, i);
    line(g, out, 0, "}");
}

static void lanes_write(Gen *g) {
    Buf *out = &g->functions;
    line(g, out, 0, "static void turn_block(int *to, L ldt, const int *from, L ldf) {");
    line(g, out, 1, "for (int i = 0; i < %d; i++)", SIDE);
    line(g, out, 2, "for (int j = 0; j < %d; j++) to[j * ldt + i] = from[i * ldf + j];", SIDE);
    line(g, out, 0, "}");
}

static void turn_write(Gen *g) {
    Buf *out = &g->functions;
    if (g->W == SIDE)
        block_write(g);
    else
        lanes_write(g);
    line(g, out, 0,
         "static void turn(int *to, L ldt, const int *from, L ldf, L rows, L columns) {");
    line(g, out, 1, "for (L j = 0; j < columns; j += %d)", SIDE);
    line(g, out, 2,
         "for (L i = 0; i < rows; i += %d) turn_block(to + j * ldt + i, ldt, from + i "
         "* ldf + j, ldf);",
         SIDE);
    line(g, out, 0, "}");
}

void turned_write(Gen *g, Str to, int to_row, Str from, int from_row, int rows, int columns) {
    if (is_new_function(g, STR("turn"))) turn_write(g);
    line(g, g->out, g->depth, "turn((int *)(%.*s), %d, (const int *)(%.*s), %d, %d, %d);",
         STR_ARG(to), to_row, STR_ARG(from), from_row, rows, columns);
}
