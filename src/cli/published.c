// SPDX-License-Identifier: Apache-2.0
#include "cli/published.h"

#include "base/base.h"

/* NVIDIA's data sheets: "H200 Tensor Core GPU" (SXM), "H100 Tensor Core GPU" (SXM), "HGX B200" (one
 * of its eight), "A100 80GB" (SXM), "T4"; products without sparsity. Lanes: CUDA programming guide,
 * "Arithmetic instructions", 32-bit floating-point add, multiply, multiply-add. */
static const Published table[] = {
    {"h200", 4.8e12, 67e12, 989.5e12, 128}, {"h100", 3.35e12, 67e12, 989.5e12, 128},
    {"b200", 7.7e12, 75e12, 2250e12, 128},  {"a100", 2.039e12, 19.5e12, 312e12, 64},
    {"t4", 320e9, 8.1e12, 65e12, 64},
};

const Published *published_find(const char *gpu) {
    for (int i = 0; i < COUNT(table); i++)
        if (!strcmp(table[i].gpu, gpu)) return &table[i];
    return NULL;
}

double published_clock(const Published *gpu, int multiprocessors) {
    return gpu->fp32 / (2.0 * gpu->fp32_lanes * multiprocessors);
}
