# SPDX-License-Identifier: Apache-2.0
"""The rules of the importers of traces: strict JSON, slices of a track nest, none is shorter than 1 ns, both ends of an
arrow begin with a slice that stands before them, and an arrow has two ends.

    lint.py TRACE.json [ARROWS]        ARROWS: so many there are; default: any number

An event is a line, so that a trace of a GB is read in the memory that its times take.
"""
import array
import bisect
import gzip
import json
import sys


def nanoseconds(us):
    return round(us * 1000)


def strict(text):
    return json.loads(text, parse_constant=lambda constant: 1 / 0)


def events(path):
    """One by one; that the lines are a JSON text together is checked on the way."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        head = file.readline().decode("utf-8")
        assert strict(head + "]}")["schemaVersion"] == 1, head
        for line in file:
            text = line.decode("utf-8").rstrip("\n")
            yield strict(text.removesuffix(","))
            if not text.endswith(","):
                break
        assert file.read() == b"]}\n", "not the end"


class Track:
    """Slices, as they come."""
    def __init__(self):
        self.starts, self.ends = array.array("q"), array.array("q")

    def add(self, start, end):
        self.starts.append(start)
        self.ends.append(end)

    def sort(self):
        """By start, the longer first; mostly they came so."""
        starts, ends = self.starts, self.ends
        if any(starts[i] > starts[i + 1] or starts[i] == starts[i + 1] and ends[i] < ends[i + 1] for i in range(len(starts) - 1)):
            order = sorted(range(len(starts)), key=lambda i: (starts[i], -ends[i]))
            self.starts, self.ends = (array.array("q", (side[i] for i in order)) for side in (starts, ends))

    def check(self):
        """They nest."""
        self.sort()
        open_ends = []
        for start, end in zip(self.starts, self.ends):
            while open_ends and open_ends[-1] <= start:
                open_ends.pop()
            assert not open_ends or end <= open_ends[-1] + 1, (start, end, open_ends)
            open_ends.append(end)

    def has(self, start):
        """Once they are in order."""
        at = bisect.bisect_left(self.starts, start)
        return at < len(self.starts) and self.starts[at] == start


def lint(path, see=lambda e: None):
    """How many slices and arrows there are; see is given each slice."""
    tracks, arrows, count, last = {}, {}, 0, None
    for e in events(path):
        last = e
        if e["ph"] == "X":
            assert not arrows, "slices stand before arrows"
            start, end = nanoseconds(e["ts"]), nanoseconds(e["ts"] + e["dur"])
            assert end > start >= 0 and e["pid"] >= 0 and e["tid"] >= 0 and e["cat"], e
            tracks.setdefault((e["pid"], e["tid"]), Track()).add(start, end)
            count += 1
            see(e)
        elif e["ph"] in "sf":
            assert type(e["id"]) is int and e["cat"] == e["name"] == "ac2g" and (e["ph"] == "s" or e["bp"] == "e"), e
            arrows.setdefault(e["id"], []).append((e["ph"], nanoseconds(e["ts"]), (e["pid"], e["tid"])))
        else:
            assert e["ph"] in ("M", "i", "C"), e
    assert last["name"] == "Record Window End" and last["ph"] == "i"
    for track in tracks.values():
        track.check()
    for ends in arrows.values():
        assert [phase for phase, _, _ in ends] == ["s", "f"] and ends[0][1] <= ends[1][1], ends
        assert all(tracks[track].has(start) for _, start, track in ends), ends
    return count, len(arrows)


if __name__ == "__main__":
    found, count = lint(sys.argv[1])
    assert found and (len(sys.argv) < 3 or count == int(sys.argv[2])), f"{count} arrows"
    print(f"lint.py: {found} slices, {count} arrows")
