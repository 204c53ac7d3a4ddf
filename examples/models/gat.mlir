// Graph attention with two heads (models.py, GAT), on tensors of f32.
#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>
#rows = affine_map<(i, f, k) -> (i, k)>
#columns = affine_map<(i, f, k) -> (f, k)>
#both = affine_map<(i, f, k) -> (i, f)>

// Of rows and weights that are laid out as PyTorch's: one row an output.
func.func private @linear(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %w, %c0 : tensor<?x?xf32>
  %empty = tensor.empty(%n, %m) : tensor<?x?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#rows, #columns, #both], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%start : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %product = arith.mulf %a, %b fastmath<fast> : f32
    %more = arith.addf %sum, %product fastmath<fast> : f32
    linalg.yield %more : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Of the entries of each row alone.
func.func private @softmax(%s: tensor<?x?xf32, #CSR>) -> tensor<?x?xf32, #CSR> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %n = tensor.dim %s, %c0 : tensor<?x?xf32, #CSR>
  %m = tensor.dim %s, %c1 : tensor<?x?xf32, #CSR>
  %row = tensor.empty(%n) : tensor<?xf32>
  %lows = linalg.fill ins(%least : f32) outs(%row : tensor<?xf32>) -> tensor<?xf32>
  %greatest = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%s : tensor<?x?xf32, #CSR>) outs(%lows : tensor<?xf32>) {
  ^bb0(%a: f32, %sofar: f32):
    %more = sparse_tensor.reduce %a, %sofar, %least : f32 {
    ^bb0(%one: f32, %other: f32):
      %max = arith.maximumf %one, %other : f32
      sparse_tensor.yield %max : f32
    }
    linalg.yield %more : f32
  } -> tensor<?xf32>
  %empty = tensor.empty(%n, %m) : tensor<?x?xf32, #CSR>
  %power = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%s, %greatest : tensor<?x?xf32, #CSR>, tensor<?xf32>) outs(%empty : tensor<?x?xf32, #CSR>) {
  ^bb0(%a: f32, %g: f32, %old: f32):
    %e = sparse_tensor.binary %a, %g : f32, f32 to f32
      overlap = {
      ^bb0(%one: f32, %most: f32):
        %d = arith.subf %one, %most fastmath<fast> : f32
        %p = math.exp %d fastmath<fast> : f32
        sparse_tensor.yield %p : f32
      }
      left = {}
      right = {}
    linalg.yield %e : f32
  } -> tensor<?x?xf32, #CSR>
  %zeros = linalg.fill ins(%zero : f32) outs(%row : tensor<?xf32>) -> tensor<?xf32>
  %total = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%power : tensor<?x?xf32, #CSR>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %more = arith.addf %sum, %a fastmath<fast> : f32
    linalg.yield %more : f32
  } -> tensor<?xf32>
  %part = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%power, %total : tensor<?x?xf32, #CSR>, tensor<?xf32>) outs(%empty : tensor<?x?xf32, #CSR>) {
  ^bb0(%a: f32, %t: f32, %old: f32):
    %p = arith.divf %a, %t fastmath<fast> : f32
    linalg.yield %p : f32
  } -> tensor<?x?xf32, #CSR>
  return %part : tensor<?x?xf32, #CSR>
}

// Of each row one number, by a vector.
func.func private @along(%h: tensor<?x?xf32>, %v: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %h, %c0 : tensor<?x?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#ij, #j, #i], iterator_types = ["parallel", "reduction"]}
      ins(%h, %v : tensor<?x?xf32>, tensor<?xf32>) outs(%start : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %product = arith.mulf %a, %b fastmath<fast> : f32
    %more = arith.addf %sum, %product fastmath<fast> : f32
    linalg.yield %more : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func private @head(%x: tensor<?x?xf32>, %adj: tensor<?x?xf32, #CSR>, %left: tensor<?xf32>, %right: tensor<?xf32>,
                        %weight: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %slope = arith.constant 0.2 : f32
  %h = func.call @linear(%x, %weight) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %from = func.call @along(%h, %left) : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %to = func.call @along(%h, %right) : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %n = tensor.dim %adj, %c0 : tensor<?x?xf32, #CSR>
  %m = tensor.dim %h, %c1 : tensor<?x?xf32>
  %pairs = tensor.empty(%n, %n) : tensor<?x?xf32>
  %leaky = linalg.generic {indexing_maps = [#i, #j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%from, %to : tensor<?xf32>, tensor<?xf32>) outs(%pairs : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %sum = arith.addf %a, %b fastmath<fast> : f32
    %positive = arith.cmpf ogt, %sum, %zero : f32
    %less = arith.mulf %slope, %sum fastmath<fast> : f32
    %y = arith.select %positive, %sum, %less : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  %entries = tensor.empty(%n, %n) : tensor<?x?xf32, #CSR>
  %score = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%adj, %leaky : tensor<?x?xf32, #CSR>, tensor<?x?xf32>) outs(%entries : tensor<?x?xf32, #CSR>) {
  ^bb0(%a: f32, %p: f32, %old: f32):
    %s = arith.mulf %a, %p fastmath<fast> : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32, #CSR>
  %part = func.call @softmax(%score) : (tensor<?x?xf32, #CSR>) -> tensor<?x?xf32, #CSR>
  %empty = tensor.empty(%n, %m) : tensor<?x?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %out = linalg.matmul ins(%part, %h : tensor<?x?xf32, #CSR>, tensor<?x?xf32>) outs(%start : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %out : tensor<?x?xf32>
}

func.func @gat(%x: tensor<?x16xf32>, %adj: tensor<?x?xf32, #CSR>, %left: tensor<2x8xf32>, %right: tensor<2x8xf32>,
               %weights_0_weight: tensor<8x16xf32>, %weights_1_weight: tensor<8x16xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %rows = tensor.cast %x : tensor<?x16xf32> to tensor<?x?xf32>
  %left0 = tensor.extract_slice %left[0, 0] [1, 8] [1, 1] : tensor<2x8xf32> to tensor<8xf32>
  %right0 = tensor.extract_slice %right[0, 0] [1, 8] [1, 1] : tensor<2x8xf32> to tensor<8xf32>
  %l0 = tensor.cast %left0 : tensor<8xf32> to tensor<?xf32>
  %r0 = tensor.cast %right0 : tensor<8xf32> to tensor<?xf32>
  %w0 = tensor.cast %weights_0_weight : tensor<8x16xf32> to tensor<?x?xf32>
  %any0 = func.call @head(%rows, %adj, %l0, %r0, %w0)
      : (tensor<?x?xf32>, tensor<?x?xf32, #CSR>, tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %head0 = tensor.cast %any0 : tensor<?x?xf32> to tensor<?x8xf32>
  %left1 = tensor.extract_slice %left[1, 0] [1, 8] [1, 1] : tensor<2x8xf32> to tensor<8xf32>
  %right1 = tensor.extract_slice %right[1, 0] [1, 8] [1, 1] : tensor<2x8xf32> to tensor<8xf32>
  %l1 = tensor.cast %left1 : tensor<8xf32> to tensor<?xf32>
  %r1 = tensor.cast %right1 : tensor<8xf32> to tensor<?xf32>
  %w1 = tensor.cast %weights_1_weight : tensor<8x16xf32> to tensor<?x?xf32>
  %any1 = func.call @head(%rows, %adj, %l1, %r1, %w1)
      : (tensor<?x?xf32>, tensor<?x?xf32, #CSR>, tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %head1 = tensor.cast %any1 : tensor<?x?xf32> to tensor<?x8xf32>
  %both = tensor.concat dim(1) %head0, %head1 : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x16xf32>
  %empty = tensor.empty(%n) : tensor<?x16xf32>
  %out = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%both : tensor<?x16xf32>) outs(%empty : tensor<?x16xf32>) {
  ^bb0(%a: f32, %old: f32):
    %positive = arith.cmpf ogt, %a, %zero : f32
    %less = math.expm1 %a fastmath<fast> : f32
    %y = arith.select %positive, %a, %less : f32
    linalg.yield %y : f32
  } -> tensor<?x16xf32>
  return %out : tensor<?x16xf32>
}
