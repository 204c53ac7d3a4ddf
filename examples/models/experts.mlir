// A mixture of experts, of which each token goes to the two that its gate likes best (models.py, Experts), on tensors of f32.
#te = affine_map<(t, e) -> (t, e)>
#t = affine_map<(t, e) -> (t)>
#rows = affine_map<(t, e, f) -> (t, f)>
#columns = affine_map<(t, e, f) -> (e, f)>
#bias = affine_map<(t, e, f) -> (e)>
#both = affine_map<(t, e, f) -> (t, e)>
#of = affine_map<(t) -> (t)>
#token = affine_map<(t, o, f) -> (t)>

// The greatest of each row, and where it stands.
func.func private @best(%s: tensor<?x6xf32>) -> (tensor<?xf32>, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %first = arith.constant 0 : i64
  %least = arith.constant 0xFF800000 : f32
  %n = tensor.dim %s, %c0 : tensor<?x6xf32>
  %row = tensor.empty(%n) : tensor<?xf32>
  %whole = tensor.empty(%n) : tensor<?xi64>
  %lows = linalg.fill ins(%least : f32) outs(%row : tensor<?xf32>) -> tensor<?xf32>
  %firsts = linalg.fill ins(%first : i64) outs(%whole : tensor<?xi64>) -> tensor<?xi64>
  %greatest, %place = linalg.generic {indexing_maps = [#te, #t, #t], iterator_types = ["parallel", "reduction"]}
      ins(%s : tensor<?x6xf32>) outs(%lows, %firsts : tensor<?xf32>, tensor<?xi64>) {
  ^bb0(%a: f32, %most: f32, %sofar: i64):
    %e = linalg.index 1 : index
    %here = arith.index_cast %e : index to i64
    %more = arith.maximumf %a, %most : f32
    %is = arith.cmpf ogt, %a, %most fastmath<fast> : f32
    %where = arith.select %is, %here, %sofar : i64
    linalg.yield %more, %where : f32, i64
  } -> (tensor<?xf32>, tensor<?xi64>)
  return %greatest, %place : tensor<?xf32>, tensor<?xi64>
}

func.func @experts(%x: tensor<?x16xf32>, %weight: tensor<6x16x8xf32>, %gate_weight: tensor<6x16xf32>, %gate_bias: tensor<6xf32>)
    -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %scores = tensor.empty(%n) : tensor<?x6xf32>
  %start = linalg.fill ins(%zero : f32) outs(%scores : tensor<?x6xf32>) -> tensor<?x6xf32>
  %products = linalg.generic {indexing_maps = [#rows, #columns, #both], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %gate_weight : tensor<?x16xf32>, tensor<6x16xf32>) outs(%start : tensor<?x6xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %product = arith.mulf %a, %b fastmath<fast> : f32
    %more = arith.addf %sum, %product fastmath<fast> : f32
    linalg.yield %more : f32
  } -> tensor<?x6xf32>
  %gate = linalg.generic {indexing_maps = [#te, affine_map<(t, e) -> (e)>, #te], iterator_types = ["parallel", "parallel"]}
      ins(%products, %gate_bias : tensor<?x6xf32>, tensor<6xf32>) outs(%scores : tensor<?x6xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %y = arith.addf %a, %b fastmath<fast> : f32
    linalg.yield %y : f32
  } -> tensor<?x6xf32>
  %best0, %place0 = func.call @best(%gate) : (tensor<?x6xf32>) -> (tensor<?xf32>, tensor<?xi64>)

  // The second one is the greatest without the first.
  %others = linalg.generic {indexing_maps = [#te, #t, #te], iterator_types = ["parallel", "parallel"]}
      ins(%gate, %place0 : tensor<?x6xf32>, tensor<?xi64>) outs(%scores : tensor<?x6xf32>) {
  ^bb0(%a: f32, %taken: i64, %old: f32):
    %e = linalg.index 1 : index
    %here = arith.index_cast %e : index to i64
    %is = arith.cmpi eq, %here, %taken : i64
    %y = arith.select %is, %least, %a : f32
    linalg.yield %y : f32
  } -> tensor<?x6xf32>
  %best1, %place1 = func.call @best(%others) : (tensor<?x6xf32>) -> (tensor<?xf32>, tensor<?xi64>)

  // Of two scores, softmax is 1 and a power by their sum.
  %row = tensor.empty(%n) : tensor<?xf32>
  %part0, %part1 = linalg.generic {indexing_maps = [#of, #of, #of, #of], iterator_types = ["parallel"]}
      ins(%best0, %best1 : tensor<?xf32>, tensor<?xf32>) outs(%row, %row : tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %old0: f32, %old1: f32):
    %less = arith.subf %b, %a fastmath<fast> : f32
    %power = math.exp %less fastmath<fast> : f32
    %total = arith.addf %one, %power fastmath<fast> : f32
    %first = arith.divf %one, %total fastmath<fast> : f32
    %second = arith.divf %power, %total fastmath<fast> : f32
    linalg.yield %first, %second : f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>)
  %empty = tensor.empty(%n) : tensor<?x8xf32>
  %none = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x8xf32>) -> tensor<?x8xf32>
  %out = linalg.generic {indexing_maps = [#token, #token, #token, #token, affine_map<(t, o, f) -> (t, f)>, affine_map<(t, o, f) -> (t, o)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%part0, %place0, %part1, %place1, %x : tensor<?xf32>, tensor<?xi64>, tensor<?xf32>, tensor<?xi64>, tensor<?x16xf32>)
      outs(%none : tensor<?x8xf32>) {
  ^bb0(%first: f32, %by0: i64, %second: f32, %by1: i64, %a: f32, %sum: f32):
    %o = linalg.index 1 : index
    %f = linalg.index 2 : index
    %expert0 = arith.index_cast %by0 : i64 to index
    %expert1 = arith.index_cast %by1 : i64 to index
    %w0 = tensor.extract %weight[%expert0, %f, %o] : tensor<6x16x8xf32>
    %w1 = tensor.extract %weight[%expert1, %f, %o] : tensor<6x16x8xf32>
    %share0 = arith.mulf %first, %a fastmath<fast> : f32
    %share1 = arith.mulf %second, %a fastmath<fast> : f32
    %product0 = arith.mulf %share0, %w0 fastmath<fast> : f32
    %product1 = arith.mulf %share1, %w1 fastmath<fast> : f32
    %more = arith.addf %sum, %product0 fastmath<fast> : f32
    %most = arith.addf %more, %product1 fastmath<fast> : f32
    linalg.yield %most : f32
  } -> tensor<?x8xf32>
  return %out : tensor<?x8xf32>
}
