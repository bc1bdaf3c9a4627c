// SPDX-License-Identifier: Apache-2.0
#include "cli/tuned.h"

const char *tuned_key(Bound *bound) {
    Arena *arena = bound->cli->arena;
    Buf signature = {.arena = arena};
    LaunchArg *given = arena_array(arena, LaunchArg, bound->num_args + 1);
    tern_value *known;
    int num_known = bound_known(bound, &known);
    Str why;
    for (int i = 0; i < bound->num_args; i++) {
        given[i] = bound->args[i];
        given[i].align = 16;
        if (!given[i].value || given[i].value->kind != ARG_TENSOR) continue;
        const Tensor *tensor = given[i].value->tensor;
        given[i].align = (size_t)tensor->offset * tern_dtype_size(tensor->dtype) % 16 ? 1 : 16;
    }
    if (!launch_signature(&signature, given, bound->num_args, &why)) return NULL;
    char *key =
        tern_tuned_key(bound->module, bound->function->name, signature.data, known, num_known);
    const char *copy = key ? str_c(arena, str_of(key)) : NULL;
    tern_free(key);
    return copy;
}

const char *tuned_name(Arena *arena, const char *choice) {
    char *name = (char *)(uintptr_t)str_c(arena, str_of(choice));
    for (char *at = name; *at; at++)
        if (*at == '\n') *at = ' ';
    return name;
}
