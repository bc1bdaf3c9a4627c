// SPDX-License-Identifier: Apache-2.0
/* When progress is said, by a clock that the test gives. */
#include "cli/progress.h"
#include "test.h"

static Progress piped(double every_ms) {
    return (Progress){.every_ms = every_ms, .next_ms = 1000 + every_ms};
}

TEST(a_line_every_few_seconds) {
    Progress progress = piped(5000);
    int lines = 0;
    for (double now = 1000; now < 31000; now += 10) lines += progress_is_due(&progress, now);
    CHECK(lines == 5); /* at 6000, 11000 .. 26000 */
}

TEST(a_terminal_is_redrawn_at_once) {
    Progress progress = piped(5000);
    progress.is_terminal = true;
    CHECK(progress_is_due(&progress, 1001) && progress_is_due(&progress, 1002));
}

TEST(silence) {
    Progress progress = piped(5000);
    progress.is_silent = true;
    CHECK(!progress_is_due(&progress, 1e9));
    progress.is_terminal = true;
    CHECK(!progress_is_due(&progress, 1e9));
}

/* After a long step the next line is as far away as ever, and nothing is caught up on. */
TEST(nothing_is_caught_up_on) {
    Progress progress = piped(5000);
    CHECK(progress_is_due(&progress, 100000));
    CHECK(!progress_is_due(&progress, 104999));
    CHECK(progress_is_due(&progress, 105000));
}

TEST(how_long_a_wait_may_be) {
    Progress progress = piped(5000);
    progress.next_ms = clock_ms() + 5000;
    int wait = progress_wait(&progress);
    CHECK(wait > 4000 && wait <= 5001);
    progress.next_ms = clock_ms() - 1;
    CHECK(progress_wait(&progress) == 0);
    progress.is_terminal = true;
    CHECK(progress_wait(&progress) == -1);
    progress.is_terminal = false, progress.is_silent = true;
    CHECK(progress_wait(&progress) == -1);
}

TEST(seconds_from_the_environment) {
    static const CommandRow row = {.name = "bench"};
    const Cli cli = {.command = &row}, quiet = {.command = &row, .quiet = true};
    Progress progress;
    setenv("TERN_PROGRESS", "0.25", 1);
    progress_start(&progress, &cli);
    CHECK(progress.every_ms == 250 && !progress.is_silent);
    progress_start(&progress, &quiet);
    CHECK(progress.is_silent);
    setenv("TERN_PROGRESS", "0", 1);
    progress_start(&progress, &cli);
    CHECK(progress.is_silent);
    setenv("TERN_PROGRESS", "soon", 1);
    progress_start(&progress, &cli);
    CHECK(progress.every_ms == 5000);
}

TEST_MAIN()
