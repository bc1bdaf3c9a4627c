// SPDX-License-Identifier: Apache-2.0
/* The cpu device with a kernel written in C here: what it is given in each program, what becomes of
 * all that it can say, which objects are no kernels. */
#include "unit/cpu_fixture.h"

#include <stdatomic.h>
#include <time.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ENDS_WHERE_MEMORY_DOES 1 /* a sanitizer's allocator does not return NULL */
#else
#define ENDS_WHERE_MEMORY_DOES 0
#endif

/* ---- a kernel ---- */

/* What this process and the kernel share; the kernel's text has the same. */
#define SHARED                                                                                     \
    typedef struct Call {                                                                          \
        int program[3], rank, index[6], what, size_bytes;                                          \
        const char *prefix;                                                                        \
        unsigned long long bits;                                                                   \
    } Call;                                                                                        \
    typedef struct Shared {                                                                        \
        int kind, detail, failing, gave, yields, asks, num_calls, stream, grid[3];                 \
        long long now, scratch_bytes;                                                              \
        int bad_scratch;                                                                           \
        const Call *calls;                                                                         \
        unsigned char *seen;                                                                       \
    } Shared;
SHARED

static const char body[] =
    "int tern_kernel(void **args, const int *grid, long long lo, long long hi, char *scratch,\n"
    "                KernelRuntime *runtime, int stream) {\n"
    "    Shared *s = *(Shared **)args[0];\n"
    "    s->stream = stream;\n"
    "    for (int i = 0; i < 3; i++) s->grid[i] = grid[i];\n"
    "    if ((unsigned long long)scratch % 64) s->bad_scratch = 1;\n"
    "    for (long long i = 0; i < s->scratch_bytes; i++) scratch[i] = (char)lo;\n"
    "    for (long long p = lo; p < hi; p++) {\n"
    "        __atomic_fetch_add(&s->seen[p], 1, __ATOMIC_RELAXED);\n"
    "        if (p != s->failing) continue;\n"
    "        for (int i = 0; i < s->num_calls; i++)\n"
    "            runtime->print(runtime, s->calls[i].program, s->calls[i].prefix, "
    "s->calls[i].rank,\n"
    "                           s->calls[i].index, s->calls[i].what, s->calls[i].size_bytes,\n"
    "                           s->calls[i].bits);\n"
    "        s->now = runtime->clock(runtime);\n"
    "        s->yields = runtime->yield(runtime);\n"
    "        if (s->kind) {\n"
    "            s->gave = runtime->fail(runtime, s->kind, s->detail);\n"
    "            runtime->fail(runtime, s->kind % 4 + 1, 0);\n"
    "            if (s->asks) s->yields = s->yields * 10 + runtime->yield(runtime);\n"
    "            return 1;\n"
    "        }\n"
    "    }\n"
    "    return 0;\n"
    "}\n";

static void *load(Fixture *f, const char *facts, size_t scratch_bytes) {
    CompiledKernel kernel = kernel_of(f->arena, facts_of(f->arena, facts), body);
    kernel.facts.scratch_bytes = scratch_bytes;
    return load_kernel(f, &kernel);
}

static tern_status launch(Fixture *f, void *loaded, Shared *shared, uint32_t x, uint32_t y,
                          uint32_t z) {
    return device_cpu.launch(&f->device, NULL, loaded, (uint32_t[]){x, y, z}, (void *[]){&shared});
}

/* ---- programs ---- */

TEST(each_program_of_a_grid_runs_once) {
    static const uint32_t grids[][3] = {{1, 1, 1}, {7, 1, 1},   {1, 5, 1},  {1, 1, 9},
                                        {3, 4, 5}, {63, 1, 1},  {64, 1, 1}, {65, 1, 1},
                                        {9, 7, 3}, {500, 3, 2}, {1, 999, 3}};
    static const char *const facts[] = {"0, 0, 0", "0, 0, 1" /* on fibers */};
    Fixture f;
    if (!open_device(&f)) return;
    for (int k = 0; k < 2; k++) {
        void *loaded = load(&f, facts[k], 0);
        for (int i = 0; i < COUNT(grids) && loaded; i++)
            for (int round = 0; round < 3; round++) {
                unsigned char seen[3001] = {0};
                Shared shared = {.failing = -1, .seen = seen};
                const uint32_t *g = grids[i];
                CHECK(launch(&f, loaded, &shared, g[0], g[1], g[2]) == TERN_OK);
                uint32_t count = g[0] * g[1] * g[2], wrong = 0;
                for (uint32_t p = 0; p < sizeof seen; p++) wrong += seen[p] != (p < count);
                CHECK(wrong == 0 && !shared.bad_scratch && !shared.stream);
                for (int d = 0; d < 3; d++) CHECK(shared.grid[d] == (int)g[d]);
            }
        device_cpu.unload(&f.device, loaded);
    }
    device_cpu.unload(&f.device, NULL);
    close_device(&f);
}

/* Scratch is each worker's own, and grows with the kernel that asks for most. */
TEST(scratch_is_as_large_as_it_says) {
    static const size_t sizes[] = {0, 1, 4032, 4033, 100000, 64, 5000000};
    Fixture f;
    if (!open_device(&f)) return;
    for (int fibers = 0; fibers < 2; fibers++)
        for (int i = 0; i < COUNT(sizes); i++) {
            unsigned char seen[100] = {0};
            void *loaded =
                load(&f, str_format(f.arena, "%zu, 0, %d", sizes[i], fibers).data, sizes[i]);
            Shared shared = {.failing = -1, .seen = seen, .scratch_bytes = (long long)sizes[i]};
            if (loaded) CHECK(launch(&f, loaded, &shared, 100, 1, 1) == TERN_OK);
            CHECK(!shared.bad_scratch);
            device_cpu.unload(&f.device, loaded);
        }
    void *none = NULL;
    CompiledKernel kernel = kernel_of(f.arena, facts_of(f.arena, "0, 0, 0"), body);
    kernel.facts.scratch_bytes = (size_t)1 << 50;
    if (!ENDS_WHERE_MEMORY_DOES) {
        CHECK(device_cpu.load(&f.device, &kernel, &none) == TERN_ERROR_NO_MEMORY && !none);
        CHECK_STR(f.device.why.data,
                  "out of host memory: 1125899906842624 bytes of scratch a thread");
    }
    close_device(&f);
}

/* Results that no cache keeps are stored past it; those of a few programs are not. */
TEST(large_results_are_streamed) {
    long last = sysconf(_SC_LEVEL3_CACHE_SIZE), own = sysconf(_SC_LEVEL2_CACHE_SIZE);
    int64_t by_last = (last > 0 ? last : 8 << 20) / 4, by_own = (own > 0 ? own : 2 << 20) * 8;
    int64_t limit = by_last < by_own ? by_last : by_own;
    const struct {
        int64_t stored;
        uint32_t programs;
        int stream;
    } rows[] = {{limit - 1, 1, 0},         {limit, 1, 1}, {limit / 100, 99, 0},
                {limit / 100 + 1, 100, 1}, {0, 100, 0},   {INT64_MAX, 9, 1}};
    Fixture f;
    if (!open_device(&f)) return;
    for (int i = 0; i < COUNT(rows); i++) {
        unsigned char seen[100] = {0};
        Shared shared = {.failing = -1, .seen = seen};
        void *loaded =
            load(&f, str_format(f.arena, "0, %lldLL, 0", (long long)rows[i].stored).data, 0);
        if (loaded) CHECK(launch(&f, loaded, &shared, rows[i].programs, 1, 1) == TERN_OK);
        CHECK(shared.stream == rows[i].stream);
        device_cpu.unload(&f.device, loaded);
    }
    close_device(&f);
}

/* ---- what a kernel says ---- */

TEST(failures_have_words) {
    static const struct {
        int kind, detail;
        const char *words;
    } rows[] = {
        {KERNEL_ASSERT, 0, "kernel 'mine': device_assert failed: first: it was 5"},
        {KERNEL_ASSERT, 1, "kernel 'mine': device_assert failed: second"},
        {KERNEL_WRAPS, 12,
         "kernel 'mine', line 12: a 32-bit offset wraps round inside one tile: use "
         "64-bit offsets"},
        {KERNEL_STEP, 7, "kernel 'mine', line 7: the step of a range is 0"},
        {KERNEL_DEADLOCK, 0,
         "kernel 'mine': deadlock: all programs that have begun wait in loops and nothing changes"},
        {99, 0, "kernel 'mine' failed"},
    };
    Fixture f;
    if (!open_device(&f)) return;
    for (int fibers = 0; fibers < 2; fibers++) {
        void *loaded = load(&f, fibers ? "0, 0, 1" : "0, 0, 0", 0);
        for (int i = 0; i < COUNT(rows) && loaded; i++) {
            unsigned char seen[3000] = {0};
            Shared shared = {.asks = !fibers,
                             .failing = 0,
                             .kind = rows[i].kind,
                             .detail = rows[i].detail,
                             .seen = seen};
            CHECK(launch(&f, loaded, &shared, 3000, 1, 1) == TERN_ERROR_KERNEL);
            CHECK_STR(f.device.why.data, rows[i].words);
            CHECK(shared.gave == 1 && seen[0] == 1);
            CHECK(!fibers || seen[1] == 0);           /* nobody begins after a failure */
            CHECK(shared.yields == (fibers ? 0 : 1)); /* not before, but after: 0 and 1 */
            shared.kind = 0;                          /* and the next launch is another one */
            CHECK(launch(&f, loaded, &shared, 3, 1, 1) == TERN_OK);
        }
        device_cpu.unload(&f.device, loaded);
    }
    close_device(&f);
}

static uint64_t bits_of(double value, bool is_double) {
    float single = (float)value;
    uint64_t bits = 0;
    memcpy(&bits, is_double ? (void *)&value : (void *)&single, is_double ? 8 : 4);
    return bits;
}

TEST(prints_are_lines) {
    const struct {
        Call call;
        const char *line;
    } rows[] = {
        /* A place without a value. */
        {{{1, 2, 3}, 0, {0}, 0, 0, " so", 0}, "pid (1, 2, 3) so\n"},
        {{{0, 0, 0}, 0, {0}, SCALAR_I32, 4, " n: ", 7}, "pid (0, 0, 0) idx () n: 7\n"},
        {{{0, 0, 0}, 1, {3, 16}, SCALAR_I32, 4, " ", (uint32_t)-5}, "pid (0, 0, 0) idx ( 3) -5\n"},
        {{{0, 0, 0}, 1, {3, 10}, SCALAR_I32, 4, " ", 5}, "pid (0, 0, 0) idx (3) 5\n"},
        {{{0, 0, 0}, 1, {3, 11}, SCALAR_I32, 4, " ", 5}, "pid (0, 0, 0) idx ( 3) 5\n"},
        {{{0, 0, 0}, 1, {3, 100}, SCALAR_I8, 1, " ", 0xff}, "pid (0, 0, 0) idx ( 3) -1\n"},
        {{{0, 0, 0}, 1, {3, 101}, SCALAR_I8 | PRINT_UNSIGNED, 1, " ", 0xff},
         "pid (0, 0, 0) idx (  3) 255\n"},
        {{{9, 8, 7}, 2, {1, 12, 2, 128}, SCALAR_I16, 2, " ", 0x8000},
         "pid (9, 8, 7) idx (1,  12) -32768\n"},
        {{{9, 8, 7}, 3, {1, 2, 3, 4, 5, 2000}, SCALAR_I64, 8, " ", (uint64_t)INT64_MIN},
         "pid (9, 8, 7) idx (1, 2,    3) -9223372036854775808\n"},
        {{{0, 0, 0}, 0, {0}, SCALAR_I64 | PRINT_UNSIGNED, 8, " ", UINT64_MAX},
         "pid (0, 0, 0) idx () 18446744073709551615\n"},
        {{{0, 0, 0}, 0, {0}, SCALAR_I1, 1, " ", 1}, "pid (0, 0, 0) idx () 1\n"},
        {{{0, 0, 0}, 0, {0}, SCALAR_I32 | PRINT_HEX, 4, " ", 0xab},
         "pid (0, 0, 0) idx () 0x000000ab\n"},
        {{{0, 0, 0}, 0, {0}, SCALAR_I8 | PRINT_HEX, 1, " ", 0xa}, "pid (0, 0, 0) idx () 0x0a\n"},
        {{{0, 0, 0}, 0, {0}, SCALAR_F32, 4, " ", bits_of(-1.5, false)},
         "pid (0, 0, 0) idx () -1.500000\n"},
        {{{0, 0, 0}, 0, {0}, SCALAR_F64, 8, " ", bits_of(1e300, true)}, NULL},
        {{{0, 0, 0}, 0, {0}, SCALAR_F16, 2, " ", 0x3c00}, "pid (0, 0, 0) idx () 1.000000\n"},
        {{{0, 0, 0}, 0, {0}, SCALAR_BF16, 2, " ", 0x4049}, "pid (0, 0, 0) idx () 3.140625\n"},
        {{{0, 0, 0}, 0, {0}, NUM_SCALAR_KINDS, 8, " ", 0x1234},
         "pid (0, 0, 0) idx () 0x0000000000001234\n"},
        {{{0, 0, 0}, 0, {0}, PRINT_KIND, 8, " ", 1}, "pid (0, 0, 0) idx () 0x0000000000000001\n"},
        {{{0, 0, 0}, 0, {0}, SCALAR_I32 + PRINT_OPERAND, 4, " v: ", 3},
         "pid (0, 0, 0) idx () v: (operand 0) 3\n"},
        {{{0, 0, 0}, 0, {0}, (SCALAR_F32 | PRINT_HEX) + 12 * PRINT_OPERAND, 4, " v: ", 3},
         "pid (0, 0, 0) idx () v: (operand 11) 0x00000003\n"},
    };
    enum { NUM_ROWS = sizeof rows / sizeof *rows };
    Call calls[NUM_ROWS];
    Fixture f;
    if (!open_device(&f)) return;
    Buf want = {.arena = f.arena};
    for (int i = 0; i < NUM_ROWS; i++) {
        calls[i] = rows[i].call;
        if (rows[i].line)
            buf_puts(&want, rows[i].line);
        else
            buf_printf(&want, "pid (0, 0, 0) idx () %f\n", 1e300);
    }
    for (int fibers = 0; fibers < 2; fibers++) {
        unsigned char seen[5] = {0};
        void *loaded = load(&f, fibers ? "0, 0, 1" : "0, 0, 0", 0);
        Shared shared = {.failing = 3, .num_calls = NUM_ROWS, .calls = calls, .seen = seen};
        f.printed.length = 0, f.prints = 0;
        struct timespec before, after;
        clock_gettime(CLOCK_MONOTONIC, &before);
        if (loaded) CHECK(launch(&f, loaded, &shared, 5, 1, 1) == TERN_OK);
        clock_gettime(CLOCK_MONOTONIC, &after);
        CHECK(f.prints == 1);
        CHECK_STR(str_c(f.arena, buf_str(&f.printed)), want.data);
        CHECK(shared.now >= before.tv_sec * 1000000000ll + before.tv_nsec &&
              shared.now <= after.tv_sec * 1000000000ll + after.tv_nsec);
        shared.num_calls = 0;
        if (loaded) CHECK(launch(&f, loaded, &shared, 5, 1, 1) == TERN_OK && f.prints == 1);
        f.device.print = NULL; /* nobody listens */
        shared.num_calls = NUM_ROWS;
        if (loaded) CHECK(launch(&f, loaded, &shared, 5, 1, 1) == TERN_OK && f.prints == 1);
        f.device.print = take_print;
        device_cpu.unload(&f.device, loaded);
    }
    close_device(&f);
}

/* ---- what is no kernel ---- */

TEST(objects_that_are_no_kernels) {
    static const struct {
        const char *facts, *code, *words;
    } rows[] = {
        {"PUBLIC const long long tern_facts[] = {0, 0, 0};\n", "int other;\n",
         "is no kernel of this version"},
        {"", body, "is no kernel of this version"},
        {"PUBLIC const long long tern_facts[] = {0, 0, 0};\n", "int tern_kernel(;\n",
         "failed on generated code:\n"},
        {"PUBLIC const long long tern_facts[] = {0, 0, 0};\n",
         "extern int nobody_has_this(void);\nint tern_kernel(void **a, const int *b, long long c, "
         "long "
         "long d, char *e, KernelRuntime *f, int g) { return nobody_has_this(); }\n",
         "undefined symbol: nobody_has_this"},
    };
    Fixture f;
    if (!open_device(&f)) return;
    for (int i = 0; i < COUNT(rows); i++) {
        void *loaded = NULL;
        CompiledKernel kernel = kernel_of(f.arena, rows[i].facts, rows[i].code);
        errno = 77;
        CHECK(device_cpu.load(&f.device, &kernel, &loaded) == TERN_ERROR_DEVICE && !loaded);
        CHECK(errno == 77 && strstr(f.device.why.data, rows[i].words));
    }
    void *good = load(&f, "0, 0, 0", 0); /* and then one that is */
    CHECK(good);
    device_cpu.unload(&f.device, good);
    close_device(&f);
}

/* ---- the device ---- */

static bool cpu_has(const char *flags, const char *name) {
    char word[40];
    snprintf(word, sizeof word, " %s ", name);
    return strstr(flags, word) != NULL;
}

TEST(its_names) {
    static char flags[8192] = " ", line[8192];
    bool amd = false;
    FILE *info = fopen("/proc/cpuinfo", "r");
    while (info && fgets(line, sizeof line, info) && strlen(flags) < 9)
        if (strstr(line, "AuthenticAMD"))
            amd = true;
        else if (!strncmp(line, "flags", 5))
            snprintf(flags, sizeof flags, "%s ", strtok(line, "\n"));
    if (info) fclose(info);
#if defined(__x86_64__)
    bool wide = cpu_has(flags, "avx512f") && cpu_has(flags, "avx512bw") &&
                cpu_has(flags, "avx512dq") && cpu_has(flags, "avx512vl"),
         dots = wide && cpu_has(flags, "avx512_vnni"),
         medium = cpu_has(flags, "avx2") && cpu_has(flags, "fma"),
         pairs = dots && cpu_has(flags, "avx512vbmi") && cpu_has(flags, "avx512_bf16"),
         tiles = dots && cpu_has(flags, "avx512vbmi") && cpu_has(flags, "amx_tile") &&
                 cpu_has(flags, "amx_int8") && cpu_has(flags, "amx_bf16");
#else
    bool wide = false, dots = false, pairs = false, medium = false, tiles = false;
#endif
    const struct {
        const char *argument, *name, *target;
        bool there;
    } rows[] = {{NULL, "cpu",
                 tiles          ? "cpu:amx"
                 : pairs && amd ? "cpu:avx512bf16"
                 : dots         ? "cpu:avx512vnni"
                 : wide         ? "cpu:avx512"
                 : medium       ? "cpu:avx2"
                                : "cpu:generic",
                 true},
                {"generic", "cpu:generic", "cpu:generic", true},
                {"avx2", "cpu:avx2", "cpu:avx2", wide || medium},
                {"avx512", "cpu:avx512", "cpu:avx512", wide},
                {"avx512vnni", "cpu:avx512vnni", "cpu:avx512vnni", dots},
                {"avx512bf16", "cpu:avx512bf16", "cpu:avx512bf16", tiles || (pairs && amd)},
                {"amx", "cpu:amx", "cpu:amx", tiles},
                {"avx", NULL, NULL, false},
                {"", NULL, NULL, false}};
    for (int i = 0; i < COUNT(rows); i++)
        for (int threads = 1; threads <= 2; threads++) {
            Fixture f;
            bool opened = open_as(&f, rows[i].argument, threads);
            CHECK(opened == rows[i].there);
            if (!opened) continue;
            CHECK_STR(str_c(f.arena, f.device.name), rows[i].name);
            CHECK_STR(f.device.target, rows[i].target);
            const char *begin = threads == 1 ? "1 thread, " : "2 threads, ";
            CHECK(!strncmp(f.device.description.data, begin, strlen(begin)));
            const char *end = strrchr(f.device.description.data, ',');
            CHECK(end && !strcmp(end + 2, rows[i].target + 4));
            close_device(&f);
        }
}

TEST(memory_is_aligned_and_whole) {
    static const size_t sizes[] = {0, 1, 255, 256, 257, 4096, 100000};
    Fixture f;
    void *blocks[COUNT(sizes)];
    if (!open_device(&f)) return;
    for (int i = 0; i < COUNT(sizes); i++) {
        CHECK(device_cpu.alloc(&f.device, sizes[i], &blocks[i]) == TERN_OK);
        CHECK(blocks[i] && (uintptr_t)blocks[i] % 256 == 0);
        if (blocks[i]) memset(blocks[i], i, sizes[i]);
    }
    for (int i = 0; i < COUNT(sizes); i++)
        for (size_t k = 0; k < sizes[i]; k += 255) CHECK(((unsigned char *)blocks[i])[k] == i);
    for (int i = 0; i < COUNT(sizes); i++) device_cpu.release(&f.device, blocks[i]);
    static const size_t none[] = {SIZE_MAX, SIZE_MAX - 255, SIZE_MAX - 511, SIZE_MAX - 512,
                                  SIZE_MAX / 2};
    for (int i = 0; i < COUNT(none) && !ENDS_WHERE_MEMORY_DOES; i++) {
        void *block = &f;
        CHECK(device_cpu.alloc(&f.device, none[i], &block) == TERN_ERROR_NO_MEMORY && !block);
        CHECK_STR(f.device.why.data,
                  str_format(f.arena, "out of host memory: %zu bytes", none[i]).data);
    }
    close_device(&f);
}

int main(int argc, char **argv) { return main_with_cache(__FILE__, argc, argv); }
