// SPDX-License-Identifier: Apache-2.0
/* files: the texts of kernels that stand in files:
 *
 *     files KERNELS.txt FILE.tir..
 *
 * KERNELS.txt: lines "FILE:KERNEL SIGNATURE" of files in kernels/. */
#include "gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_text(const char *path) {
    enum { MOST = 1 << 20 };
    char *text = malloc(MOST + 1);
    FILE *file = fopen(path, "r");
    if (!file || !text) {
        perror(path);
        exit(1);
    }
    text[fread(text, 1, MOST, file)] = 0;
    fclose(file);
    return text;
}

static void do_kernels(tern_context *context, const char *list) {
    char *text = read_text(list), *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));) {
        char path[256], function[256], signature[1024];
        if (sscanf(line, "%199[^:# ]:%255s %1023s", path, function, signature) != 3) continue;
        memmove(path + 8, path, strlen(path) + 1);
        memcpy(path, "kernels/", 8);
        tern_module *module = tern_load_file(context, path);
        if (!module) gen_text("none", line, tern_message(context));
        if (module) tern_compile(module, function, signature, NULL);
        tern_module_free(module);
    }
    free(text);
}

static void do_ir(tern_context *context, const char *path) {
    char *text = read_text(path);
    for (int i = 0; gen_targets[i]; i++) {
        tern_options options = {.size = sizeof options, .target = gen_targets[i]};
        tern_stage stage = !strncmp(gen_targets[i], "cpu", 3) ? TERN_STAGE_C : TERN_STAGE_PTX;
        tern_kernel *kernel = kernel_from_ir(context, text, &options);
        gen_text(gen_targets[i], path,
                 kernel ? tern_kernel_text(kernel, stage) : tern_message(context));
        tern_kernel_free(kernel);
    }
    free(text);
}

int main(int argc, char **argv) {
    char words[512];
    tern_status status;
    tern_context *context = tern_open(&(tern_open_options){.device = "interp", .cache_dir = ""},
                                      &status, words, sizeof words);
    if (!context || argc < 2) {
        fprintf(stderr, "files: %s\n", context ? "usage: files KERNELS.txt FILE.tir.." : words);
        return 1;
    }
    do_kernels(context, argv[1]);
    for (int i = 2; i < argc; i++) do_ir(context, argv[i]);
    tern_close(context);
    return 0;
}
