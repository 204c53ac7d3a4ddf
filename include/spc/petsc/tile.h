/* Tiles of columns of a dense matrix of PETSc, which stores it by columns, as rows: what is kept for them, and how they
 * are packed. Included by dense.h. SPDX-License-Identifier: Apache-2.0 */
#ifndef SPC_PETSC_TILE_H
#define SPC_PETSC_TILE_H

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
  for (PetscInt begin = 0; begin < rows; begin += 128) {
    const PetscInt count = PetscMin(128, rows - begin);
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

/* The columns that rows `begin` to `end` - 1 have entries in, in order, in `columns` unless that is NULL; how many
 * there are. `seen` has for each column the last `mark` that it was seen with. */
static inline PetscErrorCode SpcNearColumns(const SpcAIJ *own, PetscInt begin, PetscInt end, PetscInt mark,
                                            PetscInt *seen, PetscInt *columns, PetscInt *count) {
  PetscFunctionBegin;
  *count = 0;
  for (PetscInt e = own->row_ptr[begin]; e < own->row_ptr[end]; ++e) {
    const PetscInt column = own->col_ind[e];
    if (seen[column] == mark)
      continue;
    seen[column] = mark;
    if (columns)
      columns[*count] = column;
    ++*count;
  }
  if (columns)
    PetscCall(PetscSortInt(*count, columns));
  PetscFunctionReturn(SPC_PETSC_OK);
}

/* Lists what parts of the result need, where that is not much more than what there is; the most rows that one needs. */
static inline PetscErrorCode SpcTileSetUpNear(SpcMat *spc, const SpcAIJ *own, PetscInt *most) {
  const PetscInt rows = (PetscInt)own->nrows, columns = (PetscInt)own->ncols;
  const PetscInt parts = (rows + SPC_PETSC_ROWS - 1) / SPC_PETSC_ROWS;
  int64_t total = 0;
  PetscInt *seen, count;

  PetscFunctionBegin;
  *most = columns;
  PetscCall(PetscMalloc1(columns, &seen));
  for (PetscInt j = 0; j < columns; ++j)
    seen[j] = -1;
  for (PetscInt part = 0; part < parts; ++part) {
    const PetscInt begin = part * SPC_PETSC_ROWS, end = PetscMin(begin + SPC_PETSC_ROWS, rows);
    PetscCall(SpcNearColumns(own, begin, end, part, seen, NULL, &count));
    total += count;
  }
  if (2 * total <= 3 * (int64_t)PetscMax(rows, columns)) {
    PetscCall(
        PetscMalloc3((size_t)total, &spc->near, parts + 1, &spc->near_starts, (size_t)own->nnz, &spc->near_places));
    *most = 0;
    spc->near_starts[0] = 0;
    for (PetscInt part = 0; part < parts; ++part) {
      const PetscInt begin = part * SPC_PETSC_ROWS, end = PetscMin(begin + SPC_PETSC_ROWS, rows);
      PetscInt *const near = spc->near + spc->near_starts[part];
      PetscCall(SpcNearColumns(own, begin, end, parts + part, seen, near, &count));
      for (PetscInt k = 0; k < count; ++k)
        seen[near[k]] = k;
      for (PetscInt e = own->row_ptr[begin]; e < own->row_ptr[end]; ++e)
        spc->near_places[e] = seen[own->col_ind[e]];
      for (PetscInt k = 0; k < count; ++k)
        seen[near[k]] = -1;
      spc->near_starts[part + 1] = spc->near_starts[part] + count;
      *most = PetscMax(*most, count);
    }
  }
  PetscCall(PetscFree(seen));
  PetscFunctionReturn(SPC_PETSC_OK);
}

/* What products with dense matrices keep besides; collective. */
static inline PetscErrorCode SpcTileSetUp(SpcMat *spc, const SpcAIJ *own) {
  const PetscInt rows = (PetscInt)own->nrows, columns = (PetscInt)own->ncols;
  PetscInt needed = 0, most;

  PetscFunctionBegin;
  if (spc->halo)
    PetscCall(SpcTileSetUpHalo(spc, columns));
  PetscCall(SpcTileSetUpNear(spc, own, &most));
  PetscCall(PetscMalloc4((size_t)most * SPC_PETSC_TILE + 1, &spc->tile, rows / SPC_PETSC_ROWS + 1, &spc->needed,
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

/* The rows that are listed for a part of the result alone. */
static inline void SpcTilePackNear(const SpcTile *tile, const PetscInt *near, PetscInt count) {
  const PetscInt width = tile->width;
  for (PetscInt begin = 0; begin < count; begin += 8) {
    const PetscInt end = PetscMin(begin + 8, count);
    for (PetscInt k = 0; k < width; ++k) {
      const PetscScalar *in = tile->from + (size_t)k * (size_t)tile->ld_from;
      for (PetscInt r = begin; r < end; ++r)
        tile->spc->tile[(size_t)r * (size_t)width + (size_t)k] = in[near[r]];
    }
  }
}

/* A's rows `begin` to `end` - 1, and the rows of the tile that they are multiplied with. */
static inline void SpcTileOperands(SpcTile *tile, PetscInt begin, PetscInt end, SpcAIJ *own, SpcRows *read) {
  const SpcMat *spc = tile->spc;
  *own = SpcSlice(&tile->own, begin, end);
  if (spc->near) {
    const PetscInt part = begin / SPC_PETSC_ROWS, first = spc->near_starts[part];
    own->ncols = spc->near_starts[part + 1] - first;
    own->col_ind = spc->near_places;
    SpcTilePackNear(tile, spc->near + first, (PetscInt)own->ncols);
  } else {
    SpcTilePack(tile, begin);
  }
  *read = SpcRowsOf(spc->tile, (PetscInt)own->ncols, tile->width);
}

#endif
