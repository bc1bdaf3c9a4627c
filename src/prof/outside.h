// SPDX-License-Identifier: Apache-2.0
/* outside: profiles of programs that know nothing of them ('tern prof -- PROGRAM'): where the
 * environment has TERN_PROFILE, a folder, each context is profiled from its opening to its closing,
 * and reports are written there: N.txt, N.json, N.html, N.folded, N.svg, from 1 on; where it has
 * TERN_PROFILE_FRAMES, too, with the functions that ranges and calls are made from. What the
 * program does stays as it is: where it observes a context itself, that ends the profile.
 *
 * Of a program of CUDA that has no tern in it ('tern prof --cuda -- PROGRAM') all of the process is
 * profiled, from its first call of the driver, which loads this library, to its exit:
 * CUDA_INJECTION64_PATH is the library, TERN_PROFILE_CUDA the folder. */
#ifndef TERN_OUTSIDE_H
#define TERN_OUTSIDE_H

#include "tern.h"

typedef struct Outside Outside;

/* Contexts that this thread opens now are no program's, but tern's own: no tool is told of them. */
extern _Thread_local bool outside_is_off;

Outside *outside_begin(tern_context *context); /* NULL: nobody asked for it, or it cannot be */
void outside_end(Outside *outside);            /* writes the reports; NULL is allowed */
void outside_stack(Outside *outside, int (*stack)(void *user, const char **names, int most),
                   void *user); /* see tern_interprets; NULL is allowed */
/* Called by the driver, of libtern.so: its name is NVIDIA's. 0: the library is of no use. */
TERN_API int InitializeInjection(void);

#endif
