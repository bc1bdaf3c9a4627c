// SPDX-License-Identifier: Apache-2.0
/* The requirement of ruled.h over small numbers: x_stride // 3 == -2 and x_stride % 3 == 2 holds
 * for -4 alone. */
#include "ruled.h"

int main(void) {
    for (int x = -9; x <= 9; x++)
        for (int out = 0; out < 4; out++)
            for (int columns = 0; columns < 4; columns++) {
                int want = x == -4 && !(out < columns && columns <= 1024) ? 0 : RULED_ARGUMENT;
                if (ruled_form(0, 0, x, out, columns) != want) return 1;
            }
    return 0;
}
