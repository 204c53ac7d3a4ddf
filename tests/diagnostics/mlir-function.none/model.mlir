func.func private @helper(%x: tensor<4xf64>) -> tensor<4xf64>
