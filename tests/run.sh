#!/usr/bin/env bash
# Sets up what is needed, builds everything and runs every test. Arguments go to ctest (-R NAME runs some).
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"

spc_packages "${spc_build_packages[@]}" libeigen3-dev libmimalloc-dev # which are looked for when spc is configured
# The tests' own packages, half a gigabyte, arrive while spc is compiled.
spc_packages "${spc_test_packages[@]}" &
packages=$!
built=0
spc_ninja || built=$?
wait "$packages"
if [ "$built" -ne 0 ]; then
  exit "$built"
fi
# Every spc that a test starts verifies what it plans. Tests wait now and then: one more than there are processors runs.
export SPC_VERIFY_PLANS=1
rm -f "$spc_build/left-out"
status=0
ctest --test-dir "$spc_build" --output-on-failure --no-tests=error -j "$(($(nproc) + 1))" "$@" || status=$?
if [ -f "$spc_build/left-out" ]; then
  cat "$spc_build/left-out"
fi
exit "$status"
