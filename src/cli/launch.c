// SPDX-License-Identifier: Apache-2.0
#include "cli/launch.h"

#include <ctype.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- signature ---- */

/* `n: tl.int64`, `n: "i64"`: the annotation fixes the type. TERN_VOID when it names none. */
static tern_dtype annotated_dtype(const tern_function_parameter *parameter) {
    Str text = str_of(parameter->annotation ? parameter->annotation : "");
    if (text.length > 1 && (text.data[0] == '"' || text.data[0] == '\''))
        text = (Str){text.data + 1, text.length - 2};
    for (int i = text.length - 1; i >= 0; i--)
        if (text.data[i] == '.') {
            text = (Str){text.data + i + 1, text.length - i - 1};
            break;
        }
    return dtype_from_word(text);
}

/* As Triton does: i32 if it fits, else i64, else u64; 1 and multiples of 16 are specialised on, but
 * for what @triton.jit(do_not_specialize=..) excepts. */
static void add_int(Buf *out, const ArgValue *value, tern_dtype annotated,
                    const tern_function_parameter *parameter) {
    tern_dtype dtype = value->is_large                             ? TERN_UINT64
                       : value->integer == (int32_t)value->integer ? TERN_INT32
                                                                   : TERN_INT64;
    if (annotated != TERN_VOID) dtype = annotated;
    buf_puts(out, tern_dtype_name(dtype));
    if (tern_dtype_is_float(dtype) || dtype == TERN_BOOL) return;
    if (parameter && parameter->do_not_specialize) return;
    if (value->integer == 1)
        buf_puts(out, ":1");
    else if (value->integer % 16 == 0 && !(parameter && parameter->do_not_specialize_on_alignment))
        buf_puts(out, ":16");
}

static const LaunchArg *find_arg(const LaunchArg *args, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (!strcmp(args[i].parameter->name, name)) return &args[i];
    return NULL;
}

typedef struct Signature {
    Buf *out;
    const LaunchArg *args;
    int count;
    Str *why;
} Signature;

static bool add_descriptor(Signature *s, const ArgValue *value, const char *name) {
    tern_descriptor descriptor;
    char type[160];
    const char *why = value_descriptor(value, &descriptor);
    if (why) {
        *s->why =
            str_format(s->out->arena, "argument '%s' is not a tensor descriptor: %s", name, why);
        return false;
    }
    tern_descriptor_type(&descriptor, type, sizeof type);
    buf_puts(s->out, type);
    return true;
}

/* parameter NULL: an item of a tuple. */
static bool add_value(Signature *s, const ArgValue *value, const char *name,
                      const tern_function_parameter *parameter) {
    tern_dtype annotated = parameter ? annotated_dtype(parameter) : TERN_VOID;
    bool promise =
        !parameter || !(parameter->do_not_specialize || parameter->do_not_specialize_on_alignment);
    Buf *out = s->out;
    const LaunchArg *arg;
    switch (value->kind) {
    case ARG_INT: add_int(out, value, annotated, parameter); break;
    case ARG_BOOL: buf_puts(out, tern_dtype_name(annotated ? annotated : TERN_BOOL)); break;
    case ARG_FLOAT: buf_puts(out, tern_dtype_name(annotated ? annotated : TERN_FLOAT32)); break;
    case ARG_NONE:
    case ARG_STR:
    case ARG_DTYPE: value_literal(out, value); break; /* constants in Triton too */
    case ARG_TENSOR:
        arg = find_arg(s->args, s->count, name);
        buf_printf(out, "*%s%s", tern_dtype_name(value->tensor->dtype),
                   arg && arg->align % 16 == 0 && promise ? ":16" : "");
        break;
    case ARG_DESC: return add_descriptor(s, value, name);
    case ARG_TUPLE:
        buf_putc(out, '(');
        for (int i = 0; i < value->num_items; i++) {
            if (i) buf_puts(out, ", ");
            if (value->names) buf_printf(out, "%s=", value->names[i]);
            if (value->items[i]->is_constexpr && !value_has_tensor(value->items[i]))
                value_literal(out, value->items[i]);
            else if (!add_value(s, value->items[i], str_format(out->arena, "%s.%d", name, i).data,
                                NULL))
                return false;
        }
        buf_putc(out, ')');
        break;
    }
    return true;
}

static bool add_arg(Signature *s, const LaunchArg *arg) {
    const char *name = arg->parameter->name;
    bool is_known = arg->parameter->is_constexpr || arg->value->is_constexpr;
    if (!is_known) return add_value(s, arg->value, name, arg->parameter);
    if (value_has_tensor(arg->value)) {
        *s->why = str_format(s->out->arena,
                             "argument '%s': a tl.constexpr parameter takes no tensor", name);
        return false;
    }
    value_literal(s->out, arg->value);
    return true;
}

bool launch_signature(Buf *out, const LaunchArg *args, int count, Str *why) {
    bool by_name = false;
    Signature signature = {out, args, count, why};
    for (int i = 0; i < count; i++) {
        if (args[i].is_part) continue;
        if (!args[i].value) {
            by_name = true;
            continue;
        }
        if (out->length) buf_putc(out, ',');
        if (by_name) buf_printf(out, "%s=", args[i].parameter->name);
        if (args[i].literal)
            buf_puts(out, args[i].literal);
        else if (!add_arg(&signature, &args[i]))
            return false;
    }
    buf_puts(out, ""); /* a kernel without arguments has the empty text */
    return true;
}

/* ---- parts ---- */

typedef struct Parts {
    Arena *arena;
    VEC(LaunchArg) list;
} Parts;

static void add_parts(Parts *parts, const char *name, ArgValue *value, bool is_whole) {
    static const char *const words[] = {"base", "shape", "stride"};
    if (!is_whole && value->kind != ARG_TUPLE && value->kind != ARG_DESC) {
        tern_function_parameter *parameter = arena_new_of(parts->arena, tern_function_parameter);
        parameter->name = name;
        vec_push(parts->arena, &parts->list,
                 (LaunchArg){.parameter = parameter, .value = value, .align = 1, .is_part = true});
        return;
    }
    int count =
        value->kind == ARG_DESC ? COUNT(words) : value->num_items; /* a block is no argument */
    for (int i = 0; i < count; i++)
        add_parts(parts,
                  value->kind == ARG_DESC ? str_format(parts->arena, "%s.%s", name, words[i]).data
                                          : str_format(parts->arena, "%s.%d", name, i).data,
                  value->items[i], false);
}

void launch_parts(Arena *arena, LaunchArg **args, int *count) {
    Parts parts = {.arena = arena};
    for (int i = 0; i < *count; i++) vec_push(arena, &parts.list, (*args)[i]);
    for (int i = 0; i < *count; i++) {
        ArgValue *value = (*args)[i].value;
        bool has_parts = value && (value->kind == ARG_TUPLE || value->kind == ARG_DESC);
        if (has_parts && !(*args)[i].parameter->is_constexpr)
            add_parts(&parts, (*args)[i].parameter->name, value, true);
    }
    *args = parts.list.data, *count = parts.list.count;
}

/* ---- arguments ---- */

static bool convert(Arena *arena, const tern_parameter *parameter, const LaunchArg *arg,
                    tern_argument *out, Str *why) {
    const ArgValue *value = arg->value;
    if (parameter->is_pointer && value->kind == ARG_TENSOR) {
        *out = tern_arg_buffer(arg->buffer);
        out->offset = arg->offset_bytes;
        return true;
    }
    if (parameter->is_pointer && value->kind == ARG_NONE) {
        *out = tern_arg_buffer(NULL);
        return true;
    }
    bool is_number = value->kind == ARG_INT || value->kind == ARG_BOOL || value->kind == ARG_FLOAT;
    if (parameter->is_pointer || !is_number) {
        *why = str_format(arena, "argument '%s': a %s for a parameter of type %s%s",
                          parameter->name, value_kind_name(value->kind),
                          parameter->is_pointer ? "*" : "", tern_dtype_name(parameter->dtype));
        return false;
    }
    bool is_float = tern_dtype_is_float(parameter->dtype);
    if (value->is_large && !is_float && parameter->dtype != TERN_UINT64) {
        *why = str_format(arena, "argument '%s': %llu for a parameter of type %s", parameter->name,
                          (unsigned long long)value->integer, tern_dtype_name(parameter->dtype));
        return false;
    }
    if (is_float)
        *out = tern_arg_float(value->kind == ARG_FLOAT ? value->number
                              : value->is_large        ? (double)(uint64_t)value->integer
                                                       : (double)value->integer);
    else if (value->kind != ARG_FLOAT)
        *out = tern_arg_int(value->integer);
    else {
        *why = str_format(arena, "argument '%s': a float for a parameter of type %s",
                          parameter->name, tern_dtype_name(parameter->dtype));
        return false;
    }
    return true;
}

bool launch_arguments(Arena *arena, const tern_kernel *kernel, const LaunchArg *args, int count,
                      tern_argument **arguments, int *num_arguments, Str *why) {
    int num_parameters = tern_kernel_num_parameters(kernel);
    *arguments = arena_array(arena, tern_argument, num_parameters + 1);
    *num_arguments = 0;
    for (int i = 0; i < num_parameters; i++) {
        const tern_parameter *parameter = tern_kernel_parameter(kernel, i);
        if (parameter->dtype == TERN_VOID) continue;
        const LaunchArg *arg = find_arg(args, count, parameter->name);
        if (!arg || !arg->value) {
            *why = str_format(arena, "argument '%s' has no value", parameter->name);
            return false;
        }
        if (!convert(arena, parameter, arg, &(*arguments)[(*num_arguments)++], why)) return false;
    }
    return true;
}

/* ---- times ---- */

static int by_length(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double launch_median(double *times, int count) {
    qsort(times, (size_t)count, sizeof *times, by_length);
    return (times[(count - 1) / 2] + times[count / 2]) / 2;
}

/* ---- crashes ---- */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
void launch_guard_crashes(void) {} /* the sanitizer says more */
#else
static void on_crash(int number) {
    static const char words[] =
        "tern: the kernel accessed an address outside of its arguments, or crashed otherwise\n"
        "help: '--device interp' checks every access and names the line\n";
    (void)number;
    if (write(STDERR_FILENO, words, sizeof words - 1) < 0) _exit(EXIT_SYSTEM);
    _exit(EXIT_WRONG);
}

void launch_guard_crashes(void) {
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < COUNT(numbers); i++) sigaction(numbers[i], &action, NULL);
}
#endif
