#!/usr/bin/env bash
# Runs the tests of scipy.sparse, its linalg and csgraph that SciPy itself brings while spc.scipy is enabled, with every threshold at
# 0: SciPy 1.10 of Debian, and those that python/requirements-scipy-*.txt pin, in environments that are made in build/. SPC_SCIPY
# names other interpreters instead, between colons. Tests that fail are run again without spc.scipy, and those that then pass are
# listed. Arguments go to pytest, as -k minmax. Needs Python 3.12 or later for the pinned ones, and spc built in build/ or SPC_BUILD.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export SPC_BUILD=${SPC_BUILD:-$root/build}
interpreters=()
if [ -n "${SPC_SCIPY:-}" ]; then
  IFS=: read -r -a interpreters <<< "$SPC_SCIPY"
else
  interpreters+=(/usr/bin/python3)
  for pinned in "$root"/python/requirements-scipy-*.txt; do
    place=$SPC_BUILD/$(basename "$pinned" .txt)
    if [ ! -x "$place/bin/python" ]; then
      "${PYTHON:-python3}" -m venv "$place"
      "$place/bin/python" -m pip install --quiet --requirement "$pinned"
    fi
    interpreters+=("$place/bin/python")
  done
fi

export SPC_COMPILER=${SPC_COMPILER:-$SPC_BUILD/bin/spc}
export PYTHONPATH=$root/python:$root/tests/python${PYTHONPATH:+:$PYTHONPATH} PYTHONDONTWRITEBYTECODE=1
differences=0
for interpreter in "${interpreters[@]}"; do
  "$interpreter" "$root/tests/python/scipy_own.py" "$@" || differences=1
done
exit $differences
