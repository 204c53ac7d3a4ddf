// RUN: spc-opt %s -spc-resume-reductions | FileCheck %s

// The loop starts with what the target holds, not with the identity.
// CHECK-LABEL: func.func @resume
func.func @resume(%y: memref<?xf64> {spc.tensor = #spc.tensor<"y" identity = 0x7FF0000000000000 : f64>}, %x: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %identity = arith.constant 0x7FF0000000000000 : f64
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: %[[OLD:.*]] = memref.load %arg0
    // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[OLD]])
    %0 = scf.for %j = %c0 to %n step %c1 iter_args(%least = %identity) -> f64 {
      %1 = memref.load %x[%j] : memref<?xf64>
      %2 = arith.minimumf %least, %1 : f64
      scf.yield %2 : f64
    }
    memref.store %0, %y[%i] : memref<?xf64>
  }
  return
}

// What has folded to another constant stays.
// CHECK-LABEL: func.func @folded
func.func @folded(%y: memref<?xi8> {spc.tensor = #spc.tensor<"y" identity = 1 : i8>}) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : i8
  %zero = arith.constant 0 : i8
  // CHECK-NOT: memref.load
  // CHECK: memref.store %[[ZERO]]
  memref.store %zero, %y[%c0] : memref<?xi8>
  return
}
