// SPDX-License-Identifier: Apache-2.0
/* c: the C target: tile IR -> one file of C without #include, for gcc or clang. It defines
 *
 *     int tern_kernel(void **args, const int *grid, L lo, L hi, char *S, KernelRuntime *R, int nt)
 *
 * a KernelFunction of abi.h. tern_asserts has the texts of device_assert, tern_facts what a launch
 * needs to know. */
#include "gen/c/c.h"

enum { LONG_NEST_TEXT = 20000 }; /* takes gcc some 0.2 s: it is written again, in parts */

static const char *const arch_names[] = {
#define CPU(kind, name, ...) name,
#include "base/cpus.def"
};

bool c_arch_find(const char *name, CArch *arch) {
    for (int i = 0; i < COUNT(arch_names); i++)
        if (!strcmp(name, arch_names[i])) return *arch = (CArch)i, true;
    return false;
}

static bool count_users(Op *op, void *user) {
    Gen *g = user;
    const Value *from = op->kind == OP_LOAD ? facts_base(g->known, load_pointer(op)) : NULL;
    if (from) info(g, from)->is_read = true;
    for (int i = 0; i < op->num_operands; i++)
        vec_push(g->arena, &info(g, op->operands[i])->users, op);
    return true;
}

/* The program's ops, and before them what they need declared. Gives what repeats as loops. */
static Str write_ops(Gen *g, Str *declared) {
    Func *fn = g->fn;
    Buf before = {.arena = g->arena}, body = {.arena = g->arena};
    g->out = &body, g->depth = 1;
    region_walk(fn->body, count_users, g);
    region_write(g, fn->body);
    if (diag_failed(g->diag)) return (Str){0};
    for (int i = 0; i < fn->num_params; i++) {
        const Param *param = &fn->params[i];
        TypeKind kind = param->value->type->kind;
        line(g, &before, 1, "%s v%d = %s*(const %s *)A[%d]%s; /* %.*s */", scalar_type(kind),
             param->value->id, kind == TYPE_I1 ? "(" : "", memory_type(kind, false), i,
             kind == TYPE_I1 ? ") != 0" : "", STR_ARG(param->name));
    }
    buf_add(&before, g->decls.data ? g->decls.data : "", g->decls.length);
    *declared = buf_str(&before);
    return roll(g, *declared, buf_str(&body), false);
}

static void write_kernel(Gen *g, Str declared, Str text, Buf *out) {
    text = roll(g, declared, outline(g, declared, text), true);
    buf_add(out, g->functions.data ? g->functions.data : "", g->functions.length);
    line(g, out, 0,
         "static int program(void **A, const int *P, char *S, KernelRuntime *R, int nt, UL *H) {");
    line(g, out, 1, "(void)H, (void)A, (void)P, (void)S, (void)R, (void)nt;");
    buf_add(out, declared.data, declared.length);
    buf_add(out, text.data, text.length);
    line(g, out, 1, "return 0;");
    line(g, out, 0, "}");
    line(g, out, 0,
         "__attribute__((visibility(\"default\"))) int tern_kernel(void **args, const int *grid, L "
         "lo, L hi, char *S, KernelRuntime *R, int nt) {");
    line(g, out, 1, "UL H[4] = {0};");
    line(g, out, 1, "int P[6] = {0, 0, 0, grid[0], grid[1], grid[2]};");
    line(g, out, 1,
         "P[0] = (int)(lo %% grid[0]), P[1] = (int)(lo / grid[0] %% grid[1]), P[2] = (int)(lo / "
         "grid[0] / grid[1]);");
    line(g, out, 1, "for (L p = lo; p < hi; p++) {");
    const char *failed = g->has_tiles ? "{ t_tiles_end(); return 1; }" : "return 1;";
    line(g, out, 2, "if (program(args, P, S, R, nt, H)) %s", failed);
    line(g, out, 2,
         "if (++P[0] == grid[0]) { P[0] = 0; if (++P[1] == grid[1]) P[1] = 0, P[2]++; }");
    line(g, out, 1, "}");
    if (g->arch != C_GENERIC) line(g, out, 1, "if (nt) __builtin_ia32_sfence();");
    if (g->has_tiles) line(g, out, 1, "t_tiles_end();");
    line(g, out, 1, "return 0;");
    line(g, out, 0, "}");
    line(g, out, 0,
         "__attribute__((visibility(\"default\"))) const char *const tern_asserts[] = {\n%s    0};",
         g->asserts.data ? g->asserts.data : "");
    line(g, out, 0,
         "__attribute__((visibility(\"default\"))) const L tern_facts[] = {%lld, %lld, %d};",
         (long long)g->scratch_bytes, (long long)g->stored_bytes, g->facts->may_spin);
}

static Gen *gen_new(Func *fn, const GenOptions *options, Diag *diag, GenFacts *facts, CArch arch) {
    Gen *g = arena_new_of(fn->arena, Gen);
    g->arena = fn->arena, g->fn = fn, g->diag = diag, g->facts = facts, g->debug = options->debug;
    g->bounds = options->bounds;
    g->known = facts_compute(fn->arena, fn);
    g->needs = options->needs;
    g->arch = arch, g->W = prelude_width(g->arch);
    g->decls.arena = g->asserts.arena = g->functions.arena = g->done.arena =
        g->known_functions.arena = g->known_texts.arena = fn->arena;
    g->values = arena_array(g->arena, ValueInfo, fn->num_values);
    return g;
}

static int longest_nest(const Gen *g) {
    int longest = 0;
    for (int i = 0; i < g->blocks.count; i++) {
        const Block *block = &g->blocks.data[i];
        int length = block->end - block->start;
        if (block->kind == BLOCK_NEST && length > longest) longest = length;
    }
    return longest;
}

static bool generate(Func *fn, const GenOptions *options, Diag *diag, Buf *out, GenFacts *facts) {
    static const char all[] = ""
#define CPU(kind, name, ...) ", cpu:" name
#include "base/cpus.def"
        ;
    CArch arch;
    if (!c_arch_find(options->arch, &arch)) {
        diag_error(diag, fn->span, "there is no CPU target 'cpu:%s'", options->arch);
        diag_help(diag, fn->span, "targets are %s", all + 2);
        return false;
    }
    widen_dots(fn, arch);
    Gen *g = gen_new(fn, options, diag, facts, arch);
    Buf kernel = {.arena = fn->arena};
    Str declared, text = write_ops(g, &declared);
    if (!diag_failed(diag) && !are_threads(g) && longest_nest(g) > LONG_NEST_TEXT) {
        g = gen_new(fn, options, diag, facts, arch);
        g->cuts_nests = true;
        text = write_ops(g, &declared);
    }
    if (diag_failed(diag)) return false;
    facts->scratch_bytes = (size_t)g->scratch_bytes + 64;
    write_kernel(g, declared, text, &kernel);
    buf_printf(out, "/* kernel %.*s, for %s: written by tern. */\n", STR_ARG(fn->name),
               arch == C_GENERIC ? "any CPU" : arch_names[arch]);
    prelude_write(out, g->arch, kernel.data);
    facts->prelude_bytes = out->length;
    buf_add(out, kernel.data, kernel.length);
    return true;
}

const Target target_c = {"c", generate};
