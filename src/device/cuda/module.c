// SPDX-License-Identifier: Apache-2.0
/* module: PTX text -> a function that can be launched.
 *
 * The driver assembles the text as a whole program, and keeps the machine code on disk itself. Its
 * linker would hand the machine code out, for a cache of our own, but assembles as for separate
 * compilation, which takes up to twice the registers (softmax of 16384 columns by 8 warps: 168
 * instead of 108, one block on a multiprocessor instead of two) and ignores setmaxnreg.
 * What can be refused before a launch is refused here: too much shared memory, too many
 * registers, a driver too old for the PTX. */
#include "base/cap.h"
#include "device/cuda/cuda.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOG_BYTES = 16384 };

typedef struct Logs {
    char info[LOG_BYTES], error[LOG_BYTES];
    CudaJitOption options[6];
    void *values[6];
} Logs;

static void logs_init(Logs *logs) {
    const CudaJitOption options[6] = {CUDA_JIT_INFO_LOG,    CUDA_JIT_INFO_LOG_BYTES,
                                      CUDA_JIT_ERROR_LOG,   CUDA_JIT_ERROR_LOG_BYTES,
                                      CUDA_JIT_LOG_VERBOSE, CUDA_JIT_LINE_INFO};
    void *values[6] = {logs->info,  (void *)(uintptr_t)LOG_BYTES,
                       logs->error, (void *)(uintptr_t)LOG_BYTES,
                       (void *)1,   (void *)1};
    memcpy(logs->options, options, sizeof options);
    memcpy(logs->values, values, sizeof values);
}

/* PTX ISA, release notes: CUDA 11.n is PTX 7.n, and from 12.0 on they go 12.n to 8.n and 13.n to
 * 9.n, except that 8.6 came with 12.7. */
static void ptx_version(Str ptx, int *major, int *minor) {
    const char *at = memmem(ptx.data, (size_t)ptx.length, ".version", 8);
    *major = *minor = 0;
    if (at) sscanf(at, ".version %d.%d", major, minor);
}

static tern_status assemble_failed(Cuda *cuda, CudaResult result, const CompiledKernel *kernel,
                                   const Logs *logs) {
    int major, minor;
    char driver[512];
    if (cuda_result_is_sticky(result) || result == CUDA_OUT_OF_MEMORY)
        return cuda_check(cuda, result, "load a kernel");
    cuda_driver_words(&cuda->driver, result, driver, sizeof driver);
    ptx_version(kernel->text, &major, &minor);
    if (result == CUDA_UNSUPPORTED_PTX_VERSION)
        return cuda_fail(cuda, TERN_ERROR_DEVICE,
                         "%s: %s: the driver is for CUDA %d.%d and too old for PTX %d.%d, which "
                         "needs a driver for CUDA %d.%d",
                         cuda->device->name.data, driver, cuda->driver_version / 1000,
                         cuda->driver_version % 1000 / 10, major, minor, major + 4,
                         major == 8 && minor == 6 ? 7 : minor);
    return cuda_fail(cuda, TERN_ERROR_DEVICE,
                     "%s: the driver cannot load kernel '%.*s' for %s: %s%s%s",
                     cuda->device->name.data, STR_ARG(kernel->name), kernel->target, driver,
                     *logs->error ? "\n" : "", logs->error);
}

/* ---- limits ---- */

static tern_status check_limits(Cuda *cuda, const CompiledKernel *kernel, CudaObject *object) {
    CudaDriver *driver = &cuda->driver;
    int max_threads = 0, static_shared = 0;
    tern_status status = cuda_check(
        cuda, driver->function_get(&max_threads, CUDA_FUNCTION_MAX_THREADS, object->function),
        "read a kernel's limits");
    if (status == TERN_OK)
        status = cuda_check(
            cuda,
            driver->function_get(&static_shared, CUDA_FUNCTION_STATIC_SHARED, object->function),
            "read a kernel's shared memory");
    if (status != TERN_OK) return status;
    int threads = facts_threads(&kernel->facts), shared = kernel->facts.shared_bytes;
    if (shared < static_shared) shared = static_shared;
    shared += kernel->facts.extern_bytes;
    if (shared > cuda->shared_optin)
        return cuda_fail(cuda, TERN_ERROR_UNSUPPORTED,
                         "kernel %s needs %d bytes of shared memory; a block on %s may have %d",
                         object->name, shared, cuda->device->name.data, cuda->shared_optin);
    if (threads > max_threads)
        return cuda_fail(
            cuda, TERN_ERROR_UNSUPPORTED,
            "kernel %s has %d threads a block, but takes so many registers that %s can "
            "run at most %d; lower num_warps",
            object->name, threads, cuda->device->name.data, max_threads);
    for (int i = 0; i < 3; i++) object->block[i] = (unsigned)kernel->facts.block[i];
    object->is_cooperative = kernel->facts.is_cooperative;
    object->dynamic_shared = (unsigned)(shared - static_shared);
    /* A wish. Of 512 threads, two of which share a multiprocessor, it is none to make. */
    if (kernel->facts.cluster && threads <= 256)
        driver->function_set(object->function, CUDA_FUNCTION_CLUSTER_POLICY, CUDA_CLUSTER_BALANCED);
    /* What a block has without asking for more, on every GPU so far: 48 KiB. */
    if (shared <= 48 * 1024 || object->dynamic_shared == 0) return TERN_OK;
    return cuda_check(cuda,
                      driver->function_set(object->function, CUDA_FUNCTION_MAX_DYNAMIC_SHARED,
                                           (int)object->dynamic_shared),
                      "get more shared memory for a kernel");
}

/* ---- load ---- */

static char *kernel_words(const CompiledKernel *kernel) {
    char *words = NULL;
    const Source *source = kernel->place.source;
    int line, column, length;
    if (source) {
        source_position(source, kernel->place.start, &line, &column);
        length = asprintf(&words, "'%.*s' (%.*s:%d)", STR_ARG(kernel->name), STR_ARG(source->name),
                          line);
    } else {
        length = asprintf(&words, "'%.*s'", STR_ARG(kernel->name));
    }
    return length < 0 ? NULL : words;
}

/* The compiler says behind a trap what it is for: "trap; // line 12: .."; NULL: there is none. */
static char *stops_of(Str text) {
    static const char start[] = "trap; // ";
    char *words = NULL;
    for (int at = 0; at < text.length; at++) {
        Str rest = {text.data + at, text.length - at};
        if (!str_starts(rest, start)) continue;
        rest.data += strlen(start), rest.length -= (int)strlen(start);
        int length = 0;
        while (length < rest.length && rest.data[length] != '\n') length++;
        char *more = NULL;
        int made = asprintf(&more, "%s%s%.*s", words ? words : "", words ? "; or " : "", length,
                            rest.data);
        free(words);
        words = made < 0 ? NULL : more;
    }
    return words;
}

static CudaResult assemble(Cuda *cuda, Arena *scratch, Str text, Logs *logs, CudaModule *module) {
    logs_init(logs);
    return cuda->driver.module_load(module, str_c(scratch, text), (unsigned)COUNT(logs->options),
                                    logs->options, logs->values);
}

static tern_status read_use(Cuda *cuda, CudaFunction function, PtxasUse *use) {
    *use = (PtxasUse){-1, -1, 0, 0}; /* what is spilled is on the stack */
    CudaDriver *driver = &cuda->driver;
    CudaResult result = driver->function_get(&use->registers, CUDA_FUNCTION_REGISTERS, function);
    if (result == CUDA_OK)
        result = driver->function_get(&use->stack_bytes, CUDA_FUNCTION_LOCAL_BYTES, function);
    return cuda_check(cuda, result, "read a kernel's registers");
}

static tern_status load_with(Cuda *cuda, Arena *scratch, const CompiledKernel *kernel, Cap cap,
                             const PtxasUse *before, CudaObject *object, Logs **logs, bool *pays) {
    CudaDriver *driver = &cuda->driver;
    CudaModule module;
    CudaFunction function;
    PtxasUse after;
    Logs *said = arena_new_of(scratch, Logs);
    *pays = false;
    if (assemble(cuda, scratch, cap_text(scratch, kernel->text, cap), said, &module) != CUDA_OK)
        return TERN_OK;
    tern_status status =
        cuda_check(cuda, driver->module_function(&function, module, str_c(scratch, kernel->name)),
                   "find the kernel in its module");
    if (status == TERN_OK) status = read_use(cuda, function, &after);
    if (status != TERN_OK || !cap_pays(cap, *before, after)) {
        driver->module_unload(module);
        return status;
    }
    driver->module_unload(object->module);
    object->module = module, object->function = function, *logs = said, *pays = true;
    return TERN_OK;
}

/* Where it pays, with other registers (cap.h). That one of them is refused is no failure. */
static tern_status load_capped(Cuda *cuda, Arena *scratch, const CompiledKernel *kernel,
                               CudaObject *object, Logs **logs) {
    PtxasUse before;
    Cap caps[MOST_CAPS];
    bool pays = false;
    tern_status status = read_use(cuda, object->function, &before);
    int count = status == TERN_OK ? caps_for(kernel->text, before.registers, caps) : 0;
    for (int i = 0; i < count && status == TERN_OK && !pays; i++)
        status = load_with(cuda, scratch, kernel, caps[i], &before, object, logs, &pays);
    return status;
}

static tern_status load_kernel(Cuda *cuda, Arena *scratch, const CompiledKernel *kernel,
                               CudaObject *object) {
    Logs *logs = arena_new_of(scratch, Logs);
    object->name = kernel_words(kernel);
    object->stops = stops_of(kernel->text);
    if (!object->name) return cuda_fail(cuda, TERN_ERROR_NO_MEMORY, "the host's memory is full");
    if (kernel->text.length == 0)
        return cuda_fail(cuda, TERN_ERROR_ARGUMENT,
                         "kernel %s was compiled for '%s', not for a GPU", object->name,
                         kernel->target);
    if (facts_threads(&kernel->facts) < 1 || kernel->facts.shared_bytes < 0)
        return cuda_fail(cuda, TERN_ERROR_UNSUPPORTED,
                         "kernel %s has %d threads a block and %d bytes "
                         "of shared memory",
                         object->name, facts_threads(&kernel->facts), kernel->facts.shared_bytes);
    CudaResult result = assemble(cuda, scratch, kernel->text, logs, &object->module);
    tern_status status = result == CUDA_OK ? TERN_OK : assemble_failed(cuda, result, kernel, logs);
    if (status == TERN_OK)
        status = cuda_check(cuda,
                            cuda->driver.module_function(&object->function, object->module,
                                                         str_c(scratch, kernel->name)),
                            "find the kernel in its module");
    if (status == TERN_OK) status = load_capped(cuda, scratch, kernel, object, &logs);
    if (status == TERN_OK) status = check_limits(cuda, kernel, object);
    if (status == TERN_OK && kernel->facts.maps.count)
        status = cuda_maps_open(cuda, kernel, object);
    if (status == TERN_OK) object->log = strdup(logs->info);
    object->cluster = kernel->facts.cluster;
    object->walks = kernel->facts.walks;
    object->num_args = kernel->num_params + kernel->facts.maps.count;
    if (object->walks)
        object->walk_args = calloc((size_t)object->num_args + WALK_PARAMS, sizeof(void *));
    if (object->walks && !object->walk_args)
        status = cuda_fail(cuda, TERN_ERROR_NO_MEMORY, "the host's memory is full");
    return status;
}

tern_status cuda_load(Device *device, const CompiledKernel *kernel, void **loaded) {
    Cuda *cuda = device->state;
    CudaContext previous;
    jmp_buf no_memory;
    *loaded = NULL;
    tern_status status = cuda_enter(cuda, &previous);
    if (status != TERN_OK) return status;
    /* A launch may load a text while its stream, or another, records a graph. */
    CudaCaptureMode mode = CUDA_CAPTURE_RELAXED;
    status = cuda_check(cuda, cuda->driver.capture_exchange(&mode), "load a kernel");
    if (status != TERN_OK) return cuda_leave(cuda, previous), status;
    CudaObject *volatile object = cuda_object_new(cuda, CUDA_LOADED);
    Arena *volatile scratch = NULL;
    if (!object)
        status = TERN_ERROR_NO_MEMORY;
    else if (setjmp(no_memory))
        status = cuda_fail(cuda, TERN_ERROR_NO_MEMORY, "the host's memory is full");
    else {
        scratch = arena_new(&no_memory);
        status = load_kernel(cuda, scratch, kernel, object);
    }
    arena_free(scratch);
    tern_status back = cuda_check(cuda, cuda->driver.capture_exchange(&mode), "load a kernel");
    if (status == TERN_OK) status = back;
    cuda_object_keep(cuda, object, status, loaded);
    cuda_leave(cuda, previous);
    return status;
}

/* ---- facts ---- */

Str cuda_loaded_facts(Device *device, void *loaded) {
    Cuda *cuda = device->state;
    CudaDriver *driver = &cuda->driver;
    CudaObject *object = loaded;
    CudaContext previous;
    int registers, local, shared, blocks;
    if (cuda_enter(cuda, &previous) != TERN_OK) return STR("");
    CudaFunction f = object->function;
    int threads = (int)(object->block[0] * object->block[1] * object->block[2]);
    bool known = driver->function_get(&registers, CUDA_FUNCTION_REGISTERS, f) == CUDA_OK &&
                 driver->function_get(&local, CUDA_FUNCTION_LOCAL_BYTES, f) == CUDA_OK &&
                 driver->function_get(&shared, CUDA_FUNCTION_STATIC_SHARED, f) == CUDA_OK &&
                 driver->occupancy(&blocks, f, threads, object->dynamic_shared) == CUDA_OK;
    cuda_leave(cuda, previous);
    if (!known) return STR("");
    return str_format(device->arena,
                      "registers: %d\nlocal bytes (spills): %d\nshared bytes: %d\n"
                      "blocks per SM: %d\noccupancy: %.0f %%\n%s",
                      registers, local, shared + (int)object->dynamic_shared, blocks,
                      100.0 * blocks * threads / cuda->threads_per_multiprocessor,
                      object->log ? object->log : "");
}
