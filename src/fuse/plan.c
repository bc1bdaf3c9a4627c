// SPDX-License-Identifier: Apache-2.0
/* plan: from a trace to steps in an order.
 *
 *   1. Results, what writes memory that is not a value, and what runs as an eager op, are stored.
 *   2. Each stored node is built as a kernel. A build that fails names a node that is then stored,
 *      too; kernels that computed it are built anew. So is what several kernels compute, when dear.
 *   3. Kernels of which one loads what the other stores, or which load the same and have the same
 *      shape, become one where a build with the roots of both succeeds and an order is left.
 *   4. Their texts are written, and compiled unless a plan for another shape has the same. */
#include "fuse/fuse.h"

const char *why_words(Why why) {
    static const char *const words[] = {
#define WHY(name, text) [WHY_##name] = text,
#include "fuse/why.def"
    };
    return words[why];
}

/* A kernel to be, or a node that runs alone. */
typedef struct Group {
    int num_roots, roots[MAX_ROOTS];
    bool is_alone, is_gone, is_done;
    int num_loads, loads[MAX_ACCESSES]; /* storages */
    uint8_t *has;                       /* nodes that it computes */
} Group;

typedef struct Grouping {
    FusePlan *plan;
    Build *build;
    Group *groups; /* by the node that is its first root */
    int *order, num_order;
} Grouping;

static NodeState *state_of(const Grouping *grouping, int node) {
    return &grouping->plan->states[node];
}

static void store_node(Grouping *grouping, int node, Why why) {
    NodeState *state = state_of(grouping, node);
    if (state->is_stored) return;
    state->is_stored = true;
    state->why = why;
    for (int i = 0; i < grouping->plan->trace->nodes.count; i++) {
        Group *group = &grouping->groups[i];
        if (group->num_roots && group->has && group->has[node]) group->num_roots = 0;
    }
}

/* ---- 1: what is stored in any case ---- */

static int writer_of(const FusePlan *plan, int storage) {
    return storage >= 0 && trace_is_value(plan->trace, storage)
               ? plan->trace->storages.data[storage].writer
               : -1;
}

static bool changes(const FusePlan *plan, int storage) {
    return storage >= 0 && plan->trace->storages.data[storage].num_writes &&
           !trace_is_value(plan->trace, storage);
}

/* One op, without functions, of what is in memory: cheap enough to be done once an element that a
 * product reads. */
static bool is_cheap(const FusePlan *plan, int node) {
    const TraceNode *of = plan->trace->nodes.data[node];
    if (of->run.kind != RUN_MAP) return false;
    for (int i = 0; i < of->run.num_operands; i++)
        if (writer_of(plan, plan->states[node].storages[i]) >= 0) return false;
    bool turns = of->run.op == TERN_OP_copy && of->out.rank > 1 &&
                 of->run.operands[0].kind == TERN_OPERAND_TENSOR &&
                 memcmp(of->tensors[0].strides, of->out.strides,
                        (size_t)of->out.rank * sizeof *of->out.strides) != 0;
    if (turns) return false; /* whoever asked for it wants it to lie so */
    return !strchr(row_formula(op_row(of->run.op), of->run.compute), '(');
}

static bool runs_alone(const TraceNode *node, const NodeState *state) {
    RowKind kind = op_row(node->run.op)->kind;
    if (state->way == PRODUCT_BY_LIBRARY) return true;
    if (node->run.kind == RUN_PRODUCT) return !tern_dtype_is_float(node->out.dtype);
    return kind == ROW_ARG || kind == ROW_SCAN || kind == ROW_PUT;
}

/* A library takes a factor that lies turned as it is: no need of the copy that a tile reads. */
static void read_uncopied(FusePlan *plan, TraceNode *node, NodeState *state, int operand) {
    int writer = writer_of(plan, state->storages[operand]);
    if (writer < 0) return;
    const TraceNode *copy = plan->trace->nodes.data[writer];
    const tern_tensor *from = &copy->tensors[0];
    int source = plan->states[writer].storages[0];
    if (copy->run.op != TERN_OP_copy || source < 0 || changes(plan, source) ||
        !is_same_view(&node->tensors[operand], &copy->out) || from->dtype != copy->out.dtype ||
        from->rank != copy->out.rank ||
        memcmp(from->shape, copy->out.shape, (size_t)from->rank * sizeof *from->shape) != 0)
        return;
    tern_tensor factors[2] = {node->tensors[0], node->tensors[1]};
    factors[operand] = *from;
    if (!blas_can(plan->trace->session, &factors[0], &factors[1], &node->out)) return;
    node->tensors[operand] = *from;
    state->storages[operand] = source;
}

static void describe_node(FusePlan *plan, int index) {
    TraceNode *node = plan->trace->nodes.data[index];
    NodeState *state = &plan->states[index];
    state->out = trace_storage_of(plan->trace, &node->out);
    for (int i = 0; i < RUN_OPERANDS; i++)
        state->storages[i] =
            node->tensors[i].storage ? trace_storage_of(plan->trace, &node->tensors[i]) : -1;
    if (node->run.kind != RUN_PRODUCT) return;
    const tern_tensor *a = &node->tensors[0], *b = &node->tensors[1];
    tern_session *session = plan->trace->session;
    int asked = index < plan->num_ways ? plan->ways[index] - 1 : -1;
    bool can = asked >= 0 && (asked != PRODUCT_BY_LIBRARY || blas_can(session, a, b, &node->out));
    state->way = can ? asked : product_usual_way(session, a, b, &node->out);
    for (int i = 0; i < 2 && state->way == PRODUCT_BY_LIBRARY; i++)
        read_uncopied(plan, node, state, i);
}

/* A value that is no result, and that nothing reads but what nobody wants, is not computed. */
static void find_wanted(FusePlan *plan) {
    int nodes = plan->trace->nodes.count, storages = plan->trace->storages.count;
    bool *is_read = arena_array(plan->arena, bool, storages + 1);
    for (int i = 0; i < plan->num_out; i++) is_read[plan->out_storages[i]] = true;
    for (int n = nodes - 1; n >= 0; n--) {
        NodeState *state = &plan->states[n];
        state->is_wanted = !trace_is_value(plan->trace, state->out) || is_read[state->out];
        for (int i = 0; i < RUN_OPERANDS && state->is_wanted; i++)
            if (state->storages[i] >= 0) is_read[state->storages[i]] = true;
    }
}

/* The only reader of a value; -1: there are others, or it is a result. */
static int reader_of(const FusePlan *plan, int storage) {
    int reader = -1;
    for (int i = 0; i < plan->num_out; i++)
        if (plan->out_storages[i] == storage) return -1;
    for (int n = 0; n < plan->trace->nodes.count; n++) {
        if (!plan->states[n].is_wanted) continue;
        for (int i = 0; i < RUN_OPERANDS; i++) {
            if (plan->states[n].storages[i] != storage) continue;
            if (reader >= 0) return -1;
            reader = n;
        }
    }
    return reader;
}

/* x @ w + bias, of a library that can add the bias at once: the sum does both. What is read for the
 * product is then read later, so nothing may write to it. */
static void find_bias(FusePlan *plan, int index) {
    const TraceNode *product = plan->trace->nodes.data[index];
    NodeState *state = &plan->states[index];
    if (product->run.kind != RUN_PRODUCT || state->way != PRODUCT_BY_LIBRARY || !state->is_wanted ||
        changes(plan, state->storages[0]) || changes(plan, state->storages[1]) ||
        !trace_is_value(plan->trace, state->out))
        return;
    int reader = reader_of(plan, state->out);
    if (reader < 0) return;
    const TraceNode *sum = plan->trace->nodes.data[reader];
    NodeState *of_sum = &plan->states[reader];
    int bias = of_sum->storages[0] == state->out;
    if (sum->run.op != TERN_OP_add || sum->run.operands[bias].kind != TERN_OPERAND_TENSOR ||
        changes(plan, of_sum->storages[bias]) || writer_of(plan, of_sum->storages[bias]) >= 0 ||
        !trace_is_value(plan->trace, of_sum->out) ||
        !is_same_view(&sum->tensors[!bias], &product->out) ||
        !is_same_view(&sum->out, &product->out) ||
        !blas_can_add(plan->trace->session, &product->tensors[0], &product->tensors[1],
                      &sum->tensors[bias], &sum->out))
        return;
    of_sum->storages[2] = of_sum->storages[bias];
    of_sum->storages[0] = state->storages[0];
    of_sum->storages[1] = state->storages[1];
    of_sum->product = 1 + index;
    of_sum->bias = bias;
    of_sum->way = PRODUCT_BY_LIBRARY;
    state->is_absorbed = true;
}

static void store_first(Grouping *grouping, int index) {
    if (!grouping->plan->states[index].is_wanted || grouping->plan->states[index].is_absorbed)
        return;
    const FusePlan *plan = grouping->plan;
    const TraceNode *node = plan->trace->nodes.data[index];
    NodeState *state = state_of(grouping, index);
    bool reads_changing = false;
    for (int i = 0; i < RUN_OPERANDS; i++)
        reads_changing = reads_changing || changes(plan, state->storages[i]);
    if (runs_alone(node, state)) {
        state->is_alone = true;
        store_node(grouping, index, state->way == PRODUCT_BY_LIBRARY ? WHY_LIBRARY : WHY_ALONE);
    }
    if (!trace_is_value(plan->trace, state->out)) store_node(grouping, index, WHY_WRITES);
    if (reads_changing) store_node(grouping, index, WHY_CHANGES);
    for (int i = 0; i < RUN_OPERANDS; i++) {
        int writer = writer_of(plan, state->storages[i]);
        if (writer < 0) continue;
        if (state->is_alone) store_node(grouping, writer, WHY_READ_ALONE);
        if (node->run.kind == RUN_PRODUCT && !is_cheap(plan, writer))
            store_node(grouping, writer, WHY_OPERAND);
    }
}

/* ---- 2: kernels of one root ---- */

static bool build_group(Grouping *grouping, Group *group, const int *roots, int num_roots) {
    const FusePlan *plan = grouping->plan;
    const Build *build = grouping->build;
    if (!build_kernel(grouping->build, grouping->plan, roots, num_roots)) return false;
    int nodes = plan->trace->nodes.count;
    if (!group->has) group->has = arena_array(plan->arena, uint8_t, nodes);
    memcpy(group->has, build->has, (size_t)nodes);
    memmove(group->roots, roots, (size_t)num_roots * sizeof *roots);
    group->num_roots = num_roots;
    group->num_loads = build->num_accesses;
    for (int i = 0; i < build->num_accesses; i++) group->loads[i] = build->accesses[i].storage;
    return true;
}

static void set_alone(const Grouping *grouping, Group *group, int node) {
    const NodeState *state = state_of(grouping, node);
    group->is_alone = true;
    group->num_roots = 1;
    group->roots[0] = node;
    for (int i = 0; i < RUN_OPERANDS; i++)
        if (state->storages[i] >= 0) group->loads[group->num_loads++] = state->storages[i];
}

/* False: what the build blames is stored now. */
static bool build_one(Grouping *grouping, int node) {
    Group *group = &grouping->groups[node];
    if (!state_of(grouping, node)->is_stored || group->num_roots) return true;
    if (state_of(grouping, node)->is_alone) return set_alone(grouping, group, node), true;
    if (build_group(grouping, group, &node, 1)) return true;
    int culprit = grouping->build->culprit;
    if (culprit == node) BUG("a kernel of one node that cannot be built: %d", node);
    store_node(grouping, culprit, grouping->build->why);
    return false;
}

/* Until all that is stored has a kernel. */
static void build_all(Grouping *grouping) {
    int nodes = grouping->plan->trace->nodes.count;
    for (bool again = true; again;) {
        again = false;
        for (int i = 0; i < nodes; i++) again |= !build_one(grouping, i);
    }
}

static bool is_dear(const FusePlan *plan, int node) {
    const TraceNode *of = plan->trace->nodes.data[node];
    if (of->run.kind != RUN_MAP) return true;
    return strchr(row_formula(op_row(of->run.op), of->run.compute), '(') != NULL;
}

static bool store_shared(Grouping *grouping) {
    int nodes = grouping->plan->trace->nodes.count;
    bool any = false;
    for (int n = nodes - 1; n >= 0; n--) { /* the last first: it may save those that it reads */
        int count = 0;
        for (int i = 0; i < nodes; i++) {
            const Group *group = &grouping->groups[i];
            count += group->num_roots && !group->is_alone && group->has[n];
        }
        if (count < 2 || state_of(grouping, n)->is_stored || !is_dear(grouping->plan, n)) continue;
        store_node(grouping, n, WHY_SHARED);
        build_all(grouping);
        any = true;
    }
    return any;
}

/* ---- 3: kernels of several roots, and the order ---- */

static bool group_loads(const Group *group, int storage) {
    for (int i = 0; i < group->num_loads; i++)
        if (group->loads[i] == storage) return true;
    return false;
}

static bool group_stores(const Grouping *grouping, const Group *group, int storage) {
    for (int i = 0; i < group->num_roots; i++)
        if (state_of(grouping, group->roots[i])->out == storage) return true;
    return false;
}

static int time_of(const Group *group) {
    int last = 0;
    for (int i = 0; i < group->num_roots; i++)
        if (group->roots[i] > last) last = group->roots[i];
    return last;
}

/* Must `first` run before `then`? It makes a value that that one reads; or both use memory that is
 * written in the program's order, and it comes sooner there. */
static bool must_precede(const Grouping *grouping, const Group *first, const Group *then) {
    const FusePlan *plan = grouping->plan;
    bool sooner = time_of(first) < time_of(then);
    for (int i = 0; i < first->num_roots; i++) {
        int storage = state_of(grouping, first->roots[i])->out;
        bool touched = group_loads(then, storage) || group_stores(grouping, then, storage);
        if (touched && (trace_is_value(plan->trace, storage) || sooner)) return true;
    }
    for (int i = 0; i < first->num_loads && sooner; i++)
        if (changes(plan, first->loads[i]) && group_stores(grouping, then, first->loads[i]))
            return true;
    return false;
}

static bool is_ready(const Grouping *grouping, int index) {
    for (int i = 0; i < grouping->plan->trace->nodes.count; i++) {
        const Group *other = &grouping->groups[i];
        if (i != index && other->num_roots && !other->is_done &&
            must_precede(grouping, other, &grouping->groups[index]))
            return false;
    }
    return true;
}

/* False: there is none. */
static bool find_order(Grouping *grouping) {
    int nodes = grouping->plan->trace->nodes.count, left = 0;
    for (int i = 0; i < nodes; i++) {
        grouping->groups[i].is_done = false;
        left += grouping->groups[i].num_roots != 0;
    }
    grouping->num_order = 0;
    while (left--) {
        int next = 0;
        while (next < nodes && (!grouping->groups[next].num_roots ||
                                grouping->groups[next].is_done || !is_ready(grouping, next)))
            next++;
        if (next == nodes) return false;
        grouping->groups[next].is_done = true;
        grouping->order[grouping->num_order++] = next;
    }
    return true;
}

/* Does one read what the other makes, or both the same, in the same shape? */
static bool are_near(const Grouping *grouping, const Group *a, const Group *b) {
    const FusePlan *plan = grouping->plan;
    for (int i = 0; i < b->num_roots; i++)
        if (group_loads(a, state_of(grouping, b->roots[i])->out)) return true;
    const tern_tensor *x = &plan->trace->nodes.data[a->roots[0]]->out,
                      *y = &plan->trace->nodes.data[b->roots[0]]->out;
    bool same = x->rank == y->rank && a < b &&
                !memcmp(x->shape, y->shape, (size_t)x->rank * sizeof *x->shape);
    for (int i = 0; i < a->num_loads && same; i++)
        if (group_loads(b, a->loads[i])) return true;
    return false;
}

static bool keeps_time(const Grouping *grouping, const Group *group) {
    const FusePlan *plan = grouping->plan;
    for (int i = 0; i < group->num_loads; i++)
        if (changes(plan, group->loads[i])) return true;
    for (int i = 0; i < group->num_roots; i++)
        if (changes(plan, state_of(grouping, group->roots[i])->out)) return true;
    return false;
}

/* Puts b into a. */
static bool try_join(Grouping *grouping, Group *a, Group *b) {
    if (a->num_roots + b->num_roots > MAX_ROOTS || keeps_time(grouping, a) ||
        keeps_time(grouping, b))
        return false;
    int roots[MAX_ROOTS], count = a->num_roots + b->num_roots;
    Group of_a = *a, of_b = *b, joined = {.num_roots = 0};
    memcpy(roots, a->roots, (size_t)a->num_roots * sizeof *roots);
    memcpy(roots + a->num_roots, b->roots, (size_t)b->num_roots * sizeof *roots);
    if (!build_group(grouping, &joined, roots, count)) return false;
    *a = joined;
    b->num_roots = 0;
    if (find_order(grouping)) return true;
    *a = of_a;
    *b = of_b;
    return false;
}

static void join_all(Grouping *grouping) {
    int nodes = grouping->plan->trace->nodes.count;
    for (bool again = true; again;) {
        again = false;
        for (int i = nodes - 1; i >= 0; i--)
            for (int j = nodes - 1; j >= 0; j--) {
                Group *a = &grouping->groups[i], *b = &grouping->groups[j];
                if (i == j || !a->num_roots || !b->num_roots || a->is_alone || b->is_alone ||
                    !are_near(grouping, a, b))
                    continue;
                again = try_join(grouping, a, b) || again;
            }
    }
}

/* ---- 4: steps ---- */

static void step_add_storage(Step *step, int storage) {
    for (int i = 0; i < step->num_storages; i++)
        if (step->storages[i] == storage) return;
    step->storages[step->num_storages++] = storage;
}

static void add_step(Grouping *grouping, const Group *group) {
    FusePlan *plan = grouping->plan;
    Step step = {.node = group->roots[0],
                 .storages = arena_array(plan->arena, int, group->num_loads + group->num_roots)};
    for (int i = 0; i < group->num_roots; i++)
        step_add_storage(&step, state_of(grouping, group->roots[i])->out);
    for (int i = 0; i < group->num_loads; i++) step_add_storage(&step, group->loads[i]);
    if (!group->is_alone) {
        if (!build_kernel(grouping->build, plan, group->roots, group->num_roots))
            BUG("a kernel that was built before");
        const char *name =
            str_c(plan->arena, str_format(plan->arena, "%s_%d", plan->name, plan->num_kernels++));
        step.kernel = write_kernel(grouping->build, name);
    }
    vec_push(plan->arena, &plan->steps, step);
}

static void find_last_uses(FusePlan *plan) {
    int count = plan->trace->storages.count;
    plan->real = arena_array(plan->arena, Storage *, count);
    plan->offsets = arena_array(plan->arena, int64_t, count);
    plan->last_use = arena_array(plan->arena, int, count);
    for (int i = 0; i < count; i++) plan->last_use[i] = -1;
    for (int i = 0; i < plan->steps.count; i++)
        for (int k = 0; k < plan->steps.data[i].num_storages; k++)
            plan->last_use[plan->steps.data[i].storages[k]] = i;
    for (int i = 0; i < plan->num_out; i++)
        plan->last_use[plan->out_storages[i]] = plan->steps.count;
}

tern_status fuse_plan(FusePlan *plan) {
    if (setjmp(plan->no_memory))
        return session_fail(plan->trace->session, TERN_ERROR_NO_MEMORY, "out of memory");
    int nodes = plan->trace->nodes.count;
    Grouping grouping = {.plan = plan,
                         .build = arena_new_of(plan->arena, Build),
                         .groups = arena_array(plan->arena, Group, nodes),
                         .order = arena_array(plan->arena, int, nodes)};
    grouping.build->has = arena_array(plan->arena, uint8_t, nodes);
    plan->states = arena_array(plan->arena, NodeState, nodes);
    for (int i = 0; i < nodes; i++) describe_node(plan, i);
    find_wanted(plan);
    for (int i = 0; i < plan->num_out; i++) {
        int writer = writer_of(plan, plan->out_storages[i]);
        if (writer >= 0) store_node(&grouping, writer, WHY_RESULT);
    }
    for (int i = 0; i < nodes; i++) find_bias(plan, i);
    for (int i = 0; i < nodes; i++) store_first(&grouping, i);
    build_all(&grouping);
    while (store_shared(&grouping)) continue;
    join_all(&grouping);
    if (!find_order(&grouping)) BUG("a trace without an order");
    for (int i = 0; i < grouping.num_order; i++)
        add_step(&grouping, &grouping.groups[grouping.order[i]]);
    find_last_uses(plan);
    return TERN_OK;
}
