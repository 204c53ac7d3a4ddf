"""Sparse matrices whose values are a tensor of PyTorch's: gradients belong to these. Imported where torch is."""
# SPDX-License-Identifier: Apache-2.0

import copy
from typing import Any, Dict, List, Tuple

import numpy as np
import torch

from ..call import results
from ..call.copies import readable
from ..call.gradients import holder, is_tracked, tensors_of
from ..call.validate import note_right, settle
from ..errors import ArgumentError, ArgumentTypeError
from ..sources import reader, torch as sources_torch, torch_private, view_of
from ..sources.arrays import origin
from ..storage import dtypes
from ..storage.dtypes import Array
from ..storage.signature import Storage
from ..storage.view import NumberView, Place, View
from .entries import spread


#: Storages of matrices and the index arrays that they have, by number.
STORED: Dict[int, Tuple[Storage, List[Place]]] = {}


class Matrix:
    """A sparse matrix or tensor: an index structure that does not change, and a tensor of its values.

    values: of the entries in the order in which they are stored; any tensor, such as a parameter of a module. With one more
    dimension, ahead of the others, they are those of a batch. pattern: the structure. Kernels and operators take it as an
    operand, and return such for sparse results.
    """

    def __init__(self, values: torch.Tensor, pattern: View):
        if not isinstance(values, torch.Tensor):
            raise ArgumentTypeError(f"values are a tensor, and {type(values).__qualname__} is none: torch.as_tensor() makes "
                                    "one")
        self.values, self.pattern = values, pattern
        count = values.shape[1:].numel() if self.is_batch else values.numel()
        if count != pattern.stored:
            raise ArgumentError(f"{count} values, and {pattern.stored} entries")

    @classmethod
    def of(cls, matrix: Any, validate: str = "first", copies: bool = False, share: bool = False) -> "Matrix":
        """The matrix of SciPy's, torch's or another library's sparse object, whose values it shares. One that is a Matrix
        is returned.

        copies: whether it is one of a copy where no format says how the object is stored. share: whether it has the object's
        index arrays, too, which must not change then.
        Raises ArgumentError of what is not sparse, and of tensors that require gradients; StructureError where index arrays
        are wrong.
        """
        if isinstance(matrix, Matrix):
            return matrix
        for tensor in tensors_of(matrix):
            if is_tracked(tensor):
                raise ArgumentError("the tensor requires gradients, which its values would not pass on: Matrix.of(tensor"
                                    ".detach()) has values of its own to differentiate by")
        view = (readable if copies else view_of)(matrix, "matrix")
        if isinstance(view, NumberView) or view.storage.is_dense:
            raise ArgumentError("it is not sparse: .to_sparse_csr() or scipy.sparse.csr_array() make it so")
        settle(view, "matrix", validate)
        array = view.arrays["values", 0]
        if not array.flags.writeable:
            raise ArgumentError("its values are read-only: .copy() makes others")
        is_tensor = isinstance(view.owner, torch.Tensor)
        values = torch_private.values(view.owner).detach().reshape(array.shape) if is_tensor else sources_torch.tensor(torch, array, view.type)
        made = cls(values, view)
        return _with_tensors(made) if share else made.owning()

    def __reduce__(self) -> Tuple[Any, ...]:
        pattern = self.pattern
        arrays = {place: array for place, array in pattern.arrays.items() if place[0] != "values"}
        return _restored, (self.values, arrays, pattern.arrays["values", 0].shape, pattern.type, pattern.storage,
                           pattern.shape, pattern.pointers, pattern.indices, pattern.stored, pattern.numbers)

    def __deepcopy__(self, memo: Dict[int, Any]) -> "Matrix":
        return Matrix(copy.deepcopy(self.values, memo), self.pattern)  # structures do not change

    def structure(self) -> List[torch.Tensor]:
        """The index arrays as tensors, in the order of `places_of`: the same ones each time, so that they are known to be
        validated."""
        pattern = self.pattern
        if not isinstance(pattern.owner, list):
            STORED.setdefault(pattern.storage.number, (pattern.storage, places_of(pattern)))
            tensors = [sources_torch.tensor(torch, origin(pattern.arrays[place]), "") for place in places_of(pattern)]
            self.pattern = View(pattern.shape, pattern.type, pattern.storage, pattern.arrays, "spc.torch", tensors,
                                pointers=pattern.pointers, indices=pattern.indices, stored=pattern.stored,
                                numbers=pattern.numbers, witness=pattern.witness)
        arrays: List[torch.Tensor] = self.pattern.owner
        return arrays

    @property
    def shape(self) -> Tuple[int, ...]:
        """Its extents."""
        return self.pattern.shape

    @property
    def is_batch(self) -> bool:
        """Whether the values are those of several matrices in one structure."""
        return bool(self.values.dim() > self.pattern.arrays["values", 0].ndim)

    def owning(self) -> "Matrix":
        """The matrix with copies of its index arrays, which are known to be right as those are."""
        old = self.pattern
        arrays = {place: array if place[0] == "values" else array.copy() for place, array in old.arrays.items()}
        pattern = View(old.shape, old.type, old.storage, arrays, "spc.torch", None, pointers=old.pointers,
                       indices=old.indices, stored=old.stored, numbers=old.numbers,
                       witness=tuple(array for place, array in arrays.items() if place[0] != "values"))
        note_right(pattern)
        return _with_tensors(Matrix(self.values, pattern))

    def with_values(self, values: torch.Tensor) -> "Matrix":
        """The matrix of other values in the same structure."""
        return Matrix(values, self.pattern)

    def contiguous(self) -> "Matrix":
        """The matrix whose values lie one after the other, as kernels read them: this one where they do. Gradients go
        through."""
        values = sources_torch.resolved(self.values).contiguous()
        return self if values is self.values else self.with_values(values)

    def view(self) -> View:
        """What kernels read. Raises ArgumentError of values that lie apart, for whose strides structs have no place."""
        data, type_ = sources_torch.numbers(torch, self.values)
        if not data.flags.c_contiguous:
            raise ArgumentError("its values lie apart: .contiguous() copies")
        pattern = self.pattern
        return View(pattern.shape, type_, pattern.storage, {**pattern.arrays, ("values", 0): data}, "spc.torch", self,
                    pointers=pattern.pointers, indices=pattern.indices, stored=pattern.stored, numbers=pattern.numbers,
                    witness=pattern.witness)

    def to_torch(self) -> Any:
        """The tensor of torch's layout, which shares its values; where torch has none, SciPy's array or a dictionary. Raises
        ArgumentError of values that require gradients, which it would not pass on, and of batches."""
        if is_tracked(self.values):
            raise ArgumentError("its values require gradients, which torch's sparse tensor would not pass on: to_dense() does, "
                                "and .with_values(matrix.values.detach()) says that none are wanted")
        if self.is_batch:
            raise ArgumentError("its values are a batch: to_dense(), or .with_values(matrix.values[k]) of each element")
        view = self.contiguous().view()
        view.family = "torch"
        return results.wrap(results.patterned(view, "own"), "torch")

    def to_dense(self) -> torch.Tensor:
        """A dense tensor, to which gradients flow. Raises ArgumentError where neither torch nor SciPy has its storage."""
        if self.is_batch or is_tracked(self.values) or torch_private.is_transformed() or not torch_private.has_memory(self.values):
            return spread(self.values, self.pattern, self.values.shape[:self.values.dim() - self.pattern.arrays["values", 0].ndim])
        made = self.to_torch()
        if isinstance(made, torch.Tensor):
            return made.to_dense()
        if isinstance(made, dict):
            raise ArgumentError("it is stored as no other library stores matrices: a kernel with a dense result converts")
        return torch.from_numpy(made.toarray())

    def __repr__(self) -> str:
        return f"<spc.torch.Matrix {'x'.join(map(str, self.shape))}, {self.pattern.stored} entries, {self.values.dtype}>"


def _restored(values: torch.Tensor, arrays: Dict[Place, Array], values_shape: Tuple[int, ...], type_: str,
              storage: Storage, shape: Tuple[int, ...], pointers: str, indices: str, stored: int,
              numbers: Dict[Place, int]) -> Matrix:
    """The matrix of what was pickled, whose structure is looked through as a new one is."""
    witness = tuple(arrays.values())
    arrays = {**arrays, ("values", 0): np.broadcast_to(np.empty((), dtypes.NUMPY[type_]), values_shape)}
    made = Matrix(values, View(shape, type_, storage, arrays, "spc.torch", None, pointers=pointers, indices=indices,
                               stored=stored, numbers=numbers, witness=witness))
    made.structure()  # torch.compile does not trace how these come about
    return made


def _with_tensors(matrix: Matrix) -> Matrix:
    """The matrix, whose index arrays are tensors now, as torch.compile does not trace how these come about; arrays that are
    read-only, of which tensors would warn, are left."""
    if all(array.flags.writeable for array in matrix.pattern.arrays.values()):
        matrix.structure()
    return matrix


def places_of(pattern: View) -> List[Place]:
    """Which index arrays a structure has."""
    return sorted(place for place in pattern.arrays if place[0] != "values")


def standing_for(value: Any) -> Any:
    """An operand like this one that has memory, by which its layout can be told."""
    if isinstance(value, Matrix):
        values = standing_for(value.values)
        return value if values is value.values else value.with_values(values)
    if isinstance(value, torch.Tensor) and value.device.type == "cpu" and not torch_private.has_storage(value):
        return torch.empty(value.shape, dtype=value.dtype)
    return value


def _wrap(view: View) -> Matrix:
    """The matrix of a sparse result."""
    return Matrix(sources_torch.tensor(torch, view.arrays["values", 0], view.type), view)


@reader
def matrix(value: Any) -> Any:
    """Matrices as operands of kernels."""
    return value.view() if isinstance(value, Matrix) else None


results.maker("spc.torch", _wrap)
holder(Matrix, lambda value: (value.values,))
