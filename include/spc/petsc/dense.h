/* The product of a matrix of PETSc and a dense one, which PETSc stores by columns, by spc's kernel for rows. Included by
 * ../petsc.h.
 *
 * A tile of columns becomes rows first, all of them, since an entry of A may read any. Of the result a few rows at a time
 * are computed, by rows, and written by columns while they are in cache. So memory is bounded by the tile, and a row of A
 * is read once a tile, not once a column. SPDX-License-Identifier: Apache-2.0 */
#ifndef SPC_PETSC_DENSE_H
#define SPC_PETSC_DENSE_H

#include "vectors.h"

/* Rows of `width` numbers from as many columns, `ld` apart. */
static inline void SpcColumnsToRows(PetscInt rows, PetscInt width, const PetscScalar *from, PetscInt ld,
                                    PetscScalar *to) {
  PetscInt i = 0;
  for (; i + 8 <= rows; i += 8)
    for (PetscInt k = 0; k < width; ++k) {
      const PetscScalar *in = from + (size_t)k * (size_t)ld + i;
      PetscScalar *out = to + (size_t)i * (size_t)width + k;
      for (int r = 0; r < 8; ++r)
        out[(size_t)r * (size_t)width] = in[r];
    }
  for (; i < rows; ++i)
    for (PetscInt k = 0; k < width; ++k)
      to[(size_t)i * (size_t)width + (size_t)k] = from[(size_t)k * (size_t)ld + (size_t)i];
}

static inline void SpcRowsToColumns(PetscInt rows, PetscInt width, const PetscScalar *from, PetscScalar *to,
                                    PetscInt ld) {
  for (PetscInt k = 0; k < width; ++k) {
    const PetscScalar *in = from + k;
    PetscScalar *out = to + (size_t)k * (size_t)ld;
    for (PetscInt i = 0; i < rows; ++i)
      out[i] = in[(size_t)i * (size_t)width];
  }
}

/* What a tile of columns is computed from and written to. */
typedef struct {
  const SpcMat *spc;
  SpcAIJ own, listed;
  PetscInt width;
  PetscScalar *to; /* by columns, ld apart */
  PetscInt ld;
} SpcTile;

/* Rows `begin` to `end` - 1 of the result, to which those of the block of other processes' columns from `*next` on are
 * added; `*next` becomes the first one behind them. */
static inline PetscErrorCode SpcTileRows(const SpcTile *tile, PetscInt begin, PetscInt end, PetscInt *next) {
  const SpcMat *spc = tile->spc;
  const PetscInt width = tile->width, first = *next;
  const SpcRows read = SpcRowsOf(spc->tile, (PetscInt)tile->own.ncols, width);
  const SpcAIJ own = SpcSlice(&tile->own, begin, end);
  PetscScalar results[SPC_PETSC_ROWS * SPC_PETSC_TILE], sums[SPC_PETSC_ROWS * SPC_PETSC_TILE];
  SpcRows written = SpcRowsOf(results, end - begin, width);
  PetscInt last = first;

  PetscFunctionBegin;
  SpcCall(aij_mat_mult(&own, &read, &written));
  while (last < spc->listed && spc->rows[last] < end)
    ++last;
  if (first < last) {
    const SpcAIJ listed = SpcSlice(&tile->listed, first, last);
    const SpcRows halo = SpcRowsOf(spc->ghosts_tile, spc->ghosts, width);
    SpcRows added = SpcRowsOf(sums, last - first, width);
    SpcCall(aij_mat_mult(&listed, &halo, &added));
    for (PetscInt k = first; k < last; ++k)
      for (PetscInt c = 0; c < width; ++c)
        results[(spc->rows[k] - begin) * width + c] += sums[(k - first) * width + c];
  }
  *next = last;
  SpcRowsToColumns(end - begin, width, results, tile->to + begin, tile->ld);
  PetscFunctionReturn(SPC_PETSC_OK);
}

/* All rows of a tile: those without entries in other processes' columns first, while the halo travels. */
static inline PetscErrorCode SpcTileMult(const SpcTile *tile, const PetscScalar *from, MPI_Datatype unit) {
  const SpcMat *spc = tile->spc;
  const PetscInt rows = (PetscInt)tile->own.nrows;

  PetscFunctionBegin;
  if (spc->halo)
    PetscCall(PetscSFBcastBegin(spc->halo, unit, from, spc->ghosts_tile, MPI_REPLACE));
  for (int with_halo = 0; with_halo < 2; ++with_halo) {
    PetscInt next = 0;
    if (with_halo && spc->halo)
      PetscCall(PetscSFBcastEnd(spc->halo, unit, from, spc->ghosts_tile, MPI_REPLACE));
    for (PetscInt begin = 0; begin < rows; begin += SPC_PETSC_ROWS) {
      const PetscInt end = PetscMin(begin + SPC_PETSC_ROWS, rows);
      const int needs_halo = next < spc->listed && spc->rows[next] < end;
      if (needs_halo == with_halo)
        PetscCall(SpcTileRows(tile, begin, end, &next));
      else
        while (next < spc->listed && spc->rows[next] < end)
          ++next;
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
  PetscInt columns, ld;
  PetscBool assembled;

  PetscFunctionBegin;
  PetscCall(MatAssembled(A, &assembled));
  PetscCheck(assembled, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE, "spc: A is not assembled");
  PetscCall(SpcMatGet(A, &spc));
  tile.spc = spc;
  PetscCall(SpcBlock(spc->diagonal, &tile.own));
  if (spc->rest)
    PetscCall(SpcListed(spc, &tile.listed));
  if (!spc->tile)
    PetscCall(PetscMalloc1((size_t)tile.own.ncols * SPC_PETSC_TILE, &spc->tile));
  if (spc->rest && !spc->ghosts_tile)
    PetscCall(PetscMalloc1((size_t)spc->ghosts * SPC_PETSC_TILE, &spc->ghosts_tile));
  PetscCall(MatGetSize(B, NULL, &columns));
  PetscCall(MatDenseGetLDA(B, &ld));
  PetscCall(MatDenseGetLDA(C, &tile.ld));
  PetscCall(MatDenseGetArrayRead(B, &from));
  PetscCall(MatDenseGetArrayWrite(C, &to));
  for (PetscInt k = 0; k < columns; k += SPC_PETSC_TILE) {
    tile.width = PetscMin(SPC_PETSC_TILE, columns - k);
    tile.to = to + (size_t)k * (size_t)tile.ld;
    if (spc->units[tile.width] == MPI_DATATYPE_NULL) {
      PetscCallMPI(MPI_Type_contiguous((int)tile.width, MPIU_SCALAR, &spc->units[tile.width]));
      PetscCallMPI(MPI_Type_commit(&spc->units[tile.width]));
    }
    SpcColumnsToRows((PetscInt)tile.own.ncols, tile.width, from + (size_t)k * (size_t)ld, ld, spc->tile);
    PetscCall(SpcTileMult(&tile, spc->tile, spc->units[tile.width]));
  }
  PetscCall(MatDenseRestoreArrayRead(B, &from));
  PetscCall(MatDenseRestoreArrayWrite(C, &to));
  PetscCall(MatAssemblyBegin(C, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(C, MAT_FINAL_ASSEMBLY));
  PetscCall(PetscLogFlops(2.0 * (PetscLogDouble)columns * (PetscLogDouble)(tile.own.nnz + (spc->rest ? tile.listed.nnz : 0))));
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
