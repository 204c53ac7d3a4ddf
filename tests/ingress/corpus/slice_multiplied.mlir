#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#CSC = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed) }>
#VEC = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = { indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"] }
#two = { indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"] }
#sum = { indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"] }
#SLICE = #sparse_tensor.encoding<{ map = (i : #sparse_tensor<slice(1, 2, 2)>, j : #sparse_tensor<slice(0, 3, 1)>) -> (i : dense, j : compressed) }>
func.func @f(%A: tensor<4x5xf64, #CSR>, %B: tensor<3x2xf64>) -> tensor<2x2xf64> {
  %0 = tensor.extract_slice %A[1, 0] [2, 3] [2, 1] : tensor<4x5xf64, #CSR> to tensor<2x3xf64, #SLICE>
  %z = arith.constant dense<0.0> : tensor<2x2xf64>
  %1 = linalg.matmul ins(%0, %B : tensor<2x3xf64, #SLICE>, tensor<3x2xf64>) outs(%z : tensor<2x2xf64>) -> tensor<2x2xf64>
  return %1 : tensor<2x2xf64>
}
