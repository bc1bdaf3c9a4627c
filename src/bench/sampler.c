// SPDX-License-Identifier: Apache-2.0
#include "bench/sampler.h"
#include "base/base.h"
#include "bench/stats.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double process_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

/* ---- kernels of our own ---- */

enum { READ_BLOCK = 4096, READ_STEP = READ_BLOCK * 4 };

static const char source[] = "import triton\n"
                             "import triton.language as tl\n"
                             "@triton.jit\n"
                             "def read(x, sums, BLOCK: tl.constexpr):\n"
                             "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
                             "    tl.store(sums + tl.program_id(0), tl.sum(tl.load(x + i), 0))\n"
                             "@triton.jit\n"
                             "def nothing(x):\n"
                             "    pass\n";

static tern_status open_kernels(Sampler *sampler, SamplerOptions options) {
    bool reads = options.cold && !sampler->fills;
    if (!sampler->on_gpu || !(reads || options.floor)) return TERN_OK;
    sampler->module = tern_load_text(sampler->context, source, sizeof source - 1, "<bench>");
    if (!sampler->module) return tern_message_status(sampler->context);
    if (options.floor) {
        sampler->nothing = tern_compile(sampler->module, "nothing", "*i32:16", NULL);
        if (!sampler->nothing) return tern_message_status(sampler->context);
    }
    if (!reads) return TERN_OK;
    sampler->reader = tern_compile(sampler->module, "read", "*i32:16,*i32:16,4096",
                                   &(tern_options){.num_warps = 8});
    sampler->sums =
        sampler->reader ? tern_alloc(sampler->context, sampler->flush_bytes / READ_STEP * 4) : NULL;
    return sampler->sums ? TERN_OK : tern_message_status(sampler->context);
}

static tern_status launch_nothing(void *user, tern_stream *stream) {
    Sampler *sampler = user;
    const uint32_t grid[3] = {1, 1, 1};
    const tern_argument argument = tern_arg_buffer(NULL);
    return tern_launch(stream, sampler->nothing, grid, &argument, 1);
}

/* ---- cold caches ---- */

enum { LINE_BYTES = 64 };

#if defined __x86_64__
#include <cpuid.h>

static bool has_clflushopt(void) {
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & 1u << 23);
}

/* Writes lines back and takes them out of all caches. */
static void flush_lines(const unsigned char *memory, size_t bytes) {
    const unsigned char *end = memory + bytes;
    bool is_weak = has_clflushopt();
    for (; memory < end; memory += LINE_BYTES)
        if (is_weak)
            __asm__ volatile("clflushopt %0" : : "m"(*memory) : "memory");
        else
            __asm__ volatile("clflush %0" : : "m"(*memory) : "memory");
    __asm__ volatile("mfence" : : : "memory");
}
static const bool can_flush = true;
#else
static void flush_lines(const unsigned char *memory, size_t bytes) { (void)memory, (void)bytes; }
static const bool can_flush = false;
#endif

/* GPUs: 256 MiB as triton.testing has it. CPUs: twice the last-level cache, at least 64 MiB. */
static size_t flush_size(const Sampler *sampler, size_t asked) {
    long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    size_t least = sampler->on_gpu ? (size_t)256 << 20 : (size_t)64 << 20;
    size_t twice = cache > 0 && !sampler->on_gpu ? 2 * (size_t)cache : 0;
    size_t bytes = asked ? asked : twice > least ? twice : least;
    return (bytes + READ_STEP - 1) / READ_STEP * READ_STEP;
}

static tern_status make_cold(Sampler *sampler) {
    for (int i = 0; i < sampler->num_flushed; i++)
        flush_lines(tern_buffer_pointer(sampler->flushed[i]),
                    tern_buffer_size(sampler->flushed[i]));
    if (!sampler->flush) return TERN_OK;
    if (sampler->fills) return tern_fill_async(NULL, sampler->flush, 0);
    if (sampler->on_gpu) {
        const uint32_t grid[3] = {(uint32_t)(sampler->flush_bytes / READ_STEP), 1, 1};
        const tern_argument arguments[] = {tern_arg_buffer(sampler->flush),
                                           tern_arg_buffer(sampler->sums)};
        return tern_launch(NULL, sampler->reader, grid, arguments, 2);
    }
    const unsigned char *memory = tern_buffer_pointer(sampler->flush);
    unsigned sum = 0;
    for (size_t i = 0; i < sampler->flush_bytes; i += LINE_BYTES) sum += memory[i];
    sampler->sink = sum;
    return TERN_OK;
}

/* Lines of these buffers alone, where that is less than what would be read. */
static bool choose_lines(Sampler *sampler, const SamplerOptions *options) {
    size_t bytes = 0;
    if (sampler->on_gpu || !can_flush || options->fills || options->num_flushed <= 0) return false;
    for (int i = 0; i < options->num_flushed; i++) bytes += tern_buffer_size(options->flushed[i]);
    if (bytes >= sampler->flush_bytes) return false;
    sampler->flushed = options->flushed;
    sampler->num_flushed = options->num_flushed;
    sampler->flush_bytes = bytes;
    return true;
}

static tern_status open_cold(Sampler *sampler, const SamplerOptions *options) {
    if (!options->cold) return TERN_OK;
    sampler->fills = options->fills;
    sampler->flush_bytes = flush_size(sampler, options->cold_bytes);
    if (choose_lines(sampler, options)) return TERN_OK;
    sampler->flush = tern_alloc(sampler->context, sampler->flush_bytes);
    return sampler->flush ? tern_fill(sampler->flush, 0) : tern_message_status(sampler->context);
}

/* Once before, because the first use of a kernel loads it. */
static tern_status time_cold(Sampler *sampler) {
    double nanoseconds = 0;
    tern_status status = make_cold(sampler);
    if (!status) status = tern_event_record(sampler->start, NULL);
    if (!status) status = make_cold(sampler);
    if (!status) status = tern_event_record(sampler->end, NULL);
    if (!status) status = tern_event_elapsed(sampler->start, sampler->end, &nanoseconds);
    sampler->cold_ms = nanoseconds * 1e-6;
    return status;
}

/* ---- the watch over the gate ---- */

enum { WATCH_STEP_NS = 50000000, WATCH_LIMIT_NS = 500000000 };

/* Looks now and then, rather than being woken for each sample: that would cost the sample. */
static void *watch_gate(void *user) {
    Watch *watch = user;
    pthread_mutex_lock(&watch->lock);
    while (!watch->stop) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += WATCH_STEP_NS;
        if (until.tv_nsec >= 1000000000) until.tv_nsec -= 1000000000, until.tv_sec++;
        pthread_cond_timedwait(&watch->wake, &watch->lock, &until);
        int64_t shut = __atomic_load_n(&watch->shut_ns, __ATOMIC_ACQUIRE);
        if (!shut || clock_ns() - shut < WATCH_LIMIT_NS) continue;
        __atomic_store_n(&watch->fired, true, __ATOMIC_RELEASE);
        tern_gate_open(watch->gate);
    }
    pthread_mutex_unlock(&watch->lock);
    return NULL;
}

static void watch_start(Watch *watch, tern_gate *gate) {
    sigset_t all, before; /* signals are the program's own threads' to take */
    watch->gate = gate;
    pthread_mutex_init(&watch->lock, NULL);
    pthread_cond_init(&watch->wake, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    watch->is_running = pthread_create(&watch->thread, NULL, watch_gate, watch) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void watch_end(Watch *watch) {
    if (!watch->gate) return;
    if (watch->is_running) {
        pthread_mutex_lock(&watch->lock);
        watch->stop = true;
        pthread_cond_signal(&watch->wake);
        pthread_mutex_unlock(&watch->lock);
        pthread_join(watch->thread, NULL);
    }
    pthread_cond_destroy(&watch->wake);
    pthread_mutex_destroy(&watch->lock);
}

/* ---- open and close ---- */

static void open_gate(Sampler *sampler) {
    sampler->gate = tern_gate_create(sampler->context);
    if (!sampler->gate) return; /* an old driver: the result says that it is not gated */
    watch_start(&sampler->watch, sampler->gate);
    if (sampler->watch.is_running) return;
    tern_gate_free(sampler->gate);
    sampler->gate = NULL;
}

static tern_status open_all(Sampler *sampler, SamplerOptions options) {
    tern_context *context = sampler->context;
    sampler->start = tern_event_create(context);
    sampler->end = tern_event_create(context);
    if (!sampler->start || !sampler->end) return tern_message_status(context);
    tern_status status = open_cold(sampler, &options);
    if (!status) status = open_kernels(sampler, options);
    if (!status && options.cold) status = time_cold(sampler);
    if (status || !sampler->on_gpu) return status;
    if (options.clock) {
        sampler->clock_before = tern_event_create_clocked(context);
        sampler->clock_after = sampler->clock_before ? tern_event_create_clocked(context) : NULL;
        if (!sampler->clock_after) return tern_message_status(context);
    }
    if (options.gate) open_gate(sampler);
    return TERN_OK;
}

tern_status sampler_open(Sampler *sampler, tern_context *context, tern_callable *run, void *user,
                         SamplerOptions options) {
    *sampler =
        (Sampler){.context = context,
                  .run = run,
                  .user = user,
                  .on_gpu = !tern_device_property(tern_device_name(context), TERN_DEVICE_ON_HOST)};
    tern_status status = open_all(sampler, options);
    if (status) sampler_close(sampler);
    return status;
}

void sampler_close(Sampler *sampler) {
    watch_end(&sampler->watch);
    tern_gate_free(sampler->gate);
    tern_event_free(sampler->start);
    tern_event_free(sampler->end);
    tern_event_free(sampler->clock_before);
    tern_event_free(sampler->clock_after);
    if (sampler->reader) tern_kernel_free(sampler->reader);
    if (sampler->nothing) tern_kernel_free(sampler->nothing);
    if (sampler->module) tern_module_free(sampler->module);
    if (sampler->sums) tern_buffer_free(sampler->sums);
    if (sampler->flush) tern_buffer_free(sampler->flush);
}

/* ---- samples ---- */

static tern_status call(Sampler *sampler, Sample *sample) {
    double before = clock_ms(), cpu_before = process_ms();
    tern_status status = sampler->run(sampler->user, NULL);
    sample->host_ms = clock_ms() - before;
    sample->cpu_ms = process_ms() - cpu_before;
    sample->knows_cpu = !sampler->on_gpu;
    sampler->cpu_ms += sample->cpu_ms;
    return status;
}

tern_status sampler_enqueue(Sampler *sampler, tern_event *start, tern_event *end, Sample *sample) {
    tern_status status = make_cold(sampler);
    if (!status) status = tern_event_record(start, NULL);
    if (!status) status = call(sampler, sample);
    return status ? status : tern_event_record(end, NULL);
}

static tern_status enqueue_gated(Sampler *sampler, Sample *sample) {
    Watch *watch = &sampler->watch;
    tern_status status = make_cold(sampler);
    if (!status) status = tern_gate_close(sampler->gate, NULL);
    if (status) return status;
    __atomic_store_n(&watch->shut_ns, clock_ns(), __ATOMIC_RELEASE);
    status = tern_event_record(sampler->start, NULL);
    if (!status) status = call(sampler, sample);
    if (!status) status = tern_event_record(sampler->end, NULL);
    if (!status && sampler->clock_after) status = tern_event_record(sampler->clock_after, NULL);
    tern_gate_open(sampler->gate);
    __atomic_store_n(&watch->shut_ns, 0, __ATOMIC_RELEASE);
    sample->gate_opened_late = __atomic_exchange_n(&watch->fired, false, __ATOMIC_ACQ_REL);
    return status;
}

static tern_status enqueue(Sampler *sampler, Sample *sample) {
    tern_status status = TERN_OK;
    if (sampler->clock_before) status = tern_event_record(sampler->clock_before, NULL);
    if (!status && sampler->gate) return enqueue_gated(sampler, sample);
    if (!status) status = sampler_enqueue(sampler, sampler->start, sampler->end, sample);
    if (!status && sampler->clock_after) status = tern_event_record(sampler->clock_after, NULL);
    return status;
}

/* All that was recorded has come to its end: what the device still does, nobody asked for here. */
static tern_status wait_for_rest(Sampler *sampler, Sample *sample) {
    double before = clock_ms();
    tern_status status = tern_synchronize(sampler->context);
    if (sampler->on_gpu) sample->stray_ms = clock_ms() - before;
    return status;
}

tern_status sampler_take(Sampler *sampler, Sample *sample) {
    double nanoseconds = 0;
    *sample = (Sample){0};
    tern_status status = enqueue(sampler, sample);
    if (!status) status = tern_event_elapsed(sampler->start, sampler->end, &nanoseconds);
    if (!status && sampler->clock_after)
        status = tern_event_clock(sampler->clock_before, sampler->clock_after, &sample->mhz);
    if (!status) status = wait_for_rest(sampler, sample);
    sample->ms = nanoseconds * 1e-6;
    return status;
}

/* ---- floors ---- */

static tern_status nothing(void *user, tern_stream *stream) {
    (void)user, (void)stream;
    return TERN_OK;
}

enum { FLOOR_RUNS = 15 };

static tern_status median_of(Sampler *sampler, double *ms, double *wait_ms) {
    double samples[FLOOR_RUNS], waits[FLOOR_RUNS], scratch[FLOOR_RUNS];
    for (int i = 0; i < FLOOR_RUNS; i++) {
        Sample sample;
        tern_status status = sampler_take(sampler, &sample);
        if (status) return status;
        samples[i] = sample.ms;
        waits[i] = sample.stray_ms;
    }
    *ms = stats_median(scratch, samples, FLOOR_RUNS);
    *wait_ms = stats_median(scratch, waits, FLOOR_RUNS);
    return TERN_OK;
}

static tern_status floors(Sampler *sampler, double *floor_ms, double *launch_ms, double *wait_ms) {
    double ignored;
    sampler->run = nothing;
    tern_status status = median_of(sampler, floor_ms, wait_ms);
    if (status || !sampler->nothing) return status;
    sampler->run = launch_nothing;
    sampler->user = sampler;
    status = launch_nothing(sampler, NULL); /* the first launch loads the kernel */
    return status ? status : median_of(sampler, launch_ms, &ignored);
}

tern_status sampler_floor(Sampler *sampler, double *floor_ms, double *launch_ms, double *wait_ms) {
    tern_callable *run = sampler->run;
    void *user = sampler->user;
    tern_buffer *flush = sampler->flush;
    int num_flushed = sampler->num_flushed;
    sampler->flush = NULL;
    sampler->num_flushed = 0;
    *launch_ms = 0;
    tern_status status = floors(sampler, floor_ms, launch_ms, wait_ms);
    sampler->run = run;
    sampler->user = user;
    sampler->flush = flush;
    sampler->num_flushed = num_flushed;
    return status;
}
