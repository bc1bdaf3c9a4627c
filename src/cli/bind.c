// SPDX-License-Identifier: Apache-2.0
#include "cli/bind.h"
#include "cli/tuned.h"

#include <stdio.h>
#include <stdlib.h>

int bound_fail_diag(Bound *bound) {
    Buf text = {.arena = bound->cli->arena};
    diag_print(&bound->diag, true, &text);
    cli_complain(bound->cli, text.data ? text.data : "");
    return EXIT_USAGE;
}

/* ---- values ---- */

LaunchArg *bound_arg(const Bound *bound, Str name) {
    for (int i = 0; i < bound->num_args; i++)
        if (str_is(name, bound->args[i].parameter->name)) return &bound->args[i];
    return NULL;
}

static int unknown_parameter(Bound *bound, Str name) {
    Buf names = {.arena = bound->cli->arena};
    for (int i = 0; i < bound->num_args; i++)
        buf_printf(&names, "%s%s", i ? ", " : "", bound->args[i].parameter->name);
    return cli_fail(bound->cli, EXIT_USAGE, "kernel '%s' has no parameter '%.*s'; it has: %s",
                    bound->function->name, STR_ARG(name), names.data ? names.data : "none");
}

static int take_given(Bound *bound) {
    Cli *cli = bound->cli;
    const char *text;
    int num_swept = bound->env.bindings.count;
    bound->num_args = bound->function->num_parameters;
    bound->args = arena_array(cli->arena, LaunchArg, bound->num_args + 1);
    for (int i = 0; i < bound->num_args; i++)
        bound->args[i].parameter = &bound->function->parameters[i];
    for (int i = 0; (text = option_nth(cli, "a", i)); i++)
        if (!env_bind(&bound->env, text)) return bound_fail_diag(bound);
    for (int i = 0; i < bound->env.bindings.count; i++) {
        Str name = bound->env.bindings.data[i].name;
        LaunchArg *arg = bound_arg(bound, name);
        if (!arg && i < num_swept) continue;
        if (!arg) return unknown_parameter(bound, name);
        arg->value = env_get(&bound->env, name);
    }
    return diag_failed(&bound->diag) ? bound_fail_diag(bound) : EXIT_OK;
}

const char *bound_option(const Bound *bound, Str name) {
    for (int i = 0; i < bound->function->num_parameters; i++)
        if (str_is(name, bound->function->parameters[i].name)) return NULL;
    return cli_launch_option(name);
}

int bound_variables(Bound *bound, const PointVariable *variables, int count) {
    for (int i = 0; i < count; i++) {
        const char *option = bound_option(bound, variables[i].name);
        if (option) {
            cli_set_option(bound->cli, option, variables[i].text);
            continue;
        }
        ArgValue *value = env_evaluate(&bound->env, "-x", str_of(variables[i].text));
        if (!value) return bound_fail_diag(bound);
        env_bind_value(&bound->env, variables[i].name, value);
    }
    return EXIT_OK;
}

/* A Python literal from the library's side, if it is one that the value language knows. */
static ArgValue *quietly(Bound *bound, const char *text) {
    bound->diag.muted = true;
    ArgValue *value = env_evaluate(&bound->env, "default", str_of(text));
    bound->diag.muted = false;
    return value;
}

static int bind_chosen(Bound *bound, const char *name, const char *text, const char *by) {
    LaunchArg *arg = bound_arg(bound, str_of(name));
    if (!arg || arg->value) return EXIT_OK;
    arg->value = quietly(bound, text);
    if (!arg->value)
        return cli_fail(bound->cli, EXIT_REFUSED, "%s gives '%s' the value %s; give it with -a", by,
                        name, text);
    env_bind_value(&bound->env, str_of(name), arg->value);
    return EXIT_OK;
}

static int take_config(Bound *bound) {
    const tern_config *configs;
    int code = EXIT_OK;
    bool wanted = option_given(bound->cli, "config");
    bound->num_configs = tern_module_configs(bound->module, bound->function->name, &configs);
    if (bound->tuned) return EXIT_OK;
    if (bound->num_configs < 0)
        return wanted ? cli_fail_context(bound->cli, bound->context) : EXIT_OK;
    if (!option_int(bound->cli, "config", 1, 1 << 20, bound->num_configs > 0, &bound->config))
        return EXIT_USAGE;
    if (bound->config > bound->num_configs)
        return cli_fail(bound->cli, EXIT_USAGE, "--config %d: kernel '%s' has %d configs",
                        bound->config, bound->function->name, bound->num_configs);
    if (!bound->config) return EXIT_OK;
    const tern_config *config = &configs[bound->config - 1];
    for (int i = 0; i < config->num_values; i++) {
        LaunchArg *arg = bound_arg(bound, str_of(config->values[i].name));
        if (!arg || !arg->value) continue;
        if (wanted)
            return cli_fail(bound->cli, EXIT_USAGE,
                            "argument '%s' is given both with -a and by --config",
                            config->values[i].name);
        bound->config = 0; /* the user tunes by hand */
        return EXIT_OK;
    }
    for (int i = 0; i < config->num_values && !code; i++)
        code = bind_chosen(bound, config->values[i].name, config->values[i].text, "the config");
    bound->num_warps = config->num_warps;
    bound->num_stages = config->num_stages;
    if (config->has_pre_hook && !code && !bound->cli->quiet)
        fprintf(stderr,
                "tern %s: config %d has a pre_hook, which is Python's to run: it does not run "
                "here, 'tern exec' of the program runs it\n",
                bound->cli->command->name, bound->config);
    return code;
}

/* NAME=VALUE a line, as tern_tuned_find gives it. */
static int bind_tuned(Bound *bound, char *choice) {
    int code = EXIT_OK;
    bound->tuned = tuned_name(bound->cli->arena, choice);
    for (char *word, *rest = choice; (word = strsep(&rest, "\n")) && !code;) {
        char *equals = strchr(word, '=');
        if (!equals) continue;
        *equals = 0;
        const char *option = bound_option(bound, str_of(word));
        int number = (int)strtol(equals + 1, NULL, 10);
        if (!option)
            code = bind_chosen(bound, str_c(bound->cli->arena, str_of(word)),
                               str_c(bound->cli->arena, str_of(equals + 1)), "tern tune");
        else if (!strcmp(option, "num-warps"))
            bound->num_warps = number;
        else if (!strcmp(option, "num-stages"))
            bound->num_stages = number;
    }
    return code;
}

/* A file that is damaged is said, and left alone. */
static int take_tuned(Bound *bound) {
    tern_status status = TERN_OK;
    if (bound->is_guest || option_given(bound->cli, "config") || bound->function->is_cuda)
        return EXIT_OK;
    if (!tern_device_property(tern_device_name(bound->context), TERN_DEVICE_IS_FAST))
        return EXIT_OK;
    const char *key = tuned_key(bound);
    char *choice = key ? tern_tuned_find(bound->context, key, &status) : NULL;
    if (status) cli_fail_context(bound->cli, bound->context);
    int code = choice ? bind_tuned(bound, choice) : EXIT_OK;
    tern_free(choice);
    return code;
}

int bound_known(Bound *bound, tern_value **known) {
    Arena *arena = bound->cli->arena;
    int count = 0;
    *known = arena_array(arena, tern_value, bound->num_args + 1);
    for (int i = 0; i < bound->num_args; i++) {
        const ArgValue *value = bound->args[i].value;
        if (!value || value_has_tensor(value)) continue;
        Buf text = {.arena = arena};
        value_literal(&text, value);
        (*known)[count++] = (tern_value){bound->args[i].parameter->name, text.data};
    }
    return count;
}

static int take_heuristics(Bound *bound) {
    tern_value *known;
    const tern_value *values;
    int num_known = bound_known(bound, &known), code = EXIT_OK;
    int count =
        tern_module_heuristics(bound->module, bound->function->name, known, num_known, &values);
    if (count < 0) return cli_fail_context(bound->cli, bound->context);
    for (int i = 0; i < count && !code; i++)
        code = bind_chosen(bound, values[i].name, values[i].text, "@triton.heuristics");
    return code;
}

static int take_defaults(Bound *bound) {
    for (int i = 0; i < bound->num_args; i++) {
        LaunchArg *arg = &bound->args[i];
        const char *text = arg->parameter->default_value;
        if (arg->value) continue;
        if (!arg->parameter->has_default)
            return cli_fail(bound->cli, EXIT_USAGE,
                            "argument '%s' of kernel '%s' is missing: -a %s=VALUE",
                            arg->parameter->name, bound->function->name, arg->parameter->name);
        ArgValue *value = text ? quietly(bound, text) : NULL;
        if (!value) continue;
        env_bind_value(&bound->env, str_of(arg->parameter->name), value);
        if (!arg->parameter->is_constexpr) arg->value = value;
    }
    return EXIT_OK;
}

static int take_grid(Bound *bound) {
    ArgValue *values[3];
    const char *text = option_value(bound->cli, "grid");
    if (!text) return cli_fail(bound->cli, EXIT_USAGE, "--grid is missing: how many programs?");
    bound->grid_rank = env_evaluate_list(&bound->env, "--grid", text, values, 3);
    if (bound->grid_rank < 0) return bound_fail_diag(bound);
    for (int i = 0; i < 3; i++) bound->grid[i] = 1;
    for (int i = 0; i < bound->grid_rank; i++) {
        if (values[i]->kind != ARG_INT)
            return cli_fail(bound->cli, EXIT_USAGE, "--grid: dimension %d is a %s, expected an int",
                            i, value_kind_name(values[i]->kind));
        int64_t size = values[i]->integer, limit = i ? 65535 : INT32_MAX;
        if (size < 1 || size > limit)
            return cli_fail(bound->cli, EXIT_USAGE,
                            "--grid: dimension %d is %lld, expected 1 to %lld", i, (long long)size,
                            (long long)limit);
        bound->grid[i] = (uint32_t)size;
    }
    return EXIT_OK;
}

/* ---- compile and launch ---- */

int bound_compile(Bound *bound) {
    Cli *cli = bound->cli;
    Buf signature = {.arena = cli->arena};
    Str why;
    int warps, stages;
    if (!option_int(cli, "num-warps", 1, 64, bound->num_warps, &warps) ||
        !option_int(cli, "num-stages", 1, 32, bound->num_stages, &stages))
        return EXIT_USAGE;
    for (int i = 0; i < bound->num_args; i++)
        if (bound->args[i].value && bound->args[i].value->kind == ARG_TENSOR) {
            const Tensor *tensor = bound->args[i].value->tensor;
            bound->args[i].offset_bytes = (size_t)tensor->offset * tern_dtype_size(tensor->dtype);
            bound->args[i].align = bound->args[i].offset_bytes % 16 ? 1 : 16; /* buffers: 256 */
        }
    if (!launch_signature(&signature, bound->args, bound->num_args, &why))
        return cli_fail(cli, EXIT_USAGE, "%.*s", STR_ARG(why));
    bound->signature = buf_str(&signature);
    tern_options options = {.num_warps = warps,
                            .num_stages = stages,
                            .debug = option_given(cli, "debug"),
                            .precise = option_given(cli, "precise"),
                            .print_after = bound->keeps_ir ? "lower" : NULL,
                            .locations = bound->keeps_ir};
    if (!option_launch(cli, &options)) return EXIT_USAGE;
    double start_ms = clock_ms();
    bound->kernel =
        tern_compile(bound->module, bound->function->name, bound->signature.data, &options);
    bound->compile_ms = clock_ms() - start_ms;
    return bound->kernel ? EXIT_OK : cli_fail_context(cli, bound->context);
}

/* A NaN in every float type of two bytes and more, so that a result made of it shows; with a period
 * of 15 elements, so that a kernel that writes one value all over shows, and another one at each
 * side of each tensor, so that a copy between them does. */
static unsigned char zone_byte(int zone, size_t i) {
    size_t turn = i / 2 * 7 + (size_t)zone * 4;
    return (unsigned char)(i & 1 ? 0x7f | (turn & 1) << 7 : 0xf1 + turn % 15);
}

/* Zones are numbered: two for each argument, before and after it. */
static bool zone_write(const Bound *bound, tern_buffer *buffer, int zone, size_t at) {
    size_t size = bound->red_zone_bytes;
    unsigned char *bytes = arena_array(bound->cli->arena, unsigned char, size);
    for (size_t i = 0; i < size; i++) bytes[i] = zone_byte(zone, i);
    return tern_write(buffer, at, bytes, size) == TERN_OK;
}

int bound_upload(Bound *bound) {
    size_t zone = bound->red_zone_bytes;
    for (int i = 0; i < bound->num_args; i++) {
        LaunchArg *arg = &bound->args[i];
        if (!arg->value || arg->value->kind != ARG_TENSOR) continue;
        const Tensor *tensor = arg->value->tensor;
        for (int k = 0; k < i && !arg->buffer; k++)
            if (bound->args[k].buffer && bound->args[k].value->tensor == tensor)
                arg->buffer = bound->args[k].buffer, arg->is_shared = true;
        arg->offset_bytes += zone;
        if (arg->is_shared) continue;
        arg->buffer = tern_alloc(bound->context, tensor->storage_bytes + 2 * zone);
        if (!arg->buffer || tern_write(arg->buffer, zone, tensor->storage, tensor->storage_bytes))
            return cli_fail_context(bound->cli, bound->context);
        if (arg->value->is_empty && tern_forget(arg->buffer, zone, tensor->storage_bytes))
            return cli_fail_context(bound->cli, bound->context);
        if (zone && (!zone_write(bound, arg->buffer, 2 * i, 0) ||
                     !zone_write(bound, arg->buffer, 2 * i + 1, zone + tensor->storage_bytes)))
            return cli_fail_context(bound->cli, bound->context);
    }
    return EXIT_OK;
}

/* `at`: where the zone begins, from the start of the tensor's storage. */
static int check_zone(Bound *bound, const LaunchArg *arg, int zone, int64_t at) {
    size_t size = bound->red_zone_bytes, changed = 0, first = 0;
    const Tensor *tensor = arg->value->tensor;
    unsigned char *bytes = arena_array(bound->cli->arena, unsigned char, size);
    if (tern_read(arg->buffer, (size_t)(at + (int64_t)size), bytes, size))
        return cli_fail_context(bound->cli, bound->context);
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == zone_byte(zone, i)) continue;
        if (changed++ == 0) first = i;
    }
    if (!changed) return EXIT_OK;
    int64_t element_bytes = (int64_t)tern_dtype_size(tensor->dtype), byte = at + (int64_t)first;
    int64_t element =
        byte < 0 ? -((-byte + element_bytes - 1) / element_bytes) : byte / element_bytes;
    cli_fail(bound->cli, EXIT_WRONG,
             "argument '%s': the kernel wrote outside of it, %s: %zu bytes changed, the first in "
             "element %lld",
             arg->parameter->name, at < 0 ? "before its start" : "past its end", changed,
             (long long)(element - tensor->offset));
    return EXIT_WRONG;
}

int bound_check_zones(Bound *bound) {
    int code = EXIT_OK;
    for (int i = 0; i < bound->num_args && bound->red_zone_bytes; i++) {
        const LaunchArg *arg = &bound->args[i];
        if (!arg->buffer || arg->is_shared) continue;
        int before = check_zone(bound, arg, 2 * i, -(int64_t)bound->red_zone_bytes),
            after = check_zone(bound, arg, 2 * i + 1, (int64_t)arg->value->tensor->storage_bytes);
        if (before || after) code = before ? before : after;
    }
    if (code == EXIT_WRONG)
        cli_complain(bound->cli,
                     "help: '--device interp' checks every access and names the line\n");
    return code;
}

/* Which bytes of what empty() made were written, where the device knows it. */
static bool take_written(const Bound *bound, const LaunchArg *arg) {
    Tensor *tensor = arg->value->tensor;
    if (!arg->value->is_empty) return true;
    if (!tensor->written) tensor->written = malloc(tensor->storage_bytes + 1);
    if (!tensor->written) return false;
    if (tern_written(arg->buffer, bound->red_zone_bytes, tensor->storage_bytes, tensor->written)) {
        free(tensor->written);
        tensor->written = NULL;
    }
    return true;
}

int bound_download(Bound *bound) {
    for (int i = 0; i < bound->num_args; i++)
        if (bound->args[i].buffer && !bound->args[i].is_shared) {
            Tensor *tensor = bound->args[i].value->tensor;
            if (tern_read(bound->args[i].buffer, bound->red_zone_bytes, tensor->storage,
                          tensor->storage_bytes))
                return cli_fail_context(bound->cli, bound->context);
            if (!take_written(bound, &bound->args[i]))
                return cli_fail(bound->cli, EXIT_SYSTEM, "out of memory");
        }
    return EXIT_OK;
}

/* ---- all of it ---- */

int bound_open(Bound *bound, Cli *cli, const char *device, const char *operand) {
    int code = EXIT_OK;
    *bound = (Bound){.cli = cli, .diag.arena = cli->arena};
    bound->context = cli_open(cli, device, &code);
    if (!bound->context) return code;
    bound->env = (Env){.context = bound->context, .arena = cli->arena, .diag = &bound->diag};
    bound->function = cli_find_function(cli, bound->context, operand, &bound->module, &code);
    return bound->function ? EXIT_OK : code;
}

void bound_share(Bound *bound, Cli *cli, const Bound *host) {
    *bound = (Bound){.cli = cli, .diag.arena = cli->arena, .is_guest = true};
    bound->context = host->context, bound->module = host->module, bound->function = host->function;
    bound->env = (Env){.context = bound->context,
                       .draws = host->env.draws,
                       .arena = cli->arena,
                       .diag = &bound->diag};
}

int bound_given(Bound *bound) { return take_given(bound); }

int bound_values(Bound *bound) {
    static int (*const steps[])(Bound *) = {take_given,      take_tuned,    take_config,
                                            take_heuristics, take_defaults, take_grid};
    int code = EXIT_OK;
    for (int i = 0; i < COUNT(steps) && !code; i++) code = steps[i](bound);
    if (!code) launch_parts(bound->cli->arena, &bound->args, &bound->num_args);
    return code;
}

Str bound_choice(const Bound *bound, Arena *arena) {
    return str_format(arena, "%.*s, %d warps, %d stages", STR_ARG(bound->signature),
                      tern_kernel_num_warps(bound->kernel), tern_kernel_num_stages(bound->kernel));
}

void bound_close(Bound *bound) {
    for (int i = 0; bound->args && i < bound->num_args; i++)
        if (!bound->args[i].is_shared) tern_buffer_free(bound->args[i].buffer);
    if (bound->env.context) env_free(&bound->env);
    if (bound->kernel) tern_kernel_free(bound->kernel);
    if (bound->is_guest) return;
    if (bound->module) tern_module_free(bound->module);
    if (bound->context) tern_close(bound->context);
}
