// SPDX-License-Identifier: Apache-2.0
#include "cli/tuned.h"

static bool is_key(const tern_autotune *autotune, const char *name) {
    for (int i = 0; i < autotune->num_keys; i++)
        if (!strcmp(autotune->keys[i], name)) return true;
    return autotune->num_keys == 0;
}

const char *tuned_key(Bound *bound) {
    tern_autotune autotune;
    Buf key = {.arena = bound->cli->arena};
    if (tern_module_autotune(bound->module, bound->function->name, &autotune)) return NULL;
    buf_printf(&key, "kernel %s\n", bound->function->name);
    for (int i = 0; i < tern_module_num_functions(bound->module); i++)
        buf_puts(&key, tern_module_function(bound->module, i)->text);
    for (int i = 0; i < bound->num_args; i++) {
        const LaunchArg *arg = &bound->args[i];
        const tern_function_parameter *parameter = arg->parameter;
        Buf type = {.arena = bound->cli->arena};
        LaunchArg alone = *arg;
        Str why;
        if (!arg->value) continue;
        alone.align = 16;
        if (arg->value->kind == ARG_TENSOR) {
            const Tensor *tensor = arg->value->tensor;
            alone.align = (size_t)tensor->offset * tern_dtype_size(tensor->dtype) % 16 ? 1 : 16;
        }
        buf_printf(&key, "%s ", parameter->name);
        if (!value_has_tensor(arg->value) &&
            (parameter->is_constexpr || is_key(&autotune, parameter->name)))
            value_literal(&key, arg->value);
        else if (launch_signature(&type, &alone, 1, &why))
            buf_puts(&key, type.data);
        buf_putc(&key, '\n');
    }
    return key.data;
}

const char *tuned_name(Arena *arena, const char *choice) {
    char *name = (char *)(uintptr_t)str_c(arena, str_of(choice));
    for (char *at = name; *at; at++)
        if (*at == '\n') *at = ' ';
    return name;
}
