// SPDX-License-Identifier: Apache-2.0
/* clock: what timing on the GPU needs beyond events: gates, and the clock that it ran at.
 *
 * A gate is a word of host memory that the stream waits for; opening it is one store, so that any
 * thread can do it. The count of closings only grows, and the wait is for "at least": a gate that
 * was opened stays open for all that was enqueued before.
 *
 * The clock is read by a kernel of one thread, once before and once after: cycles of a processor
 * over nanoseconds of the GPU's timer. The timer moves in steps of up to 1 us, so the kernel waits
 * for a step. */
#include "device/cuda/cuda.h"

enum { PAGE = 4096 };

static const char clock_ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry tern_clock(.param .u64 pout)\n{\n"
    " .reg .b64 %d<6>; .reg .b32 %r<2>; .reg .pred %p;\n"
    " ld.param.u64 %d0, [pout];\n mov.u64 %d1, %globaltimer;\n"
    "again:\n mov.u64 %d2, %globaltimer;\n setp.eq.u64 %p, %d1, %d2;\n @%p bra again;\n"
    " mov.u64 %d3, %clock64;\n mov.u32 %r0, %smid;\n cvt.u64.u32 %d4, %r0;\n"
    " st.global.u64 [%d0], %d2;\n st.global.u64 [%d0+8], %d3;\n st.global.u64 [%d0+16], %d4;\n "
    "ret;\n}\n";

typedef struct Reading { /* what the kernel writes */
    uint64_t nanoseconds, cycles, processor;
} Reading;

static tern_status share_page(Cuda *cuda, CudaObject *object) {
    CudaDriver *driver = &cuda->driver;
    tern_status status =
        cuda_check(cuda, driver->host_alloc(&object->shared, PAGE, CUDA_HOST_DEVICEMAP),
                   "allocate memory that the GPU shares");
    if (status == TERN_OK) {
        memset(object->shared, 0, PAGE);
        status = cuda_check(cuda, driver->host_pointer(&object->shared_at, object->shared, 0),
                            "share memory with the GPU");
    }
    return status;
}

/* ---- gates ---- */

tern_status cuda_gate_open(Device *device, void **gate) {
    Cuda *cuda = device->state;
    CudaContext previous;
    *gate = NULL;
    if (!cuda->driver.stream_gate)
        return cuda_fail(cuda, TERN_ERROR_UNSUPPORTED,
                         "%s has no gates: the driver lacks cuStreamWaitValue32",
                         device->name.data);
    tern_status status = cuda_enter(cuda, &previous);
    if (status == TERN_OK) {
        CudaObject *object = cuda_object_new(cuda, CUDA_GATE);
        status = object ? share_page(cuda, object) : TERN_ERROR_NO_MEMORY;
        cuda_object_keep(cuda, object, status, gate);
    }
    cuda_leave(cuda, previous);
    return status;
}

tern_status cuda_gate_shut(Device *device, void *gate, void *queue) {
    Cuda *cuda = device->state;
    CudaObject *object = gate;
    CudaContext previous;
    tern_status status = cuda_enter(cuda, &previous);
    if (status == TERN_OK)
        status = cuda_check(cuda,
                            cuda->driver.stream_gate(cuda_stream_of(queue), object->shared_at,
                                                     object->closings + 1, CUDA_WAIT_GEQ),
                            "hold a stream back");
    if (status == TERN_OK) __atomic_fetch_add(&object->closings, 1, __ATOMIC_RELEASE);
    cuda->unfinished = true;
    cuda_leave(cuda, previous);
    return status;
}

void cuda_gate_lift(void *gate) {
    CudaObject *object = gate;
    uint32_t closings = __atomic_load_n(&object->closings, __ATOMIC_ACQUIRE);
    __atomic_store_n((uint32_t *)object->shared, closings, __ATOMIC_RELEASE);
}

/* ---- the clock ---- */

static tern_status load_clock(Cuda *cuda) {
    if (cuda->clock_function) return TERN_OK;
    tern_status status =
        cuda_check(cuda, cuda->driver.module_load(&cuda->clock_module, clock_ptx, 0, NULL, NULL),
                   "load the clock's kernel");
    if (status == TERN_OK)
        status = cuda_check(
            cuda,
            cuda->driver.module_function(&cuda->clock_function, cuda->clock_module, "tern_clock"),
            "find the clock's kernel");
    return status;
}

void cuda_clock_close(Cuda *cuda) {
    if (cuda->clock_module && !cuda->hung) cuda->driver.module_unload(cuda->clock_module);
    cuda->clock_module = NULL;
    nvml_close(&cuda->nvml);
}

tern_status cuda_clock_open(Device *device, void **event) {
    Cuda *cuda = device->state;
    CudaContext previous;
    tern_status status = cuda_event_open(device, event);
    if (status != TERN_OK) return status;
    status = cuda_enter(cuda, &previous);
    if (status == TERN_OK) status = load_clock(cuda);
    if (status == TERN_OK) status = share_page(cuda, *event);
    if (status != TERN_OK) {
        cuda_object_free(cuda, *event);
        *event = NULL;
    }
    cuda_leave(cuda, previous);
    return status;
}

tern_status cuda_clock_enqueue(Cuda *cuda, CudaObject *event, CudaStream stream) {
    void *arguments[] = {&event->shared_at};
    return cuda_check(
        cuda,
        cuda->driver.launch(cuda->clock_function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL),
        "read the clock");
}

tern_status cuda_clock_between(Device *device, void *start, void *end, double *mhz) {
    const CudaObject *first = start, *second = end;
    Cuda *cuda = device->state;
    if (!first->shared || !second->shared)
        return cuda_fail(cuda, TERN_ERROR_ARGUMENT, "the event was created without a clock");
    tern_status status = cuda_event_wait(device, start);
    if (status == TERN_OK) status = cuda_event_wait(device, end);
    if (status != TERN_OK) return status;
    const Reading *a = first->shared, *b = second->shared;
    if (a->processor == b->processor && b->nanoseconds > a->nanoseconds && b->cycles > a->cycles)
        *mhz = (double)(b->cycles - a->cycles) / (double)(b->nanoseconds - a->nanoseconds) * 1e3;
    return TERN_OK;
}

tern_status cuda_clock_state(Device *device, tern_clock_state *state) {
    Cuda *cuda = device->state;
    char bus[32] = "";
    int khz = 0;
    tern_status status =
        cuda_check(cuda, cuda->driver.device_attribute(&khz, CUDA_CLOCK_RATE_KHZ, cuda->id),
                   "read the device's highest clock");
    if (status == TERN_OK)
        status = cuda_check(cuda, cuda->driver.device_bus(bus, (int)sizeof bus, cuda->id),
                            "read the device's place");
    if (status != TERN_OK) return status;
    state->max_mhz = khz / 1000.0;
    if (nvml_open(&cuda->nvml, bus)) nvml_clocks(&cuda->nvml, state);
    return TERN_OK;
}
