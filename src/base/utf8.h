// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_UTF8_H
#define TERN_UTF8_H

#include "base/base.h"

/* Of the UTF-8 sequence that `text`, which is not empty, begins with; 0: there is none. */
int utf8_length(Str text);

#endif
