# SPDX-License-Identifier: Apache-2.0
# Each name that people bring from elsewhere, and each kind of slip: what to write instead.
import numpy as np
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def helper(value, other):
    return value


# case: f_mean
# want: error 'tl.mean': module 'triton.language' has no attribute 'mean'
# want: help: write tl.sum(x, axis) / n
@triton.jit
def f_mean():
    tl.mean


# case: f_var
# want: error 'tl.var': module 'triton.language' has no attribute 'var'
# want: help: write tl.sum((x - mean) * (x - mean), axis) / n
@triton.jit
def f_var():
    tl.var


# case: f_relu
# want: error 'tl.relu': module 'triton.language' has no attribute 'relu'
# want: help: write tl.maximum(x, 0.0)
@triton.jit
def f_relu():
    tl.relu


# case: f_matmul
# want: error 'tl.matmul': module 'triton.language' has no attribute 'matmul'
# want: help: write tl.dot(a, b)
@triton.jit
def f_matmul():
    tl.matmul


# case: f_mm
# want: error 'tl.mm': module 'triton.language' has no attribute 'mm'
# want: help: write tl.dot(a, b)
@triton.jit
def f_mm():
    tl.mm


# case: f_bmm
# want: error 'tl.bmm': module 'triton.language' has no attribute 'bmm'
# want: help: write tl.dot(a, b)
@triton.jit
def f_bmm():
    tl.bmm


# case: f_concatenate
# want: error 'tl.concatenate': module 'triton.language' has no attribute 'concatenate'
# want: help: write tl.cat(a, b)
@triton.jit
def f_concatenate():
    tl.concatenate


# case: f_concat
# want: error 'tl.concat': module 'triton.language' has no attribute 'concat'
# want: help: write tl.cat(a, b)
@triton.jit
def f_concat():
    tl.concat


# case: f_stack
# want: error 'tl.stack': module 'triton.language' has no attribute 'stack'
# want: help: write tl.join(a, b)
@triton.jit
def f_stack():
    tl.stack


# case: f_transpose
# want: error 'tl.transpose': module 'triton.language' has no attribute 'transpose'
# want: help: write tl.trans(x)
@triton.jit
def f_transpose():
    tl.transpose


# case: f_ones
# want: error 'tl.ones': module 'triton.language' has no attribute 'ones'
# want: help: write tl.full(shape, 1, dtype)
@triton.jit
def f_ones():
    tl.ones


# case: f_empty
# want: error 'tl.empty': module 'triton.language' has no attribute 'empty'
# want: help: write tl.zeros(shape, dtype)
@triton.jit
def f_empty():
    tl.empty


# case: f_ones_like
# want: error 'tl.ones_like': module 'triton.language' has no attribute 'ones_like'
# want: help: write tl.full(x.shape, 1, x.dtype)
@triton.jit
def f_ones_like():
    tl.ones_like


# case: f_full_like
# want: error 'tl.full_like': module 'triton.language' has no attribute 'full_like'
# want: help: write tl.full(x.shape, value, x.dtype)
@triton.jit
def f_full_like():
    tl.full_like


# case: f_square
# want: error 'tl.square': module 'triton.language' has no attribute 'square'
# want: help: write x * x
@triton.jit
def f_square():
    tl.square


# case: f_reciprocal
# want: error 'tl.reciprocal': module 'triton.language' has no attribute 'reciprocal'
# want: help: write 1.0 / x
@triton.jit
def f_reciprocal():
    tl.reciprocal


# case: f_sign
# want: error 'tl.sign': module 'triton.language' has no attribute 'sign'
# want: help: write tl.where(x > 0, 1, tl.where(x < 0, -1, 0))
@triton.jit
def f_sign():
    tl.sign


# case: f_inf
# want: error 'tl.inf': module 'triton.language' has no attribute 'inf'
# want: help: write float('inf')
@triton.jit
def f_inf():
    tl.inf


# case: f_pi
# want: error 'tl.pi': module 'triton.language' has no attribute 'pi'
# want: help: write math.pi, with 'import math'
@triton.jit
def f_pi():
    tl.pi


# case: f_any
# want: error 'tl.any': module 'triton.language' has no attribute 'any'
# want: help: write tl.max(x != 0, axis)
@triton.jit
def f_any():
    tl.any


# case: f_all
# want: error 'tl.all': module 'triton.language' has no attribute 'all'
# want: help: write tl.min(x != 0, axis)
@triton.jit
def f_all():
    tl.all


# case: f_prod
# want: error 'tl.prod': module 'triton.language' has no attribute 'prod'
# want: help: write tl.reduce(x, axis, f) with a jit function f(a, b) that returns a * b
@triton.jit
def f_prod():
    tl.prod


# case: f_int
# want: error 'tl.int': module 'triton.language' has no attribute 'int'
# want: help: write tl.int32
@triton.jit
def f_int():
    tl.int


# case: f_float
# want: error 'tl.float': module 'triton.language' has no attribute 'float'
# want: help: write tl.float32
@triton.jit
def f_float():
    tl.float


# case: f_double
# want: error 'tl.double': module 'triton.language' has no attribute 'double'
# want: help: write tl.float64
@triton.jit
def f_double():
    tl.double


# case: f_bool
# want: error 'tl.bool': module 'triton.language' has no attribute 'bool'
# want: help: write tl.int1
@triton.jit
def f_bool():
    tl.bool


# case: f_half
# want: error 'tl.half': module 'triton.language' has no attribute 'half'
# want: help: write tl.float16
@triton.jit
def f_half():
    tl.half


# case: f_tanh
# want: error 'tl.tanh': module 'triton.language' has no attribute 'tanh'
# want: help: it is libdevice.tanh, with 'from triton.language.extra import libdevice'
@triton.jit
def f_tanh():
    tl.tanh


# case: f_pow
# want: error 'tl.pow': module 'triton.language' has no attribute 'pow'
# want: help: it is libdevice.pow, with 'from triton.language.extra import libdevice'
@triton.jit
def f_pow():
    tl.pow


# case: f_fp32
# want: error 'tl.fp32': module 'triton.language' has no attribute 'fp32'
# want: help: it is tl.float32: 'fp32' is a word of signatures
@triton.jit
def f_fp32():
    tl.fp32


# case: f_bf16
# want: error 'tl.bf16': module 'triton.language' has no attribute 'bf16'
# want: help: it is tl.bfloat16: 'bf16' is a word of signatures
@triton.jit
def f_bf16():
    tl.bf16


# case: f_int33
# want: error 'tl.int33': module 'triton.language' has no attribute 'int33'
# want: help: did you mean 'int32'?
@triton.jit
def f_int33():
    tl.int33


# case: f_zeors
# want: error 'tl.zeors': module 'triton.language' has no attribute 'zeors'
# want: help: did you mean 'zeros'?
@triton.jit
def f_zeors():
    tl.zeors


# case: f_zeross
# want: error 'tl.zeross': module 'triton.language' has no attribute 'zeross'
# want: help: did you mean 'zeros'?
@triton.jit
def f_zeross():
    tl.zeross


# case: f_aragne
# want: error 'tl.aragne': module 'triton.language' has no attribute 'aragne'
# want: help: did you mean 'arange'?
@triton.jit
def f_aragne():
    tl.aragne


# case: f_floatt32
# want: error 'tl.floatt32': module 'triton.language' has no attribute 'floatt32'
# want: help: did you mean 'float32'?
@triton.jit
def f_floatt32():
    tl.floatt32


# case: f_float_32
# want: error 'tl.float_32': module 'triton.language' has no attribute 'float_32'
# want: help: did you mean 'float32'?
@triton.jit
def f_float_32():
    tl.float_32


# case: f_nothing_like_it
# want: error 'tl.nothing_like_it': module 'triton.language' has no attribute 'nothing_like_it'
@triton.jit
def f_nothing_like_it():
    tl.nothing_like_it


# case: f_sofmax
# want: error 'tl.sofmax': module 'triton.language' has no attribute 'sofmax'
# want: help: did you mean 'softmax'?
@triton.jit
def f_sofmax():
    tl.sofmax


# case: f_summ
# want: error 'tl.summ': module 'triton.language' has no attribute 'summ'
# want: help: did you mean 'sum'?
@triton.jit
def f_summ():
    tl.summ


# case: f_loadd
# want: error 'tl.loadd': module 'triton.language' has no attribute 'loadd'
# want: help: did you mean 'load'?
@triton.jit
def f_loadd():
    tl.loadd


# case: f_dottt
# want: error 'tl.dottt': module 'triton.language' has no attribute 'dottt'
# want: help: did you mean 'dot'?
@triton.jit
def f_dottt():
    tl.dottt


# case: f_program_idd
# want: error 'tl.program_idd': module 'triton.language' has no attribute 'program_idd'
# want: help: did you mean 'program_id'?
@triton.jit
def f_program_idd():
    tl.program_idd


# case: f_uint88
# want: error 'tl.uint88': module 'triton.language' has no attribute 'uint88'
# want: help: did you mean 'uint8'?
@triton.jit
def f_uint88():
    tl.uint88


# case: f__private
# want: error 'tl._private': module 'triton.language' has no attribute '_private'
@triton.jit
def f__private():
    tl._private


# case: f_exp3
# want: error 'tl.exp3': module 'triton.language' has no attribute 'exp3'
# want: help: did you mean 'exp'?
@triton.jit
def f_exp3():
    tl.exp3


# case: m_float fp32
# want: error 'x.float': a tensor has no attribute 'float'
# want: help: write x.to(tl.float32)
@triton.jit
def m_float(x):
    x.float


# case: m_half fp32
# want: error 'x.half': a tensor has no attribute 'half'
# want: help: write x.to(tl.float16)
@triton.jit
def m_half(x):
    x.half


# case: m_bfloat16 fp32
# want: error 'x.bfloat16': a tensor has no attribute 'bfloat16'
# want: help: write x.to(tl.bfloat16)
@triton.jit
def m_bfloat16(x):
    x.bfloat16


# case: m_double fp32
# want: error 'x.double': a tensor has no attribute 'double'
# want: help: write x.to(tl.float64)
@triton.jit
def m_double(x):
    x.double


# case: m_int fp32
# want: error 'x.int': a tensor has no attribute 'int'
# want: help: write x.to(tl.int32)
@triton.jit
def m_int(x):
    x.int


# case: m_short fp32
# want: error 'x.short': a tensor has no attribute 'short'
# want: help: write x.to(tl.int16)
@triton.jit
def m_short(x):
    x.short


# case: m_long fp32
# want: error 'x.long': a tensor has no attribute 'long'
# want: help: write x.to(tl.int64)
@triton.jit
def m_long(x):
    x.long


# case: m_bool fp32
# want: error 'x.bool': a tensor has no attribute 'bool'
# want: help: write x != 0
@triton.jit
def m_bool(x):
    x.bool


# case: m_astype fp32
# want: error 'x.astype': a tensor has no attribute 'astype'
# want: help: write x.to(dtype)
@triton.jit
def m_astype(x):
    x.astype


# case: m_size fp32
# want: error 'x.size': a tensor has no attribute 'size'
# want: help: write x.shape[i]
@triton.jit
def m_size(x):
    x.size


# case: m_dim fp32
# want: error 'x.dim': a tensor has no attribute 'dim'
# want: help: write len(x.shape)
@triton.jit
def m_dim(x):
    x.dim


# case: m_ndim fp32
# want: error 'x.ndim': a tensor has no attribute 'ndim'
# want: help: write len(x.shape)
@triton.jit
def m_ndim(x):
    x.ndim


# case: m_mean fp32
# want: error 'x.mean': a tensor has no attribute 'mean'
# want: help: write tl.sum(x, axis) / n
@triton.jit
def m_mean(x):
    x.mean


# case: m_pow fp32
# want: error 'x.pow': a tensor has no attribute 'pow'
# want: help: write libdevice.pow(x, y), or x * x
@triton.jit
def m_pow(x):
    x.pow


# case: m_square fp32
# want: error 'x.square': a tensor has no attribute 'square'
# want: help: write x * x
@triton.jit
def m_square(x):
    x.square


# case: m_tanh fp32
# want: error 'x.tanh': a tensor has no attribute 'tanh'
# want: help: write libdevice.tanh(x)
@triton.jit
def m_tanh(x):
    x.tanh


# case: m_relu fp32
# want: error 'x.relu': a tensor has no attribute 'relu'
# want: help: write tl.maximum(x, 0.0)
@triton.jit
def m_relu(x):
    x.relu


# case: m_matmul fp32
# want: error 'x.matmul': a tensor has no attribute 'matmul'
# want: help: write tl.dot(x, y)
@triton.jit
def m_matmul(x):
    x.matmul


# case: m_dot fp32
# want: error 'x.dot': a tensor has no attribute 'dot'
# want: help: write tl.dot(x, y)
@triton.jit
def m_dot(x):
    x.dot


# case: m_mm fp32
# want: error 'x.mm': a tensor has no attribute 'mm'
# want: help: write tl.dot(x, y)
@triton.jit
def m_mm(x):
    x.mm


# case: m_transpose fp32
# want: error 'x.transpose': a tensor has no attribute 'transpose'
# want: help: write tl.trans(x)
@triton.jit
def m_transpose(x):
    x.transpose


# case: m_t fp32
# want: error 'x.t': a tensor has no attribute 't'
# want: help: write tl.trans(x)
@triton.jit
def m_t(x):
    x.t


# case: m_unsqueeze fp32
# want: error 'x.unsqueeze': a tensor has no attribute 'unsqueeze'
# want: help: write tl.expand_dims(x, axis)
@triton.jit
def m_unsqueeze(x):
    x.unsqueeze


# case: m_squeeze fp32
# want: error 'x.squeeze': a tensor has no attribute 'squeeze'
# want: help: write tl.reshape(x, shape)
@triton.jit
def m_squeeze(x):
    x.squeeze


# case: m_expand fp32
# want: error 'x.expand': a tensor has no attribute 'expand'
# want: help: write tl.broadcast_to(x, shape)
@triton.jit
def m_expand(x):
    x.expand


# case: m_contiguous fp32
# want: error 'x.contiguous': a tensor has no attribute 'contiguous'
# want: help: write x: a tile has no layout in memory
@triton.jit
def m_contiguous(x):
    x.contiguous


# case: m_clone fp32
# want: error 'x.clone': a tensor has no attribute 'clone'
# want: help: write x: tiles are values
@triton.jit
def m_clone(x):
    x.clone


# case: m_data_ptr fp32
# want: error 'x.data_ptr': a tensor has no attribute 'data_ptr'
# want: help: write the pointer parameter itself
@triton.jit
def m_data_ptr(x):
    x.data_ptr


# case: m_stride fp32
# want: error 'x.stride': a tensor has no attribute 'stride'
# want: help: write a parameter of the kernel
@triton.jit
def m_stride(x):
    x.stride


# case: m_masked_fill fp32
# want: error 'x.masked_fill': a tensor has no attribute 'masked_fill'
# want: help: write tl.where(mask, value, x)
@triton.jit
def m_masked_fill(x):
    x.masked_fill


# case: m_clamp fp32
# want: error 'x.clamp': a tensor has no attribute 'clamp'
# want: help: write tl.clamp(x, low, high)
@triton.jit
def m_clamp(x):
    x.clamp


# case: m_shap fp32
# want: error 'x.shap': a tensor has no attribute 'shap'
# want: help: did you mean 'shape'?
@triton.jit
def m_shap(x):
    x.shap


# case: m_dtyp fp32
# want: error 'x.dtyp': a tensor has no attribute 'dtyp'
# want: help: did you mean 'dtype'?
@triton.jit
def m_dtyp(x):
    x.dtyp


# case: m_numell fp32
# want: error 'x.numell': a tensor has no attribute 'numell'
# want: help: did you mean 'numel'?
@triton.jit
def m_numell(x):
    x.numell


# case: m_sumn fp32
# want: error 'x.sumn': a tensor has no attribute 'sumn'
# want: help: did you mean 'sum'?
@triton.jit
def m_sumn(x):
    x.sumn


# case: m_reshap fp32
# want: error 'x.reshap': a tensor has no attribute 'reshap'
# want: help: did you mean 'reshape'?
@triton.jit
def m_reshap(x):
    x.reshap


# case: m_too fp32
# want: error 'x.too': a tensor has no attribute 'too'
# want: help: did you mean 'to'?
@triton.jit
def m_too(x):
    x.too


# case: m_argmaxx fp32
# want: error 'x.argmaxx': a tensor has no attribute 'argmaxx'
# want: help: did you mean 'argmax'?
@triton.jit
def m_argmaxx(x):
    x.argmaxx


# case: m_cumsun fp32
# want: error 'x.cumsun': a tensor has no attribute 'cumsun'
# want: help: did you mean 'cumsum'?
@triton.jit
def m_cumsun(x):
    x.cumsun


# case: m_nothing_like_it fp32
# want: error 'x.nothing_like_it': a tensor has no attribute 'nothing_like_it'
@triton.jit
def m_nothing_like_it(x):
    x.nothing_like_it


# case: m_tpye fp32
# want: error 'x.tpye': a tensor has no attribute 'tpye'
# want: help: did you mean 'type'?
@triton.jit
def m_tpye(x):
    x.tpye


# case: m_xyzw fp32
# want: error 'x.xyzw': a tensor has no attribute 'xyzw'
@triton.jit
def m_xyzw(x):
    x.xyzw


# case: n_0 fp32
# want: error 'libdevice.ex': module 'triton.language.extra.libdevice' has no attribute 'ex'
# want: help: did you mean 'exp'?
@triton.jit
def n_0(x):
    libdevice.ex


# case: n_1 fp32
# want: error 'libdevice.tanhh': module 'triton.language.extra.libdevice' has no attribute 'tanhh'
# want: help: did you mean 'tanh'?
@triton.jit
def n_1(x):
    libdevice.tanhh


# case: n_2 fp32
# want: error 'libdevice.nothing': module 'triton.language.extra.libdevice' has no attribute 'nothing'
@triton.jit
def n_2(x):
    libdevice.nothing


# case: n_3 fp32
# want: error 'np.exp(x)': the value of 'exp' of the module 'numpy' is not known at compile time
# want: help: the language has tl.exp
@triton.jit
def n_3(x):
    np.exp(x)


# case: n_4 fp32
# want: error 'np.exq(x)': the value of 'exq' of the module 'numpy' is not known at compile time
# want: help: did you mean 'exp'?
@triton.jit
def n_4(x):
    np.exq(x)


# case: n_5 fp32
# want: error 'np.mean(x)': the value of 'mean' of the module 'numpy' is not known at compile time
# want: help: write tl.sum(x, axis) / n
@triton.jit
def n_5(x):
    np.mean(x)


# case: n_6 fp32
# want: error 'torch.tanh(x)': the value of 'tanh' of the module 'torch' is not known at compile time
# want: help: it is libdevice.tanh, with 'from triton.language.extra import libdevice'
@triton.jit
def n_6(x):
    torch.tanh(x)


# case: n_7 fp32
# want: error 'torch.nothing(x)': the value of 'nothing' of the module 'torch' is not known at compile time
@triton.jit
def n_7(x):
    torch.nothing(x)


# case: n_8 fp32
# want: error 'torch.sum(x)': the value of 'sum' of the module 'torch' is not known at compile time
# want: help: the language has tl.sum
@triton.jit
def n_8(x):
    torch.sum(x)


# case: n_9 fp32
# want: error 'helpr': 'helpr' is not defined
# want: help: did you mean 'helper'?
@triton.jit
def n_9(x):
    helpr(x, x)


# case: n_10 fp32
# want: error 'hleper': 'hleper' is not defined
# want: help: did you mean 'helper'?
@triton.jit
def n_10(x):
    hleper(x, x)


# case: n_11 fp32
# want: error 'hepler': 'hepler' is not defined
# want: help: did you mean 'helper'?
@triton.jit
def n_11(x):
    hepler(x, x)


# case: n_12 fp32
# want: error 'zz': 'zz' is not defined
@triton.jit
def n_12(x):
    zz


# case: n_13 fp32
# want: error 'trition': 'trition' is not defined
# want: help: did you mean 'triton'?
@triton.jit
def n_13(x):
    trition


# case: n_14 fp32
# want: error 'tll': 'tll' is not defined
# want: help: did you mean 'tl'?
@triton.jit
def n_14(x):
    tll.sum


# case: n_15 fp32
# want: error 'libdevic': 'libdevic' is not defined
# want: help: did you mean 'libdevice'?
@triton.jit
def n_15(x):
    libdevic.tanh


# case: n_16 fp32
# want: error 'y': 'y' is not defined
# want: help: did you mean 'x'?
@triton.jit
def n_16(x):
    y


# case: n_17 fp32
# want: error 'xx': 'xx' is not defined
# want: help: did you mean 'x'?
@triton.jit
def n_17(x):
    xx


# case: n_18 fp32
# want: error 'helper.x': jit function has no attribute 'x'
@triton.jit
def n_18(x):
    helper.x


# case: n_19 fp32
# want: error 'triton.cdivv': module 'triton' has no attribute 'cdivv'
# want: help: did you mean 'cdiv'?
@triton.jit
def n_19(x):
    triton.cdivv(1, 2)


# case: n_20 fp32
# want: error 'triton.language.sumn': module 'triton.language' has no attribute 'sumn'
# want: help: did you mean 'sum'?
@triton.jit
def n_20(x):
    triton.language.sumn(x)


# case: n_21 fp32
# want: error 'tl.math.expp': module 'triton.language.math' has no attribute 'expp'
# want: help: did you mean 'exp'?
@triton.jit
def n_21(x):
    tl.math.expp(x)


# case: n_22 fp32
# want: error 'tl.extra.nothing': module 'triton.language.extra' has no attribute 'nothing'
@triton.jit
def n_22(x):
    tl.extra.nothing


# case: n_23 fp32
# want: error 'math': 'math' is not defined
# want: help: did you mean 'm_t'?
@triton.jit
def n_23(x):
    math.pi


# case: n_24 fp32
# want: error 'len.x': built-in function has no attribute 'x'
@triton.jit
def n_24(x):
    len.x


# case: n_25 fp32
# want: error 'range.x': built-in function has no attribute 'x'
@triton.jit
def n_25(x):
    range.x
