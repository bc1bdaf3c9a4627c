# Names that are not there, with what to write instead: idioms first, then the nearest name.
import numpy as np
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice
from not_here.ops import helper, LIMIT
import not_here.more as more

FROM_TORCH = torch.cuda.get_device_name()
WIDTH = 4
IS_HIP = torch.version.hip is not None
DTYPE = tl.float8e4b8 if torch.version.hip else tl.float8e4nv
LOW = torch.finfo(torch.float16).min


# case: tanh fp32
# want: error 'tl.tanh': module 'triton.language' has no attribute 'tanh'
# want: help: it is libdevice.tanh, with 'from triton.language.extra import libdevice'
@triton.jit
def tanh(x):
    tl.tanh(x)


# case: dtype_of_signatures fp32
# want: error 'tl.fp16': module 'triton.language' has no attribute 'fp16'
# want: help: it is tl.float16: 'fp16' is a word of signatures
@triton.jit
def dtype_of_signatures(x):
    x.to(tl.fp16)


# case: numpy_exp fp32
# want: error 'np.exp(x)': the value of 'exp' of the module 'numpy' is not known at compile time
# want: help: the language has tl.exp
@triton.jit
def numpy_exp(x):
    np.exp(x)


# case: numpy_mean fp32
# want: error 'np.mean(x)': the value of 'mean' of the module 'numpy' is not known at compile time
# want: help: write tl.sum(x, axis) / n
@triton.jit
def numpy_mean(x):
    np.mean(x)


# case: method_float i32
# want: error 'x.float': a tensor has no attribute 'float'
# want: help: write x.to(tl.float32)
@triton.jit
def method_float(x):
    x.float()


# case: method_typo i32
# want: error 'x.shap': a tensor has no attribute 'shap'
# want: help: did you mean 'shape'?
@triton.jit
def method_typo(x):
    x.shap


# case: function_typo *fp32
# want: error 'tl.laod': module 'triton.language' has no attribute 'laod'
# want: help: did you mean 'load'?
@triton.jit
def function_typo(p):
    tl.laod(p)


# case: libdevice_typo fp32
# want: error 'libdevice.tann': module 'triton.language.extra.libdevice' has no attribute 'tann'
# want: help: did you mean 'tanh'?
@triton.jit
def libdevice_typo(x):
    libdevice.tann(x)


# case: relu fp32
# want: error 'tl.relu': module 'triton.language' has no attribute 'relu'
# want: help: write tl.maximum(x, 0.0)
@triton.jit
def relu(x):
    tl.relu(x)


# case: local_typo i32
# want: error 'blok': 'blok' is not defined
# want: help: did you mean 'block'?
@triton.jit
def local_typo(block):
    blok + 1


# case: global_typo
# want: error 'WIDHT': 'WIDHT' is not defined
# want: help: did you mean 'WIDTH'?
@triton.jit
def global_typo():
    a = WIDHT + 1


# case: nothing_near
# want: error 'qqqqqqqq': 'qqqqqqqq' is not defined
@triton.jit
def nothing_near():
    a = qqqqqqqq + 1


# Of a module that is not there the first use is complained of, not each.
# case: module_not_found i32
# want: error 'helper(n)': the module 'not_here.ops' is not found: it has 'helper'
# want: help: -I DIR adds a folder to look in; --global helper=VALUE gives the name a value
@triton.jit
def module_not_found(n):
    a = helper(n)
    b = n + LIMIT
    c = helper(b) + 1


# case: attribute_of_not_found i32
# want: error 'more.program_id(0)': the module 'not_here.more' is not found: it has 'program_id'
# want: help: -I DIR adds a folder to look in; --global more=VALUE gives the name a value
@triton.jit
def attribute_of_not_found(n):
    a = more.program_id(0) * n


# case: only_python_knows i32
# want: error 'FROM_TORCH': the value of 'torch.cuda.get_device_name()' is not known at compile time
# want: help: --global FROM_TORCH=VALUE gives it one
@triton.jit
def only_python_knows(n):
    if FROM_TORCH:
        n += 1


# case: facts_of_torch
# want: ok
@triton.jit
def facts_of_torch():
    tl.static_assert(not IS_HIP)
    tl.static_assert(DTYPE == tl.float8e4nv)
    tl.static_assert(LOW == -65504.0)


# case: constexpr_of_runtime i32
# want: ok
@triton.jit
def constexpr_of_runtime(n):
    m: tl.constexpr = n * n
    k = m + 1
    while k < m:
        k += n


# case: constexpr_of_runtime_as_shape i32
# want: error 'm': the arguments of 'arange' must be tl.constexpr, got int32
# want: help: declare the parameter as tl.constexpr, or write 'name: tl.constexpr = ..' where it is assigned
@triton.jit
def constexpr_of_runtime_as_shape(n):
    m: tl.constexpr = n * 2
    tl.arange(0, m)


# Of a scalar ':' counts for nothing, as in Triton.
# case: index_scalar fp32
# want: ok
@triton.jit
def index_scalar(x):
    tl.static_assert(x[:, None].shape[0] == 1)
    a = tl.arange(0, 16)[None, :, :]
    tl.static_assert(a.shape[0] == 1)
    tl.static_assert(a.shape[1] == 16)
    tl.static_assert(len(a.shape) == 2)


# case: index_past_the_end
# want: error 'tl.arange(0, 16)[:, :, None]': too many ':' before a None for 1 dimension
@triton.jit
def index_past_the_end():
    tl.arange(0, 16)[:, :, None]


# case: other_machines i32
# want: refused 'tl.float8e4b8': 'tl.float8e4b8' is not supported: it is a dtype of AMD's
# want: refused 'tl.extern_elementwise("", "", [x], None, True)': 'tl.extern_elementwise' is not supported: only libdevice's functions are known
@triton.jit
def other_machines(x):
    x.to(tl.float8e4b8)
    tl.extern_elementwise("", "", [x], None, True)
