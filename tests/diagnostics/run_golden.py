#!/usr/bin/env python3
"""Compares what spc says about bad input with what it said when a person last looked.

A case is a folder `<id>` or `<id>.<variant>` beside this script, where <id> is the diagnostic that it is about. It holds
  command    the arguments of spc, as a shell would split them; run in a copy of the folder
  expected   the exit code on the first line, then standard error
  stdin      standard input, where the case reads it (optional)
  prepare    arguments of spc, a line for each time that it runs before that and has to succeed (optional)
and any other files that the command needs. The folder's own path is written as CASE in `expected`. After an
error no file may have appeared and nothing may have been printed.

    run_golden.py SPC [CASE...]            compare; exit code 1 where something differs
    run_golden.py --update SPC [CASE...]   rewrite `expected`: read the difference before committing it
"""

import argparse
import concurrent.futures
import difflib
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
OWN_FILES = {"command", "expected", "prepare", "stdin"}
TIMEOUT_SECONDS = 120


def cases(names):
    found = sorted(path.parent for path in FOLDER.glob("*/command"))
    if names:
        unknown = set(names) - {path.name for path in found}
        if unknown:
            sys.exit(f"no such case: {', '.join(sorted(unknown))}")
        found = [path for path in found if path.name in names]
    return found


def entries(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def environment():
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SPC_")}
    return kept | {"LC_ALL": "C", "TERM": "dumb"}


def run(spc, case, scratch):
    """What spc did in a copy of the case's folder, as `expected` has it, and what is wrong whatever was expected."""
    folder = pathlib.Path(scratch) / case.name
    shutil.copytree(case, folder, ignore=shutil.ignore_patterns(*OWN_FILES))
    stdin = case / "stdin"
    prepare = case / "prepare"
    for line in prepare.read_text().splitlines() if prepare.exists() else []:
        subprocess.run(["spc", *shlex.split(line)], executable=spc, cwd=folder, check=True, env=environment(),
                       timeout=TIMEOUT_SECONDS)
    before = entries(folder)
    arguments = shlex.split((case / "command").read_text())
    with open(stdin if stdin.exists() else os.devnull, "rb") as source:
        done = subprocess.run(["spc", *arguments], executable=spc, cwd=folder, stdin=source, capture_output=True,
                              env=environment(), timeout=TIMEOUT_SECONDS)
    stderr = done.stderr.decode(errors="backslashreplace").replace(str(folder), "CASE")
    problems = []
    if done.returncode != 0 and entries(folder) != before:
        problems.append(f"left behind: {', '.join(sorted(set(entries(folder)) - set(before)))}")
    if done.returncode != 0 and done.stdout:
        problems.append("printed to standard output although it failed")
    if done.returncode not in (0, 1, 2):
        problems.append(f"exit code {done.returncode}")
    identifier = case.name.split(".")[0]
    marks = (f"[{identifier}]", f"[-W{identifier}]", f"[-Werror={identifier}]", f'"id":"{identifier}"')
    if not any(mark in stderr for mark in marks):
        problems.append(f"does not report {identifier}")
    if "`" in stderr:
        problems.append("quotes with backquotes; all messages have straight single quotes")
    return f"{done.returncode}\n{stderr}", problems


def check(spc, case, scratch, update):
    actual, problems = run(spc, case, scratch)
    golden = case / "expected"
    if update:
        golden.write_text(actual)
    expected = golden.read_text() if golden.exists() else ""
    if actual != expected:
        difference = difflib.unified_diff(expected.splitlines(), actual.splitlines(), "expected", "actual", lineterm="")
        problems += difference
    return case.name, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true")
    parser.add_argument("spc", type=os.path.abspath)
    parser.add_argument("case", nargs="*")
    options = parser.parse_args()
    selected = cases(options.case)
    failed = 0
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(check, options.spc, case, scratch, options.update) for case in selected]
        for job in jobs:
            name, problems = job.result()
            if problems:
                failed += 1
                print(f"--- {name}", *problems, sep="\n")
    print(f"{len(selected) - failed} of {len(selected)} cases as expected")
    sys.exit(1 if failed or not selected else 0)


if __name__ == "__main__":
    main()
