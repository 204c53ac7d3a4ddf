#!/usr/bin/env bash
# A sparse matrix that is larger than the memory: makes a CSR of GB gigabytes (default: 4), multiplies it with 32 columns
# in a process that may have 1.5 GB of addresses, compares the result with those of spc and of SciPy that have it all in
# memory, and says how fast it was beside the disk. These two take some 3 times GB.
#     bench/memory/run.sh [GB] [FOLDER]
# FOLDER takes three times as much (default: a temporary one, which is removed). It needs NumPy and SciPy.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../cmake/setup.sh"

gigabytes=${1:-4}
folder=${2:-}
python=${PYTHON:-/usr/bin/python3}
addresses=1500000 # KB
memory=1G
spc_ninja spc
spc=$spc_build/bin/spc
if [ -z "$folder" ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi

# forget FILE: has the system read it from the disk again.
forget() {
  dd if="$1" iflag=nocache count=0 status=none
}

# seconds COMMAND...: how long it takes.
seconds() {
  local begin
  begin=$(date +%s.%N)
  "$@" >&2
  awk -v "begin=$begin" -v "end=$(date +%s.%N)" 'BEGIN { printf "%.2f", end - begin }'
}

multiply() {
  (cd "$folder" && "$spc" run "$here/spmm.tex" --format A=csr A=A.npz B=B.npy -q "$@")
}

multiply_in_blocks() (
  ulimit -v "$addresses"
  multiply -o C=C.npy "--memory=$memory"
)

# rate SECONDS: megabytes of A.npz a second.
rate() {
  awk -v "bytes=$(stat -c %s "$folder/A.npz")" -v "seconds=$1" 'BEGIN { printf "%.0f MB/s", bytes / seconds / 1e6 }'
}

if [ ! -f "$folder/A.npz" ]; then
  "$python" "$here/matrix.py" make "$folder" "$gigabytes"
fi
sync
forget "$folder/A.npz"
disk=$(seconds dd if="$folder/A.npz" of=/dev/null bs=4M status=none)
warm=$(seconds dd if="$folder/A.npz" of=/dev/null bs=4M status=none)
forget "$folder/A.npz"
cold_run=$(seconds multiply_in_blocks)
warm_run=$(seconds multiply_in_blocks)
whole_run=$(seconds multiply -o C=whole.npy --input-limit=1T)
cmp "$folder/C.npy" "$folder/whole.npy"
rm "$folder/whole.npy"
"$python" "$here/matrix.py" check "$folder"
cat <<TABLE
                          seconds         A.npz
dd, from the disk     $(printf %11s "$disk")  $(printf %12s "$(rate "$disk")")
dd, from its cache    $(printf %11s "$warm")  $(printf %12s "$(rate "$warm")")
SpMM, from the disk   $(printf %11s "$cold_run")  $(printf %12s "$(rate "$cold_run")")
SpMM, from its cache  $(printf %11s "$warm_run")  $(printf %12s "$(rate "$warm_run")")
the same in memory    $(printf %11s "$whole_run")  $(printf %12s "$(rate "$whole_run")")
TABLE
