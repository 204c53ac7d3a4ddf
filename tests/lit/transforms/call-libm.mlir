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
