// RUN: spc-opt %s | spc-opt | FileCheck %s

// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    attributes {spc.chunks = #spc.chunks<items = <size, "m" by 4> root = "A" tensors = ["A", "B"] extents = [<"n">, <"k" by 2>] work = 64>,
// CHECK-SAME:    spc.schedule = #spc.schedule<tile = 16, unroll = 2, prefetch = 0, chunk = 64, parallel = "i">}
func.func @rows(%begin: index {spc.bind = #spc.bind<begin, "m" by 4>}, %end: index {spc.bind = #spc.bind<end, "m" by 4>})
    attributes {spc.chunks = #spc.chunks<items = <size, "m" by 4> root = "A" tensors = ["A", "B"]
                                         extents = [<"n">, <"k" by 2>] work = 64>,
                spc.schedule = #spc.schedule<tile = 16, unroll = 2, prefetch = 0, chunk = 64, parallel = "i">} {
  return
}

// CHECK-LABEL: func.func @positions(
// CHECK-SAME:    attributes {spc.chunks = #spc.chunks<items = <count, "A", 0> copies = "y" zeroed = true>, spc.pattern_only}
func.func @positions(%y: memref<?xf64> {spc.bind = #spc.bind<values, "y">},
                     %begin: index {spc.bind = #spc.bind<begin, "A", 0>}, %end: index {spc.bind = #spc.bind<end, "A", 0>})
    attributes {spc.chunks = #spc.chunks<items = <count, "A", 0> copies = "y" zeroed = true>, spc.pattern_only} {
  return
}
