// SPDX-License-Identifier: Apache-2.0
/* The lines of a graph of several nodes: what a fuser hands to the same loops, loads and stores. */
#include "tensor/plan.h"
#include "test.h"

TEST(several_nodes_are_lines_in_order) {
    jmp_buf no_memory;
    if (setjmp(no_memory)) return;
    Arena *arena = arena_new(&no_memory);
    Emitter emitter = {.text = {.arena = arena}, .indent = "    "};
    static const tern_dtype inputs[] = {TERN_FLOAT16, TERN_INT32};
    /* round to f16 after the first, as an op by itself does; then f32 until the end */
    static const Node nodes[] = {
        {.formula = "tl.exp(a)",
         .operands = {0},
         .num_operands = 1,
         .types = {TERN_FLOAT32},
         .compute = TERN_FLOAT32,
         .dtype = TERN_FLOAT16},
        {.formula = "a * tl.abs(b)",
         .operands = {2, 1},
         .num_operands = 2,
         .types = {TERN_FLOAT32, TERN_FLOAT32},
         .compute = TERN_FLOAT32,
         .dtype = TERN_FLOAT32},
        {.formula = "tl.where(a > b, a, b)",
         .operands = {3, 2},
         .num_operands = 2,
         .types = {TERN_FLOAT32, TERN_FLOAT32},
         .compute = TERN_FLOAT32,
         .dtype = TERN_BOOL},
    };
    emit_graph(&emitter, &(Graph){2, inputs, nodes, 3}, "y");
    CHECK_STR(emitter.text.data, "    a_fp32 = a.to(tl.float32)\n"
                                 "    v0 = tl.exp(a_fp32)\n"
                                 "    v0 = v0.to(tl.float16)\n"
                                 "    v0_fp32 = v0.to(tl.float32)\n"
                                 "    b_fp32 = b.to(tl.float32)\n"
                                 "    v1 = v0_fp32 * tl.abs(b_fp32)\n"
                                 "    v0_fp32 = v0.to(tl.float32)\n"
                                 "    y = tl.where(v1 > v0_fp32, v1, v0_fp32)\n"
                                 "    y = (y != 0)\n");
    arena_free(arena);
}

TEST(only_whole_words_are_operands) {
    jmp_buf no_memory;
    if (setjmp(no_memory)) return;
    Arena *arena = arena_new(&no_memory);
    Buf text = {.arena = arena};
    emit_formula(&text, "tl.abs(a) + b.a + ab - _c * c", (const char *[26]){"x", "y", "z"});
    CHECK_STR(text.data, "tl.abs(x) + y.a + ab - _c * z");
    CHECK(formula_names("a * p", "p") && !formula_names("tl.exp(a.p)", "p"));
    arena_free(arena);
}

TEST_MAIN()
