// SPDX-License-Identifier: Apache-2.0
/* descriptor: host tensor descriptors: what Triton requires of one, and what a launch gets of it.
 * The kernel's side of it is lang/lower_param.c. */
#include "base/base.h"
#include "tern.h"

#include <stdio.h>

enum {
    ALIGNMENT =
        16 /* bytes: what the hardware's tensor maps need, so Triton requires it everywhere */
};

const char *tern_descriptor_error(const tern_descriptor *descriptor) {
    int rank = descriptor->rank;
    int64_t size = (int64_t)tern_dtype_size(descriptor->dtype);
    if (rank < 1 || rank > TERN_DESCRIPTOR_RANK) return "it has 1 to 5 dimensions";
    if (!size) return "its dtype is none";
    if (descriptor->pads_nan && !tern_dtype_is_float(descriptor->dtype))
        return "it pads with NaN, but is not of floats";
    if (descriptor->offset % ALIGNMENT) return "its base is not aligned to 16 bytes";
    if (descriptor->strides[rank - 1] != 1) return "its last dimension is not contiguous";
    for (int i = 0; i < rank; i++) {
        int block = descriptor->block[i];
        if (descriptor->shape[i] < 0 || descriptor->shape[i] > INT32_MAX)
            return "its shape is not of 32-bit sizes";
        if (block < 1 || (block & (block - 1))) return "its block is not of powers of two";
        if (descriptor->strides[i] < 0 || descriptor->strides[i] > INT64_MAX / 16)
            return "a stride is out of range";
        if (i + 1 < rank && descriptor->strides[i] * size % ALIGNMENT)
            return "its strides are not multiples of 16 bytes";
    }
    if (descriptor->block[rank - 1] * size < ALIGNMENT)
        return "its block has less than 16 bytes in the last dimension";
    return NULL;
}

int tern_descriptor_type(const tern_descriptor *descriptor, char *text, size_t size) {
    char own[160];
    int length = snprintf(own, sizeof own, "tensordesc<%s[", tern_dtype_name(descriptor->dtype));
    for (int i = 0; i < descriptor->rank && i < TERN_DESCRIPTOR_RANK; i++)
        length += snprintf(own + length, sizeof own - (size_t)length, "%s%d", i ? "," : "",
                           descriptor->block[i]);
    int64_t row = descriptor->rank < 1 || descriptor->rank > TERN_DESCRIPTOR_RANK
                      ? 1
                      : descriptor->shape[descriptor->rank - 1];
    bool whole = row * (int64_t)tern_dtype_size(descriptor->dtype) % ALIGNMENT == 0;
    return snprintf(text, size, "%s]%s%s>", own, whole ? ":16" : "",
                    descriptor->pads_nan ? ":nan" : "");
}

int tern_descriptor_arguments(const tern_descriptor *descriptor, tern_argument *arguments) {
    int count = 0,
        rank = descriptor->rank < TERN_DESCRIPTOR_RANK ? descriptor->rank : TERN_DESCRIPTOR_RANK;
    arguments[count] = tern_arg_buffer(descriptor->base);
    arguments[count++].offset = descriptor->offset;
    for (int i = 0; i < rank; i++) arguments[count++] = tern_arg_int(descriptor->shape[i]);
    for (int i = 0; i + 1 < rank; i++) arguments[count++] = tern_arg_int(descriptor->strides[i]);
    return count;
}
