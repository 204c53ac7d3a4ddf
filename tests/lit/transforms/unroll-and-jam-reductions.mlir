// RUN: spc-opt %s -split-input-file -spc-unroll-and-jam-reductions="vector-bytes=32" -canonicalize -cse | FileCheck %s
// RUN: spc-opt %s -split-input-file -spc-unroll-and-jam-reductions="vector-bytes=64" -canonicalize -cse | FileCheck %s --check-prefix=WIDE

// Of wide vectors there is also one.
// WIDE-LABEL: func.func @sddmm(
// WIDE:         scf.index_switch
// WIDE-NEXT:    case 8
// WIDE-NOT:     case
// WIDE:           vector.load {{.*}} memref<?xf64>, vector<8xf64>
// WIDE:         case 16
// WIDE-NOT:     case
// WIDE-COUNT-2:   vector.load {{.*}} memref<?xf64>, vector<8xf64>
// WIDE:         case 32
// WIDE:         case 64
// WIDE-NOT:     case
// WIDE:         default

// Four entries together: A's row is loaded once for the four, in two chains of vectors each; one tree adds up the lanes.
// CHECK-LABEL: func.func @sddmm(
// CHECK-SAME:    %[[CRD:[a-z0-9]*]]: memref<?xindex>, %[[A:[a-z0-9]*]]: memref<?xf64>, %[[B:[a-z0-9]*]]: memref<?x?xf64>, %[[D:[a-z0-9]*]]: memref<?xf64>, %[[FROM:[a-z0-9]*]]: index, %[[TO:[a-z0-9]*]]: index, %[[K:[a-z0-9]*]]: index
// Sizes of 2, of 4 and of 8 vectors do without a loop over them, so that A's row can stay in registers.
// CHECK:         scf.index_switch %[[K]]
// CHECK-NEXT:    case 8
// CHECK:         case 16
// CHECK-NEXT:      scf.for %{{.*}} = %[[FROM]] to %{{.*}} step %c4
// CHECK-NOT:         scf.for
// CHECK-COUNT-4:     vector.load %[[A]]
// What is left of the segment is done one by one, that of long rows by two entries first.
// CHECK:           scf.for {{.*}} to %[[TO]] step %c1
// CHECK-NOT:         scf.for
// CHECK-COUNT-4:     vector.load %[[A]]
// CHECK-NOT:         vector.load %[[A]]
// CHECK:         case 32
// CHECK-NEXT:      scf.for %{{.*}} = %[[FROM]] to %{{.*}} step %c4
// CHECK-NOT:         scf.for
// CHECK-COUNT-8:     vector.load %[[A]]
// CHECK:           scf.for {{.*}} step %c2
// CHECK-COUNT-8:     vector.load %[[A]]
// CHECK:           scf.for {{.*}} to %[[TO]] step %c1
// CHECK-COUNT-8:     vector.load %[[A]]
// CHECK-NOT:         vector.load %[[A]]
// CHECK:         default
// CHECK:         scf.for %[[P:.*]] = %[[FROM]] to %{{.*}} step %c4
// CHECK-COUNT-4:   memref.load %[[CRD]]
// CHECK:           %[[SUMS:.*]]:8 = scf.for {{.*}} step %c8
// CHECK:             vector.load %[[A]]
// CHECK-COUNT-4:     vector.load %[[B]]
// CHECK:             vector.load %[[A]]
// CHECK-COUNT-4:     vector.load %[[B]]
// CHECK-NOT:         vector.load
// CHECK:             scf.yield
// A last vector that ends at the size counts its own lanes.
// CHECK:           arith.cmpi sle, {{.*}} : vector<4xi64>
// CHECK:           arith.select {{.*}} : vector<4xi1>, vector<4xf64>
// CHECK-COUNT-6:   vector.shuffle
// CHECK-NOT:       vector.shuffle
// The four results are one vector.
// CHECK:           vector.store %{{.*}}, %[[D]][%[[P]]] : memref<?xf64>, vector<4xf64>
// What is left of the segment keeps its loop.
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[TO]] step %c1
// CHECK:           memref.store %{{.*}}, %[[D]]
func.func @sddmm(%crd: memref<?xindex>, %a: memref<?xf64>, %b: memref<?x?xf64>, %d: memref<?xf64>, %from: index, %to: index, %size: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.for %p = %from to %to step %c1 {
    %j = memref.load %crd[%p] : memref<?xindex>
    %sum = scf.for %k = %c0 to %size step %c1 iter_args(%acc = %zero) -> (f64) {
      %x = memref.load %a[%k] : memref<?xf64>
      %y = memref.load %b[%j, %k] : memref<?x?xf64>
      %xy = arith.mulf %x, %y : f64
      %next = arith.addf %acc, %xy : f64
      scf.yield %next : f64
    }
    memref.store %sum, %d[%p] : memref<?xf64>
  }
  return
}

// -----

// What follows the sums is done by four entries at once where it stays at their positions.
// CHECK-LABEL: func.func @scaled(
// CHECK-SAME:    %[[S:[a-z0-9]*]]: memref<?xf64>, %[[D:[a-z0-9]*]]: memref<?xf64>, %[[FROM:[a-z0-9]*]]: index
// CHECK-SAME:    attributes {passthrough = ["spc-paired"]}
// CHECK:         case 8
// CHECK:         scf.for %[[P:.*]] = %[[FROM]] to %{{.*}} step %c4
// CHECK:           %[[FACTORS:.*]] = vector.load %[[S]][%[[P]]] : memref<?xf64>, vector<4xf64>
// CHECK:           %[[RESULTS:.*]] = arith.mulf %[[FACTORS]], %{{.*}} : vector<4xf64>
// CHECK-NEXT:      vector.store %[[RESULTS]], %[[D]][%[[P]]] : memref<?xf64>, vector<4xf64>
func.func @scaled(%crd: memref<?xindex>, %a: memref<?xf64>, %b: memref<?x?xf64>, %s: memref<?xf64>, %d: memref<?xf64>, %from: index, %to: index, %size: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.for %p = %from to %to step %c1 {
    %j = memref.load %crd[%p] : memref<?xindex>
    %value = memref.load %s[%p] : memref<?xf64>
    %sum = scf.for %k = %c0 to %size step %c1 iter_args(%acc = %zero) -> (f64) {
      %x = memref.load %a[%k] : memref<?xf64>
      %y = memref.load %b[%j, %k] : memref<?x?xf64>
      %xy = arith.mulf %x, %y : f64
      %next = arith.addf %acc, %xy : f64
      scf.yield %next : f64
    }
    %scaled = arith.mulf %value, %sum : f64
    memref.store %scaled, %d[%p] : memref<?xf64>
  }
  return
}

// -----

// Factors from anywhere are not side by side.
// CHECK-LABEL: func.func @gathered(
// CHECK-SAME:    %[[C:[a-z0-9]*]]: memref<?xf64>, %[[D:[a-z0-9]*]]: memref<?xf64>, %[[FROM:[a-z0-9]*]]: index
// CHECK:         case 8
// CHECK-NOT:       vector.store
// CHECK-COUNT-4:   memref.store %{{.*}}, %[[D]]
func.func @gathered(%crd: memref<?xindex>, %a: memref<?xf64>, %b: memref<?x?xf64>, %c: memref<?xf64>, %d: memref<?xf64>, %from: index, %to: index, %size: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.for %p = %from to %to step %c1 {
    %j = memref.load %crd[%p] : memref<?xindex>
    %sum = scf.for %k = %c0 to %size step %c1 iter_args(%acc = %zero) -> (f64) {
      %x = memref.load %a[%k] : memref<?xf64>
      %y = memref.load %b[%j, %k] : memref<?x?xf64>
      %xy = arith.mulf %x, %y : f64
      %next = arith.addf %acc, %xy : f64
      scf.yield %next : f64
    }
    %factor = memref.load %c[%j] : memref<?xf64>
    %scaled = arith.mulf %factor, %sum : f64
    memref.store %scaled, %d[%p] : memref<?xf64>
  }
  return
}

// -----

// Empty sums have a loop of their own, so that the others are not selected.
// CHECK-LABEL: func.func @guarded(
// CHECK-SAME:    %[[D:[a-z0-9]*]]: memref<?xf64>, %[[FROM:[a-z0-9]*]]: index, %[[TO:[a-z0-9]*]]: index, %[[K:[a-z0-9]*]]: index
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00 : f64
// CHECK:         %[[SOME:.*]] = arith.cmpi sgt, %[[K]], %c0
// CHECK:         scf.if %[[SOME]] {
// CHECK-NOT:       arith.select {{.*}} : f64
// CHECK:         } else {
// CHECK:           scf.for %[[P:.*]] = %[[FROM]] to %[[TO]] step %c1 {
// CHECK-NEXT:        memref.store %[[ZERO]], %[[D]][%[[P]]]
func.func @guarded(%crd: memref<?xindex>, %a: memref<?xf64>, %b: memref<?x?xf64>, %s: memref<?xf64>, %d: memref<?xf64>, %from: index, %to: index, %size: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %some = arith.cmpi sgt, %size, %c0 : index
  scf.for %p = %from to %to step %c1 {
    %j = memref.load %crd[%p] : memref<?xindex>
    %sum = scf.for %k = %c0 to %size step %c1 iter_args(%acc = %zero) -> (f64) {
      %x = memref.load %a[%k] : memref<?xf64>
      %y = memref.load %b[%j, %k] : memref<?x?xf64>
      %xy = arith.mulf %x, %y : f64
      %next = arith.addf %acc, %xy : f64
      scf.yield %next : f64
    }
    %value = memref.load %s[%p] : memref<?xf64>
    %scaled = arith.mulf %value, %sum : f64
    %total = arith.select %some, %scaled, %zero : f64
    memref.store %total, %d[%p] : memref<?xf64>
  }
  return
}

// -----

// Every iteration stores to an element that another one may load.
// CHECK-LABEL: func.func @dependent(
// CHECK-NOT:     vector
func.func @dependent(%crd: memref<?xindex>, %b: memref<?x?xf64>, %d: memref<?xf64>, %from: index, %to: index, %size: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %from to %to step %c1 {
    %j = memref.load %crd[%p] : memref<?xindex>
    %start = memref.load %d[%j] : memref<?xf64>
    %sum = scf.for %k = %c0 to %size step %c1 iter_args(%acc = %start) -> (f64) {
      %y = memref.load %b[%j, %k] : memref<?x?xf64>
      %next = arith.addf %acc, %y : f64
      scf.yield %next : f64
    }
    memref.store %sum, %d[%p] : memref<?xf64>
  }
  return
}
