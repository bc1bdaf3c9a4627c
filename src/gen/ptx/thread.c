// SPDX-License-Identifier: Apache-2.0
/* thread: what thread form asks of PTX beyond scalars: addresses by space.
 *
 *     %s = alloc {space = shared, ..}      mov.u32 %r1, shared_memory;  cvt.u64.u32 %rd1, %r1;
 *     %p = addptr %s, %t                   add.s64 %rd3, %rd1, %rd2;
 *     %x = load %p                         ld.shared.b32 %r2, [%rd3];
 *     store %q, %p                         cvta.shared.u64 %rd4, %rd3;  st.global.b64 [%rd5], %rd4;
 *
 * A pointer whose space is known is an address inside that space, so that it is accessed without
 * asking which. Where several spaces meet, or a pointer becomes data, it is made generic. Of a
 * global address both are the same. */
#include "gen/ptx/gen.h"

enum { SPACE_UNKNOWN = UINT8_MAX };

static PtxSpace space_of(const Gen *g, const Value *value) {
    uint8_t space = g->spaces[value->id];
    return space == SPACE_UNKNOWN ? SPACE_GENERIC : (PtxSpace)space;
}

/* ---- which space ---- */

static void join(Gen *g, const Value *into, uint8_t space) {
    uint8_t *have = &g->spaces[into->id], old = *have;
    if (into->type->kind != TYPE_PTR || space == SPACE_UNKNOWN) return;
    *have = old == SPACE_UNKNOWN || old == space ? space : SPACE_GENERIC;
    if (*have != old) g->spaces_change = true;
}

static void join_all(Gen *g, int count, Value *const *into, Value *const *from) {
    for (int i = 0; i < count; i++) join(g, into[i], g->spaces[from[i]->id]);
}

static void join_results(Gen *g, const Op *op, Value *const *from) {
    for (int i = 0; i < op->num_results; i++) join(g, &op->results[i], g->spaces[from[i]->id]);
}

static void find_spaces(Gen *g, const Region *region);

static void spaces_of_control(Gen *g, const Op *op) {
    if (op->kind == OP_FOR)
        join_all(g, for_count(op), for_body(op)->args + 1, op->operands + FOR_BOUNDS);
    if (op->kind == OP_WHILE) join_all(g, op->num_operands, while_test(op)->args, op->operands);
    for (int i = 0; i < op->num_regions; i++) find_spaces(g, op->regions[i]);
    if (op->kind == OP_IF)
        for (int i = 0; i < 2; i++) join_results(g, op, region_yield(op->regions[i])->operands);
    if (op->kind == OP_FOR) {
        join_all(g, for_count(op), for_body(op)->args + 1, region_yield(for_body(op))->operands);
        join_results(g, op, for_body(op)->args + 1);
    }
    if (op->kind == OP_WHILE) {
        Value *const *passed = region_yield(while_test(op))->operands + 1;
        join_all(g, op->num_results, while_body(op)->args, passed);
        join_results(g, op, passed);
        join_all(g, op->num_operands, while_test(op)->args, region_yield(while_body(op))->operands);
    }
}

static uint8_t space_of_result(const Gen *g, const Op *op) {
    if (op->kind == OP_ALLOC) return alloc_space(op) == ALLOC_SHARED ? SPACE_SHARED : SPACE_LOCAL;
    bool keeps = op->kind == OP_ADDPTR || op->kind == OP_HINT ||
                 (op->kind == OP_BITCAST && op->operands[0]->type->kind == TYPE_PTR);
    return keeps ? g->spaces[op->operands[0]->id] : SPACE_GENERIC;
}

static void find_spaces(Gen *g, const Region *region) {
    for (const Op *op = region->first; op; op = op->next) {
        if (op->num_regions) {
            spaces_of_control(g, op);
        } else if (op->kind == OP_SELECT) {
            join_results(g, op, op->operands + 1);
            join_results(g, op, op->operands + 2);
        } else if (op->num_results == 1) {
            join(g, op_result(op), space_of_result(g, op));
        }
    }
}

/* Each round that changes something takes a pointer one of two steps up: it ends. */
static void find_all_spaces(Gen *g) {
    g->spaces = arena_array(g->arena, uint8_t, g->fn->num_values);
    memset(g->spaces, SPACE_UNKNOWN, (size_t)g->fn->num_values);
    for (int i = 0; i < g->fn->num_params; i++) join(g, g->fn->params[i].value, SPACE_GLOBAL);
    do {
        g->spaces_change = false;
        find_spaces(g, g->fn->body);
    } while (g->spaces_change);
}

/* ---- addresses ---- */

static Tir generic(Gen *g, const Value *pointer) {
    Tir address = ptx_scalar_of(g, pointer);
    PtxSpace space = space_of(g, pointer);
    if (space == SPACE_SHARED) return tir_1(g->b, TIR_GENERIC_SHARED, address);
    return space == SPACE_LOCAL ? tir_1(g->b, TIR_GENERIC_LOCAL, address) : address;
}

/* Of an access: shared memory and that of a thread have addresses of 32 bits. */
Tir ptx_thread_address(Gen *g, const Value *pointer) {
    Tir address = ptx_scalar_of(g, pointer);
    PtxSpace space = space_of(g, pointer);
    return space == SPACE_SHARED || space == SPACE_LOCAL ? tir_narrow(g->b, address) : address;
}

Tir ptx_thread_value(Gen *g, const Value *value, const Value *like) {
    if (value->type->kind != TYPE_PTR || space_of(g, value) == space_of(g, like))
        return ptx_scalar_of(g, value);
    return generic(g, value);
}

const char *ptx_space_text(const Gen *g, const Value *pointer) {
    if (g->fn->form != FORM_THREAD) return ".global";
    PtxSpace space = space_of(g, pointer);
    return space == SPACE_SHARED   ? ".shared"
           : space == SPACE_LOCAL  ? ".local"
           : space == SPACE_GLOBAL ? ".global"
                                   : "";
}

static int aligned(int64_t offset, int64_t align) { return (int)((offset + align - 1) & -align); }

static void alloc(Gen *g, const Op *op) {
    bool shared = alloc_space(op) == ALLOC_SHARED;
    int *size = shared ? &g->shared_size : &g->local_size;
    int64_t offset = aligned(*size, alloc_align(op)), end = offset + alloc_bytes(op);
    if (shared && end > g->arch->shared_limit) {
        diag_refused(g->diag, op->span, "%lld bytes of shared memory; a block of %s has %d",
                     (long long)end, g->arch->name, g->arch->shared_limit);
        return;
    }
    if (end > MAX_LOCAL_BYTES) {
        diag_refused(g->diag, op->span, "%lld bytes of local memory; a thread has %d",
                     (long long)end, MAX_LOCAL_BYTES);
        return;
    }
    *size = (int)end;
    Tir base = tir_address(g->b, CLASS_B32, shared ? SPACE_SHARED : SPACE_LOCAL,
                           shared ? "shared_memory" : "local_memory");
    ptx_define_scalar(g, op_result(op),
                      tir_2(g->b, TIR_ADD64, tir_1(g->b, TIR_ZEXT, base), tir_i64(g->b, offset)));
}

/* ---- ops ---- */

static void thread_id(Gen *g, const Op *op) {
    static const char *const names[] = {"%tid.x", "%tid.y", "%tid.z"};
    int axis = grid_axis(op), bits = 0;
    while (1 << bits < g->fn->block[axis]) bits++;
    Tir id = g->fn->block[axis] == 1
                 ? tir_i32(g->b, 0)
                 : tir_special(g->b, CLASS_B32, names[axis], ~(uint64_t)((1 << bits) - 1));
    ptx_define_scalar(g, op_result(op), id);
}

static void load(Gen *g, const Op *op) {
    const Type *lane = load_pointer(op)->type->elem;
    Tir guard = load_mask(op) ? ptx_scalar_of(g, load_mask(op)) : 0;
    Tir other = load_other(op) ? ptx_scalar_of(g, load_other(op)) : ptx_constant(g, lane, 0);
    Tir result;
    ptx_load_lanes(g, ptx_load_mnemonic(g, op), load_volatile(op) != 0,
                   ptx_thread_address(g, load_pointer(op)), lane, 1, guard, &other, &result);
    ptx_define_scalar(g, op_result(op), result);
}

static void store(Gen *g, const Op *op) {
    const Value *value = store_value(op);
    bool is_address = value->type->kind == TYPE_PTR;
    Tir guard = store_mask(op) ? ptx_scalar_of(g, store_mask(op)) : 0;
    Tir data = is_address ? generic(g, value) : ptx_scalar_of(g, value);
    ptx_store_lanes(g, ptx_store_mnemonic(g, op), ptx_thread_address(g, store_pointer(op)),
                    value->type, 1, guard, &data);
}

/* An op lane by lane that reads pointers of several spaces. */
static void lane_op(Gen *g, const Op *op) {
    Tir args[3] = {0};
    for (int i = 0; i < op->num_operands; i++) {
        const Value *operand = op->operands[i];
        bool is_address = operand->type->kind == TYPE_PTR;
        if (op->kind == OP_SELECT)
            args[i] = ptx_thread_value(g, operand, is_address ? op_result(op) : operand);
        else
            args[i] = is_address ? generic(g, operand) : ptx_scalar_of(g, operand);
    }
    ptx_define_scalar(g, op_result(op), ptx_lane(g, op, args));
}

/* ---- warps ---- */

static void assembled(Gen *g, const Op *op, const char *text) {
    Tir args[4], index;
    for (int i = 0; i < op->num_operands; i++) args[i] = ptx_scalar_of(g, op->operands[i]);
    TirIns *ins = tir_ins(g->b, TIR_ASM, text, op->num_operands, args, &index);
    ins->pinned = true;
    if (op->num_results)
        ptx_define_scalar(g, op_result(op), tir_results(g->b, index, CLASS_B32, 1));
}

static void shuffle(Gen *g, const Op *op) {
    static const char *const texts[] = {
        [LANES_IDX] = "shfl.sync.idx.b32 $0, $1, $2, $3, $4;",
        [LANES_UP] = "shfl.sync.up.b32 $0, $1, $2, $3, $4;",
        [LANES_DOWN] = "shfl.sync.down.b32 $0, $1, $2, $3, $4;",
        [LANES_XOR] = "shfl.sync.bfly.b32 $0, $1, $2, $3, $4;",
    };
    assembled(g, op, texts[shuffle_mode(op)]);
}

static void vote(Gen *g, const Op *op) {
    static const char *const texts[] = {
        [VOTES_ANY] = ".reg .pred p; setp.ne.b32 p, $1, 0; vote.sync.any.pred p, p, $2; "
                      "selp.b32 $0, 1, 0, p;",
        [VOTES_ALL] = ".reg .pred p; setp.ne.b32 p, $1, 0; vote.sync.all.pred p, p, $2; "
                      "selp.b32 $0, 1, 0, p;",
        [VOTES_BALLOT] = ".reg .pred p; setp.ne.b32 p, $1, 0; vote.sync.ballot.b32 $0, p, $2;",
    };
    assembled(g, op, texts[vote_mode(op)]);
}

static void fence(Gen *g, const Op *op) {
    static const char *const texts[] = {
        [SCOPE_GPU] = "membar.gl;", [SCOPE_CTA] = "membar.cta;", [SCOPE_SYS] = "membar.sys;"};
    tir_plain(g->b, texts[fence_scope(op)]);
}

static void clock(Gen *g, const Op *op) {
    Tir index;
    bool wide = type_bits(op_result(op)->type) == 64;
    bool global = str_is(clock_kind(op), "globaltimer");
    TirIns *ins = tir_ins(g->b, TIR_READ, wide ? "mov.u64" : "mov.u32", 0, NULL, &index);
    ins->text2 = global ? "%globaltimer" : wide ? "%clock64" : "%clock";
    ins->pinned = true;
    ptx_define_scalar(g, op_result(op), tir_results(g->b, index, wide ? CLASS_B64 : CLASS_B32, 1));
}

static bool warp_op(Gen *g, const Op *op) {
    if (op->kind == OP_SHUFFLE)
        shuffle(g, op);
    else if (op->kind == OP_VOTE)
        vote(g, op);
    else if (op->kind == OP_ACTIVE)
        assembled(g, op, "activemask.b32 $0;");
    else if (op->kind == OP_WARP_SYNC)
        assembled(g, op, "bar.warp.sync $0;");
    else if (op->kind == OP_FENCE)
        fence(g, op);
    else if (op->kind == OP_CLOCK)
        clock(g, op);
    else if (op->kind == OP_PRINTF)
        ptx_printf(g, op);
    else if (op->kind == OP_CALL)
        diag_refused(g->diag, op->span, "a call of a function of the host on a GPU");
    else
        return false;
    return true;
}

static bool mixes_spaces(const Op *op) {
    bool casts = op->kind == OP_BITCAST && op_result(op)->type->kind != TYPE_PTR;
    if (op->kind == OP_SELECT) return op_result(op)->type->kind == TYPE_PTR;
    return (op->kind == OP_ICMP || casts) && op->operands[0]->type->kind == TYPE_PTR;
}

bool ptx_thread_op(Gen *g, const Op *op) {
    if (g->fn->form != FORM_THREAD) return false;
    bool atomic = op->kind == OP_ATOMIC_RMW || op->kind == OP_ATOMIC_CAS;
    if (atomic && space_of(g, access_pointer(op)) == SPACE_LOCAL) {
        diag_refused(g->diag, op->span, "an atomic operation on memory of one thread on a GPU");
        return true;
    }
    if (op->kind == OP_THREAD_ID)
        thread_id(g, op);
    else if (op->kind == OP_ALLOC)
        alloc(g, op);
    else if ((op->kind == OP_LOAD || op->kind == OP_STORE) && ptx_thread_wide(g, op))
        return true;
    else if (op->kind == OP_LOAD)
        load(g, op);
    else if (op->kind == OP_STORE)
        store(g, op);
    else if (op->kind == OP_BARRIER)
        tir_plain(g->b, "bar.sync 0;");
    else if (mixes_spaces(op))
        lane_op(g, op);
    else
        return warp_op(g, op);
    return true;
}

/* Then a thread that is done with it returns: barriers of the others do not wait for it. */
bool ptx_thread_ends(const Gen *g, const Op *op) {
    if (g->fn->form != FORM_THREAD) return false;
    for (; op; op = op->parent->owner)
        if (op->kind != OP_IF || op->next != op->parent->last) return false;
    return true;
}

void ptx_thread_begin(Gen *g) {
    g->wide.arena = g->arena;
    if (g->fn->form == FORM_THREAD) find_all_spaces(g);
}
