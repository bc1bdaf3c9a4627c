// SPDX-License-Identifier: Apache-2.0
/* tern peak: the ceilings of a device. */
#include "cli/cli.h"
#include "cli/json.h"
#include "cli/progress.h"

#include <math.h>
#include <stdio.h>

const OptionRow options_peak[] = {
    {"refresh", 0, NULL, "measure again, also where the cache folder has a result"},
    {0},
};

const char details_peak[] = "Measured by kernels that tern compiles for the device, the best of "
                            "several block sizes; kept in the\n"
                            "cache folder for this machine, device and version. tern bench divides "
                            "by these figures and rejects\n"
                            "what lies far above them.\n";

static void print_text(const Cli *cli, tern_context *context, const tern_peaks *peaks) {
    if (!cli->quiet)
        printf("device: %s (%s)\n", tern_device_name(context), tern_device_description(context));
    printf("copy    %9.4g GB/s      read and written, beyond the caches\n", peaks->copy / 1e9);
    printf("read    %9.4g GB/s      beyond the caches\n", peaks->read / 1e9);
    printf("cached  %9.4g GB/s      read and written, within the caches\n", peaks->cached / 1e9);
    printf("fma     %9.4g GFLOP/s   fp32\n", peaks->fma / 1e9);
    if (peaks->tensor > 0)
        printf("tensor  %9.4g GFLOP/s   a product of f16\n", peaks->tensor / 1e9);
    if (peaks->is_doubtful)
        puts("doubtful: rounds did not agree, or reading was slower than copying: measured beside "
             "other work,\nit seems; --refresh on a quiet machine");
    if (!cli->quiet)
        puts(peaks->was_cached ? "measured before; --refresh measures again" : "measured now");
}

static tern_status measure(const Cli *cli, tern_context *context, tern_peaks *peaks) {
    Progress progress;
    progress_start(&progress, cli);
    progress_watch(&progress, "measuring");
    tern_status status = tern_peak(context, true, option_given(cli, "refresh"), peaks);
    progress_end(&progress);
    return status;
}

int command_peak(Cli *cli) {
    int code = EXIT_OK;
    tern_peaks peaks;
    if (cli->operands.count)
        return cli_fail(cli, EXIT_USAGE, "what is '%s'?", cli->operands.data[0]);
    tern_context *context = cli_open(cli, cli->device, &code);
    if (!context) return code;
    const char *name = tern_device_name(context);
    if (!tern_device_property(name, TERN_DEVICE_IS_FAST))
        code = cli_fail(cli, EXIT_REFUSED, "device %s checks kernels, it has no ceilings", name);
    else if (measure(cli, context, &peaks))
        code = cli_fail_context(cli, context);
    else if (cli->json) {
        Json json = {.out.arena = cli->arena};
        json_open(&json, '{');
        json_key(&json, "device"), json_text(&json, name);
        json_key(&json, "copy"), json_number(&json, peaks.copy);
        json_key(&json, "read"), json_number(&json, peaks.read);
        json_key(&json, "cached"), json_number(&json, peaks.cached);
        json_key(&json, "fma"), json_number(&json, peaks.fma);
        json_key(&json, "tensor"), json_number(&json, peaks.tensor > 0 ? peaks.tensor : NAN);
        json_key(&json, "doubtful"), json_bool(&json, peaks.is_doubtful);
        json_close(&json, '}');
        json_print(&json);
    } else
        print_text(cli, context, &peaks);
    tern_close(context);
    return code;
}
