// SPDX-License-Identifier: Apache-2.0
/* wgmma: products of a warpgroup, which go on while its warps do (PTX ISA 9.7.15). Each warp has a
 * queue of its own: it computes its 16 rows when the group is committed (odd seeds) or at the last
 * moment, when it is waited for (even seeds). Until then nobody else may touch the sums, or A in
 * registers; and what lies in shared memory is looked at both when a product begins and when it is
 * computed, so that who writes there in between is found.
 *
 * Descriptors are read as the ISA has them ("Matrix descriptor", "Strides"), not as the compiler
 * makes them: of a swizzle of S bytes, element (r, k), of B bytes, of a tile whose rows go along K
 * is at
 *
 *     start + r / 8 * stride + r % 8 * S + k * B
 *
 * and of one whose rows go along M or N element (i, k), of 2 bytes, at
 *
 *     start + i * 2 / S * leading + i * 2 % S + k / 8 * stride + k % 8 * S
 *
 * after which, in the address itself, the bits of 16 bytes within S are flipped by as many from
 * bit 7 on. Not simulated: tiles without a swizzle, a base offset.
 *
 * Shared memory is read by the async proxy: what a thread wrote by stores or cp.async is there only
 * if a fence.proxy.async stands between that and the read: of the thread itself, or of one that
 * knew of it. */
#include "device/sim/access.h"
#include "gen/ptx/number.h"

enum { ROWS = 16, DEPTH_BYTES = 32, MOST_DEPTH = 32, MOST_COLUMNS = 256 }; /* of one warp */

/* ---- proxies ---- */

void sim_proxy_wrote(Warp *w, uint64_t offset, int bytes, bool by_copy) {
    ProxyWrite *writes = w->block->proxy_writes;
    const Seen *own = &w->clock.own[w->index];
    ProxyWrite me = {.tick = (by_copy ? w->copy_tick : own->tick) & ((1u << 25) - 1),
                     .by_copy = by_copy,
                     .warp = (unsigned)w->index & 63,
                     .fences = own->fences};
    for (int i = 0; writes && i < bytes; i++) writes[offset + (uint64_t)i] = me;
}

/* Of a byte that somebody wrote: by this warp, and what fences there were show it to nobody. */
bool sim_proxy_written(const Warp *w, uint64_t offset, int *warp) {
    ProxyWrite write = w->block->proxy_writes[offset];
    *warp = write.warp;
    return !race_proxy_shows(w, write);
}

int sim_proxy_hidden(const Warp *w, uint64_t offset, int bytes, int *warp) {
    const ProxyWrite *writes = w->block->proxy_writes + offset;
    bool alike = !memcmp(writes, writes + 1, sizeof *writes * ((size_t)bytes - 1));
    for (int i = 0; i < (alike ? 1 : bytes); i++) {
        if (i && !memcmp(&writes[i], &writes[i - 1], sizeof *writes)) continue;
        if (sim_proxy_written(w, offset + (uint64_t)i, warp)) return i;
    }
    return -1;
}

/* Of bytes that somebody wrote. */
static bool check_proxy(Machine *m, Warp *w, const Ins *ins, const Spot *spot, int bytes) {
    int warp, hidden = m->checks_races ? sim_proxy_hidden(w, spot->offset, bytes, &warp) : -1;
    return hidden < 0 || sim_fail(m, w, ins, NO_LANE,
                                  "wgmma reads byte %llu of shared memory, which warp %d wrote "
                                  "without a fence.proxy.async behind",
                                  (unsigned long long)spot->offset + (unsigned)hidden, warp);
}

/* ---- operands in shared memory ---- */

typedef struct Operands {
    double a[ROWS][MOST_DEPTH], b[MOST_COLUMNS][MOST_DEPTH]; /* floats */
    uint64_t writers; /* who wrote last what is read, as a hash */
} Operands;

typedef struct Tile {
    uint64_t start, leading, stride; /* bytes */
    int span;                        /* S */
    bool transposed;                 /* its rows do not go along K */
    int bytes;                       /* B */
} Tile;

static int bytes_of(SimMma kind) {
    if (kind == MMA_TF32_K8) return 4;
    return kind == MMA_F16_K16 || kind == MMA_BF16_K16 ? 2 : 1;
}

/* Of tf32 the bits that f32 has more are not looked at. */
static float element_of(SimMma kind, const uint8_t *at) {
    uint16_t half;
    uint32_t word;
    switch (kind) {
    case MMA_F16_K8:
    case MMA_F16_K16: memcpy(&half, at, sizeof half); return ptx_f16(half);
    case MMA_BF16_K16: memcpy(&half, at, sizeof half); return ptx_bf16(half);
    case MMA_TF32_K8: memcpy(&word, at, sizeof word); return float_of_bits(word & ~0x1fffu);
    case MMA_S8_K32: return (float)(int8_t)*at;
    case MMA_S8_K16:
    case MMA_U8_K16:
    case MMA_F64_K4: break;
    case MMA_E4M3_K32: return ptx_small(PTX_E4M3, *at);
    case MMA_E5M2_K32: return ptx_small(PTX_E5M2, *at);
    }
    BUG("no wgmma of this kind");
}

static bool read_descriptor(Machine *m, Warp *w, const Ins *ins, uint64_t bits, bool transposed,
                            Tile *tile) {
    static const int spans[] = {0, 128, 64, 32};
    /* start: bits 0 to 13, leading: 16 to 29, stride: 32 to 45, base offset: 49 to 51, swizzle:
     * 62. */
    uint64_t known = 0x3fffull | 0x3fffull << 16 | 0x3fffull << 32 | 3ull << 62;
    *tile = (Tile){.start = (bits & 0x3fff) << 4,
                   .leading = (bits >> 16 & 0x3fff) << 4,
                   .stride = (bits >> 32 & 0x3fff) << 4,
                   .span = spans[bits >> 62],
                   .transposed = transposed,
                   .bytes = bytes_of((SimMma)ins->kind)};
    if (bits & ~known)
        return sim_fail(m, w, ins, NO_LANE,
                        "matrix descriptor 0x%016llx has bits that are not simulated",
                        (unsigned long long)bits);
    return tile->span ||
           sim_fail(m, w, ins, NO_LANE, "a matrix without a swizzle is not simulated");
}

/* Of element (i, k); i counts rows of A or columns of B. */
static uint64_t address_in(const Tile *t, int i, int k) {
    uint64_t span = (uint64_t)t->span, along = (uint64_t)((t->transposed ? i : k) * t->bytes);
    uint64_t across = (uint64_t)(t->transposed ? k : i);
    uint64_t at = t->start + across / 8 * t->stride + across % 8 * span;
    at += t->transposed ? along / span * t->leading + along % span : along;
    return at ^ (at >> 7 & (span / 16 - 1)) << 4;
}

/* Rows [first, first + count) of A, or columns of B, 32 bytes along K of each. */
static bool read_tile(Machine *m, Warp *w, const Ins *ins, const Tile *t, int first, int count,
                      double out[][MOST_DEPTH], uint64_t *writers) {
    Access a = {.m = m, .w = w, .ins = ins, .space = SPACE_SHARED, .bytes = 16, .what = "wgmma"};
    int chunk = 16 / t->bytes, depth = DEPTH_BYTES / t->bytes;
    int chunks_i = t->transposed ? count / chunk : count, chunks_k = t->transposed ? depth : 2;
    for (int c = 0; c < chunks_i * chunks_k; c++) {
        int i = c / chunks_k * (t->transposed ? chunk : 1);
        int k = c % chunks_k * (t->transposed ? 1 : chunk);
        Spot spot;
        if (!access_find(&a, 0, address_in(t, first + i, k), &spot) ||
            !access_check_set(&a, 0, &spot) ||
            !race_shared(m, w, ins, ALL_TOGETHER, w->block, (uint32_t)spot.offset, 16, false,
                         false) ||
            !check_proxy(m, w, ins, &spot, 16))
            return false;
        *writers = race_writers(m, w->block, (uint32_t)spot.offset, 16, *writers);
        for (int e = 0; e < chunk; e++) {
            float x = element_of((SimMma)ins->kind, spot.memory + e * t->bytes);
            if (t->transposed)
                out[i + e][k] = x;
            else
                out[i][k + e] = x;
        }
    }
    return true;
}

static bool has_registers(const Ins *ins) { return ins->num_operands > 3; }

static int register_of(const Ins *ins, int i) { return ins->operands[i ? i + 2 : 0]; }

/* Register i of a lane has two elements of row lane / 4, or 8 more, from 2 * (lane % 4) on, or 8
 * more. */
static void read_registers(Machine *m, Warp *w, const Ins *ins, double out[][MOST_DEPTH]) {
    for (int i = 0; i < A_WORDS; i++) {
        const uint32_t *words = source_of(m, w, register_of(ins, i));
        for (int lane = 0; lane < LANES; lane++)
            for (int e = 0; e < 2; e++) {
                uint16_t half = (uint16_t)(words[lane] >> 16 * e);
                float x = ins->kind == MMA_BF16_K16 ? ptx_bf16(half) : ptx_f16(half);
                out[lane / 4 + 8 * (i % 2)][lane % 4 * 2 + 8 * (i / 2) + e] = x;
            }
    }
}

static bool read_a(Machine *m, Warp *w, const Product *p, Operands *o) {
    Tile a;
    if (has_registers(p->ins)) {
        read_registers(m, w, p->ins, o->a);
        return true;
    }
    return read_descriptor(m, w, p->ins, p->a, p->ins->number & 1, &a) &&
           read_tile(m, w, p->ins, &a, w->index % 4 * ROWS, ROWS, o->a, &o->writers);
}

static bool read_operands(Machine *m, Warp *w, const Product *p, Operands *o) {
    Tile b;
    o->writers = 0;
    return read_a(m, w, p, o) && read_descriptor(m, w, p->ins, p->b, p->ins->number >> 1, &b) &&
           read_tile(m, w, p->ins, &b, 0, 8 * p->ins->count, o->b, &o->writers);
}

/* ---- products ---- */

/* Of a product that has begun: nobody has written there since. */
static bool read_again(Machine *m, Warp *w, const Product *p, Operands *o) {
    if (!read_operands(m, w, p, o)) return false;
    if (o->writers == p->writers) return true;
    sim_fail(m, w, p->ins, NO_LANE,
             "race in shared memory: what this wgmma reads was written before it was waited for");
    return sim_fail_kind(m, TERN_FOUND_RACE);
}

/* Register i of a lane is of row lane / 4, or 8 more, and of columns 2 * (lane % 4) on, by
 * eights. */
static bool compute(Machine *m, Warp *w, Product *p) {
    Operands o;
    int depth = DEPTH_BYTES / bytes_of((SimMma)p->ins->kind);
    if (p->done) return true;
    if (!read_again(m, w, p, &o)) return false;
    for (int r = 0; r < p->ins->num_results; r++) {
        uint32_t *sums = w->places + (size_t)p->ins->results[r] * LANES;
        for (int lane = 0; lane < LANES; lane++) {
            int row = lane / 4 + 8 * (r / 2 % 2), column = 8 * (r / 4) + lane % 4 * 2 + r % 2;
            double sum = p->adds ? (double)float_of_bits(sums[lane]) : 0;
            double products = 0;
            for (int k = 0; k < depth; k++) products += o.a[row][k] * o.b[column][k];
            if (p->ins->kind == MMA_S8_K32) {
                sums[lane] = (p->adds ? sums[lane] : 0) + (uint32_t)(int32_t)products;
                continue;
            }
            float total = (float)(products + sum);
            sums[lane] = total == total ? bits_of_float(total) : 0x7fffffff;
        }
    }
    p->done = true;
    return true;
}

/* The same in all lanes, or false. */
static bool uniform(Machine *m, Warp *w, const Ins *ins, int operand, uint64_t *value) {
    const uint32_t *place = source_of(m, w, ins->operands[operand]);
    *value = get_wide(place, 0);
    for (int lane = 1; lane < LANES; lane++)
        if (get_wide(place, lane) != *value)
            return sim_fail(m, w, ins, lane, "a matrix descriptor that differs between lanes");
    return true;
}

/* The four warps of a group begin the same products in the same order. */
static bool agrees(Machine *m, Warp *w, const Product *p) {
    uint64_t number = ++w->products.begun, what[3] = {p->a, p->b, p->adds};
    uint64_t hash = hash_bytes(what, sizeof what, (uint64_t)(p->ins - m->program->code.data));
    uint64_t *known = &w->block->agreed[w->index / 4][number % AGREED];
    uint64_t mine = number << 32 | (hash & UINT32_MAX);
    if (*known >> 32 == number && *known != mine)
        return sim_fail(m, w, p->ins, NO_LANE, "the warps of a warpgroup begin different products");
    if (*known >> 32 < number) *known = mine;
    return true;
}

static bool begin(Machine *m, Warp *w, const Ins *ins) {
    Products *q = &w->products;
    Operands o;
    if (w->index / 4 * 4 + 4 > w->block->num_warps)
        return sim_fail(m, w, ins, NO_LANE, "wgmma by a warp that is not one of a group of four");
    uint32_t adds = w->predicates[ins->operands[2]];
    if (adds && adds != ALL_LANES)
        return sim_fail(m, w, ins, NO_LANE, "scale-d differs between lanes");
    for (int i = 0; i < ins->num_results; i++)
        if (q->touched[ins->results[i]])
            return sim_fail(m, w, ins, NO_LANE,
                            "no wgmma.fence since a sum was last read or written");
    for (int i = 0; has_registers(ins) && i < A_WORDS; i++)
        if (register_of(ins, i) >= 0 && q->touched[register_of(ins, i)])
            return sim_fail(m, w, ins, NO_LANE,
                            "no wgmma.fence since a register of A was last read or written");
    Product *grown = sim_grown(q->list, q->count, &q->capacity, sizeof *grown);
    if (!grown) return sim_fail_memory(m);
    q->list = grown;
    Product p = {.ins = ins, .adds = adds != 0, .group = NO_GROUP};
    if ((!has_registers(ins) && !uniform(m, w, ins, 0, &p.a)) || !uniform(m, w, ins, 1, &p.b) ||
        !agrees(m, w, &p) || !read_operands(m, w, &p, &o))
        return false;
    p.writers = o.writers;
    q->list[q->count++] = p;
    record_other(m);
    return true;
}

static bool commit(Machine *m, Warp *w) {
    Products *q = &w->products;
    for (int i = 0; i < q->count; i++) {
        if (q->list[i].group != NO_GROUP) continue;
        q->list[i].group = q->groups;
        if (m->seed % 2 && !compute(m, w, &q->list[i])) return false;
    }
    q->groups++;
    return true;
}

static bool await(Machine *m, Warp *w, int64_t groups) {
    Products *q = &w->products;
    Operands o;
    int kept = 0;
    for (int i = 0; i < q->count; i++) {
        Product *p = &q->list[i];
        if (p->group == NO_GROUP || (int64_t)p->group + groups >= (int64_t)q->groups)
            q->list[kept++] = *p;
        else if (!(p->done ? read_again(m, w, p, &o) : compute(m, w, p))) /* read to the end */
            return false;
    }
    q->count = kept;
    return true;
}

bool sim_wgmma(Machine *m, Warp *w, const Ins *ins) {
    if (ins->op == SIM_WGMMA) return begin(m, w, ins);
    if (ins->op == SIM_WGMMA_COMMIT) return commit(m, w);
    if (ins->op == SIM_WGMMA_WAIT) return await(m, w, ins->offset);
    memset(w->products.touched, 0, (size_t)m->program->num_places);
    return true;
}

/* ---- what others may not do ---- */

static bool is_product(const Ins *ins) { return ins->op >= SIM_WGMMA && ins->op <= SIM_WGMMA_WAIT; }

static bool is_predicate_result(const Ins *ins, int i) {
    const PtxRow *row = ins_row(ins);
    if (row) return row->types[0] == PTX_pred;
    if (ins->op == SIM_MBARRIER) return ins->kind == MBARRIER_WAIT;
    if (ins->op == SIM_ELECT) return i == ins->num_results - 1;
    return (ins->op == SIM_VOTE && ins->kind != VOTE_BALLOT) || (ins->op == SIM_SHUFFLE && i == 1);
}

/* The places that an instruction reads or writes; returns how many. */
static int places_of(const Ins *ins, int32_t *places) {
    int count = 0;
    for (int i = 0; i < ins->num_results; i++)
        if (!is_predicate_result(ins, i)) places[count++] = ins->results[i];
    for (int i = 0; i < ins->num_operands; i++)
        if (ins->operands[i] >= 0 && !(i < 8 && ins->predicate_operands >> i & 1))
            places[count++] = ins->operands[i];
    return count;
}

enum { MOST_PLACES = 2 * UINT8_MAX };

static bool is_among(int32_t place, const int32_t *places, int count) {
    for (int i = 0; i < count; i++)
        if (places[i] == place) return true;
    return false;
}

bool sim_products_allow(Machine *m, Warp *w, const Ins *ins) {
    const Products *q = &w->products;
    int32_t places[MOST_PLACES];
    if (is_product(ins)) return true;
    if (ins->op == SIM_RETURN)
        return sim_fail(m, w, ins, NO_LANE, "ends before wgmma was waited for");
    int count = places_of(ins, places);
    for (int i = 0; i < q->count; i++) {
        const Ins *product = q->list[i].ins;
        for (int k = 0; k < product->num_results; k++)
            if (is_among(product->results[k], places, count))
                return sim_fail(m, w, ins, NO_LANE,
                                "a sum of a wgmma that was not waited for is read or written");
        for (int k = 0; has_registers(product) && k < A_WORDS; k++)
            if (is_among(register_of(product, k), places, count))
                return sim_fail(m, w, ins, NO_LANE,
                                "A of a wgmma that was not waited for is read or written");
    }
    return true;
}

void sim_products_note(Warp *w, const Ins *ins) {
    int32_t places[MOST_PLACES];
    if (is_product(ins)) return;
    int count = places_of(ins, places);
    for (int i = 0; i < count; i++) w->products.touched[places[i]] = 1;
}
