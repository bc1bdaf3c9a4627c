// SPDX-License-Identifier: Apache-2.0
/* kernel: of what a kernel computes, the loops, the tile, the arguments and the text. Loops,
 * tiles and texts of elements and of rows are those of src/tensor/map.c and rows.c, over more
 * operands. */
#include "fuse/fuse.h"

/* ---- loops ---- */

static void add_space_loop(Writer *writer, int loop) {
    const Build *build = writer->build;
    Space *space = &writer->space;
    space->sizes[space->rank] = build->sizes[loop];
    for (int i = 0; i < space->num_operands; i++)
        space->strides[i][space->rank] = build->accesses[i].strides[loop];
    space->rank++;
}

static void map_space(Writer *writer) {
    for (int l = 0; l < writer->build->num_loops; l++) add_space_loop(writer, l);
    space_sort(&writer->space, 0, writer->space.rank, writer->build->num_accesses);
    space_merge(&writer->space, 0);
    int tile = map_choose_tile(&writer->space);
    writer->form.rank = (uint8_t)writer->space.rank;
    writer->form.tile = (uint8_t)tile;
    writer->tile = map_tile(&writer->form);
}

/* A row of so many elements is one tile: of fp32 32 registers a thread of 1024. */
enum { MOST_SINGLE = 32768 };
/* On a GPU one that would be read once in a loop, too: on an H200, of 4096 rows of 32000 the sums
 * of exponents take .141 ms in a loop of 2048 and .164 in one tile; up to here the tile is
 * faster. */
enum { MOST_READ_ONCE = 16384 };

/* Operands that have a row of their own for each program; a weight is the same row for all. */
static int count_whole(const Build *build) {
    int count = 0;
    for (int i = 0; i < build->num_accesses; i++) {
        bool in_row = false, of_row = false;
        for (int l = 0; l < build->num_loops; l++) {
            bool varies = build->accesses[i].strides[l];
            if (build->row_loops >> l & 1)
                in_row |= varies;
            else
                of_row |= varies;
        }
        count += in_row && of_row;
    }
    return count;
}

/* A GPU's, for a row in one tile; 0: as many as usual. */
static int warps_of_row(const Writer *writer) {
    /* On an H200, in ms by 8, 16 and 32 warps: layer norm of 4096 rows of 8192 .0690, .0688, .0718,
     * of 2048 of 16384 .0738, .0733, .0911, of 2048 of 32768 .160, .165, .150. Its gradient, which
     * reads two matrices: of 8192 .099, .136, .142, of 16384 .129, .144, .131, of 32768 .405, .356,
     * .244. */
    enum { USUAL = 2048, LONGER = 16384 };
    int cols = writer->tile.cols;
    bool is_long = writer->tile.rows == 1 && cols > USUAL;
    if (!is_long || !writer->build->plan->trace->session->promises) return 0;
    return cols > LONGER ? 32 : count_whole(writer->build) > 1 ? 8 : 16;
}

/* A GPU's, for a row that is looped over. On an H200, of 512 rows of 131072 a norm takes .188 ms by
 * 32 warps in turns of 8192, .202 in turns of 4096, .212 by 8 in turns of 2048; what is read once,
 * 4096 rows of 50257, .223 in turns of 2048 by 8 warps and .226 to .256 in longer ones. */
static void looped_tile(Writer *writer) {
    enum { FEW_ACCESSES = 4 }; /* a thread has eight elements of each */
    bool is_usual = writer->tile.rows == 1 && !(writer->form.flags & FORM_TURNED);
    if (!is_usual || writer->is_loose || !writer->build->plan->trace->session->promises) return;
    bool is_read_once = rows_count_turns(writer) == 1;
    writer->tile.cols = is_read_once                                 ? 2048
                        : writer->build->num_accesses > FEW_ACCESSES ? 4096
                                                                     : 8192;
    writer->num_warps = is_read_once ? 8 : 32;
}

/* The operand whose order the loops are in: the first one along the rows, or the result. */
static int main_operand(const Build *build) {
    for (int i = 0; i < build->num_accesses; i++)
        for (int k = 0; k < build->num_row_loops; k++)
            if (build->accesses[i].strides[build->rows[k]]) return i;
    return build->num_accesses;
}

/* Is what a kernel reads larger than the caches that GPUs have (an H200's has 50 MB)? Then none of
 * it is there for the next kernel, whatever is kept meanwhile. */
static bool is_streamed(const Writer *writer) {
    enum { LARGER = 64 << 20 };
    const Build *build = writer->build;
    int64_t elements = space_count(&writer->space, 0, writer->space.rank);
    return build->num_accesses &&
           elements * (int64_t)tern_dtype_size(build->accesses[main_operand(build)].dtype) >=
               LARGER;
}

static void rows_space(Writer *writer) {
    const Build *build = writer->build;
    Space *space = &writer->space;
    int main = main_operand(build);
    for (int l = 0; l < build->num_loops; l++)
        if (!(build->row_loops >> l & 1)) add_space_loop(writer, l);
    space_sort(space, 0, space->rank, main);
    space_merge(space, 0);
    writer->outer = space->rank;
    for (int i = 0; i < build->num_row_loops; i++) add_space_loop(writer, build->rows[i]);
    space_sort(space, writer->outer, space->rank, main);
    space_merge(space, writer->outer);
    writer->form.rank = (uint8_t)space->rank;
    writer->form.outer = (uint8_t)writer->outer;
    rows_choose_shape(&writer->form, space, main);
    writer->tile = rows_tile(&writer->form);
    int64_t length = space_count(space, writer->outer, space->rank);
    if (writer->is_loose) {
        writer->form.flags &= (uint8_t)~FORM_SINGLE;
        if (!(writer->form.flags & FORM_TURNED)) writer->tile = (Tile){1, 1024, 0};
        return;
    }
    bool is_gpu = build->plan->trace->session->promises;
    int64_t most = is_gpu && rows_count_turns(writer) == 1 ? MOST_READ_ONCE : MOST_SINGLE;
    if (writer->tile.rows == 1 && length <= most) {
        while (writer->tile.cols < length) writer->tile.cols *= 2;
        writer->form.flags |= FORM_SINGLE;
    }
    if (!(writer->form.flags & FORM_SINGLE)) {
        looped_tile(writer);
        return;
    }
    writer->num_warps = warps_of_row(writer);
    /* On an H200, of a GB, rows of 16384 take .501 ms with it, .516 without. */
    if (writer->num_warps && is_streamed(writer)) writer->load_policy = "evict_last";
}

/* Batches, rows, columns, and the depth of both factors as one. */
static void product_space(Writer *writer) {
    const Build *build = writer->build;
    Space *space = &writer->space;
    for (int l = 0; l < build->num_loops; l++)
        if (l != build->loop_m && l != build->loop_n && l != build->loop_a && l != build->loop_b)
            add_space_loop(writer, l);
    add_space_loop(writer, build->loop_m);
    add_space_loop(writer, build->loop_n);
    writer->outer = space->rank;
    add_space_loop(writer, build->loop_a);
    for (int i = 0; i < space->num_operands; i++)
        space->strides[i][writer->outer] += build->accesses[i].strides[build->loop_b];
    writer->form.tile = (uint8_t)build->plan->states[build->values[build->product].node].way;
    writer->tile = product_tile(&writer->form);
    writer->num_warps = product_warps(&writer->form);
}

static int64_t cut(int64_t size, int64_t by) { return size / by + (size % by != 0); }

int64_t kernel_programs(const FusedKernel *kernel, Tile tile) {
    const Space *space = kernel->space;
    switch (kernel->kind) {
    case KERNEL_MAP: return map_count_programs(space, tile);
    case KERNEL_ROWS: return cut(space_count(space, 0, kernel->outer), tile.rows);
    case KERNEL_PRODUCT: {
        int n = kernel->outer - 1;
        return cut(space->sizes[n - 1], tile.rows) * cut(space->sizes[n], tile.cols) *
               space_count(space, 0, n - 1);
    }
    }
    BUG("a kernel of no kind");
}

/* ---- which part of the tile a value has ---- */

static int axes_of_access(const Writer *writer, int access) {
    const Space *space = &writer->space;
    int axes = 0, last = space->rank - 1;
    const int64_t *strides = space->strides[access];
    switch (writer->kind) {
    case KERNEL_MAP:
        if (strides[last]) axes |= AXIS_COL;
        if (last && strides[last - 1]) axes |= AXIS_ROW;
        return axes;
    case KERNEL_ROWS:
        for (int d = 0; d <= last; d++)
            if (strides[d]) axes |= d < writer->outer ? AXIS_ROW : AXIS_COL;
        return axes;
    case KERNEL_PRODUCT:
        if (strides[last - 2]) axes |= AXIS_ROW;
        if (strides[last - 1]) axes |= AXIS_COL;
        if (strides[last])
            axes |= writer->build->accesses[access].side == SIDE_B ? AXIS_DEPTH_B : AXIS_DEPTH_A;
        return axes;
    }
    BUG("a kernel of no kind");
}

static void find_axes(Writer *writer) {
    const Build *build = writer->build;
    for (int i = 0; i < build->num_values; i++) {
        const Value *value = &build->values[i];
        int axes = value->kind == VALUE_LOAD ? axes_of_access(writer, value->access) : 0;
        for (int k = 0; k < VALUE_OPERANDS; k++)
            if (value->operands[k] >= 0) axes |= writer->axes[value->operands[k]];
        if (value->kind == VALUE_REDUCE) axes = AXIS_ROW;
        if (value->kind == VALUE_PRODUCT) axes = AXIS_ROW | AXIS_COL;
        writer->axes[i] = (int8_t)axes;
    }
}

/* ---- arguments ---- */

static bool is_aligned(const FusePlan *plan, int storage, int64_t offset_bytes) {
    const TraceStorage *of = &plan->trace->storages.data[storage];
    if (!plan->trace->session->promises || offset_bytes % 16) return false;
    switch (of->role) {
    case STORAGE_ARGUMENT: return plan->is_aligned[of->argument];
    case STORAGE_KEPT: return (uintptr_t)tern_buffer_pointer(of->storage->buffer) % 16 == 0;
    case STORAGE_MADE: return true; /* tern_alloc: to 256 */
    }
    BUG("a storage of no role");
}

static void add_integer(Writer *writer, const char *name, int64_t value) {
    KernelArgument argument = {.name = name, .storage = -1, .value = value};
    vec_push(writer->arena, &writer->arguments, argument);
}

static void add_pointers(Writer *writer) {
    const Build *build = writer->build;
    for (int i = 0; i < writer->space.num_operands; i++) {
        const Access *access = &build->accesses[i];
        int64_t offset = access->offset * (int64_t)tern_dtype_size(access->dtype);
        bool aligned = !writer->is_loose && is_aligned(build->plan, access->storage, offset);
        Arena *arena = writer->arena;
        KernelArgument pointer = {
            .name = str_c(arena, str_format(arena, "%s_ptr", access->name)),
            .type = str_c(arena, str_format(arena, "*%s%s", signature_type(access->dtype),
                                            aligned ? ":16" : "")),
            .storage = access->storage,
            .value = offset,
            .element_bytes = (int64_t)tern_dtype_size(access->dtype)};
        vec_push(arena, &writer->arguments, pointer);
    }
}

/* Has an address a term of a loop though the stride is 0? Then it has all of its tile. */
bool has_term(const Writer *writer, int access, int loop) {
    const Access *of = &writer->build->accesses[access];
    if (access >= writer->build->num_accesses)
        return loop < (of->is_of_row || writer->kind == KERNEL_PRODUCT ? writer->outer
                                                                       : writer->space.rank);
    int apart = writer->outer - loop; /* 0: depth, 1: columns, 2: rows */
    return of->is_factor && (apart == 0 || apart == (of->side == SIDE_A ? 2 : 1));
}

static void add_arguments(Writer *writer) {
    Arena *arena = writer->arena;
    const Space *space = &writer->space;
    add_pointers(writer);
    int first = writer->arguments.count;
    for (int d = 0; d < space->rank; d++)
        add_integer(writer, str_c(arena, str_format(arena, "n%d", d)), space->sizes[d]);
    for (int i = 0; i < space->num_operands; i++) {
        const Access *access = &writer->build->accesses[i];
        for (int d = 0; d < space->rank; d++) {
            int64_t stride = space->strides[i][d];
            if (stride != 1 && (stride || has_term(writer, i, d)))
                add_integer(writer, str_c(arena, str_format(arena, "%s_s%d", access->name, d)),
                            stride);
        }
        if (access->index >= 0)
            add_integer(writer, str_c(arena, str_format(arena, "%s_step", access->name)),
                        access->step);
    }
    bool even = !writer->is_loose && writer->build->plan->trace->session->promises;
    for (int i = first; i < writer->arguments.count; i++)
        even = even && writer->arguments.data[i].value % 16 == 0;
    const char *wide = space_fits_32(space) ? "i32" : "i64";
    for (int i = first; i < writer->arguments.count; i++) {
        bool is_step = str_ends(str_of(writer->arguments.data[i].name), "_step");
        writer->arguments.data[i].type =
            str_c(arena, str_format(arena, "%s%s", is_step ? "i64" : wide, even ? ":16" : ""));
    }
    if (!strcmp(wide, "i64")) writer->form.flags |= FORM_WIDE;
}

static const char *constant_names(const Writer *writer) {
    if (writer->kind == KERNEL_PRODUCT)
        return "ROWS: tl.constexpr, COLS: tl.constexpr, DEPTH: tl.constexpr";
    return writer->tile.rows ? "ROWS: tl.constexpr, COLS: tl.constexpr" : "COLS: tl.constexpr";
}

static void write_head(Writer *writer, const char *name) {
    buf_printf(&writer->text, "@triton.jit\ndef %s(", name);
    size_t column = writer->text.length;
    for (int i = 0; i < writer->arguments.count; i++) {
        const char *argument = writer->arguments.data[i].name;
        bool is_long = writer->text.length - column + strlen(argument) > 85;
        buf_printf(&writer->text, "%s%s,", is_long ? "\n        " : i ? " " : "", argument);
        if (is_long) column = writer->text.length - strlen(argument);
    }
    bool is_long = writer->text.length - column + strlen(constant_names(writer)) > 85;
    buf_printf(&writer->text, "%s%s):\n", is_long ? "\n        " : " ", constant_names(writer));
}

/* ---- kernels of elements ---- */

static void write_map(Writer *writer) {
    map_write_indices(&writer->text, writer->space.rank, writer->form.flags & FORM_WIDE);
    for (int i = 0; i < writer->build->num_values; i++)
        if (writer->build->values[i].kind != VALUE_NUMBER) write_value(writer, i);
    for (int i = 0; i < writer->build->num_stores; i++) write_store(writer, i);
}

/* ---- all kinds ---- */

static FusedKernel *finish(Writer *writer, const char *name) {
    Arena *arena = writer->arena;
    const Build *build = writer->build;
    FusedKernel *kernel = arena_new_of(arena, FusedKernel);
    Buf signature = {.arena = arena};
    for (int i = 0; i < writer->arguments.count; i++)
        buf_printf(&signature, "%s%s", i ? "," : "", writer->arguments.data[i].type);
    const Tile *tile = &writer->tile;
    const char *types = str_c(arena, str_of(signature.data));
    Space *space = arena_new_of(arena, Space);
    *space = writer->space;
    if (tile->rows) buf_printf(&signature, ",%d", tile->rows);
    buf_printf(&signature, ",%d", tile->cols);
    if (tile->depth) buf_printf(&signature, ",%d", tile->depth);
    *kernel = (FusedKernel){.name = name,
                            .kind = writer->kind,
                            .num_roots = build->num_roots,
                            .text = writer->text.data,
                            .types = types,
                            .signature = signature.data,
                            .tile = *tile,
                            .num_warps = writer->num_warps,
                            .num_arguments = writer->arguments.count,
                            .arguments = writer->arguments.data,
                            .is_single = writer->form.flags & FORM_SINGLE,
                            .space = space,
                            .outer = writer->outer};
    kernel->programs = kernel_programs(kernel, *tile);
    kernel->nodes = arena_array(arena, int, build->num_nodes);
    kernel->roots = arena_array(arena, int, build->num_roots);
    memcpy(kernel->roots, build->roots, (size_t)build->num_roots * sizeof *build->roots);
    for (int i = 0; i < build->plan->trace->nodes.count; i++)
        if (build->has[i]) kernel->nodes[kernel->num_nodes++] = i;
    return kernel;
}

static FusedKernel *write_form(Build *build, const char *name, bool is_loose) {
    Arena *arena = build->plan->arena;
    Writer *writer = arena_new_of(arena, Writer);
    *writer = (Writer){.build = build,
                       .arena = arena,
                       .text = {.arena = arena},
                       .indent = "    ",
                       .is_loose = is_loose};
    writer->is_named = arena_array(arena, bool, build->plan->trace->nodes.count);
    writer->space.num_operands = build->num_accesses + build->num_stores;
    writer->kind = build->product >= 0 ? KERNEL_PRODUCT
                   : build->row_loops  ? KERNEL_ROWS
                                       : KERNEL_MAP;
    find_aliases(writer);
    switch (writer->kind) {
    case KERNEL_MAP: map_space(writer); break;
    case KERNEL_ROWS: rows_space(writer); break;
    case KERNEL_PRODUCT: product_space(writer); break;
    }
    find_axes(writer);
    name_all(writer);
    add_arguments(writer);
    write_head(writer, name);
    for (int i = 0; i < build->num_values; i++) write_numbers(writer, i);
    switch (writer->kind) {
    case KERNEL_MAP: write_map(writer); break;
    case KERNEL_ROWS: write_rows(writer); break;
    case KERNEL_PRODUCT: write_product(writer); break;
    }
    return finish(writer, name);
}

/* Where compiling is short beside what a new shape is to take, that is on a GPU, also as one for
 * all sizes: nothing is known to be divisible, a row is looped over. */
FusedKernel *write_kernel(Build *build, const char *name) {
    FusedKernel *kernel = write_form(build, name, false);
    if (!build->plan->trace->session->promises) return kernel;
    FusedKernel *loose = write_form(build, name, true);
    bool same = !strcmp(kernel->text, loose->text) && !strcmp(kernel->types, loose->types);
    if (!same) kernel->loose = loose;
    return kernel;
}
