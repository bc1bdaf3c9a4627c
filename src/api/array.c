// SPDX-License-Identifier: Apache-2.0
/* array: .npy files through a context. */
#include "api/context.h"
#include "api/npy.h"

#include <errno.h>

static tern_status npy(tern_context *context, const char *path, tern_array *read,
                       const tern_array *write) {
    Str why = {0};
    if (read) *read = (tern_array){0};
    if (setjmp(context->oom)) return context_no_memory(context);
    Arena *arena = context_begin(context);
    tern_status status =
        read ? npy_read(arena, path, read, &why) : npy_write(arena, path, write, &why);
    if (status) context_fail(context, status, "%.*s", STR_ARG(why));
    context_end(context);
    return status;
}

tern_status tern_npy_read(tern_context *context, const char *path, tern_array *array) {
    int saved = errno;
    tern_status status = npy(context, path, array, NULL);
    errno = saved;
    return status;
}

tern_status tern_npy_write(tern_context *context, const char *path, const tern_array *array) {
    int saved = errno;
    tern_status status = npy(context, path, NULL, array);
    errno = saved;
    return status;
}
