// SPDX-License-Identifier: Apache-2.0
/* Profiles: tables against what torch's own code prints (test/prof/torch, tools/torch-tables), the
 * tree against a search of all pairs, recordings on interp. */
#include "base/utf8.h"
#include "prof/prof.h"
#include "tern_tensor.h"
#include "test.h"

#include <sys/mman.h>
#include <dlfcn.h>
#include <glob.h>
#include <unistd.h>

/* ---- tables ---- */

typedef struct Loaded {
    Arena *arena;
    ProfEvent events[1000];
    int count;
} Loaded;

/* Of tools/torch-tables. */
static const char *const made_up_shapes[] = {
    NULL, "[[64, 64], []]", "[[128, 3, 224, 224], [64, 3, 7, 7], [64]]",
    "[[8], [8], [8], [8], [8], [8], [8], [8], [8], [8], [8], [8], [8], [8], [8], [8], [8], [8], "
    "[8]]"};

static bool load(Loaded *loaded, const char *path) {
    Str text, why;
    *loaded = (Loaded){.arena = arena_new(NULL)};
    if (!file_read(loaded->arena, path, 1 << 20, &text, &why)) return false;
    for (char *at = (char *)(uintptr_t)text.data, *end = at + text.length; at < end;) {
        ProfEvent *event = &loaded->events[loaded->count];
        char side[8], *line = strchr(at, '\n');
        long long thread, start, stop;
        int used = 0;
        *line = 0;
        if (sscanf(at, "%7s %lld %lld %lld %d %n", side, &thread, &start, &stop, &event->parent,
                   &used) < 5)
            return false;
        event->thread = thread, event->start_ns = start, event->end_ns = stop;
        event->on_device = *side == 'd';
        event->name = at + used;
        event->shapes = made_up_shapes[loaded->count % 4];
        loaded->count++;
        at = line + 1;
    }
    prof_tree(loaded->arena, loaded->events, loaded->count);
    return loaded->count > 0;
}

typedef struct Variant {
    const char *name;
    ProfGrouping by;
    tern_time_unit unit;
    bool top_level_only;
} Variant;
static const Variant variants[] = {
    {"txt", {false, 0}, TERN_TIME_AUTO, false},    {"shapes", {true, 0}, TERN_TIME_AUTO, false},
    {"stack2", {false, 2}, TERN_TIME_AUTO, false}, {"all", {true, 9}, TERN_TIME_MS, true},
    {"us", {false, 0}, TERN_TIME_US, false},       {"top", {false, 0}, TERN_TIME_S, true}};

static const Variant *variant_of(const char *name) {
    int i = 0;
    while (i < COUNT(variants) - 1 && strncmp(name, variants[i].name, strlen(variants[i].name)))
        i++;
    return &variants[i];
}

/* p1.self_cpu_time_total.55.100.txt: the profile, the order, the widest name, the rows; before the
 * txt there may be a variant. */
TEST(tables_are_torchs) {
    glob_t found;
    int tables = 0;
    CHECK(glob("test/prof/torch/*.txt", 0, NULL, &found) == 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char path[300], sort[64];
        int profile, width, rows_shown;
        Str want, why;
        Loaded *loaded = calloc(1, sizeof *loaded);
        const char *base = strrchr(found.gl_pathv[i], '/') + 1;
        char variant_name[16];
        CHECK(sscanf(base, "p%d.%63[^.].%d.%d.%15s", &profile, sort, &width, &rows_shown,
                     variant_name) == 5);
        const Variant *variant = variant_of(variant_name);
        snprintf(path, sizeof path, "test/prof/torch/p%d.events", profile);
        CHECK(load(loaded, path));
        CHECK(file_read(loaded->arena, found.gl_pathv[i], 1 << 20, &want, &why));
        ProfRows rows = prof_rows(loaded->arena, loaded->events, loaded->count, variant->by);
        if (strcmp(sort, "none")) CHECK(prof_sort(loaded->arena, &rows, sort));
        Buf out = {.arena = loaded->arena};
        prof_table_torch(&out, &rows,
                         &(ProfTorch){rows_shown, width, variant->unit, variant->top_level_only});
        CHECK_STR(out.data, want.data);
        tables++;
        arena_free(loaded->arena);
        free(loaded);
    }
    globfree(&found);
    CHECK(tables >= 45);
}

TEST(an_unknown_column_is_refused) {
    Arena *arena = arena_new(NULL);
    ProfRows rows = {0};
    CHECK(!prof_sort(arena, &rows, "cpu_times"));
    CHECK(prof_sort(arena, &rows, "self_cuda_time_total"));
    arena_free(arena);
}

/* ---- the tree ---- */

static uint64_t state = 88172645463325252u;
static int below(int n) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (int)((state >> 33) % (uint64_t)n);
}

/* Of those that come before it in the order of starts, and that nothing after them has closed, the
 * last that contains it: said of all pairs, without a stack. */
static int slow_parent(const ProfEvent *events, const int *order, int at) {
    const ProfEvent *mine = &events[order[at]];
    for (int i = at - 1; i >= 0; i--) {
        const ProfEvent *other = &events[order[i]];
        bool open = true;
        if (other->thread != mine->thread) break;
        for (int k = i + 1; k <= at && open; k++)
            open = events[order[k]].start_ns < other->end_ns &&
                   events[order[k]].end_ns <= other->end_ns;
        if (open) return order[i];
    }
    return -1;
}

static const ProfEvent *sorting;
static int by_start(const void *left, const void *right) {
    const ProfEvent *a = &sorting[*(const int *)left], *b = &sorting[*(const int *)right];
    if (a->thread != b->thread) return a->thread < b->thread ? -1 : 1;
    if (a->start_ns != b->start_ns) return a->start_ns < b->start_ns ? -1 : 1;
    if (a->end_ns != b->end_ns) return a->end_ns > b->end_ns ? -1 : 1;
    return *(const int *)left - *(const int *)right;
}

TEST(parents_are_those_of_all_pairs) {
    for (int round = 0; round < 300; round++) {
        enum { COUNT_OF = 40 };
        static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g"};
        ProfEvent events[COUNT_OF] = {0};
        int order[COUNT_OF];
        for (int i = 0; i < COUNT_OF; i++) {
            int64_t start = below(30);
            events[i] = (ProfEvent){.name = names[i % 7],
                                    .start_ns = start,
                                    .end_ns = start + below(20),
                                    .thread = below(2)};
            order[i] = i;
        }
        sorting = events;
        qsort(order, COUNT_OF, sizeof *order, by_start);
        int want[COUNT_OF];
        for (int i = 0; i < COUNT_OF; i++) want[order[i]] = slow_parent(events, order, i);
        Arena *arena = arena_new(NULL);
        prof_tree(arena, events, COUNT_OF);
        int64_t self = 0, merged = 0;
        for (int i = 0; i < COUNT_OF; i++) {
            int parent = want[i];
            while (parent >= 0 && events[parent].is_merged) parent = want[parent];
            CHECK(events[i].parent == parent);
            if (events[i].is_merged) merged++;
            if (events[i].is_merged) CHECK(!strcmp(events[events[i].parent].name, events[i].name));
            self += events[i].self_ns;
        }
        int64_t roots = 0;
        for (int i = 0; i < COUNT_OF; i++)
            if (want[i] < 0) roots += events[i].end_ns - events[i].start_ns;
        CHECK(self == roots);
        arena_free(arena);
    }
}

/* ---- recordings ---- */

static const char kernel_text[] =
    "import triton\nimport triton.language as tl\n"
    "@triton.jit\ndef fill(x):\n    tl.store(x + tl.program_id(0), 1.0)\n";

static tern_context *open_interp(void) {
    tern_status status;
    return tern_open(&(tern_open_options){.device = "interp", .cache_dir = ""}, &status, NULL, 0);
}

static int64_t total(const tern_profile *profile, const char *name) {
    int64_t ns = 0;
    for (int i = 0; i < profile->num_events; i++)
        if (!strcmp(profile->events[i].name, name))
            ns += profile->events[i].end_ns - profile->events[i].start_ns;
    return ns;
}

TEST(a_recording_has_ranges_calls_and_kernels) {
    tern_context *context = open_interp();
    tern_module *module = tern_load_text(context, kernel_text, sizeof kernel_text - 1, NULL);
    tern_buffer *buffer = tern_alloc(context, 64);
    float back[16];
    tern_profile *profile = tern_profile_start(context, NULL);
    CHECK(profile != NULL);
    CHECK(tern_profile_start(context, NULL) == NULL);
    tern_range_push(context, "all");
    tern_kernel *kernel = tern_compile(module, "fill", "*fp32", NULL);
    for (int i = 0; i < 3; i++) {
        tern_range_push(context, "step");
        CHECK(!tern_launch(NULL, kernel, (uint32_t[3]){16, 1, 1},
                           (tern_argument[]){tern_arg_buffer(buffer)}, 1));
        CHECK(!tern_read(buffer, 0, back, sizeof back));
        tern_range_pop(context);
    }
    CHECK(!tern_synchronize(context));
    tern_range_pop(context);
    CHECK(tern_profile_table(profile, NULL) == NULL);
    CHECK(!tern_profile_stop(profile));
    CHECK(profile->num_events == 1 + 1 + 3 * 3 + 1);
    int64_t self = 0;
    for (int i = 0; i < profile->num_events; i++) {
        const ProfEvent *event = &profile->events[i];
        const char *inside = event->parent < 0 ? "" : profile->events[event->parent].name;
        bool in_step = !strcmp(event->name, "tern_read") || event->kind == TERN_CALL_LAUNCH;
        CHECK(!strcmp(inside, in_step ? "step" : strcmp(event->name, "all") ? "all" : ""));
        CHECK(event->self_ns >= 0);
        self += event->self_ns;
        if (event->kind == TERN_CALL_LAUNCH) CHECK(event->grid[0] == 16);
        if (!strcmp(event->name, "tern_read")) CHECK(event->bytes == sizeof back);
    }
    CHECK(self == total(profile, "all"));
    CHECK(profile->launch_ns >= 0);
    profile->range_ns = 1, profile->call_ns = 1000, profile->launch_ns = 500;
    profile->memory_ns = 100000;
    CHECK(prof_recording_ns(profile) == 100000 + 4 + 6 * 500 + 2 * 1000);
    char *table = tern_profile_table(profile, &(tern_table_options){.style = TERN_TABLE_CSV});
    CHECK(strstr(table, "\"step\",host,3,") && strstr(table, "\"fill\",host,3,"));
    tern_free(table);
    CHECK(tern_profile_table(profile, &(tern_table_options){.sort_by = "none"}) == NULL);
    table = tern_profile_table(profile, NULL);
    CHECK(strstr(table, "ns a range, 500 ns a launch, "));
    for (char *line = strtok(table, "\n"); line; line = strtok(NULL, "\n"))
        CHECK(strlen(line) <= 100);
    tern_free(table);
    tern_profile_free(profile);
    tern_close(context);
}

/* What it would launch to measure itself, a tool that is attached would take for the program's. */
TEST(nothing_is_launched_where_a_tool_sees_it) {
    tern_context *context = open_interp();
    tern_module *module = tern_load_text(context, kernel_text, sizeof kernel_text - 1, NULL);
    tern_kernel *kernel = tern_compile(module, "fill", "*fp32", NULL);
    tern_buffer *buffer = tern_alloc(context, 64);
    setenv("CUDA_INJECTION64_PATH", "/a/tool.so", 1);
    tern_profile *profile = tern_profile_start(context, NULL);
    CHECK(!tern_launch(NULL, kernel, (uint32_t[3]){16, 1, 1},
                       (tern_argument[]){tern_arg_buffer(buffer)}, 1));
    CHECK(!tern_profile_stop(profile));
    unsetenv("CUDA_INJECTION64_PATH");
    CHECK(profile->launch_ns < 0 && prof_recording_ns(profile) >= profile->call_ns);
    char *table = tern_profile_table(profile, NULL);
    CHECK(strstr(table, "ns a range, ") && !strstr(table, "ns a launch"));
    tern_free(table);
    tern_profile_free(profile);
    tern_close(context);
}

TEST(ranges_that_do_not_balance_are_counted) {
    tern_context *context = open_interp();
    tern_range_push(context, "nobody listens");
    tern_range_pop(context);
    tern_profile *profile = tern_profile_start(context, &(tern_profile_options){.max_events = 5});
    tern_range_pop(context);
    for (int i = 0; i < 8; i++) tern_range_push(context, "deep");
    CHECK(!tern_profile_stop(profile));
    CHECK(profile->num_unbalanced == 9 && profile->num_dropped == 3 && profile->num_events == 5);
    char *table = tern_profile_table(profile, NULL);
    CHECK(strstr(table, "3 events came after the first 5") && strstr(table, "9 ranges were ended"));
    tern_free(table);
    tern_profile_free(profile);
    profile = tern_profile_start(context, NULL);
    for (int i = 0; i < 3000; i++) tern_range_push(context, i % 2 ? "a" : "b");
    for (int i = 0; i < 3000; i++) tern_range_pop(context);
    CHECK(!tern_profile_stop(profile));
    CHECK(profile->num_events == PROF_MAX_DEPTH && profile->num_deep == 3000 - PROF_MAX_DEPTH);
    table = tern_profile_table(profile, NULL);
    CHECK(strstr(table, "2000 ranges and calls were inside of 1000 others and are not here"));
    CHECK(!strstr(table, "came after the first"));
    tern_free(table);
    CHECK(tern_profile_save(profile, TERN_PROFILE_FLAME, "/nonexistent/x.svg") ==
          TERN_ERROR_SYSTEM);
    tern_profile_free(profile);
    tern_profile_free(NULL);
    tern_close(context);
}

/* Against the clock itself, read around each range; over more than one piece of marks. */
static int leaves_early(tern_context *context, bool early) {
    TERN_RANGE(context, "function");
    for (int i = 0; i < 5; i++) {
        TERN_RANGE(context, "turn");
        TERN_RANGE(context, "in it");
        if (i == 1) continue;
        if (i == 3 && early) return i;
        if (i == 4) break;
    }
    return 0;
}

TEST(a_range_ends_with_its_block) {
    tern_context *context = open_interp();
    tern_profile *profile = tern_profile_start(context, NULL);
    CHECK(leaves_early(context, true) == 3 && leaves_early(context, false) == 0);
    CHECK(!tern_profile_stop(profile) && profile->num_unbalanced == 0);
    CHECK(profile->num_events == 2 * 1 + 2 * (4 + 5));
    for (int i = 0; i < profile->num_events; i++) {
        int up = profile->events[i].parent;
        const char *name = profile->events[i].name, *above = up < 0 ? "" : profile->events[up].name;
        CHECK_STR(above, !strcmp(name, "in it") ? "turn" : !strcmp(name, "turn") ? "function" : "");
    }
    tern_profile_free(profile);
    tern_close(context);
}

TEST(times_are_those_of_the_clock) {
    enum { RANGES = 70000 };
    static int64_t before[RANGES], inside[RANGES], after[RANGES];
    tern_context *context = open_interp();
    tern_profile *profile = tern_profile_start(context, NULL);
    for (int i = 0; i < RANGES; i++) {
        before[i] = clock_ns();
        tern_range_push(context, i % 2 ? "odd" : "even");
        inside[i] = clock_ns();
        tern_range_pop(context);
        after[i] = clock_ns();
    }
    CHECK(!tern_profile_stop(profile) && profile->num_events == RANGES);
    int64_t worst = 0;
    for (int i = 0; i < RANGES; i++) {
        int64_t start = profile->events[i].start_ns + profile->begin_ns;
        int64_t end = profile->events[i].end_ns + profile->begin_ns;
        int64_t wrong[] = {before[i] - start, start - inside[i], inside[i] - end, end - after[i]};
        for (int k = 0; k < COUNT(wrong); k++)
            if (wrong[k] > worst) worst = wrong[k];
        CHECK_STR(profile->events[i].name, i % 2 ? "odd" : "even");
    }
    CHECK(worst < 2000); /* ns: two pairs of readings say how ticks and nanoseconds go together */
    CHECK(profile->range_ns > 0 && profile->range_ns < 10000);
    tern_profile_free(profile);
    profile = tern_profile_start(context, &(tern_profile_options){.max_events = 8193});
    for (int i = 0; i < RANGES; i++) {
        tern_range_push(context, "range");
        tern_range_pop(context);
    }
    CHECK(!tern_profile_stop(profile));
    CHECK(profile->num_events == 8193 && profile->num_dropped == RANGES - 8193);
    tern_profile_free(profile);
    tern_close(context);
}

/* ---- findings ---- */

enum { US = 1000 };

static ProfEvent call_event(const char *name, tern_call_kind kind, int64_t start_us,
                            int64_t end_us) {
    return (ProfEvent){
        .name = name, .kind = kind, .start_ns = start_us * US, .end_ns = end_us * US, .thread = 1};
}

/* Of a call that is made before it. */
static ProfEvent work_event(const ProfEvent *events, int call, int64_t start_us, int64_t end_us) {
    ProfEvent event = events[call];
    event.start_ns = start_us * US, event.end_ns = end_us * US;
    event.on_device = true;
    event.thread = 0;
    event.parent = call;
    event.enqueued_ns = events[call].start_ns;
    return event;
}

/* A launch at 0, of a kernel from 10 to `kernel_end`; then a call from 20 to `end`, which enqueues
 * a copy from `copy` on (0: nothing). */
static ProfFindings after_a_kernel(Arena *arena, const char *name, tern_call_kind kind,
                                   int64_t kernel_end, int64_t copy, int64_t end) {
    static ProfEvent events[4];
    tern_profile profile = {.scratch = arena, .events = events, .num_events = 3};
    events[0] = call_event("kernel", kind == TERN_CALL_DRIVER ? kind : TERN_CALL_LAUNCH, 0, 5);
    events[1] = call_event(name, kind, 20, end);
    events[2] = work_event(events, 0, 10, kernel_end);
    if (copy) events[profile.num_events++] = work_event(events, 1, copy, copy + 3);
    profile.has_device = true;
    prof_tree(arena, events, profile.num_events);
    return prof_findings(&profile);
}

TEST(calls_that_wait_are_found) {
    Arena *arena = arena_new(NULL);
    const tern_call_kind driver = TERN_CALL_DRIVER;
    ProfFindings found = after_a_kernel(arena, "cuMemcpyDtoHAsync_v2", driver, 500, 501, 506);
    CHECK(found.count == 1 && found.data[0].ns == 480 * US);
    CHECK(strstr(found.data[0].words,
                 "cuMemcpyDtoHAsync_v2 waits for kernel: 1 times, 480.000us in all: page-locked"));
    CHECK(after_a_kernel(arena, "cuMemFree_v2", driver, 500, 0, 502).count == 1);
    CHECK(after_a_kernel(arena, "tern_read", TERN_CALL_READ, 500, 0, 502).count == 1);
    /* What it enqueued ran at once, and then the host copied on; or it ran later, by itself. */
    CHECK(after_a_kernel(arena, "cuMemcpyAsync", driver, 500, 501, 560).count == 1);
    CHECK(after_a_kernel(arena, "cuMemcpyAsync", driver, 500, 520, 560).count == 0);
    /* It is known to wait, and took long after that; its brother is known not to. */
    found = after_a_kernel(arena, "cuMemHostAlloc", driver, 500, 0, 900);
    CHECK(found.count == 1 && found.data[0].ns == 480 * US);
    CHECK(after_a_kernel(arena, "cuMemFree_v2", driver, 500, 0, 520).count == 1);
    CHECK(after_a_kernel(arena, "cudaFree_v3020", driver, 500, 0, 520).count == 1);
    CHECK(after_a_kernel(arena, "cuMemFreeAsync", driver, 500, 0, 520).count == 0);
    CHECK(after_a_kernel(arena, "cuMemAlloc_v2", driver, 500, 0, 520).count == 0);
    CHECK(after_a_kernel(arena, "cuModuleLoadData", driver, 500, 0, 900).count == 1);
    CHECK(after_a_kernel(arena, "cuModuleUnload", driver, 500, 0, 900).count == 1);
    /* It says that it waits; it returned long after, or before; it was short; its own work took the
     * time; the work had ended before. */
    CHECK(after_a_kernel(arena, "cuStreamSynchronize", driver, 500, 0, 502).count == 0);
    CHECK(after_a_kernel(arena, "tern_synchronize", TERN_CALL_WAIT, 500, 0, 502).count == 0);
    CHECK(after_a_kernel(arena, "cuStreamCreate", driver, 500, 0, 520).count == 0);
    CHECK(after_a_kernel(arena, "cuMemFree_v2", driver, 500, 0, 400).count == 0);
    CHECK(after_a_kernel(arena, "cuMemFree_v2", driver, 38, 0, 39).count == 0);
    CHECK(after_a_kernel(arena, "cuMemFree_v2", driver, 19, 0, 60).count == 0);
    CHECK(after_a_kernel(arena, "cuMemcpyDtoHAsync_v2", driver, 19, 57, 61).count == 0);
    arena_free(arena);
}

/* `count` launches, `every` us, of kernels of 5 us. */
static ProfFindings launches(Arena *arena, int count, int every) {
    tern_profile profile = {.scratch = arena, .has_device = true, .num_events = 2 * count};
    profile.events = arena_array(arena, ProfEvent, 2 * count);
    for (int i = 0; i < count; i++) {
        profile.events[i] =
            call_event("kernel", TERN_CALL_LAUNCH, i * every, i * every + every - 1);
        profile.events[count + i] = work_event(profile.events, i, i * every + 4, i * every + 9);
    }
    prof_tree(arena, profile.events, profile.num_events);
    return prof_findings(&profile);
}

/* The device does what it was given only after 6 ms. */
static ProfFindings idle_first(Arena *arena) {
    tern_profile profile = {.scratch = arena, .has_device = true, .num_events = 4};
    ProfEvent events[4] = {call_event("cuLaunchKernel", TERN_CALL_DRIVER, 10, 12),
                           call_event("cuCtxSynchronize", TERN_CALL_DRIVER, 20, 6031)};
    events[2] = work_event(events, 0, 6010, 6020);
    events[3] = work_event(events, 0, 6020, 6030);
    profile.events = events;
    prof_tree(arena, events, 4);
    return prof_findings(&profile);
}

TEST(an_idle_device_is_found) {
    Arena *arena = arena_new(NULL);
    ProfFindings found = launches(arena, 100, 20);
    CHECK(found.count == 2 && found.data[0].ns == (4 + 99 * 15) * US);
    CHECK(strstr(found.data[0].words, "idle for 1.489ms of 1.989ms, in 100 gaps; the longest, "
                                      "15.000us, after kernel, while the host is in kernel"));
    CHECK(strstr(found.data[1].words,
                 "the host launches a kernel every 20.000us, and they run for 5.000us"));
    found = idle_first(arena);
    CHECK(found.count == 1 && found.data[0].ns == 6000 * US);
    CHECK(strstr(found.data[0].words, "in 1 gaps; the longest, 6.000ms, after its first work was "
                                      "enqueued, while the host is in cuCtxSynchronize"));
    CHECK(launches(arena, 10, 20).count == 1); /* too few to speak of launches */
    CHECK(launches(arena, 100, 6).count == 0);
    CHECK(launches(arena, 3, 20).count == 0); /* 30 us: not worth a line */
    CHECK(launches(arena, 1, 20).count == 0);
    tern_profile profile = {.scratch = arena, .has_device = true, .num_events = 2};
    ProfEvent copies[2] = {call_event("c", TERN_CALL_DRIVER, 0, 1)};
    copies[1] = work_event(copies, 0, 1, 101);
    copies[1].name = "Memcpy HtoD (Pageable -> Device)";
    copies[1].bytes = 1000000;
    profile.events = copies;
    profile.overheads[PROF_LAZY_LOADING] = (ProfOverhead){3, 200 * US};
    profile.overheads[PROF_QUEUE_FULL] = (ProfOverhead){3, 19 * US};
    found = prof_findings(&profile);
    CHECK(found.count == 2 && strstr(found.data[0].words, "200.000us: 3 functions were loaded"));
    CHECK(strstr(found.data[1].words, "1 copies of pageable memory, 1 MB in 100.000us, 10 GB/s"));
    arena_free(arena);
}

/* ---- shapes ---- */

static const char *shapes_of(const tern_profile *profile, const char *name, tern_call_kind kind) {
    for (int i = 0; i < profile->num_events; i++)
        if (profile->events[i].kind == kind && !strcmp(profile->events[i].name, name))
            return profile->events[i].shapes ? profile->events[i].shapes : "none";
    return "no event";
}

TEST(ops_and_launches_have_shapes) {
    tern_context *context = open_interp();
    tern_session *session = tern_session_open(context);
    tern_tensor *x = tern_ones(session, TERN_FLOAT32, 2, (const int64_t[]){3, 4});
    tern_tensor *row = tern_ones(session, TERN_FLOAT32, 1, (const int64_t[]){4});
    tern_module *module = tern_load_text(context, kernel_text, sizeof kernel_text - 1, NULL);
    tern_kernel *kernel = tern_compile(module, "fill", "*fp32", NULL);
    tern_buffer *buffer = tern_alloc(context, 64);
    tern_profile *profile = tern_profile_start(context, &(tern_profile_options){.shapes = true});
    tern_scope_open(session);
    CHECK(tern_add(x, row) && tern_add_number(x, 2) && tern_sum(x, NULL, 0, false));
    CHECK(tern_linear(x, x, NULL) && tern_layer_norm(x, 1, row, NULL, 1e-5));
    CHECK(tern_index_select(x, 0, tern_arange(session, TERN_INT64, 0, 2, 1)) != NULL);
    CHECK(tern_add(x, tern_ones(session, TERN_FLOAT32, 1, (const int64_t[]){5})) == NULL);
    tern_scope_close(session);
    tern_argument argument = tern_arg_buffer(buffer);
    argument.offset = 16;
    CHECK(!tern_launch(NULL, kernel, (uint32_t[3]){1, 1, 1}, &argument, 1));
    CHECK(tern_launch(NULL, kernel, (uint32_t[3]){1, 1, 1}, &argument, 0)); /* one too few */
    CHECK(!tern_profile_stop(profile));
    CHECK(profile->num_unbalanced == 0);
    CHECK_STR(shapes_of(profile, "add", TERN_CALL_OP), "[[3, 4], [4]]");
    CHECK_STR(shapes_of(profile, "sum", TERN_CALL_OP), "[[3, 4]]");
    CHECK_STR(shapes_of(profile, "linear", TERN_CALL_OP), "[[3, 4], [3, 4], []]");
    CHECK_STR(shapes_of(profile, "matmul", TERN_CALL_OP), "[[3, 4], [4, 3]]");
    CHECK_STR(shapes_of(profile, "layer_norm", TERN_CALL_OP), "[[3, 4], [4], []]");
    CHECK_STR(shapes_of(profile, "index_select", TERN_CALL_OP), "[[3, 4], [2]]");
    CHECK_STR(shapes_of(profile, "fill", TERN_CALL_LAUNCH), "[[12]]");
    CHECK(!profile->events[profile->num_events - 1].shapes);
    char *table = tern_profile_table(profile, &(tern_table_options){.style = TERN_TABLE_CSV,
                                                                    .group_by_shape = true,
                                                                    .group_by_stack = 1});
    CHECK(strstr(table, ",\"[[3, 4], [4]]\",\"\"\n") && strstr(table, "\"matmul\",host,1,"));
    CHECK(strstr(table, "\"[[3, 4], [4, 3]]\",\"linear\"\n") && strstr(table, "\"[[3, 4], []]\""));
    tern_free(table);
    tern_profile_free(profile);
    tern_session_close(session);
    tern_close(context);
}

/* ---- schedules ---- */

typedef struct Ready {
    int times, work[4], steps[4];
} Ready;

static void ready(void *user, tern_profile *profile) {
    Ready *seen = user;
    for (int i = 0; i < profile->num_events; i++) {
        seen->work[seen->times] += !strcmp(profile->events[i].name, "work");
        seen->steps[seen->times] += !strcmp(profile->events[i].name, "ProfilerStep*");
        if (!strcmp(profile->events[i].name, "work")) CHECK(profile->events[i].parent >= 0);
    }
    char *table = tern_profile_table(profile, NULL);
    CHECK(table && strstr(table, "work"));
    tern_free(table);
    seen->times++;
}

static void ready_observer(void *user, const tern_call *call, bool begins) {
    (void)user, (void)call, (void)begins;
}

static Ready run_schedule(tern_profile_options options, int steps, int64_t *unbalanced) {
    Ready seen = {0};
    tern_context *context = open_interp();
    options.on_ready = ready, options.user = &seen;
    tern_profile *profile = tern_profile_start(context, &options);
    for (int i = 0; i < steps; i++) {
        tern_range_push(context, "work");
        tern_range_pop(context);
        CHECK(!tern_profile_step(profile));
    }
    CHECK(!tern_profile_stop(profile));
    CHECK(tern_profile_step(profile) == TERN_ERROR_ARGUMENT);
    *unbalanced = profile->num_unbalanced;
    char *table = tern_profile_table(profile, NULL);
    CHECK(table != NULL);
    tern_free(table);
    tern_profile_free(profile);
    CHECK(tern_observe(context, ready_observer, NULL)); /* nobody watches any more */
    tern_close(context);
    return seen;
}

TEST(a_schedule_keeps_the_active_steps) {
    int64_t unbalanced;
    tern_profile_options options = {.wait = 1, .warmup = 1, .active = 3, .repeat = 2};
    Ready seen = run_schedule(options, 12, &unbalanced);
    CHECK(seen.times == 2 && unbalanced == 0);
    CHECK(seen.work[0] == 3 && seen.steps[0] == 3 && seen.work[1] == 3 && seen.steps[1] == 3);
    seen = run_schedule(options, 9, &unbalanced); /* stopped in the middle of the second cycle */
    CHECK(seen.times == 2 && seen.work[1] == 2 && seen.steps[1] == 2);
    CHECK(run_schedule(options, 6, &unbalanced).times == 1); /* in its warm-up */
    CHECK(run_schedule(options, 0, &unbalanced).times == 0);
    seen = run_schedule((tern_profile_options){.active = 1, .repeat = 3}, 5, &unbalanced);
    CHECK(seen.times == 3 && seen.work[2] == 1);
    tern_context *context = open_interp();
    CHECK(!tern_profile_start(context, &(tern_profile_options){.wait = 1}));
    CHECK(!tern_profile_start(context, &(tern_profile_options){.active = -1}));
    tern_profile *profile = tern_profile_start(context, &(tern_profile_options){.active = 2});
    tern_range_push(context, "over a step");
    CHECK(!tern_profile_step(profile));
    tern_range_pop(context);
    CHECK(!tern_profile_step(profile));
    CHECK(!tern_profile_stop(profile) && profile->num_unbalanced == 0);
    tern_profile_free(profile);
    tern_close(context);
}

/* ---- flame graphs ---- */

static int occurrences(const char *text, const char *word) {
    int count = 0;
    for (; (text = strstr(text, word)); text += strlen(word)) count++;
    return count;
}

static char *flame_of(tern_profile *profile) {
    ProfFile out = {.text.arena = profile->scratch, .file = -1};
    prof_flame_svg(&out, profile);
    return out.text.data;
}

static tern_status before(tern_profile *profile, const char *text) {
    char path[] = "/tmp/tern-before-XXXXXX";
    int file = mkstemp(path);
    CHECK(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    tern_status status = tern_profile_before(profile, path);
    unlink(path);
    return status;
}

/* step (100 us) has a;b (30), and a kernel of 50 us on the device. */
TEST(flame_graphs_show_a_difference) {
    tern_context *context = open_interp();
    tern_profile *profile = tern_profile_start(context, NULL);
    CHECK(!tern_profile_stop(profile));
    ProfEvent *kept = profile->events, events[3];
    events[0] = call_event("step", TERN_CALL_RANGE, 0, 100);
    events[1] = call_event("a;b", TERN_CALL_RANGE, 10, 40);
    events[2] = work_event(events, 0, 20, 70);
    events[2].name = "the kernel";
    prof_tree(profile->scratch, events, 3);
    profile->events = events, profile->num_events = 3;
    CHECK(!strstr(flame_of(profile), "all before"));
    CHECK(!before(profile, "gone 5000\nstep 90000\nstep;a_b 10000\nstep;a_b;c 1000\n"
                           "step;the_kernel_[device] 60000\n"));
    const char *svg = flame_of(profile);
    CHECK(strstr(svg, "all before: 166.000 us"));
    CHECK(strstr(svg, ">all: 150.000 us, 100.00%, before 166.000 us (-16.000)<"));
    CHECK(strstr(svg, ">step: 150.000 us, 100.00%, before 161.000 us (-11.000)<"));
    CHECK(strstr(svg, ">a;b: 30.000 us, 20.00%, before 11.000 us (+19.000)<"));
    CHECK(strstr(svg, ">the kernel (device): 50.000 us, 33.33%, before 60.000 us (-10.000)<"));
    /* The largest difference has the strongest colour. */
    CHECK(occurrences(svg, "fill=\"hsl(0,80%,55%)\"") == 1 && occurrences(svg, "hsl(215,80%") == 3);
    CHECK(!before(profile, "") && strstr(flame_of(profile), ", before 0.000 us (+150.000)"));
    static const char *const bad[] = {"step\n",
                                      "step 1.5\n",
                                      "step -1\n",
                                      " 5\n",
                                      "12\n",
                                      "\n",
                                      "step 1\nstep 1000000000000000001\n",
                                      "a 600000000000000000\nb 600000000000000000\n"};
    for (int i = 0; i < COUNT(bad); i++) {
        CHECK(before(profile, bad[i]) == TERN_ERROR_ARGUMENT);
        CHECK(strstr(tern_message(context), "expected 'root;child;leaf NANOSECONDS'"));
    }
    CHECK(strstr(tern_message(context), ":2: expected"));
    CHECK(tern_profile_before(profile, "/nonexistent/x") == TERN_ERROR_SYSTEM);
    char *deep = malloc(200000);
    for (int i = 0; i < 99990; i++) memcpy(deep + 2 * i, "x;", 2);
    memcpy(deep + 199980, "x 1", 4);
    CHECK(!before(profile, deep) && strstr(flame_of(profile), "</svg>"));
    free(deep);
    profile->events = kept, profile->num_events = 0;
    tern_profile_free(profile);
    tern_close(context);
}

/* ---- much ---- */

TEST(a_million_ranges_are_kept) {
    enum { KEPT = 1000000, MORE = 1000 };
    tern_context *context = tern_open(&(tern_open_options){.device = "interp"}, NULL, NULL, 0);
    tern_profile *profile = tern_profile_start(context, NULL);
    for (int i = 0; i < KEPT + MORE; i++) {
        tern_range_push(context, i & 1 ? "odd" : "even");
        tern_range_pop(context);
    }
    CHECK(!tern_profile_stop(profile));
    CHECK(profile->num_events == KEPT && profile->num_dropped == MORE);
    CHECK(profile->memory_ns == 0); /* it was there before */
    char *table = tern_profile_table(profile, &(tern_table_options){.style = TERN_TABLE_CSV});
    CHECK(strstr(table, "\"odd\",host,500000,") && strstr(table, "\"even\",host,500000,"));
    tern_free(table);
    table = tern_profile_table(profile, NULL);
    CHECK(strstr(table, "1000 events came after the first 1000000 and are not here"));
    tern_free(table);
    tern_profile_free(profile);
    tern_close(context);
}

/* Its memory comes while they are recorded, and is a part of what they cost. */
TEST(more_than_a_million_are_kept_where_wanted) {
    enum { MANY = PROF_MARKS_AT_START + 200000 };
    tern_context *context = tern_open(&(tern_open_options){.device = "interp"}, NULL, NULL, 0);
    tern_profile *profile =
        tern_profile_start(context, &(tern_profile_options){.max_events = MANY});
    for (int i = 0; i < MANY; i++) {
        tern_range_push(context, i < PROF_MARKS_AT_START ? "early" : "late");
        tern_range_pop(context);
    }
    CHECK(!tern_profile_stop(profile));
    CHECK(profile->num_events == MANY && profile->num_dropped == 0 && profile->memory_ns > 0);
    CHECK(prof_range_ns(profile) > profile->range_ns);
    char *table = tern_profile_table(profile, &(tern_table_options){.style = TERN_TABLE_CSV});
    CHECK(strstr(table, "\"early\",host,1000000,") && strstr(table, "\"late\",host,200000,"));
    tern_free(table);
    tern_profile_free(profile);
    tern_close(context);
}

/* Who reads them as doubles has the nanosecond, also after ten days. */
TEST(times_in_traces_are_exact) {
    const int64_t starts[] = {0, 1, 999, 1000001, 864000000000000, 864000000000333};
    tern_context *context = tern_open(&(tern_open_options){.device = "interp"}, NULL, NULL, 0);
    tern_profile *profile = tern_profile_start(context, NULL);
    for (int i = 0; i < COUNT(starts); i++)
        tern_range_push(context, "range"), tern_range_pop(context);
    CHECK(!tern_profile_stop(profile) && profile->num_events == COUNT(starts));
    for (int i = 0; i < COUNT(starts); i++) {
        profile->events[i].start_ns = starts[i];
        profile->events[i].end_ns = starts[i] + 1 + i * 7;
    }
    ProfFile out = {.text.arena = profile->scratch, .file = -1};
    prof_chrome(&out, profile);
    const char *at = out.text.data;
    for (int i = 0; i < COUNT(starts); i++) {
        at = strstr(at + 1, "\"ph\":\"X\"");
        const char *ts = at ? strstr(at, "\"ts\":") : NULL,
                   *dur = ts ? strstr(ts, "\"dur\":") : NULL;
        CHECK(dur != NULL);
        if (!dur) break;
        CHECK(fabs(strtod(ts + 5, NULL) * 1000 - (double)starts[i]) <= 0.5);
        CHECK(fabs(strtod(dur + 6, NULL) * 1000 - (1 + i * 7)) <= 0.001);
    }
    tern_profile_free(profile);
    tern_close(context);
}

/* ---- C functions ---- */

static __attribute__((noinline)) void in_the_range(tern_context *context) {
    tern_range_push(context, "inner");
    tern_range_pop(context);
    __asm__ volatile("");
}

static __attribute__((noinline)) void calls_a_range(tern_context *context) {
    tern_range_push(context, "outer");
    in_the_range(context);
    tern_range_pop(context);
    __asm__ volatile("");
}

static tern_profile *with_frames(tern_context *context) {
    tern_profile *profile = tern_profile_start(context, &(tern_profile_options){.frames = true});
    for (volatile int i = 0; i < 3; i++) calls_a_range(context);
    CHECK(!tern_profile_stop(profile));
    CHECK(profile->num_events == 6);
    CHECK(profile->num_framed == 6 && profile->frames_ns > 0); /* none of the trials before */
    return profile;
}

TEST(c_functions_are_kept) {
    tern_context *context = tern_open(&(tern_open_options){.device = "interp"}, NULL, NULL, 0);
    void *libdw = dlopen("libdw.so.1", RTLD_NOW);
    if (libdw) {
        tern_profile *profile = with_frames(context);
        const ProfFrames *outer = profile->events[0].frames, *inner = profile->events[1].frames;
        CHECK(!profile->frames_by_address && inner->count == outer->count + 1);
        CHECK(!strncmp(inner->names[0], "in_the_range", 12));
        CHECK(!strncmp(inner->names[1], "calls_a_range", 13));
        CHECK(!strncmp(outer->names[0], "calls_a_range", 13));
        CHECK(profile->events[2].frames == outer); /* equal stacks are one */
        ProfFile file = {.text.arena = profile->scratch, .file = -1};
        prof_folded(&file, profile);
        const char *folded = file.text.data;
        CHECK(strstr(folded, "calls_a_range") && strstr(folded, ";outer;in_the_range"));
        CHECK(strstr(strstr(folded, "in_the_range"), ";inner "));
        char *graph = flame_of(profile), *caller = strstr(graph, "<title>calls_a_range");
        CHECK(caller && strstr(caller, "<title>outer: "));
        CHECK(strstr(strstr(graph, "<title>outer: "), "<title>in_the_range"));
        file.text = (Buf){.arena = profile->scratch};
        prof_chrome(&file, profile);
        CHECK(strstr(file.text.data, "\"Call stack\":\"in_the_range"));
        char *table = tern_profile_table(profile, &(tern_table_options){.group_by_stack = 1});
        CHECK(strstr(table, "in_the_range"));
        tern_free(table);
        tern_profile_free(profile);
        dlclose(libdw);
    }
    setenv("TERN_LIBDW", "/nonexistent/libdw.so.1", 1);
    tern_profile *profile = with_frames(context);
    unsetenv("TERN_LIBDW");
    const ProfFrames *frames = profile->events[1].frames;
    CHECK(profile->frames_by_address && frames->count >= 3 && strstr(frames->names[0], "+0x"));
    char *table = tern_profile_table(profile, NULL);
    CHECK(strstr(table, "C functions by addresses: libdw.so.1 is not here"));
    tern_free(table);
    profile->range_ns = 40, profile->frames_ns = 6 * 1460, profile->num_timed = 6;
    profile->begin_ns = 0, profile->end_ns = 1000000, profile->memory_ns = 1000;
    table = tern_profile_table(profile, NULL);
    CHECK(strstr(table, "\nrecording: 1667 ns a range, 1.00 % of the time\n"));
    tern_free(table);
    tern_profile_free(profile);
    tern_close(context);
    if (!libdw) SKIP("libdw.so.1 is not here");
}

/* As an interpreter would: texts that are another's the next time. */
static int own_stack(void *user, const char **names, int most) {
    static char first[32], second[] = "main (run.py:9)";
    int *calls = user;
    CHECK(most == PROF_MOST_FRAMES);
    snprintf(first, sizeof first, "step (run.py:%d)", 3 + *calls % 2);
    names[0] = first, names[1] = second;
    return ++*calls > 4 ? 0 : 2;
}

TEST(functions_of_an_interpreter_are_kept) {
    int calls = 0;
    tern_context *context = open_interp();
    tern_profile *profile = tern_profile_start(
        context, &(tern_profile_options){.frames = true, .stack = own_stack, .user = &calls});
    calls = 0; /* those of the trial before */
    for (int i = 0; i < 5; i++) {
        tern_range_push(context, "r");
        tern_range_pop(context);
    }
    CHECK(!tern_profile_stop(profile) && profile->num_events == 5 && calls == 5);
    const ProfEvent *events = profile->events;
    CHECK(events[0].frames == events[2].frames && events[0].frames != events[1].frames);
    CHECK(!events[4].frames && !profile->frames_by_address);
    ProfFile file = {.text.arena = profile->scratch, .file = -1};
    prof_folded(&file, profile);
    CHECK(strstr(file.text.data, "main_(run.py:9);step_(run.py:4);r "));
    CHECK(strstr(flame_of(profile), "<title>step (run.py:3): "));
    tern_profile_free(profile);
    tern_close(context);
}

TEST(any_name_can_be_reported) {
    char wide[601] = ""; /* of 3 bytes each: a cut between bytes shows */
    for (int i = 0; i < 200; i++) memcpy(wide + 3 * i, "\xe2\x82\xac", 4);
    const char *const names[] = {
        wide,
        "\xff\xc3",
        "\xc3\xbc\xe2\x82\xac",
        "\x1b[2J\r\n;\t",
        "\xef\xbf\xbe",
        "",
        "a \"name\" <of> & 'others', which is longer than any column is wide, and ends \xf0\x9f"};
    tern_context *context = open_interp();
    tern_profile *profile = tern_profile_start(context, NULL);
    for (int i = 0; i < COUNT(names); i++) tern_range_push(context, names[i]);
    for (int i = 0; i < COUNT(names); i++) tern_range_pop(context);
    CHECK(!tern_profile_stop(profile) && profile->num_events == COUNT(names));
    CHECK_STR(profile->events[1].name, "\xef\xbf\xbd\xef\xbf\xbd");
    CHECK_STR(profile->events[2].name, names[2]);
    CHECK_STR(profile->events[4].name, "\xef\xbf\xbd");
    static void (*const makers[])(ProfFile *, const tern_profile *) = {
        prof_chrome, prof_jsonl, prof_speedscope, prof_folded, prof_flame, prof_html};
    for (int i = 0; i < COUNT(makers); i++) {
        ProfFile out = {.text.arena = profile->scratch, .file = -1};
        makers[i](&out, profile);
        Str text = buf_str(&out.text);
        for (int at = 0, length; at < text.length; at += length) {
            length = utf8_length((Str){text.data + at, text.length - at});
            CHECK(length > 0 && ((unsigned char)text.data[at] >= ' ' || text.data[at] == '\n'));
            if (!length) break;
        }
        if (makers[i] == prof_folded) CHECK(occurrences(out.text.data, "\n") <= COUNT(names));
    }
    char *table = tern_profile_table(profile, NULL);
    CHECK(occurrences(table, "\x1b") == 0 && occurrences(table, "?[2J??;?") == 1);
    tern_free(table);
    tern_profile_free(profile);
    tern_close(context);
}

/* Where a name lies says nothing of what it is, and nothing behind it may be touched. */
TEST(names_may_end_where_memory_ends) {
    enum { PAGE = 4096, LENGTHS = 60 };
    char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED && !mprotect(pages + PAGE, PAGE, PROT_NONE));
    tern_context *context = open_interp();
    tern_profile *profile = tern_profile_start(context, NULL);
    char given[3 * LENGTHS][LENGTHS + 2];
    int count = 0;
    for (int length = 1; length <= LENGTHS; length++)
        for (int turn = 0; turn < 3; turn++) {
            char *at = turn == 2 ? pages + 64 : pages + PAGE - length - 1;
            memset(at, 'a', (size_t)length + 1);
            at[length - 1] = turn == 1 ? 'b' : 'a';
            at[length] = 0;
            strcpy(given[count++], at);
            tern_range_push(context, at);
            tern_range_pop(context);
        }
    CHECK(!tern_profile_stop(profile) && profile->num_events == count);
    for (int i = 0; i < count && i < profile->num_events; i++)
        CHECK(!strcmp(profile->events[i].name, given[i]));
    tern_profile_free(profile);
    tern_close(context);
    munmap(pages, 2 * PAGE);
}

TEST(no_name_ends_a_script) {
    tern_context *context = open_interp();
    tern_profile *profile = tern_profile_start(context, NULL);
    tern_range_push(context, "</script><b>\"\n&");
    tern_range_pop(context);
    CHECK(!tern_profile_stop(profile));
    ProfFile out = {.text.arena = profile->scratch, .file = -1};
    prof_html(&out, profile);
    CHECK(occurrences(out.text.data, "</script>") == 3); /* data, the page's, the flame graph's */
    CHECK(occurrences(out.text.data, "<b>") == 0 && occurrences(out.text.data, "<!--") == 0);
    CHECK(strstr(out.text.data, "{\"name\":\"\\u003c/script>\\u003cb>\\\"\\n&\"") != NULL);
    tern_profile_free(profile);
    tern_close(context);
}

TEST(an_empty_profile_has_reports) {
    tern_context *context = open_interp();
    tern_profile *profile = tern_profile_start(context, NULL);
    CHECK(!tern_profile_stop(profile));
    CHECK(!tern_profile_stop(profile));
    for (int style = TERN_TABLE_OWN; style <= (int)TERN_TABLE_CSV; style++) {
        char *table =
            tern_profile_table(profile, &(tern_table_options){.style = (tern_table_style)style});
        CHECK(table != NULL);
        tern_free(table);
    }
    ProfFile out = {.text.arena = profile->scratch, .file = -1};
    prof_speedscope(&out, profile);
    prof_flame(&out, profile);
    prof_folded(&out, profile);
    prof_chrome(&out, profile);
    prof_html(&out, profile);
    CHECK(strstr(out.text.data, "\"profiles\":[]"));
    tern_profile_free(profile);
    tern_close(context);
}

TEST_MAIN()
