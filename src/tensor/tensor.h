// SPDX-License-Identifier: Apache-2.0
/* tensor: what the files of this folder share.
 *
 *     session.c    what tensors share: memory, words of errors, scopes
 *     create.c     making tensors, and reading them back
 *     view.c subscript.c    views
 *     promote.c    which type a result has
 *     space.c      broadcasting, a result's strides, and the loops over all operands
 *     emit.c ..    graphs of ops as texts in the Triton language
 *     plan.c       compiled texts, found again by a key of a few words
 *     op.c ..      the ops of the header
 *     tape.h       what is recorded of them, and the way back
 *
 * It stands on tern.h alone, as a user's program does. */
#ifndef TERN_TENSOR_TENSOR_H
#define TERN_TENSOR_TENSOR_H

#include "base/base.h"
#include "tern.h"
#include "tern_tensor.h"

/* ---- storage and tensors ---- */

typedef struct Grad Grad; /* tape.h */

typedef struct Storage {
    int references;
    tern_session *session;
    tern_buffer *buffer;
    size_t size_bytes;
    int size_class;            /* of the session's free lists; -1: the buffer goes with it */
    bool is_users;             /* the buffer is the caller's */
    bool is_counted;           /* in the session's used_bytes */
    void (*release)(void *of); /* called when it goes, or NULL */
    void *released;
    int trace;       /* the trace that it was made in; without a buffer, the one that knows it */
    int64_t version; /* writes in place */
    Grad *history;   /* of what was recorded and written into parts of it; NULL: nothing */
    struct Storage *next, *previous; /* of all; next also of a free list */
} Storage;

struct tern_tensor {
    int references; /* 0: dropped */
    tern_dtype dtype;
    tern_session *session;
    Storage *storage;
    int rank;
    bool is_contiguous;
    int64_t shape[TERN_MAX_RANK], strides[TERN_MAX_RANK];
    int64_t offset, numel;
    Grad *grad;        /* NULL: nothing is recorded of it */
    int noted;         /* 1 + its place in the session's list; 0: no scope knows it */
    tern_tensor *next; /* of the dropped ones, which are used again oldest first */
};

enum { NUM_SIZE_CLASSES = 512 };
enum { MAX_SCOPES = 16 };

typedef struct PlanTable PlanTable;
typedef struct NamedKernel {
    const char *name, *signature;
    tern_kernel *kernel;
} NamedKernel;
typedef struct Trace Trace;
typedef struct Blas Blas; /* blas.c */
/* How products of a type and shape are done, and how that was found. */
typedef struct Tuned {
    const char *key, *evidence;
    int way;
} Tuned;
enum { TUNED_KEY = 240 };

struct tern_session {
    tern_context *context;
    bool on_host, checks_accesses, is_cuda;
    int num_threads; /* of cpu, that share the programs of a launch */
    bool promises; /* kernels are told what is divisible by 16: sim, cuda load more at once then */
    Arena *arena;
    jmp_buf no_memory;
    tern_tensor *free_first, *free_last; /* dropped tensors */
    VEC(tern_tensor *) slabs;            /* each of SLAB_TENSORS */
    int num_live;
    Storage *storages; /* all that tensors hold */
    Storage *free_storages[NUM_SIZE_CLASSES];
    size_t free_bytes;
    tern_print_options print; /* none of it is 0; precision may be */
    size_t used_bytes, most_bytes; /* of storages, free ones too; most 0: no limit */
    bool holds_free;               /* launches are still to come that use them */
    VEC(tern_tensor *) noted;      /* by open scopes; NULL: gone */
    int scopes[MAX_SCOPES], num_scopes;
    int hidden_scopes; /* that do not note what is made now */
    PlanTable *plans;
    VEC(NamedKernel) kernels; /* others: of whole texts */
    Trace *trace;             /* ops are noted in it, not run; NULL: run */
    int num_traces;
    Buf texts;  /* of all kernels */
    bool tunes; /* products are */
    VEC(Tuned) tuned;
    Blas *blas; /* NULL: there is none, or nobody asked */
    bool blas_asked;
    tern_stream *stream; /* of plan_run; NULL: the context's own */
    bool grad_mode, is_freeing, walks_back;
    uint64_t num_nodes, seed;
    int64_t random_turn;    /* counters of Philox that are used up */
    struct TapeNode *dying; /* nodes of the tape that are being freed */
};

/* ---- print.c ---- */
void print_options_fill(tern_print_options *to, const tern_print_options *from); /* from: or NULL */

/* ---- session.c ---- */
tern_status session_fail(tern_session *session, tern_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for functions that return tensors. */
#define session_fail_null(...) ((void)session_fail(__VA_ARGS__), (tern_tensor *)NULL)
/* Around what an op does, for who observes the context; the end is tern_range_pop. A tensor that is
 * NULL counts as a number. */
void op_begin(tern_session *session, const char *name, const tern_operand *operands, int count);
/* The only kernel of a text, compiled on first use; the session's. NULL: said. name: a literal */
tern_kernel *session_kernel(tern_session *session, const char *name, const char *text,
                            const char *signature);
/* Of a kernel that is compiled, for tern_session_kernels. */
void session_add_text(tern_session *session, const char *signature, const char *text);
/* "[2, 3]" */
typedef struct SizesText {
    char text[TERN_MAX_RANK * 21 + 8];
} SizesText;
SizesText sizes_text(const int64_t *sizes, int rank);
/* A new tensor of a storage (whose reference it takes) or of none yet; NULL: no memory. */
tern_tensor *tensor_create(tern_session *session, Storage *storage, tern_dtype dtype, int rank,
                           const int64_t *shape, const int64_t *strides, int64_t offset);
Storage *storage_new(tern_session *session, size_t size_bytes);
Storage *storage_of_buffer(tern_session *session, tern_buffer *buffer, bool is_users);
void storage_drop(Storage *storage);
/* Can it be used? If it is NULL, was dropped, or is of a trace that is over: false, and the latter
 * two are said. */
bool tensor_is_live(const tern_tensor *tensor);
/* Has it values that `what` can have? False, and said: it is only traced. */
bool tensor_has_values(const tern_tensor *tensor, const char *what);

/* ---- trace.c ---- */
Storage *trace_storage_new(Trace *trace, size_t size_bytes);
/* Something was refused: what the function does from there on is not what it would do. */
void trace_fail(Trace *trace, tern_status status);
int trace_serial(const Trace *trace); /* NULL: 0 */

/* ---- create.c ---- */
/* Of sizes that are in order: their product and row-major strides. False: said. */
bool sizes_check(tern_session *session, tern_dtype dtype, int rank, const int64_t *shape,
                 int64_t *numel);
void strides_of(int rank, const int64_t *shape, int64_t *strides);
bool strides_are_contiguous(int rank, const int64_t *shape, const int64_t *strides);
/* No two indices are one element, and there are no gaps. */
bool tensor_is_dense(const tern_tensor *tensor);
/* The elements of the storage from the offset to the last one that the view reaches; 0 if it has
 * none. False: above what 63 bits hold. */
bool view_extent(int rank, const int64_t *shape, const int64_t *strides, int64_t *extent);
int64_t tensor_extent(const tern_tensor *tensor);
/* Of one type, with the same elements of their storages. */
bool is_same_view(const tern_tensor *a, const tern_tensor *b);
/* All elements, row-major, in `to`. */
tern_status tensor_read(const tern_tensor *tensor, void *to);
bool dtype_is_known(tern_dtype dtype);

/* ---- view.c ---- */
/* From -rank .. rank - 1 (of a tensor without dimensions: -1, 0). False: said. */
bool dim_wrap(tern_session *session, int rank, int dim, int *wrapped);
/* Of sizes that are known to fit the storage. */
tern_tensor *view_new(const tern_tensor *tensor, int rank, const int64_t *shape,
                      const int64_t *strides, int64_t offset);

/* Strides of the same elements in other sizes of the same number. False: there are none. */
bool view_strides(const tern_tensor *tensor, int rank, const int64_t *shape, int64_t *strides);
tern_tensor *view_same(const tern_tensor *tensor);

/* ---- promote.c ---- */
const char *torch_type_name(tern_dtype dtype);   /* "Float", "Long", "Bool": as in its errors */
const char *torch_tensor_name(tern_dtype dtype); /* "float", "c10::Half": as in others */
bool dtype_is_integer(tern_dtype dtype);         /* bool is not */
/* TERN_VOID: there is none, which is said. */
tern_dtype promote_types(tern_session *session, tern_dtype a, tern_dtype b);
tern_dtype promote_operands(tern_session *session, const tern_operand *operands, int count);
/* Formulas compute in it; false: tensors hold it, and convert from and to it. */
bool dtype_is_computed(tern_dtype dtype);
bool can_cast(tern_dtype from, tern_dtype to);

#endif
