// SPDX-License-Identifier: Apache-2.0
/* The facts say of each product who multiplies, from where, and why nothing better does; and
 * whether a launch is asked where its tiles begin. */
#include "tern.h"
#include "test.h"

static const char source[] =
    "import triton\n"
    "import triton.language as tl\n"
    "@triton.jit\n"
    "def product(a, b, c, am, ak, bk, bn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,\n"
    "            ACC: tl.constexpr, HOW: tl.constexpr):\n"
    "    m = tl.arange(0, BM)\n"
    "    n = tl.arange(0, BN)\n"
    "    acc = tl.zeros((BM, BN), dtype=ACC)\n"
    "    for i in range(8):\n"
    "        k = i * BK + tl.arange(0, BK)\n"
    "        x = tl.load(a + m[:, None] * am + k[None, :] * ak)\n"
    "        y = tl.load(b + k[:, None] * bk + n[None, :] * bn)\n"
    "        acc = tl.dot(x, y, acc, input_precision=HOW, out_dtype=ACC)\n"
    "    tl.store(c + m[:, None] * BN + n[None, :], acc)\n"
    "@triton.jit\n"
    "def twice(a, b, c, t, k, am, bk, shift, B: tl.constexpr, K: tl.constexpr, LISTED: "
    "tl.constexpr):\n"
    "    m, n, d = tl.arange(0, B)[:, None], tl.arange(0, B)[None, :], tl.arange(0, K)\n"
    "    row = m + (tl.program_id(0) * B - shift)\n"
    "    if LISTED:\n"
    "        row += tl.load(t + tl.arange(0, B))[:, None]\n"
    "    acc = tl.zeros((B, B), tl.float32)\n"
    "    for i in range(0, k, K):\n"
    "        x = tl.load(a + row * am + (i + d)[None, :])\n"
    "        acc = tl.dot(x, tl.load(b + (i + d)[:, None] * bk + n), acc)\n"
    "    acc = acc.to(tl.float16).to(tl.float32)\n"
    "    for i in range(0, k, K):\n"
    "        x = tl.load(a + m * am + (i + d)[None, :])\n"
    "        acc = tl.dot(x, tl.load(b + (i + d)[:, None] * bk + n), acc)\n"
    "    tl.store(c + m * B + n, acc.to(tl.float16))\n";

typedef struct Row {
    const char *target;
    int warps;
    const char *type, *sums;
    bool b_along_k;
    int bm, bn, bk;
    const char *how, *want;
} Row;

static const Row rows[] = {
    {"sm_90a", 4, "fp16", "fp32", false, 64, 32, 32, "tf32",
     "product of 64x32 by 32x32 f16: wgmma, a and b from a ring\n"},
    {"sm_80", 4, "fp16", "fp32", false, 64, 32, 32, "tf32",
     "product of 64x32 by 32x32 f16: mma.sync, a and b from a ring\n"},
    {"sm_90a", 2, "fp16", "fp32", false, 64, 32, 32, "tf32",
     "mma.sync, a and b from a ring; wgmma takes four warps or a multiple of them\n"},
    {"sm_90a", 4, "fp16", "fp32", false, 32, 32, 32, "tf32", "; wgmma takes 64 rows or more\n"},
    {"sm_90a", 16, "fp16", "fp32", false, 64, 32, 32, "tf32",
     "; wgmma takes more columns for so many warps\n"},
    {"sm_90a", 4, "fp16", "fp32", false, 128, 256, 32, "tf32",
     "; wgmma takes more warps for so many sums\n"},
    {"sm_90a", 4, "fp32", "fp32", true, 64, 32, 32, "tf32", "f32: wgmma, a and b from a ring\n"},
    {"sm_90a", 4, "fp32", "fp32", false, 64, 32, 32, "tf32",
     "mma.sync, a and b from a ring; wgmma takes this type in rows along K\n"},
    {"sm_90a", 4, "i8", "i32", true, 64, 32, 64, "tf32", "i8: wgmma, a and b from a ring\n"},
    {"sm_90a", 4, "fp8e5", "fp32", true, 64, 32, 64, "tf32",
     "f8e5m2: wgmma, a and b from a ring\n"},
    {"sm_90a", 4, "fp8e5", "fp32", false, 64, 32, 64, "tf32", "64x32 f16: wgmma\n"},
    {"sm_90a", 4, "fp32", "fp32", true, 64, 32, 32, "ieee",
     "f32: fma; the tensor cores do not take these types\n"},
    {"sm_75", 4, "fp16", "fp32", true, 8, 32, 32, "tf32",
     "fma; the tensor cores take larger tiles, without a batch\n"},
};

TEST(facts_say_who_multiplies) {
    char words[256], signature[256];
    tern_status status;
    tern_context *context =
        tern_open(&(tern_open_options){.device = "interp"}, &status, words, sizeof words);
    tern_module *module = tern_load_text(context, source, sizeof source - 1, "product.py");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Row *r = &rows[i];
        tern_options options = {
            .size = sizeof options, .target = r->target, .num_warps = r->warps, .text_only = true};
        snprintf(signature, sizeof signature,
                 "*%s:16,*%s:16,*%s:16,i32:16,1,%s,%d,%d,%d,tl.%s,'%s'", r->type, r->type, r->sums,
                 r->b_along_k ? "1,i32:16" : "i32:16,1", r->bm, r->bn, r->bk,
                 *r->sums == 'i' ? "int32" : "float32", r->how);
        tern_kernel *kernel = tern_compile(module, "product", signature, &options);
        const char *facts = kernel ? tern_kernel_text(kernel, TERN_STAGE_FACTS) : "";
        if (!strstr(facts, r->want)) printf("%s: %s\n%s", signature, tern_message(context), facts);
        CHECK(strstr(facts, r->want) != NULL);
        tern_kernel_free(kernel);
    }
    tern_module_free(module);
    tern_close(context);
}

/* Rows from a list are no box, so that nobody needs to know where the others of the sum begin; the
 * second loop's are boxes in either kernel. */
TEST(what_no_box_needs_is_not_asked) {
    tern_context *context = tern_open(&(tern_open_options){.device = "sim:h100"}, NULL, NULL, 0);
    tern_module *module = tern_load_text(context, source, sizeof source - 1, "product.py");
    for (int listed = 0; listed < 2; listed++) {
        char signature[128];
        snprintf(signature, sizeof signature,
                 "*fp16:16,*fp16:16,*fp16:16,*i32:16,i32:16,i32:16,i32:16,i32,64,32,%d", listed);
        tern_kernel *kernel = tern_compile(module, "twice", signature, NULL);
        const char *facts = kernel ? tern_kernel_text(kernel, TERN_STAGE_FACTS) : "";
        bool is_asked = strstr(facts, "each launch is asked") != NULL;
        if (is_asked == listed) printf("%s\n%s", tern_message(context), facts);
        CHECK(is_asked == !listed);
        CHECK(strstr(facts, "copies of a: boxes of 64x32") != NULL);
        tern_kernel_free(kernel);
    }
    tern_module_free(module);
    tern_close(context);
}

TEST_MAIN()
