// SPDX-License-Identifier: Apache-2.0
/* The honesty tests on a GPU: those of honesty.h, and what takes the command or processes: bytes
 * that are declared wrong, and verdicts over processes for programs whose truth is known. */
#include "test.h"

#include "folder.h"
#include "gpu/honesty.h"

#include <sys/wait.h>

/* ---- bytes that are declared wrong ---- */

static const char copy_source[] = "import triton\nimport triton.language as tl\n\n@triton.jit\n"
                                  "def copy(x, y, n, BLOCK: tl.constexpr):\n"
                                  "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
                                  "    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)\n";

/* Runs the command on the copy kernel; its output goes to `output`. */
static int bench_copy(const char *folder, const char *options, char *output, size_t size) {
    char command[2048];
    const char *tern = getenv("TERN");
    snprintf(
        command, sizeof command,
        "%s bench %s/copy.py --device cuda --grid 'cdiv(n,BLOCK)' -a 'x=zeros(n)' -a 'y=empty(n)' "
        "-a 'n=2**27' -a BLOCK=4096 --num-warps 8 --rep 30 --warmup 5 %s 2>&1",
        tern ? tern : "build/tern", folder, options);
    FILE *lines = popen(command, "r");
    size_t length = lines ? fread(output, 1, size - 1, lines) : 0;
    output[length] = 0;
    return lines ? pclose(lines) : -1;
}

static void quote_lines(const char *output, const char *word) {
    for (const char *at = output; *at; at += strcspn(at, "\n") + (at[strcspn(at, "\n")] != 0)) {
        int length = (int)strcspn(at, "\n");
        char line[1024];
        snprintf(line, sizeof line, "%.*s", length, at);
        if (strstr(line, word)) printf("honesty 9: %s\n", line);
    }
}

TEST(n09_bytes_declared_wrong) {
    char folder[] = "honesty-XXXXXX", path[64], output[8192];
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/copy.py", folder);
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(copy_source, file) >= 0 && fclose(file) == 0);
    CHECK(bench_copy(folder, "", output, sizeof output) == 0); /* 1 GiB moved */
    quote_lines(output, "memory");
    CHECK(strstr(output, "bytes counted)") && !strstr(output, "declared as"));
    CHECK(bench_copy(folder, "--bytes 'n*4'", output, sizeof output) == 0);
    quote_lines(output, "declared as");
    CHECK(strstr(output, "bytes declared as 5.369e+08, counted as 1.074e+09") != NULL);
    CHECK(bench_copy(folder, "--bytes 'n*16'", output, sizeof output) != 0);
    quote_lines(output, "impossible");
    CHECK(strstr(output, "impossible: ") != NULL);
    CHECK(folder_remove(folder, "honesty-XXXXXX"));
}

/* ---- verdicts over processes ---- */

enum { SIDE = 4, MOST_PAIRS = 64, MOST_MS = 210000 }; /* tools/gpu-check ends it after 240 s */

/* This program again: the median in ms of a copy of 256 MiB followed by `cycles` cycles. */
static double process_median(uint64_t cycles, double *clock_mhz) {
    char self[4096], command[5000];
    double median = 0;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length < 0 ? 0 : length] = 0;
    snprintf(command, sizeof command, "TERN_HONESTY_CYCLES=%llu timeout -k 5 60 '%s' n00",
             (unsigned long long)cycles, self);
    FILE *lines = popen(command, "r");
    bool fine = lines && fscanf(lines, "median %lf ms clock %lf", &median, clock_mhz) == 2;
    char rest[4096];
    while (lines && fgets(rest, sizeof rest, lines)) continue;
    if (lines) pclose(lines);
    CHECK(fine && median > 0);
    return fine ? median : NAN;
}

typedef struct CopyAndSpin {
    Reader copy;
    Task task;
} CopyAndSpin;

static tern_status do_copy_and_spin(void *user, tern_stream *stream) {
    CopyAndSpin *both = user;
    const Reader *copy = &both->copy;
    tern_status status = tern_launch(stream, copy->kernel, copy->grid, copy->arguments, 2);
    return status ? status : do_task(&both->task, stream);
}

/* The child's part: prints one line and ends. */
TEST(n00_one_process) {
    const char *cycles = getenv("TERN_HONESTY_CYCLES");
    enum { BYTES = 256 << 20 };
    Judge judge;
    if (!cycles) {
        SKIP("a part of n24");
        return;
    }
    if (!judge_open(&judge)) return;
    tern_module *module =
        tern_load_text(judge.context, read_source, sizeof read_source - 1, "read.py");
    tern_kernel *kernel =
        module ? tern_compile(module, "read", "*fp32:16,*fp32:16,4096", NULL) : NULL;
    tern_buffer *x = tern_alloc(judge.context, BYTES),
                *sums = tern_alloc(judge.context, BYTES / 4096);
    CHECK(kernel && x && sums && tern_fill(x, 0) == TERN_OK);
    if (kernel && x && sums) {
        CopyAndSpin both = {
            {kernel, {tern_arg_buffer(x), tern_arg_buffer(sums)}, {BYTES / 16384, 1, 1}},
            {.judge = &judge, .cycles = strtoull(cycles, NULL, 10)}};
        tern_timing timing;
        const tern_bench_options options = {.hot = true, .min_time_ms = 15, .max_samples = 80};
        CHECK(tern_bench(judge.context, do_copy_and_spin, &both, &options, &timing) == TERN_OK);
        printf("median %.9g ms clock %.9g\n", timing.median, timing.clock_mhz);
        tern_timing_free(&timing);
    }
    judge_close(&judge);
}

/* A, another A and B = A + 3 %, each in SIDE processes, in an order that drifts meet alike. */
static void one_pair(uint64_t a_cycles, uint64_t b_cycles, tern_comparison *same,
                     tern_comparison *slower, double *strict) {
    double medians[3][SIDE], mhz;
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < 3; k++) {
            int side = i % 2 ? 2 - k : k;
            medians[side][i] = process_median(side == 2 ? b_cycles : a_cycles, &mhz);
        }
    *same = tern_compare(medians[0], SIDE, medians[1], SIDE, 0.01);
    *slower = tern_compare(medians[0], SIDE, medians[2], SIDE, 0.01);
    tern_comparison none = tern_compare(medians[0], SIDE, medians[1], SIDE, 0);
    *strict += none.verdict == TERN_FASTER || none.verdict == TERN_SLOWER;
}

TEST(n24_verdicts) {
    const char *text = getenv("TERN_HONESTY_PAIRS");
    int pairs = text ? atoi(text) : 20, done = 0, alarms = 0, found = 0;
    double mhz = 0, strict = 0, least = INFINITY, most = 0, sum = 0;
    const uint64_t a_cycles = 100000;
    if (!pairs) {
        SKIP("TERN_HONESTY_PAIRS is 0");
        return;
    }
    if (pairs < 1 || pairs > MOST_PAIRS) pairs = 20;
    double a_ms = process_median(a_cycles, &mhz);
    if (!(a_ms > 0) || !(mhz > 0)) return;
    uint64_t more = (uint64_t)(0.03 * a_ms * mhz * 1e3);
    for (double end = clock_ms() + MOST_MS; done < pairs && clock_ms() < end; done++) {
        tern_comparison same, slower;
        one_pair(a_cycles, a_cycles + more, &same, &slower, &strict);
        alarms += same.verdict == TERN_FASTER || same.verdict == TERN_SLOWER;
        found += slower.verdict == TERN_SLOWER;
        least = fmin(least, slower.ratio), most = fmax(most, slower.ratio), sum += slower.ratio;
    }
    printf("honesty 24: %.4f ms against itself %d of %d times, %d processes a side: %d alarms at a "
           "margin of 1 %% (%g at none); "
           "with 3 %% more work: SLOWER %d of %d times, ratio %.4f .. %.4f, mean %.4f\n",
           a_ms, done, pairs, SIDE, alarms, strict, found, done, least, most, sum / done);
    CHECK(done == pairs); /* what was seen in the time that there was stands above */
    CHECK(alarms <= 1);
    CHECK(found == done);
}

TEST_MAIN()
