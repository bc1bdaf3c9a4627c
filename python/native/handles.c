// SPDX-License-Identifier: Apache-2.0
/* handles: contexts, modules and kernels of libtern as Python objects. A module and a kernel keep
 * their context. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

/* ---- Context ---- */

typedef struct OpenNames {
    const char **dirs;
    PyObject **texts;
    Py_ssize_t count;
} OpenNames;

static bool names_read(PyObject *list, OpenNames *names) {
    names->count = list ? PySequence_Size(list) : 0;
    if (names->count < 0) return false;
    names->dirs = PyMem_Calloc((size_t)names->count + 1, sizeof *names->dirs);
    names->texts = PyMem_Calloc((size_t)names->count + 1, sizeof *names->texts);
    if (!names->dirs || !names->texts) return PyErr_NoMemory() != NULL;
    for (Py_ssize_t i = 0; i < names->count; i++) {
        PyObject *item = PySequence_GetItem(list, i);
        bool done = item && PyUnicode_FSConverter(item, &names->texts[i]);
        Py_XDECREF(item);
        if (!done) return false;
        names->dirs[i] = PyBytes_AsString(names->texts[i]);
    }
    return true;
}

static void names_free(OpenNames *names) {
    for (Py_ssize_t i = 0; names->texts && i < names->count; i++) Py_XDECREF(names->texts[i]);
    PyMem_Free(names->dirs);
    PyMem_Free(names->texts);
}

static bool context_open(Context *self, const tern_open_options *options) {
    char words[4096];
    tern_status status;
    self->context = tern_open(options, &status, words, sizeof words);
    if (!self->context) return native_raise(self->state, status, words) != NULL;
    const char *name = tern_device_name(self->context);
    self->on_host = tern_device_property(name, TERN_DEVICE_ON_HOST);
    self->checks = tern_device_property(name, TERN_DEVICE_CHECKS_ACCESSES);
    const char *colon = strchr(name, ':');
    if (!self->on_host && colon) self->index = strtol(colon + 1, NULL, 10);
    tern_set_output(self->context, native_print, NULL);
    return true;
}

static PyObject *context_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static char *names[] = {"device",   "include",    "num_threads", "cache_dir",
                            "compiler", "timeout_ms", "order_seed",  "watch",
                            "copies",   "stream_of",  NULL};
    tern_open_options options = {.size = sizeof options};
    PyObject *include = NULL, *stream_of = NULL;
    unsigned long long seed = 0;
    int watch = 0, copies = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|z$OizziKppO:Context", names, &options.device,
                                     &include, &options.num_threads, &options.cache_dir,
                                     &options.compiler, &options.timeout_ms, &seed, &watch, &copies,
                                     &stream_of))
        return NULL;
    options.order_seed = seed, options.watch = watch;
    Context *self = native_new(type);
    if (!self) return NULL;
    self->state = PyType_GetModuleState(type);
    self->owner = Py_NewRef(PyType_GetModule(type));
    self->copies = copies;
    self->stream_of = stream_of && stream_of != Py_None ? Py_NewRef(stream_of) : NULL;
    OpenNames dirs = {0};
    bool done = names_read(include, &dirs);
    options.include_dirs = dirs.dirs, options.num_include_dirs = (int)dirs.count;
    done = done && context_open(self, &options);
    names_free(&dirs);
    if (done) return (PyObject *)self;
    Py_DECREF(self);
    return NULL;
}

static void context_dealloc(PyObject *object) {
    Context *self = (Context *)object;
    tern_close(self->context);
    Py_XDECREF(self->stream_of);
    Py_XDECREF(self->owner);
    native_free(object);
}

bool is_context(PyObject *object) {
    return PyType_GetSlot(Py_TYPE(object), Py_tp_dealloc) == (void *)context_dealloc;
}

static PyObject *context_load(Context *self, tern_module *module) {
    if (!module) return native_fail(self);
    Module *made = native_new(self->state->module_type);
    if (!made) {
        tern_module_free(module);
        return NULL;
    }
    made->context = (Context *)Py_NewRef((PyObject *)self);
    made->module = module;
    return (PyObject *)made;
}

static PyObject *context_load_file(PyObject *object, PyObject *path) {
    Context *self = (Context *)object;
    PyObject *bytes;
    if (!PyUnicode_FSConverter(path, &bytes)) return NULL;
    PyObject *made = context_load(self, tern_load_file(self->context, PyBytes_AsString(bytes)));
    Py_DECREF(bytes);
    return made;
}

static PyObject *context_load_text(PyObject *object, PyObject *args) {
    Context *self = (Context *)object;
    const char *text, *name;
    Py_ssize_t length;
    if (!PyArg_ParseTuple(args, "s#s:load_text", &text, &length, &name)) return NULL;
    return context_load(self, tern_load_text(self->context, text, (size_t)length, name));
}

static PyObject *context_synchronize(PyObject *object, PyObject *unused) {
    Context *self = (Context *)object;
    (void)unused;
    if (tern_synchronize(self->context)) return native_fail(self);
    Py_RETURN_NONE;
}

static PyObject *context_device(PyObject *object, void *unused) {
    (void)unused;
    return PyUnicode_FromString(tern_device_name(((Context *)object)->context));
}

static PyObject *context_description(PyObject *object, void *unused) {
    (void)unused;
    return PyUnicode_FromString(tern_device_description(((Context *)object)->context));
}

static PyObject *context_on_host(PyObject *object, void *unused) {
    (void)unused;
    return PyBool_FromLong(((Context *)object)->on_host);
}

static PyMethodDef context_methods[] = {
    {"load_file", context_load_file, METH_O, "A Module from a .py file."},
    {"load_text", context_load_text, METH_VARARGS, "A Module from a text and a name for messages."},
    {"synchronize", context_synchronize, METH_NOARGS, "Waits for all work."},
    {0},
};
static PyGetSetDef context_values[] = {
    {"device", context_device, NULL, "\"cpu\", \"cuda:0\" ..", NULL},
    {"description", context_description, NULL, "One line for people.", NULL},
    {"on_host", context_on_host, NULL, "Kernels run on this process' memory.", NULL},
    {0},
};
static PyType_Slot context_slots[] = {
    {Py_tp_new, context_new},
    {Py_tp_dealloc, context_dealloc},
    {Py_tp_methods, context_methods},
    {Py_tp_getset, context_values},
    {Py_tp_doc, "libtern opened on one device."},
    {0},
};
PyType_Spec context_spec = {"tern._tern.Context", sizeof(Context), 0, Py_TPFLAGS_DEFAULT,
                            context_slots};

/* ---- Module ---- */

static void module_dealloc(PyObject *object) {
    Module *self = (Module *)object;
    tern_module_free(self->module);
    Py_XDECREF((PyObject *)self->context);
    native_free(object);
}

static PyObject *parameter_described(const tern_function_parameter *p) {
    return Py_BuildValue(
        "{s:s,s:O,s:O,s:O,s:O,s:s,s:z}", "name", p->name, "is_constexpr",
        p->is_constexpr ? Py_True : Py_False, "has_default", p->has_default ? Py_True : Py_False,
        "do_not_specialize", p->do_not_specialize ? Py_True : Py_False,
        "do_not_specialize_on_alignment", p->do_not_specialize_on_alignment ? Py_True : Py_False,
        "annotation", p->annotation, "default", p->default_value);
}

/* {"name", "line", "text", "is_launched", "parameters": [..]} of a function; None: no such. */
static PyObject *module_function(PyObject *object, PyObject *name) {
    Module *self = (Module *)object;
    PyObject *bytes = PyUnicode_AsUTF8String(name);
    if (!bytes) return NULL;
    const tern_function *function = tern_module_find(self->module, PyBytes_AsString(bytes));
    Py_DECREF(bytes);
    if (!function) Py_RETURN_NONE;
    PyObject *parameters = PyList_New(function->num_parameters);
    for (int i = 0; parameters && i < function->num_parameters; i++) {
        PyObject *one = parameter_described(&function->parameters[i]);
        if (!one || PyList_SetItem(parameters, i, one)) Py_CLEAR(parameters);
    }
    if (!parameters) return NULL;
    return Py_BuildValue("{s:s,s:i,s:s,s:O,s:N}", "name", function->name, "line", function->line,
                         "text", function->text, "is_launched",
                         function->is_launched ? Py_True : Py_False, "parameters", parameters);
}

static PyObject *module_functions(PyObject *object, PyObject *unused) {
    Module *self = (Module *)object;
    (void)unused;
    int count = tern_module_num_functions(self->module);
    PyObject *names = PyList_New(count);
    for (int i = 0; names && i < count; i++) {
        PyObject *name = PyUnicode_FromString(tern_module_function(self->module, i)->name);
        if (!name || PyList_SetItem(names, i, name)) Py_CLEAR(names);
    }
    return names;
}

static PyObject *module_set_global(PyObject *object, PyObject *args) {
    Module *self = (Module *)object;
    const char *name, *text;
    if (!PyArg_ParseTuple(args, "ss:set_global", &name, &text)) return NULL;
    if (tern_module_set_global(self->module, name, text)) return native_fail(self->context);
    Py_RETURN_NONE;
}

static PyObject *module_compile(PyObject *object, PyObject *args, PyObject *keywords) {
    static char *names[] = {"function", "signature", "num_warps", "num_stages",    "config",
                            "target",   "debug",     "precise",   "dot_precision", NULL};
    Module *self = (Module *)object;
    tern_options options = {.size = sizeof options};
    const char *function, *signature;
    int debug = 0, precise = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "ss|$iiizppz:compile", names, &function,
                                     &signature, &options.num_warps, &options.num_stages,
                                     &options.config, &options.target, &debug, &precise,
                                     &options.dot_precision))
        return NULL;
    options.debug = debug, options.precise = precise, options.text_only = options.target != NULL;
    tern_kernel *kernel = tern_compile(self->module, function, signature, &options);
    if (!kernel) return native_fail(self->context);
    return (PyObject *)kernel_from(self->context, kernel, signature);
}

static PyObject *values_as_dict(const tern_value *values, int count) {
    PyObject *dict = PyDict_New();
    for (int i = 0; dict && i < count; i++) {
        PyObject *text = PyUnicode_FromString(values[i].text);
        if (!text || PyDict_SetItemString(dict, values[i].name, text)) Py_CLEAR(dict);
        Py_XDECREF(text);
    }
    return dict;
}

/* The configs of @triton.autotune: [({NAME: literal}, num_warps, num_stages, has_pre_hook), ..]. */
static PyObject *module_configs(PyObject *object, PyObject *name) {
    Module *self = (Module *)object;
    const tern_config *configs;
    PyObject *bytes = PyUnicode_AsUTF8String(name);
    if (!bytes) return NULL;
    int count = tern_module_configs(self->module, PyBytes_AsString(bytes), &configs);
    Py_DECREF(bytes);
    if (count < 0) return native_fail(self->context);
    PyObject *list = PyList_New(count);
    for (int i = 0; list && i < count; i++) {
        PyObject *values = values_as_dict(configs[i].values, configs[i].num_values);
        PyObject *one =
            values ? Py_BuildValue("NiiO", values, configs[i].num_warps, configs[i].num_stages,
                                   configs[i].has_pre_hook ? Py_True : Py_False)
                   : NULL;
        if (!one || PyList_SetItem(list, i, one)) Py_CLEAR(list);
    }
    return list;
}

static PyMethodDef module_methods[] = {
    {"function", module_function, METH_O, "What the file says of a jit function; None: no such."},
    {"functions", module_functions, METH_NOARGS, "The names of the jit functions, in order."},
    {"set_global", module_set_global, METH_VARARGS, "Another value for a module-level name."},
    {"configs", module_configs, METH_O, "The configs of @triton.autotune."},
    {"compile", (PyCFunction)(void (*)(void))module_compile, METH_VARARGS | METH_KEYWORDS,
     "A Kernel from a function's name and a signature."},
    {0},
};
static PyType_Slot module_slots[] = {
    {Py_tp_dealloc, module_dealloc},
    {Py_tp_methods, module_methods},
    {Py_tp_doc, "The text of one .py file and what it imports."},
    {0},
};
PyType_Spec module_spec = {"tern._tern.Module", sizeof(Module), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, module_slots};

/* ---- Kernel ---- */

Kernel *kernel_from(Context *context, tern_kernel *kernel, const char *signature) {
    Kernel *made = native_new(context->state->kernel_type);
    if (!made) {
        tern_kernel_free(kernel);
        return NULL;
    }
    made->context = (Context *)Py_NewRef((PyObject *)context);
    made->kernel = kernel;
    size_t size = strlen(signature) + 1;
    made->signature = PyMem_Malloc(size);
    if (made->signature) return memcpy(made->signature, signature, size), made;
    Py_DECREF((PyObject *)made);
    PyErr_NoMemory();
    return NULL;
}

/* Launchers hold kernels, and what Python adds to a kernel leads back to its launcher. */
static int kernel_traverse(PyObject *object, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(((Kernel *)object)->more);
    return 0;
}

static int kernel_clear(PyObject *object) {
    Py_CLEAR(((Kernel *)object)->more);
    return 0;
}

static void kernel_dealloc(PyObject *object) {
    Kernel *self = (Kernel *)object;
    PyObject_GC_UnTrack(object);
    kernel_clear(object);
    tern_kernel_free(self->kernel);
    PyMem_Free(self->signature);
    Py_XDECREF((PyObject *)self->context);
    native_free(object);
}

static PyObject *kernel_text(PyObject *object, PyObject *name) {
    static const struct {
        const char *name;
        tern_stage stage;
    } stages[] = {{"ast", TERN_STAGE_AST},     {"ir", TERN_STAGE_IR},
                  {"c", TERN_STAGE_C},         {"ptx", TERN_STAGE_PTX},
                  {"facts", TERN_STAGE_FACTS}, {"remarks", TERN_STAGE_REMARKS},
                  {"times", TERN_STAGE_TIMES}};
    Kernel *self = (Kernel *)object;
    for (size_t i = 0; PyUnicode_Check(name) && i < sizeof stages / sizeof *stages; i++) {
        if (PyUnicode_CompareWithASCIIString(name, stages[i].name)) continue;
        const char *text = tern_kernel_text(self->kernel, stages[i].stage);
        if (text) return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
        PyErr_Format(self->context->state->errors[-TERN_ERROR_UNSUPPORTED],
                     "a kernel of %s has no text '%U'", tern_kernel_target(self->kernel), name);
        return NULL;
    }
    return PyErr_Format(PyExc_ValueError,
                        "no text %R: there are ast, ir, c, ptx, facts, remarks, times", name);
}

static PyObject *kernel_value(PyObject *object, void *which) {
    Kernel *self = (Kernel *)object;
    switch (*(const char *)which) {
    case 'n': return PyUnicode_FromString(tern_kernel_name(self->kernel));
    case 't': return PyUnicode_FromString(tern_kernel_target(self->kernel));
    case 'w': return PyLong_FromLong(tern_kernel_num_warps(self->kernel));
    case 'p': return PyLong_FromLong(tern_kernel_num_stages(self->kernel));
    }
    return PyUnicode_FromString(self->signature);
}

static PyObject *kernel_getattr(PyObject *object, PyObject *name) {
    Kernel *self = (Kernel *)object;
    PyObject *value = PyObject_GenericGetAttr(object, name);
    if (value || !self->more || !PyErr_ExceptionMatches(PyExc_AttributeError)) return value;
    PyErr_Clear();
    return PyObject_GetAttr(self->more, name);
}

static PyObject *kernel_subscript(PyObject *object, PyObject *grid) {
    Kernel *self = (Kernel *)object;
    if (self->more) return PyObject_GetItem(self->more, grid);
    return PyErr_Format(PyExc_TypeError, "a kernel that no launch made: launch its function");
}

static int kernel_set_more(PyObject *object, PyObject *value, void *unused) {
    Kernel *self = (Kernel *)object;
    (void)unused;
    PyObject *before = self->more;
    self->more = Py_XNewRef(value);
    Py_XDECREF(before);
    return 0;
}

static PyMethodDef kernel_methods[] = {
    {"text", kernel_text, METH_O, "The text of a stage: ast, ir, c, ptx, facts, remarks, times."},
    {0},
};
static PyGetSetDef kernel_values[] = {
    {"name", kernel_value, NULL, "Of the function.", "n"},
    {"target", kernel_value, NULL, "\"cpu:avx2\", \"sm_90a\" ..", "t"},
    {"num_warps", kernel_value, NULL, "Warps of a program.", "w"},
    {"num_stages", kernel_value, NULL, "Turns that loads run ahead.", "p"},
    {"signature", kernel_value, NULL, "What it was compiled for.", "s"},
    {"more", NULL, kernel_set_more, "Python's part of it: its other attributes, and [grid].", NULL},
    {0},
};
static PyType_Slot kernel_slots[] = {
    {Py_tp_dealloc, kernel_dealloc},
    {Py_tp_traverse, kernel_traverse},
    {Py_tp_clear, kernel_clear},
    {Py_tp_getattro, kernel_getattr},
    {Py_mp_subscript, kernel_subscript},
    {Py_tp_methods, kernel_methods},
    {Py_tp_getset, kernel_values},
    {Py_tp_doc, "One function compiled for one signature and device."},
    {0},
};
PyType_Spec kernel_spec = {
    "tern._tern.Kernel", sizeof(Kernel), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, kernel_slots};
