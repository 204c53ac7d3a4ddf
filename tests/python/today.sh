#!/usr/bin/env bash
# Runs the tests of PyTorch's tensors and models with the versions that python/requirements-today.txt pins, which CI does not:
# they take gigabytes. An environment is made in build/today, or is the one whose folder SPC_TODAY names; it is not changed.
# Arguments go to pytest, -k torch where there are none. Needs Python 3.10 or later, and spc built in build/ or SPC_BUILD.
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
[ $# -gt 0 ] || set -- -k torch
# What PyTorch 2 warns of in the tests that both versions run; their other warnings are errors.
exec "$place/bin/python" "$root/tests/python/run.py" --show-capture=no \
  -W 'ignore:Sparse invariant checks' -W 'ignore:torch.quantize_per_tensor' -W 'ignore:Converting a tensor with requires_grad' \
  -W 'ignore:`torch.jit.script`' -W 'ignore:Please use `torch.vmap`' -W "ignore:We've integrated functorch" "$@"
