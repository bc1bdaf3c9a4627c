// SPDX-License-Identifier: Apache-2.0
/* case: reads case.json and the storages. Nothing in a case is trusted: every type, size and name
 * is checked; file names may not leave their folder. */
#include "cli/case.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

void case_free(Case *recorded) {
    for (int i = 0; i < recorded->storages.count; i++) {
        free(recorded->storages.data[i].before);
        free(recorded->storages.data[i].after);
    }
    recorded->storages.count = 0;
}

#ifndef TERN_HAVE_JANSSON

tern_status case_read(Arena *arena, const char *folder, Case *recorded, Str *why) {
    recorded->folder = recorded->name = folder;
    *why = str_format(arena, "this tern was built without jansson, which reads JSON: install "
                             "libjansson-dev, then 'make clean all'");
    return TERN_ERROR_SYSTEM;
}

#else

#include <jansson.h>

enum { JSON_LIMIT = 16 << 20, MAX_ARGS = 1024, MAX_TUPLE_DEPTH = 8 };

typedef struct CaseReader {
    Arena *arena;
    Case *recorded;
    Str *why;
    tern_status status; /* of the first complaint */
} CaseReader;

static bool complain(CaseReader *reader, tern_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool complain(CaseReader *reader, tern_status status, const char *format, ...) {
    if (reader->status) return false;
    Buf words = {.arena = reader->arena};
    va_list args;
    va_start(args, format);
    buf_vprintf(&words, format, args);
    va_end(args);
    *reader->why = buf_str(&words);
    reader->status = status;
    return false;
}

static bool malformed(CaseReader *reader, const char *what) {
    return complain(reader, TERN_ERROR_ARGUMENT, "case.json: %s", what);
}

static const char *get_string(CaseReader *reader, const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    if (text) return str_c(reader->arena, str_of(text));
    malformed(reader, str_format(reader->arena, "'%s' is missing or no string", key).data);
    return "";
}

static int64_t get_int(CaseReader *reader, const json_t *object, const char *key, int64_t low,
                       int64_t high) {
    const json_t *item = json_object_get(object, key);
    int64_t value = json_integer_value(item);
    if (json_is_integer(item) && value >= low && value <= high) return value;
    malformed(reader, str_format(reader->arena, "'%s' is missing or out of range", key).data);
    return low;
}

/* A relative path that stays below its folder. */
static bool is_safe_path(const char *path) {
    if (!*path || *path == '/') return false;
    for (const char *at = path; at; at = strchr(at, '/')) {
        at += *at == '/';
        if (!strncmp(at, "..", 2) && (at[2] == '/' || !at[2])) return false;
    }
    return true;
}

/* ---- values ---- */

static bool read_ints(CaseReader *reader, const json_t *array, int64_t *numbers, int *count) {
    size_t index;
    const json_t *item;
    *count = (int)json_array_size(array);
    if (!json_is_array(array) || json_array_size(array) > TENSOR_MAX_RANK)
        return complain(reader, json_is_array(array) ? TERN_ERROR_UNSUPPORTED : TERN_ERROR_ARGUMENT,
                        "a tensor of %zu dimensions", json_array_size(array));
    json_array_foreach(array, index, item) {
        numbers[index] = json_integer_value(item);
        if (!json_is_integer(item) || numbers[index] < 0)
            return malformed(reader, "a shape or stride is no int, or negative");
    }
    return true;
}

static tern_dtype read_dtype(CaseReader *reader, const json_t *object, const char *key) {
    const char *text = get_string(reader, object, key);
    const char *dot = strrchr(text, '.');
    tern_dtype dtype = dtype_from_word(str_of(dot ? dot + 1 : text));
    if (dtype == TERN_VOID) complain(reader, TERN_ERROR_UNSUPPORTED, "dtype '%s'", text);
    return dtype;
}

static int find_storage(CaseReader *reader, const char *name, size_t size_bytes, tern_dtype dtype) {
    Case *recorded = reader->recorded;
    for (int i = 0; i < recorded->storages.count; i++)
        if (!strcmp(recorded->storages.data[i].name, name)) {
            if (recorded->storages.data[i].size_bytes != size_bytes)
                malformed(reader, "one storage has two sizes");
            return i;
        }
    if (strspn(name, "s0123456789") != strlen(name))
        malformed(reader, "a storage's name is not s0, s1 ..");
    CaseStorage storage = {.name = name, .size_bytes = size_bytes, .dtype = dtype};
    vec_push(reader->arena, &recorded->storages, storage);
    return recorded->storages.count - 1;
}

static bool read_tensor(CaseReader *reader, const json_t *object, CaseArg *arg) {
    Tensor *tensor = arena_new_of(reader->arena, Tensor);
    int num_strides, num_sizes;
    int64_t elements;
    tensor->dtype = read_dtype(reader, object, "dtype");
    if (!read_ints(reader, json_object_get(object, "shape"), tensor->shape, &num_sizes) ||
        !read_ints(reader, json_object_get(object, "strides"), tensor->strides, &num_strides))
        return false;
    tensor->rank = num_sizes;
    if (num_strides != num_sizes)
        return malformed(reader, "a tensor has more strides than sizes, or fewer");
    int64_t size = (int64_t)tern_dtype_size(tensor->dtype);
    int64_t bytes = get_int(reader, object, "nbytes", 0, INT64_MAX / 16);
    tensor->offset = get_int(reader, object, "offset", 0, INT64_MAX / 16);
    arg->align = get_int(reader, object, "align", 0, INT64_MAX); /* 0: of an empty one */
    const char *storage = get_string(reader, object, "storage");
    if (reader->status) return false;
    if (!tensor_extent(tensor, &elements) || elements > bytes / size)
        return malformed(reader, "a tensor reaches beyond its storage");
    arg->storage = find_storage(reader, storage, (size_t)bytes, tensor->dtype);
    arg->offset_bytes = (size_t)(tensor->offset * size);
    arg->value->kind = ARG_TENSOR;
    arg->value->tensor = tensor;
    return !reader->status;
}

static bool read_value(CaseReader *reader, const json_t *object, const char *name, ArgValue *value,
                       int depth);

/* A tensor inside another value: an argument of its own beside it. */
static bool read_part(CaseReader *reader, const json_t *object, const char *name, ArgValue *value) {
    CaseArg part = {.name = name, .value = value, .is_part = true};
    if (!read_tensor(reader, object, &part)) return false;
    vec_push(reader->arena, &reader->recorded->args, part);
    return true;
}

static bool is_word(const char *text) {
    if (!text || !*text || isdigit((unsigned char)*text)) return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && *text != '_') return false;
    return true;
}

static bool read_tuple(CaseReader *reader, const json_t *object, const char *name, ArgValue *value,
                       int depth) {
    const json_t *items = json_object_get(object, "items"), *item;
    size_t index, count = json_array_size(items);
    if (!json_is_array(items) || count > MAX_ARGS || depth > MAX_TUPLE_DEPTH)
        return malformed(reader, "a tuple without items, or with too many");
    value->kind = ARG_TUPLE;
    value->num_items = (int)count;
    value->items = arena_array(reader->arena, ArgValue *, count + 1);
    const json_t *names = json_object_get(object, "names");
    if (names && (!json_is_array(names) || json_array_size(names) != count))
        return malformed(reader, "a named tuple has a name for each item");
    if (names) value->names = arena_array(reader->arena, const char *, count + 1);
    json_array_foreach(items, index, item) {
        const char *field = json_string_value(json_array_get(names, index));
        if (names && !is_word(field))
            return malformed(reader, "a named tuple's names are identifiers");
        if (names) value->names[index] = str_c(reader->arena, str_of(field));
        const char *inner = name ? str_format(reader->arena, "%s.%d", name, (int)index).data : NULL;
        value->items[index] = arena_new_of(reader->arena, ArgValue);
        if (!read_value(reader, item, inner, value->items[index], depth + 1)) return false;
    }
    return true;
}

static bool read_extents(CaseReader *reader, const json_t *array, ArgValue *tuple) {
    int64_t numbers[TENSOR_MAX_RANK];
    int count;
    if (!read_ints(reader, array, numbers, &count)) return false;
    tuple->kind = ARG_TUPLE;
    tuple->num_items = count;
    tuple->items = arena_array(reader->arena, ArgValue *, count + 1);
    for (int i = 0; i < count; i++) {
        tuple->items[i] = arena_new_of(reader->arena, ArgValue);
        *tuple->items[i] = (ArgValue){.kind = ARG_INT, .integer = numbers[i]};
    }
    return true;
}

static bool read_descriptor(CaseReader *reader, const json_t *object, const char *name,
                            ArgValue *value) {
    static const char *const keys[] = {"base", "shape", "strides", "block_shape"};
    const char *padding = json_string_value(json_object_get(object, "padding"));
    tern_descriptor descriptor;
    value->kind = ARG_DESC;
    value->num_items = COUNT(keys);
    value->items = arena_array(reader->arena, ArgValue *, COUNT(keys));
    for (int i = 0; i < COUNT(keys); i++) value->items[i] = arena_new_of(reader->arena, ArgValue);
    value->text = str_copy(reader->arena, str_of(padding ? padding : "zero"));
    if (!str_is(value->text, "zero") && !str_is(value->text, "nan"))
        return complain(reader, TERN_ERROR_UNSUPPORTED,
                        "argument '%s': a tensor descriptor with padding '%s'", name, padding);
    if (!read_part(reader, json_object_get(object, keys[0]),
                   str_format(reader->arena, "%s.base", name).data, value->items[0]))
        return false;
    for (int i = 1; i < COUNT(keys); i++)
        if (!read_extents(reader, json_object_get(object, keys[i]), value->items[i])) return false;
    const CaseArg *base = &reader->recorded->args.data[reader->recorded->args.count - 1];
    value->items[0]->tensor->storage_bytes =
        reader->recorded->storages.data[base->storage].size_bytes;
    const char *why = value_descriptor(value, &descriptor);
    return !why ||
           malformed(
               reader,
               str_format(reader->arena, "'%s' is not a tensor descriptor: %s", name, why).data);
}

static bool read_float(CaseReader *reader, const json_t *object, ArgValue *value) {
    const json_t *item = json_object_get(object, "value");
    const char *text = json_string_value(item);
    char *end = NULL;
    value->kind = ARG_FLOAT;
    if (json_is_number(item))
        value->number = json_number_value(item);
    else if (text)
        value->number = strtod(text, &end);
    if (!json_is_number(item) && (!text || end == text || *end))
        return malformed(reader, "a float's value is no number");
    return true;
}

/* Without a name: a global, which holds no tensor. */
static bool read_value(CaseReader *reader, const json_t *object, const char *name, ArgValue *value,
                       int depth) {
    const char *kind = get_string(reader, object, "kind");
    const json_t *item = json_object_get(object, "value");
    if (!strcmp(kind, "none")) {
        value->kind = ARG_NONE;
    } else if (!strcmp(kind, "int")) {
        value->kind = ARG_INT;
        if (!json_is_string(item))
            value->integer = get_int(reader, object, "value", INT64_MIN, INT64_MAX);
        else if (!value_read_int(json_string_value(item), 10, value))
            return malformed(reader, "an int's value is no int of 64 bits");
    } else if (!strcmp(kind, "bool")) {
        value->kind = ARG_BOOL;
        value->integer = json_is_true(item);
        if (!json_is_boolean(item)) return malformed(reader, "a bool's value is no bool");
    } else if (!strcmp(kind, "float")) {
        return read_float(reader, object, value);
    } else if (!strcmp(kind, "str")) {
        value->kind = ARG_STR;
        value->text = str_of(get_string(reader, object, "value"));
    } else if (!strcmp(kind, "dtype")) {
        value->kind = ARG_DTYPE;
        value->dtype = read_dtype(reader, object, "value");
    } else if (!strcmp(kind, "constexpr") && json_is_object(item) && depth < MAX_TUPLE_DEPTH) {
        value->is_constexpr = true;
        return read_value(reader, item, name, value, depth + 1);
    } else if (!strcmp(kind, "tuple")) {
        return read_tuple(reader, object, name, value, depth);
    } else if (!strcmp(kind, "desc") && name) {
        return read_descriptor(reader, object, name, value);
    } else if (!strcmp(kind, "tensor") && name) {
        return read_part(reader, object, name, value);
    } else if (!reader->status) {
        return complain(reader, TERN_ERROR_UNSUPPORTED, "a value of kind '%s'", kind);
    }
    return !reader->status;
}

static bool read_arg(CaseReader *reader, const json_t *object, CaseArg *arg) {
    arg->value = arena_new_of(reader->arena, ArgValue);
    arg->name = get_string(reader, object, "name");
    const char *kind = get_string(reader, object, "kind");
    if (!strcmp(kind, "tensor")) return read_tensor(reader, object, arg);
    if (!strcmp(kind, "jit")) {
        arg->literal = get_string(reader, object, "value");
        return !reader->status;
    }
    if (!strcmp(kind, "reinterpret")) {
        if (!read_tensor(reader, json_object_get(object, "base"), arg)) return false;
        arg->value->tensor->dtype = read_dtype(reader, object, "dtype");
        return !reader->status;
    }
    return read_value(reader, object, arg->name, arg->value, 0);
}

/* ---- the case ---- */

static bool read_globals(CaseReader *reader, const json_t *globals) {
    const char *name;
    json_t *object;
    json_object_foreach((json_t *)(uintptr_t)globals, name, object) {
        const char *kind = json_string_value(json_object_get(object, "kind"));
        ArgValue value = {0};
        Buf literal = {.arena = reader->arena};
        if (kind && !strcmp(kind, "jit")) continue; /* a function: the file has it */
        if (!read_value(reader, object, NULL, &value, 0)) return false;
        value_literal(&literal, &value);
        tern_value global = {str_c(reader->arena, str_of(name)), literal.data};
        vec_push(reader->arena, &reader->recorded->globals, global);
    }
    return true;
}

static bool read_grid(CaseReader *reader, const json_t *grid) {
    size_t index;
    const json_t *item;
    if (!json_is_array(grid) || json_array_size(grid) < 1 || json_array_size(grid) > 3)
        return malformed(reader, "'grid' is no list of 1 to 3 numbers");
    for (int i = 0; i < 3; i++) reader->recorded->grid[i] = 1;
    json_array_foreach(grid, index, item) {
        int64_t size = json_integer_value(item);
        if (!json_is_integer(item) || size < 0 || size > INT32_MAX)
            return malformed(reader, "'grid' is out of range");
        reader->recorded->grid[index] = (uint32_t)size;
    }
    return true;
}

static int option_of(CaseReader *reader, const json_t *root, const char *key) {
    const json_t *options = json_object_get(root, "options"),
                 *compiled = json_object_get(root, "compiled");
    const json_t *from = json_object_get(options, key) ? options : compiled;
    return json_object_get(from, key) ? (int)get_int(reader, from, key, 0, 64) : 0;
}

static bool read_root(CaseReader *reader, const json_t *root) {
    Case *recorded = reader->recorded;
    const json_t *args = json_object_get(root, "args"), *item;
    size_t index;
    if (!json_is_object(root)) return malformed(reader, "is no object");
    recorded->file = get_string(reader, root, "file");
    recorded->function = get_string(reader, root, "function");
    recorded->sha1 = get_string(reader, root, "src_sha1");
    recorded->line = (int)get_int(reader, root, "line", 1, INT32_MAX);
    recorded->has_data = json_is_true(json_object_get(root, "data"));
    recorded->num_warps = option_of(reader, root, "num_warps");
    recorded->num_stages = option_of(reader, root, "num_stages");
    if (reader->status) return false;
    if (!is_safe_path(recorded->file)) return malformed(reader, "'file' leaves the repository");
    if (!read_grid(reader, json_object_get(root, "grid"))) return false;
    if (!json_is_array(args) || json_array_size(args) > MAX_ARGS)
        return malformed(reader, "'args' is no list, or too long");
    json_array_foreach(args, index, item) {
        CaseArg arg = {0};
        if (!read_arg(reader, item, &arg)) return false;
        vec_push(reader->arena, &recorded->args, arg);
    }
    return read_globals(reader, json_object_get(root, "globals"));
}

static bool is_changed(const json_t *root, const char *name) {
    size_t index;
    const json_t *item;
    json_array_foreach(json_object_get(root, "changed"), index,
                       item) if (json_is_string(item) &&
                                 !strcmp(json_string_value(item), name)) return true;
    return false;
}

static unsigned char *read_bytes(CaseReader *reader, const char *name, const char *suffix,
                                 size_t size_bytes) {
    const char *path =
        str_format(reader->arena, "%s/%s%s", reader->recorded->folder, name, suffix).data;
    struct stat status;
    unsigned char *bytes = NULL;
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &status)) {
        complain(reader, TERN_ERROR_SYSTEM, "%s: %s", path, strerror(errno));
    } else if (!S_ISREG(status.st_mode) || (uint64_t)status.st_size != size_bytes) {
        complain(reader, TERN_ERROR_ARGUMENT, "%s has %lld bytes, case.json says %zu", path,
                 (long long)status.st_size, size_bytes);
    } else if (!(bytes = malloc(size_bytes + 1))) {
        complain(reader, TERN_ERROR_NO_MEMORY, "%s does not fit in memory", path);
    } else if (fread(bytes, 1, size_bytes, file) != size_bytes) {
        complain(reader, TERN_ERROR_SYSTEM, "%s could not be read", path);
    }
    if (file) fclose(file);
    return bytes;
}

static bool read_storages(CaseReader *reader, const json_t *root) {
    Case *recorded = reader->recorded;
    for (int i = 0; i < recorded->storages.count && !reader->status; i++) {
        CaseStorage *storage = &recorded->storages.data[i];
        storage->before = read_bytes(reader, storage->name, ".in.bin", storage->size_bytes);
        if (!reader->status && is_changed(root, storage->name))
            storage->after = read_bytes(reader, storage->name, ".out.bin", storage->size_bytes);
    }
    return !reader->status;
}

tern_status case_read(Arena *arena, const char *folder, Case *recorded, Str *why) {
    CaseReader reader = {arena, recorded, why, TERN_OK};
    json_error_t error;
    Str text;
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') length--;
    recorded->folder = str_c(arena, (Str){folder, (int)length});
    const char *slash = strrchr(recorded->folder, '/');
    recorded->name = slash ? slash + 1 : recorded->folder;
    recorded->file = "";
    const char *path = str_format(arena, "%s/case.json", recorded->folder).data;
    if (!file_read(arena, path, JSON_LIMIT, &text, why)) return TERN_ERROR_SYSTEM;
    json_t *root = json_loadb(text.data, (size_t)text.length, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        complain(&reader, TERN_ERROR_ARGUMENT, "%s:%d:%d: %s", path, error.line, error.column,
                 error.text);
    else if (read_root(&reader, root) && recorded->has_data)
        read_storages(&reader, root);
    json_decref(root);
    return reader.status;
}

#endif
