/* Compares each product of a matrix with those that PETSc makes. SPDX-License-Identifier: Apache-2.0 */
#ifndef SPC_TESTS_PETSC_PRODUCTS_H
#define SPC_TESTS_PETSC_PRODUCTS_H

#include <spc/petsc.h>

static int compared = 0;

/* Whether an operation of M is spc's. */
static PetscErrorCode expect_operation(Mat M, MatOperation operation, void (*wanted)(void), const char *what) {
  void (*found)(void);

  PetscFunctionBegin;
  PetscCall(MatGetOperation(M, operation, &found));
  PetscCheck(found == wanted, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: operation %d is not spc's", what, (int)operation);
  PetscFunctionReturn(0);
}

/* A with PETSc's products, those of its plainest type. */
static PetscErrorCode copy_of_petsc(Mat A, Mat *own) {
  PetscBool distributed;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &distributed));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, own));
  PetscCall(MatConvert(*own, distributed ? MATMPIAIJ : MATSEQAIJ, MAT_INPLACE_MATRIX, own));
  PetscFunctionReturn(0);
}

static PetscErrorCode expect_close_numbers(PetscInt size, const PetscScalar *found, const PetscScalar *expected,
                                           const char *product, const char *what) {
  PetscFunctionBegin;
  for (PetscInt i = 0; i < size; ++i)
    PetscCheck(PetscAbsScalar(found[i] - expected[i]) <=
                   1000 * PETSC_MACHINE_EPSILON * (1 + PetscAbsScalar(expected[i])),
               PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s of %s: %g, not %g, at %d", product, what,
               (double)PetscRealPart(found[i]), (double)PetscRealPart(expected[i]), (int)i);
  ++compared;
  PetscFunctionReturn(0);
}

/* This process' part alone: no communication, which takes a turn of the scheduler each where processes share
 * a processor. */
static PetscErrorCode expect_close(Vec found, Vec expected, const char *product, const char *what) {
  const PetscScalar *values, *wanted;
  PetscInt size;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(found, &size));
  PetscCall(VecGetArrayRead(found, &values));
  PetscCall(VecGetArrayRead(expected, &wanted));
  PetscCall(expect_close_numbers(size, values, wanted, product, what));
  PetscCall(VecRestoreArrayRead(found, &values));
  PetscCall(VecRestoreArrayRead(expected, &wanted));
  PetscFunctionReturn(0);
}

/* The products with vectors; y and x are as long as A has rows and columns. */
static PetscErrorCode compare_vectors(Mat A, Mat own, const char *what) {
  Vec x, y, start, found, expected, found_t, expected_t;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(own, &x, &y));
  PetscCall(VecDuplicate(y, &found));
  PetscCall(VecDuplicate(y, &expected));
  PetscCall(VecDuplicate(x, &found_t));
  PetscCall(VecDuplicate(x, &expected_t));
  PetscCall(VecSetRandom(x, NULL));
  PetscCall(VecSetRandom(y, NULL));
  PetscCall(VecSet(found, PETSC_INFINITY));
  PetscCall(VecSet(found_t, PETSC_INFINITY));

  PetscCall(MatMult(own, x, expected));
  PetscCall(MatMult(A, x, found));
  PetscCall(expect_close(found, expected, "MatMult", what));
  PetscCall(MatMultAdd(own, x, y, expected));
  PetscCall(MatMultAdd(A, x, y, found));
  PetscCall(expect_close(found, expected, "MatMultAdd", what));
  PetscCall(VecCopy(y, found));
  PetscCall(MatMultAdd(A, x, found, found));
  PetscCall(expect_close(found, expected, "MatMultAdd in place", what));

  PetscCall(MatMultTranspose(own, y, expected_t));
  PetscCall(MatMultTranspose(A, y, found_t));
  PetscCall(expect_close(found_t, expected_t, "MatMultTranspose", what));
  PetscCall(VecDuplicate(x, &start));
  PetscCall(VecSetRandom(start, NULL));
  PetscCall(MatMultTransposeAdd(own, y, start, expected_t));
  PetscCall(MatMultTransposeAdd(A, y, start, found_t));
  PetscCall(expect_close(found_t, expected_t, "MatMultTransposeAdd", what));
  PetscCall(MatMultTransposeAdd(A, y, start, start));
  PetscCall(expect_close(start, expected_t, "MatMultTransposeAdd in place", what));

  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&start));
  PetscCall(VecDestroy(&found));
  PetscCall(VecDestroy(&expected));
  PetscCall(VecDestroy(&found_t));
  PetscCall(VecDestroy(&expected_t));
  PetscFunctionReturn(0);
}

static PetscErrorCode expect_close_matrix(Mat found, Mat expected, const char *product, const char *what) {
  const PetscScalar *values, *wanted;
  PetscInt rows, columns, ld, wanted_ld;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(found, &rows, NULL));
  PetscCall(MatGetSize(found, NULL, &columns));
  PetscCall(MatDenseGetLDA(found, &ld));
  PetscCall(MatDenseGetLDA(expected, &wanted_ld));
  PetscCall(MatDenseGetArrayRead(found, &values));
  PetscCall(MatDenseGetArrayRead(expected, &wanted));
  for (PetscInt k = 0; k < columns; ++k)
    PetscCall(expect_close_numbers(rows, values + k * ld, wanted + k * wanted_ld, product, what));
  PetscCall(MatDenseRestoreArrayRead(found, &values));
  PetscCall(MatDenseRestoreArrayRead(expected, &wanted));
  PetscFunctionReturn(0);
}

/* A dense matrix of random numbers whose columns are `extra` numbers further apart than they are long. */
static PetscErrorCode dense(PetscInt rows, PetscInt columns, PetscInt extra, Mat *B) {
  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, B));
  PetscCall(MatSetSizes(*B, rows, PETSC_DECIDE, PETSC_DETERMINE, columns));
  PetscCall(MatSetType(*B, MATDENSE));
  PetscCall(MatDenseSetLDA(*B, PetscMax(1, rows + extra)));
  PetscCall(MatSetUp(*B));
  PetscCall(MatSetRandom(*B, NULL));
  PetscFunctionReturn(0);
}

/* `installed` says whether A has spc's product. */
static PetscErrorCode compare_dense(Mat A, Mat own, PetscInt columns, PetscInt extra, int installed, const char *what) {
  Mat B, found, expected, transposed, expected_t;
  PetscInt m, n;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &m, &n));
  PetscCall(dense(n, columns, extra, &B));
  PetscCall(MatMatMult(own, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &expected));
  PetscCall(MatMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &found));
  if (installed)
    PetscCall(expect_operation(found, MATOP_PRODUCTNUMERIC, (void (*)(void))SpcProductNumeric, what));
  PetscCall(expect_close_matrix(found, expected, "MatMatMult", what));
  PetscCall(MatScale(B, 3));
  PetscCall(MatMatMult(own, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, &expected));
  PetscCall(MatMatMult(A, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, &found));
  PetscCall(expect_close_matrix(found, expected, "MatMatMult again", what));
  PetscCall(MatDestroy(&found));
  PetscCall(dense(m, columns, extra, &found)); /* memory of the caller's, with gaps */
  PetscCall(MatMatMult(A, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, &found));
  PetscCall(expect_close_matrix(found, expected, "MatMatMult into the caller's", what));
  PetscCall(MatTransposeMatMult(own, expected, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &expected_t));
  PetscCall(MatTransposeMatMult(A, expected, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &transposed));
  PetscCall(expect_close_matrix(transposed, expected_t, "MatTransposeMatMult", what));
  PetscCall(MatDestroy(&transposed));
  PetscCall(MatDestroy(&expected_t));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&found));
  PetscCall(MatDestroy(&expected));
  PetscFunctionReturn(0);
}

/* Each product of A against own's, which has PETSc's. */
static PetscErrorCode compare_with(Mat A, Mat own, int installed, const char *what) {
  PetscFunctionBegin;
  PetscCall(compare_vectors(A, own, what));
  PetscCall(compare_dense(A, own, 1, 0, installed, what));
  PetscCall(compare_dense(A, own, 2 * SPC_PETSC_TILE + 5, 3, installed, what));
  PetscFunctionReturn(0);
}

/* The same of a matrix that has spc's. */
static PetscErrorCode compare_products(Mat A, Mat own, const char *what) {
  PetscFunctionBegin;
  PetscCall(expect_operation(A, MATOP_MULT, (void (*)(void))SpcMatMult, what));
  PetscCall(expect_operation(A, MATOP_MULT_ADD, (void (*)(void))SpcMatMultAdd, what));
  PetscCall(expect_operation(A, MATOP_MULT_TRANSPOSE, (void (*)(void))SpcMatMultTranspose, what));
  PetscCall(expect_operation(A, MATOP_MULT_TRANSPOSE_ADD, (void (*)(void))SpcMatMultTransposeAdd, what));
  PetscCall(compare_with(A, own, 1, what));
  PetscFunctionReturn(0);
}

#endif
