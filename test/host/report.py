# triton.testing.perf_report: tables as pandas prints them; a kernel that was made ready by warmup.
import torch
import triton
import triton.language as tl
from triton.runtime import driver


@triton.testing.perf_report(
    triton.testing.Benchmark(
        x_names=["size"],
        x_vals=[2**i for i in range(12, 28, 3)],
        x_log=True,
        line_arg="provider",
        line_vals=["triton", "torch"],
        line_names=["Triton", "Torch"],
        styles=[("blue", "-"), ("green", "-")],
        ylabel="GB/s",
        plot_name="perf",
        args={"k": 3},
    )
)
def benchmark(size, provider, k):
    quick = size / k
    if provider == "triton":
        return quick, quick + 1, quick - 1
    return size / 7


benchmark.run(print_data=True, show_plots=True)


@triton.testing.perf_report(
    [
        triton.testing.Benchmark(
            x_names=["M", "N"],
            x_vals=[(1, 2.5), (3, 4)],
            line_arg="p",
            line_vals=[1e-9, 2, 0.125],
            line_names=["x", "a long name", "z"],
            plot_name="two",
            args={},
        )
    ]
)
def product(M, N, p):
    return M * N * p


product.run(print_data=True)


@triton.jit
def double_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr, num_stages: tl.constexpr):
    start, step = tl.program_id(0), tl.num_programs(0)
    for block in tl.range(start, tl.cdiv(n, BLOCK), step, num_stages=num_stages):
        i = block * BLOCK + tl.arange(0, BLOCK)
        tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)


properties = driver.active.utils.get_device_properties(torch.cuda.current_device())
x = torch.rand(1000, device="cuda")
y = torch.empty_like(x)
kernel = double_kernel.warmup(y, x, 1000, BLOCK=128, num_stages=2, num_warps=4, grid=(1,))
kernel._init_handles()
occupancy = properties["max_num_regs"] // (kernel.n_regs * properties["warpSize"] * 4)
programs = min(properties["multiprocessor_count"] * occupancy, 5)
kernel[(programs, 1, 1)](y, x, 1000)
print(torch.equal(y, x * 2), programs, x.device, y.nelement(), kernel.metadata.shared > 0)
y.zero_()
kernel[(2,)](y, x, 1000, 128, 2)
print(torch.equal(y, x * 2), torch.softmax(x[:3] * 0, axis=0))
milliseconds = triton.testing.do_bench(lambda: x + y, warmup=1, rep=5, quantiles=[0.5, 0.2, 0.8])
print(len(milliseconds), milliseconds[1] <= milliseconds[0] <= milliseconds[2], triton.testing.do_bench(lambda: x, warmup=1, rep=2) >= 0)
print(triton.testing.do_bench(lambda: x, warmup=1, rep=2, quantiles=[]))
