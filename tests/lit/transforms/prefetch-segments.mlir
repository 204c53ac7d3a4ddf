// RUN: spc-opt %s -spc-prefetch-segments | FileCheck %s

// Rows that a list names: the pointer of the sixteenth row from here on, and the entries of the eighth.
// CHECK-LABEL: func.func @listed(
// CHECK-SAME:    %[[M:[a-z0-9]+]]: index, %[[LIST:[a-z0-9]+]]: memref<?xi32>, %[[POINTERS:[a-z0-9]+]]: memref<?xi32>, %[[A:[a-z0-9]+]]: memref<?xf64>
// CHECK:         %[[LAST:.*]] = arith.subi %[[M]], %c1
// CHECK:         scf.for %[[I:.*]] = %c0 to %[[M]]
// CHECK:           %[[FAR:.*]] = arith.addi %[[I]], %c16
// CHECK:           %[[INSIDE:.*]] = arith.minsi %[[FAR]], %[[LAST]]
// CHECK:           %[[ROW:.*]] = memref.load %[[LIST]][%[[INSIDE]]]
// CHECK:           memref.prefetch %[[POINTERS]]
// CHECK:           arith.addi %[[I]], %c8
// CHECK:           memref.load %[[LIST]]
// CHECK:           memref.load %[[POINTERS]]
// CHECK-COUNT-2:   memref.prefetch %[[A]]
// CHECK:           scf.for
func.func @listed(%m: index, %list: memref<?xi32>, %pointers: memref<?xi32>, %a: memref<?xf64>, %y: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    %0 = memref.load %list[%i] : memref<?xi32>
    %row = arith.index_cast %0 : i32 to index
    %1 = memref.load %pointers[%row] : memref<?xi32>
    %first = arith.index_cast %1 : i32 to index
    %next = arith.addi %row, %c1 : index
    %2 = memref.load %pointers[%next] : memref<?xi32>
    %last = arith.index_cast %2 : i32 to index
    scf.for %p = %first to %last step %c1 {
      %value = memref.load %a[%p] : memref<?xf64>
      memref.store %value, %y[%p] : memref<?xf64>
    }
  }
  return
}

// Rows in order are foreseen.
// CHECK-LABEL: func.func @in_order(
// CHECK-NOT:     memref.prefetch
// CHECK:         return
func.func @in_order(%m: index, %pointers: memref<?xi32>, %a: memref<?xf64>, %y: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    %1 = memref.load %pointers[%i] : memref<?xi32>
    %first = arith.index_cast %1 : i32 to index
    %next = arith.addi %i, %c1 : index
    %2 = memref.load %pointers[%next] : memref<?xi32>
    %last = arith.index_cast %2 : i32 to index
    scf.for %p = %first to %last step %c1 {
      %value = memref.load %a[%p] : memref<?xf64>
      memref.store %value, %y[%p] : memref<?xf64>
    }
  }
  return
}
