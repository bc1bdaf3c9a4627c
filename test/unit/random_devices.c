// SPDX-License-Identifier: Apache-2.0
/* Random functions of the tile IR print the same on every device as on interp; on a GPU's code,
 * sim, which has an order of its own among lanes, the same lines. The cpu may also say that an
 * offset wraps round inside a tile: it does not run such kernels.
 *
 * TERN_RANDOM_FUNCTIONS: how many for each device (5); TERN_RANDOM_SEED: the first one's seed. A
 * function is printed with its seed when devices disagree. */
#include "api/context.h"
#include "unit/random_ir.h"

static char *output_of(tern_context *context, const char *text, const uint64_t *params,
                       bool *refuses) {
    tern_kernel *kernel = kernel_from_ir(context, text, &(tern_options){.verify = true});
    if (!kernel) {
        printf("%s: %s\n", tern_device_name(context), tern_message(context));
        return NULL;
    }
    tern_argument arguments[RANDOM_PARAMS];
    for (int i = 0; i < RANDOM_PARAMS; i++) {
        arguments[i] = tern_arg_int((int32_t)params[i]);
        if (i < 4) continue;
        arguments[i].kind = TERN_ARGUMENT_POINTER; /* only printed */
        arguments[i].pointer = (void *)(uintptr_t)params[i];
    }
    char *output = NULL;
    *refuses = false;
    if (tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, RANDOM_PARAMS) ||
        tern_synchronize(context)) {
        *refuses = strstr(tern_message(context), "a 32-bit offset wraps round inside one tile");
        if (!*refuses) printf("%s: %s\n", tern_device_name(context), tern_message(context));
        tern_free(tern_take_output(context)); /* of before it stopped: not the next kernel's */
    } else
        output = tern_take_output(context);
    tern_kernel_free(kernel);
    return output;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *lines_sorted(Arena *arena, char *text) {
    size_t count = 0, most = 1;
    for (const char *c = text; *c; c++) most += *c == '\n';
    char **lines = arena_array(arena, char *, most), *rest = text;
    Buf sorted = {.arena = arena};
    for (char *line; (line = strsep(&rest, "\n"));) lines[count++] = line;
    qsort(lines, count, sizeof *lines, by_text);
    for (size_t i = 0; i < count; i++) buf_printf(&sorted, "%s\n", lines[i]);
    return sorted.data;
}

static bool same_everywhere(tern_context *interp, tern_context *other, uint64_t seed) {
    Arena *arena = arena_new(NULL);
    Buf text = {.arena = arena};
    uint64_t params[RANDOM_PARAMS];
    random_state = seed * 0x9e3779b97f4a7c15u + 1;
    Func *fn = random_func(arena, random_below(2), false);
    random_params(fn, random_below(2), params);
    func_print(&text, fn, false);
    bool refuses;
    char *want = output_of(interp, text.data, params, &refuses),
         *got = output_of(other, text.data, params, &refuses);
    char *taken_want = want, *taken_got = got;
    if (want && got && !strncmp(tern_device_name(other), "sim", 3))
        want = lines_sorted(arena, want), got = lines_sorted(arena, got);
    bool same = want && (refuses || (got && !strcmp(want, got)));
    if (!same) {
        size_t at = 0;
        while (want && got && want[at] && want[at] == got[at]) at++;
        while (at > 0 && want && want[at - 1] != '\n') at--;
        printf("seed %llu: interp and %s differ:\n", (unsigned long long)seed,
               tern_device_name(other));
        printf("%.200s\n--\n%.200s\n%s", want ? want + at : "", got ? got + at : "", text.data);
    }
    tern_free(taken_want), tern_free(taken_got);
    arena_free(arena);
    return same;
}

TEST(devices_print_the_same) {
    static const char *const names[] = {"cpu", "cpu:avx2", "cpu:generic",
                                        "sim", "sim:t4",   "sim:a100"};
    const char *count = getenv("TERN_RANDOM_FUNCTIONS"), *first = getenv("TERN_RANDOM_SEED");
    int functions = count ? atoi(count) : 5, opened = 0, wrong = 0;
    uint64_t seed = first ? strtoull(first, NULL, 10) : 1;
    tern_context *interp = tern_open(&(tern_open_options){.device = "interp"}, NULL, NULL, 0);
    CHECK(interp);
    for (int d = 0; d < COUNT(names) && interp; d++) {
        tern_context *other =
            tern_open(&(tern_open_options){.device = names[d], .num_threads = 1, .cache_dir = ""},
                      NULL, NULL, 0);
        if (!other) continue;
        opened++;
        for (int i = 0; i < functions && wrong < 3; i++)
            wrong +=
                !same_everywhere(interp, other, seed + (uint64_t)i * COUNT(names) + (uint64_t)d);
        tern_close(other);
    }
    tern_close(interp);
    CHECK(wrong == 0);
    if (!opened) SKIP("no device besides interp");
}

TEST_MAIN()
