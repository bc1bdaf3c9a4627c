// SPDX-License-Identifier: Apache-2.0
/* Layouts by brute force: each element is somewhere, fragments are where the PTX ISA says, swizzled
 * tiles are bijections without bank conflicts. */
#include "ir/layout.h"
#include "test.h"

static uint64_t state = 88172645463325252u;

static int random_below(int limit) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (int)(state >> 33) % limit;
}

static void check_covers(const Layout *layout) {
    static unsigned char count[1 << 16];
    int total = 1 << layout->tile_bits, warps = 1 << layout->num[KIND_WARP];
    memset(count, 0, (size_t)total);
    for (int w = 0; w < warps; w++)
        for (int l = 0; l < 32; l++) {
            uint32_t place = (uint32_t)(l | w << LANE_BITS);
            if (place & layout_replica_mask(layout)) continue;
            for (int r = 0; r < layout_regs(layout); r++)
                count[layout_index(layout, (uint32_t)r, (uint32_t)l, (uint32_t)w)]++;
        }
    int bad = 0;
    for (int i = 0; i < total; i++) bad += count[i] != 1;
    CHECK(bad == 0);
}

static Layout random_blocked(const TileShape *shape, int warp_bits) {
    int order[2] = {random_below(2)}, per_thread[2];
    order[1] = 1 - order[0];
    per_thread[order[0]] = random_below(4);
    per_thread[order[1]] = random_below(2);
    for (int d = 0; d < 2; d++)
        if (per_thread[d] > shape->log2[d]) per_thread[d] = shape->log2[d];
    return layout_blocked(shape, order, per_thread, warp_bits);
}

TEST(blocked_layouts_hold_each_element_once) {
    for (int i = 0; i < 500; i++) {
        TileShape shape = {2, {random_below(7), random_below(7)}};
        Layout layout = random_blocked(&shape, random_below(6));
        check_covers(&layout);
        BitPlace places[MAX_TILE_BITS];
        CHECK(layout_places(&layout, places));
    }
}

/* PTX ISA, m16n8k16 with 16-bit operands: group = lane / 4, t = lane % 4. */
TEST(mma_fragments_are_where_the_isa_says) {
    Layout a = layout_mma_a(4, 4, 0, 0, 1, 1), b = layout_mma_b(4, 3, 0, 0, 1, 1),
           c = layout_mma(4, 3, 0, 0);
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t group = lane / 4, t = lane % 4;
        for (uint32_t i = 0; i < 8; i++) {
            uint32_t row = group + ((i >> 1) & 1 ? 8 : 0), k = t * 2 + (i & 1) + (i >= 4 ? 8 : 0);
            CHECK(layout_index(&a, i, lane, 0) == row * 16 + k);
        }
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t k = t * 2 + (i & 1) + (i >= 2 ? 8 : 0);
            CHECK(layout_index(&b, i, lane, 0) == k * 8 + group);
            uint32_t row = group + (i >= 2 ? 8 : 0), column = t * 2 + (i & 1);
            CHECK(layout_index(&c, i, lane, 0) == row * 8 + column);
        }
    }
    for (int wm = 0; wm < 3; wm++)
        for (int wn = 0; wn < 3; wn++) {
            Layout l = layout_mma(6, 6, wm, wn);
            check_covers(&l);
            l = layout_mma_a(6, 6, wm, wn, 2, 1), check_covers(&l);
            l = layout_mma_b(6, 6, wm, wn, 0, 1), check_covers(&l);
        }
}

static uint32_t elements_of_warp(const Layout *layout, uint32_t warp, unsigned char *held) {
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t r = 0; r < (uint32_t)layout_regs(layout); r++)
            count += !held[layout_index(layout, r, lane, warp)]++;
    return count;
}

/* What a product left in a warp is stored by it, in vectors of neighbours. */
TEST(warps_keep_what_they_multiplied) {
    static unsigned char held[1 << 16];
    for (int m = 6; m < 9; m++)
        for (int n = 3; n < 9; n++)
            for (int warps_n = 0; warps_n < 2 && n - warps_n > 2; warps_n++) {
                TileShape shape = {2, {m, n}};
                int order[2] = {1, 0}, vector = n - warps_n < 4 ? n - warps_n : 3;
                Layout product = layout_wgmma(m, n, m > 6 ? 3 : 2, warps_n);
                Layout rows = layout_blocked_in_warps(&shape, order, vector, &product);
                check_covers(&rows);
                CHECK(layout_vector_bits(&rows, 0) >= vector);
                CHECK(layout_same_warps(&product, &rows));
                for (uint32_t warp = 0; warp < 1u << product.num[KIND_WARP]; warp++) {
                    memset(held, 0, sizeof held);
                    uint32_t count = elements_of_warp(&product, warp, held);
                    CHECK(count && !elements_of_warp(&rows, warp, held));
                }
            }
    TileShape shape = {2, {7, 7}};
    Layout product = layout_wgmma(7, 7, 3, 0);
    Layout other = layout_blocked(&shape, (int[]){1, 0}, (int[]){0, 3}, 3);
    CHECK(!layout_same_warps(&product, &other));
    Layout copies = layout_wgmma(7, 7, 3, 0); /* two groups of warps hold the same */
    copies.column[KIND_WARP][2] = 0;
    CHECK(!layout_same_warps(&copies, &copies));
}

TEST(restriction_and_permutation_follow_the_index) {
    for (int i = 0; i < 300; i++) {
        TileShape shape = {2, {1 + random_below(5), 1 + random_below(5)}};
        Layout layout = random_blocked(&shape, random_below(4));
        int bits = layout.tile_bits, low = shape.log2[1], high = shape.log2[0];
        Layout rows = layout_restrict(&layout, ((1u << high) - 1) << low);
        int from[MAX_TILE_BITS];
        for (int b = 0; b < high; b++) from[b] = low + b;
        for (int b = 0; b < low; b++) from[high + b] = b;
        Layout turned = layout_permute(&layout, from, bits);
        check_covers(&rows);
        for (int k = 0; k < 50; k++) {
            uint32_t r = (uint32_t)random_below(layout_regs(&layout)),
                     lane = (uint32_t)random_below(32);
            uint32_t warp = (uint32_t)random_below(1 << layout.num[KIND_WARP]);
            uint32_t index = layout_index(&layout, r, lane, warp);
            uint32_t row = index >> low, column = index & ((1u << low) - 1);
            CHECK(layout_index(&turned, r, lane, warp) == (column << high | row));
            CHECK((layout_index(&rows, 0, lane, warp) & ~row) == 0 || rows.num[KIND_REG] >= 0);
        }
        Layout joined = layout_join(&layout), back = layout_split(&joined);
        CHECK(layout_can_split(&joined));
        for (int kind = 0; kind < NUM_KINDS; kind++)
            CHECK(!memcmp(back.column[kind], layout.column[kind],
                          sizeof(uint32_t) * (size_t)layout.num[kind]));
    }
}

TEST(swizzles_are_bijections_without_bank_conflicts) {
    int moves = 0, conflicts = 0;
    for (int i = 0; i < 1500; i++) {
        TileShape shape = {2, {4 + random_below(3), 4 + random_below(3)}};
        if (tile_shape_bits(&shape) < 9) continue;
        int warp_bits = 2 + random_below(2), bytes = 1 << random_below(3);
        Layout from = random_blocked(&shape, warp_bits);
        Layout to = random_below(3) ? random_blocked(&shape, warp_bits)
                                    : layout_mma(shape.log2[0], shape.log2[1], 1, warp_bits - 1);
        if (layout_replica_mask(&from) || layout_replica_mask(&to)) continue;
        Swizzle s = swizzle_choose(&from, &to, bytes);
        CHECK(gf2_rank(s.image, s.bits) == s.bits);
        for (int b = 0; b < s.bits; b++)
            CHECK(gf2_apply(s.image, s.bits, swizzle_offset(&s, 1u << b)) == 1u << b);
        moves++;
        conflicts += swizzle_conflicts(&s, &from, bytes, 1 << warp_bits) > 0;
        conflicts += swizzle_conflicts(&s, &to, bytes, 1 << warp_bits) > 0;
    }
    printf("%d conversions, %d sides with bank conflicts\n", moves, conflicts);
    CHECK(moves > 300);
    CHECK(conflicts == 0);
}

TEST(rows_of_matrices_are_whole_and_in_different_banks) {
    for (int fast_bits = 3; fast_bits < 9; fast_bits++)
        for (int slow_bits = 3; slow_bits < 9; slow_bits++) {
            bool row_major = fast_bits & 1;
            int fast = row_major ? 0 : slow_bits, slow = row_major ? fast_bits : 0;
            Swizzle s = swizzle_panels(fast, fast_bits, slow, slow_bits, 2);
            CHECK(s.bits == fast_bits + slow_bits && gf2_rank(s.image, s.bits) == s.bits &&
                  s.vector == 3);
            for (int b = 0; b < s.bits; b++)
                CHECK(gf2_apply(s.image, s.bits, swizzle_offset(&s, 1u << b)) == 1u << b);
            for (int i = 0; i < 50; i++) {
                uint32_t at_fast = (uint32_t)random_below(1 << fast_bits) & ~7u;
                uint32_t at_slow = (uint32_t)random_below(1 << slow_bits) & ~7u, banks = 0;
                for (uint32_t row = 0; row < 8; row++) {
                    uint32_t index = at_fast << fast | (at_slow + row) << slow,
                             offset = swizzle_offset(&s, index);
                    CHECK(offset % 8 == 0 &&
                          swizzle_offset(&s, index + (7u << fast)) == offset + 7);
                    banks |= 1u << offset / 8 % 8; /* 16 bytes, of the 128 that all banks give */
                }
                CHECK(banks == 255);
            }
        }
}

TEST(solve_finds_what_apply_made) {
    for (int i = 0; i < 1000; i++) {
        uint32_t columns[8], x;
        for (int c = 0; c < 8; c++) columns[c] = (uint32_t)random_below(1 << 12);
        uint32_t target = gf2_apply(columns, 8, (uint32_t)random_below(256));
        CHECK(gf2_solve(columns, 8, target, &x) && gf2_apply(columns, 8, x) == target);
        CHECK(gf2_rank(columns, 8) <= 8);
    }
    uint32_t x, one[] = {1, 2};
    CHECK(!gf2_solve(one, 2, 4, &x));
}

TEST_MAIN()
