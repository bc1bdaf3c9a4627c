/* SPDX-License-Identifier: Apache-2.0 */
/* tern_build: kernels as plain C that needs no tern. A part of tern.h, which includes it. */
#ifndef TERN_BUILD_PUBLIC_H
#define TERN_BUILD_PUBLIC_H

#include "tern.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What tern_build compiles. A signature may stand for several: "{fp32,fp16}" is one or the other,
 * "{0}" what the first braces are; the promises with a '?', ":16?", hold all or none does; a
 * constant that differs, "{1024,2048}", becomes a parameter of the C function, types that differ
 * become functions. */
typedef struct tern_build_options {
    size_t size;
    const char *name; /* of the C function and the files, an identifier; NULL: the kernel's */
    const char *const *signatures; /* as tern_compile takes them, or patterns */
    int num_signatures;            /* at least 1; at most 256 forms in all */
    const char *const *targets;    /* "cpu:avx512", "sm_90a" ..; a kernel that one of them refuses
                                   fails. NULL: cpu:generic, cpu:avx2, cpu:avx512,
                                   cpu:avx512vnni, cpu:avx512bf16, cpu:amx, sm_75, sm_80,
                                   sm_90a, those of them that take it and, of CPUs, have a text
                                   of their own */
    int num_targets;
    const char *require; /* what a call must fulfil, in Python's words: "columns <= BLOCK", over
                            integer parameters; NULL: nothing */
    int num_warps, num_stages; /* 0: as in tern_options */
    const char *const *cubins; /* GPUs, "sm_90a", for which machine code is added: ptxas must be on
                                  PATH. A device of that major capability takes it and need not
                                  compile; PTX among the targets stays the way out for others */
    int num_cubins;
    bool header_only; /* all of it in the header: no source */
    bool precise;     /* as in tern_options */
    bool tuned;       /* as in tern_options; refused where nothing is kept for any signature */
    const tern_value *known;
    int num_known;
    int block[3]; /* CUDA C: as in tern_options, as shared_bytes; no signature is needed */
    size_t shared_bytes;
    bool torch; /* tern_built.torch is wanted */
} tern_build_options;

/* Texts of files; tern_built_free frees them. header goes into NAME.h, source into NAME.c, which
 * includes it: C11 and C++17 for gcc and clang, no tern. description: JSON, of functions and forms.
 * pkg_config and cmake: NAME.pc and NAMEConfig.cmake, to lie beside them. */
typedef struct tern_built {
    char *header, *source; /* source: NULL with header_only */
    char *description, *pkg_config, *cmake;
    int num_forms;
    char *torch; /* NAME_torch.cpp: the calls as operators of PyTorch; NULL: not asked for */
} tern_built;
TERN_API tern_status tern_build(tern_module *module, const char *function,
                                const tern_build_options *options, tern_built *built);
TERN_API void tern_built_free(tern_built *built);

#ifdef __cplusplus
}
#endif

#endif
