// SPDX-License-Identifier: Apache-2.0
/* nvrtc: CUDA C by NVIDIA's own compiler, for what src/cuda refuses. It is given the file as the
 * user wrote it but for what the host alone sees (cuda/seen.c), and gives PTX, so that cuda, sim
 * and `tern show` see one thing. Of the PTX only the entry that was asked for is kept.
 *
 * The PTX is kept in the cache's folder, by all that it comes of.
 *
 * The library is opened for each compilation anew (dlopen counts, and it stays loaded), so that
 * there is no global table. */
#include "compile/nvrtc.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/stat.h>

typedef struct NvrtcProgramData *NvrtcProgram;

typedef struct Nvrtc {
    void *library;
    Str path, folder; /* where it lies; folder: with '/' */
#define NVRTC_CALL(name, symbol, parameters) int(*name) parameters;
#include "compile/nvrtc.def"
#undef NVRTC_CALL
} Nvrtc;

enum { LEAST_MAJOR = 11, LEAST_MINOR = 2 };

/* ---- the library ---- */

static bool find(void *library, const char *symbol, void *slot) {
    void *found = dlsym(library, symbol);
    memcpy(slot, &found, sizeof found); /* ISO C has no cast from object to function pointer */
    return found != NULL;
}

static void *open_library(Arena *arena, const char *asked) {
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"};
    const char *home = getenv("CUDA_HOME");
    if (asked) return dlopen(asked, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    for (int i = 0; i < COUNT(names); i++) {
        const char *places[] = {
            names[i],
            home && *home ? str_format(arena, "%s/lib64/%s", home, names[i]).data : names[i],
            str_format(arena, "/usr/local/cuda/lib64/%s", names[i]).data};
        for (int k = 0; k < COUNT(places); k++) {
            void *library = dlopen(places[k], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
            if (library) return library;
        }
    }
    return NULL;
}

static bool nvrtc_open(Arena *arena, Nvrtc *nvrtc, Diag *diag) {
    const char *asked = getenv("TERN_NVRTC"), *missing = NULL;
    if (asked && !*asked) asked = NULL;
    nvrtc->library = open_library(arena, asked);
    if (!nvrtc->library) {
        const char *reason = dlerror();
        diag_refused(diag, (Span){0}, "builder 'nvrtc': there is no NVRTC here: %s",
                     asked && reason ? reason : "no libnvrtc.so.13, .12 or .11.2");
        diag_help(diag, (Span){0},
                  "it comes with the CUDA toolkit; TERN_NVRTC names the library's file");
        return false;
    }
#define NVRTC_CALL(name, symbol, parameters)                                                       \
    if (!find(nvrtc->library, #symbol, &nvrtc->name) && !missing) missing = #symbol;
#include "compile/nvrtc.def"
#undef NVRTC_CALL
    int major = 0, minor = 0;
    void *version;
    Dl_info info;
    if (find(nvrtc->library, "nvrtcVersion", &version) && dladdr(version, &info)) {
        nvrtc->path = str_copy(arena, str_of(info.dli_fname));
        nvrtc->folder = nvrtc->path;
        while (nvrtc->folder.length && nvrtc->folder.data[nvrtc->folder.length - 1] != '/')
            nvrtc->folder.length--;
    }
    bool old = !missing && (nvrtc->version(&major, &minor) || major < LEAST_MAJOR ||
                            (major == LEAST_MAJOR && minor < LEAST_MINOR));
    if (!missing && !old) return true;
    if (missing)
        diag_refused(diag, (Span){0}, "builder 'nvrtc': %s has no %s",
                     asked ? asked : str_c(arena, nvrtc->path), missing);
    else
        diag_refused(diag, (Span){0},
                     "builder 'nvrtc': %.*s is NVRTC %d.%d; 11.2 or newer is needed",
                     STR_ARG(nvrtc->path), major, minor);
    dlclose(nvrtc->library);
    return false;
}

/* ---- options ---- */

typedef VEC(const char *) Options;

static void add_folder(Arena *arena, Options *options, Str folder) {
    vec_push(arena, options, str_format(arena, "--include-path=%.*s", STR_ARG(folder)).data);
}

/* The toolkit's headers, from where the library lies: lib64 of a toolkit, or the folders of Python
 * packages. */
static void add_toolkit(Arena *arena, Options *options, const Nvrtc *nvrtc) {
    static const char *const places[] = {"../include", "../../include",
                                         "../../cuda_runtime/include",
                                         "../targets/x86_64-linux/include"};
    for (int i = 0; i < COUNT(places); i++) {
        struct stat status;
        Str folder = str_format(arena, "%.*s%s", STR_ARG(nvrtc->folder), places[i]);
        if (stat(str_format(arena, "%.*s/cuda_fp16.h", STR_ARG(folder)).data, &status)) continue;
        add_folder(arena, options, folder);
        add_folder(arena, options, str_format(arena, "%.*s/cccl", STR_ARG(folder)));
        return;
    }
}

static Options options_of(Arena *arena, const CuModule *module, const CompileRequest *request,
                          const Nvrtc *nvrtc) {
    Options options = {0};
    const CuOptions *files = cu_options(module);
    vec_push(arena, &options,
             str_format(arena, "--gpu-architecture=compute_%s", request->target + 3).data);
    vec_push(arena, &options, "--generate-line-info");
    if (request->precise) vec_push(arena, &options, "--fmad=false");
    if (!request->debug) vec_push(arena, &options, "--define-macro=NDEBUG");
    for (int i = 0; i < files->num_defines; i++)
        vec_push(arena, &options, str_format(arena, "--define-macro=%s", files->defines[i]).data);
    Str folder = cu_folder(module);
    add_folder(arena, &options, folder.length ? folder : STR("."));
    for (int i = 0; i < files->num_include_dirs; i++)
        add_folder(arena, &options, str_of(files->include_dirs[i]));
    add_toolkit(arena, &options, nvrtc);
    return options;
}

/* ---- a compilation ---- */

typedef struct Output {
    const char *log, *ptx, *entry;
} Output;

/* "k.cu(12): error: identifier "x" is undefined": at line 12 of the source. */
static void report(Arena *arena, const Source *source, const char *log, Diag *diag) {
    Str start = str_format(arena, "%.*s(", STR_ARG(source->name));
    for (const char *line = log; *line;) {
        size_t length = strcspn(line, "\n");
        Str text = {line, (int)length};
        const char *error = memmem(line, length, "error: ", 7);
        long number = str_starts(text, start.data) ? strtol(line + start.length, NULL, 10) : 0;
        Span span = {0};
        if (number > 0 && number <= source->num_lines) {
            int first = source->line_starts[number - 1];
            span = (Span){source, first, first + source_line(source, (int)number).length};
            while (span.start < span.end && strchr(" \t", source->text.data[span.start]))
                span.start++;
        }
        if (error && span.source)
            diag_error(diag, span, "NVRTC: %.*s", (int)(line + length - error - 7), error + 7);
        else if (error)
            diag_error(diag, span, "NVRTC: %.*s", STR_ARG(text));
        line += length + (line[length] == '\n');
    }
    if (!diag_failed(diag)) diag_error(diag, (Span){0}, "NVRTC: %s", log);
}

static const char *text_of(Arena *arena, NvrtcProgram program,
                           int (*size_of)(NvrtcProgram, size_t *),
                           int (*get)(NvrtcProgram, char *)) {
    size_t size = 0;
    if (size_of(program, &size)) return NULL;
    char *text = arena_alloc(arena, size + 1);
    return get(program, text) ? NULL : text;
}

/* False: no PTX; the log says why, unless it is NULL. */
static bool run(Arena *arena, const Nvrtc *nvrtc, NvrtcProgram program, const char *name,
                const Options *options, Output *output) {
    const char *entry = NULL;
    bool fine =
        !nvrtc->add_name(program, name) && !nvrtc->compile(program, options->count, options->data);
    output->log = text_of(arena, program, nvrtc->log_size, nvrtc->log);
    if (!fine || nvrtc->lowered_name(program, name, &entry) || !entry) return false;
    output->entry = str_c(arena, str_of(entry));
    output->ptx = text_of(arena, program, nvrtc->ptx_size, nvrtc->ptx);
    return output->ptx != NULL;
}

/* All that the PTX comes of: the library as it lies there, with the headers that came with it; the
 * options; the texts. Empty: some of it is not known, a file that asks whether NVRTC reads it. */
static Str made_of(Arena *arena, const Nvrtc *nvrtc, const CuModule *module, const Options *options,
                   const char *text, const char *name, const char *const *headers, int count) {
    Buf key = {.arena = arena};
    struct stat status;
    int major = 0, minor = 0;
    const Source **sources;
    if (stat(str_c(arena, nvrtc->path), &status) || nvrtc->version(&major, &minor)) return STR("");
    buf_printf(&key, "%.*s %lld %lld %d.%d\n", STR_ARG(nvrtc->path), (long long)status.st_size,
               (long long)status.st_mtime, major, minor);
    for (int i = 0; i < options->count; i++) buf_printf(&key, "%s\n", options->data[i]);
    buf_printf(&key, "%s\n%s\n", name, text);
    for (int i = 0; i < count; i++) buf_printf(&key, "%s\n", headers[i]);
    int num_sources = cu_included(arena, module, &sources);
    for (int i = 0; i < num_sources; i++)
        buf_printf(&key, "%.*s\n%.*s\n", STR_ARG(sources[i]->name), STR_ARG(sources[i]->text));
    return strstr(key.data, "__CUDACC_RTC__") ? STR("") : buf_str(&key);
}

static bool kept(Arena *arena, const TextCache *cache, Str key, Str *entry, Output *output) {
    Str text = key.length ? cache->find(cache->user, arena, key) : STR("");
    const char *line = text.length ? memchr(text.data, '\n', (size_t)text.length) : NULL;
    if (!line) return false;
    *entry = str_copy(arena, (Str){text.data, (int)(line - text.data)});
    output->ptx = str_c(arena, (Str){line + 1, text.length - entry->length - 1});
    return true;
}

static Str ptx_of(Arena *arena, const Nvrtc *nvrtc, const CuModule *module, const CuKernel *kernel,
                  const CompileRequest *request, Str *entry, Diag *diag) {
    const Source *source = cu_source(module);
    Options options = options_of(arena, module, request, nvrtc);
    CuHeader *left_out;
    Str device = cu_device_text(arena, module), host = cu_host_text(arena);
    int count = cu_host_headers(arena, module, &left_out);
    const char **header_names = arena_array(arena, const char *, count + 1);
    const char **headers = arena_array(arena, const char *, count + 1);
    for (int i = 0; i < count; i++)
        header_names[i] = left_out[i].name, headers[i] = left_out[i].text;
    const char *file = str_c(arena, source->name);
    const char *text =
        str_format(arena, "%.*s#line 1 \"%s\"\n%.*s", STR_ARG(host), file, STR_ARG(device)).data;
    const char *name = str_c(arena, cu_full_name(arena, module, kernel));
    NvrtcProgram program = NULL;
    Output output = {0};
    Str key = request->cache ? made_of(arena, nvrtc, module, &options, text, name, headers, count)
                             : STR("");
    if (kept(arena, request->cache, key, entry, &output)) return str_of(output.ptx);
    if (nvrtc->create(&program, text, file, count, headers, header_names)) {
        diag_error(diag, (Span){0}, "NVRTC: a program cannot be made");
        return STR("");
    }
    bool fine = run(arena, nvrtc, program, name, &options, &output);
    nvrtc->destroy(&program);
    if (!fine) {
        report(arena, source, output.log ? output.log : "no words", diag);
        return STR("");
    }
    *entry = str_of(output.entry);
    if (key.length)
        request->cache->keep(request->cache->user, arena, key,
                             str_format(arena, "%s\n%s", output.entry, output.ptx));
    return str_of(output.ptx);
}

/* ---- one entry of the text ---- */

/* Behind the line that begins at `at`. */
static int next_line(Str text, int at) {
    while (at < text.length && text.data[at] != '\n') at++;
    return at < text.length ? at + 1 : at;
}

static bool line_has(Str text, int at, const char *words) {
    int end = next_line(text, at);
    return memmem(text.data + at, (size_t)(end - at), words, strlen(words)) != NULL;
}

/* How much deeper in braces the line ends than it begins. */
static int line_braces(Str text, int at) {
    int depth = 0, end = next_line(text, at);
    for (int i = at; i < end && !(text.data[i] == '/' && i + 1 < end && text.data[i + 1] == '/');
         i++)
        depth += (text.data[i] == '{') - (text.data[i] == '}');
    return depth;
}

/* What the line declares: .visible .global .align 4 .b8 name[12] = {..}; */
static Str declared_name(Str text, int at) {
    int end = at, start;
    while (end < text.length && !strchr("[=;\n", text.data[end])) end++;
    while (text.data[end - 1] == ' ') end--; /* it begins with '.' */
    for (start = end; start > at && !strchr(" \t", text.data[start - 1]);) start--;
    return (Str){text.data + start, end - start};
}

/* Is the name somewhere between two characters that are of no name? */
static bool names(Str text, Str name) {
    for (int at = 1; at + name.length < text.length; at++) {
        const char *found =
            memmem(text.data + at, (size_t)(text.length - at), name.data, (size_t)name.length);
        if (!found) return false;
        at = (int)(found - text.data);
        if (strchr(" \t[(", found[-1]) && strchr(" \t\r\n(;,+)]", found[name.length])) return true;
    }
    return false;
}

static bool declares(Str text, int at) {
    return text.data[at] == '.' &&
           (line_has(text, at, ".global ") || line_has(text, at, ".const "));
}

/* An entry, or a function that one calls; not one of the driver's. */
static bool begins_block(Str text, int at) {
    return text.data[at] == '.' &&
           !str_starts((Str){text.data + at, text.length - at}, ".extern") &&
           (line_has(text, at, ".entry ") || line_has(text, at, ".func "));
}

/* Behind the brace of its body, or behind the ';' of a function that is declared. */
static int end_of_block(Str text, int at) {
    int depth = 0;
    bool in_body = false, is_done = false;
    while (at < text.length && !is_done) {
        int end = next_line(text, at);
        depth += line_braces(text, at);
        in_body |= depth > 0;
        is_done = in_body ? depth == 0 : end - at >= 2 && text.data[end - 2] == ';';
        at = end;
    }
    return at;
}

/* .func (.param .b32 result) name( */
static Str block_name(Str text, int at) {
    const char *name = memmem(text.data + at, (size_t)(text.length - at), ".func ", 6);
    name += strlen(".func ");
    name += strspn(name, " \t");
    if (*name == '(') name += strcspn(name, ")");
    name += strspn(name, " \t)");
    return (Str){name, (int)strcspn(name, " \t\r\n(;")};
}

/* The lines without entries but one, and of functions and variables those that `code` names. */
static Str chosen(Arena *arena, Str text, Str entry, Str code) {
    Buf out = {.arena = arena};
    buf_puts(&out, "");
    for (int at = 0, end; at < text.length; at = end) {
        bool begins = begins_block(text, at), keeps = true;
        end = begins ? end_of_block(text, at) : next_line(text, at);
        if (begins)
            keeps = line_has(text, at, ".entry ")
                        ? names((Str){text.data + at, next_line(text, at) - at}, entry)
                        : names(code, block_name(text, at));
        else if (declares(text, at))
            keeps = names(code, declared_name(text, at));
        if (keeps) buf_add(&out, text.data + at, (size_t)(end - at));
    }
    return buf_str(&out);
}

Str ptx_with_entry(Arena *arena, Str text, Str entry) {
    Str code = chosen(arena, text, entry, STR(""));
    bool found = false;
    for (int at = 0; at < code.length; at = next_line(code, at)) found |= begins_block(code, at);
    for (int before = -1; found && before != code.length;) {
        before = code.length;
        code = chosen(arena, text, entry, code);
    }
    return found ? code : STR("");
}

/* ---- all ---- */

/* Each parameter of the source is one of the text, where its parts lie as C has them. */
static void give_params(CompiledKernel *kernel, const CuKernel *from) {
    Arena *arena = kernel->arena;
    Func *fn = func_new(arena, types_new(arena), kernel->name);
    KernelPack *packs = arena_array(arena, KernelPack, from->num_params);
    int at = 0;
    for (int i = 0; i < from->num_params; i++) {
        const CuParam *param = &from->params[i];
        packs[i] = (KernelPack){at, param->bytes};
        at += (param->bytes + 15) & -16;
        for (int k = 0; k < param->num_parts; k++) {
            func_add_param(fn, param->parts[k].type, param->parts[k].name, i);
            fn->params[fn->num_params - 1].is_unsigned = param->parts[k].is_unsigned;
        }
    }
    KernelParam *params = arena_array(arena, KernelParam, fn->num_params);
    memcpy(params, kernel_params(arena, fn), (size_t)fn->num_params * sizeof *params);
    for (int i = 0, n = 0; i < from->num_params; i++)
        for (int k = 0; k < from->params[i].num_parts; k++, n++) {
            params[n].packed_at = packs[i].at + from->params[i].parts[k].offset;
            params[n].packed_bytes = from->params[i].parts[k].bytes;
        }
    kernel->params = params, kernel->num_params = fn->num_params;
    kernel->packs = packs, kernel->num_packs = from->num_params;
}

/* _ZN2ns5tableE, _ZL5table: table; empty: of a function. */
static Str source_name(Str name) {
    if (!str_starts(name, "_Z")) return name;
    Str last = STR("");
    if (str_starts(name, "_ZZ")) return last;
    for (int i = 2, length = 0; i < name.length; i++) {
        bool is_digit = name.data[i] >= '0' && name.data[i] <= '9';
        if (is_digit && length < name.length)
            length = 10 * length + name.data[i] - '0';
        else if (length) {
            if (length <= name.length - i) last = (Str){name.data + i, length};
            i += length - 1, length = 0;
        }
    }
    return last;
}

/* Variables of the file would be others in each kernel's text, and others than the host's. */
static bool has_own_variables(const CuModule *module, Str text, Diag *diag) {
    for (int at = 0; at < text.length; at = next_line(text, at)) {
        Span span;
        Str name = declares(text, at) ? source_name(declared_name(text, at)) : STR("");
        if (!name.length || !cu_is_variable(module, name, &span)) continue;
        diag_refused(diag, span, "builder 'nvrtc': a variable that kernels share, '%.*s'",
                     STR_ARG(name));
        diag_help(diag, span, "pass its address to the kernel");
        return true;
    }
    return false;
}

CompiledKernel *compile_nvrtc(Arena *arena, const CuModule *module, const CuKernel *kernel,
                              const CuLaunch *launch, const CompileRequest *request, Diag *diag) {
    int64_t started = clock_ns();
    Nvrtc nvrtc = {0};
    Str entry = STR("");
    if (!str_starts(str_of(request->target), "sm_")) {
        diag_refused(diag, kernel->span, "builder 'nvrtc' on target '%s'", request->target);
        diag_help(diag, kernel->span, "NVRTC makes PTX: devices cuda and sim");
        return NULL;
    }
    if (!kernel->is_known) {
        diag_refused(diag, kernel->span,
                     "the parameters of kernel '%.*s': a type is not understood",
                     STR_ARG(kernel->name));
        return NULL;
    }
    if (!nvrtc_open(arena, &nvrtc, diag)) return NULL;
    Str text = ptx_of(arena, &nvrtc, module, kernel, request, &entry, diag);
    dlclose(nvrtc.library);
    if (diag_failed(diag)) return NULL;
    text = ptx_with_entry(arena, text, entry);
    if (!text.length) {
        diag_error(diag, kernel->span, "NVRTC: its PTX has no entry '%.*s'", STR_ARG(entry));
        return NULL;
    }
    if (has_own_variables(module, text, diag)) return NULL;
    CompiledKernel *compiled = arena_new_of(arena, CompiledKernel);
    *compiled = (CompiledKernel){.arena = arena,
                                 .name = entry,
                                 .place = kernel->span,
                                 .text = text,
                                 .target = str_c(arena, str_of(request->target)),
                                 .debug = request->debug,
                                 .facts.extern_bytes = (int)launch->shared_bytes,
                                 .facts.is_cooperative =
                                     memmem(text.data, (size_t)text.length, "%envreg", 7)};
    memcpy(compiled->facts.block, launch->block, sizeof launch->block);
    compiled->num_warps = (facts_threads(&compiled->facts) + 31) / 32;
    give_params(compiled, kernel);
    kernel_step(compiled, "NVRTC", started);
    keep_ptx(arena, text);
    return compiled;
}
