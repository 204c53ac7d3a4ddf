#!/usr/bin/env python3
"""Writes a Matrix Market file (.mtx, .mtx.gz) or a SciPy .npz as a file that PETSc's MatLoad reads.

    python3 to_petsc.py a.mtx.gz a.petsc

For real scalars of 64 bits and indices of 32. A matrix without values gets ones.
SPDX-License-Identifier: Apache-2.0"""

import sys

import numpy as np
import scipy.io
import scipy.sparse

MAT_FILE_CLASSID = 1211216


def read(path):
    matrix = scipy.sparse.load_npz(path) if path.endswith(".npz") else scipy.io.mmread(path)
    matrix = scipy.sparse.csr_matrix(matrix)
    matrix.sum_duplicates()
    if np.iscomplexobj(matrix.data):
        sys.exit(f"{path} is complex")
    return matrix


def write(matrix, path):
    if matrix.nnz >= 2**31:
        sys.exit(f"{matrix.nnz} entries are too many for indices of 32 bits")
    with open(path, "wb") as file:
        for numbers, kind in (
            ([MAT_FILE_CLASSID, *matrix.shape, matrix.nnz], ">i4"),
            (np.diff(matrix.indptr), ">i4"),
            (matrix.indices, ">i4"),
            (matrix.data, ">f8"),
        ):
            np.asarray(numbers).astype(kind).tofile(file)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    write(read(sys.argv[1]), sys.argv[2])
