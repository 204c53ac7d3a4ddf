#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#CSC = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed) }>
#VEC = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = { indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"] }
#two = { indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"] }
#sum = { indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"] }
func.func @f(%x: tensor<5xf64>) -> tensor<4xf64> {
  %c = arith.constant sparse<[[0, 0], [1, 2], [3, 4]], [1.0, 2.5, -3.0]> : tensor<4x5xf64>
  %A = sparse_tensor.convert %c : tensor<4x5xf64> to tensor<4x5xf64, #CSR>
  %z = arith.constant dense<0.0> : tensor<4xf64>
  %0 = linalg.matvec ins(%A, %x : tensor<4x5xf64, #CSR>, tensor<5xf64>) outs(%z : tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
