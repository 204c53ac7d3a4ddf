// RUN: spc-opt %s -spc-skip-absent | FileCheck %s

// A sum with what is not there is its other side; a store of one goes.
// CHECK-LABEL: func.func @skip
func.func @skip(%y: memref<?xf64>, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK-NOT: spc.absent
  // CHECK: scf.for
  // CHECK-NEXT: scf.if
  // CHECK-NOT: memref.store
  // CHECK: else
  // CHECK: memref.store
  scf.for %i = %c0 to %n step %c1 {
    scf.if %c {
      %0 = spc.absent : f64
      %1 = arith.mulf %0, %0 : f64
      %2 = memref.load %y[%i] : memref<?xf64>
      %3 = arith.addf %2, %1 : f64
      memref.store %3, %y[%i] : memref<?xf64>
    } else {
      %2 = memref.load %y[%i] : memref<?xf64>
      %3 = arith.addf %2, %2 : f64
      memref.store %3, %y[%i] : memref<?xf64>
    }
  }
  return
}

// Loops that add nothing leave no store either.
// CHECK-LABEL: func.func @idle
func.func @idle(%y: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK-NOT: memref.{{load|store}}
  // CHECK: return
  %0 = memref.load %y[%c0] : memref<?xf64>
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %0) -> f64 {
    %2 = spc.absent : f64
    %3 = arith.addf %sum, %2 : f64
    scf.yield %3 : f64
  }
  memref.store %1, %y[%c0] : memref<?xf64>
  return
}

// What wrote back what it loaded before stays: an assembled output has an entry there.
// CHECK-LABEL: func.func @entry
func.func @entry(%y: memref<?xi32>, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.if
  // CHECK-NEXT: %[[V:.*]] = memref.load %{{.*}}[%[[I:.*]]]
  // CHECK-NEXT: memref.store %[[V]], %{{.*}}[%[[I]]]
  // CHECK-NEXT: }
  // CHECK-NOT: memref.{{load|store}}
  scf.for %i = %c0 to %n step %c1 {
    scf.if %c {
      %0 = memref.load %y[%i] : memref<?xi32>
      memref.store %0, %y[%i] : memref<?xi32>
    } else {
      %1 = spc.absent : i32
      %2 = memref.load %y[%i] : memref<?xi32>
      %3 = arith.addi %2, %1 : i32
      memref.store %3, %y[%i] : memref<?xi32>
    }
  }
  return
}

// Whatever else a reduction takes in; a product of what a loop carries is one, that of a term with two factors is not.
// CHECK-LABEL: func.func @reductions
func.func @reductions(%y: memref<?xf64>, %z: memref<?xi8>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK-NOT: memref.{{load|store}}
  // CHECK: return
  %0 = memref.load %y[%c0] : memref<?xf64>
  %1:2 = scf.for %i = %c0 to %n step %c1 iter_args(%least = %0, %product = %0) -> (f64, f64) {
    %2 = spc.absent : f64
    %3 = arith.minimumf %least, %2 : f64
    %4 = spc.absent : f64
    %5 = arith.mulf %4, %product : f64
    scf.yield %3, %5 : f64, f64
  }
  memref.store %1#0, %y[%c0] : memref<?xf64>
  %6 = memref.load %z[%c1] : memref<?xi8>
  %7 = spc.absent : i8
  %8 = arith.maxui %6, %7 : i8
  memref.store %8, %z[%c1] : memref<?xi8>
  return
}
