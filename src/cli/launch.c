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

static void add_int(Buf *out, const LaunchArg *arg, tern_dtype annotated) {
    int64_t value = arg->value->integer;
    tern_dtype dtype = value == (int32_t)value ? TERN_INT32 : TERN_INT64;
    if (annotated != TERN_VOID) dtype = annotated;
    buf_puts(out, tern_dtype_name(dtype));
    if (tern_dtype_is_float(dtype) || dtype == TERN_BOOL) return;
    if (value == 1)
        buf_puts(out, ":1");
    else if (value % 16 == 0)
        buf_puts(out, ":16");
}

static bool add_value(Buf *out, const LaunchArg *arg, Str *why) {
    const ArgValue *value = arg->value;
    const char *name = arg->parameter->name;
    tern_dtype annotated = annotated_dtype(arg->parameter);
    if (arg->parameter->is_constexpr && value->kind == ARG_TENSOR) {
        *why =
            str_format(out->arena, "argument '%s': a tl.constexpr parameter takes no tensor", name);
        return false;
    }
    if (arg->parameter->is_constexpr) {
        value_literal(out, value);
        return true;
    }
    switch (value->kind) {
    case ARG_INT: add_int(out, arg, annotated); break;
    case ARG_BOOL: buf_puts(out, tern_dtype_name(annotated ? annotated : TERN_BOOL)); break;
    case ARG_FLOAT: buf_puts(out, tern_dtype_name(annotated ? annotated : TERN_FLOAT32)); break;
    case ARG_NONE:
    case ARG_STR:
    case ARG_DTYPE: value_literal(out, value); break; /* constants in Triton too */
    case ARG_TENSOR:
        buf_printf(out, "*%s%s", tern_dtype_name(value->tensor->dtype),
                   arg->align % 16 == 0 ? ":16" : "");
        break;
    case ARG_TUPLE:
        *why = str_format(out->arena,
                          "argument '%s': a tuple for a parameter that is not tl.constexpr", name);
        return false;
    }
    return true;
}

bool launch_signature(Buf *out, const LaunchArg *args, int count, Str *why) {
    bool by_name = false;
    for (int i = 0; i < count; i++) {
        if (!args[i].value) {
            by_name = true;
            continue;
        }
        if (out->length) buf_putc(out, ',');
        if (by_name) buf_printf(out, "%s=", args[i].parameter->name);
        if (args[i].literal)
            buf_puts(out, args[i].literal);
        else if (!add_value(out, &args[i], why))
            return false;
    }
    buf_puts(out, ""); /* a kernel without arguments has the empty text */
    return true;
}

/* ---- arguments ---- */

static const LaunchArg *find_arg(const LaunchArg *args, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (!strcmp(args[i].parameter->name, name)) return &args[i];
    return NULL;
}

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
    if (is_float)
        *out = tern_arg_float(value->kind == ARG_FLOAT ? value->number : (double)value->integer);
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
