// RUN: spc-opt %s -spc-hoist-quotients -canonicalize | FileCheck %s

// An entry is divided once, though its row, its column and the divisors are read in the loop.
// CHECK-LABEL: func.func @spmm(
// CHECK-SAME:    %[[A:[a-z0-9]*]]: memref<?xf64>, %[[X:[a-z0-9]*]]: memref<?x?xf64>, %[[D:[a-z0-9]*]]: memref<?xf64>
// CHECK:         scf.for %[[J:.*]] =
// CHECK:           %[[ENTRY:.*]] = memref.load %[[A]][%[[J]]]
// CHECK:           %[[DIVISOR:.*]] = memref.load %[[D]][%[[J]]]
// CHECK:           %[[ROOT:.*]] = math.sqrt %[[DIVISOR]]
// CHECK:           %[[QUOTIENT:.*]] = arith.divf %[[ENTRY]], %[[ROOT]]
// CHECK:           scf.for %[[K:.*]] =
// CHECK-NOT:         arith.divf
// CHECK:             %[[OTHER:.*]] = memref.load %[[X]][%[[J]], %[[K]]]
// CHECK:             %[[PRODUCT:.*]] = arith.mulf %[[QUOTIENT]], %[[OTHER]]
// CHECK:             %[[TERM:.*]] = arith.negf %[[PRODUCT]]
// CHECK:             arith.addf %{{.*}}, %[[TERM]]
func.func @spmm(%a: memref<?xf64>, %x: memref<?x?xf64>, %d: memref<?xf64>, %y: memref<?xf64>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %m step %c1 {
    scf.for %k = %c0 to %n step %c1 {
      %entry = memref.load %a[%j] : memref<?xf64>
      %other = memref.load %x[%j, %k] : memref<?x?xf64>
      %negated = arith.negf %other : f64
      %product = arith.mulf %negated, %entry : f64
      %divisor = memref.load %d[%j] : memref<?xf64>
      %root = math.sqrt %divisor : f64
      %quotient = arith.divf %product, %root : f64
      %before = memref.load %y[%k] : memref<?xf64>
      %after = arith.addf %before, %quotient : f64
      memref.store %after, %y[%k] : memref<?xf64>
    }
  }
  return
}

// Neither is a reciprocal made, nor are operations on numbers joined; a divisor that the loop stores to, or changes,
// and halves are divided by where they are.
// CHECK-LABEL: func.func @kept(
// CHECK-SAME:    %[[X:[a-z0-9]*]]: memref<?xf64>, %[[D:[a-z0-9]*]]: memref<1xf64>
// CHECK-NOT:     arith.divf
// CHECK:         scf.for %[[K:.*]] =
// CHECK-DAG:       %[[XK:.*]] = memref.load %[[X]][%[[K]]]
// CHECK-DAG:       arith.divf %[[XK]], %{{.*}}
// CHECK-DAG:       %[[THIRD:.*]] = arith.divf %[[XK]], %{{.*}}
// CHECK-DAG:       arith.mulf %[[THIRD]], %{{.*}}
// CHECK-DAG:       %[[STORED:.*]] = memref.load %[[D]]
// CHECK-DAG:       arith.divf %{{.*}}, %[[STORED]]
// CHECK-DAG:       arith.divf %{{.*}}, %[[XK]]
// CHECK-DAG:       arith.divf %{{.*}}, %{{.*}} : f16
func.func @kept(%x: memref<?xf64>, %d: memref<1xf64>, %halves: memref<?xf16>, %h: f16, %s: f64, %y: memref<?x4xf64>, %z: memref<?xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %three = arith.constant 3.0 : f64
  scf.for %k = %c0 to %n step %c1 {
    %xk = memref.load %x[%k] : memref<?xf64>
    %plain = arith.divf %xk, %s : f64
    memref.store %plain, %y[%k, %c0] : memref<?x4xf64>
    %third = arith.divf %xk, %three : f64
    %whole = arith.mulf %third, %three : f64
    memref.store %whole, %y[%k, %c1] : memref<?x4xf64>
    %product = arith.mulf %xk, %s : f64
    %stored = memref.load %d[%c0] : memref<1xf64>
    %changed = arith.divf %product, %stored : f64
    memref.store %changed, %y[%k, %c2] : memref<?x4xf64>
    memref.store %changed, %d[%c0] : memref<1xf64>
    %inverse = arith.divf %s, %xk : f64
    memref.store %inverse, %y[%k, %c3] : memref<?x4xf64>
    %half = memref.load %halves[%k] : memref<?xf16>
    %double = arith.mulf %half, %h : f16
    %narrow = arith.divf %double, %h : f16
    memref.store %narrow, %z[%k] : memref<?xf16>
  }
  return
}
