// SPDX-License-Identifier: Apache-2.0
/* memory: loads, stores and atomics of global memory.
 *
 * A masked lane is never touched: each access is under a predicate, and loads set their registers
 * to `other` first. Lanes held several times are stored, and counted by atomics, once. Threads of a
 * block see each other's accesses in program order only across a barrier, so one is put between two
 * accesses through the same parameter, one of them a write, unless both go through the same pointer
 * tile in the same layout (then each thread meets only its own). */
#include "gen/ptx/gen.h"

/* ---- packing lanes into registers of a vector access ---- */

static bool is_byte(const Type *lane) { return type_bits(lane) <= 8; }

/* The word whose parts, as a load unpacked them, these lanes are; 0: none. */
static Tir whole_word(Gen *g, const Type *lane, const Tir *lanes, int count) {
    Tir word = lanes[0], parts[4];
    if (count * ptx_lane_bytes(lane) != 4 || count == 1 || type_bits(lane) == 1) return 0;
    if (ptx_class_of(lane) == CLASS_B16) {
        if (!tir_is(g->b, word, TIR_LOW16)) return 0;
        word = g->b->list.data[word].args[0];
    }
    if (tir_is_const(g->b, word, NULL)) return 0;
    int before = g->b->list.count;
    ptx_unpack_lanes(g, lane, word, count, parts);
    if (g->b->list.count != before) return 0; /* new parts: nobody had them */
    for (int i = 0; i < count; i++)
        if (parts[i] != lanes[i]) return 0;
    return word;
}

/* The word of two lanes: whole, or of constants; 0: it is none yet. */
static Tir word_there(Gen *g, const Type *lane, const Tir *lanes) {
    uint64_t low, high;
    bool constant = tir_is_const(g->b, lanes[0], &low) && tir_is_const(g->b, lanes[1], &high);
    return constant ? tir_i32(g->b, (int64_t)(low & 0xffff) | (int64_t)(high & 0xffff) << 16)
                    : whole_word(g, lane, lanes, 2);
}

bool ptx_select_pair(Gen *g, const Type *lane, Tir mask, const Tir *yes, const Tir *no,
                     Tir *lanes) {
    if (ptx_class_of(lane) != CLASS_B16) return false;
    Tir a = word_there(g, lane, yes), b = a ? word_there(g, lane, no) : 0;
    if (!b) return false;
    ptx_unpack_lanes(g, lane, tir_select(g->b, mask, a, b), 2, lanes);
    return true;
}

/* Halves that one operation made of others, each for itself, are made by one of the words of those;
 * 0: they are not. */
static Tir paired(Gen *g, const Type *lane, const Tir *lanes) {
    static const TirOp of[][2] = {{TIR_ADD_F16, TIR_ADD_F16X2},   {TIR_SUB_F16, TIR_SUB_F16X2},
                                  {TIR_MUL_F16, TIR_MUL_F16X2},   {TIR_FMA_F16, TIR_FMA_F16X2},
                                  {TIR_ADD_BF16, TIR_ADD_BF16X2}, {TIR_SUB_BF16, TIR_SUB_BF16X2},
                                  {TIR_MUL_BF16, TIR_MUL_BF16X2}, {TIR_FMA_BF16, TIR_FMA_BF16X2},
                                  {TIR_MAX_F16, TIR_MAX_F16X2},   {TIR_MIN_F16, TIR_MIN_F16X2},
                                  {TIR_MAX_BF16, TIR_MAX_BF16X2}, {TIR_MIN_BF16, TIR_MIN_BF16X2}};
    for (int i = 0; i < COUNT(of); i++) {
        if (!tir_is(g->b, lanes[0], of[i][0]) || !tir_is(g->b, lanes[1], of[i][0])) continue;
        int count = g->b->list.data[lanes[0]].num_args;
        Tir words[3] = {0};
        for (int k = 0; k < count; k++) {
            Tir halves[2] = {tir_argument(g->b, lanes[0], k), tir_argument(g->b, lanes[1], k)};
            words[k] = ptx_pack_lanes(g, lane, halves, 2);
        }
        return tir_3(g->b, of[i][1], words[0], words[1], words[2]);
    }
    return 0;
}

/* Up to 4 bytes of lanes as one 32-bit register. */
Tir ptx_pack_lanes(Gen *g, const Type *lane, const Tir *lanes, int count) {
    Tirs *b = g->b;
    Tir x[4] = {0}, whole = whole_word(g, lane, lanes, count);
    if (whole) return whole;
    if (ptx_class_of(lane) == CLASS_B16 && count == 2) whole = paired(g, lane, lanes);
    if (whole) return whole;
    for (int i = 0; i < count; i++)
        x[i] = type_bits(lane) == 1 ? ptx_zero_extended(g, lane, lanes[i]) : lanes[i];
    if (ptx_class_of(lane) == CLASS_B16)
        return count == 1 ? tir_1(b, TIR_WIDE16, x[0]) : tir_2(b, TIR_PACK16, x[0], x[1]);
    if (count == 1) return x[0];
    if (!is_byte(lane)) return tir_3(b, TIR_PRMT, x[0], x[1], tir_i32(b, 0x5410));
    Tir low = tir_3(b, TIR_PRMT, x[0], x[1], tir_i32(b, 0x3340));
    if (count == 2) return low;
    Tir high = tir_3(b, TIR_PRMT, x[2], x[3], tir_i32(b, 0x3340));
    return tir_3(b, TIR_PRMT, low, high, tir_i32(b, 0x5410));
}

void ptx_unpack_lanes(Gen *g, const Type *lane, Tir word, int count, Tir *lanes) {
    Tirs *b = g->b;
    int bits = 8 * ptx_lane_bytes(lane);
    for (int i = 0; i < count; i++) {
        Tir x = tir_2(b, TIR_SHR_U32, word, tir_i32(b, i * bits));
        if (ptx_class_of(lane) == CLASS_B16) x = tir_1(b, TIR_LOW16, x);
        if (type_bits(lane) == 1)
            x = tir_2(b, TIR_NE32, tir_2(b, TIR_AND32, x, tir_i32(b, 255)), tir_i32(b, 0));
        lanes[i] = x;
    }
}

typedef struct Words {
    int count, lanes_each;
    RegClass class;
    const char *suffix; /* ".v4.b32" */
} Words;

static Words words_of(const Type *lane, int count) {
    static const char *const narrow[] = {"", ".u8", ".u16", "", ".b32"};
    int bytes = ptx_lane_bytes(lane) * count;
    Words w = {1, count, CLASS_B32, ""};
    if (bytes < 4) {
        w.suffix = narrow[bytes];
        if (ptx_class_of(lane) == CLASS_B16) w.class = CLASS_B16, w.suffix = ".b16";
        return w;
    }
    if (ptx_class_of(lane) == CLASS_B64) {
        return (Words){count, 1, CLASS_B64, count == 1 ? ".b64" : ".v2.b64"};
    }
    w.count = bytes / 4;
    w.lanes_each = count / w.count;
    w.suffix = w.count == 1 ? ".b32" : w.count == 2 ? ".v2.b32" : ".v4.b32";
    return w;
}

static Tir pack_one(Gen *g, const Words *w, const Type *lane, const Tir *lanes) {
    return w->class == CLASS_B32 ? ptx_pack_lanes(g, lane, lanes, w->lanes_each) : lanes[0];
}

Tir ptx_policy(Gen *g, int64_t evict) {
    if (evict == EVICT_NORMAL || g->arch->number < 80) return 0;
    TirOp op = evict == EVICT_FIRST ? TIR_EVICT_FIRST : TIR_EVICT_LAST;
    return tir_1(g->b, op, tir_f32(g->b, 1));
}

/* What the hint of a mnemonic stands for; 0: it has none. */
static Tir policy_of(Gen *g, const char *mnemonic) {
    if (!strstr(mnemonic, "L2::cache_hint")) return 0;
    return ptx_policy(g, strstr(mnemonic, "evict_first") ? EVICT_FIRST : EVICT_LAST);
}

void ptx_load_lanes(Gen *g, const char *mnemonic, bool pinned, Tir address, const Type *lane,
                    int count, Tir guard, const Tir *defaults, Tir *lanes) {
    Words w = words_of(lane, count);
    Tir args[6], index, policy = policy_of(g, mnemonic);
    int num_args = guard ? 1 + w.count : 1;
    int64_t offset;
    args[0] = tir_split_offset(g->b, address, &offset);
    for (int i = 0; guard && i < w.count; i++)
        args[1 + i] = defaults ? pack_one(g, &w, lane, defaults + i * w.lanes_each)
                               : tir_const(g->b, w.class, 0);
    const char *text = str_format(g->arena, "%s%s", mnemonic, w.suffix).data;
    if (policy) args[num_args++] = policy;
    TirIns *ins = tir_ins(g->b, TIR_LOAD, text, num_args, args, &index);
    ins->has_policy = policy != 0;
    ins->imm = (uint64_t)offset;
    ins->guard = guard;
    ins->pinned = pinned;
    Tir first = tir_results(g->b, index, w.class, w.count);
    if (ptx_lane_bytes(lane) * count < 4 && w.class == CLASS_B32 && !guard)
        tir_know_zeros(g->b, first, ~((1ull << (8 * ptx_lane_bytes(lane) * count)) - 1));
    for (int i = 0; i < w.count; i++) {
        if (w.class == CLASS_B32)
            ptx_unpack_lanes(g, lane, first + i, w.lanes_each, lanes + i * w.lanes_each);
        else
            lanes[i] = first + i;
    }
}

void ptx_store_lanes(Gen *g, const char *mnemonic, Tir address, const Type *lane, int count,
                     Tir guard, const Tir *lanes) {
    Words w = words_of(lane, count);
    Tir args[6], policy = policy_of(g, mnemonic);
    int num_args = 1 + w.count;
    int64_t offset;
    args[0] = tir_split_offset(g->b, address, &offset);
    for (int i = 0; i < w.count; i++) args[1 + i] = pack_one(g, &w, lane, lanes + i * w.lanes_each);
    const char *text = str_format(g->arena, "%s%s", mnemonic, w.suffix).data;
    if (policy) args[num_args++] = policy;
    TirIns *ins = tir_ins(g->b, TIR_STORE, text, num_args, args, NULL);
    ins->has_policy = policy != 0;
    ins->imm = (uint64_t)offset;
    ins->guard = guard;
}

/* ---- loads and stores ---- */

/* Hints are for global memory; elsewhere they mean nothing. As in Triton an eviction policy is of
 * both caches, where there is a word for the second one. */
static const char *mnemonic(Gen *g, const char *what, const Value *pointer, int64_t cache,
                            int64_t evict) {
    const char *space = ptx_space_text(g, pointer), *how = "", *hint = "", *word = "";
    if (!strcmp(space, ".global")) {
        if (cache == CACHE_NC) how = ".nc";
        if (cache != CACHE_NONE && cache != CACHE_NC)
            hint = ".", word = attr_word(ATTR_CACHE, cache);
        else if (evict != EVICT_NORMAL)
            hint = evict == EVICT_FIRST ? ".L1::evict_first" : ".L1::evict_last",
            word = g->arch->number >= 80 ? ".L2::cache_hint" : "";
    }
    return str_format(g->arena, "%s%s%s%s%s", what, space, how, hint, word).data;
}

const char *ptx_load_mnemonic(Gen *g, const Op *op) {
    if (load_volatile(op))
        return mnemonic(g, "ld.volatile", load_pointer(op), CACHE_NONE, EVICT_NORMAL);
    return mnemonic(g, "ld", load_pointer(op), load_cache(op), load_evict(op));
}

const char *ptx_store_mnemonic(Gen *g, const Op *op) {
    if (store_volatile(op))
        return mnemonic(g, "st.volatile", store_pointer(op), CACHE_NONE, EVICT_NORMAL);
    return mnemonic(g, "st", store_pointer(op), store_cache(op), store_evict(op));
}

void ptx_note(Gen *g, Str note) {
    for (int i = 0; i < g->facts->notes.count; i++)
        if (str_equal(g->facts->notes.data[i], note)) return;
    vec_push(g->arena, &g->facts->notes, note);
}

void ptx_note_width(Gen *g, const Op *op, const char *what, int bytes) {
    const Value *base = facts_base(g->axis, access_pointer(op));
    const char *name = "computed pointers";
    for (int i = 0; i < g->fn->num_params; i++)
        if (g->fn->params[i].value == base) name = str_c(g->arena, g->fn->params[i].name);
    ptx_note(g, str_format(g->arena, "%s %s: %d bytes a thread", what, name, bytes));
}

static const Type *pointee(const Op *op) { return type_lane(access_pointer(op)->type)->elem; }

/* Every thread reads a scalar for itself, unless another program may change it meanwhile: then one
 * reads and tells the others, so that the block stays of one mind. */
static void load_scalar(Gen *g, const Op *op) {
    const Type *lane = pointee(op);
    Tir guard = load_mask(op) ? ptx_scalar_of(g, load_mask(op)) : 0;
    Tir other = load_other(op) ? ptx_scalar_of(g, load_other(op)) : 0;
    bool is_volatile = load_volatile(op) != 0;
    bool together = is_volatile || g->while_depth || g->has_atomics;
    bool pinned = is_volatile || g->while_depth;
    uint64_t bits;
    Tir result;
    if (guard && tir_is_const(g->b, guard, &bits) && bits) guard = 0;
    if (op->barrier) ptx_barrier(g);
    if (!other) other = ptx_constant(g, lane, 0);
    if (together) {
        Tir first = ptx_replica_guard(g, NULL);
        guard = guard ? tir_2(g->b, TIR_AND_P, guard, first) : first;
    }
    ptx_load_lanes(g, ptx_load_mnemonic(g, op), pinned, ptx_scalar_of(g, load_pointer(op)), lane, 1,
                   guard, &other, &result);
    if (together) {
        Layout all = {.num = {0, LANE_BITS, g->warp_bits}};
        result = *ptx_broadcast_replicas(g, lane, &result, &all);
    }
    ptx_define_scalar(g, op_result(op), result);
}

/* Is the predicate false? One that is true becomes 0. */
static bool is_off(Gen *g, Tir *guard) {
    uint64_t bits;
    if (!*guard || !tir_is_const(g->b, *guard, &bits)) return false;
    *guard = 0;
    return !bits;
}

/* Lanes of which the masks leave off the last ones: all at once, or each for itself. */
static void load_ended(Gen *g, const Op *op, int reg, const Tir *pointers, const Tir *masks,
                       const Tir *others, Tir *regs) {
    const Type *lane = pointee(op);
    const char *mnemonic = ptx_load_mnemonic(g, op);
    int width = (int)load_width(op);
    Tir all = masks[reg + width - 1], some = tir_1(g->b, TIR_NOT_P, all), at_once[16];
    for (int i = 0; i < width; i++)
        at_once[i] = others ? others[reg + i] : ptx_constant(g, lane, 0);
    if (!is_off(g, &all))
        ptx_load_lanes(g, mnemonic, g->while_depth, pointers[reg], lane, width, all,
                       others ? others + reg : NULL, at_once);
    for (int i = 0; i < width; i++) {
        Tir guard = tir_2(g->b, TIR_AND_P, masks[reg + i], some);
        regs[reg + i] = at_once[i];
        if (i < width - 1 && !is_off(g, &guard))
            ptx_load_lanes(g, mnemonic, g->while_depth, pointers[reg + i], lane, 1, guard,
                           at_once + i, regs + reg + i);
    }
}

/* Neighbours that are one address, as where each channel of an image has a weight, are loaded once.
 */
static bool is_same_lane(const Tir *pointers, const Tir *masks, const Tir *others, int r) {
    return pointers[r] == pointers[r - 1] && (!masks || masks[r] == masks[r - 1]) &&
           (!others || others[r] == others[r - 1]);
}

void ptx_load(Gen *g, const Op *op) {
    const Value *result = op_result(op);
    if (!type_is_tile(result->type)) {
        load_scalar(g, op);
        return;
    }
    const Layout *layout = type_layout(result->type);
    bool is_volatile = load_volatile(op) != 0;
    bool pinned = is_volatile || g->while_depth;
    const Type *lane = pointee(op);
    const char *mnemonic = ptx_load_mnemonic(g, op);
    int width = (int)load_width(op), count = layout_regs(layout);
    Tir *pointers = ptx_regs_of(g, load_pointer(op)), *regs = ptx_new_regs(g, count);
    Tir *masks = load_mask(op) ? ptx_regs_of(g, load_mask(op)) : NULL;
    Tir *others = load_other(op) ? ptx_regs_of(g, load_other(op)) : NULL;
    if (op->barrier) ptx_barrier(g);
    ptx_note_width(g, op, "loads of", width * ptx_lane_bytes(lane));
    for (int r = 0; r < count; r += width) {
        Tir guard = masks ? masks[r] : 0;
        uint64_t bits;
        if (load_ends(op) && masks && width > 1) {
            load_ended(g, op, r, pointers, masks, others, regs);
            continue;
        }
        if (guard && tir_is_const(g->b, guard, &bits)) {
            for (int i = 0; i < width && !bits; i++)
                regs[r + i] = others ? others[r + i] : ptx_constant(g, lane, 0);
            if (!bits) continue;
            guard = 0;
        }
        if (r && width == 1 && !pinned && is_same_lane(pointers, masks, others, r)) {
            regs[r] = regs[r - 1];
            continue;
        }
        ptx_load_lanes(g, mnemonic, pinned, pointers[r], lane, width, guard,
                       others ? others + r : NULL, regs + r);
    }
    ptx_define(g, result, regs);
}

bool ptx_ends(Gen *g, const Tir *masks, int regs, int width, Ends *ends) {
    const Tirs *b = g->b;
    ends->rows = regs / width;
    if (width < 2 || width > MOST_ENDS || ends->rows < 2 || ends->rows > MOST_ENDS) return false;
    for (int r = 0; r < regs; r++)
        if (!tir_is(b, masks[r], TIR_AND_P)) return false;
    for (int r = 0; r < regs; r += width) {
        Tir last = masks[r + width - 1], row = tir_argument(b, last, 0);
        if (row != tir_argument(b, masks[r], 0) && row != tir_argument(b, masks[r], 1))
            row = tir_argument(b, last, 1);
        ends->row[r / width] = row;
        for (int i = 0; i < width; i++) {
            int at = tir_argument(b, masks[r + i], 0) == row ? 0 : 1;
            Tir lane = tir_argument(b, masks[r + i], 1 - at);
            if (tir_argument(b, masks[r + i], at) != row) return false;
            if (r && lane != ends->lanes[i]) return false;
            ends->lanes[i] = lane;
        }
    }
    return true;
}

/* Where all rows of a thread end alike, one branch chooses between all lanes and one by one. */
static bool store_apart(Gen *g, const Op *op, const Tir *pointers, const Tir *masks, Tir once,
                        const Tir *values) {
    Tirs *b = g->b;
    Ends ends;
    const Type *lane = type_lane(store_value(op)->type);
    const char *mnemonic = ptx_store_mnemonic(g, op);
    int width = (int)store_width(op), regs = layout_regs(type_layout(store_pointer(op)->type));
    if (!ptx_ends(g, masks, regs, width, &ends)) return false;
    int parts = tir_new_label(b), end = tir_new_label(b);
    for (int i = 0; i < ends.rows && once; i++)
        ends.row[i] = tir_2(b, TIR_AND_P, ends.row[i], once);
    tir_branch(b, parts, ends.lanes[width - 1], true);
    int scope = tir_enter(b);
    for (int r = 0; r < regs; r += width)
        ptx_store_lanes(g, mnemonic, pointers[r], lane, width, ends.row[r / width], values + r);
    tir_leave(b, scope);
    tir_branch(b, end, 0, false);
    tir_label(b, parts);
    for (int r = 0; r < regs; r += width) {
        int next = tir_new_label(b);
        tir_branch(b, next, ends.row[r / width], true);
        scope = tir_enter(b);
        for (int i = 0; i < width - 1; i++)
            ptx_store_lanes(g, mnemonic, pointers[r + i], lane, 1, ends.lanes[i], values + r + i);
        tir_leave(b, scope);
        tir_label(b, next);
    }
    tir_label(b, end);
    return true;
}

/* As load_ended. */
static void store_ended(Gen *g, const Op *op, int reg, const Tir *pointers, const Tir *masks,
                        Tir once, const Tir *values) {
    const Type *lane = type_lane(store_value(op)->type);
    const char *mnemonic = ptx_store_mnemonic(g, op);
    int width = (int)store_width(op), end = tir_new_label(g->b);
    Tir all = masks[reg + width - 1], guard;
    bool never = is_off(g, &all);
    guard = all && once ? tir_2(g->b, TIR_AND_P, all, once) : all ? all : once;
    if (!never) ptx_store_lanes(g, mnemonic, pointers[reg], lane, width, guard, values + reg);
    if (!all) return;
    if (!never) tir_branch(g->b, end, all, false);
    int scope = tir_enter(g->b);
    for (int i = 0; i < width - 1; i++) {
        guard = masks[reg + i];
        if (once) guard = tir_2(g->b, TIR_AND_P, guard, once);
        if (!is_off(g, &guard))
            ptx_store_lanes(g, mnemonic, pointers[reg + i], lane, 1, guard, values + reg + i);
    }
    tir_leave(g->b, scope);
    tir_label(g->b, end);
}

static void store_lanes(Gen *g, const Op *op, int width, const Tir *pointers, const Tir *masks,
                        Tir once, const Tir *values) {
    const Type *lane = type_lane(store_value(op)->type), *pointer = store_pointer(op)->type;
    int regs = type_is_tile(pointer) ? layout_regs(type_layout(pointer)) : 1;
    for (int r = 0; r < regs; r += width) {
        Tir guard = masks ? masks[r] : 0;
        if (is_off(g, &guard)) continue;
        if (once) guard = guard ? tir_2(g->b, TIR_AND_P, guard, once) : once;
        ptx_store_lanes(g, ptx_store_mnemonic(g, op), pointers[r], lane, width, guard, values + r);
    }
}

/* All of a thread's accesses at once, or, where one of them is not aligned, lane by lane. */
static void store_tested(Gen *g, const Op *op, const Tir *pointers, const Tir *masks, Tir once,
                         const Tir *values) {
    Tirs *b = g->b;
    int width = (int)store_width(op), regs = layout_regs(type_layout(store_pointer(op)->type));
    int bytes = width * ptx_lane_bytes(type_lane(store_value(op)->type));
    int parts = tir_new_label(b), end = tir_new_label(b);
    Tir low = tir_narrow(b, pointers[0]);
    for (int r = width; r < regs; r += width)
        low = tir_2(b, TIR_OR32, low, tir_narrow(b, pointers[r]));
    low = tir_2(b, TIR_AND32, low, tir_i32(b, bytes - 1));
    tir_branch(b, parts, tir_2(b, TIR_EQ32, low, tir_i32(b, 0)), true);
    int scope = tir_enter(b);
    store_lanes(g, op, width, pointers, masks, once, values);
    tir_leave(b, scope);
    tir_branch(b, end, 0, false);
    tir_label(b, parts);
    scope = tir_enter(b);
    store_lanes(g, op, 1, pointers, masks, once, values);
    tir_leave(b, scope);
    tir_label(b, end);
}

void ptx_store(Gen *g, const Op *op) {
    bool tile = type_is_tile(store_pointer(op)->type);
    const Layout *layout = type_layout(store_pointer(op)->type);
    const Type *lane = type_lane(store_value(op)->type);
    int width = tile ? (int)store_width(op) : 1;
    Tir *pointers = ptx_regs_of(g, store_pointer(op)), *values = ptx_regs_of(g, store_value(op));
    Tir *masks = store_mask(op) ? ptx_regs_of(g, store_mask(op)) : NULL;
    Tir once = ptx_replica_guard(g, layout);
    bool ends = tile && access_ends(op) && masks;
    if (op->barrier) ptx_barrier(g);
    if (tile) ptx_note_width(g, op, "stores to", width * ptx_lane_bytes(lane));
    if (tile && store_tests(op) && width > 1) {
        store_tested(g, op, pointers, masks, once, values);
        return;
    }
    if (ends && store_apart(g, op, pointers, masks, once, values)) return;
    if (!ends || width == 1) {
        store_lanes(g, op, width, pointers, masks, once, values);
        return;
    }
    for (int r = 0; r < layout_regs(layout); r += width)
        store_ended(g, op, r, pointers, masks, once, values);
}

/* ---- atomics ---- */

static const char *atomic_type(const Type *lane, int64_t kind) {
    int bits = type_bits(lane);
    bool wide = bits == 64;
    switch (kind) {
    case RMW_ADD: return wide ? "add.u64" : "add.u32";
    case RMW_FADD:
        return lane->kind == TYPE_F64   ? "add.f64"
               : lane->kind == TYPE_F32 ? "add.f32"
               : lane->kind == TYPE_F16 ? "add.noftz.f16"
                                        : "add.noftz.bf16";
    case RMW_AND: return wide ? "and.b64" : "and.b32";
    case RMW_OR: return wide ? "or.b64" : "or.b32";
    case RMW_XOR: return wide ? "xor.b64" : "xor.b32";
    case RMW_XCHG: return wide ? "exch.b64" : "exch.b32";
    case RMW_MAX_S: return wide ? "max.s64" : "max.s32";
    case RMW_MIN_S: return wide ? "min.s64" : "min.s32";
    case RMW_MAX_U: return wide ? "max.u64" : "max.u32";
    case RMW_MIN_U: return wide ? "min.u64" : "min.u32";
    default: BUG("bad atomic kind %d", (int)kind);
    }
}

/* Of `count` lanes at once: *old gets that many; NULL: nobody reads them. */
static void atomic_instruction(Gen *g, const char *text, Tir pointer, const Tir *x, Tir y,
                               int count, RegClass class, Tir guard, Tir *old) {
    Tir args[1 + 8] = {0}, index;
    int64_t offset;
    args[0] = tir_split_offset(g->b, pointer, &offset);
    for (int i = 0; i < count; i++) args[1 + i] = x[i];
    if (y) args[2] = y;
    TirIns *ins = tir_ins(g->b, TIR_ATOM, text, 1 + count + (y != 0), args, &index);
    ins->imm = (uint64_t)offset;
    ins->guard = guard;
    ins->in_braces = count > 1;
    Tir first = old ? tir_results(g->b, index, class, count) : 0;
    for (int i = 0; old && i < count; i++) old[i] = first + i;
}

/* bf16 has no addition below sm_90: compare and swap until nobody came between. */
static Tir atomic_bf16_add(Gen *g, const char *prefix, Tir pointer, Tir x, Tir guard) {
    Tirs *b = g->b;
    const Type *lane = type_scalar(TYPE_BF16);
    const char *text = str_format(g->arena, "%s.cas.b16", prefix).data;
    Tir old = tir_var(b, CLASS_B16);
    int again = tir_new_label(b), end = tir_new_label(b);
    tir_set(b, old, tir_const(b, CLASS_B16, 0));
    if (guard) tir_branch(b, end, guard, true);
    tir_label(b, again);
    int scope = tir_enter(b);
    Tir sum = ptx_from_f32(
        g, lane, tir_2(b, TIR_ADD_F32, ptx_to_f32(g, lane, old), ptx_to_f32(g, lane, x)), false);
    Tir seen;
    atomic_instruction(g, text, pointer, &old, sum, 1, CLASS_B16, 0, &seen);
    Tir differs = tir_2(b, TIR_NE32, tir_1(b, TIR_WIDE16, seen), tir_1(b, TIR_WIDE16, old));
    tir_set(b, old, seen);
    tir_branch(b, again, differs, false);
    tir_leave(b, scope);
    tir_label(b, end);
    return old;
}

static bool atomic_supported(Gen *g, const Op *op) {
    const Type *lane = pointee(op);
    int bits = type_bits(lane);
    bool cas = op->kind == OP_ATOMIC_CAS;
    int64_t kind = cas ? -1 : atomic_rmw_kind(op);
    bool fine = bits >= 32 || (bits == 16 && (cas || kind == RMW_FADD));
    if (!fine)
        diag_refused(g->diag, op->span, "this atomic operation on %d-bit elements on a GPU", bits);
    return fine;
}

typedef struct AtomicLane {
    const char *prefix, *text;
    const Type *lane;
    int width;            /* lanes at once */
    bool cas, loops, red; /* red: gives nothing */
    bool narrow;          /* i16, whose bits travel in a 16-bit register */
} AtomicLane;

static void atomic_lanes(Gen *g, const AtomicLane *a, Tir pointer, const Tir *values, Tir y,
                         Tir guard, Tir *old) {
    Tir x = values[0];
    if (a->loops) {
        *old = atomic_bf16_add(g, a->prefix, pointer, x, guard);
        return;
    }
    if (a->narrow) x = tir_1(g->b, TIR_LOW16, x), y = y ? tir_1(g->b, TIR_LOW16, y) : 0;
    RegClass class = a->narrow ? CLASS_B16 : ptx_class_of(a->lane);
    atomic_instruction(g, a->text, pointer, a->narrow ? &x : values, y, a->width, class, guard,
                       old);
    if (a->narrow) *old = tir_1(g->b, TIR_WIDE16, *old);
    for (int i = 0; old && guard && i < a->width; i++)
        old[i] = tir_select(g->b, guard, old[i], ptx_constant(g, a->lane, 0));
}

/* One fence before all and one after, with relaxed atomics between, where a thread makes several:
 * an ordered one brings its own two, which wait for all memory. */
static AtomicLane atomic_of(Gen *g, const Op *op, bool fenced, bool unread) {
    static const char *const sems[] = {"acq_rel", "relaxed", "acquire", "release"};
    static const char *const scopes[] = {"gpu", "cta", "sys"};
    bool cas = op->kind == OP_ATOMIC_CAS;
    int64_t sem = fenced ? SEM_RELAXED : atomic_sem(op), scope = atomic_scope(op);
    AtomicLane a = {.lane = pointee(op), .width = 1, .cas = cas};
    a.loops = !cas && a.lane->kind == TYPE_BF16 && g->arch->number < 90;
    /* red has no exchange, and does not acquire. */
    a.red = unread && !cas && !a.loops && sem == SEM_RELAXED && atomic_rmw_kind(op) != RMW_XCHG;
    a.prefix = str_format(g->arena, "%s.%s.%s%s", a.red ? "red" : "atom", sems[sem], scopes[scope],
                          ptx_space_text(g, access_pointer(op)))
                   .data;
    if (cas) {
        a.text = str_format(g->arena, "%s.cas.b%d", a.prefix, type_bits(a.lane)).data;
        a.narrow = a.lane->kind == TYPE_I16;
        return a;
    }
    if (atomic_rmw_width(op)) a.width = (int)atomic_rmw_width(op);
    const char *text = atomic_type(a.lane, atomic_rmw_kind(op)), *type = strrchr(text, '.');
    a.text = a.width > 1 ? str_format(g->arena, "%s.%.*s.v%d%s", a.prefix, (int)(type - text), text,
                                      a.width, type)
                               .data
                         : str_format(g->arena, "%s.%s", a.prefix, text).data;
    g->uses_vector_atomics |= a.width > 1;
    return a;
}

static void atomic_fence(Gen *g, const Op *op) {
    static const char *const fences[] = {"fence.acq_rel.gpu;", "fence.acq_rel.cta;",
                                         "fence.acq_rel.sys;"};
    tir_plain(g->b, fences[atomic_scope(op)]);
}

void ptx_atomic(Gen *g, const Op *op) {
    if (!atomic_supported(g, op)) return;
    const Value *result = op_result(op);
    bool tile = type_is_tile(result->type);
    const Layout *layout = type_layout(result->type);
    int count = tile ? layout_regs(layout) : 1;
    int64_t sem = atomic_sem(op), least = op->kind == OP_ATOMIC_RMW ? atomic_rmw_width(op) : 1;
    bool fenced = sem != SEM_RELAXED && count > (least ? least : 1);
    bool for_itself = g->fn->form == FORM_THREAD;
    AtomicLane a = atomic_of(g, op, fenced, tile && !value_is_used(g->fn, result));
    const Value *mask = access_mask(op), *first = a.cas ? atomic_cas_compare(op) : access_value(op);
    Tir *x = ptx_regs_of(g, first);
    Tir address = for_itself ? ptx_thread_address(g, access_pointer(op)) : 0;
    Tir *pointers = for_itself ? &address : ptx_regs_of(g, access_pointer(op));
    Tir *y = a.cas ? ptx_regs_of(g, access_value(op)) : NULL;
    Tir *masks = mask ? ptx_regs_of(g, mask) : NULL;
    Tir once = for_itself ? 0 : ptx_replica_guard(g, layout), *regs = ptx_new_regs(g, count);
    if (op->barrier) ptx_barrier(g);
    if (a.width > 1) ptx_note_width(g, op, "additions to", a.width * ptx_lane_bytes(a.lane));
    if (fenced && sem != SEM_ACQUIRE) atomic_fence(g, op);
    for (int r = 0; r < count; r += a.width) {
        Tir guard = once;
        uint64_t bits;
        if (masks && !tir_is_const(g->b, masks[r], &bits))
            guard = guard ? tir_2(g->b, TIR_AND_P, masks[r], guard) : masks[r];
        else if (masks && !bits) {
            for (int i = 0; i < a.width; i++) regs[r + i] = ptx_constant(g, a.lane, 0);
            continue;
        }
        atomic_lanes(g, &a, pointers[r], x + r, y ? y[r] : 0, guard, a.red ? NULL : regs + r);
    }
    if (fenced && sem != SEM_RELEASE) atomic_fence(g, op);
    if (for_itself || !value_is_used(g->fn, result)) {
        if (!tile) ptx_define_scalar(g, result, regs[0]);
        return;
    }
    if (tile) {
        ptx_define(g, result, ptx_broadcast_replicas(g, a.lane, regs, layout));
        return;
    }
    Layout all = {.num = {0, LANE_BITS, g->warp_bits}};
    ptx_define_scalar(g, result, *ptx_broadcast_replicas(g, a.lane, regs, &all));
}
