#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#CSC = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed) }>
#VEC = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = { indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"] }
#two = { indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"] }
#sum = { indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"] }
func.func @f(%A: tensor<?x?xf64, #CSR>, %i: index, %k: index) -> tensor<?x?xf64> {
  %0 = tensor.extract_slice %A[%i, 0] [%k, 3] [1, 1] : tensor<?x?xf64, #CSR> to tensor<?x3xf64, #CSR>
  %1 = sparse_tensor.convert %0 : tensor<?x3xf64, #CSR> to tensor<?x3xf64>
  %2 = tensor.cast %1 : tensor<?x3xf64> to tensor<?x?xf64>
  return %2 : tensor<?x?xf64>
}
