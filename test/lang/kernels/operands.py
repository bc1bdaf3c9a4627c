# What is no tensor, or not what a function of the language takes, is refused at each place of its
# arguments, in words that name it; what was refused before is silent there.
import triton
import triton.language as tl


@triton.jit
def both(a, b):
    return a + b


# case: text0 *fp32,*i32
# want: error '"a"': 'axis' of 'program_id' must be a compile-time int, got str
# want: error '"a"': the arguments of 'arange' must be tl.constexpr, got str
# want: error '"a"': the arguments of 'arange' must be tl.constexpr, got str
# want: error '"a"': each dimension of the shape must be a compile-time int, got str
# want: error '"a"': the value of 'full' must be a number or a scalar, got str
# want: error '"a"': 'dtype' of 'full' must be a dtype, got str
# want: error '"a"': each dimension of the shape must be a compile-time int, got str
# want: error '"a"': 'dtype' of 'zeros' must be a dtype, got str
# want: error '"a"': 'input' of 'zeros_like' must be a tensor or a number, got str
# want: error '"a"': 'input' of 'broadcast' must be a tensor or a number, got str
# want: error '"a"': 'other' of 'broadcast' must be a tensor or a number, got str
# want: error '"a"': 'input' of 'broadcast_to' must be a tensor or a number, got str
# want: error '"a"': each dimension of the shape must be a compile-time int, got str
# want: error '"a"': 'input' of 'reshape' must be a tensor or a number, got str
# want: error '"a"': each dimension of the shape must be a compile-time int, got str
# want: error '"a"': 'x' of 'ravel' must be a tensor or a number, got str
# want: error '"a"': 'input' of 'trans' must be a tensor or a number, got str
# want: error '"a"': 'input' of 'permute' must be a tensor or a number, got str
@triton.jit
def text0(x, y):
    i = tl.arange(0, 16)
    p, q = x + i, y + i
    t = tl.zeros((16,), tl.float32)
    m = tl.zeros((16, 16), tl.float32)
    tl.program_id("a")
    tl.arange("a", 16)
    tl.arange(0, "a")
    tl.full("a", 1, tl.float32)
    tl.full((16,), "a", tl.float32)
    tl.full((16,), 1, "a")
    tl.zeros("a", tl.float32)
    tl.zeros((16,), "a")
    tl.zeros_like("a")
    tl.broadcast("a", t)
    tl.broadcast(t, "a")
    tl.broadcast_to("a", (16,))
    tl.broadcast_to(t, "a")
    tl.reshape("a", (4, 4))
    tl.reshape(t, "a")
    tl.ravel("a")
    tl.trans("a")
    tl.permute("a", (1, 0))


# case: text1 *fp32,*i32
# want: error '"a"': 'permute' needs 2 dimensions, got 1
# want: error '"a"': 'input' of 'expand_dims' must be a tensor or a number, got str
# want: error '"a"': the axis must be a compile-time int, got str
# want: error '"a"': 'a' of 'join' must be a tensor or a number, got str
# want: error '"a"': 'b' of 'join' must be a tensor or a number, got str
# want: error '"a"': 'a' of 'split' must be a tensor or a number, got str
# want: error '"a"': 'a' of 'interleave' must be a tensor or a number, got str
# want: error '"a"': 'b' of 'interleave' must be a tensor or a number, got str
# want: error '"a"': 'input' of 'cat' must be a tensor or a number, got str
# want: error '"a"': 'other' of 'cat' must be a tensor or a number, got str
# want: error '"a"': 'x' of 'squeeze' must be a tensor or a number, got str
# want: error '"a"': the axis must be a compile-time int, got str
# want: error '"a"': 'input' of 'cast' must be a tensor or a number, got str
# want: error '"a"': 'dtype' of 'cast' must be a dtype, got str
# want: error 'tl.add("a", t)': '+' does not work on str and fp32[16]
# want: error 'tl.add(t, "a")': '+' does not work on fp32[16] and str
# want: error 'tl.sub("a", t)': '-' does not work on str and fp32[16]
# want: error 'tl.sub(t, "a")': '-' does not work on fp32[16] and str
@triton.jit
def text1(x, y):
    i = tl.arange(0, 16)
    p, q = x + i, y + i
    t = tl.zeros((16,), tl.float32)
    m = tl.zeros((16, 16), tl.float32)
    tl.permute(m, "a")
    tl.expand_dims("a", 0)
    tl.expand_dims(t, "a")
    tl.join("a", t)
    tl.join(t, "a")
    tl.split("a")
    tl.interleave("a", t)
    tl.interleave(t, "a")
    tl.cat("a", t)
    tl.cat(t, "a")
    tl.squeeze("a", 0)
    tl.squeeze(m, "a")
    tl.cast("a", tl.float16)
    tl.cast(t, "a")
    tl.add("a", t)
    tl.add(t, "a")
    tl.sub("a", t)
    tl.sub(t, "a")


# case: text2 *fp32,*i32
# want: error 'tl.mul("a", t)': '*' does not work on str and fp32[16]
# want: error 'tl.mul(t, "a")': '*' does not work on fp32[16] and str
# want: error '"a"': 'x' of 'logical_and' must be a tensor or a number, got str
# want: error '"a"': 'y' of 'logical_and' must be a tensor or a number, got str
# want: error '"a"': 'where' needs tensors or numbers, got str
# want: error '"a"': 'where' needs tensors or numbers, got str
# want: error '"a"': 'where' needs tensors or numbers, got str
# want: error '"a"': 'x' of 'minimum' must be a tensor or a number, got str
# want: error '"a"': 'y' of 'minimum' must be a tensor or a number, got str
# want: error '"a"': 'x' of 'maximum' must be a tensor or a number, got str
# want: error '"a"': 'y' of 'maximum' must be a tensor or a number, got str
# want: error '"a"': 'x' of 'clamp' must be a tensor or a number, got str
# want: error '"a"': 'min' of 'clamp' must be a tensor or a number, got str
# want: error '"a"': 'max' of 'clamp' must be a tensor or a number, got str
# want: error 'tl.cdiv("a", i)': '+' does not work on str and int32[16]
# want: error 'tl.cdiv(i, "a")': '-' does not work on str and int
# want: error '"a"': 'x' of 'exp' must be a tensor or a number, got str
# want: error '"a"': 'x' of 'sqrt_rn' must be a tensor or a number, got str
@triton.jit
def text2(x, y):
    i = tl.arange(0, 16)
    p, q = x + i, y + i
    t = tl.zeros((16,), tl.float32)
    m = tl.zeros((16, 16), tl.float32)
    tl.mul("a", t)
    tl.mul(t, "a")
    tl.logical_and("a", i)
    tl.logical_and(i, "a")
    tl.where("a", t, t)
    tl.where(i > 0, "a", t)
    tl.where(i > 0, t, "a")
    tl.minimum("a", t)
    tl.minimum(t, "a")
    tl.maximum("a", t)
    tl.maximum(t, "a")
    tl.clamp("a", t, t)
    tl.clamp(t, "a", t)
    tl.clamp(t, t, "a")
    tl.cdiv("a", i)
    tl.cdiv(i, "a")
    tl.exp("a")
    tl.sqrt_rn("a")


# case: text3 *fp32,*i32
# want: error '"a"': 'x' of 'abs' must be a tensor or a number, got str
# want: error '"a"': 'x' of 'sigmoid' must be a tensor or a number, got str
# want: error '"a"': 'x' of 'fdiv' must be a tensor or a number, got str
# want: error '"a"': 'y' of 'fdiv' must be a tensor or a number, got str
# want: error '"a"': 'x' of 'div_rn' must be a tensor or a number, got str
# want: error '"a"': 'y' of 'div_rn' must be a tensor or a number, got str
# want: error '"a"': 'x' of 'fma' must be a tensor or a number, got str
# want: error '"a"': 'y' of 'fma' must be a tensor or a number, got str
# want: error '"a"': 'z' of 'fma' must be a tensor or a number, got str
# want: error '"a"': 'x' of 'umulhi' must be a tensor or a number, got str
# want: error '"a"': 'y' of 'umulhi' must be a tensor or a number, got str
# want: error 'tl.load("a", i > 0, t)': tl.load needs a pointer, got str
# want: error 'tl.load(p, "a", t)': expected a number or a tensor, got str
# want: error 'tl.load(p, i > 0, "a")': expected a number or a tensor, got str
# want: error 'tl.store("a", t, i > 0)': tl.store needs a pointer, got str
# want: error 'tl.store(p, "a", i > 0)': expected a number or a tensor, got str
# want: error 'tl.store(p, t, "a")': expected a number or a tensor, got str
# want: error 'tl.atomic_add("a", t, i > 0)': tl.atomic_add needs a pointer, got str
@triton.jit
def text3(x, y):
    i = tl.arange(0, 16)
    p, q = x + i, y + i
    t = tl.zeros((16,), tl.float32)
    m = tl.zeros((16, 16), tl.float32)
    tl.abs("a")
    tl.sigmoid("a")
    tl.fdiv("a", t)
    tl.fdiv(t, "a")
    tl.div_rn("a", t)
    tl.div_rn(t, "a")
    tl.fma("a", t, t)
    tl.fma(t, "a", t)
    tl.fma(t, t, "a")
    tl.umulhi("a", i)
    tl.umulhi(i, "a")
    tl.load("a", i > 0, t)
    tl.load(p, "a", t)
    tl.load(p, i > 0, "a")
    tl.store("a", t, i > 0)
    tl.store(p, "a", i > 0)
    tl.store(p, t, "a")
    tl.atomic_add("a", t, i > 0)


# case: text4 *fp32,*i32
# want: error 'tl.atomic_add(p, "a", i > 0)': expected a number or a tensor, got str
# want: error 'tl.atomic_add(p, t, "a")': expected a number or a tensor, got str
# want: error 'tl.atomic_cas("a", i, i)': tl.atomic_cas needs a pointer, got str
# want: error '"a"': 'cmp' and 'val' must be tensors or numbers, got str
# want: error '"a"': 'cmp' and 'val' must be tensors or numbers, got str
# want: error '"a"': 'reduce' needs tensors, got str
# want: error '"a"': the axis must be a compile-time int, got str
# want: error '"a"': the combine function must be a jit function, got str
# want: error '"a"': 'associative_scan' needs tensors, got str
# want: error '"a"': the axis must be a compile-time int, got str
# want: error '"a"': the combine function must be a jit function, got str
# want: error '"a"': 'input' of 'histogram' must be a tensor or a number, got str
# want: error '"a"': 'num_bins' of 'histogram' must be a compile-time int, got str
# want: error '"a"': 'src' of 'gather' must be a tensor or a number, got str
# want: error '"a"': 'index' of 'gather' must be a tensor or a number, got str
# want: error '"a"': the axis must be a compile-time int, got str
# want: error '"a"': 'input' of 'dot' must be a tensor or a number, got str
# want: error '"a"': 'other' of 'dot' must be a tensor or a number, got str
@triton.jit
def text4(x, y):
    i = tl.arange(0, 16)
    p, q = x + i, y + i
    t = tl.zeros((16,), tl.float32)
    m = tl.zeros((16, 16), tl.float32)
    tl.atomic_add(p, "a", i > 0)
    tl.atomic_add(p, t, "a")
    tl.atomic_cas("a", i, i)
    tl.atomic_cas(q, "a", i)
    tl.atomic_cas(q, i, "a")
    tl.reduce("a", 0, both)
    tl.reduce(t, "a", both)
    tl.reduce(t, 0, "a")
    tl.associative_scan("a", 0, both)
    tl.associative_scan(t, "a", both)
    tl.associative_scan(t, 0, "a")
    tl.histogram("a", 16)
    tl.histogram(i, "a")
    tl.gather("a", i, 0)
    tl.gather(t, "a", 0)
    tl.gather(t, i, "a")
    tl.dot("a", m, m)
    tl.dot(m, "a", m)


# case: text5 *fp32,*i32
# want: error '"a"': the accumulator of this tl.dot must be fp32[16, 16], got str
# want: error 'tl.sum("a", 0)': str has no attribute 'dtype', in tl.sum
# want: error 'tl.sum("a", 0)': str has no attribute 'to', in tl.sum
# want: error 'tl.sum(t, "a")': the axis must be a compile-time int, got str, in tl.sum
# want: error 'tl.max("a", 0)': str has no attribute 'dtype', in tl.max
# want: error 'tl.max("a", 0)': 'reduce' needs tensors, got None, in tl.max
# want: error 'tl.max(t, "a")': the axis must be a compile-time int, got str, in tl.max
# want: error 'tl.argmax("a", 0)': str has no attribute 'dtype', in tl.argmax
# want: error 'tl.argmax(t, "a")': '>=' does not work on str and int, in tl.argmax
# want: error 'tl.cumsum("a", 0)': str has no attribute 'dtype', in tl.cumsum
# want: error 'tl.cumsum(t, "a")': the axis must be a compile-time int, got str, in tl.cumsum
# want: error 'tl.softmax("a")': str has no attribute 'dtype', in tl.softmax
# want: error 'tl.softmax("a")': 'reduce' needs tensors, got None, in tl.softmax
# want: error 'tl.sort("a", 0)': str has no attribute 'shape', in tl.sort
# want: error 'tl.sort("a", 0)': str has no attribute 'shape', in tl.sort
# want: error 'tl.sort("a", 0)': str has no attribute 'dtype', in tl.sort
# want: error 'tl.sort("a", 0)': str has no attribute 'dtype', in tl.sort
# want: error 'tl.sort(t, "a")': static assertion failed: only the last dimension can be sorted, in tl.sort
# want: error 'tl.flip("a", 0)': str has no attribute 'shape', in tl.flip
# want: error 'tl.flip("a", 0)': str has no attribute 'shape', in tl.flip
@triton.jit
def text5(x, y):
    i = tl.arange(0, 16)
    p, q = x + i, y + i
    t = tl.zeros((16,), tl.float32)
    m = tl.zeros((16, 16), tl.float32)
    tl.dot(m, m, "a")
    tl.sum("a", 0)
    tl.sum(t, "a")
    tl.max("a", 0)
    tl.max(t, "a")
    tl.argmax("a", 0)
    tl.argmax(t, "a")
    tl.cumsum("a", 0)
    tl.cumsum(t, "a")
    tl.softmax("a")
    tl.sort("a", 0)
    tl.sort(t, "a")
    tl.flip("a", 0)
    tl.flip(t, "a")
    tl.assume("a")
    tl.multiple_of("a", 16)
    tl.multiple_of(i, "a")
    tl.max_contiguous("a", 16)


# case: text6 *fp32,*i32
# want: error '"a"': the values of 'max_contiguous' must be compile-time ints from 1 up, got str
# want: error '"a"': 'cond' of 'device_assert' must be a tensor or a number, got str
# want: error 'tl.device_print("x", "a")': a value to print must be a tensor or a number, got str
@triton.jit
def text6(x, y):
    i = tl.arange(0, 16)
    p, q = x + i, y + i
    t = tl.zeros((16,), tl.float32)
    m = tl.zeros((16, 16), tl.float32)
    tl.max_contiguous(i, "a")
    tl.device_assert("a", "x")
    tl.device_assert(i > 0, "a")
    tl.device_print("a", t)
    tl.device_print("x", "a")
    tl.static_assert("a")


# case: pointer0 *fp32,*i32
# want: error 'x': 'axis' of 'program_id' must be a compile-time int, got pointer<fp32>
# want: help: a plain assignment makes a run-time value: declare the parameter or the variable as tl.constexpr
# want: error 'x': the arguments of 'arange' must be tl.constexpr, got pointer<fp32>
# want: help: declare the parameter as tl.constexpr, or write 'name: tl.constexpr = ..' where it is assigned
# want: error 'x': the arguments of 'arange' must be tl.constexpr, got pointer<fp32>
# want: help: declare the parameter as tl.constexpr, or write 'name: tl.constexpr = ..' where it is assigned
# want: error 'x': each dimension of the shape must be a compile-time int, got pointer<fp32>
# want: help: a plain assignment makes a run-time value: declare the parameter or the variable as tl.constexpr
# want: error 'tl.full((16,), x, tl.float32)': cannot cast pointer<fp32> to fp32
# want: error 'x': 'dtype' of 'full' must be a dtype, got pointer<fp32>
# want: error 'x': each dimension of the shape must be a compile-time int, got pointer<fp32>
# want: help: a plain assignment makes a run-time value: declare the parameter or the variable as tl.constexpr
# want: error 'x': 'dtype' of 'zeros' must be a dtype, got pointer<fp32>
# want: error 'x': each dimension of the shape must be a compile-time int, got pointer<fp32>
# want: help: a plain assignment makes a run-time value: declare the parameter or the variable as tl.constexpr
# want: error 'tl.reshape(x, (4, 4))': cannot reshape [] to [4, 4]: the number of elements changes
# want: error 'x': each dimension of the shape must be a compile-time int, got pointer<fp32>
# want: help: a plain assignment makes a run-time value: declare the parameter or the variable as tl.constexpr
# want: error 'x': 'trans' needs two dimensions or more, got pointer<fp32>
# want: error '(1, 0)': 'permute' needs 0 dimensions, got 2
@triton.jit
def pointer0(x, y):
    i = tl.arange(0, 16)
    p, q = x + i, y + i
    t = tl.zeros((16,), tl.float32)
    m = tl.zeros((16, 16), tl.float32)
    tl.program_id(x)
    tl.arange(x, 16)
    tl.arange(0, x)
    tl.full(x, 1, tl.float32)
    tl.full((16,), x, tl.float32)
    tl.full((16,), 1, x)
    tl.zeros(x, tl.float32)
    tl.zeros((16,), x)
    tl.zeros_like(x)
    tl.broadcast(x, t)
    tl.broadcast(t, x)
    tl.broadcast_to(x, (16,))
    tl.broadcast_to(t, x)
    tl.reshape(x, (4, 4))
    tl.reshape(t, x)
    tl.ravel(x)
    tl.trans(x)
    tl.permute(x, (1, 0))


# case: pointer1 *fp32,*i32
# want: error 'x': 'permute' needs 2 dimensions, got 1
# want: error 'x': the axis must be a compile-time int, got pointer<fp32>
# want: error 'tl.join(x, t)': invalid operands of type pointer<fp32> and fp32
# want: error 'tl.join(t, x)': invalid operands of type pointer<fp32> and fp32
# want: error 'x': 'split' needs a last dimension of 2, got pointer<fp32>
# want: error 'tl.interleave(x, t)': invalid operands of type pointer<fp32> and fp32
# want: error 'tl.interleave(t, x)': invalid operands of type pointer<fp32> and fp32
# want: error 'x': 'cat' needs tensors with a dimension
# want: error 'x': 'cat' needs tensors of one shape, got fp32[16] and pointer<fp32>
# want: error '0': axis 0 is out of range for 0 dimensions
# want: error 'x': the axis must be a compile-time int, got pointer<fp32>
# want: error 'tl.cast(x, tl.float16)': cannot cast pointer<fp32> to fp16
# want: error 'x': 'dtype' of 'cast' must be a dtype, got pointer<fp32>
# want: error 'tl.add(x, t)': invalid operands of type pointer<fp32> and fp32
# want: error 'tl.add(t, x)': invalid operands of type pointer<fp32> and fp32
# want: error 'tl.sub(x, t)': invalid operands of type pointer<fp32> and fp32
# want: error 'tl.sub(t, x)': invalid operands of type pointer<fp32> and fp32
@triton.jit
def pointer1(x, y):
    i = tl.arange(0, 16)
    p, q = x + i, y + i
    t = tl.zeros((16,), tl.float32)
    m = tl.zeros((16, 16), tl.float32)
    tl.permute(m, x)
    tl.expand_dims(x, 0)
    tl.expand_dims(t, x)
    tl.join(x, t)
    tl.join(t, x)
    tl.split(x)
    tl.interleave(x, t)
    tl.interleave(t, x)
    tl.cat(x, t)
    tl.cat(t, x)
    tl.squeeze(x, 0)
    tl.squeeze(m, x)
    tl.cast(x, tl.float16)
    tl.cast(t, x)
    tl.add(x, t)
    tl.add(t, x)
    tl.sub(x, t)
    tl.sub(t, x)


# case: pointer2 *fp32,*i32
# want: error 'tl.mul(x, t)': invalid operands of type pointer<fp32> and fp32
# want: error 'tl.mul(t, x)': invalid operands of type pointer<fp32> and fp32
# want: error 'tl.logical_and(x, i)': 'and' on tensors needs booleans, got pointer<fp32>
# want: help: compare first, as in 'x != 0'
# want: error 'tl.logical_and(i, x)': 'and' on tensors needs booleans, got int32
# want: help: compare first, as in 'x != 0'
# want: warning 'x': the condition of 'where' should be boolean, got pointer<fp32>: it means '!= 0'
# want: error 'tl.where(i > 0, x, t)': invalid operands of type pointer<fp32> and fp32
# want: error 'tl.where(i > 0, t, x)': invalid operands of type pointer<fp32> and fp32
# want: error 'tl.minimum(x, t)': invalid operands of type pointer<fp32> and fp32
# want: error 'tl.minimum(t, x)': invalid operands of type pointer<fp32> and fp32
# want: error 'tl.maximum(x, t)': invalid operands of type pointer<fp32> and fp32
# want: error 'tl.maximum(t, x)': invalid operands of type pointer<fp32> and fp32
# want: error 'tl.clamp(x, t, t)': invalid operands of type pointer<fp32> and fp32
# want: error 'tl.clamp(t, x, t)': invalid operands of type pointer<fp32> and fp32
# want: error 'tl.clamp(t, t, x)': invalid operands of type pointer<fp32> and fp32
# want: error 'tl.cdiv(x, i)': invalid operands of type pointer<fp32> and int32
# want: error 'tl.cdiv(i, x)': invalid operands of type pointer<fp32> and pointer<fp32>
# want: error 'x': 'exp' needs fp32 or fp64, got pointer<fp32>
# want: help: cast with .to(tl.float32)
# want: error 'x': 'sqrt_rn' needs fp32, got pointer<fp32>
# want: help: cast with .to(tl.float32)
@triton.jit
def pointer2(x, y):
    i = tl.arange(0, 16)
    p, q = x + i, y + i
    t = tl.zeros((16,), tl.float32)
    m = tl.zeros((16, 16), tl.float32)
    tl.mul(x, t)
    tl.mul(t, x)
    tl.logical_and(x, i)
    tl.logical_and(i, x)
    tl.where(x, t, t)
    tl.where(i > 0, x, t)
    tl.where(i > 0, t, x)
    tl.minimum(x, t)
    tl.minimum(t, x)
    tl.maximum(x, t)
    tl.maximum(t, x)
    tl.clamp(x, t, t)
    tl.clamp(t, x, t)
    tl.clamp(t, t, x)
    tl.cdiv(x, i)
    tl.cdiv(i, x)
    tl.exp(x)
    tl.sqrt_rn(x)


# case: pointer3 *fp32,*i32
# want: error 'x': 'abs' of a pointer
# want: error 'x': 'sigmoid' needs fp32 or fp64, got pointer<fp32>
# want: help: cast with .to(tl.float32)
# want: error 'tl.fdiv(x, t)': 'fdiv' needs floats, got pointer<fp32> and fp32
# want: error 'tl.fdiv(t, x)': 'fdiv' needs floats, got fp32 and pointer<fp32>
# want: error 'tl.div_rn(x, t)': invalid operands of type pointer<fp32> and fp32
# want: error 'tl.div_rn(t, x)': invalid operands of type pointer<fp32> and fp32
# want: error 'tl.fma(x, t, t)': invalid operands of type pointer<fp32> and fp32
# want: error 'tl.fma(t, x, t)': invalid operands of type pointer<fp32> and fp32
# want: error 'tl.fma(t, t, x)': invalid operands of type pointer<fp32> and fp32
# want: error 'x': 'umulhi' needs 32-bit or 64-bit integers, got pointer<fp32>
# want: error 'x': 'umulhi' needs 32-bit or 64-bit integers, got pointer<fp32>
# want: error 'tl.load(x, i > 0, t)': the mask is a tensor [16], but the pointer is a scalar
# want: help: add tl.arange(..) to the pointer to address one element for each lane
# want: error 'tl.load(p, x, t)': the mask must be boolean, got pointer<fp32>
# want: help: compare, as in 'mask != 0'
# want: error 'tl.load(p, i > 0, x)': cannot cast pointer<fp32> to fp32
# want: error 'tl.store(x, t, i > 0)': the value is a tensor [16], but the pointer is a scalar
# want: help: add tl.arange(..) to the pointer to address one element for each lane
# want: error 'tl.store(p, x, i > 0)': cannot cast pointer<fp32> to fp32
# want: error 'tl.store(p, t, x)': the mask must be boolean, got pointer<fp32>
# want: help: compare, as in 'mask != 0'
# want: error 'tl.atomic_add(x, t, i > 0)': the value is a tensor [16], but the pointer is a scalar
# want: help: add tl.arange(..) to the pointer to address one element for each lane
@triton.jit
def pointer3(x, y):
    i = tl.arange(0, 16)
    p, q = x + i, y + i
    t = tl.zeros((16,), tl.float32)
    m = tl.zeros((16, 16), tl.float32)
    tl.abs(x)
    tl.sigmoid(x)
    tl.fdiv(x, t)
    tl.fdiv(t, x)
    tl.div_rn(x, t)
    tl.div_rn(t, x)
    tl.fma(x, t, t)
    tl.fma(t, x, t)
    tl.fma(t, t, x)
    tl.umulhi(x, i)
    tl.umulhi(i, x)
    tl.load(x, i > 0, t)
    tl.load(p, x, t)
    tl.load(p, i > 0, x)
    tl.store(x, t, i > 0)
    tl.store(p, x, i > 0)
    tl.store(p, t, x)
    tl.atomic_add(x, t, i > 0)


# case: pointer4 *fp32,*i32
# want: error 'tl.atomic_add(p, x, i > 0)': cannot cast pointer<fp32> to fp32
# want: error 'tl.atomic_add(p, t, x)': the mask must be boolean, got pointer<fp32>
# want: help: compare, as in 'mask != 0'
# want: error 'tl.atomic_cas(x, i, i)': the value is a tensor [16], but the pointer is a scalar
# want: help: add tl.arange(..) to the pointer to address one element for each lane
# want: error 'x': tl.atomic_cas of int32 needs a value of the same width, got pointer<fp32>
# want: error 'x': tl.atomic_cas of int32 needs a value of the same width, got pointer<fp32>
# want: error '0': axis 0 is out of range for 0 dimensions
# want: error 'x': the axis must be a compile-time int, got pointer<fp32>
# want: error 'x': the combine function must be a jit function, got pointer<fp32>
# want: error 'x': a scan needs a tensor with a dimension, got a scalar
# want: error 'x': the axis must be a compile-time int, got pointer<fp32>
# want: error 'x': the combine function must be a jit function, got pointer<fp32>
# want: error 'x': 'histogram' needs one dimension, got pointer<fp32>
# want: error 'x': 'num_bins' of 'histogram' must be a compile-time int, got pointer<fp32>
# want: help: a plain assignment makes a run-time value: declare the parameter or the variable as tl.constexpr
# want: error 'i': 'gather' needs an index of the same rank, got pointer<fp32> and int32[16]
# want: error 'x': the index of 'gather' must be integers, got pointer<fp32>
# want: error 'x': the axis must be a compile-time int, got pointer<fp32>
# want: error 'x': the operands of tl.dot must be tensors, not scalars
# want: error 'x': the operands of tl.dot must be tensors, not scalars
@triton.jit
def pointer4(x, y):
    i = tl.arange(0, 16)
    p, q = x + i, y + i
    t = tl.zeros((16,), tl.float32)
    m = tl.zeros((16, 16), tl.float32)
    tl.atomic_add(p, x, i > 0)
    tl.atomic_add(p, t, x)
    tl.atomic_cas(x, i, i)
    tl.atomic_cas(q, x, i)
    tl.atomic_cas(q, i, x)
    tl.reduce(x, 0, both)
    tl.reduce(t, x, both)
    tl.reduce(t, 0, x)
    tl.associative_scan(x, 0, both)
    tl.associative_scan(t, x, both)
    tl.associative_scan(t, 0, x)
    tl.histogram(x, 16)
    tl.histogram(i, x)
    tl.gather(x, i, 0)
    tl.gather(t, x, 0)
    tl.gather(t, i, x)
    tl.dot(x, m, m)
    tl.dot(m, x, m)


# case: pointer5 *fp32,*i32
# want: error 'x': the accumulator of this tl.dot must be fp32[16, 16], got pointer<fp32>
# want: error 'tl.sum(x, 0)': axis 0 is out of range for 0 dimensions, in tl.sum
# want: error 'tl.sum(t, x)': the axis must be a compile-time int, got pointer<fp32>, in tl.sum
# want: error 'tl.max(x, 0)': axis 0 is out of range for 0 dimensions, in tl.max
# want: error 'tl.max(t, x)': the axis must be a compile-time int, got pointer<fp32>, in tl.max
# want: error 'tl.argmax(x, 0)': index 0 is out of range for 0 items, in tl.argmax
# want: error 'tl.argmax(x, 0)': index 0 is out of range for 0 items, in tl.argmax
# want: error 'tl.argmax(t, x)': invalid operands of type pointer<fp32> and int32, in tl.argmax
# want: error 'tl.cumsum(x, 0)': a scan needs a tensor with a dimension, got a scalar, in tl.cumsum
# want: error 'tl.cumsum(t, x)': the axis must be a compile-time int, got pointer<fp32>, in tl.cumsum
# want: error 'tl.softmax(x)': axis 0 is out of range for 0 dimensions, in tl.softmax
# want: error 'tl.sort(x, 0)': static assertion failed: only the last dimension can be sorted, in tl.sort
# want: error 'tl.sort(x, 0)': index -1 is out of range for 0 items, in tl.sort
# want: error 'tl.sort(t, x)': invalid operands of type pointer<fp32> and int32, in tl.sort
# want: error 'tl.flip(x, 0)': static assertion failed: the dimension of flip is out of range, in tl.flip
# want: error 'tl.flip(x, 0)': index 0 is out of range for 0 items, in tl.flip
# want: error 'tl.flip(t, x)': invalid operands of type pointer<fp32> and int32, in tl.flip
# want: error 'tl.flip(t, x)': invalid operands of type pointer<fp32> and int32, in tl.flip
# want: error 'tl.flip(t, x)': a slice of a tuple needs compile-time ints, got error, in tl.flip
# want: error 'x': the values of 'multiple_of' must be compile-time ints from 1 up, got pointer<fp32>
@triton.jit
def pointer5(x, y):
    i = tl.arange(0, 16)
    p, q = x + i, y + i
    t = tl.zeros((16,), tl.float32)
    m = tl.zeros((16, 16), tl.float32)
    tl.dot(m, m, x)
    tl.sum(x, 0)
    tl.sum(t, x)
    tl.max(x, 0)
    tl.max(t, x)
    tl.argmax(x, 0)
    tl.argmax(t, x)
    tl.cumsum(x, 0)
    tl.cumsum(t, x)
    tl.softmax(x)
    tl.sort(x, 0)
    tl.sort(t, x)
    tl.flip(x, 0)
    tl.flip(t, x)
    tl.assume(x)
    tl.multiple_of(x, 16)
    tl.multiple_of(i, x)
    tl.max_contiguous(x, 16)


# case: pointer6 *fp32,*i32
# want: error 'x': the values of 'max_contiguous' must be compile-time ints from 1 up, got pointer<fp32>
# want: error 'x': 'msg' of 'device_assert' must be a string, got pointer<fp32>
# want: error 'x': the prefix of device_print must be a string, got pointer<fp32>
# want: error 'x': the condition of static_assert is not known at compile time: pointer<fp32>
@triton.jit
def pointer6(x, y):
    i = tl.arange(0, 16)
    p, q = x + i, y + i
    t = tl.zeros((16,), tl.float32)
    m = tl.zeros((16, 16), tl.float32)
    tl.max_contiguous(i, x)
    tl.device_assert(x, "x")
    tl.device_assert(i > 0, x)
    tl.device_print(x, t)
    tl.device_print("x", x)
    tl.static_assert(x)


# case: said_before *fp32,*i32
# want: error 'missing': 'missing' is not defined
@triton.jit
def said_before(x, y):
    i = tl.arange(0, 16)
    p, q = x + i, y + i
    t = tl.zeros((16,), tl.float32)
    m = tl.zeros((16, 16), tl.float32)
    u = missing
    tl.program_id(u)
    tl.arange(u, 16)
    tl.arange(0, u)
    tl.full(u, 1, tl.float32)
    tl.full((16,), u, tl.float32)
    tl.full((16,), 1, u)
    tl.zeros(u, tl.float32)
    tl.zeros((16,), u)
    tl.zeros_like(u)
    tl.broadcast(u, t)
    tl.broadcast(t, u)
    tl.broadcast_to(u, (16,))
    tl.broadcast_to(t, u)
    tl.reshape(u, (4, 4))
    tl.reshape(t, u)
    tl.ravel(u)
    tl.trans(u)
    tl.permute(u, (1, 0))
    tl.permute(m, u)
    tl.expand_dims(u, 0)
    tl.expand_dims(t, u)
    tl.join(u, t)
    tl.join(t, u)
    tl.split(u)
    tl.interleave(u, t)
    tl.interleave(t, u)
    tl.cat(u, t)
    tl.cat(t, u)
    tl.squeeze(u, 0)
    tl.squeeze(m, u)
    tl.cast(u, tl.float16)
    tl.cast(t, u)
    tl.add(u, t)
    tl.add(t, u)
    tl.sub(u, t)
    tl.sub(t, u)
    tl.mul(u, t)
    tl.mul(t, u)
    tl.logical_and(u, i)
    tl.logical_and(i, u)
    tl.where(u, t, t)
    tl.where(i > 0, u, t)
    tl.where(i > 0, t, u)
    tl.minimum(u, t)
    tl.minimum(t, u)
    tl.maximum(u, t)
    tl.maximum(t, u)
    tl.clamp(u, t, t)
    tl.clamp(t, u, t)
    tl.clamp(t, t, u)
    tl.cdiv(u, i)
    tl.cdiv(i, u)
    tl.exp(u)
    tl.sqrt_rn(u)
    tl.abs(u)
    tl.sigmoid(u)
    tl.fdiv(u, t)
    tl.fdiv(t, u)
    tl.div_rn(u, t)
    tl.div_rn(t, u)
    tl.fma(u, t, t)
    tl.fma(t, u, t)
    tl.fma(t, t, u)
    tl.umulhi(u, i)
    tl.umulhi(i, u)
    tl.load(u, i > 0, t)
    tl.load(p, u, t)
    tl.load(p, i > 0, u)
    tl.store(u, t, i > 0)
    tl.store(p, u, i > 0)
    tl.store(p, t, u)
    tl.atomic_add(u, t, i > 0)
    tl.atomic_add(p, u, i > 0)
    tl.atomic_add(p, t, u)
    tl.atomic_cas(u, i, i)
    tl.atomic_cas(q, u, i)
    tl.atomic_cas(q, i, u)
    tl.reduce(u, 0, both)
    tl.reduce(t, u, both)
    tl.reduce(t, 0, u)
    tl.associative_scan(u, 0, both)
    tl.associative_scan(t, u, both)
    tl.associative_scan(t, 0, u)
    tl.histogram(u, 16)
    tl.histogram(i, u)
    tl.gather(u, i, 0)
    tl.gather(t, u, 0)
    tl.gather(t, i, u)
    tl.dot(u, m, m)
    tl.dot(m, u, m)
    tl.dot(m, m, u)
    tl.sum(u, 0)
    tl.sum(t, u)
    tl.max(u, 0)
    tl.max(t, u)
    tl.argmax(u, 0)
    tl.argmax(t, u)
    tl.cumsum(u, 0)
    tl.cumsum(t, u)
    tl.softmax(u)
    tl.sort(u, 0)
    tl.sort(t, u)
    tl.flip(u, 0)
    tl.flip(t, u)
    tl.assume(u)
    tl.multiple_of(u, 16)
    tl.multiple_of(i, u)
    tl.max_contiguous(u, 16)
    tl.max_contiguous(i, u)
    tl.device_assert(u, "x")
    tl.device_assert(i > 0, u)
    tl.device_print(u, t)
    tl.device_print("x", u)
    tl.static_assert(u)
