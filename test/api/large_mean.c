// SPDX-License-Identifier: Apache-2.0
/* The lecture's mean kernel at its own size, 10000 x 10000, from its own text, against float64:
 * each program adds 1024 numbers one by one in f32. Devices: $TERN_LARGE_DEVICES, default cpu. */
#include "tern.h"
#include "test.h"

#include <dirent.h>

enum { BLOCK = 1024 };

/* The jit function `name` out of any text file of the folder, with the imports that it needs; NULL
 * when there is none. The caller frees it. */
static char *seed_text(const char *name) {
    const char *folder = getenv("TERN_SEEDS");
    DIR *dir = folder ? opendir(folder) : NULL;
    char *found = NULL, head[64];
    snprintf(head, sizeof head, "def %s(", name);
    for (struct dirent *entry; dir && !found && (entry = readdir(dir));) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *file = fopen(path, "r");
        static char text[1 << 17];
        size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
        if (file) fclose(file);
        text[size] = 0;
        char *start = strstr(text, head), *end = start ? strstr(start, "\n# ") : NULL;
        if (!end) continue;
        static const char before[] = "import triton\nimport triton.language as tl\n@triton.jit\n";
        found = malloc(sizeof before + (size_t)(end - start) + 2);
        if (found) sprintf(found, "%s%.*s\n", before, (int)(end - start), start);
    }
    if (dir) closedir(dir);
    return found;
}

static float number_at(size_t i) {
    uint32_t bits = (uint32_t)i * 2654435761u;
    return (float)(bits >> 8) / 8388608.0f - 1.0f;
}

static void check_on(const char *device, const char *text, size_t n) {
    char why[256];
    size_t programs = (n + BLOCK - 1) / BLOCK;
    tern_context *tern =
        tern_open(&(tern_open_options){.size = sizeof(tern_open_options), .device = device}, NULL,
                  why, sizeof why);
    CHECK(tern != NULL);
    if (!tern) return;
    tern_module *module = tern_load_text(tern, text, strlen(text), "mean.py");
    tern_kernel *kernel =
        module ? tern_compile(module, "mean_kernel", "*fp32:16,*fp32:16,i32:16,1024", NULL) : NULL;
    tern_buffer *x = tern_alloc(tern, n * sizeof(float)),
                *out = tern_alloc(tern, programs * sizeof(float));
    float *numbers = malloc(n * sizeof(float)), *means = malloc(programs * sizeof(float));
    CHECK(kernel && x && out && numbers && means);
    for (size_t i = 0; i < n; i++) numbers[i] = number_at(i);
    tern_argument args[] = {tern_arg_buffer(x), tern_arg_buffer(out), tern_arg_int((int64_t)n)};
    CHECK(!tern_write(x, 0, numbers, n * sizeof(float)) && !tern_fill(out, 0xff));
    CHECK(!tern_launch(NULL, kernel, (const uint32_t[3]){(uint32_t)programs, 1, 1}, args, 3));
    CHECK(!tern_read(out, 0, means, programs * sizeof(float)));
    size_t wrong = 0;
    for (size_t p = 0; p < programs; p++) {
        double sum = 0, size = 0;
        for (size_t i = p * BLOCK; i < n && i < (p + 1) * BLOCK; i++)
            sum += numbers[i], size += fabs((double)numbers[i]);
        /* 1024 additions, each within half an ulp of a partial sum that stays below `size`. */
        wrong += !(fabs((double)means[p] - sum / (double)n) <= BLOCK * 6e-8 * size / (double)n);
    }
    CHECK(wrong == 0);
    free(numbers), free(means);
    tern_close(tern);
}

TEST(mean_of_10000_squared) {
    char *text = seed_text("mean_kernel");
    if (!text) {
        SKIP("no seed with mean_kernel in $TERN_SEEDS");
        return;
    }
    const char *devices = getenv("TERN_LARGE_DEVICES");
    char names[256];
    snprintf(names, sizeof names, "%s", devices ? devices : "cpu");
    for (char *name = strtok(names, ","); name; name = strtok(NULL, ","))
        check_on(name, text, 100000000);
    free(text);
}

TEST_MAIN()
