// SPDX-License-Identifier: Apache-2.0
/* script_modules: the modules of Python's library that scripts may import, as far as files about
 * kernels use them. They reach no files, processes or network. */
#include "lang/script.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

static Object *module_get(Host *host, Object *self, Str name) {
    Object *value = dict_find_text(self->items[0], name);
    host_was_read(host, WATCH_ATTRIBUTE, self, name, value);
    return host_hold(host, value);
}

static bool module_set(Host *host, Object *self, Str name, Object *value) {
    return dict_put(host, self->items[0], object_str(host->arena, name), value);
}

static void module_print(Host *host, Object *self, Buf *out, bool as_repr) {
    (void)host, (void)as_repr;
    buf_printf(out, "<module '%.*s'>", STR_ARG(self->text));
}

const HostType module_type = {
    .name = "module", .attribute = module_get, .set_attribute = module_set, .print = module_print};

Object *host_module_new(Host *host, const char *name) {
    Object *names = heap_list(host, OBJECT_DICT, 0, NULL);
    Object *module = heap_host(host, &module_type, 1, &names);
    module->text = str_of(name);
    return module;
}

void module_add(Host *host, Object *module, const char *name, Object *value) {
    dict_put(host, module->items[0], object_str(host->arena, str_of(name)), value);
}

void module_add_natives(Host *host, Object *module, const Native *natives, int count) {
    for (int i = 0; i < count; i++)
        module_add(host, module, natives[i].name, native_new(host, &natives[i], NULL));
}

Object *host_module_of(Host *host, const char *name, const Native *natives, int count) {
    Object *module = host_module_new(host, name);
    module_add_natives(host, module, natives, count);
    return module;
}

static Object *floating(Host *host, double value) { return object_float(host->arena, value); }

/* ---- math ---- */

static Object *domain_error(Host *host) {
    return host_raise(host, CLASS_VALUE_ERROR, "math domain error");
}

static Object *math_one(Host *host, Object *x, double (*function)(double)) {
    double value;
    if (!is_raised(host) && !object_is_number(x) && x->kind != OBJECT_HOST)
        return host_raise(host, CLASS_TYPE_ERROR, "must be real number, not %.*s",
                          STR_ARG(class_info(class_of(host, x))->name));
    if (!host_double(host, x, "the argument", &value)) return host->script->poison;
    double result = function(value);
    if (isnan(result) && !isnan(value)) return domain_error(host);
    if (isinf(result) && !isinf(value)) {
        bool grows = function == exp || function == expm1 || function == sinh || function == cosh;
        if (!grows) return domain_error(host);
        return host_raise(host, CLASS_OVERFLOW_ERROR, "math range error");
    }
    return floating(host, result);
}
#define MATH_ONE(name)                                                                             \
    static Object *math_##name(Host *host, Object *const *args, const HostCall *call) {            \
        return (void)call, math_one(host, args[0], name);                                          \
    }
MATH_ONE(asin)
MATH_ONE(acos)
MATH_ONE(sinh)
MATH_ONE(cosh)
MATH_ONE(asinh)
MATH_ONE(acosh)
MATH_ONE(atanh)
MATH_ONE(erfc)
MATH_ONE(sqrt)
MATH_ONE(exp)
MATH_ONE(log2)
MATH_ONE(log10)
MATH_ONE(log1p)
MATH_ONE(expm1)
MATH_ONE(sin)
MATH_ONE(cos)
MATH_ONE(tan)
MATH_ONE(atan)
MATH_ONE(tanh)
MATH_ONE(erf)
MATH_ONE(fabs)

static Object *math_log(Host *host, Object *const *args, const HostCall *call) {
    Object *top = math_one(host, args[0], log);
    (void)call;
    if (!args[1] || is_raised(host)) return top;
    Object *bottom = math_one(host, args[1], log);
    return script_binary(host, OPERATOR_DIV, top, bottom);
}

static Object *to_whole(Host *host, Object *x, double (*round)(double)) {
    double value;
    if (object_is_integral(x)) return object_int(host->arena, x->integer);
    Object *own = host_own(host, x,
                           round == ceil    ? "__ceil__"
                           : round == floor ? "__floor__"
                                            : "__trunc__");
    if (own) return host_invoke_with(host, own, 0, NULL);
    if (!host_double(host, x, "the argument", &value)) return host->script->poison;
    if (!isfinite(value) || fabs(value) > 0x1p120)
        return host_raise(host, isnan(value) ? CLASS_VALUE_ERROR : CLASS_OVERFLOW_ERROR,
                          "cannot convert float %s to integer", isnan(value) ? "NaN" : "infinity");
    return object_int(host->arena, (int128)round(value));
}
static Object *math_ceil(Host *host, Object *const *args, const HostCall *call) {
    return (void)call, to_whole(host, args[0], ceil);
}
static Object *math_floor(Host *host, Object *const *args, const HostCall *call) {
    return (void)call, to_whole(host, args[0], floor);
}
static Object *math_trunc(Host *host, Object *const *args, const HostCall *call) {
    return (void)call, to_whole(host, args[0], trunc);
}

static Object *math_two(Host *host, Object *const *args, double (*function)(double, double)) {
    double a, b;
    if (!host_double(host, args[0], "the argument", &a) ||
        !host_double(host, args[1], "the argument", &b))
        return host->script->poison;
    double result = function(a, b);
    if (isnan(result) && !isnan(a) && !isnan(b)) return domain_error(host);
    if (isinf(result) && isfinite(a) && isfinite(b))
        return function == pow && a == 0
                   ? domain_error(host)
                   : host_raise(host, CLASS_OVERFLOW_ERROR, "math range error");
    return floating(host, result);
}
static Object *math_pow(Host *host, Object *const *args, const HostCall *call) {
    return (void)call, math_two(host, args, pow);
}
static Object *math_fmod(Host *host, Object *const *args, const HostCall *call) {
    return (void)call, math_two(host, args, fmod);
}
static Object *math_atan2(Host *host, Object *const *args, const HostCall *call) {
    return (void)call, math_two(host, args, atan2);
}

static bool is_nan(double x) { return isnan(x); }
static bool is_inf(double x) { return isinf(x); }
static bool is_finite(double x) { return isfinite(x); }

static Object *math_class(Host *host, Object *const *args, bool (*is)(double)) {
    double x;
    if (!host_double(host, args[0], "the argument", &x)) return host->script->poison;
    return object_bool(host->arena, is(x));
}
static Object *math_isnan(Host *host, Object *const *args, const HostCall *call) {
    return (void)call, math_class(host, args, is_nan);
}
static Object *math_isinf(Host *host, Object *const *args, const HostCall *call) {
    return (void)call, math_class(host, args, is_inf);
}
static Object *math_isfinite(Host *host, Object *const *args, const HostCall *call) {
    return (void)call, math_class(host, args, is_finite);
}
static Object *math_copysign(Host *host, Object *const *args, const HostCall *call) {
    return (void)call, math_two(host, args, copysign);
}

static Object *math_isqrt(Host *host, Object *const *args, const HostCall *call) {
    int64_t n;
    (void)call;
    if (!host_int(host, args[0], "the argument", &n)) return host->script->poison;
    if (n < 0) return host_raise(host, CLASS_VALUE_ERROR, "isqrt() argument must be nonnegative");
    int64_t root = (int64_t)sqrt((double)n); /* within one of it */
    while ((int128)root * root > n) root--;
    while ((int128)(root + 1) * (root + 1) <= n) root++;
    return object_int(host->arena, root);
}

static Object *math_prod(Host *host, Object *const *args, const HostCall *call) {
    int count;
    Object **items, *product = object_int(host->arena, 1);
    (void)call;
    if (!host_items(host, args[0], &count, &items)) return host->script->poison;
    for (int i = 0; i < count; i++) product = script_binary(host, OPERATOR_MUL, product, items[i]);
    return product;
}

static bool whole(Host *host, Object *object, int64_t *value) {
    const Object *number = host_index(host, object);
    if (!is_raised(host) && !object_is_integral(number))
        host_raise(host, CLASS_TYPE_ERROR, "'%.*s' object cannot be interpreted as an integer",
                   STR_ARG(class_info(class_of(host, number))->name));
    return host_int(host, number, "the argument", value);
}

static int128 common(int128 a, int128 b) {
    while (b) {
        int128 rest = a % b;
        a = b, b = rest;
    }
    return a < 0 ? -a : a;
}

/* gcd and lcm (id 1) of any number of them. */
static Object *math_gcd(Host *host, Object *const *args, const HostCall *call) {
    int128 result = call->id;
    (void)args;
    for (int i = 0; i < call->num_args; i++) {
        int64_t value;
        if (!whole(host, call->args[i], &value)) return host->script->poison;
        int128 size = value < 0 ? -(int128)value : value, both = common(result, size);
        if (call->id && size && result / both > ((int128)1 << 126) / size)
            return host_refuse(host, "an integer of more than 128 bits");
        result = !call->id ? both : both ? result / both * size : 0;
    }
    return object_int(host->arena, result);
}

/* n! (id 0), perm(n, k) (1), comb(n, k) (2). */
static Object *math_factorial(Host *host, Object *const *args, const HostCall *call) {
    int64_t n, k;
    if (!whole(host, args[0], &n)) return host->script->poison;
    k = n;
    bool has_k = call->id && args[1] && args[1]->kind != OBJECT_NONE;
    if (has_k && !whole(host, args[1], &k)) return host->script->poison;
    if (n < 0 || k < 0)
        return call->id ? host_raise(host, CLASS_VALUE_ERROR, "%s must be a non-negative integer",
                                     n < 0 ? "n" : "k")
                        : host_raise(host, CLASS_VALUE_ERROR,
                                     "factorial() not defined for negative values");
    if (k > n) return object_int(host->arena, 0);
    if (call->id == 2 && k > n - k) k = n - k;
    int128 result = 1;
    for (int64_t i = 1; i <= k; i++) {
        if (result > ((int128)1 << 126) / n)
            return host_refuse(host, "an integer of more than 128 bits");
        result = result * (n - k + i);
        if (call->id == 2) result /= i;
    }
    return object_int(host->arena, result);
}

static Object *math_isclose(Host *host, Object *const *args, const HostCall *call) {
    double a, b, relative = 1e-9, absolute = 0;
    (void)call;
    if (!host_double(host, args[0], "the argument", &a) ||
        !host_double(host, args[1], "the argument", &b) ||
        (args[2] && !host_double(host, args[2], "rel_tol", &relative)) ||
        (args[3] && !host_double(host, args[3], "abs_tol", &absolute)))
        return host->script->poison;
    if (relative < 0 || absolute < 0)
        return host_raise(host, CLASS_VALUE_ERROR, "tolerances must be non-negative");
    double apart = fabs(b - a);
    bool near = apart <= fabs(relative * b) || apart <= fabs(relative * a) || apart <= absolute;
    return object_bool(host->arena, a == b || (!isinf(a) && !isinf(b) && near));
}

/* x * 180 / pi (id 0), x * pi / 180. */
static Object *math_degrees(Host *host, Object *const *args, const HostCall *call) {
    double x;
    const double pi = 3.141592653589793;
    if (!host_double(host, args[0], "the argument", &x)) return host->script->poison;
    return floating(host, x * (call->id ? pi / 180 : 180 / pi));
}

static Object *math_modf(Host *host, Object *const *args, const HostCall *call) {
    double x, whole_part = 0;
    int exponent = 0;
    if (!host_double(host, args[0], "the argument", &x)) return host->script->poison;
    Object *parts[2];
    parts[0] = floating(host, call->id ? frexp(x, &exponent) : modf(x, &whole_part));
    parts[1] =
        call->id ? object_int(host->arena, isfinite(x) ? exponent : 0) : floating(host, whole_part);
    return heap_list(host, OBJECT_TUPLE, 2, parts);
}

static Object *math_ldexp(Host *host, Object *const *args, const HostCall *call) {
    double x;
    int64_t exponent;
    (void)call;
    if (!host_double(host, args[0], "the argument", &x) || !whole(host, args[1], &exponent))
        return host->script->poison;
    int bound = exponent > 4000 ? 4000 : exponent < -4000 ? -4000 : (int)exponent;
    double result = ldexp(x, bound);
    if (isinf(result) && !isinf(x))
        return host_raise(host, CLASS_OVERFLOW_ERROR, "math range error");
    return floating(host, result);
}
static Object *math_remainder(Host *host, Object *const *args, const HostCall *call) {
    return (void)call, math_two(host, args, remainder);
}

static Object *open_math(Host *host) {
    static const Native rows[] = {
        NATIVE("sqrt", "x", math_sqrt),
        NATIVE("exp", "x", math_exp),
        NATIVE("log", "x, base?", math_log),
        NATIVE("log2", "x", math_log2),
        NATIVE("log10", "x", math_log10),
        NATIVE("log1p", "x", math_log1p),
        NATIVE("expm1", "x", math_expm1),
        NATIVE("sin", "x", math_sin),
        NATIVE("cos", "x", math_cos),
        NATIVE("tan", "x", math_tan),
        NATIVE("atan", "x", math_atan),
        NATIVE("tanh", "x", math_tanh),
        NATIVE("erf", "x", math_erf),
        NATIVE("fabs", "x", math_fabs),
        NATIVE("ceil", "x", math_ceil),
        NATIVE("floor", "x", math_floor),
        NATIVE("trunc", "x", math_trunc),
        NATIVE("pow", "x, y", math_pow),
        NATIVE("fmod", "x, y", math_fmod),
        NATIVE("atan2", "y, x", math_atan2),
        NATIVE("isnan", "x", math_isnan),
        NATIVE("isinf", "x", math_isinf),
        NATIVE("prod", "iterable", math_prod),
        {"gcd", "..", math_gcd, 0},
        {"lcm", "..", math_gcd, 1},
        {"factorial", "n", math_factorial, 0},
        {"perm", "n, k?", math_factorial, 1},
        {"comb", "n, k", math_factorial, 2},
        NATIVE("isclose", "a, b, *, rel_tol?, abs_tol?", math_isclose),
        {"degrees", "x", math_degrees, 0},
        {"radians", "x", math_degrees, 1},
        {"modf", "x", math_modf, 0},
        {"frexp", "x", math_modf, 1},
        NATIVE("ldexp", "x, i", math_ldexp),
        NATIVE("remainder", "x, y", math_remainder),
        NATIVE("asin", "x", math_asin),
        NATIVE("acos", "x", math_acos),
        NATIVE("sinh", "x", math_sinh),
        NATIVE("cosh", "x", math_cosh),
        NATIVE("asinh", "x", math_asinh),
        NATIVE("acosh", "x", math_acosh),
        NATIVE("atanh", "x", math_atanh),
        NATIVE("erfc", "x", math_erfc),
        NATIVE("isqrt", "n", math_isqrt),
        NATIVE("isfinite", "x", math_isfinite),
        NATIVE("copysign", "x, y", math_copysign),
    };
    Object *module = host_module_of(host, "math", rows, COUNT(rows));
    module_add(host, module, "pi", floating(host, 3.141592653589793));
    module_add(host, module, "e", floating(host, 2.718281828459045));
    module_add(host, module, "tau", floating(host, 6.283185307179586));
    module_add(host, module, "inf", floating(host, INFINITY));
    module_add(host, module, "nan", floating(host, NAN));
    return module;
}

/* ---- time ---- */

static Object *clock_of(Host *host, clockid_t id) {
    struct timespec now;
    if (!host_may_do(host, "a clock")) return host->script->poison;
    clock_gettime(id, &now);
    return floating(host, (double)now.tv_sec + (double)now.tv_nsec * 1e-9);
}
static Object *time_time(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, (void)call, clock_of(host, CLOCK_REALTIME);
}
static Object *time_perf_counter(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, (void)call, clock_of(host, CLOCK_MONOTONIC);
}
static Object *time_perf_counter_ns(Host *host, Object *const *args, const HostCall *call) {
    (void)args, (void)call;
    if (!host_may_do(host, "a clock")) return host->script->poison;
    return object_int(host->arena, clock_ns());
}
static Object *time_sleep(Host *host, Object *const *args, const HostCall *call) {
    double seconds;
    (void)call;
    if (!host_may_do(host, "sleep()")) return host->script->poison;
    if (!host_double(host, args[0], "the argument", &seconds)) return host->script->poison;
    if (seconds < 0)
        return host_raise(host, CLASS_VALUE_ERROR, "sleep length must be non-negative");
    for (double end = clock_ms() + seconds * 1e3;
         clock_ms() < end && host_step(host, call->span);) {
        double left = end - clock_ms();
        struct timespec nap = {0, (long)((left < 50 ? left : 50) * 1e6)};
        if (left > 0) nanosleep(&nap, NULL);
    }
    return is_raised(host) ? host->script->poison : host->script->none;
}

static Object *open_time(Host *host) {
    static const Native rows[] = {
        NATIVE("time", "", time_time),
        NATIVE("perf_counter", "", time_perf_counter),
        NATIVE("monotonic", "", time_perf_counter),
        NATIVE("perf_counter_ns", "", time_perf_counter_ns),
        NATIVE("sleep", "seconds", time_sleep),
    };
    return host_module_of(host, "time", rows, COUNT(rows));
}

/* ---- os, sys ---- */

static Object *os_getpid(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, (void)call, object_int(host->arena, getpid());
}
static Object *os_getenv(Host *host, Object *const *args, const HostCall *call) {
    (void)host, (void)call;
    return args[1] ? args[1] : host->script->none;
}

static Object *open_os(Host *host) {
    static const Native rows[] = {NATIVE("getpid", "", os_getpid),
                                  NATIVE("getenv", "key, default?", os_getenv)};
    Object *module = host_module_of(host, "os", rows, COUNT(rows));
    module_add(host, module, "environ", heap_list(host, OBJECT_DICT, 0, NULL));
    module_add(host, module, "sep", object_str(host->arena, STR("/")));
    module_add(host, module, "linesep", object_str(host->arena, STR("\n")));
    Object *path = module_import(host, STR("posixpath")), *files = module_import(host, STR("_os"));
    static const char *const of_files[] = {"makedirs", "mkdir",  "listdir",
                                           "getcwd",   "remove", "cpu_count"};
    if (path) module_add(host, module, "path", path);
    for (int i = 0; files && i < COUNT(of_files) && !is_raised(host); i++)
        module_add(host, module, of_files[i], host_attribute(host, files, str_of(of_files[i])));
    return module;
}

Object *sys_exit(Host *host, Object *const *args, const HostCall *call) {
    (void)call;
    host_raise_object(
        host, exception_new(host, host->script->classes[CLASS_SYSTEM_EXIT], args[0] ? 1 : 0, args));
    return host->script->poison;
}

/* sys.stdout, sys.stderr: weight 1 is the latter. */
static Object *stream_write(Host *host, Object *const *args, const HostCall *call) {
    Str text;
    Script *script = host->script;
    if (!host_text(host, args[0], "write() argument", &text)) return script->poison;
    if (!host_may_do(host, "writing")) return script->poison;
    if (!call->self->integer)
        script->write(script->user, text.data, (size_t)text.length);
    else if (script->complain)
        script->complain(script->user, text.data, (size_t)text.length);
    return object_int(host->arena, text_length(text));
}
static Object *stream_flush(Host *host, Object *const *args, const HostCall *call) {
    (void)args, (void)call;
    host->script->write(host->script->user, "", 0); /* what goes to stderr is not held back */
    return host->script->none;
}
static Object *stream_no(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, (void)call, host->script->booleans[0];
}
static Object *stream_new(Host *host, const char *name, int which) {
    static const Native write = NATIVE("write", "text", stream_write),
                        flush = NATIVE("flush", "", stream_flush),
                        no = NATIVE("isatty", "", stream_no);
    Object *stream = host_module_new(host, name);
    module_add(host, stream, "write", native_new(host, &write, object_int(host->arena, which)));
    module_add(host, stream, "flush", native_new(host, &flush, NULL));
    module_add(host, stream, "isatty", native_new(host, &no, NULL));
    return stream;
}

static Object *open_sys(Host *host) {
    static const Native rows[] = {NATIVE("exit", "status?", sys_exit)};
    Object *module = host_module_new(host, "sys");
    Object *version[] = {object_int(host->arena, 3), object_int(host->arena, 11),
                         object_int(host->arena, 0)};
    const Script *script = host->script;
    Object **argv = arena_array(host->arena, Object *, script->num_arguments + 1);
    argv[0] = object_str(host->arena, script->path);
    for (int i = 0; i < script->num_arguments; i++)
        argv[i + 1] = object_str(host->arena, str_of(script->arguments[i]));
    module_add_natives(host, module, rows, COUNT(rows));
    module_add(host, module, "argv", heap_list(host, OBJECT_LIST, script->num_arguments + 1, argv));
    module_add(host, module, "version_info", heap_list(host, OBJECT_TUPLE, 3, version));
    module_add(host, module, "stdout", stream_new(host, "sys.stdout", 0));
    module_add(host, module, "stderr", stream_new(host, "sys.stderr", 1));
    module_add(host, module, "platform", object_str(host->arena, STR("linux")));
    module_add(host, module, "byteorder", object_str(host->arena, STR("little")));
    module_add(host, module, "path", heap_list(host, OBJECT_LIST, 0, NULL));
    module_add(host, module, "version", object_str(host->arena, STR("3.11.0 (tern)")));
    module_add(host, module, "maxsize", object_int(host->arena, INT64_MAX));
    return module;
}

/* ---- functools, itertools, collections, dataclasses, typing ---- */

/* wraps(f)(g): g, which is called as f is. */
static Object *take_name(Host *host, Object *const *args, const HostCall *call) {
    (void)host;
    if (args[0]->kind != OBJECT_FUNCTION || call->self->kind != OBJECT_FUNCTION) return args[0];
    const FunctionObject *wrapped = call->self->function;
    args[0]->function->documented = wrapped->documented ? wrapped->documented : wrapped->def;
    args[0]->text =

        call->self->text.length ? call->self->text : wrapped->def->name;
    return args[0];
}
static Object *wraps_call(Host *host, Object *const *args, const HostCall *call) {
    static const Native named = NATIVE("decorator", "function", take_name);
    (void)call;
    return native_new(host, &named, args[0]);
}

/* lru_cache(f): f's results by its arguments; items of self: f, a dict. */
static Object *cached_run(Host *host, Object *const *args, const HostCall *call) {
    Object *function = call->self->items[0], *known = call->self->items[1];
    (void)args;
    for (int i = 0; i < call->num_args; i++)
        if (call->names && call->names[i].length)
            return host_refuse(host, "a cached function that is called with names of arguments");
    Object *key = heap_list(host, OBJECT_TUPLE, call->num_args, call->args);
    Object *value = dict_find(host, known, key);
    if (value || is_raised(host)) return value ? value : host->script->poison;
    value = host_invoke(host, function, call);
    if (!is_raised(host)) dict_put(host, known, key, value);
    return value;
}
static Object *cache_of(Host *host, Object *const *args, const HostCall *call) {
    static const Native cached = NATIVE("cached function", "..", cached_run);
    Object *parts[] = {args[0], heap_list(host, OBJECT_DICT, 0, NULL)};
    (void)call;
    return native_new(host, &cached, heap_list(host, OBJECT_TUPLE, 2, parts));
}
static Object *cache_call(Host *host, Object *const *args, const HostCall *call) {
    static const Native decorator = NATIVE("decorator", "function", cache_of);
    (void)args;
    bool direct = call->num_args == 1 && call->args[0]->kind == OBJECT_FUNCTION &&
                  !(call->names && call->names[0].length);
    return direct ? cache_of(host, call->args, call) : native_new(host, &decorator, NULL);
}

static Object *partial_run(Host *host, Object *const *args, const HostCall *call) {
    const Object *parts = call->self; /* a tuple: function, arguments, names */
    const Object *given = parts->items[1], *names = parts->items[2];
    int count = given->num_items + call->num_args;
    Object **all = arena_array(host->arena, Object *, count + 1);
    Str *words = arena_array(host->arena, Str, count + 1);
    int at = 0;
    (void)args;
    for (int pass = 0; pass < 2; pass++) { /* its positional ones, the call's, its named ones */
        for (int i = 0; i < given->num_items; i++) {
            bool named = names->items[i]->text.length > 0;
            if (named != (pass == 1)) continue;
            bool replaced = false;
            for (int k = 0; k < call->num_args && named; k++)
                replaced |= call->names && str_equal(call->names[k], names->items[i]->text);
            if (replaced) continue;
            all[at] = given->items[i], words[at++] = names->items[i]->text;
        }
        for (int i = 0; i < call->num_args && pass == 0; i++) {
            all[at] = call->args[i];
            if (call->names) words[at] = call->names[i];
            at++;
        }
    }
    HostCall whole = {.num_args = at, .args = all, .names = words, .span = call->span};
    return host_invoke(host, parts->items[0], &whole);
}
static const Native partial_native = NATIVE("partial", "..", partial_run);

static Object *partial_call(Host *host, Object *const *args, const HostCall *call) {
    (void)args;
    if (call->num_args < 1)
        return host_raise(host, CLASS_TYPE_ERROR, "partial() takes at least one argument");
    int count = call->num_args - 1;
    Object **names = arena_array(host->arena, Object *, count + 1);
    for (int i = 0; i < count; i++)
        names[i] = object_str(host->arena, call->names ? call->names[i + 1] : (Str){"", 0});
    Object *parts[] = {call->args[0], heap_list(host, OBJECT_TUPLE, count, call->args + 1),
                       heap_list(host, OBJECT_TUPLE, count, names)};
    return native_new(host, &partial_native, heap_list(host, OBJECT_TUPLE, 3, parts));
}

static Object *reduce_call(Host *host, Object *const *args, const HostCall *call) {
    int count, i = 0;
    Object **items, *value = args[2];
    (void)call;
    if (!host_items(host, args[1], &count, &items)) return host->script->poison;
    if (!value && !count)
        return host_raise(host, CLASS_TYPE_ERROR,
                          "reduce() of empty iterable with no initial value");
    if (!value) value = items[i++];
    for (; i < count && !is_raised(host); i++)
        value = host_invoke_with(host, args[0], 2, (Object *[]){value, items[i]});
    return value;
}

/* Whether an object has it here, of its own or of its class; hasattr() also counts what Python's
 * objects have by themselves. */
static Object *has_call(Host *host, Object *const *args, const HostCall *call) {
    Str name;
    (void)call;
    if (!host_text(host, args[1], "attribute name", &name)) return host->script->poison;
    return object_bool(host->arena, host_get(host, args[0], name) != NULL);
}

/* abc.abstractmethod */
static Object *abstract_call(Host *host, Object *const *args, const HostCall *call) {
    (void)call;
    for (Object *one = args[0]; one; one = one->num_items ? one->items[0] : NULL) {
        if (one->kind == OBJECT_FUNCTION) one->function->is_abstract = true;
        if (one->kind != OBJECT_HOST || one->type != &property_type) break;
    }
    return is_raised(host) ? host->script->poison : args[0];
}

static Object *open_functools(Host *host) {
    static const Native rows[] = {
        NATIVE("wraps", "wrapped", wraps_call),
        NATIVE("lru_cache", "..", cache_call),
        NATIVE("cache", "..", cache_call),
        NATIVE("partial", "..", partial_call),
        NATIVE("reduce", "function, iterable, initial?", reduce_call),
        NATIVE("has", "object, name", has_call),
        NATIVE("abstract", "function", abstract_call),
    };
    return host_module_of(host, "functools", rows, COUNT(rows));
}

static Object *product_call(Host *host, Object *const *args, const HostCall *call) {
    enum { MOST = 16 };
    int counts[MOST], index[MOST] = {0}, num = call->num_args;
    Object **items[MOST], *row[MOST], *list = heap_list(host, OBJECT_LIST, 0, NULL);
    int64_t total = 1;
    (void)args;
    if (num > MOST || (call->names && num && call->names[num - 1].length))
        return host_refuse(host, "product() of so many, or with repeat");
    for (int i = 0; i < num; i++) {
        if (!host_items(host, call->args[i], &counts[i], &items[i])) return host->script->poison;
        if (__builtin_mul_overflow(total, counts[i], &total)) longjmp(host->script->no_memory, 1);
    }
    for (int64_t r = 0; r < total && host_step(host, call->span); r++) {
        for (int i = 0; i < num; i++) row[i] = items[i][index[i]];
        list_insert(host, list, list->num_items, heap_list(host, OBJECT_TUPLE, num, row));
        for (int i = num - 1; i >= 0 && ++index[i] == counts[i]; i--) index[i] = 0;
    }
    return host_iterator(host, list);
}

static Object *open_itertools(Host *host) {
    static const Native rows[] = {NATIVE("product", "..", product_call)};
    Object *module = host_module_of(host, "itertools", rows, COUNT(rows));
    module_add(host, module, "chain", native_new(host, &chain_native, NULL));
    return module;
}

static Object *namedtuple_call(Host *host, Object *const *args, const HostCall *call) {
    Str name;
    int count;
    Object **items, *fields = args[1];
    (void)call;
    if (!host_text(host, args[0], "typename", &name)) return host->script->poison;
    if (fields->kind == OBJECT_STR) {
        Object *comma = object_str(host->arena, STR(",")),
               *blank = object_str(host->arena, STR(" "));
        Object *texts[] = {comma, blank};
        fields = host_invoke_with(host, str_method(host, fields, STR("replace")), 2, texts);
        fields = host_invoke_with(host, str_method(host, fields, STR("split")), 0, NULL);
    }
    if (!host_items(host, fields, &count, &items)) return host->script->poison;
    Object *class = class_new(host, name, 1, &host->script->classes[CLASS_TUPLE]);
    Class *info = class_info(class);
    info->is_tuple = true, info->num_fields = count;
    info->fields = arena_array(host->script->arena, Str, count + 1);
    info->defaults = arena_array(host->script->arena, Object *, count + 1);
    for (int i = 0; i < count; i++) {
        if (!host_text(host, items[i], "a field's name", &name)) return host->script->poison;
        info->fields[i] = str_copy(host->script->arena, name);
    }
    int given = 0;
    Object **defaults = NULL;
    if (args[2] && args[2]->kind != OBJECT_NONE && !host_items(host, args[2], &given, &defaults))
        return host->script->poison;
    if (given > count)
        return host_raise(host, CLASS_TYPE_ERROR, "Got more default values than field names");
    for (int i = 0; i < given; i++)
        info->defaults[count - given + i] = host_keep(host, defaults[i]);
    return class;
}

/* A dict whose missing keys a function makes: of_class is the function, which stays. */
static Object *defaultdict_call(Host *host, Object *const *args, const HostCall *call) {
    (void)args;
    if (!call->num_args || (call->names && call->names[0].length))
        return host_refuse(host, "defaultdict() without a function");
    HostCall rest = *call;
    rest.args++, rest.num_args--;
    if (rest.names) rest.names++;
    Object *dict = host_invoke(host, host->script->classes[CLASS_DICT], &rest);
    if (is_raised(host)) return dict;
    if (call->args[0]->kind != OBJECT_NONE) dict->of_class = host_keep(host, call->args[0]);
    return dict;
}

static Object *open_collections(Host *host) {
    static const Native rows[] = {
        NATIVE("namedtuple", "typename, field_names, *, defaults?", namedtuple_call),
        NATIVE("defaultdict", "..", defaultdict_call)};
    Object *module = host_module_of(host, "collections", rows, COUNT(rows));
    module_add(host, module, "OrderedDict", host->script->classes[CLASS_DICT]);
    return module;
}

static Object *dataclass_with(Host *host, Object *const *args, const HostCall *call) {
    return dataclass_of(host, args[0], (int)call->self->integer);
}

/* cls?, *, frozen?, order?, unsafe_hash?, eq?, repr?, init?, slots?, kw_only? */
static Object *dataclass_call(Host *host, Object *const *args, const HostCall *call) {
    static const Native decorator = NATIVE("dataclass", "cls", dataclass_with);
    static const int flags[] = {DATACLASS_FROZEN, DATACLASS_ORDER, DATACLASS_HASH};
    int set = 0;
    (void)call;
    for (int i = 0; i < COUNT(flags); i++)
        if (args[1 + i] && script_truth(host, args[1 + i])) set |= flags[i];
    for (int i = 4; i < 7; i++)
        if (args[i] && !script_truth(host, args[i]))
            return host_refuse(host, "a dataclass without __init__, __repr__ or __eq__");
    if (args[8] && script_truth(host, args[8])) return host_refuse(host, "kw_only=True");
    if (args[0]) return dataclass_of(host, args[0], set);
    return native_new(host, &decorator, object_int(host->arena, set));
}

/* *, default?, default_factory?, init?, repr?, compare?, hash?, metadata? */
static Object *field_call(Host *host, Object *const *args, const HostCall *call) {
    (void)call;
    for (int i = 2; i < 5; i++)
        if (args[i] && !script_truth(host, args[i]))
            return host_refuse(host, "a field that is left out of something");
    return heap_host(host, &field_type, 2, args);
}

static Object *fields_names(Host *host, Object *const *args, const HostCall *call) {
    const Object *of = args[0];
    (void)call;
    bool is_class = of->kind == OBJECT_HOST && of->type == &class_type;
    bool is_one = of->kind == OBJECT_HOST && of->type == &instance_type;
    const Class *class = is_class ? class_info(of) : is_one ? class_info(of->items[0]) : NULL;
    if (!class || !class->is_dataclass) return host->script->none;
    Object *names = heap_list(host, OBJECT_LIST, 0, NULL);
    for (int i = 0; i < class->num_fields; i++)
        list_insert(host, names, i, object_str(host->arena, class->fields[i]));
    return names;
}

/* What needs a heap and classes; the rest is text (dataclasses.py). */
static Object *open_dataclasses(Host *host) {
    static const Native rows[] = {
        NATIVE("dataclass",
               "cls?, *, frozen?, order?, unsafe_hash?, eq?, repr?, init?, slots?, kw_only?",
               dataclass_call),
        NATIVE("field", "*, default?, default_factory?, init?, repr?, compare?, hash?, metadata?",
               field_call),
        NATIVE("names", "of", fields_names)};
    Object *module = host_module_of(host, "_dataclasses", rows, COUNT(rows));
    module_add(host, module, "FrozenInstanceError",
               host->script->classes[CLASS_FROZEN_INSTANCE_ERROR]);
    return module;
}

/* Names for annotations, which nothing evaluates: Optional[..] is itself. */
static Object *annotation_subscript(Host *host, Object *self, Object *key) {
    return (void)host, (void)key, self;
}
static Object *annotation_binary(Host *host, Operator op, Object *a, Object *b) {
    (void)host; /* Optional[..] | None */
    return op == OPERATOR_OR
               ? a->kind == OBJECT_HOST && a->type->binary == annotation_binary ? a : b
               : NULL;
}
static const HostType annotation_type = {
    .name = "annotation", .subscript = annotation_subscript, .binary = annotation_binary};

static Object *typing_nothing(Host *host, Object *const *args, const HostCall *call) {
    return (void)args, (void)call, heap_host(host, &annotation_type, 0, NULL);
}
static Object *typing_first(Host *host, Object *const *args, const HostCall *call) {
    return (void)host, (void)call, args[0];
}
static Object *typing_second(Host *host, Object *const *args, const HostCall *call) {
    return (void)host, (void)call, args[1];
}

static Object *open_typing(Host *host) {
    static const char *const names[] = {
        "Any",         "Optional",  "Union",       "List",       "Dict",           "Tuple",
        "Callable",    "Sequence",  "Literal",     "Iterable",   "Iterator",       "Generator",
        "Mapping",     "Set",       "Type",        "ClassVar",   "Final",          "Generic",
        "Protocol",    "Annotated", "Self",        "TypeAlias",  "MutableMapping", "Hashable",
        "NoReturn",    "Awaitable", "Coroutine",   "Collection", "Text",           "FrozenSet",
        "DefaultDict", "Deque",     "Concatenate", "Never",      "LiteralString",  "SupportsInt"};
    Object *module = host_module_new(host, "typing");
    for (int i = 0; i < COUNT(names); i++)
        module_add(host, module, names[i], heap_host(host, &annotation_type, 0, NULL));
    module_add(host, module, "TYPE_CHECKING", host->script->booleans[0]);
    static const Native rows[] = {NATIVE("TypeVar", "..", typing_nothing),
                                  NATIVE("ParamSpec", "..", typing_nothing),
                                  NATIVE("NewType", "name, tp", typing_second),
                                  NATIVE("cast", "typ, val", typing_second),
                                  NATIVE("overload", "func", typing_first),
                                  NATIVE("final", "f", typing_first),
                                  NATIVE("runtime_checkable", "cls", typing_first),
                                  NATIVE("no_type_check", "arg", typing_first)};
    module_add_natives(host, module, rows, COUNT(rows));
    module_add(host, module, "NamedTuple", object_str(host->arena, STR("NamedTuple")));
    return module;
}

Object *module_import(Host *host, Str path) {
    static const struct {
        const char *name;
        Object *(*open)(Host *host);
    } rows[] = {
        {"math", open_math},
        {"time", open_time},
        {"os", open_os},
        {"sys", open_sys},
        {"_functools", open_functools},
        {"_itertools", open_itertools},
        {"_collections", open_collections},
        {"_dataclasses", open_dataclasses},
        {"typing", open_typing},
    };
    Script *script = host->script;
    Object *module = map_get(&script->modules, path);
    if (module) return module;
    for (int i = 0; i < COUNT(rows) && !module; i++)
        if (str_is(path, rows[i].name)) module = rows[i].open(host);
    if (!module && script->import) module = script->import(host, path);
    if (!module || is_raised(host)) return module;
    map_set(&script->modules, str_copy(script->arena, path), host_keep(host, module));
    return module;
}
