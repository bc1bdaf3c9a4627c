// SPDX-License-Identifier: Apache-2.0
/* context: what stands behind the handles of tern.h. A context keeps a list of all that was made
 * through it, so that closing it leaves nothing. */
#ifndef TERN_CONTEXT_H
#define TERN_CONTEXT_H

#include "compile/compile.h"
#include "compile/nvrtc.h"
#include "device/device.h"
#include "prof/outside.h"

/* What begins each thing that a context owns. */
typedef struct Handle Handle;
struct Handle {
    tern_context *context;
    Handle *previous, *next;
    void (*close)(Handle *own); /* frees it; it is out of the list then */
};

/* Where memory runs out inside a call, arenas unwind to the call's own setjmp on context->oom;
 * `pending` is then what the call had begun to build, to be freed. */
typedef struct Nvtx Nvtx;

struct tern_context {
    jmp_buf oom;
    Arena *pending;
    Arena *arena; /* the context's lifetime */
    Device device;
    Arena *words; /* of the last failure */
    const char *message;
    tern_status message_status;
    const char *place_file;
    int place_line, place_column;
    tern_output *output;
    void *output_user;
    tern_observer *observer; /* NULL: nobody watches */
    void *observer_user;
    tern_call range;  /* what is told of a range's beginning: its name alone differs */
    Nvtx *nvtx;       /* NULL: no tool asks for ranges */
    Outside *outside; /* NULL: nobody profiles the program from outside */
    char *kept;       /* output that nobody took yet */
    size_t kept_length;
    bool kept_dropped;
    Handle *handles;       /* all that was made through it, but buffers; newest first */
    tern_buffer **buffers; /* buffers[i] is ranges[i] of the device */
    DeviceRange *ranges;
    int num_buffers, buffers_capacity;
    LangOptions lang;
    const char *const *defines; /* of CUDA C */
    int num_defines;
    const char *asked_cache_dir, *cache_dir; /* of the options, or NULL; resolved, NULL: not yet */
};

typedef struct ModuleSymbol { /* a variable of CUDA C outside of functions */
    Str name;
    CuSymbol is;
    tern_buffer *buffer; /* NULL: nobody asked for it yet */
} ModuleSymbol;

struct tern_module {
    Handle own;
    int refs; /* the user's, and one for each kernel */
    Arena *arena;
    Module *module; /* NULL: of CUDA C */
    const CuModule *cuda;
    VEC(ModuleSymbol *) symbols; /* those that were asked for */
    struct Kept *kept;           /* of host functions that were called: host/kept.c */
    void (*kept_free)(struct Kept *kept, bool with_kernels);
    int num_functions;
    tern_function *functions;
    struct FunctionConfigs { /* of functions[i] */
        bool known;
        int count;
        tern_config *configs;
    } * configs;
};

/* A kernel's texts. Each is compiled when it is first asked for, but for the first of them. */
typedef enum KernelWay {
    WAY_OWN,
    WAY_FEW,          /* of no more programs than run at a time, where others walk */
    WAY_WITHOUT_MAPS, /* where the arguments allow no tensor maps, or are not as others ask */
    NUM_WAYS
} KernelWay;

typedef struct KernelText {
    CompiledKernel *compiled; /* NULL: not yet, or it is refused */
    void *loaded;             /* NULL: not yet */
    bool refused;
    const char *ir, *facts, *times;
} KernelText;

struct tern_kernel {
    Handle own;
    tern_module *module; /* NULL: made from IR text */
    const JitFunction *function;
    Arena *arena;
    CompiledKernel *compiled;
    bool runs; /* compiled for the device's target */
    /* How it was compiled, if it has tensor maps, or launches are asked; else NULL. */
    const CompileRequest *request;
    KernelText texts[NUM_WAYS]; /* the first is of `compiled` */
    KernelText *last;           /* what the newest launch took, at first the first */
    int record;                 /* accesses of a launch that are kept */
    const char *name, *ast, *remarks, *configs;
    const bool *written; /* of each parameter of the compiled kernel; NULL: not asked yet */
    int num_arguments;   /* of a launch; behind them are those that symbols give */
    ModuleSymbol **symbols;
    int num_parameters;
    tern_parameter *parameters;
    tern_finding *findings; /* the last that tern_kernel_findings gave; from malloc */
    uint64_t *values;       /* of the launch being made; args[i] = &values[i] .. */
    uint64_t *rooms;        /* where what its pointers point into begins and ends, if known */
    char *packed;           /* .. or a pack in here; NULL: there are none */
    void **args;
};

/* NULL: it cannot be compiled, or there is no such text; the context says why. */
KernelText *kernel_text(tern_kernel *kernel, KernelWay way);
/* The same, ready to be launched. */
KernelText *kernel_ready(tern_kernel *kernel, KernelWay way);

struct tern_buffer {
    tern_context *context;
    char *pointer;
    size_t size;
    int index; /* in context->buffers */
    bool is_wrapped;
};

struct tern_stream {
    Handle own;
    void *queue; /* the device's; NULL on devices that have one queue */
};

/* Sets the words of a failure and gives the status back. */
tern_status context_fail(tern_context *context, tern_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
tern_status context_fail_diag(tern_context *context, const Diag *diag);
tern_status context_fail_device(tern_context *context, tern_status status); /* device.why */
tern_status context_no_memory(tern_context *context); /* also frees what is pending */
void context_output(void *context, const char *text, size_t length);

/* An arena for what a call builds and forgets again, which goes also if memory runs out. */
Arena *context_begin(tern_context *context);
void context_end(tern_context *context);

/* What a call makes in an arena of its own, which goes if it makes nothing, or memory runs out. */
typedef void *Make(tern_context *context, Arena *arena, const void *request);
void *context_make(tern_context *context, Make *make, const void *request);

tern_status context_checked(tern_context *context, tern_status status); /* of the device's call */
tern_status context_lacks(tern_context *context, const char *what);     /* "device cpu has no .." */

void handle_add(Handle *own, tern_context *context, void (*close)(Handle *own));
/* Zeros of `size` bytes that begin with a Handle; NULL after context_no_memory. */
void *handle_new(tern_context *context, size_t size, void (*close)(Handle *own));
void handle_close(Handle *own);

/* ---- nvtx.c ---- */
Nvtx *nvtx_open(void); /* NULL: no tool, or no memory */
void nvtx_close(Nvtx *nvtx);
void nvtx_call(Nvtx *nvtx, const tern_call *call, bool begins);
void nvtx_stream(Nvtx *nvtx, void *handle); /* a CUstream of ours: "tern 1", "tern 2" .. */

/* ---- observe.c ---- */
static inline bool is_observed(const tern_context *context) {
    return context->observer || context->nvtx;
}
void observe_launch(const tern_kernel *kernel, tern_stream *stream, const uint32_t grid[3],
                    const tern_argument *arguments, int num_arguments, bool begins);
void observe(tern_context *context, tern_call_kind kind, const char *name, tern_stream *stream,
             size_t bytes, bool waits, bool begins);

void *stream_queue(const tern_stream *stream); /* the device's; of NULL: its own */
tern_status stream_check(const tern_stream *stream, tern_context *context); /* is it of this one? */
void gates_open(tern_context *context); /* all: nothing can be waited for behind one */

/* For tests: a kernel from IR text, through compile_ir. */
tern_kernel *kernel_from_ir(tern_context *context, const char *text, const tern_options *options);

/* NULL, with the reason in the context, when there is no such function. */
const JitFunction *module_jit_function(tern_module *module, const char *name, int *index);
/* Host code that asks for the device hears of this target; configs may be forgotten. */
void module_aim(tern_module *module, const char *target);
/* tuned.c: what is kept for a function and its arguments (tern_tuned_key); NULL: nothing. */
tern_status tuned_choice(tern_module *module, Arena *arena, const char *function,
                         const char *signature, const tern_value *known, int num_known,
                         const char **choice);
/* As tern_module_configs, inside a call that already catches lack of memory. */
int module_configs(tern_module *module, const char *function, const tern_config **configs);
void function_print(Buf *out, const FunctionDef *def); /* the syntax tree of one function */
/* ---- cuda.c: modules of CUDA C ---- */
bool cuda_is_name(const char *name);     /* ends with .cu or .cuh */
void cuda_describe(tern_module *module); /* its functions */
/* Of a template, with arguments: "reduce<float, 256>"; NULL: it is none. */
const tern_function *cuda_find(const tern_module *module, const char *name);
tern_kernel *cuda_kernel_compile(tern_module *module, Arena *arena, const char *function,
                                 const char *signature, const tern_options *options);
/* Gives a kernel that is loaded the memory of the symbols that it names; false after a failure. */
bool cuda_bind_symbols(tern_kernel *kernel);
void cuda_free_symbols(tern_module *module);
/* What such modules lack: says so in the context. */
tern_status cuda_lacks(const tern_module *module, const char *what);

/* ---- kernel.c ---- */
tern_kernel *kernel_new(tern_context *context, Arena *arena, const char *name);
/* Makes it callable; NULL after a failure, which the context has. specs NULL: no constants. */
tern_kernel *kernel_finish(tern_kernel *kernel, const Spec *specs, const tern_options *options,
                           const Diag *diag);
CompileRequest kernel_request(const Device *device, const tern_options *options);

tern_dtype dtype_of(ScalarKind type, bool is_unsigned);
void module_release(tern_module *module);
void buffer_free(tern_buffer *buffer);
/* The device's memory: free, and in all. */
tern_status context_memory(tern_context *context, size_t *free_bytes, size_t *total_bytes);
/* Are these bytes inside it? */
tern_status buffer_check(const tern_buffer *buffer, size_t offset, size_t bytes);
/* By the part of the name before ':'; *argument is what follows, or NULL. NULL: there is none. */
const DeviceOps *device_find(const char *name, const char **argument);

/* object.c: a text of C++ as a loaded object; NULL: `why` says why there is none. */
void *context_object(tern_context *context, Arena *arena, Str text, Str flags, Str *why);
/* A text by what it was made of, a TextCache of compile: user is the context. */
Str context_text(void *user, Arena *arena, Str made_of);
void context_keep_text(void *user, Arena *arena, Str made_of, Str text);

#endif
