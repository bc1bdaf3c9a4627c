/* SPDX-License-Identifier: Apache-2.0 */
/* One function in several forms: GELU by hand, as an op, in CUDA C, in Triton, and compiled from
 * the form by hand; softmax likewise; a mean in three. Each with its time, and its largest
 * difference from the op. $LAB_LARGEST: the sides of the matrix, instead of 16384 or, but on a GPU,
 * 1024.
 *
 *     build/examples/lab/forms */
#include "lab.h"

#include "tern_exec.h"
#include "tern_tensor.h"

static const char triton_text[] =
    "import triton\n"
    "import triton.language as tl\n"
    "@triton.jit\n"
    "def gelu(x, y, n, width, BLOCK: tl.constexpr):\n"
    "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "    v = tl.load(x + i, mask=i < n)\n"
    "    e = tl.exp(2 * 0.79788456 * (v + 0.044715 * v * v * v))\n"
    "    tl.store(y + i, v * (1 - 1 / (e + 1)), mask=i < n)\n"
    "@triton.jit\n"
    "def softmax(x, y, n, width, BLOCK: tl.constexpr):\n"
    "    i = tl.arange(0, BLOCK)\n"
    "    row = tl.program_id(0).to(tl.int64) * width\n"
    "    v = tl.load(x + row + i, mask=i < width, other=-float('inf'))\n"
    "    e = tl.exp(v - tl.max(v, axis=0))\n"
    "    tl.store(y + row + i, e / tl.sum(e, axis=0), mask=i < width)\n";

static const char cuda_text[] =
    "__global__ void gelu(const float *x, float *y, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) {\n"
    "        float v = x[i];\n"
    "        y[i] = 0.5f * v * (1.0f + tanhf(0.79788456f * (v + 0.044715f * v * v * v)));\n"
    "    }\n"
    "}\n"
    "void run(torch::Tensor x, torch::Tensor y) {\n"
    "    int n = x.numel();\n"
    "    gelu<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);\n"
    "}\n";

typedef struct Forms {
    tern_context *context;
    tern_session *session;
    tern_module *triton, *cuda;
    int64_t size;
    tern_tensor *x, *want;
    tern_kernel *kernel;
    tern_fused *compiled;
} Forms;

/* A form of a function: its result, a new reference; NULL: it failed. */
typedef tern_tensor *Form(Forms *forms);

static const int last[] = {-1};

static tern_status gelu_body(tern_tensor *const *in, tern_tensor **out, void *user) {
    tern_tensor *x = in[0], *cube = tern_mul(tern_mul(x, x), x);
    tern_tensor *inner = tern_mul_number(tern_add(x, tern_mul_number(cube, 0.044715)), 0.79788456);
    (void)user;
    out[0] = tern_mul(tern_mul_number(x, 0.5), tern_add_number(tern_tanh(inner), 1.0));
    return TERN_OK;
}

static tern_status softmax_body(tern_tensor *const *in, tern_tensor **out, void *user) {
    tern_tensor *numerator = tern_exp(tern_sub(in[0], tern_amax(in[0], last, 1, true)));
    (void)user;
    out[0] = tern_div(numerator, tern_sum(numerator, last, 1, true));
    return TERN_OK;
}

static tern_tensor *by_hand(Forms *forms, tern_fused_body *body) {
    tern_tensor *out = NULL;
    tern_scope_open(forms->session);
    if (!body(&forms->x, &out, NULL) && out) tern_keep(out);
    return tern_scope_close(forms->session) ? NULL : out;
}
static tern_tensor *gelu_by_hand(Forms *forms) { return by_hand(forms, gelu_body); }
static tern_tensor *softmax_by_hand(Forms *forms) { return by_hand(forms, softmax_body); }
static tern_tensor *gelu_op(Forms *forms) { return tern_gelu_tanh(forms->x); }
static tern_tensor *softmax_op(Forms *forms) { return tern_softmax(forms->x, -1); }

static tern_tensor *compiled(Forms *forms) {
    tern_tensor *out = NULL;
    return tern_fused_call(forms->compiled, &forms->x, &out) ? NULL : out;
}

static tern_tensor *triton(Forms *forms) {
    size_t from, to;
    tern_tensor *y = tern_empty_like(forms->x);
    bool is_rows = !strcmp(tern_kernel_name(forms->kernel), "softmax");
    if (!y) return NULL;
    int64_t count = tern_numel(y), programs = is_rows ? forms->size : (count + 1023) / 1024;
    tern_argument arguments[] = {tern_arg_buffer(tern_tensor_buffer(forms->x, &from)),
                                 tern_arg_buffer(tern_tensor_buffer(y, &to)), tern_arg_int(count),
                                 tern_arg_int(forms->size)};
    arguments[0].offset = from, arguments[1].offset = to;
    const uint32_t grid[] = {(uint32_t)programs, 1, 1};
    if (!tern_launch(NULL, forms->kernel, grid, arguments, 4)) return y;
    tern_drop(y);
    return NULL;
}

static tern_exec_value value_of(tern_tensor *tensor) {
    size_t offset;
    tern_exec_value value = {.kind = TERN_EXEC_TENSOR, .dtype = tern_tensor_dtype(tensor)};
    value.buffer = tern_tensor_buffer(tensor, &offset);
    value.rank = tern_rank(tensor);
    memcpy(value.shape, tern_shape(tensor), (size_t)value.rank * sizeof *value.shape);
    return value;
}

static tern_tensor *cuda_c(Forms *forms) {
    tern_exec_value result;
    tern_tensor *y = tern_empty_like(forms->x);
    if (!y) return NULL;
    tern_exec_value values[] = {value_of(forms->x), value_of(y)};
    if (!tern_exec_function(forms->cuda, "run", &(tern_exec_options){0}, values, 2, &result))
        return y;
    tern_drop(y);
    return NULL;
}

/* ---- measuring ---- */

typedef struct Timed {
    Forms *forms;
    Form *form;
} Timed;

static tern_status run_timed(void *user, tern_stream *stream) {
    Timed *timed = user;
    (void)stream; /* the context's own */
    tern_tensor *out = timed->form(timed->forms);
    tern_drop(out);
    return out ? TERN_OK : TERN_ERROR_DEVICE;
}

static double difference(tern_tensor *a, tern_tensor *b) {
    double largest = NAN;
    tern_session *session = tern_tensor_session(a);
    tern_scope_open(session);
    tern_tensor *of = tern_amax(tern_abs(tern_sub(a, b)), NULL, 0, false);
    if (!of || tern_item(of, &largest)) largest = NAN;
    tern_scope_close(session);
    return largest;
}

static void measure(Forms *forms, const char *label, Form *form) {
    double ms;
    Timed timed = {forms, form};
    tern_tensor *out = form(forms);
    lab_need(forms->context, out != NULL);
    if (!forms->want) forms->want = tern_keep(out);
    double far = difference(out, forms->want);
    tern_drop(out);
    lab_need(forms->context,
             !tern_do_bench(forms->context, run_timed, &timed, 25, 100, NULL, 0, TERN_MEDIAN, &ms));
    printf("%-10s %10.4f %22.1e\n", label, ms, far);
}

static void ways(Forms *forms, const char *name, tern_fused_body *body) {
    char signature[64];
    bool is_gelu = !strcmp(name, "gelu");
    int block = 1024;
    while (!is_gelu && block < forms->size) block *= 2;
    snprintf(signature, sizeof signature, "*fp32:16,*fp32:16,i32,i32,%d", block);
    forms->kernel =
        tern_compile(forms->triton, name, signature,
                     &(tern_options){.size = sizeof(tern_options), .num_warps = is_gelu ? 4 : 8});
    forms->compiled = tern_fuse(forms->session, name, body, 1, 1, NULL);
    lab_need(forms->context, forms->kernel && forms->compiled);
    printf("\n%s, %lld x %lld\n%-10s %10s %22s\n", name, (long long)forms->size,
           (long long)forms->size, "form", "ms", "largest difference");
    measure(forms, "op", is_gelu ? gelu_op : softmax_op);
    measure(forms, "by hand", is_gelu ? gelu_by_hand : softmax_by_hand);
    if (is_gelu) measure(forms, "CUDA C", cuda_c);
    measure(forms, "Triton", triton);
    measure(forms, "compiled", compiled);
    tern_fused_free(forms->compiled);
    tern_kernel_free(forms->kernel);
    tern_drop(forms->want);
    forms->want = NULL;
}

/* A mean of a million numbers, and how far each form is from float64's. */
static tern_tensor *mean_op(Forms *forms) { return tern_mean(forms->x, NULL, 0, false); }
static tern_tensor *mean_rows(Forms *forms) {
    return tern_mean(tern_mean(forms->x, last, 1, false), NULL, 0, false);
}
static tern_tensor *mean_sum(Forms *forms) {
    return tern_mul_number(tern_sum(forms->x, NULL, 0, false), 1.0 / (double)tern_numel(forms->x));
}

static void means(Forms *forms) {
    static const struct {
        const char *label;
        Form *form;
    } rows[] = {{"mean", mean_op}, {"of rows", mean_rows}, {"sum / n", mean_sum}};
    double want, got;
    tern_tensor *wide = tern_mean(tern_to(forms->x, TERN_FLOAT64), NULL, 0, false);
    lab_need(forms->context, wide && !tern_item(wide, &want));
    printf("\nmean of %lld numbers\n%-10s %22s\n", (long long)tern_numel(forms->x), "form",
           "from float64");
    for (int i = 0; i < 3; i++) {
        tern_tensor *out = rows[i].form(forms);
        lab_need(forms->context, out && !tern_item(out, &got));
        printf("%-10s %22.1e\n", rows[i].label, fabs(got - want));
    }
}

int main(void) {
    Forms forms = {.context = lab_open()};
    const char *largest = getenv("LAB_LARGEST");
    bool is_gpu = !strncmp(tern_device_name(forms.context), "cuda", 4);
    forms.size = largest ? atoi(largest) : is_gpu ? 16384 : 1024;
    if (forms.size < 1 || forms.size > 32768) forms.size = 1024;
    forms.session = tern_session_open(forms.context);
    forms.triton = tern_load_text(forms.context, triton_text, sizeof triton_text - 1, "forms.py");
    forms.cuda = tern_load_text(forms.context, cuda_text, sizeof cuda_text - 1, "forms.cu");
    lab_need(forms.context, forms.session && forms.triton && forms.cuda);
    forms.x = tern_randn(forms.session, TERN_FLOAT32, 2, (int64_t[]){forms.size, forms.size});
    lab_need(forms.context, forms.x != NULL);
    ways(&forms, "gelu", gelu_body);
    ways(&forms, "softmax", softmax_body);
    means(&forms);
    tern_module_free(forms.triton), tern_module_free(forms.cuda);
    tern_session_close(forms.session);
    tern_close(forms.context);
    return 0;
}
