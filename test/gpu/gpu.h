// SPDX-License-Identifier: Apache-2.0
/* gpu: what the tests on a real NVIDIA GPU share: opening the device without the rest of the
 * library, and kernels written by hand, so that these tests judge run/cuda*.c alone. */
#ifndef TERN_TEST_GPU_H
#define TERN_TEST_GPU_H

#include "device/cuda/cuda.h"

typedef struct Gpu {
    Device device;
    Arena *arena;
    tern_status status;
} Gpu;

#define PTX_HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"

/* out[i] = x[i] + y[i] for i below n; one element a thread. */
static const char add_ptx[] = PTX_HEAD
    ".visible .entry add(.param .u64 px, .param .u64 py, .param .u64 pout, .param .u32 pn)\n{\n"
    " .reg .b64 %d<8>; .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .pred %p;\n"
    " ld.param.u64 %d0, [px]; ld.param.u64 %d1, [py]; ld.param.u64 %d2, [pout];\n"
    " ld.param.u32 %r0, [pn];\n"
    " mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    " mad.lo.u32 %r4, %r1, %r2, %r3;\n setp.ge.u32 %p, %r4, %r0;\n @%p ret;\n"
    " mul.wide.u32 %d3, %r4, 4;\n add.u64 %d4, %d0, %d3; add.u64 %d5, %d1, %d3; add.u64 %d6, %d2, "
    "%d3;\n"
    " ld.global.f32 %f0, [%d4]; ld.global.f32 %f1, [%d5];\n add.f32 %f2, %f0, %f1;\n"
    " st.global.f32 [%d6], %f2;\n ret;\n}\n";

/* Each thread writes its number to the far end of shared memory and hands its neighbour's out. */
static const char shared_ptx[] = PTX_HEAD
    ".extern .shared .align 16 .b8 memory[];\n"
    ".visible .entry turn(.param .u64 pout, .param .u32 pbase)\n{\n"
    " .reg .b64 %d<4>; .reg .b32 %r<10>;\n"
    " ld.param.u64 %d0, [pout]; ld.param.u32 %r0, [pbase];\n"
    " mov.u32 %r1, memory; add.u32 %r1, %r1, %r0;\n mov.u32 %r2, %tid.x; mov.u32 %r3, %ntid.x;\n"
    " shl.b32 %r4, %r2, 2; add.u32 %r4, %r1, %r4;\n st.shared.u32 [%r4], %r2;\n bar.sync 0;\n"
    " add.u32 %r5, %r2, 1; rem.u32 %r5, %r5, %r3; shl.b32 %r5, %r5, 2; add.u32 %r5, %r1, %r5;\n"
    " ld.shared.u32 %r6, [%r5];\n mul.wide.u32 %d1, %r2, 4; add.u64 %d2, %d0, %d1;\n"
    " st.global.u32 [%d2], %r6;\n ret;\n}\n";

/* Takes at least `cycles` clocks, then adds 1 to *out. */
static const char work_ptx[] =
    PTX_HEAD ".visible .entry work(.param .u64 pout, .param .u64 pcycles)\n{\n"
             " .reg .b64 %d<6>; .reg .b32 %r<2>; .reg .pred %p;\n"
             " ld.param.u64 %d0, [pout]; ld.param.u64 %d1, [pcycles];\n mov.u64 %d2, %clock64;\n"
             "again:\n mov.u64 %d3, %clock64; sub.u64 %d4, %d3, %d2;\n setp.lt.u64 %p, %d4, %d1;\n"
             " @%p bra again;\n atom.global.add.u32 %r0, [%d0], 1;\n ret;\n}\n";

/* Waits for ever for *flag to become other than 0. */
static const char hang_ptx[] =
    PTX_HEAD ".visible .entry hang(.param .u64 pflag)\n{\n .reg .b64 %d<2>; .reg .b32 %r<2>; .reg "
             ".pred %p;\n"
             " ld.param.u64 %d0, [pflag];\nagain:\n ld.volatile.global.u32 %r0, [%d0];\n"
             " setp.eq.u32 %p, %r0, 0;\n @%p bra again;\n ret;\n}\n";

/* Writes to address 16. */
static const char fault_ptx[] = PTX_HEAD ".visible .entry fault()\n{\n .reg .b64 %d<2>; .reg .b32 "
                                         "%r<2>;\n mov.u64 %d0, 16; mov.u32 %r0, 1;\n"
                                         " st.global.u32 [%d0], %r0;\n ret;\n}\n";

static inline void gpu_open(Gpu *gpu, const tern_open_options *options) {
    memset(gpu, 0, sizeof *gpu);
    gpu->arena = arena_new(NULL);
    gpu->device.arena = gpu->arena;
    gpu->device.ops = &device_cuda;
    gpu->status = device_cuda.open(&gpu->device, NULL, options);
}

static inline void gpu_close(Gpu *gpu) {
    if (gpu->status == TERN_OK) device_cuda.close(&gpu->device);
    arena_free(gpu->arena);
}

static inline void *gpu_load(Gpu *gpu, const char *name, const char *ptx, int threads,
                             int shared_bytes) {
    void *loaded = NULL;
    CompiledKernel kernel = {
        .arena = gpu->arena, .name = str_of(name), .text = str_of(ptx), .target = "sm_75"};
    kernel.facts.block[0] = threads;
    kernel.facts.block[1] = kernel.facts.block[2] = 1;
    kernel.facts.shared_bytes = shared_bytes;
    if (device_cuda.load(&gpu->device, &kernel, &loaded) != TERN_OK)
        printf("load %s: %.*s\n", name, STR_ARG(gpu->device.why));
    return loaded;
}

static inline bool gpu_why(const Gpu *gpu, const char *words) {
    bool has = gpu->device.why.data && strstr(gpu->device.why.data, words);
    if (!has) printf("the words are: %.*s\n", STR_ARG(gpu->device.why));
    return has;
}

#endif
