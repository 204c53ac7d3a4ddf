"""Counts what the tests are and run, and writes the tables of docs/testing.md from it.

    counts.py tests BUILD [KIND]...  runs the tests of a build folder, all or those of some kinds, and writes tests.json
    counts.py coverage EXPORT        coverage.json, of what `llvm-cov export -summary-only` prints (coverage.sh does it)
    counts.py tables                 writes the tables between the marks of docs/testing.md
    counts.py check                  whether the tables are what the files say; exit code 1 and a difference where not

The other files here are written by the long runs themselves (docs/testing.md).
SPDX-License-Identifier: Apache-2.0
"""

import difflib
import json
import os
import re
import resource
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGE = ROOT / "docs" / "testing.md"

# The kinds of tests, by the names that ctest has for them; the first one that matches.
KINDS = [
    ("end to end", r"end_to_end"),
    ("exhaustive, the slice", r"exhaustive"),
    ("fuzzing, the slice", r"random_kernels|mangled_kernels|metamorphic|corpus_|mutations"),
    ("evaluators", r"random_evaluators|evaluator_matrix|cancellation"),
    ("derivatives", r"grad$|random_gradients|derivatives"),
    ("corrupted calls", r"corruption"),
    ("diagnostics", r"diagnostic"),
    ("passes (FileCheck)", r"lit$"),
    ("client programs", r"clients_"),
    ("command line", r"cli_"),
    ("Python package", r"python$"),
    ("bench", r"bench"),
    ("units of a stage", r""),
]

# What a test says of its cases and checks; the groups' names are those of the numbers.
SUMMARIES = [
    r"All tests passed \((?P<checks>\d+) assertions? in (?P<cases>\d+) test cases?\)",
    r"Ran (?P<cases>\d+) tests? in",
    r"(?P<cases>\d+) of \d+ cases as expected",
    r"Passed *: +(?P<cases>\d+) \(",
    r"(?P<cases>\d+) passed[, ]",
    r"(?P<cases>\d+) commands run",
    r"kernels: (?P<kernels>\d+) compiled, (?P<calls>\d+) calls",
]
NUMBERS = ["cases", "checks", "kernels", "calls"]


def entries(log):
    """Of ctest's log: each test's name, its output and whether it passed."""
    pattern = r"^\d+/\d+ Test(?:ing)?: (\S+)\n.*?^Output:\n-+\n(.*?)^<end of output>\nTest time = +[\d.]+ sec\n-+\n(Test \S+)"
    for name, output, state in re.findall(pattern, log, flags=re.MULTILINE | re.DOTALL):
        yield name, output, state == "Test Passed."


def count_tests(log):
    """What ctest's log says of the tests of one kind."""
    numbers = dict.fromkeys(["tests", *NUMBERS], 0)
    failed = []
    for name, output, passed in entries(log):
        numbers["tests"] += 1
        if not passed:
            failed.append(name)
        for summary in SUMMARIES:
            for match in re.finditer(summary, output):
                for number, value in match.groupdict().items():
                    numbers[number] += int(value)
    if failed:
        sys.exit(f"counts.py: not counted, since these did not pass: {', '.join(failed)}")
    return numbers


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_tests(build, wanted):
    """Runs the tests of some kinds, as tests/run.sh does; all where none is named. What each kind comes to."""
    ctest = ["ctest", "--test-dir", build]
    listed = subprocess.run([*ctest, "-N"], capture_output=True, text=True, check=True).stdout
    tests = {kind: [] for kind, _ in KINDS}
    for name in re.findall(r"Test +#\d+: (\S+)", listed):
        tests[next(kind for kind, pattern in KINDS if re.match(pattern, name))].append(name)
    kinds = {}
    for kind in wanted or [kind for kind, names in tests.items() if names]:
        before = processor_seconds()
        names = "|".join(re.escape(name) for name in tests[kind])
        subprocess.run([*ctest, "-R", f"^({names})$", "-j", str(os.cpu_count())], stdout=subprocess.DEVNULL,
                       env=os.environ | {"SPC_VERIFY_PLANS": "1"})
        numbers = count_tests((Path(build) / "Testing/Temporary/LastTest.log").read_text(errors="replace"))
        if numbers["tests"] != len(tests[kind]):
            sys.exit(f"counts.py: {numbers['tests']} of {len(tests[kind])} tests of '{kind}' are in the log")
        kinds[kind] = numbers | {"seconds": round(processor_seconds() - before, 1), "commit": head()}
    return kinds


def count_coverage(export_file):
    """Lines and branches by stage: those of the headers in a stage's folder are its own, too."""
    stages = {}
    for file in json.loads(Path(export_file).read_text())["data"][0]["files"]:
        match = re.search(r"/src/(\w+)/", file["filename"])
        if not match or "/build" in file["filename"]:
            continue
        stage = stages.setdefault(match[1], {"lines": [0, 0], "branches": [0, 0]})
        for what in stage:
            stage[what][0] += file["summary"][what]["covered"]
            stage[what][1] += file["summary"][what]["count"]
    return {"stages": dict(sorted(stages.items()))}


def number(value):
    return f"{value:,}" if value else "–"


def measured_at(data):
    return f"\n\nMeasured at commit {data['commit']}."


def unmeasured(stages):
    """The stages of src with code that have no row."""
    folders = {path.name for path in (ROOT / "src").iterdir() if any(path.rglob("*.cpp"))}
    missing = sorted(folders - set(stages))
    return " Not measured: " + ", ".join(f"`{name}`" for name in missing) + "." if missing else ""


def table(header, rows):
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def tests_table(data):
    kinds = data["kinds"]
    total = {key: sum(kind[key] for kind in kinds.values()) for key in ["tests", *NUMBERS, "seconds"]}
    rows = [[name, *[number(kind[key]) for key in ["tests", *NUMBERS]], number(round(kind["seconds"]))]
            for name, kind in [*kinds.items(), ("all", total)]]
    header = ["kind", "ctest entries", "cases", "checks", "kernels compiled", "calls", "processor seconds"]
    commits = {}
    for name, kind in kinds.items():
        commits.setdefault(kind["commit"], []).append(name)
    measured = [f"{commit} ({'; '.join(names)})" if len(commits) > 1 else commit for commit, names in commits.items()]
    return table(header, rows) + f"\n\nMeasured at commit {', '.join(measured)}."


def share(pair):
    covered, count = pair
    return f"{covered:,} of {count:,} ({100 * covered / count:.1f} %)" if count else "–"


def coverage_table(data):
    stages = data["stages"]
    total = {what: [sum(stage[what][k] for stage in stages.values()) for k in (0, 1)] for what in ("lines", "branches")}
    rows = [[f"`{name}`" if name != "all" else name, share(stage["lines"]), share(stage["branches"])]
            for name, stage in [*stages.items(), ("all", total)]]
    return table(["stage", "lines", "branches"], rows) + measured_at(data) + unmeasured(stages)


def exhaustive_table(data):
    rows = [[operands, *[number(one[key]) for key in ["expressions", "kernels"]], number(sum(one["refused"].values())),
             number(one["calls"]), number(one["unstorable"]), number(one["mismatches"])]
            for operands, one in data["by operands"].items()]
    lines = data["lines"]
    return (f"{lines['run']} of the {lines['of']} expressions of the list have run.\n\n" +
            table(["operands", "expressions", "kernels", "refused", "calls compared", "patterns that a format cannot hold",
                   "mismatches"], rows))


BATCH = 200  # programs, as in tests/fuzz/metamorphic.py


def metamorphic_table(data):
    kinds = {"as drawn": data["originals"], **data["variants"]}
    keys = ["compiled", "refused", "comparisons", "mismatches"]
    kinds["all"] = {key: sum(kind[key] for kind in kinds.values()) for key in keys}
    rows = [[name, *[number(kind[key]) for key in keys]] for name, kind in kinds.items()]
    repeated = len(data["found in"])
    return (table(["variant", *keys], rows) +
            f"\n\n{data['seeds']:,} programs were drawn, in {data['processor seconds'] / 3600:.1f} CPU-hours" +
            (f"; {repeated} batches of {BATCH} that found something wait to be run again." if repeated else "."))


def fuzzers_table(data):
    rows = [[f"`{target}`", number(one["executions"]), number(one["crashes"]), f"{one['processor seconds'] / 3600:.2f}"]
            for target, one in data.items()]
    hours = sum(one["processor seconds"] for one in data.values()) / 3600
    rows.append(["all", number(sum(one["executions"] for one in data.values())),
                 number(sum(one["crashes"] for one in data.values())), f"{hours:.2f}"])
    return table(["target", "inputs", "crashes, leaks, time-outs", "CPU-hours"], rows)


def derivatives_table(data):
    keys = ["programs", "cells", "compared", "flat", "refused", "only refused", "empty", "wrong"]
    groups = {}
    for name, row in data["programs"].items():
        group = groups.setdefault(data["groups"][name], dict.fromkeys(keys, 0))
        group["programs"] += 1
        group["cells"] += len(data["expressions"])
        group["wrong"] += row["wrong"]
        for numbers in zip(row["compared"], row["flat"], row["refused"]):
            for key, one in zip(["compared", "flat", "refused"], numbers):
                group[key] += one
            group["only refused"] += numbers[2] > 0 and not any(numbers[:2])
            group["empty"] += not any(numbers)
    groups = dict(sorted(groups.items()))
    groups["all"] = {key: sum(group[key] for group in groups.values()) for key in keys}
    share = data["one operand of"]
    ids = sorted({name for row in data["programs"].values() for name in row["ids"]})
    header = ["programs around", "programs", "cells", "compared", "of them flat", "refused", "cells that are refused",
              "empty cells", "wrong"]
    rows = [[name, *[number(one) for one in [group["programs"], group["cells"], group["compared"] + group["flat"],
                                             *[group[key] for key in keys[3:]]]]] for name, group in groups.items()]
    return (table(header, rows) +
            f"\n\n{len(data['programs'])} of the {data['of programs']} programs have run around "
            f"{len(data['expressions'])} expressions" + (f", with one operand of {share}" if share > 1 else "") +
            f", in {data['processor seconds']:,} seconds of one core. Refusals: " +
            ", ".join(f"`{name}`" for name in ids) + ".")


def evaluators_table(data):
    rows = [[name, number(cell.get("compared", 0)), number(cell.get("not checked", 0))]
            for name, cell in data["placements"].items()]
    return (table(["operands hold", "trials compared", "not checked, padding"], rows) +
            f"\n\n{len(data['constructs'])} constructs in {len(data['storages'])} storages: {data['elements']:,} elements of results, "
            f"{data['infinities and NaNs']:,} of them infinities and NaNs. {data['compiled']:,} kernels were compiled, and called "
            f"{data['calls']:,} times; {data.get('kernels that differ', 0)} differ.")


def cancellation_table(data):
    keys = ["programs", "elements", "cancelled", "compiled", "calls", "wrong"]
    rows = []
    for kind, types in data["kernels"].items():
        rows.append([kind, *[number(sum(cell.get(key, 0) for cell in types.values())) for key in keys]])
    types = sorted({name for row in data["kernels"].values() for name in row})
    return (table(["kernels", "programs", "elements", "of them cancelled", "compiled", "calls", "wrong"], rows) +
            f"\n\nSeeds to {data['next seed'] - 1:,}, of kernels in " + ", ".join(f"`{name}`" for name in types) + ".")


# What each table is made of.
TABLES = {
    "tests": (tests_table, HERE / "tests.json"),
    "coverage": (coverage_table, HERE / "coverage.json"),
    "exhaustive": (exhaustive_table, HERE.parent / "exhaustive" / "counts.json"),
    "metamorphic": (metamorphic_table, HERE.parent / "fuzz" / "metamorphic.json"),
    "derivatives": (derivatives_table, HERE.parent / "grad" / "derivatives.json"),
    "evaluators": (evaluators_table, HERE.parent / "evaluators" / "matrix.json"),
    "cancellation": (cancellation_table, HERE.parent / "evaluators" / "cancellation.json"),
    "fuzzers": (fuzzers_table, HERE.parent / "fuzz" / "fuzzers.json"),
}


def rendered(page):
    """The page with the tables that the files say."""
    for name, (render, file) in TABLES.items():
        text = render(json.loads(file.read_text())) if file.exists() else "(not measured)"
        page = re.sub(rf"(<!-- {name} -->\n).*?(<!-- end -->)", lambda mark: mark[1] + text + "\n" + mark[2], page,
                      flags=re.DOTALL)
    return page


def head():
    commit = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
    return commit.stdout.strip()


def write(name, data):
    (HERE / f"{name}.json").write_text(json.dumps(data, indent=1) + "\n")


def main(arguments):
    match arguments:
        case ["tests", build, *wanted]:
            kinds = json.loads((HERE / "tests.json").read_text())["kinds"] | run_tests(build, wanted)
            write("tests", {"kinds": {kind: kinds[kind] for kind, _ in KINDS if kind in kinds}})
        case ["coverage", export]:
            write("coverage", count_coverage(export) | {"commit": head()})
        case ["tables"]:
            PAGE.write_text(rendered(PAGE.read_text()))
        case ["check"]:
            page = PAGE.read_text()
            difference = list(difflib.unified_diff(page.splitlines(), rendered(page).splitlines(), "docs/testing.md",
                                                   "what tests/counts says", lineterm=""))
            print("\n".join(difference) or "docs/testing.md is what tests/counts says")
            return 1 if difference else 0
        case _:
            sys.exit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
