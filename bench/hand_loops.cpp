#include "hand_loops.h"

void handSpmv(const CsrView &a, const double *__restrict x, double *__restrict y) {
  for (int64_t i = 0; i < a.rows; ++i) {
    double sum = 0;
    for (int32_t p = a.pointers[i]; p < a.pointers[i + 1]; ++p)
      sum += a.values[p] * x[a.indices[p]];
    y[i] = sum;
  }
}

void handSpmm(const CsrView &a, const double *__restrict b, double *__restrict c, int64_t k) {
  for (int64_t i = 0; i < a.rows; ++i) {
    double *__restrict row = c + i * k;
    for (int64_t l = 0; l < k; ++l)
      row[l] = 0;
    for (int32_t p = a.pointers[i]; p < a.pointers[i + 1]; ++p) {
      const double value = a.values[p];
      const double *__restrict other = b + int64_t(a.indices[p]) * k;
      for (int64_t l = 0; l < k; ++l)
        row[l] += value * other[l];
    }
  }
}

void handSddmm(const CsrView &s, const double *__restrict a, const double *__restrict b, double *__restrict out,
               int64_t k) {
  for (int64_t i = 0; i < s.rows; ++i) {
    const double *left = a + i * k;
    for (int32_t p = s.pointers[i]; p < s.pointers[i + 1]; ++p) {
      const double *right = b + int64_t(s.indices[p]) * k;
      double sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += left[l] * right[l];
      out[p] = s.values[p] * sum;
    }
  }
}
