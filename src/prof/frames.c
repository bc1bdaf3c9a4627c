// SPDX-License-Identifier: Apache-2.0
/* frames: from which C functions ranges and calls are made, or, where the program is interpreted,
 * from which of its own, as its interpreter says.
 *
 * While recording only return addresses are kept, equal stacks once. They are found by the C
 * library, from the tables that compilers write for exceptions: frame pointers would be cheaper to
 * follow, but libraries are built without them, and a chain that goes through one is cut there or
 * leads astray. Names and lines come from elfutils' libdw when a window closes; it is loaded then.
 * Where it is not here, a frame is a module and an offset in it. */
#include "prof/prof.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- recording ---- */

/* Names that are equal are one, so that equal stacks are. */
static int ask(tern_profile *profile, const char **names) {
    int count = profile->options.stack(profile->options.user, names, PROF_MOST_FRAMES);
    for (int i = 0; i < count; i++) names[i] = prof_name(profile, names[i]);
    return count;
}

static ProfFrames *find_frames(tern_profile *profile) {
    const char *names[PROF_MOST_FRAMES];
    void *at[PROF_MOST_FRAMES];
    bool is_named = profile->options.stack != NULL;
    int count = is_named ? ask(profile, names) : backtrace(at, PROF_MOST_FRAMES);
    if (is_named) memcpy(at, names, sizeof at);
    Str key = {(const char *)at, count * (int)sizeof *at};
    ProfFrames *known = map_get(&profile->stacks, key);
    if (known || count <= 0) return known;
    key = str_copy(profile->arena, key);
    known = arena_new_of(profile->arena, ProfFrames);
    known->at = arena_array(profile->arena, void *, count);
    memcpy(known->at, at, (size_t)count * sizeof *at);
    known->num_at = count;
    if (is_named) {
        known->names = arena_array(profile->arena, const char *, count);
        memcpy(known->names, names, (size_t)count * sizeof *names);
        known->count = count;
    }
    known->next = profile->all_stacks;
    profile->all_stacks = known;
    map_set(&profile->stacks, key, known);
    return known;
}

/* How long it takes rests on how deep the program is just now: no trial beforehand says it. The
 * thread's own time counts, which takes a call of the system: it is asked for some of them, and
 * what asking takes is taken off. */
enum { TIMED_EACH = 17 }; /* what comes again each so many is rarer than each 16 */

/* 0: this one is not timed. Apart, so that the stack of each is found at one place. */
static __attribute__((noinline)) int64_t time_start(const tern_profile *profile) {
    return profile->num_framed % TIMED_EACH ? 0 : prof_own_ns();
}

static __attribute__((noinline)) void time_end(tern_profile *profile, int64_t start_ns) {
    if (!start_ns) return;
    int64_t took = prof_own_ns() - start_ns - profile->asking_ns;
    profile->frames_ns += took > 0 ? took : 0;
    profile->num_timed++;
}

ProfFrames *prof_frames(tern_profile *profile) {
    if (profile->is_trial) return NULL; /* what a range costs beside that */
    int64_t start_ns = time_start(profile);
    ProfFrames *frames = find_frames(profile);
    time_end(profile, start_ns);
    profile->num_framed++;
    return frames;
}

/* The first one loads what it needs. */
void prof_frames_ready(tern_profile *profile) {
    enum { TRIES = 64 };
    prof_frames(profile);
    profile->asking_ns = INT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        int64_t start = prof_own_ns(), took = prof_own_ns() - start;
        if (took < profile->asking_ns) profile->asking_ns = took;
    }
}

/* ---- libdw: elfutils/libdwfl.h, of what is used here ---- */

typedef struct Dwfl Dwfl;
typedef struct DwflModule DwflModule;
typedef struct DwflLine DwflLine;
typedef struct DwflCallbacks {
    int (*find_elf)(void);
    int (*find_debuginfo)(void);
    int (*section_address)(void);
    char **debuginfo_path;
} DwflCallbacks;

typedef struct Libdw {
    void *library;
    Dwfl *session; /* NULL: there is none */
    DwflCallbacks callbacks;
    DwflModule *(*module)(Dwfl *, uint64_t);
    const char *(*name)(DwflModule *, uint64_t);
    DwflLine *(*line)(DwflModule *, uint64_t);
    const char *(*line_info)(DwflLine *, uint64_t *, int *, int *, uint64_t *, uint64_t *);
    void (*end)(Dwfl *);
} Libdw;

static bool find(void *library, const char *symbol, void *slot) {
    void *found = dlsym(library, symbol);
    memcpy(slot, &found, sizeof found); /* ISO C has no cast from object to function pointer */
    return found != NULL;
}

/* Files of debug information that lie elsewhere are not looked for: it may be in the network. */
static int no_debug_file(void) { return -1; }

static bool libdw_open(Libdw *dw) {
    Dwfl *(*begin)(const DwflCallbacks *) = NULL;
    int (*report)(Dwfl *, pid_t) = NULL, (*report_end)(Dwfl *, void *, void *) = NULL;
    const char *path = getenv("TERN_LIBDW");
    *dw = (Libdw){.library = dlopen(path && *path ? path : "libdw.so.1", RTLD_NOW | RTLD_LOCAL),
                  .callbacks.find_debuginfo = no_debug_file};
    if (!dw->library) return false;
    void *all = dw->library;
    if (find(all, "dwfl_linux_proc_find_elf", &dw->callbacks.find_elf) &&
        find(all, "dwfl_begin", &begin) && find(all, "dwfl_linux_proc_report", &report) &&
        find(all, "dwfl_report_end", &report_end) && find(all, "dwfl_addrmodule", &dw->module) &&
        find(all, "dwfl_module_addrname", &dw->name) &&
        find(all, "dwfl_module_getsrc", &dw->line) && find(all, "dwfl_lineinfo", &dw->line_info) &&
        find(all, "dwfl_end", &dw->end))
        dw->session = begin(&dw->callbacks);
    return dw->session && !report(dw->session, getpid()) && !report_end(dw->session, NULL, NULL);
}

static void libdw_close(Libdw *dw) {
    if (dw->session) dw->end(dw->session);
    if (dw->library) dlclose(dw->library);
}

/* ---- names ---- */

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "train (train.c:41)", "train"; NULL: it is not known. */
static const char *by_libdw(tern_profile *profile, Libdw *dw, uint64_t at) {
    int line = 0;
    DwflModule *module = dw->module(dw->session, at);
    const char *name = module ? dw->name(module, at) : NULL;
    DwflLine *place = name ? dw->line(module, at) : NULL;
    const char *file = place ? dw->line_info(place, NULL, &line, NULL, NULL, NULL) : NULL;
    if (!name) return NULL;
    if (!file) return prof_name(profile, name);
    return prof_name(profile,
                     str_format(profile->arena, "%s (%s:%d)", name, file_name(file), line).data);
}

/* "program+0x1234" */
static const char *by_module(tern_profile *profile, void *at) {
    Dl_info info = {0};
    if (!dladdr(at, &info) || !info.dli_fname)
        return prof_name(profile, str_format(profile->arena, "%p", at).data);
    uintptr_t offset = (uintptr_t)at - (uintptr_t)info.dli_fbase;
    return prof_name(
        profile,
        str_format(profile->arena, "%s+0x%zx", file_name(info.dli_fname), (size_t)offset).data);
}

/* What lies before the function of tern that was called is of no use to who called it. */
static int first_of_callers(const tern_profile *profile, const ProfFrames *stack) {
    if (profile->frames_by_address) return 0;
    for (int i = 0; i < stack->count; i++)
        if (!strncmp(stack->names[i], "tern_", 5)) return i + 1;
    return 0;
}

static void name_frames(tern_profile *profile, Libdw *dw, ProfFrames *stack) {
    stack->names = arena_array(profile->arena, const char *, stack->num_at);
    for (int i = 0; i < stack->num_at; i++) {
        void *at = (char *)stack->at[i] - 1; /* inside of the call, not behind it */
        const char *name = dw->session ? by_libdw(profile, dw, (uintptr_t)at) : NULL;
        stack->names[stack->count++] = name ? name : by_module(profile, at);
    }
    int from = first_of_callers(profile, stack);
    stack->names += from, stack->count -= from;
}

/* An interpreter's have names, and those of windows before; the two may come by turns. */
void prof_name_frames(tern_profile *profile) {
    Libdw dw;
    ProfFrames *stack = profile->all_stacks;
    while (stack && stack->names) stack = stack->next;
    if (!stack) return;
    bool is_open = libdw_open(&dw);
    if (!is_open && dw.session) dw.end(dw.session), dw.session = NULL;
    profile->frames_by_address = !is_open;
    for (; stack; stack = stack->next)
        if (!stack->names) name_frames(profile, &dw, stack);
    libdw_close(&dw);
}
