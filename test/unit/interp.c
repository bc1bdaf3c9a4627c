// SPDX-License-Identifier: Apache-2.0
/* The interpreter, on IR text: what each family of ops gives, which accesses are refused, how
 * programs take turns. Expected values are computed here, in C. */
#include "api/context.h"
#include "test.h"

static tern_context *context;
static char words[4096];

static bool begin(void) {
    tern_status status;
    context = tern_open(&(tern_open_options){.device = "interp", .cache_dir = ""}, &status, words,
                        sizeof words);
    CHECK(context && status == TERN_OK);
    return context != NULL;
}

static tern_kernel *compiled(const char *text) {
    tern_kernel *kernel = kernel_from_ir(context, text, &(tern_options){.debug = true});
    if (!kernel) printf("%s\n", tern_message(context));
    CHECK(kernel);
    return kernel;
}

/* Launches a kernel of buffers only. */
static tern_status launched(const char *text, uint32_t programs, int count, tern_buffer **buffers) {
    tern_kernel *kernel = compiled(text);
    if (!kernel) return TERN_ERROR_COMPILE;
    tern_argument arguments[8];
    for (int i = 0; i < count; i++) arguments[i] = tern_arg_buffer(buffers[i]);
    return tern_launch(NULL, kernel, (uint32_t[]){programs, 1, 1}, arguments, count);
}

static tern_buffer *buffer_of(const void *data, size_t size) {
    tern_buffer *buffer = tern_alloc(context, size);
    tern_write(buffer, 0, data, size);
    return buffer;
}

static const char add_text[] = "func @add(%x: ptr<f32>, %y: ptr<f32>, %n: i32) {\n"
                               "  %p = program_id {axis = 0} : i32\n"
                               "  %b = constant 8 : i32\n"
                               "  %s = mul %p, %b : i32\n"
                               "  %r = arange {start = 0, end = 8} : tile<8xi32>\n"
                               "  %st = splat %s : tile<8xi32>\n"
                               "  %i = add %r, %st : tile<8xi32>\n"
                               "  %nt = splat %n : tile<8xi32>\n"
                               "  %m = icmp %i, %nt {predicate = slt} : tile<8xi1>\n"
                               "  %xs = splat %x : tile<8xptr<f32>>\n"
                               "  %xp = addptr %xs, %i : tile<8xptr<f32>>\n"
                               "  %v = load %xp, %m : tile<8xf32>\n"
                               "  %w = fadd %v, %v : tile<8xf32>\n"
                               "  %ys = splat %y : tile<8xptr<f32>>\n"
                               "  %yp = addptr %ys, %i : tile<8xptr<f32>>\n"
                               "  store %yp, %w, %m\n"
                               "  yield\n"
                               "}\n";

TEST(masked_lanes_are_not_touched) {
    if (!begin()) return;
    float x[11], y[11], after[13];
    for (int i = 0; i < 11; i++) x[i] = (float)i + 0.25f, y[i] = -1;
    tern_buffer *bx = buffer_of(x, sizeof x), *by = buffer_of(y, sizeof y);
    tern_kernel *kernel = compiled(add_text);
    tern_argument arguments[] = {tern_arg_buffer(bx), tern_arg_buffer(by), tern_arg_int(10)};
    CHECK(tern_launch(NULL, kernel, (uint32_t[]){2, 1, 1}, arguments, 3) == TERN_OK);
    CHECK(tern_read(by, 0, after, sizeof y) == TERN_OK);
    for (int i = 0; i < 11; i++) CHECK(after[i] == (i < 10 ? 2 * x[i] : -1));
    /* One more than there is: the first lane that strays is named. */
    arguments[2] = tern_arg_int(13);
    CHECK(tern_launch(NULL, kernel, (uint32_t[]){2, 1, 1}, arguments, 3) == TERN_ERROR_KERNEL);
    CHECK(strstr(tern_message(context),
                 "load of 4 bytes outside the buffer of 'x', which has 44 bytes: "
                 "44 bytes after its start"));
    CHECK(strstr(tern_message(context), "in program (1, 0, 0) of a grid of (2, 1, 1), lane [3]"));
    tern_close(context);
}

TEST(arguments_are_checked) {
    if (!begin()) return;
    tern_buffer *b = tern_alloc(context, 64);
    CHECK(b && tern_fill(b, 0) == TERN_OK);
    tern_kernel *kernel = compiled(add_text);
    tern_argument good[] = {tern_arg_buffer(b), tern_arg_buffer(b), tern_arg_int(4)};
    uint32_t grid[] = {1, 1, 1};
    CHECK(tern_launch(NULL, kernel, grid, good, 3) == TERN_OK);
    CHECK(tern_launch(NULL, kernel, grid, good, 2) == TERN_ERROR_ARGUMENT);
    CHECK_STR(tern_message(context), "kernel 'add' takes 3 arguments (x, y, n), not 2");
    tern_argument bad[] = {tern_arg_buffer(b), tern_arg_int(0), tern_arg_int(4)};
    CHECK(tern_launch(NULL, kernel, grid, bad, 3) == TERN_ERROR_ARGUMENT);
    CHECK_STR(tern_message(context),
              "argument 'y' of kernel 'add' is an integer, but the signature says a pointer");
    bad[1] = good[1], bad[2] = tern_arg_float(1.5);
    CHECK(tern_launch(NULL, kernel, grid, bad, 3) == TERN_ERROR_ARGUMENT);
    CHECK_STR(
        tern_message(context),
        "argument 'n' of kernel 'add' is a floating-point number, but the signature says i32");
    bad[2] = tern_arg_int(INT64_C(1) << 31);
    CHECK(tern_launch(NULL, kernel, grid, bad, 3) == TERN_ERROR_ARGUMENT);
    CHECK_STR(tern_message(context), "argument 'n' of kernel 'add': 2147483648 does not fit i32");
    CHECK(tern_launch(NULL, kernel, (uint32_t[]){1, 65536, 1}, good, 3) == TERN_ERROR_ARGUMENT);
    CHECK(tern_launch(NULL, kernel, (uint32_t[]){0, 1, 1}, good, 3) == TERN_OK);
    good[0] = tern_arg_buffer(NULL);
    CHECK(tern_launch(NULL, kernel, grid, good, 3) == TERN_ERROR_KERNEL); /* reads a null pointer */
    tern_close(context);
}

TEST(reduce_is_a_tree_of_neighbours) {
    static const char text[] =
        "func @sum(%x: ptr<f32>, %y: ptr<f32>) {\n"
        "  %r = arange {start = 0, end = 8} : tile<8xi32>\n"
        "  %xs = splat %x : tile<8xptr<f32>>\n"
        "  %xp = addptr %xs, %r : tile<8xptr<f32>>\n"
        "  %v = load %xp : tile<8xf32>\n"
        "  %s = reduce %v {axis = 0} : f32 (%a: f32, %b: f32) {\n"
        "    %c = fadd %a, %b : f32\n"
        "    yield %c\n"
        "  }\n"
        "  store %y, %s\n"
        "  %two = reshape %v : tile<2x4xf32>\n"
        "  %row = reduce %two {axis = 1} : tile<2xf32> (%a1: f32, %b1: f32) {\n"
        "    %c1 = fsub %a1, %b1 : f32\n"
        "    yield %c1\n"
        "  }\n"
        "  %one = constant 1 : i32\n"
        "  %y1 = addptr %y, %one : ptr<f32>\n"
        "  %ys = splat %y1 : tile<2xptr<f32>>\n"
        "  %r2 = arange {start = 0, end = 2} : tile<2xi32>\n"
        "  %yp = addptr %ys, %r2 : tile<2xptr<f32>>\n"
        "  store %yp, %row\n"
        "  yield\n"
        "}\n";
    if (!begin()) return;
    float x[8] = {1, 1e8f, -1e8f, 3, 5, 0.5f, 7, 0.25f}, y[3];
    tern_buffer *buffers[] = {buffer_of(x, sizeof x), tern_alloc(context, sizeof y)};
    CHECK(launched(text, 1, 2, buffers) == TERN_OK);
    tern_read(buffers[1], 0, y, sizeof y);
    float left = (x[0] + x[1]) + (x[2] + x[3]), right = (x[4] + x[5]) + (x[6] + x[7]);
    CHECK(y[0] == left + right);
    CHECK(y[1] == (x[0] - x[1]) - (x[2] - x[3]));
    CHECK(y[2] == (x[4] - x[5]) - (x[6] - x[7]));
    tern_close(context);
}

TEST(scan_keeps_order_both_ways) {
    static const char text[] =
        "func @scan(%x: ptr<i32>, %y: ptr<i32>, %z: ptr<i32>) {\n"
        "  %r = arange {start = 0, end = 8} : tile<8xi32>\n"
        "  %xs = splat %x : tile<8xptr<i32>>\n"
        "  %xp = addptr %xs, %r : tile<8xptr<i32>>\n"
        "  %v = load %xp : tile<8xi32>\n"
        "  %s = scan %v {axis = 0, reverse = 0} : tile<8xi32> (%a: i32, %b: i32) {\n"
        "    %k = constant 10 : i32\n"
        "    %m = mul %a, %k : i32\n"
        "    %c = add %m, %b : i32\n"
        "    yield %c\n"
        "  }\n"
        "  %t = scan %v {axis = 0, reverse = 1} : tile<8xi32> (%a1: i32, %b1: i32) {\n"
        "    %k1 = constant 10 : i32\n"
        "    %m1 = mul %a1, %k1 : i32\n"
        "    %c1 = add %m1, %b1 : i32\n"
        "    yield %c1\n"
        "  }\n"
        "  %ys = splat %y : tile<8xptr<i32>>\n"
        "  %yp = addptr %ys, %r : tile<8xptr<i32>>\n"
        "  store %yp, %s\n"
        "  %zs = splat %z : tile<8xptr<i32>>\n"
        "  %zp = addptr %zs, %r : tile<8xptr<i32>>\n"
        "  store %zp, %t\n"
        "  yield\n"
        "}\n";
    if (!begin()) return;
    int32_t x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[8], z[8], up = 0, down = 0;
    tern_buffer *buffers[] = {buffer_of(x, sizeof x), tern_alloc(context, 32),
                              tern_alloc(context, 32)};
    CHECK(launched(text, 1, 3, buffers) == TERN_OK);
    tern_read(buffers[1], 0, y, 32);
    tern_read(buffers[2], 0, z, 32);
    for (int i = 0; i < 8; i++) {
        up = up * 10 + x[i], down = down * 10 + x[7 - i];
        CHECK(y[i] == up && z[7 - i] == down);
    }
    tern_close(context);
}

/* Program 0 waits for what the last program writes: no fixed order of whole programs serves. */
static const char wait_text[] = "func @wait(%flag: ptr<i32>, %out: ptr<i32>) {\n"
                                "  %p = program_id {axis = 0} : i32\n"
                                "  %n = num_programs {axis = 0} : i32\n"
                                "  %one = constant 1 : i32\n"
                                "  %zero = constant 0 : i32\n"
                                "  %next = add %p, %one : i32\n"
                                "  %f = addptr %flag, %next : ptr<i32>\n"
                                "  while {\n"
                                "    %v = load %f {volatile = 1} : i32\n"
                                "    %c = icmp %v, %zero {predicate = eq} : i1\n"
                                "    yield %c\n"
                                "  } {\n"
                                "    yield\n"
                                "  }\n"
                                "  %w = load %f {volatile = 1} : i32\n"
                                "  %o = addptr %out, %p : ptr<i32>\n"
                                "  store %o, %w\n"
                                "  %mine = addptr %flag, %p : ptr<i32>\n"
                                "  %w1 = add %w, %one : i32\n"
                                "  store %mine, %w1\n"
                                "  yield\n"
                                "}\n";

TEST(programs_wait_for_each_other) {
    enum { PROGRAMS = 300 };
    if (!begin()) return;
    int32_t flags[PROGRAMS + 1] = {0}, out[PROGRAMS];
    flags[PROGRAMS] = 7;
    tern_buffer *buffers[] = {buffer_of(flags, sizeof flags), tern_alloc(context, sizeof out)};
    CHECK(launched(wait_text, PROGRAMS, 2, buffers) == TERN_OK);
    tern_read(buffers[1], 0, out, sizeof out);
    for (int i = 0; i < PROGRAMS; i++) CHECK(out[i] == 7 + (PROGRAMS - 1 - i));
    /* With nobody to write the last flag, all wait for ever: said, not hung. */
    memset(flags, 0, sizeof flags);
    tern_write(buffers[0], 0, flags, sizeof flags);
    CHECK(launched(wait_text, PROGRAMS, 2, buffers) == TERN_ERROR_KERNEL);
    CHECK(strstr(tern_message(context),
                 "deadlock: 300 programs wait in loops for memory that nobody will change"));
    tern_close(context);
}

/* What a loop carries may stay the same by itself, or be computed anew: that is no progress, and
 * its end is known, not waited for. */
TEST(a_loop_that_carries_the_same_is_stuck) {
    static const char text[] = "func @wait(%flag: ptr<i32>) {\n"
                               "  %zero = constant 0 : i32\n"
                               "  %r = arange {start = 0, end = 4} : tile<4xi32>\n"
                               "  %s, %t = while %zero, %r : i32, tile<4xi32> "
                               "(%a: i32, %b: tile<4xi32>) {\n"
                               "    %v = load %flag {volatile = 1} : i32\n"
                               "    %c = icmp %v, %zero {predicate = eq} : i1\n"
                               "    yield %c, %a, %b\n"
                               "  } (%d: i32, %e: tile<4xi32>) {\n"
                               "    %f = add %d, %zero : i32\n"
                               "    yield %f, %e\n"
                               "  }\n"
                               "  store %flag, %s\n"
                               "  yield\n"
                               "}\n";
    if (!begin()) return;
    int32_t zero = 0;
    tern_buffer *buffers[] = {buffer_of(&zero, 4)};
    CHECK(launched(text, 1, 1, buffers) == TERN_ERROR_KERNEL);
    CHECK(strstr(tern_message(context), "deadlock: 1 program waits in loops"));
    tern_close(context);
}

/* As many as wait, those that are only to begin, the first to wait. */
TEST(deadlocks_are_counted) {
    static const struct {
        uint32_t programs;
        const char *words, *note;
    } rows[] = {
        {1, "deadlock: 1 program waits in loops for memory that nobody will change\n",
         "note: in program (0, 0, 0) of a grid of (1, 1, 1)"},
        {2, "deadlock: 2 programs wait in loops for memory that nobody will change\n",
         "note: in program (0, 0, 0) of a grid of (2, 1, 1)"},
        {4096, "deadlock: 4096 programs wait in loops for memory that nobody will change\n",
         "note: in program (0, 0, 0) of a grid of (4096, 1, 1)"},
        {4099, "deadlock: 4096 programs wait in loops for memory that nobody will change\n",
         "note: in program (0, 0, 0) of a grid of (4099, 1, 1); 3 programs have not begun"},
    };
    static int32_t zeros[4100];
    if (!begin()) return;
    for (int i = 0; i < COUNT(rows); i++) {
        tern_buffer *buffers[] = {buffer_of(zeros, sizeof zeros), buffer_of(zeros, sizeof zeros)};
        CHECK(launched(wait_text, rows[i].programs, 2, buffers) == TERN_ERROR_KERNEL);
        const char *said = strstr(tern_message(context), rows[i].words);
        CHECK(said && strstr(said, rows[i].note));
        if (said) CHECK_STR(strstr(said, "note: "), rows[i].note);
    }
    tern_close(context);
}

TEST(a_false_assertion_names_its_lane) {
    static const char *const kinds[][2] = {
        {"", "note: in program (0, 0, 0) of a grid of (1, 1, 1)"},
        {"tile<1xi1>", "note: in program (0, 0, 0) of a grid of (1, 1, 1)"},
        {"tile<2xi1>", "note: in program (0, 0, 0) of a grid of (1, 1, 1), lane [0]"},
        {"tile<2x4xi1>", "note: in program (0, 0, 0) of a grid of (1, 1, 1), lane [0, 0]"},
    };
    char text[256];
    if (!begin()) return;
    for (int i = 0; i < COUNT(kinds); i++) {
        bool is_tile = *kinds[i][0];
        snprintf(text, sizeof text,
                 "func @f() {\n  %%c = constant 0 : i1\n  %s%s\n  assert %s {text = \"no\"}\n  "
                 "yield\n}\n",
                 is_tile ? "%t = splat %c : " : "", kinds[i][0], is_tile ? "%t" : "%c");
        CHECK(launched(text, 1, 0, NULL) == TERN_ERROR_KERNEL);
        const char *note = strstr(tern_message(context), "note: ");
        CHECK_STR(note ? note : tern_message(context), kinds[i][1]);
    }
    tern_close(context);
}

/* Of a block of (4, 3, 2) each thread in turn goes astray. */
TEST(the_thread_that_strays_is_named) {
    static const char text[] = "extern \"C\" __global__ void k(int *x, int n) {\n"
                               "    int t = threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z;\n"
                               "    x[t == n ? 1000 : 0] = 1;\n}\n";
    if (!begin()) return;
    tern_module *module = tern_load_text(context, text, strlen(text), "k.cu");
    tern_kernel *kernel =
        module ? tern_compile(module, "k", NULL, &(tern_options){.block = {4, 3, 2}}) : NULL;
    tern_buffer *buffer = tern_alloc(context, 64);
    CHECK(kernel);
    for (int t = 0; kernel && t < 24; t++) {
        int x = t % 4, y = t / 4 % 3, z = t / 12;
        char want[100];
        tern_argument arguments[] = {tern_arg_buffer(buffer), tern_arg_int(x + 10 * y + 100 * z)};
        CHECK(tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, 2) == TERN_ERROR_KERNEL);
        snprintf(want, sizeof want, "block (0, 0, 0) of a grid of (1, 1, 1), thread (%d, %d, %d)",
                 x, y, z);
        CHECK(strstr(tern_message(context), want));
    }
    tern_close(context);
}

TEST(lock_excludes) {
    static const char text[] = "func @lock(%lock: ptr<i32>, %count: ptr<i32>) {\n"
                               "  %zero = constant 0 : i32\n"
                               "  %one = constant 1 : i32\n"
                               "  while {\n"
                               "    %old = atomic_cas %lock, %zero, %one : i32\n"
                               "    %c = icmp %old, %one {predicate = eq} : i1\n"
                               "    yield %c\n"
                               "  } {\n"
                               "    yield\n"
                               "  }\n"
                               "  %v = load %count : i32\n"
                               "  %w = add %v, %one : i32\n"
                               "  store %count, %w\n"
                               "  %free = atomic_rmw %lock, %zero {kind = xchg} : i32\n"
                               "  yield\n"
                               "}\n";
    if (!begin()) return;
    int32_t zero = 0, count = -1;
    tern_buffer *buffers[] = {buffer_of(&zero, 4), buffer_of(&zero, 4)};
    CHECK(launched(text, 1000, 2, buffers) == TERN_OK);
    tern_read(buffers[1], 0, &count, 4);
    CHECK(count == 1000);
    tern_close(context);
}

TEST(counting_spin_is_stopped) {
    static const char text[] = "func @spin(%flag: ptr<i32>) {\n"
                               "  %zero = constant 0 : i32\n"
                               "  %one = constant 1 : i32\n"
                               "  %n = while %zero : i32 (%i: i32) {\n"
                               "    %v = load %flag {volatile = 1} : i32\n"
                               "    %c = icmp %v, %zero {predicate = eq} : i1\n"
                               "    yield %c, %i\n"
                               "  } (%j: i32) {\n"
                               "    %k = add %j, %one : i32\n"
                               "    yield %k\n"
                               "  }\n"
                               "  store %flag, %n\n"
                               "  yield\n"
                               "}\n";
    if (!begin()) return;
    int32_t zero = 0;
    tern_buffer *buffers[] = {buffer_of(&zero, 4)};
    CHECK(launched(text, 2, 1, buffers) == TERN_ERROR_KERNEL);
    CHECK(strstr(tern_message(context), "no progress"));
    tern_close(context);
}

/* Each program draws a ticket: the order in which they ran. */
static void draw_tickets(uint64_t seed, int32_t *tickets, int count) {
    static const char text[] = "func @ticket(%next: ptr<i32>, %out: ptr<i32>) {\n"
                               "  %p = program_id {axis = 0} : i32\n"
                               "  %one = constant 1 : i32\n"
                               "  %t = atomic_rmw %next, %one {kind = add} : i32\n"
                               "  %o = addptr %out, %p : ptr<i32>\n"
                               "  store %o, %t\n"
                               "  yield\n"
                               "}\n";
    int32_t zero = 0;
    context = tern_open(&(tern_open_options){.device = "interp", .order_seed = seed}, NULL, words,
                        sizeof words);
    CHECK(context);
    if (!context) return;
    tern_buffer *buffers[] = {buffer_of(&zero, 4), tern_wrap(context, tickets, (size_t)count * 4)};
    CHECK(launched(text, (uint32_t)count, 2, buffers) == TERN_OK);
    tern_close(context);
}

TEST(order_is_drawn_from_the_seed) {
    int32_t plain[97], mixed[97], again[97], seen[97] = {0}, moved = 0;
    draw_tickets(0, plain, 97);
    draw_tickets(5, mixed, 97);
    draw_tickets(5, again, 97);
    for (int i = 0; i < 97; i++) {
        CHECK(plain[i] == i && mixed[i] == again[i]);
        moved += mixed[i] != i;
        if (mixed[i] >= 0 && mixed[i] < 97) seen[mixed[i]]++;
    }
    for (int i = 0; i < 97; i++) CHECK(seen[i] == 1);
    CHECK(moved > 48);
    draw_tickets(5, mixed, 1);
    CHECK(mixed[0] == 0);
}

/* On one i32. */
static void check_time_limit(const char *text, uint32_t programs) {
    int32_t x = 0;
    context = tern_open(&(tern_open_options){.device = "interp", .timeout_ms = 50}, NULL, words,
                        sizeof words);
    CHECK(context);
    if (!context) return;
    tern_buffer *buffers[] = {tern_wrap(context, &x, 4)};
    CHECK(launched(text, programs, 1, buffers) == TERN_ERROR_KERNEL);
    CHECK(strstr(tern_message(context), "the launch takes longer than its time limit"));
    tern_close(context);
}

TEST(endless_loop_meets_its_time_limit) {
    static const char text[] = "func @endless(%x: ptr<i32>) {\n"
                               "  %zero = constant 0 : i32\n"
                               "  %one = constant 1 : i32\n"
                               "  %n = while %zero : i32 (%i: i32) {\n"
                               "    %c = icmp %one, %zero {predicate = ne} : i1\n"
                               "    yield %c, %i\n"
                               "  } (%j: i32) {\n"
                               "    %k = add %j, %one : i32\n"
                               "    yield %k\n"
                               "  }\n"
                               "  store %x, %n\n"
                               "  yield\n"
                               "}\n";
    check_time_limit(text, 1);
}

/* Without a loop it is looked at between programs. */
TEST(many_programs_meet_their_time_limit) {
    static const char text[] = "func @one(%x: ptr<i32>) {\n"
                               "  %one = constant 1 : i32\n"
                               "  store %x, %one\n"
                               "  yield\n"
                               "}\n";
    check_time_limit(text, INT32_MAX);
}

TEST(dot_adds_in_double) {
    static const char text[] = "func @dot(%a: ptr<f16>, %b: ptr<f16>, %c: ptr<f32>) {\n"
                               "  %r = arange {start = 0, end = 256} : tile<256xi32>\n"
                               "  %as = splat %a : tile<256xptr<f16>>\n"
                               "  %ap = addptr %as, %r : tile<256xptr<f16>>\n"
                               "  %av = load %ap : tile<256xf16>\n"
                               "  %am = reshape %av : tile<16x16xf16>\n"
                               "  %bs = splat %b : tile<256xptr<f16>>\n"
                               "  %bp = addptr %bs, %r : tile<256xptr<f16>>\n"
                               "  %bv = load %bp : tile<256xf16>\n"
                               "  %bm = reshape %bv : tile<16x16xf16>\n"
                               "  %bt = trans %bm {order = [1, 0]} : tile<16x16xf16>\n"
                               "  %acc = constant 1 : tile<16x16xf32>\n"
                               "  %d = dot %am, %bt, %acc : tile<16x16xf32>\n"
                               "  %df = reshape %d : tile<256xf32>\n"
                               "  %cs = splat %c : tile<256xptr<f32>>\n"
                               "  %cp = addptr %cs, %r : tile<256xptr<f32>>\n"
                               "  store %cp, %df\n"
                               "  yield\n"
                               "}\n";
    if (!begin()) return;
    uint16_t a[256], b[256];
    float c[256];
    for (int i = 0; i < 256; i++) {
        tern_element_set_double(TERN_FLOAT16, &a[i], (i * 37 % 101) / 16.0 - 3);
        tern_element_set_double(TERN_FLOAT16, &b[i], (i * 53 % 97) / 8.0 - 6);
    }
    tern_buffer *buffers[] = {buffer_of(a, 512), buffer_of(b, 512), tern_alloc(context, 1024)};
    CHECK(launched(text, 1, 3, buffers) == TERN_OK);
    tern_read(buffers[2], 0, c, sizeof c);
    for (int i = 0; i < 16; i++) {
        for (int j = 0; j < 16; j++) {
            double sum = 0;
            for (int k = 0; k < 16; k++)
                sum += tern_element_double(TERN_FLOAT16, &a[i * 16 + k]) *
                       tern_element_double(TERN_FLOAT16, &b[j * 16 + k]);
            CHECK(c[i * 16 + j] == (float)(sum + 1));
        }
    }
    tern_close(context);
}

/* An index is as wide as the last one. */
TEST(print_of_many_lanes) {
    static const int last[] = {1, 7, 15, 63, 127, 1023, 2047};
    for (int i = 0; i < COUNT(last); i++) {
        char text[300], line[100];
        snprintf(text, sizeof text,
                 "func @show(%%x: ptr<f32>) {\n"
                 "  %%r = arange {start = 0, end = %d} : tile<%dxi32>\n"
                 "  print %%r {text = \" r: \", hex = 0, unsigned_mask = 0}\n  yield\n}\n",
                 last[i] + 1, last[i] + 1);
        if (!begin()) return;
        float x = 0;
        tern_buffer *buffers[] = {buffer_of(&x, 4)};
        CHECK(launched(text, 1, 1, buffers) == TERN_OK);
        char *said = tern_take_output(context);
        int width = snprintf(line, sizeof line, "%d", last[i]);
        snprintf(line, sizeof line, "pid (0, 0, 0) idx (%*d) r: 1\n", width, 1);
        CHECK(said && strstr(said, line));
        snprintf(line, sizeof line, "pid (0, 0, 0) idx (%d) r: %d\n", last[i], last[i]);
        CHECK(said && strstr(said, line));
        tern_free(said);
        tern_close(context);
    }
}

TEST(print_in_the_language_s_form) {
    static const char text[] = "func @show(%x: ptr<f32>) {\n"
                               "  %p = program_id {axis = 0} : i32\n"
                               "  %r = arange {start = 8, end = 10} : tile<2xi32>\n"
                               "  print %r {text = \" r: \", hex = 0, unsigned_mask = 0}\n"
                               "  %v = load %x : f32\n"
                               "  print %v, %p {text = \" v: \", hex = 0, unsigned_mask = 0}\n"
                               "  yield\n"
                               "}\n";
    if (!begin()) return;
    float x = 1.5f;
    tern_buffer *buffers[] = {buffer_of(&x, 4)};
    CHECK(launched(text, 2, 1, buffers) == TERN_OK);
    char *said = tern_take_output(context);
    CHECK_STR(said, "pid (0, 0, 0) idx (0) r: 8\npid (0, 0, 0) idx (1) r: 9\n"
                    "pid (0, 0, 0) idx () v: (operand 0) 1.500000\n"
                    "pid (0, 0, 0) idx () v: (operand 1) 0\n"
                    "pid (1, 0, 0) idx (0) r: 8\npid (1, 0, 0) idx (1) r: 9\n"
                    "pid (1, 0, 0) idx () v: (operand 0) 1.500000\n"
                    "pid (1, 0, 0) idx () v: (operand 1) 1\n");
    tern_free(said);
    CHECK(tern_take_output(context) == NULL);
    tern_close(context);
}

TEST(loop_bounds_do_not_overflow) {
    static const char text[] = "func @loop(%out: ptr<i32>) {\n"
                               "  %low = constant 2147483640 : i32\n"
                               "  %high = constant 2147483647 : i32\n"
                               "  %step = constant 3 : i32\n"
                               "  %zero = constant 0 : i32\n"
                               "  %one = constant 1 : i32\n"
                               "  %n = for %low, %high, %step, %zero {unsigned = 0, stages = 0} : "
                               "i32 (%i: i32, %c: i32) {\n"
                               "    %d = add %c, %one : i32\n"
                               "    yield %d\n"
                               "  }\n"
                               "  store %out, %n\n"
                               "  yield\n"
                               "}\n";
    if (!begin()) return;
    int32_t n = 0;
    tern_buffer *buffers[] = {buffer_of(&n, 4)};
    CHECK(launched(text, 1, 1, buffers) == TERN_OK);
    tern_read(buffers[0], 0, &n, 4);
    CHECK(n == 3); /* 2147483640, 43, 46 */
    tern_close(context);
}

/* ---- folds along each axis ----
 *
 * Of pairs (a, b) that stand for x -> a * x + b: to apply one after the other is associative, and
 * order shows. `branches`: the region has an if, and runs pair by pair. */

static const int fold_shape[3] = {2, 4, 8};

static tern_kernel *fold_kernel(const char *op, int axis, bool branches) {
    char text[4096], result[64] = "";
    bool is_scan = op[0] == 's';
    int sizes[3], rank = 0, lanes = 64;
    for (int d = 0; d < 3; d++)
        if (is_scan || d != axis) sizes[rank++] = fold_shape[d];
    if (!is_scan) lanes /= fold_shape[axis];
    for (int d = 0; d < rank; d++) sprintf(result + strlen(result), "%dx", sizes[d]);
    snprintf(text, sizeof text,
             "func @fold(%%x: ptr<i32>, %%y: ptr<i32>, %%o: ptr<i32>, %%q: ptr<i32>) {\n"
             "  %%i = arange {start = 0, end = 64} : tile<64xi32>\n"
             "  %%xs = splat %%x : tile<64xptr<i32>>\n  %%ys = splat %%y : tile<64xptr<i32>>\n"
             "  %%xp = addptr %%xs, %%i : tile<64xptr<i32>>\n"
             "  %%yp = addptr %%ys, %%i : tile<64xptr<i32>>\n"
             "  %%xv = load %%xp : tile<64xi32>\n  %%yv = load %%yp : tile<64xi32>\n"
             "  %%a = reshape %%xv : tile<2x4x8xi32>\n  %%b = reshape %%yv : tile<2x4x8xi32>\n"
             "  %%r, %%s = %.6s %%a, %%b {axis = %d%s} : tile<%si32>, tile<%si32> "
             "(%%la: i32, %%lb: i32, %%ra: i32, %%rb: i32) {\n"
             "    %%both = mul %%la, %%ra : i32\n    %%moved = mul %%lb, %%ra : i32\n"
             "    %%sum = add %%moved, %%rb : i32\n%s"
             "  }\n"
             "  %%rf = reshape %%r : tile<%dxi32>\n  %%sf = reshape %%s : tile<%dxi32>\n"
             "  %%j = arange {start = 0, end = %d} : tile<%dxi32>\n"
             "  %%os = splat %%o : tile<%dxptr<i32>>\n  %%qs = splat %%q : tile<%dxptr<i32>>\n"
             "  %%op = addptr %%os, %%j : tile<%dxptr<i32>>\n"
             "  %%qp = addptr %%qs, %%j : tile<%dxptr<i32>>\n"
             "  store %%op, %%rf\n  store %%qp, %%sf\n  yield\n}\n",
             is_scan ? "scan" : "reduce", axis,
             !is_scan       ? ""
             : op[4] == '-' ? ", reverse = 1"
                            : ", reverse = 0",
             result, result,
             branches
                 ? "    %zero = constant 0 : i32\n"
                   "    %odd = icmp %la, %zero {predicate = ne} : i1\n"
                   "    %way = if %odd : i32 {\n      yield %sum\n    } {\n      yield %rb\n    }\n"
                   "    yield %both, %way\n"
                 : "    yield %both, %sum\n",
             lanes, lanes, lanes, lanes, lanes, lanes, lanes, lanes);
    return compiled(text);
}

static void check_fold(const char *op, int axis, bool branches) {
    uint32_t x[64], y[64], r[64] = {0}, s[64] = {0};
    for (uint32_t i = 0; i < 64; i++) x[i] = 2 * i * i + 3, y[i] = 0x9e3779b9u * (i + 1);
    bool is_scan = op[0] == 's', reverse = op[4] == '-';
    tern_buffer *buffers[] = {buffer_of(x, sizeof x), buffer_of(y, sizeof y),
                              buffer_of(r, sizeof r), buffer_of(s, sizeof s)};
    tern_kernel *kernel = fold_kernel(op, axis, branches);
    if (!kernel) return;
    tern_argument arguments[4];
    for (int i = 0; i < 4; i++) arguments[i] = tern_arg_buffer(buffers[i]);
    CHECK(tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, 4) == TERN_OK);
    tern_read(buffers[2], 0, r, sizeof r), tern_read(buffers[3], 0, s, sizeof s);
    int inner = axis == 0 ? 32 : axis == 1 ? 8 : 1, length = fold_shape[axis], wrong = 0;
    for (int row = 0; row < 64 / length; row++) { /* the other two indices, row-major */
        int start = row / inner * inner * length + row % inner;
        uint32_t a = 0, b = 0;
        for (int k = 0; k < length; k++) {
            int at = start + (reverse ? length - 1 - k : k) * inner;
            b = k ? b * x[at] + y[at] : y[at], a = k ? a * x[at] : x[at];
            if (is_scan) wrong += r[at] != a || s[at] != b;
        }
        if (!is_scan) wrong += r[row] != a || s[row] != b;
    }
    CHECK(wrong == 0);
    if (wrong) printf("%s along %d, %d wrong\n", op, axis, wrong);
}

TEST(folds_of_two_along_each_axis) {
    static const char *const ops[] = {"reduce", "scan", "scan-"};
    if (!begin()) return;
    for (int k = 0; k < 3; k++)
        for (int axis = 0; axis < 3; axis++)
            for (int branches = 0; branches < 2; branches++) check_fold(ops[k], axis, branches);
    tern_close(context);
}

/* 16 tiles at once, and one more. */
static void fold_many(const char *op, const char *attribute, const char *type, const char *store,
                      int tiles, tern_status want) {
    Arena *arena = arena_new(NULL);
    Buf text = {.arena = arena};
    buf_puts(&text,
             "func @many(%y: ptr<i32>) {\n  %i = arange {start = 0, end = 4} : tile<4xi32>\n");
    for (int k = 0; k < tiles; k++) buf_printf(&text, "%s%%r%d", k ? ", " : "  ", k);
    buf_printf(&text, " = %s ", op);
    for (int k = 0; k < tiles; k++) buf_printf(&text, "%s%%i", k ? ", " : "");
    buf_printf(&text, " {axis = 0%s} : ", attribute);
    for (int k = 0; k < tiles; k++) buf_printf(&text, "%s%s", k ? ", " : "", type);
    for (int k = 0; k < 2 * tiles; k++) buf_printf(&text, "%s%%a%d: i32", k ? ", " : " (", k);
    buf_puts(&text, ") {\n    yield ");
    for (int k = 0; k < tiles; k++) buf_printf(&text, "%s%%a%d", k ? ", " : "", k + tiles);
    buf_printf(&text, "\n  }\n%s  yield\n}\n", store);
    int32_t zeros[4] = {0};
    tern_buffer *buffers[] = {buffer_of(zeros, sizeof zeros)};
    CHECK(launched(text.data, 1, 1, buffers) == want);
    if (want)
        CHECK(strstr(tern_message(context),
                     str_format(arena, "%s of more than 16 tiles at once", op).data));
    arena_free(arena);
}

TEST(folds_of_many_tiles) {
    static const char one[] = "  store %y, %r0\n",
                      row[] = "  %ys = splat %y : tile<4xptr<i32>>\n"
                              "  %yp = addptr %ys, %i : tile<4xptr<i32>>\n  store %yp, %r0\n";
    if (!begin()) return;
    fold_many("reduce", "", "i32", one, 16, TERN_OK);
    fold_many("reduce", "", "i32", one, 17, TERN_ERROR_UNSUPPORTED);
    fold_many("scan", ", reverse = 0", "tile<4xi32>", row, 16, TERN_OK);
    fold_many("scan", ", reverse = 0", "tile<4xi32>", row, 17, TERN_ERROR_UNSUPPORTED);
    tern_close(context);
}

TEST(prints_say_sign_and_place) {
    static const char text[] = "func @show(%x: ptr<i8>, %y: ptr<f64>) {\n"
                               "  %v = load %x : i8\n"
                               "  %s = splat %v : tile<1x2xi8>\n"
                               "  print %s, %s, %v {text = \" s: \", hex = 0, unsigned_mask = 2}\n"
                               "  print %v, %x {text = \" h: \", hex = 1, unsigned_mask = 0}\n"
                               "  %w = load %y : f64\n"
                               "  print %w {text = \" w: \", hex = 0, unsigned_mask = 0}\n"
                               "  print {text = \" here\", hex = 0, unsigned_mask = 0}\n"
                               "  %r = arange {start = 0, end = 16} : tile<16xi32>\n"
                               "  %g = reshape %r : tile<1x16x1xi32>\n"
                               "  print %g {text = \" \", hex = 0, unsigned_mask = 0}\n"
                               "  yield\n"
                               "}\n";
    if (!begin()) return;
    signed char x = -3;
    double y = -2.25e10;
    char want[2048];
    tern_buffer *buffers[] = {buffer_of(&x, 1), buffer_of(&y, 8)};
    CHECK(launched(text, 1, 2, buffers) == TERN_OK);
    char *said = tern_take_output(context);
    snprintf(
        want, sizeof want,
        "pid (0, 0, 0) idx (0, 0) s: (operand 0) -3\npid (0, 0, 0) idx (0, 1) s: (operand 0) -3\n"
        "pid (0, 0, 0) idx (0, 0) s: (operand 1) 253\npid (0, 0, 0) idx (0, 1) s: (operand 1) "
        "253\n"
        "pid (0, 0, 0) idx () s: (operand 2) -3\n"
        "pid (0, 0, 0) idx () h: (operand 0) 0xfd\n"
        "pid (0, 0, 0) idx () h: (operand 1) 0x%016llx\n"
        "pid (0, 0, 0) idx () w: -22500000000.000000\npid (0, 0, 0) here\n",
        (unsigned long long)(uintptr_t)tern_buffer_pointer(buffers[0]));
    for (int i = 0; i < 16; i++)
        sprintf(want + strlen(want), "pid (0, 0, 0) idx (0, %2d, 0) %d\n", i, i);
    CHECK_STR(said, want);
    tern_free(said);
    tern_close(context);
}

TEST_MAIN()
