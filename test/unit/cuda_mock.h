// SPDX-License-Identifier: Apache-2.0
/* cuda_mock: the NVIDIA device over the mock driver (mock/mock.h), and a kernel to play with. */
#ifndef TERN_TEST_CUDA_MOCK_H
#define TERN_TEST_CUDA_MOCK_H

#include "test.h"

#include "mock/control.h"
#include "device/cuda/driver.h"
#include "device/device.h"

/* ---- a device and a kernel to play with ---- */

static const char record_ptx[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".visible .entry my_record(.param .u64 p, .param .u32 n, .param .f32 x, .param .u8 flag,\n"
    " .param .u64 big) { ret; }\n"
    ".visible .entry my_trap() { ret; }\n.visible .entry my_hang() { ret; }\n";

typedef struct Fixture {
    Device device;
    Arena *arena;
    tern_status status;
} Fixture;

__attribute__((unused)) static void open_device(Fixture *f, const char *argument,
                                                const tern_open_options *options) {
    memset(f, 0, sizeof *f);
    f->arena = arena_new(NULL);
    f->device.arena = f->arena;
    f->device.ops = &device_cuda;
    f->status = device_cuda.open(&f->device, argument, options);
}

__attribute__((unused)) static void close_device(Fixture *f) {
    if (f->status == TERN_OK) device_cuda.close(&f->device);
    arena_free(f->arena);
}

__attribute__((unused)) static bool why_has(const Fixture *f, const char *words) {
    const char *why = f->device.why.data ? f->device.why.data : "";
    bool has = strstr(why, words) != NULL;
    if (!has) printf("the words are: %s\n", why);
    return has;
}

static void fresh(void) {
    mock()->reset();
    setenv("TERN_CUDA_DRIVER", MOCK_DRIVER, 1);
    unsetenv("TERN_LAUNCH_BLOCKING");
    unsetenv("CUDA_LAUNCH_BLOCKING");
    unsetenv("TERN_TIMEOUT_MS");
    setenv("TERN_CACHE_DIR", "", 1);
}

static CompiledKernel kernel_of(Arena *arena, const char *name, const char *ptx, int threads,
                                int shared_bytes) {
    Source *source = source_new(arena, STR("k.py"), STR("\n\ndef k(): pass\n"));
    CompiledKernel kernel = {.arena = arena,
                             .name = str_of(name),
                             .place = {source, 2, 5},
                             .text = str_of(ptx),
                             .target = "sm_90a"};
    kernel.facts.block[0] = threads;
    kernel.facts.block[1] = kernel.facts.block[2] = 1;
    kernel.facts.shared_bytes = shared_bytes;
    return kernel;
}

__attribute__((unused)) static void *load(Fixture *f, const char *name) {
    void *loaded = NULL;
    CompiledKernel kernel = kernel_of(f->arena, name, record_ptx, 128, 0);
    f->status = device_cuda.load(&f->device, &kernel, &loaded);
    return loaded;
}

__attribute__((unused)) static tern_status launch(Fixture *f, void *queue, void *loaded,
                                                  void *record, uint32_t x) {
    int32_t n = -7;
    float number = 1.5f;
    uint8_t flag = 1;
    int64_t big = INT64_MIN;
    void *args[] = {&record, &n, &number, &flag, &big};
    return device_cuda.launch(&f->device, queue, loaded, (uint32_t[3]){x, 2, 3}, args);
}

#endif
