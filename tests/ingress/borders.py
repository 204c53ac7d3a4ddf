"""What callers hand over: sizes that are known at the call alone, and unordered, repeated and unwanted entries.

Each program is called from C, with spc's header, and from MLIR, with sparse_tensor.assemble; both print their results.
"""

import shutil
import subprocess

import numpy as np

CSR = "#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>\n"
UNORDERED = "#U = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed(nonordered)) }>\n"
COO = "#COO = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(nonunique)) }>\n"
TWO = "indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", \"parallel\"]"


class Border:
    """A module whose function f has a result of 3 x 4 or of 3 numbers. `made`: lines of MLIR that make its operands, `structs`: lines
    of C, `passed`: the operands of either."""

    def __init__(self, name, module, made, structs, passed, result, expected):
        self.name, self.module, self.made, self.structs, self.passed = name, module, made, structs, passed
        self.result, self.expected = result, np.asarray(expected)


def constant(name, numbers, kind):
    shape = "x".join(map(str, np.shape(numbers)))
    return f"%{name} = arith.constant dense<{numbers}> : tensor<{shape}x{kind}>"


def assembled(name, arrays, values, text):
    """Lines that make %name of arrays of positions and coordinates."""
    lines = [constant(f"{name}{k}", array, "index") for k, array in enumerate(arrays)] + [constant(f"{name}v", values, "f64")]
    arrays_text = ", ".join(f"%{name}{k}" for k in range(len(arrays)))
    types = ", ".join(f"tensor<{'x'.join(map(str, np.shape(array)))}xindex>" for array in arrays)
    return [*lines, f"%{name} = sparse_tensor.assemble ({arrays_text}), %{name}v : ({types}), tensor<{len(values)}xf64> to {text}"]


def dense(numbers):
    return np.array([float(number) for number in numbers])


def borders():
    csr, unordered, coo = "tensor<3x4xf64, #CSR>", "tensor<3x4xf64, #U>", "tensor<3x4xf64, #COO>"
    out = "tensor<3x4xf64>"
    rows = "int64_t pa[] = {0, 2, 3, 3}, ca[] = {3, 0, 1}; double va[] = {1, 2, 3};"
    added = f"""  %e = arith.constant dense<0.0> : {out}
  %0 = linalg.add ins(%A, %B : KIND, {csr}) outs(%e : {out}) -> {out}
  return %0 : {out}
}}"""
    yield Border("unordered entries are added", CSR + UNORDERED + f"func.func @f(%A: {unordered}, %B: {csr}) -> {out} {{\n" + added.replace("KIND", unordered),
                 assembled("A", ([0, 2, 3, 3], [3, 0, 1]), [1.0, 2.0, 3.0], unordered) + assembled("B", ([0, 1, 2, 3], [0, 1, 3]), [10.0, 20.0, 30.0], csr),
                 [rows, "int64_t pb[] = {0, 1, 2, 3}, cb[] = {0, 1, 3}; double vb[] = {10, 20, 30};",
                  "spc_dcu_f64_i64 A = {{3, 4}, 3, pa, ca, va}; spc_csr_f64_i64 B = {3, 4, 3, pb, cb, vb};"],
                 (("A", unordered), ("B", csr)), out, [[12, 0, 0, 1], [0, 23, 0, 0], [0, 0, 0, 30]])
    twice = (["int64_t ca[] = {0, 1, 0, 1, 2, 0}; double va[] = {2, 3, 4};", "spc_csn_aos_f64_i64 A = {{3, 4}, 3, ca, va};"], (("A", coo),))
    made = assembled("A", ([0, 3], [[0, 1], [0, 1], [2, 0]]), [2.0, 3.0, 4.0], coo)
    yield Border("repeated entries are stored densely", COO + f"""func.func @f(%A: {coo}) -> {out} {{
  %0 = sparse_tensor.convert %A : {coo} to {out}
  return %0 : {out}
}}""", made, *twice, out, [[0, 5, 0, 0], [0, 0, 0, 0], [4, 0, 0, 0]])
    yield Border("repeated entries are squared", COO + f"""func.func @f(%A: {coo}) -> {out} {{
  %e = tensor.empty() : {out}
  %0 = linalg.generic {{{TWO}}} ins(%A : {coo}) outs(%e : {out}) {{
    ^bb0(%a: f64, %o: f64):
      %r = arith.mulf %a, %a : f64
      linalg.yield %r : f64
  }} -> {out}
  return %0 : {out}
}}""", made, *twice, out, [[0, 25, 0, 0], [0, 0, 0, 0], [16, 0, 0, 0]])
    yield Border("repeated entries become CSR", COO + CSR + f"""func.func @f(%A: {coo}) -> {out} {{
  %0 = sparse_tensor.convert %A : {coo} to {csr}
  %1 = sparse_tensor.convert %0 : {csr} to {out}
  return %1 : {out}
}}""", made, *twice, out, [[0, 5, 0, 0], [0, 0, 0, 0], [4, 0, 0, 0]])
    any_size, vector = "tensor<?x?xf64, #CSR>", "tensor<3xf64>"
    yield Border("a matrix of any size is passed", CSR + f"""func.func @f(%A: {any_size}, %x: tensor<?xf64>) -> {vector} {{
  %z = arith.constant dense<0.0> : {vector}
  %0 = linalg.matvec ins(%A, %x : {any_size}, tensor<?xf64>) outs(%z : {vector}) -> {vector}
  return %0 : {vector}
}}""", assembled("A", ([0, 2, 3, 3], [0, 3, 1]), [2.0, 1.0, 3.0], any_size) + [constant("y", [1.0, 2.0, 3.0, 4.0], "f64"),
                                                                                     "%x = tensor.cast %y : tensor<4xf64> to tensor<?xf64>"],
                 ["int64_t pa[] = {0, 2, 3, 3}, ca[] = {0, 3, 1}; double va[] = {2, 1, 3}, vx[] = {1, 2, 3, 4};",
                  "spc_csr_f64_i64 A = {3, 4, 3, pa, ca, va}; spc_dense1_f64 x = spc_dense1_f64_make(vx, 4);"],
                 (("A", any_size), ("x", "tensor<?xf64>")), vector, [6, 6, 0])


def program(border):
    """The module with a function that makes operands, calls f and prints."""
    types = ", ".join(text for _, text in border.passed)
    order = border.expected.ndim
    lines = ["%zero = arith.constant 0 : index", "%one = arith.constant 1 : index", *border.made,
             f"%r = call @f({', '.join('%' + name for name, _ in border.passed)}) : ({types}) -> {border.result}"]
    for k, size in enumerate(border.expected.shape):
        lines += [f"%n{k} = arith.constant {size} : index"]
    lines += [f"scf.for %i{k} = %zero to %n{k} step %one {{" for k in range(order)]
    lines += [f"%v = tensor.extract %r[{', '.join(f'%i{k}' for k in range(order))}] : {border.result}", "vector.print %v : f64"] + ["}"] * order
    return border.module + "\nfunc.func @entry() {\n  " + "\n  ".join([*lines, "return"]) + "\n}\n"


def of_spc(spc, border, folder):
    """What spc's kernel makes of the operands; what is wrong where it makes nothing."""
    (folder / "border.mlir").write_text(border.module + "\n")
    sizes = ", ".join(map(str, border.expected.shape))
    count = border.expected.size
    (folder / "border.c").write_text(f"""#include "border.h"
#include <stdio.h>
int main(void) {{
  {chr(10).join(border.structs)}
  double values[{count}] = {{0}};
  spc_dense{border.expected.ndim}_f64 out = spc_dense{border.expected.ndim}_f64_make(values, {sizes});
  if (f({', '.join('&' + name for name, _ in border.passed)}, &out) != SPC_OK)
    return 1;
  for (int k = 0; k < {count}; ++k)
    printf("%g\\n", values[k]);
  return 0;
}}
""")
    for command in ([spc, "compile", "border.mlir", "-q", "-O1"], [shutil.which("cc"), "border.c", "border.o", "-lm", "-o", "border"], ["./border"]):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            return None, done.stderr
    return dense(done.stdout.split()), ""
