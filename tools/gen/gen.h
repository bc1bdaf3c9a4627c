// SPDX-License-Identifier: Apache-2.0
/* gen: what tools/gen-diff links into the programs that compile many kernels. */
#ifndef TERN_TOOLS_GEN_H
#define TERN_TOOLS_GEN_H

#include "tern.h"

/* One line "HASH TARGET NAME" in $GEN_HASHES. With $GEN_SHOW, a folder that has files "HASH", the
 * text goes into its file of that name instead. */
void gen_text(const char *target, const char *name, const char *text);

/* The targets that texts are compared for; NULL ends them. */
extern const char *const gen_targets[];

/* The part of the library that tern.h has not: IR text to a kernel. */
struct tern_kernel *kernel_from_ir(tern_context *context, const char *text,
                                   const tern_options *options);

#endif
