// SPDX-License-Identifier: Apache-2.0
/* findings: what launches on a watched device were seen to do, for callers. */
#include "api/context.h"

#include <errno.h>
#include <stdlib.h>

static const struct {
    const char *name, *cure;
} kinds[] = {
    [TERN_NOT_CHECKED] = {"not-checked", ""},
    [TERN_FOUND_STOP] = {"stopped", ""},
    [TERN_FOUND_OUTSIDE] =
        {"out-of-bounds", "mask the lanes that lie outside (mask=offsets < n), or mend the stride "
                          "or the grid"},
    [TERN_FOUND_RACE] = {"race",
                         "give each program elements of its own, use an atomic, or order the two "
                         "(tl.debug_barrier within a program, two launches between programs)"},
    [TERN_FOUND_UNWRITTEN] = {"uninitialised",
                              "write the tensor before it is read, or mask the read"},
    [TERN_FOUND_OVERFLOW] = {"overflow",
                             "compute the offset in 64 bits: tl.program_id(0).to(tl.int64), or "
                             "stride.to(tl.int64)"},
    [TERN_FOUND_UNDEFINED] = {"no-other",
                              "give the load other=: what leaves the result as it is, 0 for a sum, "
                              "-inf for a maximum"},
    [TERN_FOUND_NAN] = {"nan",
                        "keep the operation from such operands: subtract the maximum before exp, "
                        "guard a row that is all masked, add an epsilon before division"},
    [TERN_FOUND_INFINITY] = {"infinity", "compute in a wider type, or keep the operands smaller"},
    [TERN_FOUND_TWICE] = {"written-twice",
                          "let one program write it: the work is done more than once"},
    [TERN_FOUND_MASK] = {"idle-mask",
                         "drop the mask if no size needs it, or check with a size that does"},
    [TERN_FOUND_UNUSED] = {"unused-load", "drop the load, or use what it gives"},
    [TERN_FOUND_UNCOALESCED] = {"uncoalesced",
                                "let neighbouring lanes access neighbouring elements: swap the "
                                "dimensions of the tile, or transpose the tensor"},
};
_Static_assert(COUNT(kinds) == TERN_NUM_FINDING_KINDS, "each kind has a name");

const char *tern_finding_name(tern_finding_kind kind) {
    return (unsigned)kind < COUNT(kinds) ? kinds[kind].name : NULL;
}

const char *tern_finding_cure(tern_finding_kind kind) {
    return (unsigned)kind < COUNT(kinds) ? kinds[kind].cure : "";
}

static const tern_finding *findings(tern_kernel *kernel, int *count) {
    tern_context *context = kernel->own.context;
    Device *device = &context->device;
    if (!device->ops->loaded_findings || !kernel->texts[WAY_OWN].loaded) return NULL;
    const Findings *found = device->ops->loaded_findings(device, kernel->texts[WAY_OWN].loaded);
    if (!found || !found->count) return NULL;
    free(kernel->findings);
    kernel->findings = calloc((size_t)found->count, sizeof *kernel->findings);
    if (!kernel->findings) {
        context_no_memory(context);
        return NULL;
    }
    for (int i = 0; i < found->count; i++) {
        const Finding *from = &found->list[i];
        tern_finding *to = &kernel->findings[i];
        *to = (tern_finding){
            .kind = from->kind, .words = from->text, .where = from->where, .count = from->count};
        if (!from->span.source) continue;
        to->file = from->span.source->name.data;
        source_position(from->span.source, from->span.start, &to->line, &to->column);
    }
    *count = found->count;
    return kernel->findings;
}

const tern_finding *tern_kernel_findings(tern_kernel *kernel, int *count) {
    int saved = errno;
    *count = 0;
    if (setjmp(kernel->own.context->oom)) {
        context_no_memory(kernel->own.context);
        errno = saved;
        return NULL;
    }
    const tern_finding *found = findings(kernel, count);
    errno = saved;
    return found;
}
