#!/usr/bin/env python3
"""Checks that every diagnostic declared under src/ has a golden case here, and every case a diagnostic.

    check_ids.py SOURCE_ROOT

Kinds of Severity::Internal are exempt: they are bugs, which no input is known to reach. The names that -W takes must be
the ids of the warnings and of the notes.
"""

import pathlib
import re
import sys

DECLARATION = re.compile(r'^constexpr DiagnosticKind k\w+\{"([^"]*)",\s*Severity::(\w+)\};', re.MULTILINE)
ANY_DECLARATION = re.compile(r"^[^/\n]*\bDiagnosticKind k[A-Z]\w*.*", re.MULTILINE)
TABLES = {"Warning": re.compile(r"kWarnings\{([^}]*)\}"), "Note": re.compile(r"kNotes\{([^}]*)\}")}
KEBAB_CASE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def declared(source, problems):
    """The severities of every id."""
    kinds = {}
    for path in sorted(source.rglob("*")):
        if path.suffix not in (".cpp", ".h"):
            continue
        text = path.read_text()
        found = DECLARATION.findall(text)
        if len(found) != len(ANY_DECLARATION.findall(text)):
            problems.append(f'{path}: a kind is not declared as `constexpr DiagnosticKind kName{{"id", Severity::X}};`')
        for identifier, severity in found:
            if not KEBAB_CASE.fullmatch(identifier):
                problems.append(f"{path}: the id {identifier} is not kebab-case")
            kinds.setdefault(identifier, set()).add(severity)
    return kinds


def main():
    root = pathlib.Path(sys.argv[1])
    problems = []
    kinds = declared(root / "src", problems)
    covered = {path.parent.name.split(".")[0] for path in (root / "tests" / "diagnostics").glob("*/command")}
    for identifier, severities in sorted(kinds.items()):
        if severities != {"Internal"} and identifier not in covered:
            problems.append(f"{identifier}: no case under tests/diagnostics/{identifier}")
    for identifier in sorted(covered - kinds.keys()):
        problems.append(f"{identifier}: a case for a diagnostic that is not declared")

    tables = (root / "src" / "support" / "diagnostic.cpp").read_text()
    for severity, table in TABLES.items():
        names = re.findall(r'"([^"]*)"', table.search(tables).group(1))
        if names != sorted(names):
            problems.append(f"the names of {severity}s in diagnostic.cpp are not sorted")
        of_severity = {identifier for identifier, severities in kinds.items() if severity in severities}
        for identifier in sorted(of_severity ^ set(names)):
            problems.append(f"{identifier}: a {severity} in only one of its declaration and diagnostic.cpp's table")

    print(*problems, f"{len(kinds)} ids, {len(problems)} problems", sep="\n")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
