// SPDX-License-Identifier: Apache-2.0
/* plan: from a trace to steps in an order, and running these. Memory that the function makes is
 * had by the first step that writes it and given back after the last one that reads it, so that
 * the next one gets it. */
#include "fuse/fuse.h"

static void step_add_storage(const FusePlan *plan, Step *step, const tern_tensor *tensor) {
    step->storages[step->num_storages++] = trace_storage_of(plan->trace, tensor);
}

static void add_node(FusePlan *plan, int index) {
    const TraceNode *node = plan->trace->nodes.data[index];
    Step step = {.node = index,
                 .storages = arena_array(plan->arena, int, node->run.num_operands + 1)};
    for (int i = 0; i < node->run.num_operands; i++)
        if (node->tensors[i].storage) step_add_storage(plan, &step, &node->tensors[i]);
    step_add_storage(plan, &step, &node->out);
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
    for (int i = 0; i < plan->trace->nodes.count; i++) add_node(plan, i);
    find_last_uses(plan);
    return TERN_OK;
}

/* ---- running ---- */

static tern_status have_memory(FusePlan *plan, const Step *step) {
    for (int k = 0; k < step->num_storages; k++) {
        int storage = step->storages[k];
        if (plan->real[storage]) continue;
        plan->real[storage] = storage_new(plan->trace->session,
                                          plan->trace->storages.data[storage].storage->size_bytes);
        if (!plan->real[storage]) return tern_message_status(plan->trace->session->context);
    }
    return TERN_OK;
}

static void drop_dead(FusePlan *plan, const Step *step, int at) {
    for (int k = 0; k < step->num_storages; k++) {
        int storage = step->storages[k];
        if (plan->trace->storages.data[storage].role != STORAGE_MADE || !plan->real[storage] ||
            plan->last_use[storage] != at)
            continue;
        storage_drop(plan->real[storage]);
        plan->real[storage] = NULL;
    }
}

tern_status fuse_run(FusePlan *plan) {
    for (int i = 0; i < plan->steps.count; i++) {
        const Step *step = &plan->steps.data[i];
        tern_status status = have_memory(plan, step);
        if (!status)
            status = trace_run_node(plan->trace, plan->trace->nodes.data[step->node], plan->real,
                                    plan->offsets);
        if (status) return status;
        drop_dead(plan, step, i);
    }
    return TERN_OK;
}
