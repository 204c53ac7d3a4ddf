#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#CSC = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed) }>
#VEC = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = { indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"] }
#two = { indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"] }
#sum = { indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"] }
func.func @f(%A: tensor<4x5xf64, #CSR>) -> tensor<4x5xf64, #CSR> {
  %e = tensor.empty() : tensor<4x5xf64, #CSR>
  %0 = linalg.generic #one ins(%A : tensor<4x5xf64, #CSR>)
      outs(%e : tensor<4x5xf64, #CSR>) {
    ^bb0(%a: f64, %o: f64):
      %r = sparse_tensor.unary %a : f64 to f64 present = { ^bb0(%x: f64): %t = math.exp %x : f64
 sparse_tensor.yield %t : f64 } absent = { %c = arith.constant 7.0 : f64
 sparse_tensor.yield %c : f64 }
      linalg.yield %r : f64
  } -> tensor<4x5xf64, #CSR>
  return %0 : tensor<4x5xf64, #CSR>
}
