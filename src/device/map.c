// SPDX-License-Identifier: Apache-2.0
/* map: see map.h. The rules are those of cuTensorMapEncodeTiled (CUDA driver API, "Tensor Map
 * Object Managment"), but that a row of a box fills what is swizzled, and sizes are those of 32-bit
 * indices. */
#include "device/map.h"

#include <stdio.h>

enum { MOST_BOX = 256, UNIT = 16 };
#define MOST_STRIDE ((int64_t)1 << 40)

static bool is_number(const CompiledKernel *kernel, MapNumber n) {
    bool fits = n.num_params >= 0 && n.num_params <= MAP_FACTORS;
    for (int i = 0; fits && i < n.num_params; i++)
        fits = n.params[i] >= 0 && n.params[i] < kernel->num_params &&
               !kernel->params[n.params[i]].is_pointer &&
               !scalar_is_float(kernel->params[n.params[i]].type);
    return fits;
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
    for (int d = 0; d < r->rank; d++) {
        const MapDim *dim = &r->dims[d];
        if (dim->box < 1 || dim->box > MOST_BOX) return "a tensor map with a wrong box";
        if (!is_number(kernel, dim->size) || !is_number(kernel, dim->stride))
            return "a tensor map of no number";
    }
    if (r->dims[0].stride.num_params || r->dims[0].stride.number != 1)
        return "a tensor map whose first dimension has a stride";
    int row = r->dims[0].box * r->element_bytes;
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

/* False: it has more bits than 64, or than the kernel computes it in. */
static bool number_of(const CompiledKernel *kernel, MapNumber n, void **args, int64_t *value) {
    bool fits = true, is_zero = !n.number;
    *value = n.number;
    for (int i = 0; i < n.num_params; i++) {
        const KernelParam *param = &kernel->params[n.params[i]];
        int64_t factor = argument(param, args[n.params[i]]);
        is_zero |= !factor;
        fits = fits && (factor >= 0 || !param->is_unsigned);
        fits = !__builtin_mul_overflow(factor, *value, value) && fits;
    }
    if (is_zero) *value = 0;
    return is_zero || (fits && (!n.is_narrow || *value == (int32_t)*value));
}

/* "stride_am, K" */
static const char *names_of(const CompiledKernel *kernel, MapNumber n, char *text, size_t size) {
    size_t at = 0;
    snprintf(text, size, "a constant");
    for (int i = 0; i < n.num_params && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%.*s", i ? ", " : "",
                               STR_ARG(kernel->params[n.params[i]].name));
    return text;
}

static bool stride_of(const CompiledKernel *kernel, const MapRecipe *r, int d, void **args,
                      uint64_t *bytes, char *why, size_t size) {
    int64_t stride = 0;
    bool fits = number_of(kernel, r->dims[d].stride, args, &stride) && stride >= 0 &&
                stride < MOST_STRIDE / r->element_bytes && stride * r->element_bytes % UNIT == 0;
    *bytes = (uint64_t)stride * (uint64_t)r->element_bytes;
    if (fits) return true;
    char names[200];
    Str of = kernel->params[r->base].name;
    snprintf(why, size,
             "kernel '%.*s' copies boxes of '%.*s' by a tensor map: its stride of %lld elements of "
             "%d bytes (%s) has to be a multiple of 16 bytes, not negative, below 2^40",
             STR_ARG(kernel->name), STR_ARG(of), (long long)stride, r->element_bytes,
             names_of(kernel, r->dims[d].stride, names, sizeof names));
    return false;
}

static bool size_of(const CompiledKernel *kernel, const MapRecipe *r, int d, void **args,
                    uint64_t *elements, char *why, size_t size) {
    int64_t value = 0;
    char names[200];
    if (number_of(kernel, r->dims[d].size, args, &value)) {
        if (value > MAP_NO_SIZE) value = MAP_NO_SIZE; /* indices have 32 bits */
        *elements = value > 0 ? (uint64_t)value : 0;
        return true;
    }
    snprintf(why, size,
             "kernel '%.*s' copies boxes of '%.*s' by a tensor map: the product of its size (%s) "
             "has more bits than the kernel computes it in",
             STR_ARG(kernel->name), STR_ARG(kernel->params[r->base].name),
             names_of(kernel, r->dims[d].size, names, sizeof names));
    return false;
}

bool map_make(const CompiledKernel *kernel, const MapRecipe *r, void **args, MapBox *box, char *why,
              size_t size) {
    *box = (MapBox){.rank = (uint8_t)r->rank,
                    .element_bytes = (uint8_t)r->element_bytes,
                    .swizzle = (uint8_t)r->swizzle};
    memcpy(&box->base, args[r->base], sizeof box->base);
    for (int d = 0; d < r->rank; d++) {
        if (!size_of(kernel, r, d, args, &box->size[d], why, size)) return false;
        box->is_empty |= !box->size[d];
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
