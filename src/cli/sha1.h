// SPDX-License-Identifier: Apache-2.0
/* sha1: FIPS 180-4. Only to recognise a text: recorded cases name the kernel's source by it. */
#ifndef TERN_CLI_SHA1_H
#define TERN_CLI_SHA1_H

#include <stddef.h>

void sha1_hex(const void *data, size_t size_bytes, char hex[41]);

#endif
