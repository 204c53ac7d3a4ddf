// RUN: spc-opt %s -split-input-file -spc-widen-sums -canonicalize | FileCheck %s

// The sum is rounded once, after the outer loop, and no term is.
// CHECK-LABEL: func.func @nested(
// CHECK:         %[[START:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK:         %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[OUTER:.*]] = %[[START]]) -> (f32)
// CHECK:           scf.for {{.*}} iter_args(%[[INNER:.*]] = %[[OUTER]]) -> (f32)
// CHECK-NOT:         arith.truncf
// CHECK:             %[[NEXT:.*]] = arith.addf %[[INNER]], %{{.*}} : f32
// CHECK:             scf.yield %[[NEXT]] : f32
// CHECK:         %[[ROUNDED:.*]] = arith.truncf %[[SUM]]
// CHECK:         memref.store %[[ROUNDED]]
func.func @nested(%x: memref<?x?xf32>, %y: memref<1xf16>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %start = memref.load %y[%c0] : memref<1xf16>
  %sum = scf.for %i = %c0 to %m step %c1 iter_args(%outer = %start) -> (f16) {
    %row = scf.for %j = %c0 to %n step %c1 iter_args(%inner = %outer) -> (f16) {
      %v = memref.load %x[%i, %j] : memref<?x?xf32>
      %term = arith.truncf %v : f32 to f16
      %wide = arith.extf %inner fastmath<contract> : f16 to f32
      %addend = arith.extf %term fastmath<contract> : f16 to f32
      %next = arith.addf %wide, %addend : f32
      %rounded = arith.truncf %next fastmath<contract> : f32 to f16
      scf.yield %rounded : f16
    }
    scf.yield %row : f16
  }
  memref.store %sum, %y[%c0] : memref<1xf16>
  return
}

// -----

// Vectors of sums, handed on by a branch that adds to them or not.
// CHECK-LABEL: func.func @branch(
// CHECK:         scf.for {{.*}} iter_args(%[[CARRIED:.*]] = %{{.*}}) -> (vector<8xf32>)
// CHECK:           %[[CHOSEN:.*]] = scf.if %{{.*}} -> (vector<8xf32>) {
// CHECK:             scf.yield %{{.*}} : vector<8xf32>
// CHECK:           } else {
// CHECK:             scf.yield %[[CARRIED]] : vector<8xf32>
// CHECK:           scf.yield %[[CHOSEN]] : vector<8xf32>
// CHECK:         arith.truncf
// CHECK-NOT:     arith.truncf
func.func @branch(%x: vector<8xf32>, %start: vector<8xbf16>, %n: index, %some: memref<?xi1>) -> vector<8xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %j = %c0 to %n step %c1 iter_args(%carried = %start) -> (vector<8xbf16>) {
    %adds = memref.load %some[%j] : memref<?xi1>
    %next = scf.if %adds -> (vector<8xbf16>) {
      %wide = arith.extf %carried fastmath<contract> : vector<8xbf16> to vector<8xf32>
      %more = arith.addf %wide, %x : vector<8xf32>
      %rounded = arith.truncf %more fastmath<contract> : vector<8xf32> to vector<8xbf16>
      scf.yield %rounded : vector<8xbf16>
    } else {
      scf.yield %carried : vector<8xbf16>
    }
    scf.yield %next : vector<8xbf16>
  }
  return %sum : vector<8xbf16>
}

// -----

// What the source rounds stays rounded, and so does what something else reads.
// CHECK-LABEL: func.func @asked(
// CHECK:         iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (f16, f16)
func.func @asked(%x: f32, %start: f16, %n: index, %seen: memref<?xf16>) -> (f16, f16) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a:2 = scf.for %j = %c0 to %n step %c1 iter_args(%one = %start, %other = %start) -> (f16, f16) {
    %wide = arith.extf %one : f16 to f32
    %more = arith.addf %wide, %x : f32
    %rounded = arith.truncf %more : f32 to f16
    memref.store %other, %seen[%j] : memref<?xf16>
    %wide1 = arith.extf %other fastmath<contract> : f16 to f32
    %more1 = arith.addf %wide1, %x : f32
    %rounded1 = arith.truncf %more1 fastmath<contract> : f32 to f16
    scf.yield %rounded, %rounded1 : f16, f16
  }
  return %a#0, %a#1 : f16, f16
}
