// SPDX-License-Identifier: Apache-2.0
#include "cli/data_seen.h"

#include <float.h>
#include <math.h>

enum { MOST_LOOKED_AT = 1 << 20 };

/* Below this an element slows a CPU down; 0: none does. Halves are widened before they are used. */
static double least_normal(tern_dtype dtype) {
    if (dtype == TERN_FLOAT32 || dtype == TERN_BFLOAT16) return (double)FLT_MIN;
    return dtype == TERN_FLOAT64 ? DBL_MIN : 0;
}

static DataSeen look(const Tensor *tensor) {
    DataSeen seen = {0};
    int64_t count = tensor_count(tensor), step = count / MOST_LOOKED_AT | 1;
    size_t size = tern_dtype_size(tensor->dtype);
    double least = least_normal(tensor->dtype), looked_at = 0;
    for (int64_t i = 0; i < count; i += step, looked_at++) {
        const unsigned char *at = tensor->storage + (size_t)tensor_place(tensor, i) * size;
        double value = fabs(tern_element_double(tensor->dtype, at));
        seen.nan += isnan(value) != 0;
        seen.infinite += isinf(value) != 0;
        seen.zero += value == 0;
        seen.denormal += value > 0 && value < least;
    }
    if (looked_at == 0) return seen;
    return (DataSeen){seen.denormal / looked_at, seen.zero / looked_at, seen.infinite / looked_at,
                      seen.nan / looked_at};
}

DataSeen *data_look(Arena *arena, const Bound *bound) {
    DataSeen *seen = arena_array(arena, DataSeen, bound->num_args + 1);
    for (int i = 0; i < bound->num_args; i++)
        if (bound->args[i].buffer && tern_dtype_is_float(bound->args[i].value->tensor->dtype))
            seen[i] = look(bound->args[i].value->tensor);
    return seen;
}

const char *data_denormal_words(Arena *arena, const Bound *bound, int i, const DataSeen *seen) {
    if (seen[i].denormal < 0.001) return NULL;
    return str_format(arena, "%s: %.3g %% denormal, which are many times slower on most CPUs",
                      bound->args[i].parameter->name, seen[i].denormal * 100)
        .data;
}

const char *data_decay_words(Arena *arena, const Bound *bound, int i, const DataSeen *first,
                             const DataSeen *then) {
    const struct {
        const char *what;
        double before, after;
    } rows[] = {{"denormal", first[i].denormal, then[i].denormal},
                {"nan", first[i].nan, then[i].nan},
                {"infinite", first[i].infinite, then[i].infinite},
                {"zero", first[i].zero, then[i].zero}};
    for (int k = 0; k < COUNT(rows); k++)
        if (rows[k].after > rows[k].before + 0.01)
            return str_format(arena,
                              "%s changes from run to run: %.3g %% of it %s after all, %.3g %% "
                              "after the first",
                              bound->args[i].parameter->name, rows[k].after * 100, rows[k].what,
                              rows[k].before * 100)
                .data;
    return NULL;
}
