#!/bin/bash
# The program on PROCESSES processes (default: 2), from a bare Debian 12: installs MPI, compiles, runs. POINTS=1000 is a larger
# grid. SPC says which spc is run (default: that of build/, which is built where it is missing).
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")"
# shellcheck source=../../cmake/setup.sh
source ../../cmake/setup.sh
spc_packages libopenmpi-dev openmpi-bin g++ make
spc_for_examples
# mpirun refuses root unless it is asked twice; processes that wait let others run where there are more than processors.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
make -s run SPC="$SPC" PROCESSES="${PROCESSES:-2}" POINTS="${POINTS:-100}"
