"""What goes wrong, as exceptions. All of them are `spc.Error`."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations


class Error(Exception):
    """Of spc: its subclasses are what it raises."""


class CompilerError(Error, RuntimeError):
    """The compiler is not there, does not run, or failed by a fault of its own."""


class CompileError(Error, ValueError):
    """A kernel, a format or an option is wrong. The text is spc's diagnostics, with their places and carets."""


class ArgumentError(Error, ValueError):
    """An operand of a call does not fit: its kind, type, shape, order or storage. The text says what would."""


class ArgumentTypeError(ArgumentError, TypeError):
    """An operand is of a class that nothing is known of, or has a type that is not its tensor's."""


class StructureError(ArgumentError):
    """The index arrays of a sparse operand are not what its format says."""


class KernelError(Error, RuntimeError):
    """A call returned a status. `status` is its number (docs/abi.md, Statuses)."""

    def __init__(self, message: str, status: int):
        super().__init__(message)
        self.status = status


class SpcWarning(UserWarning):
    """What spc warns of when it compiles a kernel."""
