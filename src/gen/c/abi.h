// SPDX-License-Identifier: Apache-2.0
/* abi: what a generated kernel and the cpu device agree on. The device includes this file, and the
 * head of each generated text has it as it stands: C's own types only, and no #include. */
#ifndef TERN_ABI_H
#define TERN_ABI_H

typedef struct KernelRuntime KernelRuntime;
struct KernelRuntime {
    int (*fail)(KernelRuntime *runtime, int kind, int detail); /* KERNEL_..; gives 1 */
    /* A device_assert that is false; the lane's index in each of `rank` dimensions. Gives 1. */
    int (*fail_assert)(KernelRuntime *runtime, int which, const int *program, int rank,
                       const int *index);
    int (*yield)(KernelRuntime *runtime); /* 1: stop */
    /* index: the lane's in each of `rank` dimensions, then their sizes; what: PRINT_.. */
    void (*print)(KernelRuntime *runtime, const int *program, const char *prefix, int rank,
                  const int *index, int what, int size_bytes, unsigned long long bits);
    /* C's printf, of values as they lie in memory. */
    void (*print_format)(KernelRuntime *runtime, const char *format,
                         const unsigned long long *values);
    long long (*clock)(KernelRuntime *runtime);
    const volatile int *stop; /* 1: the launch is to end; looked at by loops that may have no end */
};

/* The detail is an index into tern_asserts, a line, a line, nothing, a line. */
enum {
    KERNEL_ASSERT = 1,
    KERNEL_WRAPS = 2,
    KERNEL_STEP = 3,
    KERNEL_DEADLOCK = 4,
    KERNEL_ALIGNED = 5 /* it is not: a tensor descriptor */
};

/* The low bits: a row of base/dtypes.def's TYPE rows, or past them a pointer. From PRINT_OPERAND
 * on: 1 + the operand's number, if there are several. */
enum { PRINT_KIND = 63, PRINT_UNSIGNED = 64, PRINT_HEX = 128, PRINT_OPERAND = 256 };

/* tern_kernel runs the programs lo .. hi - 1 of the grid, x fastest; args[i] points at the value of
 * parameter i; scratch is this worker's; stream asks for stores past the caches. 1 after fail. */
typedef int KernelFunction(void **args, const int *grid, long long lo, long long hi, char *scratch,
                           KernelRuntime *runtime, int stream);

/* The elements of tern_facts. */
enum { FACT_SCRATCH_BYTES, FACT_STORED_BYTES /* of a program */, FACT_MAY_SPIN };

#endif
