# SPDX-License-Identifier: Apache-2.0
# What the front end makes of each construct: the IR before any pass.
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def larger(av, ai, bv, bi):
    keep = av > bv
    return tl.where(keep, av, bv), tl.where(keep, ai, bi)


@triton.jit
def early(n):
    if n > 3:
        return 1
    return 2


# ir: loads *fp32:16,*kfp32,i32
# want: func @loads(%p: ptr<f32> {divisible = 16}, %q: ptr<f32>, %n: i32) {num_warps = 4, num_stages = 3} {
# want:   %0 = arange {start = 0, end = 16} : tile<16xi32>
# want:   %1 = splat %n : tile<16xi32>
# want:   %m = icmp %0, %1 {predicate = slt} : tile<16xi1>
# want:   %2 = arange {start = 0, end = 16} : tile<16xi32>
# want:   %3 = splat %p : tile<16xptr<f32>>
# want:   %4 = addptr %3, %2 : tile<16xptr<f32>>
# want:   %a = load %4, %m : tile<16xf32>
# want:   %5 = arange {start = 0, end = 16} : tile<16xi32>
# want:   %6 = splat %p : tile<16xptr<f32>>
# want:   %7 = addptr %6, %5 : tile<16xptr<f32>>
# want:   %8 = constant 1 : i32
# want:   %9 = splat %8 : tile<16xi32>
# want:   %10 = s_to_f %9 : tile<16xf32>
# want:   %b = load %7, %m, %10 : tile<16xf32>
# want:   %c = load %q {cache = ca} : f32
# want:   %d = load %q {cache = cg, evict = first} : f32
# want:   %e = load %q {cache = cs, evict = last} : f32
# want:   %f = load %q {cache = cv, volatile = 1} : f32
# want:   %11 = arange {start = 0, end = 16} : tile<16xi32>
# want:   %12 = splat %p : tile<16xptr<f32>>
# want:   %13 = addptr %12, %11 : tile<16xptr<f32>>
# want:   %14 = constant 1 : i32
# want:   %15 = icmp %n, %14 {predicate = sgt} : i1
# want:   %16 = constant 2.0 : f32
# want:   %17 = splat %15 : tile<16xi1>
# want:   %18 = splat %16 : tile<16xf32>
# want:   %g = load %13, %17, %18 : tile<16xf32>
# want:   %19 = arange {start = 0, end = 16} : tile<16xi32>
# want:   %20 = splat %p : tile<16xptr<f32>>
# want:   %21 = addptr %20, %19 : tile<16xptr<f32>>
# want:   %22 = fadd %a, %b : tile<16xf32>
# want:   %23 = splat %c : tile<16xf32>
# want:   %24 = fadd %22, %23 : tile<16xf32>
# want:   %25 = splat %d : tile<16xf32>
# want:   %26 = fadd %24, %25 : tile<16xf32>
# want:   %27 = splat %e : tile<16xf32>
# want:   %28 = fadd %26, %27 : tile<16xf32>
# want:   %29 = splat %f : tile<16xf32>
# want:   %30 = fadd %28, %29 : tile<16xf32>
# want:   %31 = fadd %30, %g : tile<16xf32>
# want:   store %21, %31, %m
# want:   yield
# want: }
@triton.jit
def loads(p, q, n):
    m = tl.arange(0, 16) < n
    a = tl.load(p + tl.arange(0, 16), mask=m)
    b = tl.load(p + tl.arange(0, 16), mask=m, other=1)
    c = tl.load(q, cache_modifier=".ca")
    d = tl.load(q, cache_modifier=".cg", eviction_policy="evict_first")
    e = tl.load(q, cache_modifier=".cs", eviction_policy="evict_last")
    f = tl.load(q, cache_modifier=".cv", volatile=True)
    g = tl.load(p + tl.arange(0, 16), mask=n > 1, other=2.0)
    tl.store(p + tl.arange(0, 16), a + b + c + d + e + f + g, mask=m)


# ir: stores *fp16,i32
# want: func @stores(%p: ptr<f16>, %n: i32) {num_warps = 4, num_stages = 3} {
# want:   %0 = s_to_f %n : f16
# want:   store %p, %0
# want:   %1 = constant 0 : i32
# want:   %2 = icmp %n, %1 {predicate = sgt} : i1
# want:   %3 = constant 1.5 : f32
# want:   %4 = ftrunc %3 : f16
# want:   store %p, %4, %2 {cache = wb}
# want:   %5 = arange {start = 0, end = 4} : tile<4xi32>
# want:   %6 = splat %p : tile<4xptr<f16>>
# want:   %7 = addptr %6, %5 : tile<4xptr<f16>>
# want:   %8 = splat %n : tile<4xi32>
# want:   %9 = s_to_f %8 : tile<4xf16>
# want:   store %7, %9 {cache = cg, evict = first}
# want:   %10 = arange {start = 0, end = 4} : tile<4xi32>
# want:   %11 = splat %p : tile<4xptr<f16>>
# want:   %12 = addptr %11, %10 : tile<4xptr<f16>>
# want:   %13 = constant 0 : i32
# want:   %14 = icmp %n, %13 {predicate = sgt} : i1
# want:   %15 = constant 0 : i32
# want:   %16 = splat %15 : tile<4xi32>
# want:   %17 = splat %14 : tile<4xi1>
# want:   %18 = s_to_f %16 : tile<4xf16>
# want:   store %12, %18, %17 {cache = cs, evict = last}
# want:   %19 = arange {start = 0, end = 4} : tile<4xi32>
# want:   %20 = splat %p : tile<4xptr<f16>>
# want:   %21 = addptr %20, %19 : tile<4xptr<f16>>
# want:   %22 = constant 0 : i32
# want:   %23 = splat %22 : tile<1xi32>
# want:   %24 = broadcast %23 : tile<4xi32>
# want:   %25 = s_to_f %24 : tile<4xf16>
# want:   store %21, %25 {cache = wt}
# want:   yield
# want: }
@triton.jit
def stores(p, n):
    tl.store(p, n)
    tl.store(p, 1.5, mask=n > 0, cache_modifier=".wb")
    tl.store(p + tl.arange(0, 4), n, cache_modifier=".cg", eviction_policy="evict_first")
    tl.store(p + tl.arange(0, 4), 0, mask=n > 0, cache_modifier=".cs", eviction_policy="evict_last")
    tl.store(p + tl.arange(0, 4), tl.zeros((1, ), tl.int32), cache_modifier=".wt")


# ir: atomics *i32,*u32,*fp32,i32
# want: func @atomics(%p: ptr<i32>, %u: ptr<i32> {unsigned = 1}, %f: ptr<f32>, %n: i32) {num_warps = 4, num_stages = 3} {
# want:   %o = arange {start = 0, end = 4} : tile<4xi32>
# want:   %0 = atomic_rmw %p, %n {kind = add} : i32
# want:   %1 = splat %f : tile<4xptr<f32>>
# want:   %2 = addptr %1, %o : tile<4xptr<f32>>
# want:   %3 = splat %n : tile<4xi32>
# want:   %4 = icmp %o, %3 {predicate = slt} : tile<4xi1>
# want:   %5 = constant 1.0 : f32
# want:   %6 = splat %5 : tile<4xf32>
# want:   %7 = atomic_rmw %2, %6, %4 {kind = fadd, sem = relaxed} : tile<4xf32>
# want:   %8 = splat %p : tile<4xptr<i32>>
# want:   %9 = addptr %8, %o : tile<4xptr<i32>>
# want:   %10 = splat %n : tile<4xi32>
# want:   %11 = atomic_rmw %9, %10 {kind = max_s, sem = acquire, scope = cta} : tile<4xi32>
# want:   %12 = splat %u : tile<4xptr<i32>>
# want:   %13 = addptr %12, %o : tile<4xptr<i32>>
# want:   %14 = constant 3 : i32
# want:   %15 = splat %14 : tile<4xi32>
# want:   %16 = atomic_rmw %13, %15 {kind = max_u, sem = release, scope = sys} : tile<4xi32>
# want:   %17 = atomic_rmw %p, %n {kind = min_s} : i32
# want:   %18 = constant 3 : i32
# want:   %19 = atomic_rmw %u, %18 {kind = min_u} : i32
# want:   %20 = constant 1.0 : f32
# want:   %21 = bitcast %20 : i32
# want:   %22 = bitcast %f : ptr<i32>
# want:   %23 = constant 0 : i32
# want:   %24 = icmp %21, %23 {predicate = slt} : i1
# want:   %25 = constant 1 : i1
# want:   %26 = xor %24, %25 : i1
# want:   %27 = atomic_rmw %22, %21, %26 {kind = max_s} : i32
# want:   %28 = atomic_rmw %22, %21, %24 {kind = min_u} : i32
# want:   %29 = select %26, %27, %28 : i32
# want:   %30 = bitcast %29 : f32
# want:   %31 = constant 1.0 : f32
# want:   %32 = bitcast %31 : i32
# want:   %33 = bitcast %f : ptr<i32>
# want:   %34 = constant 0 : i32
# want:   %35 = icmp %32, %34 {predicate = slt} : i1
# want:   %36 = constant 1 : i1
# want:   %37 = xor %35, %36 : i1
# want:   %38 = atomic_rmw %33, %32, %37 {kind = min_s} : i32
# want:   %39 = atomic_rmw %33, %32, %35 {kind = max_u} : i32
# want:   %40 = select %37, %38, %39 : i32
# want:   %41 = bitcast %40 : f32
# want:   %42 = atomic_rmw %p, %n {kind = and} : i32
# want:   %43 = constant 1 : i32
# want:   %44 = atomic_rmw %u, %43 {kind = or} : i32
# want:   %45 = atomic_rmw %p, %n {kind = xor} : i32
# want:   %46 = constant 2.0 : f32
# want:   %47 = atomic_rmw %f, %46 {kind = xchg} : f32
# want:   %48 = constant 0 : i32
# want:   %49 = atomic_cas %p, %48, %n {sem = acquire, scope = cta} : i32
# want:   %50 = splat %p : tile<4xptr<i32>>
# want:   %51 = addptr %50, %o : tile<4xptr<i32>>
# want:   %52 = splat %n : tile<4xi32>
# want:   %53 = atomic_cas %51, %o, %52 : tile<4xi32>
# want:   yield
# want: }
@triton.jit
def atomics(p, u, f, n):
    o = tl.arange(0, 4)
    tl.atomic_add(p, n)
    tl.atomic_add(f + o, 1.0, mask=o < n, sem="relaxed", scope="gpu")
    tl.atomic_max(p + o, n, sem="acquire", scope="cta")
    tl.atomic_max(u + o, 3, sem="release", scope="sys")
    tl.atomic_min(p, n, sem="acq_rel")
    tl.atomic_min(u, 3)
    tl.atomic_max(f, 1.0)
    tl.atomic_min(f, 1.0)
    tl.atomic_and(p, n)
    tl.atomic_or(u, 1)
    tl.atomic_xor(p, n)
    tl.atomic_xchg(f, 2.0)
    tl.atomic_cas(p, 0, n, sem="acquire", scope="cta")
    tl.atomic_cas(p + o, o, n)


# ir: blocks *fp32,i32,i64
# want: func @blocks(%p: ptr<f32>, %n: i32, %s: i64) {num_warps = 4, num_stages = 3} {
# want:   %0 = ext_s %n : i64
# want:   %1 = constant 32 : i32
# want:   %2 = ext_s %1 : i64
# want:   %3 = constant 1 : i32
# want:   %4 = ext_s %3 : i64
# want:   %5 = ext_s %n : i64
# want:   %6 = constant 0 : i32
# want:   %7 = ext_s %6 : i64
# want:   %8 = mul %5, %s : i64
# want:   %9 = addptr %p, %8 : ptr<f32>
# want:   %10 = mul %7, %4 : i64
# want:   %11 = addptr %9, %10 : ptr<f32>
# want:   %12 = arange {start = 0, end = 4} : tile<4xi32>
# want:   %13 = ext_s %12 : tile<4xi64>
# want:   %14 = splat %s : tile<4xi64>
# want:   %15 = mul %13, %14 : tile<4xi64>
# want:   %16 = expand_dims %15 {axis = 1} : tile<4x1xi64>
# want:   %17 = splat %5 : tile<4xi64>
# want:   %18 = add %13, %17 : tile<4xi64>
# want:   %19 = splat %0 : tile<4xi64>
# want:   %20 = icmp %18, %19 {predicate = slt} : tile<4xi1>
# want:   %21 = constant 0 : i32
# want:   %22 = ext_s %21 : i64
# want:   %23 = splat %22 : tile<4xi64>
# want:   %24 = icmp %18, %23 {predicate = sge} : tile<4xi1>
# want:   %25 = and %24, %20 : tile<4xi1>
# want:   %26 = expand_dims %25 {axis = 1} : tile<4x1xi1>
# want:   %27 = arange {start = 0, end = 8} : tile<8xi32>
# want:   %28 = ext_s %27 : tile<8xi64>
# want:   %29 = splat %4 : tile<8xi64>
# want:   %30 = mul %28, %29 : tile<8xi64>
# want:   %31 = expand_dims %30 {axis = 0} : tile<1x8xi64>
# want:   %32 = broadcast %16 : tile<4x8xi64>
# want:   %33 = broadcast %31 : tile<4x8xi64>
# want:   %34 = add %32, %33 : tile<4x8xi64>
# want:   %35 = splat %7 : tile<8xi64>
# want:   %36 = add %28, %35 : tile<8xi64>
# want:   %37 = splat %2 : tile<8xi64>
# want:   %38 = icmp %36, %37 {predicate = slt} : tile<8xi1>
# want:   %39 = constant 0 : i32
# want:   %40 = ext_s %39 : i64
# want:   %41 = splat %40 : tile<8xi64>
# want:   %42 = icmp %36, %41 {predicate = sge} : tile<8xi1>
# want:   %43 = and %42, %38 : tile<8xi1>
# want:   %44 = expand_dims %43 {axis = 0} : tile<1x8xi1>
# want:   %45 = broadcast %26 : tile<4x8xi1>
# want:   %46 = broadcast %44 : tile<4x8xi1>
# want:   %47 = and %45, %46 : tile<4x8xi1>
# want:   %48 = splat %11 : tile<4x8xptr<f32>>
# want:   %49 = addptr %48, %34 : tile<4x8xptr<f32>>
# want:   %50 = constant 0.0 : f32
# want:   %51 = splat %50 : tile<4x8xf32>
# want:   %a = load %49, %47, %51 : tile<4x8xf32>
# want:   %52 = constant 4 : i32
# want:   %53 = ext_s %52 : i64
# want:   %54 = ext_s %n : i64
# want:   %55 = add %5, %53 : i64
# want:   %56 = add %7, %54 : i64
# want:   %57 = mul %55, %s : i64
# want:   %58 = addptr %p, %57 : ptr<f32>
# want:   %59 = mul %56, %4 : i64
# want:   %60 = addptr %58, %59 : ptr<f32>
# want:   %61 = arange {start = 0, end = 4} : tile<4xi32>
# want:   %62 = ext_s %61 : tile<4xi64>
# want:   %63 = splat %s : tile<4xi64>
# want:   %64 = mul %62, %63 : tile<4xi64>
# want:   %65 = expand_dims %64 {axis = 1} : tile<4x1xi64>
# want:   %66 = arange {start = 0, end = 8} : tile<8xi32>
# want:   %67 = ext_s %66 : tile<8xi64>
# want:   %68 = splat %4 : tile<8xi64>
# want:   %69 = mul %67, %68 : tile<8xi64>
# want:   %70 = expand_dims %69 {axis = 0} : tile<1x8xi64>
# want:   %71 = broadcast %65 : tile<4x8xi64>
# want:   %72 = broadcast %70 : tile<4x8xi64>
# want:   %73 = add %71, %72 : tile<4x8xi64>
# want:   %74 = splat %56 : tile<8xi64>
# want:   %75 = add %67, %74 : tile<8xi64>
# want:   %76 = splat %2 : tile<8xi64>
# want:   %77 = icmp %75, %76 {predicate = slt} : tile<8xi1>
# want:   %78 = constant 0 : i32
# want:   %79 = ext_s %78 : i64
# want:   %80 = splat %79 : tile<8xi64>
# want:   %81 = icmp %75, %80 {predicate = sge} : tile<8xi1>
# want:   %82 = and %81, %77 : tile<8xi1>
# want:   %83 = expand_dims %82 {axis = 0} : tile<1x8xi1>
# want:   %84 = splat %60 : tile<4x8xptr<f32>>
# want:   %85 = addptr %84, %73 : tile<4x8xptr<f32>>
# want:   %86 = broadcast %83 : tile<4x8xi1>
# want:   %87 = constant nan : f32
# want:   %88 = splat %87 : tile<4x8xf32>
# want:   %89 = load %85, %86, %88 : tile<4x8xf32>
# want:   %a.1 = fadd %a, %89 : tile<4x8xf32>
# want:   %90 = constant 0 : i32
# want:   %91 = ext_s %90 : i64
# want:   %92 = constant 8 : i32
# want:   %93 = ext_s %92 : i64
# want:   %94 = add %55, %91 : i64
# want:   %95 = add %56, %93 : i64
# want:   %96 = mul %94, %s : i64
# want:   %97 = addptr %p, %96 : ptr<f32>
# want:   %98 = mul %95, %4 : i64
# want:   %99 = addptr %97, %98 : ptr<f32>
# want:   %100 = arange {start = 0, end = 4} : tile<4xi32>
# want:   %101 = ext_s %100 : tile<4xi64>
# want:   %102 = splat %s : tile<4xi64>
# want:   %103 = mul %101, %102 : tile<4xi64>
# want:   %104 = expand_dims %103 {axis = 1} : tile<4x1xi64>
# want:   %105 = arange {start = 0, end = 8} : tile<8xi32>
# want:   %106 = ext_s %105 : tile<8xi64>
# want:   %107 = splat %4 : tile<8xi64>
# want:   %108 = mul %106, %107 : tile<8xi64>
# want:   %109 = expand_dims %108 {axis = 0} : tile<1x8xi64>
# want:   %110 = broadcast %104 : tile<4x8xi64>
# want:   %111 = broadcast %109 : tile<4x8xi64>
# want:   %112 = add %110, %111 : tile<4x8xi64>
# want:   %113 = splat %99 : tile<4x8xptr<f32>>
# want:   %114 = addptr %113, %112 : tile<4x8xptr<f32>>
# want:   %115 = load %114 : tile<4x8xf32>
# want:   %a.2 = fadd %a.1, %115 : tile<4x8xf32>
# want:   %116 = mul %94, %s : i64
# want:   %117 = addptr %p, %116 : ptr<f32>
# want:   %118 = mul %95, %4 : i64
# want:   %119 = addptr %117, %118 : ptr<f32>
# want:   %120 = arange {start = 0, end = 4} : tile<4xi32>
# want:   %121 = ext_s %120 : tile<4xi64>
# want:   %122 = splat %s : tile<4xi64>
# want:   %123 = mul %121, %122 : tile<4xi64>
# want:   %124 = expand_dims %123 {axis = 1} : tile<4x1xi64>
# want:   %125 = splat %94 : tile<4xi64>
# want:   %126 = add %121, %125 : tile<4xi64>
# want:   %127 = splat %0 : tile<4xi64>
# want:   %128 = icmp %126, %127 {predicate = slt} : tile<4xi1>
# want:   %129 = constant 0 : i32
# want:   %130 = ext_s %129 : i64
# want:   %131 = splat %130 : tile<4xi64>
# want:   %132 = icmp %126, %131 {predicate = sge} : tile<4xi1>
# want:   %133 = and %132, %128 : tile<4xi1>
# want:   %134 = expand_dims %133 {axis = 1} : tile<4x1xi1>
# want:   %135 = arange {start = 0, end = 8} : tile<8xi32>
# want:   %136 = ext_s %135 : tile<8xi64>
# want:   %137 = splat %4 : tile<8xi64>
# want:   %138 = mul %136, %137 : tile<8xi64>
# want:   %139 = expand_dims %138 {axis = 0} : tile<1x8xi64>
# want:   %140 = broadcast %124 : tile<4x8xi64>
# want:   %141 = broadcast %139 : tile<4x8xi64>
# want:   %142 = add %140, %141 : tile<4x8xi64>
# want:   %143 = splat %119 : tile<4x8xptr<f32>>
# want:   %144 = addptr %143, %142 : tile<4x8xptr<f32>>
# want:   %145 = broadcast %134 : tile<4x8xi1>
# want:   store %144, %a.2, %145
# want:   yield
# want: }
@triton.jit
def blocks(p, n, s):
    b = tl.make_block_ptr(p, (n, 32), (s, 1), (n, 0), (4, 8), (1, 0))
    a = tl.load(b, boundary_check=(0, 1), padding_option="zero")
    b = tl.advance(b, (4, n))
    a += tl.load(b, boundary_check=(1, ), padding_option="nan")
    b = b.advance((0, 8))
    a += tl.load(b)
    tl.store(b, a, boundary_check=(0, ))


# ir: descriptors *fp16,i32,i32
# want: func @descriptors(%p: ptr<f16>, %m: i32, %n: i32) {num_warps = 4, num_stages = 3} {
# want:   %0 = ext_s %n : i64
# want:   %1 = constant 1 : i32
# want:   %2 = ext_s %1 : i64
# want:   %3 = bitcast %p : i64
# want:   %4 = hint %p {kind = divisible, values = [16]} : ptr<f16>
# want:   %5 = constant 2 : i64
# want:   %6 = mul %0, %5 : i64
# want:   %7 = or %3, %6 : i64
# want:   %8 = hint %0 {kind = divisible, values = [8]} : i64
# want:   %9 = constant 15 : i64
# want:   %10 = and %7, %9 : i64
# want:   %11 = constant 0 : i64
# want:   %12 = icmp %10, %11 {predicate = eq} : i1
# want:   assert %12 {text = "the base of a tensor descriptor and its strides but for the last must be multiples of 16 bytes", always = 1}
# want:   %13 = ext_s %m : i64
# want:   %14 = constant 0 : i32
# want:   %15 = ext_s %14 : i64
# want:   %16 = mul %13, %8 : i64
# want:   %17 = addptr %4, %16 : ptr<f16>
# want:   %18 = mul %15, %2 : i64
# want:   %19 = addptr %17, %18 : ptr<f16>
# want:   %20 = arange {start = 0, end = 4} : tile<4xi32>
# want:   %21 = ext_s %20 : tile<4xi64>
# want:   %22 = splat %8 : tile<4xi64>
# want:   %23 = mul %21, %22 : tile<4xi64>
# want:   %24 = expand_dims %23 {axis = 1} : tile<4x1xi64>
# want:   %25 = splat %13 : tile<4xi64>
# want:   %26 = add %21, %25 : tile<4xi64>
# want:   %27 = ext_s %m : i64
# want:   %28 = splat %27 : tile<4xi64>
# want:   %29 = icmp %26, %28 {predicate = slt} : tile<4xi1>
# want:   %30 = constant 0 : i32
# want:   %31 = ext_s %30 : i64
# want:   %32 = splat %31 : tile<4xi64>
# want:   %33 = icmp %26, %32 {predicate = sge} : tile<4xi1>
# want:   %34 = and %33, %29 : tile<4xi1>
# want:   %35 = expand_dims %34 {axis = 1} : tile<4x1xi1>
# want:   %36 = arange {start = 0, end = 8} : tile<8xi32>
# want:   %37 = ext_s %36 : tile<8xi64>
# want:   %38 = splat %2 : tile<8xi64>
# want:   %39 = mul %37, %38 : tile<8xi64>
# want:   %40 = expand_dims %39 {axis = 0} : tile<1x8xi64>
# want:   %41 = broadcast %24 : tile<4x8xi64>
# want:   %42 = broadcast %40 : tile<4x8xi64>
# want:   %43 = add %41, %42 : tile<4x8xi64>
# want:   %44 = splat %15 : tile<8xi64>
# want:   %45 = add %37, %44 : tile<8xi64>
# want:   %46 = ext_s %n : i64
# want:   %47 = splat %46 : tile<8xi64>
# want:   %48 = icmp %45, %47 {predicate = slt} : tile<8xi1>
# want:   %49 = constant 0 : i32
# want:   %50 = ext_s %49 : i64
# want:   %51 = splat %50 : tile<8xi64>
# want:   %52 = icmp %45, %51 {predicate = sge} : tile<8xi1>
# want:   %53 = and %52, %48 : tile<8xi1>
# want:   %54 = expand_dims %53 {axis = 0} : tile<1x8xi1>
# want:   %55 = broadcast %35 : tile<4x8xi1>
# want:   %56 = broadcast %54 : tile<4x8xi1>
# want:   %57 = and %55, %56 : tile<4x8xi1>
# want:   %58 = splat %19 : tile<4x8xptr<f16>>
# want:   %59 = addptr %58, %43 : tile<4x8xptr<f16>>
# want:   %60 = constant nan : f32
# want:   %61 = splat %60 : tile<4x8xf32>
# want:   %62 = ftrunc %61 : tile<4x8xf16>
# want:   %a = load %59, %57, %62 {ends = 1} : tile<4x8xf16>
# want:   %63 = constant 0 : i32
# want:   %64 = ext_s %63 : i64
# want:   %65 = ext_s %n : i64
# want:   %66 = mul %64, %8 : i64
# want:   %67 = addptr %4, %66 : ptr<f16>
# want:   %68 = mul %65, %2 : i64
# want:   %69 = addptr %67, %68 : ptr<f16>
# want:   %70 = arange {start = 0, end = 4} : tile<4xi32>
# want:   %71 = ext_s %70 : tile<4xi64>
# want:   %72 = splat %8 : tile<4xi64>
# want:   %73 = mul %71, %72 : tile<4xi64>
# want:   %74 = expand_dims %73 {axis = 1} : tile<4x1xi64>
# want:   %75 = splat %64 : tile<4xi64>
# want:   %76 = add %71, %75 : tile<4xi64>
# want:   %77 = ext_s %m : i64
# want:   %78 = splat %77 : tile<4xi64>
# want:   %79 = icmp %76, %78 {predicate = slt} : tile<4xi1>
# want:   %80 = constant 0 : i32
# want:   %81 = ext_s %80 : i64
# want:   %82 = splat %81 : tile<4xi64>
# want:   %83 = icmp %76, %82 {predicate = sge} : tile<4xi1>
# want:   %84 = and %83, %79 : tile<4xi1>
# want:   %85 = expand_dims %84 {axis = 1} : tile<4x1xi1>
# want:   %86 = arange {start = 0, end = 8} : tile<8xi32>
# want:   %87 = ext_s %86 : tile<8xi64>
# want:   %88 = splat %2 : tile<8xi64>
# want:   %89 = mul %87, %88 : tile<8xi64>
# want:   %90 = expand_dims %89 {axis = 0} : tile<1x8xi64>
# want:   %91 = broadcast %74 : tile<4x8xi64>
# want:   %92 = broadcast %90 : tile<4x8xi64>
# want:   %93 = add %91, %92 : tile<4x8xi64>
# want:   %94 = splat %65 : tile<8xi64>
# want:   %95 = add %87, %94 : tile<8xi64>
# want:   %96 = ext_s %n : i64
# want:   %97 = splat %96 : tile<8xi64>
# want:   %98 = icmp %95, %97 {predicate = slt} : tile<8xi1>
# want:   %99 = constant 0 : i32
# want:   %100 = ext_s %99 : i64
# want:   %101 = splat %100 : tile<8xi64>
# want:   %102 = icmp %95, %101 {predicate = sge} : tile<8xi1>
# want:   %103 = and %102, %98 : tile<8xi1>
# want:   %104 = expand_dims %103 {axis = 0} : tile<1x8xi1>
# want:   %105 = broadcast %85 : tile<4x8xi1>
# want:   %106 = broadcast %104 : tile<4x8xi1>
# want:   %107 = and %105, %106 : tile<4x8xi1>
# want:   %108 = splat %69 : tile<4x8xptr<f16>>
# want:   %109 = addptr %108, %93 : tile<4x8xptr<f16>>
# want:   store %109, %a, %107 {ends = 1}
# want:   %110 = constant 1 : i32
# want:   %111 = ext_s %110 : i64
# want:   %112 = bitcast %p : i64
# want:   %113 = hint %p {kind = divisible, values = [16]} : ptr<f16>
# want:   %114 = constant 15 : i64
# want:   %115 = and %112, %114 : i64
# want:   %116 = constant 0 : i64
# want:   %117 = icmp %115, %116 {predicate = eq} : i1
# want:   assert %117 {text = "the base of a tensor descriptor and its strides but for the last must be multiples of 16 bytes", always = 1}
# want:   %118 = constant 0 : i32
# want:   %119 = ext_s %118 : i64
# want:   %120 = mul %119, %111 : i64
# want:   %121 = addptr %113, %120 : ptr<f16>
# want:   %122 = arange {start = 0, end = 16} : tile<16xi32>
# want:   %123 = ext_s %122 : tile<16xi64>
# want:   %124 = splat %111 : tile<16xi64>
# want:   %125 = mul %123, %124 : tile<16xi64>
# want:   %126 = splat %119 : tile<16xi64>
# want:   %127 = add %123, %126 : tile<16xi64>
# want:   %128 = ext_s %m : i64
# want:   %129 = splat %128 : tile<16xi64>
# want:   %130 = icmp %127, %129 {predicate = slt} : tile<16xi1>
# want:   %131 = constant 0 : i32
# want:   %132 = ext_s %131 : i64
# want:   %133 = splat %132 : tile<16xi64>
# want:   %134 = icmp %127, %133 {predicate = sge} : tile<16xi1>
# want:   %135 = and %134, %130 : tile<16xi1>
# want:   %136 = splat %121 : tile<16xptr<f16>>
# want:   %137 = addptr %136, %125 : tile<16xptr<f16>>
# want:   %138 = constant 0.0 : f32
# want:   %139 = splat %138 : tile<16xf32>
# want:   %140 = ftrunc %139 : tile<16xf16>
# want:   %141 = load %137, %135, %140 {ends = 1} : tile<16xf16>
# want:   %142 = ext_s %n : i64
# want:   %143 = mul %142, %111 : i64
# want:   %144 = addptr %113, %143 : ptr<f16>
# want:   %145 = arange {start = 0, end = 16} : tile<16xi32>
# want:   %146 = ext_s %145 : tile<16xi64>
# want:   %147 = splat %111 : tile<16xi64>
# want:   %148 = mul %146, %147 : tile<16xi64>
# want:   %149 = splat %142 : tile<16xi64>
# want:   %150 = add %146, %149 : tile<16xi64>
# want:   %151 = ext_s %m : i64
# want:   %152 = splat %151 : tile<16xi64>
# want:   %153 = icmp %150, %152 {predicate = slt} : tile<16xi1>
# want:   %154 = constant 0 : i32
# want:   %155 = ext_s %154 : i64
# want:   %156 = splat %155 : tile<16xi64>
# want:   %157 = icmp %150, %156 {predicate = sge} : tile<16xi1>
# want:   %158 = and %157, %153 : tile<16xi1>
# want:   %159 = splat %144 : tile<16xptr<f16>>
# want:   %160 = addptr %159, %148 : tile<16xptr<f16>>
# want:   store %160, %141, %158 {ends = 1}
# want:   yield
# want: }
@triton.jit
def descriptors(p, m, n):
    d = tl.make_tensor_descriptor(p, [m, n], [n, 1], [4, 8], padding_option="nan")
    a = d.load([m, 0])
    d.store([0, n], a)
    e = tl.make_tensor_descriptor(p, [m], [1], [16])
    tl.store_tensor_descriptor(e, [n], tl.load_tensor_descriptor(e, [0]))


# ir: descriptor_atomics *i32,i32
# want: func @descriptor_atomics(%p: ptr<i32>, %m: i32) {num_warps = 4, num_stages = 3} {
# want:   %0 = constant 8 : i32
# want:   %1 = constant 8 : i32
# want:   %2 = ext_s %1 : i64
# want:   %3 = constant 1 : i32
# want:   %4 = ext_s %3 : i64
# want:   %5 = bitcast %p : i64
# want:   %6 = hint %p {kind = divisible, values = [16]} : ptr<i32>
# want:   %7 = constant 15 : i64
# want:   %8 = and %5, %7 : i64
# want:   %9 = constant 0 : i64
# want:   %10 = icmp %8, %9 {predicate = eq} : i1
# want:   assert %10 {text = "the base of a tensor descriptor and its strides but for the last must be multiples of 16 bytes", always = 1}
# want:   %11 = constant 1 : i32
# want:   %12 = splat %11 : tile<2x8xi32>
# want:   %13 = ext_s %m : i64
# want:   %14 = constant 0 : i32
# want:   %15 = ext_s %14 : i64
# want:   %16 = mul %13, %2 : i64
# want:   %17 = addptr %6, %16 : ptr<i32>
# want:   %18 = mul %15, %4 : i64
# want:   %19 = addptr %17, %18 : ptr<i32>
# want:   %20 = arange {start = 0, end = 2} : tile<2xi32>
# want:   %21 = ext_s %20 : tile<2xi64>
# want:   %22 = splat %2 : tile<2xi64>
# want:   %23 = mul %21, %22 : tile<2xi64>
# want:   %24 = expand_dims %23 {axis = 1} : tile<2x1xi64>
# want:   %25 = splat %13 : tile<2xi64>
# want:   %26 = add %21, %25 : tile<2xi64>
# want:   %27 = ext_s %m : i64
# want:   %28 = splat %27 : tile<2xi64>
# want:   %29 = icmp %26, %28 {predicate = slt} : tile<2xi1>
# want:   %30 = constant 0 : i32
# want:   %31 = ext_s %30 : i64
# want:   %32 = splat %31 : tile<2xi64>
# want:   %33 = icmp %26, %32 {predicate = sge} : tile<2xi1>
# want:   %34 = and %33, %29 : tile<2xi1>
# want:   %35 = expand_dims %34 {axis = 1} : tile<2x1xi1>
# want:   %36 = arange {start = 0, end = 8} : tile<8xi32>
# want:   %37 = ext_s %36 : tile<8xi64>
# want:   %38 = splat %4 : tile<8xi64>
# want:   %39 = mul %37, %38 : tile<8xi64>
# want:   %40 = expand_dims %39 {axis = 0} : tile<1x8xi64>
# want:   %41 = broadcast %24 : tile<2x8xi64>
# want:   %42 = broadcast %40 : tile<2x8xi64>
# want:   %43 = add %41, %42 : tile<2x8xi64>
# want:   %44 = splat %15 : tile<8xi64>
# want:   %45 = add %37, %44 : tile<8xi64>
# want:   %46 = ext_s %0 : i64
# want:   %47 = splat %46 : tile<8xi64>
# want:   %48 = icmp %45, %47 {predicate = slt} : tile<8xi1>
# want:   %49 = constant 0 : i32
# want:   %50 = ext_s %49 : i64
# want:   %51 = splat %50 : tile<8xi64>
# want:   %52 = icmp %45, %51 {predicate = sge} : tile<8xi1>
# want:   %53 = and %52, %48 : tile<8xi1>
# want:   %54 = expand_dims %53 {axis = 0} : tile<1x8xi1>
# want:   %55 = broadcast %35 : tile<2x8xi1>
# want:   %56 = broadcast %54 : tile<2x8xi1>
# want:   %57 = and %55, %56 : tile<2x8xi1>
# want:   %58 = splat %19 : tile<2x8xptr<i32>>
# want:   %59 = addptr %58, %43 : tile<2x8xptr<i32>>
# want:   %60 = atomic_rmw %59, %12, %57 {kind = add, sem = relaxed} : tile<2x8xi32>
# want:   %61 = constant 1 : i32
# want:   %62 = splat %61 : tile<2x8xi32>
# want:   %63 = ext_s %m : i64
# want:   %64 = constant 0 : i32
# want:   %65 = ext_s %64 : i64
# want:   %66 = mul %63, %2 : i64
# want:   %67 = addptr %6, %66 : ptr<i32>
# want:   %68 = mul %65, %4 : i64
# want:   %69 = addptr %67, %68 : ptr<i32>
# want:   %70 = arange {start = 0, end = 2} : tile<2xi32>
# want:   %71 = ext_s %70 : tile<2xi64>
# want:   %72 = splat %2 : tile<2xi64>
# want:   %73 = mul %71, %72 : tile<2xi64>
# want:   %74 = expand_dims %73 {axis = 1} : tile<2x1xi64>
# want:   %75 = splat %63 : tile<2xi64>
# want:   %76 = add %71, %75 : tile<2xi64>
# want:   %77 = ext_s %m : i64
# want:   %78 = splat %77 : tile<2xi64>
# want:   %79 = icmp %76, %78 {predicate = slt} : tile<2xi1>
# want:   %80 = constant 0 : i32
# want:   %81 = ext_s %80 : i64
# want:   %82 = splat %81 : tile<2xi64>
# want:   %83 = icmp %76, %82 {predicate = sge} : tile<2xi1>
# want:   %84 = and %83, %79 : tile<2xi1>
# want:   %85 = expand_dims %84 {axis = 1} : tile<2x1xi1>
# want:   %86 = arange {start = 0, end = 8} : tile<8xi32>
# want:   %87 = ext_s %86 : tile<8xi64>
# want:   %88 = splat %4 : tile<8xi64>
# want:   %89 = mul %87, %88 : tile<8xi64>
# want:   %90 = expand_dims %89 {axis = 0} : tile<1x8xi64>
# want:   %91 = broadcast %74 : tile<2x8xi64>
# want:   %92 = broadcast %90 : tile<2x8xi64>
# want:   %93 = add %91, %92 : tile<2x8xi64>
# want:   %94 = splat %65 : tile<8xi64>
# want:   %95 = add %87, %94 : tile<8xi64>
# want:   %96 = ext_s %0 : i64
# want:   %97 = splat %96 : tile<8xi64>
# want:   %98 = icmp %95, %97 {predicate = slt} : tile<8xi1>
# want:   %99 = constant 0 : i32
# want:   %100 = ext_s %99 : i64
# want:   %101 = splat %100 : tile<8xi64>
# want:   %102 = icmp %95, %101 {predicate = sge} : tile<8xi1>
# want:   %103 = and %102, %98 : tile<8xi1>
# want:   %104 = expand_dims %103 {axis = 0} : tile<1x8xi1>
# want:   %105 = broadcast %85 : tile<2x8xi1>
# want:   %106 = broadcast %104 : tile<2x8xi1>
# want:   %107 = and %105, %106 : tile<2x8xi1>
# want:   %108 = splat %69 : tile<2x8xptr<i32>>
# want:   %109 = addptr %108, %93 : tile<2x8xptr<i32>>
# want:   %110 = atomic_rmw %109, %62, %107 {kind = max_s, sem = relaxed} : tile<2x8xi32>
# want:   %111 = constant 1 : i32
# want:   %112 = splat %111 : tile<2x8xi32>
# want:   %113 = constant 0 : i32
# want:   %114 = ext_s %113 : i64
# want:   %115 = constant 0 : i32
# want:   %116 = ext_s %115 : i64
# want:   %117 = mul %114, %2 : i64
# want:   %118 = addptr %6, %117 : ptr<i32>
# want:   %119 = mul %116, %4 : i64
# want:   %120 = addptr %118, %119 : ptr<i32>
# want:   %121 = arange {start = 0, end = 2} : tile<2xi32>
# want:   %122 = ext_s %121 : tile<2xi64>
# want:   %123 = splat %2 : tile<2xi64>
# want:   %124 = mul %122, %123 : tile<2xi64>
# want:   %125 = expand_dims %124 {axis = 1} : tile<2x1xi64>
# want:   %126 = splat %114 : tile<2xi64>
# want:   %127 = add %122, %126 : tile<2xi64>
# want:   %128 = ext_s %m : i64
# want:   %129 = splat %128 : tile<2xi64>
# want:   %130 = icmp %127, %129 {predicate = slt} : tile<2xi1>
# want:   %131 = constant 0 : i32
# want:   %132 = ext_s %131 : i64
# want:   %133 = splat %132 : tile<2xi64>
# want:   %134 = icmp %127, %133 {predicate = sge} : tile<2xi1>
# want:   %135 = and %134, %130 : tile<2xi1>
# want:   %136 = expand_dims %135 {axis = 1} : tile<2x1xi1>
# want:   %137 = arange {start = 0, end = 8} : tile<8xi32>
# want:   %138 = ext_s %137 : tile<8xi64>
# want:   %139 = splat %4 : tile<8xi64>
# want:   %140 = mul %138, %139 : tile<8xi64>
# want:   %141 = expand_dims %140 {axis = 0} : tile<1x8xi64>
# want:   %142 = broadcast %125 : tile<2x8xi64>
# want:   %143 = broadcast %141 : tile<2x8xi64>
# want:   %144 = add %142, %143 : tile<2x8xi64>
# want:   %145 = splat %116 : tile<8xi64>
# want:   %146 = add %138, %145 : tile<8xi64>
# want:   %147 = ext_s %0 : i64
# want:   %148 = splat %147 : tile<8xi64>
# want:   %149 = icmp %146, %148 {predicate = slt} : tile<8xi1>
# want:   %150 = constant 0 : i32
# want:   %151 = ext_s %150 : i64
# want:   %152 = splat %151 : tile<8xi64>
# want:   %153 = icmp %146, %152 {predicate = sge} : tile<8xi1>
# want:   %154 = and %153, %149 : tile<8xi1>
# want:   %155 = expand_dims %154 {axis = 0} : tile<1x8xi1>
# want:   %156 = broadcast %136 : tile<2x8xi1>
# want:   %157 = broadcast %155 : tile<2x8xi1>
# want:   %158 = and %156, %157 : tile<2x8xi1>
# want:   %159 = splat %120 : tile<2x8xptr<i32>>
# want:   %160 = addptr %159, %144 : tile<2x8xptr<i32>>
# want:   %161 = atomic_rmw %160, %112, %158 {kind = xor, sem = relaxed} : tile<2x8xi32>
# want:   yield
# want: }
@triton.jit
def descriptor_atomics(p, m):
    d = tl.make_tensor_descriptor(p, [m, 8], [8, 1], [2, 8])
    d.atomic_add([m, 0], tl.full((2, 8), 1, tl.int32))
    d.atomic_max([m, 0], tl.full((2, 8), 1, tl.int32))
    d.atomic_xor([0, 0], tl.full((2, 8), 1, tl.int32))


# ir: descriptor_parameter tensordesc<fp32[4,8]:16>
# want: func @descriptor_parameter(%0: ptr<f32> {divisible = 16}, %1: i32 {source_index = 0}, %2: i32 {divisible = 4, source_index = 0}, %3: i64 {divisible = 4, source_index = 0}) {num_warps = 4, num_stages = 3} {
# want:   %4 = constant 1 : i64
# want:   %5 = constant 3 : i32
# want:   %6 = ext_s %5 : i64
# want:   %7 = constant 4 : i32
# want:   %8 = ext_s %7 : i64
# want:   %9 = mul %6, %3 : i64
# want:   %10 = addptr %0, %9 : ptr<f32>
# want:   %11 = mul %8, %4 : i64
# want:   %12 = addptr %10, %11 : ptr<f32>
# want:   %13 = arange {start = 0, end = 4} : tile<4xi32>
# want:   %14 = ext_s %13 : tile<4xi64>
# want:   %15 = splat %3 : tile<4xi64>
# want:   %16 = mul %14, %15 : tile<4xi64>
# want:   %17 = expand_dims %16 {axis = 1} : tile<4x1xi64>
# want:   %18 = splat %6 : tile<4xi64>
# want:   %19 = add %14, %18 : tile<4xi64>
# want:   %20 = ext_s %1 : i64
# want:   %21 = splat %20 : tile<4xi64>
# want:   %22 = icmp %19, %21 {predicate = slt} : tile<4xi1>
# want:   %23 = constant 0 : i32
# want:   %24 = ext_s %23 : i64
# want:   %25 = splat %24 : tile<4xi64>
# want:   %26 = icmp %19, %25 {predicate = sge} : tile<4xi1>
# want:   %27 = and %26, %22 : tile<4xi1>
# want:   %28 = expand_dims %27 {axis = 1} : tile<4x1xi1>
# want:   %29 = arange {start = 0, end = 8} : tile<8xi32>
# want:   %30 = ext_s %29 : tile<8xi64>
# want:   %31 = splat %4 : tile<8xi64>
# want:   %32 = mul %30, %31 : tile<8xi64>
# want:   %33 = expand_dims %32 {axis = 0} : tile<1x8xi64>
# want:   %34 = broadcast %17 : tile<4x8xi64>
# want:   %35 = broadcast %33 : tile<4x8xi64>
# want:   %36 = add %34, %35 : tile<4x8xi64>
# want:   %37 = splat %8 : tile<8xi64>
# want:   %38 = add %30, %37 : tile<8xi64>
# want:   %39 = ext_s %2 : i64
# want:   %40 = splat %39 : tile<8xi64>
# want:   %41 = icmp %38, %40 {predicate = slt} : tile<8xi1>
# want:   %42 = constant 0 : i32
# want:   %43 = ext_s %42 : i64
# want:   %44 = splat %43 : tile<8xi64>
# want:   %45 = icmp %38, %44 {predicate = sge} : tile<8xi1>
# want:   %46 = and %45, %41 : tile<8xi1>
# want:   %47 = expand_dims %46 {axis = 0} : tile<1x8xi1>
# want:   %48 = broadcast %28 : tile<4x8xi1>
# want:   %49 = broadcast %47 : tile<4x8xi1>
# want:   %50 = and %48, %49 : tile<4x8xi1>
# want:   %51 = splat %12 : tile<4x8xptr<f32>>
# want:   %52 = addptr %51, %36 : tile<4x8xptr<f32>>
# want:   %53 = constant 0.0 : f32
# want:   %54 = splat %53 : tile<4x8xf32>
# want:   %55 = load %52, %50, %54 {ends = 1} : tile<4x8xf32>
# want:   %56 = s_to_f %1 : f32
# want:   %57 = splat %56 : tile<4x8xf32>
# want:   %58 = fmul %55, %57 : tile<4x8xf32>
# want:   %59 = constant 1 : i32
# want:   %60 = ext_s %59 : i64
# want:   %61 = constant 2 : i32
# want:   %62 = ext_s %61 : i64
# want:   %63 = mul %60, %3 : i64
# want:   %64 = addptr %0, %63 : ptr<f32>
# want:   %65 = mul %62, %4 : i64
# want:   %66 = addptr %64, %65 : ptr<f32>
# want:   %67 = arange {start = 0, end = 4} : tile<4xi32>
# want:   %68 = ext_s %67 : tile<4xi64>
# want:   %69 = splat %3 : tile<4xi64>
# want:   %70 = mul %68, %69 : tile<4xi64>
# want:   %71 = expand_dims %70 {axis = 1} : tile<4x1xi64>
# want:   %72 = splat %60 : tile<4xi64>
# want:   %73 = add %68, %72 : tile<4xi64>
# want:   %74 = ext_s %1 : i64
# want:   %75 = splat %74 : tile<4xi64>
# want:   %76 = icmp %73, %75 {predicate = slt} : tile<4xi1>
# want:   %77 = constant 0 : i32
# want:   %78 = ext_s %77 : i64
# want:   %79 = splat %78 : tile<4xi64>
# want:   %80 = icmp %73, %79 {predicate = sge} : tile<4xi1>
# want:   %81 = and %80, %76 : tile<4xi1>
# want:   %82 = expand_dims %81 {axis = 1} : tile<4x1xi1>
# want:   %83 = arange {start = 0, end = 8} : tile<8xi32>
# want:   %84 = ext_s %83 : tile<8xi64>
# want:   %85 = splat %4 : tile<8xi64>
# want:   %86 = mul %84, %85 : tile<8xi64>
# want:   %87 = expand_dims %86 {axis = 0} : tile<1x8xi64>
# want:   %88 = broadcast %71 : tile<4x8xi64>
# want:   %89 = broadcast %87 : tile<4x8xi64>
# want:   %90 = add %88, %89 : tile<4x8xi64>
# want:   %91 = splat %62 : tile<8xi64>
# want:   %92 = add %84, %91 : tile<8xi64>
# want:   %93 = ext_s %2 : i64
# want:   %94 = splat %93 : tile<8xi64>
# want:   %95 = icmp %92, %94 {predicate = slt} : tile<8xi1>
# want:   %96 = constant 0 : i32
# want:   %97 = ext_s %96 : i64
# want:   %98 = splat %97 : tile<8xi64>
# want:   %99 = icmp %92, %98 {predicate = sge} : tile<8xi1>
# want:   %100 = and %99, %95 : tile<8xi1>
# want:   %101 = expand_dims %100 {axis = 0} : tile<1x8xi1>
# want:   %102 = broadcast %82 : tile<4x8xi1>
# want:   %103 = broadcast %101 : tile<4x8xi1>
# want:   %104 = and %102, %103 : tile<4x8xi1>
# want:   %105 = splat %66 : tile<4x8xptr<f32>>
# want:   %106 = addptr %105, %90 : tile<4x8xptr<f32>>
# want:   store %106, %58, %104 {ends = 1}
# want:   yield
# want: }
@triton.jit
def descriptor_parameter(d):
    d.store([1, 2], d.load([3, 4]) * d.shape[0])


# ir: hints *fp32,i32
# want: func @hints(%p: ptr<f32>, %n: i32) {num_warps = 4, num_stages = 3} {
# want:   %n.1 = hint %n {kind = divisible, values = [8]} : i32
# want:   %0 = arange {start = 0, end = 16} : tile<16xi32>
# want:   %1 = splat %n.1 : tile<16xi32>
# want:   %2 = add %1, %0 : tile<16xi32>
# want:   %3 = hint %2 {kind = divisible, values = [16]} : tile<16xi32>
# want:   %o = hint %3 {kind = contiguous, values = [16]} : tile<16xi32>
# want:   %4 = splat %p : tile<16xptr<f32>>
# want:   %5 = addptr %4, %o : tile<16xptr<f32>>
# want:   %6 = load %5 : tile<16xf32>
# want:   %7 = splat %n.1 : tile<16xi32>
# want:   %8 = add %7, %o : tile<16xi32>
# want:   %9 = hint %8 {kind = constant, values = [4]} : tile<16xi32>
# want:   %10 = s_to_f %9 : tile<16xf32>
# want:   %c = fadd %6, %10 : tile<16xf32>
# want:   %11 = constant 0 : i32
# want:   %12 = splat %11 : tile<4x8xi32>
# want:   %d = hint %12 {kind = divisible, values = [2, 4]} : tile<4x8xi32>
# want:   %13 = constant 0 : i32
# want:   %14 = icmp %n.1, %13 {predicate = sgt} : i1
# want:   assume %14
# want:   %15 = splat %p : tile<16xptr<f32>>
# want:   %16 = addptr %15, %o : tile<16xptr<f32>>
# want:   %17 = reshape %d : tile<32xi32>
# want:   %18 = reduce %17 {axis = 0} : i32 (%19: i32, %20: i32) {
# want:     %21 = add %19, %20 : i32
# want:     yield %21
# want:   }
# want:   %22 = s_to_f %18 : f32
# want:   %23 = splat %22 : tile<16xf32>
# want:   %24 = fadd %c, %23 : tile<16xf32>
# want:   store %16, %24
# want:   yield
# want: }
@triton.jit
def hints(p, n):
    n = tl.multiple_of(n, 8)
    o = tl.max_contiguous(tl.multiple_of(n + tl.arange(0, 16), 16), 16)
    c = tl.max_constancy(tl.load(p + o), 4) + tl.max_constancy(n + o, 4)
    d = tl.multiple_of(tl.zeros((4, 8), tl.int32), (2, 4))
    tl.assume(n > 0)
    tl.store(p + o, c + tl.sum(d))


# ir: words i32,u8,fp32
# want: func @words(%i: i32, %u: i8 {unsigned = 1}, %f: f32) {num_warps = 4, num_stages = 3} {
# want:   print %i {text = " i: "}
# want:   print %i, %u, %f {text = " pre: ", unsigned_mask = 6}
# want:   %0 = ext_u %u : i16
# want:   %1 = ext_s %i : i64
# want:   %2 = ftrunc %f : f16
# want:   %3 = constant 0 : i32
# want:   %4 = icmp %i, %3 {predicate = sgt} : i1
# want:   print %u, %i, %f, %0, %1, %2, %4 {text = " hex: ", hex = 1, unsigned_mask = 101}
# want:   print {text = " alone"}
# want:   print {text = "a"}
# want:   print {text = ""}
# want:   print %i, %f {text = " two: ", unsigned_mask = 2}
# want:   print {text = " none"}
# want:   %5 = constant 0 : i32
# want:   %6 = icmp %i, %5 {predicate = sgt} : i1
# want:   assert %6 {text = "positive"}
# want:   %7 = arange {start = 0, end = 4} : tile<4xi32>
# want:   %8 = splat %i : tile<4xi32>
# want:   %9 = icmp %7, %8 {predicate = slt} : tile<4xi1>
# want:   %10 = arange {start = 0, end = 4} : tile<4xi32>
# want:   %11 = constant 1 : i32
# want:   %12 = splat %11 : tile<4xi32>
# want:   %13 = icmp %10, %12 {predicate = sgt} : tile<4xi1>
# want:   assert %9, %13 {text = "each"}
# want:   %14 = constant 0 : i32
# want:   %15 = icmp %i, %14 {predicate = ne} : i1
# want:   assert %15 {text = ""}
# want:   %16 = constant 0 : i32
# want:   %17 = ext_u %u : i32
# want:   %18 = icmp %17, %16 {predicate = sgt} : i1
# want:   assert %18 {text = "python"}
# want:   barrier
# want:   yield
# want: }
@triton.jit
def words(i, u, f):
    tl.device_print("i", i)
    tl.device_print(" pre: ", i, u, f)
    tl.device_print("hex:", u, i, f, u.to(tl.int16), i.to(tl.int64), f.to(tl.float16), i > 0, hex=True)
    tl.device_print("alone")
    tl.device_print("a")
    tl.device_print("")
    print("two", i, f)
    print("none")
    tl.device_assert(i > 0, "positive")
    tl.device_assert(tl.arange(0, 4) < i, "each", mask=tl.arange(0, 4) > 1)
    tl.device_assert(i)
    assert u > 0, "python"
    tl.debug_barrier()


# ir: asm fp32,i32
# want: func @asm(%f: f32, %i: i32) {num_warps = 4, num_stages = 3} {
# want:   %a = inline_asm %f {text = "ex2.approx.f32 $0, $1;", constraints = " =f, f ", pure = 1, pack = 1} : f32
# want:   %0 = arange {start = 0, end = 8} : tile<8xi32>
# want:   %1 = splat %i : tile<8xi32>
# want:   %b, %c = inline_asm %0, %1 {text = "mov.b32 $0, $4; mov.b32 $1, $5; mov.b32 $2, $6; mov.b32 $3, $7;", constraints = "=r,=r,=r,=r,r,r,r,r", pack = 2} : tile<8xi32>, tile<8xi32>
# want:   print %a, %b, %c {text = " x: ", unsigned_mask = 5}
# want:   yield
# want: }
@triton.jit
def asm(f, i):
    a = tl.inline_asm_elementwise("ex2.approx.f32 $0, $1;", " =f, f ", [f], dtype=tl.float32, is_pure=True, pack=1)
    b, c = tl.inline_asm_elementwise("mov.b32 $0, $4; mov.b32 $1, $5; mov.b32 $2, $6; mov.b32 $3, $7;", "=r,=r,=r,=r,r,r,r,r", [tl.arange(0, 8), i],
                                     dtype=(tl.int32, tl.uint32), is_pure=False, pack=2)
    tl.device_print("x", a, b, c)


# ir: reductions *fp32
# want: func @reductions(%p: ptr<f32>) {num_warps = 4, num_stages = 3} {
# want:   %0 = arange {start = 0, end = 8} : tile<8xi32>
# want:   %1 = expand_dims %0 {axis = 1} : tile<8x1xi32>
# want:   %2 = constant 4 : i32
# want:   %3 = splat %2 : tile<8x1xi32>
# want:   %4 = mul %1, %3 : tile<8x1xi32>
# want:   %5 = splat %p : tile<8x1xptr<f32>>
# want:   %6 = addptr %5, %4 : tile<8x1xptr<f32>>
# want:   %7 = arange {start = 0, end = 4} : tile<4xi32>
# want:   %8 = expand_dims %7 {axis = 0} : tile<1x4xi32>
# want:   %9 = broadcast %6 : tile<8x4xptr<f32>>
# want:   %10 = broadcast %8 : tile<8x4xi32>
# want:   %11 = addptr %9, %10 : tile<8x4xptr<f32>>
# want:   %a = load %11 : tile<8x4xf32>
# want:   %12 = arange {start = 0, end = 4} : tile<4xi32>
# want:   %13 = expand_dims %12 {axis = 0} : tile<1x4xi32>
# want:   %i = broadcast %13 : tile<8x4xi32>
# want:   %b = reduce %a {axis = 0} : tile<4xf32> (%14: f32, %15: f32) {
# want:     %16 = fadd %14, %15 : f32
# want:     yield %16
# want:   }
# want:   %c, %d = reduce %a, %i {axis = 1} : tile<8xf32>, tile<8xi32> (%17: f32, %18: i32, %19: f32, %20: i32) {
# want:     %keep = fcmp %17, %19 {predicate = ogt} : i1
# want:     %21 = select %keep, %17, %19 : f32
# want:     %22 = select %keep, %18, %20 : i32
# want:     yield %21, %22
# want:   }
# want:   %23 = reshape %a : tile<32xf32>
# want:   %e = reduce %23 {axis = 0} : f32 (%24: f32, %25: f32) {
# want:     %26 = fadd %24, %25 : f32
# want:     yield %26
# want:   }
# want:   %f = scan %a {axis = 0} : tile<8x4xf32> (%27: f32, %28: f32) {
# want:     %29 = fadd %27, %28 : f32
# want:     yield %29
# want:   }
# want:   %g = scan %a {axis = 1, reverse = 1} : tile<8x4xf32> (%30: f32, %31: f32) {
# want:     %32 = fadd %30, %31 : f32
# want:     yield %32
# want:   }
# want:   %33 = reduce %a {axis = 1} : tile<8xf32> (%34: f32, %35: f32) {
# want:     %36 = fadd %34, %35 : f32
# want:     yield %36
# want:   }
# want:   %h = expand_dims %33 {axis = 1} : tile<8x1xf32>
# want:   print %b, %c, %d, %e, %f, %g, %h {text = " x: ", unsigned_mask = 123}
# want:   yield
# want: }
@triton.jit
def reductions(p):
    a = tl.load(p + tl.arange(0, 8)[:, None] * 4 + tl.arange(0, 4)[None, :])
    i = tl.broadcast_to(tl.arange(0, 4)[None, :], (8, 4))
    b = tl.reduce(a, 0, add)
    c, d = tl.reduce((a, i), 1, larger)
    e = tl.reduce(a, None, add)
    f = tl.associative_scan(a, 0, add)
    g = tl.associative_scan(a, -1, add, reverse=True)
    h = tl.reduce(a, 1, add, keep_dims=True)
    tl.device_print("x", b, c, d, e, f, g, h)


# ir: lanes *i32,*fp32
# want: func @lanes(%p: ptr<i32>, %q: ptr<f32>) {num_warps = 4, num_stages = 3} {
# want:   %0 = arange {start = 0, end = 8} : tile<8xi32>
# want:   %1 = splat %p : tile<8xptr<i32>>
# want:   %2 = addptr %1, %0 : tile<8xptr<i32>>
# want:   %i = load %2 : tile<8xi32>
# want:   %3 = histogram %i {bins = 16} : tile<16xi32>
# want:   %4 = constant 0 : i32
# want:   %5 = splat %4 : tile<8xi32>
# want:   %6 = icmp %i, %5 {predicate = sgt} : tile<8xi1>
# want:   %7 = histogram %i, %6 {bins = 4} : tile<4xi32>
# want:   print %3, %7 {text = " h: "}
# want:   %8 = arange {start = 0, end = 8} : tile<8xi32>
# want:   %9 = splat %q : tile<8xptr<f32>>
# want:   %10 = addptr %9, %8 : tile<8xptr<f32>>
# want:   %11 = load %10 : tile<8xf32>
# want:   %12 = gather %11, %i {axis = 0} : tile<8xf32>
# want:   print %12 {text = " g: ", unsigned_mask = 1}
# want:   %13 = constant 1 : i32
# want:   %14 = splat %13 : tile<8xi32>
# want:   %15 = add %i, %14 : tile<8xi32>
# want:   %16 = join %i, %15 : tile<8x2xi32>
# want:   %a, %b = split %16 : tile<8xi32>, tile<8xi32>
# want:   %17 = join %a, %b : tile<8x2xi32>
# want:   %18 = reshape %17 : tile<16xi32>
# want:   %19 = join %a, %b : tile<8x2xi32>
# want:   %20 = trans %19 {order = [1, 0]} : tile<2x8xi32>
# want:   %21 = reshape %20 : tile<16xi32>
# want:   print %18, %21 {text = " s: "}
# want:   %22 = reshape %i : tile<2x4xi32>
# want:   %23 = trans %22 {order = [1, 0]} : tile<4x2xi32>
# want:   %24 = reshape %i : tile<2x2x2xi32>
# want:   %25 = reshape %24 : tile<8xi32>
# want:   print %23, %25 {text = " t: "}
# want:   %26 = reshape %i : tile<1x2x4xi32>
# want:   %27 = trans %26 {order = [2, 0, 1]} : tile<4x1x2xi32>
# want:   print %27 {text = " u: "}
# want:   yield
# want: }
@triton.jit
def lanes(p, q):
    i = tl.load(p + tl.arange(0, 8))
    tl.device_print("h", tl.histogram(i, 16), tl.histogram(i, 4, mask=i > 0))
    tl.device_print("g", tl.gather(tl.load(q + tl.arange(0, 8)), i, 0))
    a, b = tl.join(i, i + 1).split()
    tl.device_print("s", tl.interleave(a, b), tl.cat(a, b, can_reorder=True))
    tl.device_print("t", tl.trans(tl.reshape(i, (2, 4))), tl.ravel(tl.reshape(i, (2, 2, 2))))
    tl.device_print("u", tl.permute(tl.reshape(i, (1, 2, 4)), (2, 0, 1)))


# ir: dots *fp16,*fp32
# want: func @dots(%p: ptr<f16>, %q: ptr<f32>) {num_warps = 4, num_stages = 3} {
# want:   %0 = arange {start = 0, end = 16} : tile<16xi32>
# want:   %1 = expand_dims %0 {axis = 1} : tile<16x1xi32>
# want:   %2 = constant 16 : i32
# want:   %3 = splat %2 : tile<16x1xi32>
# want:   %4 = mul %1, %3 : tile<16x1xi32>
# want:   %5 = arange {start = 0, end = 16} : tile<16xi32>
# want:   %6 = expand_dims %5 {axis = 0} : tile<1x16xi32>
# want:   %7 = broadcast %4 : tile<16x16xi32>
# want:   %8 = broadcast %6 : tile<16x16xi32>
# want:   %o = add %7, %8 : tile<16x16xi32>
# want:   %9 = splat %p : tile<16x16xptr<f16>>
# want:   %10 = addptr %9, %o : tile<16x16xptr<f16>>
# want:   %a = load %10 : tile<16x16xf16>
# want:   %11 = splat %q : tile<16x16xptr<f32>>
# want:   %12 = addptr %11, %o : tile<16x16xptr<f32>>
# want:   %b = load %12 : tile<16x16xf32>
# want:   %13 = constant 0.0 : f32
# want:   %14 = splat %13 : tile<16x16xf32>
# want:   %c = dot %a, %a, %14 : tile<16x16xf32>
# want:   %c.1 = dot %a, %a, %c : tile<16x16xf32>
# want:   %15 = constant 0.0 : f32
# want:   %16 = splat %15 : tile<16x16xf32>
# want:   %17 = dot %b, %b, %16 : tile<16x16xf32>
# want:   %c.2 = fadd %c.1, %17 : tile<16x16xf32>
# want:   %c.3 = dot %b, %b, %c.2 {precision = tf32x3} : tile<16x16xf32>
# want:   %c.4 = dot %b, %b, %c.3 : tile<16x16xf32>
# want:   %c.5 = dot %b, %b, %c.4 {precision = tf32} : tile<16x16xf32>
# want:   %18 = splat %q : tile<16x16xptr<f32>>
# want:   %19 = addptr %18, %o : tile<16x16xptr<f32>>
# want:   %20 = constant 0.0 : f16
# want:   %21 = splat %20 : tile<16x16xf16>
# want:   %22 = dot %a, %a, %21 : tile<16x16xf16>
# want:   %23 = fext %22 : tile<16x16xf32>
# want:   %24 = fadd %c.5, %23 : tile<16x16xf32>
# want:   store %19, %24
# want:   %25 = splat %q : tile<16x16xptr<f32>>
# want:   %26 = addptr %25, %o : tile<16x16xptr<f32>>
# want:   %27 = constant 0 : i8
# want:   %28 = splat %27 : tile<16x32xi8>
# want:   %29 = constant 0 : i8
# want:   %30 = splat %29 : tile<32x16xi8>
# want:   %31 = constant 0 : i32
# want:   %32 = splat %31 : tile<16x16xi32>
# want:   %33 = dot %28, %30, %32 : tile<16x16xi32>
# want:   %34 = s_to_f %33 : tile<16x16xf32>
# want:   store %26, %34
# want:   yield
# want: }
@triton.jit
def dots(p, q):
    o = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    a = tl.load(p + o)
    b = tl.load(q + o)
    c = tl.dot(a, a)
    c = tl.dot(a, a, c)
    c += tl.dot(b, b, input_precision="ieee")
    c = tl.dot(b, b, acc=c, input_precision="tf32x3")
    c = tl.dot(b, b, acc=c, allow_tf32=False)
    c = tl.dot(b, b, acc=c, allow_tf32=True)
    tl.store(q + o, c + tl.dot(a, a, out_dtype=tl.float16))
    tl.store(q + o, tl.dot(tl.zeros((16, 32), tl.int8), tl.zeros((32, 16), tl.int8)))


# ir: arithmetic i32,u32,fp32,fp16,i1
# want: func @arithmetic(%i: i32, %u: i32 {unsigned = 1}, %f: f32, %h: f16, %b: i1) {num_warps = 4, num_stages = 3} {
# want:   %0 = constant 1 : i32
# want:   %1 = add %i, %0 : i32
# want:   %2 = constant 2 : i32
# want:   %3 = sub %i, %2 : i32
# want:   %4 = constant 3 : i32
# want:   %5 = mul %i, %4 : i32
# want:   %6 = constant 4 : i32
# want:   %7 = div_s %i, %6 : i32
# want:   %8 = constant 5 : i32
# want:   %9 = rem_s %i, %8 : i32
# want:   %10 = constant 6 : i32
# want:   %11 = s_to_f %i : f32
# want:   %12 = s_to_f %10 : f32
# want:   %13 = fdiv %11, %12 : f32
# want:   %14 = constant 0 : i32
# want:   %15 = sub %14, %i : i32
# want:   %16 = constant -1 : i32
# want:   %17 = xor %i, %16 : i32
# want:   print %1, %3, %5, %7, %9, %13, %15, %i, %17 {text = " i: ", unsigned_mask = 32}
# want:   %18 = constant 4 : i32
# want:   %19 = div_u %u, %18 : i32
# want:   %20 = constant 5 : i32
# want:   %21 = rem_u %u, %20 : i32
# want:   %22 = constant 1 : i32
# want:   %23 = shr_u %u, %22 : i32
# want:   %24 = constant 2 : i32
# want:   %25 = u_to_f %u : f32
# want:   %26 = u_to_f %24 : f32
# want:   %27 = fdiv %25, %26 : f32
# want:   %28 = constant -1 : i32
# want:   %29 = xor %u, %28 : i32
# want:   print %19, %21, %23, %27, %29 {text = " u: ", unsigned_mask = 31}
# want:   %30 = constant 1 : i32
# want:   %31 = shl %i, %30 : i32
# want:   %32 = constant 2 : i32
# want:   %33 = shr_s %i, %32 : i32
# want:   %34 = constant 3 : i32
# want:   %35 = and %i, %34 : i32
# want:   %36 = constant 4 : i32
# want:   %37 = or %i, %36 : i32
# want:   %38 = constant 5 : i32
# want:   %39 = xor %i, %38 : i32
# want:   print %31, %33, %35, %37, %39 {text = " s: "}
# want:   %40 = constant 1.0 : f32
# want:   %41 = fadd %f, %40 : f32
# want:   %42 = s_to_f %i : f32
# want:   %43 = fsub %f, %42 : f32
# want:   %44 = constant 2.5 : f32
# want:   %45 = fmul %f, %44 : f32
# want:   %46 = constant 3.0 : f32
# want:   %47 = fdiv %f, %46 : f32
# want:   %48 = constant 4.0 : f32
# want:   %49 = frem %f, %48 : f32
# want:   %50 = fneg %f : f32
# want:   print %41, %43, %45, %47, %49, %50 {text = " f: ", unsigned_mask = 63}
# want:   %51 = constant 1.0 : f16
# want:   %52 = fadd %h, %51 : f16
# want:   %53 = fext %h : f32
# want:   %54 = fmul %53, %f : f32
# want:   %55 = fext %h : f32
# want:   %56 = constant 2.0 : f32
# want:   %57 = fdiv %55, %56 : f32
# want:   %58 = fext %h : f32
# want:   %59 = constant 2.0 : f32
# want:   %60 = frem %58, %59 : f32
# want:   %61 = constant 1.0 : f16
# want:   %62 = fsub %61, %h : f16
# want:   print %52, %54, %57, %60, %62 {text = " h: ", unsigned_mask = 31}
# want:   %63 = constant 1 : i1
# want:   %64 = and %b, %63 : i1
# want:   %65 = constant 0 : i1
# want:   %66 = or %b, %65 : i1
# want:   %67 = xor %b, %b : i1
# want:   %68 = constant 1 : i1
# want:   %69 = xor %b, %68 : i1
# want:   %70 = ext_u %b : i32
# want:   %71 = constant 1 : i32
# want:   %72 = add %70, %71 : i32
# want:   %73 = constant 0 : i32
# want:   %74 = icmp %i, %73 {predicate = sgt} : i1
# want:   %75 = and %b, %74 : i1
# want:   %76 = constant 0 : i32
# want:   %77 = icmp %i, %76 {predicate = sgt} : i1
# want:   %78 = or %b, %77 : i1
# want:   %79 = constant 1 : i1
# want:   %80 = xor %b, %79 : i1
# want:   print %64, %66, %67, %69, %72, %75, %78, %80 {text = " b: ", unsigned_mask = 239}
# want:   %81 = constant 1 : i32
# want:   %82 = add %81, %i : i32
# want:   %83 = constant 2 : i32
# want:   %84 = sub %83, %i : i32
# want:   %85 = constant 7 : i32
# want:   %86 = div_s %85, %i : i32
# want:   %87 = constant 7 : i32
# want:   %88 = rem_s %87, %i : i32
# want:   %89 = constant 1.0 : f32
# want:   %90 = fdiv %89, %f : f32
# want:   %91 = constant 5 : i32
# want:   %92 = and %91, %i : i32
# want:   print %82, %84, %86, %88, %90, %92 {text = " r: ", unsigned_mask = 16}
# want:   yield
# want: }
@triton.jit
def arithmetic(i, u, f, h, b):
    tl.device_print("i", i + 1, i - 2, i * 3, i // 4, i % 5, i / 6, -i, +i, ~i)
    tl.device_print("u", u // 4, u % 5, u >> 1, u / 2, ~u)
    tl.device_print("s", i << 1, i >> 2, i & 3, i | 4, i ^ 5)
    tl.device_print("f", f + 1, f - i, f * 2.5, f / 3, f % 4, -f)
    tl.device_print("h", h + 1, h * f, h / 2, h % 2, 1 - h)
    tl.device_print("b", b & True, b | False, b ^ b, ~b, b + 1, b and (i > 0), b or (i > 0), not b)
    tl.device_print("r", 1 + i, 2 - i, 7 // i, 7 % i, 1 / f, 5 & i)


# ir: comparisons i32,u32,fp32,i1
# want: func @comparisons(%i: i32, %u: i32 {unsigned = 1}, %f: f32, %b: i1) {num_warps = 4, num_stages = 3} {
# want:   %0 = constant 1 : i32
# want:   %1 = icmp %i, %0 {predicate = slt} : i1
# want:   %2 = constant 2 : i32
# want:   %3 = icmp %i, %2 {predicate = sle} : i1
# want:   %4 = constant 3 : i32
# want:   %5 = icmp %i, %4 {predicate = sgt} : i1
# want:   %6 = constant 4 : i32
# want:   %7 = icmp %i, %6 {predicate = sge} : i1
# want:   %8 = constant 5 : i32
# want:   %9 = icmp %i, %8 {predicate = eq} : i1
# want:   %10 = constant 6 : i32
# want:   %11 = icmp %i, %10 {predicate = ne} : i1
# want:   print %1, %3, %5, %7, %9, %11 {text = " i: ", unsigned_mask = 63}
# want:   %12 = constant 1 : i32
# want:   %13 = icmp %u, %12 {predicate = ult} : i1
# want:   %14 = constant 2 : i32
# want:   %15 = icmp %u, %14 {predicate = ule} : i1
# want:   %16 = constant 3 : i32
# want:   %17 = icmp %u, %16 {predicate = ugt} : i1
# want:   %18 = constant 4 : i32
# want:   %19 = icmp %u, %18 {predicate = uge} : i1
# want:   %20 = constant 5 : i32
# want:   %21 = icmp %u, %20 {predicate = eq} : i1
# want:   %22 = constant 6 : i32
# want:   %23 = icmp %u, %22 {predicate = ne} : i1
# want:   print %13, %15, %17, %19, %21, %23 {text = " u: ", unsigned_mask = 63}
# want:   %24 = constant 1 : i32
# want:   %25 = s_to_f %24 : f32
# want:   %26 = fcmp %f, %25 {predicate = olt} : i1
# want:   %27 = constant 2 : i32
# want:   %28 = s_to_f %27 : f32
# want:   %29 = fcmp %f, %28 {predicate = ole} : i1
# want:   %30 = constant 3 : i32
# want:   %31 = s_to_f %30 : f32
# want:   %32 = fcmp %f, %31 {predicate = ogt} : i1
# want:   %33 = constant 4 : i32
# want:   %34 = s_to_f %33 : f32
# want:   %35 = fcmp %f, %34 {predicate = oge} : i1
# want:   %36 = constant 5 : i32
# want:   %37 = s_to_f %36 : f32
# want:   %38 = fcmp %f, %37 {predicate = oeq} : i1
# want:   %39 = constant 6 : i32
# want:   %40 = s_to_f %39 : f32
# want:   %41 = fcmp %f, %40 {predicate = une} : i1
# want:   print %26, %29, %32, %35, %38, %41 {text = " f: ", unsigned_mask = 63}
# want:   %42 = s_to_f %i : f32
# want:   %43 = fcmp %42, %f {predicate = olt} : i1
# want:   %44 = constant 1 : i32
# want:   %45 = icmp %44, %i {predicate = slt} : i1
# want:   %46 = constant 2 : i32
# want:   %47 = icmp %46, %u {predicate = uge} : i1
# want:   %48 = constant 1 : i1
# want:   %49 = icmp %b, %48 {predicate = eq} : i1
# want:   %50 = icmp %i, %u {predicate = ult} : i1
# want:   print %43, %45, %47, %49, %50 {text = " m: ", unsigned_mask = 31}
# want:   yield
# want: }
@triton.jit
def comparisons(i, u, f, b):
    tl.device_print("i", i < 1, i <= 2, i > 3, i >= 4, i == 5, i != 6)
    tl.device_print("u", u < 1, u <= 2, u > 3, u >= 4, u == 5, u != 6)
    tl.device_print("f", f < 1, f <= 2, f > 3, f >= 4, f == 5, f != 6)
    tl.device_print("m", i < f, 1 < i, 2 >= u, b == True, (i < u))


# ir: functions i32,u32,fp32,fp16
# want: warning 'u': the condition of 'where' should be boolean, got uint32: it means '!= 0'
# want: func @functions(%i: i32, %u: i32 {unsigned = 1}, %f: f32, %h: f16) {num_warps = 4, num_stages = 3} {
# want:   %0 = constant 1 : i32
# want:   %1 = min_s %i, %0 : i32
# want:   %2 = constant 2 : i32
# want:   %3 = max_u %u, %2 : i32
# want:   %4 = constant 3.0 : f32
# want:   %5 = fmin %f, %4 : f32
# want:   %6 = s_to_f %i : f32
# want:   %7 = fmax %f, %6 : f32
# want:   print %1, %3, %5, %7 {text = " m: ", unsigned_mask = 14}
# want:   %8 = constant 1.0 : f32
# want:   %9 = fmin %f, %8 {nan = 1} : f32
# want:   %10 = fmax %h, %h : f16
# want:   print %9, %10 {text = " n: ", unsigned_mask = 3}
# want:   %11 = constant 0.0 : f32
# want:   %12 = constant 1.0 : f32
# want:   %13 = fmax %f, %11 : f32
# want:   %14 = fmin %13, %12 : f32
# want:   %15 = constant 0.0 : f32
# want:   %16 = constant 1.0 : f32
# want:   %17 = fmax %f, %15 {nan = 1} : f32
# want:   %18 = fmin %17, %16 {nan = 1} : f32
# want:   print %14, %18 {text = " c: ", unsigned_mask = 3}
# want:   %19 = constant 0 : i32
# want:   %20 = sub %19, %i : i32
# want:   %21 = max_s %i, %20 : i32
# want:   %22 = fabs %f : f32
# want:   %23 = constant 0 : i32
# want:   %24 = sub %23, %i : i32
# want:   %25 = max_s %i, %24 : i32
# want:   print %21, %u, %22, %25 {text = " a: ", unsigned_mask = 6}
# want:   %26 = constant 0 : i32
# want:   %27 = icmp %i, %26 {predicate = sgt} : i1
# want:   %28 = select %27, %i, %u : i32
# want:   %29 = constant 0 : i32
# want:   %30 = icmp %i, %29 {predicate = sgt} : i1
# want:   %31 = constant 1.0 : f32
# want:   %32 = select %30, %31, %f : f32
# want:   %33 = constant 0 : i32
# want:   %34 = icmp %u, %33 {predicate = ne} : i1
# want:   %35 = constant 0.0 : f32
# want:   %36 = select %34, %f, %35 : f32
# want:   print %28, %32, %36 {text = " w: ", unsigned_mask = 7}
# want:   %37 = constant 2.0 : f32
# want:   %38 = fdiv %f, %37 : f32
# want:   %39 = constant 2.0 : f32
# want:   %40 = fdiv %f, %39 {exact = 1} : f32
# want:   %41 = fdiv %f, %f {exact = 1} : f32
# want:   %42 = constant 3 : i32
# want:   %43 = add %i, %42 : i32
# want:   %44 = constant 4 : i32
# want:   %45 = div_s %43, %44 : i32
# want:   print %38, %40, %41, %45 {text = " d: ", unsigned_mask = 7}
# want:   %46 = constant 2.0 : f32
# want:   %47 = constant 1.0 : f32
# want:   %48 = fma %f, %46, %47 : f32
# want:   %49 = mulhi_u %u, %u : i32
# want:   %50 = mulhi_s %i, %i : i32
# want:   %51 = fneg %f : f32
# want:   %52 = exp %51 : f32
# want:   %53 = constant 1.0 : f32
# want:   %54 = fadd %53, %52 : f32
# want:   %55 = constant 1.0 : f32
# want:   %56 = fdiv %55, %54 : f32
# want:   print %48, %49, %50, %56 {text = " x: ", unsigned_mask = 11}
# want:   %57 = exp %f : f32
# want:   %58 = exp2 %f : f32
# want:   %59 = log %f : f32
# want:   %60 = log2 %f : f32
# want:   %61 = sin %f : f32
# want:   %62 = cos %f : f32
# want:   %63 = sqrt %f : f32
# want:   %64 = rsqrt %f : f32
# want:   print %57, %58, %59, %60, %61, %62, %63, %64 {text = " y: ", unsigned_mask = 255}
# want:   %65 = floor %f : f32
# want:   %66 = ceil %f : f32
# want:   %67 = erf %f : f32
# want:   %68 = sqrt %f {exact = 1} : f32
# want:   %69 = tanh %f : f32
# want:   %70 = trunc_f %f : f32
# want:   print %65, %66, %67, %68, %69, %70 {text = " z: ", unsigned_mask = 63}
# want:   %71 = round_even %f : f32
# want:   %72 = frem %f, %f : f32
# want:   %73 = popcount %u : i32
# want:   %74 = clz %i : i32
# want:   print %71, %72, %73, %74 {text = " l: ", unsigned_mask = 3}
# want:   %75 = fcmp %f, %f {predicate = une} : i1
# want:   %76 = bitcast %f : i32
# want:   %77 = constant 2147483647 : i32
# want:   %78 = and %76, %77 : i32
# want:   %79 = constant 2139095040 : i32
# want:   %80 = icmp %78, %79 {predicate = eq} : i1
# want:   %81 = bitcast %f : i32
# want:   %82 = constant 2147483647 : i32
# want:   %83 = and %81, %82 : i32
# want:   %84 = constant 2139095040 : i32
# want:   %85 = icmp %83, %84 {predicate = slt} : i1
# want:   %86 = bitcast %f : i32
# want:   %87 = constant 0 : i32
# want:   %88 = icmp %86, %87 {predicate = slt} : i1
# want:   %89 = ext_u %88 : i32
# want:   print %75, %80, %85, %89 {text = " k: ", unsigned_mask = 7}
# want:   %90 = bitcast %f : i32
# want:   %91 = bitcast %i : f32
# want:   %92 = bitcast %f : i32
# want:   print %90, %91, %92 {text = " r: ", unsigned_mask = 6}
# want:   %93 = constant 1 : i32
# want:   %94 = add %i, %93 : i32
# want:   %95 = constant 2.0 : f32
# want:   %96 = fsub %f, %95 : f32
# want:   %97 = constant 3 : i32
# want:   %98 = mul %u, %97 : i32
# want:   %99 = constant 0 : i32
# want:   %100 = icmp %i, %99 {predicate = sgt} : i1
# want:   %101 = constant 0 : i32
# want:   %102 = icmp %u, %101 {predicate = ugt} : i1
# want:   %103 = and %100, %102 : i1
# want:   %104 = constant 0 : i32
# want:   %105 = icmp %i, %104 {predicate = sgt} : i1
# want:   %106 = constant 1 : i32
# want:   %107 = icmp %u, %106 {predicate = ugt} : i1
# want:   %108 = or %105, %107 : i1
# want:   print %94, %96, %98, %103, %108 {text = " o: ", unsigned_mask = 30}
# want:   yield
# want: }
@triton.jit
def functions(i, u, f, h):
    tl.device_print("m", tl.minimum(i, 1), tl.maximum(u, 2), tl.minimum(f, 3.0), tl.maximum(f, i))
    tl.device_print("n", tl.minimum(f, 1.0, propagate_nan=tl.PropagateNan.ALL), tl.maximum(h, h))
    tl.device_print("c", tl.clamp(f, 0.0, 1.0), tl.clamp(f, 0.0, 1.0, propagate_nan=tl.PropagateNan.ALL))
    tl.device_print("a", tl.abs(i), tl.abs(u), tl.abs(f), abs(i))
    tl.device_print("w", tl.where(i > 0, i, u), tl.where(i > 0, 1, f), tl.where(u, f, 0.0))
    tl.device_print("d", tl.fdiv(f, 2.0), tl.fdiv(f, 2.0, ieee_rounding=True), tl.div_rn(f, f), tl.cdiv(i, 4))
    tl.device_print("x", tl.fma(f, 2.0, 1.0), tl.umulhi(u, u), libdevice.mulhi(i, i), tl.sigmoid(f))
    tl.device_print("y", tl.exp(f), tl.exp2(f), tl.log(f), tl.log2(f), tl.sin(f), tl.cos(f), tl.sqrt(f), tl.rsqrt(f))
    tl.device_print("z", tl.floor(f), tl.ceil(f), tl.erf(f), tl.sqrt_rn(f), libdevice.tanh(f), libdevice.trunc(f))
    tl.device_print("l", libdevice.rint(f), libdevice.fmod(f, f), libdevice.popc(u), libdevice.clz(i))
    tl.device_print("k", libdevice.isnan(f), libdevice.isinf(f), libdevice.finitef(f), libdevice.signbit(f))
    tl.device_print("r", libdevice.float_as_int(f), libdevice.int_as_float(i), libdevice.float_as_uint(f))
    tl.device_print("o", tl.add(i, 1), tl.sub(f, 2), tl.mul(u, 3), (i > 0).logical_and(u > 0), (i > 0).logical_or(u > 1))


# ir: casts i32,u8,fp32,fp16,bf16,i1,fp8e5,i64,*fp32
# want: func @casts(%i: i32, %u: i8 {unsigned = 1}, %f: f32, %h: f16, %b: bf16, %t: i1, %e: f8e5m2, %w: i64, %p: ptr<f32>) {num_warps = 4, num_stages = 3} {
# want:   %0 = trunc %i : i8
# want:   %1 = ext_s %i : i64
# want:   %2 = ext_s %i : i64
# want:   %3 = s_to_f %i : f32
# want:   %4 = constant 0 : i32
# want:   %5 = icmp %i, %4 {predicate = ne} : i1
# want:   print %0, %1, %2, %3, %5, %i {text = " i: ", unsigned_mask = 60}
# want:   %6 = ext_u %u : i32
# want:   %7 = u_to_f %u : f16
# want:   %8 = constant 0 : i8
# want:   %9 = icmp %u, %8 {predicate = ne} : i1
# want:   print %6, %u, %7, %9 {text = " u: ", unsigned_mask = 12}
# want:   %10 = f_to_s %f : i32
# want:   %11 = f_to_u %f : i8
# want:   %12 = ftrunc %f : f16
# want:   %13 = fext %f : f64
# want:   %14 = constant 0.0 : f32
# want:   %15 = fcmp %f, %14 {predicate = une} : i1
# want:   print %10, %11, %12, %13, %15 {text = " f: ", unsigned_mask = 30}
# want:   %16 = ftrunc %f : f8e5m2
# want:   %17 = ftrunc %f {rounding = rtz} : bf16
# want:   %18 = bitcast %f : i32
# want:   print %16, %17, %18 {text = " g: ", unsigned_mask = 3}
# want:   %19 = fext %h : f32
# want:   %20 = ftrunc %19 : bf16
# want:   %21 = fext %b : f32
# want:   %22 = ftrunc %21 : f16
# want:   %23 = fext %h : f32
# want:   %24 = fext %b : f64
# want:   %25 = bitcast %h : i16
# want:   print %20, %22, %23, %24, %25 {text = " h: ", unsigned_mask = 15}
# want:   %26 = ext_u %t : i32
# want:   %27 = u_to_f %t : f32
# want:   %28 = ext_u %t : i8
# want:   %29 = fext %e : f32
# want:   %30 = fext %e : f16
# want:   print %26, %27, %28, %29, %30 {text = " t: ", unsigned_mask = 26}
# want:   %31 = bitcast %p : i64
# want:   %32 = bitcast %p : i64
# want:   %33 = constant 0 : i64
# want:   %34 = icmp %32, %33 {predicate = ne} : i1
# want:   %35 = bitcast %p : ptr<i8>
# want:   %36 = bitcast %35 : i64
# want:   %37 = trunc %w : i32
# want:   print %31, %34, %36, %37 {text = " p: ", unsigned_mask = 2}
# want:   yield
# want: }
@triton.jit
def casts(i, u, f, h, b, t, e, w, p):
    tl.device_print("i", i.to(tl.int8), i.to(tl.int64), i.to(tl.uint64), i.to(tl.float32), i.to(tl.int1), i.to(tl.uint32))
    tl.device_print("u", u.to(tl.int32), u.to(tl.int8), u.to(tl.float16), u.to(tl.int1))
    tl.device_print("f", f.to(tl.int32), f.to(tl.uint8), f.to(tl.float16), f.to(tl.float64), f.to(tl.int1))
    tl.device_print("g", f.to(tl.float8e5), f.to(tl.bfloat16, fp_downcast_rounding="rtz"), f.to(tl.int32, bitcast=True))
    tl.device_print("h", h.to(tl.bfloat16), b.to(tl.float16), h.to(tl.float32), b.to(tl.float64), h.to(tl.int16, bitcast=True))
    tl.device_print("t", t.to(tl.int32), t.to(tl.float32), t.to(tl.int8), e.to(tl.float32), e.to(tl.float16))
    tl.device_print("p", p.to(tl.int64), p.to(tl.int1), p.to(tl.pointer_type(tl.int8)).to(tl.int64), tl.cast(w, tl.int32))


# ir: constants i8,u64,fp16,fp64
# want: func @constants(%a: i8, %b: i64 {unsigned = 1}, %c: f16, %d: f64) {num_warps = 4, num_stages = 3} {
# want:   %0 = constant 100 : i8
# want:   %1 = add %a, %0 : i8
# want:   %2 = constant -128 : i8
# want:   %3 = mul %a, %2 : i8
# want:   %4 = constant -1 : i64
# want:   %5 = add %b, %4 : i64
# want:   %6 = constant 3 : i64
# want:   %7 = div_u %b, %6 : i64
# want:   print %1, %3, %5, %7 {text = " a: ", unsigned_mask = 12}
# want:   %8 = constant 0.1 : f16
# want:   %9 = fadd %c, %8 : f16
# want:   %10 = constant 3.0 : f16
# want:   %11 = fmul %c, %10 : f16
# want:   %12 = constant 0.1 : f64
# want:   %13 = fadd %d, %12 : f64
# want:   %14 = constant 3.0 : f64
# want:   %15 = fmul %d, %14 : f64
# want:   %16 = constant 0.1 : bf16
# want:   %17 = splat %16 : tile<2xbf16>
# want:   print %9, %11, %13, %15, %17 {text = " c: ", unsigned_mask = 31}
# want:   %18 = constant 1 : i32
# want:   %19 = constant -1 : i32
# want:   %20 = constant 4294967296 : i64
# want:   %21 = constant -5 : i32
# want:   %22 = constant 0.5 : f32
# want:   %23 = constant 1e+300 : f64
# want:   %24 = constant 1 : i1
# want:   %25 = constant -1 : i64
# want:   print %18, %19, %20, %21, %22, %23, %24, %25 {text = " l: ", unsigned_mask = 242}
# want:   %26 = ext_s %a : i32
# want:   %27 = splat %26 : tile<2x4xi32>
# want:   %28 = constant 3 : i64
# want:   %29 = constant 0.0 : f16
# want:   %30 = constant 0 : i1
# want:   %31 = splat %30 : tile<4xi1>
# want:   print %27, %28, %29, %31 {text = " f: ", unsigned_mask = 12}
# want:   yield
# want: }
@triton.jit
def constants(a, b, c, d):
    tl.device_print("a", a + 100, a * -128, b + 18446744073709551615, b // 3)
    tl.device_print("c", c + 0.1, c * 3, d + 0.1, d * 3, tl.full((2, ), 0.1, tl.bfloat16))
    tl.device_print("l", 1, 4294967295, 4294967296, -5, 0.5, 1e300, True, 18446744073709551615)
    tl.device_print("f", tl.full((2, 4), a, tl.int32), tl.full((), 3, tl.int64), tl.zeros_like(c), tl.zeros((4, ), tl.int1))


# ir: programs *i32
# want: func @programs(%p: ptr<i32>) {num_warps = 4, num_stages = 3} {
# want:   %0 = program_id {axis = 0} : i32
# want:   %1 = program_id {axis = 1} : i32
# want:   %2 = num_programs {axis = 0} : i32
# want:   %3 = mul %1, %2 : i32
# want:   %4 = add %0, %3 : i32
# want:   %5 = program_id {axis = 2} : i32
# want:   %6 = num_programs {axis = 2} : i32
# want:   %7 = mul %5, %6 : i32
# want:   %8 = add %4, %7 : i32
# want:   store %p, %8
# want:   yield
# want: }
@triton.jit
def programs(p):
    tl.store(p, tl.program_id(0) + tl.program_id(1) * tl.num_programs(0) + tl.program_id(axis=2) * tl.num_programs(2))


# ir: pointers *fp32,*i8,**fp32,i32,i64
# want: func @pointers(%p: ptr<f32>, %b: ptr<i8>, %t: ptr<ptr<f32>>, %n: i32, %w: i64) {num_warps = 4, num_stages = 3} {
# want:   %0 = addptr %t, %n : ptr<ptr<f32>>
# want:   %q = load %0 : ptr<f32>
# want:   %1 = addptr %p, %n : ptr<f32>
# want:   %2 = addptr %q, %w : ptr<f32>
# want:   %3 = load %2 : f32
# want:   %4 = addptr %p, %n : ptr<f32>
# want:   %5 = load %4 : f32
# want:   %6 = fadd %3, %5 : f32
# want:   %7 = constant 1 : i32
# want:   %8 = constant 0 : i32
# want:   %9 = sub %8, %7 : i32
# want:   %10 = addptr %p, %9 : ptr<f32>
# want:   %11 = load %10 : f32
# want:   %12 = fadd %6, %11 : f32
# want:   store %1, %12
# want:   %13 = arange {start = 0, end = 4} : tile<4xi32>
# want:   %14 = splat %b : tile<4xptr<i8>>
# want:   %15 = addptr %14, %13 : tile<4xptr<i8>>
# want:   %16 = addptr %b, %n : ptr<i8>
# want:   %17 = arange {start = 0, end = 4} : tile<4xi32>
# want:   %18 = splat %16 : tile<4xptr<i8>>
# want:   %19 = addptr %18, %17 : tile<4xptr<i8>>
# want:   %20 = load %19 : tile<4xi8>
# want:   store %15, %20
# want:   %21 = constant 2 : i32
# want:   %p.1 = addptr %p, %21 : ptr<f32>
# want:   %22 = constant 0 : i32
# want:   %23 = sub %22, %n : i32
# want:   %p.2 = addptr %p.1, %23 : ptr<f32>
# want:   %24 = constant 0 : i32
# want:   %25 = s_to_f %24 : f32
# want:   store %p.2, %25
# want:   yield
# want: }
@triton.jit
def pointers(p, b, t, n, w):
    q = tl.load(t + n)
    tl.store(p + n, tl.load(q + w) + tl.load(n + p) + tl.load(p - 1))
    tl.store(b + tl.arange(0, 4), tl.load((b + n) + tl.arange(0, 4)))
    p += 2
    p -= n
    tl.store(p, 0)


# ir: loops *i32,i32,i32
# want: func @loops(%p: ptr<i32>, %n: i32, %m: i32) {num_warps = 4, num_stages = 3} {
# want:   %s = constant 0 : i32
# want:   %0 = constant 0 : i32
# want:   %1 = constant 1 : i32
# want:   %s.1 = for %0, %n, %1, %s : i32 (%i: i32, %s.2: i32) {
# want:     %s.3 = add %s.2, %i : i32
# want:     yield %s.3
# want:   }
# want:   %2 = constant 1 : i32
# want:   %s.4 = for %m, %n, %2, %s.1 : i32 (%i.1: i32, %s.5: i32) {
# want:     %s.6 = add %s.5, %i.1 : i32
# want:     yield %s.6
# want:   }
# want:   %3 = constant -2 : i32
# want:   %s.7 = for %n, %m, %3, %s.4 : i32 (%i.2: i32, %s.8: i32) {
# want:     %s.9 = sub %s.8, %i.2 : i32
# want:     yield %s.9
# want:   }
# want:   %4 = constant 0 : i32
# want:   %5 = constant 4 : i32
# want:   %s.10 = for %4, %n, %5, %s.7 {stages = 3} : i32 (%i.3: i32, %s.11: i32) {
# want:     %s.12 = xor %s.11, %i.3 : i32
# want:     yield %s.12
# want:   }
# want:   %s.13 = for %m, %n, %m, %s.10 : i32 (%i.4: i32, %s.14: i32) {
# want:     %6 = constant 0 : i32
# want:     %7 = constant 1 : i32
# want:     %s.15 = for %6, %i.4, %7, %s.14 : i32 (%k: i32, %s.16: i32) {
# want:       %8 = mul %k, %i.4 : i32
# want:       %s.17 = add %s.16, %8 : i32
# want:       yield %s.17
# want:     }
# want:     yield %s.15
# want:   }
# want:   %9 = constant 0 : i32
# want:   %s.18 = add %s.13, %9 : i32
# want:   %10 = constant 1 : i32
# want:   %s.19 = add %s.18, %10 : i32
# want:   %11 = constant 2 : i32
# want:   %s.20 = add %s.19, %11 : i32
# want:   %12 = constant 9 : i32
# want:   %s.21 = mul %s.20, %12 : i32
# want:   %13 = constant 6 : i32
# want:   %s.22 = mul %s.21, %13 : i32
# want:   %14 = constant 3 : i32
# want:   %s.23 = mul %s.22, %14 : i32
# want:   store %p, %s.23
# want:   yield
# want: }
@triton.jit
def loops(p, n, m):
    s = 0
    for i in range(n):
        s += i
    for i in range(m, n):
        s += i
    for i in range(n, m, -2):
        s -= i
    for i in tl.range(0, n, 4, num_stages=3):
        s ^= i
    for i in tl.range(m, n, m):
        for k in range(i):
            s += k * i
    for i in tl.static_range(3):
        s += i
    for i in tl.static_range(9, 2, -3):
        s = s * i
    tl.store(p, s)


# ir: wide_loops *i64,i64,u32,u8
# want: func @wide_loops(%p: ptr<i64>, %n: i64, %u: i32 {unsigned = 1}, %b: i8 {unsigned = 1}) {num_warps = 4, num_stages = 3} {
# want:   %0 = constant 0 : i32
# want:   %1 = constant 1 : i32
# want:   %2 = ext_s %0 : i64
# want:   %3 = ext_s %1 : i64
# want:   %s = for %2, %n, %3, %n : i64 (%i: i64, %s.1: i64) {
# want:     %s.2 = add %s.1, %i : i64
# want:     yield %s.2
# want:   }
# want:   %4 = constant 0 : i32
# want:   %5 = constant 2 : i32
# want:   %s.3 = for %4, %u, %5, %s {unsigned = 1} : i64 (%i.1: i32, %s.4: i64) {
# want:     %6 = ext_u %i.1 : i64
# want:     %s.5 = add %s.4, %6 : i64
# want:     yield %s.5
# want:   }
# want:   %7 = constant 0 : i32
# want:   %8 = constant 1 : i32
# want:   %9 = ext_u %b : i32
# want:   %s.6 = for %7, %9, %8, %s.3 : i64 (%i.2: i32, %s.7: i64) {
# want:     %10 = ext_s %i.2 : i64
# want:     %s.8 = add %s.7, %10 : i64
# want:     yield %s.8
# want:   }
# want:   store %p, %s.6
# want:   yield
# want: }
@triton.jit
def wide_loops(p, n, u, b):
    s = n
    for i in range(n):
        s += i
    for i in range(0, u, 2):
        s += i
    for i in range(b):
        s += i
    tl.store(p, s)


# ir: whiles *i32,i32
# want: func @whiles(%p: ptr<i32>, %n: i32) {num_warps = 4, num_stages = 3} {
# want:   %k = constant 0 : i32
# want:   %s = constant 1.0 : f32
# want:   %k.1, %s.1 = while %k, %s : i32, f32 (%k.2: i32, %s.2: f32) {
# want:     %0 = icmp %n, %k.2 {predicate = sgt} : i1
# want:     yield %0, %k.2, %s.2
# want:   } (%k.3: i32, %s.3: f32) {
# want:     %1 = constant 2 : i32
# want:     %k.4 = add %k.3, %1 : i32
# want:     %2 = constant 0.5 : f32
# want:     %s.4 = fmul %s.3, %2 : f32
# want:     %s.5 = while %s.4 : f32 (%s.6: f32) {
# want:       %3 = constant 1 : i32
# want:       %4 = s_to_f %3 : f32
# want:       %5 = fcmp %s.6, %4 {predicate = ogt} : i1
# want:       yield %5, %s.6
# want:     } (%s.7: f32) {
# want:       %6 = constant 1.0 : f32
# want:       %s.8 = fsub %s.7, %6 : f32
# want:       yield %s.8
# want:     }
# want:     yield %k.4, %s.5
# want:   }
# want:   store %p, %k.1
# want:   %n.1 = while %n : i32 (%n.2: i32) {
# want:     %7 = constant 0 : i32
# want:     %8 = icmp %n.2, %7 {predicate = sgt} : i1
# want:     %9 = constant 9 : i32
# want:     %10 = icmp %k.1, %9 {predicate = slt} : i1
# want:     %11 = and %8, %10 : i1
# want:     yield %11, %n.2
# want:   } (%n.3: i32) {
# want:     %12 = constant 1 : i32
# want:     %n.4 = sub %n.3, %12 : i32
# want:     yield %n.4
# want:   }
# want:   store %p, %n.1
# want:   yield
# want: }
@triton.jit
def whiles(p, n):
    k = 0
    s = 1.0
    while n > k:
        k += 2
        s = s * 0.5
        while s > 1:
            s -= 1
    tl.store(p, k)
    while (n > 0) & (k < 9):
        n -= 1
    tl.store(p, n)


# ir: branches *i32,i32,i32
# want: func @branches(%p: ptr<i32>, %n: i32, %m: i32) {num_warps = 4, num_stages = 3} {
# want:   %0 = constant 0 : i32
# want:   %1 = icmp %n, %0 {predicate = sgt} : i1
# want:   %a = if %1 : i32 {
# want:     %2 = constant 1 : i32
# want:     store %p, %2
# want:     yield %m
# want:   } {
# want:     %3 = constant -5 : i32
# want:     %4 = icmp %n, %3 {predicate = slt} : i1
# want:     %a.1 = if %4 : i32 {
# want:       %5 = constant 1 : i32
# want:       %a.2 = add %n, %5 : i32
# want:       yield %a.2
# want:     } {
# want:       %6 = constant 2 : i32
# want:       %b = mul %n, %6 : i32
# want:       yield %b
# want:     }
# want:     yield %a.1
# want:   }
# want:   %7 = constant 0 : i32
# want:   %8 = icmp %m, %7 {predicate = ne} : i1
# want:   if %8 {
# want:     store %p, %a
# want:     yield
# want:   } {
# want:     yield
# want:   }
# want:   %9 = constant 1 : i32
# want:   %10 = icmp %n, %9 {predicate = sgt} : i1
# want:   %x = if %10 : i32 {
# want:     yield %a
# want:   } {
# want:     %11 = constant 1 : i32
# want:     %12 = add %m, %11 : i32
# want:     yield %12
# want:   }
# want:   %13 = constant 2 : i32
# want:   %14 = icmp %n, %13 {predicate = sgt} : i1
# want:   %15 = constant 3 : i32
# want:   %16 = icmp %m, %15 {predicate = sgt} : i1
# want:   %17 = and %14, %16 : i1
# want:   %y = if %17 : i32 {
# want:     %18 = constant 1 : i32
# want:     yield %18
# want:   } {
# want:     %19 = constant 2 : i32
# want:     yield %19
# want:   }
# want:   %20 = constant 3 : i32
# want:   %21 = icmp %n, %20 {predicate = sgt} : i1
# want:   %22 = if %21 : i32 {
# want:     %23 = constant 1 : i32
# want:     yield %23
# want:   } {
# want:     %24 = constant 2 : i32
# want:     yield %24
# want:   }
# want:   %25 = constant 1 : i32
# want:   %z = add %22, %25 : i32
# want:   %26 = constant 4 : i32
# want:   %27 = icmp %n, %26 {predicate = sgt} : i1
# want:   if %27 {
# want:     yield
# want:   } {
# want:     %28 = constant 1 : i32
# want:     %29 = addptr %p, %28 : ptr<i32>
# want:     %30 = add %x, %y : i32
# want:     %31 = add %30, %z : i32
# want:     store %29, %31
# want:     yield
# want:   }
# want:   yield
# want: }
@triton.jit
def branches(p, n, m):
    a = n
    if n > 0:
        a = m
        tl.store(p, 1)
    elif n < -5:
        a = a + 1
    else:
        b = a * 2
        a = b
    if m:
        tl.store(p, a)
    x = a if n > 1 else m + 1
    y = 1 if n > 2 and m > 3 else 2
    z = early(n) + early(5)
    if n > 4:
        return
    tl.store(p + 1, x + y + z)


# ir: calls i32,fp32
# want: func @calls(%i: i32, %f: f32) {num_warps = 4, num_stages = 3} {
# want:   %0 = constant 1 : i32
# want:   %1 = add %i, %0 : i32
# want:   %2 = s_to_f %i : f32
# want:   %3 = fadd %f, %2 : f32
# want:   %4 = constant 2.0 : f32
# want:   %5 = fadd %f, %4 : f32
# want:   %6 = add %i, %i : i32
# want:   %7 = constant 3 : i32
# want:   %8 = add %6, %7 : i32
# want:   print %1, %3, %5, %8 {text = " c: ", unsigned_mask = 6}
# want:   %9 = constant 2.0 : f32
# want:   %10 = fmul %f, %9 : f32
# want:   %11 = constant 1 : i32
# want:   %12 = add %i, %11 : i32
# want:   %keep = fcmp %f, %10 {predicate = ogt} : i1
# want:   %a = select %keep, %f, %10 : f32
# want:   %b = select %keep, %i, %12 : i32
# want:   %e = constant 3 : i32
# want:   print %b, %a, %e {text = " d: ", unsigned_mask = 2}
# want:   yield
# want: }
@triton.jit
def calls(i, f):
    tl.device_print("c", add(i, 1), add(f, i), add(b=2, a=f), add(add(i, i), add(1, 2)))
    a, b = larger(f, i, f * 2, i + 1)
    (c, d), e = (a, b), 3
    c, d = d, c
    tl.device_print("d", c, d, e)


# ir: shapes *fp32
# want: func @shapes(%p: ptr<f32>) {num_warps = 4, num_stages = 3} {
# want:   %r = arange {start = 0, end = 4} : tile<4xi32>
# want:   %c = arange {start = 0, end = 8} : tile<8xi32>
# want:   %0 = expand_dims %r {axis = 1} : tile<4x1xi32>
# want:   %1 = constant 8 : i32
# want:   %2 = splat %1 : tile<4x1xi32>
# want:   %3 = mul %0, %2 : tile<4x1xi32>
# want:   %4 = expand_dims %c {axis = 0} : tile<1x8xi32>
# want:   %5 = broadcast %3 : tile<4x8xi32>
# want:   %6 = broadcast %4 : tile<4x8xi32>
# want:   %x = add %5, %6 : tile<4x8xi32>
# want:   %7 = expand_dims %r {axis = 0} : tile<1x4xi32>
# want:   %8 = expand_dims %7 {axis = 2} : tile<1x4x1xi32>
# want:   %9 = broadcast %8 : tile<2x4x8xi32>
# want:   %10 = expand_dims %x {axis = 0} : tile<1x4x8xi32>
# want:   %11 = broadcast %10 : tile<2x4x8xi32>
# want:   %y = add %9, %11 : tile<2x4x8xi32>
# want:   %12 = expand_dims %r {axis = 0} : tile<1x4xi32>
# want:   %13 = expand_dims %12 {axis = 2} : tile<1x4x1xi32>
# want:   %14 = s_to_f %13 : tile<1x4x1xf32>
# want:   %15 = constant 1.0 : f32
# want:   %16 = splat %15 : tile<1x4x1xf32>
# want:   %z = fadd %14, %16 : tile<1x4x1xf32>
# want:   %17 = expand_dims %r {axis = 1} : tile<4x1xi32>
# want:   %18 = expand_dims %c {axis = 0} : tile<1x8xi32>
# want:   %v = broadcast %17 : tile<4x8xi32>
# want:   %w = broadcast %18 : tile<4x8xi32>
# want:   %19 = trans %x {order = [1, 0]} : tile<8x4xi32>
# want:   %20 = trans %w {order = [1, 0]} : tile<8x4xi32>
# want:   %t = add %19, %20 : tile<8x4xi32>
# want:   %21 = reshape %x : tile<32xi32>
# want:   %22 = constant 0.0 : f32
# want:   %23 = splat %22 : tile<4x4xf32>
# want:   %24 = constant 3.0 : f32
# want:   %25 = splat %24 : tile<4x4xf32>
# want:   %26 = fadd %23, %25 : tile<4x4xf32>
# want:   %27 = constant 42 : i32
# want:   print %y, %z, %v, %t, %21, %26, %27 {text = " s: ", unsigned_mask = 34}
# want:   yield
# want: }
@triton.jit
def shapes(p):
    r = tl.arange(0, 4)
    c = tl.arange(0, 8)
    x = r[:, None] * 8 + c[None, :]
    y = tl.broadcast_to(r[None, :, None], (2, 4, 8)) + x[None]
    z = tl.expand_dims(r, (0, 2)) + 1.0
    v, w = tl.broadcast(r[:, None], c[None, :])
    t = x.T + w.trans()
    tl.device_print("s", y, z, v, t, x.reshape(32), tl.zeros((4, 4), tl.float32) + 3, x.numel + len(x.shape) + x.shape[1])


# ir: parameters *fp32:16,i32:16,i32:1,i64,u32,fp16,bf16,fp64,i1,7,(i32, 3),None
# want: func @parameters(%p: ptr<f32> {divisible = 16}, %n: i32 {divisible = 16}, %w: i64 {source_index = 3}, %u: i32 {unsigned = 1, source_index = 4}, %h: f16 {source_index = 5}, %b: bf16 {source_index = 6}, %d: f64 {source_index = 7}, %t: i1 {source_index = 8}, %0: i32 {source_index = 10}) {num_warps = 4, num_stages = 3} {
# want:   %1 = constant 1 : i32
# want:   %2 = add %n, %1 : i32
# want:   %3 = ext_s %2 : i64
# want:   %4 = add %3, %w : i64
# want:   %5 = ext_u %u : i64
# want:   %6 = add %4, %5 : i64
# want:   %7 = s_to_f %6 : f16
# want:   %8 = fadd %7, %h : f16
# want:   %9 = fext %b : f32
# want:   %10 = ftrunc %9 : f16
# want:   %11 = fadd %8, %10 : f16
# want:   %12 = fext %11 : f64
# want:   %13 = fadd %12, %d : f64
# want:   %14 = u_to_f %t : f64
# want:   %15 = fadd %13, %14 : f64
# want:   %16 = constant 7.0 : f64
# want:   %17 = fadd %15, %16 : f64
# want:   %18 = s_to_f %0 : f64
# want:   %19 = fadd %17, %18 : f64
# want:   %20 = constant 3.0 : f64
# want:   %21 = fadd %19, %20 : f64
# want:   %22 = ftrunc %21 : f32
# want:   store %p, %22
# want:   yield
# want: }
@triton.jit
def parameters(p, n, one, w, u, h, b, d, t, K: tl.constexpr, pair, none):
    if none is None:
        tl.store(p, n + one + w + u + h + b + d + t + K + pair[0] + pair[1])


# ir: checked_once *fp32,i32
# want: func @checked_once(%p: ptr<f32>, %n: i32) {num_warps = 4, num_stages = 3} {
# want:   %0 = ext_s %n : i64
# want:   %1 = constant 1 : i32
# want:   %2 = ext_s %1 : i64
# want:   %3 = constant 0 : i32
# want:   %4 = ext_s %3 : i64
# want:   %5 = mul %4, %2 : i64
# want:   %6 = addptr %p, %5 : ptr<f32>
# want:   %7 = arange {start = 0, end = 8} : tile<8xi32>
# want:   %8 = ext_s %7 : tile<8xi64>
# want:   %9 = splat %2 : tile<8xi64>
# want:   %10 = mul %8, %9 : tile<8xi64>
# want:   %11 = splat %4 : tile<8xi64>
# want:   %12 = add %8, %11 : tile<8xi64>
# want:   %13 = splat %0 : tile<8xi64>
# want:   %14 = icmp %12, %13 {predicate = slt} : tile<8xi1>
# want:   %15 = constant 0 : i32
# want:   %16 = ext_s %15 : i64
# want:   %17 = splat %16 : tile<8xi64>
# want:   %18 = icmp %12, %17 {predicate = sge} : tile<8xi1>
# want:   %19 = and %18, %14 : tile<8xi1>
# want:   %20 = splat %6 : tile<8xptr<f32>>
# want:   %21 = addptr %20, %10 : tile<8xptr<f32>>
# want:   %22 = load %21, %19 : tile<8xf32>
# want:   %23 = mul %4, %2 : i64
# want:   %24 = addptr %p, %23 : ptr<f32>
# want:   %25 = arange {start = 0, end = 8} : tile<8xi32>
# want:   %26 = ext_s %25 : tile<8xi64>
# want:   %27 = splat %2 : tile<8xi64>
# want:   %28 = mul %26, %27 : tile<8xi64>
# want:   %29 = splat %4 : tile<8xi64>
# want:   %30 = add %26, %29 : tile<8xi64>
# want:   %31 = splat %0 : tile<8xi64>
# want:   %32 = icmp %30, %31 {predicate = slt} : tile<8xi1>
# want:   %33 = constant 0 : i32
# want:   %34 = ext_s %33 : i64
# want:   %35 = splat %34 : tile<8xi64>
# want:   %36 = icmp %30, %35 {predicate = sge} : tile<8xi1>
# want:   %37 = and %36, %32 : tile<8xi1>
# want:   %38 = splat %24 : tile<8xptr<f32>>
# want:   %39 = addptr %38, %28 : tile<8xptr<f32>>
# want:   store %39, %22, %37
# want:   yield
# want: }
@triton.jit
def checked_once(p, n):
    b = tl.make_block_ptr(p, (n, ), (1, ), (0, ), (8, ), (0, ))
    tl.store(b, tl.load(b, boundary_check=0), boundary_check=[0])


# ir: unused *fp32
# want: func @unused(%p: ptr<f32>) {num_warps = 4, num_stages = 3} {
# want:   %o = arange {start = 0, end = 16} : tile<16xi32>
# want:   %0 = splat %p : tile<16xptr<f32>>
# want:   %1 = addptr %0, %o : tile<16xptr<f32>>
# want:   %2 = load %1 {volatile = 1} : tile<16xf32>
# want:   %3 = splat %p : tile<16xptr<f32>>
# want:   %4 = addptr %3, %o : tile<16xptr<f32>>
# want:   %a = load %4 : tile<16xf32>
# want:   %5 = splat %p : tile<16xptr<f32>>
# want:   %6 = addptr %5, %o : tile<16xptr<f32>>
# want:   %7 = constant 1.0 : f32
# want:   %8 = splat %7 : tile<16xf32>
# want:   store %6, %8
# want:   %9 = splat %p : tile<16xptr<f32>>
# want:   %10 = addptr %9, %o : tile<16xptr<f32>>
# want:   %b = load %10 : tile<16xf32>
# want:   %11 = constant 16 : i32
# want:   %12 = addptr %p, %11 : ptr<f32>
# want:   %13 = splat %12 : tile<16xptr<f32>>
# want:   %14 = addptr %13, %o : tile<16xptr<f32>>
# want:   %15 = constant 2.0 : f32
# want:   %16 = splat %15 : tile<16xf32>
# want:   store %14, %16
# want:   %17 = constant 8 : i32
# want:   %18 = addptr %p, %17 : ptr<f32>
# want:   %19 = splat %18 : tile<16xptr<f32>>
# want:   %20 = addptr %19, %o : tile<16xptr<f32>>
# want:   %21 = fadd %a, %b : tile<16xf32>
# want:   store %20, %21
# want:   yield
# want: }
@triton.jit
def unused(p):
    o = tl.arange(0, 16)
    tl.load(p + o, volatile=True)
    a = tl.load(p + o)
    tl.store(p + o, 1.0)
    b = tl.load(p + o)
    tl.store(p + 16 + o, 2.0)
    tl.store(p + 8 + o, a + b)


# ir: exact_dots *fp8e4nv
# want: func @exact_dots(%p: ptr<f8e4m3>) {num_warps = 4, num_stages = 3} {
# want:   %0 = arange {start = 0, end = 32} : tile<32xi32>
# want:   %1 = expand_dims %0 {axis = 1} : tile<32x1xi32>
# want:   %2 = constant 32 : i32
# want:   %3 = splat %2 : tile<32x1xi32>
# want:   %4 = mul %1, %3 : tile<32x1xi32>
# want:   %5 = splat %p : tile<32x1xptr<f8e4m3>>
# want:   %6 = addptr %5, %4 : tile<32x1xptr<f8e4m3>>
# want:   %7 = arange {start = 0, end = 32} : tile<32xi32>
# want:   %8 = expand_dims %7 {axis = 0} : tile<1x32xi32>
# want:   %9 = broadcast %6 : tile<32x32xptr<f8e4m3>>
# want:   %10 = broadcast %8 : tile<32x32xi32>
# want:   %11 = addptr %9, %10 : tile<32x32xptr<f8e4m3>>
# want:   %x = load %11 : tile<32x32xf8e4m3>
# want:   %12 = constant 0.0 : f32
# want:   %13 = splat %12 : tile<32x32xf32>
# want:   %y = dot %x, %x, %13 : tile<32x32xf32>
# want:   %14 = fext %x : tile<32x32xf16>
# want:   %15 = fext %x : tile<32x32xf16>
# want:   %y.1 = dot %14, %15, %y : tile<32x32xf32>
# want:   %16 = arange {start = 0, end = 32} : tile<32xi32>
# want:   %17 = expand_dims %16 {axis = 1} : tile<32x1xi32>
# want:   %18 = constant 32 : i32
# want:   %19 = splat %18 : tile<32x1xi32>
# want:   %20 = mul %17, %19 : tile<32x1xi32>
# want:   %21 = splat %p : tile<32x1xptr<f8e4m3>>
# want:   %22 = addptr %21, %20 : tile<32x1xptr<f8e4m3>>
# want:   %23 = arange {start = 0, end = 32} : tile<32xi32>
# want:   %24 = expand_dims %23 {axis = 0} : tile<1x32xi32>
# want:   %25 = broadcast %22 : tile<32x32xptr<f8e4m3>>
# want:   %26 = broadcast %24 : tile<32x32xi32>
# want:   %27 = addptr %25, %26 : tile<32x32xptr<f8e4m3>>
# want:   %28 = ftrunc %y.1 : tile<32x32xf8e4m3>
# want:   store %27, %28
# want:   yield
# want: }
@triton.jit
def exact_dots(p):
    x = tl.load(p + tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :])
    y = tl.dot(x, x)
    y = tl.dot(x, x, y, max_num_imprecise_acc=16)
    tl.store(p + tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :], y)


# ir: hint_alone *i32,i32
# want: func @hint_alone(%p: ptr<i32>, %n: i32) {num_warps = 4, num_stages = 3} {
# want:   %0 = hint %n {kind = divisible, values = [8]} : i32
# want:   %q = addptr %p, %0 : ptr<i32>
# want:   %1 = constant 0 : i32
# want:   %2 = constant 1 : i32
# want:   %q.1 = for %1, %0, %2, %q : ptr<i32> (%i: i32, %q.2: ptr<i32>) {
# want:     %3 = hint %q.2 {kind = divisible, values = [16]} : ptr<i32>
# want:     %4 = hint %0 {kind = constant, values = [1]} : i32
# want:     store %3, %4
# want:     %5 = constant 4 : i32
# want:     %q.3 = addptr %3, %5 : ptr<i32>
# want:     yield %q.3
# want:   }
# want:   %6 = constant 1 : i32
# want:   %7 = icmp %0, %6 {predicate = sgt} : i1
# want:   %p.1 = if %7 : ptr<i32> {
# want:     %8 = hint %p {kind = divisible, values = [4]} : ptr<i32>
# want:     yield %8
# want:   } {
# want:     yield %p
# want:   }
# want:   store %p.1, %0
# want:   yield
# want: }
@triton.jit
def hint_alone(p, n):
    tl.multiple_of(n, 8)
    q = p + n
    for i in range(n):
        tl.multiple_of(q, 16)  # carried
        tl.max_constancy(n, 1)  # in this loop
        tl.store(q, n)
        q += 4
    if n > 1:
        tl.multiple_of(p, 4)
    tl.store(p, n)
