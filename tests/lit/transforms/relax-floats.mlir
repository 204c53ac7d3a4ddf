// RUN: spc-opt %s -spc-relax-floats | FileCheck %s

// Sums may be reassociated, multiply-adds contracted; infinities and NaNs keep their meaning.
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<reassoc,contract>
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<reassoc,contract>
// CHECK: arith.divf %{{.*}}, %{{.*}} fastmath<reassoc,contract>
func.func @f(%a: f64, %b: f64) -> f64 {
  %p = arith.mulf %a, %b : f64
  %s = arith.addf %p, %a : f64
  %q = arith.divf %s, %b : f64
  return %q : f64
}
