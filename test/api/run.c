// SPDX-License-Identifier: Apache-2.0
/* run: the runner of run tests. Each .py file in test/run (what a feature does) and test/promise
 * (what must hold in every corner) is a kernel with cases in its comments:
 *
 *     # The last program's mask must keep it inside n.
 *     # case: x = f32[1000] normal, y = f32[1000], n = 1000, BLOCK = 256
 *     # grid: cdiv(n, BLOCK)
 *     # want: y == x + 1
 *
 *     case       NAME = DTYPE[SHAPE] INIT | number | dtype(number) | none | text of a constexpr.
 *                INIT: poison (default), zero, one, normal, uniform, arange, small (-8..8),
 *                any (all bits, floats finite), edges, full(x), {a, b, ..};
 *                then +N: starts N elements into its memory
 *     grid       up to three expressions; default 1
 *     want       see reference.h; what no want names, and the rest of what one slices, must not
 *                change
 *     tolerance  RELATIVE ABSOLUTE (else by dtype)
 *     options    num_warps = 8, debug = 1, config = 2
 *     fails      words of the failed launch
 *     refuses    words of the failed compilation
 *     prints     a line
 *     kernel     NAME
 *     seed       NAME: the kernel's text is taken from the seeds' folder
 *     only       names of devices that the cases are for
 *
 * Later cases inherit grid, want .. from the case before; what stands before the first is for all.
 *
 *     run [--device NAME].. [--seeds DIR] [-v] [FILE|DIR..]
 *                                                  (default: test/run, test/promise, $TERN_SEEDS)
 *
 * TERN_TEST_DEVICE: one device, as with --device. A device "interp" or "sim" after the first of its
 * name runs the programs of each grid in another order; TERN_TEST_ORDERS: so many of sim (8).
 *
 * Every device's memory is poisoned with 0xff and has red zones on both sides. Each case runs on
 * interp and on every other device named (default: cpu where it opens, and sim), is compared with
 * want, and with what interp gave. */
#include "run/reference.h"
#include "api/context.h"

#include <dirent.h>
#include <sys/stat.h>

enum {
    RED_ZONE = 256,
    MAX_VALUES = 32,
    MAX_WANTS = 16,
    MAX_KNOWN = 64,
    MAX_DEVICES = 16,
    MAX_CASES = 64,
    WORDS = 4096
};

typedef struct Case {
    char text[1024], grid[256], kernel[64], seed[64], tolerance[64], options[128], fails[256],
        refuses[256];
    char prints[1024], only[64];
    char wants[MAX_WANTS][512];
    int num_wants, line;
} Case;

typedef struct TestValue { /* one NAME = VALUE of a case */
    char name[32], text[256];
    bool is_buffer, is_number, is_none;
    tern_dtype dtype;
    size_t count, offset; /* elements */
    Array *array;         /* its numbers before, and shape */
    char *before;         /* the bytes with red zones and offset */
    size_t size, total;   /* bytes of the tensor; of before */
    Number number;
} TestValue;

typedef struct Outputs { /* of one device */
    char *bytes[MAX_VALUES];
} Outputs;

typedef struct Known { /* what an expression of a want gave */
    const char *from, *to;
    Array *array;
} Known;

typedef struct Test {
    const char *path, *source;
    char title[300];
    const Case *given;
    Reference reference;
    Known known[MAX_KNOWN];
    int num_known;
    TestValue values[MAX_VALUES];
    int num_values;
    uint32_t grid[3];
    double relative, absolute; /* below 0: by dtype */
    const Outputs *right[MAX_DEVICES]; /* what was found to be as wanted */
    int num_right;
    char words[WORDS];
} Test;

typedef struct DeviceSlot {
    const char *name;
    uint64_t order; /* interp, sim: seed of the order of programs; 0: in order */
    tern_context *context;
    bool placed; /* interp runs what `place` makes of a kernel for sm_90a */
    int passed, failed, refused;
} DeviceSlot;

static DeviceSlot devices[MAX_DEVICES];
static int num_devices, num_skipped;
static const char *seeds_dir;
static bool verbose;

static void say(Test *test, const char *format, ...) {
    size_t used = strlen(test->words);
    va_list args;
    va_start(args, format);
    vsnprintf(test->words + used, sizeof test->words - used, format, args);
    va_end(args);
}

/* ---- values ---- */

static uint64_t random_state;

static uint64_t random_bits(void) {
    random_state ^= random_state << 13, random_state ^= random_state >> 7,
        random_state ^= random_state << 17;
    return random_state * 0x2545F4914F6CDD1Du;
}

static double random_unit(void) { return (double)(random_bits() >> 11) * 0x1p-53; }

static double random_normal(void) {
    return sqrt(-2 * log(1 - random_unit())) * cos(6.283185307179586 * random_unit());
}

static void fill_any(TestValue *value, char *to, size_t i) {
    size_t size = tern_dtype_size(value->dtype);
    for (;;) {
        uint64_t bits = random_bits();
        if (value->dtype == TERN_BOOL) bits &= 1;
        memcpy(to + i * size, &bits, size);
        double x = tern_element_double(value->dtype, to + i * size);
        if (!tern_dtype_is_float(value->dtype) || (x == x && !isinf(x))) return;
    }
}

static void fill_edges(TestValue *value, char *to, size_t i) {
    static const double floats[] = {
        0,   -0.0,  1,        -1,        0.5,   -0.5,         1.5, 2.5, -2.5,
        0.1, 3e38,  -3e38,    1e-40,     65504, 65520,        448, 464, 57344,
        1e5, -1e10, INFINITY, -INFINITY, NAN,   2147483648.0, 255, 256};
    static const int64_t ints[] = {0,          1,         -1,        2,     -2,        7,
                                   -7,         3,         -3,        127,   -128,      255,
                                   128,        32767,     -32768,    65535, INT32_MAX, INT32_MIN,
                                   UINT32_MAX, INT64_MAX, INT64_MIN, 100,   -100};
    char *element = to + i * tern_dtype_size(value->dtype);
    if (tern_dtype_is_float(value->dtype))
        tern_element_set_double(value->dtype, element,
                                floats[i % (sizeof floats / sizeof *floats)]);
    else
        tern_element_set_int(value->dtype, element, ints[i % (sizeof ints / sizeof *ints)]);
}

static bool fill_list(TestValue *value, const char *list, char *to) {
    const char *at = list + 1;
    for (size_t i = 0; i < value->count; i++) {
        char *end;
        long double number = strtold(at, &end);
        if (end == at) return false;
        char *element = to + i * tern_dtype_size(value->dtype);
        if (tern_dtype_is_float(value->dtype))
            tern_element_set_double(value->dtype, element, (double)number);
        else
            tern_element_set_int(value->dtype, element, (int64_t)ref_bits(number));
        at = end + strspn(end, " ,");
    }
    return true;
}

static bool fill(Test *test, TestValue *value, const char *init, char *to) {
    size_t size = tern_dtype_size(value->dtype);
    if (init[0] == '{') return fill_list(value, init, to);
    double constant = !strncmp(init, "full(", 5) ? atof(init + 5) : !strcmp(init, "one");
    bool is_constant = !strncmp(init, "full(", 5) || !strcmp(init, "one") || !strcmp(init, "zero");
    if (!init[0] || !strcmp(init, "poison")) return true;
    for (size_t i = 0; i < value->count; i++) {
        char *element = to + i * size;
        if (is_constant)
            tern_element_set_double(value->dtype, element, constant);
        else if (!strcmp(init, "normal"))
            tern_element_set_double(value->dtype, element, random_normal());
        else if (!strcmp(init, "uniform"))
            tern_element_set_double(value->dtype, element, random_unit());
        else if (!strcmp(init, "arange"))
            tern_element_set_int(value->dtype, element, (int64_t)i);
        else if (!strcmp(init, "small"))
            tern_element_set_int(value->dtype, element, (int64_t)(random_bits() % 17) - 8);
        else if (!strcmp(init, "any"))
            fill_any(value, to, i);
        else if (!strcmp(init, "edges"))
            fill_edges(value, to, i);
        else {
            say(test, "unknown contents '%s'\n", init);
            return false;
        }
    }
    return true;
}

static Number element_number(tern_dtype dtype, const void *element) {
    if (tern_dtype_is_float(dtype)) return tern_element_double(dtype, element);
    int64_t integer = tern_element_int(dtype, element);
    return dtype == TERN_UINT64 ? (Number)(uint64_t)integer : (Number)integer;
}

static const char *tensor_at(const TestValue *value, const char *bytes) {
    return bytes + RED_ZONE + value->offset * tern_dtype_size(value->dtype);
}

/* DTYPE[SHAPE] INIT +OFFSET */
static bool make_tensor(Test *test, TestValue *value) {
    char name[32], init[256] = "";
    Reference *r = &test->reference;
    int n = 0, rank = 0;
    long shape[REF_RANK];
    r->at = value->text;
    if (!ref_name(r, name) || !ref_accept(r, "[")) return false;
    if ((value->dtype = tern_dtype_from_name(name)) == TERN_VOID) return false;
    do {
        if (rank == REF_RANK) return false;
        shape[rank++] = (long)ref_expression(r, 0)->v[0];
    } while (ref_accept(r, ","));
    ref_expect(r, "]");
    if (r->error[0]) {
        say(test, "%s: %s\n", value->name, r->error);
        return true;
    }
    ref_space(r);
    const char *plus = strrchr(r->at, '+');
    if (plus) value->offset = (size_t)atol(plus + 1);
    while (r->at[n] && r->at + n != plus && n < 255) init[n] = r->at[n], n++;
    while (n && isspace((unsigned char)init[n - 1])) n--;
    init[n] = 0;
    value->array = ref_new(r, rank, shape);
    value->count = (size_t)value->array->count;
    value->is_buffer = true;
    value->size = (value->count + value->offset) * tern_dtype_size(value->dtype);
    value->total = (value->size + 2 * RED_ZONE + 255) / 256 * 256;
    value->before = aligned_alloc(256, value->total);
    memset(value->before, 0xff, value->total);
    char *to = value->before + (tensor_at(value, value->before) - value->before);
    if (value->dtype == TERN_BOOL) memset(to, 1, value->count); /* 0xff is no bool */
    if (!fill(test, value, init, to)) say(test, "%s: cannot fill\n", value->name);
    for (size_t i = 0; i < value->count; i++)
        value->array->v[i] = element_number(value->dtype, to + i * tern_dtype_size(value->dtype));
    ref_set(r, value->name, value->array);
    return true;
}

static void make_value(Test *test, TestValue *value) {
    Reference *r = &test->reference;
    if (!strcmp(value->text, "none"))
        value->is_none = true;
    else if (!make_tensor(test, value)) {
        char name[32], error[sizeof r->error];
        r->at = value->text;
        r->error[0] = 0;
        if (ref_name(r, name) && ref_accept(r, "(")) value->dtype = tern_dtype_from_name(name);
        r->at = value->text;
        Array *number = ref_expression(r, 0);
        ref_space(r);
        value->is_number = !r->error[0] && !*r->at && number->count == 1;
        memcpy(error, r->error, sizeof error);
        r->error[0] = 0; /* else it is text for a constexpr */
        if (!value->is_number) return;
        value->number = number->v[0];
        ref_set(r, value->name, number);
    }
}

/* Splits at commas outside brackets; calls make_value for each NAME = VALUE. */
static void make_values(Test *test) {
    const char *at = test->given->text;
    while (*at && !test->words[0]) {
        int depth = 0, n = 0;
        char item[512];
        for (; *at && (depth || *at != ','); at++) {
            if (strchr("([{", *at)) depth++;
            if (strchr(")]}", *at)) depth--;
            if (n < 511) item[n++] = *at;
        }
        item[n] = 0;
        if (*at == ',') at++;
        TestValue *value = &test->values[test->num_values];
        char *equals = strchr(item, '=');
        if (!equals || test->num_values == MAX_VALUES) {
            say(test, "bad case near '%s'\n", item);
            return;
        }
        sscanf(item, " %31[A-Za-z0-9_]", value->name);
        equals += 1 + strspn(equals + 1, " ");
        snprintf(value->text, sizeof value->text, "%s", equals);
        for (size_t k = strlen(value->text); k && isspace((unsigned char)value->text[k - 1]);)
            value->text[--k] = 0;
        test->num_values++;
        random_state =
            0x9E3779B97F4A7C15u ^ (uint64_t)value->name[0] << 32 ^ (uint64_t)test->num_values;
        make_value(test, value);
    }
}

static void make_grid(Test *test) {
    Reference *r = &test->reference;
    test->grid[0] = test->grid[1] = test->grid[2] = 1;
    r->at = test->given->grid;
    for (int i = 0; i < 3 && *r->at; i++) {
        test->grid[i] = (uint32_t)ref_expression(r, 0)->v[0];
        if (!ref_accept(r, ",")) break;
    }
    if (r->error[0]) say(test, "grid: %s\n", r->error);
}

static TestValue *find_value(Test *test, const char *name) {
    for (int i = 0; i < test->num_values; i++)
        if (!strcmp(test->values[i].name, name)) return &test->values[i];
    return NULL;
}

/* ---- running on one device ---- */

static void put_number(char *out, size_t room, const TestValue *value) {
    if (value->number == truncl(value->number) && !strpbrk(value->text, ".e"))
        snprintf(out, room, "%.0Lf", value->number);
    else
        snprintf(out, room, "%.17Lg", value->number);
}

/* As Triton types a Python number. */
static void put_type(char *out, size_t room, const TestValue *value) {
    if (value->is_buffer)
        snprintf(out, room, "*%s%s", tern_dtype_name(value->dtype),
                 value->offset * tern_dtype_size(value->dtype) % 16 ? "" : ":16");
    else if (value->is_none)
        snprintf(out, room, "None");
    else if (value->dtype != TERN_VOID)
        snprintf(out, room, "%s", tern_dtype_name(value->dtype));
    else if (strpbrk(value->text, ".") || value->number != truncl(value->number))
        snprintf(out, room, "fp32");
    else {
        const char *type = value->number >= -0x1p31L && value->number < 0x1p31L ? "i32"
                           : value->number < 0x1p63L                            ? "i64"
                                                                                : "u64";
        snprintf(out, room, "%s%s", type,
                 value->number == 1              ? ":1"
                 : fmodl(value->number, 16) == 0 ? ":16"
                                                 : "");
    }
}

static const tern_function *pick_function(Test *test, const tern_module *module) {
    const char *name = test->given->seed[0] ? test->given->seed : test->given->kernel;
    const tern_function *found = NULL;
    for (int i = 0; i < tern_module_num_functions(module); i++) {
        const tern_function *function = tern_module_function(module, i);
        if (name[0] ? !strcmp(function->name, name) : function->is_launched || !found)
            found = function;
    }
    if (!found) say(test, "no kernel '%s' in the file\n", name);
    return found;
}

static bool make_signature(Test *test, const tern_function *function, char *out, size_t room) {
    size_t used = 0;
    out[0] = 0;
    for (int i = 0; i < function->num_parameters; i++) {
        const tern_function_parameter *parameter = &function->parameters[i];
        TestValue *value = find_value(test, parameter->name);
        char text[300];
        if (!value) continue; /* its default, or a heuristic, or an error that says so */
        if (!parameter->is_constexpr) {
            if (!value->is_buffer && !value->is_none && !value->is_number) {
                say(test, "cannot pass '%s' as %s\n", value->text, value->name);
                return false;
            }
            put_type(text, sizeof text, value);
        } else if (value->is_number)
            put_number(text, sizeof text, value);
        else
            snprintf(text, sizeof text, "%s", value->is_none ? "None" : value->text);
        used += (size_t)snprintf(out + used, room - used, "%s%s=%s", used ? "," : "", value->name,
                                 text);
        if (used >= room) return false;
    }
    return true;
}

static tern_options parse_options(const char *text) {
    tern_options options = {.verify = true};
    const char *at;
    if ((at = strstr(text, "num_warps"))) options.num_warps = atoi(at + 9 + strspn(at + 9, " ="));
    if ((at = strstr(text, "num_stages")))
        options.num_stages = atoi(at + 10 + strspn(at + 10, " ="));
    if ((at = strstr(text, "config"))) options.config = atoi(at + 6 + strspn(at + 6, " ="));
    options.debug = strstr(text, "debug") != NULL;
    return options;
}

static bool on_host(const char *device) { return strncmp(device, "cuda", 4) != 0; }

/* The arguments, whose memory lies between red zones: bounds are exact where the device checks
 * them. */
static tern_status launch(Test *test, DeviceSlot *device, tern_kernel *kernel, Outputs *out) {
    tern_buffer *buffers[MAX_VALUES] = {0};
    tern_argument arguments[MAX_VALUES];
    int count = 0;
    tern_status status = TERN_OK;
    bool host = on_host(device->name);
    for (int i = 0; i < test->num_values; i++) {
        TestValue *value = &test->values[i];
        if (!value->is_buffer) continue;
        out->bytes[i] = aligned_alloc(256, value->total);
        memcpy(out->bytes[i], value->before, value->total);
        buffers[i] = host ? tern_wrap(device->context, out->bytes[i] + RED_ZONE, value->size)
                          : tern_alloc(device->context, value->total);
        if (!buffers[i])
            status = TERN_ERROR_NO_MEMORY;
        else if (!host)
            status = tern_write(buffers[i], 0, value->before, value->total);
    }
    for (int i = 0; i < tern_kernel_num_parameters(kernel) && !status; i++) {
        const tern_parameter *parameter = tern_kernel_parameter(kernel, i);
        TestValue *value = find_value(test, parameter->name);
        if (parameter->constant || !value) continue;
        tern_argument *argument = &arguments[count++];
        if (value->is_buffer) {
            *argument = tern_arg_buffer(buffers[value - test->values]);
            argument->offset =
                value->offset * tern_dtype_size(value->dtype) + (host ? 0 : RED_ZONE);
        } else if (tern_dtype_is_float(parameter->dtype))
            *argument = tern_arg_float((double)value->number);
        else
            *argument = tern_arg_int((int64_t)ref_bits(value->number));
    }
    if (!status) status = tern_launch(NULL, kernel, test->grid, arguments, count);
    if (!status) status = tern_synchronize(device->context);
    for (int i = 0; i < test->num_values; i++) {
        if (buffers[i] && !host && !status)
            status = tern_read(buffers[i], 0, out->bytes[i], test->values[i].total);
        tern_buffer_free(buffers[i]);
    }
    return status;
}

/* ---- comparing ---- */

static void tolerance_of(const Test *test, tern_dtype dtype, double *relative, double *absolute) {
    *relative = test->relative, *absolute = test->absolute;
    if (*relative >= 0) return;
    *relative = *absolute = 0;
    /* A few units in the last place for sums of some hundred terms and functions within 2 ulp. */
    switch ((int)dtype) {
    case TERN_FLOAT64: *relative = 1e-12, *absolute = 1e-12; break;
    case TERN_FLOAT32: *relative = 1e-5, *absolute = 1e-6; break;
    case TERN_FLOAT16: *relative = 2e-3, *absolute = 1e-3; break;
    case TERN_BFLOAT16: *relative = 1.6e-2, *absolute = 1e-2; break;
    case TERN_FLOAT8E4M3: *relative = 0.07, *absolute = 0.002; break;
    case TERN_FLOAT8E5M2: *relative = 0.13, *absolute = 0.002; break;
    default: break;
    }
}

static bool near(Number got, Number want, double relative, double absolute) {
    if (want != want) return got != got;
    if (got == want) return true;
    return fabsl(got - want) <= absolute + relative * fabsl(want) && !isinf(got) && !isinf(want);
}

static bool check_element(Test *test, const TestValue *value, long at, Number got, Number want,
                          const char *what) {
    double relative = 0, absolute = 0; /* integers are exact */
    if (tern_dtype_is_float(value->dtype)) tolerance_of(test, value->dtype, &relative, &absolute);
    if (near(got, want, relative, absolute)) return true;
    say(test, "%s: %s[%ld] is %.9Lg, want %.9Lg\n", what, value->name, at, got, want);
    return false;
}

static void check_red_zones(Test *test, const Outputs *out) {
    for (int i = 0; i < test->num_values; i++) {
        const TestValue *value = &test->values[i];
        if (!value->is_buffer) continue;
        size_t start = (size_t)(tensor_at(value, value->before) - value->before);
        size_t end = start + value->count * tern_dtype_size(value->dtype);
        for (size_t k = 0; k < value->total; k++)
            if ((k < start || k >= end) && (unsigned char)out->bytes[i][k] != 0xff) {
                say(test, "%s: written %ld bytes outside\n", value->name,
                    k < start ? (long)(start - k) : (long)(k - end + 1));
                return;
            }
    }
}

/* The expression that stands here, evaluated once for all devices: it knows nothing of what they
 * made. */
static Array *wanted(Test *test) {
    Reference *r = &test->reference;
    const char *from = r->at;
    for (int i = 0; i < test->num_known; i++) {
        if (test->known[i].from != from) continue;
        r->at = test->known[i].to;
        return test->known[i].array;
    }
    Array *array = ref_expression(r, 0);
    if (!r->error[0] && test->num_known < MAX_KNOWN)
        test->known[test->num_known++] = (Known){from, r->at, array};
    return array;
}

/* One `name[slice] == expression`, or `name = expression`; marks what was compared. */
static void check_statement(Test *test, const Outputs *out, bool **seen) {
    Reference *r = &test->reference;
    char name[32];
    if (!ref_name(r, name)) {
        say(test, "bad want near '%.20s'\n", r->at);
        return;
    }
    ref_space(r);
    if (*r->at == '=' && r->at[1] != '=') {
        r->at++;
        ref_set(r, name, wanted(test));
        return;
    }
    TestValue *value = find_value(test, name);
    if (!value || !value->is_buffer) {
        say(test, "want: no buffer '%s'\n", name);
        return;
    }
    RefSlice slice = ref_whole(value->array);
    if (ref_accept(r, "[")) slice = ref_parse_slice(r, value->array);
    ref_expect(r, "==");
    Array *want = wanted(test);
    if (r->error[0]) {
        say(test, "want: %s\n", r->error);
        return;
    }
    int index = (int)(value - test->values);
    if (!seen[index]) seen[index] = calloc(value->count + 1, 1);
    const char *bytes = tensor_at(value, out->bytes[index]);
    size_t size = tern_dtype_size(value->dtype);
    Array *shape = ref_sliced(r, value->array, &slice);
    if (want->count != 1 && want->count != shape->count) {
        Array *both[] = {want, shape};
        Array *like = ref_like(r, 2, both);
        if (like->count != shape->count) {
            say(test, "want has %ld elements, %s has %ld\n", want->count, name, shape->count);
            return;
        }
    }
    for (long i = 0; i < shape->count; i++) {
        long at = ref_slice_index(value->array, &slice, i);
        Number expected =
            want->count == shape->count ? want->v[i] : want->v[ref_index(want, shape, i)];
        seen[index][at] = true;
        if (!check_element(test, value, at, element_number(value->dtype, bytes + (size_t)at * size),
                           expected, "want"))
            return;
    }
}

static bool same_tensors(const TestValue *value, const char *a, const char *b) {
    return !memcmp(tensor_at(value, a), tensor_at(value, b),
                   value->count * tern_dtype_size(value->dtype));
}

static void check_wants(Test *test, const Outputs *out) {
    bool *seen[MAX_VALUES] = {0};
    Reference *r = &test->reference;
    for (int i = 0; i < test->given->num_wants && !test->words[0]; i++) {
        r->at = test->given->wants[i];
        do check_statement(test, out, seen);
        while (!test->words[0] && ref_accept(r, ";"));
        if (*r->at && !test->words[0]) say(test, "want: unexpected '%.20s'\n", r->at);
    }
    for (int i = 0; i < test->num_values && !test->words[0]; i++) {
        const TestValue *value = &test->values[i];
        size_t size = tern_dtype_size(value->dtype);
        if (!value->is_buffer || same_tensors(value, value->before, out->bytes[i])) continue;
        for (size_t k = 0; k < value->count; k++) {
            if (seen[i] && seen[i][k]) continue;
            if (!memcmp(tensor_at(value, value->before) + k * size,
                        tensor_at(value, out->bytes[i]) + k * size, size))
                continue;
            say(test, "%s[%zu] was changed, and no want names it\n", value->name, k);
            break;
        }
    }
    for (int i = 0; i < MAX_VALUES; i++) free(seen[i]);
}

static void check_same(Test *test, const Outputs *out, const Outputs *interp) {
    for (int i = 0; i < test->num_values; i++) {
        const TestValue *value = &test->values[i];
        size_t size = tern_dtype_size(value->dtype);
        if (!value->is_buffer || same_tensors(value, out->bytes[i], interp->bytes[i])) continue;
        for (size_t k = 0; k < value->count; k++)
            if (!check_element(
                    test, value, (long)k,
                    element_number(value->dtype, tensor_at(value, out->bytes[i]) + k * size),
                    element_number(value->dtype, tensor_at(value, interp->bytes[i]) + k * size),
                    "against interp"))
                return;
    }
}

/* To the last byte what another device gave, and that was right. */
static bool is_known(const Test *test, const Outputs *out) {
    for (int d = 0; d < test->num_right; d++) {
        bool same = true;
        for (int i = 0; i < test->num_values && same; i++)
            same = !test->values[i].is_buffer ||
                   !memcmp(out->bytes[i], test->right[d]->bytes[i], test->values[i].total);
        if (same) return true;
    }
    return false;
}

static void check_printed(Test *test, DeviceSlot *device) {
    char *printed = tern_take_output(device->context);
    if (strcmp(printed ? printed : "", test->given->prints))
        say(test, "printed:\n%swant:\n%s", printed ? printed : "", test->given->prints);
    tern_free(printed);
}

/* On cuda a failed assertion's own words go to the standard error of the process, by the driver;
 * the status says only that there was one. */
static void expect_words(Test *test, const char *what, const char *words, const char *message,
                         bool failed) {
    if (!failed)
        say(test, "%s, but it should have, with '%s'\n", what, words);
    else if (!strstr(message, words) && !strstr(message, "CUDA_ERROR_ASSERT"))
        say(test, "want the words '%s' in:\n%s\n", words, message);
}

/* Places change no value: the interpreter must see what it sees without them. */
static tern_kernel *compile_for(DeviceSlot *device, tern_module *module, const char *function,
                                const char *signature, tern_options options) {
    if (device->placed) options.target = "sm_90a", options.print_after = "fence";
    tern_kernel *kernel = tern_compile(module, function, signature, &options);
    if (!device->placed || !kernel) return kernel;
    tern_kernel *placed = kernel_from_ir(
        device->context, tern_kernel_text(kernel, TERN_STAGE_IR_AFTER),
        &(tern_options){.size = sizeof options, .debug = options.debug, .verify = true});
    tern_kernel_free(kernel);
    return placed;
}

/* True: refused. */
static bool run_on(Test *test, DeviceSlot *device, Outputs *out, const Outputs *interp) {
    const Case *given = test->given;
    char signature[4096];
    tern_options options = parse_options(given->options);
    tern_module *module =
        tern_load_text(device->context, test->source, strlen(test->source), test->path);
    const tern_function *function = module ? pick_function(test, module) : NULL;
    tern_kernel *kernel = NULL;
    if (function && make_signature(test, function, signature, sizeof signature))
        kernel = compile_for(device, module, function->name, signature, options);
    bool refused = !module || (!kernel && strstr(tern_message(device->context), "not supported:"));
    if (given->refuses[0]) {
        expect_words(test, "it compiled", given->refuses, tern_message(device->context), !kernel);
        refused = false;
    } else if (!kernel) {
        if (!test->words[0]) say(test, "%s\n", tern_message(device->context));
    } else {
        tern_status status = launch(test, device, kernel, out);
        if (given->fails[0])
            expect_words(test, "the launch did not fail", given->fails,
                         tern_message(device->context), status != 0);
        else if (status)
            say(test, "%s: %s\n", tern_status_name(status), tern_message(device->context));
        else {
            if (!is_known(test, out)) {
                check_red_zones(test, out);
                if (!test->words[0]) check_wants(test, out);
                if (!test->words[0] && interp) check_same(test, out, interp);
                if (!test->words[0]) test->right[test->num_right++] = out;
            }
            if (!test->words[0] && !device->order) check_printed(test, device);
        }
    }
    tern_free(tern_take_output(device->context));
    tern_kernel_free(kernel);
    tern_module_free(module);
    return refused;
}

static bool is_among(const char *words, const char *word) {
    for (size_t length; *words; words += length + strspn(words + length, " ")) {
        length = strcspn(words, " ");
        if (length == strlen(word) && !strncmp(words, word, length)) return true;
    }
    return false;
}

static void run_case(const char *path, const char *source, const Case *given) {
    Test test = {.path = path, .source = source, .given = given, .relative = -1};
    snprintf(test.title, sizeof test.title, "%s:%d", path, given->line);
    if (given->tolerance[0]) sscanf(given->tolerance, "%lf %lf", &test.relative, &test.absolute);
    make_values(&test);
    make_grid(&test);
    if (test.words[0]) {
        printf("FAILED %s: %s", test.title, test.words);
        devices[0].failed++;
    }
    Outputs out[MAX_DEVICES] = {0};
    bool good = !test.words[0], have_interp = false;
    for (int d = 0; d < num_devices && good; d++) {
        test.words[0] = 0;
        if (given->only[0] && !is_among(given->only, devices[d].name)) continue;
        bool refused = run_on(&test, &devices[d], &out[d], d && have_interp ? &out[0] : NULL);
        if (d == 0) have_interp = !test.words[0] && !given->fails[0] && !given->refuses[0];
        /* The simulator must know all that the compiler emits. */
        if (refused && strstr(test.words, "on device 'sim'")) refused = false;
        if (refused)
            devices[d].refused++;
        else if (test.words[0])
            devices[d].failed++;
        else
            devices[d].passed++;
        if (test.words[0])
            printf("%s %s on %s: %s", refused ? "refused" : "FAILED", test.title, devices[d].name,
                   test.words);
        else if (verbose)
            printf("ok %s on %s\n", test.title, devices[d].name);
        test.reference.error[0] = 0;
    }
    for (int d = 0; d < num_devices; d++)
        for (int i = 0; i < MAX_VALUES; i++) free(out[d].bytes[i]);
    for (int i = 0; i < test.num_values; i++) free(test.values[i].before);
    ref_free(&test.reference);
}

/* ---- files ---- */

static char *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *text = NULL;
    size_t used = 0, got;
    do {
        text = realloc(text, used + 65537);
        got = fread(text + used, 1, 65536, file);
        used += got;
    } while (got);
    fclose(file);
    text[used] = 0;
    return text;
}

/* The text of a jit function from a lecture note: from its decorator to the first line that is
 * neither indented, blank, a comment nor the end of its header. */
static char *cut_function(const char *text, const char *name) {
    static const char head[] = "import triton\nimport triton.language as tl\n\n";
    char needle[100];
    snprintf(needle, sizeof needle, "@triton.jit\ndef %s(", name);
    const char *start = strstr(text, needle);
    if (!start) return NULL;
    const char *end = strchr(strchr(start, '\n') + 1, '\n') + 1;
    while (*end && (strchr(" \t\n#", *end) || !strncmp(end, "):", 2))) {
        const char *next = strchr(end, '\n');
        end = next ? next + 1 : end + strlen(end);
    }
    char *cut = malloc(sizeof head + (size_t)(end - start));
    memcpy(cut, head, sizeof head - 1);
    memcpy(cut + sizeof head - 1, start, (size_t)(end - start));
    cut[sizeof head - 1 + (size_t)(end - start)] = 0;
    return cut;
}

static char *seed_text(const char *name) {
    struct dirent *entry;
    DIR *dir = seeds_dir ? opendir(seeds_dir) : NULL;
    char *found = NULL;
    while (dir && !found && (entry = readdir(dir))) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", seeds_dir, entry->d_name);
        char *text = strstr(entry->d_name, ".txt") ? read_text(path) : NULL;
        if (text) found = cut_function(text, name);
        free(text);
    }
    if (dir) closedir(dir);
    return found;
}

static bool header(const char *line, const char *key, char *out, size_t room) {
    size_t length = strlen(key);
    if (strncmp(line, "# ", 2) || strncmp(line + 2, key, length) || line[2 + length] != ':')
        return false;
    line += 3 + length;
    while (*line == ' ') line++;
    size_t end = strcspn(line, "\n");
    while (end && isspace((unsigned char)line[end - 1])) end--;
    if (end >= room) end = room - 1;
    memcpy(out, line, end);
    out[end] = 0;
    return true;
}

static int parse_cases(const char *text, Case *cases) {
    int count = 0, number = 1;
    bool fresh_wants = false;
    Case base = {0};
    for (const char *line = text; *line; number++) {
        Case *now = count ? &cases[count - 1] : &base;
        char value[1024];
        if (header(line, "case", value, sizeof value)) {
            if (count == MAX_CASES) break;
            cases[count] = *now;
            now = &cases[count++];
            memcpy(now->text, value, sizeof value);
            now->line = number;
            fresh_wants = true;
        } else if (header(line, "want", value, sizeof value)) {
            if (fresh_wants) now->num_wants = 0, fresh_wants = false;
            if (now->num_wants < MAX_WANTS)
                snprintf(now->wants[now->num_wants++], 512, "%.511s", value);
        } else if (header(line, "prints", value, sizeof value)) {
            size_t used = strlen(now->prints);
            snprintf(now->prints + used, sizeof now->prints - used, "%s\n", value);
        } else if (header(line, "grid", now->grid, sizeof now->grid) ||
                   header(line, "kernel", now->kernel, sizeof now->kernel) ||
                   header(line, "only", now->only, sizeof now->only) ||
                   header(line, "seed", now->seed, sizeof now->seed) ||
                   header(line, "options", now->options, sizeof now->options) ||
                   header(line, "fails", now->fails, sizeof now->fails) ||
                   header(line, "refuses", now->refuses, sizeof now->refuses) ||
                   header(line, "tolerance", now->tolerance, sizeof now->tolerance)) {
        }
        const char *next = strchr(line, '\n');
        line = next ? next + 1 : line + strlen(line);
    }
    return count;
}

static void run_file(const char *path) {
    static Case cases[MAX_CASES];
    memset(cases, 0, sizeof cases);
    char *text = read_text(path);
    int count = text ? parse_cases(text, cases) : 0;
    if (!count) {
        printf("FAILED %s: %s\n", path, text ? "no case in it" : "cannot be read");
        devices[0].failed++;
    }
    for (int i = 0; i < count; i++) {
        char *seed = cases[i].seed[0] ? seed_text(cases[i].seed) : NULL;
        if (cases[i].seed[0] && !seed) {
            num_skipped++;
            if (i == 0)
                printf("skipped %s: no seed with '%s' (--seeds DIR)\n", path, cases[i].seed);
            continue;
        }
        run_case(path, seed ? seed : text, &cases[i]);
        free(seed);
    }
    free(text);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void run_path(const char *path) {
    struct stat status;
    if (stat(path, &status) || !S_ISDIR(status.st_mode)) {
        run_file(path);
        return;
    }
    char *names[1024];
    int count = 0;
    struct dirent *entry;
    DIR *dir = opendir(path);
    while (dir && (entry = readdir(dir)) && count < 1024) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 3, ".py")) continue;
        names[count] = malloc(strlen(path) + length + 2);
        sprintf(names[count++], "%s/%s", path, entry->d_name);
    }
    if (dir) closedir(dir);
    qsort(names, (size_t)count, sizeof *names, by_name);
    for (int i = 0; i < count; i++) run_file(names[i]), free(names[i]);
}

static bool open_slot(const char *name, bool must) {
    uint64_t order = 0;
    bool ordered = !strcmp(name, "interp") || !strncmp(name, "sim", 3);
    for (int i = 0; i < num_devices && ordered; i++)
        if (!strcmp(devices[i].name, name)) order = (uint64_t)num_devices * 77;
    tern_status status;
    char message[2048];
    bool placed = !strcmp(name, "placed");
    tern_context *context =
        tern_open(&(tern_open_options){.device = placed ? "interp" : name, .order_seed = order},
                  &status, message, sizeof message);
    if (context && num_devices < MAX_DEVICES)
        devices[num_devices++] =
            (DeviceSlot){.name = name, .order = order, .context = context, .placed = placed};
    else
        printf("%s device %s: %s\n", must ? "FAILED" : "skipped", name, message);
    return context != NULL;
}

int main(int argc, char **argv) {
    const char *device = getenv("TERN_TEST_DEVICE");
    bool ok = open_slot("interp", true), chosen = device != NULL;
    seeds_dir = getenv("TERN_SEEDS");
    if (device) ok = open_slot(device, true) && ok;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-v")) verbose = true;
        if (!strcmp(argv[i], "--seeds") && i + 1 < argc) seeds_dir = argv[i + 1];
        if (strcmp(argv[i], "--device") || i + 1 >= argc) continue;
        chosen = true;
        if (strcmp(argv[i + 1], "interp")) ok = open_slot(argv[i + 1], true) && ok;
    }
    if (!chosen)
        open_slot("cpu", false), open_slot("interp", true), open_slot("sim:t4", true),
            open_slot("sim:a100", true), open_slot("placed", true);
    const char *orders = getenv("TERN_TEST_ORDERS");
    for (int i = 0; i <= (orders ? atoi(orders) : 8) && !chosen; i++) open_slot("sim", true);
    bool named = false;
    for (int i = 1; i < argc && ok; i++) {
        if (!strcmp(argv[i], "-v")) continue;
        if (!strcmp(argv[i], "--device") || !strcmp(argv[i], "--seeds"))
            i++;
        else
            run_path(argv[i]), named = true;
    }
    if (!named && ok) run_path("test/run"), run_path("test/promise");
    int failed = !ok, passed = 0, refused = 0;
    for (int d = 0; d < num_devices; d++) {
        printf("run tests on %s%s: %d passed, %d failed, %d refused\n", devices[d].name,
               devices[d].order ? " in another order" : "", devices[d].passed, devices[d].failed,
               devices[d].refused);
        failed += devices[d].failed, passed += devices[d].passed, refused += devices[d].refused;
        tern_close(devices[d].context);
    }
    printf("test/api/run.c: %d passed, %d failed, %d skipped\n", passed, failed,
           num_skipped + refused);
    return failed != 0;
}
