#E_A = #sparse_tensor.encoding<{ map = (d0, d1, d2) -> (d0 : dense, d1 : dense, d2 : compressed) }>
func.func @f(%A: tensor<3x4x5xf64, #E_A>, %B: tensor<3x5x2xf64>) -> tensor<3x4x2xf64> {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<3x4x2xf64>
  %f = linalg.fill ins(%z : f64) outs(%e : tensor<3x4x2xf64>) -> tensor<3x4x2xf64>
  %0 = linalg.batch_matmul ins(%A, %B : tensor<3x4x5xf64, #E_A>, tensor<3x5x2xf64>) outs(%f : tensor<3x4x2xf64>) -> tensor<3x4x2xf64>
  return %0 : tensor<3x4x2xf64>
}
