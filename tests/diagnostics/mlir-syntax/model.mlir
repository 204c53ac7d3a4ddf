func.func @double(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = arith.addf %x, %y : tensor<4xf64>
  return %0 : tensor<4xf64>
}
