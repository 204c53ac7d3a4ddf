#E = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 floordiv 2 : dense, d1 floordiv 2 : loose_compressed, d0 mod 2 : dense, d1 mod 2 : dense) }>
func.func @f(%A: tensor<8x16xf64, #E>) -> tensor<8x16xf64> {
  %0 = sparse_tensor.convert %A : tensor<8x16xf64, #E> to tensor<8x16xf64>
  return %0 : tensor<8x16xf64>
}
