/* A product, by the loops for this processor, or for the level that is the argument; prints the level. */
#include "spmm.h"

#include "expect.h"

#include <stdint.h>
#include <stdlib.h>

enum { ROWS = 3, COLUMNS = 4, WIDTH = 29, ENTRIES = 5 };

extern int32_t spc_x86_64_level;

int main(int count, char **words) {
  int32_t pointers[ROWS + 1] = {0, 2, 2, 5}, columns[ENTRIES] = {0, 3, 1, 2, 3};
  double values[ENTRIES] = {1, 2, 3, 4, 5}, b[COLUMNS * WIDTH], c[ROWS * WIDTH];
  int k, j;
  spc_csr_f64_i32 A = {ROWS, COLUMNS, ENTRIES, pointers, columns, values};
  spc_dense2_f64 B = spc_dense2_f64_make(b, COLUMNS, WIDTH), C = spc_dense2_f64_make(c, ROWS, WIDTH);
  for (k = 0; k < COLUMNS * WIDTH; ++k)
    b[k] = k % 13 - 6;
  EXPECT(spc_x86_64_level == 0);
  if (count > 1)
    spc_x86_64_level = atoi(words[1]);
  EXPECT(spmm(&A, &B, &C) == SPC_OK);
  for (j = 0; j < WIDTH; ++j) {
    EXPECT(c[j] == b[j] + 2 * b[3 * WIDTH + j]);
    EXPECT(c[WIDTH + j] == 0);
    EXPECT(c[2 * WIDTH + j] == 3 * b[WIDTH + j] + 4 * b[2 * WIDTH + j] + 5 * b[3 * WIDTH + j]);
  }
  printf("%d\n", (int)spc_x86_64_level);
  return failures;
}
