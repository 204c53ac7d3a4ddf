func.func @f(%A: tensor<4x5xf64>, %B: tensor<4x5xf64>) -> tensor<4x5xf64> {
  %e = tensor.empty() : tensor<4x5xf64>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%A, %B : tensor<4x5xf64>, tensor<4x5xf64>) outs(%e : tensor<4x5xf64>) {
    ^bb0(%a: f64, %b: f64, %o: f64):
      %c = arith.cmpf ueq, %a, %b : f64
      %r = arith.select %c, %a, %b : f64
      linalg.yield %r : f64
  } -> tensor<4x5xf64>
  return %0 : tensor<4x5xf64>
}
