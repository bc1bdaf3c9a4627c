// SPDX-License-Identifier: Apache-2.0
/* header: NAME.h, and the description in JSON. */
#include "build/build.h"

extern const char text_runtime_h_start[], text_runtime_h_end[];

static const char *const c_types[] = {
    [TERN_VOID] = "void",           [TERN_BOOL] = "uint8_t",       [TERN_INT8] = "int8_t",
    [TERN_INT16] = "int16_t",       [TERN_INT32] = "int32_t",      [TERN_INT64] = "int64_t",
    [TERN_UINT8] = "uint8_t",       [TERN_UINT16] = "uint16_t",    [TERN_UINT32] = "uint32_t",
    [TERN_UINT64] = "uint64_t",     [TERN_FLOAT8E4M3] = "uint8_t", [TERN_FLOAT8E5M2] = "uint8_t",
    [TERN_FLOAT8E4B15] = "uint8_t", [TERN_FLOAT16] = "uint16_t",   [TERN_BFLOAT16] = "uint16_t",
    [TERN_FLOAT32] = "float",       [TERN_FLOAT64] = "double",
};

const char *c_type(tern_dtype dtype) { return c_types[dtype]; }

void print_parameters(Buf *out, const Build *build, const Function *function, const char *before) {
    const char *comma = before;
    bool any = false;
    for (int i = 0; i < build->num_parameters; i++) {
        const Parameter *p = &function->parameters[i];
        if (p->role == ROLE_FIXED) continue;
        if (p->role == ROLE_CHOICE)
            buf_printf(out, "%sint64_t %s", comma, p->c_name);
        else
            buf_printf(out, "%s%s%s %s%s", comma, p->is_pointer && !p->is_written ? "const " : "",
                       c_types[p->dtype], p->is_pointer ? "*" : "", p->c_name);
        comma = ", ", any = true;
    }
    if (!any && !*before) buf_puts(out, "void");
}

void print_grid(Buf *out, const Build *build) {
    for (int i = 0; i < build->grid_axes; i++)
        buf_printf(out, "%suint32_t grid_%c", i ? ", " : "", "xyz"[i]);
}

void print_template(Buf *out, const Build *build, const char *start, const char *end) {
    const struct {
        const char *word;
        Str text;
    } words[] = {
        {"NAME", str_of(build->name)},
        {"CAPS", str_of(build->caps)},
        {"SOURCE", build->forms.data[0]->compiled.data[0].kernel->compiled->place.source->name}};
    for (const char *at = start; at < end;) {
        int found = -1, length = 0;
        for (int i = 0; i < COUNT(words); i++) {
            length = (int)strlen(words[i].word);
            if (end - at > length && !strncmp(at, words[i].word, (size_t)length)) {
                found = i;
                break;
            }
        }
        if (found < 0)
            buf_putc(out, *at++);
        else {
            print_escaped(out, words[found].text.data, (size_t)words[found].text.length);
            at += length;
        }
    }
}

void print_escaped(Buf *out, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            buf_printf(out, "\\%c", c);
        else if (c == '\n')
            buf_puts(out, "\\n");
        else if (c < 32)
            buf_printf(out, " ");
        else
            buf_putc(out, (char)c);
    }
}

void print_words(Buf *out, const char *text) {
    for (const char *at = text; *at; at++) {
        bool ends = at[0] == '*' && at[1] == '/';
        buf_putc(out, ends ? ' ' : (unsigned char)*at < 32 ? ' ' : *at);
    }
}

/* No earlier form has its value of the parameter. */
bool is_first_choice(const Function *function, int form, int index) {
    const char *value = form_constant(function->forms.data[form], index);
    for (int i = 0; i < form; i++)
        if (!strcmp(form_constant(function->forms.data[i], index), value)) return false;
    return true;
}

void print_choices(Buf *out, const Function *function, int index) {
    for (int i = 0; i < function->forms.count; i++)
        if (is_first_choice(function, i, index))
            buf_printf(out, "%s%s", i ? ", " : "", form_constant(function->forms.data[i], index));
}

static void print_promise(Buf *out, const Function *function, int index) {
    bool is_one, one_in_last;
    int divisible = form_divisible(function->forms.data[0], index, &is_one);
    int last = form_divisible(function->forms.data[function->forms.count - 1], index, &one_in_last);
    bool must = last > 1 || one_in_last;
    if (divisible <= 1 && !is_one) return;
    buf_puts(out, must ? ", must be " : ", faster if ");
    if (is_one)
        buf_puts(out, "1");
    else
        buf_printf(out, "divisible by %d%s", divisible,
                   function->parameters[index].is_pointer ? " bytes" : "");
}

static void print_doc(Buf *out, const Build *build, const Function *function) {
    static const char *const grids[] = {"grid_x", "grid_x * grid_y", "grid_x * grid_y * grid_z"};
    buf_printf(out, "\n/* Runs %s programs; one of 0 runs nothing.\n", grids[build->grid_axes - 1]);
    for (int i = 0; i < build->num_parameters; i++) {
        const Parameter *p = &function->parameters[i];
        buf_puts(out, " *   ");
        print_words(out, p->c_name);
        if (p->role == ROLE_FIXED) {
            buf_puts(out, " is ");
            print_words(out, p->constant);
            buf_puts(out, ": no parameter");
        } else if (p->role == ROLE_CHOICE)
            buf_puts(out, ": "), print_choices(out, function, i);
        else if (p->is_pointer)
            buf_printf(out, ": %s %s", tern_dtype_name(p->dtype),
                       p->is_written ? "written" : "read");
        else
            buf_printf(out, ": %s", tern_dtype_name(p->dtype));
        if (p->role == ROLE_PASSED) print_promise(out, function, i);
        buf_putc(out, '\n');
    }
    if (build->require.text) {
        buf_puts(out, " * Refused unless ");
        print_words(out, build->require.text);
        buf_puts(out, ".\n");
    }
    buf_printf(out, " * Returns %s_OK or a negative status. */\n", build->caps);
}

void print_header(Buf *out, Build *build) {
    const Source *source = build->forms.data[0]->compiled.data[0].kernel->compiled->place.source;
    buf_printf(out, "/* %s.h: written by tern %s from ", build->name, tern_version());
    print_words(out, source->name.data);
    buf_printf(
        out,
        ":%s. Do not edit.\n *\n"
        " * A call checks its arguments, takes the first compiled form that is right for them, "
        "and\n"
        " * enqueues it on the GPU or runs it on the CPU; what no form is right for is refused "
        "with\n"
        " * the reason. Any thread may call. %s.%c needs gcc or clang, as C11 or C++17, -pthread,\n"
        " * -ldl and -lm; nothing of tern, and of CUDA only the driver where it runs. */\n",
        build->kernel->name, build->name, build->header_only ? 'h' : 'c');
    if (build->header_only)
        buf_printf(
            out,
            "/* In one file of the program, which has little else, %s_IMPLEMENTATION is to be "
            "defined\n * before this is included: the code comes with it. */\n",
            build->caps);
    if (build->header_only)
        buf_printf(out,
                   "#if defined(%s_IMPLEMENTATION) && !defined(_GNU_SOURCE)\n#ifdef _FEATURES_H\n"
                   "#error \"define _GNU_SOURCE before the first #include\"\n#endif\n"
                   "#define _GNU_SOURCE\n#endif\n",
                   build->caps);
    print_template(out, build, text_runtime_h_start, text_runtime_h_end);
    for (int i = 0; i < build->functions.count; i++) {
        const Function *function = &build->functions.data[i];
        print_doc(out, build, function);
        buf_printf(out, "int %s(const %s_call *call, ", function->name, build->name);
        print_grid(out, build);
        print_parameters(out, build, function, ", ");
        buf_printf(out,
                   ");\n/* Which form that would be, from 0, or %s_ARGUMENT. */\nint %s_form%s(",
                   build->caps, build->name, function->suffix);
        print_parameters(out, build, function, "");
        buf_puts(out, ");\n");
    }
    buf_puts(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    if (!build->header_only) return;
    buf_printf(
        out,
        "\n#if defined(%s_IMPLEMENTATION) && !defined(%s_IMPLEMENTED)\n#define %s_IMPLEMENTED\n",
        build->caps, build->caps, build->caps);
    print_source(out, build);
    buf_puts(out, "#endif\n");
}

/* ---- the description ---- */

static void put_member(Buf *out, const char *key, const char *text) {
    buf_printf(out, "\"%s\": ", key);
    buf_json(out, str_of(text));
}

static void describe_function(Buf *out, const Build *build, const Function *function) {
    static const char *const roles[] = {"value", "choice", "constant"};
    buf_puts(out, "{");
    put_member(out, "name", function->name);
    buf_puts(out, ", \"parameters\": [");
    for (int i = 0; i < build->num_parameters; i++) {
        const Parameter *p = &function->parameters[i];
        buf_puts(out, i ? ", {" : "{");
        put_member(out, "name", p->name);
        buf_puts(out, ", ");
        put_member(out, "role", roles[p->role]);
        if (p->role == ROLE_PASSED) {
            buf_puts(out, ", ");
            put_member(out, "dtype", tern_dtype_name(p->dtype));
            buf_printf(out, ", \"pointer\": %s, \"written\": %s", p->is_pointer ? "true" : "false",
                       p->is_pointer && p->is_written ? "true" : "false");
        } else if (p->role == ROLE_FIXED) {
            buf_puts(out, ", ");
            put_member(out, "constant", p->constant);
        }
        buf_puts(out, "}");
    }
    buf_puts(out, "], \"forms\": [");
    for (int i = 0; i < function->forms.count; i++) {
        const Form *form = function->forms.data[i];
        buf_printf(out, "%s{\"number\": %d, ", i ? ", " : "", form->number);
        put_member(out, "signature", form->signature);
        buf_puts(out, ", \"targets\": [");
        for (int k = 0; k < form->compiled.count; k++)
            buf_printf(out, "%s\"%s%s\"", k ? ", " : "",
                       form->compiled.data[k].cubin.length ? "cubin:" : "",
                       form->compiled.data[k].target);
        buf_puts(out, "]}");
    }
    buf_puts(out, "]}");
}

void print_description(Buf *out, Build *build) {
    buf_puts(out, "{\"abi\": 1, ");
    put_member(out, "name", build->name);
    buf_puts(out, ", ");
    put_member(out, "tern", tern_version());
    buf_puts(out, ", ");
    put_member(out, "kernel", build->kernel->name);
    if (build->require.text) {
        buf_puts(out, ", ");
        put_member(out, "require", build->require.text);
    }
    buf_puts(out, ", \"functions\": [");
    for (int i = 0; i < build->functions.count; i++) {
        if (i) buf_puts(out, ", ");
        describe_function(out, build, &build->functions.data[i]);
    }
    buf_puts(out, "]}\n");
}
