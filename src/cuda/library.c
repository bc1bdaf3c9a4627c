// SPDX-License-Identifier: Apache-2.0
/* library: what CUDA's headers have and the front end has not: kernels/cuda, in CUDA C. Which
 * headers a file includes is not asked; what the file itself declares goes before. The last three,
 * host.cuh, runtime.cuh and random.cuh, are for functions of the host alone. */
#include "cuda/front.h"

#define TEXTS(T)                                                                                   \
    T(math)                                                                                        \
    T(both)                                                                                        \
    T(half) T(groups) T(std) T(warp) T(texture) T(cub) T(curand) T(pipeline) T(wmma) T(host)       \
        T(runtime) T(random)
#define T(name) extern const char cuda_##name##_start[], cuda_##name##_end[];
TEXTS(T)
#undef T

/* A function of host.cuh that has no body is one of src/host's. */
static void note_natives(CuModule *m) {
    for (int i = 0; i < m->decls.in_order.count; i++) {
        CuDecl *decl = m->decls.in_order.data[i];
        decl->is_native = decl->kind == CU_DECL_FUNCTION && !decl->body;
    }
}

const CuModule *cu_library(Arena *arena, bool is_host) {
    static const struct {
        const char *name, *start, *end;
    } texts[] = {
#define T(name) {"<cuda/" #name ".cuh>", cuda_##name##_start, cuda_##name##_end},
        TEXTS(T)
#undef T
    };
    Diag diag = {.arena = arena}; /* the user's may have failed */
    CuModule *m = arena_new_of(arena, CuModule);
    *m = (CuModule){.arena = arena, .namespaces.arena = arena, .used.arena = arena};
    m->decls.names.arena = arena;
    for (int i = 0; i < COUNT(texts) - 3 * !is_host; i++) {
        Str text = {texts[i].start, (int)(texts[i].end - texts[i].start)};
        const Source *source = source_new(arena, str_of(texts[i].name), text);
        CuHeaders headers = {0};
        CuToken *tokens = cu_preprocess(arena, source, STR(""), NULL, &headers, &diag);
        if (!tokens) BUG("%s does not lex", texts[i].name);
        cu_outline(m, &m->decls, tokens);
    }
    if (is_host) note_natives(m);
    return m;
}
