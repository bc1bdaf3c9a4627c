# isinstance in kernels: of one type and of several, wherever the one that fits stands.
import triton
import triton.language as tl


# case: instances i32,3
# want: ok
@triton.jit
def instances(x, N: tl.constexpr):
    tl.static_assert(isinstance(1, int))
    tl.static_assert(isinstance(1, (int, str)))
    tl.static_assert(isinstance(1, (str, int)))
    tl.static_assert(not isinstance(1, (str, float)))
    tl.static_assert(not isinstance(1, ()))
    tl.static_assert(isinstance(1, (str, (float, int))))
    tl.static_assert(not isinstance(1, (str, (float, tuple))))
    tl.static_assert(isinstance("a", (str, int)))
    tl.static_assert(isinstance(1.5, (float, int)))
    tl.static_assert(not isinstance(1.5, int))
    tl.static_assert(isinstance(True, (bool, str)))
    tl.static_assert(isinstance((1, 2), (tuple, int)))
    tl.static_assert(isinstance(x, (tl.tensor, int)))
    tl.static_assert(isinstance(x, (int, tl.tensor)))
    tl.static_assert(not isinstance(x, (int, str)))
    tl.static_assert(isinstance(N, tl.constexpr))
    tl.static_assert(isinstance(tl.float32, (tl.dtype, int)))
    tl.static_assert(not isinstance(None, (int, str)))
