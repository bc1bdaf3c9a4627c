// SPDX-License-Identifier: Apache-2.0
/* print: what became of a function: the file of its kernels, with a host function in Python that
 * launches them, and which op went where, and why. */
#include "fuse/fuse.h"

const char *storage_name(const FusePlan *plan, int storage) {
    const TraceStorage *of = &plan->trace->storages.data[storage];
    Arena *arena = plan->arena;
    if (of->name) return of->name;
    switch (of->role) {
    case STORAGE_ARGUMENT:
        if (plan->num_in == 1) return "x";
        return str_c(arena, str_format(arena, "x%d", of->argument));
    case STORAGE_KEPT: return "kept";
    case STORAGE_MADE:
        return of->writer >= 0 ? op_row(plan->trace->nodes.data[of->writer]->run.op)->name : "made";
    }
    BUG("a storage of no role");
}

/* ---- the host function ---- */

typedef struct Host {
    const FusePlan *plan;
    Buf *text;
    const char **names; /* of storages */
    bool *is_made;      /* its line is written */
} Host;

static void add_sizes(Buf *text, const int64_t *sizes, int rank) {
    buf_putc(text, '(');
    for (int d = 0; d < rank; d++) buf_printf(text, "%s%lld", d ? ", " : "", (long long)sizes[d]);
    buf_puts(text, rank == 1 ? ",)" : ")");
}

/* No two are the same, nor a word of Python or one that the file uses. */
static const char *host_name(const Host *host, int storage) {
    static const char *const taken[] = {"torch", "tl",  "triton", "libdevice", "lambda", "def",
                                        "class", "for", "in",     "is",        "if",     "None"};
    Arena *arena = host->plan->arena;
    const char *base = storage_name(host->plan, storage), *name = base;
    for (int i = 1;; i++) {
        bool is_free = strcmp(name, host->plan->name) != 0;
        for (int k = 0; k < COUNT(taken); k++) is_free = is_free && strcmp(name, taken[k]) != 0;
        for (int k = 0; k < storage; k++) is_free = is_free && strcmp(name, host->names[k]) != 0;
        if (is_free) return name;
        name = str_c(arena, str_format(arena, "%s_%d", base, i));
    }
}

static void add_view(const Host *host, const tern_tensor *view) {
    int storage = trace_storage_of(host->plan->trace, view);
    const TraceStorage *of = &host->plan->trace->storages.data[storage];
    buf_printf(host->text, "%s.as_strided(", host->names[storage]);
    add_sizes(host->text, view->shape, view->rank);
    buf_puts(host->text, ", ");
    add_sizes(host->text, view->strides, view->rank);
    if (of->role == STORAGE_ARGUMENT)
        buf_printf(host->text, ", %s.storage_offset() + %lld)", host->names[storage],
                   (long long)view->offset);
    else
        buf_printf(host->text, ", %lld)", (long long)view->offset);
}

/* Memory that the function makes, in the shape of the node that writes all of it. */
static void make_memory(const Host *host, const Step *step) {
    const Trace *trace = host->plan->trace;
    for (int k = 0; k < step->num_storages; k++) {
        int storage = step->storages[k];
        const TraceStorage *of = &trace->storages.data[storage];
        if (of->role != STORAGE_MADE || host->is_made[storage]) continue;
        host->is_made[storage] = true;
        const tern_tensor *out = &trace->nodes.data[of->writer]->out;
        buf_printf(host->text, "    %s = torch.empty", host->names[storage]);
        if (of->is_whole) {
            buf_puts(host->text, "_strided(");
            add_sizes(host->text, out->shape, out->rank);
            buf_puts(host->text, ", ");
            add_sizes(host->text, out->strides, out->rank);
        } else
            buf_printf(host->text, "(%zu", of->storage->size_bytes / tern_dtype_size(out->dtype));
        buf_printf(host->text, ", dtype=torch.%s, device=device)\n", tern_torch_name(out->dtype));
    }
}

static void add_launch(const Host *host, const FusedKernel *kernel) {
    Buf *text = host->text;
    buf_printf(text, "    %s[(%lld,)](", kernel->name, (long long)kernel->programs);
    for (int i = 0; i < kernel->num_arguments; i++) {
        const KernelArgument *of = &kernel->arguments[i];
        if (of->storage < 0) {
            buf_printf(text, "%lld, ", (long long)of->value);
            continue;
        }
        const char *name = host->names[of->storage];
        bool is_argument = host->plan->trace->storages.data[of->storage].role == STORAGE_ARGUMENT;
        int64_t offset = of->value / of->element_bytes;
        if (!offset)
            buf_printf(text, "%s, ", name);
        else if (is_argument)
            buf_printf(text, "%s.as_strided((1,), (1,), %s.storage_offset() + %lld), ", name, name,
                       (long long)offset);
        else
            buf_printf(text, "%s.as_strided((1,), (1,), %lld), ", name, (long long)offset);
    }
    if (kernel->tile.rows) buf_printf(text, "ROWS=%d, ", kernel->tile.rows);
    buf_printf(text, "COLS=%d", kernel->tile.cols);
    if (kernel->tile.depth) buf_printf(text, ", DEPTH=%d", kernel->tile.depth);
    if (kernel->num_warps) buf_printf(text, ", num_warps=%d", kernel->num_warps);
    buf_puts(text, ")\n");
}

static void add_alone(const Host *host, int index) {
    const TraceNode *node = host->plan->trace->nodes.data[index];
    const NodeState *state = &host->plan->states[index];
    const Run *run = &node->run;
    buf_puts(host->text, "    ");
    add_view(host, &node->out);
    if (state->product) {
        const TraceNode *product = host->plan->trace->nodes.data[state->product - 1];
        buf_puts(host->text, ".copy_(torch.matmul(");
        add_view(host, &product->tensors[0]);
        buf_puts(host->text, ", ");
        add_view(host, &product->tensors[1]);
        buf_puts(host->text, ") + ");
        add_view(host, &node->tensors[state->bias]);
        buf_puts(host->text, ")\n");
        return;
    }
    buf_printf(host->text, ".copy_(torch.%s(", op_row(run->op)->name);
    for (int i = 0; i < run->num_operands; i++) {
        if (i) buf_puts(host->text, ", ");
        add_view(host, &node->tensors[i]);
    }
    int dims = 0, dim = 0;
    for (int d = 0; d < node->tensors[0].rank; d++)
        if (run->in_row[d]) dims++, dim = d;
    if (run->kind == RUN_ROWS && dims == 1) buf_printf(host->text, ", %d", dim);
    buf_puts(host->text, "))\n");
}

static void add_parameters(const Host *host) {
    const Trace *trace = host->plan->trace;
    const char *between = "";
    for (int kept = 0; kept < 2; kept++)
        for (int i = 0; i < trace->storages.count; i++) {
            if (trace->storages.data[i].role != (kept ? STORAGE_KEPT : STORAGE_ARGUMENT)) continue;
            buf_printf(host->text, "%s%s", between, host->names[i]);
            between = ", ";
        }
}

static void add_return(const Host *host) {
    const FusePlan *plan = host->plan;
    buf_puts(host->text, "    return ");
    for (int i = 0; i < plan->num_out; i++) {
        int storage = plan->out_storages[i];
        const TraceStorage *of = &plan->trace->storages.data[storage];
        const tern_tensor *out = &plan->outs[i];
        const tern_tensor *made = of->role == STORAGE_MADE && of->is_whole
                                      ? &plan->trace->nodes.data[of->writer]->out
                                      : NULL;
        size_t sizes = (size_t)out->rank * sizeof *out->shape;
        bool same = made && made->rank == out->rank && !out->offset &&
                    !memcmp(made->shape, out->shape, sizes) &&
                    !memcmp(made->strides, out->strides, sizes);
        if (i) buf_puts(host->text, ", ");
        if (same)
            buf_puts(host->text, host->names[storage]);
        else
            add_view(host, out);
    }
    buf_putc(host->text, '\n');
}

/* Results of no elements, which no step makes. */
static void make_rest(const Host *host) {
    const FusePlan *plan = host->plan;
    for (int i = 0; i < plan->num_out; i++) {
        int storage = plan->out_storages[i];
        if (plan->trace->storages.data[storage].role != STORAGE_MADE || host->is_made[storage])
            continue;
        host->is_made[storage] = true;
        buf_printf(host->text, "    %s = torch.empty(%zu, dtype=torch.%s, device=device)\n",
                   host->names[storage],
                   plan->trace->storages.data[storage].storage->size_bytes /
                       tern_dtype_size(plan->outs[i].dtype),
                   tern_torch_name(plan->outs[i].dtype));
    }
}

static void print_host(const FusePlan *plan, Buf *text) {
    int count = plan->trace->storages.count;
    Host host = {.plan = plan,
                 .text = text,
                 .names = arena_array(plan->arena, const char *, count),
                 .is_made = arena_array(plan->arena, bool, count)};
    for (int i = 0; i < count; i++) host.names[i] = host_name(&host, i);
    buf_printf(text, "def %s(", plan->name);
    add_parameters(&host);
    buf_puts(text, "):\n    device = ");
    if (plan->trace->storages.count && plan->trace->storages.data[0].role != STORAGE_MADE)
        buf_printf(text, "%s.device\n", host.names[0]);
    else
        buf_puts(text, "'cuda'\n");
    for (int i = 0; i < plan->steps.count; i++) {
        const Step *step = &plan->steps.data[i];
        make_memory(&host, step);
        if (step->kernel)
            add_launch(&host, step->kernel);
        else
            add_alone(&host, step->node);
    }
    make_rest(&host);
    add_return(&host);
}

/* ---- the file ---- */

static void add_tensor(Buf *text, const tern_tensor *tensor) {
    buf_printf(text, "%s%s", tern_torch_name(tensor->dtype),
               sizes_text(tensor->shape, tensor->rank).text);
}

static void add_title(const FusePlan *plan, Buf *text) {
    int kernels = 0, alone = 0;
    for (int i = 0; i < plan->steps.count; i++)
        if (plan->steps.data[i].kernel)
            kernels++;
        else
            alone++;
    buf_printf(text, "%s: %d ops, %d kernel%s", plan->name, plan->trace->nodes.count, kernels,
               kernels == 1 ? "" : "s");
    if (alone) buf_printf(text, " and %d op%s run alone", alone, alone == 1 ? "" : "s");
    buf_puts(text, "; gives ");
    for (int i = 0; i < plan->num_out; i++) {
        if (i) buf_puts(text, ", ");
        add_tensor(text, &plan->outs[i]);
    }
    buf_putc(text, '\n');
}

void fuse_print_source(const FusePlan *plan, Buf *text) {
    Buf kernels = {.arena = plan->arena};
    for (int i = 0; i < plan->steps.count; i++)
        if (plan->steps.data[i].kernel)
            buf_printf(&kernels, "# %s: %s\n%s\n\n", plan->steps.data[i].kernel->name,
                       plan->steps.data[i].kernel->signature, plan->steps.data[i].kernel->text);
    buf_puts(text, "# ");
    add_title(plan, text);
    buf_puts(text, "import torch\n");
    emit_helpers(text, kernels.length ? kernels.data : "");
    if (kernels.length) buf_puts(text, kernels.data);
    print_host(plan, text);
}

/* ---- the plan ---- */

static void add_plan_node(const FusePlan *plan, Buf *text, int index, bool is_root) {
    const TraceNode *node = plan->trace->nodes.data[index];
    buf_printf(text, "    %d: %s", index, op_row(node->run.op)->name);
    if (node->name) buf_printf(text, " (%s)", node->name);
    buf_puts(text, " ");
    add_tensor(text, &node->out);
    if (is_root) buf_printf(text, ", stored: %s", why_words(plan->states[index].why));
    buf_putc(text, '\n');
}

void fuse_print_plan(const FusePlan *plan, Buf *text) {
    static const char *const kinds[] = {
        [KERNEL_MAP] = "elements", [KERNEL_ROWS] = "rows", [KERNEL_PRODUCT] = "a product"};
    add_title(plan, text);
    for (int i = 0; i < plan->steps.count; i++) {
        const Step *step = &plan->steps.data[i];
        const FusedKernel *kernel = step->kernel;
        if (!kernel) {
            int product = plan->states[step->node].product;
            buf_puts(text, "alone\n");
            if (product) add_plan_node(plan, text, product - 1, false);
            add_plan_node(plan, text, step->node, true);
            continue;
        }
        buf_printf(text, "%s: %s, %lld program%s", kernel->name, kinds[kernel->kind],
                   (long long)kernel->programs, kernel->programs == 1 ? "" : "s");
        if (kernel->kind == KERNEL_PRODUCT)
            buf_printf(text, " of %dx%dx%d", kernel->tile.rows, kernel->tile.cols,
                       kernel->tile.depth);
        buf_putc(text, '\n');
        for (int k = 0; k < kernel->num_nodes; k++) {
            bool is_root = false;
            for (int r = 0; r < kernel->num_roots; r++)
                is_root = is_root || kernel->roots[r] == kernel->nodes[k];
            add_plan_node(plan, text, kernel->nodes[k], is_root);
        }
    }
}
