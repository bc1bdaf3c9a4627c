// SPDX-License-Identifier: Apache-2.0
/* compile: takes tern_compile's place (ld --wrap) in a program that is to run kernels: each is
 * compiled for every target, its texts are hashed, and the program is told that it failed. So
 * `tern replay` and test/api/run say what they would compile, and no list of it exists twice. */
#include "gen.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const gen_targets[] = {"sm_75",       "sm_80",    "sm_90a",     "sm_120",
                                   "cpu:generic", "cpu:avx2", "cpu:avx512", NULL};

tern_kernel *__real_tern_compile(tern_module *module, const char *function, const char *signature,
                                 const tern_options *options);
tern_kernel *__wrap_tern_compile(tern_module *module, const char *function, const char *signature,
                                 const tern_options *options);
tern_module *__real_tern_load_file(tern_context *context, const char *path);
tern_module *__wrap_tern_load_file(tern_context *context, const char *path);
tern_module *__real_tern_load_text(tern_context *context, const char *text, size_t length,
                                   const char *path);
tern_module *__wrap_tern_load_text(tern_context *context, const char *text, size_t length,
                                   const char *path);

/* Of the module that was loaded last: these programs take one after the other. */
static tern_context *context;
static char path[512];

tern_module *__wrap_tern_load_file(tern_context *in, const char *from) {
    context = in;
    snprintf(path, sizeof path, "%s", from);
    return __real_tern_load_file(in, from);
}

tern_module *__wrap_tern_load_text(tern_context *in, const char *text, size_t length,
                                   const char *from) {
    context = in;
    snprintf(path, sizeof path, "%s", from);
    return __real_tern_load_text(in, text, length, from);
}

/* FNV-1a, as the IR's own tables use. */
static uint64_t hash_of(const char *text) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash;
}

static void write_all(const char *file, int flags, const char *text, size_t length) {
    int handle = open(file, flags, 0666);
    if (handle < 0 || write(handle, text, length) != (ssize_t)length) {
        perror(file);
        exit(1);
    }
    close(handle);
}

void gen_text(const char *target, const char *name, const char *text) {
    char line[4096];
    unsigned long long hash = hash_of(text);
    const char *show = getenv("GEN_SHOW"), *hashes = getenv("GEN_HASHES");
    if (show) {
        snprintf(line, sizeof line, "%s/%016llx", show, hash);
        if (access(line, F_OK) == 0) write_all(line, O_WRONLY | O_TRUNC, text, strlen(text));
        return;
    }
    if (!hashes) return;
    int length = snprintf(line, sizeof line - 1, "%016llx %s %s", hash, target, name);
    if (length > (int)sizeof line - 2) length = sizeof line - 2;
    for (int i = 0; i < length; i++)
        if (line[i] == '\n') line[i] = ' ';
    line[length] = '\n';
    write_all(hashes, O_WRONLY | O_CREAT | O_APPEND, line, (size_t)length + 1);
}

tern_kernel *__wrap_tern_compile(tern_module *module, const char *function, const char *signature,
                                 const tern_options *options) {
    char name[4096];
    tern_options with = options ? *options : (tern_options){0};
    with.verify = false;
    snprintf(name, sizeof name, "%s:%s %s warps=%d stages=%d config=%d debug=%d", path, function,
             signature, with.num_warps, with.num_stages, with.config, with.debug);
    for (int i = 0; gen_targets[i]; i++) {
        with.target = gen_targets[i];
        tern_kernel *kernel = __real_tern_compile(module, function, signature, &with);
        tern_stage stage = !strncmp(gen_targets[i], "cpu", 3) ? TERN_STAGE_C : TERN_STAGE_PTX;
        gen_text(gen_targets[i], name,
                 kernel ? tern_kernel_text(kernel, stage) : tern_message(context));
        tern_kernel_free(kernel);
    }
    return NULL;
}
