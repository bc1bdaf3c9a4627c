// SPDX-License-Identifier: Apache-2.0
/* torch: NAME_torch.cpp, by which the calls are operators of PyTorch, torch.ops.NAME.FUNCTION. It
 * checks what a call of C cannot know: the types of tensors, and that all lie in one place. */
#include "build/build.h"

/* NULL: PyTorch has no such type for tensors. */
static const char *scalar_type(tern_dtype dtype) {
    switch (dtype) {
    case TERN_BOOL: return "Bool";
    case TERN_INT8: return "Char";
    case TERN_INT16: return "Short";
    case TERN_INT32: return "Int";
    case TERN_INT64: return "Long";
    case TERN_UINT8: return "Byte";
    case TERN_UINT16: return "UInt16";
    case TERN_UINT32: return "UInt32";
    case TERN_UINT64: return "UInt64";
    case TERN_FLOAT8E4M3: return "Float8_e4m3fn";
    case TERN_FLOAT8E5M2: return "Float8_e5m2";
    case TERN_FLOAT16: return "Half";
    case TERN_BFLOAT16: return "BFloat16";
    case TERN_FLOAT32: return "Float";
    case TERN_FLOAT64: return "Double";
    case TERN_FLOAT8E4B15:
    case TERN_VOID: break;
    }
    return NULL;
}

static bool is_number(const Parameter *p) {
    return p->role == ROLE_CHOICE || (p->role == ROLE_PASSED && !p->is_pointer);
}

static bool is_float(const Parameter *p) {
    return p->role == ROLE_PASSED && !p->is_pointer && tern_dtype_is_float(p->dtype);
}

/* "int grid_x, Tensor x_ptr, Tensor(a!) out_ptr, int columns" */
static void print_schema(Buf *out, const Build *build, const Function *function) {
    int written = 0;
    for (int i = 0; i < build->grid_axes; i++)
        buf_printf(out, "%sint grid_%c", i ? ", " : "", "xyz"[i]);
    for (int i = 0; i < build->num_parameters; i++) {
        const Parameter *p = &function->parameters[i];
        if (is_number(p))
            buf_printf(out, ", %s %s", is_float(p) ? "float" : "int", p->c_name);
        else if (p->role == ROLE_PASSED && p->is_written)
            buf_printf(out, ", Tensor(t%d!) %s", written++, p->c_name);
        else if (p->role == ROLE_PASSED)
            buf_printf(out, ", Tensor %s", p->c_name);
    }
    buf_puts(out, ") -> ()");
}

/* Without their names where nobody reads them. */
static void print_cpp_parameters(Buf *out, const Build *build, const Function *function,
                                 bool named) {
    for (int i = 0; i < build->grid_axes; i++) {
        buf_puts(out, i ? ", int64_t" : "int64_t");
        if (named) buf_printf(out, " grid_%c", "xyz"[i]);
    }
    for (int i = 0; i < build->num_parameters; i++) {
        const Parameter *p = &function->parameters[i];
        if (is_number(p))
            buf_printf(out, ", %s %s", is_float(p) ? "double" : "int64_t", named ? p->c_name : "");
        else if (p->role == ROLE_PASSED)
            buf_printf(out, ", const at::Tensor &%s", named ? p->c_name : "");
    }
}

/* An int of Python's that the C function's type has no room for is refused. */
static void print_checks(Buf *out, const Build *build, const Function *function) {
    for (int i = 0; i < build->grid_axes; i++)
        buf_printf(out, "    check_range<uint32_t>(grid_%c, \"grid_%c\");\n", "xyz"[i], "xyz"[i]);
    for (int i = 0; i < build->num_parameters; i++) {
        const Parameter *p = &function->parameters[i];
        if (p->role == ROLE_PASSED && p->is_pointer)
            buf_printf(out, "    check_tensor(%s, at::k%s, \"%s\", &place);\n", p->c_name,
                       scalar_type(p->dtype), p->c_name);
        else if (p->role == ROLE_PASSED && !is_float(p))
            buf_printf(out, "    check_range<%s>(%s, \"%s\");\n", c_type(p->dtype), p->c_name,
                       p->c_name);
    }
}

static void print_call(Buf *out, const Build *build, const Function *function) {
    buf_printf(out, "void call%s(", function->suffix);
    print_cpp_parameters(out, build, function, true);
    buf_puts(out, ") {\n    Place place;\n");
    print_checks(out, build, function);
    buf_printf(out,
               "    char words[512] = \"\";\n    %s_call call = {};\n"
               "    call.size = sizeof call;\n"
               "    call.place = place.is_cuda ? %s_CUDA : %s_CPU;\n"
               "    call.stream = place.stream();\n"
               "    call.message = words, call.message_size = sizeof words;\n"
               "    const int status = ::%s(&call",
               build->name, build->caps, build->caps, function->name);
    for (int i = 0; i < build->grid_axes; i++)
        buf_printf(out, ", static_cast<uint32_t>(grid_%c)", "xyz"[i]);
    for (int i = 0; i < build->num_parameters; i++) {
        const Parameter *p = &function->parameters[i];
        if (p->role == ROLE_FIXED) continue;
        if (p->role == ROLE_CHOICE)
            buf_printf(out, ", %s", p->c_name);
        else if (p->is_pointer)
            buf_printf(out, ", static_cast<%s%s *>(%s.data_ptr())", p->is_written ? "" : "const ",
                       c_type(p->dtype), p->c_name);
        else
            buf_printf(out, ", static_cast<%s>(%s)", c_type(p->dtype), p->c_name);
    }
    buf_printf(out, ");\n    TORCH_CHECK(status == %s_OK, words);\n}\n\n", build->caps);
    buf_printf(out, "void skip%s(", function->suffix);
    print_cpp_parameters(out, build, function, false);
    buf_puts(out, ") {}\n\n");
}

static const char start[] =
    "#include <ATen/ATen.h>\n#include <torch/library.h>\n\n#include <optional>\n"
    "#include <type_traits>\n\n#ifdef CAPS_TORCH_CUDA\n#include <c10/cuda/CUDAGuard.h>\n"
    "#include <c10/cuda/CUDAStream.h>\n#endif\n\nnamespace {\n\n"
    "/* Where the tensors of a call are: all in one place. */\n"
    "struct Place {\n    std::optional<at::Device> device;\n    bool is_cuda = false;\n"
    "#ifdef CAPS_TORCH_CUDA\n    c10::cuda::OptionalCUDAGuard guard;\n"
    "    void *stream() const {\n"
    "        return is_cuda ? c10::cuda::getCurrentCUDAStream(device->index()).stream() : "
    "nullptr;\n"
    "    }\n#else\n    void *stream() const { return nullptr; }\n#endif\n};\n\n"
    "[[maybe_unused]] void check_tensor(const at::Tensor &t, at::ScalarType type, const char "
    "*name,\n"
    "                                   Place *place) {\n"
    "    TORCH_CHECK(t.scalar_type() == type, name, \" is \", t.scalar_type(), \", expected \", "
    "type);\n"
    "    TORCH_CHECK(!place->device || *place->device == t.device(), name, \" is on \", "
    "t.device(),\n                \", another tensor on \", *place->device);\n"
    "    place->device = t.device(), place->is_cuda = t.is_cuda();\n"
    "#ifdef CAPS_TORCH_CUDA\n    if (place->is_cuda) place->guard.set_device(t.device());\n"
    "#endif\n}\n\n"
    "template <typename T> [[maybe_unused]] void check_range(int64_t value, const char *name) {\n"
    "    const bool fits = static_cast<int64_t>(static_cast<T>(value)) == value &&\n"
    "                      (std::is_signed_v<T> || value >= 0);\n"
    "    TORCH_CHECK(fits, name, \" is \", value, \": the kernel has no room for it\");\n}\n\n";

const char *torch_refuses(const Build *build) {
    for (int f = 0; f < build->functions.count; f++)
        for (int i = 0; i < build->num_parameters; i++) {
            const Parameter *p = &build->functions.data[f].parameters[i];
            if (p->role == ROLE_PASSED && p->is_pointer && !scalar_type(p->dtype))
                return "PyTorch has no tensors of fp8e4b15";
        }
    return NULL;
}

void print_torch(Buf *out, Build *build) {
    static const char *const keys[][2] = {{"CPU", "call"}, {"CUDA", "call"}, {"Meta", "skip"}};
    buf_printf(
        out,
        "/* %s_torch.cpp: written by tern %s. Do not edit.\n *\n"
        " * The calls of %s.h as operators of PyTorch, torch.ops.%s.NAME(grid_x, ..): compile "
        "it with\n * %s.%s as torch.utils.cpp_extension.load does, and load the library. With "
        "-D%s_TORCH_CUDA they\n * take tensors on GPUs, too, and run on PyTorch's current "
        "stream. */\n#include \"%s.h\"\n\n",
        build->name, tern_version(), build->name, build->name, build->name,
        build->header_only ? "h" : "c", build->caps, build->name);
    print_template(out, build, start, start + sizeof start - 1);
    for (int f = 0; f < build->functions.count; f++)
        print_call(out, build, &build->functions.data[f]);
    buf_printf(out, "} // namespace\n\nTORCH_LIBRARY(%s, m) {\n", build->name);
    for (int f = 0; f < build->functions.count; f++) {
        buf_printf(out, "    m.def(\"%s(", build->functions.data[f].name);
        print_schema(out, build, &build->functions.data[f]);
        buf_puts(out, "\");\n");
    }
    buf_puts(out, "}\n");
    for (int k = 0; k < COUNT(keys); k++) {
        bool is_cuda = !strcmp(keys[k][0], "CUDA");
        if (is_cuda) buf_printf(out, "\n#ifdef %s_TORCH_CUDA", build->caps);
        buf_printf(out, "\nTORCH_LIBRARY_IMPL(%s, %s, m) {\n", build->name, keys[k][0]);
        for (int f = 0; f < build->functions.count; f++)
            buf_printf(out, "    m.impl(\"%s\", %s%s);\n", build->functions.data[f].name,
                       keys[k][1], build->functions.data[f].suffix);
        buf_puts(out, is_cuda ? "}\n#endif\n" : "}\n");
    }
}
