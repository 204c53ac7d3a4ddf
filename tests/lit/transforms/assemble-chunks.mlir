// RUN: spc-opt %s -spc-assemble | FileCheck %s

// Rows are collected in chunks where each run is one loop over all of them.

// Two terms, two runs of the same chunk; both loops get its bounds.
// CHECK-LABEL: func.func @two_runs(
// CHECK-SAME:    %[[BEGIN:[a-z0-9]*]]: index {spc.bind = #spc.bind<begin, "i">}
// CHECK-SAME:    %[[END:[a-z0-9]*]]: index {spc.bind = #spc.bind<end, "i">}
// CHECK:         spc.open_run %[[ASSEMBLY:.*]][%[[CHUNK:.*]]] number 0
// CHECK:           scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CHECK:         spc.open_run %[[ASSEMBLY]][%[[CHUNK]]] number 1
// CHECK:           scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
func.func @two_runs(%a: memref<?x?xf64> {spc.tensor = #spc.tensor<"A" extents = [<"i">, <"j">] run = <0, dims = [0, 1], rows = 1, key_bits = 32>>},
                    %b: memref<?x?xf64> {spc.tensor = #spc.tensor<"A" extents = [<"i">, <"j">] run = <1, dims = [0, 1], rows = 1, key_bits = 32>>},
                    %v: f64, %m: index {spc.bind = #spc.bind<size, "i">}, %n: index {spc.bind = #spc.bind<size, "j">})
    attributes {spc.nests = [#spc.nest<[<[["i", 1, 1]] in <"i"> row = true divided = true>, <[["j", 1, 1]] in <"j">>]>,
                             #spc.nest<[<[["i", 1, 1]] in <"i"> row = true divided = true>, <[["j", 1, 1]] in <"j">>]>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %old = memref.load %a[%i, %j] : memref<?x?xf64>
      %new = arith.addf %old, %v : f64
      memref.store %new, %a[%i, %j] : memref<?x?xf64>
    } {spc.place = #spc.place<0, 1>}
  } {spc.place = #spc.place<0, 0>}
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %old = memref.load %b[%i, %j] : memref<?x?xf64>
      %new = arith.addf %old, %v : f64
      memref.store %new, %b[%i, %j] : memref<?x?xf64>
    } {spc.place = #spc.place<1, 1>}
  } {spc.place = #spc.place<1, 0>}
  return
}

// Rows that are listed are no range to cut.
// CHECK-LABEL: func.func @listed_rows(
// CHECK-NOT:     #spc.bind<begin
// CHECK:         scf.for
// CHECK:           %[[I:.*]] = memref.load %{{.*}} : memref<?xindex>
// CHECK:           spc.end_row %{{.*}}(%[[I]])
// CHECK-NOT:       spc.row_loop
// CHECK:         return
func.func @listed_rows(%a: memref<?x?xf64> {spc.tensor = #spc.tensor<"A" extents = [<"i">, <"j">] run = <0, dims = [0, 1], rows = 1, key_bits = 32>>},
                       %indices: memref<?xindex>, %v: f64, %count: index {spc.bind = #spc.bind<count, "B", 0>},
                       %n: index {spc.bind = #spc.bind<size, "j">})
    attributes {spc.nests = [#spc.nest<[<[["i", 1, 1]] in <"i"> lists = ["B"] row = true divided = true>, <[["j", 1, 1]] in <"j">>]>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %count step %c1 {
    %i = memref.load %indices[%p] : memref<?xindex>
    scf.for %j = %c0 to %n step %c1 {
      %old = memref.load %a[%i, %j] : memref<?x?xf64>
      %new = arith.addf %old, %v : f64
      memref.store %new, %a[%i, %j] : memref<?x?xf64>
    } {spc.place = #spc.place<0, 1>}
  } {spc.place = #spc.place<0, 0>}
  return
}

// Nor are all rows, where another run lists its own: a chunk would hold some of the one and all of the other.
// CHECK-LABEL: func.func @one_listed(
// CHECK-NOT:     #spc.bind<begin
// CHECK-NOT:     spc.row_loop
// CHECK:         return
func.func @one_listed(%a: memref<?x?xf64> {spc.tensor = #spc.tensor<"A" extents = [<"i">, <"j">] run = <0, dims = [0, 1], rows = 1, key_bits = 32>>},
                      %b: memref<?x?xf64> {spc.tensor = #spc.tensor<"A" extents = [<"i">, <"j">] run = <1, dims = [0, 1], rows = 1, key_bits = 32>>},
                      %indices: memref<?xindex>, %v: f64, %count: index {spc.bind = #spc.bind<count, "B", 0>},
                      %m: index {spc.bind = #spc.bind<size, "i">}, %n: index {spc.bind = #spc.bind<size, "j">})
    attributes {spc.nests = [#spc.nest<[<[["i", 1, 1]] in <"i"> row = true divided = true>, <[["j", 1, 1]] in <"j">>]>,
                             #spc.nest<[<[["i", 1, 1]] in <"i"> lists = ["B"] row = true divided = true>, <[["j", 1, 1]] in <"j">>]>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %old = memref.load %a[%i, %j] : memref<?x?xf64>
      %new = arith.addf %old, %v : f64
      memref.store %new, %a[%i, %j] : memref<?x?xf64>
    } {spc.place = #spc.place<0, 1>}
  } {spc.place = #spc.place<0, 0>}
  scf.for %p = %c0 to %count step %c1 {
    %i = memref.load %indices[%p] : memref<?xindex>
    scf.for %j = %c0 to %n step %c1 {
      %old = memref.load %b[%i, %j] : memref<?x?xf64>
      %new = arith.addf %old, %v : f64
      memref.store %new, %b[%i, %j] : memref<?x?xf64>
    } {spc.place = #spc.place<1, 1>}
  } {spc.place = #spc.place<1, 0>}
  return
}
