// SPDX-License-Identifier: Apache-2.0
/* lower: walks the tile IR in order and emits thread IR: which registers hold which value, shape
 * ops (which move nothing), and control flow. Branches are uniform over the block, except in the
 * regions of reduce and scan, which hold neither shuffles nor barriers. */
#include "gen/ptx/gen.h"
#include "gen/ptx/math.h"

Tir *ptx_new_regs(Gen *g, int count) { return arena_array(g->arena, Tir, count); }

static int registers_of(const Value *value) {
    const Layout *layout = type_layout(value->type);
    return layout ? layout_regs(layout) : 1;
}

Tir *ptx_regs_of(Gen *g, const Value *value) {
    if (g->regs[value->id]) return g->regs[value->id];
    if (!diag_failed(g->diag)) BUG("value %d has no registers", value->id);
    /* What makes it was refused: anything will do until the walk is over. */
    Tir *regs = ptx_new_regs(g, registers_of(value));
    for (int r = 0; r < registers_of(value); r++)
        regs[r] = ptx_constant(g, type_lane(value->type), 0);
    return regs;
}

Tir ptx_scalar_of(Gen *g, const Value *value) { return ptx_regs_of(g, value)[0]; }

static void know(Gen *g, const Value *value, Tir reg) {
    if (!type_is_int(value->type) && !type_is_ptr(value->type)) return;
    if (type_is_bool(value->type)) return;
    const AxisFacts *facts = facts_axis(g->axis, value);
    int64_t divisor = facts ? facts->divisibility[0] : 1;
    int bits = type_bits(value->type);
    if (divisor < 2) return;
    if (bits < 64 && divisor > 1ll << (bits - 1)) divisor = 1ll << (bits - 1);
    tir_know_zeros(g->b, reg, (uint64_t)divisor - 1);
}

void ptx_define_scalar(Gen *g, const Value *value, Tir reg) {
    Tir *regs = ptx_new_regs(g, 1);
    regs[0] = reg;
    know(g, value, reg);
    g->regs[value->id] = regs;
}

void ptx_define(Gen *g, const Value *value, Tir *regs) {
    if (type_is_tile(value->type))
        g->regs[value->id] = regs;
    else
        ptx_define_scalar(g, value, regs[0]);
}

/* ---- shape ops ---- */

static Tir *filled(Gen *g, int count, Tir value) {
    Tir *regs = ptx_new_regs(g, count);
    for (int r = 0; r < count; r++) regs[r] = value;
    return regs;
}

static Tir *ptx_arange(Gen *g, const Op *op, const Layout *layout) {
    Tir *regs = ptx_new_regs(g, layout_regs(layout));
    Tir base = ptx_lane_index(g, layout);
    Tir start = tir_i32(g->b, arange_start(op));
    for (int r = 0; r < layout_regs(layout); r++) {
        uint32_t image = layout_index(layout, (uint32_t)r, 0, 0);
        Tir index = tir_2(g->b, TIR_XOR32, base, tir_i32(g->b, image));
        regs[r] = tir_2(g->b, TIR_ADD32, index, start);
    }
    return regs;
}

/* The operand's layout is the result's without the repeated dimensions, so each register of the
 * result is the operand's with the bits of those dimensions left out. */
static Tir *ptx_broadcast(Gen *g, const Op *op, const Layout *layout) {
    const Type *in = op->operands[0]->type, *out = op_result(op)->type;
    Tir *from = ptx_regs_of(g, op->operands[0]);
    Tir *regs = ptx_new_regs(g, layout_regs(layout));
    uint32_t keep = (uint32_t)out->lanes - 1;
    for (int d = 0; d < in->rank; d++)
        if (in->shape[d] == 1) keep &= ~tile_dim_bits(out, d);
    for (int r = 0; r < layout_regs(layout); r++) {
        int source = 0, next = 0;
        for (int i = 0; i < layout->num[KIND_REG]; i++)
            if (layout->column[KIND_REG][i] & keep) source |= (r >> i & 1) << next++;
        regs[r] = from[source];
    }
    return regs;
}

static void ptx_join(Gen *g, const Op *op) {
    int count = registers_of(op_result(op));
    Tir *a = ptx_regs_of(g, op->operands[0]), *b = ptx_regs_of(g, op->operands[1]);
    Tir *regs = ptx_new_regs(g, count);
    for (int r = 0; r < count; r++) regs[r] = r & 1 ? b[r >> 1] : a[r >> 1];
    ptx_define(g, op_result(op), regs);
}

static void ptx_split(Gen *g, const Op *op) {
    Tir *from = ptx_regs_of(g, op->operands[0]);
    int count = registers_of(op_result(op));
    for (int side = 0; side < 2; side++) {
        Tir *regs = ptx_new_regs(g, count);
        for (int r = 0; r < count; r++) regs[r] = from[2 * r + side];
        ptx_define(g, &op->results[side], regs);
    }
}

/* Registers of a tile that differ in these bits of their number only: equal ones, or such that
 * count on from the first as the tile's index along a dimension does. */
typedef struct Alike {
    int equal, counting;
    int64_t ahead[32];  /* by bit of the number: how far its register is, of those that count */
    uint64_t divisible; /* the first ones' low bits that are 0, where others count on from them */
} Alike;

/* Is there a step of another register, lane or warp that changes these bits, too? */
static bool has_others(const Layout *layout, int bit, uint32_t bits) {
    for (int kind = 0; kind < NUM_KINDS; kind++)
        for (int i = 0; i < layout->num[kind]; i++)
            if ((kind != KIND_REG || i != bit) && layout->column[kind][i] & bits) return true;
    return false;
}

static int64_t least_of(int64_t a, int64_t b) { return a < b ? a : b; }

/* By the facts of masks, of quotients and of rests: what costs much, or predicates. */
static Alike alike_registers(Gen *g, const Op *op, const Layout *layout) {
    bool divides = op->kind == OP_DIV_S || op->kind == OP_DIV_U,
         rests = op->kind == OP_REM_S || op->kind == OP_REM_U;
    const AxisFacts *facts = facts_axis(g->axis, op_result(op));
    Alike alike = {0};
    if ((op->kind != OP_ICMP && !divides && !rests) || !layout || !facts) return alike;
    const Type *type = op_result(op)->type;
    TileShape shape = tile_shape(type);
    for (int d = 0; d < type->rank; d++) {
        int first = tile_bit_of_dim(&shape, d);
        uint32_t same = (uint32_t)least_of(facts->constancy[d], type->shape[d]) - 1;
        int64_t run =
            least_of(least_of(facts->contiguity[d], facts->divisibility[d]), type->shape[d]);
        for (int i = 0; i < layout->num[KIND_REG]; i++) {
            uint32_t column = layout->column[KIND_REG][i];
            if (!(column & ~(same << first))) {
                alike.equal |= 1 << i;
            } else if (rests && type_bits(type_lane(type)) >= 32 && !(column & (column - 1)) &&
                       !has_others(layout, i, column) && column & ((uint32_t)run - 1) << first) {
                alike.counting |= 1 << i;
                alike.ahead[i] = column >> first;
                alike.divisible |= column >> first;
            }
        }
    }
    return alike;
}

/* The rest that counts on from the first one; by 0 all are 0. */
static Tir counted_on(Gen *g, const Alike *alike, Tir first, Tir divisor, int r) {
    bool wide = tir_class(g->b, first) == CLASS_B64;
    RegClass class = tir_class(g->b, first);
    Tir zero = tir_const(g->b, class, 0);
    int64_t ahead = 0;
    for (int i = 0; i < 32; i++)
        if ((r & alike->counting) >> i & 1) ahead += alike->ahead[i];
    tir_know_zeros(g->b, first, alike->divisible);
    Tir by_zero = tir_2(g->b, wide ? TIR_EQ64 : TIR_EQ32, divisor, zero);
    Tir by = tir_select(g->b, by_zero, zero, tir_const(g->b, class, (uint64_t)ahead));
    return tir_2(g->b, wide ? TIR_ADD64 : TIR_ADD32, first, by);
}

/* Registers r and r + 1 of a select, where they are halves of a word; false: not so. */
static bool select_two(Gen *g, const Op *op, Tir *const *operands, int r, Tir *regs) {
    bool by_lane = type_is_tile(op->operands[0]->type);
    if (by_lane && operands[0][r] != operands[0][r + 1]) return false;
    return ptx_select_pair(g, type_lane(op_result(op)->type), operands[0][by_lane ? r : 0],
                           operands[1] + r, operands[2] + r, regs + r);
}

/* Of a branch; and those that a thread makes in all, as far as its registers hold what it loads for
 * them: nothing is begun across a branch, so the loads of others would wait there. Outside of loops
 * all is loaded before them anyway. */
enum { SOME_LOGS = 4, MOST_LOGS = 32 };

static bool is_log(const Op *op) {
    return (op->kind == OP_LOG || op->kind == OP_LOG2) &&
           type_lane(op_result(op)->type)->kind == TYPE_F32;
}

static bool count_logs(Op *op, void *user) {
    if (is_log(op) && type_is_tile(op_result(op)->type))
        *(int *)user += layout_regs(type_layout(op_result(op)->type));
    return true;
}

static bool has_few_logs(Gen *g) {
    if (!g->num_logs) region_walk(g->fn->body, count_logs, &g->num_logs);
    return g->num_logs <= MOST_LOGS;
}

/* Logarithms of several lanes: what only zeros, subnormal and negative numbers, infinities and NaNs
 * need is made behind a branch, which one test of all goes past. */
static bool logs_of_some(Gen *g, const Op *op, const Tir *x, Tir *regs) {
    Tirs *b = g->b;
    bool base_2 = op->kind == OP_LOG2;
    Tir most = 0, least_normal = tir_f32(b, 0x1p-126f);
    for (int r = 0; r < SOME_LOGS; r++) {
        Tir beyond = tir_2(b, TIR_SUB32, x[r], least_normal);
        most = r ? tir_2(b, TIR_MAX_U32, most, beyond) : beyond;
    }
    Tir normal = tir_2(b, TIR_LT_U32, most, tir_i32(b, 0x7f000000));
    if (tir_is_const(b, normal, NULL)) return false;
    int end = tir_new_label(b);
    for (int r = 0; r < SOME_LOGS; r++) {
        regs[r] = tir_var(b, CLASS_B32);
        tir_set(b, regs[r], math_log_normal(b, x[r], base_2));
    }
    tir_branch(b, end, normal, false);
    int scope = tir_enter(b);
    for (int r = 0; r < SOME_LOGS; r++) {
        const Tir args[3] = {x[r]};
        tir_set(b, regs[r], ptx_lane(g, op, args));
    }
    tir_leave(b, scope);
    tir_label(b, end);
    return true;
}

static Tir *ptx_lanes(Gen *g, const Op *op, const Layout *layout) {
    int count = layout ? layout_regs(layout) : 1;
    Alike alike = alike_registers(g, op, layout);
    int others = alike.equal | alike.counting;
    Tir *regs = ptx_new_regs(g, count), *operands[3];
    if (op->num_operands > COUNT(operands)) BUG("%s: too many operands", op_info(op->kind)->name);
    for (int i = 0; i < op->num_operands; i++) operands[i] = ptx_regs_of(g, op->operands[i]);
    bool some_logs = layout && is_log(op) && op_is_in_loop(op) && !others && has_few_logs(g);
    for (int r = 0; r < count; r++) {
        Tir args[3] = {0};
        if (some_logs && r % SOME_LOGS == 0 && r + SOME_LOGS <= count &&
            logs_of_some(g, op, &operands[0][r], &regs[r])) {
            r += SOME_LOGS - 1;
            continue;
        }
        int several = others ? 0 : ptx_several(g, op, operands, r, count, regs);
        if (several) {
            r += several - 1;
            continue;
        }
        if (op->kind == OP_SELECT && r % 2 == 0 && r + 1 < count &&
            select_two(g, op, operands, r, regs)) {
            r++;
            continue;
        }
        for (int i = 0; i < op->num_operands; i++)
            args[i] = operands[i][type_is_tile(op->operands[i]->type) ? r : 0];
        if (r & alike.counting)
            regs[r] = counted_on(g, &alike, regs[r & ~others], args[1], r);
        else
            regs[r] = r & others ? regs[r & ~others] : ptx_lane(g, op, args);
    }
    return regs;
}

/* Above the limits of a grid there are zeros. */
static Tir block_of(Gen *g, int axis) {
    static const char *const names[] = {"%ctaid.x", "%ctaid.y", "%ctaid.z"};
    return tir_special(g->b, CLASS_B32, names[axis], axis ? 0xffff0000 : 1u << 31);
}

static Tir num_blocks(Gen *g, int axis) {
    static const char *const names[] = {"%nctaid.x", "%nctaid.y", "%nctaid.z"};
    return tir_special(g->b, CLASS_B32, names[axis], axis ? 0xfffe0000 : 1u << 31);
}

static Tir ptx_grid(Gen *g, const Op *op, int axis) {
    if (axis < 0 || axis > 2) BUG("program axis %d", axis);
    if (op->kind == OP_NUM_PROGRAMS) return num_blocks(g, axis);
    Tir number = block_of(g, axis);
    if (!program_id_last_first(op)) return number;
    ptx_note(g, str_format(g->arena, "the last programs along axis %d begin first", axis));
    Tir last = tir_2(g->b, TIR_SUB32, num_blocks(g, axis), tir_i32(g->b, 1));
    return tir_2(g->b, TIR_SUB32, last, number);
}

/* The program, or how many there are. A cluster's blocks are programs along x; log: of their
 * number. */
static Tir ptx_program(Gen *g, const Op *op) {
    int axis = (int)(op->kind == OP_NUM_PROGRAMS ? num_programs_axis(op) : program_id_axis(op));
    Tir blocks = ptx_grid(g, op, axis);
    int log = log2_floor(g->facts->cluster); /* a power of two, or 0 */
    return axis || !log ? blocks : tir_2(g->b, TIR_SHR_U32, blocks, tir_i32(g->b, log));
}

/* In its group of so many blocks, or in the cluster. */
static Tir ptx_rank(Gen *g, int64_t blocks) {
    uint32_t most = (uint32_t)g->facts->cluster - 1;
    Tir rank = tir_special(g->b, CLASS_B32, "%cluster_ctarank", ~most);
    return blocks > most ? rank : tir_2(g->b, TIR_AND32, rank, tir_i32(g->b, blocks - 1));
}

/* Ops without effects: their registers follow from those of the operands, one by one. */
static Tir *pure_registers(Gen *g, const Op *op) {
    const Value *result = op_result(op), *from = op->num_operands ? op->operands[0] : NULL;
    const Layout *layout = type_layout(result->type);
    if (op_has_trait(op, ELEMENTWISE)) return ptx_lanes(g, op, layout);
    if (op->kind == OP_ARANGE) return ptx_arange(g, op, layout);
    if (op->kind == OP_BROADCAST) return ptx_broadcast(g, op, layout);
    if (from && type_is_tile(from->type) && layout) return ptx_regs_of(g, from);
    Tir value;
    if (from)
        value = ptx_scalar_of(g, from);
    else if (op->kind == OP_PROGRAM_ID || op->kind == OP_NUM_PROGRAMS)
        value = ptx_program(g, op);
    else if (op->kind == OP_RANK)
        value = ptx_rank(g, rank_blocks(op));
    else
        value = ptx_constant(g, type_lane(result->type),
                             op->kind == OP_CONSTANT ? constant_bits(op) : 0);
    return filled(g, registers_of(result), value);
}

/* ---- clusters ----
 *
 * A block's threads 0 to n - 1 each send its values to one of the cluster's n blocks, which waits
 * for what comes from all at an mbarrier behind its slots. A meeting has its own, for one phase,
 * made as the block begins; before the first time, all blocks must have: that they say then, and it
 * is waited for here. Nothing else is ordered by it. A block ends when all that is sent to it has
 * come; what it has sent is no more in it. */

enum { SLOT_BYTES = 8 }; /* of a value of one block: see meet_bytes */

/* What a slot has: numbers of less than a word go as one. */
static int slot_bytes(const Type *lane) {
    return ptx_lane_bytes(lane) < 4 ? 4 : ptx_lane_bytes(lane);
}

static Tir meet_barrier(Gen *g, const Op *meet) {
    return ptx_shared_address(g, (int)meet_offset(meet) + SLOT_BYTES * meet->num_results,
                              tir_i32(g->b, 0));
}

static bool make_meeting(Op *op, void *user) {
    Gen *g = user;
    if (op->kind != OP_MEET) return true;
    if (op->parent != g->fn->body) BUG("a meeting of blocks that is not once");
    int bytes = 0;
    for (int i = 0; i < op->num_operands; i++)
        bytes += slot_bytes(op->operands[i]->type) * (int)meet_blocks(op);
    Tir barrier = meet_barrier(g, op);
    ptx_mbarrier(g, "mbarrier.init.shared.b64 [$0], 1;", 1, &barrier, false);
    const char *text =
        str_format(g->arena, "mbarrier.arrive.expect_tx.shared.b64 _, [$0], %d;", bytes).data;
    ptx_mbarrier(g, text, 1, &barrier, false);
    return true;
}

/* The fence, and not the arrival, tells the others of the mbarriers; of nothing else. */
static void begin_cluster(Gen *g) {
    int done = tir_new_label(g->b);
    Tir thread = tir_special(g->b, CLASS_B32, "%tid.x", 0);
    tir_branch(g->b, done, tir_2(g->b, TIR_NE32, thread, tir_i32(g->b, 0)), false);
    int scope = tir_enter(g->b);
    region_walk(g->fn->body, make_meeting, g);
    tir_plain(g->b, "fence.mbarrier_init.release.cluster;");
    tir_leave(g->b, scope);
    tir_label(g->b, done);
    tir_plain(g->b, "barrier.cluster.arrive.relaxed.aligned;");
}

static void push(Gen *g, const Op *op, Tir there, Tir guard) {
    int64_t blocks = meet_blocks(op);
    Tir barrier = tir_2(g->b, TIR_ADD32, there, tir_i32(g->b, SLOT_BYTES * op->num_results));
    for (int i = 0; i < op->num_operands; i++) {
        const Type *lane = op->operands[i]->type;
        int bytes = slot_bytes(lane);
        Tir own = tir_2(g->b, TIR_MUL32, ptx_rank(g, blocks), tir_i32(g->b, bytes));
        Tir at = tir_2(g->b, TIR_ADD32, there, own);
        at = tir_2(g->b, TIR_ADD32, at, tir_i32(g->b, i * SLOT_BYTES * blocks));
        Tir value = ptx_scalar_of(g, op->operands[i]);
        if (ptx_lane_bytes(lane) < 4) value = ptx_pack_lanes(g, lane, &value, 1);
        const char *text = bytes == 8 ? "@$3 st.async.shared::cluster.mbarrier::complete_tx::bytes"
                                        ".b64 [$0], $1, [$2];"
                                      : "@$3 st.async.shared::cluster.mbarrier::complete_tx::bytes"
                                        ".b32 [$0], $1, [$2];";
        ptx_mbarrier(g, text, 4, (Tir[]){at, value, barrier, guard}, false);
    }
}

/* What of them came from other blocks is told at the scope of the cluster alone. */
static void wait_for_all(Gen *g, const Op *op) {
    int again = tir_new_label(g->b);
    tir_label(g->b, again);
    Tir there =
        ptx_mbarrier(g, "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 $0, [$1], $2;", 2,
                     (Tir[]){meet_barrier(g, op), tir_i32(g->b, 0)}, true);
    tir_branch(g->b, again, there, true);
}

static void pull(Gen *g, const Op *op) {
    int blocks = (int)meet_blocks(op);
    Tir zero = tir_i32(g->b, 0);
    for (int i = 0; i < op->num_operands; i++) {
        const Type *lane = op->operands[i]->type;
        bool narrow = ptx_lane_bytes(lane) < 4;
        int bytes = slot_bytes(lane), each = 16 / bytes < blocks ? 16 / bytes : blocks;
        int offset = (int)meet_offset(op) + i * SLOT_BYTES * blocks;
        for (int k = 0; k < blocks; k += each) {
            Tir *words = ptx_new_regs(g, each);
            ptx_load_lanes(g, "ld.shared", false, ptx_shared_address(g, offset + k * bytes, zero),
                           narrow ? type_scalar(TYPE_I32) : lane, each, 0, NULL, words);
            for (int n = 0; n < each; n++) {
                Tir value = words[n];
                if (narrow) ptx_unpack_lanes(g, lane, words[n], 1, &value);
                ptx_define_scalar(g, &op->results[i * blocks + k + n], value);
            }
        }
    }
}

static void ptx_meet(Gen *g, const Op *op) {
    Tir thread = tir_special(g->b, CLASS_B32, "%tid.x", 0);
    Tir blocks = tir_i32(g->b, meet_blocks(op)), most = tir_i32(g->b, meet_blocks(op) - 1);
    Tir zero = tir_i32(g->b, 0), guard = tir_2(g->b, TIR_LT_U32, thread, blocks), index;
    Tir args[2] = {ptx_shared_address(g, (int)meet_offset(op), zero),
                   tir_2(g->b, TIR_AND32, thread, most)};
    if (meet_within(op)) { /* to those of its group */
        Tir group =
            tir_2(g->b, TIR_AND32, ptx_rank(g, meet_within(op)), tir_i32(g->b, -meet_blocks(op)));
        args[1] = tir_2(g->b, TIR_OR32, args[1], group);
    }
    if (meet_offset(op) + meet_bytes(op) > g->shared_size)
        g->shared_size = (int)meet_offset(op) + meet_bytes(op);
    if (!g->has_met) tir_plain(g->b, "barrier.cluster.wait.aligned;");
    g->has_met = true;
    tir_ins(g->b, TIR_ASM, "mapa.shared::cluster.u32 $0, $1, $2;", 2, args, &index);
    push(g, op, tir_results(g->b, index, CLASS_B32, 1), guard);
    wait_for_all(g, op);
    pull(g, op);
}

/* ---- control flow ---- */

/* Variables for a carried value. */
static Tir *new_variables(Gen *g, const Value *value) {
    int count = registers_of(value);
    Tir *variables = ptx_new_regs(g, count);
    for (int r = 0; r < count; r++)
        variables[r] = tir_var(g->b, ptx_class_of(type_lane(value->type)));
    return variables;
}

/* Does a turn of the loop add one number to all lanes? Then registers of the tile that differ by a
 * constant go on doing so. */
static bool advances_alike(const Value *arg, const Value *next) {
    const Type *lane = type_lane(arg->type);
    if (!type_is_tile(arg->type) ||
        (!type_is_ptr(lane) && !(type_is_int(lane) && type_bits(lane) >= 32)))
        return false;
    while (next != arg) {
        const Op *op = next->def;
        if (op && op->kind == OP_CONVERT) {
            next = op->operands[0];
            continue;
        }
        if (!op || (op->kind != OP_ADD && op->kind != OP_ADDPTR)) return false;
        const Op *step = op->operands[1]->def;
        if (!step || (step->kind != OP_SPLAT && step->kind != OP_CONSTANT)) return false;
        next = op->operands[0];
    }
    return true;
}

/* Variables for a value carried by a loop: of registers that always differ by a constant, one has a
 * variable, the others are made of it. */
enum { MAX_LEADERS = 64 };

typedef struct Carried {
    int count;
    Tir *variables; /* 0: made of another one */
    int *leader;
    int64_t *distance;
} Carried;

static Carried carried_of(Gen *g, const Value *arg, const Value *next, const Tir *start) {
    RegClass class = ptx_class_of(type_lane(arg->type));
    Carried c = {.count = registers_of(arg)};
    Tir bases[MAX_LEADERS];
    int owners[MAX_LEADERS], leaders = 0;
    int64_t offsets[MAX_LEADERS], offset;
    bool alike = advances_alike(arg, next);
    c.variables = ptx_new_regs(g, c.count);
    c.leader = arena_array(g->arena, int, c.count);
    c.distance = arena_array(g->arena, int64_t, c.count);
    for (int r = 0; r < c.count; r++) {
        Tir base = tir_split_offset(g->b, start[r], &offset);
        int i = 0;
        while (i < leaders && bases[i] != base) i++;
        if (alike && i < leaders) {
            c.leader[r] = owners[i], c.distance[r] = offset - offsets[i];
            continue;
        }
        c.variables[r] = tir_var(g->b, class);
        if (leaders < MAX_LEADERS)
            bases[leaders] = base, owners[leaders] = r, offsets[leaders++] = offset;
    }
    return c;
}

static Tir *carried_registers(Gen *g, const Carried *c) {
    Tir *regs = ptx_new_regs(g, c->count);
    for (int r = 0; r < c->count; r++) {
        Tir leader = c->variables[c->leader[r]];
        RegClass class = c->variables[r] ? CLASS_NONE : tir_class(g->b, leader);
        regs[r] = c->variables[r] ? c->variables[r]
                                  : tir_2(g->b, class == CLASS_B64 ? TIR_ADD64 : TIR_ADD32, leader,
                                          tir_const(g->b, class, (uint64_t)c->distance[r]));
    }
    return regs;
}

/* A source that is itself a variable is copied away first. */
void ptx_assign(Gen *g, int count, const Tir *to, const Tir *from) {
    Tir *copies = ptx_new_regs(g, count);
    for (int i = 0; i < count; i++) {
        copies[i] = from[i];
        if (g->b->list.data[from[i]].kind != TIR_VAR || from[i] == to[i]) continue;
        copies[i] = tir_var(g->b, tir_class(g->b, from[i]));
        tir_set(g->b, copies[i], from[i]);
    }
    for (int i = 0; i < count; i++)
        if (copies[i] != to[i]) tir_set(g->b, to[i], copies[i]);
}

/* variables[i] = values[i], of the type of like[i]; what has no variable is left. */
static void assign_values(Gen *g, int count, Tir *const *variables, Value *const *values,
                          Value *const *like) {
    int total = 0, moves = 0;
    for (int i = 0; i < count; i++) total += registers_of(like[i]);
    Tir *to = ptx_new_regs(g, total), *sources = ptx_new_regs(g, total);
    for (int i = 0; i < count; i++) {
        bool whole = g->fn->form == FORM_THREAD;
        Tir one = whole ? ptx_thread_value(g, values[i], like[i]) : 0;
        Tir *from = whole ? &one : ptx_regs_of(g, values[i]);
        for (int r = 0; r < registers_of(like[i]); r++) {
            if (!variables[i][r]) continue;
            to[moves] = variables[i][r];
            sources[moves++] = from[r];
        }
    }
    ptx_assign(g, moves, to, sources);
}

static void ptx_region(Gen *g, const Region *region);

static void ptx_if(Gen *g, const Op *op) {
    Tir **variables = arena_array(g->arena, Tir *, op->num_results + 1);
    Value **like = arena_array(g->arena, Value *, op->num_results + 1);
    for (int i = 0; i < op->num_results; i++) {
        like[i] = &op->results[i];
        variables[i] = new_variables(g, like[i]);
    }
    int otherwise = tir_new_label(g->b), end = tir_new_label(g->b);
    tir_branch(g->b, otherwise, ptx_scalar_of(g, if_condition(op)), true);
    for (int r = 0; r < 2; r++) {
        int scope = tir_enter(g->b);
        if (r == 1) tir_label(g->b, otherwise);
        ptx_region(g, op->regions[r]);
        assign_values(g, op->num_results, variables, region_yield(op->regions[r])->operands, like);
        if (r == 0 && ptx_thread_ends(g, op))
            tir_plain(g->b, "ret;");
        else if (r == 0)
            tir_branch(g->b, end, 0, false);
        tir_leave(g->b, scope);
    }
    tir_label(g->b, end);
    for (int i = 0; i < op->num_results; i++) ptx_define(g, like[i], variables[i]);
}

/* a lies before b, in the direction of the step. */
static Tir comes_before(Gen *g, const Op *op, Tir a, Tir b, Tir up) {
    bool wide = type_bits(for_lower(op)->type) == 64;
    uint64_t bits;
    if (for_unsigned(op)) return tir_2(g->b, wide ? TIR_LT_U64 : TIR_LT_U32, a, b);
    Tir less = tir_2(g->b, wide ? TIR_LT_S64 : TIR_LT_S32, a, b);
    Tir more = tir_2(g->b, wide ? TIR_GT_S64 : TIR_GT_S32, a, b);
    if (tir_is_const(g->b, up, &bits)) return bits ? less : more;
    return tir_select(g->b, up, less, more);
}

/* upper - step: the index that comes before it has a next one, which does not wrap around. Where
 * the difference leaves the type, it is the type's end, which no index comes before. */
static Tir before_last(Gen *g, const Op *op, Tir upper, Tir step, Tir up) {
    bool wide = type_bits(for_lower(op)->type) == 64;
    TirOp add = wide ? TIR_ADD64 : TIR_ADD32, sub = wide ? TIR_SUB64 : TIR_SUB32;
    if (for_unsigned(op))
        return tir_2(g->b, sub, tir_2(g->b, wide ? TIR_MAX_U64 : TIR_MAX_U32, upper, step), step);
    Tir least = wide ? tir_i64(g->b, INT64_MIN) : tir_i32(g->b, INT32_MIN);
    Tir most = wide ? tir_i64(g->b, INT64_MAX) : tir_i32(g->b, INT32_MAX);
    Tir low = tir_2(g->b, wide ? TIR_MAX_S64 : TIR_MAX_S32, upper, tir_2(g->b, add, least, step));
    Tir high = tir_2(g->b, wide ? TIR_MIN_S64 : TIR_MIN_S32, upper, tir_2(g->b, add, most, step));
    return tir_2(g->b, sub, tir_select(g->b, up, low, high), step);
}

static bool is_no_product(Op *op, void *user) {
    (void)user;
    return op->kind != OP_DOT && !is_turn_op(op); /* false ends the walk */
}

/* From a number that is not negative up: then the index as it moved is no more than twice the
 * type's largest, and as a number without a sign compares as if it had not passed its end. This is
 * what ptxas knows as a count of turns: it unrolls such a loop, and the loads of several turns go
 * out before the first is waited for. Loops with products go ahead by themselves. Not by large
 * steps: whether four turns are left ptxas 13.0 asks of three steps, which wrap (by 2^62 in 64 bits
 * the loop did not end, by 2^31 - 1 in 32 it had four turns for one). */
static bool counts_up(Gen *g, const Op *op, Tir lower, Tir step) {
    bool wide = type_bits(for_lower(op)->type) == 64;
    uint64_t sign = wide ? 1ull << 63 : 1u << 31, most = wide ? 1ull << 48 : 1u << 16, from, by;
    if (for_unsigned(op) || !tir_is_const(g->b, lower, &from) || !tir_is_const(g->b, step, &by))
        return false;
    return !(from & sign) && by <= most && by && region_walk(for_body(op), is_no_product, NULL);
}

/* A counter that begins at no negative number and goes up is never negative. */
static void know_sign(Gen *g, const Op *op, Tir i) {
    int64_t low, high, step;
    if (for_unsigned(op) || !value_is_int(for_step(op), &step) || step <= 0) return;
    if (!facts_range(g->axis, for_lower(op), &low, &high) || low < 0) return;
    tir_know_zeros(g->b, i, 1ull << (type_bits(for_lower(op)->type) - 1));
}

/* Whether there is a next turn is asked at the head, of the index as it moved; or, where that might
 * have passed the end of its type, before it moves. */
static void ptx_for(Gen *g, const Op *op) {
    Region *body = for_body(op);
    Tir lower = ptx_scalar_of(g, for_lower(op)), upper = ptx_scalar_of(g, for_upper(op));
    Tir step = ptx_scalar_of(g, for_step(op));
    int bits = type_bits(for_lower(op)->type);
    if (bits < 32) {
        diag_refused(g->diag, op->span, "a loop over i%d on a GPU", bits);
        return;
    }
    Tir i = tir_var(g->b, tir_class(g->b, lower));
    Tir **variables = arena_array(g->arena, Tir *, op->num_results + 1);
    Carried *carried = arena_array(g->arena, Carried, op->num_results + 1);
    for (int k = 0; k < op->num_results; k++) {
        const Value *arg = for_arg(op, k);
        Tir *start = ptx_regs_of(g, for_init(op, k));
        carried[k] = carried_of(g, arg, for_next(op, k), start);
        variables[k] = carried[k].variables;
    }
    know_sign(g, op, i);
    tir_set(g->b, i, lower);
    assign_values(g, op->num_results, variables, op->operands + FOR_BOUNDS, body->args + 1);
    ptx_ring_enter(g, op);
    int head = tir_new_label(g->b), end = tir_new_label(g->b);
    bool may_wrap = facts_index_may_wrap(g->axis, op);
    Tir up = tir_2(g->b, bits == 64 ? TIR_GT_S64 : TIR_GT_S32, step,
                   tir_const(g->b, tir_class(g->b, step), 0));
    bool counts = may_wrap && counts_up(g, op, lower, step);
    Tir last = may_wrap && !counts ? before_last(g, op, upper, step, up) : 0, again = 0;
    int scope = tir_enter(g->b);
    if (may_wrap) {
        tir_branch(g->b, end, comes_before(g, op, i, upper, up), true);
        tir_leave(g->b, scope);
    }
    Tir outer = g->b->loop_start;
    g->b->loop_start = g->b->list.count;
    tir_label(g->b, head);
    if (!may_wrap) tir_branch(g->b, end, comes_before(g, op, i, upper, up), true);
    ptx_define_scalar(g, for_index(op), i);
    for (int k = 0; k < op->num_results; k++)
        ptx_define(g, for_arg(op, k), carried_registers(g, &carried[k]));
    ptx_region(g, body);
    if (last) again = comes_before(g, op, i, last, up);
    Tir next = tir_2(g->b, bits == 64 ? TIR_ADD64 : TIR_ADD32, i, step);
    if (counts) again = tir_2(g->b, bits == 64 ? TIR_LT_U64 : TIR_LT_U32, next, upper);
    assign_values(g, op->num_results, variables, region_yield(body)->operands, body->args + 1);
    tir_set(g->b, i, next);
    tir_branch(g->b, head, again, false);
    tir_leave(g->b, scope);
    g->b->loop_start = outer;
    tir_label(g->b, end);
    for (int k = 0; k < op->num_results; k++) {
        Value *result = &op->results[k];
        ptx_define(g, result, carried_registers(g, &carried[k]));
    }
}

static void ptx_while(Gen *g, const Op *op) {
    Region *before = while_test(op), *after = while_body(op);
    Tir **carried = arena_array(g->arena, Tir *, before->num_args + 1);
    Tir **forwarded = arena_array(g->arena, Tir *, after->num_args + 1);
    for (int k = 0; k < before->num_args; k++) carried[k] = new_variables(g, before->args[k]);
    for (int k = 0; k < after->num_args; k++) forwarded[k] = new_variables(g, after->args[k]);
    assign_values(g, before->num_args, carried, op->operands, before->args);
    int head = tir_new_label(g->b), end = tir_new_label(g->b);
    tir_label(g->b, head);
    if (while_unroll(op) == 1) tir_plain(g->b, ".pragma \"nounroll\";"); /* ptxas unrolls, too */
    int scope = tir_enter(g->b), waits = g->fn->form != FORM_PLACED || while_waits(op);
    g->while_depth += waits;
    for (int k = 0; k < before->num_args; k++) ptx_define(g, before->args[k], carried[k]);
    ptx_region(g, before);
    assign_values(g, after->num_args, forwarded, region_yield(before)->operands + 1, after->args);
    tir_branch(g->b, end, ptx_scalar_of(g, while_condition(op)), true);
    for (int k = 0; k < after->num_args; k++) ptx_define(g, after->args[k], forwarded[k]);
    ptx_region(g, after);
    assign_values(g, before->num_args, carried, region_yield(after)->operands, before->args);
    tir_branch(g->b, head, 0, false);
    g->while_depth -= waits;
    tir_leave(g->b, scope);
    tir_label(g->b, end);
    for (int k = 0; k < op->num_results; k++) ptx_define(g, &op->results[k], forwarded[k]);
}

void ptx_inline_region(Gen *g, const Region *region, const Tir *args, Tir *results) {
    const Op *op = g->op;
    for (int i = 0; i < region->num_args; i++) ptx_define_scalar(g, region->args[i], args[i]);
    ptx_region(g, region);
    g->op = op;
    const Op *yield = region_yield(region);
    for (int i = 0; i < yield->num_operands; i++) results[i] = ptx_scalar_of(g, yield->operands[i]);
}

/* ---- all ops ---- */

static void place(Gen *g, const Op *op) {
    if (!g->b->file || !op->span.source) return;
    int file = 0;
    while (file < g->sources.count && g->sources.data[file] != op->span.source) file++;
    if (file == g->sources.count) vec_push(g->arena, &g->sources, op->span.source);
    g->b->source_file = file + 1;
    source_position(op->span.source, op->span.start, &g->b->line, &g->b->column);
}

/* Of a tile of a ring, which stays where it is. */
static bool turns_view(const Op *op) {
    return op->kind == OP_TRANS && op_result(op)->type->place->shared;
}

static void ptx_op(Gen *g, const Op *op) {
    place(g, op);
    g->op = op;
    if (op->num_trips) g->next_trip = 0;
    if (ptx_thread_op(g, op) || ptx_role_out(g, op)) return;
    if (turns_view(op)) {
        g->regs[op_result(op)->id] = g->regs[op->operands[0]->id];
        return;
    }
    switch (op->kind) {
    case OP_IF: ptx_if(g, op); return;
    case OP_FOR: ptx_for(g, op); return;
    case OP_WHILE: ptx_while(g, op); return;
    case OP_YIELD:
    case OP_ASSUME: return;
    case OP_LOAD: ptx_load(g, op); return;
    case OP_STORE: ptx_store(g, op); return;
    case OP_ATOMIC_RMW:
    case OP_ATOMIC_CAS: ptx_atomic(g, op); return;
    case OP_BARRIER: ptx_barrier(g); return;
    case OP_MEET: ptx_meet(g, op); return;
    case OP_STOW:
    case OP_FETCH: ptx_row(g, op); return;
    case OP_CONVERT: ptx_convert(g, op); return;
    case OP_JOIN: ptx_join(g, op); return;
    case OP_SPLIT: ptx_split(g, op); return;
#define ACROSS(kind, ...) case OP_##kind:
#include "ir/ops.def"
        ptx_across(g, op);
        return;
    case OP_GATHER: ptx_gather(g, op); return;
    case OP_PRINT: ptx_print(g, op); return;
    case OP_ASSERT: ptx_assert(g, op); return;
    case OP_CLOCK: ptx_clock(g, op); return;
    case OP_INLINE_ASM: ptx_inline_asm(g, op); return;
#define LEAF(kind, ...) case OP_##kind:
#define LANE(kind, ...) case OP_##kind:
#include "ir/ops.def"
    case OP_SPLAT:
    case OP_BROADCAST:
    case OP_EXPAND_DIMS:
    case OP_RESHAPE:
    case OP_TRANS: ptx_define(g, op_result(op), pure_registers(g, op)); return;
#define ASYNC(kind, ...)  case OP_##kind:
#define THREAD(kind, ...) case OP_##kind:
#define BLOCK(kind, ...)  case OP_##kind:
#include "ir/ops.def"
        ptx_ring(g, op);
        return;
    case NUM_OP_KINDS: break;
    }
    BUG("op of unknown kind %d", op->kind);
}

static void ptx_region(Gen *g, const Region *region) {
    for (const Op *op = region->first; op && !diag_failed(g->diag); op = op->next) ptx_op(g, op);
}

static Tir ptx_param(Gen *g, const Param *param, int index) {
    const Type *type = param->value->type;
    static const char *const names[] = {"u8", "u8", "u16", "b32", "b64"};
    int bits = type_bits(type);
    const char *name = names[bits == 1 ? 0 : bits == 8 ? 1 : bits == 16 ? 2 : bits == 32 ? 3 : 4];
    RegClass class = ptx_class_of(type);
    if (class == CLASS_PRED) {
        Tir byte = tir_param(g->b, CLASS_B32, name, index, 0xffffff00);
        return tir_2(g->b, TIR_NE32, byte, tir_i32(g->b, 0));
    }
    return tir_param(g->b, class, class == CLASS_B16 ? "b16" : name, index, 0);
}

void ptx_function(Gen *g) {
    for (int i = 0; i < g->fn->num_params; i++)
        ptx_define_scalar(g, g->fn->params[i].value, ptx_param(g, &g->fn->params[i], i));
    if (g->facts->cluster) begin_cluster(g);
    ptx_region(g, g->fn->body);
    if (g->facts->cluster && !g->has_met) tir_plain(g->b, "barrier.cluster.wait.aligned;");
    if (g->roles && g->roles->out && !g->is_producer)
        tir_plain(g->b, "cp.async.bulk.wait_group 0;");
    tir_plain(g->b, "ret;");
}

void ptx_body(Gen *g) {
    ptx_thread_begin(g);
    ptx_wgmma_begin(g);
    if (ptx_has_producer(g))
        ptx_roles(g);
    else if (g->roles)
        ptx_flat(g);
    else
        ptx_function(g);
}
