// SPDX-License-Identifier: Apache-2.0
/* host: functions for the host, of the text as the host's compiler sees it, lowered as kernels are,
 * for one thread: what they call is inlined, what CUDA C does not say (malloc, printf, cudaMemcpy:
 * kernels/cuda/host.cuh) is the op `call`, and so is a launch. src/host runs it. */
#include "cuda/front.h"

static const CuDecl *find(const CuModule *m, const char *name) {
    const CuDecl *decl = map_get(&m->decls.names, str_of(name));
    while (decl && (decl->kind != CU_DECL_FUNCTION || !decl->body || decl->is_kernel))
        decl = decl->overload;
    return decl;
}

bool cu_has_host(const CuModule *module, const char *name) { return find(module, name) != NULL; }

/* What main gives, the program exits with. */
static void exits(CuLower *l, const CuCall *call) {
    CuPlace place = call->decl->at->place;
    const CuType *type = cu_type(CU_INT);
    CuVal code = {.type = type, .place = place};
    if (l->panic) return;
    code.value = call->result_at ? cu_load_from(l, call->result_at, type) : cu_int(l, type, 0);
    cu_call_library(l, "exit", 1, &code, place);
}

Func *cu_lower_host(Arena *arena, const CuModule *module, const char *name, Diag *diag) {
    CuOptions options = module->options;
    options.is_host = true;
    module = cu_load(arena, module->source, module->path, &options, diag);
    const CuDecl *decl = module ? find(module, name) : NULL;
    Func *fn = func_new(arena, types_new(arena), str_of(name));
    if (!module) return NULL;
    if (!decl) {
        diag_error(diag, (Span){0}, "no function '%s' for the host here", name);
        return NULL;
    }
    fn->span = cu_span(decl->at->place);
    fn->form = FORM_THREAD;
    for (int i = 0; i < 3; i++) fn->block[i] = 1;
    CuScope globals = {0}, locals = {.outer = &globals};
    CuLaunch launch = {.block = {1, 1, 1}};
    CuLower l = {.arena = arena,
                 .diag = diag,
                 .module = module,
                 .launch = &launch,
                 .fn = fn,
                 .scope = &globals,
                 .globals = &globals,
                 .shared.arena = arena,
                 .known.arena = arena,
                 .texts.arena = arena,
                 .is_host = true};
    CuCall call = {.decl = decl};
    CuSignature signature;
    l.b = (Builder){.fn = fn, .region = fn->body, .span = fn->span};
    l.top = build_int(&l.b, type_scalar(TYPE_I32), 0)->def;
    if (decl->templates) cu_unsupported(&l, decl->at->place, "a template to begin with");
    if (l.panic || !cu_signature(&l, decl, &globals, &signature)) return NULL;
    if (!signature.result ||
        (signature.result->kind != CU_INT && signature.result->kind != CU_VOID))
        cu_unsupported(&l, decl->at->place, "a program that begins with what gives no int");
    if (diag_failed(diag)) return NULL;
    l.scope = &locals;
    call.result = signature.result;
    if (call.result->kind == CU_INT) {
        call.result_at = cu_alloc(&l, call.result, ALLOC_LOCAL, STR(""));
        cu_store_to(&l, call.result_at, call.result, cu_int(&l, call.result, 0));
    }
    call.returned = cu_alloc(&l, cu_type(CU_BOOL), ALLOC_LOCAL, STR(""));
    cu_store_to(&l, call.returned, cu_type(CU_BOOL), build_int(&l.b, type_scalar(TYPE_I1), 0));
    l.call = &call;
    cu_add_params(&l, &signature);
    l.at = decl->body;
    if (!diag_failed(diag)) cu_body(&l);
    exits(&l, &call);
    build_yield(&l.b, 0, NULL);
    return diag_failed(diag) ? NULL : fn;
}
