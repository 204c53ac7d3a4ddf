// Attention among the pairs that a mask has entries for (models.py, Attention), on tensors of f32.
#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
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

func.func @attention(%x: tensor<?x16xf32>, %mask: tensor<?x?xf32, #CSR>, %query_weight: tensor<8x16xf32>,
                     %key_weight: tensor<8x16xf32>, %value_weight: tensor<8x16xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %rows = tensor.cast %x : tensor<?x16xf32> to tensor<?x?xf32>
  %wq = tensor.cast %query_weight : tensor<8x16xf32> to tensor<?x?xf32>
  %wk = tensor.cast %key_weight : tensor<8x16xf32> to tensor<?x?xf32>
  %wv = tensor.cast %value_weight : tensor<8x16xf32> to tensor<?x?xf32>
  %q = func.call @linear(%rows, %wq) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %k = func.call @linear(%rows, %wk) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %v = func.call @linear(%rows, %wv) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %pair = func.call @linear(%q, %k) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %empty = tensor.empty(%n, %n) : tensor<?x?xf32, #CSR>
  %root = arith.constant 2.82842708 : f32
  %score = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mask, %pair : tensor<?x?xf32, #CSR>, tensor<?x?xf32>) outs(%empty : tensor<?x?xf32, #CSR>) {
  ^bb0(%a: f32, %p: f32, %old: f32):
    %d = arith.divf %p, %root fastmath<fast> : f32
    %s = arith.mulf %a, %d fastmath<fast> : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32, #CSR>
  %part = func.call @softmax(%score) : (tensor<?x?xf32, #CSR>) -> tensor<?x?xf32, #CSR>
  %fresh = tensor.empty(%n) : tensor<?x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%fresh : tensor<?x8xf32>) -> tensor<?x8xf32>
  %values = tensor.cast %v : tensor<?x?xf32> to tensor<?x8xf32>
  %out = linalg.generic {indexing_maps = [affine_map<(i, f, j) -> (i, j)>, affine_map<(i, f, j) -> (j, f)>, #both],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%part, %values : tensor<?x?xf32, #CSR>, tensor<?x8xf32>) outs(%start : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %product = arith.mulf %a, %b fastmath<fast> : f32
    %more = arith.addf %sum, %product fastmath<fast> : f32
    linalg.yield %more : f32
  } -> tensor<?x8xf32>
  return %out : tensor<?x8xf32>
}
