# SPDX-License-Identifier: Apache-2.0
# contextlib, as far as files about kernels use it: what it means in Python 3.11.
import functools


class AbstractContextManager:
    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        return None


class _GeneratorContextManager(AbstractContextManager):
    def __init__(self, func, args, kwds):
        self.gen = func(*args, **kwds)
        self.func = func
        self.args = args
        self.kwds = kwds

    def __enter__(self):
        try:
            return next(self.gen)
        except StopIteration:
            raise RuntimeError("generator didn't yield") from None

    def __exit__(self, exc_type, exc_value, traceback):
        if exc_type is None:
            try:
                next(self.gen)
            except StopIteration:
                return False
            self.gen.close()
            raise RuntimeError("generator didn't stop")
        try:
            self.gen.throw(exc_value)
        except StopIteration as error:
            return error is not exc_value
        except BaseException as error:
            if error is exc_value:
                return False
            raise
        self.gen.close()
        raise RuntimeError("generator didn't stop after throw()")

    # As a decorator: a new one for each call.
    def __call__(self, func):
        @functools.wraps(func)
        def inner(*args, **kwds):
            with _GeneratorContextManager(self.func, self.args, self.kwds):
                return func(*args, **kwds)
        return inner


def contextmanager(func):
    @functools.wraps(func)
    def helper(*args, **kwds):
        return _GeneratorContextManager(func, args, kwds)
    return helper


class closing(AbstractContextManager):
    def __init__(self, thing):
        self.thing = thing

    def __enter__(self):
        return self.thing

    def __exit__(self, exc_type, exc_value, traceback):
        self.thing.close()


class suppress(AbstractContextManager):
    def __init__(self, *exceptions):
        self._exceptions = exceptions

    def __exit__(self, exc_type, exc_value, traceback):
        return exc_type is not None and issubclass(exc_type, self._exceptions)


class nullcontext(AbstractContextManager):
    def __init__(self, enter_result=None):
        self.enter_result = enter_result

    def __enter__(self):
        return self.enter_result


class ExitStack(AbstractContextManager):
    def __init__(self):
        self._exits = []

    def push(self, exit):
        self._exits.append(exit.__exit__ if hasattr(exit, '__exit__') else exit)
        return exit

    def enter_context(self, cm):
        result = cm.__enter__()
        self._exits.append(cm.__exit__)
        return result

    def callback(self, callback, *args, **kwds):
        self._exits.append(lambda *exc: callback(*args, **kwds) and False)
        return callback

    def pop_all(self):
        other = ExitStack()
        other._exits, self._exits = self._exits, []
        return other

    def close(self):
        self.__exit__(None, None, None)

    def __exit__(self, exc_type, exc_value, traceback):
        exc, suppressed = exc_value, False
        while self._exits:
            leave = self._exits.pop()
            try:
                if leave(None if exc is None else type(exc), exc, traceback):
                    suppressed, exc = exc is not None, None
            except BaseException as error:
                suppressed, exc = False, error
        if exc is not None and exc is not exc_value:
            raise exc
        return suppressed and exc is None
