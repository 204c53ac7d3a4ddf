"""The mark that a linker puts into a program, a hash of all that it wrote: it tells programs apart without reading them whole."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import pathlib
import struct
from typing import Iterator, Optional, Tuple

_NOTES = 4     # the kind of segments that hold notes
_BUILD_ID = 3  # the kind of note, of the owner GNU


def _notes(content: bytes) -> Iterator[Tuple[bytes, int, bytes]]:
    """The notes of a segment: owner, kind, content."""
    at = 0
    while at + 12 <= len(content):
        named, length, kind = struct.unpack_from("<III", content, at)
        begin = at + 12 + (named + 3) // 4 * 4
        yield content[at + 12:at + 12 + named], kind, content[begin:begin + length]
        at = begin + (length + 3) // 4 * 4


def build_id(path: pathlib.Path) -> Optional[str]:
    """The mark of a program for Linux of 64 bits, little-endian; None where the file is none, or has no mark. Raises OSError
    where it cannot be read."""
    with open(path, "rb") as file:
        head = file.read(64)
        if len(head) < 64 or head[:6] != b"\x7fELF\x02\x01":
            return None
        table, = struct.unpack_from("<Q", head, 32)
        size, count = struct.unpack_from("<HH", head, 54)
        file.seek(table)
        segments = file.read(size * count)
        if size != 56 or len(segments) != size * count:
            return None
        for kind, _, offset, _, _, length, _, _ in struct.iter_unpack("<IIQQQQQQ", segments):
            if kind == _NOTES:
                file.seek(offset)
                for owner, kind_of_note, mark in _notes(file.read(min(length, 1 << 16))):
                    if owner == b"GNU\0" and kind_of_note == _BUILD_ID and len(mark) >= 16:
                        return mark.hex()
    return None
