// SPDX-License-Identifier: Apache-2.0
/* Programs of several blocks, as sm_90 has them: without any one of the instructions by which the
 * blocks meet, or with other numbers of bytes or arrivals, the simulator finds fault. */
#include "api/context.h"
#include "ptx_mutate.h"
#include "sim_ptx.h"

enum { LANES_OF = 65536, COUNTED = 65001 };

static const char source[] = "import triton\n"
                             "import triton.language as tl\n"
                             "@triton.jit\n"
                             "def scaled(x, y, n, B: tl.constexpr):\n"
                             "    i = tl.arange(0, B)\n"
                             "    a = tl.load(x + i, mask=i < n, other=0)\n"
                             "    b = a - tl.max(a, axis=0)\n"
                             "    tl.store(y + i, b * tl.sum(b, axis=0), mask=i < n)\n";

static int32_t given[LANES_OF], made[LANES_OF], want[LANES_OF];

static void make_input(void) {
    int most = -2;
    unsigned sum = 0;
    for (int i = 0; i < COUNTED; i++) given[i] = small(), most = given[i] > most ? given[i] : most;
    for (int i = 0; i < COUNTED; i++) sum += (unsigned)(given[i] - most);
    sum += (unsigned)((LANES_OF - COUNTED) * (0 - most)); /* lanes that are masked off */
    for (int i = 0; i < COUNTED; i++) want[i] = (int32_t)((unsigned)(given[i] - most) * sum);
}

static int shared_bytes;

static bool catches(const char *text, uint64_t seed, void *user) {
    (void)user;
    Bench b = bench_new();
    b.seed = seed, b.shared = shared_bytes, b.broken = true;
    memset(made, 0x55, sizeof made);
    bench_buffer(&b, given, sizeof given);
    bench_buffer(&b, made, sizeof made);
    b.values[2] = COUNTED;
    bool runs = bench_run(&b, text, 2) && !b.failure.status;
    arena_free(b.arena);
    return !runs || memcmp(made, want, COUNTED * sizeof *made) != 0;
}

/* Each wait in turn at the scope of the block, which hears nothing of others. */
static int each_scope_is_missed(const char *text) {
    static const char wide[] = ".acquire.cluster.", narrow[] = ".acquire.cta.";
    Arena *arena = arena_new(NULL);
    int count = 0;
    for (const char *at = text; (at = strstr(at, wide)); at += sizeof wide - 1, count++) {
        const char *behind_it = at + sizeof wide - 1;
        CHECK(
            is_missed(str_format(arena, "%.*s%s%s", (int)(at - text), text, narrow, behind_it).data,
                      catches, NULL));
    }
    arena_free(arena);
    return count;
}

/* What keeps ptxas from moving loads behind a wait for copies. */
static const char *without_pins(Arena *arena, const char *text) {
    static const char pin[] = "\tbar.warp.sync -1;\n";
    Buf out = {.arena = arena};
    int count = 0;
    for (const char *at; (at = strstr(text, pin)); text = at + sizeof pin - 1, count++)
        buf_add(&out, text, (int)(at - text));
    CHECK(count == 4); /* before the copies, and before each of three waits */
    buf_puts(&out, text);
    return buf_str(&out).data;
}

TEST(each_order_between_blocks_is_missed) {
    tern_open_options open = {.device = "sim:h200", .cache_dir = ""};
    char words[512];
    tern_status status;
    tern_context *context = tern_open(&open, &status, words, sizeof words);
    tern_module *module =
        context ? tern_load_text(context, source, sizeof source - 1, "scaled.py") : NULL;
    tern_options options = {.size = sizeof options, .num_warps = 8};
    tern_kernel *kernel =
        module ? tern_compile(module, "scaled", "*i32:16,*i32:16,i32,65536", &options) : NULL;
    CHECK(kernel);
    if (!kernel) return;
    CHECK(kernel->compiled->facts.cluster == 2);
    shared_bytes = kernel->compiled->facts.shared_bytes;
    Arena *arena = arena_new(NULL);
    const char *text = without_pins(arena, tern_kernel_text(kernel, TERN_STAGE_PTX));
    make_input();
    /* two meetings: mbarriers and their bytes, the words, the waits; one beginning; three pieces */
    CHECK(each_order_is_missed(text, catches, NULL) >= 2 * 5 + 3 + 2 * 3);
    CHECK(each_count_is_missed(text, catches, NULL) >= 2 * 4);
    CHECK(each_scope_is_missed(text) == 2);
    arena_free(arena);
    tern_kernel_free(kernel), tern_module_free(module), tern_close(context);
}

TEST_MAIN()
