// RUN: spc-opt %s -spc-compute-ties -canonicalize | FileCheck %s

#sparse = #sparse_tensor.encoding<{map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32}>

// A row's column comes from the equation, where it is one.
// CHECK-LABEL: func.func @shifted(
// CHECK-SAME:    %[[N:[a-z0-9]*]]: index {spc.bind = #spc.bind<size, "n">}
// CHECK:         scf.for %[[I:.*]] = %c0 to
// CHECK:           %[[COLUMN:.*]] = arith.subi %[[I]], %c-1
// CHECK:           %[[IS:.*]] = arith.cmpi ult, %[[COLUMN]], %[[N]]
// CHECK:           scf.if %[[IS]]
// CHECK:             memref.load %{{.*}}[%[[COLUMN]]]
// CHECK-NOT:     sparse_tensor.positions
func.func @shifted(%m: index, %x: memref<?xf64>, %y: memref<?xf64>,
                   %t: tensor<?x?xi8, #sparse> {spc.tensor = #spc.tensor<"t" extents = [<"m">, <"n">] levels = [<>, <>]
                                                             tie = <constant = 1, slope = 1>>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pos = sparse_tensor.positions %t {level = 1 : index} : tensor<?x?xi8, #sparse> to memref<?xi32>
  %crd = sparse_tensor.coordinates %t {level = 1 : index} : tensor<?x?xi8, #sparse> to memref<?xi32>
  scf.for %i = %c0 to %m step %c1 {
    %a = memref.load %pos[%i] : memref<?xi32>
    %b = arith.extui %a : i32 to i64
    %first = arith.index_cast %b : i64 to index
    %next = arith.addi %i, %c1 : index
    %c = memref.load %pos[%next] : memref<?xi32>
    %d = arith.extui %c : i32 to i64
    %end = arith.index_cast %d : i64 to index
    scf.for %p = %first to %end step %c1 {
      %e = memref.load %crd[%p] : memref<?xi32>
      %f = arith.extui %e : i32 to i64
      %j = arith.index_cast %f : i64 to index
      %value = memref.load %x[%j] : memref<?xf64>
      memref.store %value, %y[%i] : memref<?xf64>
    }
  }
  return
}

// Rows that have an entry each read it at their own places.
// CHECK-LABEL: func.func @listed(
// CHECK:         %[[LIST:.*]] = sparse_tensor.coordinates
// CHECK:         scf.for %[[I:.*]] = %c0 to
// CHECK-NOT:       scf.for
// CHECK:           memref.load %[[LIST]][%[[I]]]
func.func @listed(%m: index, %x: memref<?xf64>, %y: memref<?xf64>,
                  %t: tensor<?x?xi8, #sparse> {spc.tensor = #spc.tensor<"t" extents = [<"m">, <"n">] levels = [<>, <>]
                                                            tie = <isListed = true, isTotal = true>>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pos = sparse_tensor.positions %t {level = 1 : index} : tensor<?x?xi8, #sparse> to memref<?xi32>
  %crd = sparse_tensor.coordinates %t {level = 1 : index} : tensor<?x?xi8, #sparse> to memref<?xi32>
  scf.for %i = %c0 to %m step %c1 {
    %a = memref.load %pos[%i] : memref<?xi32>
    %b = arith.extui %a : i32 to i64
    %first = arith.index_cast %b : i64 to index
    %next = arith.addi %i, %c1 : index
    %c = memref.load %pos[%next] : memref<?xi32>
    %d = arith.extui %c : i32 to i64
    %end = arith.index_cast %d : i64 to index
    scf.for %p = %first to %end step %c1 {
      %e = memref.load %crd[%p] : memref<?xi32>
      %f = arith.extui %e : i32 to i64
      %j = arith.index_cast %f : i64 to index
      %value = memref.load %x[%j] : memref<?xf64>
      memref.store %value, %y[%i] : memref<?xf64>
    }
  }
  return
}
