// SPDX-License-Identifier: Apache-2.0
/* cpu: runs generated C on the host: compiles it (or takes it from the disk cache), loads it, and
 * spreads the programs of a launch over a pool of threads. */
#include "base/format.h"
#include "base/tiles.h"
#include "device/cpu/cpu.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif
#include <time.h>
#include <unistd.h>

typedef struct CpuState {
    CCompiler compiler;
    Cache cache;
    Pool *pool;
    Str no_compiler; /* why there is none; empty if there is */
    Arena *words;    /* of the last failure */
    char **scratch;  /* of each worker */
    size_t scratch_bytes;
    int64_t stream_bytes; /* launches that store more go past the caches */
    int64_t timeout_ns;   /* of a launch; 0: none */
} CpuState;

typedef struct LoadedCpu {
    void *object;
    KernelFunction *function;
    const char *const *asserts;
    const long long *facts; /* FACT_.. */
    Str name;
    const Source *source; /* of the kernel; NULL: not known */
    const CompiledKernel *kernel;
    double program_ns; /* of the last launch; 0: not known yet */
} LoadedCpu;

enum { FEW_PARAMS = 32, CHUNK_NS = 4000 /* that a thread takes at a time, if there are */ };

typedef struct Failure {
    int kind; /* KERNEL_..; 0: none */
    int detail;
    bool is_place_known; /* the kernel said it */
    LanePlace place;     /* of the lane that failed; of an access outside the program alone, */
    long long lane;      /* and its number in the tile */
    unsigned long long address;
} Failure;

/* One launch. */
typedef struct CpuLaunch {
    KernelTests tests; /* what each part begins with */
    Device *device;
    LoadedCpu *loaded;
    void **args;
    int grid[3];
    int stream;
    int64_t first; /* program of those that the pool shares */
    bool measures; /* how long the programs of this thread's first chunk take */
    /* The first program of the part that failed; programs before it are still run, so that it is
     * the same one each time. INT64_MAX: none did. */
    _Atomic int64_t failed;
    Failure failure;
    pthread_mutex_t failing; /* for these two */
    _Atomic int near;        /* of device->ranges: where an address was found last */
    _Atomic bool cut;        /* device->stop ended a part of it */
    bool is_late;            /* because of its time limit */
    pthread_mutex_t printing;
    char *output;
    size_t output_length, output_capacity;
} CpuLaunch;

/* Programs that follow each other, on one thread, up to the first that fails. */
typedef struct Part {
    KernelTests tests; /* first: kernels give back a pointer to it, or to its runtime */
    CpuLaunch *launch;
    int64_t lo;
    Failure failure;
} Part;

static tern_status says(Device *device, tern_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static tern_status says(Device *device, tern_status status, const char *format, ...) {
    CpuState *state = device->state;
    arena_free(state->words);
    state->words = arena_new(device->oom);
    va_list args;
    va_start(args, format);
    Buf buf = {.arena = state->words};
    buf_vprintf(&buf, format, args);
    va_end(args);
    device->why = buf_str(&buf);
    return status;
}

/* ---- open and close ---- */

#if defined(__x86_64__)
#define HAS(feature)   __builtin_cpu_supports(feature)
#define MADE_BY(maker) __builtin_cpu_is(maker)
#else
#define HAS(feature)   0
#define MADE_BY(maker) 0
#endif

enum {
#define CPU(kind, ...) CPU_##kind,
#include "base/cpus.def"
};

typedef struct Level {
    const char *target, *features; /* each feature is a flag of the compiler */
} Level;
static const Level levels[] = {
#define CPU(kind, name, features, gcc_alone, has) {"cpu:" name, features gcc_alone},
#include "base/cpus.def"
};

static int best_level(void) {
    const bool there[] = {
#define CPU(kind, name, features, gcc_alone, has) has,
#include "base/cpus.def"
    };
    int best = 0;
    for (int i = 1; i < COUNT(there) && (there[i] || i == CPU_AVX512BF16); i++)
        if (there[i]) best = i;
    return best;
}

const char *cpu_best_target(void) { return levels[best_level()].target; }

static int usable_cores(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}

/* A result that the next kernel reads is better left in a cache; beyond a quarter of the last one
 * little of it stays: on an EPYC (32 MiB) y = x + 1 and then z = y + 1 take as long both ways at
 * 8 MiB, a quarter longer at 4 MiB past the caches, and less at 12. Where that cache is shared by
 * many (300 MiB on a Xeon of 2 MiB a core) stores past the caches paid from 16 MiB on. */
int64_t cpu_stream_bytes(int64_t last_cache, int64_t own_cache) {
    int64_t of_last = (last_cache > 0 ? last_cache : 8 << 20) / 4,
            of_own = (own_cache > 0 ? own_cache : 2 << 20) * 8;
    return of_last < of_own ? of_last : of_own;
}

static tern_status cpu_open(Device *device, const char *argument,
                            const tern_open_options *options) {
    CpuState *state = device->state = arena_new_of(device->arena, CpuState);
    device->name = STR("cpu");
    int level = best_level();
    if (argument) { /* a lesser instruction set, for tests */
        static const char all[] = ""
#define CPU(kind, name, ...) ", cpu:" name
#include "base/cpus.def"
            ;
        while (level >= 0 && strcmp(argument, levels[level].target + 4) != 0) level--;
        if (level < 0) {
            device->why = str_format(device->arena, "this machine cannot run 'cpu:%s' (%s)",
                                     argument, all + 2);
            return TERN_ERROR_DEVICE;
        }
        device->name = str_of(levels[level].target);
    }
    device->target = levels[level].target;
    if (!compiler_find(device->arena, options->compiler, &state->compiler, &state->no_compiler)) {
        device->why = state->no_compiler;
        return TERN_ERROR_DEVICE;
    }
    cache_open(device->arena, &state->cache, options->cache_dir);
    int timeout_ms;
    if (!device_timeout(device, options->timeout_ms, &timeout_ms)) return TERN_ERROR_ARGUMENT;
    state->timeout_ns = (int64_t)timeout_ms * 1000000;
    int threads = options->num_threads > 0 ? options->num_threads : usable_cores();
    if (threads > 1024) threads = 1024;
    state->pool = pool_open(threads);
    if (!state->pool) {
        device->why = STR("out of host memory");
        return TERN_ERROR_NO_MEMORY;
    }
    state->scratch = arena_array(device->arena, char *, threads);
    if (state->pool) device->num_threads = pool_threads(state->pool);
    state->stream_bytes =
        cpu_stream_bytes(sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE));
    device->description =
        str_format(device->arena, "%d thread%s, %.*s, %s", pool_threads(state->pool),
                   pool_threads(state->pool) > 1 ? "s" : "", STR_ARG(state->compiler.name),
                   device->target + 4);
    return TERN_OK;
}

static void cpu_close(Device *device) {
    CpuState *state = device->state;
    if (!state) return;
    int threads = state->pool ? pool_threads(state->pool) : 0;
    pool_close(state->pool);
    for (int i = 0; i < threads; i++) free(state->scratch[i]);
    arena_free(state->words);
}

/* ---- memory ---- */

static tern_status cpu_alloc(Device *device, size_t size_bytes, void **pointer) {
    size_t need = size_bytes > SIZE_MAX - 512 ? 0 : (size_bytes + 511) / 256 * 256;
    *pointer = need ? aligned_alloc(256, need) : NULL;
    if (!*pointer)
        return says(device, TERN_ERROR_NO_MEMORY, "out of host memory: %zu bytes", size_bytes);
    return TERN_OK;
}

static void cpu_release(Device *device, void *pointer) {
    (void)device;
    free(pointer);
}

/* ---- load ---- */

/* -fno-tree-vectorize: the code is in vectors already, and where a vector is longer than a row,
 * what it stores beyond the row is replaced by the next row's store. gcc 12 takes such stores for a
 * group without overlap when it vectorizes the loop over rows, and changes their order. */
static const char common_flags[] =
    "-x c -std=gnu11 -O2 -w -shared -fPIC -nostartfiles -fvisibility=hidden -fwrapv "
    "-fno-strict-aliasing "
    "-fno-math-errno -fno-trapping-math -ffp-contract=fast -fno-stack-protector "
    "-fno-tree-vectorize";

/* What gcc leaves out of -O2, as the text has its vectors and is inlined already: a third of its
 * time, for 0 to 5 % of the speed of kernels. That is -O1 with the passes of -O2 that these
 * kernels gain from: products added in one instruction, without which a matmul takes 1.8 times as
 * long (expensive-optimizations); expressions known from before, in loops of arithmetic (gcse);
 * loops over lanes that are laid out by how they run (reorder-blocks, peephole2); chains of one
 * instruction after another taken in turns, which are further apart than a processor looks ahead
 * (schedule-insns2). Above the text
 * and not a flag, because clang keeps to -O2: at -O1 it does not unroll loops over lanes. Before
 * gcc 12 a vector's lanes are moved by another name, which takes their numbers as a vector. */
static const char gcc_options[] =
    "#ifndef __clang__\n"
    "#pragma GCC optimize(\"O1\", \"expensive-optimizations\", \"gcse\", \"peephole2\", "
    "\"caller-saves\", \"reorder-blocks-algorithm=stc\", \"ira-region=one\", \"no-tree-bit-ccp\", "
    "\"schedule-insns2\")\n"
    "#if __GNUC__ < 12\n"
    "#define t_lane(v) __builtin_choose_expr(sizeof((v)[0]) == 8, 0LL, \\\n"
    "    __builtin_choose_expr(sizeof((v)[0]) == 4, 0, \\\n"
    "    __builtin_choose_expr(sizeof((v)[0]) == 2, (short)0, (signed char)0)))\n"
    "#define __builtin_shufflevector(a, b, ...) __builtin_shuffle((a), \\\n"
    "    (__typeof__(t_lane(a)) __attribute__((vector_size(sizeof(a))))){__VA_ARGS__})\n"
    "#endif\n"
    "#endif\n";

/* What the text takes by macros of the compiler, where it has it: sdot. */
static const char *host_flags(const CCompiler *compiler) {
#if defined(__aarch64__)
    const unsigned long has_dotprod = 1ul << 20; /* HWCAP_ASIMDDP */
    bool says = strstr(compiler->options.data, "-march") || strstr(compiler->options.data, "-mcpu");
    if (!says && getauxval(AT_HWCAP) & has_dotprod) return " -march=armv8.2-a+dotprod";
#endif
    (void)compiler;
    return "";
}

/* "-O2 .. -mavx2 -mfma ..". */
static Str flags_for(Arena *arena, const CCompiler *compiler, const char *target) {
    Buf flags = {.arena = arena};
    buf_printf(&flags, "%s%s", common_flags, host_flags(compiler));
    for (int i = 0; i < COUNT(levels); i++)
        for (const char *at = levels[i].features; !strcmp(levels[i].target, target) && *at;) {
            int length = (int)strcspn(at, ",");
            buf_printf(&flags, " -m%.*s", length, at);
            at += length + (at[length] == ',');
        }
    return buf_str(&flags);
}

static bool open_object(LoadedCpu *loaded, Arena *words, Str path, Str *why) {
    loaded->object = dlopen(path.data, RTLD_NOW | RTLD_LOCAL);
    if (!loaded->object) {
        *why = str_format(words, "cannot load '%.*s': %s", STR_ARG(path), dlerror());
        return false;
    }
    void *symbol = dlsym(loaded->object, "tern_kernel");
    memcpy(&loaded->function, &symbol, sizeof symbol);
    loaded->asserts = dlsym(loaded->object, "tern_asserts");
    loaded->facts = dlsym(loaded->object, "tern_facts");
    if (loaded->function && loaded->facts) return true;
    *why = str_format(words, "'%.*s' is no kernel of this version", STR_ARG(path));
    dlclose(loaded->object);
    return false;
}

/* Loads the object before it goes into the cache, so that nothing that happens there matters. */
static bool make_below(Device *device, Str below, const char *flags, Str text, Str key,
                       LoadedCpu *loaded, Str *why) {
    CpuState *state = device->state;
    Arena *words = state->words;
    Workplace work;
    if (!workplace_open(words, below, &work, why)) return false;
    Str parts[MOST_PARTS], sources[MOST_PARTS],
        object = str_format(words, "%.*s/%.*s.so", STR_ARG(work.folder), STR_ARG(key));
    int count = parts_split(words, text, parts);
    bool good = true;
    for (int i = 0; i < count && good; i++) {
        sources[i] = str_format(words, "%.*s/%.*s.%d.c", STR_ARG(work.folder), STR_ARG(key), i);
        good = file_write(words, sources[i].data, parts[i].data, (size_t)parts[i].length, why);
    }
    good = good &&
           compiler_run(words, &state->compiler, flags, work.folder, sources, count, object.data,
                        why) &&
           open_object(loaded, words, object, why);
    if (good && below.data == state->cache.folder.data)
        cache_add(words, &state->cache, key, object);
    workplace_close(&work);
    return good;
}

/* In the cache's folder, or if that does not work (full, read-only, not executable) among the
 * temporary files. */
static bool make_object(Device *device, const char *flags, Str text, Str key, LoadedCpu *loaded,
                        Str *why) {
    Cache *cache = &((CpuState *)device->state)->cache;
    const char *temp = getenv("TMPDIR");
    if (cache->folder.length) {
        if (!cache->is_swept) cache_sweep(cache->folder);
        cache->is_swept = true;
        if (make_below(device, cache->folder, flags, text, key, loaded, why)) return true;
    }
    return make_below(device, str_of(temp && *temp == '/' ? temp : "/tmp"), flags, text, key,
                      loaded, why);
}

static bool scratch_reserve(CpuState *state, size_t bytes) {
    if (bytes <= state->scratch_bytes) return true;
    bytes = (bytes + 4095) / 4096 * 4096;
    for (int i = 0; i < pool_threads(state->pool); i++) {
        char *bigger = aligned_alloc(4096, bytes);
        if (!bigger) return false;
        free(state->scratch[i]);
        state->scratch[i] = bigger;
    }
    state->scratch_bytes = bytes;
    return true;
}

static tern_status cpu_load(Device *device, const CompiledKernel *kernel, void **out) {
    CpuState *state = device->state;
    int saved = errno;
    arena_free(state->words);
    state->words = arena_new(device->oom);
    Str flags = flags_for(state->words, &state->compiler, kernel->target), path, why = {0},
        text = str_format(state->words, "%s%.*s", gcc_options, STR_ARG(kernel->text)),
        key = cache_key(state->words, &state->compiler, flags, text);
    LoadedCpu loaded = {0};
    path = cache_find(state->words, &state->cache, key);
    bool good = (path.length && open_object(&loaded, state->words, path, &why)) ||
                make_object(device, flags.data, text, key, &loaded, &why);
    errno = saved;
    if (!good) {
        device->why = why;
        return TERN_ERROR_DEVICE;
    }
    LoadedCpu *kept = scratch_reserve(state, kernel->facts.scratch_bytes + 64)
                          ? malloc(sizeof *kept + (size_t)kernel->name.length)
                          : NULL;
    if (!kept) {
        dlclose(loaded.object);
        return says(device, TERN_ERROR_NO_MEMORY,
                    "out of host memory: %zu bytes of scratch a thread",
                    kernel->facts.scratch_bytes);
    }
    *kept = loaded;
    memcpy(kept + 1, kernel->name.data, (size_t)kernel->name.length);
    kept->name = (Str){(char *)(kept + 1), kernel->name.length};
    kept->source = kernel->place.source;
    kept->kernel = kernel;
    *out = kept;
    return TERN_OK;
}

static void cpu_unload(Device *device, void *loaded) {
    (void)device;
    if (!loaded) return;
    dlclose(((LoadedCpu *)loaded)->object);
    free(loaded);
}

/* ---- launch ---- */

static int kernel_fail(KernelRuntime *runtime, int kind, int detail) {
    Failure *failure = &((Part *)runtime)->failure;
    if (failure->kind) return 1; /* the first wins */
    failure->kind = kind, failure->detail = detail;
    return 1;
}

static int kernel_fail_assert(KernelRuntime *runtime, int which, const int *program, int rank,
                              const int *index) {
    Failure *failure = &((Part *)runtime)->failure;
    if (failure->kind) return 1;
    failure->kind = KERNEL_ASSERT, failure->detail = which;
    LanePlace *place = &failure->place;
    failure->is_place_known = true;
    memcpy(place->program, program, sizeof place->program);
    place->rank = rank < MAX_LANE_RANK ? rank : MAX_LANE_RANK;
    if (place->rank) memcpy(place->index, index, (size_t)place->rank * sizeof *index);
    return 1;
}

static int kernel_outside(KernelTests *tests, int which, const int *program, long long lane,
                          unsigned long long address) {
    Failure *failure = &((Part *)tests)->failure;
    if (failure->kind) return 1;
    failure->kind = KERNEL_OUTSIDE, failure->detail = which;
    failure->lane = lane, failure->address = address;
    memcpy(failure->place.program, program, sizeof failure->place.program);
    return 1;
}

static long long kernel_room(KernelTests *tests, unsigned long long address, int size_bytes) {
    CpuLaunch *launch = ((Part *)tests)->launch;
    return outside_room(launch->device, &launch->near, address, size_bytes);
}

static int kernel_yield(KernelRuntime *runtime) {
    const Part *part = (const Part *)runtime;
    return part->failure.kind != 0 || part->launch->device->stop;
}

static long long kernel_clock(KernelRuntime *runtime) {
    (void)runtime;
    return clock_ns();
}

static void put_text(CpuLaunch *launch, const char *text, size_t length) {
    if (launch->output_capacity - launch->output_length < length) {
        size_t capacity = (launch->output_capacity + length) * 2;
        char *grown = realloc(launch->output, capacity);
        if (!grown) return; /* what a kernel says is lost rather than the launch */
        launch->output = grown, launch->output_capacity = capacity;
    }
    memcpy(launch->output + launch->output_length, text, length);
    launch->output_length += length;
}

static void put(CpuLaunch *launch, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(CpuLaunch *launch, const char *format, ...) {
    char text[400]; /* of one place or value; the longest is the largest double in digits */
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put_text(launch, text, (size_t)length);
}

static int digits(int number) {
    int count = 1;
    while (number >= 10) number /= 10, count++;
    return count;
}

/* The form of a line is Triton's, as interp_print writes it. */
static void kernel_print(KernelRuntime *runtime, const int *program, const char *prefix, int rank,
                         const int *index, int what, int size_bytes, unsigned long long bits) {
    CpuLaunch *launch = ((Part *)runtime)->launch;
    pthread_mutex_lock(&launch->printing);
    put(launch, "pid (%d, %d, %d)", program[0], program[1], program[2]);
    if (size_bytes) {
        put(launch, " idx (");
        for (int i = 0; i < rank; i++)
            put(launch, "%s%*d", i ? ", " : "", digits(index[rank + i] - 1), index[i]);
        put(launch, ")");
    }
    put_text(launch, prefix, strlen(prefix));
    if (size_bytes) {
        ScalarKind kind = what & PRINT_KIND;
        bool pointer = kind >= NUM_SCALAR_KINDS;
        int operand = what / PRINT_OPERAND;
        if (operand) put(launch, "(operand %d) ", operand - 1);
        if (pointer || what & PRINT_HEX)
            put(launch, "0x%0*llx", size_bytes * 2, bits);
        else if (scalar_is_float(kind))
            put(launch, "%f", scalar_to_double(kind, bits));
        else if (what & PRINT_UNSIGNED || kind == SCALAR_I1)
            put(launch, "%llu", bits);
        else
            put(launch, "%lld", (long long)scalar_to_int(kind, bits));
    }
    put(launch, "\n");
    pthread_mutex_unlock(&launch->printing);
}

static void kernel_print_format(KernelRuntime *runtime, const char *format,
                                const unsigned long long *values) {
    CpuLaunch *launch = ((Part *)runtime)->launch;
    char text[CONVERSION_ROOM];
    Str rest = str_of(format);
    pthread_mutex_lock(&launch->printing);
    for (FormatPiece piece; format_next(&rest, &piece);) {
        if (piece.converts)
            piece.text = (Str){text, conversion_text(text, &piece.conversion, *values++)};
        put_text(launch, piece.text.data, (size_t)piece.text.length);
    }
    pthread_mutex_unlock(&launch->printing);
}

static void part_begin(Part *part, CpuLaunch *launch, int64_t lo) {
    part->tests = launch->tests, part->launch = launch, part->lo = lo;
    part->failure.kind = 0, part->failure.is_place_known = false;
}

static void part_end(const Part *part) {
    CpuLaunch *launch = part->launch;
    if (!part->failure.kind) return;
    pthread_mutex_lock(&launch->failing);
    if (part->lo < launch->failed) launch->failure = part->failure, launch->failed = part->lo;
    pthread_mutex_unlock(&launch->failing);
}

static void run_programs(CpuLaunch *launch, int worker, int64_t lo, int64_t hi) {
    CpuState *state = launch->device->state;
    if (lo > atomic_load_explicit(&launch->failed, memory_order_relaxed)) return;
    Part part;
    part_begin(&part, launch, lo);
    if (launch->device->stop ||
        launch->loaded->function(launch->args, launch->grid, lo, hi, state->scratch[worker],
                                 &part.tests.runtime, launch->stream))
        atomic_store(&launch->cut, true);
    part_end(&part);
}

static void run_chunk(void *user, int worker, int64_t lo, int64_t hi) {
    CpuLaunch *launch = user;
    bool measures = worker == 0 && launch->measures;
    long long start = measures ? clock_ns() : 0;
    run_programs(launch, worker, launch->first + lo, launch->first + hi);
    if (!measures) return;
    launch->measures = false;
    launch->loaded->program_ns = (double)(clock_ns() - start) / (double)(hi - lo) + 0.001;
}

/* A short launch, or one of which nothing is known: programs on this thread, as long as the others
 * would cost more than they do. Gives how many; a kernel's programs may take longer now than when
 * they were measured. */
static int64_t run_alone(CpuLaunch *launch, int64_t count, long long limit_ns) {
    double *program_ns = &launch->loaded->program_ns;
    if (*program_ns * (double)count >= (double)limit_ns) return 0;
    int64_t done = 0, chunk = *program_ns > 0 && count >= 8 ? count / 8 : 1;
    long long start = clock_ns(), taken = 0;
    for (; done < count && taken < limit_ns; chunk *= 2) {
        int64_t end = count - done < chunk ? count : done + chunk;
        run_programs(launch, 0, done, end);
        done = end, taken = clock_ns() - start;
    }
    *program_ns = (double)taken / (double)done + 0.001;
    return done;
}

/* The words of device_assert at "LINE:COLUMN:TEXT" of the kernel's file, or without a place. */
static tern_status assert_result(CpuLaunch *launch) {
    Device *device = launch->device;
    CpuState *state = device->state;
    const char *text = launch->loaded->asserts[launch->failure.detail];
    char *end;
    long line = strtol(text, &end, 10), column = *end == ':' ? strtol(end + 1, &end, 10) : 0;
    Span span = place_span(launch->loaded->source, line, column);
    if (!launch->failure.is_place_known || !span.source || *end != ':')
        return says(device, TERN_ERROR_KERNEL, "kernel '%.*s': device_assert failed: %s",
                    STR_ARG(launch->loaded->name), text);
    says(device, TERN_ERROR_KERNEL, "%s", "");
    Str said = str_format(state->words, "assertion failed: %s", end + 1);
    device->why =
        place_words(state->words, span, said.data, &launch->failure.place, launch->grid, STR(""));
    return TERN_ERROR_KERNEL;
}

static tern_status outside_result(CpuLaunch *launch) {
    Device *device = launch->device;
    says(device, TERN_ERROR_KERNEL, "%s", "");
    const OutsideAccess access = {.device = device,
                                  .kernel = launch->loaded->kernel,
                                  .args = launch->args,
                                  .text = launch->loaded->asserts[launch->failure.detail],
                                  .program = launch->failure.place.program,
                                  .grid = launch->grid,
                                  .lane = launch->failure.lane,
                                  .address = launch->failure.address};
    device->why = outside_words(((CpuState *)device->state)->words, &access);
    return TERN_ERROR_KERNEL;
}

static tern_status launch_result(CpuLaunch *launch) {
    Device *device = launch->device;
    Str name = launch->loaded->name;
    switch (launch->failure.kind) {
    case 0:
        if (!atomic_load(&launch->cut)) return TERN_OK;
        return says(device, TERN_ERROR_KERNEL, "kernel '%.*s': the launch %s%s%s", STR_ARG(name),
                    launch->is_late ? "takes longer than its time limit" : "",
                    launch->is_late && device->stop ? " and " : "",
                    device->stop || !launch->is_late ? "was interrupted" : "");
    case KERNEL_ASSERT: return assert_result(launch);
    case KERNEL_OUTSIDE: return outside_result(launch);
    case KERNEL_WRAPS:
        return says(device, TERN_ERROR_KERNEL,
                    "kernel '%.*s', line %d: a 32-bit offset wraps round inside one tile: use "
                    "64-bit offsets",
                    STR_ARG(name), launch->failure.detail);
    case KERNEL_STEP:
        return says(device, TERN_ERROR_KERNEL, "kernel '%.*s', line %d: the step of a range is 0",
                    STR_ARG(name), launch->failure.detail);
    case KERNEL_ALIGNED:
        return says(device, TERN_ERROR_KERNEL,
                    "kernel '%.*s', line %d: the base of a tensor descriptor and its strides but "
                    "for the last must be multiples of 16 bytes",
                    STR_ARG(name), launch->failure.detail);
    case KERNEL_DEADLOCK:
        return says(device, TERN_ERROR_KERNEL,
                    "kernel '%.*s': deadlock: all programs that have begun wait in loops and "
                    "nothing changes",
                    STR_ARG(name));
    default: return says(device, TERN_ERROR_KERNEL, "kernel '%.*s' failed", STR_ARG(name));
    }
}

static tern_status run_on_fibers(CpuLaunch *launch, int64_t count) {
    Part part;
    part_begin(&part, launch, 0);
    FiberRun run = {.device = launch->device,
                    .function = launch->loaded->function,
                    .args = launch->args,
                    .scratch_bytes = (size_t)launch->loaded->facts[FACT_SCRATCH_BYTES] + 64,
                    .tests = &part.tests};
    memcpy(run.grid, launch->grid, sizeof run.grid);
    if (!fibers_run(&run, count)) {
        if (run.no_memory)
            return says(launch->device, TERN_ERROR_NO_MEMORY,
                        "out of host memory: stacks of waiting programs");
        if (run.deadlock) kernel_fail(&part.tests.runtime, KERNEL_DEADLOCK, 0);
    }
    part_end(&part);
    if (run.cut) atomic_store(&launch->cut, true);
    return TERN_OK;
}

/* ---- a time limit: a thread that waits for the end, or for the limit, beside the launch ---- */

typedef struct Watchdog {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t ended;
    bool is_running, has_ended;
    struct timespec limit;
    CpuLaunch *launch;
} Watchdog;

static void *watchdog_main(void *user) {
    Watchdog *dog = user;
    pthread_mutex_lock(&dog->mutex);
    while (!dog->has_ended && !dog->launch->is_late)
        if (pthread_cond_timedwait(&dog->ended, &dog->mutex, &dog->limit) == ETIMEDOUT)
            dog->launch->is_late = true;
    if (dog->launch->is_late) atomic_fetch_or(&dog->launch->device->stop, STOP_LATE);
    pthread_mutex_unlock(&dog->mutex);
    return NULL;
}

static void watchdog_start(Watchdog *dog, CpuLaunch *launch, int64_t timeout_ns) {
    pthread_condattr_t attributes;
    *dog = (Watchdog){.launch = launch, .mutex = PTHREAD_MUTEX_INITIALIZER};
    if (!timeout_ns) return;
    int64_t limit = kernel_clock(NULL) + timeout_ns;
    dog->limit = (struct timespec){limit / 1000000000, limit % 1000000000};
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&dog->ended, &attributes);
    pthread_condattr_destroy(&attributes);
    dog->is_running = pthread_create(&dog->thread, NULL, watchdog_main, dog) == 0;
}

static void watchdog_end(Watchdog *dog) {
    if (!dog->is_running) return;
    pthread_mutex_lock(&dog->mutex);
    dog->has_ended = true;
    pthread_cond_signal(&dog->ended);
    pthread_mutex_unlock(&dog->mutex);
    pthread_join(dog->thread, NULL);
    atomic_fetch_and(&dog->launch->device->stop, ~STOP_LATE); /* others may have asked, too */
    pthread_cond_destroy(&dog->ended);
}

static tern_status cpu_launch(Device *device, void *queue, void *loaded_, const uint32_t grid[3],
                              void **args) {
    (void)queue;
    CpuState *state = device->state;
    LoadedCpu *loaded = loaded_;
    CpuLaunch launch = {.tests = {.room = kernel_room,
                                  .outside = kernel_outside,
                                  .runtime = {.fail = kernel_fail,
                                              .fail_assert = kernel_fail_assert,
                                              .yield = kernel_yield,
                                              .print = kernel_print,
                                              .print_format = kernel_print_format,
                                              .clock = kernel_clock,
                                              .stop = (const volatile int *)&device->stop}},
                        .device = device,
                        .loaded = loaded,
                        .args = args,
                        .failed = INT64_MAX,
                        .failing = PTHREAD_MUTEX_INITIALIZER,
                        .printing = PTHREAD_MUTEX_INITIALIZER};
    for (int i = 0; i < 3; i++) launch.grid[i] = (int)grid[i];
    KernelRange few[FEW_PARAMS];
    if (device->bounds) {
        launch.tests.ranges = outside_ranges(device, loaded->kernel, args, few, FEW_PARAMS);
        if (!launch.tests.ranges) return says(device, TERN_ERROR_NO_MEMORY, "out of host memory");
    }
    int64_t count = (int64_t)grid[0] * grid[1] * grid[2]; /* the API's limits: below 2^63 */
    launch.stream =
        (double)loaded->facts[FACT_STORED_BYTES] * (double)count >= (double)state->stream_bytes;
    tern_status status = TERN_OK;
    Watchdog dog;
    watchdog_start(&dog, &launch, state->timeout_ns);
    if (loaded->facts[FACT_MAY_SPIN])
        status = run_on_fibers(&launch, count);
    else {
        /* Their handing over costs about half a microsecond a thread. */
        int threads = pool_threads(state->pool);
        if (threads > 1) launch.first = run_alone(&launch, count, 1000 + 500 * threads);
        launch.measures = threads > 1 && launch.first == 0;
        double least = loaded->program_ns > 0 ? CHUNK_NS / loaded->program_ns : 1;
        pool_run(state->pool, count - launch.first, (int64_t)(least < 1e9 ? least : 1e9), run_chunk,
                 &launch);
    }
    watchdog_end(&dog);
    if (!status) status = launch_result(&launch);
    if (launch.output_length && device->print)
        device->print(device->print_user, launch.output, launch.output_length);
    free(launch.output);
    if (device->bounds && launch.tests.ranges != few) free((void *)launch.tests.ranges);
    return status;
}

const DeviceOps device_cpu = {
    .name = "cpu",
    .how = "install a C compiler: cc, gcc or clang on PATH, or name one by TERN_CC",
    .on_host = true,
    .is_fast = true,
    .open = cpu_open,
    .close = cpu_close,
    .alloc = cpu_alloc,
    .release = cpu_release,
    .memory = host_memory,
    .write = host_copy,
    .read = host_copy,
    .fill = host_fill,
    .load = cpu_load,
    .unload = cpu_unload,
    .launch = cpu_launch,
    .synchronize = host_synchronize,
};
