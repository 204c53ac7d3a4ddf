/* What spc's products of a matrix of PETSc keep with it, and the arrays that they work on. Included by ../petsc.h.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SPC_PETSC_MAT_H
#define SPC_PETSC_MAT_H

#include "petsc_kernels.h"

#include <petscmat.h>
#include <petscsf.h>
#include <string.h>

#if PETSC_VERSION_LT(3, 18, 0)
#error "spc/petsc.h needs PETSc 3.18 or later"
#endif
#if !defined(PETSC_USE_REAL_DOUBLE) && !defined(PETSC_USE_REAL_SINGLE)
#error "spc/petsc.h is for PetscReal of single or double precision"
#endif

#ifdef PETSC_USE_64BIT_INDICES
#define SPC_PETSC_OF(name, value) name##_##value##_i64
#else
#define SPC_PETSC_OF(name, value) name##_##value##_i32
#endif
#if defined(PETSC_USE_COMPLEX) && defined(PETSC_USE_REAL_DOUBLE)
typedef SPC_PETSC_OF(spc_csr, cf64) SpcAIJ;
typedef spc_dense1_cf64 SpcVector;
typedef spc_dense2_cf64 SpcRows;
typedef spc_cf64 SpcScalar;
#elif defined(PETSC_USE_COMPLEX)
typedef SPC_PETSC_OF(spc_csr, cf32) SpcAIJ;
typedef spc_dense1_cf32 SpcVector;
typedef spc_dense2_cf32 SpcRows;
typedef spc_cf32 SpcScalar;
#elif defined(PETSC_USE_REAL_DOUBLE)
typedef SPC_PETSC_OF(spc_csr, f64) SpcAIJ;
typedef spc_dense1_f64 SpcVector;
typedef spc_dense2_f64 SpcRows;
typedef double SpcScalar;
#else
typedef SPC_PETSC_OF(spc_csr, f32) SpcAIJ;
typedef spc_dense1_f32 SpcVector;
typedef spc_dense2_f32 SpcRows;
typedef float SpcScalar;
#endif
#undef SPC_PETSC_OF

/* Columns of a dense matrix that are multiplied at once, and rows of the result that are computed before they are
 * written. */
#define SPC_PETSC_TILE 16
#ifndef SPC_PETSC_ROWS
#define SPC_PETSC_ROWS 2048
#endif
/* Bytes of a result from which on it is written past the caches. */
#ifndef SPC_PETSC_FAR
#define SPC_PETSC_FAR ((size_t)4 << 20)
#endif
#define SPC_PETSC_OK ((PetscErrorCode)0)

/* What the products of a matrix keep, until its nonzero structure changes. */
typedef struct {
  Mat diagonal, rest;         /* the blocks of MATMPIAIJ, borrowed; of MATSEQAIJ the matrix itself and NULL */
  PetscObjectId ids[2];       /* of these */
  PetscObjectState structure; /* the nonzero state that this was set up for */
  PetscSF halo;               /* from the vector's parts to the columns of `rest` */
  PetscInt ghosts, listed;    /* columns of `rest`; its rows that have entries */
  PetscInt *rows, *starts;    /* these rows; where their entries begin, and the end */
  PetscScalar *ghost, *sums;  /* a number for each column of `rest`, for each of its rows that has entries */
  PetscScalar *tile; /* of products with dense matrices: rows of a tile of columns, NULL before the first one */
  PetscInt *needed;  /* by SPC_PETSC_ROWS rows of the result: so many rows of the tile they and those above need */
  PetscInt *near, *near_starts; /* or, where each needs few: which ones, and where in this list; else NULL */
  PetscInt *near_places;        /* then, by entry of A, its column's place among these */
  PetscSF tile_halo;            /* from the rows that others need, one behind another, to the columns of `rest` */
  PetscInt sent, *sent_rows;    /* these rows */
  PetscScalar *sent_tile, *ghost_tile;
  PetscScalar *results, *added;           /* SPC_PETSC_ROWS rows of a tile of the result, and what is added to them */
  MPI_Datatype units[SPC_PETSC_TILE + 1]; /* so many scalars, or MPI_DATATYPE_NULL */
} SpcMat;

#define SpcCall(...)                                                                                                   \
  do {                                                                                                                 \
    const spc_status spc_call_status = __VA_ARGS__;                                                                    \
    PetscCheck(spc_call_status == SPC_OK, PETSC_COMM_SELF,                                                             \
               spc_call_status == SPC_ERROR_MEMORY ? PETSC_ERR_MEM : PETSC_ERR_LIB, "spc: %s",                         \
               spc_status_string(spc_call_status));                                                                    \
  } while (0)

static inline SpcVector SpcVectorOf(const PetscScalar *values, PetscInt size) {
  SpcVector vector;
  vector.size = size;
  vector.stride = 1;
  vector.values = (const SpcScalar *)values;
  return vector;
}

static inline SpcRows SpcRowsOf(const PetscScalar *values, PetscInt rows, PetscInt columns) {
  SpcRows matrix;
  matrix.shape[0] = rows;
  matrix.shape[1] = columns;
  matrix.strides[0] = columns;
  matrix.strides[1] = 1;
  matrix.values = (const SpcScalar *)values;
  return matrix;
}

/* The arrays that M, MATSEQAIJ, has at the moment. */
static inline PetscErrorCode SpcBlock(Mat M, SpcAIJ *block) {
  const PetscInt *starts, *columns;
  PetscScalar *values;
  PetscMemType where;
  PetscInt m, n;

  PetscFunctionBegin;
  memset(block, 0, sizeof *block);
  PetscCall(MatGetLocalSize(M, &m, &n));
  PetscCall(MatSeqAIJGetCSRAndMemType(M, &starts, &columns, &values, &where));
  PetscCheck(PetscMemTypeHost(where), PETSC_COMM_SELF, PETSC_ERR_SUP, "spc: the matrix is on a device");
  block->nrows = m;
  block->ncols = n;
  block->nnz = m ? starts[m] : 0;
  block->row_ptr = starts;
  block->col_ind = columns;
  block->values = (const SpcScalar *)values;
  PetscFunctionReturn(SPC_PETSC_OK);
}

/* Rows `begin` to `end` - 1 of a block. */
static inline SpcAIJ SpcSlice(const SpcAIJ *block, PetscInt begin, PetscInt end) {
  SpcAIJ slice = *block;
  slice.nrows = end - begin;
  slice.row_ptr = block->row_ptr + begin;
  slice.nnz = block->row_ptr[end];
  return slice;
}

/* Of the block of other processes' columns the rows that have entries, as a matrix. */
static inline PetscErrorCode SpcListed(const SpcMat *spc, SpcAIJ *block) {
  PetscFunctionBegin;
  PetscCall(SpcBlock(spc->rest, block));
  block->nrows = spc->listed;
  block->row_ptr = spc->starts;
  PetscFunctionReturn(SPC_PETSC_OK);
}

/* Frees what depends on the structure. */
static inline PetscErrorCode SpcMatReset(SpcMat *spc) {
  PetscFunctionBegin;
  spc->diagonal = NULL;
  spc->ghosts = spc->listed = 0;
  for (int width = 0; width <= SPC_PETSC_TILE; ++width)
    if (spc->units[width] != MPI_DATATYPE_NULL)
      PetscCallMPI(MPI_Type_free(&spc->units[width]));
  PetscCall(PetscSFDestroy(&spc->halo));
  PetscCall(PetscFree2(spc->rows, spc->starts));
  PetscCall(PetscFree2(spc->ghost, spc->sums));
  PetscCall(PetscFree4(spc->tile, spc->needed, spc->results, spc->added));
  PetscCall(PetscFree3(spc->near, spc->near_starts, spc->near_places));
  PetscCall(PetscSFDestroy(&spc->tile_halo));
  PetscCall(PetscFree(spc->sent_rows));
  PetscCall(PetscFree2(spc->sent_tile, spc->ghost_tile));
  PetscFunctionReturn(SPC_PETSC_OK);
}

static inline PetscErrorCode SpcMatDestroy(void *memory) {
  SpcMat *spc = (SpcMat *)memory;

  PetscFunctionBegin;
  PetscCall(SpcMatReset(spc));
  PetscCall(PetscFree(spc));
  PetscFunctionReturn(SPC_PETSC_OK);
}

/* The halo of A, MATMPIAIJ, and the rows that take part in it. `columns` are the global ones of `rest`. */
static inline PetscErrorCode SpcMatSetUpHalo(Mat A, SpcMat *spc, const PetscInt *columns) {
  PetscLayout layout;
  SpcAIJ rest;
  PetscInt listed = 0;

  PetscFunctionBegin;
  PetscCall(SpcBlock(spc->rest, &rest));
  spc->ghosts = (PetscInt)rest.ncols;
  for (PetscInt i = 0; i < rest.nrows; ++i)
    listed += rest.row_ptr[i] < rest.row_ptr[i + 1];
  PetscCall(PetscMalloc2(listed, &spc->rows, listed + 1, &spc->starts));
  PetscCall(PetscMalloc2(spc->ghosts, &spc->ghost, listed, &spc->sums));
  for (PetscInt i = 0; i < rest.nrows; ++i)
    if (rest.row_ptr[i] < rest.row_ptr[i + 1]) {
      spc->rows[spc->listed] = i;
      spc->starts[spc->listed++] = rest.row_ptr[i];
    }
  spc->starts[spc->listed] = (PetscInt)rest.nnz;
  PetscCall(MatGetLayouts(A, NULL, &layout));
  PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)A), &spc->halo));
  PetscCall(PetscSFSetGraphLayout(spc->halo, layout, spc->ghosts, NULL, PETSC_COPY_VALUES, columns));
  PetscCall(PetscSFSetUp(spc->halo));
  PetscFunctionReturn(SPC_PETSC_OK);
}

static inline PetscErrorCode SpcMatBlocks(Mat A, Mat *diagonal, Mat *rest, const PetscInt **columns) {
  MatType type;
  PetscBool distributed, sequential;

  PetscFunctionBegin;
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &distributed));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &sequential));
  PetscCheck(distributed || sequential, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
             "spc: its products are for MATSEQAIJ and MATMPIAIJ, not for matrices of type %s", type ? type : "(none)");
  *diagonal = A;
  *rest = NULL;
  *columns = NULL;
  if (distributed)
    PetscCall(MatMPIAIJGetSeqAIJ(A, diagonal, rest, columns));
  PetscFunctionReturn(SPC_PETSC_OK);
}

/* What A's products keep, composed with A: empty where A had none. */
static inline PetscErrorCode SpcMatCompose(Mat A, SpcMat **result) {
  PetscContainer container;
  void *memory;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)A, "SpcMat", (PetscObject *)&container));
  if (container)
    PetscCall(PetscContainerGetPointer(container, &memory));
  else {
    SpcMat *spc;
    PetscCall(PetscNew(&spc));
    for (int width = 0; width <= SPC_PETSC_TILE; ++width)
      spc->units[width] = MPI_DATATYPE_NULL;
    memory = spc;
    PetscCall(PetscContainerCreate(PetscObjectComm((PetscObject)A), &container));
    PetscCall(PetscContainerSetPointer(container, memory));
    PetscCall(PetscContainerSetUserDestroy(container, SpcMatDestroy));
    PetscCall(PetscObjectCompose((PetscObject)A, "SpcMat", (PetscObject)container));
    PetscCall(PetscContainerDestroy(&container));
  }
  *result = (SpcMat *)memory;
  PetscFunctionReturn(SPC_PETSC_OK);
}

/* The same, set up for A's structure; collective where that has changed. */
static inline PetscErrorCode SpcMatGet(Mat A, SpcMat **result) {
  SpcMat *spc;
  Mat diagonal, rest;
  const PetscInt *columns;
  PetscObjectId ids[2] = {0, 0};
  PetscObjectState structure;

  PetscFunctionBegin;
  PetscCall(SpcMatCompose(A, &spc));
  PetscCall(SpcMatBlocks(A, &diagonal, &rest, &columns));
  PetscCall(MatGetNonzeroState(A, &structure));
  PetscCall(PetscObjectGetId((PetscObject)diagonal, &ids[0]));
  if (rest)
    PetscCall(PetscObjectGetId((PetscObject)rest, &ids[1]));
  if (!spc->diagonal || spc->structure != structure || spc->ids[0] != ids[0] || spc->ids[1] != ids[1]) {
    PetscCall(SpcMatReset(spc));
    spc->rest = rest;
    if (rest)
      PetscCall(SpcMatSetUpHalo(A, spc, columns));
    spc->diagonal = diagonal;
    spc->ids[0] = ids[0];
    spc->ids[1] = ids[1];
    spc->structure = structure;
  }
  *result = spc;
  PetscFunctionReturn(SPC_PETSC_OK);
}

#endif
