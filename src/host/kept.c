// SPDX-License-Identifier: Apache-2.0
/* kept: what a function for the host leaves for its next call: itself as it was lowered, and the
 * kernels that it launched. A call of a wrapper takes microseconds; lowering it, and loading its
 * kernels, takes a thousand. */
#include "host/host.h"

#include <stdlib.h>

static void kept_free(Kept *kept, bool with_kernels) {
    while (kept) {
        Kept *next = kept->next;
        for (Loaded *l = kept->kernels; l && with_kernels; l = l->next) tern_kernel_free(l->kernel);
        arena_free(kept->arena);
        free(kept->function);
        free(kept);
        kept = next;
    }
}

static bool has_arena(Kept *kept) {
    if (setjmp(kept->oom)) return false;
    kept->arena = arena_new(&kept->oom);
    return true;
}

static Kept *kept_new(Host *h, const char *function) {
    Kept *kept = calloc(1, sizeof *kept);
    char *name = kept ? strdup(function) : NULL;
    if (!name || !has_arena(kept)) {
        free(name);
        free(kept);
        return NULL;
    }
    kept->function = name;
    kept->next = h->module->kept;
    h->module->kept_free = kept_free;
    return h->module->kept = kept;
}

Kept *kept_find(Host *h, const char *function) {
    if (!h->result || h->options->host || h->options->builder) return NULL;
    Kept *kept = h->module->kept;
    while (kept && strcmp(kept->function, function)) kept = kept->next;
    if (!kept) kept = kept_new(h, function);
    if (!kept || kept->is_busy) return NULL;
    kept->is_busy = true;
    return kept;
}
