// SPDX-License-Identifier: Apache-2.0
/* Calls the exported softmax on whatever driver there is; prints what the call says. */
#include "softmax.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    char words[400] = "";
    softmax_call call = {
        .stream = (void *)(uintptr_t)5, .message = words, .message_size = sizeof words};
    if (argc > 1 && !strcmp(argv[1], "cuda")) call.place = SOFTMAX_CUDA;
    if (softmax_place() == SOFTMAX_CUDA) {
        void *memory = softmax_alloc(SOFTMAX_CUDA, 64);
        char text[8] = "";
        if (softmax_copy(SOFTMAX_CUDA, memory, "copied", 7, 1) ||
            softmax_copy(SOFTMAX_CUDA, text, memory, 7, 0) || strcmp(text, "copied") != 0)
            printf("copy failed\n");
        softmax_free(SOFTMAX_CUDA, memory);
    }
    const float *x = (const float *)(uintptr_t)4096;
    float *y = (float *)(uintptr_t)8192;
    int status = softmax_fp32(&call, 3, x, y, 32, 48, 1000, 1024); /* 1000: not by 16 */
    printf("%s %d %s\n", softmax_place() == SOFTMAX_CUDA ? "cuda" : "cpu", status, words);
    status = softmax_fp32(&call, 2, x, y, 32, 48, 1008, 1024);
    status = status ? status : softmax_fp32(&call, 1, x, y, 32, 48, 1008, 1024); /* loaded once */
    return status == 0 ? 0 : 1;
}
