// SPDX-License-Identifier: Apache-2.0
/* library: modules that are Python text of ours (lib/), run by the evaluator as any file is; and
 * where a script may write. */
#include "exec/exec.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

Object *module_of_text(Host *host, const char *name, const char *file, const char *start,
                       const char *end) {
    static const LangOptions nothing;
    Arena *arena = host->script->arena;
    Source *source = source_new(arena, str_of(file), (Str){start, (int)(end - start)});
    source->is_ours = true;
    Module *loaded = module_load(arena, source, STR(""), &nothing, host->diag);
    if (!loaded || !script_run_file(host, loaded, str_of(name))) return NULL;
    Object *module = host_module_new(host, name);
    const Map *space = &loaded->space;
    for (int i = 0; i < space->capacity; i++)
        if (space->slots[i].used && space->slots[i].value && space->slots[i].key.data[0] != '_')
            module_add(host, module, str_c(arena, space->slots[i].key), space->slots[i].value);
    return module;
}

#define TEXTS                                                                                      \
    TEXT(abc, "abc")                                                                               \
    TEXT(argparse, "argparse")                                                                     \
    TEXT(collections, "collections")                                                               \
    TEXT(contextlib, "contextlib")                                                                 \
    TEXT(copy, "copy")                                                                             \
    TEXT(dataclasses, "dataclasses")                                                               \
    TEXT(enum, "enum")                                                                             \
    TEXT(functools, "functools")                                                                   \
    TEXT(importlib, "importlib")                                                                   \
    TEXT(packaging, "packaging.version")                                                           \
    TEXT(torch_amp, "torch.amp")                                                                   \
    TEXT(torch_cuda_amp, "torch.cuda.amp")                                                         \
    TEXT(io, "io")                                                                                 \
    TEXT(itertools, "itertools")                                                                   \
    TEXT(json, "json")                                                                             \
    TEXT(logging, "logging")                                                                       \
    TEXT(numbers, "numbers")                                                                       \
    TEXT(numpy, "numpy")                                                                           \
    TEXT(operator, "operator")                                                                     \
    TEXT(pathlib, "pathlib")                                                                       \
    TEXT(pkgutil, "pkgutil")                                                                       \
    TEXT(posixpath, "posixpath")                                                                   \
    TEXT(pprint, "pprint")                                                                         \
    TEXT(libtriton, "triton._C.libtriton")                                                         \
    TEXT(proton_viewer, "triton.profiler.viewer")                                                  \
    TEXT(proton, "triton.profiler")                                                                \
    TEXT(pytest, "pytest")                                                                         \
    TEXT(statistics, "statistics")                                                                 \
    TEXT(string, "string")                                                                         \
    TEXT(tabulate, "tabulate")                                                                     \
    TEXT(experimental_descriptor, "triton.tools.experimental_descriptor")                          \
    TEXT(tensor_descriptor, "triton.tools.tensor_descriptor")                                      \
    TEXT(textwrap, "textwrap")                                                                     \
    TEXT(torch_autograd, "torch.autograd.function")                                                \
    TEXT(torch_backends, "torch.backends")                                                         \
    TEXT(torch_compose, "torch._compose")                                                          \
    TEXT(torch_cuda, "_torch.cuda")                                                                \
    TEXT(torch_distributed, "torch.distributed")                                                   \
    TEXT(torch_dtensor, "torch.distributed.tensor")                                                \
    TEXT(torch_functional, "torch.nn.functional")                                                  \
    TEXT(torch_index, "torch._index")                                                              \
    TEXT(torch_more, "torch._more")                                                                \
    TEXT(torch_nn, "torch.nn.modules")                                                             \
    TEXT(torch_optim, "torch.optim")                                                               \
    TEXT(torch_testing, "torch.testing")                                                           \
    TEXT(torch_version, "torch.version")                                                           \
    TEXT(triton_wrapper, "triton._wrapper")                                                        \
    TEXT(types, "types")                                                                           \
    TEXT(warnings, "warnings")                                                                     \
    TEXT(collections_abc, "collections.abc")                                                       \
    TEXT(os_path, "os.path")                                                                       \
    TEXT(own_os, "_os")
#define TEXT(word, path) extern const char text_lib_##word##_start[], text_lib_##word##_end[];
TEXTS
#undef TEXT

Object *library_open(Host *host, Str path) {
#define TEXT(word, name)                                                                           \
    if (str_is(path, name))                                                                        \
        return module_of_text(host, name, name ".py", text_lib_##word##_start,                     \
                              text_lib_##word##_end);
    TEXTS
#undef TEXT
    return NULL;
}

/* ---- writing ---- */

static bool is_inside(const char *path, const char *folder) {
    size_t length = strlen(folder);
    return !strncmp(path, folder, length) &&
           (path[length] == '/' || !path[length] || !strcmp(folder, "/"));
}

/* The folder of the path is looked up, links and '..' and all, and must lie in one that is allowed;
 * the path itself may be what is there. */
bool path_is_below(const char *path, const char *const *folders, int num_folders) {
    char real[PATH_MAX], allowed[PATH_MAX], parent[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t length = slash ? slash == path ? 1 : (size_t)(slash - path) : 1;
    if (!num_folders || length >= sizeof parent) return false;
    memcpy(parent, slash ? path : ".", length);
    parent[length] = 0;
    bool is_there = realpath(path, real) || realpath(parent, real);
    while (!is_there && (slash = strrchr(parent, '/')) && slash != parent) { /* the nearest one */
        parent[slash - parent] = 0;
        is_there = realpath(parent, real);
    }
    if (!is_there && (path[0] == '/' || !realpath(path[0] == '/' ? "/" : ".", real))) return false;
    for (int i = 0; i < num_folders; i++)
        if (realpath(folders[i], allowed) && is_inside(real, allowed)) return true;
    return false;
}

/* It may be a folder that is there, but no link. */
const char *file_to_write(Host *host, Str path) {
    const Exec *exec = exec_of(host);
    if (!host_may_do(host, "writing a file")) return NULL;
    const char *text = str_c(host->arena, path), *slash = strrchr(text, '/');
    if (strlen(text) != (size_t)path.length)
        return host_raise(host, CLASS_VALUE_ERROR, "embedded null byte"), NULL;
    Str parent = slash ? (Str){text, slash == text ? 1 : (int)(slash - text)} : STR(".");
    char real[PATH_MAX];
    struct stat st;
    bool is_there = !lstat(text, &st);
    if (!exec->num_write_dirs)
        return host_refuse(host, "writing '%s' without --allow-write DIR", text), NULL;
    if ((is_there && S_ISLNK(st.st_mode)) || !realpath(str_c(host->arena, parent), real)) {
        PythonClass class = is_there ? CLASS_OS_ERROR : CLASS_FILE_NOT_FOUND_ERROR;
        if (!is_there && !path_is_below(text, exec->write_dirs, exec->num_write_dirs))
            return host_refuse(host, "writing '%s', which --allow-write does not allow", text),
                   NULL;
        host_raise(host, class, "cannot write '%s'", text);
        return NULL;
    }
    const char *where = is_there && S_ISDIR(st.st_mode) ? text : str_c(host->arena, parent);
    if (realpath(where, real) && path_is_below(real, exec->write_dirs, exec->num_write_dirs))
        return text;
    return host_refuse(host, "writing '%s', which --allow-write does not allow", text), NULL;
}
