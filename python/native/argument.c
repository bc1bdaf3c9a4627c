// SPDX-License-Identifier: Apache-2.0
/* argument: what one argument adds to a launch: its place in the signature, specialised as Triton
 * does it (jit.py: create_function_from_signature), and the values that are passed. */
#include "native.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool launch_text(Launch *launch, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int room = MAX_SIGNATURE - launch->length;
    int length = vsnprintf(launch->signature + launch->length, (size_t)room, format, args);
    va_end(args);
    if (length < room) return launch->length += length, true;
    PyErr_Format(PyExc_ValueError, "parameter '%U': the signature has over %d bytes",
                 launch->naming, MAX_SIGNATURE);
    return false;
}

static bool put_bytes(Launch *launch, const char *text, int length) {
    if (launch->length + length >= MAX_SIGNATURE) return launch_text(launch, "%s", text);
    memcpy(launch->signature + launch->length, text, (size_t)length);
    launch->length += length;
    launch->signature[launch->length] = 0;
    return true;
}

static inline bool put(Launch *launch, const char *text) {
    return put_bytes(launch, text, (int)strlen(text));
}

/* As "%lld" does it, in a tenth of its time. */
static bool put_integer(Launch *launch, long long value) {
    char text[24], *at = text + sizeof text - 1;
    unsigned long long rest = value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value;
    *at = 0;
    do *--at = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0) *--at = '-';
    return put_bytes(launch, at, (int)(text + sizeof text - 1 - at));
}

bool launch_hold(Launch *launch, PyObject *object) {
    if (object && launch->num_objects < MAX_HELD) {
        launch->objects[launch->num_objects++] = object;
        return true;
    }
    Py_XDECREF(object);
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "a launch holds too many objects");
    return false;
}

void launch_release(Launch *launch) {
    for (int i = 0; i < launch->num_views; i++) PyBuffer_Release(&launch->views[i]);
    for (int i = 0; i < launch->num_objects; i++) Py_DECREF(launch->objects[i]);
    for (int i = 0; i < launch->num_buffers; i++) tern_buffer_free(launch->buffers[i].buffer);
}

static bool pass(Launch *launch, tern_argument argument) {
    if (launch->num_values == MAX_VALUES) {
        PyErr_Format(PyExc_ValueError, "parameter '%U': over %d values are passed", launch->naming,
                     MAX_VALUES);
        return false;
    }
    launch->values[launch->num_values++] = argument;
    return true;
}

static bool unfit(const Launch *launch, PyObject *value, const char *words) {
    PyErr_Format(PyExc_TypeError, "parameter '%U': %R %s", launch->naming, value, words);
    return false;
}

/* ---- constants ---- */

static bool add_constant(Launch *launch, Launcher *launcher, PyObject *value);

static bool number_text(Launch *launch, PyObject *value) {
    if (PyFloat_Check(value)) {
        double number = PyFloat_AsDouble(value);
        char *text = PyOS_double_to_string(number, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
        bool plain = number - number == 0;
        bool done = text && launch_text(launch, plain ? "%s" : "float('%s')", text);
        PyMem_Free(text);
        return done;
    }
    int overflow;
    long long integer = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (!overflow) return put_integer(launch, integer);
    PyObject *words = PyNumber_ToBase(value, 10);
    PyObject *bytes = words ? PyUnicode_AsASCIIString(words) : NULL;
    bool done = bytes && launch_text(launch, "%s", PyBytes_AsString(bytes));
    Py_XDECREF(bytes);
    Py_XDECREF(words);
    return done;
}

/* Of what is no number: Python's side says how the signature calls it. */
static bool literal_text(Launch *launch, Launcher *launcher, PyObject *value) {
    PyObject *words =
        PyObject_CallMethod((PyObject *)launcher, "literal", "OO", launch->naming, value);
    PyObject *bytes = words ? PyUnicode_AsUTF8String(words) : NULL;
    bool done = bytes && launch_text(launch, "%s", PyBytes_AsString(bytes));
    Py_XDECREF(bytes);
    Py_XDECREF(words);
    return done;
}

static bool items_added(Launch *launch, Launcher *launcher, PyObject *value,
                        bool (*add)(Launch *, Launcher *, const Parameter *, PyObject *),
                        const Parameter *parameter) {
    Py_ssize_t count = PySequence_Size(value);
    PyObject *names = PyObject_GetAttrString(value, "_fields"); /* of a named tuple */
    if (!names) PyErr_Clear();
    bool done = count >= 0 && put(launch, "(");
    for (Py_ssize_t i = 0; i < count && done; i++) {
        PyObject *item = PySequence_GetItem(value, i);
        PyObject *name = names ? PySequence_GetItem(names, i) : NULL;
        PyObject *bytes = name ? PyUnicode_AsUTF8String(name) : NULL;
        done =
            item && (!names || bytes) &&
            (!bytes || launch_text(launch, "%s=", PyBytes_AsString(bytes))) &&
            (add ? add(launch, launcher, parameter, item) : add_constant(launch, launcher, item)) &&
            (i + 1 == count || put(launch, ", "));
        Py_XDECREF(bytes);
        Py_XDECREF(name);
        Py_XDECREF(item);
    }
    Py_XDECREF(names);
    return done && (count != 1 || add || put(launch, ",")) && put(launch, ")");
}

static bool add_constant(Launch *launch, Launcher *launcher, PyObject *value) {
    if (value == Py_None) return put(launch, "None");
    if (PyBool_Check(value)) return put(launch, value == Py_True ? "True" : "False");
    if (PyLong_CheckExact(value) || PyFloat_CheckExact(value)) return number_text(launch, value);
    switch (kind_of(launch->context->state, value)) {
    case KIND_TUPLE: return items_added(launch, launcher, value, NULL, NULL);
    case KIND_CONSTEXPR: {
        PyObject *inner = PyObject_GetAttr(value, launch->context->state->value);
        bool done = inner && add_constant(launch, launcher, inner);
        Py_XDECREF(inner);
        return done;
    }
    case KIND_OTHER:
    case KIND_TORCH:
    case KIND_CUDA_ARRAY:
    case KIND_BUFFER:
    case KIND_DLPACK:
    case KIND_DESCRIPTOR:
    case KIND_INDEX: break;
    }
    return literal_text(launch, launcher, value);
}

/* ---- pointers ---- */

static tern_buffer *buffer_for(Launch *launch, const Memory *memory) {
    tern_context *context = launch->context->context;
    for (int i = 0; i < launch->num_buffers; i++)
        if (launch->buffers[i].base == memory->base &&
            tern_buffer_size(launch->buffers[i].buffer) == memory->size)
            return launch->buffers[i].buffer;
    tern_buffer *buffer = launch->num_buffers == MAX_HELD ? NULL
                          : launch->context->copies
                              ? tern_alloc(context, memory->size)
                              : tern_wrap(context, memory->base, memory->size);
    if (!buffer) {
        if (launch->num_buffers == MAX_HELD)
            PyErr_SetString(PyExc_ValueError, "a launch has too many arrays");
        else
            native_fail(launch->context);
        return NULL;
    }
    launch->buffers[launch->num_buffers++] = (Held){memory->base, buffer};
    if (launch->context->copies && tern_write(buffer, 0, memory->base, memory->size)) {
        native_fail(launch->context);
        return NULL;
    }
    return buffer;
}

static bool pass_memory(Launch *launch, const Memory *memory) {
    tern_argument argument = {.kind = TERN_ARGUMENT_POINTER, .pointer = memory->pointer};
    bool is_known = (launch->context->checks || launch->context->copies) && memory->size;
    if (!is_known) return pass(launch, argument);
    argument = tern_arg_buffer(buffer_for(launch, memory));
    if (!argument.buffer) return false;
    argument.offset = (size_t)((char *)memory->pointer - (char *)memory->base);
    return pass(launch, argument);
}

static bool is_aligned(uint64_t value, const Parameter *parameter) {
    return value % 16 == 0 && (!parameter || (parameter->specializes && parameter->aligns));
}

static bool add_number(Launch *launch, Launcher *launcher, const Parameter *parameter,
                       PyObject *value) {
    PyObject *number = PyObject_CallMethodObjArgs(value, launch->context->state->item, NULL);
    bool done = number && launch_add(launch, launcher, parameter, number);
    Py_XDECREF(number);
    return done;
}

static bool add_memory(Launch *launch, Launcher *launcher, const Parameter *parameter, Kind kind,
                       PyObject *value) {
    Memory memory;
    if (!memory_of(launch, kind, value, &memory)) return false;
    if (memory.is_number) return add_number(launch, launcher, parameter, value);
    bool is_typed = parameter && parameter->type[0] == '*';
    if (!is_typed && !put(launch, "*")) return false;
    return put(launch, is_typed ? parameter->type : tern_dtype_name(memory.dtype)) &&
           (!is_aligned((uintptr_t)memory.pointer, parameter) || put(launch, ":16")) &&
           pass_memory(launch, &memory);
}

/* ---- tensor descriptors ---- */

static bool integers_of(PyObject *object, const char *name, int64_t *integers, int *count) {
    PyObject *list = PyObject_GetAttrString(object, name);
    Py_ssize_t size = list ? PySequence_Size(list) : -1;
    bool done = size >= 0 && size <= TERN_DESCRIPTOR_RANK;
    if (size > TERN_DESCRIPTOR_RANK)
        PyErr_Format(PyExc_ValueError, "a tensor descriptor of %zd dimensions", size);
    for (Py_ssize_t i = 0; i < size && done; i++) {
        PyObject *item = PySequence_GetItem(list, i);
        PyObject *number = item ? PyNumber_Index(item) : NULL;
        if (number) integers[i] = PyLong_AsLongLong(number);
        done = number && !PyErr_Occurred();
        Py_XDECREF(number);
        Py_XDECREF(item);
    }
    Py_XDECREF(list);
    *count = (int)size;
    return done;
}

static bool pads_with_nan(PyObject *value) {
    PyObject *padding = PyObject_GetAttrString(value, "padding");
    bool pads = padding && PyUnicode_Check(padding) &&
                PyUnicode_CompareWithASCIIString(padding, "nan") == 0;
    if (!padding) PyErr_Clear();
    Py_XDECREF(padding);
    return pads;
}

static bool add_descriptor(Launch *launch, PyObject *value) {
    State *state = launch->context->state;
    tern_descriptor descriptor = {0};
    int64_t block[TERN_DESCRIPTOR_RANK];
    int ranks[3];
    Memory memory;
    PyObject *base = PyObject_GetAttr(value, state->base);
    bool done = base && memory_of(launch, kind_of(state, base), base, &memory) &&
                integers_of(value, "shape", descriptor.shape, &ranks[0]) &&
                integers_of(value, "strides", descriptor.strides, &ranks[1]) &&
                integers_of(value, "block_shape", block, &ranks[2]);
    Py_XDECREF(base);
    if (!done) return false;
    if (ranks[0] != ranks[1] || ranks[0] != ranks[2])
        return unfit(launch, value, "has a shape, strides and a block of different ranks");
    descriptor.rank = ranks[0], descriptor.dtype = memory.dtype;
    for (int i = 0; i < descriptor.rank; i++)
        descriptor.block[i] = block[i] > INT32_MAX ? 0 : (int)block[i];
    descriptor.pads_nan = pads_with_nan(value);
    const char *why = (uintptr_t)memory.pointer % 16 ? "its base is not aligned to 16 bytes"
                                                     : tern_descriptor_error(&descriptor);
    if (why) {
        PyErr_Format(PyExc_ValueError, "parameter '%U': %s", launch->naming, why);
        return false;
    }
    char type[160];
    tern_argument arguments[2 * TERN_DESCRIPTOR_RANK];
    tern_descriptor_type(&descriptor, type, sizeof type);
    int count = tern_descriptor_arguments(&descriptor, arguments);
    if (!put(launch, type) || !pass_memory(launch, &memory)) return false;
    for (int i = 1; i < count; i++) /* [0] is the base */
        if (!pass(launch, arguments[i])) return false;
    return true;
}

/* ---- numbers ---- */

static bool is_float_type(const char *type) { return type[0] == 'f' || type[0] == 'b'; }

static bool add_integer(Launch *launch, const Parameter *parameter, PyObject *value) {
    const char *type = parameter ? parameter->type : "";
    int overflow;
    long long integer = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow > 0) {
        unsigned long long bits = PyLong_AsUnsignedLongLong(value);
        if (PyErr_Occurred()) return false;
        integer = (long long)bits;
    } else if (overflow < 0)
        return unfit(launch, value, "does not fit 64 bits");
    if (is_float_type(type))
        return put(launch, type) && pass(launch, tern_arg_float(PyLong_AsDouble(value)));
    bool specializes = !parameter || parameter->specializes;
    if (specializes && integer == 1 && !type[0] && !overflow) return put(launch, "i32:1");
    if (type[0] == '*') { /* an address */
        tern_argument address = {.kind = TERN_ARGUMENT_POINTER, .pointer = (void *)integer};
        return put(launch, type) && pass(launch, address);
    }
    const char *own = overflow ? "u64" : integer == (int32_t)integer ? "i32" : "i64";
    return put(launch, type[0] ? type : own) &&
           (!is_aligned((uint64_t)integer, parameter) || !strcmp(type, "i1") ||
            put(launch, ":16")) &&
           pass(launch, tern_arg_int(integer));
}

static bool add_float(Launch *launch, const Parameter *parameter, PyObject *value) {
    const char *type = parameter && parameter->type[0] ? parameter->type : "fp32";
    if (!is_float_type(type)) return unfit(launch, value, "is no integer, as the annotation asks");
    return put(launch, type) && pass(launch, tern_arg_float(PyFloat_AsDouble(value)));
}

static bool add_bool(Launch *launch, const Parameter *parameter, PyObject *value) {
    const char *type = parameter && parameter->type[0] ? parameter->type : "i1";
    if (is_float_type(type))
        return put(launch, type) && pass(launch, tern_arg_float(value == Py_True));
    return put(launch, type) && pass(launch, tern_arg_int(value == Py_True));
}

static bool add_index(Launch *launch, Launcher *launcher, const Parameter *parameter,
                      PyObject *value) {
    PyObject *number = PyNumber_Index(value);
    bool done = number && launch_add(launch, launcher, parameter, number);
    Py_XDECREF(number);
    return done;
}

bool launch_add(Launch *launch, Launcher *launcher, const Parameter *parameter, PyObject *value) {
    if (parameter && parameter->is_constexpr) return add_constant(launch, launcher, value);
    if (value == Py_None) return put(launch, "None");
    if (PyBool_Check(value)) return add_bool(launch, parameter, value);
    if (PyLong_Check(value)) return add_integer(launch, parameter, value);
    if (PyFloat_Check(value)) return add_float(launch, parameter, value);
    Kind kind = kind_of(launch->context->state, value);
    switch (kind) {
    case KIND_TUPLE: return items_added(launch, launcher, value, launch_add, parameter);
    case KIND_DESCRIPTOR: return add_descriptor(launch, value);
    case KIND_INDEX: return add_index(launch, launcher, parameter, value);
    case KIND_TORCH:
    case KIND_CUDA_ARRAY:
    case KIND_BUFFER:
    case KIND_DLPACK: return add_memory(launch, launcher, parameter, kind, value);
    case KIND_OTHER:
    case KIND_CONSTEXPR: break;
    }
    return add_constant(launch, launcher, value); /* dtypes, functions, texts */
}
