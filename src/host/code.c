// SPDX-License-Identifier: Apache-2.0
/* code: a function's regions become one row of instructions with jumps.
 *
 *     while {                      top: ..
 *       %1 = icmp %k, 0                 %1 = icmp %k, 0
 *       yield %1, %k                    jump if not %1 to out
 *     } do { (%j)                       %j = %k
 *       ..                              ..
 *       yield %2                        %k = %2
 *     }                                 jump to top
 *                                  out: %result = %k */
#include "host/host.h"

typedef struct Maker {
    Host *h;
    Diag *diag;
    VEC(Ins) code;
    int num_slots;
} Maker;

static Ins *add(Maker *m, Code code, const Op *op) {
    vec_push(m->h->arena, &m->code, (Ins){.code = code, .op = op});
    return &m->code.data[m->code.count - 1];
}

static void move(Maker *m, const Op *op, int to, int from) {
    if (to == from) return;
    Ins *ins = add(m, CODE_MOVE, op);
    ins->to = to, ins->a = from;
}

/* All at once: one may be read that another writes. */
static void moves(Maker *m, const Op *yield, int first, int count, Value *const *to,
                  const Value *results) {
    int scratch = m->num_slots;
    if (count > 1) m->num_slots += count;
    for (int i = 0; i < count; i++) {
        int target = to ? to[i]->id : results[i].id;
        move(m, yield, count > 1 ? scratch + i : target, yield->operands[first + i]->id);
    }
    for (int i = 0; i < count && count > 1; i++)
        move(m, yield, to ? to[i]->id : results[i].id, scratch + i);
}

static void region(Maker *m, const Region *r);

static void if_op(Maker *m, const Op *op) {
    int skip = m->code.count;
    add(m, CODE_JUMP_IF_NOT, op)->a = if_condition(op)->id;
    region(m, op->regions[0]);
    moves(m, region_yield(op->regions[0]), 0, op->num_results, NULL, op->results);
    int out = m->code.count;
    add(m, CODE_JUMP, op);
    m->code.data[skip].number = m->code.count;
    region(m, op->regions[1]);
    moves(m, region_yield(op->regions[1]), 0, op->num_results, NULL, op->results);
    m->code.data[out].number = m->code.count;
}

static void while_op(Maker *m, const Op *op) {
    const Region *test = op->regions[0], *body = op->regions[1];
    const Op *tested = region_yield(test), *turned = region_yield(body);
    for (int i = 0; i < op->num_operands; i++) move(m, op, test->args[i]->id, op->operands[i]->id);
    int top = m->code.count;
    region(m, test);
    int out = m->code.count;
    add(m, CODE_JUMP_IF_NOT, op)->a = tested->operands[0]->id;
    moves(m, tested, 1, body->num_args, body->args, NULL);
    region(m, body);
    moves(m, turned, 0, test->num_args, test->args, NULL);
    add(m, CODE_JUMP, op)->number = top;
    m->code.data[out].number = m->code.count;
    moves(m, tested, 1, op->num_results, NULL, op->results);
}

/* ---- lanes ---- */

static Code int_code(OpKind kind, bool wide) {
    static const Code narrow[NUM_OP_KINDS] = {
#define INT(row, ...) [OP_##row] = CODE_I32_##row,
#include "ir/ops.def"
    };
    return narrow[kind] ? narrow[kind] + wide : CODE_LANE;
}

static Code float_code(OpKind kind, bool wide) {
    static const Code narrow[NUM_OP_KINDS] = {[OP_FADD] = CODE_FADD32,
                                              [OP_FSUB] = CODE_FSUB32,
                                              [OP_FMUL] = CODE_FMUL32,
                                              [OP_FDIV] = CODE_FDIV32};
    return !narrow[kind] ? CODE_LANE
           : wide        ? narrow[kind] + CODE_FADD64 - CODE_FADD32
                         : narrow[kind];
}

/* The quick way where there is one. */
static Code lane_code(const Op *op, int64_t *number) {
    const Type *type = op->operands[0]->type;
    int bits = type_bits(type);
    if (op->kind == OP_BITCAST || op->kind == OP_EXT_U || op->kind == OP_HINT) return CODE_MOVE;
    if (op->kind == OP_SELECT) return CODE_SELECT;
    if (op->kind == OP_EXT_S && bits > 1 && type_bits(op_result(op)->type) == 64) {
        *number = 64 - bits;
        return CODE_EXT_S;
    }
    if (op->kind == OP_ADDPTR) {
        *number = type_size_bytes(type->elem);
        int offset = type_bits(op->operands[1]->type);
        return offset == 64 ? CODE_ADDPTR64 : offset == 32 ? CODE_ADDPTR32 : CODE_LANE;
    }
    if (op->kind == OP_ICMP && bits >= 32) {
        *number = icmp_predicate(op);
        return bits == 64 ? CODE_ICMP64 : CODE_ICMP32;
    }
    if (type->kind == TYPE_F32 || type->kind == TYPE_F64)
        return float_code(op->kind, type->kind == TYPE_F64);
    return bits == 32 || bits == 64 ? int_code(op->kind, bits == 64) : CODE_LANE;
}

static void lane(Maker *m, const Op *op) {
    int64_t number = 0;
    Code code = lane_code(op, &number);
    Ins *ins = add(m, code, op);
    ins->number = number;
    ins->to = op_result(op)->id;
    ins->a = op->operands[0]->id;
    if (op->num_operands > 1) ins->b = op->operands[1]->id;
    if (op->num_operands > 2) ins->c = op->operands[2]->id;
}

/* ---- memory, calls ---- */

static void access(Maker *m, const Op *op) {
    bool loads = op->kind == OP_LOAD;
    Ins *ins = add(m, loads ? CODE_LOAD : CODE_STORE, op);
    const Type *type = loads ? op_result(op)->type : store_value(op)->type;
    ins->size = type_size_bytes(type);
    ins->a = access_pointer(op)->id;
    ins->last = &m->h->memory.nowhere;
    if (loads)
        ins->to = op_result(op)->id;
    else
        ins->b = store_value(op)->id;
}

static void call(Maker *m, const Op *op) {
    Ins *ins = add(m, CODE_CALL, op);
    if (op->num_results) ins->to = op_result(op)->id;
    if (call_launches(op)) return;
    ins->native = native_find(call_name(op));
    if (!ins->native)
        diag_refused(m->diag, op->span, "the function '%.*s' on the host", STR_ARG(call_name(op)));
}

static void constant(Maker *m, const Value *value, uint64_t bits) {
    if (value->id < m->h->program.num_slots) m->h->program.slots[value->id] = bits;
}

static void allocation(Maker *m, const Op *op) {
    Str name = op_result(op)->name;
    Range *range = memory_add(m->h, RANGE_VARIABLE, (uint64_t)alloc_bytes(op), name);
    if (range) constant(m, op_result(op), range->start);
}

static void one(Maker *m, const Op *op) {
    switch (op->kind) {
    case OP_CONSTANT: constant(m, op_result(op), constant_bits(op)); return;
    case OP_POISON: constant(m, op_result(op), 0); return;
    case OP_LOAD:
    case OP_STORE: access(m, op); return;
    case OP_CALL: call(m, op); return;
    case OP_IF: if_op(m, op); return;
    case OP_WHILE: while_op(m, op); return;
    case OP_ASSERT: add(m, CODE_ASSERT, op)->a = assert_condition(op)->id; return;
    case OP_ALLOC:
        if (alloc_space(op) == ALLOC_SHARED) break;
        allocation(m, op);
        return;
    case OP_YIELD:
    case OP_ASSUME: return;
#define LANE(kind, ...) case OP_##kind:
#include "ir/ops.def"
        lane(m, op);
        return;
#define SHAPE(kind, ...)  case OP_##kind:
#define ASYNC(kind, ...)  case OP_##kind:
#define ACROSS(kind, ...) case OP_##kind:
#include "ir/ops.def"
    case OP_ARANGE:
    case OP_PROGRAM_ID:
    case OP_NUM_PROGRAMS:
    case OP_RANK:
    case OP_THREAD_ID:
    case OP_ATOMIC_RMW:
    case OP_ATOMIC_CAS:
    case OP_BARRIER:
    case OP_MEET:
    case OP_STOW:
    case OP_FETCH:
    case OP_SHUFFLE:
    case OP_VOTE:
    case OP_ACTIVE:
    case OP_WARP_SYNC:
    case OP_FENCE:
    case OP_PRINTF:
    case OP_FOR:
    case OP_PRINT:
    case OP_CLOCK:
    case OP_INLINE_ASM:
    case NUM_OP_KINDS: break;
    }
    diag_refused(m->diag, op->span, "'%s' on the host: only a kernel has it",
                 op_info(op->kind)->name);
}

static void region(Maker *m, const Region *r) {
    for (const Op *op = r->first; op && !diag_failed(m->diag); op = op->next) one(m, op);
}

bool code_make(Host *h, const Func *fn, Diag *diag) {
    Program *p = &h->program;
    Maker m = {.h = h, .diag = diag, .num_slots = fn->num_values};
    p->num_slots = fn->num_values;
    p->slots = arena_array(h->arena, uint64_t, fn->num_values + 1);
    region(&m, fn->body);
    add(&m, CODE_END, NULL);
    p->slots = arena_grow(h->arena, p->slots, (size_t)(fn->num_values + 1) * sizeof *p->slots,
                          (size_t)(m.num_slots + 1) * sizeof *p->slots);
    p->num_slots = m.num_slots;
    p->code = m.code.data;
    p->count = m.code.count;
    return !diag_failed(diag);
}
