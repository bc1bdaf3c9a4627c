// SPDX-License-Identifier: Apache-2.0
/* findings: what `tern check` found, each kind and line once, and the forms in which it is printed:
 * for people, JSON, SARIF 2.1.0, annotations of GitHub's. */
#ifndef TERN_CLI_FINDINGS_H
#define TERN_CLI_FINDINGS_H

#include "cli/cli.h"

typedef struct Found {
    const char *name; /* "out-of-bounds": a tern_finding_kind's name, or one of the command's own */
    bool is_advice;
    bool of_device;      /* each device's is one of its own */
    const char *file;    /* NULL: no place is known */
    const char *subject; /* then the argument that it is about */
    int line, column;
    const char *words, *where, *cure;
    const char *device, *point; /* where it was first seen: "sim:h200", "n = 257" */
    uint64_t seed;
    int times; /* launches in which it was seen */
} Found;

typedef VEC(const char *) Texts;
typedef struct FoundList {
    Arena *arena;
    const char *kernel; /* "FILE:KERNEL" */
    VEC(Found) found;
    Texts not_checked, points, devices;
} FoundList;

/* All words are kept as they are. The entry, the old one if its kind and line are known. */
Found *found_add(FoundList *list, Found found);
void found_not_checked(FoundList *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int found_count(const FoundList *list, bool advice);

/* To another process of this command, and from it: parcel.h. False: damaged, part of it is
 * taken. */
void found_put(Buf *out, FoundList *list);
bool found_take(FoundList *list, Str *rest);

typedef enum FoundFormat { FOUND_TEXT, FOUND_JSON, FOUND_SARIF, FOUND_GITHUB } FoundFormat;
bool found_format(const char *name, FoundFormat *format); /* "sarif"; false: no such */
/* quiet: as text, findings only. */
void found_print(Arena *arena, const FoundList *lists, int count, FoundFormat format, bool quiet);

#endif
