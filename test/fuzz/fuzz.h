// SPDX-License-Identifier: Apache-2.0
/* fuzz: a mutation fuzzer in one file. A fuzzer defines fuzz_one and lists its seeds:
 *
 *     NAME SECONDS KEEP_FILE [SEED]         SEED: the clock, where none is given
 *
 * Inputs are seeds with a few random edits: bytes changed, pieces doubled, moved between seeds, cut
 * out, tokens put in. Each is written to KEEP_FILE before it runs, so that what crashed is at hand;
 * an input that takes over ten seconds ends the run like a crash. NAME -1 FILE runs one input. */
#ifndef TERN_FUZZ_H
#define TERN_FUZZ_H

#include <fcntl.h>
#include <glob.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { FUZZ_MOST_BYTES = 1 << 16, FUZZ_MOST_SEEDS = 256 };

/* Runs one input; data[size] is 0. A crash or a sanitizer's report is a finding. */
static void fuzz_one(const char *data, size_t size);
extern const char *const fuzz_globs[], *const fuzz_tokens[]; /* both end with NULL */

typedef struct Fuzz {
    uint64_t state;
    char *seeds[FUZZ_MOST_SEEDS];
    size_t sizes[FUZZ_MOST_SEEDS];
    int num_seeds, num_tokens;
    char input[FUZZ_MOST_BYTES + 1];
    size_t size;
} Fuzz;

static size_t fuzz_below(Fuzz *fuzz, size_t limit) {
    fuzz->state ^= fuzz->state << 13, fuzz->state ^= fuzz->state >> 7,
        fuzz->state ^= fuzz->state << 17;
    return limit ? (size_t)(fuzz->state >> 11) % limit : 0;
}

static void fuzz_read_seed(Fuzz *fuzz, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || fuzz->num_seeds == FUZZ_MOST_SEEDS) {
        if (file) fclose(file);
        return;
    }
    char *data = malloc(FUZZ_MOST_BYTES);
    fuzz->sizes[fuzz->num_seeds] = data ? fread(data, 1, FUZZ_MOST_BYTES / 2, file) : 0;
    fuzz->seeds[fuzz->num_seeds++] = data;
    fclose(file);
}

/* Replaces `gone` bytes at `at` by `count` bytes of `text`. */
static void fuzz_splice(Fuzz *fuzz, size_t at, size_t gone, const char *text, size_t count) {
    static char copy[FUZZ_MOST_BYTES];
    if (fuzz->size - gone + count > FUZZ_MOST_BYTES) return;
    if (count) memcpy(copy, text, count);
    memmove(fuzz->input + at + count, fuzz->input + at + gone, fuzz->size - at - gone);
    if (count) memcpy(fuzz->input + at, copy, count);
    fuzz->size += count - gone;
}

static void fuzz_edit(Fuzz *fuzz) {
    size_t at = fuzz_below(fuzz, fuzz->size + 1), left = fuzz->size - at;
    size_t some = fuzz_below(fuzz, left < 64 ? left + 1 : 64);
    switch (fuzz_below(fuzz, 8)) {
    case 0:
        if (left) fuzz->input[at] = (char)fuzz_below(fuzz, 256);
        break;
    case 1:
        if (left) fuzz->input[at] ^= (char)(1 << fuzz_below(fuzz, 8));
        break;
    case 2: fuzz_splice(fuzz, at, some, "", 0); break;
    case 3: fuzz_splice(fuzz, at, 0, fuzz->input + at, some); break;
    case 4: {
        size_t seed = fuzz_below(fuzz, (size_t)fuzz->num_seeds),
               from = fuzz_below(fuzz, fuzz->sizes[seed]);
        size_t length = fuzz->sizes[seed] - from;
        fuzz_splice(fuzz, at, some, fuzz->seeds[seed] + from,
                    length < 200 ? length : fuzz_below(fuzz, 200));
        break;
    }
    case 5: {
        char number[32];
        static const long long interesting[] = {0,    -1,         1,          16,       255,
                                                1024, 2147483647, 2147483648, 1LL << 62};
        snprintf(number, sizeof number, "%lld", interesting[fuzz_below(fuzz, 9)]);
        fuzz_splice(fuzz, at, 0, number, strlen(number));
        break;
    }
    default: {
        const char *token = fuzz_tokens[fuzz_below(fuzz, (size_t)fuzz->num_tokens)];
        fuzz_splice(fuzz, at, fuzz_below(fuzz, 2) ? some : 0, token, strlen(token));
        break;
    }
    }
}

/* An input may take so much processor time: wall time would blame it for what else the machine
 * does. */
static void fuzz_limit(int seconds) {
    struct itimerval limit = {.it_value = {.tv_sec = seconds}};
    setitimer(ITIMER_PROF, &limit, NULL);
}

static int fuzz_file(const char *path) {
    static char data[FUZZ_MOST_BYTES + 1];
    FILE *file = fopen(path, "rb");
    if (!file) return 2;
    size_t size = fread(data, 1, FUZZ_MOST_BYTES, file);
    fclose(file);
    fuzz_one(data, size);
    return 0;
}

int main(int argc, char **argv) {
    static Fuzz fuzz;
    double seconds = argc > 1 ? atof(argv[1]) : 60;
    if (seconds < 0) return fuzz_file(argc > 2 ? argv[2] : "");
    uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : (uint64_t)time(NULL);
    fuzz.state = first * 0x9e3779b97f4a7c15u | 1;
    for (int i = 0; fuzz_globs[i]; i++) {
        glob_t found;
        if (!glob(fuzz_globs[i], 0, NULL, &found))
            for (size_t k = 0; k < found.gl_pathc; k++) fuzz_read_seed(&fuzz, found.gl_pathv[k]);
        globfree(&found);
    }
    while (fuzz_tokens[fuzz.num_tokens]) fuzz.num_tokens++;
    if (!fuzz.num_seeds) return fprintf(stderr, "no seeds\n"), 2;
    int keep = open(argc > 2 ? argv[2] : "fuzz.input", O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (keep < 0) return perror("fuzz.input"), 2;
    long long runs = 0;
    for (time_t start = time(NULL); (double)(time(NULL) - start) < seconds; runs++) {
        size_t seed = fuzz_below(&fuzz, (size_t)fuzz.num_seeds);
        memcpy(fuzz.input, fuzz.seeds[seed], fuzz.size = fuzz.sizes[seed]);
        for (size_t edits = fuzz_below(&fuzz, 8); edits > 0; edits--) fuzz_edit(&fuzz);
        fuzz.input[fuzz.size] = 0;
        if (pwrite(keep, fuzz.input, fuzz.size, 0) < 0 || ftruncate(keep, (off_t)fuzz.size))
            return perror("keep"), 2;
        fuzz_limit(10);
        fuzz_one(fuzz.input, fuzz.size);
    }
    fuzz_limit(0);
    printf("%s: %lld inputs from seed %llu, no finding\n", argv[0], runs,
           (unsigned long long)first);
    return 0;
}

#endif
