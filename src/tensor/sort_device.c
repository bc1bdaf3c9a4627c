// SPDX-License-Identifier: Apache-2.0
/* sort_device: the order of elements along a dimension, found by a GPU. An element becomes 64 bits,
 * above an int of the same order and below its place, so that equals stay in order; these are
 * sorted bitonically: blocks in one program each, what is farther apart by exchanges in memory.
 * Types of 64 bits do not fit: they are sorted by their lower halves, then by their upper ones. */
#include "tensor/plan.h"
#include "tensor/tape.h"

#include <stdio.h>

enum { BLOCK = 1024, LEAST = 32, COLS = 1024 };

static const char pack_text[] =
    "import triton\nimport triton.language as tl\n\n\n"
    "@triton.jit\n"
    "def sort_pack(x_ptr, p_ptr, length, each, total, FLOATS: tl.constexpr,\n"
    "              DESCENDS: tl.constexpr, COLS: tl.constexpr):\n"
    "    at = tl.program_id(0).to(tl.int64) * COLS + tl.arange(0, COLS)\n"
    "    row = at // each\n"
    "    i = at % each\n"
    "    x = tl.load(x_ptr + row * length + i, mask=(at < total) & (i < length), other=0)\n"
    "    if FLOATS:  # NaN is the largest, 0 and -0 are equal\n"
    "        x = x.to(tl.float32)\n"
    "        bits = tl.where(x == 0, 0.0, x).to(tl.int32, bitcast=True)\n"
    "        key = tl.where(x != x, 2147483647, tl.where(bits < 0, bits ^ 2147483647, bits))\n"
    "    else:\n"
    "        key = x.to(tl.int32)\n"
    "    if DESCENDS:\n"
    "        key = ~key\n"
    "    packed = (key.to(tl.int64) << 32) | i\n"
    "    packed = tl.where(i < length, packed, 9223372036854775807)\n"
    "    tl.store(p_ptr + at, packed, mask=at < total)\n";

/* Two ints whose order, the upper one's first, is that of the elements. */
static const char halves_text[] =
    "import triton\nimport triton.language as tl\n\n\n"
    "@triton.jit\n"
    "def sort_halves(x_ptr, low_ptr, high_ptr, total, FLOATS: tl.constexpr, COLS: tl.constexpr):\n"
    "    at = tl.program_id(0).to(tl.int64) * COLS + tl.arange(0, COLS)\n"
    "    x = tl.load(x_ptr + at, mask=at < total)\n"
    "    if FLOATS:  # NaN is the largest, 0 and -0 are equal\n"
    "        bits = tl.where(x == 0, 0.0, x).to(tl.int64, bitcast=True)\n"
    "        key = tl.where(bits < 0, bits ^ 9223372036854775807, bits)\n"
    "        key = tl.where(x != x, 9223372036854775807, key)\n"
    "    else:\n"
    "        key = x\n"
    "    low = (key & 4294967295) - 2147483648\n"
    "    tl.store(low_ptr + at, low.to(tl.int32), mask=at < total)\n"
    "    tl.store(high_ptr + at, (key >> 32).to(tl.int32), mask=at < total)\n";

static const char blocks_text[] =
    "import triton\nimport triton.language as tl\n\n\n"
    "@triton.jit\n"
    "def sort_blocks(p_ptr, each, size, MERGES: tl.constexpr, BLOCK: tl.constexpr):\n"
    "    start = tl.program_id(0).to(tl.int64) * BLOCK\n"
    "    x = tl.load(p_ptr + start + tl.arange(0, BLOCK))\n"
    "    turned = tl.where((start & (each - 1) & size) != 0, -1, 0).to(tl.int64)\n"
    "    x = x ^ turned  # every other block the other way round\n"
    "    if MERGES:\n"
    "        x = tl.bitonic_merge(x)\n"
    "    else:\n"
    "        x = tl.sort(x)\n"
    "    tl.store(p_ptr + start + tl.arange(0, BLOCK), x ^ turned)\n";

static const char exchange_text[] =
    "import triton\nimport triton.language as tl\n\n\n"
    "@triton.jit\n"
    "def sort_exchange(p_ptr, each, size, distance, pairs, COLS: tl.constexpr):\n"
    "    pair = tl.program_id(0).to(tl.int64) * COLS + tl.arange(0, COLS)\n"
    "    inside = pair < pairs\n"
    "    at = 2 * distance * (pair // distance) + pair % distance\n"
    "    x = tl.load(p_ptr + at, mask=inside)\n"
    "    y = tl.load(p_ptr + at + distance, mask=inside)\n"
    "    swaps = (x > y) != ((at & (each - 1) & size) != 0)\n"
    "    tl.store(p_ptr + at, tl.where(swaps, y, x), mask=inside)\n"
    "    tl.store(p_ptr + at + distance, tl.where(swaps, x, y), mask=inside)\n";

static const char places_text[] =
    "import triton\nimport triton.language as tl\n\n\n"
    "@triton.jit\n"
    "def sort_places(p_ptr, y_ptr, each, kept, total, COLS: tl.constexpr):\n"
    "    at = tl.program_id(0).to(tl.int64) * COLS + tl.arange(0, COLS)\n"
    "    packed = tl.load(p_ptr + at // kept * each + at % kept, mask=at < total)\n"
    "    tl.store(y_ptr + at, packed & 4294967295, mask=at < total)\n";

typedef struct Sorting {
    tern_session *session;
    tern_tensor *packed;
    int64_t rows, length, each, block; /* each: of a row, with what fills it up */
} Sorting;

static tern_status launch(const Sorting *sorting, const char *name, const char *text,
                          const char *signature, int64_t programs, const tern_argument *arguments,
                          int count) {
    tern_session *session = sorting->session;
    if (programs > INT32_MAX)
        return session_fail(session, TERN_ERROR_UNSUPPORTED, "a sort of %lld programs",
                            (long long)programs);
    tern_kernel *kernel = session_kernel(session, name, text, signature);
    if (!kernel) return tern_message_status(session->context);
    return tern_launch(session->stream, kernel, (uint32_t[]){(uint32_t)programs, 1, 1}, arguments,
                       count);
}

static int64_t programs_of(int64_t elements) { return (elements + COLS - 1) / COLS; }

static tern_status pack(const Sorting *sorting, const tern_tensor *x, bool descends) {
    char signature[120];
    int64_t total = sorting->rows * sorting->each;
    snprintf(signature, sizeof signature, "*%s,*i64,i64,i64,i64,%s,%s,%d", signature_type(x->dtype),
             tern_dtype_is_float(x->dtype) ? "True" : "False", descends ? "True" : "False", COLS);
    const tern_argument arguments[] = {tensor_argument(x), tensor_argument(sorting->packed),
                                       tern_arg_int(sorting->length), tern_arg_int(sorting->each),
                                       tern_arg_int(total)};
    return launch(sorting, "sort_pack", pack_text, signature, programs_of(total), arguments, 5);
}

static tern_status sort_blocks(const Sorting *sorting, int64_t size, bool merges) {
    char signature[80];
    snprintf(signature, sizeof signature, "*i64,i64,i64,%s,%d", merges ? "True" : "False",
             (int)sorting->block);
    const tern_argument arguments[] = {tensor_argument(sorting->packed),
                                       tern_arg_int(sorting->each), tern_arg_int(size)};
    return launch(sorting, "sort_blocks", blocks_text, signature,
                  sorting->rows * sorting->each / sorting->block, arguments, 3);
}

static tern_status exchange(const Sorting *sorting, int64_t size, int64_t distance) {
    char signature[80];
    int64_t pairs = sorting->rows * sorting->each / 2;
    snprintf(signature, sizeof signature, "*i64,i64,i64,i64,i64,%d", COLS);
    const tern_argument arguments[] = {tensor_argument(sorting->packed),
                                       tern_arg_int(sorting->each), tern_arg_int(size),
                                       tern_arg_int(distance), tern_arg_int(pairs)};
    return launch(sorting, "sort_exchange", exchange_text, signature, programs_of(pairs), arguments,
                  5);
}

static tern_status places(const Sorting *sorting, int64_t kept, tern_tensor *out) {
    char signature[80];
    snprintf(signature, sizeof signature, "*i64,*i64,i64,i64,i64,%d", COLS);
    const tern_argument arguments[] = {tensor_argument(sorting->packed), tensor_argument(out),
                                       tern_arg_int(sorting->each), tern_arg_int(kept),
                                       tern_arg_int(out->numel)};
    return launch(sorting, "sort_places", places_text, signature, programs_of(out->numel),
                  arguments, 5);
}

static tern_status sort_packed(const Sorting *sorting) {
    tern_status status = sort_blocks(sorting, sorting->block, false);
    for (int64_t size = 2 * sorting->block; size <= sorting->each && !status; size *= 2) {
        for (int64_t distance = size / 2; distance >= sorting->block && !status; distance /= 2)
            status = exchange(sorting, size, distance);
        if (!status) status = sort_blocks(sorting, size, true);
    }
    return status;
}

bool sort_can(const tern_tensor *x) {
    return x->session->promises && x->rank && x->numel && x->numel <= INT32_MAX;
}

static tern_status halve(const tern_tensor *rows, const tern_tensor *low, const tern_tensor *high) {
    char signature[80];
    const Sorting sorting = {.session = rows->session};
    snprintf(signature, sizeof signature, "*%s,*i32,*i32,i64,%s,%d", signature_type(rows->dtype),
             tern_dtype_is_float(rows->dtype) ? "True" : "False", COLS);
    const tern_argument arguments[] = {tensor_argument(rows), tensor_argument(low),
                                       tensor_argument(high), tern_arg_int(rows->numel)};
    return launch(&sorting, "sort_halves", halves_text, signature, programs_of(rows->numel),
                  arguments, 4);
}

static tern_tensor *order(const tern_tensor *x, int dim, int64_t kept, bool descends);

/* Of dense rows: by the lower halves; of what is then in order, by the upper ones. */
static tern_tensor *order_wide(const tern_tensor *rows, int64_t kept, bool descends) {
    int last = rows->rank - 1;
    tern_tensor *low = tern_empty(rows->session, TERN_INT32, rows->rank, rows->shape);
    tern_tensor *high = tern_empty(rows->session, TERN_INT32, rows->rank, rows->shape);
    if (!low || !high || halve(rows, low, high)) return NULL;
    tern_tensor *by_low = order(low, last, rows->shape[last], descends);
    tern_tensor *left = by_low ? tensor_gather(high, last, by_low) : NULL;
    tern_tensor *by_high = left ? order(left, last, kept, descends) : NULL;
    return by_high ? tensor_gather(by_low, last, by_high) : NULL;
}

/* In the scope of the caller. */
static tern_tensor *order(const tern_tensor *x, int dim, int64_t kept, bool descends) {
    tern_session *session = x->session;
    tern_tensor *rows = tern_contiguous(tern_transpose((tern_tensor *)x, dim, -1));
    Sorting sorting = {.session = session, .length = x->shape[dim], .each = LEAST};
    if (!rows) return NULL;
    if (tern_dtype_size(x->dtype) == 8) {
        tern_tensor *wide = order_wide(rows, kept, descends);
        return wide ? tern_contiguous(tern_transpose(wide, dim, -1)) : NULL;
    }
    while (sorting.each < sorting.length) sorting.each *= 2;
    sorting.rows = x->numel / sorting.length;
    sorting.block = sorting.each < BLOCK ? sorting.each : BLOCK;
    sorting.packed =
        tern_empty(session, TERN_INT64, 2, (const int64_t[]){sorting.rows, sorting.each});
    int64_t shape[TERN_MAX_RANK];
    memcpy(shape, rows->shape, sizeof shape);
    shape[x->rank - 1] = kept;
    tern_tensor *out = tern_empty(session, TERN_INT64, x->rank, shape);
    if (!sorting.packed || !out) return NULL;
    tern_status status = pack(&sorting, rows, descends);
    if (!status) status = sort_packed(&sorting);
    if (!status && out->numel) status = places(&sorting, kept, out);
    return status ? NULL : tern_contiguous(tern_transpose(out, dim, -1));
}

tern_tensor *sort_order(const tern_tensor *x, int dim, int64_t kept, bool descends) {
    tern_session *session = x->session;
    bool mode = tern_set_grad_mode(session, false);
    tern_tensor *found = NULL;
    if (!tern_scope_open(session)) {
        found = order(x, dim, kept, descends);
        if (found) tern_keep(found);
        tern_scope_close(session);
    }
    tern_set_grad_mode(session, mode);
    return found;
}
