// SPDX-License-Identifier: Apache-2.0
/* matrix: the op dot by AMX, whose tiles hold 16 rows of 64 bytes: four of sums, two of a and two
 * of b make 32 x 32 sums of one step of 64 bytes of a's rows. a is row-major; b, in panels of 32
 * columns, is in groups of the rows that fill 32 bits:
 *
 *     b[0][0] b[0][1] ..                b[0][0] b[1][0]  b[0][1] b[1][1] ..
 *     b[1][0] b[1][1] ..       ->       b[2][0] b[3][0]  ..
 *
 * Sums that a loop carries for this product alone would be loaded and stored in each turn, as many
 * tiles as they are. Instead operands gather, those of several turns, and are multiplied together:
 *
 *     for k:  c = dot(a, b, c)      ->      for k:  slot = a, b;  if slots are full:  c += all
 *                                           c += what is left
 *
 * Each sum is that of the same products in the same order. */
#include "gen/c/c.h"

enum {
    ROWS = 16,
    ROW_BYTES = 64,
    GATHERED_BYTES = 1024,  /* of each row of a: 16 steps for 4 tiles of sums */
    MOST_GATHERED = 1 << 19 /* bytes of both operands: a part of a core's 2 MB of cache */
};

static int lane_bytes(const Type *tile) { return type_size_bytes(type_lane(tile)); }

bool dot_has_tiles(const Op *dot, CArch arch) {
    const Type *a = dot_a(dot)->type, *b = dot_b(dot)->type, *r = dot->results[0].type;
    TypeKind lane = type_lane(a)->kind, sum = type_lane(r)->kind;
    if (arch != C_AMX || type_lane(b)->kind != lane) return false;
    bool known = lane == TYPE_I8     ? sum == TYPE_I32
                 : lane == TYPE_BF16 ? type_is_float(type_lane(r)) && sum != TYPE_F64
                                     : false;
    return known && a->shape[a->rank - 2] % ROWS == 0 && b->shape[b->rank - 1] % ROWS == 0 &&
           a->shape[a->rank - 1] * lane_bytes(a) % ROW_BYTES == 0;
}

/* ---- functions ---- */

/* The sums that the next call loads are fetched meanwhile, some rows in each step. */
static void next_sums_write(Gen *g, const TileDot *d) {
    int rows = d->fetched_rows;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < d->columns; j++)
            line(g, &g->functions, 3, "__builtin_prefetch(next + %d * ldc + %d);", i,
                 j * ROW_BYTES);
    if (rows) line(g, &g->functions, 3, "next += %d * ldc;", rows);
}

/* Sums of rows x columns tiles, over n slots of K steps each; from_zero: of these alone. */
static void kernel_write(Gen *g, const char *name, const TileDot *d) {
    Buf *out = &g->functions;
    const char *lane = kind_code(d->lane);
    int rows = d->rows, columns = d->columns;
    const char *const all[] = {"load", "store"};
    int width = columns * ROW_BYTES;
    line(
        g, out, 0,
        "static void %s(char *c, const char *a, const char *b, L ldc, L lda, L K, L n, L na, L nb) "
        "{",
        name);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < rows * columns; i++)
            if (!pass && d->from_zero)
                line(g, out, 1, "t_tile_zero(%d);", i);
            else
                line(g, out, 1, "t_tile_%s(%d, c + %d * ldc + %d, ldc);", all[pass], i,
                     i / columns * ROWS, i % columns * ROW_BYTES);
        if (pass) break;
        if (d->fetched_rows) line(g, out, 1, "const char *next = c + %d;", width);
        line(g, out, 1, "for (; n > 0; n--, a += na, b += nb)");
        line(g, out, 2, "for (L k = 0; k < K; k++) {");
        next_sums_write(g, d);
        for (int j = 0; j < columns; j++)
            line(g, out, 3, "t_tile_load(%d, b + k * %d + %d, %d);", 6 + j, ROWS * width,
                 j * ROW_BYTES, width);
        for (int i = 0; i < rows; i++) {
            line(g, out, 3, "t_tile_load(%d, a + %d * lda + k * %d, lda);", 4 + i, i * ROWS,
                 ROW_BYTES);
            for (int j = 0; j < columns; j++)
                line(g, out, 3, "t_tile_dot_%s(%d, %d, %d);", lane, i * columns + j, 4 + i, 6 + j);
        }
        line(g, out, 2, "}");
    }
    line(g, out, 0, "}");
}

/* Indices of lanes that two vectors give in turn: from, from of the second, from + 1 .. */
static Str interleaved(Gen *g, int from, int half, int lanes) {
    Buf out = {.arena = g->arena};
    for (int i = 0; i < half; i++)
        buf_printf(&out, "%s%d, %d", i ? ", " : "", from + i, lanes + from + i);
    return buf_str(&out);
}

/* Two rows of 32 lanes of 16 bits: a panel's pairs. */
static void pairs_write(Gen *g, Buf *out) {
    for (int half = 0; half < 2; half++)
        line(g, out, 3, "*(m_i32 *)(to + %d) = (vi32)__builtin_shufflevector(x0, x1, %.*s);",
             half * ROWS, STR_ARG(interleaved(g, half * 16, 16, 32)));
}

/* Four rows of 64 lanes of 8 bits: two panels' fours. */
static void fours_write(Gen *g, Buf *out) {
    for (int half = 0; half < 2; half++) {
        for (int i = 0; i < 4; i += 2)
            line(g, out, 3, "t_pairs p%d%d = (t_pairs)__builtin_shufflevector(x%d, x%d, %.*s);",
                 half, i, i, i + 1, STR_ARG(interleaved(g, half * 32, 32, 64)));
        for (int part = 0; part < 2; part++)
            line(g, out, 3,
                 "*(m_i32 *)(to + %s%d) = (vi32)__builtin_shufflevector(p%d0, p%d2, %.*s);",
                 half ? "K * 8 + " : "", part * ROWS, half, half,
                 STR_ARG(interleaved(g, part * 16, 16, 32)));
    }
}

/* 16 columns at a time, for widths that whole vectors of narrow lanes do not divide. */
static void column_groups_write(Gen *g, Buf *out, TypeKind lane, int group, int width) {
    int bits = 32 / group;
    for (int j = 0; j < width; j += ROWS) {
        line(g, out, 3, "{");
        for (int i = 0; i < group; i++)
            line(g, out, 4, "vu32 y%d = t_u%d_to_u32((vu%d)*(const %s *)(b%d + (n + %d) * %d));", i,
                 bits, bits, memory_type(lane, true), i, j, bits / 8);
        line(g, out, 4, "*(m_i32 *)(to + %d) = (vi32)(%s);", j,
             group == 4 ? "y0 | y1 << 8 | y2 << 16 | y3 << 24" : "y0 | y1 << 16");
        line(g, out, 3, "}");
    }
}

/* b's rows to panels, in the order in which they lie in memory; `step`: columns that a turn takes,
 * a panel or, of whole vectors of bytes, two. */
static void panels_write(Gen *g, const char *name, TypeKind lane, int group, int step) {
    Buf *out = &g->functions;
    bool pairs = group == 2 && step == 32, fours = group == 4 && step == 64;
    line(g, out, 0, "static void %s(int *panels, const L *rows, L K, L N) {", name);
    if (pairs || fours) line(g, out, 1, "typedef short t_pairs __attribute__((vector_size(64)));");
    if (fours) line(g, out, 1, "typedef char t_bytes __attribute__((vector_size(64)));");
    if (pairs || fours)
        line(g, out, 1,
             "typedef %s m_lanes __attribute__((vector_size(64), aligned(1), may_alias));",
             pairs ? "short" : "char");
    line(g, out, 1, "for (L k = 0; k < K; k += %d) {", group);
    for (int i = 0; i < group; i++) line(g, out, 2, "L b%d = rows[k + %d];", i, i);
    line(g, out, 2, "int *to = panels + k * %d;", (fours ? 32 : step) / group);
    line(g, out, 2, "for (L n = 0; n < N; n += %d, to += K * %d) {", step, step / group);
    for (int i = 0; i < group && (pairs || fours); i++)
        line(g, out, 3, "%s x%d = *(const m_lanes *)(b%d + n * %d);", pairs ? "t_pairs" : "t_bytes",
             i, i, 4 / group);
    if (pairs)
        pairs_write(g, out);
    else if (fours)
        fours_write(g, out);
    else
        column_groups_write(g, out, lane, group, step);
    line(g, out, 2, "}");
    line(g, out, 1, "}");
    line(g, out, 0, "}");
}

/* ---- products ---- */

static const char *kernel_of(Gen *g, const TileDot *d) {
    Str name = text(g, "mt%s_%s_%dx%d_%d", d->from_zero ? "z" : "", kind_code(d->lane), d->rows,
                    d->columns, d->fetched_rows);
    if (is_new_function(g, name)) kernel_write(g, name.data, d);
    return name.data;
}

static void products_write(Gen *g, const TileDot *d, Str slots) {
    int bytes = type_size_bytes(type_scalar(d->lane)), start = (int)g->out->length;
    const char *name = kernel_of(g, d);
    line(g, g->out, g->depth, "t_tiles_begin();");
    for (int i = 0; i < d->batches; i++) {
        long long a = (long long)i * d->M * d->K, b = (long long)i * d->K * d->N,
                  c = (long long)i * d->M * d->N;
        line(g, g->out, g->depth,
             "for (int m = 0; m < %d; m += %d) for (int n = 0; n < %d; n += %d)", d->M,
             d->rows * ROWS, d->N, d->columns * ROWS);
        line(g, g->out, g->depth + 1,
             "%s((char *)(a%d + %lld + m * %d + n), (const char *)(a%d + %lld + m * %d), "
             "(const char *)a%d + %lld + n * %lld, %d, %d, %d, %.*s, %lld, %lld);",
             name, d->c, c, d->N, d->a, a, d->K, d->b, b * bytes, (long long)d->K * bytes, d->N * 4,
             d->K * bytes, d->K * bytes / ROW_BYTES, STR_ARG(slots),
             (long long)d->batches * d->M * d->K * bytes,
             (long long)d->batches * d->K * d->N * bytes);
    }
    vec_push(g->arena, &g->blocks, (Block){BLOCK_NEST, start, (int)g->out->length});
}

/* The sums of the loop that the dot is in, made by it alone: operands may gather. */
static bool may_gather(Gen *g, const Op *op) {
    const Region *body = op->parent;
    const Op *loop = body->owner;
    Value *acc = dot_acc(op);
    const Value *r = &op->results[0];
    if (!loop || loop->kind != OP_FOR || acc->def || acc->region != body) return false;
    const ValueInfo *of_acc = info(g, acc), *of_r = info(g, r);
    if (of_acc->users.count != 1 || of_r->users.count != 1 || of_r->users.data[0] != body->last)
        return false;
    for (int i = 0; i < body->last->num_operands; i++)
        if (body->last->operands[i] == r) return body->args[1 + i] == acc;
    return false;
}

static int slots_of(Gen *g, const Op *op, const TileDot *d) {
    int bytes = type_size_bytes(type_scalar(d->lane));
    int64_t one = ((int64_t)d->M + d->N) * d->K * bytes * d->batches;
    if (!may_gather(g, op)) return 1;
    int slots = GATHERED_BYTES / (d->K * bytes);
    while (slots > 1 && slots * one > MOST_GATHERED) slots /= 2;
    return slots > 0 ? slots : 1;
}

static Array *slots_array(Gen *g, const Type *type, int slots) {
    return array_new(g,
                     type_tile(g->fn->types, type_lane(type), 2,
                               (int[]){slots * (type->lanes / type->shape[type->rank - 1]),
                                       type->shape[type->rank - 1]}),
                     true);
}

/* Where the operands of this turn go: an array whose address moves. */
static Array *this_slot(Gen *g, const Array *slots, const Type *type, int turn) {
    Array *slot = arena_new_of(g->arena, Array);
    *slot = (Array){.id = new_id(g), .lane = slots->lane, .dedicated = true};
    line(g, &g->decls, 1, "%s *a%d = a%d;", array_type(slot->lane), slot->id, slots->id);
    line(g, g->out, g->depth, "a%d = a%d + turn%d * %d;", slot->id, slots->id, turn, type->lanes);
    return slot;
}

/* A function that groups rows, for panels of so many tiles. */
static const char *panels_function(Gen *g, TypeKind lane, int N, int tiles) {
    int bytes = type_size_bytes(type_scalar(lane)), whole = 64 / bytes;
    int step = N % whole == 0 ? whole : tiles * ROWS;
    Str name = text(g, "panels_%s_%d", kind_code(lane), step);
    if (is_new_function(g, name)) panels_write(g, name.data, lane, 4 / bytes, step);
    return name.data;
}

/* Panels of b, which is by rows, or by columns: then its groups are there already, to be turned. */
static void panels_of(Gen *g, const TileDot *d, Value *b, const Array *to) {
    int width = d->columns * ROWS, group = 4 / type_size_bytes(type_scalar(d->lane));
    if (is_turned(g, b) && d->K / group % 16 == 0) {
        const Array *from = packed(g, turned_source(g, b))->array;
        for (int n = 0; n < d->N; n += width)
            turned_write(g, text(g, "(int *)a%d + %d", to->id, n * (d->K / group)), width,
                         text(g, "a%d + %d", from->id, n * d->K), d->K / group, width,
                         d->K / group);
        return;
    }
    const Array *from = row_addresses(g, b);
    const char *name = panels_function(g, d->lane, d->N, d->columns);
    for (int i = 0; i < d->batches; i++)
        line(g, g->out, g->depth, "%s((int *)(a%d + %lld), a%d + %d, %d, %d);", name, to->id,
             (long long)i * d->K * d->N, from->id, i * d->K, d->K, d->N);
}

/* a by rows, from what lies by columns: in groups, and turned. */
static void rows_of_turned(Gen *g, const TileDot *d, Value *a, const Array *to) {
    int group = 4 / type_size_bytes(type_scalar(d->lane)), width = d->rows * ROWS;
    const Array *from = row_addresses(g, turned_source(g, a)), *panels = slots_array(g, a->type, 1);
    line(g, g->out, g->depth, "%s((int *)a%d, a%d, %d, %d);",
         panels_function(g, d->lane, d->M, d->rows), panels->id, from->id, d->K, d->M);
    for (int m = 0; m < d->M; m += width)
        turned_write(g, text(g, "a%d + %d", to->id, m * d->K), d->K / group,
                     text(g, "(int *)a%d + %d", panels->id, m * (d->K / group)), width,
                     d->K / group, width);
}

static bool has_turned_rows(Gen *g, const TileDot *d, const Value *a) {
    return is_turned(g, a) && d->K * type_size_bytes(type_scalar(d->lane)) / 4 % 16 == 0;
}

static bool is_zero(const Value *value) {
    while (value->def && (value->def->kind == OP_SPLAT || value->def->kind == OP_BROADCAST))
        value = value->def->operands[0];
    return value->def && value->def->kind == OP_CONSTANT && constant_bits(value->def) == 0;
}

/* The sums: in acc's own array, if nobody else reads it. */
static View *sums_of(Gen *g, Op *op, const Array *a) {
    Value *acc = dot_acc(op);
    View *own = info(g, acc)->view;
    if (own && own->array != a && array_is_private(g, acc, op)) return own;
    View *c = view_row_major(g, array_new(g, acc->type, true), acc->type);
    Root root = {.value = acc, .view = c};
    nest_write(g, &root, 1);
    return c;
}

static void gather(Gen *g, Op *op, TileDot *d) {
    Value *a = dot_a(op);
    bool turned = has_turned_rows(g, d, a);
    if (!turned && info(g, a)->users.count > 1 && !is_cheap(g, a)) force(g, a);
    d->turn = new_id(g);
    line(g, &g->decls, 1, "int turn%d = 0;", d->turn);
    Array *all_a = slots_array(g, a->type, d->slots),
          *all_b = slots_array(g, dot_b(op)->type, d->slots);
    View *to = view_row_major(g, this_slot(g, all_a, a->type, d->turn), a->type);
    if (turned)
        rows_of_turned(g, d, a, to->array);
    else {
        Root root = {.value = a, .view = to, .is_home = true};
        nest_write(g, &root, 1);
    }
    panels_of(g, d, dot_b(op), this_slot(g, all_b, dot_b(op)->type, d->turn));
    View *c = info(g, dot_acc(op))->view;
    d->a = all_a->id, d->b = all_b->id, d->c = c->array->id;
    line(g, g->out, g->depth, "if (++turn%d == %d) {", d->turn, d->slots);
    g->depth++;
    products_write(g, d, text(g, "%d", d->slots));
    line(g, g->out, g->depth, "turn%d = 0;", d->turn);
    g->depth--;
    line(g, g->out, g->depth, "}");
    vec_push(g->arena, &g->gathered, *d);
    value_store_in(g, op_result(op), c);
}

void gathered_write(Gen *g, int from) {
    for (int i = from; i < g->gathered.count; i++) {
        const TileDot *d = &g->gathered.data[i];
        line(g, g->out, g->depth, "if (turn%d) {", d->turn);
        g->depth++;
        products_write(g, d, text(g, "turn%d", d->turn));
        line(g, g->out, g->depth, "turn%d = 0;", d->turn);
        g->depth--;
        line(g, g->out, g->depth, "}");
    }
    g->gathered.count = from;
}

void tiles_write(Gen *g, Op *op) {
    const Type *ta = dot_a(op)->type, *tr = op->results[0].type;
    int rank = tr->rank;
    TileDot d = {.lane = type_lane(ta)->kind,
                 .batches = rank == 3 ? tr->shape[0] : 1,
                 .M = tr->shape[rank - 2],
                 .N = tr->shape[rank - 1],
                 .K = ta->shape[rank - 1]};
    d.rows = d.M % (2 * ROWS) ? 1 : 2, d.columns = d.N % (2 * ROWS) ? 1 : 2;
    d.slots = slots_of(g, op, &d);
    int steps = d.slots * d.K * lane_bytes(ta) / ROW_BYTES;
    d.fetched_rows = (d.rows * ROWS + steps - 1) / steps;
    g->has_tiles = true;
    if (d.slots > 1)
        gather(g, op, &d);
    else {
        const Array *a, *panels = slots_array(g, dot_b(op)->type, 1);
        if (has_turned_rows(g, &d, dot_a(op)))
            rows_of_turned(g, &d, dot_a(op), a = slots_array(g, ta, 1));
        else
            a = packed(g, dot_a(op))->array;
        panels_of(g, &d, dot_b(op), panels);
        d.from_zero = is_zero(dot_acc(op));
        if (d.from_zero || d.fetched_rows > 4) d.fetched_rows = 0;
        View *c = d.from_zero ? view_row_major(g, array_new(g, tr, true), tr) : sums_of(g, op, a);
        d.a = a->id, d.b = panels->id, d.c = c->array->id;
        products_write(g, &d, STR("1"));
        value_store_in(g, op_result(op), c);
    }
    set_done(g, op);
}
