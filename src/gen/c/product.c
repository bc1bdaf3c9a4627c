// SPDX-License-Identifier: Apache-2.0
/* product: the op dot: acc += a @ b by a register-blocked micro-kernel: `rows` rows of a against
 * `vectors` vectors of b, all of acc's block in named variables. Operands are row-major in scratch
 * and of the type of acc (widen.c widens them; of a wide b the columns that the micro-kernel takes
 * lie together, which keeps them in the first cache), or where a load finds them; or they are i16
 * or i8, of which a `group` of two or four fills the 32 bits of a sum. These are multiplied and
 * added by one instruction, for which b is put in groups; matrix.c has the products of narrower
 * lanes:
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

static bool is_read_in_place(Gen *g, const Value *value) {
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

/* How a micro-kernel finds its operands. */
typedef struct Form {
    TypeKind kind;
    int group, rows, vectors;
    bool from_zero;
    bool fresh;    /* a parameter: there is nothing to add to */
    bool to;       /* another: where the rows of sums go, but for `at` columns */
    bool by_rows;  /* a: addresses of rows, wherever they are */
    bool packs;    /* b: addresses of rows; and the columns taken go to a panel */
    TypeKind from; /* the lanes of such rows: kind, or f16 or bf16 where that is f32 */
} Form;

/* Its parameters, and what their pointers are made of. */
static void form_write(Gen *g, Buf *out, const char *name, const Form *form) {
    const char *type = array_type(form->kind);
    Str a = form->by_rows ? STR("const L *rows") : text(g, "const %s *a", type),
        b = form->packs ? text(g, "%s *b, const L *from, L at", type)
                        : text(g, "const %s *b", type);
    /* All registers are sums and operands: what an inliner brings beside them is not in any. */
    line(g, out, 0, "static __attribute__((noinline)) void %s(", name);
    line(g, out, 0, "                %s *c, %.*s, %.*s, L ldc, L lda, L ldb, L K%s%s) {", type,
         STR_ARG(a), STR_ARG(b), form->fresh ? ", int fresh" : "",
         form->to ? ", const L *to, L column" : "");
    for (int i = 0; i < form->rows; i++)
        if (form->by_rows)
            line(g, out, 1, "const %s *a%d = (const %s *)rows[%d];", type, i, type, i);
        else
            line(g, out, 1, "const %s *a%d = a + %d * lda;", type, i, i);
}

enum { ROWS_AHEAD = 32 /* of 256 bytes: what is on its way from a last cache of 100 ns */ };

static void b_write(Gen *g, Buf *out, const Form *form) {
    const char *vec = vector_type(form->kind), *memory = memory_type(form->kind, true);
    if (!form->packs) {
        for (int j = 0; j < form->vectors; j++)
            line(g, out, 2, "%s b%d = *(const %s *)(b + k * ldb + %d * W);", vec, j, memory, j);
        return;
    }
    const char *type = array_type(form->from), *code = kind_code(form->from);
    Str convert = form->from == form->kind ? STR("") : text(g, "t_%s_to_f32", code);
    int columns = form->vectors * g->W, in_line = 64 / type_size_bytes(type_scalar(form->from));
    line(g, out, 2, "const %s *row = (const %s *)from[k] + at;", type, type);
    /* Rows lie far apart: no processor fetches the next one by itself. After the last come those
     * of the next panel. */
    line(g, out, 2, "L ahead = k + (K < %d ? K : %d);", ROWS_AHEAD, ROWS_AHEAD);
    line(g, out, 2, "const %s *next = (const %s *)from[ahead < K ? ahead : ahead - K] + at + ",
         type, type);
    line(g, out, 4, "(ahead < K ? 0 : %d);", columns);
    for (int j = 0; j < columns; j += in_line) line(g, out, 2, "__builtin_prefetch(next + %d);", j);
    for (int j = 0; j < form->vectors; j++) {
        line(g, out, 2, "%s b%d = %.*s(*(const %s *)(row + %d * W));", vec, j, STR_ARG(convert),
             memory_type(form->from, true), j);
        line(g, out, 2, "*(%s *)(b + k * ldb + %d * W) = b%d;", memory, j, j);
    }
}

static void kernel_write(Gen *g, const char *name, const Form *form) {
    Buf *out = &g->functions;
    int rows = form->rows, vectors = form->vectors;
    const char *vec = vector_type(form->kind), *memory = memory_type(form->kind, true);
    form_write(g, out, name, form);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < vectors; j++)
            if (form->from_zero || form->fresh)
                line(g, out, 1, "%s c%d_%d = (%s){};", vec, i, j, vec);
            else
                line(g, out, 1, "%s c%d_%d = *(const %s *)(c + %d * ldc + %d * W);", vec, i, j,
                     memory, i, j);
    if (form->fresh) line(g, out, 1, "if (!fresh) {");
    for (int i = 0; i < rows && form->fresh; i++)
        for (int j = 0; j < vectors; j++)
            line(g, out, 2, "c%d_%d = *(const %s *)(c + %d * ldc + %d * W);", i, j, memory, i, j);
    for (int i = 0; i < rows && !form->from_zero; i++) /* what the next call loads */
        for (int j = 0; j < vectors; j++)
            line(g, out, form->fresh ? 2 : 1, "__builtin_prefetch(c + %d * ldc + %d * W);",
                 form->by_rows ? i : rows + i, form->by_rows ? vectors + j : j);
    if (form->fresh) line(g, out, 1, "}");
    line(g, out, 1, "for (L k = 0; k < K; k++) {");
    b_write(g, out, form);
    for (int i = 0; i < rows; i++) {
        line(g, out, 2, "%s x%d = a%d[k] - (%s){};", vec, i, i, vec);
        for (int j = 0; j < vectors; j++)
            if (form->group > 1)
                line(g, out, 2, "c%d_%d = %s(c%d_%d, x%d, b%d);", i, j,
                     form->group == 2 ? "t_dot2" : "t_dot_i8", i, j, i, j);
            else
                line(g, out, 2, "c%d_%d += x%d * b%d;", i, j, i, j);
    }
    line(g, out, 1, "}");
    for (int i = 0; i < rows; i++) {
        const char *type = array_type(form->kind);
        Str row =
            form->to ? text(g, "((%s *)to[%d] + column", type, i) : text(g, "(c + %d * ldc", i);
        for (int j = 0; j < vectors; j++)
            line(g, out, 1, "*(%s *)%.*s + %d * W) = c%d_%d;", memory, STR_ARG(row), j, i, j);
    }
    line(g, out, 0, "}");
}

bool is_new_function(Gen *g, Str name) {
    if (map_get(&g->known_functions, name)) return false;
    return map_set(&g->known_functions, name, g), true;
}

static const char *kernel_name(Gen *g, const Form *form) {
    Str name = text(g, "mm%s%s_%s_%dx%d%s%s%s", form->to ? "t" : "",
                    form->fresh       ? "f"
                    : form->from_zero ? "z"
                                      : "",
                    form->group == 4   ? "fours"
                    : form->group == 2 ? "pairs"
                                       : kind_code(form->kind),
                    form->rows, form->vectors, form->by_rows ? "_rows" : "",
                    form->packs ? "_packs_" : "", form->packs ? kind_code(form->from) : "");
    if (is_new_function(g, name)) kernel_write(g, name.data, form);
    return name.data;
}

/* Row-major lanes of 16 or 8 bits, in groups that fill 32. */
static void groups_write(Gen *g, const char *name, TypeKind lane, int group) {
    Buf *out = &g->functions;
    int bits = 32 / group;
    line(g, out, 0, "static void %s(int *to, const %s *b, L K, L N) {", name, array_type(lane));
    line(g, out, 1, "for (L n = 0; n < N; n += W) {");
    line(g, out, 2, "int *at = to + n;");
    line(g, out, 2, "for (L k = 0; k < K; k += %d, at += N) {", group);
    for (int i = 0; i < group; i++)
        line(g, out, 3, "vu32 x%d = t_u%d_to_u32((vu%d)*(const %s *)(b + (k + %d) * N + n));", i,
             bits, bits, memory_type(lane, true), i);
    line(g, out, 3, "*(m_i32 *)at = (vi32)(x0 | x1 << %d%s);", bits,
         group == 4 ? " | x2 << 16 | x3 << 24" : "");
    line(g, out, 2, "}");
    line(g, out, 1, "}");
    line(g, out, 0, "}");
}

/* An array of b in groups. */
static const Array *grouped(Gen *g, int b, const Type *type, int group) {
    int rank = type->rank, K = type->shape[rank - 2], N = type->shape[rank - 1];
    int batches = rank == 3 ? type->shape[0] : 1, rows = K / group;
    TypeKind lane = type_lane(type)->kind;
    Str name = text(g, "groups_%s", kind_code(lane));
    if (is_new_function(g, name)) groups_write(g, name.data, lane, group);
    Array *array = array_new(
        g, type_tile(g->fn->types, type_scalar(TYPE_I32), 2, (int[]){batches * rows, N}), true);
    for (int i = 0; i < batches; i++)
        line(g, g->out, g->depth, "%s(a%d + %lld, a%d + %lld, %d, %d);", name.data, array->id,
             (long long)i * rows * N, b, (long long)i * K * N, K, N);
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

/* Where the micro-kernels find their operands: in arrays, or by tables of the addresses of rows. */
typedef struct Operands {
    int c, a, b; /* arrays; a: of addresses if a_by_rows */
    bool a_by_rows, b_in_panels, from_zero;
    int fresh, to;      /* of the sums' array */
    int rows;           /* the table of b's rows, which the first calls put in panels; or -1 */
    TypeKind rows_lane; /* their lanes */
} Operands;

/* f16 or bf16 that lie in memory, of which b is made; else b. */
static Value *narrow_source(Gen *g, Value *b) {
    Op *op = b->def;
    bool is_wider = op && op->kind == OP_FEXT && !info(g, b)->view &&
                    info(g, b)->users.count == 1 && type_lane(b->type)->kind == TYPE_F32 &&
                    type_bits(op->operands[0]->type) == 16;
    return is_wider && is_read_in_place(g, op->operands[0]) ? op->operands[0] : b;
}

/* b in panels of those columns, or where it comes from; false: it is as good as it is. */
static bool panels_of(Gen *g, Value *b, int vectors, Operands *in) {
    const Type *type = b->type;
    int K = type->shape[0], N = type->shape[1], panel = vectors * g->W;
    bool turned = is_turned(g, b) && type_bits(type_lane(type)) == 32 && panel % 16 == 0;
    Value *source = turned ? b : narrow_source(g, b);
    if (N <= panel && (turned || !is_read_in_place(g, source))) return false;
    const Array *from = turned ? packed(g, turned_source(g, b))->array : row_addresses(g, source),
                *to = array_new(g, type, true);
    for (int n = 0; n < N && turned; n += panel)
        turned_write(g, text(g, "a%d + %d", to->id, n * K), panel,
                     text(g, "a%d + %d", from->id, n * K), K, panel, K);
    in->b = to->id, in->b_in_panels = true;
    if (turned) return true;
    if (source != b) set_done(g, b->def);
    in->rows = from->id, in->rows_lane = type_lane(source->type)->kind;
    return true;
}

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

/* What the calls for rows `m` (a text) and columns n of one batch are given. */
static void call_write(Gen *g, const Form *form, const Operands *in, const long long offsets[3],
                       Str m, int N, int K) {
    int panel = form->vectors * g->W;
    Str a = form->by_rows
                ? text(g, "a%d + %.*s", in->a, STR_ARG(m))
                : text(g, "%sa%d + %lld + %.*s * %d", form->group > 1 ? "(const int *)" : "", in->a,
                       offsets[0], STR_ARG(m), K),
        b = text(g, "a%d + %lld + n * %d", in->b, offsets[1], in->b_in_panels ? K : 1);
    if (form->packs) b = text(g, "%.*s, a%d, n", STR_ARG(b), in->rows);
    Str fresh = in->fresh ? text(g, ", fresh%d", in->fresh) : STR(""),
        to = in->to ? text(g, ", a%d + %.*s, n", in->to, STR_ARG(m)) : STR("");
    line(g, g->out, g->depth + 2,
         "%s(a%d + %lld + %.*s * %d + n, %.*s, %.*s, %d, %d, %d, %d%.*s%.*s);",
         kernel_name(g, form), in->c, offsets[2], STR_ARG(m), N, STR_ARG(a), STR_ARG(b), N, K,
         in->b_in_panels ? panel : N, K, STR_ARG(fresh), STR_ARG(to));
}

/* A panel of b stays in the first cache for all rows. But rows of a that lie in memory may be
 * 4096 bytes apart, and then a cache holds few of them: they are read for all panels. */
static void block_write(Gen *g, TypeKind kind, int group, const Operands *in, long long offsets[3],
                        int M, int N, int K) {
    if (N % g->W != 0) {
        small_write(g, in->c, in->a, in->b, offsets, M, N, K);
        return;
    }
    int most_rows = g->W == 16 ? (is_wide(kind) ? 4 : 6) : 4, vectors = vectors_of(g, kind, N);
    Form form = {.kind = kind,
                 .group = group,
                 .vectors = vectors,
                 .from_zero = in->from_zero,
                 .fresh = in->fresh != 0,
                 .to = in->to != 0,
                 .by_rows = in->a_by_rows,
                 .from = in->rows_lane};
    Str along_n = text(g, "for (int n = 0; n < %d; n += %d)", N, vectors * g->W);
    int m = 0;
    if (in->rows >= 0) {
        next_calls(M, most_rows, &form.rows), m = form.rows;
        form.packs = true;
        line(g, g->out, g->depth, "%.*s", STR_ARG(along_n));
        call_write(g, &form, in, offsets, STR("0"), N, K);
        form.packs = false;
    }
    while (m < M) {
        int end = m + next_calls(M - m, most_rows, &form.rows) * form.rows;
        Str along_m = text(g, "for (int m = %d; m < %d; m += %d)", m, end, form.rows);
        line(g, g->out, g->depth, "%.*s", STR_ARG(in->a_by_rows ? along_m : along_n));
        line(g, g->out, g->depth + 1, "%.*s", STR_ARG(in->a_by_rows ? along_n : along_m));
        call_write(g, &form, in, offsets, STR("m"), N, K);
        m = end;
    }
}

/* Where the sums are made, of what acc has; begun: they need not have it. */
static View *sums_of(Gen *g, Op *op, const Operands *in, bool begun) {
    Value *acc = dot_acc(op);
    View *own = info(g, acc)->view;
    bool is_operand = own && (own->array->id == in->a || own->array->id == in->b);
    if (!begun && !is_operand && array_is_private(g, acc, op)) return own;
    View *sums = view_row_major(g, array_new(g, acc->type, true), acc->type);
    Root root = {.value = acc, .view = sums};
    if (!begun) nest_write(g, &root, 1);
    return sums;
}

bool dot_has_rows(Gen *g, const Op *dot) {
    const Type *type = dot->results[0].type;
    return !dot_has_tiles(dot, g->arch) && !dot_is_narrow(dot, g->arch) &&
           type->shape[type->rank - 1] % g->W == 0;
}

void dot_write(Gen *g, Op *op) {
    if (dot_has_tiles(op, g->arch) || dot_is_narrow(op, g->arch)) {
        narrow_write(g, op);
        return;
    }
    Value *r = op_result(op);
    const Type *ta = dot_a(op)->type, *tr = r->type;
    TypeKind kind = type_lane(tr)->kind;
    int rank = tr->rank, M = tr->shape[rank - 2], N = tr->shape[rank - 1], K = ta->shape[rank - 1];
    int batches = rank == 3 ? tr->shape[0] : 1, group = type_bits(tr) / type_bits(ta);
    bool is_plain = group == 1 && rank == 2 && N % g->W == 0;
    Operands in = {.rows = -1, .a_by_rows = is_plain && is_read_in_place(g, dot_a(op))};
    in.a = in.a_by_rows ? row_addresses(g, dot_a(op))->id : packed(g, dot_a(op))->array->id;
    if (!is_plain || !panels_of(g, dot_b(op), vectors_of(g, kind, N), &in))
        in.b = packed(g, dot_b(op))->array->id;
    in.from_zero = N % g->W == 0 && value_is_zero(dot_acc(op));
    View *sums = sums_of(g, op, &in, in.from_zero);
    in.c = sums->array->id, in.fresh = sums->array->fresh, in.to = sums->array->to;
    if (in.fresh)
        vec_push(g->arena, &g->gathered,
                 ((NarrowDot){.batches = batches, .M = M, .N = N, .c = in.c, .fresh = in.fresh}));
    if (group > 1) {
        in.b = grouped(g, in.b, dot_b(op)->type, group)->id;
        K /= group;
    }
    int start = (int)g->out->length;
    for (int i = 0; i < batches; i++) {
        long long offsets[3] = {(long long)i * M * K, (long long)i * K * N, (long long)i * M * N};
        block_write(g, kind, group, &in, offsets, M, N, K);
    }
    vec_push(g->arena, &g->blocks, (Block){BLOCK_NEST, start, (int)g->out->length});
    if (in.fresh) line(g, g->out, g->depth, "fresh%d = 0;", in.fresh);
    set_done(g, op);
    value_store_in(g, r, sums);
}
