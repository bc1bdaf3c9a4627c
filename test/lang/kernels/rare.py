# SPDX-License-Identifier: Apache-2.0
# What kernels rarely say: the machine's own words, promises about values, dimensions of one lane, names
# that are bound inside of an expression; and what is said where a value has no meaning there.
import math
import numpy
import triton
import triton.language as tl
from triton.language import target_info
from triton.language.extra import cuda, libdevice
from typing import NamedTuple
from unknown_place import helper

CHANGED = 1
CHANGED = CHANGED + numpy.random.randint(3)
TABLE = {"a": 1}


class Two(NamedTuple):
    left: tl.tensor
    right: tl.tensor


def plain(x):
    return x


@triton.constexpr_function
def known(x):
    return x + 1


@triton.jit
def either(a, b):
    return tl.maximum(a, b)


# ---- the machine ----


# ir: clocks *i64,*i32
# want: func @clocks(%p: ptr<i64>, %q: ptr<i32>) {num_warps = 4, num_stages = 3} {
# want:   %0 = clock {kind = "globaltimer"} : i64
# want:   store %p, %0
# want:   %1 = clock {kind = "smid"} : i32
# want:   store %q, %1
# want:   yield
# want: }
@triton.jit
def clocks(p, q):
    tl.store(p, cuda.globaltimer())
    tl.store(q, cuda.smid())


# ir: warps *i32
# want: func @warps(%p: ptr<i32>) {num_warps = 4, num_stages = 3} {
# want:   %0 = constant 4128 : i32
# want:   store %p, %0
# want:   yield
# want: }
@triton.jit
def warps(p):
    cuda.gdc_wait()
    tl.store(p, cuda.num_warps() * 1000 + cuda.num_threads())
    cuda.gdc_launch_dependents()


# ir: target *i32
# want: func @target(%p: ptr<i32>) {num_warps = 4, num_stages = 3} {
# want:   yield
# want: }
@triton.jit
def target(p):
    tl.static_assert(target_info.is_cuda())
    tl.static_assert(not target_info.is_cpu())
    tl.static_assert(not target_info.is_hip())
    tl.static_assert(not target_info.is_hip_cdna3())
    tl.static_assert(not target_info.is_hip_cdna4())
    tl.static_assert(target_info.cuda_capability_geq(9, 0))
    tl.static_assert(target_info.cuda_capability_geq(8))
    tl.static_assert(target_info.cuda_capability_geq(8, 9))
    tl.static_assert(not target_info.cuda_capability_geq(9, 1))
    tl.static_assert(not target_info.cuda_capability_geq(10))


# case: target_words i32
# want: error 'n': 'major' of 'cuda_capability_geq' must be a compile-time int, got int32
# want: help: a plain assignment makes a run-time value: declare the parameter or the variable as tl.constexpr
@triton.jit
def target_words(n):
    target_info.cuda_capability_geq(n)


# case: prints_types i32
# want: printed 'tl.static_print("n", n, 3, sep="-", end="!")': n-int32-3!
# want: printed 'tl.static_print(tl.arange(0, 4))': int32[4]\n
# want: error 'n': 'sep' of 'static_print' must be a string, got int32
# want: error 'n': 'end' of 'static_print' must be a string, got int32
@triton.jit
def prints_types(n):
    tl.static_print("n", n, 3, sep="-", end="!")
    tl.static_print(tl.arange(0, 4))
    tl.static_print("x", sep=n)
    tl.static_print("x", end=n)


# ---- promises ----


# ir: promises *i32,i32
# want: func @promises(%p: ptr<i32>, %n: i32) {num_warps = 4, num_stages = 3} {
# want:   %0 = arange {start = 0, end = 8} : tile<8xi32>
# want:   %1 = splat %n : tile<8xi32>
# want:   %2 = add %0, %1 : tile<8xi32>
# want:   %3 = hint %2 {kind = divisible, values = [8]} : tile<8xi32>
# want:   %i = hint %3 {kind = contiguous, values = [8]} : tile<8xi32>
# want:   %4 = constant 0 : i32
# want:   %5 = splat %4 : tile<4x8xi32>
# want:   %6 = splat %n : tile<4x8xi32>
# want:   %7 = add %5, %6 : tile<4x8xi32>
# want:   %j = hint %7 {kind = constant, values = [2, 4]} : tile<4x8xi32>
# want:   %8 = constant 0.0 : f32
# want:   %f = splat %8 : tile<8xf32>
# want:   %9 = splat %p : tile<8xptr<i32>>
# want:   %10 = addptr %9, %i : tile<8xptr<i32>>
# want:   %11 = reduce %j {axis = 0} : tile<8xi32> (%12: i32, %13: i32) {
# want:     %14 = add %12, %13 : i32
# want:     yield %14
# want:   }
# want:   %15 = f_to_s %f : tile<8xi32>
# want:   %16 = add %11, %15 : tile<8xi32>
# want:   store %10, %16
# want:   yield
# want: }
@triton.jit
def promises(p, n):
    i = tl.max_contiguous(tl.multiple_of(tl.arange(0, 8) + n, 8), 8)
    j = tl.max_constancy(tl.zeros((4, 8), tl.int32) + n, (2, 4))
    f = tl.multiple_of(tl.zeros((8,), tl.float32), 8)
    tl.static_assert(tl.multiple_of(16, 8) == 16)
    tl.store(p + i, tl.sum(j, 0) + f.to(tl.int32))


# case: promise_of_text i32
# want: error '"a"': 'multiple_of' needs a tensor, got str
@triton.jit
def promise_of_text(n):
    tl.multiple_of("a", 8)


# case: promise_of_rank i32
# want: error '(8, 8)': 'multiple_of' needs 1 value, one for each dimension, got 2
@triton.jit
def promise_of_rank(n):
    tl.multiple_of(tl.arange(0, 8), (8, 8))


# case: promise_of_ranks i32
# want: error '8': 'max_contiguous' needs 2 values, one for each dimension, got 1
@triton.jit
def promise_of_ranks(n):
    tl.max_contiguous(tl.zeros((4, 8), tl.int32), 8)


# case: promise_at_run_time i32
# want: error 'n': the values of 'multiple_of' must be compile-time ints from 1 up, got int32
@triton.jit
def promise_at_run_time(n):
    tl.multiple_of(tl.arange(0, 8), n)


# case: promise_of_zero i32
# want: error '0': the values of 'multiple_of' must be compile-time ints from 1 up, got int
@triton.jit
def promise_of_zero(n):
    tl.multiple_of(tl.arange(0, 8), 0)


# case: promise_of_one i32
# want: ok
@triton.jit
def promise_of_one(n):
    tl.multiple_of(tl.arange(0, 8), 1)


# case: promise_too_large i32
# want: error '2147483648': the values of 'multiple_of' must be compile-time ints from 1 up, got int
@triton.jit
def promise_too_large(n):
    tl.multiple_of(tl.arange(0, 8), 2147483648)


# ---- arithmetic ----


# ir: quotients *fp32,fp32,fp32
# want: func @quotients(%p: ptr<f32>, %x: f32, %y: f32) {num_warps = 4, num_stages = 3} {
# want:   %0 = fdiv %x, %y : f32
# want:   store %p, %0
# want:   %1 = constant 1 : i32
# want:   %2 = addptr %p, %1 : ptr<f32>
# want:   %3 = fdiv %x, %y {exact = 1} : f32
# want:   store %2, %3
# want:   %4 = constant 2 : i32
# want:   %5 = addptr %p, %4 : ptr<f32>
# want:   %6 = fdiv %x, %y : f32
# want:   store %5, %6
# want:   yield
# want: }
@triton.jit
def quotients(p, x, y):
    tl.store(p, libdevice.fast_dividef(x, y))
    tl.store(p + 1, tl.div_rn(x, y))
    tl.store(p + 2, tl.fdiv(x, y))


# case: quotient_of_ints i32
# want: error 'n': 'fast_dividef' needs fp32, got int32
# want: help: cast with .to(tl.float32)
@triton.jit
def quotient_of_ints(n):
    libdevice.fast_dividef(n, 2.0)


# case: quotient_by_half fp32,fp16
# want: error 'x': 'fast_dividef' needs fp32, got fp16
# want: help: cast with .to(tl.float32)
@triton.jit
def quotient_by_half(x, y):
    libdevice.fast_dividef(x, y)


# ir: abs8 *fp8e5,fp8e5
# want: func @abs8(%p: ptr<f8e5m2>, %x: f8e5m2) {num_warps = 4, num_stages = 3} {
# want:   %0 = bitcast %x : i8
# want:   %1 = constant 127 : i8
# want:   %2 = and %0, %1 : i8
# want:   %3 = bitcast %2 : f8e5m2
# want:   store %p, %3
# want:   yield
# want: }
@triton.jit
def abs8(p, x):
    tl.store(p, tl.abs(x))


# case: abs_of_pointer *i32
# want: error 'p': 'abs' of a pointer
@triton.jit
def abs_of_pointer(p):
    tl.abs(p)


# case: clamp_pointer *i32
# want: error 'tl.clamp(p, p, p)': invalid operands of type pointer<int32> and pointer<int32>
@triton.jit
def clamp_pointer(p):
    tl.clamp(p, p, p)


# case: fma_of_ints i32
# want: error 'n': 'fma' needs floats, got int32
@triton.jit
def fma_of_ints(n):
    tl.fma(n, n, n)


# case: fma_of_shapes fp32
# want: error 'tl.fma(x, tl.zeros((4,), tl.float32), tl.zeros((8,), tl.float32))': shapes do not broadcast: [8] and [4]
# want: note 'tl.zeros((8,), tl.float32)': the left operand gets its shape [8] here
# want: note 'tl.fma(x, tl.zeros((4,), tl.float32), tl.zeros((8,), tl.float32))': the right operand gets its shape [4] here
@triton.jit
def fma_of_shapes(x):
    tl.fma(x, tl.zeros((4,), tl.float32), tl.zeros((8,), tl.float32))


# ir: nothing_expected *fp32
# want: func @nothing_expected(%p: ptr<f32>) {num_warps = 4, num_stages = 3} {
# want:   %0 = arange {start = 0, end = 4} : tile<4xi32>
# want:   %1 = splat %p : tile<4xptr<f32>>
# want:   %2 = addptr %1, %0 : tile<4xptr<f32>>
# want:   %x = load %2 : tile<4xf32>
# want:   %3 = arange {start = 0, end = 4} : tile<4xi32>
# want:   %4 = splat %p : tile<4xptr<f32>>
# want:   %5 = addptr %4, %3 : tile<4xptr<f32>>
# want:   %6 = constant 0 : i32
# want:   %7 = s_to_f %6 : f32
# want:   %8 = splat %7 : tile<4xf32>
# want:   %9 = fcmp %x, %8 {predicate = ogt} : tile<4xi1>
# want:   store %5, %x
# want:   yield
# want: }
@triton.jit
def nothing_expected(p):
    x = tl.load(p + tl.arange(0, 4))
    tl.store(p + tl.arange(0, 4), tl.expect_zero(x, x > 0))


# case: bits_of_another fp32
# want: error 'x': 'int_as_float' needs int32, got fp32
@triton.jit
def bits_of_another(x):
    libdevice.int_as_float(x)


# ir: extremes_under_a_mask *fp32,*fp64,i1
# want: func @extremes_under_a_mask(%p: ptr<f32>, %q: ptr<f64>, %m: i1) {num_warps = 4, num_stages = 3} {
# want:   %0 = constant 1.0 : f32
# want:   %1 = bitcast %0 : i32
# want:   %2 = bitcast %p : ptr<i32>
# want:   %3 = constant 0 : i32
# want:   %4 = icmp %1, %3 {predicate = slt} : i1
# want:   %5 = constant 1 : i1
# want:   %6 = xor %4, %5 : i1
# want:   %7 = and %m, %6 : i1
# want:   %8 = and %m, %4 : i1
# want:   %9 = atomic_rmw %2, %1, %7 {kind = max_s} : i32
# want:   %10 = atomic_rmw %2, %1, %8 {kind = min_u} : i32
# want:   %11 = select %6, %9, %10 : i32
# want:   %12 = bitcast %11 : f32
# want:   %13 = constant 1.0 : f32
# want:   %14 = fext %13 : f64
# want:   %15 = bitcast %14 : i64
# want:   %16 = bitcast %q : ptr<i64>
# want:   %17 = constant 0 : i32
# want:   %18 = ext_s %17 : i64
# want:   %19 = icmp %15, %18 {predicate = slt} : i1
# want:   %20 = constant 1 : i1
# want:   %21 = xor %19, %20 : i1
# want:   %22 = and %m, %21 : i1
# want:   %23 = and %m, %19 : i1
# want:   %24 = atomic_rmw %16, %15, %22 {kind = min_s} : i64
# want:   %25 = atomic_rmw %16, %15, %23 {kind = max_u} : i64
# want:   %26 = select %21, %24, %25 : i64
# want:   %27 = bitcast %26 : f64
# want:   yield
# want: }
@triton.jit
def extremes_under_a_mask(p, q, m):
    tl.atomic_max(p, 1.0, mask=m)
    tl.atomic_min(q, 1.0, mask=m)


# ir: ceilings *i32,i32
# want: func @ceilings(%p: ptr<i32>, %n: i32) {num_warps = 4, num_stages = 3} {
# want:   %0 = constant 3 : i32
# want:   %1 = add %n, %0 : i32
# want:   %2 = constant 4 : i32
# want:   %3 = div_s %1, %2 : i32
# want:   store %p, %3
# want:   %4 = constant 1 : i32
# want:   %5 = addptr %p, %4 : ptr<i32>
# want:   %6 = constant 3 : i32
# want:   store %5, %6
# want:   %7 = constant 2 : i32
# want:   %8 = addptr %p, %7 : ptr<i32>
# want:   %9 = constant 1 : i32
# want:   %10 = sub %n, %9 : i32
# want:   %11 = constant 9 : i32
# want:   %12 = add %11, %10 : i32
# want:   %13 = div_s %12, %n : i32
# want:   store %8, %13
# want:   yield
# want: }
@triton.jit
def ceilings(p, n):
    tl.store(p, triton.cdiv(n, 4))
    tl.store(p + 1, triton.cdiv(9, 4))
    tl.store(p + 2, tl.cdiv(9, n))


# ir: offsets *i32,u8,u32,u64
# want: func @offsets(%p: ptr<i32>, %a: i8 {unsigned = 1}, %b: i32 {unsigned = 1}, %c: i64 {unsigned = 1}) {num_warps = 4, num_stages = 3} {
# want:   %0 = ext_u %a : i64
# want:   %1 = addptr %p, %0 : ptr<i32>
# want:   %2 = constant 1 : i32
# want:   store %1, %2
# want:   %3 = ext_u %b : i64
# want:   %4 = addptr %p, %3 : ptr<i32>
# want:   %5 = constant 2 : i32
# want:   store %4, %5
# want:   %6 = addptr %p, %c : ptr<i32>
# want:   %7 = constant 3 : i32
# want:   store %6, %7
# want:   yield
# want: }
@triton.jit
def offsets(p, a, b, c):
    tl.store(p + a, 1)
    tl.store(p + b, 2)
    tl.store(p + c, 3)


# ir: sums *fp32,*fp16
# want: func @sums(%p: ptr<f32>, %q: ptr<f16>) {num_warps = 4, num_stages = 3} {
# want:   %0 = arange {start = 0, end = 4} : tile<4xi32>
# want:   %1 = splat %q : tile<4xptr<f16>>
# want:   %2 = addptr %1, %0 : tile<4xptr<f16>>
# want:   %x = load %2 : tile<4xf16>
# want:   %3 = fext %x : tile<4xf32>
# want:   %4 = reshape %3 : tile<4xf32>
# want:   %5 = reduce %4 {axis = 0} : f32 (%6: f32, %7: f32) {
# want:     %8 = fadd %6, %7 : f32
# want:     yield %8
# want:   }
# want:   store %p, %5
# want:   %9 = arange {start = 0, end = 4} : tile<4xi32>
# want:   %10 = splat %p : tile<4xptr<f32>>
# want:   %11 = addptr %10, %9 : tile<4xptr<f32>>
# want:   %12 = fext %x : tile<4xf32>
# want:   %13 = scan %12 {axis = 0} : tile<4xf32> (%14: f32, %15: f32) {
# want:     %16 = fadd %14, %15 : f32
# want:     yield %16
# want:   }
# want:   store %11, %13
# want:   yield
# want: }
@triton.jit
def sums(p, q):
    x = tl.load(q + tl.arange(0, 4))
    tl.store(p, tl.sum(x, dtype=tl.float32))
    tl.store(p + tl.arange(0, 4), tl.cumsum(x, dtype=tl.float32))


# ---- shapes ----


# ir: squeezed *fp32
# want: func @squeezed(%p: ptr<f32>) {num_warps = 4, num_stages = 3} {
# want:   %0 = constant 0.0 : f32
# want:   %x = splat %0 : tile<4x1x2xf32>
# want:   %1 = reshape %x : tile<4x2xf32>
# want:   %2 = expand_dims %x {axis = 0} : tile<1x4x1x2xf32>
# want:   %3 = expand_dims %x {axis = 3} : tile<4x1x2x1xf32>
# want:   %4 = expand_dims %x {axis = 3} : tile<4x1x2x1xf32>
# want:   %5 = reshape %x : tile<4x2xf32>
# want:   %6 = reduce %5 {axis = 0} : tile<2xf32> (%7: f32, %8: f32) {
# want:     %9 = fadd %7, %8 : f32
# want:     yield %9
# want:   }
# want:   %10 = reduce %6 {axis = 0} : f32 (%11: f32, %12: f32) {
# want:     %13 = fadd %11, %12 : f32
# want:     yield %13
# want:   }
# want:   store %p, %10
# want:   yield
# want: }
@triton.jit
def squeezed(p):
    x = tl.zeros((4, 1, 2), tl.float32)
    tl.static_assert(tl.squeeze(x, 1).shape == (4, 2))
    tl.static_assert(tl.unsqueeze(x, 0).shape == (1, 4, 1, 2))
    tl.static_assert(tl.unsqueeze(x, 3).shape == (4, 1, 2, 1))
    tl.static_assert(tl.unsqueeze(x, -1).shape == (4, 1, 2, 1))
    tl.store(p, tl.sum(tl.sum(tl.squeeze(x, -2), 0), 0))


# case: squeeze_of_more fp32
# want: error '0': dimension 0 of fp32[4, 1] is not 1
@triton.jit
def squeeze_of_more(x):
    tl.squeeze(tl.zeros((4, 1), tl.float32), 0)


# case: too_many_dimensions fp32
# want: refused 'y': a tensor of 33 dimensions, tern supports 32
@triton.jit
def too_many_dimensions(x):
    y = tl.zeros((1,) * 32, tl.float32)
    tl.unsqueeze(y, 0)


# case: expanded_too_far fp32
# want: refused 'y[:, None]': a tensor of 33 dimensions, tern supports 32
@triton.jit
def expanded_too_far(x):
    y = tl.zeros((1,) * 32, tl.float32)
    y[:, None]


# ir: kept_dimensions *fp32
# want: func @kept_dimensions(%p: ptr<f32>) {num_warps = 4, num_stages = 3} {
# want:   %0 = constant 0.0 : f32
# want:   %x = splat %0 : tile<4x2xf32>
# want:   %row = arange {start = 0, end = 4} : tile<4xi32>
# want:   %row.1 = reshape %row : tile<4x1xi32>
# want:   %1 = broadcast %row.1 : tile<4x2xi32>
# want:   %2, %3 = reduce %x, %1 {axis = 0} : tile<2xf32>, tile<2xi32> (%4: f32, %5: i32, %6: f32, %7: i32) {
# want:     %8 = fcmp %4, %6 {predicate = ogt} : i1
# want:     %9 = fcmp %4, %6 {predicate = oeq} : i1
# want:     %10 = icmp %5, %7 {predicate = slt} : i1
# want:     %11 = and %9, %10 : i1
# want:     %keep = or %8, %11 : i1
# want:     %b_nan = fcmp %6, %6 {predicate = une} : i1
# want:     %12 = fcmp %4, %4 {predicate = oeq} : i1
# want:     %13 = icmp %5, %7 {predicate = slt} : i1
# want:     %14 = or %12, %13 : i1
# want:     %15 = and %b_nan, %14 : i1
# want:     %keep.1 = or %keep, %15 : i1
# want:     %16 = select %keep.1, %4, %6 : f32
# want:     %17 = select %keep.1, %5, %7 : i32
# want:     yield %16, %17
# want:   }
# want:   %both = expand_dims %2 {axis = 0} : tile<1x2xf32>
# want:   %place = expand_dims %3 {axis = 0} : tile<1x2xi32>
# want:   %18 = reshape %x : tile<8xf32>
# want:   %19 = reduce %18 {axis = 0} : f32 (%20: f32, %21: f32) {
# want:     %22 = fadd %20, %21 : f32
# want:     yield %22
# want:   }
# want:   %23 = splat %19 : tile<1xf32>
# want:   %24 = expand_dims %23 {axis = 0} : tile<1x1xf32>
# want:   %25 = reshape %both : tile<2xf32>
# want:   %26 = reduce %25 {axis = 0} : f32 (%27: f32, %28: f32) {
# want:     %29 = fadd %27, %28 : f32
# want:     yield %29
# want:   }
# want:   %30 = reshape %place : tile<2xi32>
# want:   %31 = reduce %30 {axis = 0} : i32 (%32: i32, %33: i32) {
# want:     %34 = add %32, %33 : i32
# want:     yield %34
# want:   }
# want:   %35 = s_to_f %31 : f32
# want:   %36 = fadd %26, %35 : f32
# want:   store %p, %36
# want:   yield
# want: }
@triton.jit
def kept_dimensions(p):
    x = tl.zeros((4, 2), tl.float32)
    both, place = tl.max(x, 0, return_indices=True, keep_dims=True)
    tl.static_assert(both.shape == (1, 2))
    tl.static_assert(place.shape == (1, 2))
    tl.static_assert(tl.sum(x, keep_dims=True).shape == (1, 1))
    tl.store(p, tl.sum(both) + tl.sum(place).to(tl.float32))


# case: reduce_of_nothing fp32
# want: error '()': 'reduce' needs a tensor
@triton.jit
def reduce_of_nothing(x):
    tl.reduce((), 0, either)


# case: reduce_of_text fp32
# want: error '"a"': 'reduce' needs tensors, got str
@triton.jit
def reduce_of_text(x):
    tl.reduce("a", 0, either)


# case: reduce_of_texts fp32
# want: error '(tl.zeros((4,), tl.float32), "a")': 'reduce' needs tensors, got str
@triton.jit
def reduce_of_texts(x):
    tl.reduce((tl.zeros((4,), tl.float32), "a"), 0, either)


# case: shape_of_a_type fp32
# want: ok
@triton.jit
def shape_of_a_type(x):
    tl.static_assert(tl.block_type(tl.float32, [4, 8]).get_block_shapes() == (4, 8))
    tl.static_assert(tl.zeros((2, 4), tl.int8).type.get_block_shapes() == (2, 4))


# case: block_pointer_of_a_number *fp32
# want: error '64': shape must be a tuple of ints, got int
@triton.jit
def block_pointer_of_a_number(p):
    tl.make_block_ptr(p, 64, (64, 1), (0, 0), (16, 16), (1, 0))


# case: descriptor_of_a_number *fp32
# want: error '64': strides must be a tuple of ints, got int
@triton.jit
def descriptor_of_a_number(p):
    tl.make_tensor_descriptor(p, [64, 64], 64, [16, 16])


# case: block_store_outside *fp32
# want: error '(2,)': boundary_check must hold dimensions 0 .. 1
@triton.jit
def block_store_outside(p):
    b = tl.make_block_ptr(p, (64, 64), (64, 1), (0, 0), (16, 16), (1, 0))
    tl.store(b, tl.zeros((16, 16), tl.float32), boundary_check=(2,))


# ---- names and values ----


# ir: walrus *i32,i32
# want: func @walrus(%p: ptr<i32>, %n: i32) {num_warps = 4, num_stages = 3} {
# want:   %0 = constant 2 : i32
# want:   %1 = mul %n, %0 : i32
# want:   %2 = constant 3 : i32
# want:   %3 = icmp %1, %2 {predicate = sgt} : i1
# want:   if %3 {
# want:     store %p, %1
# want:     yield
# want:   } {
# want:     yield
# want:   }
# want:   %4 = constant 1 : i32
# want:   %5 = addptr %p, %4 : ptr<i32>
# want:   store %5, %1
# want:   yield
# want: }
@triton.jit
def walrus(p, n):
    if (k := n * 2) > 3:
        tl.store(p, k)
    tl.store(p + 1, k)


# case: walrus_of_a_table i32
# want: error 'k := TABLE': dict cannot be assigned to a run-time variable
# want: help: declare the variable as 'name: tl.constexpr = ..'
@triton.jit
def walrus_of_a_table(n):
    (k := TABLE)


# case: assigned_table i32
# want: error 'TABLE': dict cannot be assigned to a run-time variable
# want: help: declare the variable as 'name: tl.constexpr = ..'
@triton.jit
def assigned_table(n):
    k = TABLE


# case: assigned_unknown i32
# want: error 'CHANGED': the value of 'CHANGED + numpy.random.randint(3)' is not known at compile time
# want: help: --global CHANGED=VALUE gives it one
@triton.jit
def assigned_unknown(n):
    k = CHANGED


# case: star_of_a_number i32
# want: error '*n': '*' needs a tuple, got int32
@triton.jit
def star_of_a_number(n):
    k = (*n, 1)


# case: star_alone i32
# want: error '*n': '*' needs a tuple, got int32
@triton.jit
def star_alone(n):
    n[*n]


# case: truth_of_a_function i32
# want: ok
@triton.jit
def truth_of_a_function(n):
    if either and n > 0:
        pass


# case: not_a_function i32
# want: error 'not numpy': the value of the module 'numpy' is not known at compile time
@triton.jit
def not_a_function(n):
    tl.static_assert(not numpy)


# case: and_with_text i32
# want: ok
@triton.jit
def and_with_text(n):
    (n > 0) and "a"


# case: and_with_number i32
# want: ok
@triton.jit
def and_with_number(n):
    (n > 0) and 5


# case: or_with_nothing i32
# want: ok
@triton.jit
def or_with_nothing(n):
    (n > 0) or None


# case: and_with_truth i32
# want: ok
@triton.jit
def and_with_truth(n):
    tl.static_assert(((n > 0) and False) is False)
    tl.static_assert(((n > 0) or True) is True)
    tl.static_assert(((n > 0) and True).dtype == tl.int1)
    tl.static_assert((5 and (n > 0)).dtype == tl.int1)
    tl.static_assert((0 or (n > 0)).dtype == tl.int1)
    tl.static_assert((0 and (n > 0)) == 0)


# case: same_objects i32
# want: ok
@triton.jit
def same_objects(n):
    tl.static_assert(n is n)
    tl.static_assert(None is None)
    tl.static_assert(tl.float32 is tl.float32)
    tl.static_assert(tl.float32 is not tl.float16)
    tl.static_assert(1 is not None)
    tl.static_assert(n is not None)
    tl.static_assert((1, 2) is not (1, 2))
    tl.static_assert("a" is "a")
    tl.static_assert("a" is not "b")
    tl.static_assert(True is not False)


# case: where_of_both *i32
# want: error 'tl.where(True, p, 1)': tl.where between pointer<int32> and int32
@triton.jit
def where_of_both(p):
    tl.where(True, p, 1)


# case: where_of_a_null *i32
# want: error 'p == 0': invalid operands of type pointer<int32> and int32
@triton.jit
def where_of_a_null(p):
    tl.where(p == 0, p, 0)


# case: bare_constexpr *i32,i32
# want: error 'm': the arguments of 'arange' must be tl.constexpr, got int32
# want: help: declare the parameter as tl.constexpr, or write 'name: tl.constexpr = ..' where it is assigned
@triton.jit
def bare_constexpr(p, n):
    k: tl.constexpr
    k = 4
    tl.store(p + tl.arange(0, k), n)
    m: tl.int32
    m = 4
    tl.arange(0, m)


# case: named_constexpr *i32
# want: ok
@triton.jit
def named_constexpr(p):
    a: "tl.constexpr" = 4
    tl.store(p + tl.arange(0, a), 1)


# case: annotated_item *i32
# want: error 'p[0]': only a name can be annotated in a kernel
@triton.jit
def annotated_item(p):
    p[0]: tl.constexpr = 4


# case: two_targets *i32
# want: error 'a = b = 1': assigning to several targets at once is not supported
@triton.jit
def two_targets(p):
    a = b = 1


# case: star_target *i32
# want: warning 'a, *b = 1, 2, 3': 3 values for 2 names: as in Triton, the rest is dropped
# want: error '*b': this cannot be assigned to in a kernel
@triton.jit
def star_target(p):
    for i in range(2):
        a, *b = 1, 2, 3


# case: fields i32
# want: error 'n': 'Two' has no such field
@triton.jit
def fields(n):
    Two(n, n, n)


# case: field_unknown i32
# want: error 'n': 'Two' has no such field
@triton.jit
def field_unknown(n):
    Two(n, middle=n)


# case: field_twice i32
# want: error 'n': field 'left' of 'Two' is given twice
@triton.jit
def field_twice(n):
    Two(n, left=n)


# case: known_of_run_time i32
# want: error 'n': 'known' is evaluated at compile time, but this argument is known at run time only
@triton.jit
def known_of_run_time(n):
    known(n)


# case: plain_of_run_time i32
# want: error 'n': 'plain' is a plain Python function: it cannot take a tensor
# want: help: decorate it with @triton.jit
@triton.jit
def plain_of_run_time(n):
    plain(n)


# case: missing_module i32
# want: error 'helper(n)': the module 'unknown_place' is not found: it has 'helper'
# want: help: -I DIR adds a folder to look in; --global helper=VALUE gives the name a value
@triton.jit
def missing_module(n):
    helper(n)


# case: log_of_run_time i32
# want: error 'n': math.log needs a compile-time number, got int32
@triton.jit
def log_of_run_time(n):
    math.log(n)


# case: known_log i32
# want: error 'math.pow("a", 2)': math.pow needs compile-time numbers
@triton.jit
def known_log(n):
    tl.static_assert(math.log2(8) == 3.0)
    math.pow("a", 2)


# case: step_of_nothing i32
# want: error 'range(0, n, 0)': the step of a loop must not be 0
@triton.jit
def step_of_nothing(n):
    for i in range(0, n, 0):
        pass


# case: step_of_nothing_at_compile_time i32
# want: error 'tl.static_range(0, 4, 0)': the step of a loop must not be 0
@triton.jit
def step_of_nothing_at_compile_time(n):
    for i in tl.static_range(0, 4, 0):
        pass


# case: limits_of_floats fp32
# want: error 'tl.float32.get_int_max_value()': this needs an integer type
@triton.jit
def limits_of_floats(x):
    tl.float32.get_int_max_value()


# case: not_a_type i32
# want: error '"whole"': 'whole' is not a dtype
@triton.jit
def not_a_type(n):
    tl.dtype("i32")
    tl.dtype("int32")
    tl.dtype("whole")


# case: type_of_bits i32
# want: error '24': there is no integer type of 24 bits
@triton.jit
def type_of_bits(n):
    tl.static_assert(tl.core.get_int_dtype(1, True) == tl.int1)
    tl.static_assert(tl.core.get_int_dtype(8, False) == tl.uint8)
    tl.static_assert(tl.core.get_int_dtype(64, True) == tl.int64)
    tl.core.get_int_dtype(24, True)


# case: both_ends_of_a_condition i32
# want: ok
@triton.jit
def both_ends_of_a_condition(n):
    if n > 0:
        k: tl.constexpr = 8
        t = (n, None)
    else:
        k: tl.constexpr = 8
        t = (n, None)
    tl.static_assert(k == 8)
    tl.static_assert(t[1] is None)
    tl.arange(0, k)


# case: given_twice i32
# want: error 'tl.int8': repeated parameter 'dtype' in the call of 'cast'
# want: help: it is cast(input, dtype, fp_downcast_rounding=None, bitcast=False)
@triton.jit
def given_twice(n):
    tl.cast(n, tl.int8, dtype=tl.int8)


# ir: returned_in_one_arm *i32,i32
# want: func @returned_in_one_arm(%p: ptr<i32>, %n: i32) {num_warps = 4, num_stages = 3} {
# want:   %0 = constant 0 : i32
# want:   %1 = icmp %n, %0 {predicate = sgt} : i1
# want:   %2 = if %1 : i32 {
# want:     yield %n
# want:   } {
# want:     %3 = poison : i32
# want:     yield %3
# want:   }
# want:   store %p, %2
# want:   yield
# want: }
@triton.jit
def in_one_arm(n):
    if n > 0:
        return n


@triton.jit
def returned_in_one_arm(p, n):
    tl.store(p, in_one_arm(n))


# ---- signatures ----


# case: nothing_given i32
# want: error 'm': no value or type is given for parameter 'm'
@triton.jit
def nothing_given(n, m):
    pass


# case: type_for_a_constant i32
# want: ok
@triton.jit
def type_for_a_constant(N: tl.constexpr):
    pass


# case: unknown_default i32
# want: error 'm': the value of parameter 'm' is not known at compile time
@triton.jit
def unknown_default(n, m=CHANGED):
    pass


# case: unknown_word (i32,nothing)
# want: error '(i32,nothing)': 'nothing' is not a type or a constant
@triton.jit
def unknown_word(t):
    pass


# ir: texts_in_tuples (i32,"a,b",'c\',d',3)
# want: func @texts_in_tuples(%0: i32) {num_warps = 4, num_stages = 3} {
# want:   yield
# want: }
@triton.jit
def texts_in_tuples(t):
    tl.static_assert(len(t) == 4)
    tl.static_assert(t[1] == "a,b")
    tl.static_assert(t[2] == "c',d")
    tl.static_assert(t[3] == 3)
