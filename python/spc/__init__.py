"""spc: sparse tensor kernels in index notation, compiled ahead of time.

    import spc
    sddmm = spc.kernel("D(i,j) = S(i,j) * A(i,l) * B(j,l)", S="csr")
    D = sddmm(S=matrix, A=a, B=b)
"""
# SPDX-License-Identifier: Apache-2.0

from .errors import (ArgumentError, ArgumentTypeError, CompileError, CompilerError, Error, KernelError, SpcWarning,
                     StructureError)
from .kernel import Kernel, Loaded, kernel, load
from .threads import get_threads, held_memory, set_threads, trim_memory

__all__ = ["ArgumentError", "ArgumentTypeError", "CompileError", "CompilerError", "Error", "Kernel", "KernelError",
           "Loaded", "SpcWarning", "StructureError", "get_threads", "held_memory", "kernel", "load", "set_threads",
           "trim_memory"]
