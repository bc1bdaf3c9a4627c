// SPDX-License-Identifier: Apache-2.0
/* Nothing stays: on each device (cuda's is the mock) the same work, also such as fails, is done
 * again and again, and the process has no more memory, mappings and files afterwards. */
#include "test.h"

#include "mock/mock.h"
#include "folder.h"
#include "tern.h"

#include <dirent.h>
#include <malloc.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1 /* it has its own memory, and finds what stays by itself */
#else
#define IS_SANITIZED 0
#endif

static const char text[] =
    "import triton\n"
    "import triton.language as tl\n"
    "\n"
    "@triton.autotune(configs=[triton.Config({'BLOCK': 16}), triton.Config({'BLOCK': 32})], "
    "key=['n'])\n"
    "@triton.jit\n"
    "def double(x, y, n, BLOCK: tl.constexpr):\n"
    "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "    v = tl.load(x + i, mask=i < n, other=0.0)\n"
    "    tl.store(y + i, v + v, mask=i < n)\n"
    "@triton.jit\n"
    "def outside(x, y, n):\n"
    "    tl.store(x + 1000000 + tl.arange(0, 4), 1.0)\n"
    "@triton.jit\n"
    "def asserts(x, y, n):\n"
    "    tl.device_print('n', n)\n"
    "    tl.device_assert(n < 0, 'it is not')\n"
    "@triton.jit\n"
    "def locks(x, y, n):\n"
    "    while tl.atomic_cas(y, n - n, 1) == 1:\n"
    "        pass\n"
    "    tl.store(x, 2.0)\n"
    "    tl.atomic_xchg(y, 0)\n"
    "@triton.jit\n"
    "def lanes(x, y, n):\n"
    "    a = tl.arange(0, 16)\n"
    "    b = tl.reshape(tl.load(x + a), [4, 4])\n"
    "    c = tl.sum(tl.cumsum(b, 1, reverse=True), 0)\n"
    "    d = tl.sort(tl.load(y + a))\n"
    "    m, k = tl.max(tl.trans(b), 1, return_indices=True)\n"
    "    tl.store(x + tl.arange(0, 4), c + tl.join(m, c).split()[0] + k)\n"
    "    tl.store(y + a, tl.gather(d, 15 - a, 0))\n"
    "    h = tl.histogram(a % 3, 4)\n"
    "    tl.store(y + tl.arange(0, 4), tl.where(h > 5, h, -h).to(tl.float32))\n"
    "    e = tl.arange(0, 256)\n"
    "    q = tl.reshape((e % 7).to(tl.float16), [16, 16])\n"
    "    tl.store(x + a, tl.sum(tl.dot(q, q), 1))\n"
    "@triton.jit\n"
    "def wrong(x, y, n):\n"
    "    return undefined_name + n\n";

typedef struct Used {
    size_t heap;
    int files, mappings;
} Used;

static Used used(void) {
    Used now = {0};
    struct mallinfo2 info = mallinfo2();
    now.heap = info.uordblks + info.hblkhd;
    DIR *files = opendir("/proc/self/fd");
    while (files && readdir(files)) now.files++;
    if (files) closedir(files);
    FILE *maps = fopen("/proc/self/maps", "r");
    for (int c; maps && (c = fgetc(maps)) != EOF;) now.mappings += c == '\n';
    if (maps) fclose(maps);
    return now;
}

static tern_status launch(tern_module *module, const char *name, const char *signature,
                          tern_buffer *x, tern_buffer *y) {
    tern_kernel *kernel = tern_compile(module, name, signature, NULL);
    if (!kernel) return TERN_ERROR_COMPILE;
    const tern_argument arguments[] = {tern_arg_buffer(x), tern_arg_buffer(y), tern_arg_int(30)};
    tern_status status = tern_launch(NULL, kernel, (uint32_t[]){2, 1, 1}, arguments, 3);
    tern_work work;
    tern_kernel_work(kernel, (uint32_t[]){2, 1, 1}, arguments, 3, &work);
    for (int stage = 0; stage < 4; stage++) tern_kernel_text(kernel, (tern_stage)stage);
    tern_free(tern_kernel_counters(kernel, true));
    tern_kernel_free(kernel);
    return status;
}

static void queues(tern_context *context, tern_buffer *buffer) {
    char bytes[8] = {0};
    double ns;
    tern_stream *stream = tern_stream_create(context);
    tern_event *start = tern_event_create(context), *end = tern_event_create(context);
    tern_event *clock = tern_event_create_clocked(context);
    tern_gate *gate = tern_gate_create(context);
    tern_write_async(stream, buffer, 0, bytes, 8);
    tern_event_record(start, stream);
    tern_event_record(end, stream);
    tern_event_elapsed(start, end, &ns);
    if (clock) tern_event_free(clock);
    if (gate) tern_gate_free(gate);
    if (tern_graph_begin(stream) == TERN_OK) tern_graph_free(tern_graph_end(stream));
    tern_event_free(start);
    tern_event_free(end);
    tern_stream_free(stream);
}

static void arrays(tern_context *context, const char *folder) {
    char path[200];
    float values[6] = {1, 2, 3, 4, 5, 6};
    tern_array array = {.dtype = TERN_FLOAT32,
                        .rank = 2,
                        .shape = {2, 3},
                        .size_bytes = sizeof values,
                        .data = values},
               back;
    snprintf(path, sizeof path, "%s/a.npy", folder);
    CHECK(tern_npy_write(context, path, &array) == TERN_OK);
    CHECK(tern_npy_read(context, path, &back) == TERN_OK);
    tern_free(back.data);
    FILE *file = fopen(path, "r+b"); /* cut short, and no array at all */
    if (file && ftruncate(fileno(file), 140) == 0) fclose(file);
    CHECK(tern_npy_read(context, path, &back) != TERN_OK);
    file = fopen(path, "r+b");
    if (file && ftruncate(fileno(file), 3) == 0) fclose(file);
    CHECK(tern_npy_read(context, path, &back) != TERN_OK);
    CHECK(tern_npy_read(context, "/nowhere/at/all.npy", &back) != TERN_OK);
    unlink(path);
}

/* What each launch ends in differs by device; that it ends the same way in each round is
 * checked. */
static unsigned round_on(const char *device, const char *folder) {
    char cache[200];
    tern_status status;
    snprintf(cache, sizeof cache, "%s/cache", folder);
    tern_context *context =
        tern_open(&(tern_open_options){.device = device, .cache_dir = cache, .num_threads = 2},
                  &status, NULL, 0);
    CHECK(context);
    if (!context) return 0;
    tern_module *module = tern_load_text(context, text, sizeof text - 1, "leaks.py");
    tern_module *bad = tern_load_text(context, "def (:\n", 7, "bad.py");
    CHECK(module);
    tern_module_free(bad);
    const tern_config *configs;
    tern_module_configs(module, "double", &configs);
    tern_module_ast(module, "double");
    tern_buffer *x = tern_alloc(context, 4096), *y = tern_alloc(context, 4096);
    CHECK(x && y && !tern_alloc(context, SIZE_MAX / 2));
    tern_fill(x, 1), tern_fill(y, 0);
    static const char plain[] = "*fp32,*fp32,i32", ints[] = "*fp32,*i32,i32";
    unsigned ends = 0;
    ends = ends * 16 + (unsigned)launch(module, "double", "*fp32:16,*fp32,i32,16", x, y);
    ends = ends * 16 + (unsigned)launch(module, "lanes", plain, x, y);
    tern_fill(y, 0);
    ends = ends * 16 + (unsigned)launch(module, "locks", ints, x, y);
    ends = ends * 16 + (unsigned)launch(module, "wrong", plain, x, y);
    ends = ends * 16 + (unsigned)launch(module, "asserts", plain, x, y);
    if (strcmp(device, "cpu") && strcmp(device, "cuda")) /* they do not look */
        ends = ends * 16 + (unsigned)launch(module, "outside", plain, x, y);
    tern_free(tern_take_output(context));
    queues(context, x);
    arrays(context, folder);
    tern_buffer_free(y);
    tern_module_free(module);
    tern_close(context); /* x, and what else is left */
    tern_free(tern_devices(true));
    return ends;
}

static void check_device(const char *device) {
    enum { WARM = 2, ROUNDS = 6 };
    char folder[] = "/tmp/tern-leaks-XXXXXX";
    if (!mkdtemp(folder)) {
        CHECK(!"a folder");
        return;
    }
    unsigned ends = round_on(device, folder);
    for (int i = 0; i < WARM; i++) CHECK(round_on(device, folder) == ends);
    Used before = used();
    for (int i = 0; i < ROUNDS; i++) CHECK(round_on(device, folder) == ends);
    Used after = used();
    int mappings = after.mappings - before.mappings;
    /* A stack that the C library keeps for the next thread is a mapping, and has a table. */
    size_t tables = mappings > 0 ? 2048 * (size_t)mappings : 0;
    bool is_same = after.heap < before.heap + 8 * ROUNDS + tables && after.files <= before.files &&
                   mappings < ROUNDS;
    CHECK(is_same);
    if (!is_same)
        printf("%s: %ld bytes, %d files, %d mappings more\n", device,
               (long)(after.heap - before.heap), after.files - before.files, mappings);
    CHECK(folder_remove(folder, "/tmp/tern-leaks-XXXXXX"));
}

TEST(interp) {
    if (IS_SANITIZED) {
        SKIP("a sanitizer looks for leaks itself");
        return;
    }
    check_device("interp");
}

TEST(sim) {
    if (IS_SANITIZED) {
        SKIP("a sanitizer looks for leaks itself");
        return;
    }
    check_device("sim");
}

TEST(cpu) {
    if (IS_SANITIZED) {
        SKIP("a sanitizer looks for leaks itself");
        return;
    }
    if (system("cc --version >/dev/null 2>&1")) {
        SKIP("no C compiler");
        return;
    }
    check_device("cpu");
}

TEST(cuda) {
    if (IS_SANITIZED) {
        SKIP("a sanitizer looks for leaks itself");
        return;
    }
    setenv("TERN_CUDA_DRIVER", MOCK_DRIVER, 1);
    setenv("TERN_NVML", MOCK_NVML, 1);
    check_device("cuda");
    unsetenv("TERN_CUDA_DRIVER");
}

/* Chunks that a thread keeps for its next allocation would count as used. */
int main(int argc, char **argv) {
    if (!IS_SANITIZED && !getenv("GLIBC_TUNABLES")) {
        setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0", 1);
        execv("/proc/self/exe", argv);
    }
    return test_main(__FILE__, argc, argv);
}
