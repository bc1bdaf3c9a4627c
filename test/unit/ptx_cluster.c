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

/* Around the wait for copies: what keeps ptxas from moving loads behind it; and the barrier, as
 * each thread reads what it brought itself. */
static const char *without_spare_barriers(Arena *arena, const char *text) {
    static const char spare[] = "\tbar.warp.sync -1;\n\tcp.async.wait_all;\n\tbar.sync 0;\n";
    const char *at = strstr(text, spare);
    CHECK(at);
    if (!at) return NULL;
    return str_format(arena, "%.*s\tcp.async.wait_all;\n%s", (int)(at - text), text,
                      at + sizeof spare - 1)
        .data;
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
    const char *text = without_spare_barriers(arena, tern_kernel_text(kernel, TERN_STAGE_PTX));
    if (!text) return;
    make_input();
    /* two meetings: mbarriers and their bytes, the words, the waits; one beginning */
    CHECK(each_order_is_missed(text, catches, NULL) >= 2 * 5 + 3);
    CHECK(each_count_is_missed(text, catches, NULL) >= 2 * 4);
    CHECK(each_scope_is_missed(text) == 2);
    arena_free(arena);
    tern_kernel_free(kernel), tern_module_free(module), tern_close(context);
}

TEST_MAIN()
