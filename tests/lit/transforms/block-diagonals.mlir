// RUN: spc-opt %s -split-input-file -spc-block-diagonals -canonicalize -cse | FileCheck %s

// All diagonals add to a block of rows before the next block is begun, which is filled right before.
// CHECK-LABEL: func.func @add(
// CHECK-SAME:    %[[Y:[a-z0-9]*]]: memref<?x?xf64>
// CHECK-SAME:    %[[COUNT:[a-z0-9]*]]: index {spc.bind = #spc.bind<count, "A", 0>}, %[[K:[a-z0-9]*]]: index, %[[M:[a-z0-9]*]]: index {spc.bind = #spc.bind<size, "m">}
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : index
// CHECK:         %[[BYTES:.*]] = arith.muli %[[K]], %[[C8]]
// CHECK:         %[[LEAST:.*]] = arith.maxui %[[BYTES]], %c1
// CHECK:         %[[FITTING:.*]] = arith.divui %c16384, %[[LEAST]]
// CHECK:         %[[ROWS:.*]] = arith.maxui %[[FITTING]], %c16
// CHECK:         scf.for %[[FIRST:.*]] = %[[C0]] to %[[M]] step %[[ROWS]] {
// CHECK:           %[[BEHIND:.*]] = arith.addi %[[FIRST]], %[[ROWS]]
// CHECK:           %[[LAST:.*]] = arith.minsi %[[BEHIND]], %[[M]]
// CHECK:           scf.for %{{.*}} = %[[FIRST]] to %[[LAST]] step
// CHECK:             scf.for
// CHECK:               memref.store
// CHECK:           scf.for %{{.*}} = %[[C0]] to %[[COUNT]]
// CHECK:             %[[FROM:.*]] = arith.maxsi %{{.*}}, %[[FIRST]]
// CHECK:             %[[TO:.*]] = arith.minsi %{{.*}}, %[[LAST]]
// CHECK:             scf.for %{{.*}} = %[[FROM]] to %[[TO]] step
func.func @add(%y: memref<?x?xf64>, %a: memref<?x?xf64>, %crd: memref<?xindex> {spc.bind = #spc.bind<indices, "A", 0>},
               %count: index {spc.bind = #spc.bind<count, "A", 0>}, %k: index, %m: index {spc.bind = #spc.bind<size, "m">},
               %n: index {spc.bind = #spc.bind<size, "n">})
    attributes {spc.nests = [#spc.nest<[<[["j", 1, 2]] lists = ["A"]>, <[["i", 1, 1], ["j", 1, 2]] in <"m"> divided = true>]>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %k step %c1 {
      memref.store %zero, %y[%i, %j] : memref<?x?xf64>
    }
  } {spc.row_loop = #spc.row_loop<rows, <size, "m">, <"m">>}
  scf.for %p = %c0 to %count step %c1 {
    %d = memref.load %crd[%p] : memref<?xindex>
    %before = arith.subi %c0, %d : index
    %first = arith.maxsi %before, %c0 : index
    %behind = arith.subi %n, %d : index
    %last = arith.minsi %m, %behind : index
    scf.for %i = %first to %last step %c1 {
      scf.for %j = %c0 to %k step %c1 {
        %old = memref.load %y[%i, %j] : memref<?x?xf64>
        %v = memref.load %a[%p, %i] : memref<?x?xf64>
        %new = arith.addf %old, %v : f64
        memref.store %new, %y[%i, %j] : memref<?x?xf64>
      }
    } {spc.place = #spc.place<0, 1>}
  } {spc.place = #spc.place<0, 0>, spc.row_loop = #spc.row_loop<positions, <count, "A", 0>>}
  return
}

// -----

// A number of 16 bytes.
// CHECK-LABEL: func.func @complex(
// CHECK:         scf.for %{{.*}} = %c0 to %{{.*}} step %c1024
func.func @complex(%y: memref<?xcomplex<f64>>, %a: memref<?x?xcomplex<f64>>,
                   %crd: memref<?xindex> {spc.bind = #spc.bind<indices, "A", 0>},
                   %count: index {spc.bind = #spc.bind<count, "A", 0>}, %m: index {spc.bind = #spc.bind<size, "m">})
    attributes {spc.nests = [#spc.nest<[<[["j", 1, 2]] lists = ["A"]>, <[["i", 1, 1], ["j", 1, 2]] in <"m"> divided = true>]>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %count step %c1 {
    %d = memref.load %crd[%p] : memref<?xindex>
    %before = arith.subi %c0, %d : index
    %first = arith.maxsi %before, %c0 : index
    %behind = arith.subi %m, %d : index
    %last = arith.minsi %m, %behind : index
    scf.for %i = %first to %last step %c1 {
      %v = memref.load %a[%p, %i] : memref<?x?xcomplex<f64>>
      memref.store %v, %y[%i] : memref<?xcomplex<f64>>
    } {spc.place = #spc.place<0, 1>}
  } {spc.place = #spc.place<0, 0>, spc.row_loop = #spc.row_loop<positions, <count, "A", 0>>}
  return
}

// -----

// Rows that read what other rows write stay as they are.
// CHECK-LABEL: func.func @neighbours(
// CHECK:         scf.for
// CHECK-NOT:       scf.for {{.*}} step %{{[0-9]}}
// CHECK:         spc.row_loop
func.func @neighbours(%y: memref<?xf64>, %crd: memref<?xindex> {spc.bind = #spc.bind<indices, "A", 0>},
                      %count: index {spc.bind = #spc.bind<count, "A", 0>},
                      %m: index {spc.bind = #spc.bind<size, "m">})
    attributes {spc.nests = [#spc.nest<[<[["j", 1, 2]] lists = ["A"]>, <[["i", 1, 1], ["j", 1, 2]] in <"m"> divided = true>]>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %count step %c1 {
    %d = memref.load %crd[%p] : memref<?xindex>
    %before = arith.subi %c0, %d : index
    %first = arith.maxsi %before, %c0 : index
    %behind = arith.subi %m, %d : index
    %last = arith.minsi %m, %behind : index
    scf.for %i = %first to %last step %c1 {
      %j = arith.addi %i, %d : index
      %v = memref.load %y[%j] : memref<?xf64>
      memref.store %v, %y[%i] : memref<?xf64>
    } {spc.place = #spc.place<0, 1>}
  } {spc.place = #spc.place<0, 0>, spc.row_loop = #spc.row_loop<positions, <count, "A", 0>>}
  return
}
