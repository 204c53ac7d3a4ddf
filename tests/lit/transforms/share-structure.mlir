// RUN: spc-opt %s -split-input-file -spc-sparsification -spc-lower-dense -canonicalize -spc-share-structure | FileCheck %s

// SDDMM: every position is stored once, so nothing is filled and nothing is loaded.
// CHECK-LABEL: func.func @sddmm(
// CHECK-SAME:    %[[VALUES:[a-z0-9]*]]: memref<?xf64> {spc.bind = #spc.bind<values, "D">}
// CHECK-NOT:     linalg.fill
// CHECK:         scf.for
// CHECK:           scf.for %[[P:.*]] =
// CHECK-NOT:         memref.load %[[VALUES]]
// CHECK:             scf.for
// CHECK:             memref.store %{{.*}}, %[[VALUES]][%[[P]]]
#csr = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32}>
func.func @sddmm(%s: tensor<?x?xf64, #csr> {spc.tensor = #spc.tensor<"S" extents = [<"m">, <"n">]>},
                 %a: tensor<?x?xf64> {spc.tensor = #spc.tensor<"A" extents = [<"m">, <"k">] modes = [0, 1]>},
                 %b: tensor<?x?xf64> {spc.tensor = #spc.tensor<"B" extents = [<"n">, <"k">] modes = [0, 1]>},
                 %d: tensor<?x?xf64> {spc.tensor = #spc.tensor<"D" extents = [<"m">, <"n">] pattern_of = "S">})
    -> tensor<?x?xf64> {
  %zero = arith.constant 0.0 : f64
  %filled = linalg.fill ins(%zero : f64) outs(%d : tensor<?x?xf64>) -> tensor<?x?xf64>
  %result = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, k)>,
                                             affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
                            iterator_types = ["parallel", "parallel", "reduction"], sorted = true}
      ins(%s, %a, %b : tensor<?x?xf64, #csr>, tensor<?x?xf64>, tensor<?x?xf64>) outs(%filled : tensor<?x?xf64>) {
  ^bb0(%sv: f64, %av: f64, %bv: f64, %out: f64):
    %p = arith.mulf %av, %bv : f64
    %q = arith.mulf %sv, %p : f64
    %sum = arith.addf %out, %q : f64
    linalg.yield %sum : f64
  } -> tensor<?x?xf64>
  return %result : tensor<?x?xf64>
}

// -----

// The reduction runs outside of the pattern's loops, so that every position is updated many times: it is zeroed first,
// over the stored values only.
// CHECK-LABEL: func.func @outer_reduction(
// CHECK-SAME:    %[[VALUES:[a-z0-9]*]]: memref<?xf64> {spc.bind = #spc.bind<values, "D">}
// CHECK-SAME:    %[[STORED:[a-z0-9]*]]: index {spc.bind = #spc.bind<stored, "D">}
// CHECK:         scf.for %[[P:.*]] = %{{.*}} to %[[STORED]]
// CHECK-NEXT:      memref.store %{{.*}}, %[[VALUES]][%[[P]]]
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             scf.for %[[Q:.*]] =
// CHECK:               %[[OLD:.*]] = memref.load %[[VALUES]][%[[Q]]]
// CHECK:               arith.addf %[[OLD]]
// CHECK:               memref.store %{{.*}}, %[[VALUES]][%[[Q]]]
#csr = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32}>
func.func @outer_reduction(%s: tensor<?x?xf64, #csr> {spc.tensor = #spc.tensor<"S" extents = [<"m">, <"n">]>},
                           %x: tensor<?x?xf64> {spc.tensor = #spc.tensor<"X" extents = [<"k">, <"m">] modes = [0, 1]>},
                           %d: tensor<?x?xf64> {spc.tensor = #spc.tensor<"D" extents = [<"m">, <"n">] pattern_of = "S">})
    -> tensor<?x?xf64> {
  %zero = arith.constant 0.0 : f64
  %filled = linalg.fill ins(%zero : f64) outs(%d : tensor<?x?xf64>) -> tensor<?x?xf64>
  %result = linalg.generic {indexing_maps = [affine_map<(k, i, j) -> (i, j)>, affine_map<(k, i, j) -> (k, i)>,
                                             affine_map<(k, i, j) -> (i, j)>],
                            iterator_types = ["reduction", "parallel", "parallel"], sorted = true}
      ins(%s, %x : tensor<?x?xf64, #csr>, tensor<?x?xf64>) outs(%filled : tensor<?x?xf64>) {
  ^bb0(%sv: f64, %xv: f64, %out: f64):
    %p = arith.mulf %sv, %xv : f64
    %sum = arith.addf %out, %p : f64
    linalg.yield %sum : f64
  } -> tensor<?x?xf64>
  return %result : tensor<?x?xf64>
}

// -----

// COO scaled in place: the position is the entry's own, not the segment's start at which the row is loaded.
// CHECK-LABEL: func.func @scale(
// CHECK-SAME:    %[[VALUES:[a-z0-9]*]]: memref<?xf64> {spc.bind = #spc.bind<values, "S">}
// CHECK-NOT:     linalg.fill
// CHECK:         scf.while
// CHECK:           scf.for %[[P:.*]] =
// CHECK:             memref.store %{{.*}}, %[[VALUES]][%[[P]]]
#coo = #sparse_tensor.encoding<{map = (i, j) -> (i : compressed(nonunique), j : singleton(soa)), posWidth = 32,
                                crdWidth = 32}>
func.func @scale(%s: tensor<?x?xf64, #coo> {spc.tensor = #spc.tensor<"S" extents = [<"m">, <"n">]>},
                 %d: tensor<?x?xf64> {spc.tensor = #spc.tensor<"S" extents = [<"m">, <"n">] pattern_of = "S">},
                 %alpha: f64 {spc.tensor = #spc.tensor<"alpha">}) -> tensor<?x?xf64> {
  %zero = arith.constant 0.0 : f64
  %filled = linalg.fill ins(%zero : f64) outs(%d : tensor<?x?xf64>) -> tensor<?x?xf64>
  %result = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                            iterator_types = ["parallel", "parallel"], sorted = true}
      ins(%s : tensor<?x?xf64, #coo>) outs(%filled : tensor<?x?xf64>) {
  ^bb0(%sv: f64, %out: f64):
    %p = arith.mulf %sv, %alpha : f64
    %sum = arith.addf %out, %p : f64
    linalg.yield %sum : f64
  } -> tensor<?x?xf64>
  return %result : tensor<?x?xf64>
}

// -----

// Dense dimensions behind the pattern's are a tail of each entry, in which the loop over them finds its place.
// CHECK-LABEL: func.func @tail(
// CHECK-SAME:    %[[HEADS:[a-z0-9]*]]: index {spc.bind = #spc.bind<size, "h">}
// CHECK-SAME:    %[[VALUES:[a-z0-9]*]]: memref<?xf64> {spc.bind = #spc.bind<values, "E">}
// CHECK-NOT:     memref.store
// CHECK:         scf.for
// CHECK:           scf.for %[[P:.*]] =
// CHECK:             scf.for %[[H:.*]] =
// CHECK:               %[[FIRST:.*]] = arith.muli %[[P]], %[[HEADS]]
// CHECK:               %[[AT:.*]] = arith.addi %[[FIRST]], %[[H]]
// CHECK:               memref.store %{{.*}}, %[[VALUES]][%[[AT]]]
#csr = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32}>
func.func @tail(%s: tensor<?x?xf64, #csr> {spc.tensor = #spc.tensor<"S" extents = [<"m">, <"n">]>},
                %x: tensor<?x?xf64> {spc.tensor = #spc.tensor<"X" extents = [<"m">, <"h">] modes = [0, 1]>},
                %e: tensor<?x?x?xf64> {spc.tensor = #spc.tensor<"E" extents = [<"m">, <"n">, <"h">] pattern_of = "S">})
    -> tensor<?x?x?xf64> {
  %zero = arith.constant 0.0 : f64
  %filled = linalg.fill ins(%zero : f64) outs(%e : tensor<?x?x?xf64>) -> tensor<?x?x?xf64>
  %result = linalg.generic {indexing_maps = [affine_map<(i, j, h) -> (i, j)>, affine_map<(i, j, h) -> (i, h)>,
                                             affine_map<(i, j, h) -> (i, j, h)>],
                            iterator_types = ["parallel", "parallel", "parallel"], sorted = true}
      ins(%s, %x : tensor<?x?xf64, #csr>, tensor<?x?xf64>) outs(%filled : tensor<?x?x?xf64>) {
  ^bb0(%sv: f64, %xv: f64, %out: f64):
    %p = arith.mulf %sv, %xv : f64
    %sum = arith.addf %out, %p : f64
    linalg.yield %sum : f64
  } -> tensor<?x?x?xf64>
  return %result : tensor<?x?x?xf64>
}
