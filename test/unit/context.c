// SPDX-License-Identifier: Apache-2.0
/* A context's own parts: its options, which may be shorter than ours, what kernels print, the place
 * of a failure, the list of devices. */
#include "api/context.h"
#include "test.h"

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

static tern_context *open_interp(void) {
    tern_context *context = tern_open(&(tern_open_options){.device = "interp"}, NULL, NULL, 0);
    CHECK(context != NULL);
    if (!context) exit(1);
    return context;
}

/* ---- options ---- */

/* A program made for an older library has fewer: what lies behind them is not looked at. */
TEST(options_may_be_fewer) {
    static const struct {
        size_t size;
        bool opens;
    } rows[] = {{0, false},
                {sizeof(tern_open_options), false},
                {sizeof(tern_open_options) + 100, false},
                {offsetof(tern_open_options, timeout_ms), true},
                {offsetof(tern_open_options, timeout_ms) + sizeof(int), false}};
    for (int i = 0; i < COUNT(rows); i++) {
        char words[200] = "before";
        tern_status status = TERN_ERROR_KERNEL;
        tern_open_options options = {.size = rows[i].size, .device = "interp", .timeout_ms = -1};
        errno = 77;
        tern_context *context = tern_open(&options, &status, words, sizeof words);
        CHECK((context != NULL) == rows[i].opens && errno == 77);
        CHECK(status == (rows[i].opens ? TERN_OK : TERN_ERROR_ARGUMENT));
        CHECK_STR(words, rows[i].opens ? "" : "timeout_ms is negative");
        if (context) CHECK_STR(tern_message(context), "");
        tern_close(context);
        CHECK(errno == 77);
    }
    char few[8];
    tern_open_options options = {.device = "nowhere"};
    CHECK(!tern_open(&options, NULL, few, sizeof few));
    CHECK_STR(few, "no devi");
    CHECK(!tern_open(&options, NULL, NULL, 5) && !tern_open(&options, NULL, few, 0));
}

TEST(kernels_options_may_be_fewer) {
    static const char text[] = "import triton\n@triton.jit\ndef f(x): pass\n";
    tern_context *context = open_interp();
    tern_module *module = tern_load_text(context, text, strlen(text), "f.py");
    for (int full = 0; full < 3; full++) {
        tern_options options = {.size = full == 0   ? offsetof(tern_options, num_warps)
                                        : full == 1 ? sizeof options
                                                    : sizeof options + 8,
                                .num_warps = 3};
        tern_kernel *kernel = tern_compile(module, "f", "*i32", &options);
        CHECK((kernel != NULL) == !full);
    }
    CHECK(tern_compile(module, "f", "*i32", NULL));
    tern_close(context);
}

/* What the options point at is the caller's, and may go when the context is open. */
TEST(options_are_copied) {
    char path[] = "/tmp/tern-include-XXXXXX", file[64], given[64], cache[64];
    static const char text[] = "import triton\nfrom part import K\n@triton.jit\n"
                               "def f(x):\n    x + K\n";
    CHECK(mkdtemp(path));
    snprintf(file, sizeof file, "%s/part.py", path);
    FILE *part = fopen(file, "w");
    CHECK(part && fputs("K = 5\n", part) >= 0 && fclose(part) == 0);
    for (int count = -1; count <= 2; count++) {
        snprintf(given, sizeof given, "%s", path), snprintf(cache, sizeof cache, "%s/cache", path);
        const char *dirs[] = {"/nowhere", given};
        tern_context *context = tern_open(&(tern_open_options){.device = "interp",
                                                               .include_dirs = dirs,
                                                               .num_include_dirs = count,
                                                               .cache_dir = cache},
                                          NULL, NULL, 0);
        memset(given, 'x', sizeof given - 1), memset(cache, 'x', sizeof cache - 1);
        dirs[0] = dirs[1] = NULL;
        CHECK(context);
        if (!context) continue;
        tern_module *module = tern_load_text(context, text, strlen(text), "f.py");
        tern_kernel *kernel = module ? tern_compile(module, "f", "*i32", NULL) : NULL;
        CHECK((kernel != NULL) == (count == 2));
        char want[64];
        snprintf(want, sizeof want, "%s/cache", path);
        CHECK_STR(tern_cache_dir(context), want);
        CHECK(tern_cache_dir(context) == tern_cache_dir(context));
        tern_close(context);
        rmdir(want);
    }
    CHECK(unlink(file) == 0 && rmdir(path) == 0);
}

TEST(a_device_by_the_environment) {
    static const char *const rows[][3] = {{"interp", "nowhere", "interp"},
                                          {NULL, "interp", "interp"},
                                          {"", "sim", "cpu"}, /* as if nothing was said */
                                          {NULL, "nowhere", NULL}};
    setenv("TERN_CUDA_DRIVER", "/nowhere/libcuda.so.1", 1);
    for (int i = 0; i < COUNT(rows); i++) {
        setenv("TERN_DEVICE", rows[i][1], 1);
        tern_context *context =
            tern_open(&(tern_open_options){.device = rows[i][0], .cache_dir = ""}, NULL, NULL, 0);
        bool has_compiler = system("cc --version >/dev/null 2>&1") == 0;
        if (!rows[i][2])
            CHECK(!context);
        else if (strcmp(rows[i][2], "cpu") || has_compiler)
            CHECK(context && !strcmp(tern_device_name(context), rows[i][2]));
        tern_close(context);
    }
    unsetenv("TERN_DEVICE");
    tern_context *context = tern_open(NULL, NULL, NULL, 0);
    if (context) CHECK_STR(tern_device_name(context), "cpu");
    tern_close(context);
    unsetenv("TERN_CUDA_DRIVER");
}

/* ---- what kernels print ---- */

TEST(a_mebibyte_is_kept) {
    enum { MOST = 1 << 20, LINE = 1 << 10 };
    static char line[LINE];
    tern_context *context = open_interp();
    memset(line, 'x', sizeof line);
    CHECK(!tern_take_output(context));
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < MOST / LINE; i++) context_output(context, line, LINE);
        char *text = tern_take_output(context);
        CHECK(text && strlen(text) == MOST && text[MOST - 1] == 'x');
        tern_free(text);
        CHECK(!tern_take_output(context));
    }
    for (int i = 0; i < MOST / LINE; i++) context_output(context, line, LINE);
    context_output(context, "y", 1);
    char *text = tern_take_output(context);
    CHECK(text && strlen(text) == MOST + 19 && !strcmp(text + MOST, "(more was dropped)\n"));
    tern_free(text);
    static char large[MOST + 1];
    memset(large, 'z', sizeof large);
    context_output(context, large, sizeof large);
    text = tern_take_output(context);
    CHECK_STR(text, "(all was dropped)\n");
    tern_free(text);
    context_output(context, "a\n", 2);
    context_output(context, "bc\n", 3);
    text = tern_take_output(context);
    CHECK_STR(text, "a\nbc\n");
    tern_free(text);
    context_output(context, "nobody takes this", 17);
    tern_close(context);
}

/* ---- failures ---- */

TEST(a_failure_has_words_and_a_place) {
    static const struct {
        const char *text, *words;
        tern_status status;
        int line, column; /* 0: none */
    } rows[] = {
        {"    tl.store(x, unknown)\n    tl.store(x, other)\n",
         "f.py:5:17: error: 'unknown' is not defined", TERN_ERROR_COMPILE, 5, 17},
        {"    tl.store(x, unknown)\n", "f.py:5:17: error: 'unknown' is not defined",
         TERN_ERROR_COMPILE, 5, 17},
        {"    tl.store(x, 1)\n    y = tl.extern_elementwise('', '', [x], None, True)\n",
         "f.py:6:9: not supported: ", TERN_ERROR_UNSUPPORTED, 6, 9},
        {"    pass\n", "", TERN_OK, 0, 0},
    };
    tern_context *context = open_interp();
    for (int i = 0; i < COUNT(rows); i++) {
        char text[300];
        const char *file = "-";
        int line = 0, column = 0;
        snprintf(text, sizeof text,
                 "import triton\nimport triton.language as tl\n@triton.jit\ndef f(x):\n%s",
                 rows[i].text);
        tern_module *module = tern_load_text(context, text, strlen(text), "f.py");
        tern_kernel *kernel = module ? tern_compile(module, "f", "*i32", NULL) : NULL;
        CHECK((kernel != NULL) == !rows[i].line);
        if (kernel) continue;
        CHECK(tern_message_status(context) == rows[i].status);
        bool begins = !strncmp(tern_message(context), rows[i].words, strlen(rows[i].words));
        if (!begins) printf("%s\n", tern_message(context));
        CHECK(begins);
        size_t length = strlen(tern_message(context));
        CHECK(length && tern_message(context)[length - 1] != '\n');
        CHECK(tern_message_place(context, &file, &line, &column));
        CHECK_STR(file, "f.py");
        CHECK(line == rows[i].line && column == rows[i].column);
        CHECK(tern_message_place(context, NULL, NULL, NULL));
        CHECK(!tern_load_file(context, "/nowhere/at/all.py")); /* a failure without a place */
        CHECK(!tern_message_place(context, &file, &line, &column));
        CHECK(tern_message_status(context) == TERN_ERROR_SYSTEM);
    }
    tern_close(context);
    CHECK_STR(tern_message(NULL), "");
    CHECK(tern_message_status(NULL) == TERN_OK && !tern_message_place(NULL, NULL, NULL, NULL));
    tern_close(NULL);
}

TEST(statuses_have_names) {
    static const struct {
        int status;
        const char *name;
    } rows[] = {{TERN_OK, "TERN_OK"},
                {TERN_ERROR_ARGUMENT, "TERN_ERROR_ARGUMENT"},
                {TERN_ERROR_COMPILE, "TERN_ERROR_COMPILE"},
                {TERN_ERROR_UNSUPPORTED, "TERN_ERROR_UNSUPPORTED"},
                {TERN_ERROR_NO_MEMORY, "TERN_ERROR_NO_MEMORY"},
                {TERN_ERROR_DEVICE, "TERN_ERROR_DEVICE"},
                {TERN_ERROR_SYSTEM, "TERN_ERROR_SYSTEM"},
                {TERN_ERROR_KERNEL, "TERN_ERROR_KERNEL"},
                {77, "unknown tern_status"}};
    for (int i = 0; i < COUNT(rows); i++)
        CHECK_STR(tern_status_name((tern_status)rows[i].status), rows[i].name);
}

/* ---- devices ---- */

/* What a device says is the machine's: it may hold anything. */
TEST(the_list_of_devices_is_json) {
    setenv("TERN_CUDA_DRIVER", "/no \"where\\\n\x1f\x7f", 1);
    char *text = tern_devices(true);
    CHECK(text && !strncmp(text, "[\n  {\"name\": \"interp\", \"available\": true, ", 42));
    CHECK(text && strstr(text, "no NVIDIA driver: /no \\\"where\\\\\\n\\u001f\\u007f: cannot"));
    CHECK(text && strstr(text, ",\n  {\"name\": \"cuda\", \"available\": false, "));
    CHECK(text && strlen(text) > 4 && !strcmp(text + strlen(text) - 4, "}\n]\n"));
    tern_free(text);
    text = tern_devices(false);
    CHECK(text && !strncmp(text, "interp   here     interpreter of", 32));
    CHECK(text && strstr(text, "\ncuda     missing  no NVIDIA driver: /no \"where\\\n"));
    tern_free(text);
    unsetenv("TERN_CUDA_DRIVER");
}

TEST(devices_by_name) {
    static const struct {
        const char *name;
        const DeviceOps *ops;
        const char *argument;
    } rows[] = {{"interp", &device_interp, NULL},
                {"cpu", &device_cpu, NULL},
                {"cpu:avx2", &device_cpu, "avx2"},
                {"sim:h100", &device_sim, "h100"},
                {"cuda:", &device_cuda, ""},
                {"cuda:1:2", &device_cuda, "1:2"},
                {"cud", NULL, NULL},
                {"cudaa", NULL, NULL},
                {"", NULL, NULL},
                {":1", NULL, "1"},
                {"Cuda", NULL, NULL}};
    for (int i = 0; i < COUNT(rows); i++) {
        const char *argument = "?";
        CHECK(device_find(rows[i].name, &argument) == rows[i].ops);
        CHECK(rows[i].argument ? argument && !strcmp(argument, rows[i].argument) : !argument);
    }
    static const struct {
        const char *device;
        bool on_host, is_fast, checks;
    } properties[] = {{"interp", true, false, true},    {"cpu:avx2", true, true, false},
                      {"sim", true, false, true},       {"cuda:7", false, true, false},
                      {"nowhere", false, false, false}, {NULL, false, false, false}};
    for (int i = 0; i < COUNT(properties); i++) {
        const char *device = properties[i].device;
        CHECK(tern_device_property(device, TERN_DEVICE_ON_HOST) == properties[i].on_host);
        CHECK(tern_device_property(device, TERN_DEVICE_IS_FAST) == properties[i].is_fast);
        CHECK(tern_device_property(device, TERN_DEVICE_CHECKS_ACCESSES) == properties[i].checks);
        CHECK(!tern_device_property(device, (tern_property)77));
    }
}

/* ---- the time limit ---- */

TEST(a_time_limit_that_is_none_is_refused) {
    static const struct {
        const char *variable;
        int asked_ms;
        const char *words; /* NULL: taken */
    } rows[] = {
        {NULL, 0, NULL},
        {"", 0, NULL},
        {"0", 0, NULL},
        {"1000", 0, NULL},
        {"86400000", 0, NULL},
        {"86400001", 0, "TERN_TIMEOUT_MS='86400001': expected milliseconds, at most 86400000"},
        {"-1", 0, "TERN_TIMEOUT_MS='-1': expected milliseconds, at most 86400000"},
        {"1s", 0, "TERN_TIMEOUT_MS='1s': expected milliseconds, at most 86400000"},
        {"soon", 0, "TERN_TIMEOUT_MS='soon': expected milliseconds, at most 86400000"},
        {"soon", 5, NULL},
        {NULL, INT32_MAX, NULL},
        {"5", -1, "timeout_ms is negative"},
    };
    static const char *const devices[] = {"interp", "sim", "cpu"};
    for (int d = 0; d < COUNT(devices); d++)
        for (int i = 0; i < COUNT(rows); i++) {
            char words[300];
            tern_status status;
            if (rows[i].variable) setenv("TERN_TIMEOUT_MS", rows[i].variable, 1);
            tern_context *context = tern_open(&(tern_open_options){.device = devices[d],
                                                                   .timeout_ms = rows[i].asked_ms,
                                                                   .cache_dir = ""},
                                              &status, words, sizeof words);
            unsetenv("TERN_TIMEOUT_MS");
            if (!context && strstr(words, "no C compiler")) break;
            CHECK((context != NULL) == !rows[i].words);
            CHECK_STR(words, rows[i].words ? rows[i].words : "");
            CHECK(status == (rows[i].words ? TERN_ERROR_ARGUMENT : TERN_OK));
            tern_close(context);
        }
}

TEST_MAIN()
