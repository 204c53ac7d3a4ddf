#E_A = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @f(%A: tensor<5x6xi8, #E_A>, %B: tensor<6x3xi8>, %p: i32, %q: i32) -> tensor<5x3xi32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<5x3xi32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<5x3xi32>) -> tensor<5x3xi32>
  %0 = linalg.quantized_matmul ins(%A, %B, %p, %q : tensor<5x6xi8, #E_A>, tensor<6x3xi8>, i32, i32) outs(%f : tensor<5x3xi32>) -> tensor<5x3xi32>
  return %0 : tensor<5x3xi32>
}
