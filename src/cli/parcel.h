// SPDX-License-Identifier: Apache-2.0
/* parcel: values that one process of this command sends to another, each with its length before
 * it. Both are the same program on the same kind of machine, so that a struct goes as it lies in
 * memory; pointers in it go by themselves. The sender may have died on the way: nothing is read
 * that is not there. */
#ifndef TERN_CLI_PARCEL_H
#define TERN_CLI_PARCEL_H

#include "base/base.h"

void parcel_put(Buf *out, const void *data, size_t size);
void parcel_put_text(Buf *out, const char *text); /* NULL arrives as NULL */

/* Writes all of it to a pipe. False: nobody reads. */
bool parcel_send(int to, const void *data, size_t size);

/* Takes the next value from *rest. False: it is not there, or of another size. */
bool parcel_take(Str *rest, void *data, size_t size);
bool parcel_take_bytes(Str *rest, Str *bytes);                     /* where they are */
bool parcel_take_text(Arena *arena, Str *rest, const char **text); /* a copy */

#endif
