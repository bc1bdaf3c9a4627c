// SPDX-License-Identifier: Apache-2.0
/* torch: tensors that go into a function and come out of it. kernels/cuda/host.cuh has the class;
 * a parameter of it is passed as its fields: an address, a type, a rank, eight dimensions. */
#include "host/host.h"

enum { RANK = 8, FIELDS = 3 + RANK };

/* PyTorch's types are tern_dtype's numbers. */
_Static_assert(TERN_BOOL == 1 && TERN_INT64 == 5 && TERN_UINT8 == 6, "as host.cuh has them");
_Static_assert(TERN_FLOAT16 == 13 && TERN_FLOAT64 == 16, "as host.cuh has them");
_Static_assert((int)RANK == (int)TERN_MAX_RANK, "as host.cuh has it");

bool native___tern_torch_fail(Host *h, Call *call) {
    uint64_t length;
    const char *words = memory_text(h, call->args[0], &length);
    return words && host_fail(h, "%s", words);
}

bool native___tern_torch_size(Host *h, Call *call) {
    (void)h;
    call->result = tern_dtype_size((tern_dtype)call->args[0]);
    return true;
}

bool native___tern_torch_alloc(Host *h, Call *call) {
    const tern_exec_options *options = h->options;
    size_t bytes = (size_t)call->args[0];
    tern_buffer *buffer =
        options->take ? options->take(options->memory_user, bytes) : tern_alloc(h->context, bytes);
    if (!buffer || (call->args[1] && tern_fill(buffer, 0)))
        return host_fail(h, "%s", tern_message(h->context));
    Range *range = memory_add_buffer(h, RANGE_DEVICE, buffer, STR("a tensor"));
    if (!range) return false;
    range->is_taken = options->take != NULL;
    call->result = range->start;
    return true;
}

bool torch_result(Host *h, uint64_t address, int dtype, int rank, const void *shape) {
    Range *range = memory_find(h, address);
    if (!range || !range->buffer) return host_fail(h, "a tensor that was never made is given");
    range->is_lent = true; /* from now on the caller's */
    *h->result = (tern_exec_value){.kind = TERN_EXEC_TENSOR,
                                   .buffer = range->buffer,
                                   .dtype = (tern_dtype)dtype,
                                   .rank = rank};
    memcpy(h->result->shape, shape, (size_t)rank * sizeof(int64_t));
    return true;
}

bool native___tern_torch_result(Host *h, Call *call) {
    const char *shape = memory_at(h, call->args[3], RANK * sizeof(int64_t), false, NULL);
    return shape && torch_result(h, call->args[0], (int)call->args[1], (int)call->args[2], shape);
}

bool native___tern_result_float(Host *h, Call *call) {
    *h->result = (tern_exec_value){.kind = TERN_EXEC_FLOAT};
    memcpy(&h->result->number, &call->args[0], sizeof h->result->number);
    return true;
}

bool native___tern_result_int(Host *h, Call *call) {
    *h->result = (tern_exec_value){.kind = TERN_EXEC_INT, .integer = (int64_t)call->args[0]};
    return true;
}

/* ---- parameters ---- */

bool torch_tensor(Host *h, const tern_exec_value *value, int index, uint64_t *address_out) {
    int64_t bytes = (int64_t)tern_dtype_size(value->dtype);
    bool fits = value->rank >= 0 && value->rank <= RANK && bytes > 0 && value->buffer;
    for (int i = 0; fits && i < value->rank; i++)
        fits = value->shape[i] >= 0 && !__builtin_mul_overflow(bytes, value->shape[i], &bytes);
    if (!fits || (uint64_t)bytes > tern_buffer_size(value->buffer))
        return host_fail(h, "argument %d is a tensor whose buffer does not hold its shape",
                         index + 1);
    uint64_t address = (uint64_t)(uintptr_t)tern_buffer_pointer(value->buffer);
    Range *range = memory_find(h, address);
    if (!range || range->buffer != value->buffer)
        range = memory_add_buffer(h, RANGE_DEVICE, value->buffer, STR("an argument"));
    if (!range) return false;
    range->is_lent = true;
    *address_out = address;
    return true;
}

static bool tensor(Host *h, const tern_exec_value *value, int index, uint64_t *fields) {
    if (!torch_tensor(h, value, index, &fields[0])) return false;
    fields[1] = value->dtype, fields[2] = (uint64_t)value->rank;
    for (int i = 0; i < value->rank; i++) fields[3 + i] = (uint64_t)value->shape[i];
    return true;
}

static uint64_t number(const tern_exec_value *value, const Param *param) {
    const Type *type = param->value->type;
    bool is_float = value->kind == TERN_EXEC_FLOAT;
    double as_float = is_float ? value->number : (double)value->integer;
    int bits = type_bits(type);
    FloatKind kind;
    if (float_kind_of(type, &kind)) return float_encode(kind, as_float, FLOAT_NEAREST_EVEN);
    if (bits == 1) return value->integer != 0;
    return (uint64_t)value->integer & (bits == 64 ? UINT64_MAX : (1ull << bits) - 1);
}

/* A tensor's fields are x.0, x.1 .. */
static bool is_named(const Param *param, const char *name) {
    Str text = param->name;
    for (int i = 0; i < text.length; i++)
        if (text.data[i] == '.') text.length = i;
    return !name || str_is(text, name);
}

bool torch_arguments(Host *h, const Func *fn, const tern_exec_value *values, int count) {
    int at = 0;
    for (int i = 0; i < count; i++) {
        bool is_tensor = at + FIELDS <= fn->num_params && type_is_ptr(fn->params[at].value->type);
        uint64_t fields[FIELDS] = {0};
        if (at >= fn->num_params)
            return host_fail(h, "%d arguments, more than there are parameters", count);
        const Param *param = &fn->params[at];
        bool is_whole = values[i].kind == TERN_EXEC_INT;
        if (!is_named(param, values[i].name))
            return host_fail(h, "argument %d is '%s'; the parameter is '%.*s'", i + 1,
                             values[i].name, STR_ARG(param->name));
        if (values[i].kind == TERN_EXEC_NOTHING ||
            is_tensor != (values[i].kind == TERN_EXEC_TENSOR))
            return host_fail(h, "argument %d is %s tensor", i + 1, is_tensor ? "no" : "a");
        if (!is_tensor && !is_whole && !type_is_float(param->value->type))
            return host_fail(h, "argument %d is no integer", i + 1);
        if (is_tensor && !tensor(h, &values[i], i, fields)) return false;
        if (!is_tensor) fields[0] = number(&values[i], param);
        for (int k = 0; k < (is_tensor ? FIELDS : 1); k++)
            h->program.slots[fn->params[at++].value->id] = fields[k];
    }
    return at == fn->num_params ||
           host_fail(h, "%d arguments, fewer than there are parameters", count);
}
