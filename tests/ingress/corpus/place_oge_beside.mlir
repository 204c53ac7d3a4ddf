#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#CSC = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed) }>
#VEC = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = { indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"] }
#two = { indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"] }
#sum = { indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"] }
func.func @f(%A: tensor<9x6xf64>) -> tensor<9xi64> {
  %n = arith.constant 0xFFF0000000000000 : f64
  %z = arith.constant 0 : i64
  %e = tensor.empty() : tensor<9xf64>
  %p = tensor.empty() : tensor<9xi64>
  %f = linalg.fill ins(%n : f64) outs(%e : tensor<9xf64>) -> tensor<9xf64>
  %g = linalg.fill ins(%z : i64) outs(%p : tensor<9xi64>) -> tensor<9xi64>
  %0:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : tensor<9x6xf64>) outs(%f, %g : tensor<9xf64>, tensor<9xi64>) {
    ^bb0(%a: f64, %o: f64, %q: i64):
      %j = linalg.index 1 : index
      %k = arith.index_cast %j : index to i64
      %c = arith.cmpf oge, %a, %o : f64
      %r = arith.maximumf %a, %o : f64
      %s = arith.select %c, %k, %q : i64
      linalg.yield %r, %s : f64, i64
  } -> (tensor<9xf64>, tensor<9xi64>)
  return %0#1 : tensor<9xi64>
}
