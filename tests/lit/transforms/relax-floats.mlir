// RUN: spc-opt %s -split-input-file -spc-relax-floats | FileCheck %s

// Sums may be reassociated, multiply-adds contracted; infinities and NaNs keep their meaning.
// CHECK-LABEL: func.func @f
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<reassoc,contract>
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<reassoc,contract>
// CHECK: arith.divf %{{.*}}, %{{.*}} fastmath<contract>
func.func @f(%a: f64, %b: f64, %c: f64) -> f64 {
  %p = arith.mulf %a, %b : f64
  %s = arith.addf %p, %c : f64
  %q = arith.divf %s, %b : f64
  return %q : f64
}

// -----

// What adds two multiples of one value is left as it is: in one product infinities would be lost.
// CHECK-LABEL: func.func @multiples
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<contract>
// CHECK: arith.subf %{{.*}}, %{{.*}} fastmath<contract>
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<contract>
// CHECK: complex.add %{{.*}}, %{{.*}} fastmath<contract>
func.func @multiples(%a: f64, %b: f64, %x: memref<?xf64>, %z: complex<f64>) -> (f64, f64, f64, complex<f64>) {
  %c0 = arith.constant 0 : index
  %p = arith.mulf %a, %b : f64
  %sum = arith.addf %p, %a : f64
  %q = arith.mulf %b, %b : f64
  %minus = arith.negf %q : f64
  %difference = arith.subf %minus, %p : f64
  %v = memref.load %x[%c0] : memref<?xf64>
  %w = memref.load %x[%c0] : memref<?xf64>
  %r = arith.mulf %v, %b : f64
  %again = arith.addf %r, %w : f64
  %re = complex.re %z : complex<f64>
  %im = complex.im %z : complex<f64>
  %scaled_re = arith.mulf %re, %b : f64
  %scaled_im = arith.mulf %im, %b : f64
  %scaled = complex.create %scaled_re, %scaled_im : complex<f64>
  %both = complex.add %scaled, %z : complex<f64>
  return %sum, %difference, %again, %both : f64, f64, f64, complex<f64>
}

// -----

// Products of sums, quotients and functions stay what they are, and so do functions.
// CHECK-LABEL: func.func @products
// CHECK: arith.subf %{{.*}}, %{{.*}} fastmath<reassoc,contract>
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<contract>
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<contract>
// CHECK: math.exp %{{.*}} fastmath<contract>
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<contract>
// CHECK: arith.divf %{{.*}}, %{{.*}} fastmath<contract>
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<contract>
func.func @products(%a: f64, %b: f64) -> (f64, f64, f64) {
  %c = arith.constant 0.1 : f64
  %difference = arith.subf %a, %b : f64
  %scaled = arith.mulf %difference, %c : f64
  %twice = arith.mulf %b, %scaled : f64
  %power = math.exp %a : f64
  %other = arith.mulf %power, %b : f64
  %quotient = arith.divf %a, %b : f64
  %back = arith.mulf %quotient, %b : f64
  return %twice, %other, %back : f64, f64, f64
}

// -----

// What a loop multiplies up may be reassociated, whatever the factors are: carried, and in memory.
// CHECK-LABEL: func.func @loops
// CHECK: arith.subf
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<reassoc,contract>
// CHECK: arith.subf
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<reassoc,contract>
// CHECK: memref.store
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<contract>
func.func @loops(%x: memref<?xf64>, %y: memref<?xf64>, %n: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  %product = scf.for %i = %c0 to %n step %c1 iter_args(%so_far = %one) -> (f64) {
    %v = memref.load %x[%i] : memref<?xf64>
    %factor = arith.subf %v, %one : f64
    %next = arith.mulf %so_far, %factor : f64
    scf.yield %next : f64
  }
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf64>
    %factor = arith.subf %v, %one : f64
    %before = memref.load %y[%c0] : memref<?xf64>
    %next = arith.mulf %before, %factor : f64
    memref.store %next, %y[%c0] : memref<?xf64>
    %elsewhere = arith.mulf %before, %factor : f64
    memref.store %elsewhere, %x[%i] : memref<?xf64>
  }
  return %product : f64
}

// -----

// What is to be as it is written stays so.
// CHECK-LABEL: func.func @as_written
// CHECK: arith.mulf %{{[^ ]*}}, %{{[^ ]*}} : f64
// CHECK: arith.addf %{{[^ ]*}}, %{{[^ ]*}} : f64
func.func @as_written(%a: f64, %b: f64) -> f64 attributes {spc.as_written} {
  %p = arith.mulf %a, %b : f64
  %s = arith.addf %p, %a : f64
  return %s : f64
}
