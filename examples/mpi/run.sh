#!/usr/bin/env bash
# Installs what is missing, builds spc, and runs its kernels in several processes. Arguments are the example's: a graph as a
# Matrix Market file, and the process of each vertex as METIS's gpmetis writes it. RANKS says how many processes (3).
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../cmake/setup.sh"

spc_packages "${spc_build_packages[@]}" python3-numpy python3-scipy python3-mpi4py openmpi-bin
spc_ninja spc
PATH=$spc_build/bin:$PATH PYTHONPATH=$spc_root/python mpirun --allow-run-as-root --oversubscribe -n "${RANKS:-3}" \
  /usr/bin/python3 "$spc_root/examples/mpi/layers.py" "$@"
