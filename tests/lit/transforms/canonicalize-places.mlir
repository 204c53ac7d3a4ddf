// RUN: spc-opt %s -canonicalize -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

// MLIR makes another loop of one with a result that nothing uses, and keeps what we know of it: passes rely on that.
// CHECK-LABEL: func.func @unused_result(
// CHECK:         scf.while (%{{[a-z0-9]*}} = %{{[a-z0-9_]*}}) : (index) -> index {
// CHECK:         } attributes {spc.place = #spc.place<0, 0>} loc("k.tex":1:8)
func.func @unused_result(%x: memref<?xf64>, %v: f64, %n: index)
    attributes {spc.nests = [#spc.nest<[<[["i", 1, 1]] in <"n"> lists = ["A"]>]>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end:2 = scf.while (%p = %c0) : (index) -> (index, index) {
    %open = arith.cmpi ult, %p, %n : index
    scf.condition(%open) %p, %n : index, index
  } do {
  ^bb0(%p: index, %unused: index):
    memref.store %v, %x[%p] : memref<?xf64>
    %next = arith.addi %p, %c1 : index
    scf.yield %next : index
  } attributes {spc.place = #spc.place<0, 0>} loc("k.tex":1:8)
  return
}
