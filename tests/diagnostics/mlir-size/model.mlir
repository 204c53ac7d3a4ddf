func.func @f(%x: tensor<?xf64>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?xf64>
  %m = arith.divui %n, %c2 : index
  %0 = tensor.extract_slice %x[0] [%m] [2] : tensor<?xf64> to tensor<?xf64>
  return %0 : tensor<?xf64>
}
