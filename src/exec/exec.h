// SPDX-License-Identifier: Apache-2.0
/* exec: Python files that run from the top, with modules torch and triton of our own.
 *
 *     exec.c       tern_run_script: opens a script, gives it modules
 *     tensor.c     the type of torch.Tensor: attributes, operators, subscripts, methods
 *     size.c       torch.Size
 *     torch.c      functions of the module torch
 *     making.c     those that make tensors
 *     largest.c    the largest and least elements
 *     more.c       more of torch, in its own ways of writing arguments
 *     grad.c       gradients, torch.autograd.Function, steps of optimisers
 *     random.c     the generator of torch on the CPU
 *     pcg.c        that of numpy.random.default_rng
 *     triton.c     the module triton: cdiv, testing, the runtime's devices
 *     perf.c       triton.testing.perf_report
 *     profile.c    events, ranges, torch.profiler
 *     extension.c  load_inline
 *     files.c      reading and writing where that is allowed
 *     library.c    modules that are Python text of ours, lib/; where a script may write
 *     compile.c    torch.compile
 *     descriptor.c TensorDescriptor
 *     jit.c        functions with @triton.jit, and their launches
 *     autotuner.py @triton.autotune and @triton.heuristics; autotune.c what these ask of C
 *
 * It stands on lang's evaluator, tern.h and tern_tensor.h. */
#ifndef TERN_EXEC_EXEC_H
#define TERN_EXEC_EXEC_H

#include "lang/script.h"
#include "tern.h"
#include "tern_exec.h"
#include "tern_tensor.h"

typedef struct Random { /* MT19937, as torch has it */
    uint32_t state[624];
    int next;
    bool is_seeded, has_normal;
    double normal;
} Random;

typedef struct KernelFile {
    const Module *of;
    tern_module *module;
} KernelFile;

typedef struct FuseWanted { /* of tern_fuse_script */
    const char *function;
    const tern_exec_value *values;
    int num_values;
    tern_fused_text_kind kind;
    char *text;
} FuseWanted;

typedef struct Exec {
    tern_session *session;
    tern_context *context;
    VEC(KernelFile) files; /* that kernels were launched of */
    const char *path;
    Arena *arena;
    tern_output *output, *errors;
    void *output_user;
    const char *const *write_dirs, *const *read_dirs;
    int num_write_dirs, num_read_dirs, most_points;
    double most_x;          /* of a sweep, as part of its largest; 0: all of it */
    bool has_stack;         /* profiles from outside know the script's functions */
    bool has_said_whose;    /* the times of tables are */
    bool has_said_where;    /* tensors on the CPU are */
    const char *text;       /* of the file, when it is none; or NULL */
    bool is_config_refused; /* the launch that raised last asks for too much, or static_assert */
    Object *launch_hook;    /* (name, metadata, grid, arguments) -> what is called after; or NULL */
    Random random;
    struct State *states; /* of functions that are compiled */
    struct Entry *retired;
    uint32_t num_traces;
    bool is_out_of_memory; /* a trace was */
    Object *size_class;    /* torch.Size; NULL: torch was not imported */
    FuseWanted wanted;
} Exec;

static inline Exec *exec_of(const Host *host) { return host->script->user; }

/* ---- tensor.c ---- */
extern const HostType tensor_type, device_type;
Object *tensor_wrap(Host *host, tern_tensor *tensor, bool is_cuda); /* takes the reference */
bool is_tensor_object(const Object *object);
static inline tern_tensor *tensor_of(const Object *object) { return object->payload; }
/* False: raised. */
bool want_tensor(Host *host, const Object *object, const char *what);
bool operand_of(Host *host, const Object *object, tern_operand *operand);
/* What an element is of a number, or of one in torch.tensor([..]). False: raised, in PyTorch's
 * words, where the type has no room for it. */
bool element_of(Host *host, const Object *number, tern_dtype dtype, bool is_listed,
                unsigned char *element);
/* The dimensions from the widest, as PyTorch sorts those of what is made like a tensor. False: they
 * are in rows. (making.c) */
bool memory_order(tern_tensor *like, int *order);
/* NULL: raised, or failed. */
tern_tensor *full_of(Host *host, const Object *number, tern_dtype dtype, int rank,
                     const int64_t *sizes);
bool sizes_of(Host *host, Object *object, int *rank, int64_t *sizes);
bool torch_dtype_of(Host *host, const Object *object, tern_dtype *dtype);
Object *dtype_object(Host *host, tern_dtype dtype);
Object *device_object(Host *host, bool is_cuda);
bool device_of(Host *host, const Object *object, bool *is_cuda);
Object *tensor_failed(Host *host); /* raises what the library says */
Object *size_object(Host *host, tern_tensor *tensor);
Object *run_print_options(Host *host, Object *const *args, const HostCall *call);

/* ---- size.c ---- */
Object *size_class(Host *host);             /* a new one, the script's */
Object *as_size(Host *host, Object *tuple); /* made a torch.Size */

/* ---- torch.c ---- */
Object *torch_open(Host *host, Str path); /* NULL: no such module of ours */
/* A method of tensors that is a function of torch, too; NULL: none. */
Object *torch_method(Host *host, Object *tensor, Str name);
Object *tensor_make(Host *host, const HostCall *call); /* torch.Tensor(..) */

/* ---- compile.c ---- */
Object *run_compile(Host *host, Object *const *args, const HostCall *call);
Object *compile_whole(Host *host, Object *function); /* with fullgraph=True */
/* NULL: it was not traced. tern_free. */
char *compiled_text(const Object *compiled, tern_fused_text_kind kind);
void compile_close(Exec *exec);

void add_torch(Host *host, Object *module);  /* its functions that are in C */
void add_making(Host *host, Object *module); /* making.c */

/* ---- grad.c ---- */
Object *grad_attribute(Host *host, Object *self, Str name); /* NULL: none of these */
bool grad_set_attribute(Host *host, Object *self, Str name, Object *value);
Object *run_backward(Host *host, Object *const *args, const HostCall *call);
Object *grad_open(Host *host, Str path); /* NULL: no such module of ours */

/* ---- torch.c, largest.c: natives ---- */

Object *torch_binary(Host *host, Object *const *args, const HostCall *call);
Object *torch_extreme(Host *host, Object *const *args, const HostCall *call);
Object *torch_arg(Host *host, Object *const *args, const HostCall *call);

/* ---- more.c ---- */
Object *more_open(Host *host, Str path); /* NULL: no such module of ours */
const Native *more_method(Str name);     /* of a tensor; NULL: none */
void add_more(Host *host, Object *module);

/* ---- random.c ---- */
void torch_seed(Random *random, uint64_t seed);
double torch_uniform(Random *random);      /* 53 bits */
float torch_uniform_float(Random *random); /* 24 bits */
uint64_t torch_below(Random *random, uint64_t bound);
void torch_fill_normal(Random *random, float *to, int64_t count);
void torch_fill_normal_double(Random *random, double *to, int64_t count);
typedef void NumpyFill(void *generator, int what, uint64_t most, int64_t count, void *data);
/* generator (of this type), count, most?: a tensor of one dimension; at most 8 bytes a number */
Object *numpy_drawn(Host *host, Object *const *args, const HostType *type, NumpyFill *fill,
                    int what, tern_dtype dtype);
Object *numpy_random_open(Host *host); /* _numpy_random: what numpy.random is made of */

/* ---- pcg.c ---- */
Object *numpy_pcg_open(Host *host); /* _numpy_pcg: what default_rng is made of */

/* ---- triton.c, jit.c ---- */
Object *triton_open(Host *host, Str path);
void add_perf_report(Host *host, Object *module); /* perf.c */
Object *jit_decorator(Host *host, Object *const *args, const HostCall *call);
Object *run_launch_hook(Host *host, Object *const *args, const HostCall *call);
/* tern_tuned_key for these arguments, not all of which need be there; NULL: raised. tern_free. */
char *jit_tuned_key(Host *host, const Object *jit, const HostCall *call);

/* ---- descriptor.c ---- */
bool is_instance_of(const Object *object, const char *module, const char *name);
bool is_descriptor_object(const Object *object);
/* False: raised. Whether it is in order tern_descriptor_error says. */
bool descriptor_of(Host *host, Object *self, tern_descriptor *descriptor);

/* ---- profile.c, extension.c ---- */
Object *profile_open(Host *host, Str path); /* NULL: no such module of ours */
Object *run_event(Host *host, Object *const *args, const HostCall *call);
Object *extension_open(Host *host);

/* ---- library.c ---- */
Object *library_open(Host *host, Str path); /* NULL: no such module of ours */
/* The module that a file of ours is, with all its names but those with '_' before. */
Object *module_of_text(Host *host, const char *name, const char *file, const char *start,
                       const char *end);
bool path_is_below(const char *path, const char *const *folders, int num_folders);
/* NULL, and refused, where --allow-write does not say that the script may write there. */
const char *file_to_write(Host *host, Str path);

/* ---- files.c ---- */
Object *files_open(Host *host, Str path); /* NULL: no such module of ours */

/* ---- autotune.c ---- */
Object *autotune_open(Host *host, Str path); /* NULL: no such module of ours */

#endif
