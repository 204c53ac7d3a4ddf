#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#CSC = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed) }>
#VEC = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = { indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"] }
#two = { indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"] }
#sum = { indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"] }
func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
  %c = arith.constant dense_resource<weights> : tensor<4xf64>
  %e = tensor.empty() : tensor<4xf64>
  %0 = linalg.add ins(%x, %c : tensor<4xf64>, tensor<4xf64>) outs(%e : tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
{-#
  dialect_resources: { builtin: { weights: "0x08000000000000000000F03F000000000000004000000000000008400000000000001040" } }
#-}
