// SPDX-License-Identifier: Apache-2.0
/* What tuning finds for products: types, sizes, b as it is and turned, as linear layers have it.
 *
 *     make build/bench/tune_bench && build/bench/tune_bench [DEVICE] [SIZE..] */
#include "tern_tensor.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    static const tern_dtype dtypes[] = {TERN_FLOAT32, TERN_FLOAT16};
    tern_context *context =
        tern_open(&(tern_open_options){.device = argc > 1 ? argv[1] : "cpu"}, NULL, NULL, 0);
    tern_session *session = context ? tern_session_open(context) : NULL;
    if (!session || tern_scope_open(session)) return fprintf(stderr, "no such device\n"), 1;
    tern_session_tune(session, true);
    for (int i = 2; i < argc || i == 2; i++) {
        int64_t size = argc > 2 ? atoll(argv[i]) : 512;
        for (int k = 0; k < 2; k++) {
            tern_tensor *a = tern_rand(session, dtypes[k], 2, (const int64_t[]){size, size});
            bool ran = tern_matmul(a, a) && tern_matmul(a, tern_transpose(a, 0, 1));
            if (!ran) return fprintf(stderr, "%s\n", tern_message(context)), 1;
        }
    }
    char *text = tern_session_tuned(session);
    printf("%s", text ? text : "");
    tern_free(text);
    tern_scope_close(session);
    tern_session_close(session);
    tern_close(context);
    return 0;
}
