#!/usr/bin/env python3
"""Runs the libFuzzer targets, each for a time, and adds executions and processor time to fuzzers.json, which is committed.

    cmake --preset fuzz && cmake --build --preset fuzz
    tests/fuzz/run_fuzzers.py build-fuzz/bin --seconds 600 kernel format

New inputs are collected in corpus/ beside the programs' folder; --merge adds a minimal set of those that reach code which
the committed corpus does not. What crashes is kept in crashes/ there.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TARGETS = ["kernel", "format", "data", "program", "module"]
# LLVM's library is not instrumented: what its allocators poison in our code they do not free again in its own.
ENVIRONMENT = os.environ | {"ASAN_OPTIONS": "allow_user_poisoning=0"}
MOST_BYTES = {"kernel": 1024, "format": 2048, "data": 1024, "program": 256, "module": 4096}
# MLIR's parser breaks off on some modules that are not valid, and what it has made by then is left alone.
MAY_LEAK = ["module"]


def environment(target):
    return ENVIRONMENT | {"ASAN_OPTIONS": ENVIRONMENT["ASAN_OPTIONS"] + (":detect_leaks=0" if target in MAY_LEAK else "")}


def run(options, target, counts):
    work = options.programs.resolve().parent
    found, crashes = work / "corpus" / target, work / "crashes"
    found.mkdir(parents=True, exist_ok=True)
    crashes.mkdir(exist_ok=True)
    program, committed = options.programs / f"fuzz_{target}", HERE / "corpus" / target
    if options.merge:
        subprocess.run([program, "-merge=1", f"-max_len={MOST_BYTES[target]}", committed, found], check=True, env=environment(target))
        return True
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run([program, f"-max_total_time={options.seconds}", f"-max_len={MOST_BYTES[target]}", f"-timeout={options.timeout}",
                             "-rss_limit_mb=4096", "-print_final_stats=1", f"-artifact_prefix={crashes}/{target}-",
                             found, committed], stderr=subprocess.PIPE, check=False, env=environment(target))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = result.stderr.decode(errors="replace")
    executions = re.findall(r"number_of_executed_units: (\d+)", text) or re.findall(r"^#(\d+)", text, re.M) or ["0"]
    of_target = counts.setdefault(target, {"executions": 0, "processor seconds": 0, "crashes": 0})
    of_target["executions"] += int(executions[-1])
    of_target["processor seconds"] += round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    of_target["crashes"] += result.returncode != 0
    if result.returncode != 0:
        sys.stderr.write(text[-6000:])
    return result.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path, help="the folder with fuzz_kernel and so on")
    parser.add_argument("targets", nargs="*", default=TARGETS)
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--timeout", type=int, default=25, help="seconds for one input, on the wall: more on a busy machine")
    parser.add_argument("--merge", action="store_true", help="add what was found to the committed corpus; run nothing")
    parser.add_argument("--counts", type=pathlib.Path, default=HERE / "fuzzers.json")
    options = parser.parse_intermixed_args()
    counts = json.loads(options.counts.read_text()) if options.counts.exists() else {}
    is_good = True
    for target in options.targets:
        is_good &= run(options, target, counts)
        if not options.merge:
            options.counts.write_text(json.dumps(counts, indent=1) + "\n")
    sys.exit(not is_good)


if __name__ == "__main__":
    main()
