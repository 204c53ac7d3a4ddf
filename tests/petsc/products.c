/* Products of matrices with spc's products installed against PETSc's own, on however many processes it runs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "products.h"

#include <petscksp.h>

/* How rows and columns are divided: evenly, all to the first or the last process, or to every other one. */
typedef enum { EVEN, FIRST, LAST, ODD } Parts;

static PetscInt local_size(Parts parts, PetscInt global) {
  PetscMPIInt rank, size;
  PetscInt owners, place;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  if (parts == FIRST)
    return rank == 0 ? global : 0;
  if (parts == LAST)
    return rank == size - 1 ? global : 0;
  owners = parts == EVEN ? size : (size + 1) / 2;
  place = parts == EVEN ? rank : rank / 2;
  if (parts == ODD && rank % 2)
    return 0;
  return global * (place + 1) / owners - global * place / owners;
}

/* `count` entries a row, pseudo-random, of which every fifth row has none; other ones for another seed. */
static PetscErrorCode insert(Mat A, PetscInt count, unsigned seed) {
  PetscInt begin, end, columns;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  PetscCall(MatGetSize(A, NULL, &columns));
  for (PetscInt i = begin; i < end; ++i) {
    unsigned state = (unsigned)i * 2654435761u + seed;
    for (PetscInt k = 0; k < (i % 5 == 4 ? 0 : count); ++k) {
      PetscInt j;
      state = state * 1664525u + 1013904223u;
      j = k == 0 ? i % columns : (PetscInt)(state >> 8) % columns;
      PetscCall(MatSetValue(A, i, j, (PetscScalar)((state >> 16) % 100 + 1.0) / 50 - 1, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

static PetscErrorCode create(MatType type, PetscInt M, PetscInt N, Parts parts, Mat *A) {
  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, local_size(parts, M), local_size(parts, N), M, N));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSetUp(*A));
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscFunctionReturn(0);
}

/* A's products are `own`'s: before and after its values, and its structure, change. */
static PetscErrorCode follow_changes(Mat A, const char *what) {
  Mat own;

  PetscFunctionBegin;
  for (int change = 0; change < 4; ++change) {
    if (change == 1)
      PetscCall(MatScale(A, -1.5));
    if (change == 2)
      PetscCall(insert(A, 3, 1));
    if (change == 3)
      PetscCall(insert(A, 6, 77));
    PetscCall(copy_of_petsc(A, &own));
    PetscCall(compare_products(A, own, what));
    PetscCall(MatDestroy(&own));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode shapes(void) {
  static const struct {
    PetscInt rows, columns;
    Parts parts;
    int changes;
  } cases[] = {{400, 400, EVEN, 1}, {311, 64, ODD, 1}, {40, 300, LAST, 1}, {90, 90, FIRST, 1}, {3, 3, EVEN, 1},
               {5, 3, LAST, 0},     {1, 9, EVEN, 0},   {0, 0, EVEN, 0},    {0, 5, EVEN, 0},    {5, 0, ODD, 0}};
  Mat A, own;
  char what[64];

  PetscFunctionBegin;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    PetscCall(PetscSNPrintf(what, sizeof what, "%d x %d, parts %d", (int)cases[c].rows, (int)cases[c].columns,
                            (int)cases[c].parts));
    PetscCall(create(MATAIJ, cases[c].rows, cases[c].columns, cases[c].parts, &A));
    PetscCall(SpcMatInstall(A));
    PetscCall(SpcMatInstall(A));
    PetscCall(insert(A, cases[c].columns ? 3 : 0, 1));
    if (cases[c].changes)
      PetscCall(follow_changes(A, what));
    else {
      PetscCall(copy_of_petsc(A, &own));
      PetscCall(compare_products(A, own, what));
      PetscCall(MatDestroy(&own));
    }
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(0);
}

/* Subclasses, and MATMPIAIJ on one process too. */
static PetscErrorCode types(void) {
  static const MatType kinds[] = {MATMPIAIJ, MATAIJPERM, MATAIJSELL};
  Mat A;

  PetscFunctionBegin;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
    PetscCall(create(kinds[k], 90, 90, EVEN, &A));
    PetscCall(insert(A, 4, 3));
    PetscCall(SpcMatInstall(A));
    PetscCall(follow_changes(A, kinds[k]));
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(0);
}

/* What is made of a matrix works when that is gone, and what is put in its place works in it. */
static PetscErrorCode copies(void) {
  Mat A, made[3], own;

  PetscFunctionBegin;
  PetscCall(create(MATAIJ, 120, 120, EVEN, &A));
  PetscCall(insert(A, 4, 3));
  PetscCall(SpcMatInstall(A));
  PetscCall(copy_of_petsc(A, &own));
  PetscCall(compare_products(A, own, "a matrix"));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &made[0]));
  PetscCall(MatConvert(A, MATSAME, MAT_INITIAL_MATRIX, &made[1]));
  PetscCall(MatTranspose(A, MAT_INITIAL_MATRIX, &made[2]));
  PetscCall(MatTranspose(A, MAT_INPLACE_MATRIX, &A));
  PetscCall(compare_with(A, made[2], 0, "a matrix transposed in its place"));
  PetscCall(MatAXPY(A, 2, own, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatAXPY(made[2], 2, own, DIFFERENT_NONZERO_PATTERN));
  PetscCall(compare_with(A, made[2], 0, "a matrix with another added"));
  PetscCall(MatDestroy(&A));
  PetscCall(compare_with(made[0], own, 0, "a duplicate"));
  PetscCall(compare_with(made[1], own, 0, "a converted copy"));
  PetscCall(SpcMatInstall(made[0]));
  PetscCall(compare_products(made[0], own, "a duplicate with spc's products"));
  for (int k = 0; k < 3; ++k)
    PetscCall(MatDestroy(&made[k]));
  PetscCall(MatDestroy(&own));
  PetscFunctionReturn(0);
}

static PetscErrorCode poisson(PetscInt n, Mat *A) {
  PetscInt begin, end;

  PetscFunctionBegin;
  PetscCall(create(MATAIJ, n * n, n * n, EVEN, A));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt r = begin; r < end; ++r) {
    const PetscInt i = r / n, j = r % n;
    PetscCall(MatSetValue(*A, r, r, 4, INSERT_VALUES));
    if (i > 0)
      PetscCall(MatSetValue(*A, r, r - n, -1, INSERT_VALUES));
    if (i < n - 1)
      PetscCall(MatSetValue(*A, r, r + n, -1, INSERT_VALUES));
    if (j > 0)
      PetscCall(MatSetValue(*A, r, r - 1, -1, INSERT_VALUES));
    if (j < n - 1)
      PetscCall(MatSetValue(*A, r, r + 1, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

static PetscErrorCode iterations(Mat A, KSPType solver, PCType preconditioner, PetscInt *count) {
  KSP ksp;
  PC pc;
  Vec x, b;
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, solver));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, preconditioner));
  PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 500));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCheck(reason > 0, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s with %s does not converge", solver, preconditioner);
  PetscCall(KSPGetIterationNumber(ksp, count));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(0);
}

/* Solvers take the steps that they take with PETSc's products. */
static PetscErrorCode solvers(void) {
  static const char *const kinds[][2] = {{KSPCG, PCJACOBI}, {KSPGMRES, PCBJACOBI}, {KSPBICG, PCNONE},
                                         {KSPCG, PCGAMG},   {KSPLSQR, PCNONE},     {KSPCG, PCSOR}};
  Mat own, A;
  PetscInt expected, found;

  PetscFunctionBegin;
  PetscCall(poisson(20, &own));
  PetscCall(MatDuplicate(own, MAT_COPY_VALUES, &A));
  PetscCall(SpcMatInstall(A));
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
    PetscCall(iterations(own, kinds[k][0], kinds[k][1], &expected));
    PetscCall(iterations(A, kinds[k][0], kinds[k][1], &found));
    PetscCheck(PetscAbs(found - expected) <= (expected > 40), PETSC_COMM_WORLD, PETSC_ERR_PLIB,
               "%s with %s takes %d iterations, not %d", kinds[k][0], kinds[k][1], (int)found, (int)expected);
  }
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&own));
  PetscFunctionReturn(0);
}

/* Other types are refused, on all processes. */
static PetscErrorCode refusals(void) {
  static const MatType kinds[] = {MATDENSE, MATBAIJ, MATSHELL};
  Mat A;
  PetscErrorCode found;

  PetscFunctionBegin;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
    PetscCall(create(kinds[k], 20, 20, EVEN, &A));
    PetscCall(PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL));
    found = SpcMatInstall(A);
    PetscCall(PetscPopErrorHandler());
    PetscCheck(found == PETSC_ERR_SUP, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: the error is %d", kinds[k], (int)found);
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(0);
}

/* A vector whose part on the last process is too long: PETSc's own error there, which ends all processes. */
static PetscErrorCode wrong_sizes(void) {
  Mat A;
  Vec x, y, longer;
  PetscMPIInt rank, size;

  PetscFunctionBegin;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  PetscCall(poisson(8, &A));
  PetscCall(SpcMatInstall(A));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, local_size(EVEN, 64) + (rank == size - 1), PETSC_DETERMINE, &longer));
  PetscCall(MatMult(A, x, y));
  PetscCall(MatMult(A, longer, y));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv) {
  PetscBool wrong = PETSC_FALSE;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-wrong_sizes", &wrong));
  if (wrong)
    PetscCall(wrong_sizes());
  else {
    PetscCall(shapes());
    PetscCall(types());
    PetscCall(copies());
    PetscCall(solvers());
    PetscCall(refusals());
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "ok: %d comparisons\n", compared));
  }
  PetscCall(PetscFinalize());
  return 0;
}
