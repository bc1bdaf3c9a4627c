// SPDX-License-Identifier: Apache-2.0
#include "cli/parcel.h"

#include <errno.h>
#include <unistd.h>

void parcel_put(Buf *out, const void *data, size_t size) {
    buf_add(out, (const char *)&size, sizeof size);
    if (size) buf_add(out, data, size);
}

/* Its last byte says that it is no NULL. */
void parcel_put_text(Buf *out, const char *text) {
    parcel_put(out, text, text ? strlen(text) + 1 : 0);
}

bool parcel_send(int to, const void *data, size_t size) {
    for (const char *at = data; size;) {
        ssize_t written = write(to, at, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        at += written;
        size -= (size_t)written;
    }
    return true;
}

bool parcel_take_bytes(Str *rest, Str *bytes) {
    size_t size;
    if (rest->length < (int)sizeof size) return false;
    memcpy(&size, rest->data, sizeof size);
    if (size > (size_t)rest->length - sizeof size) return false;
    *bytes = (Str){rest->data + sizeof size, (int)size};
    int taken = (int)(sizeof size + size);
    rest->data += taken, rest->length -= taken;
    return true;
}

bool parcel_take(Str *rest, void *data, size_t size) {
    Str bytes;
    if (!parcel_take_bytes(rest, &bytes) || (size_t)bytes.length != size) return false;
    if (size) memcpy(data, bytes.data, size);
    return true;
}

bool parcel_take_text(Arena *arena, Str *rest, const char **text) {
    Str bytes;
    *text = NULL;
    if (!parcel_take_bytes(rest, &bytes)) return false;
    if (!bytes.length) return true;
    if (bytes.data[bytes.length - 1]) return false;
    *text = str_c(arena, (Str){bytes.data, bytes.length - 1});
    return true;
}
