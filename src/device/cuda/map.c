// SPDX-License-Identifier: Apache-2.0
/* map: tensor maps, made anew at each launch: the driver writes 128 bytes and asks the GPU nothing.
 * It copies them as it copies all arguments, so that graphs keep theirs.
 *
 * A map of nothing, where a size is 0, the driver does not make: one of a single 0 in the module's
 * memory gives the same, zeros everywhere; where boxes are stored, one of an element that nobody
 * reads. */
#include "device/cuda/cuda.h"
#include "device/map.h"

#include <stdlib.h>

typedef struct CudaMaps {
    const CompiledKernel *kernel;
    CudaPointer nothing;
    void **args; /* the kernel's, then the maps */
    CudaTensorMap *made;
} CudaMaps;

tern_status cuda_maps_open(Cuda *cuda, const CompiledKernel *kernel, CudaObject *object) {
    int count = kernel->facts.maps.count, params = kernel->num_params;
    size_t bytes = sizeof(CudaMaps) + sizeof(void *) * (size_t)(params + count);
    size_t start = (bytes + MAP_ALIGNMENT - 1) & -(size_t)MAP_ALIGNMENT;
    if (!cuda->driver.map_encode)
        return cuda_fail(cuda, TERN_ERROR_UNSUPPORTED,
                         "kernel %s needs tensor maps, which this driver does not make",
                         object->name);
    for (int i = 0; i < count; i++) {
        const char *why = map_check(kernel, &kernel->facts.maps.data[i]);
        if (why) return cuda_fail(cuda, TERN_ERROR_UNSUPPORTED, "kernel %s: %s", object->name, why);
    }
    CudaMaps *maps = aligned_alloc(MAP_ALIGNMENT, start + sizeof *maps->made * (size_t)count);
    if (!maps) return cuda_fail(cuda, TERN_ERROR_NO_MEMORY, "the host's memory is full");
    *maps = (CudaMaps){kernel, 0, (void **)(maps + 1), (CudaTensorMap *)((char *)maps + start)};
    object->maps = maps;
    for (int i = 0; i < count; i++) maps->args[params + i] = &maps->made[i];
    return cuda_check(
        cuda, cuda->driver.module_global(&maps->nothing, &(size_t){0}, object->module, MAP_NOTHING),
        "find a kernel's memory");
}

static CudaResult encode(const Cuda *cuda, CudaPointer nothing, const MapBox *box,
                         CudaTensorMap *map) {
    static const CudaMapType types[] = {
        [1] = CUDA_MAP_UINT8, [2] = CUDA_MAP_UINT16, [4] = CUDA_MAP_UINT32, [8] = CUDA_MAP_UINT64};
    CudaMapSwizzle swizzle = box->swizzle == 128  ? CUDA_MAP_SWIZZLE_128
                             : box->swizzle == 64 ? CUDA_MAP_SWIZZLE_64
                             : box->swizzle == 32 ? CUDA_MAP_SWIZZLE_32
                                                  : CUDA_MAP_NO_SWIZZLE;
    uint64_t sizes[MAP_DIMS], strides[MAP_DIMS];
    uint32_t lengths[MAP_DIMS], steps[MAP_DIMS];
    for (int d = 0; d < box->rank; d++) {
        sizes[d] = box->is_empty ? 1 : box->size[d];
        lengths[d] = box->box[d], steps[d] = 1;
        if (d) strides[d - 1] = box->is_empty ? 16 : box->stride[d];
    }
    uint64_t base = box->is_empty ? nothing : box->base;
    return cuda->driver.map_encode(
        map, types[box->element_bytes], box->rank, (void *)(uintptr_t)base, sizes, strides, lengths,
        steps, CUDA_MAP_NO_INTERLEAVE, swizzle, CUDA_MAP_L2_256, CUDA_MAP_FILL_ZERO);
}

tern_status cuda_maps_make(Cuda *cuda, const CudaObject *kernel, void ***args) {
    CudaMaps *maps = kernel->maps;
    const CompiledKernel *compiled = maps->kernel;
    for (int i = 0; i < compiled->facts.maps.count; i++) {
        MapBox box;
        char why[500];
        if (!map_make(compiled, &compiled->facts.maps.data[i], *args, &box, why, sizeof why))
            return cuda_fail(cuda, TERN_ERROR_ARGUMENT, "%s", why);
        bool stores = compiled->facts.maps.data[i].stores;
        CudaPointer nothing = maps->nothing + (stores ? MAP_NOTHING_BYTES : 0);
        CudaResult result = encode(cuda, nothing, &box, &maps->made[i]);
        if (result != CUDA_OK) return cuda_check(cuda, result, "make a tensor map");
    }
    memcpy(maps->args, *args, sizeof(void *) * (size_t)compiled->num_params);
    *args = maps->args;
    return TERN_OK;
}
