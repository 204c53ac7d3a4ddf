"""What a program for Linux needs of the system that runs it, read from its file (ELF of 64 bits, little-endian)."""
# SPDX-License-Identifier: Apache-2.0

import re
import struct
from typing import Dict, Iterator, List, NamedTuple, Tuple

_MACHINES = {62: "x86_64", 183: "aarch64"}
_LOADED, _DYNAMIC = 1, 2                     # kinds of segments
_NEEDED, _STRINGS, _VERSIONS, _VERSION_COUNT = 1, 5, 0x6FFFFFFE, 0x6FFFFFFF  # tags of the dynamic segment


class Needs(NamedTuple):
    """The machine's name (empty for one that is not known), the libraries, and the versions of their symbols."""

    machine: str
    libraries: List[str]
    versions: List[str]


def _text(content: bytes, at: int) -> str:
    return content[at:content.index(b"\0", at)].decode()


def _versions(content: bytes, at: int, count: int, strings: int) -> Iterator[str]:
    """The names in the list of needed versions: for each library, a list of its own."""
    for _ in range(count):
        _, entries, _, first, following = struct.unpack_from("<HHIII", content, at)
        entry = at + first
        for _ in range(entries):
            _, _, _, name, step = struct.unpack_from("<IHHII", content, entry)
            yield _text(content, strings + name)
            entry += step
        at += following


def needs(content: bytes) -> Needs:
    """Reads the file of a program or a shared library. Raises ValueError where it is neither."""
    if content[:6] != b"\x7fELF\x02\x01":
        raise ValueError("not a program for Linux of 64 bits, little-endian")
    machine, = struct.unpack_from("<H", content, 18)
    table, = struct.unpack_from("<Q", content, 32)
    size, count = struct.unpack_from("<HH", content, 54)
    segments = [struct.unpack_from("<IIQQQQ", content, table + size * i) for i in range(count)]

    def place(address: int) -> int:
        return next(offset + address - start for kind, _, offset, start, _, length in segments
                    if kind == _LOADED and start <= address < start + length)

    dynamic: List[Tuple[int, int]] = [pair for kind, _, offset, _, _, length in segments if kind == _DYNAMIC
                                      for pair in struct.iter_unpack("<qQ", content[offset:offset + length])]
    entries: Dict[int, int] = dict(dynamic)
    if _STRINGS not in entries:
        return Needs(_MACHINES.get(machine, ""), [], [])
    strings = place(entries[_STRINGS])
    versions = (list(_versions(content, place(entries[_VERSIONS]), entries[_VERSION_COUNT], strings))
                if _VERSIONS in entries else [])
    return Needs(_MACHINES.get(machine, ""), [_text(content, strings + value) for tag, value in dynamic if tag == _NEEDED],
                 versions)


# The libraries that each Linux has which wheels are for (PEP 600), as far as programs of ours need them. A C++ library is not
# among them: with its archive a program runs on older systems.
_EVERYWHERE = re.compile(r"(libc|libm|libdl|libpthread|librt|libgcc_s|libz|ld-linux[\w-]*)\.so\.\d+")
_C_LIBRARY = re.compile(r"GLIBC_(\d+)\.(\d+)")


def manylinux(programs: List[Needs]) -> str:
    """The platform of a wheel that holds these programs, for one machine, as PEP 600 names it.

    Empty where one needs a library that not each Linux has.
    """
    if not all(_EVERYWHERE.fullmatch(name) for program in programs for name in program.libraries):
        return ""
    found = [match for program in programs for match in map(_C_LIBRARY.match, program.versions) if match]
    major, minor = max((int(match[1]), int(match[2])) for match in found)
    return f"manylinux_{major}_{minor}_{programs[0].machine}"
