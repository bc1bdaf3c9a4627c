// SPDX-License-Identifier: Apache-2.0
/* corpus: how much of other people's Triton compiles?
 *
 *     corpus [-v] [--list FILE] FOLDER-OR-FILE ..
 *
 * Finds each jit function in the .py files, guesses a signature from how parameters are used and
 * named (corpus_guess.h), and compiles it for the interpreter, each in a process of its own with a
 * limit on time. A guess can be wrong (f32 where the kernel wants ints): then one parameter after
 * the other is changed, as long as the first complaint moves down the kernel. A function counts as
 * compiled when some signature works. Prints counts by outcome and the reasons, most frequent
 * first; the list also has the signatures. */
#include "compile/compile.h"
#include "corpus_guess.h"
#include "corpus_walk.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT_SECONDS = 2, MOST_REASON = 240 };
static const rlim_t MOST_MEMORY = (rlim_t)4 << 30;

typedef enum Outcome { COMPILED, REFUSED, WRONG, UNPARSED, CRASHED, HUNG, NUM_OUTCOMES } Outcome;
static const char *const outcome_words[NUM_OUTCOMES] = {"compiled", "refused", "error",
                                                        "unparsed", "crash",   "hang"};

typedef struct Reason {
    char text[MOST_REASON];
    Outcome outcome;
    int count;
} Reason;

/* Survives a child that crashes. */
typedef struct Shared {
    char signature[4096];
} Shared;

typedef struct Tally {
    Arena *arena;
    bool verbose;
    FILE *list;
    Shared *shared;
    int files, functions, outcomes[NUM_OUTCOMES];
    VEC(Reason) reasons;
} Tally;

/* ---- compiling, in a child ---- */

typedef struct Report {
    Outcome outcome;
    char reason[MOST_REASON];
} Report;

/* The first line of a message without its place and without what is in quotes. */
static void keep_reason(Report *report, const char *message) {
    const char *start = strstr(message, ": error: ");
    const char *refused = strstr(message, ": not supported: ");
    if (refused && (!start || refused < start))
        start = refused + 2;
    else if (start)
        start += 2;
    else
        start = message;
    size_t n = 0;
    for (; *start && *start != '\n' && n + 1 < sizeof report->reason; start++)
        report->reason[n++] = *start;
    report->reason[n] = 0;
}

static bool returns_value(Block block) {
    for (int i = 0; i < block.count; i++) {
        const Stmt *s = block.stmts[i];
        if (s->kind == STMT_RETURN && s->value && s->value->kind != EXPR_NONE) return true;
        if (returns_value(s->body) || returns_value(s->orelse)) return true;
    }
    return false;
}

/* ---- searching for a signature ---- */

enum { MOST_TRIES = 1500, SEARCH_SECONDS = 6 };

/* How far a compilation got: where in the kernel the first complaint stands, then in what it calls,
 * then how many there are. */
typedef struct Score {
    bool compiled;
    int place, inner, errors;
} Score;

typedef struct Search {
    Arena *arena;
    Module *module;
    const JitFunction *function;
    Candidates *params;
    Shared *shared;
    bool keep_types; /* of pointers and descriptors, all alike */
    bool
        allow_none; /* of run-time parameters: tried last, because it hides where things go wrong */
    int tries;
    time_t start;
    Diag last;
    Arena *attempt; /* of `last` */
} Search;

static bool better(Score a, Score b) {
    if (a.compiled != b.compiled) return a.compiled;
    if (a.place != b.place) return a.place > b.place;
    if (a.inner != b.inner) return a.inner > b.inner;
    return a.errors < b.errors;
}

static Score score_of(const Search *s, const Diag *diag) {
    Score score = {.errors = diag->num_errors + diag->num_refused};
    Span whole = s->function->def->whole;
    bool inside = false;
    for (int i = 0; i < diag->entries.count; i++) {
        const DiagEntry *entry = &diag->entries.data[i];
        bool is_complaint = entry->kind == DIAG_ERROR || entry->kind == DIAG_REFUSED;
        if (is_complaint && inside) break; /* the second one */
        if (!is_complaint && !inside) continue;
        if (entry->span.source == whole.source && entry->span.start >= whole.start &&
            entry->span.start < whole.end) {
            score.place = entry->span.start - whole.start;
            if (is_complaint) break;
        } else if (is_complaint)
            score.inner = entry->span.start;
        inside = true;
    }
    return score;
}

static Str signature_text(const Search *s, Arena *arena) {
    Buf out = {.arena = arena};
    for (int i = 0; i < s->function->num_params; i++) {
        const char *text = s->params[i].count ? s->params[i].texts[s->params[i].chosen] : "";
        if (!*text) continue;
        buf_printf(&out, "%s%.*s=%s", out.length ? "," : "", STR_ARG(s->function->params[i].name),
                   text);
    }
    buf_puts(&out, "");
    return buf_str(&out);
}

static Score attempt(Search *s) {
    if (s->attempt) arena_free(s->attempt);
    Arena *arena = s->attempt = arena_new(NULL);
    Spec *specs = arena_array(arena, Spec, s->function->num_params + 1);
    Str text = signature_text(s, arena);
    Diag *diag = &s->last;
    *diag = (Diag){.arena = arena};
    snprintf(s->shared->signature, sizeof s->shared->signature, "%.*s", STR_ARG(text));
    CompileRequest request = {
        .module = s->module, .function = s->function, .specs = specs, .target = "interp"};
    s->tries++;
    alarm(LIMIT_SECONDS);
    Score score = {0};
    score.compiled = signature_parse(arena, s->function,
                                     source_new(arena, STR("<signature>"), text), diag, specs) &&
                     compile_kernel(arena, &request, diag) != NULL;
    alarm(0);
    if (score.compiled) return score;
    return score_of(s, diag);
}

static bool spent(const Search *s) {
    return s->tries > MOST_TRIES || time(NULL) - s->start > SEARCH_SECONDS;
}

/* One parameter after the other: the candidate that gets furthest stays. */
static Score climb(Search *s, Score best) {
    for (bool improved = true; improved && !best.compiled && !spent(s);) {
        improved = false;
        for (int i = 0; i < s->function->num_params && !best.compiled && !spent(s); i++) {
            int keep = s->params[i].chosen;
            const char *now = s->params[i].count ? s->params[i].texts[keep] : "";
            if (s->keep_types && (*now == '*' || !strncmp(now, "tensordesc", 10))) continue;
            for (int k = 0; k < s->params[i].count && !best.compiled && !spent(s); k++) {
                bool is_none =
                    !strcmp(s->params[i].texts[k], "None") && !s->function->params[i].is_constexpr;
                if (k == keep || (is_none && !s->allow_none)) continue;
                s->params[i].chosen = k;
                Score score = attempt(s);
                if (better(score, best)) best = score, keep = k, improved = true;
            }
            s->params[i].chosen = keep;
        }
    }
    return best;
}

/* All pointers, or all sizes, at once: what one parameter alone cannot reach. */
static void choose_everywhere(Search *s, const char *from, const char *to) {
    for (int i = 0; i < s->function->num_params; i++) {
        Candidates *c = &s->params[i];
        if (!c->count || strcmp(c->texts[c->chosen], from)) continue;
        for (int k = 0; k < c->count; k++)
            if (!strcmp(c->texts[k], to)) c->chosen = k;
    }
}

static Score search(Search *s) {
    static const struct {
        const char *from, *to;
    } moves[] = {
        {"*fp32:16", "*fp16:16"},
        {"*fp16:16", "*bf16:16"},
        {"64", "32"},
        {"*bf16:16", "*i32:16"},
        {"*i32:16", "*i64:16"},
        {"32", "16"},
        {"False", "True"},
        {"2", "16"},
        {"128", "64"},
        {"256", "64"},
        {"32", "64"},
    };
    Score best = attempt(s);
    int count = s->function->num_params;
    int *start = arena_array(s->arena, int, count + 1);
    for (int i = 0; i < count; i++) start[i] = s->params[i].chosen;
    for (int m = 0; m < COUNT(moves) && !best.compiled; m++) {
        choose_everywhere(s, moves[m].from, moves[m].to);
        Score score = attempt(s);
        if (better(score, best)) best = score;
    }
    if (best.compiled) return best;
    static const char *const uniform[] = {"*fp32:16", "*fp16:16", "*bf16:16"};
    int *plain = arena_array(s->arena, int, count + 1);
    for (int i = 0; i < count; i++) plain[i] = start[i];
    /* First everything may change; then the types of pointers stay, all alike. */
    for (int u = -1; u < COUNT(uniform) && !best.compiled; u++) {
        for (int i = 0; i < count; i++) s->params[i].chosen = plain[i];
        if (u > 0) choose_everywhere(s, uniform[0], uniform[u]);
        s->keep_types = u >= 0;
        s->tries = 0;
        Score score = climb(s, attempt(s));
        if (u >= 0 && !better(score, best)) continue;
        best = score;
        for (int i = 0; i < count; i++) start[i] = s->params[i].chosen;
    }
    s->keep_types = false;
    s->tries = 0;
    if (best.compiled) return best;
    for (int i = 0; i < count; i++) s->params[i].chosen = start[i];
    best = climb(s, attempt(s));
    if (best.compiled) return best;
    for (int i = 0; i < count; i++) s->params[i].chosen = start[i];
    for (int m = 0; m < 2 * COUNT(moves) && !best.compiled && !spent(s); m++) {
        s->allow_none = m >= COUNT(moves);
        for (int i = 0; i < count; i++) start[i] = s->params[i].chosen;
        choose_everywhere(s, moves[m % COUNT(moves)].from, moves[m % COUNT(moves)].to);
        Score score = climb(s, attempt(s));
        if (better(score, best))
            best = score;
        else
            for (int i = 0; i < count; i++) s->params[i].chosen = start[i];
    }
    return best;
}

/* The first config of autotune goes before what was guessed. */
static void propose_config(Search *s, const Config *config) {
    for (int k = 0; k < config->num_values; k++)
        for (int i = 0; i < s->function->num_params; i++) {
            if (!str_equal(config->values[k].name, s->function->params[i].name)) continue;
            Candidates guessed = s->params[i];
            s->params[i].count = 0;
            propose(&s->params[i], str_c(s->arena, config->values[k].text));
            propose_all(&s->params[i], guessed.texts, guessed.count);
        }
}

static void try_function(const char *path, int index, Shared *shared, Report *report) {
    Arena *arena = arena_new(NULL);
    Diag loading = {.arena = arena};
    Str text, why;
    LangOptions lang = {0};
    report->outcome = UNPARSED;
    if (!file_read(arena, path, 16 << 20, &text, &why)) return;
    Module *module =
        module_load(arena, source_new(arena, str_of(path), text), str_of(path), &lang, &loading);
    if (!module) return;
    Guesser *guesser = guesser_new(arena, module);
    Search s = {.arena = arena, .module = module, .shared = shared, .start = time(NULL)};
    s.params = guesser_candidates(guesser, index);
    s.function = module_function(module, index);
    Config *configs;
    if (function_configs(arena, module, s.function, &loading, &configs) > 0)
        propose_config(&s, &configs[0]);
    Score score = search(&s);
    report->outcome = score.compiled ? COMPILED : WRONG;
    if (score.compiled) return;
    attempt(&s);
    report->outcome = s.last.num_errors ? WRONG : REFUSED;
    Buf words = {.arena = arena};
    diag_print(&s.last, false, &words);
    keep_reason(report, words.data ? words.data : "");
}

static Report in_child(const char *path, int index, Shared *shared) {
    Report report = {.outcome = CRASHED};
    int ends[2];
    if (pipe(ends)) return report;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_AS, &(struct rlimit){MOST_MEMORY, MOST_MEMORY});
        Report mine = {0};
        try_function(path, index, shared, &mine);
        ssize_t written = write(ends[1], &mine, sizeof mine);
        _exit(written == (ssize_t)sizeof mine ? 0 : 1);
    }
    close(ends[1]);
    int status = 0;
    bool whole = child > 0 && read(ends[0], &report, sizeof report) == (ssize_t)sizeof report;
    if (child > 0) waitpid(child, &status, 0);
    close(ends[0]);
    if (!whole)
        report = (Report){.reason = "",
                          .outcome =
                              WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? HUNG : CRASHED};
    return report;
}

/* ---- counting ---- */

static void count(Tally *tally, const Report *report) {
    tally->outcomes[report->outcome]++;
    if (report->outcome == COMPILED) return;
    for (int i = 0; i < tally->reasons.count; i++) {
        Reason *reason = &tally->reasons.data[i];
        if (reason->outcome == report->outcome && !strcmp(reason->text, report->reason)) {
            reason->count++;
            return;
        }
    }
    Reason reason = {.outcome = report->outcome, .count = 1};
    memcpy(reason.text, report->reason, sizeof reason.text);
    vec_push(tally->arena, &tally->reasons, reason);
}

static void do_file(Tally *tally, const char *path) {
    Diag diag = {.arena = tally->arena};
    Str text, why;
    LangOptions lang = {0};
    if (!file_read(tally->arena, path, 16 << 20, &text, &why) ||
        !memmem(text.data, (size_t)text.length, "jit", 3))
        return;
    Module *module = module_load(tally->arena, source_new(tally->arena, str_of(path), text),
                                 str_of(path), &lang, &diag);
    tally->files++;
    if (!module || diag_failed(&diag)) {
        Report report = {.outcome = UNPARSED};
        Buf words = {.arena = tally->arena};
        diag_print(&diag, false, &words);
        keep_reason(&report, words.data ? words.data : "");
        count(tally, &report);
        if (tally->list) fprintf(tally->list, "unparsed %s\n", path);
        return;
    }
    for (int i = 0; i < module_num_functions(module); i++) {
        const JitFunction *function = module_function(module, i);
        /* A function that returns a value is called by kernels, even if by some in another file. */
        if (!function->is_launched || returns_value(function->def->body)) continue;
        Report report = in_child(path, i, tally->shared);
        tally->functions++;
        count(tally, &report);
        int line, column;
        source_position(function->def->name_span.source, function->def->name_span.start, &line,
                        &column);
        if (tally->list)
            fprintf(tally->list, "%s %s:%d:%.*s: %s\t%s\n", outcome_words[report.outcome], path,
                    line, STR_ARG(function->name), report.reason, tally->shared->signature);
        if (tally->verbose && report.outcome != COMPILED)
            printf("%s %s:%d:%.*s: %s\n", outcome_words[report.outcome], path, line,
                   STR_ARG(function->name), report.reason);
    }
}

static void do_found(void *user, const char *path) {
    if (str_ends(str_of(path), ".py")) do_file(user, path);
}

static int by_count(const void *a, const void *b) {
    return ((const Reason *)b)->count - ((const Reason *)a)->count;
}

int main(int argc, char **argv) {
    Tally tally = {.arena = arena_new(NULL)};
    tally.shared =
        mmap(NULL, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (tally.shared == MAP_FAILED) return 1;
    int paths = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-v"))
            tally.verbose = true;
        else if (!strcmp(argv[i], "--list") && i + 1 < argc)
            tally.list = fopen(argv[++i], "w");
        else
            walk_files(tally.arena, argv[i], 0, do_found, &tally), paths++;
    }
    if (!paths) {
        fprintf(stderr, "usage: corpus [-v] [--list FILE] FOLDER-OR-FILE ..\n");
        return 2;
    }
    printf("%d files with jit functions, %d kernels:", tally.files, tally.functions);
    for (int i = 0; i < NUM_OUTCOMES; i++)
        printf(" %d %s%s", tally.outcomes[i], outcome_words[i], i + 1 < NUM_OUTCOMES ? "," : "\n");
    if (tally.reasons.count)
        qsort(tally.reasons.data, (size_t)tally.reasons.count, sizeof(Reason), by_count);
    for (int i = 0; i < tally.reasons.count && i < 40; i++)
        printf("%5d %-8s %s\n", tally.reasons.data[i].count,
               outcome_words[tally.reasons.data[i].outcome], tally.reasons.data[i].text);
    if (tally.list) fclose(tally.list);
    arena_free(tally.arena);
    return tally.outcomes[CRASHED] + tally.outcomes[HUNG] ? 1 : 0;
}
