#E_A = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @f(%A: tensor<4x5xi32, #E_A>, %B: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %e = tensor.empty() : tensor<4x5xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%A, %B : tensor<4x5xi32, #E_A>, tensor<4x5xi32>) outs(%e : tensor<4x5xi32>) {
    ^bb0(%a: i32, %b: i32, %o: i32):
      %r = arith.divui %a, %b : i32
      linalg.yield %r : i32
  } -> tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}
