// SPDX-License-Identifier: Apache-2.0
/* map: tensor maps of a launch, from the recipes of the kernel and its arguments. What no map can
 * be made of is said in the source's names; devices encode what this gives. */
#ifndef TERN_DEVICE_MAP_H
#define TERN_DEVICE_MAP_H

#include "compile/kernel.h"

typedef struct MapBox {        /* a tensor map as numbers */
    uint64_t base;             /* address, a multiple of 16 */
    uint64_t size[MAP_DIMS];   /* elements, up to 2^31 - 1; 0: the map is of nothing */
    uint64_t stride[MAP_DIMS]; /* bytes, multiples of 16 below 2^40; of the first: not used */
    uint16_t box[MAP_DIMS];
    uint8_t rank, element_bytes, swizzle;
    bool is_empty; /* nothing is inside: base and strides may be anything */
} MapBox;

/* NULL, or why no launch can make this map. */
const char *map_check(const CompiledKernel *kernel, const MapRecipe *recipe);
/* False: the arguments allow none, and why has words. */
bool map_make(const CompiledKernel *kernel, const MapRecipe *recipe, void **args, MapBox *box,
              char *why, size_t size);

#endif
