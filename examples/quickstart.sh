#!/usr/bin/env bash
# From a bare Debian 12 to running kernels: installs what is missing, builds spc, then compiles, links and runs SpMM
# and SDDMM on the graph of Zachary's karate club.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"

spc_packages "${spc_build_packages[@]}"
echo "== building spc"
spc_ninja spc

out=$spc_build/quickstart
data=$spc_root/examples/data/karate.mtx
for kernel in spmm sddmm; do
  folder=$spc_root/examples/$kernel
  mkdir -p "$out/$kernel"
  cp -pu "$folder"/{Makefile,app.cpp,csr.json,"$kernel.tex"} "$out/$kernel/"
  cp -pur "$spc_root/examples/common" "$out/"
  echo
  echo "== $kernel: compile, link, run on $data"
  make -C "$out/$kernel" --no-print-directory SPC="$spc_build/bin/spc" DATA="$data" clean run
done

echo
echo "== done; for each kernel there are"
for kernel in spmm sddmm; do
  echo "   kernel  examples/$kernel/$kernel.tex"
  echo "   format  examples/$kernel/csr.json"
  echo "   object  build/quickstart/$kernel/$kernel.o"
  echo "   header  build/quickstart/$kernel/$kernel.h"
  echo "   app     examples/$kernel/app.cpp"
done
echo "   'make run SPC=$spc_build/bin/spc' in examples/spmv, spmm or sddmm builds one in place"
