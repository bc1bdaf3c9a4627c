// SPDX-License-Identifier: Apache-2.0
/* kernel: what a compilation ends in, as devices and the library see it: a text with what launching
 * it needs. A kernel that came from no tile IR has none, so only the interpreter, which runs the
 * IR, may ask for it. */
#ifndef TERN_COMPILE_KERNEL_H
#define TERN_COMPILE_KERNEL_H

#include "base/scalar.h"
#include "base/source.h"
#include "gen/facts.h"
#include "work/work.h"

struct Func; /* ir.h */

typedef struct KernelParam { /* in launch order; parameters that are constants are not here */
    Str name;
    ScalarKind type; /* of a pointer: of what it points to */
    bool is_unsigned, is_pointer;
    bool is_symbol;              /* memory of the module, behind all others: no argument */
    int divisible;               /* what the signature promises; 1: nothing. Pointers: in bytes */
    int source_index;            /* in the source's parameter list, constants counted */
    int packed_at, packed_bytes; /* in the kernel's packs; bytes 0: passed by itself */
} KernelParam;

typedef struct KernelPack { /* a parameter of the text: several of the kernel's may lie in it */
    int at, bytes;
} KernelPack;

typedef struct StepTime { /* a pass, or what comes before and behind them */
    const char *name;
    int64_t ns;
} StepTime;

typedef struct CompiledKernel {
    Arena *arena; /* owns all below */
    Str name;
    Span place; /* of the function in its source; source NULL: unknown */
    int num_params;
    const KernelParam *params;
    int num_packs; /* 0: the text has the same parameters */
    const KernelPack *packs;
    Str text; /* C or PTX; empty for interp */
    GenFacts facts;
    struct Needs *needs; /* of each launch, besides those of its facts; NULL: none */
    const char *target;
    int num_warps, num_stages;
    bool debug, locations;
    const Span *unused; /* loads whose value nothing needs, if the request asked for them */
    int num_unused;
    VEC(StepTime) steps; /* in order; what a pass that runs twice took is there twice */
    Str printed;         /* the IR after the pass that was asked for */
    struct Func *ir;     /* after the target's passes; NULL: the text came from elsewhere */
} CompiledKernel;

/* Adds the step that began at `start_ns` (clock_ns); returns when it ended. */
int64_t kernel_step(CompiledKernel *kernel, const char *name, int64_t start_ns);

const KernelParam *kernel_params(Arena *arena, const struct Func *fn);

/* What a kernel does beside computing, from its tile IR. */
typedef struct KernelUse {
    int grid_axes; /* it asks for program_id or num_programs of axes below this */
    bool prints;
    bool *written; /* of each parameter: stored through; all, where an address's base is not seen */
} KernelUse;
KernelUse kernel_use(Arena *arena, const CompiledKernel *kernel);
void kernel_print_ir(Buf *out, const CompiledKernel *kernel); /* nothing where there is none */
/* Where its ops come from: first its own; in the order in which they are met. */
typedef struct KernelSources {
    VEC(const Source *) list;
} KernelSources;
KernelSources kernel_sources(Arena *arena, const CompiledKernel *kernel);
/* May the text run so? Else it is to be compiled without tensor maps, and without needs. args: ints
 * extended to 64 bits. Nothing is allocated. */
bool kernel_allows(const CompiledKernel *kernel, const uint64_t *args, const uint64_t *rooms,
                   const uint32_t grid[3]);
/* As work_count (work.h). */
const char *kernel_work(Arena *arena, const CompiledKernel *kernel, const uint32_t grid[3],
                        const uint64_t *args, Work *work);

#endif
