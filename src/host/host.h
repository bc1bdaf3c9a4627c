// SPDX-License-Identifier: Apache-2.0
/* host: runs functions for the host of CUDA C: `main` and what it calls.
 *
 *     exec.c     tern_exec: a program from start to end
 *     code.c     the IR of a function -> a row of instructions
 *     run.c      runs them, one after another
 *     memory.c   memory of the host's side: each access is checked
 *     native.c   the table of functions that are called by name
 *     libc.c     those of C
 *     text.c     printf and what is like it
 *     runtime.c  those of CUDA: memory, copies, streams, events
 *     launch.c   kernels
 *     kept.c     what a function leaves for its next call
 *     torch.c    tensors that go in and out
 *     compiled.c the same function by a C++ compiler, where that is asked for
 *
 * The IR is what the front end and the passes make of any function in thread form, the arithmetic
 * that of ir/eval.c: so that constants that are folded and numbers that a program computes are one
 * thing. Every value is a slot of 64 bits that holds it as constants do: narrower ones with zeros
 * above. */
#ifndef TERN_HOST_H
#define TERN_HOST_H

#include "api/context.h"
#include "tern_exec.h"

typedef struct Host Host;

/* ---- memory.c ---- */

typedef enum RangeKind {
    RANGE_VARIABLE,
    RANGE_HEAP,
    RANGE_MANAGED, /* of the host and the device: cudaMallocManaged, cudaMallocHost */
    RANGE_DEVICE,
} RangeKind;

typedef struct Range {
    uint64_t start, size;
    RangeKind kind;
    bool is_open; /* the host may read and write it as it is */
    bool is_freed, is_array;
    bool is_lent;        /* the buffer is the module's */
    bool is_taken;       /* from the caller of the function, who gets it back */
    void *block;         /* what is to be freed at the end; NULL: nothing */
    tern_buffer *buffer; /* of MANAGED and DEVICE */
    void *shared;        /* the buffer's memory, if the device gave it for both; NULL: it is not */
    Str name;            /* of a variable, or what it was allocated by */
    Span freed_at;
    struct Range *next_freed;
} Range;

typedef struct Memory {
    Range **ranges; /* by their starts */
    int count, capacity;
    Range *first_freed, *last_freed; /* kept a while, so that their addresses are known */
    uint64_t bytes_freed;
    Range nowhere, of_compiled; /* of_compiled: all that is in no range, of a compiled text */
} Memory;

/* NULL after host_fail: no memory. `size` zeros of the host, or of a buffer. */
Range *memory_add(Host *h, RangeKind kind, uint64_t size, Str name);
Range *memory_add_buffer(Host *h, RangeKind kind, tern_buffer *buffer, Str name);
void memory_free(Host *h, Range *range); /* by the program */
/* The range that an address is in, or just behind; NULL: none. It may be freed. */
Range *memory_find(Host *h, uint64_t address);
/* Where `bytes` from an address on lie; NULL after host_fail: they are not all in one range that
 * the host may touch. range: or NULL. */
char *memory_at(Host *h, uint64_t address, uint64_t bytes, bool writes, Range **range);
const char *memory_text(Host *h, uint64_t address, uint64_t *length); /* up to a 0 */
/* As memory_at, of either side. NULL after host_fail. */
Range *memory_whole(Host *h, uint64_t address, uint64_t bytes, const char *what);
bool memory_has_own(const Memory *m); /* of a device, which the end of the run frees */
void memory_end(Host *h);

/* ---- code.c ---- */

typedef enum Code {
    CODE_LANE, /* by eval_lane */
    CODE_MOVE,
    CODE_JUMP,
    CODE_JUMP_IF_NOT,
    CODE_LOAD,
    CODE_STORE,
    CODE_ADDPTR32,
    CODE_ADDPTR64,
    CODE_ICMP32,
    CODE_ICMP64,
    CODE_SELECT,
    CODE_EXT_S,
    CODE_FADD32,
    CODE_FSUB32,
    CODE_FMUL32,
    CODE_FDIV32,
    CODE_FADD64,
    CODE_FSUB64,
    CODE_FMUL64,
    CODE_FDIV64,
    CODE_CALL,
    CODE_ASSERT,
    CODE_END,
#define INT(row, ...) CODE_I32_##row, CODE_I64_##row,
#include "ir/ops.def"
} Code;

typedef struct Native Native;
typedef struct Ins {
    Code code;
    int size;             /* of memory, in bytes */
    int to, a, b, c;      /* slots */
    int64_t number;       /* a target, a scale, a predicate */
    const Op *op;         /* for its place, its types */
    const Native *native; /* of a call */
    Range *last;          /* of a load or store: where it went the last time */
} Ins;

typedef struct Program {
    Ins *code;
    int count, num_slots;
    uint64_t *slots;
} Program;

/* False after diag_error or diag_refused. */
bool code_make(Host *h, const Func *fn, Diag *diag);

/* ---- native.c ---- */

typedef struct Call {
    const Op *op;
    int count;
    const uint64_t *args;
    uint64_t result;
} Call;
typedef bool NativeFn(Host *h, Call *call); /* false: the program ends */
struct Native {
    const char *name;
    NativeFn *run;
};
const Native *native_find(Str name); /* NULL: there is none */
/* clang-format off */
#define NATIVES(N)                                                                                \
    N(exit) N(abort) N(__tern_new) N(__tern_delete) N(__tern_delete_array) N(__tern_array)        \
    N(malloc) N(calloc) N(realloc) N(free) N(memcpy) N(memmove) N(memset) N(memcmp) N(strlen)     \
    N(strcmp) N(strncmp) N(strcpy) N(strchr) N(strstr) N(__tern_number) N(__tern_integer)         \
    N(rand) N(srand) N(__tern_clock) N(time) N(getenv) N(printf) N(fprintf) N(sprintf)            \
    N(snprintf) N(fflush) N(__tern_put) N(__tern_math) N(__tern_malloc) N(__tern_free)            \
    N(cudaMemcpy) N(cudaMemset) N(cudaStreamCreate) N(cudaStreamDestroy)                          \
    N(cudaStreamSynchronize) N(cudaEventCreate) N(cudaEventDestroy) N(cudaEventRecord)            \
    N(cudaEventSynchronize) N(cudaEventElapsedTime) N(cudaDeviceSynchronize)                      \
    N(cudaMemGetInfo) N(cudaGetLastError) N(cudaPeekAtLastError) N(__tern_torch_fail) N(__tern_torch_alloc)         \
    N(__tern_torch_size) N(__tern_torch_result) N(__tern_result_float) N(__tern_result_int)       \
    N(__tern_symbol) N(__tern_error_text) N(__tern_device_name)
/* clang-format on */
#define N(name) NativeFn native_##name;
NATIVES(N)
#undef N

/* ---- text.c ---- */

typedef struct Text { /* that a call makes; from malloc */
    char *data;
    size_t length, capacity;
} Text;

/* ---- launch.c ---- */

typedef struct Loaded {
    const char *name;
    uint32_t block[3];
    size_t shared_bytes;
    tern_kernel *kernel;
    tern_argument *arguments; /* of the launch that is made */
    struct Loaded *next;
} Loaded;
bool launch(Host *h, Call *call);
/* The words of a launch: grid, block, bytes of shared memory, a stream, arguments. */
enum { FIRST_ARGUMENT = 8, MOST_ARGUMENTS = 4096 /* bytes of parameters, in PTX */ };
/* NULL after host_fail, or where CUDA has an error, now or from before. */
const Loaded *launch_loaded(Host *h, Str name, const uint64_t *words);
/* As many arguments as the kernel has; false after host_fail. */
bool launch_words(Host *h, const Loaded *loaded, const uint64_t *words, tern_stream *stream);
tern_stream *host_stream(Host *h, uint64_t handle, bool *fine); /* NULL: the default one */
/* What waiting for the device gave. A kernel that failed is said, and is CUDA's error from then on;
 * false: after host_fail. */
bool host_settled(Host *h, tern_status status);
/* Compiles what the function launches once, for blocks that are written or of 256 threads: what is
 * not supported is said before anything runs. False: it is, in the context. */
bool launches_check(Host *h, const Func *fn);

/* ---- kept.c ---- */

/* A function as it was lowered, and the kernels that it launched. */
typedef struct Kept {
    Arena *arena;
    jmp_buf oom;
    char *function;
    const Func *fn;
    Loaded *kernels;
    bool is_busy; /* a call of it runs: one more in it, from an output, is on its own */
    struct Kept *next;
} Kept;
/* NULL: none that this call may use. */
Kept *kept_find(Host *h, const char *function);

/* ---- a run ---- */

enum { NUM_RANDOM = 34 };

struct Host {
    tern_context *context;
    tern_module *module;
    const tern_exec_options *options;
    tern_exec_value *result; /* of a function; NULL: of main */
    Arena *arena;
    jmp_buf oom;
    Memory memory;
    Program program;
    Text text;
    const Ins *now;
    Span place;             /* of what a compiled text does, where there is no `now` */
    const char *place_file; /* where it is in another file; NULL */
    int place_line;
    Kept *kept;      /* NULL: all of this run is freed after it */
    Loaded *kernels; /* of a run that keeps nothing */
    VEC(tern_stream *) streams;
    VEC(tern_event *) events;
    int last_error, sticky_error; /* of CUDA */
    uint32_t random[NUM_RANDOM];
    int random_at;
    bool has_ended, kernel_failed, is_compiled, is_refused;
    int exit_code;
    Diag diag; /* of what stopped it */
};

/* ---- torch.c ---- */

/* What the parameters of a function begin as; false: they do not fit. */
bool torch_arguments(Host *h, const Func *fn, const tern_exec_value *values, int count);
/* The address of an argument that is a tensor. */
bool torch_tensor(Host *h, const tern_exec_value *value, int index, uint64_t *address);
/* A tensor as what the function gives; shape: as many as its rank. */
bool torch_result(Host *h, uint64_t address, int dtype, int rank, const void *shape);

/* ---- compiled.c: by a C++ compiler ---- */
bool compiled_run(Host *h, const char *function, const tern_exec_value *arguments, int count);
bool compiled_program(Host *h);

/* Stops the program; always false. The first one counts. */
bool host_fail(Host *h, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Likewise, of what is right and not supported. */
bool host_unsupported(Host *h, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool run(Host *h);
void host_write(Host *h, int file, const char *text, size_t length);
void random_seed(Host *h, uint32_t seed);

#endif
