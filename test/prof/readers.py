# SPDX-License-Identifier: Apache-2.0
"""Others read a trace of tern's: all its slices, all its arrows, no warning and no error.

    readers.py TRACE.json

Perfetto's trace processor, where there is one (TERN_TRACE_PROCESSOR, or trace_processor_shell on PATH; no package of
PyPI, npm or Debian has it). The importer of chrome://tracing (Catapult), which the package torch_tb_profiler of PyPI
carries, in a headless Chromium (TERN_CHROMIUM, or on PATH). Exits 77 where none of them is here.
"""
import html
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

# What the page has of elements is of no use here, and wants an old browser: these stand for it.
STAND_INS = """window.Polymer = () => () => document.createElement("div");
Polymer.dom = e => e; Polymer.Base = {}; Polymer.Settings = {}; Polymer.Element = class {};
document.registerElement = () => function() {}; Object.defineProperty(document, "_currentScript", {value: {ownerDocument: document}});"""
IMPORT = """try {
  const model = new tr.Model(), options = new tr.importer.ImportOptions();
  options.shiftWorldToZero = false;
  new tr.importer.Import(model, options).importTraces([JSON.stringify(%s)]);
  const slices = [...model.getDescendantEvents()].filter(e => e instanceof tr.model.Slice || e instanceof tr.model.ThreadSlice);
  document.documentElement.dataset.got = JSON.stringify({slices: slices.length, arrows: model.flowEvents.length,
    wrong: model.importWarnings.map(w => w.type + ": " + w.message)});
} catch (error) { document.documentElement.dataset.got = JSON.stringify({wrong: [String(error.stack)]}); }"""
QUERY = """select (select count(*) from slice) || ' ' || (select count(*) from flow) || ' ' ||
(select ifnull(group_concat(name), '') from stats where severity = 'error' and value > 0) as got;
"""


def by_catapult(path, folder):
    package = importlib.util.find_spec("torch_tb_profiler")
    browser = os.environ.get("TERN_CHROMIUM") or next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome"))), None)
    page = package and os.path.join(os.path.dirname(package.origin), "static", "trace_viewer_full.html")
    if not browser or not page or not os.path.exists(page):
        return None
    viewer = open(page, encoding="utf-8").read()
    code = viewer[viewer.index("const global=this.window||this.global;this.tr="):viewer.rindex("</script>")]
    trace = open(path, encoding="utf-8").read().replace("</", "<\\/")
    own = os.path.join(folder, "page.html")
    with open(own, "w", encoding="utf-8") as out:
        out.write("<!doctype html><meta charset=utf-8><body><script>" + "</script><script>".join((STAND_INS, code, IMPORT % trace)) + "</script>")
    done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/browser", "--dump-dom", "file://" + own],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=100, text=True)
    got = re.search(r'data-got="([^"]*)"', done.stdout)
    return json.loads(html.unescape(got.group(1))) if got else {"wrong": ["the page says nothing"]}


def by_perfetto(path, folder):
    program = os.environ.get("TERN_TRACE_PROCESSOR") or shutil.which("trace_processor_shell")
    if not program:
        return None
    query = os.path.join(folder, "query.sql")
    with open(query, "w") as out:
        out.write(QUERY)
    done = subprocess.run([program, "-q", query, path], capture_output=True, timeout=100, text=True)
    got = re.search(r'^"?(\d+) (\d+) ([^"\n]*)"?$', done.stdout, re.M)
    if done.returncode or not got:
        return {"wrong": [f"exit code {done.returncode}: {done.stdout}{done.stderr}"]}
    return {"slices": int(got.group(1)), "arrows": int(got.group(2)), "wrong": got.group(3).split(",") if got.group(3) else []}


events = json.load(open(sys.argv[1], encoding="utf-8"))["traceEvents"]
want = {"slices": sum(e["ph"] == "X" for e in events), "arrows": sum(e["ph"] == "s" for e in events), "wrong": []}
readers = 0
with tempfile.TemporaryDirectory() as folder:
    for name, read in (("Catapult", by_catapult), ("Perfetto", by_perfetto)):
        got = read(sys.argv[1], folder)
        if got is None:
            continue
        readers += 1
        print(f"readers.py: {name}: {got}")
        if got != want:
            sys.exit(f"readers.py: the trace has {want}")
sys.exit(0 if readers else 77)
