# Kernels of the file: launched with a grid that is a function of the arguments, a tuple, a number;
# specialised anew for other types and sizes; with names of the file that the script changed.
import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(output_ptr + offsets, x + y, mask=mask)


def add(x: torch.Tensor, y: torch.Tensor):
    output = torch.empty_like(x)
    assert x.device == DEVICE and y.device == DEVICE and output.device == DEVICE
    n_elements = output.numel()
    grid = lambda meta: (triton.cdiv(n_elements, meta["BLOCK_SIZE"]),)
    add_kernel[grid](x, y, output, n_elements, BLOCK_SIZE=1024)
    return output


torch.manual_seed(0)
for size in (1, 16, 1000, 98432):
    for dtype in (torch.float32, torch.float16, torch.int64):
        x = (torch.rand(size, device=DEVICE) * 100).to(dtype)
        y = (torch.rand(size, device=DEVICE) * 100).to(dtype)
        print(size, dtype, torch.equal(add(x, y), x + y))
z = torch.rand(1001, device=DEVICE)
print(torch.equal(add(z[1:], z[:-1]), z[1:] + z[:-1]))


@triton.jit
def softmax_kernel(output_ptr, input_ptr, in_stride, out_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK_SIZE)
    values = tl.load(input_ptr + row * in_stride + columns, mask=columns < n_cols, other=-float("inf"))
    values = values - tl.max(values, axis=0)
    top = tl.exp(values)
    result = top / tl.sum(top, axis=0)
    tl.store(output_ptr + row * out_stride + columns, result, mask=columns < n_cols)


def softmax(x):
    n_rows, n_cols = x.shape
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    num_warps = 4
    if BLOCK_SIZE >= 2048:
        num_warps = 8
    y = torch.empty_like(x)
    softmax_kernel[(n_rows,)](y, x, x.stride(0), y.stride(0), n_cols, num_warps=num_warps, BLOCK_SIZE=BLOCK_SIZE)
    return y


x = torch.randn(183, 781, device=DEVICE)
print(torch.allclose(softmax(x), torch.softmax(x, dim=1)))
print(softmax(torch.zeros(2, 4)))

FACTOR = 10


@triton.jit
def helper(x):
    return x * FACTOR


@triton.jit
def scale_kernel(x_ptr, factor, shift, flag, KIND: tl.constexpr, n: tl.constexpr = 8):
    i = tl.arange(0, n)
    x = tl.load(x_ptr + i)
    if KIND == "twice":
        x = x * 2
    x = helper(x * factor) + shift + flag
    tl.store(x_ptr + i, x)


for power in range(3):  # what it is at last, only a run tells
    FACTOR = tl.constexpr(10**power)
x = torch.ones(8)
scale_kernel[1](x, 0.5, 7, True, "twice")
print(x)
x = torch.ones(8)
scale_kernel[(1, 1)](x, 2.0, -1, False, KIND="once")
print(x)
try:
    scale_kernel[1](x, 2.0)
except TypeError as error:
    print(error)
try:
    add_kernel(x)
except RuntimeError as error:
    print(error)
