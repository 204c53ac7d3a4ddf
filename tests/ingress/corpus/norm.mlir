#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#CSC = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed) }>
#VEC = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = { indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"] }
#two = { indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"] }
#sum = { indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"] }
func.func @f(%x: tensor<5xf64>) -> f64 {
  %z = arith.constant dense<0.0> : tensor<f64>
  %0 = linalg.dot ins(%x, %x : tensor<5xf64>, tensor<5xf64>) outs(%z : tensor<f64>) -> tensor<f64>
  %1 = tensor.extract %0[] : tensor<f64>
  %2 = math.sqrt %1 : f64
  return %2 : f64
}
