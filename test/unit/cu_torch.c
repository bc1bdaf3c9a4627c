// SPDX-License-Identifier: Apache-2.0
/* Functions between tensors and kernels, as PyTorch's load_inline makes them callable: called with
 * buffers on each device that needs no GPU, against double. */
#include "tern_exec.h"
#include "test.h"

#include <math.h>

static const char text[] =
    "#include <torch/extension.h>\n"
    "#include <c10/cuda/CUDAException.h>\n"
    "#define CHECK_INPUT(x) TORCH_CHECK(x.device().is_cuda(), #x \" is elsewhere\"); \\\n"
    "    TORCH_CHECK(x.is_contiguous())\n"
    "__global__ void gelu_kernel(const float *in, float *out, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) out[i] = 0.5f * in[i] * (1 + erff(in[i] / sqrtf(2.0f)));\n"
    "}\n"
    "inline unsigned cdiv(unsigned a, unsigned b) { return (a + b - 1) / b; }\n"
    "torch::Tensor gelu(torch::Tensor x) {\n"
    "    CHECK_INPUT(x);\n"
    "    auto y = torch::empty_like(x);\n"
    "    int n = x.numel();\n"
    "    const int threads = 256;\n"
    "    gelu_kernel<<<cdiv(n, threads), threads>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);\n"
    "    C10_CUDA_CHECK();\n"
    "    C10_CUDA_KERNEL_LAUNCH_CHECK();\n"
    "    return y;\n"
    "}\n"
    "template <typename T> __global__ void outer_kernel(const T *a, const T *b, T *out, int n, int "
    "m, T f) {\n"
    "    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + "
    "threadIdx.x;\n"
    "    if (row < n && col < m) out[row * m + col] += f * a[row] * b[col];\n"
    "}\n"
    "torch::Tensor outer(const torch::Tensor &a, const torch::Tensor &b, double factor) {\n"
    "    TORCH_CHECK(a.dim() == 1 && b.dim() == 1, \"two vectors\");\n"
    "    const auto n = a.size(0), m = b.size(-1);\n"
    "    torch::Tensor out = torch::zeros({n, m}, a.options());\n"
    "    dim3 block(16, 16), grid((m + block.x - 1) / block.x, (n + block.y - 1) / block.y);\n"
    "    outer_kernel<float><<<grid, block>>>(a.data_ptr<float>(), b.data_ptr<float>(),\n"
    "        out.data_ptr<float>(), n, m, factor);\n"
    "    return out;\n"
    "}\n"
    "torch::Tensor same(torch::Tensor x) { return x; }\n"
    "double half_of(double x) { return x / 2; }\n"
    "int numel(torch::Tensor x, int more) { return x.numel() + more; }\n"
    "std::map<int, int> unknown(int x) { return x; }\n"
    "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"gelu\", &gelu, \"GELU\"); }\n";

typedef struct Fixture {
    tern_context *context;
    tern_module *module;
} Fixture;

static Fixture opened(const char *device) {
    Fixture f = {tern_open(&(tern_open_options){.device = device}, NULL, NULL, 0), NULL};
    f.module = tern_load_text(f.context, text, sizeof text - 1, "wrappers.cu");
    return f;
}

static void closed(Fixture *f) {
    tern_module_free(f->module);
    tern_close(f->context);
}

static tern_exec_value tensor_of(tern_context *context, const float *data, int rows, int columns) {
    tern_exec_value value = {.kind = TERN_EXEC_TENSOR, .dtype = TERN_FLOAT32, .rank = 2};
    size_t bytes = (size_t)(rows * columns) * sizeof *data;
    value.shape[0] = rows, value.shape[1] = columns;
    if (!rows) value.rank = 1, value.shape[0] = columns, bytes = (size_t)columns * sizeof *data;
    value.buffer = tern_alloc(context, bytes);
    tern_write(value.buffer, 0, data, bytes);
    return value;
}

static tern_status call(const Fixture *f, const char *name, const tern_exec_value *args, int count,
                        tern_exec_value *result) {
    return tern_exec_function(f->module, name, NULL, args, count, result);
}

/* Called again: what is kept of a call says nothing of the next one's sizes and memory. */
static void check_gelu(const char *device) {
    enum { ROWS = 37, COLUMNS = 29, N = ROWS * COLUMNS };
    float x[N], y[N];
    Fixture f = opened(device);
    for (int turn = 0; turn < 3; turn++) {
        int rows = ROWS - 5 * turn, n = rows * COLUMNS;
        for (int i = 0; i < n; i++) x[i] = (float)(i - N / 2 + turn) / 100;
        tern_exec_value in = tensor_of(f.context, x, rows, COLUMNS), none = {.kind = TERN_EXEC_INT},
                        out;
        CHECK(call(&f, "gelu", &in, 1, &out) == TERN_OK);
        CHECK(out.kind == TERN_EXEC_TENSOR && out.rank == 2 && out.dtype == TERN_FLOAT32);
        CHECK(out.shape[0] == rows && out.shape[1] == COLUMNS && out.buffer != in.buffer);
        CHECK(tern_read(out.buffer, 0, y, (size_t)n * sizeof *y) == TERN_OK);
        for (int i = 0; i < n; i++) {
            double want = 0.5 * x[i] * (1 + erf(x[i] / sqrt(2.0)));
            CHECK(fabs(y[i] - want) <= 1e-6 + 1e-6 * fabs(want));
        }
        tern_buffer_free(out.buffer);
        tern_buffer_free(in.buffer);
        CHECK(call(&f, "gelu", &none, 1, &out) != TERN_OK);
    }
    closed(&f);
}

static void check_outer(const char *device) {
    enum { N = 21, M = 40 };
    float a[N], b[M], y[N * M];
    Fixture f = opened(device);
    for (int i = 0; i < N; i++) a[i] = (float)i / 7;
    for (int i = 0; i < M; i++) b[i] = (float)(i - 11) / 3;
    tern_exec_value in[3] = {tensor_of(f.context, a, 0, N), tensor_of(f.context, b, 0, M)}, out;
    in[2] = (tern_exec_value){.kind = TERN_EXEC_FLOAT, .number = 1.5};
    CHECK(call(&f, "outer", in, 3, &out) == TERN_OK);
    CHECK(out.rank == 2 && out.shape[0] == N && out.shape[1] == M);
    CHECK(tern_read(out.buffer, 0, y, sizeof y) == TERN_OK);
    for (int i = 0; i < N * M; i++) {
        double want = 1.5 * (double)a[i / M] * (double)b[i % M];
        CHECK(fabs(y[i] - want) <= 1e-6 * fabs(want));
    }
    tern_buffer_free(out.buffer);
    tern_buffer_free(in[0].buffer);
    tern_buffer_free(in[1].buffer);
    closed(&f);
}

TEST(tensors_on_each_device) {
    static const char *const devices[] = {"cpu", "interp", "sim"};
    for (int i = 0; i < 3; i++) {
        check_gelu(devices[i]);
        check_outer(devices[i]);
    }
}

TEST(numbers_and_what_is_given_back) {
    float x[6] = {1, 2, 3, 4, 5, 6};
    Fixture f = opened("interp");
    tern_exec_value in[2] = {tensor_of(f.context, x, 2, 3)}, out;
    CHECK(call(&f, "same", in, 1, &out) == TERN_OK && out.buffer == in[0].buffer);
    CHECK(out.rank == 2 && out.shape[1] == 3);
    in[1] = (tern_exec_value){.kind = TERN_EXEC_INT, .integer = -10};
    CHECK(call(&f, "numel", in, 2, &out) == TERN_OK);
    CHECK(out.kind == TERN_EXEC_INT && out.integer == -4);
    CHECK(call(&f, "half_of", &in[1], 1, &out) == TERN_OK);
    CHECK(out.kind == TERN_EXEC_FLOAT && out.number == -5);
    tern_buffer_free(in[0].buffer);
    closed(&f);
}

static void says(const Fixture *f, const char *name, const tern_exec_value *args, int count,
                 tern_status want, const char *words) {
    tern_exec_value out;
    tern_status status = call(f, name, args, count, &out);
    if (status != want || !strstr(tern_message(f->context), words))
        printf("%s: %d: %s\n", name, status, tern_message(f->context));
    CHECK(status == want && strstr(tern_message(f->context), words));
}

TEST(what_is_wrong) {
    float x[6] = {1, 2, 3, 4, 5, 6};
    Fixture f = opened("sim");
    tern_exec_value in[3] = {tensor_of(f.context, x, 2, 3), tensor_of(f.context, x, 2, 3)};
    tern_exec_value whole = {.kind = TERN_EXEC_INT, .integer = 2};
    in[2] = (tern_exec_value){.kind = TERN_EXEC_FLOAT, .number = 1};
    says(&f, "outer", in, 3, TERN_ERROR_KERNEL, "TORCH_CHECK(a.dim() == 1 && b.dim() == 1) fails");
    says(&f, "outer", in, 3, TERN_ERROR_KERNEL, "wrappers.cu:25:");
    says(&f, "outer", in, 2, TERN_ERROR_KERNEL, "fewer than there are parameters");
    says(&f, "gelu", in, 2, TERN_ERROR_KERNEL, "more than there are parameters");
    says(&f, "gelu", &whole, 1, TERN_ERROR_KERNEL, "argument 1 is no tensor");
    says(&f, "half_of", in, 1, TERN_ERROR_KERNEL, "argument 1 is a tensor");
    says(&f, "numel", (tern_exec_value[]){in[0], in[2]}, 2, TERN_ERROR_KERNEL,
         "argument 2 is no integer");
    in[0].dtype = TERN_FLOAT16;
    says(&f, "gelu", in, 1, TERN_ERROR_KERNEL, "data_ptr of another type");
    in[0].dtype = TERN_FLOAT64;
    says(&f, "gelu", in, 1, TERN_ERROR_KERNEL, "whose buffer does not hold its shape");
    says(&f, "unknown", &whole, 1, TERN_ERROR_UNSUPPORTED,
         "wrappers.cu:36:1: not supported: 'std::map' on the host");
    says(&f, "nothing", &whole, 1, TERN_ERROR_ARGUMENT, "no function 'nothing' for the host");
    says(&f, "main", &whole, 1, TERN_ERROR_ARGUMENT, "is for tern_exec");
    tern_buffer_free(in[0].buffer);
    tern_buffer_free(in[1].buffer);
    closed(&f);
}

TEST_MAIN()
