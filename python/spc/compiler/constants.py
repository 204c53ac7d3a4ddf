"""Files that a kernel's constants name."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import pathlib
import re
from typing import Dict, Optional, Tuple

from . import hashes

# `const E(v, d): f32 = "e.npy"`, at the beginning of a statement.
_FILE = re.compile(r'((?:^|;)\s*const\s+\w+\s*(?:\([^)"]*\))?[^="\n;#]*=\s*)"([^"\n]+)"', re.MULTILINE)


def constants_in(text: str, folder: pathlib.Path) -> Tuple[str, Dict[str, Optional[str]]]:
    """A kernel's text with the whole paths of files of constants, which it names from the folder, and by path their digests."""
    paths: Dict[str, Optional[str]] = {}

    def whole(match: "re.Match[str]") -> str:
        path = str((folder / match[2]).absolute())
        paths[path] = digest(path)
        return f'{match[1]}"{path}"'

    return _FILE.sub(whole, text), paths


def digest(path: str) -> Optional[str]:
    """A hash of what a file holds; None where it cannot be read, which the compiler will say."""
    try:
        return hashes.digest(path)
    except OSError:
        return None
