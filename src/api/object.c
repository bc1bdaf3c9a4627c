// SPDX-License-Identifier: Apache-2.0
/* object: what is kept in the cache by its content, like kernels of cpu: a text of C++ as a loaded
 * object, by the compiler that is found, and texts that another compiler made. */
#include "api/context.h"
#include "device/cpu/cpu.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

static Cache cache_of(tern_context *context) {
    const char *folder = tern_cache_dir(context);
    return (Cache){.folder = str_of(folder ? folder : "")};
}

static bool find(Arena *arena, CCompiler *compiler, Str *why) {
    static const char *const usual[] = {"c++", "g++", "clang++"};
    const char *asked = getenv("TERN_CXX");
    bool found = asked && *asked && compiler_find(arena, asked, compiler, why);
    for (int i = 0; i < COUNT(usual) && !found && !(asked && *asked); i++)
        found = compiler_find(arena, usual[i], compiler, why);
    if (!found)
        *why = str_format(arena, "no C++ compiler found (looked for %s)",
                          asked && *asked ? asked : "c++, g++, clang++ on PATH");
    return found;
}

static void *load(Arena *arena, Str path, Str *why) {
    void *object = dlopen(path.data, RTLD_NOW | RTLD_LOCAL);
    if (!object) *why = str_format(arena, "cannot load '%.*s': %s", STR_ARG(path), dlerror());
    return object;
}

static void *make(Arena *arena, const CCompiler *compiler, Str flags, Str text, Str key,
                  const Cache *cache, Str below, Str *why) {
    Workplace work;
    if (!workplace_open(arena, below, &work, why)) return NULL;
    Str source = str_format(arena, "%.*s/%.*s.cc", STR_ARG(work.folder), STR_ARG(key)),
        made = str_format(arena, "%.*s/%.*s.so", STR_ARG(work.folder), STR_ARG(key));
    void *object = NULL;
    if (file_write(arena, source.data, text.data, (size_t)text.length, why) &&
        compiler_run(arena, compiler, flags.data, work.folder, &source, 1, made.data, why))
        object = load(arena, made, why);
    if (object && below.data == cache->folder.data) cache_add(arena, cache, key, made);
    workplace_close(&work);
    return object;
}

void *context_object(tern_context *context, Arena *arena, Str text, Str flags, Str *why) {
    int saved = errno;
    CCompiler compiler = {0};
    void *object = NULL;
    if (find(arena, &compiler, why)) {
        const char *temporary = getenv("TMPDIR");
        Cache cache = cache_of(context);
        Str key = cache_key(arena, &compiler, flags, text), path = cache_find(arena, &cache, key);
        Str below = cache.folder.length ? cache.folder
                                        : str_of(temporary && *temporary ? temporary : "/tmp");
        if (path.length) object = load(arena, path, why);
        if (!object) object = make(arena, &compiler, flags, text, key, &cache, below, why);
    }
    errno = saved;
    return object;
}

/* ---- texts ---- */

static Str text_key(Arena *arena, Str made_of) {
    return cache_key(arena, &(CCompiler){.identity = STR("text")}, STR(""), made_of);
}

Str context_text(void *user, Arena *arena, Str made_of) {
    int saved = errno;
    Cache cache = cache_of(user);
    Str path = cache_find(arena, &cache, text_key(arena, made_of)), text = STR(""), why;
    if (path.length && !cache_read(arena, path, &text, &why)) text = STR("");
    errno = saved;
    return text;
}

void context_keep_text(void *user, Arena *arena, Str made_of, Str text) {
    int saved = errno;
    Cache cache = cache_of(user);
    Workplace work;
    Str why;
    if (cache.folder.length && workplace_open(arena, cache.folder, &work, &why)) {
        Str path = str_format(arena, "%.*s/text", STR_ARG(work.folder));
        if (file_write(arena, path.data, text.data, (size_t)text.length, &why))
            cache_add(arena, &cache, text_key(arena, made_of), path);
        workplace_close(&work);
    }
    errno = saved;
}
