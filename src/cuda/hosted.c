// SPDX-License-Identifier: Apache-2.0
/* hosted: a file as a C++ compiler is to be given it, for its functions for the host. What the
 * device alone sees is blanked out, kernels are declared, and launches become calls; the rest stays
 * as the user wrote it, with its lines:
 *
 *     __global__ void k(float *x) { .. }           __global__ void k(float *x) ;
 *     __device__ float square(float x) {..}        blanks
 *     k<<<n, 256>>>(x.data_ptr<float>());          ::tern_host::launch<decltype(&k)>(9, "k",
 *                                                      ::tern_host::Shape(n, 256))(x.data_ptr ..
 *     #include <torch/extension.h>                 a blank line: kernels/cuda/compiled.hpp has it
 *     PYBIND11_MODULE(..) {..}                     blanks
 *
 * Launches are found in the text, not among tokens, which macros have changed. */
#include "cuda/front.h"

typedef struct Text {
    Arena *arena;
    const CuModule *module;
    char *data;
    int length;
} Text;

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static void blank(Text *text, int from, int to) {
    for (int i = from; i < to; i++)
        if (text->data[i] != '\n') text->data[i] = ' ';
}

static bool starts(const Text *text, int at, const char *words) {
    size_t length = strlen(words);
    return at + (int)length <= text->length && !memcmp(text->data + at, words, length);
}

/* Behind a comment, a string, a word, or one character. */
static int next_part(const Text *text, int at) {
    const char *data = text->data;
    int end = at + 1;
    if (starts(text, at, "//")) {
        while (end < text->length && data[end] != '\n') end++;
    } else if (starts(text, at, "/*")) {
        for (end = at + 2; end < text->length && !starts(text, end, "*/");) end++;
        end += 2;
    } else if (data[at] == '"' || data[at] == '\'') {
        while (end < text->length && data[end] != data[at] && data[end] != '\n')
            end += data[end] == '\\' ? 2 : 1;
        end++;
    } else if (is_word(data[at])) {
        while (end < text->length && (is_word(data[end]) || data[end] == '\'')) end++;
    }
    return end < text->length ? end : text->length;
}

static Span span_at(const Text *text, int at, int length) {
    return (Span){text->module->source, at, at + length};
}

/* ---- what goes ---- */

static void blank_function(Text *text, const CuDecl *decl) {
    static const char *const kernels[] = {"__global__"}, *const devices[] = {"__device__"},
                             *const hosts[] = {"__host__"};
    const CuToken *last = decl->start;
    bool is_kernel = cu_says(decl->start, decl->params, kernels, 1),
         is_devices = cu_says(decl->start, decl->params, devices, 1) &&
                      !cu_says(decl->start, decl->params, hosts, 1);
    if (!decl->body || !(is_kernel || is_devices)) return;
    while (last->next != decl->end && last->next->kind != CU_END) last = last->next;
    Span from = cu_span(is_kernel ? decl->body->place : cu_first(text->module, decl)->place),
         to = cu_span(last->place);
    if (from.source != text->module->source || to.source != from.source) return;
    blank(text, from.start, to.end);
    text->data[from.start] = ';';
}

static void blank_include(Text *text, int at, int end) {
    static const char *const ours[] = {"torch/",
                                       "ATen/",
                                       "c10/",
                                       "cuda",
                                       "cooperative_groups",
                                       "curand",
                                       "cub/",
                                       "mma.h",
                                       "device_launch_parameters.h",
                                       "math_constants.h",
                                       "vector_types.h",
                                       "pybind11/"};
    int name = at + 1;
    while (name < end && strchr(" \t", text->data[name])) name++;
    if (!starts(text, name, "include")) return;
    name += (int)strlen("include");
    while (name < end && strchr(" \t<\"", text->data[name])) name++;
    for (int i = 0; i < COUNT(ours); i++)
        if (starts(text, name, ours[i])) blank(text, at, end);
}

/* NAME(..) {..} */
static void blank_binding(Text *text, int at) {
    int depth = 0, end = at;
    bool in_body = false;
    do {
        char c = text->data[end];
        depth += (c == '{') - (c == '}');
        in_body |= depth > 0;
        end = next_part(text, end);
    } while (end < text->length && !(in_body && depth == 0));
    blank(text, at, end);
}

static void blank_rest(Text *text) {
    bool line_start = true;
    for (int at = 0, end; at < text->length; at = end) {
        char c = text->data[at];
        end = next_part(text, at);
        if (c == '#' && line_start) {
            while (end < text->length && text->data[end] != '\n') end++;
            blank_include(text, at, end);
        }
        if (starts(text, at, "PYBIND11_MODULE") || starts(text, at, "TORCH_LIBRARY"))
            blank_binding(text, at);
        line_start = c == '\n' || (line_start && strchr(" \t", c));
    }
}

/* ---- launches ---- */

/* Where the kernel's name in front of `at` begins, with its template arguments; -1: there is none.
 */
static int callee_start(const Text *text, int at) {
    const char *data = text->data;
    int depth = 0;
    while (at > 0 && strchr(" \t\n", data[at - 1])) at--;
    if (at > 0 && data[at - 1] == '>') do {
            char c = data[--at];
            depth += (c == '>' || c == ')') - (c == '<' || c == '(');
        } while (at > 0 && depth > 0);
    while (at > 0 && strchr(" \t\n", data[at - 1])) at--;
    int start = at;
    while (start > 0 && (is_word(data[start - 1]) || data[start - 1] == ':')) start--;
    bool is_name = start < at && !(data[start] >= '0' && data[start] <= '9');
    return depth == 0 && is_name ? start : -1;
}

/* Of the `>>>` behind `at`; -1: there is none. */
static int configuration_end(const Text *text, int at) {
    for (int depth = 0; at < text->length; at = next_part(text, at)) {
        char c = text->data[at];
        if (depth == 0 && starts(text, at, ">>>")) return at;
        if (depth == 0 && strchr(";)}]", c)) return -1;
        depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
    }
    return -1;
}

/* `name`, as one line, in quotes or not. */
static void put_name(Buf *out, const Text *text, int start, int end) {
    while (end > start && strchr(" \t\n", text->data[end - 1])) end--;
    for (int i = start; i < end; i++) buf_putc(out, text->data[i] == '\n' ? ' ' : text->data[i]);
}

static bool put_launch(Buf *out, const Text *text, int copied, int at, int *behind, Diag *diag) {
    int start = callee_start(text, at), end = configuration_end(text, at + 3), line = 1;
    if (start < copied)
        diag_error(diag, span_at(text, at, 3), "a launch of something that is no kernel's name");
    else if (end < 0)
        diag_error(diag, span_at(text, at, 3), "'<<<' without '>>>'");
    if (start < copied || end < 0) return false;
    *behind = end + 3;
    for (end += 3; end < text->length && strchr(" \t\n", text->data[end]);) end++;
    if (end == text->length || text->data[end] != '(') {
        diag_error(diag, span_at(text, *behind - 3, 3),
                   "a launch without arguments in parentheses");
        return false;
    }
    for (int i = 0; i < start; i++) line += text->data[i] == '\n';
    buf_add(out, text->data + copied, (size_t)(start - copied));
    buf_puts(out, "::tern_host::launch<decltype(&");
    put_name(out, text, start, at);
    buf_printf(out, ")>(%d, \"", line);
    put_name(out, text, start, at);
    buf_puts(out, "\", ::tern_host::Shape(");
    buf_add(out, text->data + at + 3, (size_t)(*behind - 3 - at - 3));
    buf_puts(out, "))");
    for (int i = start; i < at; i++) /* those of the name, which is one line now */
        if (text->data[i] == '\n') buf_putc(out, '\n');
    return true;
}

Str cu_hosted_text(Arena *arena, const CuModule *m, Diag *diag) {
    Str whole = m->source->text;
    Text text = {arena, m, arena_array(arena, char, whole.length + 1), whole.length};
    memcpy(text.data, whole.data, (size_t)whole.length);
    for (int i = 0; i < m->decls.in_order.count; i++)
        if (m->decls.in_order.data[i]->kind == CU_DECL_FUNCTION)
            blank_function(&text, m->decls.in_order.data[i]);
    blank_rest(&text);
    Buf out = {.arena = arena};
    int copied = 0;
    for (int at = 0, end; at < text.length; at = end) {
        end = next_part(&text, at);
        if (!starts(&text, at, "<<<")) continue;
        if (!put_launch(&out, &text, copied, at, &end, diag)) return STR("");
        copied = end;
    }
    buf_add(&out, text.data + copied, (size_t)(text.length - copied));
    return buf_str(&out);
}
