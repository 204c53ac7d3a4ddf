#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#CSC = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed) }>
#VEC = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = { indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"] }
#two = { indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"] }
#sum = { indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"] }
func.func @f(%A: tensor<4x5xf64>) -> tensor<7x6xf64> {
  %c = arith.constant 2.0 : f64
  %0 = tensor.pad %A low[1, 0] high[2, 1] {
    ^bb0(%i: index, %j: index):
      tensor.yield %c : f64
  } : tensor<4x5xf64> to tensor<7x6xf64>
  return %0 : tensor<7x6xf64>
}
