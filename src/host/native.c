// SPDX-License-Identifier: Apache-2.0
/* native: the functions that a program calls by name. kernels/cuda/host.cuh declares them: what
 * they take is said there alone. */
#include "host/host.h"

const Native *native_find(Str name) {
    static const Native natives[] = {
#define N(name_) {#name_, native_##name_},
        NATIVES(N)
#undef N
    };
    for (int i = 0; i < COUNT(natives); i++)
        if (str_is(name, natives[i].name)) return &natives[i];
    return NULL;
}
