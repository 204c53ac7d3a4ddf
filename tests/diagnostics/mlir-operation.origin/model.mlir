func.func @bits(%x: tensor<4xf64>) -> tensor<4xi64> {
  %e = tensor.empty() : tensor<4xi64>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf64>) outs(%e : tensor<4xi64>) {
    ^bb0(%a: f64, %o: i64):
      %r = arith.bitcast %a : f64 to i64 loc("model.py":12:3)
      linalg.yield %r : i64
  } -> tensor<4xi64>
  return %0 : tensor<4xi64>
}
