#!/usr/bin/env python3
"""Checks docs/diagnostics.md: a section for each diagnostic, with an example from the golden cases beside this script.

    pages.py SOURCE_ROOT            every id has a section and none is left over, in order, with its example as it is now
    pages.py --update SOURCE_ROOT   rewrites the examples; a new id gets an empty section, to be written

Bugs of spc have sections without an example. What a section says in front of its example, the first indented line, is written by hand.
"""

import pathlib
import re
import sys

import check_ids

STARTS = re.compile(r"^(\S+?:\d+:\d+|\S+|spc): (note|warning|error): ")
LONGEST = 116
SEVERITIES = {"Error": "Error.", "Warning": "Warning.", "Note": "Note."}


def messages(expected):
    """The diagnostics of a golden file, each with its lines."""
    found = []
    for line in expected.splitlines()[1:]:
        if STARTS.match(line) and not (found and re.match(r"\S+: note: ", line) and " [" not in line):
            found.append([])
        if found:
            found[-1].append(line)
    return found


def example(case):
    """A command and the message about the case's id, as an indented block."""
    marks = [f"[{case.name}]", f"[-W{case.name}]", f"[-Werror={case.name}]"]
    for lines in messages((case / "expected").read_text()):
        if any(mark in lines[0] for mark in marks):
            shown = ["$ spc " + (case / "command").read_text().strip(), *lines]
            cut = [line if len(line) <= LONGEST else line[:LONGEST - 2] + " …" for line in shown]
            return "".join(f"    {line}".rstrip() + "\n" for line in cut)
    return ""


def sections(text):
    """The text in front of the first section, and the prose of each by its id."""
    head, *rest = re.split(r"^### ", text, flags=re.MULTILINE)
    prose = {}
    for section in rest:
        identifier, body = section.split("\n", 1)
        prose[identifier] = re.split(r"^    ", body, maxsplit=1, flags=re.MULTILINE)[0].strip("\n")
    return head, prose


def page(root, text):
    cases = root / "tests" / "diagnostics"
    internal = {one for one, severities in check_ids.declared(root / "src", []).items() if severities == {"Internal"}}
    identifiers = sorted({path.parent.name.split(".")[0] for path in cases.glob("*/command")} | internal)
    head, prose = sections(text)
    result = head
    for identifier in identifiers:
        case = cases / identifier
        if identifier in internal:  # bugs, of which there is no example
            result += f"### {identifier}\n\n{prose.get(identifier, '')}\n\n"
            continue
        if not (case / "command").exists():
            case = min(path.parent for path in cases.glob(f"{identifier}.*/command"))
        shown = example(case)
        result += f"### {identifier}\n\n{prose.get(identifier, '')}\n" + ("\n" + shown if shown else "") + "\n"
    return result.rstrip("\n") + "\n", prose, identifiers


def main():
    update = "--update" in sys.argv
    root = pathlib.Path(sys.argv[-1])
    path = root / "docs" / "diagnostics.md"
    text = path.read_text()
    wanted, prose, identifiers = page(root, text)
    if update:
        path.write_text(wanted)
        return
    problems = [f"{one}: docs/diagnostics.md says nothing of it" for one in identifiers if not prose.get(one)]
    problems += [f"{one}: a section on no diagnostic" for one in prose if one not in identifiers]
    if not problems and wanted != text:
        problems.append("docs/diagnostics.md differs from the golden cases: run tests/diagnostics/pages.py --update .")
    print(*problems, f"{len(identifiers)} sections, {len(problems)} problems", sep="\n")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
