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

/* What main gives, the program exits with; what other functions give is handed over. */
static void ends(CuLower *l, const CuCall *call) {
    CuPlace place = call->decl->at->place;
    bool is_main = str_is(call->decl->name, "main");
    CuVal val = {.type = call->result, .value = call->result_at, .is_place = true, .place = place};
    if (l->panic || (!is_main && !call->result_at)) return;
    if (!call->result_at)
        val = (CuVal){.type = cu_type(CU_INT), .value = cu_int(l, cu_type(CU_INT), 0)};
    cu_call_library(l, is_main ? "exit" : "__tern_result", 1, &val, place);
}

static bool is_tensor(const CuType *type) {
    return type->kind == CU_STRUCT && type->record->decl &&
           str_is(type->record->decl->name, "Tensor") && !type->record->args.count;
}

/* Of main what C says; else numbers and tensors, references being to what the caller has. */
static bool may_begin(CuLower *l, const CuDecl *decl, CuSignature *signature) {
    bool is_main = str_is(decl->name, "main");
    const CuType *result = signature->result;
    bool gives = result && (result->kind == CU_VOID || result->kind == CU_INT);
    if (result && !is_main) gives = gives || cu_is_number(result) || is_tensor(result);
    if (!gives || signature->is_reference)
        cu_unsupported(l, decl->at->place, "a function to begin with that gives no number");
    for (int i = 0; i < signature->num_params && !is_main && !l->panic; i++) {
        CuParamDecl *param = &signature->params[i];
        param->is_reference = false;
        bool known = param->type && (cu_is_number(param->type) || is_tensor(param->type));
        if (known)
            param->type = cu_plain(l->arena, param->type);
        else
            cu_unsupported(l, param->place, "such a parameter of a function to begin with");
    }
    return !l->panic;
}

/* Read once, as each call of a function needs it; in an arena of its own, as this may run out of
 * memory where the module's arena is not the caller's. NULL after diag_error. */
static const CuModule *host_module(Arena *arena, const CuModule *module, Diag *diag) {
    CuLibraries *kept = module->libraries;
    CuOptions options = module->options;
    if (kept->host) return kept->host;
    arena_free(kept->arena);
    kept->arena = arena_new(arena_oom(arena));
    options.is_host = true;
    CuModule *host = cu_load(kept->arena, module->source, module->path, &options, diag);
    if (!host || diag->entries.count) return host; /* said again by the next call */
    if (!host->libraries->of[true]) host->libraries->of[true] = cu_library(kept->arena, true);
    return kept->host = host;
}

void cu_unload(const CuModule *module) {
    if (module) arena_free(module->libraries->arena);
}

Func *cu_lower_host(Arena *arena, const CuModule *module, const char *name, Diag *diag) {
    module = host_module(arena, module, diag);
    const CuDecl *decl = module ? find(module, name) : NULL;
    Func *fn = func_new(arena, types_new(arena), str_of(name));
    if (!module) return NULL;
    if (!decl) {
        diag_error(diag, (Span){0}, "no function '%s' for the host here", name);
        return NULL;
    }
    fn->span = cu_span(decl->at->place);
    CuScope globals = {0}, locals = {.outer = &globals};
    CuLaunch launch = {.block = {1, 1, 1}};
    CuLower l = cu_lowering(arena, module, fn, &launch, &globals, diag);
    CuCall call = {.decl = decl};
    CuSignature signature;
    l.is_host = true;
    if (decl->templates) cu_unsupported(&l, decl->at->place, "a template to begin with");
    if (l.panic || !cu_signature(&l, decl, &globals, &signature)) return NULL;
    if (!may_begin(&l, decl, &signature)) return NULL;
    l.scope = &locals;
    call.result = signature.result;
    if (call.result->kind != CU_VOID)
        call.result_at = cu_alloc(&l, call.result, ALLOC_LOCAL, STR(""));
    call.returned = cu_not_returned(&l);
    l.call = &call;
    cu_add_params(&l, &signature);
    l.at = decl->body;
    if (!diag_failed(diag)) cu_body(&l);
    ends(&l, &call);
    build_yield(&l.b, 0, NULL);
    return diag_failed(diag) ? NULL : fn;
}
