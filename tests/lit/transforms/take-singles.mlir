// RUN: spc-opt %s -spc-take-singles | FileCheck %s

// The one addend of a loop that runs at most once is its result, but sums of other loops, and those that start from a
// number, are sums.
// CHECK-LABEL: func.func @columns(
// CHECK-SAME:    %[[M:[a-z0-9]*]]: index, %[[E:[a-z0-9]*]]: index, %[[X:[a-z0-9]*]]: memref<?xf64>, %[[Y:[a-z0-9]*]]: memref<?xf64>)
// CHECK:         %[[C:.*]] = scf.for %[[O:.*]] = %c0 to %[[E]] step %c1 iter_args(%{{.*}} = %cst) -> (f64)
// CHECK-NEXT:      %[[V:.*]] = memref.load %[[X]][%[[O]]]
// CHECK:           scf.yield %[[V]] : f64
// CHECK:         %[[START:.*]] = memref.load %[[Y]]
// CHECK:         scf.for %{{.*}} = %c0 to %[[E]] step %c1 iter_args(%{{.*}} = %[[START]]) -> (f64)
// CHECK:           %[[TO:.*]] = arith.addf
// CHECK:           scf.yield %[[TO]] : f64
// CHECK:         scf.for %{{.*}} = %c0 to %[[M]] step %c1 iter_args(%{{.*}} = %cst) -> (f64)
// CHECK:           %[[SUM:.*]] = arith.addf
// CHECK:           scf.yield %[[SUM]] : f64
func.func @columns(%m: index, %e: index, %x: memref<?xf64>, %y: memref<?xf64>)
    attributes {spc.nests = [#spc.nest<[<[["j", 1, 1]] in <"m">>, <[["o", 1, 1]] in <"one"> reduction = true once = true>]>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %a = scf.for %o = %c0 to %e step %c1 iter_args(%sum = %zero) -> (f64) {
    %v = memref.load %x[%o] : memref<?xf64>
    %next = arith.addf %sum, %v : f64
    scf.yield %next : f64
  } {spc.place = #spc.place<0, 1>}
  memref.store %a, %y[%c0] : memref<?xf64>
  %start = memref.load %y[%c1] : memref<?xf64>
  %b = scf.for %o = %c0 to %e step %c1 iter_args(%sum = %start) -> (f64) {
    %v = memref.load %x[%o] : memref<?xf64>
    %next = arith.addf %sum, %v : f64
    scf.yield %next : f64
  } {spc.place = #spc.place<0, 1>}
  memref.store %b, %y[%c1] : memref<?xf64>
  %c = scf.for %j = %c0 to %m step %c1 iter_args(%sum = %zero) -> (f64) {
    %v = memref.load %x[%j] : memref<?xf64>
    %next = arith.addf %sum, %v : f64
    scf.yield %next : f64
  } {spc.place = #spc.place<0, 0>}
  memref.store %c, %y[%m] : memref<?xf64>
  return
}
