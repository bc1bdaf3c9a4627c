// SPDX-License-Identifier: Apache-2.0
/* native: the module: its state, its exceptions. */
#include "native.h"

#include <string.h>

void *native_new(PyTypeObject *type) {
    return ((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
}

void native_free(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

PyObject *native_raise(State *state, tern_status status, const char *words) {
    PyErr_SetString(state->errors[-status], words);
    return NULL;
}

static bool put(PyObject *error, const char *name, PyObject *value) {
    bool done = value && PyObject_SetAttrString(error, name, value) == 0;
    Py_XDECREF(value);
    return done;
}

PyObject *native_fail(Context *context) {
    tern_status status = tern_message_status(context->context);
    PyObject *type = context->state->errors[-status];
    PyObject *words =
        PyUnicode_DecodeUTF8(tern_message(context->context),
                             (Py_ssize_t)strlen(tern_message(context->context)), "replace");
    PyObject *error = words ? PyObject_CallFunctionObjArgs(type, words, NULL) : NULL;
    Py_XDECREF(words);
    if (!error) return NULL;
    const char *file;
    int line, column;
    bool done = true;
    if (tern_message_place(context->context, &file, &line, &column))
        done = put(error, "file", PyUnicode_DecodeFSDefault(file)) &&
               put(error, "line", PyLong_FromLong(line)) &&
               put(error, "column", PyLong_FromLong(column));
    if (done) PyErr_SetObject(type, error);
    Py_DECREF(error);
    return NULL;
}

/* What kernels print goes where Python prints. */
void native_print(void *user, const char *text, size_t length) {
    (void)user;
    PyObject *out = PySys_GetObject("stdout"); /* borrowed */
    PyObject *words = PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, "replace");
    if (!out || !words || PyFile_WriteObject(words, out, Py_PRINT_RAW)) PyErr_Clear();
    Py_XDECREF(words);
}

/* ---- the module ---- */

static const struct {
    const char *name, *also, *doc; /* also: a class of Python's that it is, too */
} errors[NUM_STATUSES] = {
    {"tern.Error", "Exception", "Whatever tern refuses; file, line, column: where, or None."},
    {"tern.LaunchError", "ValueError", "An argument of a call, or of a launch, is wrong."},
    {"tern.CompileError", "", "The kernel's source text is wrong."},
    {"tern.Unsupported", "NotImplementedError", "Right, but tern does not support it."},
    {"tern.OutOfMemory", "MemoryError", "There is not as much memory, of the host or the device."},
    {"tern.DeviceError", "RuntimeError", "No such device, no compiler, or the device failed."},
    {"tern.SystemError", "OSError", "A file could not be read or written."},
    {"tern.KernelError", "RuntimeError", "The kernel stopped: device_assert, an address, a limit."},
};

static PyObject *error_class(State *state, int i) {
    PyObject *builtins = PyImport_ImportModule("builtins"), *bases = NULL, *made = NULL;
    PyObject *also =
        builtins && errors[i].also[0] ? PyObject_GetAttrString(builtins, errors[i].also) : NULL;
    if (also)
        bases = i ? PyTuple_Pack(2, state->errors[0], also) : PyTuple_Pack(1, also);
    else if (!PyErr_Occurred())
        bases = PyTuple_Pack(1, state->errors[0]);
    if (bases) made = PyErr_NewExceptionWithDoc(errors[i].name, errors[i].doc, bases, NULL);
    Py_XDECREF(builtins);
    Py_XDECREF(also);
    Py_XDECREF(bases);
    return made;
}

static bool add_errors(PyObject *module, State *state) {
    for (int i = 0; i < NUM_STATUSES; i++) {
        state->errors[i] = error_class(state, i);
        if (!state->errors[i]) return false;
        for (int k = 0; k < 3 && !i; k++) {
            static const char *const places[] = {"file", "line", "column"};
            if (PyObject_SetAttrString(state->errors[0], places[k], Py_None)) return false;
        }
        const char *name = strchr(errors[i].name, '.') + 1;
        if (PyModule_AddObjectRef(module, name, state->errors[i])) return false;
    }
    return true;
}

static bool add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **type) {
    *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
    return *type && PyModule_AddType(module, *type) == 0;
}

static bool add_names(State *state) {
    const struct {
        PyObject **at;
        const char *text;
    } names[] = {
        {&state->data_ptr, "data_ptr"}, {&state->dtype, "dtype"},
        {&state->is_cpu, "is_cpu"},     {&state->is_cuda, "is_cuda"},
        {&state->device, "device"},     {&state->type, "type"},
        {&state->index, "index"},       {&state->base, "base"},
        {&state->value, "value"},       {&state->cuda_array_interface, "__cuda_array_interface__"},
        {&state->dlpack, "__dlpack__"}, {&state->dlpack_device, "__dlpack_device__"},
        {&state->item, "item"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!(*names[i].at = PyUnicode_InternFromString(names[i].text))) return false;
    return (state->kinds = PyDict_New()) && (state->dtypes = PyDict_New());
}

static int module_exec(PyObject *module) {
    State *state = PyModule_GetState(module);
    bool done = add_names(state) && add_errors(module, state) &&
                add_type(module, &context_spec, &state->context_type) &&
                add_type(module, &module_spec, &state->module_type) &&
                add_type(module, &kernel_spec, &state->kernel_type) &&
                add_type(module, &call_spec, &state->call_type) &&
                add_type(module, &launcher_spec, &state->launcher_type) &&
                PyModule_AddStringConstant(module, "version", tern_version()) == 0;
    return done ? 0 : -1;
}

static PyObject *devices(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    char *text = tern_devices(true);
    PyObject *words = text ? PyUnicode_FromString(text) : PyErr_NoMemory();
    tern_free(text);
    return words;
}

static PyObject *dtype_name(PyObject *self, PyObject *name) {
    (void)self;
    PyObject *bytes = PyUnicode_AsUTF8String(name);
    if (!bytes) return NULL;
    tern_dtype dtype = tern_dtype_from_name(PyBytes_AsString(bytes));
    Py_DECREF(bytes);
    if (dtype == TERN_VOID) Py_RETURN_NONE;
    return PyUnicode_FromString(tern_dtype_name(dtype));
}

static PyMethodDef functions[] = {
    {"devices", devices, METH_NOARGS, "What is here and what is missing: JSON."},
    {"dtype_name", dtype_name, METH_O, "tern's name of a dtype by another's; None: no such."},
    {0},
};

static PyModuleDef_Slot slots[] = {{Py_mod_exec, module_exec}, {0}};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "tern._tern",
    .m_size = sizeof(State),
    .m_methods = functions,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__tern(void) { return PyModuleDef_Init(&definition); }
