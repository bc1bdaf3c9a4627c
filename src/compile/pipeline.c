// SPDX-License-Identifier: Apache-2.0
/* pipeline: the passes for each target, in order, then its back end. */
#include "compile/compile.h"
#include "gen/target.h"
#include "ir/trips.h"
#include "opt/opt.h"

static const char LOWER[] = "lower"; /* before the passes: what the front end gave */

/* The interpreter is what others are compared with: only what makes it bearable, nothing that moves
 * computations about. */
static const char *const interp_passes[] = {"fold", "cse", "dce", NULL};
/* shape before licm, so that what leaves a loop is scalar where it can be; the second fold and cse
 * pick up what shape uncovered. */
#define GENERATED "fold", "cse", "shape", "fold", "shape", "licm", "fold", "cse", "dce", "carry"
static const char *const cpu_passes[] = {"dots", GENERATED, NULL};
/* contract: behind licm, so that a product that leaves a loop stays out of it. shape: what carry
 * added to an address is uniform, and joins its uniform part. */
static const char *const gpu_passes[] = {"dots", "bounds",   GENERATED, "contract", "shape",
                                         "sink", "together", "dce",     NULL};
/* Of thread form: what a thread keeps for itself becomes values first. */
#define THREAD_VALUES "fold", "promote", "fold", "cse"
#define THREAD_REST   "contract", "licm", "fold", "cse", "dce"
#define THREAD_PASSES THREAD_VALUES, THREAD_REST
/* unroll: what was an array's element in each turn is a value of its own then. */
static const char *const thread_passes[] = {THREAD_VALUES, "unroll", THREAD_VALUES, THREAD_REST,
                                            NULL};
/* As the C compiler's for the host: no product and sum become one. */
static const char *const host_passes[] = {"fold", "promote", "fold", "cse", "licm",
                                          "fold", "cse",     "dce",  NULL};
/* Where there are no threads; what follows is as for program form. */
static const char *const spread_passes[] = {THREAD_PASSES, "spread", NULL};
/* On a copy: the program stays, for counting what it does. */
static const char *const gpu_placing[] = {
    "backwards", "bare",  "pieces", "sums",   "longest", "unmask", "lanes", "guard",
    "rotate",    "place", "keep",   "bring",  "rings",   "behind", "hold",  "early",
    "share",     "soon",  "waits",  "scaled", "fence",   "apart",  NULL};

static const struct Pipeline {
    const char *prefix; /* of the target's name */
    const char *const *passes;
    const char *const *placing; /* from program form to placed form; NULL: there is none */
    const char *const *threads; /* of thread form; where they end in spread form, `passes` follow */
    const Target *target;       /* NULL: none, the IR is what runs */
} pipelines[] = {
    {"interp", interp_passes, NULL, spread_passes, NULL},
    {"cpu:", cpu_passes, NULL, spread_passes, &target_c},
    {"sm_", gpu_passes, gpu_placing, thread_passes, &target_ptx},
};

static const struct Pipeline *pipeline_find(const char *target) {
    for (int i = 0; i < COUNT(pipelines); i++) {
        const struct Pipeline *p = &pipelines[i]; /* a back end knows the rest of the name */
        if (p->target ? str_starts(str_of(target), p->prefix) : !strcmp(target, p->prefix))
            return p;
    }
    return NULL;
}

static void verify(Arena *arena, const Func *fn, const char *after, Diag *diag) {
    const Op *where = NULL;
    const char *why = func_verify_at(arena, fn, &where);
    if (!why) return;
    Span span = where && where->span.source ? where->span : fn->span;
    if (after)
        diag_error(diag, span, "internal error: invalid IR after '%s': %s", after, why);
    else
        diag_error(diag, span, "invalid IR: %s", why);
}

static void keep_text(CompiledKernel *kernel, const Func *fn, const CompileRequest *request,
                      const char *pass) {
    if (!request->print_after || strcmp(request->print_after, pass)) return;
    Buf out = {.arena = kernel->arena};
    func_print(&out, fn, request->locations);
    kernel->printed = buf_str(&out); /* of a pass that runs twice, the last */
}

int64_t kernel_step(CompiledKernel *kernel, const char *name, int64_t start_ns) {
    int64_t now = clock_ns();
    vec_push(kernel->arena, &kernel->steps, (StepTime){name, now - start_ns});
    return now;
}

static bool run_passes(PassCtx *px, CompiledKernel *kernel, Func *fn, const char *const *passes,
                       const CompileRequest *request) {
    int64_t start = clock_ns();
    for (int i = 0; passes[i]; i++) {
        const Pass *pass = pass_find(str_of(passes[i]));
        if (!pass) BUG("pipeline names a pass that is not: %s", passes[i]);
        const Facts *known = px->facts;
        bool changed = pass->run(px, fn);
        if (changed && px->facts == known) px->facts = NULL; /* of what it was before */
        /* Lowering believes places without asking, so they are always looked at, when they have
         * changed and at the end. */
        bool looked_at =
            request->verify || (fn->form == FORM_PLACED && (changed || !passes[i + 1]));
        if (looked_at && !diag_failed(px->diag)) verify(kernel->arena, fn, pass->name, px->diag);
        if (diag_failed(px->diag)) return false;
        keep_text(kernel, fn, request, pass->name);
        start = kernel_step(kernel, pass->name, start);
    }
    func_renumber(fn);
    return true;
}

/* What the back end takes; NULL after a diagnostic. What is placed already stays as it is
 * placed. */
static Func *lowered(PassCtx *px, CompiledKernel *kernel, const struct Pipeline *pipeline,
                     const CompileRequest *request) {
    Func *fn = kernel->ir;
    bool placed = fn->form == FORM_PLACED, thread = fn->form == FORM_THREAD;
    keep_text(kernel, fn, request, LOWER);
    if (thread && !run_passes(px, kernel, fn, pipeline->threads, request)) return NULL;
    bool tiles = fn->form == FORM_PROGRAM || fn->form == FORM_SPREAD;
    if (tiles && !run_passes(px, kernel, fn, pipeline->passes, request)) return NULL;
    bool copies = pipeline->placing && !thread;
    if (copies && !placed) fn = func_copy(fn);
    /* A text of IR has no other for launches that are not so. */
    if (request->asks && request->module && fn->form != FORM_THREAD && fn->form != FORM_SPREAD)
        px->needs = needs_new(kernel->arena, fn, fn->num_params);
    if (copies) {
        if (!run_passes(px, kernel, fn, pipeline->placing, request)) return NULL;
    }
    if (!request->print_after || kernel->printed.length) return fn;
    diag_error(px->diag, (Span){0}, "no pass '%s' runs for target '%s'", request->print_after,
               request->target);
    return NULL;
}

/* Stops a walk at a ring, or what is put by, which the cpu's back end does not make. */
static bool is_no_ring(Op *op, void *ring) {
    *(const Op **)ring = op;
    return op->kind != OP_RING && op->kind != OP_STOW && op->kind != OP_FETCH;
}

/* Says why a target does not take what was lowered for another. */
static void check_target(const Func *fn, const struct Pipeline *pipeline, const char *target,
                         Diag *diag) {
    const Arch *arch = arch_find(str_of(target));
    bool makes_rings = !pipeline->target || pipeline->placing;
    const Op *ring;
    if (fn->form == FORM_PLACED && pipeline->target && !str_is(fn->target, target)) {
        diag_error(diag, fn->span, "IR that is placed for %.*s, not for %s", STR_ARG(fn->target),
                   target);
    } else if (fn->form == FORM_SPREAD && pipeline->placing) {
        diag_refused(diag, fn->span, "IR in spread form on target '%s'", target);
        diag_help(diag, fn->span, "GPUs take the thread form that it was made of");
    } else if (func_cluster(fn) > 1 && (!pipeline->placing || (arch && arch->number < 90))) {
        diag_refused(diag, fn->span, "a program of several blocks on target '%s'", target);
    } else if (!makes_rings && !region_walk(fn->body, is_no_ring, &ring)) {
        diag_refused(diag, ring->span, "'%s' on target '%s': %s for it yet",
                     op_info(ring->kind)->name, target,
                     ring->kind == OP_RING ? "asynchronous copies into shared memory are not made"
                                           : "rows are not put by");
    }
}

static int num_warps_of(const Func *fn, const CompileRequest *request) {
    if (fn->form == FORM_THREAD || fn->form == FORM_SPREAD) return (func_threads(fn) + 31) / 32;
    if (fn->form == FORM_PLACED) return fn->num_warps;
    return request->num_warps ? request->num_warps : 4;
}

/* What was asked of each launch on the way, if anything was. */
static void keep_needs(CompiledKernel *kernel, Needs *needs) {
    if (!needs || !needs_close(needs)) return;
    kernel->needs = needs;
    if (needs_asks_apart(needs))
        vec_push(kernel->arena, &kernel->facts.notes,
                 STR("parameters do not overlap: each launch is asked"));
    if (needs_asks_positive(needs))
        vec_push(kernel->arena, &kernel->facts.notes,
                 STR("rows scaled once, by what is above 0: each launch is asked"));
}

CompiledKernel *compile_ir(Arena *arena, Func *fn, const CompileRequest *request, Diag *diag) {
    const struct Pipeline *pipeline = pipeline_find(request->target);
    if (!pipeline) {
        diag_error(diag, (Span){0}, "there is no target '%s'", request->target);
        diag_help(diag, (Span){0},
                  "targets are interp, cpu, and for GPUs sm_75, sm_90a and the like");
        return NULL;
    }
    verify(arena, fn, NULL, diag);
    if (!diag_failed(diag)) check_target(fn, pipeline, request->target, diag);
    if (diag_failed(diag)) return NULL;
    CompiledKernel *kernel = arena_new_of(arena, CompiledKernel);
    *kernel = (CompiledKernel){.arena = arena,
                               .name = fn->name,
                               .place = fn->span,
                               .num_params = fn->num_params,
                               .params = kernel_params(arena, fn),
                               .ir = fn,
                               .target = str_c(arena, str_of(request->target)),
                               .num_warps = num_warps_of(fn, request),
                               .num_stages = request->num_stages ? request->num_stages : 3,
                               .debug = request->debug,
                               .locations = request->locations};
    if (request->started_ns) kernel_step(kernel, "front end", request->started_ns);
    if (request->watch) kernel->unused = func_unused_loads(arena, fn, &kernel->num_unused);
    fn->num_warps = kernel->num_warps;
    fn->num_stages = kernel->num_stages;
    fn->overlaps = request->overlaps;
    PassCtx px = {.scratch = arena,
                  .diag = diag,
                  .target = kernel->target,
                  .precise = request->precise,
                  .maps = request->maps,
                  .clusters = request->clusters};
    if (!(fn = lowered(&px, kernel, pipeline, request))) return NULL;
    if (!pipeline->target) return kernel;
    bool has_colon = strchr(kernel->target, ':') != NULL;
    GenOptions options = {.arch = has_colon ? strchr(kernel->target, ':') + 1 : kernel->target,
                          .debug = request->debug,
                          .precise = request->precise,
                          .bounds = request->bounds,
                          .maps = request->maps,
                          .walks = request->walks,
                          .few = request->few,
                          .line_info = true,
                          .facts = px.facts,
                          .needs = px.needs};
    Buf text = {.arena = arena};
    int64_t start = clock_ns();
    if (!pipeline->target->generate(fn, &options, diag, &text, &kernel->facts)) return NULL;
    kernel_step(kernel, "generate", start);
    keep_needs(kernel, px.needs);
    kernel->text = buf_str(&text);
    if (pipeline->target == &target_ptx) keep_ptx(arena, kernel->text);
    return kernel;
}

Func *compile_host(Arena *arena, const CuModule *module, const char *name, Diag *diag) {
    Func *fn = cu_lower_host(arena, module, name, diag);
    CompiledKernel kernel = {.arena = arena, .ir = fn};
    CompileRequest request = {.target = "host"};
    PassCtx px = {.scratch = arena, .diag = diag, .target = request.target};
    if (fn) verify(arena, fn, NULL, diag);
    if (!fn || diag_failed(diag)) return NULL;
    return run_passes(&px, &kernel, fn, host_passes, &request) ? fn : NULL;
}

CompiledKernel *compile_text(Arena *arena, const Source *source, const CompileRequest *request,
                             Diag *diag) {
    Func *fn = func_parse(arena, source, diag);
    return fn ? compile_ir(arena, fn, request, diag) : NULL;
}

const char *compile_pass_name(int index) {
    const Pass *pass = pass_at(index - 1);
    return pass ? pass->name : index == 0 ? LOWER : NULL;
}
