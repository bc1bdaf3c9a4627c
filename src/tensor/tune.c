// SPDX-License-Identifier: Apache-2.0
/* tune: which way a product is done. Each of a type and shape is tried once in all ways there are:
 * tiles of tern's own, and a library's function; each result is held against the first one's, then
 * they race (tern_tune). What won is kept for the session, and in the cache folder, with the
 * evidence. */
#include "tensor/plan.h"
#include "tensor/tape.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct Race {
    tern_session *session;
    const tern_tensor *a, *b;
    tern_tensor *y, *first; /* the first one's result: a copy, in y's type */
    const int *ways;
} Race;

static tern_status run_way(const Race *race, int way, tern_stream *stream) {
    tern_session *session = race->session;
    if (way == PRODUCT_BY_LIBRARY) return blas_run(session, stream, race->a, race->b, race->y);
    session->stream = stream;
    tern_status status = product_run_tile(session, race->a, race->b, race->y, way);
    session->stream = NULL;
    return status;
}

/* How far a sum of products in this type may be from another order's, of its root mean square. */
static double tolerance(tern_dtype dtype) {
    return dtype == TERN_FLOAT64   ? 1e-12
           : dtype == TERN_FLOAT32 ? 1e-5
           : dtype == TERN_FLOAT16 ? 2e-3
                                   : 2e-2; /* bf16 has 8 bits */
}

static bool is_right(const Race *race, double *apart) {
    double size = 0;
    *apart = 0;
    if (tern_scope_open(race->session)) return false;
    tern_tensor *y = tern_to(race->y, TERN_FLOAT64), *first = tern_to(race->first, TERN_FLOAT64);
    bool known = !tern_item(tern_norm(tern_sub(y, first), NULL, 0, false), apart) &&
                 !tern_item(tern_norm(first, NULL, 0, false), &size);
    tern_scope_close(race->session);
    if (known && size > 0) *apart /= size;
    return known && *apart <= tolerance(race->y->dtype);
}

static tern_candidate_state ready(void *user, int candidate, char *words, size_t size) {
    Race *race = user;
    double apart;
    tern_status status = run_way(race, race->ways[candidate], NULL);
    if (!status && !candidate) status = tern_copy_into(race->first, race->y);
    if (status) {
        snprintf(words, size, "%s", tern_message(race->session->context));
        return TERN_CANDIDATE_REFUSED;
    }
    if (is_right(race, &apart)) return TERN_CANDIDATE_READY;
    snprintf(words, size, "off by %g of the first one's", apart);
    return TERN_CANDIDATE_WRONG;
}

static tern_status run(void *user, int candidate, tern_stream *stream) {
    const Race *race = user;
    return run_way(race, race->ways[candidate], stream);
}

/* ---- what is kept ---- */

static void way_name(tern_session *session, tern_dtype dtype, int way, char name[40]) {
    Tile tile;
    if (way == PRODUCT_BY_LIBRARY) {
        snprintf(name, 40, "%s", blas_name(session));
        return;
    }
    tile = product_tile(&(Form){.tile = (uint8_t)way, .compute = (uint8_t)dtype});
    snprintf(name, 40, "%dx%dx%d", tile.rows, tile.cols, tile.depth);
}

static void key_text(const tern_tensor *a, const tern_tensor *b, const tern_tensor *y,
                     char key[TUNED_KEY]) {
    const tern_tensor *const of[] = {a, b};
    size_t at = (size_t)snprintf(key, TUNED_KEY, "matmul %s", tern_torch_name(y->dtype));
    for (int i = 0; i < 2; i++) {
        at += (size_t)snprintf(key + at, TUNED_KEY - at, " %s",
                               sizes_text(of[i]->shape, of[i]->rank).text);
        int64_t inner = of[i]->strides[of[i]->rank - 1];
        if (of[i]->shape[of[i]->rank - 1] > 1 && inner != 1)
            at += (size_t)snprintf(key + at, TUNED_KEY - at,
                                   of[i]->strides[of[i]->rank - 2] == 1 ? "T" : "S");
    }
}

/* False: no memory. */
static bool remember(tern_session *session, const char *key, int way, const char *evidence) {
    if (setjmp(session->no_memory)) return false;
    Tuned tuned = {str_c(session->arena, str_of(key)), str_c(session->arena, str_of(evidence)),
                   way};
    vec_push(session->arena, &session->tuned, tuned);
    return true;
}

static void write_evidence(tern_session *session, tern_dtype dtype, const int *ways,
                           const tern_tuning *tuning, char *text, size_t size) {
    size_t at = 0;
    for (int i = 0; i < tuning->num_candidates && at < size; i++) {
        const tern_candidate *candidate = &tuning->candidates[i];
        char name[40];
        way_name(session, dtype, ways[i], name);
        at += (size_t)snprintf(text + at, size - at, "%s%s %s", i ? ", " : "", name,
                               tern_candidate_word(candidate->state));
        if (candidate->median_ms > 0 && at < size)
            at += (size_t)snprintf(text + at, size - at, " %.4g ms", candidate->median_ms);
        else if (candidate->words[0] && at < size)
            at += (size_t)snprintf(text + at, size - at, " (%.60s)", candidate->words);
    }
}

static int ways_of(tern_session *session, const tern_tensor *a, const tern_tensor *b,
                   const tern_tensor *y, int ways[MOST_WAYS]) {
    int count = product_tiles(session, y, ways);
    if (blas_can(session, a, b, y)) ways[count++] = PRODUCT_BY_LIBRARY;
    return count;
}

static int find_kept(tern_session *session, const char *key, tern_dtype dtype, const int *ways,
                     int count) {
    tern_status status;
    char name[40], *kept = tern_tuned_find(session->context, key, &status);
    int way = -1;
    for (int i = 0; i < count && kept; i++) {
        way_name(session, dtype, ways[i], name);
        if (!strcmp(kept, name)) way = ways[i];
    }
    tern_free(kept);
    return way;
}

static int race(tern_session *session, const char *key, const tern_tensor *a, const tern_tensor *b,
                tern_tensor *y, const int *ways, int count) {
    char evidence[800] = "", name[40];
    tern_tuning tuning = {.winner = -1};
    Race of = {session, a, b, y, tern_empty_like(y), ways};
    const tern_tune_options options = {.size = sizeof options,
                                       .user = &of,
                                       .ready = ready,
                                       .run = run,
                                       .max_time_ms = 2000, /* a product */
                                       .max_rounds = 60,
                                       .hot = true};
    int way = ways[0];
    if (of.first && !tern_tune(session->context, count, &options, &tuning) && tuning.winner >= 0) {
        way = ways[tuning.winner];
        write_evidence(session, y->dtype, ways, &tuning, evidence, sizeof evidence);
        way_name(session, y->dtype, way, name);
        tern_tuned_keep(session->context, key, name, evidence);
    }
    tern_tuning_free(&tuning);
    tern_drop(of.first);
    remember(session, key, way, evidence);
    return way;
}

int tune_product(tern_session *session, const tern_tensor *a, const tern_tensor *b,
                 tern_tensor *y) {
    char key[TUNED_KEY];
    int ways[MOST_WAYS];
    key_text(a, b, y, key);
    for (int i = 0; i < session->tuned.count; i++)
        if (!strcmp(session->tuned.data[i].key, key)) return session->tuned.data[i].way;
    int count = ways_of(session, a, b, y, ways);
    if (count < 2) return ways[0];
    int kept = find_kept(session, key, y->dtype, ways, count);
    if (kept >= 0) {
        remember(session, key, kept, "kept from before");
        return kept;
    }
    bool mode = tern_set_grad_mode(session, false);
    session->tunes = false; /* of what the race itself asks for */
    int way = race(session, key, a, b, y, ways, count);
    session->tunes = true;
    tern_set_grad_mode(session, mode);
    return way;
}

void tern_session_tune(tern_session *session, bool tunes) { session->tunes = tunes; }

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
