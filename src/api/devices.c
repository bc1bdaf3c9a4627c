// SPDX-License-Identifier: Apache-2.0
/* devices: the table of devices, and what can be said of each on this machine. */
#include "api/context.h"

#include <stdlib.h>

static const DeviceOps *const devices[] = {&device_interp, &device_cpu, &device_sim, &device_cuda};

const DeviceOps *device_find(const char *name, const char **argument) {
    const char *colon = strchr(name, ':');
    size_t length = colon ? (size_t)(colon - name) : strlen(name);
    *argument = colon ? colon + 1 : NULL;
    for (int i = 0; i < COUNT(devices); i++)
        if (strlen(devices[i]->name) == length && !memcmp(devices[i]->name, name, length))
            return devices[i];
    return NULL;
}

bool tern_device_property(const char *device, tern_property property) {
    const char *argument;
    const DeviceOps *ops = device ? device_find(device, &argument) : NULL;
    if (!ops) return false;
    switch (property) {
    case TERN_DEVICE_ON_HOST: return ops->on_host;
    case TERN_DEVICE_IS_FAST: return ops->is_fast;
    case TERN_DEVICE_CHECKS_ACCESSES: return ops->checks_accesses;
    }
    return false;
}

static bool describe(Buf *out, const DeviceOps *ops, const char *name, bool as_json, bool is_first,
                     bool only_if_here) {
    char message[2048];
    tern_status status;
    tern_context *context = tern_open(&(tern_open_options){.device = name, .cache_dir = ""},
                                      &status, message, sizeof message);
    if (!context && only_if_here) return false;
    const char *words = context ? tern_device_description(context) : message;
    const char *full = context ? tern_device_name(context) : name;
    if (as_json) {
        buf_puts(out, is_first ? "\n  {\"name\": " : ",\n  {\"name\": ");
        buf_json(out, str_of(full));
        buf_printf(out, ", \"available\": %s, \"description\": ", context ? "true" : "false");
        buf_json(out, str_of(words));
        buf_puts(out, ", \"how\": ");
        buf_json(out, str_of(ops->how));
        buf_puts(out, "}");
    } else {
        buf_printf(out, "%-8s %-8s %s", full, context ? "here" : "missing", words);
        if (!context) buf_printf(out, " (%s)", ops->how);
        buf_putc(out, '\n');
    }
    bool is_here = context != NULL;
    tern_close(context);
    return is_here;
}

/* cuda:1 and so on, as far as they go. */
static void describe_others(Buf *out, bool as_json) {
    bool is_here = true;
    for (int i = 1; i < 64 && is_here; i++) {
        Str name = str_format(out->arena, "cuda:%d", i);
        is_here = describe(out, &device_cuda, name.data, as_json, false, true);
    }
}

static char *describe_all(Arena *arena, bool as_json) {
    Buf out = {.arena = arena};
    if (as_json) buf_putc(&out, '[');
    for (int i = 0; i < COUNT(devices); i++) {
        describe(&out, devices[i], devices[i]->name, as_json, i == 0, false);
        if (devices[i] == &device_cuda) describe_others(&out, as_json);
    }
    if (as_json) buf_puts(&out, "\n]\n");
    return strdup(out.data);
}

char *tern_devices(bool as_json) {
    jmp_buf oom;
    Arena *volatile arena = NULL;
    if (setjmp(oom)) {
        arena_free(arena);
        return NULL;
    }
    arena = arena_new(&oom);
    char *text = describe_all(arena, as_json);
    arena_free(arena);
    return text;
}
