// RUN: spc-opt %s -spc-lower-dense -verify-diagnostics

#csr = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32}>

// What the sparsifier left behind is a bug of ours, never passed on.
func.func @left(%a: tensor<?x?xf64, #csr> {spc.tensor = #spc.tensor<"A" extents = [<"m">, <"n">]>},
                %x: tensor<?xf64> {spc.tensor = #spc.tensor<"x" extents = [<"m">]>},
                %y: tensor<?x?xf64> {spc.tensor = #spc.tensor<"y" extents = [<"m">, <"n">] modes = [0, 1]>})
    -> tensor<?x?xf64> {
  // expected-error @+1 {{sparse operand left by the sparsifier}}
  %result = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                                             affine_map<(i, j) -> (i, j)>],
                            iterator_types = ["parallel", "parallel"]}
      ins(%a, %x : tensor<?x?xf64, #csr>, tensor<?xf64>) outs(%y : tensor<?x?xf64>) {
  ^bb0(%v: f64, %d: f64, %out: f64):
    %q = arith.divf %v, %d : f64
    linalg.yield %q : f64
  } -> tensor<?x?xf64>
  return %result : tensor<?x?xf64>
}
