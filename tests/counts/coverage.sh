#!/usr/bin/env bash
# Line and branch coverage of src by all tests: builds build-coverage/, runs the tests there, writes coverage.json.
# Arguments go to ctest. SPC_COVERAGE_HTML=FOLDER writes a page for each file, too.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
source "$root/cmake/setup.sh"
spc_packages "${spc_build_packages[@]}" "${spc_test_packages[@]}" libclang-rt-22-dev

build=$root/build-coverage
cd "$root"
CC=clang-22 CXX=clang++-22 LDFLAGS=-fuse-ld=lld-22 cmake --preset coverage
ninja -C "$build" -j "$(spc_jobs)"
# Each process adds to one of four files: thousands of them run.
rm -rf "$build/profiles"
status=0
LLVM_PROFILE_FILE="$build/profiles/%4m.profraw" \
  ctest --test-dir "$build" --output-on-failure -j "$(nproc)" "$@" || status=$?
llvm-profdata-22 merge -o "$build/profile" "$build"/profiles/*.profraw
objects=()
for binary in "$build"/bin/*; do
  objects+=(-object "$binary")
done
# Tests that time out under the counters cost coverage, not correctness: they are listed above.
llvm-cov-22 export -summary-only -instr-profile="$build/profile" "${objects[@]}" >"$build/coverage.json"
if [ -n "${SPC_COVERAGE_HTML:-}" ]; then
  llvm-cov-22 show -format=html -show-branches=count -output-dir="$SPC_COVERAGE_HTML" -instr-profile="$build/profile" \
    "${objects[@]}" "$root/src"
fi
python3 "$here/counts.py" coverage "$build/coverage.json"
exit "$status"
