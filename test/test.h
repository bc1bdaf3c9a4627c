// SPDX-License-Identifier: Apache-2.0
/* test: the smallest harness. A file of tests is a program:
 *
 *     TEST(arena_aligns) { CHECK((uintptr_t)p % 16 == 0); }
 *     TEST_MAIN()
 *
 * It prints a line for each failed check and, at the end, "NAME: N passed, N failed, N skipped";
 * tools/run-tests adds these up. A test that is skipped says why: SKIP("no C compiler"). */
#ifndef TERN_TEST_H
#define TERN_TEST_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct TestCase {
    const char *name;
    void (*run)(void);
    struct TestCase *next;
} TestCase;
static TestCase *test_first, **test_end = &test_first;
static int test_bad_checks;
static const char *test_skipped;

#define TEST(name)                                                                                 \
    static void test_##name(void);                                                                 \
    static TestCase case_##name = {#name, test_##name, NULL};                                      \
    __attribute__((constructor)) static void add_##name(void) {                                    \
        *test_end = &case_##name;                                                                  \
        test_end = &case_##name.next;                                                              \
    }                                                                                              \
    static void test_##name(void)

#define CHECK(condition)                                                                           \
    ((condition) ? (void)0                                                                         \
                 : (void)(test_bad_checks++,                                                       \
                          printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition)))
#define CHECK_STR(got, want) test_check_str(__FILE__, __LINE__, (got), (want))
#define SKIP(why)            (test_skipped = (why))

__attribute__((unused)) static void test_check_str(const char *file, int line, const char *got,
                                                   const char *want) {
    if (got && want && !strcmp(got, want)) return;
    test_bad_checks++;
    printf("%s:%d: failed:\n--- got\n%s\n--- want\n%s\n---\n", file, line, got ? got : "(null)",
           want ? want : "(null)");
}

__attribute__((unused)) static int test_main(const char *file, int argc, char **argv) {
    int passed = 0, failed = 0, skipped = 0;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* a test that is cut off has said what it saw */
    for (TestCase *test = test_first; test; test = test->next) {
        if (argc > 1 && !strstr(test->name, argv[1])) continue;
        test_bad_checks = 0, test_skipped = NULL;
        test->run();
        if (test_bad_checks)
            failed++, printf("FAILED %s\n", test->name);
        else if (test_skipped)
            skipped++, printf("skipped %s: %s\n", test->name, test_skipped);
        else
            passed++;
    }
    printf("%s: %d passed, %d failed, %d skipped\n", file, passed, failed, skipped);
    return failed != 0;
}

#define TEST_MAIN()                                                                                \
    int main(int argc, char **argv) { return test_main(__FILE__, argc, argv); }

#endif
