// SPDX-License-Identifier: Apache-2.0
/* interp: executes the tile IR as it stands. The oracle that other devices are compared with:
 * plain, and it checks each access to memory. It has no text form: a kernel is made ready by
 * walking its regions once, to learn after which op a value is no longer needed. */
#include "base/asan.h"
#include "device/interp/interp.h"
#include "gen/ptx/inline.h"
#include "opt/opt.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct InterpState {
    Arena *words; /* of the last failure */
    uint64_t order_seed;
    int64_t timeout_ns; /* of a launch; 0: none */
} InterpState;

static tern_status interp_open(Device *device, const char *argument,
                               const tern_open_options *options) {
    if (argument)
        return device_says(device, TERN_ERROR_DEVICE, "device 'interp' takes no argument");
    InterpState *state = device->state = arena_new_of(device->arena, InterpState);
    const char *seed = getenv("TERN_ORDER_SEED");
    state->order_seed = options->order_seed ? options->order_seed
                        : seed              ? strtoull(seed, NULL, 0)
                                            : 0;
    int timeout_ms;
    if (!device_timeout(device, options->timeout_ms, &timeout_ms)) return TERN_ERROR_ARGUMENT;
    state->timeout_ns = (int64_t)timeout_ms * 1000000;
    device->name = STR("interp");
    device->description =
        STR("interpreter of the tile IR: slow, checks each access, the reference");
    device->target = "interp";
    return TERN_OK;
}

static void interp_close(Device *device) {
    InterpState *state = device->state;
    if (state) arena_free(state->words);
}

/* ---- making a kernel ready ---- */

typedef VEC(int) Ids;

typedef struct Maker {
    Arena *arena;
    Loaded *loaded;
    const Facts *facts;
    const Op **last_users; /* by value id: the op after which it is dead, in its own region */
    Diag *diag;            /* of inline assembly that the interpreter does not run */
} Maker;

/* The op around `op` that stands in `region` itself. */
static const Op *op_in_region(const Op *op, const Region *region) {
    while (op && op->parent != region) op = op->parent->owner;
    return op;
}

static const Region *value_region(const Value *value) {
    return value->def ? value->def->parent : value->region;
}

static void note_param(const Maker *m, const Value *pointer) {
    const Func *fn = m->loaded->kernel->ir;
    const Value *base = facts_base(m->facts, pointer);
    int *param = &m->loaded->params[pointer->id];
    *param = -1;
    for (int i = 0; base && i < fn->num_params; i++)
        if (fn->params[i].value == base) *param = i;
    for (int i = 0; base && i < m->loaded->num_allocs; i++)
        if (m->loaded->allocs[i] == base->def) m->loaded->memory[pointer->id] = i + 1;
}

/* All stand at the top of the function. */
static void note_allocs(Arena *arena, Loaded *loaded) {
    const Func *fn = loaded->kernel->ir;
    for (const Op *op = fn->body->first; op; op = op->next)
        loaded->num_allocs += op->kind == OP_ALLOC;
    if (!loaded->num_allocs) return;
    loaded->allocs = arena_array(arena, const Op *, loaded->num_allocs);
    loaded->memory = arena_array(arena, int, fn->num_values);
    int count = 0;
    for (const Op *op = fn->body->first; op; op = op->next)
        if (op->kind == OP_ALLOC) loaded->allocs[count++] = op;
}

static void note_uses(Maker *m, const Region *region) {
    for (const Op *op = region->first; op; op = op->next) {
        for (int i = 0; i < op->num_regions; i++) note_uses(m, op->regions[i]);
        for (int i = 0; i < op->num_operands; i++) {
            const Value *value = op->operands[i];
            m->last_users[value->id] = op_in_region(op, value_region(value));
            if (type_is_ptr(value->type)) note_param(m, value);
        }
        if (op->kind == OP_RING) rings_note(m->arena, m->loaded, op);
        row_note(m->loaded, op);
    }
}

static void note_value(Maker *m, const Value *value, Map *frees) {
    const Op *user = m->last_users[value->id];
    if (!user && !(user = value->def)) return; /* what nobody reads is dead at once */
    Ids *ids = map_get_pointer(frees, user);
    if (!ids) map_set_pointer(frees, user, ids = arena_new_of(m->arena, Ids));
    vec_push(m->arena, ids, value->id);
}

static Body *block_make(Maker *m, const Region *region);

static void read_assembly(Maker *m, Node *node, const Op *op) {
    InlineAsm *read = arena_new_of(m->arena, InlineAsm);
    node->assembly = read;
    if (!asm_read(m->arena, op, read, m->diag)) return;
    for (int i = 0; i < read->program->code.count; i++) {
        const Ins *ins = &read->program->code.data[i];
        bool back = ins->op == SIM_BRANCH && ins->offset <= i;
        node->changes_alone |= ins->op == SIM_SPECIAL;
        node->reads |= ins->op == SIM_LOAD || ins->op == SIM_ATOMIC;
        m->loaded->may_wait |= back;
    }
}

static void node_make(Maker *m, Node *node, const Op *op, const Map *frees) {
    node->op = op;
    const Ids *ids = map_get_pointer(frees, op);
    if (ids) node->frees = ids->data, node->num_frees = ids->count;
    for (int i = 0; m->loaded->rings && i < node->num_frees; i++)
        node->ends_ring |= m->loaded->rings[node->frees[i]].op != NULL;
    for (int i = 0; m->loaded->rings && i < op->num_operands; i++)
        node->reads_peeked |= value_is_peeked(op->operands[i]);
    node->reads = op_has_trait(op, READS);
    node->changes_alone = op->kind == OP_CLOCK || op->kind == OP_PRINT || op->kind == OP_PRINTF;
    if (op->kind == OP_WHILE) m->loaded->may_wait = true;
    if (op->kind == OP_INLINE_ASM) read_assembly(m, node, op);
    for (int i = 0; i < op->num_regions; i++) {
        Body *block = node->blocks[i] = block_make(m, op->regions[i]);
        for (int k = 0; k < block->num_nodes; k++) {
            node->reads |= block->nodes[k].reads;
            node->changes_alone |= block->nodes[k].changes_alone;
        }
    }
}

static bool op_by_lanes(const Op *op) {
    return op_has_trait(op, ELEMENTWISE) || op->kind == OP_CONSTANT || op->kind == OP_POISON;
}

static Body *block_make(Maker *m, const Region *region) {
    Body *block = arena_new_of(m->arena, Body);
    block->region = region;
    block->by_lanes = true;
    int count = 0;
    Map frees = {.arena = m->arena};
    for (int i = 0; i < region->num_args; i++) note_value(m, region->args[i], &frees);
    for (const Op *op = region->first; op; op = op->next, count++)
        for (int i = 0; i < op->num_results; i++) note_value(m, &op->results[i], &frees);
    block->nodes = arena_array(m->arena, Node, count);
    for (const Op *op = region->first; op; op = op->next) {
        bool is_yield = op == region->last;
        node_make(m, is_yield ? &block->yield : &block->nodes[block->num_nodes++], op, &frees);
        if (!is_yield && !op_by_lanes(op)) block->by_lanes = false;
    }
    return block;
}

static Arena *words_arena(Device *device) {
    InterpState *state = device->state;
    arena_free(state->words);
    state->words = NULL;
    return state->words = arena_new(device->oom);
}

static Str words_about(Device *device, Span span, const char *text, const char *note) {
    Diag diag = {.arena = words_arena(device)};
    diag_error(&diag, span, "%s", text);
    if (note[0]) diag_note(&diag, (Span){0}, "%s", note);
    return diag_words(diag.arena, &diag);
}

/* All in the kernel's arena. */
static tern_status interp_load(Device *device, const CompiledKernel *kernel, void **result) {
    if (!kernel->ir)
        return device_says(device, TERN_ERROR_UNSUPPORTED,
                           "device 'interp' runs the tile IR, which this kernel has none of");
    Loaded *loaded = arena_new_of(kernel->arena, Loaded);
    *loaded = (Loaded){.kernel = kernel, .num_slots = kernel->ir->num_values};
    loaded->params = arena_array(kernel->arena, int, kernel->ir->num_values);
    Diag diag = {.arena = kernel->arena};
    Maker m = {.arena = kernel->arena,
               .loaded = loaded,
               .diag = &diag,
               .facts = facts_compute(kernel->arena, kernel->ir)};
    m.last_users = arena_array(kernel->arena, const Op *, kernel->ir->num_values);
    note_allocs(kernel->arena, loaded);
    note_uses(&m, kernel->ir->body);
    wide_note(kernel->arena, loaded);
    loaded->body = block_make(&m, kernel->ir->body);
    if (device->watch) loaded->watch = watch_new(kernel->arena, kernel);
    if (diag_failed(&diag)) {
        device->why = diag_words(words_arena(device), &diag);
        return TERN_ERROR_UNSUPPORTED;
    }
    *result = loaded;
    return TERN_OK;
}

static void interp_unload(Device *device, void *loaded) { (void)device, (void)loaded; }

/* ---- launching ---- */

/* A new array of lanes, or one of the same size class that is free. */
Lanes *lanes_new(Program *p, int count, int size) {
    Launch *launch = p->launch;
    size_t bytes = LANES_HEADER + (size_t)count * (size_t)size;
    int size_class = 7;
    while (((size_t)1 << size_class) < bytes) size_class++;
    Lanes *lanes = launch->free_lanes[size_class];
    if (lanes)
        launch->free_lanes[size_class] = lanes->next;
    else if ((lanes = aligned_alloc(64, (size_t)1 << size_class)))
        lanes->older = launch->newest, launch->newest = lanes;
    else {
        program_fail(p, TERN_ERROR_NO_MEMORY, (Span){0}, "out of host memory");
        return NULL;
    }
    ASAN_UNPOISON_MEMORY_REGION(lanes, bytes);
    ASAN_POISON_MEMORY_REGION((char *)lanes + bytes, ((size_t)1 << size_class) - bytes);
    lanes->next = NULL;
    lanes->refs = 1, lanes->size_class = size_class, lanes->count = count, lanes->size = size;
    lanes->ring = 0;
    lanes->marks = lanes->wide = NULL;
    return lanes;
}

void lanes_release(Launch *launch, Lanes *lanes) {
    if (!lanes || --lanes->refs) return;
    lanes_release(launch, lanes->marks);
    lanes_release(launch, lanes->wide);
    lanes->next = launch->free_lanes[lanes->size_class];
    launch->free_lanes[lanes->size_class] = lanes;
    ASAN_POISON_MEMORY_REGION(lanes->data, ((size_t)1 << lanes->size_class) - LANES_HEADER);
}

void slot_set(Program *p, const Value *value, Lanes *lanes) {
    Lanes **slot = &p->slots[value->id];
    lanes_release(p->launch, *slot);
    *slot = lanes;
}

bool program_fail(Program *p, tern_status status, Span span, const char *format, ...) {
    Failure *failure = &p->launch->failure;
    if (failure->status) return false;
    va_list args;
    va_start(args, format);
    vsnprintf(failure->text, sizeof failure->text, format, args);
    va_end(args);
    failure->status = status;
    failure->kind = TERN_FOUND_STOP;
    failure->span = span;
    strcpy(failure->note, "in ");
    program_say_program(p, failure->note + 3, sizeof failure->note - 3);
    return false;
}

int span_line(Span span) {
    int line = 0, column;
    if (span.source) source_position(span.source, span.start, &line, &column);
    return line;
}

void program_say_program(const Program *p, char *text, size_t size) {
    const uint32_t *grid = p->launch->grid;
    bool threads = p->launch->loaded->kernel->ir->form == FORM_SPREAD;
    snprintf(text, size, "%s (%u, %u, %u) of a grid of (%u, %u, %u)", threads ? "block" : "program",
             p->id[0], p->id[1], p->id[2], grid[0], grid[1], grid[2]);
}

void program_note(Program *p, const char *format, ...) {
    char *note = p->launch->failure.note;
    size_t used = strlen(note), left = sizeof p->launch->failure.note - used;
    va_list args;
    va_start(args, format);
    vsnprintf(note + used, left, format, args);
    va_end(args);
}

void launch_flush(Launch *launch) {
    if (launch->output_length && launch->device->print)
        launch->device->print(launch->device->print_user, launch->output, launch->output_length);
    launch->output_length = 0;
}

static tern_status interp_launch(Device *device, void *queue, void *loaded, const uint32_t grid[3],
                                 void **args) {
    (void)queue;
    const InterpState *state = device->state;
    Launch launch = {.order_seed = state->order_seed,
                     .device = device,
                     .loaded = loaded,
                     .args = args,
                     .grid = {grid[0], grid[1], grid[2]}};
    if (state->timeout_ns) launch.deadline_ns = clock_ns() + state->timeout_ns;
    launch.watch = launch.loaded->watch;
    if (launch.watch && !watch_begin(&launch))
        return device_says(device, TERN_ERROR_NO_MEMORY, "out of host memory");
    launch_programs(&launch);
    if (launch.watch) watch_end(&launch);
    launch_flush(&launch);
    free(launch.output);
    for (Lanes *lanes = launch.newest, *older; lanes; lanes = older) {
        older = lanes->older;
        free(lanes);
    }
    Failure *failure = &launch.failure;
    if (failure->status)
        device->why = words_about(device, failure->span, failure->text, failure->note);
    return failure->status;
}

static const Findings *interp_findings(Device *device, void *handle) {
    const Loaded *loaded = handle;
    (void)device;
    return loaded->watch ? watch_findings(loaded->watch) : NULL;
}

const DeviceOps device_interp = {
    .name = "interp",
    .how = "always there",
    .on_host = true,
    .checks_accesses = true,
    .open = interp_open,
    .close = interp_close,
    .alloc = window_new,
    .release = window_release,
    .memory = host_memory,
    .write = window_write,
    .read = host_copy,
    .fill = window_fill,
    .written = window_written,
    .forget = window_forget,
    .load = interp_load,
    .unload = interp_unload,
    .launch = interp_launch,
    .loaded_findings = interp_findings,
    .synchronize = host_synchronize,
};
