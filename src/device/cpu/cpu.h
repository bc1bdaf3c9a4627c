// SPDX-License-Identifier: Apache-2.0
/* cpu.h: the parts of the cpu device: compiler, disk cache, pool of threads, fibers. */
#ifndef TERN_CPU_H
#define TERN_CPU_H

#include "device/device.h"
#include "gen/c/abi.h"
#include "gen/c/tests.h"

/* ---- pool.c ---- */
typedef struct Pool Pool;
typedef void PoolWork(void *user, int worker, int64_t lo, int64_t hi);
Pool *pool_open(int num_threads); /* NULL: no memory. The caller is one of the threads */
void pool_close(Pool *pool);
int pool_threads(const Pool *pool);
/* least: so many at a time, or half a thread's share. */
void pool_run(Pool *pool, int64_t count, int64_t least, PoolWork *work, void *user);

/* ---- fiber.c ---- */
typedef struct FiberRun {
    const Device *device;
    KernelFunction *function;
    void **args;
    int grid[3];
    size_t scratch_bytes;
    KernelTests *tests; /* yield is replaced while this runs */
    bool deadlock, no_memory;
    bool cut; /* runtime->stop ended it */
} FiberRun;
/* Runs programs [0, count) taking turns, each on its own stack. False: one failed, or see above. */
bool fibers_run(FiberRun *run, int64_t count);

/* ---- compile.c ---- */
typedef struct CCompiler {
    Str path;     /* absolute */
    Str options;  /* blank-separated, in front of ours; empty: none */
    Str name;     /* for people: "gcc-12" */
    Str identity; /* path, size and time of the program, options: part of the cache's key */
} CCompiler;
/* asked: a program, or a program and its options, "gcc -O2". False: none found; `why` says what was
 * looked for. */
bool compiler_find(Arena *arena, const char *asked, CCompiler *compiler, Str *why);
/* Compiles texts of C, all at the same time, to one shared object; `flags` are blank-separated. The
 * compiler's own files go to the folder too. */
bool compiler_run(Arena *arena, const CCompiler *compiler, const char *flags, Str folder,
                  const Str *source_paths, int count, const char *object_path, Str *why);

/* ---- parts.c ---- */
enum { MOST_PARTS = 8 };
/* Texts that make one object together, which is that of `text`; gives how many: at least 1. */
int parts_split(Arena *arena, Str text, Str *parts);

/* ---- outside.c ---- */
enum { MAX_LANE_RANK = 32 }; /* of a tile: MAX_RANK of ir.h */

/* The memory of each parameter, in `few` if there are at most as many; else the caller frees it.
 * NULL: no memory. */
const KernelRange *outside_ranges(const Device *device, const CompiledKernel *kernel, void **args,
                                  KernelRange *few, int most);
/* Elements from an address on to the end of the buffer that it is in; 0: in none. near: which one
 * was found last. */
int64_t outside_room(const Device *device, _Atomic int *near, uint64_t address, int size_bytes);

typedef struct LanePlace {
    int program[3], rank, index[MAX_LANE_RANK];
} LanePlace;
Span place_span(const Source *source, long line, long column); /* no source: it has no such line */
/* What is said at the span, and below it which lane of which program it was, and `more`. */
Str place_words(Arena *arena, Span span, const char *said, const LanePlace *place, const int *grid,
                Str more);

typedef struct OutsideAccess {
    const Device *device;
    const CompiledKernel *kernel;
    void **args;
    const char *text; /* one of tern_asserts */
    const int *program, *grid;
    long long lane; /* its number in the tile */
    uint64_t address;
} OutsideAccess;
Str outside_words(Arena *arena, const OutsideAccess *access);

/* ---- cache.c: shared objects on disk, by content ---- */

/* A folder of this process alone, for files on their way into the cache; flat. */
typedef struct Workplace {
    Str folder;
    int lock;
} Workplace;
bool workplace_open(Arena *arena, Str below, Workplace *work, Str *why);
void workplace_close(Workplace *work); /* removes it and what is in it */
void cache_sweep(Str folder);          /* removes the work folders of processes that are gone */

typedef struct Cache {
    Str folder; /* where entries live; empty: none may be kept */
    bool is_swept;
} Cache;
void cache_open(Arena *arena, Cache *cache, const char *asked);
/* Differs with each byte of what goes into an object. */
Str cache_key(Arena *arena, const CCompiler *compiler, Str flags, Str text);
/* The path of an intact entry, or empty. */
Str cache_find(Arena *arena, const Cache *cache, Str key);
bool cache_read(Arena *arena, Str path, Str *bytes, Str *why); /* of an entry, without its seal */
/* Seals a finished object of a work folder in the cache's and moves it to its key, if it can. */
void cache_add(Arena *arena, const Cache *cache, Str key, Str object_path);

/* ---- device.c ---- */

/* From how many stored bytes on a launch writes past the caches of these sizes; 0: not known. */
int64_t cpu_stream_bytes(int64_t last_cache, int64_t own_cache);

#endif
