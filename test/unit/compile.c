// SPDX-License-Identifier: Apache-2.0
/* compile_ir: which passes run for which target, what is kept, what is refused. */
#include "compile/compile.h"
#include "test.h"

static const char text[] = "func @k(%p: ptr<i32>, %n: i32) {\n"
                           "  %zero = constant 0 : i32\n"
                           "  %ns = splat %n : tile<8xi32>\n"
                           "  %ms = splat %n : tile<8xi32>\n"
                           "  %sum = add %ns, %ms : tile<8xi32>\n"
                           "  %ps = splat %p : tile<8xptr<i32>>\n"
                           "  store %ps, %sum\n"
                           "  yield\n"
                           "}\n";

static CompiledKernel *compiled(Arena *arena, const char *source, CompileRequest request,
                                Diag *diag) {
    *diag = (Diag){.arena = arena};
    Func *fn = func_parse(arena, source_new(arena, STR("k.tir"), str_of(source)), diag);
    CHECK(fn != NULL);
    request.verify = true;
    return fn ? compile_ir(arena, fn, &request, diag) : NULL;
}

static const char *words(Arena *arena, const Diag *diag) {
    Buf out = {.arena = arena};
    buf_puts(&out, "");
    diag_print(diag, false, &out);
    return out.data;
}

TEST(the_interpreter_gets_plain_ir) {
    Arena *arena = arena_new(NULL);
    Diag diag;
    CompiledKernel *kernel =
        compiled(arena, text, (CompileRequest){.target = "interp", .print_after = "cse"}, &diag);
    CHECK(kernel && kernel->text.length == 0 && kernel->num_warps == 4 && kernel->num_stages == 3);
    /* cse merged the splats, nothing became scalar, the constant is still there: dce runs later. */
    CHECK(kernel && strstr(kernel->printed.data, "add %ns, %ns : tile<8xi32>"));
    CHECK(kernel && strstr(kernel->printed.data, "%zero"));
    Buf out = {.arena = arena};
    if (kernel) func_print(&out, kernel->ir, false);
    CHECK(kernel && !strstr(out.data, "%zero") && strstr(out.data, "tile<8xi32>"));
    arena_free(arena);
}

TEST(generated_targets_get_scalars) {
    Arena *arena = arena_new(NULL);
    Diag diag;
    CompiledKernel *kernel = compiled(
        arena, text, (CompileRequest){.target = "cpu:generic", .print_after = "dce"}, &diag);
    if (!kernel) printf("%s", words(arena, &diag));
    CHECK(kernel && strstr(kernel->printed.data, "add %n, %n : i32") && kernel->text.length > 0);
    CHECK(kernel && !strcmp(kernel->target, "cpu:generic"));
    arena_free(arena);
}

TEST(the_front_ends_ir_can_be_kept) {
    Arena *arena = arena_new(NULL);
    Diag diag;
    CompiledKernel *kernel = compiled(
        arena, text, (CompileRequest){.target = "interp", .print_after = "lower", .num_warps = 8},
        &diag);
    CHECK(kernel && strstr(kernel->printed.data, "%ms = splat") && kernel->num_warps == 8);
    arena_free(arena);
}

TEST(rings_are_refused_where_they_are_not_made) {
    static const char ring[] =
        "func @k(%n: i32, %yes: i1) {\n  if %yes {\n"
        "    %r = ring {stages = 2} : ring<tile<4xf32>>\n    yield\n  } {\n    yield\n  }\n"
        "  yield\n}\n";
    static const char *const targets[] = {"cpu:generic", "cpu:avx512", "sm_75", "sm_90a"};
    Arena *arena = arena_new(NULL);
    Diag diag;
    for (int i = 0; i < COUNT(targets); i++) {
        CHECK(!compiled(arena, ring, (CompileRequest){.target = targets[i]}, &diag));
        CHECK(strstr(words(arena, &diag),
                     str_format(arena,
                                "k.tir:3:5: not supported: 'ring' on target '%s': asynchronous "
                                "copies into shared memory are not made for it yet",
                                targets[i])
                         .data));
    }
    CHECK(compiled(arena, ring, (CompileRequest){.target = "interp"}, &diag));
    arena_free(arena);
}

TEST(what_is_wrong_is_said) {
    Arena *arena = arena_new(NULL);
    Diag diag;
    CHECK(!compiled(arena, text, (CompileRequest){.target = "z80"}, &diag));
    CHECK(strstr(words(arena, &diag), "there is no target 'z80'"));
    CHECK(
        !compiled(arena, text, (CompileRequest){.target = "interp", .print_after = "licm"}, &diag));
    CHECK(strstr(words(arena, &diag), "no pass 'licm' runs for target 'interp'"));
    CHECK(!compiled(arena, "func @k(%n: i32) {\n  %x = fadd %n, %n : i32\n  yield\n}",
                    (CompileRequest){.target = "interp"}, &diag));
    CHECK(strstr(words(arena, &diag), "k.tir:2:3: error: invalid IR: fadd: expected floats"));
    arena_free(arena);
}

TEST_MAIN()
