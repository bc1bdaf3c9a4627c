// SPDX-License-Identifier: Apache-2.0
/* kernel: what is asked of a compiled kernel besides its text. */
#include "compile/kernel.h"
#include "ir/fields.h"
#include "opt/opt.h"

static const ScalarKind scalars[] = {
#define TYPE_INT(kind, ...)   [TYPE_##kind] = SCALAR_##kind,
#define TYPE_FLOAT(kind, ...) [TYPE_##kind] = SCALAR_##kind,
#include "base/dtypes.def"
};

const KernelParam *kernel_params(Arena *arena, const Func *fn) {
    KernelParam *params = arena_array(arena, KernelParam, fn->num_params);
    for (int i = 0; i < fn->num_params; i++) {
        const Param *from = &fn->params[i];
        const Type *type = from->value->type;
        bool is_pointer = type->kind == TYPE_PTR;
        if (is_pointer) type = type->elem;
        bool is_address = type->kind == TYPE_PTR; /* in memory: an unsigned number of 64 bits */
        params[i] = (KernelParam){.name = from->name,
                                  .type = is_address ? SCALAR_I64 : scalars[type->kind],
                                  .is_unsigned = is_address || from->is_unsigned,
                                  .is_pointer = is_pointer,
                                  .is_symbol = from->is_symbol,
                                  .divisible = from->divisible > 1 ? from->divisible : 1,
                                  .source_index = from->source_index};
    }
    return params;
}

typedef struct UseWalk {
    const Facts *facts;
    KernelUse use;
    int num_params;
} UseWalk;

static bool note_use(Op *op, void *user) {
    UseWalk *walk = user;
    KernelUse *use = &walk->use;
    bool asks = op->kind == OP_PROGRAM_ID || op->kind == OP_NUM_PROGRAMS;
    if (asks && grid_axis(op) >= use->grid_axes) use->grid_axes = grid_axis(op) + 1;
    if (op->kind == OP_PRINT || op->kind == OP_PRINTF) use->prints = true;
    if (op->kind == OP_LOAD || !access_pointer(op)) return true;
    const Value *base = facts_base(walk->facts, access_pointer(op));
    for (int i = 0; i < walk->num_params; i++)
        if (!base || (!base->def && base->index == i)) use->written[i] = true;
    return true;
}

KernelUse kernel_use(Arena *arena, const CompiledKernel *kernel) {
    UseWalk walk = {.num_params = kernel->num_params,
                    .use.written = arena_array(arena, bool, kernel->num_params)};
    if (!kernel->ir) BUG("kernel '%.*s' has no tile IR", STR_ARG(kernel->name));
    walk.facts = facts_compute(arena, kernel->ir);
    region_walk(kernel->ir->body, note_use, &walk);
    return walk.use;
}

bool kernel_allows(const CompiledKernel *kernel, const uint64_t *args, const uint64_t *rooms,
                   const uint32_t grid[3]) {
    struct Needs *needs = kernel->needs, *of_maps = kernel->facts.needs;
    return (!needs || needs_hold(needs, args, rooms, grid)) &&
           (!of_maps || needs_hold(of_maps, args, rooms, grid));
}

void kernel_print_ir(Buf *out, const CompiledKernel *kernel) {
    if (kernel->ir) func_print(out, kernel->ir, kernel->locations);
}

typedef struct SourceWalk {
    Arena *arena;
    KernelSources found;
} SourceWalk;

static void note_source(SourceWalk *walk, const Source *source) {
    bool is_known = !source;
    for (int i = 0; i < walk->found.list.count; i++) is_known |= walk->found.list.data[i] == source;
    if (!is_known) vec_push(walk->arena, &walk->found.list, source);
}

static bool note_op(Op *op, void *user) {
    note_source(user, op->span.source);
    return true;
}

KernelSources kernel_sources(Arena *arena, const CompiledKernel *kernel) {
    SourceWalk walk = {.arena = arena};
    note_source(&walk, kernel->place.source);
    if (kernel->ir) region_walk(kernel->ir->body, note_op, &walk);
    return walk.found;
}

const char *kernel_work(Arena *arena, const CompiledKernel *kernel, const uint32_t grid[3],
                        const uint64_t *args, Work *work) {
    if (!kernel->ir) return "it has no tile IR, which is what is counted";
    return work_count(arena, kernel->ir, grid, args, work);
}
