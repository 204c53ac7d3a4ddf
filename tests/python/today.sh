#!/usr/bin/env bash
# Runs with the versions that python/requirements-today.txt pins, which take gigabytes, what CI leaves out: README's lines,
# docs/tour.md, docs/python.md and docs/training.md from the wheel, README's lines and the tour for each Python at hand, and all
# tests of the package. An environment is made in build/today, or is the one whose folder SPC_TODAY names; it is not changed.
# Where there are arguments, these go to pytest, and nothing else is run. Needs Python 3.11 or later, and spc built in build/ or
# SPC_BUILD.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${SPC_BUILD:-$root/build}
place=${SPC_TODAY:-$build/today}
if [ ! -x "$place/bin/python" ]; then
  "${PYTHON:-python3}" -m venv "$place"
  "$place/bin/python" -m pip install --quiet --requirement "$root/python/requirements-today.txt"
fi
# pytest, which an environment of one's own may lack, is put beside it.
if ! "$place/bin/python" -c 'import pytest' 2>/dev/null; then
  [ -d "$build/today-pytest" ] || "$place/bin/python" -m pip install --quiet --target "$build/today-pytest" pytest
  export PYTHONPATH=$build/today-pytest${PYTHONPATH:+:$PYTHONPATH}
fi
"$place/bin/python" -c 'import numpy, scipy, torch
print("PyTorch", torch.__version__ + ", NumPy", numpy.__version__ + ", SciPy", scipy.__version__)'
if [ $# -eq 0 ]; then
  (
    unset PYTHONPATH
    export SPC_BUILD=$build
    "$place/bin/python" "$root/tests/python/wheel.py" --over "$place/bin/python"
    "$place/bin/python" "$root/tests/python/wheel.py" --each
  )
fi
# What PyTorch 2 and SciPy 1.18 warn of in the tests that both versions run; their other warnings are errors.
exec "$place/bin/python" "$root/tests/python/run.py" --show-capture=no \
  -W 'ignore:The default value for `spmatrix`' \
  -W 'ignore:Sparse invariant checks' -W 'ignore:torch.quantize_per_tensor' -W 'ignore:Converting a tensor with requires_grad' \
  -W 'ignore:`torch.jit.script`' -W 'ignore:Please use `torch.vmap`' -W "ignore:We've integrated functorch" "$@"
