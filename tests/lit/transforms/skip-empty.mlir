// RUN: spc-opt %s -spc-skip-empty -canonicalize -cse | FileCheck %s

// The loop that both nests share runs as ever, and that of the second one ends where it begins.
// CHECK-LABEL: func.func @shared(
// CHECK-SAME:    %[[M:[a-z0-9]*]]: index, %[[N:[a-z0-9]*]]: index, %{{[a-z0-9]*}}: memref<?xf64>, %[[K:[a-z0-9]*]]: index {spc.bind = #spc.bind<size, "k">})
// CHECK:         %[[SOME:.*]] = arith.cmpi ne, %[[K]], %c0
// CHECK:         scf.for %{{.*}} = %c0{{.*}} to %[[M]]
// CHECK:           scf.for %{{.*}} = %c0{{.*}} to %[[N]]
// CHECK:           %[[END:.*]] = arith.select %[[SOME]], %[[N]], %c0
// CHECK:           scf.for %{{.*}} = %c0{{.*}} to %[[END]]
func.func @shared(%m: index, %n: index, %y: memref<?xf64>)
    attributes {spc.nests = [#spc.nest<[<[["i", 1, 1]] in <"m">>, <[["j", 1, 1]] in <"n">>]>,
                             #spc.nest<[<[["i", 1, 1]] in <"m">>, <[["j", 1, 1]] in <"n">>] empty = [<"k">]>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      memref.store %one, %y[%j] : memref<?xf64>
    } {spc.place = #spc.place<0, 1>}
    scf.for %j = %c0 to %n step %c1 {
      %old = memref.load %y[%j] : memref<?xf64>
      %sum = arith.addf %old, %one : f64
      memref.store %sum, %y[%j] : memref<?xf64>
    } {spc.place = #spc.place<1, 1>}
  } {spc.place = #spc.place<0, 0>}
  return
}

// A merge ends before its first round; what is set is set to 0.
// CHECK-LABEL: func.func @merged(
// CHECK-SAME:    %[[L:[a-z0-9]*]]: index {spc.bind = #spc.bind<size, "l">}, %[[K:[a-z0-9]*]]: index {spc.bind = #spc.bind<size, "k">})
// CHECK-DAG:     %[[FIRST:.*]] = arith.cmpi ne, %[[K]], %c0
// CHECK-DAG:     %[[SECOND:.*]] = arith.cmpi ne, %[[L]], %c0
// CHECK:         %[[BOTH:.*]] = arith.andi %[[FIRST]], %[[SECOND]]
// CHECK:           %[[OPEN:.*]] = arith.cmpi ult
// CHECK:           %[[ON:.*]] = arith.andi %[[OPEN]], %[[BOTH]]
// CHECK:           scf.condition(%[[ON]])
// CHECK:           %[[SET:.*]] = arith.select %[[FIRST]], %{{.*}}, %{{.*}} : f64
// CHECK:           memref.store %[[SET]]
func.func @merged(%a: index, %y: memref<?xf64>, %l: index {spc.bind = #spc.bind<size, "l">})
    attributes {spc.nests = [#spc.nest<[<[["i", 1, 1]] in <"m"> lists = ["A"]>] empty = [<"k">, <"l">]>,
                             #spc.nest<[<[["i", 1, 1]] in <"m">>] empty = [<"k">] sets = true>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  %end = scf.while (%p = %c0) : (index) -> index {
    %open = arith.cmpi ult, %p, %a : index
    scf.condition(%open) %p : index
  } do {
  ^bb0(%p: index):
    memref.store %one, %y[%p] : memref<?xf64>
    %next = arith.addi %p, %c1 : index
    scf.yield %next : index
  } attributes {spc.place = #spc.place<0, 0>}
  scf.for %i = %c0 to %a step %c1 {
    memref.store %one, %y[%i] : memref<?xf64>
  } {spc.place = #spc.place<1, 0>}
  return
}
