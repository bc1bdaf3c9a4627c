// SPDX-License-Identifier: Apache-2.0
/* launcher: kernel[grid](*args, **keywords): arguments are bound to parameters, turned into a
 * signature and values, and the signature's kernel is launched. What is not known yet is asked of
 * Python: compile(signature, warps, stages, debug, precise, bound), complete(bound) where arguments are missing,
 * option(name, value) for keywords that are none of ours, literal(parameter, value). */
#include "native.h"

#include <string.h>

/* ---- what a launcher is made of ---- */

static bool parameter_read(Parameter *p, PyObject *row) {
    const char *type;
    int is_constexpr, specializes, aligns;
    PyObject *name, *fallback = NULL;
    if (!PyArg_ParseTuple(row, "Upspp|O", &name, &is_constexpr, &type, &specializes, &aligns,
                          &fallback))
        return false;
    if (strlen(type) >= sizeof p->type) {
        PyErr_Format(PyExc_ValueError, "parameter '%U': no type '%s'", name, type);
        return false;
    }
    p->name = Py_NewRef(name);
    PyUnicode_InternInPlace(&p->name);
    p->fallback = Py_XNewRef(fallback);
    p->is_option = !PyUnicode_CompareWithASCIIString(name, "num_warps") ||
                   !PyUnicode_CompareWithASCIIString(name, "num_stages");
    p->is_constexpr = is_constexpr, p->specializes = specializes, p->aligns = aligns;
    strcpy(p->type, type);
    return true;
}

static void forget_kernels(Launcher *self) {
    while (self->num_kernels) Py_DECREF((PyObject *)self->kernels[--self->num_kernels]);
}

static void launcher_clear(Launcher *self) {
    for (int i = 0; i < self->num_parameters; i++) {
        Py_XDECREF(self->parameters[i].name);
        Py_XDECREF(self->parameters[i].fallback);
    }
    forget_kernels(self);
    PyMem_Free(self->parameters);
    PyMem_Free(self->kernels);
    Py_CLEAR(self->name);
    Py_CLEAR(self->watched);
    Py_CLEAR(self->with_grid);
    Py_XDECREF((PyObject *)self->context);
    self->context = NULL, self->parameters = NULL, self->kernels = NULL;
    self->num_parameters = self->capacity = 0;
}

static int launcher_init(PyObject *object, PyObject *args, PyObject *keywords) {
    Launcher *self = (Launcher *)object;
    PyObject *context, *name, *rows;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "OUO!:Launcher", &context, &name, &PyList_Type, &rows)) return -1;
    Py_ssize_t count = PyList_Size(rows);
    if (!is_context(context) || count > MAX_PARAMETERS) {
        PyErr_SetString(PyExc_TypeError, is_context(context) ? "a kernel of over 256 parameters"
                                                             : "expected a Context");
        return -1;
    }
    launcher_clear(self);
    self->context = (Context *)Py_NewRef(context);
    self->name = Py_NewRef(name);
    self->parameters = PyMem_Calloc((size_t)count + 1, sizeof *self->parameters);
    if (!self->parameters) return PyErr_NoMemory(), -1;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!parameter_read(&self->parameters[i], PyList_GetItem(rows, i))) return -1;
        self->num_parameters++;
    }
    return 0;
}

static int launcher_traverse(PyObject *object, visitproc visit, void *arg) {
    Launcher *self = (Launcher *)object;
    Py_VISIT(Py_TYPE(object));
    for (int i = 0; i < self->num_kernels; i++) Py_VISIT((PyObject *)self->kernels[i]);
    Py_VISIT(self->watched);
    Py_VISIT(self->with_grid);
    return 0;
}

static int launcher_forget(PyObject *object) {
    forget_kernels((Launcher *)object);
    Py_CLEAR(((Launcher *)object)->watched);
    Py_CLEAR(((Launcher *)object)->with_grid);
    return 0;
}

static void launcher_dealloc(PyObject *object) {
    PyObject_GC_UnTrack(object);
    launcher_clear((Launcher *)object);
    native_free(object);
}

/* ---- binding ---- */

static int parameter_index(const Launcher *self, PyObject *name) {
    for (int i = 0; i < self->num_parameters; i++)
        if (self->parameters[i].name == name) return i;
    for (int i = 0; i < self->num_parameters; i++) /* a name that is not interned */
        if (PyUnicode_Compare(self->parameters[i].name, name) == 0) return i;
    return -1;
}

static bool stream_take(Launch *launch, void *handle) {
    Context *context = launch->context;
    if (!context->stream || context->handle != handle) {
        tern_stream *stream = tern_stream_wrap(context->context, handle);
        if (!stream) return native_fail(context) != NULL;
        tern_stream_free(context->stream);
        context->stream = stream, context->handle = handle;
    }
    launch->stream = context->stream;
    return true;
}

static bool stream_option(Launch *launch, PyObject *value) {
    Context *context = launch->context;
    if (value == Py_None) return true;
    PyObject *number = PyObject_GetAttrString(value, "cuda_stream");
    if (!number) PyErr_Clear();
    void *handle = PyLong_AsVoidPtr(number ? number : value);
    Py_XDECREF(number);
    if (PyErr_Occurred()) return false;
    if (context->on_host) {
        PyErr_Format(PyExc_TypeError, "stream: there are none on %s",
                     tern_device_name(context->context));
        return false;
    }
    return stream_take(launch, handle);
}

/* Keywords that choose another kernel, or where it runs. False, without an exception: none such. */
static bool option_set(Launch *launch, PyObject *name, PyObject *value) {
    static const char *const names[NUM_OPTIONS] = {[OPTION_WARPS] = "num_warps",
                                                   [OPTION_STAGES] = "num_stages",
                                                   [OPTION_DEBUG] = "debug",
                                                   [OPTION_PRECISE] = "enable_fp_fusion"};
    if (!PyUnicode_CompareWithASCIIString(name, "stream")) return stream_option(launch, value);
    for (int i = 0; i < NUM_OPTIONS; i++) {
        if (PyUnicode_CompareWithASCIIString(name, names[i])) continue;
        bool is_flag = i == OPTION_DEBUG || i == OPTION_PRECISE;
        long number = value == Py_None ? 0
                      : is_flag        ? PyObject_IsTrue(value)
                                       : PyLong_AsLong(value);
        if (i == OPTION_PRECISE && value != Py_None && number >= 0) number = !number;
        if (number < 0 || number > INT32_MAX) {
            if (!PyErr_Occurred())
                PyErr_Format(PyExc_ValueError, "%U is %ld: expected 0 or more", name, number);
            return false;
        }
        launch->options[i] = (int)number;
        return true;
    }
    return false;
}

static bool keyword_bind(Launcher *self, Launch *launch, PyObject *name, PyObject *value,
                         PyObject **bound) {
    int i = parameter_index(self, name);
    if (i >= 0 && bound[i]) {
        PyErr_Format(PyExc_TypeError, "%U() got multiple values for argument '%U'", self->name,
                     name);
        return false;
    }
    if (i >= 0) bound[i] = value;
    if (i >= 0 && !self->parameters[i].is_option) return true;
    if (option_set(launch, name, value)) return true;
    if (PyErr_Occurred()) return false;
    PyObject *taken = PyObject_CallMethod((PyObject *)self, "option", "OO", name, value);
    Py_XDECREF(taken);
    return taken != NULL;
}

static PyObject *bound_dict(const Launcher *self, PyObject *const *bound) {
    PyObject *dict = PyDict_New();
    for (int i = 0; dict && i < self->num_parameters; i++)
        if (bound[i] && PyDict_SetItem(dict, self->parameters[i].name, bound[i])) Py_CLEAR(dict);
    return dict;
}

/* Asks Python for what is missing: heuristics, a config; or it raises. */
static bool complete(Launcher *self, Launch *launch, PyObject **bound) {
    PyObject *dict = bound_dict(self, bound);
    PyObject *more = dict ? PyObject_CallMethod((PyObject *)self, "complete", "O", dict) : NULL;
    Py_XDECREF(dict);
    if (!more || !launch_hold(launch, more)) return false;
    for (int i = 0; i < self->num_parameters; i++) {
        if (bound[i]) continue;
        bound[i] = PyDict_GetItemWithError(more, self->parameters[i].name);
        if (!bound[i]) {
            PyErr_Format(PyExc_TypeError, "%U() missing argument '%U'", self->name,
                         self->parameters[i].name);
            return false;
        }
    }
    return true;
}

static bool bind(Launcher *self, Launch *launch, PyObject *const *args, Py_ssize_t count,
                 PyObject *keywords, PyObject **bound) {
    if (count > self->num_parameters) {
        PyErr_Format(PyExc_TypeError, "%U() takes %d arguments but %zd were given", self->name,
                     self->num_parameters, count);
        return false;
    }
    for (int i = 0; i < self->num_parameters; i++) bound[i] = i < count ? args[i] : NULL;
    Py_ssize_t named = keywords ? PyTuple_Size(keywords) : 0;
    for (Py_ssize_t i = 0; i < named; i++)
        if (!keyword_bind(self, launch, PyTuple_GetItem(keywords, i), args[count + i], bound))
            return false;
    bool is_whole = true;
    for (int i = 0; i < self->num_parameters; i++) {
        if (!bound[i]) bound[i] = self->parameters[i].fallback;
        is_whole = is_whole && bound[i];
    }
    return is_whole || complete(self, launch, bound);
}

/* ---- the kernel ---- */

/* A global that has another value now than when the kernels were compiled makes them anew. */
static bool look_at_globals(Launcher *self) {
    Py_ssize_t count = self->watched ? PyList_Size(self->watched) : 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *row = PyList_GetItem(self->watched, i), *value = PyTuple_GetItem(row, 2);
        PyObject *now = PyDict_GetItemWithError(PyTuple_GetItem(row, 0), PyTuple_GetItem(row, 1));
        if (now == value) continue;
        if (PyErr_Occurred()) return false;
        int same = 0;
        if (now && Py_IS_TYPE(now, Py_TYPE(value)))
            same = PyObject_RichCompareBool(now, value, Py_EQ);
        if (same < 0) return false;
        if (same) continue;
        forget_kernels(self);
        Py_CLEAR(self->watched);
        return true;
    }
    return true;
}

static bool is_for(const Kernel *kernel, const Launch *launch) {
    return !strcmp(kernel->signature, launch->signature) &&
           !memcmp(kernel->options, launch->options, sizeof launch->options);
}

static bool kernel_compile(Launcher *self, Launch *launch, PyObject *const *bound) {
    const int *options = launch->options;
    PyObject *dict = bound_dict(self, bound);
    PyObject *made =
        dict ? PyObject_CallMethod((PyObject *)self, "compile", "siiiiO", launch->signature,
                                   options[OPTION_WARPS], options[OPTION_STAGES],
                                   options[OPTION_DEBUG], options[OPTION_PRECISE], dict)
             : NULL;
    Py_XDECREF(dict);
    if (!made) return false;
    if (!Py_IS_TYPE(made, self->context->state->kernel_type)) {
        Py_DECREF(made);
        PyErr_SetString(PyExc_TypeError, "compile() gave no Kernel");
        return false;
    }
    if (self->num_kernels == self->capacity) {
        int capacity = self->capacity ? 2 * self->capacity : 4;
        Kernel **grown = PyMem_Realloc(self->kernels, (size_t)capacity * sizeof(Kernel *));
        if (!grown) {
            Py_DECREF(made);
            return PyErr_NoMemory() != NULL;
        }
        self->kernels = grown, self->capacity = capacity;
    }
    memcpy(((Kernel *)made)->options, options, sizeof launch->options);
    self->kernels[self->num_kernels++] = (Kernel *)made;
    return true;
}

static bool kernel_find(Launcher *self, Launch *launch, PyObject *const *bound) {
    int at = 0;
    if (!look_at_globals(self)) return false;
    while (at < self->num_kernels && !is_for(self->kernels[at], launch)) at++;
    if (at == self->num_kernels && !kernel_compile(self, launch, bound)) return false;
    launch->kernel = (Kernel *)Py_NewRef((PyObject *)self->kernels[at]);
    if (at) {
        memmove(self->kernels + 1, self->kernels, (size_t)at * sizeof *self->kernels);
        self->kernels[0] = launch->kernel;
    }
    return true;
}

/* ---- the grid ---- */

static bool grid_number(PyObject *item, uint32_t *number) {
    PyObject *index = item ? PyNumber_Index(item) : NULL;
    long long value = index ? PyLong_AsLongLong(index) : -1;
    Py_XDECREF(index);
    if (value == -1 && PyErr_Occurred()) return false;
    if (value < 0 || value > UINT32_MAX) {
        PyErr_Format(PyExc_ValueError, "grid: %lld programs along a dimension", value);
        return false;
    }
    *number = (uint32_t)value;
    return true;
}

/* Triton leaves what stands behind the third number out; here that must be 1. */
static bool grid_read(PyObject *grid, uint32_t numbers[3]) {
    numbers[0] = numbers[1] = numbers[2] = 1;
    if (PyIndex_Check(grid)) return grid_number(grid, &numbers[0]);
    Py_ssize_t count = PySequence_Check(grid) ? PySequence_Size(grid) : -1;
    if (count < 1) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_TypeError, "grid: expected an int or 1 to 3 of them, saw %R", grid);
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PySequence_GetItem(grid, i);
        uint32_t number = 1;
        bool done = grid_number(item, i < 3 ? &numbers[i] : &number);
        Py_XDECREF(item);
        if (done && number != 1)
            PyErr_Format(PyExc_TypeError, "grid: %R has programs along a fourth dimension", grid);
        if (!done || number != 1) return false;
    }
    return true;
}

static bool grid_set(Launcher *self, Launch *launch, PyObject *grid, PyObject *const *bound) {
    if (!PyCallable_Check(grid)) return grid_read(grid, launch->grid);
    PyObject *dict = bound_dict(self, bound);
    PyObject *made = dict ? PyObject_CallFunctionObjArgs(grid, dict, NULL) : NULL;
    bool done = made && grid_read(made, launch->grid);
    Py_XDECREF(made);
    Py_XDECREF(dict);
    return done;
}

/* ---- a launch ---- */

static bool stream_set(Launch *launch) {
    Context *context = launch->context;
    if (context->on_host || launch->stream) return true;
    const Exchange *torch = context->stream_of ? context->state->torch : NULL;
    void *current;
    if (torch && torch->stream_of && !torch->stream_of(DL_CUDA, (int32_t)context->index, &current))
        return stream_take(launch, current);
    PyErr_Clear();
    PyObject *handle = context->stream_of
                           ? PyObject_CallFunction(context->stream_of, "l", context->index)
                           : PyLong_FromLong(0);
    bool done = handle && stream_option(launch, handle);
    Py_XDECREF(handle);
    return done;
}

/* All but the launch itself. grid NULL: it is only compiled. */
static bool launch_make(Launcher *self, Launch *launch, PyObject *grid, PyObject *const *args,
                        Py_ssize_t count, PyObject *keywords) {
    PyObject *bound[MAX_PARAMETERS];
    launch->context = self->context, launch->kernel = NULL, launch->stream = NULL;
    launch->num_values = launch->length = 0;
    launch->num_views = launch->num_objects = launch->num_buffers = 0;
    launch->signature[0] = 0;
    memset(launch->options, 0, sizeof launch->options);
    if (!self->context) {
        PyErr_SetString(PyExc_TypeError, "a Launcher that was not made");
        return false;
    }
    launch->naming = self->name;
    if (!bind(self, launch, args, count, keywords, bound) || !stream_set(launch)) return false;
    for (int i = 0; i < self->num_parameters; i++) {
        launch->naming = self->parameters[i].name;
        if (i && launch->length + 1 < MAX_SIGNATURE) {
            launch->signature[launch->length++] = ',';
            launch->signature[launch->length] = 0;
        }
        if (!launch_add(launch, self, &self->parameters[i], bound[i])) return false;
    }
    return kernel_find(self, launch, bound) && (!grid || grid_set(self, launch, grid, bound));
}

static bool launch_run(Launch *launch) {
    tern_status status = tern_launch(launch->stream, launch->kernel->kernel, launch->grid,
                                     launch->values, launch->num_values);
    if (status) native_fail(launch->context);
    return !status && !PyErr_CheckSignals();
}

static PyObject *launched(Launcher *self, PyObject *grid, PyObject *const *args, Py_ssize_t count,
                          PyObject *keywords) {
    Launch launch;
    bool done =
        launch_make(self, &launch, grid, args, count, keywords) && (!grid || launch_run(&launch));
    launch_release(&launch);
    if (!done) Py_CLEAR(launch.kernel);
    return (PyObject *)launch.kernel;
}

/* launch(grid, *args, **keywords); grid None: it is only compiled. */
static PyObject *launcher_launch(PyObject *object, PyObject *const *args, Py_ssize_t count,
                                 PyObject *keywords) {
    if (count < 1) return PyErr_Format(PyExc_TypeError, "launch() takes a grid");
    return launched((Launcher *)object, args[0] == Py_None ? NULL : args[0], args + 1, count - 1,
                    keywords);
}

/* self is (launcher, grid). */
static PyObject *bound_launch(PyObject *self, PyObject *const *args, Py_ssize_t count,
                              PyObject *keywords) {
    return launched((Launcher *)PyTuple_GetItem(self, 0), PyTuple_GetItem(self, 1), args, count,
                    keywords);
}

static PyMethodDef bound_method = {"launch", (PyCFunction)(void (*)(void))bound_launch,
                                   METH_FASTCALL | METH_KEYWORDS, "Launches with this grid."};

/* A tuple of numbers is the same in the next call, more often than not; another grid may be a
 * function that holds on to tensors. */
static bool is_plain(PyObject *grid) {
    Py_ssize_t count = PyTuple_CheckExact(grid) ? PyTuple_Size(grid) : 0;
    for (Py_ssize_t i = 0; i < count; i++)
        if (!PyLong_CheckExact(PyTuple_GetItem(grid, i))) return false;
    return count > 0;
}

static PyObject *launcher_subscript(PyObject *object, PyObject *grid) {
    Launcher *self = (Launcher *)object;
    if (self->with_grid && self->grid == grid) return Py_NewRef(self->with_grid);
    PyObject *pair = PyTuple_Pack(2, object, grid);
    PyObject *function = pair ? PyCFunction_New(&bound_method, pair) : NULL;
    Py_XDECREF(pair);
    if (!function || !is_plain(grid)) return function;
    Py_XDECREF(self->with_grid);
    self->with_grid = Py_NewRef(function), self->grid = grid; /* which the function holds */
    return function;
}

/* ---- a launch that is kept ---- */

typedef struct Call {
    PyObject_HEAD Launch *launch;
    PyObject *arguments; /* what they were made from */
} Call;

static PyObject *launcher_prepare(PyObject *object, PyObject *const *args, Py_ssize_t count,
                                  PyObject *keywords) {
    Launcher *self = (Launcher *)object;
    if (count < 1) return PyErr_Format(PyExc_TypeError, "prepare() takes a grid");
    Call *call = native_new(self->context->state->call_type);
    if (!call) return NULL;
    call->launch = PyMem_Calloc(1, sizeof *call->launch);
    Py_ssize_t all = count + (keywords ? PyTuple_Size(keywords) : 0);
    call->arguments = call->launch ? PyTuple_New(all) : PyErr_NoMemory();
    for (Py_ssize_t i = 0; call->arguments && i < all; i++)
        PyTuple_SetItem(call->arguments, i, Py_NewRef(args[i]));
    bool done =
        call->arguments && launch_make(self, call->launch, args[0], args + 1, count - 1, keywords);
    if (call->launch) call->launch->context = (Context *)Py_NewRef((PyObject *)self->context);
    if (done) return (PyObject *)call;
    Py_DECREF((PyObject *)call);
    return NULL;
}

static void call_dealloc(PyObject *object) {
    Call *self = (Call *)object;
    if (self->launch) {
        launch_release(self->launch);
        Py_XDECREF((PyObject *)self->launch->kernel);
        Py_DECREF((PyObject *)self->launch->context);
        PyMem_Free(self->launch);
    }
    Py_XDECREF(self->arguments);
    native_free(object);
}

static PyObject *call_launch(PyObject *object, PyObject *unused) {
    Launch *launch = ((Call *)object)->launch;
    (void)unused;
    return launch_run(launch) ? Py_NewRef(Py_None) : NULL;
}

static tern_status call_again(void *user, tern_stream *stream) {
    const Launch *launch = user;
    return tern_launch(stream, launch->kernel->kernel, launch->grid, launch->values,
                       launch->num_values);
}

static PyObject *trust_words(unsigned trust) {
    PyObject *list = PyList_New(0);
    for (int bit = 0; list && bit < 32; bit++) {
        if (!(trust >> bit & 1)) continue;
        const char *text = tern_trust_words(1u << bit);
        PyObject *words = PyUnicode_FromString(text ? text : "");
        if (!words || PyList_Append(list, words)) Py_CLEAR(list);
        Py_XDECREF(words);
    }
    return list;
}

static PyObject *samples_list(const tern_timing *timing) {
    PyObject *list = PyList_New((Py_ssize_t)timing->num_samples);
    for (size_t i = 0; list && i < timing->num_samples; i++) {
        PyObject *one = PyFloat_FromDouble(timing->samples[i]);
        if (!one || PyList_SetItem(list, (Py_ssize_t)i, one)) Py_CLEAR(list);
    }
    return list;
}

static PyObject *call_bench(PyObject *object, PyObject *args, PyObject *keywords) {
    static char *names[] = {"hot", "min_time_ms", "max_time_ms", "warmups", "max_samples", NULL};
    Launch *launch = ((Call *)object)->launch;
    Context *context = launch->context;
    tern_bench_options options = {.size = sizeof options};
    int hot = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|$pddii:bench", names, &hot,
                                     &options.min_time_ms, &options.max_time_ms, &options.warmups,
                                     &options.max_samples))
        return NULL;
    options.hot = hot;
    tern_timing timing;
    if (tern_bench(context->context, call_again, launch, &options, &timing))
        return native_fail(context);
    PyObject *samples = samples_list(&timing), *trust = trust_words(timing.trust);
    PyObject *made =
        samples && trust
            ? Py_BuildValue("{s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:O,s:O}", "median_ms",
                            timing.median, "mean_ms", timing.mean, "min_ms", timing.min, "max_ms",
                            timing.max, "q20_ms", timing.q20, "q80_ms", timing.q80, "noise",
                            timing.noise, "host_ms", timing.host_ms, "clock_mhz", timing.clock_mhz,
                            "trust", trust, "samples_ms", samples)
            : NULL;
    Py_XDECREF(samples);
    Py_XDECREF(trust);
    tern_timing_free(&timing);
    return made;
}

/* Bytes that must pass through memory, and operations; None where a count rests on loaded data. */
static PyObject *call_work(PyObject *object, PyObject *unused) {
    Launch *launch = ((Call *)object)->launch;
    tern_work work;
    (void)unused;
    tern_status status = tern_kernel_work(launch->kernel->kernel, launch->grid, launch->values,
                                          launch->num_values, &work);
    if (status == TERN_ERROR_UNSUPPORTED) Py_RETURN_NONE;
    if (status) return native_fail(launch->context);
    return Py_BuildValue("{s:K,s:K,s:K,s:K,s:O}", "bytes", (unsigned long long)work.bytes,
                         "bytes_loaded", (unsigned long long)work.bytes_loaded, "bytes_stored",
                         (unsigned long long)work.bytes_stored, "flops",
                         (unsigned long long)work.flops, "exact",
                         work.bytes_exact && work.flops_exact ? Py_True : Py_False);
}

static PyObject *call_findings(PyObject *object, PyObject *unused) {
    Launch *launch = ((Call *)object)->launch;
    (void)unused;
    int count;
    const tern_finding *findings = tern_kernel_findings(launch->kernel->kernel, &count);
    PyObject *list = PyList_New(count);
    for (int i = 0; list && i < count; i++) {
        const tern_finding *f = &findings[i];
        const char *name = tern_finding_name(f->kind);
        PyObject *one = Py_BuildValue(
            "{s:s,s:O,s:z,s:i,s:i,s:s,s:s,s:s,s:K}", "kind", name ? name : "", "advice",
            f->kind >= TERN_FOUND_INFINITY ? Py_True : Py_False, "file", f->file, "line", f->line,
            "column", f->column, "words", f->words, "where", f->where, "cure",
            tern_finding_cure(f->kind), "count", (unsigned long long)f->count);
        if (!one || PyList_SetItem(list, i, one)) Py_CLEAR(list);
    }
    return list;
}

static PyObject *call_kernel(PyObject *object, void *unused) {
    (void)unused;
    return Py_NewRef((PyObject *)((Call *)object)->launch->kernel);
}

/* ---- types ---- */

static PyMethodDef call_methods[] = {
    {"launch", call_launch, METH_NOARGS, "Launches it once more."},
    {"bench", (PyCFunction)(void (*)(void))call_bench, METH_VARARGS | METH_KEYWORDS,
     "How long it takes: tern_bench, as a dict."},
    {"work", call_work, METH_NOARGS, "What it asks for: tern_kernel_work, as a dict."},
    {"findings", call_findings, METH_NOARGS, "tern_kernel_findings, as a list of dicts."},
    {0},
};
static PyGetSetDef call_values[] = {{"kernel", call_kernel, NULL, "What it launches.", NULL}, {0}};
static PyType_Slot call_slots[] = {
    {Py_tp_dealloc, call_dealloc},
    {Py_tp_methods, call_methods},
    {Py_tp_getset, call_values},
    {Py_tp_doc, "A launch that is kept."},
    {0},
};
PyType_Spec call_spec = {"tern._tern.Call", sizeof(Call), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, call_slots};

/* watch([(dict, name, value), ..]): kernels are compiled anew when one of them is another. */
static PyObject *launcher_watch(PyObject *object, PyObject *rows) {
    Launcher *self = (Launcher *)object;
    Py_ssize_t count = PyList_Check(rows) ? PyList_Size(rows) : -1;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *row = PyList_GetItem(rows, i);
        if (PyTuple_Check(row) && PyTuple_Size(row) == 3 && PyDict_Check(PyTuple_GetItem(row, 0)))
            continue;
        count = -1;
    }
    if (count < 0)
        return PyErr_Format(PyExc_TypeError, "watch() takes a list of (dict, name, value)");
    Py_XDECREF(self->watched);
    self->watched = Py_NewRef(rows);
    Py_RETURN_NONE;
}

static PyMethodDef launcher_methods[] = {
    {"launch", (PyCFunction)(void (*)(void))launcher_launch, METH_FASTCALL | METH_KEYWORDS,
     "launch(grid, *args, **keywords); grid None: it is only compiled."},
    {"prepare", (PyCFunction)(void (*)(void))launcher_prepare, METH_FASTCALL | METH_KEYWORDS,
     "A Call from what launch takes."},
    {"watch", launcher_watch, METH_O, "Globals that the kernels rest on: [(dict, name, value)]."},
    {0},
};
static PyType_Slot launcher_slots[] = {
    {Py_tp_new, PyType_GenericNew},
    {Py_tp_init, launcher_init},
    {Py_tp_dealloc, launcher_dealloc},
    {Py_tp_traverse, launcher_traverse},
    {Py_tp_clear, launcher_forget},
    {Py_tp_methods, launcher_methods},
    {Py_mp_subscript, launcher_subscript},
    {Py_tp_doc,
     "kernel[grid](*args, **keywords), over compile(), complete(), option(), literal()."},
    {0},
};
PyType_Spec launcher_spec = {"tern._tern.Launcher", sizeof(Launcher), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                             launcher_slots};
