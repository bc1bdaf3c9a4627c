// SPDX-License-Identifier: Apache-2.0
/* Profiles on a driver without a GPU, on which time passes as on one: the device's side of
 * calls. */
#include "mock/control.h"
#include "prof/prof.h"
#include "test.h"

static const char kernel_text[] =
    "import triton\nimport triton.language as tl\n"
    "@triton.jit\ndef wait_spin(ns):\n    tl.device_assert(ns >= 0)\n";

TEST(kernels_are_timed_on_the_device) {
    tern_status status;
    setenv("TERN_CUDA_DRIVER", MOCK_DRIVER, 1);
    tern_context *context =
        tern_open(&(tern_open_options){.device = "cuda", .cache_dir = ""}, &status, NULL, 0);
    tern_module *module = tern_load_text(context, kernel_text, sizeof kernel_text - 1, NULL);
    tern_kernel *kernel = tern_compile(module, "wait_spin", "i64", NULL);
    CHECK(kernel != NULL);
    tern_profile *profile = tern_profile_start(context, &(tern_profile_options){.by_events = true});
    CHECK(profile != NULL);
    tern_range_push(context, "step");
    for (int i = 0; i < 4; i++)
        CHECK(!tern_launch(NULL, kernel, (uint32_t[3]){1, 1, 1},
                           (tern_argument[]){tern_arg_int(1000000)}, 1));
    tern_range_pop(context);
    CHECK(!tern_profile_stop(profile));
    CHECK(profile->has_device && profile->num_events == 9 && !profile->num_dropped &&
          !profile->num_untimed);
    for (int i = 5; i < profile->num_events; i++) {
        const ProfEvent *event = &profile->events[i], *call = &profile->events[event->parent];
        int64_t took = event->end_ns - event->start_ns;
        CHECK(event->on_device && !call->on_device && call->kind == TERN_CALL_LAUNCH);
        CHECK(took >= 1000000 && took < 1100000);
        CHECK(i == 5 || event->start_ns >= profile->events[i - 1].end_ns);
        CHECK(event->start_ns + 1000000 > call->start_ns);
    }
    CHECK(profile->events[0].device_total_ns >= 4000000 && profile->events[0].device_self_ns == 0);
    char *table = tern_profile_table(profile, NULL);
    CHECK(strstr(table, "Self GPU") && strstr(table, "times by events"));
    const char *below = strchr(strstr(table, "\nwait_spin ") + 1, '\n'); /* the device's row */
    CHECK(strncmp(below, "\n  wait_spin ", 13) == 0 && strspn(below + 13, " ") > 20);
    CHECK(below[13 + strspn(below + 13, " ")] == '-');
    tern_free(table);
    tern_profile_free(profile);
    tern_close(context);
    CHECK(mock()->live() == 0);
}

TEST_MAIN()
