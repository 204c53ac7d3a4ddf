// RUN: spc-opt %s -spc-lower-dense -canonicalize | FileCheck %s

// A chain of dense operations updates one buffer; the extent comes from an argument of its own.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME:    %[[X:.*]]: memref<?xf64> {spc.bind = #spc.bind<values, "x">
// CHECK-SAME:    %[[Y:.*]]: memref<?xf64> {spc.bind = #spc.bind<values, "y">
// CHECK-SAME:    %[[ALPHA:.*]]: f64 {spc.bind = #spc.bind<scalar, "alpha">
// CHECK-SAME:    %[[M:.*]]: index {spc.bind = #spc.bind<size, "m">}
// CHECK:         linalg.fill ins(%{{.*}} : f64) outs(%[[Y]] : memref<?xf64>)
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %[[M]]
// CHECK:           memref.load %[[X]][%[[I]]]
// CHECK:           memref.load %[[Y]][%[[I]]]
// CHECK:           memref.store %{{.*}}, %[[Y]][%[[I]]]
// CHECK:         return{{$}}
func.func @chain(%x: tensor<?xf64> {spc.tensor = #spc.tensor<"x" extents = [<"m">]>},
                 %y: tensor<?xf64> {spc.tensor = #spc.tensor<"y" extents = [<"m">]>},
                 %alpha: f64 {spc.tensor = #spc.tensor<"alpha">}) -> tensor<?xf64> {
  %zero = arith.constant 0.0 : f64
  %filled = linalg.fill ins(%zero : f64) outs(%y : tensor<?xf64>) -> tensor<?xf64>
  %result = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                            iterator_types = ["parallel"]}
      ins(%x : tensor<?xf64>) outs(%filled : tensor<?xf64>) {
  ^bb0(%a: f64, %out: f64):
    %scaled = arith.mulf %a, %alpha : f64
    %sum = arith.addf %out, %scaled : f64
    linalg.yield %sum : f64
  } -> tensor<?xf64>
  return %result : tensor<?xf64>
}

// A column-major matrix has its unit stride in dimension 0.
// CHECK-LABEL: func.func @columns(
// CHECK-SAME:    memref<?x?xf64, strided<[1, ?]>>
func.func @columns(%a: tensor<?x?xf64> {spc.tensor = #spc.tensor<"A" extents = [<"m">, <"n">] modes = [1, 0]>}) {
  return
}

// An order-0 output that a later statement reads.
// CHECK-LABEL: func.func @scalar(
// CHECK-SAME:    %[[S:.*]]: memref<f64> {spc.bind = #spc.bind<values, "s">
// CHECK:         memref.load %[[S]][]
func.func @scalar(%s: tensor<f64> {spc.tensor = #spc.tensor<"s">}, %y: tensor<?xf64> {spc.tensor = #spc.tensor<"y" extents = [<"m">]>})
    -> tensor<?xf64> {
  %value = tensor.extract %s[] : tensor<f64>
  %filled = linalg.fill ins(%value : f64) outs(%y : tensor<?xf64>) -> tensor<?xf64>
  return %filled : tensor<?xf64>
}
