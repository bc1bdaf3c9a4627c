// SPDX-License-Identifier: Apache-2.0
/* cuda_cache: machine code that the driver assembled, kept on disk.
 *
 * An entry holds the whole PTX text beside the code, and counts only when that is the same to the
 * byte: a hash names the file but decides nothing. Entries are made in a work
 * folder (cache.c) and renamed, so that two processes cannot disturb each other.
 *
 *     header (what the code was made for, lengths, hash of the code), PTX text, code */
#include "run/cuda_device.h"

#include <stdio.h>

typedef struct EntryHeader {
    char magic[16];
    int32_t driver_version, capability;
    int32_t ptx_bytes, cubin_bytes;
    uint64_t cubin_hash;
} EntryHeader;

static const char entry_magic[16] = "tern cubin 1";

static EntryHeader header_for(const Cuda *cuda, Str ptx, int cubin_bytes, uint64_t cubin_hash) {
    EntryHeader header = {.driver_version = cuda->driver_version,
                          .capability = cuda->major * 10 + cuda->minor,
                          .ptx_bytes = ptx.length,
                          .cubin_bytes = cubin_bytes,
                          .cubin_hash = cubin_hash};
    memcpy(header.magic, entry_magic, sizeof header.magic);
    return header;
}

static const char *entry_path(const Cuda *cuda, Arena *arena, Str ptx) {
    uint64_t hash = hash_bytes(ptx.data, (size_t)ptx.length,
                               (uint64_t)cuda->driver_version * 1000 +
                                   (uint64_t)(cuda->major * 10 + cuda->minor));
    return str_format(arena, "%s/%016llx.cubin", cuda->cache_dir, (unsigned long long)hash).data;
}

bool cuda_cache_find(const Cuda *cuda, Arena *arena, Str ptx, Str *cubin) {
    Str entry, why;
    EntryHeader header;
    if (!cuda->cache_dir) return false;
    if (!file_read(arena, entry_path(cuda, arena, ptx), (size_t)256 << 20, &entry, &why))
        return false;
    if (entry.length < (int)sizeof header) return false;
    memcpy(&header, entry.data, sizeof header);
    EntryHeader wanted = header_for(cuda, ptx, header.cubin_bytes, header.cubin_hash);
    if (memcmp(&header, &wanted, sizeof header) != 0 || header.cubin_bytes <= 0) return false;
    const char *text = entry.data + sizeof header;
    size_t want_bytes = sizeof header + (size_t)ptx.length + (size_t)header.cubin_bytes;
    if ((size_t)entry.length != want_bytes) return false;
    if (memcmp(text, ptx.data, (size_t)ptx.length) != 0) return false;
    *cubin = (Str){text + ptx.length, header.cubin_bytes};
    return hash_bytes(cubin->data, (size_t)cubin->length, 0) == header.cubin_hash;
}

void cuda_cache_store(const Cuda *cuda, Arena *arena, Str ptx, Str cubin) {
    Str why;
    Workplace work;
    Buf entry = {.arena = arena};
    EntryHeader header =
        header_for(cuda, ptx, cubin.length, hash_bytes(cubin.data, (size_t)cubin.length, 0));
    if (!cuda->cache_dir || !workplace_open(arena, str_of(cuda->cache_dir), &work, &why)) return;
    buf_add(&entry, (const char *)&header, sizeof header);
    buf_add(&entry, ptx.data, (size_t)ptx.length);
    buf_add(&entry, cubin.data, (size_t)cubin.length);
    const char *made = str_format(arena, "%.*s/entry", STR_ARG(work.folder)).data;
    if (file_write(arena, made, entry.data, entry.length, &why))
        rename(made, entry_path(cuda, arena, ptx));
    workplace_close(&work);
}
