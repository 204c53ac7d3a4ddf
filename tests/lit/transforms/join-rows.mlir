// RUN: spc-opt %s -spc-join-rows | FileCheck %s

// Lists of rows adjoin: one loop goes through all of them. Without rows no pointer is read.
// CHECK-LABEL: func.func @lists(
// CHECK-SAME:      %[[POINTERS:.*]]: memref<?xi32>, %[[VALUES:.*]]: memref<?xf64>, %[[BEGIN:.*]]: index, %[[END:.*]]: index
// CHECK:         %[[ANY:.*]] = arith.cmpi ult, %[[BEGIN]], %[[END]]
// CHECK:         %[[BOUNDS:.*]]:2 = scf.if %[[ANY]]
// CHECK:           memref.load %[[POINTERS]][%[[BEGIN]]]
// CHECK:           memref.load %[[POINTERS]][%[[END]]]
// CHECK:         %[[SUM:.*]] = scf.for %[[P:.*]] = %[[BOUNDS]]#0 to %[[BOUNDS]]#1 {{.*}} iter_args(%[[OLD:.*]] =
// CHECK-NEXT:      %[[VALUE:.*]] = memref.load %[[VALUES]][%[[P]]]
// CHECK-NEXT:      arith.addf %[[OLD]], %[[VALUE]]
// CHECK-NOT:     scf.for
// CHECK:         return %[[SUM]]
func.func @lists(%pointers: memref<?xi32>, %values: memref<?xf64>, %begin: index, %end: index) -> f64 {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %all = scf.for %i = %begin to %end step %c1 iter_args(%sum = %zero) -> f64 {
    %first = memref.load %pointers[%i] : memref<?xi32>
    %low = arith.index_cast %first : i32 to index
    %next = arith.addi %i, %c1 : index
    %last = memref.load %pointers[%next] : memref<?xi32>
    %high = arith.index_cast %last : i32 to index
    %row = scf.for %p = %low to %high step %c1 iter_args(%old = %sum) -> f64 {
      %value = memref.load %values[%p] : memref<?xf64>
      %new = arith.addf %old, %value : f64
      scf.yield %new : f64
    }
    scf.yield %row : f64
  }
  return %all : f64
}

// What depends on the row stays.
// CHECK-LABEL: func.func @scaled(
// CHECK:         scf.for
// CHECK:           scf.for
func.func @scaled(%pointers: memref<?xindex>, %values: memref<?xf64>, %x: memref<?xf64>, %s: memref<f64>, %rows: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %rows step %c1 {
    %low = memref.load %pointers[%i] : memref<?xindex>
    %next = arith.addi %i, %c1 : index
    %high = memref.load %pointers[%next] : memref<?xindex>
    %scale = memref.load %x[%i] : memref<?xf64>
    scf.for %p = %low to %high step %c1 {
      %value = memref.load %values[%p] : memref<?xf64>
      %product = arith.mulf %value, %scale : f64
      %old = memref.load %s[] : memref<f64>
      %new = arith.addf %old, %product : f64
      memref.store %new, %s[] : memref<f64>
    }
  }
  return
}

// Rows that do not adjoin, as those of lists with lengths, stay, and so do results by rows.
// CHECK-LABEL: func.func @apart(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:         scf.for
// CHECK:           scf.for
func.func @apart(%starts: memref<?xindex>, %ends: memref<?xindex>, %values: memref<?xf64>, %s: memref<f64>,
                 %y: memref<?xf64>, %rows: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %rows step %c1 {
    %low = memref.load %starts[%i] : memref<?xindex>
    %high = memref.load %ends[%i] : memref<?xindex>
    scf.for %p = %low to %high step %c1 {
      %value = memref.load %values[%p] : memref<?xf64>
      %old = memref.load %s[] : memref<f64>
      %new = arith.addf %old, %value : f64
      memref.store %new, %s[] : memref<f64>
    }
  }
  scf.for %i = %c0 to %rows step %c1 {
    %low = memref.load %starts[%i] : memref<?xindex>
    %next = arith.addi %i, %c1 : index
    %high = memref.load %starts[%next] : memref<?xindex>
    scf.for %p = %low to %high step %c1 {
      %value = memref.load %values[%p] : memref<?xf64>
      %old = memref.load %y[%i] : memref<?xf64>
      %new = arith.addf %old, %value : f64
      memref.store %new, %y[%i] : memref<?xf64>
    }
  }
  return
}

// Rows of arrays adjoin where their stride is their length.
// CHECK-LABEL: func.func @arrays(
// CHECK-SAME:      %[[A:.*]]: memref<?x?xf64, strided<[?, 1]>>, %[[B:.*]]: memref<?x?xf64>,
// CHECK:         memref.extract_strided_metadata %[[A]]
// CHECK:         memref.extract_strided_metadata %[[B]]
// CHECK:         scf.if
// CHECK:           %[[FIRST:.*]] = arith.muli
// CHECK:           %[[END:.*]] = arith.muli
// CHECK:           memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%[[END]]], strides: [1]
// CHECK:           memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%[[END]]], strides: [1]
// CHECK:           scf.for %{{.*}} = %[[FIRST]] to %[[END]]
// CHECK-NOT:         scf.for
// CHECK:         } else {
// CHECK:           scf.for
// CHECK:             scf.for
func.func @arrays(%a: memref<?x?xf64, strided<[?, 1]>>, %b: memref<?x?xf64>, %s: memref<f64>, %rows: index, %columns: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %c = %c0 to %columns step %c1 {
      %one = memref.load %a[%i, %c] : memref<?x?xf64, strided<[?, 1]>>
      %two = memref.load %b[%i, %c] : memref<?x?xf64>
      %product = arith.mulf %one, %two : f64
      %old = memref.load %s[] : memref<f64>
      %new = arith.addf %old, %product : f64
      memref.store %new, %s[] : memref<f64>
    }
  }
  return
}

// A length that is read is still that of a row.
// CHECK-LABEL: func.func @means(
// CHECK-SAME:      %[[LENGTH:[a-z0-9]*]]: index) {
// CHECK:         scf.if
// CHECK:           scf.for
// CHECK:             arith.index_cast %[[LENGTH]]
// CHECK:         } else {
func.func @means(%a: memref<?x?xf64>, %s: memref<f64>, %rows: index, %columns: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %c = %c0 to %columns step %c1 {
      %one = memref.load %a[%i, %c] : memref<?x?xf64>
      %length = arith.index_cast %columns : index to i64
      %number = arith.sitofp %length : i64 to f64
      %mean = arith.divf %one, %number : f64
      %old = memref.load %s[] : memref<f64>
      %new = arith.addf %old, %mean : f64
      memref.store %new, %s[] : memref<f64>
    }
  }
  return
}
