"""`--checked`: a C program gives wrong arguments to kernels, which must say what is wrong with them."""

import re
import shutil
import unittest

from spc_case import SPMV, SpcCase

CLIENT = r"""
#include "spmv.h"
#include "scale.h"
#include "spgemm.h"
#include "ttv.h"
#include <stdio.h>

static int failures = 0;
static void expect(int line, spc_status wanted, spc_status got) {
  if (wanted == got)
    return;
  printf("line %d: %s, not %s\n", line, spc_status_string(got), spc_status_string(wanted));
  ++failures;
}
#define EXPECT(wanted, call) expect(__LINE__, wanted, call)

static char said[100];
static double x[4] = {1, 2, 3, 4}, y[4], memory[40];
static int32_t ptr[4] = {0, 2, 2, 4}, ind[4] = {0, 3, 1, 2};
static double values[4] = {1, 2, 3, 4};
static spc_csr_f64_i32 A = {3, 4, 4, ptr, ind, values};

static void contents(void) {
  const spc_dense1_f64 X = spc_dense1_f64_make(x, 4);
  spc_dense1_f64 Y = spc_dense1_f64_make(y, 3);
  EXPECT(SPC_OK, spmv(&A, &X, &Y));
  if (y[0] != 9 || y[1] != 0 || y[2] != 18)
    ++failures;
  ind[1] = 4;
  y[0] = 77;
  EXPECT(SPC_ERROR_INDEX_RANGE, spmv(&A, &X, &Y));
  spc_status_message(said, sizeof said, SPC_ERROR_INDEX_RANGE, spc_last_problem());
  failures += strcmp(said, "spmv: argument 1 (A): a coordinate is outside of what is stored") != 0;
  ind[1] = -1;
  EXPECT(SPC_ERROR_INDEX_RANGE, spmv(&A, &X, &Y));
  ind[1] = 0;
  EXPECT(SPC_ERROR_DUPLICATE, spmv(&A, &X, &Y));
  ind[0] = 2;
  EXPECT(SPC_ERROR_UNSORTED, spmv(&A, &X, &Y));
  ind[0] = 0, ind[1] = 3, ptr[1] = 5;
  EXPECT(SPC_ERROR_POINTERS, spmv(&A, &X, &Y));
  ptr[1] = 2, ptr[0] = -1;
  EXPECT(SPC_ERROR_POINTERS, spmv(&A, &X, &Y));
  ptr[0] = 0;
  if (y[0] != 77)
    ++failures; /* written to before all was checked */
}

static void overlaps(void) {
  const spc_dense1_f64 X = spc_dense1_f64_make(x, 4);
  spc_dense1_f64 Y = spc_dense1_f64_make(x + 1, 3);
  spc_csr_f64_i32 D = {0, 0, 0, NULL, NULL, values};
  spc_dense2_f64 left = {{5, 3}, {8, 1}, memory}, right = {{5, 3}, {8, 1}, memory + 3};
  EXPECT(SPC_ERROR_OVERLAP, spmv(&A, &X, &Y));
  Y.values = values;
  EXPECT(SPC_ERROR_OVERLAP, spmv(&A, &X, &Y));
  Y.values = (double *)(void *)ind;
  EXPECT(SPC_ERROR_OVERLAP, spmv(&A, &X, &Y));
  EXPECT(SPC_ERROR_OVERLAP, scale(&A, &D, &left, &right));
  D.values = y;
  EXPECT(SPC_OK, scale(&A, &D, &left, &right));
  D.values = y; /* the structure is A's now */
  EXPECT(SPC_OK, scale(&A, &D, &left, &right));
  right.values = memory + 2;
  EXPECT(SPC_ERROR_OVERLAP, scale(&A, &D, &left, &right));
  right.values = memory + 8;
  EXPECT(SPC_ERROR_OVERLAP, scale(&A, &D, &left, &right));
  {
    double both[10] = {1, 0, 1, 0, 1, 0, 1, 0, 0, 0}; /* x and y by turns */
    const spc_dense1_f64 even = {4, 2, both}, backward = {4, -2, both + 6};
    spc_dense1_f64 odd = {3, 2, both + 1};
    EXPECT(SPC_OK, spmv(&A, &even, &odd));
    EXPECT(SPC_OK, spmv(&A, &backward, &odd));
    odd.values = both + 4;
    EXPECT(SPC_ERROR_OVERLAP, spmv(&A, &even, &odd));
    EXPECT(SPC_ERROR_OVERLAP, spmv(&A, &backward, &odd));
  }
  right.values = memory + 3, right.strides[0] = 2;
  EXPECT(SPC_ERROR_STRIDE, scale(&A, &D, &left, &right));
}

static void assembled(void) {
  int32_t p[3] = {0, 1, 2}, i[2] = {0, 1};
  double v[2] = {1, 1};
  int32_t *columns;
  spc_csr_f64_i32 B = {2, 2, 2, p, i, v}, C;
  EXPECT(SPC_ERROR_OVERLAP, spgemm(&B, &B, &B));
  EXPECT(SPC_OK, spgemm(&B, &B, &C));
  columns = (int32_t *)C.col_ind;
  columns[1] = 2;
  EXPECT(SPC_ERROR_INDEX_RANGE, spgemm_numeric(&B, &B, &C, NULL));
  columns[1] = 0;
  EXPECT(SPC_ERROR_PATTERN, spgemm_numeric(&B, &B, &C, NULL));
  columns[1] = 1;
  EXPECT(SPC_OK, spgemm_numeric(&B, &B, &C, NULL));
  i[0] = 9;
  EXPECT(SPC_ERROR_INDEX_RANGE, spgemm_symbolic(&B, &B, &C, NULL));
  spgemm_free(&C);
}

static void counts(void) {
  int32_t i0[1] = {1}, p1[2] = {0, 2}, i1[2] = {0, 1}, p2[3] = {0, 1, 3}, i2[3] = {1, 0, 1};
  double v[3] = {1, 2, 3}, out[4];
  spc_csf3_f64_i32 T = {{2, 2, 2}, 3, 1, 2, i0, p1, i1, p2, i2, v};
  const spc_dense1_f64 X = spc_dense1_f64_make(x, 2);
  spc_dense2_f64 Y = spc_dense2_f64_make(out, 2, 2);
  EXPECT(SPC_OK, ttv(&T, &X, &Y));
  T.count_1 = 3;
  EXPECT(SPC_ERROR_COUNT, ttv(&T, &X, &Y));
  T.count_1 = 2, p2[1] = 4;
  EXPECT(SPC_ERROR_POINTERS, ttv(&T, &X, &Y));
}

int main(void) {
  contents();
  overlaps();
  assembled();
  counts();
  return failures;
}
"""


class Checked(SpcCase):
    KERNELS = {
        "spmv": (SPMV, ["A=csr"]),
        "scale": ("D(i,j) = 2 * A(i,j)\nL(k,l) = 1\nR(k,l) = 2\n", ["A=csr", "D=csr"]),
        "spgemm": ("C(i,j) = A(i,k) * B(k,j)\n", ["A=csr", "B=csr", "C=csr"]),
        "ttv": ("Y(i,j) = T(i,j,k) * x(k)\n", ["T=csf"]),
    }

    def test_wrong_arguments_from_c(self):
        compiler = shutil.which("gcc") or shutil.which("clang") or shutil.which("clang-22")
        if not compiler:
            self.skipTest("there is no C compiler")
        for name, (text, formats) in self.KERNELS.items():
            self.write(f"{name}.tex", text)
            self.spc("compile", f"{name}.tex", *(f"--format={format}" for format in formats), "--checked")
        self.write("client.c", CLIENT)
        objects = [f"{name}.o" for name in self.KERNELS]
        self.command(compiler, "-Wall", "-Werror", "client.c", *objects, "-lm", "-o", "client")
        self.command(self.folder / "client")

    def test_run(self):
        self.write("spmv.tex", SPMV)
        arguments = ["run", "spmv.tex", "--format=A=coo", "A=random:20x30:density=0.2:seed=3", "x=ones"]
        self.assertEqual(self.spc(*arguments).out, self.spc(*arguments, "--checked").out)

    def test_other_kernels_pay_nothing(self):
        self.write("spmv.tex", SPMV)
        plain, checked = (self.spc("compile", "spmv.tex", "--format=A=csr", "--mcpu=x86-64", "--emit=llvm", *options).out
                          for options in ([], ["--checked"]))
        # Large calls of SpMV find out for themselves whether prefetches pay.
        self.assertLessEqual(set(re.findall(r"spc\.rt\.\w+", plain)), {"spc.rt.trial_begin", "spc.rt.trial_end"})
        self.assertIn("spc.rt.check_structure", checked)
        self.assertIn("spc.rt.check_overlaps", checked)


if __name__ == "__main__":
    unittest.main()
