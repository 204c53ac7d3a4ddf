/* Kernels that assemble their output, on the calling thread. */
#include "assembly_accumulate.h"
#include "assembly_wide.h"

int main(void) {
  static const int64_t rows[] = {1, 2, 3, 20};
  size_t r, c;
  for (r = 0; r < sizeof rows / sizeof *rows; ++r) {
    make_operands(rows[r], 1, 0);
    for (c = 0; c < CASES; ++c)
      test_assembling(&cases[c]);
    test_accumulating();
    test_accumulating_again();
    test_wide();
    free_operands();
  }
  return failures != 0;
}
