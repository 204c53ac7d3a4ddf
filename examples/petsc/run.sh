#!/bin/bash
# The solver on two processes, in C and under petsc4py, from a bare Debian 12: installs PETSc, compiles spc's kernels for it,
# runs. Arguments are the solver's: -n 400 -sides 32, or, on data of yours,
#
#     python3 examples/petsc/to_petsc.py a.mtx a.petsc && examples/petsc/run.sh -f "$PWD/a.petsc"
#
# PROCESSES says how many there are, SPC which spc is run (default: that of build/, which is built where it is missing).
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")"
# shellcheck source=../../cmake/setup.sh
source ../../cmake/setup.sh
spc_packages "${spc_petsc_packages[@]}" make pkgconf
spc_for_examples
make -s SPC="$SPC"

# mpirun refuses root unless it is asked twice; processes that wait let others run where there are more than processors.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
run=(mpirun --oversubscribe -n "${PROCESSES:-2}")
python=$(pkg-config --variable=prefix petsc)/lib/python3/dist-packages
echo "== spc's products"
"${run[@]}" build/poisson "$@"
echo "== PETSc's own"
"${run[@]}" build/poisson "$@" -own
echo "== petsc4py"
PYTHONPATH=$python "${run[@]}" /usr/bin/python3 poisson.py
