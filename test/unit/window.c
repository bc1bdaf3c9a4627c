// SPDX-License-Identifier: Apache-2.0
/* Accesses on interp and sim are held against the buffer that the pointer comes from, and reads
 * against what was written. */
#include "test.h"

#include "tern.h"

static const char text[] = "import triton\n"
                           "import triton.language as tl\n"
                           "@triton.jit\n"
                           "def load_at(x, y, out, off):\n"
                           "    i = tl.arange(0, 4)\n"
                           "    tl.store(out + i, tl.load(x + off + i))\n"
                           "@triton.jit\n"
                           "def store_at(x, y, out, off):\n"
                           "    i = tl.arange(0, 4)\n"
                           "    tl.store(x + off + i, i)\n"
                           "@triton.jit\n"
                           "def add_at(x, y, out, off):\n"
                           "    i = tl.arange(0, 4)\n"
                           "    tl.atomic_add(x + off + i, i)\n"
                           "@triton.jit\n"
                           "def by_int(x, y, out, off):\n"
                           "    i = tl.arange(0, 4)\n"
                           "    p = (x.to(tl.int64) + off * 4).to(tl.pointer_type(tl.int32))\n"
                           "    tl.store(out + i, tl.load(p + i))\n"
                           "@triton.jit\n"
                           "def by_table(x, table, out, off):\n"
                           "    i = tl.arange(0, 4)\n"
                           "    p = tl.load(table).to(tl.pointer_type(tl.int32))\n"
                           "    tl.store(out + i, tl.load(p + off + i))\n"
                           "@triton.jit\n"
                           "def select(x, y, out, off):\n"
                           "    i = tl.arange(0, 4)\n"
                           "    p = x\n"
                           "    if off > 100:\n"
                           "        p = y\n"
                           "    tl.store(out + i, tl.load(p + off + i))\n"
                           "@triton.jit\n"
                           "def evens(x, y, out, off):\n"
                           "    i = tl.arange(0, 8)\n"
                           "    tl.store(x + off + 2 * i, i, mask=i < 5)\n"
                           "@triton.jit\n"
                           "def masked(x, y, out, off):\n"
                           "    i = tl.arange(0, 4)\n"
                           "    tl.store(out + i, tl.load(x + i, mask=i < off, other=7))\n";

static const char *const devices[] = {"interp", "sim"};
enum { ELEMENTS = 32 };

typedef struct Fixture {
    tern_context *context;
    tern_module *module;
    tern_buffer *x, *y, *out;
} Fixture;

static bool begin(Fixture *f, const char *device) {
    *f = (Fixture){.context = tern_open(&(tern_open_options){.device = device}, NULL, NULL, 0)};
    f->module = f->context ? tern_load_text(f->context, text, sizeof text - 1, "w.py") : NULL;
    f->x = f->module ? tern_alloc(f->context, ELEMENTS * 4) : NULL;
    f->y = f->module ? tern_alloc(f->context, ELEMENTS * 4) : NULL;
    f->out = f->module ? tern_alloc(f->context, ELEMENTS * 4) : NULL;
    CHECK(f->x && f->y && f->out);
    if (!f->out) return false;
    CHECK(!tern_fill(f->x, 1) && !tern_fill(f->y, 2) && !tern_fill(f->out, 3));
    return true;
}

static tern_status launch(Fixture *f, const char *name, const char *signature, int64_t offset) {
    tern_kernel *kernel = tern_compile(f->module, name, signature, NULL);
    CHECK(kernel);
    if (!kernel) return printf("%s\n", tern_message(f->context)), TERN_ERROR_COMPILE;
    const tern_argument arguments[] = {tern_arg_buffer(f->x), tern_arg_buffer(f->y),
                                       tern_arg_buffer(f->out), tern_arg_int(offset)};
    tern_status status = tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, 4);
    tern_kernel_free(kernel);
    return status;
}

/* Fails, and the message has these words. */
static void expect(Fixture *f, const char *name, int64_t offset, const char *words) {
    bool by_table = !strcmp(name, "by_table");
    tern_status status =
        launch(f, name, by_table ? "*i32,*i64,*i32,i64" : "*i32,*i32,*i32,i64", offset);
    bool found = strstr(tern_message(f->context), words) != NULL;
    CHECK(status == TERN_ERROR_KERNEL);
    CHECK(found);
    if (!found) printf("%s %s: %s\n", tern_device_name(f->context), name, tern_message(f->context));
}

static int64_t elements_between(const tern_buffer *from, const tern_buffer *to) {
    return ((const char *)tern_buffer_pointer(to) - (const char *)tern_buffer_pointer(from)) / 4;
}

TEST(the_right_buffer_is_named) {
    for (int d = 0; d < 2; d++) {
        Fixture f;
        if (!begin(&f, devices[d])) continue;
        static const char *const kernels[] = {"load_at", "store_at", "add_at", "by_int"};
        for (int k = 0; k < 4; k++) {
            CHECK(launch(&f, kernels[k], "*i32,*i32,*i32,i64", 28) == TERN_OK);
            expect(&f, kernels[k], 29,
                   "outside the buffer of 'x', which has 128 bytes: 128 bytes after its start, at "
                   "element 32 of 'x'");
            expect(&f, kernels[k], -2,
                   "outside the buffer of 'x', which has 128 bytes: 8 bytes before its start, at "
                   "element -2 of 'x'");
            /* Any wrong stride of 32 bits stays in the window. */
            expect(&f, kernels[k], INT32_MAX, "at element 2147483647 of 'x'");
            expect(&f, kernels[k], INT32_MIN, "at element -2147483648 of 'x'");
        }
        tern_close(f.context);
    }
}

/* An offset that leads exactly into another argument's memory. */
TEST(another_arguments_memory_is_not_ones_own) {
    Fixture f;
    if (!begin(&f, "interp")) return;
    int64_t there = elements_between(f.x, f.y);
    expect(&f, "load_at", there, "load of 4 bytes outside the buffer of 'x'");
    expect(&f, "store_at", there, "store of 4 bytes outside the buffer of 'x'");
    expect(&f, "add_at", there, "atomic of 4 bytes outside the buffer of 'x'");
    unsigned char bytes[ELEMENTS * 4];
    CHECK(!tern_read(f.y, 0, bytes, sizeof bytes));
    for (size_t i = 0; i < sizeof bytes; i++) CHECK(bytes[i] == 2);
    /* Where the pointer was an int, it may be any buffer's. */
    CHECK(launch(&f, "by_int", "*i32,*i32,*i32,i64", there) == TERN_OK);
    /* Of two arguments either: the window says which it is outside of. */
    expect(&f, "select", 101, "outside the buffer of 'y'");
    expect(&f, "select", 100, "outside the buffer of 'x'");
    tern_close(f.context);
}

TEST(pointers_from_memory) {
    for (int d = 0; d < 2; d++) {
        Fixture f;
        if (!begin(&f, devices[d])) continue;
        tern_buffer *hidden = tern_alloc(f.context, 64);
        CHECK(hidden && !tern_fill(hidden, 0));
        uint64_t to[] = {(uint64_t)(uintptr_t)tern_buffer_pointer(f.x),
                         (uint64_t)(uintptr_t)tern_buffer_pointer(hidden)};
        CHECK(!tern_write(f.y, 0, &to[0], 8));
        CHECK(launch(&f, "by_table", "*i32,*i64,*i32,i64", 28) == TERN_OK);
        expect(&f, "by_table", 30, "outside the buffer of 'x', which has 128 bytes");
        CHECK(!tern_write(f.y, 0, &to[1], 8));
        CHECK(launch(&f, "by_table", "*i32,*i64,*i32,i64", 12) == TERN_OK);
        expect(&f, "by_table", 1000,
               "outside a buffer that no argument is in, which has 64 bytes: 4000 bytes after");
        uint64_t nowhere = 64;
        CHECK(!tern_write(f.y, 0, &nowhere, 8));
        expect(&f, "by_table", 0, "at address 0x40, which is in no buffer");
        tern_close(f.context);
    }
}

TEST(what_nobody_wrote_is_not_read) {
    for (int d = 0; d < 2; d++) {
        Fixture f;
        if (!begin(&f, devices[d])) continue;
        CHECK(tern_forget(f.x, 40, 3) == TERN_OK); /* of element 10, all but one byte */
        expect(&f, "load_at", 9, "load of 4 bytes that nobody wrote: element 10 of 'x'");
        expect(&f, "add_at", 8, "atomic of 4 bytes that nobody wrote: element 10 of 'x'");
        expect(&f, "by_int", 7, "that nobody wrote: element 10 of 'x'");
        CHECK(launch(&f, "load_at", "*i32,*i32,*i32,i64", 11) == TERN_OK);
        CHECK(launch(&f, "store_at", "*i32,*i32,*i32,i64", 9) == TERN_OK);
        CHECK(launch(&f, "load_at", "*i32,*i32,*i32,i64", 9) == TERN_OK);
        /* Lanes that are masked off are not looked at. */
        CHECK(tern_forget(f.x, 12, 4) == TERN_OK);
        CHECK(launch(&f, "masked", "*i32,*i32,*i32,i64", 3) == TERN_OK);
        expect(&f, "masked", 4, "that nobody wrote: element 3 of 'x'");
        /* Fresh memory; the host's writes count, whatever they write. */
        tern_buffer_free(f.x);
        f.x = tern_alloc(f.context, ELEMENTS * 4);
        expect(&f, "load_at", 0, "that nobody wrote: element 0 of 'x'");
        static const unsigned char zeros[16];
        CHECK(f.x && !tern_write(f.x, 0, zeros, sizeof zeros));
        CHECK(launch(&f, "load_at", "*i32,*i32,*i32,i64", 0) == TERN_OK);
        expect(&f, "load_at", 1, "that nobody wrote: element 4 of 'x'");
        tern_close(f.context);
    }
}

TEST(written_is_what_was_written) {
    for (int d = 0; d < 2; d++) {
        Fixture f;
        if (!begin(&f, devices[d])) continue;
        unsigned char written[ELEMENTS * 4], again[7];
        CHECK(tern_forget(f.x, 0, sizeof written) == TERN_OK);
        CHECK(launch(&f, "evens", "*i32,*i32,*i32,i64", 3) == TERN_OK);
        CHECK(tern_written(f.x, 0, sizeof written, written) == TERN_OK);
        for (int i = 0; i < ELEMENTS * 4; i++) {
            int element = i / 4 - 3;
            CHECK(written[i] == (element >= 0 && element < 10 && element % 2 == 0));
        }
        for (size_t at = 0; at < 20; at++) { /* forgotten in any alignment, and nothing else */
            CHECK(!tern_fill(f.x, 0) && !tern_forget(f.x, at, 2 * at + 1));
            CHECK(!tern_written(f.x, 0, sizeof written, written));
            for (size_t i = 0; i < sizeof written; i++)
                CHECK(written[i] == (i < at || i >= 3 * at + 1));
            CHECK(!tern_written(f.x, at, sizeof again, again));
            CHECK(!memcmp(again, written + at, sizeof again));
        }
        CHECK(tern_written(f.x, 125, 4, written) == TERN_ERROR_ARGUMENT);
        CHECK(tern_forget(f.x, 125, 4) == TERN_ERROR_ARGUMENT);
        /* The user's own memory is not followed, and may be read. */
        int32_t own[ELEMENTS] = {0};
        tern_buffer_free(f.x);
        f.x = tern_wrap(f.context, own, sizeof own);
        CHECK(f.x && tern_written(f.x, 0, 4, written) == TERN_ERROR_UNSUPPORTED);
        CHECK(tern_forget(f.x, 0, 4) == TERN_OK);
        CHECK(launch(&f, "load_at", "*i32,*i32,*i32,i64", 0) == TERN_OK);
        tern_close(f.context);
    }
}

/* The user's own memory has no window: two buffers may touch. */
TEST(own_memory_that_touches) {
    for (int d = 0; d < 2; d++) {
        Fixture f;
        if (!begin(&f, devices[d])) continue;
        int32_t own[2 * ELEMENTS] = {0};
        tern_buffer_free(f.x);
        tern_buffer_free(f.y);
        f.x = tern_wrap(f.context, own, sizeof own / 2);
        f.y = tern_wrap(f.context, own + ELEMENTS, sizeof own / 2);
        CHECK(f.x && f.y && launch(&f, "load_at", "*i32,*i32,*i32,i64", 28) == TERN_OK);
        CHECK(launch(&f, "select", "*i32,*i32,*i32,i64", 0) == TERN_OK);
        if (d == 0) expect(&f, "load_at", 29, "outside the buffer of 'x', which has 128 bytes");
        tern_buffer *x = f.x; /* the one that begins where another ends */
        f.x = f.y;
        CHECK(launch(&f, "load_at", "*i32,*i32,*i32,i64", 0) == TERN_OK);
        f.x = x;
        tern_close(f.context);
    }
}

/* More buffers than wide windows have room for. */
TEST(many_buffers) {
    tern_context *context = tern_open(&(tern_open_options){.device = "interp"}, NULL, NULL, 0);
    if (!context) return;
    enum { COUNT_OF = 9000 };
    bool ok = true;
    for (int i = 0; i < COUNT_OF && ok; i++) {
        tern_buffer *buffer = tern_alloc(context, (size_t)i);
        ok = buffer && !tern_fill(buffer, 1);
    }
    CHECK(ok);
    tern_close(context);
}

TEST_MAIN()
