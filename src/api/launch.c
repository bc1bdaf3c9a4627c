// SPDX-License-Identifier: Apache-2.0
/* launch: arguments are checked against what the kernel was compiled for, then handed to the
 * device. Nothing is allocated and nothing is looked up by name on the way. */
#include "api/context.h"

#include <stdlib.h>

static const char *kind_word(const tern_argument *argument) {
    switch (argument->kind) {
    case TERN_ARGUMENT_BUFFER: return "a buffer";
    case TERN_ARGUMENT_INT: return "an integer";
    case TERN_ARGUMENT_FLOAT: return "a floating-point number";
    case TERN_ARGUMENT_POINTER: return "a pointer";
    }
    return "of no known kind";
}

static const char *type_word(const KernelParam *param) {
    return tern_dtype_name(dtype_of(param->type, param->is_unsigned));
}

static tern_status wrong_kind(tern_kernel *kernel, const KernelParam *param,
                              const tern_argument *argument) {
    return context_fail(kernel->own.context, TERN_ERROR_ARGUMENT,
                        "argument '%.*s' of kernel '%s' is %s, but the signature says %s",
                        STR_ARG(param->name), kernel->name, kind_word(argument),
                        param->is_pointer ? "a pointer" : type_word(param));
}

static tern_status undivided(tern_kernel *kernel, const KernelParam *param, const char *what,
                             uint64_t value) {
    return context_fail(
        kernel->own.context, TERN_ERROR_ARGUMENT,
        "argument '%.*s' of kernel '%s': %s %s%llx is not divisible by %d, as the signature "
        "promises",
        STR_ARG(param->name), kernel->name, what, "0x", (unsigned long long)value,
        param->divisible);
}

/* Powers of two, which all promises of Triton's are, without a division. */
static bool is_divisible(uint64_t value, int divisor) {
    uint64_t below = (uint64_t)divisor - 1;
    return (uint64_t)divisor & below ? (int64_t)value % divisor == 0 : (value & below) == 0;
}

static tern_status put_pointer(tern_kernel *kernel, const KernelParam *param,
                               const tern_argument *argument, uint64_t *value, uint64_t room[2]) {
    tern_buffer *buffer = argument->buffer;
    room[0] = 0, room[1] = UINT64_MAX;
    if (argument->kind == TERN_ARGUMENT_POINTER) {
        *value = (uint64_t)(uintptr_t)argument->pointer;
        kernel->own.context->device.has_raw_pointers = true;
    } else if (argument->kind != TERN_ARGUMENT_BUFFER) {
        return wrong_kind(kernel, param, argument);
    } else if (buffer) {
        if (buffer->context != kernel->own.context)
            return context_fail(
                kernel->own.context, TERN_ERROR_ARGUMENT,
                "argument '%.*s' of kernel '%s': the buffer belongs to another context",
                STR_ARG(param->name), kernel->name);
        if (argument->offset > buffer->size)
            return context_fail(
                kernel->own.context, TERN_ERROR_ARGUMENT,
                "argument '%.*s' of kernel '%s': offset %zu in a buffer of %zu bytes",
                STR_ARG(param->name), kernel->name, argument->offset, buffer->size);
        *value = (uint64_t)(uintptr_t)(buffer->pointer + argument->offset);
        room[0] = (uint64_t)(uintptr_t)buffer->pointer, room[1] = room[0] + buffer->size;
    } else
        *value = 0;
    if (param->divisible > 1 && !is_divisible(*value, param->divisible))
        return undivided(kernel, param, "address", *value);
    return TERN_OK;
}

static tern_status put_int(tern_kernel *kernel, const KernelParam *param,
                           const tern_argument *argument, uint64_t *value) {
    if (argument->kind != TERN_ARGUMENT_INT) return wrong_kind(kernel, param, argument);
    int64_t integer = argument->integer;
    int bits = scalar_bits(param->type);
    bool fits = true;
    if (param->type == SCALAR_I1)
        fits = integer == 0 || integer == 1;
    else if (bits < 64 && param->is_unsigned)
        fits = integer >= 0 && integer >> bits == 0;
    else if (bits < 64)
        fits = integer >= -((int64_t)1 << (bits - 1)) && integer < (int64_t)1 << (bits - 1);
    if (!fits)
        return context_fail(kernel->own.context, TERN_ERROR_ARGUMENT,
                            "argument '%.*s' of kernel '%s': %lld does not fit %s",
                            STR_ARG(param->name), kernel->name, (long long)integer,
                            type_word(param));
    if (param->divisible > 1 && !is_divisible((uint64_t)integer, param->divisible))
        return undivided(kernel, param, "value", (uint64_t)integer);
    *value =
        (uint64_t)integer; /* little-endian: the low bytes are the value in the narrower type */
    return TERN_OK;
}

static tern_status put_float(tern_kernel *kernel, const KernelParam *param,
                             const tern_argument *argument, uint64_t *value) {
    if (argument->kind != TERN_ARGUMENT_FLOAT && argument->kind != TERN_ARGUMENT_INT)
        return wrong_kind(kernel, param, argument);
    double number =
        argument->kind == TERN_ARGUMENT_INT ? (double)argument->integer : argument->number;
    if (param->type == SCALAR_F32) { /* nearly every float parameter */
        float single = (float)number;
        *value = 0;
        memcpy(value, &single, sizeof single);
        return TERN_OK;
    }
    *value = scalar_from_double(param->type, number);
    return TERN_OK;
}

static tern_status put_argument(tern_kernel *kernel, int index, const tern_argument *argument) {
    const KernelParam *param = &kernel->compiled->params[index];
    uint64_t *value = &kernel->values[index];
    if (param->is_pointer)
        return put_pointer(kernel, param, argument, value, &kernel->rooms[2 * index]);
    if (scalar_is_float(param->type)) return put_float(kernel, param, argument, value);
    return put_int(kernel, param, argument, value);
}

/* Where the text has one parameter for several. */
static void pack(tern_kernel *kernel) {
    for (int i = 0; i < kernel->num_arguments; i++) {
        const KernelParam *param = &kernel->compiled->params[i];
        memcpy(kernel->packed + param->packed_at, &kernel->values[i], (size_t)param->packed_bytes);
    }
}

/* A launch that failed on its way leaves it anywhere; a GPU is lost then. */
static void begin_barrier(const tern_kernel *kernel) {
    for (int i = kernel->num_arguments; i < kernel->compiled->num_params; i++)
        if (str_is(kernel->compiled->params[i].name, CU_GRID_BARRIER))
            tern_fill(kernel->symbols[i - kernel->num_arguments]->buffer, 0);
}

static tern_status check_grid(tern_kernel *kernel, const uint32_t grid[3]) {
    int cluster = kernel->compiled->facts.cluster;
    const uint32_t limits[3] = {INT32_MAX / (uint32_t)(cluster ? cluster : 1), 65535, 65535};
    for (int i = 0; i < 3; i++)
        if (grid[i] > limits[i])
            return context_fail(kernel->own.context, TERN_ERROR_ARGUMENT,
                                "grid (%u, %u, %u): dimension %d is larger than %u", grid[0],
                                grid[1], grid[2], i, limits[i]);
    return TERN_OK;
}

static tern_status check_count(tern_kernel *kernel, int num_arguments) {
    const CompiledKernel *compiled = kernel->compiled;
    int count = kernel->num_arguments;
    if (num_arguments == count) return TERN_OK;
    context_fail(kernel->own.context, TERN_ERROR_ARGUMENT, "a wrong number of arguments");
    Buf names = {.arena = kernel->own.context->words}; /* which that call made anew */
    for (int i = 0; i < count; i++)
        buf_printf(&names, "%s%.*s", i ? ", " : "", STR_ARG(compiled->params[i].name));
    Str words = str_format(names.arena, "kernel '%s' takes %d argument%s (%.*s), not %d",
                           kernel->name, count, count == 1 ? "" : "s", (int)names.length,
                           names.length ? names.data : "", num_arguments);
    kernel->own.context->message = words.data;
    return TERN_ERROR_ARGUMENT;
}

/* Blocks that walk would have one program each, and be slower than those that do not. Of another
 * ring there may be fewer at a time. */
static KernelWay way_of(tern_kernel *kernel, const uint32_t grid[3]) {
    const GenFacts *own = &kernel->compiled->facts;
    uint64_t programs = (uint64_t)grid[0] * grid[1] * grid[2],
             each = (uint64_t)kernel->own.context->device.walks;
    if (!own->few || programs > each * (uint64_t)own->walks) return WAY_OWN;
    const KernelText *text = kernel_text(kernel, WAY_FEW);
    return text && programs <= each * (uint64_t)text->compiled->facts.few ? WAY_FEW : WAY_OWN;
}

/* `given`: the device said why not. */
static tern_status launch_text(tern_kernel *kernel, KernelWay way, void *queue,
                               const uint32_t grid[3], bool *given) {
    Device *device = &kernel->own.context->device;
    KernelText *text = kernel_ready(kernel, way);
    *given = text != NULL;
    if (!text) return kernel->own.context->message_status;
    kernel->last = text;
    return device->ops->launch(device, queue, text->loaded, grid, kernel->args);
}

static tern_status launch(tern_stream *stream, tern_kernel *kernel, const uint32_t grid[3],
                          const tern_argument *arguments, int num_arguments) {
    tern_context *context = kernel->own.context;
    Device *device = &context->device;
    if (!kernel->runs)
        return context_fail(context, TERN_ERROR_ARGUMENT,
                            "kernel '%s' was compiled for %s and cannot be launched on %s",
                            kernel->name, kernel->compiled->target, device->name.data);
    tern_status status = stream_check(stream, context);
    if (!status) status = check_count(kernel, num_arguments);
    if (!status) status = check_grid(kernel, grid);
    device->has_raw_pointers = false;
    for (int i = 0; i < num_arguments && !status; i++)
        status = put_argument(kernel, i, &arguments[i]);
    if (status || !grid[0] || !grid[1] || !grid[2]) return status;
    if (kernel->packed) pack(kernel);
    if (kernel->compiled->facts.is_cooperative && device->ops->on_host) begin_barrier(kernel);
    device->stop = 0;
    void *queue = stream_queue(stream);
    KernelWay way = way_of(kernel, grid);
    bool given = true;
    status = kernel_allows(kernel->texts[way].compiled, kernel->values, kernel->rooms, grid)
                 ? launch_text(kernel, way, queue, grid, &given)
                 : TERN_ERROR_ARGUMENT;
    if (status == TERN_ERROR_ARGUMENT && given && kernel->request)
        status = launch_text(kernel, WAY_WITHOUT_MAPS, queue, grid, &given);
    return given ? context_checked(context, status) : status;
}

static tern_status launch_caught(tern_stream *stream, tern_kernel *kernel, const uint32_t grid[3],
                                 const tern_argument *arguments, int num_arguments) {
    if (setjmp(kernel->own.context->oom)) return context_no_memory(kernel->own.context);
    return launch(stream, kernel, grid, arguments, num_arguments);
}

tern_status tern_launch(tern_stream *stream, tern_kernel *kernel, const uint32_t grid[3],
                        const tern_argument *arguments, int num_arguments) {
    if (!is_observed(kernel->own.context))
        return launch_caught(stream, kernel, grid, arguments, num_arguments);
    observe_launch(kernel, stream, grid, arguments, num_arguments, true);
    tern_status status = launch_caught(stream, kernel, grid, arguments, num_arguments);
    observe_launch(kernel, stream, grid, NULL, 0, false);
    return status;
}

void tern_interrupt(tern_context *context) { atomic_fetch_or(&context->device.stop, STOP_ASKED); }

static tern_status wait(tern_context *context) {
    if (setjmp(context->oom)) return context_no_memory(context);
    tern_status status = context->device.ops->synchronize(&context->device);
    return context_checked(context, status);
}

tern_status tern_synchronize(tern_context *context) {
    observe(context, TERN_CALL_WAIT, "tern_synchronize", NULL, 0, true, true);
    tern_status status = wait(context);
    observe(context, TERN_CALL_WAIT, "tern_synchronize", NULL, 0, true, false);
    return status;
}
