// SPDX-License-Identifier: Apache-2.0
/* What a kernel's file asks of the device is answered by the target: one module, compiled for one
 * target after the other, and its configs. */
#include "tern.h"
#include "test.h"

static const char text[] =
    "import torch\nimport triton\nimport triton.language as tl\n"
    "driver = triton.runtime.driver\n"
    "major, minor = torch.cuda.get_device_capability()\n"
    "target = driver.active.get_current_target()\n"
    "shared = driver.active.utils.get_device_properties(0)['max_shared_mem']\n"
    "if torch.cuda.get_device_capability(0) >= (9, 0):\n"
    "    @triton.jit\n    def place(x):\n        tl.store(x, 1111)\n"
    "else:\n"
    "    @triton.jit\n    def place(x):\n        tl.store(x, 2222)\n"
    "@triton.jit\ndef k(x):\n    place(x)\n    tl.store(x + 1, major * 10 + minor)\n"
    "    tl.store(x + 2, target.arch)\n"
    "@triton.jit\ndef memory(x):\n    tl.store(x, shared)\n"
    "@triton.jit\ndef properties(x):\n"
    "    tl.store(x, P.major + P.minor + P.shared_memory_per_block_optin)\n"
    "P = torch.cuda.get_device_properties('cuda')\n"
    "@triton.jit\ndef there(x):\n    tl.store(x, 5 if IS else 6)\n"
    "IS = torch.cuda.is_available()\n"
    "@triton.jit\ndef count(x):\n    tl.store(x, P.multi_processor_count)\n"
    "@triton.autotune(configs=[triton.Config({'B': b}) for b in ([1, 2] if major else [3])], "
    "key=[])\n"
    "@triton.jit\ndef tuned(x, B: tl.constexpr):\n    tl.store(x, 4000 + B)\n";

/* The IR of `function` for `target` holds `constant`; NULL: it does not compile. */
static void holds(tern_module *module, const char *function, const char *target,
                  const char *constant) {
    char word[32];
    tern_options options = {.target = target, .config = !strcmp(function, "tuned")};
    tern_kernel *kernel = tern_compile(module, function, "*i32", &options);
    CHECK((kernel != NULL) == (constant != NULL));
    if (!kernel || !constant) return;
    snprintf(word, sizeof word, "constant %s :", constant);
    bool found = strstr(tern_kernel_text(kernel, TERN_STAGE_IR), word) != NULL;
    CHECK(found);
    if (!found)
        printf("%s for %s: no %s in\n%s", function, target, constant,
               tern_kernel_text(kernel, TERN_STAGE_IR));
    tern_kernel_free(kernel);
}

TEST(a_module_for_one_target_after_the_other) {
    tern_context *tern = tern_open(&(tern_open_options){.device = "interp"}, NULL, NULL, 0);
    tern_module *module = tern ? tern_load_text(tern, text, strlen(text), "target.py") : NULL;
    CHECK(module != NULL);
    if (!module) return;
    static const char *const rows[][4] = {
        {"sm_90a", "1111", "90", "232448"},  {"sm_80", "2222", "80", "166912"},
        {"interp", "2222", "0", NULL},       {"sm_86", "2222", "86", "101376"},
        {"sm_120", "1111", "120", "101376"}, {"cpu", "2222", "0", NULL}};
    for (int i = 0; i < 6; i++) {
        const char *target = rows[i][0];
        bool is_gpu = target[0] == 's';
        char sum[16];
        holds(module, "k", target, rows[i][1]);
        if (is_gpu) holds(module, "k", target, rows[i][2]);
        holds(module, "memory", target, rows[i][3]);
        int capability = atoi(rows[i][2]);
        snprintf(sum, sizeof sum, "%d",
                 capability / 10 + capability % 10 + (rows[i][3] ? atoi(rows[i][3]) : 0));
        holds(module, "properties", target, is_gpu ? sum : NULL);
        holds(module, "there", target, is_gpu ? "5" : NULL);
        holds(module, "count", target, NULL); /* of which GPU, only a run tells */
        holds(module, "tuned", target, is_gpu ? "4001" : "4003");
        const tern_config *configs;
        CHECK(tern_module_configs(module, "tuned", &configs) == 1); /* of the context's device */
    }
    tern_close(tern);
}

TEST_MAIN()
