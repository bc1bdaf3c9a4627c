// SPDX-License-Identifier: Apache-2.0
#include "cli/points.h"

#include <ctype.h>
#include <stdlib.h>

enum { MOST_POINTS = 32, MOST_VALUES = 16, PAD_ELEMENTS = 3 };

typedef struct Maker {
    const Bound *bound;
    Arena *arena;
    Points *points;
} Maker;

/* ---- the texts of -a ---- */

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Whether `name` stands in the text, as a word of its own. */
static bool has_name(const char *text, const char *name) {
    size_t length = strlen(name);
    if (!length) return false;
    for (const char *at = text; (at = strstr(at, name)); at++)
        if (!is_word(at[length]) && (at == text || !is_word(at[-1]))) return true;
    return false;
}

static Str name_of(const char *text) {
    const char *equals = strchr(text, '=');
    return (Str){text, equals ? (int)(equals - text) : 0};
}

/* What -a or -x gives a name. */
static const char *text_of(const Bound *bound, const char *name) {
    const char *text;
    for (int k = 0; k < 2; k++)
        for (int i = 0; (text = option_nth(bound->cli, k ? "x" : "a", i)); i++)
            if (str_is(name_of(text), name)) return text + strlen(name) + 1;
    return NULL;
}

int points_bind(Bound *bound) {
    const char *text;
    for (int i = 0; (text = option_nth(bound->cli, "x", i)); i++) {
        Str name = name_of(text);
        ArgValue *value =
            name.length ? env_evaluate(&bound->env, "-x", str_of(text + name.length + 1)) : NULL;
        if (diag_failed(&bound->diag)) return bound_fail_diag(bound);
        if (!value || value->kind != ARG_INT)
            return cli_fail(bound->cli, EXIT_USAGE, "-x: expected NAME=N, saw '%s'", text);
        if (env_has(&bound->env, name))
            return cli_fail(bound->cli, EXIT_USAGE, "-x: '%.*s' is given twice", STR_ARG(name));
        env_bind_value(&bound->env, name, value);
    }
    return EXIT_OK;
}

/* Whether the tensors are written in terms of `name`, and none has its value as a number: then the
 * launch holds for other values, too. */
static bool is_size(const Bound *bound, const char *name, const char *value) {
    const char *text;
    bool makes_tensor = false;
    for (int i = 0; (text = option_nth(bound->cli, "a", i)); i++) {
        Str own = name_of(text);
        const LaunchArg *arg = bound_arg(bound, own);
        if (!arg || !arg->value || arg->value->kind != ARG_TENSOR) continue;
        if (has_name(text + own.length, value)) return false;
        makes_tensor |= has_name(text + own.length, name);
    }
    return makes_tensor;
}

/* The arguments given, but for those for which `change` gives another text. */
static Cli changed(Maker *m, const char *(*change)(Maker *m, const char *name, void *user),
                   void *user) {
    Cli cli = *m->bound->cli;
    cli.options.data = NULL, cli.options.count = cli.options.capacity = 0;
    for (int i = 0; i < m->bound->cli->options.count; i++) {
        OptionUse use = m->bound->cli->options.data[i];
        bool names_value = !strcmp(use.row->name, "a") || !strcmp(use.row->name, "x");
        const char *name = names_value ? str_c(m->arena, name_of(use.value)) : NULL;
        const char *text = name ? change(m, name, user) : NULL;
        if (text) use.value = str_format(m->arena, "%s=%s", name, text).data;
        vec_push(m->arena, &cli.options, use);
    }
    return cli;
}

static void add_point(Maker *m, Point point) {
    if (m->points->list.count < MOST_POINTS) vec_push(m->arena, &m->points->list, point);
}

/* ---- sizes ---- */

typedef struct NewValue {
    const char *name;
    int64_t value;
} NewValue;

static const char *new_value(Maker *m, const char *name, void *user) {
    const NewValue *given = user;
    return !strcmp(name, given->name) ? str_format(m->arena, "%lld", (long long)given->value).data
                                      : NULL;
}

static void add_value(int64_t value, int64_t *values, int *count) {
    for (int i = 0; i < *count; i++)
        if (values[i] == value) return;
    if (*count < MOST_VALUES) values[(*count)++] = value;
}

/* What a block holds: constants of the kernel that are not written in terms of `name`, or
 * threads. */
static int block_sizes(const Bound *bound, const char *name, int64_t *sizes) {
    tern_options options = {0};
    int count = 0;
    for (int i = 0; i < bound->num_args && count < MOST_VALUES; i++) {
        const LaunchArg *block = &bound->args[i];
        if (!block->parameter->is_constexpr || !block->value || block->value->kind != ARG_INT)
            continue;
        const char *text = text_of(bound, block->parameter->name);
        if (!(text && has_name(text, name))) sizes[count++] = block->value->integer;
    }
    for (int i = 0; option_launch(bound->cli, &options) && i < 3 && count < MOST_VALUES; i++)
        sizes[count++] = options.block[i];
    return count;
}

/* 0, 1, and round each block; one more than given, so that no promise of divisibility holds. A size
 * that one block holds and that does not make the grid is only made smaller: whether the kernel
 * takes more than a block is its own to say. */
static void vary_size(Maker *m, const char *name, int64_t now) {
    const Bound *bound = m->bound;
    int64_t most = INT64_MAX, values[MOST_VALUES] = {0, 1}, sizes[MOST_VALUES], largest = 0;
    int count = 2, num_sizes = block_sizes(bound, name, sizes);
    for (int i = 0; i < num_sizes; i++) {
        int64_t size = sizes[i];
        if (size < 2 || size > 1 << 16) continue;
        for (int64_t k = size - 1; k <= size + 1; k++) add_value(k, values, &count);
        if (size > largest) largest = size;
    }
    if (!largest) add_value(now - 1, values, &count);
    add_value(now + 1, values, &count);
    const char *grid = option_value(bound->cli, "grid");
    if (now <= largest && !(grid && has_name(grid, name))) most = largest;
    for (int i = 0; i < count; i++) {
        if (values[i] == now || values[i] > most) continue;
        NewValue value = {name, values[i]};
        add_point(
            m, (Point){.words = str_format(m->arena, "%s = %lld", name, (long long)values[i]).data,
                       .cli = changed(m, new_value, &value),
                       .varies_size = true,
                       .is_of_nothing = values[i] == 0});
    }
}

static void vary_sizes(Maker *m) {
    for (int i = 0; i < m->bound->cli->options.count; i++) {
        OptionUse use = m->bound->cli->options.data[i];
        bool is_x = !strcmp(use.row->name, "x");
        if (!is_x && strcmp(use.row->name, "a") != 0) continue;
        const char *name = str_c(m->arena, name_of(use.value));
        const LaunchArg *arg = bound_arg(m->bound, str_of(name));
        if (arg && arg->parameter->is_constexpr) continue;
        const char *text = text_of(m->bound, name);
        char *end;
        long long now = strtoll(text, &end, 10);
        if (end == text || *end) continue; /* an expression follows what it is made of */
        if (is_size(m->bound, name, text))
            vary_size(m, name, now);
        else
            vec_push(m->arena, &m->points->fixed, name);
    }
}

/* ---- where tensors lie ---- */

/* A constructor of a tensor that says nothing of strides and offset; its text up to the last
 * ')'. */
static bool is_plain_constructor(const LaunchArg *arg, const char *text) {
    size_t length = text ? strlen(text) : 0;
    return arg && arg->value && arg->value->kind == ARG_TENSOR && length &&
           text[length - 1] == ')' && !has_name(text, "strides") && !has_name(text, "offset") &&
           !has_name(text, "load");
}

static const char *with_more(Maker *m, const char *text, const char *more) {
    return str_format(m->arena, "%.*s,%s)", (int)strlen(text) - 1, text, more).data;
}

static const char *new_offset(Maker *m, const char *name, void *user) {
    int *count = user;
    const char *text = text_of(m->bound, name);
    const LaunchArg *arg = bound_arg(m->bound, str_of(name));
    if (!is_plain_constructor(arg, text)) return NULL;
    ++*count;
    return with_more(m, text, "offset=1");
}

static bool asks_for_stride(const Bound *bound, const char *name, int axis) {
    const char *text;
    for (int i = 0; (text = option_nth(bound->cli, "a", i)); i++)
        for (const char *at = text; (at = strstr(at, "stride(")); at += strlen("stride(")) {
            const char *rest = at + strlen("stride("), *comma = strchr(rest, ',');
            while (*rest == ' ') rest++;
            size_t length = strcspn(rest, " ,");
            if (comma && length == strlen(name) && !strncmp(rest, name, length) &&
                strtol(comma + 1, NULL, 10) == axis)
                return true;
        }
    return false;
}

/* Strides of which the kernel is told, that are not those of a tensor without gaps. The others are
 * what the kernel takes for granted: of the inner dimensions, else nothing is varied. */
static const char *new_strides(Maker *m, const char *name, void *user) {
    const char *text = text_of(m->bound, name);
    const LaunchArg *arg = bound_arg(m->bound, str_of(name));
    int *count = user, told = 0;
    if (!is_plain_constructor(arg, text)) return NULL;
    const Tensor *tensor = arg->value->tensor;
    while (told < tensor->rank && asks_for_stride(m->bound, name, told)) told++;
    if (!told) return NULL;
    int64_t strides[TENSOR_MAX_RANK], next = 1;
    for (int i = tensor->rank - 1; i >= 0; i--) {
        if (i < told) next = i == tensor->rank - 1 ? 2 : next + PAD_ELEMENTS;
        strides[i] = next;
        if (__builtin_mul_overflow(next, tensor->shape[i] ? tensor->shape[i] : 1, &next))
            return NULL;
    }
    Buf more = {.arena = m->arena};
    buf_puts(&more, "strides=(");
    for (int i = 0; i < tensor->rank; i++)
        buf_printf(&more, "%lld%s", (long long)strides[i],
                   i + 1 < tensor->rank || tensor->rank == 1 ? "," : "");
    buf_putc(&more, ')');
    ++*count;
    return with_more(m, text, more.data);
}

void points_make(const Bound *bound, Points *points) {
    Maker m = {bound, bound->cli->arena, points};
    int strides = 0, offsets = 0;
    add_point(&m, (Point){.words = "the arguments given", .cli = *bound->cli, .is_given = true});
    vary_sizes(&m);
    Cli strided = changed(&m, new_strides, &strides), moved = changed(&m, new_offset, &offsets);
    if (strides)
        add_point(&m,
                  (Point){.words = "gaps in the tensors whose strides are given", .cli = strided});
    if (offsets)
        add_point(&m,
                  (Point){.words = "tensors that begin one element off alignment", .cli = moved});
}
