# SPDX-License-Identifier: Apache-2.0
# triton.profiler: a scope is a range of tern's profiles (tern prof -- tern exec ..). A session takes the time between
# events around each launch of a kernel and around each scope; its tree is what triton.profiler.viewer prints.
import sys
from _torch import launch_hook as _launch_hook, refuse
from torch.cuda import Event as _Event, synchronize as _synchronize
from torch.cuda.nvtx import range_pop as _pop, range_push as _push


class _Row:
    def __init__(self):
        self.count, self.ms, self.metrics = 0, 0.0, {}


class _Session:
    def __init__(self, name, hooks):
        self.name, self.hooks, self.is_active = name, hooks, True
        self.rows, self.path, self.pending = {}, (), []

    def begin(self, name, metrics):
        self.path = self.path + (name,)
        if self.path not in self.rows:
            self.rows[self.path] = _Row()
        row = self.rows[self.path]
        row.count += 1
        for key, value in (metrics or {}).items():
            row.metrics[key] = row.metrics.get(key, 0.0) + value
        start = _Event(enable_timing=True)
        start.record()
        return row, start

    def end(self, row, start):
        stop = _Event(enable_timing=True)
        stop.record()
        self.path = self.path[:-1]
        self.pending.append((row, start, stop))
        if len(self.pending) >= 512:
            self.flush()

    def flush(self):
        _synchronize()
        for row, start, stop in self.pending:
            row.ms += start.elapsed_time(stop)
        self.pending = []


class _Kernel:
    def __init__(self, name):
        self.name = name


_sessions = []


def _active():
    for session in _sessions:
        if session.is_active:
            return session
    return None


def _before_launch(name, metadata, grid, args):
    session = _active()
    if session is None:
        return None
    said = {}
    if session.hooks and metadata is not None:
        said = dict(metadata(grid, _Kernel(name), args))
    row, start = session.begin(said.pop('name', name), said)
    return lambda: session.end(row, start)


class scope:
    def __init__(self, name, metrics=None):
        self.name, self.metrics, self.function, self.open = name, metrics, None, []

    def __call__(self, *args, **kwargs):
        if self.function is None:
            made = scope(self.name, self.metrics)
            made.function = args[0]
            return made
        with scope(self.name, self.metrics):
            return self.function(*args, **kwargs)

    def __enter__(self):
        _push(self.name)
        session = _active()
        self.open.append((session, session.begin(self.name, self.metrics) if session is not None else None))

    def __exit__(self, *args):
        session, begun = self.open.pop()
        if session is not None:
            session.end(begun[0], begun[1])
        _pop()


_entered = []


def enter_scope(name, *args, metrics=None, **kwargs):
    _entered.append(scope(name, metrics))
    _entered[-1].__enter__()


def exit_scope(*args, **kwargs):
    _entered.pop().__exit__()


def start(name=None, *, context='shadow', data='tree', backend=None, mode=None, hook=None):
    if context != 'shadow' or data != 'tree' or mode is not None:
        refuse('context=, data= or mode= of triton.profiler.start()')
    if _sessions:
        refuse('a second session of triton.profiler')
    sys.stderr.write("tern exec: triton.profiler's times are those between events around launches and scopes\n")
    _sessions.append(_Session('proton' if name is None else name, hook in ('triton', 'launch')))
    _launch_hook(_before_launch)
    return 0


def _set(session, on):
    if session not in (None, 0):
        refuse('a second session of triton.profiler')
    for one in _sessions:
        one.is_active = on


def activate(session=None):
    _set(session, True)


def deactivate(session=None, flushing=False):
    _set(session, False)


_ended = {}


def finalize(session=None, output_format=None):
    _set(session, False)
    for one in _sessions:
        one.flush()
        _ended[one.name] = one.rows
    _sessions.clear()
    _launch_hook(None)


def profile(*args, **kwargs):
    refuse('triton.profiler.profile(): start() and finalize() are there')


def rows_of(name):
    return _ended.get(name)
