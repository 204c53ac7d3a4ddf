func.func @scale(%x: tensor<4xf64>) -> tensor<4xf64> {
  return %x : tensor<4xf64>
}
func.func @scale_ctx(%x: tensor<4xf64>) -> tensor<4xf64> {
  return %x : tensor<4xf64>
}
