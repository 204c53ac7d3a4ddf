// RUN: spc-opt %s -spc-call-libm | FileCheck %s

// Calls that neither read nor write memory, declared once; what LLVM has intrinsics for stays.
// CHECK-DAG: llvm.func @expm1(f64) -> f64 attributes {memory_effects = #llvm.memory_effects<other = none, argMem = none, {{.*}}>, no_unwind, will_return}
// CHECK-DAG: llvm.func @erff(f32) -> f32
// CHECK-DAG: llvm.func @atan2(f64, f64) -> f64
// CHECK-LABEL: func.func @f
func.func @f(%a: f64, %b: f64, %c: f32) -> (f64, f64, f64, f32, f64) {
  // CHECK: %[[E:.*]] = llvm.call @expm1(%{{.*}}) : (f64) -> f64
  // CHECK: llvm.call @expm1(%[[E]])
  %0 = math.expm1 %a : f64
  %1 = math.expm1 %0 : f64
  // CHECK: llvm.call @atan2(%{{.*}}, %{{.*}}) : (f64, f64) -> f64
  %2 = math.atan2 %a, %b : f64
  // CHECK: llvm.call @erff
  %3 = math.erf %c : f32
  // CHECK: math.sqrt
  %4 = math.sqrt %b : f64
  return %0, %1, %2, %3, %4 : f64, f64, f64, f32, f64
}

// CHECK-LABEL: func.func @inverse
func.func @inverse(%a: f64, %b: f32) -> (f64, f32, f64, f32, f64, f32, f64, f32) {
  // CHECK: llvm.call @sinh(%{{.*}}) : (f64) -> f64
  %0 = math.sinh %a : f64
  // CHECK: llvm.call @coshf(%{{.*}}) : (f32) -> f32
  %1 = math.cosh %b : f32
  // CHECK: llvm.call @asin(
  %2 = math.asin %0 : f64
  // CHECK: llvm.call @acosf(
  %3 = math.acos %1 : f32
  // CHECK: llvm.call @atan(
  %4 = math.atan %2 : f64
  // CHECK: llvm.call @asinhf(
  %5 = math.asinh %3 : f32
  // CHECK: llvm.call @acosh(
  %6 = math.acosh %4 : f64
  // CHECK: llvm.call @atanhf(
  %7 = math.atanh %5 : f32
  return %0, %1, %2, %3, %4, %5, %6, %7 : f64, f32, f64, f32, f64, f32, f64, f32
}
