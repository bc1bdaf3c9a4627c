// SPDX-License-Identifier: Apache-2.0
/* npy: "\x93NUMPY", version, length of the header, and the header: a Python dict literal
 *
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (4, 781), }
 *
 * padded with spaces, then the elements. (numpy.lib.format.) The file is not trusted: the sizes it
 * claims are checked against its length before anything is allocated for them. */
#include "api/npy.h"
#include "base/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER_LIMIT = 64 << 10, MOST_WORDS = 5000 }; /* NumPy's own limit is 10,000 bytes */

/* ---- the header ---- */

/* No arena: where memory runs out in one, an open file would stay open. */
typedef struct Header {
    char text[HEADER_LIMIT], words[MOST_WORDS];
    const char *at, *end;
    Str descr;
    bool fortran, big_endian, have_descr, have_fortran, have_shape;
    tern_array *array;
} Header;

static bool complain(Header *header, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool complain(Header *header, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(header->words, MOST_WORDS, format, args);
    va_end(args);
    return false;
}

static void skip_space(Header *header) {
    while (header->at < header->end &&
           (*header->at == ' ' || *header->at == '\n' || *header->at == '\t'))
        header->at++;
}

static bool take(Header *header, char c) {
    skip_space(header);
    if (header->at == header->end || *header->at != c) return false;
    header->at++;
    return true;
}

static bool take_word(Header *header, const char *word) {
    size_t length = strlen(word);
    skip_space(header);
    if ((size_t)(header->end - header->at) < length || memcmp(header->at, word, length))
        return false;
    header->at += length;
    return true;
}

static bool take_string(Header *header, Str *text) {
    char quote = take(header, '\'') ? '\'' : take(header, '"') ? '"' : 0;
    if (!quote) return false;
    text->data = header->at;
    while (header->at < header->end && *header->at != quote && *header->at != '\\') header->at++;
    text->length = (int)(header->at - text->data);
    return header->at < header->end && *header->at++ == quote;
}

static bool take_shape(Header *header) {
    tern_array *array = header->array;
    array->rank = 0;
    if (!take(header, '(')) return false;
    while (!take(header, ')')) {
        int64_t size = 0;
        skip_space(header);
        const char *start = header->at;
        for (; header->at < header->end && *header->at >= '0' && *header->at <= '9'; header->at++)
            if (__builtin_mul_overflow(size, 10, &size) ||
                __builtin_add_overflow(size, *header->at - '0', &size))
                return false;
        if (header->at == start) return false;
        if (header->at < header->end && *header->at == 'L') header->at++; /* written by Python 2 */
        if (array->rank == TERN_MAX_RANK) return false;
        array->shape[array->rank++] = size;
        if (!take(header, ',')) return take(header, ')');
    }
    return true;
}

static bool take_entry(Header *header) {
    Str key;
    if (!take_string(header, &key) || !take(header, ':')) return false;
    if (str_is(key, "descr")) {
        skip_space(header);
        if (header->at < header->end && *header->at == '[')
            return complain(header, "records ('descr' is a list) are not supported");
        return header->have_descr = take_string(header, &header->descr);
    }
    if (str_is(key, "fortran_order")) {
        header->fortran = take_word(header, "True");
        return header->have_fortran = header->fortran || take_word(header, "False");
    }
    if (str_is(key, "shape")) return header->have_shape = take_shape(header);
    return false;
}

static bool parse_header(Header *header) {
    bool ok = take(header, '{');
    while (ok && !take(header, '}')) {
        ok = take_entry(header);
        if (ok && !take(header, ',')) {
            ok = take(header, '}');
            break;
        }
    }
    skip_space(header);
    ok = ok && header->at == header->end && header->have_descr && header->have_fortran &&
         header->have_shape;
    if (!ok && !header->words[0])
        complain(header,
                 "not a header of .npy: expected {'descr': .., 'fortran_order': .., 'shape': ..}");
    return ok;
}

static bool dtype_of_descr(Header *header) {
    static const struct {
        const char *code;
        tern_dtype dtype;
    } codes[] = {
        {"b1", TERN_BOOL},   {"i1", TERN_INT8},    {"i2", TERN_INT16},   {"i4", TERN_INT32},
        {"i8", TERN_INT64},  {"u1", TERN_UINT8},   {"u2", TERN_UINT16},  {"u4", TERN_UINT32},
        {"u8", TERN_UINT64}, {"f2", TERN_FLOAT16}, {"f4", TERN_FLOAT32}, {"f8", TERN_FLOAT64},
    };
    Str descr = header->descr;
    if (descr.length < 2) return complain(header, "unknown type '%.*s'", STR_ARG(descr));
    header->big_endian = descr.data[0] == '>';
    Str code = descr;
    if (strchr("<>|=", descr.data[0])) code = (Str){descr.data + 1, descr.length - 1};
    for (int i = 0; i < COUNT(codes); i++)
        if (str_is(code, codes[i].code)) {
            header->array->dtype = codes[i].dtype;
            return true;
        }
    return complain(header, "type '%.*s' is not supported", STR_ARG(descr));
}

/* ---- elements ---- */

/* Element count of the shape; false: the bytes do not fit in an int64. */
static bool array_count(const tern_array *array, int64_t *count) {
    bool overflow = false;
    *count = 1;
    for (int i = 0; i < array->rank; i++)
        if (array->shape[i] == 0) {
            *count = 0;
            return true;
        } else {
            overflow |= __builtin_mul_overflow(*count, array->shape[i], count);
        }
    return !overflow && *count <= INT64_MAX / 8;
}

static void swap_bytes(unsigned char *data, int64_t count, size_t size) {
    for (int64_t i = 0; i < count; i++, data += size)
        for (size_t low = 0, high = size - 1; low < high; low++, high--) {
            unsigned char byte = data[low];
            data[low] = data[high];
            data[high] = byte;
        }
}

/* Column-major to row-major: counts through `to` in its order, keeping the place in `from`. */
static void transpose(const tern_array *array, const unsigned char *from, unsigned char *to,
                      int64_t count) {
    int64_t index[TERN_MAX_RANK] = {0}, strides[TERN_MAX_RANK], place = 0, stride = 1;
    size_t size = tern_dtype_size(array->dtype);
    for (int i = 0; i < array->rank; i++) {
        strides[i] = stride;
        stride *= array->shape[i];
    }
    for (int64_t i = 0; i < count; i++) {
        memcpy(to + (size_t)i * size, from + (size_t)place * size, size);
        for (int axis = array->rank - 1; axis >= 0; axis--) {
            place += strides[axis];
            if (++index[axis] < array->shape[axis]) break;
            place -= strides[axis] * array->shape[axis];
            index[axis] = 0;
        }
    }
}

/* ---- files ---- */

static bool read_all(int file, void *to, size_t bytes) {
    for (size_t have = 0; have < bytes;) {
        ssize_t got = read(file, (char *)to + have, bytes - have);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        have += (size_t)got;
    }
    return true;
}

/* Reads up to the data; *data_bytes: how much the file has from there. */
static bool read_header(int file, Header *header, uint64_t *data_bytes) {
    unsigned char start[12];
    struct stat status;
    if (fstat(file, &status)) return complain(header, "%s", strerror(errno));
    if (!S_ISREG(status.st_mode)) return complain(header, "not a regular file");
    if (!read_all(file, start, 10) || memcmp(start, "\x93NUMPY", 6))
        return complain(header, "not a .npy file");
    size_t length = start[8] | (size_t)start[9] << 8, before = 10;
    if (start[6] < 1 || start[6] > 3)
        return complain(header, "version %d.%d of .npy is not supported", start[6], start[7]);
    if (start[6] > 1) {
        if (!read_all(file, start + 10, 2)) return complain(header, "is cut off in the header");
        length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
        before = 12;
    }
    if (length > HEADER_LIMIT)
        return complain(header, "a header of %zu bytes is over the limit of %d", length,
                        HEADER_LIMIT);
    if (!read_all(file, header->text, length)) return complain(header, "is cut off in the header");
    header->at = header->text;
    header->end = header->text + length;
    *data_bytes = (uint64_t)status.st_size - before - length;
    return parse_header(header) && dtype_of_descr(header);
}

static tern_status read_array(int file, Header *header, uint64_t have) {
    tern_array *array = header->array;
    int64_t count;
    size_t size = tern_dtype_size(array->dtype);
    if (!array_count(array, &count))
        return complain(header, "its shape is too large to address"), TERN_ERROR_ARGUMENT;
    if (have != (uint64_t)count * size) {
        complain(header, "has %llu bytes of data, its header says %llu", (unsigned long long)have,
                 (unsigned long long)count * size);
        return TERN_ERROR_ARGUMENT;
    }
    unsigned char *data = malloc(have ? (size_t)have : 1);
    if (!data) return complain(header, "does not fit in memory"), TERN_ERROR_NO_MEMORY;
    array->data = data;
    array->size_bytes = (size_t)have;
    if (!read_all(file, data, (size_t)have))
        return complain(header, "could not be read"), TERN_ERROR_SYSTEM;
    if (header->big_endian) swap_bytes(data, count, size);
    if (!header->fortran || array->rank < 2 || count == 0) return TERN_OK;
    unsigned char *rows = malloc((size_t)have);
    if (!rows) return complain(header, "does not fit in memory"), TERN_ERROR_NO_MEMORY;
    transpose(array, data, rows, count);
    array->data = rows;
    free(data);
    return TERN_OK;
}

static tern_status read_file(const char *path, Header *header) {
    uint64_t have = 0;
    tern_status status = TERN_ERROR_ARGUMENT;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return complain(header, "%s", strerror(errno)), TERN_ERROR_SYSTEM;
    if (read_header(file, header, &have)) status = read_array(file, header, have);
    close(file);
    return status;
}

tern_status npy_read(Arena *arena, const char *path, tern_array *array, Str *why) {
    Header header = {.array = array};
    *array = (tern_array){0};
    tern_status status = read_file(path, &header);
    if (status != TERN_OK) {
        free(array->data);
        *array = (tern_array){0};
        *why = str_format(arena, "%s: %s", path, header.words);
    }
    return status;
}

/* NumPy has no bf16 and no floats of 8 bits: their bits, as unsigned numbers. */
static Str descr_of(Arena *arena, tern_dtype dtype) {
    int size = (int)tern_dtype_size(dtype);
    bool is_float = tern_dtype_is_float(dtype);
    char kind = dtype == TERN_BOOL                               ? 'b'
                : is_float && size > 1 && dtype != TERN_BFLOAT16 ? 'f'
                : !is_float && tern_dtype_is_signed(dtype)       ? 'i'
                                                                 : 'u';
    return str_format(arena, "%c%c%d", size == 1 ? '|' : '<', kind, size);
}

tern_status npy_write(Arena *arena, const char *path, const tern_array *array, Str *why) {
    enum { ALIGN = 64, BEFORE = 10 };
    Buf header = {.arena = arena};
    Str descr = descr_of(arena, array->dtype);
    buf_printf(&header, "{'descr': '%.*s', 'fortran_order': False, 'shape': (", STR_ARG(descr));
    for (int i = 0; i < array->rank; i++)
        buf_printf(&header, "%lld,%s", (long long)array->shape[i], i + 1 < array->rank ? " " : "");
    buf_puts(&header, "), }");
    while ((BEFORE + header.length + 1) % ALIGN) buf_putc(&header, ' ');
    buf_putc(&header, '\n');
    const char start[BEFORE] = {'\x93',
                                'N',
                                'U',
                                'M',
                                'P',
                                'Y',
                                1,
                                0,
                                (char)(header.length & 255),
                                (char)(header.length >> 8)};
    Buf data = {.arena = arena};
    buf_add(&data, start, BEFORE);
    buf_add(&data, header.data, header.length);
    buf_add(&data, array->data, array->size_bytes);
    return file_write(arena, path, data.data, data.length, why) ? TERN_OK : TERN_ERROR_SYSTEM;
}
