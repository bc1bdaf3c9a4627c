// SPDX-License-Identifier: Apache-2.0
/* memory: load, store and atomics. Each lane whose mask is set is checked to lie within one
 * buffer of the context before it is touched; the others are not looked at. */
#include "device/interp/interp.h"

#include <stdio.h>

/* The access that is being made, and the buffer that the lane before it fell in. */
typedef struct Access {
    Program *p;
    const Op *op;
    const char *what;             /* "load" */
    int size;                     /* bytes of an element */
    const Lanes *pointers, *mask; /* mask NULL: all */
    int pointer_step, mask_step;
    const char *low, *high;
} Access;

static bool lane_is_on(const Access *access, int i) {
    return !access->mask || (access->mask->data[i * access->mask_step] & 1);
}

static bool find_range(Access *access, uint64_t address) {
    const Device *device = access->p->launch->device;
    for (int i = 0; i < device->num_ranges; i++) {
        uint64_t base = (uint64_t)(uintptr_t)device->ranges[i].base, size = device->ranges[i].size;
        if (address < base || address - base >= size) continue;
        if (size - (address - base) < (uint64_t)access->size) continue;
        access->low = device->ranges[i].base, access->high = access->low + size;
        return true;
    }
    return false;
}

static void say_lane(const Access *access, int lane) {
    const Type *type = access_pointer(access->op)->type;
    if (!type_is_tile(type)) return;
    int index[MAX_RANK];
    for (int i = type->rank - 1; i >= 0; i--)
        index[i] = lane % type->shape[i], lane /= type->shape[i];
    program_note(access->p, ", lane [");
    for (int i = 0; i < type->rank; i++) program_note(access->p, i ? ", %d" : "%d", index[i]);
    program_note(access->p, "]");
}

/* The pointer argument whose buffer is nearest to the address, and where the address is from it. */
static bool stray(Access *access, int lane, uint64_t address) {
    Program *p = access->p;
    const Launch *launch = p->launch;
    const Func *fn = launch->loaded->kernel->ir;
    const Param *nearest = NULL;
    uint64_t least = UINT64_MAX, start = 0, end = 0;
    for (int i = 0; i < fn->num_params; i++) {
        if (!type_is_ptr(fn->params[i].value->type)) continue;
        uint64_t pointer;
        memcpy(&pointer, launch->args[i], sizeof pointer);
        for (int k = 0; k < launch->device->num_ranges; k++) {
            uint64_t low = (uint64_t)(uintptr_t)launch->device->ranges[k].base;
            uint64_t high = low + launch->device->ranges[k].size;
            if (pointer < low || pointer > high) continue;
            uint64_t distance = address < low     ? low - address
                                : address >= high ? address - high
                                                  : 0;
            if (distance >= least) continue;
            nearest = &fn->params[i], least = distance, start = low, end = high;
        }
    }
    if (!nearest || least > (uint64_t)1 << 40)
        program_fail(p, TERN_ERROR_KERNEL, access->op->span,
                     "%s of %d bytes at address 0x%llx, which is in no buffer", access->what,
                     access->size, (unsigned long long)address);
    else
        program_fail(
            p, TERN_ERROR_KERNEL, access->op->span,
            "%s of %d bytes outside the buffer of '%.*s', which has %llu bytes: %llu bytes %s",
            access->what, access->size, STR_ARG(nearest->name), (unsigned long long)(end - start),
            (unsigned long long)(address < start ? start - address : address - start),
            address < start ? "before its start" : "after its start");
    say_lane(access, lane);
    return false;
}

/* The memory of one lane, NULL after failing. */
static inline char *lane_memory(Access *access, int i) {
    uint64_t address =
        ((const uint64_t *)(const void *)access->pointers->data)[i * access->pointer_step];
    char *memory = (char *)(uintptr_t)address;
    if (memory >= access->low && memory < access->high && access->high - memory >= access->size)
        return memory;
    if (find_range(access, address)) return memory;
    if (access->p->launch->device->has_raw_pointers && address) return memory;
    stray(access, i, address);
    return NULL;
}

static uint64_t memory_get(const char *memory, int size) {
    uint64_t bits = 0;
    memcpy(&bits, memory, (size_t)size); /* little-endian, as all hosts of tern are */
    return bits;
}

static void memory_set(Access *access, char *memory, uint64_t bits) {
    if (memory_get(memory, access->size) == bits) return;
    memcpy(memory, &bits, (size_t)access->size);
    access->p->launch->version++;
    access->p->launch->idle_spins = 0;
}

static Access access_of(Program *p, const Op *op, const char *what, const Lanes *pointers,
                        const Lanes *mask) {
    Access access = {.p = p, .op = op, .what = what};
    access.size = type_size_bytes(type_lane(access_pointer(op)->type)->elem);
    access.pointers = pointers;
    access.pointer_step = pointers->count > 1;
    access.mask = mask;
    access.mask_step = mask && mask->count > 1;
    return access;
}

static Access access_now(Program *p, const Op *op, const char *what) {
    return access_of(p, op, what, lanes_of(p, access_pointer(op)), lanes_of(p, access_mask(op)));
}

#define LOAD_LOOP(T)                                                                               \
    do {                                                                                           \
        T *results = (T *)(void *)out->data;                                                       \
        for (int i = 0; i < out->count; i++) {                                                     \
            if (!lane_is_on(&access, i)) {                                                         \
                results[i] = other ? (T)lane_get(other, i * other_step) : 0;                       \
                continue;                                                                          \
            }                                                                                      \
            const char *memory = lane_memory(&access, i);                                          \
            if (!memory) goto failed;                                                              \
            memcpy(&results[i], memory, sizeof(T));                                                \
        }                                                                                          \
    } while (0)

Lanes *load_lanes(Program *p, const Op *op, const Lanes *pointers, const Lanes *mask,
                  const Lanes *other) {
    Access access = access_of(p, op, op_info(op->kind)->name, pointers, mask);
    int other_step = other && other->count > 1;
    Lanes *out = lanes_new(p, pointers->count, access.size);
    if (!out) return NULL;
    switch (access.size) {
    case 1: LOAD_LOOP(uint8_t); break;
    case 2: LOAD_LOOP(uint16_t); break;
    case 4: LOAD_LOOP(uint32_t); break;
    default: LOAD_LOOP(uint64_t); break;
    }
    return out;
failed:
    lanes_release(p->launch, out);
    return NULL;
}

static bool exec_load(Program *p, const Op *op) {
    Lanes *out = load_lanes(p, op, lanes_of(p, load_pointer(op)), lanes_of(p, load_mask(op)),
                            lanes_of(p, load_other(op)));
    if (!out) return false;
    if (type_is_bool(op_result(op)->type))
        for (int i = 0; i < out->count; i++) out->data[i] = out->data[i] != 0;
    slot_set(p, op_result(op), out);
    return true;
}

static bool exec_store(Program *p, const Op *op) {
    Access access = access_now(p, op, "store");
    const Lanes *values = lanes_of(p, store_value(op));
    int step = values->count > 1;
    for (int i = 0; i < access.pointers->count; i++) {
        if (!lane_is_on(&access, i)) continue;
        char *memory = lane_memory(&access, i);
        if (!memory) return false;
        memory_set(&access, memory, lane_get(values, i * step));
    }
    return true;
}

/* What an atomic writes: the meaning of a plain op of the IR on the element's type. */
static uint64_t rmw(const Op *op, const Type *type, uint64_t old, uint64_t value) {
    static const OpKind kinds[] = {
        [RMW_ADD] = OP_ADD,     [RMW_FADD] = OP_FADD,   [RMW_AND] = OP_AND,
        [RMW_OR] = OP_OR,       [RMW_XOR] = OP_XOR,     [RMW_XCHG] = OP_ADD,
        [RMW_MAX_S] = OP_MAX_S, [RMW_MIN_S] = OP_MIN_S, [RMW_MAX_U] = OP_MAX_U,
        [RMW_MIN_U] = OP_MIN_U,
    };
    int64_t kind = atomic_rmw_kind(op);
    if (kind == RMW_XCHG) return value;
    Value left = {.type = type}, right = {.type = type}, result = {.type = type};
    Value *operands[] = {&left, &right};
    Op plain = {.kind = kinds[kind],
                .num_operands = 2,
                .operands = operands,
                .num_results = 1,
                .results = &result};
    return lane_eval(&plain, (uint64_t[]){old, value});
}

static bool is_misaligned(Access *access, int lane, const char *memory) {
    if ((uintptr_t)memory % (uintptr_t)access->size == 0) return false;
    program_fail(access->p, TERN_ERROR_KERNEL, access->op->span,
                 "%s at address 0x%llx, which is not a multiple of its %d bytes", access->what,
                 (unsigned long long)(uintptr_t)memory, access->size);
    say_lane(access, lane);
    return true;
}

static bool exec_atomic(Program *p, const Op *op) {
    bool is_cas = op->kind == OP_ATOMIC_CAS;
    Access access = access_now(p, op, "atomic");
    const Type *type = type_lane(op_result(op)->type);
    const Lanes *values = lanes_of(p, access_value(op));
    const Lanes *compares = is_cas ? lanes_of(p, atomic_cas_compare(op)) : NULL;
    Lanes *out = lanes_new(p, access.pointers->count, access.size);
    if (!out) return false;
    for (int i = 0; i < out->count; i++) {
        lane_set(out, i, 0);
        if (!lane_is_on(&access, i)) continue;
        char *memory = lane_memory(&access, i);
        if (!memory || is_misaligned(&access, i, memory)) {
            lanes_release(p->launch, out);
            return false;
        }
        uint64_t old = memory_get(memory, access.size);
        uint64_t value = lane_get(values, values->count > 1 ? i : 0);
        lane_set(out, i, old);
        if (!is_cas)
            memory_set(&access, memory, rmw(op, type, old, value));
        else if (old == lane_get(compares, compares->count > 1 ? i : 0))
            memory_set(&access, memory, value);
    }
    slot_set(p, op_result(op), out);
    return true;
}

bool exec_memory(Program *p, const Op *op) {
    if (op->kind == OP_LOAD) return exec_load(p, op);
    if (op->kind == OP_STORE) return exec_store(p, op);
    return exec_atomic(p, op);
}
