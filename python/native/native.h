/* SPDX-License-Identifier: Apache-2.0 */
/* native: libtern as a Python extension of the limited API: handles as objects, and the way of a
 * launch from kernel[grid](..) to tern_launch.
 *
 * The signature that a call's arguments amount to, as text, is the key under which its kernel is
 * kept: what is compiled and what is looked up cannot differ. Python (tern/) decides the rest: where
 * sources come from, what constants of unusual types are called. */
#ifndef TERN_NATIVE_H
#define TERN_NATIVE_H

#define Py_LIMITED_API 0x030b0000 /* 3.11: the first with the buffer protocol */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "tern.h"

enum {
    MAX_PARAMETERS = 256,
    MAX_VALUES = 256, /* arguments of tern_launch; tuples and descriptors are several */
    MAX_SIGNATURE = 4096,
    MAX_HELD = 128, /* buffers, views and objects that a call holds on to, each */
    NUM_STATUSES = 8,
    NUM_EXCHANGING = 4, /* torch.Tensor, Parameter, and who comes by */
};

enum {
    OPTION_WARPS,
    OPTION_STAGES,
    OPTION_DEBUG,
    OPTION_PRECISE,
    NUM_OPTIONS
}; /* those that make another kernel */

/* DLPack 0.8, of which the layout is its ABI. */
typedef struct DLTensor {
    void *data;
    int32_t device_type, device_id;
    int32_t ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} DLTensor;
enum { DL_CPU = 1, DL_CUDA = 2, DL_CUDA_HOST = 3 };

/* DLPack 1.3: a type's functions for those that launch kernels at once, in C. */
typedef struct Exchange {
    uint32_t major, minor;
    struct Exchange *previous;
    void (*unused[3])(void);
    int (*describe)(void *object, DLTensor *tensor); /* -1: an exception is set; may be NULL */
    int (*stream_of)(int32_t device_type, int32_t device, void **stream); /* the current one's */
} Exchange;

/* A type of tensors, and what it has; exchange NULL: nothing. */
typedef struct Exchanging {
    PyObject *type;
    const Exchange *exchange;
} Exchanging;

/* Of the module; every object leads to it. */
typedef struct State {
    PyObject *errors[NUM_STATUSES]; /* by -tern_status; [0]: their base class */
    PyTypeObject *context_type, *module_type, *kernel_type, *call_type, *launcher_type;
    PyObject *kinds;  /* type -> how its values are taken: Kind */
    PyObject *dtypes; /* dtype object -> tern_dtype */
    Exchanging
        exchanging[NUM_EXCHANGING]; /* types of tensors seen, in the order in which they came */
    int next_exchanging;            /* the place of the next one, in turn */
    const Exchange *torch; /* torch's, once one of its tensors was on a GPU: it has streams then */
    PyObject *data_ptr, *dtype, *is_cpu, *is_cuda, *device, *type, *index, *base, *value;
    PyObject *cuda_array_interface, *dlpack, *dlpack_device, *item;
} State;

typedef struct Context {
    PyObject_HEAD State *state;
    PyObject *owner; /* the module, which keeps the state */
    tern_context *context;
    bool on_host, checks, copies; /* copies: launches work on copies of the arguments' memory */
    long index;                   /* of the cuda device */
    PyObject *stream_of;          /* cuda: a callable: device index -> the stream's handle */
    tern_stream *stream;          /* of the handle below */
    void *handle;
} Context;

typedef struct Module {
    PyObject_HEAD Context *context;
    tern_module *module;
} Module;

typedef struct Kernel {
    PyObject_HEAD Context *context;
    tern_kernel *kernel;
    char *signature; /* what it was compiled for */
    PyObject *more;  /* what Python adds: see tern/compiled.py */
    int options[NUM_OPTIONS];
} Kernel;

typedef struct Parameter {
    PyObject *name, *fallback; /* fallback NULL: there is no default */
    bool is_constexpr, specializes, aligns;
    bool is_option; /* num_warps, num_stages: who gives it by name chooses the kernel, too */
    char type[16];  /* its annotation as a type, "fp32"; "": none */
} Parameter;

typedef struct Held {
    void *base; /* of the memory that the buffer stands for */
    tern_buffer *buffer;
} Held;

/* One launch: what it is of, with what. On the stack while it is made; Call objects keep one. */
typedef struct Launch {
    Context *context;
    Kernel *kernel;
    PyObject *naming; /* the parameter that is looked at, for messages */
    tern_stream *stream;
    uint32_t grid[3];
    int options[NUM_OPTIONS];
    int num_values, length, num_views, num_objects, num_buffers;
    tern_argument values[MAX_VALUES];
    char signature[MAX_SIGNATURE];
    Py_buffer views[MAX_HELD];
    PyObject *objects[MAX_HELD];
    Held buffers[MAX_HELD];
} Launch;

typedef struct Launcher {
    PyObject_HEAD Context *context;
    PyObject *name;
    int num_parameters, num_kernels, capacity;
    Parameter *parameters;
    Kernel **kernels;  /* the one launched last comes first */
    PyObject *watched; /* a list of (dict, name, value): globals that the kernels were made with */
    PyObject *with_grid, *grid; /* what kernel[grid] gave last, and for which grid */
} Launcher;

/* native.c */
void *native_new(PyTypeObject *type);    /* an object of zeros */
void native_free(PyObject *self);        /* the last step of a tp_dealloc */
PyObject *native_fail(Context *context); /* raises the context's last failure; NULL */
PyObject *native_raise(State *state, tern_status status, const char *words);
void native_print(void *user, const char *text, size_t length);

/* handles.c */
extern PyType_Spec context_spec, module_spec, kernel_spec;
bool is_context(PyObject *object);
Kernel *kernel_from(Context *context, tern_kernel *kernel, const char *signature);

/* argument.c: one argument, onto the launch's values and signature. False: an exception is set.
 * parameter NULL: an item of a tuple, or no parameter says anything of it. */
bool launch_add(Launch *launch, Launcher *launcher, const Parameter *parameter, PyObject *value);
bool launch_text(Launch *launch, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool launch_hold(Launch *launch, PyObject *object); /* takes the reference; false: too many */
void launch_release(Launch *launch);

/* memory.c: the memory behind an object: its address and type; what is needed of it is held by the
 * launch. */
typedef enum Kind {
    KIND_OTHER = 1,
    KIND_TUPLE,
    KIND_TORCH, /* data_ptr() and dtype: also Triton's own stand-ins for tensors */
    KIND_CUDA_ARRAY,
    KIND_BUFFER,
    KIND_DLPACK,
    KIND_DESCRIPTOR,
    KIND_CONSTEXPR,
    KIND_INDEX, /* integers that are no int */
} Kind;
typedef struct Memory {
    void *pointer;
    tern_dtype dtype;
    void *base;     /* where its allocation begins, as far as that is known .. */
    size_t size;    /* .. and what it has */
    bool is_number; /* NumPy's scalars are buffers, too */
} Memory;
Kind kind_of(State *state, PyObject *value);
bool memory_of(Launch *launch, Kind kind, PyObject *value, Memory *memory);

/* launcher.c */
extern PyType_Spec launcher_spec, call_spec;

#endif
