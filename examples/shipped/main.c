// SPDX-License-Identifier: Apache-2.0
/* Calls the softmax that `tern build` wrote (doc/build.md): plain C, without tern. */
#include "softmax.h"
#include <stdio.h>

int main(void) {
    float x[2 * 3] = {1, 2, 3, 0, 0, 0}, out[2 * 3];
    char message[200] = "";
    softmax_call call = {.place = SOFTMAX_CPU, .message = message, .message_size = sizeof message};
    if (softmax(&call, 2, x, out, 3, 3, 3, 1024) != SOFTMAX_OK) return puts(message), 1;
    for (int row = 0; row < 2; row++)
        printf("%.4f %.4f %.4f\n", out[row * 3], out[row * 3 + 1], out[row * 3 + 2]);
    softmax(&call, 2, x, out, 3, 3, 5000, 1024);
    puts(message);
    return 0;
}
