"""Parts of matrices, and matrices side by side."""
# SPDX-License-Identifier: Apache-2.0

from typing import Any

import numpy as np

from ..sources.scipy import family_of
from ..storage import dtypes
from . import kernels
from .kernels import of_type

_MOST_BESIDE = 8


def part(self: Any, major: Any = None, minor: Any = None, copy: bool = False) -> Any:
    """`A[a:b]` of CSR and `A[:, a:b]` of CSC, in SciPy's words: ranges of the dimension that is compressed, and of the other
    one. SciPy walks the entries one by one, and has a way for slices with steps that copies them at once."""
    if not isinstance(major, slice) or not kernels.is_compressed(self) or self.ndim != 2:
        return None
    rows, columns = self.shape if self.format == "csr" else self.shape[::-1]
    start, stop, step = major.indices(rows)
    if step != 1 or start >= stop or stop - start == rows:
        return None
    if minor is not None and (not isinstance(minor, slice) or minor.indices(columns) != (0, columns, 1)):
        return None
    if not kernels.is_worth("A[a:b]", int(self.indptr[stop]) - int(self.indptr[start]), self):
        return None
    return self._major_slice(slice(start, stop), copy=True)


def at_places(matrix: Any, rows: Any, columns: Any) -> Any:
    """`A[i, j]` of arrays of one dimension that say the places, none of which is negative. Of fewer places than rows, SciPy
    looks through fewer entries than are read here to know their order."""
    if not kernels.is_compressed(matrix) or np.ndim(rows) != 1 or np.ndim(columns) != 1 or len(rows) != len(columns):
        return None
    if not kernels.is_worth("A[i, j]", len(rows), matrix) or matrix.dtype.char not in kernels.MOVED:
        return None
    if len(rows) < len(matrix.indptr) - 1:
        return None
    places = [np.ascontiguousarray(array, matrix.indices.dtype) for array in (rows, columns)]
    if any([array.min() < 0 for array in places]) or not kernels.is_canonical(matrix):
        return None
    found = kernels.run(kernels.kernel("y(k) = A(r(k), c(k))", (("A", matrix.format),)), matrix, *places)
    return found if found is None or family_of(matrix) == "scipy" else found.reshape(1, -1).view(np.matrix)


def beside(blocks: Any, axis: int) -> Any:
    """CSR matrices side by side, and CSC ones below each other (axis 0): what SciPy's `hstack` and `vstack` call."""
    matrices = list(blocks)
    if not 2 <= len(matrices) <= _MOST_BESIDE or any([matrix.ndim != 2 for matrix in matrices]):
        return None
    if len({matrix.shape[1 - axis] for matrix in matrices}) > 1 or \
            not all([kernels.is_worth("hstack", sum([one.nnz for one in matrices]), matrix) for matrix in matrices]):
        return None
    dtype = np.result_type(*[matrix.dtype for matrix in matrices])
    if dtype.char not in kernels.MOVED or not kernels.is_canonical(*matrices):
        return None
    form = matrices[0].format
    names = [f"A{k}" for k in range(len(matrices))]
    kernel = kernels.kernel(_beside(len(matrices), axis), tuple([(name, form) for name in (*names, "C")]), (), False,
                            (("T", dtypes.name_of(dtype)),))
    found = kernels.run(kernel, *[of_type(matrix, dtype) for matrix in matrices])
    return None if found is None else kernels.canonical(_class_of(matrices[0]), found, kernels.widest(matrices))


def _class_of(matrix: Any) -> Any:
    """SciPy's class of stacked matrices, of which the first one is given."""
    import scipy.sparse as sp
    is_array = family_of(matrix) == "scipy" and hasattr(sp, "sparray")  # before, all were matrices
    return getattr(sp, f"{matrix.format}_{'array' if is_array else 'matrix'}")


def _beside(count: int, axis: int) -> str:
    """The kernel of matrices along an axis."""
    lines, terms, before = ["type T = f64"], [], ""
    for k in range(count):
        lines.append(f"tensor A{k}({f'm{k}, n' if axis == 0 else f'm, n{k}'}): T, sparse")
        terms.append(f"padded(A{k}({f'i{before}, j' if axis == 0 else f'i, j{before}'}))")
        before += f" - {'mn'[axis]}{k}"
    total = " + ".join([f"{'mn'[axis]}{k}" for k in range(count)])
    lines.append(f"tensor C({f'{total}, n' if axis == 0 else f'm, {total}'}): T, sparse")
    return "\n".join([*lines, f"C(i, j) = {' + '.join(terms)}", ""])
