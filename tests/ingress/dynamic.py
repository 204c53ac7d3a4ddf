"""Sizes that are known at the call alone, and what operations make of them."""

import numpy as np

from cases import Case, function, numbers

SIZES = """  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
"""


def dynamic():
    a, b = numbers((4, 6), density=0.5), numbers((4, 6), density=0.5, seed=3)
    sizes = SIZES + "  %m = tensor.dim %A, %c0 : !N\n  %n = tensor.dim %A, %c1 : !N\n"
    zeroed = "  %z = arith.constant 0.0 : f64\n"
    yield Case("dynamic_add", function("%A: !N, %B: !N", "!N", sizes + """  %e = tensor.empty(%m, %n) : !N
  %0 = linalg.generic #two ins(%A, %B : !N, !N) outs(%e : !N) {
    ^bb0(%a: f64, %b: f64, %o: f64):
      %r = arith.addf %a, %b : f64
      linalg.yield %r : f64
  } -> !N
  return %0 : !N"""), {"A": a, "B": b}, np.add)
    yield Case("dynamic_sampled", function("%A: !N, %B: !D, %C: !D", "!N", sizes + """  %e = tensor.empty(%m, %n) : !N
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, k)>,
      affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %B, %C : !N, !D, !D) outs(%e : !N) {
    ^bb0(%a: f64, %b: f64, %c: f64, %o: f64):
      %p = arith.mulf %b, %c : f64
      %q = arith.mulf %a, %p : f64
      %r = arith.addf %o, %q : f64
      linalg.yield %r : f64
  } -> !N
  return %0 : !N"""), {"A": a, "B": numbers((4, 3)), "C": numbers((3, 6))}, lambda A, B, C: A * (B @ C))
    yield Case("dynamic_sum", function("%A: !N", "f64", zeroed + """  %e = tensor.from_elements %z : tensor<f64>
  %0 = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%A : !N) outs(%e : tensor<f64>) {
    ^bb0(%a: f64, %o: f64):
      %r = arith.addf %a, %o : f64
      linalg.yield %r : f64
  } -> tensor<f64>
  %1 = tensor.extract %0[] : tensor<f64>
  return %1 : f64"""), {"A": a}, np.sum)
    yield Case("dynamic_transpose", function("%A: !N", "!N", sizes + """  %e = tensor.empty(%n, %m) : !N
  %0 = linalg.transpose ins(%A : !N) outs(%e : !N) permutation = [1, 0]
  return %0 : !N"""), {"A": a}, np.transpose)
    yield Case("dynamic_concatenate", function("%A: !D, %B: !D", "!D", "  %0 = tensor.concat dim(0) %A, %B : (!D, !D) -> !D\n  return %0 : !D"),
               {"A": a, "B": b}, lambda A, B: np.concatenate([A, B]))
    yield Case("dynamic_convolution", function("%A: !N, %K: tensor<2x2xf64>", "!D", sizes + zeroed + """  %p = arith.subi %m, %c1 : index
  %q = arith.subi %n, %c1 : index
  %e = tensor.empty(%p, %q) : !D
  %f = linalg.fill ins(%z : f64) outs(%e : !D) -> !D
  %0 = linalg.conv_2d ins(%A, %K : !N, tensor<2x2xf64>) outs(%f : !D) -> !D
  return %0 : !D"""), {"A": a, "K": numbers((2, 2))},
               lambda A, K: sum(A[p:p + 3, q:q + 5] * K[p, q] for p in (0, 1) for q in (0, 1)))
    yield from reshaped(a)


def reshaped(a):
    flat = "tensor<?xf64, #VEC>"
    yield Case("dynamic_collapse", function("%A: !N", flat, f"""  %0 = tensor.collapse_shape %A [[0, 1]] : !N into {flat}
  return %0 : {flat}"""), {"A": a}, np.ravel)
    wide = "tensor<?x4xf64, #CSR>"
    # What is divided is the size of the operand: it is that of the result, times 4.
    yield Case("dynamic_expand", function(f"%A: {flat}", wide, SIZES + f"""  %c4 = arith.constant 4 : index
  %n = tensor.dim %A, %c0 : {flat}
  %m = arith.divui %n, %c4 : index
  %0 = tensor.expand_shape %A [[0, 1]] output_shape [%m, 4] : {flat} into {wide}
  return %0 : {wide}"""), {"A": a.ravel()}, lambda A: A.reshape(6, 4), sizes={"A_0_0": 6})
    yield Case("dynamic_expand_given", function(f"%A: {flat}, %m: index", wide, f"""  %0 = tensor.expand_shape %A [[0, 1]] output_shape [%m, 4] : {flat} into {wide}
  return %0 : {wide}"""), {"A": a.ravel()}, lambda A: A.reshape(6, 4), sizes={"m": 6})
    yield Case("dynamic_slice", function("%A: !N, %i: index, %k: index", "!D", """  %0 = tensor.extract_slice %A[%i, 0] [%k, 3] [1, 1] : !N to tensor<?x3xf64, #CSR>
  %1 = sparse_tensor.convert %0 : tensor<?x3xf64, #CSR> to tensor<?x3xf64>
  %2 = tensor.cast %1 : tensor<?x3xf64> to !D
  return %2 : !D"""), {"A": a, "i": np.int64(1)}, lambda A, i: A[i:i + 2, :3], sizes={"k": 2})
    yield Case("level_size", function("%A: !N, %x: tensor<?xf64>", "f64", """  %c0 = arith.constant 0 : index
  %m = sparse_tensor.lvl %A, %c0 : !N
  %i = arith.index_cast %m : index to i64
  %f = arith.sitofp %i : i64 to f64
  %z = arith.constant dense<0.0> : tensor<f64>
  %0 = linalg.dot ins(%x, %x : tensor<?xf64>, tensor<?xf64>) outs(%z : tensor<f64>) -> tensor<f64>
  %1 = tensor.extract %0[] : tensor<f64>
  %2 = arith.mulf %1, %f : f64
  return %2 : f64"""), {"A": a, "x": numbers((5,))}, lambda A, x: 4 * (x @ x), inputs={"A_0": 4})
