// SPDX-License-Identifier: Apache-2.0
/* npy: NumPy's .npy files, format 1, 2 and 3; behind tern_npy_read and tern_npy_write. */
#ifndef TERN_NPY_H
#define TERN_NPY_H

#include "base/base.h"
#include "tern.h"

/* array->data is from malloc. On failure *why has the words, which begin with the path. */
tern_status npy_read(Arena *arena, const char *path, tern_array *array, Str *why);
tern_status npy_write(Arena *arena, const char *path, const tern_array *array, Str *why);

#endif
