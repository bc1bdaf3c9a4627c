# SPDX-License-Identifier: Apache-2.0
"""A stand-in for Triton where it is absent: names only, so that files import; tern runs the kernels.

jit, autotune, heuristics, Config, constexpr, cdiv and next_power_of_2 do what Triton's do. All other
names, those of triton.language above all, are inert: a kernel's text uses them, and tern reads that
text; Python never calls them.
"""
import collections
import hashlib
import importlib.abc
import importlib.machinery
import inspect
import os
import re
import sys
import textwrap
import types

from tern.context import importing
from tern.triton import Driver, Functions, not_timed, only_first, run_first, runner

__version__ = "3.6.0"
__tern__ = True


class Inert:
    """Any attribute, call or subscript of it is inert, too."""

    def __init__(self, name):
        self.__dict__["_name"] = name

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Inert(f"{self._name}.{name}")

    def __call__(self, *args, **keywords):
        if len(args) == 1 and not keywords and inspect.isfunction(args[0]):
            return args[0]  # as a decorator
        return Inert(f"{self._name}()")

    def __getitem__(self, key):
        return self

    def __repr__(self):
        return self._name

    def __str__(self):
        return self._name.rpartition(".")[2]  # of a dtype: what tern knows it by

    def __hash__(self):
        return hash(self._name)

    def __eq__(self, other):
        return isinstance(other, Inert) and other._name == self._name

    def __mro_entries__(self, bases):
        return (object,)

    def __or__(self, other):
        return self

    __ror__ = __or__


class constexpr:
    def __init__(self, value):
        self.value = value.value if isinstance(value, constexpr) else value

    def __repr__(self):
        return f"constexpr[{self.value}]"

    def __index__(self):
        return int(self.value)

    def __eq__(self, other):
        return self.value == getattr(other, "value", other)

    def __hash__(self):
        return hash(self.value)


# ---- kernels ----

_state = {}  # of this process: the Functions of the device that was chosen


def run_on(device):
    """What tern.as_triton(device) does where this stands for Triton."""
    context = importing(device)
    _state["functions"] = Functions(context, knobs)
    _state["driver"] = Driver(context)
    return context


def _functions():
    if "functions" not in _state:
        run_on(None)
    return _state["functions"]


class KernelInterface:
    def __getitem__(self, grid):
        return lambda *args, **keywords: self.run(*args, grid=grid, warmup=False, **keywords)

    def warmup(self, *args, grid, **keywords):
        return self.run(*args, grid=grid, warmup=True, **keywords)


class KernelParam:
    def __init__(self, num, parameter, options):
        for kind in ("do_not_specialize", "do_not_specialize_on_alignment"):
            listed = options.get(kind) or ()
            setattr(self, kind, num in listed or parameter.name in listed)
        self.num, self.name, self.default = num, parameter.name, parameter.default
        self.has_default = parameter.default is not inspect.Parameter.empty
        annotation = parameter.annotation
        self.is_constexpr = annotation is constexpr or "constexpr" in str(annotation)


class JITFunction(KernelInterface):
    def __init__(self, fn, **options):
        self.fn, self.options, self.pre_run_hooks = fn, options, []
        self.__name__, self.__doc__, self.__module__ = fn.__name__, fn.__doc__, fn.__module__
        self.__qualname__, self.__globals__, self.module = fn.__qualname__, fn.__globals__, fn.__module__
        self.kernel, self.debug, self.noinline = None, options.get("debug"), options.get("noinline")
        self.launch_metadata = options.get("launch_metadata")
        self.signature = inspect.signature(fn)
        self.params = [KernelParam(i, p, options)
                       for i, p in enumerate(self.signature.parameters.values())]
        self.arg_names = [p.name for p in self.params]
        self.constexprs = [p.num for p in self.params if p.is_constexpr]
        lines, self.starting_line_number = inspect.getsourcelines(fn)
        text = textwrap.dedent("".join(lines))
        self._src = text[re.search(r"^def\s+\w+\s*\(", text, re.MULTILINE).start():]

    @property
    def src(self):
        return self._src

    @property
    def cache_key(self):
        return hashlib.sha256(f"{self._src}{self.starting_line_number}".encode()).hexdigest()

    def add_pre_run_hook(self, hook):
        self.pre_run_hooks.append(hook)

    def __call__(self, *args, **keywords):
        raise RuntimeError(f"{self.__name__} is a kernel: launch it as {self.__name__}[grid](..)")


def jit(fn=None, **options):
    return JITFunction(fn, **options) if fn is not None else lambda f: JITFunction(f, **options)


class Config:
    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, pre_hook=None,
                 ir_override=None):
        self.kwargs, self.num_warps, self.num_stages = kwargs, num_warps, num_stages
        self.num_ctas, self.maxnreg, self.pre_hook = num_ctas, maxnreg, pre_hook
        self.ir_override = ir_override

    def all_kwargs(self):
        more = {"num_warps": self.num_warps, "num_stages": self.num_stages,
                "num_ctas": self.num_ctas, "maxnreg": self.maxnreg}
        return {**self.kwargs, **{k: v for k, v in more.items() if v is not None}}


class Heuristics(KernelInterface):
    def __init__(self, fn, arg_names, values):
        self.fn, self.arg_names, self.values = fn, arg_names, values
        self.__name__ = getattr(fn, "__name__", "?")

    def run(self, *args, **keywords):
        for name, rule in self.values.items():
            keywords[name] = rule({**dict(zip(self.arg_names, args)), **keywords})
        return self.fn.run(*args, **keywords)


def _nothing(*args, **keywords):
    pass


class Autotuner(KernelInterface):
    """Takes the first config that prune_configs_by leaves: all are right by definition, and nothing
    is timed. With Triton there, Triton's own autotuner does that."""

    def __init__(self, fn, arg_names, configs, key, reset_to_zero=None, restore_value=None,
                 pre_hook=None, post_hook=None, prune_configs_by=None, warmup=None, rep=None,
                 use_cuda_graph=False, do_bench=None, cache_results=False):
        self.fn, self.arg_names, self.keys, self.cache = fn, arg_names, key, {}
        self.configs = list(configs) or [Config({})]
        self.reset_to_zero = list(reset_to_zero or [])
        self.restore_value = list(restore_value or [])
        self.cache_results, self.use_cuda_graph, self.do_bench = cache_results, use_cuda_graph, do_bench
        self.num_warmups, self.num_reps = warmup, rep
        self.user_defined_pre_hook, self.user_defined_post_hook = bool(pre_hook), bool(post_hook)
        self.pre_hook, self.post_hook = pre_hook or _nothing, post_hook or _nothing
        prune = prune_configs_by or {}
        self.perf_model, self.configs_top_k = prune.get("perf_model"), prune.get("top_k", 1.0)
        self.early_config_prune = prune.get("early_config_prune")
        self.base_fn = fn
        while hasattr(self.base_fn, "fn"):
            self.base_fn = self.base_fn.fn
        self.__name__ = getattr(fn, "__name__", "?")

    def prune_configs(self, keywords):
        if self.early_config_prune:
            return list(self.early_config_prune(self.configs, self.nargs, **keywords))
        return self.configs

    every_config, prune_configs = prune_configs, only_first(prune_configs)
    run, _bench = run_first, not_timed


def heuristics(values):
    return lambda fn: Heuristics(fn, fn.arg_names, values)


def autotune(configs, key, **options):
    return lambda fn: Autotuner(fn, fn.arg_names, configs, key, **options)


def cdiv(x, y):
    return -(-x // y)


def next_power_of_2(n):
    return 1 << (n - 1).bit_length() if n > 0 else 0


# ---- the other names ----

class _Module(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        value = constexpr if name == "constexpr" else Inert(f"{self.__name__}.{name}")
        setattr(self, name, value)
        return value


# Triton's own private modules; of others, those that it may have when somebody else built it, the
# absence is what libraries ask for.
_PRIVATE = {"_C", "_filecheck", "_internal_testing", "_utils"}


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        package, _, inner = name.partition(".")
        first = inner.partition(".")[0]
        if package != "triton" or (first.startswith("_") and first not in _PRIVATE):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return _Module(spec.name)

    def exec_module(self, module):
        module.__path__ = []


class HookChain:
    def __init__(self, reversed=False):
        self.calls, self.reversed = [], reversed

    def add(self, call):
        if call not in self.calls:
            self.calls.append(call)

    def remove(self, call):
        if call in self.calls:
            self.calls.remove(call)

    def __call__(self, *args, **keywords):
        for call in self.calls[::-1] if self.reversed else list(self.calls):
            call(*args, **keywords)


class _Knobs(Inert):
    """A group of triton.knobs: what tern asks is here, the rest is inert until it is set."""

    def __init__(self, name, **values):
        super().__init__(name)
        self.__dict__.update(values)


class _Language(_Knobs):
    @property
    def fp32_default(self):
        return self.__dict__.get("precision", os.environ.get("TRITON_F32_DEFAULT"))

    @fp32_default.setter
    def fp32_default(self, value):
        self.__dict__["precision"] = value


class _Lazily:
    """The Functions of the device, which is chosen when the first of them is asked for."""

    def of(self, jit_function):
        return _functions().of(jit_function)


class _Active:
    """triton.runtime.driver: `active` is the device's driver, chosen when somebody asks."""

    @property
    def active(self):
        _functions()
        return _state["driver"]

    default = active

    def set_active(self, driver):
        pass


def __getattr__(name):
    if name.startswith("__") and name.endswith("__"):
        raise AttributeError(name)
    return Inert(f"triton.{name}")


sys.meta_path.append(_Finder())

import triton.backends.compiler  # noqa: E402
import triton.knobs as knobs  # noqa: E402
import triton.language as language  # noqa: E402
import triton.runtime as runtime  # noqa: E402
import triton.runtime.autotuner  # noqa: E402
import triton.runtime.jit  # noqa: E402
import triton.testing  # noqa: E402,F401

sys.modules["triton.backends.compiler"].GPUTarget = collections.namedtuple(
    "GPUTarget", "backend arch warp_size")
knobs.HookChain = HookChain
knobs.language = _Language("triton.knobs.language")
knobs.compilation = _Knobs("triton.knobs.compilation", listener=None)
knobs.runtime = _Knobs(
    "triton.knobs.runtime", launch_enter_hook=HookChain(), launch_exit_hook=HookChain(reversed=True),
    kernel_load_start_hook=HookChain(), kernel_load_end_hook=HookChain(reversed=True),
    jit_cache_hook=None, jit_post_compile_hook=None, add_stages_inspection_hook=None)
JITFunction.run = runner(_Lazily(), knobs.runtime, lambda error: error)
runtime.driver = _Active()
sys.modules["triton.runtime.driver"] = runtime.driver
for _module in (runtime, runtime.autotuner, runtime.jit):
    for _class in (JITFunction, KernelInterface, Autotuner, Heuristics, Config):
        setattr(_module, _class.__name__, _class)
runtime.jit.jit = jit
