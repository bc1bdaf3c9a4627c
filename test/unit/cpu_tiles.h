// SPDX-License-Identifier: Apache-2.0
/* The instructions of AMX that generated C has, where the processor does not have them: each ends
 * in SIGILL, whose handler does what Intel's manual says (Software Developer's Manual, volume 2)
 * and goes on behind it. Tiles belong to their thread, as do those of the processor. */
#ifndef TERN_CPU_TILES_H
#define TERN_CPU_TILES_H

#if defined(__x86_64__) && defined(__linux__)
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { TILES = 8, TILE_ROWS = 16, TILE_BYTES = 64 };

typedef struct Tiles {
    unsigned char palette, rows[TILES], row_bytes[TILES];
    unsigned char bytes[TILES][TILE_ROWS][TILE_BYTES];
} Tiles;

static _Thread_local Tiles unit;

static void tiles_bad(const char *why) {
    fprintf(stderr, "tiles: %s\n", why);
    abort();
}

static void tiles_begin(const unsigned char *config) {
    memset(&unit, 0, sizeof unit);
    unit.palette = config[0];
    if (unit.palette != 1 || config[1]) tiles_bad("a palette that is none");
    for (int i = 2; i < 16; i++)
        if (config[i]) tiles_bad("reserved bytes that are not 0");
    for (int t = 0; t < TILES; t++) {
        unit.row_bytes[t] = config[16 + 2 * t], unit.rows[t] = config[48 + t];
        if (unit.row_bytes[t] > TILE_BYTES || config[17 + 2 * t] || unit.rows[t] > TILE_ROWS)
            tiles_bad("a tile that is too large");
    }
}

/* MXCSR is not asked: to the nearest, denormal numbers are 0 before and after. */
static float no_denormal(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x; }

static float of_bf16(const unsigned char *at) {
    unsigned bits = (unsigned)at[0] << 16 | (unsigned)at[1] << 24;
    float x;
    memcpy(&x, &bits, 4);
    return no_denormal(x);
}

/* temp1 of the manual: sums of the even and of the odd products. */
static void tile_dot_bf16(int c, int a, int b) {
    for (int m = 0; m < unit.rows[c]; m++)
        for (int n = 0; n < unit.row_bytes[c] / 4; n++) {
            float sums[2] = {0, 0}, sum;
            for (int k = 0; k < unit.row_bytes[a] / 4; k++)
                for (int i = 0; i < 2; i++)
                    sums[i] = no_denormal(fmaf(of_bf16(&unit.bytes[a][m][4 * k + 2 * i]),
                                               of_bf16(&unit.bytes[b][k][4 * n + 2 * i]), sums[i]));
            memcpy(&sum, &unit.bytes[c][m][4 * n], 4);
            sum = no_denormal(no_denormal(sum) + no_denormal(sums[0] + sums[1]));
            memcpy(&unit.bytes[c][m][4 * n], &sum, 4);
        }
}

static void tile_dot_i8(int c, int a, int b) {
    for (int m = 0; m < unit.rows[c]; m++)
        for (int n = 0; n < unit.row_bytes[c] / 4; n++) {
            unsigned sum;
            memcpy(&sum, &unit.bytes[c][m][4 * n], 4);
            for (int k = 0; k < unit.row_bytes[a]; k++)
                sum += (unsigned)((signed char)unit.bytes[a][m][k] *
                                  (signed char)unit.bytes[b][k / 4][4 * n + k % 4]);
            memcpy(&unit.bytes[c][m][4 * n], &sum, 4);
        }
}

static void tiles_step(int signal_number, siginfo_t *info, void *context) {
    (void)signal_number, (void)info;
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const unsigned char *at = (const unsigned char *)registers[REG_RIP];
    if (at[0] != 0xc4 || at[1] != 0xe2) tiles_bad("another illegal instruction");
    int part = at[2] & 7, second = 15 - (at[2] >> 3 & 15), opcode = at[3], form = at[4];
    int reg = form >> 3 & 7, length = 5;
    if (opcode == 0x49 && part == 0 && form == 0)
        tiles_begin((const unsigned char *)registers[REG_RAX]);
    else if (opcode == 0x49 && part == 3 && unit.palette && (form & 0xc7) == 0xc0)
        memset(unit.bytes[reg], 0, sizeof unit.bytes[reg]);
    else if (opcode == 0x49 && part == 0 && form == 0xc0)
        unit.palette = 0;
    else if (!unit.palette)
        tiles_bad("tiles that were not configured");
    else if (opcode == 0x4b && (part == 2 || part == 3) && (form & 0xc7) == 4 && at[5] == 8) {
        char *row = (char *)registers[REG_RAX];
        length = 6;
        for (int i = 0; i < unit.rows[reg]; i++, row += registers[REG_RCX])
            if (part == 3)
                memcpy(unit.bytes[reg][i], row, unit.row_bytes[reg]);
            else
                memcpy(row, unit.bytes[reg][i], unit.row_bytes[reg]);
    } else if ((opcode == 0x5c && part == 2) || (opcode == 0x5e && part == 3)) {
        if (form >> 6 != 3 || second >= TILES) tiles_bad("a product of what is no tile");
        (opcode == 0x5c ? tile_dot_bf16 : tile_dot_i8)(reg, form & 7, second);
    } else
        tiles_bad("an instruction that is not known");
    registers[REG_RIP] += length;
}

/* False: what the text has beside tiles is not there either. */
static bool tiles_emulate(void) {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx512vnni") || !__builtin_cpu_supports("avx512vbmi") ||
        !__builtin_cpu_supports("avx512bf16") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl"))
        return false;
    struct sigaction action = {.sa_sigaction = tiles_step, .sa_flags = SA_SIGINFO};
    return sigaction(SIGILL, &action, NULL) == 0;
}
#else
static bool tiles_emulate(void) { return false; }
#endif

/* A context of the cpu device that runs code for AMX, on tiles that are emulated if there are none;
 * NULL: not here. */
static tern_context *tiles_open(int threads) {
    tern_open_options options = {.device = "cpu:amx", .num_threads = threads};
    char words[256];
    tern_context *tern = tern_open(&options, NULL, words, sizeof words);
    if (tern || !tiles_emulate()) return tern;
    options.device = "cpu:avx512vnni";
    tern = tern_open(&options, NULL, words, sizeof words);
    if (tern) tern->device.target = "cpu:amx";
    return tern;
}

#endif
