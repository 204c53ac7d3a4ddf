/* The product of a matrix of PETSc and a dense one, which PETSc stores by columns, by spc's kernel for rows. Included
 * by ../petsc.h.
 *
 * A tile of columns becomes rows: those that the next rows of the result need, where these are few and so stay in
 * cache, or all, as far as they are needed first. Of the result a few rows at a time are computed, by rows, and written
 * by columns. So memory is bounded by the tile, and a row of A is read once a tile, not once a column.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SPC_PETSC_DENSE_H
#define SPC_PETSC_DENSE_H

#include "tile.h"

static inline spc_status SpcTileProduct(const SpcAIJ *own, const SpcRows *read, SpcRows *written) {
  return read->shape[1] == SPC_PETSC_TILE ? aij_mat_mult_16(own, read, written) : aij_mat_mult(own, read, written);
}

/* Rows `begin` to `end` - 1 of the result, to which rows `first` to `last` - 1 of those with entries in other
 * processes' columns are added. */
static inline PetscErrorCode SpcTileRows(SpcTile *tile, PetscInt begin, PetscInt end, PetscInt first, PetscInt last) {
  const SpcMat *spc = tile->spc;
  const PetscInt width = tile->width;
  SpcAIJ own;
  SpcRows read, written = SpcRowsOf(spc->results, end - begin, width);

  PetscFunctionBegin;
  SpcTileOperands(tile, begin, end, &own, &read);
  SpcCall(SpcTileProduct(&own, &read, &written));
  if (first < last) {
    const SpcAIJ listed = SpcSlice(&tile->listed, first, last);
    const SpcRows halo = SpcRowsOf(spc->ghost_tile, spc->ghosts, width);
    SpcRows added = SpcRowsOf(spc->added, last - first, width);
    SpcCall(SpcTileProduct(&listed, &halo, &added));
    for (PetscInt k = first; k < last; ++k)
      for (PetscInt c = 0; c < width; ++c)
        spc->results[(spc->rows[k] - begin) * width + c] += spc->added[(k - first) * width + c];
  }
  SpcRowsToColumns(end - begin, width, spc->results, tile->to + begin, tile->ld_to, tile->far);
  PetscFunctionReturn(SPC_PETSC_OK);
}

/* All rows: those without entries in other processes' columns while the halo travels, then the others. */
static inline PetscErrorCode SpcTileMult(SpcTile *tile) {
  const SpcMat *spc = tile->spc;
  const PetscInt rows = (PetscInt)tile->own.nrows, width = tile->width;
  const MPI_Datatype unit = spc->units[width];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < spc->sent; ++k)
    for (PetscInt c = 0; c < width; ++c)
      spc->sent_tile[(size_t)k * (size_t)width + (size_t)c] =
          tile->from[(size_t)c * (size_t)tile->ld_from + (size_t)spc->sent_rows[k]];
  if (spc->tile_halo)
    PetscCall(PetscSFBcastBegin(spc->tile_halo, unit, spc->sent_tile, spc->ghost_tile, MPI_REPLACE));
  for (int with_halo = 0; with_halo < 2; ++with_halo) {
    PetscInt first = 0, last = 0;
    if (with_halo && spc->tile_halo)
      PetscCall(PetscSFBcastEnd(spc->tile_halo, unit, spc->sent_tile, spc->ghost_tile, MPI_REPLACE));
    for (PetscInt begin = 0; begin < rows; begin += SPC_PETSC_ROWS, first = last) {
      const PetscInt end = PetscMin(begin + SPC_PETSC_ROWS, rows);
      while (last < spc->listed && spc->rows[last] < end)
        ++last;
      if ((first < last) == with_halo)
        PetscCall(SpcTileRows(tile, begin, end, first, last));
    }
  }
  PetscFunctionReturn(SPC_PETSC_OK);
}

/* C = A B, both dense; C has its sizes. */
static inline PetscErrorCode SpcMatMatMult(Mat A, Mat B, Mat C) {
  SpcMat *spc;
  SpcTile tile;
  const PetscScalar *from;
  PetscScalar *to;
  PetscInt columns;
  PetscBool assembled;

  PetscFunctionBegin;
  PetscCall(MatAssembled(A, &assembled));
  PetscCheck(assembled, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE, "spc: A is not assembled");
  PetscCall(SpcMatGet(A, &spc));
  memset(&tile, 0, sizeof tile);
  tile.spc = spc;
  PetscCall(SpcBlock(spc->diagonal, &tile.own));
  if (spc->rest)
    PetscCall(SpcListed(spc, &tile.listed));
  if (!spc->tile)
    PetscCall(SpcTileSetUp(spc, &tile.own));
  PetscCall(MatGetSize(B, NULL, &columns));
  PetscCall(MatDenseGetLDA(B, &tile.ld_from));
  PetscCall(MatDenseGetLDA(C, &tile.ld_to));
  PetscCall(MatDenseGetArrayRead(B, &from));
  PetscCall(MatDenseGetArrayWrite(C, &to));
  tile.far = (size_t)tile.own.nrows * (size_t)columns * sizeof *to >= SPC_PETSC_FAR;
  for (PetscInt k = 0; k < columns; k += SPC_PETSC_TILE) {
    tile.width = PetscMin(SPC_PETSC_TILE, columns - k);
    tile.from = from + (size_t)k * (size_t)tile.ld_from;
    tile.to = to + (size_t)k * (size_t)tile.ld_to;
    tile.packed = 0;
    if (spc->units[tile.width] == MPI_DATATYPE_NULL) {
      PetscCallMPI(MPI_Type_contiguous((int)tile.width, MPIU_SCALAR, &spc->units[tile.width]));
      PetscCallMPI(MPI_Type_commit(&spc->units[tile.width]));
    }
    PetscCall(SpcTileMult(&tile));
  }
#ifdef SPC_PETSC_STREAMS
  _mm_sfence();
#endif
  PetscCall(MatDenseRestoreArrayRead(B, &from));
  PetscCall(MatDenseRestoreArrayWrite(C, &to));
  PetscCall(MatAssemblyBegin(C, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(C, MAT_FINAL_ASSEMBLY));
  PetscCall(PetscLogFlops(2.0 * (PetscLogDouble)columns * (PetscLogDouble)(tile.own.nnz + tile.listed.nnz)));
  PetscFunctionReturn(SPC_PETSC_OK);
}

static inline PetscErrorCode SpcProductNumeric(Mat C) {
  Mat A, B;

  PetscFunctionBegin;
  PetscCall(MatProductGetMats(C, &A, &B, NULL));
  PetscCall(SpcMatMatMult(A, B, C));
  PetscFunctionReturn(SPC_PETSC_OK);
}

static inline PetscErrorCode SpcProductSymbolic(Mat C) {
  Mat A, B;
  MatType type;
  PetscInt m, n, M, N;
  PetscBool dense;

  PetscFunctionBegin;
  PetscCall(MatProductGetMats(C, &A, &B, NULL));
  PetscCall(MatGetLocalSize(A, &m, NULL));
  PetscCall(MatGetSize(A, &M, NULL));
  PetscCall(MatGetLocalSize(B, NULL, &n));
  PetscCall(MatGetSize(B, NULL, &N));
  PetscCall(MatSetSizes(C, m, n, M, N));
  PetscCall(MatGetType(B, &type));
  PetscCall(PetscObjectTypeCompare((PetscObject)C, type, &dense));
  if (!dense)
    PetscCall(MatSetType(C, type));
  PetscCall(MatSetUp(C));
  PetscCall(MatSetOperation(C, MATOP_PRODUCTNUMERIC, (void (*)(void))SpcProductNumeric));
  PetscFunctionReturn(SPC_PETSC_OK);
}

/* The name by which PETSc looks for the products of two types. */
static inline PetscErrorCode SpcProductName(Mat A, const char *dense, char *name, size_t size) {
  MatType type;

  PetscFunctionBegin;
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscSNPrintf(name, size, "MatProductSetFromOptions_%s_%s_C", type, dense));
  PetscFunctionReturn(SPC_PETSC_OK);
}

/* A B is spc's; PETSc's are the other products of the same types, and those of a copy of A, which takes this over. */
static inline PetscErrorCode SpcProductSetFromOptions(Mat C) {
  Mat A, B;
  MatProductType product;
  MatType type;
  PetscObject installed;
  char name[256];
  PetscErrorCode (*others)(Mat);

  PetscFunctionBegin;
  PetscCall(MatProductGetType(C, &product));
  PetscCall(MatProductGetMats(C, &A, &B, NULL));
  PetscCall(PetscObjectQuery((PetscObject)A, "SpcMat", &installed));
  if (installed && product == MATPRODUCT_AB) {
    PetscCall(MatSetOperation(C, MATOP_PRODUCTSYMBOLIC, (void (*)(void))SpcProductSymbolic));
    PetscFunctionReturn(SPC_PETSC_OK);
  }
  PetscCall(MatGetType(B, &type));
  PetscCall(SpcProductName(A, type, name, sizeof name));
  PetscCall(PetscObjectQueryFunction((PetscObject)B, name, &others));
  if (others)
    PetscCall((*others)(C));
  PetscFunctionReturn(SPC_PETSC_OK);
}

static inline PetscErrorCode SpcMatInstallProducts(Mat A) {
  const char *const dense[] = {MATSEQDENSE, MATMPIDENSE};
  char name[256];

  PetscFunctionBegin;
  for (int kind = 0; kind < 2; ++kind) {
    PetscCall(SpcProductName(A, dense[kind], name, sizeof name));
    PetscCall(PetscObjectComposeFunction((PetscObject)A, name, SpcProductSetFromOptions));
  }
  PetscFunctionReturn(SPC_PETSC_OK);
}

#endif
