// RUN: spc-opt %s -spc-expand-exponentials | FileCheck %s

// Arithmetic that nothing reassociates, and the exponent in two halves.
// CHECK-LABEL: func.func @single
func.func @single(%x: f32) -> f32 {
  // CHECK-NOT: math.exp
  // CHECK-NOT: reassoc
  // CHECK: arith.cmpf olt
  // CHECK: arith.cmpf ogt
  // CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : f32
  // CHECK: arith.subf %{{.*}}, %{{.*}} : f32
  // CHECK: arith.shrsi
  // CHECK-COUNT-2: arith.shli
  // CHECK-NOT: math.exp
  // CHECK: return
  %y = math.exp %x : f32
  return %y : f32
}

// A power of 2, whose exponent is a whole number and a rest without a rounding.
// CHECK-LABEL: func.func @ofTwo
func.func @ofTwo(%x: f32) -> f32 {
  // CHECK-NOT: math.exp2
  // CHECK: arith.cmpf olt
  // CHECK: arith.cmpf ogt
  // CHECK: %[[SHIFTED:.*]] = arith.addf
  // CHECK: %[[WHOLE:.*]] = arith.subf %[[SHIFTED]]
  // CHECK: arith.subf %{{.*}}, %[[WHOLE]]
  // CHECK-COUNT-2: arith.shli
  // CHECK: return
  %y = math.exp2 %x : f32
  return %y : f32
}

// Others stay calls.
// CHECK-LABEL: func.func @others
func.func @others(%x: f64, %y: f32) -> (f64, f32) {
  // CHECK: math.exp %{{.*}} : f64
  // CHECK: math.log %{{.*}} : f32
  %a = math.exp %x : f64
  %b = math.log %y : f32
  return %a, %b : f64, f32
}
