// SPDX-License-Identifier: Apache-2.0
/* Adds two vectors with a Triton kernel:  cc vector_add.c -ltern -lm -ldl -lpthread */
#include <stdio.h>
#include <string.h>
#include <tern.h>

static const char source[] =
    "import triton\n"
    "import triton.language as tl\n"
    "@triton.jit\n"
    "def add(x, y, out, n, BLOCK: tl.constexpr):\n"
    "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)\n";

int main(void) {
    float x[1000], y[1000], out[1000];
    for (int i = 0; i < 1000; i++) x[i] = (float)i, y[i] = 0.5f;
    char why[256];
    tern_context *tern = tern_open(NULL, NULL, why, sizeof why);
    if (!tern) return fprintf(stderr, "%s\n", why), 1;
    tern_module *module = tern_load_text(tern, source, strlen(source), "add.py");
    tern_kernel *add =
        module ? tern_compile(module, "add", "*fp32:16,*fp32:16,*fp32:16,i32,256", NULL) : NULL;
    if (!add) return fprintf(stderr, "%s\n", tern_message(tern)), 1;
    tern_buffer *a = tern_alloc(tern, sizeof x), *b = tern_alloc(tern, sizeof y),
                *c = tern_alloc(tern, sizeof out);
    tern_write(a, 0, x, sizeof x);
    tern_write(b, 0, y, sizeof y);
    tern_argument arguments[] = {tern_arg_buffer(a), tern_arg_buffer(b), tern_arg_buffer(c),
                                 tern_arg_int(1000)};
    uint32_t grid[3] = {4, 1, 1};
    if (tern_launch(NULL, add, grid, arguments, 4) || tern_read(c, 0, out, sizeof out))
        return fprintf(stderr, "%s\n", tern_message(tern)), 1;
    printf("%s: out[999] = %g\n", tern_device_name(tern), (double)out[999]);
    tern_close(tern);
    return 0;
}
