// SPDX-License-Identifier: Apache-2.0
/* source: NAME.c: texts for GPUs, kernels for CPUs, the table of forms, the runtime, the calls. */
#include "build/build.h"
#include "gen/c/join.h"

#include <stdlib.h>

extern const char text_abi_start[], text_abi_end[], text_tiles_start[], text_tiles_end[],
    text_runtime_types_start[], text_runtime_types_end[], text_runtime_c_start[],
    text_runtime_c_end[];

enum {
#define CPU(kind, ...) CPU_##kind,
#include "base/cpus.def"
};

typedef struct Arch {
    const char *kind, *name, *features, *gcc_alone; /* target attributes; empty: none are needed */
    const char *has;                                /* C; what it asks of the processor */
} Arch;
static const Arch archs[] = {
#define CPU(kind, name, features, gcc_alone, has) {#kind, name, features, gcc_alone, #has},
#include "base/cpus.def"
};

static bool is_of(const Compiled *compiled, const Arch *arch) {
    const char *target = compiled->kernel->compiled->target;
    return !strncmp(target, "cpu:", 4) && !strcmp(target + 4, arch->name);
}

static bool is_gpu(const Compiled *compiled) {
    return !strncmp(compiled->kernel->compiled->target, "sm_", 3);
}

/* ---- texts, each once ---- */

typedef struct Printed {
    Str text;
    const char *name;
} Printed;
typedef VEC(Printed) PrintedTexts;

/* The name under which a text is in the file, a new one if it is not there yet. */
static const char *text_name(Arena *arena, PrintedTexts *texts, Str text, const char *prefix,
                             bool *is_new) {
    for (int i = 0; i < texts->count; i++)
        if (str_equal(texts->data[i].text, text)) return *is_new = false, texts->data[i].name;
    const char *name = str_format(arena, "%s%d", prefix, texts->count).data;
    vec_push(arena, texts, (Printed){text, name});
    return *is_new = true, name;
}

/* ---- GPUs ---- */

static bool starts(Str line, const char *word) {
    while (line.length && (*line.data == ' ' || *line.data == '\t')) line.data++, line.length--;
    return str_starts(line, word);
}

Str plain_ptx(Arena *arena, Str text) {
    Buf out = {.arena = arena};
    for (const char *at = text.data, *end = text.data + text.length; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        Str line = {at, (int)((newline ? newline + 1 : end) - at)};
        if (!starts(line, ".loc") && !starts(line, ".file"))
            buf_add(&out, line.data, (size_t)line.length);
        at += line.length;
    }
    return buf_str(&out);
}

/* Behind the lines that name the target: what tells two texts apart. */
static Str ptx_body(Str text) {
    const char *at = memmem(text.data, (size_t)text.length, ".address_size", 13);
    return at ? (Str){at, text.length - (int)(at - text.data)} : text;
}

static int capability_of(const Compiled *compiled, bool *exact) {
    const char *target = compiled->kernel->compiled->target;
    *exact = target[strlen(target) - 1] == 'a';
    return (int)strtol(target + 3, NULL, 10);
}

static void print_literal(Buf *out, Str text) {
    for (const char *at = text.data, *end = text.data + text.length; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline ? newline + 1 : end) - at);
        buf_puts(out, "\n    \"");
        print_escaped(out, at, length);
        buf_putc(out, '"');
        at += length;
    }
    buf_puts(out, ";\n");
}

static void print_bytes(Buf *out, const char *name, Str bytes) {
    buf_printf(out, "static const unsigned char %s[] __attribute__((aligned(16))) =", name);
    for (int i = 0; i < bytes.length; i++)
        buf_printf(out, "%s\\%o%s", i % 32 ? "" : "\n    \"", (unsigned char)bytes.data[i],
                   i % 32 == 31 || i == bytes.length - 1 ? "\"" : "");
    buf_puts(out, ";\n");
}

/* What one target adds to a form: its text or machine code, if that is new, and a row. A later
 * target of which the text is an earlier one's is left out: that one runs there too. */
typedef struct Gpus {
    PrintedTexts texts, cubins; /* of all forms */
    VEC(Str) bodies;            /* of this one */
    Buf rows;
} Gpus;

static void print_gpu(Buf *out, Gpus *gpus, const Compiled *compiled) {
    const CompiledKernel *kernel = compiled->kernel->compiled;
    Arena *arena = out->arena;
    bool is_new, exact, assembled = compiled->cubin.length > 0;
    const char *name;
    if (assembled) {
        name = text_name(arena, &gpus->cubins, compiled->cubin, "cubin_", &is_new);
        if (is_new) print_bytes(out, name, compiled->cubin);
    } else {
        Str text = plain_ptx(arena, kernel->text);
        for (int i = 0; i < gpus->bodies.count; i++)
            if (str_equal(gpus->bodies.data[i], ptx_body(text))) return;
        vec_push(arena, &gpus->bodies, ptx_body(text));
        name = text_name(arena, &gpus->texts, text, "ptx_", &is_new);
        if (is_new) buf_printf(out, "static const char %s[] =", name), print_literal(out, text);
    }
    int capability = capability_of(compiled, &exact);
    buf_printf(&gpus->rows, "    {%d, %d, %d, %s, \"%.*s\", %d, %d},\n", capability, exact,
               assembled, name, STR_ARG(kernel->name), facts_threads(&kernel->facts),
               kernel->facts.shared_bytes);
}

static void print_gpus(Buf *out, const Build *build) {
    Gpus gpus = {0};
    for (int i = 0; i < build->num_forms; i++) {
        const Form *form = build->forms.data[i];
        gpus.bodies.count = 0;
        gpus.rows = (Buf){.arena = build->arena};
        for (int k = 0; k < form->compiled.count; k++)
            if (is_gpu(&form->compiled.data[k])) print_gpu(out, &gpus, &form->compiled.data[k]);
        if (gpus.rows.length)
            buf_printf(out, "static const Gpu gpus_%d[] = {\n%s};\n", form->number, gpus.rows.data);
    }
}

/* ---- CPUs ---- */

static void print_arch(Buf *out, Build *build, const Arch *arch) {
    PrintedTexts texts = {0};
    VEC(JoinPart) parts = {0};
    for (int i = 0; i < build->num_forms; i++)
        for (int k = 0; k < build->forms.data[i]->compiled.count; k++) {
            Compiled *compiled = &build->forms.data[i]->compiled.data[k];
            const CompiledKernel *kernel = compiled->kernel->compiled;
            bool is_new;
            if (!is_of(compiled, arch)) continue;
            const char *text = kernel->text.data + kernel->facts.prelude_bytes;
            compiled->text_name = text_name(build->arena, &texts, str_of(text), "", &is_new);
            if (is_new) vec_push(build->arena, &parts, (JoinPart){text, compiled->text_name});
        }
    if (!parts.count) return;
    buf_printf(out, "\n/* ---- kernels for CPUs: %s ---- */\n\n", arch->name);
    if (*arch->features)
        buf_printf(
            out,
            "#if defined(__x86_64__)\n#ifdef __clang__\n"
            "#pragma clang attribute push(__attribute__((target(\"%s\"))), apply_to = function)\n"
            "#else\n#pragma GCC push_options\n#pragma GCC target(\"%s%s\")\n#endif\n",
            arch->features, arch->features, arch->gcc_alone);
    join_write(out, arch->name, parts.count, parts.data);
    if (*arch->features)
        buf_puts(out, "#ifdef __clang__\n#pragma clang attribute pop\n#else\n"
                      "#pragma GCC pop_options\n#endif\n#endif\n");
}

static bool has_text_for(const Build *build, const Arch *arch) {
    for (int i = 0; i < build->num_forms; i++)
        for (int k = 0; k < build->forms.data[i]->compiled.count; k++)
            if (is_of(&build->forms.data[i]->compiled.data[k], arch)) return true;
    return false;
}

/* The order of the targets, and the last that this machine runs. What not all compilers know, and
 * tiles, are asked for only if there is a text with them. */
static void print_levels(Buf *out, const Build *build) {
    buf_puts(out, "enum { ");
    for (int a = 0; a < COUNT(archs); a++) buf_printf(out, "%s, ", archs[a].kind);
    buf_puts(out, "NUM_CPUS };\n\n");
    if (has_text_for(build, &archs[CPU_AMX]))
        buf_add(out, text_tiles_start, (size_t)(text_tiles_end - text_tiles_start));
    buf_puts(out, "static int machine_cpu(void) {\n    int best = GENERIC;\n"
                  "#if defined(__x86_64__)\n#define HAS(feature) __builtin_cpu_supports(feature)\n"
                  "#define MADE_BY(maker) __builtin_cpu_is(maker)\n"
                  "    __builtin_cpu_init();\n    const int there[] = {");
    for (int a = 0; a < COUNT(archs); a++)
        buf_printf(out, "%s%s", a ? ", " : "",
                   a >= CPU_AVX512BF16 && !has_text_for(build, &archs[a]) ? "0" : archs[a].has);
    buf_puts(out, "};\n    for (int i = 1; i < NUM_CPUS && (there[i] || i == AVX512BF16); i++)\n"
                  "        if (there[i]) best = i;\n"
                  "#undef HAS\n#undef MADE_BY\n#endif\n    return best;\n}\n\n");
}

/* ---- the table of forms ---- */

static void print_cpus(Buf *out, const Form *form) {
    for (int a = 0; a < COUNT(archs); a++) {
        const char *name = NULL, *arch = archs[a].name;
        for (int k = 0; k < form->compiled.count; k++)
            if (is_of(&form->compiled.data[k], &archs[a])) name = form->compiled.data[k].text_name;
        buf_puts(out, a ? ",\n      " : "{");
        if (name)
            buf_printf(out, "%s(tern_kernel_%s_%s, tern_facts_%s_%s)",
                       *archs[a].features ? "X86" : "ANY", name, arch, name, arch);
        else
            buf_puts(out, "NONE");
    }
    buf_puts(out, "},\n     ");
}

/* Which of the C function's values the kernel gets; returns how many. */
static int print_args(Buf *out, const Build *build, const Function *function, const Form *form) {
    int count = 0, at = 0;
    buf_printf(out, "static const unsigned char args_%d[] = {", form->number);
    for (int i = 0; i < build->num_parameters; i++) {
        if (function->parameters[i].role != ROLE_PASSED) continue;
        if (form_parameter(form, i)) buf_printf(out, "%s%d", count++ ? ", " : "", at);
        at++;
    }
    buf_puts(out, count ? "};\n" : "0};\n");
    return count;
}

static void print_form(Buf *out, const Form *form) {
    bool gpu = false;
    for (int k = 0; k < form->compiled.count; k++) gpu |= is_gpu(&form->compiled.data[k]);
    buf_printf(out, "    {/* %d: ", form->number);
    print_words(out, form->signature);
    buf_puts(out, " */\n     ");
    print_cpus(out, form);
    if (gpu)
        buf_printf(out, "gpus_%d, sizeof gpus_%d / sizeof *gpus_%d, ", form->number, form->number,
                   form->number);
    else
        buf_puts(out, "NULL, 0, ");
    buf_printf(out, "%d, args_%d},\n", form->compiled.data[0].kernel->compiled->num_params,
               form->number);
}

static void print_table(Buf *out, const Build *build) {
    int most = 1;
    buf_puts(out, "\n/* ---- forms ---- */\n\n");
    for (int i = 0; i < build->functions.count; i++)
        for (int f = 0; f < build->functions.data[i].forms.count; f++) {
            const Function *function = &build->functions.data[i];
            int count = print_args(out, build, function, function->forms.data[f]);
            if (count > most) most = count;
        }
    buf_puts(out, "#define NONE {NULL, NULL}\n#define ANY(function, facts) {function, facts}\n"
                  "#if defined(__x86_64__)\n#define X86(function, facts) {function, facts}\n"
                  "#else\n#define X86(function, facts) NONE\n#endif\n");
    buf_printf(out, "enum { NUM_FORMS = %d, MOST_ARGS = %d };\n", build->num_forms, most);
    buf_puts(out, "static const Form forms[NUM_FORMS] = {\n");
    for (int i = 0; i < build->functions.count; i++)
        for (int f = 0; f < build->functions.data[i].forms.count; f++)
            print_form(out, build->functions.data[i].forms.data[f]);
    buf_puts(out, "};\n\n");
}

/* ---- calls ---- */

/* A promise of some form of a function: the parameter is divisible by, or is one (0). */
typedef struct Promise {
    int parameter, divisible;
} Promise;
typedef VEC(Promise) Promises;

static int promise_find(Build *build, Promises *promises, int parameter, int divisible) {
    for (int i = 0; i < promises->count; i++)
        if (promises->data[i].parameter == parameter && promises->data[i].divisible == divisible)
            return i;
    vec_push(build->arena, promises, (Promise){parameter, divisible});
    return promises->count - 1;
}

/* The promises of a form, as bits of what choose() calls facts. */
static uint64_t form_bits(Build *build, const Function *function, const Form *form,
                          Promises *promises) {
    uint64_t bits = 0;
    for (int i = 0; i < build->num_parameters; i++) {
        bool is_one;
        int divisible = form_divisible(form, i, &is_one);
        if (function->parameters[i].role != ROLE_PASSED || (divisible <= 1 && !is_one)) continue;
        bits |= 1ULL << promise_find(build, promises, i, is_one ? 0 : divisible);
    }
    return bits;
}

static void print_fact(Buf *out, const Parameter *p, const Promise *promise, int bit) {
    if (promise->divisible == 0)
        buf_printf(out, "(uint64_t)(%s == 1) << %d", p->c_name, bit);
    else if (p->is_pointer)
        buf_printf(out, "(uint64_t)((uintptr_t)%s %% %d == 0) << %d", p->c_name, promise->divisible,
                   bit);
    else
        buf_printf(out, "(uint64_t)(%s %% %d == 0) << %d", p->c_name, promise->divisible, bit);
}

/* From 0: the first form all of whose promises hold; -1: none. */
static void print_choose(Buf *out, Build *build, const Function *function, Promises *promises) {
    Buf rows = {.arena = build->arena};
    for (int f = 0; f < function->forms.count; f++) {
        const Form *form = function->forms.data[f];
        uint64_t bits = form_bits(build, function, form, promises);
        const char *and = "";
        buf_puts(&rows, "    if (");
        for (int i = 0; i < build->num_parameters; i++)
            if (function->parameters[i].role == ROLE_CHOICE)
                buf_printf(&rows, "%s%s == %s", and, function->parameters[i].c_name,
                           form_constant(form, i)),
                    and = " && ";
        if (bits)
            buf_printf(&rows, "%s(facts & 0x%llx) == 0x%llx", and, (unsigned long long)bits,
                       (unsigned long long)bits);
        buf_printf(&rows, "%s) return %d;\n", bits || *and? "" : "1", form->number);
    }
    buf_printf(out, "static int choose%s(", function->suffix);
    print_parameters(out, build, function, "");
    buf_puts(out, ") {\n");
    for (int i = 0; i < build->num_parameters; i++) {
        bool used = function->parameters[i].role != ROLE_PASSED;
        for (int k = 0; k < promises->count; k++) used |= promises->data[k].parameter == i;
        if (!used) buf_printf(out, "    (void)%s;\n", function->parameters[i].c_name);
    }
    if (promises->count) buf_puts(out, "    const uint64_t facts =\n        ");
    for (int i = 0; i < promises->count; i++) {
        if (i) buf_puts(out, " |\n        ");
        print_fact(out, &function->parameters[promises->data[i].parameter], &promises->data[i], i);
    }
    buf_printf(out, "%s%s    return -1;\n}\n\n", promises->count ? ";\n" : "", rows.data);
}

/* The value of a name in a requirement: a parameter's, or the constant of all forms. */
static void print_required(Buf *out, const Build *build, const Function *function) {
    for (int i = 0; i < build->require.names.count; i++)
        for (int k = 0; k < build->num_parameters; k++) {
            const Parameter *p = &function->parameters[k];
            if (!strcmp(p->name, build->require.names.data[i]) && p->role == ROLE_FIXED)
                buf_printf(out, "    const int64_t %s = %s;\n", p->c_name, p->constant);
        }
}

static bool is_required(const Build *build, const Parameter *p) {
    for (int i = 0; i < build->require.names.count; i++)
        if (!strcmp(p->name, build->require.names.data[i])) return true;
    return false;
}

static void print_require(Buf *out, const Build *build, const Function *function) {
    if (!build->require.c) return;
    print_required(out, build, function);
    buf_printf(out, "    if (!%s)\n        return fails(call, %s_ARGUMENT, \"%s: needs ",
               build->require.c, build->caps, function->name);
    for (const char *at = build->require.text; *at; at++) {
        if (*at == '%') buf_putc(out, '%');
        print_escaped(out, at, 1);
    }
    buf_puts(out, ", but");
    const char *comma = " ";
    for (int i = 0; i < build->num_parameters; i++)
        if (is_required(build, &function->parameters[i]))
            buf_printf(out, "%s%s is %%lld", comma, function->parameters[i].name), comma = ", ";
    buf_puts(out, "\"");
    for (int i = 0; i < build->num_parameters; i++)
        if (is_required(build, &function->parameters[i]))
            buf_printf(out, ", (long long)%s", function->parameters[i].c_name);
    buf_puts(out, ");\n");
}

/* Why no form is right: a constant that was not compiled, else a promise that all forms have. */
static void print_refusal(Buf *out, const Build *build, const Function *function,
                          const Promises *promises) {
    Buf words = {.arena = build->arena};
    for (int i = 0; i < build->num_parameters; i++) {
        const Parameter *p = &function->parameters[i];
        if (p->role != ROLE_CHOICE) continue;
        buf_puts(out, "    if (");
        for (int f = 0; f < function->forms.count; f++)
            if (is_first_choice(function, f, i))
                buf_printf(out, "%s%s != %s", f ? " && " : "", p->c_name,
                           form_constant(function->forms.data[f], i));
        buf_printf(out,
                   ")\n        return fails(call, %s_ARGUMENT, \"%s: %s is %%lld; compiled are ",
                   build->caps, function->name, p->name);
        print_choices(out, function, i);
        buf_printf(out, "\", (long long)%s);\n", p->c_name);
    }
    for (int i = 0; i < promises->count; i++) {
        const Promise *promise = &promises->data[i];
        buf_puts(&words, i ? ", " : "");
        if (promise->divisible)
            buf_printf(&words, "%s divisible by %d", function->parameters[promise->parameter].name,
                       promise->divisible);
        else
            buf_printf(&words, "%s 1", function->parameters[promise->parameter].name);
    }
    buf_printf(
        out,
        "    return fails(call, %s_ARGUMENT,\n                 \"%s: no form is right for the "
        "arguments; the compiled ones want%s%s\");\n",
        build->caps, function->name, promises->count ? " " : " other constants",
        promises->count ? words.data : "");
}

static void print_alignment(Buf *out, const Build *build, const Function *function) {
    for (int i = 0; i < build->num_parameters; i++) {
        const Parameter *p = &function->parameters[i];
        size_t size = tern_dtype_size(p->dtype);
        if (p->role != ROLE_PASSED || !p->is_pointer || size < 2) continue;
        buf_printf(
            out,
            "    if ((uintptr_t)%s %% %zu)\n        return fails(call, %s_ARGUMENT, \"%s: %s is "
            "not aligned to its elements of %zu bytes\");\n",
            p->c_name, size, build->caps, function->name, p->name, size);
    }
}

static void print_call(Buf *out, Build *build, const Function *function) {
    Promises promises = {0};
    print_choose(out, build, function, &promises);
    buf_printf(out, "int %s_form%s(", build->name, function->suffix);
    print_parameters(out, build, function, "");
    buf_printf(out, ") {\n    const %s_call *const call = NULL;\n    (void)call;\n", build->name);
    print_require(out, build, function);
    Buf names = {.arena = build->arena}, values = {.arena = build->arena};
    buf_puts(&names, ""), buf_puts(&values, "");
    for (int i = 0; i < build->num_parameters; i++) {
        const Parameter *p = &function->parameters[i];
        if (p->role != ROLE_FIXED) buf_printf(&names, "%s%s", names.length ? ", " : "", p->c_name);
        if (p->role == ROLE_PASSED)
            buf_printf(&values, "%s(void *)&%s", values.length ? ", " : "", p->c_name);
    }
    buf_printf(
        out, "    int form = choose%s(%s);\n    return form < 0 ? %s_ARGUMENT : form - %d;\n}\n\n",
        function->suffix, names.data, build->caps, function->forms.data[0]->number);
    buf_printf(out, "int %s(const %s_call *call, ", function->name, build->name);
    print_grid(out, build);
    print_parameters(out, build, function, ", ");
    buf_puts(out, ") {\n");
    buf_printf(out, "    const uint32_t grid[3] = {grid_x, %s, %s};\n",
               build->grid_axes > 1 ? "grid_y" : "1", build->grid_axes > 2 ? "grid_z" : "1");
    print_require(out, build, function);
    print_alignment(out, build, function);
    buf_printf(out, "    int form = choose%s(%s);\n    if (form >= 0) {\n", function->suffix,
               names.data);
    buf_printf(
        out,
        "        void *args[] = {%s};\n        return launch(call, form, grid, args);\n    }\n",
        values.length ? values.data : "NULL");
    print_refusal(out, build, function, &promises);
    buf_puts(out, "}\n\n");
}

/* ---- the file ---- */

static void print_start(Buf *out, const Build *build) {
    if (build->header_only)
        buf_puts(out, "#ifdef TERN_BUILD_IS_HERE\n"
                      "#error \"a file has room for one implementation of an exported kernel\"\n"
                      "#endif\n#define TERN_BUILD_IS_HERE\n"
                      "#ifndef __clang__\n#pragma GCC push_options\n#endif\n");
    else
        buf_printf(out,
                   "/* %s.c: written by tern %s. Do not edit: what it is made of is in %s.h. */\n"
                   "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n#include \"%s.h\"\n\n",
                   build->name, tern_version(), build->name, build->name);
    buf_puts(
        out,
        "#if defined(__FAST_MATH__)\n"
        "#error \"-ffast-math takes NaN and infinities away, which the kernels compare with\"\n"
        "#endif\n"
        "#include <dlfcn.h>\n#include <pthread.h>\n#include <sched.h>\n#include <stdarg.h>\n"
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
        "#include <time.h>\n\n");
    /* The flags that the cpu device compiles with. */
    buf_puts(out,
             "#ifdef __clang__\n#pragma clang fp contract(fast)\n#pragma clang diagnostic ignored "
             "\"-Wunknown-warning-option\"\n#else\n"
             "#pragma GCC optimize(\"O2\", \"wrapv\", \"no-strict-aliasing\", \"no-math-errno\", "
             "\"no-trapping-math\", \"fp-contract=fast\", \"no-tree-vectorize\", "
             "\"no-stack-protector\")\n"
             "#if __GNUC__ < 12\n"
             "#ifdef __cplusplus\n#error \"as C++ this needs gcc 12 or clang; as C gcc 9 "
             "does\"\n#endif\n"
             "#define t_lane(v) __builtin_choose_expr(sizeof((v)[0]) == 8, 0LL, \\\n"
             "    __builtin_choose_expr(sizeof((v)[0]) == 4, 0, \\\n"
             "    __builtin_choose_expr(sizeof((v)[0]) == 2, (short)0, (signed char)0)))\n"
             "#define __builtin_shufflevector(a, b, ...) __builtin_shuffle((a), \\\n"
             "    (__typeof__(t_lane(a)) __attribute__((vector_size(sizeof(a))))){__VA_ARGS__})\n"
             "#endif\n#endif\n");
    static const char *const quiet[] = {"-Wpedantic",
                                        "-Wpsabi",
                                        "-Wunused-function",
                                        "-Wunused-variable",
                                        "-Wunused-parameter",
                                        "-Wshadow",
                                        "-Wunused-const-variable",
                                        "-Wsign-compare",
                                        "-Wunused-but-set-variable",
                                        "-Wunknown-pragmas"};
    buf_puts(out, "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n"
                  /* gcc says it of inlined functions at the end of the file */
                  "#pragma GCC diagnostic ignored \"-Wpsabi\"\n"
                  "#pragma GCC diagnostic push\n");
    for (int i = 0; i < COUNT(quiet); i++)
        buf_printf(out, "#pragma GCC diagnostic ignored \"%s\"\n", quiet[i]);
}

/* What a requirement is written in. */
static void print_arithmetic(Buf *out, const char *text) {
    buf_puts(out, "__extension__ typedef __int128 Wide;\n");
    if (strstr(text, "floor_quotient("))
        buf_puts(out, "static inline Wide floor_quotient(Wide a, Wide b) {\n"
                      "    return a / b - (a % b < 0);\n}\n");
    if (strstr(text, "floor_remainder("))
        buf_puts(out, "static inline Wide floor_remainder(Wide a, Wide b) {\n"
                      "    return a % b + (a % b < 0 ? b : 0);\n}\n");
    buf_puts(out, "\n");
}

void print_source(Buf *out, Build *build) {
    print_start(out, build);
    buf_add(out, text_abi_start, (size_t)(text_abi_end - text_abi_start));
    for (int a = 0; a < COUNT(archs); a++) print_arch(out, build, &archs[a]);
    buf_puts(out, "#pragma GCC diagnostic pop\n\n");
    print_levels(out, build);
    print_template(out, build, text_runtime_types_start, text_runtime_types_end);
    print_gpus(out, build);
    print_table(out, build);
    print_template(out, build, text_runtime_c_start, text_runtime_c_end);
    buf_puts(out, "\n");
    if (build->require.c) print_arithmetic(out, build->require.c);
    for (int i = 0; i < build->functions.count; i++)
        print_call(out, build, &build->functions.data[i]);
    Buf description = {.arena = build->arena};
    print_description(&description, build);
    buf_printf(
        out,
        "int %s_abi(void) { return %s_ABI; }\n\nconst char *%s_description(void) {\n    return",
        build->name, build->caps, build->name);
    print_literal(out, buf_str(&description));
    buf_puts(out, "}\n");
    if (build->header_only) buf_puts(out, "#ifndef __clang__\n#pragma GCC pop_options\n#endif\n");
}
