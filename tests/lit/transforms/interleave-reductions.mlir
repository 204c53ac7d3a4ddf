// RUN: spc-opt %s -split-input-file -spc-interleave-reductions -canonicalize -cse | FileCheck %s

// A loop as it is for short segments, four chains for longer ones; long ones are left to LLVM as they were.
// CHECK-LABEL: func.func @dot(
// CHECK-SAME:    %[[CRD:[a-z0-9]*]]: memref<?xindex>, %[[VAL:[a-z0-9]*]]: memref<?xf64>, %[[X:[a-z0-9]*]]: memref<?xf64>, %[[FROM:[a-z0-9]*]]: index, %[[TO:[a-z0-9]*]]: index
// CHECK:         %[[LENGTH:.*]] = arith.subi %[[TO]], %[[FROM]]
// CHECK:         %[[SHORT:.*]] = arith.cmpi slt, %[[LENGTH]], %c6
// CHECK:         scf.if %[[SHORT]]
// CHECK:           scf.for %{{.*}} = %[[FROM]] to %[[TO]] step %c1
// CHECK:           {loop_annotation
// CHECK:         } else {
// CHECK:           %[[MIDDLING:.*]] = arith.cmpi slt, %[[LENGTH]], %c32
// CHECK:           scf.if %[[MIDDLING]]
// CHECK:             %[[MIDDLE:.*]] = arith.maxsi
// CHECK:             %[[SUMS:.*]]:4 = scf.for %{{.*}} = %[[FROM]] to %[[MIDDLE]] step %c4
// CHECK-COUNT-4:       arith.addf
// CHECK:             {loop_annotation = {{.*}}, spc.leaves_rest}
// CHECK:             arith.addf %[[SUMS]]#0, %[[SUMS]]#2
// CHECK:             arith.addf %[[SUMS]]#1, %[[SUMS]]#3
// CHECK:             scf.for %{{.*}} = %[[MIDDLE]] to %[[TO]] step %c1
// CHECK:             {loop_annotation
// CHECK:           } else {
// CHECK:             scf.for %{{.*}} = %[[FROM]] to %[[TO]] step %c1
// CHECK-NOT:         loop_annotation
// CHECK:         return
func.func @dot(%crd: memref<?xindex>, %val: memref<?xf64>, %x: memref<?xf64>, %from: index, %to: index) -> f64 {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %sum = scf.for %p = %from to %to step %c1 iter_args(%acc = %zero) -> (f64) {
    %j = memref.load %crd[%p] : memref<?xindex>
    %a = memref.load %val[%p] : memref<?xf64>
    %b = memref.load %x[%j] : memref<?xf64>
    %ab = arith.mulf %a, %b : f64
    %next = arith.addf %acc, %ab : f64
    scf.yield %next : f64
  }
  return %sum : f64
}

// -----

// Fibers, two levels below the rows, are short: chains from four entries on.
// CHECK-LABEL: func.func @fibers(
// CHECK:         arith.cmpi slt, %{{.*}}, %c4
// CHECK:         arith.cmpi slt, %{{.*}}, %c32
func.func @fibers(%rows: memref<?xindex>, %fibers: memref<?xindex>, %crd: memref<?xindex>, %val: memref<?xf64>, %x: memref<?xf64>, %y: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %n step %c1 {
    %i1 = arith.addi %i, %c1 : index
    %first = memref.load %rows[%i] : memref<?xindex>
    %last = memref.load %rows[%i1] : memref<?xindex>
    scf.for %f = %first to %last step %c1 {
      %f1 = arith.addi %f, %c1 : index
      %from = memref.load %fibers[%f] : memref<?xindex>
      %to = memref.load %fibers[%f1] : memref<?xindex>
      %sum = scf.for %p = %from to %to step %c1 iter_args(%acc = %zero) -> (f64) {
        %j = memref.load %crd[%p] : memref<?xindex>
        %a = memref.load %val[%p] : memref<?xf64>
        %b = memref.load %x[%j] : memref<?xf64>
        %ab = arith.mulf %a, %b : f64
        %next = arith.addf %acc, %ab : f64
        scf.yield %next : f64
      }
      memref.store %sum, %y[%f] : memref<?xf64>
    }
  }
  return
}

// -----

// Two vectors a sum: two chains, four entries at once, where there are so many entries that neighbours' sums do not hide the latency.
// The list of values is prefetched 1024 bytes ahead.
// CHECK-LABEL: func.func @tile(
// CHECK-SAME:    %[[VAL:[a-z0-9]*]]: memref<?xf64>, %{{.*}}, %[[FROM:[a-z0-9]*]]: index, %[[TO:[a-z0-9]*]]: index)
// CHECK:         %[[LENGTH:.*]] = arith.subi %[[TO]], %[[FROM]]
// CHECK:         %[[LONG:.*]] = arith.cmpi sge, %[[LENGTH]], %c8
// CHECK:         %[[DONE:.*]]:3 = scf.if %[[LONG]]
// CHECK:           %[[MIDDLE:.*]] = arith.maxsi
// CHECK:           %[[SUMS:.*]]:4 = scf.for %[[P:.*]] = %[[FROM]] to %[[MIDDLE]] step %c4 iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[C:.*]] = %{{.*}}, %[[D:.*]] = %{{.*}}) -> (vector<4xf64>, vector<4xf64>, vector<4xf64>, vector<4xf64>)
// CHECK:             %[[LATER:.*]] = arith.addi %[[P]], %c128
// CHECK:             memref.prefetch %[[VAL]][%[[LATER]]], read
// CHECK-NOT:         memref.prefetch
// CHECK:             %[[A1:.*]] = arith.addf %[[A]]
// CHECK:             %[[B1:.*]] = arith.addf %[[B]]
// CHECK:             %[[C1:.*]] = arith.addf %[[C]]
// CHECK:             %[[D1:.*]] = arith.addf %[[D]]
// CHECK:             arith.addf %[[A1]]
// CHECK:             arith.addf %[[B1]]
// CHECK:             arith.addf %[[C1]]
// CHECK:             arith.addf %[[D1]]
// CHECK:           arith.addf %[[SUMS]]#0, %[[SUMS]]#2
// CHECK:           arith.addf %[[SUMS]]#1, %[[SUMS]]#3
// CHECK:           scf.yield %[[MIDDLE]]
// CHECK:         } else {
// CHECK:           scf.yield %[[FROM]]
// CHECK:         scf.for %{{.*}} = %[[DONE]]#0 to %[[TO]] step %c1 iter_args(%{{.*}} = %[[DONE]]#1, %{{.*}} = %[[DONE]]#2)
func.func @tile(%val: memref<?xf64>, %b: memref<?x8xf64>, %from: index, %to: index) -> (vector<4xf64>, vector<4xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : vector<4xf64>
  %sums:2 = scf.for %p = %from to %to step %c1 iter_args(%s = %zero, %t = %zero) -> (vector<4xf64>, vector<4xf64>) {
    %a = memref.load %val[%p] : memref<?xf64>
    %v = vector.broadcast %a : f64 to vector<4xf64>
    %x = vector.load %b[%p, %c0] : memref<?x8xf64>, vector<4xf64>
    %y = vector.load %b[%p, %c4] : memref<?x8xf64>, vector<4xf64>
    %vx = arith.mulf %v, %x : vector<4xf64>
    %vy = arith.mulf %v, %y : vector<4xf64>
    %sx = arith.addf %s, %vx : vector<4xf64>
    %ty = arith.addf %t, %vy : vector<4xf64>
    scf.yield %sx, %ty : vector<4xf64>, vector<4xf64>
  }
  return %sums#0, %sums#1 : vector<4xf64>, vector<4xf64>
}

// -----

// A schedule forbids prefetches.
// CHECK-LABEL: func.func @unfetched(
// CHECK:         scf.for {{.*}} step %c4
// CHECK-NOT:     memref.prefetch
func.func @unfetched(%val: memref<?xf64>, %b: memref<?x4xf64>, %from: index, %to: index) -> vector<4xf64> attributes {spc.schedule = #spc.schedule<prefetch = 0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : vector<4xf64>
  %sum = scf.for %p = %from to %to step %c1 iter_args(%s = %zero) -> (vector<4xf64>) {
    %a = memref.load %val[%p] : memref<?xf64>
    %v = vector.broadcast %a : f64 to vector<4xf64>
    %x = vector.load %b[%p, %c0] : memref<?x4xf64>, vector<4xf64>
    %vx = arith.mulf %v, %x : vector<4xf64>
    %next = arith.addf %s, %vx : vector<4xf64>
    scf.yield %next : vector<4xf64>
  }
  return %sum : vector<4xf64>
}

// -----

// What is carried is not only added to.
// CHECK-LABEL: func.func @product(
// CHECK:         scf.for {{.*}} step %c1
// CHECK-NOT:     scf.for
func.func @product(%crd: memref<?xindex>, %x: memref<?xf64>, %from: index, %to: index) -> f64 {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  %result = scf.for %p = %from to %to step %c1 iter_args(%acc = %one) -> (f64) {
    %j = memref.load %crd[%p] : memref<?xindex>
    %b = memref.load %x[%j] : memref<?xf64>
    %next = arith.mulf %acc, %b : f64
    scf.yield %next : f64
  }
  return %result : f64
}
