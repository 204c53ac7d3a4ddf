#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#CSC = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed) }>
#VEC = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = { indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"] }
#two = { indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"] }
#sum = { indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"] }
func.func @f(%A: tensor<4x5xf64, #CSR>) -> tensor<5x4xf64> {
  %e = tensor.empty() : tensor<5x4xf64>
  %0 = linalg.transpose ins(%A : tensor<4x5xf64, #CSR>) outs(%e : tensor<5x4xf64>) permutation = [1, 0]
  return %0 : tensor<5x4xf64>
}
