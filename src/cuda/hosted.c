// SPDX-License-Identifier: Apache-2.0
/* hosted: a file, with the user's headers that it includes, as one text for a C++ compiler, which
 * makes the host's side of it. What the device alone sees goes, kernels get a body that says what
 * they were launched with, and launches become calls; the rest stays as the user wrote it, with
 * its lines:
 *
 *     template <typename T>
 *     __global__ void k(T *x) { .. }          .. void k(T *x) { ::tern_host::stub("k", "T",
 *                                                 __PRETTY_FUNCTION__, x); }
 *     __device__ float square(float x) {..}   nothing; of a class and where a launch names it: ;
 *     k<<<n, 256>>>(x);                       (::tern_host::configure(9, "a.cu")(n, 256), k(x),
 *                                                 ::tern_host::entered());
 *     #include "kernels.h"                    its text
 *     #include <torch/extension.h>            a blank line: kernels/cuda has it
 *     PYBIND11_MODULE(..) {..}                blanks
 *
 * So it is C++ that says which kernel a launch means, with which arguments of a template. Launches
 * are found in the text, not among tokens, which macros have changed. */
#include "cuda/front.h"

#include <stdlib.h>

typedef struct Edit { /* of a source: from..to becomes the text, and keeps its lines */
    const Source *source;
    int from, to;
    Str text;
    const Source *included; /* whose text stands there instead; NULL: none */
} Edit;

typedef struct Hosted {
    Arena *arena;
    const CuModule *module;
    Diag *diag;
    VEC(Edit) edits;
    Buf callees; /* what launches name */
    Buf out;
} Hosted;

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_blank(char c) { return c && strchr(" \t\r\n\\", c); }

static bool starts(Str text, int at, const char *words) {
    size_t length = strlen(words);
    return at + (int)length <= text.length && !memcmp(text.data + at, words, length);
}

/* Behind a comment, a string, a word, or one character. */
static int next_part(Str text, int at) {
    const char *data = text.data;
    int end = at + 1;
    if (starts(text, at, "//")) {
        while (end < text.length && data[end] != '\n') end++;
    } else if (starts(text, at, "/*")) {
        for (end = at + 2; end < text.length && !starts(text, end, "*/");) end++;
        end += 2;
    } else if (data[at] == '"' || data[at] == '\'') {
        while (end < text.length && data[end] != data[at] && data[end] != '\n')
            end += data[end] == '\\' ? 2 : 1;
        end++;
    } else if (is_word(data[at])) {
        while (end < text.length && (is_word(data[end]) || data[end] == '\'')) end++;
    }
    return end < text.length ? end : text.length;
}

static void edit(Hosted *h, const Source *source, int from, int to, Str text) {
    vec_push(h->arena, &h->edits, ((Edit){source, from, to, text, NULL}));
}

/* ---- launches ---- */

/* Where the kernel's name in front of `at` begins, with its template arguments; -1: there is none.
 */
static int callee_start(Str text, int at) {
    const char *data = text.data;
    int depth = 0;
    while (at > 0 && is_blank(data[at - 1])) at--;
    if (at > 0 && data[at - 1] == '>') do {
            char c = data[--at];
            depth += (c == '>' || c == ')') - (c == '<' || c == '(');
        } while (at > 0 && depth > 0);
    while (at > 0 && is_blank(data[at - 1])) at--;
    int start = at;
    while (start > 0 && (is_word(data[start - 1]) || data[start - 1] == ':')) start--;
    bool is_name = start < at && !(data[start] >= '0' && data[start] <= '9');
    return depth == 0 && is_name ? start : -1;
}

/* Of the `>>>` behind `at`; -1: there is none. */
static int configuration_end(Str text, int at) {
    for (int depth = 0; at < text.length; at = next_part(text, at)) {
        char c = text.data[at];
        if (depth == 0 && starts(text, at, ">>>")) return at;
        if (depth == 0 && strchr(";)}]", c)) return -1;
        depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
    }
    return -1;
}

/* Behind the ')' of the '(' behind `at`; -1: there is none. */
static int arguments_end(Str text, int at) {
    int depth = 0;
    while (at < text.length &&
           (is_blank(text.data[at]) || starts(text, at, "//") || starts(text, at, "/*")))
        at = next_part(text, at);
    if (at == text.length || text.data[at] != '(') return -1;
    for (; at < text.length; at = next_part(text, at)) {
        char c = text.data[at];
        depth += (c == '(') - (c == ')');
        if (depth == 0) return at + 1;
    }
    return -1;
}

static Str in_a_line(Arena *arena, Str text, int from, int to) {
    Buf line = {.arena = arena};
    buf_puts(&line, "");
    for (int at = from, end; at < to; at = end) {
        end = next_part(text, at);
        bool is_comment = starts(text, at, "//") || starts(text, at, "/*");
        if (is_comment || is_blank(text.data[at]))
            buf_putc(&line, ' ');
        else
            buf_add(&line, text.data + at, (size_t)(end - at));
    }
    return buf_str(&line);
}

static int launch_edits(Hosted *h, const Source *source, int at) {
    Str text = source->text;
    int start = callee_start(text, at), end = configuration_end(text, at + 3);
    Span span = {source, at, at + 3};
    if (start < 0)
        diag_error(h->diag, span, "a launch of something that is no kernel's name");
    else if (end < 0)
        diag_error(h->diag, span, "'<<<' without '>>>'");
    if (start < 0 || end < 0) return at + 3;
    int behind = arguments_end(text, end + 3);
    if (behind < 0) {
        diag_error(h->diag, (Span){source, end, end + 3},
                   "a launch without arguments in parentheses");
        return end + 3;
    }
    Str shape = in_a_line(h->arena, text, at + 3, end);
    buf_printf(&h->callees, " %.*s ", at - start, text.data + start);
    edit(h, source, start, start,
         str_format(h->arena, "(::tern_host::configure(__LINE__, __FILE__)(%.*s), ",
                    STR_ARG(shape)));
    edit(h, source, at, end + 3, STR(""));
    edit(h, source, behind, behind, STR(", ::tern_host::entered())"));
    return end + 3;
}

/* ---- includes, bindings ---- */

static const CuIncluded *included_at(const CuModule *m, const Source *source, int from, int to) {
    for (const CuIncluded *i = m->headers.included; i; i = i->next)
        if (i->at.source == source && i->at.start >= from && i->at.start < to) return i;
    return NULL;
}

/* Of an #include, of #pragma once. */
static void directive_edit(Hosted *h, const Source *source, int at) {
    static const char *const ours[] = {"torch/",
                                       "ATen/",
                                       "c10/",
                                       "cuda.h",
                                       "cuda_",
                                       "cuda/",
                                       "cuComplex.h",
                                       "cooperative_groups",
                                       "curand_kernel.h",
                                       "cub/",
                                       "mma.h",
                                       "builtin_types.h",
                                       "device_launch_parameters.h",
                                       "driver_types.h",
                                       "math_constants.h",
                                       "math_functions.h",
                                       "vector_functions.h",
                                       "vector_types.h",
                                       "pybind11/"};
    Str text = source->text;
    int name = at + 1, end = at;
    while (end < text.length && text.data[end] != '\n') end++;
    while (name < end && strchr(" \t", text.data[name])) name++;
    if (starts(text, at, "#pragma once")) edit(h, source, at, end, STR(""));
    if (!starts(text, name, "include")) return;
    const CuIncluded *included = included_at(h->module, source, at, end);
    if (included) {
        vec_push(h->arena, &h->edits, ((Edit){source, at, end, STR(""), included->source}));
        return;
    }
    name += (int)strlen("include");
    while (name < end && strchr(" \t<\"", text.data[name])) name++;
    for (int i = 0; i < COUNT(ours); i++)
        if (starts(text, name, ours[i])) {
            edit(h, source, at, end, STR(""));
            return;
        }
}

/* Behind NAME(..) {..} */
static int behind_binding(Str text, int at) {
    int depth = 0, end = at;
    bool in_body = false;
    do {
        char c = text.data[end];
        depth += (c == '{') - (c == '}');
        in_body |= depth > 0;
        end = next_part(text, end);
    } while (end < text.length && !(in_body && depth == 0));
    return end;
}

static void text_edits(Hosted *h, const Source *source) {
    Str text = source->text;
    bool line_start = true;
    if (starts(text, 0, "\xef\xbb\xbf")) edit(h, source, 0, 3, STR("")); /* a byte order mark */
    for (int at = 0, end; at < text.length && !diag_failed(h->diag); at = end) {
        char c = text.data[at];
        end = next_part(text, at);
        if (c == '#' && line_start) directive_edit(h, source, at);
        if (starts(text, at, "PYBIND11_MODULE") || starts(text, at, "TORCH_LIBRARY")) {
            end = behind_binding(text, at);
            edit(h, source, at, end, STR(""));
        }
        if (starts(text, at, "<<<")) end = launch_edits(h, source, at);
        line_start = c == '\n' || (line_start && strchr(" \t", c));
    }
}

/* ---- what kernels and functions of the device become ---- */

/* The name that a parameter has, of a function or a template: the last word in front of a '=', a
 * '[' or its end. Empty: it has none. */
static Str param_name(const CuToken *from, const CuToken *end) {
    const CuToken *name = NULL;
    for (const CuToken *t = from; t != end && !cu_is(t, "=") && !cu_is(t, "["); t = t->next)
        name = t;
    return name && name->kind == CU_NAME && name != from ? name->text : STR("");
}

/* The names in a list that begins at `open`, each with a comma behind it; false: one has none. */
static bool param_names(const CuToken *open, bool is_template, Buf *names) {
    const CuToken *end = is_template ? cu_skip_angles((CuToken *)(uintptr_t)open)
                                     : cu_skip((CuToken *)(uintptr_t)open);
    const CuToken *start = open->next;
    for (CuToken *t = open->next; t->kind != CU_END;) {
        bool is_last = t == end || t->next == end;
        if (!cu_is(t, ",") && !is_last) {
            bool opens = cu_is(t, "(") || cu_is(t, "[") || cu_is(t, "{");
            CuToken *next = opens ? cu_skip(t) : cu_is(t, "<") ? cu_skip_angles(t) : t->next;
            t = next;
            continue;
        }
        bool is_void = cu_is(start, "void") && start->next == t;
        if (start != t && !is_void) {
            Str name = param_name(start, t);
            if (!name.length) return false;
            bool is_pack = !is_template && cu_says(start, t, (const char *[]){"..."}, 1);
            buf_printf(names, "%.*s%s,", STR_ARG(name), is_pack ? "..." : "");
        }
        if (is_last) return true;
        start = t = t->next;
    }
    return true;
}

/* The name by which tern finds it, whatever namespaces there are: see cu_kernel_name. */
static Str found_by(Hosted *h, const CuDecl *decl) {
    for (int i = 0; i < h->module->kernels.count; i++)
        if (h->module->kernels.data[i].decl == decl)
            return cu_kernel_name(h->arena, h->module, &h->module->kernels.data[i]);
    return decl->name;
}

static void kernel_edit(Hosted *h, const CuDecl *decl, Span from, Span to) {
    Buf parameters = {.arena = h->arena}, names = {.arena = h->arena}, stub = {.arena = h->arena};
    buf_puts(&parameters, ""), buf_puts(&names, "");
    bool is_full = cu_is_full(decl);
    bool fine = !decl->templates || is_full || param_names(decl->templates, true, &parameters);
    fine = fine && param_names(decl->params, false, &names);
    if (!fine || decl->body->place.from || (decl->special && !is_full)) {
        diag_refused(h->diag, cu_span(decl->at->place),
                     !fine           ? "host 'c++': a kernel with a parameter that has no name"
                     : decl->special ? "host 'c++': a kernel that is a partial specialisation"
                                     : "host 'c++': a kernel that a macro writes");
        return;
    }
    Str list = buf_str(&names);
    if (list.length) list.length--;
    buf_printf(&stub, "{ ::tern_host::stub(\"%.*s\", \"%.*s\", __PRETTY_FUNCTION__%s%.*s); }",
               STR_ARG(found_by(h, decl)), STR_ARG(buf_str(&parameters)), list.length ? ", " : "",
               STR_ARG(list));
    edit(h, from.source, from.start, to.end, buf_str(&stub));
}

static bool is_named(Str words, Str name) {
    for (int i = 0; i + name.length <= words.length; i++)
        if (!memcmp(words.data + i, name.data, (size_t)name.length) &&
            (!i || !is_word(words.data[i - 1])) && !is_word(words.data[i + name.length]))
            return true;
    return false;
}

static void function_edit(Hosted *h, const CuDecl *decl) {
    static const char *const devices[] = {"__device__"}, *const hosts[] = {"__host__", "constexpr"};
    bool is_devices = cu_says(decl->start, decl->params, devices, 1) &&
                      !cu_says(decl->start, decl->params, hosts, 2);
    if (!decl->body || !(decl->is_kernel || is_devices)) return;
    Span to = cu_span(cu_last(decl->body, decl->end)->place), from = cu_span(decl->body->place);
    if (decl->is_kernel) {
        kernel_edit(h, decl, from, to);
        return;
    }
    if (decl->inits) {
        const CuToken *colon = decl->params;
        while (colon->next != decl->inits) colon = colon->next;
        from = cu_span(colon->place);
    }
    if (!decl->owner && !is_named(buf_str(&h->callees), decl->name))
        from = cu_span(cu_first(h->module, decl)->place);
    if (from.source != to.source || !from.source || from.start >= to.end) return;
    int behind = decl->body->place.from ? cu_end_of_use(to.source->text, to.end) : to.end;
    edit(h, from.source, from.start, behind, STR(";"));
}

static void declared_edits(Hosted *h, const CuDecls *decls) {
    static const char *const managed[] = {"__managed__"};
    for (int i = 0; i < decls->in_order.count; i++) {
        const CuDecl *decl = decls->in_order.data[i];
        if (decl->kind == CU_DECL_FUNCTION) function_edit(h, decl);
        if (decl->members) declared_edits(h, decl->members);
        if (decl->kind == CU_DECL_VARIABLE && cu_says(decl->start, decl->at, managed, 1))
            diag_refused(h->diag, cu_span(decl->at->place), "host 'c++': a __managed__ variable");
    }
}

/* ---- the text ---- */

static int by_place(const void *a, const void *b) {
    const Edit *x = a, *y = b;
    if (x->source != y->source) return x->source < y->source ? -1 : 1;
    if (x->from != y->from) return x->from - y->from;
    return y->to - x->to; /* the longer one first: what is in it is gone */
}

static void put_quoted(Buf *out, Str text) {
    buf_putc(out, '"');
    for (int i = 0; i < text.length; i++) {
        if (strchr("\"\\", text.data[i])) buf_putc(out, '\\');
        buf_putc(out, text.data[i]);
    }
    buf_putc(out, '"');
}

static void put_line(Buf *out, const Source *source, int at) {
    int line, column;
    source_position(source, at, &line, &column);
    buf_printf(out, "\n#line %d ", line);
    put_quoted(out, source->name);
    buf_putc(out, '\n');
}

static void put_source(Hosted *h, const Source *source);

static void put_edit(Hosted *h, const Edit *e) {
    buf_add(&h->out, e->text.data, (size_t)e->text.length);
    if (e->included) {
        put_source(h, e->included);
        put_line(&h->out, e->source, e->to);
        return;
    }
    for (int i = e->from; i < e->to; i++)
        if (e->source->text.data[i] == '\n')
            buf_puts(&h->out, i && e->source->text.data[i - 1] == '\\' ? "\\\n" : "\n");
}

static void put_source(Hosted *h, const Source *source) {
    put_line(&h->out, source, 0);
    int copied = 0;
    for (int i = 0; i < h->edits.count && !diag_failed(h->diag); i++) {
        const Edit *e = &h->edits.data[i];
        if (e->source != source || e->from < copied) continue;
        buf_add(&h->out, source->text.data + copied, (size_t)(e->from - copied));
        put_edit(h, e);
        copied = e->to;
    }
    buf_add(&h->out, source->text.data + copied, (size_t)(source->text.length - copied));
}

/* Libraries whose functions the host calls: what a compiler here might find of them is not for
 * tern's devices. */
static void libraries_refused(const CuModule *m, Diag *diag) {
    static const char *const names[] = {
        "cublas",      "cudnn",       "cufft",      "curand.h", "cusolver",   "cusparse",
        "cudss",       "cutensor",    "cutlass/",   "cute/",    "nccl",       "npp",
        "nvml",        "nvrtc",       "nvgraph",    "nvjpeg",   "nvshmem",    "thrust/",
        "cub/device/", "cudaGL",      "cuda_gl_",   "cuda_d3d", "cudaEGL",    "GL/",
        "cuda/std/",   "cuda/atomic", "nvToolsExt", "nvtx3/",   "rapids_cpm", "raft/"};
    const CuUnread *lists[] = {m->headers.left_out, m->headers.unread};
    for (int k = 0; k < COUNT(lists); k++)
        for (const CuUnread *h = lists[k]; h; h = h->next)
            for (int i = 0; i < COUNT(names); i++)
                if (str_starts(h->name, names[i])) {
                    diag_refused(diag, h->at, "host 'c++': the library of <%.*s>",
                                 STR_ARG(h->name));
                    return;
                }
}

Str cu_hosted_text(Arena *arena, const CuModule *m, Diag *diag) {
    CuOptions options = m->options;
    options.is_host = true;
    m = cu_load(arena, m->source, m->path, &options, diag);
    if (m) libraries_refused(m, diag);
    if (!m || diag_failed(diag)) return STR("");
    Hosted h = {
        .arena = arena, .module = m, .diag = diag, .callees.arena = arena, .out.arena = arena};
    buf_puts(&h.callees, "");
    text_edits(&h, m->source);
    for (const CuIncluded *i = m->headers.included; i; i = i->next)
        if (i->source) text_edits(&h, i->source);
    declared_edits(&h, &m->decls);
    if (h.edits.count) qsort(h.edits.data, (size_t)h.edits.count, sizeof *h.edits.data, by_place);
    if (!diag_failed(diag)) put_source(&h, m->source);
    return diag_failed(diag) ? STR("") : buf_str(&h.out);
}

bool cu_includes(const CuModule *m, const char *header) {
    bool is_folder = str_ends(str_of(header), "/");
    const CuUnread *lists[] = {m->headers.left_out, m->headers.unread};
    for (int k = 0; k < COUNT(lists); k++)
        for (const CuUnread *h = lists[k]; h; h = h->next)
            if (str_is(h->name, header) || (is_folder && str_starts(h->name, header))) return true;
    return false;
}
