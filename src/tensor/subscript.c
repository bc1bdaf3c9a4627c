// SPDX-License-Identifier: Apache-2.0
/* subscript: x[2, :, None, 0:8:2] from its text. Each item takes the dimension that is next. */
#include "tensor/tape.h"

typedef struct Subscript {
    tern_tensor *tensor; /* so far */
    const char *text, *at;
    int dim; /* that the next item is about */
} Subscript;

static void skip_blanks(Subscript *subscript) {
    while (*subscript->at == ' ') subscript->at++;
}

static bool take(Subscript *subscript, const char *word) {
    skip_blanks(subscript);
    size_t length = strlen(word);
    if (strncmp(subscript->at, word, length) != 0) return false;
    subscript->at += length;
    skip_blanks(subscript);
    return true;
}

static bool take_integer(Subscript *subscript, int64_t *value) {
    skip_blanks(subscript);
    const char *at = subscript->at;
    bool negative = *at == '-';
    if (negative) at++;
    if (*at < '0' || *at > '9') return false;
    *value = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_sub_overflow(*value, *at - '0', value))
            *value = -INT64_MAX; /* beyond all sizes */
    if (!negative) *value = -*value;
    subscript->at = at;
    skip_blanks(subscript);
    return true;
}

/* Items that take a dimension, in the whole text. */
static int count_items(const char *text) {
    int count = 0;
    for (const char *item = text; item; item = strchr(item, ',')) {
        if (item != text) item++;
        while (*item == ' ') item++;
        count +=
            *item && *item != ',' && strncmp(item, "None", 4) != 0 && strncmp(item, "...", 3) != 0;
    }
    return count;
}

static bool become(Subscript *subscript, tern_tensor *next) {
    tern_drop(subscript->tensor);
    subscript->tensor = next;
    return next != NULL;
}

static bool take_slice(Subscript *subscript, bool has_start, int64_t start) {
    int64_t end = INT64_MAX, step = 1;
    take_integer(subscript, &end);
    if (take(subscript, ":")) take_integer(subscript, &step);
    tern_tensor *tensor = subscript->tensor;
    if (step <= 0) {
        session_fail(tensor->session, TERN_ERROR_ARGUMENT, "step must be greater than zero");
        return false;
    }
    return become(subscript,
                  tern_slice(tensor, subscript->dim++, has_start ? start : 0, end, step));
}

static bool take_index(Subscript *subscript, int64_t index) {
    tern_tensor *tensor = subscript->tensor;
    int64_t size = tensor->shape[subscript->dim];
    if (index < -size || index >= size) {
        session_fail(tensor->session, TERN_ERROR_ARGUMENT,
                     "index %lld is out of bounds for dimension %d with size %lld",
                     (long long)index, subscript->dim, (long long)size);
        return false;
    }
    return become(subscript, tern_select(tensor, subscript->dim, index));
}

static bool take_item(Subscript *subscript, int items, int rank) {
    tern_tensor *tensor = subscript->tensor;
    int64_t value = 0;
    if (take(subscript, "None")) return become(subscript, tern_unsqueeze(tensor, subscript->dim++));
    if (take(subscript, "...")) {
        subscript->dim += rank - items;
        return true;
    }
    bool has_value = take_integer(subscript, &value);
    if (take(subscript, ":")) return take_slice(subscript, has_value, value);
    if (has_value) return take_index(subscript, value);
    session_fail(tensor->session, TERN_ERROR_ARGUMENT,
                 "subscript '%s': expected an integer, a slice, None or '...' at '%s'",
                 subscript->text, subscript->at);
    return false;
}

tern_tensor *tern_at(tern_tensor *tensor, const char *text) {
    if (!tensor_is_live(tensor)) return NULL;
    int items = count_items(text), rank = tensor->rank;
    tern_session *session = tensor->session;
    const char *dots = strstr(text, "...");
    if (items && !rank)
        return session_fail_null(
            session, TERN_ERROR_ARGUMENT,
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
            "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number");
    if (items > rank)
        return session_fail_null(session, TERN_ERROR_ARGUMENT,
                                 "too many indices for tensor of dimension %d", rank);
    if (dots && strstr(dots + 3, "..."))
        return session_fail_null(session, TERN_ERROR_ARGUMENT,
                                 "an index can only have a single ellipsis ('...')");
    Subscript subscript = {tape_alias(view_same(tensor), tensor), text, text, 0};
    bool fine = subscript.tensor != NULL;
    while (fine) {
        fine = take_item(&subscript, items, rank);
        if (!fine || !*subscript.at) break;
        if (!take(&subscript, ",")) {
            session_fail(session, TERN_ERROR_ARGUMENT, "subscript '%s': expected ',' at '%s'", text,
                         subscript.at);
            fine = false;
        }
    }
    if (fine) return subscript.tensor;
    tern_drop(subscript.tensor);
    return NULL;
}
