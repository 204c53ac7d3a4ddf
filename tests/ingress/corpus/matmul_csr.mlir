#E_A = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @f(%A: tensor<6x8xf64, #E_A>, %B: tensor<8x5xf64>) -> tensor<6x5xf64> {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<6x5xf64>
  %f = linalg.fill ins(%z : f64) outs(%e : tensor<6x5xf64>) -> tensor<6x5xf64>
  %0 = linalg.matmul ins(%A, %B : tensor<6x8xf64, #E_A>, tensor<8x5xf64>) outs(%f : tensor<6x5xf64>) -> tensor<6x5xf64>
  return %0 : tensor<6x5xf64>
}
