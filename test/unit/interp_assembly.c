// SPDX-License-Identifier: Apache-2.0
/* Inline PTX on the interpreter, on IR text: what it may touch, where it loops, what time it reads.
 * What it computes is test/run/inline_asm_math.py. */
#include "api/context.h"
#include "test.h"

static tern_context *context;
static int32_t memory[64];

static void begin(int timeout_ms) {
    tern_open_options options = {.device = "interp", .cache_dir = "", .timeout_ms = timeout_ms};
    context = tern_open(&options, NULL, NULL, 0);
    memset(memory, 0, sizeof memory);
}

/* Lane i of %o is first + i, its address in %p that of memory[first + i]; %r, what the text gives
 * of both, is stored from `memory` on. */
static tern_status launched(int first, int lanes, const char *text) {
    Arena *arena = arena_new(NULL);
    Str kernel_text = str_format(
        arena,
        "func @k(%%x: ptr<i32>) {\n  %%o = arange {start = %d, end = %d} : tile<%dxi32>\n"
        "  %%i = arange {start = 0, end = %d} : tile<%dxi32>\n  %%s = splat %%x : "
        "tile<%dxptr<i32>>\n"
        "  %%p = addptr %%s, %%o : tile<%dxptr<i32>>\n  %%q = addptr %%s, %%i : tile<%dxptr<i32>>\n"
        "  %%r = inline_asm %%p, %%o {text = \"%s\", constraints = \"=r,l,r\", pack = 1} : "
        "tile<%dxi32>\n  store %%q, %%r\n  yield\n}\n",
        first, first + lanes, lanes, lanes, lanes, lanes, lanes, lanes, text, lanes);
    tern_kernel *kernel = kernel_from_ir(context, kernel_text.data, NULL);
    CHECK(kernel);
    if (!kernel) printf("%s\n%s", kernel_text.data, tern_message(context));
    arena_free(arena);
    if (!kernel) return TERN_ERROR_COMPILE;
    tern_argument x = tern_arg_buffer(tern_wrap(context, memory, sizeof memory));
    return tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, &x, 1);
}

/* The program ends where it is refused: neither the other lanes nor what stands behind are done. */
TEST(an_access_that_is_refused_ends_the_program) {
    static const struct {
        const char *text, *words, *lane;
        bool stays; /* what the lanes before it wrote */
    } rows[] = {
        {"ld.global.b32 $0, [$1];", "load of 4 bytes outside the buffer of 'x', which has 256",
         "lane [2]", false},
        {"st.global.b32 [$1], $2; mov.b32 $0, 1;", "store of 4 bytes outside the buffer of 'x'",
         "lane [2]", true},
        {"atom.global.add.u32 $0, [$1], $2;", "atomic of 4 bytes outside the buffer of 'x'",
         "lane [2]", true},
        {"ld.global.b32 $0, [$1+4];", "load of 4 bytes outside the buffer of 'x', which has 256",
         "lane [1]", false},
        {"{ .reg .b32 t; ld.global.v2.b32 {$0, t}, [$1+-4]; }", "not a multiple of its 8 bytes",
         "lane [0]", false},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        begin(0);
        CHECK(launched(62, 4, rows[i].text) == TERN_ERROR_KERNEL);
        const char *said = tern_message(context);
        bool fine = strstr(said, rows[i].words) && strstr(said, rows[i].lane);
        CHECK(fine);
        if (!fine) printf("%s\n", said);
        for (int k = 0; k < 64; k++) CHECK(memory[k] == (rows[i].stays && k >= 62 ? k : 0));
        tern_close(context);
    }
}

TEST(a_branch_back_is_a_loop) {
    begin(50);
    CHECK(launched(0, 1, "{ .reg .pred p; setp.eq.s32 p, $2, 0; L: @p bra L; mov.b32 $0, 1; }") ==
          TERN_ERROR_KERNEL);
    CHECK(strstr(tern_message(context), "the launch takes longer than its time limit"));
    CHECK(memory[0] == 0);
    tern_close(context);
    /* and one to what comes next is none */
    begin(0);
    CHECK(launched(0, 1, "{ .reg .pred p; setp.eq.s32 p, $2, 0; @p bra L; L: mov.b32 $0, 7; }") ==
          TERN_OK);
    CHECK(memory[0] == 7);
    tern_close(context);
}

/* Bytes packed by four: of fewer the last stands for those that are not there. */
TEST(packs_that_are_not_full) {
    for (int lanes = 1; lanes <= 8; lanes *= 2) {
        char text[1000];
        uint8_t from[8] = {3, 50, 7, 90, 11, 130, 17, 210}, to[16] = {0};
        begin(0);
        snprintf(text, sizeof text,
                 "func @k(%%x: ptr<i8>, %%y: ptr<i8>) {\n  %%i = arange {start = 0, end = %d} : "
                 "tile<%dxi32>\n  %%s = splat %%x : tile<%dxptr<i8>>\n  %%p = addptr %%s, %%i : "
                 "tile<%dxptr<i8>>\n  %%v = load %%p : tile<%dxi8>\n  %%r = inline_asm %%v {text = "
                 "\"shf.r.wrap.b32 $0, $1, $1, 8;\", constraints = \"=r,r\", pack = 4} : "
                 "tile<%dxi8>\n  %%t = splat %%y : tile<%dxptr<i8>>\n  %%q = addptr %%t, %%i : "
                 "tile<%dxptr<i8>>\n  store %%q, %%r\n  yield\n}\n",
                 lanes, lanes, lanes, lanes, lanes, lanes, lanes, lanes);
        tern_kernel *kernel = kernel_from_ir(context, text, NULL);
        CHECK(kernel);
        if (!kernel) printf("%s\n", tern_message(context));
        tern_argument arguments[] = {tern_arg_buffer(tern_wrap(context, from, (size_t)lanes)),
                                     tern_arg_buffer(tern_wrap(context, to, (size_t)lanes))};
        CHECK(kernel && tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, 2) == TERN_OK);
        for (int i = 0; i < 16; i++) {
            int next = i % 4 < 3 ? i + 1 : i - 3;
            CHECK(to[i] == (i >= lanes ? 0 : from[next < lanes ? next : lanes - 1]));
        }
        tern_close(context);
    }
}

/* Time in ns, as the host's clock has it, and its halves. */
TEST(what_time_it_is) {
    static const char *const names[] = {"%globaltimer", "%clock64", "%globaltimer_lo", "%clock",
                                        "%globaltimer_hi"};
    for (int i = 0; i < COUNT(names); i++) {
        char text[200];
        snprintf(text, sizeof text,
                 i < 2 ? "{ .reg .b64 t; mov.u64 t, %s; shr.u64 t, t, 16; cvt.u32.u64 $0, t; }"
                       : "mov.u32 $0, %s;",
                 names[i]);
        int shift = i < 2 ? 16 : i < 4 ? 0 : 32;
        begin(0);
        uint64_t before = (uint64_t)clock_ns();
        CHECK(launched(0, 1, text) == TERN_OK);
        uint64_t passed = (uint64_t)clock_ns() - before;
        uint32_t since = (uint32_t)memory[0] - (uint32_t)(before >> shift);
        CHECK(since <= (passed >> shift) + 1);
        tern_close(context);
    }
}

TEST_MAIN()
