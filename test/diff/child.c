// SPDX-License-Identifier: Apache-2.0
/* child: runs one kernel on interp and on another device, and compares what they wrote.
 *
 * Memory that the host shares with the device lies against a page that nobody may touch, at its end
 * or at its start; what is left of the page is a red zone. Other devices get red zones alone. */
#include "diff/diff.h"

#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HEADS = 5, PAGE = 4096, POISON = 0xa5, NUM_AREAS = HEADS * NUM_KINDS };
static const char heads[HEADS] = {'i', 'w', 'o', 't', 'a'};

typedef struct Area { /* the memory of one pointer parameter */
    int is_used;
    Kind kind;
    size_t count, size;  /* elements, bytes of one */
    size_t total, start; /* bytes with red zones; where the first element is */
    unsigned char *before, *after;
} Area;

typedef struct Trial {
    const Kernel *kernel;
    char *text;
    size_t length;
    Area areas[NUM_AREAS];
    Outcome *outcome;
    char message[2000];
} Trial;

static void say(Outcome *outcome, const char *format, ...) {
    size_t used = strlen(outcome->words);
    va_list args;
    va_start(args, format);
    vsnprintf(outcome->words + used, sizeof outcome->words - used, format, args);
    va_end(args);
}

const char *verdict_name(Verdict verdict) {
    static const char *const names[] = {"same",  "refused", "rejected", "differs",
                                        "fails", "crashes", "hangs"};
    return names[verdict];
}

/* ---- data ---- */

static uint64_t state;
static uint64_t bits64(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state * 0x2545F4914F6CDD1Du;
}

static void tame_element(const Area *area, unsigned char *to) {
    tern_dtype dtype = kinds[area->kind].memory;
    uint64_t choice = bits64() >> 20;
    if (kind_is_float(area->kind)) {
        double x = choice % 4 ? (double)(int64_t)bits64() * 0x1p-61
                              : (double)((int64_t)(bits64() % 9) - 4);
        tern_element_set_double(dtype, to, x);
        return;
    }
    static const int64_t edges[] = {INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX, -32768,     32767,
                                    -128,      127,       255,       65535,     UINT32_MAX, -1};
    int64_t x = choice % 8 < 4   ? (int64_t)(bits64() % 17) - 8
                : choice % 8 < 5 ? edges[bits64() % 12]
                                 : (int64_t)bits64();
    tern_element_set_int(dtype, to, area->kind == KIND_I1 ? x & 1 : x);
}

static void wild_element(const Area *area, unsigned char *to) {
    static const double edges[] = {
        0,     -0.0,  1,        -1,        0.5,          1.5,           2.5,          -2.5,
        3e38,  -3e38, 1e-40,    -1e-45,    65504,        65520,         448,          464,
        57344, 1e5,   INFINITY, -INFINITY, 2147483648.0, -2147483648.0, 4294967296.0, 255,
        256,   1e19,  6e-8,     1e-310};
    uint64_t bits = bits64(), choice = bits64() % 8;
    tern_dtype dtype = kinds[area->kind].memory;
    if (choice < 3)
        memcpy(to, &bits, area->size);
    else if (choice < 5)
        tern_element_set_double(dtype, to, edges[bits % (sizeof edges / sizeof *edges)]);
    else
        tern_element_set_double(dtype, to, (double)(int64_t)bits * 0x1p-56);
    double x = tern_element_double(dtype, to);
    if (x != x)
        tern_element_set_double(dtype, to,
                                NAN); /* one pattern, so that moves can be compared by bits */
}

static size_t area_count(const Kernel *kernel, char head, Kind kind) {
    if (head == 'o')
        return (size_t)(kernel->slots_of[kind] ? kernel->slots_of[kind] : 1) *
               (size_t)kernel->num_programs * SLOT_LENGTH;
    if (head == 't') return (size_t)kernel->num_programs * SLOT_LENGTH;
    if (head == 'a') return (size_t)(kernel->num_atomics ? kernel->num_atomics : 1) * ATOMIC_LENGTH;
    return INPUT_LENGTH;
}

static void make_areas(Trial *trial) {
    const Kernel *kernel = trial->kernel;
    state = kernel->seed * 0x9e3779b97f4a7c15u + 77;
    for (int i = 0; i < NUM_AREAS; i++) {
        Area *area = &trial->areas[i];
        char head = heads[i / NUM_KINDS], name[16];
        area->kind = (Kind)(i % NUM_KINDS);
        snprintf(name, sizeof name, "%c_%s", head, kinds[area->kind].text);
        area->is_used = kernel_uses(kernel, name);
        if (!area->is_used) continue;
        area->size = tern_dtype_size(kinds[area->kind].memory);
        area->count = area_count(kernel, head, area->kind);
        size_t bytes = area->count * area->size;
        area->total = (bytes + 512 + PAGE - 1) / PAGE * PAGE;
        int at_start = (kernel->seed + (uint64_t)i) % 3 == 0;
        size_t shift = kernel->is_aligned ? 0 : area->size;
        area->start = at_start ? shift : area->total - bytes - shift;
        area->before = malloc(area->total), area->after = malloc(area->total);
        memset(area->before, POISON, area->total);
        for (size_t n = 0; n < area->count; n++) {
            unsigned char *to = area->before + area->start + n * area->size;
            if (head == 'i')
                tame_element(area, to);
            else if (head == 'w')
                wild_element(area, to);
            else if (head == 'a')
                memset(to, 0, area->size);
        }
    }
}

/* ---- one device ---- */

static int is_host(const char *device) { return strncmp(device, "cuda", 4) != 0; }

static tern_buffer *make_buffer(tern_context *context, const Area *area, int host,
                                unsigned char **mapped) {
    if (!host) {
        tern_buffer *buffer = tern_alloc(context, area->total);
        return buffer && tern_write(buffer, 0, area->before, area->total) == TERN_OK ? buffer
                                                                                     : NULL;
    }
    unsigned char *all =
        mmap(NULL, area->total + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED || mprotect(all + PAGE, area->total, PROT_READ | PROT_WRITE)) return NULL;
    *mapped = all + PAGE;
    memcpy(*mapped, area->before, area->total);
    return tern_wrap(context, *mapped + area->start, area->count * area->size);
}

static void signature_text(const Kernel *k, char *out) {
    size_t used = 0;
    for (int h = 0; h < HEADS; h++)
        for (int kind = 0; kind < NUM_KINDS; kind++)
            used += (size_t)sprintf(out + used, "*%s%s,", kinds[kind].signature,
                                    k->is_aligned ? ":16" : "");
    used +=
        (size_t)sprintf(out + used, "i32,i32,%d,%d,%d", k->consts[0], k->consts[1], k->consts[2]);
    for (int kind = 0; kind < NUM_KINDS; kind++)
        used += (size_t)sprintf(out + used, ",%d", k->slots_of[kind]);
}

static Verdict fail(Trial *trial, tern_context *context, const char *device, const char *step,
                    Verdict verdict) {
    if (context && tern_message_status(context) == TERN_ERROR_UNSUPPORTED) verdict = REFUSED;
    say(trial->outcome, "%s: %s: %s", device, step,
        context ? tern_message(context) : trial->message);
    return verdict;
}

static Verdict launch(Trial *trial, const char *device, tern_context *context,
                      tern_kernel *compiled, unsigned char **result) {
    tern_argument arguments[NUM_AREAS + 2];
    tern_buffer *buffers[NUM_AREAS] = {0};
    unsigned char *mapped[NUM_AREAS] = {0};
    int host = is_host(device);
    for (int i = 0; i < NUM_AREAS; i++) {
        const Area *area = &trial->areas[i];
        arguments[i] = tern_arg_buffer(NULL);
        if (!area->is_used) continue;
        buffers[i] = make_buffer(context, area, host, &mapped[i]);
        if (!buffers[i]) return fail(trial, context, device, "memory", FAILS);
        arguments[i] = tern_arg_buffer(buffers[i]);
        arguments[i].offset = host ? 0 : area->start;
    }
    for (int i = 0; i < 2; i++) arguments[NUM_AREAS + i] = tern_arg_int(trial->kernel->scalars[i]);
    uint32_t grid[3] = {(uint32_t)trial->kernel->num_programs, 1, 1};
    if (tern_launch(NULL, compiled, grid, arguments, NUM_AREAS + 2) || tern_synchronize(context))
        return fail(trial, context, device, "launch", FAILS);
    for (int i = 0; i < NUM_AREAS; i++) {
        const Area *area = &trial->areas[i];
        if (!area->is_used) continue;
        if (host)
            memcpy(result[i], mapped[i], area->total);
        else if (tern_read(buffers[i], 0, result[i], area->total))
            return fail(trial, context, device, "read", FAILS);
    }
    return SAME;
}

/* "cpu+bounds": accesses are tested. */
static tern_context *open_on(const char *device, const char *cache, tern_status *status,
                             char *message, size_t size) {
    char name[64];
    size_t length = strcspn(device, "+");
    snprintf(name, sizeof name, "%.*s", (int)length, device);
    return tern_open(
        &(tern_open_options){
            .device = name, .num_threads = 2, .cache_dir = cache, .bounds = device[length] == '+'},
        status, message, size);
}

static Verdict run_on(Trial *trial, const char *device, const char *cache, unsigned char **result) {
    tern_status status;
    tern_context *context = open_on(device, cache, &status, trial->message, sizeof trial->message);
    if (!context) return fail(trial, NULL, device, "open", FAILS);
    tern_module *module = tern_load_text(context, trial->text, trial->length, "kernel.py");
    if (!module) return fail(trial, context, device, "parse", REJECTED);
    char signature[2048];
    signature_text(trial->kernel, signature);
    tern_kernel *compiled = tern_compile(module, "kernel", signature,
                                         &(tern_options){.num_warps = trial->kernel->num_warps,
                                                         .verify = true,
                                                         .precise = trial->kernel->is_precise});
    if (!compiled)
        return fail(trial, context, device, "compile", strcmp(device, "interp") ? FAILS : REJECTED);
    Verdict verdict = launch(trial, device, context, compiled, result);
    if (verdict != SAME) return verdict;
    tern_close(context);
    return SAME;
}

/* ---- comparing ---- */

static int same_element(Kind kind, const unsigned char *a, const unsigned char *b, double error,
                        double relative) {
    size_t size = tern_dtype_size(kinds[kind].memory);
    if (!memcmp(a, b, size)) return 1;
    if (!kind_is_float(kind)) return 0;
    double x = tern_element_double(kinds[kind].memory, a),
           y = tern_element_double(kinds[kind].memory, b);
    if (x != x || y != y) return x != x && y != y;
    if (x == y) return 1;
    /* Results below the normal range may be rounded on the way. */
    double least = relative > 0 ? (kind == KIND_F64 ? 1e-307 : 1e-37) : 0;
    return fabs(x - y) <= fmax(2 * error, fmax(relative * fmax(fabs(x), fabs(y)), least));
}

static void describe(Trial *trial, const Area *area, int index, size_t n, const unsigned char *a,
                     const unsigned char *b, const char *device) {
    tern_dtype dtype = kinds[area->kind].memory;
    uint64_t x = 0, y = 0;
    memcpy(&x, a, area->size), memcpy(&y, b, area->size);
    say(trial->outcome, "%c_%s[%zu]", heads[index / NUM_KINDS], kinds[area->kind].text, n);
    if (heads[index / NUM_KINDS] == 'o')
        say(trial->outcome, " (program %zu, slot %zu, lane %zu)",
            n / SLOT_LENGTH / (size_t)trial->kernel->slots_of[area->kind],
            n / SLOT_LENGTH % (size_t)trial->kernel->slots_of[area->kind], n % SLOT_LENGTH);
    if (kind_is_float(area->kind))
        say(trial->outcome, ": interp %.17g (0x%llx), %s %.17g (0x%llx)",
            tern_element_double(dtype, a), (unsigned long long)x, device,
            tern_element_double(dtype, b), (unsigned long long)y);
    else
        say(trial->outcome, ": interp %lld, %s %lld", (long long)tern_element_int(dtype, a), device,
            (long long)tern_element_int(dtype, b));
}

static const Slot *slot_of(const Kernel *kernel, Kind kind, size_t index) {
    for (int i = 0; i < kernel->num_slots; i++)
        if (kernel->slots[i].kind == kind && (size_t)kernel->slots[i].index == index)
            return &kernel->slots[i];
    return NULL;
}

static Verdict compare_area(Trial *trial, int index, const unsigned char *device_bytes,
                            const char *device) {
    const Area *area = &trial->areas[index];
    const unsigned char *interp_bytes = area->after;
    int is_output = heads[index / NUM_KINDS] == 'o';
    unsigned char poison[8];
    memset(poison, POISON, sizeof poison);
    for (size_t n = 0; n < area->count; n++) {
        size_t place = area->start + n * area->size;
        const unsigned char *a = interp_bytes + place, *b = device_bytes + place;
        if (!memcmp(a, b, area->size)) continue;
        const Slot *slot =
            is_output ? slot_of(trial->kernel, area->kind,
                                n / SLOT_LENGTH % (size_t)trial->kernel->slots_of[area->kind])
                      : NULL;
        int untouched = !memcmp(a, poison, area->size);
        if (!untouched &&
            same_element(area->kind, a, b, slot ? slot->error : 0, slot ? slot->relative : 0))
            continue;
        describe(trial, area, index, n, a, b, device);
        if (untouched) say(trial->outcome, "; interp does not write there");
        if (slot && slot->error > 0) say(trial->outcome, "; at most %.3g apart", 2 * slot->error);
        return DIFFERS;
    }
    for (size_t i = 0; i < area->total; i++) {
        if (i == area->start) i += area->count * area->size;
        if (i < area->total && device_bytes[i] != POISON) {
            say(trial->outcome, "%s wrote outside %c_%s, at byte %lld", device,
                heads[index / NUM_KINDS], kinds[area->kind].text,
                (long long)i - (long long)area->start);
            return DIFFERS;
        }
    }
    return SAME;
}

static Verdict compare_all(Trial *trial, unsigned char **device_bytes, const char *device) {
    for (int i = 0; i < NUM_AREAS; i++) {
        Verdict verdict =
            trial->areas[i].is_used ? compare_area(trial, i, device_bytes[i], device) : SAME;
        if (verdict != SAME) return verdict;
    }
    return SAME;
}

/* ---- the process ---- */

static void child(const Kernel *kernel, const char *device, const char *cache, Outcome *outcome) {
    Trial trial = {.kernel = kernel, .outcome = outcome};
    FILE *out = open_memstream(&trial.text, &trial.length);
    source_text(kernel, 1, out);
    fclose(out);
    make_areas(&trial);
    unsigned char *interp_bytes[NUM_AREAS] = {0}, *device_bytes[NUM_AREAS] = {0};
    for (int i = 0; i < NUM_AREAS; i++) {
        interp_bytes[i] = trial.areas[i].after;
        device_bytes[i] = trial.areas[i].is_used ? malloc(trial.areas[i].total) : NULL;
    }
    Verdict verdict = run_on(&trial, "interp", cache, interp_bytes);
    if (verdict == SAME) verdict = run_on(&trial, device, cache, device_bytes);
    if (verdict == SAME) verdict = compare_all(&trial, device_bytes, device);
    outcome->verdict = verdict;
    _exit(0);
}

static int remove_entry(const char *path, const struct stat *status, int flag, struct FTW *walk) {
    (void)status, (void)flag, (void)walk;
    return remove(path);
}

void run_kernel(const Kernel *kernel, const char *device, int seconds, Outcome *outcome) {
    Outcome *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char cache[] = "/tmp/tern-diff-XXXXXX";
    if (shared == MAP_FAILED || !mkdtemp(cache)) perror("diff"), exit(2);
    fflush(stdout);
    shared->verdict = CRASHES;
    pid_t pid = fork();
    if (pid == 0) {
        alarm((unsigned)seconds);
        child(kernel, device, cache, shared);
    }
    int status = 0;
    if (pid < 0) perror("diff: fork"), exit(2);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) {
        shared->verdict = WTERMSIG(status) == SIGALRM ? HANGS : CRASHES;
        if (!shared->words[0])
            snprintf(shared->words, sizeof shared->words, "%s", strsignal(WTERMSIG(status)));
    }
    *outcome = *shared;
    munmap(shared, sizeof *shared);
    nftw(cache, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

int device_opens(const char *device) {
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        tern_status status;
        _exit(open_on(device, "", &status, NULL, 0) ? 0 : 1);
    }
    int status = 1;
    if (pid > 0)
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
    return status == 0;
}
