// SPDX-License-Identifier: Apache-2.0
/* shapes: what ops and launches were given, as text. A call that comes again costs a hash of the
 * numbers; the text is made once. */
#include "prof/prof.h"

static void add_input(Buf *key, int rank, const int64_t *sizes) {
    int64_t first = rank;
    buf_add(key, (const char *)&first, sizeof first);
    buf_add(key, (const char *)sizes, (size_t)rank * sizeof *sizes);
}

/* Of a buffer what is known: how many elements there are from where the argument begins. */
static void add_argument(Buf *key, const tern_parameter *parameter, const tern_argument *argument) {
    size_t size = tern_dtype_size(parameter->dtype);
    bool is_buffer = argument->kind == TERN_ARGUMENT_BUFFER && argument->buffer && size;
    size_t bytes = is_buffer ? tern_buffer_size(argument->buffer) : 0;
    int64_t elements = bytes > argument->offset ? (int64_t)((bytes - argument->offset) / size) : 0;
    add_input(key, is_buffer ? 1 : 0, &elements);
}

/* False: parameters and arguments do not stand side by side (tuples, descriptors, a wrong call). */
static bool add_launch(Buf *key, const tern_call *call) {
    int taken = 0, count = tern_kernel_num_parameters(call->kernel);
    for (int i = 0; i < count; i++) taken += !tern_kernel_parameter(call->kernel, i)->constant;
    if (taken != call->num_arguments) return false;
    taken = 0;
    for (int i = 0; i < count; i++) {
        const tern_parameter *parameter = tern_kernel_parameter(call->kernel, i);
        if (!parameter->constant) add_argument(key, parameter, &call->arguments[taken++]);
    }
    return taken > 0;
}

static const char *text_of(Arena *arena, Str key) {
    Buf text = {.arena = arena};
    int64_t rank, size;
    buf_putc(&text, '[');
    for (int at = 0; at < key.length;) {
        if (at) buf_puts(&text, ", ");
        memcpy(&rank, key.data + at, sizeof rank);
        at += (int)sizeof rank;
        buf_putc(&text, '[');
        for (int64_t d = 0; d < rank; d++, at += (int)sizeof size) {
            memcpy(&size, key.data + at, sizeof size);
            buf_puts(&text, d ? ", " : "");
            buf_int(&text, size);
        }
        buf_putc(&text, ']');
    }
    buf_putc(&text, ']');
    return text.data;
}

const char *prof_shapes(tern_profile *profile, const tern_call *call) {
    Buf *key = &profile->shape_key;
    key->length = 0;
    for (int i = 0; i < call->num_inputs; i++)
        add_input(key, call->inputs[i].rank, call->inputs[i].sizes);
    if (call->kernel && !add_launch(key, call)) return NULL;
    if (!key->length) return NULL;
    const char *known = map_get(&profile->shapes, buf_str(key));
    if (known) return known;
    known = text_of(profile->arena, buf_str(key));
    map_set(&profile->shapes, str_copy(profile->arena, buf_str(key)), (void *)(uintptr_t)known);
    return known;
}
