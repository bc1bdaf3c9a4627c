// SPDX-License-Identifier: Apache-2.0
/* run: executes instructions. What eval_lane says is what arithmetic means; the rows here are those
 * of it that loops are made of, as the same text of ops.def for 32 and 64 bits. */
#include "host/host.h"

#include <math.h>

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UWide;

static uint64_t by_lane(const Ins *ins, const uint64_t *slots) {
    uint64_t in[3] = {slots[ins->a], slots[ins->b], slots[ins->c]}, out = 0;
    if (!eval_lane(ins->op, in, &out)) BUG("'%s' is no lane", op_info(ins->op->kind)->name);
    return out;
}

/* Where an access goes: most go where the last one did. */
static inline char *reached(Host *h, Ins *ins, uint64_t address, bool writes) {
    const Range *last = ins->last;
    uint64_t size = (uint64_t)ins->size, offset = address - last->start;
    if (last->is_open && offset < last->size && size <= last->size - offset)
        return (char *)(uintptr_t)address;
    h->now = ins;
    return memory_at(h, address, size, writes, &ins->last);
}

static bool load(Host *h, Ins *ins, uint64_t *slots) {
    const char *from = reached(h, ins, slots[ins->a], false);
    if (!from) return false;
    uint64_t bits = 0;
    switch (ins->size) {
    case 1: bits = *(const uint8_t *)from; break;
    case 2: memcpy(&bits, from, 2); break;
    case 4: memcpy(&bits, from, 4); break;
    default: memcpy(&bits, from, 8); break;
    }
    if (type_is_bool(op_result(ins->op)->type)) bits = bits != 0;
    slots[ins->to] = bits;
    return true;
}

static bool store(Host *h, Ins *ins, const uint64_t *slots) {
    char *to = reached(h, ins, slots[ins->a], true);
    if (!to) return false;
    uint64_t bits = slots[ins->b];
    switch (ins->size) {
    case 1: memcpy(to, &bits, 1); break;
    case 2: memcpy(to, &bits, 2); break;
    case 4: memcpy(to, &bits, 4); break;
    default: memcpy(to, &bits, 8); break;
    }
    return true;
}

static bool call(Host *h, const Ins *ins, uint64_t *slots) {
    enum { MOST = 2048 };
    uint64_t args[MOST];
    Call call = {.op = ins->op, .count = ins->op->num_operands, .args = args};
    h->now = ins;
    if (call.count > MOST) return host_fail(h, "a call with more than %d arguments", MOST);
    for (int i = 0; i < call.count; i++) args[i] = slots[ins->op->operands[i]->id];
    bool goes_on = ins->native ? ins->native->run(h, &call) : launch(h, &call);
    if (ins->op->num_results) slots[ins->to] = call.result;
    return goes_on && !h->has_ended;
}

static bool asserted(Host *h, const Ins *ins, uint64_t holds) {
    h->now = ins;
    return holds || host_fail(h, "assertion '%.*s' failed", STR_ARG(assert_text(ins->op)));
}

static float as_single(uint64_t bits) {
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

/* Of what an op makes: a NaN is the quiet one, as eval_lane has it. */
static uint64_t single_made(float value) {
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return isnan(value) ? 0x7fc00000 : word;
}

static uint64_t double_made(double value) {
    return isnan(value) ? 0x7ff8000000000000 : double_bits(value);
}

static bool is_stopped(Host *h, const Ins *ins) {
    h->now = ins;
    return h->context->device.stop && !host_fail(h, "the program was interrupted");
}

bool run(Host *h) {
    uint64_t *r = h->program.slots;
    Ins *code = h->program.code;
#define SINGLE(op) single_made(as_single(r[i->a]) op as_single(r[i->b]))
#define DOUBLE(op) double_made(bits_double(r[i->a]) op bits_double(r[i->b]))
    for (Ins *i = code;; i++) {
        switch (i->code) {
        case CODE_LANE: r[i->to] = by_lane(i, r); break;
        case CODE_MOVE: r[i->to] = r[i->a]; break;
        case CODE_JUMP:
            if (code + i->number <= i && is_stopped(h, i)) return false;
            i = code + i->number - 1;
            break;
        case CODE_JUMP_IF_NOT:
            if (!r[i->a]) i = code + i->number - 1;
            break;
        case CODE_LOAD:
            if (!load(h, i, r)) return false;
            break;
        case CODE_STORE:
            if (!store(h, i, r)) return false;
            break;
        case CODE_ADDPTR32:
            r[i->to] = r[i->a] + (uint64_t)((int64_t)(int32_t)r[i->b] * i->number);
            break;
        case CODE_ADDPTR64: r[i->to] = r[i->a] + r[i->b] * (uint64_t)i->number; break;
        case CODE_ICMP32:
            r[i->to] = icmp_holds(i->number, r[i->a], r[i->b], (int32_t)r[i->a], (int32_t)r[i->b]);
            break;
        case CODE_ICMP64:
            r[i->to] = icmp_holds(i->number, r[i->a], r[i->b], (int64_t)r[i->a], (int64_t)r[i->b]);
            break;
        case CODE_SELECT: r[i->to] = r[i->a] ? r[i->b] : r[i->c]; break;
        case CODE_EXT_S: r[i->to] = (uint64_t)((int64_t)(r[i->a] << i->number) >> i->number); break;
        case CODE_FADD32: r[i->to] = SINGLE(+); break;
        case CODE_FSUB32: r[i->to] = SINGLE(-); break;
        case CODE_FMUL32: r[i->to] = SINGLE(*); break;
        case CODE_FDIV32: r[i->to] = SINGLE(/); break;
        case CODE_FADD64: r[i->to] = DOUBLE(+); break;
        case CODE_FSUB64: r[i->to] = DOUBLE(-); break;
        case CODE_FMUL64: r[i->to] = DOUBLE(*); break;
        case CODE_FDIV64: r[i->to] = DOUBLE(/); break;
        case CODE_CALL:
            if (!call(h, i, r)) return false;
            break;
        case CODE_ASSERT:
            if (!asserted(h, i, r[i->a])) return false;
            break;
        case CODE_END: return true;
#define INT(row, text, operands, traits, meaning, form, lane)                                      \
    case CODE_I32_##row: {                                                                         \
        typedef uint32_t U;                                                                        \
        typedef int64_t L;                                                                         \
        typedef uint64_t UL;                                                                       \
        const U a = (U)r[i->a], b = (U)r[i->b], width = 32;                                        \
        const int32_t sa = (int32_t)a, sb = (int32_t)b;                                            \
        (void)width, (void)sa, (void)sb, (void)b, (void)(L)0, (void)(UL)0;                         \
        r[i->to] = (U)(lane);                                                                      \
        break;                                                                                     \
    }                                                                                              \
    case CODE_I64_##row: {                                                                         \
        typedef uint64_t U;                                                                        \
        typedef int64_t L;                                                                         \
        typedef uint64_t UL;                                                                       \
        const U a = r[i->a], b = r[i->b], width = 64;                                              \
        const int64_t sa = (int64_t)a, sb = (int64_t)b;                                            \
        (void)width, (void)sa, (void)sb, (void)b, (void)(L)0, (void)(UL)0;                         \
        r[i->to] = (U)(lane);                                                                      \
        break;                                                                                     \
    }
#include "ir/ops.def"
        }
    }
#undef SINGLE
#undef DOUBLE
}
