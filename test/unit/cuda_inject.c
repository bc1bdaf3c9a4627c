// SPDX-License-Identifier: Apache-2.0
/* Programs of CUDA that have no tern in them, on a libcupti without a GPU: the driver would call
 * InitializeInjection, and reports are written when the program exits. Each is a child. */
#include "mock/cupti.h"
#include "prof/outside.h"
#include "prof/prof.h"
#include "test.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];

static const CuptiMock *cupti(void) {
    void *library = dlopen(MOCK_CUPTI, RTLD_NOW | RTLD_LOCAL);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), exit(1), NULL;
    const CuptiMock *(*control)(void);
    void *found = dlsym(library, "mock_cupti");
    memcpy(&control, &found, sizeof control);
    return control();
}

/* A launch of 30 us, whose kernel runs for 5. */
static void launch(uint32_t correlation) {
    uint64_t now = cupti()->now();
    CuptiCall call = {.kind = CUPTI_DRIVER,
                      .call = 307,
                      .start_ns = now,
                      .end_ns = now + 30000,
                      .thread = (uint32_t)syscall(SYS_gettid),
                      .correlation = correlation};
    CuptiKernel kernel = {.kind = CUPTI_KERNEL,
                          .start_ns = now + 40000,
                          .end_ns = now + 45000,
                          .stream = 7,
                          .grid = {1, 1, 1},
                          .block = {32, 1, 1},
                          .correlation = correlation,
                          .name = "_Z5twicePfi"};
    cupti()->record(&call, sizeof call);
    cupti()->record(&kernel, sizeof kernel);
    usleep(100);
}

static char *report(int number, const char *ending) {
    static char text[100000];
    char path[100];
    snprintf(path, sizeof path, "%s/%d.%s", folder, number, ending);
    FILE *file = fopen(path, "r");
    text[file ? fread(text, 1, sizeof text - 1, file) : 0] = 0;
    if (file) fclose(file);
    return text;
}

/* How the child ended. */
static int run(void (*program)(void)) {
    int status = -1;
    strcpy(folder, "/tmp/inject-XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        setenv("TERN_CUPTI", MOCK_CUPTI, 1);
        setenv("TERN_PROFILE_CUDA", folder, 1);
        cupti()->reset();
        program();
        _exit(99);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void clean(void) {
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK(system(command) == 0);
}

static long resident_bytes(void) {
    long all, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &all, &resident) != 2) resident = 0;
    if (file) fclose(file);
    return resident * sysconf(_SC_PAGESIZE);
}

/* It takes no memory for a million ranges, of which it has none. A child of it that exits has not
 * recorded anything, and writes nothing. */
static void usual(void) {
    enum { LITTLE = 16 << 20 };
    long before = resident_bytes();
    if (InitializeInjection() != 1 || InitializeInjection() != 0) _exit(98);
    if (!before || resident_bytes() - before > LITTLE) _exit(97);
    for (uint32_t i = 1; i <= 3; i++) launch(i);
    pid_t forked = fork();
    if (!forked) exit(0);
    waitpid(forked, NULL, 0);
    exit(7);
}

TEST(a_program_is_recorded_to_its_exit) {
    CHECK(run(usual) == 7);
    void *cplusplus = dlopen("libstdc++.so.6", RTLD_LAZY);
    const char *text = report(1, "txt"), *name = cplusplus ? "twice(float*, int)" : "_Z5twicePfi";
    CHECK(strstr(text, name) && strstr(text, "cuLaunchKernel") &&
          strstr(text, "CUDA in cuda_inject, process "));
    CHECK(strstr(text, "self GPU 15.000us\nrecording: ") && strstr(text, "times by CUPTI"));
    CHECK(strstr(report(1, "json"), name));
    CHECK(strstr(report(1, "folded"), cplusplus
                                          ? "cuLaunchKernel;twice(float*,_int)_[device] 15000\n"
                                          : "cuLaunchKernel;_Z5twicePfi_[device] 15000\n"));
    CHECK(strstr(report(1, "html"), name));
    CHECK(!*report(2, "txt"));
    clean();
}

static void taken(void) {
    cupti()->fail("cuptiSubscribe", CUPTI_MULTIPLE_SUBSCRIBERS);
    if (InitializeInjection() != 1) _exit(98);
    exit(3);
}
static void without(void) {
    setenv("TERN_CUPTI", "/nonexistent/libcupti.so", 1);
    if (InitializeInjection() != 1) _exit(98);
    exit(0);
}
static void unasked(void) {
    unsetenv("TERN_PROFILE_CUDA");
    exit(InitializeInjection());
}

TEST(what_cannot_be_recorded_is_said) {
    CHECK(run(taken) == 3);
    CHECK_STR(report(1, "txt"),
              "nothing was recorded: another profiler is attached to this process\n");
    CHECK(!*report(1, "json"));
    clean();
    CHECK(run(without) == 0);
    CHECK_STR(report(1, "txt"),
              "nothing was recorded: libcupti.so is not here; TERN_CUPTI may name it\n");
    clean();
    CHECK(run(unasked) == 0 && !*report(1, "txt"));
    clean();
}

TEST_MAIN()
