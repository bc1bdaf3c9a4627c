// SPDX-License-Identifier: Apache-2.0
/* profile: what files take times with: torch.cuda.Event and nvtx, torch.profiler, and the older
 * torch.autograd.profiler. Times are tern's (tern_event_.., tern_profile_..). */
#include "exec/exec.h"

#include <stdlib.h>

static Object *none_of(Host *host) {
    return is_raised(host) ? host->script->poison : host->script->none;
}
static Object *done(Host *host, tern_status status) {
    return status ? tensor_failed(host) : none_of(host);
}

/* ---- torch.cuda.Event ---- */

static void event_free(Object *self) { tern_event_free(self->payload); }
static Object *event_get(Host *host, Object *self, Str name);
/* weight: it was recorded. */
static const HostType event_type = {.name = "Event", .free = event_free, .attribute = event_get};

static Object *event_record(Host *host, Object *const *args, const HostCall *call) {
    (void)args; /* all streams are the context's one */
    if (!host_may_do(host, "an event")) return none_of(host);
    call->self->weight = 1;
    return done(host, tern_event_record(call->self->payload, NULL));
}
static Object *event_synchronize(Host *host, Object *const *args, const HostCall *call) {
    (void)args;
    return call->self->weight ? done(host, tern_event_synchronize(call->self->payload))
                              : none_of(host);
}
static Object *event_elapsed(Host *host, Object *const *args, const HostCall *call) {
    double nanoseconds;
    bool fits = args[0]->kind == OBJECT_HOST && args[0]->type == &event_type;
    if (!fits) return host_raise(host, CLASS_TYPE_ERROR, "elapsed_time takes an Event");
    if (!call->self->items[0]->integer || !args[0]->items[0]->integer)
        return host_raise(host, CLASS_VALUE_ERROR,
                          "Both events must be created with argument 'enable_timing=True'.");
    if (!call->self->weight || !args[0]->weight)
        return host_raise(host, CLASS_VALUE_ERROR,
                          "Both events must be recorded before calculating elapsed time.");
    if (tern_event_elapsed(call->self->payload, args[0]->payload, &nanoseconds))
        return tensor_failed(host);
    return object_float(host->arena, nanoseconds * 1e-6);
}

static Object *event_get(Host *host, Object *self, Str name) {
    static const Native rows[] = {NATIVE("record", "stream?", event_record),
                                  NATIVE("synchronize", "", event_synchronize),
                                  NATIVE("wait", "stream?", event_synchronize),
                                  NATIVE("elapsed_time", "end_event", event_elapsed)};
    return native_of(host, rows, COUNT(rows), name, self);
}

Object *run_event(Host *host, Object *const *args, const HostCall *call) {
    bool timing = args[0] && script_truth(host, args[0]);
    Object *has_timing = host->script->booleans[timing];
    (void)call;
    if (!host_may_do(host, "an event")) return none_of(host);
    tern_event *event = tern_event_create(exec_of(host)->context);
    if (!event) return tensor_failed(host);
    Object *object = heap_host(host, &event_type, 1, &has_timing);
    object->payload = event;
    return object;
}

/* ---- ranges: nvtx, record_function ---- */

static Object *push(Host *host, Object *const *args, const HostCall *call) {
    Str name;
    (void)call;
    if (!host_may_do(host, "a range")) return none_of(host);
    if (!host_text(host, args[0], "a range's name", &name)) return none_of(host);
    tern_range_push(exec_of(host)->context, str_c(host->arena, name));
    return none_of(host);
}
static Object *pop(Host *host, Object *const *args, const HostCall *call) {
    (void)args, (void)call;
    if (!host_may_do(host, "a range")) return none_of(host);
    tern_range_pop(exec_of(host)->context);
    return none_of(host);
}

static Object *range_enter(Host *host, Object *const *args, const HostCall *call) {
    (void)args;
    push(host, call->self->items, call);
    return call->self;
}
static Object *range_get(Host *host, Object *self, Str name) {
    static const Native rows[] = {NATIVE("__enter__", "", range_enter),
                                  NATIVE("__exit__", "type, value, traceback", pop)};
    return native_of(host, rows, COUNT(rows), name, self);
}
static const HostType range_type = {.name = "range", .attribute = range_get};
static Object *run_range(Host *host, Object *const *args, const HostCall *call) {
    Str name;
    (void)call;
    return host_text(host, args[0], "a range's name", &name)
               ? heap_host(host, &range_type, 1, &args[0])
               : none_of(host);
}

static Object *open_nvtx(Host *host) {
    static const Native rows[] = {NATIVE("range_push", "msg", push), NATIVE("range_pop", "", pop),
                                  NATIVE("range", "msg", run_range)};
    return host_module_of(host, "torch.cuda.nvtx", rows, COUNT(rows));
}

/* ---- profiles ---- */

typedef struct Profiler {
    tern_profile *profile;
    const Script *script;
    bool shapes, stacks, has_stopped;
} Profiler;

static void profiler_free(Object *self) {
    Profiler *profiler = self->payload;
    tern_profile_free(profiler->profile);
    free(profiler);
}
static Object *profiler_get(Host *host, Object *self, Str name);
static const HostType profiler_type = {
    .name = "profile", .free = profiler_free, .attribute = profiler_get};
static Object *averages_get(Host *host, Object *self, Str name);
/* items: the profiler, whether rows are by shape */
static const HostType averages_type = {.name = "EventList", .attribute = averages_get};

static int stack(void *user, const char **names, int most) {
    const Profiler *profiler = user;
    return script_stack(profiler->script, names, most);
}

static Object *profiler_enter(Host *host, Object *const *args, const HostCall *call) {
    Profiler *profiler = call->self->payload;
    (void)args;
    if (!host_may_do(host, "a profiler")) return none_of(host);
    if (profiler->profile) return host_refuse(host, "a profiler that is started twice");
    profiler->profile = tern_profile_start(
        exec_of(host)->context, &(tern_profile_options){.size = sizeof(tern_profile_options),
                                                        .shapes = profiler->shapes,
                                                        .frames = profiler->stacks,
                                                        .stack = stack,
                                                        .user = profiler});
    return profiler->profile ? call->self : tensor_failed(host);
}
static Object *profiler_exit(Host *host, Object *const *args, const HostCall *call) {
    Profiler *profiler = call->self->payload;
    (void)args;
    if (!profiler->profile || profiler->has_stopped) return none_of(host);
    profiler->has_stopped = true;
    return done(host, tern_profile_stop(profiler->profile));
}

static Object *profiler_averages(Host *host, Object *const *args, const HostCall *call) {
    const Profiler *profiler = call->self->payload;
    bool by_shape = args[0] && script_truth(host, args[0]);
    if (args[1] && script_truth(host, args[1])) return host_refuse(host, "group_by_stack_n=");
    if (!profiler->has_stopped)
        return host_raise(host, CLASS_ASSERTION_ERROR, "Profiler didn't finish running");
    Object *parts[] = {call->self, host->script->booleans[by_shape]};
    return heap_host(host, &averages_type, 2, parts);
}

/* Widths of sources and names, the header and whose rows, after what is sorted and how many. */
static Object *averages_table(Host *host, Object *const *args, const HostCall *call) {
    const Profiler *profiler = call->self->items[0]->payload;
    tern_table_options options = {.size = sizeof options,
                                  .style = TERN_TABLE_TORCH,
                                  .group_by_shape = call->self->items[1]->integer};
    int64_t limit = 100, width = 55;
    Str sort;
    if (args[0] && args[0]->kind != OBJECT_NONE) {
        if (!host_text(host, args[0], "sort_by", &sort)) return none_of(host);
        options.sort_by = str_c(host->arena, sort);
    }
    if ((args[1] && !host_int(host, args[1], "row_limit", &limit)) ||
        (args[3] && args[3]->kind != OBJECT_NONE && !host_int(host, args[3], "the width", &width)))
        return none_of(host);
    if (args[4] && args[4]->kind != OBJECT_NONE) return host_refuse(host, "header= of a table");
    options.row_limit = (int)limit, options.max_name_column_width = (int)width;
    options.top_level_only = args[5] && script_truth(host, args[5]);
    char *text = tern_profile_table(profiler->profile, &options);
    if (!text && options.sort_by)
        return host_raise(host, CLASS_ATTRIBUTE_ERROR,
                          "'FunctionEventAvg' object has no attribute '%s'", options.sort_by);
    if (!text) return tensor_failed(host);
    Object *table = object_str(host->arena, str_copy(host->arena, str_of(text)));
    tern_free(text);
    return table;
}

static Object *averages_get(Host *host, Object *self, Str name) {
    static const Native table = NATIVE("table",
                                       "sort_by?, row_limit?, max_src_column_width?, "
                                       "max_name_column_width?, header?, top_level_events_only?",
                                       averages_table);
    return str_is(name, "table") ? native_new(host, &table, self) : NULL;
}

static Object *profiler_table(Host *host, Object *const *args, const HostCall *call) {
    Object *nothing[2] = {NULL, NULL}, *averages = profiler_averages(host, nothing, call);
    HostCall inner = *call;
    if (is_raised(host)) return none_of(host);
    inner.self = averages;
    return averages_table(host, args, &inner);
}

static Object *profiler_export(Host *host, Object *const *args, const HostCall *call) {
    const Profiler *profiler = call->self->payload;
    Str path;
    if (!host_text(host, args[0], "path", &path)) return none_of(host);
    const char *to = file_to_write(host, path);
    if (!to) return none_of(host);
    if (!profiler->has_stopped)
        return host_raise(host, CLASS_ASSERTION_ERROR, "Profiler didn't finish running");
    return done(host, tern_profile_save(profiler->profile, TERN_PROFILE_CHROME, to));
}

static Object *profiler_get(Host *host, Object *self, Str name) {
    static const Native rows[] = {
        NATIVE("__enter__", "", profiler_enter),
        NATIVE("__exit__", "type, value, traceback", profiler_exit),
        NATIVE("start", "", profiler_enter),
        NATIVE("stop", "", profiler_exit),
        NATIVE("key_averages", "group_by_input_shape?, group_by_stack_n?", profiler_averages),
        NATIVE("table",
               "sort_by?, row_limit?, max_src_column_width?, max_name_column_width?, header?, "
               "top_level_events_only?",
               profiler_table),
        NATIVE("export_chrome_trace", "path", profiler_export),
    };
    return native_of(host, rows, COUNT(rows), name, self);
}

/* What is watched is all that tern does: activities change nothing. */
static Object *run_profile(Host *host, Object *const *args, const HostCall *call) {
    static const char *const refused[] = {
        "schedule=", "on_trace_ready=", "profile_memory=", "with_flops="};
    (void)call;
    for (int i = 0; i < COUNT(refused); i++)
        if (args[i] && args[i]->kind != OBJECT_NONE && script_truth(host, args[i]))
            return host_refuse(host, "%s of a profiler", refused[i]);
    Profiler *profiler = calloc(1, sizeof *profiler);
    if (!profiler) longjmp(host->script->no_memory, 1);
    profiler->script = host->script;
    profiler->shapes = args[4] && script_truth(host, args[4]);
    profiler->stacks = args[6] && script_truth(host, args[6]);
    Object *object = heap_host(host, &profiler_type, 0, NULL);
    object->payload = profiler;
    return object;
}

static Object *open_profiler(Host *host) {
    static const Native rows[] = {
        NATIVE("profile",
               "*, schedule?, on_trace_ready?, profile_memory?, with_flops?, record_shapes?, "
               "activities?, with_stack?, with_modules?, use_cuda?, experimental_config?",
               run_profile),
        NATIVE("record_function", "name", run_range)};
    static const char *const activities[] = {"CPU", "CUDA"};
    Object *module = host_module_new(host, "torch.profiler"),
           *kinds = host_module_new(host, "ProfilerActivity");
    for (int i = 0; i < COUNT(activities); i++)
        module_add(host, kinds, activities[i], object_str(host->arena, str_of(activities[i])));
    module_add_natives(host, module, rows, COUNT(rows));
    module_add(host, module, "ProfilerActivity", kinds);
    return module;
}

/* torch.autograd.profiler.profile(enabled=True, use_cuda=False, ..) */
static Object *run_old_profile(Host *host, Object *const *args, const HostCall *call) {
    Object *places[] = {NULL, NULL, args[2], args[3], args[4], NULL, args[5]};
    if (args[0] && !script_truth(host, args[0])) return host_refuse(host, "enabled=False");
    return run_profile(host, places, call);
}

static Object *open_old_profiler(Host *host) {
    static const Native rows[] = {
        NATIVE("profile",
               "enabled?, use_cuda?, *, profile_memory?, with_flops?, record_shapes?, with_stack?, "
               "use_kineto?, use_device?, use_cpu?, with_modules?",
               run_old_profile),
        NATIVE("record_function", "name", run_range)};
    return host_module_of(host, "torch.autograd.profiler", rows, COUNT(rows));
}

Object *profile_open(Host *host, Str path) {
    if (str_is(path, "torch.cuda.nvtx")) return open_nvtx(host);
    if (str_is(path, "torch.profiler")) return open_profiler(host);
    if (str_is(path, "torch.autograd.profiler")) return open_old_profiler(host);
    return NULL;
}
