// SPDX-License-Identifier: Apache-2.0
/* tests: what a kernel that tests its accesses (inside.c) and the cpu device agree on; as abi.h, it
 * is in the text of each such kernel. */
#ifndef TERN_C_TESTS_H
#define TERN_C_TESTS_H

typedef struct KernelRange {
    unsigned long long low, bytes;
} KernelRange;

/* The runtime of such a kernel. */
typedef struct KernelTests KernelTests;
struct KernelTests {
    KernelRuntime runtime;
    const KernelRange *ranges; /* the memory of each parameter */
    /* Elements from an address on to the end of the memory that it is in; 0: it is in none. */
    long long (*room)(KernelTests *tests, unsigned long long address, int size_bytes);
    /* An access outside: which of tern_asserts' texts it is, the lane's number in the tile. Gives
     * 1. */
    int (*outside)(KernelTests *tests, int which, const int *program, long long lane,
                   unsigned long long address);
};

enum { KERNEL_OUTSIDE = KERNEL_ALIGNED + 1 }; /* what a launch fails with then */

#define T_TESTS ((KernelTests *)R)

#endif
