// SPDX-License-Identifier: Apache-2.0
/* replay: the launches of a plan as a CUDA graph. A call that repeats, repeats its addresses, too:
 * memory that it makes comes from the session's lists, where the last call's went. So a graph is
 * known by all addresses that its kernels get; a call first has its memory, then is either one
 * launch of a graph that was recorded with the same addresses, or the launches themselves. Such a
 * graph is right whoever owns the memory by now: sizes and strides are the plan's. */
#include "fuse/fuse.h"

enum { MOST_REPLAYS = 4, MOST_SEEN = 8 };

/* The launch of a step. */
typedef struct Launch {
    int num_arguments;
    tern_argument *arguments;
} Launch;

typedef struct Recorded {
    uint64_t *addresses;
    tern_graph *graph;
    uint64_t last_use;
} Recorded;

struct Replay {
    Launch *launches;
    uint64_t *addresses; /* of the call */
    int num_addresses;
    uint64_t seen[MOST_SEEN]; /* digests of the last calls' addresses */
    uint64_t num_calls;
    Recorded recorded[MOST_REPLAYS];
    tern_stream *stream;
    bool is_off; /* something could not be recorded */
};

static bool is_worth_it(const FusePlan *plan) {
    const tern_session *session = plan->trace->session;
    if (!session->is_cuda || session->stream || plan->steps.count < 2) return false;
    for (int i = 0; i < plan->steps.count; i++)
        if (!plan->steps.data[i].kernel) return false;
    return true;
}

static Replay *replay_new(FusePlan *plan) {
    if (setjmp(plan->no_memory)) return NULL;
    Replay *replay = arena_new_of(plan->arena, Replay);
    int count = 0;
    replay->launches = arena_array(plan->arena, Launch, plan->steps.count);
    for (int i = 0; i < plan->steps.count; i++) {
        int arguments = plan->steps.data[i].kernel->num_arguments;
        replay->launches[i].num_arguments = arguments;
        replay->launches[i].arguments = arena_array(plan->arena, tern_argument, arguments);
        count += arguments;
    }
    replay->addresses = arena_array(plan->arena, uint64_t, count);
    for (int i = 0; i < MOST_REPLAYS; i++)
        replay->recorded[i].addresses = arena_array(plan->arena, uint64_t, count);
    return replay;
}

void replay_free(Replay *replay) {
    if (!replay) return;
    for (int i = 0; i < MOST_REPLAYS; i++)
        if (replay->recorded[i].graph) tern_graph_free(replay->recorded[i].graph);
    tern_stream_free(replay->stream);
}

bool replay_begin(FusePlan *plan) {
    if (!is_worth_it(plan)) return false;
    if (!plan->replay) plan->replay = replay_new(plan);
    if (!plan->replay) return false;
    plan->replay->num_addresses = 0;
    return true;
}

void replay_add(FusePlan *plan, int step) {
    Replay *replay = plan->replay;
    const FusedKernel *kernel = plan->steps.data[step].kernel;
    tern_argument *arguments = replay->launches[step].arguments;
    fuse_arguments(plan, kernel, arguments);
    for (int i = 0; i < kernel->num_arguments; i++)
        if (kernel->arguments[i].storage >= 0)
            replay->addresses[replay->num_addresses++] =
                (uint64_t)(uintptr_t)tern_buffer_pointer(arguments[i].buffer) + arguments[i].offset;
}

tern_status replay_launch(FusePlan *plan, tern_stream *stream, int count) {
    tern_status status = TERN_OK;
    for (int i = 0; i < count && !status; i++) {
        const FusedKernel *kernel = plan->steps.data[i].kernel;
        const Launch *launch = &plan->replay->launches[i];
        const uint32_t grid[3] = {(uint32_t)kernel->programs, 1, 1};
        status =
            tern_launch(stream, kernel->kernel, grid, launch->arguments, launch->num_arguments);
    }
    return status;
}

/* ---- what was recorded ---- */

static Recorded *find(Replay *replay) {
    size_t size = (size_t)replay->num_addresses * sizeof *replay->addresses;
    for (int i = 0; i < MOST_REPLAYS; i++) {
        Recorded *recorded = &replay->recorded[i];
        if (recorded->graph && !memcmp(recorded->addresses, replay->addresses, size))
            return recorded;
    }
    return NULL;
}

/* Addresses that came before, lately, will come again. */
static bool comes_again(Replay *replay) {
    uint64_t digest = 1;
    for (int i = 0; i < replay->num_addresses; i++)
        digest = (digest ^ replay->addresses[i]) * 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio */
    bool again = false;
    for (int i = 0; i < MOST_SEEN; i++) again = again || replay->seen[i] == digest;
    replay->seen[replay->num_calls % MOST_SEEN] = digest;
    return again;
}

static Recorded *place_for(Replay *replay) {
    Recorded *oldest = &replay->recorded[0];
    for (int i = 0; i < MOST_REPLAYS; i++)
        if (replay->recorded[i].last_use < oldest->last_use) oldest = &replay->recorded[i];
    if (oldest->graph) tern_graph_free(oldest->graph);
    oldest->graph = NULL;
    return oldest;
}

/* NULL: it cannot be, and is not tried again. */
static Recorded *record(FusePlan *plan) {
    Replay *replay = plan->replay;
    if (!replay->stream)
        replay->stream = tern_stream_create(tern_session_context(plan->trace->session));
    tern_graph *graph = NULL;
    if (replay->stream && !tern_graph_begin(replay->stream)) {
        tern_status status = replay_launch(plan, replay->stream, plan->steps.count);
        graph = tern_graph_end(replay->stream);
        if (status && graph) tern_graph_free(graph);
        if (status) graph = NULL;
    }
    replay->is_off = !graph;
    if (!graph) return NULL;
    Recorded *recorded = place_for(replay);
    recorded->graph = graph;
    memcpy(recorded->addresses, replay->addresses,
           (size_t)replay->num_addresses * sizeof *replay->addresses);
    return recorded;
}

tern_status replay_run(FusePlan *plan) {
    Replay *replay = plan->replay;
    Recorded *recorded = replay->is_off ? NULL : find(replay);
    replay->num_calls++;
    if (!recorded && !replay->is_off && comes_again(replay)) recorded = record(plan);
    if (!recorded) return replay_launch(plan, NULL, plan->steps.count);
    recorded->last_use = replay->num_calls;
    return tern_graph_launch(recorded->graph, NULL);
}
