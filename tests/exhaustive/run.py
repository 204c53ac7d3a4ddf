#!/usr/bin/env python3
"""Runs the exhaustive tests, expression by expression, and adds what ran up in counts.json, which is committed.

    tests/exhaustive/run.py build/bin/exhaustive                  all of it: some 40 minutes of one core
    tests/exhaustive/run.py build/bin/exhaustive --seconds 600    as much as begins within ten minutes
    tests/exhaustive/run.py build/bin/exhaustive --again          first what has found mismatches, once more

What has run for a line of expressions.txt lies in exhaustive/ beside the program's folder, and is not run again.
"""
import argparse
import hashlib
import json
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent


def add(total, counts):
    """Adds numbers up, key by key."""
    for key, value in counts.items():
        if isinstance(value, dict):
            add(total.setdefault(key, {}), value)
        else:
            total[key] = total.get(key, 0) + value


def merged(reports, lines, stride):
    """What counts.json holds of the lines' reports."""
    arities, expressions, held, seconds = {}, {}, {}, 0
    for line in lines:
        report = reports.get(line)
        if not report:
            continue
        counts = report["expressions"][line]
        expressions[line] = counts
        of_arity = arities.setdefault(str(counts["arity"]), {"expressions": 0})
        of_arity["expressions"] += 1
        add(of_arity, {key: value for key, value in counts.items() if key != "arity"})
        held = report["patterns held"]
        seconds += report["seconds"]
    return {"lines": {"run": len(expressions), "of": len(lines)}, "every so many patterns": stride,
            "processor seconds": round(seconds), "by operands": arities, "patterns held": held, "expressions": expressions}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--stride", type=int, default=1, help="of the patterns: 1 takes all")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin nothing after that time")
    parser.add_argument("--again", action="store_true", help="run what has found mismatches once more")
    parser.add_argument("--counts", type=pathlib.Path, default=HERE / "counts.json")
    options = parser.parse_args()
    folder = options.program.resolve().parent.parent / "exhaustive"
    folder.mkdir(parents=True, exist_ok=True)
    lines = subprocess.run([options.program, "--list"], check=True, capture_output=True, text=True).stdout.splitlines()
    begin = time.monotonic()
    reports = {}
    for line in lines:
        name = hashlib.sha256(line.encode()).hexdigest()[:12]
        output = folder / f"{name}-{options.stride}.json"
        is_done = output.exists() and not (options.again and "found" in json.loads(output.read_text()))
        if not is_done and time.monotonic() - begin < options.seconds:
            part = output.with_suffix(".part")
            part.unlink(missing_ok=True)
            subprocess.run([options.program, "--expression", line, "--stride", str(options.stride), "--output", part], check=False)
            if not part.exists():
                sys.exit(f"did not end: {line}")
            part.rename(output)
        if output.exists():
            reports[line] = json.loads(output.read_text())
    counts = merged(reports, lines, options.stride)
    options.counts.write_text(json.dumps(counts, indent=1) + "\n")
    print(json.dumps(counts["by operands"], indent=1))
    sys.exit(any(of["mismatches"] for of in counts["by operands"].values()))


if __name__ == "__main__":
    main()
