// RUN: spc-opt %s -spc-factor-fibers | FileCheck %s

// Fibers are added up into a row on the stack, which is multiplied out behind them, where they have enough entries in the
// mean: entries * (q - 1) > fibers * (q + 2). Else the loop over q goes around the fibers.
// CHECK-LABEL: func.func @ttmc(
// CHECK:         %[[MEMORY:.*]] = memref.alloca() : memref<256xf64>
// CHECK:         scf.if %{{.*}} -> (i1) {
// CHECK:           %[[END:.*]] = memref.load
// CHECK:           %[[BEGIN:.*]] = memref.load
// CHECK:           %[[ENTRIES:.*]] = arith.subi %[[END]], %[[BEGIN]]
// CHECK:           %[[FIBERS:.*]] = arith.subi
// CHECK:           %[[FEWER:.*]] = arith.subi %[[USES:.*]], %c1
// CHECK:           %[[SAVED:.*]] = arith.muli %[[ENTRIES]], %[[FEWER]]
// CHECK:           %[[MORE:.*]] = arith.addi %[[USES]], %c2
// CHECK:           %[[TAKEN:.*]] = arith.muli %[[FIBERS]], %[[MORE]]
// CHECK:           arith.cmpi ugt, %[[SAVED]], %[[TAKEN]]
// CHECK:         scf.if
// CHECK:           scf.for %[[FIBER:.*]] = %{{.*}} {
// CHECK:             %[[B:.*]] = arith.cmpi ult
// CHECK:             scf.if %[[B]] {
// CHECK:               %[[ROW:.*]] = memref.cast %[[MEMORY]]
// CHECK:               scf.for
// CHECK:                 memref.store %{{.*}}, %[[ROW]]
// CHECK:               scf.for
// CHECK:                 scf.for %[[S:.*]] = %{{.*}} {
// CHECK:                   %[[C:.*]] = memref.load %{{.*}}[%{{.*}}, %[[S]]] : memref<?x?xf64>
// CHECK:                   %[[P:.*]] = arith.mulf %{{.*}}, %[[C]]
// CHECK:                   %[[OLD:.*]] = memref.load %[[ROW]][%[[S]]]
// CHECK:                   arith.addf %[[OLD]], %[[P]]
// CHECK:               scf.for %[[Q:.*]] = %{{.*}} {
// CHECK:                 %[[F:.*]] = memref.load %{{.*}}[%{{.*}}, %[[Q]]] : memref<?x?xf64>
// CHECK:                 scf.for %[[T:.*]] = %{{.*}} {
// CHECK:                   %[[SUM:.*]] = memref.load %[[ROW]][%[[T]]]
// CHECK:                   arith.mulf %[[F]], %[[SUM]]
// CHECK:                   memref.load %{{.*}}[%[[Q]], %[[T]]]
// CHECK:                   memref.store %{{.*}}, %{{.*}}[%[[Q]], %[[T]]]
// CHECK:         } else {
// CHECK:           scf.for %[[AROUND:.*]] = %c0
// CHECK:             scf.for
// CHECK:               scf.for
// CHECK:                 scf.for %[[U:.*]] = %c0
// CHECK:                   memref.store %{{.*}}, %{{.*}}[%[[AROUND]], %[[U]]]
func.func @ttmc(%m: index, %pointers: memref<?xindex>, %rows: memref<?xindex>, %columns: memref<?xindex>,
                %values: memref<?xf64>, %b: memref<?x?xf64>, %c: memref<?x?xf64>, %y: memref<?x?xf64>, %nq: index,
                %ns: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %m step %c1 {
    %j = memref.load %rows[%p] : memref<?xindex>
    %begin = memref.load %pointers[%p] : memref<?xindex>
    %next = arith.addi %p, %c1 : index
    %end = memref.load %pointers[%next] : memref<?xindex>
    scf.for %e = %begin to %end step %c1 {
      %k = memref.load %columns[%e] : memref<?xindex>
      %t = memref.load %values[%e] : memref<?xf64>
      scf.for %q = %c0 to %nq step %c1 {
        %f = memref.load %b[%j, %q] : memref<?x?xf64>
        %tf = arith.mulf %t, %f : f64
        scf.for %s = %c0 to %ns step %c1 {
          %old = memref.load %y[%q, %s] : memref<?x?xf64>
          %g = memref.load %c[%k, %s] : memref<?x?xf64>
          %product = arith.mulf %tf, %g : f64
          %sum = arith.addf %old, %product : f64
          memref.store %sum, %y[%q, %s] : memref<?x?xf64>
        }
      }
    }
  }
  return
}

// The factor of q changes with the entries.
// CHECK-LABEL: func.func @mixed(
// CHECK-NOT:     memref.alloca
func.func @mixed(%m: index, %pointers: memref<?xindex>, %columns: memref<?xindex>, %values: memref<?xf64>,
                 %b: memref<?x?xf64>, %c: memref<?x?xf64>, %y: memref<?x?xf64>, %nq: index, %ns: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %m step %c1 {
    %begin = memref.load %pointers[%p] : memref<?xindex>
    %next = arith.addi %p, %c1 : index
    %end = memref.load %pointers[%next] : memref<?xindex>
    scf.for %e = %begin to %end step %c1 {
      %k = memref.load %columns[%e] : memref<?xindex>
      %t = memref.load %values[%e] : memref<?xf64>
      scf.for %q = %c0 to %nq step %c1 {
        %f = memref.load %b[%k, %q] : memref<?x?xf64>
        %tf = arith.mulf %t, %f : f64
        scf.for %s = %c0 to %ns step %c1 {
          %old = memref.load %y[%q, %s] : memref<?x?xf64>
          %g = memref.load %c[%k, %s] : memref<?x?xf64>
          %product = arith.mulf %tf, %g : f64
          %sum = arith.addf %old, %product : f64
          memref.store %sum, %y[%q, %s] : memref<?x?xf64>
        }
      }
    }
  }
  return
}
