// RUN: spc-opt %s | spc-opt | FileCheck %s

// CHECK-LABEL: func.func @fields(
// CHECK-SAME:    memref<?xi32> {spc.bind = #spc.bind<pointers, "A", 1>}
// CHECK-SAME:    memref<?xi32> {spc.bind = #spc.bind<indices, "A", 0>}
// CHECK-SAME:    memref<?xi32> {spc.bind = #spc.bind<entries, "A">}
// CHECK-SAME:    !llvm.ptr {spc.bind = #spc.bind<values, "A">}
// CHECK-SAME:    index {spc.bind = #spc.bind<count, "A", 0>}
// CHECK-SAME:    i64 {spc.bind = #spc.bind<stored, "A">}
// CHECK-SAME:    index {spc.bind = #spc.bind<width, "A", 1>}
// CHECK-SAME:    index {spc.bind = #spc.bind<stride, "B", 0>}
// CHECK-SAME:    !llvm.ptr {spc.bind = #spc.bind<positions, "m" by 4>}
func.func @fields(%pointers: memref<?xi32> {spc.bind = #spc.bind<pointers, "A", 1>},
                  %indices: memref<?xi32> {spc.bind = #spc.bind<indices, "A", 0>},
                  %entries: memref<?xi32> {spc.bind = #spc.bind<entries, "A">},
                  %values: !llvm.ptr {spc.bind = #spc.bind<values, "A">},
                  %count: index {spc.bind = #spc.bind<count, "A", 0>},
                  %stored: i64 {spc.bind = #spc.bind<stored, "A">},
                  %width: index {spc.bind = #spc.bind<width, "A", 1>},
                  %stride: index {spc.bind = #spc.bind<stride, "B", 0>},
                  %positions: !llvm.ptr {spc.bind = #spc.bind<positions, "m" by 4>}) {
  return
}

// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    index {spc.bind = #spc.bind<size, "m">}
// CHECK-SAME:    index {spc.bind = #spc.bind<size, "m" by 4>}
// CHECK-SAME:    index {spc.bind = #spc.bind<begin, "m" by 4>}
// CHECK-SAME:    index {spc.bind = #spc.bind<end, "m" by 4>}
func.func @rows(%m: index {spc.bind = #spc.bind<size, "m">}, %blocks: index {spc.bind = #spc.bind<size, "m" by 4>},
                %begin: index {spc.bind = #spc.bind<begin, "m" by 4>},
                %end: index {spc.bind = #spc.bind<end, "m" by 4>}) {
  return
}

// A scalar may have any name.
// CHECK-LABEL: func.func @others(
// CHECK-SAME:    index {spc.bind = #spc.bind<begin, "A", 0>}
// CHECK-SAME:    !llvm.ptr {spc.bind = #spc.bind<assembly>}
// CHECK-SAME:    index {spc.bind = #spc.bind<chunk>}
// CHECK-SAME:    f64 {spc.bind = #spc.bind<scalar, "chunk">}
// CHECK-SAME:    complex<f32> {spc.bind = #spc.bind<scalar, "z">}
func.func @others(%begin: index {spc.bind = #spc.bind<begin, "A", 0>},
                  %assembly: !llvm.ptr {spc.bind = #spc.bind<assembly>}, %chunk: index {spc.bind = #spc.bind<chunk>},
                  %alpha: f64 {spc.bind = #spc.bind<scalar, "chunk">},
                  %z: complex<f32> {spc.bind = #spc.bind<scalar, "z">}) {
  return
}
