// SPDX-License-Identifier: Apache-2.0
/* cuda: modules and kernels of CUDA C. The source has all types, so a kernel needs no signature; it
 * is compiled for blocks of one shape. */
#include "api/context.h"

#include <ctype.h>

bool cuda_is_name(const char *name) {
    Str text = str_of(name);
    return str_ends(text, ".cu") || str_ends(text, ".cuh");
}

static tern_function described(Arena *arena, const CuKernel *kernel) {
    tern_function_parameter *parameters =
        arena_array(arena, tern_function_parameter, kernel->num_params);
    for (int i = 0; i < kernel->num_params; i++)
        parameters[i] =
            (tern_function_parameter){.name = str_c(arena, kernel->params[i].name),
                                      .do_not_specialize = true,
                                      .annotation = str_c(arena, kernel->params[i].type)};
    tern_function function = {.name = str_c(arena, kernel->name),
                              .text = str_c(arena, span_text(kernel->whole)),
                              .is_launched = true,
                              .num_parameters = kernel->num_params,
                              .parameters = parameters,
                              .is_cuda = true};
    int column;
    if (kernel->span.source)
        source_position(kernel->span.source, kernel->span.start, &function.line, &column);
    return function;
}

void cuda_describe(tern_module *module) {
    module->num_functions = cu_num_kernels(module->cuda);
    module->functions = arena_array(module->arena, tern_function, module->num_functions);
    for (int i = 0; i < module->num_functions; i++) {
        const CuKernel *kernel = cu_kernel(module->cuda, i);
        module->functions[i] = described(module->arena, kernel);
        module->functions[i].name =
            str_c(module->arena, cu_kernel_name(module->arena, module->cuda, kernel));
    }
}

static const CuKernel *find(Arena *arena, const tern_module *module, const char *name) {
    Buf known = {.arena = arena};
    Diag diag = {.arena = arena};
    const CuKernel *found = cu_find_kernel(arena, module->cuda, name, &diag);
    if (found) return found;
    if (diag_failed(&diag)) {
        context_fail_diag(module->own.context, &diag);
        return NULL;
    }
    buf_puts(&known, "");
    for (int i = 0; i < module->num_functions; i++) {
        if (i < 20) buf_printf(&known, "%s%s", i ? ", " : "", module->functions[i].name);
    }
    context_fail(module->own.context, TERN_ERROR_ARGUMENT,
                 module->num_functions ? "no __global__ function '%s' here, only: %s"
                                       : "no __global__ function '%s': there is none here%s",
                 name, known.data);
    return NULL;
}

/* Of a kernel whose parameters cannot be read: why. */
static bool says_why(const tern_module *module, const CuKernel *kernel) {
    Diag diag = {.arena = module->arena};
    CuLaunch launch = {.block = {1, 1, 1}, .shared_bytes = 1};
    cu_lower(module->arena, module->cuda, kernel, &launch, &diag);
    if (diag_failed(&diag)) context_fail_diag(module->own.context, &diag);
    return diag_failed(&diag);
}

const tern_function *cuda_find(const tern_module *module, const char *name) {
    if (setjmp(module->own.context->oom)) {
        context_no_memory(module->own.context);
        return NULL;
    }
    const CuKernel *kernel = find(module->arena, module, name);
    if (!kernel || (!kernel->is_known && says_why(module, kernel))) return NULL;
    for (int i = 0; i < module->num_functions; i++)
        if (kernel == cu_kernel(module->cuda, i)) return &module->functions[i];
    tern_function *function = arena_new_of(module->arena, tern_function);
    *function = described(module->arena, kernel);
    return function;
}

tern_status cuda_lacks(const tern_module *module, const char *what) {
    return context_fail(module->own.context, TERN_ERROR_UNSUPPORTED, "a file of CUDA C has no %s",
                        what);
}

/* ---- compiling ---- */

static bool check_launch(tern_context *context, const tern_options *options, CuLaunch *launch) {
    int threads = 1;
    for (int i = 0; i < 3; i++) {
        int size = options->block[i] || i == 0 ? options->block[i] : 1;
        static const int most[] = {1024, 1024, 64};
        if (size < 1 || size > most[i]) {
            context_fail(context, TERN_ERROR_ARGUMENT,
                         i == 0 && size == 0
                             ? "CUDA C is compiled for blocks of one shape: how many threads?"
                             : "a block of %d threads along axis %d; a block has from 1 to %d",
                         size, i, most[i]);
            return false;
        }
        launch->block[i] = size;
        threads *= size;
    }
    if (threads > 1024)
        context_fail(context, TERN_ERROR_ARGUMENT,
                     "a block of %d threads; a block has at most 1024", threads);
    else if (options->shared_bytes > 1 << 20)
        context_fail(context, TERN_ERROR_ARGUMENT, "%zu bytes of shared memory",
                     options->shared_bytes);
    launch->shared_bytes = (int64_t)options->shared_bytes;
    return threads <= 1024 && options->shared_bytes <= 1 << 20;
}

/* The next of a list at its top, without blanks; false: there is none. */
static bool next_item(const char **at, Str *item) {
    int depth = 0;
    if (!**at) return false;
    while (isspace((unsigned char)**at)) (*at)++;
    const char *start = *at;
    for (; **at && (depth || **at != ','); (*at)++) {
        if (strchr("([", **at)) depth++;
        if (strchr(")]", **at)) depth--;
    }
    *item = (Str){start, (int)(*at - start)};
    while (item->length && isspace((unsigned char)item->data[item->length - 1])) item->length--;
    if (**at) (*at)++;
    return true;
}

typedef struct Given { /* an argument, as the signature has it */
    tern_context *context;
    Arena *arena;
    const CuKernel *kernel;
    const CuParam *param;
    int num_parts; /* seen so far */
} Given;

/* "*fp32:16" for a pointer to float; what is no pointer is checked by the launch. */
static bool check_pointer(const Given *given, int part, Str item) {
    const CuParam *param = given->param;
    bool is_pointer = item.length && item.data[0] == '*' && part < param->num_parts;
    Str pointee = is_pointer ? param->parts[part].pointee : STR("");
    Str name = {item.data + 1, item.length - 1};
    for (int k = 0; k < name.length; k++)
        if (name.data[k] == ':') name.length = k;
    if (!pointee.length || str_equal(name, pointee)) return true;
    bool is_whole = str_ends(param->type, "*");
    context_fail(given->context, TERN_ERROR_ARGUMENT,
                 is_whole
                     ? "argument '%.*s' of kernel '%.*s' is a pointer to %.*s; the source says "
                       "'%.*s'"
                     : "argument '%.*s' of kernel '%.*s' has a pointer to %.*s where the "
                       "source's '%.*s' has one to %.*s",
                 STR_ARG(param->name), STR_ARG(given->kernel->name), STR_ARG(name),
                 STR_ARG(param->type), STR_ARG(pointee));
    return false;
}

/* "(fp32, (*i32, i1))" for a struct */
static bool check_item(Given *given, Str item) {
    if (!item.length || item.data[0] != '(') return check_pointer(given, given->num_parts++, item);
    Str inner;
    const char *rest = str_copy(given->arena, (Str){item.data + 1, item.length - 2}).data;
    while (next_item(&rest, &inner))
        if (!check_item(given, inner)) return false;
    return true;
}

static bool check_signature(tern_context *context, Arena *arena, const CuKernel *kernel,
                            const char *signature) {
    Str item;
    for (int i = 0; next_item(&signature, &item); i++) {
        if (i == kernel->num_params) {
            context_fail(context, TERN_ERROR_ARGUMENT, "kernel '%.*s' has %d parameters",
                         STR_ARG(kernel->name), kernel->num_params);
            return false;
        }
        Given given = {context, arena, kernel, &kernel->params[i], 0};
        if (!check_item(&given, item)) return false;
        if (given.num_parts == given.param->num_parts) continue;
        context_fail(context, TERN_ERROR_ARGUMENT,
                     "argument '%.*s' of kernel '%.*s': a '%.*s' is %d value%s, not %d",
                     STR_ARG(given.param->name), STR_ARG(kernel->name), STR_ARG(given.param->type),
                     given.param->num_parts, given.param->num_parts == 1 ? "" : "s",
                     given.num_parts);
        return false;
    }
    return true;
}

/* ---- symbols ---- */

/* NULL after a failure. */
static ModuleSymbol *symbol_of(tern_module *module, const char *name) {
    Diag diag = {.arena = module->arena};
    CuSymbol is;
    for (int i = 0; i < module->symbols.count; i++)
        if (str_is(module->symbols.data[i]->name, name)) return module->symbols.data[i];
    if (!module->cuda || !cu_symbol(module->arena, module->cuda, name, &is, &diag)) {
        if (diag_failed(&diag))
            context_fail_diag(module->own.context, &diag);
        else
            context_fail(module->own.context, TERN_ERROR_ARGUMENT,
                         "no __device__ or __constant__ variable '%s' here", name);
        return NULL;
    }
    ModuleSymbol *symbol = arena_new_of(module->arena, ModuleSymbol);
    *symbol = (ModuleSymbol){.name = str_copy(module->arena, str_of(name)), .is = is};
    vec_push(module->arena, &module->symbols, symbol);
    return symbol;
}

/* Not while a call catches lack of memory: those below do. */
static tern_buffer *buffer_of(tern_context *context, ModuleSymbol *symbol) {
    if (symbol->buffer) return symbol->buffer;
    tern_buffer *buffer = tern_alloc(context, (size_t)symbol->is.bytes);
    const unsigned char *initial = symbol->is.initial;
    if (buffer && (initial ? tern_write(buffer, 0, initial, (size_t)symbol->is.bytes)
                           : tern_fill(buffer, 0))) {
        tern_buffer_free(buffer);
        return NULL;
    }
    return symbol->buffer = buffer;
}

bool cuda_bind_symbols(tern_kernel *kernel) {
    for (int i = kernel->num_arguments; i < kernel->compiled->num_params; i++) {
        ModuleSymbol *symbol = kernel->symbols[i - kernel->num_arguments];
        tern_buffer *buffer = buffer_of(kernel->own.context, symbol);
        if (!buffer) return false;
        kernel->values[i] = (uint64_t)(uintptr_t)buffer->pointer;
    }
    return true;
}

void cuda_free_symbols(tern_module *module) {
    for (int i = 0; i < module->symbols.count; i++)
        tern_buffer_free(module->symbols.data[i]->buffer);
}

tern_buffer *tern_module_symbol(tern_module *module, const char *name) {
    tern_context *context = module->own.context;
    if (setjmp(context->oom)) {
        context_no_memory(context);
        return NULL;
    }
    ModuleSymbol *symbol = symbol_of(module, name);
    return symbol ? buffer_of(context, symbol) : NULL;
}

static bool find_symbols(tern_kernel *kernel, tern_module *module) {
    const CompiledKernel *compiled = kernel->compiled;
    kernel->symbols = arena_array(kernel->arena, ModuleSymbol *, compiled->num_params);
    for (int i = 0, k = 0; i < compiled->num_params; i++) {
        if (!compiled->params[i].is_symbol) continue;
        kernel->symbols[k] = symbol_of(module, str_c(kernel->arena, compiled->params[i].name));
        if (!kernel->symbols[k++]) return false;
    }
    return true;
}

/* ---- all ---- */

tern_kernel *cuda_kernel_compile(tern_module *module, Arena *arena, const char *function,
                                 const char *signature, const tern_options *options) {
    tern_context *context = module->own.context;
    const CuKernel *found = find(arena, module, function);
    CuLaunch launch = {0};
    Diag diag = {.arena = arena};
    if (!found || !check_launch(context, options, &launch)) return NULL;
    if (!check_signature(context, arena, found, signature)) return NULL;
    CompileRequest request = kernel_request(&context->device, options);
    TextCache cache = {context, context_text, context_keep_text};
    request.cache = &cache;
    tern_kernel *kernel = kernel_new(context, arena, function);
    bool is_nvrtc = options->builder && !strcmp(options->builder, "nvrtc");
    if (options->builder && !is_nvrtc) {
        context_fail(context, TERN_ERROR_ARGUMENT, "no builder '%s': there is 'nvrtc'",
                     options->builder);
        return NULL;
    }
    kernel->compiled = is_nvrtc
                           ? compile_nvrtc(arena, module->cuda, found, &launch, &request, &diag)
                           : compile_cuda(arena, module->cuda, found, &launch, &request, &diag);
    if (!kernel->compiled) {
        context_fail_diag(context, &diag);
        return NULL;
    }
    if (!find_symbols(kernel, module)) return NULL;
    kernel->module = module;
    return kernel_finish(kernel, NULL, options, &diag);
}
