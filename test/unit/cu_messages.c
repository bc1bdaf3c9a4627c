// SPDX-License-Identifier: Apache-2.0
/* What is wrong in CUDA C, or right but not supported: said at its place, with its name. Each text
 * is the body of a kernel, or a whole file; the message must hold the words. */
#include "test.h"
#include "tern.h"

static tern_context *context;

static const char *said(const char *text, const tern_options *options) {
    if (!context) context = tern_open(&(tern_open_options){.device = "sim"}, NULL, NULL, 0);
    tern_module *module = tern_load_text(context, text, strlen(text), "k.cu");
    tern_kernel *kernel = module ? tern_compile(module, "k", NULL, options) : NULL;
    const char *message = kernel ? "" : tern_message(context);
    tern_kernel_free(kernel);
    tern_module_free(module);
    return message;
}

static const tern_options one = {.block = {32}};

static void file_says(const char *text, const char *words, tern_status status) {
    const char *message = said(text, &one);
    bool right = words ? strstr(message, words) != NULL : !*message;
    if (words && *message) right = right && tern_message_status(context) == status;
    if (!right)
        printf("--- %s\n--- said (%d)\n%s--- not: %s\n", text, tern_message_status(context),
               message, words);
    CHECK(right);
}

static void body_says(const char *body, const char *words, tern_status status) {
    char text[2000];
    snprintf(text, sizeof text,
             "struct P { int a; float b; };\n__device__ int f(int x) { return x; }\n"
             "__global__ void k(int *p, const float *q, int n) {\n%s\n}\n",
             body);
    file_says(text, words, status);
}

#define WRONG(body, words)   body_says(body, words, TERN_ERROR_COMPILE)
#define REFUSED(body, words) body_says(body, words, TERN_ERROR_UNSUPPORTED)

TEST(what_is_wrong) {
    WRONG("p[0] = y;", "k.cu:4:8: error: 'y' is not declared");
    WRONG("p[0] = g(1);", "function 'g' is not declared");
    WRONG("p[0] = std::accumulate(p, p, 0);", "function 'accumulate' is not declared");
    WRONG("p[0] = f(1, 2);", "no function 'f' takes (int, int)");
    WRONG("p[0] = f(p);", "no function 'f' takes (int *)");
    WRONG("p[0] = 1", "expected ';' after an expression, saw '}'");
    WRONG("p[0] = (1;", "expected ')'");
    WRONG("int a[n];", "the size of an array must be an integer that is known at compile time");
    WRONG("int a[0];", "an array of 0 elements");
    WRONG("int a[2] = {1, 2, 3};", "more initial values than 'int[2]' has");
    WRONG("int a[] ;", "without a size");
    WRONG("q[0] = 1;", "this is const");
    WRONG("const int c = n; c = 1;", "this is const");
    WRONG("n + 1 = 2;", "cannot be assigned to");
    WRONG("p = q;", "'const float *' does not become 'int *' by itself");
    WRONG("float *r = p;", "this initial value: 'int *' does not become 'float *'");
    WRONG("int *r = &(n + 1);", "the address of a value that is in no variable");
    REFUSED("const int c = 3; const int *r = &c; p[0] = *r;",
            "k.cu:4:33: not supported: the address of 'c', which is a constant");
    WRONG("p[0] = *n;", "'*' of 'int', which is no pointer");
    WRONG("p[1.5] = 1;", "an index of 'double'");
    WRONG("p[0] = q % 2;", "'%' of 'const float *' and 'int'");
    WRONG("p[0] = 1.5 % 2;", "'%' of floating-point numbers");
    WRONG("p[0] = ~1.5;", "'~' of 'double'");
    WRONG("P x; x.c = 1;", "'P' has no member 'c'");
    WRONG("n.x = 1;", "which is no struct");
    WRONG("p[0] = &3;", "the address of a value");
    WRONG("break;", "'break' outside of a loop");
    WRONG("continue;", "'continue' outside of a loop");
    WRONG("return 1;", "a function of type void returns a value");
    WRONG("unsigned float x;", "this is no type of C");
    WRONG("void x;", "a variable of type void");
    WRONG("p[0] = 08;", "this is no number of C: '08'");
    WRONG("p[0] = 99999999999999999999;", "a number of more than 64 bits");
    WRONG("p[0] = sqrtf(1, 2);", "'sqrtf' takes 1 argument, not 2");
    WRONG("threadIdx.w;", "'threadIdx' has no member 'w'");
    WRONG("static_assert(sizeof(int) == 8, \"no\");", "static_assert fails");
    WRONG("int &r = n; int &s;", "expected '=' after a reference");
    WRONG("switch (1.5) { case 1: ; }", "a switch over 'double'");
    WRONG("switch (n) { case n: ; }", "the value of a case must be an integer");
    WRONG("if (n { }", "expected ')' after the condition of 'if'");
    WRONG("atomicAdd(n, 1);", "expected a pointer to a number of 4 or 8 bytes");
    WRONG("atomicAdd(q, 1.0f);", "this points to what is const");
    WRONG("extern __shared__ float s[]; p[0] = s[0];", "help: give its size: --shared BYTES");
}

/* Three mistakes in one run; the statements between them are fine. */
TEST(several_at_once) {
    const char *message =
        said("__global__ void k(int *p) {\n    p[0] = a;\n    p[1] = 2;\n    if (p[2]) {\n"
             "        p[0] = b;\n    }\n    p[2] = c;\n}\n",
             &one);
    CHECK_STR(message, "k.cu:2:12: error: 'a' is not declared\n   2 |     p[0] = a;\n"
                       "     |            ^\n"
                       "k.cu:5:16: error: 'b' is not declared\n   5 |         p[0] = b;\n"
                       "     |                ^\n"
                       "k.cu:7:12: error: 'c' is not declared\n   7 |     p[2] = c;\n"
                       "     |            ^");
}

TEST(what_is_not_supported) {
    WRONG("char s[2] = \"xyz\";", "a string longer than its array");
    REFUSED("p[0] = lgammaf(1.0f);", "k.cu:4:8: not supported: 'lgammaf' in a kernel");
    REFUSED("p[0] = curand_log_normal(n);", "'curand_log_normal' in a kernel");
    WRONG("p[0] = __shfl_down_sync(-1, n, 1, 3);", "a width of 3 threads: 1, 2, 4 .. 32");
    WRONG("p[0] = __shfl_sync(-1, p, 1);", "'__shfl_sync' of 'int *'");
    WRONG("p[0] = __shfl_sync(-1, n);", "'__shfl_sync' takes 3 to 4 arguments, not 2");
    WRONG("printf(\"%d\");", "printf has more conversions than values");
    WRONG("printf(\"%d\", n, n);", "printf has more values than conversions");
    WRONG("printf(\"%d\", 1.5f);", "printf's conversion '%d' of a floating-point number");
    WRONG("printf(\"%5.1f\", n);", "printf's conversion '%5.1f' of an integer");
    REFUSED("printf(\"%1001d\", n);", "a conversion of printf that CUDA does not have");
    REFUSED("printf(\"%s\", q);", "a string of printf that is not written here");
    REFUSED("printf(\"%n\", p);", "a conversion of printf that CUDA does not have");
    REFUSED("printf(q);", "a format of printf that is not written here");
    WRONG("half h = 1; p[0] = h * 2.0f;", "'*' of 'half' and 'float': one must be converted");
    REFUSED("curandState x;", "type 'curandState' in a kernel");
    REFUSED("goto out;", "'goto' in a kernel");
    REFUSED("asm(\"mov\" : [x] \"=r\"(n));", "operands of inline PTX with names");
    REFUSED("auto [a, b] = p;", "structured bindings");
    REFUSED("p[0] = f({1});", "a list in braces as an argument");
    REFUSED("int x = 'ab';", "a character that is not one byte of ASCII");
    REFUSED("static int x;", "a static variable in a kernel");
    REFUSED("int (*g)(int);", "a pointer to a function");
    REFUSED("k(p, q, n);", "a kernel that a kernel calls");
}

TEST(files) {
    file_says("int x;\n", "no __global__ function 'k': there is none here", TERN_ERROR_ARGUMENT);
    file_says("__global__ void j() {}\n", "no __global__ function 'k' here, only: j",
              TERN_ERROR_ARGUMENT);
    file_says("__global__ void k() {\n", "expected '}'", TERN_ERROR_COMPILE);
    file_says("__global__ int k() { return 1; }\n", "a kernel returns void, not 'int'",
              TERN_ERROR_COMPILE);
    file_says("__global__ void k(float4 &v) {}\n",
              "a kernel's parameter of type 'float4' by reference", TERN_ERROR_UNSUPPORTED);
    file_says("union U { int i; float f; };\n__global__ void k(U v) {}\n",
              "a kernel's parameter with a union, 'U'", TERN_ERROR_UNSUPPORTED);
    file_says("struct S { float f[1025]; };\n__global__ void k(S v) {}\n",
              "a kernel's parameter of more than 1024 numbers", TERN_ERROR_UNSUPPORTED);
    file_says("extern __constant__ float c[];\n__global__ void k(float *p) { *p = c[0]; }\n",
              "an array without a size and without initial values", TERN_ERROR_COMPILE);
    file_says("template <class... T> __device__ int g(T... x) { return 1; }\n"
              "__global__ void k(float *p) { *p = g(1.0f); }\n",
              NULL, TERN_OK);
    file_says("template <class... T> using U = int;\ntemplate <int... I> constexpr int "
              "most = (I + ...);\n__global__ void k(U<int> *p) { *p = most<1, 2>; }\n",
              NULL, TERN_OK);
    file_says("__device__ int g(int);\n__global__ void k(int *p) { *p = g(1); }\n",
              "the function 'g', whose body is not in this file", TERN_ERROR_UNSUPPORTED);
    file_says("__device__ int g(int x) { return x ? g(x - 1) : 0; }\n"
              "__global__ void k(int *p) { *p = g(1); }\n",
              "recursion: 'g' calls itself", TERN_ERROR_UNSUPPORTED);
    file_says("__device__ int g(int x, float y) { return 1; }\n__device__ int g(float x, int y) { "
              "return 2; }\n"
              "__global__ void k(int *p) { *p = g(1, 1); }\n",
              "'g' may be either of two functions", TERN_ERROR_COMPILE);
    file_says("const int A = B; const int B = A;\n__global__ void k(int *p) { *p = A; }\n",
              "is made of itself", TERN_ERROR_COMPILE);
    /* what no kernel reaches is not looked at */
    file_says("#include <iostream>\n#include <torch/extension.h>\nclass X { virtual ~X(); };\n"
              "template <typename... T> auto h(T &&...t) { return [&] { (t, ...); }; }\n"
              "int main() { X<<<1, 2>>>(); don\x27t; }\n__global__ void k(int *p) { *p = 1; }\n",
              NULL, TERN_OK);
}

/* A kernel `k` in a file with a template f, classes S and V, and what it calls. */
static void cpp_says(const char *body, const char *words, tern_status status) {
    char text[2000];
    snprintf(text, sizeof text,
             "template <class T, int N> __device__ T f(T x) { return x * N; }\n"
             "struct S { int a; __device__ S(int x) : a(x) {} __device__ int g() { return a; }\n"
             "  S(const S &, int) = delete; };\n"
             "struct V { virtual int h(); }; struct D { __device__ ~D() { a = 1; } int a; };\n"
             "template <class T> struct A { T x; }; struct B { int i : 3; };\n"
             "struct E { __device__ explicit E(int) {} };\n"
             "__global__ void k(int *p, const S *s, int n) {\n%s\n}\n",
             body);
    file_says(text, words, status);
}

TEST(classes_and_templates) {
#define WRONG_CPP(body, words)   cpp_says(body, words, TERN_ERROR_COMPILE)
#define REFUSED_CPP(body, words) cpp_says(body, words, TERN_ERROR_UNSUPPORTED)
    cpp_says("p[0] = f<int, 2>(n) + S(3).g();", NULL, TERN_OK);
    WRONG_CPP("p[0] = f(n);", "k.cu:8:8: error: no argument for 'N' of a template");
    WRONG_CPP("p[0] = f<int, n>(1);", "an argument of a template must be known at compile time");
    WRONG_CPP("p[0] = f<int, 2, 3>(1);", "no function 'f' takes (int)");
    WRONG_CPP("p[0] = f<2, int>(1);", "the argument for 'T' of a template is no type");
    WRONG_CPP("A<int, int> a;", "2 arguments for a template with 1 parameter");
    WRONG_CPP("A<> a;", "no argument for 'T' of a template");
    REFUSED_CPP("A a;", "the template 'A' without arguments");
    WRONG_CPP("S x;", "'S' has no constructor without arguments");
    WRONG_CPP("S x(1, 2);", "no function 'S' takes (int, int)");
    WRONG_CPP("p[0] = s->g();", "no function 'g' takes ()"); /* s is const */
    WRONG_CPP("p[0] = s->b;", "'S' has no member 'b'");
    WRONG_CPP("p[0] = S::g();", "'g' is called for no object");
    WRONG_CPP("E e = 1;", "'int' does not become 'E' by itself");
    WRONG_CPP("S x(1); p[0] = x + x;", "'+' of 'S' and 'S'");
    WRONG_CPP("S x(1); p[0] = x(1);", "'S' cannot be called like this");
    WRONG_CPP("p[0] = this;", "'this' outside of a class");
    WRONG_CPP("auto g = [](int x) { return x; }; p[0] = g();",
              "this lambda takes 1 argument, not 0");
    WRONG_CPP("auto g = [n](int x) { n = 1; return x; }; p[0] = g(1);", "this is const");
    WRONG_CPP("auto g = [m] { return 1; };", "'m' is not declared");
    REFUSED_CPP("int &r = 1;", "a reference to a temporary");
    REFUSED_CPP("p[0] = nowhere::f(1);", "'nowhere::' in a kernel");
    REFUSED_CPP("V v;", "virtual functions");
    REFUSED_CPP("D d;", "a destructor that does something");
    REFUSED_CPP("B b;", "a struct with bit fields");
    REFUSED_CPP("auto g = f;", "the function 'f' as a value");
    file_says("struct C { int a; __device__ operator int(int x) const { return a + x; } };\n"
              "__global__ void k(int *p) { C c; *p = c; }\n",
              "k.cu:1:47: error: nothing is given for this parameter", TERN_ERROR_COMPILE);
    file_says("__device__ int g(int x = 1, int y) { return x + y; }\n"
              "__global__ void k(int *p) { *p = g(1); }\n",
              "nothing is given for this parameter", TERN_ERROR_COMPILE);
    file_says("template <class T> __global__ void k(T *p) { *p = 1; }\n",
              "help: name it with its arguments: 'k<..>'", TERN_ERROR_COMPILE);
}

/* <x> and "x" are looked for in the folders that were given, and not above them. */
TEST(folders_of_headers) {
    const char *const dirs[] = {"nowhere", "test/cuda"};
    tern_context *own = tern_open(
        &(tern_open_options){.device = "sim", .include_dirs = dirs, .num_include_dirs = 2}, NULL,
        NULL, 0);
    const char *const texts[] = {
        "#include <language.cuh>\n__global__ void k(int *p) { *p = FACTOR; }\n",
        "#include <../cuda/language.cuh>\n__global__ void k(int *p) { *p = FACTOR; }\n"};
    for (int i = 0; i < 2; i++) {
        tern_module *module = tern_load_text(own, texts[i], strlen(texts[i]), "k.cu");
        tern_kernel *kernel = module ? tern_compile(module, "k", NULL, &one) : NULL;
        if (i == 0 && !kernel) printf("%s\n", tern_message(own));
        CHECK(module && !kernel == (i == 1));
        CHECK(kernel || strstr(tern_message(own), "'../cuda/language.cuh' lies outside"));
    }
    tern_close(own);
}

TEST(the_preprocessor) {
    file_says("#if 1\n__global__ void k() {}\n", "'#if' without '#endif'", TERN_ERROR_COMPILE);
    file_says("#endif\n", "'#endif' without '#if'", TERN_ERROR_COMPILE);
    file_says("#else\n", "'#else' without '#if'", TERN_ERROR_COMPILE);
    file_says("#if 1\n#else\n#else\n#endif\n", "'#else' after '#else'", TERN_ERROR_COMPILE);
    file_says("#if 1 +\n#endif\n", "expected a condition here", TERN_ERROR_COMPILE);
    file_says("#if 1 / 0\n#endif\n", "a division by 0 in the condition", TERN_ERROR_COMPILE);
    file_says("#if 0 && 1 / 0\n#endif\n__global__ void k() {}\n", NULL, TERN_OK);
    file_says("#if SIZE_MAX != UINT64_MAX || SIZE_MAX == UINT32_MAX\n#error bits\n#endif\n"
              "__global__ void k() {}\n",
              NULL, TERN_OK);
    file_says("#error no luck\n", "k.cu:1:2: error: #error no luck", TERN_ERROR_COMPILE);
    file_says("#frob\n", "there is no directive '#frob'", TERN_ERROR_COMPILE);
    file_says("#include \"x.h\"\n__global__ void k(int *p) { *p = X; }\n",
              "k.cu:1:2: note: the header 'x.h' was not found", TERN_ERROR_COMPILE);
    file_says("#include <cub/cub.cuh>\n__global__ void k(int *p) { f(p); }\n",
              "k.cu:1:2: note: the header 'cub/cub.cuh' was not found", TERN_ERROR_COMPILE);
    file_says("#include \"x.h\"\n#include <cub/cub.cuh>\n__global__ void k(int *p) { *p = 1; }\n",
              NULL, TERN_OK);
    file_says("#define F(a, b) a + b\n__global__ void k(int *p) { *p = F(1); }\n",
              "macro 'F' takes 2 arguments, not 1", TERN_ERROR_COMPILE);
    file_says("#define F(a, b) a + b\n__global__ void k(int *p) { *p = F(1, 2; }\n",
              "the arguments of macro 'F' have no ')'", TERN_ERROR_COMPILE);
    file_says("#define F(a) a ## +\n__global__ void k(int *p) { *p = F(1); }\n",
              "make no token together", TERN_ERROR_COMPILE);
    file_says("#define NONE\n#define NOTHING(x)\n"
              "__global__ void k(NONE int *p) { NOTHING(1) *p = 1; NONE }\n",
              NULL, TERN_OK);
    file_says("/* no end\n", "a comment without an end", TERN_ERROR_COMPILE);
    file_says("#define M(x) x + y\n__global__ void k(int *p) { *p = M(1); }\n",
              "k.cu:2:34: error: 'y' is not declared", TERN_ERROR_COMPILE);
    file_says("#define M(x) x + y\n__global__ void k(int *p) { *p = M(1); }\n",
              "k.cu:1:18: note: in the expansion of macro 'M'", TERN_ERROR_COMPILE);
    file_says(
        "#define A B B\n#define B C C\n#define C D D\n#define D E E\n#define E F F\n#define F G G\n"
        "#define G H H\n#define H I I\n#define I J J\n#define J K K\n#define K L L\n#define L M M\n"
        "#define M N N\n#define N O O\n#define O P P\n#define P Q Q\n#define Q R R\n#define R S S\n"
        "#define S T T\n#define T U U\nint x = A;\n",
        "macros expand to more than", TERN_ERROR_COMPILE);
}

TEST(what_only_python_has) {
    const char *text = "__global__ void k() {}\n";
    said(text, &one);
    tern_module *module = tern_load_text(context, text, strlen(text), "k.cu");
    const tern_config *configs;
    CHECK(!tern_module_ast(module, "k") &&
          strstr(tern_message(context), "CUDA C has no @triton.jit"));
    CHECK(tern_module_configs(module, "k", &configs) == 0);
    CHECK(tern_module_set_global(module, "N", "1") == TERN_ERROR_UNSUPPORTED);
    CHECK(tern_module_find(module, "k")->is_cuda && !tern_module_find(module, "j"));
    tern_module_free(module);
}

TEST(blocks) {
    static const struct {
        tern_options options;
        const char *words;
    } cases[] = {
        {{0}, "how many threads?"},
        {{.block = {1025}}, "a block of 1025 threads along axis 0"},
        {{.block = {32, 33}}, "a block of 1056 threads; a block has at most 1024"},
        {{.block = {1, 1, 65}}, "a block of 65 threads along axis 2"},
        {{.block = {1, 1025}}, "a block of 1025 threads along axis 1"},
        {{.block = {-1}}, "a block of -1 threads along axis 0; a block has from 1 to 1024"},
        {{.block = {1, -1}}, "a block of -1 threads along axis 1; a block has from 1 to 1024"},
        {{.block = {1, 1, -1}}, "a block of -1 threads along axis 2; a block has from 1 to 64"},
        {{.block = {0, 8}}, "how many threads?"},
        {{.block = {1}, .shared_bytes = (size_t)1 << 40}, "bytes of shared memory"},
        {{.block = {1}, .shared_bytes = (1 << 20) + 1}, "1048577 bytes of shared memory"},
        {{.block = {1024}}, NULL},
        {{.block = {1, 1024}}, NULL},
        {{.block = {16, 1, 64}}, NULL},
        {{.block = {4, 0, 3}, .shared_bytes = 1 << 20}, NULL}};
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        const char *message = said("__global__ void k() {}\n", &cases[i].options);
        bool right = cases[i].words ? strstr(message, cases[i].words) != NULL : !*message;
        if (!right) printf("case %d: %s\n", i, message);
        CHECK(right);
    }
}

/* What a signature says of pointers must be what the source says; the rest of it is the
 * launch's. */
TEST(signatures) {
    static const char text[] = "__global__ void k(int *p, const float *q, int n, void *v) {}\n";
    static const struct {
        const char *signature, *words; /* NULL: taken */
    } rows[] = {
        {"", NULL},
        {"*i32,*fp32,i32,*i8", NULL},
        {"  *i32 , *fp32:16 ,i32,*fp64", NULL},
        {"*i32:16,*fp32,i32:16", NULL},
        {"*i32", NULL},
        {",,", NULL},
        {"n[1,2],*fp32,f(3,4),*i8", NULL},
        {"n[(1,2),3],*fp32", NULL},
        {"*fp32", "argument 'p' of kernel 'k' is a pointer to fp32; the source says 'int *'"},
        {"*fp32:16", "argument 'p' of kernel 'k' is a pointer to fp32; the source says 'int *'"},
        {"*i3", "argument 'p' of kernel 'k' is a pointer to i3; the source says 'int *'"},
        {" \t*fp32 ", "argument 'p' of kernel 'k' is a pointer to fp32; the source says 'int *'"},
        {"*i32, *i32",
         "argument 'q' of kernel 'k' is a pointer to i32; the source says 'const float *'"},
        {"*i32,*i32",
         "argument 'q' of kernel 'k' is a pointer to i32; the source says 'const float *'"},
        {"n[1,2],*i32",
         "argument 'q' of kernel 'k' is a pointer to i32; the source says 'const float *'"},
        {"(1,2),*i32", "argument 'p' of kernel 'k': a 'int *' is 1 value, not 2"},
        {"*i32,*fp32,i32,*i8,i32", "kernel 'k' has 4 parameters"},
        {"*", "argument 'p' of kernel 'k' is a pointer to ; the source says 'int *'"},
    };
    if (!context) context = tern_open(&(tern_open_options){.device = "sim"}, NULL, NULL, 0);
    tern_module *module = tern_load_text(context, text, strlen(text), "k.cu");
    CHECK(module != NULL);
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows) && module; i++) {
        tern_kernel *kernel = tern_compile(module, "k", rows[i].signature, &one);
        CHECK((kernel != NULL) == !rows[i].words);
        if (!kernel) CHECK_STR(tern_message(context), rows[i].words ? rows[i].words : "");
        tern_kernel_free(kernel);
    }
    tern_module_free(module);
}

TEST(what_a_module_says_of_its_kernels) {
    static const char text[] = "__device__ int f(int x) { return x; }\n\n"
                               "__global__ void first(int *p, const float *q, unsigned n) {\n"
                               "    p[0] = n;\n}\n"
                               "__global__ void second() {}\n";
    if (!context) context = tern_open(&(tern_open_options){.device = "sim"}, NULL, NULL, 0);
    tern_module *module = tern_load_text(context, text, strlen(text), "k.cuh");
    CHECK(module && tern_module_num_functions(module) == 2);
    if (!module) return;
    const tern_function *first = tern_module_function(module, 0);
    CHECK_STR(first->name, "first");
    CHECK_STR(first->text, "__global__ void first(int *p, const float *q, unsigned n) {\n"
                           "    p[0] = n;\n}\n");
    CHECK(first->line == 3 && first->is_cuda && first->is_launched && first->num_parameters == 3);
    static const char *const names[] = {"p", "q", "n"}, *const types[] = {"int *", "const float *",
                                                                          "unsigned int"};
    for (int i = 0; i < 3; i++) {
        CHECK_STR(first->parameters[i].name, names[i]);
        CHECK_STR(first->parameters[i].annotation, types[i]);
        CHECK(first->parameters[i].do_not_specialize && !first->parameters[i].is_constexpr);
    }
    CHECK(tern_module_find(module, "second") == tern_module_function(module, 1));
    CHECK(tern_module_function(module, 1)->line == 6 && !tern_module_find(module, "f"));
    CHECK(!tern_compile(module, "f", "", &one));
    CHECK_STR(tern_message(context), "no __global__ function 'f' here, only: first, second");
    tern_module_free(module);
    char many[4096] = "", want[1024] = "no __global__ function 'g' here, only: ";
    for (int i = 0; i < 25; i++) {
        sprintf(many + strlen(many), "__global__ void f%d() {}\n", i);
        if (i < 20) sprintf(want + strlen(want), "%sf%d", i ? ", " : "", i);
    }
    module = tern_load_text(context, many, strlen(many), "many.cu");
    CHECK(module && !tern_compile(module, "g", "", &one));
    CHECK_STR(tern_message(context), want);
    tern_module_free(module);
    module = tern_load_text(context, "int x;\n", 7, "none.cu");
    CHECK(module && !tern_compile(module, "g", "", &one));
    CHECK_STR(tern_message(context), "no __global__ function 'g': there is none here");
    tern_module_free(module);
}

/* Each constant of a class is found once, however many others are made of it. */
TEST(constants_made_of_others) {
    file_says("template <int N> struct Fib {\n"
              "    static constexpr int value = Fib<N - 1>::value + Fib<N - 2>::value;\n};\n"
              "template <> struct Fib<0> { static constexpr int value = 0; };\n"
              "template <> struct Fib<1> { static constexpr int value = 1; };\n"
              "__global__ void k(int *p) { int a[Fib<30>::value == 832040 ? 1 : -1] = {1};"
              " p[0] = a[0]; }\n",
              NULL, TERN_OK);
    file_says("template <typename T> struct Deep {\n"
              "    static constexpr int bits = 1 + Deep<T *>::bits + Deep<T *>::bits;\n};\n"
              "__global__ void k(int *p) { p[0] = Deep<int>::bits; }\n",
              "k.cu:2:41: not supported: code that is nested more than 200 deep",
              TERN_ERROR_UNSUPPORTED);
}

TEST_MAIN()
