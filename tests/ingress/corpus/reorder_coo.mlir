#FROM = #sparse_tensor.encoding<{ map = (i, j) -> (i : compressed(nonunique, nonordered), j : singleton(nonordered)) }>
#TO = #sparse_tensor.encoding<{ map = (i, j) -> (i : compressed(nonunique), j : singleton) }>
func.func @f(%A: tensor<4x5xf64, #FROM>) -> tensor<4x5xf64, #TO> {
  %0 = sparse_tensor.reorder_coo quick_sort %A : tensor<4x5xf64, #FROM> to tensor<4x5xf64, #TO>
  return %0 : tensor<4x5xf64, #TO>
}
