// SPDX-License-Identifier: Apache-2.0
/* ptx: tile IR -> PTX text for NVIDIA GPUs; gen.h says which file does what. The entry has the
 * source's name and run-time parameters, in order; behind them the tensor maps (gen/map.h), where
 * the launch can make them. */
#include "gen/ptx/gen.h"
#include "ir/trips.h"

enum { STATIC_SHARED = 48 * 1024 }; /* more must be dynamic, and the launch must opt in */

static bool is_identifier(Str name) {
    for (int i = 0; i < name.length; i++) {
        char c = name.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && !(i > 0 && c >= '0' && c <= '9')) return false;
    }
    return name.length > 0;
}

static const char *param_type(const Type *type) {
    static const char *const names[NUM_TYPE_KINDS] = {
#define TYPE_INT(kind, text, bits, v, s, element, memory, ptx) [TYPE_##kind] = ptx,
#define TYPE_FLOAT(kind, text, bits, e, m, b, l, n, i, t, v, s, element, memory, ptx)              \
    [TYPE_##kind] = ptx,
#include "base/dtypes.def"
        [TYPE_PTR] = "u64",
    };
    return names[type->kind];
}

static void print_quoted(Buf *out, Str text) {
    buf_putc(out, '"');
    for (int i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.data[i];
        buf_putc(out, c < 32 || c == '"' || c == '\\' || c > 126 ? '_' : (char)c);
    }
    buf_putc(out, '"');
}

/* ---- tensor maps ---- */

static bool is_same_number(MapNumber a, MapNumber b) {
    bool same = a.number == b.number && a.num_params == b.num_params && a.is_narrow == b.is_narrow;
    for (int i = 0; same && i < a.num_params; i++) same = a.params[i] == b.params[i];
    return same;
}

static bool is_same_map(const MapRecipe *a, const MapRecipe *b) {
    bool same = a->base == b->base && a->element_bytes == b->element_bytes && a->rank == b->rank &&
                a->swizzle == b->swizzle && a->stores == b->stores;
    for (int d = 0; same && d < a->rank; d++)
        same = is_same_number(a->dims[d].size, b->dims[d].size) &&
               is_same_number(a->dims[d].stride, b->dims[d].stride) &&
               a->dims[d].box == b->dims[d].box;
    return same;
}

static bool any_map_stores(const Gen *g) {
    for (int i = 0; i < g->facts->maps.count; i++)
        if (g->facts->maps.data[i].stores) return true;
    return false;
}

Tir ptx_map_address(Gen *g, const MapRecipe *recipe) {
    int map = 0;
    while (map < g->facts->maps.count && !is_same_map(&g->facts->maps.data[map], recipe)) map++;
    if (map == g->facts->maps.count) vec_push(g->arena, &g->facts->maps, *recipe);
    return tir_address(g->b, CLASS_B64, SPACE_PARAM, str_format(g->arena, "map_%d", map).data);
}

/* ---- how many registers ptxas may take ---- */

typedef struct LoopLoads {
    int most_bytes;  /* that a thread loads in one turn of a loop */
    int most_narrow; /* of its loads of less than a register, with an address each */
    bool is_much;    /* so that they should be under way together */
    bool has_products;
} LoopLoads;

/* Instructions of less than a register. */
static int narrow_loads(const Op *load, const Layout *layout) {
    int size = type_size_bytes(op_result(load)->type), lanes = (int)load_width(load);
    if (lanes < 1) lanes = 1;
    return lanes * size < 4 ? layout_regs(layout) / lanes : 0;
}

/* A turn that waits for the block has no loads of the next one beside its own. */
static bool note_loads(Op *op, void *user) {
    enum { MUCH_BYTES = 64, MUCH_BYTES_OF_WAITING = 32 };
    LoopLoads *l = user;
    l->has_products |= op->kind == OP_DOT;
    for (int r = 0; r < op->num_regions && (op->kind == OP_FOR || op->kind == OP_WHILE); r++) {
        int bytes = 0, narrow = 0;
        bool waits = false;
        for (const Op *in = op->regions[r]->first; in; in = in->next) {
            waits |= in->kind == OP_REDUCE || in->kind == OP_SCAN;
            const Layout *layout = in->kind == OP_LOAD ? type_layout(op_result(in)->type) : NULL;
            if (!layout) continue;
            bytes += layout_regs(layout) * type_size_bytes(op_result(in)->type);
            narrow += narrow_loads(in, layout);
        }
        if (bytes > l->most_bytes) l->most_bytes = bytes;
        l->is_much |= bytes >= (waits ? MUCH_BYTES_OF_WAITING : MUCH_BYTES);
        if (narrow > l->most_narrow) l->most_narrow = narrow;
    }
    return true;
}

/* Left alone, ptxas takes so few registers that a multiprocessor is full of threads, and to that
 * end lets the loads of a loop's turn wait for each other. Where a turn loads this much, a thousand
 * threads with all of it under way are enough: no more are asked for, and none where what goes from
 * turn to turn, which cannot wait, takes more registers than these have, or the addresses of narrow
 * loads do. Where it loads half as much, it is fifteen hundred threads: mostly ptxas then finds
 * room for both loads of a turn in registers for all the threads there may be. 0: nothing is said.
 */
static int least_blocks(const Gen *g) {
    enum { MOST_BYTES = 128, MOST_NARROW = 16, SOME_BYTES = 32, MOST_BLOCKS = 16 };
    enum { REGISTERS = 65536, LEAST_EACH = 64, MOST_EACH = 85, SPARE = 12, SOME_EACH = 40 };
    LoopLoads loads = {0};
    if (g->fn->form != FORM_PLACED) return 0;
    region_walk(g->fn->body, note_loads, &loads);
    if (loads.has_products || loads.most_bytes > MOST_BYTES || loads.most_narrow > MOST_NARROW)
        return 0;
    int each = g->b->alive_at_heads + SPARE;
    if (!loads.is_much) {
        int some = REGISTERS / (g->threads * SOME_EACH);
        bool holds = each <= SOME_EACH && g->arch->number >= 80; /* others have 1024 threads */
        if (loads.most_bytes < SOME_BYTES || !holds || some < 2) return 0;
        return some < MOST_BLOCKS ? some : MOST_BLOCKS;
    }
    if (each < LEAST_EACH) each = LEAST_EACH;
    int blocks = REGISTERS / (g->threads * each);
    return each > MOST_EACH ? 0 : blocks < 1 ? 1 : blocks;
}

/* While one computes, or waits for its cluster, another loads: as many as have room in shared
 * memory, and registers enough. */
static int blocks_beside(const Gen *g) {
    enum { REGISTERS = 65536, LEAST_EACH = 64, MOST_BLOCKS = 3 };
    int by_shared = arch_blocks(g->arch, g->shared_size);
    int by_registers = REGISTERS / (g->threads * LEAST_EACH);
    int blocks = by_shared < by_registers ? by_shared : by_registers;
    int most = g->fn->shares ? g->fn->shares : MOST_BLOCKS;
    return blocks < 1 ? 1 : blocks < most ? blocks : most;
}

static void print_module(Gen *g, Buf *out) {
    const Func *fn = g->fn;
    const int *block = g->facts->block;
    const char *version = g->arch->ptx_version;
    bool is_newer = g->uses_vector_atomics || g->facts->cluster; /* st.async */
    if (is_newer && strcmp(version, "8.1") < 0) version = "8.1";
    buf_printf(out, ".version %s\n.target %s\n.address_size 64\n\n", version, g->arch->name);
    if (g->b->file) {
        for (int i = 0; i < g->sources.count; i++) {
            buf_printf(out, ".file %d ", i + 1);
            print_quoted(out, g->sources.data[i]->name);
            buf_puts(out, "\n");
        }
    }
    if (g->uses_printf)
        buf_puts(out, ".extern .func (.param .b32 result) vprintf\n(.param .b64 format, .param "
                      ".b64 values);\n");
    if (g->uses_assert)
        buf_puts(
            out,
            ".extern .func __assertfail\n(.param .b64 message, .param .b64 file, .param .b32 line, "
            ".param .b64 function, .param .b64 size);\n");
    if (g->facts->maps.count)
        buf_printf(out, ".visible .global .align 16 .b8 %s[%d];\n", MAP_NOTHING,
                   MAP_NOTHING_BYTES * (any_map_stores(g) ? 2 : 1));
    if (g->globals.length) buf_add(out, g->globals.data, g->globals.length);
    bool dynamic = g->shared_size > STATIC_SHARED;
    int alignment = g->has_wgmma ? 1024 : 16; /* of swizzled panels; of the widest access */
    if (dynamic) buf_printf(out, ".extern .shared .align %d .b8 shared_memory[];\n", alignment);
    buf_printf(out, "\n.visible .entry %.*s(", STR_ARG(fn->name));
    for (int i = 0; i < fn->num_params; i++)
        buf_printf(out, "%s\n\t.param .%s param_%d", i ? "," : "",
                   param_type(fn->params[i].value->type), i);
    for (int i = 0; i < g->facts->maps.count; i++)
        buf_printf(out, "%s\n\t.param .align %d .b8 map_%d[%d]", fn->num_params || i ? "," : "",
                   MAP_ALIGNMENT, i, MAP_BYTES);
    for (int i = 0; i < (g->facts->walks ? WALK_PARAMS : 0); i++)
        buf_printf(out, ",\n\t.param .b32 param_%d", fn->num_params + i);
    buf_printf(out, ")\n.reqntid %d, %d, %d\n", block[0], block[1], block[2]);
    if (g->facts->cluster)
        buf_printf(out, ".explicitcluster\n.reqnctapercluster %d, 1, 1\n", g->facts->cluster);
    /* Where ptxas does not see how much shared memory there is, it may save registers in vain; not
     * where only the few bytes of an mbarrier are more than it might see. */
    bool unseen = g->shared_size > STATIC_SHARED + SCRATCH_ALIGNMENT;
    int blocks = ptx_has_producer(g)               ? g->roles->blocks
                 : fn->shares || g->facts->cluster ? blocks_beside(g)
                 : unseen                          ? 1
                                                   : least_blocks(g);
    if (blocks) buf_printf(out, ".minnctapersm %d\n", blocks);
    buf_puts(out, "{\n");
    if (g->shared_size && !dynamic)
        buf_printf(out, "\t.shared .align %d .b8 shared_memory[%d];\n", alignment, g->shared_size);
    if (g->local_size)
        buf_printf(out, "\t.local .align 256 .b8 local_memory[%d];\n", g->local_size);
    if (g->depot_bytes) buf_printf(out, "\t.local .align 8 .b8 depot[%d];\n", g->depot_bytes);
    tir_print(g->b, out);
    buf_puts(out, "}\n");
}

static bool spins(Op *op, void *user) {
    GenFacts *facts = user;
    bool atomic = op->kind == OP_ATOMIC_CAS || op->kind == OP_ATOMIC_RMW;
    if (!atomic && op->kind != OP_LOAD) return true;
    for (const Region *r = op->parent; r; r = r->owner ? r->owner->parent : NULL)
        if (r->owner && r->owner->kind == OP_WHILE && while_waits(r->owner)) facts->may_spin = true;
    return true;
}

static bool check_function(const Func *fn, Diag *diag) {
    if (!is_identifier(fn->name)) {
        diag_refused(diag, fn->span, "a kernel name with letters outside ASCII on a GPU");
        return false;
    }
    return true;
}

static int launched(const Gen *g) { return g->threads + (ptx_has_producer(g) ? ROLE_THREADS : 0); }

/* All but the printing; NULL after a diagnostic. */
static Gen *lower_kernel(Func *fn, const GenOptions *options, Diag *diag, GenFacts *facts) {
    if (fn->form == FORM_PROGRAM) BUG("PTX of a function that is not placed");
    if (!check_function(fn, diag)) return NULL;
    func_renumber(fn);
    Gen *g = arena_new_of(fn->arena, Gen);
    *g = (Gen){.arena = fn->arena, .fn = fn, .diag = diag, .options = options, .facts = facts};
    bool thread = fn->form == FORM_THREAD;
    g->arch = arch_find(thread ? str_of(options->arch) : fn->target);
    g->threads = thread ? func_threads(fn) : 32 * fn->num_warps;
    while (1 << g->warp_bits < fn->num_warps) g->warp_bits++;
    g->regs = arena_array(fn->arena, Tir *, fn->num_values);
    g->globals.arena = fn->arena;
    g->axis = options->facts ? options->facts : facts_compute(fn->arena, fn);
    g->b = tir_new(fn->arena);
    if (options->line_info && fn->span.source) {
        g->b->file = "";
        vec_push(fn->arena, &g->sources, fn->span.source);
    }
    g->has_atomics = func_has_atomics(fn);
    if (func_cluster(fn) > 1) facts->cluster = func_cluster(fn);
    g->has_wgmma = region_has_wgmma(fn->body);
    if (!thread && !facts->cluster) g->roles = ptx_find_roles(g);
    if (g->has_wgmma && !g->roles) ptx_meet_once(g);
    ptx_body(g);
    if (diag_failed(diag)) return NULL;
    facts->shared_bytes = g->shared_size;
    for (int i = 0; i < 3; i++) facts->block[i] = thread ? fn->block[i] : i == 0 ? launched(g) : 1;
    region_walk(fn->body, spins, facts);
    tir_flush_powers(g->b);
    tir_walk(g->b);
    tir_mark(g->b);
    tir_order(g->b);
    return g;
}

static bool generate(Func *fn, const GenOptions *options, Diag *diag, Buf *out, GenFacts *facts) {
    Gen *g = lower_kernel(fn, options, diag, facts);
    if (g) print_module(g, out);
    return g != NULL;
}

const Target target_ptx = {"ptx", generate};
