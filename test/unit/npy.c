// SPDX-License-Identifier: Apache-2.0
/* .npy files: what NumPy writes is read, what is broken is refused in words, nothing crashes. */
#include "api/npy.h"
#include "base/source.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Where a test asks for it, every other call is interrupted, and the rest move a byte or two. */
static bool in_parts;
static int calls;
#pragma GCC visibility push(default)
static size_t part_of(size_t bytes) {
    if (!in_parts) return bytes;
    if (++calls % 2) return errno = EINTR, 0;
    return bytes < 2 ? bytes : (size_t)(1 + calls / 2 % 2);
}
ssize_t read(int file, void *to, size_t bytes) {
    size_t part = part_of(bytes);
    return part || !bytes ? syscall(SYS_read, file, to, part) : -1;
}
ssize_t write(int file, const void *from, size_t bytes) {
    size_t part = part_of(bytes);
    return part || !bytes ? syscall(SYS_write, file, from, part) : -1;
}
#pragma GCC visibility pop

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

/* ---- every type, order and rank, against where an element must be ---- */

static const struct {
    const char *code;
    tern_dtype dtype;
    int size;
} codes[] = {{"b1", TERN_BOOL, 1},    {"i1", TERN_INT8, 1},    {"i2", TERN_INT16, 2},
             {"i4", TERN_INT32, 4},   {"i8", TERN_INT64, 8},   {"u1", TERN_UINT8, 1},
             {"u2", TERN_UINT16, 2},  {"u4", TERN_UINT32, 4},  {"u8", TERN_UINT64, 8},
             {"f2", TERN_FLOAT16, 2}, {"f4", TERN_FLOAT32, 4}, {"f8", TERN_FLOAT64, 8}};

static const int64_t shapes[][TERN_MAX_RANK + 1] =
    {/* the rank first */
     {0},       {1, 1},       {1, 5},       {2, 2, 3},       {2, 3, 1},
     {2, 1, 4}, {3, 2, 3, 4}, {3, 4, 1, 2}, {4, 2, 3, 2, 2}, {8, 2, 1, 2, 1, 3, 1, 1, 2},
     {2, 0, 3}, {3, 2, 0, 2}};

/* Where the i-th element in rows lies when columns come first. */
static int64_t place_in_columns(const int64_t *shape, int64_t rank, int64_t i) {
    int64_t place = 0, index[TERN_MAX_RANK];
    for (int64_t d = rank - 1; d >= 0; d--) index[d] = i % shape[d], i /= shape[d];
    for (int64_t d = rank - 1; d >= 0; d--) place = place * shape[d] + index[d];
    return place;
}

static void check_layout(int code, int shape, bool fortran, char mark) {
    Fixture fixture = fixture_new();
    unsigned char bytes[512];
    const int64_t *sizes = shapes[shape] + 1, rank = shapes[shape][0];
    int64_t count = 1, size = codes[code].size;
    Buf header = {.arena = fixture.arena};
    buf_printf(&header, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (", mark, codes[code].code,
               fortran ? "True" : "False");
    for (int64_t d = 0; d < rank; d++)
        buf_printf(&header, "%lld,", (long long)sizes[d]), count *= sizes[d];
    buf_puts(&header, "), }\n");
    for (int i = 0; i < 512; i++) bytes[i] = (unsigned char)(i * 7 + 3);
    CHECK(read_text(&fixture, header.data, bytes, (size_t)(count * size)) == TERN_OK);
    const tern_array *got = &fixture.array;
    CHECK(got->dtype == codes[code].dtype && got->rank == rank && got->data);
    CHECK(got->size_bytes == (size_t)(count * size));
    for (int64_t d = 0; d < rank; d++) CHECK(got->shape[d] == sizes[d]);
    int wrong = 0;
    for (int64_t i = 0; i < count; i++)
        for (int64_t b = 0; b < size; b++) {
            int64_t from = fortran ? place_in_columns(sizes, rank, i) : i;
            int64_t byte = mark == '>' ? size - 1 - b : b;
            wrong += ((unsigned char *)got->data)[i * size + b] != bytes[from * size + byte];
        }
    CHECK(wrong == 0);
    if (wrong) printf("%s", header.data);
    fixture_free(&fixture);
}

TEST(each_type_in_each_order) {
    static const char marks[] = "<>=|";
    for (int code = 0; code < COUNT(codes); code++)
        for (int mark = 0; mark < 4; mark++) check_layout(code, 6, mark % 2, marks[mark]);
    for (int shape = 0; shape < COUNT(shapes); shape++)
        for (int how = 0; how < 4; how++) check_layout(how, shape, how % 2, marks[how / 2]);
}

TEST(headers_that_python_reads) {
    static const char *const good[] = {
        "{'descr':'<i2','fortran_order':False,'shape':(2,)}",
        "\t\n {\t'descr' :\n'<i2' , 'fortran_order' : False , 'shape' : ( 2 , ) , } \n\t ",
        "{'shape': (2), \"fortran_order\": True, 'descr': \"i2\"}",
        "{'shape': (2L,), 'fortran_order': False, 'descr': '<i2'}",
        "{'shape': (1, 2L), 'fortran_order': False, 'descr': '<i2',}",
        "{'shape': (2, 1,), 'fortran_order': False, 'descr': '<i2',}",
        "{'descr': '<f8', 'shape': (02,), 'fortran_order': False, 'descr': '<i2'}",
    };
    for (int i = 0; i < COUNT(good); i++) {
        Fixture fixture = fixture_new();
        int16_t data[2] = {-2, 300};
        CHECK(read_text(&fixture, good[i], data, 4) == TERN_OK);
        if (fixture.why.length) printf("%s\n", fixture.why.data);
        CHECK(fixture.array.data && !memcmp(fixture.array.data, data, 4));
        fixture_free(&fixture);
    }
}

TEST(headers_that_are_none) {
    static const char *const bad[] = {
        "'descr': '<i2', 'fortran_order': False, 'shape': (2,)}",
        "{'descr' '<i2', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<i2' 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<i2, 'fortran_order': False, 'shape': (2,)}",
        "{'descr': <i2, 'fortran_order': False, 'shape': (2,)}",
        "{'descr': , 'fortran_order': False, 'shape': (2,)}",
        "{descr: '<i2', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<i2\", 'fortran_order': False, 'shape': (2,)}",
        "{'de\\x73cr': '<i2', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<i2', 'fortran_order': Fals, 'shape': (2,)}",
        "{'descr': '<i2', 'fortran_order': , 'shape': (2,)}",
        "{'descr': '<i2', 'fortran_order': 0, 'shape': (2,)}",
        "{'descr': '<i2', 'fortran_order': False, 'shape': 2,)}",
        "{'descr': '<i2', 'fortran_order': False, 'shape': (2,}",
        "{'descr': '<i2', 'fortran_order': False, 'shape': (,)}",
        "{'descr': '<i2', 'fortran_order': False, 'shape': (2 2)}",
        "{'descr': '<i2', 'fortran_order': False, 'shape': (2,,)}",
        "{'descr': '<i2', 'fortran_order': False, 'shape': (2LL,)}",
        "{'descr': '<i2', 'fortran_order': False, 'shape': (2.0,)}",
        "{'descr': '<i2', 'fortran_order': False, 'shape': (/,)}",
        "{'descr': '<i2', 'fortran_order': False, 'shape': (:,)}",
        "{'descr': '<i2', 'fortran_order': False, 'shape': (9223372036854775808,)}",
        "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), 'more': 1}",
        "{'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<i2', 'shape': (2,)}",
        "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }}",
        "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), },",
        "{'descr",
        "{'descr'",
        "{'descr':",
        "{'descr': '",
        "{'descr': '<i2', 'fortran_order': F",
        "{'descr': '<i2', 'fortran_order': False, 'shape': (2",
    };
    for (int i = 0; i < COUNT(bad); i++) check_refused(bad[i], 4, not_header);
    check_refused("{'descr': '', 'fortran_order': False, 'shape': (2,)}", 4, "unknown type ''");
    check_refused("{'descr': '<', 'fortran_order': False, 'shape': (2,)}", 4, "unknown type '<'");
    check_refused("{'descr': '!i2', 'fortran_order': False, 'shape': (2,)}", 4,
                  "type '!i2' is not supported");
    check_refused("{'descr': '<i20', 'fortran_order': False, 'shape': (2,)}", 4,
                  "type '<i20' is not supported");
    check_refused("{'descr': '<i2', 'fortran_order': False, 'shape': (9223372036854775807,)}", 4,
                  "its shape is too large to address");
    check_refused("{'descr': '<i1', 'fortran_order': False, 'shape': (1152921504606846976,)}", 4,
                  "its shape is too large to address");
    check_refused("{'descr': '<i1', 'fortran_order': False, 'shape': (1152921504606846975,)}", 4,
                  "has 4 bytes of data, its header says 1152921504606846975");
}

/* Any file that is cut short is refused, wherever it is cut, in words. */
TEST(files_that_are_cut) {
    for (int version = 1; version <= 3; version++) {
        Fixture fixture = fixture_new();
        static const char header[] =
            "{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }   \n";
        int16_t data[3] = {5, -6, 7};
        size_t length = sizeof header - 1;
        Buf out = {.arena = fixture.arena};
        const char start[] = {'\x93',        'N', 'U',          'M', 'P', 'Y',
                              (char)version, 0,   (char)length, 0,   0,   0};
        buf_add(&out, start, version == 1 ? 10 : 12);
        buf_add(&out, header, length);
        size_t before = out.length;
        buf_add(&out, (const char *)data, sizeof data);
        for (size_t size = 0; size <= out.length + 1; size++) {
            fixture.why = (Str){0};
            char *bytes = arena_alloc(fixture.arena, out.length + 1);
            memcpy(bytes, out.data, out.length);
            CHECK(file_write(fixture.arena, fixture.path, bytes, size, &fixture.why));
            tern_status status =
                npy_read(fixture.arena, fixture.path, &fixture.array, &fixture.why);
            CHECK((status == TERN_OK) == (size == out.length));
            const char *want = size < 10            ? "not a .npy file"
                               : size < before      ? "is cut off in the header"
                               : size != out.length ? "bytes of data, its header says 6"
                                                    : NULL;
            CHECK(!want || strstr(fixture.why.data, want));
            CHECK(want || !memcmp(fixture.array.data, data, sizeof data));
            free(fixture.array.data), fixture.array.data = NULL;
        }
        fixture_free(&fixture);
    }
}

TEST(starts_that_are_none) {
    Fixture fixture = fixture_new();
    static const char header[] = "{'descr': '<i2', 'fortran_order': False, 'shape': (), }\nab";
    for (int i = 0; i < 8; i++)
        for (int by = 1; by < 256; by *= 3) {
            char bytes[10 + sizeof header] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0};
            bytes[8] = sizeof header - 3;
            memcpy(bytes + 10, header, sizeof header - 1);
            bytes[i] = (char)(bytes[i] ^ by);
            fixture.why = (Str){0};
            CHECK(file_write(fixture.arena, fixture.path, bytes, 9 + sizeof header, &fixture.why));
            bool fine =
                npy_read(fixture.arena, fixture.path, &fixture.array, &fixture.why) == TERN_OK;
            CHECK(fine == (i == 7)); /* the minor version says nothing */
            if (i == 6 && bytes[6] > 3)
                CHECK(strstr(fixture.why.data,
                             str_format(fixture.arena, "version %d.0 of .npy is not supported",
                                        (unsigned char)bytes[6])
                                 .data));
            free(fixture.array.data), fixture.array.data = NULL;
        }
    fixture_free(&fixture);
}

/* A header may have 64 KiB: with version 2, whose length has four bytes. */
TEST(long_headers) {
    for (size_t length = 65535; length <= 65537; length++) {
        Fixture fixture = fixture_new();
        static const char header[] = "{'descr': '|u1', 'fortran_order': False, 'shape': (), }";
        char *bytes = arena_alloc(fixture.arena, 12 + length + 1);
        memset(bytes, ' ', 12 + length);
        memcpy(bytes, "\x93NUMPY\x02\x00", 8);
        for (int i = 0; i < 4; i++) bytes[8 + i] = (char)(length >> 8 * i);
        memcpy(bytes + 12, header, sizeof header - 1);
        bytes[12 + length] = 9;
        CHECK(file_write(fixture.arena, fixture.path, bytes, 12 + length + 1, &fixture.why));
        fixture.why = (Str){0};
        bool fine = npy_read(fixture.arena, fixture.path, &fixture.array, &fixture.why) == TERN_OK;
        CHECK(fine == (length <= 65536));
        if (fine)
            CHECK(*(char *)fixture.array.data == 9);
        else
            CHECK(strstr(fixture.why.data, "a header of 65537 bytes is over the limit of 65536"));
        bytes[11] = 1; /* 16 MiB more */
        CHECK(file_write(fixture.arena, fixture.path, bytes, 12 + length + 1, &fixture.why));
        free(fixture.array.data);
        CHECK(npy_read(fixture.arena, fixture.path, &fixture.array, &fixture.why) != TERN_OK);
        CHECK(strstr(fixture.why.data, "is over the limit of 65536"));
        fixture_free(&fixture);
    }
}

/* ---- what is written, to the byte ---- */

TEST(written_headers) {
    static const struct {
        tern_dtype dtype;
        int rank;
        int64_t shape[3];
        const char *header;
    } rows[] = {
        {TERN_BOOL, 0, {0}, "{'descr': '|b1', 'fortran_order': False, 'shape': (), }"},
        {TERN_INT8, 1, {3}, "{'descr': '|i1', 'fortran_order': False, 'shape': (3,), }"},
        {TERN_INT16, 2, {2, 3}, "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3,), }"},
        {TERN_INT32,
         3,
         {1, 2, 3},
         "{'descr': '<i4', 'fortran_order': False, 'shape': (1, 2, 3,), }"},
        {TERN_INT64, 1, {1}, "{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }"},
        {TERN_UINT8, 1, {1}, "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }"},
        {TERN_UINT16, 1, {1}, "{'descr': '<u2', 'fortran_order': False, 'shape': (1,), }"},
        {TERN_UINT32, 1, {1}, "{'descr': '<u4', 'fortran_order': False, 'shape': (1,), }"},
        {TERN_UINT64, 1, {1}, "{'descr': '<u8', 'fortran_order': False, 'shape': (1,), }"},
        {TERN_FLOAT8E4M3, 1, {1}, "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }"},
        {TERN_FLOAT8E5M2, 1, {1}, "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }"},
        {TERN_FLOAT8E4B15, 1, {1}, "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }"},
        {TERN_FLOAT16, 1, {1}, "{'descr': '<f2', 'fortran_order': False, 'shape': (1,), }"},
        {TERN_BFLOAT16, 1, {1}, "{'descr': '<u2', 'fortran_order': False, 'shape': (1,), }"},
        {TERN_FLOAT32, 1, {1}, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }"},
        {TERN_FLOAT64, 1, {1}, "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }"},
        {TERN_INT8,
         3,
         {1000000, 1000000, 0},
         "{'descr': '|i1', 'fortran_order': False, 'shape': (1000000, 1000000, 0,), }"},
    };
    static const char data[64] = "the elements";
    for (int i = 0; i < COUNT(rows); i++) {
        Fixture fixture = fixture_new();
        tern_array out = {
            .dtype = rows[i].dtype, .rank = rows[i].rank, .data = (void *)(uintptr_t)data};
        int64_t count = 1;
        for (int d = 0; d < out.rank; d++) count *= out.shape[d] = rows[i].shape[d];
        out.size_bytes = (size_t)count * tern_dtype_size(out.dtype);
        CHECK(npy_write(fixture.arena, fixture.path, &out, &fixture.why) == TERN_OK);
        Str text = {0};
        CHECK(file_read(fixture.arena, fixture.path, 1 << 20, &text, &fixture.why));
        size_t header =
            (strlen(rows[i].header) + 1 + 10 + 63) / 64 * 64; /* the data is aligned to 64 */
        CHECK((size_t)text.length == header + out.size_bytes);
        CHECK(!memcmp(text.data, "\x93NUMPY\x01\x00", 8) && text.data[8] == (char)(header - 10) &&
              text.data[9] == 0);
        CHECK(!memcmp(text.data + 10, rows[i].header, strlen(rows[i].header)));
        for (size_t k = 10 + strlen(rows[i].header); k + 1 < header; k++)
            CHECK(text.data[k] == ' ');
        CHECK(text.data[header - 1] == '\n');
        CHECK(!memcmp(text.data + header, data, out.size_bytes));
        fixture_free(&fixture);
    }
}

TEST(a_pipe_is_written_to) {
    Fixture fixture = fixture_new();
    unlink(fixture.path);
    CHECK(mkfifo(fixture.path, 0600) == 0);
    int file = open(fixture.path, O_RDONLY | O_NONBLOCK);
    int16_t data[2] = {1, 2};
    char got[200];
    tern_array out = {.dtype = TERN_INT16, .rank = 1, .shape = {2}, .size_bytes = 4, .data = data};
    CHECK(npy_write(fixture.arena, fixture.path, &out, &fixture.why) == TERN_OK);
    CHECK(read(file, got, sizeof got) == 132 && !memcmp(got + 128, data, 4));
    close(file);
    CHECK(npy_read(fixture.arena, fixture.path, &fixture.array, &fixture.why) ==
          TERN_ERROR_ARGUMENT);
    CHECK(strstr(fixture.why.data, "not a regular file"));
    CHECK(npy_write(fixture.arena, "/dev/full", &out, &fixture.why) == TERN_ERROR_SYSTEM);
    CHECK_STR(fixture.why.data, "/dev/full: No space left on device");
    CHECK(npy_read(fixture.arena, "/nonexistent/x.npy", &fixture.array, &fixture.why) ==
          TERN_ERROR_SYSTEM);
    CHECK_STR(fixture.why.data, "/nonexistent/x.npy: No such file or directory");
    fixture_free(&fixture);
}

TEST(calls_are_interrupted_and_give_parts) {
    Fixture fixture = fixture_new();
    int16_t data[3] = {1, 2, -3};
    tern_array out = {.dtype = TERN_INT16, .rank = 1, .shape = {3}, .size_bytes = 6, .data = data};
    in_parts = true;
    CHECK(npy_write(fixture.arena, fixture.path, &out, &fixture.why) == TERN_OK);
    CHECK(npy_read(fixture.arena, fixture.path, &fixture.array, &fixture.why) == TERN_OK);
    in_parts = false;
    CHECK(calls > 130 && fixture.array.size_bytes == 6 && !memcmp(fixture.array.data, data, 6));
    unlink(fixture.path);
    CHECK(mkfifo(fixture.path, 0600) == 0);
    int file = open(fixture.path, O_RDONLY | O_NONBLOCK);
    char got[200];
    in_parts = true;
    CHECK(npy_write(fixture.arena, fixture.path, &out, &fixture.why) == TERN_OK);
    in_parts = false;
    CHECK(read(file, got, sizeof got) == 134 && !memcmp(got + 128, data, 6));
    close(file);
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
    free(fixture.array.data);
    /* A process may begin without a standard input: then the file is number 0. */
    int input = dup(0);
    CHECK(input > 0 && close(0) == 0);
    CHECK(npy_write(fixture.arena, "/dev/null", &out, &fixture.why) == TERN_OK);
    CHECK(npy_write(fixture.arena, fixture.path, &out, &fixture.why) == TERN_OK);
    CHECK(npy_read(fixture.arena, fixture.path, &fixture.array, &fixture.why) == TERN_OK);
    CHECK(open("/dev/null", O_RDONLY) == 0 && dup2(input, 0) == 0 && close(input) == 0);
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
