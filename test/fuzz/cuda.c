// SPDX-License-Identifier: Apache-2.0
/* Feeds broken text to the front end of CUDA C: preprocessor, outline, and each kernel that it
 * finds, and main and the seeds' functions of the host. Whatever a kernel becomes, the verifier
 * must accept, also after the passes of thread form and some of spread form. */
#include "fuzz.h"
#include "cuda/cu.h"
#include "opt/opt.h"

const char *const fuzz_globs[] = {"test/cuda/*.cu", "test/cuda/programs/*", NULL};
const char *const fuzz_tokens[] = {"#define A ",
                                   "#define F(x, ...) ",
                                   "#if ",
                                   "#elif ",
                                   "#else\n",
                                   "#endif\n",
                                   "#include \"",
                                   "__VA_ARGS__",
                                   "##",
                                   "#x",
                                   "defined(",
                                   "\\\n",
                                   "/*",
                                   "*/",
                                   "//",
                                   "__global__ void k(",
                                   "{",
                                   "}",
                                   "(",
                                   ")",
                                   "[",
                                   "]",
                                   ";",
                                   ",",
                                   "int ",
                                   "float ",
                                   "unsigned ",
                                   "const ",
                                   "struct S {",
                                   "typedef ",
                                   "__shared__ ",
                                   "extern ",
                                   "for (",
                                   "while (",
                                   "do {",
                                   "if (",
                                   "else ",
                                   "switch (",
                                   "case 1:",
                                   "default:",
                                   "break;",
                                   "continue;",
                                   "return ",
                                   "sizeof(",
                                   "(float)",
                                   "static_cast<int>(",
                                   "threadIdx.x",
                                   "__syncthreads();",
                                   "atomicAdd(",
                                   "? 1 : ",
                                   "&& ",
                                   "|| ",
                                   "++",
                                   "->",
                                   "&x",
                                   "*p",
                                   "= {",
                                   "float4 v;",
                                   "make_int2(",
                                   "0x7fffffffffffffff",
                                   "1e400",
                                   "1.5f",
                                   "'a'",
                                   "nullptr",
                                   "auto ",
                                   "template <class T> ",
                                   "template <typename T, int N = 4> ",
                                   "template <> ",
                                   "struct X { int a; __device__ X(int b) : a(b) {} ",
                                   "operator+",
                                   "operator()(",
                                   "[&](int x) { ",
                                   "[=, y = 1] ",
                                   "this->",
                                   "using T = ",
                                   "::",
                                   "f<int, 2>(",
                                   "A<A<int>>",
                                   "typename T::x ",
                                   "decltype(",
                                   "if constexpr (",
                                   "const T &x",
                                   "T &&x",
                                   "union {",
                                   "-> int ",
                                   "= default;",
                                   ": public B ",
                                   "namespace n {",
                                   "enum E { X = ",
                                   "int main(int argc, char **argv) {",
                                   "<<<1, 2>>>(",
                                   "<<<",
                                   "new int[",
                                   "delete [] ",
                                   "printf(\"%d\", ",
                                   "std::vector<int> v(",
                                   "std::cout << ",
                                   "static int ",
                                   "for (auto &x : ",
                                   "torch::Tensor ",
                                   "\x00",
                                   NULL};

static void check(Arena *arena, const CuModule *module, const CuKernel *kernel) {
    static const char *const passes[] = {"fold", "promote", "fold", "cse",   "contract", "licm",
                                         "dce",  "spread",  "fold", "shape", "cse",      "dce"};
    CuLaunch launch = {.block = {8, 4, 1}, .shared_bytes = 64};
    Diag diag = {.arena = arena};
    if (kernel->is_template) {
        Str name = str_format(arena, "%.*s<int, 4>", STR_ARG(kernel->name));
        const CuKernel *instance = cu_find_kernel(arena, module, name.data, &diag);
        if (instance) kernel = instance;
    }
    diag = (Diag){.arena = arena};
    Func *fn = cu_lower(arena, module, kernel, &launch, &diag);
    Buf out = {.arena = arena};
    diag_print(&diag, true, &out); /* must work for any place in any text */
    if (!fn != diag_failed(&diag))
        BUG("a kernel and errors, or neither: %s", out.data ? out.data : "");
    if (!fn) return;
    PassCtx px = {.scratch = arena, .diag = &diag, .target = "sm_80"};
    const char *why = func_verify(arena, fn);
    if (why) BUG("as it was made: %s", why);
    for (int i = 0; i < COUNT(passes); i++) {
        pass_find(str_of(passes[i]))->run(&px, fn);
        if (diag_failed(&diag)) return; /* `spread` refuses */
        why = func_verify(arena, fn);
        if (why) BUG("after %s: %s", passes[i], why);
    }
}

/* What the front end makes of a function for the host, the passes must leave whole. */
static void check_host(Arena *arena, const CuModule *module, const char *name) {
    static const char *const passes[] = {"fold", "promote", "fold", "cse", "licm", "dce"};
    Diag diag = {.arena = arena};
    if (!cu_has_host(module, name)) return;
    Func *fn = cu_lower_host(arena, module, name, &diag);
    Buf out = {.arena = arena};
    diag_print(&diag, true, &out);
    if (!fn != diag_failed(&diag))
        BUG("a program and errors, or neither: %s", out.data ? out.data : "");
    if (!fn) return;
    PassCtx px = {.scratch = arena, .diag = &diag, .target = "host"};
    const char *why = func_verify(arena, fn);
    if (why) BUG("as it was made: %s", why);
    for (int i = 0; i < COUNT(passes); i++) {
        pass_find(str_of(passes[i]))->run(&px, fn);
        why = func_verify(arena, fn);
        if (why) BUG("after %s: %s", passes[i], why);
    }
}

static void fuzz_one(const char *data, size_t size) {
    Arena *arena = arena_new(NULL);
    Diag diag = {.arena = arena};
    const Source *source = source_new(arena, STR("fuzz.cu"), (Str){data, (int)size});
    CuModule *module = cu_load(arena, source, STR(""), NULL, &diag);
    Buf out = {.arena = arena};
    if (!module) diag_print(&diag, true, &out);
    for (int i = 0; module && i < cu_num_kernels(module); i++)
        check(arena, module, cu_kernel(module, i));
    static const char *const functions[] = {"main", "gelu", "square_matrix"};
    for (int i = 0; module && i < COUNT(functions); i++) check_host(arena, module, functions[i]);
    cu_unload(module);
    arena_free(arena);
}
