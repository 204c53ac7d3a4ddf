"""spc: sparse tensor kernels in index notation, compiled ahead of time.

    import numpy as np, scipy.sparse as sp, spc
    S, A, B = sp.random(1000, 800, 0.01, "csr"), np.random.rand(1000, 16), np.random.rand(800, 16)
    sddmm = spc.kernel("D(i,j) = S(i,j) * A(i,l) * B(j,l)")
    D = sddmm(S=S, A=A, B=B)
"""
# SPDX-License-Identifier: Apache-2.0

from .advice import Explanation, explain, tune
from .api import kernel, load
from .call.threads import get_threads, held_memory, set_threads, trim_memory
from .call.variant import Call, Plan
from .compiler.cache import clear as clear_cache
from .einsum import einsum
from .errors import (ArgumentError, ArgumentTypeError, CompileError, CompilerError, Error, KernelError, SpcWarning,
                     StructureError)
from .files import read
from .kernel import Kernel, Loaded
from .tensors import convert, coo
from .version import __version__

__all__ = ["ArgumentError", "ArgumentTypeError", "Call", "CompileError", "CompilerError", "Error", "Explanation", "Kernel",
           "KernelError", "Loaded", "Plan", "SpcWarning", "StructureError", "__version__", "clear_cache", "convert",
           "coo", "einsum", "explain", "get_threads", "held_memory", "kernel", "load", "read", "set_threads",
           "trim_memory", "tune"]
