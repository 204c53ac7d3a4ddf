func.func @f(%x: tensor<1x4x5x2xf64>, %w: tensor<2x3xf64>) -> tensor<1x3x3x2xf64> {
  %z = arith.constant 0xFFF0000000000000 : f64
  %e = tensor.empty() : tensor<1x3x3x2xf64>
  %f = linalg.fill ins(%z : f64) outs(%e : tensor<1x3x3x2xf64>) -> tensor<1x3x3x2xf64>
  %0 = linalg.pooling_nhwc_max ins(%x, %w : tensor<1x4x5x2xf64>, tensor<2x3xf64>) outs(%f : tensor<1x3x3x2xf64>) -> tensor<1x3x3x2xf64>
  return %0 : tensor<1x3x3x2xf64>
}
