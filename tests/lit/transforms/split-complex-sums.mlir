// RUN: spc-opt %s -spc-split-complex-sums | FileCheck %s

// Both parts are sums of floats, beside what else a loop carries.
// CHECK-LABEL: func.func @dot(
// CHECK-SAME:    %[[X:[a-z0-9]*]]: memref<?xcomplex<f64>>
// CHECK:         %[[SUMS:.*]]:3 = scf.for %[[I:.*]] = {{.*}} iter_args(%[[RE:.*]] = %{{.*}}, %[[IM:.*]] = %{{.*}}, %[[COUNT:.*]] = %{{.*}}) -> (f64, f64, index)
// CHECK:           %[[V:.*]] = memref.load %[[X]][%[[I]]]
// CHECK:           arith.mulf
// CHECK-NOT:       complex.mul
// CHECK-DAG:       %[[NEXT_RE:.*]] = arith.addf %[[RE]], %{{.*}} : f64
// CHECK-DAG:       %[[NEXT_IM:.*]] = arith.addf %[[IM]], %{{.*}} : f64
// CHECK-DAG:       %[[NEXT:.*]] = arith.addi %[[COUNT]]
// CHECK:           scf.yield %[[NEXT_RE]], %[[NEXT_IM]], %[[NEXT]] : f64, f64, index
// CHECK:         %[[SUM:.*]] = complex.create %[[SUMS]]#0, %[[SUMS]]#1 : complex<f64>
// CHECK:         return %[[SUM]], %[[SUMS]]#2
func.func @dot(%x: memref<?xcomplex<f64>>, %y: memref<?xcomplex<f64>>, %start: complex<f64>, %n: index) -> (complex<f64>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sums:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %start, %count = %c0) -> (complex<f64>, index) {
    %a = memref.load %x[%i] : memref<?xcomplex<f64>>
    %b = memref.load %y[%i] : memref<?xcomplex<f64>>
    %ab = complex.mul %a, %b : complex<f64>
    %next = complex.add %sum, %ab : complex<f64>
    %more = arith.addi %count, %c1 : index
    scf.yield %next, %more : complex<f64>, index
  }
  return %sums#0, %sums#1 : complex<f64>, index
}

// Bodies that carry none stay as they are.
// CHECK-LABEL: func.func @elements(
// CHECK:         complex.mul
func.func @elements(%x: memref<?xcomplex<f32>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %x[%i] : memref<?xcomplex<f32>>
    %aa = complex.mul %a, %a : complex<f32>
    memref.store %aa, %x[%i] : memref<?xcomplex<f32>>
  }
  return
}
