// SPDX-License-Identifier: Apache-2.0
/* bench_print: what tern bench says: progress, the block of one point, the table of a sweep and the
 * notes under it. */
#include "cli/bench.h"

#include <math.h>

/* ---- progress ---- */

void bench_progress(Bench *bench, const char *where) {
    int all = bench->num_points * bench->num_lines, done = bench->num_done;
    int left =
        done ? (int)((clock_ms() - bench->started_ms) / done * (all - done) / 1000 + 0.5) : 0;
    if (done)
        progress_say(&bench->progress, "%s  %d/%d  %s  %d:%02d left", bench_plot_name(bench), done,
                     all, where, left / 60, left % 60);
    else
        progress_say(&bench->progress, "%s  %d/%d  %s", bench_plot_name(bench), done, all, where);
}

/* ---- one point ---- */

static void put_rate(const char *label, double amount, Evidence by, const char *unit,
                     double seconds, const Measured *m, bool is_ceiling) {
    static const char *const marks[] = {"", "counted", "at most", "declared"};
    double rate = amount / seconds;
    bool is_big = rate >= 1e12;
    printf("  %-8s  %.4g %s%s", label, rate / (is_big ? 1e12 : 1e9), is_big ? "T" : "G", unit);
    if (is_ceiling && m->ceiling)
        printf("  %.1f %% of the measured ceiling of %s", m->share * 100, m->ceiling);
    printf("  (%.4g %s %s)\n", amount, *unit == 'B' ? "bytes" : "operations", marks[by]);
}

void bench_print_point(const Measured *m) {
    const tern_timing *t = &m->timing;
    double seconds = t->median * 1e-3, scale = t->median < 1 ? 1e3 : 1;
    const char *unit = t->median < 1 ? "us" : "ms";
    printf("%s   grid %u", m->kernel, m->grid[0]);
    if (m->grid[1] > 1 || m->grid[2] > 1) printf(" x %u x %u", m->grid[1], m->grid[2]);
    printf("   %s (%s)\n", m->device, m->description);
    printf("  time      %.4g %s  20 %%..80 %% %.4g .. %.4g %s  noise %.2f %%  %zu samples\n",
           t->median * scale, unit, t->q20 * scale, t->q80 * scale, unit, t->noise * 100,
           t->num_samples);
    bool is_compute = m->ceiling && !strcmp(m->ceiling, "fp32 multiply-add");
    if (m->bytes_by) put_rate("memory", m->bytes, m->bytes_by, "B/s", seconds, m, !is_compute);
    if (m->flops_by && m->flops > 0)
        put_rate("compute", m->flops, m->flops_by, "FLOP/s", seconds, m, is_compute);
    printf("  host      %.4g us to return  floor %.4g us", t->host_ms * 1e3, t->floor_ms * 1e3);
    if (t->launch_floor_ms > 0) printf(", of an empty kernel %.4g us", t->launch_floor_ms * 1e3);
    putchar('\n');
    if (t->clock_mhz > 0)
        printf("  clock     %.3f GHz  %zu samples discarded\n", t->clock_mhz * 1e-3,
               t->num_discarded);
    else
        puts("  clock     unknown");
    printf("  trust     %.*s\n", STR_ARG(m->trust));
}

/* ---- a sweep ---- */

/* "bound by" is said of what the ceilings allow, not of what was found inside the kernel. */
static void note_roofline(Bench *bench, const char *where, const Measured *measured) {
    const tern_peaks *peaks = &bench->peaks;
    if (!(measured->bytes > 0) || !(measured->flops > 0)) {
        buf_printf(&bench->notes, "roof    %s: %s are not known\n", where,
                   measured->bytes > 0 ? "operations" : "bytes");
        return;
    }
    if (measured->on_tensor) {
        buf_printf(&bench->notes, "roof    %s: no ceiling of tensor cores is measured\n", where);
        return;
    }
    bool is_far = !bench->request.hot || measured->bytes > 2 * (double)peaks->cache_bytes;
    double memory = is_far ? fmax(peaks->copy, peaks->read) : peaks->cached,
           intensity = measured->flops / measured->bytes;
    double roof = fmin(peaks->fma, intensity * memory),
           rate = measured->flops / (measured->timing.median * 1e-3);
    buf_printf(&bench->notes,
               "roof    %s: %.3g FLOP/byte, %.4g GFLOP/s, %.1f %% of the %.4g that %s there\n",
               where, intensity, rate / 1e9, rate / roof * 100, roof / 1e9,
               roof == peaks->fma ? "fp32 multiply-adds allow"
               : is_far           ? "memory allows"
                                  : "the caches allow");
}

void bench_note(Bench *bench, const char *where, const Measured *measured) {
    Buf *notes = &bench->notes;
    if (measured->exit_code)
        buf_printf(notes, "failed  %s: %s\n", where, measured->words);
    else if (bench->peaks.copy > 0)
        note_roofline(bench, where, measured);
    if (measured->exit_code) return;
    if (bench->cli->verbose)
        buf_printf(notes, "trust   %s: %.*s\n", where, STR_ARG(measured->trust));
    if (measured->doubts.length) gather_add(&bench->doubts, where, measured->doubts);
}

static void print_devices(const Bench *bench) {
    int count = bench->devices.count;
    printf("device%s: %s", count > 1 ? "s" : "", count ? "" : bench->last.device);
    for (int i = 0; i < count; i++) printf("%s%s", i ? ", " : "", bench->devices.data[i]);
    printf(" (%s), %s\n", bench->last.description,
           bench->request.hot ? "hot caches" : "cold caches");
}

void bench_print_sweep(Bench *bench) {
    char *table = tern_sweep_table(bench->spread ? bench->spread : bench->sweep);
    if (!bench->cli->quiet) print_devices(bench);
    fputs(table ? table : "", stdout);
    tern_free(table);
    int fine = bench->num_done - bench->num_failed;
    gather_print(&bench->notes, &bench->doubts, fine);
    printf("trust   %d of %d points measured%s\n%s", fine, bench->num_points * bench->num_lines,
           bench->notes.length ? "" : "; nothing speaks against them",
           bench->notes.length ? bench->notes.data : "");
}
