// SPDX-License-Identifier: Apache-2.0
/* bodies: a nest whose masks end inside its row has its body twice, without masks and with them,
 * and two take a C compiler twice as long. Of a long one that with masks does for both, where masks
 * are registers of their own, and the other has next to nothing that it has not: addresses in a
 * row, remainders in a row, lines fetched ahead, stores past the caches. */
#include "gen/c/nest.h"

enum {
    LONG_BODY = 8000,   /* bytes: takes gcc some 0.1 s */
    ASIDE_BYTES = 1000, /* of a body, beside which a line fetched ahead is nothing */
};

static int count_of(const Buf *text, const char *word) {
    Str rest = buf_str(text);
    int count = 0;
    for (const char *at; (at = memmem(rest.data, (size_t)rest.length, word, strlen(word))) != NULL;
         count++) {
        rest.length -= (int)(at - rest.data) + 1;
        rest.data = at + 1;
    }
    return count;
}

static int count_costly(const Buf *body) { /* what takes far longer than a mask */
    static const char *const words[] = {"t_gather", "t_scatter", "t_div_", "t_rem_"};
    int count = 0;
    for (int i = 0; i < COUNT(words); i++) count += count_of(body, words[i]);
    return count;
}

bool one_body_is_enough(const Nest *n) {
    const Buf *fast = &n->body[0], *slow = &n->body[1];
    int aside = count_of(fast, "__builtin_prefetch") + count_of(fast, "t_stream");
    return n->g->W == 16 && n->has_bounds && !n->down && !n->held &&
           (int)fast->length > LONG_BODY && slow->length < fast->length + fast->length / 2 &&
           aside * ASIDE_BYTES < (int)fast->length &&
           16 * count_costly(slow) <= 17 * count_costly(fast);
}
