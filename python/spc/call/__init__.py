"""Calls of compiled kernels: from views of operands to objects of their libraries."""
# SPDX-License-Identifier: Apache-2.0
