// SPDX-License-Identifier: Apache-2.0
/* cost: what recording takes, as reports say it.
 *
 * An empty range and an op: by some thousands before anything is recorded. Getting memory and
 * finding C functions: each time. What a launch has more with a recording than without rests on all
 * that the processor does meanwhile, on CUPTI, on events: when a window with launches closes, a
 * kernel that does nothing is launched in a context of tern's own, in turns without a profile and
 * with one like it. */
#include "prof/outside.h"
#include "prof/prof.h"

#include <stdlib.h>
#include <time.h>

/* Of this thread alone: others may run meanwhile. */
int64_t prof_own_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int compare_ns(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare_ns);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* ---- ranges and ops ---- */

static double trial_ns(tern_profile *profile, bool is_op) {
    enum { RANGES = 512 };
    static const int64_t sizes[] = {64, 64};
    static const tern_input input = {.rank = 2, .sizes = sizes};
    int64_t start = prof_own_ns() - profile->memory_ns;
    for (int i = 0; i < RANGES; i++) {
        if (is_op)
            tern_op_push(profile->context, "op", &input, 1);
        else
            tern_range_push(profile->context, "range");
        tern_range_pop(profile->context);
    }
    return (double)(prof_own_ns() - profile->memory_ns - start) / RANGES;
}

/* They are forgotten afterwards: the median of some rounds. Fewer again and again would stay in the
 * nearest cache, and the least of them is what hardly a range costs. */
double prof_measure_range(tern_profile *profile, bool is_op) {
    enum { ROUNDS = 16 };
    double took[ROUNDS];
    profile->is_trial = true;
    for (int round = 0; round < ROUNDS; round++) took[round] = trial_ns(profile, is_op);
    profile->is_trial = false;
    return median(took, ROUNDS);
}

/* ---- launches ---- */

enum { ROUNDS = 3, BLOCKS = 8, LAUNCHES = 250 };

typedef struct Trial {
    tern_context *context;
    tern_module *module;
    tern_kernel *kernel;
    tern_buffer *buffer;
} Trial;

static bool trial_open(Trial *trial, const char *device) {
    static const char text[] = "import triton\nimport triton.language as tl\n\n@triton.jit\n"
                               "def nothing(x):\n    pass\n";
    *trial = (Trial){.context = tern_open(&(tern_open_options){.device = device, .cache_dir = ""},
                                          NULL, NULL, 0)};
    if (!trial->context) return false;
    trial->module = tern_load_text(trial->context, text, sizeof text - 1, NULL);
    if (trial->module) trial->kernel = tern_compile(trial->module, "nothing", "*fp32", NULL);
    if (trial->kernel) trial->buffer = tern_alloc(trial->context, 64);
    return trial->buffer != NULL;
}

/* What a launch takes, a value a block; the first block is for what comes once. */
static bool run_blocks(const Trial *trial, double *took) {
    const tern_argument argument = tern_arg_buffer(trial->buffer);
    for (int block = -1; block < BLOCKS; block++) {
        int64_t start = prof_own_ns();
        for (int i = 0; i < LAUNCHES; i++)
            if (tern_launch(NULL, trial->kernel, (uint32_t[3]){1, 1, 1}, &argument, 1))
                return false;
        if (block >= 0) took[block] = (double)(prof_own_ns() - start) / LAUNCHES;
    }
    return !tern_synchronize(trial->context);
}

static bool run_recorded(const Trial *trial, const tern_profile *like, double *took) {
    tern_profile *profile = tern_profile_start(
        trial->context, &(tern_profile_options){.max_events = (BLOCKS + 1) * LAUNCHES,
                                                .shapes = like->options.shapes,
                                                .by_events = like->options.by_events});
    bool done = profile && run_blocks(trial, took);
    tern_profile_free(profile);
    return done;
}

/* Negative: it cannot be said. */
static double compare(const Trial *trial, const tern_profile *like) {
    double bare[ROUNDS * BLOCKS], recorded[ROUNDS * BLOCKS];
    for (int i = 0; i < ROUNDS; i++)
        if (!run_blocks(trial, bare + i * BLOCKS) ||
            !run_recorded(trial, like, recorded + i * BLOCKS))
            return -1;
    double more = median(recorded, ROUNDS * BLOCKS) - median(bare, ROUNDS * BLOCKS);
    return more > 0 ? more : 0;
}

static bool is_enqueued(const ProfEvent *event) {
    tern_call_kind kind = event->kind;
    return !event->on_device &&
           (kind == TERN_CALL_LAUNCH || kind == TERN_CALL_GRAPH || kind == TERN_CALL_WRITE ||
            kind == TERN_CALL_READ || kind == TERN_CALL_FILL);
}

static bool has_launches(const tern_profile *profile) {
    for (int i = 0; i < profile->num_events; i++)
        if (is_enqueued(&profile->events[i])) return true;
    return false;
}

/* What another tool sees, and may run each kernel many times for, is the program's alone. */
static bool is_watched_by_others(const tern_profile *profile) {
    const char *cuda = getenv("CUDA_INJECTION64_PATH"), *nvtx = getenv("NVTX_INJECTION64_PATH");
    return profile->cupti.is_taken || (cuda && *cuda) || (nvtx && *nvtx);
}

void prof_measure_launch(tern_profile *profile) {
    const char *device = tern_device_name(profile->context);
    Trial trial;
    if (profile->launch_ns >= 0 || outside_is_off || profile->of_process ||
        !has_launches(profile) || is_watched_by_others(profile))
        return;
    outside_is_off = true;
    if (trial_open(&trial, tern_device_property(device, TERN_DEVICE_ON_HOST) ? "interp" : device))
        profile->launch_ns = compare(&trial, profile);
    tern_close(trial.context);
    outside_is_off = false;
}

/* ---- what reports say ---- */

/* Of finding the functions of one event. */
static double frames_ns(const tern_profile *profile) {
    return profile->num_timed ? (double)profile->frames_ns / (double)profile->num_timed : 0;
}

double prof_range_ns(const tern_profile *profile) {
    int64_t marks = prof_num_marks(profile);
    double memory_ns = marks ? (double)profile->memory_ns / (double)marks : 0;
    return profile->range_ns + frames_ns(profile) + memory_ns;
}

double prof_recording_ns(const tern_profile *profile) {
    double sum_ns = frames_ns(profile) * (double)profile->num_framed + (double)profile->memory_ns;
    double launch_ns = profile->launch_ns >= 0 ? profile->launch_ns : profile->call_ns;
    for (int i = 0; i < profile->num_events; i++) {
        const ProfEvent *event = &profile->events[i];
        if (event->on_device || event->kind == TERN_CALL_DRIVER) continue;
        sum_ns += event->kind == TERN_CALL_RANGE ? profile->range_ns
                  : is_enqueued(event)           ? launch_ns
                                                 : profile->call_ns;
    }
    return sum_ns;
}
