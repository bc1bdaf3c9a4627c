// SPDX-License-Identifier: Apache-2.0
/* product: matmul, bmm, linear: loops over batches, then rows, columns and depth. Floats go through
 * tl.dot; other types add up column times row.
 *
 *     acc = tl.zeros((ROWS, COLS), tl.float32)
 *     for start in range(0, n2, DEPTH):
 *         i2 = start + tl.arange(0, DEPTH)
 *         a = tl.load(a_ptr + i0[:, None] * a_s0 + i2[None, :], mask=.., other=0.0)
 *         b = tl.load(b_ptr + i2[:, None] * b_s2 + i1[None, :], mask=.., other=0.0)
 *         acc = tl.dot(a, b, acc, input_precision="ieee") */
#include "tensor/tape.h"
#include "tensor/trace.h"

enum {
    TILE_SMALL,
    TILE_LARGE,
    TILE_BY_COLUMN,
    TILE_DEEP,
    TILE_BROAD,
    TILE_BROADER,
    TILE_OF_CPU, /* and how often 64 rows, and 64 columns, are doubled, as two digits of base 4 */
    SHALLOW = 4 * 4,
    NUM_TILES = TILE_OF_CPU + 2 * SHALLOW
};

Tile product_tile(const Form *form) {
    int doubled = form->tile - TILE_OF_CPU;
    if (doubled >= 0 && form->tile < NUM_TILES)
        return (Tile){64 << doubled % SHALLOW / 4, 64 << doubled % 4, doubled < SHALLOW ? 64 : 32};
    switch (form->tile) {
    case TILE_SMALL: return (Tile){16, 16, 16};
    case TILE_LARGE: return (Tile){64, 64, 32};
    case TILE_BY_COLUMN: return (Tile){32, 32, 1};
    case TILE_DEEP: return (Tile){64, 64, 64};
    case TILE_BROAD: return (Tile){128, 128, 32};
    case TILE_BROADER: return (Tile){128, 256, 64};
    }
    BUG("a product of no known tile");
}

void product_write_blocks(Buf *text, int m, int n, bool is_wide) {
    buf_printf(text, "    at = tl.program_id(0)%s\n", is_wide ? ".to(tl.int64)" : "");
    buf_printf(text, "    across = tl.cdiv(n%d, COLS)\n", n);
    buf_printf(text, "    i%d = (at %% across * COLS + tl.arange(0, COLS))[None, :]\n", n);
    buf_printf(text, "    in_cols = i%d < n%d\n    at = at // across\n", n, n);
    buf_printf(text, "    down = tl.cdiv(n%d, ROWS)\n", m);
    buf_printf(text, "    i%d = (at %% down * ROWS + tl.arange(0, ROWS))[:, None]\n", m);
    buf_printf(text, "    in_rows = i%d < n%d\n    at = at // down\n", m, m);
    for (int d = m - 1; d > 0; d--)
        buf_printf(text, "    i%d = at %% n%d\n    at = at // n%d\n", d, d, d);
    if (m) buf_puts(text, "    i0 = at\n");
}

static void emit_operand(Emitter *emitter, int operand, const char *mask, int k,
                         const char *index) {
    tern_dtype dtype = (tern_dtype)emitter->form->operands[operand].dtype;
    const char *name = operand_name(emitter->form, operand);
    if (index) emit_line(emitter, "i%d = %s", k, index);
    buf_printf(&emitter->text, "%s%s = tl.load(", emitter->indent, name);
    emit_address(emitter, operand);
    buf_printf(&emitter->text, ", mask=%s, other=%s)\n", mask,
               tern_dtype_is_float(dtype) ? "0.0" : "0");
}

void emit_product(Emitter *emitter) {
    const Form *form = emitter->form;
    int m = form->rank - 3, n = form->rank - 2, k = form->rank - 1;
    bool by_column = form->tile == TILE_BY_COLUMN;
    tern_dtype compute = (tern_dtype)form->compute, result = (tern_dtype)form->operands[2].dtype;
    for (int i = 0; i < TILE_DIMS; i++) emitter->tile_dims[i] = form->rank - 1 - i;
    emit_head(emitter, "matmul", false, false,
              "ROWS: tl.constexpr, COLS: tl.constexpr, DEPTH: tl.constexpr");
    product_write_blocks(&emitter->text, m, n, form->flags & FORM_WIDE);
    emit_line(emitter, "y = tl.zeros((ROWS, COLS), %s)", triton_type(compute));
    emit_line(emitter, "for start in range(0, n%d, DEPTH):", k);
    emitter->indent = "        ";
    if (by_column) {
        emit_line(emitter, "i%d = start", k);
        emit_operand(emitter, 0, "in_rows", k, NULL);
        emit_operand(emitter, 1, "in_cols", k, NULL);
        emit_line(emitter, "y += a.to(%s) * b.to(%s)", triton_type(compute), triton_type(compute));
    } else {
        emit_line(emitter, "depth = start + tl.arange(0, DEPTH)");
        buf_printf(&emitter->text, "%sin_depth = depth < n%d\n", emitter->indent, k);
        emit_operand(emitter, 0, "in_rows & in_depth[None, :]", k, "depth[None, :]");
        emit_operand(emitter, 1, "in_depth[:, None] & in_cols", k, "depth[:, None]");
        emit_line(emitter, "y = tl.dot(a, b, y, input_precision=\"ieee\"%s)",
                  compute == TERN_FLOAT64 ? ", out_dtype=tl.float64" : "");
    }
    emitter->indent = "    ";
    if (compute != result) {
        buf_puts(&emitter->text, "    y = ");
        emit_cast(&emitter->text, "y", compute, result);
        buf_putc(&emitter->text, '\n');
    }
    buf_puts(&emitter->text, "    tl.store(");
    emit_address(emitter, 2);
    buf_puts(&emitter->text, ", y, mask=in_rows & in_cols)\n");
}

/* ---- calls ---- */

static int choose_tile(int64_t rows, int64_t cols) {
    return rows > 32 && cols > 32 ? TILE_LARGE : TILE_SMALL;
}

/* As the tutorials' matmul has them. */
int product_warps(const Form *form) {
    return form->tile == TILE_BROAD || form->tile == TILE_BROADER ? 8 : 0;
}

static bool is_cpu(const tern_session *session) {
    return session->on_host && !session->checks_accesses;
}

static int64_t beyond(int64_t size, int64_t tile) { return (tile - size % tile) % tile; }

/* On cpu what a tile packs of a factor is multiplied by more the larger the tile is: as large as
 * leaves all threads as many, and not more than an eighth beyond the edges. EPYC, one
 * thread, f32, layers of 512 x 512 x 2048 with GELU: 64 x 64 15.2 ms of processor time,
 * 128 x 128 12.1, 256 x 256 11.3, 512 x 512 10.6. */
static int cpu_tile(const tern_session *session, const tern_tensor *y) {
    enum { MOST = 3 };
    int64_t programs = 1, size[2];
    int doubled[2];
    for (int d = 0; d < 2; d++) {
        size[d] = y->shape[y->rank - 2 + d];
        doubled[d] = MOST;
        while (doubled[d] && beyond(size[d], 64 << doubled[d]) * 8 > size[d]) doubled[d]--;
    }
    for (int d = 0; d < y->rank - 2; d++) programs *= y->shape[d];
    for (;;) {
        int64_t down = (size[0] + (64 << doubled[0]) - 1) >> (6 + doubled[0]),
                across = (size[1] + (64 << doubled[1]) - 1) >> (6 + doubled[1]);
        int larger = doubled[1] >= doubled[0];
        int64_t count = programs * down * across;
        if (beyond(count, session->num_threads) * 8 <= count || !doubled[larger]) break;
        doubled[larger]--;
    }
    return doubled[0] || doubled[1] ? TILE_OF_CPU + 4 * doubled[0] + doubled[1] : TILE_LARGE;
}

/* Of 16 bits on a GPU by what was fastest on an H100 (bench/results, 2026-11-25). */
static int usual_tile(const tern_session *session, const tern_tensor *y) {
    int64_t rows = y->shape[y->rank - 2], cols = y->shape[y->rank - 1];
    int tile = choose_tile(rows, cols);
    if (tile == TILE_LARGE && is_cpu(session) && y->dtype == TERN_FLOAT32 && rows >= 64 &&
        cols >= 64)
        return cpu_tile(session, y);
    if (!session->is_cuda || tile != TILE_LARGE || tern_dtype_size(y->dtype) != 2) return tile;
    return rows >= 2048 && cols >= 2048 ? TILE_BROADER : TILE_DEEP;
}

/* Of floats on a GPU a library's function is used where one is found. fp32: on an H100 1.3 times as
 * fast at 1024, 1.6 times at 4096 (bench/results, 2026-11-25). 16 bits: at 1024 1.2 times, at 4096
 * 1.05 to 1.2; on an H200 layers of 4096 x 1024 x 4096 with bias and GELU take .124 ms by it, with
 * a pass more for the GELU, and .167 by the usual tile (2026-11-26). Smaller ones and fp64 were not
 * measured. */
int product_usual_way(tern_session *session, const tern_tensor *a, const tern_tensor *b,
                      const tern_tensor *y) {
    enum { LARGE = 256, LARGE_NARROW = 1024 };
    const int64_t *shape = y->shape + y->rank - 2;
    int64_t least = tern_dtype_size(y->dtype) == 2 ? LARGE_NARROW : LARGE;
    bool is_large = shape[0] >= least && shape[1] >= least && a->shape[a->rank - 1] >= least;
    if (session->is_cuda && is_large && tern_dtype_is_float(y->dtype) && blas_can(session, a, b, y))
        return PRODUCT_BY_LIBRARY;
    if (!tern_dtype_is_float(y->dtype)) return TILE_BY_COLUMN;
    int tile = usual_tile(session, y);
    int64_t depth = a->shape[a->rank - 1];
    return tile >= TILE_OF_CPU && beyond(depth, 64) * 8 > depth ? tile + SHALLOW : tile;
}

int product_tiles(tern_session *session, const tern_tensor *y, int ways[MOST_WAYS]) {
    int64_t rows = y->shape[y->rank - 2], cols = y->shape[y->rank - 1];
    int count = 0, usual = usual_tile(session, y);
    bool is_narrow = tern_dtype_size(y->dtype) == 2;
    if (!tern_dtype_is_float(y->dtype)) return ways[0] = TILE_BY_COLUMN, 1;
    ways[count++] = usual;
    if (usual == TILE_SMALL || session->checks_accesses) return count;
    bool has_broad = rows > 64 && cols > 64;
    bool has_broader = rows > 64 && cols > 128 && is_narrow && session->is_cuda;
    const struct {
        int tile;
        bool is_there;
    } others[] = {{TILE_LARGE, true},
                  {TILE_DEEP, true},
                  {TILE_BROAD, has_broad},
                  {TILE_BROADER, has_broader}};
    for (int i = 0; i < COUNT(others); i++)
        if (others[i].is_there && others[i].tile != usual) ways[count++] = others[i].tile;
    return count;
}

/* On cpu a factor of large products that lies turned is copied first, where it is read often: each
 * tile turns what it reads of it, of 32 bits in blocks, which costs a twentieth of a product of
 * tiles (EPYC: 512 x 512 x 2048 5.3 ms without a copy, 6.2 with it); what is narrower or wider
 * takes twice the time of the product. NULL: as it is. */
static tern_tensor *straightened(tern_session *session, const tern_tensor *x, int64_t others) {
    enum { LARGE = 256, OFTEN = 512 }; /* up to which copying takes as long as it saves */
    const int64_t *shape = x->shape + x->rank - 2, *strides = x->strides + x->rank - 2;
    int64_t least = tern_dtype_size(x->dtype) == 4 ? OFTEN : LARGE;
    bool is_large = shape[0] > LARGE && shape[1] > LARGE && others > least;
    if (!is_cpu(session) || !is_large || strides[1] == 1 || strides[0] != 1 ||
        !tensor_is_dense(x) || !tern_dtype_is_float(x->dtype))
        return NULL;
    bool mode = tern_set_grad_mode(session, false);
    tern_tensor *copy = tern_contiguous((tern_tensor *)x);
    tern_set_grad_mode(session, mode);
    return copy;
}

/* The batches, then m, n and k. */
static void product_space(const tern_tensor *a, const tern_tensor *b, const tern_tensor *y,
                          Space *space) {
    int batches = y->rank - 2, m = batches, n = batches + 1, k = batches + 2;
    int64_t a_strides[TERN_MAX_RANK], b_strides[TERN_MAX_RANK], shape[TERN_MAX_RANK];
    memcpy(shape, y->shape, sizeof shape);
    shape[batches] = a->shape[a->rank - 2], shape[batches + 1] = a->shape[a->rank - 1];
    broadcast_strides(a, y->rank, shape, a_strides);
    shape[batches] = b->shape[b->rank - 2], shape[batches + 1] = b->shape[b->rank - 1];
    broadcast_strides(b, y->rank, shape, b_strides);
    space->num_operands = 3;
    space->rank = y->rank + 1;
    for (int d = 0; d < batches; d++) {
        space->sizes[d] = y->shape[d];
        space->strides[0][d] = a_strides[d];
        space->strides[1][d] = b_strides[d];
        space->strides[2][d] = y->strides[d];
    }
    space->sizes[m] = y->shape[m];
    space->sizes[n] = y->shape[n];
    space->sizes[k] = a->shape[a->rank - 1];
    const int64_t of_m[3] = {a_strides[m], 0, y->strides[m]};
    const int64_t of_n[3] = {0, b_strides[n], y->strides[n]};
    const int64_t of_k[3] = {a_strides[n], b_strides[m], 0};
    for (int i = 0; i < 3; i++) {
        space->strides[i][m] = of_m[i];
        space->strides[i][n] = of_n[i];
        space->strides[i][k] = of_k[i];
    }
}

/* A tile has all its rows and columns, also where they are the same ones. */
static void keep_strides(Form *form) {
    static const int needed[2][2] = {{0, 2}, {0, 1}};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            uint8_t zero = (uint8_t)(STRIDE_0 << (2 * needed[i][j]));
            uint8_t bits = (uint8_t)(3 << (2 * needed[i][j]));
            if ((form->operands[i].classes & bits) == zero)
                form->operands[i].classes &= (uint8_t)~bits;
        }
}

static tern_status run_tile(tern_session *session, const tern_tensor *a, const tern_tensor *b,
                            tern_tensor *y, int tile) {
    Call call;
    FormKey key = {.words = {0, 0, 0}};
    int batches = y->rank - 2, m = batches, n = batches + 1, k = batches + 2;
    if (!y->numel) return TERN_OK;
    call.operands[0] = tern_of((tern_tensor *)a);
    call.operands[1] = tern_of((tern_tensor *)b);
    call.operands[2] = tern_of(y);
    if (session->trace)
        return trace_run(session->trace,
                         &(Run){.kind = RUN_PRODUCT,
                                .op = TERN_OP_matmul,
                                .compute = compute_type(y->dtype),
                                .num_operands = 2,
                                .operands = {call.operands[0], call.operands[1]}},
                         y);
    product_space(a, b, y, &call.space);
    key.form.op = TERN_OP_matmul;
    key.form.kind = FORM_PRODUCT;
    key.form.flags = FORM_REDUCES;
    key.form.outer = (uint8_t)k;
    key.form.compute = (uint8_t)compute_type(y->dtype);
    key.form.tile = (uint8_t)tile;
    form_describe(&key, session, &call, (int[TILE_DIMS]){k, n, m});
    keep_strides(&key.form);
    Tile block = product_tile(&key.form);
    int64_t down = (y->shape[m] + block.rows - 1) / block.rows;
    int64_t across = (y->shape[n] + block.cols - 1) / block.cols;
    return plan_run(session, &key, &call, down * across * space_count(&call.space, 0, batches));
}

tern_status product_run_way(tern_session *session, tern_stream *stream, const tern_tensor *a,
                            const tern_tensor *b, tern_tensor *y, int way) {
    tern_stream *before = session->stream;
    if (!stream) stream = before;
    if (way == PRODUCT_BY_LIBRARY) return blas_run(session, stream, a, b, y);
    session->stream = stream;
    tern_tensor *left = straightened(session, a, y->shape[y->rank - 1]);
    tern_tensor *right = straightened(session, b, y->shape[y->rank - 2]);
    tern_status status = run_tile(session, left ? left : a, right ? right : b, y, way);
    session->stream = before;
    tern_drop(left);
    tern_drop(right);
    return status;
}

tern_status product_run(tern_session *session, const tern_tensor *a, const tern_tensor *b,
                        tern_tensor *y) {
    if (!y->numel) return TERN_OK;
    bool is_tuned = session->tunes && !session->trace && a->shape[a->rank - 1];
    int way = session->trace ? TILE_SMALL /* is noted */
              : is_tuned     ? tune_product(session, a, b, y)
                             : product_usual_way(session, a, b, y);
    return product_run_way(session, NULL, a, b, y, way);
}

/* How PyTorch multiplies batches of matrices by one, or by a vector: as one matrix of more rows,
 * which is turned where the batches are on the right, unless that needs a copy. Its words show
 * it. */
static bool is_folded(const tern_tensor *a, const tern_tensor *b) {
    bool turned = a->rank < b->rank;
    const tern_tensor *batches = turned ? b : a, *other = turned ? a : b;
    int rank = batches->rank, row = turned ? rank - 1 : rank - 2;
    if (rank < 3 || other->rank > 2) return false;
    if (tern_requires_grad(other)) return true;
    if (a->rank == 2) return false;
    int64_t step = batches->strides[row] * batches->shape[row];
    for (int d = rank - 3; d >= 0 && batches->numel; d--) {
        if (batches->shape[d] == 1) continue;
        if (batches->strides[d] != step) return false;
        step *= batches->shape[d];
    }
    return true;
}

static bool check_types(const tern_tensor *a, const tern_tensor *b) {
    bool folds = is_folded(a, b), turned = folds && a->rank < b->rank;
    const tern_tensor *left = turned ? b : a, *right = turned ? a : b;
    const char *of_left = torch_type_name(left->dtype), *of_right = torch_type_name(right->dtype);
    if (a->session != b->session)
        session_fail(a->session, TERN_ERROR_ARGUMENT,
                     "the operands are tensors of different sessions");
    else if (a->dtype != b->dtype && a->rank == 1 && b->rank == 1)
        session_fail(a->session, TERN_ERROR_ARGUMENT,
                     "dot : expected both vectors to have same dtype, but found %s and %s", of_left,
                     of_right);
    else if (a->dtype != b->dtype && !folds && (a->rank > 2 || b->rank > 2))
        session_fail(a->session, TERN_ERROR_ARGUMENT, "expected scalar type %s but found %s",
                     of_left, of_right);
    else if (a->dtype != b->dtype && right->rank == 1)
        session_fail(a->session, TERN_ERROR_ARGUMENT,
                     "addmv input tensors must have the same dtype, but got %s, %s, and %s",
                     of_right, of_left, of_right);
    else if (a->dtype != b->dtype)
        session_fail(a->session, TERN_ERROR_ARGUMENT,
                     "expected m1 and m2 to have the same dtype, but got: %s != %s",
                     torch_tensor_name(left->dtype), torch_tensor_name(right->dtype));
    else if (!dtype_is_computed(a->dtype) || a->dtype == TERN_BOOL)
        session_fail(a->session, TERN_ERROR_UNSUPPORTED, "\"matmul\" not implemented for '%s'",
                     torch_type_name(a->dtype));
    else
        return true;
    return false;
}

/* The shape of the batches, which may not fit. */
static bool find_batches(const tern_tensor *a, const tern_tensor *b, int *rank, int64_t *shape) {
    tern_tensor of_a = {.rank = a->rank > 2 ? a->rank - 2 : 0};
    tern_tensor of_b = {.rank = b->rank > 2 ? b->rank - 2 : 0};
    memcpy(of_a.shape, a->shape, sizeof of_a.shape);
    memcpy(of_b.shape, b->shape, sizeof of_b.shape);
    return broadcast(a->session, (const tern_tensor *const[]){&of_a, &of_b}, 2, rank, shape);
}

static bool check_inner(const tern_tensor *a, const tern_tensor *b) {
    bool folds = is_folded(a, b), turned = folds && a->rank < b->rank;
    const int64_t *of_a = a->shape + a->rank, *of_b = b->shape + b->rank;
    long long depth = of_a[-1], other = b->rank == 1 ? of_b[-1] : of_b[-2], rows = 1;
    const tern_tensor *left = turned ? b : a, *right = turned ? a : b;
    if (depth == other) return true;
    for (int d = 0; d < left->rank; d++)
        if (d != left->rank - (turned ? 2 : 1)) rows *= left->shape[d];
    if (!folds && (a->rank > 2 || b->rank > 2)) {
        int rank;
        int64_t shape[TERN_MAX_RANK];
        if (!find_batches(a, b, &rank, shape)) return false;
        long long count = 1;
        for (int d = 0; d < rank; d++) count *= shape[d];
        session_fail(a->session, TERN_ERROR_ARGUMENT,
                     "Expected size for first two dimensions of batch2 tensor to be: [%lld, %lld] "
                     "but got: [%lld, %lld].",
                     count, depth, count, other);
    } else if (a->rank == 1 && b->rank == 1)
        session_fail(a->session, TERN_ERROR_ARGUMENT,
                     "inconsistent tensor size, expected tensor [%lld] and src [%lld] to have the "
                     "same number of elements, but got %lld and %lld elements respectively",
                     depth, other, depth, other);
    else if (right->rank == 1)
        session_fail(a->session, TERN_ERROR_ARGUMENT,
                     "size mismatch, got input (%lld), mat (%lldx%lld), vec (%lld)", rows, rows,
                     turned ? other : depth, turned ? depth : other);
    else
        session_fail(a->session, TERN_ERROR_ARGUMENT,
                     "mat1 and mat2 shapes cannot be multiplied (%lldx%lld and %lldx%lld)", rows,
                     turned ? other : depth, turned ? depth : other,
                     (long long)(turned ? of_a[-2] : of_b[-1]));
    return false;
}

/* Of matrices, or batches of them. */
static tern_tensor *product_of_matrices(tern_tensor *a, tern_tensor *b) {
    int64_t shape[TERN_MAX_RANK];
    int rank;
    if (!find_batches(a, b, &rank, shape)) return NULL;
    shape[rank] = a->shape[a->rank - 2];
    shape[rank + 1] = b->shape[b->rank - 1];
    tern_tensor *y = tern_empty(a->session, a->dtype, rank + 2, shape);
    if (y && product_run(a->session, a, b, y)) {
        tern_drop(y);
        return NULL;
    }
    const tern_operand operands[] = {tern_of(a), tern_of(b)};
    return tape_row(y, TERN_OP_matmul, operands, 2, &(Attributes){.p = 0});
}

tern_tensor *tern_matmul(tern_tensor *a, tern_tensor *b) {
    if (!tensor_is_live(a) || !tensor_is_live(b)) return NULL;
    if (!a->rank || !b->rank)
        return session_fail_null(
            a->session, TERN_ERROR_ARGUMENT,
            "both arguments to matmul need to be at least 1D, but they are %dD and %dD", a->rank,
            b->rank);
    bool is_dot = a->rank == 1 && b->rank == 1; /* whose types PyTorch looks at first */
    if ((!is_dot && !check_inner(a, b)) || !check_types(a, b) || !check_inner(a, b)) return NULL;
    op_begin(a->session, "matmul", (tern_operand[]){tern_of(a), tern_of(b)}, 2);
    tern_tensor *left = a->rank == 1 ? tern_unsqueeze(a, 0) : tern_keep(a);
    tern_tensor *right = b->rank == 1 ? tern_unsqueeze(b, 1) : tern_keep(b);
    tern_tensor *y = left && right ? product_of_matrices(left, right) : NULL;
    tern_drop(left);
    tern_drop(right);
    tern_tensor *squeezed = y;
    if (y && b->rank == 1) squeezed = tern_squeeze(y, -1);
    if (squeezed && a->rank == 1) {
        tern_tensor *again = tern_squeeze(squeezed, b->rank == 1 ? -1 : -2);
        if (squeezed != y) tern_drop(squeezed);
        squeezed = again;
    }
    if (squeezed != y) tern_drop(y);
    tern_range_pop(a->session->context);
    return squeezed;
}

tern_tensor *tern_bmm(tern_tensor *a, tern_tensor *b) {
    if (!tensor_is_live(a) || !tensor_is_live(b)) return NULL;
    if (a->rank != 3 || b->rank != 3)
        return session_fail_null(a->session, TERN_ERROR_ARGUMENT, "batch%d must be a 3D tensor",
                                 a->rank != 3 ? 1 : 2);
    if (a->shape[0] != b->shape[0] || a->shape[2] != b->shape[1])
        return session_fail_null(
            a->session, TERN_ERROR_ARGUMENT,
            "Expected size for first two dimensions of batch2 tensor to be: [%lld, %lld] but got: "
            "[%lld, %lld].",
            (long long)a->shape[0], (long long)a->shape[2], (long long)b->shape[0],
            (long long)b->shape[1]);
    return tern_matmul(a, b);
}

tern_tensor *tern_linear(tern_tensor *x, tern_tensor *weight, tern_tensor *bias) {
    if (!tensor_is_live(x) || !tensor_is_live(weight)) return NULL;
    op_begin(x->session, "linear", (tern_operand[]){tern_of(x), tern_of(weight), tern_of(bias)}, 3);
    tern_tensor *turned = weight->rank == 2 ? tern_transpose(weight, 0, 1) : tern_keep(weight);
    tern_tensor *y = tern_matmul(x, turned), *sum = y;
    tern_drop(turned);
    if (y && bias) {
        sum = tern_add(y, bias);
        tern_drop(y);
    }
    tern_range_pop(x->session->context);
    return sum;
}
