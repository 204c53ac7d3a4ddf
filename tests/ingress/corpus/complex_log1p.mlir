func.func @f(%A: tensor<3xcomplex<f64>>) -> tensor<3xcomplex<f64>> {
  %e = tensor.empty() : tensor<3xcomplex<f64>>
  %0 = linalg.map { complex.log1p } ins(%A : tensor<3xcomplex<f64>>) outs(%e : tensor<3xcomplex<f64>>)
  return %0 : tensor<3xcomplex<f64>>
}
