/* SPDX-License-Identifier: Apache-2.0 */
/* tern_exec: whole programs, their host's side too. Over tern.h, as that says. */
#ifndef TERN_EXEC_H
#define TERN_EXEC_H

#include "tern.h"
#include "tern_tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tern_exec_options {
    size_t size;
    int num_arguments; /* as main's argc and argv: the first is the program's name */
    const char *const *arguments;
    tern_output *output, *errors; /* stdout, stderr, as the program writes; NULL: nowhere. fflush is
                                     an empty text to output */
    void *user;                   /* for these two */
    const char *builder;          /* of its kernels, as tern_options has it; NULL: tern */
    const char *host; /* NULL: what it does on the host is evaluated; "c++": compiled by the C++
                         compiler found ($TERN_CXX, c++, g++, clang++). Then it is not checked, and
                         writes to the process's own stdout and stderr */
    /* Memory of the tensors that a function makes; what is no result of it is given back before it
     * returns. NULL: tern_alloc and tern_buffer_free. A result's buffer is the caller's. */
    tern_buffer *(*take)(void *memory_user, size_t size_bytes);
    void (*give_back)(void *memory_user, tern_buffer *buffer);
    void *memory_user;
} tern_exec_options;
/* Runs `main` of a CUDA C file, its kernels on the context's device. The host's part is evaluated:
 * it needs no compiler, and an access outside of its memory, or of memory that was freed, is
 * TERN_ERROR_KERNEL at its line, no crash. What is not supported is TERN_ERROR_UNSUPPORTED before
 * anything ran. *exit_code: what main returned, or exit was given; 1 where it is 0 and a kernel
 * failed. options may be NULL. What kernels print goes where tern_set_output says. */
TERN_API tern_status tern_exec(tern_module *module, const tern_exec_options *options,
                               int *exit_code);

typedef enum tern_exec_kind {
    TERN_EXEC_NOTHING,
    TERN_EXEC_INT,
    TERN_EXEC_FLOAT,
    TERN_EXEC_TENSOR,
} tern_exec_kind;
typedef struct tern_exec_value {
    const char *name; /* NULL, or that of the parameter, which is checked */
    tern_exec_kind kind;
    int64_t integer;
    double number;
    tern_buffer *buffer; /* of a tensor: its elements, row-major, without gaps */
    tern_dtype dtype;
    int rank;
    int64_t shape[TERN_MAX_RANK];
} tern_exec_value;
/* Calls a function of the host of a CUDA C file, as PyTorch's load_inline makes them callable:
 *
 *     torch::Tensor square(torch::Tensor x) { .. kernel<<<1, 64>>>(x.data_ptr<float>(), ..
 *
 * Parameters are numbers and torch::Tensor. What it gives is stored in *result; a tensor's buffer
 * is the caller's to free, unless it is that of an argument. A TORCH_CHECK that fails is
 * TERN_ERROR_KERNEL at its line; else as tern_exec. options may be NULL. */
TERN_API tern_status tern_exec_function(tern_module *module, const char *function,
                                        const tern_exec_options *options,
                                        const tern_exec_value *arguments, int num_arguments,
                                        tern_exec_value *result);

typedef struct tern_script_options {
    size_t size;
    tern_output *output; /* gets what the script and its kernels print */
    void *user;
    const char *const *include_dirs; /* what it imports is looked for beside it and here */
    int num_include_dirs;
    const volatile int *interrupted; /* when it changes the script gets a KeyboardInterrupt; or
                                        NULL */
    tern_output *errors; /* gets what is to be known of what was printed; NULL: nowhere */
    /* Folders in which it may write: perf_report's save_path, export_chrome_trace. */
    const char *const *write_dirs;
    int num_write_dirs;
    const char *const *read_dirs; /* folders in which it may read: open(..).read() */
    int num_read_dirs;
    const char *text; /* runs this, and the path is a name only; NULL: the file */
    int most_points;  /* a perf_report goes through so many of its x_vals, the first; 0: all */
    const char *const *arguments; /* sys.argv after the file's path; UTF-8 */
    int num_arguments;
    double most_x; /* a perf_report leaves out x_vals above so much of their largest: 0.125 is an
                      eighth; the least stays; 0: none. A table that is cut says so beneath */
    /* "NAME=VALUE": each assignment `NAME = ..` of the file gives this value, an expression of the
     * file; "FUNCTION.NAME=VALUE" those of a function, and its parameter whatever a call gives. A
     * name that is nowhere assigned is an error, exit code 2. Not of kernels. */
    const char *const *settings;
    int num_settings;
    size_t most_memory; /* bytes that its values may have, and, beside them, its tensors. 0: 1 GiB
                           and what the session may have. More is a MemoryError, of tensors a
                           RuntimeError in PyTorch's words */
} tern_script_options;
/* Runs a Python file from the top, with modules torch and triton of tern's own, and no Python:
 * doc/exec.md says what of them there is. It reaches no files but modules beside it and what
 * write_dirs allows, no network, no processes. *exit_code: 0, 1 after an exception, 2 where it
 * does not parse, 3 where it needs what is not supported, or what it gave to sys.exit.
 * *complaint, to be freed with tern_free: the exception with its place, or NULL. Its kernels run
 * on the session's device. */
TERN_API tern_status tern_run_script(tern_session *session, const char *path,
                                     const tern_script_options *options, int *exit_code,
                                     char **complaint);

/* Runs a Python file, then one of its functions as torch.compile(function, fullgraph=True) does,
 * for these arguments, by their names. *text, to be freed with tern_free: what it became. Kind 0: a
 * file of kernels in the Triton language with a function that launches them, the file's lines above
 * what became of them; kind 1: which op went where, and why. NULL where the exit code is not 0. */
TERN_API tern_status tern_fuse_script(tern_session *session, const char *path, const char *function,
                                      const tern_script_options *options,
                                      const tern_exec_value *values, int num_values, int kind,
                                      int *exit_code, char **text, char **complaint);

#ifdef __cplusplus
}
#endif

#endif
