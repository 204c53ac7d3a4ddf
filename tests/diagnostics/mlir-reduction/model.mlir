func.func @horner(%x: tensor<4xf64>) -> tensor<f64> {
  %z = arith.constant dense<0.0> : tensor<f64>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<4xf64>) outs(%z : tensor<f64>) {
    ^bb0(%a: f64, %o: f64):
      %t = arith.mulf %o, %a : f64
      %r = arith.addf %t, %a : f64
      linalg.yield %r : f64
  } -> tensor<f64>
  return %0 : tensor<f64>
}
