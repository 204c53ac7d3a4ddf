// RUN: spc-opt %s -spc-sparsification -spc-lower-dense -canonicalize -spc-clip-loops -spc-lower-storage -canonicalize -cse | FileCheck %s

#bsr = #sparse_tensor.encoding<{map = (io, jo, ii, ji) -> (io : dense, jo : compressed, ii : dense, ji : dense),
                                posWidth = 32, crdWidth = 32}>
#dia = #sparse_tensor.encoding<{map = (d, i) -> (d : compressed, i : dense), posWidth = 32, crdWidth = 32}>
#rows = #sparse_tensor.encoding<{map = (i, d) -> (i : dense, d : compressed), posWidth = 32, crdWidth = 32}>
#csr = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32}>
#blocks = #sparse_tensor.encoding<{map = (jo, ji) -> (jo : compressed, ji : dense), posWidth = 32, crdWidth = 32}>
#cube = #sparse_tensor.encoding<{map = (i, j, k) -> (i : dense, j : dense, k : compressed), posWidth = 32,
                                 crdWidth = 32}>

// Blocks inside of the matrix keep their constant bounds; whether the rows are inside is asked once a block row.
// CHECK-LABEL: func.func @blocks(
// CHECK-SAME:    %[[M:[a-z0-9]*]]: index {spc.bind = #spc.bind<size, "m">}
// CHECK-SAME:    %[[N:[a-z0-9]*]]: index {spc.bind = #spc.bind<size, "n">}
// CHECK:         scf.for %[[IO:.*]] =
// CHECK:           %[[ROW:.*]] = arith.muli %[[IO]], %c4
// CHECK:           %[[ROWEND:.*]] = arith.addi %[[ROW]], %c4
// CHECK:           %[[FULLROWS:.*]] = arith.cmpi sle, %[[ROWEND]], %[[M]]
// CHECK:           scf.if %[[FULLROWS]] {
// CHECK:             scf.for
// CHECK:               %[[COLUMNEND:.*]] = arith.addi %{{.*}}, %c8
// CHECK:               %[[FULLCOLUMNS:.*]] = arith.cmpi sle, %[[COLUMNEND]], %[[N]]
// CHECK:               scf.if %[[FULLCOLUMNS]] {
// CHECK:                 scf.for %{{.*}} = %c0 to %c4
// CHECK:                   scf.for %{{.*}} = %c0 to %c8
// CHECK:               } else {
// CHECK:                 scf.for %{{.*}} = %c0 to %c4
// CHECK:                   %[[COLUMNS:.*]] = arith.minsi
// CHECK:                   scf.for %{{.*}} = %c0 to %[[COLUMNS]]
// CHECK:           } else {
// CHECK:             %[[ROWS:.*]] = arith.minsi
// CHECK:             scf.for %{{.*}} = %c0 to %[[ROWS]]
// CHECK:               %[[COLUMNS:.*]] = arith.minsi
// CHECK:               scf.for %{{.*}} = %c0 to %[[COLUMNS]]
// CHECK-NOT:     spc.partial
// CHECK-NOT:     spc.clipped
func.func @blocks(%a: tensor<?x?x4x8xf64, #bsr> {spc.tensor = #spc.tensor<"A" extents = [<"m" by 4>, <"n" by 8>, <"">, <"">]>},
                  %x: tensor<?xf64> {spc.tensor = #spc.tensor<"x" extents = [<"n">]>},
                  %y: tensor<?xf64> {spc.tensor = #spc.tensor<"y" extents = [<"m">]>}) -> tensor<?xf64> {
  %result = linalg.generic {indexing_maps = [affine_map<(io, jo, ii, ji) -> (io, jo, ii, ji)>, affine_map<(io, jo, ii, ji) -> (jo * 8 + ji)>,
                                             affine_map<(io, jo, ii, ji) -> (io * 4 + ii)>],
                            iterator_types = ["parallel", "reduction", "parallel", "reduction"], sorted = true}
      ins(%a, %x : tensor<?x?x4x8xf64, #bsr>, tensor<?xf64>) outs(%y : tensor<?xf64>) {
  ^bb0(%av: f64, %xv: f64, %out: f64):
    %p = arith.mulf %av, %xv : f64
    %sum = arith.addf %out, %p : f64
    linalg.yield %sum : f64
  } -> tensor<?xf64>
  return %result : tensor<?xf64>
}

// Along a diagonal, x[i + d] bounds i on both sides.
// CHECK-LABEL: func.func @diagonals(
// CHECK-SAME:    %[[M:[a-z0-9]*]]: index {spc.bind = #spc.bind<size, "m">}
// CHECK-SAME:    %[[N:[a-z0-9]*]]: index {spc.bind = #spc.bind<size, "n">}
// CHECK:         %[[D:.*]] = arith.index_cast
// CHECK:         %[[BELOW:.*]] = arith.muli %[[D]], %c-1
// CHECK:         %[[FIRST:.*]] = arith.maxsi %[[BELOW]], %c0
// CHECK:         %[[ROOM:.*]] = arith.subi %[[N]], %[[D]]
// CHECK:         %[[END:.*]] = arith.minsi %[[M]], %[[ROOM]]
// CHECK:         scf.for %{{.*}} = %[[FIRST]] to %[[END]]
func.func @diagonals(%a: tensor<?x?xf64, #dia> {spc.tensor = #spc.tensor<"A" extents = [<"">, <"m">] levels = [<isSigned = true>, <>]>},
                     %x: tensor<?xf64> {spc.tensor = #spc.tensor<"x" extents = [<"n">]>},
                     %y: tensor<?xf64> {spc.tensor = #spc.tensor<"y" extents = [<"m">]>}) -> tensor<?xf64> {
  %result = linalg.generic {indexing_maps = [affine_map<(d, i) -> (d, i)>, affine_map<(d, i) -> (i + d)>,
                                             affine_map<(d, i) -> (i)>],
                            iterator_types = ["reduction", "parallel"], sorted = true}
      ins(%a, %x : tensor<?x?xf64, #dia>, tensor<?xf64>) outs(%y : tensor<?xf64>) {
  ^bb0(%av: f64, %xv: f64, %out: f64):
    %p = arith.mulf %av, %xv : f64
    %sum = arith.addf %out, %p : f64
    linalg.yield %sum : f64
  } -> tensor<?xf64>
  return %result : tensor<?xf64>
}

// Diagonals stored along columns: y[j - d].
// CHECK-LABEL: func.func @columns(
// CHECK-SAME:    %[[N:[a-z0-9]*]]: index {spc.bind = #spc.bind<size, "n">}
// CHECK-SAME:    %[[M:[a-z0-9]*]]: index {spc.bind = #spc.bind<size, "m">}
// CHECK:         %[[D:.*]] = arith.index_cast
// CHECK:         %[[FIRST:.*]] = arith.maxsi %[[D]], %c0
// CHECK:         %[[ROOM:.*]] = arith.addi %[[D]], %[[M]]
// CHECK:         %[[END:.*]] = arith.minsi %[[N]], %[[ROOM]]
// CHECK:         scf.for %{{.*}} = %[[FIRST]] to %[[END]]
func.func @columns(%a: tensor<?x?xf64, #dia> {spc.tensor = #spc.tensor<"A" extents = [<"">, <"n">] levels = [<isSigned = true>, <>]>},
                   %x: tensor<?xf64> {spc.tensor = #spc.tensor<"x" extents = [<"n">]>},
                   %y: tensor<?xf64> {spc.tensor = #spc.tensor<"y" extents = [<"m">]>}) -> tensor<?xf64> {
  %result = linalg.generic {indexing_maps = [affine_map<(d, j) -> (d, j)>, affine_map<(d, j) -> (j)>,
                                             affine_map<(d, j) -> (j - d)>],
                            iterator_types = ["reduction", "reduction"], sorted = true}
      ins(%a, %x : tensor<?x?xf64, #dia>, tensor<?xf64>) outs(%y : tensor<?xf64>) {
  ^bb0(%av: f64, %xv: f64, %out: f64):
    %p = arith.mulf %av, %xv : f64
    %sum = arith.addf %out, %p : f64
    linalg.yield %sum : f64
  } -> tensor<?xf64>
  return %result : tensor<?xf64>
}

// Only the loop over positions has the column: its body becomes conditional, and the sum is carried along.
// CHECK-LABEL: func.func @offsets(
// CHECK-SAME:    %[[N:[a-z0-9]*]]: index {spc.bind = #spc.bind<size, "n">}
// CHECK:         scf.for %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (f64) {
// CHECK:           %[[COLUMN:.*]] = arith.addi
// CHECK:           %[[INSIDE:.*]] = arith.cmpi ult, %[[COLUMN]], %[[N]]
// CHECK:           %[[NEXT:.*]] = scf.if %[[INSIDE]] -> (f64) {
// CHECK:             memref.load
// CHECK:           } else {
// CHECK:             scf.yield %[[SUM]]
// CHECK:           scf.yield %[[NEXT]]
func.func @offsets(%a: tensor<?x?xf64, #rows> {spc.tensor = #spc.tensor<"A" extents = [<"m">, <"">] levels = [<>, <isSigned = true>]>},
                   %x: tensor<?xf64> {spc.tensor = #spc.tensor<"x" extents = [<"n">]>},
                   %y: tensor<?xf64> {spc.tensor = #spc.tensor<"y" extents = [<"m">]>}) -> tensor<?xf64> {
  %result = linalg.generic {indexing_maps = [affine_map<(i, d) -> (i, d)>, affine_map<(i, d) -> (i + d)>,
                                             affine_map<(i, d) -> (i)>],
                            iterator_types = ["parallel", "reduction"], sorted = true}
      ins(%a, %x : tensor<?x?xf64, #rows>, tensor<?xf64>) outs(%y : tensor<?xf64>) {
  ^bb0(%av: f64, %xv: f64, %out: f64):
    %p = arith.mulf %av, %xv : f64
    %sum = arith.addf %out, %p : f64
    linalg.yield %sum : f64
  } -> tensor<?xf64>
  return %result : tensor<?xf64>
}

// The same where two operands are merged: only the branch that computes is conditional, positions advance.
// CHECK-LABEL: func.func @merged(
// CHECK:         scf.while
// CHECK:         ^bb0(%{{.*}}: index, %{{.*}}: index, %[[SUM:.*]]: f64):
// CHECK:           scf.if %{{.*}} -> (f64) {
// CHECK:             %[[INSIDE:.*]] = arith.cmpi ult
// CHECK:             scf.if %[[INSIDE]] -> (f64) {
// CHECK:             } else {
// CHECK:               scf.yield %[[SUM]]
// CHECK:           } else {
// CHECK:             scf.yield %[[SUM]]
func.func @merged(%a: tensor<?x?xf64, #rows> {spc.tensor = #spc.tensor<"A" extents = [<"m">, <"">] levels = [<>, <isSigned = true>]>},
                  %b: tensor<?x?xf64, #rows> {spc.tensor = #spc.tensor<"B" extents = [<"m">, <"">] levels = [<>, <isSigned = true>]>},
                  %x: tensor<?xf64> {spc.tensor = #spc.tensor<"x" extents = [<"n">]>},
                  %y: tensor<?xf64> {spc.tensor = #spc.tensor<"y" extents = [<"m">]>}) -> tensor<?xf64> {
  %result = linalg.generic {indexing_maps = [affine_map<(i, d) -> (i, d)>, affine_map<(i, d) -> (i, d)>,
                                             affine_map<(i, d) -> (i + d)>, affine_map<(i, d) -> (i)>],
                            iterator_types = ["parallel", "reduction"], sorted = true}
      ins(%a, %b, %x : tensor<?x?xf64, #rows>, tensor<?x?xf64, #rows>, tensor<?xf64>) outs(%y : tensor<?xf64>) {
  ^bb0(%av: f64, %bv: f64, %xv: f64, %out: f64):
    %p = arith.mulf %av, %bv : f64
    %q = arith.mulf %p, %xv : f64
    %sum = arith.addf %out, %q : f64
    linalg.yield %sum : f64
  } -> tensor<?xf64>
  return %result : tensor<?xf64>
}

// A sparse operand's dense root is found by a sum: its pointers array has no row after the last one.
// CHECK-LABEL: func.func @root(
// CHECK-SAME:    %[[N:[a-z0-9]*]]: index {spc.bind = #spc.bind<size, "n">}
// CHECK-SAME:    %[[PTR:[a-z0-9]*]]: memref<?xi32> {spc.bind = #spc.bind<pointers, "B", 1>}
// CHECK:         %[[FULL:.*]] = arith.cmpi sle, %{{.*}}, %[[N]]
// CHECK:         scf.if %[[FULL]] -> (f64) {
// CHECK:           scf.for %{{.*}} = %c0 to %c8
// CHECK:             memref.load %[[PTR]]
// CHECK:         } else {
// CHECK:           %[[END:.*]] = arith.minsi
// CHECK:           scf.for %{{.*}} = %c0 to %[[END]]
func.func @root(%a: tensor<?x8xf64, #blocks> {spc.tensor = #spc.tensor<"A" extents = [<"n" by 8>, <"">]>},
                %b: tensor<?x?xf64, #csr> {spc.tensor = #spc.tensor<"B" extents = [<"n">, <"k">]>},
                %s: tensor<f64> {spc.tensor = #spc.tensor<"s">}) -> tensor<f64> {
  %result = linalg.generic {indexing_maps = [affine_map<(jo, ji, k) -> (jo, ji)>,
                                             affine_map<(jo, ji, k) -> (jo * 8 + ji, k)>,
                                             affine_map<(jo, ji, k) -> ()>],
                            iterator_types = ["reduction", "reduction", "reduction"], sorted = true}
      ins(%a, %b : tensor<?x8xf64, #blocks>, tensor<?x?xf64, #csr>) outs(%s : tensor<f64>) {
  ^bb0(%av: f64, %bv: f64, %out: f64):
    %p = arith.mulf %av, %bv : f64
    %sum = arith.addf %out, %p : f64
    linalg.yield %sum : f64
  } -> tensor<f64>
  return %result : tensor<f64>
}

// The root above further dense levels, in a position (j n + l) that the sparsifier linearised.
// CHECK-LABEL: func.func @deep_root(
// CHECK-SAME:    %[[N:[a-z0-9]*]]: index {spc.bind = #spc.bind<size, "n">}
// CHECK:         %[[FULL:.*]] = arith.cmpi sle, %{{.*}}, %[[N]]
// CHECK:         scf.if %[[FULL]] -> (f64) {
func.func @deep_root(%a: tensor<?x8xf64, #blocks> {spc.tensor = #spc.tensor<"A" extents = [<"n" by 8>, <"">]>},
                     %b: tensor<?x?x?xf64, #cube> {spc.tensor = #spc.tensor<"B" extents = [<"n">, <"l">, <"k">]>},
                     %s: tensor<f64> {spc.tensor = #spc.tensor<"s">}) -> tensor<f64> {
  %result = linalg.generic {indexing_maps = [affine_map<(jo, ji, l, k) -> (jo, ji)>,
                                             affine_map<(jo, ji, l, k) -> (jo * 8 + ji, l, k)>,
                                             affine_map<(jo, ji, l, k) -> ()>],
                            iterator_types = ["reduction", "reduction", "reduction", "reduction"], sorted = true}
      ins(%a, %b : tensor<?x8xf64, #blocks>, tensor<?x?x?xf64, #cube>) outs(%s : tensor<f64>) {
  ^bb0(%av: f64, %bv: f64, %out: f64):
    %p = arith.mulf %av, %bv : f64
    %sum = arith.addf %out, %p : f64
    linalg.yield %sum : f64
  } -> tensor<f64>
  return %result : tensor<f64>
}
