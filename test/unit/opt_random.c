// SPDX-License-Identifier: Apache-2.0
/* Every pass, and the pipelines' sequence of them, must leave what random functions print as it is,
 * and leave valid IR. */
#include "opt/opt.h"
#include "unit/random_ir.h"

enum { FUNCTIONS = 1500, RUNS = 3 };

static const char *const sequences[][13] = {
    {"fold"},
    {"cse"},
    {"dce"},
    {"licm"},
    {"carry"},
    {"shape"},
    {"fold", "cse", "shape", "fold", "shape", "licm", "fold", "cse", "dce"},
    {"bounds"},
    {"dots"},
    {"sink"},
    {"together"},
    {"licm", "carry", "shape", "sink", "together", "dce"},
    {"guard", "place", "keep", "bring", "rings", "early", "share", "soon", "waits", "scaled",
     "fence", "apart"},
    {"place", "keep", "bring", "rings", "early", "share", "waits", "fence"},
    {"bring"},
    {"keep"},
    {"rings"},
    {"early"},
    {"backwards"},
    {"bare"},
    {"behind"},
    {"sums"},
    {"longest"},
    {"unmask"},
    {"lanes"},
    {"rotate"},
    {"hold"},
    {"share"},
    {"soon"},
    {"waits"},
    {"scaled"},
    {"fence"},
    {"apart"},
};

static Func *copy_of(Arena *arena, const Func *fn) {
    Buf text = {.arena = arena};
    Diag diag = {.arena = arena};
    func_print(&text, fn, false);
    return func_parse(arena, source_new(arena, STR("copy"), buf_str(&text)), &diag);
}

static bool same_outcome(Arena *arena, const Func *a, const Func *b) {
    static Evaluator before, after;
    for (int run = 0; run < RUNS; run++) {
        uint64_t params[RANDOM_PARAMS];
        random_params(a, random_below(2), params);
        before.arena = after.arena = arena;
        before.program_id = after.program_id = (uint64_t)random_below(100);
        eval_func(&before, a, params);
        eval_func(&after, b, params);
        if (before.num_out != after.num_out) return false;
        if (memcmp(before.out, after.out, sizeof before.out[0] * (size_t)before.num_out))
            return false;
    }
    return true;
}

static bool check_function(uint64_t seed, const char *const *sequence) {
    Arena *arena = arena_new(NULL);
    Diag diag = {.arena = arena};
    PassCtx px = {.scratch = arena, .diag = &diag, .target = "sm_90a"};
    random_state = seed * 0x9e3779b97f4a7c15u + 1;
    Func *fn = random_func(arena, random_below(2), false);
    Func *changed = copy_of(arena, fn);
    const char *why = func_verify(arena, fn);
    bool ok = changed && !why;
    if (ok) changed->num_warps = 1 << seed % 4;
    for (int i = 0; ok && sequence[i]; i++) {
        pass_find(str_of(sequence[i]))->run(&px, changed);
        why = func_verify(arena, changed);
        ok = !why;
    }
    ok = ok && same_outcome(arena, fn, changed);
    if (!ok) {
        Buf text = {.arena = arena};
        func_print(&text, fn, false);
        printf("seed %llu, %s: %s\n%s", (unsigned long long)seed, sequence[0],
               why ? why : "another outcome", text.data);
    }
    arena_free(arena);
    return ok;
}

TEST(passes_keep_the_outcome) {
    int wrong = 0;
    for (int s = 0; s < COUNT(sequences); s++)
        for (uint64_t seed = 0; seed < FUNCTIONS / COUNT(sequences) && wrong < 1; seed++)
            wrong += !check_function(seed + 1000 * (uint64_t)s, sequences[s]);
    CHECK(wrong == 0);
}

/* Those of thread form by cu_random.c; contract, which rounds otherwise, by opt_golden.c; pieces,
 * which wants tiles larger than these, by test/run/pieces.py. */
TEST(every_pass_is_tried) {
    for (int i = 0; pass_at(i); i++) {
        const char *name = pass_at(i)->name;
        bool found = !strcmp(name, "promote") || !strcmp(name, "contract") ||
                     !strcmp(name, "spread") || !strcmp(name, "unroll") || !strcmp(name, "pieces");
        for (int s = 0; s < COUNT(sequences); s++)
            found |= !strcmp(sequences[s][0], pass_at(i)->name);
        CHECK(found);
    }
}

TEST_MAIN()
