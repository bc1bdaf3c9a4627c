// SPDX-License-Identifier: Apache-2.0
/* handle: the one list of what a context owns, newest first, in which order all of it can be
 * closed: what needs another handle was made after it. */
#include "api/context.h"

#include <stdlib.h>

void handle_add(Handle *own, tern_context *context, void (*close)(Handle *own)) {
    *own = (Handle){.context = context, .next = context->handles, .close = close};
    if (own->next) own->next->previous = own;
    context->handles = own;
}

void *handle_new(tern_context *context, size_t size, void (*close)(Handle *own)) {
    Handle *own = calloc(1, size);
    if (own)
        handle_add(own, context, close);
    else
        context_no_memory(context);
    return own;
}

void handle_close(Handle *own) {
    if (own->previous)
        own->previous->next = own->next;
    else
        own->context->handles = own->next;
    if (own->next) own->next->previous = own->previous;
    own->close(own);
}
