// SPDX-License-Identifier: Apache-2.0
/* builtin: the table of the functions that tern knows, and how arguments find their parameters.
 *
 * A row's parameters are written as Python writes them: "pointer, mask=None, cache_modifier=''".
 * The same text gives defaults and the words of messages. */
#include "lang/builtin.h"
#include "lang/lower.h"

#include <stdlib.h>

#define IR(module, name, params, run)     BuiltinFn run;
#define MEMBER(module, name, params, run) BuiltinFn run;
#define STATIC(module, name, params, run) BuiltinFn run;
#define LANES(...)
#define LANES_MEMBER(...)
#define STD(module, name, file)
#define STD_MEMBER(module, name, file)
#define REFUSED(module, name, why)
#include "lang/builtins.def"

static const Builtin table[] = {
#define IR(module, name, params, run)     {module, name, params, run, BUILTIN_IR, false, {0}},
#define MEMBER(module, name, params, run) {module, name, params, run, BUILTIN_IR, true, {0}},
#define STATIC(module, name, params, run) {module, name, params, run, BUILTIN_STATIC, false, {0}},
#define LANES(module, name, params, op, unsigned_op, accepts)                                      \
    {module, name, params, builtin_lanes, BUILTIN_IR, false, {OP_##op, OP_##unsigned_op, accepts}},
#define LANES_MEMBER(module, name, params, op, unsigned_op, accepts)                               \
    {module, name, params, builtin_lanes, BUILTIN_IR, true, {OP_##op, OP_##unsigned_op, accepts}},
#define STD(module, name, file)        {module, name, file, NULL, BUILTIN_STD, false, {0}},
#define STD_MEMBER(module, name, file) {module, name, file, NULL, BUILTIN_STD, true, {0}},
#define REFUSED(module, name, why)     {module, name, why, NULL, BUILTIN_REFUSED, false, {0}},
#include "lang/builtins.def"
};

const Builtin *builtin_find(const char *module, Str name) {
    for (int i = 0; i < COUNT(table); i++)
        if (str_is(name, table[i].name) && !strcmp(table[i].module, module)) return &table[i];
    return NULL;
}

int builtin_count(void) { return COUNT(table); }
const Builtin *builtin_at(int index) { return &table[index]; }

const Builtin *builtin_member(Str name) {
    for (int i = 0; i < COUNT(table); i++)
        if (table[i].is_member && str_is(name, table[i].name)) return &table[i];
    return NULL;
}

const char *builtin_name(const Builtin *builtin) { return builtin->name; }

/* ---- the texts of kernels/std ---- */

typedef struct StdText {
    const char *name;
    const char *start, *end;
} StdText;

#define STD_FILE(symbol, name) extern const char std_##symbol##_start[], std_##symbol##_end[];
#include "lang/std_files.def"
#undef STD_FILE

Str std_text(const char *name) {
    static const StdText texts[] = {
#define STD_FILE(symbol, file) {file, std_##symbol##_start, std_##symbol##_end},
#include "lang/std_files.def"
#undef STD_FILE
    };
    for (int i = 0; i < COUNT(texts); i++)
        if (!strcmp(texts[i].name, name))
            return (Str){texts[i].start, (int)(texts[i].end - texts[i].start)};
    return (Str){0};
}

/* ---- binding ---- */

typedef struct ParamText {
    Str name, value; /* value.length 0: no default */
    bool star, keyword_only;
} ParamText;

static int split_params(const char *text, ParamText *params) {
    int count = 0;
    bool keyword_only = false;
    while (*text) {
        while (*text == ' ' || *text == ',') text++;
        if (!*text) break;
        ParamText param = {.keyword_only = keyword_only};
        if (*text == '*') {
            text++;
            keyword_only = true;
            if (*text == ',') continue;
            param.star = true;
        }
        const char *start = text;
        while (*text && *text != ',' && *text != '=') text++;
        param.name = (Str){start, (int)(text - start)};
        if (*text == '=') {
            start = ++text;
            while (*text && *text != ',') text++;
            param.value = (Str){start, (int)(text - start)};
        }
        if (count == MAX_BUILTIN_PARAMS) BUG("too many parameters");
        params[count++] = param;
    }
    return count;
}

static Object *default_value(Lower *l, Str text) {
    if (str_is(text, "None")) return object_none(l->arena);
    if (str_is(text, "True")) return object_bool(l->arena, true);
    if (str_is(text, "False")) return object_bool(l->arena, false);
    if (str_is(text, "()")) return object_tuple(l->arena, 0, NULL);
    if (text.data[0] == '\'') return object_str(l->arena, (Str){text.data + 1, text.length - 2});
    if (str_is(text, "float32")) return object_dtype(l->arena, ltype_of(DTYPE_FLOAT32));
    return object_int(l->arena, strtol(text.data, NULL, 10));
}

/* "load", with the parameters as help when the call does not fit. */
static Object *does_not_fit(Lower *l, const Builtin *builtin, Span span, const char *what,
                            Str name) {
    Object *poison = lower_error(l, span, "%s '%.*s' in the call of '%s'", what, STR_ARG(name),
                                 builtin_name(builtin));
    lower_help(l, "it is %s(%s)", builtin->name, builtin->params);
    return poison;
}

bool builtin_bind(Lower *l, const Builtin *builtin, int num_args, Object *const *args,
                  const Str *names, const Span *spans, Call *call) {
    ParamText params[MAX_BUILTIN_PARAMS];
    int count = split_params(builtin->params, params), next = 0;
    for (int i = 0; i < count; i++) call->args[i] = NULL, call->spans[i] = call->span;
    for (int i = 0; i < num_args; i++) {
        if (names && names[i].length) continue;
        if (next < count && params[next].star) {
            Object **rest = arena_array(l->arena, Object *, num_args);
            int total = 0;
            call->spans[next] = spans[i];
            for (; i < num_args; i++)
                if (!names || !names[i].length) rest[total++] = args[i];
            call->args[next] = object_tuple(l->arena, total, rest);
            call->given[next] = true;
            break;
        }
        if (next >= count || params[next].keyword_only) {
            lower_error(l, spans[i], "'%s' takes %d argument%s by position, this is one more",
                        builtin_name(builtin), next, next == 1 ? "" : "s");
            lower_help(l, "it is %s(%s)", builtin->name, builtin->params);
            return false;
        }
        call->spans[next] = spans[i], call->given[next] = true;
        call->args[next++] = args[i];
    }
    for (int i = 0; names && i < num_args; i++) {
        if (!names[i].length) continue;
        int at = 0;
        while (at < count && (params[at].star || !str_equal(params[at].name, names[i]))) at++;
        if (at == count)
            return does_not_fit(l, builtin, spans[i], "unknown parameter", names[i]), false;
        if (call->args[at])
            return does_not_fit(l, builtin, spans[i], "repeated parameter", names[i]), false;
        call->args[at] = args[i], call->spans[at] = spans[i], call->given[at] = true;
    }
    for (int i = 0; i < count; i++) {
        if (call->args[i]) continue;
        if (params[i].star)
            call->args[i] = object_tuple(l->arena, 0, NULL);
        else if (params[i].value.length)
            call->args[i] = default_value(l, params[i].value);
        else
            return does_not_fit(l, builtin, call->span, "missing argument", params[i].name), false;
    }
    for (int i = 0; i < count; i++)
        if (is_error(call->args[i])) return false;
    return true;
}

/* ---- what handlers ask of their arguments ---- */

static Str param_name(const Call *call, int arg) {
    ParamText params[MAX_BUILTIN_PARAMS];
    int count = split_params(call->builtin->params, params);
    return arg < count ? params[arg].name : (Str){0};
}

Object *call_fail(Lower *l, const Call *call, int arg, const char *format, ...) {
    Buf buf = {.arena = l->arena};
    va_list args;
    va_start(args, format);
    buf_vprintf(&buf, format, args);
    va_end(args);
    return lower_error(l, arg == WHOLE_CALL ? call->span : call->spans[arg], "%s", buf.data);
}

static bool bad_arg(Lower *l, const Call *call, int arg, const char *want) {
    Str name = param_name(call, arg);
    if (call->args[arg]->kind == OBJECT_OPAQUE)
        return lower_unknown(l, call->args[arg], call->spans[arg]), false;
    const Builtin *value = call->args[arg]->builtin;
    if (call->args[arg]->kind == OBJECT_BUILTIN && value->kind == BUILTIN_REFUSED)
        return lower_refused(l, call->spans[arg], "'tl.%s' is not supported: %s", value->name,
                             value->params ? value->params : "it is not of this machine"),
               false;
    lower_error(l, call->spans[arg], "'%.*s' of '%s' must be %s, got %s", STR_ARG(name),
                builtin_name(call->builtin), want, lower_type_text(l, call->args[arg]));
    if (is_tensor(call->args[arg]) && strstr(want, "compile-time"))
        lower_help(
            l,
            "a plain assignment makes a run-time value: declare the parameter or the variable as "
            "tl.constexpr");
    return false;
}

bool arg_int(Lower *l, const Call *call, int arg, int64_t *number) {
    const Object *value = call->args[arg];
    if (!object_is_integral(value) || value->integer > INT64_MAX || value->integer < INT64_MIN)
        return bad_arg(l, call, arg, "a compile-time int");
    *number = (int64_t)value->integer;
    return true;
}

bool arg_bool(Lower *l, const Call *call, int arg, bool *value) {
    const Object *object = call->args[arg];
    if (!object_is_integral(object) && !is_none(object))
        return bad_arg(l, call, arg, "a compile-time bool");
    *value = !is_none(object) && object->integer != 0;
    return true;
}

bool arg_text(Lower *l, const Call *call, int arg, Str *text) {
    const Object *object = call->args[arg];
    if (object->kind != OBJECT_STR && !is_none(object)) return bad_arg(l, call, arg, "a string");
    *text = is_none(object) ? (Str){0} : object->text;
    return true;
}

bool arg_type(Lower *l, const Call *call, int arg, LType *type) {
    const Object *object = call->args[arg];
    if (object->kind != OBJECT_DTYPE) return bad_arg(l, call, arg, "a dtype");
    if (object->text.length) {
        bad_arg(l, call, arg, "a dtype of the language");
        lower_help(l, "write tl.%s", dtype_language_name(object->ltype.dtype));
        return false;
    }
    *type = object->ltype;
    return true;
}

Object *arg_tensor(Lower *l, const Call *call, int arg) {
    Object *object = call->args[arg];
    if (is_tensor(object)) return object;
    if (!object_is_number(object)) {
        bad_arg(l, call, arg, "a tensor or a number");
        return NULL;
    }
    object = to_tensor(l, object, call->spans[arg]);
    return is_error(object) ? NULL : object;
}

Object *arg_mask(Lower *l, const Call *call, int arg) {
    Object *mask = arg_tensor(l, call, arg);
    if (!mask || ltype_is(mask->ltype, DTYPE_BOOL)) return mask;
    call_fail(l, call, arg, "the mask must be boolean, got %s", ltype_text(l, mask->ltype));
    return NULL;
}
