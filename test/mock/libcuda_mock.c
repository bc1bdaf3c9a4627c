// SPDX-License-Identifier: Apache-2.0
/* libcuda_mock: see mock.h. State is global, as the real driver's is. */
#include "mock/mock.h"
#include "device/cuda/driver.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

typedef enum Kind { CONTEXT, BLOCK, STREAM, EVENT, MODULE, FUNCTION, GRAPH, EXEC, HOST } Kind;

typedef struct Launch {
    struct Thing *function;
    MockRecord record;
    struct Launch *next;
} Launch;

static const char *const kind_names[] = {
    [CONTEXT] = "context", [BLOCK] = "block", [STREAM] = "stream", [EVENT] = "event",
    [MODULE] = "module",   [GRAPH] = "graph", [EXEC] = "exec",     [HOST] = "page",
};

typedef struct Thing {
    Kind kind;
    int number; /* of its kind, from 1 */
    struct Thing *next, *context;
    int device, references; /* context */
    unsigned char *memory;  /* block */
    size_t bytes;
    char *text; /* module, function (borrowed from its module) */
    char name[128];
    struct Thing *module;
    int num_params, param_sizes[MOCK_RECORD_PARAMS], max_dynamic;
    struct Thing *capture; /* stream: the graph that is being recorded */
    Launch *launches;      /* graph, exec */
    bool is_apart;         /* stream: non-blocking */
    double ready_ms;       /* stream that is apart: when its work is done */
    double time_ms;        /* event: when its turn comes; behind a gate: after the opening */
    bool is_gated;         /* event */
} Thing;

enum { MOST_DEFERRED = 16, MHZ = 1980 };
static const double LAUNCH_MS = 0.002;

typedef struct Deferred { /* a reading of the clock behind a gate */
    uint64_t *out;
    double after_ms;
} Deferred;

static struct {
    Thing *things;
    int devices, major, minor, version, calls, fail_in, fail_result;
    size_t memory, memory_used;
    const char *failed;
    CudaResult sticky, pending;
    int hangs, recording;
    CudaCaptureMode capture_mode; /* at first nothing is let through that might wait */
    double ready_ms;              /* of the common queue */
    const uint32_t *gate;         /* NULL: open */
    uint32_t gate_value;
    double gated_ms; /* work behind the gate */
    Deferred deferred[MOST_DEFERRED];
    int num_deferred;
    int made[HOST + 1]; /* by kind */
    void (*told)(const char *symbol, bool begins);
    char trace[16384];
    size_t trace_length;
} mock = {.devices = 1, .major = 9, .version = 13000, .memory = (size_t)1 << 30};

static _Thread_local Thing *current;

_Noreturn static void misuse(const char *what) {
    fprintf(stderr, "mock driver: %s\n", what);
    abort();
}

/* ---- things ---- */

static Thing *thing_new(Kind kind) {
    Thing *thing = calloc(1, sizeof *thing);
    if (!thing) misuse("out of memory");
    thing->kind = kind;
    thing->number = ++mock.made[kind];
    thing->context = current;
    thing->next = mock.things;
    mock.things = thing;
    return thing;
}

static Thing *check(const void *handle, Kind kind) {
    for (Thing *thing = mock.things; thing; thing = thing->next)
        if (thing == handle) {
            if (thing->kind != kind) misuse("a handle of another kind");
            if (kind != CONTEXT && thing->context != current) misuse("a handle of another context");
            return thing;
        }
    misuse("a handle that is not alive");
}

static void free_launches(Launch *launch) {
    while (launch) {
        Launch *next = launch->next;
        free(launch);
        launch = next;
    }
}

static void thing_free(Thing *thing) {
    Thing **at = &mock.things;
    while (*at != thing) at = &(*at)->next;
    *at = thing->next;
    if (thing->kind == BLOCK) mock.memory_used -= thing->bytes;
    if (thing->kind != FUNCTION) free(thing->text);
    if (thing->kind == STREAM && thing->capture) thing_free(thing->capture), mock.recording--;
    if (thing->kind == GRAPH || thing->kind == EXEC) free_launches(thing->launches);
    free(thing->memory);
    free(thing);
}

static Thing *block_at(CudaPointer pointer, size_t bytes) {
    for (Thing *thing = mock.things; thing; thing = thing->next) {
        if (thing->kind != BLOCK) continue;
        CudaPointer start = (CudaPointer)(uintptr_t)thing->memory;
        if (pointer >= start && bytes <= thing->bytes && pointer - start <= thing->bytes - bytes)
            return thing;
    }
    return NULL;
}

/* ---- the trace ---- */

/* A call and what it was given; the same call again and again, as in a poll, is one. */
__attribute__((format(printf, 1, 2))) static void note(const char *format, ...) {
    char call[512];
    va_list args;
    va_start(args, format);
    size_t length = (size_t)vsnprintf(call, sizeof call, format, args);
    va_end(args);
    char *end = mock.trace + mock.trace_length;
    bool again = mock.trace_length >= length && !memcmp(end - length, call, length) &&
                 (mock.trace_length == length || end[-(long)length - 1] == '\n');
    if (again || mock.trace_length + length + 2 > sizeof mock.trace) return;
    if (mock.trace_length) *end++ = '\n';
    memcpy(end, call, length + 1);
    mock.trace_length = (size_t)(end - mock.trace) + length;
}

typedef struct Name {
    char text[160];
} Name;

static Name name_of(const void *handle) {
    Name name = {"none"};
    for (const Thing *thing = mock.things; thing; thing = thing->next) {
        if (thing != handle) continue;
        if (thing->kind == FUNCTION)
            snprintf(name.text, sizeof name.text, "%s", thing->name);
        else
            snprintf(name.text, sizeof name.text, "%s%d", kind_names[thing->kind], thing->number);
    }
    return name;
}

/* Of memory: the block or page that it is in. */
static Name place_of(CudaPointer pointer) {
    Name name = {"nowhere"};
    for (const Thing *thing = mock.things; thing; thing = thing->next) {
        uintptr_t start = (uintptr_t)thing->memory;
        size_t bytes = thing->kind == HOST ? 4096 : thing->bytes;
        if (!thing->memory || pointer < start || pointer - start >= bytes) continue;
        snprintf(name.text, sizeof name.text, "%s%d+%d", kind_names[thing->kind], thing->number,
                 (int)(pointer - start));
    }
    return name;
}

/* ---- time ---- */

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void read_clock(uint64_t *out, double time_ms) {
    out[0] = (uint64_t)(time_ms * 1e6);
    out[1] = (uint64_t)(time_ms * 1e3 * MHZ);
    out[2] = 0;
}

/* True: the gate is shut. One that was opened lets what is behind it start now. */
static bool is_shut(void) {
    if (!mock.gate) return false;
    if ((int32_t)(__atomic_load_n(mock.gate, __ATOMIC_ACQUIRE) - mock.gate_value) < 0) return true;
    double opened = now_ms();
    mock.gate = NULL;
    if (opened < mock.ready_ms) opened = mock.ready_ms;
    for (Thing *thing = mock.things; thing; thing = thing->next)
        if (thing->kind == EVENT && thing->is_gated)
            thing->is_gated = false, thing->time_ms += opened;
    for (int i = 0; i < mock.num_deferred; i++)
        read_clock(mock.deferred[i].out, opened + mock.deferred[i].after_ms);
    mock.num_deferred = 0;
    mock.ready_ms = opened + mock.gated_ms;
    return false;
}

static double ready(const Thing *stream) {
    double done = stream && stream->is_apart ? stream->ready_ms : mock.ready_ms, now = now_ms();
    return done > now ? done : now;
}

static bool is_behind_gate(const Thing *stream) {
    return !(stream && stream->is_apart) && is_shut();
}

static void take_time(Thing *stream, double ms) {
    if (is_behind_gate(stream))
        mock.gated_ms += ms;
    else if (stream && stream->is_apart)
        stream->ready_ms = ready(stream) + ms;
    else
        mock.ready_ms = ready(NULL) + ms;
}

static void sleep_until(double time_ms) {
    for (double left; (left = time_ms - now_ms()) > 0;) {
        if (left < 0.2) continue; /* sleeping would end too late */
        double part = left - 0.1;
        struct timespec t = {(time_t)(part / 1e3),
                             (long)((part - 1e3 * (double)(time_t)(part / 1e3)) * 1e6)};
        nanosleep(&t, NULL);
    }
}

static void wait_for_gate(void) {
    double limit = now_ms() + 20e3;
    while (is_shut()) {
        if (now_ms() > limit) misuse("a wait behind a gate that nobody opens");
        nanosleep(&(struct timespec){0, 20000}, NULL);
    }
}

static void wait_stream(const Thing *stream) {
    if (!(stream && stream->is_apart)) wait_for_gate();
    sleep_until(ready(stream));
}

static void wait_everything(void) {
    wait_stream(NULL);
    for (Thing *thing = mock.things; thing; thing = thing->next)
        if (thing->kind == STREAM && thing->is_apart && thing->context == current)
            sleep_until(thing->ready_ms);
}

static CudaResult waited(void) {
    if (mock.hangs) misuse("a wait for a kernel that hangs");
    if (mock.pending != CUDA_OK) mock.sticky = mock.pending;
    return mock.sticky;
}

static CudaResult queried(void) { return mock.hangs ? CUDA_NOT_READY : waited(); }

/* ---- the exported symbols: count, fail where told, else do ---- */

#define CUDA_CALL(name, symbol, parameters, arguments) static CudaResult mock_##name parameters;
#include "device/cuda/cuda.def"
#undef CUDA_CALL

static bool ends_something(const char *symbol) {
    return strstr(symbol, "Free") || strstr(symbol, "Destroy") || strstr(symbol, "Unload") ||
           strstr(symbol, "Release");
}

static bool needs_context(const char *symbol) {
    return strncmp(symbol, "cuDevice", 8) != 0 && strncmp(symbol, "cuGetError", 10) != 0 &&
           strncmp(symbol, "cuCtxGet", 8) != 0 && strncmp(symbol, "cuCtxSet", 8) != 0 &&
           strcmp(symbol, "cuInit") != 0 && strcmp(symbol, "cuDriverGetVersion") != 0;
}

static bool is_words(const char *symbol) { return strncmp(symbol, "cuGetError", 10) == 0; }

/* What the call returns without being made; CUDA_OK: it is made. */
static CudaResult step(const char *symbol) {
    mock.calls++;
    if (mock.fail_in > 0 && --mock.fail_in == 0) {
        mock.failed = symbol;
        if (cuda_result_is_sticky((CudaResult)mock.fail_result) && !is_words(symbol))
            mock.sticky = (CudaResult)mock.fail_result;
        return (CudaResult)mock.fail_result;
    }
    if (needs_context(symbol)) {
        if (!current && !ends_something(symbol)) return CUDA_INVALID_CONTEXT;
        return mock.sticky;
    }
    return CUDA_OK;
}

#define CUDA_CALL(name, symbol, parameters, arguments)                                             \
    EXPORT CudaResult symbol parameters;                                                           \
    EXPORT CudaResult symbol parameters {                                                          \
        if (mock.told) mock.told(#symbol, true);                                                   \
        CudaResult forced = step(#symbol), made = forced;                                          \
        if (forced == CUDA_OK) made = mock_##name arguments;                                       \
        if (forced && ends_something(#symbol))                                                     \
            mock_##name arguments; /* as a late error of a kernel does */                          \
        if (mock.told) mock.told(#symbol, false);                                                  \
        return made;                                                                               \
    }
#include "device/cuda/cuda.def"
#undef CUDA_CALL

/* ---- driver, devices, contexts ---- */

/* As the driver's, its state is of no use to a fork of the process that it began in, and outlives a
 * dlclose. */
static CudaResult mock_init(unsigned flags) {
    static pid_t began;
    Dl_info self;
    note("init %u", flags);
    if (!began && dladdr(&began, &self)) dlopen(self.dli_fname, RTLD_NOW | RTLD_NODELETE);
    if (!began) began = getpid();
    if (began != getpid()) return CUDA_NOT_INITIALIZED;
    return flags ? CUDA_INVALID_VALUE : CUDA_OK;
}

static CudaResult mock_driver_version(int *version) {
    note("version");
    *version = mock.version;
    return CUDA_OK;
}

static const struct {
    CudaResult result;
    const char *name, *words;
} result_words[] = {
    {CUDA_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {CUDA_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {CUDA_UNSUPPORTED_PTX_VERSION, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain."},
    {CUDA_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {CUDA_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

static CudaResult result_text(CudaResult result, const char **name, const char **words) {
    for (size_t i = 0; i < sizeof result_words / sizeof *result_words; i++) {
        if (result_words[i].result != result) continue;
        if (name) *name = result_words[i].name;
        if (words) *words = result_words[i].words;
        return CUDA_OK;
    }
    return CUDA_INVALID_VALUE;
}

static CudaResult mock_error_name(CudaResult result, const char **words) {
    return result_text(result, words, NULL);
}

static CudaResult mock_error_words(CudaResult result, const char **words) {
    return result_text(result, NULL, words);
}

static CudaResult mock_device_count(int *count) {
    const char *wanted = getenv("TERN_MOCK_DEVICES"); /* of a command, which nothing steers */
    note("count");
    if (wanted) mock.devices = (int)strtol(wanted, NULL, 10);
    *count = mock.devices;
    return CUDA_OK;
}

static CudaResult mock_device_get(CudaDeviceId *device, int ordinal) {
    note("get %d", ordinal);
    if (ordinal < 0 || ordinal >= mock.devices) return CUDA_INVALID_DEVICE;
    *device = 100 + ordinal; /* a device is not its ordinal */
    return CUDA_OK;
}

static CudaResult mock_device_name(char *name, int size, CudaDeviceId device) {
    note("name %d, %d", size, device);
    snprintf(name, (size_t)size, "Mock GPU %d", getenv("TERN_MOCK_DEVICES") ? 0 : device - 100);
    return CUDA_OK;
}

static CudaResult mock_device_memory(size_t *bytes, CudaDeviceId device) {
    note("memory of %d", device);
    (void)device;
    *bytes = mock.memory;
    return CUDA_OK;
}

static CudaResult mock_device_attribute(int *value, CudaDeviceAttribute attribute,
                                        CudaDeviceId device) {
    note("attribute %d of %d", (int)attribute, device);
    (void)device;
    *value = 0;
    switch (attribute) {
    case CUDA_CAPABILITY_MAJOR: *value = mock.major; break;
    case CUDA_CAPABILITY_MINOR: *value = mock.minor; break;
    case CUDA_MULTIPROCESSORS: *value = 132; break;
    case CUDA_SHARED_PER_BLOCK_OPTIN: *value = 232448; break;
    case CUDA_THREADS_PER_MULTIPROCESSOR: *value = 2048; break;
    case CUDA_REGISTERS_PER_BLOCK: *value = 65536; break;
    case CUDA_MAX_THREADS_PER_BLOCK: *value = 1024; break;
    case CUDA_CLOCK_RATE_KHZ: *value = MHZ * 1000; break;
    case CUDA_MEMORY_CLOCK_KHZ:
    case CUDA_MEMORY_BUS_BITS:
    case CUDA_L2_BYTES: break;
    }
    return CUDA_OK;
}

static CudaResult mock_device_bus(char *words, int size, CudaDeviceId device) {
    note("bus %d, %d", size, device);
    snprintf(words, (size_t)size, "0000:%02x:00.0", device - 100);
    return CUDA_OK;
}

static Thing *context_of(CudaDeviceId device) {
    for (Thing *thing = mock.things; thing; thing = thing->next)
        if (thing->kind == CONTEXT && thing->device == device) return thing;
    return NULL;
}

static CudaResult mock_context_retain(CudaContext *context, CudaDeviceId device) {
    note("retain %d", device);
    Thing *thing = context_of(device);
    if (!thing) thing = thing_new(CONTEXT);
    thing->device = device;
    thing->references++;
    *context = (CudaContext)thing;
    return CUDA_OK;
}

/* What is left in a context when it ends stays counted as alive: a leak. */
static CudaResult mock_context_release(CudaDeviceId device) {
    note("release %d", device);
    Thing *thing = context_of(device);
    if (!thing) misuse("a context was released that nobody holds");
    if (--thing->references > 0) return CUDA_OK;
    if (current == thing) current = NULL;
    thing_free(thing);
    return CUDA_OK;
}

static CudaResult mock_context_get(CudaContext *context) {
    note("current");
    *context = (CudaContext)current;
    return CUDA_OK;
}

static CudaResult mock_context_set(CudaContext context) {
    note("current = %s", name_of(context).text);
    current = context ? check(context, CONTEXT) : NULL;
    return CUDA_OK;
}

static CudaResult mock_context_wait(void) {
    note("wait for all");
    if (!mock.hangs) wait_everything();
    return waited();
}

/* ---- memory ---- */

static CudaResult mock_memory_info(size_t *free_bytes, size_t *total_bytes) {
    note("memory info");
    *free_bytes = mock.memory - mock.memory_used;
    *total_bytes = mock.memory;
    return CUDA_OK;
}

static CudaResult mock_memory_alloc(CudaPointer *pointer, size_t bytes) {
    note("alloc %zu", bytes);
    if (bytes == 0) return CUDA_INVALID_VALUE;
    if (bytes > mock.memory - mock.memory_used) return CUDA_OUT_OF_MEMORY;
    Thing *block = thing_new(BLOCK);
    block->memory = aligned_alloc(512, (bytes + 511) / 512 * 512);
    if (!block->memory) misuse("out of memory");
    memset(block->memory, 0xa5, bytes);
    block->bytes = bytes;
    mock.memory_used += bytes;
    *pointer = (CudaPointer)(uintptr_t)block->memory;
    return CUDA_OK;
}

static CudaResult mock_memory_free(CudaPointer pointer) {
    note("free %s", place_of(pointer).text);
    Thing *block = block_at(pointer, 1);
    if (!block || pointer != (CudaPointer)(uintptr_t)block->memory)
        misuse("memory was freed that is not alive");
    thing_free(block);
    return CUDA_OK;
}

static CudaResult mock_host_alloc(void **pointer, size_t bytes, unsigned flags) {
    note("host alloc %zu, %u", bytes, flags);
    if (bytes == 0 || flags != CUDA_HOST_DEVICEMAP) return CUDA_INVALID_VALUE;
    Thing *page = thing_new(HOST);
    page->memory = aligned_alloc(512, (bytes + 511) / 512 * 512);
    if (!page->memory) misuse("out of memory");
    memset(page->memory, 0x5a, bytes);
    *pointer = page->memory;
    return CUDA_OK;
}

static CudaResult mock_host_free(void *pointer) {
    note("host free %s", place_of((CudaPointer)(uintptr_t)pointer).text);
    for (Thing *thing = mock.things; thing; thing = thing->next) {
        if (thing->kind != HOST || thing->memory != pointer) continue;
        if (mock.gate == pointer && is_shut()) misuse("a gate was freed that is shut");
        thing_free(thing);
        return CUDA_OK;
    }
    misuse("host memory was freed that is not alive");
}

static CudaResult mock_host_pointer(CudaPointer *pointer, void *host, unsigned flags) {
    note("host pointer %s, %u", place_of((CudaPointer)(uintptr_t)host).text, flags);
    *pointer = (CudaPointer)(uintptr_t)host;
    return flags ? CUDA_INVALID_VALUE : CUDA_OK;
}

static CudaResult stream_free_to_use(CudaStream stream) {
    if (stream) check(stream, STREAM);
    return CUDA_OK;
}

static CudaResult mock_copy_in(CudaPointer to, const void *from, size_t bytes, CudaStream stream) {
    note("copy in %s, %zu, %s", place_of(to).text, bytes, name_of(stream).text);
    if (!block_at(to, bytes)) return CUDA_INVALID_VALUE;
    memcpy((void *)(uintptr_t)to, from, bytes);
    return stream_free_to_use(stream);
}

static CudaResult mock_copy_out(void *to, CudaPointer from, size_t bytes, CudaStream stream) {
    note("copy out %s, %zu, %s", place_of(from).text, bytes, name_of(stream).text);
    if (!block_at(from, bytes)) return CUDA_INVALID_VALUE;
    if (mock.hangs) misuse("a copy behind a kernel that hangs");
    wait_stream(stream ? check(stream, STREAM) : NULL);
    memcpy(to, (void *)(uintptr_t)from, bytes);
    return stream_free_to_use(stream);
}

static CudaResult mock_fill(CudaPointer to, unsigned char byte, size_t bytes, CudaStream stream) {
    note("fill %s, %u, %zu, %s", place_of(to).text, byte, bytes, name_of(stream).text);
    if (!block_at(to, bytes)) return CUDA_INVALID_VALUE;
    memset((void *)(uintptr_t)to, byte, bytes);
    return stream_free_to_use(stream);
}

/* ---- modules ---- */

static void write_log(unsigned count, const CudaJitOption *options, void **values,
                      CudaJitOption which, const char *text) {
    for (unsigned i = 0; i + 1 < count; i++)
        if (options[i] == which) snprintf(values[i], (size_t)(uintptr_t)values[i + 1], "%s", text);
}

static CudaResult assemble(const char *text, unsigned count, const CudaJitOption *options,
                           void **values) {
    int major = 0, minor = 0;
    const char *version = strstr(text, ".version");
    if (version) sscanf(version, ".version %d.%d", &major, &minor);
    if ((major + 4) * 1000 + minor * 10 > mock.version) return CUDA_UNSUPPORTED_PTX_VERSION;
    if (!strstr(text, ".entry") || strstr(text, "bad_ptx")) {
        write_log(count, options, values, CUDA_JIT_ERROR_LOG,
                  "ptxas application ptx input, line 7; fatal: Parsing error near 'bad_ptx'");
        return CUDA_INVALID_PTX;
    }
    write_log(count, options, values, CUDA_JIT_INFO_LOG, "ptxas info: Used 32 registers");
    return CUDA_OK;
}

static void note_load(unsigned count, const CudaJitOption *options, void **values) {
    char words[256] = "";
    size_t used = 0;
    for (unsigned i = 0; i < count && used < sizeof words; i++) {
        bool is_log = options[i] == CUDA_JIT_INFO_LOG || options[i] == CUDA_JIT_ERROR_LOG;
        used += (size_t)snprintf(words + used, sizeof words - used, is_log ? " %d=log" : " %d=%d",
                                 (int)options[i], (int)(uintptr_t)values[i]);
    }
    note("load%s", words);
}

static CudaResult mock_module_load(CudaModule *module, const void *image, unsigned count,
                                   CudaJitOption *options, void **values) {
    note_load(count, options, values);
    if (mock.recording && mock.capture_mode != CUDA_CAPTURE_RELAXED)
        return CUDA_CAPTURE_UNSUPPORTED;
    const char *text = image;
    CudaResult result = assemble(text, count, options, values);
    if (result != CUDA_OK) return result;
    Thing *thing = thing_new(MODULE);
    thing->text = calloc(1, strlen(text) + 1);
    if (!thing->text) misuse("out of memory");
    strcpy(thing->text, text);
    *module = (CudaModule)thing;
    return CUDA_OK;
}

static CudaResult mock_module_unload(CudaModule module) {
    note("unload %s", name_of(module).text);
    Thing *thing = check(module, MODULE);
    for (Thing *f = mock.things, *next; f; f = next) {
        next = f->next;
        if (f->kind == FUNCTION && f->module == thing) thing_free(f);
    }
    thing_free(thing);
    return CUDA_OK;
}

static void parse_params(Thing *function, const char *text) {
    const char *end = strchr(text, ')');
    for (const char *at = strstr(text, ".param"); at && at < end; at = strstr(at + 1, ".param")) {
        int bits = strncmp(at, ".param .align ", 14) ? 0 : 64; /* a tensor map: its base */
        if (!bits && sscanf(at, ".param .%*1[ubsf]%d", &bits) != 1)
            misuse("a parameter without a type");
        if (function->num_params == MOCK_RECORD_PARAMS) misuse("too many parameters");
        function->param_sizes[function->num_params++] = bits / 8;
    }
}

static CudaResult mock_module_function(CudaFunction *function, CudaModule module,
                                       const char *name) {
    note("function %s of %s", name, name_of(module).text);
    Thing *owner = check(module, MODULE);
    size_t length = strlen(name);
    for (const char *at = strstr(owner->text, ".entry"); at; at = strstr(at + 1, ".entry")) {
        const char *found = at + 6 + strspn(at + 6, " \n");
        if (strncmp(found, name, length) != 0 || !strchr("( \n", found[length])) continue;
        Thing *thing = thing_new(FUNCTION);
        thing->module = owner;
        thing->text = owner->text;
        thing->max_dynamic = 48 * 1024;
        snprintf(thing->name, sizeof thing->name, "%s", name);
        parse_params(thing, found);
        *function = (CudaFunction)thing;
        return CUDA_OK;
    }
    return CUDA_NOT_FOUND;
}

static CudaResult mock_module_global(CudaPointer *pointer, size_t *bytes, CudaModule module,
                                     const char *name) {
    note("global %s of %s", name, name_of(module).text);
    const Thing *owner = check(module, MODULE);
    *pointer = (CudaPointer)(uintptr_t)owner->text, *bytes = 16;
    return strstr(owner->text, name) ? CUDA_OK : CUDA_NOT_FOUND;
}

/* What is made begins with its base. */
static CudaResult mock_map_encode(CudaTensorMap *map, CudaMapType type, uint32_t rank, void *base,
                                  const uint64_t *sizes, const uint64_t *strides,
                                  const uint32_t *box, const uint32_t *steps,
                                  CudaMapInterleave interleave, CudaMapSwizzle swizzle,
                                  CudaMapPromotion promotion, CudaMapFill fill) {
    note("map of %u dimensions, type %d, swizzle %d, %d", rank, (int)type, (int)swizzle, promotion);
    bool fits = rank <= 5 && !((uintptr_t)base % 16 | (uintptr_t)map % 64) && !interleave && !fill;
    for (uint32_t d = 0; d < rank && fits; d++) {
        long long stride = d ? (long long)strides[d - 1] : 0;
        note(" %lld by %lld", (long long)sizes[d], stride);
        fits = sizes[d] - 1 < 1ull << 32 && box[d] - 1 < 256 && steps[d] == 1 && stride % 16 == 0;
    }
    return map->opaque[0] = (uintptr_t)base, fits ? CUDA_OK : CUDA_INVALID_VALUE;
}

/* A second number, behind a comma, is for texts with .minnctapersm. */
static int number_in(const char *text, const char *word, int number) {
    const char *at = strstr(text, word);
    if (at) at += strlen(word);
    if (at && strstr(text, ".minnctapersm") && strchr(at, ',')) at = strchr(at, ',') + 1;
    return at ? atoi(at) : number;
}

static CudaResult mock_function_get(int *value, CudaFunctionAttribute attribute,
                                    CudaFunction function) {
    note("get %d of %s", (int)attribute, name_of(function).text);
    Thing *thing = check(function, FUNCTION);
    bool many = strstr(thing->text, "many_registers");
    switch (attribute) {
    case CUDA_FUNCTION_MAX_THREADS: *value = many ? 256 : 1024; break;
    case CUDA_FUNCTION_STATIC_SHARED: *value = number_in(thing->text, "static_shared=", 0); break;
    case CUDA_FUNCTION_REGISTERS: *value = number_in(thing->text, "registers=", 32); break;
    case CUDA_FUNCTION_LOCAL_BYTES: *value = number_in(thing->text, "local_bytes=", 0); break;
    case CUDA_FUNCTION_MAX_DYNAMIC_SHARED:
    case CUDA_FUNCTION_CLUSTER_POLICY: *value = 0; break;
    }
    return CUDA_OK;
}

static CudaResult mock_function_set(CudaFunction function, CudaFunctionAttribute attribute,
                                    int value) {
    note("set %d of %s to %d", (int)attribute, name_of(function).text, value);
    Thing *thing = check(function, FUNCTION);
    if (attribute == CUDA_FUNCTION_CLUSTER_POLICY && value == CUDA_CLUSTER_BALANCED) return CUDA_OK;
    if (attribute != CUDA_FUNCTION_MAX_DYNAMIC_SHARED || value < 0 || value > 232448)
        return CUDA_INVALID_VALUE;
    thing->max_dynamic = value;
    return CUDA_OK;
}

static CudaResult mock_occupancy(int *blocks, CudaFunction function, int threads,
                                 size_t shared_bytes) {
    note("occupancy of %s, %d, %zu", name_of(function).text, threads, shared_bytes);
    check(function, FUNCTION);
    *blocks = 2048 / threads;
    if (shared_bytes > 0 && (size_t)*blocks > 233472 / shared_bytes)
        *blocks = (int)(233472 / shared_bytes);
    return CUDA_OK;
}

/* ---- launches ---- */

static bool name_ends(const Thing *function, const char *end) {
    size_t have = strlen(function->name), want = strlen(end);
    return have >= want && strcmp(function->name + have - want, end) == 0;
}

static void run_clock(Thing *stream, const MockRecord *record) {
    uint64_t *out = (uint64_t *)(uintptr_t)record->params[0];
    if (!is_behind_gate(stream)) {
        read_clock(out, ready(stream));
        return;
    }
    if (mock.num_deferred == MOST_DEFERRED) misuse("too many clocks behind a gate");
    mock.deferred[mock.num_deferred++] = (Deferred){out, mock.gated_ms};
}

static void run(const Thing *function, const MockRecord *record, Thing *stream) {
    take_time(stream, LAUNCH_MS);
    if (name_ends(function, "_spin")) take_time(stream, (double)record->params[0] * 1e-6);
    if (name_ends(function, "_cycles")) take_time(stream, (double)record->params[0] / MHZ * 1e-3);
    if (name_ends(function, "tern_clock")) run_clock(stream, record);
    if (name_ends(function, "_trap")) mock.pending = CUDA_ILLEGAL_ADDRESS;
    if (name_ends(function, "_hang")) mock.hangs = 1;
    if (!name_ends(function, "_record")) return;
    if (record->num_params == 0 || !block_at(record->params[0], sizeof *record)) {
        mock.pending = CUDA_ILLEGAL_ADDRESS;
        return;
    }
    MockRecord *out = (MockRecord *)(uintptr_t)record->params[0];
    uint32_t launches = out->launches + 1;
    *out = *record;
    out->launches = launches;
}

static CudaResult mock_launch(CudaFunction handle, unsigned grid_x, unsigned grid_y,
                              unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                              unsigned shared_bytes, CudaStream stream, void **arguments,
                              void **extra) {
    note("launch %s, %u %u %u, %u %u %u, %u, %s", name_of(handle).text, grid_x, grid_y, grid_z,
         block_x, block_y, block_z, shared_bytes, name_of(stream).text);
    Thing *function = check(handle, FUNCTION);
    if (extra || grid_x == 0 || grid_y == 0 || grid_z == 0 || grid_y > 65535 || grid_z > 65535 ||
        grid_x > 0x7fffffff || block_x * block_y * block_z > 1024 || block_x == 0 ||
        (int)shared_bytes > function->max_dynamic)
        return CUDA_INVALID_VALUE;
    MockRecord record = {.grid = {grid_x, grid_y, grid_z},
                         .block = block_x,
                         .shared_bytes = shared_bytes,
                         .num_params = (uint32_t)function->num_params};
    for (int i = 0; i < function->num_params; i++)
        memcpy(&record.params[i], arguments[i], (size_t)function->param_sizes[i]);
    Thing *queue = stream ? check(stream, STREAM) : NULL, *graph = queue ? queue->capture : NULL;
    if (!graph) {
        run(function, &record, queue);
        return CUDA_OK;
    }
    Launch **end = &graph->launches, *launch = calloc(1, sizeof *launch);
    while (*end) end = &(*end)->next;
    if (!launch) misuse("out of memory");
    launch->function = function;
    launch->record = record;
    *end = launch;
    return CUDA_OK;
}

static CudaResult mock_launch_cooperative(CudaFunction handle, unsigned grid_x, unsigned grid_y,
                                          unsigned grid_z, unsigned block_x, unsigned block_y,
                                          unsigned block_z, unsigned shared_bytes,
                                          CudaStream stream, void **arguments) {
    note("all at once:");
    unsigned each = 2048 / (block_x * block_y * block_z);
    if ((unsigned long long)grid_x * grid_y * grid_z > 132ull * each) return CUDA_TOO_MANY_BLOCKS;
    return mock_launch(handle, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,
                       stream, arguments, NULL);
}

/* ---- streams, events ---- */

static CudaResult mock_stream_create(CudaStream *stream, unsigned flags) {
    note("stream %u", flags);
    if (flags > 1) return CUDA_INVALID_VALUE;
    Thing *thing = thing_new(STREAM);
    thing->is_apart = flags == CUDA_STREAM_NON_BLOCKING;
    *stream = (CudaStream)thing;
    return CUDA_OK;
}

static CudaResult mock_stream_destroy(CudaStream stream) {
    note("destroy %s", name_of(stream).text);
    thing_free(check(stream, STREAM));
    return CUDA_OK;
}

static CudaResult mock_stream_wait(CudaStream stream) {
    note("wait for %s", name_of(stream).text);
    const Thing *thing = stream ? check(stream, STREAM) : NULL;
    if (!mock.hangs) wait_stream(thing);
    return waited();
}

static CudaResult mock_stream_query(CudaStream stream) {
    note("is %s done", name_of(stream).text);
    const Thing *thing = stream ? check(stream, STREAM) : NULL;
    if (is_behind_gate(thing) || (!mock.hangs && ready(thing) > now_ms())) return CUDA_NOT_READY;
    return queried();
}

static CudaResult mock_stream_gate(CudaStream stream, CudaPointer word, uint32_t value,
                                   unsigned flags) {
    note("gate %s, %s, %u, %u", name_of(stream).text, place_of(word).text, value, flags);
    if (stream || flags != CUDA_WAIT_GEQ)
        misuse("a gate on another stream than the default one, or of another kind");
    is_shut();
    if (mock.gate) misuse("a second gate");
    mock.gate = (const uint32_t *)(uintptr_t)word;
    mock.gate_value = value;
    mock.gated_ms = 0;
    return CUDA_OK;
}

static CudaResult mock_stream_order(CudaStream stream, CudaEvent event, unsigned flags) {
    note("%s after %s, %u", name_of(stream).text, name_of(event).text, flags);
    if (stream) check(stream, STREAM);
    check(event, EVENT);
    return flags ? CUDA_INVALID_VALUE : CUDA_OK;
}

static CudaResult mock_event_create(CudaEvent *event, unsigned flags) {
    note("event %u", flags);
    if (flags) return CUDA_INVALID_VALUE;
    *event = (CudaEvent)thing_new(EVENT);
    return CUDA_OK;
}

static CudaResult mock_event_destroy(CudaEvent event) {
    note("destroy %s", name_of(event).text);
    thing_free(check(event, EVENT));
    return CUDA_OK;
}

static CudaResult mock_event_record(CudaEvent event, CudaStream stream) {
    note("record %s, %s", name_of(event).text, name_of(stream).text);
    const Thing *queue = stream ? check(stream, STREAM) : NULL;
    Thing *thing = check(event, EVENT);
    thing->is_gated = is_behind_gate(queue);
    thing->time_ms = thing->is_gated ? mock.gated_ms : ready(queue);
    return CUDA_OK;
}

static CudaResult mock_event_wait(CudaEvent event) {
    note("wait for %s", name_of(event).text);
    Thing *thing = check(event, EVENT);
    if (mock.hangs) return waited();
    if (thing->is_gated) wait_for_gate();
    sleep_until(thing->time_ms);
    return waited();
}

static CudaResult mock_event_query(CudaEvent event) {
    note("is %s done", name_of(event).text);
    Thing *thing = check(event, EVENT);
    is_shut();
    if (thing->is_gated || (!mock.hangs && thing->time_ms > now_ms())) return CUDA_NOT_READY;
    return queried();
}

static CudaResult mock_event_elapsed(float *milliseconds, CudaEvent start, CudaEvent end) {
    note("from %s to %s", name_of(start).text, name_of(end).text);
    Thing *first = check(start, EVENT), *second = check(end, EVENT);
    is_shut();
    if (first->time_ms == 0 || second->time_ms == 0) return CUDA_INVALID_HANDLE;
    if (first->is_gated || second->is_gated || second->time_ms > now_ms()) return CUDA_NOT_READY;
    *milliseconds = (float)(second->time_ms - first->time_ms);
    return CUDA_OK;
}

/* ---- graphs ---- */

static CudaResult mock_capture_exchange(CudaCaptureMode *mode) {
    CudaCaptureMode before = mock.capture_mode;
    mock.capture_mode = *mode, *mode = before;
    return CUDA_OK;
}

static CudaResult mock_capture_begin(CudaStream stream, CudaCaptureMode mode) {
    note("capture %s, %d", name_of(stream).text, (int)mode);
    Thing *thing = check(stream, STREAM);
    if (mode != CUDA_CAPTURE_THREAD_LOCAL || thing->capture) return CUDA_INVALID_VALUE;
    thing->capture = thing_new(GRAPH), mock.recording++;
    return CUDA_OK;
}

static CudaResult mock_capture_end(CudaStream stream, CudaGraph *graph) {
    note("capture ends %s", name_of(stream).text);
    Thing *thing = check(stream, STREAM);
    *graph = (CudaGraph)thing->capture;
    if (!thing->capture) return CUDA_INVALID_VALUE;
    thing->capture = NULL, mock.recording--;
    return CUDA_OK;
}

static CudaResult mock_graph_instantiate(CudaGraphExec *exec, CudaGraph graph,
                                         unsigned long long flags) {
    note("instantiate %s, %llu", name_of(graph).text, flags);
    Thing *from = check(graph, GRAPH), *to = thing_new(EXEC);
    Launch **end = &to->launches;
    for (Launch *launch = from->launches; launch; launch = launch->next) {
        Launch *copy = calloc(1, sizeof *copy);
        if (!copy) misuse("out of memory");
        copy->function = launch->function;
        copy->record = launch->record;
        *end = copy;
        end = &copy->next;
    }
    *exec = (CudaGraphExec)to;
    return CUDA_OK;
}

static CudaResult mock_graph_launch(CudaGraphExec exec, CudaStream stream) {
    note("launch %s, %s", name_of(exec).text, name_of(stream).text);
    Thing *queue = stream ? check(stream, STREAM) : NULL;
    for (Launch *launch = check(exec, EXEC)->launches; launch; launch = launch->next)
        run(check(launch->function, FUNCTION), &launch->record, queue);
    return CUDA_OK;
}

static CudaResult mock_graph_exec_destroy(CudaGraphExec exec) {
    note("destroy %s", name_of(exec).text);
    thing_free(check(exec, EXEC));
    return CUDA_OK;
}

static CudaResult mock_graph_destroy(CudaGraph graph) {
    note("destroy %s", name_of(graph).text);
    thing_free(check(graph, GRAPH));
    return CUDA_OK;
}

/* ---- steering ---- */

static void reset(void) {
    while (mock.things) thing_free(mock.things);
    memset(&mock, 0, sizeof mock);
    mock.devices = 1, mock.major = 9, mock.version = 13000;
    mock.memory = (size_t)1 << 30;
    current = NULL;
}

static void set_devices(int count) { mock.devices = count; }
static void set_capability(int major, int minor) { mock.major = major, mock.minor = minor; }
static void set_version(int version) { mock.version = version; }
static void set_memory(size_t bytes) { mock.memory = bytes; }
static void fail(int call, int result) {
    mock.fail_in = call, mock.fail_result = result, mock.failed = NULL;
}
static void watch(void (*told)(const char *symbol, bool begins)) { mock.told = told; }
static int calls(void) { return mock.calls; }
static const char *failed_call(void) { return mock.failed; }

static const char *trace(void) {
    static char words[sizeof mock.trace];
    memcpy(words, mock.trace, mock.trace_length + 1);
    mock.trace_length = 0, mock.trace[0] = 0;
    return words;
}

static int live(void) {
    int count = 0;
    for (Thing *thing = mock.things; thing; thing = thing->next) count++;
    return count;
}

EXPORT const Mock *mock_control(void) {
    static const Mock control = {reset, set_devices, set_capability, set_version, set_memory, fail,
                                 calls, failed_call, live,           trace,       watch};
    return &control;
}
