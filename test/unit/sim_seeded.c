// SPDX-License-Identifier: Apache-2.0
/* Bugs seeded into the PTX of two kernels, one at a time, as a wrong code generator would make
 * them: each must be found, and by the check that is there for it, or by a wrong result. Unchanged,
 * the kernels pass. */
#include "sim_ptx.h"
#include "tern.h"

static const char source[] = "import triton\nimport triton.language as tl\n\n"
                             "@triton.jit\n"
                             "def norm(x, y, n, B: tl.constexpr):\n"
                             "    i = tl.arange(0, B)\n"
                             "    p = tl.program_id(0)\n"
                             "    v = tl.load(x + p * n + i, mask=i < n, other=0.0)\n"
                             "    s = tl.sum(v, 0)\n"
                             "    m = tl.max(v, 0)\n"
                             "    tl.store(y + p * n + i, v - s + m, mask=i < n)\n\n"
                             "@triton.jit\n"
                             "def turn(x, y, n, B: tl.constexpr):\n"
                             "    i = tl.arange(0, B)\n"
                             "    a = tl.load(x + i[:, None] * B + i[None, :])\n"
                             "    tl.store(y + i[:, None] * B + i[None, :], tl.trans(a))\n";

enum { COLUMNS = 500, ROWS = 2, SIDE = 32 };
static _Alignas(256) float x[1024 + 8], y[1024 + 8]; /* what lies behind is a red zone of its own */

static const char *ptx_of(tern_context **context, const char *kernel, const char *signature) {
    tern_status status;
    char words[512];
    *context = tern_open(&(tern_open_options){.device = "sim", .cache_dir = ""}, &status, words,
                         sizeof words);
    tern_module *module =
        *context ? tern_load_text(*context, source, sizeof source - 1, "seeded.py") : NULL;
    tern_kernel *made = module ? tern_compile(module, kernel, signature, NULL) : NULL;
    CHECK(made);
    return made ? tern_kernel_text(made, TERN_STAGE_PTX) : NULL;
}

/* The n-th `from` becomes `to`; NULL: there is none. A `from` that ends in a newline is a whole
 * line's end. */
static const char *mutated(Arena *arena, const char *text, const char *from, int n,
                           const char *to) {
    const char *at = text;
    for (int i = 0; at; i++, at++) {
        at = strstr(at, from);
        if (!at || i == n) break;
    }
    if (!at) return NULL;
    return str_format(arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)).data;
}

static bool norm_is_right(void) {
    for (int row = 0; row < ROWS; row++) {
        float sum = 0, most = -1e9f; /* small integers: exact in any order */
        for (int i = 0; i < COLUMNS; i++)
            sum += x[row * COLUMNS + i], most = fmaxf(most, x[row * COLUMNS + i]);
        for (int i = 0; i < COLUMNS; i++)
            if (y[row * COLUMNS + i] != x[row * COLUMNS + i] - sum + most) return false;
    }
    for (int i = ROWS * COLUMNS; i < COUNT(y); i++)
        if (y[i] != -7) return false;
    return true;
}

static bool turn_is_right(void) {
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++)
            if (y[i * SIDE + k] != x[k * SIDE + i]) return false;
    return true;
}

/* Who found something, in the first of 8 orders in which anybody did; NULL: all is as it should be
 * in each. */
static const char *found_by(Arena *arena, const char *text, bool is_norm) {
    const char *found = NULL;
    for (uint64_t seed = 0; seed < 8 && !found; seed++) {
        Bench b = bench_new();
        b.seed = seed;
        for (int i = 0; i < COUNT(x); i++) x[i] = (float)((i * 37) % 1021 + 1), y[i] = -7;
        for (int row = 0; row < ROWS && is_norm; row++)
            x[row * COLUMNS + 31] = 5000; /* lane 31: all steps are needed */
        size_t size = sizeof(float) * (is_norm ? ROWS * COLUMNS : SIDE * SIDE);
        bench_buffer(&b, x, size), bench_buffer(&b, y, size);
        b.values[2] = COLUMNS;
        if (!bench_run(&b, text, is_norm ? ROWS : 1))
            found = "the PTX is refused";
        else if (b.failure.status)
            found = str_format(arena, "%s", b.failure.text).data;
        else if (!(is_norm ? norm_is_right() : turn_is_right()))
            found = "wrong result";
        arena_free(b.arena);
    }
    return found;
}

typedef struct Seeded {
    const char *what, *from, *to, *finder, *or_finder; /* words of theirs; or_finder may be NULL */
} Seeded;

static int seed_all(const char *text, bool is_norm, const Seeded *list, int count) {
    int seeded = 0;
    Arena *arena = arena_new(NULL);
    CHECK(!found_by(arena, text, is_norm));
    for (int i = 0; i < count; i++) {
        const char *bad;
        int n = 0;
        for (; (bad = mutated(arena, text, list[i].from, n, list[i].to)); n++) {
            const char *by = found_by(arena, bad, is_norm), *other = list[i].or_finder;
            bool fine = by && (strstr(by, list[i].finder) || (other && strstr(by, other)));
            if (!fine) printf("%s (number %d): found by %s\n", list[i].what, n, by ? by : "nobody");
            CHECK(fine);
            seeded++;
        }
        if (!n) printf("nothing to change: %s in\n%s\n", list[i].what, text);
        CHECK(n > 0);
    }
    arena_free(arena);
    return seeded;
}

#define RACE        "race in shared memory"
#define GLOBAL_RACE "race in global memory"
#define UNWRITTEN   "shared memory that nobody wrote"
#define BOUNDS      "which is in no buffer"
#define WRONG       "wrong result"

TEST(reductions) {
    static const Seeded list[] = {
        {"a missing barrier", "bar.sync 0;", "", RACE, UNWRITTEN},
        {"a barrier that does not wait for all", "bar.sync 0;", "bar.sync 0, 32;", UNWRITTEN, RACE},
        {"a wrong lane", ", 16, 31, -1;", ", 8, 31, -1;", WRONG, NULL},
        {"another wrong lane", ", 2, 31, -1;", ", 1, 31, -1;", WRONG, NULL},
        {"a mask inverted", "setp.lt.s32", "setp.ge.s32", WRONG, NULL},
        {"a mask that lets one more in", ", 384;", ", 383;", BOUNDS, NULL},
        {"a mask dropped from a load", "@%p3 ld.global", "ld.global", BOUNDS, NULL},
        {"a mask dropped from a store", "@%p3 st.global", "st.global", GLOBAL_RACE, NULL},
        {"all lanes store what one should", "@%p4 st.shared", "st.shared", RACE, NULL},
        {"a shared offset wrong", "[%r39+4]", "[%r39]", WRONG, NULL},
        {"a shared offset too large", "[%r39+28]", "[%r39+32]", "outside shared memory", NULL},
        {"a global offset too small", "+1536]", "+1532]", WRONG, GLOBAL_RACE},
        {"the program's number forgotten", "%ctaid.x", "%tid.y", WRONG, NULL},
        {"some warps forgotten", ", 96;", ", 64;", RACE, NULL},
    };
    tern_context *context;
    const char *text = ptx_of(&context, "norm", "*fp32,*fp32,i32,512");
    if (text) CHECK(seed_all(text, true, list, COUNT(list)) >= COUNT(list));
    tern_close(context);
}

TEST(layouts) {
    static const Seeded list[] = {
        {"a missing barrier", "bar.sync 0;", "", RACE, UNWRITTEN},
        {"a swizzle forgotten", "xor.b32", "and.b32", RACE, WRONG},
        {"a swizzle of another kind", ", 7;", ", 6;", RACE, WRONG},
        {"a vector one element off", "st.global.v4.b32 [%d7]", "st.global.v4.b32 [%d7+4]",
         "not a multiple of that", NULL},
        {"a row off", "+2048]", "+1920]", WRONG, GLOBAL_RACE},
        {"elements of a vector in another order", "%r43, %r46", "%r46, %r43", WRONG, NULL},
        {"a buffer's end overrun", "+2048], {", "+2176], {", BOUNDS, NULL},
    };
    tern_context *context;
    const char *text = ptx_of(&context, "turn", "*fp32:16,*fp32:16,i32,32");
    if (text) CHECK(seed_all(text, false, list, COUNT(list)) >= COUNT(list));
    tern_close(context);
}

TEST_MAIN()
