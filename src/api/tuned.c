// SPDX-License-Identifier: Apache-2.0
/* tuned: what was chosen for a key, a file each:
 *
 *     tern tuned 2
 *     key 57
 *     ..57 bytes..
 *     choice 21
 *     ..21 bytes..
 *     evidence 80
 *     ..80 bytes..
 *     sum 0123456789abcdef      of all bytes before this line
 *
 * The key is in the file, so that two keys with one hash do not answer for each other. What the key
 * of a kernel and its arguments is, is said here, too: all who look for an answer ask for one. */
#include "api/context.h"
#include "base/source.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 20 };

typedef struct Kept { /* what a call gives */
    const char *key, *choice, *evidence;
    tern_module *module;
    const char *function, *signature;
    const tern_value *known;
    int num_known;
} Kept;

typedef struct Place {
    Str key;
    const char *path; /* NULL: there is no cache folder */
} Place;

static Place place_of(tern_context *context, Arena *arena, const char *key) {
    const char *folder = tern_cache_dir(context), *device = tern_device_name(context);
    Place place = {str_format(arena, "tern %s, %.*s, %s\n%s", tern_version(),
                              (int)strcspn(device, ":"), device, /* alike: cuda:0, cuda:1 */
                              tern_device_description(context), key),
                   NULL};
    if (!*folder) return place;
    const char *own = str_format(arena, "%s/tune", folder).data;
    if (mkdir(own, 0777) && errno != EEXIST) return place;
    uint64_t hash = hash_bytes(place.key.data, (size_t)place.key.length, 0);
    place.path = str_format(arena, "%s/%016llx.txt", own, (unsigned long long)hash).data;
    return place;
}

static void put_named(Buf *out, const char *name, Str text) {
    buf_printf(out, "%s %d\n%.*s\n", name, text.length, STR_ARG(text));
}

/* All but the choice is known beforehand, so that the file is compared, not parsed. */
static bool take(Str *rest, Str wanted) {
    if (rest->length < wanted.length || memcmp(rest->data, wanted.data, (size_t)wanted.length) != 0)
        return false;
    rest->data += wanted.length, rest->length -= wanted.length;
    return true;
}

static Str head_of(Arena *arena, Str key) {
    Buf out = {.arena = arena};
    buf_puts(&out, "tern tuned 2\n");
    put_named(&out, "key", key);
    return buf_str(&out);
}

static Str sum_of(Arena *arena, Str text) {
    return str_format(arena, "sum %016llx\n",
                      (unsigned long long)hash_bytes(text.data, (size_t)text.length, 0));
}

static bool take_named(Str *rest, const char *name, Str *text) {
    size_t before = strlen(name);
    const char *newline = memchr(rest->data, '\n', (size_t)rest->length);
    if (!newline || !str_starts(*rest, name) || rest->data[before] != ' ') return false;
    long length = strtol(rest->data + before, NULL, 10);
    const char *end = rest->data + rest->length;
    if (length < 0 || length >= end - newline - 1 || newline[1 + length] != '\n') return false;
    *text = (Str){newline + 1, (int)length};
    rest->data = newline + 1 + length + 1, rest->length = (int)(end - rest->data);
    return true;
}

/* 1: *choice; 0: the file is another key's, or another version's; -1: damaged. */
static int parse(Arena *arena, Str text, Str key, Str *choice) {
    static const int sum_length = 4 + 16 + 1;
    Str body = {text.data, text.length - sum_length}, rest = body, evidence;
    if (body.length < 0 ||
        !str_equal((Str){text.data + body.length, sum_length}, sum_of(arena, body)))
        return -1;
    if (!take(&rest, head_of(arena, key))) return 0;
    bool is_whole = take_named(&rest, "choice", choice) &&
                    take_named(&rest, "evidence", &evidence) && !rest.length;
    return is_whole ? 1 : -1;
}

static tern_status keep(tern_context *context, Arena *arena, const Kept *kept) {
    Place place = place_of(context, arena, kept->key);
    Str why, head = head_of(arena, place.key);
    Buf out = {.arena = arena};
    if (!place.path)
        return context_fail(context, TERN_ERROR_UNSUPPORTED, "there is no cache folder");
    buf_add(&out, head.data, (size_t)head.length);
    put_named(&out, "choice", str_of(kept->choice));
    put_named(&out, "evidence", str_of(kept->evidence ? kept->evidence : ""));
    Str sum = sum_of(arena, buf_str(&out));
    buf_add(&out, sum.data, (size_t)sum.length);
    if (out.length > MOST_BYTES)
        return context_fail(context, TERN_ERROR_ARGUMENT, "a choice of over a megabyte");
    if (file_write(arena, place.path, out.data, out.length, &why)) return TERN_OK;
    return context_fail(context, TERN_ERROR_SYSTEM, "%.*s", STR_ARG(why));
}

/* *found: in the arena; NULL: nothing is kept. */
static tern_status find(tern_context *context, Arena *arena, const char *key, const char **found) {
    Place place = place_of(context, arena, key);
    Str why, text, choice;
    *found = NULL;
    if (!place.path || access(place.path, F_OK)) return TERN_OK;
    if (!file_read(arena, place.path, MOST_BYTES, &text, &why))
        return context_fail(context, TERN_ERROR_SYSTEM, "%.*s", STR_ARG(why));
    int is = parse(arena, text, place.key, &choice);
    if (is < 0)
        return context_fail(context, TERN_ERROR_SYSTEM,
                            "%s: a damaged file of a tuning: remove it, or tune again", place.path);
    if (is > 0) *found = str_c(arena, choice);
    return TERN_OK;
}

/* ---- the key of a kernel and its arguments ---- */

static const char *known_text(const Kept *asked, Str name) {
    for (int i = 0; i < asked->num_known; i++)
        if (str_is(name, asked->known[i].name)) return asked->known[i].text;
    return NULL;
}

static bool is_among(const Str *names, int count, Str name) {
    for (int i = 0; i < count; i++)
        if (str_equal(names[i], name)) return true;
    return count == 0;
}

static bool is_number(Str type) {
    return type.data[0] != '*' && type.data[0] != '(' && !str_starts(type, "tensordesc<");
}

/* What a signature says of one parameter. False: its value counts, and nobody says it. */
static bool put_class(Buf *key, Str name, const Spec *spec, const char *value, bool by_value) {
    bool counts = by_value && spec->kind == SPEC_TYPE && is_number(spec->type);
    if (spec->kind == SPEC_DEFAULT) return true;
    if (counts && !value) return false;
    buf_printf(key, "%.*s ", STR_ARG(name));
    if (spec->kind == SPEC_CONSTANT)
        buf_printf(key, "%.*s\n", STR_ARG(spec->text));
    else if (counts)
        buf_printf(key, "%s\n", value);
    else
        buf_printf(key, "%.*s%s\n", STR_ARG(spec->type), spec->divisible > 1 ? ":16" : "");
    return true;
}

static const char *key_of(Arena *arena, const Kept *asked) {
    tern_module *module = asked->module;
    tern_context *context = module->own.context;
    Diag diag = {.arena = arena};
    Buf key = {.arena = arena};
    Str *names;
    if (module->cuda)
        return context_fail(context, TERN_ERROR_UNSUPPORTED, "kernels in CUDA C are not tuned"),
               NULL;
    const JitFunction *jit = module_jit_function(module, asked->function, NULL);
    if (!jit) return NULL;
    Spec *specs = arena_array(arena, Spec, jit->num_params);
    Source *source =
        source_new(arena, STR("<signature>"), str_copy(arena, str_of(asked->signature)));
    int num_names = function_autotune_names(arena, module->module, jit, "key", &diag, &names);
    if (num_names < 0 || !signature_parse(arena, jit, source, &diag, specs))
        return context_fail_diag(context, &diag), NULL;
    buf_printf(&key, "kernel %.*s\n", STR_ARG(jit->name));
    for (int i = 0; i < tern_module_num_functions(module); i++)
        buf_puts(&key, tern_module_function(module, i)->text);
    for (int i = 0; i < jit->num_params; i++) {
        Str name = jit->params[i].name;
        if (put_class(&key, name, &specs[i], known_text(asked, name),
                      is_among(names, num_names, name)))
            continue;
        context_fail(context, TERN_ERROR_ARGUMENT,
                     "'%.*s' of kernel '%.*s' is tuned for by its value, which is not given",
                     STR_ARG(name), STR_ARG(jit->name));
        return NULL;
    }
    return key.data;
}

tern_status tuned_choice(tern_module *module, Arena *arena, const char *function,
                         const char *signature, const tern_value *known, int num_known,
                         const char **choice) {
    const Kept asked = {.module = module,
                        .function = function,
                        .signature = signature,
                        .known = known,
                        .num_known = num_known};
    const char *key = key_of(arena, &asked);
    *choice = NULL;
    return key ? find(module->own.context, arena, key, choice)
               : tern_message_status(module->own.context);
}

/* ---- the calls ---- */

typedef enum Task { KEEP, FIND, MAKE_KEY } Task;

static tern_status do_task(tern_context *context, Arena *arena, Task task, const Kept *kept,
                           char **result) {
    const char *text = NULL;
    tern_status status = TERN_OK;
    switch (task) {
    case KEEP: return keep(context, arena, kept);
    case FIND: status = find(context, arena, kept->key, &text); break;
    case MAKE_KEY:
        text = key_of(arena, kept);
        if (!text) status = tern_message_status(context);
        break;
    }
    if (text && !(*result = strdup(text))) return TERN_ERROR_NO_MEMORY;
    return status;
}

/* All that may run out of memory. */
static tern_status run_task(tern_context *context, Task task, const Kept *kept, char **result) {
    jmp_buf no_memory;
    Arena *volatile arena = NULL;
    volatile tern_status status = TERN_ERROR_NO_MEMORY;
    int saved = errno;
    if (!setjmp(no_memory)) {
        arena = arena_new(&no_memory);
        if (!setjmp(context->oom)) status = do_task(context, arena, task, kept, result);
    }
    arena_free(arena);
    errno = saved;
    return status == TERN_ERROR_NO_MEMORY ? context_no_memory(context) : status;
}

tern_status tern_tuned_keep(tern_context *context, const char *key, const char *choice,
                            const char *evidence) {
    return run_task(context, KEEP, &(Kept){.key = key, .choice = choice, .evidence = evidence},
                    NULL);
}

char *tern_tuned_find(tern_context *context, const char *key, tern_status *status) {
    char *found = NULL;
    *status = run_task(context, FIND, &(Kept){.key = key}, &found);
    return found;
}

char *tern_tuned_key(tern_module *module, const char *function, const char *signature,
                     const tern_value *known, int num_known) {
    const Kept asked = {.module = module,
                        .function = function,
                        .signature = signature,
                        .known = known,
                        .num_known = num_known};
    char *key = NULL;
    return run_task(module->own.context, MAKE_KEY, &asked, &key) ? NULL : key;
}
