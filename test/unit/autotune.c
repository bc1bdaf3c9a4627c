// SPDX-License-Identifier: Apache-2.0
/* What @triton.autotune says beside its configs. */
#include "tern.h"
#include "test.h"

static const char head[] = "import triton\nimport triton.language as tl\nNAMES = ['n', 'm']\n";

/* The decorator of a kernel `k`; the status. Names live as long as the module, which is given
 * out. */
static tern_status ask(tern_context *context, const char *decorator, tern_autotune *autotune) {
    char text[2000];
    snprintf(text, sizeof text, "%s%s\n@triton.jit\ndef k(x, n, m, B: tl.constexpr):\n    pass\n",
             head, decorator);
    tern_module *module = tern_load_text(context, text, strlen(text), "text.py");
    CHECK(module != NULL);
    return module ? tern_module_autotune(module, "k", autotune) : TERN_ERROR_SYSTEM;
}

static tern_context *open_interp(void) {
    tern_status status;
    tern_context *context =
        tern_open(&(tern_open_options){.device = "interp", .cache_dir = ""}, &status, NULL, 0);
    if (!context) abort();
    return context;
}

TEST(names) {
    tern_autotune autotune;
    tern_context *context = open_interp();
    CHECK(!ask(context,
               "@triton.autotune(configs=[triton.Config({'B': 16})], key=NAMES + ['x'], "
               "reset_to_zero=('x',), restore_value=['m'], prune_configs_by={'perf_model': f})",
               &autotune));
    CHECK(autotune.num_keys == 3 && autotune.num_reset == 1 && autotune.num_restore == 1);
    CHECK_STR(autotune.keys[0], "n");
    CHECK_STR(autotune.keys[1], "m");
    CHECK_STR(autotune.keys[2], "x");
    CHECK_STR(autotune.reset_to_zero[0], "x");
    CHECK_STR(autotune.restore_value[0], "m");
    CHECK_STR(autotune.prunes, "{'perf_model': f}");
    CHECK(!ask(context,
               "@triton.autotune([triton.Config({'B': 16})], ['n'], None, reset_to_zero=None)",
               &autotune));
    CHECK(autotune.num_keys == 1 && autotune.num_reset == 0 && autotune.num_restore == 0);
    CHECK_STR(autotune.keys[0], "n");
    CHECK(!autotune.prunes);
    tern_close(context);
}

TEST(none) {
    tern_autotune autotune;
    tern_context *context = open_interp();
    CHECK(!ask(context, "@triton.heuristics({'B': lambda a: 16})", &autotune));
    CHECK(!autotune.num_keys && !autotune.num_reset && !autotune.num_restore && !autotune.prunes);
    CHECK(!ask(context, "@triton.autotune(configs=[], key=[], prune_configs_by=None)", &autotune));
    CHECK(!autotune.num_keys && !autotune.prunes);
    tern_close(context);
}

TEST(what_only_python_knows_is_refused) {
    static const char *const lists[] = {"key=names()", "key=['n', 3]", "key='n'",
                                        "key=[], restore_value=[1]"};
    tern_autotune autotune;
    tern_context *context = open_interp();
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        char decorator[200];
        snprintf(decorator, sizeof decorator, "@triton.autotune(configs=[], %s)", lists[i]);
        CHECK(ask(context, decorator, &autotune) < 0);
        CHECK(strstr(tern_message(context), "text.py:4:") != NULL);
    }
    tern_close(context);
}

/* ---- prune_configs_by ---- */

/* A kernel with the configs B = 32, 64, 128, 256, each with 2 and 4 warps, which `rules` prune. */
static tern_module *with_rules(tern_context *context, const char *functions, const char *rules) {
    char text[3000];
    snprintf(text, sizeof text,
             "import triton\n%s\n"
             "@triton.autotune([triton.Config({'B': b}, num_warps=w) for b in (32, 64, 128, 256) "
             "for w in (2, 4)], ['n'], prune_configs_by=%s)\n"
             "@triton.jit\ndef k(x, n, m, B):\n    pass\n",
             functions, rules);
    tern_module *module = tern_load_text(context, text, strlen(text), "text.py");
    if (!module) abort();
    return module;
}

static const tern_value pruned_for[] = {{"n", "64"}, {"m", "3"}};

/* The indices that are left, as Triton 3.6's Autotuner.prune_configs gives them. */
TEST(pruned_as_by_triton) {
    static const struct {
        const char *functions, *rules, *left;
    } rows[] = {
        {"", "None", "0 1 2 3 4 5 6 7 "},
        {"", "{}", "0 1 2 3 4 5 6 7 "},
        {"def f(configs, named, **kw):\n    return [c for c in configs if c.kwargs['B'] <= "
         "named['n']]\n",
         "{'early_config_prune': f}", "0 1 2 3 "},
        {"", "{'early_config_prune': lambda configs, named, **kw: configs[::-1]}", NULL},
        {"def f(configs, named, **kw):\n    kept = []\n    for c in reversed(configs):\n"
         "        if kw['m'] != 3:\n            continue\n        kept.append(c)\n    return "
         "kept\n",
         "{'early_config_prune': f}", "7 6 5 4 3 2 1 0 "},
        {"", "{'perf_model': lambda n, B, num_warps, **kw: -(n // B) * num_warps, 'top_k': 0.5}",
         "1 0 3 2 "},
        {"",
         "{'perf_model': lambda n, B, num_stages, num_ctas, **kw: (B * 7 % 5) * num_stages * "
         "num_ctas, 'top_k': 2}",
         "4 5 "},
        {"", "{'perf_model': lambda **kw: 1, 'top_k': 3}", "0 1 2 "},
        {"", "{'perf_model': lambda **kw: -kw['B']}", "0 1 2 3 4 5 6 7 "},
        {"def f(c, a, **kw):\n    return [x for x in c if x.num_warps == 4]\n",
         "{'early_config_prune': f, 'perf_model': lambda B, **kw: -B, 'top_k': 0.25}", "7 5 "},
        {"",
         "{'early_config_prune': lambda c, a, **kw: c[:2], 'perf_model': lambda B, **kw: -B, "
         "'top_k': 5}",
         "0 1 "},
    };
    tern_context *context = open_interp();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tern_module *module = with_rules(context, rows[i].functions, rows[i].rules);
        const int *left;
        char text[100] = "";
        int count = tern_module_pruned(module, "k", pruned_for, 2, &left);
        for (int k = 0; k < count; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%d ", left[k]);
        if (rows[i].left)
            CHECK_STR(text, rows[i].left);
        else /* a slice that steps back: not evaluated here */
            CHECK(count == TERN_ERROR_UNSUPPORTED);
        tern_module_free(module);
    }
    tern_close(context);
}

TEST(pruning_that_only_python_knows_is_refused) {
    static const struct {
        const char *functions, *rules, *words;
    } rows[] = {
        {"", "{'early_config_prune': elsewhere}", "early_config_prune"},
        {"", "{'perf_model': elsewhere}", "perf_model"},
        {"", "rules()", "the dict"},
        {"", "{'early_config_prune': lambda c, a, **kw: 7}", "early_config_prune"},
        {"", "{'early_config_prune': lambda c, a, **kw: [1]}", "early_config_prune"},
        {"", "{'early_config_prune': lambda c, a, **kw: [triton.Config({'B': 1})]}",
         "a new config"},
        {"", "{'early_config_prune': lambda c, a, **kw: c if a['x'].numel() > 9 else c[:1]}",
         "early_config_prune"},
        {"", "{'early_config_prune': lambda c, a, **kw: []}", "leaves no config"},
        {"", "{'perf_model': lambda **kw: 'slow', 'top_k': 1}", "perf_model"},
        {"", "{'perf_model': lambda **kw: 1, 'top_k': 1.5}", "top_k"},
        {"", "{'perf_model': lambda **kw: 1, 'top_k': -1}", "top_k"},
        {"", "{'perf_model': lambda **kw: kw['x'], 'top_k': 1}", "perf_model"},
    };
    tern_context *context = open_interp();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tern_module *module = with_rules(context, rows[i].functions, rows[i].rules);
        const int *left;
        CHECK(tern_module_pruned(module, "k", pruned_for, 2, &left) < 0 && !left);
        CHECK(strstr(tern_message(context), rows[i].words) != NULL);
        CHECK(strstr(tern_message(context), "text.py:3:") != NULL);
        tern_module_free(module);
    }
    tern_close(context);
}

/* The configs of Triton's tutorial 03 hang on what the driver says it is; what depends on its
 * capability is that of the context's device, which interp has not. */
TEST(the_target_is_nvidias) {
    static const char text[] =
        "import triton\n"
        "def is_cuda():\n"
        "    return triton.runtime.driver.active.get_current_target().backend == 'cuda'\n"
        "def is_old():\n"
        "    target = triton.runtime.driver.active.get_current_target()\n"
        "    return target.backend == 'hip' and target.arch == 'gfx90a'\n"
        "def choose():\n"
        "    return [triton.Config({'B': 1})] if is_cuda() and not is_old() else []\n"
        "def by_arch():\n"
        "    if triton.runtime.driver.active.get_current_target().arch > 80:\n"
        "        return [triton.Config({'B': 2})]\n"
        "    return [triton.Config({'B': 3})]\n"
        "@triton.autotune(configs=choose(), key=[])\n@triton.jit\ndef k(B):\n    pass\n"
        "@triton.autotune(configs=by_arch(), key=[])\n@triton.jit\ndef l(B):\n    pass\n";
    tern_context *context = open_interp();
    tern_module *module = tern_load_text(context, text, strlen(text), "text.py");
    const tern_config *configs;
    CHECK(tern_module_configs(module, "k", &configs) == 1);
    CHECK_STR(configs[0].values[0].text, "1");
    CHECK(tern_module_configs(module, "l", &configs) == 1);
    CHECK_STR(configs[0].values[0].text, "3");
    tern_module_free(module);
    tern_close(context);
}

TEST_MAIN()
