// SPDX-License-Identifier: Apache-2.0
/* space: broadcasting, the order in which a result lies, and one nest of loops over all
 * operands. */
#include "tensor/plan.h"

bool broadcast(tern_session *session, const tern_tensor *const *tensors, int count, int *rank,
               int64_t *shape) {
    *rank = 0;
    for (int i = 0; i < count; i++)
        if (tensors[i]->rank > *rank) *rank = tensors[i]->rank;
    for (int d = 0; d < *rank; d++) shape[d] = 1;
    for (int i = 0; i < count; i++)
        for (int d = tensors[i]->rank - 1; d >= 0; d--) {
            int at = d + *rank - tensors[i]->rank;
            int64_t size = tensors[i]->shape[d];
            if (shape[at] == size || size == 1) continue;
            if (shape[at] != 1) {
                session_fail(
                    session, TERN_ERROR_ARGUMENT,
                    "The size of tensor a (%lld) must match the size of tensor b (%lld) at "
                    "non-singleton dimension %d",
                    (long long)shape[at], (long long)size, at);
                return false;
            }
            shape[at] = size;
        }
    return true;
}

void broadcast_strides(const tern_tensor *tensor, int rank, const int64_t *shape,
                       int64_t *strides) {
    int lead = rank - tensor->rank;
    for (int d = 0; d < rank; d++)
        strides[d] = d < lead || (tensor->shape[d - lead] == 1 && shape[d] != 1)
                         ? 0
                         : tensor->strides[d - lead];
}

/* ---- a result's strides ---- */

/* Does dimension b lie inside of a? Positive: it is the other way round; 0: operands do not say. */
static int compare_dims(int64_t strides[][TERN_MAX_RANK], int count, const int64_t *shape, int a,
                        int b) {
    for (int i = 0; i < count; i++) {
        int64_t of_a = strides[i][a], of_b = strides[i][b];
        if (!of_a || !of_b) continue;
        if (of_a != of_b) return of_a < of_b ? -1 : 1;
        if (shape[a] > shape[b]) return 1;
    }
    return 0;
}

/* As PyTorch's TensorIterator: from the last dimension on, each is inserted where the first operand
 * that says something wants it. */
static void order_of(int64_t strides[][TERN_MAX_RANK], int count, int rank, const int64_t *shape,
                     int *order) {
    for (int i = 0; i < rank; i++) order[i] = rank - 1 - i;
    for (int i = 1; i < rank; i++) {
        int moving = i;
        for (int j = i - 1; j >= 0; j--) {
            int says = compare_dims(strides, count, shape, order[j], order[moving]);
            if (says < 0) break;
            if (!says) continue;
            int dim = order[j];
            order[j] = order[moving];
            order[moving] = dim;
            moving = j;
        }
    }
}

/* All of one shape and, where one is dense, of the same strides. */
static bool are_alike(const tern_tensor *const *tensors, int count, int rank,
                      const int64_t *shape) {
    for (int i = 0; i < count; i++) {
        if (tensors[i]->rank != rank || !tensor_is_dense(tensors[i])) return false;
        for (int d = 0; d < rank; d++)
            if (tensors[i]->shape[d] != shape[d] ||
                tensors[i]->strides[d] != tensors[0]->strides[d])
                return false;
    }
    return true;
}

/* PyTorch's format of pictures: batch, rows, columns, channels; the sizes are in another order. */
static bool are_channels_last(const tern_tensor *const *tensors, int count, int rank,
                              const int64_t *shape) {
    static const int inwards[] = {1, 3, 2, 0};
    for (int i = 0; i < count; i++) {
        int64_t step = 1;
        if (rank != 4 || tensors[i]->rank != 4) return false;
        for (int k = 0; k < 4; k++) {
            int d = inwards[k];
            bool fits = tensors[i]->shape[d] == shape[d] &&
                        (shape[d] == 1 || tensors[i]->strides[d] == step);
            if (!fits) return false;
            step *= shape[d];
        }
    }
    return true;
}

void result_strides(const tern_tensor *const *tensors, int count, bool has_numbers, int rank,
                    const int64_t *shape, int64_t *strides) {
    int64_t of[MAX_OPERANDS][TERN_MAX_RANK], step = 1;
    int order[TERN_MAX_RANK];
    bool all_contiguous = !has_numbers;
    for (int i = 0; i < count; i++) {
        bool same = tensors[i]->rank == rank;
        for (int d = 0; d < rank && same; d++) same = tensors[i]->shape[d] == shape[d];
        all_contiguous = all_contiguous && same && tensors[i]->is_contiguous;
        broadcast_strides(tensors[i], rank, shape, of[i]);
    }
    strides_of(rank, shape, strides);
    if (all_contiguous) return;
    if (!has_numbers && are_channels_last(tensors, count, rank, shape)) {
        const int64_t columns = shape[3] * shape[1];
        memcpy(strides, (const int64_t[]){shape[2] * columns, 1, columns, shape[1]},
               4 * sizeof *strides);
        return;
    }
    if (!has_numbers && are_alike(tensors, count, rank, shape)) {
        memcpy(strides, tensors[0]->strides, (size_t)rank * sizeof *strides);
        return;
    }
    order_of(of, count, rank, shape, order);
    bool usual = true;
    for (int i = 0; i < rank; i++) usual = usual && order[i] == rank - 1 - i;
    if (usual) return;
    for (int i = 0; i < rank; i++) {
        strides[order[i]] = step;
        step *= shape[order[i]];
    }
}

/* ---- loops ---- */

static void swap_loops(Space *space, int a, int b) {
    int64_t size = space->sizes[a];
    space->sizes[a] = space->sizes[b];
    space->sizes[b] = size;
    for (int i = 0; i < space->num_operands; i++) {
        int64_t stride = space->strides[i][a];
        space->strides[i][a] = space->strides[i][b];
        space->strides[i][b] = stride;
    }
}

void space_sort(Space *space, int first, int end, int operand) {
    const int64_t *strides = space->strides[operand];
    for (int i = first + 1; i < end; i++)
        for (int j = i; j > first && strides[j - 1] < strides[j]; j--) swap_loops(space, j - 1, j);
}

static bool is_one_loop(const Space *space, int outer, int inner) {
    for (int i = 0; i < space->num_operands; i++)
        if (space->strides[i][outer] != space->strides[i][inner] * space->sizes[inner])
            return false;
    return true;
}

void space_merge(Space *space, int first) {
    int made = first;
    for (int d = first; d < space->rank; d++) {
        if (space->sizes[d] == 1) continue;
        space->sizes[made] = space->sizes[d];
        for (int i = 0; i < space->num_operands; i++)
            space->strides[i][made] = space->strides[i][d];
        if (made > first && is_one_loop(space, made - 1, made)) {
            space->sizes[made - 1] *= space->sizes[made];
            for (int i = 0; i < space->num_operands; i++)
                space->strides[i][made - 1] = space->strides[i][made];
        } else
            made++;
    }
    if (made == first) {
        space->sizes[made] = 1;
        for (int i = 0; i < space->num_operands; i++) space->strides[i][made] = 0;
        made++;
    }
    space->rank = made;
}

int64_t space_count(const Space *space, int first, int end) {
    int64_t count = 1;
    for (int d = first; d < end; d++) count *= space->sizes[d];
    return count;
}

/* The largest index of an operand, and of a lane past the end in a tile, are below 2^31. */
bool space_fits_32(const Space *space) {
    enum { MOST = INT32_MAX - 65536 };
    if (space_count(space, 0, space->rank) > MOST) return false;
    for (int i = 0; i < space->num_operands; i++) {
        int64_t extent = 0;
        for (int d = 0; d < space->rank; d++) {
            /* a tile's lanes past the end are multiplied, too */
            int64_t reach;
            if (__builtin_mul_overflow(space->sizes[d] + 1024, space->strides[i][d], &reach) ||
                reach > MOST || (extent += reach) > MOST)
                return false;
        }
    }
    return true;
}
