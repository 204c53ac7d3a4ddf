#!/usr/bin/env python3
"""Runs the table of derivatives, program by program, and adds what ran up in derivatives.json, which is committed.

    tests/grad/derivatives.py build/bin/derivatives                  all of it: a quarter of an hour of one core
    tests/grad/derivatives.py build/bin/derivatives --stride 4       one operand of four in each cell, in turn
    tests/grad/derivatives.py build/bin/derivatives --seconds 60     as much as begins within a minute
    tests/grad/derivatives.py build/bin/derivatives --again          what has found something wrong, once more
    tests/grad/derivatives.py build/bin/derivatives --check          whether derivatives.json has every cell of
                                                                     constructs.txt, each compared or refused

What has run for a program of constructs.txt lies in derivatives/ beside the program's folder, and is not run again.
"""
import argparse
import hashlib
import json
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
COUNTS = HERE / "derivatives.json"


def row_of(cells, expressions):
    """A program's line of derivatives.json: numbers in the order of the expressions."""
    row = {key: [cells[one][key] for one in expressions] for key in ["compared", "flat"]}
    row["refused"] = [sum(cells[one]["refused"].values()) for one in expressions]
    row["ids"] = sorted({name for one in expressions for name in cells[one]["refused"]})
    for key in ["modes alone", "no number", "wrong"]:
        row[key] = sum(cells[one][key] for one in expressions)
    return row


def empty_cells(counts):
    """What was neither compared nor refused."""
    return [(name, expression) for name, row in counts["programs"].items()
            for expression, *numbers in zip(counts["expressions"], row["compared"], row["flat"], row["refused"])
            if not any(numbers)]


def write(counts):
    """One line a program."""
    rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in counts["programs"].items())
    rest = {key: value for key, value in counts.items() if key != "programs"}
    COUNTS.write_text(json.dumps(rest, indent=1)[:-2] + ',\n "programs": {\n' + rows + "\n }\n}\n")


def check(names, expressions):
    counts = json.loads(COUNTS.read_text())
    missing = [name for name in names if name not in counts["programs"]]
    if missing or counts["expressions"] != expressions or len(counts["programs"]) != len(names):
        sys.exit(f"derivatives.json is not of this constructs.txt: run derivatives.py. Missing: {missing}")
    if empty := empty_cells(counts):
        sys.exit(f"empty cells: {empty}")
    if wrong := [name for name, row in counts["programs"].items() if row["wrong"]]:
        sys.exit(f"wrong derivatives: {wrong}")
    print(f"{len(names) * len(expressions)} cells, none empty, none wrong")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--stride", type=int, default=1, help="of the operands: 1 takes all")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin nothing after that time")
    parser.add_argument("--again", action="store_true", help="run what has found something wrong once more, too")
    parser.add_argument("--check", action="store_true", help="run nothing")
    options = parser.parse_args()
    lists = json.loads(subprocess.run([options.program, "--list"], check=True, capture_output=True, text=True).stdout)
    names, expressions = [one["name"] for one in lists["programs"]], lists["expressions"]
    if options.check:
        return check(names, expressions)
    folder = options.program.resolve().parent.parent / "derivatives"
    folder.mkdir(parents=True, exist_ok=True)
    around = (HERE / "constructs.txt").read_text().split("[programs]")[0]
    key = hashlib.sha256(around.encode()).hexdigest()[:12]
    begin = time.monotonic()
    reports = {}
    for name in names:
        output = folder / f"{key}-{hashlib.sha256(name.encode()).hexdigest()[:12]}-{options.stride}.json"
        is_known = output.exists()
        if is_known and options.again:
            cells = json.loads(output.read_text())["programs"][name]["cells"]
            is_known = not any(cell["wrong"] for cell in cells.values())
        if not is_known and time.monotonic() - begin < options.seconds:
            part = output.with_suffix(".part")
            part.unlink(missing_ok=True)
            subprocess.run([options.program, "--only", name, "--stride", str(options.stride), "--output", part],
                           check=False)
            part.rename(output)
        if output.exists():
            reports[name] = json.loads(output.read_text())
    operands = {}
    for report in reports.values():
        for operand, number in report["operands"].items():
            operands[operand] = operands.get(operand, 0) + number
    write({"of programs": len(names), "one operand of": options.stride,
           "processor seconds": round(sum(one["processor seconds"] for one in reports.values())),
           "operands": operands, "groups": {one["name"]: one["group"] for one in lists["programs"]},
           "expressions": expressions,
           "programs": {name: row_of(one["programs"][name]["cells"], expressions) for name, one in reports.items()}})
    return None


if __name__ == "__main__":
    main()
