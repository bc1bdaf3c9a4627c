// SPDX-License-Identifier: Apache-2.0
/* compile: source text -> kernel. pipeline.c lists the steps for each target. */
#ifndef TERN_COMPILE_H
#define TERN_COMPILE_H

#include "compile/kernel.h"
#include "cuda/cu.h"
#include "lang/lang.h"

/* Texts that are slow to make, by all that they are made of; any part may be missing. */
typedef struct TextCache {
    void *user;
    Str (*find)(void *user, Arena *arena, Str made_of); /* empty: it is not kept */
    void (*keep)(void *user, Arena *arena, Str made_of, Str text);
} TextCache;

typedef struct CompileRequest {
    Module *module;
    const JitFunction *function;
    const Spec *specs;
    const char *target;        /* "interp", "cpu:avx512", "sm_90a" .. */
    int num_warps, num_stages; /* 0: default (4; 3) */
    bool debug;
    bool precise;              /* gpu: as tern_options has it */
    const char *dot_precision; /* likewise */
    bool maps;                 /* gpu: who launches makes the tensor maps that facts ask for */
    bool asks;                 /* who launches asks each launch what the text takes for granted */
    bool overlaps;             /* .. and one was not so: parameters may overlap */
    bool walks;                /* gpu: who launches cuts the grid where facts say so */
    bool few;                  /* gpu: of no more programs than run at a time (GenFacts.few) */
    bool clusters;             /* gpu: who launches multiplies the grid where facts say so */
    const char *print_after;   /* a pass's name: its IR is kept in `printed` */
    bool locations;            /* with the place of each op; so has the IR after all passes */
    bool verify;               /* run the verifier after each pass */
    bool bounds;               /* cpu: accesses are tested */
    bool watch;                /* find loads whose value nothing needs */
    const TextCache *cache;    /* of NVRTC's PTX; NULL: none */
    int64_t started_ns;        /* compile_ir: when the front end began; 0: there was none */
} CompileRequest;

/* NULL after diag_error / diag_refused. */
CompiledKernel *compile_kernel(Arena *arena, const CompileRequest *request, Diag *diag);

/* Likewise a kernel of CUDA C, for blocks of one shape; request: but for the function. */
CompiledKernel *compile_cuda(Arena *arena, const CuModule *module, const CuKernel *kernel,
                             const CuLaunch *launch, const CompileRequest *request, Diag *diag);

/* A function for the host, what it calls inlined: src/host runs it. */
Func *compile_host(Arena *arena, const CuModule *module, const char *name, Diag *diag);

/* The steps behind the front end, for IR that came from elsewhere (tests, .tir files). */
CompiledKernel *compile_ir(Arena *arena, Func *fn, const CompileRequest *request, Diag *diag);
/* Likewise from the IR's text. */
CompiledKernel *compile_text(Arena *arena, const Source *source, const CompileRequest *request,
                             Diag *diag);

const char *compile_pass_name(int index); /* 0: "lower", no pass ran yet; NULL past the last */

/* TERN_KEEP_PTX: see keep.c. */
void keep_ptx(Arena *arena, Str text);

#endif
