# SPDX-License-Identifier: Apache-2.0
"""Meta's Holistic Trace Analysis reads a trace of tern's as one of Kineto's: kernels, copies, streams, and from which
call of the driver each came. Called by test/unit/cuda_cupti.c; exits 77 where HTA is not installed, or not usable.

    hta.py TRACE.json
"""
import json
import os
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")
sys.path = [folder for folder in sys.path if folder and os.path.abspath(folder) != os.path.dirname(os.path.abspath(__file__))]
try:
    import pandas
    if int(pandas.__version__.split(".")[0]) > 2:
        raise ImportError("HTA 0.5 fails with pandas 3: it stores row numbers in 8 bits")
    from hta.trace_analysis import TraceAnalysis
except ImportError as error:
    print(f"hta.py: {error}")
    sys.exit(77)

trace = json.load(open(sys.argv[1]))
slices = [event for event in trace["traceEvents"] if event["ph"] == "X"]
kernels = [event for event in slices if event["cat"] == "kernel"]
device = [event for event in slices if event["cat"] in ("kernel", "gpu_memcpy", "gpu_memset")]
with tempfile.TemporaryDirectory() as folder:
    json.dump({**trace, "distributedInfo": {"rank": 0}}, open(os.path.join(folder, "0.json"), "w"))
    analysis = TraceAnalysis(trace_dir=folder)

kinds, names = analysis.get_gpu_kernel_breakdown(visualize=False)
sums = dict(zip(names["name"], names["sum (us)"]))
for name in {event["name"] for event in kernels}:
    ours = [event["dur"] for event in kernels if event["name"] == name]
    assert abs(sums[name] - sum(ours)) <= len(ours), (name, sums[name], sum(ours))  # it counts in whole us
print(kinds.to_string(index=False))

table, symbols = analysis.t.get_trace(0), analysis.t.symbol_table.sym_table
assert len(table) >= len(slices) - 1 and set(table["stream"]) - {-1} == {event["args"]["stream"] for event in device}
rows = table[table["stream"] >= 0]
assert len(rows) == len(device)
launches = 0
for _, row in rows.iterrows():
    call = table.loc[row["index_correlation"]]
    assert symbols[call["name"]].startswith("cu") and call["stream"] == -1, symbols[call["name"]]
    assert call["ts"] <= row["ts"] + 1
    launches += symbols[call["name"]] == "cuLaunchKernel"
assert launches == len(kernels) > 0
idle = analysis.get_idle_time_breakdown(ranks=[0], visualize=False)[0]
assert idle["idle_time"].sum() >= 0
print(f"hta.py: {len(device)} of the device, {launches} launches")
