#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#CSC = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed) }>
#VEC = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = { indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"] }
#two = { indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"] }
#sum = { indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"] }
func.func @f(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %m = sparse_tensor.lvl %A, %c0 : tensor<?x?xf64, #CSR>
  %i = arith.index_cast %m : index to i64
  %f = arith.sitofp %i : i64 to f64
  %z = arith.constant dense<0.0> : tensor<f64>
  %0 = linalg.dot ins(%x, %x : tensor<?xf64>, tensor<?xf64>) outs(%z : tensor<f64>) -> tensor<f64>
  %1 = tensor.extract %0[] : tensor<f64>
  %2 = arith.mulf %1, %f : f64
  return %2 : f64
}
