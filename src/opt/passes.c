// SPDX-License-Identifier: Apache-2.0
/* passes: the table behind passes.def. */
#include "opt/opt.h"

static const Pass passes[] = {
#define PASS(name, summary) {#name, pass_##name, summary},
#include "opt/passes.def"
#undef PASS
};

const Pass *pass_find(Str name) {
    for (int i = 0; i < COUNT(passes); i++)
        if (str_is(name, passes[i].name)) return &passes[i];
    return NULL;
}

const Pass *pass_at(int index) {
    return index >= 0 && index < COUNT(passes) ? &passes[index] : NULL;
}
