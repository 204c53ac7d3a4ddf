// A sparse convolution by rules (models.py, Convolution), on tensors of f32.
#rc = affine_map<(r, c, o) -> (r, c)>
#ro = affine_map<(r, c, o) -> (r, o)>
#is = affine_map<(i, o, r) -> (i, o)>
#rule = affine_map<(i, o, r) -> (r)>
#moved = affine_map<(i, o, r) -> (r, o)>
#ij = affine_map<(i, j) -> (i, j)>

func.func @convolution(%x: tensor<?x4xf32>, %source: tensor<?xi64>, %offset: tensor<?xi64>, %into: tensor<?xi64>,
                       %weight: tensor<9x4x6xf32>) -> tensor<?x6xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %sites = tensor.dim %x, %c0 : tensor<?x4xf32>
  %rules = tensor.dim %source, %c0 : tensor<?xi64>
  %steps = tensor.empty(%rules) : tensor<?x6xf32>
  %still = linalg.fill ins(%zero : f32) outs(%steps : tensor<?x6xf32>) -> tensor<?x6xf32>
  %channels = tensor.empty(%rules) : tensor<?x4xf32>
  %moved = linalg.generic {indexing_maps = [#rc, #ro], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%channels : tensor<?x4xf32>) outs(%still : tensor<?x6xf32>) {
  ^bb0(%unread: f32, %sum: f32):
    %r = linalg.index 0 : index
    %c = linalg.index 1 : index
    %o = linalg.index 2 : index
    %from = tensor.extract %source[%r] : tensor<?xi64>
    %site = arith.index_cast %from : i64 to index
    %by = tensor.extract %offset[%r] : tensor<?xi64>
    %place = arith.index_cast %by : i64 to index
    %a = tensor.extract %x[%site, %c] : tensor<?x4xf32>
    %w = tensor.extract %weight[%place, %c, %o] : tensor<9x4x6xf32>
    %product = arith.mulf %a, %w fastmath<fast> : f32
    %more = arith.addf %sum, %product fastmath<fast> : f32
    linalg.yield %more : f32
  } -> tensor<?x6xf32>
  %empty = tensor.empty(%sites) : tensor<?x6xf32>
  %none = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x6xf32>) -> tensor<?x6xf32>
  %sums = linalg.generic {indexing_maps = [#rule, #moved, #is], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%into, %moved : tensor<?xi64>, tensor<?x6xf32>) outs(%none : tensor<?x6xf32>) {
  ^bb0(%to: i64, %a: f32, %sum: f32):
    %i = linalg.index 0 : index
    %here = arith.index_cast %i : index to i64
    %hits = arith.cmpi eq, %here, %to : i64
    %part = arith.select %hits, %a, %zero : f32
    %more = arith.addf %sum, %part fastmath<fast> : f32
    linalg.yield %more : f32
  } -> tensor<?x6xf32>
  %out = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%sums : tensor<?x6xf32>) outs(%empty : tensor<?x6xf32>) {
  ^bb0(%a: f32, %old: f32):
    %y = arith.maximumf %a, %zero : f32
    linalg.yield %y : f32
  } -> tensor<?x6xf32>
  return %out : tensor<?x6xf32>
}
