// RUN: spc-opt %s -spc-sparsification -spc-lower-dense -canonicalize -spc-lower-storage | FileCheck %s

#csc = #sparse_tensor.encoding<{map = (j, i) -> (j : dense, i : compressed), posWidth = 64, crdWidth = 32}>
#dcsr = #sparse_tensor.encoding<{map = (i, j) -> (i : compressed, j : compressed), posWidth = 32, crdWidth = 32}>

// Extents are named by level: of CSC the columns come first.
// CHECK-LABEL: func.func @csc(
// CHECK-SAME:    %[[N:[a-z0-9]*]]: index {spc.bind = #spc.bind<size, "n">}
// CHECK-SAME:    %[[PTR:[a-z0-9]*]]: memref<?xi64> {spc.bind = #spc.bind<pointers, "A", 1>}
// CHECK-SAME:    %[[IND:[a-z0-9]*]]: memref<?xi32> {spc.bind = #spc.bind<indices, "A", 1>}
// CHECK-SAME:    %[[VAL:[a-z0-9]*]]: memref<?xf64> {spc.bind = #spc.bind<values, "A">}
// CHECK-NOT:     sparse_tensor
// CHECK:         scf.for %[[J:.*]] = %{{.*}} to %[[N]]
// CHECK:           memref.load %[[PTR]][%[[J]]]
// CHECK:             memref.load %[[IND]]
// CHECK:             memref.load %[[VAL]]
func.func @csc(%a: tensor<?x?xf64, #csc> {spc.tensor = #spc.tensor<"A" extents = [<"n">, <"m">]>},
               %x: tensor<?xf64> {spc.tensor = #spc.tensor<"x" extents = [<"n">]>},
               %y: tensor<?xf64> {spc.tensor = #spc.tensor<"y" extents = [<"m">]>}) -> tensor<?xf64> {
  %result = linalg.generic {indexing_maps = [affine_map<(j, i) -> (j, i)>, affine_map<(j, i) -> (j)>,
                                             affine_map<(j, i) -> (i)>],
                            iterator_types = ["reduction", "parallel"], sorted = true}
      ins(%a, %x : tensor<?x?xf64, #csc>, tensor<?xf64>) outs(%y : tensor<?xf64>) {
  ^bb0(%av: f64, %xv: f64, %out: f64):
    %p = arith.mulf %av, %xv : f64
    %sum = arith.addf %out, %p : f64
    linalg.yield %sum : f64
  } -> tensor<?xf64>
  return %result : tensor<?xf64>
}

// A compressed root has no pointers array, only a count.
// CHECK-LABEL: func.func @dcsr(
// CHECK-NOT:     <pointers, "A", 0>
// CHECK-SAME:    %[[COUNT:[a-z0-9]*]]: index {spc.bind = #spc.bind<count, "A", 0>}
// CHECK-NOT:     <pointers, "A", 0>
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[COUNT]]
func.func @dcsr(%a: tensor<?x?xf64, #dcsr> {spc.tensor = #spc.tensor<"A" extents = [<"m">, <"n">]>},
                %x: tensor<?xf64> {spc.tensor = #spc.tensor<"x" extents = [<"n">]>},
                %y: tensor<?xf64> {spc.tensor = #spc.tensor<"y" extents = [<"m">]>}) -> tensor<?xf64> {
  %result = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                                             affine_map<(i, j) -> (i)>],
                            iterator_types = ["parallel", "reduction"], sorted = true}
      ins(%a, %x : tensor<?x?xf64, #dcsr>, tensor<?xf64>) outs(%y : tensor<?xf64>) {
  ^bb0(%av: f64, %xv: f64, %out: f64):
    %p = arith.mulf %av, %xv : f64
    %sum = arith.addf %out, %p : f64
    linalg.yield %sum : f64
  } -> tensor<?xf64>
  return %result : tensor<?xf64>
}

#rows = #sparse_tensor.encoding<{map = (k, j) -> (k : dense, j : compressed), posWidth = 64, crdWidth = 64}>
#vector = #sparse_tensor.encoding<{map = (k) -> (k : compressed), posWidth = 64, crdWidth = 64}>

// Rows that are looked up are found once for both ends of what is in them.
// CHECK-LABEL: func.func @found(
// CHECK-SAME:    %[[TABLE:[a-z0-9]*]]: !llvm.ptr {spc.bind = #spc.bind<rows, "B">}
// CHECK-SAME:    %[[PTR:[a-z0-9]*]]: memref<?xi64> {spc.bind = #spc.bind<pointers, "B", 1>}
// CHECK:         %[[ROW:.*]] = spc.find_row %[[TABLE]][%{{.*}}]
// CHECK-NOT:     spc.find_row
// CHECK:         memref.load %[[PTR]][%[[ROW]]]
// CHECK:         %[[NEXT:.*]] = arith.addi %[[ROW]], %c1
// CHECK:         memref.load %[[PTR]][%[[NEXT]]]
func.func @found(%x: tensor<?xf64, #vector> {spc.tensor = #spc.tensor<"x" extents = [<"k">]>},
                 %b: tensor<?x?xf64, #rows> {spc.tensor = #spc.tensor<"B" extents = [<"k">, <"n">] levels = [<isFound = true>, <>]>},
                 %y: tensor<?xf64> {spc.tensor = #spc.tensor<"y" extents = [<"n">]>}) -> tensor<?xf64> {
  %result = linalg.generic {indexing_maps = [affine_map<(k, j) -> (k)>, affine_map<(k, j) -> (k, j)>,
                                             affine_map<(k, j) -> (j)>],
                            iterator_types = ["reduction", "parallel"], sorted = true}
      ins(%x, %b : tensor<?xf64, #vector>, tensor<?x?xf64, #rows>) outs(%y : tensor<?xf64>) {
  ^bb0(%xv: f64, %bv: f64, %out: f64):
    %p = arith.mulf %xv, %bv : f64
    %sum = arith.addf %out, %p : f64
    linalg.yield %sum : f64
  } -> tensor<?xf64>
  return %result : tensor<?xf64>
}
