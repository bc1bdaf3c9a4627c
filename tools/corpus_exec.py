#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""corpus_exec: how many of other people's CUDA programs run?

    corpus_exec.py FOLDER-OR-FILE .. [--device D] [--host c++] [--limit SECONDS] [--jobs N] [--tern PATH] [-v]

Runs `tern exec` on each .cu file with a `main`, in its folder, with the arguments that the Makefile
beside it gives (the last of several, which is how often it repeats, made 2), the other sources that
it names, and folders of headers above it searched. Counts how they end: `ran` with exit code 0,
`wrong` if what it printed says that it failed; `nonzero`, the program's own; `refused` by name (exit code 3); `error`, in the source as tern reads
it (2); `stopped` at an access or by a kernel (1 and 4, with a place); `late`, still running at the
limit of processor time; `crashed`. Then what was said first, most frequent first."""

import argparse
import concurrent.futures
import math
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter

HEADERS = ("include", "inc", "common", "Common", "utils", "src")


MAIN = re.compile(r"\bmain\s*\([^;]*\)\s*\{")


def programs(paths):
    for path in paths:
        walk = os.walk(path) if os.path.isdir(path) else [(os.path.dirname(path), [], [os.path.basename(path)])]
        for folder, folders, files in walk:
            folders.sort()
            for name in sorted(files):
                if name.endswith(".cu"):
                    with open(os.path.join(folder, name), errors="replace") as file:
                        text = file.read()
                    if MAIN.search(text):
                        yield os.path.join(folder, name)


def read(path):
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def arguments(makefile):
    run = re.search(r"^run:.*\n\t(.*)", makefile, re.M)
    words = re.sub(r"^.*?\./\S+", "", run.group(1)).split() if run else []
    words = [word for word in words if not re.search(r"[|;&<>$]", word)]
    if words and len(words) > 1 - words[0].isdigit() and words[-1].isdigit():
        words[-1] = str(min(int(words[-1]), 2))
    return words


def smaller(words, most):
    """Sizes of a program for a GPU, halved until they are for a processor."""
    made = []
    for word in words:
        if word.isdigit() and most:
            size = int(word)
            while size > most:
                size //= 2
            word = str(size)
        made.append(word)
    return made


def others(makefile, path):
    """More sources of the program: those below its folder that the Makefile names, without a main."""
    made = re.sub(r"\\\n", " ", makefile)
    words = re.findall(r"^\s*(?:source|sources|SRC|SRCS|SOURCES?)\s*[:+]?=(.*)", made, re.M)
    cmake = read(f"{os.path.dirname(os.path.abspath(path))}/CMakeLists.txt")
    if not words: words = re.findall(r"add_executable\(\w+([^)]*)\)", cmake)[:1]
    names = [name for line in words for name in line.split() if re.search(r"\.(cu|cpp|cc|cxx|c)$", name)]
    folder = os.path.dirname(os.path.abspath(path))
    return [
        name for name in dict.fromkeys(names) if name != os.path.basename(path) and not name.startswith(("/", ".."))
        and os.path.exists(f"{folder}/{name}") and not re.search(r"\bmain\s*\(", read(f"{folder}/{name}"))
    ]


def folders_above(path, roots):
    """Folders that a project's own build gives as -I."""
    found, up = [], os.path.dirname(os.path.abspath(path))
    while up != "/":
        found += [f"{up}/{name}" for name in HEADERS if os.path.isdir(f"{up}/{name}")]
        if up in roots:
            break
        up = os.path.dirname(up)
    return found


def first_words(text):
    """What is wrong, not what it stops: the last of `the kernel 'k' is not compiled:` and its like."""
    said = ""
    for line in text.splitlines():
        for mark in ("not supported: ", ": error: ", "error: "):
            if mark in line and (not said or said.endswith(":")):
                said = line.split(mark, 1)[1].strip()[:150]
                break
    if said:
        return said
    return (text.strip().splitlines() or ["nothing said"])[-1][:150]


def prepare(options):
    """Before the program: its limit is the processor's time, so that what runs beside it does not count;
    with --pin a core of its own, so that programs beside each other do not share all."""
    def limited():
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(options.limit),) * 2)
    if not options.pin:
        return limited
    cores, worker = sorted(os.sched_getaffinity(0)), threading.current_thread().name.rsplit("_", 1)[-1]
    core = cores[int(worker) % len(cores)]
    return lambda: (limited(), os.sched_setaffinity(0, {core}))


def run(path, options, roots):
    folder = os.path.dirname(os.path.abspath(path))
    makefile = read(f"{folder}/Makefile")
    command = [os.path.abspath(options.tern), "exec", "--device", options.device]
    command += ["--host", options.host] if options.host else []
    includes = [f"{folder}/{word}" for word in re.findall(r"-I\s*([^\s$]+)", makefile)] + folders_above(path, roots)
    for name in includes:
        command += ["-I", name] if os.path.isdir(name) else []
    for macro in dict.fromkeys(re.findall(r"\s-D\s*([A-Za-z_]\w*(?:=[^\s$]+)?)(?=\s|$)", makefile)):
        command += ["-D", macro]
    for name in others(makefile, path):
        command += ["--with", f"{folder}/{name}"]
    command += [os.path.abspath(path), "--", *smaller(arguments(makefile), options.most)]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            code = subprocess.run(
                command, preexec_fn=prepare(options), stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=folder, timeout=options.limit * 10
            ).returncode
        except subprocess.TimeoutExpired:
            code = None
        err.seek(0)
        out.seek(0)
        said, printed = err.read(1 << 20).decode(errors="replace"), out.read(1 << 20).decode(errors="replace")
    is_terns = ": error: " in said or "not supported: " in said or said.startswith("error:")
    if code is None or code in (-signal.SIGKILL, -signal.SIGXCPU):
        return "late", ""
    if code == 0:
        failed = re.search(r"^.*(?:\bFAIL(?:ED|URE)?\b|[Mm]ismatch|[Ii]ncorrect|INCORRECT).*$", printed, re.M)
        return ("wrong", failed.group(0).strip()[:150]) if failed else ("ran", "")
    if code < 0:
        return "crashed", f"signal {-code}"
    if is_terns and code in (1, 2, 3, 4):
        return {1: "stopped", 2: "error", 3: "refused", 4: "stopped"}[code], first_words(said)
    return "nonzero", f"exit code {code}: {(said + printed).strip().splitlines()[-1:]}"[:150]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--host")
    parser.add_argument("--most", type=int, default=0, help="numbers among arguments are halved until they are as small")
    parser.add_argument("--every", type=int, default=1, help="try each N-th program alone")
    parser.add_argument("--pin", action="store_true", help="each program has one core")
    parser.add_argument("--limit", type=float, default=20, help="seconds of the processor; ten times as many of a clock")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--tern", default=os.environ.get("TERN", "build/tern"))
    parser.add_argument("-v", action="store_true", dest="verbose")
    options = parser.parse_args()
    roots = [os.path.abspath(path) for path in options.paths]
    outcomes, reasons = Counter(), Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = list(programs(options.paths))[:: options.every]
        for path, (outcome, words) in zip(found, pool.map(lambda path: run(path, options, roots), found)):
            outcomes[outcome] += 1
            reasons[outcome, words] += outcome not in ("ran", "late")
            if options.verbose:
                print(f"{outcome} {path}: {words}", flush=True)
    print(f"{len(found)} programs: {', '.join(f'{n} {outcome}' for outcome, n in outcomes.most_common())}")
    for (outcome, words), n in reasons.most_common(60):
        print(f"{n:5} {outcome:8} {words}" if n else "", end="\n" if n else "")


if __name__ == "__main__":
    sys.exit(main())
