// SPDX-License-Identifier: Apache-2.0
#include "cli/published.h"

#include "base/base.h"

#include <math.h>

/* NVIDIA's data sheets: "H200 Tensor Core GPU" (SXM), "H100 Tensor Core GPU" (SXM), "HGX B200" (one
 * of its eight), "A100 80GB" (SXM), "T4"; products without sparsity. Lanes: CUDA programming guide,
 * "Arithmetic instructions", 32-bit floating-point add, multiply, multiply-add. */
static const Published table[] = {
    {"h200", "NVIDIA H200", 4.8e12, 67e12, 989.5e12, 128},
    {"h100", "NVIDIA H100 80GB HBM3", 3.35e12, 67e12, 989.5e12, 128},
    {"b200", "NVIDIA B200", 7.7e12, 75e12, 2250e12, 128},
    {"a100", "NVIDIA A100-SXM4-80GB", 2.039e12, 19.5e12, 312e12, 64},
    {"t4", "Tesla T4", 320e9, 8.1e12, 65e12, 64},
};

const Published *published_find(const char *gpu) {
    for (int i = 0; i < COUNT(table); i++)
        if (!strcmp(table[i].gpu, gpu)) return &table[i];
    return NULL;
}

const Published *published_of(const char *description) {
    for (int i = 0; i < COUNT(table); i++) {
        size_t length = strlen(table[i].name);
        if (!strncmp(description, table[i].name, length) && description[length] == ',')
            return &table[i];
    }
    return NULL;
}

/* ---- tensor cores ---- */

bool on_tensor_cores(const char *ptx) {
    return strstr(ptx, "mma.sync") || strstr(ptx, "wgmma.mma_async");
}

/* Data sheets: tf32 half, 8 bits twice. */
double tensor_rate(const char *ptx) {
    static const struct {
        const char *types;
        double rate;
    } kinds[] = {{".f16.f16", 1}, {".bf16.bf16", 1}, {".tf32.tf32", 0.5}, {".e4m3", 2},
                 {".e5m2", 2},    {".s8", 2},        {".u8", 2}};
    double most = 0;
    for (const char *at = strstr(ptx, "mma."); at; at = strstr(at + 4, "mma.")) {
        size_t length = strcspn(at, " \n");
        for (int i = 0; i < COUNT(kinds); i++) {
            const char *found = strstr(at, kinds[i].types);
            if (found && found < at + length) most = fmax(most, kinds[i].rate);
        }
    }
    return most;
}

double published_clock(const Published *gpu, int multiprocessors) {
    return gpu->fp32 / (2.0 * gpu->fp32_lanes * multiprocessors);
}
