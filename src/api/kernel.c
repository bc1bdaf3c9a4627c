// SPDX-License-Identifier: Apache-2.0
/* kernel: compiling a function for a signature, and what can be asked of the result. */
#include "api/context.h"

#include <errno.h>
#include <stdlib.h>

/* ---- choosing what to compile ---- */

typedef struct KernelRequest {
    tern_module *module; /* NULL: from IR text */
    const char *function;
    const char *text; /* the signature, or the IR */
    const tern_options *options;
} KernelRequest;

static void set_left_out(const JitFunction *jit, Spec *specs, Str name, Str text) {
    for (int i = 0; i < jit->num_params; i++)
        if (specs[i].kind == SPEC_DEFAULT && str_equal(jit->params[i].name, name))
            specs[i] = (Spec){.kind = SPEC_CONSTANT, .text = text, .divisible = 1};
}

static tern_status fill_from_config(tern_module *module, const char *function,
                                    tern_options *options, const JitFunction *jit, Spec *specs) {
    if (options->config == 0) return TERN_OK;
    const tern_config *configs;
    int count = module_configs(module, function, &configs);
    if (count < 0) return (tern_status)count;
    if (options->config < 0 || options->config > count)
        return context_fail(module->own.context, TERN_ERROR_ARGUMENT,
                            "config %d of '%s', which has %d", options->config, function, count);
    const tern_config *config = &configs[options->config - 1];
    if (!options->num_warps) options->num_warps = config->num_warps;
    if (!options->num_stages) options->num_stages = config->num_stages;
    for (int i = 0; i < config->num_values; i++)
        set_left_out(jit, specs, str_of(config->values[i].name), str_of(config->values[i].text));
    return TERN_OK;
}

/* A choice is NAME=VALUE a line. */
static tern_status fill_from_tuned(Arena *arena, const KernelRequest *asked, tern_options *options,
                                   const JitFunction *jit, Spec *specs) {
    const char *at;
    tern_status status = TERN_OK;
    if (!options->tuned || options->config) return TERN_OK;
    status = tuned_choice(asked->module, arena, asked->function, asked->text, options->known,
                          options->num_known, &at);
    while (!status && at && *at) {
        int length = (int)strcspn(at, "\n"), name = (int)strcspn(at, "=\n");
        Str value = {at + name + 1, length > name ? length - name - 1 : 0};
        int number = (int)strtol(at + name + (length > name), NULL, 10);
        bool is_warps = str_is((Str){at, name}, "num_warps");
        bool is_stages = str_is((Str){at, name}, "num_stages");
        set_left_out(jit, specs, (Str){at, name}, value);
        if (is_warps && !options->num_warps) options->num_warps = number;
        if (is_stages && !options->num_stages) options->num_stages = number;
        at += length + (at[length] == '\n');
    }
    return status;
}

static bool is_complete(const JitFunction *jit, const Spec *specs) {
    for (int i = 0; i < jit->num_params; i++)
        if (specs[i].kind == SPEC_DEFAULT && !jit->params[i].has_default) return false;
    return true;
}

static bool fill_from_heuristics(Arena *arena, tern_module *module, const JitFunction *jit,
                                 Spec *specs, Diag *diag) {
    if (is_complete(jit, specs)) return true;
    ConfigValue *known = arena_array(arena, ConfigValue, jit->num_params);
    int count = 0;
    for (int i = 0; i < jit->num_params; i++)
        if (specs[i].kind == SPEC_CONSTANT)
            known[count++] = (ConfigValue){jit->params[i].name, specs[i].text};
    return function_heuristics(arena, module->module, jit, known, count, specs, diag);
}

static tern_status check_options(tern_context *context, const tern_options *options) {
    int warps = options->num_warps;
    if (warps < 0 || warps > 32 || (warps & (warps - 1)))
        return context_fail(context, TERN_ERROR_ARGUMENT,
                            "num_warps is 1, 2, 4, 8, 16 or 32, not %d", warps);
    if (options->num_stages < 0 || options->num_stages > 64)
        return context_fail(context, TERN_ERROR_ARGUMENT, "num_stages is 1 to 64, not %d",
                            options->num_stages);
    return TERN_OK;
}

/* "cpu" is the device's own when that is a cpu, else what this machine runs best. */
static const char *resolve_target(const Device *device, const char *target) {
    if (!target) return device->target;
    if (!strcmp(target, "cpu"))
        return str_starts(str_of(device->target), "cpu") ? device->target : cpu_best_target();
    return target;
}

/* ---- the kernel's parameters ---- */

static const char *constant_text(Arena *arena, const JitFunction *jit, const Spec *specs,
                                 int index) {
    if (specs[index].kind == SPEC_CONSTANT) return str_c(arena, specs[index].text);
    if (specs[index].kind == SPEC_TYPE)
        return str_c(arena, specs[index].type); /* a tuple of constants */
    const Expr *value = jit->def->params[index].default_value;
    if (!value || !value->span.source) return "1"; /* an integer that the signature says is 1 */
    return str_c(arena, span_text(value->span));
}

static tern_parameter parameter_of(Arena *arena, const KernelParam *param) {
    return (tern_parameter){.name = str_c(arena, param->name),
                            .dtype = dtype_of(param->type, param->is_unsigned),
                            .is_pointer = param->is_pointer,
                            .divisible = param->divisible};
}

static void make_arguments(tern_kernel *kernel) {
    int count = kernel->compiled->num_params;
    while (kernel->num_arguments < count &&
           !kernel->compiled->params[kernel->num_arguments].is_symbol)
        kernel->num_arguments++;
    kernel->values = arena_array(kernel->arena, uint64_t, count);
    kernel->rooms = arena_array(kernel->arena, uint64_t, 2 * count);
    for (int i = 0; i < count; i++) kernel->rooms[2 * i + 1] = UINT64_MAX;
    kernel->args = arena_array(kernel->arena, void *, count);
    for (int i = 0; i < count; i++) kernel->args[i] = &kernel->values[i];
    int packs = kernel->compiled->num_packs;
    if (!packs) return;
    const KernelPack *data = kernel->compiled->packs, *last = &data[packs - 1];
    kernel->packed = arena_array(kernel->arena, char, last->at + last->bytes);
    kernel->args = arena_array(kernel->arena, void *, packs);
    for (int i = 0; i < packs; i++) kernel->args[i] = kernel->packed + data[i].at;
}

/* Source order, constants included; specs NULL: from IR text, where no constants are known. */
static void describe_parameters(tern_kernel *kernel, const Spec *specs) {
    const CompiledKernel *compiled = kernel->compiled;
    int num_source = specs ? kernel->function->num_params : 0, count = 0;
    kernel->parameters =
        arena_array(kernel->arena, tern_parameter, num_source + compiled->num_params);
    for (int i = 0; i < num_source; i++) {
        int before = count;
        for (int k = 0; k < compiled->num_params; k++)
            if (compiled->params[k].source_index == i)
                kernel->parameters[count++] = parameter_of(kernel->arena, &compiled->params[k]);
        if (count == before)
            kernel->parameters[count++] = (tern_parameter){
                .name = str_c(kernel->arena, kernel->function->params[i].name),
                .divisible = 1,
                .constant = constant_text(kernel->arena, kernel->function, specs, i)};
    }
    for (int k = 0; k < kernel->num_arguments && !specs; k++)
        kernel->parameters[count++] = parameter_of(kernel->arena, &compiled->params[k]);
    kernel->num_parameters = count;
}

/* ---- compiling ---- */

/* What static_print said, also when the compilation then failed. */
static void give_printed(tern_context *context, const Diag *diag) {
    for (int i = 0; i < diag->entries.count; i++) {
        const DiagEntry *entry = &diag->entries.data[i];
        if (entry->kind == DIAG_PRINTED && entry->text.length)
            context_output(context, entry->text.data, (size_t)entry->text.length);
    }
}

tern_kernel *kernel_new(tern_context *context, Arena *arena, const char *name) {
    tern_kernel *kernel = arena_new_of(arena, tern_kernel);
    *kernel =
        (tern_kernel){.own.context = context, .arena = arena, .name = str_c(arena, str_of(name))};
    return kernel;
}

static void unload(tern_kernel *kernel, void *loaded) {
    tern_context *context = kernel->own.context;
    if (loaded && !setjmp(context->oom)) context->device.ops->unload(&context->device, loaded);
}

static void kernel_close(Handle *own) {
    tern_kernel *kernel = (tern_kernel *)own;
    for (int i = 0; i < NUM_WAYS; i++) unload(kernel, kernel->texts[i].loaded);
    free(kernel->findings);
    module_release(kernel->module);
    arena_free(kernel->arena);
}

/* Which of two texts a launch takes is known when it comes: what is not launched is not assembled,
 * which takes many times as long as all before it. */
static bool loads_late(const tern_kernel *kernel) {
    return kernel->request && kernel->compiled->facts.walks && kernel->compiled->facts.few;
}

static tern_status load(tern_kernel *kernel, KernelText *text) {
    Device *device = &kernel->own.context->device;
    int64_t start = clock_ns();
    tern_status status = device->ops->load(device, text->compiled, &text->loaded);
    kernel_step(text->compiled, "load", start);
    text->times = text->facts = NULL;
    if (!status && kernel->record) device->ops->loaded_record(text->loaded, kernel->record);
    return context_checked(kernel->own.context, status);
}

tern_kernel *kernel_finish(tern_kernel *kernel, const Spec *specs, const tern_options *options,
                           const Diag *diag) {
    tern_context *context = kernel->own.context;
    Device *device = &context->device;
    make_arguments(kernel);
    describe_parameters(kernel, specs);
    Buf remarks = {.arena = kernel->arena};
    buf_puts(&remarks, "");
    diag_print(diag, true, &remarks);
    kernel->remarks = remarks.data;
    kernel->last = &kernel->texts[WAY_OWN];
    kernel->last->compiled = kernel->compiled;
    kernel->runs = !options->text_only && !strcmp(kernel->compiled->target, device->target);
    if (kernel->runs && !loads_late(kernel) && load(kernel, kernel->last)) return NULL;
    if (kernel->module) kernel->module->refs++;
    handle_add(&kernel->own, context, kernel_close);
    return kernel;
}

/* A ring of a power of two turns, as many as there is room for: a slot is then a bit field. */
static void ask_for_few(CompileRequest *request) {
    enum { LEAST_STAGES = 4 };
    request->walks = false, request->few = true;
    if (request->num_stages < LEAST_STAGES) request->num_stages = LEAST_STAGES;
}

KernelText *kernel_text(tern_kernel *kernel, KernelWay way) {
    KernelText *text = &kernel->texts[way];
    if (text->compiled) return text;
    if (!kernel->request || text->refused) return NULL;
    CompileRequest request = *kernel->request;
    if (way == WAY_FEW)
        ask_for_few(&request);
    else
        request.maps = request.asks = false, request.overlaps = true;
    Diag diag = {.arena = kernel->arena};
    module_aim(kernel->module, request.target);
    text->compiled = compile_kernel(kernel->arena, &request, &diag);
    if (text->compiled) return text;
    context_fail_diag(kernel->own.context, &diag);
    text->refused = way == WAY_FEW; /* others do */
    return NULL;
}

KernelText *kernel_ready(tern_kernel *kernel, KernelWay way) {
    KernelText *text = kernel_text(kernel, way);
    return text && (text->loaded || !load(kernel, text)) ? text : NULL;
}

CompileRequest kernel_request(const Device *device, const tern_options *options) {
    const char *target = resolve_target(device, options->target);
    bool is_launched = !options->text_only && !strcmp(target, device->target);
    return (CompileRequest){.target = target,
                            .num_warps = options->num_warps,
                            .num_stages = options->num_stages,
                            .debug = options->debug,
                            .precise = options->precise,
                            .dot_precision = options->dot_precision,
                            .maps = is_launched ? device->makes_maps : options->maps,
                            .asks = is_launched || options->maps,
                            .print_after = options->print_after,
                            .locations = options->locations,
                            .verify = options->verify,
                            .walks = is_launched ? device->walks > 0 : options->maps,
                            .clusters = is_launched ? device->clusters : options->maps,
                            .bounds = device->bounds,
                            .watch = device->watch};
}

/* Of a text that is not launched here: what launches of few programs take, if there is such a text,
 * instead of `own`. */
static CompiledKernel *few_instead(Arena *arena, CompileRequest request, CompiledKernel *own) {
    if (!own || !own->facts.walks || !own->facts.few) return own;
    ask_for_few(&request);
    Diag diag = {.arena = arena};
    CompiledKernel *few = compile_kernel(arena, &request, &diag);
    return few && few->facts.few ? few : own;
}

static tern_options full_options(const tern_options *given) {
    tern_options options = {0};
    if (given)
        memcpy(&options, given,
               given->size && given->size < sizeof options ? given->size : sizeof options);
    return options;
}

static void keep_request(tern_kernel *kernel, const CompileRequest *request) {
    CompileRequest *kept = arena_new_of(kernel->arena, CompileRequest);
    *kept = *request;
    kept->target = kernel->compiled->target;
    kept->print_after = NULL;
    if (kept->dot_precision)
        kept->dot_precision = str_c(kernel->arena, str_of(kept->dot_precision));
    kernel->request = kept;
}

static void *compile(tern_context *context, Arena *arena, const void *request_data) {
    const KernelRequest *asked = request_data;
    tern_module *module = asked->module;
    tern_options options = full_options(asked->options);
    Diag diag = {.arena = arena};
    if (module->cuda)
        return cuda_kernel_compile(module, arena, asked->function, asked->text, &options);
    module_aim(module, resolve_target(&context->device, options.target));
    const JitFunction *jit = module_jit_function(module, asked->function, NULL);
    if (!jit || check_options(context, &options)) return NULL;
    Spec *specs = arena_array(arena, Spec, jit->num_params);
    Source *source = source_new(arena, STR("<signature>"), str_copy(arena, str_of(asked->text)));
    if (!signature_parse(arena, jit, source, &diag, specs)) {
        context_fail_diag(context, &diag);
        return NULL;
    }
    if (fill_from_config(module, asked->function, &options, jit, specs) ||
        fill_from_tuned(arena, asked, &options, jit, specs) || check_options(context, &options))
        return NULL;
    CompileRequest request = kernel_request(&context->device, &options);
    request.module = module->module, request.function = jit, request.specs = specs;
    tern_kernel *kernel = kernel_new(context, arena, asked->function);
    if (fill_from_heuristics(arena, module, jit, specs, &diag))
        kernel->compiled = compile_kernel(arena, &request, &diag);
    if (options.few && options.maps)
        kernel->compiled = few_instead(arena, request, kernel->compiled);
    give_printed(context, &diag);
    if (!kernel->compiled) {
        context_fail_diag(context, &diag);
        return NULL;
    }
    kernel->module = module;
    kernel->function = jit;
    if (kernel->compiled->facts.maps.count || kernel->compiled->needs)
        keep_request(kernel, &request);
    return kernel_finish(kernel, specs, &options, &diag);
}

tern_kernel *tern_compile(tern_module *module, const char *function, const char *signature,
                          const tern_options *options) {
    tern_context *context = module->own.context;
    observe(context, TERN_CALL_COMPILE, "tern_compile", NULL, 0, true, true);
    tern_kernel *kernel = context_make(
        context, compile, &(KernelRequest){module, function, signature ? signature : "", options});
    if (kernel && kernel->runs && !cuda_bind_symbols(kernel)) {
        tern_kernel_free(kernel);
        kernel = NULL;
    }
    observe(context, TERN_CALL_COMPILE, "tern_compile", NULL, 0, true, false);
    return kernel;
}

static void *compile_ir_text(tern_context *context, Arena *arena, const void *request_data) {
    const KernelRequest *asked = request_data;
    tern_options options = full_options(asked->options);
    Diag diag = {.arena = arena};
    Source *source = source_new(arena, STR("<ir>"), str_copy(arena, str_of(asked->text)));
    CompileRequest request = kernel_request(&context->device, &options);
    CompiledKernel *compiled = compile_text(arena, source, &request, &diag);
    if (!compiled) {
        context_fail_diag(context, &diag);
        return NULL;
    }
    tern_kernel *kernel = kernel_new(context, arena, str_c(arena, compiled->name));
    kernel->compiled = compiled;
    return kernel_finish(kernel, NULL, &options, &diag);
}

tern_kernel *kernel_from_ir(tern_context *context, const char *text, const tern_options *options) {
    return context_make(context, compile_ir_text,
                        &(KernelRequest){.text = text, .options = options});
}

void tern_kernel_free(tern_kernel *kernel) {
    if (kernel) handle_close(&kernel->own);
}

/* ---- asking ---- */

int tern_kernel_num_parameters(const tern_kernel *kernel) { return kernel->num_parameters; }

const tern_parameter *tern_kernel_parameter(const tern_kernel *kernel, int index) {
    return index >= 0 && index < kernel->num_parameters ? &kernel->parameters[index] : NULL;
}

const char *tern_kernel_name(const tern_kernel *kernel) { return kernel->name; }

bool tern_kernel_writes(tern_kernel *kernel, const char *parameter) {
    const CompiledKernel *compiled = kernel->compiled;
    if (setjmp(kernel->own.context->oom) || !compiled->ir) return true;
    if (!kernel->written) kernel->written = kernel_use(kernel->arena, compiled).written;
    for (int i = 0; i < compiled->num_params; i++)
        if (str_is(compiled->params[i].name, parameter)) return kernel->written[i];
    return true;
}

const char *tern_kernel_target(const tern_kernel *kernel) { return kernel->compiled->target; }
int tern_kernel_num_warps(const tern_kernel *kernel) { return kernel->compiled->num_warps; }
int tern_kernel_num_stages(const tern_kernel *kernel) { return kernel->compiled->num_stages; }

const char *tern_pass_name(int index) { return compile_pass_name(index); }

static void print_map(Buf *out, const CompiledKernel *compiled, int index) {
    const MapRecipe *map = &compiled->facts.maps.data[index];
    buf_printf(out, "tensor map: map_%d, of '%.*s': boxes of ", index,
               STR_ARG(compiled->params[map->base].name));
    for (int d = map->rank - 1; d >= 0; d--)
        buf_printf(out, "%d%s", map->dims[d].box, d ? " x " : "");
    buf_printf(out, " elements of %d bytes, swizzle of %d\n", map->element_bytes, map->swizzle);
}

static const char *facts_text(tern_kernel *kernel) {
    const CompiledKernel *compiled = kernel->last->compiled;
    const GenFacts *facts = &compiled->facts;
    Buf out = {.arena = kernel->arena};
    buf_printf(&out, "kernel: %s\ntarget: %s\nnum_warps: %d\nnum_stages: %d\n", kernel->name,
               compiled->target, compiled->num_warps, compiled->num_stages);
    for (int i = 0; i < kernel->num_parameters; i++) {
        const tern_parameter *p = &kernel->parameters[i];
        if (p->constant)
            buf_printf(&out, "constant: %s = %s\n", p->name, p->constant);
        else
            buf_printf(&out, "argument: %s %s%s%s", p->name, p->is_pointer ? "*" : "",
                       tern_dtype_name(p->dtype), p->divisible > 1 ? "" : "\n");
        if (!p->constant && p->divisible > 1) buf_printf(&out, ", divisible by %d\n", p->divisible);
    }
    if (facts->shared_bytes) buf_printf(&out, "shared memory: %d bytes\n", facts->shared_bytes);
    if (facts_threads(facts)) buf_printf(&out, "threads a block: %d\n", facts_threads(facts));
    if (facts->cluster) buf_printf(&out, "cluster: %d blocks are a program\n", facts->cluster);
    if (facts->scratch_bytes) buf_printf(&out, "scratch: %zu bytes\n", facts->scratch_bytes);
    if (facts->may_spin) buf_puts(&out, "waits for other programs: yes\n");
    for (int i = 0; i < facts->notes.count; i++)
        buf_printf(&out, "%.*s\n", STR_ARG(facts->notes.data[i]));
    for (int i = 0; i < facts->maps.count; i++) print_map(&out, compiled, i);
    Device *device = &kernel->own.context->device;
    if (kernel->runs && device->ops->loaded_facts && !kernel->last->loaded &&
        load(kernel, kernel->last))
        return NULL;
    if (kernel->runs && device->ops->loaded_facts)
        buf_printf(&out, "%.*s", STR_ARG(device->ops->loaded_facts(device, kernel->last->loaded)));
    return out.data;
}

static const char *configs_text(tern_kernel *kernel) {
    const tern_config *configs;
    Buf out = {.arena = kernel->arena};
    buf_puts(&out, "");
    int count = kernel->module ? module_configs(kernel->module, kernel->name, &configs) : 0;
    for (int i = 0; i < count; i++) {
        buf_printf(&out, "%d:", i + 1);
        for (int k = 0; k < configs[i].num_values; k++)
            buf_printf(&out, " %s=%s", configs[i].values[k].name, configs[i].values[k].text);
        if (configs[i].num_warps) buf_printf(&out, " num_warps=%d", configs[i].num_warps);
        if (configs[i].num_stages) buf_printf(&out, " num_stages=%d", configs[i].num_stages);
        buf_putc(&out, '\n');
    }
    return count < 0 ? NULL : out.data;
}

static const char *times_text(tern_kernel *kernel) {
    const CompiledKernel *compiled = kernel->last->compiled;
    Buf out = {.arena = kernel->arena};
    double all = 0;
    for (int i = 0; i < compiled->steps.count; i++) all += (double)compiled->steps.data[i].ns;
    buf_printf(&out, "%-12s %10s %6s\n", "step", "us", "share");
    for (int i = 0; i < compiled->steps.count; i++) {
        const StepTime *step = &compiled->steps.data[i];
        buf_printf(&out, "%-12s %10.1f %5.1f%%\n", step->name, (double)step->ns * 1e-3,
                   all > 0 ? (double)step->ns / all * 100 : 0);
    }
    buf_printf(&out, "%-12s %10.1f\n", "all", all * 1e-3);
    return out.data;
}

static const char *ir_text(tern_kernel *kernel) {
    Buf out = {.arena = kernel->arena};
    kernel_print_ir(&out, kernel->last->compiled);
    return out.data; /* NULL: it has no IR */
}

static const char *generated(const tern_kernel *kernel, bool want_c) {
    const CompiledKernel *compiled = kernel->last->compiled;
    bool is_c = str_starts(str_of(compiled->target), "cpu");
    return compiled->text.length && is_c == want_c ? compiled->text.data : NULL;
}

static const char *stage_text(tern_kernel *kernel, tern_stage stage) {
    KernelText *text = kernel->last;
    switch (stage) {
    case TERN_STAGE_AST:
        if (!kernel->ast && kernel->function) {
            Buf out = {.arena = kernel->arena};
            function_print(&out, kernel->function->def);
            kernel->ast = out.data;
        }
        return kernel->ast;
    case TERN_STAGE_IR: return text->ir ? text->ir : (text->ir = ir_text(kernel));
    case TERN_STAGE_IR_AFTER:
        return kernel->compiled->printed.length ? kernel->compiled->printed.data : NULL;
    case TERN_STAGE_C: return generated(kernel, true);
    case TERN_STAGE_PTX: return generated(kernel, false);
    case TERN_STAGE_FACTS: return text->facts ? text->facts : (text->facts = facts_text(kernel));
    case TERN_STAGE_CONFIGS:
        return kernel->configs ? kernel->configs : (kernel->configs = configs_text(kernel));
    case TERN_STAGE_REMARKS: return kernel->remarks;
    case TERN_STAGE_TIMES: return text->times ? text->times : (text->times = times_text(kernel));
    }
    return NULL;
}

static int sources_of(tern_kernel *kernel, const tern_source **sources) {
    KernelSources found = kernel_sources(kernel->arena, kernel->compiled);
    tern_source *list = arena_array(kernel->arena, tern_source, found.list.count);
    for (int i = 0; i < found.list.count; i++) {
        const Source *source = found.list.data[i];
        list[i] = (tern_source){str_c(kernel->arena, source->name),
                                str_c(kernel->arena, source->text), (size_t)source->text.length};
    }
    *sources = list;
    return found.list.count;
}

int tern_kernel_sources(tern_kernel *kernel, const tern_source **sources) {
    *sources = NULL;
    if (setjmp(kernel->own.context->oom)) {
        context_no_memory(kernel->own.context);
        return 0;
    }
    return sources_of(kernel, sources);
}

static tern_status check_counts(tern_kernel *kernel) {
    const Device *device = &kernel->own.context->device;
    if (device->ops->loaded_counters && kernel->runs)
        return kernel->last->loaded ? TERN_OK : load(kernel, kernel->last);
    return context_fail(kernel->own.context, TERN_ERROR_UNSUPPORTED,
                        "device '%s' does not count what kernels do; device 'sim' does",
                        device->name.data);
}

static char *counters(tern_kernel *kernel, bool as_json) {
    tern_context *context = kernel->own.context;
    Device *device = &context->device;
    if (check_counts(kernel)) return NULL;
    Str text = device->ops->loaded_counters(device, kernel->last->loaded, as_json);
    char *copy = strndup(text.data, (size_t)text.length);
    if (!copy) context_no_memory(context);
    return copy;
}

char *tern_kernel_counters(tern_kernel *kernel, bool as_json) {
    int saved = errno;
    if (setjmp(kernel->own.context->oom)) {
        context_no_memory(kernel->own.context);
        errno = saved;
        return NULL;
    }
    char *text = counters(kernel, as_json);
    errno = saved;
    return text;
}

tern_status tern_kernel_counted(tern_kernel *kernel, tern_counted *counted) {
    tern_context *context = kernel->own.context;
    int saved = errno;
    *counted = (tern_counted){0};
    if (setjmp(context->oom)) {
        errno = saved;
        return context_no_memory(context);
    }
    tern_status status = check_counts(kernel);
    if (!status)
        context->device.ops->loaded_counted(&context->device, kernel->last->loaded, counted);
    errno = saved;
    return status;
}

tern_status tern_kernel_record(tern_kernel *kernel, int most) {
    tern_status status = check_counts(kernel);
    if (status) return status;
    if (most < 0)
        return context_fail(kernel->own.context, TERN_ERROR_ARGUMENT,
                            "tern_kernel_record: %d accesses", most);
    kernel->record = most;
    for (int i = 0; i < NUM_WAYS; i++)
        if (kernel->texts[i].loaded)
            kernel->own.context->device.ops->loaded_record(kernel->texts[i].loaded, most);
    return TERN_OK;
}

tern_status tern_kernel_accesses(tern_kernel *kernel, tern_accesses *accesses) {
    *accesses = (tern_accesses){0};
    tern_status status = check_counts(kernel);
    if (!status) kernel->own.context->device.ops->loaded_accesses(kernel->last->loaded, accesses);
    return status;
}

const char *tern_kernel_text(tern_kernel *kernel, tern_stage stage) {
    if (setjmp(kernel->own.context->oom)) {
        context_no_memory(kernel->own.context);
        return NULL;
    }
    return stage_text(kernel, stage);
}
