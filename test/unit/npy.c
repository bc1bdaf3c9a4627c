// SPDX-License-Identifier: Apache-2.0
/* .npy files: what NumPy writes is read, what is broken is refused in words, nothing crashes. */
#include "api/npy.h"
#include "base/source.h"
#include "test.h"
#include <unistd.h>

typedef struct Fixture {
    Arena *arena;
    char path[64];
    Str why;
    tern_array array;
} Fixture;

static Fixture fixture_new(void) {
    Fixture fixture = {.arena = arena_new(NULL), .path = "/tmp/tern-npy-XXXXXX"};
    int file = mkstemp(fixture.path);
    CHECK(file >= 0);
    close(file);
    return fixture;
}

static void fixture_free(Fixture *fixture) {
    free(fixture->array.data);
    unlink(fixture->path);
    arena_free(fixture->arena);
}

/* Writes version 1 with this header (padded or not does not matter) and data, then reads it. */
static tern_status read_text(Fixture *fixture, const char *header, const void *data,
                             size_t size_bytes) {
    Buf out = {.arena = fixture->arena};
    size_t length = strlen(header);
    buf_add(&out, "\x93NUMPY\x01\x00", 8);
    buf_putc(&out, (char)(length & 255)), buf_putc(&out, (char)(length >> 8));
    buf_puts(&out, header);
    buf_add(&out, data, size_bytes);
    CHECK(file_write(fixture->arena, fixture->path, out.data, out.length, &fixture->why));
    fixture->why = (Str){0};
    return npy_read(fixture->arena, fixture->path, &fixture->array, &fixture->why);
}

TEST(reads_rows) {
    Fixture fixture = fixture_new();
    float data[6] = {0, 1, 2, 3, 4, 5};
    CHECK(read_text(&fixture, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n",
                    data, 24) == TERN_OK);
    CHECK(fixture.array.dtype == TERN_FLOAT32 && fixture.array.rank == 2);
    CHECK(fixture.array.shape[0] == 2 && fixture.array.shape[1] == 3);
    CHECK(fixture.array.size_bytes == 24 && !memcmp(fixture.array.data, data, 24));
    fixture_free(&fixture);
}

TEST(reads_columns) {
    Fixture fixture = fixture_new();
    float data[6] = {0, 3, 1, 4, 2, 5}, want[6] = {0, 1, 2, 3, 4, 5};
    CHECK(read_text(&fixture, "{\"shape\": (2, 3), \"fortran_order\": True, \"descr\": \"<f4\"}\n",
                    data, 24) == TERN_OK);
    CHECK(!memcmp(fixture.array.data, want, 24));
    fixture_free(&fixture);
}

TEST(reads_big_endian) {
    Fixture fixture = fixture_new();
    unsigned char data[4] = {0x01, 0x02, 0x03, 0x04};
    uint16_t want[2] = {0x0102, 0x0304};
    CHECK(read_text(&fixture, "{'descr': '>u2', 'fortran_order': False, 'shape': (2,), }\n", data,
                    4) == TERN_OK);
    CHECK(!memcmp(fixture.array.data, want, 4));
    fixture_free(&fixture);
}

TEST(reads_scalars_and_nothing) {
    Fixture fixture = fixture_new();
    double one = 1.5;
    CHECK(read_text(&fixture, "{'descr': '<f8', 'fortran_order': False, 'shape': (), }\n", &one,
                    8) == TERN_OK);
    CHECK(fixture.array.rank == 0 && *(double *)fixture.array.data == 1.5);
    free(fixture.array.data);
    CHECK(read_text(&fixture,
                    "{'descr': '|b1', 'fortran_order': True, 'shape': (0, 9999999999), }\n", "",
                    0) == TERN_OK);
    CHECK(fixture.array.size_bytes == 0);
    fixture_free(&fixture);
}

static void check_refused(const char *header, size_t size_bytes, const char *words) {
    static const char zeros[64];
    Fixture fixture = fixture_new();
    CHECK(read_text(&fixture, header, zeros, size_bytes) != TERN_OK);
    Str wanted = str_format(fixture.arena, "%s: %s", fixture.path, words);
    CHECK_STR(str_c(fixture.arena, fixture.why), wanted.data);
    CHECK(fixture.array.data == NULL);
    fixture_free(&fixture);
}

static const char not_header[] =
    "not a header of .npy: expected {'descr': .., 'fortran_order': .., 'shape': ..}";

TEST(refuses_broken_headers) {
    check_refused("", 0, not_header);
    check_refused("{}", 0, not_header);
    check_refused("{'descr': '<f4', 'fortran_order': False}", 0, not_header);
    check_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)", 24, not_header);
    check_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} x", 24, not_header);
    check_refused("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2, 3)}", 24, not_header);
    check_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3)}", 24, not_header);
    check_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", 24,
                  not_header);
    check_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}", 4,
                  not_header);
    check_refused(
        "{'descr': '<f4', 'fortran_order': False, 'shape': __import__('os').system('true')}", 24,
        not_header);
}

TEST(refuses_what_it_cannot_hold) {
    check_refused("{'descr': '|O', 'fortran_order': False, 'shape': (2,)}", 16,
                  "type '|O' is not supported");
    check_refused("{'descr': '<c8', 'fortran_order': False, 'shape': (2,)}", 16,
                  "type '<c8' is not supported");
    check_refused("{'descr': '<U4', 'fortran_order': False, 'shape': (2,)}", 16,
                  "type '<U4' is not supported");
    check_refused("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", 8,
                  "records ('descr' is a list) are not supported");
    check_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", 23,
                  "has 23 bytes of data, its header says 24");
    check_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", 25,
                  "has 25 bytes of data, its header says 24");
    check_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}", 8,
                  "its shape is too large to address");
}

TEST(refuses_other_files) {
    Fixture fixture = fixture_new();
    CHECK(npy_read(fixture.arena, fixture.path, &fixture.array, &fixture.why) ==
          TERN_ERROR_ARGUMENT);
    CHECK(npy_read(fixture.arena, "/", &fixture.array, &fixture.why) != TERN_OK);
    CHECK(npy_read(fixture.arena, "/nonexistent/x.npy", &fixture.array, &fixture.why) ==
          TERN_ERROR_SYSTEM);
    CHECK(file_write(fixture.arena, fixture.path, "\x93NUMPY\x02\x00\xff\xff\xff\xff", 12,
                     &fixture.why));
    CHECK(npy_read(fixture.arena, fixture.path, &fixture.array, &fixture.why) ==
          TERN_ERROR_ARGUMENT);
    CHECK(file_write(fixture.arena, fixture.path, "\x93NUMPY\x09\x00\x01\x00{", 11, &fixture.why));
    CHECK(npy_read(fixture.arena, fixture.path, &fixture.array, &fixture.why) ==
          TERN_ERROR_ARGUMENT);
    fixture_free(&fixture);
}

TEST(writes_what_it_reads) {
    Fixture fixture = fixture_new();
    int16_t data[6] = {-3, 1, 2, 3, 4, 5};
    tern_array out = {
        .dtype = TERN_INT16, .rank = 2, .shape = {3, 2}, .size_bytes = 12, .data = data};
    CHECK(npy_write(fixture.arena, fixture.path, &out, &fixture.why) == TERN_OK);
    CHECK(npy_read(fixture.arena, fixture.path, &fixture.array, &fixture.why) == TERN_OK);
    CHECK(fixture.array.dtype == TERN_INT16 && fixture.array.rank == 2 &&
          fixture.array.shape[0] == 3);
    CHECK(!memcmp(fixture.array.data, data, 12));
    CHECK(npy_write(fixture.arena, "/dev/full", &out, &fixture.why) == TERN_ERROR_SYSTEM);
    CHECK(npy_write(fixture.arena, "/nonexistent/x.npy", &out, &fixture.why) == TERN_ERROR_SYSTEM);
    fixture_free(&fixture);
}

/* The number that a file opened now would get. */
static int next_handle(void) {
    int handle = dup(0);
    close(handle);
    return handle;
}

TEST(files_are_closed) {
    Fixture fixture = fixture_new();
    int16_t data[2] = {1, 2};
    tern_array out = {.dtype = TERN_INT16, .rank = 1, .shape = {2}, .size_bytes = 4, .data = data};
    int before = next_handle();
    CHECK(npy_write(fixture.arena, fixture.path, &out, &fixture.why) == TERN_OK);
    CHECK(npy_read(fixture.arena, fixture.path, &fixture.array, &fixture.why) == TERN_OK);
    CHECK(npy_write(fixture.arena, "/dev/full", &out, &fixture.why) == TERN_ERROR_SYSTEM);
    CHECK(npy_write(fixture.arena, "/nonexistent/x.npy", &out, &fixture.why) == TERN_ERROR_SYSTEM);
    CHECK(next_handle() == before);
    fixture_free(&fixture);
}

/* The reader that is not ours. */
TEST(numpy_agrees) {
    Fixture fixture = fixture_new();
    if (system("python3 -c 'import numpy' >/dev/null 2>&1")) {
        SKIP("no python3 with NumPy");
    } else {
        float data[3] = {1, 2.5f, -3};
        char command[512];
        tern_array out = {
            .dtype = TERN_FLOAT32, .rank = 1, .shape = {3}, .size_bytes = 12, .data = data};
        CHECK(npy_write(fixture.arena, fixture.path, &out, &fixture.why) == TERN_OK);
        snprintf(
            command, sizeof command,
            "python3 -c \"import numpy as n; a = n.load('%s'); assert a.dtype == n.float32 and "
            "a.tolist() == [1, 2.5, -3]; n.save(open('%s', 'wb'), n.asfortranarray(n.arange(6, "
            "dtype='>i4').reshape(2, 3)))\"",
            fixture.path, fixture.path);
        CHECK(system(command) == 0);
        CHECK(npy_read(fixture.arena, fixture.path, &fixture.array, &fixture.why) == TERN_OK);
        for (int i = 0; fixture.array.data && i < 6; i++)
            CHECK(((int32_t *)fixture.array.data)[i] == i);
    }
    fixture_free(&fixture);
}

TEST_MAIN()
