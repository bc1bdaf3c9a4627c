// SPDX-License-Identifier: Apache-2.0
/* When the rounds that measure memory are believed: made-up rounds, as neighbours leave them. */
#include "bench/ceiling.h"
#include "test.h"

static int rounds_of(const double (*given)[2], int count, MemoryRounds *rounds) {
    *rounds = (MemoryRounds){0};
    for (int i = 0; i < count; i++)
        if (memory_round(rounds, given[i][0], given[i][1])) return i + 1;
    return 0;
}

TEST(two_quiet_rounds_are_enough) {
    static const double quiet[][2] = {{20e9, 25e9}, {20.2e9, 24.8e9}};
    MemoryRounds rounds;
    CHECK(rounds_of(quiet, 2, &rounds) == 2 && !rounds.is_doubtful);
    CHECK(rounds.copy == 20.2e9 && rounds.read == 25e9);
}

TEST(a_disturbed_round_does_not_count) {
    static const double disturbed[][2] = {
        {11e9, 7e9}, {20e9, 25e9}, {19e9, 12e9}, {20.1e9, 24.5e9}};
    MemoryRounds rounds;
    CHECK(rounds_of(disturbed, 4, &rounds) == 4 && !rounds.is_doubtful);
    CHECK(rounds.copy == 20.1e9 && rounds.read == 25e9);
}

/* All rounds agree, and reading is slower than copying: a neighbour reads, too. */
TEST(reading_is_not_slower_than_copying) {
    static const double odd[][2] = {{20e9, 15e9}, {20e9, 15e9}, {20e9, 15e9}, {20e9, 15e9}};
    MemoryRounds rounds;
    CHECK(rounds_of(odd, 4, &rounds) == 4 && rounds.is_doubtful);
}

TEST(rounds_that_never_agree_are_doubtful) {
    static const double wild[][2] = {{10e9, 12e9}, {20e9, 24e9}, {11e9, 13e9}, {30e9, 36e9}};
    MemoryRounds rounds;
    CHECK(rounds_of(wild, 4, &rounds) == 4 && rounds.is_doubtful);
    CHECK(rounds.copy == 30e9 && rounds.read == 36e9);
}

TEST_MAIN()
