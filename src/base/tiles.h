// SPDX-License-Identifier: Apache-2.0
/* tiles: whether this processor has AMX's tiles with products of bytes and of bf16, and this
 * process may use them: Linux gives them to one that asks, for all of its threads. Files that
 * `tern build` writes have this text as it stands: C's own types only, and no #include. */
#ifndef TERN_TILES_H
#define TERN_TILES_H

static inline int tern_has_tiles(void) {
#if defined(__x86_64__) && defined(__linux__)
    unsigned a = 0, b, c = 0, d;
    __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    if (a < 7) return 0;
    a = 7, c = 1;
    __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    if (!(a & 1u << 5)) return 0; /* AVX512-BF16 */
    a = 7, c = 0;
    __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    const unsigned vbmi = 1u << 1, amx_bf16 = 1u << 22, amx_tile = 1u << 24, amx_int8 = 1u << 25,
                   all = amx_bf16 | amx_tile | amx_int8;
    if (!(b & 1u << 5) || !(c & vbmi) || (d & all) != all) return 0; /* bit 5: AVX2 */
    /* arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) of Linux 5.16 */
    long result = 158;
    __asm__ volatile("syscall" : "+a"(result) : "D"(0x1023L), "S"(18L) : "rcx", "r11", "memory");
    return result == 0;
#else
    return 0;
#endif
}

#endif
