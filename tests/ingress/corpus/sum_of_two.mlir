#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#CSC = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed) }>
#VEC = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = { indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"] }
#two = { indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"] }
#sum = { indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"] }
func.func @f(%A: tensor<4x5xf64, #CSR>) -> tensor<4xf64> {
  %n = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<4xf64>
  %f = linalg.fill ins(%n : f64) outs(%e : tensor<4xf64>) -> tensor<4xf64>
  %0 = linalg.generic #sum ins(%A : tensor<4x5xf64, #CSR>) outs(%f : tensor<4xf64>) {
    ^bb0(%a: f64, %o: f64):
      %s = arith.addf %o, %a : f64
      %t = arith.mulf %a, %a : f64
      %r = arith.addf %t, %s : f64
      linalg.yield %r : f64
  } -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
