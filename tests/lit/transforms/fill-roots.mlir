// RUN: spc-opt %s -split-input-file -spc-fill-roots -canonicalize -cse | FileCheck %s

// Each position of the root fills the rows up to its own; the rows behind the last one are filled after the loop.
// CHECK-LABEL: func.func @scatter(
// CHECK-SAME:    %[[ROWS:[a-z0-9]*]]: memref<?xi32> {{{.*}}}, %[[Y:[a-z0-9]*]]: memref<?x?xf64> {{{.*}}}, %[[COUNT:[a-z0-9]*]]: index {{{.*}}}, %[[M:[a-z0-9]*]]: index, %[[N:[a-z0-9]*]]: index
// CHECK-NOT:     memref.store
// CHECK:         %[[END:.*]] = scf.for %[[P:.*]] = %c0 to %[[COUNT]] step %c1 iter_args(%[[NEXT:.*]] = %c0) -> (index) {
// CHECK:           %[[ROW:.*]] = memref.load %[[ROWS]][%[[P]]]
// CHECK:           %[[AT:.*]] = arith.index_castui %[[ROW]] : i32 to index
// CHECK:           %[[AFTER:.*]] = arith.addi %[[AT]], %c1
// CHECK:           scf.for %[[I:.*]] = %[[NEXT]] to %[[AFTER]] step %c1 {
// CHECK:             scf.for %[[J:.*]] = %c0 to %[[N]]
// CHECK:               memref.store %{{.*}}, %[[Y]][%[[I]], %[[J]]]
// CHECK:           memref.store %{{.*}}, %[[Y]][%[[AT]], %c0]
// CHECK:           %[[MORE:.*]] = arith.maxsi %[[NEXT]], %[[AFTER]]
// CHECK:           scf.yield %[[MORE]]
// CHECK:         scf.for %[[I:.*]] = %[[END]] to %[[M]] step %c1 {
// CHECK:           memref.store
// CHECK-NOT:     memref.store
func.func @scatter(%rows: memref<?xi32> {spc.bind = #spc.bind<indices, "A", 0>}, %y: memref<?x?xf64> {spc.tensor = #spc.tensor<"y" extents = [<"i">, <"j">]>}, %count: index {spc.bind = #spc.bind<count, "A", 0>}, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      memref.store %zero, %y[%i, %j] : memref<?x?xf64>
    }
  }
  scf.for %p = %c0 to %count step %c1 {
    %i32 = memref.load %rows[%p] : memref<?xi32>
    %i = arith.index_castui %i32 : i32 to index
    memref.store %one, %y[%i, %c0] : memref<?x?xf64>
  } {spc.row_loop = #spc.row_loop<positions, <count, "A", 0>, <"i">>}
  return
}

// -----

// The coordinates do not ascend, so that a later position may come back to a row.
// CHECK-LABEL: func.func @unordered(
// CHECK:         scf.for
// CHECK-NEXT:      memref.store
// CHECK:         scf.for
// CHECK-NOT:       iter_args
// CHECK:           memref.store
func.func @unordered(%rows: memref<?xi32> {spc.bind = #spc.bind<indices, "A", 0>}, %y: memref<?xf64>, %count: index {spc.bind = #spc.bind<count, "A", 0>}, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  scf.for %i = %c0 to %m step %c1 {
    memref.store %zero, %y[%i] : memref<?xf64>
  }
  scf.for %p = %c0 to %count step %c1 {
    %i32 = memref.load %rows[%p] : memref<?xi32>
    %i = arith.index_castui %i32 : i32 to index
    memref.store %one, %y[%i] : memref<?xf64>
  } {spc.row_loop = #spc.row_loop<positions, <count, "A", 0>>}
  return
}

// -----

// A position reaches another row than its own.
// CHECK-LABEL: func.func @neighbour(
// CHECK:         scf.for
// CHECK-NEXT:      memref.store
// CHECK:         scf.for
// CHECK-NOT:       iter_args
// CHECK:           memref.store
func.func @neighbour(%rows: memref<?xi32> {spc.bind = #spc.bind<indices, "A", 0>}, %y: memref<?xf64> {spc.tensor = #spc.tensor<"y" extents = [<"i">]>}, %count: index {spc.bind = #spc.bind<count, "A", 0>}, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  scf.for %i = %c0 to %m step %c1 {
    memref.store %zero, %y[%i] : memref<?xf64>
  }
  scf.for %p = %c0 to %count step %c1 {
    %i32 = memref.load %rows[%p] : memref<?xi32>
    %i = arith.index_castui %i32 : i32 to index
    %next = arith.addi %i, %c1 : index
    memref.store %one, %y[%i] : memref<?xf64>
    memref.store %one, %y[%next] : memref<?xf64>
  } {spc.row_loop = #spc.row_loop<positions, <count, "A", 0>, <"i">>}
  return
}
