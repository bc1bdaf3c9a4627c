// SPDX-License-Identifier: Apache-2.0
/* compile: front end, then the target's pipeline. */
#include "compile/compile.h"

#include <stdlib.h>

/* What the front end calls the target: sm_90a is "cuda:90". */
static const char *lang_target(Arena *arena, const char *target) {
    if (str_starts(str_of(target), "sm_"))
        return str_format(arena, "cuda:%ld", strtol(target + 3, NULL, 10)).data;
    return str_starts(str_of(target), "cpu") ? "cpu" : "interp";
}

CompiledKernel *compile_kernel(Arena *arena, const CompileRequest *request, Diag *diag) {
    LowerOptions options = {.num_warps = request->num_warps,
                            .num_stages = request->num_stages,
                            .debug = request->debug,
                            .dot_precision = request->dot_precision,
                            .target = lang_target(arena, request->target)};
    CompileRequest behind = *request;
    behind.started_ns = clock_ns();
    Func *fn =
        lower_function(arena, request->module, request->function, request->specs, &options, diag);
    return fn ? compile_ir(arena, fn, &behind, diag) : NULL;
}

CompiledKernel *compile_cuda(Arena *arena, const CuModule *module, const CuKernel *kernel,
                             const CuLaunch *launch, const CompileRequest *request, Diag *diag) {
    CompileRequest behind = *request;
    behind.started_ns = clock_ns();
    CuLaunch of_target = *launch;
    of_target.has_ptx = str_starts(str_of(request->target), "sm_");
    Func *fn = cu_lower(arena, module, kernel, &of_target, diag);
    CompiledKernel *compiled = fn ? compile_ir(arena, fn, &behind, diag) : NULL;
    if (!fn && diag->num_refused)
        diag_help(diag, (Span){0}, "for devices cuda and sim NVRTC compiles it: --builder nvrtc");
    for (int i = 0; compiled && i < compiled->num_params; i++)
        if (compiled->params[i].is_symbol && str_is(compiled->params[i].name, CU_GRID_BARRIER))
            compiled->facts.is_cooperative = true;
    return compiled;
}
