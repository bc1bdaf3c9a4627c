// SPDX-License-Identifier: Apache-2.0
/* record: an observer of a context that keeps a mark for each range and call.
 *
 * What a range costs while it is watched: two readings of the processor's counter, a comparison of
 * its name, and a mark of 32 bytes. Nothing is formatted, nothing moves: memory comes in pieces, of
 * one large page each where the system has them. Those of the first million marks are there before
 * the first one is made: a fault in every small page costs 10 to 17 ns a mark, a large page that
 * the host of a virtual machine must find 40. What a call has more than a range lies apart. Each
 * thread has a stack of its own of what is open. */
#include "base/utf8.h"
#include "prof/prof.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- names ---- */

/* A copy that is UTF-8, of characters that XML may have. */
static const char *clean(Arena *arena, Str name) {
    Buf out = {.arena = arena};
    buf_puts(&out, "");
    for (int i = 0; i < name.length;) {
        const char *at = name.data + i;
        int length = utf8_length((Str){at, name.length - i});
        bool is_none =
            length == 3 && (!memcmp(at, "\xef\xbf\xbe", 3) || !memcmp(at, "\xef\xbf\xbf", 3));
        if (length && !is_none)
            buf_add(&out, at, (size_t)length);
        else
            buf_puts(&out, "\xef\xbf\xbd"); /* U+FFFD */
        i += length ? length : 1;
    }
    return out.data;
}

/* Most calls come again from where they came: a look where the name lies is cheaper than its hash,
 * but what lies there now must be compared. */
static ProfRecent *recent(tern_profile *profile, const char *name) {
    return &profile->recent_names[(uintptr_t)name / 8 % PROF_RECENT_NAMES];
}

static void keep_recent(ProfRecent *last, const ProfName *name) {
    enum { START = sizeof last->start };
    int length = (int)strnlen(name->given, START - 1) + 1;
    memset(last->start, 0, START);
    memcpy(last->start, name->given, (size_t)length);
    last->mask = (1u << length) - 1;
    last->name = *name;
}

const char *prof_name(tern_profile *profile, const char *name) {
    ProfRecent *last = recent(profile, name);
    if (last->name.given && !strcmp(last->name.given, name)) return last->name.clean;
    ProfName *known = map_get(&profile->names, str_of(name));
    if (!known) {
        Str given = str_copy(profile->arena, str_of(name));
        known = arena_new_of(profile->arena, ProfName);
        *known = (ProfName){given.data, clean(profile->arena, given)};
        map_set(&profile->names, given, known);
    }
    keep_recent(last, known);
    return known->clean;
}

/* ---- marks ---- */

#define PIECE_BYTES (2 << 20) /* a large page of x86-64, and of AArch64 with small ones of 4 KiB */
#define MARKS       (PIECE_BYTES / (int)sizeof(ProfMark))
#define DETAILS     (PIECE_BYTES / (int)sizeof(ProfDetail))

static ProfMark *mark_at(const tern_profile *profile, int64_t index) {
    return (ProfMark *)profile->marks.at[index / MARKS] + index % MARKS;
}

static ProfDetail *detail_at(const tern_profile *profile, int index) {
    return (ProfDetail *)profile->details.at[index / DETAILS] + index % DETAILS;
}

/* Where a large page can begin; NULL: there is no memory. */
static char *map_piece(void) {
    char *all =
        mmap(NULL, 2 * PIECE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return NULL;
    size_t before = -(uintptr_t)all % PIECE_BYTES;
    if (before) munmap(all, before);
    munmap(all + before + PIECE_BYTES, PIECE_BYTES - before);
    return all + before;
}

/* Asks for a large page, and for what comes instead of it to be there, too. */
static void fill_piece(char *piece) {
    enum { POPULATE_WRITE = 23, SMALL_PAGE = 4096 }; /* Linux 5.14; else each page is touched */
    madvise(piece, PIECE_BYTES, MADV_HUGEPAGE);
    if (!madvise(piece, PIECE_BYTES, POPULATE_WRITE)) return;
    for (int at = 0; at < PIECE_BYTES; at += SMALL_PAGE) ((volatile char *)piece)[at] = 0;
}

static bool add_piece(tern_profile *profile, ProfPieces *pieces) {
    int64_t start_ns = prof_own_ns();
    void **all = realloc(pieces->at, ((size_t)pieces->count + 1) * sizeof *all);
    if (!all) return false;
    pieces->at = all;
    char *piece = map_piece();
    if (!piece) return false;
    fill_piece(piece);
    all[pieces->count++] = piece;
    profile->memory_ns += prof_own_ns() - start_ns;
    return true;
}

/* What is not to be had now is asked for again by the mark that needs it. A process that is
 * profiled from outside has no ranges. */
void prof_marks_reserve(tern_profile *profile) {
    int64_t wanted = profile->of_process ? 0 : (int64_t)profile->options.max_events;
    profile->piece = -1;
    if (wanted > PROF_MARKS_AT_START) wanted = PROF_MARKS_AT_START;
    while ((int64_t)profile->marks.count * MARKS < wanted && add_piece(profile, &profile->marks))
        continue;
}

static void free_pieces(ProfPieces *pieces) {
    for (int i = 0; i < pieces->count; i++) munmap(pieces->at[i], PIECE_BYTES);
    free(pieces->at);
    *pieces = (ProfPieces){0};
}

void prof_marks_reset(tern_profile *profile) {
    profile->piece = -1;
    profile->next_mark = profile->marks_end = profile->quick_end = NULL;
    profile->memory_ns = profile->frames_ns = profile->num_framed = profile->num_timed = 0;
    profile->num_details = 0;
    for (ProfThread *thread = profile->threads; thread; thread = thread->next)
        for (int i = 0; i < thread->depth && i < PROF_MAX_DEPTH; i++) thread->open[i] = NULL;
}

void prof_marks_free(tern_profile *profile) {
    free_pieces(&profile->marks);
    free_pieces(&profile->details);
}

int64_t prof_num_marks(const tern_profile *profile) {
    if (profile->piece < 0) return 0;
    return (int64_t)profile->piece * MARKS +
           (profile->next_mark - (ProfMark *)profile->marks.at[profile->piece]);
}

/* False: there is no more memory, or no more is wanted. */
static bool next_piece(tern_profile *profile) {
    int64_t before = ((int64_t)profile->piece + 1) * MARKS;
    int64_t room = (int64_t)profile->options.max_events - before;
    if (room <= 0 ||
        (profile->piece + 1 == profile->marks.count && !add_piece(profile, &profile->marks)))
        return false;
    ProfMark *first = profile->marks.at[++profile->piece];
    profile->next_mark = first;
    profile->marks_end = first + (room < MARKS ? room : MARKS);
    if (profile->clock.by_counter && !profile->options.frames)
        profile->quick_end = profile->marks_end;
    return true;
}

/* NULL: there is no room, which is counted. */
static ProfMark *add_mark(tern_profile *profile, const ProfMark *mark) {
    if (profile->next_mark == profile->marks_end && !next_piece(profile)) {
        profile->num_dropped++;
        return NULL;
    }
    *profile->next_mark = *mark;
    return profile->next_mark++;
}

/* ---- threads ---- */

static _Thread_local int64_t own_thread
    __attribute__((tls_model("initial-exec"))); /* else a call */

static __attribute__((noinline)) int64_t ask_thread_id(void) {
    return own_thread = syscall(SYS_gettid);
}

static int64_t thread_id(void) { return own_thread ? own_thread : ask_thread_id(); }

static ProfThread *find_thread(tern_profile *profile, int64_t id) {
    ProfThread *thread = profile->threads;
    while (thread && thread->id != id) thread = thread->next;
    if (!thread) {
        thread = arena_new_of(profile->arena, ProfThread);
        thread->id = id;
        thread->next = profile->threads;
        profile->threads = thread;
    }
    return profile->last_thread = thread;
}

/* ---- the observer ---- */

static int add_detail(tern_profile *profile, const tern_call *call) {
    bool shapes = profile->options.shapes, frames = profile->options.frames;
    if (call->kind == TERN_CALL_RANGE && !frames) return -1;
    if (profile->num_details == profile->details.count * DETAILS &&
        !add_piece(profile, &profile->details))
        longjmp(profile->no_memory, 1);
    *detail_at(profile, profile->num_details) =
        (ProfDetail){.kind = call->kind,
                     .waits = call->waits,
                     .bytes = call->bytes,
                     .grid = {call->grid[0], call->grid[1], call->grid[2]},
                     .shapes = shapes ? prof_shapes(profile, call) : NULL,
                     .frames = frames ? prof_frames(profile) : NULL,
                     .mark = (int)prof_num_marks(profile)};
    return profile->num_details++;
}

static void open_mark(tern_profile *profile, ProfThread *thread, ProfMark *mark,
                      const tern_call *call) {
    int depth = thread->depth++;
    if (depth >= PROF_MAX_DEPTH) {
        profile->num_deep++;
        return;
    }
    mark->thread = (int32_t)thread->id;
    ProfMark *kept = thread->open[depth] = add_mark(profile, mark);
    if (!kept) return;
    if (kept->detail >= 0) prof_time_begin(profile, call, detail_at(profile, kept->detail)->mark);
    kept->start = prof_now(profile);
}

static void out_of_memory(tern_profile *profile) {
    profile->out_of_memory = true;
    profile->quick_end = NULL;
}

/* For all but ranges that came before: memory may be taken, and run out. */
static __attribute__((noinline)) void begin(tern_profile *profile, const tern_call *call) {
    if (setjmp(profile->no_memory)) {
        out_of_memory(profile);
        return;
    }
    ProfThread *thread = find_thread(profile, thread_id());
    ProfMark mark = {.name = prof_name(profile, call->name), .detail = add_detail(profile, call)};
    open_mark(profile, thread, &mark, call);
}

static __attribute__((noinline)) void end(tern_profile *profile, const tern_call *call,
                                          int64_t now) {
    ProfThread *thread = profile->last_thread;
    int64_t id = thread_id();
    if (!thread || thread->id != id)
        for (thread = profile->threads; thread && thread->id != id;) thread = thread->next;
    if (!thread || !thread->depth) {
        profile->num_unbalanced++;
        return;
    }
    int depth = --thread->depth;
    ProfMark *mark = depth < PROF_MAX_DEPTH ? thread->open[depth] : NULL;
    if (!mark) return;
    mark->end = now;
    if (mark->detail >= 0) prof_time_end(profile, call, detail_at(profile, mark->detail)->mark);
}

static __attribute__((noinline)) void observe_all(tern_profile *profile, const tern_call *call,
                                                  bool begins) {
    if (profile->out_of_memory) return;
    if (begins)
        begin(profile, call);
    else
        end(profile, call, prof_now(profile));
}

/* ---- the same where nothing is taken, and nothing called, so that no registers are saved ---- */

#if defined(__x86_64__)
enum { PREFETCHED_MARKS = 16 /* some 500 ns ahead */ };

/* What lies behind a text's end is read with it, in its page, and does not count. */
__attribute__((no_sanitize_address, no_sanitize_thread)) static bool is_same_start(
    const ProfRecent *known, const char *name) {
    __m128i x = _mm_loadu_si128((const __m128i *)known->start);
    __m128i y = _mm_loadu_si128((const __m128i *)name);
    unsigned same = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, y));
    return !(~same & known->mask);
}

/* Of names that are not long; a call of strcmp would cost what this does. */
static bool is_short_and_same(const ProfRecent *known, const char *name) {
    enum { PAGE = 4096, START = sizeof known->start, SHORT = 48 };
    if ((uintptr_t)name % PAGE <= PAGE - START) {
        if (!is_same_start(known, name)) return false;
        if (!known->start[START - 1]) return true;
    }
    for (int i = 0; i < SHORT; i++) {
        if (known->name.given[i] != name[i]) return false;
        if (!name[i]) return true;
    }
    return false;
}

/* If this is a range of a name that came before, and there is room. */
static __attribute__((noinline)) void begin_quickly(tern_profile *profile, const tern_call *call) {
    const ProfRecent *known = recent(profile, call->name);
    ProfThread *thread = profile->last_thread;
    ProfMark *mark = profile->next_mark;
    if (call->kind != TERN_CALL_RANGE || mark == profile->quick_end || !thread ||
        thread->id != own_thread || thread->depth >= PROF_MAX_DEPTH || !known->name.given ||
        !is_short_and_same(known, call->name)) {
        observe_all(profile, call, true);
        return;
    }
    profile->next_mark = mark + 1;
    thread->open[thread->depth++] = mark;
    mark->name = known->name.clean;
    mark->detail = -1;
    mark->thread = (int32_t)thread->id;
    /* Little overlaps with a reading of the counter: the line must be there before it is needed. */
    __builtin_prefetch(mark + PREFETCHED_MARKS, 1);
    mark->start = (int64_t)__rdtsc();
}

static inline void end_quickly(tern_profile *profile, const tern_call *call) {
    int64_t now = (int64_t)__rdtsc();
    ProfThread *thread = profile->last_thread;
    ProfMark *mark = NULL;
    if (thread && thread->id == own_thread && thread->depth > 0 && thread->depth <= PROF_MAX_DEPTH)
        mark = thread->open[thread->depth - 1];
    if (!mark || mark->detail >= 0) {
        end(profile, call, now);
        return;
    }
    thread->depth--;
    mark->end = now;
}
#else
static void begin_quickly(tern_profile *profile, const tern_call *call) {
    observe_all(profile, call, true);
}

static void end_quickly(tern_profile *profile, const tern_call *call) {
    observe_all(profile, call, false);
}
#endif

void prof_observe(void *user, const tern_call *call, bool begins) {
    tern_profile *profile = user;
    if (!profile->quick_end)
        observe_all(profile, call, begins);
    else if (begins)
        begin_quickly(profile, call);
    else
        end_quickly(profile, call);
}

void prof_mark(tern_profile *profile, const char *name, int64_t start, int64_t end_ticks) {
    if (setjmp(profile->no_memory)) {
        out_of_memory(profile);
        return;
    }
    add_mark(profile,
             &(ProfMark){start, end_ticks, prof_name(profile, name), -1, (int32_t)thread_id()});
}

/* ---- events ---- */

static void close_open(tern_profile *profile) {
    for (ProfThread *thread = profile->threads; thread; thread = thread->next) {
        for (int i = 0; i < thread->depth && i < PROF_MAX_DEPTH; i++)
            if (thread->open[i]) thread->open[i]->end = INT64_MAX;
        profile->num_unbalanced += thread->depth;
        thread->depth = 0;
    }
}

/* The i-th mark becomes the i-th event. */
void prof_marks_to_events(tern_profile *profile) {
    const ProfClock *clock = &profile->clock;
    close_open(profile);
    int64_t count = prof_num_marks(profile);
    for (int64_t i = 0; i < count; i++) {
        const ProfMark *mark = mark_at(profile, i);
        ProfEvent event = {
            .name = mark->name,
            .start_ns = prof_clock_ns(clock, mark->start) - profile->begin_ns,
            .end_ns = (mark->end == INT64_MAX ? profile->end_ns : prof_clock_ns(clock, mark->end)) -
                      profile->begin_ns,
            .thread = mark->thread,
            .parent = -1,
            .waits = true};
        if (mark->detail >= 0) {
            const ProfDetail *detail = detail_at(profile, mark->detail);
            event.kind = detail->kind;
            event.waits = detail->waits;
            event.bytes = detail->bytes;
            memcpy(event.grid, detail->grid, sizeof event.grid);
            event.shapes = detail->shapes;
            event.frames = detail->frames;
        }
        if (prof_add(profile, &event) < 0) {
            profile->out_of_memory = true;
            return;
        }
    }
}
