/* The kernels that assemble, each behind the same interface: C11 and C++17. */
#ifndef SPC_TESTS_ASSEMBLY_CASES_H
#define SPC_TESTS_ASSEMBLY_CASES_H

#include "assembly_operands.h"

/* Any struct of these kernels: sizes, counts and arrays of 8 bytes each, the values last. */
enum { MOST_WORDS = 12 };
typedef union output {
  int64_t words[MOST_WORDS];
  double *arrays[MOST_WORDS];
  spc_csr_f64_i32 csr;
  spc_csc_f64_i32 csc;
  spc_coo2_f64_i32 coo;
  spc_bsr4x4_f64_i32 bsr;
  spc_csf3_f64_i32 csf;
} output;

typedef struct assembly_case {
  const char *name;
  spc_status (*call)(const spc_context *, output *);
  spc_status (*symbolic)(const spc_context *, output *);
  spc_status (*numeric)(const spc_context *, output *);
  void (*release)(const spc_context *, output *);
  spc_status (*plain_call)(output *);
  spc_status (*plain_symbolic)(output *);
  spc_status (*plain_numeric)(output *);
  void (*plain_release)(output *);
  spc_status (*validate)(const output *);
  void (*read)(const output *, double *dense); /* adds the entries to zeros */
  double (*expected)(int64_t row, int64_t column);
  int64_t columns;
  int words;       /* of the output */
  int order;       /* sizes of the output */
  int64_t *first;  /* the first operand's struct */
  int first_order; /* sizes of the first operand */
  int first_words;
  int is_shared_size; /* whether the first operand's last size is another argument's too */
} assembly_case;

/* The functions of a kernel, whose output is a member of `output`. */
#define WRAP_CALL(kernel, member, ...)                                                                                 \
  static spc_status kernel##_call(const spc_context *ctx, output *A) {                                                 \
    return kernel##_ctx(ctx, __VA_ARGS__, A != NULL ? &A->member : NULL);                                              \
  }                                                                                                                    \
  static void kernel##_call_free(const spc_context *ctx, output *A) {                                                  \
    kernel##_free_ctx(ctx, A != NULL ? &A->member : NULL);                                                             \
  }                                                                                                                    \
  static spc_status kernel##_plain(output *A) {                                                                        \
    return kernel(__VA_ARGS__, &A->member);                                                                            \
  }                                                                                                                    \
  static void kernel##_plain_free(output *A) {                                                                         \
    kernel##_free(A != NULL ? &A->member : NULL);                                                                      \
  }

#define WRAP_PHASES(kernel, member, ...)                                                                               \
  static spc_status kernel##_call_symbolic(const spc_context *ctx, output *A) {                                        \
    return kernel##_symbolic_ctx(ctx, __VA_ARGS__, A != NULL ? &A->member : NULL, NULL);                               \
  }                                                                                                                    \
  static spc_status kernel##_call_numeric(const spc_context *ctx, output *A) {                                         \
    return kernel##_numeric_ctx(ctx, __VA_ARGS__, A != NULL ? &A->member : NULL, NULL);                                \
  }                                                                                                                    \
  static spc_status kernel##_plain_symbolic(output *A) {                                                               \
    return kernel##_symbolic(__VA_ARGS__, &A->member, NULL);                                                           \
  }                                                                                                                    \
  static spc_status kernel##_plain_numeric(output *A) {                                                                \
    return kernel##_numeric(__VA_ARGS__, &A->member, NULL);                                                            \
  }

#define WRAP(kernel, member, ...)                                                                                      \
  WRAP_CALL(kernel, member, __VA_ARGS__)                                                                               \
  WRAP_PHASES(kernel, member, __VA_ARGS__)

WRAP(spgemm, csr, &given.B, &given.C)
WRAP(spgemm_on_coo, coo, &given.B, &given.C)
WRAP(spgemm_on_bsr, bsr, &given.B, &given.C)
WRAP(spadd, csr, &given.B, &given.D)
WRAP(converted_on_csc, csc, &given.B)
WRAP(ttm, csf, &given.T, &given.F)
WRAP_CALL(accumulate, csr, &given.B, &given.C)

static spc_status validate_csr(const output *A) {
  return spc_csr_f64_i32_validate(&A->csr);
}
static spc_status validate_csc(const output *A) {
  return spc_csc_f64_i32_validate(&A->csc);
}
static spc_status validate_coo(const output *A) {
  return spc_coo2_f64_i32_validate(&A->coo);
}
static spc_status validate_bsr(const output *A) {
  return spc_bsr4x4_f64_i32_validate(&A->bsr);
}
static spc_status validate_csf(const output *A) {
  return spc_csf3_f64_i32_validate(&A->csf);
}

static void read_csr(const output *A, double *dense) {
  int64_t i, e;
  for (i = 0; i < A->csr.nrows; ++i)
    for (e = A->csr.row_ptr[i]; e < A->csr.row_ptr[i + 1]; ++e)
      dense[i * A->csr.ncols + A->csr.col_ind[e]] += A->csr.values[e];
}

static void read_csc(const output *A, double *dense) {
  int64_t j, e;
  for (j = 0; j < A->csc.ncols; ++j)
    for (e = A->csc.col_ptr[j]; e < A->csc.col_ptr[j + 1]; ++e)
      dense[A->csc.row_ind[e] * A->csc.ncols + j] += A->csc.values[e];
}

static void read_coo(const output *A, double *dense) {
  int64_t e;
  for (e = 0; e < A->coo.nnz; ++e)
    dense[A->coo.row_ind[e] * A->coo.ncols + A->coo.col_ind[e]] += A->coo.values[e];
}

static void read_bsr(const output *A, double *dense) {
  int64_t block, e, n;
  for (block = 0; block < (A->bsr.nrows + 3) / 4; ++block)
    for (e = A->bsr.row_ptr[block]; e < A->bsr.row_ptr[block + 1]; ++e)
      for (n = 0; n < 16; ++n) {
        const int64_t i = block * 4 + n / 4, j = A->bsr.col_ind[e] * 4 + n % 4;
        if (i < A->bsr.nrows && j < A->bsr.ncols)
          dense[i * A->bsr.ncols + j] += A->bsr.values[e * 16 + n];
      }
}

static void read_csf(const output *A, double *dense) {
  int64_t s, f, e;
  for (s = 0; s < A->csf.count_0; ++s)
    for (f = A->csf.pointers_to_1[s]; f < A->csf.pointers_to_1[s + 1]; ++f)
      for (e = A->csf.pointers_to_2[f]; e < A->csf.pointers_to_2[f + 1]; ++e)
        dense[(A->csf.indices_0[s] * A->csf.shape[1] + A->csf.indices_1[f]) * A->csf.shape[2] + A->csf.indices_2[e]] +=
            A->csf.values[e];
}

#define CASE(kernel, format, expected, columns, words, order, first, first_order, first_words, is_shared_size)         \
  {#kernel,                                                                                                            \
   kernel##_call,                                                                                                      \
   kernel##_call_symbolic,                                                                                             \
   kernel##_call_numeric,                                                                                              \
   kernel##_call_free,                                                                                                 \
   kernel##_plain,                                                                                                     \
   kernel##_plain_symbolic,                                                                                            \
   kernel##_plain_numeric,                                                                                             \
   kernel##_plain_free,                                                                                                \
   validate_##format,                                                                                                  \
   read_##format,                                                                                                      \
   expected,                                                                                                           \
   columns,                                                                                                            \
   words,                                                                                                              \
   order,                                                                                                              \
   (int64_t *)(void *)&given.first,                                                                                    \
   first_order,                                                                                                        \
   first_words,                                                                                                        \
   is_shared_size}

/* Kernels with `=`: what their output holds before does not matter. */
static const assembly_case cases[] = {
    CASE(spgemm, csr, product_at, COLUMNS, 6, 2, B, 2, 6, 1),
    CASE(spgemm_on_coo, coo, product_at, COLUMNS, 6, 2, B, 2, 6, 1),
    CASE(spgemm_on_bsr, bsr, product_at, COLUMNS, 6, 2, B, 2, 6, 1),
    CASE(spadd, csr, sum_at, INNER, 6, 2, B, 2, 6, 1),
    CASE(converted_on_csc, csc, b_at, INNER, 6, 2, B, 2, 6, 0),
    CASE(ttm, csf, ttm_at, DEPTH *RANK, 12, 3, T, 3, 12, 1),
};
enum { CASES = sizeof cases / sizeof *cases };

/* The one with `+=`, which has no phases. */
static const assembly_case accumulating = {"accumulate",
                                           accumulate_call,
                                           NULL,
                                           NULL,
                                           accumulate_call_free,
                                           accumulate_plain,
                                           NULL,
                                           NULL,
                                           accumulate_plain_free,
                                           validate_csr,
                                           read_csr,
                                           accumulated_at,
                                           COLUMNS,
                                           6,
                                           2,
                                           (int64_t *)(void *)&given.B,
                                           2,
                                           6,
                                           1};

#endif
