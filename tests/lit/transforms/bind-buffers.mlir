// RUN: spc-opt %s -spc-bind-buffers | FileCheck %s

// CHECK-LABEL: func.func @body(
// CHECK-SAME:    %[[A:[a-z0-9]*]]: !llvm.ptr {llvm.noalias, spc.bind = #spc.bind<pointers, "A", 1>}
// CHECK-SAME:    %[[B:[a-z0-9]*]]: !llvm.ptr {llvm.noalias, spc.bind = #spc.bind<values, "B">
// CHECK-SAME:    %[[N:[a-z0-9]*]]: index {spc.bind = #spc.bind<size, "n">}
// CHECK-SAME:    %[[K:[a-z0-9]*]]: index {spc.bind = #spc.bind<size, "k">}
// CHECK-SAME:    %[[STRIDE:[a-z0-9]*]]: index {spc.bind = #spc.bind<stride, "B", 0>}
// CHECK-DAG:     %[[VIEW:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<?x?xf64, strided<[?, 1]>>
// CHECK:         memref.load %[[VIEW]]
func.func @body(%a: memref<?xi32> {spc.bind = #spc.bind<pointers, "A", 1>},
                %b: memref<?x?xf64, strided<[?, 1]>> {spc.bind = #spc.bind<values, "B">, spc.tensor = #spc.tensor<"B" extents = [<"k">, <"n">]>},
                %n: index {spc.bind = #spc.bind<size, "n">}) {
  %p = memref.load %a[%n] : memref<?xi32>
  %i = arith.index_cast %p : i32 to index
  %v = memref.load %b[%i, %n] : memref<?x?xf64, strided<[?, 1]>>
  memref.store %v, %b[%n, %i] : memref<?x?xf64, strided<[?, 1]>>
  return
}

// CHECK-LABEL: func.func @elsewhere(
// CHECK-SAME:    %[[X:[a-z0-9]*]]: !llvm.ptr<1> {llvm.noalias, spc.bind = #spc.bind<values, "X">
// CHECK:         builtin.unrealized_conversion_cast %{{.*}} : !llvm.struct<(ptr<1>, ptr<1>, i64, array<1 x i64>, array<1 x i64>)> to memref<?xf64, 1>
func.func @elsewhere(%x: memref<?xf64, 1> {spc.bind = #spc.bind<values, "X">, spc.tensor = #spc.tensor<"X" extents = [<"n">]>},
                     %n: index {spc.bind = #spc.bind<size, "n">}) {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<?xf64, 1>
  memref.store %v, %x[%n] : memref<?xf64, 1>
  return
}
