// RUN: spc-opt %s | spc-opt | FileCheck %s

// CHECK-LABEL: func.func @merge(
// CHECK-SAME:    spc.nests = [#spc.nest<[<{{\[\[}}"i", 1, 1]] in <"m"> row = true divided = true>, <{{\[\[}}"j", 4, 2]] in <"n" by 4> lists = ["A", "B"] beyond = true reduction = true>]>, #spc.nest<>]
func.func @merge(%m: index, %a: index, %b: index)
    attributes {spc.nests = [#spc.nest<[<[["i", 1, 1]] in <"m"> row = true divided = true>,
                                        <[["j", 4, 2]] in <"n" by 4> lists = ["A", "B"] beyond = true reduction = true>]>,
                             #spc.nest<>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    %rest = scf.while (%p = %c0) : (index) -> index {
      %open = arith.cmpi ult, %p, %a : index
      scf.condition(%open) %p : index
    } do {
    ^bb0(%p: index):
      %next = arith.addi %p, %c1 : index
      scf.yield %next : index
    // CHECK: attributes {spc.place = #spc.place<0, 1>}
    } attributes {spc.place = #spc.place<0, 1>}
    // Both are parts of one loop of the plan.
    scf.for %p = %rest to %b step %c1 {
    // CHECK: {spc.place = #spc.place<0, 1>}
    } {spc.place = #spc.place<0, 1>}
  // CHECK: {spc.place = #spc.place<0, 0>}
  } {spc.place = #spc.place<0, 0>}
  return
}
