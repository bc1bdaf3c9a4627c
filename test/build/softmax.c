// SPDX-License-Identifier: Apache-2.0
/* Uses the softmax that `tern build` wrote: no tern. Results are held against float64, the choice
 * of a form against the promises as they are written here. */
#define _GNU_SOURCE
#include "softmax.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int place = SOFTMAX_CPU;
static _Atomic int failed;
static char words[300]; /* of the last refusal */

static void check(int good, const char *what) {
    if (good) return;
    failed++;
    printf("FAILED %s: %s\n", what, words);
}

static double half_value(uint16_t h) {
    int exponent = h >> 10 & 31, mantissa = h & 1023;
    double value = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
    return h >> 15 ? -value : value;
}

static double element(const void *memory, int is_half, size_t at) {
    return is_half ? half_value(((const uint16_t *)memory)[at]) : ((const float *)memory)[at];
}

/* Multiples of 1/8 below 4 are exact in both types. */
static void fill(void *memory, int is_half, size_t count, unsigned seed) {
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        int eighths = (int)(seed >> 24) % 32;
        int exponent = 0;
        double fraction = frexp(eighths / 8.0, &exponent); /* in [0.5, 1), or 0 */
        if (is_half)
            ((uint16_t *)memory)[i] =
                eighths ? (uint16_t)((exponent + 14) << 10 | (int)(fraction * 2048 - 1024)) : 0;
        else
            ((float *)memory)[i] = (float)(eighths / 8.0);
    }
}

static int run(const softmax_call *call, int is_half, int rows, void *x, void *out, int stride,
               int columns, int64_t block) {
    return is_half ? softmax_fp16(call, (uint32_t)rows, x, out, stride, stride, columns, block)
                   : softmax_fp32(call, (uint32_t)rows, x, out, stride, stride, columns, block);
}

/* The call on `place`, whose memory the host's goes to and comes back from. */
static int run_there(const softmax_call *call, int is_half, int rows, char *x, char *y,
                     size_t bytes, size_t first, int stride, int columns, int64_t block) {
    char *from = softmax_alloc(place, bytes), *to = softmax_alloc(place, bytes);
    int status = softmax_copy(place, from, x, bytes, 1) || softmax_copy(place, to, y, bytes, 1)
                     ? SOFTMAX_DEVICE
                     : run(call, is_half, rows, from + first, to + first, stride, columns, block);
    if (!status) status = softmax_wait(place, NULL);
    if (!status) status = softmax_copy(place, y, to, bytes, 0);
    softmax_free(place, from);
    softmax_free(place, to);
    return status;
}

/* `shift`: by how many elements rows and pointers miss an alignment of 16 bytes. */
static void test_values(const softmax_call *call, int is_half, int rows, int columns, int shift,
                        int64_t block) {
    size_t size = is_half ? 2 : 4, stride = (size_t)(columns + 15) / 16 * 16 + (size_t)shift;
    size_t count = (size_t)rows * stride + 16;
    char *x = malloc(count * size), *y = malloc(count * size);
    fill(x, is_half, count, (unsigned)columns);
    memset(y, 0x55, count * size);
    const double poison = element(y, is_half, 0);
    void *from = x + (size_t)shift * size, *to = y + (size_t)shift * size;
    int status = run_there(call, is_half, rows, x, y, count * size, (size_t)shift * size,
                           (int)stride, columns, block);
    check(status == SOFTMAX_OK, "a call of softmax");
    double tolerance = is_half ? 1e-3 : 4e-6;
    int wrong = 0;
    for (int row = 0; row < rows; row++) {
        double most = -INFINITY, sum = 0;
        for (int i = 0; i < columns; i++)
            most = fmax(most, element(from, is_half, (size_t)row * stride + (size_t)i));
        for (int i = 0; i < columns; i++)
            sum += exp(element(from, is_half, (size_t)row * stride + (size_t)i) - most);
        for (size_t i = 0; i < stride && (size_t)row * stride + i < count - (size_t)shift; i++) {
            size_t at = (size_t)row * stride + i;
            double got = element(to, is_half, at);
            double want =
                i < (size_t)columns ? exp(element(from, is_half, at) - most) / sum : poison;
            if (!(fabs(got - want) <= tolerance * fabs(want) + 1e-7)) wrong++;
        }
    }
    char what[200];
    snprintf(what, sizeof what, "%d values wrong: %d x %d, shift %d, BLOCK %d, half %d", wrong,
             rows, columns, shift, (int)block, is_half);
    check(!wrong, what);
    free(x);
    free(y);
}

static void test_sizes(const softmax_call *call) {
    static const int sizes[] = {1, 2, 15, 16, 17, 100, 1000, 1023, 1024};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int shift = 0; shift < 2; shift++)
            for (int is_half = 0; is_half < 2; is_half++) {
                test_values(call, is_half, 9, sizes[i], shift, 1024);
                test_values(call, is_half, 3, sizes[i] * 4, shift, 4096);
            }
}

/* ---- the choice ---- */

static int is16(uint64_t value) { return value % 16 == 0; }

static void test_choice(void) {
    uint64_t seed = 1;
    static const int numbers[] = {0, 1, 15, 16, 17, 32, 1000, 1008, 1024, 4096, -16, -1, INT32_MAX};
    for (int i = 0; i < 200000; i++) {
        uint64_t n[6];
        for (int k = 0; k < 6; k++)
            seed = seed * 6364136223846793005u + 1442695040888963407u, n[k] = seed >> 33;
        const float *x = (const float *)(uintptr_t)(n[0] % 8 * 4),
                    *y = (const float *)(uintptr_t)(n[1] % 3 * 8);
        int xs = numbers[n[2] % 13], ys = numbers[n[3] % 13], columns = numbers[n[4] % 13];
        int64_t block = n[5] % 5 == 0 ? 2048 : n[5] % 2 ? 1024 : 4096;
        int all = is16((uintptr_t)x) && is16((uintptr_t)y) && is16((uint64_t)(int64_t)xs) &&
                  is16((uint64_t)(int64_t)ys) && is16((uint64_t)(int64_t)columns);
        int want =
            block == 2048 || columns > block ? SOFTMAX_ARGUMENT : (all ? 0 : 2) + (block == 4096);
        int got = softmax_form_fp32(x, (float *)(uintptr_t)y, xs, ys, columns, block);
        snprintf(words, sizeof words, "%d, not %d: %p %p %d %d %d %d", got, want, (const void *)x,
                 (const void *)y, xs, ys, columns, (int)block);
        check(got == want, "the choice of a form");
    }
    words[0] = 0;
}

static void test_refusals(softmax_call *call) {
    float x[64] = {0}, y[64] = {0};
    call->message = words, call->message_size = sizeof words;
    struct {
        int status;
        const char *says;
    } row;
#define REFUSED(text, ...)                                                                         \
    row.status = (__VA_ARGS__), row.says = text;                                                   \
    check(row.status == SOFTMAX_ARGUMENT && strstr(words, row.says), row.says);
    REFUSED("BLOCK is 2048; compiled are 1024, 4096", softmax_fp32(call, 1, x, y, 16, 16, 16, 2048))
    REFUSED("needs columns <= BLOCK, but columns is 1025, BLOCK is 1024",
            softmax_fp32(call, 1, x, y, 16, 16, 1025, 1024))
    REFUSED(
        "x_ptr is not aligned to its elements of 4 bytes",
        softmax_fp32(call, 1, (const float *)(uintptr_t)((uintptr_t)x + 2), y, 16, 16, 16, 1024))
    REFUSED("a grid of (2147483648, 1, 1)", softmax_fp32(call, 1u << 31, x, y, 16, 16, 16, 1024))
    REFUSED("a stream is given", softmax_fp32(&(softmax_call){.place = SOFTMAX_CPU,
                                                              .stream = x,
                                                              .message = words,
                                                              .message_size = sizeof words},
                                              1, x, y, 16, 16, 16, 1024))
    REFUSED(
        "there is no place 7",
        softmax_fp32(&(softmax_call){.place = 7, .message = words, .message_size = sizeof words}, 1,
                     x, y, 16, 16, 16, 1024))
    check(softmax_fp32(call, 0, NULL, NULL, 16, 16, 16, 1024) == SOFTMAX_OK, "a grid of 0");
    check(y[0] == 0, "a refused call writes nothing");
}

/* ---- threads ---- */

typedef struct Split {
    softmax_body *body;
    void *job;
    int64_t low, high;
} Split;

static void *split_main(void *user) {
    Split *split = user;
    split->body(split->job, split->low, split->high);
    return NULL;
}

/* Three threads, the last range first. */
static void own_threads(void *user, int64_t programs, softmax_body *body, void *job) {
    pthread_t threads[3];
    Split splits[3];
    for (int i = 0; i < 3; i++) {
        splits[i] = (Split){body, job, programs * (2 - i) / 3, programs * (3 - i) / 3};
        if (pthread_create(&threads[i], NULL, split_main, &splits[i])) abort();
    }
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    ++*(int *)user;
}

static void *caller(void *unused) {
    softmax_call call = {.place = SOFTMAX_CPU};
    for (int i = 0; i < 20; i++) test_values(&call, i & 1, 40, 100 + i, 0, 1024);
    return unused;
}

static void test_threads(void) {
    int used = 0;
    softmax_call call = {.place = SOFTMAX_CPU, .parallel = own_threads, .user = &used};
    test_values(&call, 0, 50, 333, 1, 1024);
    check(used == 1, "the caller's threads are used");
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, caller, NULL)) abort();
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    fflush(stdout);
    pid_t child = fork(); /* has none of the pool's threads */
    if (child == 0) {
        alarm(60);
        caller(NULL);
        _exit(failed != 0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    check(status == 0, "calls in a forked child");
}

/* softmax [THREADS | cuda] */
int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "cuda")) place = SOFTMAX_CUDA;
    softmax_call call = {
        .size = sizeof call, .place = place, .threads = argc > 1 ? atoi(argv[1]) : 0};
    check(softmax_abi() == SOFTMAX_ABI, "the ABI");
    check(strstr(softmax_description(), "\"name\": \"softmax_fp16\"") != NULL, "the description");
    test_sizes(&call);
    if (place == SOFTMAX_CUDA) return failed != 0;
    test_choice();
    test_refusals(&call);
    test_threads();
    return failed != 0;
}
