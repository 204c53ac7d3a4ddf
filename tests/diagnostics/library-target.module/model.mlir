func.func @first(%x: tensor<4xf64>) -> tensor<4xf64> {
  return %x : tensor<4xf64>
}
func.func @second(%x: tensor<4xf64>) -> tensor<4xf64> {
  return %x : tensor<4xf64>
}
