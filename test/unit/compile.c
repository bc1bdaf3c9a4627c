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

TEST(a_program_of_several_blocks_is_a_gpus) {
    Arena *arena = arena_new(NULL);
    Diag diag;
    const char *meets =
        "func @k(%n: i32) {\n  %a, %b, %c, %d = meet %n {blocks = 4} : i32, i32, i32, i32\n"
        "  yield\n}";
    CHECK(!compiled(arena, meets, (CompileRequest){.target = "interp"}, &diag));
    CHECK(strstr(words(arena, &diag), "a program of several blocks on target 'interp'"));
    CHECK(!compiled(arena, meets, (CompileRequest){.target = "cpu:avx2"}, &diag));
    const char *stows =
        "func @k(%n: i32) {\n  %t = splat %n : tile<4xi32>\n  stow %n, %t {row = 0, pieces = 1}\n"
        "  yield\n}";
    CHECK(!compiled(arena, stows, (CompileRequest){.target = "cpu:avx2"}, &diag));
    CHECK(strstr(words(arena, &diag), "'stow' on target 'cpu:avx2'"));
    CHECK(!compiled(arena, meets, (CompileRequest){.target = "sm_80"}, &diag));
    CHECK(strstr(words(arena, &diag), "a program of several blocks on target 'sm_80'"));
    CompiledKernel *kernel = compiled(arena, meets, (CompileRequest){.target = "sm_90a"}, &diag);
    CHECK(kernel && kernel->facts.cluster == 4);
    CHECK(kernel && strstr(kernel->text.data, ".reqnctapercluster 4, 1, 1\n"));
    kernel = compiled(arena, text, (CompileRequest){.target = "sm_90a"}, &diag);
    CHECK(kernel && !kernel->facts.cluster);
    arena_free(arena);
}

/* What counts a kernel's work reads its IR: that of a GPU's stays in program form, and the places
 * are on a copy. */
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

/* ---- what is asked of a compiled kernel ---- */

TEST(what_a_kernel_uses) {
    static const struct {
        const char *body;
        int grid_axes;
        bool prints, written[4];
    } rows[] = {
        {"", 0, false, {0}},
        {"%a = program_id {axis = 0} : i32", 1, false, {0}},
        {"%a = program_id {axis = 2} : i32", 3, false, {0}},
        {"%a = num_programs {axis = 1} : i32", 2, false, {0}},
        {"%a = program_id {axis = 2} : i32\n%b = program_id {axis = 0} : i32", 3, false, {0}},
        {"%a = num_programs {axis = 0} : i32\n%b = program_id {axis = 1} : i32", 2, false, {0}},
        {"print %n {text = \"n\", hex = 0, unsigned_mask = 0}", 0, true, {0}},
        {"%a = load %x : i32\nstore %y, %a", 0, false, {0, 1, 0}},
        {"store %x, %n", 0, false, {1, 0, 0}},
        {"%a = addptr %y, %n : ptr<i32>\n%b = addptr %a, %n : ptr<i32>\nstore %b, %n",
         0,
         false,
         {0, 1, 0}},
        {"%a = atomic_rmw %y, %n {kind = add, sem = relaxed, scope = gpu} : i32",
         0,
         false,
         {0, 1, 0}},
        {"%a = atomic_cas %x, %n, %n {sem = acq_rel, scope = gpu} : i32", 0, false, {1, 0, 0}},
        {"%c = icmp %n, %n {predicate = eq} : i1\nif %c {\nstore %y, %n\n%a = program_id {axis = "
         "1} : i32\nyield\n} {\nstore %x, %n\nprint %n {text = \"\", hex = 0, unsigned_mask = "
         "0}\nyield\n}",
         2,
         true,
         {1, 1, 0}},
        /* Which of two is stored through is not known before it runs. */
        {"%c = icmp %n, %n {predicate = eq} : i1\n%a = select %c, %x, %y : ptr<i32>\n"
         "store %a, %n",
         0,
         false,
         {1, 1, 1}},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        Arena *arena = arena_new(NULL);
        Diag diag = {.arena = arena};
        Str source =
            str_format(arena, "func @k(%%x: ptr<i32>, %%y: ptr<i32>, %%n: i32) {\n%s\nyield\n}\n",
                       rows[i].body);
        CompiledKernel kernel = {
            .num_params = 3,
            .ir = func_parse(arena, source_new(arena, STR("k.tir"), source), &diag)};
        CHECK(kernel.ir != NULL);
        if (!kernel.ir) printf("%s", words(arena, &diag));
        if (!kernel.ir) continue;
        KernelUse use = kernel_use(arena, &kernel);
        CHECK(use.grid_axes == rows[i].grid_axes && use.prints == rows[i].prints);
        for (int k = 0; k < 3; k++) CHECK(use.written[k] == rows[i].written[k]);
        if (use.grid_axes != rows[i].grid_axes || memcmp(use.written, rows[i].written, 3))
            printf("row %d\n", i);
        arena_free(arena);
    }
}

TEST(parameters_are_of_their_types) {
    static const struct {
        const char *type;
        ScalarKind scalar;
        bool is_unsigned, is_pointer;
        int divisible;
    } rows[] = {
        {"i32", SCALAR_I32, false, false, 1},         {"f16", SCALAR_F16, false, false, 1},
        {"i1", SCALAR_I1, false, false, 1},           {"ptr<f64>", SCALAR_F64, false, true, 1},
        {"ptr<ptr<f32>>", SCALAR_I64, true, true, 1}, {"u8", SCALAR_I8, true, false, 1},
        {"ptr<i32>", SCALAR_I32, false, true, 16},    {"i64", SCALAR_I64, false, false, 8},
        {"i64", SCALAR_I64, false, false, 2}};
    for (int i = 0; i < COUNT(rows); i++) {
        Arena *arena = arena_new(NULL);
        Diag diag;
        bool is_unsigned = rows[i].type[0] == 'u';
        const char *source = str_format(arena, "func @k(%%first: i32, %%it: %s) {\n  yield\n}\n",
                                        is_unsigned ? "i8" : rows[i].type)
                                 .data;
        Func *fn = func_parse(arena, source_new(arena, STR("k.tir"), str_of(source)), &diag);
        CHECK(fn != NULL);
        if (!fn) continue;
        fn->params[1].is_unsigned = is_unsigned;
        fn->params[1].divisible = rows[i].divisible == 1 ? 0 : rows[i].divisible;
        fn->params[1].source_index = 7;
        const KernelParam *params = kernel_params(arena, fn);
        CHECK(str_is(params[0].name, "first") && str_is(params[1].name, "it"));
        CHECK(params[0].divisible == 1 && params[0].type == SCALAR_I32 && !params[0].is_pointer);
        CHECK(params[1].type == rows[i].scalar && params[1].is_pointer == rows[i].is_pointer);
        CHECK(params[1].is_unsigned == rows[i].is_unsigned && params[1].source_index == 7);
        CHECK(params[1].divisible == rows[i].divisible);
        arena_free(arena);
    }
}

/* What is printed after the passes has its values in order, whatever went. */
TEST(values_are_numbered_in_order) {
    Arena *arena = arena_new(NULL);
    Diag diag;
    Buf out = {.arena = arena};
    static const char source[] = "func @k(%p: ptr<i32>, %n: i32) {\n"
                                 "  %0 = add %n, %n : i32\n  %1 = mul %n, %n : i32\n"
                                 "  %2 = sub %1, %n : i32\n  store %p, %2\n  yield\n}\n";
    CompiledKernel *kernel =
        compiled(arena, source, (CompileRequest){.target = "interp", .print_after = "dce"}, &diag);
    CHECK(kernel != NULL);
    if (kernel) kernel_print_ir(&out, kernel);
    CHECK(kernel && strstr(kernel->printed.data, " = sub ") &&
          !strstr(kernel->printed.data, "k.tir"));
    CHECK(kernel && strstr(out.data, "%0 = mul %n, %n : i32\n  %1 = sub %0, %n : i32\n"));
    int at = 2; /* the parameters come first */
    for (const Op *op = kernel ? kernel->ir->body->first : NULL; op; op = op->next)
        for (int i = 0; i < op->num_results; i++) CHECK(op->results[i].id == at++);
    arena_free(arena);
}

/* Threads of a block are counted in whole warps. */
TEST(warps_hold_the_threads_of_a_block) {
    static const int rows[][4] = {{1, 1, 1, 1},  {32, 1, 1, 1}, {33, 1, 1, 2},
                                  {64, 1, 1, 2}, {16, 4, 1, 2}, {5, 5, 5, 4}};
    for (int i = 0; i < COUNT(rows); i++) {
        Arena *arena = arena_new(NULL);
        Diag diag = {.arena = arena};
        const char *source = "__global__ void k(int *p) { p[threadIdx.x] = 1; }\n";
        CuModule *module =
            cu_load(arena, source_new(arena, STR("k.cu"), str_of(source)), STR(""), NULL, &diag);
        CHECK(module != NULL);
        CuLaunch launch = {.block = {rows[i][0], rows[i][1], rows[i][2]}};
        CompileRequest request = {.target = "sm_80", .num_warps = 7};
        CompiledKernel *kernel =
            compile_cuda(arena, module, cu_kernel(module, 0), &launch, &request, &diag);
        CHECK(kernel && kernel->num_warps == rows[i][3]);
        CHECK(kernel && facts_threads(&kernel->facts) == rows[i][0] * rows[i][1] * rows[i][2]);
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
        const char *runs[40]; /* up to the first NULL */
    } rows[] = {
        {"interp", {"lower", "fold", "cse", "dce"}},
        {"cpu:generic", {"lower", "dots", "fold", "cse", "shape", "licm", "dce", "carry"}},
        {"sm_75", {"lower", "dots",   "bounds",   "fold",    "cse",      "shape",     "licm",
                   "dce",   "carry",  "contract", "sink",    "together", "backwards", "pieces",
                   "sums",  "guard",  "rotate",   "place",   "keep",     "bring",     "rings",
                   "hold",  "early",  "share",    "soon",    "waits",    "scaled",    "fence",
                   "apart", "unmask", "lanes",    "longest", "bare",     "behind"}}};
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
