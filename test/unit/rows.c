// SPDX-License-Identifier: Apache-2.0
/* What is put by in pieces comes back as it was, after the memory that it was loaded from is
 * another; what was not put by is said. */
#include "api/context.h"
#include "test.h"

enum { PIECES = 4, LANES = 128, COUNT_ALL = PIECES * LANES, MOST_BYTES = 8 };

/* The text of test/ir/row.tir with some words replaced by others; NULL: it is not here. */
static char *text_of(Arena *arena, const char *word, const char *by) {
    Str text, why;
    Buf out = {.arena = arena};
    if (!file_read(arena, "test/ir/row.tir", 1 << 20, &text, &why)) return NULL;
    for (int i = 0; i < text.length;) {
        bool here = !strncmp(text.data + i, word, strlen(word));
        buf_puts(&out, here ? by : (char[]){text.data[i], 0});
        i += here ? (int)strlen(word) : 1;
    }
    return out.data;
}

/* Runs it on bytes; what is said, which lives as long as the context. */
static const char *run(tern_context *context, const char *text, int num_warps, unsigned char *data,
                       size_t bytes) {
    tern_kernel *kernel = kernel_from_ir(context, text, &(tern_options){.num_warps = num_warps});
    if (!kernel) return tern_message(context);
    tern_buffer *buffer = tern_alloc(context, bytes);
    tern_write(buffer, 0, data, bytes);
    tern_argument arguments[] = {tern_arg_buffer(buffer), tern_arg_int(LANES)};
    bool runs = tern_launch(NULL, kernel, (uint32_t[]){1, 1, 1}, arguments, 2) == TERN_OK;
    tern_read(buffer, 0, data, bytes);
    return runs ? "" : tern_message(context);
}

static tern_context *opened(const char *device) {
    tern_status status;
    return tern_open(&(tern_open_options){.device = device, .cache_dir = ""}, &status, NULL, 0);
}

static void check_type(const char *device, int num_warps, const char *type, int size) {
    static unsigned char data[COUNT_ALL * MOST_BYTES], before[COUNT_ALL * MOST_BYTES];
    size_t bytes = (size_t)COUNT_ALL * (size_t)size, piece = (size_t)LANES * (size_t)size;
    Arena *arena = arena_new(NULL);
    const char *text = text_of(arena, "f32", type);
    tern_context *context = opened(device);
    for (size_t i = 0; i < bytes; i++) data[i] = before[i] = (unsigned char)((i * 167 + 13) >> 2);
    if (text) {
        CHECK_STR(run(context, text, num_warps, data, bytes), "");
        for (size_t k = 0; k < PIECES; k++)
            CHECK(!memcmp(data + k * piece, before + (PIECES - 1 - k) * piece, piece));
    } else {
        SKIP("run from the project's folder");
    }
    tern_close(context);
    arena_free(arena);
}

TEST(a_row_comes_back) {
    static const char *const devices[] = {"interp", "sim:t4", "sim:h100"};
    for (int d = 0; d < COUNT(devices); d++)
        for (int warps = 1; warps <= 8; warps *= 2) {
            check_type(devices[d], warps, "f32", 4);
            check_type(devices[d], warps, "i8", 1);
            check_type(devices[d], warps, "f16", 2);
            check_type(devices[d], warps, "i64", 8);
        }
}

static void check_said(const char *device, const char *word, const char *by, const char *want) {
    static unsigned char data[COUNT_ALL * 4];
    Arena *arena = arena_new(NULL);
    const char *text = text_of(arena, word, by);
    tern_context *context = opened(device);
    if (text) {
        const char *said = run(context, text, 4, data, sizeof data);
        if (!strstr(said, want)) printf("%s\n", said);
        CHECK(strstr(said, want));
    } else {
        SKIP("run from the project's folder");
    }
    tern_close(context);
    arena_free(arena);
}

TEST(what_is_not_there_is_said) {
    check_said("interp", "%other = sub %three", "%other = sub %four", "piece 4 of a row of 4");
    check_said("interp", "for %zero, %four, %one (%k:", "for %one, %four, %one (%k:",
               "piece 0 is fetched before it is put by");
    check_said("interp", "fetch %other {row = 3", "fetch %other {row = 2",
               "piece 3 is fetched before it is put by");
    check_said("sim:h100", "pieces = 4", "pieces = 600000", "bytes of local memory");
}

TEST_MAIN()
