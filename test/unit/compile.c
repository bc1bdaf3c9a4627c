// SPDX-License-Identifier: Apache-2.0
/* compile_ir: which passes run for which target, what is kept, what is refused. */
#include "compile/compile.h"
#include "folder.h"
#include "ir/ir.h"
#include "opt/opt.h"
#include "test.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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
        "    %r = ring {stages = 2} : ring<tile<4xf32>>\n    %v = poison : tile<4xf32>\n"
        "    %0 = constant 0 : i32\n    acquire %r, %0\n    put %r, %0, %v {part = 0}\n"
        "    ready %r, %0\n    release %r, %0\n    yield\n  } {\n    yield\n  }\n"
        "  yield\n}\n";
    static const char *const targets[] = {"cpu:generic", "cpu:avx512"};
    Arena *arena = arena_new(NULL);
    Diag diag;
    CHECK(!compiled(arena, ring, (CompileRequest){.target = "sm_90a"}, &diag));
    CHECK(strstr(words(arena, &diag), "k.tir:3:5: not supported: a ring in program form on a GPU"));
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

/* What counts a kernel's work reads its IR: that of a GPU's stays in program form, and the places are
 * on a copy. */
TEST(places_are_on_a_copy) {
    Arena *arena = arena_new(NULL);
    Diag diag;
    Buf ir = {.arena = arena};
    CompiledKernel *kernel =
        compiled(arena, text, (CompileRequest){.target = "sm_90a", .print_after = "place"}, &diag);
    CHECK(kernel && kernel->ir->form == FORM_PROGRAM && kernel->text.length > 0);
    if (kernel) func_print(&ir, kernel->ir, false);
    CHECK(kernel && strstr(ir.data, "add %n, %n : i32") && !strstr(ir.data, "sm_90a"));
    CHECK(kernel && strstr(kernel->printed.data, "sm_90a"));

    /* Placed text is taken as it is: the passes before do not run, the form and target stay. */
    const char *placed = kernel ? str_c(arena, kernel->printed) : "";
    CompileRequest request = {.target = "sm_90a", .num_warps = 8, .num_stages = 5};
    CompiledKernel *again = kernel ? compiled(arena, placed, request, &diag) : NULL;
    CHECK(again && again->ir->form == FORM_PLACED && again->num_warps == 4);
    CHECK(again && strstr(again->text.data, ".entry k("));
    request.print_after = "dce";
    CHECK(kernel && !compiled(arena, placed, request, &diag));
    CHECK(strstr(words(arena, &diag), "no pass 'dce' runs for target 'sm_90a'"));
    request.target = "sm_80";
    CHECK(kernel && !compiled(arena, placed, request, &diag));
    CHECK(strstr(words(arena, &diag), "IR that is placed for sm_90a, not for sm_80"));
    arena_free(arena);
}

TEST(options_are_the_kernels) {
    static const int given[][2] = {{0, 0}, {1, 1}, {2, 4}, {8, 5}};
    static const char *const targets[] = {"interp", "cpu:avx2", "sm_80"};
    for (int t = 0; t < COUNT(targets); t++)
        for (int i = 0; i < COUNT(given); i++) {
            Arena *arena = arena_new(NULL);
            Diag diag;
            CompiledKernel *kernel = compiled(arena, text,
                                              (CompileRequest){.target = targets[t],
                                                               .num_warps = given[i][0],
                                                               .num_stages = given[i][1],
                                                               .debug = i % 2},
                                              &diag);
            int warps = given[i][0] ? given[i][0] : 4, stages = given[i][1] ? given[i][1] : 3;
            CHECK(kernel && kernel->num_warps == warps && kernel->num_stages == stages);
            CHECK(kernel && kernel->ir->num_warps == warps && kernel->ir->num_stages == stages);
            CHECK(kernel && kernel->debug == (i % 2) && str_is(kernel->name, "k"));
            CHECK(kernel && facts_threads(&kernel->facts) == (t == 2 ? 32 * warps : 0));
            CHECK(kernel && kernel->num_params == 2 && kernel->place.start == 0);
            arena_free(arena);
        }
}

/* A name is taken as a whole, or, where a back end knows the rest of it, as what it begins with. */
TEST(targets_have_names) {
    static const char *const none[] = {"",    "inter", "interp2", "cp",
                                       "cpu", "sm",    "SM_90",   "xsm_90"};
    Arena *arena = arena_new(NULL);
    Diag diag;
    for (int i = 0; i < COUNT(none); i++) {
        CHECK(!compiled(arena, text, (CompileRequest){.target = none[i]}, &diag));
        CHECK(diag.num_errors == 1);
        CHECK(strstr(words(arena, &diag),
                     str_format(arena, "there is no target '%s'", none[i]).data));
    }
    arena_free(arena);
}

TEST(passes_have_names_in_order) {
    static const char *const names[] = {
        "lower",
#define PASS(name, ...) #name,
#include "opt/passes.def"
#undef PASS
    };
    for (int i = 0; i < COUNT(names); i++) CHECK_STR(compile_pass_name(i), names[i]);
    CHECK(!compile_pass_name(COUNT(names)) && !compile_pass_name(COUNT(names) + 1));
    CHECK(!compile_pass_name(-1) && !compile_pass_name(-2));
}

/* A pass that runs twice is kept as it last was, and each pass that a target has can be kept. */
TEST(each_pass_can_be_kept) {
    static const struct {
        const char *target;
        const char *runs[14];
    } rows[] = {{"interp", {"lower", "fold", "cse", "dce"}},
                {"cpu:generic", {"lower", "fold", "cse", "shape", "licm", "dce", "carry"}},
                {"sm_75",
                 {"lower", "fold", "cse", "shape", "licm", "dce", "carry", "sink", "guard", "place",
                  "rings", "fence"}}};
    for (int t = 0; t < COUNT(rows); t++)
        for (int i = 0; compile_pass_name(i); i++) {
            Arena *arena = arena_new(NULL);
            Diag diag;
            bool runs = false;
            const char *pass = compile_pass_name(i);
            for (int k = 0; rows[t].runs[k]; k++) runs = runs || !strcmp(rows[t].runs[k], pass);
            CompiledKernel *kernel =
                compiled(arena, text,
                         (CompileRequest){.target = rows[t].target, .print_after = pass}, &diag);
            CHECK((kernel != NULL) == runs);
            CHECK(!kernel || strstr(kernel->printed.data, "func @k(") != NULL);
            arena_free(arena);
        }
}

/* ---- TERN_KEEP_PTX ---- */

static int count_entries(const char *folder, char *name, size_t size) {
    int count = 0;
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        if (entry->d_name[0] != '.') count++, snprintf(name, size, "%s", entry->d_name);
    if (entries) closedir(entries);
    return count;
}

TEST(ptx_is_kept_once) {
    char folder[] = "/tmp/tern-keep-XXXXXX", name[300] = "";
    CHECK(mkdtemp(folder));
    setenv("TERN_KEEP_PTX", folder, 1);
    Arena *arena = arena_new(NULL);
    Diag diag;
    struct stat first, second;
    CHECK(compiled(arena, text, (CompileRequest){.target = "interp"}, &diag));
    CHECK(compiled(arena, text, (CompileRequest){.target = "cpu:generic"}, &diag));
    CHECK(count_entries(folder, name, sizeof name) == 0);
    CompiledKernel *kernel = compiled(arena, text, (CompileRequest){.target = "sm_90a"}, &diag);
    CHECK(count_entries(folder, name, sizeof name) == 1);
    const char *path = str_format(arena, "%s/%s", folder, name).data;
    Str kept = {0}, why;
    CHECK(kernel && file_read(arena, path, 1 << 20, &kept, &why) && str_equal(kept, kernel->text));
    /* Its name is its hash, so that another text has another name. */
    size_t size = (size_t)kept.length;
    CHECK_STR(name, str_format(arena, "%016llx%016llx.ptx",
                               (unsigned long long)hash_bytes(kept.data, size, 1),
                               (unsigned long long)hash_bytes(kept.data, size, 2))
                        .data);
    CHECK(stat(path, &first) == 0);
    CHECK(compiled(arena, text, (CompileRequest){.target = "sm_90a"}, &diag));
    CHECK(stat(path, &second) == 0 && first.st_ino == second.st_ino);
    CHECK(count_entries(folder, name, sizeof name) == 1);
    CHECK(compiled(arena, text, (CompileRequest){.target = "sm_80"}, &diag));
    CHECK(count_entries(folder, name, sizeof name) == 2);

    /* What cannot be written is not there, also not in part; and nothing fails. */
    const char *taken = str_format(arena, "%s/none", folder).data;
    setenv("TERN_KEEP_PTX", taken, 1);
    CHECK(compiled(arena, text, (CompileRequest){.target = "sm_90a"}, &diag));
    CHECK(count_entries(folder, name, sizeof name) == 2);
    setenv("TERN_KEEP_PTX", "", 1);
    CHECK(compiled(arena, text, (CompileRequest){.target = "sm_90a"}, &diag));
    unsetenv("TERN_KEEP_PTX");
    CHECK(folder_remove(folder, "/tmp/tern-keep-XXXXXX"));
    arena_free(arena);
}

TEST_MAIN()
