#E_k = #sparse_tensor.encoding<{ map = (a, b, c, d) -> (a : compressed, b : compressed, c : compressed, d : compressed) }>
func.func @f(%x: tensor<2x8x9x3xf64>, %k: tensor<3x2x3x4xf64, #E_k>) -> tensor<2x2x4x4xf64> {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<2x2x4x4xf64>
  %f = linalg.fill ins(%z : f64) outs(%e : tensor<2x2x4x4xf64>) -> tensor<2x2x4x4xf64>
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, dilations = dense<2> : tensor<2xi64>} ins(%x, %k : tensor<2x8x9x3xf64>, tensor<3x2x3x4xf64, #E_k>) outs(%f : tensor<2x2x4x4xf64>) -> tensor<2x2x4x4xf64>
  return %0 : tensor<2x2x4x4xf64>
}
