// SPDX-License-Identifier: Apache-2.0
/* turns: what pass fence asks of the turns of loops. */
#ifndef TERN_TURNS_H
#define TERN_TURNS_H

#include "opt/opt.h"

/* Do all turns of the loop access other elements by the pointer, in the lanes of these masks? Of
 * two accesses; NULL: in all lanes. needs: what is asked of launches for that; NULL: nothing. */
bool turns_are_apart(const Facts *facts, Needs *needs, const Value *pointer, const Op *loop,
                     const Value *mask, const Value *other);

/* Loads in loops that store, which no store meets (reread.c). True: there are any. */
bool turns_reread(Func *fn, Facts *facts, Needs *needs);

#endif
