/* The products of a matrix of PETSc and a vector by spc's kernels. Included by ../petsc.h.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SPC_PETSC_VECTORS_H
#define SPC_PETSC_VECTORS_H

#include "mat.h"

/* Adds to `to` what the halo's columns give. Where few rows have entries there, these alone are computed. */
static inline PetscErrorCode SpcMatMultRest(const SpcMat *spc, PetscScalar *to) {
  const SpcVector read = SpcVectorOf(spc->ghost, spc->ghosts);
  SpcAIJ rest;

  PetscFunctionBegin;
  PetscCall(SpcBlock(spc->rest, &rest));
  if (2 * (int64_t)spc->listed > rest.nrows) {
    SpcVector written = SpcVectorOf(to, (PetscInt)rest.nrows);
    SpcCall(aij_mult_add(&rest, &read, &written));
  } else {
    SpcVector written = SpcVectorOf(spc->sums, spc->listed);
    PetscCall(SpcListed(spc, &rest));
    SpcCall(aij_mult(&rest, &read, &written));
    for (PetscInt k = 0; k < spc->listed; ++k)
      to[spc->rows[k]] += spc->sums[k];
  }
  PetscCall(PetscLogFlops(2.0 * (PetscLogDouble)rest.nnz));
  PetscFunctionReturn(SPC_PETSC_OK);
}

/* y = A x, or y += A x: the process's own columns while the halo travels, then those of others. */
static inline PetscErrorCode SpcMatMultInto(Mat A, Vec x, Vec y, PetscBool add) {
  SpcMat *spc;
  SpcAIJ own;
  const PetscScalar *from;
  PetscScalar *to;

  PetscFunctionBegin;
  PetscCall(SpcMatGet(A, &spc));
  PetscCall(SpcBlock(spc->diagonal, &own));
  PetscCall(VecGetArrayRead(x, &from));
  if (add)
    PetscCall(VecGetArray(y, &to));
  else
    PetscCall(VecGetArrayWrite(y, &to));
  if (spc->halo)
    PetscCall(PetscSFBcastBegin(spc->halo, MPIU_SCALAR, from, spc->ghost, MPI_REPLACE));
  {
    const SpcVector read = SpcVectorOf(from, (PetscInt)own.ncols);
    SpcVector written = SpcVectorOf(to, (PetscInt)own.nrows);
    if (add)
      SpcCall(aij_mult_add(&own, &read, &written));
    else
      SpcCall(aij_mult(&own, &read, &written));
  }
  if (spc->halo)
    PetscCall(PetscSFBcastEnd(spc->halo, MPIU_SCALAR, from, spc->ghost, MPI_REPLACE));
  if (spc->listed)
    PetscCall(SpcMatMultRest(spc, to));
  PetscCall(VecRestoreArrayRead(x, &from));
  if (add)
    PetscCall(VecRestoreArray(y, &to));
  else
    PetscCall(VecRestoreArrayWrite(y, &to));
  PetscCall(PetscLogFlops(2.0 * (PetscLogDouble)own.nnz));
  PetscFunctionReturn(SPC_PETSC_OK);
}

/* y = A' x, or y += A' x: what is other processes' travels while the process's own is computed, and is added there. */
static inline PetscErrorCode SpcMatMultTransposeInto(Mat A, Vec x, Vec y, PetscBool add) {
  SpcMat *spc;
  SpcAIJ own, listed;
  const PetscScalar *from;
  PetscScalar *to;

  PetscFunctionBegin;
  PetscCall(SpcMatGet(A, &spc));
  PetscCall(SpcBlock(spc->diagonal, &own));
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArray(y, &to));
  if (spc->halo) {
    const SpcVector read = SpcVectorOf(spc->sums, spc->listed);
    SpcVector written = SpcVectorOf(spc->ghost, spc->ghosts);
    for (PetscInt k = 0; k < spc->listed; ++k)
      spc->sums[k] = from[spc->rows[k]];
    PetscCall(SpcListed(spc, &listed));
    if (spc->ghosts)
      SpcCall(aij_mult_transpose(&listed, &read, &written));
  }
  {
    const SpcVector read = SpcVectorOf(from, (PetscInt)own.nrows);
    SpcVector written = SpcVectorOf(to, (PetscInt)own.ncols);
    if (spc->halo)
      PetscCall(PetscSFReduceBegin(spc->halo, MPIU_SCALAR, spc->ghost, to, MPIU_SUM));
    if (add)
      SpcCall(aij_mult_transpose_add(&own, &read, &written));
    else
      SpcCall(aij_mult_transpose(&own, &read, &written));
    if (spc->halo)
      PetscCall(PetscSFReduceEnd(spc->halo, MPIU_SCALAR, spc->ghost, to, MPIU_SUM));
  }
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscCall(VecRestoreArray(y, &to));
  PetscCall(PetscLogFlops(2.0 * (PetscLogDouble)(own.nnz + (spc->halo ? listed.nnz : 0))));
  PetscFunctionReturn(SPC_PETSC_OK);
}

static inline PetscErrorCode SpcMatMult(Mat A, Vec x, Vec y) {
  return SpcMatMultInto(A, x, y, PETSC_FALSE);
}

/* z = y + A x; z may be y. */
static inline PetscErrorCode SpcMatMultAdd(Mat A, Vec x, Vec y, Vec z) {
  PetscFunctionBegin;
  if (y != z)
    PetscCall(VecCopy(y, z));
  PetscCall(SpcMatMultInto(A, x, z, PETSC_TRUE));
  PetscFunctionReturn(SPC_PETSC_OK);
}

static inline PetscErrorCode SpcMatMultTranspose(Mat A, Vec x, Vec y) {
  return SpcMatMultTransposeInto(A, x, y, PETSC_FALSE);
}

/* z = y + A' x; z may be y. */
static inline PetscErrorCode SpcMatMultTransposeAdd(Mat A, Vec x, Vec y, Vec z) {
  PetscFunctionBegin;
  if (y != z)
    PetscCall(VecCopy(y, z));
  PetscCall(SpcMatMultTransposeInto(A, x, z, PETSC_TRUE));
  PetscFunctionReturn(SPC_PETSC_OK);
}

#endif
