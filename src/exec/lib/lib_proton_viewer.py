# SPDX-License-Identifier: Apache-2.0
# triton.profiler.viewer: the tree of a session that this script has ended, which is in no file.
from _torch import refuse
from triton.profiler import rows_of

_SECONDS = {'s': 1.0, 'ms': 1e3, 'us': 1e6, 'ns': 1e9}
_SIZES = {'g': 1e-9, 't': 1e-12, '': 1.0}


def _value(row, metric):
    what, _, unit = metric.partition('/')
    if what == 'count':
        return row.count
    if what in ('time', 'avg_time') and unit in _SECONDS:
        return row.ms * 1e-3 * _SECONDS[unit] / (row.count if what == 'avg_time' else 1)
    for size, factor in _SIZES.items():
        for kind in ('flop', 'byte'):
            if what.startswith(size + kind) and unit == 's':
                key = kind + 's' + what[len(size + kind):]
                return row.metrics[key] * factor / (row.ms * 1e-3) if key in row.metrics and row.ms > 0 else None
    refuse(f'the metric {metric!r} of triton.profiler.viewer')


def parse(metrics, filename, include=None, exclude=None, threshold=None):
    if include is not None or exclude is not None or threshold is not None:
        refuse('include=, exclude= or threshold= of triton.profiler.viewer.parse()')
    name = filename[:-len('.hatchet')] if filename.endswith('.hatchet') else filename
    rows = rows_of(name)
    if rows is None:
        raise FileNotFoundError(f"[Errno 2] No such file or directory: '{filename}'")
    return rows, list(metrics)


def print_tree(tree, metrics, depth=100, format=None, print_sorted=False):
    print(' '.join(metrics))
    print('ROOT')

    def show(above, indent):
        below = [path for path in tree if path[:-1] == above]
        if print_sorted:
            below.sort(key=lambda path: -tree[path].ms)
        for i, path in enumerate(below):
            values = [_value(tree[path], metric) for metric in metrics]
            words = ' '.join('nan' if value is None else f'{value:.3f}' for value in values)
            print(f"{indent}{'└─' if i + 1 == len(below) else '├─'} {words} {path[-1]}")
            if len(path) < depth:
                show(path, indent + ('   ' if i + 1 == len(below) else '│  '))
    show((), '')
