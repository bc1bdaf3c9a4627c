// SPDX-License-Identifier: Apache-2.0
/* range: hardware counters of a GPU by CUPTI's range profiler.
 *
 * What is asked for fits one pass on each chip that CUPTI knows, so that a kernel runs once and
 * nothing need be put back before it runs again. Which counters there are, and in how many passes,
 * the library says without a GPU: a test asks it for all chips. */
#include "base/base.h"
#include "prof/counters.h"

#include <dlfcn.h>
#include <link.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct CountersRange {
    CountersCalls calls;
    CountersPlan plan;
    void *object; /* NULL: not enabled */
    uint8_t *data;
    size_t data_bytes;
};

/* ---- the library ---- */

/* libcupti looks for this one by its name alone, which finds none beside a libcupti that is not
 * where the system looks for libraries. */
static void load_helper(void *library) {
    struct link_map *map;
    char path[4096];
    if (dlinfo(library, RTLD_DI_LINKMAP, &map)) return;
    const char *slash = strrchr(map->l_name, '/');
    int folder = slash ? (int)(slash + 1 - map->l_name) : 0;
    if (snprintf(path, sizeof path, "%.*slibnvperf_host.so", folder, map->l_name) <
        (int)sizeof path)
        dlopen(path, RTLD_NOW | RTLD_GLOBAL);
}

bool counters_load(CountersCalls *calls, char *words, size_t size) {
    void *library = cupti_library(), *found;
    if (!library)
        return snprintf(words, size, "libcupti.so is not here; TERN_CUPTI may name it"), false;
    load_helper(library);
    found = dlsym(library, "cuptiGetResultString");
    memcpy(&calls->words, &found, sizeof found);
    const char *missing = found ? NULL : "cuptiGetResultString";
#define COUNTERS_CALL(name, symbol, type, last)                                                    \
    found = dlsym(library, #symbol);                                                               \
    memcpy(&calls->name, &found, sizeof found);                                                    \
    if (!found && !missing) missing = #symbol;
#include "prof/counters.def"
#undef COUNTERS_CALL
    if (missing)
        snprintf(words, size, "libcupti.so is too old: it lacks %s; CUDA 12.8's has it", missing);
    return !missing;
}

#define COUNTERS_CALL(name, symbol, type, last)                                                    \
    static CuptiResult call_##name(const CountersCalls *calls, type *arguments) {                  \
        arguments->size = offsetof(type, last) + sizeof arguments->last;                           \
        return calls->name(arguments);                                                             \
    }
#include "prof/counters.def"
#undef COUNTERS_CALL

/* The driver's rule, where it is known, beside what allows it. */
static void say(const CountersCalls *calls, CuptiResult result, char *words, size_t size) {
    const char *text = NULL;
    if (result == CUPTI_INSUFFICIENT_PRIVILEGES || result == CUPTI_VIRTUAL_PRIVILEGES)
        snprintf(words, size,
                 "not permitted: the driver gives them to root, or to who has CAP_SYS_ADMIN or "
                 "(from driver 565 on) CAP_PERFMON; its module's option "
                 "NVreg_RestrictProfilingToAdminUsers=0 gives them to all");
    else if (result == CUPTI_MULTIPLE_SUBSCRIBERS)
        snprintf(words, size, "another profiler is attached to this process");
    else if (result == CUPTI_HARDWARE_BUSY)
        snprintf(words, size, "another process has them; if that is DCGM: dcgmi profpause");
    else if (calls->words(result, &text) == CUPTI_OK && text)
        snprintf(words, size, "CUPTI says %s", text);
    else
        snprintf(words, size, "CUPTI gives error %d", (int)result);
}

/* ---- what is asked for ---- */

static const char *const metric_names[COUNTERS_METRICS][2] = {
    [COUNTERS_READ] = {"dram__bytes_read.sum", "dram__bytes_op_read.sum"},
    [COUNTERS_WRITTEN] = {"dram__bytes_write.sum", "dram__bytes_op_write.sum"},
    [COUNTERS_ACTIVE] = {"sm__cycles_active.avg"},
    [COUNTERS_BUSIEST] = {"sm__cycles_active.max"},
    [COUNTERS_WARPS] = {"sm__warps_active.avg.pct_of_peak_sustained_active"},
    [COUNTERS_ISSUE] = {"smsp__issue_active.avg.pct_of_peak_sustained_active"},
    [COUNTERS_TENSOR] = {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"},
    [COUNTERS_CACHE] = {"lts__t_bytes.sum"},
    [COUNTERS_FMA] = {"sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active"},
};

static CuptiResult host_open(const CountersCalls *calls, const char *chip,
                             const uint8_t *availability, void **host) {
    CountersHost open = {
        .type = COUNTERS_RANGE_PROFILER, .chip = chip, .availability = availability};
    CuptiResult result = call_host(calls, &open);
    *host = result == CUPTI_OK ? open.host : NULL;
    return result;
}

static void host_close(const CountersCalls *calls, void *host) {
    if (host) call_host_end(calls, &(CountersHostEnd){.host = host});
}

/* On a host of its own: one that has refused a name takes no other, and each addition would be a
 * pass by itself. */
static CuptiResult is_known(const CountersCalls *calls, const char *chip,
                            const uint8_t *availability, const char *name, bool *known) {
    void *host;
    CuptiResult result = host_open(calls, chip, availability, &host);
    CountersMetrics metrics = {.host = host, .names = &name, .count = 1};
    *known = result == CUPTI_OK && call_metrics(calls, &metrics) == CUPTI_OK;
    host_close(calls, host);
    return result;
}

static CuptiResult find_names(const CountersCalls *calls, const char *chip,
                              const uint8_t *availability, CountersPlan *plan) {
    CuptiResult result = CUPTI_OK;
    for (int i = 0; i < COUNTERS_METRICS; i++) {
        bool known = false;
        for (int k = 0; k < COUNT(metric_names[i]) && metric_names[i][k] && !known; k++) {
            plan->names[plan->count] = metric_names[i][k];
            result = is_known(calls, chip, availability, metric_names[i][k], &known);
            if (result != CUPTI_OK) return result;
        }
        if (known) plan->metrics[plan->count++] = (CountersMetric)i;
    }
    return result;
}

/* The configuration of all that is in the plan, and in how many passes they are counted. */
static CuptiResult configure(const CountersCalls *calls, CountersPlan *plan, size_t *passes) {
    CountersConfigSize asked = {.host = plan->host};
    CuptiResult result = call_metrics(
        calls,
        &(CountersMetrics){.host = plan->host, .names = plan->names, .count = (size_t)plan->count});
    if (result == CUPTI_OK) result = call_config_size(calls, &asked);
    if (result != CUPTI_OK) return result;
    plan->config_bytes = asked.bytes;
    plan->config = calloc(1, asked.bytes ? asked.bytes : 1);
    if (!plan->config) return CUPTI_OUT_OF_MEMORY;
    result = call_config(
        calls, &(CountersConfig){.host = plan->host, .bytes = asked.bytes, .image = plan->config});
    CountersPasses count = {.bytes = asked.bytes, .image = plan->config};
    if (result == CUPTI_OK) result = call_passes(calls, &count);
    *passes = count.passes;
    return result;
}

void counters_plan_end(const CountersCalls *calls, CountersPlan *plan) {
    host_close(calls, plan->host);
    free(plan->config);
    plan->host = plan->config = NULL;
}

CuptiResult counters_plan(const CountersCalls *calls, const char *chip, const uint8_t *availability,
                          CountersPlan *plan) {
    *plan = (CountersPlan){0};
    CuptiResult result = find_names(calls, chip, availability, plan);
    size_t passes = 2;
    for (; result == CUPTI_OK && passes > 1 && plan->count; plan->count -= passes > 1) {
        counters_plan_end(calls, plan);
        result = host_open(calls, chip, availability, &plan->host);
        if (result == CUPTI_OK) result = configure(calls, plan, &passes);
    }
    if (result == CUPTI_OK && !plan->count) result = CUPTI_NOT_SUPPORTED;
    if (result != CUPTI_OK) counters_plan_end(calls, plan);
    return result;
}

/* ---- a device ---- */

static CuptiResult plan_for(CountersRange *range, CudaContext context, int device) {
    const CountersCalls *calls = &range->calls;
    CountersChip chip = {.device = (size_t)device};
    CountersAvailability available = {.context = context};
    CuptiResult result = call_initialize(calls, &(CountersInitialize){0});
    if (result == CUPTI_OK) result = call_chip(calls, &chip);
    if (result == CUPTI_OK) result = call_availability(calls, &available);
    if (result != CUPTI_OK) return result;
    available.image = calloc(1, available.image_bytes ? available.image_bytes : 1);
    if (!available.image) return CUPTI_OUT_OF_MEMORY;
    result = call_availability(calls, &available);
    if (result == CUPTI_OK) result = counters_plan(calls, chip.chip, available.image, &range->plan);
    free(available.image);
    return result;
}

static CuptiResult enable(CountersRange *range, CudaContext context) {
    const CountersCalls *calls = &range->calls;
    CountersEnable enabled = {.context = context};
    CuptiResult result = call_enable_range(calls, &enabled);
    if (result != CUPTI_OK) return result;
    range->object = enabled.object;
    CountersDataSize asked = {.object = range->object,
                              .names = range->plan.names,
                              .count = (size_t)range->plan.count,
                              .ranges = 1,
                              .nodes = 1};
    result = call_data_size(calls, &asked);
    if (result != CUPTI_OK) return result;
    range->data_bytes = asked.bytes;
    range->data = calloc(1, asked.bytes ? asked.bytes : 1);
    return range->data ? CUPTI_OK : CUPTI_OUT_OF_MEMORY;
}

CountersRange *counters_range_open(CudaContext context, int device, char *words, size_t size) {
    CountersRange *range = calloc(1, sizeof *range);
    if (!range) return snprintf(words, size, "out of memory"), NULL;
    if (!counters_load(&range->calls, words, size)) {
        free(range);
        return NULL;
    }
    CuptiResult result = plan_for(range, context, device);
    if (result == CUPTI_OK) result = enable(range, context);
    if (result == CUPTI_OK) return range;
    say(&range->calls, result, words, size);
    counters_range_close(range);
    return NULL;
}

void counters_range_close(CountersRange *range) {
    if (!range) return;
    if (range->object)
        call_disable_range(&range->calls, &(CountersObject){.object = range->object});
    counters_plan_end(&range->calls, &range->plan);
    free(range->data);
    free(range);
}

/* ---- a range ---- */

static bool check(const CountersRange *range, CuptiResult result, char *words, size_t size) {
    if (result != CUPTI_OK) say(&range->calls, result, words, size);
    return result == CUPTI_OK;
}

bool counters_range_begin(CountersRange *range, char *words, size_t size) {
    const CountersCalls *calls = &range->calls;
    CountersSet set = {.object = range->object,
                       .config_bytes = range->plan.config_bytes,
                       .config = range->plan.config,
                       .data_bytes = range->data_bytes,
                       .data = range->data,
                       .range = COUNTERS_USER_RANGE,
                       .replay = COUNTERS_USER_REPLAY,
                       .ranges = 1,
                       .levels = 1,
                       .first_level = 1,
                       .target_level = 1};
    CuptiResult result = call_data(
        calls,
        &(CountersData){.object = range->object, .bytes = range->data_bytes, .image = range->data});
    if (result == CUPTI_OK) result = call_set(calls, &set);
    if (result == CUPTI_OK) result = call_start(calls, &(CountersObject){.object = range->object});
    if (result == CUPTI_OK)
        result = call_push(calls, &(CountersPush){.object = range->object, .name = "tern"});
    return check(range, result, words, size);
}

static void fill(const CountersRange *range, const double *values, tern_hardware *hardware) {
    double all[COUNTERS_METRICS];
    for (int i = 0; i < COUNTERS_METRICS; i++) all[i] = NAN;
    for (int i = 0; i < range->plan.count; i++) all[range->plan.metrics[i]] = values[i];
    hardware->read_bytes = all[COUNTERS_READ];
    hardware->written_bytes = all[COUNTERS_WRITTEN];
    hardware->cache_bytes = all[COUNTERS_CACHE];
    if (all[COUNTERS_BUSIEST] > 0) hardware->active = all[COUNTERS_ACTIVE] / all[COUNTERS_BUSIEST];
    hardware->warps = all[COUNTERS_WARPS] / 100;
    hardware->issue = all[COUNTERS_ISSUE] / 100;
    hardware->tensor = all[COUNTERS_TENSOR] / 100;
    hardware->fma = all[COUNTERS_FMA] / 100;
}

bool counters_range_end(CountersRange *range, tern_hardware *hardware, char *words, size_t size) {
    const CountersCalls *calls = &range->calls;
    double values[COUNTERS_METRICS];
    CountersObject object = {.object = range->object};
    CountersStop stop = {.object = range->object};
    CountersDecode decode = {.object = range->object};
    CuptiResult result = call_pop(calls, &object);
    if (result == CUPTI_OK) result = call_stop(calls, &stop);
    if (result == CUPTI_OK) result = call_decode(calls, &decode);
    if (result == CUPTI_OK && (!stop.is_all || decode.dropped))
        return snprintf(words, size, "CUPTI wants to see it again"), false;
    if (result == CUPTI_OK)
        result = call_values(calls, &(CountersValues){.host = range->plan.host,
                                                      .data = range->data,
                                                      .data_bytes = range->data_bytes,
                                                      .names = range->plan.names,
                                                      .count = (size_t)range->plan.count,
                                                      .values = values});
    if (result == CUPTI_OK) fill(range, values, hardware);
    return check(range, result, words, size);
}
