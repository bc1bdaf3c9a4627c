// SPDX-License-Identifier: Apache-2.0
/* map: see map.h. The rules are those of cuTensorMapEncodeTiled (CUDA driver API, "Tensor Map
 * Object Managment"), but that a row of a box fills what is swizzled, and sizes are those of 32-bit
 * indices. */
#include "device/map.h"

#include <stdio.h>

enum { MOST_BOX = 256, UNIT = 16 };
#define MOST_STRIDE ((int64_t)1 << 40)

static bool is_number(const CompiledKernel *kernel, MapNumber n) {
    return n.param < 0 || (n.param < kernel->num_params && !kernel->params[n.param].is_pointer &&
                           !scalar_is_float(kernel->params[n.param].type));
}

static bool is_power_up_to(int value, int most) {
    return value > 0 && value <= most && !(value & (value - 1));
}

const char *map_check(const CompiledKernel *kernel, const MapRecipe *r) {
    if (kernel->num_packs) return "a tensor map among packed parameters";
    if (r->base < 0 || r->base >= kernel->num_params || !kernel->params[r->base].is_pointer)
        return "a tensor map of no pointer";
    if (r->rank < 1 || r->rank > MAP_DIMS) return "a tensor map of a wrong rank";
    if (!is_power_up_to(r->element_bytes, 8)) return "a tensor map of wrong elements";
    int row = r->dims[0].box * r->element_bytes;
    for (int d = 0; d < r->rank; d++) {
        const MapDim *dim = &r->dims[d];
        if (dim->box < 1 || dim->box > MOST_BOX) return "a tensor map with a wrong box";
        if (!is_number(kernel, dim->size) || !is_number(kernel, dim->stride))
            return "a tensor map of no number";
    }
    if (r->dims[0].stride.param >= 0 || r->dims[0].stride.number != 1)
        return "a tensor map whose first dimension has a stride";
    if (row % UNIT) return "a tensor map with rows of no multiple of 16 bytes";
    bool swizzles = r->swizzle == 32 || r->swizzle == 64 || r->swizzle == 128;
    if (r->swizzle && !swizzles) return "a tensor map with a wrong swizzle";
    return swizzles && row != r->swizzle
               ? "a tensor map with rows of other lengths than its swizzle"
               : NULL;
}

/* Of a scalar parameter, as wide as it is. */
static int64_t argument(const KernelParam *param, const void *at) {
    int bits = scalar_bits(param->type);
    uint64_t value = 0;
    memcpy(&value, at, (size_t)(bits + 7) / 8);
    if (bits == 64 || param->is_unsigned || bits < 8) return (int64_t)value;
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static bool number_of(const CompiledKernel *kernel, MapNumber n, void **args, int64_t *value) {
    *value = n.number;
    return n.param < 0 || !__builtin_mul_overflow(argument(&kernel->params[n.param], args[n.param]),
                                                  n.number, value);
}

static Str name_of(const CompiledKernel *kernel, MapNumber n) {
    return n.param < 0 ? STR("a constant") : kernel->params[n.param].name;
}

static bool stride_of(const CompiledKernel *kernel, const MapRecipe *r, int d, void **args,
                      uint64_t *bytes, char *why, size_t size) {
    int64_t stride = 0;
    bool fits = number_of(kernel, r->dims[d].stride, args, &stride) && stride >= 0 &&
                stride < MOST_STRIDE / r->element_bytes && stride * r->element_bytes % UNIT == 0;
    *bytes = (uint64_t)stride * (uint64_t)r->element_bytes;
    if (fits) return true;
    Str name = name_of(kernel, r->dims[d].stride), of = kernel->params[r->base].name;
    snprintf(why, size,
             "kernel '%.*s' copies boxes of '%.*s' by a tensor map: its stride of %lld elements of "
             "%d bytes (%.*s) has to be a multiple of 16 bytes, not negative, below 2^40",
             STR_ARG(kernel->name), STR_ARG(of), (long long)stride, r->element_bytes,
             STR_ARG(name));
    return false;
}

bool map_make(const CompiledKernel *kernel, const MapRecipe *r, void **args, MapBox *box, char *why,
              size_t size) {
    *box = (MapBox){.rank = (uint8_t)r->rank,
                    .element_bytes = (uint8_t)r->element_bytes,
                    .swizzle = (uint8_t)r->swizzle};
    memcpy(&box->base, args[r->base], sizeof box->base);
    for (int d = 0; d < r->rank; d++) {
        int64_t elements;
        bool known = number_of(kernel, r->dims[d].size, args, &elements);
        if (!known || elements > MAP_NO_SIZE) elements = MAP_NO_SIZE; /* of indices of 32 bits */
        box->is_empty |= elements <= 0;
        box->size[d] = elements > 0 ? (uint64_t)elements : 0;
        box->box[d] = (uint16_t)r->dims[d].box;
    }
    if (box->is_empty) return true; /* no element is read, whatever the strides are */
    for (int d = 1; d < r->rank; d++)
        if (!stride_of(kernel, r, d, args, &box->stride[d], why, size)) return false;
    if (box->base % UNIT == 0) return true;
    snprintf(why, size,
             "kernel '%.*s' copies boxes of '%.*s' by a tensor map: address 0x%llx has to be a "
             "multiple of 16",
             STR_ARG(kernel->name), STR_ARG(kernel->params[r->base].name),
             (unsigned long long)box->base);
    return false;
}
