// SPDX-License-Identifier: Apache-2.0
/* Feeds broken kernels to the front end: every jit function found is compiled to IR, with a
 * signature made from its parameters. */
#include "fuzz.h"
#include "tern.h"

const char *const fuzz_globs[] = {"kernels/*.py", "kernels/std/*.py", "test/lang/kernels/*.py",
                                  "test/run/*.py", NULL};
const char *const fuzz_tokens[] = {"(",
                                   ")",
                                   "[",
                                   "]",
                                   ":",
                                   "\n    ",
                                   "\n",
                                   "@triton.jit\n",
                                   "def f(",
                                   "if ",
                                   "else:",
                                   "for i in ",
                                   "while ",
                                   "tl.constexpr",
                                   "tl.load(",
                                   "tl.store(",
                                   "mask=",
                                   "lambda ",
                                   "return ",
                                   "None",
                                   "tl.arange(",
                                   "tl.program_id(",
                                   "\"\"\"",
                                   "'",
                                   "f\"{x}\"",
                                   "\\",
                                   "#",
                                   "**",
                                   "//",
                                   "<<",
                                   "1e999",
                                   "0x",
                                   "\x00\xff",
                                   "tl.dot(",
                                   "tl.sum(",
                                   "import ",
                                   "from . import",
                                   "axis=",
                                   "tl.zeros(",
                                   "range(",
                                   ":=",
                                   "...",
                                   "tl.static_assert(",
                                   "tl.where(",
                                   "tl.inline_asm_elementwise(",
                                   "tl.reduce(",
                                   "tl.map_elementwise(",
                                   "f = triton.jit(f)\n",
                                   "libdevice.",
                                   "pack=",
                                   "]*9999999",
                                   NULL};

static void make_signature(const tern_function *function, char *out, size_t size, int variant) {
    size_t at = 0;
    for (int i = 0; i < function->num_parameters && at + 32 < size; i++) {
        static const char *const types[] = {"*fp32:16", "i32:16",  "*fp16", "i64",
                                            "fp32",     "*i32:16", "i1"};
        static const char *const constants[] = {"16", "None", "1", "'tanh'", "True", "fp16", "32"};
        const char *text = function->parameters[i].is_constexpr ? constants[(i * variant) % 7]
                                                                : types[(i * variant) % 7];
        at += (size_t)snprintf(out + at, size - at, "%s%s", i ? "," : "", text);
    }
}

static void fuzz_one(const char *data, size_t size) {
    tern_context *context =
        tern_open(&(tern_open_options){.device = "interp", .cache_dir = ""}, NULL, NULL, 0);
    tern_module *module = tern_load_text(context, data, size, "fuzz.py");
    for (int i = 0; module && i < tern_module_num_functions(module) && i < 8; i++) {
        const tern_function *function = tern_module_function(module, i);
        const tern_config *configs;
        tern_module_configs(module, function->name, &configs);
        for (int variant = 0; variant < 2; variant++) {
            char signature[1024] = "";
            make_signature(function, signature, sizeof signature, variant * 3);
            tern_kernel_free(
                tern_compile(module, function->name, signature, &(tern_options){.verify = true}));
        }
    }
    tern_close(context);
}
