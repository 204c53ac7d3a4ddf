#!/usr/bin/env bash
# Sets up what is needed, builds everything and runs every test. Arguments go to ctest (-R NAME runs some).
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"

spc_packages "${spc_build_packages[@]}" "${spc_test_packages[@]}"
spc_ninja
ctest --test-dir "$spc_build" --output-on-failure --no-tests=error -j "$(nproc)" "$@"
