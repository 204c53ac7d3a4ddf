#E_A = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @f(%A: tensor<4x5xcomplex<f64>, #E_A>) -> tensor<4x5xcomplex<f64>> {
  %e = tensor.empty() : tensor<4x5xcomplex<f64>>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%A : tensor<4x5xcomplex<f64>, #E_A>) outs(%e : tensor<4x5xcomplex<f64>>) {
    ^bb0(%a: complex<f64>, %o: complex<f64>):
      %b = complex.abs %a : complex<f64>
      %z = arith.constant 0.0 : f64
      %r = complex.create %b, %z : complex<f64>
      linalg.yield %r : complex<f64>
  } -> tensor<4x5xcomplex<f64>>
  return %0 : tensor<4x5xcomplex<f64>>
}
