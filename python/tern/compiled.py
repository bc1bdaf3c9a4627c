# SPDX-License-Identifier: Apache-2.0
"""compiled: what programs ask of a kernel that Triton compiled, and tern's kernels answer.

    kernel = softmax.warmup(x, y, .., grid=(1,))
    kernel.n_regs, kernel.metadata.shared, kernel.asm["ptx"]
    kernel[(blocks, 1, 1)](x, y, ..)

A launch by kernel[grid] takes the form that its arguments need, which is this kernel when they are
of the classes that it was compiled for: Triton would launch the wrong form without a word.
"""

import collections
import hashlib
import re
from collections.abc import Mapping

from . import _tern

# Texts of Triton's own compiler that tern does not make.
FOREIGN = ("ttir", "ttgir", "llir", "cubin", "amdgcn", "hsaco", "spv", "gluon", "sass", "json")
Source = collections.namedtuple("Source", "fn name signature constants attrs")


def parts(signature):
    """The signature's text of each parameter."""
    pattern = r"""(?:'(?:\\.|[^'])*'|[^,()<>\[\]'])+|[(<\[]|[)>\]]|,"""
    found, depth = [""], 0
    for word in re.findall(pattern, signature):
        depth += (word in "(<[") - (word in ")>]")
        if word == "," and not depth:
            found.append("")
        else:
            found[-1] += word
    return [part.strip() for part in found]


class Texts(Mapping):
    """kernel.asm: the texts that this kernel's target has."""

    def __init__(self, kernel):
        self.kernel = kernel

    def __getitem__(self, name):
        if name in FOREIGN:
            raise _tern.Unsupported(f"kernel.asm['{name}']: tern makes {', '.join(self)}")
        if name not in self:
            raise KeyError(name)
        return self.kernel.text(name)

    def __contains__(self, name):
        return name in list(self)

    def __iter__(self):
        yield "ir"
        yield "ptx" if self.kernel.target.startswith("sm_") else "c"

    def __len__(self):
        return 2


def metadata_class(fields):
    """A named tuple, as Triton's."""
    return collections.namedtuple("KernelMetadata", sorted(fields))(**fields)


class Compiled:
    """The attributes of Triton's CompiledKernel. Reached as those of the kernel itself."""

    module = None

    def __init__(self, kernel, function, constants, options):
        self.function_object, self.constants, self.options = function, constants, options
        self.kernel_object, self.name = kernel, function.__name__

    def fact(self, name, on_host=0):
        """What the driver says of the kernel. On a host, which has no registers and shared memory of
        a GPU, a stand-in: programs divide by them."""
        if self.function_object.context.on_host:
            return on_host
        facts = dict(line.partition(": ")[::2] for line in
                     self.kernel_object.text("facts").splitlines())
        return int(facts[name])

    @property
    def asm(self):
        return Texts(self.kernel_object)

    @property
    def kernel(self):
        raise _tern.Unsupported("kernel.kernel: tern's kernels have no binary of Triton's; "
                                "kernel.text('ptx') is what the driver gets")

    @property
    def src(self):
        names, signature = self.function_object.arg_names, self.kernel_object.signature
        return Source(self.function_object.kernel, self.name, signature,
                      {(names.index(n),): value for n, value in self.constants.items()}, {})

    @property
    def hash(self):
        words = [self.function_object.text, self.kernel_object.target,
                 self.kernel_object.signature, repr(sorted(self.options.items()))]
        return hashlib.sha256("\0".join(words).encode()).hexdigest()

    @property
    def metadata(self):
        kernel = self.kernel_object
        return metadata_class({
            "name": self.name, "hash": self.hash, "target": kernel.target,
            "num_warps": kernel.num_warps, "num_stages": kernel.num_stages, "num_ctas": 1,
            "shared": self.fact("shared bytes", 1), "debug": bool(self.options["debug"])})

    @property
    def packed_metadata(self):
        data = self.metadata
        return data.num_warps, data.num_ctas, data.shared

    @property
    def function(self):
        """Stands for the driver's handle, which run() is given and does not need."""
        return 0

    @property
    def n_regs(self):
        return self.fact("registers", 32)

    @property
    def n_spills(self):
        return self.fact("local bytes (spills)") // 4  # Triton counts words

    @property
    def n_max_threads(self):
        return 1024

    def _init_handles(self):
        """Its code is on the device already."""

    def launch_metadata(self, grid, stream, *args):
        """What launch hooks are given."""
        function = self.function_object
        data = {"name": self.name, "function": self.function, "stream": stream}
        more = getattr(function.kernel, "launch_metadata", None)
        if more:
            data.update(more(grid, self.metadata, dict(zip(function.arg_names, args))))
        return data

    def arguments(self, args):
        """All arguments in order, from all or from those that are no constants."""
        names = self.function_object.arg_names
        if len(args) == len(names):
            for name, value in zip(names, args):
                if name in self.constants and value != self.constants[name]:
                    raise ValueError(f"{self.name}: constant '{name}' is {value!r}, but it was "
                                     f"compiled for {self.constants[name]!r}")
            return args
        free = [name for name in names if name not in self.constants]
        if len(args) != len(free):
            raise TypeError(f"{self.name}: a compiled kernel takes its {len(names)} "
                            f"arguments, or the {len(free)} that are no constants, not {len(args)}")
        given = {**self.constants, **dict(zip(free, args))}
        return [given[name] for name in names]

    def __getitem__(self, grid):
        def launch(*args, stream=None):
            more = {} if stream is None or self.function_object.context.on_host \
                else {"stream": stream}
            names, args = self.function_object.arg_names, self.arguments(args)
            if self.options.keys() & set(names):  # a parameter is called num_warps
                given = {**self.options, **dict(zip(names, args)), **more}
                return self.function_object.launch(grid, **given)
            return self.function_object.launch(grid, *args, **self.options, **more)
        return launch

    def run(self, x, y, z, stream, function, packed, metadata, enter, leave, *args):
        """As Triton's launcher is called."""
        if enter is not None:
            enter(metadata)
        self[x, y, z](*args, stream=stream)
        if leave is not None:
            leave(metadata)
