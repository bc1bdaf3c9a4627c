// SPDX-License-Identifier: Apache-2.0
/* peak: the ceilings of a device, measured by kernels in the Triton language that tern compiles for
 * it: what memory and arithmetic give to compiled code here, not what a data sheet says. Each is
 * the best of several block sizes and of all samples; memory is measured in rounds, until one gives
 * what the best one gave (ceiling.h).
 *
 * The result is kept in a text file of the cache folder; its first line names all that it depends
 * on, and a file that does not read back whole is measured again. */
#include "bench/ceiling.h"

#include "base/base.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char source[] =
    "import triton\n"
    "import triton.language as tl\n"
    "@triton.jit\n"
    "def copy(x, y, n, BLOCK: tl.constexpr):\n"
    "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)\n"
    "@triton.jit\n"
    "def read(x, y, n, BLOCK: tl.constexpr):\n"
    "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "    tl.store(y + tl.program_id(0), tl.sum(tl.load(x + i, mask=i < n, other=0.0), 0))\n"
    "@triton.jit\n"
    "def fma(x, y, n, BLOCK: tl.constexpr):\n" /* 8 chains of 32: 512 operations a lane */
    "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "    a = tl.load(x + i, mask=i < n, other=0.0)\n"
    "    b = a + 1.0\n"
    "    c = a + 2.0\n"
    "    d = a + 3.0\n"
    "    e = a + 4.0\n"
    "    f = a + 5.0\n"
    "    g = a + 6.0\n"
    "    h = a + 7.0\n"
    "    m = a * 0.5\n"
    "    for _ in tl.static_range(32):\n"
    "        a = tl.fma(a, m, 0.25)\n"
    "        b = tl.fma(b, m, 0.25)\n"
    "        c = tl.fma(c, m, 0.25)\n"
    "        d = tl.fma(d, m, 0.25)\n"
    "        e = tl.fma(e, m, 0.25)\n"
    "        f = tl.fma(f, m, 0.25)\n"
    "        g = tl.fma(g, m, 0.25)\n"
    "        h = tl.fma(h, m, 0.25)\n"
    "    tl.store(y + i, a + b + c + d + e + f + g + h, mask=i < n)\n"
    "@triton.jit\n"
    "def product(x, y, z, K: tl.constexpr, N: tl.constexpr):\n"
    "    row = tl.program_id(0) // (N // 256) * 128 + tl.arange(0, 128)[:, None]\n"
    "    column = tl.program_id(0) % (N // 256) * 256 + tl.arange(0, 256)[None, :]\n"
    "    sums = tl.zeros([128, 256], dtype=tl.float32)\n"
    "    for k in range(0, K, 64):\n"
    "        a = tl.load(x + row * K + k + tl.arange(0, 64)[None, :])\n"
    "        b = tl.load(y + (k + tl.arange(0, 64)[:, None]) * N + column)\n"
    "        sums = tl.dot(a, b, sums)\n"
    "    tl.store(z + row * N + column, sums)\n";
enum { OPERATIONS_A_LANE = 8 * 32 * 2 };
enum { PRODUCT_SIZE = 4096, PRODUCT_ROWS = 128, PRODUCT_COLUMNS = 256 }; /* the tile's, see above */

typedef struct Peak {
    tern_context *context;
    tern_module *module;
    tern_buffer *from, *to;
    size_t most; /* elements */
    bool on_gpu;
} Peak;

typedef struct PeakRun {
    tern_kernel *kernel;
    uint32_t grid[3];
    tern_argument arguments[3];
} PeakRun;

static tern_status launch(void *user, tern_stream *stream) {
    PeakRun *run = user;
    return tern_launch(stream, run->kernel, run->grid, run->arguments, 3);
}

/* The least of the times of many launches: how far they lie apart is no reason for more of them. */
static tern_status time_run(Peak *peak, PeakRun *run, double *seconds) {
    tern_timing timing;
    tern_bench_options options = {
        .hot = true, .min_time_ms = 100, .max_time_ms = 2000, .max_noise = INFINITY};
    tern_status status = tern_bench(peak->context, launch, run, &options, &timing);
    if (status) return status;
    if (timing.min * 1e-3 < *seconds) *seconds = timing.min * 1e-3;
    tern_timing_free(&timing);
    return TERN_OK;
}

/* The least time of `function` over n floats, in seconds. */
static tern_status least_time(Peak *peak, const char *function, size_t n, double *seconds) {
    static const int blocks[] = {1024, 4096};
    *seconds = INFINITY;
    for (int i = 0; i < COUNT(blocks); i++) {
        char signature[64];
        snprintf(signature, sizeof signature, "*fp32:16,*fp32:16,i32:16,%d", blocks[i]);
        PeakRun run = {.kernel = tern_compile(peak->module, function, signature,
                                              &(tern_options){.num_warps = i ? 8 : 4})};
        if (!run.kernel) return tern_message_status(peak->context);
        run.grid[0] = (uint32_t)((n + (size_t)blocks[i] - 1) / (size_t)blocks[i]);
        run.grid[1] = run.grid[2] = 1;
        run.arguments[0] = tern_arg_buffer(peak->from),
        run.arguments[1] = tern_arg_buffer(peak->to);
        run.arguments[2] = tern_arg_int((int64_t)n);
        tern_status status = time_run(peak, &run, seconds);
        tern_kernel_free(run.kernel);
        if (status) return status;
    }
    return TERN_OK;
}

static size_t last_level_cache(bool on_gpu) {
    long size = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (on_gpu) return (size_t)128 << 20; /* no less than the L2 of any GPU so far (B200: 126 MB) */
    return size > 0 ? (size_t)size : (size_t)32 << 20;
}

static tern_status measure_memory(Peak *peak, tern_peaks *peaks) {
    MemoryRounds rounds = {0};
    double seconds, bytes = (double)(peak->most * 4);
    for (bool is_enough = false; !is_enough;) {
        tern_status status = least_time(peak, "copy", peak->most, &seconds);
        double copy = 2 * bytes / seconds;
        if (!status) status = least_time(peak, "read", peak->most, &seconds);
        if (status) return status;
        is_enough = memory_round(&rounds, copy, bytes / seconds);
    }
    peaks->copy = rounds.copy;
    peaks->read = rounds.read;
    peaks->is_doubtful = rounds.is_doubtful;
    return TERN_OK;
}

/* Of 1/2 to 1, of both signs: equal numbers cost less power, and run faster than any work does. */
static tern_status fill_randomly(tern_buffer *buffer, size_t count) {
    uint16_t *values = malloc(count * sizeof *values);
    uint64_t state = 1;
    if (!values) return TERN_ERROR_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
        values[i] = (uint16_t)((state >> 48 & 0x83ff) | 0x3800);
    }
    tern_status status = tern_write(buffer, 0, values, count * sizeof *values);
    free(values);
    return status;
}

/* 0: no GPU, or none with tensor cores and shared memory for such tiles. As many tiles as fill it
 * eight times, of one matrix, whose beginning is the other. */
static double measure_product(Peak *peak) {
    tern_gpu gpu;
    double seconds = INFINITY, operations = 0;
    if (tern_context_gpu(peak->context, &gpu)) return 0;
    size_t tiles = 8 * (size_t)gpu.multiprocessors,
           rows = tiles / (PRODUCT_SIZE / PRODUCT_COLUMNS) * PRODUCT_ROWS;
    if (rows < PRODUCT_SIZE) rows = PRODUCT_SIZE;
    if (rows * PRODUCT_SIZE > peak->most) return 0;
    char signature[64];
    snprintf(signature, sizeof signature, "*fp16:16,*fp16:16,*fp32:16,%d,%d", PRODUCT_SIZE,
             PRODUCT_SIZE);
    PeakRun run = {.kernel = tern_compile(peak->module, "product", signature,
                                          &(tern_options){.num_warps = 8, .num_stages = 3}),
                   .arguments = {tern_arg_buffer(peak->from), tern_arg_buffer(peak->from),
                                 tern_arg_buffer(peak->to)}};
    const char *ptx = run.kernel ? tern_kernel_text(run.kernel, TERN_STAGE_PTX) : NULL;
    run.grid[0] = (uint32_t)(rows / PRODUCT_ROWS * (PRODUCT_SIZE / PRODUCT_COLUMNS));
    run.grid[1] = run.grid[2] = 1;
    if (ptx && strstr(ptx, "mma") && !fill_randomly(peak->from, rows * PRODUCT_SIZE) &&
        !time_run(peak, &run, &seconds))
        operations = 2.0 * (double)rows * PRODUCT_SIZE * PRODUCT_SIZE;
    tern_kernel_free(run.kernel);
    return operations / seconds;
}

static tern_status measure_all(Peak *peak, tern_peaks *peaks) {
    static const size_t sets[] = {64 << 10, 512 << 10, 4 << 20, 16 << 20}; /* bytes of each array */
    double seconds;
    tern_status status = measure_memory(peak, peaks);
    for (int i = 0; i < COUNT(sets) && !status; i++) {
        status = least_time(peak, "copy", sets[i] / 4, &seconds);
        if (!status && 2 * (double)sets[i] / seconds > peaks->cached)
            peaks->cached = 2 * (double)sets[i] / seconds;
    }
    size_t lanes = peak->on_gpu ? (size_t)1 << 24 : (size_t)1 << 18;
    if (lanes > peak->most) lanes = peak->most;
    if (!status) status = least_time(peak, "fma", lanes, &seconds);
    if (!status) peaks->fma = (double)lanes * OPERATIONS_A_LANE / seconds;
    if (!status) peaks->tensor = measure_product(peak);
    if (peaks->cached < peaks->copy) peaks->cached = peaks->copy;
    return status;
}

/* As much memory as can be had, down to what the caches hold. */
static tern_status allocate(Peak *peak, size_t cache_bytes) {
    size_t bytes = peak->on_gpu ? (size_t)1 << 30 : 2 * cache_bytes;
    if (bytes < (size_t)64 << 20) bytes = (size_t)64 << 20;
    for (; bytes >= (size_t)16 << 20; bytes /= 2) {
        peak->from = tern_alloc(peak->context, bytes);
        peak->to = peak->from ? tern_alloc(peak->context, bytes) : NULL;
        peak->most = bytes / 4;
        if (peak->to) break;
        if (peak->from) tern_buffer_free(peak->from);
        peak->from = NULL;
    }
    if (!peak->to) return tern_message_status(peak->context);
    tern_status status = tern_fill(peak->from, 0);
    return status ? status : tern_fill(peak->to, 0);
}

static tern_status measure(tern_context *context, tern_peaks *peaks) {
    Peak peak = {.context = context,
                 .on_gpu = !tern_device_property(tern_device_name(context), TERN_DEVICE_ON_HOST)};
    *peaks = (tern_peaks){.cache_bytes = last_level_cache(peak.on_gpu)};
    peak.module = tern_load_text(context, source, sizeof source - 1, "<peak>");
    if (!peak.module) return tern_message_status(context);
    tern_status status = allocate(&peak, peaks->cache_bytes);
    if (!status) status = measure_all(&peak, peaks);
    if (peak.from) tern_buffer_free(peak.from);
    if (peak.to) tern_buffer_free(peak.to);
    tern_module_free(peak.module);
    return status;
}

/* ---- kept ---- */

static void host_key(char *key, size_t size) {
    char line[256], host[128] = "";
    FILE *file = fopen("/proc/cpuinfo", "r");
    gethostname(host, sizeof host - 1);
    snprintf(key, size, "%s", host);
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "model name", 10) != 0) continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(key, size, "%s, %s", host, line + strcspn(line, ":"));
        break;
    }
    if (file) fclose(file);
}

static bool kept_path(tern_context *context, char *path, size_t size, char *key, size_t key_size) {
    char host[384];
    host_key(host, sizeof host);
    snprintf(key, key_size, "tern %s peaks 3, %s, %s, %s", tern_version(),
             tern_device_name(context), tern_device_description(context), host);
    const char *folder = tern_cache_dir(context);
    int length = snprintf(path, size, "%s/peak-%016llx.txt", folder,
                          (unsigned long long)hash_bytes(key, strlen(key), 0));
    return *folder && length > 0 && (size_t)length < size;
}

static bool read_kept(const char *path, const char *key, tern_peaks *peaks) {
    char line[2048] = "";
    double copy = 0, read = 0, cached = 0, fma = 0, tensor = 0;
    size_t cache_bytes = 0;
    int doubtful = 0;
    FILE *file = fopen(path, "r");
    if (!file) return false;
    bool fine =
        fgets(line, sizeof line, file) && !strncmp(line, key, strlen(key)) &&
        line[strlen(key)] == '\n' &&
        fscanf(file,
               "copy %lf read %lf cached %lf fma %lf tensor %lf cache_bytes %zu doubtful %d end",
               &copy, &read, &cached, &fma, &tensor, &cache_bytes, &doubtful) == 7;
    fclose(file);
    if (!fine || !(copy > 0 && read > 0 && cached > 0 && fma > 0)) return false;
    *peaks = (tern_peaks){.copy = copy,
                          .read = read,
                          .cached = cached,
                          .fma = fma,
                          .tensor = tensor > 0 ? tensor : 0,
                          .cache_bytes = cache_bytes,
                          .was_cached = true,
                          .is_doubtful = doubtful != 0};
    return true;
}

/* Under another name first: a reader sees all of it or none. That it cannot be kept is no failure.
 */
static void keep(const char *path, const char *key, const tern_peaks *peaks) {
    char other[4200];
    snprintf(other, sizeof other, "%s.%ld", path, (long)getpid());
    FILE *file = fopen(other, "w");
    if (!file) return;
    fprintf(file,
            "%s\ncopy %.9g\nread %.9g\ncached %.9g\nfma %.9g\ntensor %.9g\ncache_bytes "
            "%zu\ndoubtful %d\nend\n",
            key, peaks->copy, peaks->read, peaks->cached, peaks->fma, peaks->tensor,
            peaks->cache_bytes, peaks->is_doubtful);
    if (fclose(file) || rename(other, path)) unlink(other);
}

tern_status tern_peak(tern_context *context, bool may_measure, bool refresh, tern_peaks *peaks) {
    char path[4096], key[2000];
    int saved = errno;
    *peaks = (tern_peaks){0};
    bool is_kept = kept_path(context, path, sizeof path, key, sizeof key);
    tern_status status = TERN_OK;
    if (refresh || !is_kept || !read_kept(path, key, peaks)) {
        status = may_measure ? measure(context, peaks) : TERN_ERROR_UNSUPPORTED;
        if (!status && is_kept) keep(path, key, peaks);
    }
    errno = saved;
    return status;
}
