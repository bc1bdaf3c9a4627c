// SPDX-License-Identifier: Apache-2.0
/* pp: directives and files.
 *
 *     #define #undef #include #if #ifdef #ifndef #elif #else #endif #error #warning #line #pragma
 *
 * #include "x" is looked for beside the file that says it, then in the folders that were given, and
 * never above them. Headers of the host (<stdio.h>, <torch/extension.h> ..) are empty: what kernels
 * use of them is built in. Those that are not found are remembered: a kernel that misses a name
 * says so. Of pragmas `once` is obeyed, and `unroll` is given to the token behind it; the others
 * are hints that are not needed here. */
#include "cuda/cu.h"
#include "cuda/pp.h"

#include <stdlib.h>
#include <sys/stat.h>

static const CuFile *file_of(const Map *files, const CuToken *token) {
    return map_get_pointer(files, token->place.span.source);
}

typedef struct Reader {
    CuPp pp;
    Map files;                /* Source -> CuFile */
    const CuOptions *options; /* NULL: no more folders */
    CuHeaders headers;
    CuToken *first, **end;
    CuToken *unroll; /* what a pragma says of the next token; NULL: nothing */
} Reader;

static CuToken *skip_line(CuToken *at) {
    while (at->kind != CU_END && !at->line_start) at = at->next;
    return at;
}

/* ---- conditions ---- */

static bool is_directive(const CuToken *t, const char *name) {
    return t->line_start && cu_is(t, "#") && !t->next->line_start && cu_is(t->next, name);
}

static bool opens(const CuToken *t) {
    return is_directive(t, "if") || is_directive(t, "ifdef") || is_directive(t, "ifndef");
}

/* To the #elif, #else or #endif of this group. */
static CuToken *skip_group(CuToken *t) {
    int depth = 0;
    for (; t->kind != CU_END; t = t->next) {
        if (opens(t)) depth++;
        if (is_directive(t, "endif") && depth-- == 0) return t;
        if (!depth && (is_directive(t, "elif") || is_directive(t, "else"))) return t;
    }
    return t;
}

static CuToken *line_copy(CuPp *pp, CuToken *at) {
    CuToken *first = NULL, **end = &first;
    for (; at->kind != CU_END && !at->line_start; at = at->next, end = &(*end)->next)
        *end = cu_pp_copy(pp, at);
    *end = cu_pp_end(pp, at);
    return first;
}

static CuToken *open_condition(CuPp *pp, CuToken *hash) {
    CuToken *word = hash->next, *rest = word->next;
    CuCondition *condition = arena_new_of(pp->arena, CuCondition);
    *condition = (CuCondition){.place = word->place, .outer = pp->conditions};
    pp->conditions = condition;
    if (cu_is(word, "if")) {
        condition->taken = cu_pp_condition(pp, line_copy(pp, rest), word);
    } else {
        if (rest->kind != CU_NAME || rest->line_start)
            cu_pp_fail(pp, word, "expected the name of a macro after '#%.*s'", STR_ARG(word->text));
        bool is_defined = map_get(&pp->macros, rest->text) != NULL;
        condition->taken = is_defined == (word->text.length == 5);
    }
    return condition->taken ? skip_line(rest) : skip_group(rest);
}

static CuToken *next_group(CuPp *pp, CuToken *hash) {
    CuToken *word = hash->next, *rest = word->next;
    CuCondition *condition = pp->conditions;
    bool is_else = cu_is(word, "else");
    if (!condition || condition->has_else) {
        cu_pp_fail(pp, word, condition ? "'#%.*s' after '#else'" : "'#%.*s' without '#if'",
                   STR_ARG(word->text));
        return skip_line(rest);
    }
    condition->has_else = is_else;
    bool take = !condition->taken && (is_else || cu_pp_condition(pp, line_copy(pp, rest), word));
    condition->taken |= take;
    return take ? skip_line(rest) : skip_group(rest);
}

static CuToken *close_condition(CuPp *pp, CuToken *hash) {
    if (!pp->conditions)
        cu_pp_fail(pp, hash->next, "'#endif' without '#if'");
    else
        pp->conditions = (CuCondition *)(uintptr_t)pp->conditions->outer;
    return skip_line(hash->next);
}

/* ---- includes ---- */

/* Of the host's side: what kernels use of them is built in. */
static bool is_host_header(Str name) {
    static const char *const names[] = {"algorithm",
                                        "array",
                                        "assert.h",
                                        "cassert",
                                        "cfloat",
                                        "chrono",
                                        "climits",
                                        "cmath",
                                        "cooperative_groups.h",
                                        "cooperative_groups/memcpy_async.h",
                                        "cooperative_groups/reduce.h",
                                        "cstddef",
                                        "cstdint",
                                        "cstdio",
                                        "cstdlib",
                                        "cstring",
                                        "cuda.h",
                                        "cuda/pipeline",
                                        "cuda_pipeline.h",
                                        "cuda_pipeline_primitives.h",
                                        "cuda_runtime.h",
                                        "cuda_runtime_api.h",
                                        "curand_kernel.h",
                                        "device_launch_parameters.h",
                                        "float.h",
                                        "fstream",
                                        "getopt.h",
                                        "functional",
                                        "iomanip",
                                        "iostream",
                                        "limits",
                                        "limits.h",
                                        "map",
                                        "math.h",
                                        "math_constants.h",
                                        "memory",
                                        "mma.h",
                                        "numeric",
                                        "pybind11/pybind11.h",
                                        "random",
                                        "sstream",
                                        "stdbool.h",
                                        "stddef.h",
                                        "stdint.h",
                                        "stdio.h",
                                        "stdlib.h",
                                        "string",
                                        "string.h",
                                        "sys/time.h",
                                        "time.h",
                                        "tuple",
                                        "type_traits",
                                        "unistd.h",
                                        "utility",
                                        "vector"};
    static const char *const folders[] = {"torch/", "ATen/", "c10/"};
    for (int i = 0; i < COUNT(names); i++)
        if (str_is(name, names[i])) return true;
    for (int i = 0; i < COUNT(folders); i++)
        if (str_starts(name, folders[i])) return true;
    return false;
}

/* a/../../x climbs above where it starts. */
static bool climbs(Str path) {
    int depth = 0;
    if (path.length && path.data[0] == '/') return true;
    for (int start = 0, i = 0; i <= path.length; i++) {
        if (i < path.length && path.data[i] != '/') continue;
        Str part = {path.data + start, i - start};
        if (str_is(part, ".."))
            depth--;
        else if (part.length && !str_is(part, "."))
            depth++;
        if (depth < 0) return true;
        start = i + 1;
    }
    return false;
}

static Str folder_of(Str path) {
    int length = path.length;
    while (length && path.data[length - 1] != '/') length--;
    return (Str){path.data, length};
}

static CuToken *read_file(Reader *r, const CuToken *word, Str path, int root, int depth) {
    CuPp *pp = &r->pp;
    Str text, why;
    CuIncluded *included = arena_new_of(pp->arena, CuIncluded);
    *included = (CuIncluded){.at = cu_span(word->place), .next = r->headers.included};
    r->headers.included = included;
    if (map_get(&pp->once, path)) return cu_pp_end(pp, word);
    if (!file_read(pp->arena, str_c(pp->arena, path), CU_MAX_SOURCE - pp->bytes, &text, &why)) {
        cu_pp_fail(pp, word, "%.*s", STR_ARG(why));
        return NULL;
    }
    pp->bytes += (size_t)text.length;
    Source *source = source_new(pp->arena, path, text);
    CuFile *file = arena_new_of(pp->arena, CuFile);
    *file = (CuFile){path, folder_of(path), root, depth};
    map_set_pointer(&r->files, source, file);
    included->source = source;
    return cu_lex(pp->arena, source, pp->diag);
}

static bool is_file(Arena *arena, Str path) {
    struct stat status;
    return stat(str_c(arena, path), &status) == 0 && S_ISREG(status.st_mode);
}

/* ../common.h, where -I gives its folder or one above it. */
static bool is_given(const Reader *r, Str path) {
    bool found = false;
    char *file = realpath(str_c(r->pp.arena, path), NULL);
    for (int i = 0; file && r->options && i < r->options->num_include_dirs && !found; i++) {
        char *folder = realpath(r->options->include_dirs[i], NULL);
        size_t length = folder ? strlen(folder) : 0;
        found = folder && !strncmp(file, folder, length) && (file[length] == '/' || length == 1);
        free(folder);
    }
    free(file);
    return found;
}

/* Where it lies, or empty; root: see CuFile. */
static Str found_header(Reader *r, const CuFile *file, Str name, bool is_quoted, int *root) {
    Arena *arena = r->pp.arena;
    if (is_quoted && file && file->path.length) {
        Str path = str_format(arena, "%.*s%.*s", STR_ARG(file->folder), STR_ARG(name));
        *root = file->root;
        bool is_inside = !climbs((Str){path.data + *root, path.length - *root});
        if (is_file(arena, path) && (is_inside || is_given(r, path))) return path;
    }
    for (int i = 0; r->options && i < r->options->num_include_dirs; i++) {
        const char *folder = r->options->include_dirs[i];
        Str path = str_format(arena, "%s/%.*s", folder, STR_ARG(name));
        *root = (int)strlen(folder) + 1;
        if (!climbs(name) && is_file(arena, path)) return path;
    }
    return STR("");
}

/* The name between quotes or angles; is_quoted says which. */
static bool include_name(CuPp *pp, CuToken *line, const CuToken *word, Str *name, bool *is_quoted) {
    if (line->kind == CU_NAME) line = cu_pp_expand_list(pp, line);
    *is_quoted = line->kind == CU_STRING;
    if (*is_quoted) {
        *name = (Str){line->text.data + 1, line->text.length - 2};
        return true;
    }
    Buf text = {.arena = pp->arena};
    if (cu_is(line, "<")) {
        for (line = line->next; line->kind != CU_END && !cu_is(line, ">"); line = line->next)
            buf_add(&text, line->text.data, (size_t)line->text.length);
        *name = buf_str(&text);
        if (line->kind != CU_END && name->length) return true;
    }
    return cu_pp_fail(pp, word, "expected \"file\" or <file> after '#include'");
}

static void note_header(Reader *r, const CuUnread **list, Str name, const CuToken *word) {
    CuUnread *header = arena_new_of(r->pp.arena, CuUnread);
    *header = (CuUnread){name, cu_span(word->place), climbs(name), *list};
    *list = header;
}

static CuToken *include(Reader *r, CuToken *hash) {
    CuPp *pp = &r->pp;
    CuToken *word = hash->next, *rest = skip_line(word->next);
    const CuFile *file = file_of(&r->files, hash);
    Str name;
    bool is_quoted;
    if (!include_name(pp, line_copy(pp, word->next), word, &name, &is_quoted)) return rest;
    bool is_assert = str_is(name, "assert.h") || str_is(name, "cassert");
    if (is_assert && map_get(&pp->macros, STR("NDEBUG"))) { /* then assert is nothing */
        CuToken *nothing =
            cu_lex(pp->arena, source_new(pp->arena, name, STR("assert(x) ((void)0)")), pp->diag);
        nothing->line_start = false;
        cu_pp_define(pp, nothing);
    }
    if (is_host_header(name)) {
        note_header(r, &r->headers.left_out, name, word);
        return rest;
    }
    int root = 0;
    Str path = found_header(r, file, name, is_quoted, &root);
    if (!path.length) {
        note_header(r, &r->headers.unread, name, word);
        return rest;
    }
    int depth = file ? file->depth : 0;
    if (depth == CU_MAX_INCLUDES) {
        cu_pp_fail(pp, word, "includes are nested more than %d deep", CU_MAX_INCLUDES);
        return rest;
    }
    CuToken *tokens = read_file(r, word, path, root, depth + 1);
    if (!tokens || tokens->kind == CU_END) return rest;
    CuToken *last = tokens;
    while (last->next->kind != CU_END) last = last->next;
    last->next = rest;
    return tokens;
}

/* ---- other directives ---- */

static Str line_text(const CuPp *pp, const CuToken *at) {
    Buf text = {.arena = pp->arena};
    for (const CuToken *t = at; t->kind != CU_END && !t->line_start; t = t->next) {
        if (t != at && t->space_before) buf_putc(&text, ' ');
        buf_add(&text, t->text.data, (size_t)t->text.length);
    }
    return buf_str(&text);
}

static CuToken *directive(Reader *r, CuToken *hash) {
    CuPp *pp = &r->pp;
    CuToken *word = hash->next;
    if (word->line_start || word->kind == CU_END) return word; /* '#' alone */
    if (opens(hash)) return open_condition(pp, hash);
    if (cu_is(word, "elif") || cu_is(word, "else")) return next_group(pp, hash);
    if (cu_is(word, "endif")) return close_condition(pp, hash);
    if (cu_is(word, "include")) return include(r, hash);
    if (cu_is(word, "define")) {
        cu_pp_define(pp, word->next);
    } else if (cu_is(word, "undef")) {
        map_set(&pp->macros, word->next->text, NULL);
    } else if (cu_is(word, "pragma")) {
        const CuFile *file = file_of(&r->files, hash);
        if (cu_is(word->next, "once") && file && file->path.length)
            map_set(&pp->once, file->path, pp);
        if (cu_is(word->next, "unroll") && !word->next->line_start)
            r->unroll = cu_pp_expand_list(pp, line_copy(pp, word->next->next));
    } else if (cu_is(word, "error")) {
        cu_pp_fail(pp, word, "#error %.*s", STR_ARG(line_text(pp, word->next)));
    } else if (cu_is(word, "warning")) {
        diag_add(pp->diag, DIAG_WARNING, cu_span(word->place), "#warning %.*s",
                 STR_ARG(line_text(pp, word->next)));
    } else if (!cu_is(word, "line")) {
        cu_pp_fail(pp, word, "there is no directive '#%.*s'", STR_ARG(word->text));
    }
    return skip_line(word->next);
}

CuToken *cu_preprocess(Arena *arena, const Source *source, Str path, const CuOptions *options,
                       CuHeaders *headers, Diag *diag) {
    Reader *r = arena_new_of(arena, Reader);
    CuPp *pp = &r->pp;
    *r = (Reader){.pp = {.arena = arena, .diag = diag, .macros.arena = arena, .once.arena = arena},
                  .files.arena = arena,
                  .options = options};
    CuFile *file = arena_new_of(arena, CuFile);
    *file = (CuFile){path, folder_of(path), folder_of(path).length, 0};
    map_set_pointer(&r->files, source, file);
    pp->bytes = (size_t)source->text.length;
    cu_pp_predefine(pp, options);
    r->end = &r->first;
    CuToken *t = cu_lex(arena, source, diag);
    while (t->kind != CU_END && !pp->failed) {
        if (cu_pp_expand(pp, &t)) continue;
        if (t->line_start && cu_is(t, "#") && !t->place.from) {
            t = directive(r, t);
            continue;
        }
        t->unroll = r->unroll, r->unroll = NULL;
        *r->end = t;
        r->end = &t->next;
        t = t->next;
    }
    if (pp->conditions && !pp->failed) {
        cu_error(diag, pp->conditions->place, "'#%s' without '#endif'", "if");
        pp->failed = true;
    }
    *r->end = cu_pp_end(pp, t);
    *headers = r->headers;
    return pp->failed || diag_failed(diag) ? NULL : r->first;
}
