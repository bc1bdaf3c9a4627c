// SPDX-License-Identifier: Apache-2.0
/* flame: the tree of a flame graph, made of events (flame.c) or of folded stacks (before.c). */
#ifndef TERN_FLAME_H
#define TERN_FLAME_H

#include "prof/prof.h"

enum { PROF_MOST_ROWS = 2 * PROF_MAX_DEPTH }; /* of events and functions that they are made from */

typedef struct ProfNode ProfNode;
struct ProfNode {
    const char *name; /* NULL: it came from folded stacks */
    Str frame;        /* as folded stacks have it */
    bool on_device;
    int64_t ns; /* with its children */
    VEC(ProfNode *) children;
};

ProfNode *prof_node_child(const ProfNode *node, Str frame); /* NULL: there is none, or no node */

#endif
