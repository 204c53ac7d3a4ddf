"""SciPy's own operations on spc's kernels, on all cores (docs/python.md).

    import spc.scipy
    with spc.scipy.enabled():
        C = A @ B + A.multiply(x)
"""
# SPDX-License-Identifier: Apache-2.0

from .kernels import THRESHOLDS
from .methods import disable, enable, enabled, is_enabled

__all__ = ["THRESHOLDS", "disable", "enable", "enabled", "is_enabled"]
