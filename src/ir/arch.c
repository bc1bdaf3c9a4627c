// SPDX-License-Identifier: Apache-2.0
/* arch: the table of GPUs.
 *
 * The oldest PTX version that has what is used for each (PTX ISA, "Release notes"). Shared memory:
 * CUDA programming guide, "Technical specifications per compute capability", less 1 KB of the
 * system. */
#include "ir/arch.h"

static const Arch archs[] = {
    {"sm_75", 75, "7.4", 64 * 1024},   {"sm_80", 80, "7.4", 163 * 1024},
    {"sm_86", 86, "7.4", 99 * 1024},   {"sm_89", 89, "7.8", 99 * 1024},
    {"sm_90a", 90, "8.0", 227 * 1024}, {"sm_100", 100, "8.6", 227 * 1024},
    {"sm_120", 120, "8.7", 99 * 1024},
};

const Arch *arch_at(int index) { return index >= 0 && index < COUNT(archs) ? &archs[index] : NULL; }

const Arch *arch_find(Str name) {
    for (int i = 0; i < COUNT(archs); i++)
        if (str_is(name, archs[i].name)) return &archs[i];
    return NULL;
}

int arch_blocks(const Arch *arch, int bytes) {
    enum { RESERVED = 1024 }; /* of the system, for each block */
    return (arch->shared_limit + RESERVED) / (bytes + RESERVED);
}
