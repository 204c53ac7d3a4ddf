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

// A merge with a row's one column looks it up: halves of long segments, then a count of what is below it.
// CHECK-LABEL: func.func @sought(
// CHECK:         %[[VALUES:.*]] = sparse_tensor.values
// CHECK:         %[[CRD:.*]] = sparse_tensor.coordinates
// CHECK:         scf.for %[[I:.*]] = %c0 to
// CHECK:           %[[SUM:.*]] = memref.load %{{.*}}[%[[I]]]
// CHECK:           %[[FROM:.*]]:2 = scf.while
// CHECK:             arith.shrui
// CHECK:           %[[COUNT:.*]] = scf.for %{{.*}} = %[[FROM]]#0 to
// CHECK:             arith.extui %{{.*}} : i1 to i32
// CHECK:           %[[AT:.*]] = arith.addi %[[FROM]]#0
// CHECK:           scf.if
// CHECK:             memref.load %[[CRD]][%[[AT]]]
// CHECK:             arith.cmpi eq, %{{.*}}, %[[I]]
// CHECK:             scf.if
// CHECK:               memref.load %[[VALUES]][%[[AT]]]
// CHECK:               arith.addf %[[SUM]]
func.func @sought(%m: index, %y: memref<?xf64>,
                  %a: tensor<?x?xf64, #sparse> {spc.tensor = #spc.tensor<"A" extents = [<"m">, <"m">] levels = [<>, <>]>},
                  %t: tensor<?x?xi8, #sparse> {spc.tensor = #spc.tensor<"t" extents = [<"m">, <"m">] levels = [<>, <>]
                                                            tie = <slope = 1, isTotal = true>>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %values = sparse_tensor.values %a : tensor<?x?xf64, #sparse> to memref<?xf64>
  %apos = sparse_tensor.positions %a {level = 1 : index} : tensor<?x?xf64, #sparse> to memref<?xi32>
  %acrd = sparse_tensor.coordinates %a {level = 1 : index} : tensor<?x?xf64, #sparse> to memref<?xi32>
  %tpos = sparse_tensor.positions %t {level = 1 : index} : tensor<?x?xi8, #sparse> to memref<?xi32>
  %tcrd = sparse_tensor.coordinates %t {level = 1 : index} : tensor<?x?xi8, #sparse> to memref<?xi32>
  scf.for %i = %c0 to %m step %c1 {
    %old = memref.load %y[%i] : memref<?xf64>
    %next = arith.addi %i, %c1 : index
    %0 = memref.load %apos[%i] : memref<?xi32>
    %1 = arith.extui %0 : i32 to i64
    %afirst = arith.index_cast %1 : i64 to index
    %2 = memref.load %apos[%next] : memref<?xi32>
    %3 = arith.extui %2 : i32 to i64
    %aend = arith.index_cast %3 : i64 to index
    %4 = memref.load %tpos[%i] : memref<?xi32>
    %5 = arith.extui %4 : i32 to i64
    %tfirst = arith.index_cast %5 : i64 to index
    %6 = memref.load %tpos[%next] : memref<?xi32>
    %7 = arith.extui %6 : i32 to i64
    %tend = arith.index_cast %7 : i64 to index
    %sum:3 = scf.while (%p = %afirst, %q = %tfirst, %s = %old) : (index, index, f64) -> (index, index, f64) {
      %8 = arith.cmpi ult, %p, %aend : index
      %9 = arith.cmpi ult, %q, %tend : index
      %both = arith.andi %8, %9 : i1
      scf.condition(%both) %p, %q, %s : index, index, f64
    } do {
    ^bb0(%p: index, %q: index, %s: f64):
      %8 = memref.load %acrd[%p] : memref<?xi32>
      %9 = arith.extui %8 : i32 to i64
      %j = arith.index_cast %9 : i64 to index
      %10 = memref.load %tcrd[%q] : memref<?xi32>
      %11 = arith.extui %10 : i32 to i64
      %k = arith.index_cast %11 : i64 to index
      %below = arith.cmpi ult, %k, %j : index
      %least = arith.select %below, %k, %j : index
      %of_a = arith.cmpi eq, %j, %least : index
      %of_t = arith.cmpi eq, %k, %least : index
      %all = arith.andi %of_a, %of_t : i1
      %more = scf.if %all -> (f64) {
        %v = memref.load %values[%p] : memref<?xf64>
        %12 = arith.addf %s, %v : f64
        scf.yield %12 : f64
      } else {
        scf.yield %s : f64
      }
      %p1 = arith.addi %p, %c1 : index
      %p2 = arith.select %of_a, %p1, %p : index
      %q1 = arith.addi %q, %c1 : index
      %q2 = arith.select %of_t, %q1, %q : index
      scf.yield %p2, %q2, %more : index, index, f64
    }
    memref.store %sum#2, %y[%i] : memref<?xf64>
  }
  return
}
