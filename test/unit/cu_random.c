// SPDX-License-Identifier: Apache-2.0
/* Random kernels of CUDA C, without races: loops that threads leave at different times, jumps,
 * early returns, phases between barriers, memory of a thread, atomics, what threads of a warp do
 * together, an output that may be the input. What sim makes of them, thread by thread, interp and
 * cpu must make in tiles, bit for bit. TERN_SEEDS=N tries more of them. */
#include "test.h"
#include "base/base.h"
#include "tern.h"

enum { GRID = 2, WORDS = 512, MOST_THREADS = 128 };

static const int blocks[][2] = {{32, 1}, {1, 1},  {33, 1}, {16, 4},
                                {96, 1}, {20, 5}, {31, 1}, {8, 8}};
static const char *const devices[] = {"sim", "interp", "cpu"};

/* ---- text ---- */

typedef struct Writer {
    Buf *out;
    uint64_t state;
    int loops, depth;
    bool in_loop;
} Writer;

static int any(Writer *w, int below) {
    w->state = w->state * 6364136223846793005u + 1442695040888963407u;
    return (int)((w->state >> 33) % (uint64_t)below);
}

static void put(Writer *w, const char *text) { buf_puts(w->out, text); }

static void leaf(Writer *w) {
    static const char *const leaves[] = {"a", "b",     "c",      "t",       "i",
                                         "n", "in[i]", "out[i]", "l[a & 3]"};
    if (any(w, 4) == 0)
        buf_printf(w->out, "%d", any(w, 2) ? any(w, 10) : any(w, 1 << 30) - (1 << 29));
    else
        put(w, leaves[any(w, COUNT(leaves))]);
}

static void expression(Writer *w, int depth) {
    /* '#' is an operand */
    static const char *const forms[] = {
        "(# + #)",
        "(# - #)",
        "(# * #)",
        "(# & #)",
        "(# | #)",
        "(# ^ #)",
        "(# << (# & 7))",
        "(# >> (# & 15))",
        "(# / (# | 1))",
        "(# % (# | 1))",
        "min(#, #)",
        "max(#, #)",
        "(# < # ? # : #)",
        "(# == #)",
        "(- #)",
        "(~#)",
        "(int)((unsigned)# / 3u)",
        "(!#)",
        "pick(#, #)",
        "(# && #)",
        "(# || # > 5)",
        "(int)((long long)# * # >> 7)",
        "(int)(short)#",
        "(int)((unsigned char)#)",
    };
    if (depth <= 0) {
        leaf(w);
        return;
    }
    for (const char *at = forms[any(w, COUNT(forms))]; *at; at++) {
        if (*at == '#')
            expression(w, depth - 1 - any(w, 2));
        else
            buf_putc(w->out, *at);
    }
}

static void statements(Writer *w, int count, int depth);

static void assigned(Writer *w, const char *to) {
    put(w, to);
    put(w, " = ");
    expression(w, 2);
    put(w, ";\n");
}

static void loop(Writer *w, int depth) {
    static const char *const asked[] = {"", "#pragma unroll\n", "#pragma unroll 1\n",
                                        "#pragma unroll (2 + 1)\n"};
    static const char *const counted[] = {"0; k%d < 5; k%d++", "9; k%d > -2; k%d -= 3",
                                          "64; k%d > 0; k%d /= 2", "1; k%d < 1000; k%d *= 3"};
    bool was = w->in_loop;
    int k = w->loops++, kind = any(w, 4);
    const char *pragma = asked[any(w, COUNT(asked))];
    if (kind == 0 || kind == 3) put(w, pragma);
    if (kind == 3) { /* a number of turns that is known, where no break is */
        buf_printf(w->out, "for (int k%d = ", k);
        for (const char *at = counted[any(w, COUNT(counted))]; *at; at++) {
            if (*at == '%')
                buf_printf(w->out, "%d", k), at++;
            else
                buf_putc(w->out, *at);
        }
        buf_printf(w->out, ") {\nl[k%d & 3] += l[(k%d + 1) & 3] ^ k%d;\n", k, k, k);
    } else if (kind == 0) {
        buf_printf(w->out, "for (int k%d = 0; k%d < (", k, k);
        expression(w, 1);
        buf_printf(w->out, " & 7); k%d++) {\n", k);
    } else {
        buf_printf(w->out, "{ int k%d = 0;\n%s%s", k, pragma, kind == 1 ? "while (" : "do {\n");
        if (kind == 1) {
            expression(w, 1);
            buf_printf(w->out, " %% 5 != 1 && k%d++ < 6) {\n", k);
        }
    }
    w->in_loop = true;
    statements(w, 1 + any(w, 3), depth - 1);
    w->in_loop = was;
    if (kind == 2) {
        put(w, "} while (");
        expression(w, 1);
        buf_printf(w->out, " %% 3 == 0 && ++k%d < 5); }\n", k);
    } else {
        put(w, kind == 1 ? "} }\n" : "}\n");
    }
}

static void choice(Writer *w, int depth) {
    put(w, "if (");
    expression(w, 2);
    put(w, ") {\n");
    statements(w, 1 + any(w, 2), depth - 1);
    if (w->in_loop && any(w, 3) == 0) put(w, any(w, 2) ? "break;\n" : "continue;\n");
    if (any(w, 2)) {
        put(w, "} else {\n");
        statements(w, 1 + any(w, 2), depth - 1);
    }
    put(w, "}\n");
}

static void statement(Writer *w, int depth) {
    static const char *const variables[] = {"a", "b", "c", "out[i]", "l[b & 3]"};
    int what = any(w, 12);
    if (what < 2 && depth > 0)
        loop(w, depth);
    else if (what < 5 && depth > 0)
        choice(w, depth);
    else if (what == 5) {
        put(w, "atomicAdd(&total[a & 3], ");
        expression(w, 1);
        put(w, ");\n");
    } else if (what == 6) {
        put(w, "x = x * 0.5f + (float)(");
        expression(w, 1);
        put(w, " & 255);\n");
    } else {
        assigned(w, variables[any(w, COUNT(variables))]);
    }
}

static void statements(Writer *w, int count, int depth) {
    for (int i = 0; i < count; i++) statement(w, depth);
}

/* Each thread gives the others what it has, where all come. */
static void exchange(Writer *w, int threads) {
    int step = any(w, threads);
    if (any(w, 3) == 0) put(w, "for (int r = 0; r < (n & 3); r++)\n");
    buf_printf(w->out,
               "{ s[t] = a;\n__syncthreads();\nb ^= s[(t + %d) %% %d];\n__syncthreads(); }\n", step,
               threads);
}

/* Threads of a warp give each other what they have, all and those that an expression or a loop
 * leaves; m names those that are there. */
static void warps(Writer *w, int threads) {
    static const char *const votes[] = {"ballot", "any", "all"};
    const char *vote = votes[any(w, COUNT(votes))];
    bool whole = threads % 32 == 0;
    put(w, "m = members;\n");
    buf_printf(w->out, "b ^= __shfl_%s_sync(m, a, %d, %d);\n",
               !whole      ? "up"
               : any(w, 2) ? "down"
                           : "xor",
               any(w, 32), 1 << any(w, 6));
    buf_printf(w->out, "c += __%s_sync(m, ", vote);
    expression(w, 1);
    put(w, ");\nm = __ballot_sync(m, g = ");
    expression(w, 1);
    buf_printf(w->out, ");\nif (g) { b += trade(m, t, a, %d); c ^= __%s_sync(m, a > b) + %s; }\n",
               any(w, 32), vote, any(w, 2) ? "__activemask()" : "(a != trade(m, t, 5, 1))");
    buf_printf(w->out, "m = members;\nfor (int r = 0; r < %d; r++) {\nm = __ballot_sync(m, g = ",
               any(w, 6));
    expression(w, 1);
    buf_printf(w->out, " + r & 3);\nif (!g) break;\na += trade(m, t, b, %d);\n__syncwarp(m);\n}\n",
               any(w, 32));
}

static void write_kernel(Buf *out, uint64_t seed, int threads) {
    Writer w = {.out = out, .state = seed * 0x9e3779b97f4a7c15u + 1};
    bool returns = any(&w, 3) == 0;
    put(&w, "__device__ int pick(int x, int y) {\n    if (x > y) return x - y;\n"
            "    for (int k = 0; k < 3; k++) if ((x >> k) & 1) return k;\n    return y;\n}\n");
    put(&w, "__device__ int trade(unsigned m, int t, int x, int k) {\n    int to = (t + k) & 31;\n"
            "    return __shfl_sync(m, x, m >> to & 1 ? to : t);\n}\n");
    put(&w, "__global__ void k(int *out, const int *in, int *total, int n) {\n");
    buf_printf(out, "__shared__ int s[%d];\n", threads);
    put(&w, "int t = threadIdx.y * blockDim.x + threadIdx.x;\n");
    buf_printf(out, "int i = blockIdx.x * %d + t, a = in[i], b = t * 7 - 3, c = n;\n", threads);
    put(&w, "int l[4] = {t, 1, n, 3};\nfloat x = 0.25f;\n");
    buf_printf(out, "unsigned m, members = t / 32 == %d ? %uu : ~0u;\nbool g;\n", threads / 32,
               (1u << threads % 32) - 1);
    if (returns) put(&w, "if (i >= n) return;\n");
    for (int phase = 0; phase < 3; phase++) {
        statements(&w, 2 + any(&w, 3), 2);
        if (returns) continue;
        exchange(&w, threads);
        if (any(&w, 2)) warps(&w, threads);
    }
    if (any(&w, 2)) put(&w, "if (a > b) return;\n");
    put(&w, "out[i] = a + b * 3 + c * 5 + l[0] + l[3] + __float_as_int(x);\n}\n");
}

/* ---- runs ---- */

typedef struct Result {
    int32_t out[WORDS], total[4];
} Result;

static bool run(const char *device, const char *text, const int *block, bool overlaps, int n,
                Result *result) {
    static int32_t in[WORDS];
    for (int i = 0; i < WORDS; i++) in[i] = (int32_t)((uint32_t)i * 2654435761u >> (i % 23));
    tern_context *context = tern_open(&(tern_open_options){.device = device}, NULL, NULL, 0);
    tern_module *module = tern_load_text(context, text, strlen(text), "random.cu");
    tern_options options = {.block = {block[0], block[1]}, .verify = true};
    tern_kernel *kernel = module ? tern_compile(module, "k", NULL, &options) : NULL;
    tern_buffer *x = tern_alloc(context, sizeof in), *y = tern_alloc(context, sizeof in),
                *total = tern_alloc(context, sizeof result->total);
    memset(result, 0, sizeof *result);
    tern_write(x, 0, in, sizeof in);
    tern_write(y, 0, result->out, sizeof in);
    tern_write(total, 0, result->total, sizeof result->total);
    tern_argument arguments[] = {tern_arg_buffer(overlaps ? x : y), tern_arg_buffer(x),
                                 tern_arg_buffer(total), tern_arg_int(n)};
    bool fine = kernel && !tern_launch(NULL, kernel, (uint32_t[]){GRID, 1, 1}, arguments, 4) &&
                !tern_read(overlaps ? x : y, 0, result->out, sizeof in) &&
                !tern_read(total, 0, result->total, sizeof result->total);
    if (!fine) printf("%s: %s\n", device, tern_message(context));
    tern_buffer_free(x);
    tern_buffer_free(y);
    tern_buffer_free(total);
    tern_kernel_free(kernel);
    tern_module_free(module);
    tern_close(context);
    return fine;
}

static bool check(uint64_t seed, int num_devices) {
    const int *block = blocks[seed % COUNT(blocks)];
    int threads = block[0] * block[1], n = threads + (int)(seed % 7);
    bool overlaps = seed / COUNT(blocks) % 2;
    Arena *arena = arena_new(NULL);
    Buf text = {.arena = arena};
    static Result want, got;
    write_kernel(&text, seed, threads);
    bool same = run(devices[0], text.data, block, overlaps, n, &want);
    for (int d = 1; same && d < num_devices; d++) {
        same = run(devices[d], text.data, block, overlaps, n, &got) &&
               !memcmp(&want, &got, sizeof got);
        if (!same)
            printf("seed %llu, block %d x %d, n = %d: %s differs\n%s", (unsigned long long)seed,
                   block[0], block[1], n, devices[d], text.data);
    }
    arena_free(arena);
    return same;
}

/* One of 13 on cpu, too: a C compiler takes its time. */
TEST(devices_agree) {
    const char *more = getenv("TERN_SEEDS");
    uint64_t seeds = more ? strtoull(more, NULL, 10) : 80;
    int wrong = 0;
    for (uint64_t seed = 0; seed < seeds && !wrong; seed++)
        wrong += !check(seed, seed % 13 ? 2 : 3);
    CHECK(wrong == 0);
}

TEST_MAIN()
