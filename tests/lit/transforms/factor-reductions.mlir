// RUN: spc-opt %s -spc-factor-reductions -canonicalize | FileCheck %s

// The sampled value is applied once, and not at all to an empty sum.
// CHECK-LABEL: func.func @dot(
// CHECK-SAME:    %[[X:[a-z0-9]*]]: memref<?xf64>, %[[Y:[a-z0-9]*]]: memref<?xf64>, %[[S:[a-z0-9]*]]: f64, %[[INIT:[a-z0-9]*]]: f64, %[[N:[a-z0-9]*]]: index
// CHECK:         %[[ZERO:.*]] = arith.constant 0.0
// CHECK:         %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[ZERO]])
// CHECK-NOT:       %[[S]]
// CHECK:           arith.addf %[[ACC]]
// CHECK:         %[[SOME:.*]] = arith.cmpi
// CHECK:         %[[SCALED:.*]] = arith.mulf %[[S]], %[[SUM]]
// CHECK:         %[[TOTAL:.*]] = arith.addf %[[INIT]], %[[SCALED]]
// CHECK:         %[[RESULT:.*]] = arith.select %[[SOME]], %[[TOTAL]], %[[INIT]]
// CHECK:         return %[[RESULT]]
func.func @dot(%x: memref<?xf64>, %y: memref<?xf64>, %s: f64, %init: f64, %n: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %init) -> (f64) {
    %a = memref.load %x[%k] : memref<?xf64>
    %b = memref.load %y[%k] : memref<?xf64>
    %sa = arith.mulf %s, %a : f64
    %p = arith.mulf %sa, %b : f64
    %next = arith.addf %acc, %p : f64
    scf.yield %next : f64
  }
  return %sum : f64
}

// What is subtracted, or negated, is added up first.
// CHECK-LABEL: func.func @difference(
// CHECK-SAME:    %{{.*}}: memref<?xf64>, %[[S:[a-z0-9]*]]: f64, %[[INIT:[a-z0-9]*]]: f64
// CHECK:         %[[SUMS:.*]]:2 = scf.for
// CHECK-NOT:       arith.mulf
// CHECK:           arith.addf
// CHECK:           arith.addf
// CHECK:         arith.cmpi
// CHECK:         %[[SCALED:.*]] = arith.mulf %[[S]], %[[SUMS]]#0
// CHECK:         arith.subf %[[INIT]], %[[SCALED]]
// CHECK:         %[[QUOTIENT:.*]] = arith.divf %[[SUMS]]#1, %[[S]]
// CHECK:         arith.subf %[[INIT]], %[[QUOTIENT]]
func.func @difference(%x: memref<?xf64>, %s: f64, %init: f64, %n: index) -> (f64, f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sums:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %init, %b = %init) -> (f64, f64) {
    %v = memref.load %x[%k] : memref<?xf64>
    %p = arith.mulf %s, %v : f64
    %nexta = arith.subf %a, %p : f64
    %q = arith.divf %v, %s : f64
    %r = arith.negf %q : f64
    %nextb = arith.addf %b, %r : f64
    scf.yield %nexta, %nextb : f64, f64
  }
  return %sums#0, %sums#1 : f64, f64
}

// Nothing to take out: the loop stays as it is.
// CHECK-LABEL: func.func @plain(
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %arg2)
// CHECK-NOT:     arith.select
func.func @plain(%x: memref<?xf64>, %y: memref<?xf64>, %init: f64, %n: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %init) -> (f64) {
    %a = memref.load %x[%k] : memref<?xf64>
    %b = memref.load %y[%k] : memref<?xf64>
    %p = arith.mulf %a, %b : f64
    %next = arith.addf %acc, %p : f64
    scf.yield %next : f64
  }
  return %sum : f64
}

// The vectors of a tile share a branch.
// CHECK-LABEL: func.func @tile(
// CHECK-SAME:    %{{.*}}: memref<?xf64>, %[[S:[a-z0-9]*]]: vector<4xf64>, %[[T:[a-z0-9]*]]: vector<4xf64>
// CHECK:         %[[SUMS:.*]]:2 = scf.for
// CHECK-NOT:       arith.mulf
// CHECK:         %[[SOME:.*]] = arith.cmpi
// CHECK:         %[[TOTALS:.*]]:2 = scf.if %[[SOME]]
// CHECK:           arith.mulf %[[S]], %[[SUMS]]#0
// CHECK:           arith.mulf %[[T]], %[[SUMS]]#1
// CHECK:         } else {
// CHECK-NOT:       arith.mulf
// CHECK:         return %[[TOTALS]]#0, %[[TOTALS]]#1
func.func @tile(%x: memref<?xf64>, %s: vector<4xf64>, %t: vector<4xf64>, %init: vector<4xf64>, %n: index) -> (vector<4xf64>, vector<4xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sums:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %init, %b = %init) -> (vector<4xf64>, vector<4xf64>) {
    %v = vector.load %x[%k] : memref<?xf64>, vector<4xf64>
    %sv = arith.mulf %s, %v : vector<4xf64>
    %tv = arith.mulf %t, %v : vector<4xf64>
    %nexta = arith.addf %a, %sv : vector<4xf64>
    %nextb = arith.addf %b, %tv : vector<4xf64>
    scf.yield %nexta, %nextb : vector<4xf64>, vector<4xf64>
  }
  return %sums#0, %sums#1 : vector<4xf64>, vector<4xf64>
}

// Whether a row has entries: what is taken in is the same in each iteration.
// CHECK-LABEL: func.func @any(
// CHECK-SAME:    %[[N:[a-z0-9]*]]: index, %[[OLD:[a-z0-9]*]]: i8
// CHECK-NOT:     scf.for
// CHECK:         %[[SOME:.*]] = arith.cmpi sgt, %[[N]]
// CHECK:         %[[NEW:.*]] = arith.ori %[[OLD]]
// CHECK:         %[[RESULT:.*]] = arith.select %[[SOME]], %[[NEW]], %[[OLD]]
// CHECK:         return %[[RESULT]]
func.func @any(%n: index, %old: i8) -> i8 {
  %true = arith.constant 1 : i8
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %any = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %old) -> (i8) {
    %next = arith.ori %acc, %true : i8
    scf.yield %next : i8
  }
  return %any : i8
}

// CHECK-LABEL: func.func @any_of_values(
// CHECK:         scf.for
// CHECK:           arith.ori
func.func @any_of_values(%x: memref<?xi8>, %n: index, %old: i8) -> i8 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %any = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %old) -> (i8) {
    %value = memref.load %x[%k] : memref<?xi8>
    %next = arith.ori %acc, %value : i8
    scf.yield %next : i8
  }
  return %any : i8
}

// Loops within one another go from the inside.
// CHECK-LABEL: func.func @any_nested(
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @any_nested(%n: index, %m: index, %old: i8) -> i8 {
  %true = arith.constant 1 : i8
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %any = scf.for %i = %c0 to %m step %c1 iter_args(%outer = %old) -> (i8) {
    %row = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %outer) -> (i8) {
      %next = arith.ori %acc, %true : i8
      scf.yield %next : i8
    }
    scf.yield %old : i8
  }
  return %any : i8
}

// What divides all addends divides the sum once, which has no other factor here.
// CHECK-LABEL: func.func @mean(
// CHECK-SAME:    %[[X:[a-z0-9]*]]: memref<?xf64>, %[[D:[a-z0-9]*]]: memref<?xf64>, %[[I:[a-z0-9]*]]: index, %[[INIT:[a-z0-9]*]]: f64
// CHECK:         %[[COUNT:.*]] = memref.load %[[D]][%[[I]]]
// CHECK:         %[[SUM:.*]] = scf.for
// CHECK-NOT:       arith.divf
// CHECK:           scf.yield
// CHECK:         %[[MEAN:.*]] = arith.divf %[[SUM]], %[[COUNT]]
// CHECK:         arith.addf %[[INIT]], %[[MEAN]]
func.func @mean(%x: memref<?xf64>, %d: memref<?xf64>, %i: index, %init: f64, %n: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %init) -> (f64) {
    %a = memref.load %x[%k] : memref<?xf64>
    %count = memref.load %d[%i] : memref<?xf64>
    %part = arith.divf %a, %count : f64
    %next = arith.addf %acc, %part : f64
    scf.yield %next : f64
  }
  return %sum : f64
}

// Factors and divisors of one addend, in either place of its product.
// CHECK-LABEL: func.func @both(
// CHECK-SAME:    %[[X:[a-z0-9]*]]: memref<?xf64>, %[[S:[a-z0-9]*]]: f64, %[[D:[a-z0-9]*]]: f64,
// CHECK:         %[[SUM:.*]] = scf.for
// CHECK-NOT:       arith.mulf
// CHECK-NOT:       arith.divf
// CHECK:           scf.yield
// CHECK:         %[[SCALED:.*]] = arith.mulf %[[S]], %[[SUM]]
// CHECK:         arith.divf %[[SCALED]], %[[D]]
func.func @both(%x: memref<?xf64>, %s: f64, %d: f64, %init: f64, %n: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %init) -> (f64) {
    %a = memref.load %x[%k] : memref<?xf64>
    %part = arith.divf %a, %d : f64
    %scaled = arith.mulf %part, %s : f64
    %next = arith.addf %acc, %scaled : f64
    scf.yield %next : f64
  }
  return %sum : f64
}

// What the loop changes divides each addend.
// CHECK-LABEL: func.func @quotients(
// CHECK:         scf.for
// CHECK:           arith.divf
// CHECK:           scf.yield
// CHECK-NOT:     arith.divf
func.func @quotients(%x: memref<?xf64>, %y: memref<?xf64>, %init: f64, %n: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %init) -> (f64) {
    %a = memref.load %x[%k] : memref<?xf64>
    %b = memref.load %y[%k] : memref<?xf64>
    %part = arith.divf %a, %b : f64
    %next = arith.addf %acc, %part : f64
    scf.yield %next : f64
  }
  return %sum : f64
}
