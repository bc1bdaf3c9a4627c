// SPDX-License-Identifier: Apache-2.0
/* nvrtc: NVIDIA's compiler as a library, found when it is asked for. */
#ifndef TERN_NVRTC_H
#define TERN_NVRTC_H

#include "compile/compile.h"

/* compile_cuda by NVRTC: the whole language, to PTX for a GPU. */
CompiledKernel *compile_nvrtc(Arena *arena, const CuModule *module, const CuKernel *kernel,
                              const CuLaunch *launch, const CompileRequest *request, Diag *diag);

/* A text of PTX with one of its entries, and of the variables those that it names; empty: it has no
 * such entry. */
Str ptx_with_entry(Arena *arena, Str text, Str entry);

#endif
