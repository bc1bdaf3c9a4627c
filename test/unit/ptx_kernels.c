// SPDX-License-Identifier: Apache-2.0
/* The kernels we ship, and one that an assembler once refused, from source to PTX for every target:
 * ptxas takes them without spilling, and those that are bound by memory use 16 bytes a thread and
 * access with immediate offsets. */
#include "ptx_assemble.h"
#include "api/context.h"

typedef struct Row {
    const char *file, *function, *signature;
    int warps;
    int wide_loads; /* how many 16-byte loads or copies there must be; no narrower ones of tiles */
} Row;

static const Row rows[] = {
    {"kernels/gelu.py", "gelu_kernel", "*fp32:16,*fp32:16,i32:16,2048", 4, 4},
    {"kernels/vector_add.py", "vector_add_kernel", "*fp32:16,*fp32:16,*fp32:16,i32:16,1024", 4, 4},
    {"kernels/softmax.py", "softmax_kernel", "*fp32:16,*fp32:16,i32:16,i32:16,i32:16,1024", 4, 2},
    {"kernels/softmax.py", "softmax_kernel", "*fp32:16,*fp32:16,i32:16,i32:16,i32:16,16384", 16, 8},
    {"kernels/softmax.py", "softmax_kernel", "*fp32:16,*fp32:16,i32,i32,i32,1024", 4, 0},
    {"kernels/layer_norm.py", "layer_norm_kernel",
     "*fp16:16,*fp16:16,*fp16:16,*fp16:16,*fp32:16,*fp32:16,i32:16,i32:16,fp32,8192", 16, 6},
    {"kernels/layer_norm_backward.py", "layer_norm_backward_kernel",
     "*fp16:16,*fp16:16,*fp16:16,*fp32:16,*fp32:16,*fp16:16,*fp32:16,*fp32:16,i32:16,i32,i32:16,"
     "4096",
     16, 3},
    {"kernels/mean.py", "mean_kernel", "*fp32:16,*fp32:16,*i32:16,*fp32:16,i32:16,8192,512", 8, 8},
    {"kernels/dropout.py", "dropout_kernel", "*fp32:16,*fp32:16,i32:16,fp32,i32,1024", 4, 2},
    {"kernels/dropout.py", "dropout_kernel", "*fp32:16,*fp32:16,i32:16,fp32,i32,4096", 8, 4},
    {"kernels/matmul.py", "matmul_kernel",
     "*fp16:16,*fp16:16,*fp32:16,i32,i32,i32,i32:16,1,i32:16,1,i32:16,1,64,64,32,8,'tf32'", 4, 0},
    {"kernels/matmul.py", "matmul_kernel",
     "*fp32:16,*fp32:16,*fp32:16,i32,i32,i32,i32:16,1,i32:16,1,i32:16,1,64,64,32,8,'ieee'", 8, 0},
    {"kernels/matmul.py", "matmul_kernel",
     "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,i32:16,1,i32:16,1,i32:16,1,128,256,64,8,'"
     "tf32'",
     8, 12},
    {"kernels/matmul.py", "matmul_kernel",
     "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,i32:16,1,i32:16,1,i32:16,1,128,64,64,8,'"
     "tf32'",
     4, 0},
    {"test/run/negative_offset.py", "before", "*i64:16,*i32:16,i32:16", 4, 0},
};

static int count_of(const char *text, const char *word) {
    int count = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word)) count++;
    return count;
}

static void check_row(tern_context *context, const Row *row, const char *arch, const char *file,
                      int handle) {
    tern_module *module = tern_load_file(context, row->file);
    tern_kernel *kernel = NULL;
    if (module)
        kernel = tern_compile(
            module, row->function, row->signature,
            &(tern_options){.size = sizeof(tern_options), .num_warps = row->warps, .target = arch});
    const char *text = kernel ? tern_kernel_text(kernel, TERN_STAGE_PTX) : NULL;
    if (!text) printf("%s\n", tern_message(context));
    CHECK(text);
    if (!text) return;
    int loads = count_of(text, "ld.global.v4.b32"), copies = count_of(text, "cp.async.cg");
    if (row->wide_loads) /* copies are there for each turn of a ring */
        CHECK(copies ? !loads && copies % row->wide_loads == 0 : loads == row->wide_loads);
    size_t length = strlen(text);
    CHECK(ftruncate(handle, 0) == 0 && pwrite(handle, text, length, 0) == (ssize_t)length);
    if (!ptxas_path() || assemble(ptxas_path(), arch, file, false)) return;
    test_bad_checks++;
    printf("%s for %s\n", row->function, arch);
}

TEST(shipped_kernels_assemble_without_spills) {
    char words[512], file[] = "/tmp/tern-ptx-XXXXXX";
    tern_status status;
    tern_context *context = tern_open(&(tern_open_options){.device = "interp", .cache_dir = ""},
                                      &status, words, sizeof words);
    int handle = mkstemp(file);
    CHECK(context && handle >= 0);
    for (int i = 0; context && i < COUNT(rows); i++)
        for (int a = 0; a < COUNT(archs); a++) check_row(context, &rows[i], archs[a], file, handle);
    tern_close(context);
    close(handle);
    unlink(file);
    if (!ptxas_path()) SKIP("no ptxas");
}

/* A module in a context of its own, of a text or, where that is NULL, of a file. */
typedef struct Opened {
    tern_context *context;
    tern_module *module;
} Opened;

static Opened opened(const char *text, const char *file) {
    tern_context *context =
        tern_open(&(tern_open_options){.device = "interp", .cache_dir = ""}, NULL, NULL, 0);
    return (Opened){context, text ? tern_load_text(context, text, strlen(text), "k.py")
                                  : tern_load_file(context, file)};
}

/* "" where it does not compile. */
static const char *text_of(Opened from, const char *function, const char *signature,
                           const tern_options *options) {
    tern_kernel *kernel = tern_compile(from.module, function, signature, options);
    if (!kernel) printf("%s\n", tern_message(from.context));
    return kernel ? tern_kernel_text(kernel, TERN_STAGE_PTX) : "";
}

static const char *ptx_of(Opened from, const char *function, const char *signature, int warps) {
    tern_options options = {.size = sizeof options, .num_warps = warps, .target = "sm_90a"};
    return text_of(from, function, signature, &options);
}

/* As it is for a launch, which is asked whether parameters are the same memory, by one block. */
static const char *launched_ptx_of(Opened from, const char *function, const char *signature,
                                   int warps) {
    tern_options options = {
        .size = sizeof options, .num_warps = warps, .target = "sm_80", .maps = true};
    return text_of(from, function, signature, &options);
}

/* Sixteen numbers a thread, each ten rounds of a cipher, all at once would take more registers than
 * there are: the first ones are stored before the last ones are begun. */
TEST(long_chains_go_one_after_the_other) {
    Opened from = opened(NULL, "kernels/dropout.py");
    const char *text = ptx_of(from, "dropout_kernel", "*fp32:16,*fp32:16,i32:16,fp32,i32,4096", 8),
               *last_load = text, *at;
    const char *store = strstr(text, "st.global");
    for (at = text; (at = strstr(at, "ld.global")); at++) last_load = at;
    CHECK(store && last_load < store &&
          count_of(text, "ld.global") == 4); /* all loads are under way */
    CHECK(store && count_of(store, "mul.wide.u32") > count_of(text, "mul.wide.u32") / 2);
    tern_close(from.context);
}

/* As Triton has it, a policy is of both caches, and is made once. */
TEST(evictions_are_of_both_caches) {
    static const char *const source =
        "import triton\nimport triton.language as tl\n@triton.jit\ndef k(x, y):\n"
        "    i = tl.arange(0, 1024)\n    a = tl.load(x + i, eviction_policy='evict_last')\n"
        "    tl.store(y + i, a, eviction_policy='evict_last')\n"
        "    tl.store(x + i, a, eviction_policy='evict_first')\n    tl.store(y + 1024 + i, a)\n";
    Opened from = opened(source, NULL);
    const char *text = ptx_of(from, "k", "*fp32:16,*fp32:16", 4);
    CHECK(count_of(text, "createpolicy.fractional.L2::evict_last.b64 ") == 1);
    CHECK(count_of(text, "createpolicy.fractional.L2::evict_first.b64 ") == 1);
    CHECK(count_of(text, "ld.global.L1::evict_last.L2::cache_hint.v4.b32 {") == 2);
    CHECK(count_of(text, "st.global.L1::evict_last.L2::cache_hint.v4.b32 [") == 2);
    CHECK(count_of(text, "st.global.L1::evict_first.L2::cache_hint.v4.b32 [") == 2);
    CHECK(count_of(text, "st.global.v4.b32 [") == 2);
    tern_close(from.context);
}

/* Of a row that the chip does not hold the second cache keeps what is read again, and nothing else
 * of it; what all programs read has no policy, nor has a row that is held. */
TEST(rows_that_are_not_held_have_policies) {
    static const char *const source =
        "import triton\nimport triton.language as tl\n@triton.jit\n"
        "def k(x, w, y, n: tl.constexpr):\n    i = tl.arange(0, n)\n"
        "    x += tl.program_id(0) * n\n    y += tl.program_id(0) * n\n"
        "    a = tl.load(x + i)\n    b = tl.load(w + i)\n"
        "    tl.store(y + i, (a - tl.max(a, axis=0)) / tl.sum(a * b, axis=0) + b)\n";
    Opened from = opened(source, NULL);
    const char *text = launched_ptx_of(from, "k", "*fp32:16,*fp32:16,*fp32:16,262144", 32);
    int last = count_of(text, "ld.global.L1::evict_last.L2::cache_hint");
    int first = count_of(text, "ld.global.L1::evict_first.L2::cache_hint");
    CHECK(last > 0 && first > 0);
    CHECK(count_of(text, "ld.global.v4.b32") > 0); /* w */
    CHECK(count_of(text, "cp.async.cg.shared.global.L2::cache_hint") > 0);
    CHECK(count_of(text, "st.global.L1::evict_first.L2::cache_hint") ==
          count_of(text, "st.global"));
    text = launched_ptx_of(from, "k", "*fp32:16,*fp32:16,*fp32:16,16384", 4);
    CHECK(*text && !strstr(text, "cache_hint"));
    tern_close(from.context);
}

/* Two weights of 16 bits, beside a row that is held: four blocks have room, for small pieces, and
 * what reads them again is straight. Not so of 32 bits, nor where one is a row of the program. */
TEST(beside_two_weights_four_blocks_have_room) {
    static const char *const source =
        "import triton\nimport triton.language as tl\n@triton.jit\n"
        "def k(x, w, b, y, step, n: tl.constexpr):\n    i = tl.arange(0, n)\n"
        "    p = tl.program_id(0)\n    a = tl.load(x + p * n + i).to(tl.float32)\n"
        "    d = a - tl.sum(a, axis=0) / n\n    s = tl.rsqrt(tl.sum(d * d, axis=0) / n)\n"
        "    u = tl.load(w + i).to(tl.float32)\n    v = tl.load(b + p * step + i)\n"
        "    tl.store(y + p * n + i, d * s * u + v)\n";
    tern_options options = {
        .size = sizeof options, .num_warps = 16, .target = "sm_90a", .maps = true};
    Opened from = opened(source, NULL);
    const char *text = text_of(from, "k", "*bf16:16,*bf16:16,*bf16:16,*bf16:16,0,262144", &options);
    CHECK(strstr(text, ".minnctapersm 4\n") && strstr(text, ".reqnctapercluster 8,"));
    CHECK(count_of(text, "ld.shared.v4.b32 {") == 3 * 13 + 4); /* and 2 * 8 sums of blocks */
    text = text_of(from, "k", "*bf16:16,*bf16:16,*bf16:16,*bf16:16,0,32768", &options);
    CHECK(strstr(text, ".minnctapersm 4\n") && count_of(text, "ld.shared.v4.b32 {") == 3 * 13);
    text = text_of(from, "k", "*bf16:16,*fp32:16,*fp32:16,*bf16:16,0,262144", &options);
    CHECK(strstr(text, ".minnctapersm 3\n"));
    text = text_of(from, "k", "*bf16:16,*bf16:16,*bf16:16,*bf16:16,i32:16,262144", &options);
    CHECK(strstr(text, ".minnctapersm 3\n"));
    tern_close(from.context);
}

/* What all programs read is not held beside rows of a program: that has room in half of the blocks,
 * and is loaded for both loops. */
TEST(weights_are_read_again) {
    static const char *const source =
        "import triton\nimport triton.language as tl\n@triton.jit\n"
        "def k(x, g, w, y, n: tl.constexpr):\n    i = tl.arange(0, n)\n"
        "    p = tl.program_id(0)\n    a = tl.load(x + p * n + i).to(tl.float32)\n"
        "    h = tl.load(g + p * n + i).to(tl.float32) * tl.load(w + i).to(tl.float32)\n"
        "    tl.store(y + p * n + i, h - a * tl.sum(h * a, axis=0))\n";
    tern_options options = {
        .size = sizeof options, .num_warps = 16, .target = "sm_90a", .maps = true};
    Opened from = opened(source, NULL);
    const char *text = text_of(from, "k", "*bf16:16,*bf16:16,*bf16:16,*bf16:16,65536", &options);
    CHECK(strstr(text, ".reqntid 256,") && strstr(text, ".reqnctapercluster 4,"));
    CHECK(count_of(text, "cp.async.cg.shared.global") == 2 * 7 &&
          strstr(text, ".minnctapersm 3\n"));
    CHECK(count_of(text, "ld.global.v4.b32") == 8 + 6 + 2); /* w, of which two stay; x and g */
    text = text_of(from, "k", "*fp32:16,*fp32:16,*fp32:16,*fp32:16,131072", &options);
    CHECK(strstr(text, ".reqnctapercluster 8,") && strstr(text, ".minnctapersm 2\n"));
    /* Where one block has room for all, but no other beside it. */
    text = text_of(from, "k", "*fp32:16,*fp32:16,*fp32:16,*fp32:16,262144", &options);
    CHECK(strstr(text, ".reqnctapercluster 8,") && strstr(text, ".minnctapersm 1\n"));
    tern_close(from.context);
}

/* Rows of a tile that have nothing to do with each other: each has blocks of its own. */
TEST(rows_of_a_tile_are_blocks) {
    static const char *const source =
        "import triton\nimport triton.language as tl\n@triton.jit\n"
        "def k(x, y, R: tl.constexpr, n: tl.constexpr, total: tl.constexpr):\n"
        "    r = tl.program_id(0) * R + tl.arange(0, R)\n"
        "    p = r[:, None] * n + tl.arange(0, n)[None, :]\n    a = tl.load(x + p)\n"
        "    tl.store(y + p, a - tl.max(a, axis=1)[:, None])\n"
        "    if total:\n        tl.store(y + tl.arange(0, n), tl.sum(a, axis=0))\n";
    tern_options options = {
        .size = sizeof options, .num_warps = 16, .target = "sm_90a", .maps = true};
    Opened from = opened(source, NULL);
    const char *text = text_of(from, "k", "*fp32:16,*fp32:16,4,32768,False", &options);
    CHECK(strstr(text, ".reqnctapercluster 4,") && !strstr(text, "st.async"));
    text = text_of(from, "k", "*fp32:16,*fp32:16,4,65536,False", &options);
    CHECK(strstr(text, ".reqnctapercluster 8,") && strstr(text, "st.async"));
    text = text_of(from, "k", "*fp32:16,*fp32:16,1,65536,False", &options);
    CHECK(strstr(text, ".reqnctapercluster 2,") && strstr(text, "st.async"));
    text = text_of(from, "k", "*fp32:16,*fp32:16,4,32768,True", &options);
    CHECK(*text && !strstr(text, ".reqnctapercluster"));
    text = text_of(from, "k", "*fp32:16,*fp32:16,4,8192,False", &options);
    CHECK(*text && !strstr(text, ".reqnctapercluster"));
    options.target = "sm_80";
    text = text_of(from, "k", "*fp32:16,*fp32:16,4,32768,False", &options);
    CHECK(*text && !strstr(text, ".reqnctapercluster"));
    tern_close(from.context);
}

/* Neighbours with one weight load it once; each for itself where it may change meanwhile. */
TEST(lanes_of_one_address_are_loaded_once) {
    static const char *const source =
        "import triton\nimport triton.language as tl\n@triton.jit\n"
        "def k(x, w, y, n, often: tl.constexpr):\n    i = tl.arange(0, 1024)\n"
        "    a = tl.load(w + i // 16, mask=i // 16 < n, other=1, volatile=often)\n"
        "    b = tl.load(w + 64 + i % 512, mask=i // 16 < n, other=1)\n"
        "    tl.store(y + i, tl.load(x + i) * a + b)\n";
    Opened from = opened(source, NULL);
    const char *text = ptx_of(from, "k", "*fp32:16,*fp32:16,*fp32:16,i32,False", 4);
    CHECK(count_of(text, "ld.global.b32") == 2 && count_of(text, "ld.global.v4.b32") == 4);
    text = ptx_of(from, "k", "*fp32:16,*fp32:16,*fp32:16,i32,True", 4);
    CHECK(count_of(text, "ld.volatile.global.b32") == 8);
    tern_close(from.context);
}

/* Loads of a turn may all be under way: so many registers are left to each thread; not where each
 * of many narrow ones has an address of its own, which would be spilled. */
TEST(narrow_loads_have_the_registers_they_take) {
    static const char *const source =
        "import triton\nimport triton.language as tl\n@triton.jit\n"
        "def k(x, y, n, at):\n    r = tl.arange(0, 16)[:, None]\n"
        "    s = tl.zeros((16, 512), tl.float32)\n    for start in range(0, n, 512):\n"
        "        c = start + tl.arange(0, 512)[None, :]\n"
        "        s += tl.load(x + r * n + c + at, mask=c < n, other=0.0).to(tl.float32)\n"
        "    tl.store(y + tl.arange(0, 16), tl.sum(s, 1))\n";
    Opened from = opened(source, NULL);
    const char *text = ptx_of(from, "k", "*fp16:16,*fp32:16,i32:16,i32", 8);
    CHECK(count_of(text, "ld.global.b16") == 32 && !strstr(text, ".minnctapersm"));
    text = ptx_of(from, "k", "*fp16:16,*fp32:16,i32:16,i32:16", 8);
    CHECK(count_of(text, "ld.global.v4.b32") == 4 && strstr(text, ".minnctapersm"));
    tern_close(from.context);
}

/* ptxas 13.0 unrolls a loop that it can count, and takes three steps that wrap for a small number:
 * it must not see a count where steps are large. On a GPU: test/promise/loop_from_zero.py. */
TEST(loops_by_large_steps_are_not_counted) {
    static const struct {
        const char *signature;
        bool counted;
    } loops[] = {
        {"*i64:16,i32,3,0", true},           {"*i64:16,i32,65536,0", true},
        {"*i64:16,i32,1073741824,0", false}, {"*i64:16,i32,2147483647,0", false},
        {"*i64:16,i64,65536,0", true},       {"*i64:16,i64,4611686018427387904,0", false},
    };
    Opened from = opened(NULL, "test/promise/loop_from_zero.py");
    for (int i = 0; i < COUNT(loops); i++) {
        const char *text = ptx_of(from, "turns", loops[i].signature, 4);
        CHECK(*text && (strstr(text, "setp.lt.u") != NULL) == loops[i].counted);
    }
    tern_close(from.context);
}

TEST_MAIN()
