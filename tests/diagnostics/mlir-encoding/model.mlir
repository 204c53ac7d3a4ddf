#S = #sparse_tensor.encoding<{ map = (i : #sparse_tensor<slice(1, 3, 1)>, j : #sparse_tensor<slice(0, 4, 1)>) -> (i : dense, j : compressed) }>
func.func @f(%A: tensor<3x4xf64, #S>) -> tensor<3x4xf64> {
  %0 = sparse_tensor.convert %A : tensor<3x4xf64, #S> to tensor<3x4xf64>
  return %0 : tensor<3x4xf64>
}
