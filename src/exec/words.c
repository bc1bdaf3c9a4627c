// SPDX-License-Identifier: Apache-2.0
/* words: the exception that a tensor's failure is in a script, in PyTorch's class and words; what
 * PyTorch has and tern has not is refused. */
#include "exec/exec.h"

/* Where PyTorch has no kernel of a type either: the row, as its CPU calls it, and for which types:
 * b bool, i integers, f floating-point numbers. */
static bool has_no_kernel(const char *words, char *out, size_t size) {
    static const struct {
        const char *row, *kernel, *types;
    } rows[] = {
        {"abs", "abs_cpu", "b"},
        {"floor", "floor_vml_cpu", "b"},
        {"ceil", "ceil_vml_cpu", "b"},
        {"round", "round_vml_cpu", "b"},
        {"trunc", "trunc_vml_cpu", "b"},
        {"frac", "frac_cpu", "bi"},
        {"gelu", "GeluKernelImpl", "bi"},
        {"gelu_tanh", "GeluKernelImpl", "bi"},
        {"silu", "silu_cpu", "bi"},
        {"log_sigmoid", "log_sigmoid_cpu", "bi"},
        {"leaky_relu", "leaky_relu_cpu", "bi"},
        {"elu", "elu_cpu", "bi"},
        {"softplus", "softplus_cpu", "bi"},
        {"bitwise_not", "bitwise_not_cpu", "f"},
        {"floor_divide", "div_floor_cpu", "b"},
        {"remainder", "remainder_cpu", "b"},
        {"fmod", "fmod_cpu", "b"},
        {"pow", "pow", "b"},
        {"hypot", "hypot_cpu", "bi"},
        {"bitwise_and", "bitwise_and_cpu", "f"},
        {"bitwise_or", "bitwise_or_cpu", "f"},
        {"bitwise_xor", "bitwise_xor_cpu", "f"},
        {"bitwise_left_shift", "lshift_cpu", "bf"},
        {"bitwise_right_shift", "rshift_cpu", "bf"},
        {"clamp", "clamp_cpu", "b"},
        {"softmax", "softmax_lastdim_kernel_impl", "bi"},
        {"log_softmax", "log_softmax_lastdim_kernel_impl", "bi"},
        {"layer_norm", "LayerNormKernelImpl", "bi"},
        {"rms_norm", "rms_norm", "bi"},
    };
    static const struct {
        const char *type;
        char kind;
    } types[] = {{"Bool", 'b'}, {"Byte", 'i'}, {"Char", 'i'},     {"Short", 'i'}, {"Int", 'i'},
                 {"Long", 'i'}, {"Half", 'f'}, {"BFloat16", 'f'}, {"Float", 'f'}, {"Double", 'f'}};
    char row[32], type[16];
    if (sscanf(words, "\"%31[a-z_]\" not implemented for '%15[A-Za-z0-9]'", row, type) != 2)
        return false;
    for (int i = 0; i < COUNT(rows); i++)
        for (int k = 0; k < COUNT(types) && !strcmp(rows[i].row, row); k++)
            if (!strcmp(types[k].type, type) && strchr(rows[i].types, types[k].kind)) {
                snprintf(out, size, "\"%s\" not implemented for '%s'", rows[i].kernel, type);
                return true;
            }
    return false;
}

static bool has_start(const char *words, int count, const char *const *starts) {
    for (int i = 0; i < count; i++)
        if (str_starts(str_of(words), starts[i])) return true;
    return false;
}

static bool is_index_error(const char *words) {
    static const char *const starts[] = {"Dimension out of range", "Dimension specified as",
                                         "index out of range in self", "too many indices for"};
    return has_start(words, COUNT(starts), starts) ||
           str_ends(str_of(words), " to have non-zero size.") ||
           (str_starts(str_of(words), "Target ") && str_ends(str_of(words), " is out of bounds."));
}

static bool is_not_implemented(const char *words) {
    static const char *const starts[] = {
        "Negation, the `-` operator",
        "Subtraction, the `-` operator",
        "Boolean inputs not supported for relu",
        "mean(): could not infer output dtype",
        "linalg.vector_norm: Expected a floating point",
        "std and var only support floating point",
        "argmax(): does not support bool",
        "argmin(): does not support bool",
    };
    return has_start(words, COUNT(starts), starts);
}

Object *tensor_failed(Host *host) {
    tern_context *context = exec_of(host)->context;
    const char *words = tern_message(context);
    tern_status status = tern_message_status(context);
    char as_torch[128];
    PythonClass class = CLASS_RUNTIME_ERROR;
    if (!host_step(host, host->span)) return host->script->poison; /* Ctrl-C ended what failed */
    if (has_no_kernel(words, as_torch, sizeof as_torch))
        return host_raise(host, CLASS_NOT_IMPLEMENTED_ERROR, "%s", as_torch);
    if (status == TERN_ERROR_UNSUPPORTED) return host_refuse(host, "%s", words);
    if (is_not_implemented(words)) class = CLASS_NOT_IMPLEMENTED_ERROR;
    if (is_index_error(words)) class = CLASS_INDEX_ERROR;
    if (status == TERN_ERROR_NO_MEMORY && str_starts(str_of(words), "CUDA"))
        class = CLASS_OUT_OF_MEMORY_ERROR;
    return host_raise(host, class, "%s", words);
}
