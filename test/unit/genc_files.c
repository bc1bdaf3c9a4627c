// SPDX-License-Identifier: Apache-2.0
/* Each test/gen/NAME.tir is run by the interpreter and by the cpu device, for each instruction set
 * of this machine, and all buffers are compared. The head of a file says:
 *
 *     # args: x=f32[1000] y=f32[1000] n=i32:1000       buffers get numbers of a fixed seed
 *     # grid: 4
 *     # ulp: 4          floats may differ by so many units in the last place (default 0), and
 *     # abs: 1e-6       by so much besides */
#include "api/context.h"
#include "test.h"

#include <dirent.h>

enum { MOST_ARGS = 12 };

typedef struct Arg {
    char type[16];
    long long count; /* of a buffer; -1: a scalar */
    double value;
    size_t size;
    tern_buffer *buffer;
    unsigned char *start, *result, *want;
} Arg;

typedef struct Case {
    char name[256];
    Arg args[MOST_ARGS];
    int num_args;
    uint32_t grid[3];
    double ulp, absolute;
    const char *text;
} Case;

static uint64_t seed;

static uint64_t next_random(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed >> 33;
}

static size_t type_bytes(const char *type) {
    static const struct {
        const char *name;
        size_t size;
    } sizes[] = {{"i1", 1}, {"i8", 1},  {"i16", 2},  {"i32", 4}, {"i64", 8},
                 {"f8", 1}, {"f16", 2}, {"bf16", 2}, {"f32", 4}, {"f64", 8}};
    for (int i = 0; i < COUNT(sizes); i++)
        if (!strcmp(sizes[i].name, type)) return sizes[i].size;
    return 0;
}

static void fill(Arg *arg) {
    for (long long i = 0; i < arg->count; i++) {
        void *at = arg->start + (size_t)i * arg->size;
        int64_t integer = (int64_t)(next_random() % 200) - 100;
        double real = (double)integer / 32 + (double)(next_random() % 1000) * 1e-5;
        const Type *type = !strcmp(arg->type, "f16")    ? type_scalar(TYPE_F16)
                           : !strcmp(arg->type, "bf16") ? type_scalar(TYPE_BF16)
                           : !strcmp(arg->type, "f32")  ? type_scalar(TYPE_F32)
                                                        : type_scalar(TYPE_F64);
        if (!strcmp(arg->type, "i1")) integer &= 1;
        uint64_t bits = *arg->type == 'f' || *arg->type == 'b' ? constant_from_double(type, real)
                                                               : (uint64_t)integer;
        memcpy(at, &bits, arg->size);
    }
}

static bool parse_head(Case *c, const char *text) {
    c->grid[0] = c->grid[1] = c->grid[2] = 1;
    while (*text == '#') {
        const char *end = strchr(text, '\n');
        char row[2048];
        snprintf(row, sizeof row, "%.*s", (int)(end - text), text);
        if (!strncmp(row, "# grid: ", 8))
            sscanf(row + 8, "%u %u %u", &c->grid[0], &c->grid[1], &c->grid[2]);
        if (!strncmp(row, "# ulp: ", 7)) c->ulp = atof(row + 7);
        if (!strncmp(row, "# abs: ", 7)) c->absolute = atof(row + 7);
        if (!strncmp(row, "# args:", 7))
            for (char *save, *word = strtok_r(row + 7, " ", &save); word;
                 word = strtok_r(NULL, " ", &save)) {
                Arg *arg = &c->args[c->num_args++];
                arg->count = -1;
                char *at = strchr(word, '=') + 1, *stop = at + strcspn(at, "[:");
                memcpy(arg->type, at, (size_t)(stop - at));
                arg->size = type_bytes(arg->type);
                if (*stop == '[')
                    arg->count = atoll(stop + 1);
                else
                    arg->value = atof(stop + 1);
                if (!arg->size) return false;
            }
        text = end + 1;
    }
    c->text = text;
    return true;
}

/* Runs the case; results in arg->result. Returns false after saying why. */
static bool run_case(Case *c, const char *device) {
    char words[1024] = "";
    tern_status status;
    tern_context *context =
        tern_open(&(tern_open_options){.device = device}, &status, words, sizeof words);
    if (!context) return printf("%s: %s\n", device, words), false;
    tern_kernel *kernel = kernel_from_ir(context, c->text, &(tern_options){.debug = true});
    bool good = kernel != NULL;
    tern_argument arguments[MOST_ARGS];
    for (int i = 0; i < c->num_args && good; i++) {
        Arg *arg = &c->args[i];
        arguments[i] = *arg->type == 'f' || *arg->type == 'b' ? tern_arg_float(arg->value)
                                                              : tern_arg_int((int64_t)arg->value);
        if (arg->count < 0) continue;
        arg->buffer = tern_alloc(context, (size_t)arg->count * arg->size);
        tern_write(arg->buffer, 0, arg->start, (size_t)arg->count * arg->size);
        arguments[i] = tern_arg_buffer(arg->buffer);
    }
    good = good && tern_launch(NULL, kernel, c->grid, arguments, c->num_args) == TERN_OK &&
           tern_synchronize(context) == TERN_OK;
    if (!good) printf("%s on %s: %s\n", c->name, device, tern_message(context));
    for (int i = 0; i < c->num_args && good; i++)
        if (c->args[i].count >= 0)
            tern_read(c->args[i].buffer, 0, c->args[i].result,
                      (size_t)c->args[i].count * c->args[i].size);
    tern_close(context);
    return good;
}

static double real_of(const Arg *arg, const unsigned char *at) {
    uint64_t bits = 0;
    memcpy(&bits, at, arg->size);
    TypeKind kind = !strcmp(arg->type, "f16")    ? TYPE_F16
                    : !strcmp(arg->type, "bf16") ? TYPE_BF16
                    : !strcmp(arg->type, "f32")  ? TYPE_F32
                                                 : TYPE_F64;
    return constant_to_double(type_scalar(kind), bits);
}

static double unit_of(const Arg *arg, double x) {
    int digits = !strcmp(arg->type, "f16")    ? 10
                 : !strcmp(arg->type, "bf16") ? 7
                 : !strcmp(arg->type, "f32")  ? 23
                                              : 52;
    return x == 0 ? 0 : ldexp(1, ilogb(x) - digits);
}

static bool same(const Case *c, const Arg *arg, long long i) {
    const unsigned char *got = arg->result + (size_t)i * arg->size,
                        *want = arg->want + (size_t)i * arg->size;
    if (!memcmp(got, want, arg->size)) return true;
    if (*arg->type == 'i') return false;
    double x = real_of(arg, got), y = real_of(arg, want);
    if (x != x && y != y) return true;
    if (x == y) return true;
    return fabs(x - y) <= c->ulp * unit_of(arg, y) + c->absolute;
}

static void compare(const Case *c, const char *device) {
    for (int k = 0; k < c->num_args; k++) {
        const Arg *arg = &c->args[k];
        long long bad = 0, first = -1;
        for (long long i = 0; i < arg->count; i++)
            if (!same(c, arg, i)) bad++, first = first < 0 ? i : first;
        if (bad == 0) continue;
        CHECK(bad == 0);
        uint64_t g = 0, w = 0;
        memcpy(&g, arg->result + (size_t)first * arg->size, arg->size),
            memcpy(&w, arg->want + (size_t)first * arg->size, arg->size);
        printf("%s on %s: argument %d: %lld of %lld differ, first [%lld]: got %#llx (%g), want "
               "%#llx (%g)\n",
               c->name, device, k, bad, arg->count, first, (unsigned long long)g,
               *arg->type == 'i' ? (double)(int64_t)g
                                 : real_of(arg, arg->result + (size_t)first * arg->size),
               (unsigned long long)w,
               *arg->type == 'i' ? (double)(int64_t)w
                                 : real_of(arg, arg->want + (size_t)first * arg->size));
    }
}

static void run_file(const char *folder, const char *name) {
    static const char *const devices[] = {
#define CPU(kind, name, ...) "cpu:" name,
#include "base/cpus.def"
    };
    Arena *arena = arena_new(NULL);
    Str text, why;
    Case c = {0};
    snprintf(c.name, sizeof c.name, "%s", name);
    if (!file_read(arena, str_format(arena, "%s/%s", folder, name).data, 1 << 20, &text, &why) ||
        !parse_head(&c, str_c(arena, text))) {
        CHECK(!"the test file can be read");
        return;
    }
    seed = hash_bytes(name, strlen(name), 7);
    for (int i = 0; i < c.num_args; i++) {
        Arg *arg = &c.args[i];
        if (arg->count < 0) continue;
        size_t size = (size_t)arg->count * arg->size;
        arg->start = arena_alloc(arena, size + 1), arg->result = arena_alloc(arena, size + 1),
        arg->want = arena_alloc(arena, size + 1);
        fill(arg);
    }
    bool good = run_case(&c, "interp");
    CHECK(good);
    for (int i = 0; i < c.num_args; i++)
        if (c.args[i].count >= 0)
            memcpy(c.args[i].want, c.args[i].result, (size_t)c.args[i].count * c.args[i].size);
    for (int d = 0; d < COUNT(devices) && good; d++) {
        char words[256];
        tern_status status;
        tern_context *probe =
            tern_open(&(tern_open_options){.device = devices[d]}, &status, words, sizeof words);
        if (!probe) continue;
        tern_close(probe);
        bool ran = run_case(&c, devices[d]);
        CHECK(ran);
        if (ran) compare(&c, devices[d]);
    }
    arena_free(arena);
}

TEST(files_agree_with_the_interpreter) {
    const char *folder = "test/gen", *only = getenv("TERN_TEST_FILE");
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    CHECK(count > 2);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (strstr(name, ".tir") && (!only || strstr(name, only))) run_file(folder, name);
        free(entries[i]);
    }
    if (count >= 0) free(entries);
}

TEST_MAIN()
