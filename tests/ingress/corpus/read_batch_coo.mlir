#E = #sparse_tensor.encoding<{ map = (d0, d1, d2) -> (d0 : batch, d1 : compressed(nonunique), d2 : singleton(soa)) }>
func.func @f(%A: tensor<4x5x6xf32, #E>) -> tensor<4x5x6xf32> {
  %0 = sparse_tensor.convert %A : tensor<4x5x6xf32, #E> to tensor<4x5x6xf32>
  return %0 : tensor<4x5x6xf32>
}
