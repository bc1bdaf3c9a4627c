// SPDX-License-Identifier: Apache-2.0
/* Rings in the interpreter: kernels that copy ahead give what they would without (expected values
 * are computed here, in C), and a wrong order that only data decides is found, in words. */
#include "api/context.h"
#include "test.h"

static tern_context *context;
static char words[4096];

/* An odd seed: fills copy when their turn is made ready; an even one: at once. */
static bool begin(uint64_t seed) {
    tern_status status;
    context =
        tern_open(&(tern_open_options){.device = "interp", .cache_dir = "", .order_seed = seed},
                  &status, words, sizeof words);
    CHECK(context && status == TERN_OK);
    return context != NULL;
}

static tern_buffer *buffer_of(const void *data, size_t size) {
    tern_buffer *buffer = tern_alloc(context, size);
    tern_write(buffer, 0, data, size);
    return buffer;
}

static tern_kernel *compiled(const char *text) {
    tern_kernel *kernel = kernel_from_ir(context, text, &(tern_options){.debug = true});
    if (!kernel) printf("%s\n", tern_message(context));
    CHECK(kernel);
    return kernel;
}

/* The text of a file with one word replaced by another, wherever it stands. */
static char *text_of(Arena *arena, const char *path, const char *word, const char *by) {
    Str text, why;
    Buf out = {.arena = arena};
    if (!file_read(arena, path, 1 << 20, &text, &why)) return NULL;
    for (int i = 0; i < text.length;) {
        bool here = !strncmp(text.data + i, word, strlen(word));
        buf_puts(&out, here ? by : (char[]){text.data[i], 0});
        i += here ? (int)strlen(word) : 1;
    }
    return out.data;
}

enum { SIZE = 16, MOST_TURNS = 9, MOST_K = SIZE * MOST_TURNS };

static uint16_t half_of(int number) { /* a small integer */
    return (uint16_t)float_encode(FLOAT_F16, number, FLOAT_NEAREST_EVEN);
}

/* Integers, so that sums are exact in any order. */
static void check_matmul(const char *text, int turns) {
    static uint16_t a[SIZE * MOST_K + 1], b[MOST_K * SIZE + 1];
    float c[SIZE * SIZE];
    int k = SIZE * turns;
    for (int i = 0; i < SIZE * k; i++) a[i] = half_of(i * 7 % 11 - 5), b[i] = half_of(i % 13 - 6);
    for (int i = 0; i < SIZE * SIZE; i++) c[i] = -1;
    tern_buffer *ba = buffer_of(a, sizeof *a * (size_t)(SIZE * k + 1));
    tern_buffer *bb = buffer_of(b, sizeof *b * (size_t)(SIZE * k + 1)),
                *bc = buffer_of(c, sizeof c);
    tern_kernel *kernel = compiled(text);
    tern_argument arguments[] = {tern_arg_buffer(ba), tern_arg_buffer(bb), tern_arg_buffer(bc),
                                 tern_arg_int(turns)};
    tern_status status =
        kernel ? tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, 4) : TERN_OK;
    if (status) printf("%s\n", tern_message(context));
    CHECK(kernel && status == TERN_OK);
    tern_read(bc, 0, c, sizeof c);
    int wrong = 0;
    for (int row = 0; row < SIZE; row++) {
        for (int column = 0; column < SIZE; column++) {
            int sum = 0;
            for (int i = 0; i < k; i++)
                sum += ((row * k + i) * 7 % 11 - 5) * ((i * SIZE + column) % 13 - 6);
            wrong += c[row * SIZE + column] != (float)sum;
        }
    }
    CHECK(wrong == 0);
}

TEST(a_pipelined_product_is_the_product) {
    static const struct {
        const char *stages, *ahead;
    } rows[] = {
        {"stages = 2", "%ahead = constant 1"},
        {"stages = 3", "%ahead = constant 2"},
        {"stages = 4", "%ahead = constant 3"},
        {"stages = 5", "%ahead = constant 2"}, /* buffers to spare */
        {"stages = 2", "%ahead = constant 2"}, /* into the buffer released just before */
    };
    for (uint64_t seed = 2; seed < 4; seed++) {
        for (int i = 0; i < COUNT(rows); i++) {
            if (!begin(seed)) return;
            Arena *arena = arena_new(NULL);
            const char *path = "test/ir/ring_matmul.tir";
            char *text = text_of(arena, path, "stages = 3", rows[i].stages);
            if (!text) {
                SKIP("run from the project's folder");
                return;
            }
            Buf out = {.arena = arena};
            char *ahead = strstr(text, "%ahead = constant 2");
            buf_add(&out, text, (size_t)(ahead - text));
            buf_printf(&out, "%s%s", rows[i].ahead, ahead + strlen("%ahead = constant 2"));
            for (int turns = 0; turns <= MOST_TURNS; turns++) check_matmul(out.data, turns);
            arena_free(arena);
            tern_close(context);
        }
    }
}

TEST(a_turn_is_filled_under_a_mask_and_put) {
    enum { N = 150, ALL = 192 };
    for (uint64_t seed = 2; seed < 4; seed++) {
        if (!begin(seed)) return;
        Arena *arena = arena_new(NULL);
        char *text = text_of(arena, "test/ir/ring_copy.tir", "?", "?");
        float x[N], y[ALL], after[ALL];
        for (int i = 0; i < N; i++) x[i] = 0.25f * (float)i;
        for (int i = 0; i < ALL; i++) y[i] = -1;
        tern_buffer *bx = buffer_of(x, sizeof x), *by = buffer_of(y, sizeof y);
        tern_kernel *kernel = text ? compiled(text) : NULL;
        tern_argument arguments[] = {tern_arg_buffer(bx), tern_arg_buffer(by), tern_arg_int(N),
                                     tern_arg_int(3)};
        CHECK(kernel && tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, 4) == TERN_OK);
        CHECK(tern_read(by, 0, after, sizeof after) == TERN_OK);
        for (int i = 0; i < ALL; i++) CHECK(after[i] == (float)i + (i < N ? x[i] : 0.5f));
        /* A lane that strays in a fill is named. */
        arguments[2] = tern_arg_int(N + 1);
        CHECK(kernel &&
              tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, 4) == TERN_ERROR_KERNEL);
        CHECK(strstr(tern_message(context), "fill of 4 bytes outside the buffer of 'x'"));
        CHECK(strstr(tern_message(context), "lane [22]"));
        arena_free(arena);
        tern_close(context);
    }
}

/* The block of doc/ir.md that is indented behind the marker. */
static const char *documented(Arena *arena) {
    Str text, why;
    Buf out = {.arena = arena};
    if (!file_read(arena, "doc/ir.md", 1 << 20, &text, &why)) return NULL;
    const char *at = strstr(text.data, "<!-- ring example");
    for (at = at ? strchr(at, '\n') + 1 : ""; !strncmp(at, "    ", 4); at = strchr(at, '\n') + 1)
        buf_printf(&out, "%.*s", (int)(strchr(at, '\n') + 1 - at) - 4, at + 4);
    return out.data;
}

TEST(the_document_is_right) {
    enum { MOST = 5, SIZE_A_TURN = 64 };
    for (uint64_t seed = 2; seed < 4; seed++) {
        if (!begin(seed)) return;
        Arena *arena = arena_new(NULL);
        const char *text = documented(arena);
        float x[MOST * SIZE_A_TURN], y[SIZE_A_TURN];
        for (int i = 0; i < COUNT(x); i++) x[i] = (float)(i % 97);
        for (int turns = 0; text && turns <= MOST; turns++) {
            tern_buffer *bx = buffer_of(x, sizeof x), *by = buffer_of(y, sizeof y);
            tern_kernel *kernel = compiled(text);
            tern_argument arguments[] = {tern_arg_buffer(bx), tern_arg_buffer(by),
                                         tern_arg_int(turns)};
            CHECK(kernel &&
                  tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, 3) == TERN_OK);
            CHECK(tern_read(by, 0, y, sizeof y) == TERN_OK);
            for (int i = 0; i < SIZE_A_TURN; i++) {
                int sum = 0;
                for (int k = 0; k < turns; k++) sum += (k * SIZE_A_TURN + i) % 97;
                CHECK(y[i] == (float)sum);
            }
        }
        if (!text) SKIP("run from the project's folder");
        arena_free(arena);
        tern_close(context);
    }
}

#define HEAD                                                                                       \
    "func @f(%x: ptr<i32>, %y: ptr<i32>, %zero: i32, %one: i32, %two: i32) {\n"                    \
    "  %i = arange {start = 0, end = 4} : tile<4xi32>\n"                                           \
    "  %xs = splat %x : tile<4xptr<i32>>\n"                                                        \
    "  %xp = addptr %xs, %i : tile<4xptr<i32>>\n"                                                  \
    "  %ys = splat %y : tile<4xptr<i32>>\n"                                                        \
    "  %yp = addptr %ys, %i : tile<4xptr<i32>>\n"                                                  \
    "  %below = constant -1 : i32\n"                                                               \
    "  %c0 = constant 0 : i32\n"                                                                   \
    "  %c1 = constant 1 : i32\n"                                                                   \
    "  %no = icmp %zero, %c0 {predicate = ne} : i1\n"                                              \
    "  %r = ring {stages = 2} : ring<tile<4xi32>, tile<4xi32>>\n"
#define FILL(turn)                                                                                 \
    "  acquire %r, " turn "\n  fill %r, " turn ", %xp {part = 0}\n"                                \
    "  fill %r, " turn ", %xp {part = 1}\n"
#define END "  yield\n}\n"

/* x is 1 2 3 4, y 5 6 7 8, %zero is 0 and so on: the verifier does not know. */
static tern_status run(const char *text, int32_t *y) {
    const int32_t x[] = {1, 2, 3, 4}, other[] = {5, 6, 7, 8};
    tern_buffer *bx = buffer_of(x, sizeof x), *by = buffer_of(other, sizeof other);
    tern_kernel *kernel = compiled(text);
    tern_argument arguments[] = {tern_arg_buffer(bx), tern_arg_buffer(by), tern_arg_int(0),
                                 tern_arg_int(1), tern_arg_int(2)};
    if (!kernel) return TERN_ERROR_COMPILE;
    tern_status status = tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, 5);
    if (y) tern_read(by, 0, y, sizeof other);
    return status;
}

TEST(what_only_data_decides_is_found) {
    static const struct {
        const char *text, *want;
    } rows[] = {
        {HEAD FILL("%c0") "ready %r, %zero\nrelease %r, %c0\n" END, NULL},
        {HEAD FILL("%zero") FILL("%c0") "ready %r, %c0\nrelease %r, %c0\n" END,
         "turn 0 of ring %r is acquired twice"},
        {HEAD FILL("%zero") FILL("%two") "ready %r, %two\nrelease %r, %two\n" END,
         "turn 2 of ring %r is acquired before turn 0, whose buffer it takes, is released"},
        {HEAD FILL("%two") "ready %r, %two\nrelease %r, %two\n" END,
         "turn 2 of ring %r is acquired, but its buffer was not yet that of turn 0"},
        {HEAD "%m = sub %zero, %one : i32\n" FILL("%m") "ready %r, %m\nrelease %r, %m\n" END,
         "turn -1 of ring %r is acquired: turns count from 0"},
        {HEAD "acquire %r, %zero\nfill %r, %one, %xp {part = 0}\n" FILL(
             "%c1") "ready %r, %zero\nrelease %r, %zero\n" END,
         "turn 1 of ring %r is filled before it is acquired"},
        {HEAD FILL("%zero")
             FILL("%one") "ready %r, %zero\nput %r, %c0, %i {part = 1}\n"
                          "release %r, %zero\nready %r, %one\nrelease %r, %one\n" END,
         "turn 0 of ring %r is filled after it was made ready"},
        {HEAD FILL("%zero") "ready %r, %zero\nrelease %r, %zero\nacquire %r, %two\n"
                            "fill %r, %two, %xp {part = 0}\nfill %r, %two, %xp {part = 1}\n"
                            "put %r, %zero, %i {part = 1}\n"
                            "ready %r, %two\nrelease %r, %two\n" END,
         "turn 0 of ring %r is filled after it was made ready"},
        {HEAD FILL("%zero") "put %r, %c0, %i {part = 1}\nready %r, %zero\nrelease %r, %zero\n" END,
         "turn 0 of ring %r is filled, but part 1 of it was filled before"},
        {HEAD "acquire %r, %zero\nput %r, %zero, %i {part = 0}\nacquire %r, %one\n"
              "put %r, %one, %i {part = 1}\nready %r, %c0\nrelease %r, %c0\n" END,
         "turn 0 of ring %r is made ready, but part 1 was never filled"},
        {HEAD "if %no {\n" FILL("%c0") "yield\n} {\nyield\n}\nready %r, %c0\nrelease %r, %c0\n" END,
         "turn 0 of ring %r is made ready before it is acquired"},
        {HEAD FILL("%zero") FILL("%one") "ready %r, %zero\nready %r, %c0\nrelease %r, %zero\n"
                                         "release %r, %one\n" END,
         "turn 0 of ring %r is made ready after it was made ready"},
        {HEAD FILL("%zero") FILL("%one") "ready %r, %one\n"
                                         "%p = peek %r, %zero {part = 0} : tile<4xi32>\nstore %yp, "
                                         "%p\nrelease %r, %one\n" END,
         "turn 0 of ring %r is peeked before it is made ready"},
        {HEAD FILL("%zero") FILL("%one") "ready %r, %one\nready %r, %zero\nrelease %r, %zero\n"
                                         "%p = peek %r, %c0 {part = 0} : tile<4xi32>\nstore %yp, "
                                         "%p\nrelease %r, %one\n" END,
         "turn 0 of ring %r is peeked after it was released"},
        {HEAD FILL("%zero")
             FILL("%one") "ready %r, %one\nrelease %r, %zero\nrelease %r, %one\n" END,
         "turn 0 of ring %r is released before it is made ready"},
        {HEAD FILL("%zero") FILL("%one") "ready %r, %one\nready %r, %zero\nrelease %r, %c1\n"
                                         "release %r, %one\nrelease %r, %zero\n" END,
         "turn 1 of ring %r is released after it was released"},
        {HEAD FILL("%zero") FILL("%one") "ready %r, %one\nrelease %r, %one\n" END,
         "turn 0 of ring %r is filled, but never made ready"},
        {HEAD FILL("%zero") FILL("%one") "ready %r, %one\nready %r, %zero\nrelease %r, %zero\n" END,
         "turn 1 of ring %r is never released"},
        {HEAD FILL("%zero") FILL(
             "%one") "ready %r, %one\nready %r, %zero\n"
                     "%p = peek %r, %c1 {part = 0} : tile<4xi32>\n%q = reshape %p : tile<2x2xi32>\n"
                     "release %r, %one\n%t = trans %q {order = [1, 0]} : tile<2x2xi32>\n"
                     "%u = reshape %t : tile<4xi32>\nstore %yp, %u\nrelease %r, %zero\n" END,
         "turn 1 of ring %r is read after it was released"},
        {HEAD FILL("%c0") "ready %r, %c0\nrelease %r, %c0\nrelease %r, %below\n" END, NULL},
    };
    for (uint64_t seed = 2; seed < 4; seed++) {
        for (int i = 0; i < COUNT(rows); i++) {
            if (!begin(seed)) return;
            tern_status status = run(rows[i].text, NULL);
            const char *want = rows[i].want;
            bool right = status == (want ? TERN_ERROR_KERNEL : TERN_OK) &&
                         (!want || strstr(tern_message(context), want));
            if (!right)
                printf("row %d: got %s\nwant %s\n", i, tern_message(context), want ? want : "fine");
            CHECK(right);
            tern_close(context);
        }
    }
}

/* What a fill reads may be read until ready: a kernel that overwrites it has no one result. */
TEST(a_fill_may_copy_at_once_or_late) {
    static const char text[] = HEAD FILL(
        "%c0") "store %xp, %i\nready %r, %c0\n%p = peek %r, %c0 {part = 0} : tile<4xi32>\n"
               "store %yp, %p\nrelease %r, %c0\n" END;
    for (uint64_t seed = 2; seed < 4; seed++) {
        int32_t y[4];
        if (!begin(seed)) return;
        CHECK(run(text, y) == TERN_OK);
        for (int i = 0; i < 4; i++) CHECK(y[i] == (seed & 1 ? i : i + 1));
        tern_close(context);
    }
}

/* A ring is new each time that its op is run, and gone when it was last named. */
TEST(a_ring_in_a_loop_is_new_in_each_turn) {
    static const char text[] =
        "func @f(%x: ptr<i32>, %y: ptr<i32>, %zero: i32, %one: i32, %two: i32) {\n"
        "  %i = arange {start = 0, end = 4} : tile<4xi32>\n"
        "  %ys = splat %y : tile<4xptr<i32>>\n"
        "  %yp = addptr %ys, %i : tile<4xptr<i32>>\n"
        "  for %zero, %two, %one (%k: i32) {\n"
        "    %r = ring {stages = 1} : ring<tile<4xi32>>\n"
        "    %c0 = constant 0 : i32\n"
        "    acquire %r, %c0\n    put %r, %c0, %i {part = 0}\n    ready %r, %c0\n"
        "    %v = peek %r, %c0 {part = 0} : tile<4xi32>\n"
        "    %old = load %yp : tile<4xi32>\n"
        "    %new = add %old, %v : tile<4xi32>\n"
        "    store %yp, %new\n"
        "    release %r, %c0\n"
        "    yield\n  }\n  yield\n}\n";
    int32_t y[4];
    if (!begin(2)) return;
    CHECK(run(text, y) == TERN_OK);
    for (int i = 0; i < 4; i++) CHECK(y[i] == 5 + i + 2 * i);
    tern_close(context);
}

TEST_MAIN()
