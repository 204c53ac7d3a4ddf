func.func @f(%A: tensor<3xcomplex<f64>>) -> tensor<3xcomplex<f64>> {
  %e = tensor.empty() : tensor<3xcomplex<f64>>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%A : tensor<3xcomplex<f64>>) outs(%e : tensor<3xcomplex<f64>>) {
    ^bb0(%a: complex<f64>, %o: complex<f64>):
      %r = complex.mul %a, %a : complex<f64>
      linalg.yield %r : complex<f64>
  } -> tensor<3xcomplex<f64>>
  return %0 : tensor<3xcomplex<f64>>
}
