// SPDX-License-Identifier: Apache-2.0
/* library: what CUDA's headers have and the front end has not: kernels/cuda, in CUDA C. Which
 * headers a file includes is not asked; what the file itself declares goes before. */
#include "cuda/front.h"

#define TEXTS(T) T(math) T(half) T(groups) T(std)
#define T(name)  extern const char cuda_##name##_start[], cuda_##name##_end[];
TEXTS(T)
#undef T

const CuModule *cu_library(Arena *arena) {
    static const struct {
        const char *name, *start, *end;
    } texts[] = {
#define T(name) {"<cuda/" #name ".cuh>", cuda_##name##_start, cuda_##name##_end},
        TEXTS(T)
#undef T
    };
    Diag diag = {.arena = arena}; /* the user's may have failed */
    CuModule *m = arena_new_of(arena, CuModule);
    *m = (CuModule){.arena = arena, .namespaces.arena = arena};
    m->decls.names.arena = arena;
    for (int i = 0; i < COUNT(texts); i++) {
        Str text = {texts[i].start, (int)(texts[i].end - texts[i].start)};
        const Source *source = source_new(arena, str_of(texts[i].name), text);
        const CuUnread *unread = NULL;
        CuToken *tokens = cu_preprocess(arena, source, STR(""), NULL, &unread, &diag);
        if (!tokens) BUG("%s does not lex", texts[i].name);
        cu_outline(m, &m->decls, tokens);
    }
    return m;
}
