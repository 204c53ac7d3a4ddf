func.func @f(%x: tensor<4xi7>) -> tensor<4xi7> {
  return %x : tensor<4xi7>
}
