# SPDX-License-Identifier: Apache-2.0
"""check and bench: the questions that a launch leaves open, answered with data."""
from . import _tern
from .jit import Function


class Findings:
    """What check found: `data` is a list of dicts; true when nothing is wrong."""

    def __init__(self, name, data):
        self.name, self.data = name, data

    @property
    def errors(self):
        return [one for one in self.data if not one["advice"]]

    def __bool__(self):
        return not self.errors

    def __len__(self):
        return len(self.data)

    def __iter__(self):
        return iter(self.data)

    def __repr__(self):
        lines = [f"{one['file']}:{one['line']}:{one['column']}: {one['kind']}: {one['words']}"
                 + (f" ({one['where']})" if one["where"] else "") for one in self.data]
        return "\n".join(lines or [f"{self.name}: nothing found"])

    def _repr_html_(self):
        from html import escape
        rows = "".join(f"<tr><td>{escape(one['kind'])}</td><td>{one['line']}</td>"
                       f"<td>{escape(one['words'])}</td><td>{escape(one['cure'])}</td></tr>"
                       for one in self.data)
        return f"<table><tr><th>kind<th>line<th>what<th>cure</tr>{rows}</table>" if rows \
            else escape(repr(self))


class Timing(dict):
    """What bench measured: tern_timing's fields, and bytes and operations where they are known."""

    def __repr__(self):
        text = f"{self['median_ms']:.4g} ms ({self['q20_ms']:.4g} to {self['q80_ms']:.4g}, " \
               f"{len(self['samples_ms'])} samples)"
        if self.get("bytes"):
            text += f", {self['bytes'] / self['median_ms'] / 1e6:.4g} GB/s"
        if self.get("flops"):
            text += f", {self['flops'] / self['median_ms'] / 1e6:.4g} GFLOP/s"
        return "\n".join([text] + [f"  trust: {words}" for words in self["trust"]])

    def _repr_svg_(self):
        """Each sample as a dot, in order, the median as a line; for notebooks."""
        samples, wide, high = self["samples_ms"], 480, 120
        top = max(samples) or 1.0
        dots = "".join(f'<circle cx="{40 + (wide - 50) * (i + .5) / len(samples):.1f}" '
                       f'cy="{high - 20 - (high - 35) * ms / top:.1f}" r="2"/>'
                       for i, ms in enumerate(samples))
        at = high - 20 - (high - 35) * self["median_ms"] / top
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" '
                f'font-size="10"><g fill="steelblue">{dots}</g>'
                f'<path d="M40 {at:.1f}H{wide - 10}M40 10V{high - 20}H{wide - 10}" stroke="gray" '
                f'fill="none"/><text x="2" y="18">{top:.3g} ms</text>'
                f'<text x="42" y="{at - 4:.1f}">median {self["median_ms"]:.4g} ms</text>'
                f'<text x="40" y="{high - 6}">{len(samples)} samples, in order</text></svg>')


def check(kernel, grid, *args, device="interp", **keywords):
    """Runs one launch on interp (or sim), on copies of the arguments' memory, and says what is
    wrong with it: accesses outside of tensors, races, NaNs and more (doc/check.md)."""
    watched = _tern.Context(device, watch=True, copies=True)
    function = kernel.on(watched) if isinstance(kernel, Function) else Function(kernel,
                                                                              context=watched)
    call = function.prepare(grid, *args, **keywords)
    try:
        call.launch()
        watched.synchronize()
    except _tern.KernelError:
        if not call.findings():
            raise
    return Findings(function.__name__, call.findings())


def bench(kernel, grid, *args, device=None, hot=False, min_time_ms=0.0, max_time_ms=0.0, warmups=0,
          max_samples=0, **keywords):
    """How long one launch takes: it is repeated, caches cold unless hot, until the median is known.
    The kernel writes to the arguments each time."""
    function = kernel if isinstance(kernel, Function) else Function(kernel, device)
    call = function.prepare(grid, *args, **keywords)
    timing = Timing(call.bench(hot=hot, min_time_ms=min_time_ms, max_time_ms=max_time_ms,
                               warmups=warmups, max_samples=max_samples))
    timing.update(call.work() or {})
    return timing
