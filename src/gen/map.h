// SPDX-License-Identifier: Apache-2.0
/* map: a tensor map (CUtensorMap) as a recipe: which of the kernel's arguments it is made of, at
 * each launch. It describes elements in memory,
 *
 *     base[sum over dimensions of coordinate * stride],   0 <= coordinate < size
 *
 * and a box of them that one bulk copy brings into shared memory; of what is outside, zeros. Or
 * one that a bulk store takes there, of which what is outside is not written. The maps of a kernel
 * are parameters of its text, of 128 bytes each, behind all others: map_0 .. */
#ifndef TERN_GEN_MAP_H
#define TERN_GEN_MAP_H

#include "base/base.h"

enum { MAP_DIMS = 5, MAP_BYTES = 128, MAP_ALIGNMENT = 64 };
/* Zeros, of which a map of nothing is made; behind these 16 bytes, if there is a map that is stored
 * to, as many that may be written. */
#define MAP_NOTHING "map_nothing"
enum { MAP_NOTHING_BYTES = 16 };
enum { MAP_NO_SIZE = INT32_MAX }; /* of a dimension whose end nothing checks */

enum { MAP_FACTORS = 3 };
typedef struct MapNumber { /* a number times the arguments for parameters */
    int64_t number;
    int num_params, params[MAP_FACTORS]; /* in launch order */
    bool is_narrow; /* the kernel computes it in 32 bits: what leaves these is refused */
} MapNumber;

typedef struct MapDim {
    MapNumber size;   /* elements; not positive: there are none. MAP_NO_SIZE */
    MapNumber stride; /* elements; of the first dimension: 1 */
    int box;          /* elements, 1 to 256 */
} MapDim;

typedef struct MapRecipe {
    int base;          /* parameter: a pointer, divisible by 16 */
    int element_bytes; /* 1, 2, 4, 8 */
    int rank;
    MapDim dims[MAP_DIMS];
    int swizzle; /* bytes of a row of chunks: 32, 64, 128; 0: the box lies as it is */
    bool stores; /* boxes are written */
} MapRecipe;

#endif
