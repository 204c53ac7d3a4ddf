#!/usr/bin/env python3
"""Runs the tests of the Python package with the first interpreter that has NumPy, SciPy and pytest: the one that runs
this, or the system's. Arguments go to pytest. SPC_BUILD names the build folder, build/ by default."""
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NEEDED = "import numpy, pytest, scipy.sparse"


def main():
    build = os.environ.get("SPC_BUILD") or str(ROOT / "build")
    environment = {**os.environ, "SPC_BUILD": build, "SPC_COMPILER": f"{build}/bin/spc",
                   "PYTHONPATH": f"{ROOT}/python{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    for interpreter in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([interpreter, "-c", NEEDED], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            named = any(pathlib.Path(argument.partition("::")[0]).exists() for argument in sys.argv[1:])
            command = [interpreter, "-m", "pytest", "-q", "-p", "no:cacheprovider", *sys.argv[1:]]
            return subprocess.run(command if named else [*command, ROOT / "tests" / "python"], env=environment,
                                  check=False).returncode
    print("no interpreter has NumPy, SciPy and pytest: 'apt install python3-numpy python3-scipy python3-pytest'",
          file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
