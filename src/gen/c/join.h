// SPDX-License-Identifier: Apache-2.0
/* join: several generated kernels in one file of C, for more than one instruction set.
 *
 * Kernels of one instruction set share a prelude. Names at file scope get a suffix that keeps them
 * apart: those of the prelude the instruction set's name, those of a kernel the kernel's own, so
 * that tern_kernel of "softmax_0" for avx2 is tern_kernel_softmax_0_avx2. */
#ifndef TERN_GEN_C_JOIN_H
#define TERN_GEN_C_JOIN_H

#include "base/base.h"

typedef struct JoinPart {
    const char *text; /* of a kernel, behind its prelude (GenFacts.prelude_bytes) */
    const char *name;
} JoinPart;

/* arch: a name of base/cpus.def. The first text of a file brings gen/c/abi.h with it. */
void join_write(Buf *out, const char *arch, int count, const JoinPart *parts);

#endif
