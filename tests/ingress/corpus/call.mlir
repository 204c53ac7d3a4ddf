#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#CSC = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed) }>
#VEC = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = { indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"] }
#two = { indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"] }
#sum = { indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"] }
func.func private @spmv(%A: tensor<4x5xf64, #CSR>, %x: tensor<5xf64>) -> tensor<4xf64> {
  %z = arith.constant dense<0.0> : tensor<4xf64>
  %0 = linalg.matvec ins(%A, %x : tensor<4x5xf64, #CSR>, tensor<5xf64>) outs(%z : tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
func.func @f(%A: tensor<4x5xf64, #CSR>, %x: tensor<5xf64>) -> tensor<4xf64> {
  %y = call @spmv(%A, %x) : (tensor<4x5xf64, #CSR>, tensor<5xf64>) -> tensor<4xf64>
  %e = tensor.empty() : tensor<4xf64>
  %0 = linalg.exp ins(%y : tensor<4xf64>) outs(%e : tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
