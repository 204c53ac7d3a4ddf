func.func @f(%A: tensor<4x5xcomplex<f64>>, %B: tensor<4x5xcomplex<f64>>) -> tensor<4x5xcomplex<f64>> {
  %e = tensor.empty() : tensor<4x5xcomplex<f64>>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%A, %B : tensor<4x5xcomplex<f64>>, tensor<4x5xcomplex<f64>>) outs(%e : tensor<4x5xcomplex<f64>>) {
    ^bb0(%a: complex<f64>, %b: complex<f64>, %o: complex<f64>):
      %r = complex.pow %a, %b : complex<f64>
      linalg.yield %r : complex<f64>
  } -> tensor<4x5xcomplex<f64>>
  return %0 : tensor<4x5xcomplex<f64>>
}
