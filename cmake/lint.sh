#!/usr/bin/env bash
# Checks formatting, lengths, and what clang-tidy, g++ and mypy find; lint.py says how. Arguments: --since COMMIT,
# --seconds NUMBER.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

spc_packages "${spc_build_packages[@]}" git clang-format-22 clang-tidy-22 mypy python3-numpy
exec python3 "$spc_root/cmake/lint.py" "$@"
