# SPDX-License-Identifier: Apache-2.0
"""The rules of the importers of traces: strict JSON, slices of a track nest, none is shorter than 1 ns, both ends of an
arrow begin with a slice that stands before them, and an arrow has two ends.

    lint.py TRACE.json [ARROWS]        ARROWS: so many there are; default: any number
"""
import gzip
import json
import sys


def nanoseconds(us):
    return round(us * 1000)


def read(path):
    data = gzip.open(path).read() if path.endswith(".gz") else open(path, "rb").read()
    return json.loads(data.decode("utf-8"), parse_constant=lambda constant: 1 / 0)


def lint(trace):
    """All slices, and how many arrows."""
    events = trace["traceEvents"]
    assert events[-1]["name"] == "Record Window End" and events[-1]["ph"] == "i" and trace["schemaVersion"] == 1
    slices, tracks, arrows = [], {}, {}
    for e in events:
        if e["ph"] == "X":
            start, end = nanoseconds(e["ts"]), nanoseconds(e["ts"] + e["dur"])
            assert end > start >= 0 and e["pid"] >= 0 and e["tid"] >= 0 and e["cat"], e
            tracks.setdefault((e["pid"], e["tid"]), []).append((start, -end))
            slices.append(e)
        elif e["ph"] in "sf":
            assert type(e["id"]) is int and e["cat"] == e["name"] == "ac2g" and (e["ph"] == "s" or e["bp"] == "e"), e
            assert any(start == nanoseconds(e["ts"]) for start, _ in tracks[e["pid"], e["tid"]]), e
            arrows.setdefault(e["id"], []).append((e["ph"], nanoseconds(e["ts"])))
        else:
            assert e["ph"] in ("M", "i", "C"), e
    for ends in arrows.values():
        assert [phase for phase, _ in ends] == ["s", "f"] and ends[0][1] <= ends[1][1], ends
    for track in tracks.values():
        open_ends = []
        for start, end in sorted(track):
            while open_ends and open_ends[-1] <= start:
                open_ends.pop()
            assert not open_ends or -end <= open_ends[-1] + 1, (start, -end, open_ends)
            open_ends.append(-end)
    return slices, len(arrows)


if __name__ == "__main__":
    found, count = lint(read(sys.argv[1]))
    assert found and (len(sys.argv) < 3 or count == int(sys.argv[2])), f"{count} arrows"
    print(f"lint.py: {len(found)} slices, {count} arrows")
