// RUN: spc-opt %s -spc-lower-dense -verify-diagnostics

#csr = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32}>

// What the sparsifier left behind is a bug of ours, never passed on.
func.func @left(%a: tensor<?x?xf64, #csr> {spc.name = "A", spc.extents = [#spc.extent<"m">, #spc.extent<"n">]},
                %x: tensor<?xf64> {spc.name = "x", spc.extents = [#spc.extent<"m">]},
                %y: tensor<?x?xf64> {spc.name = "y", spc.extents = [#spc.extent<"m">, #spc.extent<"n">], spc.modes = array<i64: 0, 1>})
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
