// SPDX-License-Identifier: Apache-2.0
/* import: from the name of a module to what it is.
 *
 * tern's own modules (triton, triton.language, libdevice, math ..) come first. Others are looked
 * for as files: beside the importing file, then, for a file in a package, beside the topmost folder
 * that has an __init__.py, then in the -I folders, then where the project around the file keeps its
 * packages, as if it were installed. What is not found is opaque: torch, os .. are never needed by
 * a kernel itself. */
#include "lang/module.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MAX_FILES = 2000 };

Module *module_load_in(Arena *arena, const Source *source, Str path, const LangOptions *options,
                       Registry *registry, Diag *diag);

static bool is_file(const char *path) {
    struct stat status;
    return !stat(path, &status) && S_ISREG(status.st_mode);
}

static bool is_folder(const char *path) {
    struct stat status;
    return !stat(path, &status) && S_ISDIR(status.st_mode);
}

static Object *module_object(Arena *arena, Module *module, Str text) {
    Object *object = object_new(arena, OBJECT_MODULE);
    object->module = module;
    object->text = text;
    return object;
}

static Object *opaque_module(Arena *arena, Str path) {
    Object *opaque = object_new(arena, OBJECT_OPAQUE);
    opaque->text = str_format(arena, "the module '%.*s'", STR_ARG(path));
    opaque->missing = path;
    return opaque;
}

/* A file is one module, however it is named. */
Str import_key(Arena *arena, Str path) {
    int saved = errno;
    char real[PATH_MAX];
    const char *name = str_c(arena, path);
    Str key = str_copy(arena, str_of(realpath(name, real) ? real : name));
    errno = saved;
    return key;
}

Module *import_file(Module *from, Str path, Diag *diag) {
    Registry *registry = from->registry;
    Module *module = map_get(&registry->files, import_key(from->arena, path));
    if (module) return module;
    if (registry->count++ > MAX_FILES) return NULL;
    Str text, why;
    if (!file_read(from->arena, path.data, MAX_SOURCE_BYTES, &text, &why)) return NULL;
    return module_load_in(from->arena, source_new(from->arena, path, text), path, from->options,
                          registry, diag);
}

/* folder/a/b.py or folder/a/b/__init__.py for a.b; a folder without __init__.py is a namespace. */
static Object *in_folder(Module *from, Str folder, Str dotted, Diag *diag) {
    Buf path = {.arena = from->arena};
    buf_add(&path, folder.data, (size_t)folder.length);
    if (dotted.length) {
        buf_putc(&path, '/');
        for (int i = 0; i < dotted.length; i++)
            buf_putc(&path, dotted.data[i] == '.' ? '/' : dotted.data[i]);
    }
    Str base = buf_str(&path);
    Str file = str_format(from->arena, "%.*s.py", STR_ARG(base));
    Str init = str_format(from->arena, "%.*s/__init__.py", STR_ARG(base));
    Module *module = NULL;
    if (dotted.length && is_file(file.data))
        module = import_file(from, file, diag);
    else if (is_file(init.data))
        module = import_file(from, init, diag);
    else if (is_folder(base.data))
        return module_object(from->arena, NULL, base);
    return module ? module_object(from->arena, module, base) : NULL;
}

static Str parent_folder(Arena *arena, Str folder) {
    int end = folder.length;
    while (end > 0 && folder.data[end - 1] != '/') end--;
    if (end > 0 && !str_ends(folder, "..") && !str_is(folder, "."))
        return (Str){folder.data, end > 1 ? end - 1 : 1};
    return str_format(arena, "%.*s/..", STR_ARG(folder));
}

/* The folder that holds the topmost package around a file's folder. */
static Str package_root(Arena *arena, Str folder) {
    for (int i = 0; i < 40; i++) {
        if (!is_file(str_format(arena, "%.*s/__init__.py", STR_ARG(folder)).data)) break;
        folder = parent_folder(arena, folder);
    }
    return folder;
}

/* Names that Triton has had for one module over time. */
static Str canonical(Arena *arena, Str path) {
    static const struct {
        const char *other, *ours;
    } renamed[] = {
        {"tl", "triton.language"},
        {"triton.language.extra.cuda.libdevice", "triton.language.extra.libdevice"},
        {"triton.language.libdevice", "triton.language.extra.libdevice"},
    };
    for (int i = 0; i < COUNT(renamed); i++)
        if (str_is(path, renamed[i].other) && builtin_module_exists(str_of(renamed[i].ours)))
            return str_of(renamed[i].ours);
    return str_copy(arena, path);
}

/* A file anywhere in pack/ may say `import pack.x`: the folder around the nearest one called pack.
 */
static Object *in_own_package(Module *from, Str path, Diag *diag) {
    Str head = path, folder = from->folder;
    for (int i = 0; i < path.length; i++)
        if (path.data[i] == '.') {
            head.length = i;
            break;
        }
    for (int i = 0; i < 40 && folder.length > 1; i++) {
        Str outer = parent_folder(from->arena, folder);
        if (outer.length >= folder.length) break;
        Str last = {folder.data + folder.length - head.length, head.length};
        bool is_head = folder.length > head.length && last.data[-1] == '/' && str_equal(last, head);
        Object *found = is_head ? in_folder(from, outer, path, diag) : NULL;
        if (found && found->module) return found;
        folder = outer;
    }
    return NULL;
}

static bool is_project(Arena *arena, Str folder) {
    static const char *const marks[] = {"pyproject.toml", "setup.py", "setup.cfg"};
    for (int i = 0; i < COUNT(marks); i++)
        if (is_file(str_format(arena, "%.*s/%s", STR_ARG(folder), marks[i]).data)) return true;
    return is_folder(str_format(arena, "%.*s/.git", STR_ARG(folder)).data);
}

/* tests/x.py imports what its project installs: from the project's folder, its src/ or python/. */
static Object *in_project(Module *from, Str path, Diag *diag) {
    static const char *const places[] = {"", "/src", "/python"};
    if (str_starts(path, "triton.") || str_starts(path, "torch.")) return NULL;
    Str folder = from->folder;
    for (int i = 0; i < 40; i++) {
        for (int k = 0; k < COUNT(places) && is_project(from->arena, folder); k++) {
            Str place = str_format(from->arena, "%.*s%s", STR_ARG(folder), places[k]);
            Object *found = in_folder(from, place, path, diag);
            if (found && found->module) return found;
        }
        Str outer = parent_folder(from->arena, folder);
        if (outer.length >= folder.length && str_is(import_key(from->arena, folder), "/")) break;
        folder = outer;
    }
    return NULL;
}

Object *import_as_python(Module *from, int level, Str path, Diag *diag) {
    if (level == 0) {
        Str name = canonical(from->arena, path);
        if (builtin_module_exists(name)) return module_object(from->arena, NULL, name);
        if (str_starts(name, "triton.") || str_starts(name, "torch."))
            return opaque_module(from->arena, path);
    }
    if (from->folder.length) {
        Str folder = from->folder;
        for (int i = 1; i < level; i++) folder = parent_folder(from->arena, folder);
        Object *found = in_folder(from, folder, path, diag);
        if (!found && level == 0) {
            Str root = package_root(from->arena, folder);
            if (!str_equal(root, folder)) found = in_folder(from, root, path, diag);
        }
        if (found && (found->module || level > 0)) return found;
        found = level == 0 ? in_own_package(from, path, diag) : NULL;
        if (found) return found;
    }
    for (int i = 0; level == 0 && i < from->options->num_include_dirs; i++) {
        Object *found = in_folder(from, str_of(from->options->include_dirs[i]), path, diag);
        if (found) return found;
    }
    return opaque_module(from->arena, path);
}

Object *import_module(Module *from, int level, Str path, Diag *diag) {
    Object *module = import_as_python(from, level, path, diag), *found = NULL;
    if (module->kind == OBJECT_OPAQUE && level == 0 && from->folder.length)
        found = in_project(from, path, diag);
    return found ? found : module;
}

/* What drives devices that tern makes no code for (as torch.version.hip is None), and what Triton
 * for NVIDIA does not have: an import of it fails. */
bool import_fails(const Object *module) {
    static const char *const absent[] = {"torch_npu", "torch_mlu",  "torch_musa",
                                         "torch_gcu", "torch_vacc", "intel_extension_for_pytorch"};
    if (module->kind != OBJECT_OPAQUE) return false;
    for (int i = 0; i < COUNT(absent); i++)
        if (str_is(module->missing, absent[i])) return true;
    return str_starts(module->missing, "triton.language.extra.");
}

Object *import_attribute(Arena *arena, Object *module, Str name, Diag *diag) {
    if (module->kind == OBJECT_OPAQUE) {
        Object *opaque = object_new(arena, OBJECT_OPAQUE);
        opaque->text = str_format(arena, "'%.*s' of %.*s", STR_ARG(name), STR_ARG(module->text));
        opaque->missing = module->missing;
        return opaque;
    }
    if (module->module) {
        Object *value = module_lookup(arena, module->module, name, diag);
        if (value && value->kind == OBJECT_BUILTIN && !map_get(&module->module->globals, name) &&
            builtin_attribute(arena, STR("builtins"), name))
            value = NULL; /* `min` is not an attribute of every file */
        if (value) return value;
        bool is_package = str_ends(module->module->path, "/__init__.py");
        return is_package ? in_folder(module->module, module->module->folder, name, diag) : NULL;
    }
    return builtin_attribute(arena, module->text, name);
}
