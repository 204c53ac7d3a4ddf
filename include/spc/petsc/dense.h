/* The product of a matrix of PETSc and a dense one, which PETSc stores by columns, by spc's kernel for rows. Included
 * by
 * ../petsc.h.
 *
 * A tile of columns becomes rows, as far as the next rows of the result need them: where entries are near the diagonal,
 * these are still in cache then. Of the result a few rows at a time are computed, by rows, and written by columns. So
 * memory is bounded by the tile, and a row of A is read once a tile, not once a column. SPDX-License-Identifier:
 * Apache-2.0 */
#ifndef SPC_PETSC_DENSE_H
#define SPC_PETSC_DENSE_H

#include "vectors.h"

#if defined(__x86_64__) && defined(PETSC_USE_REAL_DOUBLE) && !defined(PETSC_USE_COMPLEX)
#include <emmintrin.h>
#define SPC_PETSC_STREAMS
#endif

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

/* Columns, `ld` apart, from rows of `width` numbers, some rows at a time, which the first cache holds. Where `far`,
 * they go to memory past the caches, which else would read what is overwritten: for results that caches do not hold
 * anyway. */
static inline void SpcRowsToColumns(PetscInt rows, PetscInt width, const PetscScalar *from, PetscScalar *to,
                                    PetscInt ld, int far) {
  (void)far;
  for (PetscInt begin = 0; begin < rows; begin += 64) {
    const PetscInt count = PetscMin(64, rows - begin);
    for (PetscInt k = 0; k < width; ++k) {
      const PetscScalar *in = from + (size_t)begin * (size_t)width + k;
      PetscScalar *out = to + (size_t)k * (size_t)ld + begin;
#ifdef SPC_PETSC_STREAMS
      if (far) {
        for (PetscInt i = 0; i < count; ++i) {
          long long bits;
          memcpy(&bits, in + (size_t)i * (size_t)width, sizeof bits);
          _mm_stream_si64((long long *)(void *)(out + i), bits);
        }
        continue;
      }
#endif
      for (PetscInt i = 0; i < count; ++i)
        out[i] = in[(size_t)i * (size_t)width];
    }
  }
}

/* The rows of tiles that other processes need, one behind another, and where they go. */
static inline PetscErrorCode SpcTileSetUpHalo(SpcMat *spc, PetscInt columns) {
  const PetscInt *degrees;
  const PetscSFNode *remote;
  PetscSFNode *places;
  PetscInt *place, *ghost_place;

  PetscFunctionBegin;
  PetscCall(PetscSFComputeDegreeBegin(spc->halo, &degrees));
  PetscCall(PetscSFComputeDegreeEnd(spc->halo, &degrees));
  PetscCall(PetscMalloc2(columns, &place, spc->ghosts, &ghost_place));
  spc->sent = 0;
  for (PetscInt j = 0; j < columns; ++j)
    place[j] = degrees[j] ? spc->sent++ : 0;
  PetscCall(PetscMalloc1(spc->sent, &spc->sent_rows));
  for (PetscInt j = 0; j < columns; ++j)
    if (degrees[j])
      spc->sent_rows[place[j]] = j;
  PetscCall(PetscSFBcastBegin(spc->halo, MPIU_INT, place, ghost_place, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(spc->halo, MPIU_INT, place, ghost_place, MPI_REPLACE));
  PetscCall(PetscSFGetGraph(spc->halo, NULL, NULL, NULL, &remote));
  PetscCall(PetscMalloc1(spc->ghosts, &places));
  for (PetscInt g = 0; g < spc->ghosts; ++g) {
    places[g].rank = remote[g].rank;
    places[g].index = ghost_place[g];
  }
  PetscCall(PetscFree2(place, ghost_place));
  PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)spc->halo), &spc->tile_halo));
  PetscCall(
      PetscSFSetGraph(spc->tile_halo, spc->sent, spc->ghosts, NULL, PETSC_OWN_POINTER, places, PETSC_OWN_POINTER));
  PetscCall(PetscSFSetUp(spc->tile_halo));
  PetscCall(PetscMalloc2((size_t)spc->sent * SPC_PETSC_TILE, &spc->sent_tile, (size_t)spc->ghosts * SPC_PETSC_TILE,
                         &spc->ghost_tile));
  PetscFunctionReturn(SPC_PETSC_OK);
}

/* What products with dense matrices keep besides; collective. */
static inline PetscErrorCode SpcTileSetUp(SpcMat *spc, const SpcAIJ *own) {
  const PetscInt rows = (PetscInt)own->nrows, columns = (PetscInt)own->ncols;
  PetscInt needed = 0;

  PetscFunctionBegin;
  if (spc->halo)
    PetscCall(SpcTileSetUpHalo(spc, columns));
  PetscCall(PetscMalloc4((size_t)columns * SPC_PETSC_TILE + 1, &spc->tile, rows / SPC_PETSC_ROWS + 1, &spc->needed,
                         SPC_PETSC_ROWS * SPC_PETSC_TILE, &spc->results, SPC_PETSC_ROWS * SPC_PETSC_TILE, &spc->added));
  for (PetscInt i = 0; i < rows; ++i) {
    for (PetscInt e = own->row_ptr[i]; e < own->row_ptr[i + 1]; ++e)
      needed = PetscMax(needed, own->col_ind[e] + 1);
    spc->needed[i / SPC_PETSC_ROWS] = needed;
  }
  PetscFunctionReturn(SPC_PETSC_OK);
}

/* A tile of columns: what it is computed from and written to. */
typedef struct {
  const SpcMat *spc;
  SpcAIJ own, listed;
  PetscInt width;
  const PetscScalar *from; /* by columns, ld_from apart */
  PetscScalar *to;
  PetscInt ld_from, ld_to;
  PetscInt packed; /* rows that `spc->tile` has */
  int far;         /* whether the result is written past the caches */
} SpcTile;

/* Rows of the tile as far as the rows of the result from `begin` on need them, and some more. */
static inline void SpcTilePack(SpcTile *tile, PetscInt begin) {
  const PetscInt needed = tile->spc->needed[begin / SPC_PETSC_ROWS];
  if (tile->packed < needed) {
    const PetscInt end = PetscMin(needed + SPC_PETSC_ROWS, (PetscInt)tile->own.ncols);
    SpcColumnsToRows(end - tile->packed, tile->width, tile->from + tile->packed, tile->ld_from,
                     tile->spc->tile + (size_t)tile->packed * (size_t)tile->width);
    tile->packed = end;
  }
}

/* Rows `begin` to `end` - 1 of the result, to which rows `first` to `last` - 1 of those with entries in other
 * processes' columns are added. */
static inline PetscErrorCode SpcTileRows(SpcTile *tile, PetscInt begin, PetscInt end, PetscInt first, PetscInt last) {
  const SpcMat *spc = tile->spc;
  const PetscInt width = tile->width;
  const SpcRows read = SpcRowsOf(spc->tile, (PetscInt)tile->own.ncols, width);
  const SpcAIJ own = SpcSlice(&tile->own, begin, end);
  SpcRows written = SpcRowsOf(spc->results, end - begin, width);

  PetscFunctionBegin;
  SpcTilePack(tile, begin);
  SpcCall(aij_mat_mult(&own, &read, &written));
  if (first < last) {
    const SpcAIJ listed = SpcSlice(&tile->listed, first, last);
    const SpcRows halo = SpcRowsOf(spc->ghost_tile, spc->ghosts, width);
    SpcRows added = SpcRowsOf(spc->added, last - first, width);
    SpcCall(aij_mat_mult(&listed, &halo, &added));
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
      spc->sent_tile[k * width + c] = tile->from[(size_t)c * (size_t)tile->ld_from + (size_t)spc->sent_rows[k]];
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
