func.func @power(%x: tensor<4xf64>, %n: index) -> tensor<4xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%y = %x) -> (tensor<4xf64>) {
    %e = tensor.empty() : tensor<4xf64>
    %z = linalg.square ins(%y : tensor<4xf64>) outs(%e : tensor<4xf64>) -> tensor<4xf64>
    scf.yield %z : tensor<4xf64>
  }
  return %r : tensor<4xf64>
}
