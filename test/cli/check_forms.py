# SPDX-License-Identifier: Apache-2.0
"""The forms of `tern check`, read by readers that are not ours.

    check_forms.py TERN
"""
import json
import subprocess
import sys

NO_MASK = ["test/check/no_mask.py", "-a", "n=1024", "-a", "x=randn(n)", "-a", "y=empty(n)", "-a", "BLOCK=256",
           "--grid", "cdiv(n,BLOCK)"]
ADVICE = ["test/check/loaded_in_vain.py", *NO_MASK[1:]]
GOOD = ["kernels/gelu.py", "-a", "n=1000", "-a", "x_ptr=randn(n)", "-a", "out_ptr=empty(n)", "-a", "BLOCK=256",
        "--grid", "cdiv(n,BLOCK)"]


def run(arguments, *more):
    done = subprocess.run([sys.argv[1], "check", *arguments, *more], capture_output=True, text=True)
    return done.returncode, done.stdout


def check_json():
    code, text = run(NO_MASK, "--json")
    kernel, = json.loads(text)
    assert code == 1 and kernel["kernel"] == NO_MASK[0]
    found, = kernel["findings"]
    assert found["kind"] == "out-of-bounds" and found["level"] == "error"
    assert (found["file"], found["line"], found["column"]) == (NO_MASK[0], 13, 21)
    assert "tl.load(x + i)" in found["source"] and found["point"] == "n = 1" and found["cure"]
    assert found["device"] == "interp" and "lane [1]" in found["where"]
    assert kernel["points"][0] == "the arguments given" and kernel["not_checked"]
    code, text = run(ADVICE, "--json")
    assert code == 0 and {f["level"] for f in json.loads(text)[0]["findings"]} == {"advice"}
    assert run(GOOD, "--format", "json")[0] == 0


def check_sarif():
    """What SARIF 2.1.0 (OASIS) requires of a log, a run, a tool, a rule, a result, a location."""
    for arguments, count in ((NO_MASK, 1), (ADVICE, 2), (GOOD, 0)):
        log = json.loads(run(arguments, "--format", "sarif")[1])
        assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-2.1.0.json")
        only, = log["runs"]
        driver = only["tool"]["driver"]
        assert driver["name"] == "tern check"
        rules = [rule["id"] for rule in driver["rules"]]
        assert len(set(rules)) == len(rules) and all(rule["help"]["text"] for rule in driver["rules"])
        assert len(only["results"]) == count
        for result in only["results"]:
            assert result["ruleId"] in rules and result["level"] in ("error", "note")
            assert result["message"]["text"]
            for location in result["locations"]:
                physical = location["physicalLocation"]
                assert physical["artifactLocation"]["uri"] == arguments[0]
                assert physical["region"]["startLine"] >= 1 and physical["region"]["startColumn"] >= 1


def check_github():
    code, text = run(NO_MASK, "--format", "github")
    line, = text.splitlines()
    command, properties = line.split("::")[1].split(" ", 1)
    assert code == 1 and command == "error"
    assert dict(p.split("=") for p in properties.split(","))["line"] == "13"
    assert run(GOOD, "--format", "github") == (0, "")


check_json()
check_sarif()
check_github()
