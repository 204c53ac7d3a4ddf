// RUN: spc-opt %s -spc-scale-rows -canonicalize -split-input-file -verify-diagnostics | FileCheck %s

// Row i of y is scaled behind its entries, by d(i) and by what is read for each column, where it has entries.
// CHECK-LABEL: func.func @spmm(
// CHECK-SAME:    %[[A:[a-z0-9]*]]: memref<?xf64>, %[[X:[a-z0-9]*]]: memref<?x?xf64>, %[[Y:[a-z0-9]*]]: memref<?x?xf64>, %[[D:[a-z0-9]*]]: memref<?xf64>, %[[Z:[a-z0-9]*]]: memref<?xf64>
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           %[[DI:.*]] = memref.load %[[D]][%[[I]]]
// CHECK:           scf.for %[[P:.*]] =
// CHECK:             scf.for
// CHECK:               %[[ENTRY:.*]] = memref.load %[[A]]
// CHECK:               %[[OTHER:.*]] = memref.load %[[X]]
// CHECK:               %[[PRODUCT:.*]] = arith.mulf %[[ENTRY]], %[[OTHER]]
// CHECK-NOT:           arith.mulf
// CHECK-NOT:           arith.divf
// CHECK:               arith.addf %{{.*}}, %[[PRODUCT]]
// CHECK:           %[[SOME:.*]] = arith.cmpi slt
// CHECK:           scf.if %[[SOME]]
// CHECK:             scf.for %[[K:.*]] =
// CHECK:               %[[SUM:.*]] = memref.load %[[Y]][%[[I]], %[[K]]]
// CHECK-DAG:           %[[SCALED:.*]] = arith.mulf %[[DI]], %[[SUM]]
// CHECK-DAG:           %[[ZK:.*]] = memref.load %[[Z]][%[[K]]]
// CHECK:               %[[TOTAL:.*]] = arith.divf %[[SCALED]], %[[ZK]]
// CHECK:               memref.store %[[TOTAL]], %[[Y]][%[[I]], %[[K]]]
func.func @spmm(%a: memref<?xf64>, %x: memref<?x?xf64>, %y: memref<?x?xf64>, %d: memref<?xf64>, %z: memref<?xf64>, %ends: memref<?xindex>, %at: memref<?xindex>, %m: index, %n: index) attributes {spc.nests = [#spc.nest<[<[["i", 1, 1]] in <"i">>, <[["j", 1, 1]] in <"j"> reduction = true>, <[["k", 1, 1]] in <"k">>] scaled = true>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    %di = memref.load %d[%i] : memref<?xf64>
    %next = arith.addi %i, %c1 : index
    %begin = memref.load %ends[%i] : memref<?xindex>
    %end = memref.load %ends[%next] : memref<?xindex>
    scf.for %p = %begin to %end step %c1 {
      %j = memref.load %at[%p] : memref<?xindex>
      scf.for %k = %c0 to %n step %c1 {
        %entry = memref.load %a[%p] : memref<?xf64>
        %other = memref.load %x[%j, %k] : memref<?x?xf64>
        %product = arith.mulf %entry, %other : f64
        %scaled = arith.mulf %di, %product : f64
        %zk = memref.load %z[%k] : memref<?xf64>
        %quotient = arith.divf %scaled, %zk : f64
        %before = memref.load %y[%i, %k] : memref<?x?xf64>
        %after = arith.addf %before, %quotient : f64
        memref.store %after, %y[%i, %k] : memref<?x?xf64>
      } {spc.place = #spc.place<0, 2>}
    } {spc.place = #spc.place<0, 1>}
  } {spc.place = #spc.place<0, 0>}
  return
}

// -----

// A nest that nobody has said this of stays as it is.
// CHECK-LABEL: func.func @plain(
// CHECK:         arith.mulf
// CHECK:         arith.mulf
// CHECK-NOT:     scf.if
func.func @plain(%a: memref<?xf64>, %y: memref<?xf64>, %d: f64, %m: index, %n: index) attributes {spc.nests = [#spc.nest<[<[["j", 1, 1]] in <"j"> reduction = true>, <[["k", 1, 1]] in <"k">>]>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %m step %c1 {
    scf.for %k = %c0 to %n step %c1 {
      %entry = memref.load %a[%p] : memref<?xf64>
      %square = arith.mulf %entry, %entry : f64
      %scaled = arith.mulf %d, %square : f64
      %before = memref.load %y[%k] : memref<?xf64>
      %after = arith.addf %before, %scaled : f64
      memref.store %after, %y[%k] : memref<?xf64>
    } {spc.place = #spc.place<0, 1>}
  } {spc.place = #spc.place<0, 0>}
  return
}

// -----

// What cannot be done as it is planned is an error, no other result.
func.func @scatter(%a: memref<?xf64>, %y: memref<?xf64>, %d: memref<?xf64>, %at: memref<?xindex>, %m: index) attributes {spc.nests = [#spc.nest<[<[["j", 1, 1]] in <"j"> reduction = true>] scaled = true>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{is planned to be scaled behind its iterations, and is no sum that can be}}
  scf.for %p = %c0 to %m step %c1 {
    %i = memref.load %at[%p] : memref<?xindex>
    %entry = memref.load %a[%p] : memref<?xf64>
    %di = memref.load %d[%i] : memref<?xf64>
    %scaled = arith.mulf %di, %entry : f64
    %before = memref.load %y[%i] : memref<?xf64>
    %after = arith.addf %before, %scaled : f64
    memref.store %after, %y[%i] : memref<?xf64>
  } {spc.place = #spc.place<0, 0>}
  return
}
