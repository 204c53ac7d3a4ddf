func.func @f(%A: tensor<4xf64>) -> tensor<4xf64> {
  %0 = "torch.relu"(%A) : (tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
