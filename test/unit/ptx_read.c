// SPDX-License-Identifier: Apache-2.0
/* What PTX text says, as far as reading goes: numbers in each form, registers by name, scopes, and
 * addresses. Each statement of a kernel leaves its value in a register that is stored and looked
 * at; what ptxas would not take, or tern does not, is refused with its place. */
#include "sim_ptx.h"

/* ---- what is read ---- */

static const struct {
    const char *text; /* leaves the value in %d1 */
    uint64_t want;
} values[] = {
    {"mov.u64 %d1, 0;", 0},
    {"mov.u64 %d1, 0U;", 0},
    {"mov.u64 %d1, 42U;", 42},
    {"mov.u64 %d1, 017;", 15},
    {"mov.u64 %d1, 0b1011;", 11},
    {"mov.u64 %d1, 0B10;", 2},
    {"mov.u64 %d1, 0xfA;", 0xfa},
    {"mov.u64 %d1, 0XFaU;", 0xfa},
    {"mov.u64 %d1, 0xffffffffffffffff;", UINT64_MAX},
    {"mov.u64 %d1, 18446744073709551615;", UINT64_MAX},
    {"mov.s64 %d1, -9223372036854775808;", 1ull << 63},
    {"mov.s64 %d1, -7;", UINT64_MAX - 6},
    {"mov.f64 %d1, 0d3FF8000000000000;", 0x3ff8000000000000},
    {"mov.f64 %d1, 0D3ff8000000000000;", 0x3ff8000000000000},
    {"mov.f64 %d1, 1.5;", 0x3ff8000000000000},
    {"mov.f64 %d1, -1.5;", 0xbff8000000000000},
    {"mov.f64 %d1, -0.0;", 1ull << 63},
    {"mov.f64 %d1, 0.15e1;", 0x3ff8000000000000},
    {"mov.f32 %r1, 0f3FC00000; cvt.u64.u32 %d1, %r1;", 0x3fc00000},
    {"mov.f32 %r1, -1.5; cvt.u64.u32 %d1, %r1;", 0xbfc00000},
    {"mov.b32 %r1, -1; cvt.u64.u32 %d1, %r1;", UINT32_MAX},
    /* Of a row of registers; names with digits of their own. */
    {".reg .b64 x, x9y, %q<12>, $b; mov.u64 %q11, 5; mov.u64 x, %q11; add.s64 x9y, x, 1; "
     "add.s64 $b, x9y, x9y; mov.u64 %d1, $b;",
     12},
    {".reg .b64 %s<12346>, %t12; mov.u64 %s12345, 3; mov.u64 %t12, 4; "
     "add.s64 %d1, %s12345, %t12;",
     7},
    /* Inner names hide outer ones, and are gone behind the scope. */
    {".reg .b64 hidden; mov.u64 hidden, 1; { .reg .b64 hidden; mov.u64 hidden, 2; } "
     "mov.u64 %d1, hidden;",
     1},
    {".reg .b64 outer; { { mov.u64 outer, 6; } add.s64 outer, outer, 1; } mov.u64 %d1, outer;", 7},
    {"mov.u64 %d1, 1; bra over; { over: mov.u64 %d1, 2; } over: add.s64 %d1, %d1, 4;", 5},
    {"mov.u64 %d1, 1; { bra out; } mov.u64 %d1, 8; out: add.s64 %d1, %d1, 4;", 5},
    {"mov.u64 %d1, 1; { bra in; mov.u64 %d1, 8; in: } bra in; mov.u64 %d1, 8; in: "
     "add.s64 %d1, %d1, 4;",
     5},
    {"/* mov.u64 %d1, 1;\n * / ** */ mov.u64 %d1, 2; // mov.u64 %d1, 3;\n", 2},
    /* Of nvcc's texts: the low half of a wide register, bits in the middle of 64, bytes of 32. */
    {"mov.u64 %d2, 0x123489abcdef; cvt.s64.s32 %d1, %d2;", 0xffffffff89abcdef},
    {"mov.u64 %d2, 0xff; mov.u64 %d3, 0x1234; bfi.b64 %d1, %d2, %d3, 32, 4;", 0xf00001234},
    {"mov.u32 %r1, 0x1ff80; cvt.s64.s8 %d1, %r1;", 0xffffffffffffff80},
    {"mov.u32 %r1, WARP_SZ; cvt.u64.u32 %d1, %r1;", 32},
    {".reg .pred %q<2>; mov.pred %q0, -1; mov.pred %q1, 0; selp.b64 %d1, 4, 5, %q0; "
     "selp.b64 %d2, 6, 7, %q1; add.s64 %d1, %d1, %d2;",
     11},
    {"mov.u64 %d1, 3; nanosleep.u32 20; add.s64 %d1, %d1, 1;", 4},
    /* [a+b+-c] */
    {"mov.u64 %d2, 9; st.global.u64 [%d0+8], %d2; ld.global.u64 %d1, [%d0+16+-8];", 9},
    {"mov.u64 %d2, 3; st.global.u64 [%d0], %d2; add.s64 %d2, %d0, 24; ld.global.u64 %d1, "
     "[%d2+-24];",
     3},
    /* The second cache's policy says nothing of values. */
    {"mov.u64 %d2, 8; createpolicy.fractional.L2::evict_first.b64 %d3, 1.0; "
     "st.global.L1::evict_first.L2::cache_hint.u64 [%d0], %d2, %d3; "
     "ld.global.L1::evict_last.L2::cache_hint.b64 {%d1}, [%d0], %d3;",
     8},
    {".reg .b32 %w<2>; mov.u64 %d2, 7; st.global.u64 [%d0], %d2; "
     "createpolicy.fractional.L2::evict_last.b64 %d3, 1.0; "
     "ld.global.L2::cache_hint.v2.u32 {%w0, %w1}, [%d0], %d3; cvt.u64.u32 %d1, %w0;",
     7},
    {".shared .align 16 .b8 s[16]; .reg .b32 %w<1>; mov.u64 %d2, 6; st.global.u64 [%d0], %d2; "
     "createpolicy.fractional.L2::evict_first.b64 %d3, 1.0; mov.u32 %w0, s; "
     "cp.async.ca.shared.global.L2::cache_hint [%w0], [%d0], 8, %d3; cp.async.wait_all; "
     "ld.shared.u64 %d1, [s];",
     6},
    {".shared .align 16 .b8 s2[16]; .reg .b32 %w<2>; mov.u64 %d2, 6; st.global.u64 [%d0], %d2; "
     "createpolicy.fractional.L2::evict_last.b64 %d3, 1.0; mov.u32 %w0, s2; mov.u32 %w1, 4; "
     "cp.async.ca.shared.global.L2::cache_hint [%w0], [%d0], 8, %w1, %d3; cp.async.wait_all; "
     "ld.shared.u64 %d1, [s2];",
     6},
};

TEST(values_are_read) {
    static uint64_t out[COUNT(values) + 2];
    Bench b = bench_new();
    Buf body = {.arena = b.arena};
    bench_buffer(&b, out, sizeof out);
    for (int i = 0; i < COUNT(values); i++)
        buf_printf(&body,
                   "{ ld.param.u64 %%d0, [param_0]; add.s64 %%d0, %%d0, %d;\n{ %s }\n"
                   "st.global.u64 [%%d0], %%d1; }\n",
                   i * 8, values[i].text);
    CHECK(bench_says(&b, entry_text(b.arena, 1, 1, body.data), 1, NULL));
    for (int i = 0; i < COUNT(values); i++) {
        if (out[i] != values[i].want)
            printf("%s: %llx, not %llx\n", values[i].text, (unsigned long long)out[i],
                   (unsigned long long)values[i].want);
        CHECK(out[i] == values[i].want);
    }
    arena_free(b.arena);
}

/* ---- what is not ---- */

static const struct {
    const char *body, *words;
} wrong[] = {
    {"mov.u64 %d1, 08;", "'08' is no number"},
    {"mov.u64 %d1, 0b12;", "'0b12' is no number"},
    {"mov.u64 %d1, 0b;", "'0b' is no number"},
    {"mov.u64 %d1, 0x;", "'0x' is no number"},
    {"mov.u64 %d1, 0xg;", "'0xg' is no number"},
    {"mov.u64 %d1, 1UU;", "'1UU' is no number"},
    {"mov.u64 %d1, 18446744073709551616;", "'18446744073709551616' is no number"},
    {"mov.u64 %d1, 0x10000000000000000;", "'0x10000000000000000' is no number"},
    {"mov.s64 %d1, -9223372036854775809;", "the number is too small"},
    {"mov.f64 %d1, 0d3FF000000000000;", "'0d3FF000000000000' is no number"},
    {"mov.f64 %d1, 0d3FF00000000000000;", "'0d3FF00000000000000' is no number"},
    {"mov.f32 %r1, 0f3F80000;", "'0f3F80000' is no number"},
    {"mov.f64 %d1, -0d3FF0000000000000;", "'-' before a number given by its bits"},
    {"mov.f64 %d1, 1.5.5;", "'1.5.5' does not fit"},
    {"mov.u64 %d1, -%d2;", "expected an operand, saw '%d2'"},
    {".reg .b64 %q<0>; mov.u64 %d1, %q;", "%q"},
    {".reg .b64 %q<2>; mov.u64 %d1, %q;", "%q"},
    {".reg .b64 %q<2>; mov.u64 %d1, %q2;", "%q2"},
    {".reg .b64 %q<2>; mov.u64 %d1, %q01;", "%q01"},
    {"mov.u64 %d1, ;", "expected an operand, saw ';'"},
    {"mov.u64 %d1, \"2\";", "expected an operand, saw '\"2\"'"},
    {"mov.u64 %d9, 1;", "'%d9' does not fit"},
    {"mov.u64 %d01, 1;", "'%d01' on device 'sim'"},
    {"mov.u64 %d, 1;", "'%d' does not fit"},
    {".reg .b64 %q<9>; mov.u64 %q4294967297, 1;", "'%q4294967297' does not fit"},
    /* Nor does ptxas find one of a row whose name ends in digits. */
    {".reg .b64 %q1<3>; mov.u64 %q12, 1;", "'%q12' does not fit"},
    {".reg .b64 x; mov.u64 x0, 1;", "'x0' does not fit"},
    {".reg .b64 x, x;", "'x' is declared twice"},
    {"{ .reg .b64 y; } mov.u64 y, 1;", "'y' does not fit"},
    {"{ in: } bra in;", "there is no label 'in'"},
    {"here: { here: } here: ret;", "label 'here' stands twice"},
    {"@%d1 mov.u64 %d1, 1;", "expected a predicate after '@', saw '%d1'"},
    {"@none mov.u64 %d1, 1;", "expected a predicate after '@', saw 'none'"},
    {"ld.global.u64 %d1, [%d0+-];", "expected a number up to 2147483647, saw ']'"},
    {"ld.global.u64 %d1, [%d0+2147483648];", "an offset of 2147483648 bytes"},
    {"ld.global.u64 %d1, [%d0+1.5];", "expected a number up to 2147483647, saw '1.5'"},
    {"ld.global.L2::cache_hint.u64 %d1, [%d0];", "needs a policy in a register of 64 bits"},
    {"ld.global.L2::cache_hint.u64 %d1, [%d0], %r1;", "needs a policy in a register of 64 bits"},
    {".shared .align 16 .b8 s[16]; cp.async.ca.shared.global.L2::cache_hint [s], [%d0], 8;",
     "needs a policy in a register of 64 bits"},
    {"ld.global.u64 %d1, [%d0], %d1;", "takes 2 operands, not 3"},
    {"ld.global.u64 %d1, [%d0;", "expected ']', saw ';'"},
    {".reg .b64 %z<1048577>;", "more than 1048576 registers"},
    {".reg .b32 %y<1048576>, %z<1048576>;", "more than 1048576 registers"},
    {".reg .b64 %z<3;", "expected '>', saw ';'"},
    {".local .b8 l[16777217];", "expected a number up to 16777216"},
    {".local .b8 l[16777216]; .local .b8 k[1];", "more than 16 MB of shared or local memory"},
    {".local .b8 l[4]; .local .b8 l[4];", "'l' is declared twice"},
    {".local .align 2048 .b8 l[4];", "an alignment of 2048 bytes"},
    {".param .b16 a;", "a parameter of 2 bytes"},
    {".param .b64 a; call vprintf, (a);", "argument 'a', which was given no value"},
    {"{ .param .b64 a; st.param.b64 [a], %d1; } call vprintf, (a);", "there is no argument 'a'"},
    {".loc 1 2;", "expected a number up to 2147483647, saw ';'"},
    {".loc 32768 2 3;", "file 32768 on device 'sim'"},
    {".version 8.0", "'.version'"},
    {"mov.u64 %d1, 1", "expected ',', saw 'ret'"},
    {"mov.u64 %d1, 1; /* \n * \n", "a comment without an end"},
};

/* The refusal of a text, or "" for one that is read. */
static const char *refusal(Arena *arena, const char *text) {
    Diag diag = {.arena = arena};
    Buf out = {.arena = arena};
    if (!strstr(text, ".version"))
        text = str_format(arena, ".version 8.4 %s%s",
                          strstr(text, ".target") ? "" : ".target sm_75 ", text)
                   .data;
    bool is_read = sim_parse(arena, str_of(text), 0, &diag) != NULL;
    CHECK(is_read != diag_failed(&diag));
    buf_puts(&out, "");
    diag_print(&diag, false, &out);
    return out.data;
}

static void check_refusal(Arena *arena, const char *text, const char *words) {
    const char *said = refusal(arena, text);
    if (!strstr(said, words)) printf("want '%s', got '%s'\n", words, said);
    CHECK(strstr(said, words) && strstr(said, "<ptx>:"));
}

TEST(what_is_wrong_has_its_place) {
    Arena *arena = arena_new(NULL);
    for (int i = 0; i < COUNT(wrong); i++)
        check_refusal(arena, entry_text(arena, 1, 32, wrong[i].body), wrong[i].words);
    /* The lines of a comment count. */
    check_refusal(arena, entry_text(arena, 0, 32, "/*\n\n*/\nwrong %d1;"), "<ptx>:15:1: ");
    arena_free(arena);
}

/* ---- how much there may be ---- */

TEST(limits) {
    Arena *arena = arena_new(NULL);
    for (int more = 0; more < 2; more++) {
        Buf scopes = {.arena = arena}, params = {.arena = arena};
        for (int i = 0; i < 15 + more; i++) buf_puts(&scopes, "{ ");
        for (int i = 0; i < 15 + more; i++) buf_puts(&scopes, "} ");
        for (int i = 0; i < 64 + more; i++) buf_printf(&params, ".param .b64 a%d; ", i);
        const char *deep = refusal(arena, entry_text(arena, 1, 32, scopes.data)),
                   *many = refusal(arena, entry_text(arena, 1, 32, params.data));
        CHECK(more ? strstr(deep, "scopes nested so deep on device 'sim'") != NULL : !*deep);
        CHECK(more ? strstr(many, "a call with so many arguments") != NULL : !*many);
    }
    arena_free(arena);
}

/* ---- around the body ---- */

static const struct {
    const char *text, *words;
} modules[] = {
    {".version 8.0\n.target sm_90a\n.address_size 64\n.entry k() { ret; }", NULL},
    {".version 8.0\n.target sm_90a\n.entry k .reqntid 32, 4, 8 { ret; }", NULL},
    {".target sm_90a\n.visible .entry k(.param .u8 a, .param .f64 b) .maxntid 1024 { ret; }", NULL},
    {".target sm_90a\n.file 1 \"a\"\n.file 2 \"b\"\n.extern .func f (.param .b32 x);\n"
     ".extern .shared .align 16 .b8 s[];\n.entry k() .minnctapersm 32 { ret; }",
     NULL},
    {".target sm_90a", "no entry in the text"},
    {".target ampere", "expected a target such as sm_90a"},
    {".address_size 32", "expected '64', saw '32'"},
    {".file 2 \"b\"", "'\"b\"'"},
    {".file 1 b", "'b'"},
    {".extern .global .b8 x[1];", "'.global'"},
    {".extern .func f", "no entry in the text"},
    {".extern .shared .b8 s[", "expected a number"},
    {".weak .entry k() { ret; }", NULL},
    {".entry k(.param .u64 .ptr .global .align 4 a, .param .u64 .ptr b) { ret; }", NULL},
    {".entry k(.param .align 8 .b8 a[24]) { .reg .b64 %d<2>; .reg .b32 %r<3>; .reg .b16 %h<1>;\n"
     "ld.param.u64 %d0, [a+16]; ld.param.v2.u32 {%r0, %r1}, [a+8]; ld.param.s8 %h0, [a+23]; ret; }",
     NULL},
    {".entry k(.param .align 8 .b8 a[24]) { .reg .b64 %d<2>; ld.param.u64 %d0, [a+20]; ret; }",
     "a part of a parameter"},
    {".entry k(.param .align 8 .b8 a[24]) { .reg .b64 %d<2>; ld.param.u64 %d0, [a+24]; ret; }",
     "a part of a parameter"},
    {".entry k(.param .align 8 .b8 a[24]) { .reg .b64 %d<2>; ld.param.u64 %d0, [a+-8]; ret; }",
     "a part of a parameter"},
    {".entry k(.param .align 8 .b8 a[32765]) { ret; }", "expected a number up to 32764"},
    {".entry k() { .loc 1 4 5\n.loc 1 2 3, function_name $L__info_string0+8, inlined_at 1 4 5\n"
     "ret; }",
     NULL},
    {".entry k() { .loc 1 2 3, function_name $L__info_string0+8, inlined_at 1 4 5\nret; }",
     "no .loc before this says 1 4 5"},
    {".entry k() { .loc 1 2 3, function_name $L__info_string0, inlined_at 1 4\nret; }",
     "expected a number up to 2147483647, saw 'ret'"},
    {".file 1 \"a\", 1700000000, 20\n.entry k() { ret; }", NULL},
    {".section .debug_str { $L__info_string0: .b8 95,90,0 }\n.entry k() { ret; }", NULL},
    {".section .debug_str { .b8 95", "expected '}', saw the end of the text"},
    {".shared .align 4 .u32 s;\n.const .align 4 .f32 c = 0f3F800000;\n.global .u64 g = -2;\n"
     ".global .attribute(.managed) .align 4 .u32 m;\n.entry k() { ret; }",
     NULL},
    {".target sm_90\n.entry k() { .reg .pred %p<2>; .reg .b32 %r<2>; mov.pred %p0, -1;\n"
     "mov.u32 %r0, WARP_SZ; nanosleep.u32 100; barrier.sync 0; mov.u32 %r1, %envreg1; ret; }",
     NULL},
    {".entry k() { .reg .b32 %r<2>; mov.u32 %r1, %envreg3; ret; }", "'%envreg3'"},
    {".entry k() { .reg .pred %p<2>; mov.pred %p0, 0f3F800000; ret; }", "does not fit"},
    {".func k() { ret; }", "no entry in the text"},
    {".func k() { ret; } .entry k() { ret; }", "'k' is declared twice"},
    {".entry k() { ret; }\n.entry l() { ret; }", "a second entry on device 'sim'"},
    {".entry { ret; }", "expected a name, saw '{'"},
    {".entry k(.param .u64 a .param .u64 b) { ret; }", "expected ')', saw '.param'"},
    {".entry k(.u64 a) { ret; }", "expected '.param', saw '.u64'"},
    {".entry k(.param .v4 a) { ret; }", "'.v4'"},
    {".entry k() .reqntid 0 { ret; }", "a block of no threads"},
    {".entry k() .reqntid 1025 { ret; }", "expected a number up to 1024, saw '1025'"},
    {".entry k() .reqntid 32, 33 { ret; }", "a block of 1056 threads; at most 1024"},
    {".entry k() .reqntid 16, 16, 5 { ret; }", "a block of 1280 threads; at most 1024"},
    {".entry k() .minnctapersm 33 { ret; }", "expected a number up to 32, saw '33'"},
    {".entry k() .maxclusterrank 2 { ret; }", "'.maxclusterrank'"},
    {".entry k() { ret; ", "the body of the entry has no end"},
    {".global .b8 t[2] = {1, 2, 3};", "more values than 't' has elements"},
    {".global .b8 t[2] = {256};", "'256' in 1 bytes on device"},
    {".global .u16 t = 65536;", "'65536' in 2 bytes on device"},
    {".global .u64 t = other;", "'other'"},
    {".global .b8 t[2] = {1;", "expected '}', saw ';'"},
    {".global .b32 t[1] = {1, 2};", "more values than 't' has elements"},
    {".global .q8 t[2];", "'.q8'"},
};

TEST(modules_are_read_or_refused) {
    Arena *arena = arena_new(NULL);
    for (int i = 0; i < COUNT(modules); i++)
        if (modules[i].words)
            check_refusal(arena, modules[i].text, modules[i].words);
        else
            CHECK_STR(refusal(arena, modules[i].text), "");
    arena_free(arena);
}

TEST_MAIN()
