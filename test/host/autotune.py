# @triton.autotune and @triton.heuristics: which configs are tried, what hooks see, what tensors hold after it.
import torch
import triton
import triton.language as tl

seen = []


def early(configs, named, **kwargs):
    seen.append(("early", sorted(named), sorted(kwargs)))
    return [c for c in configs if c.kwargs["B"] <= named["n"]]


def model(x, n, B, num_warps, **kwargs):
    seen.append(("model", n, B, num_warps))
    return -B


@triton.autotune(configs=[triton.Config({"B": b}, num_warps=w) for b in (16, 32, 64, 128) for w in (2, 4)], key=["n"],
                 prune_configs_by={"early_config_prune": early, "perf_model": model, "top_k": 1})
@triton.jit
def pruned(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, B, mask=i < n)


x = torch.zeros(100)
pruned[lambda meta: (triton.cdiv(meta["n"], meta["B"]), )](x, 100)
print(seen[0], seen[1], len(seen))
print(pruned.best_config, x.sum().item())
print(len(pruned.cache))
pruned[(7, )](x, 100)
print(len(seen), len(pruned.cache))
pruned[(4, )](x, 64)
print(len(seen), len(pruned.cache), pruned.best_config.kwargs)


# One config that asserts, one that does not: the other wins, whatever the times are. What is counted while it is tuned
# is reset, what is changed is restored.
@triton.autotune(configs=[triton.Config({"HOW": 1}), triton.Config({"HOW": 2}), triton.Config({"HOW": 1}, num_warps=8)],
                 key=[], reset_to_zero=["count"], restore_value=["y"])
@triton.jit
def counted(count, y, HOW: tl.constexpr):
    tl.static_assert(HOW == 2, "not this one")
    tl.store(count, tl.load(count) + 1)
    tl.store(y, tl.load(y) * 2)


count, y = torch.zeros(1), torch.full([1], 3.0)
counted[(1, )](count, y)
print(count.item(), y.item(), counted.best_config)
print([time == float("inf") for time in counted.configs_timings.values()])
counted[(1, )](count, y)
print(count.item(), y.item())

# Hooks: the config's before the tuner's, and in each later run the config's alone.
hooks = []


def config_hook(nargs):
    hooks.append("config")
    nargs["y"].fill_(nargs["B"])


def before(nargs, reset_only=False):
    hooks.append("reset" if reset_only else "before")


def after(nargs, exception):
    hooks.append("after")


@triton.autotune(configs=[triton.Config({"B": 16}, pre_hook=config_hook), triton.Config({"B": 32}, pre_hook=config_hook)],
                 key=["n"], pre_hook=before, post_hook=after)
@triton.jit
def hooked(y, n, B: tl.constexpr):
    tl.store(y, tl.load(y) + 1)


y = torch.zeros(1)
hooked[(1, )](y, 5)
print(y.item() == hooked.best_config.kwargs["B"] + 1)
print(hooks[:3], hooks[-2:], hooks.count("before") == hooks.count("after") == hooks.count("config") - 1)
del hooks[:]
hooked[(1, )](y, 5)
print(hooks)


# An exception that is the kernel's reaches post_hook and the caller; a meta-parameter given twice is refused.
@triton.autotune(configs=[triton.Config({"B": 16}), triton.Config({"B": 32})], key=["n"], post_hook=after)
@triton.jit
def broken(y, n, B: tl.constexpr):
    tl.store(y, nothing)


del hooks[:]
try:
    broken[(1, )](y, 5)
except Exception as e:
    print("raised", hooks)
try:
    hooked[(1, )](y, 6, B=16)
except ValueError as e:
    print(e)
try:
    pruned[(1, )](x, 3)
except Exception as e:
    print(type(e).__name__, e)

# A do_bench of the file's is used as it is.
calls = []


def bench(call, quantiles):
    call()
    calls.append(quantiles)
    return [5.0 - len(calls), 0, 0]


@triton.autotune(configs=[triton.Config({"B": b}) for b in (16, 32, 64)], key=["n"], do_bench=bench)
@triton.heuristics({"EVEN": lambda args: args["n"] % args["B"] == 0})
@triton.jit
def timed(y, n, B: tl.constexpr, EVEN: tl.constexpr):
    tl.store(y, EVEN)


timed[(1, )](y, 96)
print(len(calls), timed.best_config.kwargs, y.item())


@triton.heuristics({"B": lambda args: triton.next_power_of_2(args["n"]), "HALF": lambda args: args["B"] // 2})
@triton.jit
def ruled(y, n, B: tl.constexpr, HALF: tl.constexpr):
    tl.store(y, B + HALF)


ruled[(1, )](y, 20)
print(y.item())
print(triton.Config({"B": 16}, num_warps=8).all_kwargs())
print(isinstance(pruned, triton.runtime.Autotuner))
