// SPDX-License-Identifier: Apache-2.0
/* The tables of doc/language.md are what the compiler does: each function of builtins.def is
 * compiled for each dtype, for interp, cpu and an NVIDIA GPU. TERN_BLESS=1 rewrites them; read the
 * difference. A new row of builtins.def needs a row here, unless it is one op. */
#include "tern.h"
#include "document.h"

#include <ctype.h>

typedef struct Probe {
    const char *module, *name;
    const char *expression; /* over x, y: tiles of T [32]; m: [16, 32]; i: i32 [32]; c: i1 [32]; p:
                             *T; "@x, y": a call */
} Probe;

static const Probe probes[] = {
#define TL "triton.language"
#define LD "triton.language.extra.libdevice"
    {"", "x + y", "x + y"},
    {"", "x - y", "x - y"},
    {"", "x * y", "x * y"},
    {"", "x / y", "x / y"},
    {"", "x // y", "x // y"},
    {"", "x % y", "x % y"},
    {"", "x & y", "(x & y) ^ (x | y)"},
    {"", "x << y", "x << y"},
    {"", "x >> y", "x >> y"},
    {"", "-x", "-x"},
    {"", "~x", "~x"},
    {"", "x < y", "x < y"},
    {"", "x == y", "x == y"},
    {TL, "full", "tl.full((32,), 1, x.dtype)"},
    {TL, "zeros", "tl.zeros((32,), x.dtype)"},
    {TL, "zeros_like", "tl.zeros_like(x)"},
    {TL, "to_tensor", "tl.to_tensor(x)"},
    {TL, "broadcast", "tl.broadcast(x, m)[0]"},
    {TL, "broadcast_to", "tl.broadcast_to(x[None, :], (4, 32))"},
    {TL, "reshape", "tl.reshape(x, (4, 8))"},
    {TL, "view", "tl.view(x, (4, 8))"},
    {TL, "ravel", "tl.ravel(m)"},
    {TL, "trans", "tl.trans(m)"},
    {TL, "permute", "tl.permute(m, (1, 0))"},
    {TL, "expand_dims", "tl.expand_dims(x, 0)"},
    {TL, "item", "tl.reshape(tl.load(p + tl.arange(0, 1)), (1,)).item()"},
    {TL, "join", "tl.join(x, y)"},
    {TL, "split", "tl.split(tl.reshape(x, (16, 2)))[1]"},
    {TL, "interleave", "tl.interleave(x, y)"},
    {TL, "cat", "tl.cat(x, y, can_reorder=True)"},
    {TL, "squeeze", "tl.squeeze(x[None, :], 0)"},
    {TL, "unsqueeze", "tl.unsqueeze(x, 0)"},
    {TL, "cast", "tl.cast(x, tl.float32)"},
    {TL, "to", "x.to(tl.float32)"},
    {TL, "add", "tl.add(x, y)"},
    {TL, "sub", "tl.sub(x, y)"},
    {TL, "mul", "tl.mul(x, y)"},
    {TL, "logical_and", "tl.logical_and(x, y)"},
    {TL, "logical_or", "tl.logical_or(x, y)"},
    {TL, "where", "tl.where(c, x, y)"},
    {TL, "minimum", "tl.minimum(x, y)"},
    {TL, "maximum", "tl.maximum(x, y)"},
    {TL, "clamp", "tl.clamp(x, y, y)"},
    {TL, "cdiv", "tl.cdiv(x, y)"},
    {TL, "abs", "tl.abs(x)"},
    {TL, "sigmoid", "tl.sigmoid(x)"},
    {TL, "fdiv", "tl.fdiv(x, y)"},
    {TL, "div_rn", "tl.div_rn(x, y)"},
    {TL, "fma", "tl.fma(x, y, x)"},
    {TL, "load", "tl.load(p + i, mask=c)"},
    {TL, "store", "store(p, i, x, c)"},
    {TL, "atomic_add", "tl.atomic_add(p + i, x)"},
    {TL, "atomic_max", "tl.atomic_max(p + i, x)"},
    {TL, "atomic_min", "tl.atomic_min(p + i, x)"},
    {TL, "atomic_and", "tl.atomic_and(p + i, x)"},
    {TL, "atomic_or", "tl.atomic_or(p + i, x)"},
    {TL, "atomic_xor", "tl.atomic_xor(p + i, x)"},
    {TL, "atomic_xchg", "tl.atomic_xchg(p + i, x)"},
    {TL, "atomic_cas", "tl.atomic_cas(p + i, x, y)"},
    {TL, "make_block_ptr",
     "tl.load(tl.make_block_ptr(p, (64,), (1,), (0,), (32,), (0,)), boundary_check=(0,))"},
    {TL, "advance",
     "tl.load(tl.advance(tl.make_block_ptr(p, (64,), (1,), (0,), (32,), (0,)), (32,)))"},
    {TL, "make_tensor_descriptor",
     "tl.make_tensor_descriptor(p, (64, 32), (32, 1), (16, 32)).load((0, 0))"},
    {TL, "load_tensor_descriptor",
     "tl.load_tensor_descriptor(tl.make_tensor_descriptor(p, (64, 32), (32, 1), (16, 32)), (0, "
     "0))"},
    {TL, "store_tensor_descriptor", "descriptor_store(p, m)"},
    {"tensor_descriptor", "atomic_add", "descriptor_add(p, m)"},
    {TL, "reduce", "tl.reduce(x, 0, choose)"},
    {TL, "associative_scan", "tl.associative_scan(x, 0, choose)"},
    {TL, "histogram", "tl.histogram(x, 16)"},
    {TL, "gather", "tl.gather(x, i, 0)"},
    {TL, "dot", "tl.dot(m, tl.trans(m))"},
    {TL, "dot_scaled", "scaled(m)"},
    {"tensor_descriptor", "gather", "rows(p)"},
    {TL, "sum", "tl.sum(x, 0)"},
    {TL, "xor_sum", "tl.xor_sum(x, 0)"},
    {TL, "reduce_or", "tl.reduce_or(x, 0)"},
    {TL, "max", "tl.max(x, 0)"},
    {TL, "min", "tl.min(x, 0)"},
    {TL, "argmax", "tl.argmax(x, 0)"},
    {TL, "argmin", "tl.argmin(x, 0)"},
    {TL, "cumsum", "tl.cumsum(x, 0)"},
    {TL, "cumprod", "tl.cumprod(x, 0)"},
    {TL, "softmax", "tl.softmax(x)"},
    {TL, "sort", "tl.sort(x)"},
    {TL, "topk", "tl.topk(x, 4)"},
    {TL, "bitonic_merge", "tl.bitonic_merge(x)"},
    {TL, "flip", "tl.flip(x, 0)"},
    {TL, "philox", "tl.philox(1, x, x, x, x)[0]"},
    {TL, "randint4x", "tl.randint4x(1, x)[0]"},
    {TL, "randint", "tl.randint(1, x)"},
    {TL, "uint_to_uniform_float", "tl.uint_to_uniform_float(x)"},
    {TL, "rand", "tl.rand(1, x)"},
    {TL, "rand4x", "tl.rand4x(1, x)[0]"},
    {TL, "pair_uniform_to_normal", "tl.pair_uniform_to_normal(x, y)[0]"},
    {TL, "randn", "tl.randn(1, x)"},
    {TL, "randn4x", "tl.randn4x(1, x)[0]"},
    {TL, "device_print", "show(x)"},
    {TL, "device_assert", "check(x)"},
#undef TL
#undef LD
#define IR(...)
#define MEMBER(...)
#define STATIC(...)
#define STD(...)
#define STD_MEMBER(...)
#define REFUSED(...)
#define LANES(module, name, params, ...) {module, name, "@" params},
#define LANES_MEMBER                     LANES
#include "lang/builtins.def"
#define TL "triton.language"
#define LD "triton.language.extra.libdevice"
    {LD, "abs", "libdevice.abs(x)"},
    {LD, "fma", "libdevice.fma(x, y, x)"},
    {LD, "fma_rn", "libdevice.fma_rn(x, y, x)"},
    {LD, "div_rn", "libdevice.div_rn(x, y)"},
    {LD, "fast_dividef", "libdevice.fast_dividef(x, y)"},
    {LD, "int_as_float", "libdevice.int_as_float(x)"},
    {LD, "uint_as_float", "libdevice.uint_as_float(x)"},
    {LD, "float_as_int", "libdevice.float_as_int(x)"},
    {LD, "float_as_uint", "libdevice.float_as_uint(x)"},
    {LD, "longlong_as_double", "libdevice.longlong_as_double(x)"},
    {LD, "double_as_longlong", "libdevice.double_as_longlong(x)"},
    {LD, "isnan", "libdevice.isnan(x)"},
    {LD, "isinf", "libdevice.isinf(x)"},
    {LD, "finitef", "libdevice.finitef(x)"},
    {LD, "isfinited", "libdevice.isfinited(x)"},
    {LD, "signbit", "libdevice.signbit(x)"},
    {LD, "pow", "libdevice.pow(x, y)"},
    {LD, "fast_powf", "libdevice.fast_powf(x, y)"},
    {LD, "exp10", "libdevice.exp10(x)"},
    {LD, "fast_exp10f", "libdevice.fast_exp10f(x)"},
    {LD, "log10", "libdevice.log10(x)"},
    {LD, "fast_log10f", "libdevice.fast_log10f(x)"},
    {LD, "log1p", "libdevice.log1p(x)"},
    {LD, "expm1", "libdevice.expm1(x)"},
    {LD, "tan", "libdevice.tan(x)"},
    {LD, "fast_tanf", "libdevice.fast_tanf(x)"},
    {LD, "atan", "libdevice.atan(x)"},
    {LD, "atan2", "libdevice.atan2(x, y)"},
    {LD, "asin", "libdevice.asin(x)"},
    {LD, "acos", "libdevice.acos(x)"},
    {LD, "sinh", "libdevice.sinh(x)"},
    {LD, "cosh", "libdevice.cosh(x)"},
    {LD, "asinh", "libdevice.asinh(x)"},
    {LD, "acosh", "libdevice.acosh(x)"},
    {LD, "atanh", "libdevice.atanh(x)"},
    {LD, "cbrt", "libdevice.cbrt(x)"},
    {LD, "hypot", "libdevice.hypot(x, y)"},
    {LD, "round", "libdevice.round(x)"},
    {LD, "copysign", "libdevice.copysign(x, y)"},
    {LD, "fdim", "libdevice.fdim(x, y)"},
    {LD, "saturatef", "libdevice.saturatef(x)"},
    {LD, "ffs", "libdevice.ffs(x)"},
    {LD, "add_rn", "libdevice.add_rn(x, y)"},
    {LD, "sub_rn", "libdevice.sub_rn(x, y)"},
    {LD, "mul_rn", "libdevice.mul_rn(x, y)"},
    {LD, "rcp_rn", "libdevice.rcp_rn(x)"},
    {LD, "add_rz", "libdevice.add_rz(x, y)"},
    {LD, "sub_rz", "libdevice.sub_rz(x, y)"},
    {LD, "mul_rz", "libdevice.mul_rz(x, y)"},
    {LD, "fma_rz", "libdevice.fma_rz(x, y, x)"},
    {LD, "div_rz", "libdevice.div_rz(x, y)"},
    {LD, "rsqrt_rn", "libdevice.rsqrt_rn(x)"},
    {LD, "sqrt_rz", "libdevice.sqrt_rz(x)"},
    {LD, "rcp_rz", "libdevice.rcp_rz(x)"},
    {LD, "add_rd", "libdevice.add_rd(x, y)"},
    {LD, "sub_rd", "libdevice.sub_rd(x, y)"},
    {LD, "mul_rd", "libdevice.mul_rd(x, y)"},
    {LD, "fma_rd", "libdevice.fma_rd(x, y, x)"},
    {LD, "div_rd", "libdevice.div_rd(x, y)"},
    {LD, "sqrt_rd", "libdevice.sqrt_rd(x)"},
    {LD, "rcp_rd", "libdevice.rcp_rd(x)"},
    {LD, "add_ru", "libdevice.add_ru(x, y)"},
    {LD, "sub_ru", "libdevice.sub_ru(x, y)"},
    {LD, "mul_ru", "libdevice.mul_ru(x, y)"},
    {LD, "fma_ru", "libdevice.fma_ru(x, y, x)"},
    {LD, "div_ru", "libdevice.div_ru(x, y)"},
    {LD, "sqrt_ru", "libdevice.sqrt_ru(x)"},
    {LD, "rcp_ru", "libdevice.rcp_ru(x)"},
    {LD, "float2int_rn", "libdevice.float2int_rn(x)"},
    {LD, "float2int_rz", "libdevice.float2int_rz(x)"},
    {LD, "float2int_rd", "libdevice.float2int_rd(x)"},
    {LD, "float2int_ru", "libdevice.float2int_ru(x)"},
    {LD, "float2uint_rn", "libdevice.float2uint_rn(x)"},
    {LD, "float2uint_rz", "libdevice.float2uint_rz(x)"},
    {LD, "float2uint_rd", "libdevice.float2uint_rd(x)"},
    {LD, "float2uint_ru", "libdevice.float2uint_ru(x)"},
    {LD, "float2ll_rn", "libdevice.float2ll_rn(x)"},
    {LD, "float2ll_rz", "libdevice.float2ll_rz(x)"},
    {LD, "float2ll_rd", "libdevice.float2ll_rd(x)"},
    {LD, "float2ll_ru", "libdevice.float2ll_ru(x)"},
    {LD, "float2ull_rn", "libdevice.float2ull_rn(x)"},
    {LD, "float2ull_rz", "libdevice.float2ull_rz(x)"},
    {LD, "float2ull_rd", "libdevice.float2ull_rd(x)"},
    {LD, "float2ull_ru", "libdevice.float2ull_ru(x)"},
    {LD, "double2int_rn", "libdevice.double2int_rn(x)"},
    {LD, "double2int_rz", "libdevice.double2int_rz(x)"},
    {LD, "double2int_rd", "libdevice.double2int_rd(x)"},
    {LD, "double2int_ru", "libdevice.double2int_ru(x)"},
    {LD, "double2uint_rn", "libdevice.double2uint_rn(x)"},
    {LD, "double2uint_rz", "libdevice.double2uint_rz(x)"},
    {LD, "double2uint_rd", "libdevice.double2uint_rd(x)"},
    {LD, "double2uint_ru", "libdevice.double2uint_ru(x)"},
    {LD, "double2ll_rn", "libdevice.double2ll_rn(x)"},
    {LD, "double2ll_rz", "libdevice.double2ll_rz(x)"},
    {LD, "double2ll_rd", "libdevice.double2ll_rd(x)"},
    {LD, "double2ll_ru", "libdevice.double2ll_ru(x)"},
    {LD, "double2ull_rn", "libdevice.double2ull_rn(x)"},
    {LD, "double2ull_rz", "libdevice.double2ull_rz(x)"},
    {LD, "double2ull_rd", "libdevice.double2ull_rd(x)"},
    {LD, "double2ull_ru", "libdevice.double2ull_ru(x)"},
    {LD, "double2float_rn", "libdevice.double2float_rn(x)"},
    {LD, "int2float_rn", "libdevice.int2float_rn(x)"},
    {LD, "uint2float_rn", "libdevice.uint2float_rn(x)"},
    {LD, "ll2float_rn", "libdevice.ll2float_rn(x)"},
    {LD, "ull2float_rn", "libdevice.ull2float_rn(x)"},
    {LD, "double2float_rz", "libdevice.double2float_rz(x)"},
    {LD, "int2float_rz", "libdevice.int2float_rz(x)"},
    {LD, "uint2float_rz", "libdevice.uint2float_rz(x)"},
    {LD, "ll2float_rz", "libdevice.ll2float_rz(x)"},
    {LD, "ull2float_rz", "libdevice.ull2float_rz(x)"},
    {LD, "double2float_rd", "libdevice.double2float_rd(x)"},
    {LD, "int2float_rd", "libdevice.int2float_rd(x)"},
    {LD, "uint2float_rd", "libdevice.uint2float_rd(x)"},
    {LD, "ll2float_rd", "libdevice.ll2float_rd(x)"},
    {LD, "ull2float_rd", "libdevice.ull2float_rd(x)"},
    {LD, "double2float_ru", "libdevice.double2float_ru(x)"},
    {LD, "int2float_ru", "libdevice.int2float_ru(x)"},
    {LD, "uint2float_ru", "libdevice.uint2float_ru(x)"},
    {LD, "ll2float_ru", "libdevice.ll2float_ru(x)"},
    {LD, "ull2float_ru", "libdevice.ull2float_ru(x)"},
    {LD, "int2double_rn", "libdevice.int2double_rn(x)"},
    {LD, "uint2double_rn", "libdevice.uint2double_rn(x)"},
    {LD, "ll2double_rn", "libdevice.ll2double_rn(x)"},
    {LD, "ull2double_rn", "libdevice.ull2double_rn(x)"},
    {LD, "llrint", "libdevice.llrint(x)"},
    {LD, "llround", "libdevice.llround(x)"},
    {LD, "brev", "libdevice.brev(x)"},
    {LD, "byte_perm", "libdevice.byte_perm(x, y, x)"},
    {LD, "hadd", "libdevice.hadd(x, y)"},
    {LD, "rhadd", "libdevice.rhadd(x, y)"},
    {LD, "mul24", "libdevice.mul24(x, y)"},
    {LD, "sad", "libdevice.sad(x, y, x)"},
    {LD, "double2hiint", "libdevice.double2hiint(x)"},
    {LD, "double2loint", "libdevice.double2loint(x)"},
    {LD, "hiloint2double", "libdevice.hiloint2double(x, y)"},
    {LD, "ilogb", "libdevice.ilogb(x)"},
    {LD, "logb", "libdevice.logb(x)"},
    {LD, "ldexp", "libdevice.ldexp(x, 1)"},
    {LD, "scalbn", "libdevice.scalbn(x, 1)"},
    {LD, "nextafter", "libdevice.nextafter(x, y)"},
    {LD, "erfc", "libdevice.erfc(x)"},
    {LD, "erfcx", "libdevice.erfcx(x)"},
    {LD, "normcdf", "libdevice.normcdf(x)"},
    {LD, "erfcinv", "libdevice.erfcinv(x)"},
    {LD, "normcdfinv", "libdevice.normcdfinv(x)"},
    {LD, "erfinv", "libdevice.erfinv(x)"},
    {LD, "lgamma", "libdevice.lgamma(x)"},
    {LD, "tgamma", "libdevice.tgamma(x)"},
    {LD, "sinpi", "libdevice.sinpi(x)"},
    {LD, "cospi", "libdevice.cospi(x)"},
    {LD, "rcbrt", "libdevice.rcbrt(x)"},
    {LD, "norm3d", "libdevice.norm3d(x, y, x)"},
    {LD, "norm4d", "libdevice.norm4d(x, y, x, y)"},
    {LD, "rhypot", "libdevice.rhypot(x, y)"},
    {LD, "rnorm3d", "libdevice.rnorm3d(x, y, x)"},
    {LD, "rnorm4d", "libdevice.rnorm4d(x, y, x, y)"},
    {LD, "remainder", "libdevice.remainder(x, y)"},
    {LD, "j0", "libdevice.j0(x)"},
    {LD, "j1", "libdevice.j1(x)"},
    {LD, "y0", "libdevice.y0(x)"},
    {LD, "y1", "libdevice.y1(x)"},
    {LD, "jn", "libdevice.jn(3, x)"},
    {LD, "yn", "libdevice.yn(3, x)"},
    {LD, "ll2double_rz", "libdevice.ll2double_rz(x)"},
    {LD, "ll2double_rd", "libdevice.ll2double_rd(x)"},
    {LD, "ll2double_ru", "libdevice.ll2double_ru(x)"},
    {LD, "ull2double_rz", "libdevice.ull2double_rz(x)"},
    {LD, "ull2double_rd", "libdevice.ull2double_rd(x)"},
    {LD, "ull2double_ru", "libdevice.ull2double_ru(x)"},
    {LD, "cyl_bessel_i0", "libdevice.cyl_bessel_i0(x)"},
    {LD, "cyl_bessel_i1", "libdevice.cyl_bessel_i1(x)"},
};

/* Rows whose dtypes say nothing: no operand, other rows' helpers, hints, compile-time functions. */
static const char *const without_dtype[] = {
    "program_id",
    "num_programs",
    "arange",
    "_exchange",
    "expect_zero",
    "_experimental_make_tensor_descriptor",
    "_experimental_descriptor_load",
    "_experimental_descriptor_store",
    "debug_barrier",
    "_elementwise_max",
    "_elementwise_min",
    "_sum_combine",
    "swizzle2d",
    "philox_impl",
    "uint32_to_uniform_float",
    "multiple_of",
    "max_contiguous",
    "max_constancy",
    "assume",
    "static_assert",
    "static_print",
    "inline_asm_elementwise",
    "map_elementwise",
};

typedef struct Column {
    const char *heading, *signature;
} Column;
static const Column columns[] = {
    {"i1", "i1"},    {"i8", "i8"},        {"i16", "i16"},    {"i32", "i32"},
    {"i64", "i64"},  {"u8", "u8"},        {"u16", "u16"},    {"u32", "u32"},
    {"u64", "u64"},  {"e4m3", "fp8e4nv"}, {"e5m2", "fp8e5"}, {"e4b15", "fp8e4b15"},
    {"f16", "fp16"}, {"bf16", "bf16"},    {"f32", "fp32"},   {"f64", "fp64"},
};
static const char *const targets[] = {"interp", "cpu:generic", "sm_90a"};
enum {
    NUM_PROBES = sizeof probes / sizeof *probes,
    NUM_COLUMNS = sizeof columns / sizeof *columns,
    NUM_TARGETS = 3,
    MOST_REASONS = 400
};

static const char prelude[] =
    "import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n"
    "@triton.jit\ndef choose(a, b):\n    return b\n"
    "@triton.jit\ndef store(p, i, x, c):\n    tl.store(p + i, x, mask=c)\n    return i\n"
    "@triton.jit\ndef descriptor_store(p, m):\n"
    "    tl.store_tensor_descriptor(tl.make_tensor_descriptor(p, (64, 32), (32, 1), (16, 32)), (0, "
    "0), m)\n    return 0\n"
    "@triton.jit\ndef descriptor_add(p, m):\n"
    "    tl.make_tensor_descriptor(p, (64, 32), (32, 1), (16, 32)).atomic_add((0, 0), m)\n    "
    "return 0\n"
    "@triton.jit\ndef rows(p):\n"
    "    return tl.make_tensor_descriptor(p, (64, 32), (32, 1), (1, 32)).gather(tl.arange(0, 8), "
    "0)\n"
    "@triton.jit\ndef scaled(m):\n    T: tl.constexpr = m.dtype\n"
    "    F: tl.constexpr = 'e2m1' if T == tl.uint8 else 'e4m3' if T == tl.float8e4nv else 'e5m2' "
    "if T == "
    "tl.float8e5 else 'fp16' if T == tl.float16 else 'bf16'\n"
    "    return tl.dot_scaled(m, None, F, tl.trans(m), None, F)\n"
    "@triton.jit\ndef show(x):\n    tl.device_print('x', x)\n    return 0\n"
    "@triton.jit\ndef check(x):\n    tl.device_assert(x != 0, 'zero')\n    return 0\n"
    "@triton.jit\ndef keep(q, r):\n    to = q.to(tl.pointer_type(r.dtype))\n    if len(r.shape) == "
    "0:\n        tl.store(to, r)\n"
    "    else:\n        tl.store(to + tl.zeros(r.shape, tl.int32), r)\n"
    "@triton.jit\ndef k(p, q):\n    i = tl.arange(0, 32)\n    c = i < 20\n    x = tl.load(p + i)\n "
    "   y = tl.load(p + 32 + i)\n"
    "    m = tl.load(p + tl.arange(0, 16)[:, None] * 32 + i[None, :])\n    keep(q, tl.to_tensor(";

/* Why something is refused, without the dtype's name, and for what. */
typedef struct Reason {
    char name[80], why[600], where[8], dtypes[200];
} Reason;
static Reason reasons[MOST_REASONS];
static int num_reasons;

static void replace(char *text, size_t size, const char *from, const char *to) {
    size_t length = strlen(from);
    for (char *at = text; length && (at = strstr(at, from));) {
        char rest[600];
        if (at > text && isalnum((unsigned char)at[-1])) {
            at++;
            continue;
        }
        snprintf(rest, sizeof rest, "%s", at + length);
        snprintf(at, size - (size_t)(at - text), "%s%s", to, rest);
        at += strlen(to);
    }
}

static void clean_words(const char *message, const Probe *probe, const Column *column, char *out,
                        size_t size) {
    char own[80];
    const char *start = strstr(message, "error: "), *end;
    start = start ? start + 7 : strstr(message, ": ") ? strstr(message, ": ") + 2 : message;
    if (!strncmp(start, "not supported: ", 15)) start += 15;
    end = strchr(start, '\n');
    snprintf(out, size, "%.*s", (int)(end ? end - start : (long)strlen(start)), start);
    char *where = strstr(out, ", in tl.");
    if (where) *where = 0;
    snprintf(own, sizeof own, "'%s'", probe->name);
    replace(out, size, own, "this");
    replace(out, size, "static assertion failed: ", "");
    replace(out, size, column->signature, "T");
    replace(out, size, "floatT", "T");
    if (column->signature[0] == 'i' || column->signature[0] == 'u') {
        char name[16];
        snprintf(name, sizeof name, "%s%s", column->signature[0] == 'i' ? "int" : "uint",
                 column->signature + 1);
        replace(out, size, name, "T");
    }
}

static void note_reason(const char *name, const char *words, const char *where, const char *dtype) {
    for (int i = 0; i < num_reasons; i++) {
        Reason *reason = &reasons[i];
        if (strcmp(reason->name, name) || strcmp(reason->why, words) ||
            strcmp(reason->where, where))
            continue;
        snprintf(reason->dtypes + strlen(reason->dtypes),
                 sizeof reason->dtypes - strlen(reason->dtypes), ", %s", dtype);
        return;
    }
    CHECK(num_reasons < MOST_REASONS);
    if (num_reasons == MOST_REASONS) return;
    Reason *reason = &reasons[num_reasons++];
    snprintf(reason->name, sizeof reason->name, "%s", name);
    snprintf(reason->why, sizeof reason->why, "%s", words);
    snprintf(reason->where, sizeof reason->where, "%s", where);
    snprintf(reason->dtypes, sizeof reason->dtypes, "%s", dtype);
}

static const char *label_of(const Probe *probe, char *out) {
    const char *module = !strcmp(probe->module, TL)   ? "tl."
                         : !strcmp(probe->module, LD) ? "libdevice."
                                                      : "";
    if (!strcmp(probe->module, "tensor_descriptor")) module = "descriptor.";
    sprintf(out, "%s%s", module, probe->name);
    return out;
}

/* The cell of a table: "+": everywhere; "-": nowhere; else the letters of the targets that compile.
 */
static void compile_cell(tern_context *tern, const Probe *probe, const Column *column, char *cell) {
    char text[4096], signature[64], words[600], label[80];
    label_of(probe, label);
    bool is_call = probe->expression[0] == '@';
    snprintf(text, sizeof text, is_call ? "%s%s(%s)))\n" : "%s%.0s%s))\n", prelude, label,
             probe->expression + is_call);
    snprintf(signature, sizeof signature, "*%s,*i8", column->signature);
    tern_module *module = tern_load_text(tern, text, strlen(text), "probe");
    CHECK(module != NULL);
    int good = 0;
    for (int t = 0; t < NUM_TARGETS && module; t++) {
        tern_kernel *kernel = tern_compile(module, "k", signature,
                                           &(tern_options){.target = targets[t], .debug = true});
        if (kernel)
            cell[good++] = targets[t][0] == 's' ? 'g' : targets[t][0];
        else {
            clean_words(tern_message(tern), probe, column, words, sizeof words);
            note_reason(label, words, t == 0 ? "" : t == 1 ? "cpu" : "cuda", column->heading);
        }
        tern_kernel_free(kernel);
        if (!kernel && t == 0) break; /* the front end's word counts for all */
    }
    cell[good] = 0;
    if (good == NUM_TARGETS) strcpy(cell, "+");
    if (good == 0) strcpy(cell, "-");
    tern_module_free(module);
}

static void put_escaped(FILE *out, const char *text) {
    for (; *text; text++) {
        if (strchr("|*<_", *text)) fputc('\\', out);
        fputc(*text, out);
    }
}

/* Functions that are refused for the same reason and dtypes share a row. */
static void put_reasons(FILE *out) {
    static bool is_put[MOST_REASONS];
    fprintf(out, "\n| Functions | Dtypes T | Refused, because |\n| --- | --- | --- |\n");
    for (int i = 0; i < num_reasons; i++) {
        const char *separator = "";
        if (is_put[i]) continue;
        fprintf(out, "| ");
        for (int k = i; k < num_reasons; k++) {
            const Reason *a = &reasons[i], *b = &reasons[k];
            if (strcmp(a->why, b->why) || strcmp(a->where, b->where) ||
                strcmp(a->dtypes, b->dtypes))
                continue;
            fprintf(out, "%s`%s`", separator, b->name);
            is_put[k] = true, separator = " ";
        }
        fprintf(out, " | %s | %s", reasons[i].dtypes, reasons[i].where);
        fprintf(out, "%s", reasons[i].where[0] ? ": " : "");
        put_escaped(out, reasons[i].why);
        fprintf(out, " |\n");
    }
}

static void put_tables(tern_context *tern, FILE *out) {
    char label[80], cell[8];
    fprintf(out, "| Function |");
    for (int c = 0; c < NUM_COLUMNS; c++) fprintf(out, " %s |", columns[c].heading);
    fprintf(out, "\n| --- |");
    for (int c = 0; c < NUM_COLUMNS; c++) fprintf(out, " --- |");
    fprintf(out, "\n");
    for (int i = 0; i < NUM_PROBES; i++) {
        fprintf(out, "| `%s` |", label_of(&probes[i], label));
        for (int c = 0; c < NUM_COLUMNS; c++) {
            compile_cell(tern, &probes[i], &columns[c], cell);
            fprintf(out, " %s |", cell);
        }
        fprintf(out, "\n");
    }
    put_reasons(out);
}

/* What builtins.def refuses by name. */
static void put_refused(FILE *out) {
    fprintf(out, "\n| Not supported | Instead |\n| --- | --- |\n");
    static const struct {
        const char *module, *name, *why;
    } rows[] = {
#define IR(...)
#define MEMBER(...)
#define STATIC(...)
#define STD(...)
#define STD_MEMBER(...)
#define LANES(...)
#define LANES_MEMBER(...)
#define REFUSED(module, name, why) {module, name, why},
#undef TL
#undef LD
#include "lang/builtins.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fprintf(out, "| `%s.%s` | %s |\n", rows[i].module, rows[i].name,
                rows[i].why ? rows[i].why : "");
}

static const char *const known[][2] = {
#define IR(module, name, ...) {module, name},
#define MEMBER                IR
#define STATIC(...)
#define STD          IR
#define STD_MEMBER   IR
#define LANES        IR
#define LANES_MEMBER IR
#define REFUSED(...)
#include "lang/builtins.def"
};

TEST(every_function_has_a_row) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        bool language = !strcmp(known[i][0], "triton.language"),
             found = !language && strcmp(known[i][0], "triton.language.extra.libdevice");
        for (int k = 0; k < NUM_PROBES; k++)
            found |= !strcmp(known[i][0], probes[k].module) && !strcmp(known[i][1], probes[k].name);
        for (size_t k = 0; k < sizeof without_dtype / sizeof *without_dtype; k++)
            found |= language && !strcmp(known[i][1], without_dtype[k]);
        if (!found) printf("%s.%s has no row\n", known[i][0], known[i][1]);
        CHECK(found);
    }
}

TEST(the_tables_are_up_to_date) {
    tern_context *tern = tern_open(&(tern_open_options){.device = "interp"}, NULL, NULL, 0);
    CHECK(tern != NULL);
    if (!tern) return;
    char *want = NULL;
    size_t length;
    FILE *out = open_memstream(&want, &length);
    put_tables(tern, out);
    put_refused(out);
    fclose(out);
    tern_close(tern);
    check_document("doc/language.md", "tables:", want);
    free(want);
}

TEST_MAIN()
