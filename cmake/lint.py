#!/usr/bin/env python3
"""Formatting, lengths of files and functions, what clang-tidy finds, what g++ refuses to compile, and what mypy finds in the
Python package. Called by lint.sh, which installs the tools.

Everything that git tracks is looked at, or with --since the files that differ from a commit, and of what clang-tidy
finds in them what is on lines that differ; a header is looked at in a source that includes it. The compile commands come from a build folder of their own, build-lint/,
without unity units and precompiled headers, where nothing is built but what headers are generated from.
"""

import argparse
import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build-lint"
SOURCES = {".cpp", ".c", ".h", ".hpp"}
MOST_LINES = 400  # of a file
MOST_FUNCTION_LINES = 60
WRITTEN_BY_SPC = re.compile(r"tests/abi/golden/|tests/clients/abi\d+/.*\.h$")
NOT_COMPILED = ("bench/", "build-lint/")  # what includes headers that spc writes, and what is generated

# What is no code: comments, strings (raw ones first), characters; digits with separators are no characters.
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'', re.S)
# What a brace opens that may hold functions.
SCOPE = re.compile(r'\s*(?:template\s*<.*?>\s*)?(?:inline\s+)?(?:namespace|class|struct|union|enum|extern\s*""\s*$)', re.S)


def blanked(match):
    text = match.group()
    return ('""' if text[0] in 'R"' else "") + "\n" * text.count("\n")


def functions(text):
    """(line, length) of each function of a C or C++ text, lambdas outside of functions included."""
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda match: "\n" * match.group().count("\n"),
                  NO_CODE.sub(blanked, text), flags=re.M)
    code = re.sub(r"\b(?:public|private|protected)\s*:(?!:)", ";", code)
    found, open_blocks, start = [], [], 0
    for match in re.finditer(r"[;{}]", code):
        if match.group() == "{":
            head = code[start:match.start()]
            inside = any(kind == "function" for kind, _ in open_blocks)
            is_call = head.count("(") > head.count(")")
            kind = ("scope" if SCOPE.match(head) else
                    "function" if "(" in head and not is_call and not inside else "other")
            open_blocks.append((kind, start + len(head) - len(head.lstrip())))
        elif match.group() == "}" and open_blocks:
            kind, begin = open_blocks.pop()
            if kind == "function":
                line = code.count("\n", 0, begin) + 1
                found.append((line, code.count("\n", begin, match.start()) + 1))
        start = match.end()
    return found


def python_functions(text):
    nodes = ast.walk(ast.parse(text))
    return [(node.lineno, node.end_lineno - node.lineno + 1) for node in nodes if isinstance(node, ast.FunctionDef)]


def too_long(path, text):
    """What of a file is too long, as lines of text."""
    lines = text.count("\n")
    problems = [f"{path}:1: {lines} lines; files stay below {MOST_LINES}"] if lines >= MOST_LINES else []
    found = python_functions(text) if path.endswith(".py") else functions(text)
    problems += [f"{path}:{line}: a function of {length} lines; they have {MOST_FUNCTION_LINES} at most"
                 for line, length in found if length > MOST_FUNCTION_LINES]
    return problems


def git(*arguments):
    return subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True).stdout


def checked_files(since=None):
    """Sources and scripts, relative to the root: all, or those that differ from a commit."""
    if since is None:
        names = git("ls-files")
    else:
        names = git("diff", "--name-only", "--diff-filter=d", since) + git("ls-files", "--others", "--exclude-standard")
    names = sorted(name for name in names.splitlines() if not WRITTEN_BY_SPC.match(name))
    return [name for name in names if Path(name).suffix in SOURCES | {".py"} and (ROOT / name).exists()]


def lengths(names):
    return [problem for name in names for problem in too_long(name, (ROOT / name).read_text())]


def formatting(names):
    sources = [name for name in names if Path(name).suffix in SOURCES]
    if not sources:
        return []
    done = subprocess.run(["clang-format-22", "--dry-run", "-Werror", *sources], cwd=ROOT, capture_output=True, text=True)
    return [line for line in done.stderr.splitlines() if "error:" in line]


def compile_commands():
    """By file, the words of its command, of build-lint/, which is configured anew: sources are found by globbing."""
    commands = [["cmake", "-G", "Ninja", "-S", ROOT, "-B", BUILD, "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_UNITY_BUILD=OFF",
                 "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
                 "-DCMAKE_C_COMPILER=clang-22", "-DCMAKE_CXX_COMPILER=clang++-22"],
                ["ninja", "-C", BUILD, "spc_generated"]]
    for command in commands:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            sys.exit(done.stdout)
    entries = json.loads((BUILD / "compile_commands.json").read_text())
    found = {os.path.relpath(entry["file"], ROOT): shlex.split(entry["command"]) for entry in entries}
    return {name: words for name, words in found.items() if not name.startswith(NOT_COMPILED)}


def compiled_sources(names, known):
    """Those of the names that are compiled, and for each header that none of them includes a source that does."""
    sources = {name: (ROOT / name).read_text() for name in names if name in known}
    for header in (name for name in names if name.endswith(".h")):
        include = f'#include "{header.partition("/")[2]}"'
        if not any(include in text for text in sources.values()):
            user = next((name for name in sorted(known) if include in (ROOT / name).read_text()), None)
            sources.update({user: (ROOT / user).read_text()} if user else {})
    return sorted(sources)


def changed_lines(names, since):
    """clang-tidy's line filter: what differs from a commit, of files that it does not have all lines."""
    text = git("diff", "-U0", "--no-color", "--no-ext-diff", "--diff-filter=d", since, "--", *names)
    lines = {name: [] for name in names}
    for part in re.split(r"^diff --git ", text, flags=re.M)[1:]:
        name = re.search(r"^\+\+\+ b/(.*)$", part, re.M)
        for first, count in re.findall(r"^@@ \S+ \+(\d+)(?:,(\d+))? @@", part, re.M):
            if name and count != "0":
                lines[name[1]].append([int(first), int(first) + int(count or 1) - 1])
    untracked = set(git("ls-files", "--others", "--exclude-standard").splitlines())
    return [{"name": name, "lines": ranges} if ranges else {"name": name}
            for name, ranges in lines.items() if ranges or name in untracked]


def compiled_problems(name, words, options, deadline):
    """Of one source: what g++ refuses, and what clang-tidy finds."""
    if deadline and time.monotonic() > deadline:
        return None
    gcc = subprocess.run(["g++", *words[1:words.index("-o")], "-w", "-fsyntax-only", name], cwd=ROOT, capture_output=True,
                         text=True, env={**os.environ, "LC_ALL": "C"})
    tidy = subprocess.run(["clang-tidy-22", "-p", BUILD, "--quiet", rf"--header-filter={ROOT}/(src|tests)/[^.]*\.h$", *options,
                           ROOT / name], capture_output=True, text=True)
    return (gcc.stderr + tidy.stdout).replace(f"{ROOT}/", "").strip()


def compilation(names, since=None, seconds=None):
    """What compilers find, once each. With a number of seconds no further source is begun after them."""
    changed = [name for name in names if Path(name).suffix in SOURCES]
    if not changed:
        return []
    known = compile_commands()
    sources = compiled_sources(changed, known)
    options = [f"--line-filter={json.dumps(changed_lines(changed, since))}"] if since else []
    deadline = time.monotonic() + seconds if seconds else None
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda name: compiled_problems(name, known[name], options, deadline), sources))
    if None in results:
        print(f"lint: {results.count(None)} of {len(sources)} sources left out after {seconds} s")
    found = [one for result in results if result for one in re.split(r"\n(?=\S+:\d+:\d+: (?:warning|error))", result)]
    return list(dict.fromkeys(found))


def interpreter_with_numpy():
    """This interpreter or the system's, whichever has NumPy, whose types the package's own rest on; None where neither has."""
    return next((one for one in (sys.executable, "/usr/bin/python3") if shutil.which(one) and subprocess.run(
        [one, "-c", "import numpy"], stderr=subprocess.DEVNULL).returncode == 0), None)


def types(names):
    """What mypy finds in the Python package, which is looked at as a whole where one of its files is among the names."""
    if not any(name.startswith("python/spc/") for name in names):
        return []
    tool, interpreter = shutil.which("mypy"), interpreter_with_numpy()
    if tool is None or interpreter is None:
        print(f"lint: types of the Python package left out, as {'NumPy' if tool else 'mypy'} is missing")
        return []
    done = subprocess.run([tool, "--python-executable", interpreter, "--cache-dir", BUILD / "mypy", "--no-error-summary", "spc"],
                          cwd=ROOT / "python", capture_output=True, text=True)
    found = [f"python/{line}" for line in done.stdout.splitlines() if ": error: " in line]
    return found if found or done.returncode == 0 else [f"python: mypy: {(done.stdout + done.stderr).strip()}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--since", metavar="COMMIT", help="look at what differs from this commit")
    parser.add_argument("--seconds", type=int, help="begin to compile none after so long")
    options = parser.parse_args()
    names = checked_files(options.since)
    problems = lengths(names) + formatting(names) + types(names) + \
        compilation(names, options.since, options.seconds)
    print("\n".join(problems + [f"lint: {len(names)} files, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
