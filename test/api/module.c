// SPDX-License-Identifier: Apache-2.0
/* What a module says of its functions, and a kernel of itself: texts, words and options, each to
 * the letter. */
#include "tern.h"
#include "test.h"

static const char text[] =
    "import triton\n"
    "import triton.language as tl\n"
    "\n"
    "@triton.jit\n"
    "def plain(x, n: tl.constexpr = 4, *, m=None):\n"
    "    y = x\n"
    "    # the last of it\n"
    "\n"
    "    # and still it\n"
    "  # not it\n"
    "    # nor this\n"
    "\n"
    "@triton.jit\n"
    "def one_line(x): pass\n"
    "    # not of it\n"
    "\n"
    "if True:\n"
    "    @triton.jit(do_not_specialize=[\"n\"], do_not_specialize_on_alignment=[\"x\"])\n"
    "    def inner(x,\n"
    "              n):\n"
    "\n"
    "        if n:\n"
    "            # odd\n"
    "            tl.store(x, 1)\n"
    "      # at six\n"
    "\n"
    "        tl.store(x, 2)   # more\n"
    "        # eight\n"
    "\n"
    "    # four\n"
    "@triton.jit\n"
    "def called(x):\n"
    "    return x\n"
    "@triton.jit\n"
    "def calls(x):\n"
    "    called(x)\n"
    "        # deeper\n"
    "    # tab\n"
    "@triton.jit\n"
    "def twice(x):\n"
    "    tl.store(x, 1)\n"
    "@triton.jit\n"
    "def twice(x):\n"
    "    tl.store(x, 2)\n"
    "    # end\n";

static tern_context *context;

static tern_module *load(const char *source) {
    if (!context) context = tern_open(&(tern_open_options){.device = "interp"}, NULL, NULL, 0);
    tern_module *module = tern_load_text(context, source, strlen(source), "m.py");
    CHECK(module);
    if (!module) exit(1);
    return module;
}

/* The texts are those that Python 3.11's inspect.getblock and textwrap.dedent give, from `def`
 * on. */
static const struct {
    const char *name;
    int line, parameters;
    bool is_launched;
    const char *text;
} functions[] = {
    {"plain", 5, 3, true,
     "def plain(x, n: tl.constexpr = 4, *, m=None):\n    y = x\n    # the last of it\n\n"
     "    # and still it\n  # not it\n    # nor this\n"},
    {"one_line", 14, 1, true, "def one_line(x): pass\n"},
    {"inner", 19, 2, true,
     "def inner(x,\n          n):\n\n    if n:\n        # odd\n        tl.store(x, 1)\n  # at "
     "six\n\n"
     "    tl.store(x, 2)   # more\n    # eight\n"},
    {"called", 32, 1, false, "def called(x):\n    return x\n"},
    {"calls", 35, 1, true, "def calls(x):\n    called(x)\n        # deeper\n    # tab\n"},
    {"twice@40", 40, 1, true, "def twice(x):\n    tl.store(x, 1)\n"},
    {"twice", 43, 1, true, "def twice(x):\n    tl.store(x, 2)\n    # end\n"},
};
enum { NUM_FUNCTIONS = sizeof functions / sizeof *functions };

TEST(functions_as_python_sees_them) {
    tern_module *module = load(text);
    CHECK(tern_module_num_functions(module) == NUM_FUNCTIONS);
    CHECK(!tern_module_function(module, -1) && !tern_module_function(module, NUM_FUNCTIONS));
    for (int i = 0; i < NUM_FUNCTIONS; i++) {
        const tern_function *function = tern_module_function(module, i);
        CHECK(function && tern_module_find(module, functions[i].name) == function);
        if (!function) continue;
        CHECK_STR(function->name, functions[i].name);
        CHECK_STR(function->text, functions[i].text);
        CHECK(function->line == functions[i].line &&
              function->is_launched == functions[i].is_launched);
        CHECK(function->num_parameters == functions[i].parameters);
    }
    CHECK(!tern_module_find(module, "nobody") && !tern_module_find(module, NULL));
    tern_module_free(module);
}

TEST(parameters_as_they_stand) {
    tern_module *module = load(text);
    const tern_function_parameter *p = tern_module_find(module, "plain")->parameters,
                                  *q = tern_module_find(module, "inner")->parameters;
    CHECK_STR(p[0].name, "x");
    CHECK_STR(p[0].annotation, "");
    CHECK(!p[0].default_value && !p[0].has_default && !p[0].is_constexpr);
    CHECK_STR(p[1].name, "n");
    CHECK_STR(p[1].annotation, "tl.constexpr");
    CHECK_STR(p[1].default_value, "4");
    CHECK(p[1].has_default && p[1].is_constexpr && !p[1].do_not_specialize);
    CHECK_STR(p[2].name, "m");
    CHECK_STR(p[2].default_value, "None");
    CHECK(p[2].has_default && !p[2].is_constexpr);
    CHECK(!q[0].do_not_specialize && q[0].do_not_specialize_on_alignment);
    CHECK(q[1].do_not_specialize);
    tern_module_free(module);
}

TEST(options_of_jit_as_a_call) {
    tern_module *module = load(
        "def plain(x, n, m): pass\n"
        "k = triton.jit(plain, do_not_specialize=[\"n\"], do_not_specialize_on_alignment=[0])\n"
        "curried = triton.jit(do_not_specialize=[2])(plain)\n");
    const tern_function_parameter *p = tern_module_find(module, "k")->parameters,
                                  *q = tern_module_find(module, "curried")->parameters;
    for (int i = 0; i < 3; i++) {
        CHECK(p[i].do_not_specialize == (i == 1));
        CHECK(p[i].do_not_specialize_on_alignment == (i == 0));
        CHECK(q[i].do_not_specialize == (i == 2));
        CHECK(!q[i].do_not_specialize_on_alignment);
    }
    tern_module_free(module);
}

TEST(functions_that_are_not_there) {
    tern_module *module = load(text), *empty = load("x = 1\n");
    CHECK(!tern_compile(module, "nobody", "", NULL));
    CHECK_STR(tern_message(context),
              "no @triton.jit function 'nobody' here, only: plain, one_line, inner, called, calls, "
              "twice@40, twice");
    CHECK(!tern_module_ast(empty, "nobody") && tern_message_status(context) == TERN_ERROR_ARGUMENT);
    CHECK_STR(tern_message(context), "no @triton.jit function 'nobody': there is none here");
    CHECK(tern_module_configs(empty, NULL, NULL) == TERN_ERROR_ARGUMENT);
    CHECK_STR(tern_message(context), "no @triton.jit function '': there is none here");
    char many[4096] = "import triton\n", want[1024] = "no @triton.jit function 'g' here, only: ";
    for (int i = 0; i < 25; i++) {
        sprintf(many + strlen(many), "@triton.jit\ndef f%d(x): pass\n", i);
        if (i < 20) sprintf(want + strlen(want), "%sf%d", i ? ", " : "", i);
    }
    tern_module *long_one = load(many);
    CHECK(!tern_compile(long_one, "g", "", NULL));
    CHECK_STR(tern_message(context), want);
    CHECK(strstr(tern_module_ast(long_one, "f3"), "f3"));
    tern_module_free(module), tern_module_free(empty), tern_module_free(long_one);
}

/* ---- configs and heuristics ---- */

static const char tuned[] =
    "import triton\nimport triton.language as tl\n"
    "@triton.autotune(configs=[triton.Config({'A': 16, 'B': 'x'}, num_warps=8),\n"
    "                          triton.Config({}, num_stages=5), triton.Config({'A': 32})], "
    "key=['n'])\n"
    "@triton.heuristics({'C': lambda args: args['n'] * 2, 'D': lambda args: args['A'] > 16})\n"
    "@triton.jit\n"
    "def tuned(x, n, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, D: tl.constexpr):\n"
    "    tl.store(x, C)\n"
    "@triton.jit\n"
    "def plain(x, n: tl.constexpr = 3):\n"
    "    tl.store(x, n)\n"
    "@triton.autotune(configs=make(), key=[])\n"
    "@triton.jit\n"
    "def unknown(x):\n"
    "    pass\n";

TEST(configs_are_counted) {
    tern_module *module = load(tuned);
    const tern_config *configs = NULL, *again = NULL;
    CHECK(tern_module_configs(module, "tuned", NULL) == 3);
    CHECK(tern_module_configs(module, "tuned", &configs) == 3 && configs);
    CHECK(tern_module_configs(module, "tuned", &again) == 3 && again == configs);
    CHECK(configs[0].num_values == 2 && configs[1].num_values == 0 && configs[2].num_values == 1);
    CHECK_STR(configs[0].values[0].name, "A");
    CHECK_STR(configs[0].values[0].text, "16");
    CHECK_STR(configs[0].values[1].name, "B");
    CHECK_STR(configs[0].values[1].text, "'x'");
    CHECK_STR(configs[2].values[0].text, "32");
    CHECK(configs[0].num_warps == 8 && configs[0].num_stages == 0);
    CHECK(configs[1].num_warps == 0 && configs[1].num_stages == 5);
    CHECK(tern_module_configs(module, "plain", &configs) == 0);
    CHECK(tern_module_configs(module, "unknown", &configs) < 0 && tern_message(context)[0]);
    tern_module_free(module);
}

TEST(heuristics_fill_what_is_not_known) {
    tern_module *module = load(tuned);
    const tern_value known[] = {{"n", "21"}, {"A", "32"}, {"D", "True"}};
    const tern_value *values = NULL;
    CHECK(tern_module_heuristics(module, "tuned", known, 2, &values) == 2);
    CHECK_STR(values[0].name, "C");
    CHECK_STR(values[0].text, "42");
    CHECK_STR(values[1].name, "D");
    CHECK_STR(values[1].text, "True");
    CHECK(tern_module_heuristics(module, "tuned", known, 3, &values) == 1);
    CHECK_STR(values[0].name, "C");
    CHECK(tern_module_heuristics(module, "plain", known, 3, &values) == 0);
    CHECK(tern_module_heuristics(module, "nobody", known, 3, &values) == TERN_ERROR_ARGUMENT);
    CHECK(tern_module_heuristics(module, "tuned", known + 1, 1, &values) < 0); /* n is needed */
    tern_module_free(module);
}

/* ---- kernels ---- */

TEST(options_in_their_limits) {
    tern_module *module = load(tuned);
    for (int warps = -2; warps < 70; warps++) {
        bool right = warps >= 0 && warps <= 32 && !(warps & (warps - 1));
        tern_kernel *kernel =
            tern_compile(module, "plain", "*i32", &(tern_options){.num_warps = warps});
        CHECK((kernel != NULL) == right);
        char want[80];
        snprintf(want, sizeof want, "num_warps is 1, 2, 4, 8, 16 or 32, not %d", warps);
        if (!kernel) CHECK_STR(tern_message(context), want);
        if (kernel) CHECK(tern_kernel_num_warps(kernel) == (warps ? warps : 4));
        tern_kernel_free(kernel);
    }
    for (int stages = -2; stages < 70; stages++) {
        tern_kernel *kernel =
            tern_compile(module, "plain", "*i32", &(tern_options){.num_stages = stages});
        CHECK((kernel != NULL) == (stages >= 0 && stages <= 64));
        char want[80];
        snprintf(want, sizeof want, "num_stages is 1 to 64, not %d", stages);
        if (!kernel) CHECK_STR(tern_message(context), want);
        if (kernel) CHECK(tern_kernel_num_stages(kernel) == (stages ? stages : 3));
        tern_kernel_free(kernel);
    }
    static const int numbers[][3] = {{1, 8, 3}, {2, 4, 5}, {3, 4, 3}}; /* config, warps, stages */
    for (int i = 0; i < 3; i++) {
        tern_kernel *kernel = tern_compile(module, "tuned", "*i32,i32,A=16,B='b',C=1,D=True",
                                           &(tern_options){.config = numbers[i][0]});
        CHECK(kernel && tern_kernel_num_warps(kernel) == numbers[i][1] &&
              tern_kernel_num_stages(kernel) == numbers[i][2]);
        tern_kernel_free(kernel);
    }
    CHECK(!tern_compile(module, "tuned", "*i32,i32,A=16,B=2,C=1,D=True",
                        &(tern_options){.config = 4}));
    CHECK(!tern_compile(module, "tuned", "*i32,i32,A=16,B=2,C=1,D=True",
                        &(tern_options){.config = -1}));
    tern_module_free(module);
}

static const char facts_source[] =
    "import triton\nimport triton.language as tl\n"
    "@triton.jit\n"
    "def facts(x, y, n, k, u, f, B: tl.constexpr, D: tl.constexpr = 7):\n"
    "    i = tl.arange(0, B)\n"
    "    tl.store(x + i, tl.load(y + i) + n + k + f)\n";

TEST(facts_to_the_letter) {
    tern_module *module = load(facts_source);
    static const struct {
        const char *target, *end;
    } rows[] = {{"interp", ""},
                {"sm_90a", "threads a block: 64\nloads of y: 1 bytes a thread\n"
                           "stores to x: 2 bytes a thread\n"}};
    for (int i = 0; i < 2; i++) {
        char want[800];
        tern_kernel *kernel = tern_compile(
            module, "facts", "*fp16:16,*u8,i32:16,i64,u32:1,fp32,64",
            &(tern_options){
                .num_warps = 2, .num_stages = 4, .target = rows[i].target, .text_only = true});
        CHECK(kernel);
        if (!kernel) {
            printf("%s\n", tern_message(context));
            return;
        }
        snprintf(want, sizeof want,
                 "kernel: facts\ntarget: %s\nnum_warps: 2\nnum_stages: 4\n"
                 "argument: x *fp16, divisible by 16\nargument: y *u8\n"
                 "argument: n i32, divisible by 16\nargument: k i64\nconstant: u = 1\n"
                 "argument: f fp32\nconstant: B = 64\nconstant: D = 7\n%s",
                 rows[i].target, rows[i].end);
        const char *facts = tern_kernel_text(kernel, TERN_STAGE_FACTS);
        CHECK_STR(facts, want);
        CHECK(tern_kernel_text(kernel, TERN_STAGE_FACTS) == facts);
        CHECK(!tern_kernel_text(kernel, TERN_STAGE_C));
        CHECK((tern_kernel_text(kernel, TERN_STAGE_PTX) != NULL) == i);
        CHECK(!tern_kernel_text(kernel, TERN_STAGE_IR_AFTER));
        const char *times = tern_kernel_text(kernel, TERN_STAGE_TIMES),
                   *last = strstr(times, "\nall ");
        CHECK(strstr(times, "\nfront end ") && last && (strstr(times, "\ngenerate ") != NULL) == i);
        double sum = 0, shares = 0;
        int count = 0;
        for (const char *at = strchr(times, '\n'); at && at < last;
             at = strchr(at + 1, '\n'), count++)
            sum += atof(at + 14), shares += atof(at + 24);
        CHECK(fabs(sum - atof(last + 14)) <= 0.06 * count && fabs(shares - 100) <= 0.06 * count);
        CHECK_STR(tern_kernel_text(kernel, TERN_STAGE_CONFIGS), "");
        CHECK_STR(tern_kernel_text(kernel, TERN_STAGE_AST), tern_module_ast(module, "facts"));
        CHECK(strstr(tern_kernel_text(kernel, TERN_STAGE_IR), "func @facts("));
        CHECK_STR(tern_kernel_text(kernel, TERN_STAGE_REMARKS), "");
        CHECK_STR(tern_kernel_name(kernel), "facts");
        CHECK_STR(tern_kernel_target(kernel), rows[i].target);
        CHECK(tern_kernel_num_parameters(kernel) == 8 && !tern_kernel_parameter(kernel, 8) &&
              !tern_kernel_parameter(kernel, -1));
        tern_counted counted;
        CHECK(!tern_kernel_counters(kernel, false));
        CHECK(tern_kernel_counted(kernel, &counted) == TERN_ERROR_UNSUPPORTED);
        CHECK_STR(tern_message(context),
                  "device 'interp' does not count what kernels do; device 'sim' does");
        tern_kernel_free(kernel);
    }
    tern_module_free(module);
}

TEST(configs_as_text) {
    tern_module *module = load(tuned);
    tern_kernel *kernel = tern_compile(module, "tuned", "*i32,i32,16,'x',1,True", NULL);
    CHECK(kernel);
    if (!kernel) {
        printf("%s\n", tern_message(context));
        return;
    }
    CHECK_STR(tern_kernel_text(kernel, TERN_STAGE_CONFIGS),
              "1: A=16 B='x' num_warps=8\n2: num_stages=5\n3: A=32\n");
    tern_module_free(module); /* the kernel stays usable */
    CHECK(strstr(tern_kernel_text(kernel, TERN_STAGE_AST), "tuned"));
    CHECK(strstr(tern_kernel_text(kernel, TERN_STAGE_IR), "func @tuned("));
    tern_kernel_free(kernel);
}

int main(int argc, char **argv) {
    int failed = test_main(__FILE__, argc, argv);
    tern_close(context);
    return failed;
}
