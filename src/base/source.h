// SPDX-License-Identifier: Apache-2.0
/* source: the texts that a compilation reads, and places in them. */
#ifndef TERN_SOURCE_H
#define TERN_SOURCE_H

#include "base/base.h"

typedef struct Source {
    Str name; /* as the user wrote it; "<text>" for text from memory */
    Str text; /* kept for diagnostics */
    int *line_starts;
    int num_lines;
    bool is_ours; /* a module of tern's own, in the place of Python's or torch's */
} Source;

/* A place: bytes [start, end) of a source. source == NULL: no place is known. */
typedef struct Span {
    const Source *source;
    int start, end;
} Span;

Source *source_new(Arena *arena, Str name, Str text); /* keeps both strings, does not copy */
void source_position(const Source *source, int offset, int *line, int *column); /* from 1 */
Str source_line(const Source *source, int line); /* without newline */
Span span_join(Span a, Span b);
Str span_text(Span span); /* empty where it is of no source */

/* Reads a whole regular file of at most `limit_bytes`. False: `why` says what went wrong. */
bool file_read(Arena *arena, const char *path, size_t limit_bytes, Str *text, Str *why);
/* A device, a pipe or a link: it is written to as it stands, as a file in its place would take it
 * away. */
bool file_stays(const char *path);
/* Writes to a temporary name beside `path`, then renames: readers see all of it or nothing. What
 * stays is written to. */
bool file_write(Arena *arena, const char *path, const void *data, size_t size_bytes, Str *why);

#endif
