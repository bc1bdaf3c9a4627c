// SPDX-License-Identifier: Apache-2.0
/* product: the op dot: acc += a @ b by a register-blocked micro-kernel: `rows` rows of a against
 * `vectors` vectors of b, all of acc's block in named variables. Operands are row-major in scratch
 * and of the type of acc (widen.c widens them; of a wide b the columns that the micro-kernel takes
 * lie together, which keeps them in the first cache), or i16 of which a `group` of two fills
 * the 32 bits of a sum. These are multiplied and added by one instruction, for which b is put in
 * groups; matrix.c has the products of narrower lanes:
 *
 *     b[0][0] b[0][1] ..                b[0][0] b[1][0]  b[0][1] b[1][1] ..
 *     b[1][0] b[1][1] ..       ->       b[2][0] b[3][0]  .. */
#include "gen/c/c.h"

#include <stdio.h>

View *packed(Gen *g, Value *value) {
    View *view = info(g, value)->view;
    if (is_turned(g, value) && type_bits(type_lane(value->type)) == 32) {
        const Array *from = packed(g, turned_source(g, value))->array;
        View *to = view_row_major(g, array_new(g, value->type, true), value->type);
        int rows = value->type->shape[1], columns = value->type->shape[0];
        turned_write(g, text(g, "a%d", to->array->id), rows, text(g, "a%d", from->id), columns,
                     rows, columns);
        return to;
    }
    if (!view && !is_cheap(g, value)) {
        force(g, value);
        view = info(g, value)->view;
    }
    if (view && view_is_row_major(view, value->type)) return view;
    View *copy = view_row_major(g, array_new(g, value->type, true), value->type);
    Root root = {.value = value, .view = copy};
    nest_write(g, &root, 1);
    return copy;
}

bool is_read_in_place(Gen *g, const Value *value) {
    const Type *type = value->type;
    const Op *op = value->def;
    return op && op->kind == OP_LOAD && !load_volatile(op) && !info(g, value)->view &&
           info(g, value)->users.count == 1 && type->rank == 2 && type->shape[0] > 1 &&
           type->shape[1] % g->W == 0;
}

const Array *row_addresses(Gen *g, Value *value) {
    const Type *type = value->type;
    int columns = type->shape[type->rank - 1], count = type->lanes / columns;
    const Type *of_table = type_tile(g->fn->types, type_scalar(TYPE_I64), 1, &count);
    if (is_read_in_place(g, value)) {
        Array *table = array_new(g, of_table, true);
        View *copy = view_row_major(g, array_new(g, type, true), type);
        Root root = {.value = value, .view = copy, .is_home = true, .rows = table};
        if (nest_write(g, &root, 1)) return table;
        line(g, g->out, g->depth, "for (int i = 0; i < %d; i++) a%d[i] = (L)(a%d + i * %d);", count,
             table->id, copy->array->id, columns);
        return table;
    }
    const Array *from = packed(g, value)->array, *table = array_new(g, of_table, true);
    line(g, g->out, g->depth, "for (int i = 0; i < %d; i++) a%d[i] = (L)(a%d + i * %d);", count,
         table->id, from->id, columns);
    return table;
}

static void kernel_write(Gen *g, const char *name, TypeKind kind, int group, int rows,
                         int vectors) {
    Buf *out = &g->functions;
    const char *type = array_type(kind), *vec = vector_type(kind),
               *memory = memory_type(kind, true);
    line(g, out, 0, "static void %s(%s *c, const %s *a, const %s *b, L ldc, L lda, L ldb, L K) {",
         name, type, type, type);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < vectors; j++)
            line(g, out, 1, "%s c%d_%d = *(const %s *)(c + %d * ldc + %d * W);", vec, i, j, memory,
                 i, j);
    for (int i = 0; i < rows; i++) /* what the next call loads */
        for (int j = 0; j < vectors; j++)
            line(g, out, 1, "__builtin_prefetch(c + %d * ldc + %d * W);", rows + i, j);
    line(g, out, 1, "for (L k = 0; k < K; k++) {");
    for (int j = 0; j < vectors; j++)
        line(g, out, 2, "%s b%d = *(const %s *)(b + k * ldb + %d * W);", vec, j, memory, j);
    for (int i = 0; i < rows; i++) {
        line(g, out, 2, "%s x%d = a[%d * lda + k] - (%s){};", vec, i, i, vec);
        for (int j = 0; j < vectors; j++)
            if (group > 1)
                line(g, out, 2, "c%d_%d = t_dot2(c%d_%d, x%d, b%d);", i, j, i, j, i, j);
            else
                line(g, out, 2, "c%d_%d += x%d * b%d;", i, j, i, j);
    }
    line(g, out, 1, "}");
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < vectors; j++)
            line(g, out, 1, "*(%s *)(c + %d * ldc + %d * W) = c%d_%d;", memory, i, j, i, j);
    line(g, out, 0, "}");
}

bool is_new_function(Gen *g, Str name) {
    if (map_get(&g->known_functions, name)) return false;
    return map_set(&g->known_functions, name, g), true;
}

static const char *kernel_name(Gen *g, TypeKind kind, int group, int rows, int vectors) {
    Str name = group > 1 ? text(g, "mm_pairs_%dx%d", rows, vectors)
                         : text(g, "mm_%s_%dx%d", kind_code(kind), rows, vectors);
    if (is_new_function(g, name)) kernel_write(g, name.data, kind, group, rows, vectors);
    return name.data;
}

/* Row-major lanes of 16 bits, in pairs. */
static void pairs_write(Gen *g, const char *name, TypeKind lane) {
    Buf *out = &g->functions;
    line(g, out, 0, "static void %s(int *to, const %s *b, L K, L N) {", name, array_type(lane));
    line(g, out, 1, "for (L n = 0; n < N; n += W) {");
    line(g, out, 2, "int *at = to + n;");
    line(g, out, 2, "for (L k = 0; k < K; k += 2, at += N) {");
    for (int i = 0; i < 2; i++)
        line(g, out, 3, "vu32 x%d = t_u16_to_u32((vu16)*(const %s *)(b + (k + %d) * N + n));", i,
             memory_type(lane, true), i);
    line(g, out, 3, "*(m_i32 *)at = (vi32)(x0 | x1 << 16);");
    line(g, out, 2, "}");
    line(g, out, 1, "}");
    line(g, out, 0, "}");
}

/* An array of b in pairs. */
static const Array *paired(Gen *g, const Array *b, const Type *type) {
    int rank = type->rank, K = type->shape[rank - 2], N = type->shape[rank - 1];
    int batches = rank == 3 ? type->shape[0] : 1;
    TypeKind lane = type_lane(type)->kind;
    Str name = text(g, "pairs_%s", kind_code(lane));
    if (is_new_function(g, name)) pairs_write(g, name.data, lane);
    Array *array = array_new(
        g, type_tile(g->fn->types, type_scalar(TYPE_I32), 2, (int[]){batches * K / 2, N}), true);
    for (int i = 0; i < batches; i++)
        line(g, g->out, g->depth, "%s(a%d + %lld, a%d + %lld, %d, %d);", name.data, array->id,
             (long long)i * K / 2 * N, b->id, (long long)i * K * N, K, N);
    return array;
}

/* Fewer columns than lanes: plain loops. */
static void small_write(Gen *g, int c, int a, int b, long long offsets[3], int M, int N, int K) {
    line(g, g->out, g->depth,
         "for (int m = 0; m < %d; m++) for (int n = 0; n < %d; n++) for (int k = 0; k < %d; k++)",
         M, N, K);
    line(g, g->out, g->depth + 1,
         "a%d[%lld + m * %d + n] += a%d[%lld + m * %d + k] * a%d[%lld + k * %d + n];", c,
         offsets[2], N, a, offsets[0], K, b, offsets[1], N);
}

static bool is_wide(TypeKind kind) { return kind == TYPE_F64 || kind == TYPE_I64; }

/* Vectors of b that the micro-kernel takes. */
int vectors_of(const Gen *g, TypeKind kind, int N) {
    int vectors = g->W == 16 ? (is_wide(kind) ? 2 : 4) : is_wide(kind) ? 1 : 2;
    while (N % (vectors * g->W)) vectors /= 2;
    return vectors;
}

static void panels_write(Gen *g, const char *name, TypeKind kind, int vectors) {
    Buf *out = &g->functions;
    const char *type = array_type(kind), *memory = memory_type(kind, true);
    int size = type_size_bytes(type_scalar(kind)), panel = vectors * g->W;
    line(g, out, 0, "static void %s(%s *panels, const L *rows, L K, L N) {", name, type);
    line(g, out, 1, "for (L k = 0; k < K; k++) {");
    line(g, out, 2, "L b = rows[k];");
    line(g, out, 2, "%s *to = panels + k * %d;", type, panel);
    line(g, out, 2, "for (L n = 0; n < N; n += %d, to += K * %d) {", panel, panel);
    for (int j = 0; j < vectors; j++)
        line(g, out, 3, "*(%s *)(to + %d) = *(const %s *)(b + n * %d + %d);", memory, j * g->W,
             memory, size, j * g->W * size);
    line(g, out, 2, "}");
    line(g, out, 1, "}");
    line(g, out, 0, "}");
}

/* b in panels of those columns; NULL: it is not worth it. */
static const Array *panels_of(Gen *g, Value *b, int vectors) {
    const Type *type = b->type;
    TypeKind kind = type_lane(type)->kind;
    int K = type->shape[0], N = type->shape[1], panel = vectors * g->W;
    bool turned = is_turned(g, b) && type_bits(type_lane(type)) == 32 && panel % 16 == 0;
    if (N <= panel || (!turned && !is_read_in_place(g, b))) return NULL;
    const Array *from = turned ? packed(g, turned_source(g, b))->array : row_addresses(g, b),
                *to = array_new(g, type, true);
    for (int n = 0; n < N && turned; n += panel)
        turned_write(g, text(g, "a%d + %d", to->id, n * K), panel,
                     text(g, "a%d + %d", from->id, n * K), K, panel, K);
    if (turned) return to;
    Str name = text(g, "panels_%s_%d", kind_code(kind), vectors);
    if (is_new_function(g, name)) panels_write(g, name.data, kind, vectors);
    line(g, g->out, g->depth, "%s(a%d, a%d, %d, %d);", name.data, to->id, from->id, K, N);
    return to;
}

typedef struct Operands {
    int c, a, b;
    bool b_in_panels;
} Operands;

int next_calls(int left, int most_rows, int *rows) {
    int count;
    *rows = most_rows < left ? most_rows : left;
    if (left % *rows && left > *rows && *rows == 6) { /* 128 = 20 * 6 + 2 * 4 */
        count = (left - 8) / 6;
        if (count <= 0 || (left - count * 6) % 4) count = left / *rows;
    } else
        count = left / *rows;
    if (left < *rows * 2 && left > *rows) *rows = 4 < left ? 4 : left, count = left / *rows;
    return count;
}

static void block_write(Gen *g, TypeKind kind, int group, const Operands *in, long long offsets[3],
                        int M, int N, int K) {
    int c = in->c, a = in->a, b = in->b;
    if (N % g->W != 0) {
        small_write(g, c, a, b, offsets, M, N, K);
        return;
    }
    int most_rows = g->W == 16 ? (is_wide(kind) ? 4 : 6) : 4, vectors = vectors_of(g, kind, N),
        panel = vectors * g->W, b_row = in->b_in_panels ? panel : N,
        b_column = in->b_in_panels ? K : 1;
    line(g, g->out, g->depth, "for (int n = 0; n < %d; n += %d) {", N, panel);
    for (int m = 0; m < M;) {
        int rows, count = next_calls(M - m, most_rows, &rows);
        const char *name = kernel_name(g, kind, group, rows, vectors);
        line(g, g->out, g->depth + 1, "for (int m = %d; m < %d; m += %d)", m, m + count * rows,
             rows);
        line(g, g->out, g->depth + 2,
             "%s(a%d + %lld + m * %d + n, %sa%d + %lld + m * %d, a%d + %lld + n * %d, %d, %d, "
             "%d, %d);",
             name, c, offsets[2], N, group > 1 ? "(const int *)" : "", a, offsets[0], K, b,
             offsets[1], b_column, N, K, b_row, K);
        m += count * rows;
    }
    line(g, g->out, g->depth, "}");
}

void dot_write(Gen *g, Op *op) {
    if (dot_has_tiles(op, g->arch) || dot_is_narrow(op, g->arch)) {
        narrow_write(g, op);
        return;
    }
    Value *acc = dot_acc(op), *r = op_result(op);
    const Type *ta = dot_a(op)->type, *tr = r->type;
    TypeKind kind = type_lane(tr)->kind;
    int rank = tr->rank, M = tr->shape[rank - 2], N = tr->shape[rank - 1], K = ta->shape[rank - 1];
    int batches = rank == 3 ? tr->shape[0] : 1, group = type_bits(tr) / type_bits(ta);
    bool may_have_panels = group == 1 && rank == 2 && N % g->W == 0;
    const Array *a = packed(g, dot_a(op))->array, *b = NULL, *c, *panels = NULL;
    if (may_have_panels) panels = panels_of(g, dot_b(op), vectors_of(g, kind, N));
    b = panels ? panels : packed(g, dot_b(op))->array;
    View *own = info(g, acc)->view, *sums;
    bool is_operand = own && (own->array == a || own->array == b);
    if (!is_operand && array_is_private(g, acc, op))
        sums = own;
    else {
        sums = view_row_major(g, array_new(g, tr, true), tr);
        Root root = {.value = acc, .view = sums};
        nest_write(g, &root, 1);
    }
    c = sums->array;
    if (group > 1) {
        b = paired(g, b, dot_b(op)->type);
        K /= group;
    }
    const Operands in = {c->id, a->id, b->id, panels != NULL};
    int start = (int)g->out->length;
    for (int i = 0; i < batches; i++) {
        long long offsets[3] = {(long long)i * M * K, (long long)i * K * N, (long long)i * M * N};
        block_write(g, kind, group, &in, offsets, M, N, K);
    }
    vec_push(g->arena, &g->blocks, (Block){BLOCK_NEST, start, (int)g->out->length});
    set_done(g, op);
    value_store_in(g, r, sums);
}
