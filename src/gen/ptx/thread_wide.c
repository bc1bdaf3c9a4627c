// SPDX-License-Identifier: Apache-2.0
/* thread_wide: what a thread copies at once, as a float4, is loaded and stored by one instruction.
 *
 *     %0 = load %p {width = 4}        ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%d0];
 *     %1 = load (%p + 1)         ->
 *     %2 = load (%p + 2)
 *     %3 = load (%p + 3)
 *
 * `width` is the promise of the first access that as many are there in all, side by side, aligned
 * as a whole. The others are looked for among the ops behind it, up to one that may change memory;
 * a load does for those that nobody reads, too, a store waits for its last value. */
#include "gen/ptx/gen.h"

typedef struct PtxWide {
    int count;
    const Op **parts; /* NULL: not there any more */
    const Op *last;
} PtxWide;

static const Value *root_of(const Value *pointer, int64_t *bytes) {
    int64_t offset;
    for (const Op *op; (op = pointer->def) != NULL; pointer = op->operands[0]) {
        if (op->kind == OP_BITCAST && op->operands[0]->type->kind == TYPE_PTR) continue;
        if (op->kind != OP_ADDPTR || !value_is_int(addptr_offset(op), &offset)) break;
        *bytes += offset * type_size_bytes(addptr_pointer(op)->type->elem);
    }
    return pointer;
}

static int64_t width_of(const Op *op) {
    return op->kind == OP_LOAD ? load_width(op) : store_width(op);
}

static bool is_plain(const Op *op) {
    if (access_mask(op)) return false;
    return op->kind == OP_LOAD ? !load_volatile(op) : !store_volatile(op);
}

static const Type *lane_of(const Op *op) {
    return op->kind == OP_LOAD ? op_result(op)->type : store_value(op)->type;
}

/* Which of the accesses that begin with `first` the op is; -1: none. */
static int part_of(const Op *first, const Op *op) {
    int64_t from = 0, to = 0, size = type_size_bytes(lane_of(first));
    if (op->kind != first->kind || lane_of(op) != lane_of(first) || !is_plain(op)) return -1;
    if (root_of(access_pointer(first), &from) != root_of(access_pointer(op), &to)) return -1;
    int64_t distance = to - from;
    bool inside = distance > 0 && distance < size * width_of(first) && distance % size == 0;
    return inside ? (int)(distance / size) : -1;
}

static PtxWide *found(Gen *g, const Op *first) {
    int count = (int)width_of(first), there = 1;
    PtxWide *wide = arena_new_of(g->arena, PtxWide);
    *wide = (PtxWide){count, arena_array(g->arena, const Op *, count), first};
    for (int i = 0; i < count; i++) wide->parts[i] = i ? NULL : first;
    for (const Op *op = first->next; op && there < count; op = op->next) {
        int part = op->kind == first->kind ? part_of(first, op) : -1;
        if (part > 0 && !wide->parts[part]) {
            wide->parts[part] = wide->last = op;
            there++;
        } else if (op->num_regions || !(op_is_pure(op) || op->kind == first->kind) ||
                   (op->kind == OP_STORE && part < 0)) {
            break;
        }
    }
    bool enough = first->kind == OP_LOAD ? there > 1 : there == count;
    return enough ? wide : NULL;
}

static void load(Gen *g, const PtxWide *wide) {
    const Op *op = wide->parts[0];
    Tir lanes[MAX_WIDE_LANES];
    ptx_load_lanes(g, ptx_load_mnemonic(g, op), false, ptx_thread_address(g, load_pointer(op)),
                   lane_of(op), wide->count, 0, NULL, lanes);
    for (int i = 0; i < wide->count; i++)
        if (wide->parts[i]) ptx_define_scalar(g, op_result(wide->parts[i]), lanes[i]);
}

static void store(Gen *g, const PtxWide *wide) {
    const Op *op = wide->parts[0];
    Tir lanes[MAX_WIDE_LANES];
    for (int i = 0; i < wide->count; i++) lanes[i] = ptx_scalar_of(g, store_value(wide->parts[i]));
    ptx_store_lanes(g, ptx_store_mnemonic(g, op), ptx_thread_address(g, store_pointer(op)),
                    lane_of(op), wide->count, 0, lanes);
}

bool ptx_thread_wide(Gen *g, const Op *op) {
    bool loads = op->kind == OP_LOAD;
    const PtxWide *wide = map_get_pointer(&g->wide, op);
    if (!wide && width_of(op) > 1 && is_plain(op) && (wide = found(g, op)) != NULL) {
        for (int i = 0; i < wide->count; i++)
            if (wide->parts[i]) map_set_pointer(&g->wide, wide->parts[i], (void *)wide);
        if (loads) load(g, wide);
    }
    if (wide && !loads && op == wide->last) store(g, wide);
    return wide != NULL;
}
