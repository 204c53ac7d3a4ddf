// The loops a C++ programmer writes without a sparse compiler: the peers that generated kernels are measured against.
#pragma once

#include <cstdint>

/// A matrix in CSR, as plain pointers.
struct CsrView {
  int64_t rows;
  int64_t columns;
  const int32_t *pointers;
  const int32_t *indices;
  const double *values;
};

/// y = A x
void handSpmv(const CsrView &a, const double *x, double *y);

/// C = A B; B is columns × k and C rows × k, both row-major.
void handSpmm(const CsrView &a, const double *b, double *c, int64_t k);

/// out[p] = S[p] * dot(A[i], B[j]) for each stored entry p = (i, j); A is rows × k, B columns × k, both row-major.
void handSddmm(const CsrView &s, const double *a, const double *b, double *out, int64_t k);
