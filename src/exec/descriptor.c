// SPDX-License-Identifier: Apache-2.0
/* descriptor: a TensorDescriptor of a script (lib/lib_tensor_descriptor.py), which kernels take. */
#include "exec/exec.h"

bool is_descriptor_object(const Object *object) {
    if (object->kind != OBJECT_HOST || object->type != &instance_type) return false;
    const Class *class = class_info(object->items[0]);
    return str_is(class->name, "TensorDescriptor") && class->module &&
           str_is(class->module->text, "triton.tools.tensor_descriptor");
}

/* The numbers of an attribute, of which there are `rank`; with rank 0 that is found out. */
static bool numbers_of(Host *host, Object *self, Str name, int *rank, int64_t *numbers) {
    int count;
    Object **items, *list = host_attribute(host, self, name);
    if (is_raised(host) || !host_items(host, list, &count, &items)) return false;
    if (!*rank) *rank = count;
    if (count != *rank || count < 1 || count > TERN_DESCRIPTOR_RANK)
        return host_raise(host, CLASS_VALUE_ERROR, "a TensorDescriptor whose '%.*s' has %d numbers",
                          STR_ARG(name), count),
               false;
    for (int i = 0; i < count; i++)
        if (!host_int(host, items[i], "a number of a TensorDescriptor", &numbers[i])) return false;
    return true;
}

/* What it says now: hooks of an autotuner set its block. */
bool descriptor_of(Host *host, Object *self, tern_descriptor *descriptor) {
    int64_t block[TERN_DESCRIPTOR_RANK];
    Object *base = host_attribute(host, self, STR("base"));
    Object *padding = host_attribute(host, self, STR("padding"));
    *descriptor = (tern_descriptor){0};
    if (is_raised(host) || !want_tensor(host, base, "TensorDescriptor") ||
        !numbers_of(host, self, STR("block_shape"), &descriptor->rank, block) ||
        !numbers_of(host, self, STR("shape"), &descriptor->rank, descriptor->shape) ||
        !numbers_of(host, self, STR("strides"), &descriptor->rank, descriptor->strides))
        return false;
    for (int i = 0; i < descriptor->rank; i++)
        descriptor->block[i] = block[i] >= 1 && block[i] <= 1 << 20 ? (int)block[i] : 0;
    descriptor->base = tern_tensor_buffer(tensor_of(base), &descriptor->offset);
    descriptor->dtype = tern_tensor_dtype(tensor_of(base));
    descriptor->pads_nan = padding->kind == OBJECT_STR && str_is(padding->text, "nan");
    return true;
}
