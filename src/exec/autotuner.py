# SPDX-License-Identifier: Apache-2.0
# autotuner: @triton.autotune and @triton.heuristics of a script that `tern exec` runs, with the meaning
# that triton.runtime.autotuner 3.6 gives them. It is run by tern's own evaluator. What is C's: the race
# (tern_tune), and what `tern tune` and earlier runs have kept (exec/autotune.c).
from triton.runtime.tern_race import find, keep, race


class AutotunerError(Exception):
    pass


class Config:
    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, pre_hook=None, ir_override=None,
                 num_cpu_threads=None):
        if ir_override is not None:
            raise NotImplementedError("triton.Config: ir_override")
        self.kwargs = kwargs
        self.num_warps = num_warps
        self.num_ctas = num_ctas
        self.num_stages = num_stages
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook
        self.ir_override = None

    def all_kwargs(self):
        options = {"num_warps": self.num_warps, "num_ctas": self.num_ctas, "num_stages": self.num_stages,
                   "maxnreg": self.maxnreg}
        return {**self.kwargs, **{name: value for name, value in options.items() if value is not None}}

    def __str__(self):
        parts = [f"{name}: {value}" for name, value in self.kwargs.items()]
        parts += [f"num_warps: {self.num_warps}", f"num_ctas: {self.num_ctas}", f"num_stages: {self.num_stages}",
                  f"maxnreg: {self.maxnreg}"]
        return ", ".join(parts)

    # As `tern tune` keeps it: NAME=VALUE a line.
    def choice(self):
        parts = [f"{name}={value!r}" for name, value in self.kwargs.items()]
        return "\n".join(parts + [f"num_warps={self.num_warps}", f"num_stages={self.num_stages}"])


class KernelInterface:
    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)


class Autotuner(KernelInterface):
    def __init__(self, fn, arg_names, configs, key, reset_to_zero=None, restore_value=None, pre_hook=None,
                 post_hook=None, prune_configs_by=None, warmup=None, rep=None, use_cuda_graph=False, do_bench=None,
                 cache_results=False):
        self.configs = configs if configs else [Config({})]
        self.keys = key
        self.cache = {}
        self.configs_timings = {}
        self.arg_names = arg_names
        self.reset_to_zero = list(reset_to_zero) if reset_to_zero is not None else []
        self.restore_value = list(restore_value) if restore_value is not None else []
        self.restore_copies = {}
        self.pre_hook = pre_hook if pre_hook else self.reset
        self.post_hook = post_hook if post_hook else self.restore
        prune = prune_configs_by if prune_configs_by else {}
        self.perf_model = prune.get("perf_model", None)
        self.configs_top_k = prune.get("top_k", 1.0)
        self.early_config_prune = prune.get("early_config_prune", None)
        self.do_bench = do_bench
        self.fn = fn
        self.base_fn = fn
        while isinstance(self.base_fn, KernelInterface):
            self.base_fn = self.base_fn.fn

    def reset(self, kwargs, reset_only=False):
        for name in self.reset_to_zero:
            kwargs[name].zero_()
        if not reset_only:
            self.restore_copies = {name: kwargs[name].clone() for name in self.restore_value}

    def restore(self, kwargs, exception):
        for name in self.restore_value:
            kwargs[name].copy_(self.restore_copies[name])
        self.restore_copies = {}

    def prune_configs(self, kwargs):
        pruned = self.configs
        if self.early_config_prune:
            pruned = self.early_config_prune(self.configs, self.nargs, **kwargs)
            if not pruned:
                raise AutotunerError("No valid autotuner configs after pruning. `early_config_prune` should return at "
                                     "least one config.")
        if self.perf_model:
            top_k = self.configs_top_k
            if isinstance(top_k, float) and top_k <= 1.0:
                top_k = int(len(self.configs) * top_k)
            elif not isinstance(top_k, int):
                raise TypeError("Error while pruning configs, top_k must be either 1) a float <= 1.0 or 2) an int")
            if len(pruned) > top_k:
                times = [self.perf_model(**self.nargs, **kwargs, **config.all_kwargs()) for config in pruned]
                order = sorted(range(len(pruned)), key=lambda i: times[i])
                pruned = [pruned[i] for i in order[:top_k]]
        return pruned

    # Before each sample the hooks, which are not timed; after it, where a next one begins, the other.
    def bench(self, configs, args, kwargs):
        for config in configs:
            conflicts = [name for name in config.kwargs if name in kwargs]
            if conflicts:
                raise ValueError(f"Conflicting meta-parameters: {', '.join(conflicts)}. Make sure that you don't "
                                 "re-define auto-tuned symbols.")
        full = [{**self.nargs, **kwargs, **config.all_kwargs()} for config in configs]

        def before(i):
            if configs[i].pre_hook:
                configs[i].pre_hook(full[i])
            self.pre_hook(full[i])

        def run(i):
            self.fn.run(*args, **kwargs, **configs[i].all_kwargs())

        def after(i, exception):
            self.post_hook(full[i], exception=exception)

        if self.do_bench is None:
            return race([str(config) for config in configs], before, run, after)
        times = []
        for i in range(len(configs)):
            def call():
                before(i)
                try:
                    run(i)
                except Exception as e:
                    after(i, e)
                    raise
                after(i, None)
            found = self.do_bench(call, quantiles=(0.5, 0.2, 0.8))
            times.append(found[0] if isinstance(found, (list, tuple)) else found)
        return times, "", times.index(min(times))

    def choose(self, args, kwargs):
        configs = self.prune_configs(kwargs)
        kept = find(self.base_fn, args, kwargs)
        if kept is not None:
            wanted = kept.split("\n")
            for config in configs:
                has = config.choice().split("\n")
                if all([line in has for line in wanted]):
                    return config
        times, evidence, best = self.bench(configs, args, kwargs)
        self.configs_timings = {config: time for config, time in zip(configs, times)}
        if evidence:
            keep(self.base_fn, args, kwargs, configs[best].choice(), evidence)
        return configs[best]

    def run(self, *args, **kwargs):
        self.nargs = dict(zip(self.arg_names, args))
        config = self.configs[0]
        if len(self.configs) > 1:
            given = {name: value for name, value in {**self.nargs, **kwargs}.items() if name in self.arg_names}
            key = [given[name] for name in self.keys if name in given]
            for value in given.values():
                if hasattr(value, "dtype"):
                    key.append(str(value.dtype))
            key = tuple(key)
            if key not in self.cache:
                config = self.choose(args, kwargs)
                self.cache[key] = config
                self.pre_hook({**self.nargs, **kwargs, **config.all_kwargs()}, reset_only=True)
            config = self.cache[key]
        self.best_config = config
        if config.pre_hook is not None:
            config.pre_hook({**self.nargs, **kwargs, **config.all_kwargs()})
        result = self.fn.run(*args, **kwargs, **config.all_kwargs())
        self.nargs = None
        return result

    def warmup(self, *args, **kwargs):
        self.nargs = dict(zip(self.arg_names, args))
        result = [self.fn.warmup(*args, **kwargs, **config.all_kwargs()) for config in self.prune_configs(kwargs)]
        self.nargs = None
        return result


class Heuristics(KernelInterface):
    def __init__(self, fn, arg_names, values):
        self.fn = fn
        self.values = values
        self.arg_names = arg_names

    def run(self, *args, **kwargs):
        for name, rule in self.values.items():
            kwargs[name] = rule({**dict(zip(self.arg_names, args)), **kwargs})
        return self.fn.run(*args, **kwargs)


def autotune(configs, key, prune_configs_by=None, reset_to_zero=None, restore_value=None, pre_hook=None, post_hook=None,
             warmup=None, rep=None, use_cuda_graph=False, do_bench=None, cache_results=False):
    def decorator(fn):
        return Autotuner(fn, fn.arg_names, configs, key, reset_to_zero, restore_value, pre_hook=pre_hook,
                         post_hook=post_hook, prune_configs_by=prune_configs_by, warmup=warmup, rep=rep,
                         use_cuda_graph=use_cuda_graph, do_bench=do_bench, cache_results=cache_results)
    return decorator


def heuristics(values):
    def decorator(fn):
        return Heuristics(fn, fn.arg_names, values)
    return decorator
