// SPDX-License-Identifier: Apache-2.0
/* files: what a script may do with files, for the text modules io, os and pathlib: reading below
 * --allow-read and --allow-write, writing below the latter. */
#include "base/utf8.h"
#include "exec/exec.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static Object *none_of(Host *host) {
    return is_raised(host) ? host->script->poison : host->script->none;
}

static Object *os_error(Host *host, const char *path) {
    PythonClass class = errno == ENOENT   ? CLASS_FILE_NOT_FOUND_ERROR
                        : errno == EEXIST ? CLASS_FILE_EXISTS_ERROR
                                          : CLASS_OS_ERROR;
    return host_raise(host, class, "[Errno %d] %s: '%s'", errno, strerror(errno), path);
}

/* The path as C has it; NULL, refused, where it may not be looked at. What is not there is looked
 * at in the folder that is. */
static const char *path_to_read(Host *host, const Object *object) {
    const Exec *exec = exec_of(host);
    Str path;
    if (!host_may_do(host, "a file") || !host_text(host, object, "path", &path)) return NULL;
    const char *text = str_c(host->arena, path);
    if (strlen(text) != (size_t)path.length || !path.length)
        return host_raise(host, CLASS_VALUE_ERROR, "embedded null byte"), NULL;
    const char *const *const lists[] = {exec->read_dirs, exec->write_dirs};
    const int counts[] = {exec->num_read_dirs, exec->num_write_dirs};
    for (int i = 0; i < 2; i++)
        if (path_is_below(text, lists[i], counts[i])) return text;
    return host_refuse(host, "reading '%s' without --allow-read DIR", text), NULL;
}

static Object *run_read(Host *host, Object *const *args, const HostCall *call) {
    enum { MOST = 256 << 20 };
    const char *path = path_to_read(host, args[0]);
    struct stat st;
    Str text, why;
    (void)call;
    if (!path) return none_of(host);
    if (stat(path, &st)) return os_error(host, path);
    if (S_ISDIR(st.st_mode)) return errno = EISDIR, os_error(host, path);
    if (!file_read(host->arena, path, MOST, &text, &why))
        return host_raise(host, CLASS_OS_ERROR, "%.*s: '%s'", STR_ARG(why), path);
    for (Str rest = text; rest.length;) {
        int length = utf8_length(rest);
        if (!length) return host_refuse(host, "reading '%s', which is no UTF-8", path);
        rest.data += length, rest.length -= length;
    }
    return object_str(host->arena, text);
}

static Object *run_write(Host *host, Object *const *args, const HostCall *call) {
    Str path, text;
    (void)call;
    if (!host_text(host, args[0], "path", &path) || !host_text(host, args[1], "text", &text))
        return none_of(host);
    const char *to = file_to_write(host, path);
    if (!to) return none_of(host);
    FILE *file = fopen(to, script_truth(host, args[2]) ? "a" : "w");
    if (!file) return os_error(host, to);
    bool failed = text.length && fwrite(text.data, 1, (size_t)text.length, file) == 0;
    if (fclose(file) || failed) return os_error(host, to);
    return none_of(host);
}

static Object *run_stat(Host *host, Object *const *args, const HostCall *call) {
    const char *path = path_to_read(host, args[0]);
    struct stat st;
    if (!path) return none_of(host);
    bool is_there = !stat(path, &st);
    return object_bool(host->arena, is_there && (!call->id || S_ISDIR(st.st_mode)));
}

static Object *run_mkdir(Host *host, Object *const *args, const HostCall *call) {
    Str path;
    (void)call;
    if (!host_text(host, args[0], "path", &path)) return none_of(host);
    while (path.length > 1 && path.data[path.length - 1] == '/') path.length--;
    const char *to = file_to_write(host, path);
    if (!to) return none_of(host);
    return mkdir(to, 0777) ? os_error(host, to) : none_of(host);
}

static Object *run_remove(Host *host, Object *const *args, const HostCall *call) {
    Str path;
    (void)call;
    if (!host_text(host, args[0], "path", &path)) return none_of(host);
    const char *to = file_to_write(host, path);
    if (!to) return none_of(host);
    return unlink(to) ? os_error(host, to) : none_of(host);
}

static Object *run_listdir(Host *host, Object *const *args, const HostCall *call) {
    Object *dot = object_str(host->arena, STR("."));
    const char *path = path_to_read(host, args[0] ? args[0] : dot);
    (void)call;
    if (!path) return none_of(host);
    DIR *folder = opendir(path);
    if (!folder) return os_error(host, path);
    Object *names = heap_list(host, OBJECT_LIST, 0, NULL);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        list_insert(host, names, names->num_items,
                    object_str(host->arena, str_copy(host->arena, str_of(entry->d_name))));
    }
    closedir(folder);
    return names;
}

/* A folder in reach of imports: beside the script, or below -I. NULL: refused, or none. */
static DIR *open_package(Host *host, const char *path) {
    const Exec *exec = exec_of(host);
    const char *slash = strrchr(exec->path, '/');
    const char *beside =
        slash ? str_c(host->arena, (Str){exec->path, (int)(slash - exec->path) + 1}) : ".";
    const LangOptions *lang = host->script->main->options;
    if (!path_is_below(path, &beside, 1) &&
        !path_is_below(path, lang->include_dirs, lang->num_include_dirs))
        return host_refuse(host, "modules of '%s', which imports do not reach", path), NULL;
    return opendir(path);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* [(name, is it a package), ..] of what a package's folder holds, by name; none where it is no
 * folder. */
static Object *run_modules(Host *host, Object *const *args, const HostCall *call) {
    VEC(const char *) names = {0};
    Str path;
    (void)call;
    if (!host_may_do(host, "a file") || !host_text(host, args[0], "path", &path))
        return none_of(host);
    const char *folder_name = str_c(host->arena, path);
    Object *found = heap_list(host, OBJECT_LIST, 0, NULL);
    DIR *folder = open_package(host, folder_name);
    if (!folder) return is_raised(host) ? host->script->poison : found;
    for (const struct dirent *entry; (entry = readdir(folder));)
        vec_push(host->arena, &names, str_c(host->arena, str_of(entry->d_name)));
    closedir(folder);
    qsort(names.data, (size_t)names.count, sizeof *names.data, by_name);
    for (int i = 0; i < names.count; i++) {
        Str name = str_of(names.data[i]);
        struct stat st;
        Str init = str_format(host->arena, "%s/%.*s/__init__.py", folder_name, STR_ARG(name));
        bool is_package = !stat(init.data, &st), is_file = str_ends(name, ".py");
        if (is_file) name.length -= 3;
        if ((!is_package && !is_file) || str_is(name, "__init__")) continue;
        bool is_name = !memchr(name.data, '.', (size_t)name.length);
        Object *row[] = {object_str(host->arena, name), object_bool(host->arena, is_package)};
        if (is_name)
            list_insert(host, found, found->num_items, heap_list(host, OBJECT_TUPLE, 2, row));
    }
    return found;
}

static Object *run_getcwd(Host *host, Object *const *args, const HostCall *call) {
    char here[PATH_MAX];
    (void)args, (void)call;
    if (!getcwd(here, sizeof here)) return os_error(host, ".");
    return object_str(host->arena, str_copy(host->arena, str_of(here)));
}

static Object *run_cpu_count(Host *host, Object *const *args, const HostCall *call) {
    (void)args, (void)call;
    return object_int(host->arena, sysconf(_SC_NPROCESSORS_ONLN));
}

static Object *run_refuse_mode(Host *host, Object *const *args, const HostCall *call) {
    (void)call;
    return host_refuse(host, "open() with the mode %.*s", STR_ARG(host_repr(host, args[0])->text));
}

Object *files_open(Host *host, Str path) {
    static const Native rows[] = {NATIVE("read", "path", run_read),
                                  NATIVE("write", "path, text, append", run_write),
                                  NATIVE("exists", "path", run_stat),
                                  {"isdir", "path", run_stat, 1},
                                  NATIVE("mkdir", "path", run_mkdir),
                                  NATIVE("remove", "path", run_remove),
                                  NATIVE("listdir", "path?", run_listdir),
                                  NATIVE("getcwd", "", run_getcwd),
                                  NATIVE("modules", "folder", run_modules),
                                  NATIVE("cpu_count", "", run_cpu_count),
                                  NATIVE("refuse_mode", "mode", run_refuse_mode)};
    if (!str_is(path, "_files")) return NULL;
    return host_module_of(host, "_files", rows, COUNT(rows));
}
