#!/bin/sh
# Writes the pages of `spc explain --html` for graph attention and for a product of sparse matrices, on one matrix:
#   docs/explain-pages.sh SPC MATRIX.mtx[.gz] FOLDER
set -eu
[ $# -eq 3 ] || { sed -n '2,3s/^# *//p' "$0" >&2; exit 2; }
programs=$(dirname "$0")/../examples/programs
mkdir -p "$3"
"$1" explain -q "$programs/attention.tex" --format S=csr "S=$2" --size k=64 --size f=64 --html "$3/attention.html"
printf 'C(i,j) = A(i,k) * B(k,j)\n' > "$3/spgemm.tex"
"$1" explain -q "$3/spgemm.tex" --format A=csr --format B=csr --format C=csr "A=$2" "B=$2" --html "$3/spgemm.html"
