// RUN: spc-opt %s -split-input-file -spc-mask-gathers -canonicalize -cse | FileCheck %s

// Eight entries at once, of which a mask excludes those behind the segment's end, as loads and in the sum.
// CHECK-LABEL: func.func @dot(
// CHECK-SAME:    %[[CRD:[a-z0-9]*]]: memref<?xi32>, %[[VAL:[a-z0-9]*]]: memref<?xf64>, %[[X:[a-z0-9]*]]: memref<?xf64>, %[[FROM:[a-z0-9]*]]: index, %[[TO:[a-z0-9]*]]: index, %[[FIRST:[a-z0-9]*]]: f64
// CHECK-DAG:     %[[LANES:.*]] = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xindex>
// CHECK:         %[[SUMS:.*]] = scf.for %[[P:.*]] = %[[FROM]] to %[[TO]] step %c8 iter_args(%[[SUM:.*]] = %{{.*}}) -> (vector<8xf64>)
// CHECK:           %[[LEFT:.*]] = arith.subi %[[TO]], %[[P]]
// CHECK:           %[[ALL:.*]] = vector.broadcast %[[LEFT]] : index to vector<8xindex>
// CHECK:           %[[MASK:.*]] = arith.cmpi sgt, %[[ALL]], %[[LANES]]
// CHECK:           %[[PLACES:.*]] = vector.maskedload %[[CRD]][%[[P]]], %[[MASK]]
// CHECK:           %[[J:.*]] = arith.index_cast %[[PLACES]] : vector<8xi32> to vector<8xindex>
// CHECK:           %[[A:.*]] = vector.maskedload %[[VAL]][%[[P]]], %[[MASK]]
// CHECK:           %[[B:.*]] = vector.gather %[[X]][%c0] [%[[J]]], %[[MASK]]
// CHECK:           %[[AB:.*]] = arith.mulf %[[A]], %[[B]] : vector<8xf64>
// CHECK:           %[[NEXT:.*]] = arith.addf %[[SUM]], %[[AB]] : vector<8xf64>
// CHECK:           %[[KEPT:.*]] = arith.select %[[MASK]], %[[NEXT]], %[[SUM]]
// CHECK:           scf.yield %[[KEPT]]
// CHECK:         vector.reduction <add>, %[[SUMS]], %[[FIRST]]
func.func @dot(%crd: memref<?xi32>, %val: memref<?xf64>, %x: memref<?xf64>, %from: index, %to: index, %first: f64) -> f64 {
  %c1 = arith.constant 1 : index
  %sum = scf.for %p = %from to %to step %c1 iter_args(%acc = %first) -> (f64) {
    %c = memref.load %crd[%p] : memref<?xi32>
    %j = arith.index_cast %c : i32 to index
    %a = memref.load %val[%p] : memref<?xf64>
    %b = memref.load %x[%j] : memref<?xf64>
    %ab = arith.mulf %a, %b : f64
    %next = arith.addf %acc, %ab : f64
    scf.yield %next : f64
  }
  return %sum : f64
}

// -----

// A column of a matrix is no vector: its elements lie a row apart. Nor are halves gathered.
// CHECK-LABEL: func.func @column(
// CHECK-NOT:     vector<
func.func @column(%crd: memref<?xindex>, %val: memref<?xf64>, %x: memref<?x?xf64>, %k: index, %from: index, %to: index) -> f64 {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %sum = scf.for %p = %from to %to step %c1 iter_args(%acc = %zero) -> (f64) {
    %j = memref.load %crd[%p] : memref<?xindex>
    %a = memref.load %val[%p] : memref<?xf64>
    %b = memref.load %x[%j, %k] : memref<?x?xf64>
    %ab = arith.mulf %a, %b : f64
    %next = arith.addf %acc, %ab : f64
    scf.yield %next : f64
  }
  return %sum : f64
}

// CHECK-LABEL: func.func @halves(
// CHECK-NOT:     vector<
func.func @halves(%crd: memref<?xindex>, %x: memref<?xf16>, %from: index, %to: index) -> f32 {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %p = %from to %to step %c1 iter_args(%acc = %zero) -> (f32) {
    %j = memref.load %crd[%p] : memref<?xindex>
    %b = memref.load %x[%j] : memref<?xf16>
    %wide = arith.extf %b : f16 to f32
    %next = arith.addf %acc, %wide : f32
    scf.yield %next : f32
  }
  return %sum : f32
}

// -----

// What is the same for all entries is read once, and what lies side by side is not gathered: this is LLVM's.
// CHECK-LABEL: func.func @row(
// CHECK-NOT:     vector<
func.func @row(%val: memref<?xf64>, %x: memref<?xf64>, %from: index, %to: index) -> f64 {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %sum = scf.for %p = %from to %to step %c1 iter_args(%acc = %zero) -> (f64) {
    %a = memref.load %val[%p] : memref<?xf64>
    %b = memref.load %x[%p] : memref<?xf64>
    %ab = arith.mulf %a, %b : f64
    %next = arith.addf %acc, %ab : f64
    scf.yield %next : f64
  }
  return %sum : f64
}

// -----

// Where few entries are in all rows, and not in those of one chunk alone, short segments are summed one by one: their branches
// are known from the calls before.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[ROWS:[a-z0-9]*]]: index {spc.bind = #spc.bind<size, "i">}, %[[POINTERS:[a-z0-9]*]]: memref<?xi32>
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           %[[LAST:.*]] = memref.load %[[POINTERS]][%[[ROWS]]]
// CHECK:           %[[BEHIND:.*]] = arith.index_castui %[[LAST]]
// CHECK:           %[[FIRST:.*]] = memref.load %[[POINTERS]][%c0]
// CHECK:           %[[FROM:.*]] = arith.index_castui %[[FIRST]]
// CHECK:           %[[COUNT:.*]] = arith.subi %[[BEHIND]], %[[FROM]]
// CHECK:           %[[LENGTH:.*]] = arith.subi
// CHECK:           %[[MANY:.*]] = arith.cmpi sge, %[[COUNT]], %c131072
// CHECK:           %[[LONG:.*]] = arith.cmpi sge, %[[LENGTH]], %c6
// CHECK:           %[[PAYS:.*]] = arith.ori %[[MANY]], %[[LONG]]
// CHECK:           scf.if %[[PAYS]] -> (f64) {
// CHECK:             vector.gather
// CHECK:             %[[DOT:.*]] = vector.reduction <add>
// CHECK-NEXT:        scf.yield %[[DOT]]
// CHECK-NEXT:      } else {
// CHECK-NEXT:        %[[SUM:.*]] = scf.for %{{.*}} step %c1 iter_args
// CHECK-NOT:         vector<
// CHECK:             loop_annotation
// CHECK-NEXT:        scf.yield %[[SUM]]
func.func @rows(%m: index {spc.bind = #spc.bind<size, "i">}, %pos: memref<?xi32> {spc.bind = #spc.bind<pointers, "A", 1>}, %crd: memref<?xi32>, %val: memref<?xf64>, %x: memref<?xf64>, %y: memref<?xf64>, %begin: index {spc.bind = #spc.bind<begin, "i">}, %end: index {spc.bind = #spc.bind<end, "i">}) attributes {spc.chunks = #spc.chunks<items = <size, "i"> tensors = ["A"]>} {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.for %i = %begin to %end step %c1 {
    %next_i = arith.addi %i, %c1 : index
    %first = memref.load %pos[%i] : memref<?xi32>
    %from = arith.index_cast %first : i32 to index
    %last = memref.load %pos[%next_i] : memref<?xi32>
    %to = arith.index_cast %last : i32 to index
    %sum = scf.for %p = %from to %to step %c1 iter_args(%acc = %zero) -> (f64) {
      %c = memref.load %crd[%p] : memref<?xi32>
      %j = arith.index_cast %c : i32 to index
      %a = memref.load %val[%p] : memref<?xf64>
      %b = memref.load %x[%j] : memref<?xf64>
      %ab = arith.mulf %a, %b : f64
      %next = arith.addf %acc, %ab : f64
      scf.yield %next : f64
    }
    memref.store %sum, %y[%i] : memref<?xf64>
  }
  return
}
