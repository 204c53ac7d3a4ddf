/* A x = b for several right-hand sides: one after another by KSP, whose products are MatMult, and all at once by
 * conjugate gradients whose product is MatMatMult. A is the Laplacian of a square grid, or comes from a file.
 *
 *     mpirun -n 2 ./poisson -n 200 -sides 16          grid points along a side; right-hand sides
 *     mpirun -n 2 ./poisson -f a.petsc                a symmetric positive definite matrix as MatLoad reads it
 *     mpirun -n 2 ./poisson -own                      with PETSc's own products
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <spc/petsc.h>

#include <petscksp.h>

static PetscErrorCode laplacian(PetscInt n, Mat *A) {
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n * n, n * n, 5, NULL, 5, NULL, A));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    const PetscInt i = row / n, j = row % n;
    const PetscInt columns[] = {row, i > 0 ? row - n : -1, i < n - 1 ? row + n : -1, j > 0 ? row - 1 : -1,
                                j < n - 1 ? row + 1 : -1}; /* PETSc leaves out negative ones */
    const PetscScalar values[] = {4, -1, -1, -1, -1};
    PetscCall(MatSetValues(*A, 1, &row, 5, columns, values, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

static PetscErrorCode load(const char *file, Mat *A) {
  PetscViewer viewer;

  PetscFunctionBeginUser;
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file, FILE_MODE_READ, &viewer));
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatLoad(*A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(0);
}

/* One right-hand side after another; the iterations of all. */
static PetscErrorCode solve_each(Mat A, Mat B, Mat X, PetscInt *iterations) {
  KSP ksp;
  PC pc;
  PetscInt sides, taken;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(MatGetSize(B, NULL, &sides));
  *iterations = 0;
  for (PetscInt side = 0; side < sides; ++side) {
    Vec b, x;
    PetscCall(MatDenseGetColumnVecRead(B, side, &b));
    PetscCall(MatDenseGetColumnVecWrite(X, side, &x));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(MatDenseRestoreColumnVecRead(B, side, &b));
    PetscCall(MatDenseRestoreColumnVecWrite(X, side, &x));
    PetscCall(KSPGetIterationNumber(ksp, &taken));
    *iterations += taken;
  }
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(0);
}

/* The inner products of the columns of two matrices, or, with weights, of one's and the other's times these. */
static PetscErrorCode dots(Mat P, Mat Q, const PetscScalar *weights, PetscInt sides, PetscScalar *sums) {
  const PetscScalar *p, *q;
  PetscInt rows;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(P, &rows, NULL));
  PetscCall(MatDenseGetArrayRead(P, &p));
  PetscCall(MatDenseGetArrayRead(Q, &q));
  for (PetscInt side = 0; side < sides; ++side) {
    sums[side] = 0;
    for (PetscInt i = side * rows; i < (side + 1) * rows; ++i)
      sums[side] += PetscConj(p[i]) * q[i] * (weights ? weights[i - side * rows] : 1);
  }
  PetscCall(MatDenseRestoreArrayRead(P, &p));
  PetscCall(MatDenseRestoreArrayRead(Q, &q));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, (PetscMPIInt)sides, MPIU_SCALAR, MPIU_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(0);
}

/* Column by column, y = a y + b w x. */
static PetscErrorCode combine(Mat Y, const PetscScalar *a, const PetscScalar *b, const PetscScalar *weights, Mat X,
                              PetscInt sides) {
  const PetscScalar *x;
  PetscScalar *y;
  PetscInt rows;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(Y, &rows, NULL));
  PetscCall(MatDenseGetArrayRead(X, &x));
  PetscCall(MatDenseGetArray(Y, &y));
  for (PetscInt side = 0; side < sides; ++side)
    for (PetscInt i = side * rows; i < (side + 1) * rows; ++i)
      y[i] = (a ? a[side] : 1) * y[i] + (b ? b[side] : 1) * (weights ? weights[i - side * rows] : 1) * x[i];
  PetscCall(MatDenseRestoreArrayRead(X, &x));
  PetscCall(MatDenseRestoreArray(Y, &y));
  PetscFunctionReturn(0);
}

/* All at once: conjugate gradients of each column, preconditioned by the diagonal, with one product a step for all. */
static PetscErrorCode solve_all(Mat A, Mat B, Mat X, PetscInt sides, PetscInt *steps) {
  Mat R, P, Q;
  Vec diagonal;
  const PetscScalar *weights;
  PetscScalar *rz, *next, *a, *b;
  PetscReal first = 0;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(B, MAT_COPY_VALUES, &R));
  PetscCall(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &P));
  PetscCall(MatZeroEntries(P));
  PetscCall(MatZeroEntries(X));
  PetscCall(MatMatMult(A, P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &Q));
  PetscCall(MatCreateVecs(A, NULL, &diagonal));
  PetscCall(MatGetDiagonal(A, diagonal));
  PetscCall(VecReciprocal(diagonal));
  PetscCall(VecGetArrayRead(diagonal, &weights));
  PetscCall(PetscMalloc4(sides, &rz, sides, &next, sides, &a, sides, &b));
  PetscCall(dots(R, R, weights, sides, rz));
  for (PetscInt side = 0; side < sides; ++side) {
    first = PetscMax(first, PetscRealPart(rz[side]));
    b[side] = 0;
  }
  for (*steps = 0; *steps < 10000; ++*steps) {
    PetscReal most = 0;
    PetscCall(combine(P, b, NULL, weights, R, sides));
    PetscCall(MatMatMult(A, P, MAT_REUSE_MATRIX, PETSC_DEFAULT, &Q));
    PetscCall(dots(P, Q, NULL, sides, next));
    for (PetscInt side = 0; side < sides; ++side)
      a[side] = next[side] == 0.0 ? 0.0 : rz[side] / next[side];
    PetscCall(combine(X, NULL, a, NULL, P, sides));
    for (PetscInt side = 0; side < sides; ++side)
      a[side] = -a[side];
    PetscCall(combine(R, NULL, a, NULL, Q, sides));
    PetscCall(dots(R, R, weights, sides, next));
    for (PetscInt side = 0; side < sides; ++side) {
      most = PetscMax(most, PetscRealPart(next[side]));
      b[side] = rz[side] == 0.0 ? 0.0 : next[side] / rz[side];
      rz[side] = next[side];
    }
    if (most <= 1e-16 * first)
      break;
  }
  PetscCall(PetscFree4(rz, next, a, b));
  PetscCall(VecRestoreArrayRead(diagonal, &weights));
  PetscCall(VecDestroy(&diagonal));
  PetscCall(MatDestroy(&R));
  PetscCall(MatDestroy(&P));
  PetscCall(MatDestroy(&Q));
  PetscFunctionReturn(0);
}

/* |A X - B| / |B| is small, or the error is PETSC_ERR_NOT_CONVERGED. */
static PetscErrorCode report(Mat A, Mat B, Mat X, const char *how, PetscInt steps, double seconds) {
  Mat Y;
  PetscReal error, size;

  PetscFunctionBeginUser;
  PetscCall(MatMatMult(A, X, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &Y));
  PetscCall(MatAXPY(Y, -1, B, SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(Y, NORM_FROBENIUS, &error));
  PetscCall(MatNorm(B, NORM_FROBENIUS, &size));
  PetscCall(MatDestroy(&Y));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %d steps, %.3f s, residual %.1e\n", how, (int)steps, seconds,
                        (double)(error / size)));
  PetscCheck(error <= 1e-6 * size, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "%s: the residual is too large", how);
  PetscFunctionReturn(0);
}

int main(int argc, char **argv) {
  char file[PETSC_MAX_PATH_LEN];
  PetscInt n = 60, sides = 8, rows, steps = 0;
  PetscBool given, own = PETSC_FALSE;
  Mat A, B, X;
  double start;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-sides", &sides, NULL));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-own", &own));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-f", file, sizeof file, &given));
  PetscCall(given ? load(file, &A) : laplacian(n, &A));
  if (!own)
    PetscCall(SpcMatInstall(A));
  PetscCall(MatGetLocalSize(A, &rows, NULL));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, rows, PETSC_DECIDE, PETSC_DETERMINE, sides, NULL, &B));
  PetscCall(MatSetRandom(B, NULL));
  PetscCall(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &X));
  start = MPI_Wtime();
  PetscCall(solve_each(A, B, X, &steps));
  PetscCall(report(A, B, X, "one after another", steps, MPI_Wtime() - start));
  start = MPI_Wtime();
  PetscCall(solve_all(A, B, X, sides, &steps));
  PetscCall(report(A, B, X, "all at once", steps, MPI_Wtime() - start));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscCall(PetscFinalize());
  return 0;
}
