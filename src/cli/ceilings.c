// SPDX-License-Identifier: Apache-2.0
#include "cli/ceilings.h"

#include <math.h>

/* What was measured may be beaten by a little; beyond this one of the two is wrong. */
static const double memory_slack = 1.15, caches_slack = 1.5, fma_slack = 1.5;
/* On a GPU launching bounds what was measured within the caches, so that it is no close ceiling. */
static const double caches_slack_gpu = 4;
/* From here on it is worth the seconds to measure the ceiling again. */
static const double beaten = 1.05;

typedef struct Against {
    double rate, ceiling, slack;
    const char *name, *unit;
    bool is_sure; /* the work is known exactly, and the ceiling holds for it */
    bool is_hard; /* what lies above cannot be */
} Against;

static bool is_exact(Evidence by) { return by == EVIDENCE_COUNTED || by == EVIDENCE_DECLARED; }

/* What a cold run stores may stay in the caches, and what fits there may not have left them. */
static Against against_memory(const Measured *m, bool is_hot, bool on_gpu) {
    bool is_far = m->bytes > 2 * (double)m->peaks.cache_bytes, of_caches = is_hot && !is_far;
    double near_slack = on_gpu ? caches_slack_gpu : caches_slack;
    return (Against){.rate = m->bytes / (m->timing.median * 1e-3),
                     .ceiling = of_caches ? m->peaks.cached : fmax(m->peaks.copy, m->peaks.read),
                     .slack = of_caches ? near_slack : memory_slack,
                     .name = of_caches ? "caches" : "memory",
                     .unit = "GB/s",
                     .is_sure = is_exact(m->bytes_by),
                     .is_hard = of_caches || is_far};
}

static Against against_compute(const Measured *m, bool on_gpu) {
    return (Against){.rate = m->flops / (m->timing.median * 1e-3),
                     .ceiling = m->on_tensor ? 0 : m->peaks.fma,
                     .slack = fma_slack,
                     .name = "fp32 multiply-add",
                     .unit = "GFLOP/s",
                     .is_sure =
                         m->flops_by == EVIDENCE_DECLARED && !on_gpu, /* tensor units do more */
                     .is_hard = true};
}

static double share(const Against *against) {
    return against->ceiling > 0 ? against->rate / against->ceiling : 0;
}

static bool is_beaten(const Against *against, double slack) {
    return against->is_sure && share(against) > slack;
}

static void measure_again(tern_context *context, Measured *m) {
    tern_peaks again, *peaks = &m->peaks;
    m->peaks_again = true;
    if (tern_peak(context, true, true, &again)) return;
    /* The best of both: a neighbour takes away, and gives nothing. */
    again.copy = fmax(again.copy, peaks->copy), again.read = fmax(again.read, peaks->read);
    again.cached = fmax(again.cached, peaks->cached), again.fma = fmax(again.fma, peaks->fma);
    again.tensor = fmax(again.tensor, peaks->tensor);
    *peaks = again;
}

static const char *impossible(Arena *arena, const Measured *m, const Against *against) {
    bool is_memory = *against->unit == 'G' && against->unit[1] == 'B';
    bool is_declared = (is_memory ? m->bytes_by : m->flops_by) == EVIDENCE_DECLARED;
    const char *option = is_memory ? "--bytes" : "--flops";
    return str_format(arena,
                      "impossible: %.4g %s, but the ceiling of %s is %.4g %s here%s: either that "
                      "is wrong (tern peak --refresh, on a quiet machine) or %s",
                      against->rate / 1e9, against->unit, against->name, against->ceiling / 1e9,
                      against->unit, m->peaks_again ? ", measured again just now" : "",
                      is_declared ? option : "the count of bytes (--bytes)")
        .data;
}

static const char *doubt(Arena *arena, const Measured *m, const Against *nearest) {
    if (m->peaks_again && !is_beaten(nearest, nearest->slack))
        return "beat the ceilings, which were measured again";
    if (m->peaks.is_doubtful)
        return "doubtful ceilings: measured beside other work, it seems (tern peak --refresh)";
    if (is_beaten(nearest, nearest->slack))
        return str_format(arena,
                          "above the ceiling of %s: stores may stay in the caches, or they were "
                          "not cold",
                          nearest->name)
            .data;
    return NULL;
}

CeilingWords ceilings_judge(Arena *arena, tern_context *context, const MeasureRequest *request,
                            Measured *m) {
    bool on_gpu = !tern_device_property(m->device, TERN_DEVICE_ON_HOST);
    if (tern_peak(context, true, false, &m->peaks)) {
        m->peaks = (tern_peaks){0};
        return (CeilingWords){.doubt = "no ceilings"};
    }
    Against memory = against_memory(m, request->hot, on_gpu), compute = against_compute(m, on_gpu);
    if ((is_beaten(&memory, beaten) || is_beaten(&compute, beaten)) && !request->keeps_peaks) {
        measure_again(context, m);
        memory = against_memory(m, request->hot, on_gpu), compute = against_compute(m, on_gpu);
    }
    const Against *all[] = {&memory, &compute};
    for (int i = 0; i < COUNT(all); i++)
        if (all[i]->is_hard && is_beaten(all[i], all[i]->slack))
            return (CeilingWords){.impossible = impossible(arena, m, all[i])};
    const Against *nearest = share(&compute) > share(&memory) ? &compute : &memory;
    if (share(nearest) <= 0) return (CeilingWords){0};
    m->share = share(nearest);
    m->ceiling = nearest->name;
    return (CeilingWords){.doubt = doubt(arena, m, nearest)};
}
