// SPDX-License-Identifier: Apache-2.0
/* memory: loads, stores and atomics of one warp. Each lane's access is checked before it is made:
 * is it aligned, does it lie inside one buffer (or the block's shared, or the thread's local
 * memory), was what it reads ever written (shared and local memory), and is it ordered with what
 * others did there (race.c). */
#include "device/sim/access.h"
#include "gen/ptx/number.h"

static uint64_t load_bits(const unsigned char *memory, int bytes) {
    uint64_t bits = 0;
    memcpy(&bits, memory, (size_t)bytes); /* little-endian, as all hosts of tern are */
    return bits;
}

/* ---- where is it? ---- */

static const SimSymbol *global_symbol(const Machine *m, uint64_t address, int bytes) {
    for (int i = 0; i < m->program->symbols.count; i++) {
        const SimSymbol *symbol = &m->program->symbols.data[i];
        if (symbol->space != SPACE_GLOBAL || address < symbol->address) continue;
        if (address - symbol->address <= symbol->size &&
            symbol->size - (address - symbol->address) >= (uint64_t)bytes)
            return symbol;
    }
    return NULL;
}

static bool wrong(const Access *a, int lane, uint64_t address,
                  void (*say)(const WindowFault *fault, char *text, size_t size)) {
    Machine *m = a->m;
    WindowFault fault = {.device = m->device,
                         .kernel = m->program->kernel,
                         .args = m->args,
                         .param = -1,
                         .what = a->what,
                         .address = address,
                         .bytes = a->bytes};
    char text[400];
    say(&fault, text, sizeof text);
    sim_fail(m, a->w, a->ins, lane, "%s", text);
    return sim_fail_kind(m, say == window_say_outside ? TERN_FOUND_OUTSIDE : TERN_FOUND_UNWRITTEN);
}

static bool fits(const DeviceRange *range, uint64_t address, int bytes) {
    uint64_t base = (uint64_t)(uintptr_t)range->base;
    return address >= base && address - base < range->size &&
           range->size - (address - base) >= (uint64_t)bytes;
}

static bool find_global(const Access *a, int lane, uint64_t address, Spot *spot) {
    Machine *m = a->m;
    *spot = (Spot){.memory = (unsigned char *)(uintptr_t)address, .space = SPACE_GLOBAL};
    for (int i = 0; i < m->device->num_ranges; i++) {
        if (m->buffer && fits(m->buffer, address, a->bytes)) break;
        m->buffer = &m->device->ranges[i];
    }
    if (m->buffer && fits(m->buffer, address, a->bytes)) {
        spot->written = m->buffer->written;
        spot->at = (size_t)(address - (uint64_t)(uintptr_t)m->buffer->base);
        return true;
    }
    if (m->device->has_raw_pointers && address) return true;
    const SimSymbol *symbol = global_symbol(m, address, a->bytes);
    if (symbol && (!a->writes || symbol->is_writable)) return true;
    return wrong(a, lane, address, window_say_outside);
}

static bool windowed(const Access *a, int lane, PtxSpace space, uint64_t address, Cta *block,
                     Spot *spot) {
    const PtxProgram *program = a->m->program;
    bool shared = space == SPACE_SHARED;
    uint64_t size = (uint64_t)(shared ? program->shared_bytes : program->local_bytes),
             base = shared ? SHARED_BASE : 0;
    if (address < base || address - base > size || size - (address - base) < (uint64_t)a->bytes)
        return sim_fail(a->m, a->w, a->ins, lane,
                        "%s of %d bytes outside %s memory, which has %llu bytes: at byte %lld",
                        a->what, a->bytes, shared ? "shared" : "local", (unsigned long long)size,
                        (long long)(address - base));
    uint64_t offset = address - base;
    uint64_t place = shared ? offset : (uint64_t)lane * size + offset;
    *spot = (Spot){.memory = (shared ? block->shared : a->w->local) + place,
                   .set = (shared ? block->shared_set : a->w->local_set) + place,
                   .space = space,
                   .offset = offset,
                   .block = block};
    return true;
}

/* Checks all but the value; false after failing. */
bool access_find(const Access *a, int lane, uint64_t address, Spot *spot) {
    const Ins *ins = a->ins;
    if (address & (uint64_t)(a->bytes - 1))
        return sim_fail(a->m, a->w, ins, lane,
                        "%s of %d bytes at address 0x%llx, which is not a multiple of that",
                        a->what, a->bytes, (unsigned long long)address);
    PtxSpace space = a->space;
    if (space == SPACE_GENERIC) {
        uint64_t window = address & WINDOW_MASK;
        space = window == SHARED_WINDOW  ? SPACE_SHARED
                : window == LOCAL_WINDOW ? SPACE_LOCAL
                                         : SPACE_GLOBAL;
        if (space != SPACE_GLOBAL) address &= ~WINDOW_MASK;
    }
    Cta *block = a->w->block;
    if (space == SPACE_CLUSTER) {
        if (!cluster_find(a->m, a->w, ins, lane, &address, &block)) return false;
        space = SPACE_SHARED;
    }
    if (space != SPACE_GLOBAL) return windowed(a, lane, space, address, block, spot);
    return find_global(a, lane, address, spot);
}

static bool is_barrier(const Access *a, int lane, const Spot *spot) {
    return sim_fail(a->m, a->w, a->ins, lane,
                    "%s of shared memory that is of an mbarrier: byte %llu", a->what,
                    (unsigned long long)spot->offset);
}

bool access_check_coming(const Access *a, int lane, const Spot *spot) {
    for (int i = 0; i < a->bytes; i++)
        if (spot->set[i] == BYTE_BARRIER)
            return is_barrier(a, lane, spot);
        else if (spot->set[i] == BYTE_SENT)
            return sim_fail(a->m, a->w, a->ins, lane,
                            "%s of shared memory to which an st.async is under way: byte %llu",
                            a->what, (unsigned long long)spot->offset + (unsigned long long)i);
        else if (spot->set[i] == BYTE_COMING)
            return sim_fail(a->m, a->w, a->ins, lane,
                            "%s of shared memory to which a cp.async is under way that was not "
                            "waited for: byte %llu",
                            a->what, (unsigned long long)spot->offset + (unsigned long long)i);
    return true;
}

bool access_check_set(const Access *a, int lane, const Spot *spot) {
    if (!spot->set)
        return !spot->written || written_all(spot->written, spot->at, a->bytes) ||
               wrong(a, lane, (uint64_t)(uintptr_t)spot->memory, window_say_unwritten);
    for (int i = 0; i < a->bytes; i++) {
        if (spot->set[i] == BYTE_SET) continue;
        if (spot->set[i] >= BYTE_COMING) return access_check_coming(a, lane, spot);
        return sim_fail(a->m, a->w, a->ins, lane, "%s of %s memory that nobody wrote: byte %llu",
                        a->what, spot->space == SPACE_SHARED ? "shared" : "local",
                        (unsigned long long)spot->offset + (unsigned long long)i);
    }
    return true;
}

bool access_check_race(const Access *a, int lane, const Spot *spot, bool writes) {
    if (spot->space == SPACE_LOCAL) return true;
    bool atomic = a->atomic || a->ins->is_volatile;
    if (spot->space == SPACE_SHARED)
        return race_shared(a->m, a->w, a->ins, lane, spot->block, (uint32_t)spot->offset, a->bytes,
                           writes, atomic);
    return race_global(a->m, a->w, a->ins, lane, (uint64_t)(uintptr_t)spot->memory, a->bytes,
                       writes, atomic);
}

/* ---- loads and stores ---- */

/* An access that others may wait for; false: no memory. */
static bool synchronise(const Access *a, const Spot *spot) {
    const Ins *ins = a->ins;
    bool may = ins->acquires || ins->releases || a->m->program->has_fences;
    if (!may || spot->space != SPACE_GLOBAL || !(a->atomic || ins->is_volatile)) return true;
    return race_sync(a->m, a->w, ins, (uint64_t)(uintptr_t)spot->memory);
}

static bool load_lane(const Access *a, int lane, uint64_t address) {
    const Ins *ins = a->ins;
    Spot spot;
    if (!access_find(a, lane, address, &spot)) return false;
    if (!access_check_set(a, lane, &spot)) return false;
    if (!access_check_race(a, lane, &spot, false)) return false;
    for (int i = 0; i < ins->count; i++) {
        uint64_t bits = load_bits(spot.memory + i * ins->bytes, ins->bytes);
        uint32_t *to = a->w->places + (size_t)ins->results[i] * LANES;
        if (ins->sign_extends)
            bits = ins->bytes == 1 ? (uint64_t)(int64_t)(int8_t)bits
                                   : (uint64_t)(int64_t)(int16_t)bits;
        if (ins->bytes == 8)
            put_wide(to, lane, bits);
        else
            to[lane] = (uint32_t)bits;
    }
    return synchronise(a, &spot);
}

static bool store_lane(const Access *a, int lane, uint64_t address) {
    const Ins *ins = a->ins;
    unsigned char bytes[16];
    Spot spot;
    if (!access_find(a, lane, address, &spot)) return false;
    for (int i = 0; i < ins->count; i++) {
        const uint32_t *from = source_of(a->m, a->w, ins->operands[1 + i]);
        uint64_t bits = ins->bytes == 8 ? get_wide(from, lane) : from[lane];
        memcpy(bytes + i * ins->bytes, &bits, ins->bytes);
    }
    bool same = memcmp(spot.memory, bytes, (size_t)a->bytes) == 0;
    if (spot.set) {
        if (!access_check_coming(a, lane, &spot)) return false;
        memset(spot.set, BYTE_SET, (size_t)a->bytes);
        if (spot.space == SPACE_SHARED) sim_proxy_wrote(a->w, spot.offset, a->bytes, false);
    }
    if (spot.written) written_set(spot.written, spot.at, a->bytes);
    if (!synchronise(a, &spot)) return false;
    /* Global memory that gets what it already has: who came first cannot be seen. */
    if (same && spot.space == SPACE_GLOBAL) return true;
    if (!access_check_race(a, lane, &spot, true)) return false;
    if (same) return true;
    memcpy(spot.memory, bytes, (size_t)a->bytes);
    a->m->version++;
    return true;
}

/* ---- atomics ---- */

static uint64_t operand_bits(const Access *a, int index, int lane) {
    const uint32_t *from = source_of(a->m, a->w, a->ins->operands[index]);
    int bytes = a->ins->bytes;
    return bytes == 8 ? get_wide(from, lane) : bytes == 4 ? from[lane] : from[lane] & 0xffff;
}

/* One element; a vector's are atomic each for itself. */
static void atomic_element(const Access *a, int lane, const Spot *spot, uint64_t operand,
                           int element) {
    const Ins *ins = a->ins;
    int bytes = ins->bytes;
    unsigned char *memory = spot->memory + element * bytes;
    uint64_t mask = bytes == 8 ? UINT64_MAX : (1ull << (8 * bytes)) - 1;
    uint64_t old = load_bits(memory, bytes), swap = 0;
    if (ins->kind == ATOMIC_CAS) swap = operand_bits(a, 2, lane);
    uint64_t value =
        ptx_atomic_value((PtxAtomic)ins->kind, ins->number, ins->bytes, old, operand, swap) & mask;
    if (value != old) {
        memcpy(memory, &value, (size_t)bytes);
        a->m->version++;
    }
    if (!ins->num_results) return;
    uint32_t *to = a->w->places + (size_t)ins->results[element] * LANES;
    if (bytes == 8)
        put_wide(to, lane, old);
    else
        to[lane] = (uint32_t)old;
}

static bool atomic_lane(const Access *a, int lane, uint64_t address) {
    const Ins *ins = a->ins;
    Spot spot;
    if (!access_find(a, lane, address, &spot)) return false;
    if (!access_check_set(a, lane, &spot)) return false;
    if (!access_check_race(a, lane, &spot, true)) return false;
    if (spot.space == SPACE_SHARED) sim_proxy_wrote(a->w, spot.offset, a->bytes, false);
    uint64_t operands[8]; /* before the first result, whose register may be one of theirs */
    for (int i = 0; i < ins->count; i++) operands[i] = operand_bits(a, 1 + i, lane);
    for (int i = 0; i < ins->count; i++) atomic_element(a, lane, &spot, operands[i], i);
    return synchronise(a, &spot);
}

/* ---- a warp's access ---- */

void access_addresses(const Machine *m, const Warp *w, int32_t operand, bool wide, int64_t offset,
                      uint64_t *addresses) {
    const uint32_t *from = source_of(m, w, operand);
    for (int i = 0; i < LANES; i++)
        addresses[i] =
            wide ? get_wide(from, i) + (uint64_t)offset : (uint32_t)(from[i] + (uint32_t)offset);
}

static bool count(const Access *a, const uint64_t *addresses, uint32_t lanes) {
    Count *counts = &a->m->counts[a->ins - a->m->program->code.data];
    uint64_t before = counts->useful_bytes;
    if (a->space == SPACE_SHARED)
        count_shared(counts, addresses, lanes, a->bytes, a->ins->op == SIM_LOAD);
    if (a->space == SPACE_GENERIC || a->space == SPACE_CLUSTER) record_other(a->m);
    if (a->space == SPACE_GLOBAL) {
        count_global(counts, addresses, lanes, a->bytes);
        if (!a->writes) flight_issue(a->m, a->w, a->ins, counts->useful_bytes - before);
    }
    bool is_listed = a->space == SPACE_GLOBAL || a->space == SPACE_SHARED;
    return !is_listed || record_access(a->m, a->w, a->ins, a->space, addresses, lanes);
}

bool sim_memory(Machine *m, Warp *w, const Ins *ins, uint32_t lanes) {
    Access a = {.m = m,
                .w = w,
                .ins = ins,
                .space = (PtxSpace)ins->space,
                .bytes = ins->bytes * ins->count,
                .writes = ins->op != SIM_LOAD,
                .atomic = ins->op == SIM_ATOMIC};
    uint64_t addresses[LANES];
    a.what = ins->op == SIM_LOAD ? "load" : ins->op == SIM_STORE ? "store" : "atomic";
    access_addresses(m, w, ins->operands[0], ins->wide_address, ins->offset, addresses);
    if (!count(&a, addresses, lanes)) return false;
    /* Which lane's write to a place comes last is not said: another order for another seed. */
    bool backwards = m->seed && a.writes && (sim_random(m) & 1);
    for (uint32_t left = lanes; left;) {
        int lane = backwards ? 31 - __builtin_clz(left) : __builtin_ctz(left);
        left &= ~(1u << lane);
        bool fine = ins->op == SIM_LOAD    ? load_lane(&a, lane, addresses[lane])
                    : ins->op == SIM_STORE ? store_lane(&a, lane, addresses[lane])
                                           : atomic_lane(&a, lane, addresses[lane]);
        if (!fine) return false;
    }
    return true;
}

/* Lanes 8i to 8i + 7 give the addresses of the rows of matrix i, 16 bytes each. Lane t gets of each
 * matrix elements 2 (t % 4) and the next of row t / 4; transposed: those rows of column t / 4 (PTX
 * ISA 9.7.14.5.15). */
bool sim_ldmatrix(Machine *m, Warp *w, const Ins *ins) {
    Access a = {.m = m, .w = w, .ins = ins, .space = SPACE_SHARED, .bytes = 16, .what = "ldmatrix"};
    uint64_t addresses[LANES];
    uint16_t matrix[4][8][8];
    int rows = 8 * ins->count,
        checked = m->program->sm <= 75 ? LANES : rows; /* old GPUs look at all addresses */
    access_addresses(m, w, ins->operands[0], ins->wide_address, ins->offset, addresses);
    if (!count(&a, addresses, ins->count == 4 ? ALL_LANES : (1u << rows) - 1)) return false;
    for (int lane = 0; lane < checked; lane++) {
        Spot spot;
        if (!access_find(&a, lane, addresses[lane], &spot)) return false;
        if (lane >= rows) continue;
        if (!access_check_set(&a, lane, &spot)) return false;
        if (!race_shared(m, w, ins, LANES, w->block, (uint32_t)spot.offset, 16, false, false))
            return false;
        memcpy(matrix[lane / 8][lane % 8], spot.memory, 16);
    }
    for (int i = 0; i < ins->count; i++) {
        uint32_t *to = w->places + (size_t)ins->results[i] * LANES;
        for (int t = 0; t < LANES; t++) {
            int row = t / 4, column = t % 4 * 2;
            uint16_t low = ins->kind ? matrix[i][column][row] : matrix[i][row][column];
            uint16_t high = ins->kind ? matrix[i][column + 1][row] : matrix[i][row][column + 1];
            to[t] = (uint32_t)low | (uint32_t)high << 16;
        }
    }
    return true;
}

/* The same lanes give the addresses; what they hold goes the other way (PTX ISA 9.7.14.5.16). */
bool sim_stmatrix(Machine *m, Warp *w, const Ins *ins) {
    Access a = {.m = m, .w = w, .ins = ins, .space = SPACE_SHARED, .bytes = 16, .writes = true};
    uint64_t addresses[LANES];
    uint16_t matrix[4][8][8];
    int rows = 8 * ins->count;
    a.what = "stmatrix";
    access_addresses(m, w, ins->operands[0], ins->wide_address, ins->offset, addresses);
    if (!count(&a, addresses, ins->count == 4 ? ALL_LANES : (1u << rows) - 1)) return false;
    for (int i = 0; i < ins->count; i++) {
        const uint32_t *from = source_of(m, w, ins->operands[1 + i]);
        for (int t = 0; t < LANES; t++)
            for (int half = 0; half < 2; half++) {
                int row = t / 4, column = t % 4 * 2 + half;
                uint16_t element = (uint16_t)(from[t] >> (16 * half));
                *(ins->kind ? &matrix[i][column][row] : &matrix[i][row][column]) = element;
            }
    }
    for (int lane = 0; lane < rows; lane++) {
        Spot spot;
        if (!access_find(&a, lane, addresses[lane], &spot)) return false;
        if (!access_check_coming(&a, lane, &spot)) return false;
        memset(spot.set, BYTE_SET, 16);
        sim_proxy_wrote(w, spot.offset, 16, false);
        if (!race_shared(m, w, ins, LANES, w->block, (uint32_t)spot.offset, 16, true, false))
            return false;
        memcpy(spot.memory, matrix[lane / 8][lane % 8], 16);
    }
    m->version++;
    return true;
}

const unsigned char *sim_readable(Machine *m, Warp *w, int lane, uint64_t address, size_t *left) {
    if ((address & WINDOW_MASK) == LOCAL_WINDOW) {
        uint64_t offset = address & ~WINDOW_MASK, size = (uint64_t)m->program->local_bytes;
        if (offset >= size) return NULL;
        *left = (size_t)(size - offset);
        return w->local + (uint64_t)lane * size + offset;
    }
    const SimSymbol *symbol = global_symbol(m, address, 1);
    if (!symbol) return NULL;
    *left = (size_t)(symbol->address + symbol->size - address);
    return (const unsigned char *)(uintptr_t)address;
}
