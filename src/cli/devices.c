// SPDX-License-Identifier: Apache-2.0
/* tern devices: what is here, what is missing and how to get it. */
#include "cli/cli.h"

#include <stdio.h>

const OptionRow options_devices[] = {{0}};

int command_devices(Cli *cli) {
    if (cli->operands.count)
        return cli_fail(cli, EXIT_USAGE, "takes no '%s'", cli->operands.data[0]);
    char *text = tern_devices(cli->json);
    if (!text) return cli_fail(cli, EXIT_SYSTEM, "no memory");
    fputs(text, stdout);
    size_t length = strlen(text);
    if (length && text[length - 1] != '\n') putchar('\n');
    tern_free(text);
    return EXIT_OK;
}
