// SPDX-License-Identifier: Apache-2.0
/* flow: how the numbers that a kernel stores were made, as the text of its IR shows it: what of the
 * computation decides how far two right results may be apart. */
#ifndef TERN_CLI_FLOW_H
#define TERN_CLI_FLOW_H

#include "base/base.h"
#include "tern.h"

typedef struct Flow Flow;
typedef struct Origin {
    tern_dtype narrowest; /* the float of fewest bits that a number was rounded to on its way;
                             TERN_VOID: none */
    bool rounds_to_int;   /* an int that was made from floats which are not exact: one machine's
                             2.5 is another's 2.4999998 */
} Origin;

Flow *flow_new(Arena *arena, const char *ir_text);
/* Of all that is stored through the pointer parameter. */
Origin flow_origin(const Flow *flow, const char *parameter);

#endif
