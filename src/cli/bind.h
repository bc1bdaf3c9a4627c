// SPDX-License-Identifier: Apache-2.0
/* bind: from what the user gave (-a, --grid, --config ..) to a compiled kernel with its arguments
 * on the device. For all commands that launch kernels.
 *
 * A parameter that is not given gets its value from, in this order: what `tern tune` has found for
 * the arguments, the @triton.autotune config, @triton.heuristics, its default. */
#ifndef TERN_CLI_BIND_H
#define TERN_CLI_BIND_H

#include "cli/launch.h"

typedef struct PointVariable { /* visible in -a, --grid .., and a kernel's argument, or an option of
                                * the launch, where it is one */
    Str name;
    const char *text; /* in the value language */
} PointVariable;

typedef struct Bound {
    Cli *cli;
    tern_context *context;
    tern_module *module;
    const tern_function *function;
    tern_kernel *kernel;
    Diag diag;
    Env env;
    LaunchArg *args;
    int num_args;
    uint32_t grid[3];
    int grid_rank, config, num_configs;
    int num_warps, num_stages;
    Str signature;
    double compile_ms;
    size_t red_zone_bytes; /* round each buffer; 0: none */
    bool keeps_ir;         /* compile with the IR before all passes, and with places in IR */
    bool is_guest;         /* the context and the module are another's */
    const char *tuned;     /* the choice of `tern tune` that was taken; NULL: none */
} Bound;

/* Each returns an ExitCode, after complaining. bound_close takes what bound_open left, failed or
 * not. */
int bound_open(Bound *bound, Cli *cli, const char *device, const char *operand);
/* The variables of a sweep: these need not be parameters. Before bound_values. */
int bound_variables(Bound *bound, const PointVariable *variables, int count);
/* The option that a variable sets, "num-warps" for num_warps, num_stages, config, unless the kernel
 * has a parameter of this name; else NULL. */
const char *bound_option(const Bound *bound, Str name);
/* In the context and of the module of `host`, which outlives it. */
void bound_share(Bound *bound, Cli *cli, const Bound *host);
int bound_given(Bound *bound); /* what -a gives alone */
/* The values so far, of what is no tensor, as literals; how many. */
int bound_known(Bound *bound, tern_value **known);
int bound_values(Bound *bound);
int bound_compile(Bound *bound);
int bound_upload(Bound *bound);   /* tensors get their buffers */
int bound_download(Bound *bound); /* and back into the tensors' storages */
/* Between upload and launch nothing but the tensors' own bytes may change: names the argument that
 * a kernel wrote outside of. */
int bound_check_zones(Bound *bound);
int bound_fail_diag(Bound *bound);
Str bound_choice(const Bound *bound, Arena *arena); /* "*fp32:16,i32,1024, 4 warps, 3 stages" */
LaunchArg *bound_arg(const Bound *bound, Str name); /* NULL: no such parameter */
void bound_close(Bound *bound);

#endif
