// SPDX-License-Identifier: Apache-2.0
/* published: what makers say that their GPUs reach at best. Nothing here was measured; where the
 * device is at hand `tern peak` measures it. */
#ifndef TERN_CLI_PUBLISHED_H
#define TERN_CLI_PUBLISHED_H

#include <stdbool.h>

typedef struct Published {
    const char *gpu;  /* as sim:GPU */
    const char *name; /* as the driver's */
    double memory;    /* bytes/s */
    double fp32;      /* operations/s, two for each fused multiply-add */
    double tensor_16; /* operations/s of dense products of 16-bit floats */
    int fp32_lanes;   /* of a multiprocessor, each a fused multiply-add a cycle */
} Published;

const Published *published_find(const char *gpu);       /* NULL: not in the table */
const Published *published_of(const char *description); /* of a device: "NVIDIA H200, 132 SMs" */
bool on_tensor_cores(const char *ptx);
/* Of the fastest kind of tensor-core products in the PTX, as a multiple of the rate of 16-bit
 * floats; 0: there is none of a known kind. */
double tensor_rate(const char *ptx);
/* The clock at which fp32 is what is published. */
double published_clock(const Published *gpu, int multiprocessors);

#endif
