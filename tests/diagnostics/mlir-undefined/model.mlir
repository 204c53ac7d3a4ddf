func.func @f(%x: tensor<4xf64>) -> tensor<f64> {
  %e = tensor.empty() : tensor<f64>
  %0 = linalg.dot ins(%x, %x : tensor<4xf64>, tensor<4xf64>) outs(%e : tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
