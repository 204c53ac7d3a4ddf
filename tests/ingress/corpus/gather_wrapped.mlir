#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#CSC = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed) }>
#VEC = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = { indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"] }
#two = { indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"] }
#sum = { indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"] }
func.func @f(%E: tensor<4x5xf64>, %p: tensor<3xi64>) -> tensor<3x5xf64> {
  %zero = arith.constant 0 : i64
  %four = arith.constant 4 : i64
  %e = tensor.empty() : tensor<3x5xf64>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<3xi64>) outs(%e : tensor<3x5xf64>) {
    ^bb0(%q: i64, %o: f64):
      %s = arith.cmpi slt, %q, %zero : i64
      %t = arith.addi %q, %four : i64
      %u = arith.select %s, %t, %q : i64
      %r = arith.index_cast %u : i64 to index
      %j = linalg.index 1 : index
      %v = tensor.extract %E[%r, %j] : tensor<4x5xf64>
      linalg.yield %v : f64
  } -> tensor<3x5xf64>
  return %0 : tensor<3x5xf64>
}
