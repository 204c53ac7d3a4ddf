"""Hashes of texts and files. What makes them is loaded with the first one, as it takes long beside the rest of `import spc`."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import pathlib
from typing import Union


def hash_of(text: str) -> str:
    """The hash of a text."""
    import hashlib
    return hashlib.sha256(text.encode()).hexdigest()


def digest(path: Union[str, pathlib.Path]) -> str:
    """The hash of a file. Raises OSError where it cannot be read."""
    import hashlib
    made = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            made.update(block)
    return made.hexdigest()
