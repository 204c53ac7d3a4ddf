// RUN: spc-opt %s | spc-opt | FileCheck %s

// CHECK-LABEL: func.func @loops(
func.func @loops(%m: index {spc.bind = #spc.bind<size, "m">}, %count: index {spc.bind = #spc.bind<count, "A", 0>},
                 %x: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: {spc.row_loop = #spc.row_loop<rows, <size, "m">, <"m">>}
  scf.for %i = %c0 to %m step %c1 {
  } {spc.row_loop = #spc.row_loop<rows, <size, "m">, <"m">>}
  // CHECK: {spc.row_loop = #spc.row_loop<positions, <count, "A", 0>, <"m">>}
  scf.for %p = %c0 to %count step %c1 {
  } {spc.row_loop = #spc.row_loop<positions, <count, "A", 0>, <"m">>}
  // CHECK: {spc.clipped = array<i64: 0>}
  // CHECK: {spc.partial}
  scf.for %i = %c0 to %m step %c1 {
    %v = memref.load %x[%i] {spc.clipped = array<i64: 0>} : memref<?xf64>
  } {spc.partial}
  // CHECK: attributes {spc.row_loop = #spc.row_loop<segments, <count, "A", 0>>}
  %p, %last = scf.while (%p = %c0, %last = %c1) : (index, index) -> (index, index) {
    %open = arith.cmpi ult, %p, %count : index
    scf.condition(%open) %p, %last : index, index
  } do {
  ^bb0(%p: index, %last: index):
    scf.yield %last, %count : index, index
  } attributes {spc.row_loop = #spc.row_loop<segments, <count, "A", 0>>}
  return
}
