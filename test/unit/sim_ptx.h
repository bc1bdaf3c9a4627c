// SPDX-License-Identifier: Apache-2.0
/* sim_ptx: runs PTX text on the simulator, without a kernel or a context around it. */
#ifndef TERN_TEST_SIM_PTX_H
#define TERN_TEST_SIM_PTX_H

#include "compile/compile.h"
#include "device/map.h"
#include "device/sim/sim.h"
#include "test.h"

typedef struct Bench {
    Arena *arena;
    Diag diag;
    PtxProgram *program;
    Failure failure;
    Count *counts;
    uint64_t seed, budget; /* budget 0: enough */
    uint64_t perturb;      /* of approximations */
    uint64_t most_shadow;  /* 0: enough */
    int64_t deadline_ns;   /* 0: none */
    bool stop;
    int shared;  /* of .extern .shared */
    bool broken; /* not PTX that must assemble */
    DeviceRange ranges[8];
    uint64_t values[8];
    int num_buffers;
    MapBox maps[8]; /* parameters behind the buffers and as many numbers */
    int num_maps, num_numbers;
    uint32_t walk[WALK_PARAMS]; /* behind those, if not 0: a grid that the blocks walk over */
    uint64_t instructions, most_in_flight;
    bool race_limited;
    void (*print)(void *user, const char *text, size_t length); /* or NULL */
    void *print_user;
    uint32_t grid_y, grid_z; /* 0: 1 */
} Bench;

/* All that bench_says heard, for a test that holds it against a file. */
static Buf bench_heard;

static const Gpu bench_gpu = {"h200", "sm_90a", "H200", 132, 228 << 10, 1024, 2048, 32, 65536, 128};

/* A kernel's text around a body: params are 64-bit addresses, param_0 .. */
__attribute__((unused)) static const char *entry_text(Arena *arena, int params, int threads,
                                                      const char *body) {
    Buf out = {.arena = arena};
    buf_puts(&out, ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(");
    for (int i = 0; i < params; i++) buf_printf(&out, "%s .param .u64 param_%d", i ? "," : "", i);
    buf_printf(&out,
               ")\n.reqntid %d, 1, 1\n.minnctapersm 1\n{\n.reg .pred %%p<9>;\n.reg .b16 "
               "%%h<9>;\n.reg .b32 %%r<33>;\n.reg .b64 %%d<9>;\n%s\nret;\n}\n",
               threads, body);
    return out.data;
}

/* One that has a buffer and a tensor map, param_0 and map_0. */
__attribute__((unused)) static const char *mapped_text(Arena *arena, int threads,
                                                       const char *body) {
    return str_format(arena,
                      ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param "
                      ".u64 param_0, .param .align 64 .b8 map_0[128])\n.reqntid %d, 1, 1\n{\n"
                      ".reg .pred %%p<9>;\n.reg .b32 %%r<99>;\n.reg .b64 %%d<9>;\n%s\nret;\n}\n",
                      threads, body)
        .data;
}

__attribute__((unused)) static Bench bench_new(void) { return (Bench){.arena = arena_new(NULL)}; }

__attribute__((unused)) static void bench_buffer(Bench *b, void *data, size_t size) {
    b->ranges[b->num_buffers] = (DeviceRange){.base = data, .size = size};
    b->values[b->num_buffers++] = (uint64_t)(uintptr_t)data;
}

/* The tensor maps that the kernel asks for, made of the values. */
__attribute__((unused)) static void bench_maps(Bench *b, const CompiledKernel *kernel) {
    void *args[8];
    char why[200];
    for (int i = 0; i < COUNT(args); i++) args[i] = &b->values[i];
    b->num_numbers = kernel->num_params - b->num_buffers;
    b->num_maps = kernel->facts.maps.count;
    CHECK(b->num_maps <= COUNT(b->maps));
    for (int i = 0; i < b->num_maps && i < COUNT(b->maps); i++)
        CHECK(map_make(kernel, &kernel->facts.maps.data[i], args, &b->maps[i], why, sizeof why));
}

/* False after a refusal of the text; b->failure says how the launch went. */
__attribute__((unused)) static bool bench_run(Bench *b, const char *text, uint32_t blocks) {
    void *args[8 + COUNT(b->maps) + WALK_PARAMS];
    int params = b->num_buffers + b->num_numbers;
    for (int i = 0; i < 8; i++) args[i] = &b->values[i];
    for (int i = 0; i < b->num_maps; i++) args[params + i] = &b->maps[i];
    for (int i = 0; i < (b->walk[0] ? WALK_PARAMS : 0); i++)
        args[params + b->num_maps + i] = &b->walk[i];
    b->diag = (Diag){.arena = b->arena};
    b->failure = (Failure){0};
    b->program = sim_parse(b->arena, str_of(text), b->shared, &b->diag);
    if (!b->program) return false;
    if (!b->broken) keep_ptx(b->arena, str_of(text));
    Device device = {.ranges = b->ranges,
                     .num_ranges = b->num_buffers,
                     .stop = b->stop,
                     .arena = b->arena,
                     .print = b->print,
                     .print_user = b->print_user};
    b->counts = arena_array(b->arena, Count, b->program->code.count);
    Machine *m = arena_new_of(b->arena, Machine);
    *m = (Machine){.device = &device,
                   .first_turns = 2048,
                   .program = b->program,
                   .gpu = &bench_gpu,
                   .args = args,
                   .first_map = b->num_maps ? params : 0,
                   .seed = b->seed,
                   .perturb = b->perturb,
                   .most_shadow_bytes = b->most_shadow ? b->most_shadow : 1 << 30,
                   .deadline_ns = b->deadline_ns,
                   .grid = {blocks, b->grid_y ? b->grid_y : 1, b->grid_z ? b->grid_z : 1},
                   .budget = b->budget ? b->budget : 1 << 24,
                   .counts = b->counts,
                   .checks_races = true};
    sim_launch_blocks(m);
    b->failure = m->failure;
    b->instructions = m->instructions;
    b->race_limited = m->race_limited;
    b->most_in_flight = m->most_in_flight;
    return true;
}

/* Runs a body that must end with words in its failure (NULL: without one). */
__attribute__((unused)) static bool bench_says(Bench *b, const char *text, uint32_t blocks,
                                               const char *words) {
    if (!bench_run(b, text, blocks)) {
        Buf out = {.arena = b->arena};
        diag_print(&b->diag, false, &out);
        printf("refused:\n%s", out.data ? out.data : "");
        return false;
    }
    if (!bench_heard.arena) bench_heard.arena = arena_new(NULL);
    if (b->failure.status) buf_printf(&bench_heard, "%s\n%s\n\n", b->failure.text, b->failure.note);
    bool fine = words ? b->failure.status &&
                            (strstr(b->failure.text, words) || strstr(b->failure.note, words))
                      : !b->failure.status;
    if (!fine)
        printf("wanted '%s', got '%s' (%s)\n", words ? words : "no failure", b->failure.text,
               b->failure.note);
    return fine;
}

/* Likewise, once for a seed: then the bench goes. */
__attribute__((unused)) static bool bench_ends(Bench *b, const char *text, uint32_t blocks,
                                               const char *words) {
    bool fine = bench_says(b, text, blocks, words);
    if (!fine) printf("seed %d:\n%s\n", (int)b->seed, text);
    arena_free(b->arena);
    return fine;
}

/* A form of an instruction; words: NULL, or some of what is said where it is not taken. */
typedef struct Form {
    const char *version, *target, *body, *words;
} Form;

/* head: a kernel's parameters, directives and registers. */
__attribute__((unused)) static bool form_is_as_said(const Form *form, const char *head) {
    Arena *arena = arena_new(NULL);
    Diag diag = {.arena = arena};
    Str text = str_format(
        arena, ".version %s\n.target %s\n.address_size 64\n.visible .entry k%s%s\nret;\n}\n",
        form->version, form->target, head, form->body);
    bool taken = sim_parse(arena, text, 0, &diag) != NULL;
    Buf out = {.arena = arena};
    diag_print(&diag, false, &out);
    bool fine = form->words ? !taken && strstr(out.data, form->words) : taken;
    if (!fine) printf("%s %s %s: %s\n", form->version, form->target, form->body, out.data);
    if (taken) keep_ptx(arena, text);
    arena_free(arena);
    return fine;
}

#endif
