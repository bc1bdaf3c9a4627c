// SPDX-License-Identifier: Apache-2.0
/* tern_build: patterns -> forms -> C functions -> files. */
#include "base/ptxas.h"
#include "build/build.h"

#include <ctype.h>
#include <stdlib.h>

static tern_status fail(const Build *build, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static tern_status fail(const Build *build, const char *format, ...) {
    va_list args;
    Buf words = {.arena = build->arena};
    va_start(args, format);
    buf_vprintf(&words, format, args);
    va_end(args);
    return context_fail(build->module->own.context, TERN_ERROR_ARGUMENT, "%s", words.data);
}

/* ---- names ---- */

static bool is_identifier(const char *name) {
    if (!isalpha((unsigned char)*name) && *name != '_') return false;
    for (const char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '_') return false;
    return strlen(name) < 100;
}

/* Words of C and C++ that a Python name may be, and the names that a function has besides. */
static const char *const taken[] = {
    "alignas",  "alignof",  "and",      "asm",       "auto",    "bool",      "break",    "case",
    "catch",    "char",     "class",    "compl",     "const",   "constexpr", "continue", "decltype",
    "default",  "delete",   "do",       "double",    "else",    "enum",      "explicit", "export",
    "extern",   "false",    "float",    "for",       "friend",  "goto",      "if",       "inline",
    "int",      "int32_t",  "int64_t",  "long",      "mutable", "namespace", "new",      "noexcept",
    "not",      "nullptr",  "operator", "or",        "private", "protected", "public",   "register",
    "restrict", "return",   "short",    "signed",    "sizeof",  "static",    "struct",   "switch",
    "template", "this",     "throw",    "true",      "try",     "typedef",   "typename", "uint16_t",
    "uint32_t", "uint64_t", "uint8_t",  "uintptr_t", "union",   "unsigned",  "using",    "virtual",
    "void",     "volatile", "while",    "xor",       "call",    "form",      "facts",    "grid_x",
    "grid_y",   "grid_z",   "launch",   "fails",     "forms",   "passed",    "unix",     "linux",
    "NULL",     "EOF",      "errno",    "args",      "choose",
};

static const char *c_name(Arena *arena, const char *name) {
    bool is_taken = *name == '_';
    for (int i = 0; i < COUNT(taken); i++) is_taken |= !strcmp(name, taken[i]);
    return is_taken ? str_format(arena, "%s_", name).data : name;
}

/* ---- forms ---- */

const tern_parameter *form_parameter(const Form *form, int index) {
    const tern_parameter *parameter = tern_kernel_parameter(form->compiled.data[0].kernel, index);
    return parameter->constant ? NULL : parameter;
}

const char *form_constant(const Form *form, int index) {
    return tern_kernel_parameter(form->compiled.data[0].kernel, index)->constant;
}

int form_divisible(const Form *form, int index, bool *is_one) {
    const tern_parameter *parameter = form_parameter(form, index);
    *is_one = !parameter;
    return parameter ? parameter->divisible : 1;
}

static const char *const default_targets[] = {
#define CPU(kind, name, ...) "cpu:" name,
#include "base/cpus.def"
    "sm_75", "sm_80", "sm_90a"};

static bool is_cpu(const char *target) { return !strncmp(target, "cpu", 3); }

/* A kernel that waits for others needs stacks of its own on a CPU; one that prints, our runtime. */
static const char *cannot_export(const Build *build, const tern_kernel *kernel) {
    const GenFacts *facts = &kernel->compiled->facts;
    if (kernel->num_parameters != build->num_parameters)
        return "a tuple or a tensor descriptor among its parameters";
    for (int i = 0; i < kernel->compiled->num_params; i++)
        if (kernel->compiled->params[i].is_symbol) return "a variable outside of its functions";
    if (kernel_use(build->arena, kernel->compiled).prints) return "device_print or printf";
    if (is_cpu(kernel->compiled->target) && facts->may_spin)
        return "a loop that waits for other programs, on a CPU";
    if (is_cpu(kernel->compiled->target) &&
        strstr(kernel->compiled->text.data, "TERN_PTX_NUMBER_H"))
        return "inline assembly, on a CPU"; /* it names types as <stdint.h> does */
    for (int i = 0; i < kernel->num_parameters; i++) {
        const tern_parameter *p = &kernel->parameters[i];
        if (!p->constant && !p->is_pointer && tern_dtype_is_float(p->dtype) &&
            p->dtype != TERN_FLOAT32 && p->dtype != TERN_FLOAT64)
            return "a number of 8 or 16 bits as a parameter";
    }
    return NULL;
}

/* The text of a lesser CPU again, but for its first line, which names the target. */
static bool adds_nothing(const Form *form, const tern_kernel *kernel) {
    if (!form->compiled.count || !is_cpu(kernel->compiled->target)) return false;
    const CompiledKernel *before = form->compiled.data[form->compiled.count - 1].kernel->compiled;
    const char *text = strchr(kernel->compiled->text.data, '\n'),
               *lesser = strchr(before->text.data, '\n');
    return is_cpu(before->target) && text && lesser && !strcmp(text, lesser);
}

static tern_status compile_for(Build *build, Form *form, const char *target,
                               const tern_build_options *options) {
    tern_context *context = build->module->own.context;
    tern_options how = {.target = target,
                        .num_warps = form->num_warps ? form->num_warps : options->num_warps,
                        .num_stages = form->num_stages ? form->num_stages : options->num_stages,
                        .precise = options->precise,
                        .shared_bytes = options->shared_bytes,
                        .text_only = true};
    memcpy(how.block, options->block, sizeof how.block);
    tern_kernel *kernel = tern_compile(build->module, build->kernel->name, form->signature, &how);
    memcpy(&context->oom, build->oom, sizeof context->oom); /* the call had its own */
    if (!kernel) return tern_message_status(context);
    const char *why = cannot_export(build, kernel);
    if (!why && adds_nothing(form, kernel)) return tern_kernel_free(kernel), TERN_OK;
    if (!why && kernel->compiled->text.length) {
        vec_push(build->arena, &form->compiled, (Compiled){.target = target, .kernel = kernel});
        return TERN_OK;
    }
    tern_kernel_free(kernel);
    return context_fail(context, TERN_ERROR_UNSUPPORTED, "%s for %s cannot be built as plain C: %s",
                        build->kernel->name, target, why ? why : "the target has no text");
}

/* The PTX as machine code. ptxas may well say no where the kernel asks for too much. */
static tern_status assemble(Build *build, Form *form, const char *target,
                            const tern_build_options *options) {
    tern_context *context = build->module->own.context;
    Str words;
    if (strncmp(target, "sm_", 3) != 0)
        return fail(build, "machine code is made for a GPU such as sm_90a, not for '%s'", target);
    tern_status status = compile_for(build, form, target, options);
    if (status) return status;
    Compiled *compiled = &form->compiled.data[form->compiled.count - 1];
    switch (ptxas_run(build->arena, target,
                      plain_ptx(build->arena, compiled->kernel->compiled->text), false,
                      &compiled->cubin, &words)) {
    case PTXAS_FINE: return TERN_OK;
    case PTXAS_MISSING:
        return context_fail(context, TERN_ERROR_SYSTEM, "no machine code for %s: %.*s", target,
                            STR_ARG(words));
    case PTXAS_REFUSED: break;
    }
    return context_fail(context, TERN_ERROR_DEVICE, "ptxas does not take %s for %s: %.*s",
                        build->kernel->name, target, STR_ARG(words));
}

/* Targets that the caller did not name are left out where the kernel is refused there. */
static tern_status compile_form(Build *build, Form *form, const tern_build_options *options) {
    bool asked = options->num_targets > 0;
    int count = asked ? options->num_targets : COUNT(default_targets);
    for (int i = 0; i < count; i++) {
        tern_status status =
            compile_for(build, form, asked ? options->targets[i] : default_targets[i], options);
        bool last = i == count - 1 && !form->compiled.count;
        if (status && (asked || status != TERN_ERROR_UNSUPPORTED || last)) return status;
    }
    for (int i = 0; i < options->num_cubins; i++) {
        tern_status status = assemble(build, form, options->cubins[i], options);
        if (status) return status;
    }
    return TERN_OK;
}

/* ---- what was tuned ---- */

/* NAME=VALUE a line: constants go behind the signature, the others to the form. */
static void take_choice(Build *build, Form *form, const char *choice) {
    Buf signature = {.arena = build->arena};
    buf_puts(&signature, form->signature);
    for (const char *at = choice; *at;) {
        Str line = {at, (int)strcspn(at, "\n")};
        int number = (int)strtol(at + strcspn(at, "=") + 1, NULL, 10);
        if (str_starts(line, "num_warps="))
            form->num_warps = number;
        else if (str_starts(line, "num_stages="))
            form->num_stages = number;
        else
            buf_printf(&signature, "%s%.*s", signature.length ? "," : "", STR_ARG(line));
        at += line.length + (at[line.length] == '\n');
    }
    form->signature = signature.data;
}

/* Where nothing is kept for what one promises, the choice of the nearest is taken: the same values,
 * so that it is as right, if perhaps not the fastest. */
static tern_status take_tuned(Build *build, const tern_build_options *options) {
    VEC(const char *) found = {0};
    const char *any = NULL, *choice;
    for (int i = 0; i < build->forms.count; i++) {
        tern_status status = tuned_choice(build->module, build->arena, build->kernel->name,
                                          build->forms.data[i]->signature, options->known,
                                          options->num_known, &choice);
        if (status) return status;
        vec_push(build->arena, &found, choice);
        if (!any) any = choice;
    }
    if (!any)
        return fail(build, "'tern tune' has kept nothing for %s and these arguments on %s",
                    build->kernel->name, tern_device_name(build->module->own.context));
    for (int i = 0; i < build->forms.count; i++)
        take_choice(build, build->forms.data[i], found.data[i] ? found.data[i] : any);
    return TERN_OK;
}

static tern_status make_forms(Build *build, const tern_build_options *options) {
    Texts signatures = {0};
    Str why;
    if (build->kernel->is_cuda && !options->num_signatures)
        vec_push(build->arena, &signatures, ""); /* the source has the types */
    for (int i = 0; i < options->num_signatures; i++)
        if (!pattern_expand(build->arena, str_of(options->signatures[i]), &signatures, &why))
            return fail(build, "signature %d: %.*s", i + 1, STR_ARG(why));
    for (int i = 0; i < signatures.count; i++) {
        Form *form = arena_new_of(build->arena, Form);
        form->signature = signatures.data[i];
        vec_push(build->arena, &build->forms, form);
    }
    tern_status status = options->tuned ? take_tuned(build, options) : TERN_OK;
    for (int i = 0; i < build->forms.count && !status; i++)
        status = compile_form(build, build->forms.data[i], options);
    if (status) return status;
    return build->forms.count ? TERN_OK : fail(build, "no signature is given");
}

/* ---- functions ---- */

/* A constant that differs between forms, or of a constexpr, chooses; others are values. */
static tern_status parameter_of(const Build *build, int index, Parameter *parameter) {
    const tern_function_parameter *source = &build->kernel->parameters[index];
    bool all_same = true, any_value = false;
    *parameter = (Parameter){.name = source->name, .c_name = c_name(build->arena, source->name)};
    parameter->constant = form_constant(build->forms.data[0], index);
    for (int i = 0; i < build->forms.count; i++) {
        const char *constant = form_constant(build->forms.data[i], index);
        const tern_parameter *value = form_parameter(build->forms.data[i], index);
        if (!constant || !parameter->constant || strcmp(constant, parameter->constant) != 0)
            all_same = false;
        if (value) parameter->is_pointer = value->is_pointer, any_value = true;
    }
    parameter->role = any_value ? ROLE_PASSED : all_same ? ROLE_FIXED : ROLE_CHOICE;
    for (int i = 0; parameter->role != ROLE_FIXED && i < build->forms.count; i++) {
        const char *constant = form_constant(build->forms.data[i], index);
        char *end = NULL;
        if (!constant) continue;
        if (any_value && strcmp(constant, "1") != 0)
            return fail(build, "'%s' is a value in one signature and %s in another", source->name,
                        constant);
        strtol(constant, &end, 10);
        if (*end || end == constant)
            return fail(build,
                        "'%s' is %s in one signature and something else in another: only integers "
                        "may differ",
                        source->name, constant);
    }
    return TERN_OK;
}

static tern_dtype form_dtype(const Form *form, int index) {
    const tern_parameter *parameter = form_parameter(form, index);
    return parameter ? parameter->dtype : TERN_VOID;
}

/* TERN_VOID goes with any integer: there the value is 1. */
static bool same_types(const Build *build, const Form *a, const Form *b) {
    for (int i = 0; i < build->num_parameters; i++) {
        tern_dtype left = form_dtype(a, i), right = form_dtype(b, i);
        if (left != TERN_VOID && right != TERN_VOID && left != right) return false;
    }
    return true;
}

/* "_fp16", "_fp16_i64": the types that tell the functions apart. One that says only what an earlier
 * one said is left out. */
static const char *suffix_of(const Build *build, const Form *form) {
    Buf suffix = {.arena = build->arena};
    buf_puts(&suffix, "");
    for (int i = 0; i < build->num_parameters; i++) {
        bool tells = false, repeats = false;
        for (int k = 0; k < build->forms.count; k++)
            tells |= form_dtype(build->forms.data[k], i) != form_dtype(build->forms.data[0], i) &&
                     form_dtype(build->forms.data[k], i) != TERN_VOID;
        for (int earlier = 0; tells && earlier < i; earlier++) {
            bool same = true;
            for (int k = 0; k < build->forms.count; k++)
                same &= form_dtype(build->forms.data[k], i) ==
                        form_dtype(build->forms.data[k], earlier);
            repeats |= same;
        }
        if (tells && !repeats) buf_printf(&suffix, "_%s", tern_dtype_name(form_dtype(form, i)));
    }
    return suffix.data;
}

static int num_promises(const Build *build, const Function *function, const Form *form) {
    int count = 0;
    for (int i = 0; i < build->num_parameters; i++) {
        bool is_one;
        int divisible = form_divisible(form, i, &is_one);
        count += function->parameters[i].role == ROLE_PASSED && (divisible > 1 || is_one);
    }
    return count;
}

static void add_form(const Build *build, Function *function, Form *form) {
    vec_push(build->arena, &function->forms, form);
    int at = function->forms.count - 1;
    int mine = num_promises(build, function, form);
    for (; at > 0 && num_promises(build, function, function->forms.data[at - 1]) < mine; at--)
        function->forms.data[at] = function->forms.data[at - 1];
    function->forms.data[at] = form;
}

static const Parameter *typed(const Build *build, const Parameter *parameters, const Form *form,
                              const bool *written) {
    Parameter *own = arena_array(build->arena, Parameter, build->num_parameters);
    for (int i = 0; i < build->num_parameters; i++) {
        own[i] = parameters[i];
        own[i].dtype = form_dtype(form, i);
        own[i].is_written = written[i];
        if (own[i].role == ROLE_PASSED && own[i].dtype == TERN_VOID) own[i].dtype = TERN_INT32;
    }
    return own;
}

/* What all forms together write, and how many axes of the grid they ask for. */
static void note_use(Build *build, bool *written) {
    for (int i = 0; i < build->forms.count; i++) {
        const tern_kernel *kernel = build->forms.data[i]->compiled.data[0].kernel;
        KernelUse use = kernel_use(build->arena, kernel->compiled);
        for (int k = 0; k < kernel->compiled->num_params; k++)
            if (use.written[k]) written[kernel->compiled->params[k].source_index] = true;
        if (use.grid_axes > build->grid_axes) build->grid_axes = use.grid_axes;
    }
    if (!build->grid_axes) build->grid_axes = 1;
}

static tern_status make_functions(Build *build) {
    Parameter *parameters = arena_array(build->arena, Parameter, build->num_parameters);
    bool *written = arena_array(build->arena, bool, build->num_parameters);
    note_use(build, written);
    for (int i = 0; i < build->num_parameters; i++) {
        tern_status status = parameter_of(build, i, &parameters[i]);
        if (status) return status;
    }
    for (int i = 0; i < build->forms.count; i++) {
        Form *form = build->forms.data[i];
        Function *function = NULL;
        for (int k = 0; k < build->functions.count && !function; k++)
            if (same_types(build, build->functions.data[k].forms.data[0], form))
                function = &build->functions.data[k];
        if (!function) {
            const char *suffix = suffix_of(build, form);
            vec_push(build->arena, &build->functions,
                     (Function){.name = str_format(build->arena, "%s%s", build->name, suffix).data,
                                .suffix = suffix,
                                .parameters = typed(build, parameters, form, written)});
            function = &build->functions.data[build->functions.count - 1];
        }
        add_form(build, function, form);
    }
    for (int i = 0; i < build->functions.count; i++)
        for (int k = 0; k < build->functions.data[i].forms.count; k++)
            build->functions.data[i].forms.data[k]->number = build->num_forms++;
    return TERN_OK;
}

/* The names in a requirement are parameters that a call gives, or one constant in all forms. */
static tern_status check_require(const Build *build) {
    const Function *function = &build->functions.data[0];
    for (int i = 0; i < build->require.names.count; i++) {
        const char *name = build->require.names.data[i];
        const Parameter *found = NULL;
        for (int k = 0; k < build->num_parameters; k++)
            if (!strcmp(function->parameters[k].name, name)) found = &function->parameters[k];
        if (!found) return fail(build, "the requirement names '%s', which is no parameter", name);
        if (found->role == ROLE_PASSED &&
            (found->is_pointer || tern_dtype_is_float(found->dtype) || found->dtype == TERN_UINT64))
            return fail(build, "the requirement names '%s', which is no integer of 64 bits", name);
        if (found->role == ROLE_FIXED &&
            strspn(found->constant, "-0123456789") != strlen(found->constant))
            return fail(build, "the requirement names '%s', which is %s", name, found->constant);
    }
    return TERN_OK;
}

/* ---- the call ---- */

static tern_status plan(Build *build, const char *function, const tern_build_options *options) {
    tern_context *context = build->module->own.context;
    Diag diag = {.arena = build->arena};
    if (!build->module->cuda && !module_jit_function(build->module, function, NULL))
        return TERN_ERROR_ARGUMENT;
    build->kernel = tern_module_find(build->module, function);
    if (!build->kernel) return fail(build, "there is no kernel '%s'", function);
    build->num_parameters = build->kernel->num_parameters;
    if (!build->name) build->name = str_copy(build->arena, str_of(build->kernel->name)).data;
    if (!is_identifier(build->name)) return fail(build, "'%s' cannot be a name in C", build->name);
    char *caps = (char *)(uintptr_t)str_copy(build->arena, str_of(build->name)).data;
    for (char *at = caps; *at; at++) *at = (char)toupper((unsigned char)*at);
    build->caps = caps;
    if (build->num_parameters > MAX_PARAMETERS)
        return fail(build, "a kernel of %d parameters", build->num_parameters);
    if (options->require && !require_parse(build->arena, options->require, &diag, &build->require))
        return context_fail_diag(context, &diag);
    tern_status status = make_forms(build, options);
    if (!status) status = make_functions(build);
    if (!status && build->require.c) status = check_require(build);
    const char *why = !status && options->torch ? torch_refuses(build) : NULL;
    return why ? fail(build, "%s", why) : status;
}

static char *printed(Build *build, void (*print)(Buf *, Build *)) {
    Buf out = {.arena = build->arena};
    print(&out, build);
    return strndup(out.data, out.length);
}

static tern_status run(Build *build, bool torch, tern_built *built) {
    *built = (tern_built){.header = printed(build, print_header),
                          .source = build->header_only ? NULL : printed(build, print_source),
                          .description = printed(build, print_description),
                          .pkg_config = printed(build, print_pkg_config),
                          .cmake = printed(build, print_cmake),
                          .torch = torch ? printed(build, print_torch) : NULL,
                          .num_forms = build->num_forms};
    return built->header && (built->source || build->header_only) && built->description &&
                   built->pkg_config && built->cmake && (built->torch || !torch)
               ? TERN_OK
               : TERN_ERROR_NO_MEMORY;
}

/* All that may run out of memory. */
static tern_status build_all(tern_module *module, const char *function,
                             const tern_build_options *options, tern_built *built) {
    tern_context *context = module->own.context;
    jmp_buf no_memory;
    Arena *volatile arena = NULL;
    Build *volatile kept = NULL;
    tern_status status;
    if (setjmp(no_memory))
        status = TERN_ERROR_NO_MEMORY;
    else {
        arena = arena_new(&no_memory);
        Build *build = kept = arena_new_of(arena, Build);
        *build = (Build){.arena = arena,
                         .oom = &no_memory,
                         .module = module,
                         .name = options->name,
                         .header_only = options->header_only};
        memcpy(&context->oom, &no_memory, sizeof no_memory);
        status = plan(build, function, options);
        if (!status) status = run(build, options->torch, built);
    }
    for (int i = 0; kept && i < kept->forms.count; i++)
        for (int k = 0; k < kept->forms.data[i]->compiled.count; k++)
            tern_kernel_free(kept->forms.data[i]->compiled.data[k].kernel);
    arena_free(arena);
    return status == TERN_ERROR_NO_MEMORY ? context_no_memory(context) : status;
}

tern_status tern_build(tern_module *module, const char *function, const tern_build_options *given,
                       tern_built *built) {
    tern_build_options options = {0};
    if (given)
        memcpy(&options, given,
               given->size && given->size < sizeof options ? given->size : sizeof options);
    *built = (tern_built){0};
    tern_status status = build_all(module, function, &options, built);
    if (status) tern_built_free(built);
    return status;
}

void tern_built_free(tern_built *built) {
    free(built->header);
    free(built->source);
    free(built->description);
    free(built->pkg_config);
    free(built->cmake);
    free(built->torch);
    *built = (tern_built){0};
}
