// SPDX-License-Identifier: Apache-2.0
#include "cli/sha1.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t rotate(uint32_t x, int bits) { return x << bits | x >> (32 - bits); }

static void add_block(uint32_t state[5], const unsigned char block[64]) {
    uint32_t w[80], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 80; i++) w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    for (int i = 0; i < 80; i++) {
        uint32_t f = i < 20   ? ((b & c) | (~b & d)) + 0x5a827999u
                     : i < 40 ? (b ^ c ^ d) + 0x6ed9eba1u
                     : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcu
                              : (b ^ c ^ d) + 0xca62c1d6u;
        uint32_t next = rotate(a, 5) + f + e + w[i];
        e = d, d = c, c = rotate(b, 30), b = a, a = next;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e;
}

void sha1_hex(const void *data, size_t size_bytes, char hex[41]) {
    uint32_t state[5] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u};
    const unsigned char *bytes = data;
    size_t left = size_bytes;
    for (; left >= 64; left -= 64, bytes += 64) add_block(state, bytes);
    unsigned char tail[128] = {0};
    memcpy(tail, bytes, left);
    tail[left] = 0x80;
    size_t end = left < 56 ? 64 : 128;
    uint64_t bits = (uint64_t)size_bytes * 8;
    for (int i = 0; i < 8; i++) tail[end - 1 - (size_t)i] = (unsigned char)(bits >> 8 * i);
    add_block(state, tail);
    if (end == 128) add_block(state, tail + 64);
    for (int i = 0; i < 5; i++) snprintf(hex + 8 * i, 9, "%08x", state[i]);
}
