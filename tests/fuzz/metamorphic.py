#!/usr/bin/env python3
"""Runs metamorphic fuzzing on seeds that have not run yet, and adds what ran to metamorphic.json, which is committed.

    tests/fuzz/metamorphic.py build/bin/metamorphic --seconds 600
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SEEDS = 200  # a process


def add(total, counts):
    """Adds numbers up, key by key."""
    for key, value in counts.items():
        if isinstance(value, dict):
            add(total.setdefault(key, {}), value)
        else:
            total[key] = round(total.get(key, 0) + value, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=60, help="begin nothing after that time")
    parser.add_argument("--counts", type=pathlib.Path, default=HERE / "metamorphic.json")
    options = parser.parse_args()
    counts = json.loads(options.counts.read_text()) if options.counts.exists() else {"seeds": 0}
    begin = time.monotonic()
    while time.monotonic() - begin < options.seconds:
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.json"
            first = int(counts["seeds"]) + 1
            subprocess.run([options.program, str(first), str(SEEDS), report], check=False)
            if not report.exists():
                sys.exit(f"did not end: {options.program} {first} {SEEDS}")
            add(counts, json.loads(report.read_text()))
        counts["seeds"] = int(counts["seeds"])
        options.counts.write_text(json.dumps(counts, indent=1) + "\n")


if __name__ == "__main__":
    main()
