// SPDX-License-Identifier: Apache-2.0
/* Accesses on interp and sim are held against the buffer that the pointer comes from, and reads
 * against what was written. */
#include "test.h"

#include "device/window.h"
#include "tern.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char text[] = "import triton\n"
                           "import triton.language as tl\n"
                           "@triton.jit\n"
                           "def load_at(x, y, out, off):\n"
                           "    i = tl.arange(0, 4)\n"
                           "    tl.store(out + i, tl.load(x + off + i))\n"
                           "@triton.jit\n"
                           "def store_at(x, y, out, off):\n"
                           "    i = tl.arange(0, 4)\n"
                           "    tl.store(x + off + i, i)\n"
                           "@triton.jit\n"
                           "def add_at(x, y, out, off):\n"
                           "    i = tl.arange(0, 4)\n"
                           "    tl.atomic_add(x + off + i, i)\n"
                           "@triton.jit\n"
                           "def by_int(x, y, out, off):\n"
                           "    i = tl.arange(0, 4)\n"
                           "    p = (x.to(tl.int64) + off * 4).to(tl.pointer_type(tl.int32))\n"
                           "    tl.store(out + i, tl.load(p + i))\n"
                           "@triton.jit\n"
                           "def by_table(x, table, out, off):\n"
                           "    i = tl.arange(0, 4)\n"
                           "    p = tl.load(table).to(tl.pointer_type(tl.int32))\n"
                           "    tl.store(out + i, tl.load(p + off + i))\n"
                           "@triton.jit\n"
                           "def select(x, y, out, off):\n"
                           "    i = tl.arange(0, 4)\n"
                           "    p = x\n"
                           "    if off > 100:\n"
                           "        p = y\n"
                           "    tl.store(out + i, tl.load(p + off + i))\n"
                           "@triton.jit\n"
                           "def evens(x, y, out, off):\n"
                           "    i = tl.arange(0, 8)\n"
                           "    tl.store(x + off + 2 * i, i, mask=i < 5)\n"
                           "@triton.jit\n"
                           "def masked(x, y, out, off):\n"
                           "    i = tl.arange(0, 4)\n"
                           "    tl.store(out + i, tl.load(x + i, mask=i < off, other=7))\n";

/* ---- the memory itself ---- */

typedef struct Mapping {
    uintptr_t start, end;
    bool is_memory;
} Mapping;

/* The mapping that holds an address, and those that touch it on both sides. */
static int mappings_at(const void *pointer, Mapping *around) {
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    unsigned long start, end;
    char rights[8];
    int found = -1, count = 0;
    Mapping all[3] = {{0}};
    while (maps && fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx %7s", &start, &end, rights) != 3) continue;
        if (found == 1 && all[1].end != start) break;
        all[found == 1 ? 2 : 1] = (Mapping){start, end, rights[0] == 'r' && rights[1] == 'w'};
        count++;
        if (found == 1) break;
        if ((uintptr_t)pointer >= start && (uintptr_t)pointer < end)
            found = 1;
        else
            all[0] = all[1];
    }
    if (maps) fclose(maps);
    memcpy(around, all, sizeof all);
    return found == 1 ? count : 0;
}

static int count_mappings(void) {
    FILE *maps = fopen("/proc/self/maps", "r");
    int count = 0;
    for (int c; maps && (c = fgetc(maps)) != EOF;) count += c == '\n';
    if (maps) fclose(maps);
    return count;
}

enum { PAGE_BYTES = 4096 };

/* Guard, written bits, head, data, guard: nothing more than is needed lies between. */
static void check_layout(const char *memory, size_t size) {
    Mapping around[3];
    CHECK(memory && mappings_at(memory, around));
    uintptr_t data = (uintptr_t)memory, bits = (uintptr_t)window_written((void *)(uintptr_t)memory);
    CHECK(data % PAGE_BYTES == 0);
    CHECK(around[0].end == around[1].start && around[1].end == around[2].start);
    CHECK(!around[0].is_memory && around[1].is_memory && !around[2].is_memory);
    CHECK(around[1].start == bits && around[1].end >= data + size);
    CHECK(around[1].end - (data + size) <= PAGE_BYTES); /* one page where it ends at a page */
    uintptr_t room = data - PAGE_BYTES - bits;
    CHECK(room >= size / 8 + 8 && room < size / 8 + 8 + PAGE_BYTES);
    uintptr_t guard = around[2].end - around[2].start;
    CHECK(guard == around[0].end - around[0].start);
    CHECK(guard == PAGE_BYTES || guard == (uintptr_t)64 << 20 || guard == (uintptr_t)1 << 30 ||
          guard == (uintptr_t)16 << 30);
}

/* First, while no other window is there that its guards could join. */
TEST(a_window_is_a_buffer_between_guards) {
    static const size_t sizes[] = {0,    1,          7,     8,      4095,   4096,
                                   4097, 32768 - 64, 32768, 294912, 1000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int before = count_mappings();
        size_t size = sizes[i];
        char *memory = window_alloc(size);
        CHECK(memory);
        if (!memory) return;
        check_layout(memory, size);
        unsigned char *written = window_written(memory);
        size_t on = 0;
        for (size_t k = 0; k < size / 8 + 8; k++) on += written[k] != 0;
        CHECK(on == 0);
        memset(written, 0xff, size / 8 + 8); /* none of it is data or what frees it */
        memset(memory, 0x5a, size);
        for (size_t k = 0; k < size / 8 + 8; k++) on += written[k] == 0xff;
        CHECK(on == size / 8 + 8 && window_written(memory) == written);
        window_free(memory);
        CHECK(count_mappings() == before);
    }
    window_free(NULL);
    CHECK(!window_alloc(SIZE_MAX) && !window_alloc(SIZE_MAX / 2));
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_OWN_ADDRESSES 1 /* the sanitizer's: they leave no room for a limit */
#else
#define HAS_OWN_ADDRESSES 0
#endif

/* With few addresses guards are smaller; with little memory there is none, and nothing stays. */
static int under_limits(void) {
    unsigned long pages = 0;
    FILE *sizes = fopen("/proc/self/statm", "r");
    bool is_read = sizes && fscanf(sizes, "%lu", &pages) == 1;
    if (sizes) fclose(sizes);
    if (!is_read) return 1;
    static const struct {
        rlim_t more, guard;
    } rows[] = {{(rlim_t)40 << 30, (rlim_t)1 << 30},
                {(rlim_t)3 << 30, (rlim_t)64 << 20},
                {(rlim_t)32 << 20, PAGE_BYTES}};
    for (int i = 0; i < 3; i++) {
        struct rlimit limit;
        if (getrlimit(RLIMIT_AS, &limit)) return 2;
        limit.rlim_cur = pages * PAGE_BYTES + rows[i].more;
        if (setrlimit(RLIMIT_AS, &limit)) return 2;
        Mapping around[3];
        char *memory = window_alloc(5000);
        if (!memory || !mappings_at(memory, around)) return 3;
        check_layout(memory, 5000);
        CHECK(around[2].end - around[2].start == rows[i].guard);
        window_free(memory);
    }
    if (window_alloc((size_t)1 << 30)) return 4; /* more than all addresses */
    struct rlimit all, little;
    if (getrlimit(RLIMIT_AS, &all) || getrlimit(RLIMIT_DATA, &little)) return 5;
    all.rlim_cur = all.rlim_max, little.rlim_cur = (rlim_t)8 << 20;
    if (setrlimit(RLIMIT_AS, &all) || setrlimit(RLIMIT_DATA, &little)) return 5;
    int before = count_mappings();
    if (window_alloc((size_t)64 << 20)) return 6;
    if (count_mappings() != before) return 7;
    return test_bad_checks ? 8 : 0;
}

TEST(a_window_under_limits) {
    if (HAS_OWN_ADDRESSES) {
        SKIP("a sanitizer has addresses of its own");
        return;
    }
    int status = -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) _exit(under_limits());
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    if (status) printf("status %#x\n", (unsigned)status);
}

/* ---- the words of a fault ---- */

static char memory[1024];

enum { NO_PARAM = -1 };

/* x and y lie apart in `memory`, z right behind y; h is a buffer that no argument is in. */
static const DeviceRange ranges[] = {{memory + 100, 40, NULL},
                                     {memory + 300, 64, NULL},
                                     {memory + 364, 8, NULL},
                                     {memory + 900, 16, NULL}};

static const KernelParam params[] = {
    {.name = {"n", 1}, .type = SCALAR_I32},
    {.name = {"x", 1}, .type = SCALAR_F32, .is_pointer = true},
    {.name = {"y", 1}, .type = SCALAR_F64, .is_pointer = true},
    {.name = {"z", 1}, .type = SCALAR_I8, .is_pointer = true},
};

typedef struct Fault {
    int param, at; /* at: in memory; the launch gives x from its 2nd element on */
    const char *outside, *unwritten;
} Fault;

static const Fault faults[] = {
    {1, 140,
     "load of 4 bytes outside the buffer of 'x', which has 40 bytes: 40 bytes after its "
     "start, at element 9 of 'x'",
     "element 9 of 'x'"},
    {1, 100,
     "load of 4 bytes outside the buffer of 'x', which has 40 bytes: 0 bytes after its "
     "start, at element -1 of 'x'",
     "element -1 of 'x'"},
    {1, 99,
     "load of 4 bytes outside the buffer of 'x', which has 40 bytes: 1 bytes before its "
     "start, at element -2 of 'x'",
     "element -2 of 'x'"},
    {1, 104, NULL, "element 0 of 'x'"},
    {1, 107, NULL, "element 0 of 'x'"},
    {1, 108, NULL, "element 1 of 'x'"},
    {1, 103, NULL, "element -1 of 'x'"},
    {1, 310,
     "load of 4 bytes outside the buffer of 'x', which has 40 bytes: 210 bytes after its "
     "start, at element 51 of 'x'",
     NULL},
    {2, 299,
     "load of 4 bytes outside the buffer of 'y', which has 64 bytes: 1 bytes before its "
     "start, at element -1 of 'y'",
     NULL},
    {3, 380,
     "load of 4 bytes outside the buffer of 'z', which has 8 bytes: 16 bytes after its "
     "start, at element 16 of 'z'",
     NULL},
    /* Of no known parameter: the buffer that it is in, or is nearest. */
    {NO_PARAM, 150,
     "load of 4 bytes outside the buffer of 'x', which has 40 bytes: 50 bytes after "
     "its start, at element 11 of 'x'",
     NULL},
    {NO_PARAM, 250,
     "load of 4 bytes outside the buffer of 'y', which has 64 bytes: 50 bytes "
     "before its start, at element -7 of 'y'",
     NULL},
    {NO_PARAM, 220,
     "load of 4 bytes outside the buffer of 'x', which has 40 bytes: 120 bytes "
     "after its start, at element 29 of 'x'",
     NULL},
    {NO_PARAM, 362,
     "load of 4 bytes outside the buffer of 'y', which has 64 bytes: 62 bytes after "
     "its start, at element 7 of 'y'",
     "element 7 of 'y'"},
    {NO_PARAM, 364,
     "load of 4 bytes outside the buffer of 'y', which has 64 bytes: 64 bytes after "
     "its start, at element 8 of 'y'",
     "element 0 of 'z'"},
    {NO_PARAM, 371, NULL, "element 7 of 'z'"},
    {NO_PARAM, 890,
     "load of 4 bytes outside a buffer that no argument is in, which has 16 bytes: "
     "10 bytes before its start",
     NULL},
    {NO_PARAM, 920,
     "load of 4 bytes outside a buffer that no argument is in, which has 16 bytes: "
     "20 bytes after its start",
     NULL},
    /* A parameter that is no pointer has no buffer. */
    {0, 930,
     "load of 4 bytes outside a buffer that no argument is in, which has 16 bytes: 30 "
     "bytes after its start",
     NULL},
};

static void check_words(const Device *device, const CompiledKernel *kernel, const Fault *fault) {
    char words[400], want[400];
    int32_t n = 7;
    char *x = memory + 104, *y = memory + 300, *z = memory + 364;
    void *args[] = {&n, &x, &y, &z};
    WindowFault at = {
        device, kernel, args, fault->param, "load", (uint64_t)(uintptr_t)(memory + fault->at), 4};
    if (fault->outside) {
        memset(words, '#', sizeof words);
        window_say_outside(&at, words, sizeof words - 100);
        CHECK_STR(words, fault->outside);
        for (size_t size = 1; size < strlen(fault->outside); size += 7) { /* cut, never beyond */
            memset(words, '#', sizeof words);
            window_say_outside(&at, words, size);
            CHECK(strlen(words) == size - 1 && !strncmp(words, fault->outside, size - 1));
            CHECK(words[size] == '#');
        }
    }
    if (fault->unwritten && fault->param != 0) {
        snprintf(want, sizeof want, "load of 4 bytes that nobody wrote: %s", fault->unwritten);
        window_say_unwritten(&at, words, sizeof words);
        CHECK_STR(words, want);
    }
}

/* Of a list of buffers only as many as there are: what stands behind them is none. */
TEST(buffers_that_are_no_more) {
    char words[200];
    Device device = {.ranges = ranges};
    for (device.num_ranges = 0; device.num_ranges < 4; device.num_ranges++) {
        const DeviceRange *behind = &ranges[device.num_ranges];
        uint64_t address = (uint64_t)(uintptr_t)behind->base;
        void *args[] = {&address};
        KernelParam param = {.name = STR("x"), .is_pointer = true};
        CompiledKernel kernel = {.num_params = 1, .params = &param};
        bool in_others = false;
        for (int i = 0; i < device.num_ranges; i++)
            in_others |= address >= (uint64_t)(uintptr_t)ranges[i].base &&
                         address <= (uint64_t)(uintptr_t)ranges[i].base + ranges[i].size;
        const DeviceRange *found = window_of_param(&device, &kernel, args, 0);
        CHECK(found != behind && (found != NULL) == in_others);
        WindowFault fault = {&device, &kernel, args, -1, "load", address, 4};
        window_say_outside(&fault, words, sizeof words);
        if (!device.num_ranges) CHECK(strstr(words, "which is in no buffer"));
    }
}

TEST(a_fault_has_its_place) {
    CompiledKernel kernel = {.num_params = 4, .params = params};
    Device device = {.ranges = ranges, .num_ranges = 4};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        check_words(&device, &kernel, &faults[i]);
    char words[200], want[200];
    WindowFault fault = {&device, &kernel, NULL, NO_PARAM, "store", 4096, 8};
    window_say_outside(&fault, words, sizeof words);
    CHECK_STR(words, "store of 8 bytes at address 0x1000, which is in no buffer");
    fault.kernel = NULL; /* parameters are not known */
    fault.address = (uint64_t)(uintptr_t)(memory + 120);
    window_say_outside(&fault, words, sizeof words);
    snprintf(want, sizeof want, "store of 8 bytes at address %p, which is in no buffer",
             (void *)(memory + 120));
    CHECK_STR(words, want);
    window_say_unwritten(&fault, words, sizeof words);
    snprintf(want, sizeof want, "store of 8 bytes that nobody wrote: address %p",
             (void *)(memory + 120));
    CHECK_STR(words, want);
}

TEST(a_parameters_buffer) {
    CompiledKernel kernel = {.num_params = 4, .params = params};
    Device device = {.ranges = ranges, .num_ranges = 4};
    static const struct {
        int at, range; /* the index of the buffer; -1: none */
    } rows[] = {{99, -1},  {100, 0}, {139, 0}, {140, 0}, {141, -1}, {299, -1},
                {300, 1},  {363, 1}, {364, 2}, {371, 2}, {372, 2},  {373, -1},
                {899, -1}, {900, 3}, {915, 3}, {916, 3}, {917, -1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *pointer = memory + rows[i].at;
        void *args[] = {&pointer, &pointer, &pointer, &pointer};
        const DeviceRange *want = rows[i].range < 0 ? NULL : &ranges[rows[i].range];
        for (int p = 1; p < 4; p++) CHECK(window_of_param(&device, &kernel, args, p) == want);
        CHECK(!window_of_param(&device, &kernel, args, 0));
        CHECK(!window_of_param(&device, &kernel, args, -1));
        CHECK(!window_of_param(&device, NULL, args, 1));
    }
}

/* What a write notes is all its bytes and no others. */
TEST(writes_are_noted_to_the_byte) {
    unsigned char bits[16] = {0};
    char own[64], from[64] = {0};
    DeviceRange range = {own, sizeof own, bits}, other = {memory, sizeof memory, NULL};
    DeviceRange both[] = {other, range};
    Device device = {.ranges = both, .num_ranges = 2};
    for (size_t at = 0; at < 20; at++)
        for (size_t bytes = 0; at + bytes <= 40; bytes++)
            for (int fills = 0; fills < 2; fills++) {
                memset(bits, 0, sizeof bits);
                memset(own, 0x11, sizeof own);
                CHECK((fills ? window_fill(&device, own + at, 0, bytes)
                             : window_write(&device, own + at, from, bytes)) == TERN_OK);
                bool is_right = true;
                for (size_t i = 0; i < sizeof own; i++) {
                    bool inside = i >= at && i < at + bytes;
                    is_right = is_right && (bits[i / 8] >> i % 8 & 1) == inside &&
                               own[i] == (inside ? 0 : 0x11);
                }
                CHECK(is_right);
            }
    /* Memory that is not followed, and memory of nobody. */
    CHECK(window_write(&device, memory + 5, from, 8) == TERN_OK);
    CHECK(window_fill(&device, from, 1, sizeof from) == TERN_OK && from[63] == 1);
}

static const char *const devices[] = {"interp", "sim"};
enum { ELEMENTS = 32 };

typedef struct Fixture {
    tern_context *context;
    tern_module *module;
    tern_buffer *x, *y, *out;
} Fixture;

static bool begin(Fixture *f, const char *device) {
    *f = (Fixture){.context = tern_open(&(tern_open_options){.device = device}, NULL, NULL, 0)};
    f->module = f->context ? tern_load_text(f->context, text, sizeof text - 1, "w.py") : NULL;
    f->x = f->module ? tern_alloc(f->context, ELEMENTS * 4) : NULL;
    f->y = f->module ? tern_alloc(f->context, ELEMENTS * 4) : NULL;
    f->out = f->module ? tern_alloc(f->context, ELEMENTS * 4) : NULL;
    CHECK(f->x && f->y && f->out);
    if (!f->out) return false;
    CHECK(!tern_fill(f->x, 1) && !tern_fill(f->y, 2) && !tern_fill(f->out, 3));
    return true;
}

static tern_status launch(Fixture *f, const char *name, const char *signature, int64_t offset) {
    tern_kernel *kernel = tern_compile(f->module, name, signature, NULL);
    CHECK(kernel);
    if (!kernel) return printf("%s\n", tern_message(f->context)), TERN_ERROR_COMPILE;
    const tern_argument arguments[] = {tern_arg_buffer(f->x), tern_arg_buffer(f->y),
                                       tern_arg_buffer(f->out), tern_arg_int(offset)};
    tern_status status = tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, 4);
    tern_kernel_free(kernel);
    return status;
}

/* Fails, and the message has these words. */
static void expect(Fixture *f, const char *name, int64_t offset, const char *words) {
    bool by_table = !strcmp(name, "by_table");
    tern_status status =
        launch(f, name, by_table ? "*i32,*i64,*i32,i64" : "*i32,*i32,*i32,i64", offset);
    bool found = strstr(tern_message(f->context), words) != NULL;
    CHECK(status == TERN_ERROR_KERNEL);
    CHECK(found);
    if (!found) printf("%s %s: %s\n", tern_device_name(f->context), name, tern_message(f->context));
}

static int64_t elements_between(const tern_buffer *from, const tern_buffer *to) {
    return ((const char *)tern_buffer_pointer(to) - (const char *)tern_buffer_pointer(from)) / 4;
}

TEST(the_right_buffer_is_named) {
    for (int d = 0; d < 2; d++) {
        Fixture f;
        if (!begin(&f, devices[d])) continue;
        static const char *const kernels[] = {"load_at", "store_at", "add_at", "by_int"};
        for (int k = 0; k < 4; k++) {
            CHECK(launch(&f, kernels[k], "*i32,*i32,*i32,i64", 28) == TERN_OK);
            expect(&f, kernels[k], 29,
                   "outside the buffer of 'x', which has 128 bytes: 128 bytes after its start, at "
                   "element 32 of 'x'");
            expect(&f, kernels[k], -2,
                   "outside the buffer of 'x', which has 128 bytes: 8 bytes before its start, at "
                   "element -2 of 'x'");
            /* Any wrong stride of 32 bits stays in the window. */
            expect(&f, kernels[k], INT32_MAX, "at element 2147483647 of 'x'");
            expect(&f, kernels[k], INT32_MIN, "at element -2147483648 of 'x'");
        }
        tern_close(f.context);
    }
}

/* An offset that leads exactly into another argument's memory. */
TEST(another_arguments_memory_is_not_ones_own) {
    Fixture f;
    if (!begin(&f, "interp")) return;
    int64_t there = elements_between(f.x, f.y);
    expect(&f, "load_at", there, "load of 4 bytes outside the buffer of 'x'");
    expect(&f, "store_at", there, "store of 4 bytes outside the buffer of 'x'");
    expect(&f, "add_at", there, "atomic of 4 bytes outside the buffer of 'x'");
    unsigned char bytes[ELEMENTS * 4];
    CHECK(!tern_read(f.y, 0, bytes, sizeof bytes));
    for (size_t i = 0; i < sizeof bytes; i++) CHECK(bytes[i] == 2);
    /* Where the pointer was an int, it may be any buffer's. */
    CHECK(launch(&f, "by_int", "*i32,*i32,*i32,i64", there) == TERN_OK);
    /* Of two arguments either: the window says which it is outside of. */
    expect(&f, "select", 101, "outside the buffer of 'y'");
    expect(&f, "select", 100, "outside the buffer of 'x'");
    tern_close(f.context);
}

TEST(pointers_from_memory) {
    for (int d = 0; d < 2; d++) {
        Fixture f;
        if (!begin(&f, devices[d])) continue;
        tern_buffer *hidden = tern_alloc(f.context, 64);
        CHECK(hidden && !tern_fill(hidden, 0));
        uint64_t to[] = {(uint64_t)(uintptr_t)tern_buffer_pointer(f.x),
                         (uint64_t)(uintptr_t)tern_buffer_pointer(hidden)};
        CHECK(!tern_write(f.y, 0, &to[0], 8));
        CHECK(launch(&f, "by_table", "*i32,*i64,*i32,i64", 28) == TERN_OK);
        expect(&f, "by_table", 30, "outside the buffer of 'x', which has 128 bytes");
        CHECK(!tern_write(f.y, 0, &to[1], 8));
        CHECK(launch(&f, "by_table", "*i32,*i64,*i32,i64", 12) == TERN_OK);
        expect(&f, "by_table", 1000,
               "outside a buffer that no argument is in, which has 64 bytes: 4000 bytes after");
        uint64_t nowhere = 64;
        CHECK(!tern_write(f.y, 0, &nowhere, 8));
        expect(&f, "by_table", 0, "at address 0x40, which is in no buffer");
        tern_close(f.context);
    }
}

TEST(what_nobody_wrote_is_not_read) {
    for (int d = 0; d < 2; d++) {
        Fixture f;
        if (!begin(&f, devices[d])) continue;
        CHECK(tern_forget(f.x, 40, 3) == TERN_OK); /* of element 10, all but one byte */
        expect(&f, "load_at", 9, "load of 4 bytes that nobody wrote: element 10 of 'x'");
        expect(&f, "add_at", 8, "atomic of 4 bytes that nobody wrote: element 10 of 'x'");
        expect(&f, "by_int", 7, "that nobody wrote: element 10 of 'x'");
        CHECK(launch(&f, "load_at", "*i32,*i32,*i32,i64", 11) == TERN_OK);
        CHECK(launch(&f, "store_at", "*i32,*i32,*i32,i64", 9) == TERN_OK);
        CHECK(launch(&f, "load_at", "*i32,*i32,*i32,i64", 9) == TERN_OK);
        /* Lanes that are masked off are not looked at. */
        CHECK(tern_forget(f.x, 12, 4) == TERN_OK);
        CHECK(launch(&f, "masked", "*i32,*i32,*i32,i64", 3) == TERN_OK);
        expect(&f, "masked", 4, "that nobody wrote: element 3 of 'x'");
        /* Fresh memory; the host's writes count, whatever they write. */
        tern_buffer_free(f.x);
        f.x = tern_alloc(f.context, ELEMENTS * 4);
        expect(&f, "load_at", 0, "that nobody wrote: element 0 of 'x'");
        static const unsigned char zeros[16];
        CHECK(f.x && !tern_write(f.x, 0, zeros, sizeof zeros));
        CHECK(launch(&f, "load_at", "*i32,*i32,*i32,i64", 0) == TERN_OK);
        expect(&f, "load_at", 1, "that nobody wrote: element 4 of 'x'");
        tern_close(f.context);
    }
}

TEST(written_is_what_was_written) {
    for (int d = 0; d < 2; d++) {
        Fixture f;
        if (!begin(&f, devices[d])) continue;
        unsigned char written[ELEMENTS * 4], again[7];
        CHECK(tern_forget(f.x, 0, sizeof written) == TERN_OK);
        CHECK(launch(&f, "evens", "*i32,*i32,*i32,i64", 3) == TERN_OK);
        CHECK(tern_written(f.x, 0, sizeof written, written) == TERN_OK);
        for (int i = 0; i < ELEMENTS * 4; i++) {
            int element = i / 4 - 3;
            CHECK(written[i] == (element >= 0 && element < 10 && element % 2 == 0));
        }
        for (size_t at = 0; at < 20; at++) { /* forgotten in any alignment, and nothing else */
            CHECK(!tern_fill(f.x, 0) && !tern_forget(f.x, at, 2 * at + 1));
            CHECK(!tern_written(f.x, 0, sizeof written, written));
            for (size_t i = 0; i < sizeof written; i++)
                CHECK(written[i] == (i < at || i >= 3 * at + 1));
            CHECK(!tern_written(f.x, at, sizeof again, again));
            CHECK(!memcmp(again, written + at, sizeof again));
        }
        CHECK(tern_written(f.x, 125, 4, written) == TERN_ERROR_ARGUMENT);
        CHECK(tern_forget(f.x, 125, 4) == TERN_ERROR_ARGUMENT);
        /* The user's own memory is not followed, and may be read. */
        int32_t own[ELEMENTS] = {0};
        tern_buffer_free(f.x);
        f.x = tern_wrap(f.context, own, sizeof own);
        CHECK(f.x && tern_written(f.x, 0, 4, written) == TERN_ERROR_UNSUPPORTED);
        CHECK(tern_forget(f.x, 0, 4) == TERN_OK);
        CHECK(launch(&f, "load_at", "*i32,*i32,*i32,i64", 0) == TERN_OK);
        tern_close(f.context);
    }
}

/* The user's own memory has no window: two buffers may touch. */
TEST(own_memory_that_touches) {
    for (int d = 0; d < 2; d++) {
        Fixture f;
        if (!begin(&f, devices[d])) continue;
        int32_t own[2 * ELEMENTS] = {0};
        tern_buffer_free(f.x);
        tern_buffer_free(f.y);
        f.x = tern_wrap(f.context, own, sizeof own / 2);
        f.y = tern_wrap(f.context, own + ELEMENTS, sizeof own / 2);
        CHECK(f.x && f.y && launch(&f, "load_at", "*i32,*i32,*i32,i64", 28) == TERN_OK);
        CHECK(launch(&f, "select", "*i32,*i32,*i32,i64", 0) == TERN_OK);
        if (d == 0) expect(&f, "load_at", 29, "outside the buffer of 'x', which has 128 bytes");
        tern_buffer *x = f.x; /* the one that begins where another ends */
        f.x = f.y;
        CHECK(launch(&f, "load_at", "*i32,*i32,*i32,i64", 0) == TERN_OK);
        f.x = x;
        tern_close(f.context);
    }
}

/* More buffers than wide windows have room for; the last ones leave room for others. */
TEST(many_buffers) {
    tern_context *context = tern_open(&(tern_open_options){.device = "interp"}, NULL, NULL, 0);
    if (!context) return;
    enum { COUNT_OF = 9000 };
    bool ok = true;
    for (int i = 0; i < COUNT_OF && ok; i++) {
        tern_buffer *buffer = tern_alloc(context, (size_t)i);
        ok = buffer && !tern_fill(buffer, 1);
    }
    void *room =
        mmap(NULL, (size_t)1 << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(ok && room != MAP_FAILED);
    if (room != MAP_FAILED) munmap(room, (size_t)1 << 30);
    tern_close(context);
}

TEST_MAIN()
