"""spc: sparse tensor kernels in index notation, compiled ahead of time.

    import spc
    sddmm = spc.kernel("D(i,j) = S(i,j) * A(i,l) * B(j,l)", S="csr")
    D = sddmm(S=matrix, A=a, B=b)
"""
# SPDX-License-Identifier: Apache-2.0

from .api import kernel, load
from .cache import clear as clear_cache
from .einsum import einsum
from .errors import (ArgumentError, ArgumentTypeError, CompileError, CompilerError, Error, KernelError, SpcWarning,
                     StructureError)
from .kernel import Kernel, Loaded
from .threads import get_threads, held_memory, set_threads, trim_memory
from .variant import Call, Plan

__all__ = ["ArgumentError", "ArgumentTypeError", "Call", "CompileError", "CompilerError", "Error", "Kernel",
           "KernelError", "Loaded", "Plan", "SpcWarning", "StructureError", "clear_cache", "einsum", "get_threads",
           "held_memory", "kernel", "load", "set_threads", "trim_memory"]
