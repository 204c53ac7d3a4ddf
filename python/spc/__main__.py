"""What is installed where, `python -m spc`, and the compiler that is, `python -m spc compile kernel.tex -o kernel.o`."""
# SPDX-License-Identifier: Apache-2.0

import importlib
import os
import platform
import sys

from . import get_threads
from .compiler import cache, toolchain
from .errors import Error
from .version import __version__


def _versions() -> str:
    """Of the package, Python and the libraries whose objects are operands, as far as they are there."""
    found = [f"spc {__version__}", f"Python {platform.python_version()}"]
    for name, shown in (("numpy", "NumPy"), ("scipy", "SciPy"), ("torch", "PyTorch"), ("sparse", "sparse")):
        try:
            found.append(f"{shown} {importlib.import_module(name).__version__}")
        except ImportError:
            continue
    return ", ".join(found)


def _model() -> str:
    """The processor's name."""
    named = [part.partition("=")[2] for part in toolchain.processor().split("; ") if part.startswith("model name=")]
    return ", ".join([*named, platform.machine()])


def main() -> int:
    """Prints versions, the processor and paths; returns 1 where the compiler cannot be used. With arguments the process
    becomes the compiler's, which has them."""
    if len(sys.argv) > 1:
        try:
            compiler = str(toolchain.compiler())
            os.execv(compiler, [compiler, *sys.argv[1:]])
        except (Error, OSError) as error:
            print(f"spc: {error}", file=sys.stderr)
            return 1
    print(_versions())
    print(f"processor   {_model()}")
    try:
        print(f"compiler    {toolchain.compiler()}: {toolchain.version()}")
        print(f"threads     {get_threads()}, by {toolchain.helper_library()}")
        print(f"cache       {cache.folder()}, at most {cache.limit() >> 20} MiB")
    except Error as error:
        print(f"spc: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
