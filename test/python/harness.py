# SPDX-License-Identifier: Apache-2.0
"""The smallest harness for tests of the Python package: see launch.py for its use."""
import contextlib
import os
import shutil
import sys
import tempfile
import traceback

_counts = {"passed": 0, "failed": 0, "skipped": 0}
folder = tempfile.mkdtemp()


def check(what, holds, saw=None):
    _counts["passed" if holds else "failed"] += 1
    if not holds:
        print(f"FAILED {what}" + (f": saw {saw!r}" if saw is not None else ""))


def same(what, got, want):
    check(what, got == want, got)


def refuses(kind, words, call, *args, **keywords):
    """The call raises this class, and says these words. Returns the exception."""
    try:
        call(*args, **keywords)
    except kind as error:
        check(f"the words '{words}'", words in str(error), str(error))
        return error
    except Exception as error:  # of another class
        check(f"{kind.__name__}: {words}", False, error)
        return error
    check(f"{kind.__name__}: {words}", False, "nothing raised")
    return None


def have(module, tests):
    """The module, or None after its tests were counted as skipped."""
    with contextlib.suppress(ImportError):
        return __import__(module)
    _counts["skipped"] += tests
    print(f"skipped {tests}: {module} is not installed")
    return None


def write(name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def run(functions):
    """Runs them and ends the process with the summary."""
    for function in functions:
        try:
            function()
        except Exception:
            _counts["failed"] += 1
            print(f"FAILED {function.__name__}")
            traceback.print_exc(file=sys.stdout)
    shutil.rmtree(folder, ignore_errors=True)
    print(f"{sys.argv[0]}: " + ", ".join(f"{n} {word}" for word, n in _counts.items()))
    sys.exit(_counts["failed"] > 0)
