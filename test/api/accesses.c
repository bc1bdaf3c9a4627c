// SPDX-License-Identifier: Apache-2.0
/* What tern_kernel_record keeps of launches on sim, of a kernel whose addresses are known; the
 * texts that a kernel comes from, and the places in its IR. */
#include "tern.h"
#include "test.h"

#include <string.h>

static const char text[] =
    "import triton\n"
    "import triton.language as tl\n"
    "@triton.jit\n"
    "def even(x, y, B: tl.constexpr):\n"
    "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
    "    tl.store(y + i, tl.load(x + 2 * i) + tl.max(i, 0).to(tl.float32))\n";
enum { PROGRAMS = 3, LANES = 32 };

typedef struct Fixture {
    tern_context *context;
    tern_module *module;
    tern_kernel *kernel;
    tern_buffer *x, *y;
} Fixture;

static bool open_on(Fixture *f, const char *device) {
    char why[256];
    *f = (Fixture){.context =
                       tern_open(&(tern_open_options){.device = device}, NULL, why, sizeof why)};
    if (!f->context) return false;
    f->module = tern_load_text(f->context, text, sizeof text - 1, "even.py");
    f->kernel =
        f->module ? tern_compile(
                        f->module, "even", "*fp32:16,*fp32:16,32",
                        &(tern_options){.num_warps = 1, .print_after = "lower", .locations = true})
                  : NULL;
    f->x = tern_alloc(f->context, 2 * PROGRAMS * LANES * 4);
    f->y = tern_alloc(f->context, PROGRAMS * LANES * 4);
    return f->kernel && f->x && f->y && !tern_fill(f->x, 0);
}

static void close_all(Fixture *f) {
    tern_buffer_free(f->x), tern_buffer_free(f->y);
    if (f->kernel) tern_kernel_free(f->kernel);
    if (f->module) tern_module_free(f->module);
    if (f->context) tern_close(f->context);
}

static bool run(Fixture *f) {
    const tern_argument arguments[] = {tern_arg_buffer(f->x), tern_arg_buffer(f->y)};
    return !tern_launch(NULL, f->kernel, (const uint32_t[]){PROGRAMS, 1, 1}, arguments, 2);
}

/* 2 * i of x: 256 bytes, 8 sectors for 128 bytes; i of y: 4. */
static void check_access(const Fixture *f, const tern_access *access, int at) {
    bool is_load = at % 2 == 0;
    uint64_t base = (uint64_t)(uintptr_t)tern_buffer_pointer(is_load ? f->x : f->y);
    uint64_t program = (uint64_t)at / 2;
    CHECK(access->kind == (is_load ? TERN_ACCESS_LOAD : TERN_ACCESS_STORE));
    CHECK(access->program == program && !access->warp && !access->is_shared && access->bytes == 4);
    CHECK(access->lanes == UINT32_MAX && access->least_cost == 4);
    CHECK(access->cost == (is_load ? 8 : 4));
    for (uint64_t i = 0; i < LANES; i++)
        CHECK(access->addresses[i] == base + (program * LANES + i) * (is_load ? 8 : 4));
    const char *ptx = tern_kernel_text(f->kernel, TERN_STAGE_PTX);
    for (int line = 1; line < access->ptx_line; line++) ptx = strchr(ptx, '\n') + 1;
    CHECK(!strncmp(ptx, is_load ? "\tld.global" : "\tst.global", 10));
}

TEST(accesses_of_a_launch) {
    Fixture f;
    tern_accesses accesses;
    CHECK(open_on(&f, "sim"));
    CHECK(run(&f) && !tern_kernel_accesses(f.kernel, &accesses) && !accesses.count);
    CHECK(!tern_kernel_record(f.kernel, 100));
    for (int times = 0; times < 2; times++) { /* those of the last launch alone */
        CHECK(run(&f) && !tern_kernel_accesses(f.kernel, &accesses));
        CHECK(accesses.count == 2 * PROGRAMS && accesses.num_whole == PROGRAMS &&
              !accesses.num_other);
        for (int i = 0; i < accesses.count; i++) check_access(&f, &accesses.data[i], i);
    }
    for (int most = 0; most < 2 * PROGRAMS; most++) {
        CHECK(!tern_kernel_record(f.kernel, most) && run(&f));
        CHECK(!tern_kernel_accesses(f.kernel, &accesses) && accesses.count == most);
        CHECK(accesses.num_whole == (uint64_t)most / 2);
    }
    CHECK(tern_kernel_record(f.kernel, -1) == TERN_ERROR_ARGUMENT);
    close_all(&f);
}

TEST(only_where_it_is_known) {
    Fixture f;
    tern_accesses accesses = {.count = 7};
    CHECK(open_on(&f, "interp"));
    CHECK(tern_kernel_record(f.kernel, 1) == TERN_ERROR_UNSUPPORTED);
    CHECK(tern_kernel_accesses(f.kernel, &accesses) == TERN_ERROR_UNSUPPORTED && !accesses.count);
    close_all(&f);
}

TEST(sources_and_places) {
    Fixture f;
    const tern_source *sources;
    char want[64];
    CHECK(open_on(&f, "sim"));
    CHECK(tern_kernel_sources(f.kernel, &sources) >= 2);
    CHECK_STR(sources[0].name, "even.py");
    CHECK_STR(sources[0].text, text);
    CHECK(sources[0].length == sizeof text - 1);
    CHECK_STR(sources[1].name, "<tern>/max.py");
    int start = (int)(strstr(text, "tl.store") - text), end = (int)sizeof text - 2;
    snprintf(want, sizeof want, "loc(\"even.py\", %d, %d)\n", start, end);
    CHECK(strstr(tern_kernel_text(f.kernel, TERN_STAGE_IR_AFTER), want));
    CHECK(strstr(tern_kernel_text(f.kernel, TERN_STAGE_IR), want));
    close_all(&f);
}

int main(int argc, char **argv) { return test_main(__FILE__, argc, argv); }
