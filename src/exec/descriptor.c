// SPDX-License-Identifier: Apache-2.0
/* descriptor: a TensorDescriptor of a script (lib/lib_tensor_descriptor.py), which kernels take; or
 * a TmaDescriptor (lib/lib_experimental_descriptor.py), which says an address. */
#include "exec/exec.h"

bool is_instance_of(const Object *object, const char *module, const char *name) {
    if (object->kind != OBJECT_HOST || object->type != &instance_type) return false;
    const Class *class = class_info(object->items[0]);
    return str_is(class->name, name) && class->module && str_is(class->module->text, module);
}

static bool is_address(const Object *object) {
    return is_instance_of(object, "triton.tools.experimental_descriptor", "TmaDescriptor");
}

bool is_descriptor_object(const Object *object) {
    return is_instance_of(object, "triton.tools.tensor_descriptor", "TensorDescriptor") ||
           is_address(object);
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

/* The tensor whose elements are described. */
static bool base_of_tensor(Host *host, Object *self, tern_descriptor *descriptor) {
    Object *base = host_attribute(host, self, STR("base"));
    Object *padding = host_attribute(host, self, STR("padding"));
    if (is_raised(host) || !want_tensor(host, base, "TensorDescriptor")) return false;
    descriptor->base = tern_tensor_buffer(tensor_of(base), &descriptor->offset);
    descriptor->dtype = tern_tensor_dtype(tensor_of(base));
    descriptor->pads_nan = padding->kind == OBJECT_STR && str_is(padding->text, "nan");
    return true;
}

/* What lies at an address now: a file that kept it longer than the tensor gets no stranger's. */
static bool base_of_address(Host *host, Object *self, tern_descriptor *descriptor) {
    int64_t address, size;
    Object *of_address = host_attribute(host, self, STR("address"));
    Object *of_size = host_attribute(host, self, STR("element_size"));
    if (is_raised(host) || !host_int(host, of_address, "a descriptor's address", &address) ||
        !host_int(host, of_size, "element_size", &size))
        return false;
    tern_context *context = exec_of(host)->context;
    descriptor->base =
        tern_buffer_at(context, (const void *)(uintptr_t)address, &descriptor->offset);
    descriptor->dtype = size == 1 ? TERN_UINT8 : size == 2 ? TERN_UINT16 : TERN_UINT32;
    if (!descriptor->base)
        return host_raise(host, CLASS_VALUE_ERROR,
                          "a descriptor's address is in no tensor's memory"),
               false;
    return true;
}

/* What it says now: hooks of an autotuner set its block. */
bool descriptor_of(Host *host, Object *self, tern_descriptor *descriptor) {
    int64_t block[TERN_DESCRIPTOR_RANK];
    *descriptor = (tern_descriptor){0};
    if (!numbers_of(host, self, STR("block_shape"), &descriptor->rank, block) ||
        !numbers_of(host, self, STR("shape"), &descriptor->rank, descriptor->shape) ||
        !numbers_of(host, self, STR("strides"), &descriptor->rank, descriptor->strides))
        return false;
    for (int i = 0; i < descriptor->rank; i++)
        descriptor->block[i] = block[i] >= 1 && block[i] <= 1 << 20 ? (int)block[i] : 0;
    return is_address(self) ? base_of_address(host, self, descriptor)
                            : base_of_tensor(host, self, descriptor);
}
