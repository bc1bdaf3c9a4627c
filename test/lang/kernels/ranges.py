# SPDX-License-Identifier: Apache-2.0
# Python's range in a kernel: options of tl.range do nothing; f-strings with conversions.
import triton
import triton.language as tl


# case: options i32
# want: ok
@triton.jit
def options(n):
    for i in range(n, flatten=True, num_stages=3):
        tl.device_print("i", i)


# case: four i32
# want: error '2': 'range' takes 3 arguments by position, this is one more
# want: help: it is range(arg1, arg2=None, step=None, *, num_stages=None, loop_unroll_factor=None, disallow_acc_multi_buffer=False, flatten=False, warp_specialize=False, disable_licm=False)
@triton.jit
def four(n):
    for i in range(0, n, 1, 2):
        pass


# case: unknown_option i32
# want: error 'True': unknown parameter 'pipeline' in the call of 'range'
# want: help: it is range(arg1, arg2=None, step=None, *, num_stages=None, loop_unroll_factor=None, disallow_acc_multi_buffer=False, flatten=False, warp_specialize=False, disable_licm=False)
@triton.jit
def unknown_option(n):
    for i in range(n, pipeline=True):
        pass


# case: words fp16, 'a'
# want: refused '{text:>4}': format ':>4' in an f-string is not supported
@triton.jit
def words(D: tl.constexpr, text: tl.constexpr):
    tl.static_assert(f"{text!r}{text!s}" == "'a'a", f"{text!r}")
    tl.static_assert(False, f"{D!r} {D} {text:>4}")
