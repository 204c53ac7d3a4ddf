"""The compiler's diagnostics in Python's words: what is an option on the command line is an argument of `spc.kernel`."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import functools
import re
from typing import Any, Callable, List, Tuple

# What the compiler says of an option's text, whose place and picture nobody has written.
_OF_OPTION = re.compile(r"^<(?:--\w+|command line)>:\d+:\d+: (.*)(?:\n +\d+ \|.*\n +\|.*)?$", re.MULTILINE)
_PICTURE = re.compile(r"^ *\d* \|")
_VALUE = r"[\w:.]+(?:[,-][\w:.]+)*"


def _quoted(key: str) -> Callable[["re.Match[str]"], str]:
    """By tensor or parameter, or "" for all, what `--type` and `--index` say."""
    return lambda match: f'{key}={{"{match[1] or ""}": "{match[2]}"}}'


@functools.lru_cache(maxsize=None)
def _words() -> List[Tuple["re.Pattern[str]", Any]]:
    """What the compiler says, and what stands for it here. Most programs need none."""
    return [
        (re.compile(r"--format NAME, --format PATH\.json or --format TENSOR=NAME"), 'TENSOR="NAME" or TENSOR="PATH.json"'),
        (re.compile(rf"--format (\w+)=(\.\.\.|{_VALUE})"), r'\1="\2"'),
        (re.compile(rf"--format ({_VALUE})"), r'formats={"": "\1"}'),
        (re.compile(r"--type (?:(\w+)=)?(\w+)"), _quoted("types")),
        (re.compile(r"--index (?:(\w+)=)?(\w+)"), _quoted("indices")),
        (re.compile(r"--name=(\w+)"), r'name="\1"'),
        (re.compile(r"--name\b(?!-)"), "name="),
        (re.compile(r"run 'spc compile --help' for a list of options"), "docs/cli.md lists the options of 'spc compile'"),
        (re.compile(r"leave the operand out of --wrt"), "ask for no gradient by the operand"),
        (re.compile(r"leave it out of --wrt"), "ask for no gradient by it"),
        (re.compile(r"leave it out of --of"), "ask for no gradient of it"),
        (re.compile(r"an operand of --wrt"), "an operand by which is differentiated"),
        (re.compile(rf"(?<![\w\"'-])(--(?!help|version)[a-z][\w-]*(?:={_VALUE})?)(?!['\w])"), r'options=["\1"]'),
    ]


def in_python(text: str) -> str:
    """Diagnostics, with the arguments of `spc.kernel` that say what options would. Pictures of source lines stay as they are,
    but for those of options."""
    return "\n".join(line if _PICTURE.match(line) else _translated(line)
                     for line in _OF_OPTION.sub(r"\1", text).split("\n"))


def _translated(line: str) -> str:
    for pattern, words in _words():
        line = pattern.sub(words, line)
    return line


__all__ = ["in_python"]
