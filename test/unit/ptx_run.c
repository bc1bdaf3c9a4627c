// SPDX-License-Identifier: Apache-2.0
/* Kernels as IR text, lowered to thread IR and run; what they leave is compared with C. */
#include "ptx_block.h"

static const int warp_counts[] = {1, 2, 4, 8, 32};

/* softmax of rows, masked at `columns` */
static const char softmax_text[] = "func @softmax(%y: ptr<f32> {divisible = 16}, %x: ptr<f32> "
                                   "{divisible = 16}, %stride: i32 {divisible = 16}, %n: i32) {\n"
                                   "  %p = program_id {axis = 0} : i32\n"
                                   "  %o = mul %p, %stride : i32\n"
                                   "  %xr = addptr %x, %o : ptr<f32>\n"
                                   "  %yr = addptr %y, %o : ptr<f32>\n"
                                   "  %r = arange {start = 0, end = 1024} : tile<1024xi32>\n"
                                   "  %nt = splat %n : tile<1024xi32>\n"
                                   "  %m = icmp %r, %nt {predicate = slt} : tile<1024xi1>\n"
                                   "  %xs = splat %xr : tile<1024xptr<f32>>\n"
                                   "  %xp = addptr %xs, %r : tile<1024xptr<f32>>\n"
                                   "  %inf = constant 0xff800000 : tile<1024xf32>\n"
                                   "  %v = load %xp, %m, %inf : tile<1024xf32>\n"
                                   "  %max = reduce %v {axis = 0} : f32 (%a: f32, %b: f32) {\n"
                                   "    %c = fmax %a, %b {nan = 0} : f32\n"
                                   "    yield %c\n"
                                   "  }\n"
                                   "  %ms = splat %max : tile<1024xf32>\n"
                                   "  %d = fsub %v, %ms : tile<1024xf32>\n"
                                   "  %e = exp %d : tile<1024xf32>\n"
                                   "  %sum = reduce %e {axis = 0} : f32 (%a2: f32, %b2: f32) {\n"
                                   "    %c2 = fadd %a2, %b2 : f32\n"
                                   "    yield %c2\n"
                                   "  }\n"
                                   "  %ss = splat %sum : tile<1024xf32>\n"
                                   "  %q = fdiv %e, %ss : tile<1024xf32>\n"
                                   "  %ys = splat %yr : tile<1024xptr<f32>>\n"
                                   "  %yp = addptr %ys, %r : tile<1024xptr<f32>>\n"
                                   "  store %yp, %q, %m\n"
                                   "  yield\n"
                                   "}\n";

TEST(softmax) {
    Arena *arena = arena_new(NULL);
    for (int w = 0; w < COUNT(warp_counts); w++) {
        ThreadBlock *k = block_of(arena, softmax_text, "sm_90a", warp_counts[w]);
        CHECK(k);
        if (!k) break;
        _Alignas(16) static float x[3 * 800], y[3 * 800];
        for (int i = 0; i < 2400; i++) x[i] = (float)((i * 7919) % 1000) / 100 - 5, y[i] = -1;
        block_buffer(k, 0, y, sizeof y), block_buffer(k, 1, x, sizeof x);
        k->params[2] = 800, k->params[3] = 781;
        run_grid(k, 3);
        CHECK(!k->failed);
        for (int row = 0; row < 3; row++) {
            double sum = 0, max = -1e9;
            for (int i = 0; i < 781; i++) max = fmax(max, (double)x[row * 800 + i]);
            for (int i = 0; i < 781; i++) sum += exp((double)x[row * 800 + i] - max);
            for (int i = 0; i < 800; i++) {
                double want = i < 781 ? exp((double)x[row * 800 + i] - max) / sum : -1;
                CHECK(fabs((double)y[row * 800 + i] - want) <= 1e-6 * fabs(want));
            }
        }
    }
    arena_free(arena);
}

TEST_MAIN()
