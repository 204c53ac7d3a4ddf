/* Products by the loops for this processor, or for the level that is the argument. Prints the level, and the bits of a
   product whose rounding must not depend on it. */
#include "spmm.h"
#include "spmm_strict.h"
#include "spmv.h"

#include "expect.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3, COLUMNS = 4, WIDTH = 29, ENTRIES = 5 };

extern int32_t spc_x86_64_level;

static int32_t pointers[ROWS + 1] = {0, 2, 2, 5}, columns[ENTRIES] = {0, 3, 1, 2, 3};
static double values[ENTRIES] = {1, 2, 3, 4, 5}, b[COLUMNS * WIDTH], c[ROWS * WIDTH];
static const spc_csr_f64_i32 A = {ROWS, COLUMNS, ENTRIES, pointers, columns, values};

static void test_product(void) {
  const spc_dense2_f64 B = spc_dense2_f64_make(b, COLUMNS, WIDTH);
  spc_dense2_f64 C = spc_dense2_f64_make(c, ROWS, WIDTH);
  int k, j;
  for (k = 0; k < COLUMNS * WIDTH; ++k)
    b[k] = k % 13 - 6;
  EXPECT_STATUS(SPC_OK, spmm(&A, &B, &C));
  for (j = 0; j < WIDTH; ++j) {
    EXPECT(c[j] == b[j] + 2 * b[3 * WIDTH + j]);
    EXPECT(c[WIDTH + j] == 0);
    EXPECT(c[2 * WIDTH + j] == 3 * b[WIDTH + j] + 4 * b[2 * WIDTH + j] + 5 * b[3 * WIDTH + j]);
  }
}

/* Rows of no entry, of one and so on: what vectors, masks and ends of loops leave and take. */
static void test_gathered_sums(void) {
  enum { LONGEST = 70, ALL = LONGEST * (LONGEST + 1) / 2 };
  static int32_t starts[LONGEST + 2], places[ALL];
  static double entries[ALL], x[LONGEST], y[LONGEST + 1];
  const spc_csr_f64_i32 rows = {LONGEST + 1, LONGEST, ALL, starts, places, entries};
  const spc_dense1_f64 X = spc_dense1_f64_make(x, LONGEST);
  spc_dense1_f64 Y = spc_dense1_f64_make(y, LONGEST + 1);
  int row, n;
  for (n = 0; n < LONGEST; ++n)
    x[n] = n % 11 - 5;
  for (row = 0; row <= LONGEST; ++row) {
    starts[row + 1] = starts[row] + row;
    for (n = 0; n < row; ++n) {
      places[starts[row] + n] = LONGEST - row + n;
      entries[starts[row] + n] = (row + n) % 7 - 2;
    }
  }
  EXPECT_STATUS(SPC_OK, spmv(&rows, &X, &Y));
  for (row = 0; row <= LONGEST; ++row) {
    double sum = 0;
    for (n = 0; n < row; ++n)
      sum += entries[starts[row] + n] * x[LONGEST - row + n];
    EXPECT(y[row] == sum);
  }
}

static uint64_t bits_of_strict_product(void) {
  const spc_dense2_f64 B = spc_dense2_f64_make(b, COLUMNS, WIDTH);
  spc_dense2_f64 C = spc_dense2_f64_make(c, ROWS, WIDTH);
  uint64_t all = 0, bits;
  int k;
  for (k = 0; k < COLUMNS * WIDTH; ++k)
    b[k] = 1.0 / (k + 3);
  for (k = 0; k < ENTRIES; ++k)
    values[k] = 1.0 / (k + 7);
  EXPECT_STATUS(SPC_OK, spmm_strict(&A, &B, &C));
  for (k = 0; k < ROWS * WIDTH; ++k) {
    memcpy(&bits, &c[k], sizeof bits);
    all = all * 31 + bits;
  }
  return all;
}

int main(int count, char **words) {
  uint64_t bits;
  EXPECT(spc_x86_64_level == 0);
  if (count > 1)
    spc_x86_64_level = atoi(words[1]);
  test_product();
  test_gathered_sums();
  bits = bits_of_strict_product();
  printf("%d %llx\n", (int)spc_x86_64_level, (unsigned long long)bits);
  return failures;
}
