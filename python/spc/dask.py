"""Kernels on dask's arrays, a block of rows a task (docs/beyond-one-machine.md).

    import dask.array as da, spc.dask
    spc.dask.register()                 # A.dot(B), of SciPy blocks, runs spc's kernels
    y = spc.dask.divide(kernel, "i", A=A, B=B)
"""
# SPDX-License-Identifier: Apache-2.0

import functools
from typing import Any, Dict, List, Mapping, Sequence, Tuple

import numpy as np
import scipy.sparse as sp

try:
    import dask
    import dask.array as da
    from dask.array.dispatch import tensordot_lookup
    from dask.array.utils import meta_from_array
except ImportError as error:
    raise ImportError("spc.dask needs dask with arrays: python3-dask, or pip install 'dask[array]'") from error

from .api import Format
from .api import kernel as kernel_of
from .errors import ArgumentError, ArgumentTypeError
from .kernel import KernelBase
from .storage.division import Division
from .storage.dtypes import NUMPY
from .storage.signature import Argument, TensorArgument

_REDUCED: Dict[str, Any] = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum, "or": np.logical_or,
            "and": np.logical_and}

_CLASSES = tuple(getattr(sp, name) for name in ("spmatrix", "sparray") if hasattr(sp, name))


def register() -> None:
    """Lets dask multiply blocks of SciPy's matrices by spc's kernels, in `A.dot(B)` and `dask.array.tensordot(A, B, 1)` with
    matrices and vectors. (`A @ B` is np.matmul of each block, which takes no sparse one.)"""
    tensordot_lookup.dispatch(sp.csr_matrix)  # dask registers its own functions when one is asked for
    for kind in vars(sp).values():  # of which it remembers what it has looked up
        if isinstance(kind, type) and issubclass(kind, _CLASSES):
            tensordot_lookup.register(kind, _tensordot)


@functools.lru_cache(maxsize=None)
def _product(left: str, right: str, result: str, is_sparse: bool) -> KernelBase:
    formats: Dict[str, Format] = {"C": "csr"} if is_sparse else {}
    return kernel_of(f"C({result}) = A({left}) * B({right})", formats=formats)


def _tensordot(a: Any, b: Any, axes: Tuple[Sequence[int], Sequence[int]]) -> Any:
    """The product of two blocks along one axis of each, as dask.array.tensordot asks for it."""
    if len(axes[0]) != 1:
        raise ArgumentError(f"blocks of sparse matrices are multiplied along one axis each, not {len(axes[0])}")
    (left_axis,), (right_axis,) = axes
    left = "".join("j" if axis == left_axis % a.ndim else "i" for axis in range(a.ndim))
    right = "".join("j" if axis == right_axis % b.ndim else "k" for axis in range(b.ndim))
    result = (left + right).replace("j", "")
    is_sparse = sp.issparse(a) and sp.issparse(b) and len(result) == 2
    if a.dtype != b.dtype:  # as NumPy has it, and dask announces
        common = np.result_type(a.dtype, b.dtype)
        a, b = a.astype(common), b.astype(common)
    indices = [",".join(letters) for letters in (left, right, result)]
    return _product(*indices, is_sparse)(A=a, B=b)


def divide(kernel: KernelBase, by: str, /, **operands: Any) -> Any:
    """The results of a kernel that is divided by an index, as dask arrays: a task for each block of that.

    operands: by name. What the table of divisions (kernel.divisions()) has as a slice is a dask array in blocks along that
    dimension, of NumPy's arrays or SciPy's matrices; dense ones are cut as the first sparse one is, or else the first. All
    other operands, dask's or not, are passed whole to each task.
    Returns what the kernel returns, computed when dask computes it: slices in blocks, reductions of shares. Raises
    ArgumentError where the index may not be divided, or operands are not cut alike.
    """
    signature = kernel.signature
    divisions = kernel.divisions()
    if by not in divisions:
        raise ArgumentTypeError(f"{kernel.name} has no index {by!r}: there are {', '.join(divisions)}")
    division = divisions[by]
    if not division:
        raise ArgumentError(f"{kernel.name} is not divided by {by!r}: {division.refused}")
    if updated := [argument.name for argument in signature.outputs if argument.is_read]:
        raise ArgumentError(f"{updated[0]} is written in place, which blocks of dask's are not to be")
    values = dict(zip([argument.name for argument in signature.inputs], kernel.in_order((), operands)))
    return _Divided(kernel, division, values).results()


class _Divided:
    """A call whose operands are known."""

    def __init__(self, kernel: KernelBase, division: Division, operands: Dict[str, Any]):
        self._kernel, self._division = kernel, division
        signature = kernel.signature_for(**{name: _block_of(value) for name, value in operands.items()})
        self._inputs, self._outputs = signature.inputs, signature.outputs
        self._sliced = {argument.name: division.arguments[argument.name].dims for argument in self._inputs
                        if division.arguments[argument.name].dims}
        self._sizes: Dict[str, int] = {}
        for argument in self._inputs:
            for extent, size in zip(argument.shape, getattr(operands[argument.name], "shape", ())):
                self._sizes.setdefault(str(extent), size)
        self._chunks = self._chunks_of(operands)
        self._operands = {name: self._cut(name, value) if name in self._sliced else self._whole(value)
                          for name, value in operands.items()}

    def _chunks_of(self, operands: Mapping[str, Any]) -> Tuple[int, ...]:
        """How the divided extent is cut: as a sparse operand is, which is in the blocks that it comes in."""
        blocks = [(not _is_sparse(operands[name]), k, operands[name].chunks[dims[0]])
                  for k, (name, dims) in enumerate(self._sliced.items()) if isinstance(operands[name], da.Array)]
        if not blocks:
            raise ArgumentError(f"none of {', '.join(self._sliced)}, of which each part has a slice, is an array of dask's")
        return tuple(min(blocks)[2])

    def _cut(self, name: str, value: Any) -> List[Any]:
        """The blocks of an operand, as tasks. Raises ArgumentError where they are not cut as all are."""
        dims = self._sliced[name]
        if len(dims) > 1:
            raise ArgumentError(f"{name} is divided along a diagonal, which blocks of dask's are not")
        if not isinstance(value, da.Array):
            value = da.from_array(value, chunks=value.shape)
        chunks = tuple(self._chunks if dim == dims[0] else (size,) for dim, size in enumerate(value.shape))
        if tuple(value.chunks) != chunks:
            if _is_sparse(value):
                raise ArgumentError(f"{name} is in blocks of {value.chunks}, where {chunks} are needed: sparse blocks are not "
                                    "cut anew")
            if any(np.isnan(size) for sizes in (*value.chunks, *chunks) for size in sizes):
                raise ArgumentError(f"{name} or an operand beside it is in chunks of unknown size: .compute_chunk_sizes() finds them out")
            value = value.rechunk(chunks)
        return list(value.to_delayed().reshape(-1))

    @staticmethod
    def _whole(value: Any) -> Any:
        """An operand that each task gets: one task makes it of dask's blocks."""
        if not isinstance(value, da.Array):
            return dask.delayed(value, pure=False) if hasattr(value, "shape") and value.shape else value
        return dask.delayed(_joined)(value.to_delayed().tolist())

    def results(self) -> Any:
        parts: List[Any] = []
        for k in range(len(self._chunks)):
            given = {name: value[k] if name in self._sliced else value for name, value in self._operands.items()}
            made = dask.delayed(self._kernel, pure=False, nout=len(self._outputs) if len(self._outputs) > 1 else None)(**given)
            parts.append([made] if len(self._outputs) == 1 else list(made))
        found = tuple(self._result(argument, [made[k] for made in parts]) for k, argument in enumerate(self._outputs))
        return found[0] if len(found) == 1 else found

    def _result(self, argument: Argument, parts: List[Any]) -> Any:
        part = self._division.arguments[argument.name]
        shape = [self._sizes[str(extent)] if isinstance(extent, str) else extent for extent in argument.shape]
        is_sparse = isinstance(argument, TensorArgument) and not argument.storage.is_dense and len(shape) == 2
        meta = sp.csr_matrix((0, 0), dtype=NUMPY[argument.type]) if is_sparse else np.empty((0,) * len(shape), NUMPY[argument.type])
        if part.dims:
            blocks = [da.from_delayed(one, [size if dim in part.dims else whole for dim, whole in enumerate(shape)], meta=meta)
                      for one, size in zip(parts, self._chunks)]
            return da.concatenate(blocks, part.dims[0])
        if part.role in _REDUCED:
            while len(parts) > 1:  # in pairs, as many at a time as there are workers
                pairs = [dask.delayed(_reduced)(part.role, *parts[k:k + 2]) for k in range(0, len(parts), 2)]
                parts = pairs
        return da.from_delayed(parts[0], shape, meta=meta)


def _block_of(value: Any) -> Any:
    """An operand that a block stands for, without elements."""
    return meta_from_array(value) if isinstance(value, da.Array) else value


def _is_sparse(value: Any) -> bool:
    return isinstance(value, da.Array) and sp.issparse(meta_from_array(value))


def _reduced(role: str, first: Any, second: Any = None) -> Any:
    if second is None:
        return first
    return first + second if role == "sum" else _REDUCED[role](first, second)


def _joined(blocks: Any) -> Any:
    """Nested lists of blocks as one array or matrix."""
    if isinstance(blocks, list) and len(blocks) == 1:
        return _joined(blocks[0])
    if not isinstance(blocks, list):
        return blocks
    rows = [_joined_row(row) for row in blocks] if isinstance(blocks[0], list) else blocks
    return sp.vstack(rows, "csr") if sp.issparse(rows[0]) else np.concatenate(rows)


def _joined_row(row: List[Any]) -> Any:
    return row[0] if len(row) == 1 else sp.hstack(row, "csr") if sp.issparse(row[0]) else np.concatenate(row, 1)
