// SPDX-License-Identifier: Apache-2.0
/* tune: which way the products of a plan are done. One after the other each is tried in all ways
 * there are, the others as they are by then: a tile of tern's own, with what follows in the same
 * kernel, or a library's function, with what follows in another. What races are calls of the whole
 * function; each plan's results are held against the usual one's first. What won is kept for the
 * session, and in the cache folder, with the evidence. */
#include "fuse/fuse.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_PRODUCTS = 16 }; /* of a function that are tuned, the first ones */

typedef struct Race {
    tern_fused *function;
    tern_tensor *const *in;
    FusePlan *plans[MOST_WAYS]; /* NULL: it was refused */
    FusePlan *usual;
    tern_tensor *first[TERN_MAX_FUSED_TENSORS]; /* results of the usual plan */
    const int *ways;
    int *of_nodes, node; /* as the plan's; the node whose way is tried */
    uint64_t digest;     /* of the function's text */
} Race;

static void drop_all(tern_tensor **tensors, int count) {
    for (int i = 0; i < count; i++) tern_drop(tensors[i]), tensors[i] = NULL;
}

static tern_candidate_state ready(void *user, int candidate, char *words, size_t size) {
    Race *race = user;
    tern_session *session = race->function->session;
    tern_tensor *out[TERN_MAX_FUSED_TENSORS] = {NULL};
    int nodes = race->usual->trace->nodes.count, count = race->usual->num_out;
    bool is_right = true;
    double apart = 0;
    race->of_nodes[race->node] = 1 + race->ways[candidate];
    tern_status status =
        fused_plan_new(race->function, race->in, race->usual->key, race->usual->key_length,
                       race->of_nodes, nodes, &race->plans[candidate]);
    if (!status) status = fused_plan_call(race->plans[candidate], race->in, out);
    for (int i = 0; i < count && !status && is_right; i++)
        if (tern_dtype_is_float(out[i]->dtype) && out[i]->numel)
            is_right = tuned_is_right(session, out[i], race->first[i], &apart);
    drop_all(out, count);
    if (!status && is_right) return TERN_CANDIDATE_READY;
    if (status)
        snprintf(words, size, "%s", tern_message(session->context));
    else
        snprintf(words, size, "off by %g of the usual one's", apart);
    return status ? TERN_CANDIDATE_REFUSED : TERN_CANDIDATE_WRONG;
}

static tern_status run(void *user, int candidate, tern_stream *stream) {
    const Race *race = user;
    tern_tensor *out[TERN_MAX_FUSED_TENSORS] = {NULL};
    race->function->session->stream = stream;
    tern_status status = fused_plan_call(race->plans[candidate], race->in, out);
    race->function->session->stream = NULL;
    drop_all(out, race->usual->num_out);
    return status;
}

/* What is tried depends on all of the function. False: no memory. */
static bool find_digest(FusePlan *plan, uint64_t *digest) {
    if (setjmp(plan->no_memory)) return false;
    Buf text = {.arena = plan->arena};
    fuse_print_source(plan, &text);
    *digest = hash_bytes(text.data, text.length, 0);
    return true;
}

static void key_of_node(const Race *race, int node, char key[TUNED_KEY]) {
    const TraceNode *of = race->usual->trace->nodes.data[node];
    char product[TUNED_KEY];
    tuned_key(&of->tensors[0], &of->tensors[1], &of->out, product);
    snprintf(key, TUNED_KEY, "%.40s: %d: %.140s in %016llx", race->usual->name, node, product,
             (unsigned long long)race->digest);
}

static int way_of_node(Race *race, int node) {
    tern_session *session = race->function->session;
    const TraceNode *of = race->usual->trace->nodes.data[node];
    char key[TUNED_KEY];
    int ways[MOST_WAYS];
    int count = ways_of(session, &of->tensors[0], &of->tensors[1], &of->out, ways);
    const tern_tune_options options = {.user = race, .ready = ready, .run = run};
    key_of_node(race, node, key);
    memset(race->plans, 0, sizeof race->plans);
    race->ways = ways;
    race->node = node;
    int way = tuned_way(session, key, ways, count, &options);
    for (int i = 0; i < count; i++) fused_plan_free(race->plans[i]);
    return way;
}

static bool is_tuned(const FusePlan *plan, int node) {
    const TraceNode *of = plan->trace->nodes.data[node];
    return of->run.kind == RUN_PRODUCT && plan->states[node].is_wanted && of->out.numel &&
           tern_dtype_is_float(of->out.dtype) && of->tensors[0].shape[of->tensors[0].rank - 1];
}

static tern_status tune_nodes(Race *race, int *num_tuned) {
    const FusePlan *usual = race->usual;
    tern_status status = fused_plan_call(race->usual, race->in, race->first);
    if (!status && !find_digest(race->usual, &race->digest))
        status = session_fail(race->function->session, TERN_ERROR_NO_MEMORY, "out of memory");
    for (int node = 0; node < usual->trace->nodes.count && !status; node++) {
        if (!is_tuned(usual, node) || *num_tuned == MOST_PRODUCTS) continue;
        int way = way_of_node(race, node);
        race->of_nodes[node] = 1 + way;
        ++*num_tuned;
    }
    drop_all(race->first, usual->num_out);
    return status;
}

tern_status fuse_tune(tern_fused *function, tern_tensor *const *in, FusePlan **plan) {
    tern_session *session = function->session;
    FusePlan *usual = *plan, *best;
    int nodes = usual->trace->nodes.count, num_tuned = 0;
    if (usual->writes_outside) return TERN_OK; /* a call cannot be tried without being done */
    Race race = {.function = function,
                 .in = in,
                 .usual = usual,
                 .of_nodes = calloc((size_t)nodes + 1, sizeof(int))};
    if (!race.of_nodes) return session_fail(session, TERN_ERROR_NO_MEMORY, "out of memory");
    bool mode = tern_set_grad_mode(session, false);
    session->tunes = false; /* what a race itself asks for */
    tern_status status = tune_nodes(&race, &num_tuned);
    tern_set_grad_mode(session, mode);
    if (!status && num_tuned)
        status = fused_plan_new(function, in, usual->key, usual->key_length, race.of_nodes, nodes,
                                &best);
    session->tunes = true;
    free(race.of_nodes);
    if (status || !num_tuned) return status;
    fused_plan_free(usual);
    *plan = best;
    return TERN_OK;
}
