/* SPDX-License-Identifier: Apache-2.0 */
/* tern: Triton kernels, called from C, checked on any laptop, measured honestly.
 *
 * This header is the manual of the library; tern_tensor.h, over it, has tensors. C11 and C++.
 *
 * One tern_context owns everything made through it: close it and all is gone. Functions that can
 * fail return a tern_status (0 is success, errors are negative) or NULL; tern_message(context) then
 * has the words, with file:line:column where the user's text is at fault. In option structs a zero
 * means the default: &(tern_options){.num_warps = 8}. Their first field is `size`: 0, or the sizeof
 * that the caller was compiled with (then a later library still reads only what was there).
 *
 * Threads: a context and what it owns may be used by one thread at a time; two contexts, by two
 * threads at once. They share no handle. What they do share: on cuda, the GPU's primary context (an
 * illegal access of a kernel of one makes that GPU unusable to the other, too); the cache on disk.
 * The library never prints, never exits, and leaves errno and the locale alone.
 * A handle that is an argument must not be NULL, except where it says so. */
#ifndef TERN_H
#define TERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TERN_API __attribute__((visibility("default")))
#else
#define TERN_API
#endif

#define TERN_VERSION "0.1.0"

typedef enum tern_status {
    TERN_OK = 0,
    TERN_ERROR_ARGUMENT = -1,    /* an argument of the call, or of the launch, is wrong */
    TERN_ERROR_COMPILE = -2,     /* the kernel's source text is wrong: tern_message has the place */
    TERN_ERROR_UNSUPPORTED = -3, /* right, but tern does not support it; named in tern_message */
    TERN_ERROR_NO_MEMORY = -4,   /* of the host or of the device */
    TERN_ERROR_DEVICE = -5,      /* no such device, no compiler, or the device failed */
    TERN_ERROR_SYSTEM = -6,      /* a file could not be read or written .. */
    TERN_ERROR_KERNEL = -7,      /* the kernel stopped: device_assert, deadlock, illegal address */
} tern_status;

TERN_API const char *tern_status_name(tern_status status); /* "TERN_ERROR_COMPILE"; never NULL */
TERN_API const char *tern_version(void);

typedef struct tern_context tern_context;
typedef struct tern_module tern_module; /* the text of one .py file and what it imports */
typedef struct tern_kernel tern_kernel; /* one function compiled for one signature and device */
typedef struct tern_buffer tern_buffer; /* memory of the context's device */
typedef struct tern_stream tern_stream; /* a queue of work on the device */
typedef struct tern_event tern_event;   /* a point in a queue: for time and for order */
typedef struct tern_gate tern_gate;     /* holds a queue back until the host opens it */
typedef struct tern_graph tern_graph;   /* launches recorded once, to be repeated at less cost */

/* ---- context ---- */

typedef struct tern_open_options {
    size_t size;
    const char *device; /* "cpu", "interp", "cuda", "cuda:1", "sim", "sim:h100"; NULL: $TERN_DEVICE,
                           else cuda where there is one, else cpu */
    int num_threads;    /* cpu: 0 is one per core that this process may use */
    const char *cache_dir; /* kernels compiled for cpu, ceilings of devices; NULL: $TERN_CACHE_DIR,
                              else $XDG_CACHE_HOME/tern, else ~/.cache/tern; "": no cache on disk */
    const char *const *include_dirs; /* searched for imported .py files, after the file's own */
    int num_include_dirs;
    const char *compiler; /* cpu: NULL: $TERN_CC, else the first of cc, gcc, clang on PATH */
    int timeout_ms;       /* cuda: a wait for the device longer than this says that a kernel hangs;
                             interp, sim: a launch longer than this is stopped in its loop; cpu:
                             in a while loop, or between programs;
                             0: $TERN_TIMEOUT_MS, at most a day, else no limit */
    bool launch_blocking; /* each launch waits, so that a failure names its launch; also
                             $TERN_LAUNCH_BLOCKING=1 and $CUDA_LAUNCH_BLOCKING=1 */
    uint64_t order_seed;  /* interp, sim: programs (sim: warps too) run in an order drawn from this,
                             so that a kernel that depends on it shows it; 0: $TERN_ORDER_SEED,
                             else in order */
    bool watch;  /* interp, sim: launches also look for what tern_kernel_findings lists; slower */
    bool bounds; /* cpu: an access outside of the buffer that its pointer comes from (outside of all
                    buffers, where that is not known) ends the launch with a message, before it is
                    made */
    const char *const
        *defines; /* macros of CUDA C, before a file begins: "NAME=TEXT", "NAME(a)=TEXT",
                                   "NAME", which is "NAME=1". .py files know nothing of them */
    int num_defines;
} tern_open_options;

/* Opens a context on one device. options may be NULL. On failure returns NULL, stores the reason in
 * *status and, where message is not NULL, its words in message (at most message_size bytes). */
TERN_API tern_context *tern_open(const tern_open_options *options, tern_status *status,
                                 char *message, size_t message_size);
TERN_API void tern_close(tern_context *context); /* waits for all work; NULL is allowed */
/* of the last failure; "" if none */
TERN_API const char *tern_message(const tern_context *context);
/* the kind of that failure */
TERN_API tern_status tern_message_status(const tern_context *context);
/* Where the user's text is at fault in the last failure: from 1. False: no place is known. */
TERN_API bool tern_message_place(const tern_context *context, const char **file, int *line,
                                 int *column);
/* For layers over this one: makes these words, which are copied, the context's last failure.
 * Returns status. */
TERN_API tern_status tern_fail(tern_context *context, tern_status status, const char *words);
TERN_API const char *tern_device_name(const tern_context *context); /* "cpu", "cuda:0" .. */
TERN_API int tern_device_threads(const tern_context *context); /* of a launch; not cpu: 1 */
TERN_API const char *tern_device_description(const tern_context *context); /* one line for people */
typedef enum tern_property {
    TERN_DEVICE_ON_HOST, /* kernels run in this process, on its memory: all but cuda */
    TERN_DEVICE_IS_FAST, /* its times say something about speed: cpu, cuda */
    /* a wrong address is a message, never a crash: interp, sim; also cpu with
     * tern_open_options.bounds, of which a name says nothing */
    TERN_DEVICE_CHECKS_ACCESSES
} tern_property;
/* Of a device by its name, "cuda:1"; it need not be there. False of a name that tern does not
 * know. */
TERN_API bool tern_device_property(const char *device, tern_property property);
/* What a GPU has for kernels: TERN_ERROR_UNSUPPORTED, and *gpu as it was, where the context's
 * device is none. */
typedef struct tern_gpu {
    int capability; /* 90: compute capability 9.0 */
    int multiprocessors, multiprocessor_threads, warp_size;
    int block_registers, block_shared_bytes; /* at most */
    struct CUctx_st *driver_context; /* CUcontext: the primary one; NULL: there is no driver */
} tern_gpu;
TERN_API tern_status tern_context_gpu(tern_context *context, tern_gpu *gpu);
TERN_API const char *tern_cache_dir(tern_context *context); /* made if missing; "": none */

/* What kernels say goes to `output` as it is made, in whole lines, on the thread that calls the
 * library: device_print in a launch, static_print in a compilation, also one that then fails.
 * Without one it is kept: tern_take_output gives all that was kept since the last call (NULL:
 * nothing), for the caller to tern_free; at most 1 MiB is kept, and the text says so when more was
 * dropped. */
typedef void tern_output(void *user, const char *text, size_t length);
TERN_API void tern_set_output(tern_context *context, tern_output *output, void *user);
/* breakpoint() in a kernel on interp asks what to do: `ask` gives a line, which is read before it
 * is asked again, or NULL, which ends the launch as the line "quit" does. The line "help" names
 * what else there is; what it shows goes to the output. Without one, breakpoint() shows the place
 * and all that has a name, and goes on. */
typedef const char *tern_ask(void *user, const char *prompt);
TERN_API void tern_set_ask(tern_context *context, tern_ask *ask, void *user);
TERN_API char *tern_take_output(tern_context *context);

/* What is here and what is missing: one line for each device tern knows, with how to get it; or a
 * JSON array of {"name", "available", "description", "how"}. The caller's: free it with tern_free.
 * NULL: no memory. */
TERN_API char *tern_devices(bool as_json);
TERN_API void tern_free(void *pointer);

/* ---- data types ---- */

typedef enum tern_dtype {
    TERN_VOID = 0, /* no type: of a parameter that is a compile-time constant */
    TERN_BOOL,
    TERN_INT8,
    TERN_INT16,
    TERN_INT32,
    TERN_INT64,
    TERN_UINT8,
    TERN_UINT16,
    TERN_UINT32,
    TERN_UINT64,
    TERN_FLOAT8E4M3,
    TERN_FLOAT8E5M2,
    TERN_FLOAT8E4B15,
    TERN_FLOAT16,
    TERN_BFLOAT16,
    TERN_FLOAT32,
    TERN_FLOAT64,
} tern_dtype;
TERN_API size_t tern_dtype_size(tern_dtype dtype);      /* bytes; 0 for TERN_VOID */
TERN_API const char *tern_dtype_name(tern_dtype dtype); /* "fp32", "i64", "u8", "bf16", "i1" */
/* Triton's, NumPy's and torch's names */
TERN_API tern_dtype tern_dtype_from_name(const char *name);
TERN_API bool tern_dtype_is_float(tern_dtype dtype);
TERN_API bool tern_dtype_is_signed(tern_dtype dtype); /* signed ints and floats */

/* One element in memory. Floats of all types round to nearest even; f8 saturates. Integers: what
 * does not fit wraps; doubles saturate, NaN gives 0. */
TERN_API double tern_element_double(tern_dtype dtype, const void *element);
TERN_API int64_t tern_element_int(tern_dtype dtype, const void *element); /* bits of a u64 */
TERN_API void tern_element_set_double(tern_dtype dtype, void *element, double value);
TERN_API void tern_element_set_int(tern_dtype dtype, void *element, int64_t value);
/* count elements; from and to may be the same memory if the types have the same size. */
TERN_API void tern_convert(tern_dtype from_dtype, const void *from, tern_dtype to_dtype, void *to,
                           size_t count);

/* ---- modules and kernels ---- */

/* Reads and parses a .py file; what it imports is looked for beside it and in include_dirs. A .cu
 * or .cuh file is CUDA C: its kernels are the functions, compiled for blocks of one shape
 * (tern_options.block); a template is compiled by its name with arguments, "reduce<float, 256>";
 * headers are looked for beside it and in include_dirs; doc/cuda.md says what is taken. NULL:
 * tern_message says what and where. The module is the context's; tern_module_free gives it up
 * sooner. A source may have 16 MB. */
TERN_API tern_module *tern_load_file(tern_context *context, const char *path);
/* name is used in messages ("<text>" if NULL); the text is copied; length is in bytes. */
TERN_API tern_module *tern_load_text(tern_context *context, const char *text, size_t length,
                                     const char *name);
TERN_API void tern_module_free(tern_module *module); /* its kernels stay usable; NULL is allowed */

/* What a loaded module defines: its jit functions, in order of definition. All of it lives as long
 * as the module. */
typedef struct tern_function_parameter {
    const char *name;
    bool is_constexpr; /* annotated tl.constexpr */
    bool has_default;
    /* @triton.jit(do_not_specialize=..) names it: a signature made from arguments says neither :16
     * nor :1 of it; do_not_specialize_on_alignment: not :16 */
    bool do_not_specialize, do_not_specialize_on_alignment;
    const char *annotation;    /* its source text; "" if none; of CUDA C its type */
    const char *default_value; /* its source text; NULL if none */
} tern_function_parameter;
typedef struct tern_function {
    const char *name;
    int line;         /* of the `def` */
    const char *text; /* from the `def` to the end of its last line, dedented: what Triton hashes */
    bool is_launched; /* as name[grid](..) in the file, or never called by another jit function */
    int num_parameters;
    const tern_function_parameter *parameters;
    bool is_cuda; /* a kernel of CUDA C: the source has the types of its parameters */
} tern_function;
TERN_API int tern_module_num_functions(const tern_module *module);
TERN_API const tern_function *tern_module_function(const tern_module *module, int index);
/* By name, here as wherever a function is named. Of several with one name the bare name is the one
 * that Python's name stands for; each is also NAME@LINE, with a line from its first decorator to
 * its `def`, and the others are listed so. NULL when there is none, or when the bare name depends
 * on a condition that only a run would tell. A kernel of CUDA C may be named with its namespaces,
 * "ns::k", a template's with its arguments, "k<float, 4>": why there is none is the context's
 * message then. */
TERN_API const tern_function *tern_module_find(const tern_module *module, const char *name);

typedef struct tern_value {
    const char *name;
    const char *text; /* a Python literal: 1024, 0.5, True, None, 'text', fp16, (1, 2) */
} tern_value;
typedef struct tern_config {
    int num_values;
    const tern_value *values;
    int num_warps, num_stages; /* 0: not said */
    bool has_pre_hook;         /* a function of Python's, to be called before its launches */
} tern_config;
/* The configs of @triton.autotune: how many, 0 when there is no autotune, or a negative
 * tern_status when they cannot be evaluated. */
TERN_API int tern_module_configs(tern_module *module, const char *function,
                                 const tern_config **configs);
/* What @triton.autotune says beside them. The names are of arguments; they live as long as the
 * module. Without an autotune there are none. */
typedef struct tern_autotune {
    int num_keys, num_reset, num_restore;
    const char *const *keys;          /* for other values of these it is tuned anew */
    const char *const *reset_to_zero; /* before each run while it is tuned .. */
    const char *const *restore_value; /* .. and these get back what they held */
    const char *prunes;               /* the source text of prune_configs_by; NULL: none */
    const char *hook; /* "pre_hook", "post_hook": Python's, beside those of configs; NULL: none */
} tern_autotune;
TERN_API tern_status tern_module_autotune(tern_module *module, const char *function,
                                          tern_autotune *autotune);
/* Evaluates prune_configs_by (early_config_prune, perf_model, top_k) for the arguments that the
 * caller knows; tensors are left out. *indices are those of the configs that it leaves, from 0, in
 * its order; they live as long as the module. Returns how many, without a prune_configs_by all, or
 * a negative tern_status: what Python alone knows is refused with its place. */
TERN_API int tern_module_pruned(tern_module *module, const char *function, const tern_value *known,
                                int num_known, const int **indices);
/* Evaluates @triton.heuristics from the arguments that the caller knows; tensors are left out.
 * *values are those parameters that the heuristics determine and `known` does not name. Returns how
 * many, or a negative tern_status. */
TERN_API int tern_module_heuristics(tern_module *module, const char *function,
                                    const tern_value *known, int num_known,
                                    const tern_value **values);
/* The syntax tree of a function as text; NULL when there is no such function. */
TERN_API const char *tern_module_ast(tern_module *module, const char *function);
/* Gives a name of the module, or one of a kernel's enclosing functions, another value from now on:
 * the literal `text`, or what an expression of the module's names gives ("tl.float16"), as a
 * tl.constexpr; or a jit function of a file: "FILE.py:NAME" or "FILE.py:NAME@LINE", whatever its
 * decorators say; or one of Triton's: "triton.language.extra.libdevice.fmod". In imported files it
 * takes the place only of what is not known there; a `name` "FILE.py:NAME" is one of that file. */
TERN_API tern_status tern_module_set_global(tern_module *module, const char *name,
                                            const char *text);
/* Of CUDA C: the memory of a variable outside of functions (doc/cuda.md), which is the module's. */
TERN_API tern_buffer *tern_module_symbol(tern_module *module, const char *name);

typedef struct tern_options {
    size_t size;
    int num_warps;      /* 1, 2, 4 .. 32; 0: 4, or what the chosen @triton.autotune config says */
    int num_stages;     /* 0: the target's default, or the config's */
    int config;         /* 1-based index into the @triton.autotune configs; 0: none chosen */
    const char *target; /* NULL: the context's device; "interp", "cpu" (what this machine has),
                           "cpu:amx", "cpu:avx512bf16", "cpu:avx512vnni", "cpu:avx512", "cpu:avx2",
                           "cpu:generic", "sm_90a" ..: text only */
    bool debug; /* compile assert and tl.device_assert in (else they are left out, as in Triton) */
    const char *print_after; /* an optimisation pass, or "lower" (tern_pass_name): keep the IR as it
                                is after that, for TERN_STAGE_IR_AFTER */
    bool verify;             /* run the IR verifier after each pass */
    bool text_only;          /* for tern_kernel_text: it is not made ready to be launched */
    int block[3];            /* CUDA C: threads of a block along x, y, z; y, z 0: 1 */
    size_t shared_bytes;     /* CUDA C: of `extern __shared__` */
    bool
        precise; /* GPU: a * b + c is rounded twice, and functions of f32 keep subnormal numbers and
                     are within 3 ulp (doc/language.md, Accuracy); else as Triton's, faster */
    bool
        locations; /* texts of IR say where in the source each op is: loc("FILE", 14, 27), in bytes,
                       the end not included */
    const char *dot_precision; /* of a tl.dot that names none: "ieee", "tf32", "tf32x3", "bf16x3",
                                  "bf16x6"; NULL: tf32, Triton's default */
    const char *builder; /* CUDA C for a GPU or sim: "nvrtc": by NVIDIA's library, for the whole
                            language; NULL: by tern */
    bool tuned; /* config 0: what the signature leaves out is as was kept (tern_tuned_key) .. */
    const tern_value *known; /* .. for these values of numbers */
    int num_known;
    bool maps; /* GPU, a text that others launch, as tern would: tensor maps and the grid's size
                  are parameters behind the source's, programs may be clusters; else neither */
    bool few;  /* .. maps: of two texts that of launches of no more programs than run at a time */
} tern_options;

/* Compiles `function` for a signature: comma-separated types in parameter order, in the grammar of
 * triton.tools.compile: "*fp32:16" (pointer, divisible by 16 bytes), "i32:16", "i32:1" (equal to
 * 1), "fp32", and for tl.constexpr parameters the value: 1024, 0.5, True, None, "text", fp16; a
 * tuple is "(*fp32:16, i32, 4)", a host tensor descriptor "tensordesc<fp16[64,32]>", or
 * "tensordesc<fp16[64,32]:16>" if its last dimension has a multiple of 16 bytes. NAME=VALUE
 * gives a parameter by name; what is left out takes its default. Of CUDA C the source has the
 * types: a signature may be empty; else its pointers are compared with them. options may be NULL.
 * NULL: the compilation failed; tern_message has all errors, with their places. Takes milliseconds,
 * on cpu also the C compiler's time unless the kernel is in the cache folder. */
TERN_API tern_kernel *tern_compile(tern_module *module, const char *function, const char *signature,
                                   const tern_options *options);
TERN_API void tern_kernel_free(tern_kernel *kernel);

typedef struct tern_parameter {
    const char *name;
    tern_dtype dtype; /* of what a pointer points to; TERN_VOID: a constant, not passed at launch */
    bool is_pointer;
    int divisible;        /* promised by the signature, in bytes for pointers; 1: nothing */
    const char *constant; /* the value of a compile-time constant as text; else NULL */
} tern_parameter;

/* Parameters in source order, constants included. */
TERN_API int tern_kernel_num_parameters(const tern_kernel *kernel);
TERN_API const tern_parameter *tern_kernel_parameter(const tern_kernel *kernel, int index);
TERN_API const char *tern_kernel_name(const tern_kernel *kernel);
/* Whether the kernel may store through this pointer; true where it is not known. */
TERN_API bool tern_kernel_writes(tern_kernel *kernel, const char *parameter);

typedef enum tern_stage {
    TERN_STAGE_AST,
    TERN_STAGE_IR,
    TERN_STAGE_C,
    TERN_STAGE_PTX,
    TERN_STAGE_FACTS,
    TERN_STAGE_CONFIGS,
    TERN_STAGE_IR_AFTER,
    TERN_STAGE_REMARKS, /* warnings, and what passes could not do; "" if there are none */
    TERN_STAGE_TIMES,   /* what each step of the compilation took, wall clock */
} tern_stage;
/* Owned by the kernel; NULL: no such stage. Of several texts (GPU) that of the newest launch. */
TERN_API const char *tern_kernel_text(tern_kernel *kernel, tern_stage stage);

/* The texts that a kernel's ops come from, its own file first: what locations of IR and .loc of PTX
 * name. The kernel's. Returns how many; none of a kernel without IR, or without memory. */
typedef struct tern_source {
    const char *name, *text;
    size_t length;
} tern_source;
TERN_API int tern_kernel_sources(tern_kernel *kernel, const tern_source **sources);

/* What the launches of the kernel so far did, counted: only on sim (see doc/sim.md), where the text
 * is a table beside the source or, as_json, one JSON object. The caller's: free it with tern_free.
 * NULL: the device does not count, or no memory; tern_message says which. Counts, never a time. */
TERN_API char *tern_kernel_counters(tern_kernel *kernel, bool as_json);

/* The same in numbers, summed over launches; also before the first one, for what a block takes. */
typedef struct tern_line_count { /* of a line of the source */
    const char *file;
    int line;
    uint64_t instructions; /* of warps */
    /* of global memory: in whole sectors; in the fewest that would do; what was asked for */
    uint64_t moved_bytes, least_moved_bytes, useful_bytes;
    uint64_t wavefronts, least_wavefronts; /* of shared memory; without bank conflicts */
} tern_line_count;
typedef struct tern_counted {
    const char *gpu; /* the model that was taken: "h200" */
    int multiprocessors, threads_per_multiprocessor;
    int threads, shared_bytes; /* of a block */
    /* What ptxas says of a thread; -1: there is none on PATH. */
    int registers, stack_bytes, spill_store_bytes, spill_load_bytes;
    /* So many blocks fit on a multiprocessor by each, and by all; by_registers -1: not known. */
    int by_threads, by_shared, by_number, by_registers, blocks;
    uint64_t launches, instructions, tensor_instructions;
    uint64_t moved_bytes, least_moved_bytes, useful_bytes, wavefronts, least_wavefronts;
    int num_lines;
    const tern_line_count *lines; /* the context's, until its next such call */
} tern_counted;
TERN_API tern_status tern_kernel_counted(tern_kernel *kernel, tern_counted *counted);

/* Which addresses launches touch, on sim: an entry for each time that a warp executes a load, a
 * store, an atomic or an asynchronous copy of global or shared memory. */
typedef enum tern_access_kind {
    TERN_ACCESS_LOAD,
    TERN_ACCESS_STORE,
    TERN_ACCESS_ATOMIC,
    TERN_ACCESS_COPY, /* cp.async: has an entry of global and one of shared memory */
} tern_access_kind;
typedef struct tern_access {
    tern_access_kind kind;
    bool is_shared;         /* addresses are bytes from the start of the block's shared memory */
    int ptx_line;           /* of TERN_STAGE_PTX, from 1 */
    uint64_t program;       /* x + (y + z * grid[1]) * grid[0] */
    int warp;               /* of the program */
    int bytes;              /* that each lane asks for */
    uint32_t lanes;         /* a bit for each that takes part */
    uint64_t addresses[32]; /* of global memory: as tern_buffer_pointer has them */
    int cost, least_cost;   /* sectors of 32 bytes; of shared memory wavefronts */
} tern_access;
typedef struct tern_accesses {
    int count;
    const tern_access *data; /* the kernel's, until it is launched, recorded or freed */
    uint64_t num_whole;      /* of programs below this number nothing is missing */
    uint64_t num_other; /* not listed, nor counted: generic addresses, matrices that wgmma reads */
} tern_accesses;
/* Keeps up to `most` entries of each launch from now on, the last one's; 0: none. */
TERN_API tern_status tern_kernel_record(tern_kernel *kernel, int most);
TERN_API tern_status tern_kernel_accesses(tern_kernel *kernel, tern_accesses *accesses);

/* What a kernel does wrong, or in vain. Those from TERN_FOUND_INFINITY on are advice: true, and no
 * mistake as such. */
typedef enum tern_finding_kind {
    TERN_NOT_CHECKED = 0,   /* no finding: the words say what could not be looked at, and why */
    TERN_FOUND_STOP,        /* the kernel stopped: device_assert, deadlock, misaligned .. */
    TERN_FOUND_OUTSIDE,     /* an access outside of its tensor */
    TERN_FOUND_RACE,        /* two accesses that nothing orders, one of which changes memory */
    TERN_FOUND_UNWRITTEN,   /* a read of memory that nobody wrote */
    TERN_FOUND_OVERFLOW,    /* an offset that is too large for its integer wrapped */
    TERN_FOUND_UNDEFINED,   /* a lane that a load's mask left out, without other=, is used */
    TERN_FOUND_NAN,         /* a NaN that is stored, made by an op that was given none */
    TERN_FOUND_INFINITY,    /* likewise an infinity */
    TERN_FOUND_TWICE,       /* several programs write an element, all the same value */
    TERN_FOUND_MASK,        /* a mask that never left a lane out */
    TERN_FOUND_UNUSED,      /* a load whose value nothing needs */
    TERN_FOUND_UNCOALESCED, /* accesses to many sectors of memory, of each a small part */
    TERN_NUM_FINDING_KINDS
} tern_finding_kind;
typedef struct tern_finding {
    tern_finding_kind kind;
    const char *file;  /* NULL: no place is known */
    int line, column;  /* from 1 */
    const char *words; /* "-inf - -inf = nan, which is stored in .." */
    const char *where; /* "program (3, 0, 0), lane [5]"; "" */
    uint64_t count;    /* how often it was seen */
} tern_finding;
/* All that was found in the launches of a kernel so far, failed ones included; of each kind and
 * place the first. The context is to be opened with `watch`; other devices than interp and sim find
 * nothing. The kernel's, until its next launch or tern_kernel_findings. NULL, with *count 0:
 * nothing, or no memory. */
TERN_API const tern_finding *tern_kernel_findings(tern_kernel *kernel, int *count);
TERN_API const char *tern_finding_name(tern_finding_kind kind); /* "out-of-bounds"; NULL: no such */
TERN_API const char *tern_finding_cure(tern_finding_kind kind); /* what to do about it; "" */

TERN_API const char *tern_pass_name(
    int index); /* 0: "lower", the IR before any pass; NULL past the last */
TERN_API const char *tern_kernel_target(const tern_kernel *kernel); /* "cpu:avx2", "sm_90a" */
TERN_API int tern_kernel_num_warps(const tern_kernel *kernel);
TERN_API int tern_kernel_num_stages(const tern_kernel *kernel);

/* ---- memory ---- */

/* Uninitialised memory of the context's device, aligned to 256 bytes. size_bytes may be 0. NULL:
 * there is not as much. */
TERN_API tern_buffer *tern_alloc(tern_context *context, size_t size_bytes);
/* Memory that the caller owns and keeps alive (host memory on cpu and interp, device memory on
 * cuda). NULL: no memory for the handle. interp and sim check each access of a kernel against the
 * sizes of its buffers. cpu and cuda run at full speed and do not: there a kernel that leaves its
 * buffers does what it does in C. */
TERN_API tern_buffer *tern_wrap(tern_context *context, void *pointer, size_t size_bytes);
TERN_API void tern_buffer_free(tern_buffer *buffer); /* after work that uses it: it waits */
TERN_API size_t tern_buffer_size(const tern_buffer *buffer);
TERN_API void *tern_buffer_pointer(const tern_buffer *buffer); /* the device's address */
/* The buffer of the context in which this address of the device lies, and *offset (may be NULL):
 * how far into it. NULL: none. It looks at each buffer. */
TERN_API tern_buffer *tern_buffer_at(const tern_context *context, const void *pointer,
                                     size_t *offset);
/* Between the host's memory and the buffer, from `offset` bytes on; waits until it is done. What
 * does not lie inside the buffer is TERN_ERROR_ARGUMENT, and nothing is copied. tern_fill: all of
 * it. */
TERN_API tern_status tern_write(tern_buffer *buffer, size_t offset, const void *from, size_t bytes);
TERN_API tern_status tern_read(tern_buffer *buffer, size_t offset, void *to, size_t bytes);
TERN_API tern_status tern_fill(tern_buffer *buffer, unsigned char byte);
/* interp and sim know of each byte of tern_alloc whether the host or a kernel wrote it. A kernel
 * that reads one that nobody wrote is stopped (TERN_ERROR_KERNEL). tern_forget: from now on nobody
 * wrote these, though they keep their values; nothing on other devices. tern_written: of each byte
 * 1 or 0 in written[0 .. bytes); TERN_ERROR_UNSUPPORTED where it is not known (cpu, cuda,
 * tern_wrap). */
TERN_API tern_status tern_forget(tern_buffer *buffer, size_t offset, size_t bytes);
TERN_API tern_status tern_written(tern_buffer *buffer, size_t offset, size_t bytes,
                                  unsigned char *written);

/* ---- launching ---- */

typedef enum tern_argument_kind {
    TERN_ARGUMENT_BUFFER, /* buffer + offset in bytes, to a pointer parameter */
    TERN_ARGUMENT_INT,
    TERN_ARGUMENT_FLOAT,
    TERN_ARGUMENT_POINTER, /* a raw device address, to a pointer parameter; not checked */
} tern_argument_kind;

typedef struct tern_argument {
    tern_argument_kind kind;
    tern_buffer *buffer;
    size_t offset;
    int64_t integer; /* also bool; bits of a uint64 */
    double number;
    void *pointer;
} tern_argument;

/* buffer NULL is a null pointer: what Triton passes for None to a pointer parameter. */
static inline tern_argument tern_arg_buffer(tern_buffer *buffer) {
    tern_argument argument = {TERN_ARGUMENT_BUFFER, buffer, 0, 0, 0.0, NULL};
    return argument;
}
static inline tern_argument tern_arg_int(int64_t integer) {
    tern_argument argument = {TERN_ARGUMENT_INT, NULL, 0, integer, 0.0, NULL};
    return argument;
}
static inline tern_argument tern_arg_float(double number) {
    tern_argument argument = {TERN_ARGUMENT_FLOAT, NULL, 0, 0, number, NULL};
    return argument;
}

enum { TERN_DESCRIPTOR_RANK = 5 };

/* A host tensor descriptor, as Triton's TensorDescriptor: a block of a tensor of which kernels load
 * and store with desc.load([..]). It is copied wherever it is given; lanes outside of shape load 0
 * (or NaN) and are not stored. */
typedef struct tern_descriptor {
    tern_buffer *base;
    size_t offset; /* of the first element, in bytes; divisible by 16 */
    tern_dtype dtype;
    int rank;                              /* 1 to TERN_DESCRIPTOR_RANK */
    int64_t shape[TERN_DESCRIPTOR_RANK];   /* at most INT32_MAX */
    int64_t strides[TERN_DESCRIPTOR_RANK]; /* in elements; the last is 1, of the others the bytes
                                              are divisible by 16 */
    int block[TERN_DESCRIPTOR_RANK]; /* powers of two; at least 16 bytes in the last dimension */
    bool pads_nan;                   /* of a float dtype: lanes outside of shape load NaN, not 0 */
} tern_descriptor;

/* NULL when the descriptor is in order, else what is not (a static text). */
TERN_API const char *tern_descriptor_error(const tern_descriptor *descriptor);
/* Its type for a signature, "tensordesc<fp16[64,32]>", with ":16" after the block if shape's last
 * has a multiple of 16 bytes, which kernels then access 16 at once, and ":nan" if pads_nan, as
 * snprintf: returns the length. */
TERN_API int tern_descriptor_type(const tern_descriptor *descriptor, char *text, size_t size);
/* A descriptor parameter takes 2 * rank arguments: the base, the shape, the strides but the last.
 * Writes them (room for 2 * TERN_DESCRIPTOR_RANK is enough) and returns how many. */
TERN_API int tern_descriptor_arguments(const tern_descriptor *descriptor, tern_argument *arguments);

/* Enqueues grid[0] * grid[1] * grid[2] programs. arguments are those parameters that are not
 * constants, in source order; a tuple's items that are not constants, one after the other; of a
 * tensor descriptor tern_descriptor_arguments. stream NULL: the context's own. A grid with a 0
 * launches nothing. Checked before anything runs: count, kinds, integer ranges, promised
 * divisibility; each grid dimension is below 2^31 (y and z: 65536). Errors inside the kernel are
 * reported by this or a later call on the context (tern_synchronize at the latest). */
TERN_API tern_status tern_launch(tern_stream *stream, tern_kernel *kernel, const uint32_t grid[3],
                                 const tern_argument *arguments, int num_arguments);
/* Waits for all work of the context; the failure of a kernel that was still running is its result.
 */
TERN_API tern_status tern_synchronize(tern_context *context);
/* Stops the launch that runs on the context's device, if one does, as timeout_ms would: its call
 * gives TERN_ERROR_KERNEL. From any thread, also from a signal's handler: Ctrl-C. Not on cuda,
 * where nothing stops a kernel. */
TERN_API void tern_interrupt(tern_context *context);

/* What a launch asks for, counted from the compiled kernel without running it. Masks that let a
 * range through in each dimension (offsets < n) are counted exactly; under others all lanes count,
 * and so do both arms of an `if` that rests on loaded data: then exact is false and the figure is
 * an upper bound. Where a loop's length rests on loaded data: TERN_ERROR_UNSUPPORTED. */
typedef struct tern_work {
    uint64_t bytes_loaded, bytes_stored; /* of all accesses of all programs; atomics are both */
    uint64_t bytes; /* of each argument what is loaded and what is stored, each at most the size of
                       its buffer: what must pass through memory at least once */
    uint64_t flops; /* add, multiply, divide, minimum, maximum, math functions: 1 a lane; fma: 2;
                       dot: 2 * M * N * K; comparisons, selections, conversions: 0 */
    bool bytes_exact, flops_exact;
} tern_work;
TERN_API tern_status tern_kernel_work(tern_kernel *kernel, const uint32_t grid[3],
                                      const tern_argument *arguments, int num_arguments,
                                      tern_work *work);

/* ---- .npy files ---- */

enum { TERN_MAX_RANK = 8 };

typedef struct tern_array { /* row-major, without gaps */
    tern_dtype dtype;
    int rank;
    int64_t shape[TERN_MAX_RANK];
    size_t size_bytes;
    void *data; /* tern_free */
} tern_array;

/* Little-endian and big-endian, C and Fortran order are read; bool, ints, floats of 2 to 8 bytes.
 * What is not an array of these is refused. bf16 and f8 have no NumPy type: they are written as
 * u2 and u1, and are read as such. */
TERN_API tern_status tern_npy_read(tern_context *context, const char *path, tern_array *array);
TERN_API tern_status tern_npy_write(tern_context *context, const char *path,
                                    const tern_array *array);

/* ---- streams, events, graphs ----
 *
 * Work on one stream runs in order. On cuda, work on different streams may overlap, but the
 * context's own stream (NULL) and tern_write, tern_read and tern_fill come after all that was
 * enqueued before, and before all that comes after. On cpu, interp and sim the work is done when
 * the call returns, so that all streams are one queue and an event is a reading of the monotonic
 * clock. */

TERN_API tern_stream *tern_stream_create(tern_context *context);
/* A stream that the caller made with the driver (a CUstream, or cudaStream_t: PyTorch's current
 * one) and keeps alive; NULL is the driver's default stream. Only on cuda. Nothing orders it after
 * or before the context's other streams, except events. */
TERN_API tern_stream *tern_stream_wrap(tern_context *context, void *handle);
TERN_API void tern_stream_free(tern_stream *stream); /* waits for its work; NULL is allowed */
TERN_API tern_status tern_stream_synchronize(tern_stream *stream);
TERN_API void *tern_stream_handle(tern_stream *stream); /* the CUstream; NULL elsewhere */

/* As tern_write, tern_read, tern_fill, but only enqueued: the host's memory must stay as it is
 * until the stream has been waited for. stream NULL: the context's own. */
TERN_API tern_status tern_write_async(tern_stream *stream, tern_buffer *buffer, size_t offset,
                                      const void *from, size_t bytes);
TERN_API tern_status tern_read_async(tern_stream *stream, tern_buffer *buffer, size_t offset,
                                     void *to, size_t bytes);
TERN_API tern_status tern_fill_async(tern_stream *stream, tern_buffer *buffer, unsigned char byte);

TERN_API tern_event *tern_event_create(tern_context *context);
TERN_API void tern_event_free(tern_event *event);
TERN_API tern_status tern_event_record(tern_event *event, tern_stream *stream);
TERN_API tern_status tern_event_synchronize(tern_event *event); /* the host waits */
/* the stream waits */
TERN_API tern_status tern_stream_wait(tern_stream *stream, tern_event *event);
/* Device time between two recorded events, after waiting for the later one. Resolution on cuda:
 * about 0.5 us. */
TERN_API tern_status tern_event_elapsed(tern_event *start, tern_event *end, double *nanoseconds);

/* A gate keeps the host's speed out of a measurement: what is enqueued behind it on the stream
 * starts only when it is opened. Waiting for that stream before is a deadlock, unless another
 * thread opens it: tern_gate_open alone may be called from any thread. Only on cuda, with drivers
 * from CUDA 11.7 on. */
TERN_API tern_gate *tern_gate_create(tern_context *context);
TERN_API void tern_gate_free(tern_gate *gate); /* opens it; NULL is allowed */
/* again after each opening */
TERN_API tern_status tern_gate_close(tern_gate *gate, tern_stream *stream);
TERN_API void tern_gate_open(tern_gate *gate);

/* An event whose recording also enqueues a kernel of some microseconds that reads the clock of the
 * processor that it runs on. Only on cuda. tern_event_clock gives the mean clock between two of
 * them, or 0 when they did not run on the same one. Good to 1 % over 0.1 ms. */
TERN_API tern_event *tern_event_create_clocked(tern_context *context);
TERN_API tern_status tern_event_clock(tern_event *start, tern_event *end, double *mhz);

enum {                          /* why a clock is low, as NVML says */
       TERN_SLOW_POWER_CAP = 1, /* the power limit is reached: usual for heavy kernels */
       TERN_SLOW_HARDWARE =
           2, /* hardware slowdown: temperature or power, at half the clock or less */
       TERN_SLOW_TEMPERATURE = 4, /* software or hardware thermal slowdown */
       TERN_SLOW_POWER_BRAKE = 8, /* an external power brake */
};
typedef struct tern_clock_state {
    double mhz;         /* now; 0: not known (no NVML) */
    double max_mhz;     /* the highest that the device is made for; 0: not known */
    bool reasons_known; /* false: no NVML */
    unsigned reasons;   /* TERN_SLOW_ bits */
} tern_clock_state;
/* NVML is libnvidia-ml.so.1, or $TERN_NVML. Only on cuda. */
TERN_API tern_status tern_clock_now(tern_context *context, tern_clock_state *state);

/* Between begin and end, launches and _async calls on `stream` (not NULL) are recorded instead of
 * run; their arguments are kept by value, buffers must stay alive. Only on cuda, by CUDA graphs. */
TERN_API tern_status tern_graph_begin(tern_stream *stream);
TERN_API tern_graph *tern_graph_end(tern_stream *stream); /* NULL: something failed on the way */
TERN_API tern_status tern_graph_launch(tern_graph *graph, tern_stream *stream);
TERN_API void tern_graph_free(tern_graph *graph);

/* ---- benchmarks ----
 *
 * How long does it take? A callable enqueues work on the stream it is given and returns without
 * waiting; anything that can be enqueued can be timed: a kernel, a graph, the caller's own calls. A
 * callable that fails stops the benchmark with its status: failed work is never timed. Device time
 * is taken with events; on cpu, interp and sim, where a call returns when its work is done, with
 * the monotonic clock. Times are in milliseconds. */

typedef tern_status tern_callable(void *user, tern_stream *stream);

/* As the lectures' benchmark(description, run, num_warmups, num_trials): wall-clock time of one run
 * that is waited for, caches as they are; the mean over trials (at least 1) goes to *mean_ms. */
TERN_API tern_status tern_benchmark(tern_context *context, tern_callable *run, void *user,
                                    int warmups, int trials, double *mean_ms);

typedef enum tern_return_mode { TERN_MEDIAN, TERN_MEAN, TERN_MIN, TERN_MAX } tern_return_mode;

/* As triton.testing.do_bench: runs for about warmup_ms (0: 25), then for about rep_ms (0: 100) with
 * a cold L2 before each, and puts one figure for each of the quantiles (at most 16, in [0, 1],
 * linear interpolation) in results; with num_quantiles 0 the one that `mode` says goes to
 * results[0]. */
TERN_API tern_status tern_do_bench(tern_context *context, tern_callable *run, void *user,
                                   double warmup_ms, double rep_ms, const double *quantiles,
                                   int num_quantiles, tern_return_mode mode, double *results);

/* What speaks against a result; each has its words from tern_trust_words. */
enum {
    TERN_TRUST_NOISY = 1,      /* the samples did not settle: noise above 4 times max_noise */
    TERN_TRUST_NEAR_FLOOR = 2, /* below 3 times the floor: that of a launch, where there is one */
    TERN_TRUST_HOST_BOUND = 4, /* enqueueing took longer than the work */
    TERN_TRUST_NOT_SPEED = 8,  /* interp or sim: the device is not made for speed */
    TERN_TRUST_BLOCKING = 16,  /* TERN_LAUNCH_BLOCKING or CUDA_LAUNCH_BLOCKING is set */
    TERN_TRUST_SLOWER_START = 32, /* the first quarter's median is over 5 % above the last's */
    TERN_TRUST_OUTLIERS = 64,     /* more than 1 sample in 20 lies far out */
    TERN_TRUST_FEW_SAMPLES = 128, /* fewer than 10 samples in the time allowed */
    TERN_TRUST_WAITS_INSIDE =
        256, /* the callable waits for the device, or fills the launch queue */
    TERN_TRUST_STRAY =
        512, /* the device went on working after the end was recorded: another stream */
    TERN_TRUST_THROTTLED = 1024, /* slowed-down samples had to be kept: there were no others */
    TERN_TRUST_UNWRITTEN = 2048, /* a part of the outputs was never written: unwritten_bytes */
    TERN_TRUST_UNGATED =
        4096, /* cuda: no gate, so that what launching takes may enter the samples */
    TERN_TRUST_CONTENDED =
        8192, /* cpu: samples of which the processor had less than half had to be kept */
};

typedef struct tern_bench_options {
    size_t size;
    bool hot;             /* caches as the run before left them; default: cold, see cold_fill */
    double min_time_ms;   /* of timed work at least; 0: 200 */
    double max_time_ms;   /* wall time at most, for all; 0: 15000 */
    double extra_time_ms; /* beyond it, while there are fewer than 10 samples; 0: as much again */
    double max_noise;     /* stop when standard deviation / mean is below; 0: 0.005 */
    int max_samples;      /* 0: 10000 */
    int warmups;          /* 0: 3 */
    /* How caches are made cold. cuda: by reading memory, which leaves clean lines; or, as Triton
     * does, by filling it, which leaves modified ones that the timed kernel must write back first
     * (10 % on an H200 for 400 MB read). The others read. */
    bool cold_fill;
    size_t cold_bytes; /* how much; 0: 256 MiB on cuda, else twice the last-level cache */
    /* cpu on x86-64: the lines of these buffers are flushed (clflushopt), where that is less memory
     * than would be read: the same for what the callable loads, much sooner. Others stay warm. */
    tern_buffer *const *cold_buffers;
    int num_cold_buffers;
    bool no_gate; /* cuda: do not hold the device back until the callable has enqueued its work */
    /* Poisoned and looked at before anything is timed, by two runs more. What they held is lost, so
     * none may be an input, too. */
    tern_buffer *const *outputs;
    int num_outputs;
} tern_bench_options;

typedef struct tern_timing {
    double median, mean, min, max, q20, q80, stdev; /* ms */
    double noise;   /* (q80 - q20) / 1.683 / median: stdev / mean, were they normal; outliers do not
                     move it */
    double host_ms; /* median time until the callable returned */
    double cpu_ms;  /* mean processor time of this process inside the callable, all threads */
    double floor_ms;          /* timing nothing takes this, median */
    double launch_floor_ms;   /* cuda: timing an empty kernel takes this, median; else 0 */
    double stray_ms;          /* cuda: how long the device went on after the end, median */
    double clock_mhz;         /* cuda: median of the samples; 0: not known */
    size_t cold_bytes;        /* what was read, filled or flushed before each sample; 0: hot */
    double cold_ms;           /* and how long that took, once */
    size_t unwritten_bytes;   /* of the outputs */
    bool is_gated, is_filled; /* a gate was used; caches were made cold by filling */
    bool is_flushed;          /* by flushing the lines of cold_buffers */
    bool reasons_known;       /* cuda: NVML was asked whether the clock is slowed down */
    unsigned slow_reasons;    /* all TERN_SLOW_ bits that it gave */
    size_t num_samples, num_outliers;
    size_t num_discarded; /* samples left out because the clock was slowed down, the gate opened
                             late, or others had the processor */
    size_t num_contended; /* of those, because others had the processor for over half of it */
    unsigned trust;       /* TERN_TRUST_ bits; 0: nothing speaks against it */
    double *samples;      /* ms, in order; freed by tern_timing_free */
} tern_timing;

TERN_API tern_status tern_bench(tern_context *context, tern_callable *run, void *user,
                                const tern_bench_options *options, tern_timing *timing);
TERN_API void tern_timing_free(tern_timing *timing);
TERN_API const char *tern_trust_words(unsigned one_bit); /* "noisy: ..", NULL for no such bit */

/* Linear interpolation at q * (count - 1) of the sorted values, as torch.quantile; NaN for none. */
TERN_API double tern_quantile(const double *values, size_t count, double q);

/* ---- tuning ----
 *
 * Which of several ways to do the same takes the least time? Candidates are first made ready, and
 * checked, one after the other; then they race: each round times all that are left once, in an
 * order drawn anew, and only differences within rounds count, so that a clock that drifts hits all
 * alike. Who is slower for sure is out. It is decided when one is left, or when none of those left
 * can be faster than the best by more than the margin. The caller's memory is touched by its own
 * callbacks alone: give them copies where results are still wanted. */

typedef enum tern_candidate_state {
    TERN_CANDIDATE_WAITS, /* not tried */
    TERN_CANDIDATE_READY, /* right; after the race: not told apart from the winner */
    TERN_CANDIDATE_WON,
    TERN_CANDIDATE_LOST,    /* slower for sure */
    TERN_CANDIDATE_REFUSED, /* it does not compile, or asks for more than the device has */
    TERN_CANDIDATE_WRONG,   /* its results are */
    TERN_CANDIDATE_FAILED,  /* it stopped, or crashed */
    TERN_CANDIDATE_HUNG,    /* it did not come to an end in time */
    TERN_CANDIDATE_PRUNED,  /* what is known of it says that it cannot be fast */
} tern_candidate_state;
TERN_API const char *tern_candidate_word(tern_candidate_state state); /* "lost", "wrong" .. */

typedef struct tern_candidate {
    tern_candidate_state state;
    char words[240]; /* why, where it is out for another reason than time */
    double ratio, low,
        high; /* of its time to that of the best when it was last looked at, with a 95 %
                                interval; 0: it was not timed, or too seldom */
    int rounds;
    double median_ms;
} tern_candidate;

typedef struct tern_tune_progress {
    int num_candidates, num_tried; /* made ready or not */
    int round, num_left;           /* of the race */
} tern_tune_progress;

typedef struct tern_tune_options {
    size_t size;
    void *user; /* for the callbacks */
    /* Compiles and checks a candidate: TERN_CANDIDATE_READY, or why it is out, with words. NULL:
     * all are ready. */
    tern_candidate_state (*ready)(void *user, int candidate, char *words, size_t words_size);
    tern_status (*run)(void *user, int candidate, tern_stream *stream); /* as a tern_callable */
    tern_status (*reset)(void *user, int candidate); /* before each sample, not timed; NULL: none */
    /* Instead of run: the caller's own clock, in milliseconds above 0. */
    tern_status (*sample)(void *user, int candidate, double *ms);
    void (*progress)(void *user,
                     const tern_tune_progress *progress); /* now and then; may be NULL */
    bool (*stop)(void *user); /* true: no more; what is known is kept; may be NULL */
    double margin;            /* what is no difference; 0: 0.01 */
    int max_rounds;           /* 0: 200 */
    double max_time_ms;       /* after which no round begins; 0: 60000 */
    uint64_t seed;            /* of the orders */
    bool hot;                 /* as in tern_bench_options, also these: */
    tern_buffer *const *cold_buffers;
    int num_cold_buffers;
} tern_tune_options;

typedef struct tern_tuning {
    tern_candidate *candidates;
    int num_candidates;
    int winner;    /* -1: none */
    bool decided;  /* false: more rounds might show another */
    bool stopped;  /* by `stop` */
    int num_equal; /* others that are not told apart from the winner */
    int num_rounds;
    size_t num_samples;
} tern_tuning;

/* A candidate that fails is out, and the others go on. TERN_OK also where none is left: winner is
 * then -1. One that is alone wins untimed. tern_tuning_free frees the candidates. */
TERN_API tern_status tern_tune(tern_context *context, int num_candidates,
                               const tern_tune_options *options, tern_tuning *tuning);
TERN_API void tern_tuning_free(tern_tuning *tuning);

/* What is kept of tunings: a choice for a key, a file each in the cache folder, with the evidence
 * (NULL: none), which nobody reads. The device, its description and this version of tern are
 * added to the key. A reader, and a second writer, sees all of a file or none.
 * TERN_ERROR_UNSUPPORTED: there is no cache folder. */
TERN_API tern_status tern_tuned_keep(tern_context *context, const char *key, const char *choice,
                                     const char *evidence);
/* The caller's: tern_free. NULL and *status TERN_OK: nothing is kept. A file that is damaged is
 * TERN_ERROR_SYSTEM, and tern_message names it. */
TERN_API char *tern_tuned_find(tern_context *context, const char *key, tern_status *status);
/* The key for a function and its arguments: the text of the module's kernels, the class of each
 * argument that `signature` gives; what is to be chosen is left out. A number counts by its value,
 * which `known` must have, where @triton.autotune lists it in `key` or there is no key. A choice is
 * NAME=VALUE a line: constants, num_warps, num_stages. tern_free it; NULL: see tern_message. */
TERN_API char *tern_tuned_key(tern_module *module, const char *function, const char *signature,
                              const tern_value *known, int num_known);

/* ---- comparison ----
 *
 * Two programs, each run in several processes; one figure a process (its median), because the
 * samples of one process are not independent. At most 64 of each are looked at. */

typedef enum tern_verdict { TERN_SAME, TERN_FASTER, TERN_SLOWER, TERN_UNSURE } tern_verdict;
typedef struct tern_comparison {
    tern_verdict verdict; /* of b against a; UNSURE with fewer than 4 of each */
    double ratio;         /* b / a: Hodges-Lehmann estimate on logarithms */
    double low, high;  /* 95 % interval of the ratio, exact by ranks; 0 and infinity: none exists */
    double margin;     /* ratios within 1 -/+ margin count as the same */
    double detectable; /* the smallest relative change that these runs could have told */
    double p; /* chance of ranks at least this far beyond the margin, were there no such change */
} tern_comparison;
TERN_API tern_comparison tern_compare(const double *a, size_t count_a, const double *b,
                                      size_t count_b, double margin);
/* Of many comparisons some look different by chance: by Holm's method, those FASTER and SLOWER
 * whose p does not hold for this many at 5 % together become UNSURE. Returns how many. */
TERN_API int tern_holm(tern_comparison *comparisons, int count);
TERN_API const char *tern_verdict_word(tern_verdict verdict); /* "SAME", "FASTER" .. */

/* ---- sweeps ----
 *
 * A sweep collects figures over values of x, one line a competitor, and turns them into what
 * triton.testing.Benchmark gives: a table, NAME.csv in its exact form, a plot. It belongs to no
 * context; one thread at a time. */

enum { TERN_MAX_X = 4 };
typedef struct tern_sweep tern_sweep;
typedef struct tern_line_style {
    const char *color; /* "blue", "#0072B2"; NULL: the next of a palette that colour-blind readers
                          tell apart */
    const char *dash;  /* "-", "--", ":", "-."; NULL: "-" */
} tern_line_style;
typedef struct tern_sweep_options {
    size_t size;
    const char *name;           /* plot_name: heads the table, names the files */
    const char *const *x_names; /* 1 to TERN_MAX_X; the first is the axis */
    int num_x;
    const char *const *line_names;
    int num_lines;
    const tern_line_style *styles; /* num_lines of them; NULL: the palette */
    const char *x_label;           /* NULL: x_names[0] */
    const char *y_label;           /* the unit: "GB/s" */
    const char *y_title; /* of the plot's axis: "memory throughput"; NULL: the unit alone */
    bool x_log, y_log;
    double ceiling; /* a dashed line at this y; 0: none */
    const char *ceiling_name;
    const struct tern_peaks *peaks; /* saving plots the points with bytes and flops below these
                                       ceilings, too: NAME-roofline; NULL: does not */
} tern_sweep_options;
typedef struct tern_point {
    double x[TERN_MAX_X];
    int line;
    double y, y_min, y_max;    /* NaN for y_min and y_max: no band */
    const char *failed;        /* why there is no y; NULL: there is one */
    const tern_timing *timing; /* for NAME-full.csv; may be NULL; is copied, without samples */
    double bytes, flops;       /* of one run, for the roofline; 0: not known */
    const char *where;         /* which device had it, for tables and CSV; NULL: it goes without
                                  saying */
} tern_point;

/* All is copied. NULL: no memory, or an option that makes no sense. */
TERN_API tern_sweep *tern_sweep_create(const tern_sweep_options *options);
TERN_API void tern_sweep_free(tern_sweep *sweep);
TERN_API tern_status tern_sweep_add(tern_sweep *sweep, const tern_point *point);
/* Texts are the caller's: tern_free. NULL: no memory. Rows are in the order in which x came. */
TERN_API char *tern_sweep_table(tern_sweep *sweep);
TERN_API char *tern_sweep_csv(tern_sweep *sweep, bool full);
TERN_API char *tern_sweep_gnuplot(tern_sweep *sweep);
/* Writes NAME.csv, NAME-full.csv and NAME.gp into folder (made if missing), and through gnuplot,
 * where it is installed, NAME.png, NAME.svg, NAME.pdf (with peaks: NAME-roofline.gp .., too) as
 * formats says ("png,svg"; NULL: all three;
 * "": none). A file that cannot be written whole is an error. tern_sweep_message then says what was
 * written, or what went wrong. */
TERN_API tern_status tern_sweep_save(tern_sweep *sweep, const char *folder, const char *formats);
TERN_API bool tern_plot_format(const char *format); /* "png", "svg" or "pdf" */
TERN_API const char *tern_sweep_message(const tern_sweep *sweep);

/* ---- ceilings ----
 *
 * What this device reaches at best, measured by kernels of ours and kept in the cache folder for
 * the device, its driver or compiler, and this version of tern. */

typedef struct tern_peaks {
    double copy;        /* bytes/s read and written, far beyond the caches */
    double read;        /* bytes/s read, far beyond the caches */
    double cached;      /* bytes/s read and written within the caches */
    double fma;         /* fp32 operations/s, two for each fused multiply-add */
    double tensor;      /* operations/s of a product of random f16 on tensor cores; 0: not known */
    size_t cache_bytes; /* the working set from which `copy` and `read` are the ceiling */
    bool was_cached;    /* not measured now */
    bool is_doubtful; /* measured beside other work, it seems: rounds did not agree, or reading was
                           slower than copying */
} tern_peaks;
/* measure: false gives only what is in the cache folder, else TERN_ERROR_UNSUPPORTED. refresh:
 * measure again. Takes a few seconds when it measures. */
TERN_API tern_status tern_peak(tern_context *context, bool measure, bool refresh,
                               tern_peaks *peaks);

/* ---- hardware counters: of a GPU by CUPTI (CUDA 12.8 on), of the CPU by perf events ---- */
typedef struct tern_hardware {        /* NaN: not counted */
    double read_bytes, written_bytes; /* of memory; cpu: 64 for each miss of the last cache */
    double cache_bytes;               /* cuda: through the L2 cache */
    double active; /* part: mean of multiprocessors, of the busiest; cpu: of its processors' time */
    double warps, issue, tensor, fma; /* cuda: parts of the most, while they have a block */
    double instructions, cycles;      /* cpu */
    const char *missing; /* what was not counted, and why; "": nothing; the counters' */
} tern_hardware;
typedef struct tern_counters tern_counters;
/* One at a time in a process; cpu: of its threads as they are now. NULL: tern_message says why. */
TERN_API tern_counters *tern_counters_open(tern_context *context);
TERN_API void tern_counters_close(tern_counters *counters); /* NULL is allowed */
/* Both wait for all work. What is launched between them runs once, as ever. */
TERN_API tern_status tern_counters_begin(tern_counters *counters);
TERN_API tern_status tern_counters_end(tern_counters *counters, tern_hardware *hardware);

#ifdef __cplusplus
}
#endif

#include "tern_build.h"
#include "tern_prof.h"
#endif
