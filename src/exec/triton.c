// SPDX-License-Identifier: Apache-2.0
/* triton: the host side of the module triton: cdiv, next_power_of_2, testing.do_bench, and the
 * devices of its runtime. */
#include "exec/exec.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static Object *none_of(Host *host) {
    return is_raised(host) ? host->script->poison : host->script->none;
}

static Object *run_cdiv(Host *host, Object *const *args, const HostCall *call) {
    int64_t a, b;
    (void)call;
    if (!host_int(host, args[0], "x", &a) || !host_int(host, args[1], "y", &b))
        return none_of(host);
    if (!b)
        return host_raise(host, CLASS_ZERO_DIVISION_ERROR, "integer division or modulo by zero");
    Object *sum = object_int(host->arena, (int128)a + b - 1);
    return script_binary(host, OPERATOR_FLOORDIV, sum, args[1]);
}

static Object *run_next_power(Host *host, Object *const *args, const HostCall *call) {
    int64_t n;
    int128 power = 1;
    (void)call;
    if (!host_int(host, args[0], "n", &n)) return none_of(host);
    while (n > 0 && power < n) power *= 2;
    return object_int(host->arena, n > 0 ? power : 0);
}

/* ---- do_bench ---- */

typedef struct Timed {
    Host *host;
    Object *function;
} Timed;

static tern_status call_timed(void *user, tern_stream *stream) {
    Timed *timed = user;
    (void)stream; /* the context's own, as for all that a script launches */
    Host *host = timed->host;
    if (is_raised(host)) return TERN_ERROR_ARGUMENT;
    Moment moment = moment_of(host);
    host_invoke_with(host, timed->function, 0, NULL);
    if (is_raised(host)) return TERN_ERROR_ARGUMENT;
    moment_end(host, moment);
    return host_step(host, host->span) ? TERN_OK : TERN_ERROR_ARGUMENT;
}

static tern_return_mode return_mode(const Object *mode) {
    Str name = mode && mode->kind == OBJECT_STR ? mode->text : STR("mean");
    return str_is(name, "min")      ? TERN_MIN
           : str_is(name, "max")    ? TERN_MAX
           : str_is(name, "median") ? TERN_MEDIAN
                                    : TERN_MEAN;
}

/* fn, warmup=25, rep=100 (ms), grad_to_none=None, quantiles=None, return_mode="mean" */
static Object *run_bench(Host *host, Object *const *args, const HostCall *call) {
    enum { MOST = 16 };
    double warmup = 25, rep = 100, quantiles[MOST], times[MOST];
    int count = 0;
    Object **items;
    bool wants_list = args[4] && args[4]->kind != OBJECT_NONE;
    (void)call;
    if (!host_may_do(host, "do_bench()")) return none_of(host);
    if ((args[1] && !host_double(host, args[1], "warmup", &warmup)) ||
        (args[2] && !host_double(host, args[2], "rep", &rep)))
        return none_of(host);
    if (wants_list) {
        if (!host_items(host, args[4], &count, &items)) return none_of(host);
        if (count > MOST) return host_refuse(host, "more than %d quantiles", MOST);
        for (int i = 0; i < count; i++) {
            if (!host_double(host, items[i], "a quantile", &quantiles[i])) return none_of(host);
            if (!(quantiles[i] >= 0 && quantiles[i] <= 1))
                return host_raise(host, CLASS_VALUE_ERROR, "a quantile is from 0 to 1");
        }
    }
    Timed timed = {host, args[0]};
    tern_status status = tern_do_bench(exec_of(host)->context, call_timed, &timed, warmup, rep,
                                       quantiles, count, return_mode(args[5]), times);
    if (status && !is_raised(host)) tensor_failed(host);
    if (is_raised(host)) return none_of(host);
    if (!wants_list || count == 1) return object_float(host->arena, times[0]);
    Object *list = heap_list(host, OBJECT_LIST, 0, NULL);
    for (int i = 0; i < count; i++) list_insert(host, list, i, object_float(host->arena, times[i]));
    return list;
}

/* ---- the runtime ---- */

static bool is_gpu(const Host *host) {
    return !tern_device_property(tern_device_name(exec_of(host)->context), TERN_DEVICE_ON_HOST);
}

static Object *run_active_device(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, (void)call, device_object(host, is_gpu(host));
}
static Object *run_to_cpu(Host *host, Object *const *args, const HostCall *call) {
    (void)args, (void)call;
    return is_gpu(host) ? host_refuse(host, "the CPU beside a GPU: run with --device cpu")
                        : host->script->none;
}
static Object *run_to_gpu(Host *host, Object *const *args, const HostCall *call) {
    (void)args, (void)call;
    return is_gpu(host) ? host->script->none : host_refuse(host, "a GPU: run with --device cuda");
}
static Object *run_gpus(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, (void)call, heap_list(host, OBJECT_LIST, 0, NULL);
}

/* On a CPU these are stand-ins, which files divide by. */
static Object *run_properties(Host *host, Object *const *args, const HostCall *call) {
    tern_gpu gpu = {.multiprocessors = (int)sysconf(_SC_NPROCESSORS_ONLN),
                    .block_registers = 65536,
                    .block_shared_bytes = 232448,
                    .warp_size = 32};
    tern_context_gpu(exec_of(host)->context, &gpu);
    const struct {
        const char *name;
        int64_t value;
    } rows[] = {{"multiprocessor_count", gpu.multiprocessors},
                {"max_num_regs", gpu.block_registers},
                {"max_shared_mem", gpu.block_shared_bytes},
                {"warpSize", gpu.warp_size}};
    Object *properties = heap_list(host, OBJECT_DICT, 0, NULL);
    (void)args, (void)call;
    for (int i = 0; i < COUNT(rows); i++)
        dict_put(host, properties, object_str(host->arena, str_of(rows[i].name)),
                 object_int(host->arena, rows[i].value));
    return properties;
}

static Object *run_target(Host *host, Object *const *args, const HostCall *call) {
    Object *target = host_module_new(host, "GPUTarget");
    tern_gpu gpu = {.warp_size = 32};
    (void)args, (void)call;
    bool is_cuda = tern_context_gpu(exec_of(host)->context, &gpu) == TERN_OK;
    module_add(host, target, "backend",
               object_str(host->arena, is_cuda ? STR("cuda") : STR("cpu")));
    module_add(host, target, "arch", object_int(host->arena, gpu.capability));
    module_add(host, target, "warp_size", object_int(host->arena, gpu.warp_size));
    return target;
}

static Object *open_runtime(Host *host) {
    static const char *const of_autotuner[] = {"Autotuner", "Heuristics", "Config", "autotune",
                                               "heuristics"};
    static const Native of_driver[] = {NATIVE("set_active_to_cpu", "", run_to_cpu),
                                       NATIVE("set_active_to_gpu", "", run_to_gpu),
                                       NATIVE("get_active_gpus", "", run_gpus)};
    static const Native of_active[] = {NATIVE("get_active_torch_device", "", run_active_device),
                                       NATIVE("get_current_target", "", run_target)};
    static const Native of_utils[] = {NATIVE("get_device_properties", "device", run_properties)};
    Object *utils =
        host_module_of(host, "triton.runtime.driver.active.utils", of_utils, COUNT(of_utils));
    Object *module = host_module_new(host, "triton.runtime");
    Object *driver = host_module_new(host, "triton.runtime.driver");
    Object *active =
        host_module_of(host, "triton.runtime.driver.active", of_active, COUNT(of_active));
    module_add_natives(host, driver, of_driver, COUNT(of_driver));
    module_add(host, active, "utils", utils);
    module_add(host, driver, "active", active);
    module_add(host, module, "driver", driver);
    Object *autotuner = module_import(host, STR("triton.runtime.autotuner"));
    if (is_raised(host)) return module;
    module_add(host, module, "autotuner", autotuner);
    for (int i = 0; i < COUNT(of_autotuner); i++)
        module_add(host, module, of_autotuner[i],
                   host_get(host, autotuner, str_of(of_autotuner[i])));
    return module;
}

/* Kernels have what they need of memory beside their arguments from the launch itself. */
static Object *run_allocator(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, (void)call, none_of(host);
}

static Object *open_triton(Host *host) {
    static const Native rows[] = {
        NATIVE("cdiv", "x, y", run_cdiv), NATIVE("next_power_of_2", "n", run_next_power),
        NATIVE("set_allocator", "allocator", run_allocator), NATIVE("jit", "..", jit_decorator)};
    static const char *const of_runtime[] = {"Config", "autotune", "heuristics"};
    Object *module = host_module_of(host, "triton", rows, COUNT(rows));
    module_add(host, module, "__version__", object_str(host->arena, STR("3.6.0")));
    module_add(host, module, "language",
               builtin_attribute(host->arena, STR("triton"), STR("language")));
    module_add(host, module, "testing", module_import(host, STR("triton.testing")));
    Object *tools = host_module_new(host, "triton.tools");
    Object *descriptors = module_import(host, STR("triton.tools.tensor_descriptor"));
    if (is_raised(host)) return NULL;
    module_add(host, tools, "tensor_descriptor", descriptors);
    descriptors = module_import(host, STR("triton.tools.experimental_descriptor"));
    if (is_raised(host)) return NULL;
    module_add(host, tools, "experimental_descriptor", descriptors);
    module_add(host, module, "tools", tools);
    const Object *wrapper = module_import(host, STR("triton._wrapper"));
    if (is_raised(host)) return NULL;
    static const char *const of_wrapper[] = {"TensorWrapper", "reinterpret"};
    for (int i = 0; i < COUNT(of_wrapper); i++)
        module_add(host, module, of_wrapper[i],
                   dict_find_text(wrapper->items[0], str_of(of_wrapper[i])));
    Object *runtime = module_import(host, STR("triton.runtime"));
    module_add(host, module, "runtime", runtime);
    for (int i = 0; i < COUNT(of_runtime) && !is_raised(host); i++)
        module_add(host, module, of_runtime[i], host_get(host, runtime, str_of(of_runtime[i])));
    return module;
}

Object *triton_open(Host *host, Str path) {
    static const Native of_testing[] = {
        NATIVE("do_bench",
               "fn, warmup?, rep?, grad_to_none?, quantiles?, return_mode?, "
               "measure_time_with_hooks?",
               run_bench)};
    if (str_is(path, "triton")) return open_triton(host);
    if (str_is(path, "triton.runtime")) return open_runtime(host);
    if (!str_is(path, "triton.testing")) return autotune_open(host, path);
    Object *module = host_module_of(host, "triton.testing", of_testing, COUNT(of_testing));
    add_perf_report(host, module);
    return module;
}
