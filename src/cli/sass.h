// SPDX-License-Identifier: Apache-2.0
/* sass: machine code as text, by NVIDIA's ptxas and one of its disassemblers, where they are. */
#ifndef TERN_CLI_SASS_H
#define TERN_CLI_SASS_H

#include "cli/cli.h"

typedef struct Sass {
    ExitCode code; /* EXIT_OK, or what kept the text from being made; then `why` says it */
    Str text, why;
    Str said;       /* by ptxas: registers, stack, spills; or why it does not take the PTX */
    bool has_lines; /* the text says of which line of the source instructions are */
} Sass;

/* wants_lines: by nvdisasm if it is there, which alone knows them. */
Sass sass_make(Arena *arena, const char *target, const char *ptx, bool wants_lines);

#endif
