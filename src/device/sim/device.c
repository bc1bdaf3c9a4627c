// SPDX-License-Identifier: Apache-2.0
/* device: "sim" and "sim:t4" .. "sim:b200": compiles for that GPU, parses the PTX, executes it.
 * Kernels' memory is the host's, so what a launch does is done when it returns. */
#include "device/sim/sim.h"

#include <stdlib.h>

/* Multiprocessors: data sheets (B200: one GPU of two dies). The rest: CUDA programming guide,
 * "Technical specifications per compute capability"; the system takes 1 KB of shared memory for
 * each block from sm_80 on. */
static const Gpu gpus[] = {
    {"h200", "sm_90a", "H200", 132, 228 << 10, 1024, 2048, 32, 65536, 128},
    {"h100", "sm_90a", "H100 SXM", 132, 228 << 10, 1024, 2048, 32, 65536, 128},
    {"b200", "sm_100", "B200", 148, 228 << 10, 1024, 2048, 32, 65536, 128},
    {"a100", "sm_80", "A100", 108, 164 << 10, 1024, 2048, 32, 65536, 128},
    {"t4", "sm_75", "T4", 40, 64 << 10, 0, 1024, 16, 65536, 256},
};

typedef struct SimState {
    Arena *words; /* of the last failure, or report */
    const Gpu *gpu;
    uint64_t seed, perturb;
    int64_t timeout_ns;
} SimState;

typedef struct Loaded {
    const PtxProgram *program;
    Totals totals;
} Loaded;

#define MOST_SHADOW ((uint64_t)1 << 30) /* bytes that say who touched what */
#define BUDGET      ((uint64_t)1 << 38) /* lane instructions of a launch: many minutes */

static uint64_t number_from(const char *variable) {
    const char *text = getenv(variable);
    return text ? strtoull(text, NULL, 0) : 0;
}

/* So many of those that walk over the programs. An odd seed takes as many for all there are, so
 * that grids of a few programs are walked over, too. */
static int few_blocks(uint64_t seed) { return 1 + (int)(seed % 3); }

static tern_status sim_open(Device *device, const char *argument,
                            const tern_open_options *options) {
    SimState *state = device->state = arena_new_of(device->arena, SimState);
    for (int i = 0; i < COUNT(gpus); i++)
        if (!argument ? i == 0 : !strcmp(argument, gpus[i].name)) state->gpu = &gpus[i];
    if (!state->gpu) {
        device->why = str_format(device->arena,
                                 "no GPU '%s' in device 'sim': it knows t4, a100, h100, h200, b200",
                                 argument);
        return TERN_ERROR_DEVICE;
    }
    state->seed = options->order_seed ? options->order_seed : number_from("TERN_ORDER_SEED");
    state->perturb = number_from("TERN_SIM_ULP");
    if (state->seed && !options->watch)
        device->walks = state->seed % 2 ? few_blocks(state->seed) : state->gpu->multiprocessors;
    device->clusters = !options->watch;
    int timeout_ms;
    if (!device_timeout(device, options->timeout_ms, &timeout_ms)) return TERN_ERROR_ARGUMENT;
    state->timeout_ns = (int64_t)timeout_ms * 1000000;
    device->name = str_format(device->arena, "sim:%s", state->gpu->name);
    device->description = str_format(
        device->arena,
        "executes the PTX for %s on this machine, checks and counts; says nothing about time",
        state->gpu->title);
    device->target = state->gpu->target;
    device->makes_maps = true;
    return TERN_OK;
}

static void sim_close(Device *device) {
    SimState *state = device->state;
    if (state) arena_free(state->words);
}

/* ---- kernels ---- */

static Arena *fresh_words(Device *device) {
    SimState *state = device->state;
    arena_free(state->words);
    state->words = NULL;
    return state->words = arena_new(device->oom);
}

static Str words_of(Device *device, const Diag *diag) {
    return diag_words(fresh_words(device), diag);
}

/* A text of another compiler: it has the parameters that the source was read to have, and is for
 * any block that it does not exclude. */
static bool takes_packs(Device *device, PtxProgram *p) {
    const CompiledKernel *kernel = p->kernel;
    bool fits = p->params.count == kernel->num_packs;
    for (int i = 0; fits && i < kernel->num_packs; i++)
        fits = p->params.data[i].bytes == kernel->packs[i].bytes;
    int threads = facts_threads(&kernel->facts), most = sim_threads(p);
    bool room = !p->most_threads || threads <= p->most_threads;
    if (!fits)
        device_says(device, TERN_ERROR_UNSUPPORTED, "the PTX has other parameters than the source");
    else if (!room)
        device->why =
            str_format(fresh_words(device), "a block of %d threads; the source allows at most %d",
                       threads, most);
    for (int i = 0; i < 3; i++) p->threads[i] = (uint32_t)kernel->facts.block[i];
    return fits && room;
}

/* Tensor maps are here no bytes that the text could read. */
static bool takes_maps(Device *device, const PtxProgram *p) {
    const CompiledKernel *kernel = p->kernel;
    const char *why = NULL;
    for (int i = 0; i < kernel->facts.maps.count && !why; i++)
        why = map_check(kernel, &kernel->facts.maps.data[i]);
    int first = kernel->num_params, end = first + kernel->facts.maps.count;
    for (int i = 0; i < p->code.count; i++)
        if (p->code.data[i].op == SIM_LOAD_PARAM && p->code.data[i].offset >= first &&
            p->code.data[i].offset < end)
            why = "the PTX reads a tensor map";
    if (why) device_says(device, TERN_ERROR_UNSUPPORTED, why);
    return !why;
}

/* All in the kernel's arena. */
static tern_status sim_load(Device *device, const CompiledKernel *kernel, void **result) {
    Diag diag = {.arena = kernel->arena};
    const GenFacts *facts = &kernel->facts;
    int dynamic = facts->shared_bytes + facts->extern_bytes;
    PtxProgram *program = sim_parse(kernel->arena, kernel->text, dynamic, &diag);
    if (!program) {
        device->why = words_of(device, &diag);
        return TERN_ERROR_UNSUPPORTED;
    }
    program->kernel = kernel;
    if (kernel->num_packs && !takes_packs(device, program)) return TERN_ERROR_UNSUPPORTED;
    int hidden = facts->maps.count + (facts->walks ? WALK_PARAMS : 0);
    if (!kernel->num_packs && program->params.count != kernel->num_params + hidden)
        BUG("the PTX has %d parameters", program->params.count);
    if (!takes_maps(device, program)) return TERN_ERROR_UNSUPPORTED;
    Loaded *loaded = arena_new_of(kernel->arena, Loaded);
    loaded->program = program;
    loaded->totals.counts = arena_array(kernel->arena, Count, program->code.count);
    if (device->watch) loaded->totals.findings = arena_new_of(kernel->arena, Findings);
    *result = loaded;
    return TERN_OK;
}

static void sim_record(void *handle, int most) {
    Recording *r = &((Loaded *)handle)->totals.recording;
    free(r->list);
    *r = (Recording){.most = most};
}

static void sim_accesses(void *handle, tern_accesses *accesses) {
    const Recording *r = &((const Loaded *)handle)->totals.recording;
    *accesses = (tern_accesses){r->count, r->list, r->num_whole, r->num_other};
}

static void sim_unload(Device *device, void *loaded) {
    (void)device;
    sim_record(loaded, 0);
}

static void tell_failure(Device *device, const Failure *failure) {
    Diag diag = {.arena = fresh_words(device)};
    diag_add(&diag, DIAG_ERROR, failure->span, "%s", failure->text);
    Buf words = {.arena = diag.arena};
    buf_puts(&words, diag_words(diag.arena, &diag).data);
    for (const char *line = failure->note; *line;) {
        size_t length = strcspn(line, "\n");
        buf_printf(&words, "\nnote: %.*s", (int)length, line);
        line += length + (line[length] == '\n');
    }
    device->why = buf_str(&words);
}

/* The blocks of a cooperative launch all have to find room. */
static bool all_at_once(Device *device, const PtxProgram *p, const uint32_t grid[3]) {
    const SimState *state = device->state;
    int registers = sim_assembled(state->words, p, state->gpu->target).registers;
    uint64_t most = (uint64_t)state->gpu->multiprocessors *
                    (uint64_t)gpu_blocks(state->gpu, sim_threads(p), registers, p->shared_bytes);
    uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    if (blocks <= most) return true;
    device->why = str_format(state->words,
                             "blocks of kernel '%.*s' wait for each other: a grid of %llu; %s has "
                             "room for %llu at a time",
                             STR_ARG(p->name), (unsigned long long)blocks, state->gpu->title,
                             (unsigned long long)most);
    return false;
}

/* The arguments, the tensor maps made of them, and room for the size of the grid. */
static void **with_maps(Device *device, const CompiledKernel *kernel, void **args) {
    int params = kernel->num_params, count = kernel->facts.maps.count;
    Arena *arena = ((const SimState *)device->state)->words;
    void **all = arena_array(arena, void *, params + count + WALK_PARAMS);
    memcpy(all, args, sizeof *all * (size_t)params);
    for (int i = 0; i < count; i++) {
        char why[500];
        MapBox *map = arena_new_of(arena, MapBox);
        all[params + i] = map;
        if (map_make(kernel, &kernel->facts.maps.data[i], args, map, why, sizeof why)) continue;
        device->why = str_copy(arena, str_of(why));
        return NULL;
    }
    return all;
}

/* Few blocks, so that each walks over several programs: one of them, or some more. Their grid comes
 * behind the other arguments. */
static void cut_grid(Machine *m, const uint32_t grid[3]) {
    const CompiledKernel *kernel = m->program->kernel;
    uint64_t programs = (uint64_t)grid[0] * grid[1] * grid[2],
             blocks = (uint64_t)few_blocks(m->seed);
    void **hidden = m->args + kernel->num_params + kernel->facts.maps.count;
    for (int i = 0; i < WALK_PARAMS; i++) hidden[i] = (void *)(uintptr_t)&grid[i];
    m->grid[0] = (uint32_t)(programs < blocks ? programs : blocks);
    m->grid[1] = m->grid[2] = 1;
}

static tern_status sim_launch(Device *device, void *queue, void *handle, const uint32_t grid[3],
                              void **args) {
    (void)queue;
    const SimState *state = device->state;
    Loaded *loaded = handle;
    const PtxProgram *p = loaded->program;
    Machine *m = arena_new_of(fresh_words(device), Machine);
    bool is_cooperative = p->kernel->facts.is_cooperative;
    int first_map = p->kernel->facts.maps.count ? p->kernel->num_params : 0;
    bool hidden = first_map || p->kernel->facts.walks;
    if (hidden && !(args = with_maps(device, p->kernel, args))) return TERN_ERROR_ARGUMENT;
    *m = (Machine){.device = device,
                   .program = p,
                   .gpu = state->gpu,
                   .args = args,
                   .first_map = first_map,
                   .seed = state->seed,
                   .perturb = state->perturb,
                   .first_turns = is_cooperative ? 4 : 2048,
                   .budget = BUDGET,
                   .most_shadow_bytes = MOST_SHADOW,
                   .counts = loaded->totals.counts,
                   .checks_races = true,
                   .grid = {grid[0], grid[1], grid[2]}};
    if ((double)grid[0] * grid[1] * grid[2] * sim_warps(p) >= (double)UINT32_MAX)
        return device_says(device, TERN_ERROR_UNSUPPORTED,
                           "a grid of 2^32 warps or more is too large to simulate");
    int shared = p->shared_bytes + state->gpu->shared_reserved;
    if (shared > state->gpu->shared_per_sm) {
        device->why = str_format(state->words,
                                 "a block needs %d bytes of shared memory, of which %d are the "
                                 "system's; a multiprocessor of %s has %d",
                                 shared, state->gpu->shared_reserved, state->gpu->title,
                                 state->gpu->shared_per_sm);
        return TERN_ERROR_UNSUPPORTED;
    }
    if (is_cooperative && !all_at_once(device, p, grid)) return TERN_ERROR_UNSUPPORTED;
    for (int i = 0; i < p->symbols.count; i++)
        if (str_is(p->symbols.data[i].name, PTX_GRID_WORKSPACE))
            memset((void *)(uintptr_t)p->symbols.data[i].address, 0, 8);
    if (p->kernel->facts.walks) cut_grid(m, grid);
    if (p->kernel->facts.cluster) m->grid[0] *= (uint32_t)p->kernel->facts.cluster;
    if (state->timeout_ns) m->deadline_ns = clock_ns() + state->timeout_ns;
    if (loaded->totals.recording.most) {
        m->recording = &loaded->totals.recording;
        m->recording->count = 0, m->recording->num_other = 0;
        m->recording->num_whole = (uint64_t)grid[0] * grid[1] * grid[2];
    }
    tern_status status = sim_launch_blocks(m);
    loaded->totals.launches++;
    for (int i = 0; i < 3; i++) loaded->totals.grid[i] = m->grid[i];
    if (m->most_in_flight > loaded->totals.most_in_flight)
        loaded->totals.most_in_flight = m->most_in_flight;
    if (m->race_limited) loaded->totals.race_limited = true;
    if (status) {
        Failure failure = m->failure; /* the machine goes with the words before */
        if (device->watch) sim_find_failure(loaded->totals.findings, &failure);
        tell_failure(device, &failure);
    }
    return status;
}

static Str sim_counters(Device *device, void *handle, bool as_json) {
    const SimState *state = device->state;
    const Loaded *loaded = handle;
    return sim_report(fresh_words(device), state->gpu, loaded->program, &loaded->totals, as_json);
}

static void sim_counted(Device *device, void *handle, tern_counted *counted) {
    const SimState *state = device->state;
    const Loaded *loaded = handle;
    sim_count(fresh_words(device), state->gpu, loaded->program, &loaded->totals, counted);
}

static const Findings *sim_findings(Device *device, void *handle) {
    const Loaded *loaded = handle;
    return sim_find_all(fresh_words(device), &loaded->totals);
}

const DeviceOps device_sim = {
    .name = "sim",
    .how = "always there; sim:t4, sim:a100, sim:h100, sim:h200, sim:b200",
    .on_host = true,
    .checks_accesses = true,
    .open = sim_open,
    .close = sim_close,
    .alloc = window_new,
    .release = window_release,
    .memory = host_memory,
    .write = window_write,
    .read = host_copy,
    .fill = window_fill,
    .written = window_written,
    .forget = window_forget,
    .load = sim_load,
    .unload = sim_unload,
    .launch = sim_launch,
    .synchronize = host_synchronize,
    .loaded_counters = sim_counters,
    .loaded_counted = sim_counted,
    .loaded_record = sim_record,
    .loaded_accesses = sim_accesses,
    .loaded_findings = sim_findings,
};
