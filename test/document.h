// SPDX-License-Identifier: Apache-2.0
/* document: what stands between two marks of a document is made from the tables of the code.
 *
 *     <!-- MARK .. -->
 *     what the code says
 *     <!-- end -->
 *
 * A test compares, or, with TERN_BLESS=1, rewrites it. */
#ifndef TERN_TEST_DOCUMENT_H
#define TERN_TEST_DOCUMENT_H

#include "test.h"

static void check_document(const char *path, const char *mark, const char *want) {
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    if (!file) return;
    enum { MOST = 1 << 20 };
    char *text = calloc(1, MOST), *start = NULL, *end = NULL, line[100];
    CHECK(text && fread(text, 1, MOST, file) < MOST);
    fclose(file);
    snprintf(line, sizeof line, "<!-- %s", mark);
    if (text) start = strstr(text, line);
    if (start) start = strchr(start, '\n');
    if (start) end = strstr(++start, "<!-- end -->");
    CHECK(end != NULL);
    bool same =
        end && strlen(want) == (size_t)(end - start) && !memcmp(want, start, (size_t)(end - start));
    if (end && !same && getenv("TERN_BLESS")) {
        file = fopen(path, "wb");
        CHECK(file && fprintf(file, "%.*s%s%s", (int)(start - text), text, want, end) > 0);
        CHECK(file && !fclose(file));
    } else if (end) {
        CHECK(same);
        if (!same) printf("%s is not what the code says: TERN_BLESS=1 rewrites it\n", path);
    }
    free(text);
}

#endif
