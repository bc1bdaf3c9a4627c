#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long the cpu device takes from source to a function that can be called, for large kernels.

    tools/bench_compile.py [--library build/libtern.so] [--base OTHER.so] [--largest 22] [--samples 3]
                           [--root FOLDER] LIST..

A LIST is what build/tools/corpus --list writes; --root is the folder that its paths are relative to. Of
the kernels that compile, those with the longest C texts are compiled without a cache, taking turns with
--base, another build of the library. A row has the least of the samples: the wall time, the CPU time of
the C compilers, and their critical path: the longest of those that run at the same time, and those that
run alone. That is what wall time is where enough cores are idle, and other work touches it less.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Notes the CPU time of each run of the C compiler, and whether it made a part or linked them.
COMPILER = """#!/usr/bin/env python3
import os, resource, subprocess, sys
code = subprocess.call(["%s"] + sys.argv[1:])
use = resource.getrusage(resource.RUSAGE_CHILDREN)
with open("%s", "a") as log:
    log.write("%%d %%f\\n" %% ("-c" in sys.argv, use.ru_utime + use.ru_stime))
sys.exit(code)
"""
# In a process of its own: the library, the compiler, file, kernel, signature.
CHILD = """
import sys, time
sys.path.insert(0, %r)
import tern_ctypes
library, cache, path, function, signature = sys.argv[1:]
tern = tern_ctypes.Tern(library, "cpu", cache_dir=cache)
start = time.perf_counter()
tern.compile(path, function, signature)
print(time.perf_counter() - start)
""" % os.path.join(ROOT, "tools")


def kernels(lists, root):
    for name in lists:
        for line in open(name):
            found = re.match(r"compiled (.*):(\d+):(\w+): \t(.*)", line)
            if found:
                path, number, function, signature = found.groups()
                yield os.path.join(root, path), function + "@" + number, signature


def text_bytes(tern, kernel):
    path, function, signature = kernel
    shown = subprocess.run([tern, "show", path + ":" + function, "--sig", signature, "--stage", "c"],
                           capture_output=True)
    return 0 if shown.returncode else len(shown.stdout)


def compile_once(library, kernel, folder):
    log, compiler = os.path.join(folder, "log"), os.path.join(folder, "cc")
    open(log, "w").close()
    with tempfile.TemporaryDirectory(dir=folder) as cache:
        done = subprocess.run([sys.executable, "-c", CHILD, library, cache, *kernel], text=True,
                              capture_output=True, env=dict(os.environ, TERN_CC=compiler))
    if done.returncode:
        return None
    runs = [line.split() for line in open(log)]
    parts = [float(seconds) for is_part, seconds in runs if is_part == "1"]
    alone = [float(seconds) for is_part, seconds in runs if is_part == "0"]
    return float(done.stdout), sum(parts + alone), max(parts, default=0) + sum(alone), len(parts) or 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lists", nargs="+")
    parser.add_argument("--library", default=os.path.join(ROOT, "build", "libtern.so"))
    parser.add_argument("--tern", default=os.path.join(ROOT, "build", "tern"))
    parser.add_argument("--base")
    parser.add_argument("--root", default=".")
    parser.add_argument("--largest", type=int, default=22)
    parser.add_argument("--samples", type=int, default=3)
    options = parser.parse_args()
    libraries = [options.base] * bool(options.base) + [options.library]
    found = {}
    for kernel in kernels(options.lists, options.root):
        size = text_bytes(options.tern, kernel)
        found.setdefault((size, kernel[1].split("@")[0]), kernel)  # a copy of a file is no kernel more
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        compiler = os.path.join(folder, "cc")
        with open(compiler, "w") as script:
            script.write(COMPILER % (os.environ.get("CC", "cc"), os.path.join(folder, "log")))
        os.chmod(compiler, 0o755)
        print("%-44s %7s" % ("kernel", "bytes") + "   wall   cpu  path parts" * len(libraries))
        for (size, name), kernel in sorted(found.items(), reverse=True)[:options.largest]:
            samples = [[compile_once(library, kernel, folder) for library in libraries]
                       for _ in range(options.samples)]
            if any(sample is None for turn in samples for sample in turn):
                print("%-44s %7d does not compile" % (name[:44], size))
                continue
            row = [tuple(map(min, zip(*[turn[k] for turn in samples]))) for k in range(len(libraries))]
            rows.append(row)
            print("%-44s %7d" % (name[:44], size) + "".join(" %6.2f %5.2f %5.2f %5d" % r for r in row),
                  flush=True)
    for name, of in (("worst", max), ("median", statistics.median)):
        print("%-52s" % name + "".join(" %6.2f %5.2f %5.2f %5s" %
              (*[of([row[k][i] for row in rows]) for i in range(3)], "") for k in range(len(libraries))))


main()
