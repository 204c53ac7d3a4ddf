#!/usr/bin/env bash
# Installs what is missing, builds spc, and runs its kernels on blocks of dask's arrays. Arguments are the example's: CELLS
# GENES BLOCKS.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../cmake/setup.sh"

spc_packages "${spc_build_packages[@]}" python3-numpy python3-scipy python3-dask
spc_ninja spc
PATH=$spc_build/bin:$PATH PYTHONPATH=$spc_root/python /usr/bin/python3 "$spc_root/examples/dask/cells.py" "$@"
