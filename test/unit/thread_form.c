// SPDX-License-Identifier: Apache-2.0
/* Thread form: read, verified, promoted, made to PTX and executed by sim; spread over tiles and
 * executed by interp and cpu. Results are computed here, in plain C. */
#include "test.h"
#include "api/context.h"
#include "opt/opt.h"

static tern_context *context;

static tern_context *open_device(const char *name) {
    tern_context *opened = tern_open(&(tern_open_options){.device = name}, NULL, NULL, 0);
    CHECK(opened != NULL);
    return opened;
}

static tern_context *sim(void) {
    if (!context) context = open_device("sim");
    return context;
}

static tern_kernel *compiled(tern_context *on, const char *text) {
    tern_kernel *kernel = kernel_from_ir(on, text, &(tern_options){.verify = true});
    if (!kernel) printf("%s\n", tern_message(on));
    CHECK(kernel != NULL);
    return kernel;
}

static bool run(tern_context *on, const char *text, const uint32_t grid[3],
                const tern_argument *arguments, int count) {
    tern_kernel *kernel = compiled(on, text);
    if (!kernel) return false;
    tern_status status = tern_launch(NULL, kernel, grid, arguments, count);
    if (status) printf("%s\n", tern_message(on));
    tern_kernel_free(kernel);
    return status == TERN_OK;
}

/* Launches on `count` words in and out; `result` is what was read back. */
static bool run_words_on(tern_context *on, const char *text, const uint32_t grid[3],
                         const uint32_t *in, const uint32_t *out, uint32_t *result, int count,
                         int64_t n) {
    size_t bytes = sizeof *in * (size_t)count;
    tern_buffer *x = tern_alloc(on, bytes), *y = tern_alloc(on, bytes);
    bool fine = !tern_write(x, 0, in, bytes) && !tern_write(y, 0, out, bytes);
    tern_argument arguments[] = {tern_arg_buffer(x), tern_arg_buffer(y), tern_arg_int(n)};
    fine = fine && run(on, text, grid, arguments, 3) && !tern_read(y, 0, result, bytes);
    tern_buffer_free(x);
    tern_buffer_free(y);
    return fine;
}

/* On each device; out is what all gave. */
static bool run_words(const char *text, const uint32_t grid[3], const uint32_t *in, uint32_t *out,
                      int count, int64_t n) {
    static const char *const others[] = {"interp", "cpu"};
    uint32_t expected[1000], result[1000];
    bool fine = run_words_on(sim(), text, grid, in, out, expected, count, n);
    for (int i = 0; fine && i < 2; i++) {
        tern_context *other = open_device(others[i]);
        fine = run_words_on(other, text, grid, in, out, result, count, n) &&
               !memcmp(result, expected, sizeof *result * (size_t)count);
        if (!fine) printf("on %s\n", others[i]);
        tern_close(other);
    }
    memcpy(out, expected, sizeof *out * (size_t)count);
    return fine;
}

static const char block_sum[] =
    "func @block_sum(%x: ptr<i32>, %out: ptr<i32>, %n: i32) {form = thread, block = [256, 1, 1]} "
    "{\n"
    "  %s = alloc {space = shared, bytes = 1024, align = 4} : ptr<i32>\n"
    "  %k = alloc {space = local, bytes = 4, align = 4} : ptr<i32>\n"
    "  %t = thread_id {axis = 0} : i32\n"
    "  %b = program_id {axis = 0} : i32\n"
    "  %c256 = constant 256 : i32\n"
    "  %c128 = constant 128 : i32\n"
    "  %c0 = constant 0 : i32\n"
    "  %c2 = constant 2 : i32\n"
    "  %1 = mul %b, %c256 : i32\n"
    "  %i = add %1, %t : i32\n"
    "  %2 = icmp %i, %n {predicate = slt} : i1\n"
    "  %v = if %2 : i32 {\n"
    "    %3 = addptr %x, %i : ptr<i32>\n"
    "    %4 = load %3 : i32\n"
    "    yield %4\n"
    "  } {\n"
    "    yield %c0\n"
    "  }\n"
    "  %p = addptr %s, %t : ptr<i32>\n"
    "  store %p, %v\n"
    "  barrier\n"
    "  store %k, %c128\n"
    "  while {\n"
    "    %5 = load %k : i32\n"
    "    %6 = icmp %5, %c0 {predicate = sgt} : i1\n"
    "    yield %6\n"
    "  } {\n"
    "    %7 = load %k : i32\n"
    "    %8 = icmp %t, %7 {predicate = slt} : i1\n"
    "    if %8 {\n"
    "      %9 = addptr %p, %7 : ptr<i32>\n"
    "      %10 = load %9 : i32\n"
    "      %11 = load %p : i32\n"
    "      %12 = add %11, %10 : i32\n"
    "      store %p, %12\n"
    "      yield\n"
    "    } {\n"
    "      yield\n"
    "    }\n"
    "    barrier\n"
    "    %13 = div_s %7, %c2 : i32\n"
    "    store %k, %13\n"
    "    yield\n"
    "  }\n"
    "  %14 = icmp %t, %c0 {predicate = eq} : i1\n"
    "  if %14 {\n"
    "    %15 = load %s : i32\n"
    "    %16 = addptr %out, %b : ptr<i32>\n"
    "    store %16, %15\n"
    "    yield\n"
    "  } {\n"
    "    yield\n"
    "  }\n"
    "  yield\n"
    "}\n";

TEST(block_sum) {
    uint32_t in[1000], out[1000] = {0}, want[4] = {0};
    for (uint32_t i = 0; i < 1000; i++) in[i] = i * 2654435761u;
    for (int i = 0; i < 1000; i++) want[i / 256] += in[i];
    CHECK(run_words(block_sum, (uint32_t[]){4, 1, 1}, in, out, 1000, 1000));
    for (int i = 0; i < 4; i++) CHECK(out[i] == want[i]);
}

/* The counter needs no memory; what the block shares does. */
TEST(promotes) {
    tern_kernel *kernel = compiled(sim(), block_sum);
    const char *ptx = kernel ? tern_kernel_text(kernel, TERN_STAGE_PTX) : NULL;
    CHECK(ptx && !strstr(ptx, ".local"));
    CHECK(ptx && strstr(ptx, "ld.shared.b32") && strstr(ptx, "st.shared.b32"));
    CHECK(ptx && strstr(ptx, ".reqntid 256, 1, 1"));
    tern_kernel_free(kernel);
}

/* 33 threads: a warp that is not full. A place in a block of three dimensions. */
TEST(places) {
    static const char text[] =
        "func @k(%x: ptr<i32>, %out: ptr<i32>, %n: i32) {form = thread, block = [11, 3, 2]} {\n"
        "  %tx = thread_id {axis = 0} : i32\n"
        "  %ty = thread_id {axis = 1} : i32\n"
        "  %tz = thread_id {axis = 2} : i32\n"
        "  %c11 = constant 11 : i32\n"
        "  %c3 = constant 3 : i32\n"
        "  %c100 = constant 100 : i32\n"
        "  %1 = mul %tz, %c3 : i32\n"
        "  %2 = add %1, %ty : i32\n"
        "  %3 = mul %2, %c11 : i32\n"
        "  %4 = add %3, %tx : i32\n"
        "  %5 = mul %tz, %c100 : i32\n"
        "  %6 = add %5, %ty : i32\n"
        "  %7 = mul %6, %c100 : i32\n"
        "  %8 = add %7, %tx : i32\n"
        "  %p = addptr %out, %4 : ptr<i32>\n"
        "  store %p, %8\n"
        "  yield\n"
        "}\n";
    uint32_t in[66] = {0}, out[66] = {0};
    CHECK(run_words(text, (uint32_t[]){1, 1, 1}, in, out, 66, 0));
    for (uint32_t i = 0; i < 66; i++) CHECK(out[i] == (i / 33 * 100 + i / 11 % 3) * 100 + i % 11);
}

/* A pointer that is to shared or to global memory, and one that goes through memory itself. */
TEST(spaces) {
    static const char text[] =
        "func @k(%x: ptr<i32>, %out: ptr<i32>, %n: i32) {form = thread, block = [64, 1, 1]} {\n"
        "  %s = alloc {space = shared, bytes = 256, align = 4} : ptr<i32>\n"
        "  %h = alloc {space = shared, bytes = 512, align = 8} : ptr<ptr<i32>>\n"
        "  %l = alloc {space = local, bytes = 16, align = 4} : ptr<i32>\n"
        "  %t = thread_id {axis = 0} : i32\n"
        "  %c3 = constant 3 : i32\n"
        "  %c7 = constant 7 : i32\n"
        "  %c32 = constant 32 : i32\n"
        "  %p = addptr %s, %t : ptr<i32>\n"
        "  %q = addptr %x, %t : ptr<i32>\n"
        "  %1 = mul %t, %c7 : i32\n"
        "  store %p, %1\n"
        "  %2 = and %t, %c3 : i32\n"
        "  %lp = addptr %l, %2 : ptr<i32>\n"
        "  store %lp, %t\n"
        "  %low = icmp %t, %c32 {predicate = slt} : i1\n"
        "  %which = select %low, %p, %q : ptr<i32>\n"
        "  %slot = addptr %h, %t : ptr<ptr<i32>>\n"
        "  store %slot, %which\n"
        "  barrier\n"
        "  %again = load %slot : ptr<i32>\n"
        "  %v = load %again : i32\n"
        "  %w = load %lp : i32\n"
        "  %same = icmp %again, %which {predicate = eq} : i1\n"
        "  %one = ext_u %same : i32\n"
        "  %sum = add %v, %w : i32\n"
        "  %sum2 = add %sum, %one : i32\n"
        "  %o = addptr %out, %t : ptr<i32>\n"
        "  store %o, %sum2\n"
        "  yield\n"
        "}\n";
    uint32_t in[64], out[64] = {0};
    for (uint32_t i = 0; i < 64; i++) in[i] = 1000 + i;
    CHECK(run_words(text, (uint32_t[]){1, 1, 1}, in, out, 64, 0));
    for (uint32_t i = 0; i < 64; i++) CHECK(out[i] == (i < 32 ? 7 * i : 1000 + i) + i + 1);
}

/* What a pointer points to is known only after as many rounds as it takes to get around the loops:
 * after n turns %a is to shared memory, or from the third on to global. */
TEST(spaces_around_loops) {
    static const char head[] =
        "func @k(%x: ptr<i32>, %out: ptr<i32>, %n: i32) {form = thread, block = [32, 1, 1]} {\n"
        "%s = alloc {space = shared, bytes = 512, align = 4} : ptr<i32>\n"
        "%t = thread_id {axis = 0} : i32\n"
        "%zero = constant 0 : i32\n"
        "%one = constant 1 : i32\n"
        "%two = constant 2 : i32\n"
        "%c32 = constant 32 : i32\n"
        "%p0 = addptr %s, %t : ptr<i32>\n"
        "%p1 = addptr %p0, %c32 : ptr<i32>\n"
        "%p2 = addptr %p1, %c32 : ptr<i32>\n"
        "%q = addptr %x, %t : ptr<i32>\n"
        "store %p0, %zero\nstore %p1, %one\nstore %p2, %two\n";
    static const char *const loops[] = {
        "%f, %g, %a = for %zero, %n, %one, %p2, %p1, %p0 : ptr<i32>, ptr<i32>, ptr<i32> "
        "(%i: i32, %c: ptr<i32>, %b: ptr<i32>, %z: ptr<i32>) {\nyield %q, %c, %b\n}\n",
        "%a, %g, %f, %j = for %zero, %n, %one, %p0, %p1, %p2, %n : ptr<i32>, ptr<i32>, ptr<i32>, "
        "i32 "
        "(%i: i32, %z: ptr<i32>, %b: ptr<i32>, %c: ptr<i32>, %k: i32) {\nyield %b, %c, %q, %i\n}\n",
        "%a, %g, %f, %j = while %p0, %p1, %p2, %n : ptr<i32>, ptr<i32>, ptr<i32>, i32 "
        "(%z: ptr<i32>, %b: ptr<i32>, %c: ptr<i32>, %k: i32) {\n"
        "%go = icmp %k, %zero {predicate = sgt} : i1\nyield %go, %z, %b, %c, %k\n} "
        "(%y: ptr<i32>, %b2: ptr<i32>, %c2: ptr<i32>, %k2: i32) {\n"
        "%l = sub %k2, %one : i32\n%odd = and %t, %one : i32\n"
        "%low = icmp %odd, %zero {predicate = eq} : i1\n"
        "%e = if %low : ptr<i32> {\nyield %b2\n} {\nyield %b2\n}\n"
        "%d = if %low : ptr<i32> {\n%r = select %low, %q, %p0 : ptr<i32>\nyield %r\n} "
        "{\nyield %q\n}\nyield %e, %c2, %d, %l\n}\n",
    };
    for (int i = 0; i < COUNT(loops); i++)
        for (int n = 0; n < 5; n++) {
            Arena *arena = arena_new(NULL);
            Str text = str_format(arena,
                                  "%s%s%%v = load %%a : i32\n%%o = addptr %%out, %%t : ptr<i32>\n"
                                  "store %%o, %%v\nyield\n}\n",
                                  head, loops[i]);
            uint32_t in[32], out[32] = {0};
            for (uint32_t t = 0; t < 32; t++) in[t] = 1000 + t;
            CHECK(run_words(text.data, (uint32_t[]){1, 1, 1}, in, out, 32, n));
            for (uint32_t t = 0; t < 32; t++) CHECK(out[t] == (n < 3 ? (uint32_t)n : in[t]));
            arena_free(arena);
        }
}

/* Threads that are done return: the barrier of the others does not wait for them. */
TEST(early_return) {
    static const char text[] =
        "func @k(%x: ptr<i32>, %out: ptr<i32>, %n: i32) {form = thread, block = [96, 1, 1]} {\n"
        "  %s = alloc {space = shared, bytes = 4, align = 4} : ptr<i32>\n"
        "  %t = thread_id {axis = 0} : i32\n"
        "  %c0 = constant 0 : i32\n"
        "  %1 = icmp %t, %n {predicate = sge} : i1\n"
        "  if %1 {\n"
        "    yield\n"
        "  } {\n"
        "    %first = icmp %t, %c0 {predicate = eq} : i1\n"
        "    if %first {\n"
        "      store %s, %c0\n"
        "      yield\n"
        "    } {\n"
        "      yield\n"
        "    }\n"
        "    barrier\n"
        "    %p = addptr %x, %t : ptr<i32>\n"
        "    %v = load %p : i32\n"
        "    %old = atomic_rmw %s, %v {kind = add, sem = relaxed, scope = cta} : i32\n"
        "    barrier\n"
        "    %sum = load %s : i32\n"
        "    %o = addptr %out, %t : ptr<i32>\n"
        "    store %o, %sum\n"
        "    yield\n"
        "  }\n"
        "  yield\n"
        "}\n";
    uint32_t in[96], out[96] = {0}, sum = 0;
    for (uint32_t i = 0; i < 96; i++) in[i] = i * i;
    for (int i = 0; i < 40; i++) sum += in[i];
    CHECK(run_words(text, (uint32_t[]){1, 1, 1}, in, out, 96, 40));
    for (int i = 0; i < 96; i++) CHECK(out[i] == (i < 40 ? sum : 0));
}

/* Writes of parts of one local array: each in its slot, through an if and a loop; and one that is
 * read with an index that is not known stays memory. */
TEST(slots) {
    static const char text[] =
        "func @k(%x: ptr<i32>, %out: ptr<i32>, %n: i32) {form = thread, block = [32, 1, 1]} {\n"
        "  %a = alloc {space = local, bytes = 12, align = 4} : ptr<i32>\n"
        "  %t = thread_id {axis = 0} : i32\n"
        "  %c1 = constant 1 : i32\n"
        "  %c2 = constant 2 : i32\n"
        "  %c5 = constant 5 : i32\n"
        "  %a1 = addptr %a, %c1 : ptr<i32>\n"
        "  %a2 = addptr %a1, %c1 : ptr<i32>\n"
        "  %f2 = bitcast %a2 : ptr<f32>\n"
        "  %half = constant 0.5 : f32\n"
        "  store %a, %t\n"
        "  store %a1, %c5\n"
        "  store %f2, %half\n"
        "  %odd = and %t, %c1 : i32\n"
        "  %is = icmp %odd, %c1 {predicate = eq} : i1\n"
        "  if %is {\n"
        "    store %a1, %t\n"
        "    yield\n"
        "  } {\n"
        "    yield\n"
        "  }\n"
        "  while {\n"
        "    %1 = load %a : i32\n"
        "    %2 = icmp %1, %c5 {predicate = sgt} : i1\n"
        "    yield %2\n"
        "  } {\n"
        "    %3 = load %a : i32\n"
        "    %4 = sub %3, %c2 : i32\n"
        "    store %a, %4\n"
        "    yield\n"
        "  }\n"
        "  %5 = load %a : i32\n"
        "  %6 = load %a1 : i32\n"
        "  %7 = load %a2 : i32\n"
        "  %8 = add %5, %6 : i32\n"
        "  %9 = xor %8, %7 : i32\n"
        "  %o = addptr %out, %t : ptr<i32>\n"
        "  store %o, %9\n"
        "  yield\n"
        "}\n";
    uint32_t in[32] = {0}, out[32] = {0};
    CHECK(run_words(text, (uint32_t[]){1, 1, 1}, in, out, 32, 0));
    for (uint32_t t = 0; t < 32; t++) {
        uint32_t k = t;
        while (k > 5) k -= 2;
        CHECK(out[t] == ((k + (t & 1 ? t : 5)) ^ 0x3f000000));
    }
    tern_kernel *kernel = compiled(sim(), text);
    const char *ptx = kernel ? tern_kernel_text(kernel, TERN_STAGE_PTX) : NULL;
    CHECK(ptx && !strstr(ptx, ".local"));
    tern_kernel_free(kernel);
}

static void wrong(const char *text, const char *words) {
    CHECK(!kernel_from_ir(sim(), text, NULL));
    bool said = strstr(tern_message(sim()), words) != NULL;
    if (!said) printf("%s\n", tern_message(sim()));
    CHECK(said);
}

TEST(refuses) {
    wrong("func @k() {form = thread, block = [33, 32, 1]} {\n  yield\n}\n", "1056 threads");
    wrong("func @k() {form = thread, block = [1, 1, 65]} {\n  yield\n}\n",
          "65 threads along axis 2");
    wrong("func @k() {form = thread} {\n  yield\n}\n", "a block of 0 threads");
    wrong("func @k() {block = [32, 1, 1]} {\n  yield\n}\n", "not in thread form");
    wrong("func @k() {\n  %t = thread_id {axis = 0} : i32\n  yield\n}\n", "not in thread form");
    wrong("func @k() {form = thread, block = [32, 1, 1]} {\n"
          "  %t = arange {start = 0, end = 32} : tile<32xi32>\n  yield\n}\n",
          "in thread form");
    wrong("func @k() {form = thread, block = [32, 1, 1]} {\n"
          "  %t = thread_id {axis = 3} : i32\n  yield\n}\n",
          "axis");
    wrong("func @k(%c: i1) {form = thread, block = [32, 1, 1]} {\n  if %c {\n"
          "    %s = alloc {space = local, bytes = 4, align = 4} : ptr<i32>\n    yield\n"
          "  } {\n    yield\n  }\n  yield\n}\n",
          "at the top");
    wrong("func @k() {form = thread, block = [32, 1, 1]} {\n"
          "  %s = alloc {space = local, bytes = 4, align = 3} : ptr<i32>\n  yield\n}\n",
          "alignment");
    wrong("func @k(%x: ptr<i32>) {form = thread, block = [32, 1, 1]} {\n"
          "  %s = alloc {space = shared, bytes = 300000, align = 4} : ptr<i32>\n"
          "  %v = load %s : i32\n  store %x, %v\n  yield\n}\n",
          "bytes of shared memory");
}

/* What threads of a warp do together, and printf. */
TEST(refuses_warps) {
    wrong("func @k(%n: i32) {\n  warp_sync %n\n  yield\n}\n", "not in thread form");
    wrong("func @k(%n: i32) {form = thread, block = [32, 1, 1]} {\n  %r = rank {blocks = 2} : i32\n"
          "  yield\n}\n",
          "in thread or spread form");
    wrong("func @k(%n: i64) {form = thread, block = [32, 1, 1]} {\n  warp_sync %n\n  yield\n}\n",
          "expected i32, not i64");
    wrong("func @k(%n: i32) {form = thread, block = [32, 1, 1]} {\n"
          "  %v = vote %n, %n {mode = any} : i64\n  yield\n}\n",
          "expected a result of i32");
    wrong("func @k(%n: i32) {form = thread, block = [32, 1, 1]} {\n"
          "  %v = printf %n {text = \"100%%\"} : i32\n  yield\n}\n",
          "1 values for 0 conversions");
    wrong("func @k(%n: i32) {form = thread, block = [32, 1, 1]} {\n"
          "  %v = printf %n {text = \"%n\"} : i32\n  yield\n}\n",
          "a conversion that kernels do not have");
    wrong("func @k(%n: i64) {form = thread, block = [32, 1, 1]} {\n"
          "  %v = printf %n {text = \"%s\"} : i32\n  yield\n}\n",
          "a conversion that kernels do not have");
    wrong("func @k(%n: i32) {form = spread, block = [32, 1, 1]} {\n"
          "  %t = arange {start = 0, end = 32} : tile<32xi32>\n"
          "  %v = printf %t, %t {text = \"%d\"} : i32\n  yield\n}\n",
          "expected a mask, not tile<32xi32>");
    wrong("func @k(%n: i32) {form = spread, block = [32, 1, 1]} {\n"
          "  %m = constant 1 : tile<32xi1>\n"
          "  %v = printf %n, %m {text = \"%d\"} : i32\n  yield\n}\n",
          "without a mask of its shape");
    wrong("func @k(%n: f32) {form = thread, block = [32, 1, 1]} {\n"
          "  %v = printf %n {text = \"%f\"} : i32\n  yield\n}\n",
          "expected i32, i64 or f64, not f32");
}

/* Spread form is written out, read back and run by interp and cpu; GPUs take thread form. */
TEST(spread_form) {
    static const char text[] = "func @k(%x: ptr<i32>) {form = spread, block = [3, 1, 1]} {\n"
                               "  %s = alloc {space = shared, bytes = 16, align = 4} : ptr<i32>\n"
                               "  yield\n}\n";
    wrong(text, "spread form on target 'sm_90a'");
    wrong("func @k() {form = spread, block = [1, 1, 65]} {\n  yield\n}\n",
          "65 threads along axis 2");
    wrong("func @k() {form = spread, block = [32, 1, 1]} {\n"
          "  %t = thread_id {axis = 0} : i32\n  yield\n}\n",
          "not in thread form");
    wrong("func @k() {form = spread, block = [32, 1, 1]} {\n"
          "  %s = alloc {space = local, bytes = 4, align = 4} : ptr<i32>\n  yield\n}\n",
          "memory of a thread in spread form");
    wrong("func @k() {\n  %s = alloc {space = shared, bytes = 4, align = 4} : ptr<i32>\n"
          "  yield\n}\n",
          "not in thread or spread form");
    tern_context *interp = open_device("interp");
    tern_kernel *kernel = compiled(interp, text);
    CHECK(kernel && strstr(tern_kernel_text(kernel, TERN_STAGE_IR), "form = spread, block = [3,"));
    tern_kernel_free(kernel);
    tern_close(interp);
}

/* What lanes cannot do is refused, and what reads of it is let be. */
TEST(not_spread) {
    static const char text[] =
        "func @k(%x: ptr<i32>, %out: ptr<i32>, %n: i32) {form = thread, block = [32, 1, 1]} {\n"
        "%t = thread_id {axis = 0} : i32\n%zero = constant 0 : i32\n%one = constant 1 : i32\n"
        "%c = icmp %t, %n {predicate = slt} : i1\n"
        "%r = if %c : i32 {\n"
        "  %s = for %zero, %t, %one, %zero : i32 (%i: i32, %a: i32) {\n"
        "    %b = add %a, %i : i32\n    yield %b\n  }\n"
        "  %d = add %s, %t : i32\n  yield %d\n} {\n  yield %n\n}\n"
        "%p = addptr %out, %t : ptr<i32>\nstore %p, %r\nyield\n}\n";
    tern_context *interp = open_device("interp");
    CHECK(!kernel_from_ir(interp, text, NULL));
    CHECK(strstr(tern_message(interp), "'for' whose bounds differ from thread to thread") != NULL);
    tern_close(interp);
    uint32_t in[32] = {0}, out[32] = {0};
    CHECK(run_words_on(sim(), text, (uint32_t[]){1, 1, 1}, in, in, out, 32, 20));
    for (uint32_t t = 0; t < 32; t++) CHECK(out[t] == (t < 20 ? t * (t + 1) / 2 : 20));
}

/* Spreading needs a region more than there was. */
TEST(deep) {
    tern_context *interp = open_device("interp");
    for (int depth = 62; depth <= 63; depth++) {
        Arena *arena = arena_new(NULL);
        Buf text = {.arena = arena};
        buf_puts(&text, "func @k(%x: ptr<i32>) {form = thread, block = [32, 1, 1]} {\n"
                        "%t = thread_id {axis = 0} : i32\n%v = load %x : i32\n"
                        "%c = icmp %t, %v {predicate = slt} : i1\n");
        for (int i = 0; i < depth; i++) buf_puts(&text, "if %c {\n");
        buf_puts(&text, "%w = load %x : i32\nbarrier\nstore %x, %w\nyield\n");
        for (int i = 0; i < depth; i++) buf_puts(&text, "} {\nyield\n}\nyield\n");
        buf_puts(&text, "}\n");
        tern_kernel *kernel = kernel_from_ir(interp, text.data, &(tern_options){.verify = true});
        CHECK((kernel != NULL) == (depth == 62));
        bool says = strstr(tern_message(interp), "63 loops and ifs in each other") != NULL;
        CHECK(says == (depth == 63));
        tern_kernel_free(kernel);
        arena_free(arena);
    }
    tern_close(interp);
}

/* What is printed reads back to the same text. */
TEST(round_trip) {
    Arena *arena = arena_new(NULL);
    Diag diag = {.arena = arena};
    Func *fn = func_parse(arena, source_new(arena, STR("t"), str_of(block_sum)), &diag);
    CHECK(fn != NULL);
    Buf once = {.arena = arena}, twice = {.arena = arena};
    if (fn) func_print(&once, fn, false);
    Func *again = func_parse(arena, source_new(arena, STR("t"), buf_str(&once)), &diag);
    CHECK(again && again->block[0] == 256 && again->form == FORM_THREAD);
    if (again) func_print(&twice, again, false);
    CHECK_STR(twice.data, once.data);
    arena_free(arena);
}

/* a * b + c is rounded once: 1 - (1 + e)(1 - e) is e * e, and 0 if the product is rounded. */
TEST(contracts) {
    static const char text[] =
        "func @k(%x: ptr<f32>, %out: ptr<f32>, %n: i32) {form = thread, block = [1, 1, 1]} {\n"
        "  %1 = constant 1 : i32\n"
        "  %p = addptr %x, %1 : ptr<f32>\n"
        "  %a = load %x : f32\n"
        "  %b = load %p : f32\n"
        "  %ab = fmul %a, %b : f32\n"
        "  %one = constant 1.0 : f32\n"
        "  %d = fsub %one, %ab : f32\n"
        "  %e = fsub %ab, %one : f32\n"
        "  store %out, %d\n"
        "  %q = addptr %out, %1 : ptr<f32>\n"
        "  store %q, %e\n"
        "  yield\n"
        "}\n";
    float e = 0x1p-20f, in[2] = {1 + e, 1 - e}, out[2] = {0};
    uint32_t words[2], results[2] = {0};
    memcpy(words, in, sizeof words);
    CHECK(run_words(text, (uint32_t[]){1, 1, 1}, words, results, 2, 0));
    memcpy(out, results, sizeof out);
    CHECK(out[0] == e * e && out[1] == -e * e);
}

TEST_MAIN()
