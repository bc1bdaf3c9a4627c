// SPDX-License-Identifier: Apache-2.0
/* What a watched interpreter finds, to the letter: kernels of a few lines on small tensors, each
 * with all of its findings, and beside it the kernel in which there is nothing to find. */
#include "base/base.h"
#include "tern.h"
#include "test.h"

#include <math.h>

enum { SIZE = 64 };

/* x: 0 .. 63, with `special` in x[3] where it is not 0; y: 100 .. 163; i: 63 .. 0; z: nobody
 * wrote. */
typedef struct Case {
    const char *body; /* from line 5 of "k.py" on; a statement a line */
    const char *want; /* a finding a line: KIND LINE: words | where, and " xN" if seen N times */
    int grid, n;      /* 0: 1 program, n = 40 */
    int grid_y, grid_z;
    float special;
} Case;

static const char head[] = "import triton\nimport triton.language as tl\n@triton.jit\n"
                           "def k(x, y, z, i, n, B: tl.constexpr):\n";

static void add_findings(Buf *got, const tern_finding *found, int count) {
    for (int k = 0; k < count; k++) {
        buf_printf(got, "%s %d: %s", tern_finding_name(found[k].kind), found[k].line,
                   found[k].words);
        if (*found[k].where) buf_printf(got, " | %s", found[k].where);
        if (found[k].count > 1) buf_printf(got, " x%d", (int)found[k].count);
        buf_putc(got, '\n');
    }
}

static uint32_t size_or_one(int size) { return size ? (uint32_t)size : 1; }

static void check_case(const Case *c) {
    Arena *arena = arena_new(NULL);
    float x[SIZE], y[SIZE];
    int32_t i[SIZE];
    for (int k = 0; k < SIZE; k++) x[k] = (float)k, y[k] = (float)(100 + k), i[k] = SIZE - 1 - k;
    if (c->special != 0) x[3] = c->special;
    tern_context *context = tern_open(
        &(tern_open_options){.device = "interp", .cache_dir = "", .watch = true}, NULL, NULL, 0);
    Buf text = {.arena = arena}, got = {.arena = arena};
    buf_printf(&text, "%s", head);
    for (const char *at = c->body; *at;) {
        int length = (int)strcspn(at, "\n");
        buf_printf(&text, "    %.*s\n", length, at);
        at += length + (at[length] == '\n');
    }
    tern_module *module = tern_load_text(context, text.data, text.length, "k.py");
    tern_kernel *kernel =
        module ? tern_compile(module, "k", "*fp32,*fp32,*fp32,*i32,i32,64", NULL) : NULL;
    CHECK(kernel);
    if (!kernel) printf("%s\n%s\n", text.data, tern_message(context));
    tern_buffer *z = tern_alloc(context, sizeof x);
    tern_argument arguments[] = {
        tern_arg_buffer(tern_wrap(context, x, sizeof x)),
        tern_arg_buffer(tern_wrap(context, y, sizeof y)), tern_arg_buffer(z),
        tern_arg_buffer(tern_wrap(context, i, sizeof i)), tern_arg_int(c->n ? c->n : 40)};
    int count = 0;
    if (kernel) {
        tern_launch(
            NULL, kernel,
            (uint32_t[]){size_or_one(c->grid), size_or_one(c->grid_y), size_or_one(c->grid_z)},
            arguments, 5);
        const tern_finding *found = tern_kernel_findings(kernel, &count);
        add_findings(&got, found, count);
    }
    const char *said = got.data ? got.data : "";
    bool fine = !strcmp(said, c->want);
    CHECK(fine);
    if (!fine) printf("%s\nwanted:\n%s\ngot:\n%s\n", c->body, c->want, said);
    tern_close(context);
    arena_free(arena);
}

#define I     "l = tl.arange(0, B)\n"
#define KEEP  "tl.store(z + l, v)\n"
#define ALONE " | program (0, 0, 0) of a grid of (1, 1, 1)"
#define NO_OTHER                                                                                   \
    "a lane that the mask of this load leaves out has no value, for want of other=, and "
#define ORDERED                                                                                    \
    "races between programs on interp, and what they write twice: the kernel has atomics or "      \
    "volatile loads, which may order them; device sim follows that"

#define WRAPPED_SHL(lane)                                                                          \
    "overflow 9: the offset of this load does not fit its int and wrapped (the first to: shl in "  \
    "line 7): it goes 17179869184 elements before where it should" ALONE ", lane " lane "\n"       \
    "out-of-bounds 9: load of 4 bytes outside the buffer of 'x', which has 256 bytes: 1073741824 " \
    "bytes before its start, at element -268435456 of 'x'" ALONE ", lane " lane                    \
    "; an int32 on the way to the address wrapped (shl in line 7), without that it were "          \
    "17179869184 elements further\n"

#define SECTORS(count, at)                                                                         \
    I "tl.store(z + l, 0.0)\nb = z.to(tl.pointer_type(tl.int8), bitcast=True)\nh = l < " count     \
      "\nv = tl.load(b + " at ", mask=h, other=0)\ntl.store(y + l, v * 1.0)\n"
#define TIMES(times)                                                                               \
    "uncoalesced 9: the lanes of this load lie in " times                                          \
    " times as many sectors of 32 bytes as they would fill\n"

static const Case cases[] = {
    /* where a NaN or infinity comes from */
    {.body = I "v = tl.load(x + l)\n" KEEP, .want = ""},
    {.body = I "v = tl.load(y + l) / tl.load(x + l)\n" KEEP,
     .want = "infinity 6: 100 / 0 = inf, which is stored in line 7" ALONE ", lane [0]\n"},
    {.body = I "v = tl.load(x + l) / tl.load(x + l)\n" KEEP,
     .want = "nan 6: 0 / 0 = nan, which is stored in line 7" ALONE ", lane [0]\n"},
    {.body = I "a = tl.load(x + l)\nv = a * 3e38 + 1.0\n" KEEP,
     .want = "infinity 7: 2 * 3.00000001e+38 = inf, which is stored in line 8" ALONE
             ", lane [2] x62\n"},
    {.body = I "a = tl.load(x + l)\nb = a / 0.0\nv = b - b\n" KEEP,
     .want = "nan 7: 0 / 0 = nan, which is stored in line 9" ALONE ", lane [0]\n"
             "nan 8: inf - inf = nan, which is stored in line 9" ALONE ", lane [1] x63\n"},
    {.body = I "a = tl.load(x + l)\nv = tl.sqrt(a - 3.0)\n" KEEP,
     .want = "nan 7: sqrt(-3) = nan, which is stored in line 8" ALONE ", lane [0] x3\n"},
    {.body = I "a = tl.load(x + l)\nv = tl.fma(a, a, 1.0 / a)\n" KEEP,
     .want = "infinity 7: 1 / 0 = inf, which is stored in line 8" ALONE ", lane [0]\n"},
    {.body = I "a = tl.load(x + l)\nv = tl.where(a > 0, 1.0 / a, 0.0)\n" KEEP, .want = ""},
    {.body = I "a = tl.load(x + l)\nv = tl.where(a > 0, 0.0, 1.0 / a)\n" KEEP,
     .want = "infinity 7: 1 / 0 = inf, which is stored in line 8" ALONE ", lane [0]\n"},
    {.body = I "a = tl.load(x + l)\nv = tl.where(a > 0, a, 1.0 / a - 1.0 / a)\n" KEEP,
     .want = "nan 7: inf - inf = nan, which is stored in line 8" ALONE ", lane [0]\n"},
    {.body = I "a = tl.load(x + l)\nb = tl.exp(a * 2.0)\ntl.store(z, tl.sum(b, 0))\n",
     .want = "infinity 7: exp(126) = inf, which is stored in line 8" ALONE ", lane [63]\n"},
    {.body = I "a = tl.load(x + l)\nb = a * 1e37\ntl.store(z, tl.sum(b, 0))\n",
     .want =
         "infinity 7: 63 * 9.99999993e+36 = inf, which is stored in line 8" ALONE ", lane [63]\n"},
    {.body =
         I "a = tl.load(x + l)\nb = tl.where(a == 5, float('nan'), a)\ntl.store(z, tl.max(b, 0))\n",
     .want = ""},
    {.body = I "a = tl.load(x + l)\nv = tl.cumsum(a * 1e37, 0)\n" KEEP,
     .want = "infinity 8: 2.80000003e+38 + 7.99999995e+37 = inf in <tern>/scan.py, which is stored "
             "in line 8" ALONE " x27\n"
             "infinity 7: 35 * 9.99999993e+36 = inf, which is stored in line 8" ALONE
             ", lane [35] x29\n"},
    {.body = I "v = tl.load(x + l) / 0.0\ntl.store(z + l, v, mask=l > 0)\n",
     .want = "infinity 6: 1 / 0 = inf, which is stored in line 7" ALONE ", lane [1] x63\n"},
    {.body = I "v = tl.load(x + l) / 0.0\ntl.store(z + l, v, mask=l < 0)\n", .want = ""},
    {.body = I "v = 1.0 / tl.load(x + l)\ntl.atomic_add(y + l, v)\n",
     .want = "infinity 6: 1 / 0 = inf, which goes into the atomic in line 7" ALONE ", lane [0]\n"
             "not-checked 0: " ORDERED "\n"},
    {.body = I "v = tl.load(x + l) * 2.0\n" KEEP,
     .want = "not-checked 4: where a NaN or infinity comes from: the tensors that the kernel loads "
             "already hold some\n",
     .special = INFINITY},
    {.body = I "v = tl.load(x + l) / 0.0\n" KEEP,
     .want = "not-checked 4: where a NaN or infinity comes from: the tensors that the kernel loads "
             "already hold some\n",
     .special = NAN},
    /* dot */
    {.body = "m = tl.arange(0, 8)[:, None]\nq = tl.arange(0, 8)[None, :]\na = tl.load(x + m * 8 + "
             "q)\nb = tl.load(y + m * 8 + q)\nv = tl.dot(a * 1e37, b, "
             "input_precision='ieee')\ntl.store(z + m * 8 + q, v)\n",
     .want = "infinity 9: dot makes inf, which is stored in line 10" ALONE " x32\n"
             "infinity 9: 35 * 9.99999993e+36 = inf, which is stored in line 10" ALONE
             ", lane [4, 3] x32\n"},
    {.body = "m = tl.arange(0, 8)[:, None]\nq = tl.arange(0, 8)[None, :]\na = tl.load(x + m * 8 + "
             "q)\nb = tl.load(y + m * 8 + q)\nv = tl.dot(a, 1.0 / (b - 110), "
             "input_precision='ieee')\ntl.store(z + m * 8 + q, v)\n",
     .want = "infinity 9: 1 / 0 = inf, which is stored in line 10" ALONE ", lane [1, 2] x8\n"},
    {.body = "m = tl.arange(0, 8)[:, None]\nq = tl.arange(0, 8)[None, :]\na = tl.load(x + m * 8 + "
             "q)\nb = tl.load(y + m * 8 + q)\nv = tl.dot(1.0 / a, b, "
             "input_precision='ieee')\ntl.store(z + m * 8 + q, v)\n",
     .want = "infinity 9: 1 / 0 = inf, which is stored in line 10" ALONE ", lane [0, 0] x8\n"},
    {.body = "m = tl.arange(0, 8)[:, None]\nq = tl.arange(0, 8)[None, :]\na = tl.load(x + m * 8 + "
             "q)\nb = tl.load(y + m * 8 + q)\nv = tl.dot(a, b, 1.0 / (a - 9), "
             "input_precision='ieee')\ntl.store(z + m * 8 + q, v)\n",
     .want = "infinity 9: 1 / 0 = inf, which is stored in line 10" ALONE ", lane [1, 1]\n"},
    /* lanes without a value */
    {.body = I "v = tl.load(x + l, mask=l < n)\n" KEEP,
     .want = "no-other 6: " NO_OTHER "is stored in line 7" ALONE " x24\n"},
    {.body = I "v = tl.load(x + l, mask=l < n)\ntl.store(z + l, v, mask=l < n)\n", .want = ""},
    {.body = I "v = tl.load(x + l, mask=l < n, other=0.0)\n" KEEP, .want = ""},
    {.body = I "a = tl.load(y + l, mask=l < n)\nv = tl.load(x + l, mask=l < 8, other=a)\n" KEEP,
     .want = "no-other 6: " NO_OTHER "is stored in line 8" ALONE " x24\n"},
    {.body = I "a = tl.load(i + l, mask=l < n)\nv = (a & 0) + (a * 0) + l\n" KEEP, .want = ""},
    {.body = I "a = tl.load(i + l, mask=l < n)\nv = (a & 1) + l\n" KEEP,
     .want = "no-other 6: " NO_OTHER "is stored in line 8" ALONE " x24\n"},
    {.body = I "a = tl.load(i + l, mask=l < n)\nv = a + l * 0\n" KEEP,
     .want = "no-other 6: " NO_OTHER "is stored in line 8" ALONE " x24\n"},
    {.body = I "a = tl.load(i + l, mask=l < n)\nv = a | (l * 0)\n" KEEP,
     .want = "no-other 6: " NO_OTHER "is stored in line 8" ALONE " x24\n"},
    {.body = I "a = tl.load(i + l, mask=l < n)\nv = tl.where((a > 3) | (l >= n), 1.0, 2.0)\n" KEEP,
     .want = ""},
    {.body = I "a = tl.load(i + l, mask=l < n)\nv = tl.where((a > 3) & (l < n), 1.0, 2.0)\n" KEEP,
     .want = ""},
    {.body = I "a = tl.load(i + l, mask=l < n)\nv = tl.where((a > 3) & (l > n), 1.0, 2.0)\n" KEEP,
     .want = "no-other 6: " NO_OTHER "is stored in line 8" ALONE " x23\n"},
    {.body = I "a = tl.load(i + l, mask=l < n)\nv = tl.where(a > 3, 1.0, 2.0)\n" KEEP,
     .want = "no-other 6: " NO_OTHER "is stored in line 8" ALONE " x24\n"},
    {.body = I "a = tl.load(i + l, mask=l < n)\nv = tl.load(x + a)\n" KEEP,
     .want = "no-other 6: " NO_OTHER "is in the address of this access in line 7" ALONE " x24\n"},
    {.body = I "a = tl.load(i + l, mask=l < n)\nv = tl.load(x + l, mask=a < 3, other=0.0)\n" KEEP,
     .want = "no-other 6: " NO_OTHER "is in the mask of this access in line 7" ALONE " x24\n"},
    {.body = I "a = tl.load(i + l, mask=l < n)\nv = tl.load(x + l, mask=a > 63, other=0.0)\n" KEEP,
     .want = "no-other 6: " NO_OTHER "is in the mask of this access in line 7" ALONE " x24\n"},
    {.body = I "a = tl.load(i + l, mask=l < n)\ntl.store(z + l, 1.0, mask=a > 63)\n",
     .want = "no-other 6: " NO_OTHER "is in the mask of this access in line 7" ALONE " x24\n"},
    {.body = I "a = tl.load(i + l, mask=l < n)\ntl.atomic_add(y + l, 1.0, mask=a > 63)\n",
     .want = "no-other 6: " NO_OTHER "is in the mask of this access in line 7" ALONE " x24\n"
             "not-checked 0: " ORDERED "\n"},
    {.body = I "a = tl.load(i + l, mask=l < n)\ntl.store(z + l, 1.0, mask=(a > 63) & (l < n))\n",
     .want = ""},
    {.body = "a = tl.load(i, mask=n < 0)\nif a > 3:\n    tl.store(z, 1.0)\n",
     .want = "no-other 5: " NO_OTHER "decides this 'if' in line 6" ALONE "\n"},
    {.body = "a = tl.load(i, mask=n < 0)\nfor k in range(a):\n    tl.store(z + k, 1.0)\n",
     .want = "no-other 5: " NO_OTHER "decides how long this loop runs in line 6" ALONE "\n"},
    {.body = "a = tl.load(i, mask=n < 0)\nwhile a > 3:\n    tl.store(z + a, 1.0)\n    a -= 1\n",
     .want = "no-other 5: " NO_OTHER "decides this 'while' in line 6" ALONE "\n"},
    {.body = I "a = tl.load(x + l, mask=l < n)\ntl.atomic_add(y + l, a)\n",
     .want = "no-other 6: " NO_OTHER "goes into the atomic in line 7" ALONE " x24\n"
             "not-checked 0: " ORDERED "\n"},
    {.body = I "a = tl.load(x + l, mask=l < n)\ntl.store(z, tl.sum(a, 0))\n",
     .want = "no-other 6: " NO_OTHER "is stored in line 7" ALONE "\n"},
    {.body = I "a = tl.load(x + l, mask=l < n)\nb = tl.load(y + l, mask=l < 20)\nv = a + b\n" KEEP,
     .want = "no-other 7: " NO_OTHER "is stored in line 9" ALONE " x20\n"
             "no-other 6: " NO_OTHER "is stored in line 9" ALONE " x24\n"},
    {.body = I "a = tl.load(x + l, mask=l < n)\nv = tl.where(l < n, a, 1.0)\n" KEEP, .want = ""},
    {.body = I "a = tl.load(x + l, mask=l < n)\nv = tl.where(l < n, 1.0, a)\n" KEEP,
     .want = "no-other 6: " NO_OTHER "is stored in line 8" ALONE " x24\n"},
    /* that moves with its lane */
    {.body = I "a = tl.load(x + l, mask=l < n)\nv = tl.gather(a, 63 - l, 0)\ntl.store(z + l, v, "
               "mask=l < 30)\n",
     .want = "no-other 6: " NO_OTHER "is stored in line 8" ALONE " x24\n"},
    {.body = I "a = tl.load(x + l, mask=l < n)\nv = tl.gather(a, 63 - l, 0)\ntl.store(z + l, v, "
               "mask=l >= 24)\n",
     .want = ""},
    {.body = "h = tl.arange(0, 32)\na = tl.load(x + h, mask=h < 20)\nv = tl.ravel(tl.join(h * 1.0, "
             "a))\n"
             "l = tl.arange(0, 64)\ntl.store(z + l, v, mask=l % 2 == 1)\n",
     .want = "no-other 6: " NO_OTHER "is stored in line 9" ALONE " x12\n"},
    {.body = "h = tl.arange(0, 32)\na = tl.load(x + h, mask=h < 20)\nv = tl.ravel(tl.join(h * 1.0, "
             "a))\n"
             "l = tl.arange(0, 64)\ntl.store(z + l, v, mask=(l % 2 == 0) | (l < 40))\n",
     .want = ""},
    /* offsets that wrap */
    {.body = I "o = (l + 33554432) * 64 * n\nv = tl.load(x + o)\n" KEEP,
     .want =
         "overflow 7: the offset of this load does not fit its int and wrapped (the first to: mul "
         "in line 6): it goes 85899345920 elements before where it should" ALONE ", lane [0] x2\n"
         "out-of-bounds 7: load of 4 bytes outside the buffer of 'x', which has 256 bytes: 10240 "
         "bytes after its start, at element 2560 of 'x'" ALONE
         ", lane [1]; an int32 on the way to the address wrapped (mul in line 6), without that it "
         "were 85899345920 elements further\n"},
    {.body = I "o = (l * 67108864) - (l * 67108863)\nv = tl.load(x + o)\n" KEEP, .want = ""},
    /* the last lane of two, and one number for both */
    {.body = "l = tl.arange(0, 2)\no = l * 2147483640 + n\ntl.store(z + l, tl.load(x + o, mask=l > "
             "0))\n",
     .want =
         "overflow 7: the offset of this load does not fit its int and wrapped (the first to: "
         "add in line 6): it goes 4294967296 elements before where it should" ALONE ", lane [1]\n"
         "out-of-bounds 7: load of 4 bytes outside the buffer of 'x', which has 256 bytes: "
         "8589934464 bytes before its start, at element -2147483616 of 'x'" ALONE
         ", lane [1]; an int32 on the way to the address wrapped (add in line 6), without that "
         "it were 4294967296 elements further\n"},
    {.body = "l = tl.arange(0, 2)\no = n + l * 2147483640\ntl.store(z + l, tl.load(x + o, mask=l > "
             "0))\n",
     .want =
         "overflow 7: the offset of this load does not fit its int and wrapped (the first to: "
         "add in line 6): it goes 4294967296 elements before where it should" ALONE ", lane [1]\n"
         "out-of-bounds 7: load of 4 bytes outside the buffer of 'x', which has 256 bytes: "
         "8589934464 bytes before its start, at element -2147483616 of 'x'" ALONE
         ", lane [1]; an int32 on the way to the address wrapped (add in line 6), without that "
         "it were 4294967296 elements further\n"},
    {.body = "l = tl.arange(0, 2)\no = (n - 41) * 2147483640 - l * 9\ntl.store(z + l, tl.load(x + "
             "o, mask=l > 0))\n",
     .want = "overflow 7: the offset of this load does not fit its int and wrapped (the first to: "
             "sub in line 6): it goes 4294967296 elements past where it should" ALONE ", lane [1]\n"
             "out-of-bounds 7: load of 4 bytes outside the buffer of 'x', which has 256 bytes: "
             "8589934588 bytes after its start, at element 2147483647 of 'x'" ALONE
             ", lane [1]; an int32 on the way to the address wrapped (sub in line 6), without that "
             "it were -4294967296 elements further\n"},
    {.body = I "o = l + n * 107374182 - n * 107374181 - n\nv = tl.load(x + o)\n" KEEP, .want = ""},
    {.body = I "o = l + (n * 107374183) % 64\nv = tl.load(x + (o & 63))\n" KEEP, .want = ""},
    {.body = "o = n * 53687092\nfor k in range(0, 2):\n    tl.store(z + k, tl.load(x + o))\n    o "
             "+= n\n",
     .want = "overflow 7: the offset of this load does not fit its int and wrapped (the first to: "
             "mul in line 5): it goes 4294967296 elements before where it should" ALONE "\n"
             "out-of-bounds 7: load of 4 bytes outside the buffer of 'x', which has 256 bytes: "
             "8589934464 bytes before its start, at element -2147483616 of 'x'" ALONE
             "; an int32 on the way to the address wrapped (mul in line 5), without that it were "
             "4294967296 elements further\n"},
    {.body = "o = n\nfor k in range(0, 2):\n    tl.store(z + k, tl.load(x + o))\n    o += n * "
             "53687092\n",
     .want = "overflow 7: the offset of this load does not fit its int and wrapped (the first to: "
             "mul in line 8): it goes 4294967296 elements before where it should" ALONE "\n"
             "out-of-bounds 7: load of 4 bytes outside the buffer of 'x', which has 256 bytes: "
             "8589934304 bytes before its start, at element -2147483576 of 'x'" ALONE
             "; an int32 on the way to the address wrapped (mul in line 8), without that it were "
             "4294967296 elements further\n"},
    {.body = "o = n * 53687092\nif n > 3:\n    o = o + 1\nelse:\n    o = o - 1\ntl.store(z, "
             "tl.load(x + o))\n",
     .want = "overflow 10: the offset of this load does not fit its int and wrapped (the first to: "
             "mul in line 5): it goes 4294967296 elements before where it should" ALONE "\n"
             "out-of-bounds 10: load of 4 bytes outside the buffer of 'x', which has 256 bytes: "
             "8589934460 bytes before its start, at element -2147483615 of 'x'" ALONE
             "; an int32 on the way to the address wrapped (mul in line 5), without that it were "
             "4294967296 elements further\n"},
    {.body = "o = n * 53687092\nk = 0\nwhile k < 1:\n    tl.store(z, tl.load(x + o))\n    k += 1\n "
             "   o += n\n",
     .want = "overflow 8: the offset of this load does not fit its int and wrapped (the first to: "
             "mul in line 5): it goes 4294967296 elements before where it should" ALONE "\n"
             "out-of-bounds 8: load of 4 bytes outside the buffer of 'x', which has 256 bytes: "
             "8589934464 bytes before its start, at element -2147483616 of 'x'" ALONE
             "; an int32 on the way to the address wrapped (mul in line 5), without that it were "
             "4294967296 elements further\n"},
    {.body = I "o = (l * 53687092)[:, None] + (l * 0)[None, :]\nv = tl.load(x + tl.max(o, 1) - "
               "tl.max(o, 1) + l)\n" KEEP,
     .want = ""},
    {.body = I "o = tl.where(l < 32, l, l * 67108864)\nv = tl.load(x + o)\n" KEEP,
     .want =
         "overflow 7: the offset of this load does not fit its int and wrapped (the first to: mul "
         "in line 6): it goes 4294967296 elements before where it should" ALONE ", lane [32]\n"
         "out-of-bounds 7: load of 4 bytes outside the buffer of 'x', which has 256 bytes: "
         "8589934592 bytes before its start, at element -2147483648 of 'x'" ALONE
         ", lane [32]; an int32 on the way to the address wrapped (mul in line 6), without that it "
         "were 4294967296 elements further\n"},
    {.body = I "o = tl.minimum(l * 67108864, l)\nv = tl.load(x + o)\n" KEEP,
     .want =
         "overflow 7: the offset of this load does not fit its int and wrapped (the first to: mul "
         "in line 6): it goes 2147483680 elements before where it should" ALONE ", lane [32]\n"
         "out-of-bounds 7: load of 4 bytes outside the buffer of 'x', which has 256 bytes: "
         "8589934592 bytes before its start, at element -2147483648 of 'x'" ALONE
         ", lane [32]; an int32 on the way to the address wrapped (mul in line 6), without that it "
         "were 2147483680 elements further\n"},
    {.body = I "o = tl.maximum(l * 67108864, l)\nv = tl.load(x + o)\n" KEEP,
     .want = "out-of-bounds 7: load of 4 bytes outside the buffer of 'x', which has 256 bytes: "
             "268435456 bytes after its start, at element 67108864 of 'x'" ALONE ", lane [1]\n"},
    {.body = I "o = (l << 26).to(tl.int64)\nv = tl.load(x + o)\n" KEEP,
     .want = "out-of-bounds 7: load of 4 bytes outside the buffer of 'x', which has 256 bytes: "
             "268435456 bytes after its start, at element 67108864 of 'x'" ALONE ", lane [1]\n"},
    {.body = I "o = (l + 64).to(tl.int8)\nv = tl.load(x + o)\n" KEEP,
     .want = "out-of-bounds 7: load of 4 bytes outside the buffer of 'x', which has 256 bytes: 256 "
             "bytes after its start, at element 64 of 'x'" ALONE ", lane [0]\n"},
    {.body = I "o = l.to(tl.int64) * 67108864\nv = tl.load(x + o)\n" KEEP,
     .want = "out-of-bounds 7: load of 4 bytes outside the buffer of 'x', which has 256 bytes: "
             "268435456 bytes after its start, at element 67108864 of 'x'" ALONE ", lane [1]\n"},
    {.body = I "p = x + l * 40000000\nv = tl.load(p + l * 40000000)\n" KEEP,
     .want = "out-of-bounds 7: load of 4 bytes outside the buffer of 'x', which has 256 bytes: "
             "320000000 bytes after its start, at element 80000000 of 'x'" ALONE ", lane [1]\n"},
    {.body = I "o = (l * 3).to(tl.int8) * 2\nv = tl.load(x + (l & 31) + o - o)\n" KEEP, .want = ""},
    {.body = I "o = (l.to(tl.int8) * 4).to(tl.int32)\nv = tl.load(x + (o & 63))\n" KEEP,
     .want = ""},
    {.body = I "o = l.to(tl.int8) * 4\nv = tl.load(x + o)\n" KEEP,
     .want = "out-of-bounds 7: load of 4 bytes outside the buffer of 'x', which has 256 bytes: 256 "
             "bytes after its start, at element 64 of 'x'" ALONE ", lane [16]\n"},
    {.body = I "o = l.to(tl.int16) * 1024\nv = tl.load(x + o)\n" KEEP,
     .want = "out-of-bounds 7: load of 4 bytes outside the buffer of 'x', which has 256 bytes: "
             "4096 bytes after its start, at element 1024 of 'x'" ALONE ", lane [1]\n"},
    {.body = I "o = l - 2147483647 - n\nv = tl.load(x + o)\n" KEEP,
     .want = "overflow 7: the offset of this load does not fit its int and wrapped (the first to: "
             "sub in line 6): it goes 4294967296 elements past where it should" ALONE ", lane [0]\n"
             "out-of-bounds 7: load of 4 bytes outside the buffer of 'x', which has 256 bytes: "
             "8589934436 bytes after its start, at element 2147483609 of 'x'" ALONE
             ", lane [0]; an int32 on the way to the address wrapped (sub in line 6), without that "
             "it were -4294967296 elements further\n"},
    {.body = I "o = (0 - l * 33554432)\nq = o - l * 33554432\nv = tl.load(x + q, mask=l > 32, "
               "other=0.0)\n" KEEP,
     .want =
         "overflow 8: the offset of this load does not fit its int and wrapped (the first to: sub "
         "in line 7): it goes 4294967296 elements past where it should" ALONE ", lane [33]\n"
         "out-of-bounds 8: load of 4 bytes outside the buffer of 'x', which has 256 bytes: "
         "8321499136 bytes after its start, at element 2080374784 of 'x'" ALONE
         ", lane [33]; an int32 on the way to the address wrapped (sub in line 7), without that it "
         "were -4294967296 elements further\n"},
    {.body = I "o = l << 28\nv = tl.load(x + o, mask=l > 7, other=0.0)\n" KEEP,
     .want =
         "overflow 7: the offset of this load does not fit its int and wrapped (the first to: shl "
         "in line 6): it goes 4294967296 elements before where it should" ALONE ", lane [8]\n"
         "out-of-bounds 7: load of 4 bytes outside the buffer of 'x', which has 256 bytes: "
         "8589934592 bytes before its start, at element -2147483648 of 'x'" ALONE
         ", lane [8]; an int32 on the way to the address wrapped (shl in line 6), without that it "
         "were 4294967296 elements further\n"},
    {.body = I "o = tl.where(l < 63, l, l << 28)\nv = tl.load(x + o)\n" KEEP,
     .want =
         "overflow 7: the offset of this load does not fit its int and wrapped (the first to: shl "
         "in line 6): it goes 17179869184 elements before where it should" ALONE ", lane [63]\n"
         "out-of-bounds 7: load of 4 bytes outside the buffer of 'x', which has 256 bytes: "
         "1073741824 bytes before its start, at element -268435456 of 'x'" ALONE
         ", lane [63]; an int32 on the way to the address wrapped (shl in line 6), without that it "
         "were 17179869184 elements further\n"},
    /* each lane has its own first op to wrap, which goes where the lane goes */
    {.body = I "a = l * 134217728\nb = l << 28\no = tl.where(l < 16, a, b)\nv = tl.load(x + o, "
               "mask=l == 63, other=0.0)\n" KEEP,
     .want = WRAPPED_SHL("[63]")},
    {.body = I "a = l * 134217728\nb = l << 28\no = tl.where(l > 62, b, a)\nv = tl.load(x + "
               "tl.gather(o, 63 - l, 0), mask=l == 0, other=0.0)\n" KEEP,
     .want = WRAPPED_SHL("[0]")},
    {.body =
         I "a = l * 134217728\nb = l << 28\nv = tl.load(x + a + b, mask=l == 63, other=0.0)\n" KEEP,
     .want =
         "overflow 8: the offset of this load does not fit its int and wrapped (the first to: mul "
         "in line 6): it goes 25769803776 elements before where it should" ALONE ", lane [63]\n"
         "out-of-bounds 8: load of 4 bytes outside the buffer of 'x', which has 256 bytes: "
         "1610612736 bytes before its start, at element -402653184 of 'x'" ALONE
         ", lane [63]; an int32 on the way to the address wrapped (mul in line 6), without that it "
         "were 25769803776 elements further\n"},
    {.body =
         I "o = tl.where(l < 63, l << 28, l)\nv = tl.load(x + o, mask=l > 62, other=0.0)\n" KEEP,
     .want = ""},
    {.body = I
     "o = tl.maximum(l * 67108864 + 1, l) - 1\nv = tl.load(x + o, mask=l > 40, other=0.0)\n" KEEP,
     .want = "overflow 7: the offset of this load does not fit its int and wrapped (the first to: "
             "mul in line 6): it goes 2751463384 elements before where it should" ALONE
             ", lane [41] x23\n"},
    {.body = I "o = (l * 67108864).to(tl.int64)\nv = tl.load(x + o, mask=l > 40, other=0.0)\n" KEEP,
     .want =
         "overflow 7: the offset of this load does not fit its int and wrapped (the first to: mul "
         "in line 6): it goes 4294967296 elements before where it should" ALONE ", lane [41]\n"
         "out-of-bounds 7: load of 4 bytes outside the buffer of 'x', which has 256 bytes: "
         "6174015488 bytes before its start, at element -1543503872 of 'x'" ALONE
         ", lane [41]; an int32 on the way to the address wrapped (mul in line 6), without that it "
         "were 4294967296 elements further\n"},
    {.body = I "o = (l * 134217728).to(tl.uint32, bitcast=True)\nv = tl.load(x + o.to(tl.int64), "
               "mask=l == 16, other=0.0)\n" KEEP,
     .want =
         "out-of-bounds 7: load of 4 bytes outside the buffer of 'x', which has 256 bytes: "
         "8589934592 bytes after its start, at element 2147483648 of 'x'" ALONE ", lane [16]\n"},
    {.body = I "o = (l * 134217728).to(tl.uint32, bitcast=True)\nv = tl.load(x + o.to(tl.int64), "
               "mask=l == 33, other=0.0)\n" KEEP,
     .want =
         "overflow 7: the offset of this load does not fit its int and wrapped (the first to: mul "
         "in line 6): it goes 4294967296 elements before where it should" ALONE ", lane [33]\n"
         "out-of-bounds 7: load of 4 bytes outside the buffer of 'x', which has 256 bytes: "
         "536870912 bytes after its start, at element 134217728 of 'x'" ALONE
         ", lane [33]; an int32 on the way to the address wrapped (mul in line 6), without that it "
         "were 4294967296 elements further\n"},
    {.body = I "o = (l[:, None] * 67108864 + tl.arange(0, 1)[None, :])\nv = tl.load(x + o, mask=(l "
               "> 40)[:, None], other=0.0)\ntl.store(z + l[:, None], v)\n",
     .want =
         "overflow 7: the offset of this load does not fit its int and wrapped (the first to: mul "
         "in line 6): it goes 4294967296 elements before where it should" ALONE ", lane [41, 0]\n"
         "out-of-bounds 7: load of 4 bytes outside the buffer of 'x', which has 256 bytes: "
         "6174015488 bytes before its start, at element -1543503872 of 'x'" ALONE
         ", lane [41, 0]; an int32 on the way to the address wrapped (mul in line 6), without that "
         "it were 4294967296 elements further\n"},
    {.body = "o = n * 107374183\nv = tl.load(x + tl.arange(0, 64) + o)\ntl.store(z + tl.arange(0, "
             "64), v)\n",
     .want =
         "overflow 6: the offset of this load does not fit its int and wrapped (the first to: mul "
         "in line 5): it goes 4294967296 elements before where it should" ALONE ", lane [0] x41\n"
         "out-of-bounds 6: load of 4 bytes outside the buffer of 'x', which has 256 bytes: 256 "
         "bytes after its start, at element 64 of 'x'" ALONE
         ", lane [40]; an int32 on the way to the address wrapped (mul in line 5), without that it "
         "were 4294967296 elements further\n"},
    {.body = "o = n\nwhile o < 1000:\n    o += n * 53687092\n    if o < 0:\n        tl.store(z, "
             "tl.load(x + o))\n        o = 2000\n",
     .want = "overflow 9: the offset of this load does not fit its int and wrapped (the first to: "
             "mul in line 7): it goes 4294967296 elements before where it should" ALONE "\n"
             "out-of-bounds 9: load of 4 bytes outside the buffer of 'x', which has 256 bytes: "
             "8589934304 bytes before its start, at element -2147483576 of 'x'" ALONE
             "; an int32 on the way to the address wrapped (mul in line 7), without that it were "
             "4294967296 elements further\n"},
    {.body = "o = 0\nif n > 3:\n    o = n * 53687092\ntl.store(z, tl.load(x + o))\n",
     .want = "overflow 8: the offset of this load does not fit its int and wrapped (the first to: "
             "mul in line 7): it goes 4294967296 elements before where it should" ALONE "\n"
             "out-of-bounds 8: load of 4 bytes outside the buffer of 'x', which has 256 bytes: "
             "8589934464 bytes before its start, at element -2147483616 of 'x'" ALONE
             "; an int32 on the way to the address wrapped (mul in line 7), without that it were "
             "4294967296 elements further\n"},
    {.body = "o = 0\nq = n * 53687092\nfor k in range(0, 3):\n    o, q = q, o\ntl.store(z, "
             "tl.load(x + o))\n",
     .want = "overflow 9: the offset of this load does not fit its int and wrapped (the first to: "
             "mul in line 6): it goes 4294967296 elements before where it should" ALONE "\n"
             "out-of-bounds 9: load of 4 bytes outside the buffer of 'x', which has 256 bytes: "
             "8589934464 bytes before its start, at element -2147483616 of 'x'" ALONE
             "; an int32 on the way to the address wrapped (mul in line 6), without that it were "
             "4294967296 elements further\n"},
    /* programs that disturb each other */
    {.body = I "tl.store(z + l, l * 1.0)\n",
     .want =
         "written-twice 6: element 0 of 'z' is written here and, with the same value, by program "
         "(0, 0, 0) (line 6) | program (1, 0, 0) of a grid of (3, 1, 1), lane [0] x128\n",
     .grid = 3},
    {.body = I "p = tl.program_id(0)\ntl.store(z + l, p * 1.0)\n",
     .want =
         "race 7: element 0 of 'z' is written here and, another value, unordered with that, by "
         "program (0, 0, 0) (line 7) | program (1, 0, 0) of a grid of (3, 1, 1), lane [0] x128\n",
     .grid = 3},
    {.body = I "p = tl.program_id(0)\nv = tl.load(x + l)\ntl.store(x + l, v + p)\n",
     .want =
         "race 8: element 0 of 'x' is written here and, another value, unordered with that, by "
         "program (0, 0, 0) (line 8) | program (1, 0, 0) of a grid of (3, 1, 1), lane [0] x128\n"
         "race 7: element 0 of 'x' is read here and, unordered with that, changed by program (1, "
         "0, 0) (line 8) | program (2, 0, 0) of a grid of (3, 1, 1), lane [0] x64\n",
     .grid = 3},
    {.body = I "p = tl.program_id(0)\nif p == 0:\n    tl.store(y + l, 1.0)\nelse:\n    tl.store(z "
               "+ l, tl.load(y + l))\n",
     .want = "race 10: element 0 of 'y' is read here and, unordered with that, changed by program "
             "(0, 0, 0) (line 8) | program (1, 0, 0) of a grid of (2, 1, 1), lane [0] x64\n",
     .grid = 2},
    {.body = I "p = tl.program_id(0)\nif p == 1:\n    tl.store(y + l, 1.0)\nelse:\n    tl.store(z "
               "+ l, tl.load(y + l))\n",
     .want = "race 8: element 0 of 'y' is changed here and, unordered with that, read by program "
             "(0, 0, 0) (line 10) | program (1, 0, 0) of a grid of (2, 1, 1), lane [0] x64\n",
     .grid = 2},
    {.body = I "p = tl.program_id(0)\nif p == 2:\n    tl.store(y, 1.0)\nelse:\n    tl.store(z + p, "
               "tl.load(y))\n",
     .want = "race 8: element 0 of 'y' is changed here and, unordered with that, read by several "
             "other programs (line 10) | program (2, 0, 0) of a grid of (3, 1, 1)\n",
     .grid = 3},
    {.body = I "p = tl.program_id(0)\ntl.store(z + p * 8 + l, 2.0, mask=l < 9)\n",
     .want = "written-twice 7: element 8 of 'z' is written here and, with the same value, by "
             "program (0, 0, 0) (line 7) | program (1, 0, 0) of a grid of (4, 1, 1), lane [0] x3\n",
     .grid = 4},
    {.body = "p = tl.program_id(0)\ntl.store(z + p, 2.0)\n", .want = "", .grid = 9},
    {.body = "p = tl.program_id(0)\ntl.atomic_add(y, 2.0)\ntl.store(z + p, 2.0)\n",
     .want = "not-checked 0: " ORDERED "\n",
     .grid = 9},
    {.body = "p = tl.program_id(0)\ntl.store(z + p, tl.load(x + p, volatile=True))\n",
     .want = "not-checked 0: " ORDERED "\n",
     .grid = 9},
    {.body = "p = tl.program_id(0) + 2 * tl.program_id(1) + 6 * tl.program_id(2)\n"
             "if (p == 5) | (p == 9):\n    tl.store(z, p * 1.0)\n",
     .want = "race 7: element 0 of 'z' is written here and, another value, unordered with that, by "
             "program (1, 2, 0) (line 7) | program (1, 1, 1) of a grid of (2, 3, 4)\n",
     .grid = 2,
     .grid_y = 3,
     .grid_z = 4},
    {.body = "p = tl.program_id(0) + 2 * tl.program_id(1) + 6 * tl.program_id(2)\n"
             "if (p == 4) | (p == 6):\n    tl.store(z, p * 1.0)\n",
     .want = "race 7: element 0 of 'z' is written here and, another value, unordered with that, by "
             "program (0, 2, 0) (line 7) | program (0, 0, 1) of a grid of (2, 3, 4)\n",
     .grid = 2,
     .grid_y = 3,
     .grid_z = 4},
    {.body = "p = tl.program_id(0) + 2 * tl.program_id(1) + 6 * tl.program_id(2)\n"
             "tl.store(z + p, p * 1.0)\n",
     .want = "",
     .grid = 2,
     .grid_y = 3,
     .grid_z = 4},
    /* elements of other sizes: bytes are told apart */
    {.body = "b = (z + 3).to(tl.pointer_type(tl.int8), bitcast=True)\np = tl.program_id(0)\n"
             "if p == 0:\n    tl.store(z + 3, 1.0)\nelse:\n    tl.store(b + 3, 7)\n",
     .want = "race 10: element 3 of 'z' is written here and, another value, unordered with that, "
             "by program (0, 0, 0) (line 8) | program (1, 0, 0) of a grid of (2, 1, 1)\n",
     .grid = 2},
    {.body = "b = (z + 3).to(tl.pointer_type(tl.int8), bitcast=True)\np = tl.program_id(0)\n"
             "if p == 1:\n    tl.store(z + 3, 1.0)\nelse:\n    tl.store(b + 2, 7)\n",
     .want = "race 8: element 3 of 'z' is written here and, another value, unordered with that, by "
             "program (0, 0, 0) (line 10) | program (1, 0, 0) of a grid of (2, 1, 1)\n",
     .grid = 2},
    {.body = "b = (z + 3).to(tl.pointer_type(tl.int8), bitcast=True)\np = tl.program_id(0)\n"
             "if p == 1:\n    tl.store(z + 3, 1.0)\nelse:\n    tl.store(b + 4, 7)\n    tl.store(b "
             "- 1, 7)\n",
     .want = "",
     .grid = 2},
    {.body = "b = (y + 3).to(tl.pointer_type(tl.int8), bitcast=True)\np = tl.program_id(0)\n"
             "if p == 1:\n    tl.store(y + 3, 1.0)\nelse:\n    tl.store(z, tl.load(b + 1) * 1.0)\n",
     .want = "race 8: element 3 of 'y' is changed here and, unordered with that, read by program "
             "(0, 0, 0) (line 10) | program (1, 0, 0) of a grid of (2, 1, 1)\n",
     .grid = 2},
    /* what one program does to its own elements is in order */
    {.body = "p = tl.program_id(0)\ntl.store(z + p, 1.0)\ntl.store(z + p, tl.load(z + p) + 1.0)\n"
             "tl.store(z + p, tl.load(z + p))\n",
     .want = "",
     .grid = 3},
    {.body = "p = tl.program_id(0)\nif p < 2:\n    tl.store(x, tl.load(x) * 1.0)\n"
             "else:\n    tl.store(z, tl.load(x))\n",
     .want = "written-twice 7: element 0 of 'x' is written here and, with the same value, by "
             "program (0, 0, 0) (line 7) | program (1, 0, 0) of a grid of (3, 1, 1)\n",
     .grid = 3},
    /* masks, sectors, memory */
    {.body = I "v = tl.load(x + l, mask=l < 64, other=0.0)\n" KEEP,
     .want = "idle-mask 6: the mask of this load never left out any of 64 lanes\n"},
    {.body = I "v = tl.load(x + l)\ntl.store(z + l, v, mask=l >= 0)\n",
     .want = "idle-mask 7: the mask of this store never left out any of 64 lanes\n"},
    {.body = I "v = tl.load(x + l)\ntl.atomic_add(y + l, v, mask=l < n)\n",
     .want = "not-checked 0: " ORDERED "\n"
             "idle-mask 7: the mask of this atomic_rmw never left out any of 64 lanes\n",
     .n = 64},
    {.body = I "v = tl.load(x + l)\ntl.store(z + l, v, mask=l < 0)\n", .want = ""},
    /* z lies at a multiple of 32 bytes; 33 distinct bytes or more are looked at */
    {.body = SECTORS("33", "l * 7"), .want = TIMES("4.0")},
    {.body = SECTORS("32", "l * 7"), .want = TIMES("7.0")},
    {.body = SECTORS("31", "l * 7"), .want = ""},
    {.body = SECTORS("33", "l * 4"), .want = ""},
    {.body = SECTORS("32", "l * 4"), .want = TIMES("4.0")},
    {.body = SECTORS("32", "l * 3"), .want = ""},
    {.body = SECTORS("32", "(l & 15) * 8"), .want = ""},
    {.body = I "v = tl.load(z + l)\ntl.store(y + l, v)\n",
     .want = "uninitialised 6: load of 4 bytes that nobody wrote: element 0 of 'z'" ALONE
             ", lane [0]\n"},
    {.body = I "v = tl.load(x + l)\ntl.store(z + l + 1, v)\n",
     .want = "out-of-bounds 7: store of 4 bytes outside the buffer of 'z', which has 256 bytes: "
             "256 bytes after its start, at element 64 of 'z'" ALONE ", lane [63]\n"},
    {.body = "l = tl.arange(0, 32)\nm = tl.load(i + l)\nv = tl.load(x + l)\ntl.store(z + (l & 7) * "
             "8 + (l >> 3), v)\n",
     .want = "unused-load 6: nothing needs what this load gives\n"},
    {.body = I "tl.store(z + l, 1.0)\ntl.device_assert(n < 9, 'small')\n", .want = ""},
};

TEST(findings_to_the_letter) {
    for (int i = 0; i < COUNT(cases); i++) check_case(&cases[i]);
}

/* More places than are kept: the last entry says so. */
TEST(too_many_findings) {
    Arena *arena = arena_new(NULL);
    for (int count = 62; count <= SIZE; count++) {
        Buf body = {.arena = arena}, want = {.arena = arena};
        buf_puts(&body, "p = tl.program_id(0)\n");
        for (int k = 0; k < count; k++) {
            buf_printf(&body, "tl.store(z + %d, p * 1.0)\n", k % SIZE);
            if (k < 63)
                buf_printf(
                    &want,
                    "race %d: element %d of 'z' is written here and, another value, unordered "
                    "with that, by program (0, 0, 0) (line %d) | program (1, 0, 0) of a grid of "
                    "(2, 1, 1)\n",
                    k + 6, k, k + 6);
        }
        if (count > 63)
            buf_printf(&want,
                       "not-checked 69: what else there is, from here on: 63 places are kept\n");
        check_case(&(Case){.body = body.data, .want = want.data, .grid = 2});
    }
    arena_free(arena);
}

TEST_MAIN()
