// RUN: spc-opt %s -spc-narrow-loops -canonicalize | FileCheck %s

// What a window reads is added where it was read: of the other loops' values one is left.
// CHECK-LABEL: func.func @scattered(
// CHECK-SAME:    %[[N:[a-z0-9]*]]: index, %[[M:[a-z0-9]*]]: index
// CHECK:         scf.for %[[I:.*]] = %c0 to %[[M]]
// CHECK:           %[[NEXT:.*]] = arith.addi %[[I]], %c1
// CHECK:           %[[FIRST:.*]] = arith.maxsi %[[NEXT]], %c0
// CHECK:           %[[END:.*]] = arith.minsi %[[N]], %{{.*}}
// CHECK:           scf.for %{{.*}} = %[[FIRST]] to %[[END]]
func.func @scattered(%n: index, %m: index, %g: memref<?xf64>, %x: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %m step %c1 {
    %iv = arith.index_castui %i : index to i64
    %place = arith.addi %iv, %one : i64
    %value = memref.load %g[%i] : memref<?xf64>
    scf.for %q = %c0 to %n step %c1 {
      %before = memref.load %x[%q] : memref<?xf64>
      %qv = arith.index_castui %q : index to i64
      %there = arith.cmpi eq, %qv, %place : i64
      %added = arith.select %there, %value, %zero : f64
      %after = arith.addf %before, %added : f64
      memref.store %after, %x[%q] : memref<?xf64>
    }
  }
  return
}

// Of 2*i + p the loop over i runs as far as the one over p inside lets it; a sum that loops carry is left as it is.
// CHECK-LABEL: func.func @gathered(
// CHECK-SAME:    %{{.*}}: index, %[[M:[a-z0-9]*]]: index, %[[K:[a-z0-9]*]]: index
// CHECK:         scf.for %[[Q:.*]] = %c0
// CHECK:           %[[BEFORE:.*]] = arith.subi %[[Q]], %[[K]]
// CHECK:           %[[LEAST:.*]] = arith.addi %[[BEFORE]], %c1
// CHECK:           %[[LOWER:.*]] = arith.divsi %[[LEAST]], %c2
// CHECK:           %[[GREATEST:.*]] = arith.divsi %[[Q]], %c2
// CHECK:           %[[FIRST:.*]] = arith.maxsi %[[LOWER]], %c0
// CHECK:           %[[END:.*]] = arith.minsi %[[M]], %{{.*}}
// CHECK:           scf.for %[[I:.*]] = %[[FIRST]] to %[[END]]
// CHECK:             %[[PLAST:.*]] = arith.minsi %[[K]]
// CHECK:             scf.for %{{.*}} = %{{.*}} to %[[PLAST]]
func.func @gathered(%n: index, %m: index, %k: index, %g: memref<?xf64>, %w: memref<?xf64>, %x: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : i64
  %zero = arith.constant 0.0 : f64
  scf.for %q = %c0 to %n step %c1 {
    %qv = arith.index_castui %q : index to i64
    %start = memref.load %x[%q] : memref<?xf64>
    %all = scf.for %i = %c0 to %m step %c1 iter_args(%outer = %start) -> (f64) {
      %iv = arith.index_castui %i : index to i64
      %twice = arith.muli %iv, %two : i64
      %sum = scf.for %p = %c0 to %k step %c1 iter_args(%inner = %outer) -> (f64) {
        %pv = arith.index_castui %p : index to i64
        %place = arith.addi %twice, %pv : i64
        %there = arith.cmpi eq, %qv, %place : i64
        %a = memref.load %g[%i] : memref<?xf64>
        %b = memref.load %w[%p] : memref<?xf64>
        %product = arith.mulf %a, %b : f64
        %added = arith.select %there, %product, %zero : f64
        %next = arith.addf %inner, %added : f64
        scf.yield %next : f64
      }
      scf.yield %sum : f64
    }
    memref.store %all, %x[%q] : memref<?xf64>
  }
  return
}

// Loops that do more than add are left alone, and so are products with a comparison, which a NaN passes.
// CHECK-LABEL: func.func @others(
// CHECK-SAME:    %[[N:[a-z0-9]*]]: index
// CHECK:         scf.for
// CHECK-NEXT:      scf.for %{{.*}} = %c0 to %[[N]]
// CHECK:           scf.for %{{.*}} = %c0 to %[[N]]
// CHECK-NOT:     arith.maxsi
func.func @others(%n: index, %g: memref<?xf64>, %x: memref<?xf64>, %y: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %n step %c1 {
    scf.for %q = %c0 to %n step %c1 {
      %before = memref.load %x[%q] : memref<?xf64>
      %value = memref.load %g[%i] : memref<?xf64>
      %there = arith.cmpi eq, %q, %i : index
      %added = arith.select %there, %value, %zero : f64
      %after = arith.addf %before, %added : f64
      memref.store %after, %x[%q] : memref<?xf64>
      memref.store %after, %y[%q] : memref<?xf64>
    }
    scf.for %q = %c0 to %n step %c1 {
      %before = memref.load %x[%q] : memref<?xf64>
      %value = memref.load %g[%i] : memref<?xf64>
      %there = arith.cmpi eq, %q, %i : index
      %factor = arith.uitofp %there : i1 to f64
      %added = arith.mulf %factor, %value : f64
      %after = arith.addf %before, %added : f64
      memref.store %after, %x[%q] : memref<?xf64>
    }
  }
  return
}
