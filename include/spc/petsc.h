/* PETSc's matrices with spc's products. C11 and C++17, PETSc 3.18 or later.
 *
 *     make -f $(pkg-config --variable=petsc_mk spc)     petsc_kernels.a and petsc_kernels.h, once for a PETSc
 *
 *     #include <spc/petsc.h>
 *     PetscCall(SpcMatInstall(A));                      MATSEQAIJ or MATMPIAIJ, at any time once its type is set
 *
 * From then on MatMult, MatMultAdd, MatMultTranspose, MatMultTransposeAdd and MatMatMult with MATDENSE run spc's
 * kernels on the arrays that A has: KSP, PC and SNES need not know. The products read values and structure anew, so
 * that A may be assembled again. All else of A stays PETSc's. Memory that the products keep is freed with A. A copy
 * (MatDuplicate, MatConvert) is as PETSc makes it: it has spc's products once they are installed in it, too.
 *
 * The products of A are made by one thread at a time, as all calls of PETSc. Errors are PETSc's.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SPC_PETSC_H
#define SPC_PETSC_H

#include "petsc/dense.h"

/* Installs spc's products in A, MATSEQAIJ or MATMPIAIJ or a subclass on the host. A need not be assembled. Doing it
 * again sets the products up anew. Collective. PETSC_ERR_SUP: a matrix of another type. */
static inline PetscErrorCode SpcMatInstall(Mat A) {
  Mat diagonal, rest;
  const PetscInt *columns;
  SpcMat *spc;

  PetscFunctionBegin;
  PetscCall(SpcMatBlocks(A, &diagonal, &rest, &columns));
  PetscCall(SpcMatCompose(A, &spc));
  PetscCall(SpcMatReset(spc));
  PetscCall(MatSetOperation(A, MATOP_MULT, (void (*)(void))SpcMatMult));
  PetscCall(MatSetOperation(A, MATOP_MULT_ADD, (void (*)(void))SpcMatMultAdd));
  PetscCall(MatSetOperation(A, MATOP_MULT_TRANSPOSE, (void (*)(void))SpcMatMultTranspose));
  PetscCall(MatSetOperation(A, MATOP_MULT_TRANSPOSE_ADD, (void (*)(void))SpcMatMultTransposeAdd));
  PetscCall(SpcMatInstallProducts(A));
  PetscFunctionReturn(SPC_PETSC_OK);
}

#endif
