#E_x = #sparse_tensor.encoding<{ map = (d0, d1, d2) -> (d0 : compressed, d1 : compressed, d2 : compressed) }>
func.func @f(%x: tensor<4x5x6xf64, #E_x>, %k: tensor<2x2x3xf64>) -> tensor<3x4x4xf64> {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<3x4x4xf64>
  %f = linalg.fill ins(%z : f64) outs(%e : tensor<3x4x4xf64>) -> tensor<3x4x4xf64>
  %0 = linalg.conv_3d ins(%x, %k : tensor<4x5x6xf64, #E_x>, tensor<2x2x3xf64>) outs(%f : tensor<3x4x4xf64>) -> tensor<3x4x4xf64>
  return %0 : tensor<3x4x4xf64>
}
