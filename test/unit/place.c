// SPDX-License-Identifier: Apache-2.0
/* Placed form says all: its text, read back and lowered, is the PTX of the kernel it was made of.
 * What `place` refuses, and what is not placed for the target asked for. */
#include "compile/compile.h"
#include "test.h"

#include <glob.h>

static CompiledKernel *compiled(Arena *arena, Str text, const char *target, int warps, Buf *words) {
    Diag diag = {.arena = arena};
    CompileRequest request = {
        .target = target, .num_warps = warps, .debug = true, .verify = true, .print_after = NULL};
    Func *fn = func_parse(arena, source_new(arena, STR("t.tir"), text), &diag);
    if (fn && fn->form == FORM_PROGRAM && target[0] == 's') request.print_after = "fence";
    CompiledKernel *kernel = fn ? compile_ir(arena, fn, &request, &diag) : NULL;
    if (!kernel) diag_print(&diag, false, words);
    return kernel;
}

/* Without the lines that say where in the source an instruction comes from. */
static const char *plain(Arena *arena, Str text) {
    Buf out = {.arena = arena};
    for (int at = 0, end; at < text.length; at = end) {
        for (end = at; end < text.length && text.data[end] != '\n';) end++;
        if (end < text.length) end++;
        Str line = {text.data + at, end - at};
        if (!str_starts(line, ".file") && !str_starts(line, "\t.loc"))
            buf_add(&out, line.data, line.length);
    }
    return buf_str(&out).data;
}

static bool says_all(Arena *arena, const char *name, Str text, const char *target, int warps) {
    Buf words = {.arena = arena};
    CompiledKernel *first = compiled(arena, text, target, warps, &words);
    if (!first) return strstr(words.data, "shared memory") != NULL; /* of a small GPU: too much */
    /* Not kept for NVIDIA's assembler, which reads the first. */
    Buf kept = {.arena = arena};
    if (getenv("TERN_KEEP_PTX")) buf_puts(&kept, getenv("TERN_KEEP_PTX"));
    unsetenv("TERN_KEEP_PTX");
    CompiledKernel *second = compiled(arena, first->printed, target, 0, &words);
    if (kept.length) setenv("TERN_KEEP_PTX", kept.data, 1);
    bool same = second && !strcmp(plain(arena, first->text), plain(arena, second->text));
    if (!same)
        printf("%s for %s: %s\n%s", name, target, words.length ? words.data : "",
               first->printed.data);
    return same;
}

TEST(lowering_reads_nothing_but_placed_form) {
    static const char *const targets[] = {"sm_75", "sm_80", "sm_90a"};
    glob_t files;
    int checked = 0;
    glob("test/gen/*.tir", 0, NULL, &files);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        Arena *arena = arena_new(NULL);
        Str text, why;
        CHECK(file_read(arena, files.gl_pathv[i], 1 << 20, &text, &why));
        for (int t = 0; t < COUNT(targets); t++, checked++)
            CHECK(says_all(arena, files.gl_pathv[i], text, targets[t], 1 << ((i + 1) % 4)));
        arena_free(arena);
    }
    globfree(&files);
    if (!checked) SKIP("run from the project's folder");
}

static void check_words(const char *text, const char *target, int warps, const char *want) {
    Arena *arena = arena_new(NULL);
    Buf words = {.arena = arena};
    bool refused = !compiled(arena, str_of(text), target, warps, &words);
    if (!refused || !strstr(words.data, want))
        printf("got '%s', want '%s'\n", refused ? words.data : "", want);
    CHECK(refused && strstr(words.data, want));
    arena_free(arena);
}

TEST(what_is_refused) {
    static const char program[] =
        "func @f() {\n%t = poison : tile<131072xi8>\nprint %t {text = \"\"}\nyield\n}";
    static const char placed[] =
        "#0 = {reg = [], lane = [1, 2, 4, 8, 16], warp = []}\n"
        "func @f() {num_warps = 1, num_stages = 3, form = placed, target = \"sm_80\"} {\n"
        "%t = poison : tile<32xi8, #0>\nprint %t {text = \"\"}\nyield\n}";
    check_words(program, "sm_79", 4, "there is no GPU target 'sm_79'");
    check_words(program, "sm_79", 4, "targets are sm_75, sm_80");
    check_words(program, "sm_90", 4, "did you mean 'sm_90a'?");
    check_words(program, "sm_90", 4, "targets are sm_75, sm_80");
    check_words(program, "sm_89x", 4, "did you mean 'sm_89'?");
    check_words(program, "sm_80", 3, "num_warps must be 1, 2, 4, 8, 16 or 32, not 3");
    check_words(program, "sm_80", 64, "num_warps must be 1, 2, 4, 8, 16 or 32, not 64");
    check_words(program, "sm_80", 0x40000000, "num_warps must be");
    check_words(program, "sm_80", 1, "a tile of 131072 elements for 32 threads of a GPU");
    check_words(placed, "sm_90a", 1, "IR that is placed for sm_80, not for sm_90a");
    check_words(placed, "cpu:generic", 1, "IR that is placed for sm_80, not for cpu:generic");
    Arena *arena = arena_new(NULL);
    Buf words = {.arena = arena};
    CHECK(compiled(arena, str_of(placed), "sm_80", 0, &words));
    CHECK(compiled(arena, str_of(placed), "interp", 0, &words));
    arena_free(arena);
}

TEST_MAIN()
