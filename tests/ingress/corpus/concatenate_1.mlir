#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#CSC = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed) }>
#VEC = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = { indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"] }
#two = { indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"] }
#sum = { indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"] }
func.func @f(%A: tensor<4x5xf64, #CSR>, %B: tensor<4x5xf64, #CSC>) -> tensor<4x10xf64, #CSR> {
  %0 = sparse_tensor.concatenate %A, %B {dimension = 1 : index} : tensor<4x5xf64, #CSR>, tensor<4x5xf64, #CSC> to tensor<4x10xf64, #CSR>
  return %0 : tensor<4x10xf64, #CSR>
}
