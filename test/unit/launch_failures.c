// SPDX-License-Identifier: Apache-2.0
/* No memory: in a launch on interp or sim each allocation fails in turn, alone or with all after
 * it; whichever op asked for it, the launch ends with TERN_ERROR_NO_MEMORY and frees what it had.
 * A kernel an op: the lanes that one op gave back serve the next, so that in a long kernel few
 * would ask. */
#include "allocations.h"
#include "api/context.h"
#include "test.h"

enum { SIZE = 4096 };

static const char head[] = "import triton\nimport triton.language as tl\n"
                           "@triton.jit\ndef add(a, b):\n    if a < 0:\n        b += 1\n"
                           "    return a + b\n"
                           "@triton.jit\ndef k(x, y, z, n, B: tl.constexpr):\n";

#define L "    l = tl.arange(0, B)\n"
#define V L "    v = tl.load(x + l)\n"
#define M "    m = tl.arange(0, 16)\n    v = tl.load(x + m[:, None] * 16 + m[None, :])\n"

static const char *const bodies[] = {
    "    tl.store(y, n)\n",
    L "    tl.store(y + l, l)\n",
    L "    tl.store(y + l, n)\n",
    V "    tl.store(y + l, v * 2 + 1)\n",
    L "    v = tl.load(x + l, mask=l < n)\n    tl.store(y + l, v, mask=l < n)\n",
    L "    v = tl.load(x + l, mask=l < n, other=3)\n    tl.store(y + l, v)\n",
    L "    v = tl.load(x + l * 67108864, mask=l < 1)\n    tl.store(y + l, tl.where(l < 1, v, 0))\n",
    L "    o = tl.trans((l * 67108864)[:, None] + l[None, :])\n"
      "    tl.store(y + o, 1, mask=(o < 2) & (o >= 0))\n",
    L "    o = l * 67108864\n    o = tl.gather(o, l, 0)\n    tl.store(y + o, 1, mask=l < 1)\n",
    V "    tl.store(y + l, v.to(tl.float64) / n)\n",
    M "    tl.store(y + m[:, None] + m[None, :] * 16, v)\n",
    M "    tl.store(y + m[:, None] * 16 + m[None, :], tl.trans(v))\n",
    M "    tl.store(y + m, tl.sum(v, 0))\n",
    M "    tl.store(y + m, tl.argmax(v, 1))\n",
    M "    tl.store(y + m[:, None] * 16 + m[None, :], tl.cumsum(v, 0))\n",
    M "    tl.store(y + m[:, None] * 16 + m[None, :], tl.cumprod(v, 1, reverse=True))\n",
    M "    tl.store(y + m, tl.reduce(v, 1, add))\n",
    M "    tl.store(y + m[:, None] * 16 + m[None, :], tl.associative_scan(v, 1, add))\n",
    M "    w = v.to(tl.float32)\n    tl.store(z + m[:, None] * 16 + m[None, :], tl.dot(w, w))\n",
    M "    w = 1.0 / v\n    tl.store(z + m[:, None] * 16 + m[None, :], tl.dot(w, w, w))\n",
    V "    tl.store(y + tl.arange(0, 16), tl.histogram(v, 16))\n",
    V "    tl.store(y + tl.arange(0, 2 * B), tl.ravel(tl.join(v.to(tl.int64), l.to(tl.int64))))\n",
    V "    a, b = tl.split(tl.reshape(v, (B // 2, 2)))\n    tl.store(y + tl.arange(0, B // 2), a - "
      "b)\n",
    V "    tl.store(y + l, tl.gather(v, B - 1 - l, 0))\n",
    V "    tl.store(y + l, tl.sort(v))\n",
    V "    tl.store(y + l, tl.flip(v))\n",
    V "    tl.atomic_add(y + l, v)\n",
    V "    tl.atomic_cas(y + l, v, l)\n",
    V "    for i in range(0, n):\n        v += i\n    tl.store(y + l, v)\n",
    V "    i = n\n    while i > 0:\n        v += i\n        i -= 1\n    tl.store(y + l, v)\n",
    "    while tl.load(y) < 2:\n        tl.atomic_add(y, 1)\n",
    "    while tl.program_id(0) == 0 and tl.load(y) == 0:\n        pass\n    tl.store(y, 1)\n",
    V "    if n > 3:\n        v = v + 1\n    else:\n        v = v * 2\n    tl.store(y + l, v)\n",
    V "    tl.device_print(\"v\", v)\n",
    V "    tl.device_assert(v >= 0, \"sign\")\n",
    V "    v = tl.inline_asm_elementwise(\"add.s32 $0, $1, 1;\", \"=r,r\", [v], dtype=tl.int32, "
      "is_pure=True, pack=1)\n    tl.store(y + l, v)\n",
};

static long attempts;

/* Threads whose memory of the block and of their own is allocated. */
static const char threads[] =
    "func @k(%x: ptr<i32>, %y: ptr<i32>, %z: ptr<f32>, %n: i32) {form = thread, block = [64, 1, "
    "1]} "
    "{\n%s = alloc {space = shared, bytes = 256, align = 4} : ptr<i32>\n"
    "%l = alloc {space = local, bytes = 16, align = 4} : ptr<i32>\n"
    "%t = thread_id {axis = 0} : i32\n%c3 = constant 3 : i32\n%c63 = constant 63 : i32\n"
    "%p = addptr %x, %t : ptr<i32>\n%v = load %p : i32\n"
    "%at = addptr %s, %t : ptr<i32>\nstore %at, %v\n"
    "%low = and %t, %c3 : i32\n%lp = addptr %l, %low : ptr<i32>\nstore %lp, %t\nbarrier\n"
    "%other = xor %t, %c63 : i32\n%from = addptr %s, %other : ptr<i32>\n"
    "%w = load %from : i32\n%u = load %lp : i32\n%sum = add %w, %u : i32\n"
    "%q = addptr %y, %t : ptr<i32>\nstore %q, %sum\nyield\n}\n";

/* The rounds that a launch takes, until none of its allocations fails. */
static void fail_each(tern_context *context, tern_kernel *kernel, bool may_do_without,
                      const char *what, bool of_rings) {
    int32_t numbers[SIZE];
    for (int i = 0; i < SIZE; i++) numbers[i] = i % 16;
    tern_buffer *x = tern_alloc(context, sizeof numbers), *y = tern_alloc(context, sizeof numbers),
                *z = tern_alloc(context, sizeof numbers);
    tern_argument arguments[] = {tern_arg_buffer(x), tern_arg_buffer(y),
                                 of_rings ? tern_arg_int(150) : tern_arg_buffer(z),
                                 tern_arg_int(of_rings ? 3 : 5)};
    tern_write(x, 0, numbers, sizeof numbers);
    bool failed = true;
    for (long attempt = 0; failed; attempt++) {
        tern_fill(y, 0);
        allocations_failed = false;
        allocations_until_failure = attempt;
        tern_status status = tern_launch(NULL, kernel, (uint32_t[]){2, 1, 1}, arguments, 4);
        allocations_until_failure = -1;
        failed = allocations_failed;
        /* Output that could not be kept is dropped, and what is watched goes unseen. */
        bool fine = status == (failed ? TERN_ERROR_NO_MEMORY : TERN_OK) ||
                    (status == TERN_OK && (may_do_without || strstr(what, "device_print")));
        if (status == TERN_ERROR_NO_MEMORY && allocations_fail_alone)
            fine = fine && strstr(tern_message(context), "out of host memory");
        if (!fine) printf("%s: allocation %ld: %s\n", what, attempt, tern_message(context));
        CHECK(fine);
        attempts++;
        tern_free(tern_take_output(context));
    }
    tern_buffer_free(x), tern_buffer_free(y), tern_buffer_free(z);
}

static void fail_all(const char *device, bool watch) {
    bool on_interp = !strcmp(device, "interp");
    tern_open_options options = {.device = device, .cache_dir = "", .watch = watch};
    tern_context *context = tern_open(&options, NULL, NULL, 0);
    Arena *arena = arena_new(NULL);
    for (int i = 0; i < COUNT(bodies); i++) {
        if (!on_interp && strstr(bodies[i], "tl.load(y)")) continue; /* a race there */
        Str text = str_format(arena, "%s%s", head, bodies[i]);
        tern_module *module = tern_load_text(context, text.data, (size_t)text.length, "k.py");
        tern_kernel *kernel = module ? tern_compile(module, "k", "*i32,*i32,*fp32,i32,64",
                                                    &(tern_options){.debug = true})
                                     : NULL;
        CHECK(kernel);
        if (!kernel) printf("%s%s\n", bodies[i], tern_message(context));
        if (kernel) fail_each(context, kernel, watch || !on_interp, bodies[i], false);
    }
    Str ring, why;
    bool is_there = file_read(arena, "test/ir/ring_copy.tir", 1 << 20, &ring, &why);
    tern_kernel *copies = is_there ? kernel_from_ir(context, ring.data, NULL) : NULL;
    CHECK(copies || !on_interp);
    if (copies) fail_each(context, copies, watch, "rings", true);
    tern_kernel *of_threads = kernel_from_ir(context, threads, NULL);
    CHECK(of_threads);
    if (!of_threads) printf("%s\n", tern_message(context));
    if (of_threads) fail_each(context, of_threads, watch || !on_interp, "threads", false);
    arena_free(arena);
    tern_close(context);
}

TEST(each_allocation_of_each_op) {
    if (!ALLOCATIONS_ARE_OURS) {
        SKIP("the sanitizer has its own allocator");
        return;
    }
    allocations_counted = true;
    for (int way = 0; way < 6; way++) {
        long before = allocations_live;
        allocations_fail_alone = way % 2;
        fail_all(way < 4 ? "interp" : "sim", way / 2 == 1);
        if (allocations_live != before) printf("%ld are not freed\n", allocations_live - before);
        CHECK(allocations_live == before);
    }
    allocations_counted = allocations_fail_alone = false;
    CHECK(attempts > 6 * 5 * COUNT(bodies));
}

TEST_MAIN()
