#!/usr/bin/env python3
"""Runs the exhaustive tests, expression by expression, and adds what ran up in counts.json, which is committed.

    tests/exhaustive/run.py build/bin/exhaustive                  all of it: some 40 minutes of one core
    tests/exhaustive/run.py build/bin/exhaustive --seconds 600    as much as begins within ten minutes
    tests/exhaustive/run.py build/bin/exhaustive --again          what has found mismatches, once more

What has run for a line of expressions.txt lies in exhaustive/ beside the program's folder, and is not run again. Lines of
one operand come first, then those of three, since two operands have the most combinations.
"""
import argparse
import hashlib
import json
import pathlib
import re
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
    parser.add_argument("--again", action="store_true", help="run what has found mismatches once more, too")
    parser.add_argument("--counts", type=pathlib.Path, default=HERE / "counts.json")
    options = parser.parse_args()
    folder = options.program.resolve().parent.parent / "exhaustive"
    folder.mkdir(parents=True, exist_ok=True)
    lines = subprocess.run([options.program, "--list"], check=True, capture_output=True, text=True).stdout.splitlines()
    begin = time.monotonic()

    def name_of(line):
        return folder / f"{hashlib.sha256(line.encode()).hexdigest()[:12]}-{options.stride}.json"

    def write_counts():
        counts = merged({line: json.loads(name_of(line).read_text()) for line in lines if name_of(line).exists()}, lines,
                        options.stride)
        options.counts.write_text(json.dumps(counts, indent=1) + "\n")
        return counts

    cost = {1: 0, 3: 1, 2: 2}
    for line in sorted(lines, key=lambda line: cost[len(set(re.findall(r"\b([ABC])\(", line)))]):
        output = name_of(line)
        is_done = output.exists() and not (options.again and "found" in json.loads(output.read_text()))
        if is_done or time.monotonic() - begin > options.seconds:
            continue
        part = output.with_suffix(".part")
        part.unlink(missing_ok=True)
        subprocess.run([options.program, "--expression", line, "--stride", str(options.stride), "--output", part], check=False)
        if part.exists():
            part.rename(output)
            write_counts()
        else:
            print(f"did not end: {line}", flush=True)
    counts = write_counts()
    print(json.dumps(counts["by operands"], indent=1))
    sys.exit(any(of["mismatches"] for of in counts["by operands"].values()))


if __name__ == "__main__":
    main()
