# SPDX-License-Identifier: Apache-2.0
"""view.py PAGE [WHAT]: is what tern view says right? Costs are computed here from the addresses by a
rule of its own, addresses and programs by hand for kernels of which they are known, places of lines
from what 'tern show' prints."""
import json
import math
import re
import subprocess
import sys


def read(path):
    text = open(path, encoding="utf-8").read()
    assert "<!--DATA-->" not in text and text.count("</script>") == 2 and text.rstrip().endswith("</html>")
    assert not re.search(r'(src|href)="|url\(|@import|\bfetch\(|https?://(?!www\.w3\.org/2000/svg)',
                         re.sub(r'<script type="application/json".*?</script>', "", text, flags=re.S))
    inside = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1)

    def once(pairs):
        assert len(dict(pairs)) == len(pairs)
        return dict(pairs)
    return json.loads(inside, object_pairs_hook=once, parse_constant=lambda word: 1 / 0)


def touches(request):
    """[(lane, address)]"""
    lanes = [i for i in range(32) if request[3] >> i & 1]
    if isinstance(request[7], list):
        assert len(request) == 8 and len(request[7]) == len(lanes)
        return list(zip(lanes, request[7]))
    return [(lane, request[7] + request[8] * (lane - lanes[0])) for lane in lanes]


def waves(touched, size):
    """Of accesses of up to 4 bytes a lane: each word of a bank takes a turn."""
    words = {at // 4 for _, at in touched}
    return max(sum(word % 32 == bank for word in words) for bank in range(32))


def check_costs(data):
    moved = {False: 0, True: 0}
    for request in data["requests"]:
        site, touched = data["sites"][request[0]], touches(request)
        moved[site["shared"]] += request[4]
        if site["shared"]:
            assert request[6] == -1 and all(0 <= at < 1 << 18 for _, at in touched)
            if site["bytes"] <= 4:
                assert request[4] == waves(touched, site["bytes"])
                assert request[5] == 1
            continue
        assert request[4] == len({at // 32 for _, at in touched})
        different = len({at // site["bytes"] for _, at in touched}) * site["bytes"]
        assert request[5] == math.ceil(different / 32)
        if request[6] >= 0:
            assert all(0 <= at <= data["tensors"][request[6]]["bytes"] - site["bytes"] for _, at in touched)
    if data["programs_shown"] == math.prod(data["grid"]):
        lines = data["counters"]["lines"]
        assert moved[False] == sum(line["global"]["sectors"] for line in lines)
        assert moved[True] == sum(line["shared"]["wavefronts"] for line in lines)


def check_lines(data):
    """Each line of PTX is of the line that the .loc before it names; IR's lines are those of show."""
    files, place = {}, None
    for line in data["ptx"]:
        text = line[0]
        if text.startswith(".file"):
            number, name = re.fullmatch(r'\.file (\d+) "(.*)"', text).groups()
            files[number] = [file["ptx"] for file in data["files"]].index(name)
        elif text.startswith("\t.loc "):
            _, file, number, _ = text.split()
            place = [files[file], int(number)]
            assert len(line) == 1
        else:
            assert line[1:] == (place if place and text != "}" else []), line
    for name in "before", "after", "sass":
        for line in data[name]:
            assert "loc(\"" not in line[0]
            assert len(line) == 1 or 1 <= line[2] <= len(data["files"][line[1]]["lines"]), line


def sites(data, kind, shared):
    return [i for i, site in enumerate(data["sites"]) if site["kind"] == kind and site["shared"] == shared]


def strided(data):
    """copy_strided, STRIDE 32, of 4096 elements: j = i % 128 * 32 + i // 128 of element i; a lane's
    neighbour is 32 elements away, in a sector of its own."""
    loads = {(r[1], r[2], k): touches(r) for k, r in enumerate(data["requests"]) if r[0] in sites(data, "load", False)}
    assert len(loads) == 128 and all(r[4] == 32 and r[5] == 4 for r in data["requests"])
    seen = set()
    for (program, _, _), touched in loads.items():
        places = [at // 4 for _, at in touched]
        assert len(places) == 32 and all(b - a == 32 for a, b in zip(places, places[1:]))
        elements = [place % 32 * 128 + place // 32 for place in places]
        assert all(element // 1024 == program for element in elements)
        seen.update(elements)
    assert seen == set(range(4096))
    line = [i for i, text in enumerate(data["files"][0]["lines"], 1) if "x + j" in text]
    assert all(data["ptx"][site["ptx"] - 1][2] == line[0] for site in data["sites"])


def gather(data):
    """transpose_gather: element i of a warp's store is v[i % 32 * 32 + i // 32], of one bank in eight lanes."""
    loads = [r for r in data["requests"] if r[0] in sites(data, "load", True)]
    words = [at // 4 for r in loads for _, at in touches(r)]
    assert sorted(words) == list(range(1024)) and all(r[4] == 8 and r[5] == 1 for r in loads)


def turned(data):
    assert all(r[4] == 1 for r in data["requests"] if data["sites"][r[0]]["shared"] and data["sites"][r[0]]["bytes"] <= 4)
    assert sum(r[4] for r in data["requests"] if data["sites"][r[0]]["shared"]) == 64


def hostile(data):
    (name,) = [file["name"] for file in data["files"] if "script" in file["name"]]
    lines = "\n".join(data["files"][0]["lines"])
    assert name.endswith("a'\"</script><b>\u00e9.py") and '"</script><img src=x>\x01' in lines and "<!--" in lines
    assert any(len(line) > 1 for line in data["before"]) and any(len(line) > 1 for line in data["ptx"])
    assert data["counters"]["lines"][-1]["line"] > 0
    (load,) = [r for r in data["requests"] if r[0] in sites(data, "load", False)]
    assert touches(load) == [(i, 4 * min(i, 30)) for i in range(32)]  # a row but for its last


def limited(data):
    assert 0 < data["programs_shown"] < 4
    of = [r[1] for r in data["requests"]]
    assert set(of) == set(range(data["programs_shown"])) and of.count(0) == len(of) / data["programs_shown"]


def ir(data):
    for name, stage in ("before", "ir:lower"), ("after", "ir"):
        shown = subprocess.run([sys.argv[3], "show", "kernels/softmax.py", "--stage", stage, "-t", "sm_90a", "--sig",
                                data["signature"]], stdout=subprocess.PIPE, check=True).stdout.decode()
        assert [line[0] for line in data[name]] == shown.splitlines()
        (store,) = [line for line in data[name] if line[0].strip().startswith("store ")]
        assert "tl.store" in data["files"][store[1]]["lines"][store[2] - 1]
        (reduce, _) = [line for line in data[name] if "reduce" in line[0]]
        assert data["files"][reduce[1]]["name"] == "<tern>/max.py" and "tl.reduce" in data["files"][reduce[1]]["lines"][reduce[2] - 1]


def sass(data):
    places = [line[2] for line in data["sass"] if len(line) > 1 and "STG" in line[0]]
    assert places and all("tl.store" in data["files"][0]["lines"][line - 1] for line in places) and not data["without_sass"]


def cuda(data):
    assert data["files"][0]["name"].endswith(".cu") and any(len(line) > 1 and "load" in line[0] for line in data["after"])
    assert [t["name"] for t in data["tensors"]] == ["in", "out"] and all(len({r[2] for r in data["requests"]}) == 2 for _ in "1")


data = read(sys.argv[1])
check_costs(data)
check_lines(data)
for what in sys.argv[2:3]:
    globals()[what](data)
