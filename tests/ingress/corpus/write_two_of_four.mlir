#E = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 floordiv 4 : dense, d1 mod 4 : structured[2, 4]) }>
func.func @f(%A: tensor<8x16xf64>) -> tensor<8x16xf64, #E> {
  %0 = sparse_tensor.convert %A : tensor<8x16xf64> to tensor<8x16xf64, #E>
  return %0 : tensor<8x16xf64, #E>
}
