// SPDX-License-Identifier: Apache-2.0
/* memory: where an object's elements lie, of which type. PyTorch's tensors by DLPack's functions in C or data_ptr and dtype,
 * arrays of a GPU by __cuda_array_interface__, NumPy's by the buffer protocol, all others that
 * speak it by DLPack. None of these packages is imported here. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

static bool has(PyObject *value, PyObject *name) {
    PyObject *found = PyObject_GetAttr(value, name);
    if (!found) PyErr_Clear();
    Py_XDECREF(found);
    return found != NULL;
}

static bool has_named(PyObject *value, const char *name) {
    return PyObject_HasAttrString(value, name);
}

static bool is_named(PyObject *value, const char *wanted) {
    PyObject *name = PyType_GetName(Py_TYPE(value));
    bool is = name && PyUnicode_CompareWithASCIIString(name, wanted) == 0;
    Py_XDECREF(name);
    return is;
}

static Kind look(State *state, PyObject *value) {
    if (PyTuple_Check(value) || PyList_Check(value)) return KIND_TUPLE;
    if (has(value, state->data_ptr) && has(value, state->dtype)) return KIND_TORCH;
    if (has(value, state->cuda_array_interface)) return KIND_CUDA_ARRAY;
    if (PyObject_CheckBuffer(value)) return KIND_BUFFER;
    if (has(value, state->dlpack)) return KIND_DLPACK;
    if (has_named(value, "block_shape") && has(value, state->base)) return KIND_DESCRIPTOR;
    if (is_named(value, "constexpr") && has(value, state->value)) return KIND_CONSTEXPR;
    return PyIndex_Check(value) ? KIND_INDEX : KIND_OTHER;
}

/* Types are looked at once. */
Kind kind_of(State *state, PyObject *value) {
    PyObject *type = (PyObject *)Py_TYPE(value);
    for (int i = 0; i < NUM_EXCHANGING; i++) /* nothing else is asked for an exchange */
        if (state->exchanging[i].type == type) return KIND_TORCH;
    PyObject *known = PyDict_GetItemWithError(state->kinds, type);
    if (known) return (Kind)PyLong_AsLong(known);
    Kind kind = look(state, value);
    PyObject *number = PyLong_FromLong(kind);
    if (!number || PyDict_SetItem(state->kinds, type, number)) PyErr_Clear();
    Py_XDECREF(number);
    return kind;
}

static bool complain(const Launch *launch, const char *words, PyObject *what) {
    PyErr_Format(PyExc_TypeError, words, launch->naming, what);
    return false;
}

/* PyTorch's, NumPy's, Triton's dtype objects, by their names. */
static bool dtype_of(const Launch *launch, PyObject *object, tern_dtype *dtype) {
    State *state = launch->context->state;
    PyObject *known = PyDict_GetItemWithError(state->dtypes, object);
    if (!known) {
        PyErr_Clear(); /* no hash */
        PyObject *name = PyObject_Str(object);
        PyObject *bytes = name ? PyUnicode_AsUTF8String(name) : NULL;
        if (!bytes) {
            Py_XDECREF(name);
            return false;
        }
        *dtype = tern_dtype_from_name(PyBytes_AsString(bytes));
        Py_DECREF(bytes);
        Py_DECREF(name);
        if (*dtype == TERN_VOID)
            return complain(launch, "parameter '%U': tern has no type %R", object);
        PyObject *number = PyLong_FromLong(*dtype);
        if (!number || PyDict_SetItem(state->dtypes, object, number)) PyErr_Clear();
        Py_XDECREF(number);
        return true;
    }
    *dtype = (tern_dtype)PyLong_AsLong(known);
    return true;
}

static bool pointer_from(PyObject *number, void **pointer) {
    if (!number) return false;
    unsigned long long address = PyLong_AsUnsignedLongLong(number);
    Py_DECREF(number);
    *pointer = (void *)(uintptr_t)address;
    return !PyErr_Occurred();
}

/* ---- PyTorch ---- */

static tern_dtype dtype_of_dlpack(const DLTensor *tensor) {
    enum { SIZES = 4, CODES = 7 }; /* 8, 16, 32, 64 bits; integers, floats, bfloat, bool */
    static const tern_dtype types[CODES][SIZES] = {
        [0] = {TERN_INT8, TERN_INT16, TERN_INT32, TERN_INT64},
        [1] = {TERN_UINT8, TERN_UINT16, TERN_UINT32, TERN_UINT64},
        [2] = {TERN_VOID, TERN_FLOAT16, TERN_FLOAT32, TERN_FLOAT64},
        [4] = {TERN_VOID, TERN_BFLOAT16, TERN_VOID, TERN_VOID},
        [6] = {TERN_BOOL, TERN_VOID, TERN_VOID, TERN_VOID}};
    if (tensor->lanes != 1 || tensor->code >= CODES) return TERN_VOID;
    for (int i = 0; i < SIZES; i++)
        if (tensor->bits == 8 << i) return types[tensor->code][i];
    return TERN_VOID;
}

static bool is_word(PyObject *type, const char *name, const char *wanted, size_t length) {
    PyObject *word = PyObject_GetAttrString(type, name);
    PyObject *bytes = word && PyUnicode_Check(word) ? PyUnicode_AsUTF8String(word) : NULL;
    bool is = bytes && !strncmp(PyBytes_AsString(bytes), wanted, length);
    PyErr_Clear();
    Py_XDECREF(bytes);
    Py_XDECREF(word);
    return is;
}

static bool is_of_torch(PyObject *type) { return is_word(type, "__module__", "torch", 5); }

/* A subclass that adds nothing to where its memory is. */
static bool is_parameter(PyObject *type) {
    static const char module[] = "torch.nn.parameter", name[] = "Parameter";
    return is_word(type, "__module__", module, sizeof module) &&
           is_word(type, "__name__", name, sizeof name);
}

/* Of a type that has it itself: what other subclasses say of themselves in Python counts. */
static const Exchange *exchange_of(PyObject *type) {
    static const char name[] = "__dlpack_c_exchange_api__";
    PyObject *own = is_parameter(type) ? NULL : PyObject_GetAttrString(type, "__dict__");
    PyObject *capsule =
        own ? PyMapping_GetItemString(own, name) : PyObject_GetAttrString(type, name);
    const Exchange *found = capsule ? PyCapsule_GetPointer(capsule, "dlpack_exchange_api") : NULL;
    PyErr_Clear();
    Py_XDECREF(capsule); /* the table is there as long as the process */
    Py_XDECREF(own);
    return found && found->major == 1 && found->describe ? found : NULL;
}

static const Exchange *exchange_known(State *state, PyObject *type) {
    for (int i = 0; i < NUM_EXCHANGING; i++)
        if (state->exchanging[i].type == type) return state->exchanging[i].exchange;
    Exchanging *place = &state->exchanging[state->next_exchanging++ % NUM_EXCHANGING];
    Py_XDECREF(place->type);
    *place = (Exchanging){Py_NewRef(type), exchange_of(type)};
    return place->exchange;
}

/* Pointer and type by one call in C. False: they are to be asked of the tensor's attributes, which
 * also say what is wrong with it. */
static bool exchanged(const Launch *launch, PyObject *value, Memory *memory) {
    State *state = launch->context->state;
    PyObject *type = (PyObject *)Py_TYPE(value);
    const Exchange *exchange = exchange_known(state, type);
    DLTensor tensor;
    if (!exchange) return false;
    if (exchange->describe(value, &tensor)) return PyErr_Clear(), false;
    bool at_hand = launch->context->on_host ? tensor.device_type == DL_CPU
                                            : tensor.device_type == DL_CUDA &&
                                                  tensor.device_id == launch->context->index;
    memory->pointer = (char *)tensor.data + tensor.byte_offset;
    memory->dtype = dtype_of_dlpack(&tensor);
    if (at_hand && !launch->context->on_host && !state->torch && is_of_torch(type))
        state->torch = exchange;
    return at_hand && memory->dtype != TERN_VOID;
}

static bool elsewhere(const Launch *launch, PyObject *value) {
    PyObject *device = PyObject_GetAttr(value, launch->context->state->device);
    if (device)
        PyErr_Format(PyExc_TypeError, "parameter '%U': a tensor on %S, but kernels run on %s: %s",
                     launch->naming, device, tern_device_name(launch->context->context),
                     launch->context->on_host ? "take its .cpu()" : "take its .cuda()");
    Py_XDECREF(device);
    return false;
}

/* What has no is_cpu says device.type; what has no device, as Triton's MockTensor, has no memory. */
static bool is_on_type(const Launch *launch, PyObject *value, const char *type, int *is) {
    State *state = launch->context->state;
    PyErr_Clear();
    *is = 1;
    PyObject *device = PyObject_GetAttr(value, state->device);
    PyObject *word = device ? PyObject_GetAttr(device, state->type) : NULL;
    if (word)
        *is = PyUnicode_Check(word) && PyUnicode_CompareWithASCIIString(word, type) == 0;
    else
        PyErr_Clear();
    Py_XDECREF(word);
    Py_XDECREF(device);
    return true;
}

static bool is_on_index(const Launch *launch, PyObject *value, int *is) {
    State *state = launch->context->state;
    PyObject *device = PyObject_GetAttr(value, state->device);
    PyObject *index = device ? PyObject_GetAttr(device, state->index) : NULL;
    if (index && index != Py_None) *is = PyLong_AsLong(index) == launch->context->index;
    Py_XDECREF(index);
    Py_XDECREF(device);
    return !PyErr_Occurred();
}

static bool is_at_hand(const Launch *launch, PyObject *value) {
    State *state = launch->context->state;
    bool on_host = launch->context->on_host;
    PyObject *answer = PyObject_GetAttr(value, on_host ? state->is_cpu : state->is_cuda);
    int is = answer ? PyObject_IsTrue(answer) : 0;
    Py_XDECREF(answer);
    if (!answer && !is_on_type(launch, value, on_host ? "cpu" : "cuda", &is)) return false;
    if (answer && is && !on_host && !is_on_index(launch, value, &is)) return false;
    return is || elsewhere(launch, value);
}

/* Triton's reinterpret(tensor, dtype) has its memory from `base`; its MockTensor has none. */
static bool torch_storage(State *state, PyObject *value, Memory *memory) {
    PyObject *storage = PyObject_CallMethod(value, "untyped_storage", NULL);
    if (!storage) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return false;
        PyErr_Clear();
        PyObject *base = PyObject_GetAttr(value, state->base);
        if (!base) return PyErr_Clear(), true;
        bool done = Py_EnterRecursiveCall(" in a tensor's base") == 0;
        if (done) {
            done = kind_of(state, base) != KIND_TORCH || torch_storage(state, base, memory);
            Py_LeaveRecursiveCall();
        }
        Py_DECREF(base);
        return done;
    }
    PyObject *bytes = PyObject_CallMethod(storage, "nbytes", NULL);
    if (bytes) memory->size = PyLong_AsSize_t(bytes);
    Py_XDECREF(bytes);
    bool done =
        bytes && pointer_from(PyObject_CallMethod(storage, "data_ptr", NULL), &memory->base);
    Py_DECREF(storage);
    return done;
}

static bool torch_attributes(Launch *launch, PyObject *value, Memory *memory) {
    State *state = launch->context->state;
    if (!is_at_hand(launch, value)) return false;
    if (!pointer_from(PyObject_CallMethodObjArgs(value, state->data_ptr, NULL), &memory->pointer))
        return false;
    PyObject *dtype = PyObject_GetAttr(value, state->dtype);
    bool done = dtype && dtype_of(launch, dtype, &memory->dtype);
    Py_XDECREF(dtype);
    return done;
}

static bool torch_memory(Launch *launch, PyObject *value, Memory *memory) {
    if (!exchanged(launch, value, memory) && !torch_attributes(launch, value, memory)) return false;
    if (!(launch->context->checks || launch->context->copies)) return true;
    if (!torch_storage(launch->context->state, value, memory)) return false;
    /* One without elements has no address, whatever it is a view of. */
    if (!memory->pointer) memory->base = memory->pointer, memory->size = 0;
    return true;
}

/* ---- the buffer protocol ---- */

/* Of struct's letters: 'f' with 4 bytes. Big-endian has no type. */
static tern_dtype dtype_of_format(const char *format, Py_ssize_t size) {
    if (*format == '@' || *format == '=' || *format == '<' || *format == '|') format++;
    if (!*format || format[1]) return TERN_VOID;
    const char *names[] = {"i1", "u", "i", "f"};
    int which = *format == '?'              ? 0
                : strchr("BHILQN", *format) ? 1
                : strchr("bhilqn", *format) ? 2
                : strchr("efd", *format)    ? 3
                                            : -1;
    char name[16];
    if (which < 0 || size < 1 || size > 8) return TERN_VOID;
    if (!which) return TERN_BOOL;
    if (which == 3) {
        static const tern_dtype floats[] = {TERN_VOID, TERN_VOID,    TERN_FLOAT16,
                                            TERN_VOID, TERN_FLOAT32, TERN_VOID,
                                            TERN_VOID, TERN_VOID,    TERN_FLOAT64};
        return floats[size];
    }
    PyOS_snprintf(name, sizeof name, "%s%d", names[which], (int)size * 8);
    return tern_dtype_from_name(name);
}

/* The bytes that the elements span, and those of what it is a view of. */
static void buffer_extent(const Py_buffer *view, Memory *memory) {
    char *low = view->buf, *high = low + view->itemsize;
    for (int i = 0; i < view->ndim; i++) {
        if (view->shape[i] == 0) high = low;
        Py_ssize_t reach = (view->shape[i] - 1) * view->strides[i];
        if (view->shape[i] > 0 && reach < 0) low += reach;
        if (view->shape[i] > 0 && reach > 0) high += reach;
    }
    memory->base = low, memory->size = high > low ? (size_t)(high - low) : 0;
}

static bool buffer_base(State *state, PyObject *value, Memory *memory) {
    PyObject *base = Py_NewRef(value), *outer;
    while ((outer = PyObject_GetAttr(base, state->base)) && PyObject_CheckBuffer(outer)) {
        Py_DECREF(base);
        base = outer;
    }
    if (!outer) PyErr_Clear();
    Py_XDECREF(outer);
    Py_buffer view;
    bool done = PyObject_GetBuffer(base, &view, PyBUF_STRIDES) == 0;
    if (done) {
        buffer_extent(&view, memory);
        PyBuffer_Release(&view);
    }
    Py_DECREF(base);
    return done;
}

/* NumPy's arrays of types that the protocol has no letter for: ml_dtypes' bfloat16 and f8. */
static bool numpy_memory(Launch *launch, PyObject *value, Memory *memory) {
    State *state = launch->context->state;
    PyObject *type, *words, *trace, *flags = NULL, *writeable = NULL, *dtype = NULL, *ctypes = NULL;
    PyErr_Fetch(&type, &words, &trace);
    bool done = (flags = PyObject_GetAttrString(value, "flags")) &&
                (writeable = PyObject_GetAttrString(flags, "writeable")) &&
                (dtype = PyObject_GetAttr(value, state->dtype)) &&
                (ctypes = PyObject_GetAttrString(value, "ctypes")) &&
                pointer_from(PyObject_GetAttrString(ctypes, "data"), &memory->pointer) &&
                dtype_of(launch, dtype, &memory->dtype);
    PyObject *bytes = done ? PyObject_GetAttrString(value, "nbytes") : NULL;
    PyObject *contiguous = bytes ? PyObject_GetAttrString(flags, "c_contiguous") : NULL;
    if (contiguous && PyObject_IsTrue(contiguous) == 1)
        memory->base = memory->pointer, memory->size = PyLong_AsSize_t(bytes);
    bool readonly = done && PyObject_IsTrue(writeable) == 0;
    PyObject *const used[] = {flags, writeable, dtype, ctypes, bytes, contiguous};
    for (size_t i = 0; i < sizeof used / sizeof *used; i++) Py_XDECREF(used[i]);
    PyErr_Restore(type, words, trace);
    if (!done) return false;
    PyErr_Clear();
    return !readonly || complain(launch, "parameter '%U': the array is read-only: copy it", NULL);
}

static bool buffer_memory(Launch *launch, PyObject *value, Memory *memory) {
    if (!launch->context->on_host)
        return complain(launch, "parameter '%U': memory of the host, but kernels run on cuda",
                        NULL);
    if (launch->num_views == MAX_HELD)
        return complain(launch, "parameter '%U': over 128 arrays", NULL);
    Py_buffer *view = &launch->views[launch->num_views];
    if (PyObject_GetBuffer(value, view, PyBUF_STRIDES | PyBUF_FORMAT))
        return numpy_memory(launch, value, memory);
    launch->num_views++;
    memory->pointer = view->buf;
    memory->is_number = view->readonly && view->ndim == 0;
    if (memory->is_number) return true;
    if (view->readonly)
        return complain(launch, "parameter '%U': the array is read-only: copy it", NULL);
    const char *format = view->format ? view->format : "B";
    memory->dtype = dtype_of_format(format, view->itemsize);
    if (memory->dtype == TERN_VOID) {
        PyErr_Format(PyExc_TypeError, "parameter '%U': tern has no type '%s' of %zd bytes",
                     launch->naming, format, view->itemsize);
        return false;
    }
    if (!launch->context->checks && !launch->context->copies) return true;
    return buffer_base(launch->context->state, value, memory);
}

/* ---- __cuda_array_interface__ ---- */

static bool cuda_memory(Launch *launch, PyObject *value, Memory *memory) {
    if (launch->context->on_host)
        return complain(launch, "parameter '%U': an array of a GPU, but kernels run on the host",
                        NULL);
    PyObject *all = PyObject_GetAttr(value, launch->context->state->cuda_array_interface);
    if (!all) return false;
    PyObject *data = PyMapping_GetItemString(all, "data"), *readonly = NULL;
    PyObject *typestr = data ? PyMapping_GetItemString(all, "typestr") : NULL;
    PyObject *bytes = typestr ? PyUnicode_AsASCIIString(typestr) : NULL;
    bool done = bytes && pointer_from(PySequence_GetItem(data, 0), &memory->pointer) &&
                (readonly = PySequence_GetItem(data, 1));
    if (done) { /* "<f4": NumPy's kinds, which are not struct's letters */
        const char *text = PyBytes_AsString(bytes);
        long size = text[0] && text[1] ? strtol(text + 2, NULL, 10) : 0;
        char name[24];
        const char *word = text[1] == 'f' ? "float" : text[1] == 'u' ? "uint" : "int";
        PyOS_snprintf(name, sizeof name, "%s%ld", word, size * 8);
        bool known = text[0] != '>' && strchr("fiub", text[1]) && text[1];
        memory->dtype = !known           ? TERN_VOID
                        : text[1] == 'b' ? TERN_BOOL
                                         : tern_dtype_from_name(name);
        if (memory->dtype == TERN_VOID)
            done = complain(launch, "parameter '%U': tern has no type %R", typestr);
        else if (PyObject_IsTrue(readonly))
            done = complain(launch, "parameter '%U': the array is read-only: copy it", NULL);
    }
    Py_XDECREF(readonly);
    Py_XDECREF(bytes);
    Py_XDECREF(typestr);
    Py_XDECREF(data);
    Py_DECREF(all);
    return done;
}

/* ---- DLPack ---- */

static void dlpack_extent(const DLTensor *tensor, Memory *memory) {
    int64_t last = 0, packed = 1, size = (int64_t)tern_dtype_size(memory->dtype);
    for (int i = tensor->ndim - 1; i >= 0; i--) {
        int64_t stride = tensor->strides ? tensor->strides[i] : packed;
        if (tensor->shape[i] == 0) return;
        if (stride < 0) return; /* where it begins is not known */
        last += (tensor->shape[i] - 1) * stride;
        packed *= tensor->shape[i];
    }
    memory->base = memory->pointer, memory->size = (size_t)((last + 1) * size);
}

static PyObject *dlpack_capsule(const Launch *launch, PyObject *value) {
    State *state = launch->context->state;
    if (launch->context->on_host) return PyObject_CallMethodObjArgs(value, state->dlpack, NULL);
    PyObject *method = PyObject_GetAttr(value, state->dlpack), *args = PyTuple_New(0);
    void *handle = launch->stream ? tern_stream_handle(launch->stream) : NULL;
    /* 1: the default stream, as the protocol numbers it */
    PyObject *keywords =
        Py_BuildValue("{s:K}", "stream", handle ? (unsigned long long)(uintptr_t)handle : 1ULL);
    PyObject *capsule = method && args && keywords ? PyObject_Call(method, args, keywords) : NULL;
    Py_XDECREF(method);
    Py_XDECREF(args);
    Py_XDECREF(keywords);
    return capsule;
}

static bool dlpack_memory(Launch *launch, PyObject *value, Memory *memory) {
    PyObject *capsule = dlpack_capsule(launch, value);
    const DLTensor *tensor = capsule ? PyCapsule_GetPointer(capsule, "dltensor") : NULL;
    if (!tensor) {
        Py_XDECREF(capsule);
        return false;
    }
    bool on_cuda = tensor->device_type == DL_CUDA;
    bool at_hand = launch->context->on_host
                       ? tensor->device_type == DL_CPU || tensor->device_type == DL_CUDA_HOST
                       : on_cuda && tensor->device_id == launch->context->index;
    memory->pointer = (char *)tensor->data + tensor->byte_offset;
    memory->dtype = dtype_of_dlpack(tensor);
    if (memory->dtype != TERN_VOID) dlpack_extent(tensor, memory);
    if (!launch_hold(launch, capsule)) return false;
    if (!at_hand) return complain(launch, "parameter '%U': an array of another device", NULL);
    return memory->dtype != TERN_VOID ||
           complain(launch, "parameter '%U': tern has no such type", NULL);
}

bool memory_of(Launch *launch, Kind kind, PyObject *value, Memory *memory) {
    *memory = (Memory){0};
    switch (kind) {
    case KIND_TORCH: return torch_memory(launch, value, memory);
    case KIND_CUDA_ARRAY: return cuda_memory(launch, value, memory);
    case KIND_BUFFER: return buffer_memory(launch, value, memory);
    case KIND_DLPACK: return dlpack_memory(launch, value, memory);
    case KIND_OTHER:
    case KIND_TUPLE:
    case KIND_DESCRIPTOR:
    case KIND_CONSTEXPR:
    case KIND_INDEX: break;
    }
    return complain(launch, "parameter '%U': %R has no memory", value);
}
