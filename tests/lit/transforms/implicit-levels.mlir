// RUN: spc-opt %s -spc-sparsification -spc-lower-dense -canonicalize -spc-lower-storage -canonicalize -cse | FileCheck %s

#csr = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32}>
#narrow = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed), posWidth = 16, crdWidth = 8}>
#vector = #sparse_tensor.encoding<{map = (i) -> (i : compressed), posWidth = 32, crdWidth = 32}>
#batch = #sparse_tensor.encoding<{map = (b, i, j) -> (b : dense, i : dense, j : compressed), posWidth = 32,
                                  crdWidth = 32}>
#coo = #sparse_tensor.encoding<{map = (i, j) -> (i : compressed(nonunique), j : singleton(soa)), posWidth = 32,
                                crdWidth = 32}>
#dia = #sparse_tensor.encoding<{map = (d, i) -> (d : compressed, i : dense), posWidth = 32, crdWidth = 32}>

// ELL: a row's positions start at a product, and the trip count is constant.
// CHECK-LABEL: func.func @ell(
// CHECK-NOT:     <pointers, "A"
// CHECK:         %[[C3:.*]] = arith.constant 3 : index
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           %[[FIRST:.*]] = arith.muli %[[I]], %[[C3]]
// CHECK:           scf.for %[[T:[a-z0-9]*]] = %c0 to %[[C3]]
// CHECK:             %[[P:.*]] = arith.addi %[[FIRST]], %[[T]]
// CHECK:             memref.load %{{.*}}[%[[P]]]
func.func @ell(%a: tensor<?x?xf64, #csr> {spc.tensor = #spc.tensor<"A" extents = [<"m">, <"n">] levels = [<>, <fixed = 3>]>},
               %x: tensor<?xf64> {spc.tensor = #spc.tensor<"x" extents = [<"n">]>},
               %y: tensor<?xf64> {spc.tensor = #spc.tensor<"y" extents = [<"m">]>}) -> tensor<?xf64> {
  %result = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                                             affine_map<(i, j) -> (i)>],
                            iterator_types = ["parallel", "reduction"], sorted = true}
      ins(%a, %x : tensor<?x?xf64, #csr>, tensor<?xf64>) outs(%y : tensor<?xf64>) {
  ^bb0(%av: f64, %xv: f64, %out: f64):
    %p = arith.mulf %av, %xv : f64
    %sum = arith.addf %out, %p : f64
    linalg.yield %sum : f64
  } -> tensor<?xf64>
  return %result : tensor<?xf64>
}

// The width is an argument.
// CHECK-LABEL: func.func @ell_width(
// CHECK-SAME:    %[[W:[a-z0-9]*]]: index {spc.bind = #spc.bind<width, "A", 1>}
// CHECK:         arith.muli %{{.*}}, %[[W]]
// CHECK-NOT:     <pointers, "A"
func.func @ell_width(%a: tensor<?x?xf64, #csr> {spc.tensor = #spc.tensor<"A" extents = [<"m">, <"n">] levels = [<>, <width = <width, "A", 1>>]>},
                     %x: tensor<?xf64> {spc.tensor = #spc.tensor<"x" extents = [<"n">]>},
                     %y: tensor<?xf64> {spc.tensor = #spc.tensor<"y" extents = [<"m">]>}) -> tensor<?xf64> {
  %result = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                                             affine_map<(i, j) -> (i)>],
                            iterator_types = ["parallel", "reduction"], sorted = true}
      ins(%a, %x : tensor<?x?xf64, #csr>, tensor<?xf64>) outs(%y : tensor<?xf64>) {
  ^bb0(%av: f64, %xv: f64, %out: f64):
    %p = arith.mulf %av, %xv : f64
    %sum = arith.addf %out, %p : f64
    linalg.yield %sum : f64
  } -> tensor<?xf64>
  return %result : tensor<?xf64>
}

// Ragged: the gather is contiguous, x[p - first].
// CHECK-LABEL: func.func @ragged(
// CHECK-NOT:     <indices, "A"
// CHECK-SAME:    %[[X:[a-z0-9]*]]: memref<?xf64> {spc.bind = #spc.bind<values, "x">
// CHECK-SAME:    %[[PTR:[a-z0-9]*]]: memref<?xi16> {spc.bind = #spc.bind<pointers, "A", 1>}
// CHECK-NOT:     <indices, "A"
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           %[[LOADED:.*]] = memref.load %[[PTR]][%[[I]]]
// CHECK:           %[[WIDE:.*]] = arith.extui %[[LOADED]] : i16 to i64
// CHECK:           %[[FIRST:.*]] = arith.index_cast %[[WIDE]]
// CHECK:           scf.for %[[P:.*]] = %[[FIRST]] to
// CHECK:             %[[J:.*]] = arith.subi %[[P]], %[[FIRST]]
// CHECK:             memref.load %[[X]][%[[J]]]
func.func @ragged(%a: tensor<?x?xf64, #narrow> {spc.tensor = #spc.tensor<"A" extents = [<"m">, <"n">] levels = [<>, <isImplicit = true>]>},
                  %x: tensor<?xf64> {spc.tensor = #spc.tensor<"x" extents = [<"n">]>},
                  %y: tensor<?xf64> {spc.tensor = #spc.tensor<"y" extents = [<"m">]>}) -> tensor<?xf64> {
  %result = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                                             affine_map<(i, j) -> (i)>],
                            iterator_types = ["parallel", "reduction"], sorted = true}
      ins(%a, %x : tensor<?x?xf64, #narrow>, tensor<?xf64>) outs(%y : tensor<?xf64>) {
  ^bb0(%av: f64, %xv: f64, %out: f64):
    %p = arith.mulf %av, %xv : f64
    %sum = arith.addf %out, %p : f64
    linalg.yield %sum : f64
  } -> tensor<?xf64>
  return %result : tensor<?xf64>
}

// Packed upper triangle: row i starts at i n - i (i - 1) / 2, has n - i entries, the first in column i.
// CHECK-LABEL: func.func @upper(
// CHECK-SAME:    %[[N:[a-z0-9]*]]: index {spc.bind = #spc.bind<size, "n">}
// CHECK-NOT:     memref<?xi32>
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           %[[RECTANGLE:.*]] = arith.muli %[[I]], %[[N]]
// CHECK:           %[[LESS:.*]] = arith.subi %[[I]], %{{.*}}
// CHECK:           %[[PAIRS:.*]] = arith.muli %[[I]], %[[LESS]]
// CHECK:           %[[MISSING:.*]] = arith.divui %[[PAIRS]]
// CHECK:           %[[FIRST:.*]] = arith.subi %[[RECTANGLE]], %[[MISSING]]
// CHECK:           %[[LENGTH:.*]] = arith.subi %[[N]], %[[I]]
// CHECK:           %[[END:.*]] = arith.addi %[[FIRST]], %[[LENGTH]]
// CHECK:           scf.for %[[P:.*]] = %[[FIRST]] to %[[END]]
// CHECK:             %[[PLACE:.*]] = arith.subi %[[P]], %[[FIRST]]
// CHECK:             arith.addi %[[PLACE]], %[[I]]
func.func @upper(%a: tensor<?x?xf64, #csr> {spc.tensor = #spc.tensor<"A" extents = [<"m">, <"n">] levels = [<>, <closed = <0, -1, 1>, extent = <"n">, parents = <"m">, start = <0, 1, 0>, isImplicit = true>]>},
                 %x: tensor<?xf64> {spc.tensor = #spc.tensor<"x" extents = [<"n">]>},
                 %y: tensor<?xf64> {spc.tensor = #spc.tensor<"y" extents = [<"m">]>}) -> tensor<?xf64> {
  %result = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                                             affine_map<(i, j) -> (i)>],
                            iterator_types = ["parallel", "reduction"], sorted = true}
      ins(%a, %x : tensor<?x?xf64, #csr>, tensor<?xf64>) outs(%y : tensor<?xf64>) {
  ^bb0(%av: f64, %xv: f64, %out: f64):
    %p = arith.mulf %av, %xv : f64
    %sum = arith.addf %out, %p : f64
    linalg.yield %sum : f64
  } -> tensor<?xf64>
  return %result : tensor<?xf64>
}

// A compressed root of fixed width has no count.
// CHECK-LABEL: func.func @root(
// CHECK-NOT:     <count, "A", 0>
// CHECK:         scf.for %{{.*}} = %c0{{.*}} to %c5
func.func @root(%a: tensor<?xf64, #vector> {spc.tensor = #spc.tensor<"A" extents = [<"n">] levels = [<fixed = 5>]>},
                %s: tensor<f64> {spc.tensor = #spc.tensor<"s">}) -> tensor<f64> {
  %result = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                            iterator_types = ["reduction"], sorted = true}
      ins(%a : tensor<?xf64, #vector>) outs(%s : tensor<f64>) {
  ^bb0(%av: f64, %out: f64):
    %sum = arith.addf %out, %av : f64
    linalg.yield %sum : f64
  } -> tensor<f64>
  return %result : tensor<f64>
}

// Lower triangles in a batch: n (n + 1) / 2 entries for each; the sparsifier's b * n + i is opened, not divided.
// CHECK-LABEL: func.func @batch(
// CHECK:         scf.for %[[B:.*]] =
// CHECK:           scf.for %[[I:.*]] =
// CHECK-NOT:         arith.remui
// CHECK:             %[[BELOW:.*]] = arith.addi %[[I]], %{{.*}}
// CHECK:             %[[BEFORE:.*]] = arith.muli %[[B]], %{{.*}}
// CHECK:             %[[FIRST:.*]] = arith.addi %[[BELOW]], %[[BEFORE]]
// CHECK:             %[[LENGTH:.*]] = arith.addi %[[I]], %c1
// CHECK:             arith.addi %[[FIRST]], %[[LENGTH]]
func.func @batch(%a: tensor<?x?x?xf64, #batch> {spc.tensor = #spc.tensor<"A" extents = [<"b">, <"n">, <"n">] levels = [<>, <>, <closed = <1, 1, 0>, extent = <"n">, parents = <"n">, start = <0, 0, 0>, isImplicit = true>]>},
                 %x: tensor<?xf64> {spc.tensor = #spc.tensor<"x" extents = [<"n">]>},
                 %y: tensor<?xf64> {spc.tensor = #spc.tensor<"y" extents = [<"m">]>}) -> tensor<?xf64> {
  %result = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (j)>,
                                             affine_map<(b, i, j) -> (i)>],
                            iterator_types = ["reduction", "parallel", "reduction"], sorted = true}
      ins(%a, %x : tensor<?x?x?xf64, #batch>, tensor<?xf64>) outs(%y : tensor<?xf64>) {
  ^bb0(%av: f64, %xv: f64, %out: f64):
    %p = arith.mulf %av, %xv : f64
    %sum = arith.addf %out, %p : f64
    linalg.yield %sum : f64
  } -> tensor<?xf64>
  return %result : tensor<?xf64>
}

// Merged with another operand: the coordinate comes from the position that the loop started from.
// CHECK-LABEL: func.func @merged(
// CHECK:         scf.while (%{{.*}} = %[[FIRST:.*]], %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK:         ^bb0(%[[P:.*]]: index, %{{.*}}: index, %{{.*}}: f64):
// CHECK:           arith.subi %[[P]], %[[FIRST]]
func.func @merged(%a: tensor<?x?xf64, #csr> {spc.tensor = #spc.tensor<"A" extents = [<"m">, <"n">] levels = [<>, <isImplicit = true>]>},
                  %b: tensor<?x?xf64, #csr> {spc.tensor = #spc.tensor<"B" extents = [<"m">, <"n">]>},
                  %y: tensor<?xf64> {spc.tensor = #spc.tensor<"y" extents = [<"m">]>}) -> tensor<?xf64> {
  %result = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                                             affine_map<(i, j) -> (i)>],
                            iterator_types = ["parallel", "reduction"], sorted = true}
      ins(%a, %b : tensor<?x?xf64, #csr>, tensor<?x?xf64, #csr>) outs(%y : tensor<?xf64>) {
  ^bb0(%av: f64, %bv: f64, %out: f64):
    %p = arith.mulf %av, %bv : f64
    %sum = arith.addf %out, %p : f64
    linalg.yield %sum : f64
  } -> tensor<?xf64>
  return %result : tensor<?xf64>
}

// COO as an array of structs: row at 2 p, column at 2 p + 1.
// CHECK-LABEL: func.func @structs(
// CHECK-SAME:    %[[ENTRIES:[a-z0-9]*]]: memref<?xi32> {spc.bind = #spc.bind<entries, "A">}
// CHECK-NOT:     <indices, "A"
// CHECK:         scf.for %[[P:[a-z0-9]*]] = {{.*}} iter_args
// CHECK:           %[[TWICE:.*]] = arith.muli %[[P]], %c2
// CHECK:           %[[PLACE:.*]] = arith.addi %[[TWICE]], %c1
// CHECK:           memref.load %[[ENTRIES]][%[[PLACE]]]
func.func @structs(%a: tensor<?x?xf64, #coo> {spc.tensor = #spc.tensor<"A" extents = [<"m">, <"n">] levels = [<field = 0, fields = 2>, <field = 1, fields = 2>]>},
                   %x: tensor<?xf64> {spc.tensor = #spc.tensor<"x" extents = [<"n">]>},
                   %y: tensor<?xf64> {spc.tensor = #spc.tensor<"y" extents = [<"m">]>}) -> tensor<?xf64> {
  %result = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                                             affine_map<(i, j) -> (i)>],
                            iterator_types = ["parallel", "reduction"], sorted = true}
      ins(%a, %x : tensor<?x?xf64, #coo>, tensor<?xf64>) outs(%y : tensor<?xf64>) {
  ^bb0(%av: f64, %xv: f64, %out: f64):
    %p = arith.mulf %av, %xv : f64
    %sum = arith.addf %out, %p : f64
    linalg.yield %sum : f64
  } -> tensor<?xf64>
  return %result : tensor<?xf64>
}

// Diagonals: coordinates keep their sign, also where two operands are merged.
// CHECK-LABEL: func.func @signed(
// CHECK-NOT:     arith.extui
// CHECK:         %[[LEFT:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK:         %[[RIGHT:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK:         arith.cmpi slt, %[[RIGHT]], %[[LEFT]]
func.func @signed(%a: tensor<?x?xf64, #dia> {spc.tensor = #spc.tensor<"A" extents = [<"d">, <"m">] levels = [<isSigned = true>, <>]>},
                  %b: tensor<?x?xf64, #dia> {spc.tensor = #spc.tensor<"B" extents = [<"d">, <"m">] levels = [<isSigned = true>, <>]>},
                  %y: tensor<?xf64> {spc.tensor = #spc.tensor<"y" extents = [<"m">]>}) -> tensor<?xf64> {
  %result = linalg.generic {indexing_maps = [affine_map<(d, i) -> (d, i)>, affine_map<(d, i) -> (d, i)>,
                                             affine_map<(d, i) -> (i)>],
                            iterator_types = ["reduction", "parallel"], sorted = true}
      ins(%a, %b : tensor<?x?xf64, #dia>, tensor<?x?xf64, #dia>) outs(%y : tensor<?xf64>) {
  ^bb0(%av: f64, %bv: f64, %out: f64):
    %p = arith.mulf %av, %bv : f64
    %sum = arith.addf %out, %p : f64
    linalg.yield %sum : f64
  } -> tensor<?xf64>
  return %result : tensor<?xf64>
}
