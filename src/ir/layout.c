// SPDX-License-Identifier: Apache-2.0
/* layout: linear maps over GF(2) from hardware places to tile indices; see layout.h. */
#include "ir/layout.h"

/* ---- linear algebra ---- */

/* Reduced row echelon form of the columns; combination[i] says which columns made pivot[i]. */
typedef struct Echelon {
    uint32_t pivot[32], combination[32];
    int rank;
} Echelon;

static uint32_t lowest_bit(uint32_t x) { return x & (~x + 1); }

static void echelon_of(const uint32_t *columns, int count, Echelon *e) {
    e->rank = 0;
    for (int i = 0; i < count; i++) {
        uint32_t v = columns[i], c = 1u << i;
        for (int j = 0; j < e->rank; j++)
            if (v & lowest_bit(e->pivot[j])) v ^= e->pivot[j], c ^= e->combination[j];
        if (!v) continue;
        for (int j = 0; j < e->rank; j++)
            if (e->pivot[j] & lowest_bit(v)) e->pivot[j] ^= v, e->combination[j] ^= c;
        e->pivot[e->rank] = v;
        e->combination[e->rank++] = c;
    }
}

bool gf2_solve(const uint32_t *columns, int count, uint32_t target, uint32_t *x) {
    Echelon e;
    uint32_t result = 0;
    if (count > 32) BUG("gf2_solve: %d columns", count);
    echelon_of(columns, count, &e);
    for (int j = 0; j < e.rank; j++)
        if (target & lowest_bit(e.pivot[j])) target ^= e.pivot[j], result ^= e.combination[j];
    *x = result;
    return target == 0;
}

int gf2_rank(const uint32_t *columns, int count) {
    Echelon e;
    if (count > 32) BUG("gf2_rank: %d columns", count);
    echelon_of(columns, count, &e);
    return e.rank;
}

uint32_t gf2_apply(const uint32_t *columns, int count, uint32_t x) {
    uint32_t result = 0;
    for (int i = 0; i < count; i++)
        if (x >> i & 1) result ^= columns[i];
    return result;
}

/* ---- table and looking ---- */

static bool same_columns(const Layout *a, const Layout *b, int kind) {
    return a->num[kind] == b->num[kind] &&
           !memcmp(a->column[kind], b->column[kind], sizeof(uint32_t) * (size_t)a->num[kind]);
}

const Layout *layout_intern(LayoutTable *table, const Layout *layout) {
    for (int i = 0; i < table->all.count; i++) {
        const Layout *other = table->all.data[i];
        bool same = other->tile_bits == layout->tile_bits;
        for (int kind = 0; kind < NUM_KINDS; kind++)
            same = same && same_columns(other, layout, kind);
        if (same) return other;
    }
    Layout *copy = arena_new_of(table->arena, Layout);
    *copy = *layout;
    vec_push(table->arena, &table->all, copy);
    return copy;
}

uint32_t layout_index(const Layout *layout, uint32_t reg, uint32_t lane, uint32_t warp) {
    return gf2_apply(layout->column[KIND_REG], layout->num[KIND_REG], reg) ^
           gf2_apply(layout->column[KIND_LANE], layout->num[KIND_LANE], lane) ^
           gf2_apply(layout->column[KIND_WARP], layout->num[KIND_WARP], warp);
}

uint32_t layout_reg_of(const Layout *layout, uint32_t image) {
    uint32_t reg;
    if (!gf2_solve(layout->column[KIND_REG], layout->num[KIND_REG], image, &reg))
        BUG("no register holds tile index %u", image);
    return reg;
}

bool layout_places(const Layout *layout, BitPlace places[MAX_TILE_BITS]) {
    uint32_t seen = 0;
    for (int kind = 0; kind < NUM_KINDS; kind++)
        for (int i = 0; i < layout->num[kind]; i++) {
            uint32_t c = layout->column[kind][i];
            if (!c) continue;
            if ((c & (c - 1)) || (seen & c)) return false;
            seen |= c;
            places[log2_floor(c)] = (BitPlace){kind, i};
        }
    return seen == (layout->tile_bits ? ~0u >> (32 - layout->tile_bits) : 0);
}

uint32_t layout_replica_mask(const Layout *layout) {
    uint32_t mask = 0;
    for (int i = 0; i < layout->num[KIND_LANE]; i++)
        if (!layout->column[KIND_LANE][i]) mask |= 1u << i;
    for (int i = 0; i < layout->num[KIND_WARP]; i++)
        if (!layout->column[KIND_WARP][i]) mask |= 1u << (LANE_BITS + i);
    return mask;
}

int layout_vector_bits(const Layout *layout, int first_bit) {
    int n = 0;
    while (n < layout->num[KIND_REG] && layout->column[KIND_REG][n] == 1u << (first_bit + n)) n++;
    return n;
}

/* ---- constructors ---- */

int tile_shape_bits(const TileShape *shape) {
    int bits = 0;
    for (int d = 0; d < shape->rank; d++) bits += shape->log2[d];
    return bits;
}

int tile_bit_of_dim(const TileShape *shape, int dim) {
    int bit = 0;
    for (int d = shape->rank - 1; d > dim; d--) bit += shape->log2[d];
    return bit;
}

static void push(Layout *layout, int kind, uint32_t image) {
    if (kind == KIND_REG && !image) return;
    if (layout->num[kind] == MAX_TILE_BITS) BUG("layout has too many bits");
    layout->column[kind][layout->num[kind]++] = image;
}

/* Hands out the tile bits of one dimension from the lowest; zero columns past the last. */
typedef struct DimBits {
    int next, end;
} DimBits;

static uint32_t take(DimBits *dim) { return dim->next < dim->end ? 1u << dim->next++ : 0; }

Layout layout_blocked(const TileShape *shape, const int *order, const int *per_thread,
                      int warp_bits) {
    Layout layout = {.tile_bits = tile_shape_bits(shape)};
    DimBits dims[MAX_RANK];
    for (int d = 0; d < shape->rank; d++) {
        dims[d].next = tile_bit_of_dim(shape, d);
        dims[d].end = dims[d].next + shape->log2[d];
    }
    for (int i = 0; i < shape->rank; i++)
        for (int b = 0; b < per_thread[order[i]]; b++)
            push(&layout, KIND_REG, take(&dims[order[i]]));
    int lanes = LANE_BITS;
    for (int i = 0; i < shape->rank; i++)
        for (DimBits *dim = &dims[order[i]]; lanes && dim->next < dim->end; lanes--)
            push(&layout, KIND_LANE, take(dim));
    while (lanes--) push(&layout, KIND_LANE, 0);
    /* Warps take the slowest dimension first: a reduction along the fastest one then stays within
     * a warp where it can. */
    for (int i = shape->rank - 1; i >= 0; i--)
        for (DimBits *dim = &dims[order[i]]; warp_bits && dim->next < dim->end; warp_bits--)
            push(&layout, KIND_WARP, take(dim));
    while (warp_bits-- > 0) push(&layout, KIND_WARP, 0);
    for (int i = 0; i < shape->rank; i++)
        for (DimBits *dim = &dims[order[i]]; dim->next < dim->end;)
            push(&layout, KIND_REG, take(dim));
    return layout;
}

Layout layout_blocked_in_warps(const TileShape *shape, const int *order, int vector_bits,
                               const Layout *warps) {
    Layout layout = {.tile_bits = warps->tile_bits};
    uint32_t taken = 0;
    int lanes = LANE_BITS;
    for (int i = 0; i < warps->num[KIND_WARP]; i++) {
        push(&layout, KIND_WARP, warps->column[KIND_WARP][i]);
        taken |= warps->column[KIND_WARP][i];
    }
    for (int i = 0; i < shape->rank; i++) {
        int first = tile_bit_of_dim(shape, order[i]);
        for (int bit = first; bit < first + shape->log2[order[i]]; bit++) {
            if (taken >> bit & 1) continue;
            bool is_lane = lanes && vector_bits <= 0;
            push(&layout, is_lane ? KIND_LANE : KIND_REG, 1u << bit);
            lanes -= is_lane, vector_bits--;
        }
    }
    while (lanes-- > 0) push(&layout, KIND_LANE, 0);
    return layout;
}

Layout layout_mma(int m_bits, int n_bits, int warps_m, int warps_n) {
    Layout layout = {.tile_bits = m_bits + n_bits};
    DimBits n = {0, n_bits}, m = {n_bits, n_bits + m_bits};
    push(&layout, KIND_REG, take(&n));
    for (int i = 0; i < 2; i++) push(&layout, KIND_LANE, take(&n));
    for (int i = 0; i < 3; i++) push(&layout, KIND_LANE, take(&m));
    push(&layout, KIND_REG, take(&m));
    for (int i = 0; i < warps_n; i++) push(&layout, KIND_WARP, take(&n));
    for (int i = 0; i < warps_m; i++) push(&layout, KIND_WARP, take(&m));
    while (n.next < n.end) push(&layout, KIND_REG, take(&n));
    while (m.next < m.end) push(&layout, KIND_REG, take(&m));
    return layout;
}

Layout layout_wgmma(int m_bits, int n_bits, int warps_m, int warps_n) {
    Layout layout = layout_mma(m_bits, n_bits - warps_n, warps_m, 0);
    uint32_t columns = (1u << (n_bits - warps_n)) - 1;
    for (int kind = 0; kind < NUM_KINDS; kind++)
        for (int i = 0; i < layout.num[kind]; i++) {
            uint32_t *c = &layout.column[kind][i];
            *c = (*c & columns) | (*c & ~columns) << warps_n;
        }
    for (int i = 0; i < warps_n; i++) push(&layout, KIND_WARP, (columns + 1) << i);
    layout.tile_bits += warps_n;
    return layout;
}

Layout layout_wgmma_a(int m_bits, int k_bits, int warps_m, int warps_n) {
    Layout layout = layout_wgmma(m_bits, k_bits, warps_m, 0);
    for (int i = 0; i < warps_n; i++) push(&layout, KIND_WARP, 0);
    return layout;
}

Layout layout_mma_a(int m_bits, int k_bits, int warps_m, int warps_n, int k_width, int k_regs) {
    Layout layout = {.tile_bits = m_bits + k_bits};
    DimBits k = {0, k_bits}, m = {k_bits, k_bits + m_bits};
    for (int i = 0; i < k_width; i++) push(&layout, KIND_REG, take(&k));
    for (int i = 0; i < 2; i++) push(&layout, KIND_LANE, take(&k));
    for (int i = 0; i < 3; i++) push(&layout, KIND_LANE, take(&m));
    push(&layout, KIND_REG, take(&m));
    for (int i = 0; i < k_regs; i++) push(&layout, KIND_REG, take(&k));
    for (int i = 0; i < warps_n; i++) push(&layout, KIND_WARP, 0);
    for (int i = 0; i < warps_m; i++) push(&layout, KIND_WARP, take(&m));
    while (k.next < k.end) push(&layout, KIND_REG, take(&k));
    while (m.next < m.end) push(&layout, KIND_REG, take(&m));
    return layout;
}

Layout layout_mma_b(int k_bits, int n_bits, int warps_m, int warps_n, int k_width, int k_regs) {
    Layout layout = {.tile_bits = k_bits + n_bits};
    DimBits n = {0, n_bits}, k = {n_bits, n_bits + k_bits};
    for (int i = 0; i < k_width; i++) push(&layout, KIND_REG, take(&k));
    for (int i = 0; i < 2; i++) push(&layout, KIND_LANE, take(&k));
    for (int i = 0; i < 3; i++) push(&layout, KIND_LANE, take(&n));
    for (int i = 0; i < k_regs; i++) push(&layout, KIND_REG, take(&k));
    for (int i = 0; i < warps_n; i++) push(&layout, KIND_WARP, take(&n));
    for (int i = 0; i < warps_m; i++) push(&layout, KIND_WARP, 0);
    while (k.next < k.end) push(&layout, KIND_REG, take(&k));
    while (n.next < n.end) push(&layout, KIND_REG, take(&n));
    return layout;
}

static uint32_t compress(uint32_t x, uint32_t keep) {
    uint32_t result = 0;
    for (int from = 0, to = 0; from < 32; from++)
        if (keep >> from & 1) result |= (x >> from & 1) << to++;
    return result;
}

Layout layout_restrict(const Layout *layout, uint32_t keep) {
    Layout result = {0};
    for (int bit = 0; bit < layout->tile_bits; bit++) result.tile_bits += keep >> bit & 1;
    for (int kind = 0; kind < NUM_KINDS; kind++)
        for (int i = 0; i < layout->num[kind]; i++)
            push(&result, kind, compress(layout->column[kind][i], keep));
    return result;
}

Layout layout_permute(const Layout *layout, const int *from, int tile_bits) {
    Layout result = {.tile_bits = tile_bits};
    for (int kind = 0; kind < NUM_KINDS; kind++)
        for (int i = 0; i < layout->num[kind]; i++) {
            uint32_t image = 0;
            for (int bit = 0; bit < tile_bits; bit++)
                image |= (layout->column[kind][i] >> from[bit] & 1) << bit;
            push(&result, kind, image);
        }
    return result;
}

Layout layout_join(const Layout *layout) {
    Layout result = {.tile_bits = layout->tile_bits + 1};
    push(&result, KIND_REG, 1);
    for (int kind = 0; kind < NUM_KINDS; kind++)
        for (int i = 0; i < layout->num[kind]; i++)
            push(&result, kind, layout->column[kind][i] << 1);
    return result;
}

bool layout_can_split(const Layout *layout) { return layout_vector_bits(layout, 0) >= 1; }

Layout layout_split(const Layout *layout) {
    Layout result = {.tile_bits = layout->tile_bits - 1};
    for (int kind = 0; kind < NUM_KINDS; kind++)
        for (int i = kind == KIND_REG; i < layout->num[kind]; i++)
            push(&result, kind, layout->column[kind][i] >> 1);
    return result;
}

/* ---- moving ---- */

bool layout_same_warps(const Layout *from, const Layout *to) {
    return same_columns(from, to, KIND_WARP) && layout_replica_mask(from) >> LANE_BITS == 0;
}

MoveKind layout_move(const Layout *from, const Layout *to) {
    if (!same_columns(from, to, KIND_WARP)) return MOVE_SHARED;
    if (same_columns(from, to, KIND_LANE))
        return same_columns(from, to, KIND_REG) ? MOVE_NONE : MOVE_REGS;
    /* A shuffle reads one register of the other lane. When the register to read depends on the
     * reading lane, each candidate costs a shuffle; past one such bit shared memory is cheaper. */
    BitPlace source[MAX_TILE_BITS], target[MAX_TILE_BITS];
    if (!layout_places(from, source) || !layout_places(to, target)) return MOVE_SHARED;
    int varying = 0;
    for (int bit = 0; bit < from->tile_bits; bit++)
        varying += source[bit].kind == KIND_REG && target[bit].kind == KIND_LANE;
    if (varying <= 1 && to->num[KIND_REG] <= 4) return MOVE_SHUFFLE;
    return layout_exchanged(from, to) >= 0 ? MOVE_EXCHANGE : MOVE_SHARED;
}

int layout_exchanged(const Layout *from, const Layout *to) {
    BitPlace source[MAX_TILE_BITS], target[MAX_TILE_BITS];
    int lane = -1;
    if (from->num[KIND_LANE] != to->num[KIND_LANE] || !layout_places(from, source) ||
        !layout_places(to, target))
        return -1;
    for (int i = 0; i < from->num[KIND_LANE]; i++)
        if (from->column[KIND_LANE][i] != to->column[KIND_LANE][i]) {
            if (lane >= 0) return -1;
            lane = i;
        }
    if (lane < 0 || !from->column[KIND_LANE][lane] || !to->column[KIND_LANE][lane]) return -1;
    int left = __builtin_ctz(from->column[KIND_LANE][lane]),
        came = __builtin_ctz(to->column[KIND_LANE][lane]);
    return target[left].kind == KIND_REG && source[came].kind == KIND_REG ? lane : -1;
}

static bool has(const uint32_t *set, int count, uint32_t x) {
    for (int i = 0; i < count; i++)
        if (set[i] == x) return true;
    return false;
}

/* The tile bits that an access covers within one wavefront: the vector and, of the lanes, as many
 * as share a wavefront of 128 bytes. */
static int wavefront_bits(const Swizzle *s, const Layout *layout, int elem_bytes, uint32_t *set) {
    int bytes = elem_bytes << s->vector, count = 0;
    int lanes = bytes > 8 ? 3 : bytes > 4 ? 4 : 5;
    for (int i = 0; i < s->vector; i++) set[count++] = s->image[i];
    for (int i = 0; i < lanes && i < layout->num[KIND_LANE]; i++) {
        uint32_t c = layout->column[KIND_LANE][i];
        if (c && !has(set, count, c)) set[count++] = c;
    }
    return count;
}

/* The segment bits (above 128 bytes): lanes that vary in them collide in a bank, so they are first
 * what neither side varies, then a xor b for a varied only by one side and b only by the other. */
static int segment_bits(const uint32_t *a, int num_a, const uint32_t *b, int num_b, int tile_bits,
                        int wanted, uint32_t *segments) {
    uint32_t only_a[MAX_TILE_BITS], only_b[MAX_TILE_BITS];
    int count_a = 0, count_b = 0, count = 0;
    for (int bit = 0; bit < tile_bits && count < wanted; bit++)
        if (!has(a, num_a, 1u << bit) && !has(b, num_b, 1u << bit)) segments[count++] = 1u << bit;
    for (int i = 0; i < num_a; i++)
        if (!has(b, num_b, a[i])) only_a[count_a++] = a[i];
    for (int i = 0; i < num_b; i++)
        if (!has(a, num_a, b[i])) only_b[count_b++] = b[i];
    int pairs = count_a < count_b ? count_a : count_b;
    int bad = wanted - count - pairs; /* conflicts that no layout avoids */
    bad = bad < 0 ? 0 : bad > pairs ? pairs : bad;
    for (int i = bad; i < pairs && count < wanted; i++) segments[count++] = only_a[i] ^ only_b[i];
    for (int i = 0; i < bad && count < wanted; i++) segments[count++] = only_a[i];
    for (int i = 0; i < bad && count < wanted; i++) segments[count++] = only_b[i];
    return count;
}

bool swizzle_invert(Swizzle *s) {
    for (int bit = 0; bit < s->bits; bit++)
        if (!gf2_solve(s->image, s->bits, 1u << bit, &s->offset_of[bit])) return false;
    return gf2_rank(s->image, s->bits) == s->bits;
}

/* padded: s, and what else is in the 4 bytes of a bank; a, b: what each side varies at once. */
static Swizzle swizzle_complete(Swizzle s, const Swizzle *padded, const uint32_t *a, int num_a,
                                const uint32_t *b, int num_b, int elem_bytes) {
    uint32_t segments[MAX_TILE_BITS];
    int low = padded->vector, bank = log2_floor(128 / (elem_bytes << low));
    if (bank > s.bits - low) bank = s.bits - low;
    int wanted = s.bits - low - bank;
    int count = segment_bits(a, num_a, b, num_b, s.bits, wanted, segments);

    uint32_t basis[2 * MAX_TILE_BITS];
    int num = low, filled = low;
    memcpy(s.image, padded->image, sizeof(s.image));
    memcpy(basis, s.image, sizeof(uint32_t) * (size_t)low);
    /* A segment that depends on those before is dropped; a plain bit takes its place below. */
    int kept = 0;
    for (int i = 0; i < count; i++) {
        basis[num] = segments[i];
        if (gf2_rank(basis, num + 1) == num + 1) segments[kept++] = segments[i], num++;
    }
    for (int bit = 0; bit < s.bits; bit++) {
        basis[num] = 1u << bit;
        if (num < s.bits && gf2_rank(basis, num + 1) == num + 1)
            num++, s.image[filled++] = 1u << bit;
    }
    for (int i = 0; i < kept; i++) s.image[filled++] = segments[i];
    if (filled != s.bits) BUG("swizzle covers %d of %d bits", filled, s.bits);
    if (!swizzle_invert(&s)) BUG("swizzle is singular");
    return s;
}

Swizzle swizzle_choose(const Layout *from, const Layout *to, int elem_bytes) {
    Swizzle s = {.bits = from->tile_bits};
    int most = log2_floor(16 / elem_bytes);
    for (int i = 0; i < from->num[KIND_REG] && s.vector < most; i++) {
        uint32_t c = from->column[KIND_REG][i];
        if (has(to->column[KIND_REG], to->num[KIND_REG], c)) s.image[s.vector++] = c;
    }
    /* Elements under a bank's 4 bytes: let one side's registers share a bank. */
    Swizzle padded = s;
    for (int i = 0; i < to->num[KIND_REG] && elem_bytes << padded.vector < 4; i++) {
        uint32_t c = to->column[KIND_REG][i];
        if (!has(padded.image, padded.vector, c)) padded.image[padded.vector++] = c;
    }
    uint32_t a[2 * MAX_TILE_BITS], b[2 * MAX_TILE_BITS];
    int num_a = wavefront_bits(&padded, from, elem_bytes, a);
    int num_b = wavefront_bits(&padded, to, elem_bytes, b);
    return swizzle_complete(s, &padded, a, num_a, b, num_b, elem_bytes);
}

static int register_of(const Layout *layout, uint32_t column) {
    for (int i = 0; i < layout->num[KIND_REG]; i++)
        if (layout->column[KIND_REG][i] == column) return i;
    return -1;
}

bool layout_matrices(const Layout *layout, const uint32_t *chunk, Matrices *m) {
    const uint32_t *lane = layout->column[KIND_LANE];
    *m = (Matrices){.transposed = lane[0] != chunk[1]};
    if (!m->transposed) {
        if (lane[1] != chunk[2]) return false;
        m->pair = register_of(layout, chunk[0]);
        memcpy(m->row, lane + 2, sizeof m->row);
    } else {
        if (memcmp(lane + 2, chunk, 3 * sizeof *chunk)) return false;
        while (m->pair < layout->num[KIND_REG] && !layout->column[KIND_REG][m->pair]) m->pair++;
        m->row[0] = layout->column[KIND_REG][m->pair], m->row[1] = lane[0], m->row[2] = lane[1];
    }
    if (m->pair < 0 || m->pair >= layout->num[KIND_REG]) return false;
    for (int i = 0; i < layout->num[KIND_REG] && m->num_bits < 2; i++)
        if (i != m->pair && layout->column[KIND_REG][i]) m->bit[m->num_bits++] = i;
    return m->num_bits > 0;
}

bool swizzle_for_matrices(const Layout *one, const Layout *other, Swizzle *swizzle) {
    Swizzle s = {.bits = one->tile_bits, .vector = 3};
    Matrices m;
    uint32_t a[2 * MAX_TILE_BITS], b[2 * MAX_TILE_BITS];
    if (other->num[KIND_REG] < 3) return false;
    memcpy(s.image, other->column[KIND_REG], 3 * sizeof *s.image);
    for (int i = 0; i < 3; i++)
        if (!s.image[i]) return false;
    if (!layout_matrices(one, s.image, &m)) return false;
    int num_a = 3, num_b = wavefront_bits(&s, other, 2, b);
    memcpy(a, s.image, 3 * sizeof *a);
    for (int i = 0; i < 3; i++)
        if (m.row[i]) a[num_a++] = m.row[i];
    *swizzle = swizzle_complete(s, &s, a, num_a, b, num_b, 2);
    return true;
}

Swizzle swizzle_panels(int fast, int fast_bits, int slow, int slow_bits, int elem_bytes) {
    int chunk = log2_floor(16 / elem_bytes), most = chunk + 3; /* of 16 bytes; of a row's 128 */
    int span = fast_bits < most ? fast_bits : most;
    Swizzle s = {.bits = fast_bits + slow_bits, .vector = span < chunk ? span : chunk};
    for (int i = 0; i < fast_bits; i++) {
        int at = i < span ? i : slow_bits + i;
        s.image[at] = 1u << (fast + i), s.offset_of[fast + i] = 1u << at;
    }
    int within = most - span; /* bits of the row number within 128 bytes */
    for (int i = 0; i < slow_bits; i++) {
        s.image[span + i] = 1u << (slow + i);
        s.offset_of[slow + i] = 1u << (span + i);
        if (i < within || i >= 3) continue;
        s.image[span + i] |= 1u << (fast + chunk + i - within);
        s.offset_of[slow + i] |= 1u << (chunk + i - within);
    }
    return s;
}

uint32_t swizzle_offset(const Swizzle *swizzle, uint32_t index) {
    return gf2_apply(swizzle->offset_of, swizzle->bits, index);
}

/* The words that lanes [first, first + count) touch with register reg: most per bank, less 1. */
static int wavefront_conflicts(const Swizzle *s, const Layout *layout, int elem_bytes, uint32_t reg,
                               uint32_t warp, int first, int count) {
    uint32_t words[32][32];
    int num[32] = {0}, worst = 0, bytes = elem_bytes << s->vector;
    for (int lane = first; lane < first + count; lane++) {
        uint32_t index = layout_index(layout, reg, (uint32_t)lane, warp);
        uint32_t byte = swizzle_offset(s, index) * (uint32_t)elem_bytes;
        for (int w = 0; w < (bytes + 3) / 4; w++) {
            uint32_t word = byte / 4 + (uint32_t)w, bank = word % 32;
            if (has(words[bank], num[bank], word)) continue;
            words[bank][num[bank]++] = word;
            if (num[bank] - 1 > worst) worst = num[bank] - 1;
        }
    }
    return worst;
}

int swizzle_conflicts(const Swizzle *swizzle, const Layout *layout, int elem_bytes, int warps) {
    int bytes = elem_bytes << swizzle->vector, worst = 0;
    int lanes = bytes > 8 ? 8 : bytes > 4 ? 16 : 32;
    uint32_t inside = 0; /* registers that are within a vector */
    for (int i = 0; i < layout->num[KIND_REG]; i++)
        if (has(swizzle->image, swizzle->vector, layout->column[KIND_REG][i])) inside |= 1u << i;
    for (int warp = 0; warp < warps; warp++)
        for (uint32_t reg = 0; reg < (uint32_t)layout_regs(layout); reg++)
            for (int first = 0; !(reg & inside) && first < 32; first += lanes) {
                int c = wavefront_conflicts(swizzle, layout, elem_bytes, reg, (uint32_t)warp, first,
                                            lanes);
                if (c > worst) worst = c;
            }
    return worst;
}
