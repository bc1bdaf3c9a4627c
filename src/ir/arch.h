// SPDX-License-Identifier: Apache-2.0
/* arch: the GPUs that placed form and PTX are for. */
#ifndef TERN_ARCH_H
#define TERN_ARCH_H

#include "base/base.h"

typedef struct Arch {
    const char *name; /* "sm_90a" */
    int number;       /* 90 */
    const char *ptx_version;
    int shared_limit; /* bytes a block may have, opted in */
} Arch;

const Arch *arch_find(Str name);              /* NULL when there is none */
const Arch *arch_at(int index);               /* NULL past the last */
int arch_blocks(const Arch *arch, int bytes); /* for which a multiprocessor has shared memory */

#endif
