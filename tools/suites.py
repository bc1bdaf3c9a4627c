#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""suites: the tests of public repositories of Triton kernels, unchanged, on tern (tern.as_triton).

    tools/suites.py FOLDER.. [--device cpu] [--files GLOB,..] [--keep REGEX] [--only FILE] [--every N]
        [--jobs N] [--parts N] [--limit S] [--file-limit S] [--time S] [--again] [--out FILE.json]

FOLDER is a checkout with pytest tests in test/ or tests/; its src/ and itself are on the path. Each file
is a process of its own, or with --parts N (where importing takes longest) all files are dealt out to N;
one that crashes or hangs takes no other with it, and is begun again behind the test that it hung in.
--only takes the tests that FILE names, one a line, --every N each Nth test of a file; --limit is a
test's time, --time that of all. --again: what failed runs once more when all is done, one process at a
time, and where it fails again, once more on Triton itself (--device triton; without a GPU its
interpreter): whose the failure is. The table is by file, then each failure with its words. A tool for people, not a test.
"""
import argparse
import collections
import fnmatch
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.abspath(__file__)


# ---- the process that runs one file ----

class Plugin:
    """Writes a line of JSON when a test begins and when it ends: nothing is lost with the process."""

    def __init__(self, job):
        self.job, self.out, self.began = job, open(job["log"], "a", encoding="utf-8"), 0

    def say(self, **what):
        self.out.write(json.dumps(what) + "\n")
        self.out.flush()

    def pytest_collection_modifyitems(self, config, items):
        keep = re.compile(self.job["keep"]) if self.job["keep"] else None
        items[:] = [item for item in items if not keep or keep.search(item.nodeid)]
        if self.job["only"]:
            items[:] = [item for item in items if item.nodeid in set(self.job["only"])]
        items[:] = items[::self.job["every"]]
        passed = set(self.job["done"])
        items[:] = [item for item in items if item.nodeid not in passed]
        self.say(count=len(items))

    def pytest_collectreport(self, report):
        if report.failed:
            self.say(test=report.nodeid or self.job["files"][0], outcome="import", words=last(report))

    def pytest_runtest_logstart(self, nodeid, location):
        self.began = time.time()
        self.say(test=nodeid, outcome="began")
        signal.alarm(self.job["limit"])

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            words = "" if report.passed else last(report)
            took = "time" if "Slow:" in words else report.outcome
            self.say(test=report.nodeid, outcome=took, words=words,
                     seconds=round(time.time() - self.began, 2))

    def pytest_runtest_logfinish(self, nodeid, location):
        signal.alarm(0)


def last(report):
    """The words of what was raised, and where."""
    text = report.longreprtext if hasattr(report, "longreprtext") else str(report.longrepr)
    raised = [line[2:].strip() for line in text.splitlines() if line.startswith("E ")]
    where = next((line for line in reversed(text.splitlines()) if re.match(r"\S+:\d+: ", line)), "")
    return " | ".join([" / ".join(raised)[:400] or text[-300:], where])


class Slow(Exception):
    pass


def slow(number, frame):
    raise Slow("the test's time is over")


def run_file(job):
    signal.signal(signal.SIGALRM, slow)
    if job["device"] != "triton":
        import tern
        tern.as_triton(job["device"])
    import pytest
    return pytest.main(["-q", "-p", "no:cacheprovider", "-o", "log_cli=false",
                        "--continue-on-collection-errors",
                        "-W", "ignore", "--no-header", *job["files"]], plugins=[Plugin(job)])


# ---- the one that starts them ----

class Part:
    """Files of tests on one device, in one process, and what is known of them so far."""

    def __init__(self, folder, files, options, device, only=()):
        self.folder, self.files, self.options, self.device = folder, files, options, device
        self.only, self.done, self.tries, self.process = list(only), {}, 0, None
        self.count = None
        more = f" and {len(files) - 1} more" if len(files) > 1 else ""
        self.name = os.path.join(os.path.basename(folder), files[0]) + more

    def start(self, until):
        handle, self.log = tempfile.mkstemp(suffix=".jsonl")
        os.close(handle)
        o = self.options
        job = {"files": self.files, "device": self.device, "log": self.log, "keep": o.keep,
               "every": 1 if self.only else o.every, "only": self.only, "limit": o.limit,
               "done": list(self.done)}
        path = [os.path.join(self.folder, "src"), self.folder, os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path), "TRITON_ALWAYS_COMPILE": "0",
                       "TERN_TUNE": os.environ.get("TERN_TUNE", "0"), "OMP_NUM_THREADS": str(o.threads),
                       "PYTHONHASHSEED": "0"}
        if self.device == "triton" and not o.has_gpu:
            environment["TRITON_INTERPRET"] = "1"
        self.words = tempfile.TemporaryFile("w+")
        self.until = min(time.time() + o.file_limit, until)
        self.process = subprocess.Popen([sys.executable, HERE, "--job", json.dumps(job)], cwd=self.folder,
                                        env=environment, stdout=self.words, stderr=subprocess.STDOUT,
                                        start_new_session=True)

    def ended(self):
        """Whether it is over, and nothing is left to begin again."""
        timed_out = time.time() > self.until
        if self.process.poll() is None and not timed_out and not self.hangs():
            return False
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        running = self.read()
        code, self.process = self.process.returncode, None
        if running and not timed_out:
            how = "time" if code == -9 else "crash"
            self.done[running] = {"outcome": how, "words": f"the process ended by {code}"}
            self.tries += 1
            if self.tries < 5:
                return None
        if self.count is None and not self.done and not timed_out:
            self.words.seek(0)
            text = self.words.read().strip().splitlines()[-1:] or [f"ended by {code}"]
            self.done[self.files[0]] = {"outcome": "import", "words": text[0][:300]}
        return True

    def hangs(self):
        # The alarm is not heard within a long call of C.
        return time.time() - os.path.getmtime(self.log) > 3 * self.options.limit + 60

    def read(self):
        running = None
        with open(self.log, encoding="utf-8") as file:
            for line in file:
                one = json.loads(line)
                if "count" in one:
                    self.count = (self.count or 0) if self.tries else one["count"]
                elif one["outcome"] == "began":
                    running = one["test"]
                else:
                    running = None if one["test"] == running else running
                    before = self.done.get(one["test"], {}).get("outcome")
                    if before in (None, "passed"):
                        self.done[one["test"]] = one
        os.remove(self.log)
        return running


def run_all(files, jobs, until):
    waiting, running = collections.deque(files), []
    while (waiting and time.time() < until) or running:
        while waiting and len(running) < jobs and time.time() < until:
            running.append(waiting.popleft())
            running[-1].start(until)
        time.sleep(0.1)
        for file in list(running):
            over = file.ended()
            if over is None:
                file.start(until)
            elif over:
                running.remove(file)
                shown = collections.Counter(one["outcome"] for one in file.done.values())
                print(f"{file.name} on {file.device}: {dict(shown)} of {file.count}", flush=True)
    return [file.name for file in waiting]


BAD = ("failed", "error", "time", "crash", "import")


def of_tests(tests):
    return sorted({name.partition("::")[0] for name in tests})


def judge(files, options, until):
    """Failures run again, alone, and on Triton. Returns {(file, test): words}."""
    again = []
    for file in files:
        tests = [name for name, one in file.done.items() if one["outcome"] in BAD[:4]]
        if tests:
            again.append(Part(file.folder, of_tests(tests), options, file.device, tests))
            again[-1].name = file.name
    run_all(again, 1, until)
    theirs = []
    for file in again:
        first = next(one for one in files if one.name == file.name)
        for name, one in file.done.items():
            if one["outcome"] == "passed" and name in first.done:
                first.done[name] = {**one, "words": "passed alone; " + first.done[name]["words"]}
        tests = [name for name, one in file.done.items() if one["outcome"] in BAD[:4]]
        if tests:
            theirs.append(Part(file.folder, of_tests(tests), options, "triton", tests))
            theirs[-1].name = file.name
    run_all(theirs, 2, until)
    return {(file.name, name): f"{one['outcome']}: {one['words']}"
            for file in theirs for name, one in file.done.items()}


def found(folder, glob):
    for top in ("tests", "test"):
        for place, _, names in sorted(os.walk(os.path.join(folder, top))):
            for name in sorted(names):
                path = os.path.relpath(os.path.join(place, name), folder)
                if name.startswith("test_") and name.endswith(".py") and any(
                        fnmatch.fnmatch(path, one) for one in glob.split(",")):
                    yield path


def report(files, left, theirs, out):
    total, by_file = collections.Counter(), collections.defaultdict(collections.Counter)
    for file in files:
        total.update(one["outcome"] for one in file.done.values())
        for name, one in file.done.items():
            by_file[name.partition("::")[0]][one["outcome"]] += 1
        if file.count is not None:
            total["not run"] += max(file.count - len(file.done), 0)
    print("\n-- by file")
    for name, counts in sorted(by_file.items()):
        print(f"{name}: " + ", ".join(f"{n} {word}" for word, n in sorted(counts.items())))
    print("\n-- failures")
    for file in files:
        for name, one in file.done.items():
            if one["outcome"] in BAD:
                print(f"{one['outcome']}: {name}\n    {one['words']}")
                if (file.name, name) in theirs:
                    print(f"    Triton: {theirs[file.name, name][:200]}")
    print("\n-- total", dict(total), "files not begun:", left)
    if out:
        with open(out, "w", encoding="utf-8") as stream:
            json.dump({"files": {f.name: {"count": f.count, "device": f.device, "tests": f.done}
                                 for f in files},
                       "triton": [[*key, words] for key, words in theirs.items()]}, stream, indent=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--files", default="*")
    parser.add_argument("--keep", default="")
    parser.add_argument("--out")
    parser.add_argument("--only")
    parser.add_argument("--job")
    parser.add_argument("--again", action="store_true")
    for name, value in (("every", 1), ("jobs", 2), ("parts", 0), ("limit", 30), ("file-limit", 300), ("time", 3600),
                        ("threads", 1)):
        parser.add_argument(f"--{name}", type=int, default=value)
    options = parser.parse_args()
    if options.job:
        return run_file(json.loads(options.job))
    only = open(options.only, encoding="utf-8").read().splitlines() if options.only else []
    options.has_gpu = os.path.exists("/dev/nvidiactl")
    began = time.time()
    files = []
    for folder in options.folders:
        names = [name for name in found(folder, options.files) if not only or name in of_tests(only)]
        groups = [names[k::options.parts] for k in range(min(options.parts, len(names)))]
        files += [Part(os.path.abspath(folder), group, options, options.device, only)
                  for group in groups or [[name] for name in names]]
    left = run_all(files, options.jobs, began + options.time * (0.75 if options.again else 1))
    theirs = judge(files, options, began + options.time) if options.again else {}
    report(files, left, theirs, options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
