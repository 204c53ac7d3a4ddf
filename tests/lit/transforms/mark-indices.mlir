// RUN: spc-opt %s -spc-sparsification -spc-lower-dense -spc-mark-indices -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

#csr = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#coo = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
#ij = affine_map<(d0, d1) -> (d0, d1)>
#i = affine_map<(d0, d1) -> (d0)>
#j = affine_map<(d0, d1) -> (d1)>

// Rows are counted, columns are loaded.
// CHECK-LABEL: func.func @spmv(
// CHECK:         scf.for
// CHECK:           scf.for %[[P:[a-z0-9]*]] =
// CHECK:             memref.load %{{.*}}[%[[P]]] : memref<?xi32> loc(fused<{{\[\[}}"j", 1, 1]]>["k.tex":1:8])
// CHECK:             arith.index_cast {{.*}} loc(fused<{{\[\[}}"j", 1, 1]]>["k.tex":1:8])
// CHECK:             arith.mulf {{.*}} loc("k.tex":1:8)
// CHECK:           } {"Emitted from" = "linalg.generic", spc.listed_indices = {{\[\[}}"j", 1, 1]], spc.place = #spc.place<0, 1>} loc("k.tex":1:8)
// CHECK:         } {"Emitted from" = "linalg.generic", spc.indices = {{\[\[}}"i", 1, 1]], spc.place = #spc.place<0, 0>} loc("k.tex":1:8)
func.func @spmv(%a: tensor<?x?xf64, #csr> {spc.tensor = #spc.tensor<"A" extents = [<"m">, <"n">] levels = [<>, <>]>},
                %x: tensor<?xf64> {spc.tensor = #spc.tensor<"x" extents = [<"n">]>},
                %y: tensor<?xf64> {spc.tensor = #spc.tensor<"y" extents = [<"m">]>}) -> tensor<?xf64>
    attributes {spc.nests = [#spc.nest<[<[["i", 1, 1]] in <"m">>, <[["j", 1, 1]] in <"n"> reduction = true>]>]} {
  %0 = linalg.generic {indexing_maps = [#ij, #j, #i], iterator_types = ["parallel", "reduction"], sorted = true, spc.place = #spc.place<0, 0>}
      ins(%a, %x : tensor<?x?xf64, #csr>, tensor<?xf64>) outs(%y : tensor<?xf64>) {
  ^bb0(%in: f64, %factor: f64, %out: f64):
    %1 = arith.mulf %in, %factor : f64 loc("k.tex":1:8)
    %2 = arith.addf %out, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<?xf64> loc("k.tex":1:8)
  return %0 : tensor<?xf64>
}

// The loops that look for the end of a segment are none of the iteration space.
// CHECK-LABEL: func.func @coordinates(
// CHECK:         scf.while
// CHECK-NOT:     indices
// CHECK:         scf.while
// CHECK:           memref.load {{.*}} loc(fused<{{\[\[}}"i", 1, 1]]>["k.tex":1:8])
// CHECK:           scf.for
// CHECK:             memref.load {{.*}} loc(fused<{{\[\[}}"j", 1, 1]]>["k.tex":1:8])
// CHECK:           } {"Emitted from" = "linalg.generic", spc.listed_indices = {{\[\[}}"j", 1, 1]], spc.place = #spc.place<0, 1>}
// CHECK:         } attributes {"Emitted from" = "linalg.generic", spc.listed_indices = {{\[\[}}"i", 1, 1]], spc.place = #spc.place<0, 0>}
func.func @coordinates(
    %a: tensor<?x?xf64, #coo> {spc.tensor = #spc.tensor<"A" extents = [<"m">, <"n">] levels = [<>, <>]>},
    %x: tensor<?xf64> {spc.tensor = #spc.tensor<"x" extents = [<"n">]>},
    %y: tensor<?xf64> {spc.tensor = #spc.tensor<"y" extents = [<"m">]>}) -> tensor<?xf64>
    attributes {spc.nests = [#spc.nest<[<[["i", 1, 1]] in <"m">>, <[["j", 1, 1]] in <"n"> reduction = true>]>]} {
  %0 = linalg.generic {indexing_maps = [#ij, #j, #i], iterator_types = ["parallel", "reduction"], sorted = true, spc.place = #spc.place<0, 0>}
      ins(%a, %x : tensor<?x?xf64, #coo>, tensor<?xf64>) outs(%y : tensor<?xf64>) {
  ^bb0(%in: f64, %factor: f64, %out: f64):
    %1 = arith.mulf %in, %factor : f64
    %2 = arith.addf %out, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<?xf64> loc("k.tex":1:8)
  return %0 : tensor<?xf64>
}

// Columns of which nothing is loaded have no coordinate.
// CHECK-LABEL: func.func @sums(
// CHECK-NOT:     indices = {{\[\[}}"j"
// CHECK:         spc.indices = {{\[\[}}"i", 1, 1]]
// CHECK-NOT:     indices = {{\[\[}}"j"
func.func @sums(%a: tensor<?x?xf64, #csr> {spc.tensor = #spc.tensor<"A" extents = [<"m">, <"n">] levels = [<>, <>]>},
                %y: tensor<?xf64> {spc.tensor = #spc.tensor<"y" extents = [<"m">]>}) -> tensor<?xf64>
    attributes {spc.nests = [#spc.nest<[<[["i", 1, 1]] in <"m">>, <[["j", 1, 1]] in <"n"> reduction = true>]>]} {
  %0 = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"], sorted = true, spc.place = #spc.place<0, 0>}
      ins(%a : tensor<?x?xf64, #csr>) outs(%y : tensor<?xf64>) {
  ^bb0(%in: f64, %out: f64):
    %1 = arith.addf %out, %in : f64
    linalg.yield %1 : f64
  } -> tensor<?xf64> loc("k.tex":1:8)
  return %0 : tensor<?xf64>
}

// Two operands: the least of their coordinates.
// CHECK-LABEL: func.func @both(
// CHECK:         scf.for
// CHECK:           scf.while
// CHECK:             arith.select {{.*}} : index loc(fused<{{\[\[}}"j", 1, 1]]>["k.tex":1:8])
// CHECK:           } attributes {"Emitted from" = "linalg.generic", spc.listed_indices = {{\[\[}}"j", 1, 1]], spc.place = #spc.place<0, 1>}
func.func @both(%a: tensor<?x?xf64, #csr> {spc.tensor = #spc.tensor<"A" extents = [<"m">, <"n">] levels = [<>, <>]>},
                %b: tensor<?x?xf64, #csr> {spc.tensor = #spc.tensor<"B" extents = [<"m">, <"n">] levels = [<>, <>]>},
                %y: tensor<?xf64> {spc.tensor = #spc.tensor<"y" extents = [<"m">]>}) -> tensor<?xf64>
    attributes {spc.nests = [#spc.nest<[<[["i", 1, 1]] in <"m">>, <[["j", 1, 1]] in <"n"> reduction = true>]>]} {
  %0 = linalg.generic {indexing_maps = [#ij, #ij, #i], iterator_types = ["parallel", "reduction"], sorted = true, spc.place = #spc.place<0, 0>}
      ins(%a, %b : tensor<?x?xf64, #csr>, tensor<?x?xf64, #csr>) outs(%y : tensor<?xf64>) {
  ^bb0(%left: f64, %right: f64, %out: f64):
    %1 = arith.mulf %left, %right : f64
    %2 = arith.addf %out, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<?xf64> loc("k.tex":1:8)
  return %0 : tensor<?xf64>
}

// Dense loops are counted; what has no place is not marked.
// CHECK-LABEL: func.func @dense(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:           } {spc.indices = {{\[\[}}"j", 1, 1]], spc.place = #spc.place<0, 1>}
// CHECK:         } {spc.indices = {{\[\[}}"i", 1, 1]], spc.place = #spc.place<0, 0>}
// CHECK:         scf.for
// CHECK-NOT:     spc.indices
// CHECK:         return
func.func @dense(%a: tensor<?x?xf64> {spc.tensor = #spc.tensor<"A" extents = [<"m">, <"n">] modes = [0, 1]>},
                 %y: tensor<?xf64> {spc.tensor = #spc.tensor<"y" extents = [<"m">]>}) -> tensor<?xf64>
    attributes {spc.nests = [#spc.nest<[<[["i", 1, 1]] in <"m">>, <[["j", 1, 1]] in <"n"> reduction = true>]>]} {
  %0 = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"], spc.place = #spc.place<0, 0>}
      ins(%a : tensor<?x?xf64>) outs(%y : tensor<?xf64>) {
  ^bb0(%in: f64, %out: f64):
    %1 = arith.addf %out, %in : f64
    linalg.yield %1 : f64
  } -> tensor<?xf64> loc("k.tex":1:8)
  %2 = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<?x?xf64>) outs(%0 : tensor<?xf64>) {
  ^bb0(%in: f64, %out: f64):
    %3 = arith.addf %out, %in : f64
    linalg.yield %3 : f64
  } -> tensor<?xf64> loc("k.tex":1:8)
  return %2 : tensor<?xf64>
}
