// SPDX-License-Identifier: Apache-2.0
/* launch: from the values of arguments to a compiled kernel and a list of tern_argument. Infers the
 * signature from the values as Triton does: ints that are 1 or divisible by 16 and pointers that
 * are aligned to 16 bytes are specialised. */
#ifndef TERN_CLI_LAUNCH_H
#define TERN_CLI_LAUNCH_H

#include "cli/cli.h"
#include "cli/values.h"

typedef struct LaunchArg {
    const tern_function_parameter *parameter;
    ArgValue *value;     /* NULL: left to the parameter's default */
    tern_buffer *buffer; /* of a tensor, once there is one */
    const char *literal; /* goes into the signature as it is, instead of the value; or NULL */
    size_t offset_bytes; /* tensors: of the first element in the buffer */
    int align;           /* tensors: bytes that the pointer may be promised to be divisible by */
    bool is_part;        /* of a tuple or tensor descriptor: NAME.0, NAME.base, NAME.shape.1 .. */
    bool is_shared;      /* its buffer belongs to an argument before it, which is the same tensor */
} LaunchArg;

/* Appends the parts of tuples and tensor descriptors, so that each tensor and number that goes to
 * the kernel is an argument; args is replaced. */
void launch_parts(Arena *arena, LaunchArg **args, int *count);

/* The signature, in the order of the parameters: "*fp32:16,i32,1024"; what follows one that is left
 * out is given by name. False: a value that no parameter can take, refused in *why. */
bool launch_signature(Buf *out, const LaunchArg *args, int count, Str *why);
/* The run-time arguments of a compiled kernel. False: *why. */
bool launch_arguments(Arena *arena, const tern_kernel *kernel, const LaunchArg *args, int count,
                      tern_argument **arguments, int *num_arguments, Str *why);
double launch_median(double *times, int count); /* which it sorts */
/* From here on, a crash inside a kernel ends the command with words and EXIT_WRONG. */
void launch_guard_crashes(void);

#endif
