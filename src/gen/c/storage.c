// SPDX-License-Identifier: Apache-2.0
/* storage: where tiles live that cross from one loop nest to another; what is cheap enough to be
 * computed again instead. */
#include "gen/c/c.h"

ValueInfo *info(Gen *g, const Value *value) { return &g->values[value->id]; }
bool is_done(Gen *g, const Op *op) { return map_get_pointer(&g->done, op) != NULL; }
void set_done(Gen *g, Op *op) { map_set_pointer(&g->done, op, op); }

/* Ops that move or make indices, masks and addresses: a cycle or so a vector. */
static const bool cheap[NUM_OP_KINDS] = {
#define LEAF(kind, ...) [OP_##kind] = true,
#include "ir/ops.def"
    [OP_SPLAT] = true,  [OP_BROADCAST] = true, [OP_EXPAND_DIMS] = true, [OP_HINT] = true,
    [OP_ADD] = true,    [OP_SUB] = true,       [OP_AND] = true,         [OP_OR] = true,
    [OP_XOR] = true,    [OP_SHL] = true,       [OP_SHR_S] = true,       [OP_SHR_U] = true,
    [OP_ICMP] = true,   [OP_EXT_S] = true,     [OP_EXT_U] = true,       [OP_TRUNC] = true,
    [OP_ADDPTR] = true, [OP_MUL] = true,
};

static bool only_moves_ones(const Type *a, const Type *r) { /* adds or drops dimensions of 1 */
    int i = 0, j = 0;
    for (;;) {
        while (i < a->rank && a->shape[i] == 1) i++;
        while (j < r->rank && r->shape[j] == 1) j++;
        if (i == a->rank || j == r->rank) return i == a->rank && j == r->rank;
        if (a->shape[i++] != r->shape[j++]) return false;
    }
}

bool is_cheap_kind(const Op *op) {
    if (op->kind == OP_RESHAPE) return only_moves_ones(op->operands[0]->type, op->results[0].type);
    return cheap[op->kind];
}

static int cheap_size(Gen *g, Value *value, int limit) {
    if (!type_is_tile(value->type)) return 1;
    ValueInfo *in = info(g, value);
    if (in->view) return 1;
    if (!value->def || !is_cheap_kind(value->def) || limit <= 0) return limit + 1;
    int size = 1;
    for (int i = 0; i < value->def->num_operands && size <= limit; i++)
        size += cheap_size(g, value->def->operands[i], limit - size);
    return size;
}

static bool same_in_programs(const Value *value, int *budget) {
    const Op *op = value->def;
    if (!op) return !value->region->owner;
    if (--*budget < 0 || op->kind == OP_PROGRAM_ID || !is_cheap_kind(op)) return false;
    for (int i = 0; i < op->num_operands; i++)
        if (!same_in_programs(op->operands[i], budget)) return false;
    return true;
}

bool is_same_in_programs(const Value *value) {
    int budget = 40;
    return same_in_programs(value, &budget);
}

bool is_cheap(Gen *g, Value *value) { return cheap_size(g, value, 40) <= 40; }

/* ---- arrays ---- */

enum { SCRATCH_ALIGN = 64, SCRATCH_SLACK = 64 /* a whole vector may be stored at the last lane */ };

int64_t scratch_take(Gen *g, int64_t bytes, bool dedicated) {
    bytes = (bytes + SCRATCH_ALIGN - 1) / SCRATCH_ALIGN * SCRATCH_ALIGN;
    for (int i = 0; i < g->free_blocks.count && !dedicated; i++) {
        FreeBlock *block = &g->free_blocks.data[i];
        if (block->bytes < bytes || block->bytes > 2 * bytes) continue;
        int64_t offset = block->offset;
        *block = g->free_blocks.data[--g->free_blocks.count];
        return offset;
    }
    int64_t offset = g->scratch_bytes;
    g->scratch_bytes += bytes;
    return offset;
}

Array *array_new(Gen *g, const Type *type, bool dedicated) {
    Array *array = arena_new_of(g->arena, Array);
    const Type *lane = type_lane(type);
    array->id = new_id(g);
    array->lane = lane->kind;
    int64_t bytes = (int64_t)type->lanes * type_size_bytes(lane) + 16 * 8 + SCRATCH_SLACK;
    array->bytes = (bytes + SCRATCH_ALIGN - 1) / SCRATCH_ALIGN * SCRATCH_ALIGN;
    array->dedicated = dedicated;
    array->offset = scratch_take(g, array->bytes, dedicated);
    if (!dedicated) vec_push(g->arena, &g->used, g->arrays.count);
    vec_push(g->arena, &g->arrays, array);
    const char *c_type = array_type(array->lane);
    line(g, &g->decls, 1, "%s *a%d = (%s *)(S + %lld);", c_type, array->id, c_type,
         (long long)array->offset);
    return array;
}

/* Tiles of threads that a loop carries, of a few whole vectors, whose nests are written out. */
enum { MOST_HELD_VECTORS = 16, MOST_HELD_BYTES = 32768 /* of a worker's stack */ };

Array *array_held(Gen *g, const Type *type) {
    const Type *lane = type_lane(type);
    int64_t bytes = (int64_t)type->lanes * type_size_bytes(lane);
    int most = g->arch == C_GENERIC || g->W < 16 ? MOST_HELD_VECTORS / 2 : MOST_HELD_VECTORS;
    if (!are_threads(g) || type_size_bytes(lane) != 4 || type->shape[type->rank - 1] % g->W != 0 ||
        type->lanes > most * g->W || g->held_bytes + bytes > MOST_HELD_BYTES)
        return NULL;
    Array *array = arena_new_of(g->arena, Array);
    array->id = new_id(g);
    array->lane = lane->kind;
    array->dedicated = array->held = true;
    g->held_bytes += bytes;
    vec_push(g->arena, &g->arrays, array);
    const char *c_type = array_type(array->lane);
    line(g, &g->decls, 1, "%s h%d[%d] __attribute__((aligned(64)));", c_type, array->id,
         type->lanes);
    line(g, &g->decls, 1, "%s *a%d = h%d;", c_type, array->id, array->id);
    return array;
}

View *view_row_major(Gen *g, Array *array, const Type *type) {
    View *view = arena_new_of(g->arena, View);
    view->array = array;
    int64_t stride = 1;
    for (int i = type->rank - 1; i >= 0; i--) view->strides[i] = stride, stride *= type->shape[i];
    return view;
}

bool view_is_row_major(const View *view, const Type *type) {
    int64_t stride = 1;
    for (int i = type->rank - 1; i >= 0; i--) {
        if (type->shape[i] > 1 && view->strides[i] != stride) return false;
        stride *= type->shape[i];
    }
    return view->offset == 0;
}

void value_store_in(Gen *g, Value *value, View *view) {
    info(g, value)->view = view;
    vec_push(g->arena, &view->array->values, value);
}

/* A cheap user is never done itself: it is finished when its own users are. */
static bool value_is_finished(Gen *g, const Value *value, int depth) {
    ValueInfo *in = info(g, value);
    int count = in->users.count;
    for (int n = 0, i = in->open_user; n < count; n++, i = i + 1 < count ? i + 1 : 0) {
        Op *user = in->users.data[i];
        in->open_user = i;
        if (is_done(g, user)) continue;
        if (depth == 0 || user->num_results != 1 || !is_cheap_kind(user)) return false;
        if (!value_is_finished(g, op_result(user), depth - 1)) return false;
    }
    return true;
}

void arrays_release(Gen *g, int from) {
    int first = g->used.count;
    while (first > 0 && g->used.data[first - 1] >= from) first--;
    int kept = first;
    for (int i = first; i < g->used.count; i++) {
        Array *array = g->arrays.data[g->used.data[i]];
        bool finished = array->values.count > 0;
        for (int k = 0; k < array->values.count && finished; k++)
            finished = value_is_finished(g, array->values.data[k], 8);
        if (finished)
            vec_push(g->arena, &g->free_blocks, (FreeBlock){array->offset, array->bytes});
        else
            g->used.data[kept++] = g->used.data[i];
    }
    g->used.count = kept;
}

/* May `only_user` overwrite the memory of value? */
bool array_is_private(Gen *g, const Value *value, const Op *only_user) {
    const View *view = info(g, value)->view;
    if (!view || !view_is_row_major(view, value->type)) return false;
    for (int i = 0; i < view->array->values.count; i++) {
        ValueInfo *in = info(g, view->array->values.data[i]);
        for (int k = 0; k < in->users.count; k++)
            if (in->users.data[k] != only_user && !is_done(g, in->users.data[k])) return false;
    }
    return true;
}
