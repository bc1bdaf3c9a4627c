// SPDX-License-Identifier: Apache-2.0
/* vprintf and __assertfail on the simulator: what each conversion prints of values given as the ABI
 * has them, each at a multiple of its size, and what is refused. The texts are what C's printf
 * gives on a machine with 32-bit int, written down here. */
#include "sim_ptx.h"

enum { MOST_VALUES = 5 };

typedef struct Print {
    const char *format;
    struct {
        int offset, size;
        uint64_t bits;
        double number; /* the bits, where it is not 0 */
    } values[MOST_VALUES];
    const char *want; /* one lane's line, or words of the failure */
} Print;

static void hear(void *user, const char *text, size_t length) {
    Buf *heard = user;
    buf_add(heard, text, length);
    buf_putc(heard, '\1'); /* how it was handed on */
}

/* A kernel of one block that calls `function` with a string, and with the address of its values. */
static const char *call_text(Arena *arena, const char *symbols, int threads, int local,
                             const char *before, const char *call) {
    return str_format(arena,
                      ".version 8.0\n.target sm_90a\n.address_size 64\n"
                      ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 v);\n"
                      ".extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, "
                      ".param .b64 n, .param .b64 s);\n%s"
                      ".visible .entry k()\n.reqntid %d, 1, 1\n{\n"
                      ".local .align 8 .b8 depot[%d];\n.reg .pred %%p<3>;\n.reg .b32 %%r<9>;\n"
                      ".reg .b64 %%d<9>;\nmov.u32 %%r0, %%tid.x;\nmov.u64 %%d0, depot;\n"
                      "cvta.local.u64 %%d0, %%d0;\nmov.u64 %%d1, string_0;\n"
                      "cvta.global.u64 %%d1, %%d1;\n%s%sret;\n}\n",
                      symbols, threads, local, before, call)
        .data;
}

static const char vprintf_call[] =
    "{\n.param .b64 arg0;\nst.param.b64 [arg0], %d1;\n.param .b64 arg1;\n"
    "st.param.b64 [arg1], %d0;\n.param .b32 result;\ncall (result), vprintf, (arg0, arg1);\n}\n";

static const char *symbol_text(Arena *arena, int index, const char *text, size_t size) {
    Buf out = {.arena = arena};
    buf_printf(&out, ".global .align 1 .b8 string_%d[%d] = {", index, (int)size);
    for (size_t i = 0; i < size; i++)
        buf_printf(&out, "%s%d", i ? ", " : "", (unsigned char)text[i]);
    buf_puts(&out, "};\n");
    return out.data;
}

#define INT(at, x)                                                                                 \
    { at, 4, x, 0 }
#define LONG(at, x)                                                                                \
    { at, 8, x, 0 }
#define REAL(at, x)                                                                                \
    { at, 8, 0, x }

static const Print prints[] = {
    {"%d|", {INT(0, (uint32_t)-5)}, "-5|"},
    {"%i|%u|", {INT(0, (uint32_t)-5), INT(4, 4000000000u)}, "-5|4000000000|"},
    {"%x %X %o", {INT(0, 0xbeef), INT(4, 0xbeef), INT(8, 8)}, "beef BEEF 10"},
    {"%5d|%-5d|%05d|%+d",
     {INT(0, 42), INT(4, 42), INT(8, 42), INT(12, 42)},
     "   42|42   |00042|+42"},
    {"% d|%#x|%.3d", {INT(0, 7), INT(4, 7), INT(8, 7)}, " 7|0x7|007"},
    {"%lld", {LONG(0, (uint64_t)-5000000000)}, "-5000000000"},
    {"%ld %llu", {LONG(0, (uint64_t)-1), LONG(8, UINT64_MAX)}, "-1 18446744073709551615"},
    {"%llx", {LONG(0, 0x123456789abcdef0u)}, "123456789abcdef0"},
    {"%p|%10p", {LONG(0, 0xfeedbeef0u), LONG(8, 0x12)}, "0xfeedbeef0|      0x12"},
    {"%f|%.2f", {REAL(0, -2.5), REAL(8, 1e10)}, "-2.500000|10000000000.00"},
    {"%lf", {REAL(0, 0.125)}, "0.125000"},
    {"%e %E %g %G",
     {REAL(0, 1500), REAL(8, 1500), REAL(16, 1e-5), REAL(24, 1e-5)},
     "1.500000e+03 1.500000E+03 1e-05 1E-05"},
    {"%hd|%hhu|%hhd|%zx",
     {INT(0, 0x1fffb), INT(4, 0x1ff), INT(8, 0x1ff), LONG(16, 1ull << 40)},
     "-5|255|-1|10000000000"},
    {"%a %F", {REAL(0, 1), REAL(8, -0.0)}, "0x1p+0 -0.000000"},
    {"%c%c%%|100 %%", {INT(0, 'a'), INT(4, 0x100 + 'b')}, "ab%|100 %"},
    /* 8 bytes lie at a multiple of 8, whatever is before. */
    {"%d %f %d", {INT(0, 1), REAL(8, 2), INT(16, 3)}, "1 2.000000 3"},
    {"%d %d %lld", {INT(0, 1), INT(4, 2), LONG(8, 3)}, "1 2 3"},
    {"no values", {LONG(0, 0)}, "no values"},
    /* refused */
    {"%s", {LONG(0, 0)}, "a conversion of vprintf that 'sim' does not know, in '%s'"},
    {"%1001d", {INT(0, 0)}, "a conversion of vprintf that 'sim' does not know, in '%1001d'"},
    {"%.1001f", {REAL(0, 0)}, "a conversion of vprintf that 'sim' does not know, in '%.1001f'"},
    {"%n", {LONG(0, 0)}, "a conversion of vprintf that 'sim' does not know, in '%n'"},
    {"%*d", {INT(0, 0)}, "a conversion of vprintf that 'sim' does not know, in '%*d'"},
    {"%5", {INT(0, 0)}, "a conversion of vprintf that 'sim' does not know, in '%5'"},
    {"%00000000000000000000000000000000000000d", {INT(0, 0)}, "that 'sim' does not know"},
    {"%lld%lld%lld%lld%d",
     {LONG(0, 0), LONG(8, 0), LONG(16, 0), LONG(24, 0)},
     "vprintf reads its values past their end"},
    {"%lld%lld%lld%d%lld",
     {LONG(0, 0), LONG(8, 0), LONG(16, 0), INT(24, 0)},
     "vprintf reads its values past their end"},
    {"%1000d%1000d%1000d%1000d%97d",
     {INT(0, 1), INT(4, 1), INT(8, 1), INT(12, 1), INT(16, 1)},
     "vprintf prints more than 4096 bytes"},
};

static void check_print(const Print *row) {
    Bench b = bench_new();
    uint64_t bits;
    Buf before = {.arena = b.arena}, heard = {.arena = b.arena};
    for (int i = 0; i < MOST_VALUES && row->values[i].size; i++) {
        int size = row->values[i].size;
        memcpy(&bits, &row->values[i].number, sizeof bits);
        buf_printf(&before, "mov.b%d %%%c2, %llu;\nst.b%d [%%d0+%d], %%%c2;\n", 8 * size,
                   size == 8 ? 'd' : 'r', (unsigned long long)(bits | row->values[i].bits),
                   8 * size, row->values[i].offset, size == 8 ? 'd' : 'r');
    }
    b.print = hear, b.print_user = &heard;
    const char *text =
        call_text(b.arena, symbol_text(b.arena, 0, row->format, strlen(row->format) + 1), 1, 32,
                  before.data ? before.data : "", vprintf_call);
    bool ran = bench_run(&b, text, 1);
    CHECK(ran);
    bool fine = ran && (b.failure.status
                            ? strstr(b.failure.text, row->want) != NULL
                            : heard.data &&
                                  !strcmp(heard.data, str_format(b.arena, "%s\1", row->want).data));
    CHECK(fine);
    if (!fine)
        printf("'%s': wanted '%s', got '%s' (%s)\n", row->format, row->want,
               heard.data ? heard.data : "", b.failure.text);
    arena_free(b.arena);
}

TEST(conversions) {
    for (int i = 0; i < COUNT(prints); i++) check_print(&prints[i]);
}

TEST(a_line_has_a_limit) {
    static const struct {
        int length;
        const char *words;
    } rows[] = {{4095, NULL}, {4096, NULL}, {4097, "prints more than 4096 bytes"}};
    for (int i = 0; i < COUNT(rows); i++) {
        Bench b = bench_new();
        Buf heard = {.arena = b.arena};
        char *line = arena_array(b.arena, char, rows[i].length + 1);
        memset(line, 'x', (size_t)rows[i].length);
        b.print = hear, b.print_user = &heard;
        CHECK(
            bench_says(&b,
                       call_text(b.arena, symbol_text(b.arena, 0, line, (size_t)rows[i].length + 1),
                                 1, 8, "", vprintf_call),
                       1, rows[i].words));
        if (!rows[i].words) CHECK((int)heard.length == rows[i].length + 1);
        arena_free(b.arena);
    }
}

/* A string must end within its symbol, and be one. */
TEST(strings_that_are_none) {
    Bench b = bench_new();
    const char *words = "the format of vprintf is no string of the kernel";
    CHECK(bench_says(&b,
                     call_text(b.arena, symbol_text(b.arena, 0, "abc", 3), 1, 8, "", vprintf_call),
                     1, words));
    CHECK(bench_says(&b,
                     call_text(b.arena, symbol_text(b.arena, 0, "abc", 4), 1, 8,
                               "add.s64 %d1, %d1, 4;\n", vprintf_call),
                     1, words));
    CHECK(bench_says(&b,
                     call_text(b.arena, symbol_text(b.arena, 0, "abc", 4), 1, 8,
                               "add.s64 %d1, %d1, 3;\n", vprintf_call),
                     1, NULL));
    CHECK(bench_says(&b,
                     call_text(b.arena, symbol_text(b.arena, 0, "%d", 3), 1, 8,
                               "add.s64 %d0, %d0, 8;\n", vprintf_call),
                     1, "past their end"));
    arena_free(b.arena);
}

/* Lanes print one after another; what waits is handed on when it is much, and at the end. */
TEST(lanes_in_order_and_output_in_pieces) {
    enum { TURNS = 120, LANES_ON = 21 };
    Bench b = bench_new();
    Buf heard = {.arena = b.arena}, want = {.arena = b.arena};
    b.print = hear, b.print_user = &heard;
    const char *format = "lane %d, turn %d of many, and then some words\n";
    char before[400], call[600];
    snprintf(
        before, sizeof before,
        "setp.ge.s32 %%p0, %%r0, %d;\n@%%p0 ret;\nmov.u32 %%r1, 0;\nL1:\nst.b32 [%%d0], %%r0;\n"
        "st.b32 [%%d0+4], %%r1;\n",
        LANES_ON);
    snprintf(call, sizeof call,
             "%sadd.s32 %%r1, %%r1, 1;\nsetp.lt.s32 %%p1, %%r1, %d;\n@%%p1 bra L1;\n", vprintf_call,
             TURNS);
    CHECK(bench_says(&b,
                     call_text(b.arena, symbol_text(b.arena, 0, format, strlen(format) + 1), 32, 8,
                               before, call),
                     1, NULL));
    for (int turn = 0, waiting = 0; turn < TURNS; turn++) {
        for (int lane = 0; lane < LANES_ON; lane++) {
            size_t from = want.length;
            buf_printf(&want, format, lane, turn);
            waiting += (int)(want.length - from);
        }
        if (waiting <= 64 << 10 && turn + 1 < TURNS) continue;
        buf_putc(&want, '\1');
        waiting = 0;
    }
    CHECK(heard.data && !strcmp(heard.data, want.data));
    arena_free(b.arena);
}

TEST(assertions_say_their_text) {
    static const char call[] =
        "setp.ne.s32 %p0, %r0, 5;\n@%p0 bra L9;\nmov.u64 %d2, string_1;\ncvta.global.u64 %d2, "
        "%d2;\n"
        "{\n.param .b64 arg0;\nst.param.b64 [arg0], %d1;\n.param .b64 arg1;\n"
        "st.param.b64 [arg1], %d2;\n.param .b32 arg2;\nst.param.b32 [arg2], %r0;\n"
        ".param .b64 arg3;\nst.param.b64 [arg3], %d2;\n.param .b64 arg4;\n"
        "st.param.b64 [arg4], %d2;\ncall __assertfail, (arg0, arg1, arg2, arg3, arg4);\n}\nL9:\n";
    Bench b = bench_new();
    const char *file = symbol_text(b.arena, 1, "file.py", 8);
    const char *symbols =
        str_format(b.arena, "%s%s", symbol_text(b.arena, 0, "x < n", 6), file).data;
    CHECK(
        bench_says(&b, call_text(b.arena, symbols, 32, 8, "", call), 1, "assertion failed: x < n"));
    CHECK(strstr(b.failure.note, "lane 5;"));
    symbols = str_format(b.arena, "%s%s", symbol_text(b.arena, 0, "x < n", 5), file).data;
    CHECK(bench_says(&b, call_text(b.arena, symbols, 32, 8, "", call), 1,
                     "assertion failed: (its text cannot be read)"));
    arena_free(b.arena);
}

TEST_MAIN()
