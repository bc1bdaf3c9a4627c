// SPDX-License-Identifier: Apache-2.0
/* What speaks against many points is said once. */
#include "cli/gather.h"
#include "test.h"

static const char *printed(Arena *arena, const char *const (*given)[2], int count, int points) {
    Gathered gathered = {.arena = arena};
    Buf out = {.arena = arena};
    for (int i = 0; i < count; i++) gather_add(&gathered, given[i][0], str_of(given[i][1]));
    gather_print(&out, &gathered, points);
    return out.data ? out.data : "";
}

TEST(each_thing_once_with_its_points) {
    static const char *const given[][2] = {{"n=1", "noisy \xc2\xb7 few samples"},
                                           {"n=2", "noisy"},
                                           {"n=3", "noisy"},
                                           {"n=4", "noisy"},
                                           {"n=1", "noisy"}};
    Arena *arena = arena_new(NULL);
    CHECK_STR(printed(arena, given, 5, 9), "trust   noisy (n=1, n=2, n=3, ..; 4 of 9 points)\n"
                                           "trust   few samples (n=1; 1 of 9 points)\n");
    CHECK_STR(printed(arena, given, 5, 4), "trust   noisy (all 4 points)\n"
                                           "trust   few samples (n=1; 1 of 4 points)\n");
    CHECK_STR(printed(arena, given, 0, 4), "");
    CHECK_STR(printed(arena, given, 1, 1), "trust   noisy (the point)\n"
                                           "trust   few samples (the point)\n");
    arena_free(arena);
}

TEST(numbers_alone_make_no_other_thing) {
    static const char *const given[][2] = {{"n=8", "y: 4 of 8 never written"},
                                           {"n=9", "y: 1.3e+02 of 1000000 never written"},
                                           {"n=9", "z: 4 of 8 never written"},
                                           {"n=9", "y: 4 of 8 never written, twice"}};
    Arena *arena = arena_new(NULL);
    CHECK_STR(printed(arena, given, 4, 9),
              "trust   y: 4 of 8 never written (n=8, n=9; 2 of 9 points)\n"
              "trust   z: 4 of 8 never written (n=9; 1 of 9 points)\n"
              "trust   y: 4 of 8 never written, twice (n=9; 1 of 9 points)\n");
    arena_free(arena);
}

TEST_MAIN()
