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

TEST_MAIN()
