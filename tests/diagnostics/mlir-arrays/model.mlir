#B = #sparse_tensor.encoding<{ map = (b, i, j) -> (b : batch, i : dense, j : compressed) }>
func.func @f(%A: tensor<2x3x4xf64, #B>) -> tensor<2x3x4xf64> {
  %0 = sparse_tensor.convert %A : tensor<2x3x4xf64, #B> to tensor<2x3x4xf64>
  return %0 : tensor<2x3x4xf64>
}
