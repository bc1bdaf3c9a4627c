// SPDX-License-Identifier: Apache-2.0
/* keep: TERN_KEEP_PTX=DIR: each PTX text that is made is also written to DIR/HASH.ptx, once. For
 * users who want to see what a program compiled, and for tests, which give all of them to an
 * assembler. What cannot be written is not there: no compilation fails for it. */
#include "compile/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void keep_ptx(Arena *arena, Str text) {
    const char *folder = getenv("TERN_KEEP_PTX");
    Str why;
    if (!folder || !*folder) return;
    size_t size = (size_t)text.length;
    const char *to = str_format(arena, "%s/%016llx%016llx.ptx", folder,
                                (unsigned long long)hash_bytes(text.data, size, 1),
                                (unsigned long long)hash_bytes(text.data, size, 2))
                         .data;
    if (access(to, F_OK) == 0) return;
    const char *part = str_format(arena, "%s.%d-%p", to, (int)getpid(), (void *)arena).data;
    if (!file_write(arena, part, text.data, size, &why) || rename(part, to)) unlink(part);
}
