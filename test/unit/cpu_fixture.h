// SPDX-License-Identifier: Apache-2.0
/* cpu_fixture: the cpu device, and kernels written in C by a test, which defines SHARED: the types
 * that it and its kernels both have. */
#ifndef TERN_TEST_CPU_FIXTURE_H
#define TERN_TEST_CPU_FIXTURE_H

#include "base/source.h"
#include "device/device.h"
#include "folder.h"
#include "gen/c/abi.h"
#include "test.h"

#include <errno.h>
#include <unistd.h>

typedef struct Fixture {
    Device device;
    Arena *arena;
    Buf printed;
    int prints;
    jmp_buf no_memory;
} Fixture;

static void take_print(void *user, const char *text, size_t length) {
    Fixture *f = user;
    f->prints++;
    buf_add(&f->printed, text, length);
}

static char cache_dir[] = "/tmp/tern-cpu-XXXXXX";

static tern_status try_open(Fixture *f, const char *argument, const tern_open_options *options) {
    memset(f, 0, sizeof *f);
    f->arena = arena_new(NULL);
    f->printed = (Buf){.arena = f->arena};
    f->device =
        (Device){.ops = &device_cpu, .arena = f->arena, .print = take_print, .print_user = f};
    return device_cpu.open(&f->device, argument, options);
}

__attribute__((unused)) static bool open_as(Fixture *f, const char *argument, int threads) {
    tern_open_options options = {.num_threads = threads, .cache_dir = cache_dir};
    if (try_open(f, argument, &options) == TERN_OK) return true;
    arena_free(f->arena);
    return false;
}

__attribute__((unused)) static bool open_device(Fixture *f) {
    if (open_as(f, NULL, 2)) return true;
    SKIP("no C compiler");
    return false;
}

/* Does the process have a file mapped whose path has this in it? */
static bool is_mapped(const char *part) {
    char line[1024];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) found |= strstr(line, part) != NULL;
    if (maps) fclose(maps);
    return found;
}

static void close_device(Fixture *f) {
    CHECK(!is_mapped(cache_dir)); /* all that was loaded is unloaded */
    device_cpu.close(&f->device);
    arena_free(f->arena);
}

#define WORDS(...)      #__VA_ARGS__
#define WORDS_OF(macro) WORDS(macro)

static const char *facts_of(Arena *arena, const char *facts) {
    return str_format(arena, "PUBLIC const long long tern_facts[] = {%s};\n", facts).data;
}

/* The facts are those of the text: scratch, stored bytes of a program, may it spin. */
#define kernel_of(arena, facts, code)                                                              \
    kernel_with((arena), WORDS_OF(SHARED), "\"first: it was 5\", \"second\"", (facts), (code))

static CompiledKernel kernel_with(Arena *arena, const char *shared, const char *asserts,
                                  const char *facts, const char *code) {
    Str abi = {0}, why;
    CHECK(file_read(arena, "src/gen/c/abi.h", 1 << 20, &abi, &why));
    Str text = str_format(arena,
                          "%.*s\n%s\n#define PUBLIC __attribute__((visibility(\"default\")))\n%s"
                          "PUBLIC const char *const tern_asserts[] = {%s};\n"
                          "PUBLIC int tern_kernel(void **, const int *, long long, long long, "
                          "char *, KernelRuntime *, int);\n%s",
                          STR_ARG(abi), shared, facts, asserts, code);
    return (CompiledKernel){
        .arena = arena, .name = STR("mine"), .text = text, .target = cpu_best_target()};
}

static void *load_kernel(Fixture *f, const CompiledKernel *kernel) {
    void *loaded = NULL;
    errno = 77;
    tern_status status = device_cpu.load(&f->device, kernel, &loaded);
    CHECK(status == TERN_OK && errno == 77);
    if (status) printf("%.*s\n", STR_ARG(f->device.why));
    return loaded;
}

static int main_with_cache(const char *file, int argc, char **argv) {
    if (!mkdtemp(cache_dir)) return 1;
    int failed = test_main(file, argc, argv);
    return folder_remove(cache_dir, "/tmp/tern-cpu-XXXXXX") ? failed : 1;
}

#endif
