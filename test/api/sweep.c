// SPDX-License-Identifier: Apache-2.0
/* Sweeps: the exact texts of table, CSV and gnuplot script, and files that cannot be written. The
 * CSV has the form that triton.testing writes: "%.6f", no index, nothing where there is no figure.
 * The scripts are compared with test/plot/NAME.gp; TERN_BLESS=1 rewrites those. */
#include "tern.h"
#include "folder.h"
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

static tern_sweep *sample(bool x_log) {
    static const char *const x[] = {"N", "M"}, *const lines[] = {"tern", "it's, \"new\""};
    tern_sweep *sweep = tern_sweep_create(&(tern_sweep_options){.name = "square() performance",
                                                                .x_names = x,
                                                                .num_x = 2,
                                                                .line_names = lines,
                                                                .num_lines = 2,
                                                                .y_label = "GB/s",
                                                                .x_log = x_log,
                                                                .ceiling = 100,
                                                                .ceiling_name = "copy"});
    CHECK(sweep);
    tern_sweep_add(sweep,
                   &(tern_point){.x = {256, 4096}, .line = 0, .y = 12.5, .y_min = 12, .y_max = 13});
    tern_sweep_add(
        sweep,
        &(tern_point){.x = {256, 4096}, .line = 1, .y = 1234.5678, .y_min = NAN, .y_max = NAN});
    tern_sweep_add(sweep,
                   &(tern_point){.x = {512, 4096}, .line = 0, .failed = "the kernel stopped"});
    tern_sweep_add(sweep, &(tern_point){.x = {512, 4096}, .line = 1, .y = NAN});
    return sweep;
}

TEST(table) {
    tern_sweep *sweep = sample(true);
    char *text = tern_sweep_table(sweep);
    CHECK_STR(text, "square() performance:\n"
                    "  N     M  tern (GB/s)  it's, \"new\" (GB/s)\n"
                    "256  4096       12.500              1234.6\n"
                    "512  4096       failed              failed\n");
    tern_free(text);
    tern_sweep_free(sweep);
}

TEST(csv_is_as_triton_writes_it) {
    tern_sweep *sweep = sample(true);
    char *text = tern_sweep_csv(sweep, false), *full = tern_sweep_csv(sweep, true);
    CHECK_STR(text, "N,M,tern (GB/s),\"it's, \"\"new\"\" (GB/s)\"\n"
                    "256.000000,4096.000000,12.500000,1234.567800\n"
                    "512.000000,4096.000000,,\n");
    CHECK(full && strstr(full, "N,M,line,GB/s,low,high,median_ms,"));
    CHECK(full && strstr(full, "256,4096,tern,12.5,12,13,,"));
    CHECK(full && strstr(full, ",the kernel stopped\n") && strstr(full, ",not a number\n"));
    tern_free(text);
    tern_free(full);
    tern_sweep_free(sweep);
}

TEST(points_say_which_device_had_them) {
    tern_sweep *sweep = sample(true);
    tern_sweep_add(sweep, &(tern_point){.x = {256, 4096}, .y = 12.5, .where = "cuda:1"});
    tern_sweep_add(sweep,
                   &(tern_point){.x = {512, 4096}, .line = 1, .y = 9, .where = "n7, cuda:0"});
    char *table = tern_sweep_table(sweep), *text = tern_sweep_csv(sweep, false),
         *full = tern_sweep_csv(sweep, true);
    CHECK_STR(table,
              "square() performance:\n"
              "  N     M  tern (GB/s)  it's, \"new\" (GB/s)  tern device  it's, \"new\" device\n"
              "256  4096       12.500              1234.6       cuda:1                    \n"
              "512  4096       failed                   9                       n7, cuda:0\n");
    CHECK_STR(text, "N,M,tern (GB/s),\"it's, \"\"new\"\" (GB/s)\",tern device,"
                    "\"it's, \"\"new\"\" device\"\n"
                    "256.000000,4096.000000,12.500000,1234.567800,cuda:1,\n"
                    "512.000000,4096.000000,,9.000000,,\"n7, cuda:0\"\n");
    CHECK(full && strstr(full, ",trust,failed,device\n"));
    CHECK(full && strstr(full, "256,4096,tern,12.5,") && strstr(full, ",cuda:1\n"));
    CHECK(full && strstr(full, ",,\"n7, cuda:0\"\n") && strstr(full, ",the kernel stopped,\n"));
    tern_free(table);
    tern_free(text);
    tern_free(full);
    tern_sweep_free(sweep);
}

TEST(script_quotes_what_users_name) {
    tern_sweep *sweep = sample(true);
    char *text = tern_sweep_gnuplot(sweep);
    CHECK(text && strstr(text, "$line1 << EOD\n256 12.5 12 13\nEOD\n"));
    CHECK(text && strstr(text, "$line2 << EOD\n256 1234.5678 1234.5678 1234.5678\nEOD\n"));
    CHECK(text && strstr(text, "set logscale x 2\nset format x '2^{%L}'\n"));
    CHECK(text && strstr(text, "plot $line1 using 1:3:4 with filledcurves"));
    CHECK(text && strstr(text, "title 'it''s, \"new\"'"));
    CHECK(text && strstr(text, "100 with lines dashtype 2"));
    tern_free(text);
    tern_sweep_free(sweep);
}

/* Of points that are no powers of two. */
TEST(script_has_decades) {
    const char *names[] = {"n"}, *lines[] = {"tern"};
    tern_sweep *sweep = tern_sweep_create(&(tern_sweep_options){.name = "decades",
                                                                .x_names = names,
                                                                .num_x = 1,
                                                                .line_names = lines,
                                                                .num_lines = 1,
                                                                .y_label = "ms",
                                                                .x_log = true});
    tern_sweep_add(sweep, &(tern_point){.x = {10}, .y = 1});
    tern_sweep_add(sweep, &(tern_point){.x = {1000}, .y = 2});
    char *text = tern_sweep_gnuplot(sweep);
    CHECK(text && strstr(text, "set logscale x 10\nset mxtics 10\nset xrange ["));
    tern_free(text);
    tern_sweep_free(sweep);
}

static void check_golden(const char *path, const char *got) {
    char *want = calloc(1, 65536);
    FILE *file = fopen(path, getenv("TERN_BLESS") ? "w" : "r");
    CHECK(file && got && want);
    if (!file || !got || !want) return;
    if (getenv("TERN_BLESS"))
        fputs(got, file);
    else if (fread(want, 1, 65535, file))
        CHECK_STR(got, want);
    else
        CHECK(!"the golden file has text");
    fclose(file);
    free(want);
}

TEST(whole_scripts) {
    tern_sweep *logarithmic = sample(true), *linear = sample(false);
    char *first = tern_sweep_gnuplot(logarithmic), *second = tern_sweep_gnuplot(linear);
    check_golden("test/plot/sweep-log.gp", first);
    check_golden("test/plot/sweep-linear.gp", second);
    tern_free(first);
    tern_free(second);
    tern_sweep_free(logarithmic);
    tern_sweep_free(linear);
}

/* A point of two samples: a hollow mark (6 for 7), and the band goes through the point alone. */
TEST(few_samples_are_hollow) {
    static const char *const x[] = {"n"}, *const lines[] = {"a", "b"};
    const tern_timing few = {.median = 1, .num_samples = 2, .trust = TERN_TRUST_FEW_SAMPLES},
                      fine = {.median = 1, .num_samples = 40};
    tern_sweep *sweep = tern_sweep_create(&(tern_sweep_options){.name = "s",
                                                                .x_names = x,
                                                                .num_x = 1,
                                                                .line_names = lines,
                                                                .num_lines = 2,
                                                                .y_label = "ms"});
    for (int i = 0; i < 4; i++)
        tern_sweep_add(sweep, &(tern_point){.x = {i % 2 + 1},
                                            .line = i / 2,
                                            .y = 5,
                                            .y_min = 4,
                                            .y_max = 6,
                                            .timing = i == 1 ? &few : &fine});
    char *text = tern_sweep_gnuplot(sweep);
    CHECK(text && strstr(text, "$line1 << EOD\n1 5 4 6 7\n2 5 5 5 6\nEOD\n"));
    CHECK(text && strstr(text, "$line2 << EOD\n1 5 4 6\n2 5 4 6\nEOD\n"));
    CHECK(text && strstr(text, "$line1 using 1:2 with lines linetype 1 title 'a', \\\n"
                               "     $line1 using 1:2:5 with points linetype 1 pointtype variable "
                               "notitle, \\\n"
                               "     $line2 using 1:2 with linespoints linetype 2 title 'b'"));
    tern_free(text);
    tern_sweep_free(sweep);
}

TEST(styles) {
    static const char *const x[] = {"n"}, *const lines[] = {"a", "b"};
    const tern_line_style styles[] = {{"blue", "--"}, {NULL, NULL}},
                          unknown[] = {{"blue", "zigzag"}, {NULL, NULL}};
    tern_sweep_options options = {.name = "s",
                                  .x_names = x,
                                  .num_x = 1,
                                  .line_names = lines,
                                  .num_lines = 2,
                                  .y_label = "ms",
                                  .styles = styles};
    tern_sweep *sweep = tern_sweep_create(&options);
    char *text = tern_sweep_gnuplot(sweep);
    CHECK(text && strstr(text, "set linetype 1 linecolor rgb 'blue' pointtype 7 pointsize 1.1 "
                               "linewidth 1.6 dashtype 2\n"));
    CHECK(
        text &&
        strstr(text,
               "set linetype 2 linecolor rgb '#D55E00' pointtype 5 pointsize 1.1 linewidth 1.6\n"));
    tern_free(text);
    tern_sweep_free(sweep);
    options.styles = unknown;
    CHECK(tern_sweep_create(&options) == NULL);
}

static char *text_of_file(const char *path) {
    char *text = calloc(1, 65536);
    FILE *file = fopen(path, "r");
    if (file && text) text[fread(text, 1, 65535, file)] = 0;
    if (file) fclose(file);
    return text;
}

/* A point's place is its work over its time: 4e9 operations and 2e9 bytes in 1 s. */
TEST(roofline) {
    static const char *const x[] = {"n"}, *const lines[] = {"a", "b"};
    char folder[] = "sweep-XXXXXX", path[256];
    const tern_peaks peaks = {
        .copy = 20e9, .read = 25e9, .cached = 100e9, .fma = 1.5e12, .cache_bytes = 1 << 20};
    const tern_timing second = {.median = 1000};
    CHECK(mkdtemp(folder));
    tern_sweep *sweep = tern_sweep_create(&(tern_sweep_options){.name = "roof",
                                                                .x_names = x,
                                                                .num_x = 1,
                                                                .line_names = lines,
                                                                .num_lines = 2,
                                                                .y_label = "GB/s",
                                                                .peaks = &peaks});
    tern_sweep_add(sweep, &(tern_point){.x = {1},
                                        .y = 2,
                                        .y_min = NAN,
                                        .y_max = NAN,
                                        .timing = &second,
                                        .bytes = 2e9,
                                        .flops = 4e9});
    tern_sweep_add(sweep, &(tern_point){.x = {2},
                                        .y = 2,
                                        .y_min = NAN,
                                        .y_max = NAN,
                                        .timing = &second,
                                        .bytes = 2e9}); /* no place */
    tern_sweep_add(sweep, &(tern_point){.x = {1}, .line = 1, .failed = "no"});
    CHECK(tern_sweep_save(sweep, folder, "") == TERN_OK &&
          strstr(tern_sweep_message(sweep), "roof-roofline.gp"));
    snprintf(path, sizeof path, "%s/roof-roofline.gp", folder);
    char *text = text_of_file(path);
    CHECK(text && strstr(text, "$line1 << EOD\n2 4 1\nEOD\n") && !strstr(text, "$line2"));
    check_golden("test/plot/roofline.gp", text);
    free(text);
    tern_sweep_free(sweep);
    CHECK(folder_remove(folder, "sweep-XXXXXX"));
}

TEST(saving) {
    char folder[] = "sweep-XXXXXX", path[256];
    CHECK(mkdtemp(folder));
    tern_sweep *sweep = sample(false);
    snprintf(path, sizeof path, "%s/a/b", folder);
    CHECK(tern_sweep_save(sweep, path, "") == TERN_OK);
    CHECK(strstr(tern_sweep_message(sweep), "square() performance.csv"));
    CHECK(tern_sweep_save(sweep, path, "gif") == TERN_ERROR_ARGUMENT);
    CHECK(strstr(tern_sweep_message(sweep), "no plot format 'gif'"));
    snprintf(path, sizeof path, "%s/a/b/square() performance.gp", folder);
    CHECK(access(path, R_OK) == 0);
    snprintf(path, sizeof path, "%s/a/b/square() performance.gp/x", folder);
    CHECK(tern_sweep_save(sweep, path, "") == TERN_ERROR_SYSTEM);
    CHECK(strstr(tern_sweep_message(sweep), "cannot make the folder"));
    CHECK(tern_sweep_save(sweep, "/dev/full", "") == TERN_ERROR_SYSTEM);
    tern_sweep_free(sweep);
    CHECK(folder_remove(folder, "sweep-XXXXXX"));
}

/* The short file is a link to a device that is always full. */
TEST(a_full_disk_is_said) {
    char folder[] = "sweep-XXXXXX", path[256];
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/square() performance.csv", folder);
    CHECK(symlink("/dev/full", path) == 0);
    tern_sweep *sweep = sample(false);
    CHECK(tern_sweep_save(sweep, folder, "") == TERN_ERROR_SYSTEM);
    CHECK(strstr(tern_sweep_message(sweep), "No space left"));
    tern_sweep_free(sweep);
    CHECK(folder_remove(folder, "sweep-XXXXXX"));
}

/* A reader of the file that was there before sees all of it, whatever becomes of the new one. */
TEST(files_are_replaced_as_a_whole) {
    char folder[] = "sweep-XXXXXX", path[256], other[256];
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/square() performance.csv", folder);
    snprintf(other, sizeof other, "%s/other", folder);
    FILE *file = fopen(path, "w");
    CHECK(file && fputs("before", file) >= 0 && fclose(file) == 0 && link(path, other) == 0);
    tern_sweep *sweep = sample(false);
    CHECK(tern_sweep_save(sweep, folder, "") == TERN_OK);
    char *old = text_of_file(other), *new = text_of_file(path);
    CHECK(old && !strcmp(old, "before"));
    CHECK(new && !strncmp(new, "N,", 2));
    free(old), free(new);
    tern_sweep_free(sweep);
    CHECK(folder_remove(folder, "sweep-XXXXXX"));
}

TEST(what_makes_no_sense_is_refused) {
    static const char *const x[] = {"n"}, *const lines[] = {"a"};
    CHECK(!tern_sweep_create(&(tern_sweep_options){.name = "s",
                                                   .x_names = x,
                                                   .num_x = 0,
                                                   .line_names = lines,
                                                   .num_lines = 1,
                                                   .y_label = "ms"}));
    CHECK(!tern_sweep_create(&(tern_sweep_options){.name = "s",
                                                   .x_names = x,
                                                   .num_x = 1,
                                                   .line_names = lines,
                                                   .num_lines = 0,
                                                   .y_label = "ms"}));
    tern_sweep *sweep = tern_sweep_create(&(tern_sweep_options){.name = "../s",
                                                                .x_names = x,
                                                                .num_x = 1,
                                                                .line_names = lines,
                                                                .num_lines = 1,
                                                                .y_label = "ms"});
    CHECK(tern_sweep_add(sweep, &(tern_point){.x = {1}, .line = 1}) == TERN_ERROR_ARGUMENT);
    CHECK(tern_sweep_add(sweep, &(tern_point){.x = {NAN}}) == TERN_ERROR_ARGUMENT);
    char *script = tern_sweep_gnuplot(sweep);
    CHECK(script && strstr(script, "set output '_._s'"));
    tern_free(script);
    tern_sweep_free(sweep);
}

TEST_MAIN()
