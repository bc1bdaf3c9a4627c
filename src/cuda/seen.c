// SPDX-License-Identifier: Apache-2.0
/* seen: a file as another compiler for the device is to be given it. NVRTC takes no functions of
 * the host and none of its headers, of which most files are full. What the host alone sees is
 * blanked out; the rest stays as the user wrote it, macros and all, with its lines and columns:
 *
 *     torch::Tensor gelu(torch::Tensor x) {..}      blanks
 *     static std::vector<float> table;              blanks
 *     __device__ float square(float x) {..}         as it is */
#include "cuda/front.h"

bool cu_says(const CuToken *from, const CuToken *end, const char *const *words, int count) {
    for (const CuToken *t = from; t != end && t->kind != CU_END; t = t->next)
        for (int i = 0; i < count; i++)
            if (cu_is(t, words[i])) return true;
    return false;
}

const CuToken *cu_first(const CuModule *m, const CuDecl *decl) {
    const CuToken *start = decl->start;
    if (!decl->templates) return start;
    for (const CuToken *t = m->tokens; t != start && t->kind != CU_END; t = t->next)
        if (cu_is(t, "template") && t->next == decl->templates) return t;
    return start;
}

/* Behind a variable's ';'. */
static const CuToken *end_of_variable(const CuDecl *decl) {
    CuToken *t = decl->at;
    while (t->kind != CU_END && !cu_is(t, ";"))
        t = cu_is(t, "(") || cu_is(t, "[") || cu_is(t, "{") ? cu_skip(t) : t->next;
    return t->next;
}

static bool is_hosts(const CuDecl *decl) {
    static const char *const of_functions[] = {"__global__", "__device__", "constexpr"};
    static const char *const of_variables[] = {"__device__", "__constant__", "__managed__",
                                               "__shared__", "const",        "constexpr"};
    if (decl->kind == CU_DECL_FUNCTION)
        return decl->end && !cu_says(decl->start, decl->params, of_functions, COUNT(of_functions));
    bool is_record = cu_is(decl->start, "struct") || cu_is(decl->start, "class") ||
                     cu_is(decl->start, "union") || cu_is(decl->start, "enum");
    return decl->kind == CU_DECL_VARIABLE && !is_record &&
           !cu_says(decl->start, decl->at, of_variables, COUNT(of_variables));
}

const CuToken *cu_last(const CuToken *from, const CuToken *end) {
    while (from->next != end && from->next->kind != CU_END) from = from->next;
    return from;
}

int cu_end_of_use(Str text, int at) {
    int depth = 0, end = at;
    while (end < text.length && strchr(" \t\n", text.data[end])) end++;
    if (end == text.length || text.data[end] != '(') return at;
    do depth += (text.data[end] == '(') - (text.data[end] == ')');
    while (++end < text.length && depth > 0);
    return end;
}

static void blank_out(const CuModule *m, const CuDecl *decl, char *text) {
    const CuToken *end = decl->kind == CU_DECL_FUNCTION ? decl->end : end_of_variable(decl);
    const CuToken *start = cu_first(m, decl), *last = cu_last(start, end);
    Span from = cu_span(start->place), to = cu_span(last->place);
    if (from.source != m->source || to.source != m->source) return;
    int behind = last->place.from ? cu_end_of_use(m->source->text, to.end) : to.end;
    for (int i = from.start; i < behind; i++)
        if (text[i] != '\n') text[i] = ' ';
}

Str cu_device_text(Arena *arena, const CuModule *m) {
    Str whole = m->source->text;
    char *text = arena_array(arena, char, whole.length + 1);
    memcpy(text, whole.data, (size_t)whole.length);
    for (int i = 0; i < m->decls.in_order.count; i++)
        if (is_hosts(m->decls.in_order.data[i])) blank_out(m, m->decls.in_order.data[i], text);
    return (Str){text, whole.length};
}

/* As CUDA's own headers define them for NVRTC (cuda/std/cstdint). */
Str cu_host_text(Arena *arena) {
    Buf text = {.arena = arena};
    buf_puts(&text, "namespace std {}\n"
                    "using int8_t = signed char; using uint8_t = unsigned char;\n"
                    "using int16_t = short; using uint16_t = unsigned short;\n"
                    "using int32_t = int; using uint32_t = unsigned int;\n"
                    "using int64_t = long long; using uint64_t = unsigned long long;\n"
                    "using intptr_t = int64_t; using uintptr_t = uint64_t;\n"
                    "typedef unsigned int uint; typedef unsigned char uchar;\n"
                    "typedef unsigned short ushort; typedef unsigned long ulong;\n");
    cu_pp_constants(&text);
    return buf_str(&text);
}

/* What stands for a header that was not read; NULL: NVRTC reads the toolkit's. */
static const char *stands_for(Arena *arena, Str header, bool is_known) {
    static const char *const for_devices[] = {"cooperative_groups.h",
                                              "cooperative_groups/memcpy_async.h",
                                              "cooperative_groups/reduce.h",
                                              "cuda/pipeline",
                                              "cuda_pipeline.h",
                                              "cuda_pipeline_primitives.h",
                                              "curand_kernel.h",
                                              "math_constants.h",
                                              "mma.h"};
    static const char *const in_std[] = {"array", "functional",  "limits",
                                         "tuple", "type_traits", "utility"};
    static const char *const of_libraries[] = {
        "cublas", "cudnn",     "cufft", "cusolver", "cusparse",          "nccl",    "nvml",
        "omp.h",  "pthread.h", "nvtx",  "nvTools",  "cuda_profiler_api", "helper_", "mpi"};
    for (int i = 0; i < COUNT(of_libraries); i++)
        if (str_starts(header, of_libraries[i])) return "";
    for (int i = 0; i < COUNT(for_devices); i++)
        if (str_is(header, for_devices[i])) return NULL;
    for (int i = 0; i < COUNT(in_std); i++)
        if (str_is(header, in_std[i]))
            return str_format(arena,
                              "#pragma once\n#include <cuda/std/%s>\n"
                              "namespace std { using namespace cuda::std; }\n",
                              in_std[i])
                .data;
    return is_known ? "" : NULL;
}

int cu_host_headers(Arena *arena, const CuModule *m, CuHeader **headers) {
    const CuUnread *lists[] = {m->headers.left_out, m->headers.unread};
    int count = 0;
    for (int k = 0; k < COUNT(lists); k++)
        for (const CuUnread *h = lists[k]; h; h = h->next) count++;
    *headers = arena_array(arena, CuHeader, count);
    count = 0;
    for (int k = 0; k < COUNT(lists); k++)
        for (const CuUnread *h = lists[k]; h; h = h->next) {
            const char *text = stands_for(arena, h->name, k == 0);
            for (int i = 0; i < count && text; i++) /* NVRTC takes no name twice */
                if (str_is(h->name, (*headers)[i].name)) text = NULL;
            if (text) (*headers)[count++] = (CuHeader){str_c(arena, h->name), text};
        }
    return count;
}

Str cu_folder(const CuModule *m) {
    Str path = m->path;
    while (path.length && path.data[path.length - 1] != '/') path.length--;
    return path;
}

bool cu_is_variable(const CuModule *m, Str name, Span *span) {
    static const char *const constant[] = {"const", "constexpr"};
    for (const CuDecl *d = map_get(&m->decls.names, name); d; d = d->overload) {
        *span = cu_span(d->at->place);
        if (cu_is_symbol(d) && !cu_says(d->start, d->at, constant, COUNT(constant))) return true;
    }
    return false;
}

const Source *cu_source(const CuModule *m) { return m->source; }

int cu_included(Arena *arena, const CuModule *m, const Source ***sources) {
    VEC(const Source *) read = {0};
    for (const CuIncluded *i = m->headers.included; i; i = i->next)
        if (i->source) vec_push(arena, &read, i->source);
    *sources = read.data;
    return read.count;
}

const CuOptions *cu_options(const CuModule *m) { return &m->options; }

/* "a::b::" of `namespace a::b {`, or empty; *t: before its '{', or at what ends a using of it. */
static bool open_namespace(Arena *arena, CuToken **t, Str *name) {
    Buf text = {.arena = arena};
    buf_puts(&text, "");
    while ((*t)->kind != CU_END && !cu_is((*t)->next, "{") && !cu_is((*t)->next, ";")) {
        *t = (*t)->next;
        buf_add(&text, (*t)->text.data, (size_t)(*t)->text.length);
    }
    bool opens = cu_is((*t)->next, "{");
    if (opens && text.length) buf_puts(&text, "::");
    *name = buf_str(&text);
    return opens;
}

Str cu_full_name(Arena *arena, const CuModule *m, const CuKernel *kernel) {
    VEC(Str) around = {0}; /* each an open '{': a namespace with its "::", or empty */
    const CuToken *end = kernel->decl->start;
    for (CuToken *t = m->tokens; t != end && t->kind != CU_END; t = t->next) {
        if (cu_is(t, "}") && around.count) around.count--;
        if (cu_is(t, "extern") && t->next->kind == CU_STRING && cu_is(t->next->next, "{")) {
            vec_push(arena, &around, STR(""));
            t = t->next->next;
        } else if (cu_is(t, "namespace")) {
            Str name;
            if (open_namespace(arena, &t, &name)) vec_push(arena, &around, name);
            t = t->next;
        } else if (cu_is(t, "{")) {
            vec_push(arena, &around, STR(""));
        }
    }
    Buf full = {.arena = arena};
    buf_puts(&full, "");
    for (int i = 0; i < around.count; i++)
        buf_add(&full, around.data[i].data, (size_t)around.data[i].length);
    buf_add(&full, kernel->name.data, (size_t)kernel->name.length);
    return buf_str(&full);
}
