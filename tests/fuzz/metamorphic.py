#!/usr/bin/env python3
"""Runs metamorphic fuzzing on seeds that have not run yet, and adds what ran to metamorphic.json, which is committed.

    tests/fuzz/metamorphic.py build/bin/metamorphic --seconds 600

Seeds run in batches, a process each. A batch that finds something is listed in metamorphic.json in place of being added,
and runs again, before all others, the next time: --again runs nothing else.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SEEDS = 200  # a batch


def add(total, counts):
    """Adds numbers up, key by key."""
    for key, value in counts.items():
        if isinstance(value, dict):
            add(total.setdefault(key, {}), value)
        else:
            total[key] = round(total.get(key, 0) + value, 1)


def run(program, first):
    """The report of a batch; nothing where it found something, or did not end."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        result = subprocess.run([program, str(first), str(SEEDS), report], check=False)
        if result.returncode == 0:
            return json.loads(report.read_text())
    print(f"found something, exit code {result.returncode}: {program} {first} {SEEDS}", flush=True)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=60, help="begin nothing after that time")
    parser.add_argument("--again", action="store_true", help="only the batches that have found something")
    parser.add_argument("--counts", type=pathlib.Path, default=HERE / "metamorphic.json")
    options = parser.parse_args()
    counts = json.loads(options.counts.read_text()) if options.counts.exists() else {"next seed": 1, "found in": []}
    begin = time.monotonic()
    again = list(counts["found in"])
    while time.monotonic() - begin < options.seconds and (again or not options.again):
        if again:
            first = again.pop(0)
            counts["found in"].remove(first)
        else:
            first = counts["next seed"]
            counts["next seed"] += SEEDS
        report = run(options.program, first)
        if report:
            add(counts, report)
        else:
            counts["found in"].append(first)
        options.counts.write_text(json.dumps(counts, indent=1) + "\n")


if __name__ == "__main__":
    main()
