// SPDX-License-Identifier: Apache-2.0
/* Recordings of several threads: of one context in turns, of contexts of their own at once. */
#include "prof/prof.h"
#include "test.h"

#include <pthread.h>

static tern_context *open_interp(void) {
    return tern_open(&(tern_open_options){.device = "interp", .cache_dir = ""}, NULL, NULL, 0);
}

static void *push_and_die(void *context) {
    tern_range_push(context, "other");
    tern_range_push(context, "left open");
    tern_range_pop(context);
    tern_range_pop(context);
    tern_range_push(context, "left open");
    return NULL;
}

TEST(each_thread_has_ranges_of_its_own) {
    tern_context *context = open_interp();
    tern_profile *profile = tern_profile_start(context, NULL);
    tern_range_push(context, "mine");
    for (int i = 0; i < 3; i++) { /* the next one may be given the memory of the one before */
        pthread_t thread;
        CHECK(!pthread_create(&thread, NULL, push_and_die, context));
        pthread_join(thread, NULL);
    }
    tern_range_pop(context);
    CHECK(!tern_profile_stop(profile) && profile->num_unbalanced == 3);
    CHECK(profile->num_events == 1 + 3 * 3);
    for (int i = 0; i < profile->num_events; i++) {
        const ProfEvent *event = &profile->events[i];
        CHECK((event->thread == profile->events[0].thread) == !strcmp(event->name, "mine"));
        if (event->parent >= 0) CHECK_STR(profile->events[event->parent].name, "other");
    }
    CHECK(profile->events[0].end_ns < profile->end_ns - profile->begin_ns);
    tern_profile_free(profile);
    tern_close(context);
}

static void *ends_in_a_range(void *context) {
    tern_range_push(context, "left open");
    return NULL;
}

/* What a thread left open ends with the profile; another of the same number goes on from there. */
TEST(threads_may_end_in_a_range) {
    enum { THREADS = 20 };
    tern_context *context = open_interp();
    tern_profile *profile = tern_profile_start(context, NULL);
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        CHECK(!pthread_create(&thread, NULL, ends_in_a_range, context));
        pthread_join(thread, NULL);
    }
    CHECK(!tern_profile_stop(profile));
    CHECK(profile->num_events == THREADS && profile->num_unbalanced == THREADS);
    for (int i = 0; i < profile->num_events; i++)
        CHECK(profile->events[i].end_ns == profile->end_ns - profile->begin_ns);
    char *table = tern_profile_table(profile, NULL);
    CHECK(strstr(table, "20 ranges were ended that had not begun, or were open at the end"));
    tern_free(table);
    tern_profile_free(profile);
    tern_close(context);
}

typedef struct Worker { /* with a context of its own, and one that all share in turns */
    tern_context *own, *shared;
    pthread_mutex_t *turn;
    tern_profile *profile;
} Worker;

static void *records_and_ends(void *user) {
    Worker *worker = user;
    worker->own = open_interp();
    worker->profile = tern_profile_start(worker->own, &(tern_profile_options){.max_events = 5000});
    for (int i = 0; i < 2000; i++) {
        tern_range_push(worker->own, i % 2 ? "odd" : "even");
        pthread_mutex_lock(worker->turn);
        tern_range_push(worker->shared, "shared");
        pthread_mutex_unlock(worker->turn);
        tern_range_pop(worker->own);
        pthread_mutex_lock(worker->turn);
        tern_range_pop(worker->shared);
        pthread_mutex_unlock(worker->turn);
    }
    tern_range_push(worker->own, "left open");
    pthread_mutex_lock(worker->turn);
    tern_range_push(worker->shared, "left open");
    pthread_mutex_unlock(worker->turn);
    return NULL;
}

/* Contexts of their own at once, one in turns; who began them is gone when they are stopped. */
TEST(threads_record_at_once_and_end) {
    enum { THREADS = 4, TURNS = 2000 };
    pthread_t threads[THREADS];
    Worker workers[THREADS];
    pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
    tern_context *shared = open_interp();
    tern_profile *all = tern_profile_start(shared, NULL);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (Worker){.shared = shared, .turn = &turn};
        CHECK(!pthread_create(&threads[i], NULL, records_and_ends, &workers[i]));
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        tern_profile *profile = workers[i].profile;
        CHECK(!tern_profile_stop(profile) && profile->num_unbalanced == 1);
        CHECK(profile->num_events == TURNS + 1);
        for (int k = 0; k < TURNS; k++) CHECK(profile->events[k].parent < 0);
        tern_profile_free(profile);
        tern_close(workers[i].own);
    }
    CHECK(!tern_profile_stop(all) && all->num_unbalanced == THREADS);
    CHECK(all->num_events == THREADS * (TURNS + 1));
    for (int k = 0; k < all->num_events; k++) CHECK(all->events[k].parent < 0);
    tern_profile_free(all);
    tern_close(shared);
}

TEST_MAIN()
