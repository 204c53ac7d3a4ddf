"""Modules of every kind that front ends write, each with what NumPy makes of its operands."""

import numpy as np

from bodies import complex_functions, complex_numbers, concatenations, elementwise, integer_extremes, integers, reductions, sparse_operations, types
from cases import HEADER, Case, function, generic, numbers
from dynamic import dynamic
from places import places
from refused import refusals
from storages import matrices, tensors, widths
from structured import casts, mixed, moves, products
from windows import windows


def functions():
    a, x = numbers((4, 5), density=0.5), numbers((5,))
    product = """  %z = arith.constant dense<0.0> : !R
  %0 = linalg.matvec ins(%A, %x : !S, !V) outs(%z : !R) -> !R
  return %0 : !R"""
    yield Case("constant_dense", function("%x: !R", "!R", """  %c = arith.constant dense<[1.0, -2.5, 0.0, 4.0]> : !R
  %e = tensor.empty() : !R
  %0 = linalg.mul ins(%x, %c : !R, !R) outs(%e : !R) -> !R
  return %0 : !R"""), {"x": numbers((4,))}, lambda x: x * [1, -2.5, 0, 4])
    yield Case("constant_sparse", function("%x: !V", "!R", """  %c = arith.constant sparse<[[0, 0], [1, 2], [3, 4]], [1.0, 2.5, -3.0]> : !M
  %A = sparse_tensor.convert %c : !M to !S
""" + product), {"x": x}, lambda x: np.array([x[0], 2.5 * x[2], 0, -3 * x[4]]))
    yield Case("constant_resource", function("%x: !R", "!R", """  %c = arith.constant dense_resource<weights> : !R
  %e = tensor.empty() : !R
  %0 = linalg.add ins(%x, %c : !R, !R) outs(%e : !R) -> !R
  return %0 : !R""") + """
{-#
  dialect_resources: { builtin: { weights: "0x08000000000000000000F03F000000000000004000000000000008400000000000001040" } }
#-}""", {"x": numbers((4,))}, lambda x: x + [1, 2, 3, 4])
    private = function("%A: !S, %x: !V", "!R", product, name="spmv").replace("func.func @spmv", "func.func private @spmv")
    yield Case("call", private + "\n" + function("%A: !S, %x: !V", "!R", """  %y = call @spmv(%A, %x) : (!S, !V) -> !R
  %e = tensor.empty() : !R
  %0 = linalg.exp ins(%y : !R) outs(%e : !R) -> !R
  return %0 : !R""").replace(HEADER, ""), {"A": a, "x": x}, lambda A, x: np.exp(A @ x))
    yield Case("sizes", function("%A: !N, %B: !N", "!N", """  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %A, %c0 : !N
  %n = tensor.dim %B, %c1 : !N
  %e = bufferization.alloc_tensor(%m, %n) : !N
  %0 = linalg.matmul ins(%A, %B : !N, !N) outs(%e : !N) -> !N
  return %0 : !N"""), {"A": a, "B": numbers((5, 3), density=0.5)}, lambda A, B: A @ B)
    yield Case("scalar", function("%A: !S, %s: f64", "!S", """  %e = tensor.empty() : !S
  %t = arith.mulf %s, %s : f64
  %0 = linalg.generic #one ins(%A : !S) outs(%e : !S) {
    ^bb0(%a: f64, %o: f64):
      %r = arith.mulf %a, %t : f64
      linalg.yield %r : f64
  } -> !S
  return %0 : !S"""), {"A": a, "s": np.float64(1.5)}, lambda A, s: A * s * s)
    yield Case("constant_nan", generic("nan", "%n = arith.constant 0x7FF8000000000000 : f64\n      %r = arith.addf %a, %n : f64",
                                       {"A": a}, None).text, {"A": a}, lambda A: A + np.nan)
    yield Case("size_as_number", function("%x: tensor<?xf64>", "f64", """  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf64>
  %i = arith.index_cast %n : index to i64
  %f = arith.sitofp %i : i64 to f64
  %z = arith.constant dense<0.0> : tensor<f64>
  %0 = linalg.dot ins(%x, %x : tensor<?xf64>, tensor<?xf64>) outs(%z : tensor<f64>) -> tensor<f64>
  %1 = tensor.extract %0[] : tensor<f64>
  %2 = arith.divf %1, %f : f64
  return %2 : f64"""), {"x": x}, lambda x: np.mean(x * x))
    yield Case("norm", function("%x: !V", "f64", """  %z = arith.constant dense<0.0> : tensor<f64>
  %0 = linalg.dot ins(%x, %x : !V, !V) outs(%z : tensor<f64>) -> tensor<f64>
  %1 = tensor.extract %0[] : tensor<f64>
  %2 = math.sqrt %1 : f64
  return %2 : f64"""), {"x": x}, np.linalg.norm)
    yield Case("argument_back", function("%A: !S", "!S", "  return %A : !S"), {"A": a}, lambda A: A)
    header = "#COO = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>\n"
    yield Case("assemble", function("%pos: tensor<5xi32>, %crd: tensor<?xi32>, %val: tensor<?xf64>, %x: !V", "!R", """  %A = sparse_tensor.assemble (%pos, %crd), %val : (tensor<5xi32>, tensor<?xi32>), tensor<?xf64> to tensor<4x5xf64, #COO>
""" + product.replace("!S", "tensor<4x5xf64, #COO>"), header), {"A": a, "x": x}, lambda A, x: A @ x)


def elements():
    """Elements at computed places."""
    gather = """  %e = tensor.empty() : tensor<3x5xf64>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<3xTYPE>) outs(%e : tensor<3x5xf64>) {
    ^bb0(%q: TYPE, %o: f64):
      %r = arith.index_cast %q : TYPE to index
      %j = linalg.index 1 : index
      %v = tensor.extract %E[%r, %j] : !M
      linalg.yield %v : f64
  } -> tensor<3x5xf64>
  return %0 : tensor<3x5xf64>"""
    for kind, numpy_type in (("i32", np.int32), ("i64", np.int64)):
        yield Case(f"gather_{kind}", function(f"%E: !M, %p: tensor<3x{kind}>", "tensor<3x5xf64>", gather.replace("TYPE", kind)),
                   {"E": numbers((4, 5)), "p": np.array([3, 0, 3], numpy_type)}, lambda E, p: E[p])
    computed = {"wrapped": ("%s = arith.cmpi slt, %q, %zero : i64\n      %t = arith.addi %q, %four : i64\n      %u = arith.select %s, %t, %q : i64",
                            lambda p: np.where(p < 0, p + 4, p)),
                "rest": ("%k = linalg.index 0 : index\n      %t = arith.index_cast %k : index to i64\n      %s = arith.addi %q, %t : i64\n"
                         "      %u = arith.remsi %s, %four : i64", lambda p: (p + np.arange(3)) % 4)}
    for name, (body, place) in computed.items():
        text = gather.replace("TYPE", "i64").replace("%r = arith.index_cast %q", f"{body}\n      %r = arith.index_cast %u")
        text = "  %zero = arith.constant 0 : i64\n  %four = arith.constant 4 : i64\n" + text
        yield Case(f"gather_{name}", function("%E: !M, %p: tensor<3xi64>", "tensor<3x5xf64>", text),
                   {"E": numbers((4, 5)), "p": np.array([-1, 0, 3] if name == "wrapped" else [3, 0, 2])}, lambda E, p, place=place: E[place(p)])
    yield Case("gather_summed", function("%E: !M, %p: tensor<3xi64>, %x: !V", "tensor<3xf64>", """  %four = arith.constant 4 : i64
  %z = arith.constant dense<0.0> : tensor<3xf64>
  %0 = linalg.generic {indexing_maps = [#row, affine_map<(i, j) -> (j)>, #row], iterator_types = ["parallel", "reduction"]}
      ins(%p, %x : tensor<3xi64>, !V) outs(%z : tensor<3xf64>) {
    ^bb0(%q: i64, %b: f64, %o: f64):
      %u = arith.remsi %q, %four : i64
      %r = arith.index_cast %u : i64 to index
      %j = linalg.index 1 : index
      %v = tensor.extract %E[%r, %j] : !M
      %t = arith.mulf %v, %b : f64
      %s = arith.addf %o, %t : f64
      linalg.yield %s : f64
  } -> tensor<3xf64>
  return %0 : tensor<3xf64>"""), {"E": numbers((4, 5)), "p": np.array([7, 0, 6]), "x": numbers((5,))}, lambda E, p, x: E[p % 4] @ x)
    yield Case("element", function("%x: !V", "f64", "  %c2 = arith.constant 2 : index\n  %0 = tensor.extract %x[%c2] : !V\n  return %0 : f64"), {"x": numbers((5,))},
               lambda x: x[2])
    listed = "tensor<2x2xf64>"
    yield Case("from_several", function("%s: f64, %t: f64", listed, f"  %u = arith.mulf %s, %t : f64\n  %0 = tensor.from_elements %s, %t, %u, %s : {listed}\n  return %0 : {listed}"),
               {"s": np.float64(2.5), "t": np.float64(-1)}, lambda s, t: np.array([[s, t], [s * t, s]]))
    yield Case("from_elements", function("%s: f64", "tensor<1xf64>", "  %0 = tensor.from_elements %s : tensor<1xf64>\n  return %0 : tensor<1xf64>"),
               {"s": np.float64(2.5)}, lambda s: np.array([s]))


GROUPS = {
    "encodings of matrices": matrices, "encodings of tensors": tensors, "widths and types": widths, "products": products,
    "mixed orders": mixed, "convolutions and pooling": windows, "elementwise": elementwise, "arithmetic of all types": types, "integers": integers, "extremes of integers": integer_extremes,
    "unary, binary, reduce, select": sparse_operations, "concatenations": concatenations, "reductions": reductions, "extremes with their places": places, "casts": casts,
    "slices, reshapes and other moves": moves, "dynamic sizes": dynamic, "functions and constants": functions,
    "elements at computed places": elements, "complex numbers": complex_numbers, "functions of complex numbers": complex_functions, "refusals": refusals}


def cases():
    for kind in GROUPS.values():
        yield from kind()
