// SPDX-License-Identifier: Apache-2.0
/* corpus_cuda: how much of other people's CUDA C compiles?
 *
 *     corpus_cuda [-v] [-I FOLDER] .. FOLDER-OR-FILE ..
 *
 * Compiles each kernel of the .cu files, and of the headers that none of them read, to PTX for
 * sm_90a, each file in a process of its own. A kernel that several files see counts once, as
 * compiled if it was in one of them. Blocks have 256 threads, along as many axes as the kernel asks
 * for; folders `utils`, `include` and the like above a file are searched for headers. A template
 * gets the arguments of the first launch in its file that compiles, constants and parameters of the
 * function around it put in, or float, true and some number. Prints counts by outcome and what was
 * said first, most frequent first: what is in quotes is kept, so that a refusal counts by its name.
 * A file has 20 s; the kernel at which they were over, and those behind it, which were not tried,
 * count and are named. */
#include "compile/compile.h"
#include "corpus_walk.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT_SECONDS = 20, MOST_WORDS = 200, MOST_PLACE = 300, MOST_REASONS = 60 };
static const rlim_t MOST_MEMORY = (rlim_t)4 << 30;

typedef enum Outcome {
    COMPILED,
    REFUSED,
    WRONG,
    UNREAD,
    CRASHED,
    HUNG,
    UNTRIED,
    NUM_OUTCOMES
} Outcome;
static const char *const outcome_words[NUM_OUTCOMES] = {"compiled", "refused", "error",  "unread",
                                                        "crash",    "hang",    "untried"};

typedef struct Report { /* of a kernel; passed through a pipe */
    Outcome outcome;
    char place[MOST_PLACE]; /* file:line:kernel */
    char words[MOST_WORDS];
} Report;

typedef struct Reason {
    const char *words;
    Outcome outcome;
    int count;
} Reason;

typedef struct Tally {
    Arena *arena;
    bool verbose;
    CuOptions options;
    VEC(const char *) folders;
    VEC(Report *) reports;
    Map by_place; /* -> Report */
    int files;
} Tally;

/* ---- a file, in a child ---- */

/* The first message without its place. */
static void first_words(const Diag *diag, Arena *arena, char *words) {
    Buf out = {.arena = arena};
    diag_print(diag, false, &out);
    const char *text = out.data ? out.data : "", *start = strstr(text, ": error: ");
    const char *refused = strstr(text, ": not supported: ");
    if (refused && (!start || refused < start))
        start = refused + strlen(": not supported: ");
    else
        start = start ? start + strlen(": error: ") : text;
    snprintf(words, MOST_WORDS, "%.*s", (int)strcspn(start, "\n"), start);
}

static bool mentions(Str text, const char *words) {
    return memmem(text.data, (size_t)text.length, words, strlen(words)) != NULL;
}

/* ---- arguments for templates ---- */

enum { MOST_GUESSES = 40 };

/* Without comments, which may hold commas and brackets. */
static Str without_comments(Arena *arena, Str text) {
    Buf out = {.arena = arena};
    buf_puts(&out, "");
    for (int i = 0; i < text.length; i++) {
        bool is_comment = i + 1 < text.length && !memcmp(text.data + i, "//", 2);
        while (is_comment && i < text.length && text.data[i] != '\n') i++;
        if (i < text.length) buf_putc(&out, text.data[i]);
    }
    return buf_str(&out);
}

/* The text from '<' to the '>' that closes it; empty: none does. */
static Str angles(Str text, int at) {
    int depth = 0;
    for (int i = at; i < text.length && i < at + 2000; i++) {
        char c = text.data[i];
        if (c == '<') depth++;
        if (c == '>' && --depth == 0) return (Str){text.data + at, i + 1 - at};
        if (c == ';' || c == '{') break;
    }
    return STR("");
}

/* ---- names of the function around a launch ---- */

typedef struct Around {
    Arena *arena;
    Str text;
    int at, depth;
} Around;

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static bool word_at(Str text, int at, Str word) {
    return at >= 0 && at + word.length < text.length &&
           !memcmp(text.data + at, word.data, (size_t)word.length) &&
           !is_word(text.data[at + word.length]) && (at == 0 || !is_word(text.data[at - 1]));
}

/* What stands behind `const .. NAME =`, or in braces, before the launch; empty: nothing does. */
static Str constant_of(const Around *a, Str name) {
    for (int i = a->at; i >= 0; i--) {
        int equals = i + name.length, start = i, end;
        if (!word_at(a->text, i, name)) continue;
        while (equals < a->at && isspace((unsigned char)a->text.data[equals])) equals++;
        bool is_braced = a->text.data[equals] == '{';
        if (!is_braced && (a->text.data[equals] != '=' || a->text.data[equals + 1] == '='))
            continue;
        while (start > 0 && !strchr(";{}", a->text.data[start - 1])) start--;
        if (!mentions((Str){a->text.data + start, i - start}, "const")) continue;
        for (end = equals; end < a->at && a->text.data[end] != (is_braced ? '}' : ';'); end++) {
        }
        return (Str){a->text.data + equals + 1, end - equals - 1};
    }
    return STR("");
}

/* The part of a list in angles with that number; empty: it has fewer. */
static Str part_of(Str list, int number) {
    for (int i = 1, depth = 0, start = 1; i < list.length; i++) {
        char c = list.data[i];
        if (!depth && (c == ',' || i + 1 == list.length)) {
            if (number-- == 0) return (Str){list.data + start, i - start};
            start = i + 1;
        }
        depth += (c == '<' || c == '(') - (c == '>' || c == ')');
    }
    return STR("");
}

/* A parameter of the template around: what its first caller gives, or a guess. */
static Str parameter_of(const Around *a, Str name) {
    int at = a->at;
    while (at >= 0 && !word_at(a->text, at, STR("template"))) at--;
    while (at >= 0 && at < a->at && a->text.data[at] != '<') at++;
    if (at < 0) return STR("");
    Str list = angles(a->text, at), one;
    for (int i = 0; (one = part_of(list, i)).length; i++) {
        int from = one.length - name.length, open = at + list.length, start;
        while (from > 0 && isspace((unsigned char)one.data[from + name.length - 1])) from--;
        if (from < 1 || memcmp(one.data + from, name.data, (size_t)name.length) ||
            is_word(one.data[from - 1]))
            continue;
        while (open < a->at && a->text.data[open] != '(') open++;
        while (open > at && a->text.data[open - 1] == ' ') open--;
        for (start = open; start > 0 && is_word(a->text.data[start - 1]); start--) {
        }
        Str function = {a->text.data + start, open - start};
        for (int k = open; k < a->text.length; k++) {
            int angle = k + function.length;
            if (!word_at(a->text, k, function) || a->text.data[angle] != '<') continue;
            Str given = part_of(angles(a->text, angle), i);
            if (given.length && !mentions(given, name.data)) return given;
        }
        bool is_type = mentions(one, "typename") || mentions(one, "class");
        return is_type ? STR("float") : mentions(one, "bool") ? STR("true") : STR("64");
    }
    return STR("");
}

static void add_resolved(const Around *a, Str text, Buf *out) {
    for (int i = 0, end; i < text.length; i = end) {
        end = i + 1;
        while (is_word(text.data[i]) && end < text.length && is_word(text.data[end])) end++;
        Str word = {text.data + i, end - i}, value = STR("");
        Around inner = *a;
        bool names = is_word(word.data[0]) && !isdigit((unsigned char)word.data[0]);
        if (names && inner.depth++ < 20) {
            word = str_copy(a->arena, word);
            value = constant_of(a, word);
            bool known = value.length != 0;
            if (!known) value = parameter_of(a, word);
            if (known) buf_puts(out, "(");
            if (value.length) add_resolved(&inner, value, out);
            if (known) buf_puts(out, ")");
        }
        if (!value.length) buf_add(out, word.data, (size_t)word.length);
    }
}

/* name<..><<< in a text. */
static int from_launches(Arena *arena, Str name, Str text, const char **guesses, int count) {
    for (int i = 0; i + name.length < text.length && count + 2 < MOST_GUESSES / 2; i++) {
        int end = i + name.length;
        if (memcmp(text.data + i, name.data, (size_t)name.length)) continue;
        while (end < text.length && text.data[end] == ' ') end++;
        if (end >= text.length || text.data[end] != '<') continue;
        Str args = angles(text, end);
        int after = end + args.length;
        while (after < text.length && isspace((unsigned char)text.data[after])) after++;
        if (!args.length || after + 3 >= text.length || memcmp(text.data + after, "<<<", 3))
            continue;
        Buf resolved = {.arena = arena};
        add_resolved(&(Around){arena, text, i, 0}, args, &resolved);
        guesses[count++] = resolved.data;
        guesses[count++] = str_c(arena, args);
    }
    return count;
}

/* template <class T, int N, bool B> in front of the kernel: <float, n, true>. */
static const char *from_params(Arena *arena, const CuKernel *kernel, const char *type,
                               const char *number) {
    Str text = kernel->span.source->text;
    int at = kernel->whole.start;
    while (at > 0 && memcmp(text.data + at, "template", strlen("template"))) at--;
    while (at < text.length && text.data[at] != '<') at++;
    Str params = without_comments(arena, angles(text, at));
    Buf args = {.arena = arena};
    buf_puts(&args, "<");
    for (int i = 1, first = 1; i + 1 < params.length; first = 0) {
        int start = i, depth = 0;
        for (; i + 1 < params.length && (depth || params.data[i] != ','); i++)
            depth += (params.data[i] == '<') - (params.data[i] == '>');
        Str one = {params.data + start, i - start};
        i++;
        if (mentions(one, "=")) break;
        bool is_type = mentions(one, "typename") || mentions(one, "class");
        buf_printf(&args, "%s%s", first ? "" : ", ",
                   is_type                 ? type
                   : mentions(one, "bool") ? "true"
                                           : number);
    }
    buf_puts(&args, ">");
    return buf_str(&args).data;
}

/* What to try for a kernel, likeliest first; one empty text if it is no template. */
static int guessed(Arena *arena, const CuKernel *kernel, Str file, const char **guesses) {
    static const char *const numbers[] = {"16", "256", "4", "32", "64", "1", "2", "8", "128"};
    guesses[0] = "";
    if (!kernel->is_template) return 1;
    int count = from_launches(arena, kernel->name, kernel->span.source->text, guesses, 0);
    count = from_launches(arena, kernel->name, file, guesses, count);
    for (int i = 0; i < COUNT(numbers); i++)
        guesses[count++] = from_params(arena, kernel, "float", numbers[i]);
    guesses[count++] = from_params(arena, kernel, "int", "16");
    guesses[count++] = from_params(arena, kernel, "float4", "16");
    return count;
}

/* Of a kernel with __launch_bounds__: a block of as many threads; false: it has no more. */
static bool fits(CuLaunch *launch, const char *words) {
    const char *most = strstr(words, "is written for at most ");
    int threads = most ? atoi(most + strlen("is written for at most ")) : 0;
    if (threads < 1 || threads >= launch->block[0] * launch->block[1] * launch->block[2])
        return false;
    launch->block[0] = threads;
    launch->block[1] = launch->block[2] = 1;
    return true;
}

static void compile_one(const CuModule *module, const CuKernel *kernel, Str file, Report *report) {
    Arena *arena = arena_new(NULL);
    Str text = span_text(kernel->whole);
    const char *guesses[MOST_GUESSES];
    CuLaunch launch = {.block = {256, 1, 1}, .shared_bytes = 16384};
    if (mentions(text, "threadIdx.z"))
        launch = (CuLaunch){.block = {8, 8, 4}, .shared_bytes = 16384};
    else if (mentions(text, "threadIdx.y"))
        launch = (CuLaunch){.block = {16, 16, 1}, .shared_bytes = 16384};
    CompileRequest request = {.target = "sm_90a"};
    int line = 0, column;
    source_position(kernel->span.source, kernel->span.start, &line, &column);
    int count = guessed(arena, kernel, file, guesses);
    for (int i = 0; i < count && report->outcome != COMPILED; i++) {
        Diag diag = {.arena = arena};
        const CuKernel *one = kernel;
        if (*guesses[i]) {
            Str name = str_format(arena, "%.*s@%d%s", STR_ARG(kernel->name), line, guesses[i]);
            one = cu_find_kernel(arena, module, name.data, &diag);
        }
        bool compiled = one && compile_cuda(arena, module, one, &launch, &request, &diag);
        char words[MOST_WORDS] = "";
        CuLaunch smaller = launch;
        if (!compiled) first_words(&diag, arena, words);
        if (one && fits(&smaller, words)) {
            diag = (Diag){.arena = arena};
            compiled = compile_cuda(arena, module, one, &smaller, &request, &diag);
            if (!compiled) first_words(&diag, arena, words);
        }
        bool first = report->outcome == CRASHED;
        bool worse = report->outcome == WRONG && !diag.num_errors;
        if (compiled || first || worse)
            report->outcome = compiled ? COMPILED : diag.num_errors ? WRONG : REFUSED;
        if (compiled) report->words[0] = 0;
        if (!compiled && (first || worse)) memcpy(report->words, words, sizeof words);
    }
    arena_free(arena);
}

static void send(int to, const Report *report) {
    if (write(to, report, sizeof *report) != (ssize_t)sizeof *report) _exit(1);
}

static void name_place(const CuKernel *kernel, Report *report) {
    int line = 0, column;
    source_position(kernel->span.source, kernel->span.start, &line, &column);
    snprintf(report->place, sizeof report->place, "%.*s:%d:%.*s",
             STR_ARG(kernel->span.source->name), line, STR_ARG(kernel->name));
}

/* Sends a report of each kernel as one that is not tried; then one before it is, as if it would
 * crash, and one after it. */
static void child(const char *path, const CuOptions *options, int to) {
    Arena *arena = arena_new(NULL);
    Diag diag = {.arena = arena};
    Report report = {.outcome = UNREAD};
    Str text, why;
    setrlimit(RLIMIT_AS, &(struct rlimit){MOST_MEMORY, MOST_MEMORY});
    alarm(LIMIT_SECONDS);
    snprintf(report.place, sizeof report.place, "%s", path);
    if (!file_read(arena, path, 16 << 20, &text, &why)) {
        snprintf(report.words, sizeof report.words, "%.*s", STR_ARG(why));
        send(to, &report);
        return;
    }
    CuModule *module =
        cu_load(arena, source_new(arena, str_of(path), text), str_of(path), options, &diag);
    if (!module) {
        first_words(&diag, arena, report.words);
        send(to, &report);
        return;
    }
    for (int i = 0; i < cu_num_kernels(module); i++) {
        report = (Report){.outcome = UNTRIED};
        name_place(cu_kernel(module, i), &report);
        send(to, &report);
    }
    for (int i = 0; i < cu_num_kernels(module); i++) {
        const CuKernel *kernel = cu_kernel(module, i);
        report = (Report){.outcome = CRASHED};
        name_place(kernel, &report);
        send(to, &report);
        compile_one(module, kernel, text, &report);
        send(to, &report);
    }
}

/* ---- counting ---- */

static void keep(Tally *tally, const Report *report) {
    Report *old = map_get(&tally->by_place, str_of(report->place));
    if (!old) {
        old = arena_new_of(tally->arena, Report);
        *old = *report;
        map_set(&tally->by_place, str_of(old->place), old);
        vec_push(tally->arena, &tally->reports, old);
    } else if (old->outcome != COMPILED && report->outcome != UNTRIED) {
        *old = *report;
    }
}

typedef VEC(const char *) Folders;

/* -I../folder of the Makefile in that one. */
static void from_makefile(Tally *tally, Str folder, Folders *folders) {
    Str text, why;
    struct stat status;
    const char *path = str_format(tally->arena, "%.*s/Makefile", STR_ARG(folder)).data;
    if (!file_read(tally->arena, path, 1 << 20, &text, &why)) return;
    for (const char *at = strstr(text.data, "-I"); at; at = strstr(at + 2, "-I")) {
        int length = (int)strcspn(at + 2, " \t\r\n$");
        const char *found =
            str_format(tally->arena, "%.*s/%.*s", STR_ARG(folder), length, at + 2).data;
        if (length && !stat(found, &status) && S_ISDIR(status.st_mode))
            vec_push(tally->arena, folders, found);
    }
}

/* What a project's own build gives as -I: what the Makefile beside the file says, and folders of
 * headers beside it or above it, below the folders that were given. */
static CuOptions options_for(Tally *tally, const char *path) {
    static const char *const names[] = {"utils", "include", "inc", "common", "Common", "src"};
    Folders folders = {0};
    struct stat status;
    int given = tally->options.num_include_dirs, made_asked = 0;
    for (int i = 0; i < given; i++)
        vec_push(tally->arena, &folders, tally->options.include_dirs[i]);
    for (Str up = str_of(path); up.length;) {
        while (up.length && up.data[up.length - 1] != '/') up.length--;
        while (up.length && up.data[up.length - 1] == '/') up.length--;
        if (!made_asked++) from_makefile(tally, up, &folders);
        for (int i = 0; i < COUNT(names) && up.length; i++) {
            const char *folder = str_format(tally->arena, "%.*s/%s", STR_ARG(up), names[i]).data;
            if (!stat(folder, &status) && S_ISDIR(status.st_mode))
                vec_push(tally->arena, &folders, folder);
        }
        for (int i = 0; i < given; i++)
            if (str_is(up, tally->options.include_dirs[i])) up.length = 0;
    }
    return (CuOptions){.include_dirs = folders.data, .num_include_dirs = folders.count};
}

static void do_file(Tally *tally, const char *path) {
    int ends[2], status = 0;
    Report report;
    CuOptions options = options_for(tally, path);
    fflush(NULL);
    pid_t pid = pipe(ends) ? -1 : fork();
    if (pid < 0) {
        perror(path);
        exit(1);
    }
    if (pid == 0) {
        close(ends[0]);
        child(path, &options, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    bool any = false;
    while (read(ends[0], &report, sizeof report) == (ssize_t)sizeof report)
        keep(tally, &report), any = true;
    close(ends[0]);
    waitpid(pid, &status, 0);
    tally->files++;
    if (WIFEXITED(status)) return;
    bool hung = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    if (!any) snprintf(report.place, sizeof report.place, "%s", path);
    report.outcome = hung ? HUNG : CRASHED;
    report.words[0] = 0;
    keep(tally, &report);
}

/* Launched ones may be those of a file that it includes, which cannot be read alone. */
static bool has_kernels(Arena *arena, const char *path) {
    Str text, why;
    return file_read(arena, path, 16 << 20, &text, &why) &&
           (mentions(text, "__global__") || mentions(text, "<<<"));
}

static bool was_seen(const Tally *tally, const char *path) {
    size_t length = strlen(path);
    for (int i = 0; i < tally->reports.count; i++) {
        const char *place = tally->reports.data[i]->place;
        if (!strncmp(place, path, length) && place[length] == ':') return true;
    }
    return false;
}

static void do_source(void *user, const char *path) {
    Tally *tally = user;
    if (str_ends(str_of(path), ".cu") && has_kernels(tally->arena, path)) do_file(tally, path);
}

/* That no source has read. */
static void do_header(void *user, const char *path) {
    Tally *tally = user;
    Str name = str_of(path);
    if ((str_ends(name, ".cuh") || str_ends(name, ".h")) && has_kernels(tally->arena, path) &&
        !was_seen(tally, path))
        do_file(tally, path);
}

static int by_count(const void *a, const void *b) {
    return ((const Reason *)b)->count - ((const Reason *)a)->count;
}

static void print(Tally *tally) {
    int outcomes[NUM_OUTCOMES] = {0};
    VEC(Reason) reasons = {0};
    for (int i = 0; i < tally->reports.count; i++) {
        const Report *report = tally->reports.data[i];
        int k = 0;
        outcomes[report->outcome]++;
        bool is_cut = report->outcome == HUNG || report->outcome == UNTRIED;
        if (tally->verbose || is_cut)
            printf("%s %s: %s\n", outcome_words[report->outcome], report->place, report->words);
        if (report->outcome == COMPILED) continue;
        while (k < reasons.count && (reasons.data[k].outcome != report->outcome ||
                                     strcmp(reasons.data[k].words, report->words)))
            k++;
        if (k == reasons.count)
            vec_push(tally->arena, &reasons, (Reason){report->words, report->outcome, 0});
        reasons.data[k].count++;
    }
    printf("%d files, %d kernels:", tally->files, tally->reports.count);
    for (int i = 0; i < NUM_OUTCOMES; i++)
        printf(" %d %s%s", outcomes[i], outcome_words[i], i + 1 < NUM_OUTCOMES ? "," : "\n");
    if (reasons.count) qsort(reasons.data, (size_t)reasons.count, sizeof(Reason), by_count);
    for (int i = 0; i < reasons.count && i < MOST_REASONS; i++)
        printf("%5d %-8s %s\n", reasons.data[i].count, outcome_words[reasons.data[i].outcome],
               reasons.data[i].words);
}

int main(int argc, char **argv) {
    Tally tally = {.arena = arena_new(NULL)};
    tally.by_place.arena = tally.arena;
    VEC(const char *) paths = {0};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-v"))
            tally.verbose = true;
        else if (!strcmp(argv[i], "-I") && i + 1 < argc)
            vec_push(tally.arena, &tally.folders, argv[++i]);
        else
            vec_push(tally.arena, &paths, argv[i]);
    }
    if (!paths.count) {
        fprintf(stderr, "usage: corpus_cuda [-v] [-I FOLDER] .. FOLDER-OR-FILE ..\n");
        return 2;
    }
    tally.options =
        (CuOptions){.include_dirs = tally.folders.data, .num_include_dirs = tally.folders.count};
    for (int headers = 0; headers < 2; headers++)
        for (int i = 0; i < paths.count; i++)
            walk_files(tally.arena, paths.data[i], 0, headers ? do_header : do_source, &tally);
    print(&tally);
    arena_free(tally.arena);
    return 0;
}
