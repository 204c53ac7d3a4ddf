// RUN: spc-opt %s -allow-unregistered-dialect | spc-opt -allow-unregistered-dialect | FileCheck %s

// Whatever a level may say.
// CHECK-LABEL: func.func @levels(
// CHECK-SAME:    #spc.level<>,
// CHECK-SAME:    #spc.level<fixed = 3>,
// CHECK-SAME:    #spc.level<width = <width, "A", 1>>,
// CHECK-SAME:    #spc.level<closed = <0, -1, 1>, extent = <"n">, parents = <"m">, start = <0, 1, 0>, isImplicit = true>,
// CHECK-SAME:    #spc.level<field = 0, fields = 2>,
// CHECK-SAME:    #spc.level<isSigned = true, isUnordered = true>]
func.func @levels(%a: index {test.levels = [
    #spc.level<>, #spc.level<fixed = 3>, #spc.level<width = <width, "A", 1>>,
    #spc.level<closed = <0, -1, 1>, extent = <"n">, parents = <"m">, start = <0, 1, 0>, isImplicit = true>,
    #spc.level<field = 0, fields = 2>, #spc.level<isSigned = true, isUnordered = true>]}) {
  return
}
