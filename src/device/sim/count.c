// SPDX-License-Identifier: Apache-2.0
/* count: what one access of a warp costs. Global memory moves in sectors of 32 bytes, four to a
 * line of 128; the least number of sectors is that of the bytes asked for, each once. Shared memory
 * has 32 banks of 4 bytes: lanes that want different words of one bank are served one after
 * another, each such turn a wavefront. 8 and 16 bytes a lane are served by halves and quarters of
 * the warp; two quarters of a 16-byte load at once where neighbours want the same (seen on an H200:
 * asked16 in test/sim/calibrate.h200; stores do not do that; 8-byte loads were not measured). */
#include "device/sim/sim.h"

enum { SECTOR = 32, LINE = 128, BANKS = 32 };

/* How many different numbers there are. */
static int distinct(const uint64_t *numbers, int count) {
    uint64_t kept[LANES];
    int num_kept = 0, steps = count > 0;
    bool rising = true;
    for (int i = 1; i < count; i++)
        rising = rising && numbers[i] >= numbers[i - 1], steps += numbers[i] != numbers[i - 1];
    if (rising) return steps; /* mostly they come in order */
    for (int i = 0; i < count; i++) {
        int k = num_kept - 1;
        while (k >= 0 && kept[k] != numbers[i]) k--;
        if (k < 0) kept[num_kept++] = numbers[i];
    }
    return num_kept;
}

void count_global(Count *count, const uint64_t *addresses, uint32_t lanes, int bytes) {
    uint64_t sectors[LANES], lines[LANES], units[LANES];
    int n = 0;
    for (uint32_t left = lanes; left; left &= left - 1, n++) {
        uint64_t address = addresses[__builtin_ctz(left)]; /* aligned, so within one sector */
        sectors[n] = address / SECTOR, lines[n] = address / LINE,
        units[n] = address / (uint64_t)bytes;
    }
    uint64_t useful = (uint64_t)distinct(units, n) * (uint64_t)bytes;
    count->requests++;
    count->sectors += (uint64_t)distinct(sectors, n);
    count->lines += (uint64_t)distinct(lines, n);
    count->useful_bytes += useful;
    count->ideal_sectors += (useful + SECTOR - 1) / SECTOR;
}

static int wavefronts_of(const uint64_t *offsets, const int *lanes, int n, int bytes) {
    uint64_t words[BANKS][2 * LANES]; /* different ones of each bank; two groups ask for 64 words at
                                         most */
    int each = bytes > 4 ? bytes / 4 : 1, per_bank[BANKS] = {0}, most = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < each; k++) {
            uint64_t word = offsets[lanes[i]] / 4 + (uint64_t)k, *bank = words[word % BANKS];
            int *count = &per_bank[word % BANKS], at = 0;
            while (at < *count && bank[at] != word) at++;
            if (at == *count) bank[(*count)++] = word;
            if (*count > most) most = *count;
        }
    return most;
}

/* Do all lanes of a stretch that are on want what the lane at a distance wants? */
static bool agree(const uint64_t *offsets, uint32_t lanes, int start, int size, int distance) {
    for (int i = start; i < start + size; i++) {
        int other = i ^ distance;
        bool both = lanes >> i & lanes >> other & 1;
        if (both && offsets[i] != offsets[other]) return false;
    }
    return true;
}

void count_shared(Count *count, const uint64_t *offsets, uint32_t lanes, int bytes, bool is_load) {
    int group = bytes > 8 ? 8 : bytes > 4 ? 16 : 32;
    count->requests++;
    for (int start = 0, size; start < LANES; start += size) {
        int members[LANES], n = 0;
        bool twice = is_load && bytes > 8 && start % 16 == 0 &&
                     (agree(offsets, lanes, start, 16, 1) || agree(offsets, lanes, start, 16, 2));
        size = twice ? 2 * group : group;
        for (int i = start; i < start + size; i++)
            if (lanes >> i & 1) members[n++] = i;
        if (!n) continue;
        count->wavefronts += (uint64_t)wavefronts_of(offsets, members, n, bytes);
        count->ideal_wavefronts++;
        count->useful_bytes += (uint64_t)n * (uint64_t)bytes;
    }
}
