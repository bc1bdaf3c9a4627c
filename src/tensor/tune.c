// SPDX-License-Identifier: Apache-2.0
/* tune: which way a product is done. Each of a type and shape is tried once in all ways there are:
 * tiles of tern's own, and a library's function; each result is held against the first one's, then
 * they race (tern_tune). What won is kept for the session, and in the cache folder, with the
 * evidence. Products of fused functions (fuse/tune.c) race otherwise, and are kept alike. */
#include "tensor/plan.h"
#include "tensor/tape.h"

#include <stdio.h>
#include <stdlib.h>

enum { TUNED_EVIDENCE = 800, WAY_NAME = 40 };

typedef struct Race {
    tern_session *session;
    const tern_tensor *a, *b;
    tern_tensor *y, *first; /* the first one's result: a copy, in y's type */
    const int *ways;
} Race;

static tern_status run_way(const Race *race, int way, tern_stream *stream) {
    return product_run_way(race->session, stream, race->a, race->b, race->y, way);
}

/* How far a sum of products in this type may be from another order's, of its root mean square. */
static double tolerance(tern_dtype dtype) {
    return dtype == TERN_FLOAT64   ? 1e-12
           : dtype == TERN_FLOAT32 ? 1e-5
           : dtype == TERN_FLOAT16 ? 2e-3
                                   : 2e-2; /* bf16 has 8 bits */
}

bool tuned_is_right(tern_session *session, tern_tensor *y, tern_tensor *first, double *apart) {
    double size = 0, bound = tolerance(y->dtype);
    *apart = 0;
    if (tern_scope_open(session)) return false;
    y = tern_to(y, TERN_FLOAT64), first = tern_to(first, TERN_FLOAT64);
    bool known = !tern_item(tern_norm(tern_sub(y, first), NULL, 0, false), apart) &&
                 !tern_item(tern_norm(first, NULL, 0, false), &size);
    tern_scope_close(session);
    if (known && size > 0) *apart /= size;
    return known && *apart <= bound;
}

static tern_candidate_state ready(void *user, int candidate, char *words, size_t size) {
    Race *race = user;
    double apart;
    tern_status status = run_way(race, race->ways[candidate], NULL);
    if (!status && !candidate) {
        race->first = tern_clone(race->y);
        if (!race->first) status = TERN_ERROR_NO_MEMORY;
    }
    if (status) {
        snprintf(words, size, "%s", tern_message(race->session->context));
        return TERN_CANDIDATE_REFUSED;
    }
    if (tuned_is_right(race->session, race->y, race->first, &apart)) return TERN_CANDIDATE_READY;
    snprintf(words, size, "off by %g of the first one's", apart);
    return TERN_CANDIDATE_WRONG;
}

static tern_status run(void *user, int candidate, tern_stream *stream) {
    const Race *race = user;
    return run_way(race, race->ways[candidate], stream);
}

/* ---- what is kept ---- */

/* "128x128x32", "cuBLAS" */
static void way_name(tern_session *session, int way, char name[WAY_NAME]) {
    Tile tile;
    if (way == PRODUCT_BY_LIBRARY) {
        snprintf(name, WAY_NAME, "%s", blas_name(session));
        return;
    }
    tile = product_tile(&(Form){.tile = (uint8_t)way});
    snprintf(name, WAY_NAME, "%dx%dx%d", tile.rows, tile.cols, tile.depth);
}

/* Rows one after the other, turned, or otherwise: overlapping, or with elements apart. */
static const char *layout_mark(const int64_t *shape, const int64_t *strides) {
    bool by_rows = (shape[1] == 1 || strides[1] == 1) && (shape[0] == 1 || strides[0] >= shape[1]);
    bool by_columns =
        (shape[0] == 1 || strides[0] == 1) && (shape[1] == 1 || strides[1] >= shape[0]);
    return by_rows ? "" : by_columns ? "T" : "S";
}

void tuned_key(const tern_tensor *a, const tern_tensor *b, const tern_tensor *y,
               char key[TUNED_KEY]) {
    const tern_tensor *const of[] = {a, b};
    size_t at = (size_t)snprintf(key, TUNED_KEY, "matmul %s", tern_torch_name(y->dtype));
    for (int i = 0; i < 2; i++) {
        int last = of[i]->rank - 2; /* two dimensions */
        at += (size_t)snprintf(key + at, TUNED_KEY - at, " %s%s",
                               sizes_text(of[i]->shape, of[i]->rank).text,
                               layout_mark(of[i]->shape + last, of[i]->strides + last));
    }
}

/* Where there is no memory for it, it is found out again. */
static void remember(tern_session *session, const char *key, int way, const char *evidence) {
    if (setjmp(session->no_memory)) return;
    Tuned tuned = {str_c(session->arena, str_of(key)), str_c(session->arena, str_of(evidence)),
                   way};
    vec_push(session->arena, &session->tuned, tuned);
}

static void write_evidence(tern_session *session, const int *ways, const tern_tuning *tuning,
                           char text[TUNED_EVIDENCE]) {
    size_t at = 0, size = TUNED_EVIDENCE;
    for (int i = 0; i < tuning->num_candidates && at < size; i++) {
        const tern_candidate *candidate = &tuning->candidates[i];
        char name[WAY_NAME];
        way_name(session, ways[i], name);
        at += (size_t)snprintf(text + at, size - at, "%s%s %s", i ? ", " : "", name,
                               tern_candidate_word(candidate->state));
        if (candidate->median_ms > 0 && at < size)
            at += (size_t)snprintf(text + at, size - at, " %.4g ms", candidate->median_ms);
        else if (candidate->words[0] && at < size)
            at += (size_t)snprintf(text + at, size - at, " (%.60s)", candidate->words);
    }
}

int ways_of(tern_session *session, const tern_tensor *a, const tern_tensor *b, const tern_tensor *y,
            int ways[MOST_WAYS]) {
    int count = product_tiles(session, y, ways), usual = product_usual_way(session, a, b, y);
    if (blas_can(session, a, b, y)) ways[count++] = PRODUCT_BY_LIBRARY;
    for (int i = 1; i < count; i++)
        if (ways[i] == usual) ways[i] = ways[0], ways[0] = usual;
    return count;
}

/* What the session remembers of a key, else what is kept in the cache folder; -1: none of these. */
static int find(tern_session *session, const char *key, const int *ways, int count) {
    tern_status status;
    char name[WAY_NAME];
    int way = -1;
    for (int i = 0; i < session->tuned.count; i++) {
        const Tuned *tuned = &session->tuned.data[i];
        for (int k = 0; k < count; k++)
            if (tuned->way == ways[k] && !strcmp(tuned->key, key)) return tuned->way;
    }
    char *kept = tern_tuned_find(session->context, key, &status);
    for (int i = 0; i < count && kept; i++) {
        way_name(session, ways[i], name);
        if (!strcmp(kept, name)) way = ways[i];
    }
    tern_free(kept);
    if (way >= 0) remember(session, key, way, "kept from before");
    return way;
}

static int race(tern_session *session, const char *key, const int *ways, int count,
                const tern_tune_options *of) {
    char evidence[TUNED_EVIDENCE] = "", name[WAY_NAME];
    tern_tuning tuning = {.winner = -1};
    const tern_tune_options options = {.size = sizeof options,
                                       .user = of->user,
                                       .ready = of->ready,
                                       .run = of->run,
                                       .max_time_ms = 2000, /* a product */
                                       .max_rounds = 60,
                                       .hot = true};
    int way = ways[0];
    if (!tern_tune(session->context, count, &options, &tuning) && tuning.winner >= 0) {
        way = ways[tuning.winner];
        write_evidence(session, ways, &tuning, evidence);
        way_name(session, way, name);
        tern_tuned_keep(session->context, key, name, evidence);
    }
    tern_tuning_free(&tuning);
    remember(session, key, way, evidence);
    return way;
}

int tuned_way(tern_session *session, const char *key, const int *ways, int count,
              const tern_tune_options *of) {
    int way = count < 2 ? ways[0] : find(session, key, ways, count);
    if (way >= 0) return way;
    bool mode = tern_set_grad_mode(session, false), tunes = session->tunes;
    session->tunes = false; /* of what the race itself asks for */
    way = race(session, key, ways, count, of);
    session->tunes = tunes;
    tern_set_grad_mode(session, mode);
    return way;
}

int tune_product(tern_session *session, const tern_tensor *a, const tern_tensor *b,
                 tern_tensor *y) {
    char key[TUNED_KEY];
    int ways[MOST_WAYS], count = ways_of(session, a, b, y, ways);
    Race of = {session, a, b, y, NULL, ways};
    const tern_tune_options options = {.user = &of, .ready = ready, .run = run};
    tuned_key(a, b, y, key);
    int way = tuned_way(session, key, ways, count, &options);
    tern_drop(of.first);
    return way;
}

bool tern_session_tune(tern_session *session, bool tunes) {
    bool before = session->tunes;
    session->tunes = tunes;
    return before;
}

char *tern_session_tuned(tern_session *session) {
    size_t size = 1, at = 0;
    for (int i = 0; i < session->tuned.count; i++)
        size += strlen(session->tuned.data[i].key) + strlen(session->tuned.data[i].evidence) + 60;
    char *text = calloc(size, 1);
    if (!text) {
        session_fail(session, TERN_ERROR_NO_MEMORY, "out of memory");
        return NULL;
    }
    for (int i = 0; i < session->tuned.count; i++)
        at += (size_t)snprintf(text + at, size - at, "%s: %s\n", session->tuned.data[i].key,
                               session->tuned.data[i].evidence);
    return text;
}
