// SPDX-License-Identifier: Apache-2.0
/* view: a kernel and one launch of it, as a page for a browser: what tern view shows. */
#ifndef TERN_CLI_VIEW_H
#define TERN_CLI_VIEW_H

#include "cli/bind.h"
#include "cli/json.h"
#include "cli/sass.h"

typedef struct View {
    Bound bound;
    tern_accesses accesses; /* of the launch */
    int num_requests;       /* of these, those of programs of which nothing is missing */
    Sass sass;
} View;

/* All that the page shows. False: complained. */
bool view_data(const View *view, Json *json);
/* The page with that in it. */
void view_page(Buf *out, const Json *json);

#endif
