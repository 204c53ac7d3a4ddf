"""How tensors lie in memory: types, levels, storages, signatures of kernels, and views of operands."""
# SPDX-License-Identifier: Apache-2.0
