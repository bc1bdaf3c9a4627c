// SPDX-License-Identifier: Apache-2.0
/* A kernel whose text is all there is: cpu and sim load and run it, and what needs the tile IR says
 * that there is none. */
#include "api/context.h"
#include "test.h"

static const char text[] = "func @twice(%x: ptr<i32> {divisible = 16}, %n: i32) {\n"
                           "  %0 = arange {start = 0, end = 64} : tile<64xi32>\n"
                           "  %1 = splat %n : tile<64xi32>\n"
                           "  %2 = icmp %0, %1 {predicate = slt} : tile<64xi1>\n"
                           "  %3 = splat %x : tile<64xptr<i32>>\n"
                           "  %4 = addptr %3, %0 : tile<64xptr<i32>>\n"
                           "  %5 = load %4, %2 : tile<64xi32>\n"
                           "  %6 = add %5, %5 : tile<64xi32>\n"
                           "  store %4, %6, %2\n"
                           "  yield\n"
                           "}\n";

static tern_kernel *open_kernel(const char *device) {
    tern_context *context = tern_open(&(tern_open_options){.device = device}, NULL, NULL, 0);
    tern_kernel *kernel = context ? kernel_from_ir(context, text, NULL) : NULL;
    if (!kernel) tern_close(context);
    return kernel;
}

static void check_runs(const char *name) {
    tern_kernel *kernel = open_kernel(name);
    CHECK(kernel);
    if (!kernel) return;
    tern_context *context = kernel->own.context;
    Device *device = &context->device;
    struct Func *ir = kernel->compiled->ir;
    kernel->compiled->ir = NULL;
    void *loaded = NULL;
    CHECK(device->ops->load(device, kernel->compiled, &loaded) == TERN_OK);
    int32_t data[64], back[64];
    for (int i = 0; i < 64; i++) data[i] = i - 20;
    tern_buffer *x = tern_alloc(context, sizeof data);
    CHECK(x && tern_write(x, 0, data, sizeof data) == TERN_OK);
    void *pointer = tern_buffer_pointer(x);
    int32_t n = 50;
    if (loaded)
        CHECK(!device->ops->launch(device, NULL, loaded, (uint32_t[]){1, 1, 1},
                                   (void *[]){&pointer, &n}));
    CHECK(tern_read(x, 0, back, sizeof back) == TERN_OK);
    for (int i = 0; i < 64; i++) CHECK(back[i] == (i < n ? 2 * data[i] : data[i]));
    if (loaded) device->ops->unload(device, loaded);
    kernel->compiled->ir = ir;
    tern_close(context);
}

TEST(cpu) {
    if (system("cc --version >/dev/null 2>&1"))
        SKIP("no C compiler");
    else
        check_runs("cpu");
}
TEST(sim) { check_runs("sim"); }

TEST(what_needs_the_ir_says_so) {
    tern_kernel *kernel = open_kernel("interp");
    CHECK(kernel);
    if (!kernel) return;
    tern_context *context = kernel->own.context;
    Device *device = &context->device;
    kernel->compiled->ir = NULL;
    void *loaded = NULL;
    CHECK(device->ops->load(device, kernel->compiled, &loaded) == TERN_ERROR_UNSUPPORTED);
    CHECK_STR(device->why.data, "device 'interp' runs the tile IR, which this kernel has none of");
    CHECK(!tern_kernel_text(kernel, TERN_STAGE_IR));
    tern_work work;
    tern_argument arguments[] = {{.kind = TERN_ARGUMENT_BUFFER}, {.kind = TERN_ARGUMENT_INT}};
    CHECK(tern_kernel_work(kernel, (uint32_t[]){1, 1, 1}, arguments, 2, &work) ==
          TERN_ERROR_UNSUPPORTED);
    CHECK_STR(tern_message(context), "the work of kernel 'twice' cannot be counted: it has no tile "
                                     "IR, which is what is counted");
    tern_close(context);
}

TEST(parameters_are_the_kernels) {
    tern_kernel *kernel = open_kernel("interp");
    CHECK(kernel);
    if (!kernel) return;
    const KernelParam *params = kernel->compiled->params;
    CHECK(kernel->compiled->num_params == 2);
    CHECK(str_is(params[0].name, "x") && params[0].is_pointer && params[0].type == SCALAR_I32 &&
          params[0].divisible == 16);
    CHECK(str_is(params[1].name, "n") && !params[1].is_pointer && params[1].type == SCALAR_I32 &&
          params[1].divisible == 1);
    tern_close(kernel->own.context);
}

TEST_MAIN()
