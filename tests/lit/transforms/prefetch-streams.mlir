// RUN: spc-opt %s -split-input-file -spc-prefetch-streams -canonicalize -cse | FileCheck %s

// Pieces of the rows, as the trial says; lines of both arrays half a page ahead, but none behind the last entry. The loop
// over rows of pieces without prefetches is as it was.
// CHECK-LABEL: func.func @spmv(
// CHECK-SAME:    %[[CRD:[a-z0-9]*]]: memref<?xi32> {spc.bind = #spc.bind<indices, "A", 1>}
// CHECK-SAME:    %[[A:[a-z0-9]*]]: memref<?xf64> {spc.bind = #spc.bind<values, "A">}
// CHECK-SAME:    %[[BEGIN:[a-z0-9]*]]: index {spc.bind = #spc.bind<begin, "m">}, %[[END:[a-z0-9]*]]: index {{.*}}, %[[TRIAL:[a-z0-9]*]]: !llvm.ptr
// CHECK:         %[[LOOK:.*]]:2 = scf.if
// CHECK:         %[[LENGTH:.*]] = llvm.load %[[TRIAL]]
// CHECK:         scf.for %[[FIRST:.*]] = %[[BEGIN]] to %[[END]] step
// CHECK:           spc.begin_trial %[[TRIAL]] usually %false
// CHECK:           %[[WORTH:.*]] = arith.trunci
// CHECK:           scf.if %[[WORTH]] {
// CHECK:             scf.for %{{.*}} = %[[FIRST]] to
// CHECK:               scf.for %[[P:.*]] = %[[FROM:.*]] to %[[TO:.*]] step %c8
// CHECK-NEXT:            %[[LATER:.*]] = arith.addi %[[P]], %c256
// CHECK-NEXT:            %[[AT:.*]] = arith.minui %[[LATER]], %[[LOOK]]#0
// CHECK-DAG:             memref.prefetch %[[CRD]][%[[AT]]], read
// CHECK-DAG:             memref.prefetch %[[A]][%[[AT]]], read
// CHECK:               scf.for %{{.*}} = %[[FROM]] to %[[TO]] step %c1 iter_args
// CHECK:           } else {
// CHECK:             scf.for %{{.*}} = %[[FIRST]] to
// CHECK-NOT:           memref.prefetch
// CHECK:               scf.for %{{.*}} step %c1 iter_args
// CHECK:           spc.end_trial %[[TRIAL]]
func.func @spmv(%pos: memref<?xi32> {spc.bind = #spc.bind<pointers, "A", 1>}, %crd: memref<?xi32> {spc.bind = #spc.bind<indices, "A", 1>}, %a: memref<?xf64> {spc.bind = #spc.bind<values, "A">}, %x: memref<?xf64> {spc.bind = #spc.bind<values, "x">}, %y: memref<?xf64> {spc.bind = #spc.bind<values, "y">}, %begin: index {spc.bind = #spc.bind<begin, "m">}, %end: index {spc.bind = #spc.bind<end, "m">}, %trial: !llvm.ptr {spc.bind = #spc.bind<trial>}) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.for %i = %begin to %end step %c1 {
    %0 = memref.load %pos[%i] : memref<?xi32>
    %1 = arith.index_castui %0 : i32 to index
    %2 = arith.addi %i, %c1 : index
    %3 = memref.load %pos[%2] : memref<?xi32>
    %4 = arith.index_castui %3 : i32 to index
    %sum = scf.for %p = %1 to %4 step %c1 iter_args(%acc = %zero) -> (f64) {
      %5 = memref.load %crd[%p] : memref<?xi32>
      %6 = arith.index_castui %5 : i32 to index
      %7 = memref.load %a[%p] : memref<?xf64>
      %8 = memref.load %x[%6] : memref<?xf64>
      %9 = arith.mulf %7, %8 : f64
      %10 = arith.addf %acc, %9 : f64
      scf.yield %10 : f64
    }
    memref.store %sum, %y[%i] : memref<?xf64>
  }
  return
}

// -----

// Without a trial nothing says whether it pays.
// CHECK-LABEL: func.func @untried(
// CHECK-NOT:     memref.prefetch
func.func @untried(%pos: memref<?xi32> {spc.bind = #spc.bind<pointers, "A", 1>}, %crd: memref<?xi32> {spc.bind = #spc.bind<indices, "A", 1>}, %a: memref<?xf64> {spc.bind = #spc.bind<values, "A">}, %x: memref<?xf64> {spc.bind = #spc.bind<values, "x">}, %y: memref<?xf64> {spc.bind = #spc.bind<values, "y">}, %begin: index {spc.bind = #spc.bind<begin, "m">}, %end: index {spc.bind = #spc.bind<end, "m">}) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %0 = memref.load %pos[%i] : memref<?xi32>
    %1 = arith.index_castui %0 : i32 to index
    %2 = arith.addi %i, %c1 : index
    %3 = memref.load %pos[%2] : memref<?xi32>
    %4 = arith.index_castui %3 : i32 to index
    scf.for %p = %1 to %4 step %c1 {
      %5 = memref.load %crd[%p] : memref<?xi32>
      %6 = arith.index_castui %5 : i32 to index
      %7 = memref.load %a[%p] : memref<?xf64>
      %8 = memref.load %x[%6] : memref<?xf64>
      %9 = arith.mulf %7, %8 : f64
      memref.store %9, %y[%p] : memref<?xf64>
    }
  }
  return
}

// -----

// What is copied position by position leads nowhere.
// CHECK-LABEL: func.func @copied(
// CHECK-NOT:     memref.prefetch
func.func @copied(%pos: memref<?xi32> {spc.bind = #spc.bind<pointers, "A", 1>}, %a: memref<?xf64> {spc.bind = #spc.bind<values, "A">}, %y: memref<?xf64> {spc.bind = #spc.bind<values, "y">}, %begin: index {spc.bind = #spc.bind<begin, "m">}, %end: index {spc.bind = #spc.bind<end, "m">}, %trial: !llvm.ptr {spc.bind = #spc.bind<trial>}) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %0 = memref.load %pos[%i] : memref<?xi32>
    %1 = arith.index_castui %0 : i32 to index
    %2 = arith.addi %i, %c1 : index
    %3 = memref.load %pos[%2] : memref<?xi32>
    %4 = arith.index_castui %3 : i32 to index
    scf.for %p = %1 to %4 step %c1 {
      %7 = memref.load %a[%p] : memref<?xf64>
      memref.store %7, %y[%p] : memref<?xf64>
    }
  }
  return
}

// -----

// Half a page of the values, which take 16 bytes each, is 128 of them.
// CHECK-LABEL: func.func @complex(
// CHECK:           arith.addi %{{.*}}, %c128
// CHECK:           memref.prefetch
func.func @complex(%pos: memref<?xi32> {spc.bind = #spc.bind<pointers, "A", 1>}, %crd: memref<?xi32> {spc.bind = #spc.bind<indices, "A", 1>}, %a: memref<?xcomplex<f64>> {spc.bind = #spc.bind<values, "A">}, %x: memref<?xcomplex<f64>> {spc.bind = #spc.bind<values, "x">}, %y: memref<?xcomplex<f64>> {spc.bind = #spc.bind<values, "y">}, %begin: index {spc.bind = #spc.bind<begin, "m">}, %end: index {spc.bind = #spc.bind<end, "m">}, %trial: !llvm.ptr {spc.bind = #spc.bind<trial>}) {
  %c1 = arith.constant 1 : index
  %zero = complex.constant [0.0 : f64, 0.0 : f64] : complex<f64>
  scf.for %i = %begin to %end step %c1 {
    %0 = memref.load %pos[%i] : memref<?xi32>
    %1 = arith.index_castui %0 : i32 to index
    %2 = arith.addi %i, %c1 : index
    %3 = memref.load %pos[%2] : memref<?xi32>
    %4 = arith.index_castui %3 : i32 to index
    %sum = scf.for %p = %1 to %4 step %c1 iter_args(%acc = %zero) -> (complex<f64>) {
      %5 = memref.load %crd[%p] : memref<?xi32>
      %6 = arith.index_castui %5 : i32 to index
      %7 = memref.load %a[%p] : memref<?xcomplex<f64>>
      %8 = memref.load %x[%6] : memref<?xcomplex<f64>>
      %9 = complex.mul %7, %8 : complex<f64>
      %10 = complex.add %acc, %9 : complex<f64>
      scf.yield %10 : complex<f64>
    }
    memref.store %sum, %y[%i] : memref<?xcomplex<f64>>
  }
  return
}
