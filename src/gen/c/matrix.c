// SPDX-License-Identifier: Apache-2.0
/* matrix: the op dot of narrow lanes, by AMX or by products of vectors that add up 32 bits of each.
 * AMX's tiles hold 16 rows of 64 bytes: four of sums, two of a and two of b make 32 x 32 sums of
 * one step of 64 bytes of a's rows. Of vectors, 6 rows of a and 4 vectors of b make 6 x 64 sums of
 * a step of 4 bytes. a is row-major; b, in panels of 32 or 64 columns, is in groups of the rows
 * that fill 32 bits:
 *
 *     b[0][0] b[0][1] ..                b[0][0] b[1][0]  b[0][1] b[1][1] ..
 *     b[1][0] b[1][1] ..       ->       b[2][0] b[3][0]  ..
 *
 * VNNI's products of bytes take a's without a sign: a is a + 128 (widen.c), and 128 times the sums
 * of b's columns, with which a panel begins, is taken off.
 *
 * Sums that a loop carries for this product alone would be loaded and stored in each turn, as many
 * as they are. Instead operands gather, those of several turns, and are multiplied together:
 *
 *     for k:  c = dot(a, b, c)      ->      for k:  slot = a, b;  if slots are full:  c += all
 *                                           c += what is left
 *
 * Each sum is that of the same products in the same order. */
#include "gen/c/c.h"

enum {
    ROWS = 16,
    ROW_BYTES = 64,
    MICRO_ROWS = 6,         /* of a micro-kernel of vectors */
    GATHERED_BYTES = 1024,  /* of each row of a: 16 steps for 4 tiles of sums */
    IN_FIRST_CACHE = 512,   /* likewise, by vectors: a panel of 64 columns has 32 KB */
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

bool dot_is_narrow(const Op *dot, CArch arch) {
    const Type *a = dot_a(dot)->type, *b = dot_b(dot)->type, *r = dot->results[0].type;
    TypeKind lane = type_lane(a)->kind, sum = type_lane(r)->kind;
    int K = a->shape[a->rank - 1], N = b->shape[b->rank - 1];
    if (arch < C_AVX512VNNI || type_lane(b)->kind != lane || N % prelude_width(arch)) return false;
    if (lane == TYPE_I8) return sum == TYPE_I32 && K % 4 == 0;
    return lane == TYPE_BF16 && arch == C_AVX512BF16 && K % 2 == 0 && type_is_float(type_lane(r)) &&
           sum != TYPE_F64;
}

static int panel_width(const NarrowDot *d) { return d->columns * ROWS; }
/* Lanes of 32 bits in a panel of one slot. */
static long long panel_lanes(const NarrowDot *d) {
    return (long long)(d->K / d->group + d->has_sums) * panel_width(d);
}
static long long slot_lanes(const NarrowDot *d) {
    return panel_lanes(d) * (d->N / panel_width(d)) * d->batches;
}

/* ---- functions ---- */

/* The sums that the next call loads are fetched meanwhile, some rows in each step. */
static void next_sums_write(Gen *g, const NarrowDot *d) {
    int rows = d->fetched_rows;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < d->columns; j++)
            line(g, &g->functions, 3, "__builtin_prefetch(next + %d * ldc + %d);", i,
                 j * ROW_BYTES);
    if (rows) line(g, &g->functions, 3, "next += %d * ldc;", rows);
}

/* Sums of rows x columns tiles, over n slots of K steps each; from_zero: of these alone. */
static void tiles_kernel_write(Gen *g, const NarrowDot *d) {
    Buf *out = &g->functions;
    const char *lane = kind_code(d->lane);
    int rows = d->rows, columns = d->columns;
    const char *const all[] = {"load", "store"};
    int width = columns * ROW_BYTES;
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
}

/* The same of rows of vectors. */
static void vectors_kernel_write(Gen *g, const NarrowDot *d) {
    Buf *out = &g->functions;
    bool bytes = d->lane == TYPE_I8;
    const char *sum = bytes ? "i32" : "f32", *dot = bytes ? "t_dot4" : "t_dot_bf16";
    int rows = d->rows, columns = d->columns, width = columns * ROW_BYTES;
    for (int j = 0; j < columns && d->has_sums; j++) {
        line(g, out, 1, "v%s s%d = *(const m_%s *)(b + %d);", sum, j, sum, j * ROW_BYTES);
        line(g, out, 1, "for (L i = 1; i < n; i++) s%d += *(const m_%s *)(b + i * nb + %d);", j,
             sum, j * ROW_BYTES);
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            Str start = d->from_zero
                            ? text(g, "(v%s){}", sum)
                            : text(g, "*(const m_%s *)(c + %d * ldc + %d)", sum, i, j * ROW_BYTES);
            line(g, out, 1, "v%s c%d_%d = %.*s%.*s;", sum, i, j, STR_ARG(start),
                 STR_ARG(d->has_sums ? text(g, " - s%d", j) : STR("")));
        }
    for (int i = 0; i < rows && !d->from_zero; i++) /* what the next call loads */
        for (int j = 0; j < columns; j++)
            line(g, out, 1, "__builtin_prefetch(c + %d * ldc + %d);", rows + i, j * ROW_BYTES);
    if (d->has_sums) line(g, out, 1, "b += %d;", width);
    line(g, out, 1, "for (; n > 0; n--, a += na, b += nb)");
    line(g, out, 2, "for (L k = 0; k < K; k++) {");
    for (int j = 0; j < columns; j++)
        line(g, out, 3, "vi32 b%d = *(const m_i32 *)(b + k * %d + %d);", j, width, j * ROW_BYTES);
    for (int i = 0; i < rows; i++) {
        line(g, out, 3, "vi32 x%d = *(const u_i32 *)(a + %d * lda + k * 4) - (vi32){};", i, i);
        for (int j = 0; j < columns; j++)
            line(g, out, 3, "c%d_%d = %s(c%d_%d, x%d, b%d);", i, j, dot, i, j, i, j);
    }
    line(g, out, 2, "}");
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            line(g, out, 1, "*(m_%s *)(c + %d * ldc + %d) = c%d_%d;", sum, i, j * ROW_BYTES, i, j);
}

/* Indices of lanes that two vectors give in turn: from, from of the second, from + 1 .. */
static Str interleaved(Gen *g, int from, int half, int lanes) {
    Buf out = {.arena = g->arena};
    for (int i = 0; i < half; i++)
        buf_printf(&out, "%s%d, %d", i ? ", " : "", from + i, lanes + from + i);
    return buf_str(&out);
}

/* Where that column's group goes, of a turn that begins with a panel. */
static Str place_of(Gen *g, int column, int width) {
    return text(g, column / width ? "to + %d + %d * panel" : "to + %d", column % width,
                column / width);
}

/* Two rows of 32 lanes of 16 bits: pairs. */
static void pairs_write(Gen *g, Buf *out, int column, int width) {
    for (int half = 0; half < 2; half++)
        line(g, out, 4, "*(m_i32 *)(%.*s) = (vi32)__builtin_shufflevector(x0, x1, %.*s);",
             STR_ARG(place_of(g, column + half * ROWS, width)),
             STR_ARG(interleaved(g, half * 16, 16, 32)));
}

/* Four rows of 64 lanes of 8 bits: fours. */
static void fours_write(Gen *g, Buf *out, int column, int width) {
    for (int half = 0; half < 2; half++) {
        for (int i = 0; i < 4; i += 2)
            line(g, out, 4, "t_pairs p%d%d = (t_pairs)__builtin_shufflevector(x%d, x%d, %.*s);",
                 half, i, i, i + 1, STR_ARG(interleaved(g, half * 32, 32, 64)));
        for (int part = 0; part < 2; part++)
            line(g, out, 4, "*(m_i32 *)(%.*s) = (vi32)__builtin_shufflevector(p%d0, p%d2, %.*s);",
                 STR_ARG(place_of(g, column + half * 32 + part * ROWS, width)), half, half,
                 STR_ARG(interleaved(g, part * 16, 16, 32)));
    }
}

/* 16 columns, of widths that whole vectors of narrow lanes do not divide, and without VBMI. */
static void column_groups_write(Gen *g, Buf *out, const NarrowDot *d, int column, int width) {
    int bits = 32 / d->group;
    for (int i = 0; i < d->group; i++)
        line(g, out, 4, "vu32 y%d = t_u%d_to_u32((vu%d)*(const %s *)(b%d + (n + %d) * %d));", i,
             bits, bits, memory_type(d->lane, true), i, column, bits / 8);
    line(g, out, 4, "*(m_i32 *)(%.*s) = (vi32)(%s);", STR_ARG(place_of(g, column, width)),
         d->group == 4 ? "y0 | y1 << 8 | y2 << 16 | y3 << 24" : "y0 | y1 << 16");
}

/* 128 times the sums of the columns of each panel, to its first row. */
static void sums_write(Gen *g, const char *name, int width) {
    Buf *out = &g->functions;
    line(g, out, 0, "static void %s(int *panels, L K, L N) {", name);
    line(g, out, 1, "for (L n = 0; n < N; n += %d, panels += (K / 4 + 1) * %d)", width, width);
    line(g, out, 2, "for (L j = 0; j < %d; j += W) {", width);
    line(g, out, 3, "vi32 sum = {};");
    line(g, out, 3, "for (L k = 1; k <= K / 4; k++)");
    line(g, out, 4,
         "sum = t_dot4(sum, (int)0x80808080 - (vi32){}, *(const m_i32 *)(panels + k * %d + j));",
         width);
    line(g, out, 3, "*(m_i32 *)(panels + j) = sum;");
    line(g, out, 2, "}");
    line(g, out, 0, "}");
}

/* b's rows to panels, in the order in which they lie in memory; `step`: columns that are taken at
 * a time, of which a turn has as many as a panel. */
static void panels_write(Gen *g, const char *name, const NarrowDot *d, int width, int step) {
    Buf *out = &g->functions;
    int group = d->group, turn = width > step ? width : step;
    bool pairs = group == 2 && step == 32, fours = group == 4 && step == 64;
    line(g, out, 0, "static void %s(int *panels, const L *rows, L K, L N) {", name);
    if (pairs || fours) line(g, out, 1, "typedef short t_pairs __attribute__((vector_size(64)));");
    if (fours) line(g, out, 1, "typedef char t_bytes __attribute__((vector_size(64)));");
    if (pairs || fours)
        line(g, out, 1,
             "typedef %s m_lanes __attribute__((vector_size(64), aligned(1), may_alias));",
             pairs ? "short" : "char");
    line(g, out, 1, "L panel = (K / %d + %d) * %d;", group, d->has_sums, width);
    line(g, out, 1, "for (L k = 0; k < K; k += %d) {", group);
    for (int i = 0; i < group; i++) line(g, out, 2, "L b%d = rows[k + %d];", i, i);
    line(g, out, 2, "int *to = panels + (k / %d + %d) * %d;", group, d->has_sums, width);
    line(g, out, 2, "for (L n = 0; n < N; n += %d, to += panel * %d) {", turn, turn / width);
    for (int at = 0; at < turn; at += step) {
        line(g, out, 3, "{");
        for (int i = 0; i < group && (pairs || fours); i++)
            line(g, out, 4, "%s x%d = *(const m_lanes *)(b%d + (n + %d) * %d);",
                 pairs ? "t_pairs" : "t_bytes", i, i, at, 4 / group);
        if (pairs)
            pairs_write(g, out, at, width);
        else if (fours)
            fours_write(g, out, at, width);
        else
            column_groups_write(g, out, d, at, width);
        line(g, out, 3, "}");
    }
    line(g, out, 2, "}");
    line(g, out, 1, "}");
    line(g, out, 0, "}");
}

/* ---- products ---- */

static const char *kernel_of(Gen *g, const NarrowDot *d) {
    Buf *out = &g->functions;
    Str name = text(g, "m%s%s_%s_%dx%d_%d", d->by_tiles ? "t" : "v", d->from_zero ? "z" : "",
                    kind_code(d->lane), d->rows, d->columns, d->fetched_rows);
    if (!is_new_function(g, name)) return name.data;
    /* All registers are sums and operands: what an inliner brings beside them is not in any. */
    line(g, out, 0, "static __attribute__((noinline)) void %s(", name.data);
    line(g, out, 0,
         "                char *c, const char *a, const char *b, L ldc, L lda, L K, L n,");
    line(g, out, 0, "                L na, L nb) {");
    if (d->by_tiles)
        tiles_kernel_write(g, d);
    else
        vectors_kernel_write(g, d);
    line(g, out, 0, "}");
    return name.data;
}

/* The calls for rows m to `end`, of one batch. */
static void calls_write(Gen *g, const NarrowDot *d, int batch, int m, int end, Str slots) {
    int bytes = type_size_bytes(type_scalar(d->lane)), width = panel_width(d);
    int rows = d->by_tiles ? d->rows * ROWS : d->rows, step = d->by_tiles ? ROW_BYTES : 4;
    long long a = (long long)batch * d->M * d->K, c = (long long)batch * d->M * d->N,
              b = slot_lanes(d) / d->batches * batch;
    Str along_m = text(g, "for (int m = %d; m < %d; m += %d) ", m, end, rows),
        along_n = text(g, "for (int n = 0; n < %d; n += %d) ", d->N, width);
    /* A tile's rows of a, or a panel for vectors, stay in the first cache. */
    line(g, g->out, g->depth, "%.*s%.*s", STR_ARG(d->by_tiles ? along_m : along_n),
         STR_ARG(d->by_tiles ? along_n : along_m));
    line(g, g->out, g->depth + 1,
         "%s((char *)(a%d + %lld + m * %d + n), (const char *)(a%d + %lld + m * %d), "
         "(const char *)a%d + %lld + n * %lld, %d, %d, %d, %.*s, %lld, %lld);",
         kernel_of(g, d), d->c, c, d->N, d->a, a, d->K, d->b, b * 4, panel_lanes(d) / width * 4,
         d->N * 4, d->K * bytes, d->K * bytes / step, STR_ARG(slots),
         (long long)d->batches * d->M * d->K * bytes, slot_lanes(d) * 4);
}

static void products_write(Gen *g, const NarrowDot *d, Str slots) {
    int start = (int)g->out->length;
    NarrowDot calls = *d;
    if (d->by_tiles) line(g, g->out, g->depth, "t_tiles_begin();");
    for (int i = 0; i < d->batches; i++)
        for (int m = 0, count = 0; m < d->M; m += count * calls.rows) {
            if (d->by_tiles)
                count = d->M / d->rows;
            else
                count = next_calls(d->M - m, MICRO_ROWS, &calls.rows);
            calls_write(g, &calls, i, m, d->by_tiles ? d->M : m + count * calls.rows, slots);
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

static int slots_of(Gen *g, const Op *op, const NarrowDot *d) {
    int bytes = type_size_bytes(type_scalar(d->lane));
    int64_t one = ((int64_t)d->M + d->N) * d->K * bytes * d->batches;
    if (!may_gather(g, op)) return 1;
    int slots = (d->by_tiles ? GATHERED_BYTES : IN_FIRST_CACHE) / (d->K * bytes);
    while (slots > 1 && slots * one > MOST_GATHERED) slots /= 2;
    return slots > 0 ? slots : 1;
}

static Array *slots_array(Gen *g, const Type *lane, long long lanes, int slots) {
    const int shape[] = {(int)(lanes / ROWS) * slots, ROWS};
    return array_new(g, type_tile(g->fn->types, lane, 2, shape), true);
}

static Array *rows_array(Gen *g, const NarrowDot *d, const Type *a) {
    return slots_array(g, type_lane(a), a->lanes, d->slots);
}

static Array *panels_array(Gen *g, const NarrowDot *d) {
    return slots_array(g, type_scalar(TYPE_I32), slot_lanes(d), d->slots);
}

/* Where the operands of this turn go: an array whose address moves. */
static Array *this_slot(Gen *g, const Array *slots, long long lanes, int turn) {
    Array *slot = arena_new_of(g->arena, Array);
    *slot = (Array){.id = new_id(g), .lane = slots->lane, .dedicated = true};
    line(g, &g->decls, 1, "%s *a%d = a%d;", array_type(slot->lane), slot->id, slots->id);
    line(g, g->out, g->depth, "a%d = a%d + turn%d * %lld;", slot->id, slots->id, turn, lanes);
    return slot;
}

/* A function that groups rows of N lanes, for panels of that width. */
static const char *panels_function(Gen *g, const NarrowDot *d, int N, int width) {
    int whole = ROW_BYTES * d->group / 4;
    bool shuffles = N % whole == 0 && (d->group == 2 || g->arch > C_AVX512VNNI);
    int step = shuffles ? whole : ROWS;
    Str name = text(g, "panels_%s_%d_%d", kind_code(d->lane), width, step);
    if (is_new_function(g, name)) panels_write(g, name.data, d, width, step);
    return name.data;
}

static void sums_of_panels(Gen *g, const NarrowDot *d, const Array *to) {
    Str name = text(g, "sums_%d", panel_width(d));
    if (is_new_function(g, name)) sums_write(g, name.data, panel_width(d));
    line(g, g->out, g->depth, "%s(a%d, %d, %d);", name.data, to->id, d->K, d->N * d->batches);
}

/* Panels of b, which is by rows, or by columns: then its groups are there already, to be turned. */
static void panels_of(Gen *g, const NarrowDot *d, Value *b, const Array *to) {
    int width = panel_width(d), groups = d->K / d->group;
    if (is_turned(g, b) && groups % 16 == 0) {
        const Array *from = packed(g, turned_source(g, b))->array;
        for (int n = 0; n < d->N; n += width)
            turned_write(
                g, text(g, "a%d + %lld", to->id, n / width * panel_lanes(d) + d->has_sums * width),
                width, text(g, "a%d + %d", from->id, n * d->K), groups, width, groups);
    } else {
        const Array *from = row_addresses(g, b);
        const char *name = panels_function(g, d, d->N, width);
        for (int i = 0; i < d->batches; i++)
            line(g, g->out, g->depth, "%s(a%d + %lld, a%d + %d, %d, %d);", name, to->id,
                 slot_lanes(d) / d->batches * i, from->id, i * d->K, d->K, d->N);
    }
    if (d->has_sums) sums_of_panels(g, d, to);
}

/* a by rows, from what lies by columns: in groups, and turned. */
static void rows_of_turned(Gen *g, const NarrowDot *d, Value *a, const Array *to) {
    int groups = d->K / d->group, width = d->M % (2 * ROWS) ? ROWS : 2 * ROWS;
    NarrowDot rows = *d;
    rows.has_sums = false;
    const Array *from = row_addresses(g, turned_source(g, a)),
                *panels = slots_array(g, type_scalar(TYPE_I32), a->type->lanes / d->group, 1);
    line(g, g->out, g->depth, "%s(a%d, a%d, %d, %d);", panels_function(g, &rows, d->M, width),
         panels->id, from->id, d->K, d->M);
    for (int m = 0; m < d->M; m += width)
        turned_write(g, text(g, "a%d + %d", to->id, m * d->K), groups,
                     text(g, "a%d + %d", panels->id, m * groups), width, groups, width);
}

static bool has_turned_rows(Gen *g, const NarrowDot *d, const Value *a) {
    return is_turned(g, a) && d->K * type_size_bytes(type_scalar(d->lane)) / 4 % 16 == 0;
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

/* What is in the slots, to the sums, or as the first of them. */
static void slots_write(Gen *g, const NarrowDot *d, Str slots) {
    NarrowDot first = *d;
    if (d->fresh) {
        first.from_zero = true, first.fetched_rows = 0;
        line(g, g->out, g->depth, "if (fresh%d) {", d->fresh);
        g->depth++;
        products_write(g, &first, slots);
        line(g, g->out, g->depth, "fresh%d = 0;", d->fresh);
        line(g, g->out, g->depth - 1, "} else {");
    }
    products_write(g, d, slots);
    if (d->fresh) line(g, g->out, --g->depth, "}");
    line(g, g->out, g->depth, "turn%d = 0;", d->turn);
}

static void gather(Gen *g, Op *op, NarrowDot *d) {
    Value *a = dot_a(op);
    bool turned = has_turned_rows(g, d, a);
    if (!turned && info(g, a)->users.count > 1 && !is_cheap(g, a)) force(g, a);
    d->turn = new_id(g);
    line(g, &g->decls, 1, "int turn%d = 0;", d->turn);
    Array *all_a = rows_array(g, d, a->type), *all_b = panels_array(g, d);
    View *to = view_row_major(g, this_slot(g, all_a, a->type->lanes, d->turn), a->type);
    if (turned)
        rows_of_turned(g, d, a, to->array);
    else {
        Root root = {.value = a, .view = to, .is_home = true};
        nest_write(g, &root, 1);
    }
    panels_of(g, d, dot_b(op), this_slot(g, all_b, slot_lanes(d), d->turn));
    View *c = info(g, dot_acc(op))->view;
    d->a = all_a->id, d->b = all_b->id, d->c = c->array->id, d->fresh = c->array->fresh;
    line(g, g->out, g->depth, "if (++turn%d == %d) {", d->turn, d->slots);
    g->depth++;
    slots_write(g, d, text(g, "%d", d->slots));
    g->depth--;
    line(g, g->out, g->depth, "}");
    vec_push(g->arena, &g->gathered, *d);
    value_store_in(g, op_result(op), c);
}

void gathered_write(Gen *g, int from) {
    for (int i = from; i < g->gathered.count; i++) {
        const NarrowDot *d = &g->gathered.data[i];
        if (d->turn) {
            line(g, g->out, g->depth, "if (turn%d) {", d->turn);
            g->depth++;
            slots_write(g, d, text(g, "turn%d", d->turn));
            g->depth--;
            line(g, g->out, g->depth, "}");
        }
        if (d->fresh) /* the loop had no turn */
            line(g, g->out, g->depth, "if (fresh%d) for (L i = 0; i < %lld; i++) a%d[i] = 0;",
                 d->fresh, (long long)d->batches * d->M * d->N, d->c);
    }
    g->gathered.count = from;
}

/* What narrow_write makes of it, but for the arrays. */
static NarrowDot narrow_of(Gen *g, const Op *op) {
    const Type *ta = dot_a(op)->type, *tr = op->results[0].type;
    int rank = tr->rank;
    NarrowDot d = {.lane = type_lane(ta)->kind,
                   .by_tiles = dot_has_tiles(op, g->arch),
                   .batches = rank == 3 ? tr->shape[0] : 1,
                   .M = tr->shape[rank - 2],
                   .N = tr->shape[rank - 1],
                   .K = ta->shape[rank - 1],
                   .group = 4 / lane_bytes(ta)};
    d.has_sums = !d.by_tiles && d.group == 4;
    d.rows = d.M % (2 * ROWS) ? 1 : 2;
    d.columns = d.by_tiles ? (d.N % (2 * ROWS) ? 1 : 2) : vectors_of(g, TYPE_I32, d.N);
    d.slots = slots_of(g, op, &d);
    int steps = d.slots * d.K * lane_bytes(ta) / ROW_BYTES;
    d.fetched_rows = d.by_tiles ? (d.rows * ROWS + steps - 1) / steps : 0;
    return d;
}

bool sums_are_fresh(Gen *g, const Op *loop, int i) {
    const Value *arg = for_arg(loop, i);
    const ValueInfo *of_arg = info(g, arg);
    const Op *dot = of_arg->users.count == 1 ? of_arg->users.data[0] : NULL;
    if (!dot || dot->kind != OP_DOT || dot_acc(dot) != arg || !value_is_zero(for_init(loop, i)))
        return false;
    if (dot_has_rows(g, dot)) return may_gather(g, dot);
    return (dot_has_tiles(dot, g->arch) || dot_is_narrow(dot, g->arch)) &&
           narrow_of(g, dot).slots > 1;
}

void narrow_write(Gen *g, Op *op) {
    const Type *ta = dot_a(op)->type, *tr = op->results[0].type;
    NarrowDot d = narrow_of(g, op);
    g->has_tiles |= d.by_tiles;
    if (d.slots > 1)
        gather(g, op, &d);
    else {
        const Array *a, *panels = panels_array(g, &d);
        if (has_turned_rows(g, &d, dot_a(op)))
            rows_of_turned(g, &d, dot_a(op), a = rows_array(g, &d, ta));
        else
            a = packed(g, dot_a(op))->array;
        panels_of(g, &d, dot_b(op), panels);
        d.from_zero = value_is_zero(dot_acc(op));
        if (d.from_zero || d.fetched_rows > 4) d.fetched_rows = 0;
        View *c = d.from_zero ? view_row_major(g, array_new(g, tr, true), tr) : sums_of(g, op, a);
        d.a = a->id, d.b = panels->id, d.c = c->array->id;
        products_write(g, &d, STR("1"));
        value_store_in(g, op_result(op), c);
    }
    set_done(g, op);
}
