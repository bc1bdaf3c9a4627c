// SPDX-License-Identifier: Apache-2.0
/* What the simulator counts, against a count that is written down anew here, and its report, as
 * text and as JSON, to the letter. What NVIDIA's assembler says of registers is said by a
 * script. */
#include "base/source.h"
#include "device/sim/sim.h"
#include "folder.h"
#include "test.h"

#include <sys/stat.h>

/* ---- one access of a warp ---- */

static uint64_t state = 88172645463325252u;

static uint64_t random_bits(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state * 0x2545F4914F6CDD1Du;
}

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* How many different numbers: sorted, and counted. */
static uint64_t different(const uint64_t *numbers, int count) {
    uint64_t sorted[64], found = 0;
    memcpy(sorted, numbers, sizeof *numbers * (size_t)count);
    qsort(sorted, (size_t)count, sizeof *sorted, by_value);
    for (int i = 0; i < count; i++) found += i == 0 || sorted[i] != sorted[i - 1];
    return found;
}

/* Rising, falling, far apart, all the same, in any order. */
static void draw_addresses(uint64_t *addresses, int kind, int bytes, uint64_t range) {
    uint64_t base = random_bits() % range / (uint64_t)bytes;
    for (uint64_t i = 0; i < LANES; i++) {
        uint64_t at = kind == 0   ? base + i
                      : kind == 1 ? base + LANES - i
                      : kind == 2 ? base + i * (base % 40)
                      : kind == 3 ? base
                      : kind == 4 ? base + (i ^ (base % 32))
                      : kind == 5 ? base + i / 2 * 3
                                  : random_bits() % (range / (uint64_t)bytes);
        addresses[i] = at * (uint64_t)bytes;
    }
}

static uint32_t draw_lanes(void) {
    uint64_t pick = random_bits();
    return pick % 3 == 0 ? UINT32_MAX
                         : (uint32_t)(random_bits() >> 20) & (uint32_t)(random_bits() >> 9);
}

TEST(sectors_and_lines) {
    static const int sizes[] = {1, 2, 4, 8, 16};
    for (int round = 0; round < 20000; round++) {
        int bytes = sizes[round % 5], n = 0;
        uint64_t addresses[LANES], sectors[LANES], lines[LANES], units[LANES];
        uint32_t lanes = draw_lanes();
        draw_addresses(addresses, round / 5 % 7, bytes, round % 2 ? 4096 : 1 << 20);
        for (int i = 0; i < LANES; i++) {
            if (!(lanes >> i & 1)) continue;
            sectors[n] = addresses[i] >> 5, lines[n] = addresses[i] >> 7, units[n++] = addresses[i];
        }
        uint64_t useful = different(units, n) * (uint64_t)bytes;
        Count c = {.requests = 5, .sectors = 6, .lines = 7, .useful_bytes = 8, .ideal_sectors = 9};
        count_global(&c, addresses, lanes, bytes);
        CHECK(c.requests == 6 && c.sectors == 6 + different(sectors, n));
        CHECK(c.lines == 7 + different(lines, n) && c.useful_bytes == 8 + useful);
        CHECK(c.ideal_sectors == 9 + (useful + 31) / 32);
    }
}

/* The most different words that one of the 32 banks is asked for by these lanes. */
static uint64_t turns_of(const uint64_t *offsets, uint32_t lanes, int bytes) {
    uint64_t most = 0;
    for (uint64_t bank = 0; bank < 32; bank++) {
        uint64_t words[4 * LANES];
        int n = 0;
        for (int i = 0; i < LANES; i++)
            for (int k = 0; (lanes >> i & 1) && k < (bytes + 3) / 4; k++) {
                uint64_t word = offsets[i] / 4 + (uint64_t)k;
                if (word % 32 == bank && n < 64) words[n++] = word;
            }
        uint64_t found = different(words, n);
        if (found > most) most = found;
    }
    return most;
}

/* Of lanes first .. first + 15: each that is on wants what the other of its pair wants, by pairs of
 * neighbours or of neighbours but one. */
static bool pairs_agree(const uint64_t *offsets, uint32_t lanes, int first) {
    for (int distance = 1; distance <= 2; distance++) {
        bool agree = true;
        for (int i = first; i < first + 16; i++) {
            int other = i % (2 * distance) < distance ? i + distance : i - distance;
            if ((lanes >> i & 1) && (lanes >> other & 1) && offsets[i] != offsets[other])
                agree = false;
        }
        if (agree) return true;
    }
    return false;
}

TEST(wavefronts) {
    static const int sizes[] = {1, 2, 4, 8, 16};
    for (int round = 0; round < 20000; round++) {
        int bytes = sizes[round % 5];
        bool is_load = round % 3;
        uint64_t offsets[LANES], wavefronts = 0, least = 0, useful = 0;
        uint32_t lanes = draw_lanes();
        draw_addresses(offsets, round / 5 % 7, bytes, 1 << 13);
        if (round % 7 < 2) /* neighbours, or neighbours but one, want the same */
            for (int i = 0; i < LANES; i++) offsets[i] = offsets[round % 7 ? i & ~2 : i & ~1];
        int width = bytes == 16 ? 8 : bytes == 8 ? 16 : 32;
        for (int first = 0; first < LANES;) {
            int taken = width;
            if (is_load && bytes == 16 && first % 16 == 0 && pairs_agree(offsets, lanes, first))
                taken = 16;
            uint32_t part = lanes & (uint32_t)((((uint64_t)1 << taken) - 1) << first);
            first += taken;
            if (!part) continue;
            wavefronts += turns_of(offsets, part, bytes), least++;
            useful += (uint64_t)__builtin_popcount(part) * (uint64_t)bytes;
        }
        Count c = {.requests = 5, .wavefronts = 6, .ideal_wavefronts = 7, .useful_bytes = 8};
        count_shared(&c, offsets, lanes, bytes, is_load);
        bool is_right = c.requests == 6 && c.wavefronts == 6 + wavefronts &&
                        c.ideal_wavefronts == 7 + least && c.useful_bytes == 8 + useful;
        CHECK(is_right);
        if (!is_right) return;
    }
}

/* ---- the report ---- */

/* Written by hand, so that no compiler's choice is in the counts. */
static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry counted(.param .u64 param_0, .param .u64 param_1, .param .u32 param_2)\n"
    ".reqntid 64, 1, 1\n.minnctapersm 1\n{\n"
    ".reg .pred %p<9>;\n.reg .b32 %r<33>;\n.reg .b64 %d<9>;\n.reg .f64 %e<3>;\n"
    ".shared .align 16 .b8 s[2048];\n"
    "ld.param.u64 %d0, [param_0];\nld.param.u64 %d1, [param_1];\n"
    ".loc 1 2 5\nld.param.u32 %r9, [param_2];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\n"
    "mad.lo.s32 %r2, %r1, 64, %r0;\nmul.wide.u32 %d2, %r2, 4;\nadd.s64 %d3, %d0, %d2;\n"
    ".loc 1 3 9\nmul.wide.u32 %d4, %r2, 36;\nadd.s64 %d4, %d0, %d4;\nld.global.b32 %r3, [%d4];\n"
    "ld.global.b32 %r4, [%d3];\nadd.s32 %r3, %r3, %r4;\n"
    ".loc 1 4 5\nsetp.lt.s32 %p0, %r0, %r9;\n@%p0 bra L1;\nadd.rn.f32 %r3, %r3, %r4;\n"
    "cvt.rn.f64.s32 %e0, %r3;\nadd.rn.f64 %e1, %e0, %e0;\n"
    "L1:\nbar.warp.sync -1;\n"
    ".loc 2 9 1\nshl.b32 %r5, %r0, 3;\nmov.u32 %r7, s;\nadd.s32 %r5, %r5, %r7;\n"
    "st.shared.b32 [%r5], %r3;\nsetp.eq.s32 %p1, %r0, 0;\n@%p1 st.shared.b32 [s+1024], "
    "0;\nbar.sync 0;\nld.shared.b32 %r6, [%r5];\n"
    "shfl.sync.idx.b32 %r6, %r6, 0, 31, -1;\n"
    ".loc 2 7 1\natom.shared.add.u32 %r8, [s+1024], %r0;\nex2.approx.ftz.f32 %r8, %r8;\n"
    "cp.async.ca.shared.global [%r5+1028], [%d3], 4;\ncp.async.commit_group;\n"
    "cp.async.wait_group 0;\n"
    ".loc 1 99 5\n@%p1 atom.global.add.u32 %r8, [%d1], 1;\n"
    ".loc 1 5 5\nadd.s64 %d5, %d1, %d2;\nst.global.b32 [%d5+64], %r6;\n"
    ".loc 3 1 1\nret;\n"
    ".loc 1 1 1\nadd.s32 %r3, %r3, %r4;\nret;\n}\n" /* never executed: not in the report */
    ".file 1 \"counted.py\"\n.file 2 \"of\\back\tslash.py\"\n";

static const char source[] = "def counted(x, y, n):\n"
                             "    i = tl.arange(0, 64)\n"
                             "    v = tl.load(x + 9 * i) + tl.load(x + i)\n"
                             "    if i < n: v += 1\t# \"so\"\n"
                             "    tl.store(x + i, v)\n";

static const struct {
    const char *name, *device, *words; /* what ptxas says; NULL: it fails */
    uint32_t blocks;
    int launches;
} reports[] = {
    {"plain", "sim", NULL, 1, 1},
    {"spilled", "sim:h100",
     "ptxas info    : Function properties for k\n    16 bytes stack frame, 8 bytes spill stores, "
     "24 "
     "bytes spill loads\nptxas info    : Used 128 registers, used 1 barriers\n",
     700, 1},
    {"small", "sim:t4",
     "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\nUsed 18 registers\n", 4,
     2},
    {"odd", "sim:a100", "Used  registers, x bytes spill loads\n", 40, 1},
    {"few", "sim:b200", "Used 40 registers\n0 bytes spill stores", 2, 1},
};

static char folder[] = "/tmp/tern-counts-XXXXXX";

static void set_ptxas(const char *words) {
    static char kept[8192], path[200];
    if (!kept[0]) snprintf(kept, sizeof kept, "%s", getenv("PATH"));
    snprintf(path, sizeof path, "%s/ptxas", folder);
    FILE *file = fopen(path, "w");
    CHECK(file);
    if (!file) return;
    /* Nothing but a program of that name is on PATH, so that a real one is not found. */
    fprintf(file, "#!/bin/sh\nprintf '%%s' '%s' >&2\nexit %d\n", words ? words : "", words ? 0 : 1);
    fclose(file);
    chmod(path, 0700);
    char both[9000];
    snprintf(both, sizeof both, "%s:%s", folder, kept);
    setenv("PATH", both, 1);
}

static void report(Buf *out, int k) {
    Arena *arena = arena_new(NULL);
    Device device = {.ops = &device_sim, .arena = arena};
    const char *gpu = strchr(reports[k].device, ':');
    const tern_open_options options = {.size = 0};
    CHECK(device_sim.open(&device, gpu ? gpu + 1 : NULL, &options) == TERN_OK);
    set_ptxas(reports[k].words);
    static const KernelParam params[] = {{.name = {"x", 1}, .type = SCALAR_I32, .is_pointer = true},
                                         {.name = {"y", 1}, .type = SCALAR_I32, .is_pointer = true},
                                         {.name = {"n", 1}, .type = SCALAR_I32}};
    Source *place = source_new(arena, STR("counted.py"), STR(source));
    CompiledKernel kernel = {.arena = arena,
                             .name = STR("counted"),
                             .place = {place, 0, 3},
                             .num_params = 3,
                             .params = params,
                             .text = STR(ptx),
                             .target = "sm_80"};
    static _Alignas(128) char x[2 << 20], y[256 << 10];
    memset(x, 0, sizeof x), memset(y, 0, sizeof y);
    DeviceRange ranges[] = {{x, sizeof x, NULL}, {y, sizeof y, NULL}};
    device.ranges = ranges, device.num_ranges = 2;
    void *loaded = NULL, *at_x = x, *at_y = y;
    int n = 10 + 20 * k;
    CHECK(device_sim.load(&device, &kernel, &loaded) == TERN_OK);
    if (!loaded) printf("%.*s\n", STR_ARG(device.why));
    for (int i = 0; i < reports[k].launches && loaded; i++) {
        tern_status status =
            device_sim.launch(&device, NULL, loaded, (uint32_t[]){reports[k].blocks, 1, 1},
                              (void *[]){&at_x, &at_y, &n});
        CHECK(status == TERN_OK);
        if (status) printf("%.*s\n", STR_ARG(device.why));
    }
    for (int json = 0; json < 2 && loaded; json++) {
        Str text = device_sim.loaded_counters(&device, loaded, json);
        buf_printf(out, "==== %s\n%.*s\n", reports[k].name, STR_ARG(text));
    }
    device_sim.close(&device);
    arena_free(arena);
}

TEST(reports_to_the_letter) {
    static const char path[] = "test/sim/reports.txt";
    Arena *arena = arena_new(NULL);
    Buf out = {.arena = arena};
    Str want = {0}, why;
    CHECK(mkdtemp(folder));
    for (int k = 0; k < (int)(sizeof reports / sizeof *reports); k++) report(&out, k);
    if (getenv("TERN_BLESS"))
        CHECK(file_write(arena, path, out.data, out.length, &why));
    else {
        CHECK(file_read(arena, path, 1 << 20, &want, &why));
        CHECK_STR(out.data, str_c(arena, want));
    }
    CHECK(folder_remove(folder, "/tmp/tern-counts-XXXXXX"));
    arena_free(arena);
}

TEST_MAIN()
