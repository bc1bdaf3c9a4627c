// SPDX-License-Identifier: Apache-2.0
/* target: what host code of kernels asks of the device that a kernel is compiled for.
 *
 * Of a GPU its capability is known, and what follows from that: shared memory, registers, that one
 * is there. On cpu and interp the backend is called "cuda", too: what is tuned in a kernel's file
 * is tuned for NVIDIA; but the capability is 0.0, so that no condition takes what needs a GPU's
 * units. How many multiprocessors it has, its name and memory are known at a run only.
 */
#include "ir/arch.h"
#include "lang/module.h"

#include <stdlib.h>

bool module_set_target(Module *module, const char *target) {
    Registry *registry = module->registry;
    bool is_gpu = str_starts(str_of(target), "sm_") || str_starts(str_of(target), "cuda:");
    int capability = is_gpu ? (int)strtol(strpbrk(target, "_:") + 1, NULL, 10) : 0;
    if (capability == registry->capability) return false;
    registry->capability = capability;
    if (!registry->was_asked) return false;
    registry->was_asked = false;
    module_forget(module);
    return true;
}

typedef struct Fields {
    Host *host;
    Object *names[16], *values[16];
    int count;
} Fields;

static void add(Fields *fields, const char *name, Object *value) {
    if (!value) {
        value = object_new(fields->host->arena, OBJECT_OPAQUE);
        value->text = str_format(fields->host->arena, "the device's '%s'", name);
    }
    fields->names[fields->count] = object_str(fields->host->arena, str_of(name));
    fields->values[fields->count++] = value;
}

static void add_int(Fields *fields, const char *name, int number) {
    add(fields, name, object_int(fields->host->arena, number));
}

static Object *as_tuple(const Fields *fields, bool is_named) {
    Object *tuple =
        object_tuple(fields->host->arena, fields->count, (Object *const *)fields->values);
    if (!is_named) return tuple;
    tuple->names = arena_array(fields->host->arena, Str, fields->count);
    for (int i = 0; i < fields->count; i++) tuple->names[i] = fields->names[i]->text;
    return object_sealed(fields->host->arena, tuple);
}

static Object *as_dict(const Fields *fields) {
    Object *items[2 * 16];
    for (int i = 0; i < fields->count; i++)
        items[2 * i] = fields->names[i], items[2 * i + 1] = fields->values[i];
    return host_list(fields->host->arena, OBJECT_DICT, 2 * fields->count, items);
}

/* triton.backends.compiler.GPUTarget */
static Object *current_target(Fields *fields, int capability) {
    add(fields, "backend", object_str(fields->host->arena, STR("cuda")));
    add_int(fields, "arch", capability);
    add_int(fields, "warp_size", 32);
    return as_tuple(fields, true);
}

/* What a block may have of shared memory when it asks for it; NULL: not known. */
static Object *most_shared(const Fields *fields, int capability) {
    for (int i = 0; arch_at(i); i++)
        if (arch_at(i)->number == capability)
            return object_int(fields->host->arena, arch_at(i)->shared_limit);
    return NULL;
}

/* driver.active.utils.get_device_properties(0)["max_shared_mem"] */
static Object *driver_properties(Fields *fields, int capability) {
    add(fields, "max_shared_mem", most_shared(fields, capability));
    add(fields, "max_num_regs", capability ? object_int(fields->host->arena, 65536) : NULL);
    add_int(fields, "warpSize", 32);
    add(fields, "multiprocessor_count", NULL);
    add(fields, "sm_clock_rate", NULL);
    add(fields, "mem_clock_rate", NULL);
    add(fields, "mem_bus_width", NULL);
    return as_dict(fields);
}

/* torch.cuda.get_device_properties(0).major */
static Object *torch_properties(Fields *fields, int capability) {
    add_int(fields, "major", capability / 10);
    add_int(fields, "minor", capability % 10);
    add_int(fields, "warp_size", 32);
    add(fields, "shared_memory_per_block_optin", most_shared(fields, capability));
    add(fields, "regs_per_multiprocessor",
        capability ? object_int(fields->host->arena, 65536) : NULL);
    add(fields, "name", NULL);
    add(fields, "multi_processor_count", NULL);
    add(fields, "total_memory", NULL);
    return as_tuple(fields, true);
}

static Object *capability_pair(Fields *fields, int capability) {
    add_int(fields, "", capability / 10);
    add_int(fields, "", capability % 10);
    return as_tuple(fields, false);
}

/* Of devices that tern makes no code for, none is there (as torch.version.hip is None). */
static bool asks_for_other_device(Str path) {
    static const char *const names[] = {
        "is_torch_npu_available",  "is_torch_xpu_available", "is_torch_mlu_available",
        "is_torch_musa_available", "is_torch_hpu_available", "torch.xpu.is_available",
        "torch.npu.is_available",  "torch.mlu.is_available", "torch.musa.is_available"};
    for (int i = 0; i < COUNT(names); i++)
        if (path_ends(path, names[i])) return true;
    return false;
}

Object *host_target_call(Host *host, Str path, int num_args) {
    static const struct {
        const char *name;
        Object *(*answer)(Fields *, int);
        int most_args;
    } calls[] = {
        {"driver.active.get_current_target", current_target, 0},
        {"utils.get_device_properties", driver_properties, 1},
        {"torch.cuda.get_device_properties", torch_properties, 1},
        {"torch.cuda.get_device_capability", capability_pair, 1},
    };
    Registry *registry = host->module->registry;
    if (asks_for_other_device(path)) return object_bool(host->arena, false);
    for (int i = 0; i < COUNT(calls); i++)
        if (path_ends(path, calls[i].name) && num_args <= calls[i].most_args) {
            registry->was_asked = true;
            return calls[i].answer(&(Fields){.host = host}, registry->capability);
        }
    if (!path_ends(path, "torch.cuda.is_available")) return NULL;
    registry->was_asked = true;
    return registry->capability ? object_bool(host->arena, true) : NULL;
}
