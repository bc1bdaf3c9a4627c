// SPDX-License-Identifier: Apache-2.0
/* Uses the exported product of two tiles of int8: all their values, -128 often; sums are exact. */
#include "bytes.h"

int main(void) {
    static int8_t a[1024], b[1024];
    static int32_t c[1024];
    unsigned seed = 5;
    for (int i = 0; i < 1024; i++) {
        seed = seed * 1664525u + 1013904223u;
        a[i] = (int8_t)(seed >> 30 ? (int)(seed >> 16 & 255) - 128 : -128);
        b[i] = (int8_t)(seed >> 28 ? (int)(seed >> 8 & 255) - 128 : -128);
    }
    if (bytes(&(bytes_call){.place = BYTES_CPU}, 1, a, b, c)) return 1;
    for (int m = 0; m < 32; m++)
        for (int n = 0; n < 32; n++) {
            int32_t sum = 0;
            for (int k = 0; k < 32; k++) sum += a[m * 32 + k] * b[k * 32 + n];
            if (c[m * 32 + n] != sum) return 1;
        }
    return 0;
}
