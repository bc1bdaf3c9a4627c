// SPDX-License-Identifier: Apache-2.0
/* Each kernel of test/gen/ptx, as IR text: compiled for several warps and targets and run on the
 * simulator, blocks and warps in a random order, it leaves what the interpreter leaves; and ptxas,
 * where it is found, takes its PTX for every target without spilling. Pointers get 8192 elements,
 * integers 1008. */
#include "ptx_assemble.h"

#include <dirent.h>
#include <math.h>

#include "api/context.h"
#include "gen/target.h"
#include "opt/opt.h"

enum { ELEMENTS = 8192 };

static uint64_t state = 88172645463325252u;

static uint64_t random_bits(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state * 2685821657736338717u;
}

static void fill(const Type *type, char *data) {
    int size = type_size_bytes(type);
    for (int i = 0; i < ELEMENTS; i++) {
        double x = (double)(random_bits() >> 11) * 0x1p-53 * 4 - 2;
        uint64_t bits = type_is_float(type)   ? constant_from_double(type, x)
                        : type_is_bool(type)  ? random_bits() & 1
                        : type_bits(type) > 8 ? (random_bits() >> 40 & 1023) - 100
                                              : random_bits() >> 40;
        memcpy(data + (size_t)(i * size), &bits, (size_t)size);
    }
}

/* Of the result; products in tf32 and sums of many f32 are less exact than a single op. */
static double tolerance(const Type *type, bool tf32) {
    switch ((int)type->kind) {
    case TYPE_F64: return 1e-11;
    case TYPE_F32: return tf32 ? 4e-2 : 2e-5;
    case TYPE_F16: return 4e-3;
    default: return 2e-2;
    }
}

static bool same(const Type *type, const char *got, const char *want, int *where, bool tf32) {
    int size = type_size_bytes(type);
    for (int i = 0; i < ELEMENTS; i++) {
        uint64_t a = 0, b = 0;
        memcpy(&a, got + i * size, (size_t)size), memcpy(&b, want + i * size, (size_t)size);
        if (a == b) continue;
        *where = i;
        if (!type_is_float(type)) return false;
        double x = constant_to_double(type, a), y = constant_to_double(type, b);
        if (isnan(x) && isnan(y)) continue;
        if (!(fabs(x - y) <= tolerance(type, tf32) * (1 + fabs(y)))) return false;
    }
    return true;
}

typedef struct Kernel {
    Arena *arena;
    const char *text;
    Func *fn;
    char *before[8], *want[8]; /* buffers of pointer parameters */
} Kernel;

static bool load_kernel(Kernel *k, const char *path) {
    Str text, why;
    k->arena = arena_new(NULL);
    if (!file_read(k->arena, path, 1 << 20, &text, &why)) return false;
    k->text = str_c(k->arena, text);
    Diag diag = {.arena = k->arena};
    k->fn = func_parse(k->arena, source_new(k->arena, str_of(path), text), &diag);
    const char *wrong = k->fn ? func_verify(k->arena, k->fn) : "does not parse";
    if (wrong) printf("%s: %s\n", path, wrong);
    return !wrong;
}

static size_t buffer_size(const Type *pointer) {
    return (size_t)(ELEMENTS * type_size_bytes(pointer->elem));
}

/* Runs it on copies of k->before and leaves what comes out in `after`. */
static bool run_on(const Kernel *k, const char *device, int warps, char **after) {
    tern_open_options options = {.device = device, .cache_dir = "", .order_seed = random_bits()};
    char words[512];
    tern_status status;
    tern_context *context = tern_open(&options, &status, words, sizeof words);
    CHECK(context);
    if (!context) return false;
    tern_kernel *kernel = kernel_from_ir(context, k->text, &(tern_options){.num_warps = warps});
    tern_argument arguments[8];
    tern_buffer *buffers[8] = {0};
    for (int i = 0; i < k->fn->num_params; i++) {
        const Type *type = k->fn->params[i].value->type;
        arguments[i] = tern_arg_int(1008);
        if (!type_is_ptr(type)) continue;
        buffers[i] = tern_alloc(context, buffer_size(type));
        tern_write(buffers[i], 0, k->before[i], buffer_size(type));
        arguments[i] = tern_arg_buffer(buffers[i]);
    }
    /* Programs that do the same would get into each other's way. */
    uint32_t grid[3] = {strstr(k->text, "program_id") ? 2 : 1, 1, 1};
    bool fine = kernel && tern_launch(NULL, kernel, grid, arguments, k->fn->num_params) == TERN_OK;
    if (!fine) printf("%s: %s\n", device, tern_message(context));
    for (int i = 0; fine && i < k->fn->num_params; i++)
        if (buffers[i])
            tern_read(buffers[i], 0, after[i], buffer_size(k->fn->params[i].value->type));
    tern_close(context);
    return fine;
}

static void simulate(Kernel *k, const char *name, const char *device, int warps) {
    char *after[8];
    for (int i = 0; i < k->fn->num_params; i++) {
        const Type *type = k->fn->params[i].value->type;
        after[i] = type_is_ptr(type) ? arena_alloc(k->arena, buffer_size(type)) : NULL;
    }
    bool fine = run_on(k, device, warps, after);
    for (int i = 0, at = 0; i < k->fn->num_params; i++) {
        const Type *type = k->fn->params[i].value->type;
        bool tf32 = strstr(k->text, "precision = tf32") != NULL;
        if (!after[i] || !fine || same(type->elem, after[i], k->want[i], &at, tf32)) continue;
        fine = false;
        printf("parameter %d differs at %d\n", i, at);
    }
    if (!fine) test_bad_checks++, printf("%s on %s with %d warps is wrong\n", name, device, warps);
}

static void assemble_all(Kernel *k, const char *name, const char *ptxas) {
    char file[] = "/tmp/tern-ptx-XXXXXX";
    int handle = mkstemp(file);
    for (int i = 0; i < COUNT(archs); i++) {
        Diag diag = {.arena = k->arena};
        GenFacts facts = {0};
        Buf out = {.arena = k->arena};
        Func *fn =
            func_parse(k->arena, source_new(k->arena, STR("kernel.tir"), str_of(k->text)), &diag);
        fn->num_warps = 4;
        PassCtx px = {.scratch = k->arena, .diag = &diag, .target = archs[i]};
        bool placed = pass_place(&px, fn);
        pass_rings(&px, fn);
        pass_fence(&px, fn);
        bool fine = placed && !diag_failed(&diag) &&
                    target_ptx.generate(
                        fn, &(GenOptions){.arch = archs[i], .debug = true, .line_info = true},
                        &diag, &out, &facts);
        CHECK(fine && ftruncate(handle, 0) == 0 &&
              pwrite(handle, out.data, out.length, 0) == (ssize_t)out.length);
        if (fine && assemble(ptxas, archs[i], file, false)) continue;
        test_bad_checks++;
        printf("%s for %s\n", name, archs[i]);
        break;
    }
    close(handle);
    unlink(file);
}

/* A word in TERN_CASE picks kernels by name. */
static void each_kernel(void (*run)(Kernel *k, const char *name)) {
    DIR *folder = opendir("test/gen/ptx");
    const char *only = getenv("TERN_CASE");
    int count = 0;
    CHECK(folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[512];
        if (!strstr(entry->d_name, ".tir") || (only && !strstr(entry->d_name, only))) continue;
        snprintf(path, sizeof path, "test/gen/ptx/%s", entry->d_name);
        Kernel k = {0};
        bool loaded = load_kernel(&k, path);
        CHECK(loaded);
        if (loaded) run(&k, entry->d_name), count++;
        arena_free(k.arena);
    }
    if (folder) closedir(folder);
    CHECK(count > 0);
}

static void run_one(Kernel *k, const char *name) {
    if (!strncmp(name, "report_", 7)) return; /* prints times */
    for (int i = 0; i < k->fn->num_params; i++) {
        const Type *type = k->fn->params[i].value->type;
        if (!type_is_ptr(type)) continue;
        k->before[i] = arena_alloc(k->arena, buffer_size(type));
        k->want[i] = arena_alloc(k->arena, buffer_size(type));
        fill(type->elem, k->before[i]);
    }
    bool fine = run_on(k, "interp", 0, k->want);
    CHECK(fine);
    if (!fine) return;
    simulate(k, name, "sim:h200", 4);
    simulate(k, name, "sim:t4", 2);
    simulate(k, name, "sim:a100", 1);
    simulate(k, name, "sim:b200", 8);
    simulate(k, name, "sim:h100", 32);
}

TEST(kernels_leave_what_the_interpreter_leaves) { each_kernel(run_one); }

static void assemble_one(Kernel *k, const char *name) { assemble_all(k, name, ptxas_path()); }

TEST(kernels_assemble_for_every_target) {
    if (!ptxas_path()) {
        SKIP("no ptxas");
        return;
    }
    each_kernel(assemble_one);
}

TEST_MAIN()
