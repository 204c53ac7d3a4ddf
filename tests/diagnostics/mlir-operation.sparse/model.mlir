#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @values(%A: tensor<4x6xf64, #CSR>) -> memref<?xf64> {
  %n = sparse_tensor.values %A : tensor<4x6xf64, #CSR> to memref<?xf64>
  return %n : memref<?xf64>
}
