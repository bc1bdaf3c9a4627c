// SPDX-License-Identifier: Apache-2.0
/* math: one lane of a function of floats. math.c has those of f32 and the list, from the rows of
 * ops.def; math64.c those of f64. */
#ifndef TERN_GEN_PTX_MATH_H
#define TERN_GEN_PTX_MATH_H

#include "gen/ptx/tir.h"

/* Of f32. What is fast flushes subnormal numbers where its instruction does. */
typedef enum Accuracy { ACCURACY_FAST, ACCURACY_PRECISE, ACCURACY_EXACT } Accuracy;

/* A row FLOAT1, of f32 or f64; exact: rounded correctly where the op can be, else precise. */
Tir math_function(Tirs *b, OpKind kind, Accuracy accuracy, bool is_f64, Tir x);
Tir math_log_normal(Tirs *b, Tir x, bool base_2); /* of a positive normal f32 */
Tir math_fmod(Tirs *b, bool is_f64, Tir x, Tir y);

Tir exp_f64(Tirs *b, Tir x);
Tir exp2_f64(Tirs *b, Tir x);
Tir log_f64(Tirs *b, Tir x, bool base_2);
Tir sin_cos_f64(Tirs *b, Tir x, bool is_cos);
Tir tanh_f64(Tirs *b, Tir x);
Tir erf_f64(Tirs *b, Tir x);

#endif
