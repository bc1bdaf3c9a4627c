// SPDX-License-Identifier: Apache-2.0
/* exec: regions, and the ops that have regions. */
#include "device/interp/interp.h"

static void drop_dead(Program *p, const Node *node) {
    for (int i = 0; i < node->num_frees; i++) {
        Lanes **slot = &p->slots[node->frees[i]];
        lanes_release(p->launch, *slot);
        *slot = NULL;
    }
}

void exec_yield_done(Program *p, const Body *block) { drop_dead(p, &block->yield); }

static Lanes *scalar_new(Program *p, int size, uint64_t bits) {
    Lanes *lanes = lanes_new(p, 1, size);
    if (lanes) lane_set(lanes, 0, bits);
    return lanes;
}

/* Shares what a block yielded, from the `first`-th value on, as `values`; `hold` keeps them alive
 * while the slots are overwritten (a loop may swap two carried values). */
static bool move_yields(Program *p, const Body *block, int first, int count, Value *const *values,
                        Value *results) {
    if (count == 0) {
        exec_yield_done(p, block);
        return true;
    }
    Lanes *hold = lanes_new(p, count, (int)sizeof(Lanes *));
    if (!hold) return false;
    Lanes **held = (Lanes **)(void *)hold->data;
    for (int i = 0; i < count; i++) held[i] = lanes_share(operand(p, block->yield.op, first + i));
    exec_yield_done(p, block);
    for (int i = 0; i < count; i++) slot_set(p, values ? values[i] : &results[i], held[i]);
    lanes_release(p->launch, hold);
    return true;
}

enum { ITERATIONS_A_LOOK = 256 };

static bool is_before_deadline(Program *p, Span span) {
    Launch *launch = p->launch;
    if (!launch->deadline_ns || clock_ns() < launch->deadline_ns) return true;
    program_fail(p, TERN_ERROR_KERNEL, span, "the launch takes longer than its time limit");
    launch->failure.kind = TERN_NOT_CHECKED;
    return false;
}

bool is_in_time(Program *p, const Op *op) {
    Launch *launch = p->launch;
    if (launch->device->stop) {
        program_fail(p, TERN_ERROR_KERNEL, op->span, "the launch was interrupted");
        launch->failure.kind = TERN_NOT_CHECKED;
        return false;
    }
    return ++launch->iterations % ITERATIONS_A_LOOK || is_before_deadline(p, op->span);
}

static bool exec_if(Program *p, const Node *node) {
    const Lanes *condition = lanes_of(p, if_condition(node->op));
    const Body *block = node->blocks[lane_get(condition, 0) & 1 ? 0 : 1];
    if (condition->marks) watch_decides(p, node->op, condition, 0, "decides this 'if'");
    return exec_block(p, block) &&
           move_yields(p, block, 0, node->op->num_results, NULL, node->op->results);
}

/* Wide enough that no loop index overflows. */
__extension__ typedef __int128 Index;

static bool exec_for(Program *p, const Node *node) {
    const Op *op = node->op;
    const Region *region = for_body(op);
    const Type *type = for_lower(op)->type;
    bool is_unsigned = for_unsigned(op) != 0;
    int size = type_size_bytes(type), carried = op->num_results;
    Index bounds[FOR_BOUNDS];
    for (int i = 0; i < FOR_BOUNDS; i++) {
        const Lanes *bound = operand(p, op, i);
        uint64_t bits = lane_get(bound, 0);
        if (bound->marks) watch_decides(p, op, bound, 0, "decides how long this loop runs");
        bounds[i] = is_unsigned ? (Index)bits : (Index)constant_to_int(type, bits);
    }
    if (bounds[2] == 0)
        return program_fail(p, TERN_ERROR_KERNEL, op->span,
                            "the loop's step is 0: it would never end");
    for (int i = 0; i < carried; i++)
        slot_set(p, for_arg(op, i), lanes_share(lanes_of(p, for_init(op, i))));
    for (Index i = bounds[0]; bounds[2] > 0 ? i < bounds[1] : i > bounds[1]; i += bounds[2]) {
        Lanes *index = scalar_new(p, size, (uint64_t)i);
        if (!index) return false;
        slot_set(p, for_index(op), index);
        if (!is_in_time(p, op) || !exec_block(p, node->blocks[0])) return false;
        if (!move_yields(p, node->blocks[0], 0, carried, region->args + 1, NULL)) return false;
    }
    for (int i = 0; i < carried; i++)
        slot_set(p, &op->results[i], lanes_share(lanes_of(p, for_arg(op, i))));
    return true;
}

static bool lanes_same(const Lanes *a, const Lanes *b) {
    if (a == b) return true;
    return a->count == b->count && !memcmp(a->data, b->data, (size_t)a->count * (size_t)a->size);
}

/* One while loop's carried values at the start of an iteration, to see whether it changes any. */
static Lanes *share_carried(Program *p, const Region *region) {
    Lanes *hold = lanes_new(p, region->num_args, (int)sizeof(Lanes *));
    if (!hold) return NULL;
    Lanes **held = (Lanes **)(void *)hold->data;
    for (int i = 0; i < region->num_args; i++) held[i] = lanes_share(p->slots[region->args[i]->id]);
    return hold;
}

static bool release_carried(Program *p, const Region *region, Lanes *hold) {
    Lanes **held = (Lanes **)(void *)hold->data;
    bool same = true;
    for (int i = 0; i < region->num_args; i++) {
        Lanes *now = p->slots[region->args[i]->id];
        same = same && now && lanes_same(held[i], now);
        lanes_release(p->launch, held[i]);
    }
    lanes_release(p->launch, hold);
    return same;
}

static bool exec_while(Program *p, const Node *node) {
    const Op *op = node->op;
    const Region *before = while_test(op), *body = while_body(op);
    for (int i = 0; i < before->num_args; i++)
        slot_set(p, while_arg(op, i), lanes_share(lanes_of(p, while_init(op, i))));
    for (;;) {
        uint64_t version = p->launch->version;
        if (!is_in_time(p, op)) return false;
        Lanes *carried = share_carried(p, before);
        if (!carried) return false;
        bool ok = exec_block(p, node->blocks[0]);
        const Lanes *condition = lanes_of(p, while_condition(op));
        bool again = ok && (lane_get(condition, 0) & 1);
        if (ok && condition->marks) watch_decides(p, op, condition, 0, "decides this 'while'");
        if (ok && !again) {
            release_carried(p, before, carried);
            return move_yields(p, node->blocks[0], 1, op->num_results, NULL, op->results);
        }
        ok = ok && move_yields(p, node->blocks[0], 1, body->num_args, body->args, NULL) &&
             exec_block(p, node->blocks[1]) &&
             move_yields(p, node->blocks[1], 0, before->num_args, before->args, NULL);
        bool same = release_carried(p, before, carried);
        if (!ok) return false;
        if (version != p->launch->version) continue;
        bool stuck = same && !node->changes_alone;
        if ((stuck || node->reads) && !program_wait(p, op->span, stuck, version)) return false;
    }
}

static bool exec_constant(Program *p, const Op *op, uint64_t bits) {
    const Value *result = op_result(op);
    /* In a region that runs for many lanes at once one lane stands for all. */
    int count = result->type->lanes, size = type_size_bytes(result->type);
    Lanes *lanes = lanes_new(p, count, size);
    if (!lanes) return false;
    if (bits == 0)
        memset(lanes->data, 0, (size_t)count * (size_t)size);
    else
        for (int i = 0; i < count; i++) lane_set(lanes, i, bits);
    slot_set(p, result, lanes);
    return true;
}

/* globaltimer in ns; clock is the same time, for lack of a cycle counter that all machines have. */
static bool exec_clock(Program *p, const Op *op) {
    return exec_constant(p, op, str_is(clock_kind(op), "smid") ? 0 : (uint64_t)clock_ns());
}

static bool set_scalar(Program *p, const Op *op, uint64_t bits) {
    Lanes *lanes = scalar_new(p, type_size_bytes(op_result(op)->type), bits);
    if (lanes) slot_set(p, op_result(op), lanes);
    return lanes != NULL;
}

static bool exec_assume(Program *p, const Op *op) {
    if (lane_get(operand(p, op, 0), 0) & 1) return true;
    return program_fail(p, TERN_ERROR_KERNEL, op->span,
                        "what the kernel promises by assume is false");
}

static bool exec_node(Program *p, const Node *node) {
    const Op *op = node->op;
    if (op_has_trait(op, ELEMENTWISE))
        return op->kind == OP_ADDPTR ? exec_addptr(p, op) : exec_lanes(p, op);
    if (op->kind == OP_HINT) return exec_alias(p, op);
    switch (op->kind) {
    case OP_CONSTANT: return exec_constant(p, op, constant_bits(op));
    case OP_POISON: return exec_constant(p, op, 0);
    case OP_PROGRAM_ID: return set_scalar(p, op, p->id[grid_axis(op)]);
    case OP_NUM_PROGRAMS: return set_scalar(p, op, p->launch->grid[grid_axis(op)]);
    case OP_ARANGE: return exec_arange(p, op);
#define SHAPE(kind, ...)   case OP_##kind:
#define PERMUTE(kind, ...) case OP_##kind:
#include "ir/ops.def"
        return exec_shape(p, op);
    case OP_LOAD:
    case OP_STORE:
    case OP_ATOMIC_RMW:
    case OP_ATOMIC_CAS: return exec_memory(p, op);
    case OP_ALLOC: return exec_alloc(p, op);
    case OP_STOW:
    case OP_FETCH: return exec_row(p, op);
    case OP_RING:
    case OP_ACQUIRE:
    case OP_FILL:
    case OP_FILL_BOX: /* never comes here (verify_ring.c) */
    case OP_PUT:
    case OP_READY:
    case OP_PEEK:
    case OP_RELEASE: return exec_ring(p, op);
    case OP_SETTLE: return under_way_settle(p, settle_pending(op));
    case OP_COMMIT: /* a copy is made at once, or when its turn is made ready */
    case OP_FENCE:
    case OP_BARRIER: return true; /* the lanes of a program run in step */
    case OP_REDUCE: return exec_reduce(p, node);
    case OP_SCAN: return exec_scan(p, node);
    case OP_HISTOGRAM: return exec_histogram(p, op);
    case OP_DOT: return exec_dot(p, op);
    case OP_IF: return exec_if(p, node);
    case OP_FOR: return exec_for(p, node);
    case OP_WHILE: return exec_while(p, node);
    case OP_ASSUME: return exec_assume(p, op);
    case OP_ASSERT: return exec_assert(p, op);
    case OP_PRINT: return exec_print(p, op);
    case OP_PRINTF: return exec_printf(p, op);
    case OP_CLOCK: return exec_clock(p, op);
    case OP_INLINE_ASM: return exec_assembly(p, node);
    case OP_RANK: /* never come here (compile_ir) */
    case OP_MEET:
    case OP_YIELD:
#define LANE(kind, ...)   case OP_##kind: /* above */
#define THREAD(kind, ...) case OP_##kind: /* `spread` leaves none */
#include "ir/ops.def"
    case NUM_OP_KINDS: break;
    }
    BUG("interp: op '%s' has no meaning here", op_info(op->kind)->name);
}

bool exec_block(Program *p, const Body *block) {
    for (int i = 0; i < block->num_nodes; i++) {
        const Node *node = &block->nodes[i];
        if (node->reads_peeked && !check_peeked(p, node->op)) return false;
        bool fine = exec_node(p, node);
        if (fine != !p->launch->failure.status)
            BUG("'%s' hides how it went", op_info(node->op->kind)->name);
        if (!fine) return false;
        if (node->ends_ring && !rings_end(p, node)) return false;
        drop_dead(p, node);
    }
    return true;
}

bool exec_program(Program *p) {
    const Func *fn = p->launch->loaded->kernel->ir;
    if (!is_before_deadline(p, p->launch->loaded->kernel->place)) return false;
    for (int i = 0; i < fn->num_params; i++) {
        const Value *value = fn->params[i].value;
        Lanes *lanes = scalar_new(p, type_size_bytes(value->type), 0);
        if (!lanes) return false;
        memcpy(lanes->data, p->launch->args[i], (size_t)lanes->size);
        slot_set(p, value, lanes);
    }
    return exec_block(p, p->launch->loaded->body);
}
