// SPDX-License-Identifier: Apache-2.0
/* memory: load, store and atomics. Before a lane is touched whose mask is set, it is checked to lie
 * within the buffer that its pointer comes from, where that is known, else within any of the
 * context, and what is read to have been written by somebody; the other lanes are not looked at. */
#include "device/interp/interp.h"

#include <stdio.h>
#include <stdlib.h>

/* Where in a stretch of memory an access may begin: `count` addresses. */
typedef struct Starts {
    uint64_t low, count;
} Starts;

static Starts starts_in(uint64_t low, size_t bytes, int size) {
    return (Starts){low, bytes < (size_t)size ? 0 : bytes - (size_t)size + 1};
}

static inline bool is_start(Starts starts, uint64_t address) {
    return address - starts.low < starts.count;
}

/* The access that is being made, and the buffer that the lane before it fell in. */
typedef struct Access {
    Program *p;
    const Op *op;
    int param;        /* whose buffer it is to be in; -1: any */
    int memory;       /* 1 + the alloc in whose memory it is to be; 0: any */
    const char *what; /* "load" */
    int size;         /* bytes of an element */
    bool reads, writes;
    bool is_watched;
    const Lanes *pointers, *mask; /* of as many lanes; mask NULL: all */
    Starts inside;                /* that buffer */
    unsigned char *written;       /* of it; NULL: not followed */
    Starts sure;                  /* the part of it in which nothing is left to check */
} Access;

static bool lane_is_on(const Access *access, int i) {
    if (!access->mask) return true;
    if (access->is_watched)
        watch_decides(access->p, access->op, access->mask, i, "is in the mask of this access");
    return access->mask->data[i] & 1;
}

static bool fits(Access *access, const DeviceRange *range, uint64_t address) {
    Starts inside = starts_in((uint64_t)(uintptr_t)range->base, range->size, access->size);
    if (!is_start(inside, address)) return false;
    access->inside = inside;
    access->written = range->written;
    return true;
}

/* Where it is known which argument the pointer comes from, only that one's buffer will do; likewise
 * memory of the program. */
static bool find_range(Access *access, uint64_t address) {
    const Launch *launch = access->p->launch;
    const Device *device = launch->device;
    const DeviceRange *memory = access->p->memory;
    if (access->memory) return fits(access, &memory[access->memory - 1], address);
    const DeviceRange *own =
        window_of_param(device, launch->loaded->kernel, launch->args, access->param);
    if (own) return fits(access, own, address);
    for (int i = 0; i < device->num_ranges; i++)
        if (fits(access, &device->ranges[i], address)) return true;
    for (int i = 0; i < launch->loaded->num_allocs; i++)
        if (memory && fits(access, &memory[i], address)) return true;
    return false;
}

static void say_lane(const Access *access, int lane) {
    char words[128];
    bool is_text = access->op->kind == OP_INLINE_ASM;
    const Type *type = is_text ? op_result(access->op)->type : access_pointer(access->op)->type;
    lane_words(access->p, type, lane, words, sizeof words);
    program_note(access->p, "%s", words);
}

/* The int32 that wrapped, where that is why. */
static void say_wrapped(const Access *access, int lane) {
    const Op *op;
    int64_t missed = access->pointers ? wide_missed(access->pointers, lane, access->size, &op) : 0;
    if (!missed) return;
    program_note(access->p,
                 "; an int32 on the way to the address wrapped (%s in line %d), without that it "
                 "were %lld elements further",
                 op_info(op->kind)->name, span_line(op->span), (long long)missed);
}

/* Of memory of the program: "load of 4 bytes 8 bytes after the end of 's', which has 64 bytes". */
static void say_memory(const Access *access, uint64_t address, bool outside, char *text,
                       size_t size) {
    const Op *op = access->p->launch->loaded->allocs[access->memory - 1];
    const DeviceRange *range = &access->p->memory[access->memory - 1];
    uint64_t start = (uint64_t)(uintptr_t)range->base;
    Str name = op_result(op)->name.length ? op_result(op)->name : STR("memory of the block");
    bool before = address < start;
    if (outside)
        snprintf(text, size, "%s of %d bytes outside '%.*s', which has %zu bytes: %llu bytes %s",
                 access->what, access->size, STR_ARG(name), range->size,
                 (unsigned long long)(before ? start - address : address - start),
                 before ? "before its start" : "after its start");
    else
        snprintf(text, size, "%s of %d bytes that nobody wrote: byte %llu of '%.*s'", access->what,
                 access->size, (unsigned long long)(address - start), STR_ARG(name));
}

static char *wrong(const Access *access, int lane, uint64_t address,
                   void (*say)(const WindowFault *fault, char *text, size_t size)) {
    const Launch *launch = access->p->launch;
    WindowFault fault = {.device = launch->device,
                         .kernel = launch->loaded->kernel,
                         .args = launch->args,
                         .param = access->param,
                         .what = access->what,
                         .address = address,
                         .bytes = access->size};
    char text[400];
    bool outside = say == window_say_outside;
    if (access->memory)
        say_memory(access, address, outside, text, sizeof text);
    else
        say(&fault, text, sizeof text);
    Failure *failure = &access->p->launch->failure;
    if (failure->status) return NULL;
    program_fail(access->p, TERN_ERROR_KERNEL, access->op->span, "%s", text);
    failure->kind = outside ? TERN_FOUND_OUTSIDE : TERN_FOUND_UNWRITTEN;
    say_lane(access, lane);
    say_wrapped(access, lane);
    return NULL;
}

/* Where all bytes round an access were written, as nearly all were, those next to it need no
 * look. */
static void note_sure(Access *access, size_t at) {
    uint64_t bits;
    size_t block = at & ~(size_t)63;
    memcpy(&bits, access->written + block / 8, sizeof bits);
    if (bits != UINT64_MAX) return;
    access->sure = starts_in(access->inside.low + block, 64, access->size);
}

static char *checked_memory(Access *access, int lane, uint64_t address) {
    char *memory = (char *)(uintptr_t)address;
    if (!is_start(access->inside, address) && !find_range(access, address))
        return access->p->launch->device->has_raw_pointers && address
                   ? memory
                   : wrong(access, lane, address, window_say_outside);
    access->sure = access->inside;
    if (!access->written) return memory;
    size_t at = (size_t)(address - access->inside.low);
    access->sure.count = 0;
    if (access->reads && !written_all(access->written, at, access->size))
        return wrong(access, lane, address, window_say_unwritten);
    if (access->writes) written_set(access->written, at, access->size);
    note_sure(access, at);
    return memory;
}

static void watch_lane(const Access *access, int i) {
    const Op *wrapped;
    int64_t missed = wide_missed(access->pointers, i, access->size, &wrapped);
    if (missed) watch_wrapped(access->p, access->op, i, missed, wrapped);
    watch_decides(access->p, access->op, access->pointers, i, "is in the address of this access");
}

/* The memory of one lane, NULL after failing. */
static inline char *lane_memory(Access *access, int i) {
    uint64_t address = ((const uint64_t *)(const void *)access->pointers->data)[i];
    if (access->is_watched) watch_lane(access, i);
    if (is_start(access->sure, address)) return (char *)(uintptr_t)address;
    return checked_memory(access, i, address);
}

uint64_t memory_get(const char *memory, int size) {
    uint64_t bits = 0;
    memcpy(&bits, memory, (size_t)size); /* little-endian, as all hosts of tern are */
    return bits;
}

void memory_put(Launch *launch, char *memory, int size, uint64_t bits) {
    if (memory_get(memory, size) == bits) return;
    memcpy(memory, &bits, (size_t)size);
    launch->version++;
    launch->idle_spins = 0;
}

static void memory_set(Access *access, char *memory, uint64_t bits) {
    memory_put(access->p->launch, memory, access->size, bits);
}

static Access access_of(Program *p, const Op *op, const char *what, const Lanes *pointers,
                        const Lanes *mask) {
    Access access = {.p = p, .op = op, .what = what, .is_watched = p->launch->watch != NULL};
    const Loaded *loaded = p->launch->loaded;
    access.param = loaded->params[access_pointer(op)->id];
    access.memory = loaded->memory ? loaded->memory[access_pointer(op)->id] : 0;
    access.size = type_size_bytes(type_lane(access_pointer(op)->type)->elem);
    access.pointers = pointers;
    access.mask = mask;
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
                results[i] = other ? (T)lane_get(other, i) : 0;                                    \
                continue;                                                                          \
            }                                                                                      \
            const char *memory = lane_memory(&access, i);                                          \
            if (!memory) return NULL;                                                              \
            if (access.is_watched) owner_read(p, op, i, memory, access.size);                      \
            memcpy(&results[i], memory, sizeof(T));                                                \
        }                                                                                          \
    } while (0)

Lanes *load_lanes(Program *p, const Op *op, const Lanes *pointers, const Lanes *mask,
                  const Lanes *other) {
    Access access = access_of(p, op, op_info(op->kind)->name, pointers, mask);
    access.reads = true;
    Lanes *out = lanes_new(p, pointers->count, access.size);
    if (!out) return NULL;
    switch (access.size) {
    case 1: LOAD_LOOP(uint8_t); break;
    case 2: LOAD_LOOP(uint16_t); break;
    case 4: LOAD_LOOP(uint32_t); break;
    default: LOAD_LOOP(uint64_t); break;
    }
    return !access.is_watched || watch_load(p, op, pointers, mask, other, out) ? out : NULL;
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
    access.writes = true;
    const Lanes *values = lanes_of(p, store_value(op));
    for (int i = 0; i < access.pointers->count; i++) {
        if (!lane_is_on(&access, i)) continue;
        char *memory = lane_memory(&access, i);
        if (!memory) return false;
        uint64_t bits = lane_get(values, i);
        if (access.is_watched)
            owner_write(p, op, i, memory, access.size, memory_get(memory, access.size) != bits);
        memory_set(&access, memory, bits);
    }
    if (access.is_watched) watch_written(p, op, values, access.mask);
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
    access.reads = access.writes = true;
    const Type *type = type_lane(op_result(op)->type);
    const Lanes *values = lanes_of(p, access_value(op));
    const Lanes *compares = is_cas ? lanes_of(p, atomic_cas_compare(op)) : NULL;
    Lanes *out = lanes_new(p, access.pointers->count, access.size);
    if (!out) return false;
    for (int i = 0; i < out->count; i++) {
        lane_set(out, i, 0);
        if (!lane_is_on(&access, i)) continue;
        char *memory = lane_memory(&access, i);
        if (!memory || is_misaligned(&access, i, memory)) return false;
        uint64_t old = memory_get(memory, access.size);
        uint64_t value = lane_get(values, i);
        lane_set(out, i, old);
        if (!is_cas)
            memory_set(&access, memory, rmw(op, type, old, value));
        else if (old == lane_get(compares, i))
            memory_set(&access, memory, value);
    }
    if (access.is_watched) watch_written(p, op, values, access.mask);
    slot_set(p, op_result(op), out);
    return true;
}

char *asm_memory(Program *p, const Op *op, const AsmAccess *wanted) {
    Access access = {.p = p,
                     .op = op,
                     .param = -1,
                     .what = wanted->what,
                     .size = wanted->size * wanted->count,
                     .reads = wanted->reads,
                     .writes = wanted->writes};
    char *memory = checked_memory(&access, wanted->lane, wanted->address);
    return memory && !is_misaligned(&access, wanted->lane, memory) ? memory : NULL;
}

/* ---- memory of the program ---- */

enum { MEMORY_ALIGN = 256 }; /* the most that the verifier takes */

/* Bits of `written` are read some words at a time: there are 8 bytes more of them. */

bool exec_alloc(Program *p, const Op *op) {
    const Loaded *loaded = p->launch->loaded;
    Lanes *address = lanes_new(p, 1, 8);
    if (!address) return false;
    slot_set(p, op_result(op), address);
    int k = 0;
    while (loaded->allocs[k] != op) k++;
    size_t bytes = (size_t)alloc_bytes(op), count = (size_t)loaded->num_allocs;
    if (!p->memory) p->memory = calloc(count, sizeof *p->memory);
    DeviceRange *range = p->memory ? &p->memory[k] : NULL;
    if (range)
        *range = (DeviceRange){.base = aligned_alloc(MEMORY_ALIGN, (bytes + MEMORY_ALIGN - 1) &
                                                                       ~(size_t)(MEMORY_ALIGN - 1)),
                               .size = bytes,
                               .written = calloc(bytes / 64 + 2, 8)};
    if (!range || !range->base || !range->written)
        return program_fail(p, TERN_ERROR_NO_MEMORY, op->span, "out of host memory");
    lane_set(address, 0, (uint64_t)(uintptr_t)range->base);
    return true;
}

void memory_release(Program *p) {
    for (int i = 0; p->memory && i < p->launch->loaded->num_allocs; i++) {
        free((void *)(uintptr_t)p->memory[i].base);
        free(p->memory[i].written);
    }
    free(p->memory);
    p->memory = NULL;
}

bool exec_memory(Program *p, const Op *op) {
    if (op->kind == OP_LOAD) return exec_load(p, op);
    if (op->kind == OP_STORE) return exec_store(p, op);
    return exec_atomic(p, op);
}
