// RUN: spc-opt %s | spc-opt | FileCheck %s

#csr = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

// CHECK-LABEL: func.func @operands(
// CHECK-SAME:    #spc.tensor<"A" extents = [<"m">, <"n">] levels = [<>, <fixed = 3, isUnordered = true>] structure_of = "S">
// CHECK-SAME:    #spc.tensor<"X" extents = [<"n">, <"k">] modes = [1, 0]>
// CHECK-SAME:    #spc.tensor<"v" extents = [<"n">] strided = true>
// CHECK-SAME:    f64 {spc.tensor = #spc.tensor<"alpha">}
// CHECK-SAME:    memref<?xi32> {spc.ascends = #spc.extent<"m">, spc.bind = #spc.bind<indices, "B", 0>}
func.func @operands(%a: tensor<?x?xf64, #csr> {spc.tensor = #spc.tensor<"A" extents = [<"m">, <"n">]
                        levels = [<>, <fixed = 3, isUnordered = true>] structure_of = "S">},
                    %x: tensor<?x?xf64> {spc.tensor = #spc.tensor<"X" extents = [<"n">, <"k">] modes = [1, 0]>},
                    %v: tensor<?xf64> {spc.tensor = #spc.tensor<"v" extents = [<"n">] strided = true>},
                    %alpha: f64 {spc.tensor = #spc.tensor<"alpha">},
                    %i: memref<?xi32> {spc.bind = #spc.bind<indices, "B", 0>, spc.ascends = #spc.extent<"m">}) {
  return
}

// CHECK-LABEL: func.func @outputs(
// CHECK-SAME:    #spc.tensor<"D" extents = [<"m" by 4>, <"n">] pattern_of = "S" padded = true identity = 0x7FF0000000000000 : f64>
// CHECK-SAME:    #spc.tensor<"C" extents = [<"m">, <"n">] run = <1, dims = [1, 0], rows = 1, key_bits = 32>>
func.func @outputs(%d: tensor<?x?xf64> {spc.tensor = #spc.tensor<"D" extents = [<"m" by 4>, <"n">] pattern_of = "S"
                       padded = true identity = 0x7FF0000000000000 : f64>},
                   %c: tensor<?x?xf64> {spc.tensor = #spc.tensor<"C" extents = [<"m">, <"n">]
                       run = <1, dims = [1, 0], rows = 1, key_bits = 32>>}) {
  return
}
