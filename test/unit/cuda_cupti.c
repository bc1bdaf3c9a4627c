// SPDX-License-Identifier: Apache-2.0
/* Profiles by CUPTI, on a driver and a libcupti without a GPU: whose records become which events,
 * and what becomes of a profile where CUPTI is not what it should be. */
#include "mock/cupti.h"
#include "mock/mock.h"
#include "prof/prof.h"
#include "test.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *symbol_of(const char *path, const char *symbol) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), exit(1), NULL;
    return dlsym(library, symbol);
}

static const Mock *driver(void) {
    const Mock *(*control)(void);
    void *found = symbol_of(MOCK_DRIVER, "mock_control");
    memcpy(&control, &found, sizeof control);
    return control();
}

static const CuptiMock *cupti(void) {
    const CuptiMock *(*control)(void);
    void *found = symbol_of(MOCK_CUPTI, "mock_cupti");
    memcpy(&control, &found, sizeof control);
    return control();
}

/* ---- what the made-up GPU does: each launch is a kernel of 5 us that begins 1 us after it ---- */

enum { KERNEL_NS = 5000, LAUNCH_CALL = 307, STREAM = 7 };

static struct {
    uint64_t begins;
    uint32_t correlation;
    uint64_t kernel_start[64];
    bool is_silent; /* nothing is recorded of what the driver does */
} gpu;

static void emit_call(uint32_t call, uint64_t start_ns, uint64_t end_ns) {
    CuptiCall record = {.kind = CUPTI_DRIVER,
                        .call = call,
                        .start_ns = start_ns,
                        .end_ns = end_ns,
                        .thread = (uint32_t)syscall(SYS_gettid),
                        .correlation = gpu.correlation};
    cupti()->record(&record, sizeof record);
}

static void emit_kernel(uint32_t stream, uint64_t start_ns, uint64_t end_ns) {
    CuptiKernel record = {.kind = CUPTI_KERNEL,
                          .registers = 40,
                          .start_ns = start_ns,
                          .end_ns = end_ns,
                          .stream = stream,
                          .grid = {2, 3, 4},
                          .block = {128, 1, 1},
                          .static_shared = 1024,
                          .dynamic_shared = 512,
                          .local_bytes = 16,
                          .correlation = gpu.correlation,
                          .name = "the_kernel"};
    cupti()->record(&record, sizeof record);
}

static void told(const char *symbol, bool begins) {
    if (gpu.is_silent || !cupti()->is_attached()) return;
    if (begins) {
        gpu.begins = cupti()->now();
        return;
    }
    uint64_t end = cupti()->now();
    gpu.correlation++;
    if (!strcmp(symbol, "cuCtxSetCurrent")) emit_call(CUPTI_CTX_SET_CURRENT, gpu.begins, end);
    if (!strcmp(symbol, "cuLaunchKernel")) {
        emit_kernel(STREAM, gpu.begins + 1000, gpu.begins + 1000 + KERNEL_NS);
        gpu.kernel_start[gpu.correlation % 64] = gpu.begins + 1000;
        emit_call(LAUNCH_CALL, gpu.begins, end);
        struct timespec pause = {.tv_nsec = 20000};
        nanosleep(&pause, NULL);
    }
    if (!strcmp(symbol, "cuMemcpyDtoHAsync_v2")) {
        CuptiMemcpy record = {.kind = CUPTI_MEMCPY,
                              .direction = 2,
                              .from = 3,
                              .to = 1,
                              .bytes = 64,
                              .start_ns = gpu.begins,
                              .end_ns = gpu.begins + 700,
                              .stream = STREAM,
                              .correlation = gpu.correlation};
        cupti()->record(&record, sizeof record);
        emit_call(276, gpu.begins, end);
    }
    if (!strcmp(symbol, "cuMemsetD8Async")) {
        CuptiMemset record = {.kind = CUPTI_MEMSET,
                              .bytes = 64,
                              .start_ns = gpu.begins,
                              .end_ns = gpu.begins + 300,
                              .stream = STREAM,
                              .correlation = gpu.correlation,
                              .memory = 3};
        cupti()->record(&record, sizeof record);
        emit_call(214, gpu.begins, end);
    }
}

static const char kernel_text[] = "import triton\nimport triton.language as tl\n"
                                  "@triton.jit\ndef nothing(n):\n    tl.device_assert(n >= 0)\n";

typedef struct Place {
    tern_context *context;
    tern_kernel *kernel;
    tern_buffer *buffer;
} Place;

static Place place_open(void) {
    tern_status status;
    Place place;
    setenv("TERN_CUDA_DRIVER", MOCK_DRIVER, 1);
    setenv("TERN_CUPTI", MOCK_CUPTI, 1);
    memset(&gpu, 0, sizeof gpu);
    driver()->reset();
    cupti()->reset();
    driver()->watch(told);
    place.context =
        tern_open(&(tern_open_options){.device = "cuda", .cache_dir = ""}, &status, NULL, 0);
    tern_module *module = tern_load_text(place.context, kernel_text, sizeof kernel_text - 1, NULL);
    place.kernel = tern_compile(module, "nothing", "i64", NULL);
    place.buffer = tern_alloc(place.context, 64);
    CHECK(place.kernel && place.buffer);
    return place;
}

static void place_close(Place place) {
    tern_close(place.context);
    CHECK(driver()->live() == 0 && !cupti()->is_attached() && cupti()->num_kinds() == 0);
}

static void launch(Place place) {
    CHECK(!tern_launch(NULL, place.kernel, (uint32_t[3]){1, 1, 1},
                       (tern_argument[]){tern_arg_int(1)}, 1));
}

static int count_of(const tern_profile *profile, const char *name, bool on_device) {
    int count = 0;
    for (int i = 0; i < profile->num_events; i++)
        count += profile->events[i].on_device == on_device && !profile->events[i].is_merged &&
                 !strcmp(profile->events[i].name, name);
    return count;
}

/* ---- records ---- */

TEST(work_has_the_times_of_its_records) {
    Place place = place_open();
    char back[64];
    tern_profile *profile = tern_profile_start(place.context, NULL);
    CHECK(profile && cupti()->is_attached());
    driver()->trace();
    tern_range_push(place.context, "step");
    for (int i = 0; i < 3; i++) launch(place);
    CHECK(!tern_fill(place.buffer, 0));
    CHECK(!tern_read(place.buffer, 0, back, sizeof back));
    tern_range_pop(place.context);
    CHECK(!strstr(driver()->trace(), "record event")); /* it does not also time by events */
    CHECK(!tern_profile_stop(profile));
    CHECK(!cupti()->is_attached() && profile->has_device && !profile->num_lost);
    CHECK(count_of(profile, "the_kernel", true) == 3 &&
          count_of(profile, "cuLaunchKernel", false) == 3);
    CHECK(count_of(profile, "Memcpy DtoH (Device -> Pageable)", true) == 1);
    CHECK(count_of(profile, "Memset (Device)", true) == 1);
    CHECK(count_of(profile, "cuCall_303", false) == 0); /* cuCtxSetCurrent: not asked for */
    CHECK(profile->num_events == 1 + 5 + 5 + 5);        /* range; calls; driver's; work */
    for (int i = 0; i < profile->num_events; i++) {
        const ProfEvent *event = &profile->events[i];
        const ProfEvent *in = event->parent >= 0 ? &profile->events[event->parent] : NULL;
        if (event->kind == TERN_CALL_DRIVER) CHECK(in && in->kind != TERN_CALL_RANGE);
        if (!event->on_device) continue;
        CHECK(in && !in->on_device && in->kind != TERN_CALL_DRIVER && in->kind == event->kind);
        CHECK(event->end_ns <= profile->end_ns - profile->begin_ns + KERNEL_NS + 1000);
        if (event->kind != TERN_CALL_LAUNCH) continue;
        CHECK(event->end_ns - event->start_ns == KERNEL_NS && event->start_ns >= in->start_ns);
        CHECK(event->kernel && event->kernel->registers == 40 && event->kernel->block[0] == 128);
        CHECK(event->kernel->shared_bytes == 1536 && event->kernel->local_bytes == 16);
        CHECK(event->grid[0] == 2 && event->grid[1] == 3 && event->grid[2] == 4);
    }
    CHECK(profile->events[0].device_total_ns == 3 * KERNEL_NS + 700 + 300);
    char *table = tern_profile_table(profile, NULL);
    CHECK(strstr(table, "times by CUPTI, API 130001") && !strstr(table, "by events"));
    CHECK(strncmp(strchr(strstr(table, "\nnothing ") + 1, '\n'), "\n  the_kernel ", 14) == 0);
    CHECK(strncmp(strchr(strstr(table, "\ntern_fill ") + 1, '\n'), "\n  Memset (D", 12) == 0);
    for (char *line = strtok(table, "\n"); line; line = strtok(NULL, "\n"))
        CHECK(strlen(line) <= 100);
    tern_free(table);
    ProfFile out = {.text.arena = profile->scratch, .file = -1};
    prof_chrome(&out, profile);
    CHECK(strstr(out.text.data, "\"registers per thread\":40") &&
          strstr(out.text.data, "\"block\":[128,1,1]") &&
          strstr(out.text.data, "\"name\":\"stream 7\"") &&
          strstr(out.text.data, "\"cat\":\"cuda_driver\""));
    tern_profile_free(profile);
    place_close(place);
}

#define TRACED "22" /* of the device: 20 launches, a fill and a copy */
/* They are in a range. */
static void save_trace(const char *path) {
    Place place = place_open();
    char back[64];
    tern_profile *profile = tern_profile_start(place.context, NULL);
    CHECK(profile != NULL);
    tern_range_push(place.context, "step");
    for (int i = 0; i < 20; i++) launch(place);
    CHECK(!tern_fill(place.buffer, 0) && !tern_read(place.buffer, 0, back, sizeof back));
    tern_range_pop(place.context);
    CHECK(!tern_profile_stop(profile));
    CHECK(!tern_profile_save(profile, TERN_PROFILE_CHROME, path));
    tern_profile_free(profile);
    place_close(place);
}

/* By readers in Python, where that is, and what they read by. */
static bool is_read_by(const char *script) {
    char path[256], command[1200];
    const char *python = getenv("PYTHON"), *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/tern-trace-XXXXXX", folder && *folder ? folder : "/tmp");
    CHECK(mkstemp(path) >= 0);
    save_trace(path);
    snprintf(command, sizeof command, "%s test/prof/%s %s %s >%s.log 2>&1",
             python ? python : "python3", script, path, strcmp(script, "lint.py") ? "" : TRACED,
             path);
    int status = system(command);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    CHECK(code == 0 || code == 77 || code == 127);
    snprintf(command, sizeof command, "tail -n 3 %s.log; rm -f %s %s.log", path, path, path);
    CHECK(!system(command));
    return code == 0;
}

TEST(traces_keep_the_rules) {
    if (!is_read_by("lint.py")) SKIP("no python3");
}

TEST(traces_are_read_as_kinetos) {
    if (!is_read_by("hta.py")) SKIP("no Holistic Trace Analysis");
}

TEST(traces_are_read_by_viewers) {
    if (!is_read_by("readers.py")) SKIP("neither torch_tb_profiler with Chromium nor Perfetto");
}

/* As kernels of a graph: two at once on a stream, in two lanes; what nobody is known to have
 * enqueued; what begins before its call; what has no times. */
TEST(records_that_are_odd) {
    Place place = place_open();
    tern_profile *profile = tern_profile_start(place.context, NULL);
    gpu.is_silent = true;
    uint64_t now = cupti()->now();
    gpu.correlation = 100;
    emit_kernel(STREAM, now + 500, now + 3000);
    emit_kernel(STREAM, now, now + 1000);
    emit_kernel(STREAM, now + 1000, now + 1500);
    emit_kernel(STREAM + 1, now, now + 1000);
    emit_call(LAUNCH_CALL, now + 250, now + 400);
    emit_kernel(STREAM, 0, 0);
    CuptiCall runtime = {.kind = CUPTI_RUNTIME, .call = 3020, .start_ns = now, .end_ns = now + 50};
    cupti()->record(&runtime, sizeof runtime);
    emit_kernel(STREAM, now - 1000000000, now - 900000000); /* before the profile */
    CuptiPeerCopy peer = {.kind = CUPTI_PEER_COPY,
                          .direction = 10,
                          .from = 3,
                          .to = 3,
                          .bytes = 4096,
                          .start_ns = now + 5000,
                          .end_ns = now + 5600,
                          .device = 1,
                          .stream = STREAM,
                          .from_device = 1,
                          .correlation = 100};
    cupti()->record(&peer, sizeof peer);
    gpu.correlation = 101;
    emit_kernel(STREAM, now + 4000, now + 5000);
    cupti()->drop(17);
    CHECK(!tern_profile_stop(profile));
    CHECK(profile->num_lost == 1 + 17 && profile->early_ns == 250);
    CHECK(count_of(profile, "cudaCall", false) == 1); /* not "cudaCall_v3020" */
    CHECK(profile->streams.count == 4 && count_of(profile, "the_kernel", true) == 5);
    CHECK(count_of(profile, "Memcpy PtoP (Device -> Device)", true) == 1);
    int lanes = 0, own = 0;
    for (int i = 0; i < profile->num_events; i++) {
        const ProfEvent *event = &profile->events[i];
        if (!event->on_device) continue;
        lanes += profile->streams.data[event->thread].lane;
        own += event->parent < 0;
    }
    CHECK(lanes == 1 && own == 1);
    char *table = tern_profile_table(profile, NULL);
    CHECK(strstr(table, "up to 18 of its records are lost") &&
          strstr(table, "begin up to 0.250us before its call"));
    tern_free(table);
    tern_profile_free(profile);
    place_close(place);
}

TEST(what_cupti_does_not_record_is_said) {
    Place place = place_open();
    for (int api = 17; api <= 18; api++) {
        cupti()->set_version((uint32_t)api);
        tern_profile *profile = tern_profile_start(place.context, NULL);
        launch(place);
        CHECK(!tern_profile_stop(profile) && count_of(profile, "the_kernel", true) == 1);
        char *table = tern_profile_table(profile, NULL);
        CHECK(strstr(table, "times by CUPTI, API 1"));
        CHECK(!strstr(table, "copies from one GPU to another are not here") == (api == 17));
        tern_free(table);
        tern_profile_free(profile);
    }
    place_close(place);
}

TEST(full_buffers_are_kept_up_to_a_limit) {
    Place place = place_open();
    enum { RECORDS = 100000, SPLIT = 300 };
    tern_profile *profile = tern_profile_start(place.context, NULL);
    gpu.is_silent = true;
    uint64_t now = cupti()->now();
    for (int i = 0; i < RECORDS; i++)
        emit_call(LAUNCH_CALL, now + 2 * (uint64_t)i, now + 2 * (uint64_t)i + 1);
    CHECK(!tern_profile_stop(profile));
    CHECK(count_of(profile, "cuLaunchKernel", false) == RECORDS && !profile->num_lost);
    tern_profile_free(profile);
    profile = tern_profile_start(place.context, NULL);
    now = cupti()->now();
    for (int i = 0; i < SPLIT; i++) {
        emit_call(LAUNCH_CALL, now + 2 * (uint64_t)i, now + 2 * (uint64_t)i + 1);
        cupti()->complete();
    }
    CHECK(!tern_profile_stop(profile));
    int kept = count_of(profile, "cuLaunchKernel", false);
    CHECK(kept < SPLIT && kept > 200 && profile->num_lost >= SPLIT - kept);
    tern_profile_free(profile);
    profile = tern_profile_start(place.context, &(tern_profile_options){.max_events = 10});
    now = cupti()->now();
    for (int i = 0; i < 15; i++)
        emit_call(LAUNCH_CALL, now + 2 * (uint64_t)i, now + 2 * (uint64_t)i + 1);
    CHECK(!tern_profile_stop(profile) && profile->num_events == 10 && profile->num_dropped == 5);
    tern_profile_free(profile);
    place_close(place);
}

/* The read says nothing of waiting, and returns when the kernel has ended. */
TEST(what_waits_is_said_below_the_table) {
    Place place = place_open();
    tern_profile *profile = tern_profile_start(place.context, NULL);
    gpu.is_silent = true;
    uint64_t now = cupti()->now();
    gpu.correlation = 1;
    emit_call(LAUNCH_CALL, now, now + 2000);
    emit_kernel(STREAM, now + 5000, now + 150000);
    gpu.correlation = 2;
    emit_call(276, now + 3000, now + 151000);
    struct timespec pause = {.tv_nsec = 200000};
    nanosleep(&pause, NULL);
    CHECK(!tern_profile_stop(profile));
    char *table = tern_profile_table(profile, NULL);
    CHECK(strstr(table, "findings   1 cuCall_276 waits for the_kernel: 1 times, 147.000us in all"));
    tern_free(table);
    ProfFile out = {.text.arena = profile->scratch, .file = -1};
    prof_html(&out, profile);
    CHECK(strstr(out.text.data, "\"by_events\":false,\"findings\":[\"cuCall_276 waits for"));
    tern_profile_free(profile);
    place_close(place);
}

TEST(overheads_are_summed) {
    Place place = place_open();
    tern_profile *profile = tern_profile_start(place.context, NULL);
    uint64_t now = cupti()->now();
    static const uint32_t kinds[] = {1 << 16, 2 << 16, 5 << 16, 5 << 16, 6 << 16, 99 << 16};
    for (int i = 0; i < COUNT(kinds); i++) {
        CuptiOverhead record = {.kind = CUPTI_OVERHEAD,
                                .what = kinds[i],
                                .start_ns = now + 1000 * (uint64_t)i,
                                .end_ns = now + 1000 * (uint64_t)i + 400};
        cupti()->record(&record, sizeof record);
    }
    CuptiOverhead late = {.kind = CUPTI_OVERHEAD, /* after the end: the stop's own */
                          .what = 1 << 16,
                          .start_ns = now + 1000000000000,
                          .end_ns = now + 1000000001000};
    cupti()->record(&late, sizeof late);
    usleep(100);
    CHECK(!tern_profile_stop(profile));
    CHECK(profile->overheads[PROF_LAZY_LOADING].count == 2 &&
          profile->overheads[PROF_LAZY_LOADING].ns == 800);
    CHECK(profile->overheads[PROF_QUEUE_FULL].count == 1 && profile->overheads[0].count == 1);
    char *table = tern_profile_table(profile, NULL);
    CHECK(strstr(table, "its own work took 1.200us"));
    tern_free(table);
    tern_profile_free(profile);
    place_close(place);
}

static void count_kernels(void *user, tern_profile *profile) {
    *(int *)user = *(int *)user * 10 + count_of(profile, "the_kernel", true);
}

TEST(a_schedule_forgets_records_too) {
    Place place = place_open();
    int kernels = 0;
    tern_profile *profile =
        tern_profile_start(place.context, &(tern_profile_options){.wait = 1,
                                                                  .warmup = 1,
                                                                  .active = 2,
                                                                  .repeat = 2,
                                                                  .on_ready = count_kernels,
                                                                  .user = &kernels});
    CHECK(profile != NULL);
    for (int step = 0; step < 10; step++) {
        for (int i = 0; i <= step % 4; i++) launch(place);
        CHECK(!tern_profile_step(profile));
    }
    CHECK(!tern_profile_stop(profile) && kernels == 77);
    tern_profile_free(profile);
    place_close(place);
}

/* ---- where CUPTI is not what it should be ---- */

static void expect_events(Place place, const char *why, const tern_profile_options *options) {
    tern_profile *profile = tern_profile_start(place.context, options);
    CHECK(profile != NULL);
    if (!profile) return;
    if (!options) profile->launch_ns = 0; /* measuring it with events takes most of a second */
    launch(place);
    CHECK(!tern_profile_stop(profile));
    CHECK_STR(profile->why_events, why);
    CHECK(profile->has_device && count_of(profile, "nothing", true) == 1);
    char *table = tern_profile_table(profile, NULL);
    CHECK(strstr(table, "times by events") && strstr(table, why) && !strstr(table, "by CUPTI,"));
    tern_free(table);
    tern_profile_free(profile);
    CHECK(cupti()->num_kinds() == 0);
}

TEST(else_events_time_and_the_report_says_why) {
    Place place = place_open();
    expect_events(place, "as asked for", &(tern_profile_options){.by_events = true});
    setenv("TERN_CUPTI", "/nonexistent/libcupti.so", 1);
    expect_events(place, "libcupti.so is not here; TERN_CUPTI may name it", NULL);
    setenv("TERN_CUPTI", MOCK_DRIVER, 1);
    expect_events(place, "libcupti.so is too old: it lacks cuptiGetVersion; CUDA 11.6's has it",
                  NULL);
    setenv("TERN_CUPTI", MOCK_CUPTI, 1);
    cupti()->set_version(16);
    expect_events(place, "libcupti.so is too old: its API is 16, CUDA 11.6's is 17", NULL);
    cupti()->set_version(17);
    static const struct {
        const char *symbol, *why;
        int result;
    } failures[] = {
        {"cuptiSubscribe", "another profiler is attached to this process", 39},
        {"cuptiSubscribe", "CUPTI cannot attach: MOCK_ERROR_15; is it newer than the driver?", 15},
        {"cuptiSubscribe", "CUPTI cannot attach: MOCK_ERROR_999", 999},
        {"cuptiSetThreadIdType", "CUPTI cannot set it up: MOCK_ERROR_1", 1},
        {"cuptiActivityRegisterTimestampCallback", "CUPTI cannot set it up: MOCK_ERROR_1", 1},
        {"cuptiActivityRegisterCallbacks", "CUPTI cannot set it up: MOCK_ERROR_1", 1},
        {"cuptiActivityEnable", "CUPTI cannot record: MOCK_ERROR_35", 35},
    };
    for (int i = 0; i < COUNT(failures); i++) {
        cupti()->fail(failures[i].symbol, failures[i].result);
        expect_events(place, failures[i].why, NULL);
        cupti()->fail(NULL, 0);
    }
    place_close(place);
}

TEST(one_profile_of_a_process_has_cupti) {
    Place place = place_open();
    tern_status status;
    tern_context *other =
        tern_open(&(tern_open_options){.device = "cuda", .cache_dir = ""}, &status, NULL, 0);
    tern_profile *first = tern_profile_start(place.context, NULL);
    tern_profile *second = tern_profile_start(other, NULL);
    CHECK(first && second);
    CHECK_STR(first->why_events, "");
    CHECK_STR(second->why_events, "another profiler is attached to this process");
    tern_profile_free(first);
    CHECK(!cupti()->is_attached());
    tern_profile_free(second);
    tern_close(other);
    place_close(place);
}

TEST_MAIN()
