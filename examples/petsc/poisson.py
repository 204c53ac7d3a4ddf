"""The same products under petsc4py: spc's are installed in a matrix, and KSP uses them.

    mpirun -n 2 python3 poisson.py -n 60

SPDX-License-Identifier: Apache-2.0"""

import ctypes
import pathlib
import sys

import petsc4py

petsc4py.init(sys.argv)
from petsc4py import PETSc  # noqa: E402

library = ctypes.CDLL(str(pathlib.Path(__file__).parent / "build/libinstall.so"))


def install(matrix):
    if error := library.install(ctypes.c_void_p(matrix.handle)):
        raise PETSc.Error(error)


def laplacian(n):
    matrix = PETSc.Mat().createAIJ((n * n, n * n), nnz=5)
    for row in range(*matrix.getOwnershipRange()):
        i, j = divmod(row, n)
        matrix[row, row] = 4
        for other, inside in ((row - n, i > 0), (row + n, i < n - 1), (row - 1, j > 0), (row + 1, j < n - 1)):
            if inside:
                matrix[row, other] = -1
    matrix.assemble()
    return matrix


def iterations(matrix):
    x, b = matrix.createVecs()
    b.set(1)
    solver = PETSc.KSP().create()
    solver.setOperators(matrix)
    solver.setType("cg")
    solver.getPC().setType("jacobi")
    solver.setTolerances(rtol=1e-8)
    solver.solve(b, x)
    return solver.getIterationNumber()


A = laplacian(PETSc.Options().getInt("n", 30))
own = iterations(A)
install(A)
with_spc = iterations(A)
B = PETSc.Mat().createDense((A.getSize()[1], 8))
B.setUp()
B.setRandom()
B.assemble()
X = A.matMult(B)
PETSc.Sys.Print(f"petsc4py: {own} iterations with PETSc's products, {with_spc} with spc's, |A B| = {X.norm():.6g}")
