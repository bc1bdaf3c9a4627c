// SPDX-License-Identifier: Apache-2.0
/* replay_case: reads one recorded launch, repeats it and compares all of its memory. */
#include "cli/compare.h"
#include "cli/launch.h"
#include "cli/replay.h"
#include "cli/sha1.h"

#include <stdio.h>
#include <stdlib.h>

enum { TIMED_LAUNCHES = 5 };

typedef struct Replay {
    Arena *arena;
    tern_context *context;
    const ReplayOptions *options;
    ReplayResult *result;
    Case recorded;
    tern_module *module;
    tern_kernel *kernel;
    const tern_function *function;
    LaunchArg *args;
    int num_args;
    tern_buffer **buffers; /* one for each storage */
} Replay;

static bool finish(Replay *replay, ReplayStatus status, int exit_code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static bool finish(Replay *replay, ReplayStatus status, int exit_code, const char *format, ...) {
    va_list args;
    replay->result->status = status;
    replay->result->exit_code = exit_code;
    va_start(args, format);
    vsnprintf(replay->result->reason, sizeof replay->result->reason, format, args);
    va_end(args);
    for (char *at = replay->result->reason; *at; at++)
        if (*at == '\n' && !at[1]) *at = 0;
    return false;
}

/* The first line of the library's words, without its place: that goes to file and line. */
static bool finish_context(Replay *replay) {
    const char *words = tern_message(replay->context), *file = words;
    ReplayResult *result = replay->result;
    int line, length;
    tern_status status = tern_message_status(replay->context);
    bool refused = status == TERN_ERROR_UNSUPPORTED;
    if (words_place(&words, &length, &line)) {
        const char *root = replay->options->root;
        int skip = (int)strlen(root);
        while (skip && root[skip - 1] == '/') skip--;
        bool below = length > skip && !strncmp(file, root, (size_t)skip) && file[skip] == '/';
        skip = below ? skip + 1 : 0;
        snprintf(result->file, sizeof result->file, "%.*s", length - skip, file + skip);
        result->line = line;
    }
    return finish(replay, refused ? REPLAY_REFUSED : REPLAY_ERROR, (int)exit_code_of(status),
                  "%.*s", (int)strcspn(words, "\n"), words);
}

/* ---- before the launch ---- */

static bool read_case(Replay *replay, const char *folder) {
    Str why;
    tern_status status = case_read(replay->arena, folder, &replay->recorded, &why);
    snprintf(replay->result->file, sizeof replay->result->file, "%s",
             replay->recorded.file ? replay->recorded.file : "");
    replay->result->line = replay->recorded.line;
    if (!status) return true;
    return finish(replay, status == TERN_ERROR_UNSUPPORTED ? REPLAY_REFUSED : REPLAY_ERROR,
                  status == TERN_ERROR_SYSTEM ? EXIT_USAGE : (int)exit_code_of(status), "%.*s",
                  STR_ARG(why));
}

static bool load_function(Replay *replay) {
    const Case *recorded = &replay->recorded;
    const char *path =
        str_format(replay->arena, "%s/%s", replay->options->root, recorded->file).data;
    char sha1[41];
    replay->module = tern_load_file(replay->context, path);
    if (!replay->module) {
        finish_context(replay);
        /* A file that cannot be read is bad input, not a broken system. */
        if (tern_message_status(replay->context) == TERN_ERROR_SYSTEM)
            replay->result->exit_code = EXIT_USAGE;
        return false;
    }
    /* One name may be defined twice (in if and else): the recorded line decides. */
    const char *by_line =
        str_format(replay->arena, "%s@%d", recorded->function, recorded->line).data;
    replay->function = tern_module_find(replay->module, by_line);
    if (!replay->function) replay->function = tern_module_find(replay->module, recorded->function);
    if (!replay->function)
        return finish(replay, REPLAY_ERROR, EXIT_USAGE, "no @triton.jit function '%s' in %s",
                      recorded->function, path);
    sha1_hex(replay->function->text, strlen(replay->function->text), sha1);
    if (strcmp(sha1, recorded->sha1))
        return finish(replay, REPLAY_ERROR, EXIT_USAGE,
                      "the text of '%s' is not what was recorded (sha1 %s, recorded %s): is it "
                      "another commit?",
                      recorded->function, sha1, recorded->sha1);
    for (int i = 0; i < recorded->globals.count; i++)
        if (tern_module_set_global(replay->module, recorded->globals.data[i].name,
                                   recorded->globals.data[i].text))
            return finish_context(replay);
    if (cli_set_globals(replay->options->cli, replay->context, replay->module)) return true;
    return finish(replay, REPLAY_ERROR, EXIT_USAGE, "a value of --global is not one");
}

static LaunchArg *find_arg(const Replay *replay, const char *name) {
    for (int i = 0; i < replay->num_args; i++)
        if (!strcmp(replay->args[i].parameter->name, name)) return &replay->args[i];
    return NULL;
}

static bool match_arguments(Replay *replay) {
    const tern_function *function = replay->function;
    replay->args = arena_array(replay->arena, LaunchArg, function->num_parameters + 1);
    for (int i = 0; i < function->num_parameters; i++)
        replay->args[i].parameter = &function->parameters[i];
    for (int i = 0; i < replay->recorded.args.count; i++) {
        const CaseArg *from = &replay->recorded.args.data[i];
        LaunchArg *to = NULL;
        if (from->is_part) continue;
        for (int k = 0; k < function->num_parameters; k++)
            if (!strcmp(function->parameters[k].name, from->name)) to = &replay->args[k];
        if (!to)
            return finish(replay, REPLAY_ERROR, EXIT_USAGE, "the kernel has no parameter '%s'",
                          from->name);
        to->value = from->value;
        to->literal = from->literal;
    }
    for (int i = 0; i < function->num_parameters; i++)
        if (!replay->args[i].value && !function->parameters[i].has_default)
            return finish(replay, REPLAY_ERROR, EXIT_USAGE, "the recording has no argument '%s'",
                          function->parameters[i].name);
    replay->num_args = function->num_parameters;
    launch_parts(replay->arena, &replay->args, &replay->num_args);
    for (int i = 0; i < replay->recorded.args.count; i++) {
        const CaseArg *from = &replay->recorded.args.data[i];
        LaunchArg *to = find_arg(replay, from->name);
        if (!to)
            continue; /* in a tuple that is tl.constexpr: refused when its signature is written */
        to->offset_bytes = from->offset_bytes;
        /* Promised only what held then and holds now: our buffers are aligned to 256. */
        to->align = from->align % 16 == 0 && from->offset_bytes % 16 == 0 ? 16 : 1;
    }
    return true;
}

/* The type that `%name = op .. : type` or `%name: type` gives a value; NULL when it is not found.
 */
static const char *type_of_value(const char *ir_text, Str name) {
    for (const char *at = ir_text; (at = strstr(at, name.data)); at++) {
        const char *after = at + name.length;
        if (strncmp(at, name.data, (size_t)name.length) != 0) continue;
        if (*after == ':') return after + 1;
        if (strncmp(after, " = ", 3) != 0) continue;
        const char *end = strchr(after, '\n'), *type = NULL;
        for (const char *colon = after; (colon = strstr(colon, " : ")) && (!end || colon < end);
             colon++)
            type = colon + 3;
        return type;
    }
    return NULL;
}

static bool type_is_pointer(const char *type) {
    size_t length = strcspn(type, ",)\n");
    return memmem(type, length, "ptr<", 4) != NULL;
}

/* Does the kernel turn numbers into addresses? Then recorded data may hold the recording machine's
 * addresses, which mean nothing here. */
static bool makes_pointers(Arena *arena, const char *ir_text) {
    static const char op[] = " = bitcast ";
    for (const char *at = ir_text; (at = strstr(at, op)); at++) {
        const char *operand = at + sizeof op - 1, *type = strstr(operand, " : ");
        size_t length = strcspn(operand, " ,\n");
        if (!type || !type_is_pointer(type)) continue;
        const char *from = type_of_value(ir_text, str_copy(arena, (Str){operand, (int)length}));
        if (!from || !type_is_pointer(from)) return true;
    }
    return false;
}

static bool compile(Replay *replay) {
    Buf signature = {.arena = replay->arena};
    Str why;
    tern_options options = {.num_warps = replay->recorded.num_warps,
                            .num_stages = replay->recorded.num_stages};
    if (!launch_signature(&signature, replay->args, replay->num_args, &why))
        return finish(replay, REPLAY_REFUSED, EXIT_REFUSED, "%.*s", STR_ARG(why));
    replay->kernel = tern_compile(replay->module, replay->function->name, signature.data, &options);
    if (!replay->kernel) return finish_context(replay);
    if (!replay->recorded.has_data)
        return finish(replay, REPLAY_SKIPPED, EXIT_OK, "compiled; the recording has no data");
    const char *ir = tern_kernel_text(replay->kernel, TERN_STAGE_IR);
    if (ir && makes_pointers(replay->arena, ir))
        return finish(replay, REPLAY_SKIPPED, EXIT_OK,
                      "compiled; its data holds addresses of the machine that recorded it");
    return true;
}

/* ---- the launch ---- */

static bool restore(Replay *replay) {
    const Case *recorded = &replay->recorded;
    for (int i = 0; i < recorded->storages.count; i++)
        if (tern_write(replay->buffers[i], 0, recorded->storages.data[i].before,
                       recorded->storages.data[i].size_bytes))
            return finish_context(replay);
    return true;
}

static bool upload(Replay *replay) {
    const Case *recorded = &replay->recorded;
    replay->buffers = arena_array(replay->arena, tern_buffer *, recorded->storages.count + 1);
    for (int i = 0; i < recorded->storages.count; i++) {
        replay->buffers[i] = tern_alloc(replay->context, recorded->storages.data[i].size_bytes);
        if (!replay->buffers[i]) return finish_context(replay);
    }
    for (int i = 0; i < recorded->args.count; i++) {
        const CaseArg *from = &recorded->args.data[i];
        if (!from->value || from->value->kind != ARG_TENSOR) continue;
        LaunchArg *to = find_arg(replay, from->name);
        if (to) to->buffer = replay->buffers[from->storage];
    }
    return restore(replay);
}

static bool launch(Replay *replay) {
    tern_argument *arguments;
    int count;
    Str why;
    if (!launch_arguments(replay->arena, replay->kernel, replay->args, replay->num_args, &arguments,
                          &count, &why))
        return finish(replay, REPLAY_ERROR, EXIT_USAGE, "%.*s", STR_ARG(why));
    double times[TIMED_LAUNCHES] = {0};
    tern_event *start = tern_event_create(replay->context),
               *end = tern_event_create(replay->context);
    bool ok = start && end ? true : finish_context(replay);
    for (int i = 0; i < (replay->options->time ? TIMED_LAUNCHES : 1) && ok; i++) {
        if (i) ok = restore(replay);
        if (!ok) break;
        if (tern_event_record(start, NULL) ||
            tern_launch(NULL, replay->kernel, replay->recorded.grid, arguments, count) ||
            tern_event_record(end, NULL) || tern_synchronize(replay->context) ||
            tern_event_elapsed(start, end, &times[i]))
            ok = finish_context(replay);
    }
    tern_event_free(start);
    tern_event_free(end);
    replay->result->timed = ok && replay->options->time;
    replay->result->ms = launch_median(times, TIMED_LAUNCHES) / 1e6;
    return ok;
}

/* ---- after the launch ---- */

/* Of what is stored through any of the arguments that lie in the storage. */
static Origin origin_of(const Replay *replay, const Flow *flow, int storage) {
    Origin all = {0};
    for (int i = 0; i < replay->recorded.args.count; i++) {
        const CaseArg *arg = &replay->recorded.args.data[i];
        if (!arg->value || arg->value->kind != ARG_TENSOR || arg->storage != storage) continue;
        Origin one = flow_origin(flow, arg->name);
        all.rounds_to_int |= one.rounds_to_int;
        bool narrower = one.narrowest != TERN_VOID &&
                        (all.narrowest == TERN_VOID ||
                         tern_dtype_size(one.narrowest) < tern_dtype_size(all.narrowest));
        if (narrower) all.narrowest = one.narrowest;
    }
    return all;
}

static bool compare(Replay *replay) {
    const Case *recorded = &replay->recorded;
    const char *ir = tern_kernel_text(replay->kernel, TERN_STAGE_IR);
    OpClass op_class = class_of_ir(ir ? ir : "");
    const Flow *flow = flow_new(replay->arena, ir ? ir : "");
    Difference all = {0};
    ReplayResult *result = replay->result;
    for (int i = 0; i < recorded->storages.count; i++) {
        const CaseStorage *storage = &recorded->storages.data[i];
        const unsigned char *want = storage->after ? storage->after : storage->before;
        bool is_float = tern_dtype_is_float(storage->dtype);
        Tolerance tolerance =
            tolerance_made(storage->dtype, op_class, origin_of(replay, flow, i),
                           storage_largest(storage->dtype, want, storage->size_bytes));
        if (is_float && replay->options->relative >= 0)
            tolerance.relative = replay->options->relative;
        if (is_float && replay->options->absolute >= 0)
            tolerance.absolute = replay->options->absolute;
        unsigned char *got = malloc(storage->size_bytes + 1);
        if (!got) return finish(replay, REPLAY_ERROR, EXIT_SYSTEM, "no memory");
        if (tern_read(replay->buffers[i], 0, got, storage->size_bytes)) {
            free(got);
            return finish_context(replay);
        }
        int64_t before = all.num_wrong;
        compare_storage(storage->dtype, got, storage->before,
                        storage->after ? storage->after : storage->before, storage->size_bytes,
                        tolerance, &all);
        free(got);
        if (all.num_wrong && !before)
            finish(replay, REPLAY_MISMATCH, EXIT_WRONG, "%s[%lld] is %.9g, %s %.9g (%s, %s)",
                   storage->name, (long long)all.first_wrong, all.got,
                   replay->options->against ? "there" : "recorded", all.want,
                   tern_dtype_name(storage->dtype), class_name(op_class));
    }
    result->compared = true;
    result->max_abs = all.max_abs;
    result->max_rel = all.max_rel;
    if (!all.num_wrong)
        return finish(replay, REPLAY_OK, EXIT_OK, "max_abs %.3g, max_rel %.3g", all.max_abs,
                      all.max_rel);
    size_t length = strlen(result->reason);
    snprintf(result->reason + length, sizeof result->reason - length, "; %lld wrong%s",
             (long long)all.num_wrong,
             all.num_touched ? ", some that the recorded launch left alone" : "");
    return false;
}

static bool launch_case(Replay *replay, const char *folder) {
    return read_case(replay, folder) && load_function(replay) && match_arguments(replay) &&
           compile(replay) && upload(replay) && launch(replay);
}

static void close_case(Replay *replay) {
    for (int i = 0; replay->buffers && i < replay->recorded.storages.count; i++)
        tern_buffer_free(replay->buffers[i]);
    tern_kernel_free(replay->kernel);
    tern_module_free(replay->module);
    case_free(&replay->recorded);
    arena_free(replay->arena);
}

/* What the other device computes takes the place of what was recorded. */
static bool compute_wanted(Replay *replay, const char *folder) {
    ReplayResult result = {0};
    int index = replay->result->index;
    Replay other = {.arena = arena_new(NULL),
                    .context = replay->options->against,
                    .options = replay->options,
                    .result = &result};
    bool ok = launch_case(&other, folder);
    if (!ok)
        finish(replay, result.status, result.exit_code, "on %s: %s",
               tern_device_name(other.context), result.reason);
    for (int i = 0; i < other.recorded.storages.count && ok; i++) {
        CaseStorage *storage = &replay->recorded.storages.data[i];
        if (!storage->after) storage->after = malloc(storage->size_bytes + 1);
        if (!storage->after)
            ok = finish(replay, REPLAY_ERROR, EXIT_SYSTEM, "no memory");
        else if (tern_read(other.buffers[i], 0, storage->after, storage->size_bytes))
            ok = finish_context(&other), *replay->result = result, replay->result->index = index;
    }
    close_case(&other);
    return ok;
}

void replay_case(tern_context *context, const char *folder, const ReplayOptions *options,
                 ReplayResult *result) {
    Replay replay = {
        .arena = arena_new(NULL), .context = context, .options = options, .result = result};
    if (launch_case(&replay, folder) && (!options->against || compute_wanted(&replay, folder)))
        compare(&replay);
    close_case(&replay);
}
