"""The functions of an MLIR module as one object with one header, and as parts of libraries."""

import os
import shutil
import unittest

from spc_case import SpcCase

LINKERS = ([()] if os.environ.get("SPC_HAS_LLD", "1") == "1" else []) + [("--cc=cc",)]
MODULE = """#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
func.func @twice(%x: tensor<1xf64>) -> tensor<1xf64> {
  %e = tensor.empty() : tensor<1xf64>
  %y = linalg.add ins(%x, %x : tensor<1xf64>, tensor<1xf64>) outs(%e : tensor<1xf64>) -> tensor<1xf64>
  return %y : tensor<1xf64>
}
func.func @main(%A: tensor<?x?xf64, #CSR>, %b: tensor<1xf64>) -> (tensor<?x?xf64, #CSR>, tensor<1xf64>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %A, %c0 : tensor<?x?xf64, #CSR>
  %e = tensor.empty(%m, %m) : tensor<?x?xf64, #CSR>
  %C = linalg.matmul ins(%A, %A : tensor<?x?xf64, #CSR>, tensor<?x?xf64, #CSR>) outs(%e : tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR>
  %y = call @twice(%b) : (tensor<1xf64>) -> tensor<1xf64>
  return %C, %y : tensor<?x?xf64, #CSR>, tensor<1xf64>
}
"""
MODULE_CLIENT = """#include "model.h"
#include <string.h>
int main(void) {
  int32_t pointers[2] = {0, 1}, indices[1] = {0};
  double values[1] = {2}, b[1] = {3}, c[1] = {0}, d[1] = {0};
  spc_csr_f64_i32 A = {1, 1, 1, pointers, indices, values}, P;
  spc_dense1_f64 x = spc_dense1_f64_make(b, 1), y = spc_dense1_f64_make(c, 1), z = spc_dense1_f64_make(d, 1);
  if (twice(&x, &y) != SPC_OK || kernel_main(&A, &x, &P, &z) != SPC_OK || c[0] != 6 || d[0] != 6 || P.values[0] != 4)
    return 1;
  kernel_main_free(&P);
  const spc_kernel_entry *kernels = spc_kernels_model;
  return strcmp(kernels[0].name, "kernel_main") == 0 && strcmp(kernels[1].name, "twice") == 0 && kernels[2].name == NULL ? 0 : 2;
}
"""


BROADCAST = """func.func @rows(%x: tensor<?xf64>, %A: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %y = linalg.broadcast ins(%x : tensor<?xf64>) outs(%A : tensor<?x?xf64>) dimensions = [0]
  return %y : tensor<?x?xf64>
}
"""


class ModuleObjects(SpcCase):
    def test_broadcasts(self):
        """Maps say what is broadcast: it is no slip."""
        self.write("rows.mlir", BROADCAST)
        self.assertNotIn("broadcast]", self.spc("compile", "rows.mlir", "-O0").err)
        self.assertIn("[-Wbroadcast]", self.spc("compile", "rows.mlir", "-O0", "-Wbroadcast").err)

    def test_module_of_several_functions(self):
        """They become one object with one header."""
        self.write("model.mlir", MODULE)
        self.write("client.c", MODULE_CLIENT)
        self.spc("compile", "model.mlir", "-O1", "-MD", "--format", "A=csr64", "-Wno-unused")
        self.assertEqual((self.folder / "model.d").read_text().split()[:2], ["model.o:", "model.mlir"])
        self.assertEqual(self.spc("inspect", "model.o").out.count("spc_csr_f64_i64"), 1)
        first = (self.folder / "model.o").read_bytes()
        self.spc("compile", "model.mlir", "-O1", "--format", "A=csr64")
        self.assertEqual((self.folder / "model.o").read_bytes(), first)
        self.spc("compile", "model.mlir", "-O1")
        self.command("cc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "client.c", "model.o", "-lm", "-o", "c")
        self.command("./c")
        self.spc("compile", "model.mlir", "-O1", "--emit=shared", "-o", "libmodel.so", "--header", "model.h")
        self.command("cc", "-std=c11", "client.c", "libmodel.so", "-lm", "-Wl,-rpath,$ORIGIN", "-o", "c")
        self.command("./c")
        self.spc("compile", "model.mlir", "-O1")
        for name, text in (("scale", "y(i) = 2 * x(i)\n"), ("add", "z(i) = x(i) + y(i)\n")):
            self.write(f"{name}.tex", text)
            self.spc("compile", f"{name}.tex", "-O1")
        self.write("all.c", "#include \"model.h\"\n" + MODULE_CLIENT.replace("model.h", "libm2.h").replace(
            "spc_kernels_model", "spc_kernels_m2 + 2").replace('"kernel_main") == 0', '"scale") == 0'))
        for output, *linker in [("libm2.a",), *(("libm2.so", *linker) for linker in LINKERS)]:
            self.spc("library", "scale.o", "model.o", "add.o", "-o", output, *linker)
            self.command("cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "all.c", output, "-lm", "-Wl,-rpath,$ORIGIN", "-o", "c")
            self.command("./c")
        self.spc("compile", "model.mlir", "-O1", "--function=twice", "-o", "twice.o")
        self.assertIn("has a kernel 'twice', as 'model.o' has", self.spc("library", "model.o", "twice.o", "-o", "libm2.a", expect=1).err)
        shutil.copy(self.folder / "twice.h", self.folder / "model.h")
        self.assertIn("[kernel-header]", self.spc("library", "model.o", "-o", "libm2.a", expect=1).err)


if __name__ == "__main__":
    unittest.main()
