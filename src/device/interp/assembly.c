// SPDX-License-Identifier: Apache-2.0
/* assembly: inline PTX, run for one pack of lanes after the other. What an instruction means is
 * isa.def's; memory is checked as that of load and store is, but for whose buffer it must be: the
 * text does not say which address comes from which pointer. */
#include "gen/ptx/inline.h"

#include "device/interp/interp.h"

typedef struct Run {
    Program *p;
    const Op *op;
    const PtxProgram *program;
    uint64_t *registers; /* by place, then predicates */
    int lane;            /* the first of the pack */
} Run;

static uint64_t *register_at(const Run *run, int32_t place, bool predicate) {
    return &run->registers[place + (predicate ? run->program->num_places : 0)];
}

static uint64_t get(const Run *run, const Ins *ins, int k, bool wide) {
    int32_t place = ins->operands[k];
    if (place >= 0) return *register_at(run, place, ins->predicate_operands >> k & 1);
    const uint32_t *words = run->program->constants.data + (size_t)(-1 - place) * LANES;
    return wide ? words[0] | (uint64_t)words[1] << 32 : words[0];
}

static void run_row(const Run *run, const Ins *ins, const PtxRow *row) {
    uint64_t args[MOST_LANE_OPERANDS] = {0};
    for (int k = 0; k < ins->num_operands; k++)
        args[k] = get(run, ins, k, ptx_type_class((PtxType)row->types[1 + k]) == CLASS_B64);
    *register_at(run, ins->results[0], row->types[0] == PTX_pred) =
        ptx_meaning((TirOp)ins->op, args);
}

static void run_special(const Run *run, const Ins *ins) {
    const Program *p = run->p;
    uint64_t *to = register_at(run, ins->results[0], false);
    int kind = ins->kind;
    if (kind >= SPECIAL_CTAID_X && kind <= SPECIAL_CTAID_Z)
        *to = p->id[kind - SPECIAL_CTAID_X];
    else if (kind >= SPECIAL_NCTAID_X && kind <= SPECIAL_NCTAID_Z)
        *to = p->launch->grid[kind - SPECIAL_NCTAID_X];
    else if (kind == SPECIAL_SM)
        *to = 0;
    else if (kind == SPECIAL_TIMER_HIGH)
        *to = (uint64_t)clock_ns() >> 32;
    else if (kind == SPECIAL_CLOCK64 || kind == SPECIAL_TIMER)
        *to = (uint64_t)clock_ns();
    else
        *to = (uint32_t)clock_ns();
}

static void run_move(const Run *run, const Ins *ins) {
    int bits = ins->op == SIM_UNPACK32 ? 32 : ins->op == SIM_UNPACK16 ? 16 : 8;
    uint64_t from = get(run, ins, 0, bits == 32);
    if (ins->op == SIM_PACK8) {
        from = 0;
        for (int k = 0; k < ins->num_operands; k++)
            from |= (get(run, ins, k, false) & 255) << (8 * k);
        *register_at(run, ins->results[0], false) = from;
        return;
    }
    for (int k = 0; k < ins->num_results; k++)
        *register_at(run, ins->results[k], false) = from >> (bits * k) & ((1ull << bits) - 1);
}

static uint64_t loaded(const Ins *ins, uint64_t bits) {
    if (!ins->sign_extends) return bits;
    return (uint32_t)(ins->bytes == 1 ? (int32_t)(int8_t)bits : (int32_t)(int16_t)bits);
}

static bool run_memory(const Run *run, const Ins *ins) {
    AsmAccess access = {.what = ins->op == SIM_LOAD    ? "load"
                                : ins->op == SIM_STORE ? "store"
                                                       : "atomic",
                        .reads = ins->op != SIM_STORE,
                        .writes = ins->op != SIM_LOAD,
                        .address = get(run, ins, 0, true) + (uint64_t)ins->offset,
                        .size = ins->bytes,
                        .count = ins->count,
                        .lane = run->lane};
    bool wide = ins->bytes == 8;
    char *memory = asm_memory(run->p, run->op, &access);
    if (!memory) return false;
    uint64_t values[16]; /* before the first result, whose register may be one of theirs */
    for (int k = 0; k < ins->count && ins->op == SIM_ATOMIC; k++)
        values[k] = get(run, ins, 1 + k, wide);
    for (int k = 0; k < ins->count; k++, memory += ins->bytes) {
        uint64_t old = memory_get(memory, ins->bytes), new = old;
        if (ins->op == SIM_LOAD)
            *register_at(run, ins->results[k], false) = loaded(ins, old);
        else if (ins->op == SIM_STORE)
            new = get(run, ins, 1 + k, wide);
        else {
            uint64_t mask = wide ? UINT64_MAX : (1ull << (8 * ins->bytes)) - 1;
            new = ptx_atomic_value((PtxAtomic)ins->kind, ins->number, ins->bytes, old,
                                   values[k] & mask,
                                   ins->kind == ATOMIC_CAS ? get(run, ins, 2, wide) & mask : 0);
            if (ins->num_results) *register_at(run, ins->results[k], false) = old;
        }
        if (access.writes) memory_put(run->p->launch, memory, ins->bytes, new);
    }
    return true;
}

static bool run_ins(const Run *run, const Ins *ins, int *pc) {
    if (ins->guard != NO_OPERAND && (*register_at(run, ins->guard, true) != 0) == ins->negated)
        return true;
    const PtxRow *row = ins_row(ins);
    if (row) {
        run_row(run, ins, row);
        return true;
    }
    switch ((SimOp)ins->op) {
    case SIM_SPECIAL: run_special(run, ins); return true;
    case SIM_PACK8:
    case SIM_UNPACK8:
    case SIM_UNPACK16:
    case SIM_UNPACK32: run_move(run, ins); return true;
    case SIM_LOAD:
    case SIM_STORE:
    case SIM_ATOMIC: return run_memory(run, ins);
    case SIM_BRANCH: {
        bool back = ins->offset < *pc;
        *pc = (int)ins->offset;
        if (!back) return true;
        /* Others get a turn where a loop waits. */
        return is_in_time(run->p, run->op) && program_wait(run->p, run->op->span, false, 0);
    }
    case SIM_FENCE: /* the lanes of a program run in step, programs one at a time */
    case SIM_BARRIER:
    case SIM_WARP_SYNC:
    case SIM_END: return true;
    case SIM_LOAD_PARAM:
    case SIM_PRINT:
    case SIM_ASSERT:
    case SIM_RETURN:
    case SIM_TRAP:
    case SIM_REGISTERS:
    case SIM_CLUSTER_ADDRESS:
    case SIM_CLUSTER:
    case SIM_COPIES:
    case SIM_ACROSS: break;
    }
    BUG("read where there is no GPU");
}

static bool run_pack(const Run *run) {
    const PtxProgram *program = run->program;
    for (int pc = 0; pc < program->code.count;) {
        const Ins *ins = &program->code.data[pc++];
        if (!run_ins(run, ins, &pc)) return false;
    }
    return true;
}

/* The lanes from run->lane on, into registers: `each` of them in one. */
static void take_lanes(const Run *run, const InlineAsm *read, const AsmOperand *operand) {
    const Lanes *lanes = run->p->slots[operand->value->id];
    int bits = type_bits(operand->lane);
    for (int j = 0; j < read->pack; j++) {
        int lane = run->lane + j < lanes->count ? run->lane + j : lanes->count - 1;
        *register_at(run, read->at[operand->first + j / operand->each].place, false) |=
            lane_get(lanes, lane) << (j % operand->each * bits);
    }
}

static void give_lanes(const Run *run, const InlineAsm *read, const AsmOperand *operand,
                       Lanes *out) {
    int bits = type_bits(operand->lane);
    for (int j = 0; j < read->pack && run->lane + j < out->count; j++)
        lane_set(out, run->lane + j,
                 *register_at(run, read->at[operand->first + j / operand->each].place, false) >>
                     (j % operand->each * bits));
}

bool exec_assembly(Program *p, const Node *node) {
    const InlineAsm *read = node->assembly;
    const Op *op = node->op;
    int count = op_result(op)->type->lanes,
        words = read->program->num_places + read->program->num_predicates;
    Lanes *registers = lanes_new(p, words + 1, 8);
    if (!registers) return false;
    Run run = {.p = p, .op = op, .program = read->program};
    run.registers = (uint64_t *)(void *)registers->data;
    bool fine = true;
    for (int i = 0; i < read->num_results && fine; i++) {
        Lanes *out = lanes_new(p, count, type_size_bytes(read->operands[i].lane));
        fine = out != NULL;
        if (fine) slot_set(p, read->operands[i].value, out);
    }
    for (run.lane = 0; run.lane < count && fine; run.lane += read->pack) {
        memset(run.registers, 0, (size_t)words * sizeof *run.registers);
        for (int i = read->num_results; i < read->num_operands; i++)
            if (read->operands[i].letter != 'n') take_lanes(&run, read, &read->operands[i]);
        fine = run_pack(&run);
        for (int i = 0; i < read->num_results && fine; i++)
            give_lanes(&run, read, &read->operands[i], p->slots[read->operands[i].value->id]);
    }
    lanes_release(p->launch, registers);
    return fine;
}
